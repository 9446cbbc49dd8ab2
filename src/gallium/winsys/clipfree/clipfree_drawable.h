/* SPDX-License-Identifier: MIT */
/*
 * Drawables of Mesa's DRI front end, as far as presenting needs them: whose window it is, which
 * buffers are in front, and who is asked about its size. Drawables are opaque to all others.
 */
#ifndef CLIPFREE_DRAWABLE_H
#define CLIPFREE_DRAWABLE_H

#include <stdbool.h>
#include <xcb/xcb.h>

struct pipe_resource;

/* Who displays a drawable's buffers past the front end. */
struct cf_drawable_watcher {
   /** The size in pixels of the window that `buffer` is displayed in. False: not known. */
   bool (*size)(struct pipe_resource *buffer, int *width_px, int *height_px);
   /** The drawable goes; the window that `buffer` is displayed in still exists. */
   void (*leave)(struct pipe_resource *buffer);
};

/** From now on the front end asks `watcher` for the size before the first draw of a frame (the back
 * buffer first, then the front buffer; the window system only where both do not know it), and tells
 * it, for each buffer, that the drawable goes. */
void cf_drawable_watch(void *drawable, const struct cf_drawable_watcher *watcher);

/** The front buffer, or the one of several samples. NULL: the drawable has none. */
struct pipe_resource *cf_drawable_front(const void *drawable, bool multisampled);

/** The window. False: it is none of X11's. */
bool cf_drawable_window(const void *drawable, xcb_connection_t **connection, xcb_window_t *window);

#endif
