/* SPDX-License-Identifier: MIT */
/*
 * Comparing a vertex costs about as much as shading it a few times, so it is done after a few
 * draws; if it did not pay, after twice as many the next time. So the cost of comparing stays
 * proportional to that of drawing. The work per batch is limited: large meshes are compared in
 * several steps.
 */
#include "clipfree_vertex_reuse.h"

#include "util/format/u_format.h"
#include "util/hash_table.h"
#include "util/u_math.h"
#include "util/u_memory.h"

#include "clipfree/interface/cf_gpu.h"

#include "clipfree_context.h"
#include "clipfree_debug.h"
#include "clipfree_equal_vertices.h"
#include "clipfree_resource.h"
#include "clipfree_screen.h"

#define CF_REUSE_MIN_VERTICES 64 /* of a draw: two vertex tasks */
#define CF_REUSE_MAX_VERTICES (1 << 24)
#define CF_REUSE_MAX_ATTRIBUTES 8
#define CF_REUSE_MAX_RANGES 64
#define CF_REUSE_PATIENCE 4 /* draws before the vertices are compared for the first time */
/* Vertices compared per batch, at most, so that no frame takes much longer than others. */
#define CF_REUSE_BATCH_VERTICES 16384

/* Layout of a draw's vertices, relative to their buffers. Compared as bytes. */
struct cf_reuse_layout {
   uint32_t start, count;
   uint32_t mode; /* enum mesa_prim: determines how vertices are grouped to chunks */
   uint32_t attributes;
   struct {
      uint32_t offset_B, stride_B, size_B;
   } attribute[CF_REUSE_MAX_ATTRIBUTES];
};

/* A range of the buffer that was drawn. */
struct cf_reuse_range {
   uint32_t hash; /* of the layout */
   struct cf_reuse_layout layout;
   /* cf_buffer.content of each attribute's buffer at the last draw */
   uint64_t content[CF_REUSE_MAX_ATTRIBUTES];
   uint32_t draws;    /* with this content, since it appeared or was compared */
   uint32_t patience; /* draws before it is compared (again) */
   struct cf_equal_search *search; /* of this content; NULL: none */
   struct cf_buffer *indices; /* NULL: none */
   uint32_t index_size_B;
};

/* The current draw. */
struct cf_reuse_draw {
   struct cf_reuse_layout layout;
   uint64_t content[CF_REUSE_MAX_ATTRIBUTES];
   struct cf_buffer *buffer[CF_REUSE_MAX_ATTRIBUTES];
   struct cf_resource *owner;
};

void
cf_reuse_init(struct cf_reuse *reuse)
{
   simple_mtx_init(&reuse->lock, mtx_plain);
}

/* Drop a range's index list and search. */
static void
cf_reuse_drop_list(struct cf_reuse *reuse, struct cf_reuse_range *range)
{
   cf_equal_search_end(range->search);
   range->search = NULL;
   if (range->indices)
      reuse->indices_B -= range->indices->bo.size_B;
   cf_buffer_reference(&range->indices, NULL);
}

void
cf_reuse_fini(struct cf_reuse *reuse)
{
   for (unsigned i = 0; i < reuse->count; i++)
      cf_reuse_drop_list(reuse, &reuse->ranges[i]);
   FREE(reuse->ranges);
   simple_mtx_destroy(&reuse->lock);
}

/* ------------------------------------------------------------------ what a draw reads */

/* Add a per-vertex attribute. False: there are too many, or its data is not known for sure. */
static bool
cf_reuse_add(struct cf_batch *batch, struct cf_reuse_draw *d, const struct pipe_vertex_element *e,
             const struct pipe_vertex_buffer *vb)
{
   struct cf_resource *resource = cf_resource(vb->buffer.resource);
   const uint64_t offset_B = (uint64_t)vb->buffer_offset + e->src_offset;
   const uint32_t size_B = util_format_get_blocksize(e->src_format), n = d->layout.attributes;
   const uint64_t last = (uint64_t)d->layout.start + d->layout.count - 1;

   /* loads outside of the buffer are reported with the vertex' number, so that must not change */
   if (n == CF_REUSE_MAX_ATTRIBUTES ||
       offset_B + last * e->src_stride + size_B > resource->base.width0 ||
       resource->base.flags & PIPE_RESOURCE_FLAG_MAP_PERSISTENT)
      return false;
   d->layout.attribute[n].offset_B = offset_B;
   d->layout.attribute[n].stride_B = e->src_stride;
   d->layout.attribute[n].size_B = size_B;
   d->buffer[n] = cf_resource_use(batch, resource, CF_ACCESS_READ);
   d->content[n] = p_atomic_read(&d->buffer[n]->content);
   if (n == 0)
      d->owner = resource;
   d->layout.attributes++;
   return true;
}

