/* SPDX-License-Identifier: MIT */
/*
 * Recordings: what is read is what was written; a damaged file is refused; the order of submission
 * is that of a slow sort; samples of quads touch the lines of their texels.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clipfree/base/test_random.h"
#include "clipfree/timing/cf_sim_check.h"
#include "clipfree/timing/cf_sim_file.h"
#include "clipfree/timing/cf_sim_hits.h"
#include "clipfree/timing/cf_sim_order.h"
#include "clipfree/timing/cf_sim_texels.h"

#define OPS 6
#define SIDE_PX 200

static struct cf_random random_state;

static uint32_t
below(uint32_t n)
{
   return cf_random_below(&random_state, n);
}

/* ------------------------------------------------------------------ random traces */

static void *
array_of(size_t count, size_t item_B, size_t *used, size_t *room)
{
   *used = count;
   *room = count + 1;
   return calloc(count + 1, item_B);
}

static void
make_op(struct cf_sim_op *op, uint32_t number)
{
   *op = (struct cf_sim_op){ .number = number,
                             .flags = number == 0 ? CF_SIM_CLEAR : CF_SIM_Z_READ | CF_SIM_Z_WRITE,
                             .width_px = SIDE_PX,
                             .height_px = SIDE_PX,
                             .samples = below(2) ? 4 : 1,
                             .colors = 1,
                             .zs_image = 1,
                             .color_writes = 1,
                             .color_reads = below(2) };
   memset(op->texture, 0xff, sizeof(op->texture));
   memset(op->vertex_texture, 0xff, sizeof(op->vertex_texture));
   op->texture[3] = below(2);
   op->index_buffer = CF_SIM_NONE;
   for (uint32_t i = 0; i < CF_SIM_STAGES; i++)
      op->program[i] = op->constants[i] = CF_SIM_NONE;
}

static void
add_sample(struct cf_sim_tile *tile, uint32_t quads, bool moved)
{
   const uint32_t dwords = moved ? CF_SIM_MOVED_DW : CF_SIM_SAMPLE_DW + 4 * quads;
   uint32_t *dw = cf_sim_tile_room(tile, dwords);
   dw[0] =
      cf_sim_head(CF_SIM_SAMPLE, dwords, 3 | below(3) << 5 | below(2) << 9 | (uint32_t)moved << 10);
   dw[1] = (cf_random_u32(&random_state) | 1) & UINT32_MAX >> (32 - 4 * quads);
   dw[2] = below(9) << 16;
   for (uint32_t i = 3; i < 7; i++)
      dw[i] = cf_random_u32(&random_state);
   /* half of them: all lanes, whose texels lie near each other in a quad, and do not wrap */
   const bool near = below(2);
   uint32_t first = 0;
   if (near) {
      dw[1] = UINT32_MAX >> (32 - 4 * quads);
      dw[5] = dw[6] = 0;
   }
   for (uint32_t i = 7; i < dwords; i++) {
      first = !near ? 0 : i % 2 ? below(60) : first;
      dw[i] = (first + below(near ? 4 : 64)) | (first + below(near ? 4 : 64)) << 16;
   }
   tile->count += dwords;
}

static void
add_texel(struct cf_sim_tile *tile, uint32_t lane)
{
   uint32_t *dw = cf_sim_tile_room(tile, CF_SIM_TEXEL_DW);
   dw[0] = cf_sim_head(CF_SIM_TEXEL, CF_SIM_TEXEL_DW, 3 | 1 << 5);
   dw[1] = lane | 7 << 16;
   dw[2] = below(32) | below(32) << 16;
   dw[3] = 0;
   tile->count += CF_SIM_TEXEL_DW;
}

