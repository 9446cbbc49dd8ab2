/* SPDX-License-Identifier: MIT */
/*
 * Images in the memory of a capture, to be read: surfaces, with what their tile states say, and
 * levels and layers of textures.
 */
#ifndef LOOK_IMAGE_H
#define LOOK_IMAGE_H

#include "look_player.h"

#include "clipfree/memory/cf_surface.h"

struct look_image {
   struct cf_image image; /* do not draw to it */
   uint64_t size_B;       /* of memory from image.data on */
};

/** The image of a surface. False: it is not in memory, or has no such format. */
bool look_image_of(const struct look_player *player, const struct cf_surface *surface,
                   struct look_image *image);

/** A level and layer of a texture; faces of cubes and slices of 3D textures are layers. NULL, or
 * what it has not: "memory", "level", "layer". */
const char *look_image_of_texture(const struct look_player *player,
                                  const struct cf_texture *texture, uint32_t level, uint32_t layer,
                                  struct look_image *image);

/** The bytes of a pixel, pending clears included; compressed texels are decoded. False: there is no
 * such pixel. */
bool look_image_pixel(const struct look_image *image, uint32_t x_px, uint32_t y_px, uint32_t sample,
                      uint32_t pixel[4]);

/** Bits of pixels that mean something: those of channels. */
void look_pixel_mask(const struct cf_format_info *format, uint32_t mask[4]);

/** A hash of all pixels in all samples, of the bits that mean something. */
uint64_t look_image_hash(const struct look_image *image);

/** Whether the images, of the same size and format, differ in a pixel; the first in row order, of
 * the first sample. */
bool look_image_difference(const struct look_image *a, const struct look_image *b, uint32_t *x_px,
                           uint32_t *y_px, uint32_t *sample);

#endif
