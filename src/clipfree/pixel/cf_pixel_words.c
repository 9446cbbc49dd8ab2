/* SPDX-License-Identifier: MIT */
/*
 * Fast path of color writes for common targets (cf_pixel_target.in_words): unorm channels in one
 * dword, block layout, opaque or blended by source alpha, no logic op. Compiled once per host
 * vector level.
 *
 * Data flow: colors -> packed dwords, in registers, as many quads at once as a vector holds ->
 * memory. Old pixels are read only for blending, write masks and partly covered vectors. The
 * general path (cf_pixel_write.c) gives the same bits.
 */
#include "clipfree/base/cf_inline.h"
#include "clipfree/base/cf_vec.h"
#include "clipfree/pixel/cf_pixel_lanes.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
#define LANES 16
#elif defined(__AVX2__)
#define LANES 8
#else
#define LANES 4
#endif
#define QUADS (LANES / 4)
#define ALL (0xffffu >> (16 - LANES))

typedef CF_VEC(f32, LANES) f32xn;
typedef CF_VEC(i32, LANES) i32xn;
typedef CF_VEC(u32, LANES) u32xn;

/* ------------------------------------------------------------------ lanes */

CF_INLINE f32xn
load(const float *lanes)
{
   f32xn v;
   memcpy(&v, lanes, sizeof(v));
   return v;
}

/* NaN gives 0. */
CF_INLINE f32xn
saturate_vec(f32xn v)
{
   return cf_vec_clamp(v, CF_SPLAT(f32xn, 0.0f), CF_SPLAT(f32xn, 1.0f));
}

/* All ones in the lanes whose bit in the mask is 1, else 0. */
CF_INLINE u32xn
lanes_in(uint32_t mask)
{
   u32xn bit;
   memcpy(&bit, cf_lane_bit, sizeof(bit));
   return (u32xn)((CF_SPLAT(u32xn, mask) & bit) == bit);
}

/* cf_scale_to_uint of saturated values, plus the bits of 2^23 as a float. The sum of these over all
 * channels is subtracted once a pixel (cf_pixel_target.word_bias). */
CF_INLINE u32xn
to_biased_uint(f32xn v, float scale)
{
   return (u32xn)(v * scale + 0x1p23f);
}

/* ------------------------------------------------------------------ pixels */

/* Whether the quads of a vector are contiguous in memory, so that one access serves all. */
CF_INLINE bool
in_run(uint8_t *const at[QUADS])
{
   bool run = true;
   for (uint32_t q = 1; q < QUADS; q++)
      run &= at[q] == at[0] + 16 * q;
   return run;
}

CF_INLINE u32xn
load_quads(uint8_t *const at[QUADS], bool run)
{
   u32xn v;
   if (run) {
      memcpy(&v, at[0], sizeof(v));
      return v;
   }
#if defined(__AVX512F__)
   const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)at[0])),
                                               _mm_loadu_si128((const __m128i *)at[1]), 1);
   const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)at[2])),
                                                _mm_loadu_si128((const __m128i *)at[3]), 1);
   v = (u32xn)_mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
#elif defined(__AVX2__)
   v = (u32xn)_mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)at[0])),
                                      _mm_loadu_si128((const __m128i *)at[1]), 1);
#else
   memcpy(&v, at[0], sizeof(v));
#endif
   return v;
}

CF_INLINE void
store_quads(uint8_t *const at[QUADS], bool run, u32xn v)
{
   if (run) {
      memcpy(at[0], &v, sizeof(v));
      return;
   }
#if defined(__AVX512F__)
   _mm_storeu_si128((__m128i *)at[0], _mm512_castsi512_si128((__m512i)v));
   _mm_storeu_si128((__m128i *)at[1], _mm512_extracti32x4_epi32((__m512i)v, 1));
   _mm_storeu_si128((__m128i *)at[2], _mm512_extracti32x4_epi32((__m512i)v, 2));
   _mm_storeu_si128((__m128i *)at[3], _mm512_extracti32x4_epi32((__m512i)v, 3));
#elif defined(__AVX2__)
   _mm_storeu_si128((__m128i *)at[0], _mm256_castsi256_si128((__m256i)v));
   _mm_storeu_si128((__m128i *)at[1], _mm256_extracti128_si256((__m256i)v, 1));
#else
   memcpy(at[0], &v, sizeof(v));
#endif
}

