/* SPDX-License-Identifier: MIT */
/*
 * What is proven of machine code before it runs: that it decodes to instructions of the allowed
 * kinds, jumps only to its own instructions, calls only the listed functions, keeps its stack frame
 * bounded and returns to its caller, and stores only to its frame and to listed ranges of memory
 * (docs/security.md, "The proof of compiled code").
 *
 * The caller describes memory as regions: what a pointer points to, which bytes of it may be read
 * and written, and which of them are pointers to other regions. The room knows nothing of the GPU.
 *
 * Limitations: x86-64, System V calls; decoded by Zydis, without which nothing is proven.
 */
#ifndef CF_PROOF_H
#define CF_PROOF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A frame is at most so large, which is less than the smallest stacks of threads. */
#define CF_PROOF_FRAME_B (64 << 10)
#define CF_PROOF_MOST_B (4u << 20) /* of code that is looked at */
#define CF_PROOF_ARGUMENTS 6

/* Bytes from `begin` up to `end`, relative to a pointer to the region. */
struct cf_proof_range {
   int64_t begin, end;
};

/* Pointers in a region: at `offset_B`, and `count` - 1 more, each `stride_B` after the last. */
struct cf_proof_pointer {
   int64_t offset_B;
   uint32_t stride_B, count;
   uint8_t region; /* what they point to: an index into the table of regions */
};

/* What a function takes as an argument. */
enum cf_proof_take {
   CF_PROOF_TAKES_NUMBER, /* anything: it is no pointer */
   CF_PROOF_TAKES_REGION, /* a pointer to the region */
   CF_PROOF_TAKES_PART,   /* a pointer into the region, a multiple of `size_B` from its beginning */
   CF_PROOF_TAKES_INPUT,  /* memory that may be read, `size_B` of it */
   CF_PROOF_TAKES_OUTPUT, /* memory that may be written, `size_B` of it */
};

struct cf_proof_argument {
   uint8_t take; /* enum cf_proof_take */
   uint8_t region;
   uint32_t size_B;
   /* of a part: by its number, the number of the function that may be called with it; NULL: any */
   const uint16_t *function_of;
};

struct cf_proof_region {
   const char *name;
   struct cf_proof_range read; /* bytes that may be read */
   const struct cf_proof_range *writes;
   const struct cf_proof_pointer *pointers;
   unsigned write_count, pointer_count;
   /* functions instead, which take these: their number is that of the pointer to them */
   const struct cf_proof_argument *arguments;
   unsigned argument_count;
};

struct cf_proof_map {
   const struct cf_proof_region *regions;
   unsigned count;
};

/* Code as it lies in memory, relocated: the function is at `entry_B`, and is all of [begin_B,
 * end_B). What is around it in `memory` are its constants. */
struct cf_proof_code {
   const uint8_t *memory;
   size_t memory_B, begin_B, end_B, entry_B;
   const struct cf_proof_argument *arguments; /* what it is called with */
   unsigned argument_count;
};

struct cf_proof_verdict {
   const char *wrong; /* NULL: proven */
   size_t at_B;       /* of the instruction, in the code's memory */
};

/** Whether there is a decoder in this build. Without one cf_proof_check refuses all code. */
bool cf_proof_is_built(void);

/** Look at the code, which is not run. Needs memory of about 100 bytes for each byte of code. */
struct cf_proof_verdict cf_proof_check(const struct cf_proof_code *code,
                                       const struct cf_proof_map *map);

#endif
