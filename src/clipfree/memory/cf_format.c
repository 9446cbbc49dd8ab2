/* SPDX-License-Identifier: MIT */
/*
 * Conversion of one pixel, driven by the format's description: general, and slow.
 */
#include "clipfree/memory/cf_format.h"

#include <string.h>

#include "clipfree/arith/cf_fp.h"

static uint32_t
read_bits(const uint8_t *pixel, uint32_t offset_bits, uint32_t bits)
{
   uint64_t word = 0;
   const uint32_t first_B = offset_bits / 8;
   memcpy(&word, pixel + first_B, (offset_bits % 8 + bits + 7) / 8);
   return (uint32_t)(word >> offset_bits % 8 & (UINT64_MAX >> (64 - bits)));
}

static void
or_bits(uint8_t *pixel, uint32_t offset_bits, uint32_t bits, uint32_t value)
{
   uint64_t word = 0;
   const uint32_t first_B = offset_bits / 8;
   const uint32_t size_B = (offset_bits % 8 + bits + 7) / 8;
   memcpy(&word, pixel + first_B, size_B);
   word |= (uint64_t)value << offset_bits % 8;
   memcpy(pixel + first_B, &word, size_B);
}

static int32_t
sign_extend(uint32_t value, uint32_t bits)
{
   return (int32_t)(value << (32 - bits)) >> (32 - bits);
}

/* Up to 24 bits both operands are exact floats, so the quotient is rounded once; 32 bits need
 * double. */
static float
unorm_to_float(uint32_t value, uint32_t bits)
{
   const uint32_t max = (uint32_t)(UINT64_MAX >> (64 - bits));
   return bits <= 24 ? (float)value / (float)max : (float)((double)value / (double)max);
}

static float
snorm_to_float(int32_t value, uint32_t bits)
{
   const double max = (double)((1u << (bits - 1)) - 1);
   const float x = (float)((double)value / max);
   return x < -1.0f ? -1.0f : x;
}

static float
fetch_channel(const struct cf_format_channel *channel, const uint8_t *pixel)
{
   const uint32_t value = read_bits(pixel, channel->offset_bits, channel->bits);
   switch ((enum cf_channel_type)channel->type) {
   case CF_CHANNEL_UNORM:
      return unorm_to_float(value, channel->bits);
   case CF_CHANNEL_SNORM:
      return snorm_to_float(sign_extend(value, channel->bits), channel->bits);
   case CF_CHANNEL_UINT:
      return cf_float(value);
   case CF_CHANNEL_SINT:
      return cf_float((uint32_t)sign_extend(value, channel->bits));
   case CF_CHANNEL_FLOAT:
      return channel->bits == 16 ? cf_f16_to_f32((uint16_t)value) : cf_float(value);
   case CF_CHANNEL_USCALED:
      return (float)value;
   case CF_CHANNEL_SSCALED:
      return (float)sign_extend(value, channel->bits);
   case CF_CHANNEL_FIXED:
      return (float)((double)(int32_t)value / 65536.0);
   case CF_CHANNEL_SRGB:
      return cf_srgb_to_linear[value];
   case CF_CHANNEL_NONE:
      break;
   }
   return 0.0f;
}

void
cf_format_fetch(const struct cf_format_info *format, const uint8_t *pixel, float rgba[4])
{
   float channel[4] = {0};
   for (uint32_t c = 0; c < format->channels; c++)
      channel[c] = fetch_channel(&format->channel[c], pixel);
   const uint8_t type = format->channel[0].type;
   const float one = type == CF_CHANNEL_UINT || type == CF_CHANNEL_SINT ? cf_float(1) : 1.0f;
   for (uint32_t i = 0; i < 4; i++) {
      const uint32_t view = format->view[i];
      rgba[i] = view == CF_VIEW_ZERO ? 0.0f : view == CF_VIEW_ONE ? one : channel[view];
   }
}

bool
cf_format_or_channel(const struct cf_format_info *format, char letter, uint32_t value, uint32_t pixel[4])
{
   bool found = false;
   for (uint32_t i = 0; i < format->channels; i++) {
      const struct cf_format_channel *channel = &format->channel[i];
      if (channel->letter != letter)
         continue;
      const uint32_t max = (uint32_t)(UINT64_MAX >> (64 - channel->bits));
      pixel[channel->offset_bits / 32] |= (value & max) << channel->offset_bits % 32;
      found = true;
   }
   return found;
}

/* Clamp, scale and round to nearest even, exactly: the product of 24 and 32 bits is rounded once,
 * in double. */
static uint32_t
float_to_norm(float x, float low, uint32_t max)
{
   if (!(x > low))
      x = x == x ? low : 0.0f;
   if (x > 1.0f)
      x = 1.0f;
   const double scaled = (double)x * max;
   /* 1.5 * 2^52: adding it rounds to an integer, ties to even */
   const double magic = 6755399441055744.0;
   return (uint32_t)(int64_t)((scaled + magic) - magic);
}

static uint32_t
store_channel(const struct cf_format_channel *channel, float x)
{
   const uint32_t max = (uint32_t)(UINT64_MAX >> (64 - channel->bits));
   switch ((enum cf_channel_type)channel->type) {
   case CF_CHANNEL_UNORM:
      /* colors by the floating-point policy (cf_fp.h), as the pixel engine's lanes do; depth
       * exactly, as its tests do */
      return channel->letter == 'z' || channel->bits > 16 ? float_to_norm(x, 0.0f, max) : cf_f32_to_unorm(x, channel->bits);
   case CF_CHANNEL_SNORM:
      return float_to_norm(x, -1.0f, max >> 1) & max;
   case CF_CHANNEL_UINT:
   case CF_CHANNEL_SINT:
      return cf_bits(x) & max;
   case CF_CHANNEL_FLOAT:
      return channel->bits == 16 ? cf_f32_to_f16(x) : cf_bits(cf_canon(x));
   case CF_CHANNEL_USCALED:
      return cf_f2u(x) & max;
   case CF_CHANNEL_SSCALED:
      return (uint32_t)cf_f2i(x) & max;
   case CF_CHANNEL_FIXED:
      return (uint32_t)cf_f2i(x * 65536.0f);
   case CF_CHANNEL_SRGB:
      return cf_linear_to_srgb8(x);
   case CF_CHANNEL_NONE:
      break;
   }
   return 0;
}

/* Index of the component of r, g, b, a that a channel stores. */
static uint32_t
source_of(char letter)
{
   switch (letter) {
   case 'g':
   case 's':
      return 1;
   case 'b':
      return 2;
   case 'a':
      return 3;
   default:
      return 0;
   }
}

void
cf_format_store(const struct cf_format_info *format, uint8_t *pixel, const float rgba[4])
{
   memset(pixel, 0, format->pixel_B);
   for (uint32_t c = 0; c < format->channels; c++) {
      const struct cf_format_channel *channel = &format->channel[c];
      or_bits(pixel, channel->offset_bits, channel->bits, store_channel(channel, rgba[source_of(channel->letter)]));
   }
}

bool
cf_format_has_mean(const struct cf_format_info *format)
{
   bool has_mean = format->channels > 0 && !format->compression;
   for (uint32_t c = 0; c < format->channels; c++) {
      const struct cf_format_channel *channel = &format->channel[c];
      has_mean = has_mean && channel->letter != 'z' && channel->letter != 's' &&
                  (channel->type == CF_CHANNEL_UNORM || channel->type == CF_CHANNEL_SNORM ||
                   channel->type == CF_CHANNEL_FLOAT || channel->type == CF_CHANNEL_SRGB);
   }
   return has_mean;
}
