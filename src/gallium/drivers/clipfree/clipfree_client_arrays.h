/* SPDX-License-Identifier: MIT */
/*
 * Vertex arrays in the application's memory (glVertexAttribPointer without a buffer): what a draw reads of them is
 * uploaded with it. Draws that follow each other with the same layout share one upload.
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
   int64_t begin_B; /* in the array, of what this draw's first vertex has */
   uint32_t size_B;
   /* with room for more vertices */
   uint8_t *map;       /* of `address` */
   uint32_t stride_B;
   uint32_t vertex_B;  /* bytes that a vertex has of the array, at most stride_B */
   uint32_t offset_B;  /* of the first of them in the array, for vertex 0 */
};

/* What the arrays were uploaded for. */
struct cf_client_arrays {
   uint32_t buffers;      /* bit per bound vertex buffer that is the application's memory */
   uint32_t first_vertex; /* the lowest that the draw reads; 0 where there are no such arrays */
   uint32_t position;     /* its number in what was uploaded */
   /* The upload, as long as draws have its layout, or no such arrays: the vertices that it has room for in each array, 0: the next
    * draw has another layout; and those that are there */
   uint32_t room, used;
   uint32_t room_buffers; /* bits of `buffers` */
   bool are_sent;         /* the elements sent last are those of the upload */
   uint64_t batch_id;
   struct cf_client_array array[PIPE_MAX_ATTRIBS];
};

/** Upload what the draw reads of the bound client arrays, and have vertex elements sent if they are others. False: there is
 * nothing to draw, or no memory. Without such arrays: true, at once. */
bool cf_upload_client_arrays(struct cf_context *context, const struct pipe_draw_info *info,
                             const struct pipe_draw_start_count_bias *draw);

/** Other vertex elements were bound, or could not be sent: the next draw has an upload of its own. */
static inline void
cf_client_arrays_end(struct cf_client_arrays *client)
{
   client->room = 0;
}

/** What is taken off the draw's vertex numbers, modulo 2^32. */
static inline uint32_t
cf_client_arrays_shift(const struct cf_client_arrays *client)
{
   return client->first_vertex - client->position;
}

#endif
