/* SPDX-License-Identifier: MIT */
#include "clipfree_clears.h"

#include <assert.h>

#include "util/u_atomic.h"
#include "util/u_memory.h"

#include "clipfree_batch.h"
#include "clipfree_buffer.h"

bool
cf_clears_init(struct cf_buffer *buffer, uint32_t images)
{
   buffer->clears = (struct cf_clears){ .pending = CALLOC(images, sizeof(bool)) };
   return buffer->clears.pending != NULL;
}

void
cf_clears_fini(struct cf_buffer *buffer)
{
   FREE(buffer->clears.pending);
   /* the memory may be reused for a resource without tiles */
   buffer->clears.pending = NULL;
   p_atomic_set(&buffer->clears.count, 0);
}

/* The batch's note of the image; NULL: none. */
static const struct cf_clear_note *
cf_clears_find(const struct cf_batch *batch, const struct cf_buffer *buffer, uint32_t image)
{
   const struct cf_clear_log *log = &batch->clears;
   for (uint32_t i = 0; i < log->count; i++) {
      if (log->note[i].buffer == buffer && log->note[i].image == image)
         return &log->note[i];
   }
   return NULL;
}

void
cf_clears_note(struct cf_batch *batch, struct cf_buffer *buffer, uint32_t image, bool pending)
{
   struct cf_clear_log *log = &batch->clears;
   struct cf_clear_note *note = (struct cf_clear_note *)cf_clears_find(batch, buffer, image);

   if (!note) {
      assert(log->count < CF_CLEAR_NOTES);
      note = &log->note[log->count++];
      *note = (struct cf_clear_note){ .buffer = buffer, .image = image };
      cf_batch_use(batch, buffer, CF_ACCESS_WRITE); /* the reference lives as long as the note */
   }
   if (note->pending != pending)
      p_atomic_add(&buffer->clears.count, pending ? 1 : -1);
   note->pending = pending;
}

bool
cf_clears_pending(const struct cf_batch *batch, const struct cf_buffer *buffer, uint32_t image)
{
   if (!p_atomic_read(&buffer->clears.count))
      return false;
   const struct cf_clear_note *note = cf_clears_find(batch, buffer, image);
   return note ? note->pending : p_atomic_read(&buffer->clears.pending[image]);
}

void
cf_clears_apply(struct cf_batch *batch)
{
   const struct cf_clear_log *log = &batch->clears;
   for (uint32_t i = 0; i < log->count; i++) {
      const struct cf_clear_note *note = &log->note[i];
      struct cf_clears *clears = &note->buffer->clears;
      if (clears->pending[note->image] == note->pending)
         continue;
      p_atomic_set(&clears->pending[note->image], note->pending);
      p_atomic_add(&clears->count, note->pending ? 1 : -1);
   }
}

void
cf_clears_forget(struct cf_batch *batch)
{
   struct cf_clear_log *log = &batch->clears;
   for (uint32_t i = 0; i < log->count; i++) {
      if (log->note[i].pending)
         p_atomic_add(&log->note[i].buffer->clears.count, -1);
   }
   log->count = 0;
}
