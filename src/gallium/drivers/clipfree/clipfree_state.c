/* SPDX-License-Identifier: MIT */
/*
 * State objects and other small state. State objects are packed when created, and copied to the
 * batch when bound state is sent.
 */
#include "util/u_memory.h"
#include "util/u_math.h"

#include "clipfree/interface/cf_limits.h"

#include "clipfree_context.h"
#include "clipfree_screen.h"

/* Enums of Gallium that have the GPU's values are passed on as they are: PIPE_FUNC_*,
 * PIPE_STENCIL_OP_*, PIPE_BLEND_*, PIPE_LOGICOP_*, PIPE_POLYGON_MODE_*. */
static_assert((int)PIPE_FUNC_ALWAYS == CF_COMPARE_ALWAYS, "compare functions differ");
static_assert((int)PIPE_FUNC_NOTEQUAL == CF_COMPARE_NOTEQUAL, "compare functions differ");
static_assert((int)PIPE_STENCIL_OP_INVERT == CF_STENCIL_OP_INVERT, "stencil operations differ");
static_assert((int)PIPE_STENCIL_OP_INCR_WRAP == CF_STENCIL_OP_INCR_WRAP,
              "stencil operations differ");
static_assert((int)PIPE_BLEND_MAX == CF_BLEND_FUNC_MAX, "blend functions differ");
static_assert((int)PIPE_LOGICOP_COPY == CF_LOGICOP_COPY, "logic operations differ");
static_assert((int)PIPE_LOGICOP_AND_REVERSE == CF_LOGICOP_AND_REVERSE, "logic operations differ");
static_assert((int)PIPE_POLYGON_MODE_POINT == CF_POLYGON_MODE_POINT, "polygon modes differ");

/* ------------------------------------------------------------------ blend */

static const uint8_t cf_blend_factor_by_pipe[] = {
   [PIPE_BLENDFACTOR_ONE] = CF_BLEND_FACTOR_ONE,
   [PIPE_BLENDFACTOR_SRC_COLOR] = CF_BLEND_FACTOR_SRC_COLOR,
   [PIPE_BLENDFACTOR_SRC_ALPHA] = CF_BLEND_FACTOR_SRC_ALPHA,
   [PIPE_BLENDFACTOR_DST_COLOR] = CF_BLEND_FACTOR_DST_COLOR,
   [PIPE_BLENDFACTOR_DST_ALPHA] = CF_BLEND_FACTOR_DST_ALPHA,
   [PIPE_BLENDFACTOR_SRC_ALPHA_SATURATE] = CF_BLEND_FACTOR_SRC_ALPHA_SATURATE,
   [PIPE_BLENDFACTOR_CONST_COLOR] = CF_BLEND_FACTOR_CONST_COLOR,
   [PIPE_BLENDFACTOR_CONST_ALPHA] = CF_BLEND_FACTOR_CONST_ALPHA,
   [PIPE_BLENDFACTOR_SRC1_COLOR] = CF_BLEND_FACTOR_SRC1_COLOR,
   [PIPE_BLENDFACTOR_SRC1_ALPHA] = CF_BLEND_FACTOR_SRC1_ALPHA,
   [PIPE_BLENDFACTOR_INV_SRC_COLOR] = CF_BLEND_FACTOR_INV_SRC_COLOR,
   [PIPE_BLENDFACTOR_INV_SRC_ALPHA] = CF_BLEND_FACTOR_INV_SRC_ALPHA,
   [PIPE_BLENDFACTOR_INV_DST_COLOR] = CF_BLEND_FACTOR_INV_DST_COLOR,
   [PIPE_BLENDFACTOR_INV_DST_ALPHA] = CF_BLEND_FACTOR_INV_DST_ALPHA,
   [PIPE_BLENDFACTOR_INV_CONST_COLOR] = CF_BLEND_FACTOR_INV_CONST_COLOR,
   [PIPE_BLENDFACTOR_INV_CONST_ALPHA] = CF_BLEND_FACTOR_INV_CONST_ALPHA,
   [PIPE_BLENDFACTOR_INV_SRC1_COLOR] = CF_BLEND_FACTOR_INV_SRC1_COLOR,
   [PIPE_BLENDFACTOR_INV_SRC1_ALPHA] = CF_BLEND_FACTOR_INV_SRC1_ALPHA,
   [PIPE_BLENDFACTOR_ZERO] = CF_BLEND_FACTOR_ZERO,
};

