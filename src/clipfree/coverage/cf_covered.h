/* SPDX-License-Identifier: MIT */
/* Private to the room: what is counted of programs, and its text. */
#ifndef CF_COVERED_H
#define CF_COVERED_H

#include <stdbool.h>
#include <stdint.h>

#include "clipfree/interface/cf_packets.h"

/* A program, and how often lanes ran its instructions. Helper lanes do not count. */
struct cf_covered_program {
   struct cf_covered_program *next;
   enum cf_shader_stage stage;
   void *note; /* its note (cf_note.h) */
   size_t note_B;
   uint32_t instrs;
   bool *decides;         /* by instruction: it has a condition, so that lanes part */
   uint64_t *lanes;       /* by instruction, counted before it runs */
   uint64_t (*ways)[2];   /* of those that decide: lanes whose condition is true, false */
};

/** Write all programs as a file of its own in the folder, and their sources. False: it cannot be
 * written, errno says why. */
bool cf_covered_write(const struct cf_covered_program *programs, const char *folder);

#endif
