/* SPDX-License-Identifier: MIT */
/*
 * For engines alone (cf_engine.h): a decoded program, its validated instructions, and the steps the
 * interpreter runs. Registers, inputs and outputs all become rows of 32 lanes at a byte offset, so
 * moving between them is one operation. All others know programs by cf_program.h, and what runs of
 * them by cf_run.h.
 */
#ifndef CF_DECODED_H
#define CF_DECODED_H

#include <stddef.h>

#include "clipfree/interface/cf_packets.h"
#include "clipfree/isa/cf_isa.h"
#include "clipfree/shader/cf_geometry_layout.h"
#include "clipfree/shader/cf_program.h"
#include "clipfree/shader/cf_task.h"

_Static_assert(offsetof(struct cf_task, s) % 64 == 0 && offsetof(struct cf_task, sys) % 64 == 0 &&
                  offsetof(struct cf_task, tex_operand) % 64 == 0 &&
                  offsetof(struct cf_task, out) % 64 == 0,
               "rows are aligned to a cache line");

/* A step: an instruction, decoded. dst and src are offsets of rows: >= 0, in bytes from the task; <
 * 0, in bytes from the end of the program's rows in task->broadcast. */
struct cf_step {
   uint16_t handler;
   /* ldvar, tex: the mode. Control flow: the slot of its construct in cf_run.slot, by nesting
    * depth */
   uint8_t mode;
   uint8_t mask; /* tex: components */
   int32_t dst;
   int32_t src[4]; /* endloop: [0] is what the watchdog counts when it branches back */
   uint32_t imm; /* literal, target, offset, element, index, or unit: by operation */
};

/* A row of task->broadcast: the literal `value`, or dword number `value` of constant bank 0. */
struct cf_broadcast_row {
   bool literal;
   uint32_t value;
};

struct cf_engine; /* cf_engine.h */

struct cf_decoded {
   struct cf_program info;
   char name[CF_PROGRAM_NAME_B];
   unsigned count;
   bool pure; /* no instruction has an effect (cf_program_is_pure) */
   /* of a geometry program, bit by four dwords of its input vertices (cf_program_reads_input) */
   uint64_t inputs_read[CF_GEOMETRY_INPUT_FOURS / 64 + 1];
   struct cf_instr *instrs;
   struct cf_step *steps;
   unsigned row_count;
   struct cf_broadcast_row rows[CF_MAX_BROADCAST_ROWS];
   struct cf_engine *engine; /* or NULL; goes with the program */
   struct cf_decoded *positions; /* of cf_program_add_positions, or NULL; goes with the program */
};

/** The dword of scratch that an lds or sts accesses. False: its address is not a constant. */
static inline bool
cf_scratch_dword(const struct cf_instr *instr, uint32_t *dword)
{
   if (instr->src[0].kind != CF_KIND_INLINE)
      return false;
   const uint64_t at = (uint64_t)cf_inline_value(instr->src[0].index) + instr->offset;
   *dword = (uint32_t)at;
   return at < CF_MAX_SCRATCH_DWORDS;
}

#endif
