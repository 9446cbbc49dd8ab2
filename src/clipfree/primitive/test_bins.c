/* SPDX-License-Identifier: MIT */
/* Bins of random rectangles against asking each rectangle for each tile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "clipfree/base/test_random.h"
#include "clipfree/primitive/cf_bins.h"
#include "clipfree/primitive/cf_prim.h"

#define PRIMS 400
#define TILES_X 20
#define TILES_Y 15

static uint32_t
next_random(uint64_t *state)
{
   *state = *state * 6364136223846793005ull + 1442695040888963407ull;
   return (uint32_t)(*state >> 33);
}

static void
range(uint64_t *seed, uint32_t size_px, uint16_t *min_px, uint16_t *max_px)
{
   const uint32_t length =
      next_random(seed) % 3 ? next_random(seed) % 40 : next_random(seed) % size_px;
   *min_px = (uint16_t)(next_random(seed) % (size_px - length));
   *max_px = (uint16_t)(*min_px + length); /* empty now and then */
}

static bool
is_empty(const struct cf_prim_bounds *b)
{
   return b->min_x_px >= b->max_x_px || b->min_y_px >= b->max_y_px;
}

static bool
touches(const struct cf_prim_bounds *b, uint32_t x, uint32_t y)
{
   return !is_empty(b) && b->min_x_px < 64 * (x + 1) && b->max_x_px > 64 * x &&
          b->min_y_px < 64 * (y + 1) && b->max_y_px > 64 * y;
}

static void
random_rectangles(void **state)
{
   static const struct cf_primitive_config config; /* of points: it says that they are not smooth */
   struct cf_binner binner = { 0 };
   struct cf_arena arena = { 0 };
   struct cf_random seeds = cf_random_seed("primitive-bins");
   uint64_t seed = cf_random_u64(&seeds) | 1;
   for (uint32_t round = 0; round < 20; round++) {
      struct cf_prim_bounds bounds[PRIMS];
      struct cf_bins bins;
      const uint32_t count = round == 0 ? 0 : PRIMS;
      cf_binner_begin(&binner);
      for (uint32_t i = 0; i < count; i++) {
         range(&seed, 64 * TILES_X - 10, &bounds[i].min_x_px, &bounds[i].max_x_px);
         range(&seed, 64 * TILES_Y - 10, &bounds[i].min_y_px, &bounds[i].max_y_px);
         const struct cf_prim point = { .shape = CF_SHAPE_POINT,
                                        .bounds = bounds[i],
                                        .config = &config };
         const bool is_prim = !is_empty(&bounds[i]) && next_random(&seed) % 2;
         cf_binner_add(&binner, is_prim ? &point : NULL, NULL, i, ~i, &bounds[i]);
      }
      assert_true(cf_binner_finish(&binner, &arena, &bins));
      for (uint32_t tile = 0; tile < TILES_X * TILES_Y; tile++) {
         const uint16_t *entries = NULL;
         const uint32_t entry_count = cf_bins_tile(&bins, tile % TILES_X, tile / TILES_X, &entries);
         uint32_t at = 0;
         for (uint32_t i = 0; i < count; i++) {
            if (!touches(&bounds[i], tile % TILES_X, tile / TILES_X))
               continue;
            assert_true(at < entry_count);
            assert_int_equal(bins.prims[entries[at]].primitive, ~i);
            assert_int_equal(bins.prims[entries[at++]].draw, i);
         }
         assert_int_equal(at, entry_count);
      }
      cf_arena_reset(&arena, 1 << 20);
   }
   cf_binner_free(&binner);
   cf_arena_free(&arena);
}

/* What is known to be small is small in each tile; all that touches at most 2x2 blocks, which no
 * plane cuts, is known to be. */
static void
small_primitives(void **state)
{
   (void)state;
   struct cf_binner binner = { 0 };
   struct cf_arena arena = { 0 };
   struct cf_bins bins;
   struct cf_prim prims[PRIMS];
   static struct cf_primitive_config config;
   struct cf_random seeds = cf_random_seed("primitive-bins-small");
   uint64_t seed = cf_random_u64(&seeds) | 1;
   uint32_t small = 0;
   cf_binner_begin(&binner);
   for (uint32_t i = 0; i < PRIMS; i++) {
      const uint16_t x = (uint16_t)(next_random(&seed) % 300),
                     y = (uint16_t)(next_random(&seed) % 300);
      prims[i] = (struct cf_prim){
         .bounds = { x, y, (uint16_t)(x + 1 + next_random(&seed) % 9),
                     (uint16_t)(y + 1 + next_random(&seed) % 9) },
         .shape = CF_SHAPE_TRIANGLE,
         .edges = (uint8_t)(3 + next_random(&seed) % 2),
         .config = &config,
         .first_edge = (uint8_t)(next_random(&seed) % 2),
         .planes = next_random(&seed) % 4 == 0,
      };
      cf_binner_add(&binner, &prims[i], &prims[i], i, 0, &prims[i].bounds);
   }
   assert_true(cf_binner_finish(&binner, &arena, &bins));
   for (uint32_t i = 0; i < PRIMS; i++) {
      const struct cf_prim_bounds *b = &prims[i].bounds;
      const bool few = (b->max_x_px - 1) / 4 - b->min_x_px / 4 <= 1 &&
                       (b->max_y_px - 1) / 4 - b->min_y_px / 4 <= 1,
                 simple = prims[i].planes == 0 && prims[i].edges - prims[i].first_edge <= 3;
      assert_int_equal(bins.prims[i].is_small, few && simple);
      for (uint32_t tile = 0; tile < 25; tile++)
         if (touches(b, tile % 5, tile / 5) && bins.prims[i].is_small)
            assert_true(cf_prim_is_small(&prims[i], tile % 5 * 64, tile / 5 * 64));
      small += bins.prims[i].is_small;
   }
   assert_true(small > PRIMS / 8 && small < PRIMS / 2);
   cf_binner_free(&binner);
   cf_arena_free(&arena);
}

/* One more primitive than a chunk may have is an error, whichever way the last ones come. */
static void
too_many(void **state)
{
   const struct cf_prim_bounds bounds = { .max_x_px = 1, .max_y_px = 1 };
   const struct cf_prim point = { .shape = CF_SHAPE_POINT, .bounds = bounds };
   struct cf_binner binner = { 0 };
   struct cf_arena arena = { 0 };
   for (uint32_t more = 0; more < 2; more++) {
      struct cf_bins bins;
      cf_binner_begin(&binner);
      for (uint32_t i = 0; i < CF_BINS_MAX_PRIMS + more; i++)
         cf_binner_add(&binner, &point, NULL, i, 0, &bounds);
      assert_int_equal(cf_binner_finish(&binner, &arena, &bins), more == 0);
   }
   cf_binner_free(&binner);
   cf_arena_free(&arena);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_rectangles),
      cmocka_unit_test(small_primitives),
      cmocka_unit_test(too_many),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
