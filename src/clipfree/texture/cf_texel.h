/* SPDX-License-Identifier: MIT */
/*
 * Texels of 32 lanes: load from memory and decode by channel. Included by lane sources only. The
 * wrap mode has put the offsets of all lanes inside the level, also those of lanes not in exec, so
 * that loads need no mask.
 */
#ifndef CF_TEXEL_H
#define CF_TEXEL_H

#include <string.h>

#include "clipfree/arith/cf_fp.h"
#include "clipfree/base/cf_for.h"
#include "clipfree/memory/cf_s3tc.h"
#include "clipfree/texture/cf_texture.h"

typedef uint32_t cf_lanes_u[CF_TASK_LANES] __attribute__((aligned(64)));
typedef int32_t cf_lanes_i[CF_TASK_LANES] __attribute__((aligned(64)));
typedef float cf_lanes_f[CF_TASK_LANES] __attribute__((aligned(64)));

/* A texel's bytes, as up to four dwords per lane. */
struct cf_raw_texels {
   cf_lanes_u word[4];
};

static inline void
cf_load_words(uint32_t pixel_B, const uint8_t *data, const cf_lanes_u offset_B,
              struct cf_raw_texels *raw)
{
   switch (pixel_B) {
   case 1:
      CF_FOR_LANES (l)
         raw->word[0][l] = data[offset_B[l]];
      break;
   case 2:
      CF_FOR_LANES (l) {
         uint16_t texel;
         memcpy(&texel, data + offset_B[l], sizeof(texel));
         raw->word[0][l] = texel;
      }
      break;
   case 4:
      CF_FOR_LANES (l)
         memcpy(&raw->word[0][l], data + offset_B[l], 4);
      break;
   default:
      for (uint32_t w = 0; w < pixel_B / 4; w++)
         CF_FOR_LANES (l)
            memcpy(&raw->word[w][l], data + offset_B[l] + 4 * w, 4);
   }
}

/* One channel, as cf_channel_decode. */
static inline void
cf_decode_channel(const struct cf_format_channel *channel, const struct cf_raw_texels *raw,
                  cf_lanes_f out)
{
   const uint32_t *word = raw->word[channel->offset_bits / 32];
   const uint32_t shift = channel->offset_bits % 32, bits = channel->bits,
                  max = cf_channel_max(bits);
#define DECODE(type, bits)                                                                         \
   CF_FOR_LANES(l)                                                                                 \
   out[l] = cf_channel_decode(type, bits, word[l] >> shift & max)
   CF_CHANNEL_LOOPS(channel->type, bits, DECODE)
#undef DECODE
}

#endif
