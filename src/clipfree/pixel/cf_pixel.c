/* SPDX-License-Identifier: MIT */
/*
 * Pixel engine, once per draw: what the state means for the lanes. Formats become shifts and masks, stencil operations and
 * blend factors become numbers, so that the loops over lanes (cf_pixel_lanes.c) need no decisions.
 */
#include "clipfree/pixel/cf_pixel.h"

#include <string.h>

#include "clipfree/arith/cf_fp.h"
#include "clipfree/arith/cf_minmax.h"

/* ------------------------------------------------------------------ depth and stencil */

static enum cf_zs_layout
zs_layout_of(const struct cf_image *zs)
{
   if (!zs->data || !zs->format)
      return CF_ZS_NONE;
   switch (zs->format->code) {
   case CF_FORMAT_Z16_UNORM:
      return CF_ZS_Z16;
   case CF_FORMAT_Z24_UNORM_S8_UINT:
   case CF_FORMAT_Z24X8_UNORM:
      return CF_ZS_Z24;
   case CF_FORMAT_Z32_FLOAT:
      return CF_ZS_Z32F;
   case CF_FORMAT_Z32_FLOAT_S8X24_UINT:
      return CF_ZS_Z32F_S8;
   case CF_FORMAT_S8_UINT:
      return CF_ZS_S8;
   default:
      return CF_ZS_NONE;
   }
}

static bool
has_channel(const struct cf_format_info *format, char letter)
{
   for (uint32_t c = 0; c < format->channels; c++) {
      if (format->channel[c].letter == letter)
         return true;
   }
   return false;
}

static struct cf_stencil_update
stencil_update_of(enum cf_stencil_op op, uint32_t ref)
{
   switch (op) {
   case CF_STENCIL_OP_ZERO:
      return (struct cf_stencil_update){0, 0, 0, 0, 255};
   case CF_STENCIL_OP_REPLACE:
      return (struct cf_stencil_update){0, 0, (int32_t)ref, 0, 255};
   case CF_STENCIL_OP_INCR:
      return (struct cf_stencil_update){255, 0, 1, 0, 255};
   case CF_STENCIL_OP_DECR:
      return (struct cf_stencil_update){255, 0, -1, 0, 255};
   case CF_STENCIL_OP_INCR_WRAP:
      return (struct cf_stencil_update){255, 0, 1, -1, 256};
   case CF_STENCIL_OP_DECR_WRAP:
      return (struct cf_stencil_update){255, 0, -1, -1, 256};
   case CF_STENCIL_OP_INVERT:
      return (struct cf_stencil_update){255, 255, 0, 0, 255};
   case CF_STENCIL_OP_KEEP:
      break;
   }
   return (struct cf_stencil_update){255, 0, 0, 0, 255};
}

static void
configure_stencil(struct cf_pixel_config *config)
{
   const struct cf_depth_stencil *ds = &config->depth_stencil;
   const uint32_t front = config->stencil_ref.front & 255, back = config->stencil_ref.back & 255;
   config->stencil[0] = (struct cf_stencil_face){
      .func = ds->front_func,
      .ref = front & ds->front_value_mask,
      .value_mask = ds->front_value_mask,
      .write_mask = ds->front_write_mask,
      .fail = stencil_update_of(ds->front_fail, front),
      .zfail = stencil_update_of(ds->front_zfail, front),
      .zpass = stencil_update_of(ds->front_zpass, front),
   };
   config->stencil[1] = (struct cf_stencil_face){
      .func = ds->back_func,
      .ref = back & ds->back_value_mask,
      .value_mask = ds->back_value_mask,
      .write_mask = ds->back_write_mask,
      .fail = stencil_update_of(ds->back_fail, back),
      .zfail = stencil_update_of(ds->back_zfail, back),
      .zpass = stencil_update_of(ds->back_zpass, back),
   };
   if (!ds->stencil_back)
      config->stencil[1] = config->stencil[0];
   config->two_sided = ds->stencil_back;
}

/* The face can change the stencil buffer. */
static bool
face_writes(enum cf_stencil_op fail, enum cf_stencil_op zfail, enum cf_stencil_op zpass, uint32_t write_mask)
{
   return write_mask != 0 && (fail != CF_STENCIL_OP_KEEP || zfail != CF_STENCIL_OP_KEEP || zpass != CF_STENCIL_OP_KEEP);
}

static bool
stencil_writes(const struct cf_depth_stencil *ds)
{
   return face_writes(ds->front_fail, ds->front_zfail, ds->front_zpass, ds->front_write_mask) ||
          (ds->stencil_back && face_writes(ds->back_fail, ds->back_zfail, ds->back_zpass, ds->back_write_mask));
}

