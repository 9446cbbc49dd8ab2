/* SPDX-License-Identifier: MIT */
/*
 * Client arrays. Only vertices that the draw can reach are uploaded: those of its range, or from its lowest index to
 * its highest. So that no address lies before the upload, vertices are numbered from the lowest one: elements point at
 * it, and the draw counts from there. (No shader can see the number: there is no gl_VertexID here.)
 *
 * The lowest and the highest index come with the draw: Mesa looks for them wherever a client array is read by vertex. What
 * is uploaded of arrays that are read by instance does not depend on them. So no draw waits here for indices that the GPU
 * still writes, and nothing is submitted in the middle of one.
 */
#include "clipfree_client_arrays.h"

#include "util/format/u_format.h"

#include "clipfree_context.h"

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

/* The vertices of a draw that client arrays are read for, first .. last. False: it has none. */
static bool
cf_find_vertices(const struct cf_context *context, const struct pipe_draw_info *info,
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
   assert(info->index_bounds_valid);
   *first = (int64_t)info->min_index + draw->index_bias;
   *last = (int64_t)info->max_index + draw->index_bias;
   return info->index_bounds_valid && info->min_index <= info->max_index && *first >= 0;
}

/* Bytes of an array that the elements of its buffer reach, begin .. end - 1. */
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

static bool
cf_upload_client_array(struct cf_context *context, unsigned buffer, struct cf_reach reach)
{
   const struct pipe_vertex_buffer *vb = &context->vertex_buffers[buffer];
   struct cf_client_array *array = &context->client.array[buffer];
   const int64_t size_B = reach.end_B - reach.begin_B;

   array->begin_B = reach.begin_B;
   array->size_B = 0;
   if (size_B <= 0)
      return true; /* no element reads it */
   if (size_B > INT32_MAX)
      return false;
   array->size_B = size_B;
   array->address = cf_batch_upload_data(
      &context->batch, (const uint8_t *)vb->buffer.user + vb->buffer_offset + reach.begin_B, size_B);
   return array->address != 0;
}

bool
cf_upload_client_arrays(struct cf_context *context, const struct pipe_draw_info *info,
                        const struct pipe_draw_start_count_bias *draw)
{
   struct cf_client_arrays *client = &context->client;
   int64_t first, last;

   client->first_vertex = 0;
   if (!client->buffers)
      return true;
   if (!cf_find_vertices(context, info, draw, &first, &last))
      return false;
   u_foreach_bit(buffer, client->buffers)
   {
      const struct cf_reach reach = cf_reach_of(context->elements, buffer, info, first, last);
      if (!cf_upload_client_array(context, buffer, reach))
         return false;
   }
   client->first_vertex = first;
   context->dirty |= CF_DIRTY_VERTEX;
   return true;
}