static void
add_task(struct cf_sim_tile *tile, uint32_t x_px, uint32_t y_px)
{
   const uint32_t quads = 1 + below(8), dwords = CF_SIM_TASK_DW + 2 * quads;
   uint32_t *dw = cf_sim_tile_room(tile, dwords);
   dw[0] = cf_sim_head(CF_SIM_TASK, dwords, quads);
   dw[1] = 1 + below(OPS - 1);
   for (uint32_t i = 2; i < CF_SIM_TASK_DW; i++)
      dw[i] = cf_random_u32(&random_state);
   for (uint32_t q = 0; q < quads; q++) {
      dw[CF_SIM_TASK_DW + 2 * q] = below(300);
      dw[CF_SIM_TASK_DW + 2 * q + 1] = (x_px + 2 * below(32)) | (y_px + 2 * below(32)) << 16;
   }
   tile->count += dwords;
   for (uint32_t n = below(5), i = 0; i < n; i++)
      add_sample(tile, quads, i > 0 && below(2));
   for (uint32_t i = below(3); i > 0; i--) {
      dw = cf_sim_tile_room(tile, CF_SIM_BRANCH_DW + CF_SIM_REFERENCE_DW + 1);
      dw[0] = cf_sim_head(CF_SIM_BRANCH, CF_SIM_BRANCH_DW, 0);
      dw[1] = dw[2] = cf_random_u32(&random_state);
      dw[3] = below(9);
      tile->count += CF_SIM_BRANCH_DW;
      dw += CF_SIM_BRANCH_DW;
      dw[0] = cf_sim_head(CF_SIM_REFERENCE, CF_SIM_REFERENCE_DW + 1, 1);
      dw[1] = cf_random_u32(&random_state);
      dw[2] = dw[3] = below(9);
      tile->count += CF_SIM_REFERENCE_DW + 1;
   }
   for (uint32_t lane = 0; lane < 4 * quads && below(2); lane++)
      add_texel(tile, lane);
}

static void
make_chunk(struct cf_sim_chunk *c)
{
   assert_true(cf_sim_chunk_init(c));
   c->op = array_of(OPS, sizeof(c->op[0]), &c->ops, &c->op_room);
   c->texture = array_of(2, sizeof(c->texture[0]), &c->textures, &c->texture_room);
   c->vertex = array_of(below(50), sizeof(c->vertex[0]), &c->vertices, &c->vertex_room);
   c->primitive = array_of(below(50), sizeof(c->primitive[0]), &c->primitives, &c->primitive_room);
   for (uint32_t i = 0; i < OPS; i++)
      make_op(&c->op[i], i);
   c->texture[0] = (struct cf_sim_texture){ 64, 64, 1, 7, 32 };
   c->texture[1] = (struct cf_sim_texture){ 50, 20, 2, 3, 4 };
   for (size_t i = 0; i < c->vertices; i++)
      c->vertex[i] = (struct cf_sim_vertex){ 1 + (uint32_t)(i / 11), 0, (uint32_t)i, below(9) };
   for (size_t i = 0; i < c->primitives; i++)
      c->primitive[i].op = 1 + (uint32_t)(i / 11);
   for (uint32_t y = 0; y < 3; y++) {
      for (uint32_t x = 0; x < 3; x++) {
         struct cf_sim_tile *tile = cf_sim_chunk_tile(c, y * CF_SIM_TILES_ACROSS + x);
         for (uint32_t i = below(6); i > 0; i--)
            add_task(tile, 64 * x, 64 * y);
         uint32_t *dw = cf_sim_tile_room(tile, 4);
         dw[0] = cf_sim_head(CF_SIM_CLEARED, 4, 1 | 1 << CF_MAX_COLOR_TARGETS);
         dw[1] = 0;
         dw[2] = 64 * x | 64 * y << 16;
         dw[3] = (64 * x + 64) | (64 * y + 64) << 16;
         tile->count += 4;
      }
   }
   assert_null(cf_sim_check(c));
}

static void
assert_same(const struct cf_sim_chunk *a, const struct cf_sim_chunk *b)
{
   assert_true(a->ops == b->ops && a->textures == b->textures && a->vertices == b->vertices &&
               a->primitives == b->primitives);
   assert_memory_equal(a->op, b->op, a->ops * sizeof(a->op[0]));
   assert_memory_equal(a->texture, b->texture, a->textures * sizeof(a->texture[0]));
   for (size_t i = 0; i < a->vertices; i++)
      assert_memory_equal(&a->vertex[i], &b->vertex[i], sizeof(a->vertex[i]));
   for (uint32_t i = 0; i < CF_SIM_TILES; i++) {
      assert_int_equal(a->tile[i].count, b->tile[i].count);
      for (size_t k = 0; k < a->tile[i].count; k++)
         assert_int_equal(a->tile[i].dw[k], b->tile[i].dw[k]);
   }
}

