/* SPDX-License-Identifier: MIT */
#include "fuzz_capture.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <zstd.h>

#include "clipfree/capture/cf_capture_reader.h"

#define MAGIC_B (sizeof(CF_CAPTURE_MAGIC) - 1)

struct fuzz_capture
fuzz_capture_of(const uint8_t *data, size_t size_B)
{
   struct fuzz_bytes bytes = { data, size_B };
   struct fuzz_capture in = { .way = (enum fuzz_capture_way)fuzz_below(&bytes, CAPTURE_WAYS) };
   if (in.way == CAPTURE_FRAMES)
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
put_frames(int fd, const struct fuzz_capture *in)
{
   static uint8_t frame[2 * CAPTURE_MOST_B];
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

int
fuzz_capture_file(const struct fuzz_capture *in, char path[CAPTURE_PATH_B])
{
   const int fd = memfd_create("capture", 0);
   if (fd < 0)
      fuzz_fail("there is no memfd");
   if (in->way == CAPTURE_PLAIN)
      put(fd, CF_CAPTURE_MAGIC_PLAIN, MAGIC_B);
   else if (in->way == CAPTURE_FRAMES)
      put(fd, CF_CAPTURE_MAGIC, MAGIC_B);
   if (in->way == CAPTURE_FRAMES)
      put_frames(fd, in);
   else
      put(fd, in->data, in->size_B);
   snprintf(path, CAPTURE_PATH_B, "/proc/self/fd/%d", fd);
   return fd;
}

/* ---- records ---- */

bool
fuzz_capture_has_payload(const struct cf_capture_record *record)
{
   return record->kind == CF_CAPTURE_MEMORY || record->kind == CF_CAPTURE_FRAME ||
          record->kind == CF_CAPTURE_NOTE;
}

unsigned
fuzz_capture_heads(const uint8_t *data, size_t size_B, size_t offsets[], unsigned most)
{
   unsigned count = 0;
   size_t at = 0;
   while (count < most && size_B - at >= CAPTURE_HEAD_B) {
      struct cf_capture_record record;
      memcpy(&record, data + at, CAPTURE_HEAD_B);
      offsets[count++] = at;
      const uint64_t payload_B = fuzz_capture_has_payload(&record) ? record.size_B : 0;
      if (payload_B > size_B - at - CAPTURE_HEAD_B)
         break;
      at += CAPTURE_HEAD_B + payload_B;
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
   const unsigned count = fuzz_capture_heads(data, size_B, offsets, 63);
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
      memcpy(&record, data + at, CAPTURE_HEAD_B);
      change_head(random, &record);
      memcpy(data + at, &record, CAPTURE_HEAD_B);
      return size_B;
   }
}

size_t
fuzz_capture_mutate(struct cf_random *random, uint8_t *data, size_t size_B, size_t max_B)
{
   const struct fuzz_capture in = fuzz_capture_of(data, size_B);
   const size_t head_B = (size_t)(in.data - data);
   if (in.way == CAPTURE_BYTES || cf_random_below(random, 4) == 0)
      return LLVMFuzzerMutate(data, size_B, max_B);
   if (cf_random_below(random, 16) == 0)
      data[0] = (uint8_t)(in.way == CAPTURE_PLAIN ? CAPTURE_FRAMES : CAPTURE_PLAIN);
   return head_B + change_records(random, data + head_B, size_B - head_B, max_B - head_B);
}

/* ---- seeds ---- */

void
fuzz_capture_append(struct fuzz_capture_seed *seed, const void *data, size_t size_B)
{
   if (size_B > sizeof(seed->data) - seed->size_B)
      fuzz_fail("a seed is too long");
   memcpy(seed->data + seed->size_B, data, size_B);
   seed->size_B += size_B;
}

void
fuzz_capture_append_record(struct fuzz_capture_seed *seed, struct cf_capture_record record,
                           const uint8_t *payload)
{
   static const uint8_t zeros[256];
   fuzz_capture_append(seed, &record, CAPTURE_HEAD_B);
   if (fuzz_capture_has_payload(&record))
      fuzz_capture_append(seed, payload ? payload : zeros, record.size_B);
}
