/* SPDX-License-Identifier: MIT */
/*
 * Quad packing against a list: every quad comes out once, those of one position in order, never two
 * of them in a task, eight to a task unless a position repeats or the pack is flushed (then copies
 * of the first follow), and whole blocks as they lie in memory. Blocks of several samples: each
 * quad once and in order, with the masks of its pixels.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/base/test_random.h"
#include "clipfree/primitive/cf_quad_pack.h"

#define MAX_QUADS 100000
#define TILE_QUADS 1024
#define MAX_BLOCKS 128 /* of a primitive: many, which are listed in another way, and few */

struct log {
   struct cf_quad quads[MAX_QUADS];
   uint32_t count, tasks, full_tasks, block_tasks /* of two whole blocks */;
   bool has_coverage;
};

/* What tests leave of a block, of every other primitive's. */
static uint32_t
left_by_tests(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px)
{
   const uint32_t number = (uint32_t)((uintptr_t)prim / 64);
   return number % 2 ? 0xffff : (number * 0x9e3779b1u ^ (x_px / 4 * 31 + y_px / 4 * 17) * 0x85ebca6bu) >> 8 & 0xffff;
}

/* The pixels of a quad that are to be shaded. */
static uint32_t
shaded(const struct cf_quad *quad)
{
   const uint32_t left = left_by_tests(quad->prim, quad->x_px, quad->y_px);
   return cf_quad_mask(quad, CF_QUAD_COVERED) &
          left >> 4 * (quad->x_px / 2 % 2 + quad->y_px / 2 % 2 * 2);
}

/* A block of pixels that the primitive covers, and what tests leave of it. */
static struct cf_raster_block
tested_block(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px, uint32_t covered)
{
   return (struct cf_raster_block){ (uint16_t)x_px, (uint16_t)y_px,
                                    (uint16_t)(covered & left_by_tests(prim, x_px, y_px)),
                                    (uint16_t)covered };
}

/* Quads 0 .. 3 are those of a block, all covered. */
static bool
is_whole_block(const struct cf_quad *quads)
{
   bool whole = quads[0].x_px % 4 == 0 && quads[0].y_px % 4 == 0;
   for (uint32_t k = 0; k < 4; k++)
      whole = whole && shaded(&quads[k]) == 0xf && quads[k].x_px == quads[0].x_px + k % 2 * 2 &&
              quads[k].y_px == quads[0].y_px + k / 2 * 2;
   return whole;
}

/* What random_blocks says the coverage of a pixel of a quad is. */
static float
coverage_of(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px, uint32_t pixel)
{
   return (float)(((uintptr_t)prim / 64 * 31 + x_px * 7 + y_px * 13 + pixel) % 1024) / 1024.0f;
}

static void
log_task(struct log *log, const struct cf_quad *quads, uint32_t count, uint32_t covered, const float *coverage)
{
   for (uint32_t lane = 0; log->has_coverage && lane < 4 * count; lane++) {
      const struct cf_quad *quad = &quads[lane / 4];
      assert_true(coverage[lane] == coverage_of(quad->prim, quad->x_px, quad->y_px, lane % 4));
   }
   assert_in_range(count, 1, CF_TASK_QUADS);
   for (uint32_t i = 0; i < CF_TASK_QUADS; i++)
      assert_int_equal(covered >> 4 * i & 0xf, i < count ? shaded(&quads[i]) : 0);
   for (uint32_t i = count; i < CF_TASK_QUADS; i++)
      assert_memory_equal(&quads[i], &quads[0], sizeof(quads[0]));
   for (uint32_t i = 0; i < count; i++) {
      for (uint32_t j = 0; j < i; j++)
         assert_false(quads[i].x_px == quads[j].x_px && quads[i].y_px == quads[j].y_px);
      log->quads[log->count++] = quads[i];
   }
   log->tasks++;
   log->full_tasks += count == CF_TASK_QUADS;
   log->block_tasks += count == CF_TASK_QUADS && is_whole_block(quads) && is_whole_block(quads + 4);
}

