/* SPDX-License-Identifier: MIT */
/*
 * Pictures to X11 windows from shared memory that stays attached to the X server.
 *
 * Mesa's own path attaches the segment for every frame, so that the server faults in each of its
 * pages again. Here it is attached once, and pictures alternate between two segments: the GPU
 * writes to one while the server still reads the other.
 */
#ifndef CLIPFREE_X11_H
#define CLIPFREE_X11_H

#include <stdbool.h>
#include <stdint.h>

#define CF_X11_IMAGES 2

struct cf_picture;
struct pipe_box;

struct cf_x11;       /* a screen's */
struct cf_x11_chain; /* two segments, and the window that they were attached for */

/** NULL: out of memory. */
struct cf_x11 *cf_x11_create(void);
/** Sends nothing: the connection may be gone. */
void cf_x11_destroy(struct cf_x11 *x11);

/** For System V segments, by their ids. NULL: out of memory. */
struct cf_x11_chain *cf_x11_chain_create(const int shmid[CF_X11_IMAGES]);

/** Let the server forget the segments at once: the window is about to go, its connection still
 * there. */
void cf_x11_chain_detach(struct cf_x11 *x11, struct cf_x11_chain *chain);

/** Let the server forget the segments, when there is next something to send. */
void cf_x11_chain_drop(struct cf_x11 *x11, struct cf_x11_chain *chain);

/** Put a picture, which begins with segment `image`, on a drawable of Mesa's DRI frontend; with
 * boxes, only those of it. The order of requests on the application's connection is that of the
 * calls. Returns once the server has read the other segment. A window that is gone gets nothing.
 * False: nothing was done, the drawable is none of X11's or shares no memory. */
bool cf_x11_put(struct cf_x11 *x11, struct cf_x11_chain *chain, unsigned image, void *drawable,
                const struct cf_picture *picture, unsigned nboxes, const struct pipe_box *boxes);

/** Read what a drawable of Mesa's DRI frontend shows, as far as it and `rows` both reach, to rows of pixels. Waits. False: the
 * rows are as they were; the drawable is none of X11's, is gone, not visible as a whole, or has pixels of another size. */
bool cf_x11_get(void *drawable, const struct cf_picture *picture, void *rows);

/** The size of the window that a picture was put on last, without a question to the server, which
 * it would answer only when it has copied that picture: a change is known once something that the
 * server sent after it has been read. False: not known. */
bool cf_x11_size(struct cf_x11_chain *chain, int *width_px, int *height_px);

#endif
