/* SPDX-License-Identifier: MIT */
/*
 * A host that fails while a recording is written or read - its memory, its disk, zstd's own memory
 * -, each request alone and with all after it: what is said to be written can be read, what is read
 * is right, all else is an error that names the file; all is freed. And indexes that lie.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zstd.h>

#include "clipfree/base/test_failing_host.h"
#include "clipfree/timing/cf_sim_check.h"
#include "clipfree/timing/cf_sim_file.h"
#include "clipfree/timing/test_gpu.h"

#define PATH "clipfree-test-file-faults"
#define CHUNKS 2
#define FILE_B (1 << 16)
#define MOST_RUNS 1000

/* ------------------------------------------------------------------ files and zstd fail, too */

#define WRAP(type, name, parameters, arguments, failed)                                            \
   type __real_##name parameters;                                                                  \
   type __wrap_##name parameters;                                                                  \
   type __wrap_##name parameters                                                                   \
   {                                                                                               \
      return test_host_grants() ? __real_##name arguments : failed;                                \
   }

WRAP(FILE *, fopen64, (const char *path, const char *mode), (path, mode), NULL)
WRAP(size_t, fwrite, (const void *data, size_t size_B, size_t count, FILE *file),
     (data, size_B, count, file), 0)
WRAP(size_t, fread, (void *data, size_t size_B, size_t count, FILE *file),
     (data, size_B, count, file), 0)
WRAP(int, fseek, (FILE * file, long at_B, int whence), (file, at_B, whence), -1)
WRAP(long, ftell, (FILE * file), (file), -1)
WRAP(int, fstat64, (int file, struct stat *status), (file, status), -1)
WRAP(size_t, ZSTD_compress2,
     (ZSTD_CCtx * zstd, void *to, size_t room_B, const void *from, size_t size_B),
     (zstd, to, room_B, from, size_B), (size_t)-1)

ZSTD_CCtx *__real_ZSTD_createCCtx(void);
ZSTD_DCtx *__real_ZSTD_createDCtx(void);
size_t __real_ZSTD_freeCCtx(ZSTD_CCtx *zstd);
size_t __real_ZSTD_freeDCtx(ZSTD_DCtx *zstd);
ZSTD_CCtx *__wrap_ZSTD_createCCtx(void);
ZSTD_DCtx *__wrap_ZSTD_createDCtx(void);
size_t __wrap_ZSTD_freeCCtx(ZSTD_CCtx *zstd);
size_t __wrap_ZSTD_freeDCtx(ZSTD_DCtx *zstd);

ZSTD_CCtx *
__wrap_ZSTD_createCCtx(void)
{
   ZSTD_CCtx *zstd = test_host_grants() ? __real_ZSTD_createCCtx() : NULL;
   test_host.live += zstd != NULL;
   return zstd;
}

