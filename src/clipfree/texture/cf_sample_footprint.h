/* SPDX-License-Identifier: MIT */
/*
 * Texture unit, addressing: wrap modes turn coordinates into the texels of a filter's footprint (GL
 * ES 2.0 section 3.7.7, GL 2.1 section 3.8), and texels into byte offsets. Included by
 * cf_sample_lanes.c only.
 */
#ifndef CF_SAMPLE_FOOTPRINT_H
#define CF_SAMPLE_FOOTPRINT_H

#include "clipfree/base/cf_inline.h"
#include "clipfree/texture/cf_sample_lod.h"
#include "clipfree/texture/cf_sample_seams.h"

/* The two texels along one axis: index, and whether it is outside (the border colour); weight of
 * the second. */
struct wrapped {
   cf_lanes_i index[2];
   cf_lanes_u outside[2];
   cf_lanes_f weight;
};

/* ------------------------------------------------------------------ wrap modes */

/* Inlined with the mode constant. */
CF_INLINE void
to_texels_of(enum cf_wrap wrap, const cf_lanes_f coord, float size, cf_lanes_f u)
{
   CF_FOR_LANES(l)
      u[l] = cf_wrapped_texels(wrap, coord[l], size);
}

static void
to_texels(enum cf_wrap wrap, const cf_lanes_f coord, float size, cf_lanes_f u)
{
   switch (wrap) {
   case CF_WRAP_REPEAT:
      to_texels_of(CF_WRAP_REPEAT, coord, size, u);
      break;
   case CF_WRAP_MIRROR_REPEAT:
      to_texels_of(CF_WRAP_MIRROR_REPEAT, coord, size, u);
      break;
   case CF_WRAP_MIRROR_CLAMP:
   case CF_WRAP_MIRROR_CLAMP_TO_EDGE:
   case CF_WRAP_MIRROR_CLAMP_TO_BORDER:
      to_texels_of(CF_WRAP_MIRROR_CLAMP, coord, size, u);
      break;
   default:
      to_texels_of(CF_WRAP_CLAMP_TO_EDGE, coord, size, u);
   }
}

static bool
has_border(enum cf_wrap wrap, bool linear)
{
   return wrap == CF_WRAP_CLAMP_TO_BORDER || wrap == CF_WRAP_MIRROR_CLAMP_TO_BORDER ||
          (linear && (wrap == CF_WRAP_CLAMP || wrap == CF_WRAP_MIRROR_CLAMP));
}

static bool
mirrors_at_zero(enum cf_wrap wrap)
{
   return wrap == CF_WRAP_MIRROR_CLAMP || wrap == CF_WRAP_MIRROR_CLAMP_TO_EDGE ||
          wrap == CF_WRAP_MIRROR_CLAMP_TO_BORDER;
}

/* Wrap index i, in [-1, size + 1], into [0, size - 1]. */
static void
wrap_index(enum cf_wrap wrap, bool border, int32_t size, cf_lanes_i i, cf_lanes_u outside)
{
   if (border) {
      const int32_t low = mirrors_at_zero(wrap) ? -1 : 0; /* the mirror of texel -1 is texel 0 */
      CF_FOR_LANES (l)
         outside[l] = i[l] < low || i[l] >= size ? UINT32_MAX : 0;
   }
   if (wrap == CF_WRAP_REPEAT)
      CF_FOR_LANES (l)
         i[l] = i[l] < 0 ? size - 1 : i[l] >= size ? 0 : i[l];
   else
      CF_FOR_LANES (l)
         i[l] = i[l] < 0 ? 0 : i[l] >= size ? size - 1 : i[l];
}

/* Indices, in [-1, size + 1], and weight of a position in texels. NaN gives -1. */
static void
find_texels(bool linear, const cf_lanes_f u, float size, struct wrapped *w)
{
   const float centre = linear ? 0.5f : 0.0f;
   CF_FOR_LANES(l) {
      const float inside = cf_near_texture(u[l] - centre, size);
      const float whole = cf_floor(inside);
      w->weight[l] = inside - whole;
      w->index[0][l] = (int32_t)whole;
      w->index[1][l] = (int32_t)whole + 1;
   }
}

/* Texel indices and weight of a coordinate (GL ES 2.0 section 3.7.7). NaN samples some texel
 * inside. */
