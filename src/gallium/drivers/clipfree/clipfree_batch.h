/* SPDX-License-Identifier: MIT */
/*
 * A batch: one command buffer being recorded, the memory its structures are uploaded to, and the
 * buffers it uses.
 *
 * Recording: cf_context_begin makes room for the packets of one operation, then CF_EMIT writes
 * packets, cf_batch_upload writes what they point at, cf_batch_use notes each buffer whose address
 * is sent. cf_batch_submit hands it all to the GPU and starts anew.
 */
#ifndef CLIPFREE_BATCH_H
#define CLIPFREE_BATCH_H

#include "clipfree/interface/cf_packets.h"

#include "clipfree_buffer.h"
#include "clipfree_clears.h"

struct hash_table;

/* A batch that keeps more memory of large uploads alive than this is submitted, and the one before
 * it awaited. */
#define CF_BATCH_LARGE_B (UINT64_C(32) << 20)

#define CF_BATCH_UPLOADED 32

/* Where something was uploaded to that may be wanted again. */
struct cf_batch_uploaded {
   uint64_t address; /* 0: nothing */
   const void *map;
   uint32_t size_B;
};

struct cf_batch {
   struct cf_screen *screen;
   uint64_t id;
   struct cf_buffer *commands;
   uint32_t *dw; /* where the next packet goes */
   uint32_t *end_dw;
   struct cf_buffer *uploads;
   uint32_t uploads_used_B;
   struct cf_batch_uploaded uploaded[CF_BATCH_UPLOADED]; /* by what it begins with */
   struct hash_table *access; /* struct cf_buffer * -> enum cf_access bits; holds references */
   struct cf_clear_log clears;
   uint64_t large_B;          /* memory of large uploads this batch keeps alive */
   uint64_t uploaded_B;       /* in all batches so far */
   uint64_t last_seqno;       /* of the last submission, 0: none */
   uint64_t large_seqno;      /* of the last submission that was made for its size, 0: none */
   bool out_of_memory;        /* something could not be uploaded since the last submission */
};

/** False: out of memory. */
bool cf_batch_init(struct cf_batch *batch, struct cf_screen *screen);
void cf_batch_fini(struct cf_batch *batch);

/** True if so many dwords of packets and CF_CLEAR_NOTES_ADDED notes still fit, and it does not hold too much memory. */
bool cf_batch_has_room(const struct cf_batch *batch, uint32_t dwords);
bool cf_batch_is_empty(const struct cf_batch *batch);

/** Note that what is recorded accesses the buffer (enum cf_access); it lives until submitted. */
void cf_batch_use(struct cf_batch *batch, struct cf_buffer *buffer, uint32_t access);
/** True if something recorded accesses the buffer in one of these ways. */
bool cf_batch_uses(const struct cf_batch *batch, const struct cf_buffer *buffer, uint32_t access);

/** Memory for this batch, 64-byte aligned, with any contents. Returns where to write, and the GPU's
 * address of it; NULL: out of memory. If `buffer` is not NULL it gets a reference to what the
 * memory is part of, to keep it longer. */
void *cf_batch_upload(struct cf_batch *batch, uint32_t size_B, uint64_t *address,
                      struct cf_buffer **buffer);

/** cf_batch_upload of bytes; 0: out of memory. */
uint64_t cf_batch_upload_data(struct cf_batch *batch, const void *data, uint32_t size_B);

/** The same of descriptors, of at least 4 bytes, that draws are likely to name again: if the batch has them already, their address
 * there. Nobody may write to them. */
uint64_t cf_batch_upload_once(struct cf_batch *batch, const uint32_t *dw, uint32_t size_B);

/** End the command buffer and hand it to the GPU. Returns its seqno; nothing recorded: that of the
 * one before. Without memory to go on recording the next batch has no room for anything. */
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
