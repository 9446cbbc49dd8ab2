/* SPDX-License-Identifier: MIT */
/*
 * Presentation: copies rendered pictures to display targets.
 */
#ifndef CLIPFREE_PRESENT_H
#define CLIPFREE_PRESENT_H

#include <stdbool.h>

struct cf_context;
struct cf_resource;
struct cf_screen;

/** Copy a resource to its display target. Waits. False: out of memory, or it has no display
 * target. */
bool cf_present_update(struct cf_context *context, struct cf_resource *resource);

/** Before the first use of an imported resource or of a front buffer: copy the foreign picture into
 * it. */
void cf_present_read_in(struct cf_context *context, struct cf_resource *resource);

/** The frame buffer is complete and likely to be presented next: record its copy in the submission
 * that renders it. */
void cf_present_prepare(struct cf_context *context);

/** End of a frame: count it if a shared resource was presented in it. */
void cf_present_end_frame(struct cf_context *context);

void cf_screen_init_present(struct cf_screen *screen);

#endif
