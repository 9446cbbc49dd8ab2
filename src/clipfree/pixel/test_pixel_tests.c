/* SPDX-License-Identifier: MIT */
/*
 * Alpha, stencil and depth tests against GL's rules written out for one pixel; and which tests may run early.
 */
#include "clipfree/pixel/cf_hiz.h"
#include "clipfree/pixel/test_pixel_zs.h"

/* The lanes in mask did what the reference says, and unused bits are kept. */
static void
check_lanes(const struct cf_pixel_config *c, const struct test_surface *s, const struct test_quads *t, uint32_t mask,
            const float *depth, uint32_t front, uint32_t result)
{
   const enum cf_format format = s->image.format->code;
   struct cf_pixel_config late = *c; /* after the program, without the alpha test */
   late.early_tests = late.depth_stencil.alpha_test = false;
   for (uint32_t lane = 0; lane < 4 * t->count; lane++) {
      const uint32_t at = lane_offset_B(&s->image, t, lane);
      if (!(mask >> lane & 1)) {
         assert_int_equal(result >> lane & 1, 0);
         continue;
      }
      struct ref_pixel pixel = ref_load(format, s->before + at);
      uint32_t before[2] = {0};
      memcpy(before, s->before + at, s->image.format->pixel_B);
      const enum cf_fate fate = ref_test(c, format, &pixel, depth[lane], front >> lane & 1);
      assert_int_equal(cf_pixel_explain(&late, before, depth[lane], 0.0f, front >> lane & 1), fate);
      const struct ref_pixel got = ref_load(format, s->data[0] + at);
      assert_int_equal(result >> lane & 1, fate == CF_FATE_WRITTEN);
      assert_true(got.depth == pixel.depth || (isnan(got.depth) && isnan(pixel.depth)));
      assert_int_equal(got.stencil, pixel.stencil);
      if (format == CF_FORMAT_Z32_FLOAT_S8X24_UINT)
         assert_memory_equal(s->data[0] + at + 5, s->before + at + 5, 3);
   }
}

/* ------------------------------------------------------------------ tests */

static void
blocks_match_reference(void **state)
{
   (void)state;
   for (uint32_t round = 0; round < 4000; round++) {
      struct test_surface s;
      test_surface_init(&s, zs_formats[cf_random_below(&rng, 6)], cf_random_below(&rng, 4) > 0, 16, 12);
      tame_surface(&s);
      struct cf_pixel_config c = {.depth_stencil = random_depth_stencil(), .zs = s.image,
                                  .stencil_ref = {cf_random_below(&rng, 256), cf_random_below(&rng, 256)}};
      c.depth_stencil.alpha_test = false;
      cf_pixel_configure(&c);
      assert_true(c.early_tests == c.tests_needed);
      const uint32_t x = 4 * cf_random_below(&rng, 4), y = 4 * cf_random_below(&rng, 3);
      struct test_quads t = {.count = 4, .mask = cf_random_u32(&rng) & 0xffff};
      for (uint32_t q = 0; q < 4; q++)
         t.quad[q] = (struct cf_quad){.x_px = (uint16_t)(x + (q & 1) * 2), .y_px = (uint16_t)(y + (q >> 1) * 2)};
      float depth[16];
      for (uint32_t i = 0; i < 16; i++)
         depth[i] = random_depth(s.image.format->code, s.before + lane_offset_B(&s.image, &t, i));
      const bool front = cf_random_below(&rng, 2);
      uint32_t result = 0;
      for (uint32_t level = 0; level <= (uint32_t)cf_host_level(); level++) {
         c.zs.data = s.data[level];
         const uint32_t r = cf_pixel_ops_at(level)->test_block(&c, x, y, t.mask, depth, front);
         assert_true(level == 0 || r == result);
         result = r;
      }
      test_surface_levels_agree(&s);
      only_lanes_changed(&s, &t, t.mask);
      check_lanes(&c, &s, &t, t.mask, depth, front ? ~0u : 0, result);
      test_surface_free(&s);
   }
}

/* ------------------------------------------------------------------ hierarchical Z */

