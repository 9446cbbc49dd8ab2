/* SPDX-License-Identifier: MIT */
/*
 * Window depth of quads, and inputs of fragment tasks: barycentrics (paper A eq. 5) and system
 * values. Compiled once per host vector level; all is f64 in one fixed order of operations, rounded
 * to f32 at the end.
 */
#include <math.h>
#include <string.h>

#include "clipfree/base/cf_vec.h"
#include "clipfree/isa/cf_isa.h"
#include "clipfree/primitive/cf_depth_lanes.h"
#include "clipfree/primitive/cf_interpolate.h"
#include "clipfree/primitive/cf_line_formulas.h"
#include "clipfree/primitive/cf_prim.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

/* ---- depth ---- */

/* One quad: lanes (x & 1) | (y & 1) << 1. */
static const cf_f64x4 quad_x = { 0, 1, 0, 1 };
static const cf_f64x4 quad_y = { 0, 0, 1, 1 };

#define to_f32(v) __builtin_convertvector(v, cf_f32x4)
#define to_f64(v) __builtin_convertvector(v, cf_f64x4)

/* Window depth of the quad at (x, y), clamped; the same operations as in cf_depth_lanes.h, so early
 * and late depth agree. */
static inline cf_f32x4
depth_of_quad(const struct cf_prim *prim, double x_px, double y_px)
{
   const cf_f64x4 x = x_px + quad_x, y = y_px + quad_y;
   return cf_vec_clamp(to_f32((prim->z_a * x + prim->z_b * y) + prim->z_c),
                       CF_SPLAT(cf_f32x4, prim->z_min), CF_SPLAT(cf_f32x4, prim->z_max));
}

void
CF_LANES(cf_depth_quads)(const struct cf_quad *quads, uint32_t count, uint32_t sample,
                         float depth[CF_TASK_LANES])
{
   const double x = cf_depth_place_px(sample, 0), y = cf_depth_place_px(sample, 1);
   for (uint32_t q = 0; q < CF_TASK_QUADS; q++) {
      const struct cf_quad *quad = &quads[q < count ? q : 0];
      const cf_f32x4 z = depth_of_quad(quad->prim, quad->x_px + x, quad->y_px + y);
      memcpy(&depth[4 * q], &z, sizeof z);
   }
}

/* ---- inputs of tasks ---- */

/* Weights of a primitive at the pixels of a quad, and their sum, the divisor of eq. 5. */
struct weights {
   cf_f64x4 e[3], sum;
};

/* Move (x, y) to the place where a wide line is interpolated (cf_line_formulas.h). */
static void
move_to_replicated_point(const struct cf_prim *prim, cf_f64x4 *x, cf_f64x4 *y)
{
   const double a = prim->a[2], b = prim->b[2];
   const double up = cf_line_up(a, b, prim->config->raster.bottom_edge_rule);
   const double across = cf_line_across(a, b), along_per_up = cf_line_along_per_up(a, b, up);
   const uint32_t lower = cf_line_is_lower(across, up) ? 2 : 3;
   const cf_f64x4 rows =
      ((prim->a[lower] * *x + prim->b[lower] * *y) + prim->c[lower]) / cf_line_magnitude(across);
   cf_f64x4 along;
   for (uint32_t k = 0; k < 4; k++)
      along[k] = cf_line_along(rows[k], along_per_up);
   *x += along;
   *y += along;
}

/* Weights at offsets (x, y) from the centre of the quad's pixel 0. */
static inline void
weights_at(const struct cf_quad *quad, cf_f64x4 x_px, cf_f64x4 y_px, struct weights *w)
{
   const struct cf_prim *prim = quad->prim;
   cf_f64x4 x = (double)(int32_t)quad->x_px + x_px, y = (double)(int32_t)quad->y_px + y_px;
   if (prim->replicated)
      move_to_replicated_point(prim, &x, &y);
   if (prim->shape == CF_SHAPE_POINT) {
      w->e[0] = prim->point.s_per_px * x + prim->point.s_0;
      w->e[1] = prim->point.t_per_px * y + prim->point.t_0;
      w->sum = 1.0 + 0.0 * quad_x;
      return;
   }
   w->e[0] = (prim->a[0] * x + prim->b[0] * y) + prim->c[0];
   w->e[1] = (prim->a[1] * x + prim->b[1] * y) + prim->c[1];
   w->sum = w->e[0] + w->e[1];
   if (prim->shape == CF_SHAPE_TRIANGLE) {
      w->e[2] = (prim->a[2] * x + prim->b[2] * y) + prim->c[2];
      w->sum += w->e[2];
   }
}

