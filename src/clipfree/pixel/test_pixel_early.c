/* SPDX-License-Identifier: MIT */
/*
 * Early tests of lists of blocks, of one primitive, of many, and of several samples, against tests
 * of one block.
 */
#include "clipfree/pixel/test_pixel_zs.h"

/* A new surface of 4x3 blocks, in any format and layout, and random tests of it. */
static struct cf_pixel_config
random_tests(struct test_surface *s)
{
   test_surface_init(s, zs_formats[cf_random_below(&rng, 6)], cf_random_below(&rng, 4) > 0, 16, 12);
   tame_surface(s);
   struct cf_pixel_config c = { .depth_stencil = random_depth_stencil(), .zs = s->image };
   c.depth_stencil.alpha_test = false;
   cf_pixel_configure(&c);
   return c;
}

/* Depths and tests of lists of blocks: what is changed and what passes is the same as block by
 * block. */
static void
lists_match_blocks(void **state)
{
   (void)state;
   for (uint32_t round = 0; round < 6000; round++) {
      struct test_surface s;
      struct cf_pixel_config c = random_tests(&s);
      const struct cf_prim prim = random_plane(&s);
      const uint32_t place =
         cf_random_below(&rng, 2) ? CF_SAMPLE_CENTRE : cf_random_below(&rng, CF_SAMPLES);
      const double offset_x = place == CF_SAMPLE_CENTRE ? 0 : cf_sample_offset_px(place, 0);
      const double offset_y = place == CF_SAMPLE_CENTRE ? 0 : cf_sample_offset_px(place, 1);
      const uint32_t count = cf_random_below(&rng, 13), first = cf_random_below(&rng, 12);
      struct cf_raster_block blocks[12];
      uint16_t pass[12];
      uint32_t hidden = 0;
      for (uint32_t i = 0; i < count; i++) {
         const uint32_t at = (first + 5 * i) % 12;
         float depth[16];
         blocks[i] = (struct cf_raster_block){
            (uint16_t)(at % 4 * 4), (uint16_t)(at / 4 * 4),
            cf_random_below(&rng, 3) ? 0xffff : (uint16_t)cf_random_u32(&rng), 0
         };
         for (uint32_t k = 0; k < 16; k++) {
            const uint32_t x = blocks[i].x_px + ((k & 1) | (k >> 1 & 2)),
                           y = blocks[i].y_px + ((k >> 1 & 1) | (k >> 2 & 2));
            depth[k] = plane_at(&prim, x + offset_x, y + offset_y);
         }
         pass[i] = (uint16_t)cf_pixel_ops_base.test_block(&c, blocks[i].x_px, blocks[i].y_px,
                                                          blocks[i].mask, depth, prim.front);
         hidden += pass[i] == 0;
      }
      for (uint32_t level = 0; level <= (uint32_t)cf_host_level(); level++) {
         struct cf_raster_block list[12];
         memcpy(list, blocks, sizeof(list));
         memcpy(s.data[2], s.before, s.size_B);
         c.zs.data = s.data[2];
         assert_int_equal(cf_pixel_ops_at(level)->test_blocks(&c, &prim, place, list, count),
                          hidden);
         assert_memory_equal(s.data[2], s.data[0], s.size_B);
         for (uint32_t i = 0; i < count; i++)
            assert_int_equal(list[i].mask, pass[i]);
      }
      test_surface_free(&s);
   }
}

/* Depths and tests of blocks of many primitives, some of which lie in the same blocks: as one after
 * the other, without what is hidden. */
static void
primitives_match_lists(void **state)
{
   (void)state;
   for (uint32_t round = 0; round < 6000; round++) {
      struct test_surface s;
      const uint32_t count = cf_random_below(&rng, 20);
      struct cf_pixel_config c = random_tests(&s);
      struct cf_prim prims[4];
      struct cf_prim_block blocks[20], expected[20];
      uint32_t left = 0;
      for (uint32_t i = 0; i < 4; i++)
         prims[i] = random_plane(&s);
      for (uint32_t i = 0; i < count; i++) {
         const uint32_t at = cf_random_below(&rng, 12);
         blocks[i] = (struct cf_prim_block){ &prims[cf_random_below(&rng, 4)],
                                             (uint16_t)(at % 4 * 4), (uint16_t)(at / 4 * 4),
                                             (uint16_t)(1 + cf_random_below(&rng, 0xffff)) };
         struct cf_raster_block one = { blocks[i].x_px, blocks[i].y_px, blocks[i].mask };
         cf_pixel_ops_base.test_blocks(&c, blocks[i].prim, CF_SAMPLE_CENTRE, &one, 1);
         expected[left] = blocks[i];
         expected[left].mask = one.mask;
         left += one.mask != 0;
      }
      for (uint32_t level = 0; level <= (uint32_t)cf_host_level(); level++) {
         struct cf_prim_block list[20];
         memcpy(list, blocks, sizeof(list));
         memcpy(s.data[2], s.before, s.size_B);
         c.zs.data = s.data[2];
         assert_int_equal(cf_pixel_ops_at(level)->test_prims(&c, list, count), left);
         assert_memory_equal(s.data[2], s.data[0], s.size_B);
         for (uint32_t i = 0; i < left; i++) {
            assert_ptr_equal(list[i].prim, expected[i].prim);
            assert_int_equal(list[i].x_px | list[i].y_px << 16,
                             expected[i].x_px | expected[i].y_px << 16);
            assert_int_equal(list[i].mask, expected[i].mask);
         }
      }
      test_surface_free(&s);
   }
}

