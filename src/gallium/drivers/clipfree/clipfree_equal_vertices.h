/* SPDX-License-Identifier: MIT */
/*
 * Which vertices of an array are the same, byte for byte. Knows neither Mesa nor the GPU.
 */
#ifndef CLIPFREE_EQUAL_VERTICES_H
#define CLIPFREE_EQUAL_VERTICES_H

#include <stdbool.h>
#include <stdint.h>

/* An attribute of consecutive vertices. */
struct cf_vertex_bytes {
   const uint8_t *first; /* of vertex 0 */
   uint32_t stride_B, size_B;
};

/* A search through consecutive vertices, some at a time. From its beginning to its end nothing may change what they hold. */
struct cf_equal_search;

/** A search through so many vertices that is of use if no more than `limit` of them are different. NULL: out of memory. */
struct cf_equal_search *cf_equal_search_begin(uint32_t vertices, uint32_t limit);
void cf_equal_search_end(struct cf_equal_search *search);

/** Look at `count` more of the vertices, or at those that are left. Takes time proportional to their number, whatever they hold.
 * True: it is over. */
bool cf_equal_search_go_on(struct cf_equal_search *search, const struct cf_vertex_bytes *attributes, unsigned attribute_count,
                           uint32_t count);

/** Of a search that is over: for each vertex the first that has the same bytes in all attributes (its own number: none before
 * has), and how many different ones there are. NULL and 0: more than the limit, or so unluckily hashed that it would have
 * taken long. */
const uint32_t *cf_equal_search_result(const struct cf_equal_search *search, uint32_t *different);

#endif