static void
wrap_axis(enum cf_wrap wrap, bool linear, bool unnormalized, const cf_lanes_f coord,
          uint32_t size_px, struct wrapped *w)
{
   const float size = (float)size_px;
   cf_lanes_f u;
   if (unnormalized)
      CF_FOR_LANES (l)
         u[l] = coord[l];
   else
      to_texels(wrap, coord, size, u);
   if (wrap == CF_WRAP_CLAMP || wrap == CF_WRAP_MIRROR_CLAMP)
      CF_FOR_LANES (l)
         u[l] = u[l] > 0.0f ? (u[l] < size ? u[l] : size) : 0.0f;
   find_texels(linear, u, size, w);
   const bool border = has_border(wrap, linear);
   if (!linear && wrap == CF_WRAP_REPEAT) /* a fraction rounded up to 1 belongs to the last texel */
      CF_FOR_LANES (l)
         w->index[0][l] =
            w->index[0][l] >= (int32_t)size_px ? (int32_t)size_px - 1 : w->index[0][l];
   for (int n = 0; n < (linear ? 2 : 1); n++)
      wrap_index(wrap, border, (int32_t)size_px, w->index[n], w->outside[n]);
}

/* Coordinates along an axis moved by the texel offsets, which are of each level's texels (ES 3.0
 * section 3.8.10.2). */
static void
move_coordinates(const struct coords *coords, uint32_t axis, bool unnormalized, uint32_t size_px,
                 cf_lanes_f moved)
{
   const float unit = unnormalized ? 1.0f : (float)size_px;
   CF_FOR_LANES(l)
      moved[l] = coords->axis[axis][l] + cf_texel_offset(coords->offsets[l], axis, unit);
}

/* ------------------------------------------------------------------ offsets */

static void
axis_offset(const struct cf_texture_unit *unit, const struct cf_texture_level *level, int axis,
            const cf_lanes_i index, cf_lanes_u offset_B)
{
   const uint32_t pixel_B = unit->format->pixel_B, block_B = unit->format->block_B;
   const uint32_t row_B = level->row_pitch_B, layer_B = level->layer_pitch_B;
   const bool blocks = unit->texture.layout == CF_LAYOUT_BLOCKS;
   if (axis < 2 && unit->format->compression) /* offset of the compressed block */
      CF_FOR_LANES (l)
         offset_B[l] = ((uint32_t)index[l] >> 2) * (axis ? row_B : block_B);
   else if (axis == 0 && blocks)
      CF_FOR_LANES (l) {
         const uint32_t x = (uint32_t)index[l];
         offset_B[l] = ((x >> 2) * 16 + (x & 1) + ((x & 2) << 1)) * pixel_B;
      }
   else if (axis == 0)
      CF_FOR_LANES (l)
         offset_B[l] = (uint32_t)index[l] * pixel_B;
   else if (axis == 1 && blocks)
      CF_FOR_LANES (l) {
         const uint32_t y = (uint32_t)index[l];
         offset_B[l] = (y >> 2) * row_B + (((y & 1) << 1) + ((y & 2) << 2)) * pixel_B;
      }
   else
      CF_FOR_LANES (l)
         offset_B[l] = (uint32_t)index[l] * (axis == 1 ? row_B : layer_B);
}

/* The footprint of all lanes in one level: up to 2 x 2 x 2 texels each. */
struct footprint {
   const struct cf_texture_unit *unit;
   const struct cf_texture_level *level;
   bool linear, border, seamless;
   struct wrapped axis[3];
   cf_lanes_u offset_B[3][2];
   cf_lanes_u base_B;
   /* seamless: the corner that does not exist at a cube's vertex, or CF_NO_CORNER */
   cf_lanes_u missing;
   cf_lanes_u layer; /* seamless: the face that the coordinates are on */
};

/* The footprint on a cube face; indices may lie beyond its edges, on the adjacent faces. */
static void
make_seamless_footprint(const struct coords *coords, struct footprint *f)
{
   const float size = (float)f->level->width_px;
   for (uint32_t a = 0; a < 2; a++) {
      cf_lanes_f u;
      to_texels(CF_WRAP_CLAMP_TO_EDGE, coords->axis[a], size, u);
      find_texels(true, u, size, &f->axis[a]);
   }
   find_missing_corner((int32_t)f->level->width_px, f->axis[0].index, f->axis[1].index,
                       f->missing);
   memcpy(f->layer, coords->layer, sizeof(f->layer));
}