typedef float lane_floats[CF_TASK_LANES];

/* Packed pixels of the lanes from `lane` on: colors are saturated and rounded. */
CF_INLINE u32xn
pack(const struct cf_pixel_target *target, const lane_floats *src, uint32_t lane)
{
   u32xn word = {0};
   for (uint32_t c = 0; c < 4; c++) {
      if (target->present >> c & 1)
         word += to_biased_uint(saturate_vec(load(&src[c][lane])), target->scale[c]) << target->shift[c];
   }
   return word - target->word_bias;
}

/* Packed pixels after blending with `old`: both terms are color * (offset + scale * source alpha).
 * All values are finite, since colors are saturated first. */
CF_INLINE u32xn
blend(const struct cf_pixel_target *target, const lane_floats *src, uint32_t lane, u32xn old)
{
   const f32xn alpha = saturate_vec(load(&src[3][lane]));
   f32xn src_factor = {0}, dst_factor = {0};
   u32xn word = {0};
   for (uint32_t c = 0; c < 4; c++) {
      if (!(target->present >> c & 1))
         continue;
      if (target->other_factors >> c & 1) {
         src_factor = target->src_offset[c] + target->src_scale[c] * alpha;
         dst_factor = target->dst_offset[c] + target->dst_scale[c] * alpha;
      }
      const f32xn u = __builtin_convertvector((i32xn)(old >> target->shift[c] & target->max[c]), f32xn);
      const f32xn dst = u * target->reciprocal[c][0] + u * target->reciprocal[c][1];
      const f32xn s = saturate_vec(load(&src[c][lane])) * src_factor, d = dst * dst_factor;
      word += to_biased_uint(saturate_vec(s + d), target->scale[c]) << target->shift[c];
   }
   return word - target->word_bias;
}

void
CF_LANES(cf_pixel_write_words)(const struct cf_pixel_target *target, const struct cf_image *image, const struct cf_quad *quads,
                               uint32_t count, uint32_t mask, const float (*src)[CF_TASK_LANES])
{
   uint8_t spare[16] = {0}, *where[CF_TASK_QUADS];
   locate_quads(image, quads, count, 4, spare, where);
   for (uint32_t lane = 0; lane < 4 * count; lane += LANES) {
      uint8_t *const *at = &where[lane / 4];
      const uint32_t lanes = mask >> lane & ALL;
      if (!lanes)
         continue;
      const bool run = in_run(at), keeps = lanes != ALL || target->merges;
      u32xn old = {0};
      if (keeps || target->blend)
         old = load_quads(at, run);
      u32xn word = target->blend ? blend(target, src, lane, old) : pack(target, src, lane);
      if (keeps)
         word = old ^ ((word ^ old) & target->write_bits[0] & lanes_in(lanes));
      store_quads(at, run, word);
   }
}

/* Write packed pixels, in the lanes of a mask, to the image of one sample. */
CF_INLINE void
write_sample(const struct cf_pixel_target *target, uint8_t *const at[QUADS], u32xn fresh, uint32_t lanes)
{
   const bool run = in_run(at);
   u32xn word = fresh;
   if (lanes != ALL || target->merges) {
      const u32xn old = load_quads(at, run);
      word = old ^ ((fresh ^ old) & target->write_bits[0] & lanes_in(lanes));
   }
   store_quads(at, run, word);
}

void
CF_LANES(cf_pixel_write_words_of_samples)(const struct cf_pixel_target *target, const struct cf_image *const images[CF_SAMPLES],
                                          const struct cf_quad *quads, uint32_t mask, const float (*src)[CF_TASK_LANES])
{
   uint32_t offset_B[CF_TASK_QUADS];
   for (uint32_t q = 0; q < CF_TASK_QUADS; q++)
      offset_B[q] = quad_offset_B(&quads[q], images[0]->row_pitch_B, 4);
   for (uint32_t lane = 0; lane < CF_TASK_LANES; lane += LANES) {
      const uint32_t lanes = mask >> lane & ALL;
      if (!lanes)
         continue;
      const u32xn fresh = pack(target, src, lane);
      for (uint32_t s = 0; s < CF_SAMPLES; s++) {
         uint8_t *at[QUADS];
         for (uint32_t q = 0; q < QUADS; q++)
            at[q] = images[s]->data + offset_B[lane / 4 + q];
         write_sample(target, at, fresh, lanes);
      }
   }
}
