/* SPDX-License-Identifier: MIT */
/*
 * Draws and clears. The GPU supports every kind of primitive, restart, index bias and instances: a
 * draw is its state and one packet per range.
 */
#include "pipe/p_context.h"
#include "util/u_debug.h"
#include "util/u_draw.h"
#include "util/u_framebuffer.h"
#include "util/u_math.h"

#include "clipfree_context.h"
#include "clipfree_debug.h"
#include "clipfree_query.h"
#include "clipfree_resource.h"
#include "clipfree_samples.h"
#include "clipfree_screen.h"

/* ------------------------------------------------------------------ draws */

/* Resolve pending clears of textures: the texture unit ignores tile states. */
static void
cf_resolve_textures(struct cf_context *context)
{
   for (unsigned stage = 0; stage < CF_STAGES; stage++) {
      const struct cf_stage_bindings *bindings = &context->stage[stage];
      for (unsigned i = 0; i < bindings->view_count; i++) {
         const struct cf_sampler_view_object *view = (void *)bindings->views[i];
         if (view)
            cf_resource_resolve(context, cf_resource(view->base.texture),
                                view->base.u.tex.first_level, view->base.u.tex.last_level,
                                view->first_image, view->last_image);
      }
   }
}

/* A draw's indices: the uploaded range of user indices, or the whole index buffer. */
struct cf_index_source {
   uint64_t address;
   uint32_t size_B;
   uint32_t index_size_B; /* 0: no indices */
   uint32_t start;
   int32_t bias;
};

static bool
cf_find_indices(struct cf_context *context, const struct pipe_draw_info *info,
                const struct pipe_draw_start_count_bias *draw, struct cf_index_source *source)
{
   const uint32_t shift = cf_client_arrays_shift(&context->client);
   struct cf_reuse_indices reuse;

   *source = (struct cf_index_source){ .start = draw->start - shift };
   if (!info->index_size) {
      if (cf_reuse_vertices(context, info, draw, &reuse)) {
         context->counters[CF_COUNTER_REUSES]++;
         *source = (struct cf_index_source){ .address = reuse.address,
                                             .size_B = reuse.size_B,
                                             .index_size_B = reuse.index_size_B,
                                             .bias = (int32_t)draw->start };
      }
      return true;
   }
   source->start = draw->start;
   source->index_size_B = info->index_size;
   source->bias = draw->index_bias - (int32_t)shift;

   if (info->has_user_indices) {
      const uint8_t *indices =
         (const uint8_t *)info->index.user + (size_t)draw->start * info->index_size;
      source->size_B = draw->count * info->index_size;
      source->start = 0;
      source->address = cf_batch_upload_data(&context->batch, indices, source->size_B);
      return source->address != 0;
   }
   const struct cf_buffer *buffer =
      cf_resource_use(&context->batch, cf_resource(info->index.resource), CF_ACCESS_READ);
   source->address = buffer->bo.address;
   source->size_B = info->index.resource->width0;
   return true;
}

/* Report indices outside of their buffer, which the GPU does not draw, to the debug callback. */
static void
cf_report_indices(struct cf_context *context, const struct pipe_draw_info *info, unsigned count,
                  const struct cf_index_source *indices)
{
   const unsigned there = info->index_size ? indices->size_B / info->index_size : 0;
   if (info->index_size && (uint64_t)indices->start + count > there)
      util_debug_message(&context->base.debug, CONFORMANCE,
                         "clipfree: indices %u to %u of a draw: the buffer holds %u, those outside of it are not drawn",
                         indices->start, indices->start + count - 1, there);
}

/* Whether sampling the view may read pixels of the surface. */
static bool
cf_view_sees(const struct cf_sampler_view_object *view, const struct cf_sampler_object *sampler,
             const struct pipe_surface *surface)
{
   struct cf_sampler fields;
   const char *bad_field;

   if (!surface || surface->texture != view->base.texture ||
       !cf_sampler_unpack(sampler->dw, &fields, &bad_field))
      return false;
   const unsigned first = view->base.u.tex.first_level;
   const unsigned last = fields.mip_filter == CF_MIP_NONE ? first : view->base.u.tex.last_level;
   return surface->u.tex.level >= first && surface->u.tex.level <= last &&
          surface->u.tex.first_layer <= view->last_image &&
          surface->u.tex.last_layer >= view->first_image;
}

/* Report feedback loops, draws that sample a texture and render to it (OpenGL ES 2.0, 4.4.4), to
 * the debug callback. */
