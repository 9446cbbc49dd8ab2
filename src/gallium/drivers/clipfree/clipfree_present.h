/* SPDX-License-Identifier: MIT */
/*
 * Presentation: rendered pictures to where they are displayed or shared.
 */
#ifndef CLIPFREE_PRESENT_H
#define CLIPFREE_PRESENT_H

#include <stdbool.h>

struct cf_context;
struct cf_resource;
struct cf_screen;

/** Copy a resource to its display target. Waits. False: out of memory, or there is nothing to show. */
bool cf_present_update(struct cf_context *context, struct cf_resource *resource);

/** Copy the picture of imported memory, or of the window whose front buffer it is, to the resource, before its first use. */
void cf_present_read_in(struct cf_context *context, struct cf_resource *resource);

/** The frame buffer is complete and likely to be presented next: let the GPU copy it in the submission
 *  that renders it. */
void cf_present_prepare(struct cf_context *context);

/** A frame ends: count it if something shared was brought up to date in it. */
void cf_present_end_frame(struct cf_context *context);

void cf_screen_init_present(struct cf_screen *screen);

#endif
