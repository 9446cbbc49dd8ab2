/* SPDX-License-Identifier: MIT */
/*
 * Set-up shared by all shapes: viewport and scissor, planes of the view volume, bounds, depth
 * range, varyings.
 */
#include "clipfree/base/cf_for.h"
#include "clipfree/base/cf_vec.h"
#include "clipfree/primitive/cf_line.h"
#include "clipfree/primitive/cf_point.h"
#include "clipfree/primitive/cf_smooth.h"
#include "clipfree/primitive/cf_triangle.h"

#include <math.h>
#include <string.h>

/* True if v has at most `bits` significant bits. */
static bool
has_bits(double v, unsigned bits)
{
   return (cf_bits64(v) & ((1ull << (53 - bits)) - 1)) == 0;
}

/* The first pixel whose centre is not before x, within +-65536. */
static double
first_pixel(const struct cf_setup *setup, double x)
{
   x = smaller(larger(x - setup->half_px, -65536.0), 65536.0);
   return rounded_up(x);
}

static struct cf_limits_px
intersection(const struct cf_limits_px *a, const struct cf_limits_px *b)
{
   return (struct cf_limits_px){ larger(a->min_x, b->min_x), larger(a->min_y, b->min_y),
                            smaller(a->max_x, b->max_x), smaller(a->max_y, b->max_y) };
}

static void
init_rectangles(struct cf_setup *setup, const struct cf_scissor *scissor,
                const struct cf_viewport *vp)
{
   const double rx = fabs(vp->scale_x), ry = fabs(vp->scale_y), tx = vp->translate_x,
                ty = vp->translate_y;
   setup->scissor = (struct cf_limits_px){ scissor->min_x_px, scissor->min_y_px, scissor->max_x_px,
                                      scissor->max_y_px };
   setup->viewport_px = (struct cf_limits_px){
      first_pixel(setup, tx - rx),
      first_pixel(setup, ty - ry),
      first_pixel(setup, tx + rx),
      first_pixel(setup, ty + ry),
   };
   setup->visible = intersection(&setup->scissor, &setup->viewport_px);
   setup->reach_px = larger(setup->scissor.max_x, setup->scissor.max_y) + 64;
}

static bool
init_viewport(struct cf_setup *setup, const struct cf_viewport *vp)
{
   const double sx = vp->scale_x, sy = vp->scale_y, tx = vp->translate_x, ty = vp->translate_y;
   const double sign = (sx < 0) != (sy < 0) ? -1.0 : 1.0;
   if (!isfinite(sx + sy + tx + ty) || sx == 0 || sy == 0)
      return false;
   setup->viewport =
      (struct cf_viewport_xy){ vp->scale_x, vp->scale_y, vp->translate_x, vp->translate_y };
   setup->mirrored = sign < 0;
   setup->ya = sign * sy;
   setup->xb = sign * sx;
   setup->xyc = sign * (sx * sy);
   setup->yta = sign * (sy * tx);
   setup->xtb = sign * (sx * ty);
   setup->map_short =
      has_bits(setup->xyc, 24) && has_bits(setup->yta, 24) && has_bits(setup->xtb, 24);
   return true;
}

/* Depth is clamped to the frame buffer's [0, 1], or under depth clamp to the viewport's range. */
static bool
init_depth(struct cf_setup *setup, const struct cf_viewport *vp, const struct cf_raster *raster)
{
   setup->z_scale = vp->scale_z;
   setup->z_translate = vp->translate_z;
   setup->z_low = 0.0f;
   setup->z_high = 1.0f;
   if (!isfinite(setup->z_scale + setup->z_translate))
      return false;
   if (raster->depth_clamp) {
      const double near = setup->z_translate - (raster->clip_halfz ? 0.0 : setup->z_scale);
      const double far = setup->z_translate + setup->z_scale;
      setup->z_low = fmaxf(fminf(near, far), 0.0f);
      setup->z_high = fminf(fmaxf(near, far), 1.0f);
   }
   return true;
}