/* Describe the draw's vertices. False: the draw cannot have an index list. */
static bool
cf_reuse_describe(struct cf_context *context, enum mesa_prim mode,
                  const struct pipe_draw_start_count_bias *draw, struct cf_reuse_draw *d)
{
   const struct cf_vertex_elements_object *elements = context->elements;

   memset(&d->layout, 0, sizeof(d->layout));
   d->layout.start = draw->start;
   d->layout.count = draw->count;
   d->layout.mode = mode;
   for (unsigned i = 0; i < elements->count; i++) {
      const struct pipe_vertex_element *e = &elements->element[i];
      if (e->instance_divisor || !e->src_stride ||
          e->vertex_buffer_index >= context->vertex_buffer_count)
         continue; /* the same for all vertices */
      const struct pipe_vertex_buffer *vb = &context->vertex_buffers[e->vertex_buffer_index];
      if (vb->buffer.resource && !cf_reuse_add(&context->batch, d, e, vb))
         return false;
   }
   return d->layout.attributes > 0;
}

/* ------------------------------------------------------------------ ranges */

/* Allocate a range, replacing the oldest if there is no room. NULL: out of memory. */
static struct cf_reuse_range *
cf_reuse_new_range(struct cf_reuse *reuse)
{
   if (reuse->count < reuse->capacity)
      return &reuse->ranges[reuse->count++];
   if (reuse->capacity == CF_REUSE_MAX_RANGES) {
      struct cf_reuse_range *range = &reuse->ranges[reuse->oldest];
      reuse->oldest = (reuse->oldest + 1) % CF_REUSE_MAX_RANGES;
      cf_reuse_drop_list(reuse, range);
      return range;
   }
   const uint32_t capacity = reuse->capacity ? 2 * reuse->capacity : 1;
   struct cf_reuse_range *ranges =
      REALLOC(reuse->ranges, reuse->capacity * sizeof(*ranges), capacity * sizeof(*ranges));
   if (!ranges)
      return NULL;
   reuse->ranges = ranges;
   reuse->capacity = capacity;
   return &reuse->ranges[reuse->count++];
}

/* Find or create the draw's range, and update its contents. NULL: out of memory. */
static struct cf_reuse_range *
cf_reuse_find_range(struct cf_reuse *reuse, const struct cf_reuse_draw *d)
{
   const uint32_t hash = _mesa_hash_data(&d->layout, sizeof(d->layout));
   const size_t content_B = d->layout.attributes * sizeof(d->content[0]);
   struct cf_reuse_range *range = NULL;

   for (unsigned i = 0; i < reuse->count && !range; i++) {
      if (reuse->ranges[i].hash == hash &&
          !memcmp(&reuse->ranges[i].layout, &d->layout, sizeof(d->layout)))
         range = &reuse->ranges[i];
   }
   if (!range) {
      range = cf_reuse_new_range(reuse);
      if (!range)
         return NULL;
      *range = (struct cf_reuse_range){ .hash = hash, .layout = d->layout, .patience = CF_REUSE_PATIENCE };
      memcpy(range->content, d->content, content_B);
   } else if (memcmp(range->content, d->content, content_B)) {
      /* the list has paid if it was used as often as draws waited for it */
      if (range->indices && range->draws >= range->patience)
         range->patience = CF_REUSE_PATIENCE;
      cf_reuse_drop_list(reuse, range);
      range->draws = 0;
      memcpy(range->content, d->content, content_B);
   }
   return range;
}

