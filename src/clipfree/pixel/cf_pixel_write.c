/* SPDX-License-Identifier: MIT */
/*
 * Blending, logic op, write masks and writes of the lanes of a task (paper B, "blend, logic,
 * mask"). Compiled once per host vector level.
 *
 * Data flow, per color target: gather pixels as dwords (unless all are overwritten) -> unpack ->
 * blend with the colors -> pack -> logic op -> masks -> scatter. One path serves all formats: each
 * is described by its channels' places in dwords. Faster paths with the same bits: packing and
 * blending by source alpha of unorm formats of one dword (here), and common unorm targets in block
 * layout (cf_pixel_words.c).
 */
#include "clipfree/base/cf_inline.h"
#include "clipfree/pixel/cf_pixel_lanes.h"

typedef float lane_floats[CF_TASK_LANES];
typedef uint32_t lane_words[CF_TASK_LANES];

/* ------------------------------------------------------------------ blend */

/* Sources of blend factors, by [component][lane]. Constant and saturate factors are computed into
 * `scratch` where a term needs them. */
struct blend_inputs {
   const lane_floats *src, *dst, *src1;
   lane_floats scratch[2]; /* one per term */
};

static const lane_floats zero_lanes;

/* The source of a term's factor in all lanes, for one component. */
static const float *
factor_lanes(const struct cf_pixel_target *target, const struct cf_blend_term *term, uint32_t component,
             struct blend_inputs *in, float *scratch)
{
   switch ((enum cf_blend_source)term->source) {
   case CF_BLEND_FROM_SRC:
      return in->src[component];
   case CF_BLEND_FROM_SRC_ALPHA:
      return in->src[3];
   case CF_BLEND_FROM_DST:
      return in->dst[component];
   case CF_BLEND_FROM_DST_ALPHA:
      return in->dst[3];
   case CF_BLEND_FROM_CONST:
   case CF_BLEND_FROM_CONST_ALPHA: {
      const float c = target->constant[term->source == CF_BLEND_FROM_CONST ? component : 3];
      for (uint32_t i = 0; i < CF_TASK_LANES; i++)
         scratch[i] = c;
      return scratch;
   }
   case CF_BLEND_FROM_SATURATE:
      for (uint32_t i = 0; i < CF_TASK_LANES; i++) {
         const float least = cf_blend_saturate(in->src[3][i], in->dst[3][i], false);
         scratch[i] = component == 3 ? 1.0f : least;
      }
      return scratch;
   case CF_BLEND_FROM_SRC1:
      return in->src1[component];
   case CF_BLEND_FROM_SRC1_ALPHA:
      return in->src1[3];
   case CF_BLEND_FROM_NONE:
      break;
   }
   return zero_lanes;
}

CF_INLINE float
blend_term(const struct cf_blend_term *term, float value, float source)
{
   return cf_blend_term(value, cf_blend_factor(source, term->offset, term->scale), term->mask,
                        term->sign);
}

static void
blend_sum(const struct cf_blend_term *src_term, const struct cf_blend_term *dst_term, const float *restrict src,
          const float *restrict dst, const float *restrict src_from, const float *restrict dst_from, float *restrict out)
{
   const struct cf_blend_term s = *src_term, d = *dst_term;
   for (uint32_t i = 0; i < CF_TASK_LANES; i++)
      out[i] = blend_term(&s, src[i], src_from[i]) + blend_term(&d, dst[i], dst_from[i]);
}

/* GL 2.1 section 4.1.8: out = blend of source and destination, for the components in `components`. */
static void
blend_lanes(const struct cf_pixel_target *target, uint32_t components, struct blend_inputs *in, lane_floats out[4])
{
   for (uint32_t c = 0; c < 4; c++) {
      if (!(components >> c & 1))
         continue;
      const struct cf_blend_equation *e = c == 3 ? &target->alpha : &target->color;
      const float *src = in->src[c], *dst = in->dst[c];
      if (e->func == CF_BLEND_FUNC_MIN) {
         for (uint32_t i = 0; i < CF_TASK_LANES; i++)
            out[c][i] = cf_blend_min(src[i], dst[i], false);
      } else if (e->func == CF_BLEND_FUNC_MAX) {
         for (uint32_t i = 0; i < CF_TASK_LANES; i++)
            out[c][i] = cf_blend_max(src[i], dst[i], false);
      } else {
         blend_sum(&e->src, &e->dst, src, dst, factor_lanes(target, &e->src, c, in, in->scratch[0]),
                   factor_lanes(target, &e->dst, c, in, in->scratch[1]), out[c]);
      }
   }
}

