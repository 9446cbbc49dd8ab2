/* SPDX-License-Identifier: MIT */
/*
 * Bindings: frame buffer, vertex buffers and elements, constants, sampler views.
 */
#include "util/format/u_format.h"
#include "util/u_framebuffer.h"
#include "util/u_helpers.h"
#include "util/u_memory.h"

#include "clipfree/interface/cf_limits.h"

#include "clipfree_context.h"
#include "clipfree_format.h"
#include "clipfree_present.h"
#include "clipfree_resource.h"
#include "clipfree_samples.h"
#include "clipfree_screen.h"

/* ------------------------------------------------------------------ frame buffer, vertices,
 * constants */

static void
cf_set_framebuffer_state(struct pipe_context *pcontext, const struct pipe_framebuffer_state *s)
{
   struct cf_context *context = cf_context(pcontext);
   cf_samples_store(context);
   util_copy_framebuffer_state(&context->framebuffer, s);
   /* without scissor test the scissor is the frame buffer */
   context->dirty |= CF_DIRTY_FRAMEBUFFER | CF_DIRTY_SCISSOR | CF_DIRTY_BLEND;
}

static void
cf_set_vertex_buffers(struct pipe_context *pcontext, unsigned count,
                      const struct pipe_vertex_buffer *buffers)
{
   struct cf_context *context = cf_context(pcontext);
   util_set_vertex_buffers_count(context->vertex_buffers, &context->vertex_buffer_count, buffers,
                                 count, true);
   context->client.buffers = 0;
   for (unsigned i = 0; i < count; i++)
      context->client.buffers |= buffers[i].is_user_buffer ? BITFIELD_BIT(i) : 0;
   context->client.first_vertex = 0;
   context->dirty |= CF_DIRTY_VERTEX;
}

static void *
cf_create_vertex_elements(struct pipe_context *pcontext, unsigned count,
                          const struct pipe_vertex_element *elements)
{
   struct cf_vertex_elements_object *object = CALLOC_STRUCT(cf_vertex_elements_object);
   if (!object)
      return cf_no_memory(cf_context(pcontext));
   object->count = count;
   memcpy(object->element, elements, count * sizeof(*elements));
   for (unsigned i = 0; i < count; i++)
      object->format[i] = cf_format_from_pipe(elements[i].src_format);
   return object;
}

static void
cf_bind_vertex_elements(struct pipe_context *pcontext, void *object)
{
   struct cf_context *context = cf_context(pcontext);
   context->elements = object;
   cf_client_arrays_end(&context->client);
   context->dirty |= CF_DIRTY_VERTEX;
}

static void
cf_delete_vertex_elements(struct pipe_context *pcontext, void *object)
{
   FREE(object);
}

static void
cf_set_constant_buffer(struct pipe_context *pcontext, enum pipe_shader_type shader, unsigned index,
                       bool take_ownership, const struct pipe_constant_buffer *buffer)
{
   struct cf_context *context = cf_context(pcontext);
   const enum cf_shader_stage stage = cf_stage_of(shader);
   struct cf_stage_bindings *bindings = &context->stage[stage];

   util_copy_constant_buffer(&bindings->constants[index], buffer, take_ownership);
   if (buffer && (buffer->buffer || buffer->user_buffer))
      bindings->constants_bound |= BITFIELD_BIT(index);
   else
      bindings->constants_bound &= ~BITFIELD_BIT(index);
   bindings->constants_dirty |= BITFIELD_BIT(index);
   context->dirty |= CF_DIRTY_CONSTANTS << stage;
}

/* ------------------------------------------------------------------ sampler views */

