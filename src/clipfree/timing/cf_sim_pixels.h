/* SPDX-License-Identifier: MIT */
/*
 * Requests of the pixel engine for lines of depth, stencil and colour, in order, with the
 * prefetches of DPRT.
 */
#ifndef CF_SIM_PIXELS_H
#define CF_SIM_PIXELS_H

#include "clipfree/timing/cf_sim_layout.h"
#include "clipfree/timing/cf_sim_order.h"

/* A request. A prefetch is one of z. */
struct cf_sim_request {
   uint32_t line;
   uint32_t item; /* that it is for, in the order of the chunk; of a block one of them */
   uint8_t pipeline;
   bool color, reads, writes, prefetch;
   bool ideal; /* it does not wait for its line (z.prefetch) */
};

struct cf_sim_request_sink {
   void *user;
   void (*take)(void *user, const struct cf_sim_request *request);
};

/* A pixel engine's walk through the items of a chunk. */
struct cf_sim_pixel_walk {
   const struct cf_sim_layout *layout;
   const struct cf_sim_chunk *chunk;
   const struct cf_sim_order *order;
   const struct cf_sim_request_sink *sink;
   bool ideal;           /* requests of depth do not wait (z.prefetch) */
   bool prefetches;      /* they are among the requests, since raster takes no time */
   size_t ahead;         /* the item that raster finds next */
   uint32_t found, done; /* blocks: found by raster, reached by the tests */
   const struct cf_sim_item *last_found, *last_done, *last_item;
   /* request = block: the request that is being gathered */
   struct cf_sim_request gathered[2][CF_SAMPLES];
   bool has_gathered;
};

/** Begin a walk through a chunk. */
struct cf_sim_pixel_walk cf_sim_pixels_begin(const struct cf_sim_layout *layout,
                                             const struct cf_sim_chunk *chunk,
                                             const struct cf_sim_order *order,
                                             const struct cf_sim_request_sink *sink);

/** Make the requests of an item. Items come in the order of the chunk. */
void cf_sim_pixels_item(struct cf_sim_pixel_walk *walk, const struct cf_sim_item *item);

/** Make the requests that are still being gathered. */
void cf_sim_pixels_end(struct cf_sim_pixel_walk *walk);

/** All requests of a chunk. */
void cf_sim_pixels_chunk(const struct cf_sim_layout *layout, const struct cf_sim_chunk *chunk,
                         const struct cf_sim_order *order, const struct cf_sim_request_sink *sink);

/** Whether two items, one after the other in order, are of the same block of a primitive; the first
 * may be NULL. */
bool cf_sim_same_block(const struct cf_sim_item *last, const struct cf_sim_item *item);

/** Whether they are of the same tile: the pixels of a block that lie in lines together. That is a
 * block, or where z.line_samples is all, and pixels have four samples, a quad. */
bool cf_sim_same_tile(const struct cf_sim_layout *layout, const struct cf_sim_chunk *chunk,
                      const struct cf_sim_item *last, const struct cf_sim_item *item);

/** Where an item lies, x_px | y_px << 16: a quad, or what failed an early test. */
uint32_t cf_sim_item_pixel(const struct cf_sim_chunk *chunk, const struct cf_sim_item *item);

/** What DPRT asks for, of a plane of lines, when raster finds the tile of an item. False: nothing.
 */
bool cf_sim_pixels_prefetch(const struct cf_sim_layout *layout, const struct cf_sim_chunk *chunk,
                            const struct cf_sim_item *item, uint32_t sample,
                            struct cf_sim_request *request);

/** Whether the item, of an operation that allows early tests, is a quad of which they leave
 * nothing. */
bool cf_sim_hidden_early(const struct cf_sim_chunk *chunk, const struct cf_sim_item *item);

/* Pixels of a quad, a bit each, by sample. */
struct cf_sim_quad_masks {
   uint32_t covered, tested, written;
};

/** Of a quad of a TASK record. */
static inline struct cf_sim_quad_masks
cf_sim_quad_masks(const uint32_t *task, uint32_t quad, uint32_t sample)
{
   const uint32_t *dw = task + 2 + sample;
   return (struct cf_sim_quad_masks){ dw[0] >> 4 * quad & 15, dw[CF_SAMPLES] >> 4 * quad & 15,
                                      dw[2 * CF_SAMPLES] >> 4 * quad & 15 };
}

#endif
