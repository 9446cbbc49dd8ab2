/* SPDX-License-Identifier: MIT */
/*
 * Buffers. They may be destroyed at any time: a batch being recorded holds references, the GPU
 * frees memory only after all work submitted before, and the cache reuses memory only when it is
 * idle.
 */
#include "clipfree_buffer.h"

#include "util/u_math.h"
#include "util/u_memory.h"

#include "clipfree_screen.h"

/* ------------------------------------------------------------------ cache */

/* The bucket of a size; rounds *size_B up to the size of the bucket's buffers. */
static unsigned
cf_cache_bucket(uint64_t *size_B)
{
   const uint64_t size_kB = MAX2(DIV_ROUND_UP(*size_B, 1024), 4);
   const unsigned order = util_logbase2_64(size_kB); /* at least 2 */
   const uint64_t step_kB = UINT64_C(1) << (order - 2);
   const unsigned quarter =
      DIV_ROUND_UP(size_kB, step_kB) - 4; /* 0 .. 4; 4 is the next power of two */

   *size_B = (4 + quarter) * step_kB * 1024;
   return (order - 2) * 4 + quarter;
}

/* Take an idle buffer from the bucket; NULL: none. */
static struct cf_buffer *
cf_cache_take(struct cf_screen *screen, unsigned bucket)
{
   struct cf_buffer *result = NULL;

   simple_mtx_lock(&screen->cache_lock);
   list_for_each_entry(struct cf_buffer, buffer, &screen->cache[bucket], link)
   {
      if (cf_buffer_wait(buffer, CF_ACCESS_READ | CF_ACCESS_WRITE, 0)) {
         list_delinit(&buffer->link);
         screen->cache_B -= buffer->bo.size_B;
         result = buffer;
         break;
      }
   }
   simple_mtx_unlock(&screen->cache_lock);
   return result;
}

/* False: the cache is full. */
static bool
cf_cache_put(struct cf_buffer *buffer)
{
   struct cf_screen *screen = buffer->screen;
   uint64_t size_B = buffer->bo.size_B;
   const unsigned bucket = cf_cache_bucket(&size_B);

   simple_mtx_lock(&screen->cache_lock);
   const bool fits = size_B == buffer->bo.size_B && bucket < CF_CACHE_BUCKETS &&
                     screen->cache_B + size_B <= CF_CACHE_LIMIT_B;
   if (fits) {
      list_addtail(&buffer->link, &screen->cache[bucket]);
      screen->cache_B += size_B;
   }
   simple_mtx_unlock(&screen->cache_lock);
   return fits;
}

/* Keep the struct of a buffer without GPU memory for the next one (struct cf_buffer says why). */
static void
cf_buffer_retire(struct cf_buffer *buffer)
{
   struct cf_screen *screen = buffer->screen;
   simple_mtx_lock(&screen->cache_lock);
   list_add(&buffer->link, &screen->retired);
   simple_mtx_unlock(&screen->cache_lock);
}

static void
cf_buffer_free(struct cf_buffer *buffer)
{
   struct cf_gpu *gpu = buffer->screen->gpu;
   gpu->ops->bo_free(gpu, &buffer->bo);
   cf_buffer_retire(buffer);
}

static void
cf_cache_empty(struct cf_screen *screen)
{
   struct list_head all;

   list_inithead(&all);
   simple_mtx_lock(&screen->cache_lock);
   for (unsigned i = 0; i < CF_CACHE_BUCKETS; i++) {
      list_splicetail(&screen->cache[i], &all);
      list_inithead(&screen->cache[i]);
   }
   screen->cache_B = 0;
   simple_mtx_unlock(&screen->cache_lock);
   list_for_each_entry_safe(struct cf_buffer, buffer, &all, link) cf_buffer_free(buffer);
}

/* ------------------------------------------------------------------ buffers */

/* A buffer without GPU memory. NULL: out of memory. */
static struct cf_buffer *
cf_buffer_new(struct cf_screen *screen, bool of_host)
{
   struct cf_buffer *buffer = NULL;

   simple_mtx_lock(&screen->cache_lock);
   if (!list_is_empty(&screen->retired)) {
      buffer = list_first_entry(&screen->retired, struct cf_buffer, link);
      list_delinit(&buffer->link);
   }
   simple_mtx_unlock(&screen->cache_lock);
   if (!buffer)
      buffer = CALLOC_STRUCT(cf_buffer);
   if (buffer) {
      buffer->screen = screen;
      buffer->of_host = of_host;
   }
   return buffer;
}

/* Allocate GPU memory; *fresh: it is zero. */
static struct cf_buffer *
cf_buffer_allocate(struct cf_screen *screen, uint64_t size_B, bool *fresh)
{
   struct cf_gpu *gpu = screen->gpu;
   const unsigned bucket = cf_cache_bucket(&size_B);
   struct cf_buffer *buffer = bucket < CF_CACHE_BUCKETS ? cf_cache_take(screen, bucket) : NULL;

   *fresh = !buffer;
   if (buffer)
      return buffer;
   buffer = cf_buffer_new(screen, false);
   if (!buffer)
      return NULL;
   if (!gpu->ops->bo_alloc(gpu, size_B, &buffer->bo)) {
      cf_cache_empty(screen);
      if (!gpu->ops->bo_alloc(gpu, size_B, &buffer->bo)) {
         cf_buffer_retire(buffer);
         return NULL;
      }
   }
   return buffer;
}