static const uint8_t cf_texture_kind_by_pipe[] = {
   [PIPE_BUFFER] = CF_TEXTURE_KIND_BUFFER,
   [PIPE_TEXTURE_1D] = CF_TEXTURE_KIND_T1D,
   [PIPE_TEXTURE_3D] = CF_TEXTURE_KIND_T3D,
   [PIPE_TEXTURE_CUBE] = CF_TEXTURE_KIND_CUBE,
   [PIPE_TEXTURE_RECT] = CF_TEXTURE_KIND_RECT,
   [PIPE_TEXTURE_1D_ARRAY] = CF_TEXTURE_KIND_T1D_ARRAY,
   [PIPE_TEXTURE_2D_ARRAY] = CF_TEXTURE_KIND_T2D_ARRAY,
   [PIPE_TEXTURE_CUBE_ARRAY] = CF_TEXTURE_KIND_CUBE_ARRAY,
   [PIPE_TEXTURE_2D] = CF_TEXTURE_KIND_T2D,
};

static const uint8_t cf_swizzle_by_pipe[] = {
   [PIPE_SWIZZLE_X] = CF_SWIZZLE_X,       [PIPE_SWIZZLE_Y] = CF_SWIZZLE_Y,
   [PIPE_SWIZZLE_Z] = CF_SWIZZLE_Z,       [PIPE_SWIZZLE_W] = CF_SWIZZLE_W,
   [PIPE_SWIZZLE_1] = CF_SWIZZLE_ONE,     [PIPE_SWIZZLE_0] = CF_SWIZZLE_ZERO,
   [PIPE_SWIZZLE_NONE] = CF_SWIZZLE_ZERO,
};

/* The part of a buffer that a view shows, as far as the buffer goes. */
static struct cf_texture
cf_texture_of_buffer(const struct cf_resource *resource, const struct pipe_sampler_view *v)
{
   const uint8_t asked[4] = { v->swizzle_r, v->swizzle_g, v->swizzle_b, v->swizzle_a };
   uint8_t swizzle[4];
   const enum cf_format format = cf_buffer_format_from_pipe(v->format, asked, swizzle);
   const uint32_t whole_B = resource->base.width0, offset_B = MIN2(v->u.buf.offset, whole_B),
                  pixel_B = cf_format_info_of(format)->pixel_B;
   const uint64_t most_B = (uint64_t)CF_MAX_BUFFER_TEXELS * pixel_B;

   return (struct cf_texture){
      .size_B = MIN3(v->u.buf.size, whole_B - offset_B, most_B),
      .format = format,
      .kind = CF_TEXTURE_KIND_BUFFER,
      .swizzle_r = cf_swizzle_by_pipe[swizzle[0]],
      .swizzle_g = cf_swizzle_by_pipe[swizzle[1]],
      .swizzle_b = cf_swizzle_by_pipe[swizzle[2]],
      .swizzle_a = cf_swizzle_by_pipe[swizzle[3]],
      .layout = CF_LAYOUT_LINEAR,
   };
}

static struct cf_texture
cf_texture_of_view(const struct cf_resource *resource, const struct pipe_sampler_view *v)
{
   const bool is_3d = v->target == PIPE_TEXTURE_3D;
   struct cf_texture texture = {
      .size_B = resource->texels_B,
      .format = cf_format_from_pipe(v->format),
      .kind = cf_texture_kind_by_pipe[v->target],
      .swizzle_r = cf_swizzle_by_pipe[v->swizzle_r],
      .swizzle_g = cf_swizzle_by_pipe[v->swizzle_g],
      .swizzle_b = cf_swizzle_by_pipe[v->swizzle_b],
      .swizzle_a = cf_swizzle_by_pipe[v->swizzle_a],
      .layout = CF_LAYOUT_BLOCKS,
      .width_px = resource->base.width0,
      .height_px = resource->base.height0,
      .depth_px = resource->base.depth0,
      .layers = is_3d ? 1 : v->u.tex.last_layer - v->u.tex.first_layer + 1,
      .first_level = v->u.tex.first_level,
      .last_level = v->u.tex.last_level,
      .samples = cf_resource_samples(resource),
      .first_layer = is_3d ? 0 : v->u.tex.first_layer,
   };
   for (unsigned l = 0; l <= resource->base.last_level; l++) {
      texture.level_offset_B[l] = resource->level[l].offset_B;
      texture.level_row_pitch_B[l] = resource->level[l].row_pitch_B;
      texture.level_layer_pitch_B[l] = resource->level[l].image_pitch_B;
   }
   return texture;
}