static bool
stencil_rejects(const struct cf_depth_stencil *ds)
{
   return ds->front_func != CF_COMPARE_ALWAYS || (ds->stencil_back && ds->back_func != CF_COMPARE_ALWAYS);
}

/* No fragment of such a face passes, nor changes the stencil buffer. */
static bool
face_stops_all(enum cf_compare func, enum cf_stencil_op fail, uint32_t write_mask)
{
   return func == CF_COMPARE_NEVER && (write_mask == 0 || fail == CF_STENCIL_OP_KEEP);
}

static bool
stencil_stops_all(const struct cf_depth_stencil *ds)
{
   return face_stops_all(ds->front_func, ds->front_fail, ds->front_write_mask) &&
          (!ds->stencil_back || face_stops_all(ds->back_func, ds->back_fail, ds->back_write_mask));
}

/* The parts of a pixel that tests look at: others are neither read nor changed. */
static void
configure_zs_bits(struct cf_pixel_config *config)
{
   static const uint32_t depth[][2] = {
      [CF_ZS_Z16] = {0xffff}, [CF_ZS_Z24] = {0xffffff}, [CF_ZS_Z32F] = {UINT32_MAX}, [CF_ZS_Z32F_S8] = {UINT32_MAX}, [CF_ZS_S8] = {0},
   };
   static const uint32_t stencil[][2] = {
      [CF_ZS_Z24] = {0xff000000}, [CF_ZS_Z32F_S8] = {0, UINT32_MAX}, [CF_ZS_S8] = {0xff},
   };
   for (uint32_t i = 0; i < 2; i++)
      config->zs_bits[i] = (config->depth_test ? depth[config->zs_layout][i] : 0) |
                           (config->stencil_test ? stencil[config->zs_layout][i] : 0);
}

/* Which bounds of hierarchical Z a draw can use, and which it preserves. A stencil operation acts
 * on fragments that fail, so with one none is usable. */
static void
configure_sides(struct cf_pixel_config *config)
{
   static const uint8_t sides[] = {
      [CF_COMPARE_NEVER] = CF_DEPTH_NONE,      [CF_COMPARE_LESS] = CF_DEPTH_FARTHEST,
      [CF_COMPARE_LEQUAL] = CF_DEPTH_FARTHEST, [CF_COMPARE_EQUAL] = CF_DEPTH_FARTHEST | CF_DEPTH_NEAREST,
      [CF_COMPARE_GREATER] = CF_DEPTH_NEAREST, [CF_COMPARE_GEQUAL] = CF_DEPTH_NEAREST,
      [CF_COMPARE_NOTEQUAL] = CF_DEPTH_NONE,   [CF_COMPARE_ALWAYS] = CF_DEPTH_NONE,
   };
   const uint8_t side = sides[config->depth_stencil.depth_func];
   const bool simple = config->depth_test && !config->stencil_test &&
                       !config->program_writes_depth && config->zs.blocks;
   config->hiz_allowed = simple ? side : CF_DEPTH_NONE;
   config->hiz_usable = config->plain ? CF_DEPTH_NONE : config->hiz_allowed;
   config->hiz_preserved = config->depth_write ? side : CF_DEPTH_FARTHEST | CF_DEPTH_NEAREST;
}

/* Which tests are on, and where they run. */
static void
configure_tests(struct cf_pixel_config *config)
{
   const struct cf_depth_stencil *ds = &config->depth_stencil;
   const enum cf_zs_layout layout = zs_layout_of(&config->zs);
   const bool has_depth = layout != CF_ZS_NONE && layout != CF_ZS_S8;
   const bool has_stencil = layout != CF_ZS_NONE && has_channel(config->zs.format, 's');
   config->zs_layout = layout;
   config->depth_write = has_depth && ds->depth_test && ds->depth_write && ds->depth_func != CF_COMPARE_NEVER;
   config->depth_test = has_depth && ds->depth_test && (ds->depth_func != CF_COMPARE_ALWAYS || config->depth_write);
   const bool writes_stencil = has_stencil && ds->stencil_front && stencil_writes(ds);
   config->stencil_test = has_stencil && ds->stencil_front && (stencil_rejects(ds) || writes_stencil);
   config->alpha_test = ds->alpha_test && ds->alpha_func != CF_COMPARE_ALWAYS;
   configure_stencil(config);

   config->alpha_to_coverage = config->samples > 1 && config->blend[0].alpha_to_coverage;
   config->alpha_to_one = config->blend[0].alpha_to_one;
   const bool removes = config->program_kills || config->alpha_test || config->alpha_to_coverage;
   const bool depth_is_late = config->program_writes_depth && config->depth_test;
   const bool legal = !depth_is_late && !(removes && (config->depth_write || writes_stencil));
   config->tests_needed = config->depth_test || config->stencil_test;
   config->draws_nothing =
      (config->stencil_test && stencil_stops_all(ds)) ||
      (config->depth_test && ds->depth_func == CF_COMPARE_NEVER && !writes_stencil);
   config->early_tests = config->tests_needed && ((legal && !config->plain) || config->program_early_tests);
   config->late_tests = config->alpha_test || (config->tests_needed && !config->early_tests);
   configure_zs_bits(config);
   configure_sides(config);
}

