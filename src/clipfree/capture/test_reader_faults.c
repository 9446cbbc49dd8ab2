/* SPDX-License-Identifier: MIT */
/*
 * A host without memory, and a file that cannot be read any more, while a capture is opened, kept
 * and read: the reader says so, gives no record that the file does not have, and frees all. The
 * linker leads the reader's calls here (--wrap).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zstd.h>

#include "clipfree/capture/cf_capture_notes.h"
#include "clipfree/capture/cf_capture_reader.h"

/* ------------------------------------------------------------------ a host that fails */

enum request { MEMORY, READ, SEEK, REQUESTS };

/* The requests of a kind from one on that fail, or one alone; 0: none. */
static struct {
   unsigned fail_at[REQUESTS], requests[REQUESTS];
   bool all, read_failed;
   long live; /* allocations that are not freed */
} host;

static void
arm(enum request kind, unsigned fail_at, bool all)
{
   memset(host.fail_at, 0, sizeof(host.fail_at));
   memset(host.requests, 0, sizeof(host.requests));
   host.fail_at[kind] = fail_at;
   host.all = all;
   host.read_failed = false;
}

static bool
grants(enum request kind)
{
   const unsigned number = ++host.requests[kind], at = host.fail_at[kind];
   const bool fails = at && (host.all ? number >= at : number == at);
   if (fails)
      errno = kind == MEMORY ? ENOMEM : EIO;
   return !fails;
}

/* Whether a request of the kind has failed since arm(). */
static bool
has_failed(enum request kind)
{
   return host.fail_at[kind] && host.requests[kind] >= host.fail_at[kind];
}

static void *
count(void *memory)
{
   host.live += memory != NULL;
   return memory;
}

void *__real_malloc(size_t size_B);
void *__real_calloc(size_t count, size_t size_B);
void *__real_realloc(void *memory, size_t size_B);
char *__real_strdup(const char *text);
void __real_free(void *memory);
ZSTD_DCtx *__real_ZSTD_createDCtx(void);
size_t __real_ZSTD_freeDCtx(ZSTD_DCtx *zstd);
size_t __real_fread(void *data, size_t size_B, size_t elements, FILE *file);
int __real_ferror(FILE *file);
int __real_fseek(FILE *file, long offset_B, int whence);
void *__wrap_malloc(size_t size_B);
void *__wrap_calloc(size_t elements, size_t size_B);
void *__wrap_realloc(void *memory, size_t size_B);
char *__wrap_strdup(const char *text);
void __wrap_free(void *memory);
ZSTD_DCtx *__wrap_ZSTD_createDCtx(void);
size_t __wrap_ZSTD_freeDCtx(ZSTD_DCtx *zstd);
size_t __wrap_fread(void *data, size_t size_B, size_t elements, FILE *file);
int __wrap_ferror(FILE *file);
int __wrap_fseek(FILE *file, long offset_B, int whence);

void *
__wrap_malloc(size_t size_B)
{
   return grants(MEMORY) ? count(__real_malloc(size_B)) : NULL;
}

void *
__wrap_calloc(size_t elements, size_t size_B)
{
   return grants(MEMORY) ? count(__real_calloc(elements, size_B)) : NULL;
}

void *
__wrap_realloc(void *memory, size_t size_B)
{
   if (!grants(MEMORY))
      return NULL;
   void *grown = __real_realloc(memory, size_B);
   host.live += grown && !memory;
   return grown;
}

char *
__wrap_strdup(const char *text)
{
   return grants(MEMORY) ? count(__real_strdup(text)) : NULL;
}

void
__wrap_free(void *memory)
{
   host.live -= memory != NULL;
   __real_free(memory);
}

ZSTD_DCtx *
__wrap_ZSTD_createDCtx(void)
{
   return grants(MEMORY) ? count(__real_ZSTD_createDCtx()) : NULL;
}

size_t
__wrap_ZSTD_freeDCtx(ZSTD_DCtx *zstd)
{
   host.live -= zstd != NULL;
   return __real_ZSTD_freeDCtx(zstd);
}

size_t
__wrap_fread(void *data, size_t size_B, size_t elements, FILE *file)
{
   if (grants(READ))
      return __real_fread(data, size_B, elements, file);
   host.read_failed = true;
   return 0;
}

int
__wrap_ferror(FILE *file)
{
   return host.read_failed || __real_ferror(file);
}

int
__wrap_fseek(FILE *file, long offset_B, int whence)
{
   return grants(SEEK) ? __real_fseek(file, offset_B, whence) : -1;
}

/* ------------------------------------------------------------------ captures */

#define PATH "clipfree-test-reader-faults"
#define PAGE_B 4096u
/* More than the first that cf_capture_keep asks for. */
#define LONG_B ((size_t)17 << 20)

static const uint8_t *zeros; /* LONG_B bytes */

