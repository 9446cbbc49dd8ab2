/* SPDX-License-Identifier: MIT */
/* The kernels at x86-64-v3 (with GCC; other compilers repeat the baseline). */
#if defined(__x86_64__) && !defined(__clang__)
#pragma GCC target("avx2,fma,f16c,bmi,bmi2,lzcnt,movbe,popcnt")
#endif
#define CF_OP_TABLE cf_op_kernels_v3
#define CF_NARY_TABLE cf_nary_kernels_v3
#include "clipfree/arith/test_ops_kernels.inc"
