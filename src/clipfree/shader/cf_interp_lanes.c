/* SPDX-License-Identifier: MIT */
/*
 * The interpreter: runs the steps of a program for one task. It is the specification of what a
 * program does; the arithmetic comes from the meanings in isa.toml (cf_isa_alu.inc).
 *
 * Each ALU operation has two handlers: one writes the whole row, one writes under the exec mask.
 * The first is used while all lanes that the task started with are in the mask; other lanes have no
 * defined values. Control flow switches between the two tables of handlers.
 *
 * A task runs to its end at once, or step by step in a run that the caller holds (cf_run.h).
 */
#include "clipfree/base/cf_inline.h"
#include "clipfree/base/cf_time_limit.h"
#include "clipfree/shader/cf_interp.h"

#include <stddef.h>
#include <string.h>

#include "clipfree/arith/cf_cordic.h"
#include "clipfree/arith/cf_special.h"
#include "clipfree/shader/cf_program.h"

/* A power of two: after so many instructions of loops the clock is asked, which takes as long as
 * ten or more. */
#define CLOCK_INSTRS 4096

/* ---- ALU ---- */

/* The types that expressions in isa.toml have. */
#define AS_float(bits) cf_float(bits)
#define AS_int32_t(bits) ((int32_t)(bits))
#define AS_uint32_t(bits) (bits)
#define BITS_float(value) cf_bits(value)
#define BITS_int32_t(value) ((uint32_t)(value))
#define BITS_uint32_t(value) ((uint32_t)(value))

/* Two handlers of an operation: `operands` declares a (b, c) of one lane from rows, `meaning` is an
 * expression of them. */
#define HANDLERS(op, rows, operands, result_type, meaning)                                         \
   static const struct cf_step *plain_##op(struct cf_run *run, const struct cf_step *step)         \
   {                                                                                               \
      uint32_t *dst = cf_dst_row(run, step->dst);                                                  \
      rows CF_FOR_LANES (lane)                                                                     \
      {                                                                                            \
         operands const result_type result = (meaning);                                            \
         dst[lane] = BITS_##result_type(result);                                                   \
      }                                                                                            \
      return step + 1;                                                                             \
   }                                                                                               \
   static const struct cf_step *masked_##op(struct cf_run *run, const struct cf_step *step)        \
   {                                                                                               \
      uint32_t *dst = cf_dst_row(run, step->dst);                                                  \
      const uint32_t *mask = run->mask;                                                            \
      rows CF_FOR_LANES (lane)                                                                     \
      {                                                                                            \
         operands const result_type result = (meaning);                                            \
         dst[lane] = (BITS_##result_type(result) & mask[lane]) | (dst[lane] & ~mask[lane]);        \
      }                                                                                            \
      return step + 1;                                                                             \
   }

#define ROW(name, index) const uint32_t *row_##name = cf_row(run, step->src[index]);
#define OPERAND(name, type) const type name = AS_##type(row_##name[lane]);

#define CF_ALU1(op, type, type_a, meaning)                                                         \
   HANDLERS(op, ROW(a, 0), OPERAND(a, type_a), type, meaning)
#define CF_ALU2(op, type, type_a, type_b, meaning)                                                 \
   HANDLERS(op, ROW(a, 0) ROW(b, 1), OPERAND(a, type_a) OPERAND(b, type_b), type, meaning)
#define CF_ALU3(op, type, type_a, type_b, type_c, meaning)                                         \
   HANDLERS(op, ROW(a, 0) ROW(b, 1) ROW(c, 2),                                                     \
            OPERAND(a, type_a) OPERAND(b, type_b) OPERAND(c, type_c), type, meaning)

/* Operations between the lanes of a quad: `meaning` takes difference(a, m, n) of a copy of the
 * quad; l is the lane written, `here` the lanes of the quad in exec. */
#define difference(row, m, n)                                                                      \
   (here >> (m) & here >> (n) & 1 ? cf_float(row[m]) - cf_float(row[n]) : 0.0f)
#define CF_CROSS(op, type, type_a, meaning)                                                        \
   CF_INLINE void quads_##op(const uint32_t *row,               \
                                                                uint32_t exec, uint32_t *result)   \
   {                                                                                               \
      for (unsigned quad = 0; quad < CF_TASK_LANES; quad += 4) {                                   \
         const uint32_t a[4] = { row[quad], row[quad + 1], row[quad + 2], row[quad + 3] };         \
         const uint32_t here = exec >> quad & 15;                                                  \
         for (unsigned l = 0; l < 4; l++)                                                          \
            result[quad + l] = BITS_##type(meaning);                                               \
      }                                                                                            \
   }                                                                                               \
   static const struct cf_step *plain_##op(struct cf_run *run, const struct cf_step *step)         \
   {                                                                                               \
      if (run->exec == CF_ALL_LANES)                                                               \
         quads_##op(cf_row(run, step->src[0]), CF_ALL_LANES, cf_dst_row(run, step->dst));          \
      else                                                                                         \
         quads_##op(cf_row(run, step->src[0]), run->exec, cf_dst_row(run, step->dst));             \
      return step + 1;                                                                             \
   }                                                                                               \
   static const struct cf_step *masked_##op(struct cf_run *run, const struct cf_step *step)        \
   {                                                                                               \
      _Alignas(64) uint32_t result[CF_TASK_LANES];                                                 \
      quads_##op(cf_row(run, step->src[0]), run->exec, result);                                    \
      cf_store_masked(run, cf_dst_row(run, step->dst), result);                                    \
      return step + 1;                                                                             \
   }