ZSTD_DCtx *
__wrap_ZSTD_createDCtx(void)
{
   ZSTD_DCtx *zstd = test_host_grants() ? __real_ZSTD_createDCtx() : NULL;
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
__wrap_ZSTD_freeDCtx(ZSTD_DCtx *zstd)
{
   test_host.live -= zstd != NULL;
   return __real_ZSTD_freeDCtx(zstd);
}

/* ------------------------------------------------------------------ recordings */

struct recording {
   uint8_t bytes[FILE_B];
   size_t size_B;
};

static void
make_chunks(struct cf_sim_chunk chunk[CHUNKS])
{
   for (uint32_t i = 0; i < CHUNKS; i++) {
      struct made_frame frame = made_frame_default();
      frame.primitives += i;
      make_frame(&chunk[i], &frame);
   }
}

static void
free_chunks(struct cf_sim_chunk chunk[CHUNKS])
{
   for (uint32_t i = 0; i < CHUNKS; i++)
      cf_sim_chunk_free(&chunk[i]);
}

/* Write chunks; what is in the file then. Whether all is said to be there. */
static bool
write_chunks(const struct cf_sim_chunk *chunk, uint32_t chunks, struct recording *recording)
{
   FILE *file = tmpfile();
   assert_non_null(file);
   test_host.paused = false;
   struct cf_sim_writer *writer = cf_sim_writer_open(file);
   bool ok = writer != NULL;
   for (uint32_t i = 0; writer && i < chunks; i++) {
      const bool put = cf_sim_writer_put(writer, &chunk[i]);
      assert_true(ok || !put); /* what follows a failure fails */
      ok = put;
   }
   ok = writer && cf_sim_writer_close(writer) && ok;
   test_host.paused = true;
   rewind(file);
   recording->size_B = fread(recording->bytes, 1, FILE_B, file);
   fclose(file);
   return ok;
}

static void
put_file(const struct recording *recording)
{
   FILE *file = fopen(PATH, "wb");
   assert_non_null(file);
   assert_int_equal(fwrite(recording->bytes, 1, recording->size_B, file), recording->size_B);
   fclose(file);
}

static void
assert_same(const struct cf_sim_chunk *a, const struct cf_sim_chunk *b)
{
   assert_true(a->ops == b->ops && a->textures == b->textures && a->vertices == b->vertices &&
               a->primitives == b->primitives && a->codes == b->codes);
   assert_memory_equal(a->op, b->op, a->ops * sizeof(a->op[0]));
   assert_memory_equal(a->vertex, b->vertex, a->vertices * sizeof(a->vertex[0]));
   assert_memory_equal(a->code, b->code, a->codes * sizeof(a->code[0]));
   for (uint32_t i = 0; i < CF_SIM_TILES; i++) {
      assert_int_equal(a->tile[i].count, b->tile[i].count);
      if (a->tile[i].count)
         assert_memory_equal(a->tile[i].dw, b->tile[i].dw, 4 * a->tile[i].count);
   }
}

/* Read the file, its index first or not, into a chunk that has arrays of its own, or none yet.
 * Whether all chunks were there, each as it was; else the error says so. */
static bool
read_into(const struct cf_sim_chunk *chunk, bool empty, bool by_index, char error[CF_SIM_ERROR_B])
{
   struct cf_sim_chunk got[CHUNKS];
   const struct cf_sim_place_in_file *index;
   uint32_t chunks = 0, count = CHUNKS;
   int found = -1;
   make_chunks(got);
   if (empty) {
      cf_sim_chunk_free(&got[0]);
      assert_true(cf_sim_chunk_init(&got[0]));
   }
   error[0] = 0;
   test_host.paused = false;
   struct cf_sim_reader *reader = cf_sim_reader_open(PATH, error);
   bool ok = reader && (!by_index || cf_sim_reader_index(reader, &index, &count, error));
   if (ok && by_index)
      cf_sim_reader_seek(reader, 0);
   while (ok && (found = cf_sim_reader_next(reader, &got[0], error)) > 0) {
      test_host.paused = true;
      assert_same(&got[0], &chunk[chunks++]);
      test_host.paused = false;
   }
   if (ok && found == 0) /* the end stays the end */
      assert_int_equal(cf_sim_reader_next(reader, &got[0], error), 0);
   if (reader)
      cf_sim_reader_close(reader);
   test_host.paused = true;
   free_chunks(got);
   ok = ok && found == 0;
   assert_true(!ok || chunks == CHUNKS);
   assert_int_equal(ok, error[0] == 0);
   assert_true(ok || strncmp(error, PATH ": ", strlen(PATH ": ")) == 0);
   return ok;
}

static bool
read_chunks(const struct cf_sim_chunk *chunk, bool by_index, char error[CF_SIM_ERROR_B])
{
   return read_into(chunk, false, by_index, error);
}

/* ------------------------------------------------------------------ tests */

/* Each request fails while so many chunks are written; more than `least` times that is told. */
static void
write_with_faults(const struct cf_sim_chunk *chunk, uint32_t chunks, unsigned least)
{
   static struct recording expected, recording;
   assert_true(write_chunks(chunk, chunks, &expected));
   const long before = test_host.live;
   for (int all = 0; all < 2; all++) {
      unsigned runs = 0, failures = 0, failed;
      do {
         test_host_arm(++runs, all);
         const bool ok = write_chunks(chunk, chunks, &recording);
         failed = test_host_disarm();
         assert_int_equal(ok, !failed);
         failures += !ok;
         assert_true(!ok || (recording.size_B == expected.size_B &&
                             memcmp(recording.bytes, expected.bytes, expected.size_B) == 0));
         assert_int_equal(test_host.live, before);
      } while (failed && runs < MOST_RUNS);
      assert_true(runs < MOST_RUNS && failures > least);
   }
}

static void
writing(void **state)
{
   (void)state;
   struct cf_sim_chunk chunk[CHUNKS];
   make_chunks(chunk);
   write_with_faults(chunk, CHUNKS, 10);
   write_with_faults(chunk, 0, 5);
   free_chunks(chunk);
}

/* A seek that fails is found where it ends in another chunk. */
static void
reading(void **state)
{
   (void)state;
   static struct recording recording;
   char error[CF_SIM_ERROR_B];
   struct cf_sim_chunk chunk[CHUNKS];
   make_chunks(chunk);
   assert_true(write_chunks(chunk, CHUNKS, &recording));
   put_file(&recording);
   const long before = test_host.live;
   for (int kind = 0; kind < 5; kind++) {
      unsigned runs = 0, failures = 0, failed;
      do {
         test_host_arm(++runs, kind & 1);
         const bool ok = read_into(chunk, kind & 4, kind & 2, error);
         failed = test_host_disarm();
         assert_true(ok || failed);
         failures += !ok;
         assert_int_equal(test_host.live, before);
      } while (failed && runs < MOST_RUNS);
      assert_true(runs < MOST_RUNS && failures > 15);
   }
   unlink(PATH);
   free_chunks(chunk);
}

/* A file is none of ours if it cannot be opened or read, is too short, or begins otherwise. */
static void
what_is_a_recording(void **state)
{
   (void)state;
   static struct recording recording;
   assert_true(write_chunks(NULL, 0, &recording));
   put_file(&recording);
   assert_true(cf_sim_is_recording(PATH));
   test_host.paused = false;
   for (unsigned request = 1; request <= 2; request++) {
      test_host_arm(request, false);
      assert_false(cf_sim_is_recording(PATH));
      test_host_disarm();
   }
   test_host.paused = true;
   recording.bytes[0]++;
   put_file(&recording);
   assert_false(cf_sim_is_recording(PATH));
   recording.bytes[0]--;
   recording.size_B = 19;
   put_file(&recording);
   assert_false(cf_sim_is_recording(PATH));
   unlink(PATH);
}

/* ------------------------------------------------------------------ indexes that lie */

struct tail {
   uint64_t at_B, packed_B; /* of the index */
   uint32_t chunks;
   char text[12];
};

/* The same recording with another index. */
static void
put_index(const struct recording *recording, const struct cf_sim_place_in_file index[CHUNKS])
{
   static struct recording other;
   struct tail tail;
   other = *recording;
   memcpy(&tail, other.bytes + other.size_B - sizeof(tail), sizeof(tail));
   tail.packed_B = ZSTD_compress(other.bytes + tail.at_B, FILE_B - tail.at_B, index,
                                 CHUNKS * sizeof(index[0]), 1);
   assert_false(ZSTD_isError(tail.packed_B));
   memcpy(other.bytes + tail.at_B + tail.packed_B, &tail, sizeof(tail));
   other.size_B = tail.at_B + tail.packed_B + sizeof(tail);
   put_file(&other);
}

static void
indexes_that_lie(void **state)
{
   (void)state;
   static struct recording recording;
   struct cf_sim_chunk chunk[CHUNKS];
   const struct cf_sim_place_in_file *read;
   char error[CF_SIM_ERROR_B];
   uint32_t count;
   make_chunks(chunk);
   assert_true(write_chunks(chunk, CHUNKS, &recording));
   put_file(&recording);
   struct cf_sim_reader *reader = cf_sim_reader_open(PATH, error);
   assert_true(cf_sim_reader_index(reader, &read, &count, error) && count == CHUNKS);
   struct cf_sim_place_in_file index[CHUNKS] = { read[0], read[1] };
   cf_sim_reader_close(reader);
   put_index(&recording, index);
   assert_true(read_chunks(chunk, true, error));
   static const struct {
      uint64_t at_B;
      bool other_features;
      const char *message;
   } cases[] = {
      { 0, false, "names a place that it does not have" },
      { 23, false, "names a place that it does not have" }, /* in the magic */
      { FILE_B, false, "names a place that it does not have" },
      { UINT64_MAX, false, "names a place that it does not have" },
      { 24, true, "submission 0 of the recording: its index says that it has something else" },
   };
   for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      struct cf_sim_place_in_file lies[CHUNKS] = { index[0], index[1] };
      lies[0].at_B = cases[i].at_B;
      *(uint8_t *)&lies[0].features ^= cases[i].other_features;
      put_index(&recording, lies);
      assert_false(read_chunks(chunk, true, error));
      assert_non_null(strstr(error, cases[i].message));
   }
   unlink(PATH);
   free_chunks(chunk);
}