static void
make_footprint(const struct cf_texture_unit *unit, uint32_t level_index, bool linear,
               const struct coords *coords, struct footprint *f)
{
   const struct cf_texture_level *level = &unit->level[level_index];
   const enum cf_wrap wrap[3] = { unit->sampler.wrap_s, unit->sampler.wrap_t,
                                  unit->sampler.wrap_r };
   const uint32_t size_px[3] = { level->width_px, level->height_px, level->depth_px };
   f->unit = unit;
   f->level = level;
   f->linear = linear;
   f->border = false;
   f->seamless = unit->seamless && linear;
   if (f->seamless) {
      make_seamless_footprint(coords, f);
      return;
   }
   const bool unnormalized =
      unit->sampler.unnormalized || unit->texture.kind == CF_TEXTURE_KIND_RECT;
   for (uint32_t a = 0; a < unit->dims; a++) {
      cf_lanes_f moved;
      if (coords->offsets)
         move_coordinates(coords, a, unnormalized, size_px[a], moved);
      wrap_axis(wrap[a], linear, unnormalized, coords->offsets ? moved : coords->axis[a],
                size_px[a], &f->axis[a]);
      f->border |= has_border(wrap[a], linear);
      for (int n = 0; n < (linear ? 2 : 1); n++)
         axis_offset(unit, level, (int)a, f->axis[a].index[n], f->offset_B[a][n]);
   }
   if (f->border)
      for (uint32_t a = 0; a < unit->dims; a++)
         if (!has_border(wrap[a], linear))
            memset(f->axis[a].outside, 0, sizeof(f->axis[a].outside));
   CF_FOR_LANES (l)
      f->base_B[l] = level->offset_B + coords->layer[l] * level->layer_pitch_B;
}

/* Inlined with constant `compression`: a loop without branches. */
CF_INLINE void
decode_compressed(enum cf_compression compression, const uint8_t *data, const cf_lanes_u offset_B,
                  const cf_lanes_i x, const cf_lanes_i y, cf_lanes_u texel)
{
   cf_lanes_u colors, codes, alpha[2];
   CF_FOR_LANES(l) {
      const struct cf_s3tc_words words = cf_s3tc_load(compression, data + offset_B[l]);
      colors[l] = words.colors;
      codes[l] = words.codes;
      alpha[0][l] = words.alpha[0];
      alpha[1][l] = words.alpha[1];
   }
   CF_FOR_LANES(l)
      texel[l] = cf_s3tc_decode(compression, colors[l], codes[l], alpha[0][l], alpha[1][l],
                                ((uint32_t)x[l] & 3) | ((uint32_t)y[l] & 3) << 2);
}

static void
load_compressed(const struct cf_texture_unit *unit, const cf_lanes_u offset_B, const cf_lanes_i x,
                const cf_lanes_i y, cf_lanes_u texel)
{
   switch ((enum cf_compression)unit->format->compression) {
   case CF_COMPRESSION_DXT1_RGB:
      decode_compressed(CF_COMPRESSION_DXT1_RGB, unit->data, offset_B, x, y, texel);
      break;
   case CF_COMPRESSION_DXT1_RGBA:
      decode_compressed(CF_COMPRESSION_DXT1_RGBA, unit->data, offset_B, x, y, texel);
      break;
   case CF_COMPRESSION_DXT3:
      decode_compressed(CF_COMPRESSION_DXT3, unit->data, offset_B, x, y, texel);
      break;
   default:
      decode_compressed(CF_COMPRESSION_DXT5, unit->data, offset_B, x, y, texel);
   }
}

/* Load the texels at these offsets; x, y: their positions, of which compressed blocks need the low
 * bits. */
static void
load_texels(const struct cf_texture_unit *unit, const cf_lanes_u offset_B, const cf_lanes_i x,
            const cf_lanes_i y, struct cf_raw_texels *raw)
{
   if (unit->format->compression)
      load_compressed(unit, offset_B, x, y, raw->word[0]);
   else
      cf_load_words(unit->format->pixel_B, unit->data, offset_B, raw);
}

static void
load_seamless_corner(const struct footprint *f, uint32_t corner, struct cf_raw_texels *raw)
{
   const struct cf_texture_level *level = f->level;
   struct seam_texels texels;
   cf_lanes_u x_B, y_B, offset_B;
   cross_seams((int32_t)level->width_px, f->axis[0].index[corner & 1],
               f->axis[1].index[corner >> 1], f->layer, &texels);
   axis_offset(f->unit, level, 0, texels.x, x_B);
   axis_offset(f->unit, level, 1, texels.y, y_B);
   CF_FOR_LANES (l)
      offset_B[l] = level->offset_B + texels.layer[l] * level->layer_pitch_B + x_B[l] + y_B[l];
   load_texels(f->unit, offset_B, texels.x, texels.y, raw);
}

/* Load texel `corner` of the footprint (bit a: the second index of axis a). */
static void
load_corner(const struct footprint *f, uint32_t corner, struct cf_raw_texels *raw)
{
   cf_lanes_u offset_B;
   if (f->seamless) {
      load_seamless_corner(f, corner, raw);
      return;
   }
   CF_FOR_LANES (l)
      offset_B[l] = f->base_B[l] + f->offset_B[0][corner & 1][l];
   for (uint32_t a = 1; a < f->unit->dims; a++)
      CF_FOR_LANES (l)
         offset_B[l] += f->offset_B[a][corner >> a & 1][l];
   load_texels(f->unit, offset_B, f->axis[0].index[corner & 1], f->axis[1].index[corner >> 1 & 1],
               raw);
}

#endif
