/* SPDX-License-Identifier: MIT */
/*
 * Programs: decoding and validation of ISA code, and running tasks. A decoded program is made once
 * per program, is read only, and is shared by all threads.
 */
#ifndef CF_PROGRAM_H
#define CF_PROGRAM_H

#include <stddef.h>

#include "clipfree/interface/cf_packets.h" /* generated: struct cf_program */
#include "clipfree/shader/cf_task.h"

/** Decode and validate: every instruction decodes, registers are below the program's counts,
 * targets match, nesting is balanced and at most 64 deep, output, input, unit and slot indices are
 * in range, `end` is the last instruction. NULL: the reason, with the instruction's number and
 * text, is in `error`. */
struct cf_decoded *cf_program_decode(const struct cf_program *program, const uint64_t *code,
                                     char *error, size_t error_size);

/** Whether a task may run again, or not at all where another with the same inputs did, and nobody can
 * tell: no instruction has an effect but on its task (isa.toml). Who runs tasks more or less often
 * than asked for relies on it: reuse of vertices and joined draws (vertex/), positions first,
 * verification (jit/); the driver asks the same of NIR. */
bool cf_program_is_pure(const struct cf_decoded *program);

/** Let the interpreter compute the program's special functions by CORDIC (arith/cf_cordic.h) with so many iterations, for study.
 * Other engines must not be given the program. */
void cf_program_use_cordic(struct cf_decoded *decoded, unsigned iterations);

/** The part of a vertex program that computes the heads of records (CF_RECORD_HEAD_DWORDS), as a program of its own: tasks with the
 * same inputs give the same bits. To be freed. NULL: out of memory. */
struct cf_decoded *cf_program_slice(const struct cf_decoded *program);

/** Give a vertex program that is pure its slice; unless `always`, only if it pays to run that for all
 * tasks, and the whole for those that are seen. */
void cf_program_add_positions(struct cf_decoded *program, bool always);

/** What cf_program_add_positions gave it, and owns it; NULL: nothing. */
struct cf_decoded *cf_program_positions(const struct cf_decoded *program);

void cf_program_free(struct cf_decoded *decoded);
const struct cf_program *cf_program_info(const struct cf_decoded *decoded);

/** What people are shown of a program, by dumps, profilers and debuggers: clipfree_vs_ or clipfree_fs_, and a hash of the code. */
#define CF_PROGRAM_NAME_B 24
void cf_program_name(char name[CF_PROGRAM_NAME_B], enum cf_shader_stage stage, const uint64_t *code, unsigned count);

/** The name that was made of it when it was decoded. */
const char *cf_program_label(const struct cf_decoded *decoded);

/** The number of the first instruction that loads the vertex element; of the last one, if none does. */
unsigned cf_program_fetch_pc(const struct cf_decoded *decoded, uint32_t element);

struct cf_quad_work; /* jit/cf_quad_work.h */
struct cf_run;       /* cf_run.h */

struct cf_shader_ops {
   /** Fill task->broadcast from stage->constants[0] and the literals of the stage's program. */
   void (*prepare)(const struct cf_stage *stage, struct cf_task *task);
   /** Run one task, which was prepared for the stage, to its end. */
   void (*run)(const struct cf_stage *stage, struct cf_task *task);
   /** Begin a run of one task, which was prepared for the stage, that the caller steps (cf_run.h).
    * It is interpreted, whatever engine the program has. Where exec is 0 it has ended. */
   void (*begin)(struct cf_run *run, const struct cf_stage *stage, struct cf_task *task);
   /** Run fragment tasks, for whose stage `task` was prepared, from quads to pixels, by the engine
    * of the program: what is done around a run by other units is its own. The caller sets exec and
    * alive, of all tasks; task->gave_up, after which no other task is run, is a result beside those
    * in `work`. False: nothing was done, the engine has no code for that (yet). */
   bool (*run_quads)(const struct cf_stage *stage, struct cf_task *task, struct cf_quad_work *work);
};
CF_LANES_DECLARE(struct cf_shader_ops, cf_shader_ops)

#endif
