/* SPDX-License-Identifier: MIT */
/*
 * Programs as they lie in GPU memory, for who looks at them beside the command processor.
 */
#ifndef CF_PROGRAM_FIND_H
#define CF_PROGRAM_FIND_H

#include "clipfree/interface/cf_packets.h" /* generated: struct cf_program */
#include "clipfree/memory/cf_memory.h"

/* A program, and what tells it from others that had the same descriptor. */
struct cf_found_program {
   struct cf_program info;
   const uint64_t *code; /* info.code_instrs words, in GPU memory */
   uint64_t hash;        /* of the code */
};

/** Find the program at a descriptor. False: there is none, it is malformed, or too long. */
bool cf_program_find(const struct cf_memory *memory, uint64_t descriptor,
                     struct cf_found_program *found);

#endif
