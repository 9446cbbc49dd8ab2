/* SPDX-License-Identifier: MIT */
/*
 * Sending bound state: for each dirty bit a function that writes packets and uploads the
 * descriptors that they point at. State objects were packed when created and are only copied; only
 * addresses are filled in here.
 */
#include "util/u_framebuffer.h"
#include "util/u_math.h"

#include "clipfree_context.h"
#include "clipfree_format.h"
#include "clipfree_resource.h"
#include "clipfree_samples.h"
#include "clipfree_screen.h"
#include "clipfree_filled.h"

/* ------------------------------------------------------------------ frame buffer */

static uint64_t
cf_upload_attachment(struct cf_context *context, struct pipe_surface *surface)
{
   unsigned level, layer;
   if (!cf_context_targets(context, surface))
      return 0;
   struct cf_resource *target = cf_resource(cf_surface_target(surface, &level, &layer));
   cf_filled_add_image(cf_resource(surface->texture), surface->u.tex.level,
                       surface->u.tex.first_layer + context->layer);
   cf_buffer_mark_write(cf_resource_buffer(target));
   return cf_resource_upload_surface(&context->batch, target, level, layer + context->layer,
                                     cf_format_from_pipe(surface->format),
                                     CF_ACCESS_READ | CF_ACCESS_WRITE);
}

void
cf_emit_framebuffer(struct cf_context *context)
{
   const struct pipe_framebuffer_state *fb = &context->framebuffer;

   if (!(context->dirty & CF_DIRTY_FRAMEBUFFER))
      return;
   struct cf_framebuffer packet = {
      .width_px = fb->width,
      .height_px = fb->height,
      .color_count = fb->nr_cbufs,
      .samples = cf_framebuffer_samples(fb),
      .layer = context->layer,
      .layered = util_framebuffer_get_num_layers(fb) > 1,
   };
   packet.depth_stencil = cf_upload_attachment(context, fb->zsbuf);
   for (unsigned i = 0; i < fb->nr_cbufs; i++)
      packet.color[i] = cf_upload_attachment(context, fb->cbufs[i]);
   cf_framebuffer_pack(context->batch.dw, &packet);
   context->batch.dw += CF_FRAMEBUFFER_DWORDS;
   context->dirty &= ~CF_DIRTY_FRAMEBUFFER;
}

/* ------------------------------------------------------------------ small state */

static void
cf_emit_viewport(struct cf_context *context)
{
   const struct pipe_viewport_state *v = &context->viewport;
   CF_EMIT(&context->batch, VIEWPORT, viewport, .scale_x = v->scale[0], .scale_y = v->scale[1],
           .scale_z = v->scale[2], .translate_x = v->translate[0], .translate_y = v->translate[1],
           .translate_z = v->translate[2]);
}

static void
cf_emit_scissor(struct cf_context *context)
{
   const struct pipe_framebuffer_state *fb = &context->framebuffer;
   const struct pipe_scissor_state *s = &context->scissor;
   const bool test = context->raster->scissor;
   const uint32_t max_x_px = test ? MIN2(s->maxx, fb->width) : fb->width;
   const uint32_t max_y_px = test ? MIN2(s->maxy, fb->height) : fb->height;

   CF_EMIT(&context->batch, SCISSOR, scissor, .min_x_px = test ? MIN2(s->minx, max_x_px) : 0,
           .min_y_px = test ? MIN2(s->miny, max_y_px) : 0, .max_x_px = max_x_px,
           .max_y_px = max_y_px);
}

static void
cf_emit_blend(struct cf_context *context)
{
   const unsigned targets = MAX2(context->framebuffer.nr_cbufs, 1);
   for (unsigned i = 0; i < targets; i++)
      cf_batch_emit_packed(&context->batch, context->blend->dw[i], CF_BLEND_DWORDS);
}

static void
cf_emit_blend_color(struct cf_context *context)
{
   struct cf_blend_color packet;
   memcpy(packet.color, context->blend_color.color, sizeof(packet.color));
   cf_blend_color_pack(context->batch.dw, &packet);
   context->batch.dw += CF_BLEND_COLOR_DWORDS;
}

static void
cf_emit_stipple(struct cf_context *context)
{
   struct cf_stipple packet;
   memcpy(packet.pattern, context->stipple.stipple, sizeof(packet.pattern));
   cf_stipple_pack(context->batch.dw, &packet);
   context->batch.dw += CF_STIPPLE_DWORDS;
}

static void
cf_emit_clip_planes(struct cf_context *context)
{
   struct cf_clip_planes packet = {
      .has_vertex = context->clip_link.has_vertex,
      .vertex_varying = context->clip_link.vertex_varying,
      .second_varying = context->clip_link.second_varying,
      .distances = context->clip_link.distances,
   };
   memcpy(packet.plane, context->clip.ucp, sizeof(packet.plane));
   cf_clip_planes_pack(context->batch.dw, &packet);
   context->batch.dw += CF_CLIP_PLANES_DWORDS;
}

