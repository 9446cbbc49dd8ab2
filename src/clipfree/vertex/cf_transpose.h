/* SPDX-License-Identifier: MIT */
/* Between records, of which each has the dwords of one vertex, and rows, of which each has one
 * dword of all lanes. */
#ifndef CF_TRANSPOSE_H
#define CF_TRANSPOSE_H

#include <stdint.h>
#include <string.h>

#include "clipfree/base/cf_vec.h"
#include "clipfree/interface/cf_limits.h"

static inline void
cf_transpose_4x4(cf_f32x4 r[4])
{
   const cf_f32x4 low01 = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5);
   const cf_f32x4 low23 = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
   const cf_f32x4 high01 = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
   const cf_f32x4 high23 = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
   r[0] = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
   r[1] = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
   r[2] = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
   r[3] = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
}

/** Four rows of four lanes, from `lane` on, become four dwords of four records. */
static inline void
cf_rows_to_records(const uint32_t (*rows)[CF_TASK_LANES], uint32_t lane, float *record,
                   size_t record_dwords)
{
   cf_f32x4 r[4];
   /* a rolled loop would keep r in memory */
   _Pragma("GCC unroll 4") for (uint32_t i = 0; i < 4; i++)
      memcpy(&r[i], &rows[i][lane], sizeof(cf_f32x4));
   cf_transpose_4x4(r);
   _Pragma("GCC unroll 4") for (uint32_t i = 0; i < 4; i++)
      memcpy(record + i * record_dwords, &r[i], sizeof(cf_f32x4));
}

/** The other way, from four records anywhere. */
static inline void
cf_records_to_rows(const float *const record[4], uint32_t (*rows)[CF_TASK_LANES], uint32_t lane)
{
   cf_f32x4 r[4];
   _Pragma("GCC unroll 4") for (uint32_t i = 0; i < 4; i++)
      memcpy(&r[i], record[i], sizeof(cf_f32x4));
   cf_transpose_4x4(r);
   _Pragma("GCC unroll 4") for (uint32_t i = 0; i < 4; i++)
      memcpy(&rows[i][lane], &r[i], sizeof(cf_f32x4));
}

#endif
