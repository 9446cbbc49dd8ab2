/* SPDX-License-Identifier: MIT */
/*
 * For the texture unit's tests: random textures, a slow reference for one level, and sampling at
 * every host vector level.
 */
#ifndef TEST_TEXTURE_H
#define TEST_TEXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/arith/cf_fp.h"
#include "clipfree/base/test_random.h"
#include "clipfree/isa/cf_isa.h"
#include "clipfree/memory/cf_surface.h"
#include "clipfree/texture/cf_texture.h"

static uint64_t random_state;

static inline uint32_t
random_u32(void)
{
   random_state = random_state * 6364136223846793005u + 1442695040888963407u;
   return (uint32_t)(random_state >> 32);
}

static inline uint32_t
random_below(uint32_t n)
{
   return random_u32() % n;
}

static inline float
random_float(float low, float high)
{
   return low + (high - low) * (float)(random_u32() >> 8) / 16777216.0f;
}

struct fixture {
   struct cf_texture texture;
   struct cf_sampler sampler;
   struct cf_texture_unit unit;
   uint8_t *data;
};

static inline uint32_t
minify(uint32_t size, uint32_t level)
{
   return size >> level ? size >> level : 1;
}

/* Make a texture of random bytes (finite floats). */
static inline void
make_texture(struct fixture *f, enum cf_texture_kind kind, enum cf_format format, uint32_t width,
             uint32_t height, uint32_t depth, uint32_t last_level, enum cf_layout layout)
{
   const struct cf_format_info *info = cf_format_info_of(format);
   memset(&f->texture, 0, sizeof(f->texture));
   f->texture = (struct cf_texture){ .kind = kind,
                                     .format = format,
                                     .width_px = width,
                                     .height_px = height,
                                     .depth_px = depth,
                                     .layers = depth,
                                     .last_level = last_level,
                                     .layout = layout,
                                     .swizzle_g = CF_SWIZZLE_Y,
                                     .swizzle_b = CF_SWIZZLE_Z,
                                     .swizzle_a = CF_SWIZZLE_W };
   uint32_t size_B = 0;
   for (uint32_t l = 0; l <= last_level; l++) {
      const uint32_t w = minify(width, l), h = minify(height, l);
      const uint32_t layers = kind == CF_TEXTURE_KIND_T3D    ? minify(depth, l)
                              : kind == CF_TEXTURE_KIND_CUBE ? 6
                                                             : depth;
      const bool blocks = layout == CF_LAYOUT_BLOCKS;
      f->texture.level_row_pitch_B[l] = blocks ? (w + 3) / 4 * info->block_B : w * info->pixel_B;
      f->texture.level_layer_pitch_B[l] =
         f->texture.level_row_pitch_B[l] * (blocks ? (h + 3) / 4 : h);
      f->texture.level_offset_B[l] = size_B;
      size_B += f->texture.level_layer_pitch_B[l] * layers;
   }
   f->texture.size_B = size_B;
   f->data = malloc(size_B);
   for (uint32_t i = 0; i < size_B; i++)
      f->data[i] = (uint8_t)random_u32();
   const bool floats =
      info->channel[0].type == CF_CHANNEL_FLOAT || info->channel[0].type == CF_CHANNEL_SHARED;
   for (uint32_t i = 0; i + info->pixel_B <= size_B && floats; i += info->pixel_B) {
      const float rgba[4] = { random_float(-4, 4), random_float(-4, 4), random_float(-4, 4),
                              random_float(-4, 4) };
      cf_format_store(info, f->data + i, rgba);
   }
}

/* The same with CF_SAMPLES samples, one level, in blocks. */
static inline void
make_samples(struct fixture *f, enum cf_texture_kind kind, enum cf_format format, uint32_t width,
             uint32_t height, uint32_t layers)
{
   make_texture(f, kind, format, CF_SAMPLES * ((width + 3) / 4 * 4), height, layers, 0,
                CF_LAYOUT_BLOCKS);
   f->texture.width_px = width;
   f->texture.samples = CF_SAMPLES;
}

static inline void
bind(struct fixture *f)
{
   const char *bad_field = cf_texture_unit_init(&f->unit, &f->texture, &f->sampler, f->data);
   if (bad_field)
      fail_msg("%s rejected", bad_field);
}

/* ------------------------------------------------------------------ reference */

static inline void
ref_texel_sample(const struct fixture *f, uint32_t l, uint32_t layer, uint32_t x, uint32_t y,
                 uint32_t sample, double out[4])
{
   const struct cf_format_info *info = cf_format_info_of(f->texture.format);
   uint32_t offset_B = f->texture.level_offset_B[l] + layer * f->texture.level_layer_pitch_B[l] +
                       sample * (f->texture.level_row_pitch_B[l] / CF_SAMPLES);
   if (f->texture.layout == CF_LAYOUT_BLOCKS)
      offset_B += y / 4 * f->texture.level_row_pitch_B[l] +
                  (x / 4 * 16 + cf_block_element(x, y)) * info->pixel_B;
   else
      offset_B += y * f->texture.level_row_pitch_B[l] + x * info->pixel_B;
   float rgba[4];
   cf_format_fetch(info, f->data + offset_B, rgba);
   for (int c = 0; c < 4; c++)
      out[c] = rgba[c];
}

