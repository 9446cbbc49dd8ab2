/* SPDX-License-Identifier: MIT */
/* Exact predicates (cf_exact.h) by fixed-point sums of 128 bits, or of unlimited width. */
#include "clipfree/arith/cf_exact.h"
#include "clipfree/arith/cf_eft.h"
#include "clipfree/arith/cf_fp.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>

/* significand * 2^exp; the significand is odd or 0, |significand| < 2^24 */
struct factor {
   int32_t significand;
   int exp;
};

static struct factor
factor(int32_t significand, int exp)
{
   const int zeros = significand != 0 ? __builtin_ctz((uint32_t)significand) : 0;
   return (struct factor){ significand >> zeros, exp + zeros };
}

static struct factor
factor_f32(float x)
{
   uint32_t u = cf_bits(x);
   int biased = (u >> 23) & 0xff;
   int32_t m = (int32_t)(u & 0x7fffff) | (biased ? 0x800000 : 0);
   assert(biased != 0xff);
   return factor(u >> 31 ? -m : m, (biased ? biased : 1) - 150);
}

static struct factor
factor_px(double p)
{
   assert(p * 16 == (double)(int32_t)(p * 16) && fabs(p) <= 32768);
   return factor((int32_t)(p * 16), -4);
}

/* A summand: m * 2^exp. */
struct term {
   __int128 m;
   int exp;
};

/* sign * f0 * f1 * f2 * f3: |m| < 2^96. */
static struct term
product(int sign, struct factor f0, struct factor f1, struct factor f2, struct factor f3)
{
   const int64_t m01 = (int64_t)f0.significand * f1.significand * sign;
   const int64_t m23 = (int64_t)f2.significand * f3.significand;
   return (struct term){ (__int128)m01 * m23, f0.exp + f1.exp + f2.exp + f3.exp };
}

/* ---- sums of 128 bits ---- */

#define MAX_TERMS 10
#define SUM_BITS 4 /* carry bits of a sum */
_Static_assert(MAX_TERMS < 1 << SUM_BITS, "carry bits");

/* A sum; valid if `fits`. */
struct narrow {
   struct term sum;
   bool fits;
};

/* Bits of |m|. */
static int
length(__int128 m)
{
   const unsigned __int128 u = m < 0 ? -(unsigned __int128)m : (unsigned __int128)m;
   const uint64_t high = (uint64_t)(u >> 64), low = (uint64_t)u;
   return high != 0 ? 128 - __builtin_clzll(high) : low != 0 ? 64 - __builtin_clzll(low) : 0;
}

/*
 * The sum of at most MAX_TERMS terms, in units of the least exponent of the non-zero ones. It fits
 * if every term's highest bit lies at least SUM_BITS below the sign: then nothing is shifted out,
 * and nothing overflows. Significands of vertices have 24 bits, those of viewports and pixels few:
 * with equal exponents about 70 of 128 bits are used.
 */
static struct narrow
narrow_sum(const struct term *terms, unsigned count)
{
   int low = INT_MAX, high = INT_MIN;
   for (unsigned i = 0; i < count; i++) {
      const int top = terms[i].exp + length(terms[i].m);
      low = terms[i].m != 0 && terms[i].exp < low ? terms[i].exp : low;
      high = terms[i].m != 0 && top > high ? top : high;
   }
   if (low > high)
      return (struct narrow){ .fits = true }; /* all are 0 */
   if (high - low > 127 - SUM_BITS)
      return (struct narrow){ .fits = false };
   unsigned __int128 sum = 0;
   for (unsigned i = 0; i < count; i++)
      sum += terms[i].m != 0 ? (unsigned __int128)terms[i].m << (terms[i].exp - low) : 0;
   return (struct narrow){ { (__int128)sum, low }, true };
}

/* A sum times a factor. */
static struct narrow
narrow_multiple(const struct narrow *n, struct factor f)
{
   if (!n->fits || length(n->sum.m) > 127 - 24)
      return (struct narrow){ .fits = false };
   return (struct narrow){ { n->sum.m * f.significand, n->sum.exp + f.exp }, true };
}

static int
narrow_sign(const struct narrow *n)
{
   return (n->sum.m > 0) - (n->sum.m < 0);
}

/* The conversion to double rounds to nearest even; ldexp is exact, as magnitudes are 0 or 2^-596 ..
 * 2^516. */
static double
narrow_value(const struct narrow *n)
{
   return ldexp((double)n->sum.m, n->sum.exp);
}

/* ---- sums of unlimited width ---- */

/*
 * A two's complement integer of ACC_WORDS 64-bit words, in units of 2^ACC_EXP.
 *
 * The smallest bit of a monomial of four floats is 2^(4 * -149) = 2^-596; the largest monomial is
 * below 2^(4 * 128) = 2^512, and the sum of ten below 2^516.  18 words from 2^-608 end at 2^544:
 * room for the sign.
 */