static inline void
weights_of_quad(const struct cf_quad *quad, struct weights *w)
{
   weights_at(quad, quad_x, quad_y, w);
}

/* Range of barycentrics, by pixels whose centre is inside: there [0, 1], else all that f32
 * holds. */
#define CF_LIMIT(m, in, out)                                                                       \
   {                                                                                               \
      (m) & 1 ? in : out, (m)&2 ? in : out, (m)&4 ? in : out, (m)&8 ? in : out                     \
   }
#define CF_LIMITS(in, out)                                                                         \
   {                                                                                               \
      CF_LIMIT(0, in, out), CF_LIMIT(1, in, out), CF_LIMIT(2, in, out), CF_LIMIT(3, in, out),      \
         CF_LIMIT(4, in, out), CF_LIMIT(5, in, out), CF_LIMIT(6, in, out), CF_LIMIT(7, in, out),   \
         CF_LIMIT(8, in, out), CF_LIMIT(9, in, out), CF_LIMIT(10, in, out), CF_LIMIT(11, in, out), \
         CF_LIMIT(12, in, out), CF_LIMIT(13, in, out), CF_LIMIT(14, in, out),                      \
         CF_LIMIT(15, in, out)                                                                     \
   }
static const cf_f32x4 low_by_mask[16] = CF_LIMITS(0.0f, -0x1p127f);
static const cf_f32x4 high_by_mask[16] = CF_LIMITS(1.0f, 0x1p127f);

static inline uint32_t
inside(const struct cf_quad *quad)
{
   return cf_quad_mask(quad, CF_QUAD_COVERED) & ~cf_quad_mask(quad, CF_QUAD_UNSURE);
}

/* Eq. 5, clamped: results are numbers even where the sum of weights is 0 or beyond f32. `inside`:
 * mask of pixels whose place of evaluation is inside the primitive. */
static inline void
store_quotients(const struct weights *w, uint32_t inside, float b0[4], float b1[4])
{
   const cf_f32x4 low = low_by_mask[inside], high = high_by_mask[inside];
   const cf_f32x4 sum = to_f32(w->sum);
   const cf_f32x4 q0 = cf_vec_clamp(to_f32(w->e[0]) / sum, low, high),
                  q1 = cf_vec_clamp(to_f32(w->e[1]) / sum, low, high);
   memcpy(b0, &q0, sizeof q0);
   memcpy(b1, &q1, sizeof q1);
}

static inline void
store_barycentrics(const struct cf_quad *quad, uint32_t lane, struct cf_task *task)
{
   struct weights w;
   weights_of_quad(quad, &w);
   store_quotients(&w, inside(quad), &task->bary[0][lane], &task->bary[1][lane]);
}

/* Rounding errors of the barycentrics, for pixels that other triangles may share
 * (cf_task.bary_rest). */
static void
store_rests(const struct cf_quad *quad, uint32_t lane, struct cf_task *task)
{
   struct weights w;
   weights_of_quad(quad, &w);
   for (uint32_t i = 0; i < 2; i++) {
      cf_f32x4 b;
      memcpy(&b, &task->bary[i][lane], sizeof b);
      b = to_f32(w.e[i] - to_f64(b) * w.sum) / to_f32(w.sum);
      b = cf_vec_clamp(b, CF_SPLAT(cf_f32x4, -1.0f),
                       CF_SPLAT(cf_f32x4, 1.0f)); /* a number, whatever the sum is */
      memcpy(&task->bary_rest[i][lane], &b, sizeof b);
   }
   task->shared |= cf_quad_mask(quad, CF_QUAD_UNSURE) << lane;
}

/* The pixels of a quad that are covered in part and whose first covered sample is number s. */
static inline uint32_t
first_at(const struct cf_quad *quad, uint32_t s)
{
   uint32_t at = cf_quad_mask(quad, CF_QUAD_COVERED) & cf_quad_mask(quad, CF_QUAD_UNSURE);
   for (uint32_t b = 0; b < 2; b++)
      at &=
         s >> b & 1 ? cf_quad_mask(quad, CF_QUAD_FIRST(b)) : ~cf_quad_mask(quad, CF_QUAD_FIRST(b));
   return at;
}

