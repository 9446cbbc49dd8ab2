/* SPDX-License-Identifier: MIT */
/*
 * Client arrays. Only vertices that the draw can read are uploaded: its range, or from its lowest
 * index to its highest. Vertices are renumbered from the lowest one, so that no element's address
 * lies before the upload. (No shader can see the number: there is no gl_VertexID here.) If the next
 * draw from client arrays has the same layout, its vertices are appended to the upload and numbered
 * on: its vertex elements are the same, and are only sent if others were sent in between.
 *
 * Mesa supplies the lowest and the highest index with the draw if a client array is read by vertex.
 * The upload of arrays that are read by instance does not depend on them. So only an indirect draw
 * waits for indices that the GPU still writes.
 */
#include "clipfree_client_arrays.h"

#include "util/format/u_format.h"
#include "util/u_math.h"
#include "util/u_vbuf.h"

#include "clipfree_context.h"

#define CF_CLIENT_ROOM_B 16384 /* initial size of an array's upload, with room for further draws */
/* No program has memory below this address (Linux' vm.mmap_min_addr). Arrays there were enabled and
 * never given, or lost their buffer, whose offset is left: they read as 0. */
#define CF_LEAST_ADDRESS 65536

/* Whether a bound client array is read by vertex, not by instance. */
static bool
cf_reads_by_vertex(const struct cf_context *context)
{
   const struct cf_vertex_elements_object *elements = context->elements;

   for (unsigned i = 0; i < elements->count; i++) {
      const struct pipe_vertex_element *e = &elements->element[i];
      if (!e->instance_divisor && context->client.buffers & 1u << e->vertex_buffer_index)
         return true;
   }
   return false;
}

/* The lowest and highest index, of indirect draws read from the buffer. False: there is none. */
static bool
cf_find_bounds(struct cf_context *context, const struct pipe_draw_info *info,
               const struct pipe_draw_start_count_bias *draw, unsigned *lowest, unsigned *highest)
{
   struct pipe_draw_start_count_bias there = *draw;
   *lowest = info->min_index, *highest = info->max_index;
   if (!info->index_bounds_valid) {
      const uint32_t indices = info->index.resource->width0 / info->index_size;
      there.count = MIN2(draw->count, indices - MIN2(draw->start, indices));
      if (!there.count)
         return false;
      u_vbuf_get_minmax_index(&context->base, info, &there, lowest, highest);
   }
   return *lowest <= *highest;
}

/* The vertices first .. last that the draw reads from client arrays. False: none. */
static bool
cf_find_vertices(struct cf_context *context, const struct pipe_draw_info *info,
                 const struct pipe_draw_start_count_bias *draw, int64_t *first, int64_t *last)
{
   if (!info->index_size) {
      *first = draw->start;
      *last = (int64_t)draw->start + draw->count - 1;
      return true;
   }
   if (!cf_reads_by_vertex(context)) {
      *first = 0;
      *last = -1;
      return true;
   }
   unsigned lowest, highest;
   if (!cf_find_bounds(context, info, draw, &lowest, &highest))
      return false;
   *first = (int64_t)lowest + draw->index_bias;
   *last = (int64_t)highest + draw->index_bias;
   return *first >= 0;
}

/* Bytes begin_B .. end_B - 1 of an array that its vertex elements read. */
struct cf_reach {
   int64_t begin_B, end_B;
};

static struct cf_reach
cf_reach_of(const struct cf_vertex_elements_object *elements, unsigned buffer,
            const struct pipe_draw_info *info, int64_t first, int64_t last)
{
   struct cf_reach reach = { INT64_MAX, 0 };

   for (unsigned i = 0; i < elements->count; i++) {
      const struct pipe_vertex_element *e = &elements->element[i];
      const int64_t stride_B = e->src_stride;
      const uint32_t divisor = e->instance_divisor;
      if (e->vertex_buffer_index != buffer)
         continue;
      const int64_t lowest = divisor ? 0 : first;
      const int64_t highest =
         divisor ? info->start_instance + (info->instance_count - 1) / divisor : last;
      reach.begin_B = MIN2(reach.begin_B, e->src_offset + stride_B * lowest);
      reach.end_B = MAX2(reach.end_B, e->src_offset + stride_B * highest +
                                         util_format_get_blocksize(e->src_format));
   }
   return reach;
}

/* size_B bytes of a client array, from begin_B on. */
static void
cf_copy_client(void *to, const struct pipe_vertex_buffer *vb, int64_t begin_B, size_t size_B)
{
   const uint8_t *from = (const uint8_t *)vb->buffer.user + vb->buffer_offset + begin_B;
   if ((uintptr_t)vb->buffer.user < CF_LEAST_ADDRESS)
      memset(to, 0, size_B);
   else
      memcpy(to, from, size_B);
}

