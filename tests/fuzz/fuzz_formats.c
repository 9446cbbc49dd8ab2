/* SPDX-License-Identifier: MIT */
/*
 * Formats and copies. A texel of any format is decoded, encoded, and fetched by a texture unit at
 * each host level, against formulas that are written here once more from OpenGL's. Images are
 * cleared, drawn to, copied and gathered, against a model of their pixels (memory/test_image.h).
 *
 * Input, of a texel (first byte even): format, 16 bytes of a texel, 16 bytes of r, g, b, a. Of
 * images (odd): log2 of the size of a pixel, 4 bytes for each of two images (what it is, width,
 * height, 0), then 3 bytes an operation: which, and a seed for what is random in it.
 */
#include "fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/arith/cf_fp.h"
#include "clipfree/isa/cf_isa.h"
#include "clipfree/memory/test_image.h"
#include "clipfree/texture/cf_texture.h"

#define MOST_OPERATIONS 24
#define MOST_PX 80 /* width and height of images: two tiles */
#define IMAGES 2

/* ---- decoding ---- */

/* A float of 5 bits of exponent, without its sign. */
static double
small_float(uint32_t code, unsigned mantissa_bits)
{
   const uint32_t exponent = code >> mantissa_bits & 31;
   const double fraction = code & ((1u << mantissa_bits) - 1);
   if (exponent == 31)
      return fraction != 0 ? NAN : INFINITY;
   if (exponent == 0)
      return ldexp(fraction, -14 - (int)mantissa_bits);
   return ldexp(fraction + ldexp(1, (int)mantissa_bits), (int)exponent - 15 - (int)mantissa_bits);
}

static float
float_of(uint32_t code, unsigned bits)
{
   if (bits == 32)
      return cf_float(code);
   if (bits == 16)
      return (float)(small_float(code, 10) * (code >> 15 ? -1.0 : 1.0));
   return (float)small_float(code, bits - 5);
}

static int32_t
signed_of(uint32_t code, unsigned bits)
{
   return (int32_t)((int64_t)code - (code >> (bits - 1) & 1 ? (int64_t)1 << bits : 0));
}

static float
decode(const struct cf_format_channel *channel, uint32_t code)
{
   const unsigned bits = channel->bits;
   const double most = ldexp(1, (int)bits) - 1, most_signed = ldexp(1, (int)bits - 1) - 1;
   switch ((enum cf_channel_type)channel->type) {
   case CF_CHANNEL_UNORM:
      return (float)(code / most);
   case CF_CHANNEL_SNORM:
      return (float)fmax(signed_of(code, bits) / most_signed, -1.0);
   case CF_CHANNEL_UINT:
      return cf_float(code);
   case CF_CHANNEL_SINT:
      return cf_float((uint32_t)signed_of(code, bits));
   case CF_CHANNEL_FLOAT:
      return float_of(code, bits);
   case CF_CHANNEL_USCALED:
      return (float)code;
   case CF_CHANNEL_SSCALED:
      return (float)signed_of(code, bits);
   case CF_CHANNEL_FIXED:
      return (float)((double)signed_of(code, 32) / 65536);
   case CF_CHANNEL_SRGB:
      return cf_srgb_to_linear[code]; /* memory/test_format.c compares it with the definition */
   case CF_CHANNEL_SHARED:
      return (float)ldexp(code & 511, (int)(code >> (bits - 5)) - 15 - 9);
   default:
      return 0;
   }
}

/* The bits of a channel, one after the other. */
static uint32_t
code_of(const struct cf_format_channel *channel, const uint8_t *texel)
{
   uint32_t code = 0;
   for (unsigned i = 0; i < channel->bits; i++) {
      const unsigned bit = channel->offset_bits + i;
      code |= (uint32_t)(texel[bit / 8] >> bit % 8 & 1) << i;
   }
   return code;
}