/* ------------------------------------------------------------------ files */

#define CHUNKS 3

static const char *
write_file(const struct cf_sim_chunk *chunk, uint32_t chunks, char path[64])
{
   snprintf(path, 64, "/tmp/clipfree-recording-XXXXXX");
   const int fd = mkstemp(path);
   FILE *file = fdopen(fd, "wb");
   struct cf_sim_writer *writer = cf_sim_writer_open(file);
   assert_non_null(writer);
   for (uint32_t i = 0; i < chunks; i++)
      assert_true(cf_sim_writer_put(writer, &chunk[i]));
   assert_true(cf_sim_writer_close(writer));
   fclose(file);
   return path;
}

/* Read all of it: the number of chunks, or -1, with an error that names the file. */
static int
read_file(const char *path, const struct cf_sim_chunk *chunk)
{
   struct cf_sim_chunk got;
   char error[CF_SIM_ERROR_B] = "";
   int found = -1, chunks = 0;
   assert_true(cf_sim_chunk_init(&got));
   struct cf_sim_reader *reader = cf_sim_reader_open(path, error);
   while (reader && (found = cf_sim_reader_next(reader, &got, error)) > 0) {
      if (chunk)
         assert_same(&chunk[chunks], &got);
      chunks++;
   }
   if (reader)
      cf_sim_reader_close(reader);
   cf_sim_chunk_free(&got);
   assert_true(found == 0 ? error[0] == 0 : strncmp(error, path, strlen(path)) == 0);
   return found == 0 ? chunks : -1;
}

static void
files(void **state)
{
   (void)state;
   struct cf_sim_chunk chunk[CHUNKS];
   char path[64];
   random_state = cf_random_seed("timing files");
   for (uint32_t i = 0; i < CHUNKS; i++)
      make_chunk(&chunk[i]);
   for (uint32_t chunks = 0; chunks <= CHUNKS; chunks++) {
      write_file(chunk, chunks, path);
      assert_true(cf_sim_is_recording(path));
      assert_int_equal(read_file(path, chunk), chunks);
      unlink(path);
   }
   for (uint32_t i = 0; i < CHUNKS; i++)
      cf_sim_chunk_free(&chunk[i]);
   assert_false(cf_sim_is_recording("/nonexistent"));
   assert_int_equal(read_file("/nonexistent", NULL), -1);
}

/* Chunks in any order, by the index, which has what the chunks have. */
static void
chunks_by_index(void **state)
{
   (void)state;
   struct cf_sim_chunk chunk[CHUNKS], got;
   const struct cf_sim_place_in_file *index;
   char path[64], error[CF_SIM_ERROR_B] = "";
   uint32_t count;
   random_state = cf_random_seed("timing chunks_by_index");
   for (uint32_t i = 0; i < CHUNKS; i++)
      make_chunk(&chunk[i]);
   write_file(chunk, CHUNKS, path);
   assert_true(cf_sim_chunk_init(&got));
   struct cf_sim_reader *reader = cf_sim_reader_open(path, error);
   assert_true(cf_sim_reader_index(reader, &index, &count, error));
   assert_int_equal(count, CHUNKS);
   for (uint32_t i = 0; i < 30; i++) {
      const uint32_t number = below(CHUNKS);
      const struct cf_sim_features features = cf_sim_features_of(&chunk[number]);
      cf_sim_reader_seek(reader, number);
      assert_int_equal(cf_sim_reader_next(reader, &got, error), 1);
      assert_same(&chunk[number], &got);
      assert_memory_equal(&index[number].features, &features, sizeof(features));
   }
   cf_sim_reader_close(reader);
   unlink(path);
   cf_sim_chunk_free(&got);
   for (uint32_t i = 0; i < CHUNKS; i++)
      cf_sim_chunk_free(&chunk[i]);
}