static void *
cf_create_blend_state(struct pipe_context *pcontext, const struct pipe_blend_state *s)
{
   struct cf_blend_object *blend = CALLOC_STRUCT(cf_blend_object);
   if (!blend)
      return cf_no_memory(cf_context(pcontext));

   for (unsigned i = 0; i < CF_MAX_COLOR_TARGETS; i++) {
      const struct pipe_rt_blend_state *rt = &s->rt[s->independent_blend_enable ? i : 0];
      const struct cf_blend packet = {
         .target = i,
         .enable = rt->blend_enable,
         .color_func = rt->rgb_func,
         .alpha_func = rt->alpha_func,
         .src_color = cf_blend_factor_by_pipe[rt->rgb_src_factor],
         .dst_color = cf_blend_factor_by_pipe[rt->rgb_dst_factor],
         .src_alpha = cf_blend_factor_by_pipe[rt->alpha_src_factor],
         .dst_alpha = cf_blend_factor_by_pipe[rt->alpha_dst_factor],
         .write_mask = rt->colormask,
         .logicop_enable = s->logicop_enable,
         .logicop = s->logicop_func,
         .dither = s->dither,
         .alpha_to_coverage = s->alpha_to_coverage,
         .alpha_to_one = s->alpha_to_one,
      };
      cf_blend_pack(blend->dw[i], &packet);
   }
   return blend;
}

static void
cf_bind_blend_state(struct pipe_context *pcontext, void *object)
{
   cf_context(pcontext)->blend = object;
   cf_context(pcontext)->dirty |= CF_DIRTY_BLEND;
}

/* ------------------------------------------------------------------ depth, stencil, alpha */

static void *
cf_create_depth_stencil_state(struct pipe_context *pcontext,
                              const struct pipe_depth_stencil_alpha_state *s)
{
   struct cf_depth_stencil_object *object = CALLOC_STRUCT(cf_depth_stencil_object);
   if (!object)
      return cf_no_memory(cf_context(pcontext));

   const struct pipe_stencil_state *front = &s->stencil[0], *back = &s->stencil[1];
   const struct cf_depth_stencil packet = {
      .depth_test = s->depth_enabled,
      .depth_write = s->depth_enabled && s->depth_writemask,
      .depth_func = s->depth_func,
      .alpha_test = s->alpha_enabled,
      .alpha_func = s->alpha_func,
      .alpha_ref = s->alpha_ref_value,
      .stencil_front = front->enabled,
      .stencil_back = front->enabled && back->enabled,
      .front_func = front->func,
      .front_fail = front->fail_op,
      .front_zfail = front->zfail_op,
      .front_zpass = front->zpass_op,
      .front_value_mask = front->valuemask,
      .front_write_mask = front->writemask,
      .back_func = back->func,
      .back_fail = back->fail_op,
      .back_zfail = back->zfail_op,
      .back_zpass = back->zpass_op,
      .back_value_mask = back->valuemask,
      .back_write_mask = back->writemask,
   };
   cf_depth_stencil_pack(object->dw, &packet);
   return object;
}

static void
cf_bind_depth_stencil_state(struct pipe_context *pcontext, void *object)
{
   cf_context(pcontext)->depth_stencil = object;
   cf_context(pcontext)->dirty |= CF_DIRTY_DEPTH_STENCIL;
}

/* ------------------------------------------------------------------ raster */

/* Aliased lines without multisampling have integer widths of at least one pixel (OpenGL 2.1,
 * section 3.4.2.1). */
