/* SPDX-License-Identifier: MIT */
/*
 * Which textures have compiled code: of each thing that the code cannot do, its neighbour that it
 * can. All others are sampled as the interpreter does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clipfree/jit/cf_jit_source.h"
#include "clipfree/texture/cf_texture.h"

/* A unit that has code, and its format, for tests to change. */
struct made {
   struct cf_format_info format;
   struct cf_texture_unit unit;
};

static void
make(struct made *m)
{
   *m = (struct made){ .format = { .pixel_B = 4 } };
   for (uint8_t c = 0; c < 4; c++) {
      m->format.channel[c].type = CF_CHANNEL_UNORM;
      m->format.channel[c].bits = 8;
      m->unit.source[c] = c;
   }
   m->unit.format = &m->format;
   m->unit.dims = 2;
   m->unit.texture.kind = CF_TEXTURE_KIND_T2D;
   m->unit.texture.size_B = 64;
}

static bool
has_code(const struct made *m)
{
   struct cf_sample_key key;
   return cf_sample_key_of(&key, &m->unit);
}

static void
textures(void **state)
{
   struct made m;
   make(&m);
   assert_true(has_code(&m));
   m.unit.texture.size_B = (1u << 31) - 1;
   assert_true(has_code(&m));
   m.unit.texture.size_B = 1u << 31;
   assert_false(has_code(&m));
   make(&m);
   m.unit.empty = true;
   assert_false(has_code(&m));
   make(&m);
   m.unit.texture.kind = CF_TEXTURE_KIND_CUBE_ARRAY;
   assert_false(has_code(&m));
}

/* Blocks have two dimensions. */
static void
compressed(void **state)
{
   struct made m;
   make(&m);
   m.format.compression = 1;
   assert_true(has_code(&m));
   m.unit.dims = 1;
   assert_false(has_code(&m));
   m.format.compression = 0;
   assert_true(has_code(&m));
}

/* Parts of a dword, or whole ones. */
static void
pixels(void **state)
{
   struct made m;
   make(&m);
   for (uint8_t pixel_B = 1; pixel_B <= 16; pixel_B++) {
      m.format.pixel_B = pixel_B;
      assert_int_equal(has_code(&m), pixel_B <= 2 || pixel_B % 4 == 0);
   }
}

/* Normalised channels that are read have at most 24 bits, which a float can hold. */
static void
channels(void **state)
{
   struct made m;
   make(&m);
   for (unsigned bits = 24; bits <= 32; bits += 8) {
      m.format.channel[2].bits = (uint8_t)bits;
      m.format.channel[2].type = CF_CHANNEL_UNORM;
      assert_int_equal(has_code(&m), bits == 24);
      m.format.channel[2].type = CF_CHANNEL_SNORM;
      assert_int_equal(has_code(&m), bits == 24);
      m.format.channel[2].type = CF_CHANNEL_FLOAT;
      assert_true(has_code(&m));
   }
   m.format.channel[2].type = CF_CHANNEL_UNORM;
   m.unit.source[2] = CF_VIEW_ONE; /* it is not read */
   assert_true(has_code(&m));
}

/* Coordinates in texels do not repeat in GL; others of the sampler's axes do not count. */
static void
coordinates_in_texels(void **state)
{
   struct made m;
   make(&m);
   m.unit.sampler.wrap_s = m.unit.sampler.wrap_t = CF_WRAP_CLAMP_TO_EDGE;
   m.unit.sampler.wrap_r = CF_WRAP_REPEAT;
   for (int kind = 0; kind < 2; kind++) {
      m.unit.sampler.unnormalized = !kind;
      m.unit.texture.kind = kind ? CF_TEXTURE_KIND_RECT : CF_TEXTURE_KIND_T2D;
      assert_true(has_code(&m));
      m.unit.sampler.wrap_t = CF_WRAP_REPEAT;
      assert_false(has_code(&m));
      m.unit.sampler.wrap_t = CF_WRAP_CLAMP_TO_EDGE;
   }
   make(&m);
   m.unit.sampler.wrap_s = m.unit.sampler.wrap_t = CF_WRAP_REPEAT;
   assert_true(has_code(&m));
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(textures),
      cmocka_unit_test(compressed),
      cmocka_unit_test(pixels),
      cmocka_unit_test(channels),
      cmocka_unit_test(coordinates_in_texels),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
