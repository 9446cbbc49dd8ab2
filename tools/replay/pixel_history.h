/* SPDX-License-Identifier: MIT */
/*
 * The history of a pixel as text: a line for each clear and each copy to it, and for each fragment
 * at each sample, with the draw and the primitive, its fate and why, and the pixel before and
 * after. Images are named by the addresses of their pixels.
 */
#ifndef PIXEL_HISTORY_H
#define PIXEL_HISTORY_H

#include <pthread.h>
#include <stdio.h>

#include "clipfree/interface/cf_observer.h"

/* A draw or a clear of the current submission. */
struct pixel_history_draw {
   uint64_t packet;
   uint32_t frame; /* index in pixel_history.frame */
};

/* The images of a frame buffer: addresses of their pixels, depth and stencil last; 0: none. */
struct pixel_history_frame {
   uint64_t image[CF_MAX_COLOR_TARGETS + 1];
};

/* The pixel, in any image. Callers set `file` and the pixel, the rest is 0 at first. */
struct pixel_history {
   FILE *file;
   unsigned long x_px, y_px;
   pthread_mutex_t lock; /* packets are told beside the work of those before */
   struct pixel_history_draw *draw;
   struct pixel_history_frame *frame;
   uint32_t draws, frames, draw_capacity, frame_capacity;
};

/** Parse "X,Y". False: malformed. */
bool pixel_history_parse(const char *text, struct pixel_history *history);

/** An observer that prints events as they come. `history` must outlive it. */
struct cf_observer pixel_history_observer(struct pixel_history *history);

/** Frees what it has noted. */
void pixel_history_end(struct pixel_history *history);

#endif
