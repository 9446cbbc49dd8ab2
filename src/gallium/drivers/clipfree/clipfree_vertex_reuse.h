/* SPDX-License-Identifier: MIT */
/*
 * Reuse of equal vertices in draws without indices.
 *
 * A mesh that is drawn without indices repeats most of its vertices. After some draws with
 * unchanged buffers the vertices are compared, and from then on the draw is sent with an index
 * list: each vertex is replaced by the first one with equal attributes. Equal attributes give equal
 * outputs, so the difference is invisible, unless the program reads the vertex' number.
 *
 * Index lists belong to the buffer of the draw's first attribute and are invalidated when the
 * contents of one of the draw's buffers may have changed (cf_buffer.content). Without memory for a
 * list the draw is sent as it is.
 *
 * Limitations: a range is identified by its layout alone; one that is drawn alternately with
 * different other buffers gets no list. A buffer has lists for at most 64 ranges.
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

/* Ranges of a buffer that holds the first attribute of draws. All zero: none. */
struct cf_reuse {
   simple_mtx_t lock; /* buffers are shared between contexts */
   struct cf_reuse_range *ranges;
   uint32_t count, capacity;
   uint32_t oldest;    /* the next range to be replaced when there is no room */
   uint64_t indices_B; /* memory of all lists */
};

void cf_reuse_init(struct cf_reuse *reuse);
void cf_reuse_fini(struct cf_reuse *reuse);

/** Number of vertices that a context has compared in a batch. */
struct cf_reuse_budget {
   uint64_t batch_id;
   uint32_t vertices;
};

/* An index list for a draw: element i is vertex start + index i. */
struct cf_reuse_indices {
   uint64_t address;
   uint32_t size_B; /* of the list */
   uint32_t index_size_B;
};

/** Find the draw's index list, to which the batch then holds a reference; compares vertices if they
 * are due. False: draw without a list. */
bool cf_reuse_vertices(struct cf_context *context, const struct pipe_draw_info *info,
                       const struct pipe_draw_start_count_bias *draw,
                       struct cf_reuse_indices *indices);

#endif