static void
put_frame(FILE *file, const void *data, size_t size_B)
{
   ZSTD_CCtx *zstd = ZSTD_createCCtx();
   ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
   const size_t bound_B = ZSTD_compressBound(size_B);
   void *frame = malloc(bound_B);
   const size_t frame_B = ZSTD_compress2(zstd, frame, bound_B, data, size_B);
   assert_false(ZSTD_isError(frame_B));
   assert_int_equal(fwrite(frame, 1, frame_B, file), frame_B);
   free(frame);
   ZSTD_freeCCtx(zstd);
}

/* A capture of memory, all zeros, a submission and its end; compressed it is one frame. */
static void
write_capture(bool compressed, size_t memory_B)
{
   const struct cf_capture_record memory = { CF_CAPTURE_MEMORY, 0, PAGE_B, memory_B };
   const struct cf_capture_record submit = { CF_CAPTURE_SUBMIT, 0, PAGE_B, 64 };
   const struct cf_capture_record end = { .kind = CF_CAPTURE_END };
   const size_t size_B = memory_B + 3 * sizeof(memory);
   uint8_t *records = calloc(1, size_B);
   assert_non_null(records);
   memcpy(records, &memory, sizeof(memory));
   memcpy(records + sizeof(memory) + memory_B, &submit, sizeof(submit));
   memcpy(records + size_B - sizeof(end), &end, sizeof(end));
   FILE *file = fopen(PATH, "wb");
   assert_non_null(file);
   fputs(compressed ? CF_CAPTURE_MAGIC : CF_CAPTURE_MAGIC_PLAIN, file);
   if (compressed)
      put_frame(file, records, size_B);
   else
      assert_int_equal(fwrite(records, 1, size_B, file), size_B);
   fclose(file);
   free(records);
}

static char error[CF_CAPTURE_ERROR_B];

static struct cf_capture_reader *
open_capture(void)
{
   error[0] = 0;
   return cf_capture_open(PATH, error, sizeof(error));
}

/* Reads to the end, or to the first fault. Returns the last answer; what was read is right. */
static int
read_all(struct cf_capture_reader *reader, size_t memory_B)
{
   struct cf_capture_record record;
   const uint8_t *payload;
   uint64_t read_B = 0, submissions = 0;
   int found;
   while ((found = cf_capture_next(reader, &record, &payload, error, sizeof(error))) > 0) {
      if (record.kind == CF_CAPTURE_MEMORY) {
         assert_int_equal(record.address, PAGE_B + read_B);
         assert_memory_equal(payload, zeros, record.size_B);
         read_B += record.size_B;
      }
      submissions += record.kind == CF_CAPTURE_SUBMIT;
   }
   assert_true(found < 0 || (read_B == memory_B && submissions == 1));
   return found;
}

/* ------------------------------------------------------------------ tests */

#define MOST_RUNS 100

/* Each allocation fails while a capture is opened, alone and with all after it. */
static void
no_memory_to_open(void **state)
{
   for (int compressed = 0; compressed < 2; compressed++) {
      write_capture(compressed, PAGE_B);
      const long before = host.live;
      for (int all = 0; all < 2; all++) {
         unsigned run = 1;
         for (; run < MOST_RUNS; run++) {
            arm(MEMORY, run, all);
            struct cf_capture_reader *reader = open_capture();
            const bool failed = has_failed(MEMORY);
            arm(MEMORY, 0, false);
            if (!failed) {
               assert_non_null(reader);
               cf_capture_close(reader);
               break;
            }
            assert_null(reader);
            assert_non_null(strstr(error, PATH ": out of memory"));
            assert_int_equal(host.live, before);
         }
         assert_in_range(run, 5, MOST_RUNS - 1);
      }
      assert_int_equal(host.live, before);
   }
   unlink(PATH);
}

/* Records that cannot be kept, at first or when room for them grows, are read from the file. */
static void
no_memory_to_keep(void **state)
{
   for (int compressed = 0; compressed < 2; compressed++) {
      write_capture(compressed, LONG_B);
      for (unsigned run = 1; run <= 3; run++) {
         const long before = host.live;
         struct cf_capture_reader *reader = open_capture();
         assert_non_null(reader);
         const long opened = host.live;
         arm(MEMORY, run, true);
         cf_capture_keep(reader);
         assert_int_equal(has_failed(MEMORY), run < 3);
         arm(MEMORY, 0, false);
         assert_int_equal(host.live, opened + (run == 3));
         for (int round = 0; round < 2; round++) {
            assert_int_equal(read_all(reader, LONG_B), 0);
            cf_capture_rewind(reader);
         }
         cf_capture_close(reader);
         assert_int_equal(host.live, before);
      }
   }
   unlink(PATH);
}

