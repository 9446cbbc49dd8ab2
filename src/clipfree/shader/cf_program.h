/* SPDX-License-Identifier: MIT */
/*
 * Programs: decoding and validation of ISA code, and running tasks. A program is decoded once; the
 * decoded program is read only, and shared by all threads.
 */
#ifndef CF_PROGRAM_H
#define CF_PROGRAM_H

#include <stddef.h>

#include "clipfree/interface/cf_packets.h" /* generated: struct cf_program */
#include "clipfree/shader/cf_task.h"

struct cf_instr; /* isa/cf_isa.h */

/** Decode and validate: every instruction decodes, registers are below the program's counts,
 * targets match, nesting is balanced and at most 64 deep, output, input, unit and slot indices are
 * in range, `end` is the last instruction. NULL: the reason, with the instruction's number and
 * text, or CF_PROGRAM_NO_MEMORY, is in `error`. */
#define CF_PROGRAM_NO_MEMORY "out of memory"
struct cf_decoded *cf_program_decode(const struct cf_program *program, const uint64_t *code,
                                     char *error, size_t error_size);

/** Whether the program is pure: no instruction has an effect beside its task (isa.toml). A task of
 * a pure program may run twice, or not at all if one with the same inputs ran: results are the
 * same. The vertex cache, joined draws and positions first (vertex/) and verification (jit/) rely
 * on it; the driver checks the same of NIR. */
bool cf_program_is_pure(const struct cf_decoded *program);

/** Whether a geometry program may read any of dwords 4 `four` to 4 `four` + 3 of an input vertex.
 */
bool cf_program_reads_input(const struct cf_decoded *program, uint32_t vertex, uint32_t four);

/** Let the interpreter compute the program's special functions by CORDIC (arith/cf_cordic.h) with
 * this number of iterations, for study. The program must not be attached to the JIT. */
void cf_program_use_cordic(struct cf_decoded *decoded, unsigned iterations);

/** A slice of a vertex program: a program that computes only the heads of records
 * (CF_RECORD_HEAD_DWORDS), with the same bits. The caller frees it. NULL: out of memory. */
struct cf_decoded *cf_program_slice(const struct cf_decoded *program);

/** Give a pure vertex program its slice. Unless `always`, only if it pays to run the slice for all
 * tasks, and the whole program for tasks with a vertex that is needed. */
void cf_program_add_positions(struct cf_decoded *program, bool always);

/** The slice that cf_program_add_positions gave it, which it owns. NULL: it has none. */
struct cf_decoded *cf_program_positions(const struct cf_decoded *program);

void cf_program_free(struct cf_decoded *decoded);
const struct cf_program *cf_program_info(const struct cf_decoded *decoded);

/** The program's instructions: as many as its info says (code_instrs). They go with the program. */
const struct cf_instr *cf_program_instrs(const struct cf_decoded *decoded);

/** Make the name of a program in dumps, profilers and debuggers: clipfree_vs_, clipfree_gs_ or
 * clipfree_fs_, and a hash of the code. */
#define CF_PROGRAM_NAME_B 24
void cf_program_name(char name[CF_PROGRAM_NAME_B], enum cf_shader_stage stage, const uint64_t *code, unsigned count);

/** The program's name (cf_program_name). */
const char *cf_program_label(const struct cf_decoded *decoded);

/** Number of the first instruction that loads the vertex element; of the last instruction, if none
 * does. */
unsigned cf_program_fetch_pc(const struct cf_decoded *decoded, uint32_t element);

struct cf_quad_work; /* jit/cf_quad_work.h */
struct cf_run;       /* cf_run.h */

struct cf_shader_ops {
   /** Fill task->broadcast from stage->constants[0] and the literals of the stage's program. */
   void (*prepare)(const struct cf_stage *stage, struct cf_task *task);
   /** Run one task, which was prepared for the stage, to its end. */
   void (*run)(const struct cf_stage *stage, struct cf_task *task);
   /** Begin a run of one task, prepared for the stage, which the caller steps (cf_run.h). It is
    * interpreted, even if the program has a second engine. If exec is 0, the run has ended. */
   void (*begin)(struct cf_run *run, const struct cf_stage *stage, struct cf_task *task);
   /** Run fragment tasks from quads to pixels, in the program's second engine, which also does the
    * work of other units around the program. `task` was prepared for their stage; the caller sets
    * exec and alive for all of them. Results are in `work`, and in task->timed_out, after which no
    * further task is run. False: nothing was done, the engine has no code for this (yet). */
   bool (*run_quads)(const struct cf_stage *stage, struct cf_task *task, struct cf_quad_work *work);
   const struct cf_texture_ops *texture; /* of the same vector level */
};
CF_LANES_DECLARE(struct cf_shader_ops, cf_shader_ops)

#endif
