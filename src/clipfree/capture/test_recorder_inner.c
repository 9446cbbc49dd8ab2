/* SPDX-License-Identifier: MIT */
/*
 * A recorder and what is around it: the GPU that it records gets what is not the recorder's;
 * several recorders in a process; a process that exits and leaves its recorders.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clipfree/capture/cf_capture_reader.h"
#include "clipfree/capture/cf_capture_recorder.h"
#include "clipfree/command/cf_model.h"
#include "clipfree/interface/cf_packets.h"

#define PATH "clipfree-test-recorder-inner"
#define OTHER_PATH "clipfree-test-recorder-inner-other"

/* What reached the GPU that is recorded. */
static struct {
   uint64_t counts[CF_GPU_COUNTS];
   uint64_t noted, freed; /* addresses */
   unsigned notes, frees;
   enum cf_gpu_notes wants;
} inner;

static const struct cf_gpu_ops *noop_ops;

static uint64_t
inner_get_param(struct cf_gpu *gpu, enum cf_gpu_param param)
{
   return param == CF_PARAM_NOTES ? (uint64_t)inner.wants : noop_ops->get_param(gpu, param);
}

static void
inner_count(struct cf_gpu *gpu, const uint64_t counts[CF_GPU_COUNTS])
{
   (void)gpu;
   memcpy(inner.counts, counts, sizeof(inner.counts));
}

static void
inner_note(struct cf_gpu *gpu, uint64_t address, const void *data, size_t size_B)
{
   (void)gpu;
   assert_int_equal(size_B, 3);
   assert_memory_equal(data, "[a]", 3);
   inner.noted = address;
   inner.notes++;
}

static void
inner_bo_free(struct cf_gpu *gpu, const struct cf_bo *bo)
{
   noop_ops->bo_free(gpu, bo);
   inner.freed = bo->address;
   inner.frees++;
}

/* A recorder of a GPU that does nothing but tell what reached it. */
static struct cf_gpu *
record(const char *option)
{
   static struct cf_gpu_ops ops;
   struct cf_capture_config config;
   const char *error;
   struct cf_gpu *gpu = cf_noop_create(&error);
   assert_non_null(gpu);
   noop_ops = gpu->ops;
   ops = *noop_ops;
   ops.get_param = inner_get_param;
   ops.count = inner_count;
   ops.note = inner_note;
   ops.bo_free = inner_bo_free;
   gpu->ops = &ops;
   memset(&inner, 0, sizeof(inner));
   assert_true(cf_capture_parse(option, &config));
   gpu = cf_capture_create(gpu, &config);
   assert_non_null(gpu);
   return gpu;
}

/* Submit a page. */
static void
submit(struct cf_gpu *gpu)
{
   struct cf_bo bo;
   assert_true(gpu->ops->bo_alloc(gpu, 4096, &bo));
   gpu->ops->submit(gpu, bo.address, 64, 0);
}

/* Check that a file is complete, and remove it. Returns how many submissions it has. */
static unsigned
submissions_in(const char *path)
{
   char error[CF_CAPTURE_ERROR_B];
   struct cf_capture_reader *reader = cf_capture_open(path, error, sizeof(error));
   if (!reader)
      fail_msg("%s", error);
   assert_null(cf_capture_warning(reader));
   const unsigned submissions = cf_capture_submissions(reader);
   cf_capture_close(reader);
   unlink(path);
   return submissions;
}

/* ------------------------------------------------------------------ a process that exits */

static struct cf_gpu *left;

static void
destroy_left(void)
{
   left->ops->destroy(left);
}

/* A process makes two of five submissions that are wanted, and exits. Its files are closed then. It
 * may destroy its GPU still later: handlers that were registered before. */
static void
exit_with_two(bool destroys_later)
{
   fflush(NULL);
   const pid_t child = fork();
   if (child == 0) {
      if (destroys_later)
         atexit(destroy_left);
      left = record("file=" PATH ",submission=0,count=5");
      submit(left);
      submit(left);
      exit(0);
   }
   int status;
   assert_int_equal(waitpid(child, &status, 0), child);
   assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
   assert_int_equal(submissions_in(PATH), 2);
}

static void
exits(void **state)
{
   (void)state;
   exit_with_two(false);
   exit_with_two(true);
}

/* ------------------------------------------------------------------ the GPU that is recorded */

static void
passes_on(void **state)
{
   (void)state;
   struct cf_gpu *gpu = record("file=" PATH);
   const uint64_t counts[CF_GPU_COUNTS] = { 5, 6, 7 };
   assert_int_equal(gpu->ops->get_param(gpu, CF_PARAM_MAX_TEXTURE_PX), 16384);
   assert_int_equal(gpu->ops->get_param(gpu, CF_PARAM_NOTES), CF_GPU_NOTES);
   gpu->ops->count(gpu, counts);
   assert_memory_equal(inner.counts, counts, sizeof(counts));
   gpu->ops->note(gpu, 0x1000, "[a]", 3);
   assert_int_equal(inner.notes, 0);
   inner.wants = CF_GPU_NOTES;
   gpu->ops->note(gpu, 0x2000, "[a]", 3);
   assert_int_equal(inner.notes, 1);
   assert_int_equal(inner.noted, 0x2000);
   gpu->ops->destroy(gpu);
}

