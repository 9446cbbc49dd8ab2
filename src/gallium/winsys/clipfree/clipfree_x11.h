/* SPDX-License-Identifier: MIT */
/*
 * Presentation to X11 windows from shared memory that stays attached to the X server.
 *
 * Mesa's own path attaches the segment for every frame, so that the server takes a page fault for
 * each page. Here segments are attached once, and pictures alternate between two of them: the GPU
 * writes to one while the server still reads the other.
 */
#ifndef CLIPFREE_X11_H
#define CLIPFREE_X11_H

#include <stdbool.h>
#include <stdint.h>

#define CF_X11_IMAGES 2

struct cf_picture;
struct pipe_box;

struct cf_x11;       /* one per screen */
struct cf_x11_chain; /* two segments, and the window to which they are attached */

/** NULL: out of memory. */
struct cf_x11 *cf_x11_create(void);
/** Sends no requests: the connection may be closed. */
void cf_x11_destroy(struct cf_x11 *x11);

/** Create a chain of segments of these descriptors, which stay the caller's. NULL: out of memory.
 */
struct cf_x11_chain *cf_x11_chain_create(const int file[CF_X11_IMAGES]);

/** Detach the segments at once: the window is about to be destroyed, its connection is still
 * open. */
void cf_x11_chain_detach(struct cf_x11 *x11, struct cf_x11_chain *chain);

/** Destroy the chain; its segments are detached when requests are next sent. */
void cf_x11_chain_drop(struct cf_x11 *x11, struct cf_x11_chain *chain);

/** Put the picture in segment `image` on a drawable of Mesa's DRI frontend; with boxes, only those.
 * Requests are sent on the application's connection in the order of calls. Returns once the server
 * has read the other segment. Does nothing for a destroyed window. False: nothing was done, the
 * drawable is not X11's or cannot share memory. */
bool cf_x11_put(struct cf_x11 *x11, struct cf_x11_chain *chain, unsigned image, void *drawable,
                const struct cf_picture *picture, unsigned nboxes, const struct pipe_box *boxes);

/** Send the picture to a drawable of Mesa's DRI frontend through the socket, where no memory is
 * shared; with boxes, only those. Waits for the drawable's depth. Does nothing for a destroyed
 * window. False: the drawable is not X11's, or out of memory. */
bool cf_x11_send(void *drawable, const struct cf_picture *picture, unsigned nboxes,
                 const struct pipe_box *boxes);

/** Read the displayed pixels of a drawable of Mesa's DRI frontend to `rows`, where both overlap.
 * Waits. False: `rows` is unchanged; the drawable is not X11's, is destroyed, not wholly visible,
 * or has another pixel size. */
bool cf_x11_get(void *drawable, const struct cf_picture *picture, void *rows);

/** The size of the last window that a picture was put on, from events alone: a request would be
 * answered only after the server has copied that picture. A change is seen once anything that the
 * server sent later was read. False: not known. */
bool cf_x11_size(struct cf_x11_chain *chain, int *width_px, int *height_px);

#endif