/* Read a chunk by the index: whether it is as it was. */
static bool
read_by_index(const char *path, const struct cf_sim_chunk *chunk)
{
   struct cf_sim_chunk got;
   const struct cf_sim_place_in_file *index;
   char error[CF_SIM_ERROR_B] = "";
   uint32_t count;
   assert_true(cf_sim_chunk_init(&got));
   struct cf_sim_reader *reader = cf_sim_reader_open(path, error);
   bool ok = reader && cf_sim_reader_index(reader, &index, &count, error);
   if (ok) {
      assert_int_equal(count, 1);
      cf_sim_reader_seek(reader, 0);
      ok = cf_sim_reader_next(reader, &got, error) > 0;
   }
   if (ok)
      assert_same(chunk, &got);
   if (reader)
      cf_sim_reader_close(reader);
   cf_sim_chunk_free(&got);
   assert_int_equal(ok, error[0] == 0);
   return ok;
}

static void
put_bytes(const char *path, const uint8_t *bytes, size_t size_B)
{
   FILE *file = fopen(path, "wb");
   fwrite(bytes, 1, size_B, file);
   fclose(file);
}

/* Whatever byte is changed, and wherever the file ends. Few bits mean nothing to zstd. */
static void
damaged_files(void **state)
{
   (void)state;
   struct cf_sim_chunk chunk;
   char path[64];
   uint8_t bytes[1 << 16];
   uint32_t refused = 0, changed = 0, by_index = 0;
   random_state = cf_random_seed("timing damaged_files");
   make_chunk(&chunk);
   write_file(&chunk, 1, path);
   FILE *file = fopen(path, "rb");
   const size_t size_B = fread(bytes, 1, sizeof(bytes), file);
   fclose(file);
   assert_true(size_B > 200 && size_B < sizeof(bytes));
   for (size_t i = 0; i < size_B; i += i < 100 || i + 70 > size_B ? 1 : 37) {
      const uint8_t right = bytes[i];
      bytes[i] ^= (uint8_t)(1u << below(8));
      put_bytes(path, bytes, size_B);
      refused += read_file(path, &chunk) == -1; /* else it is the same, as read_file checks */
      by_index += read_by_index(path, &chunk);
      changed++;
      put_bytes(path, bytes, i);
      assert_int_equal(read_file(path, NULL), -1);
      assert_false(read_by_index(path, &chunk));
      bytes[i] = right;
   }
   assert_true(changed > 100 && refused + 5 >= changed);
   assert_true(by_index <= 5 + sizeof(uint32_t) * 12); /* the head of the end is not looked at */
   unlink(path);
   cf_sim_chunk_free(&chunk);
}

/* How a recording ends. */
struct tail {
   uint64_t at_B, packed_B; /* of the index */
   uint32_t chunks;
   char text[12];
};

/* A recording of some chunks, as bytes. Returns its size. */
static size_t
bytes_of(const struct cf_sim_chunk *chunk, uint32_t chunks, uint8_t *bytes, size_t room_B,
         struct tail *tail)
{
   char path[64];
   write_file(chunk, chunks, path);
   FILE *file = fopen(path, "rb");
   const size_t size_B = fread(bytes, 1, room_B, file);
   fclose(file);
   unlink(path);
   assert_in_range(size_B, 200, room_B - 1);
   memcpy(tail, bytes + size_B - sizeof(*tail), sizeof(*tail));
   return size_B;
}

/* A recording of two chunks with the index of the first alone: the second is refused, whether the
 * index was read before or is at the end. */
static void
index_of_fewer(void **state)
{
   (void)state;
   static uint8_t one[1 << 17], two[1 << 18];
   struct cf_sim_chunk chunk[2], got;
   struct tail of_one, of_two;
   const struct cf_sim_place_in_file *index;
   char path[64], error[CF_SIM_ERROR_B] = "";
   uint32_t count;
   random_state = cf_random_seed("timing index_of_fewer");
   make_chunk(&chunk[0]);
   make_chunk(&chunk[1]);
   const size_t one_B = bytes_of(chunk, 1, one, sizeof(one), &of_one);
   bytes_of(chunk, 2, two, sizeof(two) - sizeof(one), &of_two);
   memcpy(two + of_two.at_B, one + of_one.at_B, one_B - of_one.at_B);
   const size_t size_B = of_two.at_B + one_B - of_one.at_B;
   memcpy(two + size_B - sizeof(of_two), &of_two.at_B, sizeof(of_two.at_B));
   snprintf(path, sizeof(path), "clipfree-test-index-%d", (int)getpid());
   put_bytes(path, two, size_B);
   assert_true(cf_sim_chunk_init(&got));
   for (int before = 0; before < 2; before++) {
      struct cf_sim_reader *reader = cf_sim_reader_open(path, error);
      assert_non_null(reader);
      if (before) {
         assert_true(cf_sim_reader_index(reader, &index, &count, error));
         assert_int_equal(count, 1);
         cf_sim_reader_seek(reader, 0);
      }
      assert_int_equal(cf_sim_reader_next(reader, &got, error), 1);
      assert_same(&chunk[0], &got);
      if (!before)
         assert_int_equal(cf_sim_reader_next(reader, &got, error), 1);
      assert_int_equal(cf_sim_reader_next(reader, &got, error), -1);
      assert_non_null(strstr(error, before
                                       ? "submission 1 of the recording: its index does not have"
                                       : "its index is not that of its chunks"));
      cf_sim_reader_close(reader);
   }
   unlink(path);
   cf_sim_chunk_free(&got);
   cf_sim_chunk_free(&chunk[0]);
   cf_sim_chunk_free(&chunk[1]);
}

