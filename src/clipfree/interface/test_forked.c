/* SPDX-License-Identifier: MIT */
/* In the child of a fork GPUs that are watched do nothing; in the parent they go on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clipfree/interface/cf_forked.h"

static uint64_t
submit(struct cf_gpu *gpu, uint64_t address, uint32_t size_B, uint64_t limit_ns)
{
   (void)gpu, (void)address, (void)limit_ns;
   return size_B;
}

static const struct cf_gpu_ops ops = { .submit = submit };

/* What a child sees of a GPU: bits. */
enum { IS_LOST = 1, SUBMITS = 2, ALLOCATES = 4, WAITS = 8 };

static int
look(struct cf_gpu *gpu)
{
   struct cf_bo bo;
   if (!cf_forked_is_lost(gpu))
      return gpu->ops->submit(gpu, 0, 5, 0) == 5 ? SUBMITS : 0;
   return IS_LOST | (gpu->ops->submit(gpu, 0, 5, 0) == 5 ? SUBMITS : 0) |
          (gpu->ops->bo_alloc(gpu, 64, &bo) ? ALLOCATES : 0) |
          (gpu->ops->wait(gpu, UINT64_MAX, UINT64_MAX) ? 0 : WAITS) |
          (gpu->ops->reset_status(gpu) == CF_RESET_LOST ? 0 : 16);
}

/* It says once why nothing is drawn, if so. */
static int
look_in_child(struct cf_gpu *gpu)
{
   int status;
   char said[1000] = "";
   FILE *heard = tmpfile();
   assert_non_null(heard);
   fflush(NULL);
   const pid_t child = fork();
   if (child == 0) {
      dup2(fileno(heard), STDERR_FILENO);
      exit(look(gpu));
   }
   assert_int_equal(waitpid(child, &status, 0), child);
   assert_true(WIFEXITED(status));
   rewind(heard);
   assert_true(fread(said, 1, sizeof(said) - 1, heard) < sizeof(said) - 1);
   fclose(heard);
   const char *first = strstr(said, "clipfree: this process was forked");
   assert_int_equal(first != NULL, WEXITSTATUS(status) & IS_LOST);
   assert_true(!first || !strstr(first + 1, "clipfree: "));
   return WEXITSTATUS(status);
}

static void
watched_are_lost_in_children(void **state)
{
   (void)state;
   struct cf_gpu gpu[3] = { { &ops }, { &ops }, { &ops } };
   assert_int_equal(look_in_child(&gpu[0]), SUBMITS);
   for (unsigned i = 0; i < 3; i++)
      cf_forked_watch(&gpu[i]);
   cf_forked_forget(&gpu[1]);
   for (unsigned n = 0; n < 3; n++)
      assert_int_equal(look_in_child(&gpu[n]), n == 1 ? SUBMITS : IS_LOST);
   cf_forked_forget(&gpu[0]);
   cf_forked_forget(&gpu[0]); /* is not there */
   assert_int_equal(look_in_child(&gpu[0]), SUBMITS);
   assert_int_equal(look_in_child(&gpu[2]), IS_LOST);
   for (unsigned i = 0; i < 3; i++)
      assert_int_equal(look(&gpu[i]), SUBMITS);
   cf_forked_forget(&gpu[2]);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(watched_are_lost_in_children),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