/* Centroid barycentrics: of pixels covered in part at their first covered sample, of all others at
 * the centre. */
static void
store_centroid(const struct cf_quad *quad, uint32_t lane, struct cf_task *task)
{
   cf_f64x4 x = quad_x, y = quad_y;
   uint32_t at_samples = 0;
   for (uint32_t s = 0; s < CF_SAMPLES; s++) {
      const uint32_t here = first_at(quad, s);
      at_samples |= here;
      for (uint32_t k = 0; k < 4; k++) {
         x[k] += here >> k & 1 ? cf_sample_offset_px(s, 0) : 0.0;
         y[k] += here >> k & 1 ? cf_sample_offset_px(s, 1) : 0.0;
      }
   }
   struct weights w;
   weights_at(quad, x, y, &w);
   store_quotients(&w, inside(quad) | at_samples, &task->centroid[0][lane],
                   &task->centroid[1][lane]);
}

/* ---- barycentrics of one triangle ---- */

#if defined(__AVX512F__)
/*
 * The same operations for the eight quads of one triangle, with a vector across the quads for each of their four pixels:
 * a x and b y are computed once for pixels that share x or y, and nothing is computed quad by quad.
 */
struct quads_lanes {
   __m512d x, y;           /* of pixel 0 */
   __m256 low[4], high[4]; /* range of barycentrics, by pixel */
};

static inline struct quads_lanes
load_quads(const struct cf_quad quads[CF_TASK_QUADS])
{
   struct quads_lanes lanes;
   const __m512i odd = _mm512_set_epi64(15, 13, 11, 9, 7, 5, 3, 1);
   const __m512i half[2] = { _mm512_loadu_si512(&quads[0]), _mm512_loadu_si512(&quads[4]) };
   const __m512i x_y_masks =
      _mm512_permutex2var_epi64(half[0], odd, half[1]); /* 16, 16 and 32 bits */
   const __m512i masks = _mm512_srli_epi64(x_y_masks, 32);
   const __m512i inside = _mm512_andnot_epi64(_mm512_srli_epi64(masks, 4), masks);
   const __m512i low_16 = _mm512_set1_epi64(0xffff);
   lanes.x = _mm512_cvtepi64_pd(_mm512_and_epi64(x_y_masks, low_16));
   lanes.y = _mm512_cvtepi64_pd(_mm512_and_epi64(_mm512_srli_epi64(x_y_masks, 16), low_16));
   for (uint32_t k = 0; k < 4; k++) {
      const __mmask8 is_inside = _mm512_test_epi64_mask(inside, _mm512_set1_epi64(1 << k));
      lanes.low[k] = _mm256_mask_blend_ps(is_inside, _mm256_set1_ps(-0x1p127f), _mm256_setzero_ps());
      lanes.high[k] = _mm256_mask_blend_ps(is_inside, _mm256_set1_ps(0x1p127f), _mm256_set1_ps(1.0f));
   }
   return lanes;
}

/* Transpose vectors across quads, one per pixel, into a task's row of lanes. */
static inline void
store_pixels(float row[CF_TASK_LANES], const __m256 pixel[4])
{
   const __m512i first = _mm512_set_epi32(27, 19, 11, 3, 26, 18, 10, 2, 25, 17, 9, 1, 24, 16, 8, 0);
   const __m512 top = _mm512_insertf32x8(_mm512_castps256_ps512(pixel[0]), pixel[1], 1);
   const __m512 bottom = _mm512_insertf32x8(_mm512_castps256_ps512(pixel[2]), pixel[3], 1);
   const __m512i second = _mm512_add_epi32(first, _mm512_set1_epi32(4));
   _mm512_store_ps(&row[0], _mm512_permutex2var_ps(top, first, bottom));
   _mm512_store_ps(&row[16], _mm512_permutex2var_ps(top, second, bottom));
}