static void
decode_texel(const struct cf_format_info *format, const uint8_t *texel, float rgba[4])
{
   const bool integer = cf_format_is_integer(format);
   for (unsigned i = 0; i < 4; i++) {
      const uint32_t view = format->view[i];
      if (view == CF_VIEW_ZERO)
         rgba[i] = 0;
      else if (view == CF_VIEW_ONE)
         rgba[i] = integer ? cf_float(1) : 1.0f;
      else
         rgba[i] = decode(&format->channel[view], code_of(&format->channel[view], texel));
   }
}

static void
compare(const struct cf_format_info *format, const float *got, const float *want, const char *what)
{
   for (unsigned i = 0; i < 4; i++) {
      const uint32_t a = cf_bits(got[i]), b = cf_bits(want[i]);
      if (a != b && !(cf_isnan(got[i]) && cf_isnan(want[i])))
         fuzz_fail("%s %s: component %u is 0x%08x, not 0x%08x", format->name, what, i, a, b);
   }
}

/* ---- encoding ---- */

static uint32_t
nearest(double x, double low, double high)
{
   return (uint32_t)(int64_t)nearbyint(isnan(x) ? 0 : fmin(fmax(x, low), high));
}

/* To nearest even. `most`: what larger numbers become. */
static uint32_t
small_float_of(double x, unsigned mantissa_bits, uint32_t most)
{
   const int exponent = x == 0 || ilogb(x) < -14 ? -14 : ilogb(x);
   const double units = nearbyint(ldexp(x, (int)mantissa_bits - exponent));
   const double code = units + (exponent + 14) * ldexp(1, (int)mantissa_bits);
   return code >= 31 << mantissa_bits ? most : (uint32_t)code;
}

static uint32_t
float_code(float x, unsigned bits)
{
   const bool negative = cf_bits(x) >> 31;
   if (bits == 32)
      return cf_isnan(x) ? 0x7fc00000 : cf_bits(x);
   if (bits == 16 && cf_isnan(x))
      return 0x7e00;
   if (bits == 16)
      return (isinf(x) ? 0x7c00 : small_float_of(fabs(x), 10, 0x7c00)) | (uint32_t)negative << 15;
   const uint32_t infinity = 31u << (bits - 5);
   if (cf_isnan(x))
      return infinity | 1u << (bits - 6);
   if (negative)
      return 0;
   return isinf(x) ? infinity : small_float_of(x, bits - 5, infinity - 1);
}

static uint32_t
srgb_code(float x)
{
   uint32_t code = 0;
   while (code < 255 && x >= cf_srgb_threshold[code + 1])
      code++;
   return code;
}

static uint32_t
encode(const struct cf_format_channel *channel, float x)
{
   const unsigned bits = channel->bits;
   const double most = ldexp(1, (int)bits) - 1, most_signed = ldexp(1, (int)bits - 1) - 1;
   const uint32_t all = (uint32_t)most;
   const bool is_rounded_twice = bits <= 16 && channel->letter != 'z'; /* memory/cf_channel.h */
   const float clamped = isnan(x) ? 0 : fminf(fmaxf(x, 0), 1);
   switch ((enum cf_channel_type)channel->type) {
   case CF_CHANNEL_UNORM:
      return nearest(is_rounded_twice ? (double)(clamped * (float)most) : clamped * most, 0, most);
   case CF_CHANNEL_SNORM:
      return nearest(x * most_signed, -most_signed, most_signed) & all;
   case CF_CHANNEL_UINT:
      return cf_bits(x) < all ? cf_bits(x) : all;
   case CF_CHANNEL_SINT:
      return nearest((int32_t)cf_bits(x), -most_signed - 1, most_signed) & all;
   case CF_CHANNEL_FLOAT:
      return float_code(x, bits);
   case CF_CHANNEL_SRGB:
      return srgb_code(x);
   default:
      return 0;
   }
}

static unsigned
component_of(char letter)
{
   return letter == 'g' || letter == 's' ? 1 : letter == 'b' ? 2 : letter == 'a' ? 3 : 0;
}

