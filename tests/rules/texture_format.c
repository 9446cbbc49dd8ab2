/* SPDX-License-Identifier: MIT */
#include "texture_format.h"

#include <math.h>
#include <string.h>

#include "texture_draw.h"

double
half_to_double(uint16_t half)
{
   const int exponent = half >> 10 & 31, fraction = half & 1023;
   const double sign = half >> 15 ? -1 : 1;
   if (exponent == 31)
      return fraction ? NAN : sign * INFINITY;
   return sign * (exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24));
}

/* ------------------------------------------------------------------------------------- decoding */

static double
unorm8(const uint8_t *bytes, int i)
{
   return bytes[i] / 255.0;
}

static double
half(const uint8_t *bytes, int i)
{
   uint16_t bits;
   memcpy(&bits, bytes + 2 * i, sizeof(bits));
   return half_to_double(bits);
}

static double
single(const uint8_t *bytes, int i)
{
   float value;
   memcpy(&value, bytes + 4 * i, sizeof(value));
   return value;
}

static double
srgb8(const uint8_t *bytes, int i)
{
   const double x = bytes[i] / 255.0;
   return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
}

static void
set(double rgba[4], double r, double g, double b, double a)
{
   rgba[0] = r, rgba[1] = g, rgba[2] = b, rgba[3] = a;
}

#define DECODE(name, r, g, b, a)                                                                                       \
   static void name(const uint8_t *p, double rgba[4])                                                                  \
   {                                                                                                                   \
      set(rgba, r, g, b, a);                                                                                           \
   }
