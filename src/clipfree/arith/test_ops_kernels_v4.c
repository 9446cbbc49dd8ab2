/* SPDX-License-Identifier: MIT */
/* The kernels at x86-64-v4 (with GCC; other compilers repeat the baseline). */
#if defined(__x86_64__) && !defined(__clang__)
#pragma GCC target(                                                                                \
   "avx2,fma,f16c,bmi,bmi2,lzcnt,movbe,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl,prefer-vector-width=512")
#endif
#define CF_OP_TABLE cf_op_kernels_v4
#define CF_NARY_TABLE cf_nary_kernels_v4
#include "clipfree/arith/test_ops_kernels.inc"