/* ------------------------------------------------------------------ color */

static struct cf_blend_term
blend_term_of(enum cf_blend_factor factor, bool negative)
{
   static const uint8_t source_of[CF_BLEND_FACTOR_INV_SRC1_ALPHA + 1] = {
      [CF_BLEND_FACTOR_ZERO] = CF_BLEND_FROM_NONE,
      [CF_BLEND_FACTOR_ONE] = CF_BLEND_FROM_NONE,
      [CF_BLEND_FACTOR_SRC_COLOR] = CF_BLEND_FROM_SRC,
      [CF_BLEND_FACTOR_SRC_ALPHA] = CF_BLEND_FROM_SRC_ALPHA,
      [CF_BLEND_FACTOR_DST_COLOR] = CF_BLEND_FROM_DST,
      [CF_BLEND_FACTOR_DST_ALPHA] = CF_BLEND_FROM_DST_ALPHA,
      [CF_BLEND_FACTOR_CONST_COLOR] = CF_BLEND_FROM_CONST,
      [CF_BLEND_FACTOR_CONST_ALPHA] = CF_BLEND_FROM_CONST_ALPHA,
      [CF_BLEND_FACTOR_INV_SRC_COLOR] = CF_BLEND_FROM_SRC,
      [CF_BLEND_FACTOR_INV_SRC_ALPHA] = CF_BLEND_FROM_SRC_ALPHA,
      [CF_BLEND_FACTOR_INV_DST_COLOR] = CF_BLEND_FROM_DST,
      [CF_BLEND_FACTOR_INV_DST_ALPHA] = CF_BLEND_FROM_DST_ALPHA,
      [CF_BLEND_FACTOR_INV_CONST_COLOR] = CF_BLEND_FROM_CONST,
      [CF_BLEND_FACTOR_INV_CONST_ALPHA] = CF_BLEND_FROM_CONST_ALPHA,
      [CF_BLEND_FACTOR_SRC_ALPHA_SATURATE] = CF_BLEND_FROM_SATURATE,
      [CF_BLEND_FACTOR_SRC1_COLOR] = CF_BLEND_FROM_SRC1,
      [CF_BLEND_FACTOR_SRC1_ALPHA] = CF_BLEND_FROM_SRC1_ALPHA,
      [CF_BLEND_FACTOR_INV_SRC1_COLOR] = CF_BLEND_FROM_SRC1,
      [CF_BLEND_FACTOR_INV_SRC1_ALPHA] = CF_BLEND_FROM_SRC1_ALPHA,
   };
   const bool inverse = (factor >= CF_BLEND_FACTOR_INV_SRC_COLOR && factor <= CF_BLEND_FACTOR_INV_CONST_ALPHA) ||
                        factor >= CF_BLEND_FACTOR_INV_SRC1_COLOR;
   return (struct cf_blend_term){
      .source = source_of[factor],
      .offset = inverse || factor == CF_BLEND_FACTOR_ONE ? 1.0f : 0.0f,
      .scale = inverse ? -1.0f : 1.0f,
      .sign = negative && factor != CF_BLEND_FACTOR_ZERO ? CF_SIGN_BIT : 0,
      .mask = factor == CF_BLEND_FACTOR_ZERO ? 0 : ~0u,
   };
}

static struct cf_blend_equation
blend_equation_of(enum cf_blend_func func, enum cf_blend_factor src, enum cf_blend_factor dst)
{
   return (struct cf_blend_equation){
      .func = func,
      .src = blend_term_of(src, func == CF_BLEND_FUNC_REVERSE_SUBTRACT),
      .dst = blend_term_of(dst, func == CF_BLEND_FUNC_SUBTRACT),
   };
}