static void
cf_report_feedback(struct cf_context *context)
{
   const struct pipe_framebuffer_state *to = &context->framebuffer;

   if (!context->base.debug.debug_message ||
       !(context->dirty & (CF_DIRTY_FRAMEBUFFER | CF_DIRTY_ALL_TEXTURES)))
      return;
   for (unsigned stage = 0; stage < CF_STAGES; stage++) {
      const struct cf_stage_bindings *bindings = &context->stage[stage];
      for (unsigned i = 0; i < MIN2(bindings->view_count, bindings->sampler_count); i++) {
         const struct cf_sampler_view_object *view = (void *)bindings->views[i];
         const struct cf_sampler_object *sampler = bindings->samplers[i];
         bool feedback = view && sampler && cf_view_sees(view, sampler, to->zsbuf);
         for (unsigned c = 0; c < to->nr_cbufs && view && sampler; c++)
            feedback |= cf_view_sees(view, sampler, to->cbufs[c]);
         if (feedback)
            util_debug_message(&context->base.debug, CONFORMANCE,
                               "clipfree: texture unit %u of the %s shader is drawn to: what is "
                               "read of it is undefined",
                               i, cf_shader_stage_name((enum cf_shader_stage)stage));
      }
   }
}

/* CLIPFREE_DEBUG=flush: a submission per draw. */
static void
cf_flush_draw(struct cf_context *context)
{
   if (context->screen->debug & CF_DEBUG_FLUSH)
      cf_context_kick(context);
}

/* Layers of the frame buffer that a draw may reach. */
static uint32_t
cf_layers_drawn(const struct cf_context *context)
{
   const struct cf_shader_object *geometry = context->stage[CF_SHADER_STAGE_GEOMETRY].shader;
   return geometry && geometry->writes_layer
             ? util_framebuffer_get_num_layers(&context->framebuffer)
             : 1;
}

/* Draw to the context's layer. */
static void
cf_draw_layer(struct cf_context *context, const struct pipe_draw_info *info,
              const struct pipe_draw_start_count_bias *draw)
{
   struct cf_index_source indices;
   const bool restart = info->index_size && info->primitive_restart;

   if (!draw->count || !cf_context_begin(context, CF_STATE_DWORDS + CF_CONDITION_DWORDS +
                                                     CF_DRAW_DWORDS + cf_query_dwords(context)))
      return;
   if (!cf_upload_client_arrays(context, info, draw))
      return;
   cf_query_update(context);
   cf_report_feedback(context);
   if (!cf_emit_state(context) || !cf_find_indices(context, info, draw, &indices))
      return;
   cf_report_indices(context, info, draw->count, &indices);
   context->counters[CF_COUNTER_DRAWS]++;
   cf_query_send_condition(context);
   CF_EMIT(&context->batch, DRAW, draw, .prim = (enum cf_prim_kind)info->mode,
           .index_size_B = indices.index_size_B, .restart = restart, .again = context->layer > 0,
           .count = draw->count, .start = indices.start, .instances = info->instance_count,
           .start_instance = info->start_instance, .index_bias = indices.bias,
           .restart_index = restart ? info->restart_index : 0, /* Mesa leaves it as it was */
           .index_size_total_B = indices.size_B, .index_address = indices.address);
   cf_flush_draw(context);
}

/* Fragments that read the primitive's number want a geometry shader. False: it cannot be made. */
static bool
cf_choose_geometry(struct cf_context *context, enum mesa_prim mode)
{
   struct cf_shader_object *geometry = context->geometry;
   const bool numbered = context->stage[CF_SHADER_STAGE_FRAGMENT].shader->reads_primitive_id;
   if (!geometry && numbered && !(geometry = cf_passthrough_shader(context, mode)))
      return false;
   if (geometry != context->stage[CF_SHADER_STAGE_GEOMETRY].shader)
      context->dirty |= CF_DIRTY_PROGRAMS;
   context->stage[CF_SHADER_STAGE_GEOMETRY].shader = geometry;
   return true;
}

static void
cf_draw_range(struct cf_context *context, const struct pipe_draw_info *info,
              const struct pipe_draw_start_count_bias *draw)
{
   if (!cf_choose_geometry(context, (enum mesa_prim)info->mode))
      return;
   const uint32_t layers = MAX2(cf_layers_drawn(context), 1);
   for (uint32_t layer = 0; layer < layers; layer++) {
      cf_context_set_layer(context, layer);
      cf_draw_layer(context, info, draw);
   }
   cf_context_set_layer(context, 0);
}

static bool
cf_can_draw(const struct cf_context *context)
{
   return context->stage[CF_SHADER_STAGE_VERTEX].shader &&
          context->stage[CF_SHADER_STAGE_FRAGMENT].shader && context->elements && context->raster &&
          context->blend && context->depth_stencil;
}

