/* SPDX-License-Identifier: MIT */
/*
 * The reader gives back the records that a file holds, and refuses files that are no captures, or
 * damaged, with a message that names the place.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zstd.h>

#include "clipfree/base/test_random.h"
#include "clipfree/capture/cf_capture_reader.h"

#define PAGE_B 4096u
#define HEAD_B sizeof(struct cf_capture_record)

/* A file in the making. */
struct written {
   uint8_t *data;
   size_t size_B;
};

static void
append(struct written *file, const void *data, size_t size_B)
{
   file->data = realloc(file->data, file->size_B + size_B + 1);
   assert_non_null(file->data);
   memcpy(file->data + file->size_B, data, size_B);
   file->size_B += size_B;
}

static void
append_record(struct written *file, struct cf_capture_record record, const uint8_t *payload)
{
   append(file, &record, sizeof(record));
   if (payload)
      append(file, payload, record.size_B);
}

#define PATH_B 64

static void
put(const struct written *file, char path[PATH_B])
{
   snprintf(path, PATH_B, "clipfree-test-reader-XXXXXX");
   const int fd = mkstemp(path);
   assert_true(fd >= 0);
   assert_int_equal(write(fd, file->data, file->size_B), file->size_B);
   close(fd);
}

/* Open the file, which is no capture. Its message is in `error`. */
static void
refused(const struct written *file, char error[CF_CAPTURE_ERROR_B])
{
   char path[PATH_B];
   put(file, path);
   error[0] = 0;
   assert_null(cf_capture_open(path, error, CF_CAPTURE_ERROR_B));
   assert_non_null(strstr(error, path));
   unlink(path);
}

#define MAGIC_B (sizeof(CF_CAPTURE_MAGIC) - 1)

/* The same records compressed, in zstd frames of `frame_B` bytes. */
static struct written
compressed(const struct written *plain, size_t frame_B)
{
   struct written file = { 0 };
   append(&file, CF_CAPTURE_MAGIC, MAGIC_B);
   ZSTD_CCtx *zstd = ZSTD_createCCtx();
   ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
   uint8_t *frame = malloc(ZSTD_compressBound(frame_B));
   for (size_t at = MAGIC_B; at < plain->size_B; at += frame_B) {
      const size_t left_B = plain->size_B - at;
      const size_t size_B = ZSTD_compress2(zstd, frame, ZSTD_compressBound(frame_B),
                                           plain->data + at, left_B < frame_B ? left_B : frame_B);
      assert_false(ZSTD_isError(size_B));
      append(&file, frame, size_B);
   }
   ZSTD_freeCCtx(zstd);
   free(frame);
   return file;
}

static uint8_t *
random_bytes(struct cf_random *random, size_t size_B)
{
   uint8_t *bytes = malloc(size_B + 1);
   assert_non_null(bytes);
   for (size_t i = 0; i < size_B; i++)
      bytes[i] = (uint8_t)cf_random_u64(random);
   return bytes;
}

struct expected {
   struct cf_capture_record record;
   uint8_t *payload;
};

/* Read the record that is expected, in pieces if it is long. */
static void
expect(struct cf_capture_reader *reader, const struct expected *expected)
{
   char error[CF_CAPTURE_ERROR_B];
   uint64_t read_B = 0;
   const bool has_payload = expected->record.kind != CF_CAPTURE_SUBMIT;
   do {
      struct cf_capture_record record;
      const uint8_t *payload;
      assert_int_equal(cf_capture_next(reader, &record, &payload, error, sizeof(error)), 1);
      assert_int_equal(record.kind, expected->record.kind);
      assert_int_equal(record.number, expected->record.number);
      assert_int_equal(record.address, expected->record.address + read_B);
      assert_true(record.size_B <= expected->record.size_B - read_B);
      if (has_payload && record.size_B > 0)
         assert_memory_equal(payload, expected->payload + read_B, record.size_B);
      read_B += record.size_B;
   } while (read_B < expected->record.size_B);
}

#define RECORDS 40

