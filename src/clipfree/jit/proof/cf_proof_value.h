/* SPDX-License-Identifier: MIT */
/*
 * Private to the room: what is known of a register. A number, or a pointer and its offset: one of
 * lo, lo + step, .. hi. Offsets and numbers are signed; what overflows may be anything.
 */
#ifndef CF_PROOF_VALUE_H
#define CF_PROOF_VALUE_H

#include <stdbool.h>
#include <stdint.h>

/* What a value is relative to; from CF_PROOF_OF_REGIONS on, a region of the map. */
#define CF_PROOF_ROW_B 128

enum {
   CF_PROOF_NUMBER,
   CF_PROOF_SAVED,      /* what register number lo held at the entry */
   CF_PROOF_CHOSEN,     /* one of several addresses, from which a dword may be read */
   CF_PROOF_CHOSEN_ROW, /* the same of CF_PROOF_ROW_B */
   CF_PROOF_STACK,      /* the stack pointer at the entry; the return address is there */
   CF_PROOF_FRAME,      /* the stack pointer where it was aligned, below all before it */
   CF_PROOF_CODE,       /* the begin of the code's memory */
   CF_PROOF_OF_REGIONS,
   /* flag: a function of a region of them; the offset is its number, and it is called and nothing
      else */
   CF_PROOF_FUNCTION = 1 << 16,
};

struct cf_proof_value {
   int64_t lo, hi;
   uint32_t step; /* 0: lo is hi */
   uint32_t base;
};

static inline struct cf_proof_value
cf_proof_constant(uint32_t base, int64_t at)
{
   return (struct cf_proof_value){ .lo = at, .hi = at, .base = base };
}

/** Numbers from lo to hi, multiples of `step` apart. */
static inline struct cf_proof_value
cf_proof_numbers(int64_t lo, int64_t hi, uint32_t step)
{
   return (struct cf_proof_value){
      .lo = lo, .hi = hi, .step = lo == hi ? 0 : step, .base = CF_PROOF_NUMBER
   };
}

static inline struct cf_proof_value
cf_proof_anything(void)
{
   return cf_proof_numbers(INT64_MIN, INT64_MAX, 1);
}

/** Any number of so many bytes, without a sign. */
static inline struct cf_proof_value
cf_proof_unsigned(unsigned size_B)
{
   return size_B >= 8 ? cf_proof_anything()
                      : cf_proof_numbers(0, (INT64_C(1) << 8 * size_B) - 1, 1);
}

static inline bool
cf_proof_is_constant(struct cf_proof_value v)
{
   return v.lo == v.hi;
}

static inline bool
cf_proof_is_anything(struct cf_proof_value v)
{
   return v.base == CF_PROOF_NUMBER && v.lo == INT64_MIN && v.hi == INT64_MAX;
}

static inline bool
cf_proof_is_natural(struct cf_proof_value v)
{
   return v.base == CF_PROOF_NUMBER && v.lo >= 0;
}

static inline bool
cf_proof_equal(struct cf_proof_value a, struct cf_proof_value b)
{
   return a.base == b.base && a.lo == b.lo && a.hi == b.hi && a.step == b.step;
}

/** All that either may be, of the same base. */
struct cf_proof_value cf_proof_union(struct cf_proof_value a, struct cf_proof_value b);

struct cf_proof_value cf_proof_add(struct cf_proof_value a, struct cf_proof_value b);
struct cf_proof_value cf_proof_subtract(struct cf_proof_value a, struct cf_proof_value b);
struct cf_proof_value cf_proof_multiply(struct cf_proof_value a, struct cf_proof_value b);
struct cf_proof_value cf_proof_least(struct cf_proof_value a,
                                     struct cf_proof_value b); /* of natural numbers */
struct cf_proof_value cf_proof_and(struct cf_proof_value a, struct cf_proof_value b);
struct cf_proof_value cf_proof_or(struct cf_proof_value a, struct cf_proof_value b);
struct cf_proof_value cf_proof_xor(struct cf_proof_value a, struct cf_proof_value b);

/** Whose bits are a function of those of three numbers: `table`, at bit 4 * a + 2 * b + c. */
struct cf_proof_value cf_proof_ternary_logic(uint8_t table, struct cf_proof_value a,
                                             struct cf_proof_value b, struct cf_proof_value c);

struct cf_proof_value cf_proof_shift_right(struct cf_proof_value a, unsigned count);

/** The low `size_B` bytes, without a sign. */
struct cf_proof_value cf_proof_truncate(struct cf_proof_value v, unsigned size_B);

/** The low `size_B` bytes, with a sign. */
struct cf_proof_value cf_proof_sign_extend(struct cf_proof_value v, unsigned size_B);

#endif
