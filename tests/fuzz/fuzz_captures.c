/* SPDX-License-Identifier: MIT */
/*
 * Captures: the reader on any bytes, and on records that are written as a file with and without
 * compression; of these it must say and give what the description of the file (capture/
 * cf_capture.h) says, which `expect` follows in the plainest way.
 *
 * Input: how it is written (1 byte, enum way), bytes in a zstd frame less one (2 bytes, FRAMES
 * alone), then the file, or its records.
 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <zstd.h>

#include "clipfree/base/test_random.h"
#include "clipfree/capture/cf_capture_reader.h"
#include "clipfree/capture/cf_capture_recorder.h"
#include "clipfree/command/test_scene.h"

#define MAGIC_B (sizeof(CF_CAPTURE_MAGIC) - 1)
#define HEAD_B sizeof(struct cf_capture_record)
#define MOST_B (1u << 16)         /* of an input */
#define MOST_KEPT_B (16ull << 20) /* of records that are kept in memory */

enum way {
   BYTES,  /* the input is the file */
   PLAIN,  /* records of a file that is not compressed */
   FRAMES, /* records that are compressed, in frames of a size */
   WAYS,
};

struct capture_input {
   enum way way;
   size_t frame_B;
   const uint8_t *data;
   size_t size_B;
};

static struct capture_input
input_of(const uint8_t *data, size_t size_B)
{
   struct fuzz_bytes bytes = { data, size_B };
   struct capture_input in = { .way = (enum way)fuzz_below(&bytes, WAYS) };
   if (in.way == FRAMES)
      in.frame_B = 1 + fuzz_take(&bytes, 2);
   in.data = bytes.at;
   in.size_B = bytes.left_B;
   return in;
}

/* ---- files ---- */

static void
put(int fd, const void *data, size_t size_B)
{
   if (write(fd, data, size_B) != (ssize_t)size_B)
      fuzz_fail("cannot write the input's file");
}

static void
put_frames(int fd, const struct capture_input *in)
{
   static uint8_t frame[2 * MOST_B];
   static ZSTD_CCtx *zstd;
   zstd = zstd ? zstd : ZSTD_createCCtx();
   ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
   ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, 1);
   for (size_t at = 0; at < in->size_B; at += in->frame_B) {
      const size_t left_B = in->size_B - at, part_B = left_B < in->frame_B ? left_B : in->frame_B;
      const size_t size_B = ZSTD_compress2(zstd, frame, sizeof(frame), in->data + at, part_B);
      if (ZSTD_isError(size_B))
         fuzz_fail("zstd: %s", ZSTD_getErrorName(size_B));
      put(fd, frame, size_B);
   }
}

static int
file_of(const struct capture_input *in)
{
   const int fd = memfd_create("capture", 0);
   if (fd < 0)
      fuzz_fail("there is no memfd");
   if (in->way == PLAIN)
      put(fd, CF_CAPTURE_MAGIC_PLAIN, MAGIC_B);
   else if (in->way == FRAMES)
      put(fd, CF_CAPTURE_MAGIC, MAGIC_B);
   if (in->way == FRAMES)
      put_frames(fd, in);
   else
      put(fd, in->data, in->size_B);
   return fd;
}

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
has_payload(const struct cf_capture_record *record)
{
   return record->kind == CF_CAPTURE_MEMORY || record->kind == CF_CAPTURE_FRAME ||
          record->kind == CF_CAPTURE_NOTE;
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
expect(const struct capture_input *in)
{
   const bool plain = in->way == PLAIN;
   struct expected e = { .warns = !plain, .first_address = UINT64_MAX };
   struct cf_capture_record record;
   size_t at = 0;
   bool cut = false;
   while (at < in->size_B && !(cut = in->size_B - at < HEAD_B)) {
      memcpy(&record, in->data + at, HEAD_B);
      if (!is_allowed(&record))
         return (struct expected){ .opens = false };
      if (record.kind == CF_CAPTURE_END) {
         e.warns = false;
         break;
      }
      const uint64_t payload_B = has_payload(&record) ? record.size_B : 0;
      if ((cut = payload_B > in->size_B - at - HEAD_B))
         break;
      at += HEAD_B + payload_B;
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
      if ((payload != NULL) != has_payload(&record))
         fuzz_fail("a record of kind %u has a payload, or has none", record.kind);
      const uint64_t payload_B = payload ? record.size_B : 0;
      hash = hash * 31 + fuzz_hash((const uint8_t *)&record, HEAD_B);
      hash = hash * 31 + (payload ? fuzz_hash(payload, payload_B) : 0);
      *size_B += HEAD_B + payload_B;
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
      memcpy(&record, data + at, HEAD_B);
      const uint64_t payload_B = has_payload(&record) ? record.size_B : 0;
      hash = hash * 31 + fuzz_hash(data + at, HEAD_B);
      hash = hash * 31 + (has_payload(&record) ? fuzz_hash(data + at + HEAD_B, payload_B) : 0);
      at += HEAD_B + payload_B;
   }
   return hash;
}

static void
compare(const struct capture_input *in, struct cf_capture_reader *reader, const char *error)
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
   const struct capture_input in = input_of(data, size_B < MOST_B ? size_B : MOST_B);
   char path[64], error[CF_CAPTURE_ERROR_B] = "";
   uint64_t read_B;
   const int fd = file_of(&in);
   snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
   struct cf_capture_reader *reader = cf_capture_open(path, error, sizeof(error));
   if (!reader && !strstr(error, path))
      fuzz_fail("it is refused without a reason: '%s'", error);
   if (in.way != BYTES)
      compare(&in, reader, error);
   else if (reader)
      read_often(reader, &read_B);
   if (reader)
      cf_capture_close(reader);
   close(fd);
   return 0;
}

