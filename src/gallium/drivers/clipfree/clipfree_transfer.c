/* SPDX-License-Identifier: MIT */
/*
 * Transfers: CPU access to resources.
 *
 * Buffers are mapped in place. A write to a buffer that the GPU still uses: renames it if all of it
 * is replaced; duplicates it on the CPU if it is small and the GPU only reads it; goes through
 * staging memory, copied by the GPU, if a range is replaced; else waits. Textures lie in blocks:
 * the CPU maps linear staging memory. After a write it is copied to blocks by the CPU if the GPU
 * does not use the texture, or all of it is replaced, else by the GPU. Writes to textures never
 * wait, reads do.
 */
#include "util/format/u_format.h"
#include "util/u_debug.h"
#include "util/u_math.h"
#include "util/u_transfer.h"

#include "clipfree_context.h"
#include "clipfree_present.h"
#include "clipfree_resource.h"
#include "clipfree_samples.h"
#include "clipfree_screen.h"
#include "clipfree_filled.h"

/* ------------------------------------------------------------------ synchronisation */

/* Submit and wait for work that accesses the buffer (access WRITE: for writes; READ | WRITE: for
 * all uses). False: PIPE_MAP_DONTBLOCK, and it would wait. */
static bool
cf_transfer_sync(struct cf_context *context, struct cf_buffer *buffer, uint32_t access,
                 unsigned usage)
{
   if (cf_batch_uses(&context->batch, buffer, access)) {
      if (usage & PIPE_MAP_DONTBLOCK)
         cf_context_kick(context);
      else
         cf_context_submit(context);
   }
   if (cf_buffer_wait(buffer, access, 0))
      return true;
   if (usage & PIPE_MAP_DONTBLOCK)
      return false;
   context->counters[CF_COUNTER_WAITS]++;
   util_debug_message(&context->base.debug, PERF_INFO, "clipfree: mapping %s waits for the GPU",
                      usage & PIPE_MAP_WRITE ? "what it still uses, to write,"
                                             : "what it still writes");
   const bool done = cf_buffer_wait(buffer, access, UINT64_MAX);
   cf_reset_check(context);
   return done;
}

/* Whether recorded or unfinished submitted work accesses the resource in one of these ways. */
static bool
cf_resource_is_in_use(struct cf_context *context, struct cf_resource *resource, uint32_t access)
{
   struct cf_buffer *buffer = cf_resource_buffer(resource);
   return cf_batch_uses(&context->batch, buffer, access) || !cf_buffer_wait(buffer, access, 0);
}

/* Rename a resource: replace its memory by `renamed`; recorded work keeps the old memory. False:
 * `renamed` is NULL. */
static bool
cf_resource_rename(struct cf_context *context, struct cf_resource *resource,
                   struct cf_buffer *renamed)
{
   if (!renamed)
      return false;
   cf_resource_replace(resource, renamed);
   /* recorded or unfinished work holds the old memory */
   context->batch.large_B += resource->size_B;
   return true;
}

/* Rename with discarded contents. */
static bool
cf_resource_discard(struct cf_context *context, struct cf_resource *resource)
{
   if (!cf_resource_rename(context, resource, cf_buffer_create(context->screen, resource->size_B)))
      return false;
   util_range_set_empty(&resource->valid);
   return true;
}

/* Rename with a copy of the contents. */
static bool
cf_resource_duplicate(struct cf_context *context, struct cf_resource *resource)
{
   struct cf_buffer *renamed = cf_buffer_create_uncleared(context->screen, resource->size_B);
   struct cf_buffer *old = cf_resource_hold(resource);
   if (renamed)
      memcpy(renamed->bo.map, old->bo.map, resource->size_B);
   cf_buffer_reference(&old, NULL);
   return cf_resource_rename(context, resource, renamed);
}

/* ------------------------------------------------------------------ buffers */

/* Above these sizes duplicating is slower than waiting; than the GPU's copy of a range, which ends
 * a pass. */