void
cf_buffer_touch(struct cf_buffer *buffer)
{
   p_atomic_set(&buffer->content, p_atomic_inc_return(&buffer->screen->content_count));
}

void
cf_buffer_mark_write(struct cf_buffer *buffer)
{
   p_atomic_set(&buffer->write_mark, p_atomic_inc_return(&buffer->screen->content_count));
}

static struct cf_buffer *
cf_buffer_init(struct cf_buffer *buffer)
{
   pipe_reference_init(&buffer->reference, 1);
   list_inithead(&buffer->link);
   buffer->read_seqno = buffer->write_seqno = buffer->write_recorder = 0;
   p_atomic_set(&buffer->batch_use, 0);
   cf_buffer_touch(buffer);
   cf_buffer_mark_write(buffer);
   return buffer;
}

struct cf_buffer *
cf_buffer_create_uncleared(struct cf_screen *screen, uint64_t size_B)
{
   bool fresh;
   struct cf_buffer *buffer = cf_buffer_allocate(screen, size_B, &fresh);
   return buffer ? cf_buffer_init(buffer) : NULL;
}

struct cf_buffer *
cf_buffer_create(struct cf_screen *screen, uint64_t size_B)
{
   bool fresh;
   struct cf_buffer *buffer = cf_buffer_allocate(screen, size_B, &fresh);
   if (!buffer)
      return NULL;
   if (!fresh)
      memset(buffer->bo.map, 0, size_B);
   return cf_buffer_init(buffer);
}

struct cf_buffer *
cf_buffer_import(struct cf_screen *screen, int file, uint64_t size_B)
{
   struct cf_gpu *gpu = screen->gpu;
   struct cf_buffer *buffer = cf_buffer_new(screen, true);

   if (!buffer)
      return NULL;
   if (!gpu->ops->bo_import(gpu, file, size_B, &buffer->bo)) {
      cf_buffer_retire(buffer);
      return NULL;
   }
   return cf_buffer_init(buffer);
}

void
cf_buffer_destroy(struct cf_buffer *buffer)
{
   cf_clears_fini(buffer);
   if (buffer->of_host || !cf_cache_put(buffer))
      cf_buffer_free(buffer);
}

/* ------------------------------------------------------------------ chunks */

/* Whether only the pool refers to the chunk, and the GPU no longer uses it. */
static bool
cf_chunk_is_free(struct cf_buffer *chunk)
{
   return p_atomic_read(&chunk->reference.count) == 1 &&
          cf_buffer_wait(chunk, CF_ACCESS_READ | CF_ACCESS_WRITE, 0);
}

struct cf_buffer *
cf_buffer_create_chunk(struct cf_screen *screen)
{
   struct cf_buffer *result = NULL;

   simple_mtx_lock(&screen->chunk_lock);
   list_for_each_entry(struct cf_buffer, chunk, &screen->chunks, link)
   {
      if (cf_chunk_is_free(chunk)) {
         cf_buffer_reference(&result, chunk);
         /* least recently used first */
         list_del(&chunk->link);
         list_addtail(&chunk->link, &screen->chunks);
         break;
      }
   }
   if (!result) {
      struct cf_buffer *chunk = cf_buffer_create_uncleared(screen, CF_CHUNK_B);
      if (chunk) {
         list_addtail(&chunk->link, &screen->chunks);
         cf_buffer_reference(&result, chunk);
      }
   }
   simple_mtx_unlock(&screen->chunk_lock);
   return result;
}

void
cf_buffer_free_pools(struct cf_screen *screen)
{
   list_for_each_entry_safe(struct cf_buffer, chunk, &screen->chunks, link)
   {
      list_del(&chunk->link);
      cf_buffer_reference(&chunk, NULL);
   }
   cf_cache_empty(screen);
   list_for_each_entry_safe(struct cf_buffer, buffer, &screen->retired, link)
   {
      list_del(&buffer->link);
      FREE(buffer);
   }
}

void
cf_buffer_written_by_host(struct cf_buffer *buffer)
{
   simple_mtx_lock(&buffer->screen->submit_lock);
   buffer->write_recorder = 0;
   simple_mtx_unlock(&buffer->screen->submit_lock);
   cf_buffer_touch(buffer);
   cf_buffer_mark_write(buffer);
}

uint64_t
cf_buffer_writer(struct cf_buffer *buffer)
{
   simple_mtx_lock(&buffer->screen->submit_lock);
   const uint64_t seqno = buffer->write_seqno;
   simple_mtx_unlock(&buffer->screen->submit_lock);
   return seqno;
}

bool
cf_buffer_wait(struct cf_buffer *buffer, uint32_t access, uint64_t timeout_ns)
{
   struct cf_screen *screen = buffer->screen;
   uint64_t seqno = 0;

   simple_mtx_lock(&screen->submit_lock);
   if (access & CF_ACCESS_READ)
      seqno = buffer->read_seqno;
   if (access & CF_ACCESS_WRITE)
      seqno = MAX2(seqno, buffer->write_seqno);
   simple_mtx_unlock(&screen->submit_lock);

   return !seqno || screen->gpu->ops->wait(screen->gpu, seqno, timeout_ns);
}
