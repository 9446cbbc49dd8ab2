/* SPDX-License-Identifier: MIT */
/*
 * The functions of cf_fp.h, cf_special.h and cf_dp3.h as tables for tests: each as a vectorised
 * kernel over bits at every host vector level; for those of one operand also the slow reference,
 * the error allowed, and the hashes that pin the results.
 */
#ifndef CF_TEST_OPS_H
#define CF_TEST_OPS_H

#include <stddef.h>
#include <stdint.h>

#define CF_OP_BLOCK 1024 /* elements a kernel call computes */

/* X(name, argument from bits u, bits from result y) */
#define CF_OP_LIST(X)                                                                              \
   X(canon, cf_canon(cf_float(u)), cf_bits(y))                                                     \
   X(fsat, cf_fsat(cf_float(u)), cf_bits(y))                                                       \
   X(floor, cf_floor(cf_float(u)), cf_bits(cf_canon(y)))                                           \
   X(ceil, cf_ceil(cf_float(u)), cf_bits(cf_canon(y)))                                             \
   X(trunc, cf_trunc(cf_float(u)), cf_bits(cf_canon(y)))                                           \
   X(round_even, cf_round_even(cf_float(u)), cf_bits(cf_canon(y)))                                 \
   X(fract, cf_fract(cf_float(u)), cf_bits(y))                                                     \
   X(f2i, cf_f2i(cf_float(u)), (uint32_t)y)                                                        \
   X(f2u, cf_f2u(cf_float(u)), y)                                                                  \
   X(i2f, cf_i2f((int32_t)u), cf_bits(y))                                                          \
   X(u2f, cf_u2f(u), cf_bits(y))                                                                   \
   X(f32_to_f16, cf_f32_to_f16(cf_float(u)), (uint32_t)y)                                          \
   X(rcp, cf_rcp(cf_float(u)), cf_bits(cf_canon(y)))                                               \
   X(sqrt, cf_sqrt(cf_float(u)), cf_bits(cf_canon(y)))                                             \
   X(rsqrt, cf_rsqrt(cf_float(u)), cf_bits(cf_canon(y)))                                           \
   X(exp2, cf_exp2(cf_float(u)), cf_bits(y))                                                       \
   X(log2, cf_log2(cf_float(u)), cf_bits(y))                                                       \
   X(sin, cf_sin(cf_float(u)), cf_bits(y))                                                         \
   X(cos, cf_cos(cf_float(u)), cf_bits(y))

enum cf_op {
#define CF_OP_ENUM(name, call, result) CF_OP_##name,
   CF_OP_LIST(CF_OP_ENUM)
#undef CF_OP_ENUM
      CF_OP_COUNT
};

/** Computes CF_OP_BLOCK results from inputs, both as bits. */
typedef void (*cf_op_kernel)(uint32_t *restrict out, const uint32_t *restrict in);

/* The kernels compiled for each host vector level (test_ops_kernels_*.c). */
extern const cf_op_kernel cf_op_kernels_base[CF_OP_COUNT];
extern const cf_op_kernel cf_op_kernels_v3[CF_OP_COUNT];
extern const cf_op_kernel cf_op_kernels_v4[CF_OP_COUNT];

/* X(name, result as bits): functions of several operands, on the bits IN(0) to IN(5) and the floats
 * F(0) to F(5). */
#define CF_NARY_LIST(X)                                                                            \
   X(fmin, cf_bits(cf_fmin(F(0), F(1))))                                                           \
   X(fmax, cf_bits(cf_fmax(F(0), F(1))))                                                           \
   X(copysign, cf_bits(cf_copysign(F(0), F(1))))                                                   \
   X(udiv, cf_udiv(IN(0), IN(1)))                                                                  \
   X(umod, cf_umod(IN(0), IN(1)))                                                                  \
   X(idiv, (uint32_t)cf_idiv((int32_t)IN(0), (int32_t)IN(1)))                                      \
   X(irem, (uint32_t)cf_irem((int32_t)IN(0), (int32_t)IN(1)))                                      \
   X(imod, (uint32_t)cf_imod((int32_t)IN(0), (int32_t)IN(1)))                                      \
   X(shl, cf_shl(IN(0), IN(1)))                                                                    \
   X(shr, cf_shr(IN(0), IN(1)))                                                                    \
   X(asr, (uint32_t)cf_asr((int32_t)IN(0), IN(1)))                                                 \
   X(f16_to_f32, cf_bits(cf_f16_to_f32((uint16_t)IN(0))))                                          \
   X(fma, cf_bits(cf_canon(cf_fma(F(0), F(1), F(2)))))                                             \
   X(dp2, cf_bits(cf_canon(cf_dp2(F(0), F(1), F(2), F(3)))))                                       \
   X(dp3, cf_bits(cf_canon(cf_dp3(F(0), F(1), F(2), F(3), F(4), F(5)))))                           \
   X(dp3_fma, cf_bits(cf_canon(cf_dp3_fma(F(0), F(1), F(2), F(3), F(4), F(5)))))

enum cf_nary {
#define CF_NARY_ENUM(name, result) CF_NARY_##name,
   CF_NARY_LIST(CF_NARY_ENUM)
#undef CF_NARY_ENUM
      CF_NARY_COUNT
};

/** Computes CF_OP_BLOCK results from in[operand][element]. */
typedef void (*cf_nary_kernel)(uint32_t *restrict out, const uint32_t (*restrict in)[CF_OP_BLOCK]);

extern const cf_nary_kernel cf_nary_kernels_base[CF_NARY_COUNT];
extern const cf_nary_kernel cf_nary_kernels_v3[CF_NARY_COUNT];
extern const cf_nary_kernel cf_nary_kernels_v4[CF_NARY_COUNT];

/** The tables of one host vector level. */
struct cf_op_level {
   const char *name;
   int level; /* for cf_op_host_runs */
   const cf_op_kernel *ops;
   const cf_nary_kernel *naries;
};

#define CF_OP_LEVELS 3
extern const struct cf_op_level cf_op_levels[CF_OP_LEVELS];

enum cf_op_unit {
   CF_OP_EXACT, /* equal to ref_bits */
   CF_OP_ULP,   /* within limit ulp of ref */
   CF_OP_ABS,   /* within limit of ref for |x| <= domain; in [-1, 1] for other finite x */
};

struct cf_op_info {
   const char *name;
   enum cf_op_unit unit;
   double limit, domain;
   uint32_t (*ref_bits)(uint32_t u); /* CF_OP_EXACT */
   double (*ref)(double x);          /* otherwise: good to 1 ulp of double */
   uint64_t sample_hash, full_hash;  /* over cf_op_sample_input(), and over all inputs in order */
};

extern const struct cf_op_info cf_arith_ops[CF_OP_COUNT];

#define CF_OP_HASH_SEED 0x9e3779b97f4a7c15ull

/** Folds n words into a 64-bit polynomial hash; every word counts, in order. */
uint64_t cf_op_hash(uint64_t hash, const uint32_t *words, size_t n);

#define CF_OP_SAMPLE_COUNT (1u << 20)

/**
 * The i-th input of the pinned sample: boundary values first, then an even spread over all floats.
 */
uint32_t cf_op_sample_input(uint32_t i);

/** The spacing of floats at a finite exact value, as if the exponent had no upper end. */
double cf_op_ulp(double exact);

/**
 * Distance between y and the exact value in ulp of the exact value (floats' spacing there;
 * denormals included).
 */
double cf_op_error_ulp(float y, double exact);

/** 1 if this host can run the kernels of level 1 (base), 3 or 4. */
int cf_op_host_runs(int level);

#endif