/* ------------------------------------------------------------------ vertices */

/* The GPU's descriptor of a vertex element. Without a buffer its address is 0, which reads as 0. */
static struct cf_vertex_element
cf_vertex_element_of(struct cf_context *context, unsigned i)
{
   const struct cf_vertex_elements_object *elements = context->elements;
   const struct pipe_vertex_element *e = &elements->element[i];
   struct cf_vertex_element result = {
      .stride_B = e->src_stride,
      .format = elements->format[i],
      .divisor = e->instance_divisor,
   };
   if (e->vertex_buffer_index >= context->vertex_buffer_count)
      return result;

   const struct pipe_vertex_buffer *vb = &context->vertex_buffers[e->vertex_buffer_index];
   const uint64_t skipped_B =
      e->instance_divisor ? 0 : (uint64_t)context->client.first_vertex * e->src_stride;
   if (vb->is_user_buffer) {
      const struct cf_client_array *array = &context->client.array[e->vertex_buffer_index];
      const uint64_t within_B = e->src_offset + skipped_B - array->begin_B;
      result.address = array->address + within_B;
      result.size_B = array->size_B - within_B;
      return result;
   }

   const uint64_t offset_B = vb->buffer_offset + e->src_offset + skipped_B;
   if (!vb->buffer.resource || offset_B >= vb->buffer.resource->width0)
      return result;

   const struct cf_buffer *buffer =
      cf_resource_use(&context->batch, cf_resource(vb->buffer.resource), CF_ACCESS_READ);
   result.address = buffer->bo.address + offset_B;
   result.size_B = vb->buffer.resource->width0 - offset_B;
   return result;
}

static bool
cf_emit_vertices(struct cf_context *context)
{
   const uint32_t count = context->elements->count;
   uint32_t dw[CF_MAX_VERTEX_ELEMENTS * CF_VERTEX_ELEMENT_DWORDS];
   uint64_t address = 0;

   for (unsigned i = 0; i < count; i++) {
      const struct cf_vertex_element element = cf_vertex_element_of(context, i);
      cf_vertex_element_pack(dw + i * CF_VERTEX_ELEMENT_DWORDS, &element);
   }
   if (count)
      address = cf_batch_upload_once(&context->batch, dw, 4 * count * CF_VERTEX_ELEMENT_DWORDS);
   if (count && !address) {
      cf_client_arrays_end(&context->client);
      return false;
   }
   CF_EMIT(&context->batch, VERTEX_ELEMENTS, vertex_elements, .count = count, .address = address);
   return true;
}

/* ------------------------------------------------------------------ programs */

/* Upload links; *address: 0 without any. */
static bool
cf_upload_links(struct cf_context *context, const struct cf_link *link, unsigned count,
                uint64_t *address)
{
   uint32_t *dw =
      count ? cf_batch_upload(&context->batch, 4 * count * CF_LINK_DWORDS, address, NULL) : NULL;
   for (unsigned i = 0; dw && i < count; i++)
      cf_link_pack(dw + i * CF_LINK_DWORDS, &link[i]);
   return dw || !count;
}

/* Link the geometry program's inputs to the vertex program's outputs. */
static bool
cf_emit_geometry_inputs(struct cf_context *context, const struct cf_binary *vertex,
                        const struct cf_binary *geometry)
{
   struct cf_link link[CF_MAX_VARYING_SLOTS];
   const unsigned count = cf_link_geometry(vertex, geometry, link);
   uint64_t address = 0;

   if (!cf_upload_links(context, link, count, &address))
      return false;
   CF_EMIT(&context->batch, GEOMETRY_INPUTS, geometry_inputs, .count = count, .address = address);
   return true;
}

/* Link fragments to the last program before rasterisation. */
static bool
cf_emit_link(struct cf_context *context, const struct cf_binary *vertex,
             const struct cf_binary *fragment)
{
   const struct cf_shader_object *last = cf_last_vertex_shader(context);
   struct cf_link link[CF_MAX_VARYING_SLOTS];
   struct cf_clip_link clip;
   const unsigned count =
      cf_link_programs(vertex, fragment, context->raster, last->clip_distances, link, &clip);
   uint64_t address = 0;

   if (!cf_upload_links(context, link, count, &address))
      return false;
   CF_EMIT(&context->batch, VARYINGS, varyings, .count = count, .address = address);
   if (memcmp(&clip, &context->clip_link, sizeof(clip)) != 0) {
      context->clip_link = clip;
      cf_emit_clip_planes(context);
   }
   return true;
}

