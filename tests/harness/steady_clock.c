/* SPDX-License-Identifier: MIT
 *
 * A clock for programs that animate by elapsed time (LD_PRELOAD): each time the program itself asks, STEP_MS have
 * passed. glmark2 and the gears ask once a frame: a frame shows the same on any machine at any speed.
 *
 * STEADY_CLOCK_CALLS=N: the program leaves at its N-th question; an end for programs that have none.
 *
 * Limits: only what the main program asks; libraries (Mesa, apitrace) see the true time, so that their threads
 * cannot disturb the count. Not for programs that ask from several threads.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/time.h>
#include <time.h>

#define STEP_MS 500
#define START_MS 1000000

/* Whether code at `caller` belongs to the main program: the object with the program's entry point. */
static bool
is_main_program(void *caller)
{
   Dl_info of_caller, of_program;
   return dladdr(caller, &of_caller) && dladdr((void *)getauxval(AT_ENTRY), &of_program) &&
          of_caller.dli_fbase == of_program.dli_fbase;
}

static uint64_t
next_ms(void)
{
   static uint64_t calls;
   const char *limit = getenv("STEADY_CLOCK_CALLS");
   if (limit && calls >= strtoull(limit, NULL, 10))
      exit(0);
   return START_MS + STEP_MS * calls++;
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
   uint64_t ms = next_ms();
   *now = (struct timespec){ ms / 1000, ms % 1000 * 1000000 };
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
   uint64_t ms = next_ms();
   *now = (struct timeval){ ms / 1000, ms % 1000 * 1000 };
   return 0;
}