/* Depths of regions that lie before or behind one another, and some that are anything. */
static void
fill_regions(struct test_surface *s)
{
   const struct cf_image *image = &s->image;
   const enum cf_format format = image->format->code;
   const bool is_float = format == CF_FORMAT_Z32_FLOAT || format == CF_FORMAT_Z32_FLOAT_S8X24_UINT;
   const uint32_t anything = cf_random_below(&rng, 2) ? 0 : 1 + cf_random_below(&rng, 64);
   float level[64];
   for (uint32_t i = 0; i < 64; i++)
      level[i] = (float)cf_random_below(&rng, 5) * 0.25f;
   for (uint32_t y = 0; y < image->height_px; y++) {
      for (uint32_t x = 0; x < image->width_px; x++) {
         const float z = level[y / 16 % 8 * 8 + x / 16 % 8] + (float)cf_random_below(&rng, 3) * 0x1p-16f;
         const float unusual[] = {-0.0f, -1.0f, NAN, 2.0f, -NAN};
         uint8_t *pixel = s->before + cf_image_offset_B(image, x, y);
         const bool is_unusual = anything && cf_random_below(&rng, anything) == 0;
         if (is_float && is_unusual) {
            memcpy(pixel, &unusual[cf_random_below(&rng, 5)], 4);
         } else if (!is_unusual) {
            const float clamped = z > 1 ? 1 : z;
            uint32_t stored = (uint32_t)ref_quantise(format, z);
            if (is_float)
               memcpy(&stored, &clamped, 4);
            memcpy(pixel, &stored, image->format->pixel_B < 3 ? image->format->pixel_B : is_float ? 4 : 3);
         }
      }
   }
   test_surface_reset(s);
}

/* A test that bounds serve, most often. */
static struct cf_depth_stencil
random_hiding_state(void)
{
   static const enum cf_compare usual[] = {CF_COMPARE_LESS, CF_COMPARE_LEQUAL, CF_COMPARE_GREATER, CF_COMPARE_GEQUAL,
                                           CF_COMPARE_EQUAL};
   return (struct cf_depth_stencil){
      .depth_test = cf_random_below(&rng, 16) > 0,
      .depth_write = cf_random_below(&rng, 2),
      .depth_func = cf_random_below(&rng, 8) ? usual[cf_random_below(&rng, 5)] : cf_random_below(&rng, 8),
      .stencil_front = cf_random_below(&rng, 16) == 0,
      .front_func = cf_random_below(&rng, 8),
      .front_write_mask = 255,
      .front_value_mask = 255,
   };
}

/* No pixel of a primitive that is said to be hidden passes; returns how many there are. */
static uint32_t
check_hidden(const struct cf_pixel_config *config, const struct cf_prim *prim, uint32_t hidden, uint32_t tile_x_px,
             uint32_t tile_y_px)
{
   uint32_t pixels = 0;
   for (uint32_t y = prim->bounds.min_y_px; y < prim->bounds.max_y_px; y++) {
      for (uint32_t x = prim->bounds.min_x_px; x < prim->bounds.max_x_px; x++) {
         if (x - tile_x_px >= 64 || y - tile_y_px >= 64 || !(hidden >> ((y - tile_y_px) / 16 * 4 + (x - tile_x_px) / 16) & 1))
            continue;
         for (uint32_t sample = 0; sample < config->samples; sample++) {
            const struct cf_image *zs = &config[sample].zs;
            const bool centre = config->samples == 1;
            const float z = plane_at(prim, x + (centre ? 0 : cf_sample_offset_px(sample, 0)),
                                     y + (centre ? 0 : cf_sample_offset_px(sample, 1)));
            struct ref_pixel pixel = ref_load(zs->format->code, zs->data + cf_image_offset_B(zs, x, y));
            assert_int_not_equal(ref_test(config, zs->format->code, &pixel, z, true), CF_FATE_WRITTEN);
         }
         pixels++;
      }
   }
   return pixels;
}

