/* SPDX-License-Identifier: MIT */
/*
 * Reference counted GPU memory, with the pending accesses by the GPU.
 */
#ifndef CLIPFREE_BUFFER_H
#define CLIPFREE_BUFFER_H

#include "util/list.h"
#include "util/u_atomic.h"
#include "util/u_inlines.h"

#include "clipfree/interface/cf_gpu.h"

#include "clipfree_clears.h"

struct cf_screen;

#define CF_CHUNK_B (512 * 1024)

/* Memory of destroyed buffers is cached for reuse, in buckets by size: four per power of two. Fresh
 * memory would cost a page fault for each 4 kB. */
#define CF_CACHE_BUCKETS 96
#define CF_CACHE_LIMIT_B (UINT64_C(256) << 20)

enum cf_access {
   CF_ACCESS_READ = 1 << 0,
   CF_ACCESS_WRITE = 1 << 1,
};

/* Its own memory is never returned to the system while the screen lives: a thread may read the
 * atomic numbers of a buffer that another thread destroys. */
struct cf_buffer {
   struct pipe_reference reference;
   struct cf_screen *screen;
   struct cf_bo bo;
   bool of_host; /* imported host memory (cf_gpu_ops.bo_import) */
   struct list_head link; /* in screen->chunks, cache or retired; empty for other buffers */
   /* Seqnos of the last submissions that read and wrote it; 0: none. Guarded by
    * screen->submit_lock. */
   uint64_t read_seqno, write_seqno;
   /* cf_batch.recorder of the submission that wrote it last; 0: none. Guarded likewise */
   uint64_t write_recorder;
   /* The last batch that noted a use, and the access: id << 2 | enum cf_access. Saves a hash
    * lookup; one word, so that batches of several threads read it consistently. Atomic. */
   uint64_t batch_use;
   /* Identifies the contents: a new number, unique among all buffers, whenever they may have
    * changed. Atomic. */
   uint64_t content;
   /* Of textures: a new number, unique among all buffers, whenever work is recorded that changes
    * texels, with each write by the host, and where another context submits than the last time.
    * Atomic. */
   uint64_t write_mark;
   struct cf_clears clears; /* of textures */
};

/** Allocate zeroed memory; NULL: out of memory. */
struct cf_buffer *cf_buffer_create(struct cf_screen *screen, uint64_t size_B);

/** Allocate uninitialised memory, which the caller must overwrite; NULL: out of memory. */
struct cf_buffer *cf_buffer_create_uncleared(struct cf_screen *screen, uint64_t size_B);

/** Import a file's memory (cf_gpu_ops.bo_import). NULL: not possible. */
struct cf_buffer *cf_buffer_import(struct cf_screen *screen, int file, uint64_t size_B);

/** An idle, uninitialised buffer of CF_CHUNK_B bytes from the screen's pool. NULL: out of
 * memory. */
struct cf_buffer *cf_buffer_create_chunk(struct cf_screen *screen);

/** Free the pool of chunks, the cache and all retired structs. */
void cf_buffer_free_pools(struct cf_screen *screen);

/** For cf_buffer_reference only. */
void cf_buffer_destroy(struct cf_buffer *buffer);

/** Wait for all submitted work that accesses the buffer in one of these ways (enum cf_access);
 * recorded work is ignored. timeout_ns as in cf_gpu_ops.wait. False: timeout. */
bool cf_buffer_wait(struct cf_buffer *buffer, uint32_t access, uint64_t timeout_ns);

/** The buffer was, is or will be written: invalidates everything derived from its contents. */
void cf_buffer_touch(struct cf_buffer *buffer);

/** Work that changes the texture in this buffer is or will be recorded: buffer->write_mark is a new
 * number. */
void cf_buffer_mark_write(struct cf_buffer *buffer);

/** The host has written to the texture in this buffer: cf_buffer_touch and
 * cf_buffer_mark_write. */
void cf_buffer_written_by_host(struct cf_buffer *buffer);

/** The last submission that writes to the buffer; 0: none. */
uint64_t cf_buffer_writer(struct cf_buffer *buffer);

static inline void
cf_buffer_reference(struct cf_buffer **pointer, struct cf_buffer *buffer)
{
   struct cf_buffer *old = *pointer;
   if (pipe_reference(old ? &old->reference : NULL, buffer ? &buffer->reference : NULL))
      cf_buffer_destroy(old);
   *pointer = buffer;
}

#endif
