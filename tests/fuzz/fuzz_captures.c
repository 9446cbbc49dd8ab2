/* SPDX-License-Identifier: MIT */
/*
 * Captures: the reader on any bytes, and on records that are written as a file with and without
 * compression; of these it must say and give what the description of the file (capture/
 * cf_capture.h) says, which `expect` follows in the plainest way.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clipfree/capture/cf_capture_reader.h"
#include "clipfree/capture/cf_capture_recorder.h"
#include "clipfree/command/test_scene.h"
#include "fuzz_capture.h"

#define MOST_KEPT_B (16ull << 20) /* of records that are kept in memory */

/* ---- what is expected ---- */

struct expected {
   bool opens, warns;
   unsigned submissions;
   uint64_t first_address, end_address;
   size_t end_B; /* of the records that are given */
};

static bool
is_memory(const struct cf_capture_record *record)
{
   return record->kind == CF_CAPTURE_MEMORY || record->kind == CF_CAPTURE_SUBMIT;
}

static bool
is_allowed(const struct cf_capture_record *record)
{
   if (record->kind == CF_CAPTURE_FRAME || record->kind == CF_CAPTURE_NOTE)
      return record->size_B <= CF_CAPTURE_MAX_NOTE_B;
   if (record->kind == CF_CAPTURE_END)
      return true;
   if (!is_memory(record) || record->address < CF_CAPTURE_FIRST_ADDRESS ||
       record->size_B > CF_CAPTURE_MAX_ADDRESS || record->address >= CF_CAPTURE_MAX_ADDRESS ||
       record->address + record->size_B > CF_CAPTURE_MAX_ADDRESS)
      return false;
   return record->kind == CF_CAPTURE_MEMORY ||
          (record->size_B % 4 == 0 && record->address % 4 == 0 && record->size_B >> 32 == 0);
}

static void
expect_record(struct expected *e, const struct cf_capture_record *record)
{
   e->submissions += record->kind == CF_CAPTURE_SUBMIT;
   if (!is_memory(record))
      return;
   if (record->address < e->first_address)
      e->first_address = record->address;
   if (record->address + record->size_B > e->end_address)
      e->end_address = record->address + record->size_B;
}

/* What the reader says of the records. */
static struct expected
expect(const struct fuzz_capture *in)
{
   const bool plain = in->way == CAPTURE_PLAIN;
   struct expected e = { .warns = !plain, .first_address = UINT64_MAX };
   struct cf_capture_record record;
   size_t at = 0;
   bool cut = false;
   while (at < in->size_B && !(cut = in->size_B - at < CAPTURE_HEAD_B)) {
      memcpy(&record, in->data + at, CAPTURE_HEAD_B);
      if (!is_allowed(&record))
         return (struct expected){ .opens = false };
      if (record.kind == CF_CAPTURE_END) {
         e.warns = false;
         break;
      }
      const uint64_t payload_B = fuzz_capture_has_payload(&record) ? record.size_B : 0;
      if ((cut = payload_B > in->size_B - at - CAPTURE_HEAD_B))
         break;
      at += CAPTURE_HEAD_B + payload_B;
      expect_record(&e, &record);
      if (plain || record.kind == CF_CAPTURE_SUBMIT || record.kind == CF_CAPTURE_FRAME)
         e.end_B = at;
   }
   e.opens = e.submissions > 0 && !(plain && cut);
   return e;
}

/* ---- reading ---- */

/* Read all records, at most `most` of them. Returns a hash of them; *size_B is how many bytes they
 * have. */
static uint64_t
read_all(struct cf_capture_reader *reader, uint64_t most, uint64_t *size_B)
{
   char error[CF_CAPTURE_ERROR_B];
   struct cf_capture_record record;
   const uint8_t *payload;
   uint64_t hash = 0, count = 0;
   int found = 1;
   for (*size_B = 0; count < most; count++) {
      found = cf_capture_next(reader, &record, &payload, error, sizeof(error));
      if (found <= 0)
         break;
      if ((payload != NULL) != fuzz_capture_has_payload(&record))
         fuzz_fail("a record of kind %u has a payload, or has none", record.kind);
      const uint64_t payload_B = payload ? record.size_B : 0;
      hash = hash * 31 + fuzz_hash((const uint8_t *)&record, CAPTURE_HEAD_B);
      hash = hash * 31 + (payload ? fuzz_hash(payload, payload_B) : 0);
      *size_B += CAPTURE_HEAD_B + payload_B;
   }
   if (found < 0)
      fuzz_fail("a checked capture is damaged: %s", error);
   return hash;
}