bool
cf_setup_init(struct cf_setup *setup, const struct cf_primitive_config *config,
              const struct cf_prim_sink *sink)
{
   setup->config = config;
   setup->sink = sink;
   setup->half_px = config->raster.half_pixel_center ? 0.5 : 0.0;
   const double reach_px = config->samples > 1              ? CF_SAMPLE_REACH_PX
                           : cf_primitive_is_smooth(config) ? CF_SMOOTH_REACH_PX
                                                            : 0.0;
   setup->low_px = setup->half_px - reach_px;
   setup->high_px = setup->half_px + reach_px;
   setup->grid_px = config->samples > 1 ? 1.0 / CF_SAMPLE_UNITS : 0.5;
   setup->triangle = cf_triangle_ops_at(config->level);
   setup->line = cf_line_ops_at(config->level);
   setup->point = cf_point_ops_at(config->level);
   if (!init_viewport(setup, &config->viewport) ||
       !init_depth(setup, &config->viewport, &config->raster))
      return false;
   init_rectangles(setup, &config->scissor, &config->viewport);
   return !cf_limits_are_empty(&setup->scissor);
}

/* Dword of a vertex record where what a plane cuts begins: gl_ClipVertex, gl_ClipDistance or, at 0,
 * the clip-space position. */
static uint32_t
vertex_at(const struct cf_primitive_config *config, uint32_t plane)
{
   return cf_plane_has_vertex(config, plane)
             ? CF_RECORD_HEAD_DWORDS + 4 * config->link[cf_plane_varying(config, plane)].slot
             : 0;
}

/* The user planes that cut: those that are enabled, of gl_ClipDistance those that it has. */
static uint32_t
user_planes(const struct cf_primitive_config *config)
{
   const uint32_t enabled = config->raster.clip_planes & 0xff,
                  distances = config->clip_planes.distances;
   return distances ? enabled & distances : enabled;
}

bool
cf_setup_planes(const struct cf_setup *setup, const float *const *v, uint32_t count,
                uint16_t *planes)
{
   const struct cf_raster *raster = &setup->config->raster;
   uint32_t enabled = raster->depth_clip_near << CF_PLANE_NEAR |
                      raster->depth_clip_far << CF_PLANE_FAR |
                      user_planes(setup->config) << CF_PLANE_USER;
   *planes = 0;
   CF_FOR_BITS (plane, enabled) {
      const uint32_t at = vertex_at(setup->config, plane);
      uint32_t outside = 0, on = 0;
      for (uint32_t i = 0; i < count; i++) {
         const double distance = cf_plane_distance(setup->config, plane, v[i] + at);
         outside += !(distance >= 0.0);
         on += distance == 0.0;
      }
      if (outside == count)
         return false;
      const bool touches = plane >= CF_PLANE_USER && on > 0 && on < count;
      *planes |= (outside != 0 || touches) << plane;
   }
   return true;
}

/* GL's r: the smallest difference of window depths that the depth buffer is sure to resolve near z.
 * Two steps for a fixed-point buffer: depth is rounded twice, to f32 and to the buffer's format,
 * and a single step could vanish. */
static double
depth_unit(uint32_t depth_format_bits, double z)
{
   if (depth_format_bits != 0)
      return ldexp(2.0, -(int)depth_format_bits);
   int exponent;
   frexp(fmin(fabs(z), 1.0), &exponent); /* |z| = m 2^exponent, m in [1/2, 1) */
   return ldexp(1.0, exponent - 1 - 23);
}

double
cf_setup_depth_offset(const struct cf_setup *setup, double slope, double z_max)
{
   const struct cf_raster *raster = &setup->config->raster;
   const double unit = depth_unit(setup->config->depth_format_bits, z_max);
   double offset = isfinite(slope) ? slope * raster->offset_scale : 0.0;
   if (raster->offset_units != 0.0f)
      offset += unit * raster->offset_units;
   if (raster->offset_clamp > 0.0f)
      offset = fmin(offset, raster->offset_clamp);
   else if (raster->offset_clamp < 0.0f)
      offset = fmax(offset, raster->offset_clamp);
   return offset == offset ? offset : 0.0;
}

/* ---- varyings: {p0, p1, p2} of p0 + b0 p1 + b1 p2, four dwords per slot ---- */

/* {p0, p1, p2} of four dwords, interleaved. */
static inline void
store_slot(float (*p)[3], const cf_f32x4 *p0, const cf_f32x4 *p1, const cf_f32x4 *p2)
{
   const cf_f32x4 low = __builtin_shufflevector(*p0, *p1, 0, 4, 1, 5),
                  high = __builtin_shufflevector(*p0, *p1, 2, 6, 3, 7);
   const cf_f32x4 out[3] = {
      __builtin_shufflevector(low, *p2, 0, 1, 4, 2),
      __builtin_shufflevector(__builtin_shufflevector(low, *p2, 3, 5, 3, 5), high, 0, 1, 4, 5),
      __builtin_shufflevector(*p2, high, 2, 6, 7, 3),
   };
   memcpy(p, out, sizeof out);
}