static void
cf_draw_vbo(struct pipe_context *pcontext, const struct pipe_draw_info *info,
            unsigned drawid_offset, const struct pipe_draw_indirect_info *indirect,
            const struct pipe_draw_start_count_bias *draws, unsigned draw_count)
{
   struct cf_context *context = cf_context(pcontext);
   struct pipe_draw_start_count_bias fed_back = { 0 };

   if (indirect && indirect->buffer) {
      util_draw_indirect(pcontext, info, drawid_offset, indirect);
      return;
   }
   if (indirect && indirect->count_from_stream_output) {
      fed_back.count = cf_feedback_vertices(context, indirect->count_from_stream_output);
      draws = &fed_back;
   }
   if (!cf_can_draw(context)) {
      cf_no_memory(context); /* for a state object or a shader: nothing was bound */
   } else if (info->instance_count && cf_query_condition_may_pass(context)) {
      cf_samples_load(context, 0);
      cf_resolve_textures(context);
      for (unsigned i = 0; i < draw_count; i++)
         cf_draw_range(context, info, &draws[i]);
      if (context->batch.out_of_memory)
         cf_reset_note_memory(context);
   }
   if (info->index_size && !info->has_user_indices && info->take_index_buffer_ownership) {
      struct pipe_resource *indices = info->index.resource;
      pipe_resource_reference(&indices, NULL);
   }
}

/* ------------------------------------------------------------------ clears */

static void
cf_note_clear(struct cf_context *context, struct pipe_surface *surface)
{
   unsigned level, layer;
   if (!cf_context_targets(context, surface))
      return;
   struct cf_resource *target = cf_resource(cf_surface_target(surface, &level, &layer));
   cf_resource_note_clear(&context->batch, target, level, layer + context->layer);
}

/* Bits that a clear does not change: four for each color target (r, g, b, a), and stencil bits. */
struct cf_clear_preserved {
   uint32_t colors;
   uint8_t stencil;
};

/* Clear these buffers (PIPE_CLEAR_*) of the frame buffer inside a rectangle. */
static void
cf_clear_framebuffer(struct cf_context *context, unsigned buffers,
                     struct cf_clear_preserved preserved, const struct pipe_scissor_state *rect,
                     const union pipe_color_union *color, double depth, unsigned stencil)
{
   const struct pipe_framebuffer_state *fb = &context->framebuffer;
   struct cf_clear packet = {
      .colors = (buffers & PIPE_CLEAR_COLOR) / PIPE_CLEAR_COLOR0,
      .depth = (buffers & PIPE_CLEAR_DEPTH) != 0,
      .stencil = (buffers & PIPE_CLEAR_STENCIL) != 0,
      .stencil_value = stencil & 0xff,
      .stencil_write_mask = 0xff & ~preserved.stencil,
      .color_preserved = preserved.colors,
      .depth_value = depth,
      .min_x_px = rect->minx,
      .min_y_px = rect->miny,
      .max_x_px = MIN2(rect->maxx, fb->width),
      .max_y_px = MIN2(rect->maxy, fb->height),
   };
   if (color)
      memcpy(packet.color, color->ui, sizeof(packet.color));
   if (packet.min_x_px >= packet.max_x_px || packet.min_y_px >= packet.max_y_px ||
       !cf_context_begin(context, CF_FRAMEBUFFER_DWORDS + CF_CONDITION_DWORDS + CF_CLEAR_DWORDS))
      return;

   cf_emit_framebuffer(context);
   cf_query_send_condition(context);
   cf_clear_pack(context->batch.dw, &packet);
   context->batch.dw += CF_CLEAR_DWORDS;

   if (buffers & PIPE_CLEAR_DEPTHSTENCIL)
      cf_note_clear(context, fb->zsbuf);
   for (unsigned i = 0; i < fb->nr_cbufs; i++) {
      if (buffers & (PIPE_CLEAR_COLOR0 << i))
         cf_note_clear(context, fb->cbufs[i]);
   }
   cf_flush_draw(context);
}

static void
cf_clear_preserving(struct cf_context *context, unsigned buffers,
                    struct cf_clear_preserved preserved, const struct pipe_scissor_state *scissor,
                    const union pipe_color_union *color, double depth, unsigned stencil)
{
   const struct pipe_scissor_state whole = { .maxx = context->framebuffer.width,
                                             .maxy = context->framebuffer.height };

   if (!cf_query_condition_may_pass(context))
      return;
   const bool in_part =
      scissor || preserved.colors || preserved.stencil || cf_query_condition_is_open(context);
   cf_samples_load(context, in_part ? 0 : buffers);
   const uint32_t layers = util_framebuffer_get_num_layers(&context->framebuffer);
   for (uint32_t layer = 0; layer < layers; layer++) {
      cf_context_set_layer(context, layer);
      cf_clear_framebuffer(context, buffers, preserved, scissor ? scissor : &whole, color, depth,
                           stencil);
   }
   cf_context_set_layer(context, 0);
   cf_reset_note_memory(context);
}