/* size_B: of the allocation, at least the size of `reach`. */
static bool
cf_upload_client_array(struct cf_context *context, unsigned buffer, struct cf_reach reach,
                       int64_t size_B)
{
   const struct pipe_vertex_buffer *vb = &context->vertex_buffers[buffer];
   struct cf_client_array *array = &context->client.array[buffer];

   array->begin_B = reach.begin_B;
   array->size_B = 0;
   if (size_B <= 0)
      return true; /* no element reads the array */
   if (size_B > INT32_MAX)
      return false;
   array->map = cf_batch_upload(&context->batch, size_B, &array->address, NULL);
   if (!array->map)
      return false;
   array->size_B = size_B;
   cf_copy_client(array->map, vb, reach.begin_B, reach.end_B - reach.begin_B);
   return true;
}

/* ------------------------------------------------------------------ several draws */

/* Store the layout of all client arrays in `array`. False: vertices of several draws cannot be
 * concatenated, since an element is read by instance, from a buffer, or with stride 0, or vertices
 * overlap. */
static bool
cf_find_layout(struct cf_context *context)
{
   const struct cf_vertex_elements_object *elements = context->elements;
   struct cf_client_arrays *client = &context->client;
   uint32_t found = 0;

   for (unsigned i = 0; i < elements->count; i++) {
      const struct pipe_vertex_element *e = &elements->element[i];
      const uint32_t bit = 1u << e->vertex_buffer_index,
                     end_B = e->src_offset + util_format_get_blocksize(e->src_format);
      struct cf_client_array *array = &client->array[e->vertex_buffer_index];
      if (e->instance_divisor || !(client->buffers & bit))
         return false;
      if (!(found & bit)) {
         array->stride_B = e->src_stride;
         array->offset_B = e->src_offset;
         array->vertex_B = end_B - e->src_offset;
      }
      const uint32_t offset_B = MIN2(array->offset_B, e->src_offset);
      array->vertex_B = MAX2(array->offset_B + array->vertex_B, end_B) - offset_B;
      array->offset_B = offset_B;
      if (e->src_stride != array->stride_B || array->vertex_B > array->stride_B)
         return false;
      found |= bit;
   }
   client->room_buffers = client->buffers;
   return found == client->buffers;
}

/* The number of vertices to allocate for this draw and later ones: doubles each time it was too
 * small. */
static uint32_t
cf_find_room(const struct cf_client_arrays *client, uint32_t vertices)
{
   uint32_t most = UINT32_MAX;

   u_foreach_bit(buffer, client->room_buffers)
      most = MIN2(most, CF_CLIENT_ROOM_B / client->array[buffer].stride_B);
   return MAX2(vertices, MIN2(2 * client->room, most));
}

/* Append the draw's vertices to the upload. False: another layout, or no room. */
static bool
cf_append_vertices(struct cf_context *context, int64_t first, int64_t vertices)
{
   struct cf_client_arrays *client = &context->client;

   if (client->room_buffers != client->buffers || client->batch_id != context->batch.id ||
       vertices <= 0 || vertices > (int64_t)client->room - client->used)
      return false;
   u_foreach_bit(buffer, client->buffers)
   {
      const struct pipe_vertex_buffer *vb = &context->vertex_buffers[buffer];
      struct cf_client_array *array = &client->array[buffer];
      array->begin_B = array->offset_B + array->stride_B * first;
      cf_copy_client(array->map + (size_t)array->stride_B * client->used, vb, array->begin_B,
                     (size_t)array->stride_B * (vertices - 1) + array->vertex_B);
   }
   client->position = client->used;
   client->used += vertices;
   return true;
}

bool
cf_upload_client_arrays(struct cf_context *context, const struct pipe_draw_info *info,
                        const struct pipe_draw_start_count_bias *draw)
{
   struct cf_client_arrays *client = &context->client;
   int64_t first, last;

   client->first_vertex = client->position = 0;
   if (!client->buffers) {
      client->are_sent = false;
      return true;
   }
   if (!cf_find_vertices(context, info, draw, &first, &last))
      return false;
   /* vertices keep their numbers where the program reads them: all from the first one are uploaded
    */
   const bool numbered = context->stage[CF_SHADER_STAGE_VERTEX].shader->reads_vertex_id;
   if (numbered)
      first = MIN2(first, 0);
   client->first_vertex = first;
   const int64_t vertices = last - first + 1;
   if (!numbered && cf_append_vertices(context, first, vertices)) {
      if (client->are_sent)
         context->dirty &= ~CF_DIRTY_VERTEX;
      client->are_sent = true;
      return true;
   }
   const bool is_usual =
      !numbered && vertices > 0 && vertices <= INT32_MAX && cf_find_layout(context);
   const uint32_t room = is_usual ? cf_find_room(client, vertices) : 0;
   cf_client_arrays_end(client);
   u_foreach_bit(buffer, client->buffers)
   {
      const struct cf_reach reach = cf_reach_of(context->elements, buffer, info, first, last);
      const int64_t more_B = room ? (int64_t)client->array[buffer].stride_B * (room - vertices) : 0;
      if (!cf_upload_client_array(context, buffer, reach, reach.end_B - reach.begin_B + more_B))
         return false;
   }
   client->room = room;
   client->used = vertices;
   client->batch_id = context->batch.id;
   client->are_sent = true;
   context->dirty |= CF_DIRTY_VERTEX;
   return true;
}