/* Records of all kinds and of random sizes, with some that are longer than a piece. */
static void
make_records(struct expected expected[RECORDS], struct cf_random *random, struct written *file)
{
   append(file, CF_CAPTURE_MAGIC_PLAIN, MAGIC_B);
   for (unsigned i = 0; i < RECORDS; i++) {
      struct cf_capture_record record = {
         .kind = i == 0 ? CF_CAPTURE_SUBMIT : 1 + (uint32_t)(cf_random_u64(random) % 4),
         .address = CF_CAPTURE_FIRST_ADDRESS + 4 * (cf_random_u64(random) % PAGE_B),
         .size_B = 4 * (cf_random_u64(random) % PAGE_B),
      };
      if (record.kind == CF_CAPTURE_FRAME)
         record.number = (uint32_t)cf_random_u64(random);
      if (i == RECORDS - 1) /* what follows the last submission of an incomplete file is left out */
         record.kind = CF_CAPTURE_SUBMIT;
      if (i == 1 || i == 2)
         record = (struct cf_capture_record){ .kind = CF_CAPTURE_MEMORY,
                                              .address = CF_CAPTURE_FIRST_ADDRESS,
                                              .size_B = i * CF_CAPTURE_MAX_NOTE_B + i - 1 };
      expected[i] = (struct expected){ record, random_bytes(random, record.size_B) };
      append_record(file, record, record.kind == CF_CAPTURE_SUBMIT ? NULL : expected[i].payload);
   }
}

/* Read the file's records, several times. */
static void
read_back(const struct written *file, const struct expected expected[RECORDS], bool complete)
{
   char path[PATH_B], error[CF_CAPTURE_ERROR_B];
   put(file, path);
   struct cf_capture_reader *reader = cf_capture_open(path, error, sizeof(error));
   assert_non_null(reader);
   unsigned submissions = 0;
   uint64_t first = UINT64_MAX, end = 0;
   for (unsigned i = 0; i < RECORDS; i++) {
      const struct cf_capture_record *record = &expected[i].record;
      submissions += record->kind == CF_CAPTURE_SUBMIT;
      if (record->kind != CF_CAPTURE_SUBMIT && record->kind != CF_CAPTURE_MEMORY)
         continue;
      first = record->address < first ? record->address : first;
      end = record->address + record->size_B > end ? record->address + record->size_B : end;
   }
   assert_int_equal(cf_capture_submissions(reader), submissions);
   assert_int_equal(cf_capture_first_address(reader), first);
   assert_int_equal(cf_capture_end_address(reader), end);
   for (int round = 0; round < 5; round++) {
      /* Rewinding in the middle, also of a record in pieces, begins anew; so does keeping. */
      if (round == 3)
         cf_capture_keep(reader);
      for (unsigned i = 0; i < (round == 1 ? RECORDS / 2 : RECORDS); i++)
         expect(reader, &expected[i]);
      struct cf_capture_record record;
      const uint8_t *payload;
      if (round != 1)
         assert_int_equal(cf_capture_next(reader, &record, &payload, error, sizeof(error)), 0);
      cf_capture_rewind(reader);
      for (int i = 0; round == 1 && i < 2; i++)
         assert_int_equal(cf_capture_next(reader, &record, &payload, error, sizeof(error)), 1);
      assert_true(round != 1 || record.kind == CF_CAPTURE_MEMORY);
      cf_capture_rewind(reader);
   }
   assert_int_equal(cf_capture_warning(reader) == NULL, complete);
   cf_capture_close(reader);
   unlink(path);
}

static void
gives_back(void **state)
{
   static const struct cf_capture_record end = { .kind = CF_CAPTURE_END };
   struct cf_random random = cf_random_seed("capture-reader");
   struct written plain = { 0 };
   struct expected expected[RECORDS];
   make_records(expected, &random, &plain);
   read_back(&plain, expected, true);
   for (unsigned i = 0; i < 4; i++) {
      const size_t frame_B = i == 0 ? 1 << 30 : 1 + cf_random_u64(&random) % (1 << 20);
      struct written without_end = compressed(&plain, frame_B);
      read_back(&without_end, expected, false);
      struct written with_end = { 0 };
      append(&with_end, plain.data, plain.size_B);
      append_record(&with_end, end, NULL);
      struct written file = compressed(&with_end, frame_B);
      read_back(&file, expected, true);
      free(with_end.data);
      free(without_end.data);
      free(file.data);
   }
   for (unsigned i = 0; i < RECORDS; i++)
      free(expected[i].payload);
   free(plain.data);
}

