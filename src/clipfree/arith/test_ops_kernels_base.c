/* SPDX-License-Identifier: MIT */
/* The kernels at the baseline (SSE2 on x86-64). */
#define CF_OP_TABLE cf_op_kernels_base
#define CF_NARY_TABLE cf_nary_kernels_base
#include "clipfree/arith/test_ops_kernels.inc"
