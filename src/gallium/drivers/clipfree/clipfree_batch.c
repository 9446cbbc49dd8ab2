/* SPDX-License-Identifier: MIT */
/*
 * Batches. Command buffers and uploads live in chunks of one size from the screen's pool; an upload
 * larger than a chunk gets a buffer of its own.
 */
#include "clipfree_batch.h"

#include "util/hash_table.h"
#include "util/u_math.h"

#include "clipfree_debug.h"
#include "clipfree_screen.h"

static bool
cf_batch_start(struct cf_batch *batch)
{
   batch->id = p_atomic_inc_return(&batch->screen->batch_count);
   batch->commands = cf_buffer_create_chunk(batch->screen);
   batch->dw = batch->end_dw = NULL;
   memset(batch->uploaded, 0, sizeof(batch->uploaded));
   if (!batch->commands) {
      batch->out_of_memory = true;
      return false;
   }
   batch->dw = batch->commands->bo.map;
   /* reserves room for the END packet */
   batch->end_dw = batch->dw + CF_CHUNK_B / 4 - CF_END_DWORDS;
   cf_batch_use(batch, batch->commands, CF_ACCESS_READ);
   return true;
}

bool
cf_batch_init(struct cf_batch *batch, struct cf_screen *screen)
{
   memset(batch, 0, sizeof(*batch));
   batch->screen = screen;
   batch->recorder = p_atomic_inc_return(&screen->batch_count);
   batch->access = _mesa_pointer_hash_table_create(NULL);
   return batch->access && cf_batch_start(batch);
}

static void
cf_batch_drop_references(struct cf_batch *batch)
{
   cf_clears_forget(batch);
   hash_table_foreach(batch->access, entry)
   {
      struct cf_buffer *buffer = (struct cf_buffer *)entry->key;
      cf_buffer_reference(&buffer, NULL);
   }
   _mesa_hash_table_clear(batch->access, NULL);
   cf_buffer_reference(&batch->commands, NULL);
   cf_buffer_reference(&batch->uploads, NULL);
}

void
cf_batch_fini(struct cf_batch *batch)
{
   if (!batch->access)
      return;
   cf_batch_drop_references(batch);
   _mesa_hash_table_destroy(batch->access, NULL);
   batch->access = NULL;
}

bool
cf_batch_has_room(const struct cf_batch *batch, uint32_t dwords)
{
   return batch->dw && batch->end_dw - batch->dw >= (ptrdiff_t)dwords &&
          batch->clears.count + CF_CLEAR_NOTES_ADDED <= CF_CLEAR_NOTES &&
          batch->large_B < CF_BATCH_LARGE_B;
}

bool
cf_batch_is_empty(const struct cf_batch *batch)
{
   return !batch->commands || batch->dw == batch->commands->bo.map;
}

void
cf_batch_use(struct cf_batch *batch, struct cf_buffer *buffer, uint32_t access)
{
   if (cf_batch_noted(batch, buffer, access))
      return;
   if (access & CF_ACCESS_WRITE)
      cf_buffer_touch(buffer);
   struct hash_entry *entry = _mesa_hash_table_search(batch->access, buffer);
   if (entry) {
      access |= (uint32_t)(uintptr_t)entry->data;
      entry->data = (void *)(uintptr_t)access;
   } else {
      struct cf_buffer *reference = NULL;
      cf_buffer_reference(&reference, buffer);
      _mesa_hash_table_insert(batch->access, buffer, (void *)(uintptr_t)access);
   }
   p_atomic_set(&buffer->batch_use, batch->id << 2 | access);
}

bool
cf_batch_uses(const struct cf_batch *batch, const struct cf_buffer *buffer, uint32_t access)
{
   const struct hash_entry *entry = _mesa_hash_table_search(batch->access, buffer);
   return entry && ((uint32_t)(uintptr_t)entry->data & access);
}

/* Allocate a separate buffer for an upload that is too large for a chunk. */
static void *
cf_batch_upload_large(struct cf_batch *batch, uint32_t size_B, uint64_t *address,
                      struct cf_buffer **buffer)
{
   struct cf_buffer *own = cf_buffer_create_uncleared(batch->screen, size_B);
   if (!own) {
      batch->out_of_memory = true;
      return NULL;
   }
   cf_batch_use(batch, own, CF_ACCESS_READ);
   batch->large_B += own->bo.size_B;
   if (buffer)
      cf_buffer_reference(buffer, own);
   void *map = own->bo.map;
   *address = own->bo.address;
   cf_buffer_reference(&own, NULL);
   return map;
}

