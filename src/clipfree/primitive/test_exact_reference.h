/* SPDX-License-Identifier: MIT */
/*
 * The triangle as real numbers: paper A's equations on GMP rationals, slowly and literally.
 * Reference of the tests.
 */
#ifndef CF_TEST_EXACT_REFERENCE_H
#define CF_TEST_EXACT_REFERENCE_H

#include "clipfree/arith/test_rational.h"
#include "clipfree/primitive/cf_primitive.h"

/* Edges as functions of the window, turned so that inside is positive; and det of the clip-space
 * vertices. */
struct real_triangle {
   mpq_t a[3], b[3], c[3], det;
   const struct cf_primitive_config *config;
};

static inline void
real_set(mpq_t q, double v)
{
   mpq_set_d(q, v);
}

/* r += p q */
static inline void
real_add_mul(mpq_t r, const mpq_t p, double q)
{
   mpq_t t;
   mpq_init(t);
   real_set(t, q);
   mpq_mul(t, t, p);
   mpq_add(r, r, t);
   mpq_clear(t);
}

static inline void
real_init(struct real_triangle *t, const struct cf_primitive_config *config,
          const float *const v[3])
{
   const struct cf_viewport *vp = &config->viewport;
   mpq_t m, f;
   t->config = config;
   mpq_inits(m, f, t->det, NULL);
   for (int i = 0; i < 3; i++) {
      const float *p = v[(i + 1) % 3], *q = v[(i + 2) % 3];
      mpq_inits(t->a[i], t->b[i], t->c[i], NULL);
      rational_minor(t->a[i], p[1], q[3], p[3], q[1]);
      rational_minor(t->b[i], p[3], q[0], p[0], q[3]);
      rational_minor(t->c[i], p[0], q[1], p[1], q[0]);
      real_add_mul(t->det, t->c[i], v[i][3]);
   }
   const int turn = mpq_sgn(t->det) * (vp->scale_x < 0 ? -1 : 1) * (vp->scale_y < 0 ? -1 : 1);
   for (int i = 0; i < 3; i++) {
      /* c' = sx sy c - sy tx a - sx ty b, then a' = sy a, b' = sx b */
      rational_minor(m, vp->scale_x, vp->scale_y, 0, 0);
      mpq_mul(t->c[i], t->c[i], m);
      rational_minor(m, -vp->scale_y, vp->translate_x, 0, 0);
      mpq_mul(m, m, t->a[i]);
      mpq_add(t->c[i], t->c[i], m);
      rational_minor(m, -vp->scale_x, vp->translate_y, 0, 0);
      mpq_mul(m, m, t->b[i]);
      mpq_add(t->c[i], t->c[i], m);
      real_set(f, vp->scale_y * turn);
      mpq_mul(t->a[i], t->a[i], f);
      real_set(f, vp->scale_x * turn);
      mpq_mul(t->b[i], t->b[i], f);
      real_set(f, turn);
      mpq_mul(t->c[i], t->c[i], f);
   }
   mpq_clears(m, f, NULL);
}

static inline void
real_clear(struct real_triangle *t)
{
   for (int i = 0; i < 3; i++)
      mpq_clears(t->a[i], t->b[i], t->c[i], NULL);
   mpq_clear(t->det);
}

/* Edge i at window point (x, y). */
static inline void
real_edge(const struct real_triangle *t, int i, double x, double y, mpq_t e)
{
   mpq_set(e, t->c[i]);
   real_add_mul(e, t->a[i], x);
   real_add_mul(e, t->b[i], y);
}

/* Whether the triangle covers window point (x, y): all edges positive, or zero and on its left or
 * top. */
static inline bool
real_covers(const struct real_triangle *t, double x, double y)
{
   bool inside = mpq_sgn(t->det) != 0;
   mpq_t e;
   mpq_init(e);
   for (int i = 0; i < 3 && inside; i++) {
      real_edge(t, i, x, y, e);
      const int s = mpq_sgn(e), a = mpq_sgn(t->a[i]);
      const int b = mpq_sgn(t->b[i]) * (t->config->raster.bottom_edge_rule ? -1 : 1);
      inside = s > 0 || (s == 0 && (a > 0 || (a == 0 && b > 0)));
   }
   mpq_clear(e);
   return inside;
}

#endif
