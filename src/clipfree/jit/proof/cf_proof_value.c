/* SPDX-License-Identifier: MIT */
#include "clipfree/jit/proof/cf_proof_value.h"

static uint64_t
common_divisor(uint64_t a, uint64_t b)
{
   while (b) {
      const uint64_t rest = a % b;
      a = b;
      b = rest;
   }
   return a;
}

/* From lo to hi in steps that divide `step`, which may be 0 if that is one value. What lies behind
 * the last step is left out. */
static struct cf_proof_value
spread(uint32_t base, int64_t lo, int64_t hi, uint64_t step)
{
   const uint32_t by = step && step <= UINT32_MAX ? (uint32_t)step : 1;
   const uint64_t over = ((uint64_t)hi - (uint64_t)lo) % by;
   struct cf_proof_value v = cf_proof_numbers(lo, (int64_t)((uint64_t)hi - over), by);
   v.base = base;
   return v;
}

struct cf_proof_value
cf_proof_union(struct cf_proof_value a, struct cf_proof_value b)
{
   const int64_t lo = a.lo < b.lo ? a.lo : b.lo, hi = a.hi > b.hi ? a.hi : b.hi;
   const uint64_t apart =
      a.lo < b.lo ? (uint64_t)b.lo - (uint64_t)a.lo : (uint64_t)a.lo - (uint64_t)b.lo;
   return spread(a.base, lo, hi, common_divisor(common_divisor(a.step, b.step), apart));
}

struct cf_proof_value
cf_proof_add(struct cf_proof_value a, struct cf_proof_value b)
{
   int64_t lo, hi;
   const bool pointers = a.base != CF_PROOF_NUMBER && b.base != CF_PROOF_NUMBER;
   const uint32_t base = a.base != CF_PROOF_NUMBER ? a.base : b.base;
   if (pointers || base == CF_PROOF_SAVED || base & CF_PROOF_FUNCTION ||
       __builtin_add_overflow(a.lo, b.lo, &lo) || __builtin_add_overflow(a.hi, b.hi, &hi))
      return cf_proof_anything();
   return spread(base, lo, hi, common_divisor(a.step, b.step));
}

struct cf_proof_value
cf_proof_subtract(struct cf_proof_value a, struct cf_proof_value b)
{
   if (b.base != CF_PROOF_NUMBER || b.lo == INT64_MIN)
      return cf_proof_anything();
   return cf_proof_add(a, (struct cf_proof_value){
                             .lo = -b.hi, .hi = -b.lo, .step = b.step, .base = CF_PROOF_NUMBER });
}

struct cf_proof_value
cf_proof_multiply(struct cf_proof_value a, struct cf_proof_value b)
{
   int64_t lo, hi;
   if (cf_proof_is_constant(a)) {
      const struct cf_proof_value swapped = a;
      a = b;
      b = swapped;
   }
   if (!cf_proof_is_natural(a) || !cf_proof_is_natural(b) ||
       __builtin_mul_overflow(a.lo, b.lo, &lo) || __builtin_mul_overflow(a.hi, b.hi, &hi))
      return cf_proof_anything();
   return spread(CF_PROOF_NUMBER, lo, hi,
                 cf_proof_is_constant(b) ? (uint64_t)a.step * (uint64_t)b.lo : 1);
}

/* Bits that may be set in a number: of a natural one between those of its steps and its greatest.
 */
static uint64_t
possible_bits(struct cf_proof_value v)
{
   const uint64_t unit = (uint64_t)v.lo | v.step,
                  most = v.lo < 0 ? UINT64_MAX
                         : v.hi   ? UINT64_MAX >> __builtin_clzll((uint64_t)v.hi)
                                  : 0;
   return cf_proof_is_constant(v) ? (uint64_t)v.lo : most & ~((unit & -unit) - 1);
}

struct cf_proof_value
cf_proof_and(struct cf_proof_value a, struct cf_proof_value b)
{
   const bool known[2] = { cf_proof_is_natural(a), cf_proof_is_natural(b) };
   if (!known[0] && !known[1])
      return cf_proof_anything();
   const int64_t most = known[0] && (!known[1] || a.hi < b.hi) ? a.hi : b.hi;
   if (a.base != CF_PROOF_NUMBER || b.base != CF_PROOF_NUMBER)
      return spread(CF_PROOF_NUMBER, 0, most, 1);
   const uint64_t bits = possible_bits(a) & possible_bits(b);
   return spread(CF_PROOF_NUMBER, 0, bits < (uint64_t)most ? (int64_t)bits : most, bits & -bits);
}