#define CF_DUPLICATE_LIMIT_B (256 * 1024)
#define CF_DUPLICATE_FOR_RANGE_B (32 * 1024)

/* Weaken or strengthen the caller's map flags where the result is the same but cheaper. */
static unsigned
cf_buffer_map_usage(struct cf_context *context, struct cf_resource *resource, unsigned usage,
                    const struct pipe_box *box)
{
   /* no work uses bytes that were never written */
   if (!(usage & PIPE_MAP_READ) &&
       !util_ranges_intersect(&resource->valid, box->x, box->x + box->width))
      return usage | PIPE_MAP_UNSYNCHRONIZED;
   /* the caller guarantees that no draw uses these bytes, but copies from staging memory may still
    * write them */
   if (usage & PIPE_MAP_UNSYNCHRONIZED && cf_resource_is_in_use(context, resource, CF_ACCESS_WRITE))
      usage &= ~PIPE_MAP_UNSYNCHRONIZED;
   if (usage & (PIPE_MAP_UNSYNCHRONIZED | PIPE_MAP_READ))
      return usage;
   if ((usage & PIPE_MAP_DISCARD_RANGE) && box->x == 0 &&
       (uint32_t)box->width == resource->base.width0)
      usage |= PIPE_MAP_DISCARD_WHOLE_RESOURCE;
   return usage;
}

/* Map staging memory, while the GPU still uses the old contents. NULL: out of memory. */
static void *
cf_buffer_map_staging(struct cf_context *context, struct cf_transfer *transfer)
{
   const struct pipe_box *box = &transfer->base.box;
   uint8_t *map = cf_batch_upload(&context->batch, box->width + box->x % 64, &transfer->address,
                                  &transfer->staging);
   /* the mapped pointer has the same alignment as in the buffer itself */
   transfer->address += box->x % 64;
   return map ? map + box->x % 64 : NULL;
}

/* Map the memory itself, which the transfer holds until it is unmapped. */
static void *
cf_buffer_map_in_place(struct cf_transfer *transfer)
{
   transfer->mapped = cf_resource_hold(cf_resource(transfer->base.resource));
   return (uint8_t *)transfer->mapped->bo.map + transfer->base.box.x;
}

static void *
cf_buffer_map_memory(struct cf_context *context, struct cf_transfer *transfer)
{
   struct cf_resource *resource = cf_resource(transfer->base.resource);
   const struct pipe_box *box = &transfer->base.box;
   const unsigned usage = cf_buffer_map_usage(context, resource, transfer->base.usage, box);
   const bool persistent =
      usage & PIPE_MAP_PERSISTENT || resource->base.flags & PIPE_RESOURCE_FLAG_MAP_PERSISTENT;

   if (usage & PIPE_MAP_UNSYNCHRONIZED)
      return cf_buffer_map_in_place(transfer);

   const bool may_replace = !persistent && usage & PIPE_MAP_WRITE && !(usage & PIPE_MAP_DIRECTLY);
   if (may_replace && cf_resource_is_in_use(context, resource, CF_ACCESS_READ | CF_ACCESS_WRITE)) {
      const bool may_discard = !(usage & PIPE_MAP_READ);
      if (may_discard && usage & PIPE_MAP_DISCARD_WHOLE_RESOURCE &&
          cf_resource_discard(context, resource))
         return cf_buffer_map_in_place(transfer);
      const bool is_range = may_discard && usage & PIPE_MAP_DISCARD_RANGE;
      if (resource->size_B <= (is_range ? CF_DUPLICATE_FOR_RANGE_B : CF_DUPLICATE_LIMIT_B) &&
          !cf_resource_is_in_use(context, resource, CF_ACCESS_WRITE) &&
          cf_resource_duplicate(context, resource))
         return cf_buffer_map_in_place(transfer);
      void *map = is_range ? cf_buffer_map_staging(context, transfer) : NULL;
      if (map)
         return map;
   }
   const uint32_t access = CF_ACCESS_WRITE | (usage & PIPE_MAP_WRITE ? CF_ACCESS_READ : 0);
   if (!cf_transfer_sync(context, cf_resource_buffer(resource), access, usage))
      return NULL;
   return cf_buffer_map_in_place(transfer);
}

