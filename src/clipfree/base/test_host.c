/* SPDX-License-Identifier: MIT */
/* Descriptors are kept apart from the standard ones, where these are closed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "clipfree/base/cf_host.h"

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
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(descriptors_are_kept_apart),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