/* ------------------------------------------------------------------ chunks that lie */

#define MAGIC_B 24

struct chunk_head {
   uint32_t numbers[10];
   uint64_t plain_B, packed_B;
};

/* The first chunk of a recording, as it is before it is compressed. */
static struct chunk_head
unpack(const struct recording *recording, uint8_t plain[FILE_B])
{
   struct chunk_head head;
   memcpy(&head, recording->bytes + MAGIC_B, sizeof(head));
   assert_int_equal(
      ZSTD_decompress(plain, FILE_B, recording->bytes + MAGIC_B + sizeof(head), head.packed_B),
      head.plain_B);
   return head;
}

/* Read a recording that has this as its first chunk. What is wrong with it; "": nothing. */
static const char *
read_packed(const struct recording *recording, struct chunk_head head, const uint8_t *plain)
{
   static struct recording other;
   static char error[CF_SIM_ERROR_B];
   error[0] = 0;
   other = *recording;
   head.packed_B = ZSTD_compress(other.bytes + MAGIC_B + sizeof(head),
                                 FILE_B - MAGIC_B - sizeof(head), plain, head.plain_B, 1);
   assert_false(ZSTD_isError(head.packed_B));
   memcpy(other.bytes + MAGIC_B, &head, sizeof(head));
   other.size_B = MAGIC_B + sizeof(head) + head.packed_B;
   put_file(&other);
   struct cf_sim_chunk got;
   assert_true(cf_sim_chunk_init(&got));
   struct cf_sim_reader *reader = cf_sim_reader_open(PATH, error);
   assert_non_null(reader);
   const int found = cf_sim_reader_next(reader, &got, error);
   cf_sim_reader_close(reader);
   cf_sim_chunk_free(&got);
   assert_int_equal(found, error[0] ? -1 : 1);
   return error;
}