static void
saturate_lanes(const lane_floats *in, lane_floats out[4])
{
   for (uint32_t c = 0; c < 4; c++) {
      for (uint32_t i = 0; i < CF_TASK_LANES; i++)
         out[c][i] = cf_fsat(in[c][i]);
   }
}

/* Clamp the colors as the target's format demands, and blend them with destination `dst`. */
static void
blend_target(const struct cf_pixel_target *target, uint32_t components, const lane_floats *src, const lane_floats *src1,
             const lane_floats *dst, lane_floats out[4])
{
   lane_floats clamped[4], clamped1[4];
   if (target->clamp) {
      saturate_lanes(src, clamped);
      src = (const lane_floats *)clamped;
      if (src1) {
         saturate_lanes(src1, clamped1);
         src1 = (const lane_floats *)clamped1;
      }
   }
   struct blend_inputs in;
   in.src = src;
   in.dst = dst;
   in.src1 = src1 ? src1 : src;
   blend_lanes(target, components, &in, out);
}

/* ------------------------------------------------------------------ channels of pixels held as dwords */

/* Pixels by dword and lane: dword w of lane i is [w][i]. Pixels of 1 and 2 bytes are one dword, its upper bits 0. */
typedef uint32_t pixel_words[4][CF_TASK_LANES];

static void
unpack_channel(const struct cf_pixel_target *target, uint32_t c, const lane_words *pixels, float *restrict x)
{
   const uint32_t *restrict word = pixels[target->word[c]];
   const uint32_t shift = target->shift[c], max = target->max[c];
#define DECODE(type, bits)                                                                         \
   for (uint32_t i = 0; i < CF_TASK_LANES; i++)                                                    \
   x[i] = cf_channel_decode(type, bits, word[i] >> shift & max)
   CF_CHANNEL_LOOPS(target->type[c], target->bits[c], DECODE)
#undef DECODE
}

static void
unpack_pixels(const struct cf_pixel_target *target, const lane_words *pixels, lane_floats color[4])
{
   for (uint32_t c = 0; c < 4; c++) {
      if (target->present >> c & 1) {
         unpack_channel(target, c, pixels, color[c]);
         continue;
      }
      for (uint32_t i = 0; i < CF_TASK_LANES; i++)
         color[c][i] = c == 3 ? 1.0f : 0.0f;
   }
}

static void
pack_channel(const struct cf_pixel_target *target, uint32_t c, const float *restrict x, lane_words *pixels)
{
   uint32_t *restrict word = pixels[target->word[c]];
   const uint32_t shift = target->shift[c];
#define ENCODE(type, bits)                                                                         \
   for (uint32_t i = 0; i < CF_TASK_LANES; i++)                                                    \
   word[i] |= cf_channel_encode(type, bits, x[i]) << shift
   CF_CHANNEL_LOOPS(target->type[c], target->bits[c], ENCODE)
#undef ENCODE
}

/* Four unorm channels in one dword, in one pass. */
static void
pack_rgba(const struct cf_pixel_target *target, const lane_floats *color, uint32_t *restrict word)
{
   const float *restrict r = color[0], *restrict g = color[1], *restrict b = color[2], *restrict a = color[3];
   const float sr = target->scale[0], sg = target->scale[1], sb = target->scale[2], sa = target->scale[3];
   const uint32_t hr = target->shift[0], hg = target->shift[1], hb = target->shift[2], ha = target->shift[3];
   for (uint32_t i = 0; i < CF_TASK_LANES; i++) {
      word[i] =
         cf_scale_to_uint(cf_fsat(r[i]), sr) << hr | cf_scale_to_uint(cf_fsat(g[i]), sg) << hg |
         cf_scale_to_uint(cf_fsat(b[i]), sb) << hb | cf_scale_to_uint(cf_fsat(a[i]), sa) << ha;
   }
}