void *
cf_batch_upload(struct cf_batch *batch, uint32_t size_B, uint64_t *address,
                struct cf_buffer **buffer)
{
   batch->uploaded_B += size_B;
   if (size_B > CF_CHUNK_B / 4)
      return cf_batch_upload_large(batch, size_B, address, buffer);

   if (!batch->uploads || batch->uploads_used_B + size_B > CF_CHUNK_B) {
      cf_buffer_reference(&batch->uploads, NULL);
      batch->uploads = cf_buffer_create_chunk(batch->screen);
      batch->uploads_used_B = 0;
      if (!batch->uploads) {
         batch->out_of_memory = true;
         return NULL;
      }
   }
   cf_batch_use(batch, batch->uploads, CF_ACCESS_READ);
   if (buffer)
      cf_buffer_reference(buffer, batch->uploads);
   *address = batch->uploads->bo.address + batch->uploads_used_B;
   void *map = (uint8_t *)batch->uploads->bo.map + batch->uploads_used_B;
   batch->uploads_used_B += align(size_B, 64);
   return map;
}

uint64_t
cf_batch_upload_data(struct cf_batch *batch, const void *data, uint32_t size_B)
{
   uint64_t address;
   void *map = cf_batch_upload(batch, size_B, &address, NULL);
   if (!map)
      return 0;
   memcpy(map, data, size_B);
   return address;
}

uint64_t
cf_batch_upload_once(struct cf_batch *batch, const uint32_t *dw, uint32_t size_B)
{
   /* the low bits of addresses are mostly 0 */
   const uint32_t place = (dw[0] * 0x9e3779b1u >> 16) % CF_BATCH_UPLOADED;
   struct cf_batch_uploaded *uploaded = &batch->uploaded[place];

   if (uploaded->address && uploaded->size_B == size_B && memcmp(uploaded->map, dw, size_B) == 0)
      return uploaded->address;
   void *map = cf_batch_upload(batch, size_B, &uploaded->address, NULL);
   if (!map)
      return uploaded->address = 0;
   memcpy(map, dw, size_B);
   uploaded->map = map;
   uploaded->size_B = size_B;
   return uploaded->address;
}

/* Submit the command buffer and update the buffers that it uses. The lock makes their seqnos and
 * clears follow the order of submissions. */
static uint64_t
cf_batch_send(struct cf_batch *batch)
{
   struct cf_screen *screen = batch->screen;
   const struct cf_bo *bo = &batch->commands->bo;
   const uint32_t size_B = (uint8_t *)batch->dw - (uint8_t *)bo->map;

   simple_mtx_lock(&screen->submit_lock);
   const uint64_t seqno =
      screen->gpu->ops->submit(screen->gpu, bo->address, size_B, batch->limit_ns);
   hash_table_foreach(batch->access, entry)
   {
      struct cf_buffer *buffer = (struct cf_buffer *)entry->key;
      const uint32_t access = (uint32_t)(uintptr_t)entry->data;
      if (access & CF_ACCESS_READ)
         buffer->read_seqno = seqno;
      if (access & CF_ACCESS_WRITE) {
         buffer->write_seqno = seqno;
         if (buffer->write_recorder && buffer->write_recorder != batch->recorder)
            cf_buffer_mark_write(buffer); /* it may have been recorded long ago */
         buffer->write_recorder = batch->recorder;
         /* another context may have read the contents before this write, when it saw no writer */
         cf_buffer_touch(buffer);
      }
   }
   cf_clears_apply(batch);
   simple_mtx_unlock(&screen->submit_lock);
   return seqno;
}

/* Wait if recording is too far ahead of the GPU: bounds the memory in flight. */
static void
cf_batch_throttle(struct cf_batch *batch)
{
   struct cf_gpu *gpu = batch->screen->gpu;

   if (batch->large_B >= CF_BATCH_LARGE_B) {
      if (batch->large_seqno)
         gpu->ops->wait(gpu, batch->large_seqno, UINT64_MAX);
      batch->large_seqno = batch->last_seqno;
   }
   if (batch->screen->debug & CF_DEBUG_SYNC)
      gpu->ops->wait(gpu, batch->last_seqno, UINT64_MAX);
}

uint64_t
cf_batch_submit(struct cf_batch *batch)
{
   if (!cf_batch_is_empty(batch)) {
      CF_EMIT(batch, END, end, 0);
      batch->last_seqno = cf_batch_send(batch);
      cf_batch_throttle(batch);
   }
   if (!cf_batch_is_empty(batch) || batch->large_B || !batch->commands) {
      cf_batch_drop_references(batch);
      cf_batch_start(batch);
   }
   batch->large_B = 0;
   return batch->last_seqno;
}