/* A GPU that does not ask for counts gets none. */
static void
counts_for_nobody(void **state)
{
   (void)state;
   const char *error;
   struct cf_capture_config config;
   struct cf_gpu *noop = cf_noop_create(&error);
   struct cf_gpu_ops ops = *noop->ops;
   ops.count = NULL;
   noop->ops = &ops;
   assert_true(cf_capture_parse("file=" PATH, &config));
   struct cf_gpu *gpu = cf_capture_create(noop, &config);
   assert_non_null(gpu);
   gpu->ops->count(gpu, (const uint64_t[CF_GPU_COUNTS]){ 1, 2, 3 });
   submit(gpu);
   gpu->ops->destroy(gpu);
   assert_int_equal(submissions_in(PATH), 1);
}

/* What cannot be imported is not recorded; what is not recorded is freed by the GPU, if at all. */
static void
unknown_memory(void **state)
{
   (void)state;
   struct cf_gpu *gpu = record("file=" PATH);
   struct cf_bo bo, imported = { .address = 0x123 };
   assert_true(gpu->ops->bo_alloc(gpu, 4096, &bo));
   assert_false(gpu->ops->bo_import(gpu, STDIN_FILENO, 4096, &imported)); /* by the noop GPU */
   assert_int_equal(imported.address, 0x123);
   gpu->ops->bo_free(gpu, &(struct cf_bo){ .address = bo.address + 4096, .size_B = 4096 });
   assert_int_equal(inner.frees, 1);
   assert_int_equal(inner.freed, bo.address + 4096);
   gpu->ops->submit(gpu, bo.address, 64, 0);
   gpu->ops->destroy(gpu);
   char error[CF_CAPTURE_ERROR_B];
   struct cf_capture_reader *reader = cf_capture_open(PATH, error, sizeof(error));
   assert_non_null(reader);
   assert_int_equal(cf_capture_end_address(reader), bo.address + 4096);
   cf_capture_close(reader);
   assert_int_equal(submissions_in(PATH), 1);
}

/* ------------------------------------------------------------------ several, and their starts */

/* Recorders of a process are apart, in whichever order they end. */
static void
two_recorders(void **state)
{
   (void)state;
   for (int newer_first = 0; newer_first < 2; newer_first++) {
      struct cf_gpu *older = record("file=" PATH ",count=1");
      struct cf_gpu *newer = record("file=" OTHER_PATH ",count=2");
      submit(older);
      submit(newer);
      submit(newer);
      struct cf_gpu *first = newer_first ? newer : older, *second = newer_first ? older : newer;
      first->ops->destroy(first);
      second->ops->destroy(second);
      assert_int_equal(submissions_in(PATH), 1);
      assert_int_equal(submissions_in(OTHER_PATH), 2);
   }
}

/* A capture that waits for the signal begins after it. */
static void
signalled(void **state)
{
   (void)state;
   struct cf_gpu *gpu = record("file=" PATH ",signal,count=2");
   submit(gpu);
   raise(SIGUSR2);
   for (unsigned i = 0; i < 3; i++)
      submit(gpu);
   gpu->ops->destroy(gpu);
   assert_int_equal(submissions_in(PATH), 2);
}

/* The frame's record, whose surface is not known, has none. */
static void
nothing_presented(void **state)
{
   (void)state;
   char error[CF_CAPTURE_ERROR_B];
   struct cf_capture_record found;
   const uint8_t *payload;
   struct cf_gpu *gpu = record("file=" PATH);
   submit(gpu);
   gpu->ops->end_frame(gpu, NULL);
   gpu->ops->destroy(gpu);
   struct cf_capture_reader *reader = cf_capture_open(PATH, error, sizeof(error));
   assert_non_null(reader);
   unsigned frames = 0;
   while (cf_capture_next(reader, &found, &payload, error, sizeof(error)) > 0) {
      if (found.kind != CF_CAPTURE_FRAME)
         continue;
      assert_true(found.number == 0 && found.address == 0 && found.size_B == 0);
      frames++;
   }
   assert_int_equal(frames, 1);
   cf_capture_close(reader);
   assert_int_equal(submissions_in(PATH), 1);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(exits), /* first: the process has no handler at its exit yet */
      cmocka_unit_test(passes_on),      cmocka_unit_test(counts_for_nobody),
      cmocka_unit_test(unknown_memory), cmocka_unit_test(two_recorders),
      cmocka_unit_test(signalled),      cmocka_unit_test(nothing_presented),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