static void
check_store(const struct cf_format_info *format, const float rgba[4])
{
   uint8_t texel[16];
   if (!(format->uses & (CF_USE_COLOR | CF_USE_DEPTH_STENCIL)))
      return;
   cf_format_store(format, texel, rgba);
   for (unsigned c = 0; c < format->channels; c++) {
      const struct cf_format_channel *channel = &format->channel[c];
      const uint32_t got = code_of(channel, texel),
                     want = encode(channel, rgba[component_of(channel->letter)]);
      if (got != want)
         fuzz_fail("%s: channel %c of %g is stored as 0x%x, not 0x%x", format->name,
                   channel->letter, rgba[component_of(channel->letter)], got, want);
   }
}

/* ---- textures ---- */

#define WIDTH_PX 8
#define HEIGHT_PX 4

/* Fetch all texels of a texture that repeats some bytes. */
static void
check_fetches(const struct cf_format_info *format, const uint8_t bytes[16], bool blocks)
{
   _Alignas(64) uint8_t data[WIDTH_PX * HEIGHT_PX * 16];
   float coordinate[3][CF_TASK_LANES], zero[CF_TASK_LANES] = { 0 }, rgba[4][CF_TASK_LANES];
   const uint32_t row_B = (blocks ? 2 * 16 : WIDTH_PX) * format->pixel_B;
   const struct cf_texture texture = { .kind = CF_TEXTURE_KIND_T2D,
                                       .format = format->code,
                                       .width_px = WIDTH_PX,
                                       .height_px = HEIGHT_PX,
                                       .depth_px = 1,
                                       .layers = 1,
                                       .layout = blocks ? CF_LAYOUT_BLOCKS : CF_LAYOUT_LINEAR,
                                       .swizzle_g = CF_SWIZZLE_Y,
                                       .swizzle_b = CF_SWIZZLE_Z,
                                       .swizzle_a = CF_SWIZZLE_W,
                                       .level_row_pitch_B = { row_B },
                                       .level_layer_pitch_B = { WIDTH_PX * HEIGHT_PX *
                                                                format->pixel_B },
                                       .size_B = WIDTH_PX * HEIGHT_PX * format->pixel_B };
   struct cf_texture_unit unit;
   for (unsigned i = 0; i < sizeof(data); i++)
      data[i] = (uint8_t)(bytes[i % 16] + i / 16);
   if (cf_texture_unit_init(&unit, &texture, &(struct cf_sampler){ 0 }, data))
      return;
   for (unsigned l = 0; l < CF_TASK_LANES; l++) {
      coordinate[0][l] = cf_float(l % WIDTH_PX);
      coordinate[1][l] = cf_float(l / WIDTH_PX);
      coordinate[2][l] = 0;
   }
   const struct cf_texture_request request = { .s = coordinate[0],
                                               .t = coordinate[1],
                                               .r = coordinate[2],
                                               .q = zero,
                                               .exec = ~0u,
                                               .mode = CF_TEXMODE_FETCH,
                                               .mask = 15 };
   for (unsigned level = 0; level <= cf_host_level(); level++) {
      memset(rgba, 0, sizeof(rgba));
      cf_texture_ops_at((enum cf_host_level)level)->sample(&unit, &request, rgba);
      for (unsigned l = 0; l < CF_TASK_LANES; l++) {
         const unsigned x = l % WIDTH_PX, y = l / WIDTH_PX;
         const uint32_t at = blocks ? x / 4 * 16 + cf_block_element(x, y) : l;
         const float got[4] = { rgba[0][l], rgba[1][l], rgba[2][l], rgba[3][l] };
         float want[4];
         decode_texel(format, data + at * format->pixel_B, want);
         compare(format, got, want, blocks ? "fetched from blocks" : "fetched from rows");
      }
   }
}

