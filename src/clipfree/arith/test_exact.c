/* SPDX-License-Identifier: MIT */
/*
 * The exact predicates against GMP rationals: points on edges and vertices, slivers, w of all
 * signs, denormal and huge inputs, odd viewports.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "clipfree/arith/cf_eft.h"
#include "clipfree/arith/cf_exact.h"
#include "clipfree/arith/cf_fp.h"
#include "clipfree/arith/test_rational.h"
#include "clipfree/base/test_random.h"

#include <math.h>

/* ---- reference: eqs. 1 and 4 of paper A, term by term, in rationals ---- */

/* r *= x */
static void
scale(mpq_t r, double x)
{
   mpq_t t;
   mpq_init(t);
   mpq_set_d(t, x);
   mpq_mul(r, r, t);
   mpq_clear(t);
}

struct ref_edge {
   mpq_t a, b, c; /* a', b', c' */
};

static void
ref_edge_init(struct ref_edge *e, const float v1[3], const float v2[3],
              const struct cf_viewport_xy *vp)
{
   const double flip = ((vp->sx > 0) - (vp->sx < 0)) * ((vp->sy > 0) - (vp->sy < 0));
   mpq_t t;
   mpq_inits(e->a, e->b, e->c, t, NULL);
   rational_minor(e->a, v1[1], v2[2], v1[2], v2[1]);
   scale(e->a, vp->sy);
   scale(e->a, flip);
   rational_minor(e->b, v1[2], v2[0], v1[0], v2[2]);
   scale(e->b, vp->sx);
   scale(e->b, flip);
   rational_minor(e->c, v1[0], v2[1], v1[1], v2[0]);
   scale(e->c, vp->sx);
   scale(e->c, vp->sy);
   scale(e->c, flip);
   mpq_set(t, e->a);
   scale(t, vp->tx);
   mpq_sub(e->c, e->c, t);
   mpq_set(t, e->b);
   scale(t, vp->ty);
   mpq_sub(e->c, e->c, t);
   mpq_clear(t);
}

static void
ref_edge_clear(struct ref_edge *e)
{
   mpq_clears(e->a, e->b, e->c, NULL);
}

static void
ref_edge_at(mpq_t r, const struct ref_edge *e, double px, double py)
{
   mpq_t t;
   mpq_init(t);
   mpq_set(r, e->a);
   scale(r, px);
   mpq_set(t, e->b);
   scale(t, py);
   mpq_add(r, r, t);
   mpq_add(r, r, e->c);
   mpq_clear(t);
}

static void
ref_det(mpq_t r, const float v0[3], const float v1[3], const float v2[3])
{
   mpq_t m;
   mpq_init(m);
   mpq_set_ui(r, 0, 1);
   for (int i = 0; i < 3; i++) {
      int j = (i + 1) % 3, k = (i + 2) % 3;
      rational_minor(m, v1[j], v2[k], v1[k], v2[j]);
      scale(m, v0[i]);
      mpq_add(r, r, m);
   }
   mpq_clear(m);
}

/* 1 if v is the double nearest to the exact value r: no neighbour is nearer. */
static int
is_nearest(double v, const mpq_t r)
{
   int right = isfinite(v) && (v == 0) == (mpq_sgn(r) == 0);
   mpq_t d, n;
   mpq_inits(d, n, NULL);
   mpq_set_d(d, v);
   mpq_sub(d, d, r);
   mpq_abs(d, d);
   for (int up = 0; up < 2 && right; up++) {
      mpq_set_d(n, nextafter(v, up ? INFINITY : -INFINITY));
      mpq_sub(n, n, r);
      mpq_abs(n, n);
      int c = mpq_cmp(d, n);
      right = c < 0 || (c == 0 && !(cf_bits64(v) & 1));
   }
   mpq_clears(d, n, NULL);
   return right;
}

static int zeros,
   checked; /* how often a random family hits exact zeros: a family that never does is no test */