static struct cf_transfer *
cf_transfer_create(struct cf_context *context, struct pipe_resource *resource, unsigned level,
                   unsigned usage, const struct pipe_box *box)
{
   struct cf_transfer *transfer = slab_zalloc(&context->transfer_pool);
   if (!transfer)
      return NULL;
   pipe_resource_reference(&transfer->base.resource, resource);
   transfer->base.level = level;
   transfer->base.usage = usage;
   transfer->base.box = *box;
   return transfer;
}

/* A map fails. Mesa does not always say so. */
static void *
cf_map_nothing(struct cf_context *context, unsigned usage)
{
   return usage & (PIPE_MAP_DONTBLOCK | PIPE_MAP_DIRECTLY) ? NULL : cf_no_memory(context);
}

static void
cf_transfer_destroy(struct cf_context *context, struct cf_transfer *transfer)
{
   cf_buffer_reference(&transfer->mapped, NULL);
   cf_buffer_reference(&transfer->staging, NULL);
   pipe_resource_reference(&transfer->base.resource, NULL);
   slab_free(&context->transfer_pool, transfer);
}

static void *
cf_buffer_map(struct pipe_context *pcontext, struct pipe_resource *presource, unsigned level,
              unsigned usage, const struct pipe_box *box, struct pipe_transfer **out)
{
   struct cf_context *context = cf_context(pcontext);
   struct cf_resource *resource = cf_resource(presource);
   struct cf_transfer *transfer = cf_transfer_create(context, presource, level, usage, box);
   void *map = transfer ? cf_buffer_map_memory(context, transfer) : NULL;

   if (!map) {
      if (transfer)
         cf_transfer_destroy(context, transfer);
      return cf_map_nothing(context, usage);
   }
   if (usage & PIPE_MAP_WRITE)
      cf_buffer_touch(cf_resource_buffer(resource));
   if (usage & PIPE_MAP_WRITE && !(usage & PIPE_MAP_FLUSH_EXPLICIT))
      util_range_add(presource, &resource->valid, box->x, box->x + box->width);
   *out = &transfer->base;
   return map;
}

/* Bytes first_B .. first_B + size_B - 1 of the mapped range were written: copy them from staging
 * memory, if any. */
static void
cf_buffer_flush_range(struct cf_context *context, struct cf_transfer *transfer, unsigned first_B,
                      unsigned size_B)
{
   struct cf_resource *resource = cf_resource(transfer->base.resource);
   const unsigned offset_B = transfer->base.box.x + first_B;

   util_range_add(&resource->base, &resource->valid, offset_B, offset_B + size_B);
   if (!transfer->staging || !size_B || !cf_context_begin(context, CF_COPY_BUFFER_DWORDS))
      return;
   cf_batch_use(&context->batch, transfer->staging, CF_ACCESS_READ);
   const struct cf_buffer *memory = cf_resource_use(&context->batch, resource, CF_ACCESS_WRITE);
   CF_EMIT(&context->batch, COPY_BUFFER, copy_buffer, .source = transfer->address + first_B,
           .destination = memory->bo.address + offset_B, .size_B = size_B);
}

static void
cf_transfer_flush_region(struct pipe_context *pcontext, struct pipe_transfer *ptransfer,
                         const struct pipe_box *box)
{
   if (ptransfer->resource->target == PIPE_BUFFER)
      cf_buffer_flush_range(cf_context(pcontext), (struct cf_transfer *)ptransfer, box->x,
                            box->width);
}