/* Several tasks are complete ones and have no coverage. */
static void
log_tasks(void *user, const struct cf_quad *quads, uint32_t count, const uint32_t *lanes,
          const float *coverage)
{
   const struct log *log = user;
   if (count > CF_TASK_QUADS) {
      assert_false(log->has_coverage);
      assert_int_equal(count % CF_TASK_QUADS, 0);
      assert_in_range(count / CF_TASK_QUADS, 1, CF_WORK_TASKS);
   }
   for (uint32_t i = 0; i < count; i += CF_TASK_QUADS)
      log_task(user, quads + i, count < CF_TASK_QUADS ? count : CF_TASK_QUADS, *lanes++, coverage);
}

static uint32_t
next_random(uint64_t *state)
{
   *state = *state * 6364136223846793005ull + 1442695040888963407ull;
   return (uint32_t)(*state >> 33);
}

/* Number of a quad's position in the tile. */
static uint32_t
position_of(const struct cf_quad *quad)
{
   return quad->y_px / 2 % 32 * 32 + quad->x_px / 2 % 32;
}

/* Order quads by position, those of one position as they were. */
static void
sort_by_position(const struct cf_quad *quads, uint32_t count, struct cf_quad *sorted)
{
   uint32_t first[TILE_QUADS + 1] = { 0 };
   for (uint32_t i = 0; i < count; i++)
      first[position_of(&quads[i]) + 1]++;
   for (uint32_t i = 0; i < TILE_QUADS; i++)
      first[i + 1] += first[i];
   for (uint32_t i = 0; i < count; i++)
      sorted[first[position_of(&quads[i])]++] = quads[i];
}

/* What went in is in the log. */
static void
check_log(const struct log *log, const struct cf_quad *expected, uint32_t count)
{
   struct cf_quad *in = calloc(MAX_QUADS, sizeof(*in)), *out = calloc(MAX_QUADS, sizeof(*out));
   assert_int_equal(log->count, count);
   sort_by_position(expected, count, in);
   sort_by_position(log->quads, count, out);
   for (uint32_t i = 0; i < count; i++) {
      assert_ptr_equal(out[i].prim, in[i].prim);
      assert_int_equal(position_of(&out[i]), position_of(&in[i]));
      assert_int_equal(out[i].masks, in[i].masks);
   }
   free(in);
   free(out);
}

/* Adds the blocks' quads to what is expected. */
static uint32_t
expect_blocks(const struct cf_prim *prim, const struct cf_raster_block *blocks, uint32_t count,
              struct cf_quad *expected)
{
   uint32_t quads = 0;
   for (uint32_t i = 0; i < 4 * count; i++) {
      const struct cf_raster_block *block = &blocks[i / 4];
      const uint32_t quad = i % 4;
      if (block->mask >> 4 * quad & 0xf)
         expected[quads++] = (struct cf_quad){ .prim = prim,
                                               .x_px = (uint16_t)(block->x_px + quad % 2 * 2),
                                               .y_px = (uint16_t)(block->y_px + quad / 2 * 2),
                                               .masks = block->covered >> 4 * quad & 0xf };
   }
   return quads;
}

/* The blocks as those of one primitive, or of any. */
static void
add_blocks(const struct cf_quad_pack_ops *ops, struct cf_quad_pack *pack, const struct cf_prim *prim,
           const struct cf_raster_block *blocks, uint32_t count, bool of_any)
{
   struct cf_prim_block list[MAX_BLOCKS];
   uint32_t covered = 0;
   for (uint32_t i = 0; i < count; i++) {
      list[covered] = (struct cf_prim_block){ prim, blocks[i].x_px, blocks[i].y_px, blocks[i].mask, blocks[i].covered };
      covered += blocks[i].mask != 0;
   }
   if (of_any)
      ops->prims(pack, list, covered);
   else
      ops->blocks(pack, prim, blocks, count);
}

