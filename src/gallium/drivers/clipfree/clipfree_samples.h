/* SPDX-License-Identifier: MIT */
/*
 * Drawing with several samples to textures of one (EXT_multisampled_render_to_texture). Such a surface has an image of
 * CF_SAMPLES samples beside its texture, which is bound in its place: filled from the texture before the first draw, and
 * resolved to it before anything else looks.
 */
#ifndef CLIPFREE_SAMPLES_H
#define CLIPFREE_SAMPLES_H

#include "pipe/p_state.h"

struct cf_context;

struct cf_surface_object {
   struct pipe_surface base;
   struct pipe_resource *samples; /* what is drawn to; NULL: the texture itself */
   bool loaded;                   /* the samples hold the picture, since it was bound */
   bool unstored;                 /* the texture does not show it yet */
   uint64_t store_batch;          /* cf_batch.id of the last store to the texture */
};

static inline struct cf_surface_object *
cf_surface_object(struct pipe_surface *surface)
{
   return (struct cf_surface_object *)surface;
}

/** Give a new surface its image of samples if it is to have one. False: out of memory. */
bool cf_surface_init_samples(struct cf_surface_object *surface);

/** The resource, and its level and layer, that drawing to the surface goes to. */
struct pipe_resource *cf_surface_target(struct pipe_surface *surface, unsigned *level, unsigned *layer);

/** Samples of a pixel of the bound frame buffer: 1 or CF_SAMPLES. */
uint32_t cf_framebuffer_samples(const struct pipe_framebuffer_state *framebuffer);

/** Before the bound frame buffer is drawn to: fill samples that do not hold the picture, or an older one than another context has
 * written to the texture since it was stored. `cleared`: PIPE_CLEAR_* buffers of which every pixel is about to be cleared. */
void cf_samples_load(struct cf_context *context, unsigned cleared);

/** Before anything but drawing looks at the textures of the bound frame buffer: resolve what was drawn. */
void cf_samples_store(struct cf_context *context);

/** The same, before anything writes to them, or another frame buffer is bound: the samples will be filled anew. */
void cf_samples_release(struct cf_context *context);

#endif