#include "clipfree/isa/cf_isa_alu.inc"
#undef difference

HANDLERS(MOVI, , , uint32_t, step->imm)
/* sys helper: the lanes that do not export */
HANDLERS(SYS, , , uint32_t, run->alive & 1u << lane ? 0 : CF_ALL_LANES)
/* Special functions by CORDIC: op, function */
#define CF_CORDIC_FUNCTIONS(entry)                                                                 \
   entry(FRCP, rcp) entry(FRSQ, rsqrt) entry(FSQRT, sqrt) entry(FEXP2, exp2) entry(FLOG2, log2)    \
      entry(FSIN, sin) entry(FCOS, cos)
#define CORDIC_HANDLERS(op, name)                                                                  \
   HANDLERS(CORDIC_##op, ROW(a, 0), OPERAND(a, float), float, cf_cordic_##name(a, step->imm))
CF_CORDIC_FUNCTIONS(CORDIC_HANDLERS)
HANDLERS(OUTF, ROW(a, 0), OPERAND(a, float), float, cf_canon(a))

#undef CF_ALU1
#undef CF_ALU2
#undef CF_ALU3
#undef CF_CROSS

/* ---- control flow ---- */

static const cf_handler plain_table[CF_HANDLER_LIMIT];
static const cf_handler masked_table[CF_HANDLER_LIMIT];

static void
set_exec(struct cf_run *run, uint32_t exec)
{
   run->exec = exec;
   run->table = exec == run->first_exec ? plain_table : masked_table;
   if (exec != run->first_exec) {
      CF_FOR_LANES (lane)
         run->mask[lane] = exec & 1u << lane ? CF_ALL_LANES : 0;
   }
}

/* Lanes whose value is not zero. */
static uint32_t
true_lanes(const uint32_t *row)
{
   uint32_t lanes = 0;
   for (unsigned lane = 0; lane < CF_TASK_LANES; lane++)
      lanes |= row[lane] ? 1u << lane : 0;
   return lanes;
}

/* Set the exec mask. The next step: the one that follows, or the target if no lane is left. */
static const struct cf_step *
branch_with(struct cf_run *run, const struct cf_step *step, uint32_t exec)
{
   if (exec != run->exec)
      set_exec(run, exec);
   return exec ? step + 1 : run->steps + step->imm;
}

static uint32_t
condition(const struct cf_run *run, const struct cf_step *step)
{
   return true_lanes(cf_row(run, step->src[0])) & run->exec;
}

static const struct cf_step *
flow_if(struct cf_run *run, const struct cf_step *step)
{
   const uint32_t taken = condition(run, step);
   run->slot[step->mode].waiting = run->exec & ~taken;
   return branch_with(run, step, taken);
}

static const struct cf_step *
flow_else(struct cf_run *run, const struct cf_step *step)
{
   const uint32_t exec = run->slot[step->mode].waiting;
   run->slot[step->mode].waiting = run->exec;
   return branch_with(run, step, exec);
}

static const struct cf_step *
flow_endif(struct cf_run *run, const struct cf_step *step)
{
   set_exec(run, run->exec | run->slot[step->mode].waiting);
   return step + 1;
}

static const struct cf_step *
flow_loop(struct cf_run *run, const struct cf_step *step)
{
   run->slot[step->mode].waiting = 0;
   run->slot[step->mode].continued = 0;
   return step + 1;
}

static const struct cf_step *
flow_brk(struct cf_run *run, const struct cf_step *step)
{
   const uint32_t leave = condition(run, step);
   run->slot[step->mode].waiting |= leave;
   return branch_with(run, step, run->exec & ~leave);
}

static const struct cf_step *
flow_cont(struct cf_run *run, const struct cf_step *step)
{
   const uint32_t leave = condition(run, step);
   run->slot[step->mode].continued |= leave;
   return branch_with(run, step, run->exec & ~leave);
}

static const struct cf_step *
flow_endloop(struct cf_run *run, const struct cf_step *step)
{
   const uint32_t again = run->exec | run->slot[step->mode].continued;
   const struct cf_step *start = run->steps + step->imm;
   run->slot[step->mode].continued = 0;
   if (!again) {
      set_exec(run, run->slot[step->mode].waiting);
      return step + 1;
   }
   const uint64_t looped = run->looped + (uint64_t)step->src[0];
   const bool asks = (looped ^ run->looped) >= CLOCK_INSTRS;
   run->looped = looped;
   if (looped > run->stage->max_instrs || (asks && cf_time_limit_over(run->task->limit))) {
      run->task->timed_out = true;
      run->alive = 0;
      return NULL;
   }
   if (again != run->exec)
      set_exec(run, again);
   return start;
}

static const struct cf_step *
flow_kill(struct cf_run *run, const struct cf_step *step)
{
   const uint32_t dead = condition(run, step);
   run->alive &= ~dead;
   return branch_with(run, step, run->exec & ~dead);
}

/* The lanes of all quads with a lane in `lanes`. */
static uint32_t
whole_quads(uint32_t lanes)
{
   lanes |= lanes >> 1 & 0x55555555u;
   lanes |= lanes >> 2 & 0x11111111u;
   return (lanes & 0x11111111u) * 15;
}

static const struct cf_step *
flow_demote(struct cf_run *run, const struct cf_step *step)
{
   run->alive &= ~condition(run, step);
   return branch_with(run, step, run->exec & whole_quads(run->alive));
}

static const struct cf_step *
flow_end(struct cf_run *run, const struct cf_step *step)
{
   (void)run;
   (void)step;
   return NULL;
}

/* ---- tables ---- */

#define COMMON                                                                                     \
   [CF_OP_IF] = flow_if, [CF_OP_ELSE] = flow_else, [CF_OP_ENDIF] = flow_endif,                     \
   [CF_OP_LOOP] = flow_loop, [CF_OP_BRK] = flow_brk, [CF_OP_CONT] = flow_cont,                     \
   [CF_OP_ENDLOOP] = flow_endloop, [CF_OP_KILL] = flow_kill, [CF_OP_DEMOTE] = flow_demote,         \
   [CF_OP_END] = flow_end, [CF_OP_LDU] = CF_LANES(cf_step_ldu),                                    \
   [CF_OP_LDU + CF_HANDLER_SCALAR] = CF_LANES(cf_step_ldu_scalar),                                 \
   [CF_OP_LDS] = CF_LANES(cf_step_lds), [CF_OP_STS] = CF_LANES(cf_step_sts),                       \
   [CF_OP_LDF] = CF_LANES(cf_step_ldf), [CF_OP_LDVAR] = CF_LANES(cf_step_ldvar),                   \
   [CF_OP_TEX] = CF_LANES(cf_step_tex),

#define ENTRY(op) [CF_OP_##op] = VERSION(op), [CF_OP_##op + CF_HANDLER_SCALAR] = plain_##op,
#define CORDIC_ENTRY(op, name)                                                                     \
   [CF_OP_##op + CF_HANDLER_CORDIC] = VERSION(CORDIC_##op),                                        \
   [CF_OP_##op + CF_HANDLER_SCALAR + CF_HANDLER_CORDIC] = plain_CORDIC_##op,
#define CF_ALU1(op, ...) ENTRY(op)
#define CF_ALU2(op, ...) ENTRY(op)
#define CF_ALU3(op, ...) ENTRY(op)
#define CF_CROSS(op, ...) [CF_OP_##op] = VERSION(op),

static const cf_handler plain_table[CF_HANDLER_LIMIT] = {
#define VERSION(op) plain_##op
#include "clipfree/isa/cf_isa_alu.inc"
   ENTRY(MOVI) ENTRY(SYS) ENTRY(OUTF) CF_CORDIC_FUNCTIONS(CORDIC_ENTRY) COMMON
#undef VERSION
};

static const cf_handler masked_table[CF_HANDLER_LIMIT] = {
#define VERSION(op) masked_##op
#include "clipfree/isa/cf_isa_alu.inc"
   ENTRY(MOVI) ENTRY(SYS) ENTRY(OUTF) CF_CORDIC_FUNCTIONS(CORDIC_ENTRY) COMMON
#undef VERSION
};

/* ---- tasks ---- */

/* Quads outside exec may have no primitive: they get the varyings of another quad. */
static void
set_varyings(struct cf_run *run)
{
   const struct cf_task *task = run->task;
   unsigned some = 0;
   while (some < CF_TASK_QUADS - 1 && !(run->exec >> 4 * some & 15))
      some++;
   for (unsigned quad = 0; quad < CF_TASK_QUADS; quad++)
      run->varyings[quad] = task->varyings[run->exec >> 4 * quad & 15 ? quad : some];
}

static void
prepare_task(const struct cf_stage *stage, struct cf_task *task)
{
   const struct cf_decoded *program = stage->program;
   for (unsigned i = 0; i < program->row_count; i++) {
      const struct cf_broadcast_row row = program->rows[i];
      uint32_t value = row.value;
      if (!row.literal)
         value = row.value < stage->constants[0].dwords ? stage->constants[0].data[row.value] : 0;
      CF_FOR_LANES (lane)
         task->broadcast[i][lane] = value;
   }
   task->prepared = stage;
}

static void
begin_run(struct cf_run *run, const struct cf_stage *stage, struct cf_task *task)
{
   const struct cf_decoded *program = stage->program;
   run->task = task;
   run->stage = stage;
   run->work = NULL;
   run->constants = (const uint8_t *)(task->broadcast + program->row_count);
   run->steps = program->steps;
   run->table = plain_table;
   cf_begin_task(run);
}

static void
run_task(const struct cf_stage *stage, struct cf_task *task)
{
   const struct cf_decoded *program = stage->program;
   struct cf_run run;
   task->timed_out = false;
   if (!task->exec)
      return;
   begin_run(&run, stage, task);
   if (program->info.stage == CF_SHADER_STAGE_FRAGMENT)
      set_varyings(&run);
   if (!program->engine || !program->engine->run(program->engine, &run)) {
      task->interpreted++;
      cf_interpret(&run);
      if (run.looped && program->engine && program->engine->looped)
         program->engine->looped(program->engine, &run);
   }
   task->alive = run.alive;
}

static void
begin_owned(struct cf_run *run, const struct cf_stage *stage, struct cf_task *task)
{
   task->timed_out = false;
   begin_run(run, stage, task);
   if (stage->program->info.stage == CF_SHADER_STAGE_FRAGMENT)
      set_varyings(run);
   run->next = task->exec ? run->steps : NULL;
}

static bool
run_quads(const struct cf_stage *stage, struct cf_task *task, struct cf_quad_work *work)
{
   struct cf_engine *engine = stage->program->engine;
   struct cf_run run;
   if (!engine || !engine->run_quads)
      return false;
   task->timed_out = false;
   begin_run(&run, stage, task);
   run.work = work;
   return engine->run_quads(engine, &run);
}

const struct cf_shader_ops CF_LANES(cf_shader_ops) = {
   .prepare = prepare_task,
   .run = run_task,
   .begin = begin_owned,
   .run_quads = run_quads,
   .texture = &CF_LANES(cf_texture_ops),
};