static void
store_barycentrics_of_triangle(const struct cf_quad quads[CF_TASK_QUADS], struct cf_task *task)
{
   const struct cf_prim *prim = quads[0].prim;
   const struct quads_lanes lanes = load_quads(quads);
   const __m512d x[2] = { lanes.x, lanes.x + 1.0 }, y[2] = { lanes.y, lanes.y + 1.0 };
   __m512d e[3][4];
   __m256 bary[2][4];
   for (uint32_t i = 0; i < 3; i++) {
      const __m512d ax[2] = { prim->a[i] * x[0], prim->a[i] * x[1] };
      const __m512d by[2] = { prim->b[i] * y[0], prim->b[i] * y[1] };
      for (uint32_t k = 0; k < 4; k++)
         e[i][k] = (ax[k & 1] + by[k >> 1]) + prim->c[i];
   }
   for (uint32_t k = 0; k < 4; k++) {
      const __m256 sum = _mm512_cvtpd_ps((e[0][k] + e[1][k]) + e[2][k]);
      for (uint32_t i = 0; i < 2; i++) {
         const __m256 b = _mm512_cvtpd_ps(e[i][k]) / sum;
         bary[i][k] = _mm256_min_ps(_mm256_max_ps(b, lanes.low[k]), lanes.high[k]);
      }
   }
   store_pixels(task->bary[0], bary[0]);
   store_pixels(task->bary[1], bary[1]);
}
#else
static void
store_barycentrics_of_triangle(const struct cf_quad quads[CF_TASK_QUADS], struct cf_task *task)
{
   for (uint32_t q = 0; q < CF_TASK_QUADS; q++)
      store_barycentrics(&quads[q], 4 * q, task);
}
#endif

/* ---- system values ---- */

/* Barycentrics linear in the window: e_i w_i / sum(e_j w_j); of points, the point coordinates. */
static void
store_linear(const struct cf_quad *quad, uint32_t lane, struct cf_task *task)
{
   const struct cf_prim *prim = quad->prim;
   const cf_f32x4 low = low_by_mask[inside(quad)], high = high_by_mask[inside(quad)];
   struct weights w;
   weights_of_quad(quad, &w);
   for (uint32_t i = 0; i < 2; i++) {
      const double factor =
         prim->shape == CF_SHAPE_POINT ? 1.0 : prim->vertex[i][3] * prim->inv_scale;
      const cf_f32x4 b = cf_vec_clamp(to_f32(w.e[i] * factor), low, high);
      memcpy(&task->linear[i][lane], &b, sizeof b);
   }
}

static inline void
store_float(struct cf_task *task, uint32_t sysval, uint32_t lane, cf_f32x4 v)
{
   memcpy(&task->sys[sysval][lane], &v, sizeof v);
}

static inline void
store_bool(struct cf_task *task, uint32_t sysval, uint32_t lane, uint32_t mask)
{
   for (uint32_t k = 0; k < 4; k++)
      task->sys[sysval][lane + k] = mask >> k & 1 ? UINT32_MAX : 0;
}

/* Window position. */
static void
store_position(const struct cf_quad *quad, uint32_t lane, uint32_t sysvals, struct cf_task *task)
{
   const struct cf_prim *prim = quad->prim;
   const double half_px = prim->config->raster.half_pixel_center ? 0.5 : 0.0;
   if (sysvals & 1 << CF_SYSVAL_FRAG_X)
      store_float(task, CF_SYSVAL_FRAG_X, lane, to_f32(quad->x_px + half_px + quad_x));
   if (sysvals & 1 << CF_SYSVAL_FRAG_Y)
      store_float(task, CF_SYSVAL_FRAG_Y, lane, to_f32(quad->y_px + half_px + quad_y));
   if (sysvals & 1 << CF_SYSVAL_FRAG_Z)
      store_float(task, CF_SYSVAL_FRAG_Z, lane, depth_of_quad(prim, quad->x_px, quad->y_px));
}

/* System values from shape and weights. Point coordinates of other shapes are 0. */
static void
store_shape(const struct cf_quad *quad, uint32_t lane, uint32_t sysvals, struct cf_task *task)
{
   const struct cf_prim *prim = quad->prim;
   const bool point = prim->shape == CF_SHAPE_POINT;
   struct weights w;
   weights_of_quad(quad, &w);
   if (sysvals & 1 << CF_SYSVAL_FRAG_W)
      store_float(task, CF_SYSVAL_FRAG_W, lane, to_f32(w.sum * prim->inv_scale));
   if (sysvals & 1 << CF_SYSVAL_FRONT_FACE)
      store_bool(task, CF_SYSVAL_FRONT_FACE, lane, prim->front ? 15 : 0);
   if (sysvals & 1 << CF_SYSVAL_POINT_X)
      store_float(task, CF_SYSVAL_POINT_X, lane, point ? to_f32(w.e[0]) : CF_SPLAT(cf_f32x4, 0.0f));
   if (sysvals & 1 << CF_SYSVAL_POINT_Y)
      store_float(task, CF_SYSVAL_POINT_Y, lane, point ? to_f32(w.e[1]) : CF_SPLAT(cf_f32x4, 0.0f));
   if (sysvals & 1 << CF_SYSVAL_HELPER)
      store_bool(task, CF_SYSVAL_HELPER, lane, ~cf_quad_mask(quad, CF_QUAD_COVERED));
}