/* Flush the pack; what went in is in its log. */
static void
end_pack(const struct cf_quad_pack_ops *ops, struct cf_quad_pack *pack, struct cf_quad *expected,
         uint32_t count)
{
   ops->flush(pack);
   check_log(pack->user, expected, count);
   free(pack->user);
   free(expected);
}

static void
check_random_blocks(const struct cf_quad_pack_ops *ops, bool has_coverage)
{
   struct cf_random seeds = cf_random_seed("primitive-quad-pack");
   uint64_t seed = cf_random_u64(&seeds) | 1;
   struct log *log = calloc(1, sizeof(*log));
   struct cf_quad *expected = calloc(MAX_QUADS, sizeof(*expected));
   static float coverage[CF_TILE_BLOCKS][16];
   struct cf_quad_pack pack = { .run = log_tasks, .user = log, .coverage = has_coverage ? (const float(*)[16])coverage : NULL };
   uint32_t count = 0;
   log->has_coverage = has_coverage;
   uintptr_t prim = 64;
   while (count < MAX_QUADS - 4 * MAX_BLOCKS) {
      prim += 64;
      /* one primitive: distinct blocks of a tile, or of a crowded corner of it */
      const bool crowded = next_random(&seed) % 4 != 0;
      const uint32_t first = next_random(&seed) % 256, places = crowded ? 5 : 256,
                     number = 1 + next_random(&seed) %
                                     (crowded || next_random(&seed) % 2 ? 4 : MAX_BLOCKS);
      const uint32_t whole_share = crowded ? 1 : next_random(&seed) % 2 ? 11 : 16;
      struct cf_raster_block blocks[MAX_BLOCKS];
      for (uint32_t i = 0; i < number; i++) {
         const uint32_t at = (first + 7 * i) % places, whole = next_random(&seed) % 16;
         blocks[i] = tested_block((const struct cf_prim *)prim, 192 + at % 16 * 4, 64 + at / 16 * 4,
                                  whole < whole_share ? 0xffff
                                                      : next_random(&seed) & next_random(&seed) &
                                                           next_random(&seed) & 0xffff);
      }
      for (uint32_t i = 0; i < 16 * number; i++) {
         const struct cf_raster_block *block = &blocks[i / 16];
         const uint32_t quad = i % 16 / 4, x_px = block->x_px + quad % 2 * 2, y_px = block->y_px + quad / 2 * 2;
         coverage[cf_tile_block(x_px, y_px)][i % 16] = coverage_of((const struct cf_prim *)prim, x_px, y_px, i % 4);
      }
      add_blocks(ops, &pack, (const struct cf_prim *)prim, blocks, number, next_random(&seed) % 2);
      count += expect_blocks((const struct cf_prim *)prim, blocks, number, &expected[count]);
      if (next_random(&seed) % 16 == 0) {
         ops->flush(&pack);
         assert_int_equal(log->count, count);
      }
   }
   ops->flush(&pack);
   check_log(log, expected, count);
   assert_true(log->tasks < count / 3);
   free(log);
   free(expected);
}

static void
random_blocks(void **state)
{
   for (int level = 0; level <= (int)cf_host_level(); level++) {
      check_random_blocks(cf_quad_pack_ops_at(level), false);
      check_random_blocks(cf_quad_pack_ops_at(level), true);
   }
}

/* One primitive's quads fill all tasks but the last of each kind; pairs of whole blocks stay together. */
static void
check_one_primitive(const struct cf_quad_pack_ops *ops)
{
   struct log *log = calloc(1, sizeof(*log));
   struct cf_quad_pack pack = { .run = log_tasks, .user = log };
   struct cf_raster_block blocks[64];
   for (uint32_t i = 0; i < 64; i++)
      blocks[i] = tested_block((const struct cf_prim *)64, i % 8 * 4, i / 8 * 4, i % 3 ? 0xffff : 0x0ff0);
   ops->blocks(&pack, (const struct cf_prim *)64, blocks, 64);
   ops->flush(&pack);
   assert_int_equal(log->count, 42 * 4 + 22 * 2);
   assert_int_equal(log->tasks, 21 + 6);
   assert_int_equal(log->full_tasks, 21 + 5);
   assert_int_equal(log->block_tasks, 21);
   free(log);
}

