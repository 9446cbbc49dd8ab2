/* SPDX-License-Identifier: MIT */
/*
 * The winsys: creates the GPU and presents pictures. Knows neither state nor shaders.
 */
#ifndef CLIPFREE_WINSYS_H
#define CLIPFREE_WINSYS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/format/u_formats.h"

#include "clipfree/command/cf_model.h"


struct cf_winsys;
struct cf_x11_chain;
struct pipe_box;
struct sw_displaytarget;
struct sw_winsys;

/* A linear picture. */
struct cf_picture {
   const void *pixels;
   uint32_t row_pitch_B;
   uint32_t width_px, height_px;
   enum pipe_format format;
};

/** Create the GPU that the environment selects (clipfree_options.h); `asked`: configuration of
 * everything that it does not decide. NULL: *error says why, and lists the possible values. */
struct cf_gpu *cf_winsys_create_gpu(const struct cf_model_config *asked, const char **error);
void cf_winsys_destroy_gpu(struct cf_gpu *gpu);

/** Create the winsys, which presents through sws and implements CLIPFREE_FRAMES and
 * CLIPFREE_FRAME_DUMP. NULL: out of memory or a wrong value, reported. */
struct cf_winsys *cf_winsys_create(struct sw_winsys *sws);
void cf_winsys_destroy(struct cf_winsys *winsys);

/** Copy a picture, or only its boxes if there are any, to a display target of the same size with
 * this row pitch. */
void cf_winsys_put(struct cf_winsys *winsys, struct sw_displaytarget *target, uint32_t row_pitch_B,
                   const struct cf_picture *picture, unsigned nboxes, const struct pipe_box *boxes);

/** Count a frame that the application displays by itself (GBM), like cf_winsys_display. */
void cf_winsys_count(struct cf_winsys *winsys, const struct cf_picture *picture);

/** Display a display target in a drawable: one frame. Exits the process after CLIPFREE_FRAMES
 * frames. */
void cf_winsys_display(struct cf_winsys *winsys, struct sw_displaytarget *target, void *drawable,
                       unsigned nboxes, struct pipe_box *boxes, const struct cf_picture *picture);

/** The same for a picture in segment `image` of a chain, which is the memory of `target`
 * (clipfree_x11.h). */
void cf_winsys_display_shared(struct cf_winsys *winsys, struct cf_x11_chain *chain, unsigned image,
                              struct sw_displaytarget *target, void *drawable, unsigned nboxes,
                              struct pipe_box *boxes, const struct cf_picture *picture);

/** A chain is no longer displayed; or: its window, which still exists, is about to be destroyed. */
void cf_winsys_drop(struct cf_winsys *winsys, struct cf_x11_chain *chain);
void cf_winsys_detach(struct cf_winsys *winsys, struct cf_x11_chain *chain);

#endif
