/* SPDX-License-Identifier: MIT */
/*
 * For tests: an image with a model of it, which keeps a value of 16 bytes for each sample, and
 * random operations on both. What is random follows from test_image_random.
 */
#ifndef CF_TEST_IMAGE_H
#define CF_TEST_IMAGE_H

#include "clipfree/base/test_random.h"
#include "clipfree/memory/cf_surface.h"

#define TEST_IMAGE_MOST_PX 140 /* width and height, of images that are gathered to */

/* An image and the expected values of its pixels. */
struct test_image {
   struct cf_image image;
   uint8_t *allocation;
   size_t size_B;
   uint8_t (*pixel)[16]; /* samples of a pixel next to each other */
};

/** What the functions below take their random numbers from. */
extern struct cf_random test_image_random;
uint32_t test_image_u32(void);
/** Below n. */
uint32_t test_image_below(uint32_t n);
/** A mask of depth, of stencil, of a byte, or of random bits. */
void test_image_mask(uint32_t mask[4]);

/** An image of zeros with pixels of 2^log2_size bytes, in the usual format of that size. */
void test_image_init(struct test_image *m, uint32_t log2_size, uint32_t samples, bool blocks,
                     bool tiles, uint32_t width_px, uint32_t height_px);
void test_image_free(struct test_image *m);
/** Fails (cmocka) where the image is not as the model says, or memory around it was written. */
void test_image_check(const struct test_image *m);

/** Write random pixels, so that copies do not only move clears. */
void test_image_pixels(struct test_image *m);
void test_image_clear(struct test_image *m);
/** Draw random bits of random pixels in a tile. */
void test_image_draw(struct test_image *m, uint32_t tile_x, uint32_t tile_y);
/** Copy a random rectangle, or some of its bits. */
void test_image_copy(struct test_image *s, struct test_image *d);
/** Gather random rows and columns of an image of one sample; of others nothing. */
void test_image_gather(struct test_image *s, struct test_image *d);
/** Make the memory of the whole image valid. */
void test_image_resolve(const struct cf_image *image);

/** Replace the bits of `mask` by those of `value`. */
void test_merge_pixel(uint8_t *pixel, const void *value, const void *mask, uint32_t pixel_B);

#endif
