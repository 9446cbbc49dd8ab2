/* SPDX-License-Identifier: MIT */
/*
 * Drawables of Mesa's DRI front end, for presentation: their window, front buffer and size. They
 * are opaque to all other files.
 */
#ifndef CLIPFREE_DRAWABLE_H
#define CLIPFREE_DRAWABLE_H

#include <stdbool.h>
#include <xcb/xcb.h>

struct pipe_resource;

/* Callbacks of code that presents a drawable's buffers past the front end. */
struct cf_drawable_watcher {
   /** The size in pixels of the window that displays `buffer`. False: not known. */
   bool (*size)(struct pipe_resource *buffer, int *width_px, int *height_px);
   /** The drawable is being destroyed; the window that displays `buffer` still exists. */
   void (*leave)(struct pipe_resource *buffer);
};

/** Install `watcher`: the front end asks it for the size before the first draw of a frame (for the
 * back buffer, then the front buffer; the window system only if both do not know), and notifies it,
 * for each buffer, when the drawable is destroyed. */
void cf_drawable_watch(void *drawable, const struct cf_drawable_watcher *watcher);

/** The front buffer, or the multisampled one. NULL: none. */
struct pipe_resource *cf_drawable_front(const void *drawable, bool multisampled);

/** The drawable's X11 window. False: it has none. */
bool cf_drawable_window(const void *drawable, xcb_connection_t **connection, xcb_window_t *window);

#endif
