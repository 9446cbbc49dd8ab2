/* SPDX-License-Identifier: MIT */
/* Exact predicates by a fixed-point superaccumulator: cf_exact.h says what and why. */
#include "clipfree/arith/cf_exact.h"
#include "clipfree/arith/cf_eft.h"
#include "clipfree/arith/cf_fp.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

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
 * The same for sums of such numbers times a float: the smallest bit is 2^(-608 - 149) = 2^-757; three summands below
 * 2^(516 + 128) stay below 2^646, and 23 words from 2^-757 end at 2^715.
 */
#define WIDE_EXP -149
#define WIDE_WORDS 23

struct wide {
   uint64_t w[WIDE_WORDS];
};

/* significand * 2^exp; |significand| < 2^24 */
struct factor {
   int32_t significand;
   int exp;
};

static struct factor
factor_f32(float x)
{
   uint32_t u = cf_bits(x);
   int biased = (u >> 23) & 0xff;
   int32_t m = (int32_t)(u & 0x7fffff) | (biased ? 0x800000 : 0);
   assert(biased != 0xff);
   return (struct factor){ u >> 31 ? -m : m, (biased ? biased : 1) - 150 };
}

static struct factor
factor_px(double p)
{
   assert(p * 16 == (double)(int32_t)(p * 16) && fabs(p) <= 32768);
   return (struct factor){ (int32_t)(p * 16), -4 };
}

/* Adds sign * f0 * f1 * f2 * f3. */
static void
add_product(struct acc *acc, int sign, struct factor f0, struct factor f1, struct factor f2,
            struct factor f3)
{
   const int64_t m01 = (int64_t)f0.significand * f1.significand * sign;
   const int64_t m23 = (int64_t)f2.significand * f3.significand;
   const __int128 m = (__int128)m01 * m23;
   const unsigned exp = (unsigned)(f0.exp + f1.exp + f2.exp + f3.exp - ACC_EXP);
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
add_multiple(struct wide *sum, struct acc acc, struct factor p)
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

/* The sum of s[0] s[1] (p q - r t) over the monomials it stands for: +s0 s1 p q, -s0 s1 r t. */
static void
add_scaled_minor(struct acc *acc, int sign, struct factor s0, struct factor s1, float p, float q,
                 float r, float t)
{
   add_product(acc, sign, s0, s1, factor_f32(p), factor_f32(q));
   add_product(acc, -sign, s0, s1, factor_f32(r), factor_f32(t));
}

static struct acc
edge(const float v1[3], const float v2[3], const struct cf_viewport_xy *vp, double px, double py)
{
   const int flip = sign_of(vp->sx) * sign_of(vp->sy);
   const struct factor sx = factor_f32(vp->sx), sy = factor_f32(vp->sy);
   const struct factor tx = factor_f32(vp->tx), ty = factor_f32(vp->ty);
   struct acc acc = { { 0 } };
   if (flip == 0)
      return acc;
   add_scaled_minor(&acc, flip, sy, factor_px(px), v1[1], v2[2], v1[2], v2[1]);
   add_scaled_minor(&acc, -flip, sy, tx, v1[1], v2[2], v1[2], v2[1]);
   add_scaled_minor(&acc, flip, sx, factor_px(py), v1[2], v2[0], v1[0], v2[2]);
   add_scaled_minor(&acc, -flip, sx, ty, v1[2], v2[0], v1[0], v2[2]);
   add_scaled_minor(&acc, flip, sx, sy, v1[0], v2[1], v1[1], v2[0]);
   return acc;
}

static struct acc
determinant(const float v0[3], const float v1[3], const float v2[3])
{
   const struct factor one = { 1, 0 };
   struct acc acc = { { 0 } };
   for (unsigned i = 0; i < 3; i++) {
      const unsigned j = (i + 1) % 3, k = (i + 2) % 3;
      add_scaled_minor(&acc, 1, one, factor_f32(v0[i]), v1[j], v2[k], v1[k], v2[j]);
   }
   return acc;
}

int
cf_exact_edge_sign(const float v1[3], const float v2[3], const struct cf_viewport_xy *vp, double px,
                   double py)
{
   struct acc acc = edge(v1, v2, vp, px, py);
   return acc_sign(&acc);
}

double
cf_exact_edge_value(const float v1[3], const float v2[3], const struct cf_viewport_xy *vp,
                    double px, double py)
{
   return acc_value(edge(v1, v2, vp, px, py));
}

int
cf_exact_plane_sign(const float v[3][3], const float distance[3], const struct cf_viewport_xy *vp,
                    double px, double py)
{
   struct wide sum = { { 0 } };
   for (unsigned i = 0; i < 3; i++)
      add_multiple(&sum, edge(v[(i + 1) % 3], v[(i + 2) % 3], vp, px, py), factor_f32(distance[i]));
   return words_sign(sum.w, WIDE_WORDS);
}

int
cf_exact_det_sign(const float v0[3], const float v1[3], const float v2[3])
{
   struct acc acc = determinant(v0, v1, v2);
   return acc_sign(&acc);
}

double
cf_exact_det_value(const float v0[3], const float v1[3], const float v2[3])
{
   return acc_value(determinant(v0, v1, v2));
}

/* The sign of p q - r t: both products are exact, so comparing them is. */
static int
minor_sign(float p, float q, float r, float t)
{
   double pq = cf_two_product(p, q), rt = cf_two_product(r, t);
   return (pq > rt) - (pq < rt);
}

void
cf_exact_edge_slope_signs(const float v1[3], const float v2[3], const struct cf_viewport_xy *vp,
                          int *a_sign, int *b_sign)
{
   /* a' = sy a sign(sx sy) has the sign of a sx, and b' that of b sy, unless the viewport is empty.
    */
   const int sx = sign_of(vp->sx), sy = sign_of(vp->sy);
   *a_sign = sy ? sx * minor_sign(v1[1], v2[2], v1[2], v2[1]) : 0;
   *b_sign = sx ? sy * minor_sign(v1[2], v2[0], v1[0], v2[2]) : 0;
}