static void
one_primitive_fills_tasks(void **state)
{
   (void)state;
   for (int level = 0; level <= (int)cf_host_level(); level++)
      check_one_primitive(cf_quad_pack_ops_at(level));
}

/* A whole block waits where a large primitive begins: they are in two tasks, in order. */
static void
check_waiting_block(const struct cf_quad_pack_ops *ops)
{
   struct log *log = calloc(1, sizeof(*log));
   struct cf_quad *expected = calloc(MAX_QUADS, sizeof(*expected));
   struct cf_quad_pack pack = { .run = log_tasks, .user = log };
   struct cf_raster_block blocks[MAX_BLOCKS];
   uint32_t count = 0;
   for (uintptr_t number = 1; number <= 3; number += 2) { /* tests leave all of these */
      const struct cf_prim *prim = (const struct cf_prim *)(64 * number);
      const uint32_t blocks_of = number == 1 ? 1 : MAX_BLOCKS;
      for (uint32_t i = 0; i < blocks_of; i++)
         blocks[i] = tested_block(prim, i % 16 * 4, i / 16 * 4, 0xffff);
      ops->blocks(&pack, prim, blocks, blocks_of);
      count += expect_blocks(prim, blocks, blocks_of, &expected[count]);
   }
   end_pack(ops, &pack, expected, count);
}

static void
a_block_waits(void **state)
{
   (void)state;
   for (int level = 0; level <= (int)cf_host_level(); level++)
      check_waiting_block(cf_quad_pack_ops_at(level));
}

/* A strip of primitives of two quads, each of which shares one with the primitive before it: those
 * that wait for it do not keep tasks from being filled. */
static void
check_neighbours(const struct cf_quad_pack_ops *ops)
{
   const uint32_t primitives = 240;
   struct log *log = calloc(1, sizeof(*log));
   struct cf_quad *expected = calloc(MAX_QUADS, sizeof(*expected));
   struct cf_quad_pack pack = { .run = log_tasks, .user = log };
   uint32_t count = 0;
   for (uint32_t i = 0; i < primitives; i++) {
      const uint32_t at = i % 3, block_number = i / 3;
      const struct cf_prim *prim = (const struct cf_prim *)(uintptr_t)(64 * (2 * i + 1)); /* tests leave all of it */
      const struct cf_raster_block block =
         tested_block(prim, block_number % 16 * 4, block_number / 16 * 4, 0x0036u << 4 * at);
      ops->blocks(&pack, prim, &block, 1);
      count += expect_blocks(prim, &block, 1, &expected[count]);
   }
   ops->flush(&pack);
   check_log(log, expected, count);
   assert_int_equal(count, 2 * primitives);
   assert_in_range(log->tasks, count / CF_TASK_QUADS, count / CF_TASK_QUADS + 2);
   free(log);
   free(expected);
}

static void
neighbours_fill_tasks(void **state)
{
   (void)state;
   for (int level = 0; level <= (int)cf_host_level(); level++)
      check_neighbours(cf_quad_pack_ops_at(level));
}

/* ---- several samples ---- */

/* Lanes with a sample to be shaded. */
static uint32_t
sampled(const struct cf_quad *quad)
{
   uint32_t pixels = 0;
   for (uint32_t s = 0; s < CF_SAMPLES; s++)
      pixels |= cf_quad_mask(quad, CF_QUAD_SAMPLE(s));
   return pixels;
}

static void
log_samples(void *user, const struct cf_quad *quads, uint32_t count, const uint32_t *lanes,
            const float *coverage)
{
   struct log *log = user;
   (void)coverage;
   for (uint32_t i = 0; i < count; i++) {
      assert_int_equal(lanes[i / CF_TASK_QUADS] >> i % CF_TASK_QUADS * 4 & 0xf, sampled(&quads[i]));
      log->quads[log->count++] = quads[i];
   }
}

