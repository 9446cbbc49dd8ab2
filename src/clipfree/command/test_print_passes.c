/* SPDX-License-Identifier: MIT */
/*
 * Passes as text (cf_print_pass): each kind of it says what was drawn, and only that; state is said
 * where it changes; pixels and samples add up to what each draw covers; and of long lists the first
 * lines are there, and the number of the rest.
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

#include "clipfree/command/test_scene.h"

#define ALL (CF_PRINT_SETUP | CF_PRINT_RAST | CF_PRINT_TEX | CF_PRINT_PIXEL)
#define PIXELS (TEST_SCENE_PX * TEST_SCENE_PX)
#define TILES 4 /* of 64 x 64 pixels */
#define MOST_LINES 400u

static void
open_scene(struct test_scene *s, uint32_t flags)
{
   test_scene_open_on(s, test_model_of((struct cf_model_config){ .print = flags }));
   test_scene_emit_state(s);
   EMIT(&s->t, raster, .half_pixel_center = true);
}

/* Submit, and close the scene. Returns what was printed; free() it. */
static char *
close_scene(struct test_scene *s)
{
   FILE *log = tmpfile();
   const int before = dup(STDERR_FILENO);
   assert_true(log && before >= 0);
   fflush(stderr);
   dup2(fileno(log), STDERR_FILENO);
   test_submit(&s->t);
   fflush(stderr);
   dup2(before, STDERR_FILENO);
   close(before);
   test_no_error(&s->t);
   test_frame_close(&s->t, &s->color, &s->zs);
   const long size_B = (fseek(log, 0, SEEK_END), ftell(log));
   char *text = calloc(1, (size_t)size_B + 1);
   assert_non_null(text);
   rewind(log);
   assert_int_equal(fread(text, 1, (size_t)size_B, log), size_B);
   fclose(log);
   return text;
}

static uint32_t
times(const char *text, const char *what)
{
   uint32_t count = 0;
   for (const char *at = text; (at = strstr(at, what)); at += strlen(what))
      count++;
   return count;
}

/* The sum of the numbers before each `unit`, e.g. "pixels\n". */
static uint64_t
sum_of(const char *text, const char *unit)
{
   uint64_t sum = 0;
   for (const char *at = text; (at = strstr(at, unit)); at += strlen(unit)) {
      const char *digit = at - 1;
      while (digit > text && digit[-1] >= '0' && digit[-1] <= '9')
         digit--;
      sum += strtoull(digit, NULL, 10);
   }
   return sum;
}

/* Each flag prints its part, none prints another's. */
static void
flags(void **state)
{
   static const struct {
      uint32_t flag;
      const char *text;
   } parts[] = { { CF_PRINT_SETUP, "   triangle of draw 0x" },
                 { CF_PRINT_RAST, "   tile (0, 0): primitive" },
                 { CF_PRINT_TEX, "   fragment texture unit 0: r8g8b8a8_unorm, 2 dimensions" },
                 { CF_PRINT_PIXEL, "   pixel engine: no tests, targets written 0x1, read 0x0\n" } };
   for (uint32_t flags = 0; flags <= ALL; flags++) {
      struct test_scene s;
      open_scene(&s, flags);
      test_scene_emit_draw(&s);
      char *text = close_scene(&s);
      assert_int_equal(times(text, "clipfree: pass of 100 x 100 pixels, 1 draws, 1 chunks\n"),
                       flags != 0);
      for (uint32_t i = 0; i < 4; i++)
         assert_int_equal(strstr(text, parts[i].text) != NULL, (flags & parts[i].flag) != 0);
      assert_int_equal(times(text, ": 4 elements, 1 instances\n"),
                       (flags & (CF_PRINT_TEX | CF_PRINT_PIXEL)) != 0);
      free(text);
   }
}

/* The tiles and primitives of two draws and a clear: a strip's two triangles cover all pixels. */
static void
coverage(void **state)
{
   struct test_scene s;
   open_scene(&s, ALL);
   test_scene_emit_draw(&s);
   EMIT(&s.t, clear, .colors = 1, .min_x_px = 5, .max_x_px = 10, .max_y_px = 20);
   test_scene_emit_draw(&s);
   char *text = close_scene(&s);
   assert_int_equal(times(text, "   triangle of draw"), 4);
   assert_int_equal(times(text, ": 4 elements, 1 instances\n"), 2); /* a clear has no state */
   assert_int_equal(times(text, "tile (0, 0): clear\n"), 1);
   assert_int_equal(times(text, "): clear\n"), 1); /* in no other tile */
   assert_int_equal(sum_of(text, " pixels\n"), 2 * PIXELS);
   assert_int_equal(times(text, " samples\n"), 0);
   assert_int_equal(times(text, " more "), 0);
   free(text);
}

/* The same of a frame with several samples. */
static void
samples(void **state)
{
   struct test_scene s;
   struct test_surface color;
   open_scene(&s, CF_PRINT_RAST);
   test_surface_create_samples(&s.t, &color, CF_FORMAT_R8G8B8A8_UNORM, TEST_SCENE_PX, TEST_SCENE_PX,
                               CF_SAMPLES);
   test_emit_frame(&s.t, &color, NULL);
   EMIT(&s.t, raster, .half_pixel_center = true, .multisample = true);
   test_scene_emit_draw(&s);
   EMIT(&s.t, raster, .half_pixel_center = true);
   test_scene_emit_draw(&s);
   char *text = close_scene(&s);
   assert_int_equal(sum_of(text, " samples\n"), CF_SAMPLES * PIXELS);
   assert_int_equal(sum_of(text, " pixels\n"), PIXELS);
   free(text);
}

