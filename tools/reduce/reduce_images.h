/* SPDX-License-Identifier: MIT */
/*
 * The memory of images that operations write, or copy from.
 */
#ifndef REDUCE_IMAGES_H
#define REDUCE_IMAGES_H

#include "reduce_case.h"

struct reduce_range {
   uint64_t address, size_B;
};

struct reduce_images {
   struct reduce_range *range; /* pixels, and tile states */
   uint32_t count, capacity;
};

/** Find the images of all operations; of those that are copied from, too. Free `range`. */
struct reduce_images reduce_images_of(const struct reduce_case *c);

/** Whether a page has memory of an image. */
bool reduce_images_have(const struct reduce_images *images, uint64_t number);

#endif