static void
run_texel(struct fuzz_bytes *in)
{
   uint8_t texel[16];
   float got[4], want[4], rgba[4];
   const struct cf_format_info *format =
      cf_format_info_of((enum cf_format)fuzz_below(in, CF_FORMAT_COUNT));
   for (unsigned i = 0; i < 16; i++)
      texel[i] = (uint8_t)fuzz_take(in, 1);
   for (unsigned i = 0; i < 4; i++)
      rgba[i] = cf_float((uint32_t)fuzz_take(in, 4));
   if (format->pixel_B == 0 || format->compression)
      return;
   cf_format_fetch(format, texel, got);
   decode_texel(format, texel, want);
   compare(format, got, want, "decoded");
   check_store(format, rgba);
   check_store(format, got);
   if (!(format->uses & CF_USE_TEXTURE))
      return;
   check_fetches(format, texel, false);
   check_fetches(format, texel, true);
}

/* ---- images ---- */

static void
open_image(struct test_image *image, uint32_t log2_size, struct fuzz_bytes *in)
{
   const uint32_t what = (uint32_t)fuzz_take(in, 1);
   const uint32_t samples = what & 1 ? CF_SAMPLES : 1;
   const uint32_t width_px = 1 + fuzz_below(in, MOST_PX);
   const uint32_t height_px = 1 + fuzz_below(in, MOST_PX);
   fuzz_take(in, 1);
   test_image_init(image, log2_size, samples, samples > 1 || what & 2, what & 4, width_px,
                   height_px);
   if (what & 8)
      test_image_pixels(image);
}

static void
operate(struct test_image *images, uint32_t operation)
{
   struct test_image *a = &images[operation & 1], *b = &images[operation >> 1 & 1];
   const uint32_t tile_x = test_image_below((a->image.width_px + CF_TILE_PX - 1) / CF_TILE_PX);
   const uint32_t tile_y = test_image_below((a->image.height_px + CF_TILE_PX - 1) / CF_TILE_PX);
   switch (operation >> 2 & 7) {
   case 0:
   case 1:
      test_image_clear(a);
      break;
   case 2:
      test_image_draw(a, tile_x, tile_y);
      break;
   case 3:
      test_image_gather(a, b);
      break;
   case 4:
      cf_image_resolve_tile_to_read(&a->image, tile_x, tile_y);
      break;
   case 5:
      test_image_resolve(&a->image);
      break;
   default:
      test_image_copy(a, b);
   }
}

static void
run_images(struct fuzz_bytes *in)
{
   struct test_image images[IMAGES];
   const uint32_t log2_size = fuzz_below(in, 5);
   for (unsigned i = 0; i < IMAGES; i++) {
      test_image_random = (struct cf_random){ i };
      open_image(&images[i], log2_size, in);
   }
   for (unsigned n = 0; n < MOST_OPERATIONS && in->left_B > 0; n++) {
      const uint32_t operation = (uint32_t)fuzz_take(in, 1);
      test_image_random = (struct cf_random){ fuzz_take(in, 2) };
      operate(images, operation);
   }
   for (unsigned i = 0; i < IMAGES; i++) {
      test_image_check(&images[i]);
      test_image_free(&images[i]);
   }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B)
{
   struct fuzz_bytes in = { data, size_B };
   setenv("CMOCKA_TEST_ABORT", "1", 1); /* what the model asserts */
   if (fuzz_take(&in, 1) & 1)
      run_images(&in);
   else
      run_texel(&in);
   return 0;
}

/* ---- seeds ---- */

void
fuzz_write_seeds(const char *folder)
{
   char name[64];
   struct cf_random random = { 5 };
   for (unsigned format = 1; format < CF_FORMAT_COUNT; format++) {
      uint8_t data[34] = { 0, (uint8_t)format };
      for (unsigned i = 2; i < sizeof(data); i++)
         data[i] = (uint8_t)cf_random_u32(&random);
      snprintf(name, sizeof(name), "texel-%u", format);
      fuzz_write_seed(folder, name, data, sizeof(data));
   }
   for (unsigned n = 0; n < 40; n++) {
      uint8_t data[10 + 3 * 12] = { 1, (uint8_t)n };
      for (unsigned i = 2; i < sizeof(data); i++)
         data[i] = (uint8_t)cf_random_u32(&random);
      snprintf(name, sizeof(name), "images-%u", n);
      fuzz_write_seed(folder, name, data, sizeof(data));
   }
}