static void
other_files(void **state)
{
   static const struct {
      const char *text, *message;
   } cases[] = {
      { "", "is no capture" },
      { "clipfree captu", "is no capture" },
      { "clipfree capture x\n", "is no capture" },
      { "clipfree capture 5 ", "is no capture" },
      { "\x7f"
        "ELF and so on and so on",
        "is no capture" },
      { "clipfree capture 3\n", "version 3; versions 4 and 5 can be read: make it anew" },
      { "clipfree capture 6\n", "version 6" },
      { CF_CAPTURE_MAGIC, "no submission" },
      { CF_CAPTURE_MAGIC_PLAIN, "no submission" },
      { CF_CAPTURE_MAGIC "these are no compressed bytes", "damaged" },
   };
   char error[CF_CAPTURE_ERROR_B];
   for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      struct written file = { 0 };
      append(&file, cases[i].text, strlen(cases[i].text));
      refused(&file, error);
      assert_non_null(strstr(error, cases[i].message));
      free(file.data);
   }
   assert_null(cf_capture_open("no-such-folder/capture", error, sizeof(error)));
   assert_non_null(strstr(error, "No such file"));
   assert_null(cf_capture_open("/", error, sizeof(error)));
   assert_non_null(strstr(error, "cannot read the capture /"));
}

/* A file with a page and a submission, then one record. */
static void
with_record(struct written *file, struct cf_capture_record record, const uint8_t *payload)
{
   static const uint8_t page[PAGE_B];
   *file = (struct written){ 0 };
   append(file, CF_CAPTURE_MAGIC_PLAIN, MAGIC_B);
   append_record(file, (struct cf_capture_record){ CF_CAPTURE_MEMORY, 0, PAGE_B, PAGE_B }, page);
   append_record(file, (struct cf_capture_record){ CF_CAPTURE_SUBMIT, 0, PAGE_B, 64 }, NULL);
   append_record(file, record, payload);
}

/* Heads that say what cannot be. */
static void
malformed_records(void **state)
{
   const uint64_t far = CF_CAPTURE_MAX_ADDRESS;
   const struct {
      struct cf_capture_record record;
      const char *message;
   } cases[] = {
      { { 0, 0, PAGE_B, 0 }, "no such kind" },
      { { 99, 0, PAGE_B, 0 }, "no such kind" },
      { { CF_CAPTURE_SUBMIT, 0, PAGE_B, 2 }, "whole dwords" },
      { { CF_CAPTURE_SUBMIT, 0, PAGE_B + 1, 4 }, "whole dwords" },
      { { CF_CAPTURE_SUBMIT, 0, PAGE_B, 1ull << 32 }, "whole dwords" },
      { { CF_CAPTURE_SUBMIT, 0, PAGE_B - 4, 4 }, "its addresses" },
      { { CF_CAPTURE_SUBMIT, 0, far, 4 }, "its addresses" },
      { { CF_CAPTURE_SUBMIT, 0, far - 4, 8 }, "its addresses" },
      { { CF_CAPTURE_MEMORY, 0, 0, 4 }, "its addresses" },
      { { CF_CAPTURE_MEMORY, 0, far - 4, UINT64_MAX - 3 }, "its addresses" },
      { { CF_CAPTURE_MEMORY, 0, PAGE_B, far - PAGE_B }, "the file ends" },
      { { CF_CAPTURE_FRAME, 0, 0, CF_CAPTURE_MAX_NOTE_B + 1 }, "too long" },
      { { CF_CAPTURE_NOTE, 0, 0, UINT64_MAX }, "too long" },
      { { CF_CAPTURE_NOTE, 0, 0, CF_CAPTURE_MAX_NOTE_B }, "the file ends" },
   };
   char error[CF_CAPTURE_ERROR_B], place[64];
   snprintf(place, sizeof(place), "record at byte %zu (kind", MAGIC_B + 2 * HEAD_B + PAGE_B);
   for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      struct written file;
      with_record(&file, cases[i].record, NULL);
      refused(&file, error);
      assert_non_null(strstr(error, cases[i].message));
      assert_non_null(strstr(error, place));
      if (!strstr(error, "the file ends")) {
         struct written other = compressed(&file, 100);
         refused(&other, error);
         assert_non_null(strstr(error, cases[i].message));
         assert_non_null(strstr(error, place));
         free(other.data);
      }
      free(file.data);
   }
}

/* A file that is not compressed and ends anywhere but between two records is refused. */
static void
cut_off(void **state)
{
   static const uint8_t text[100];
   struct written file;
   char error[CF_CAPTURE_ERROR_B];
   with_record(&file, (struct cf_capture_record){ CF_CAPTURE_NOTE, 0, 0, sizeof(text) }, text);
   const size_t size_B = file.size_B, complete_B = size_B - sizeof(text) - HEAD_B;
   for (file.size_B = complete_B + 1; file.size_B < size_B; file.size_B++) {
      refused(&file, error);
      assert_non_null(strstr(error, file.size_B < complete_B + HEAD_B ? "the file ends in it"
                                                                      : "the file ends before"));
   }
   file.size_B = MAGIC_B + HEAD_B + PAGE_B / 2;
   refused(&file, error);
   assert_non_null(strstr(error, "the file ends before"));
   free(file.data);
}

