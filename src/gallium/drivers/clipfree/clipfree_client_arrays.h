/* SPDX-License-Identifier: MIT */
/*
 * Client arrays: vertex arrays in the application's memory (glVertexAttribPointer without a
 * buffer). The part that a draw reads is uploaded with it. Consecutive draws with the same layout
 * share one upload.
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
   int64_t begin_B; /* offset in the array of this draw's first vertex */
   uint32_t size_B;
   /* of an upload with room for further draws */
   uint8_t *map;       /* of `address` */
   uint32_t stride_B;
   uint32_t vertex_B;  /* size of a vertex' data in the array, at most stride_B */
   uint32_t offset_B;  /* of vertex 0's data in the array */
};

/* The upload of all client arrays. */
struct cf_client_arrays {
   uint32_t buffers;      /* bit per bound vertex buffer that is the application's memory */
   uint32_t first_vertex; /* the lowest that the draw reads; 0 without such arrays */
   uint32_t position;     /* its number in the upload */
   /* Capacity of the upload in vertices, and vertices used. Valid while draws have its layout, or
    * no such arrays; room 0: the next draw begins a new upload. */
   uint32_t room, used;
   uint32_t room_buffers; /* bits of `buffers` */
   bool are_sent;         /* the vertex elements sent last are those of the upload */
   uint64_t batch_id;
   struct cf_client_array array[PIPE_MAX_ATTRIBS];
};

/** Upload the part of the bound client arrays that the draw reads, and mark vertex elements dirty
 * if they change. False: nothing to draw, or out of memory. Returns true at once without such
 * arrays. */
bool cf_upload_client_arrays(struct cf_context *context, const struct pipe_draw_info *info,
                             const struct pipe_draw_start_count_bias *draw);

/** Other vertex elements were bound, or sending them failed: the next draw begins a new upload. */
static inline void
cf_client_arrays_end(struct cf_client_arrays *client)
{
   client->room = 0;
}

/** The offset to subtract from the draw's vertex numbers, modulo 2^32. */
static inline uint32_t
cf_client_arrays_shift(const struct cf_client_arrays *client)
{
   return client->first_vertex - client->position;
}

#endif
