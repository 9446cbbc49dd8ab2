/* SPDX-License-Identifier: MIT */
/*
 * Two runs of each task, side by side: the program as it is, and the same program without its
 * roundings (fround), which has the values of highp. Both have the same instructions, so the first
 * result that differs is found by comparing registers after each one.
 *
 * Values part where they differ by more than 2 / 255 of the greater (at least of 1 / 16), where one
 * is not finite or the sign of an infinity differs, and where integers or conditions differ at all.
 */
#ifndef MEDIUMP_WATCH_H
#define MEDIUMP_WATCH_H

#include "clipfree/interface/cf_observer.h"

#define MEDIUMP_NO_PLACE UINT32_MAX

/* An instruction of a program at which something happened. */
struct mediump_place {
   uint64_t descriptor;
   uint32_t instr;
   enum cf_shader_stage stage;
   uint64_t parts;                    /* vertices or fragments that part here */
   float with, without;               /* values of the first: rounded, and without roundings */
   uint64_t overflows;                /* roundings of finite numbers to infinity, or out of lowp */
   float too_large;                   /* the number that was rounded so and is the largest */
   uint32_t draw, x_px, y_px, vertex; /* where it was first */
};

/* What the last fragment of a pixel did. */
struct mediump_pixel {
   uint32_t place; /* + 1, of mediump_watch_places; 0: its values agree */
   float with, without;
};

struct mediump_watch;

/** NULL: out of memory. */
struct mediump_watch *mediump_watch_open(void);
void mediump_watch_close(struct mediump_watch *watch);

/** The observer of the model that plays the capture, which has one thread. */
const struct cf_observer *mediump_watch_observer(struct mediump_watch *watch);

/** The places, in the order in which they were found. NULL: out of memory on the way. */
const struct mediump_place *mediump_watch_places(const struct mediump_watch *watch,
                                                 uint32_t *count);

/** The pixels of an image, row by row, by its address; NULL: no draw had it as color 0. */
const struct mediump_pixel *mediump_watch_pixels(const struct mediump_watch *watch, uint64_t image,
                                                 uint32_t *width_px, uint32_t *height_px);

#endif
