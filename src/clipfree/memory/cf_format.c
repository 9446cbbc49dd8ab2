/* SPDX-License-Identifier: MIT */
/*
 * Conversion of one pixel, driven by the format's description: general, and slow.
 */
#include "clipfree/memory/cf_format.h"

#include <math.h>
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

static float
fetch_channel(const struct cf_format_channel *channel, const uint8_t *pixel)
{
   return cf_channel_decode(channel->type, channel->bits,
                            read_bits(pixel, channel->offset_bits, channel->bits));
}

void
cf_format_fetch(const struct cf_format_info *format, const uint8_t *pixel, float rgba[4])
{
   float channel[4] = {0};
   for (uint32_t c = 0; c < format->channels; c++)
      channel[c] = fetch_channel(&format->channel[c], pixel);
   const float one = cf_format_one(format);
   for (uint32_t i = 0; i < 4; i++) {
      const uint32_t view = format->view[i];
      rgba[i] = view == CF_VIEW_ZERO ? 0.0f : view == CF_VIEW_ONE ? one : channel[view];
   }
}

/* floor(log2(x)) + 16, at least 0. */
static uint32_t
shared_exponent(float x)
{
   const uint32_t exponent = cf_bits(x) >> 23;
   return exponent < 127 - 16 ? 0 : exponent - (127 - 16);
}

uint32_t
cf_shared_encode(const float rgb[3])
{
   const float largest = 65408.0f; /* 511 / 512 * 2^16 */
   float in[3], most = 0;
   for (uint32_t c = 0; c < 3; c++) {
      in[c] = rgb[c] > 0 ? rgb[c] < largest ? rgb[c] : largest : 0;
      most = in[c] > most ? in[c] : most;
   }
   uint32_t exponent = shared_exponent(most);
   double unit = ldexp(1.0, (int)exponent - 15 - CF_SHARED_MANTISSA_BITS);
   if (floor(most / unit + 0.5) == 1 << CF_SHARED_MANTISSA_BITS) {
      exponent++;
      unit *= 2;
   }
   uint32_t word = exponent << (3 * CF_SHARED_MANTISSA_BITS);
   for (uint32_t c = 0; c < 3; c++)
      word |= (uint32_t)floor(in[c] / unit + 0.5) << c * CF_SHARED_MANTISSA_BITS;
   return word;
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

/* Depth is stored exactly, as the pixel engine's tests do, and not by the policy of colours. */
static uint32_t
store_channel(const struct cf_format_channel *channel, float x)
{
   if (channel->letter == 'z' && channel->type == CF_CHANNEL_UNORM)
      return cf_norm_encode_exact(x, 0.0f, (double)cf_channel_max(channel->bits));
   return cf_channel_encode(channel->type, channel->bits, x);
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
   if (format->channel[0].type == CF_CHANNEL_SHARED) {
      const uint32_t word = cf_shared_encode(rgba);
      memcpy(pixel, &word, sizeof(word));
      return;
   }
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
