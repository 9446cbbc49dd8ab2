/* SPDX-License-Identifier: MIT */
/*
 * A decoded program, inside the shader room: validated instructions, and the steps the interpreter
 * runs. Registers, inputs and outputs all become rows of 32 lanes at a byte offset, so moving
 * between them is one operation.
 */
#ifndef CF_DECODED_H
#define CF_DECODED_H

#include <stddef.h>

#include "clipfree/interface/cf_packets.h"
#include "clipfree/isa/cf_isa.h"
#include "clipfree/shader/cf_program.h"
#include "clipfree/shader/cf_task.h"

#define CF_MAX_NESTING 64
#define CF_ROW_B (CF_TASK_LANES * 4)

_Static_assert(offsetof(struct cf_task, s) % 64 == 0 && offsetof(struct cf_task, sys) % 64 == 0 &&
                  offsetof(struct cf_task, gradient) % 64 == 0 && offsetof(struct cf_task, out) % 64 == 0,
               "rows are aligned to a cache line");

/* Steps with a scalar destination write all lanes: they have handlers of their own, at op +
 * CF_HANDLER_SCALAR. */
#define CF_HANDLER_SCALAR 256
/* Special functions by CORDIC have others, at their place + CF_HANDLER_CORDIC; imm is the number of iterations. */
#define CF_HANDLER_CORDIC 512
#define CF_HANDLER_LIMIT (2 * CF_HANDLER_CORDIC)

/** Whether the operation is control flow. */
static inline bool
cf_is_flow(enum cf_op op)
{
   const enum cf_form form = cf_op_info(op)->form;
   return form == CF_FORM_FLOW || form == CF_FORM_FLOW_TARGET || form == CF_FORM_FLOW_NONE;
}

/** Rows that an instruction writes, from its step's dst on: a bit for each. */
static inline unsigned
cf_written_rows(const struct cf_instr *instr)
{
   const struct cf_op_info *op = cf_op_info(instr->op);
   switch (op->form) {
   case CF_FORM_TEX:
      return instr->mask;
   case CF_FORM_LDF:
      return 15;
   case CF_FORM_OUT:
   case CF_FORM_GRAD:
      return 1;
   default:
      return op->has_dst;
   }
}

/* What one instruction comes to. Rows: >= 0, bytes from the task; < 0, bytes from the end of
 * the program's rows of task->broadcast. */
struct cf_step {
   uint16_t handler;
   uint8_t mode; /* of ldvar and tex: mode; of flow: the mask slot, which is the nesting depth */
   uint8_t mask; /* of tex: components */
   int32_t dst;
   int32_t src[4];
   uint32_t imm; /* literal, target, offset, slot, index, or unit */
};

/* A row of task->broadcast: dword `value` of constant bank 0, or the literal `value`. */
struct cf_broadcast_row {
   bool literal;
   uint32_t value;
};

/* Another way to run a program than the interpreter: the JIT's (jit/cf_jit.h). */
struct cf_run;
struct cf_engine {
   /** Run a task that the interpreter has set up, to its end. False: the interpreter has to run it.
    */
   bool (*run)(struct cf_engine *engine, struct cf_run *run);
   /** Run tasks from quads to pixels, by run->work. False: nothing was done, there is no code for
    * them (yet); no such function: never. */
   bool (*run_quads)(struct cf_engine *engine, struct cf_run *run);
   void (*destroy)(struct cf_engine *engine);
};

struct cf_decoded {
   struct cf_program info;
   char name[CF_PROGRAM_NAME_B];
   unsigned count;
   bool pure; /* no instruction has an effect (cf_program_is_pure) */
   struct cf_instr *instrs;
   struct cf_step *steps;
   unsigned row_count;
   struct cf_broadcast_row rows[CF_MAX_BROADCAST_ROWS];
   struct cf_engine *engine; /* or NULL; goes with the program */
   struct cf_decoded *positions; /* of cf_program_add_positions, or NULL; goes with the program */
};

/** Check decoded->instrs against decoded->info and the rules of cf_program_decode. False: the
 * reason is in error. */
bool cf_program_validate(const struct cf_decoded *decoded, char *error, size_t error_size);

#endif