/* Draw some blocks of a primitive, with the state of the draw. */
static void
draw_blocks(const struct cf_pixel_config *config, const struct cf_prim *prim)
{
   struct cf_raster_block blocks[64];
   uint32_t count = 0;
   for (uint32_t y = prim->bounds.min_y_px / 4; y < prim->bounds.max_y_px / 4u && count < 64; y++)
      for (uint32_t x = prim->bounds.min_x_px / 4; x < prim->bounds.max_x_px / 4u && count < 64; x++)
         if (cf_random_below(&rng, 2))
            blocks[count++] = (struct cf_raster_block){ (uint16_t)(4 * x), (uint16_t)(4 * y),
                                                        (uint16_t)cf_random_u32(&rng), 0 };
   for (uint32_t sample = 0; sample < config->samples; sample++) {
      struct cf_raster_block list[64];
      memcpy(list, blocks, sizeof(list));
      cf_pixel_ops_at(cf_host_level())->test_blocks(&config[sample], prim, config->samples > 1 ? sample : CF_SAMPLE_CENTRE, list,
                                                    count);
   }
}

/* What bounds hide fails the test at every pixel, whatever has been drawn since they were taken; and they do hide. */
static void
hidden_pixels_fail(void **state)
{
   (void)state;
   uint32_t hidden_px = 0, hidden_parts = 0;
   for (uint32_t round = 0; round < 600; round++) {
      const uint32_t samples = cf_random_below(&rng, 4) ? 1 : CF_SAMPLES;
      const uint32_t width_px = 1 + cf_random_below(&rng, 128), height_px = 1 + cf_random_below(&rng, 128);
      const uint32_t x_px = cf_random_below(&rng, (width_px + 63) / 64) * 64, y_px = cf_random_below(&rng, (height_px + 63) / 64) * 64;
      const enum cf_format format = zs_formats[cf_random_below(&rng, 6)];
      struct test_surface s[CF_SAMPLES];
      for (uint32_t i = 0; i < samples; i++) {
         test_surface_init(&s[i], format, true, width_px, height_px);
         fill_regions(&s[i]);
      }
      struct cf_hiz hiz;
      cf_hiz_begin(&hiz);
      for (uint32_t draw = 0; draw < 12; draw++) {
         struct cf_pixel_config c[CF_SAMPLES];
         c[0] = (struct cf_pixel_config){.depth_stencil = random_hiding_state(), .samples = samples,
                                         .program_kills = cf_random_below(&rng, 4) == 0};
         for (uint32_t i = 0; i < samples; i++) {
            c[i] = c[0];
            c[i].zs = s[i].image;
            cf_pixel_configure(&c[i]);
         }
         cf_hiz_enter_draw(&hiz, &c[0]);
         if (c[0].hiz_usable && cf_random_below(&rng, 3) == 0)
            cf_hiz_take(&hiz, cf_pixel_ops_at(cf_random_below(&rng, (uint32_t)cf_host_level() + 1)), c, x_px, y_px);
         for (uint32_t i = 0; i < 4; i++) {
            struct cf_prim prim = random_plane(&s[0]);
            prim.bounds.min_x_px = (uint16_t)(x_px + cf_random_below(&rng, width_px - x_px < 64 ? width_px - x_px : 64));
            prim.bounds.min_y_px = (uint16_t)(y_px + cf_random_below(&rng, height_px - y_px < 64 ? height_px - y_px : 64));
            prim.bounds.max_x_px = (uint16_t)(prim.bounds.min_x_px + 1 + cf_random_below(&rng, width_px - prim.bounds.min_x_px));
            prim.bounds.max_y_px = (uint16_t)(prim.bounds.min_y_px + 1 + cf_random_below(&rng, height_px - prim.bounds.min_y_px));
            const uint32_t hidden = cf_hiz_hidden(&hiz, &c[0], &prim, x_px, y_px);
            hidden_px += check_hidden(c, &prim, hidden, x_px, y_px);
            hidden_parts += hidden != 0 && hidden != CF_HIZ_EVERYWHERE;
            draw_blocks(c, &prim);
         }
      }
      for (uint32_t i = 0; i < samples; i++)
         test_surface_free(&s[i]);
   }
   assert_true(hidden_px > 100000);
   assert_true(hidden_parts > 100);
}