static void
clear_words(uint32_t words, lane_words *pixels)
{
   for (uint32_t w = 0; w < words; w++) {
      for (uint32_t i = 0; i < CF_TASK_LANES; i++)
         pixels[w][i] = 0;
   }
}

static void
pack_pixels(const struct cf_pixel_target *target, const lane_floats *color, lane_words *pixels)
{
   if (target->all_unorm && target->present == 15) {
      pack_rgba(target, color, pixels[0]);
      return;
   }
   clear_words(target->words, pixels);
   for (uint32_t c = 0; c < 4; c++) {
      if (target->present >> c & 1)
         pack_channel(target, c, color[c], pixels);
   }
}

/* ------------------------------------------------------------------ new pixels from old ones */

/* Blend one channel by source alpha. Same bits as unpack_pixels, blend_lanes and pack_pixels in a
 * row. */
static void
blend_channel_by_alpha(const struct cf_pixel_target *target, uint32_t c, const float *restrict src,
                       const float *restrict alpha, const uint32_t *restrict old, uint32_t *restrict word)
{
   const uint32_t shift = target->shift[c], max = target->max[c];
   const float high = target->reciprocal[c][0], low = target->reciprocal[c][1], scale = target->scale[c];
   const float src_offset = target->src_offset[c], src_scale = target->src_scale[c];
   const float dst_offset = target->dst_offset[c], dst_scale = target->dst_scale[c];
   for (uint32_t i = 0; i < CF_TASK_LANES; i++) {
      const float u = (float)(int32_t)(old[i] >> shift & max), dst = u * high + u * low;
      const float s = cf_fsat(src[i]) * cf_blend_factor(alpha[i], src_offset, src_scale);
      const float d = dst * cf_blend_factor(alpha[i], dst_offset, dst_scale);
      word[i] |= cf_scale_to_uint(cf_fsat(s + d), scale) << shift;
   }
}

static void
blend_by_alpha(const struct cf_pixel_target *target, const lane_floats *src, const uint32_t *old, uint32_t *word)
{
   lane_floats alpha;
   for (uint32_t i = 0; i < CF_TASK_LANES; i++) {
      alpha[i] = cf_fsat(src[3][i]);
      word[i] = 0;
   }
   for (uint32_t c = 0; c < 4; c++) {
      if (target->present >> c & 1)
         blend_channel_by_alpha(target, c, src[c], alpha, old, word);
   }
}

static void
blend_pixels(const struct cf_pixel_target *target, const lane_floats *src, const lane_floats *src1, const lane_words *old,
             lane_words *pixels)
{
   if (target->blend_by_alpha) {
      blend_by_alpha(target, src, old[0], pixels[0]);
      return;
   }
   _Alignas(64) lane_floats dst[4], blended[4];
   unpack_pixels(target, old, dst);
   blend_target(target, target->present, src, src1, (const lane_floats *)dst, blended);
   pack_pixels(target, (const lane_floats *)blended, pixels);
}

/* Apply logic op and write mask to `pixels`; lanes outside of `mask` keep their old pixel. */
static void
merge_pixels(const struct cf_pixel_target *target, uint32_t mask, const lane_words *old, lane_words *pixels)
{
   for (uint32_t w = 0; w < target->words; w++) {
      const uint32_t *restrict before = old[w];
      uint32_t *restrict after = pixels[w];
      const uint32_t channel_bits = target->channel_bits[w], write_bits = target->write_bits[w], op = target->logicop;
      if (target->logic) {
         for (uint32_t i = 0; i < CF_TASK_LANES; i++)
            after[i] = cf_logic_op(op, after[i], before[i]) & channel_bits;
      }
      for (uint32_t i = 0; i < CF_TASK_LANES; i++)
         after[i] = cf_masked_bits(before[i], after[i], write_bits & lane_in(mask, i));
   }
}

