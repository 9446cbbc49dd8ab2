/* SPDX-License-Identifier: MIT */
/*
 * A capture in memory, to be changed: submissions as lists of packets, the memory that the host has
 * changed before each as pages, and what people know of things. Copies share bytes, so that a
 * candidate costs little. Where the process is out of memory, it ends.
 */
#ifndef REDUCE_CASE_H
#define REDUCE_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clipfree/interface/cf_packets.h"
#include "clipfree/interface/cf_record.h"

#define REDUCE_PAGE_B 4096

/* Bytes that copies of a case share. */
struct reduce_bytes {
   uint32_t references, size_B;
   uint8_t data[];
};

struct reduce_page {
   uint64_t number; /* address / REDUCE_PAGE_B */
   struct reduce_bytes *bytes;
};

struct reduce_packet {
   uint32_t dwords;
   uint32_t dw[CF_PACKET_DWORDS];
   struct reduce_bytes *note; /* what people know of it; NULL: nothing */
};

/* What people know of something in memory. */
struct reduce_note {
   uint64_t address;
   struct reduce_bytes *bytes;
};

struct reduce_submission {
   uint64_t address;
   struct reduce_packet *packet;
   struct reduce_page *page; /* what the host changed before it; by number */
   struct reduce_note *note;
   uint32_t packets, pages, notes;
   uint32_t packet_capacity, page_capacity, note_capacity;
   struct reduce_bytes *rest; /* what follows the packets and is none; NULL: nothing */
   /* what was presented last before it; NULL: nothing */
   struct reduce_bytes *frame;
   uint64_t frame_address;
   uint32_t frame_number;
};

struct reduce_case {
   struct reduce_submission *submission; /* one more, which has what follows the last */
   uint32_t submissions;
   uint64_t end; /* addresses of memory are below; a multiple of REDUCE_PAGE_B */
};

/** Load a capture. NULL: `error` says why, and what to do. */
struct reduce_case *reduce_case_load(const char *path, char *error, size_t error_B);
struct reduce_case *reduce_case_copy(const struct reduce_case *c);
void reduce_case_free(struct reduce_case *c);

/** Write it as a capture. False: `errno` says why; there may be a part of the file. */
bool reduce_case_save(const struct reduce_case *c, const char *path);

/** A hash of all that reduce_case_save writes. */
uint64_t reduce_case_hash(const struct reduce_case *c);

/** Memory at an address, as the host left it before a submission. False: some of it is beyond the
 * capture's memory. */
bool reduce_case_read(const struct reduce_case *c, uint32_t submission, uint64_t address,
                      void *data, uint64_t size_B);

/** Change memory where it was written last before a submission; what was never written, before the
 * first. False: some of it is beyond the capture's memory. */
bool reduce_case_write(struct reduce_case *c, uint32_t submission, uint64_t address,
                       const void *data, uint64_t size_B);

/** New memory of zeros, in pages of its own. */
uint64_t reduce_case_allocate(struct reduce_case *c, uint64_t size_B);

/** The page that the host changed before a submission; NULL: it did not. */
const uint8_t *reduce_case_page(const struct reduce_case *c, uint32_t submission, uint64_t number);

/** Change a page before a submission; NULL: it is not changed there. */
void reduce_case_set_page(struct reduce_case *c, uint32_t submission, uint64_t number,
                          const uint8_t *data);

/** Leave out a submission; what the host changed before it remains. */
void reduce_case_drop_submission(struct reduce_case *c, uint32_t submission);

/** Leave out the packets of a submission that are not to be kept, by number. */
void reduce_case_keep_packets(struct reduce_case *c, uint32_t submission, const bool *keep);

/** Leave out the line table of the program at an address, whose instructions are others now. */
void reduce_case_drop_lines(struct reduce_case *c, uint32_t submission, uint64_t address);

/** The GLSL of the program at an address, a copy; NULL: there is none, or that of several shaders.
 */
char *reduce_case_source(const struct reduce_case *c, uint32_t submission, uint64_t address);

/** Replace it, and leave out the line table. */
void reduce_case_set_source(struct reduce_case *c, uint32_t submission, uint64_t address,
                            const char *source);

static inline enum cf_opcode
reduce_opcode(const struct reduce_packet *packet)
{
   return (enum cf_opcode)(packet->dw[0] & 0xff);
}

/** Memory; the process ends where there is none. */
void *reduce_allocate(size_t size_B);

#endif