#define WRONG_SIZE "its numbers of events do not agree with its size"

/* Tiles that are none, are there twice, or have no records. */
static void
tiles_that_lie(void **state)
{
   (void)state;
   static struct recording recording;
   static uint8_t plain[2 * FILE_B];
   struct cf_sim_chunk chunk[CHUNKS];
   uint32_t number = 0;
   make_chunks(chunk);
   assert_true(write_chunks(chunk, 1, &recording));
   while (!chunk[0].tile[number].count)
      number++; /* the only one */
   const uint32_t count = (uint32_t)chunk[0].tile[number].count;
   const size_t tile_B = 8 + 4 * count;
   struct chunk_head head = unpack(&recording, plain);
   uint8_t *tile = plain + head.plain_B - tile_B;
   const struct {
      uint32_t head[2];
      bool fits;
   } cases[] = {
      { { number, count }, true },        { { CF_SIM_TILES - 1, count }, true },
      { { CF_SIM_TILES, count }, false }, { { UINT32_MAX, count }, false },
      { { number, 0 }, false },           { { number, count + 1 }, false },
      { { number, count - 1 }, false },
   };
   for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      memcpy(tile, cases[i].head, sizeof(cases[i].head));
      const char *error = read_packed(&recording, head, plain);
      assert_int_equal(strstr(error, WRONG_SIZE) == NULL, cases[i].fits);
      assert_true(i > 0 || !error[0]);
   }
   memcpy(tile, cases[0].head, sizeof(cases[0].head));
   memcpy(tile + tile_B, tile, tile_B); /* once more, as another tile or as the same */
   head.plain_B += tile_B;
   head.numbers[8]++;
   for (uint32_t same = 0; same < 2; same++) {
      const uint32_t second = number + !same;
      memcpy(tile + tile_B, &second, sizeof(second));
      const char *error = read_packed(&recording, head, plain);
      assert_int_equal(strstr(error, WRONG_SIZE) != NULL, same);
   }
   unlink(PATH);
   free_chunks(chunk);
}

/* What is read is checked (cf_sim_check.h). */
static void
chunks_that_are_not_well_formed(void **state)
{
   (void)state;
   static struct recording recording;
   static uint8_t plain[FILE_B];
   struct cf_sim_chunk chunk[CHUNKS];
   make_chunks(chunk);
   chunk[0].op[0].samples = 0;
   const char *wrong = cf_sim_check(&chunk[0]);
   assert_non_null(wrong);
   assert_true(write_chunks(chunk, 1, &recording));
   assert_non_null(strstr(read_packed(&recording, unpack(&recording, plain), plain), wrong));
   unlink(PATH);
   free_chunks(chunk);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(writing),
      cmocka_unit_test(reading),
      cmocka_unit_test(what_is_a_recording),
      cmocka_unit_test(indexes_that_lie),
      cmocka_unit_test(tiles_that_lie),
      cmocka_unit_test(chunks_that_are_not_well_formed),
   };
   test_host.paused = true;
   return cmocka_run_group_tests(tests, NULL, NULL);
}