/* Pixels after drawing: in the lanes of `mask` the new ones, else the old. `old` may be undefined
 * where the target reads none and the mask is full. */
static void
new_pixels(const struct cf_pixel_target *target, uint32_t mask, const lane_floats *src, const lane_floats *src1,
           const lane_words *old, lane_words *pixels)
{
   if (target->blend)
      blend_pixels(target, src, src1, old, pixels);
   else
      pack_pixels(target, src, pixels);
   if (target->merges || mask != ~0u)
      merge_pixels(target, mask, old, pixels);
}

/* ------------------------------------------------------------------ surfaces to dwords and back */

/* Pixels of all lanes, packed as in memory, to dwords. */
CF_INLINE void
load_words(uint32_t pixel_B, const uint8_t *restrict lanes, lane_words *pixels)
{
   const uint32_t word_B = pixel_B < 4 ? pixel_B : 4;
   for (uint32_t w = 0; w < (pixel_B + 3) / 4; w++) {
      for (uint32_t i = 0; i < CF_TASK_LANES; i++) {
         uint32_t word = 0;
         memcpy(&word, lanes + i * pixel_B + w * 4, word_B);
         pixels[w][i] = word;
      }
   }
}

CF_INLINE void
store_words(uint32_t pixel_B, const lane_words *pixels, uint8_t *restrict lanes)
{
   const uint32_t word_B = pixel_B < 4 ? pixel_B : 4;
   for (uint32_t w = 0; w < (pixel_B + 3) / 4; w++) {
      for (uint32_t i = 0; i < CF_TASK_LANES; i++)
         memcpy(lanes + i * pixel_B + w * 4, &pixels[w][i], word_B);
   }
}

/* Block layout: whole quads are read and written. Nothing is read if all pixels are overwritten. */
CF_INLINE void
write_blocks(const struct cf_pixel_target *target, const struct cf_image *image, uint32_t pixel_B, const struct cf_quad *quads,
             uint32_t count, uint32_t mask, const lane_floats *src, const lane_floats *src1)
{
   _Alignas(64) pixel_words old, pixels;
   _Alignas(64) uint8_t lanes[CF_TASK_LANES * 16];
   uint8_t spare[4 * 16], *at[CF_TASK_QUADS];
   locate_quads(image, quads, count, pixel_B, spare, at);
   if (!target->reads && mask == lanes_of_quads(count)) {
      pack_pixels(target, src, pixels);
   } else {
      memset(spare, 0, sizeof(spare));
      gather_quads(at, pixel_B, lanes);
      load_words(pixel_B, lanes, old);
      new_pixels(target, mask, src, src1, (const lane_words *)old, pixels);
   }
   store_words(pixel_B, (const lane_words *)pixels, lanes);
   scatter_quads(at, pixel_B, lanes);
}

/* Linear layout: only lanes in mask are accessed, the others may lie outside of the image. */
CF_INLINE void
write_rows(const struct cf_pixel_target *target, const struct cf_image *image, uint32_t pixel_B, const struct cf_quad *quads,
           uint32_t mask, const lane_floats *src, const lane_floats *src1)
{
   _Alignas(64) pixel_words old, pixels;
   _Alignas(64) uint8_t lanes[CF_TASK_LANES * 16] = {0};
   for (uint32_t i = 0; i < CF_TASK_LANES; i++) {
      if (mask >> i & 1)
         memcpy(lanes + i * pixel_B, lane_pixel(image, quads, i), pixel_B);
   }
   load_words(pixel_B, lanes, old);
   new_pixels(target, mask, src, src1, (const lane_words *)old, pixels);
   store_words(pixel_B, (const lane_words *)pixels, lanes);
   for (uint32_t i = 0; i < CF_TASK_LANES; i++) {
      if (mask >> i & 1)
         memcpy(lane_pixel(image, quads, i), lanes + i * pixel_B, pixel_B);
   }
}