/* ---- mutations ---- */

/* Heads of records, as offsets. Returns how many there are, at most `most`. */
static unsigned
find_heads(const uint8_t *data, size_t size_B, size_t offsets[], unsigned most)
{
   unsigned count = 0;
   size_t at = 0;
   while (count < most && size_B - at >= HEAD_B) {
      struct cf_capture_record record;
      memcpy(&record, data + at, HEAD_B);
      offsets[count++] = at;
      const uint64_t payload_B = has_payload(&record) ? record.size_B : 0;
      if (payload_B > size_B - at - HEAD_B)
         break;
      at += HEAD_B + payload_B;
   }
   return count;
}

static void
change_head(struct cf_random *random, struct cf_capture_record *record)
{
   uint64_t *const value = cf_random_below(random, 2) ? &record->address : &record->size_B;
   switch (cf_random_below(random, 7)) {
   case 0:
      record->kind = cf_random_below(random, 7);
      break;
   case 1:
      record->number = cf_random_below(random, 3);
      break;
   case 2:
      *value += cf_random_below(random, 9) - 4ull;
      break;
   case 3:
      *value ^= 1ull << cf_random_below(random, 64);
      break;
   case 4:
      *value = cf_random_u64(random) >> cf_random_below(random, 64);
      break;
   case 5:
      record->address = CF_CAPTURE_MAX_ADDRESS - cf_random_below(random, 9);
      break;
   default:
      record->size_B = CF_CAPTURE_MAX_ADDRESS - record->address + cf_random_below(random, 3) - 1;
   }
}

/* Change a record's head, or leave the record out, or have it twice. Returns the new size. */
static size_t
change_records(struct cf_random *random, uint8_t *data, size_t size_B, size_t max_B)
{
   size_t offsets[64];
   const unsigned count = find_heads(data, size_B, offsets, 63);
   if (count == 0)
      return LLVMFuzzerMutate(data, size_B, max_B);
   const unsigned i = cf_random_below(random, count);
   const size_t at = offsets[i], end = i + 1 < count ? offsets[i + 1] : size_B;
   struct cf_capture_record record;
   switch (cf_random_below(random, 6)) {
   case 0:
      memmove(data + at, data + end, size_B - end);
      return size_B - (end - at);
   case 1:
      if (end - at > max_B - size_B)
         return size_B;
      memmove(data + end, data + at, size_B - at);
      return size_B + (end - at);
   case 2:
      return at + cf_random_below(random, (uint32_t)(end - at));
   default:
      memcpy(&record, data + at, HEAD_B);
      change_head(random, &record);
      memcpy(data + at, &record, HEAD_B);
      return size_B;
   }
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size_B, size_t max_B, unsigned seed)
{
   struct cf_random random = { seed };
   const struct capture_input in = input_of(data, size_B);
   const size_t head_B = (size_t)(in.data - data);
   if (in.way == BYTES || cf_random_below(&random, 4) == 0)
      return LLVMFuzzerMutate(data, size_B, max_B);
   if (cf_random_below(&random, 16) == 0)
      data[0] = (uint8_t)(in.way == PLAIN ? FRAMES : PLAIN);
   return head_B + change_records(&random, data + head_B, size_B - head_B, max_B - head_B);
}