/* The blocks of a primitive in a frame of several samples: each sample as in a frame of its own. */
static void
samples_match_lists(void **state)
{
   (void)state;
   for (uint32_t round = 0; round < 3000; round++) {
      const enum cf_format format = zs_formats[cf_random_below(&rng, 6)];
      const bool in_blocks = cf_random_below(&rng, 4) > 0, at_samples = cf_random_below(&rng, 2);
      const uint32_t count = cf_random_below(&rng, 13), first = cf_random_below(&rng, 12);
      struct test_surface s[CF_SAMPLES];
      struct cf_pixel_config c[CF_SAMPLES] = { { .depth_stencil = random_depth_stencil() } };
      c[0].depth_stencil.alpha_test = false;
      for (uint32_t k = 0; k < CF_SAMPLES; k++) {
         test_surface_init(&s[k], format, in_blocks, 16, 12);
         tame_surface(&s[k]);
         c[k] = c[0];
         c[k].zs = s[k].image;
         cf_pixel_configure(&c[k]);
      }
      const struct cf_prim prim = random_plane(&s[0]);
      struct cf_raster_samples blocks[12], expected[12];
      uint32_t hidden = 0;
      for (uint32_t i = 0; i < count; i++) {
         const uint32_t at = (first + 5 * i) % 12;
         blocks[i] = (struct cf_raster_samples){ .x_px = (uint16_t)(at % 4 * 4),
                                                 .y_px = (uint16_t)(at / 4 * 4) };
         for (uint32_t k = 0; k < CF_SAMPLES; k++)
            blocks[i].mask[k] = cf_random_below(&rng, 3) ? (uint16_t)cf_random_u32(&rng) : 0;
         expected[i] = blocks[i];
         bool any = false;
         for (uint32_t k = 0; k < CF_SAMPLES; k++) {
            struct cf_raster_block one = { blocks[i].x_px, blocks[i].y_px, blocks[i].mask[k], 0 };
            cf_pixel_ops_base.test_blocks(&c[k], &prim, at_samples ? k : CF_SAMPLE_CENTRE, &one,
                                          one.mask != 0);
            expected[i].mask[k] = one.mask;
            any |= one.mask != 0;
         }
         hidden += !any;
      }
      for (uint32_t level = 0; level <= (uint32_t)cf_host_level(); level++) {
         struct cf_raster_samples list[12];
         memcpy(list, blocks, sizeof(list));
         for (uint32_t k = 0; k < CF_SAMPLES; k++) {
            memcpy(s[k].data[2], s[k].before, s[k].size_B);
            c[k].zs.data = s[k].data[2];
         }
         assert_int_equal(cf_pixel_ops_at(level)->test_samples(c, &prim, at_samples, list, count),
                          hidden);
         for (uint32_t k = 0; k < CF_SAMPLES; k++)
            assert_memory_equal(s[k].data[2], s[k].data[0], s[k].size_B);
         for (uint32_t i = 0; i < count; i++)
            assert_memory_equal(list[i].mask, expected[i].mask, sizeof(list[i].mask));
      }
      for (uint32_t k = 0; k < CF_SAMPLES; k++)
         test_surface_free(&s[k]);
   }
}

/* A look before late tests: what fails in it fails in the tests, then and after other draws of the
 * state; nothing is written. */
static void
looks_match_tests(void **state)
{
   (void)state;
   uint32_t looks = 0, hidden = 0;
   for (uint32_t round = 0; round < 8000; round++) {
      struct test_surface s;
      test_surface_init(&s, zs_formats[cf_random_below(&rng, 6)], true, 16, 12);
      tame_surface(&s);
      struct cf_pixel_config c = { .depth_stencil = random_depth_stencil(),
                                   .zs = s.image,
                                   .program_kills = true };
      c.depth_stencil.stencil_front = false;
      cf_pixel_configure(&c);
      struct cf_prim prim = random_plane(&s), other = random_plane(&s);
      for (uint32_t level = 0; level <= (uint32_t)cf_host_level() && c.hiz_usable; level++) {
         const uint32_t at = cf_random_below(&rng, 12);
         const struct cf_raster_block block = { (uint16_t)(at % 4 * 4), (uint16_t)(at / 4 * 4),
                                                (uint16_t)(1 + cf_random_below(&rng, 0xffff)) };
         struct cf_raster_block look = block, test = block, rest = block;
         memcpy(s.data[2], s.before, s.size_B);
         c.zs.data = s.data[2];
         const uint32_t none = cf_pixel_ops_at(level)->look_at_blocks(&c, &prim, &look, 1);
         assert_memory_equal(s.data[2], s.before, s.size_B);
         assert_int_equal(none, look.mask == 0);
         if (cf_random_below(&rng, 2)) /* fragments that wait to be tested */
            cf_pixel_ops_base.test_blocks(&c, &other, CF_SAMPLE_CENTRE, &rest, 1);
         else
            rest.mask = 0;
         cf_pixel_ops_base.test_blocks(&c, &prim, CF_SAMPLE_CENTRE, &test, 1);
         assert_int_equal(test.mask & ~look.mask, 0);
         if (!rest.mask)
            assert_int_equal(test.mask, look.mask);
         looks++;
         hidden += block.mask != look.mask;
      }
      test_surface_free(&s);
   }
   assert_true(hidden > looks / 10);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(lists_match_blocks),
      cmocka_unit_test(primitives_match_lists),
      cmocka_unit_test(samples_match_lists),
      cmocka_unit_test(looks_match_tests),
   };
   rng = cf_random_seed("early tests");
   return cmocka_run_group_tests_name("early tests", tests, NULL, NULL);
}
