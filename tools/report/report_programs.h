/* SPDX-License-Identifier: MIT */
/*
 * The programs of a capture, and what each of their instructions cost.
 */
#ifndef REPORT_PROGRAMS_H
#define REPORT_PROGRAMS_H

#include <jansson.h>

#include "clipfree/isa/cf_isa.h"

#include "look/look_player.h"

#include "report_counts.h"

struct report_instr {
   uint64_t runs;             /* tasks that reached it */
   uint64_t live, branched;   /* slots, as in struct report_stage */
   uint64_t divergent;        /* runs with a branched slot */
   uint64_t texels;           /* that it read */
   uint64_t taken, not_taken; /* of if, brk, cont, kill, demote: live lanes whose condition is true,
                                 or false */
};

struct report_program {
   enum cf_shader_stage stage;
   uint32_t number, draws;
   uint32_t instrs;
   uint64_t *code;
   struct report_instr *instr;
   struct report_stage sum; /* of all its tasks */
   /* of notes: name or null; array of texts; by instruction an array of its lines */
   json_t *name, *sources, *lines;
};

struct report_programs {
   struct report_program **program; /* they stay where they are */
   size_t count;
};

/** The program of a descriptor, as it is in memory now. NULL: there is none. */
struct report_program *report_program_at(struct report_programs *programs,
                                         const struct look_player *player, uint64_t descriptor);

void report_programs_free(struct report_programs *programs);

/** The program as JSON (docs/report.md). */
json_t *report_program_json(const struct report_program *program);

/** Counts as JSON, by a table of their names. */
json_t *report_counts_json(const struct report_count_name *table, size_t count, const void *counts);

#endif