static bool
reads_src1(const struct cf_blend_equation *e)
{
   return e->src.source >= CF_BLEND_FROM_SRC1 || e->dst.source >= CF_BLEND_FROM_SRC1;
}

/* Both equations are source * src + destination * dst. */
static bool
blends_as(const struct cf_blend *blend, enum cf_blend_factor src, enum cf_blend_factor dst)
{
   return blend->color_func == CF_BLEND_FUNC_ADD && blend->alpha_func == CF_BLEND_FUNC_ADD && blend->src_color == src &&
          blend->src_alpha == src && blend->dst_color == dst && blend->dst_alpha == dst;
}

static int
component_of(char letter)
{
   const char *at = letter ? strchr("rgba", letter) : NULL;
   return at ? (int)(at - "rgba") : -1;
}

static void
set_bits(uint32_t words[4], uint32_t offset_bits, uint32_t bits)
{
   const uint32_t end_bits = offset_bits + bits;
   for (uint32_t b = offset_bits, count; b < end_bits; b += count) {
      count = cf_min_u32(end_bits - b, 32 - b % 32);
      words[b / 32] |= (UINT32_MAX >> (32 - count)) << (b % 32);
   }
}

static void
describe_channel(struct cf_pixel_target *target, uint32_t i, const struct cf_format_channel *channel)
{
   target->present |= 1u << i;
   target->type[i] = channel->type;
   target->bits[i] = channel->bits;
   target->word[i] = channel->offset_bits / 32;
   target->shift[i] = channel->offset_bits % 32;
   target->max[i] = UINT32_MAX >> (32 - channel->bits);
   target->scale[i] = (float)target->max[i];
   if (channel->type == CF_CHANNEL_UNORM && channel->bits <= 16)
      memcpy(target->reciprocal[i], cf_unorm_reciprocal[channel->bits],
             sizeof(target->reciprocal[i]));
}

/* Shifts, masks and written bits. */
static void
describe_pixel(struct cf_pixel_target *target, const struct cf_format_info *format, uint32_t write_mask)
{
   target->words = (format->pixel_B + 3) / 4;
   target->clamp = true;
   target->all_unorm = target->words == 1;
   for (uint32_t c = 0; c < format->channels; c++) {
      const struct cf_format_channel *channel = &format->channel[c];
      const int i = component_of(channel->letter);
      if (i < 0)
         continue;
      describe_channel(target, (uint32_t)i, channel);
      set_bits(target->channel_bits, channel->offset_bits, channel->bits);
      if (write_mask >> i & 1)
         set_bits(target->write_bits, channel->offset_bits, channel->bits);
      target->clamp &= channel->type == CF_CHANNEL_UNORM || channel->type == CF_CHANNEL_SRGB;
      target->all_unorm &= channel->type == CF_CHANNEL_UNORM;
   }
   if ((target->present & ~write_mask) == 0)
      set_bits(target->write_bits, 0, format->pixel_B * 8);
}

/* GL 4.5 section 17.3.11: not sRGB, nor floats. */
static bool
has_logic_op(const struct cf_format_info *format)
{
   return format->channel[0].type != CF_CHANNEL_SRGB && format->channel[0].type != CF_CHANNEL_FLOAT;
}

/* A term whose factor is a constant or depends on source alpha alone, as offset + scale * source alpha; false for other terms.
 * All values are finite here (unorm), so a factor of 0 needs no dropping and the sign can be the factor's. */
static bool
term_by_alpha(const struct cf_pixel_target *target, const struct cf_blend_term *term, uint32_t component, float *offset,
              float *scale)
{
   const float sign = term->sign ? -1.0f : 1.0f;
   switch (term->source) {
   case CF_BLEND_FROM_NONE:
      *offset = sign * term->offset;
      *scale = 0.0f;
      return true;
   case CF_BLEND_FROM_CONST:
   case CF_BLEND_FROM_CONST_ALPHA:
      *offset = sign * (term->offset + term->scale * target->constant[term->source == CF_BLEND_FROM_CONST ? component : 3]);
      *scale = 0.0f;
      return true;
   case CF_BLEND_FROM_SRC:
   case CF_BLEND_FROM_SRC_ALPHA:
      *offset = sign * term->offset;
      *scale = sign * term->scale;
      return term->source == CF_BLEND_FROM_SRC_ALPHA || component == 3;
   default:
      return false;
   }
}