static float
cf_line_width_px(const struct pipe_rasterizer_state *s)
{
   const float width_px =
      s->line_smooth || s->multisample ? s->line_width : MAX2(roundf(s->line_width), 1.0f);
   return MIN2(width_px, CF_MAX_SIZE_PX);
}

static void *
cf_create_rasterizer_state(struct pipe_context *pcontext, const struct pipe_rasterizer_state *s)
{
   struct cf_raster_object *object = CALLOC_STRUCT(cf_raster_object);
   if (!object)
      return cf_no_memory(cf_context(pcontext));

   const struct cf_raster packet = {
      .cull_front = s->cull_face & PIPE_FACE_FRONT,
      .cull_back = (s->cull_face & PIPE_FACE_BACK) != 0,
      .front_ccw = s->front_ccw,
      .fill_front = s->fill_front,
      .fill_back = s->fill_back,
      .provoking_first = s->flatshade_first,
      .point_size_per_vertex = s->point_size_per_vertex,
      .sprite_origin_lower_left = s->sprite_coord_mode == PIPE_SPRITE_COORD_LOWER_LEFT,
      .half_pixel_center = s->half_pixel_center,
      .bottom_edge_rule = s->bottom_edge_rule,
      .depth_clip_near = s->depth_clip_near,
      .depth_clip_far = s->depth_clip_far,
      .depth_clamp = s->depth_clamp,
      .clip_halfz = s->clip_halfz,
      .offset_fill = s->offset_tri,
      .offset_line = s->offset_line,
      .offset_point = s->offset_point,
      .discard = s->rasterizer_discard,
      .point_smooth = s->point_smooth,
      .line_smooth = s->line_smooth,
      .poly_smooth = s->poly_smooth,
      .line_stipple = s->line_stipple_enable,
      .poly_stipple = s->poly_stipple_enable,
      .multisample = s->multisample,
      .point_quad = s->point_quad_rasterization,
      .cut_to_viewport = s->point_line_tri_clip,
      .line_width_px = cf_line_width_px(s),
      .point_size_px = CLAMP(s->point_size, CF_MIN_SIZE_PX, CF_MAX_SIZE_PX),
      .offset_units = s->offset_units,
      .offset_scale = s->offset_scale,
      .offset_clamp = s->offset_clamp,
      .clip_planes = s->clip_plane_enable,
      .stipple_factor = s->line_stipple_factor,
      .stipple_pattern = s->line_stipple_pattern,
   };
   cf_raster_pack(object->dw, &packet);
   object->scissor = s->scissor;
   object->clip = s->clip_plane_enable;
   object->flat_shade = s->flatshade;
   object->two_sided = s->light_twoside;
   object->sprite_coords = s->point_quad_rasterization ? s->sprite_coord_enable : 0;
   return object;
}

static void
cf_bind_rasterizer_state(struct pipe_context *pcontext, void *object)
{
   struct cf_context *context = cf_context(pcontext);
   const struct cf_raster_object *old = context->raster, *new = object;

   context->raster = object;
   context->dirty |= CF_DIRTY_RASTER;
   if (!old || !new || old->scissor != new->scissor)
      context->dirty |= CF_DIRTY_SCISSOR;
   if (!old || !new || old->flat_shade != new->flat_shade || old->two_sided != new->two_sided ||
       old->sprite_coords != new->sprite_coords || (old->clip != 0) != (new->clip != 0))
      context->dirty |= CF_DIRTY_PROGRAMS;
}

/* ------------------------------------------------------------------ samplers */

