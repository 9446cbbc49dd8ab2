/* SPDX-License-Identifier: MIT */
/*
 * Finds vertices of an array that are equal, byte for byte. Independent of Mesa and the GPU.
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

/* An incremental search through consecutive vertices, whose data must not change until it ends. */
struct cf_equal_search;

/** Begin a search through `vertices` vertices; it is abandoned if more than `limit` of them are
 * distinct. NULL: out of memory. */
struct cf_equal_search *cf_equal_search_begin(uint32_t vertices, uint32_t limit);
void cf_equal_search_end(struct cf_equal_search *search);

/** Process the next `count` vertices, or all that are left, in time proportional to their number,
 * whatever their data. True: the search is finished. */
bool cf_equal_search_step(struct cf_equal_search *search, const struct cf_vertex_bytes *attributes,
                           unsigned attribute_count, uint32_t count);

/** Result of a finished search: for each vertex the first one with the same bytes in all attributes
 * (possibly itself), and the number of distinct vertices. NULL and 0: abandoned, because of the
 * limit or too many hash collisions. */
const uint32_t *cf_equal_search_result(const struct cf_equal_search *search, uint32_t *different);

#endif