/* Bounds of a flat tile and of planes over it, to the last step of the format. */
static void
bounds_are_tight(void **state)
{
   (void)state;
   struct test_surface s;
   test_surface_init(&s, CF_FORMAT_Z24X8_UNORM, true, 64, 64);
   const int32_t stored = 0x800000, word = stored | 0x5a000000; /* bits 31:24 are not depth */
   for (uint32_t i = 0; i < 64 * 64; i++)
      memcpy(s.before + 4 * i, &word, 4);
   test_surface_reset(&s);
   static const struct {
      enum cf_compare func;
      int32_t step; /* of the nearest (farthest) pixel, from what is stored */
      bool hidden;
   } cases[] = {
      {CF_COMPARE_LESS, -1, false},   {CF_COMPARE_LESS, 0, true},    {CF_COMPARE_LEQUAL, 0, false}, {CF_COMPARE_LEQUAL, 1, true},
      {CF_COMPARE_EQUAL, 0, false},   {CF_COMPARE_EQUAL, 1, true},   {CF_COMPARE_GEQUAL, 0, false}, {CF_COMPARE_GEQUAL, -1, true},
      {CF_COMPARE_GREATER, 1, false}, {CF_COMPARE_GREATER, 0, true}, {CF_COMPARE_ALWAYS, 9, false}, {CF_COMPARE_NOTEQUAL, 9, false},
   };
   for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      struct cf_pixel_config c = {.depth_stencil = {.depth_test = true, .depth_func = cases[i].func}, .zs = s.image};
      struct cf_prim prim = {.z_max = 1, .bounds = {0, 0, 64, 64}};
      struct cf_hiz hiz;
      cf_pixel_configure(&c);
      cf_hiz_begin(&hiz);
      assert_int_equal(cf_hiz_hidden(&hiz, &c, &prim, 0, 0), 0);
      if (c.hiz_usable)
         cf_hiz_take(&hiz, &cf_pixel_ops_base, &c, 0, 0);
      prim.z_a = hiz.side == CF_DEPTH_FARTHEST ? 0.001 : -0.001;
      prim.z_b = -prim.z_a;
      prim.z_c = (double)(stored + cases[i].step) / 16777215 - prim.z_b * 63;
      const uint32_t hidden = cf_hiz_hidden(&hiz, &c, &prim, 0, 0), corner = 1u << 12; /* pixel (0, 63) */
      assert_int_equal(cases[i].hidden ? hidden : hidden & corner, cases[i].hidden ? CF_HIZ_EVERYWHERE : 0);
   }
   test_surface_free(&s);
}

static bool
ref_alpha(const struct cf_pixel_config *c, float alpha, bool unorm_target)
{
   float ref = c->depth_stencil.alpha_ref;
   if (unorm_target) {
      alpha = alpha > 0 ? (alpha < 1 ? alpha : 1) : 0;
      ref = ref > 0 ? (ref < 1 ? ref : 1) : 0;
   }
   return !c->depth_stencil.alpha_test || ref_compare(c->depth_stencil.alpha_func, (double)alpha, (double)ref);
}

