/* SPDX-License-Identifier: MIT */
/*
 * Fast path for the common case: 2D textures and cube maps of four 8-bit channels a texel, wrap
 * modes repeat and clamp to edge. Bit-exact with the general path (cf_sample_lanes.c), which is the
 * specification; all lanes at once, each from its own level. Included by cf_sample_lanes.c only.
 */
#ifndef CF_SAMPLE_RGBA8_H
#define CF_SAMPLE_RGBA8_H

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "clipfree/base/cf_inline.h"
#include "clipfree/texture/cf_sample_lod.h"
#include "clipfree/texture/cf_texel.h"

/* The footprint of each lane: its level, the byte offsets of its rows and columns, and the weights
 * of the second ones. */
struct rgba8_footprint {
   cf_lanes_f width, height;
   cf_lanes_u row_B, base_B;
   cf_lanes_u x_B[2], y_B[2];
   cf_lanes_i weight_x, weight_y;
};

static inline float
rgba8_floor(float x)
{
#if defined(__SSE4_1__)
   return __builtin_floorf(x);
#else
   return cf_floor(x);
#endif
}

/* Load a dword per lane. Offsets are below 2^31. Gathers of 16 are slightly faster than single
 * loads, gathers of 8 are slower. */
static inline void
rgba8_gather(const uint8_t *data, const cf_lanes_u offset_B, cf_lanes_u out)
{
#if defined(__AVX512F__)
   for (int i = 0; i < CF_TASK_LANES; i += 16)
      _mm512_store_si512(out + i, _mm512_i32gather_epi32(_mm512_load_si512(offset_B + i), data, 1));
#else
   CF_FOR_LANES (l)
      memcpy(&out[l], data + offset_B[l], 4);
#endif
}

static inline void
rgba8_levels(const struct cf_texture_unit *unit, const cf_lanes_i level, uint32_t lanes,
             const cf_lanes_u layer, struct rgba8_footprint *f)
{
   const int32_t first = level[__builtin_ctz(lanes)];
   uint32_t others = 0;
   CF_FOR_LANES (l)
      others |= (uint32_t)(level[l] != first) << l;
   if (!(others & lanes)) {
      const struct cf_texture_level *at = &unit->level[first];
      CF_FOR_LANES (l) {
         f->width[l] = (float)at->width_px;
         f->height[l] = (float)at->height_px;
         f->row_B[l] = at->row_pitch_B;
         f->base_B[l] = at->offset_B + layer[l] * at->layer_pitch_B;
      }
      return;
   }
   CF_FOR_LANES (l) {
      const struct cf_texture_level *at = &unit->level[level[l]];
      f->width[l] = (float)at->width_px;
      f->height[l] = (float)at->height_px;
      f->row_B[l] = at->row_pitch_B;
      f->base_B[l] = at->offset_B + layer[l] * at->layer_pitch_B;
   }
}

/* As wrap_axis: two texel indices (linear) or one of a coordinate, and the weight of the second in
 * 1/256. Split into loops simple enough for compilers to use selects instead of branches. */
CF_INLINE void
rgba8_axis(bool repeat, bool linear, const float *restrict coord, const float *restrict size,
           uint32_t *restrict index0, uint32_t *restrict index1, int32_t *restrict weight)
{
   const float centre = linear ? 0.5f : 0.0f;
   cf_lanes_f inside;
   cf_lanes_i whole, last;
   CF_FOR_LANES (l) {
      const float c = repeat ? coord[l] - rgba8_floor(coord[l]) : coord[l];
      const float v = c * size[l] - centre;
      const float below = cf_self(v < size[l], v, size[l]);
      inside[l] = cf_self(v > -1.0f, below, -1.0f); /* NaN: -1 */
   }
   CF_FOR_LANES (l) {
      const int32_t truncated = (int32_t)inside[l];
      whole[l] = truncated - ((float)truncated > inside[l]);
      last[l] = (int32_t)size[l] - 1;
   }
   CF_FOR_LANES (l) {
      const int32_t i = whole[l] < 0 ? (repeat ? last[l] : 0) : whole[l];
      index0[l] = (uint32_t)(whole[l] > last[l] ? (repeat && linear ? 0 : last[l]) : i);
   }
   if (!linear)
      return;
   CF_FOR_LANES (l) {
      weight[l] = (int32_t)((inside[l] - (float)whole[l]) * 256.0f + 0.5f);
      index1[l] =
         (uint32_t)(whole[l] >= last[l] ? (repeat ? whole[l] - last[l] : last[l]) : whole[l] + 1);
   }
}

CF_INLINE void
rgba8_wrap(enum cf_wrap wrap, bool linear, const cf_lanes_f coord, const cf_lanes_f size,
           cf_lanes_u index[2], cf_lanes_i weight)
{
   if (wrap == CF_WRAP_REPEAT)
      linear ? rgba8_axis(true, true, coord, size, index[0], index[1], weight)
             : rgba8_axis(true, false, coord, size, index[0], index[1], weight);
   else
      linear ? rgba8_axis(false, true, coord, size, index[0], index[1], weight)
             : rgba8_axis(false, false, coord, size, index[0], index[1], weight);
}