static void
cf_buffer_unmap(struct pipe_context *pcontext, struct pipe_transfer *ptransfer)
{
   struct cf_context *context = cf_context(pcontext);
   struct cf_transfer *transfer = (struct cf_transfer *)ptransfer;

   if (ptransfer->usage & PIPE_MAP_WRITE && !(ptransfer->usage & PIPE_MAP_FLUSH_EXPLICIT))
      cf_buffer_flush_range(context, transfer, 0, ptransfer->box.width);
   if (ptransfer->usage & PIPE_MAP_WRITE)
      cf_buffer_touch(cf_resource_buffer(cf_resource(ptransfer->resource)));
   cf_transfer_destroy(context, transfer);
}

/* Rename a buffer that is in use with these contents, which other contexts see at once. False: it
 * is idle or must keep its memory; or out of memory. */
static bool
cf_buffer_replace(struct cf_context *context, struct cf_resource *resource, unsigned usage,
                  const void *data)
{
   if (usage & (PIPE_MAP_UNSYNCHRONIZED | PIPE_MAP_DIRECTLY | PIPE_MAP_PERSISTENT) ||
       resource->base.flags & PIPE_RESOURCE_FLAG_MAP_PERSISTENT ||
       !cf_resource_is_in_use(context, resource, CF_ACCESS_READ | CF_ACCESS_WRITE))
      return false;
   struct cf_buffer *renamed = cf_buffer_create_uncleared(context->screen, resource->size_B);
   if (renamed)
      memcpy(renamed->bo.map, data, resource->base.width0);
   if (!cf_resource_rename(context, resource, renamed))
      return false;
   util_range_add(&resource->base, &resource->valid, 0, resource->base.width0);
   return true;
}

static void
cf_buffer_subdata(struct pipe_context *pcontext, struct pipe_resource *presource, unsigned usage,
                  unsigned offset, unsigned size, const void *data)
{
   if (offset || size != presource->width0 ||
       !cf_buffer_replace(cf_context(pcontext), cf_resource(presource), usage, data))
      u_default_buffer_subdata(pcontext, presource, usage, offset, size, data);
}

/* ------------------------------------------------------------------ textures */

/* A box of one image of a texture, and rows of pixels in memory that the batch uses. */
struct cf_texture_rows {
   struct cf_resource *texture;
   unsigned level, image;
   const struct pipe_box *box;
   uint64_t address;
   uint32_t row_pitch_B;
};

/* Record the copy between box and rows. False: out of memory. */
static bool
cf_texture_copy_rows(struct cf_context *context, const struct cf_texture_rows *rows, bool read)
{
   struct cf_batch *batch = &context->batch;
   struct cf_resource *resource = rows->texture;
   const struct pipe_box *box = rows->box;
   const uint32_t unit_px = cf_resource_unit_px(resource);
   const uint32_t x = box->x / unit_px, width = DIV_ROUND_UP(box->width, unit_px);
   const uint32_t y = box->y / unit_px, height = DIV_ROUND_UP(box->height, unit_px);
   const uint64_t in_blocks =
      cf_resource_upload_surface(batch, resource, rows->level, rows->image, resource->format,
                                 CF_ACCESS_READ | CF_ACCESS_WRITE);
   const uint64_t in_rows = cf_upload_linear_surface(
      batch, rows->address, cf_copy_format(resource->format), width, height, rows->row_pitch_B);

   if (!in_blocks || !in_rows)
      return false;
   context->counters[CF_COUNTER_COPIES]++;
   if (read)
      CF_EMIT(batch, COPY, copy, .source = in_blocks, .source_x_px = x, .source_y_px = y,
              .destination = in_rows, .width_px = width, .height_px = height);
   else
      CF_EMIT(batch, COPY, copy, .source = in_rows, .destination = in_blocks, .destination_x_px = x,
              .destination_y_px = y, .width_px = width, .height_px = height);
   return true;
}

