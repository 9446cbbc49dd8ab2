/* SPDX-License-Identifier: MIT */
/* A copy that somebody watches: it does what any other does, and tells what it does with memory. */
#ifndef CF_SURFACE_WATCH_H
#define CF_SURFACE_WATCH_H

#include "clipfree/interface/cf_observer.h"
#include "clipfree/memory/cf_surface.h"

struct cf_copy_watch {
   void *user;
   /** See struct cf_touch_event: of pixels of one of the two images. */
   void (*touch)(void *user, const struct cf_image *image, enum cf_touch touch,
                 const struct cf_rect *pixels);
};

/** cf_image_copy of `to` of the destination from as many pixels of the source, whose first is
 * (from_x_px, from_y_px); with a mask cf_image_copy_bits. */
void cf_image_copy_watched(const struct cf_image *source, uint32_t from_x_px, uint32_t from_y_px,
                           const struct cf_image *destination, const struct cf_rect *to,
                           const uint32_t *mask, const struct cf_copy_watch *watch);

#endif