static void
quads_match_reference(void **state)
{
   (void)state;
   static const float alphas[] = {0, 1, 0.5f, -0.5f, 1.5f, -1, 2, NAN, 0x1.fffffep-2f, INFINITY};
   for (uint32_t round = 0; round < 4000; round++) {
      struct test_surface s, color;
      test_surface_init(&s, zs_formats[cf_random_below(&rng, 6)], cf_random_below(&rng, 4) > 0, 1 + cf_random_below(&rng, 21),
                        1 + cf_random_below(&rng, 21));
      test_surface_init(&color, one_of(CF_FORMAT_B8G8R8A8_UNORM, CF_FORMAT_R16G16B16A16_FLOAT), true, 4, 4);
      tame_surface(&s);
      struct cf_pixel_config c = {.depth_stencil = random_depth_stencil(), .zs = s.image, .color_count = 1,
                                  .color = {color.image}, .program_writes_depth = true,
                                  .stencil_ref = {cf_random_below(&rng, 256), cf_random_below(&rng, 256)}};
      cf_pixel_configure(&c);
      assert_true(!c.early_tests || !c.depth_test); /* the program's depth is late, if it matters */
      c.early_tests = false;
      const struct test_quads t = random_quads(&s.image);
      float depth[32], alpha[32];
      uint32_t result = 0, alive = 0;
      for (uint32_t i = 0; i < 4 * t.count; i++) {
         depth[i] = t.mask >> i & 1 ? random_depth(s.image.format->code, s.before + lane_offset_B(&s.image, &t, i)) : NAN;
         alpha[i] = alphas[cf_random_below(&rng, 10)];
         const bool passes = ref_alpha(&c, alpha[i], color.image.format->code == CF_FORMAT_B8G8R8A8_UNORM);
         alive |= (uint32_t)passes << i;
         assert_true((cf_pixel_explain(&c, (const uint32_t[2]){0}, 0.0f, alpha[i], true) != CF_FATE_ALPHA) == passes);
      }
      const uint32_t front = cf_random_u32(&rng);
      for (uint32_t level = 0; level <= (uint32_t)cf_host_level(); level++) {
         c.zs.data = s.data[level];
         const uint32_t r = cf_pixel_ops_at(level)->test_quads(&c, t.quad, t.count, t.mask, depth, alpha, front);
         assert_true(level == 0 || r == result);
         result = r;
      }
      test_surface_levels_agree(&s);
      only_lanes_changed(&s, &t, t.mask & alive);
      check_lanes(&c, &s, &t, t.mask & alive, depth, front, result);
      test_surface_free(&s);
      test_surface_free(&color);
   }
}

/* GL: equal depths survive storing and comparing again, for any depth and format. */
static void
equal_depths_are_equal(void **state)
{
   (void)state;
   for (uint32_t f = 0; f < 5; f++) {
      struct test_surface s;
      test_surface_init(&s, zs_formats[f], true, 4, 4);
      test_surface_reset(&s);
      struct cf_pixel_config write = {.depth_stencil = {.depth_test = true, .depth_write = true, .depth_func = CF_COMPARE_ALWAYS}};
      struct cf_pixel_config equal = {.depth_stencil = {.depth_test = true, .depth_func = CF_COMPARE_EQUAL}};
      write.zs = equal.zs = s.image;
      cf_pixel_configure(&write);
      cf_pixel_configure(&equal);
      for (uint32_t round = 0; round < 1000; round++) {
         float depth[16];
         for (uint32_t i = 0; i < 16; i++)
            depth[i] = random_depth(zs_formats[f], s.data[0] + i * s.image.format->pixel_B);
         assert_int_equal(cf_pixel_ops_base.test_block(&write, 0, 0, 0xffff, depth, true), 0xffff);
         assert_int_equal(cf_pixel_ops_base.test_block(&equal, 0, 0, 0xffff, depth, true), 0xffff);
      }
      test_surface_free(&s);
   }
}

/* Where tests run, for all combinations of what matters. */
static void
early_tests_truth_table(void **state)
{
   (void)state;
   struct test_surface s;
   test_surface_init(&s, CF_FORMAT_Z24_UNORM_S8_UINT, true, 4, 4);
   for (uint32_t i = 0; i < 256; i++) {
      const bool depth_test = i & 1, depth_write = i & 2, stencil_write = i & 4, kills = i & 8, alpha = i & 16, writes_z = i & 32,
                 demanded = i & 64, stencil_test = i & 128;
      struct cf_pixel_config c = {
         .depth_stencil = {.depth_test = depth_test, .depth_write = depth_write, .depth_func = CF_COMPARE_LESS,
                           .alpha_test = alpha, .alpha_func = CF_COMPARE_GREATER, .stencil_front = stencil_test,
                           .front_func = CF_COMPARE_EQUAL, .front_value_mask = 255, .front_write_mask = 255,
                           .front_zpass = stencil_write ? CF_STENCIL_OP_INCR : CF_STENCIL_OP_KEEP},
         .zs = s.image, .program_kills = kills, .program_writes_depth = writes_z, .program_early_tests = demanded};
      cf_pixel_configure(&c);
      const bool needed = depth_test || stencil_test;
      const bool writes = (depth_test && depth_write) || (stencil_test && stencil_write);
      const bool illegal = (writes_z && depth_test) || ((kills || alpha) && writes);
      assert_int_equal(c.tests_needed, needed);
      assert_int_equal(c.early_tests, needed && (demanded || !illegal));
      assert_int_equal(c.late_tests, alpha || (needed && !demanded && illegal));
      assert_int_equal(c.shading_needed, kills || alpha || (writes_z && depth_test && !demanded));
      assert_int_equal(c.color_writes, 0);
   }
   test_surface_free(&s);
}