#define ACC_EXP (-608)
#define ACC_WORDS 18

struct acc {
   uint64_t w[ACC_WORDS];
};

/*
 * The same for sums of such numbers times a float: the smallest bit is 2^(-608 - 149) = 2^-757;
 * three summands below 2^(516 + 128) stay below 2^646, and 23 words from 2^-757 end at 2^715.
 */
#define WIDE_EXP -149
#define WIDE_WORDS 23

struct wide {
   uint64_t w[WIDE_WORDS];
};

static void
acc_add(struct acc *acc, const struct term *term)
{
   const __int128 m = term->m;
   const unsigned exp = (unsigned)(term->exp - ACC_EXP);
   if (m == 0)
      return;

   /* |m| < 2^96, shifted by less than a word: 160 bits over three words, then the sign goes on
    * upwards. */
   const unsigned at = exp / 64, shift = exp % 64;
   const unsigned __int128 low = (unsigned __int128)m << shift;
   const uint64_t fill = m < 0 ? UINT64_MAX : 0;
   const uint64_t part[3] = { (uint64_t)low, (uint64_t)(low >> 64),
                              shift ? (uint64_t)(m >> (128 - shift)) : fill };
   uint64_t carry = 0;
   for (unsigned i = at; i < ACC_WORDS; i++) {
      if (i >= at + 3 && carry == (fill & 1))
         break; /* w + 0 + 0 or w - 1 + 1: nothing changes from here on */
      const unsigned __int128 s =
         (unsigned __int128)acc->w[i] + (i < at + 3 ? part[i - at] : fill) + carry;
      acc->w[i] = (uint64_t)s;
      carry = (uint64_t)(s >> 64);
   }
}

static struct acc
acc_sum(const struct term *terms, unsigned count)
{
   struct acc acc = { { 0 } };
   for (unsigned i = 0; i < count; i++)
      acc_add(&acc, &terms[i]);
   return acc;
}

static int
words_sign(const uint64_t *w, unsigned count)
{
   if (w[count - 1] >> 63)
      return -1;
   for (unsigned i = 0; i < count; i++) {
      if (w[i])
         return 1;
   }
   return 0;
}

static int
acc_sign(const struct acc *acc)
{
   return words_sign(acc->w, ACC_WORDS);
}

static void
acc_negate(struct acc *acc)
{
   uint64_t carry = 1;
   for (unsigned i = 0; i < ACC_WORDS; i++) {
      acc->w[i] = ~acc->w[i] + carry;
      carry = carry && acc->w[i] == 0;
   }
}

/* Adds acc * p: the product's words, shifted by less than a word, one after the other. */
static void
wide_add_multiple(struct wide *sum, struct acc acc, struct factor p)
{
   const uint64_t times = p.significand < 0 ? -p.significand : p.significand;
   const int sign = acc_sign(&acc);
   const bool negative = (sign < 0) != (p.significand < 0);
   const unsigned exp = (unsigned)(p.exp - WIDE_EXP), at = exp / 64, shift = exp % 64;
   uint64_t high = 0, before = 0, carry = 0;
   if (sign == 0 || times == 0)
      return;
   if (sign < 0)
      acc_negate(&acc);
   for (unsigned i = 0; at + i < WIDE_WORDS; i++) {
      const unsigned __int128 product = (unsigned __int128)(i < ACC_WORDS ? acc.w[i] : 0) * times + high;
      const uint64_t word = (uint64_t)product, part = shift ? word << shift | before >> (64 - shift) : word;
      const unsigned __int128 w = sum->w[at + i];
      const unsigned __int128 s = negative ? w - part - carry : w + part + carry;
      high = (uint64_t)(product >> 64);
      before = word;
      sum->w[at + i] = (uint64_t)s;
      carry = (uint64_t)(s >> 64) & 1;
   }
}

/* The value, rounded once: the leading 64 bits, with everything below folded into the last one
 * (round to odd). */
static double
acc_value(struct acc acc)
{
   int sign = acc_sign(&acc);
   if (sign == 0)
      return 0.0;
   if (sign < 0)
      acc_negate(&acc);
   int top = ACC_WORDS - 1;
   while (acc.w[top] == 0)
      top--;
   int lead = __builtin_clzll(acc.w[top]);
   uint64_t m = acc.w[top] << lead;
   bool rest = false;
   if (top > 0 && lead > 0) {
      m |= acc.w[top - 1] >> (64 - lead);
      rest = acc.w[top - 1] << lead != 0;
   } else if (top > 0) {
      rest = acc.w[top - 1] != 0;
   }
   for (int i = 0; i < top - 1; i++)
      rest |= acc.w[i] != 0;
   double v = ldexp((double)(m | rest), 64 * top - lead + ACC_EXP);
   return sign < 0 ? -v : v;
}