/* Convert indices to byte offsets, in place. */
static inline void
rgba8_offsets(bool blocks, const cf_lanes_u row_B, const cf_lanes_u base_B, cf_lanes_u x,
              cf_lanes_u y)
{
   if (blocks)
      CF_FOR_LANES (l) {
         x[l] = ((x[l] >> 2) << 6) + ((x[l] & 1) << 2) + ((x[l] & 2) << 3);
         y[l] = (y[l] >> 2) * row_B[l] + ((y[l] & 1) << 3) + ((y[l] & 2) << 4) + base_B[l];
      }
   else
      CF_FOR_LANES (l) {
         x[l] = x[l] << 2;
         y[l] = y[l] * row_B[l] + base_B[l];
      }
}

static inline void
rgba8_load(const struct cf_texture_unit *unit, const struct rgba8_footprint *f, int x, int y,
           cf_lanes_u texel)
{
   cf_lanes_u offset_B;
   CF_FOR_LANES (l)
      offset_B[l] = f->x_B[x][l] + f->y_B[y][l];
   rgba8_gather(unit->data, offset_B, texel);
}

/* Two rows of texels filtered along s; two channels per dword, each in 16 bits with 8 bits of
 * fraction: [0] the channels at bits 0 and 16, [1] those at bits 8 and 24. */
struct rgba8_rows {
   cf_lanes_u upper[2], lower[2];
};

/* As filter_channel_unorm8, along s, for two channels per dword. The halves do not overflow into
 * each other: t0 256 + (t1 - t0) w = t0 (256 - w) + t1 w, also modulo 2^32, and that is at most 255
 * * 256 in each half. */
static inline void
rgba8_filter_rows(cf_lanes_u texel[4], const cf_lanes_i weight, struct rgba8_rows *rows)
{
   for (int odd = 0; odd < 2; odd++)
      CF_FOR_LANES (l) {
         const uint32_t t00 = texel[0][l] >> 8 * odd & 0xff00ff,
                        t10 = texel[1][l] >> 8 * odd & 0xff00ff;
         const uint32_t t01 = texel[2][l] >> 8 * odd & 0xff00ff,
                        t11 = texel[3][l] >> 8 * odd & 0xff00ff;
         rows->upper[odd][l] = (t00 << 8) + (t10 - t00) * (uint32_t)weight[l];
         rows->lower[odd][l] = (t01 << 8) + (t11 - t01) * (uint32_t)weight[l];
      }
}

/* The same along t, for the channel at `shift`. */
static inline void
rgba8_filter_column(const struct rgba8_rows *rows, uint32_t shift, const cf_lanes_i weight,
                    float *out)
{
   const float scale = 1.0f / (255.0f * 65536.0f);
   const uint32_t odd = shift >> 3 & 1, half = shift & 16;
   CF_FOR_LANES (l) {
      const int32_t upper = rows->upper[odd][l] >> half & 0xffff,
                    lower = rows->lower[odd][l] >> half & 0xffff;
      out[l] = (float)(upper * 256 + (lower - upper) * weight[l]) * scale;
   }
}

/* u / 255, rounded once: 1 / 255 is split in two, and u times the leading part is exact. */
static inline void
rgba8_unpack(const cf_lanes_u texel, uint32_t shift, float *out)
{
   const float high = 0x1.0101p-8f, low = (float)(1.0 / 255.0 - 0x1.0101p-8);
   CF_FOR_LANES (l) {
      const float u = (float)(int32_t)(texel[l] >> shift & 255);
      out[l] = u * high + u * low;
   }
}

/* Sample at least the lanes in `lanes`, each from its level, with one filter. */
static void
rgba8_sample(const struct cf_texture_unit *unit, const cf_lanes_i level, bool linear,
             uint32_t lanes, const struct coords *coords, uint32_t mask,
             float (*out)[CF_TASK_LANES])
{
   struct rgba8_footprint f;
   cf_lanes_u texel[4];
   const bool blocks = unit->texture.layout == CF_LAYOUT_BLOCKS;
   rgba8_levels(unit, level, lanes, coords->layer, &f);
   rgba8_wrap(unit->sampler.wrap_s, linear, coords->axis[0], f.width, f.x_B, f.weight_x);
   rgba8_wrap(unit->sampler.wrap_t, linear, coords->axis[1], f.height, f.y_B, f.weight_y);
   for (int n = 0; n < (linear ? 2 : 1); n++)
      rgba8_offsets(blocks, f.row_B, f.base_B, f.x_B[n], f.y_B[n]);
   for (int n = 0; n < (linear ? 4 : 1); n++)
      rgba8_load(unit, &f, n & 1, n >> 1, texel[n]);
   struct rgba8_rows rows;
   if (linear)
      rgba8_filter_rows(texel, f.weight_x, &rows);
   for (uint32_t c = 0; c < 4; c++) {
      if (!(mask >> c & 1))
         continue;
      if (unit->source[c] >= 4)
         CF_FOR_LANES (l)
            out[c][l] = unit->source[c] == CF_VIEW_ONE ? 1.0f : 0.0f;
      else if (linear)
         rgba8_filter_column(&rows, unit->format->channel[unit->source[c]].offset_bits, f.weight_y,
                             out[c]);
      else
         rgba8_unpack(texel[0], unit->format->channel[unit->source[c]].offset_bits, out[c]);
   }
}

#endif
