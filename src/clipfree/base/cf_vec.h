/* SPDX-License-Identifier: MIT */
/*
 * Vectors of the host: cf_f32x4 has four elements of type float. u8, u16, u32, u64 are unsigned, i32 and i64 signed.
 *
 * A file whose vectors have as many elements as the host level makes best names them once: xn in place of a count.
 *
 *    typedef CF_VEC(f32, LANES) f32xn;
 *
 * No vector is passed to another file: how, would depend on the host level. What passes them is always inlined, and so
 * GCC's notes on that (-Wpsabi) are off.
 */
#ifndef CF_VEC_H
#define CF_VEC_H

#include <stdint.h>

#include "clipfree/base/cf_inline.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

typedef float cf_f32x4 __attribute__((vector_size(16)));
typedef float cf_f32x8 __attribute__((vector_size(32)));
typedef float cf_f32x16 __attribute__((vector_size(64)));
typedef double cf_f64x4 __attribute__((vector_size(32)));
typedef double cf_f64x8 __attribute__((vector_size(64)));

typedef int16_t cf_i16x4 __attribute__((vector_size(8)));
typedef int32_t cf_i32x4 __attribute__((vector_size(16)));
typedef int32_t cf_i32x8 __attribute__((vector_size(32)));
typedef int32_t cf_i32x16 __attribute__((vector_size(64)));
typedef int64_t cf_i64x4 __attribute__((vector_size(32)));
typedef int64_t cf_i64x8 __attribute__((vector_size(64)));

typedef uint8_t cf_u8x8 __attribute__((vector_size(8)));
typedef uint16_t cf_u16x8 __attribute__((vector_size(16)));
typedef uint32_t cf_u32x4 __attribute__((vector_size(16)));
typedef uint32_t cf_u32x8 __attribute__((vector_size(32)));
typedef uint32_t cf_u32x16 __attribute__((vector_size(64)));
typedef uint64_t cf_u64x2 __attribute__((vector_size(16)));

/** Four floats in memory that may have any other type. */
typedef cf_f32x4 cf_f32x4_alias __attribute__((may_alias));

/** The type of `count` elements, a macro: CF_VEC(f32, LANES). */
#define CF_VEC(element, count) CF_VEC_PASTE(element, count)
#define CF_VEC_PASTE(element, count) cf_##element##x##count

/** A vector of the type whose elements are all the value. */
#define CF_SPLAT(type, value) ((value) - (type){ 0 })

/* ---- operations, of any type that has them ---- */

/** Lanes of `yes` where the mask, a comparison's result, is true, else of `no`. */
#define cf_vec_choose(mask, yes, no)                                                               \
   _Generic((yes), cf_f64x4: cf_f64x4_choose, cf_f64x8: cf_f64x8_choose)(mask, yes, no)

/** Bit i: lane i of a comparison's result, whose type is told by its size: GCC has vectors of long
 * there, clang of long long. */
#define cf_vec_mask(c)                                                                             \
   _Generic((char(*)[sizeof(c)])0, char(*)[32] : cf_i64x4_mask, char(*)[64] : cf_i64x8_mask)(c)

/** Without their signs. */
#define cf_vec_abs(v) _Generic((v), cf_f64x4: cf_f64x4_abs, cf_f64x8: cf_f64x8_abs)(v)

/** a < b ? a : b, and so b if one of them is NaN, or both are zeros. */
#define cf_vec_smaller(a, b)                                                                       \
   _Generic((a), cf_f32x4                                                                          \
            : cf_f32x4_smaller, cf_f32x8                                                           \
            : cf_f32x8_smaller, cf_f32x16                                                          \
            : cf_f32x16_smaller, cf_f64x4                                                          \
            : cf_f64x4_smaller, cf_f64x8                                                           \
            : cf_f64x8_smaller)(a, b)

/** a > b ? a : b, likewise. */
#define cf_vec_larger(a, b)                                                                        \
   _Generic((a), cf_f64x4: cf_f64x4_larger, cf_f64x8: cf_f64x8_larger)(a, b)

/** v clamped to [low, high]: v > low ? v : low, then that < high ? that : high, so NaN gives low. */
#define cf_vec_clamp(v, low, high)                                                                 \
   _Generic((v), cf_f32x4: cf_f32x4_clamp, cf_f32x8: cf_f32x8_clamp, cf_f32x16: cf_f32x16_clamp)(  \
      v, low, high)

