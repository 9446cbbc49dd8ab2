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

/** cf_image_copy, or with a mask cf_image_copy_bits. */
void cf_image_copy_watched(struct cf_image_at source, struct cf_image_at destination,
                           uint32_t width_px, uint32_t height_px, const uint32_t *mask,
                           const struct cf_copy_watch *watch);

#endif
