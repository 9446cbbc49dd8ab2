/* SPDX-License-Identifier: MIT */
/*
 * What of resources was ever written, for the sanitiser: draws are noted with the bytes of vertex
 * buffers and the texels that were written before them, where that is not all. Of a buffer, and of
 * each image of a texture, it is the smallest range or rectangle around all writes. What the GPU
 * draws or copies to an image counts as all of it.
 */
#ifndef CLIPFREE_FILLED_H
#define CLIPFREE_FILLED_H

#include <stdbool.h>

struct cf_context;
struct cf_note;
struct cf_resource;
struct cf_filled;
struct pipe_box;

/** Begin to track a texture, if notes are wanted; else, or without memory, all of it counts as
 * written. */
void cf_filled_init(struct cf_resource *texture);
void cf_filled_fini(struct cf_resource *texture);

/** A box of a level was written. */
void cf_filled_add(struct cf_resource *texture, unsigned level, const struct pipe_box *box);

/** An image was written. */
void cf_filled_add_image(struct cf_resource *texture, unsigned level, unsigned image);

/** An image was copied, or another was computed from it: that of what was never written is none. */
void cf_filled_add_copy(struct cf_resource *texture, unsigned level, unsigned image,
                        const struct cf_resource *source, unsigned source_level,
                        unsigned source_image);

/** Note what was written of the vertices and textures that the context's next draw reads. */
void cf_note_filled(struct cf_context *context, struct cf_note *note);

#endif