/* Record the copy between a box of the texture and staging memory. False: out of memory. */
static bool
cf_texture_copy_box(struct cf_context *context, struct cf_transfer *transfer, bool read)
{
   struct cf_resource *resource = cf_resource(transfer->base.resource);
   const struct pipe_box *box = &transfer->base.box;

   if (!read) {
      cf_buffer_mark_write(cf_resource_buffer(resource));
      cf_filled_add(resource, transfer->base.level, box);
   }
   for (int i = 0; i < box->depth; i++) {
      const struct cf_texture_rows rows = {
         .texture = resource,
         .level = transfer->base.level,
         .image = box->z + i,
         .box = box,
         .address = transfer->address + i * transfer->base.layer_stride,
         .row_pitch_B = transfer->base.stride,
      };
      if (!cf_context_begin(context, CF_COPY_DWORDS))
         return false;
      cf_batch_use(&context->batch, transfer->staging, read ? CF_ACCESS_WRITE : CF_ACCESS_READ);
      if (!cf_texture_copy_rows(context, &rows, read))
         return false;
   }
   return true;
}

/* pipe_context.texture_to_buffer, for glReadPixels to a pixel buffer object. False if the rows are
 * no surface (packets.toml): that begins at a multiple of 16 bytes, its pitch is a multiple of a
 * pixel, and its last row is as long as the others, so that it may end behind the buffer. */
static bool
cf_texture_to_buffer(struct pipe_context *pcontext, struct pipe_resource *ptexture, unsigned level,
                     const struct pipe_box *box, struct pipe_resource *pbuffer, unsigned offset_B,
                     unsigned row_pitch_B)
{
   struct cf_context *context = cf_context(pcontext);
   struct cf_resource *texture = cf_resource(ptexture), *buffer = cf_resource(pbuffer);
   const uint64_t end_B = offset_B + (uint64_t)row_pitch_B * box->height;

   if (offset_B % 16 || row_pitch_B % cf_resource_unit_B(texture) || end_B > pbuffer->width0 ||
       cf_resource_samples(texture) > 1)
      return false;
   cf_present_read_in(context, texture);
   cf_samples_store(context);
   if (!cf_context_begin(context, CF_COPY_DWORDS))
      return false;
   const struct cf_buffer *memory = cf_resource_use(&context->batch, buffer, CF_ACCESS_WRITE);
   util_range_add(pbuffer, &buffer->valid, offset_B, (unsigned)end_B);
   return cf_texture_copy_rows(context,
                               &(struct cf_texture_rows){ .texture = texture,
                                                          .level = level,
                                                          .image = box->z,
                                                          .box = box,
                                                          .address = memory->bo.address + offset_B,
                                                          .row_pitch_B = row_pitch_B },
                               true);
}

/* Whether the texture is attached to the frame buffer. */
static bool
cf_is_attached(const struct cf_context *context, const struct pipe_resource *texture)
{
   const struct pipe_framebuffer_state *fb = &context->framebuffer;
   bool attached = fb->zsbuf && fb->zsbuf->texture == texture;
   for (unsigned i = 0; i < fb->nr_cbufs; i++)
      attached |= fb->cbufs[i] && fb->cbufs[i]->texture == texture;
   return attached;
}

/* Whether the box is all of the texture's first level. */
static bool
cf_box_is_level(const struct cf_resource *resource, unsigned level, const struct pipe_box *box)
{
   return level == 0 && box->x == 0 && box->y == 0 && box->z == 0 &&
          (uint32_t)box->width == resource->level[0].width_px &&
          (uint32_t)box->height == resource->level[0].height_px;
}

/* A reference to memory of the texture that the CPU may write now: its own if it is idle, else new
 * memory (*is_new) if all of the texture is replaced. NULL: the GPU has to write. */