/* Numbers of the tail that cannot be are told as such, before room is made for what they say. */
static void
impossible_tails(void **state)
{
   (void)state;
   static uint8_t bytes[1 << 17];
   struct cf_sim_chunk chunk;
   struct tail tail;
   const struct cf_sim_place_in_file *index;
   char path[64], error[CF_SIM_ERROR_B] = "";
   uint32_t count;
   random_state = cf_random_seed("timing impossible_tails");
   make_chunk(&chunk);
   const size_t size_B = bytes_of(&chunk, 1, bytes, sizeof(bytes), &tail);
   snprintf(path, sizeof(path), "clipfree-test-tail-%d", (int)getpid());
   const struct {
      struct tail tail;
      const char *message;
   } cases[] = {
      { { 0, tail.packed_B, 1, "clipfree end" }, "impossible size" },
      { { size_B, tail.packed_B, 1, "clipfree end" }, "impossible size" },
      { { tail.at_B, tail.packed_B - 1, 1, "clipfree end" }, "impossible size" },
      { { tail.at_B - 1, tail.packed_B, 1, "clipfree end" }, "impossible size" },
      { { 64, size_B - 64 - sizeof(tail), 1, "clipfree end" }, "impossible size" },
      { { 100, size_B - 100 - sizeof(tail), 0, "clipfree end" }, "impossible size" },
      { { tail.at_B, tail.packed_B, 2, "clipfree end" }, "impossible size" },
      { { tail.at_B, tail.packed_B, UINT32_MAX, "clipfree end" }, "impossible size" },
      { { tail.at_B, tail.packed_B, 1, "clipfree enx" }, "something follows its end" },
   };
   for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      memcpy(bytes + size_B - sizeof(tail), &cases[i].tail, sizeof(tail));
      put_bytes(path, bytes, size_B);
      struct cf_sim_reader *reader = cf_sim_reader_open(path, error);
      assert_non_null(reader);
      assert_false(cf_sim_reader_index(reader, &index, &count, error));
      assert_int_equal(count, 0);
      assert_non_null(strstr(error, cases[i].message));
      assert_non_null(strstr(error, path));
      cf_sim_reader_close(reader);
   }
   unlink(path);
   cf_sim_chunk_free(&chunk);
}

/* Records with wrong numbers are refused, or can be used. */
static void
damaged_records(void **state)
{
   (void)state;
   uint32_t refused = 0, used = 0;
   random_state = (struct cf_random){ 18 };
   for (uint32_t i = 0; i < 300; i++) {
      struct cf_sim_chunk c;
      struct cf_sim_hits hits;
      struct cf_sim_order order = { 0 };
      const struct cf_sim_machine machine = cf_sim_machine_default();
      make_chunk(&c);
      struct cf_sim_tile *tile = &c.tile[below(3) * CF_SIM_TILES_ACROSS + below(3)];
      tile->dw[below((uint32_t)tile->count)] ^= 1u << below(32);
      if (cf_sim_check(&c)) {
         refused++;
      } else {
         used++;
         assert_true(cf_sim_hits_init(&hits, &machine, true));
         assert_true(cf_sim_order_chunk(&order, &c, CF_SIM_TRAVERSAL_RECURSIVE));
         cf_sim_hits_chunk(&hits, &c, &order);
         assert_true(cf_sim_hits_finish(&hits));
         cf_sim_hits_free(&hits);
         cf_sim_order_free(&order);
      }
      cf_sim_chunk_free(&c);
   }
   assert_true(refused > 20 && used > 20);
}