#define CF_SYSVALS_POSITION (1 << CF_SYSVAL_FRAG_X | 1 << CF_SYSVAL_FRAG_Y | 1 << CF_SYSVAL_FRAG_Z)
#define CF_SYSVALS_SHAPE                                                                           \
   (1 << CF_SYSVAL_FRAG_W | 1 << CF_SYSVAL_FRONT_FACE | 1 << CF_SYSVAL_POINT_X |                   \
    1 << CF_SYSVAL_POINT_Y | 1 << CF_SYSVAL_HELPER)

#define CF_VARMODES_SMOOTH (1 << CF_VARMODE_SMOOTH)
#define CF_VARMODES_LINEAR (1 << CF_VARMODE_LINEAR)
#define CF_VARMODES_CENTROID (1 << CF_VARMODE_CENTROID)

/* Inputs that few programs ask for. */
static void
store_others(const struct cf_quad quads[CF_TASK_QUADS], uint32_t sysvals, uint32_t varmodes, struct cf_task *task)
{
   for (uint32_t q = 0; q < CF_TASK_QUADS; q++) {
      if (sysvals & CF_SYSVALS_POSITION)
         store_position(&quads[q], 4 * q, sysvals, task);
      if (sysvals & CF_SYSVALS_SHAPE)
         store_shape(&quads[q], 4 * q, sysvals, task);
      if (varmodes & CF_VARMODES_LINEAR)
         store_linear(&quads[q], 4 * q, task);
      if (varmodes & CF_VARMODES_CENTROID)
         store_centroid(&quads[q], 4 * q, task);
   }
   if (sysvals & 1 << CF_SYSVAL_LANE) {
      for (uint32_t lane = 0; lane < CF_TASK_LANES; lane++)
         task->sys[CF_SYSVAL_LANE][lane] = lane;
   }
}

/* Perspective-correct barycentrics. */
static inline void
store_smooth(const struct cf_quad quads[CF_TASK_QUADS], struct cf_task *task)
{
   if (task->one_primitive && quads[0].prim->shape == CF_SHAPE_TRIANGLE) {
      store_barycentrics_of_triangle(quads, task);
      return;
   }
   for (uint32_t q = 0; q < CF_TASK_QUADS; q++)
      store_barycentrics(&quads[q], 4 * q, task);
}

void
CF_LANES(cf_interpolate)(const struct cf_quad *quads, uint32_t count, uint32_t sysvals,
                         uint32_t varmodes, struct cf_task *task)
{
   struct cf_quad all[CF_TASK_QUADS];
   const struct cf_prim *first = quads[0].prim;
   bool one_primitive = true;
   uint32_t masks = 0;
   if (count < CF_TASK_QUADS) {
      for (uint32_t q = 0; q < CF_TASK_QUADS; q++)
         all[q] = quads[q < count ? q : 0];
      quads = all;
   }
   for (uint32_t q = 0; q < CF_TASK_QUADS; q++) {
      one_primitive &= quads[q].prim == first;
      task->varyings[q] = quads[q].prim->varyings;
      masks |= quads[q].masks;
   }
   task->one_primitive = one_primitive;
   task->shared = 0;
   if (varmodes & CF_VARMODES_SMOOTH) {
      store_smooth(quads, task);
      const bool shared = varmodes & CF_VARMODES_SHARED && masks & 0xf * CF_QUAD_UNSURE;
      for (uint32_t q = 0; shared && q < CF_TASK_QUADS; q++)
         store_rests(&quads[q], 4 * q, task);
   }
   if (sysvals & (CF_SYSVALS_POSITION | CF_SYSVALS_SHAPE | 1 << CF_SYSVAL_LANE) ||
       varmodes & (CF_VARMODES_LINEAR | CF_VARMODES_CENTROID))
      store_others(quads, sysvals, varmodes, task);
}
