/* SPDX-License-Identifier: MIT */
/*
 * Where a window's pictures go that it shares with the X server: two display targets in turn,
 * written by the GPU itself.
 */
#ifndef CLIPFREE_SWAPCHAIN_H
#define CLIPFREE_SWAPCHAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "clipfree_x11.h"

struct cf_buffer;
struct cf_picture;
struct cf_resource;
struct cf_screen;
struct pipe_box;
struct sw_displaytarget;

struct cf_swap_image {
   struct sw_displaytarget *dt;
   uint32_t row_pitch_B;
   struct cf_buffer *rows; /* the GPU's view of dt */
   struct cf_buffer *tiles; /* what the GPU knows of them, by tile: it is not written again */
};

struct cf_swapchain {
   struct cf_screen *screen;
   struct cf_swap_image image[CF_X11_IMAGES]; /* dt of the first is the resource's */
   unsigned shown; /* the one that was displayed last; the GPU writes to others */
   struct cf_x11_chain *x11;
};

/** For a resource that is displayed in a window. NULL: its display targets are not shared memory,
 * or out of memory. */
struct cf_swapchain *cf_swapchain_create(struct cf_screen *screen,
                                         const struct cf_resource *resource);

/** Show the picture in image `image`, in a drawable of Mesa's DRI frontend; with boxes, only those
 * changed. One frame. */
void cf_swapchain_display(struct cf_swapchain *swapchain, unsigned image, void *drawable,
                          unsigned nboxes, struct pipe_box *boxes,
                          const struct cf_picture *picture);

void cf_swapchain_destroy(struct cf_swapchain *swapchain);

#endif