static struct cf_buffer *
cf_texture_hold_idle(struct cf_context *context, struct cf_resource *resource, unsigned level,
                     const struct pipe_box *box, bool *is_new)
{
   *is_new = cf_resource_is_in_use(context, resource, CF_ACCESS_READ | CF_ACCESS_WRITE);
   if (!*is_new)
      return cf_resource_hold(resource);
   if (cf_resource_image_count(resource) > 1 || !cf_box_is_level(resource, level, box) ||
       cf_is_attached(context, &resource->base))
      return NULL;
   return cf_resource_create_memory(resource);
}

/* Write rows of pixels to a box of this memory of the texture. */
static bool
cf_texture_write_rows(struct cf_context *context, const struct cf_resource *resource,
                      const struct cf_buffer *memory, unsigned level, const struct pipe_box *box,
                      const void *rows, uint32_t row_pitch_B, uintptr_t image_pitch_B)
{
   struct cf_gpu *gpu = context->screen->gpu;
   const uint32_t unit_px = cf_resource_unit_px(resource);

   for (int i = 0; i < box->depth; i++) {
      const struct cf_surface surface =
         cf_resource_surface(resource, memory, level, box->z + i, resource->format);
      const struct cf_host_pixels pixels = {
         .surface = &surface,
         .x_px = box->x / unit_px,
         .y_px = box->y / unit_px,
         .width_px = DIV_ROUND_UP(box->width, unit_px),
         .height_px = DIV_ROUND_UP(box->height, unit_px),
         .rows = (const uint8_t *)rows + i * image_pitch_B,
         .row_pitch_B = row_pitch_B,
      };
      if (!gpu->ops->write_pixels(gpu, &pixels))
         return false;
   }
   return true;
}

/* Write rows of pixels to a box of the texture by the CPU. False: the GPU has to do it, since it
 * uses the texture. */
static bool
cf_texture_write_now(struct cf_context *context, struct cf_resource *resource, unsigned level,
                     const struct pipe_box *box, const void *rows, uint32_t row_pitch_B,
                     uintptr_t image_pitch_B)
{
   const uint32_t unit_px = cf_resource_unit_px(resource);
   bool is_new;

   /* displayed resources need a submission as their last writer (cf_present_is_current) */
   if (cf_resource_samples(resource) > 1 || resource->dt)
      return false;
   struct cf_buffer *memory = cf_texture_hold_idle(context, resource, level, box, &is_new);
   if (!memory || !cf_texture_write_rows(context, resource, memory, level, box, rows, row_pitch_B,
                                         image_pitch_B)) {
      cf_buffer_reference(&memory, NULL);
      return false;
   }
   cf_buffer_written_by_host(memory);
   cf_filled_add(resource, level, box);
   /* only now do other contexts see new memory */
   if (is_new)
      cf_resource_rename(context, resource, memory);
   else
      cf_buffer_reference(&memory, NULL);
   /* memory of textures that are drawn with and then deleted lives until the batch is submitted:
    * count it */
   context->batch.large_B += (uint64_t)DIV_ROUND_UP(box->width, unit_px) *
                             DIV_ROUND_UP(box->height, unit_px) * box->depth *
                             cf_resource_unit_B(resource);
   return true;
}

/* Map host memory for writing to an idle texture: the GPU never reads it, so that it is freed at
 * unmap. */
static bool
cf_texture_map_idle(struct cf_context *context, struct cf_transfer *transfer, uint64_t size_B)
{
   struct cf_resource *resource = cf_resource(transfer->base.resource);
   if (cf_resource_samples(resource) > 1 || resource->dt ||
       cf_resource_is_in_use(context, resource, CF_ACCESS_READ | CF_ACCESS_WRITE))
      return false;
   transfer->staging = cf_buffer_create_uncleared(context->screen, size_B);
   transfer->address = transfer->staging ? transfer->staging->bo.address : 0;
   return transfer->staging != NULL;
}

