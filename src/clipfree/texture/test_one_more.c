/* SPDX-License-Identifier: MIT */
/*
 * A format is a line of data: memory/one_more_format.toml has one that no code knows of. Its texels
 * and pixels are what the line says, computed here from the definition of unorms; so are the texels
 * that the texture unit fetches and filters, at each host level. Colours, vertex elements, copies,
 * means and compiled code of the format are tested by the units' own tests, built with the same
 * table (meson tests ...-one-more).
 */
#include "clipfree/texture/test_texture.h"

#define FORMAT ((enum cf_format)59)
#define ROUNDS 20000
#define WIDTH_PX 13
#define HEIGHT_PX 10

/* Of r, g, b, a: the line's first bits and how many. */
static const uint32_t first_bit[4] = { 27, 20, 0, 11 }, bits[4] = { 5, 7, 11, 9 };

static uint32_t
largest(uint32_t c)
{
   return (1u << bits[c]) - 1;
}

/* The quotient of a word's code. */
static float
value_of(uint32_t word, uint32_t c)
{
   return (float)((double)(word >> first_bit[c] & largest(c)) / largest(c));
}

static void
texels_are_quotients(void **state)
{
   (void)state;
   random_state = cf_random_seed("one more format").state;
   for (uint32_t n = 0; n < ROUNDS; n++) {
      const uint32_t word = n < 2 ? 0 - n : random_u32();
      float rgba[4];
      cf_format_fetch(cf_format_info_of(FORMAT), (const uint8_t *)&word, rgba);
      for (uint32_t c = 0; c < 4; c++)
         assert_int_equal(cf_bits(rgba[c]), cf_bits(value_of(word, c)));
   }
}

/* A stored code is the nearest one: the product may be rounded to f32 before. */
static void
pixels_are_nearest(void **state)
{
   (void)state;
   for (uint32_t n = 0; n < ROUNDS; n++) {
      float rgba[4];
      uint32_t word;
      for (uint32_t c = 0; c < 4; c++)
         rgba[c] = random_float(-0.25f, 1.25f);
      cf_format_store(cf_format_info_of(FORMAT), (uint8_t *)&word, rgba);
      for (uint32_t c = 0; c < 4; c++) {
         const double inside = fmin(fmax((double)rgba[c], 0), 1) * largest(c);
         assert_true(fabs((word >> first_bit[c] & largest(c)) - inside) <= 0.5 + 1e-4);
      }
   }
}

static uint32_t
word_at(const struct fixture *f, uint32_t x, uint32_t y)
{
   const uint32_t pitch_B = f->texture.level_row_pitch_B[0];
   const uint32_t in_row = f->texture.layout == CF_LAYOUT_BLOCKS ? y / 4 : y;
   const uint32_t element =
      f->texture.layout == CF_LAYOUT_BLOCKS ? x / 4 * 16 + cf_block_element(x, y) : x;
   uint32_t word;
   memcpy(&word, f->data + in_row * pitch_B + 4 * element, sizeof(word));
   return word;
}

/* Texels as they are, or the mean of four around a corner. */
static void
check_samples(const struct fixture *f, bool mean)
{
   float s[CF_TASK_LANES], t[CF_TASK_LANES], got[4][CF_TASK_LANES];
   uint32_t x[CF_TASK_LANES], y[CF_TASK_LANES];
   for (uint32_t l = 0; l < CF_TASK_LANES; l++) {
      x[l] = random_below(WIDTH_PX - 1);
      y[l] = random_below(HEIGHT_PX - 1);
      s[l] = ((float)x[l] + (mean ? 1.0f : 0.5f)) / WIDTH_PX;
      t[l] = ((float)y[l] + (mean ? 1.0f : 0.5f)) / HEIGHT_PX;
   }
   const struct cf_texture_request request = {
      .s = s, .t = t, .r = s, .q = s, .exec = UINT32_MAX, .mask = 15
   };
   sample_all_levels(f, &request, got);
   for (uint32_t l = 0; l < CF_TASK_LANES; l++) {
      for (uint32_t c = 0; c < 4; c++) {
         double sum = 0;
         for (uint32_t i = 0; i < 4 && mean; i++)
            sum += value_of(word_at(f, x[l] + i % 2, y[l] + i / 2), c);
         if (mean)
            assert_true(fabs(got[c][l] - sum / 4) < 1e-5);
         else
            assert_int_equal(cf_bits(got[c][l]), cf_bits(value_of(word_at(f, x[l], y[l]), c)));
      }
   }
}

static void
samples_are_of_texels(void **state)
{
   (void)state;
   for (uint32_t n = 0; n < 200; n++) {
      const bool mean = n & 1;
      struct fixture f = { .sampler = { .wrap_s = CF_WRAP_REPEAT,
                                        .min_filter = mean ? CF_FILTER_LINEAR : CF_FILTER_NEAREST,
                                        .mag_filter =
                                           mean ? CF_FILTER_LINEAR : CF_FILTER_NEAREST } };
      make_texture(&f, CF_TEXTURE_KIND_T2D, FORMAT, WIDTH_PX, HEIGHT_PX, 1, 0,
                   n & 2 ? CF_LAYOUT_BLOCKS : CF_LAYOUT_LINEAR);
      bind(&f);
      check_samples(&f, mean);
      free(f.data);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(texels_are_quotients),
      cmocka_unit_test(pixels_are_nearest),
      cmocka_unit_test(samples_are_of_texels),
   };
   return cmocka_run_group_tests_name("one more format", tests, NULL, NULL);
}