static void
cf_clear(struct pipe_context *pcontext, unsigned buffers, const struct pipe_scissor_state *scissor,
         const union pipe_color_union *color, double depth, unsigned stencil)
{
   cf_clear_preserving(cf_context(pcontext), buffers, (struct cf_clear_preserved){ 0 }, scissor,
                       color, depth, stencil);
}

/* Mesa's hook for masked clears, which it would draw otherwise. */
static void
cf_clear_masked(struct pipe_context *pcontext, unsigned buffers, uint32_t color_keep,
                unsigned stencil_mask, const struct pipe_scissor_state *scissor,
                const union pipe_color_union *color, double depth, unsigned stencil)
{
   const struct cf_clear_preserved preserved = { .colors = color_keep,
                                                 .stencil = (uint8_t)~stencil_mask };
   cf_clear_preserving(cf_context(pcontext), buffers, preserved, scissor, color, depth, stencil);
}

/* Clear a rectangle of one image by binding it as the frame buffer for the moment. */
static void
cf_clear_image(struct cf_context *context, struct pipe_surface *image, unsigned buffers,
               const struct pipe_scissor_state *rect, const union pipe_color_union *color,
               double depth, unsigned stencil)
{
   const bool is_color = buffers & PIPE_CLEAR_COLOR;
   const struct pipe_framebuffer_state bound = context->framebuffer;

   context->framebuffer = (struct pipe_framebuffer_state){
      .width = image->width,
      .height = image->height,
      .nr_cbufs = is_color,
      .cbufs = { is_color ? image : NULL },
      .zsbuf = is_color ? NULL : image,
   };
   context->dirty |= CF_DIRTY_FRAMEBUFFER;
   cf_clear_framebuffer(context, buffers, (struct cf_clear_preserved){ 0 }, rect, color, depth,
                        stencil);
   context->framebuffer = bound;
   context->dirty |= CF_DIRTY_FRAMEBUFFER;
}

/* Clear a rectangle of all layers of a surface. */
static void
cf_clear_surface(struct cf_context *context, struct pipe_surface *surface, unsigned buffers,
                 const struct pipe_scissor_state *rect, const union pipe_color_union *color,
                 double depth, unsigned stencil, bool conditional)
{
   const struct cf_render_condition bound = context->render_condition;
   if (!conditional)
      context->render_condition.query = NULL;
   if (!cf_query_condition_may_pass(context))
      return;
   cf_samples_store(context);
   for (unsigned layer = surface->u.tex.first_layer; layer <= surface->u.tex.last_layer; layer++) {
      struct cf_surface_object image = { .base = *surface };
      image.base.u.tex.first_layer = image.base.u.tex.last_layer = layer;
      image.base.nr_samples = 0;
      cf_clear_image(context, &image.base, buffers, rect, color, depth, stencil);
   }
   context->render_condition = bound;
}

static void
cf_clear_render_target(struct pipe_context *pcontext, struct pipe_surface *surface,
                       const union pipe_color_union *color, unsigned x_px, unsigned y_px,
                       unsigned width_px, unsigned height_px, bool conditional)
{
   const struct pipe_scissor_state rect = { x_px, y_px, x_px + width_px, y_px + height_px };
   cf_clear_surface(cf_context(pcontext), surface, PIPE_CLEAR_COLOR0, &rect, color, 0.0, 0,
                    conditional);
}

static void
cf_clear_depth_stencil(struct pipe_context *pcontext, struct pipe_surface *surface,
                       unsigned buffers, double depth, unsigned stencil, unsigned x_px,
                       unsigned y_px, unsigned width_px, unsigned height_px, bool conditional)
{
   const struct pipe_scissor_state rect = { x_px, y_px, x_px + width_px, y_px + height_px };
   cf_clear_surface(cf_context(pcontext), surface, buffers, &rect, NULL, depth, stencil,
                    conditional);
}

void
cf_context_init_draw(struct cf_context *context)
{
   context->base.draw_vbo = cf_draw_vbo;
   context->base.clear = cf_clear;
   context->base.clear_masked = cf_clear_masked;
   context->base.clear_render_target = cf_clear_render_target;
   context->base.clear_depth_stencil = cf_clear_depth_stencil;
}