/* The records are the same each time, also from memory. */
static uint64_t
read_often(struct cf_capture_reader *reader, uint64_t *size_B)
{
   uint64_t again_B, part_B;
   const uint64_t hash = read_all(reader, UINT64_MAX, size_B);
   cf_capture_rewind(reader);
   read_all(reader, 3, &part_B);
   if (*size_B <= MOST_KEPT_B)
      cf_capture_keep(reader);
   else
      cf_capture_rewind(reader);
   if (read_all(reader, UINT64_MAX, &again_B) != hash || again_B != *size_B)
      fuzz_fail("the second time there are other records");
   cf_capture_rewind(reader);
   cf_capture_leave_drawn(reader, true);
   read_all(reader, UINT64_MAX, &again_B);
   if (again_B > *size_B)
      fuzz_fail("more records when some are left out");
   return hash;
}

static uint64_t
hash_of_records(const uint8_t *data, size_t size_B)
{
   uint64_t hash = 0;
   for (size_t at = 0; at < size_B;) {
      struct cf_capture_record record;
      memcpy(&record, data + at, CAPTURE_HEAD_B);
      const uint64_t payload_B = fuzz_capture_has_payload(&record) ? record.size_B : 0;
      hash = hash * 31 + fuzz_hash(data + at, CAPTURE_HEAD_B);
      hash =
         hash * 31 +
         (fuzz_capture_has_payload(&record) ? fuzz_hash(data + at + CAPTURE_HEAD_B, payload_B) : 0);
      at += CAPTURE_HEAD_B + payload_B;
   }
   return hash;
}

static void
compare(const struct fuzz_capture *in, struct cf_capture_reader *reader, const char *error)
{
   const struct expected e = expect(in);
   if (e.opens != (reader != NULL))
      fuzz_fail("it should be %s: %s", e.opens ? "opened" : "refused", error);
   if (!reader)
      return;
   uint64_t size_B;
   const uint64_t hash = read_often(reader, &size_B);
   if (size_B != e.end_B || hash != hash_of_records(in->data, e.end_B))
      fuzz_fail("other records than those of the file");
   if (cf_capture_submissions(reader) != e.submissions ||
       (cf_capture_warning(reader) != NULL) != e.warns)
      fuzz_fail("%u submissions, not %u; or a warning", cf_capture_submissions(reader),
                e.submissions);
   if (cf_capture_first_address(reader) != e.first_address ||
       cf_capture_end_address(reader) != e.end_address)
      fuzz_fail("other addresses than those of the file");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B)
{
   const struct fuzz_capture in =
      fuzz_capture_of(data, size_B < CAPTURE_MOST_B ? size_B : CAPTURE_MOST_B);
   char path[CAPTURE_PATH_B], error[CF_CAPTURE_ERROR_B] = "";
   uint64_t read_B;
   const int fd = fuzz_capture_file(&in, path);
   struct cf_capture_reader *reader = cf_capture_open(path, error, sizeof(error));
   if (!reader && !strstr(error, path))
      fuzz_fail("it is refused without a reason: '%s'", error);
   if (in.way != CAPTURE_BYTES)
      compare(&in, reader, error);
   else if (reader)
      read_often(reader, &read_B);
   if (reader)
      cf_capture_close(reader);
   close(fd);
   return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size_B, size_t max_B, unsigned seed)
{
   struct cf_random random = { seed };
   return fuzz_capture_mutate(&random, data, size_B, max_B);
}

/* ---- seeds ---- */