/* Component c of a target that is blended by alpha needs other factors than the component present before it, `last`. */
static bool
factors_differ(const struct cf_pixel_target *target, uint32_t c, uint32_t last)
{
   return target->src_offset[c] != target->src_offset[last] || target->src_scale[c] != target->src_scale[last] ||
          target->dst_offset[c] != target->dst_offset[last] || target->dst_scale[c] != target->dst_scale[last];
}

static bool
blends_by_alpha(struct cf_pixel_target *target)
{
   uint32_t last = 4; /* none */
   for (uint32_t c = 0; c < 4; c++) {
      const struct cf_blend_equation *e = c == 3 ? &target->alpha : &target->color;
      if (!(target->present >> c & 1))
         continue;
      if (e->func == CF_BLEND_FUNC_MIN || e->func == CF_BLEND_FUNC_MAX ||
          !term_by_alpha(target, &e->src, c, &target->src_offset[c], &target->src_scale[c]) ||
          !term_by_alpha(target, &e->dst, c, &target->dst_offset[c], &target->dst_scale[c]))
         return false;
      target->other_factors |= (uint32_t)(last == 4 || factors_differ(target, c, last)) << c;
      last = c;
   }
   return target->all_unorm;
}

static void
configure_blend(struct cf_pixel_target *target, bool blendable, const struct cf_blend *blend,
                const struct cf_blend_color *color)
{
   target->blend = blendable && blend->enable && !blend->logicop_enable &&
                   !blends_as(blend, CF_BLEND_FACTOR_ONE, CF_BLEND_FACTOR_ZERO);
   target->alpha_to_one = blend->alpha_to_one;
   target->color = blend_equation_of(blend->color_func, blend->src_color, blend->dst_color);
   target->alpha = blend_equation_of(blend->alpha_func, blend->src_alpha, blend->dst_alpha);
   target->dual_source = reads_src1(&target->color) || reads_src1(&target->alpha);
   for (uint32_t i = 0; i < 4; i++)
      target->constant[i] = target->clamp ? cf_fsat(color->color[i]) : color->color[i];
   target->blend_by_alpha = blends_by_alpha(target);
}

/* A target that nothing can change has no `writes`. */
static void
configure_target(struct cf_pixel_target *target, const struct cf_image *image, const struct cf_blend *blend,
                 const struct cf_blend_color *color)
{
   memset(target, 0, sizeof(*target));
   const struct cf_format_info *format = image->format;
   if (!image->data || !format || !(format->uses & CF_USE_COLOR))
      return;
   describe_pixel(target, format, blend->write_mask);
   configure_blend(target, format->uses & CF_USE_BLEND, blend, color);
   target->logicop = blend->logicop;
   target->logic =
      blend->logicop_enable && blend->logicop != CF_LOGICOP_COPY && has_logic_op(format);
   const bool keeps = (target->logic && blend->logicop == CF_LOGICOP_NOOP) ||
                      (target->blend && blends_as(blend, CF_BLEND_FACTOR_ZERO, CF_BLEND_FACTOR_ONE));
   if ((target->present & blend->write_mask) == 0 || keeps)
      return;
   target->merges = target->logic || (target->present & ~blend->write_mask) != 0;
   target->reads = target->blend || target->merges;
   target->in_words = image->blocks && target->all_unorm && format->pixel_B == 4 && !target->logic && !target->alpha_to_one &&
                      (!target->blend || target->blend_by_alpha);
   for (uint32_t i = 0; i < 4; i++)
      target->word_bias += target->present >> i & 1 ? cf_bits(0x1p23f) << target->shift[i] : 0;
   target->writes = true;
}

void
cf_pixel_configure(struct cf_pixel_config *config)
{
   configure_tests(config);
   config->color_writes = 0;
   config->reads_color = 0;
   config->alpha_clamp = false;
   memset(&config->target[0], 0, sizeof(config->target[0])); /* also without colours */
   for (uint32_t t = 0; t < config->color_count; t++) {
      struct cf_pixel_target *target = &config->target[t];
      configure_target(target, &config->color[t], &config->blend[t], &config->blend_color);
      if (t == 0)
         config->alpha_clamp = target->clamp;
      const bool has_output = config->program_color_outputs >> (config->program_color0_to_all ? 0 : t) & 1;
      if (!target->writes || !has_output)
         continue;
      config->color_writes |= 1u << t;
      if (target->reads)
         config->reads_color |= 1u << t;
   }
   config->shading_needed =
      config->plain || config->color_writes != 0 || config->program_kills || config->alpha_test ||
      config->alpha_to_coverage ||
      (config->program_writes_depth && config->depth_test && !config->early_tests);
}
