/* SPDX-License-Identifier: MIT */
/*
 * Swapchain of a window: two alternating display targets, shared with the X server and written by
 * the GPU itself.
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
   struct cf_buffer *rows; /* dt's memory, imported by the GPU */
   struct cf_buffer *tiles; /* tile states of `rows`: known tiles are not written again */
};

struct cf_swapchain {
   struct cf_screen *screen;
   struct cf_swap_image image[CF_X11_IMAGES]; /* the first image's dt is the resource's */
   unsigned shown; /* index of the image displayed last; the GPU writes to the other one */
   struct cf_x11_chain *x11;
};

/** Create the swapchain of a resource that is displayed in a window. NULL: its display targets are
 * not shared memory, or out of memory. */
struct cf_swapchain *cf_swapchain_create(struct cf_screen *screen,
                                         const struct cf_resource *resource);

/** Display image `image` in a drawable of Mesa's DRI frontend; with boxes, only those have changed.
 * Counts one frame. */
void cf_swapchain_display(struct cf_swapchain *swapchain, unsigned image, void *drawable,
                          unsigned nboxes, struct pipe_box *boxes,
                          const struct cf_picture *picture);

void cf_swapchain_destroy(struct cf_swapchain *swapchain);

#endif