/* ------------------------------------------------------------------ lists */

/* Whether recorded work of this context writes to the draw's vertices. Then a list of the current
 * contents, perhaps made by another context, is not valid for this draw. */
static bool
cf_reuse_is_written(const struct cf_context *context, const struct cf_reuse_draw *d)
{
   for (unsigned i = 0; i < d->layout.attributes; i++) {
      if (cf_batch_uses(&context->batch, d->buffer[i], CF_ACCESS_WRITE))
         return true;
   }
   return false;
}

/* Number of vertices that may be compared now: none while submitted work writes to them, else the
 * rest of the batch's budget. */
static uint32_t
cf_reuse_share(struct cf_context *context, const struct cf_reuse_draw *d)
{
   struct cf_reuse_budget *budget = &context->reuse_budget;

   for (unsigned i = 0; i < d->layout.attributes; i++) {
      if (!cf_buffer_wait(d->buffer[i], CF_ACCESS_WRITE, 0))
         return 0;
   }
   if (budget->batch_id != context->batch.id)
      *budget = (struct cf_reuse_budget){ .batch_id = context->batch.id };
   const uint32_t share = MIN2(d->layout.count, CF_REUSE_BATCH_VERTICES - budget->vertices);
   budget->vertices += share;
   return share;
}

/* Most distinct vertices for which a list is worth while: two thirds of all. */
static uint32_t
cf_reuse_limit(uint32_t count)
{
   return count - count / 3;
}

/* Reach of the GPU's vertex reuse, in vertices: a chunk's primitives. */
static uint32_t
cf_reuse_near_vertices(struct cf_gpu *gpu, enum mesa_prim mode)
{
   const uint32_t prims = (uint32_t)gpu->ops->get_param(gpu, CF_PARAM_REUSE_PRIMS);

   switch (mode) {
   case MESA_PRIM_LINES:
   case MESA_PRIM_QUADS: /* two triangles of four */
      return 2 * prims;
   case MESA_PRIM_TRIANGLES:
      return 3 * prims;
   default:
      return prims;
   }
}

/* Whether enough equal vertices lie within the same group of `near_vertices`, in which the GPU
 * reuses them. */
static bool
cf_reuse_pays(const uint32_t *same, uint32_t count, uint32_t near_vertices)
{
   /* + 1, by vertex; 0: none */
   uint32_t *last_group = near_vertices ? CALLOC(count, sizeof(*last_group)) : NULL;
   uint32_t shaded = 0;

   if (!last_group)
      return false;
   for (uint32_t i = 0; i < count; i++) {
      const uint32_t group = i / near_vertices + 1;
      shaded += last_group[same[i]] != group;
      last_group[same[i]] = group;
   }
   FREE(last_group);
   return shaded <= cf_reuse_limit(count);
}

/* Continue comparing the draw's vertices. True: the search is finished. */
static bool
cf_reuse_compare(struct cf_context *context, const struct cf_reuse_draw *d,
                 struct cf_reuse_range *range)
{
   const uint32_t count = d->layout.count, share = cf_reuse_share(context, d);
   struct cf_vertex_bytes attributes[CF_REUSE_MAX_ATTRIBUTES];

   if (!share)
      return false;
   for (unsigned i = 0; i < d->layout.attributes; i++) {
      const uint32_t stride_B = d->layout.attribute[i].stride_B;
      attributes[i] = (struct cf_vertex_bytes){
         .first = (const uint8_t *)d->buffer[i]->bo.map + d->layout.attribute[i].offset_B +
                  (size_t)d->layout.start * stride_B,
         .stride_B = stride_B,
         .size_B = d->layout.attribute[i].size_B,
      };
   }
   if (!range->search)
      range->search = cf_equal_search_begin(count, cf_reuse_limit(count));
   return !range->search ||
          cf_equal_search_step(range->search, attributes, d->layout.attributes, share);
}

