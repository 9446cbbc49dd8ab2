/* SPDX-License-Identifier: MIT */
#include "clipfree_samples.h"

#include "util/format/u_format.h"
#include "util/macros.h"
#include "util/u_framebuffer.h"
#include "util/u_inlines.h"

#include "clipfree_context.h"
#include "clipfree_format.h"
#include "clipfree_resource.h"

bool
cf_surface_init_samples(struct cf_surface_object *surface)
{
   struct pipe_resource *texture = surface->base.texture;
   struct pipe_screen *screen = texture->screen;

   if (surface->base.nr_samples <= 1 || texture->nr_samples > 1)
      return true;
   const bool zs = util_format_is_depth_or_stencil(surface->base.format);
   const struct pipe_resource templat = {
      .target = PIPE_TEXTURE_2D,
      .format = surface->base.format,
      .width0 = surface->base.width,
      .height0 = surface->base.height,
      .depth0 = 1,
      .array_size = 1,
      .nr_samples = CF_SAMPLES,
      .nr_storage_samples = CF_SAMPLES,
      .bind = zs ? PIPE_BIND_DEPTH_STENCIL : PIPE_BIND_RENDER_TARGET,
   };
   surface->samples = screen->resource_create(screen, &templat);
   return surface->samples != NULL;
}

struct pipe_resource *
cf_surface_target(struct pipe_surface *surface, unsigned *level, unsigned *layer)
{
   struct pipe_resource *samples = cf_surface_object(surface)->samples;
   *level = samples ? 0 : surface->u.tex.level;
   *layer = samples ? 0 : surface->u.tex.first_layer;
   return samples ? samples : surface->texture;
}

uint32_t
cf_framebuffer_samples(const struct pipe_framebuffer_state *framebuffer)
{
   return util_framebuffer_get_num_samples(framebuffer) > 1 ? CF_SAMPLES : 1;
}

/* Copy between the texture and the samples. */
static void
cf_surface_copy(struct cf_context *context, struct cf_surface_object *surface, bool load)
{
   struct cf_batch *batch = &context->batch;
   const uint32_t both = CF_ACCESS_READ | CF_ACCESS_WRITE;
   const enum cf_format format = cf_format_from_pipe(surface->base.format);

   if (!cf_context_begin(context, CF_COPY_DWORDS))
      return;
   const uint64_t texture = cf_resource_upload_surface(
      batch, cf_resource(surface->base.texture), surface->base.u.tex.level,
      surface->base.u.tex.first_layer, format, both);
   const uint64_t samples =
      cf_resource_upload_surface(batch, cf_resource(surface->samples), 0, 0, format, both);
   if (texture && samples)
      CF_EMIT(batch, COPY, copy, .source = load ? texture : samples,
              .destination = load ? samples : texture, .width_px = surface->base.width,
              .height_px = surface->base.height);
}

/* Attachment i (colors, then depth-stencil), if it has an image of samples; else NULL. */
static struct cf_surface_object *
cf_attachment(struct cf_context *context, unsigned i)
{
   const struct pipe_framebuffer_state *fb = &context->framebuffer;
   struct pipe_surface *surface = i < fb->nr_cbufs ? fb->cbufs[i] : fb->zsbuf;
   return surface && cf_surface_object(surface)->samples ? cf_surface_object(surface) : NULL;
}

/* Whether the samples hold the current picture. */
static bool
cf_samples_are_current(const struct cf_surface_object *surface)
{
   if (!surface->loaded || surface->unstored)
      return surface->loaded;
   const struct cf_buffer *texture = cf_resource_buffer(cf_resource(surface->base.texture));
   return surface->store_mark == p_atomic_read(&texture->write_mark);
}

void
cf_samples_load(struct cf_context *context, unsigned cleared)
{
   for (unsigned i = 0; i <= context->framebuffer.nr_cbufs; i++) {
      struct cf_surface_object *surface = cf_attachment(context, i);
      const unsigned all =
         i == context->framebuffer.nr_cbufs ? PIPE_CLEAR_DEPTHSTENCIL : PIPE_CLEAR_COLOR0 << i;
      if (!surface)
         continue;
      const bool whole = (cleared & all) == all &&
                         surface->base.width <= context->framebuffer.width &&
                         surface->base.height <= context->framebuffer.height;
      if (!whole && !cf_samples_are_current(surface))
         cf_surface_copy(context, surface, true);
      surface->loaded = surface->unstored = true;
   }
}

void
cf_samples_store(struct cf_context *context)
{
   for (unsigned i = 0; i <= context->framebuffer.nr_cbufs; i++) {
      struct cf_surface_object *surface = cf_attachment(context, i);
      if (surface && surface->unstored) {
         cf_surface_copy(context, surface, false);
         struct cf_buffer *texture = cf_resource_buffer(cf_resource(surface->base.texture));
         cf_buffer_mark_write(texture);
         surface->store_mark = p_atomic_read(&texture->write_mark);
         surface->unstored = false;
      }
   }
}
