/* SPDX-License-Identifier: MIT */
/*
 * Which vertices of an array are the same, byte for byte. Knows neither Mesa nor the GPU.
 */
#ifndef CLIPFREE_EQUAL_VERTICES_H
#define CLIPFREE_EQUAL_VERTICES_H

#include <stdint.h>

/* An attribute of consecutive vertices. */
struct cf_vertex_bytes {
   const uint8_t *first; /* of vertex 0 */
   uint32_t stride_B, size_B;
};

/** For each of `vertices` vertices, into same[]: the first that has the same bytes in all attributes (its own number: none
 * before has). Takes time proportional to the vertices, whatever they hold. Returns how many different ones there are; 0:
 * out of memory, more than `limit`, or so unluckily hashed that it would take long (same[] is undefined then). */
uint32_t cf_find_equal_vertices(const struct cf_vertex_bytes *attributes, unsigned attribute_count, uint32_t vertices,
                                uint32_t limit, uint32_t *same);

#endif
