/* SPDX-License-Identifier: MIT */
/*
 * The history of a pixel as text: a line for each clear, and for each fragment at each sample, with
 * the draw and the primitive, its fate and why, and the pixel before and after.
 */
#ifndef PIXEL_HISTORY_H
#define PIXEL_HISTORY_H

#include <stdio.h>

#include "clipfree/interface/cf_observer.h"

/* The pixel, in any surface that a draw renders to. */
struct pixel_history {
   FILE *file;
   unsigned long x_px, y_px;
};

/** Parse "X,Y". False: malformed. */
bool pixel_history_parse(const char *text, struct pixel_history *history);

/** An observer that prints events as they come; those of one pixel come from one thread at a time.
 * `history` must outlive it. */
struct cf_observer pixel_history_observer(struct pixel_history *history);

#endif