static void
constant_slot(float (*p)[3], const float *value)
{
   const cf_f32x4 zero = { 0 };
   cf_f32x4 v;
   memcpy(&v, value, sizeof v);
   store_slot(p, &v, &zero, &zero);
}

/* p0 = v2, p1 = v0 - v2, p2 = v1 - v2. A line passes v1 as v2: it has b1 = 1 - b0, so p2 is 0. */
static void
smooth_slot(float (*p)[3], const float *v0, const float *v1, const float *v2)
{
   cf_f32x4 a, b, c;
   memcpy(&a, v0, sizeof a);
   memcpy(&b, v1, sizeof b);
   memcpy(&c, v2, sizeof c);
   a -= c;
   b -= c;
   store_slot(p, &c, &a, &b);
}

/* (s, t, 0, 1): b0 and b1 of a point are its point coordinates s and t. */
static void
sprite_slot(float (*p)[3])
{
   static const float st01[4][3] = { { 0, 1, 0 }, { 0, 0, 1 }, { 0, 0, 0 }, { 1, 0, 0 } };
   memcpy(p, st01, sizeof st01);
}

static const uint32_t corners[] = { [CF_SHAPE_POINT] = 1, [CF_SHAPE_LINE] = 2, [CF_SHAPE_TRIANGLE] = 3 };

/* The vertices' own values, not a plane: {v0, v1, v2} of each dword, for clip planes that cut
 * gl_ClipVertex. Vertices that a line or point does not have are 0. */
static void
corner_slot(float (*p)[3], const struct cf_prim *prim, const float *const *v, uint32_t at)
{
   for (uint32_t c = 0; c < 4; c++)
      for (uint32_t i = 0; i < 3; i++)
         p[c][i] = i < corners[prim->shape] ? v[i][at + c] : 0.0f;
}

static void
setup_varyings(const struct cf_setup *setup, const struct cf_prim *prim, const float *const *v,
               const float *provoking, float (*p)[3])
{
   static const float absent[4] = { 0, 0, 0, 1 };
   const struct cf_primitive_config *config = setup->config;
   for (uint32_t k = 0; k < config->varying_slots; k++, p += 4) {
      const struct cf_link *link = &config->link[k];
      const uint32_t slot = link->two_sided && !prim->front ? link->back_slot : link->slot;
      const uint32_t at = CF_RECORD_HEAD_DWORDS + 4 * slot;
      if (link->sprite && prim->shape == CF_SHAPE_POINT)
         sprite_slot(p);
      else if (!link->present || at + 4 > config->vertex_dwords)
         constant_slot(p, absent);
      else if (link->corners)
         corner_slot(p, prim, v, at);
      else if (link->flat || prim->shape == CF_SHAPE_POINT)
         constant_slot(p, provoking + at);
      else
         smooth_slot(p, v[0] + at, v[1] + at, (prim->shape == CF_SHAPE_LINE ? v[1] : v[2]) + at);
   }
}

/* Complete the vertex records that have only their head (CF_RECORD_PENDING). The provoking vertex
 * may be none of the primitive's own. */
static bool
complete_each(const struct cf_prim_sink *sink, uint32_t count, const float *const *v, const float *provoking)
{
   for (uint32_t i = 0; i <= count; i++) {
      const float *record = i < count ? v[i] : provoking;
      if (cf_bits(record[CF_RECORD_PENDING]) != 0 && !sink->complete(sink->user, record))
         return false;
   }
   return true;
}

/* The same, with a fast test for the usual case: all records are complete. The indices cover 1 to 3
 * vertices without a loop. */
static inline bool
complete(const struct cf_prim_sink *sink, uint32_t count, const float *const *v, const float *provoking)
{
   const uint32_t pending = cf_bits(v[0][CF_RECORD_PENDING]) | cf_bits(v[count > 1][CF_RECORD_PENDING]) |
                            cf_bits(v[count - 1][CF_RECORD_PENDING]) | cf_bits(provoking[CF_RECORD_PENDING]);
   return pending == 0 || complete_each(sink, count, v, provoking);
}

/* ---- the sum of weights ---- */

/* Triangles whose bounds have fewer pixels are not looked at: that costs as much as it saves. */
enum { LARGE_PX = 512 };