static inline void
ref_texel(const struct fixture *f, uint32_t l, uint32_t layer, uint32_t x, uint32_t y,
          double out[4])
{
   ref_texel_sample(f, l, layer, x, y, 0, out);
}

/* Wrap texel index n; -1: border. */
static inline int
ref_wrap(enum cf_wrap wrap, int n, int size)
{
   switch (wrap) {
   case CF_WRAP_REPEAT:
      return ((n % size) + size) % size;
   case CF_WRAP_MIRROR_REPEAT: {
      const int m = ((n % (2 * size)) + 2 * size) % (2 * size);
      return m < size ? m : 2 * size - 1 - m;
   }
   case CF_WRAP_CLAMP_TO_EDGE:
      return n < 0 ? 0 : n >= size ? size - 1 : n;
   case CF_WRAP_MIRROR_CLAMP_TO_EDGE:
      n = n < 0 ? -1 - n : n;
      return n >= size ? size - 1 : n;
   case CF_WRAP_MIRROR_CLAMP_TO_BORDER:
   case CF_WRAP_MIRROR_CLAMP:
      n = n < 0 ? -1 - n : n;
      return n >= size ? -1 : n;
   default:
      return n < 0 || n >= size ? -1 : n;
   }
}

static inline double
ref_coordinate(enum cf_wrap wrap, double c, double size, bool unnormalized)
{
   if (wrap == CF_WRAP_CLAMP)
      c = c < 0 ? 0 : c > 1 ? 1 : c;
   if (wrap == CF_WRAP_MIRROR_CLAMP)
      c = fabs(c) > 1 ? 1 : fabs(c);
   return unnormalized ? c : c * size;
}

/* Sample one level. Returns the distance to the nearest texel boundary: if it is tiny, nearest
 * filters may select either texel. */
static inline double
ref_level(const struct fixture *f, uint32_t l, bool linear, const double str[3], uint32_t layer,
          uint32_t dims, double out[4])
{
   const int size[3] = { (int)minify(f->texture.width_px, l), (int)minify(f->texture.height_px, l),
                         (int)minify(f->texture.depth_px, l) };
   const enum cf_wrap wrap[3] = { f->sampler.wrap_s, f->sampler.wrap_t, f->sampler.wrap_r };
   double weight[3] = { 0 }, margin = 1;
   int base[3] = { 0 };
   for (uint32_t a = 0; a < dims; a++) {
      const double u =
         ref_coordinate(wrap[a], str[a], size[a], f->sampler.unnormalized) - (linear ? 0.5 : 0);
      base[a] = (int)floor(u);
      weight[a] = u - floor(u);
      if (!linear && (wrap[a] == CF_WRAP_CLAMP || wrap[a] == CF_WRAP_MIRROR_CLAMP) &&
          base[a] >= size[a])
         base[a] = size[a] - 1;
      if (!linear)
         margin = fmin(margin, fmin(weight[a], 1 - weight[a]));
   }
   memset(out, 0, 4 * sizeof(double));
   for (uint32_t corner = 0; corner < (linear ? 1u << dims : 1); corner++) {
      int index[3] = { 0, 0, 0 };
      double w = 1, texel[4];
      bool border = false;
      for (uint32_t a = 0; a < dims; a++) {
         const uint32_t second = corner >> a & 1;
         index[a] = ref_wrap(wrap[a], base[a] + (int)second, size[a]);
         border |= index[a] < 0;
         if (linear)
            w *= second ? weight[a] : 1 - weight[a];
      }
      if (border)
         for (int c = 0; c < 4; c++)
            texel[c] = f->sampler.border[c];
      else
         ref_texel(f, l, dims == 3 ? (uint32_t)index[2] : layer, (uint32_t)index[0],
                   (uint32_t)index[1], texel);
      for (int c = 0; c < 4; c++)
         out[c] += w * texel[c];
   }
   return margin;
}

static inline enum cf_host_level
best_level(void)
{
   return cf_host_level();
}

/* Sample at every vector level of this host, assert equal bits, return the result. */
static inline void
sample_all_levels(const struct fixture *f, const struct cf_texture_request *request,
                  float rgba[4][32])
{
   for (uint32_t level = 0; level <= best_level(); level++) {
      float got[4][32];
      memset(got, 0x55, sizeof(got));
      cf_texture_ops_at(level)->sample(&f->unit, request, got);
      if (level == 0)
         memcpy(rgba, got, sizeof(got));
      else
         assert_memory_equal(rgba, got, sizeof(got));
   }
}

static inline float
random_coordinate(void)
{
   static const float hostile[] = { 0.0f,   -0.0f,  1.0f,    -1.0f,    0.99999994f, 1e10f,
                                    -1e10f, 1e-30f, -1e-30f, INFINITY, -INFINITY,   NAN };
   return random_below(8) ? random_float(-2.5f, 2.5f)
                          : hostile[random_below(sizeof(hostile) / sizeof(hostile[0]))];
}

#endif