static int
sign_of(float x)
{
   return (x > 0) - (x < 0);
}

/* s0 s1 (p q - r t), as two terms. */
static void
scaled_minor(struct term out[2], int sign, struct factor s0, struct factor s1, const struct factor *p, const struct factor *q,
             const struct factor *r, const struct factor *t)
{
   out[0] = product(sign, s0, s1, *p, *q);
   out[1] = product(-sign, s0, s1, *r, *t);
}

/* A vertex (x, y, w). */
struct factor3 {
   struct factor v[3];
};

static struct factor3
factors(const float v[3])
{
   return (struct factor3){ { factor_f32(v[0]), factor_f32(v[1]), factor_f32(v[2]) } };
}

#define EDGE_TERMS 10

/* The edge function of V1 x V2 at a window point. */
static void
edge_terms(struct term out[EDGE_TERMS], const float v1[3], const float v2[3], const struct cf_viewport_xy *vp, double px, double py)
{
   const int flip = sign_of(vp->sx) * sign_of(vp->sy);
   const struct factor sx = factor_f32(vp->sx), sy = factor_f32(vp->sy);
   const struct factor tx = factor_f32(vp->tx), ty = factor_f32(vp->ty);
   const struct factor3 f1 = factors(v1), f2 = factors(v2);
   const struct factor *u = f1.v, *v = f2.v;
   scaled_minor(out, flip, sy, factor_px(px), &u[1], &v[2], &u[2], &v[1]);
   scaled_minor(out + 2, -flip, sy, tx, &u[1], &v[2], &u[2], &v[1]);
   scaled_minor(out + 4, flip, sx, factor_px(py), &u[2], &v[0], &u[0], &v[2]);
   scaled_minor(out + 6, -flip, sx, ty, &u[2], &v[0], &u[0], &v[2]);
   scaled_minor(out + 8, flip, sx, sy, &u[0], &v[1], &u[1], &v[0]);
}

#define DET_TERMS 6

static void
determinant_terms(struct term out[DET_TERMS], const float v0[3], const float v1[3], const float v2[3])
{
   const struct factor one = { 1, 0 };
   const struct factor3 f0 = factors(v0), f1 = factors(v1), f2 = factors(v2);
   for (unsigned i = 0; i < 3; i++) {
      const unsigned j = (i + 1) % 3, k = (i + 2) % 3;
      scaled_minor(out + 2 * i, 1, one, f0.v[i], &f1.v[j], &f2.v[k], &f1.v[k], &f2.v[j]);
   }
}

static int
sum_sign(const struct term *terms, unsigned count)
{
   const struct narrow n = narrow_sum(terms, count);
   if (n.fits)
      return narrow_sign(&n);
   const struct acc acc = acc_sum(terms, count);
   return acc_sign(&acc);
}

static double
sum_value(const struct term *terms, unsigned count)
{
   const struct narrow n = narrow_sum(terms, count);
   return n.fits ? narrow_value(&n) : acc_value(acc_sum(terms, count));
}

int
cf_exact_edge_sign(const float v1[3], const float v2[3], const struct cf_viewport_xy *vp, double px,
                   double py)
{
   struct term terms[EDGE_TERMS];
   edge_terms(terms, v1, v2, vp, px, py);
   return sum_sign(terms, EDGE_TERMS);
}

int
cf_exact_plane_sign(const float v[3][3], const float distance[3], const struct cf_viewport_xy *vp,
                    double px, double py)
{
   struct term edges[3][EDGE_TERMS], multiples[3];
   struct factor times[3];
   bool fits = true;
   for (unsigned i = 0; i < 3; i++) {
      times[i] = factor_f32(distance[i]);
      edge_terms(edges[i], v[(i + 1) % 3], v[(i + 2) % 3], vp, px, py);
      const struct narrow edge = narrow_sum(edges[i], EDGE_TERMS), multiple = narrow_multiple(&edge, times[i]);
      multiples[i] = multiple.sum;
      fits &= multiple.fits;
   }
   const struct narrow sum = fits ? narrow_sum(multiples, 3) : (struct narrow){ .fits = false };
   if (sum.fits)
      return narrow_sign(&sum);
   struct wide wide = { { 0 } };
   for (unsigned i = 0; i < 3; i++)
      wide_add_multiple(&wide, acc_sum(edges[i], EDGE_TERMS), times[i]);
   return words_sign(wide.w, WIDE_WORDS);
}

double
cf_exact_det_value(const float v0[3], const float v1[3], const float v2[3])
{
   struct term terms[DET_TERMS];
   determinant_terms(terms, v0, v1, v2);
   return sum_value(terms, DET_TERMS);
}
