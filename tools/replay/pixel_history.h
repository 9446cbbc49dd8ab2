/* SPDX-License-Identifier: MIT */
/*
 * The history of a pixel, for people: a line for each clear, and for each fragment at each sample,
 * with the draw and the primitive, what became of it and why, and the pixel before and after.
 */
#ifndef PIXEL_HISTORY_H
#define PIXEL_HISTORY_H

#include <stdio.h>

#include "clipfree/interface/cf_observer.h"

/* Which pixel, of whatever surface a draw renders to. */
struct pixel_history {
   FILE *file;
   unsigned long x_px, y_px;
};

/** Reads "X,Y". False: that it is not. */
bool pixel_history_parse(const char *text, struct pixel_history *history);

/** Prints events as they come; those of one pixel come from one thread at a time. `history` stays.
 */
struct cf_observer pixel_history_observer(struct pixel_history *history);

#endif