static void
check_edge(const float v1[3], const float v2[3], const struct cf_viewport_xy *vp, double px,
           double py)
{
   struct ref_edge e;
   mpq_t r;
   mpq_init(r);
   ref_edge_init(&e, v1, v2, vp);
   ref_edge_at(r, &e, px, py);
   const int sign = mpq_sgn(r);
   if (cf_exact_edge_sign(v1, v2, vp, px, py) != sign)
      fail_msg("edge (%a %a %a) x (%a %a %a), viewport %a %a %a %a, at (%a, %a): sign %d, expected %d", v1[0],
               v1[1], v1[2], v2[0], v2[1], v2[2], vp->sx, vp->sy, vp->tx, vp->ty, px, py,
               cf_exact_edge_sign(v1, v2, vp, px, py), sign);
   assert_int_equal(cf_exact_edge_sign(v2, v1, vp, px, py), -sign);
   zeros += sign == 0;
   checked++;
   ref_edge_clear(&e);
   mpq_clear(r);
}

static void
check_det(const float v0[3], const float v1[3], const float v2[3])
{
   mpq_t r;
   mpq_init(r);
   ref_det(r, v0, v1, v2);
   assert_true(is_nearest(cf_exact_det_value(v0, v1, v2), r));
   mpq_clear(r);
}

/* ---- inputs ---- */

static const struct cf_viewport_xy window = { 400.0f, -300.0f, 400.0f, 300.0f };

static double
random_pixel(struct cf_random *r)
{
   return ((double)cf_random_below(r, 1048577) - 524288) / 16;
}

static float
random_finite(struct cf_random *r)
{
   uint32_t u = cf_random_u32(r);
   return cf_float((u & 0x7f800000) == 0x7f800000 ? u & ~0x40000000u : u);
}

static void
test_boundary(void **state)
{
   static const float pool[] = { 0.0f,         -0.0f,           1.0f,
                                 -1.0f,        0x1p-149f,       -0x1p-149f,
                                 0x1p-126f,    0x1.fffffep127f, -0x1.fffffep127f,
                                 0x1.000002p0f };
   const unsigned n = sizeof pool / sizeof pool[0];
   struct cf_random r = cf_random_seed("arith-exact boundary");
   for (int i = 0; i < 20000; i++) {
      float v[3][3], p[4];
      for (int k = 0; k < 9; k++)
         v[k / 3][k % 3] = pool[cf_random_below(&r, n)];
      for (int k = 0; k < 4; k++)
         p[k] = pool[cf_random_below(&r, n)];
      struct cf_viewport_xy vp = { p[0], p[1], p[2], p[3] };
      static const double px[] = { 0, 0.5, -0.5, 0.0625, 32768, -32768, 32767.9375 };
      check_edge(v[0], v[1], i % 2 ? &vp : &window, px[cf_random_below(&r, 7)],
                 px[cf_random_below(&r, 7)]);
      check_det(v[0], v[1], v[2]);
   }
   /* The largest and the smallest magnitudes that can occur. */
   const float huge = 0x1.fffffep127f, tiny = 0x1p-149f;
   check_edge((float[]){ huge, -huge, huge }, (float[]){ huge, huge, -huge },
              &(struct cf_viewport_xy){ huge, huge, -huge, huge }, 32768, -32768);
   check_edge((float[]){ tiny, 0, 0 }, (float[]){ 0, tiny, 0 },
              &(struct cf_viewport_xy){ tiny, tiny, 0, 0 }, 0, 0);
   check_edge((float[]){ huge, tiny, 1 }, (float[]){ huge, -tiny, 1 },
              &(struct cf_viewport_xy){ huge, tiny, huge, tiny }, 0.5, 0.5);
}

static void
test_any_bits(void **state)
{
   struct cf_random r = cf_random_seed("arith-exact any bits");
   for (int i = 0; i < 20000; i++) {
      float x[13];
      for (int k = 0; k < 13; k++)
         x[k] = random_finite(&r);
      struct cf_viewport_xy vp = { x[9], x[10], x[11], x[12] };
      check_edge(x, x + 3, i % 2 ? &vp : &window, random_pixel(&r), random_pixel(&r));
      check_det(x, x + 3, x + 6);
   }
}

/* A clip-space vertex that maps exactly to the window point (px, py), with w a power of two of
 * either sign. */
static void
vertex_at(float v[3], double px, double py, struct cf_random *r)
{
   float w = ldexpf(cf_random_below(r, 2) ? 1.0f : -1.0f, (int)cf_random_below(r, 41) - 20);
   v[0] = (float)((px - 256) / 256) * w;
   v[1] = (float)((py - 128) / -128) * w;
   v[2] = w;
}