/* A sample that is moved needs one before it in its task. */
static void
moved_needs_another(void **state)
{
   (void)state;
   struct cf_sim_chunk c;
   random_state = (struct cf_random){ 18 };
   make_chunk(&c);
   struct cf_sim_tile *tile = &c.tile[0];
   for (uint32_t first = 0; first < 2; first++) {
      tile->count = 0;
      add_task(tile, 0, 0);
      tile->count = cf_sim_dwords(tile->dw[0]);
      if (first)
         add_sample(tile, tile->dw[0] >> 16, false);
      add_sample(tile, tile->dw[0] >> 16, true);
      assert_int_equal(cf_sim_check(&c) == NULL, first);
   }
   cf_sim_chunk_free(&c);
}

/* ------------------------------------------------------------------ order */

static int
compare_items(const void *p, const void *q)
{
   const struct cf_sim_item *a = p, *b = q;
   const uint32_t x[5] = { a->op, a->primitive, a->place, a->tile, a->at },
                  y[5] = { b->op, b->primitive, b->place, b->tile, b->at };
   for (uint32_t i = 0; i < 5; i++) {
      if (x[i] != y[i])
         return x[i] < y[i] ? -1 : 1;
   }
   return a->quad < b->quad ? -1 : a->quad > b->quad;
}

/* The place of a block by halving squares, from the largest down; by rows. */
static bool
before(const uint32_t *a, const uint32_t *b, enum cf_sim_traversal traversal)
{
   const uint32_t ax = a[1] & 0xffff, ay = a[1] >> 16, bx = b[1] & 0xffff, by = b[1] >> 16;
   if (traversal == CF_SIM_TRAVERSAL_SCANLINE && ay / 4 != by / 4)
      return ay / 4 < by / 4;
   if (traversal == CF_SIM_TRAVERSAL_SCANLINE && ax / 4 != bx / 4)
      return ax / 4 < bx / 4;
   for (uint32_t size = 1 << 13; size >= 2; size /= 2) {
      if (ay / size != by / size)
         return ay / size < by / size;
      if (ax / size != bx / size)
         return ax / size < bx / size;
   }
   return false;
}

static void
order_of_submission(void **state)
{
   (void)state;
   struct cf_sim_order order = { 0 };
   random_state = cf_random_seed("timing order_of_submission");
   for (uint32_t i = 0; i < 40; i++) {
      const enum cf_sim_traversal traversal =
         i % 2 ? CF_SIM_TRAVERSAL_SCANLINE : CF_SIM_TRAVERSAL_RECURSIVE;
      struct cf_sim_chunk c;
      make_chunk(&c);
      assert_true(cf_sim_order_chunk(&order, &c, traversal));
      struct cf_sim_item *sorted = malloc((order.items + 1) * sizeof(sorted[0]));
      memcpy(sorted, order.item, order.items * sizeof(sorted[0]));
      qsort(sorted, order.items, sizeof(sorted[0]), compare_items);
      assert_memory_equal(sorted, order.item, order.items * sizeof(sorted[0]));
      for (size_t k = 1; k < order.items; k++) {
         const struct cf_sim_item *a = &order.item[k - 1], *b = &order.item[k];
         const uint32_t *p = cf_sim_item_record(&c, a), *q = cf_sim_item_record(&c, b);
         if (cf_sim_kind(p[0]) == CF_SIM_TASK && cf_sim_kind(q[0]) == CF_SIM_TASK &&
             a->op == b->op && a->primitive == b->primitive)
            assert_false(before(q + CF_SIM_TASK_DW + 2 * b->quad, p + CF_SIM_TASK_DW + 2 * a->quad,
                                traversal));
      }
      free(sorted);
      cf_sim_chunk_free(&c);
   }
   cf_sim_order_free(&order);
}

/* ------------------------------------------------------------------ samples */

