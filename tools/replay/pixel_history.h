/* SPDX-License-Identifier: MIT */
/*
 * The history of a pixel, told by an observer: an event for each clear of it, each copy to it, and
 * each of its fragments at each sample, with draw, primitive, fate (written, or the test that
 * failed), and the pixel before and after. Images are named by the addresses of their pixels.
 */
#ifndef PIXEL_HISTORY_H
#define PIXEL_HISTORY_H

#include <pthread.h>
#include <stdio.h>

#include <jansson.h>

#include "clipfree/interface/cf_observer.h"

/* A draw or a clear of the current submission. */
struct pixel_history_draw {
   uint64_t packet;
   uint32_t frame; /* index in pixel_history.frame */
};

/* The images of a frame buffer, by the addresses of their pixels; depth and stencil last; 0:
 * none. */
struct pixel_history_frame {
   uint64_t image[CF_MAX_COLOR_TARGETS + 1];
};

/* The observer's state. Pixel (x_px, y_px) of every image is followed. Callers set the pixel
 * and where events go; the rest must be 0. */
struct pixel_history {
   FILE *file;     /* a line for each event, if there is no array: */
   json_t *events; /* the array that gets them (docs/schemas/replay-run.schema.json); NULL: none */
   uint32_t x_px, y_px;
   pthread_mutex_t lock; /* packet events come while earlier packets are still worked on */
   pthread_mutex_t telling;
   struct pixel_history_draw *draw;
   struct pixel_history_frame *frame;
   uint32_t draws, frames, draw_capacity, frame_capacity;
};

/** An observer that tells events as they come. `history` must outlive it. */
struct cf_observer pixel_history_observer(struct pixel_history *history);

/** Free the observer's records. */
void pixel_history_end(struct pixel_history *history);

#endif