/* A random block: whole, or with some samples, of which early tests leave a part. */
static struct cf_raster_samples
random_samples(struct cf_random *r, uint32_t x_px, uint32_t y_px)
{
   struct cf_raster_samples b = { .x_px = (uint16_t)x_px, .y_px = (uint16_t)y_px };
   const bool whole = cf_random_below(r, 2);
   for (uint32_t s = 0; s < CF_SAMPLES; s++)
      b.mask[s] = whole ? 0xffff : (uint16_t)(cf_random_u32(r) & cf_random_u32(r));
   cf_raster_samples_note_coverage(&b);
   for (uint32_t s = 0; s < CF_SAMPLES && !whole; s++)
      b.mask[s] &= (uint16_t)(cf_random_u32(r) | cf_random_u32(r));
   return b;
}

/* Pixel masks of quad number `quad` of the block (cf_quad.masks), pixel by pixel. */
static uint32_t
masks_of(const struct cf_raster_samples *b, uint32_t quad)
{
   uint32_t masks = 0;
   for (uint32_t pixel = 0; pixel < 4; pixel++) {
      const uint32_t at = 4 * quad + pixel;
      const uint32_t first =
         (b->first[0] >> at & 1u) * CF_QUAD_FIRST(0) + (b->first[1] >> at & 1u) * CF_QUAD_FIRST(1);
      uint32_t of_pixel = (b->covered >> at & 1u) * CF_QUAD_COVERED +
                          (~b->centre >> at & 1u) * CF_QUAD_UNSURE + first;
      for (uint32_t s = 0; s < CF_SAMPLES; s++)
         of_pixel += (b->mask[s] >> at & 1u) * CF_QUAD_SAMPLE(s);
      masks |= of_pixel << pixel;
   }
   return masks;
}

static uint32_t
expect_samples(const struct cf_prim *prim, const struct cf_raster_samples *blocks, uint32_t count,
               struct cf_quad *expected)
{
   uint32_t quads = 0;
   for (uint32_t i = 0; i < 4 * count; i++) {
      const struct cf_raster_samples *b = &blocks[i / 4];
      const struct cf_quad quad = { prim, (uint16_t)(b->x_px + i % 2 * 2),
                                    (uint16_t)(b->y_px + i % 4 / 2 * 2), masks_of(b, i % 4) };
      if (sampled(&quad))
         expected[quads++] = quad;
   }
   return quads;
}

static void
check_samples(struct cf_random *r, const struct cf_quad_pack_ops *ops)
{
   struct log *log = calloc(1, sizeof(*log));
   struct cf_quad *expected = calloc(MAX_QUADS, sizeof(*expected));
   struct cf_quad_pack pack = { .run = log_samples, .user = log };
   uint32_t count = 0;
   for (uintptr_t prim = 64; count < MAX_QUADS / 4; prim += 64) {
      struct cf_raster_samples blocks[MAX_BLOCKS];
      const uint32_t number = 1 + cf_random_below(r, cf_random_below(r, 2) ? 4 : MAX_BLOCKS);
      const uint32_t first = cf_random_below(r, 256);
      for (uint32_t i = 0; i < number; i++) {
         const uint32_t at = (first + 7 * i) % 256;
         blocks[i] = random_samples(r, 192 + at % 16 * 4, 64 + at / 16 * 4);
      }
      ops->samples(&pack, (const struct cf_prim *)prim, blocks, number);
      count += expect_samples((const struct cf_prim *)prim, blocks, number, &expected[count]);
   }
   end_pack(ops, &pack, expected, count);
}

static void
several_samples(void **state)
{
   struct cf_random r = cf_random_seed("primitive-quad-pack samples");
   (void)state;
   for (int level = 0; level <= (int)cf_host_level(); level++)
      check_samples(&r, cf_quad_pack_ops_at(level));
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_blocks),   cmocka_unit_test(one_primitive_fills_tasks),
      cmocka_unit_test(a_block_waits),   cmocka_unit_test(neighbours_fill_tasks),
      cmocka_unit_test(several_samples),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