/* A sample's lines, from its texels one by one. */
static void
check_sample(const struct cf_sim_layout *layout, const uint32_t *dw, const uint32_t *own,
             uint32_t quad, const struct cf_sim_sample_lines *got, const struct cf_sim_op *op)
{
   const struct cf_sim_placed_texture *t = &layout->texture[op->texture[dw[0] >> 16 & 31]];
   const uint32_t lanes = (cf_sim_dwords(own[0]) - CF_SIM_SAMPLE_DW),
                  by = own == dw ? 0 : dw[CF_SIM_SAMPLE_DW];
   const uint16_t *x = (const uint16_t *)(own + CF_SIM_SAMPLE_DW), *y = x + lanes;
   uint32_t texels = 0, lines = 0, line[64];
   for (uint32_t lane = 4 * quad; lane < 4 * quad + 4; lane++) {
      for (uint32_t c = 0; dw[1] >> lane & 1 && c < (dw[0] >> 25 & 1 ? 4 : 1); c++) {
         uint32_t at_x = (x[lane] + by) & 0xffff, at_y = (y[lane] + (by >> 16)) & 0xffff, k = 0;
         if (c & 1)
            at_x = dw[3] >> lane & 1 ? (at_x + 1) & 0xffff : dw[5] >> lane & 1 ? 0 : at_x;
         if (c & 2)
            at_y = dw[4] >> lane & 1 ? (at_y + 1) & 0xffff : dw[6] >> lane & 1 ? 0 : at_y;
         const uint32_t at = cf_sim_layout_texel(t, dw[0] >> 21 & 15, dw[2] & 0xffff,
                                                 at_x >> t->x_shift, at_y >> t->y_shift);
         texels++;
         while (k < lines && line[k] != at)
            k++;
         line[k] = at;
         lines += k == lines;
      }
   }
   assert_int_equal(got->texels, texels);
   assert_int_equal(got->lines, lines);
   for (uint32_t k = 0; k < lines; k++)
      assert_int_equal(got->line[k], line[k]);
}

static void
samples_touch_the_lines_of_their_texels(void **state)
{
   (void)state;
   struct cf_sim_order order = { 0 };
   uint32_t checked = 0;
   random_state = (struct cf_random){ 18 };
   for (uint32_t i = 0; i < 30; i++) {
      struct cf_sim_machine machine = cf_sim_machine_default();
      struct cf_sim_layout layout;
      struct cf_sim_sample_lines lines;
      struct cf_sim_chunk c;
      machine.texture.layout = below(2);
      make_chunk(&c);
      cf_sim_layout_init(&layout, &machine);
      assert_true(cf_sim_layout_chunk(&layout, &c));
      assert_true(cf_sim_order_chunk(&order, &c, CF_SIM_TRAVERSAL_RECURSIVE));
      for (size_t k = 0; k < order.items; k++) {
         const uint32_t *dw = cf_sim_item_record(&c, &order.item[k]);
         if (cf_sim_kind(dw[0]) != CF_SIM_TASK)
            continue;
         struct cf_sim_samples samples = cf_sim_samples_of(&layout, &c, &order.item[k]);
         const uint32_t quad = order.item[k].quad, *own = NULL;
         for (dw += cf_sim_dwords(dw[0]); cf_sim_kind(dw[0]) == CF_SIM_SAMPLE;
              dw += cf_sim_dwords(dw[0])) {
            own = cf_sim_dwords(dw[0]) == CF_SIM_MOVED_DW ? own : dw;
            if (!(dw[1] >> 4 * quad & 15))
               continue;
            assert_true(cf_sim_samples_next(&samples, &lines));
            check_sample(&layout, dw, own, quad, &lines, samples.op);
            checked++;
         }
         while (cf_sim_samples_next(&samples, &lines))
            assert_true(lines.texels > 0 && lines.texels <= 4);
      }
      cf_sim_layout_free(&layout);
      cf_sim_chunk_free(&c);
   }
   cf_sim_order_free(&order);
   assert_true(checked > 500);
}

