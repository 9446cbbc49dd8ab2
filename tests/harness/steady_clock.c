/* SPDX-License-Identifier: MIT
 *
 * A clock for programs that animate by elapsed time (LD_PRELOAD): each time the program itself
 * asks, STEP_US have passed. glmark2 and the gears ask once a frame: a frame shows the same on any
 * machine at any speed. Sleeping (select without descriptors) moves the clock on by what was asked
 * for, and takes only as long as a process that the program has started needs to end. The process
 * has always the same number, which programs take as the seed of their random numbers.
 *
 * A library that follows the program's frames may move the clock on as well (steady_clock_move).
 *
 * STEADY_CLOCK_STEP_US=N: another step. STEADY_CLOCK_CALLS=N, STEADY_CLOCK_SLEEPS=N: the program
 * leaves at its N-th question or sleep; an end for programs that have none.
 *
 * Limits: only what the main program asks; libraries (Mesa, apitrace) see the true time, so that
 * their threads cannot disturb the count. Not for programs that ask from several threads. Processes
 * that a recorded program starts are neither recorded nor see this clock.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STEP_US 500000
#define START_US 1000000000
#define PROCESS_ID 4711

/* The main program's memory: [begin, end). */
static uintptr_t program_begin = UINTPTR_MAX, program_end;

/* Called for each object; the first is the main program. */
static int
note_program(struct dl_phdr_info *object, size_t size, void *data)
{
   (void)size;
   (void)data;
   for (unsigned i = 0; i < object->dlpi_phnum; i++) {
      const ElfW(Phdr) *part = &object->dlpi_phdr[i];
      const uintptr_t begin = object->dlpi_addr + part->p_vaddr, end = begin + part->p_memsz;
      if (part->p_type != PT_LOAD)
         continue;
      program_begin = begin < program_begin ? begin : program_begin;
      program_end = end > program_end ? end : program_end;
   }
   return 1;
}

/* Whether code at `caller` belongs to the main program. Two comparisons, and no lock: a library's
 * threads may ask for the time a thousand times a frame, and the bench counts what that takes. */
static bool
is_main_program(void *caller)
{
   return (uintptr_t)caller >= program_begin && (uintptr_t)caller < program_end;
}

static uint64_t now_us = START_US;

/* Moves the clock on by us. For other preloaded libraries. */
__attribute__((visibility("default"))) void
steady_clock_move(uint64_t us)
{
   now_us += us;
}

static uint64_t
number_of(const char *variable, uint64_t otherwise)
{
   const char *value = getenv(variable);
   return value ? strtoull(value, NULL, 10) : otherwise;
}

static uint64_t
next_us(void)
{
   static uint64_t calls;
   if (calls++ >= number_of("STEADY_CLOCK_CALLS", UINT64_MAX))
      exit(0);
   const uint64_t asked_us = now_us;
   now_us += number_of("STEADY_CLOCK_STEP_US", STEP_US);
   return asked_us;
}

int
clock_gettime(clockid_t clock, struct timespec *now)
{
   static int (*real)(clockid_t, struct timespec *);
   if (!is_main_program(__builtin_return_address(0))) {
      if (!real)
         real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
      return real(clock, now);
   }
   uint64_t us = next_us();
   *now = (struct timespec){ us / 1000000, us % 1000000 * 1000 };
   return 0;
}

int
gettimeofday(struct timeval *restrict now, void *restrict zone)
{
   static int (*real)(struct timeval *, void *);
   if (!is_main_program(__builtin_return_address(0))) {
      if (!real)
         real = (int (*)(struct timeval *, void *))dlsym(RTLD_NEXT, "gettimeofday");
      return real(now, zone);
   }
   uint64_t us = next_us();
   *now = (struct timeval){ us / 1000000, us % 1000000 };
   return 0;
}

time_t
time(time_t *result)
{
   static time_t (*real)(time_t *);
   time_t seconds = now_us / 1000000;
   if (!is_main_program(__builtin_return_address(0))) {
      if (!real)
         real = (time_t(*)(time_t *))dlsym(RTLD_NEXT, "time");
      seconds = real(NULL);
   }
   if (result)
      *result = seconds;
   return seconds;
}

int
select(int count, fd_set *restrict read, fd_set *restrict write, fd_set *restrict other,
       struct timeval *restrict timeout)
{
   static int (*real)(int, fd_set *, fd_set *, fd_set *, struct timeval *);
   if (count > 0 || !timeout || !is_main_program(__builtin_return_address(0))) {
      if (!real)
         real = (int (*)(int, fd_set *, fd_set *, fd_set *, struct timeval *))dlsym(RTLD_NEXT, "select");
      return real(count, read, write, other, timeout);
   }
   static uint64_t sleeps;
   if (sleeps++ >= number_of("STEADY_CLOCK_SLEEPS", UINT64_MAX))
      exit(0);
   now_us += timeout->tv_sec * 1000000 + timeout->tv_usec;
   siginfo_t ended;
   waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT);
   return 0;
}

pid_t
getpid(void)
{
   return is_main_program(__builtin_return_address(0)) ? PROCESS_ID : (pid_t)syscall(SYS_getpid);
}

__attribute__((constructor)) static void
find_program(void)
{
   dl_iterate_phdr(note_program, NULL);
}

/* apitrace, which wraps the program, has set TRACE_FILE: what the program starts must not write to
 * that file. */
__attribute__((constructor)) static void
leave_children_alone(void)
{
   if (getenv("TRACE_FILE"))
      unsetenv("LD_PRELOAD");
}