struct cf_proof_value
cf_proof_least(struct cf_proof_value a, struct cf_proof_value b)
{
   if (!cf_proof_is_natural(a) || !cf_proof_is_natural(b))
      return cf_proof_anything();
   return spread(CF_PROOF_NUMBER, a.lo < b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi, 1);
}

/* Whether no bit is in both, so that or is a sum, and exclusive or too. */
static bool
are_disjoint(struct cf_proof_value a, struct cf_proof_value b)
{
   return a.base == CF_PROOF_NUMBER && b.base == CF_PROOF_NUMBER &&
          !(possible_bits(a) & possible_bits(b));
}

static bool
is_negative_constant(struct cf_proof_value v)
{
   return v.base == CF_PROOF_NUMBER && cf_proof_is_constant(v) && v.lo < 0;
}

struct cf_proof_value
cf_proof_or(struct cf_proof_value a, struct cf_proof_value b)
{
   if (is_negative_constant(b) && a.base == CF_PROOF_NUMBER) /* a | b is b + (a & ~b) */
      return cf_proof_add(b, cf_proof_and(a, cf_proof_constant(CF_PROOF_NUMBER, ~b.lo)));
   return cf_proof_xor(a, b);
}

struct cf_proof_value
cf_proof_xor(struct cf_proof_value a, struct cf_proof_value b)
{
   if (are_disjoint(a, b))
      return cf_proof_add(a, b);
   if (!cf_proof_is_natural(a) || !cf_proof_is_natural(b))
      return cf_proof_anything();
   const uint64_t bits = (uint64_t)a.hi | (uint64_t)b.hi;
   const uint64_t most = bits ? UINT64_MAX >> __builtin_clzll(bits) : 0;
   return spread(CF_PROOF_NUMBER, 0, (int64_t)most, 1);
}

struct cf_proof_value
cf_proof_ternary_logic(uint8_t table, struct cf_proof_value a, struct cf_proof_value b,
                       struct cf_proof_value c)
{
   const uint64_t may[3] = { possible_bits(a), possible_bits(b), possible_bits(c) };
   uint64_t bits = 0;
   if (!cf_proof_is_natural(a) || !cf_proof_is_natural(b) || !cf_proof_is_natural(c))
      return cf_proof_anything();
   for (unsigned i = 0; i < 8; i++) {
      if (table >> i & 1)
         bits |= (i & 4 ? may[0] : UINT64_MAX) & (i & 2 ? may[1] : UINT64_MAX) &
                 (i & 1 ? may[2] : UINT64_MAX);
   }
   return bits > INT64_MAX ? cf_proof_anything()
                           : spread(CF_PROOF_NUMBER, 0, (int64_t)bits, bits & -bits);
}

struct cf_proof_value
cf_proof_shift_right(struct cf_proof_value a, unsigned count)
{
   if (cf_proof_is_natural(a))
      return spread(CF_PROOF_NUMBER, a.lo >> count, a.hi >> count, 1);
   return count ? spread(CF_PROOF_NUMBER, 0, (int64_t)(UINT64_MAX >> count), 1)
                : cf_proof_anything();
}

struct cf_proof_value
cf_proof_truncate(struct cf_proof_value v, unsigned size_B)
{
   if (size_B >= 8)
      return v;
   const struct cf_proof_value all = cf_proof_unsigned(size_B);
   if (v.base != CF_PROOF_NUMBER)
      return all;
   if (v.lo >= 0 && v.hi <= all.hi)
      return v;
   const uint64_t unit = (uint64_t)v.lo | v.step,
                  lowest_bit = unit & -unit; /* it divides all values */
   return lowest_bit && lowest_bit <= (uint64_t)all.hi
             ? cf_proof_numbers(0, all.hi + 1 - (int64_t)lowest_bit, (uint32_t)lowest_bit)
             : all;
}

struct cf_proof_value
cf_proof_sign_extend(struct cf_proof_value v, unsigned size_B)
{
   if (size_B >= 8)
      return v;
   const int64_t most = (INT64_C(1) << (8 * size_B - 1)) - 1;
   return v.base == CF_PROOF_NUMBER && v.lo >= -most - 1 && v.hi <= most
             ? v
             : cf_proof_numbers(-most - 1, most, 1);
}