static bool
cf_emit_programs(struct cf_context *context)
{
   const struct cf_shader_object *last = cf_last_vertex_shader(context);
   const struct cf_binary *binary[CF_STAGES] = { NULL };

   for (unsigned stage = 0; stage < CF_STAGES; stage++) {
      struct cf_shader_object *shader = context->stage[stage].shader;
      const bool fragment = stage == CF_SHADER_STAGE_FRAGMENT;
      if (!shader) {
         CF_EMIT(&context->batch, SHADER, shader, .stage = stage);
         continue;
      }
      const struct cf_variant *variant =
         cf_shader_variant(context, shader, fragment && context->raster->flat_shade);
      if (!variant || (shader == last && !cf_emit_feedback(context, shader->nir, variant)))
         return false;
      binary[stage] = variant->binary;
      cf_batch_use(&context->batch, variant->buffer, CF_ACCESS_READ);
      CF_EMIT(&context->batch, SHADER, shader, .stage = stage,
              .program = variant->buffer->bo.address);
   }
   const struct cf_binary *vertex = binary[CF_SHADER_STAGE_VERTEX],
                          *geometry = binary[CF_SHADER_STAGE_GEOMETRY];
   return (!geometry || cf_emit_geometry_inputs(context, vertex, geometry)) &&
          cf_emit_link(context, geometry ? geometry : vertex, binary[CF_SHADER_STAGE_FRAGMENT]);
}

/* Size of the binding, clamped to its buffer. */
static uint32_t
cf_constants_size_B(const struct pipe_constant_buffer *cb)
{
   uint32_t size_B = cb->buffer_size;
   if (cb->buffer && !cb->user_buffer) {
      const uint32_t whole_B = cb->buffer->width0;
      size_B = MIN2(size_B, whole_B - MIN2(cb->buffer_offset, whole_B));
   }
   return ROUND_DOWN_TO(size_B, 4);
}

static bool
cf_emit_constants(struct cf_context *context, enum cf_shader_stage stage)
{
   struct cf_stage_bindings *bindings = &context->stage[stage];

   u_foreach_bit(bank, bindings->constants_dirty)
   {
      const struct pipe_constant_buffer *cb = &bindings->constants[bank];
      const uint32_t size_B = cf_constants_size_B(cb);
      uint64_t address = 0;

      if (cb->user_buffer && size_B) {
         address = cf_batch_upload_data(
            &context->batch, (const uint8_t *)cb->user_buffer + cb->buffer_offset, size_B);
         if (!address)
            return false;
      } else if (cb->buffer && size_B) {
         const struct cf_buffer *buffer =
            cf_resource_use(&context->batch, cf_resource(cb->buffer), CF_ACCESS_READ);
         address = buffer->bo.address + cb->buffer_offset;
      }
      CF_EMIT(&context->batch, CONSTANTS, constants, .stage = stage, .bank = bank,
              .size_B = address ? size_B : 0, .address = address);
   }
   bindings->constants_dirty = 0;
   return true;
}

/* ------------------------------------------------------------------ textures */

/* The texture descriptor, uploaded once per batch and address. */
static uint64_t
cf_upload_view(struct cf_context *context, struct cf_sampler_view_object *view)
{
   struct cf_batch *batch = &context->batch;
   const struct cf_buffer *buffer =
      cf_resource_use(batch, cf_resource(view->base.texture), CF_ACCESS_READ);
   const uint64_t address = buffer->bo.address + view->offset_B;

   if (view->batch_id != batch->id || view->texture.address != address || !view->address) {
      uint32_t *dw = cf_batch_upload(batch, 4 * CF_TEXTURE_DWORDS, &view->address, NULL);
      if (!dw)
         return view->address = 0;
      view->texture.address = address;
      cf_texture_pack(dw, &view->texture);
      view->batch_id = batch->id;
   }
   return view->address;
}

/* The sampler descriptor, uploaded once per batch. */
static uint64_t
cf_upload_sampler(struct cf_context *context, struct cf_sampler_object *sampler)
{
   struct cf_batch *batch = &context->batch;

   if (sampler->batch_id != batch->id || !sampler->address) {
      sampler->address = cf_batch_upload_data(batch, sampler->dw, sizeof(sampler->dw));
      sampler->batch_id = batch->id;
   }
   return sampler->address;
}

/* What a unit samples with. NULL: nothing. */
static struct cf_sampler_object *
cf_sampler_of(struct cf_context *context, const struct cf_stage_bindings *bindings, unsigned unit)
{
   if (bindings->buffer_views & BITFIELD_BIT(unit))
      return &context->buffer_sampler;
   return unit < bindings->sampler_count ? bindings->samplers[unit] : NULL;
}

