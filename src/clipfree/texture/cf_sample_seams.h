/* SPDX-License-Identifier: MIT */
/*
 * Texture unit, seamless cube maps (ARB_seamless_cube_map): the linear filter takes texels beyond
 * the edge of a face from the adjacent face. At a vertex of the cube there is no fourth texel; the
 * mean of the other three replaces it. Included by cf_sample_footprint.h only.
 */
#ifndef CF_SAMPLE_SEAMS_H
#define CF_SAMPLE_SEAMS_H

#include "clipfree/texture/cf_texel.h"

#define CF_NO_CORNER 4

/* Texels of one corner of the footprint, on the faces where they really lie. */
struct seam_texels {
   cf_lanes_i x, y;
   cf_lanes_u layer;
};

/* Convert a texel beyond one edge of a face to the texel of the adjacent face. x, y: -1..size, at
 * most one of them outside. Positions are in half texels from the cube's centre, so that all are
 * integers: a face is `size` away from the centre, and its outermost texels' centres are size - 1
 * from the face's centre. */
static inline void
cross_seam(int32_t size, int32_t *x, int32_t *y, uint32_t *layer)
{
   const uint32_t face = *layer % 6, axis = face >> 1;
   const bool beyond_s = *x < 0 || *x >= size, beyond_t = *y < 0 || *y >= size;
   const int32_t sign = face & 1 ? -1 : 1;
   /* sc and tc of table 3.21: beyond an edge, the coordinate across it becomes the plane of the
    * adjacent face, and the old face's axis that of the outermost texel */
   const int32_t sc = beyond_s ? (*x < 0 ? -size : size) : 2 * *x + 1 - size;
   const int32_t tc = beyond_t ? (*y < 0 ? -size : size) : 2 * *y + 1 - size;
   const int32_t ma = sign * (beyond_s || beyond_t ? size - 1 : size);
   const int32_t px = axis == 0 ? ma : axis == 1 ? sc : sign * sc;
   const int32_t py = axis == 1 ? ma : -tc;
   const int32_t pz = axis == 2 ? ma : axis == 1 ? sign * tc : -sign * sc;
   const int32_t to = px == size || px == -size ? 0 : py == size || py == -size ? 1 : 2;
   const int32_t m = to == 0 ? px : to == 1 ? py : pz;
   const int32_t to_sign = m < 0 ? -1 : 1;
   const int32_t to_sc = to == 0 ? -to_sign * pz : to == 1 ? px : to_sign * px;
   const int32_t to_tc = to == 1 ? to_sign * pz : -py;
   *x = (to_sc + size - 1) / 2;
   *y = (to_tc + size - 1) / 2;
   *layer = *layer - face + (uint32_t)(2 * to) + (m < 0 ? 1 : 0);
}

/* Convert corner n of the footprint (bit a: the second index of axis a), from unwrapped indices. A
 * missing texel becomes some texel inside. */
static void
cross_seams(int32_t size, const cf_lanes_i s, const cf_lanes_i t, const cf_lanes_u layer,
            struct seam_texels *texels)
{
   CF_FOR_LANES (l) {
      int32_t x = s[l], y = t[l];
      uint32_t to = layer[l];
      const bool beyond_both = (x < 0 || x >= size) && (y < 0 || y >= size);
      x = beyond_both ? 0 : x;
      cross_seam(size, &x, &y, &to);
      texels->x[l] = x;
      texels->y[l] = y;
      texels->layer[l] = to;
   }
}

/* Find the corner beyond two edges, or CF_NO_CORNER. */
static void
find_missing_corner(int32_t size, const cf_lanes_i s[2], const cf_lanes_i t[2], cf_lanes_u corner)
{
   CF_FOR_LANES (l) {
      const bool beyond_s = s[0][l] < 0 || s[1][l] >= size;
      const bool beyond_t = t[0][l] < 0 || t[1][l] >= size;
      const uint32_t n = (s[0][l] < 0 ? 0 : 1) + (t[0][l] < 0 ? 0 : 2);
      corner[l] = beyond_s && beyond_t ? n : CF_NO_CORNER;
   }
}

static void
fill_missing_corner(const cf_lanes_u missing, cf_lanes_f texel[4])
{
   for (uint32_t n = 0; n < 4; n++)
      CF_FOR_LANES (l) {
         const float others =
            texel[n ^ 1][l] + texel[n ^ 2][l] + texel[n ^ 3][l];
         texel[n][l] = missing[l] == n ? others / 3.0f : texel[n][l];
      }
}

/* The same for the integer filter, rounded to nearest. */
static void
fill_missing_corner_unorm8(const struct cf_format_info *format, const cf_lanes_u missing,
                           struct cf_raw_texels texel[4])
{
   for (uint32_t n = 0; n < 4; n++) {
      cf_lanes_u mean = { 0 };
      for (uint32_t c = 0; c < format->channels; c++) {
         const uint32_t shift = format->channel[c].offset_bits;
         const uint32_t max = (1u << format->channel[c].bits) - 1;
         CF_FOR_LANES (l) {
            const uint32_t others = (texel[n ^ 1].word[0][l] >> shift & max) +
                                    (texel[n ^ 2].word[0][l] >> shift & max) +
                                    (texel[n ^ 3].word[0][l] >> shift & max);
            mean[l] |= (others + 1) / 3 << shift;
         }
      }
      CF_FOR_LANES (l)
         texel[n].word[0][l] = missing[l] == n ? mean[l] : texel[n].word[0][l];
   }
}

#endif