static float
nudge(float x, struct cf_random *r)
{
   return cf_float(cf_bits(x) + cf_random_below(r, 3) - 1);
}

/* Points exactly on vertices and on edges, and the same with vertices moved by one ulp: the cases
 * rounding gets wrong. */
static void
test_on_edge(void **state)
{
   static const struct cf_viewport_xy vp = { 256.0f, -128.0f, 256.0f, 128.0f };
   struct cf_random r = cf_random_seed("arith-exact on edge");
   zeros = checked = 0;
   for (int i = 0; i < 20000; i++) {
      double px = (double)cf_random_below(&r, 512) + 0.5,
             py = (double)cf_random_below(&r, 256) + 0.5;
      double dx = (double)cf_random_below(&r, 512) - 256,
             dy = (double)cf_random_below(&r, 256) - 128;
      float v1[3], v2[3], v3[3];
      vertex_at(v1, px - dx, py - dy, &r);
      vertex_at(v2, px + (i % 3) * dx, py + (i % 3) * dy,
                &r); /* i % 3 == 0: the point is the vertex */
      vertex_at(v3, px, py, &r);
      for (int k = 0; k < 3; k++)
         v2[k] = i % 4 == 3 ? nudge(v2[k], &r) : v2[k];
      check_edge(v1, v2, &vp, px, py);
      check_det(v1, v2, v3);
   }
   assert_true(zeros > checked / 2 && zeros < checked);
}

/* Two vertices that differ by a few ulp, seen from points along their line. */
static void
test_slivers(void **state)
{
   struct cf_random r = cf_random_seed("arith-exact slivers");
   for (int i = 0; i < 20000; i++) {
      float v1[3], v2[3], v3[3];
      for (int k = 0; k < 3; k++) {
         v1[k] = ldexpf(random_finite(&r) > 0 ? 1.0f : -1.0f, (int)cf_random_below(&r, 5) - 2) *
                 cf_float(0x3f800000 | cf_random_u32(&r) >> 9);
         v2[k] = nudge(v1[k], &r);
         v3[k] = i % 2 ? v1[k] + v2[k] : 2 * v1[k];
      }
      check_edge(v1, v2, &window, floor(400 + 400 * v1[0] / v1[2]) + 0.5, 0.5);
      check_edge(v1, v3, &window, 400, 300);
      check_det(v1, v2, v3);
   }
}

/* The plane's value by its definition. */
static int
ref_plane_sign(const float v[3][3], const float distance[3], const struct cf_viewport_xy *vp, double px, double py)
{
   mpq_t sum, e;
   mpq_inits(sum, e, NULL);
   for (int i = 0; i < 3; i++) {
      struct ref_edge edge;
      ref_edge_init(&edge, v[(i + 1) % 3], v[(i + 2) % 3], vp);
      ref_edge_at(e, &edge, px, py);
      scale(e, distance[i]);
      mpq_add(sum, sum, e);
      ref_edge_clear(&edge);
   }
   const int sign = mpq_sgn(sum);
   mpq_clears(sum, e, NULL);
   return sign;
}

/* Planes through the point, an ulp beside it, and random ones; also of the largest and the smallest
 * numbers. */
static void
test_planes(void **state)
{
   static const float extremes[] = { 0x1.fffffep127f, -0x1.fffffep127f, 0x1p-149f, -0x1p-149f, 0.0f, 1.0f };
   static const struct cf_viewport_xy vp = { 256.0f, -128.0f, 256.0f, 128.0f };
   struct cf_random r = cf_random_seed("arith-exact planes");
   zeros = checked = 0;
   for (int i = 0; i < 20000; i++) {
      const double px = (double)cf_random_below(&r, 512) + 0.5, py = (double)cf_random_below(&r, 256) + 0.5;
      const int a = (int)cf_random_below(&r, 15) - 7, b = (int)cf_random_below(&r, 15) - 7;
      float v[3][3], distance[3];
      for (int k = 0; k < 3; k++) {
         const double x = cf_random_below(&r, 512), y = cf_random_below(&r, 256);
         vertex_at(v[k], x, y, &r);
         distance[k] = (float)(a * (x - px) + b * (y - py)) * v[k][2];
      }
      if (i % 4 == 1 && distance[0] != 0)
         distance[0] = nudge(distance[0], &r);
      for (int k = 0; i % 8 == 7 && k < 3; k++)
         distance[k] = extremes[cf_random_below(&r, 6)];
      for (int k = 0; i % 16 == 15 && k < 9; k++)
         v[k / 3][k % 3] = extremes[cf_random_below(&r, 6)];
      const int sign = ref_plane_sign(v, distance, &vp, px, py);
      assert_int_equal(cf_exact_plane_sign(v, distance, &vp, px, py), sign);
      zeros += sign == 0;
      checked++;
   }
   assert_true(zeros > checked / 2 && zeros < checked);
}