/* Each sample has lines of its own: those of a texture of as many layers for each. */
static void
texels_of_samples_have_their_lines(void **state)
{
   (void)state;
   const uint32_t layers = 3;
   struct cf_sim_placed_texture t = { .texture = { .layers = layers * CF_SAMPLES } };
   bool seen[64] = { false };
   t.level[0].across = t.level[0].down = 2;
   for (uint32_t n = 0; n < layers * CF_SAMPLES; n++) {
      const uint32_t layer = n % layers | n / layers << CF_SIM_SAMPLE_SHIFT;
      for (uint32_t k = 0; k < 4; k++) {
         const uint32_t line = cf_sim_layout_texel(&t, 0, layer, k & 1, k >> 1);
         assert_true(line < 4 * layers * CF_SAMPLES && !seen[line]);
         seen[line] = true;
      }
   }
}

/* The partition in four: a line's eight neighbours are not of its pipeline, and each pipeline's
 * lines are numbered without gaps or doubles. Lines have side_px^2 pixels. */
static void
check_neighbours(const struct cf_sim_layout *layout, uint32_t side_px)
{
   enum { MOST = SIDE_PX / 2 };
   static struct cf_sim_place place[MOST][MOST];
   static uint8_t used[4][MOST * MOST];
   const int across = (int)(SIDE_PX / side_px);
   memset(used, 0, sizeof(used));
   for (uint32_t y = 0; y < SIDE_PX; y++) {
      for (uint32_t x = 0; x < SIDE_PX; x++) {
         struct cf_sim_place *p = &place[y / side_px][x / side_px];
         const struct cf_sim_place found = cf_sim_layout_pixel(layout, 0, x, y, 0);
         if (x % side_px == 0 && y % side_px == 0)
            *p = found;
         assert_memory_equal(p, &found, sizeof(found));
      }
   }
   const uint32_t first = place[0][0].line;
   for (int y = 0; y < across; y++) {
      for (int x = 0; x < across; x++) {
         const struct cf_sim_place p = place[y][x];
         assert_int_equal(used[p.pipeline][p.line - first]++, 0);
         for (int n = 0; n < 9; n++) {
            const int nx = x + n % 3 - 1, ny = y + n / 3 - 1;
            if (n != 4 && nx >= 0 && ny >= 0 && nx < across && ny < across)
               assert_int_not_equal(place[ny][nx].pipeline, p.pipeline);
         }
      }
   }
}

/* Of one sample and of four; a line has one of these, of 4x4 pixels, or all, of 2x2. */
static void
neighbours_are_of_other_pipelines(void **state)
{
   (void)state;
   struct cf_sim_machine machine = cf_sim_machine_default();
   random_state = (struct cf_random){ 18 };
   machine.screen.partition = CF_SIM_PARTITION_2X2;
   machine.screen.pipelines = 4;
   for (uint32_t kind = 0; kind < 4; kind++) {
      const uint32_t samples = kind & 1 ? 4 : 1;
      const bool all = kind & 2;
      struct cf_sim_layout layout;
      struct cf_sim_chunk c;
      machine.z.line_samples = all ? CF_SIM_LINE_SAMPLES_ALL : CF_SIM_LINE_SAMPLES_ONE;
      make_chunk(&c);
      for (size_t i = 0; i < c.ops; i++)
         c.op[i].samples = samples;
      cf_sim_layout_init(&layout, &machine);
      assert_true(cf_sim_layout_chunk(&layout, &c));
      check_neighbours(&layout, samples == 4 && all ? 2 : 4);
      const struct cf_sim_place p = cf_sim_layout_pixel(&layout, 0, 5, 9, 0),
                                last = cf_sim_layout_pixel(&layout, 0, 5, 9, samples - 1);
      assert_int_equal(p.pipeline, last.pipeline);
      assert_int_equal(last.line - p.line,
                       all ? 0 : (samples - 1) * SIDE_PX * SIDE_PX / (4 * 4 * 4));
      cf_sim_layout_free(&layout);
      cf_sim_chunk_free(&c);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(files),
      cmocka_unit_test(chunks_by_index),
      cmocka_unit_test(damaged_files),
      cmocka_unit_test(index_of_fewer),
      cmocka_unit_test(impossible_tails),
      cmocka_unit_test(damaged_records),
      cmocka_unit_test(moved_needs_another),
      cmocka_unit_test(order_of_submission),
      cmocka_unit_test(samples_touch_the_lines_of_their_texels),
      cmocka_unit_test(texels_of_samples_have_their_lines),
      cmocka_unit_test(neighbours_are_of_other_pipelines),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
