/* SPDX-License-Identifier: MIT */
/* Memory for code is writable or executable, never both, and runs; also where the host refuses that
 * what was writable becomes executable. (Where it refuses all: tests/trust.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clipfree/jit/cf_jit_memory.h"

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65 /* Linux 6.3 */
#define PR_MDWE_REFUSE_EXEC_GAIN 1
#endif

#define SIZE_B 10000 /* not whole pages */

/* Find what the page at `memory` may be used for, as "rwxp". */
static void
find_rights(const void *memory, char rights[5])
{
   char line[512];
   FILE *maps = fopen("/proc/self/maps", "r");
   assert_non_null(maps);
   rights[0] = 0;
   while (fgets(line, sizeof(line), maps)) {
      unsigned long begin, end;
      char found[5];
      if (sscanf(line, "%lx-%lx %4s", &begin, &end, found) == 3 && begin <= (uintptr_t)memory &&
          (uintptr_t)memory < end)
         memcpy(rights, found, sizeof(found));
   }
   fclose(maps);
}

/* A function that returns 42, and bytes up to the end. */
static void
write_code(uint8_t *memory)
{
   static const uint8_t code[] = { 0xb8, 42, 0, 0, 0, 0xc3 };
   for (unsigned i = 0; i < SIZE_B; i++)
      memory[i] = (uint8_t)(i * 7);
   memcpy(memory, code, sizeof(code));
}

static void
seal_and_run(void)
{
   static uint8_t expected[SIZE_B];
   char rights[5];
   uint8_t *memory = cf_jit_memory_map(SIZE_B);
   assert_non_null(memory);
   write_code(memory);
   write_code(expected);
   find_rights(memory, rights);
   assert_string_equal(rights, "rw-p");
   assert_true(cf_jit_memory_seal(memory, SIZE_B));
   find_rights(memory, rights);
   assert_string_equal(rights, "r-xp");
   assert_memory_equal(memory, expected, SIZE_B);
#if defined(__x86_64__)
   assert_int_equal(((int (*)(void))(void *)memory)(), 42);
#endif
   munmap(memory, SIZE_B);
}

static void
code_runs(void **state)
{
   (void)state;
   assert_true(cf_jit_memory_is_allowed());
   seal_and_run();
}

/* In a process of its own, which cannot go back: exit status 77 where the host has no PR_SET_MDWE.
 */
static void
run_where_no_memory_becomes_executable(void)
{
   if (prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) != 0)
      _exit(77);
   void *memory = cf_jit_memory_map(1);
   if (!memory || mprotect(memory, 1, PROT_READ | PROT_EXEC) == 0)
      _exit(2); /* it does not refuse */
   if (!cf_jit_memory_is_allowed())
      _exit(3);
   seal_and_run();
   _exit(0);
}

static void
code_runs_where_no_memory_becomes_executable(void **state)
{
   (void)state;
   int status;
   const pid_t child = fork();
   if (child == 0)
      run_where_no_memory_becomes_executable();
   assert_int_equal(waitpid(child, &status, 0), child);
   assert_true(WIFEXITED(status));
   if (WEXITSTATUS(status) == 77)
      skip();
   assert_int_equal(WEXITSTATUS(status), 0);
}

static void
no_memory(void **state)
{
   (void)state;
   assert_null(cf_jit_memory_map(SIZE_MAX / 2));
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(code_runs),
      cmocka_unit_test(code_runs_where_no_memory_becomes_executable),
      cmocka_unit_test(no_memory),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