/* Significands of one bit, of all bits, and any. */
static float
random_significand(struct cf_random *r)
{
   const uint32_t kind = cf_random_below(r, 3);
   return cf_float(0x3f800000 | (kind == 0 ? 0 : kind == 1 ? 0x7fffff : cf_random_u32(r) >> 9) | cf_random_u32(r) << 31);
}

/* Components whose exponents differ so much that their sum has 50 to 300 bits: around the limit of
 * 128 bits. In every second case all terms have the same sign, so that the sum is as large as
 * possible. */
static void
test_spreads(void **state)
{
   struct cf_random r = cf_random_seed("arith-exact spreads");
   for (int i = 0; i < 60000; i++) {
      float x[16];
      const int spread = (int)cf_random_below(&r, 80);
      for (int k = 0; k < 16; k++)
         x[k] = ldexpf(random_significand(&r), cf_random_below(&r, 4) == 0 ? spread : cf_random_below(&r, 4) == 0 ? -spread : 0);
      struct cf_viewport_xy vp = { x[9], x[10], x[11], x[12] };
      double px = random_pixel(&r), py = random_pixel(&r);
      /* -x1, -y2, -tx and -ty: nine of ten terms are positive, the tenth may be small */
      if (i % 2) {
         for (int k = 0; k < 9; k++)
            x[k] = fabsf(x[k]) * (k == 0 || k == 4 ? -1.0f : 1.0f);
         vp = (struct cf_viewport_xy){ fabsf(vp.sx), fabsf(vp.sy), -fabsf(vp.tx), -fabsf(vp.ty) };
         px = fabs(px);
         py = fabs(py);
      }
      check_edge(x, x + 3, i % 4 < 2 ? &vp : &window, px, py);
      check_det(x, x + 3, x + 6);
      const float v[3][3] = { { x[0], x[1], x[2] }, { x[3], x[4], x[5] }, { x[6], x[7], x[8] } };
      assert_int_equal(cf_exact_plane_sign(v, x + 13, &vp, px, py), ref_plane_sign(v, x + 13, &vp, px, py));
   }
}

/* A minor of eq. 1, of products and their sum, is with its residual the minor in real arithmetic.
 */
static void
test_minor(void **state)
{
   struct cf_random r = cf_random_seed("arith-exact minor");
   mpq_t exact, sum, t;
   mpq_inits(exact, sum, t, NULL);
   for (int i = 0; i < 50000; i++) {
      float x1 = random_finite(&r), y1 = random_finite(&r);
      float x2 = i % 2 ? nudge(x1, &r) : random_finite(&r),
            y2 = i % 2 ? nudge(y1, &r) : random_finite(&r);
      if (!isfinite(x2) || !isfinite(y2))
         continue;
      double residual, m = cf_two_sum(cf_two_product(x1, y2), -cf_two_product(y1, x2), &residual);
      rational_minor(exact, x1, y2, y1, x2);
      mpq_set_d(sum, m);
      mpq_set_d(t, residual);
      mpq_add(sum, sum, t);
      assert_true(mpq_equal(sum, exact));
      assert_true(is_nearest(m, exact));
   }
   mpq_clears(exact, sum, t, NULL);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_boundary), cmocka_unit_test(test_any_bits),
      cmocka_unit_test(test_on_edge),  cmocka_unit_test(test_slivers),
      cmocka_unit_test(test_minor),    cmocka_unit_test(test_planes),
      cmocka_unit_test(test_spreads),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