/* Tests without effect are not needed; nothing is bound, nothing is tested. */
static void
tests_without_effect(void **state)
{
   (void)state;
   struct test_surface s;
   test_surface_init(&s, CF_FORMAT_Z16_UNORM, true, 4, 4);
   struct cf_pixel_config c = {.depth_stencil = {.depth_test = true, .depth_func = CF_COMPARE_ALWAYS, .stencil_front = true,
                                                 .front_func = CF_COMPARE_NEVER, .alpha_test = true, .alpha_func = CF_COMPARE_ALWAYS},
                               .zs = s.image};
   cf_pixel_configure(&c);
   assert_false(c.tests_needed || c.early_tests || c.late_tests || c.shading_needed);
   c.depth_stencil.depth_write = true;
   cf_pixel_configure(&c);
   assert_true(c.tests_needed && c.early_tests && !c.late_tests && !c.shading_needed);
   c.zs.data = NULL;
   cf_pixel_configure(&c);
   assert_false(c.tests_needed || c.early_tests || c.late_tests);
   const float depth[16] = {0};
   assert_int_equal(cf_pixel_ops_base.test_block(&c, 0, 0, 0x1234, depth, true), 0x1234);
   test_surface_free(&s);
}

/* Tests that stop everything: whatever is drawn, on either face, nothing passes or changes. */
static void
tests_that_stop_all(void **state)
{
   (void)state;
   uint32_t stopped = 0;
   for (uint32_t round = 0; round < 20000; round++) {
      struct test_surface s;
      test_surface_init(&s, zs_formats[cf_random_below(&rng, 6)], true, 4, 4);
      tame_surface(&s);
      struct cf_pixel_config c = { .depth_stencil = random_depth_stencil(), .zs = s.image };
      c.depth_stencil.front_func &= cf_random_below(&rng, 8); /* CF_COMPARE_NEVER more often */
      cf_pixel_configure(&c);
      c.zs.data = s.data[0];
      float depth[16];
      for (uint32_t i = 0; i < 16; i++)
         depth[i] = (float)cf_random_u32(&rng) * 0x1p-32f;
      for (uint32_t front = 0; front < 2 && c.draws_nothing; front++) {
         assert_int_equal(cf_pixel_ops_base.test_block(&c, 0, 0, 0xffff, depth, front), 0);
         assert_memory_equal(s.data[0], s.before, s.size_B);
      }
      stopped += c.draws_nothing;
      if (c.depth_test && c.depth_stencil.depth_func == CF_COMPARE_NEVER && !c.stencil_test)
         assert_true(c.draws_nothing);
      test_surface_free(&s);
   }
   assert_in_range(stopped, 1000, 10000);
}

/* With alpha_to_one the test sees 1, whatever the program wrote. */
static void
alpha_is_one(void **state)
{
   (void)state;
   struct cf_pixel_config c = {
      .depth_stencil = { .alpha_test = true, .alpha_func = CF_COMPARE_GEQUAL, .alpha_ref = 1.0f }
   };
   assert_false(cf_pixel_explain_alpha(&c, 0.5f));
   c.alpha_to_one = true;
   assert_true(cf_pixel_explain_alpha(&c, 0.5f));
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_match_reference), cmocka_unit_test(hidden_pixels_fail),
      cmocka_unit_test(bounds_are_tight),       cmocka_unit_test(quads_match_reference),
      cmocka_unit_test(equal_depths_are_equal), cmocka_unit_test(early_tests_truth_table),
      cmocka_unit_test(tests_without_effect),   cmocka_unit_test(tests_that_stop_all),
      cmocka_unit_test(alpha_is_one),
   };
   rng = cf_random_seed("pixel tests");
   return cmocka_run_group_tests_name("pixel tests", tests, NULL, NULL);
}