/* ---- seeds ---- */

/* A file in the making. */
struct written {
   uint8_t data[4 * MOST_B];
   size_t size_B;
};

static void
append(struct written *file, const void *data, size_t size_B)
{
   if (size_B > sizeof(file->data) - file->size_B)
      fuzz_fail("a seed is too long");
   memcpy(file->data + file->size_B, data, size_B);
   file->size_B += size_B;
}

static void
append_record(struct written *file, struct cf_capture_record record)
{
   static const uint8_t payload[256];
   append(file, &record, HEAD_B);
   if (has_payload(&record))
      append(file, payload, record.size_B);
}

static void
write_records(const char *folder, const char *name, enum way way, unsigned submissions)
{
   static struct written file;
   file.size_B = 0;
   append(&file, &(uint8_t){ (uint8_t)way }, 1);
   if (way == FRAMES)
      append(&file, &(uint16_t){ 99 }, 2);
   for (unsigned i = 0; i < submissions; i++) {
      append_record(&file,
                    (struct cf_capture_record){ CF_CAPTURE_MEMORY, i % 2, 4096 + 64 * i, 64 });
      append_record(&file, (struct cf_capture_record){ CF_CAPTURE_NOTE, 0, 4096, 20 });
      append_record(&file, (struct cf_capture_record){ CF_CAPTURE_SUBMIT, 0, 4096, 64 });
      append_record(&file, (struct cf_capture_record){ CF_CAPTURE_FRAME, i, 4096, i % 2 * 32 });
   }
   if (submissions != 1)
      append_record(&file, (struct cf_capture_record){ .kind = CF_CAPTURE_END });
   fuzz_write_seed(folder, name, file.data, file.size_B);
}

/* The records of a capture, as far as they have room: memory that has none is left out. */
static void
write_recorded_records(const char *folder, const char *path)
{
   static struct written file;
   char error[CF_CAPTURE_ERROR_B];
   struct cf_capture_record record;
   const uint8_t *payload;
   struct cf_capture_reader *reader = cf_capture_open(path, error, sizeof(error));
   if (!reader)
      fuzz_fail("what was recorded cannot be read: %s", error);
   append(&file, &(uint8_t){ FRAMES }, 1);
   append(&file, &(uint16_t){ 4095 }, 2);
   while (cf_capture_next(reader, &record, &payload, error, sizeof(error)) > 0) {
      const size_t payload_B = payload ? record.size_B : 0;
      if (record.kind == CF_CAPTURE_MEMORY && file.size_B + HEAD_B + payload_B > MOST_B - 1024)
         continue;
      append(&file, &record, HEAD_B);
      if (payload_B > 0)
         append(&file, payload, payload_B);
   }
   append_record(&file, (struct cf_capture_record){ .kind = CF_CAPTURE_END });
   cf_capture_close(reader);
   fuzz_write_seed(folder, "records", file.data, file.size_B);
}

/* A capture as a GPU records it, as bytes and as records. */
static void
write_recorded(const char *folder)
{
   static struct written file;
   static uint8_t bytes[MOST_B - 1];
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
   append(&file, &(uint8_t){ BYTES }, 1);
   append(&file, bytes, fread(bytes, 1, sizeof(bytes), recorded));
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
      const int length = snprintf(text, sizeof(text), "%c%s", BYTES, others[i]);
      fuzz_write_seed(folder, name, text, (size_t)length);
   }
   write_records(folder, "plain", PLAIN, 2);
   write_records(folder, "plain-cut", PLAIN, 1);
   write_records(folder, "frames", FRAMES, 2);
   write_records(folder, "frames-cut", FRAMES, 1);
   write_records(folder, "none", FRAMES, 0);
   write_recorded(folder);
}