static const uint8_t cf_wrap_by_pipe[] = {
   [PIPE_TEX_WRAP_CLAMP] = CF_WRAP_CLAMP,
   [PIPE_TEX_WRAP_CLAMP_TO_EDGE] = CF_WRAP_CLAMP_TO_EDGE,
   [PIPE_TEX_WRAP_CLAMP_TO_BORDER] = CF_WRAP_CLAMP_TO_BORDER,
   [PIPE_TEX_WRAP_MIRROR_REPEAT] = CF_WRAP_MIRROR_REPEAT,
   [PIPE_TEX_WRAP_MIRROR_CLAMP] = CF_WRAP_MIRROR_CLAMP,
   [PIPE_TEX_WRAP_MIRROR_CLAMP_TO_EDGE] = CF_WRAP_MIRROR_CLAMP_TO_EDGE,
   [PIPE_TEX_WRAP_MIRROR_CLAMP_TO_BORDER] = CF_WRAP_MIRROR_CLAMP_TO_BORDER,
   [PIPE_TEX_WRAP_REPEAT] = CF_WRAP_REPEAT,
};

static const uint8_t cf_mip_by_pipe[] = {
   [PIPE_TEX_MIPFILTER_NEAREST] = CF_MIP_NEAREST,
   [PIPE_TEX_MIPFILTER_LINEAR] = CF_MIP_LINEAR,
   [PIPE_TEX_MIPFILTER_NONE] = CF_MIP_NONE,
};

/* Whether magnification ends at 0.5, not 0 (OpenGL ES 2.0 section 3.7.8, OpenGL 2.1 section 3.8.9),
 * so that a texture does not look sharper minified than magnified. OpenGL ES 3.0 leaves the choice
 * between that and 0 (section 3.8.11); there it is 0, which its users expect. */
static bool
cf_magnifies_to_half(const struct cf_context *context, const struct pipe_sampler_state *s)
{
   return !context->magnify_to_zero && s->mag_img_filter == PIPE_TEX_FILTER_LINEAR &&
          s->min_img_filter == PIPE_TEX_FILTER_NEAREST &&
          s->min_mip_filter != PIPE_TEX_MIPFILTER_NONE;
}

static void *
cf_create_sampler_state(struct pipe_context *pcontext, const struct pipe_sampler_state *s)
{
   struct cf_sampler_object *object = CALLOC_STRUCT(cf_sampler_object);
   if (!object)
      return cf_no_memory(cf_context(pcontext));

   const struct cf_sampler sampler = {
      .wrap_s = cf_wrap_by_pipe[s->wrap_s],
      .wrap_t = cf_wrap_by_pipe[s->wrap_t],
      .wrap_r = cf_wrap_by_pipe[s->wrap_r],
      .min_filter =
         s->min_img_filter == PIPE_TEX_FILTER_LINEAR ? CF_FILTER_LINEAR : CF_FILTER_NEAREST,
      .mag_filter =
         s->mag_img_filter == PIPE_TEX_FILTER_LINEAR ? CF_FILTER_LINEAR : CF_FILTER_NEAREST,
      .mip_filter = cf_mip_by_pipe[s->min_mip_filter],
      .compare_enable = s->compare_mode == PIPE_TEX_COMPARE_R_TO_TEXTURE,
      .compare_func = s->compare_func,
      .seamless = s->seamless_cube_map,
      .unnormalized = s->unnormalized_coords,
      .max_anisotropy = s->max_anisotropy,
      .magnify_to_half = cf_magnifies_to_half(cf_context(pcontext), s),
      .lod_bias = s->lod_bias,
      .min_lod = s->min_lod,
      .max_lod = s->max_lod,
      .border = { s->border_color.f[0], s->border_color.f[1], s->border_color.f[2],
                  s->border_color.f[3] },
   };
   cf_sampler_pack(object->dw, &sampler);
   return object;
}

static void
cf_bind_sampler_states(struct pipe_context *pcontext, enum pipe_shader_type shader, unsigned start,
                       unsigned count, void **samplers)
{
   struct cf_context *context = cf_context(pcontext);
   const enum cf_shader_stage stage = cf_stage_of(shader);
   struct cf_stage_bindings *bindings = &context->stage[stage];

   for (unsigned i = 0; i < count; i++)
      bindings->samplers[start + i] = samplers ? samplers[i] : NULL;
   bindings->sampler_count = MAX2(bindings->sampler_count, start + count);
   while (bindings->sampler_count && !bindings->samplers[bindings->sampler_count - 1])
      bindings->sampler_count--;
   context->dirty |= CF_DIRTY_TEXTURES << stage;
}