static struct pipe_sampler_view *
cf_create_sampler_view(struct pipe_context *pcontext, struct pipe_resource *presource,
                       const struct pipe_sampler_view *templat)
{
   struct cf_sampler_view_object *view = CALLOC_STRUCT(cf_sampler_view_object);
   const bool is_3d = templat->target == PIPE_TEXTURE_3D;
   if (!view)
      return cf_no_memory(cf_context(pcontext));

   cf_present_read_in(cf_context(pcontext), cf_resource(presource));
   view->base = *templat;
   view->base.context = pcontext;
   view->base.texture = NULL;
   pipe_reference_init(&view->base.reference, 1);
   pipe_resource_reference(&view->base.texture, presource);
   if (templat->target == PIPE_BUFFER) {
      view->texture = cf_texture_of_buffer(cf_resource(presource), &view->base);
      view->offset_B = templat->u.buf.offset;
      return &view->base;
   }
   view->texture = cf_texture_of_view(cf_resource(presource), &view->base);
   view->first_image = is_3d ? 0 : templat->u.tex.first_layer;
   view->last_image = is_3d ? UINT32_MAX : templat->u.tex.last_layer;
   return &view->base;
}

static void
cf_sampler_view_destroy(struct pipe_context *pcontext, struct pipe_sampler_view *view)
{
   pipe_resource_reference(&view->texture, NULL);
   FREE(view);
}

/* Note which units have buffers: their addresses change when buffers are renamed. */
static void
cf_note_buffer_views(struct cf_stage_bindings *bindings)
{
   bindings->buffer_views = 0;
   for (unsigned i = 0; i < bindings->view_count; i++) {
      if (bindings->views[i] && bindings->views[i]->target == PIPE_BUFFER)
         bindings->buffer_views |= BITFIELD_BIT(i);
   }
}

static void
cf_set_sampler_views(struct pipe_context *pcontext, enum pipe_shader_type shader, unsigned start,
                     unsigned count, unsigned unbind_trailing, bool take_ownership,
                     struct pipe_sampler_view **views)
{
   struct cf_context *context = cf_context(pcontext);
   const enum cf_shader_stage stage = cf_stage_of(shader);
   struct cf_stage_bindings *bindings = &context->stage[stage];

   for (unsigned i = 0; i < count; i++) {
      struct pipe_sampler_view **bound = &bindings->views[start + i];
      struct pipe_sampler_view *view = views ? views[i] : NULL;
      if (take_ownership) {
         pipe_sampler_view_reference(bound, NULL);
         *bound = view;
      } else {
         pipe_sampler_view_reference(bound, view);
      }
   }
   for (unsigned i = 0; i < unbind_trailing; i++)
      pipe_sampler_view_reference(&bindings->views[start + count + i], NULL);

   bindings->view_count = MAX2(bindings->view_count, start + count);
   while (bindings->view_count && !bindings->views[bindings->view_count - 1])
      bindings->view_count--;
   cf_note_buffer_views(bindings);
   context->dirty |= CF_DIRTY_TEXTURES << stage;
}

void
cf_context_init_bindings(struct cf_context *context)
{
   struct pipe_context *c = &context->base;

   c->set_framebuffer_state = cf_set_framebuffer_state;
   c->set_vertex_buffers = cf_set_vertex_buffers;
   c->create_vertex_elements_state = cf_create_vertex_elements;
   c->bind_vertex_elements_state = cf_bind_vertex_elements;
   c->delete_vertex_elements_state = cf_delete_vertex_elements;
   c->set_constant_buffer = cf_set_constant_buffer;
   c->create_sampler_view = cf_create_sampler_view;
   c->sampler_view_destroy = cf_sampler_view_destroy;
   c->set_sampler_views = cf_set_sampler_views;
}
