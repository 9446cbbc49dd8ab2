/* SPDX-License-Identifier: MIT */
/*
 * Compiled once per host vector level: loops over the sixteen pixels of a block, one for each
 * channel. Pixels are split into dwords before, and joined afterwards.
 */
#include "clipfree/memory/cf_average.h"

#include <string.h>

#include "clipfree/arith/cf_half_lanes.h"
#include "clipfree/base/cf_inline.h"
#include "clipfree/memory/cf_channel.h"
#include "clipfree/memory/cf_surface.h"

_Static_assert(CF_SAMPLES == 4, "the averages below are of four");

/* A block's pixels by dword; those of one byte or two are a dword, its upper bits 0. */
typedef uint32_t block_words[4][CF_BLOCK_PIXELS];

/* ------------------------------------------------------------------ pixels to dwords and back */

/* `pixel_B`, and with it `part_B`, the size of a dword's bytes in memory, are constants. */
CF_INLINE void
split(const uint8_t *restrict block, uint32_t pixel_B, block_words words)
{
   const uint32_t part_B = pixel_B < 4 ? pixel_B : 4;
   for (uint32_t w = 0; w * part_B < pixel_B; w++) {
      for (uint32_t i = 0; i < CF_BLOCK_PIXELS; i++) {
         words[w][i] = 0;
         memcpy(&words[w][i], block + i * pixel_B + w * part_B, part_B);
      }
   }
}

CF_INLINE void
join(block_words words, uint32_t pixel_B, uint8_t *restrict block)
{
   const uint32_t part_B = pixel_B < 4 ? pixel_B : 4;
   for (uint32_t w = 0; w * part_B < pixel_B; w++) {
      for (uint32_t i = 0; i < CF_BLOCK_PIXELS; i++)
         memcpy(block + i * pixel_B + w * part_B, &words[w][i], part_B);
   }
}

/* ------------------------------------------------------------------ channels */

/* Type and bits are constants. */
CF_INLINE uint32_t
average(enum cf_channel_type type, uint32_t bits, uint32_t s0, uint32_t s1, uint32_t s2,
        uint32_t s3)
{
   if (type ==
       CF_CHANNEL_UNORM) /* the sum without its carry, which is that of the lower two bits */
      return (s0 >> 2) + (s1 >> 2) + (s2 >> 2) + (s3 >> 2) +
             (((s0 & 3) + (s1 & 3) + (s2 & 3) + (s3 & 3) + 2) >> 2);
   if (type != CF_CHANNEL_SRGB && type != CF_CHANNEL_FLOAT)
      return s0;
   const float sum = (cf_channel_decode(type, bits, s0) + cf_channel_decode(type, bits, s1)) +
                     (cf_channel_decode(type, bits, s2) + cf_channel_decode(type, bits, s3));
   return cf_channel_encode(type, bits, sum * 0.25f);
}

/* Add a channel to the dwords `out`. */
static void
average_channel(const struct cf_format_channel *channel, block_words sample[CF_SAMPLES],
                block_words out)
{
   const uint32_t w = channel->offset_bits / 32, shift = channel->offset_bits % 32,
                  max = cf_channel_max(channel->bits);
   const uint32_t *restrict s0 = sample[0][w], *restrict s1 = sample[1][w],
                            *restrict s2 = sample[2][w], *restrict s3 = sample[3][w];
   uint32_t *restrict word = out[w];
#define AVERAGE(type, bits)                                                                        \
   for (uint32_t i = 0; i < CF_BLOCK_PIXELS; i++)                                                  \
   word[i] |= average(type, bits, s0[i] >> shift & max, s1[i] >> shift & max,                      \
                      s2[i] >> shift & max, s3[i] >> shift & max)                                  \
              << shift
   CF_CHANNEL_LOOPS((enum cf_channel_type)channel->type, channel->bits, AVERAGE)
#undef AVERAGE
}

CF_INLINE void
average_block_of(uint32_t pixel_B, const struct cf_format_info *format,
                 const uint8_t *const sample[CF_SAMPLES], uint8_t *out)
{
   _Alignas(64) block_words words[CF_SAMPLES];
   _Alignas(64) block_words result = { { 0 } };
   for (uint32_t s = 0; s < CF_SAMPLES; s++)
      split(sample[s], pixel_B, words[s]);
   for (uint32_t c = 0; c < format->channels; c++)
      average_channel(&format->channel[c], words, result);
   join(result, pixel_B, out);
}

/* ------------------------------------------------------------------ half floats */

/* Whether a pixel is half floats and nothing else. */
static bool
is_halves(const struct cf_format_info *format)
{
   bool all = format->pixel_B == format->channels * sizeof(uint16_t);
   for (uint32_t c = 0; c < format->channels; c++)
      all = all && format->channel[c].type == CF_CHANNEL_FLOAT && format->channel[c].bits == 16;
   return all;
}

/* average() of all half floats of a block, eight at a time. */
static void
average_halves(uint32_t pixel_B, const uint8_t *const sample[CF_SAMPLES], uint8_t *out)
{
   for (uint32_t at_B = 0; at_B < CF_BLOCK_PIXELS * pixel_B; at_B += sizeof(cf_u16x8)) {
      const cf_f32x8 sum = (cf_halves_load(sample[0] + at_B) + cf_halves_load(sample[1] + at_B)) +
                           (cf_halves_load(sample[2] + at_B) + cf_halves_load(sample[3] + at_B));
      const cf_f32x8 mean = sum * 0.25f;
      cf_halves_store(out + at_B, __builtin_shufflevector(mean, mean, 0, 1, 2, 3));
      cf_halves_store(out + at_B + 8, __builtin_shufflevector(mean, mean, 4, 5, 6, 7));
   }
}

/* ------------------------------------------------------------------ blocks */

static void
average_block(const struct cf_format_info *format, const uint8_t *const sample[CF_SAMPLES],
              uint8_t *out)
{
   if (is_halves(format)) {
      average_halves(format->pixel_B, sample, out);
      return;
   }
   switch (format->pixel_B) {
   case 1:
      average_block_of(1, format, sample, out);
      break;
   case 2:
      average_block_of(2, format, sample, out);
      break;
   case 4:
      average_block_of(4, format, sample, out);
      break;
   case 8:
      average_block_of(8, format, sample, out);
      break;
   default:
      average_block_of(16, format, sample, out);
      break;
   }
}

const struct cf_average_ops CF_LANES(cf_average_ops) = { .block = average_block };