static bool
cf_emit_textures(struct cf_context *context, enum cf_shader_stage stage)
{
   struct cf_stage_bindings *bindings = &context->stage[stage];
   const uint32_t units = bindings->view_count;

   for (unsigned unit = 0; unit < MAX2(units, bindings->units_sent); unit++) {
      struct cf_sampler_view_object *view =
         unit < units ? (struct cf_sampler_view_object *)bindings->views[unit] : NULL;
      struct cf_sampler_object *sampler = cf_sampler_of(context, bindings, unit);
      uint64_t texture_address = 0, sampler_address = 0;

      if (view && !sampler && unit < bindings->sampler_count)
         return cf_no_memory(context); /* none could be made */
      if (view && sampler) {
         texture_address = cf_upload_view(context, view);
         sampler_address = cf_upload_sampler(context, sampler);
         if (!texture_address || !sampler_address)
            return false;
      }
      CF_EMIT(&context->batch, BIND_TEXTURE, bind_texture, .stage = stage, .unit = unit,
              .texture = texture_address, .sampler = sampler_address);
   }
   bindings->units_sent = units;
   return true;
}

/* ------------------------------------------------------------------ all state */

/* Mark bindings dirty if buffers or textures were renamed since their addresses were sent. */
static void
cf_note_renames(struct cf_context *context)
{
   const uint32_t texture_count = p_atomic_read(&context->screen->texture_rename_count);
   if (texture_count != context->texture_rename_count)
      context->dirty |= CF_DIRTY_ALL_TEXTURES;
   context->texture_rename_count = texture_count;

   const uint32_t count = p_atomic_read(&context->screen->rename_count);
   if (count == context->rename_count)
      return;
   context->rename_count = count;
   context->dirty |= CF_DIRTY_VERTEX | CF_DIRTY_ALL_CONSTANTS;
   for (unsigned stage = 0; stage < CF_STAGES; stage++) {
      context->stage[stage].constants_dirty |= context->stage[stage].constants_bound;
      if (context->stage[stage].buffer_views)
         context->dirty |= CF_DIRTY_TEXTURES << stage;
   }
}

static bool
cf_emit_pointed_state(struct cf_context *context, uint32_t dirty)
{
   bool ok = true;

   if (dirty & CF_DIRTY_VERTEX)
      ok = ok && cf_emit_vertices(context);
   if (dirty & (CF_DIRTY_PROGRAMS | CF_DIRTY_FEEDBACK))
      ok = ok && cf_emit_programs(context);
   for (unsigned stage = 0; stage < CF_STAGES; stage++) {
      if (dirty & CF_DIRTY_CONSTANTS << stage)
         ok = ok && cf_emit_constants(context, stage);
      if (dirty & CF_DIRTY_TEXTURES << stage)
         ok = ok && cf_emit_textures(context, stage);
   }
   return ok;
}

static void
cf_emit_small_state(struct cf_context *context, uint32_t dirty)
{
   struct cf_batch *batch = &context->batch;

   if (dirty & CF_DIRTY_VIEWPORT)
      cf_emit_viewport(context);
   if (dirty & CF_DIRTY_SCISSOR)
      cf_emit_scissor(context);
   if (dirty & CF_DIRTY_RASTER)
      cf_batch_emit_packed(batch, context->raster->dw, CF_RASTER_DWORDS);
   if (dirty & CF_DIRTY_DEPTH_STENCIL)
      cf_batch_emit_packed(batch, context->depth_stencil->dw, CF_DEPTH_STENCIL_DWORDS);
   if (dirty & CF_DIRTY_STENCIL_REF)
      CF_EMIT(batch, STENCIL_REF, stencil_ref, .front = context->stencil_ref.ref_value[0],
              .back = context->stencil_ref.ref_value[1]);
   if (dirty & CF_DIRTY_BLEND)
      cf_emit_blend(context);
   if (dirty & CF_DIRTY_BLEND_COLOR)
      cf_emit_blend_color(context);
   if (dirty & CF_DIRTY_SAMPLE_MASK)
      CF_EMIT(batch, SAMPLE_MASK, sample_mask, .mask = context->sample_mask & 0xffff);
   if (dirty & CF_DIRTY_STIPPLE)
      cf_emit_stipple(context);
   if (dirty & CF_DIRTY_CLIP)
      cf_emit_clip_planes(context);
}

bool
cf_emit_state(struct cf_context *context)
{
   cf_note_renames(context);
   cf_emit_framebuffer(context);

   const uint32_t dirty = context->dirty;
   cf_emit_small_state(context, dirty);
   /* state that could not be sent stays dirty */
   context->dirty = dirty & (CF_DIRTY_VERTEX | CF_DIRTY_PROGRAMS | CF_DIRTY_FEEDBACK |
                             CF_DIRTY_ALL_CONSTANTS | CF_DIRTY_ALL_TEXTURES);
   if (!cf_emit_pointed_state(context, dirty))
      return false;
   context->dirty = 0;
   return true;
}
