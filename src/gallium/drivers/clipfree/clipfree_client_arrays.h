/* SPDX-License-Identifier: MIT */
/*
 * Vertex arrays in the application's memory (glVertexAttribPointer without a buffer): what a draw reads of them is
 * uploaded with it.
 */
#ifndef CLIPFREE_CLIENT_ARRAYS_H
#define CLIPFREE_CLIENT_ARRAYS_H

#include <stdbool.h>
#include <stdint.h>

#include "pipe/p_state.h"

struct cf_context;

/* The uploaded part of one array. */
struct cf_client_array {
   uint64_t address;
   int64_t begin_B; /* of it in the array */
   uint32_t size_B;
};

/* What the arrays were uploaded for. */
struct cf_client_arrays {
   uint32_t buffers;      /* bit per bound vertex buffer that is the application's memory */
   uint32_t first_vertex; /* vertices are numbered from here; 0 where there are no such arrays */
   struct cf_client_array array[PIPE_MAX_ATTRIBS];
};

/** Upload what the draw reads of the bound client arrays, and have vertex elements sent again. False: there is nothing
 * to draw, or no memory. Without such arrays: true, at once. */
bool cf_upload_client_arrays(struct cf_context *context, const struct pipe_draw_info *info,
                             const struct pipe_draw_start_count_bias *draw);

#endif