CF_INLINE void
write_surface(const struct cf_pixel_target *target, const struct cf_image *image, uint32_t pixel_B, const struct cf_quad *quads,
              uint32_t count, uint32_t mask, const lane_floats *src, const lane_floats *src1)
{
   if (image->blocks)
      write_blocks(target, image, pixel_B, quads, count, mask, src, src1);
   else
      write_rows(target, image, pixel_B, quads, mask, src, src1);
}

/* ------------------------------------------------------------------ all targets */

/* Copy a color with an alpha of 1. */
static const lane_floats *
with_alpha_one(const lane_floats *color, lane_floats copy[4])
{
   memcpy(copy, color, 3 * sizeof(copy[0]));
   for (uint32_t i = 0; i < CF_TASK_LANES; i++)
      copy[3][i] = 1.0f;
   return (const lane_floats *)copy;
}

static void
write_target(const struct cf_pixel_target *target, const struct cf_image *image, const struct cf_quad *quads, uint32_t count,
             uint32_t mask, const lane_floats *src, const lane_floats *src1)
{
   lane_floats alpha_one[2][4];
   if (target->alpha_to_one) {
      src = with_alpha_one(src, alpha_one[0]);
      src1 = src1 ? with_alpha_one(src1, alpha_one[1]) : NULL;
   }
   switch (image->format->pixel_B) {
   case 1:
      write_surface(target, image, 1, quads, count, mask, src, src1);
      break;
   case 2:
      write_surface(target, image, 2, quads, count, mask, src, src1);
      break;
   case 4:
      write_surface(target, image, 4, quads, count, mask, src, src1);
      break;
   case 8:
      write_surface(target, image, 8, quads, count, mask, src, src1);
      break;
   default:
      write_surface(target, image, 16, quads, count, mask, src, src1);
      break;
   }
}

static void
write_quads(const struct cf_pixel_config *config, const struct cf_quad *quads, uint32_t count, uint32_t mask,
            const float (*color)[CF_TASK_LANES])
{
   mask &= lanes_of_quads(count);
   if (!mask)
      return;
   const lane_floats *color1 = config->program_color_outputs & 2 ? color + 4 : color;
   for (uint32_t t = 0; t < config->color_count; t++) {
      const struct cf_pixel_target *target = &config->target[t];
      const lane_floats *src = color + (config->program_color0_to_all ? 0 : 4 * t);
      if (!(config->color_writes >> t & 1))
         continue;
      if (target->in_words)
         CF_LANES(cf_pixel_write_words)(target, &config->color[t], quads, count, mask, src);
      else
         write_target(target, &config->color[t], quads, count, mask, src, target->dual_source ? color1 : NULL);
   }
}

/* Write the same colors to all samples. A single unblended target with a path in
 * cf_pixel_words.c is packed once for all samples. */
static void
write_all_samples(const struct cf_pixel_config *config, const struct cf_quad *quads, uint32_t mask,
                  const float (*color)[CF_TASK_LANES])
{
   const struct cf_pixel_target *target = &config->target[0];
   if (config->color_writes == 1 && target->in_words && !target->blend) {
      const struct cf_image *images[CF_SAMPLES];
      for (uint32_t s = 0; s < CF_SAMPLES; s++)
         images[s] = &config[s].color[0];
      CF_LANES(cf_pixel_write_words_of_samples)(target, images, quads, mask, color);
      return;
   }
   for (uint32_t s = 0; s < CF_SAMPLES; s++)
      write_quads(&config[s], quads, CF_TASK_QUADS, mask, color);
}

const struct cf_pixel_ops CF_LANES(cf_pixel_ops) = {
   .test_block = CF_LANES(cf_pixel_test_block),
   .test_blocks = CF_LANES(cf_pixel_test_blocks),
   .look_at_blocks = CF_LANES(cf_pixel_look_at_blocks),
   .test_prims = CF_LANES(cf_pixel_test_prims),
   .test_samples = CF_LANES(cf_pixel_test_samples),
   .depth_bounds = CF_LANES(cf_pixel_depth_bounds),
   .alpha_coverage = CF_LANES(cf_pixel_alpha_coverage),
   .test_quads = CF_LANES(cf_pixel_test_quads),
   .write_quads = write_quads,
   .write_all_samples = write_all_samples,
};