/* Each read fails while a capture is opened. */
static void
no_read_to_open(void **state)
{
   for (int compressed = 0; compressed < 2; compressed++) {
      write_capture(compressed, PAGE_B);
      const long before = host.live;
      unsigned run = 1;
      for (; run < MOST_RUNS; run++) {
         arm(READ, run, true);
         struct cf_capture_reader *reader = open_capture();
         const bool failed = has_failed(READ);
         arm(READ, 0, false);
         if (!failed) {
            assert_non_null(reader);
            cf_capture_close(reader);
            break;
         }
         assert_null(reader);
         assert_non_null(strstr(error, strerror(EIO)));
         assert_int_equal(host.live, before);
      }
      assert_in_range(run, compressed ? 3 : 5, MOST_RUNS - 1);
   }
   unlink(PATH);
}

/* Reads that fail later are told, by keeping nothing and by the record that lacks its bytes. */
static void
no_read_later(void **state)
{
   for (int compressed = 0; compressed < 2; compressed++) {
      write_capture(compressed, PAGE_B);
      struct cf_capture_reader *reader = open_capture();
      assert_non_null(reader);
      const long opened = host.live;
      arm(READ, 1, true);
      cf_capture_keep(reader);
      assert_int_equal(host.live, opened);
      assert_int_equal(read_all(reader, PAGE_B), -1);
      assert_non_null(strstr(error, strerror(EIO)));
      arm(READ, 0, false);
      cf_capture_rewind(reader);
      assert_int_equal(read_all(reader, PAGE_B), 0);
      cf_capture_close(reader);
   }
   unlink(PATH);
}

/* Where a file cannot begin anew, no record is read from where it was; kept ones need no file. */
static void
no_seek(void **state)
{
   for (int compressed = 0; compressed < 2; compressed++) {
      write_capture(compressed, PAGE_B);
      struct cf_capture_reader *reader = open_capture();
      assert_non_null(reader);
      struct cf_capture_record record;
      const uint8_t *payload;
      assert_int_equal(cf_capture_next(reader, &record, &payload, error, sizeof(error)), 1);
      arm(SEEK, 1, true);
      cf_capture_rewind(reader);
      assert_int_equal(read_all(reader, PAGE_B), -1);
      assert_non_null(strstr(error, "record at byte"));
      assert_non_null(strstr(error, strerror(EIO)));
      arm(SEEK, 0, false);
      cf_capture_keep(reader);
      arm(SEEK, 1, true);
      for (int round = 0; round < 2; round++) {
         assert_int_equal(read_all(reader, PAGE_B), 0);
         cf_capture_rewind(reader);
      }
      arm(SEEK, 0, false);
      cf_capture_close(reader);
   }
   unlink(PATH);
}

/* A file that ends in the checksum of its frame has all bytes of the frame. */
static void
no_checksum(void **state)
{
   write_capture(true, PAGE_B);
   FILE *file = fopen(PATH, "rb");
   assert_non_null(file);
   assert_int_equal(fseek(file, 0, SEEK_END), 0);
   const long size_B = ftell(file);
   fclose(file);
   for (long cut_B = 1; cut_B <= 4; cut_B++) {
      assert_int_equal(truncate(PATH, size_B - cut_B), 0);
      struct cf_capture_reader *reader = open_capture();
      assert_non_null(reader);
      assert_int_equal(cf_capture_submissions(reader), 1);
      assert_int_equal(read_all(reader, PAGE_B), 0);
      cf_capture_close(reader);
   }
   unlink(PATH);
}

/* Notes without memory for them are left out, and others stay. */
static void
no_memory_for_notes(void **state)
{
   struct cf_capture_notes notes = { 0 };
   const long before = host.live;
   for (unsigned run = 1; run <= 2; run++) {
      arm(MEMORY, run, false);
      cf_capture_notes_put(&notes, PAGE_B, "lost", 4);
      assert_true(has_failed(MEMORY));
      assert_int_equal(notes.count, 0);
      assert_int_equal(host.live, before);
   }
   arm(MEMORY, 0, false);
   cf_capture_notes_put(&notes, PAGE_B, "first", 5);
   arm(MEMORY, 1, false);
   cf_capture_notes_put(&notes, 2 * PAGE_B, "lost", 4);
   arm(MEMORY, 0, false);
   assert_int_equal(notes.count, 1);
   assert_int_equal(notes.note[0].size_B, 5);
   assert_memory_equal(notes.note[0].data, "first", 5);
   cf_capture_notes_free(&notes);
   assert_int_equal(host.live, before);
}

int
main(void)
{
   zeros = calloc(1, LONG_B);
   assert_non_null(zeros);
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_memory_to_open),
      cmocka_unit_test(no_memory_to_keep),
      cmocka_unit_test(no_read_to_open),
      cmocka_unit_test(no_read_later),
      cmocka_unit_test(no_seek),
      cmocka_unit_test(no_checksum),
      cmocka_unit_test(no_memory_for_notes),
   };
   const int failed = cmocka_run_group_tests(tests, NULL, NULL);
   free((void *)zeros);
   return failed;
}
