/* SPDX-License-Identifier: MIT */
/*
 * Set-up of triangles: what few triangles need. See cf_triangle.h.
 */
#include "clipfree/primitive/cf_triangle.h"

#include "clipfree/arith/cf_dp3.h"

static inline uint32_t
next(uint32_t i)
{
   return i == 2 ? 0 : i + 1;
}

/* ---- policy exact ---- */

double
cf_triangle_exact_det(const struct cf_triangle *t)
{
   float xyw[3][3];
   for (uint32_t i = 0; i < 3; i++) {
      xyw[i][0] = t->v[i][0];
      xyw[i][1] = t->v[i][1];
      xyw[i][2] = t->v[i][3];
   }
   return cf_exact_det_value(xyw[0], xyw[1], xyw[2]);
}

/* ---- policies dp3 and fma ---- */

/* a0 b0 - a1 b1 */
static double
minor_rounded(enum cf_setup_policy policy, float a0, float b0, float a1, float b1)
{
   return policy == CF_SETUP_DP3 ? cf_dp2(a0, b0, -a1, b1) : cf_fma(a0, b0, -(a1 * b1));
}

/* a0 b0 + a1 b1 + a2 b2 */
static double
dp3_rounded(enum cf_setup_policy policy, const float a[3], const float b[3])
{
   return (policy == CF_SETUP_DP3 ? cf_dp3 : cf_dp3_fma)(a[0], b[0], a[1], b[1], a[2], b[2]);
}

void
cf_triangle_rounded_minors(enum cf_setup_policy policy, struct cf_triangle *t)
{
   float c[3], w[3];
   t->a = t->b = t->c = (cf_f64x4){ 0 };
   for (uint32_t i = 0, j = 1, k = 2; i < 3; i++, j = next(j), k = next(k)) {
      const float *v1 = t->v[j], *v2 = t->v[k];
      t->a[i] = minor_rounded(policy, v1[1], v2[3], v1[3], v2[1]);
      t->b[i] = minor_rounded(policy, v1[3], v2[0], v1[0], v2[3]);
      t->c[i] = minor_rounded(policy, v1[0], v2[1], v1[1], v2[0]);
      c[i] = t->c[i];
      w[i] = t->v[i][3];
   }
   t->det = dp3_rounded(policy, c, w);
}

void
cf_triangle_rounded_edges(const struct cf_setup *s, const struct cf_triangle *t, double factor,
                          struct cf_prim *prim)
{
   const float row[3] = { -s->yta, -s->xtb, s->xyc };
   prim->a[3] = prim->b[3] = prim->c[3] = prim->error[3] = 0.0;
   for (uint32_t i = 0; i < 3; i++) {
      const float e[3] = { t->a[i], t->b[i], t->c[i] };
      const double a = (float)(s->ya * e[0]), b = (float)(s->xb * e[1]);
      const double c = dp3_rounded(s->config->policy, row, e);
      prim->a[i] = factor * a;
      prim->b[i] = factor * b;
      prim->c[i] = factor * (c + s->half_px * (a + b));
      prim->error[i] = 0.0;
   }
}

void
cf_triangle_rounded_depth(const struct cf_setup *s, const struct cf_triangle *t,
                          struct cf_prim *prim)
{
   const double scale = s->z_scale * prim->inv_scale;
   float a[3], b[3], c[3], z[3];
   for (uint32_t i = 0; i < 3; i++) {
      a[i] = prim->a[i];
      b[i] = prim->b[i];
      c[i] = prim->c[i];
      z[i] = t->v[i][2];
   }
   prim->z_a = dp3_rounded(s->config->policy, a, z) * scale;
   prim->z_b = dp3_rounded(s->config->policy, b, z) * scale;
   prim->z_c = dp3_rounded(s->config->policy, c, z) * scale + s->z_translate;
}

/* ---- polygon modes ---- */

void
cf_triangle_outline(const struct cf_setup *s, enum cf_polygon_mode mode, const float *const v[3],
                    const float *provoking, uint32_t edge_flags, const struct cf_face *face)
{
   for (uint32_t i = 0; i < 3; i++) {
      if (!(edge_flags >> i & 1))
         continue;
      uint32_t stipple = 0;
      if (mode == CF_POLYGON_MODE_LINE)
         cf_setup_line(s, v[i], v[next(i)], provoking, face, &stipple);
      else
         cf_setup_point(s, v[i], provoking, face);
   }
}