static bool
cf_texture_map_staging(struct cf_context *context, struct cf_transfer *transfer, void **map)
{
   const unsigned usage = transfer->base.usage;
   const unsigned discard = PIPE_MAP_DISCARD_RANGE | PIPE_MAP_DISCARD_WHOLE_RESOURCE;
   const bool read = usage & PIPE_MAP_READ || !(usage & discard);
   const uint64_t size_B = transfer->base.layer_stride * transfer->base.box.depth;

   if (usage & PIPE_MAP_DIRECTLY || size_B > UINT32_MAX)
      return false;
   if (!read && cf_texture_map_idle(context, transfer, size_B)) {
      *map = transfer->staging->bo.map;
      return true;
   }
   *map = cf_batch_upload(&context->batch, size_B, &transfer->address, &transfer->staging);
   if (!*map)
      return false;
   return !read || (cf_texture_copy_box(context, transfer, true) &&
                    cf_transfer_sync(context, transfer->staging, CF_ACCESS_WRITE, usage));
}

static void *
cf_texture_map(struct pipe_context *pcontext, struct pipe_resource *presource, unsigned level,
               unsigned usage, const struct pipe_box *box, struct pipe_transfer **out)
{
   struct cf_context *context = cf_context(pcontext);
   struct cf_transfer *transfer = cf_transfer_create(context, presource, level, usage, box);
   void *map;

   if (!transfer)
      return cf_map_nothing(context, usage);
   cf_present_read_in(context, cf_resource(presource));
   cf_samples_store(context);
   const struct cf_resource *resource = cf_resource(presource);
   const uint32_t unit_px = cf_resource_unit_px(resource);
   transfer->base.stride =
      align(DIV_ROUND_UP(box->width, unit_px) * cf_resource_unit_B(resource), 16);
   transfer->base.layer_stride =
      (uintptr_t)transfer->base.stride * DIV_ROUND_UP(box->height, unit_px);
   if (!cf_texture_map_staging(context, transfer, &map)) {
      cf_transfer_destroy(context, transfer);
      return cf_map_nothing(context, usage);
   }
   *out = &transfer->base;
   return map;
}

static void
cf_texture_unmap(struct pipe_context *pcontext, struct pipe_transfer *ptransfer)
{
   struct cf_context *context = cf_context(pcontext);
   struct cf_transfer *transfer = (struct cf_transfer *)ptransfer;
   const struct cf_buffer *staging = transfer->staging;
   const void *rows = (const uint8_t *)staging->bo.map + (transfer->address - staging->bo.address);

   if (ptransfer->usage & PIPE_MAP_WRITE &&
       !cf_texture_write_now(context, cf_resource(ptransfer->resource), ptransfer->level,
                             &ptransfer->box, rows, ptransfer->stride, ptransfer->layer_stride))
      cf_texture_copy_box(context, transfer, false);
   cf_transfer_destroy(context, transfer);
}

static void
cf_texture_subdata(struct pipe_context *pcontext, struct pipe_resource *presource, unsigned level,
                   unsigned usage, const struct pipe_box *box, const void *data, unsigned stride,
                   uintptr_t layer_stride)
{
   struct cf_context *context = cf_context(pcontext);

   cf_present_read_in(context, cf_resource(presource));
   cf_samples_store(context);
   if (stride > INT32_MAX || /* negative stride: rows from the last one on */
       !cf_texture_write_now(context, cf_resource(presource), level, box, data, stride,
                             layer_stride))
      u_default_texture_subdata(pcontext, presource, level, usage, box, data, stride, layer_stride);
}

void
cf_context_init_transfers(struct cf_context *context)
{
   slab_create_child(&context->transfer_pool, &context->screen->transfer_pool);
   context->base.buffer_map = cf_buffer_map;
   context->base.buffer_unmap = cf_buffer_unmap;
   context->base.transfer_flush_region = cf_transfer_flush_region;
   context->base.texture_map = cf_texture_map;
   context->base.texture_unmap = cf_texture_unmap;
   context->base.buffer_subdata = cf_buffer_subdata;
   context->base.texture_subdata = cf_texture_subdata;
   context->base.texture_to_buffer = cf_texture_to_buffer;
}
