/* SPDX-License-Identifier: MIT */
/*
 * Reuse of equal vertices in draws without indices.
 *
 * A mesh that is drawn without indices holds most of its vertices several times. Once some draws have read the same bytes of
 * buffers that nobody writes to, the vertices are compared, and from then on the draw is sent with indices: each vertex by
 * the first that is equal to it in all attributes. Vertices of equal attributes have equal outputs, so nothing else can
 * be seen, unless the program reads the vertex' number.
 *
 * Lists of indices belong to the buffer of the draw's first attribute and are forgotten when the contents of one of its
 * buffers may have changed (cf_buffer.content). No memory for one only means that there is none.
 *
 * Limitations: a range of a buffer is known by its layout alone; one that is drawn with different second buffers in turn
 * gets no list. A buffer has lists for at most 64 ranges.
 */
#ifndef CLIPFREE_VERTEX_REUSE_H
#define CLIPFREE_VERTEX_REUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/simple_mtx.h"

struct cf_buffer;
struct cf_context;
struct pipe_draw_info;
struct pipe_draw_start_count_bias;

/* What a buffer knows of the draws of which it holds the first attribute; all zero: nothing. */
struct cf_reuse {
   simple_mtx_t lock; /* buffers are shared between contexts */
   struct cf_reuse_range *ranges;
   uint32_t count, capacity;
   uint32_t oldest;    /* the next to be replaced when there is no more room */
   uint64_t indices_B; /* memory of all lists */
};

void cf_reuse_init(struct cf_reuse *reuse);
void cf_reuse_fini(struct cf_reuse *reuse);

/** The vertices that a context compared in one batch. */
struct cf_reuse_budget {
   uint64_t batch_id;
   uint32_t vertices;
};

/* Indices for a draw: element i is vertex start + index i. */
struct cf_reuse_indices {
   uint64_t address;
   uint32_t size_B; /* of all */
   uint32_t index_size_B;
};

/** The list of a draw, which the batch keeps then; compares its vertices if their time has come. False: draw it as it is. */
bool cf_reuse_vertices(struct cf_context *context, const struct pipe_draw_info *info,
                       const struct pipe_draw_start_count_bias *draw, struct cf_reuse_indices *indices);

#endif
