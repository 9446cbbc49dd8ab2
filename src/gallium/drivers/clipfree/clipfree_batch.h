/* SPDX-License-Identifier: MIT */
/*
 * A batch: one command buffer being recorded, the memory its structures are uploaded to, and the
 * buffers it uses.
 *
 * Recording: cf_context_begin makes room for the packets of one operation, CF_EMIT writes packets,
 * cf_batch_upload allocates the memory that they point at, cf_batch_use notes each buffer whose
 * address is sent. cf_batch_submit submits the batch and begins an empty one.
 */
#ifndef CLIPFREE_BATCH_H
#define CLIPFREE_BATCH_H

#include "clipfree/interface/cf_packets.h"

#include "clipfree_buffer.h"
#include "clipfree_clears.h"

struct hash_table;

/* A batch whose large uploads exceed this is submitted, after waiting for the one before it. */
#define CF_BATCH_LARGE_B (UINT64_C(32) << 20)

#define CF_BATCH_UPLOADED 32

/* A cached upload. */
struct cf_batch_uploaded {
   uint64_t address; /* 0: empty */
   const void *map;
   uint32_t size_B;
};

struct cf_batch {
   struct cf_screen *screen;
   uint64_t id;
   uint64_t recorder; /* the same for all batches of one context, and of no other */
   struct cf_buffer *commands;
   uint32_t *dw; /* end of the recorded packets */
   uint32_t *end_dw;
   struct cf_buffer *uploads;
   uint32_t uploads_used_B;
   struct cf_batch_uploaded uploaded[CF_BATCH_UPLOADED]; /* cache, by hash of the first dword */
   struct hash_table *access; /* struct cf_buffer * -> enum cf_access bits; holds references */
   struct cf_clear_log clears;
   uint64_t large_B;          /* size of the large uploads that this batch references */
   uint64_t uploaded_B;       /* total of all batches */
   uint64_t last_seqno;       /* of the last submission, 0: none */
   uint64_t large_seqno;      /* of the last submission forced by large_B, 0: none */
   uint64_t limit_ns;         /* of a thread's time for a submission, 0: none (cf_gpu_ops.submit) */
   bool out_of_memory;        /* work was dropped: there is no memory for it (clipfree_reset.h) */
};

/** False: out of memory. */
bool cf_batch_init(struct cf_batch *batch, struct cf_screen *screen);
void cf_batch_fini(struct cf_batch *batch);

/** Whether `dwords` of packets and CF_CLEAR_NOTES_ADDED notes still fit, and large uploads are
 * below the limit. */
bool cf_batch_has_room(const struct cf_batch *batch, uint32_t dwords);
bool cf_batch_is_empty(const struct cf_batch *batch);

/** Note that recorded work accesses the buffer (enum cf_access). The batch holds a reference until
 * it is submitted. */
void cf_batch_use(struct cf_batch *batch, struct cf_buffer *buffer, uint32_t access);
/** Whether such an access is noted already, found without a lookup; false: perhaps. A buffer that
 * another thread destroys meanwhile gives false: the batch holds what it noted. */
static inline bool
cf_batch_noted(const struct cf_batch *batch, const struct cf_buffer *buffer, uint32_t access)
{
   const uint64_t last_use = p_atomic_read_relaxed(&buffer->batch_use);
   return last_use >> 2 == batch->id && !(access & ~last_use);
}

/** Whether recorded work accesses the buffer in one of these ways. */
bool cf_batch_uses(const struct cf_batch *batch, const struct cf_buffer *buffer, uint32_t access);

/** Allocate uninitialised memory for this batch, 64-byte aligned. Returns its CPU address, and the
 * GPU's in *address; NULL: out of memory. If `buffer` is not NULL it gets a reference to the buffer
 * that holds the memory, to keep it beyond the batch. */
void *cf_batch_upload(struct cf_batch *batch, uint32_t size_B, uint64_t *address,
                      struct cf_buffer **buffer);

/** Upload a copy of data. Returns its GPU address; 0: out of memory. */
uint64_t cf_batch_upload_data(struct cf_batch *batch, const void *data, uint32_t size_B);

/** The same for descriptors of at least 4 bytes that later draws are likely to repeat: returns the
 * address of an equal upload of this batch if it is still cached. The memory must not be
 * written. */
uint64_t cf_batch_upload_once(struct cf_batch *batch, const uint32_t *dw, uint32_t size_B);

/** End the command buffer and submit it. Returns its seqno; if nothing was recorded, that of the
 * one before. If the next batch cannot be allocated, it has no room for any packet. */
uint64_t cf_batch_submit(struct cf_batch *batch);

/** Write a packet: CF_EMIT(batch, DRAW, draw, .count = 3, ...). There must be room. */
#define CF_EMIT(batch, NAME, name, ...)                                                            \
   do {                                                                                            \
      const struct cf_##name emit_packet = { __VA_ARGS__ };                                        \
      cf_##name##_pack((batch)->dw, &emit_packet);                                                 \
      (batch)->dw += CF_##NAME##_DWORDS;                                                           \
   } while (0)

/** Copy dwords packed before. There must be room. */
static inline void
cf_batch_emit_packed(struct cf_batch *batch, const uint32_t *dw, uint32_t dwords)
{
   memcpy(batch->dw, dw, 4 * dwords);
   batch->dw += dwords;
}

#endif