static void
write_records(const char *folder, const char *name, enum fuzz_capture_way way, unsigned submissions)
{
   static struct fuzz_capture_seed file;
   file.size_B = 0;
   fuzz_capture_append(&file, &(uint8_t){ (uint8_t)way }, 1);
   if (way == CAPTURE_FRAMES)
      fuzz_capture_append(&file, &(uint16_t){ 99 }, 2);
   for (unsigned i = 0; i < submissions; i++) {
      fuzz_capture_append_record(
         &file, (struct cf_capture_record){ CF_CAPTURE_MEMORY, i % 2, 4096 + 64 * i, 64 }, NULL);
      fuzz_capture_append_record(&file, (struct cf_capture_record){ CF_CAPTURE_NOTE, 0, 4096, 20 },
                                 NULL);
      fuzz_capture_append_record(
         &file, (struct cf_capture_record){ CF_CAPTURE_SUBMIT, 0, 4096, 64 }, NULL);
      fuzz_capture_append_record(
         &file, (struct cf_capture_record){ CF_CAPTURE_FRAME, i, 4096, i % 2 * 32 }, NULL);
   }
   if (submissions != 1)
      fuzz_capture_append_record(&file, (struct cf_capture_record){ .kind = CF_CAPTURE_END }, NULL);
   fuzz_write_seed(folder, name, file.data, file.size_B);
}

/* The records of a capture, as far as they have room: memory that has none is left out. */
static void
write_recorded_records(const char *folder, const char *path)
{
   static struct fuzz_capture_seed file;
   char error[CF_CAPTURE_ERROR_B];
   struct cf_capture_record record;
   const uint8_t *payload;
   struct cf_capture_reader *reader = cf_capture_open(path, error, sizeof(error));
   if (!reader)
      fuzz_fail("what was recorded cannot be read: %s", error);
   fuzz_capture_append(&file, &(uint8_t){ CAPTURE_FRAMES }, 1);
   fuzz_capture_append(&file, &(uint16_t){ 4095 }, 2);
   while (cf_capture_next(reader, &record, &payload, error, sizeof(error)) > 0) {
      const size_t payload_B = payload ? record.size_B : 0;
      if (record.kind == CF_CAPTURE_MEMORY &&
          file.size_B + CAPTURE_HEAD_B + payload_B > CAPTURE_MOST_B - 1024)
         continue;
      fuzz_capture_append_record(&file, record, payload);
   }
   fuzz_capture_append_record(&file, (struct cf_capture_record){ .kind = CF_CAPTURE_END }, NULL);
   cf_capture_close(reader);
   fuzz_write_seed(folder, "records", file.data, file.size_B);
}

/* A capture as a GPU records it, as bytes and as records. */
static void
write_recorded(const char *folder)
{
   static struct fuzz_capture_seed file;
   static uint8_t bytes[CAPTURE_MOST_B - 1];
   struct cf_capture_config config = { .start = CF_CAPTURE_AT_SUBMISSION, .count = 2 };
   snprintf(config.path, sizeof(config.path), "%s/recorded", folder);
   struct cf_gpu *gpu =
      cf_capture_create(test_model_of((struct cf_model_config){ .quiet = true }), &config);
   if (!gpu)
      fuzz_fail("a capture cannot be recorded in %s", folder);
   struct test_scene s;
   test_scene_open_on(&s, gpu);
   for (unsigned i = 0; i < 2; i++) {
      test_scene_emit_all(&s);
      s.t.count -= CF_END_DWORDS;
      test_submit(&s.t);
   }
   test_frame_close(&s.t, &s.color, &s.zs);
   write_recorded_records(folder, config.path);
   FILE *recorded = fopen(config.path, "rb");
   if (!recorded)
      fuzz_fail("nothing was recorded in %s", config.path);
   fuzz_capture_append(&file, &(uint8_t){ CAPTURE_BYTES }, 1);
   fuzz_capture_append(&file, bytes, fread(bytes, 1, sizeof(bytes), recorded));
   fclose(recorded);
   fuzz_write_seed(folder, "recorded", file.data, file.size_B);
}

void
fuzz_write_seeds(const char *folder)
{
   static const char *const others[] = { "", CF_CAPTURE_MAGIC, CF_CAPTURE_MAGIC_PLAIN,
                                         "clipfree capture 3\n" };
   for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
      char name[32], text[64];
      snprintf(name, sizeof(name), "bytes-%u", i);
      const int length = snprintf(text, sizeof(text), "%c%s", CAPTURE_BYTES, others[i]);
      fuzz_write_seed(folder, name, text, (size_t)length);
   }
   write_records(folder, "plain", CAPTURE_PLAIN, 2);
   write_records(folder, "plain-cut", CAPTURE_PLAIN, 1);
   write_records(folder, "frames", CAPTURE_FRAMES, 2);
   write_records(folder, "frames-cut", CAPTURE_FRAMES, 1);
   write_records(folder, "none", CAPTURE_FRAMES, 0);
   write_recorded(folder);
}
