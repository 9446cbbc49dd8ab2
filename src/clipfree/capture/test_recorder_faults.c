/* SPDX-License-Identifier: MIT */
/*
 * A host without memory or room on its disk, while a program is captured: each request of the
 * recorder fails, alone and with all after it. The program goes on; the file is not there, or has
 * the first of the submissions that it would have had, each with the memory that it had then; where
 * it ends early one message says so; and all is freed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <zstd.h>

#include "clipfree/base/test_failing_host.h"
#include "clipfree/capture/cf_capture_reader.h"
#include "clipfree/capture/cf_capture_recorder.h"
#include "clipfree/command/cf_model.h"

#define PATH "clipfree-test-recorder-faults"
#define PAGE_B 4096u
#define PAGES 5
#define SUBMISSIONS 7
#define FIRST_SIZE_B 64 /* of the first submission; the others have 4 more each */
#define MOST_RUNS 1000

/* ------------------------------------------------------------------ files that fail, too */

size_t __real_fwrite(const void *data, size_t size_B, size_t elements, FILE *file);
int __real_fflush(FILE *file);
FILE *__real_fdopen(int file, const char *mode);
int __real_fseek(FILE *file, long offset_B, int whence);
int __real_ftruncate64(int file, off_t size_B);
ZSTD_CCtx *__real_ZSTD_createCCtx(void);
size_t __real_ZSTD_freeCCtx(ZSTD_CCtx *zstd);
size_t __real_ZSTD_compressStream2(ZSTD_CCtx *zstd, ZSTD_outBuffer *out, ZSTD_inBuffer *in,
                                   ZSTD_EndDirective directive);
size_t __wrap_fwrite(const void *data, size_t size_B, size_t elements, FILE *file);
int __wrap_fflush(FILE *file);
FILE *__wrap_fdopen(int file, const char *mode);
int __wrap_fseek(FILE *file, long offset_B, int whence);
int __wrap_ftruncate64(int file, off_t size_B);
ZSTD_CCtx *__wrap_ZSTD_createCCtx(void);
size_t __wrap_ZSTD_freeCCtx(ZSTD_CCtx *zstd);
size_t __wrap_ZSTD_compressStream2(ZSTD_CCtx *zstd, ZSTD_outBuffer *out, ZSTD_inBuffer *in,
                                   ZSTD_EndDirective directive);

size_t
__wrap_fwrite(const void *data, size_t size_B, size_t elements, FILE *file)
{
   return test_host_grants() ? __real_fwrite(data, size_B, elements, file) : 0;
}

int
__wrap_fflush(FILE *file)
{
   return test_host_grants() ? __real_fflush(file) : EOF;
}

FILE *
__wrap_fdopen(int file, const char *mode)
{
   return test_host_grants() ? __real_fdopen(file, mode) : NULL;
}

int
__wrap_fseek(FILE *file, long offset_B, int whence)
{
   return test_host_grants() ? __real_fseek(file, offset_B, whence) : -1;
}

int
__wrap_ftruncate64(int file, off_t size_B)
{
   return test_host_grants() ? __real_ftruncate64(file, size_B) : -1;
}

ZSTD_CCtx *
__wrap_ZSTD_createCCtx(void)
{
   ZSTD_CCtx *zstd = test_host_grants() ? __real_ZSTD_createCCtx() : NULL;
   test_host.live += zstd != NULL;
   return zstd;
}

size_t
__wrap_ZSTD_freeCCtx(ZSTD_CCtx *zstd)
{
   test_host.live -= zstd != NULL;
   return __real_ZSTD_freeCCtx(zstd);
}

size_t
__wrap_ZSTD_compressStream2(ZSTD_CCtx *zstd, ZSTD_outBuffer *out, ZSTD_inBuffer *in,
                            ZSTD_EndDirective directive)
{
   return test_host_grants() ? __real_ZSTD_compressStream2(zstd, out, in, directive) : (size_t)-1;
}

/* ------------------------------------------------------------------ a program */

static const struct cf_gpu_ops *noop_ops;

/* The GPU that is recorded has all that it asks for. */
static bool
alloc_always(struct cf_gpu *gpu, uint64_t size_B, struct cf_bo *bo)
{
   test_host.paused = true;
   const bool ok = noop_ops->bo_alloc(gpu, size_B, bo);
   test_host.paused = false;
   return ok;
}

static bool
import_always(struct cf_gpu *gpu, int file, uint64_t size_B, struct cf_bo *bo)
{
   (void)file;
   return alloc_always(gpu, size_B, bo);
}

/* What a page of memory has from the last write at or before a submission on. */
static uint8_t
byte_of(uint32_t page, uint32_t submission)
{
   for (uint32_t i = submission + 1; i-- > 0;) {
      if (i % PAGES == page)
         return (uint8_t)(i + 1);
   }
   return 0;
}

/* A program's calls: each submission follows a write to the next page; frames end after the third,
 * the fifth and the sixth. False: it got no memory, which the recorder alone refuses. */
static bool
run_program(struct cf_gpu *gpu, uint64_t *address)
{
   struct cf_bo memory, shared;
   const struct cf_surface presented = { .address = 0x4000, .width_px = 7, .height_px = 5 };
   if (!gpu->ops->bo_alloc(gpu, PAGES * PAGE_B, &memory))
      return false;
   *address = memory.address;
   const bool imported = gpu->ops->bo_import(gpu, 0, PAGE_B, &shared);
   for (uint32_t i = 0; i < SUBMISSIONS; i++) {
      memset((uint8_t *)memory.map + i % PAGES * PAGE_B, (int)i + 1, PAGE_B);
      gpu->ops->note(gpu, memory.address + i, "note", 4);
      gpu->ops->submit(gpu, memory.address, FIRST_SIZE_B + 4 * i, 0);
      if (i == 2 || i == 4 || i == 5)
         gpu->ops->end_frame(gpu, &presented);
   }
   if (imported)
      gpu->ops->bo_free(gpu, &shared);
   gpu->ops->bo_free(gpu, &memory);
   return true;
}

