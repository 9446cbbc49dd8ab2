/* SPDX-License-Identifier: MIT */
/* A copy with an observer: the same result as without, and a callback for each memory access. */
#ifndef CF_SURFACE_WATCH_H
#define CF_SURFACE_WATCH_H

#include "clipfree/interface/cf_observer.h"
#include "clipfree/memory/cf_surface.h"

struct cf_copy_watch {
   void *user;
   /** A touch of pixels of one of the two images; see struct cf_touch_event. */
   void (*touch)(void *user, const struct cf_image *image, enum cf_touch touch,
                 const struct cf_rect *pixels);
};

/** cf_image_copy, or with a mask cf_image_copy_bits. */
void cf_image_copy_watched(struct cf_image_at source, struct cf_image_at destination,
                           uint32_t width_px, uint32_t height_px, const uint32_t *mask,
                           const struct cf_copy_watch *watch);

#endif