#define CF_VEC_CHOOSE(vec, bits)                                                                   \
   CF_INLINE vec vec##_choose(bits mask, vec yes, vec no)                                          \
   {                                                                                               \
      return (vec)(((bits)yes & mask) | ((bits)no & ~mask));                                       \
   }                                                                                               \
   CF_INLINE vec vec##_abs(vec v)                                                                  \
   {                                                                                               \
      return (vec)((bits)v & INT64_MAX);                                                           \
   }
CF_VEC_CHOOSE(cf_f64x4, cf_i64x4)
CF_VEC_CHOOSE(cf_f64x8, cf_i64x8)

/* By the host's instructions, where it has vectors of that size. */
#define CF_VEC_SMALLER(vec, host, min, max)                                                        \
   CF_INLINE vec vec##_smaller(vec a, vec b)                                                       \
   {                                                                                               \
      return (vec)min((host)a, (host)b);                                                           \
   }                                                                                               \
   CF_INLINE vec vec##_larger(vec a, vec b)                                                        \
   {                                                                                               \
      return (vec)max((host)a, (host)b);                                                           \
   }
#define CF_VEC_SMALLER_BY_CHOICE(vec)                                                              \
   CF_INLINE vec vec##_smaller(vec a, vec b)                                                       \
   {                                                                                               \
      return vec##_choose(a < b, a, b);                                                            \
   }                                                                                               \
   CF_INLINE vec vec##_larger(vec a, vec b)                                                        \
   {                                                                                               \
      return vec##_choose(a > b, a, b);                                                            \
   }
#define CF_VEC_CLAMP(vec, host, min, max)                                                          \
   CF_VEC_SMALLER(vec, host, min, max)                                                             \
   CF_INLINE vec vec##_clamp(vec v, vec low, vec high)                                             \
   {                                                                                               \
      return (vec)min(max((host)v, (host)low), (host)high);                                        \
   }
#define CF_VEC_CLAMP_BY_LANE(vec, count)                                                           \
   CF_INLINE vec vec##_smaller(vec a, vec b)                                                       \
   {                                                                                               \
      for (uint32_t k = 0; k < (count); k++)                                                       \
         a[k] = a[k] < b[k] ? a[k] : b[k];                                                         \
      return a;                                                                                    \
   }                                                                                               \
   CF_INLINE vec vec##_clamp(vec v, vec low, vec high)                                             \
   {                                                                                               \
      for (uint32_t k = 0; k < (count); k++) {                                                     \
         v[k] = v[k] > low[k] ? v[k] : low[k];                                                     \
         v[k] = v[k] < high[k] ? v[k] : high[k];                                                   \
      }                                                                                            \
      return v;                                                                                    \
   }

#if defined(__SSE2__)
CF_VEC_CLAMP(cf_f32x4, __m128, _mm_min_ps, _mm_max_ps)
#else
CF_VEC_CLAMP_BY_LANE(cf_f32x4, 4)
#endif
#if defined(__AVX__)
CF_VEC_CLAMP(cf_f32x8, __m256, _mm256_min_ps, _mm256_max_ps)
CF_VEC_SMALLER(cf_f64x4, __m256d, _mm256_min_pd, _mm256_max_pd)
#else
CF_VEC_CLAMP_BY_LANE(cf_f32x8, 8)
CF_VEC_SMALLER_BY_CHOICE(cf_f64x4)
#endif
#if defined(__AVX512F__)
CF_VEC_CLAMP(cf_f32x16, __m512, _mm512_min_ps, _mm512_max_ps)
CF_VEC_SMALLER(cf_f64x8, __m512d, _mm512_min_pd, _mm512_max_pd)
#else
CF_VEC_CLAMP_BY_LANE(cf_f32x16, 16)
CF_VEC_SMALLER_BY_CHOICE(cf_f64x8)
#endif

CF_INLINE uint32_t
cf_i64x4_mask(cf_i64x4 c)
{
#if defined(__AVX__)
   return (uint32_t)_mm256_movemask_pd((__m256d)c);
#else
   return (uint32_t)((c[0] & 1) | (c[1] & 2) | (c[2] & 4) | (c[3] & 8));
#endif
}

CF_INLINE uint32_t
cf_i64x8_mask(cf_i64x8 c)
{
#if defined(__AVX512F__)
   return _mm512_test_epi64_mask((__m512i)c, (__m512i)c);
#else
   uint32_t mask = 0;
   for (uint32_t k = 0; k < 8; k++)
      mask |= c[k] < 0 ? 1u << k : 0;
   return mask;
#endif
}

#endif