/* ------------------------------------------------------------------ what is left */

struct outcome {
   bool created, ran;
   uint64_t address; /* of the program's memory */
   char said[1000];
};

static void
check_memory(const uint8_t memory[PAGES][PAGE_B], uint32_t submission)
{
   for (uint32_t page = 0; page < PAGES; page++) {
      for (uint32_t i = 0; i < PAGE_B; i++)
         assert_int_equal(memory[page][i], byte_of(page, submission));
   }
}

/* The submissions of the file, whose memory is right: a bit each. */
static uint32_t
read_submissions(uint64_t address, bool *warns)
{
   static uint8_t memory[PAGES][PAGE_B];
   struct cf_capture_record record;
   char error[CF_CAPTURE_ERROR_B] = "";
   const uint8_t *payload;
   uint32_t submissions = 0;
   *warns = true;
   if (access(PATH, F_OK) != 0)
      return 0;
   struct cf_capture_reader *reader = cf_capture_open(PATH, error, sizeof(error));
   if (!reader)
      fail_msg("%s, %u requests", error, test_host.requests);
   memset(memory, 0, sizeof(memory));
   while (cf_capture_next(reader, &record, &payload, error, sizeof(error)) > 0) {
      if (record.kind == CF_CAPTURE_MEMORY && record.address - address < sizeof(memory))
         memcpy((uint8_t *)memory + (record.address - address), payload, record.size_B);
      if (record.kind != CF_CAPTURE_SUBMIT)
         continue;
      const uint32_t number = (uint32_t)(record.size_B - FIRST_SIZE_B) / 4;
      check_memory(memory, number);
      submissions |= 1u << number;
   }
   *warns = cf_capture_warning(reader) != NULL;
   cf_capture_close(reader);
   return submissions;
}

/* Whether it was said that the file ends early; not twice. */
static bool
says_it_ends(const char *said)
{
   const char *why = strstr(said, "; ");
   assert_true(!why || !strstr(why + 1, "; "));
   return why;
}

/* Run the program while a request fails, and listen. Returns how many did. */
static unsigned
run(const char *options, unsigned fail_at, bool all, struct outcome *outcome)
{
   struct cf_capture_config config;
   char text[100];
   const char *error;
   snprintf(text, sizeof(text), "file=" PATH "%s", options);
   assert_true(cf_capture_parse(text, &config));
   *outcome = (struct outcome){ 0 };
   FILE *heard = tmpfile();
   const int stderr_fd = dup(STDERR_FILENO);
   struct cf_gpu *inner = cf_noop_create(&error);
   noop_ops = inner->ops;
   struct cf_gpu_ops ops = *noop_ops;
   ops.bo_alloc = alloc_always;
   ops.bo_import = import_always;
   inner->ops = &ops;
   dup2(fileno(heard), STDERR_FILENO);
   test_host_arm(fail_at, all);
   struct cf_gpu *gpu = cf_capture_create(inner, &config);
   outcome->created = gpu != NULL;
   outcome->ran = gpu && run_program(gpu, &outcome->address);
   gpu = gpu ? gpu : inner;
   gpu->ops->destroy(gpu);
   const unsigned failed = test_host_disarm();
   dup2(stderr_fd, STDERR_FILENO);
   close(stderr_fd);
   rewind(heard);
   assert_true(fread(outcome->said, 1, sizeof(outcome->said) - 1, heard) < sizeof(outcome->said));
   fclose(heard);
   return failed;
}

/* `expected`: the submissions with memory. Whether some are missing. Where the file can neither be
 * cut nor flushed, what was written before that is in it nevertheless. */
static bool
check(const struct outcome *outcome, uint32_t expected, bool all)
{
   bool warns;
   if (!outcome->created) {
      assert_int_equal(access(PATH, F_OK), -1);
      return true;
   }
   const uint32_t found = read_submissions(outcome->address, &warns);
   assert_true((found & ~expected) == 0);
   const uint32_t missing = expected & ~found;
   assert_true(missing == 0 || 1u << __builtin_ctz(missing) > found); /* the last ones */
   if (outcome->ran && says_it_ends(outcome->said) != (missing || warns) && !(all && !warns))
      fail_msg("submissions 0x%x: said: %s", found, outcome->said);
   assert_true(found || access(PATH, F_OK) != 0);
   if (missing)
      assert_non_null(strstr(outcome->said, "clipfree: capture " PATH ": "));
   return missing;
}

static void
try_all(const char *options, uint32_t expected)
{
   struct outcome outcome;
   const long before = test_host.live;
   assert_int_equal(run(options, 0, false, &outcome), 0);
   assert_true(outcome.ran);
   assert_false(check(&outcome, expected, false));
   for (int all = 0; all < 2; all++) {
      unsigned runs = 0, incomplete = 0, failed;
      do {
         unlink(PATH);
         failed = run(options, ++runs, all, &outcome);
         incomplete += check(&outcome, expected, all);
         assert_int_equal(test_host.live, before);
      } while (failed && runs < MOST_RUNS);
      assert_true(runs < MOST_RUNS && incomplete > 15);
   }
   unlink(PATH);
}

static void
submissions(void **state)
{
   (void)state;
   try_all(",submission=1,count=4", 0x1e);
}

/* What was captured until the first frame ended is dropped. */
static void
frames(void **state)
{
   (void)state;
   try_all(",frame=1", 0x18);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(submissions),
      cmocka_unit_test(frames),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