/* ------------------------------------------------------------------ small state */

static void
cf_set_blend_color(struct pipe_context *pcontext, const struct pipe_blend_color *color)
{
   cf_context(pcontext)->blend_color = *color;
   cf_context(pcontext)->dirty |= CF_DIRTY_BLEND_COLOR;
}

static void
cf_set_stencil_ref(struct pipe_context *pcontext, const struct pipe_stencil_ref ref)
{
   cf_context(pcontext)->stencil_ref = ref;
   cf_context(pcontext)->dirty |= CF_DIRTY_STENCIL_REF;
}

static void
cf_set_sample_mask(struct pipe_context *pcontext, unsigned mask)
{
   cf_context(pcontext)->sample_mask = mask;
   cf_context(pcontext)->dirty |= CF_DIRTY_SAMPLE_MASK;
}

static void
cf_get_sample_position(struct pipe_context *pcontext, unsigned samples, unsigned index,
                       float *position)
{
   const bool several = samples == CF_SAMPLES && index < CF_SAMPLES;
   for (unsigned axis = 0; axis < 2; axis++)
      position[axis] = several ? cf_sample_position[index][axis] / (float)CF_SAMPLE_UNITS : 0.5f;
}

static void
cf_set_clip_state(struct pipe_context *pcontext, const struct pipe_clip_state *clip)
{
   cf_context(pcontext)->clip = *clip;
   cf_context(pcontext)->dirty |= CF_DIRTY_CLIP;
}

static void
cf_set_polygon_stipple(struct pipe_context *pcontext, const struct pipe_poly_stipple *stipple)
{
   cf_context(pcontext)->stipple = *stipple;
   cf_context(pcontext)->dirty |= CF_DIRTY_STIPPLE;
}

static void
cf_set_scissor_states(struct pipe_context *pcontext, unsigned start, unsigned count,
                      const struct pipe_scissor_state *scissors)
{
   cf_context(pcontext)->scissor = scissors[0];
   cf_context(pcontext)->dirty |= CF_DIRTY_SCISSOR;
}

static void
cf_set_viewport_states(struct pipe_context *pcontext, unsigned start, unsigned count,
                       const struct pipe_viewport_state *viewports)
{
   cf_context(pcontext)->viewport = viewports[0];
   cf_context(pcontext)->dirty |= CF_DIRTY_VIEWPORT;
}

static void
cf_delete_state(struct pipe_context *pcontext, void *object)
{
   FREE(object);
}

void
cf_context_init_state(struct cf_context *context)
{
   struct pipe_context *c = &context->base;

   c->create_blend_state = cf_create_blend_state;
   c->bind_blend_state = cf_bind_blend_state;
   c->delete_blend_state = cf_delete_state;
   c->create_depth_stencil_alpha_state = cf_create_depth_stencil_state;
   c->bind_depth_stencil_alpha_state = cf_bind_depth_stencil_state;
   c->delete_depth_stencil_alpha_state = cf_delete_state;
   c->create_rasterizer_state = cf_create_rasterizer_state;
   c->bind_rasterizer_state = cf_bind_rasterizer_state;
   c->delete_rasterizer_state = cf_delete_state;
   c->create_sampler_state = cf_create_sampler_state;
   c->bind_sampler_states = cf_bind_sampler_states;
   c->delete_sampler_state = cf_delete_state;
   c->set_blend_color = cf_set_blend_color;
   c->set_stencil_ref = cf_set_stencil_ref;
   c->set_sample_mask = cf_set_sample_mask;
   c->get_sample_position = cf_get_sample_position;
   c->set_clip_state = cf_set_clip_state;
   c->set_polygon_stipple = cf_set_polygon_stipple;
   c->set_scissor_states = cf_set_scissor_states;
   c->set_viewport_states = cf_set_viewport_states;
}