/* The x and y of all pixels of blocks that a primitive's bounds touch are less. */
static double
end_px(const struct cf_prim *prim)
{
   return cf_max_u32(prim->bounds.max_x_px, prim->bounds.max_y_px) + CF_BLOCK_PX;
}

/* Towards zero; |v| < 2^31. */
static double
truncated(double v)
{
   return (int32_t)v;
}

/* Whether a coefficient is 0, or such that values of its function are multiples of 2^-88: those of
 * 53 bits, at integers, are multiples of their last bit, and so are rounded sums of them. */
static bool
is_ordinary(double coefficient)
{
   return coefficient == 0.0 || fabs(coefficient) >= 0x1p-36;
}

/*
 * Pixels compute the sum as (e0 + e1) + e2, of e_i = (a_i x + b_i y) + c_i. `most` bounds the sum
 * of all absolute terms. Rounding errors, in units of CF_UNIT most: 3 of the functions, 2 of their
 * sum, 2 of a, b and c here. So with a slack of 16, which has room for its own rounding, all values
 * lie within it of c; where both ends of that range are rounded to one f32, all values are.
 */
float
cf_prim_weight_sum(const struct cf_prim *prim)
{
   const double reach_px = end_px(prim);
   double a = 0.0, b = 0.0, c = 0.0, most = 0.0;
   for (uint32_t i = 0; i < 3; i++) {
      a += prim->a[i];
      b += prim->b[i];
      c += prim->c[i];
      most += reach_px * (fabs(prim->a[i]) + fabs(prim->b[i])) + fabs(prim->c[i]);
      if (i < 2 && !(is_ordinary(prim->a[i]) && is_ordinary(prim->b[i]) &&
                     is_ordinary(prim->c[i]) && cf_bits64(prim->c[i]) != cf_bits64(-0.0)))
         return 0.0f;
   }
   const double slack = 2.0 * reach_px * (fabs(a) + fabs(b)) + 16.0 * CF_UNIT * most;
   const float low = (float)(c - slack), high = (float)(c + slack);
   return low == high && low >= 0x1p-16f && low <= 0x1p16f ? low : 0.0f;
}

/* A float has 24 significant bits. If a, b and c are multiples of one power of two, so are a x, b y
 * and their sums; and if these stay below 2^24 times it, each is a float. Example: a = 600, b = 0,
 * c = 300, at up to 800 pixels. */
static bool
is_short(double a, double b, double c, double reach_px)
{
   const double most = reach_px * (fabs(a) + fabs(b)) + fabs(c);
   const double scale = cf_scale_to_one(most) * 0x1p23; /* most becomes less than 2^24 */
   return most > 0.0 && truncated(a * scale) == a * scale &&
          truncated(b * scale) == b * scale && truncated(c * scale) == c * scale;
}

bool
cf_prim_weights_are_short(const struct cf_prim *prim)
{
   const double reach_px = end_px(prim);
   return is_short(prim->a[0], prim->b[0], prim->c[0], reach_px) &&
          is_short(prim->a[1], prim->b[1], prim->c[1], reach_px);
}

/* Look for a sum of weights, and for short ones, of triangles for which it pays to ask. */
static inline void
note_weights(struct cf_prim *prim)
{
   const struct cf_prim_bounds *b = &prim->bounds;
   const uint32_t width_px = b->max_x_px - b->min_x_px, height_px = b->max_y_px - b->min_y_px;
   const float w = prim->vertex[0][3];
   const bool pays =
      width_px * height_px >= LARGE_PX && prim->vertex[1][3] == w && prim->vertex[2][3] == w;
   prim->weight_sum = pays ? cf_prim_weight_sum(prim) : 0.0f;
   prim->short_weights = prim->weight_sum != 0.0f && cf_prim_weights_are_short(prim);
}

void
cf_setup_finish(const struct cf_setup *setup, struct cf_prim *prim, const float *const *v,
                const float *provoking, float (*varyings)[3])
{
   if (setup->sink->complete && !complete(setup->sink, corners[prim->shape], v, provoking))
      return;
   prim->config = setup->config;
   prim->varyings = (const float(*)[3])varyings;
   if (prim->shape == CF_SHAPE_TRIANGLE)
      note_weights(prim);
   setup_varyings(setup, prim, v, provoking, varyings);
   setup->sink->commit(setup->sink->user, prim, &prim->bounds);
}