/* A capture of two submissions, with a zstd frame each as the recorder writes them, and an end. */
static struct written
two_submissions(size_t end_B[3])
{
   static const struct cf_capture_record end = { .kind = CF_CAPTURE_END };
   struct cf_random random = { 1 };
   struct written file = { 0 };
   append(&file, CF_CAPTURE_MAGIC, MAGIC_B);
   for (unsigned i = 0; i < 3; i++) {
      struct written plain = { 0 };
      uint8_t page[150];
      for (unsigned b = 0; b < sizeof(page); b++)
         page[b] = (uint8_t)cf_random_u64(&random);
      append(&plain, CF_CAPTURE_MAGIC_PLAIN, MAGIC_B);
      if (i < 2) {
         append_record(&plain, (struct cf_capture_record){ CF_CAPTURE_MEMORY, 0, PAGE_B, 150 },
                       page);
         append_record(&plain, (struct cf_capture_record){ CF_CAPTURE_SUBMIT, 0, PAGE_B, 64 },
                       NULL);
      } else {
         append_record(&plain, end, NULL);
      }
      struct written frame = compressed(&plain, 1 << 20);
      append(&file, frame.data + MAGIC_B, frame.size_B - MAGIC_B);
      end_B[i] = file.size_B;
      free(frame.data);
      free(plain.data);
   }
   return file;
}

/* Number of records of a file that can be opened; it is `complete`, or not. */
static unsigned
count_records(const struct written *file, unsigned submissions, bool complete)
{
   char path[PATH_B], error[CF_CAPTURE_ERROR_B];
   put(file, path);
   struct cf_capture_reader *reader = cf_capture_open(path, error, sizeof(error));
   assert_non_null(reader);
   assert_int_equal(cf_capture_warning(reader) == NULL, complete);
   assert_int_equal(cf_capture_submissions(reader), submissions);
   struct cf_capture_record record;
   const uint8_t *payload;
   unsigned records = 0;
   int found;
   while ((found = cf_capture_next(reader, &record, &payload, error, sizeof(error))) > 0)
      records++;
   assert_int_equal(found, 0);
   cf_capture_close(reader);
   unlink(path);
   return records;
}

/* A compressed file that ends anywhere has its submissions that are complete. */
static void
incomplete(void **state)
{
   size_t end_B[3];
   char error[CF_CAPTURE_ERROR_B];
   struct written file = two_submissions(end_B);
   assert_int_equal(count_records(&file, 2, true), 4);
   const size_t size_B = file.size_B;
   /* a submission may be known some bytes before the end of its frame: its checksum follows */
   enum { SLACK_B = 8 };
   for (file.size_B = MAGIC_B; file.size_B < end_B[0] - SLACK_B; file.size_B++) {
      refused(&file, error);
      assert_non_null(strstr(error, "no submission"));
   }
   for (file.size_B = end_B[0]; file.size_B < end_B[1] - SLACK_B; file.size_B++)
      assert_int_equal(count_records(&file, 1, false), 2);
   for (file.size_B = end_B[1]; file.size_B < size_B - SLACK_B; file.size_B++)
      assert_int_equal(count_records(&file, 2, false), 4);
   free(file.data);
}

/* No byte of a compressed file may be another one. */
static void
damaged_bytes(void **state)
{
   size_t end_B[3];
   char path[PATH_B], error[CF_CAPTURE_ERROR_B];
   struct written file = two_submissions(end_B);
   for (size_t i = MAGIC_B; i < end_B[2]; i++) {
      file.data[i] ^= 0x55;
      put(&file, path);
      struct cf_capture_reader *reader = cf_capture_open(path, error, sizeof(error));
      if (reader) { /* the head of the frame says that it is longer than the file */
         assert_non_null(cf_capture_warning(reader));
         cf_capture_close(reader);
      } else {
         assert_true(strstr(error, "record at byte") || strstr(error, "no submission"));
         assert_non_null(strstr(error, path));
      }
      unlink(path);
      file.data[i] ^= 0x55;
   }
   free(file.data);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(gives_back),        cmocka_unit_test(other_files),
      cmocka_unit_test(malformed_records), cmocka_unit_test(cut_off),
      cmocka_unit_test(incomplete),        cmocka_unit_test(damaged_bytes),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
