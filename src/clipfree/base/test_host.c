/* SPDX-License-Identifier: MIT */
/*
 * Descriptors are kept apart from the standard ones, where these are closed; how many threads a
 * host has, by its processors and its control group; threads that start, and one that cannot. The
 * linker leads what the host is asked here (--wrap).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clipfree/base/cf_host.h"

/* ------------------------------------------------------------------ a host */

static struct {
   int processors;    /* that the process may use; negative: it cannot be asked */
   const char *quota; /* the file of the control group; NULL: there is none */
   bool no_threads;
   uint32_t asked; /* for threads */
} host;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);
int __wrap_sched_getaffinity(pid_t process, size_t size_B, cpu_set_t *set);
FILE *__wrap_fopen64(const char *path, const char *mode);

int
__wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                      void *argument)
{
   host.asked++;
   return host.no_threads ? EAGAIN : __real_pthread_create(thread, attributes, run, argument);
}

int
__wrap_sched_getaffinity(pid_t process, size_t size_B, cpu_set_t *set)
{
   (void)process;
   memset(set, 0, size_B);
   for (int i = 0; i < host.processors; i++)
      CPU_SET(i, set);
   return host.processors < 0 ? -1 : 0;
}

FILE *
__wrap_fopen64(const char *path, const char *mode)
{
   assert_string_equal(path, "/sys/fs/cgroup/cpu.max");
   return host.quota ? fmemopen((void *)host.quota, strlen(host.quota), mode) : NULL;
}

static void
threads_of_a_host(void **state)
{
   (void)state;
   static const struct {
      int processors;
      const char *quota;
      uint32_t threads;
   } cases[] = {
      { 5, NULL, 5 },
      { 5, "max 100000\n", 5 },
      { 5, "200000 100000\n", 2 },
      { 5, "150000 100000\n", 2 }, /* one and a half */
      { 5, "10000 100000\n", 1 },
      { 5, "900000 100000\n", 5 },
      { 5, "0 100000\n", 1 },
      { 5, "200000 0\n", 5 },
      { 5, "200000\n", 5 },
      { 5, "\n", 5 },
      { 0, NULL, 1 },
      { -1, NULL, 1 },
      { -1, "200000 100000\n", 1 },
   };
   for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      host.processors = cases[i].processors;
      host.quota = cases[i].quota;
      assert_int_equal(cf_host_threads(), cases[i].threads);
   }
}

/* ------------------------------------------------------------------ threads */

struct seen {
   sigset_t blocked;
   char name[24];
};

static void *
see(void *argument)
{
   struct seen *seen = argument;
   pthread_sigmask(SIG_SETMASK, NULL, &seen->blocked);
   while (pthread_getname_np(pthread_self(), seen->name, sizeof(seen->name)) == 0 &&
          strncmp(seen->name, "clipfree", 8) != 0)
      sched_yield(); /* who starts it names it */
   return argument;
}

static bool
blocks_usr1(void)
{
   sigset_t blocked;
   pthread_sigmask(SIG_SETMASK, NULL, &blocked);
   return sigismember(&blocked, SIGUSR1);
}

/* They get no signals but those of their own faults; who starts them gets what it got before. */
static void
threads_start(void **state)
{
   (void)state;
   struct seen seen = { 0 };
   pthread_t thread;
   assert_true(cf_thread_start(&thread, see, &seen, 1007));
   pthread_join(thread, NULL);
   assert_string_equal(seen.name, "clipfree-7");
   assert_true(sigismember(&seen.blocked, SIGUSR1) && sigismember(&seen.blocked, SIGTERM));
   assert_false(sigismember(&seen.blocked, SIGSEGV) || sigismember(&seen.blocked, SIGABRT));
   assert_false(blocks_usr1());
   host.no_threads = true;
   assert_false(cf_thread_start(&thread, see, &seen, 1));
   assert_false(blocks_usr1());
   host.asked = 0;
   cf_host_warm_up(); /* waits for none */
   host.no_threads = false;
   cf_host_warm_up();
   assert_int_equal(host.asked, 2);
}

/* ------------------------------------------------------------------ descriptors */

static void
descriptors_are_kept_apart(void **state)
{
   (void)state;
   int ends[2];
   assert_int_equal(pipe(ends), 0);
   assert_int_equal(cf_host_keep_apart(ends[0]), ends[0]);
   const int input = dup(STDIN_FILENO);
   close(STDIN_FILENO);
   assert_int_equal(dup(ends[0]), STDIN_FILENO);
   const int apart = cf_host_keep_apart(STDIN_FILENO);
   assert_in_range(apart, 3, 1000);
   assert_true(fcntl(apart, F_GETFD) & FD_CLOEXEC);
   char byte = 0;
   assert_int_equal(write(ends[1], "x", 1), 1);
   assert_int_equal(read(apart, &byte, 1), 1);
   assert_int_equal(byte, 'x');
   assert_int_equal(fcntl(STDIN_FILENO, F_GETFD), -1); /* free again */
   dup2(input, STDIN_FILENO);
   errno = ENOENT;
   assert_int_equal(cf_host_keep_apart(-1), -1);
   assert_int_equal(errno, ENOENT);
   close(input);
   close(apart);
   close(ends[0]);
   close(ends[1]);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_of_a_host),
      cmocka_unit_test(threads_start),
      cmocka_unit_test(descriptors_are_kept_apart),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