#define DECODE_ALL(x)                                                                                                  \
   DECODE(rgba_##x, x(p, 0), x(p, 1), x(p, 2), x(p, 3))                                                                \
   DECODE(rgb_##x, x(p, 0), x(p, 1), x(p, 2), 1)                                                                       \
   DECODE(rg_##x, x(p, 0), x(p, 1), 0, 1)                                                                              \
   DECODE(r_##x, x(p, 0), 0, 0, 1)                                                                                     \
   DECODE(la_##x, x(p, 0), x(p, 0), x(p, 0), x(p, 1))                                                                  \
   DECODE(l_##x, x(p, 0), x(p, 0), x(p, 0), 1)                                                                         \
   DECODE(a_##x, 0, 0, 0, x(p, 0))
DECODE_ALL(unorm8)
DECODE_ALL(half)
DECODE_ALL(single)
DECODE(bgra_unorm8, unorm8(p, 2), unorm8(p, 1), unorm8(p, 0), unorm8(p, 3))
DECODE(rgba_srgb8, srgb8(p, 0), srgb8(p, 1), srgb8(p, 2), unorm8(p, 3))
DECODE(rgb_srgb8, srgb8(p, 0), srgb8(p, 1), srgb8(p, 2), 1)

static uint32_t
word(const uint8_t *bytes, int size_B)
{
   uint32_t bits = 0;
   memcpy(&bits, bytes, (size_t)size_B);
   return bits;
}

/* `bits` bits from `low` of a word on, of all that can be. */
static double
field(uint32_t word, int low, int bits)
{
   const double max = ldexp(1, bits) - 1;
   return (double)(word >> low & (uint32_t)max) / max;
}

DECODE(rgb_565, field(word(p, 2), 11, 5), field(word(p, 2), 5, 6), field(word(p, 2), 0, 5), 1)
DECODE(rgba_4444, field(word(p, 2), 12, 4), field(word(p, 2), 8, 4), field(word(p, 2), 4, 4),
       field(word(p, 2), 0, 4))
DECODE(rgba_5551, field(word(p, 2), 11, 5), field(word(p, 2), 6, 5), field(word(p, 2), 1, 5),
       field(word(p, 2), 0, 1))
DECODE(depth_16, field(word(p, 2), 0, 16), field(word(p, 2), 0, 16), field(word(p, 2), 0, 16), 1)
DECODE(depth_32, field(word(p, 4), 0, 32), field(word(p, 4), 0, 32), field(word(p, 4), 0, 32), 1)
DECODE(depth_24_8, field(word(p, 4), 8, 24), field(word(p, 4), 8, 24), field(word(p, 4), 8, 24), 1)

#define HALF "GL_OES_texture_half_float"
#define HALF_LINEAR "GL_OES_texture_half_float_linear"
#define FLOAT "GL_OES_texture_float"
#define FLOAT_LINEAR "GL_OES_texture_float_linear"

const struct image_format image_formats[IMAGE_FORMATS] = {
   { "rgba8", NULL, GL_RGBA, GL_UNSIGNED_BYTE, 4, true, NULL, false, rgba_unorm8 },
   { "rgb8", NULL, GL_RGB, GL_UNSIGNED_BYTE, 3, true, NULL, false, rgb_unorm8 },
   { "la8", NULL, GL_LUMINANCE_ALPHA, GL_UNSIGNED_BYTE, 2, true, NULL, false, la_unorm8 },
   { "l8", NULL, GL_LUMINANCE, GL_UNSIGNED_BYTE, 1, true, NULL, false, l_unorm8 },
   { "a8", NULL, GL_ALPHA, GL_UNSIGNED_BYTE, 1, true, NULL, false, a_unorm8 },
   { "565", NULL, GL_RGB, GL_UNSIGNED_SHORT_5_6_5, 2, true, NULL, false, rgb_565 },
   { "4444", NULL, GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4, 2, true, NULL, false, rgba_4444 },
   { "5551", NULL, GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1, 2, true, NULL, false, rgba_5551 },
   { "bgra8", "GL_EXT_texture_format_BGRA8888", GL_BGRA_EXT, GL_UNSIGNED_BYTE, 4, true, NULL, false,
     bgra_unorm8 },
   { "rg8", "GL_EXT_texture_rg", GL_RG_EXT, GL_UNSIGNED_BYTE, 2, true, NULL, false, rg_unorm8 },
   { "r8", "GL_EXT_texture_rg", GL_RED_EXT, GL_UNSIGNED_BYTE, 1, true, NULL, false, r_unorm8 },
   { "rgba16f", HALF, GL_RGBA, GL_HALF_FLOAT_OES, 8, true, HALF_LINEAR, false, rgba_half },
   { "rgb16f", HALF, GL_RGB, GL_HALF_FLOAT_OES, 6, true, HALF_LINEAR, false, rgb_half },
   { "la16f", HALF, GL_LUMINANCE_ALPHA, GL_HALF_FLOAT_OES, 4, true, HALF_LINEAR, false, la_half },
   { "l16f", HALF, GL_LUMINANCE, GL_HALF_FLOAT_OES, 2, true, HALF_LINEAR, false, l_half },
   { "a16f", HALF, GL_ALPHA, GL_HALF_FLOAT_OES, 2, true, HALF_LINEAR, false, a_half },
   { "rgba32f", FLOAT, GL_RGBA, GL_FLOAT, 16, true, FLOAT_LINEAR, false, rgba_single },
   { "rgb32f", FLOAT, GL_RGB, GL_FLOAT, 12, true, FLOAT_LINEAR, false, rgb_single },
   { "la32f", FLOAT, GL_LUMINANCE_ALPHA, GL_FLOAT, 8, true, FLOAT_LINEAR, false, la_single },
   { "l32f", FLOAT, GL_LUMINANCE, GL_FLOAT, 4, true, FLOAT_LINEAR, false, l_single },
   { "a32f", FLOAT, GL_ALPHA, GL_FLOAT, 4, true, FLOAT_LINEAR, false, a_single },
   { "srgb8", "GL_EXT_sRGB", GL_SRGB_EXT, GL_UNSIGNED_BYTE, 3, true, NULL, false, rgb_srgb8 },
   { "srgba8", "GL_EXT_sRGB", GL_SRGB_ALPHA_EXT, GL_UNSIGNED_BYTE, 4, true, NULL, false,
     rgba_srgb8 },
   { "rg16f", HALF, GL_RG_EXT, GL_HALF_FLOAT_OES, 4, true, HALF_LINEAR, false, rg_half },
   { "r16f", HALF, GL_RED_EXT, GL_HALF_FLOAT_OES, 2, true, HALF_LINEAR, false, r_half },
   { "rg32f", FLOAT, GL_RG_EXT, GL_FLOAT, 8, true, FLOAT_LINEAR, false, rg_single },
   { "r32f", FLOAT, GL_RED_EXT, GL_FLOAT, 4, true, FLOAT_LINEAR, false, r_single },
   { "depth16", "GL_OES_depth_texture", GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT, 2, false, NULL, true,
     depth_16 },
   { "depth32", "GL_OES_depth_texture", GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, 4, false, NULL, true,
     depth_32 },
   { "depth24-stencil8", "GL_OES_packed_depth_stencil", GL_DEPTH_STENCIL_OES,
     GL_UNSIGNED_INT_24_8_OES, 4, false, NULL, true, depth_24_8 },
};

/* ------------------------------------------------------------------------------------------ use */

bool
format_supported(const struct image_format *format)
{
   return (!format->extension || has_extension(format->extension)) &&
          (format->type != GL_UNSIGNED_INT_24_8_OES || has_extension("GL_OES_depth_texture"));
}

bool
format_filterable(const struct image_format *format)
{
   return format->filterable &&
          (!format->filter_extension || has_extension(format->filter_extension));
}

void
format_random_pixel(struct rules *r, const struct image_format *format, uint8_t *bytes)
{
   for (int i = 0; i < format->pixel_B; i++)
      bytes[i] = (uint8_t)rules_below(r, 256);
   if (format->type == GL_HALF_FLOAT_OES) {
      for (int i = 0; i < format->pixel_B; i += 2) {
         /* up to 1; a few above, negative or denormal */
         uint16_t value = (uint16_t)rules_below(r, 0x3c01);
         if (rules_chance(r, 10))
            value = (uint16_t)(rules_below(r, 2) << 15 | rules_below(r, 0x4400));
         memcpy(bytes + i, &value, sizeof(value));
      }
   } else if (format->type == GL_FLOAT) {
      for (int i = 0; i < format->pixel_B; i += 4) {
         const float value = rules_chance(r, 10) ? rules_float(r, -2, 3) : rules_float(r, 0, 1);
         memcpy(bytes + i, &value, sizeof(value));
      }
   }
}