static struct cf_buffer *
cf_reuse_upload(struct cf_screen *screen, const uint32_t *same, uint32_t count,
                uint32_t index_size_B)
{
   struct cf_buffer *buffer = cf_buffer_create_uncleared(screen, (uint64_t)count * index_size_B);
   if (!buffer)
      return NULL;
   if (index_size_B == 4) {
      memcpy(buffer->bo.map, same, 4 * (size_t)count);
   } else {
      uint16_t *indices = buffer->bo.map;
      for (uint32_t i = 0; i < count; i++)
         indices[i] = same[i];
   }
   return buffer;
}

/* Store a list. Lists of one buffer take at most twice its memory: beyond that all others are
 * dropped. */
static void
cf_reuse_store_list(struct cf_reuse *reuse, const struct cf_reuse_draw *d,
                    struct cf_reuse_range *range, struct cf_buffer *indices)
{
   const uint64_t limit_B = 2 * d->owner->size_B;

   if (reuse->indices_B + indices->bo.size_B > limit_B) {
      for (unsigned i = 0; i < reuse->count; i++)
         cf_reuse_drop_list(reuse, &reuse->ranges[i]);
   }
   if (indices->bo.size_B > limit_B)
      return;
   cf_buffer_reference(&range->indices, indices);
   reuse->indices_B += indices->bo.size_B;
}

/* Build the list, if there are enough equal vertices and memory. */
static void
cf_reuse_make_list(struct cf_context *context, struct cf_reuse *reuse,
                   const struct cf_reuse_draw *d, struct cf_reuse_range *range)
{
   const uint32_t count = d->layout.count;
   const uint32_t near_vertices = cf_reuse_near_vertices(context->screen->gpu, d->layout.mode);
   uint32_t different;
   const uint32_t *same = range->search ? cf_equal_search_result(range->search, &different) : NULL;

   if (same && cf_reuse_pays(same, count, near_vertices)) {
      range->index_size_B = count <= 65536 ? 2 : 4;
      struct cf_buffer *indices =
         cf_reuse_upload(context->screen, same, count, range->index_size_B);
      if (indices)
         cf_reuse_store_list(reuse, d, range, indices);
      cf_buffer_reference(&indices, NULL);
   }
   cf_equal_search_end(range->search);
   range->search = NULL;
}

/* The range with the draw's list, or NULL. */
static struct cf_reuse_range *
cf_reuse_find_list(struct cf_context *context, struct cf_reuse *reuse,
                   const struct cf_reuse_draw *d)
{
   struct cf_reuse_range *range = cf_reuse_find_range(reuse, d);

   if (!range || cf_reuse_is_written(context, d))
      return NULL;
   range->draws++;
   if (!range->indices && range->draws > range->patience && cf_reuse_compare(context, d, range)) {
      cf_reuse_make_list(context, reuse, d, range);
      range->draws = 0;
      range->patience = MIN2(2 * range->patience, UINT32_C(1) << 20);
   }
   return range->indices ? range : NULL;
}

bool
cf_reuse_vertices(struct cf_context *context, const struct pipe_draw_info *info,
                  const struct pipe_draw_start_count_bias *draw, struct cf_reuse_indices *indices)
{
   const struct cf_shader_object *shader = context->stage[CF_SHADER_STAGE_VERTEX].shader;
   struct cf_reuse_draw d;

   if (info->index_size || draw->count < CF_REUSE_MIN_VERTICES ||
       draw->count > CF_REUSE_MAX_VERTICES || context->client.buffers || shader->reads_vertex_id ||
       !shader->pure || context->screen->debug & CF_DEBUG_NOREUSE ||
       !cf_reuse_describe(context, info->mode, draw, &d))
      return false;

   struct cf_reuse *reuse = &d.owner->reuse;
   simple_mtx_lock(&reuse->lock);
   const struct cf_reuse_range *range = cf_reuse_find_list(context, reuse, &d);
   if (range) {
      cf_batch_use(&context->batch, range->indices, CF_ACCESS_READ);
      *indices = (struct cf_reuse_indices){
         .address = range->indices->bo.address,
         .size_B = draw->count * range->index_size_B,
         .index_size_B = range->index_size_B,
      };
   }
   simple_mtx_unlock(&reuse->lock);
   return range != NULL;
}