/* State is printed with the first draw that has it. */
static void
changes(void **state)
{
   uint32_t dw[CF_SAMPLER_DWORDS];
   struct test_scene s;
   open_scene(&s, CF_PRINT_TEX | CF_PRINT_PIXEL);
   struct cf_texture depth = s.descriptor;
   depth.format = CF_FORMAT_Z32_FLOAT;
   cf_sampler_pack(dw, &(struct cf_sampler){ .compare_enable = true });
   test_scene_emit_draw(&s);
   test_scene_emit_draw(&s); /* all is the same */
   EMIT(&s.t, bind_texture, .stage = CF_SHADER_STAGE_FRAGMENT,
        .texture = test_put_texture(&s.t, &depth), .sampler = test_put(&s.t, dw, sizeof(dw)));
   test_scene_emit_draw(&s);
   EMIT(&s.t, bind_texture, .stage = CF_SHADER_STAGE_FRAGMENT); /* none */
   EMIT(&s.t, depth_stencil, .depth_test = true, .depth_func = CF_COMPARE_LEQUAL);
   test_scene_emit_draw(&s);
   char *text = close_scene(&s);
   assert_int_equal(times(text, ": 4 elements, 1 instances\n"), 4);
   assert_int_equal(times(text, "texture unit"), 2);
   assert_int_equal(times(text, "fragment texture unit 0: r8g8b8a8_unorm, 2 dimensions, by level "
                                "of detail\n"),
                    1);
   assert_int_equal(times(text, "fragment texture unit 0: z32_float, 2 dimensions, compared\n"), 1);
   assert_int_equal(times(text, "pixel engine: "), 2);
   assert_int_equal(times(text, "pixel engine: no tests"), 1);
   assert_int_equal(times(text, "pixel engine: early tests"), 1);
   free(text);
}

/* What the pixel engine does, with one draw each. A program that kills has its tests late. */
static void
pixels(void **state)
{
   static const struct {
      bool kills, blends, depth;
      uint32_t mask;
      const char *text;
   } cases[] = {
      { false, false, false, 0xf, "no tests, targets written 0x1, read 0x0\n" },
      { false, false, true, 0xf, "early tests, targets written 0x1, read 0x0\n" },
      { true, false, true, 0xf, "late tests, targets written 0x1, read 0x0\n" },
      { false, true, false, 0xf, "no tests, targets written 0x1, read 0x1\n" },
      { false, false, true, 0, "early tests, targets written 0x0, read 0x0, nothing is shaded\n" },
   };
   const struct cf_program kills = { .stage = CF_SHADER_STAGE_FRAGMENT,
                                     .vector_regs = 4,
                                     .outputs = 4,
                                     .inputs = 4,
                                     .color_outputs = 1,
                                     .uses_kill = true };
   for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      struct test_scene s;
      open_scene(&s, CF_PRINT_PIXEL);
      if (cases[i].kills)
         EMIT(&s.t, shader, .stage = CF_SHADER_STAGE_FRAGMENT,
              .program = test_program(&s.t, test_kill_text, kills));
      EMIT(&s.t, depth_stencil, .depth_test = cases[i].depth, .depth_write = cases[i].depth,
           .depth_func = CF_COMPARE_LEQUAL);
      EMIT(&s.t, blend, .enable = cases[i].blends, .src_color = CF_BLEND_FACTOR_ONE,
           .dst_color = CF_BLEND_FACTOR_ONE, .src_alpha = CF_BLEND_FACTOR_ONE,
           .dst_alpha = CF_BLEND_FACTOR_ONE, .write_mask = cases[i].mask);
      test_scene_emit_draw(&s);
      char *text = close_scene(&s);
      if (!strstr(text, cases[i].text))
         fail_msg("case %u: %s", i, text);
      assert_int_equal(times(text, "depth_stencil"), 1);
      free(text);
   }
}

/* 250 draws of two triangles, each in all tiles it touches. */
static void
long_lists(void **state)
{
   enum { DRAWS = 250 };
   struct test_scene s;
   open_scene(&s, CF_PRINT_SETUP | CF_PRINT_RAST);
   for (uint32_t i = 0; i < DRAWS; i++)
      test_scene_emit_draw(&s);
   char *text = close_scene(&s);
   assert_int_equal(times(text, "   triangle of draw"), MOST_LINES);
   assert_int_equal(sum_of(text, " more primitives\n"), 2 * DRAWS - MOST_LINES);
   assert_int_equal(times(text, "   tile ("), MOST_LINES);
   const uint64_t more = sum_of(text, " more entries of tiles\n");
   /* both triangles lie in the two tiles of the diagonal, and may be in each other one */
   assert_true(more + MOST_LINES >= (TILES + 2) * DRAWS && more + MOST_LINES <= 2 * TILES * DRAWS);
   free(text);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(flags),   cmocka_unit_test(coverage), cmocka_unit_test(samples),
      cmocka_unit_test(changes), cmocka_unit_test(pixels),   cmocka_unit_test(long_lists),
   };
   return cmocka_run_group_tests_name("passes as text", tests, NULL, NULL);
}
