/* SPDX-License-Identifier: MIT */
/* What is asked of each result: a loop over lanes, at the host's vector level. */
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include "clipfree/arith/cf_fp.h"
#include "clipfree/base/cf_for.h"
#include "clipfree/sanitize/cf_sane_lanes.h"

#ifdef __AVX512F__
/* Two comparisons; the loop below would add up what they find, which takes longer. */
static bool
has_larger(const uint32_t row[CF_TASK_LANES], uint32_t most)
{
   const __m512i magnitude = _mm512_set1_epi32(0x7fffffff), limit = _mm512_set1_epi32((int)most);
   const __m512i low = _mm512_and_epi32(_mm512_loadu_si512(row), magnitude),
                 high = _mm512_and_epi32(_mm512_loadu_si512(row + 16), magnitude);
   return _mm512_cmpgt_epu32_mask(low, limit) | _mm512_cmpgt_epu32_mask(high, limit);
}
#else
static bool
has_larger(const uint32_t row[CF_TASK_LANES], uint32_t most)
{
   uint32_t found = 0;
   CF_FOR_LANES(lane)
      found |= (row[lane] & 0x7fffffff) > most;
   return found;
}
#endif

const struct cf_sane_ops CF_LANES(cf_sane_ops) = {
   .has_larger = has_larger,
};
