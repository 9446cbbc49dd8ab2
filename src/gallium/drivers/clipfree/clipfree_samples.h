/* SPDX-License-Identifier: MIT */
/*
 * Multisampled rendering to textures of one sample (EXT_multisampled_render_to_texture). Such a
 * surface has an additional image of CF_SAMPLES samples, which is bound in place of its texture:
 * filled from the texture before a draw if the texture was written otherwise since it was resolved,
 * and resolved to it before any other access. So what is drawn does not depend on when somebody
 * else's frame buffer is bound in between, as browsers do that draw several pages in turn.
 */
#ifndef CLIPFREE_SAMPLES_H
#define CLIPFREE_SAMPLES_H

#include "pipe/p_state.h"

struct cf_context;

struct cf_surface_object {
   struct pipe_surface base;
   struct pipe_resource *samples; /* render target; NULL: the texture itself */
   bool loaded;                   /* the samples were filled */
   /* the samples were drawn to, and not resolved to the texture yet */
   bool unstored;
   uint64_t store_mark; /* cf_buffer.write_mark of the texture after the last store to it */
};

static inline struct cf_surface_object *
cf_surface_object(struct pipe_surface *surface)
{
   return (struct cf_surface_object *)surface;
}

/** Allocate a new surface's image of samples if it needs one. False: out of memory. */
bool cf_surface_init_samples(struct cf_surface_object *surface);

/** The resource, level and layer that drawing to the surface writes. */
struct pipe_resource *cf_surface_target(struct pipe_surface *surface, unsigned *level,
                                        unsigned *layer);

/** Samples per pixel of the bound frame buffer: 1 or CF_SAMPLES. */
uint32_t cf_framebuffer_samples(const struct pipe_framebuffer_state *framebuffer);

/** Before drawing to the bound frame buffer: fill samples from their textures if they were not
 * filled, or if the texture was written since they were resolved. `cleared`: PIPE_CLEAR_* buffers
 * that are about to be cleared wholly, and need no filling. */
void cf_samples_load(struct cf_context *context, unsigned cleared);

/** Before any other access to the textures of the bound frame buffer, or another one is bound:
 * resolve samples that were drawn to. */
void cf_samples_store(struct cf_context *context);

#endif
