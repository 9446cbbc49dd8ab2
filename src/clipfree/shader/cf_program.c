/* SPDX-License-Identifier: MIT */
/*
 * Decoding: 64-bit words -> struct cf_instr -> validation -> steps. Also what a stage needs before
 * its first task: uniforms and literals expanded to rows of 32 lanes.
 */
#include "clipfree/shader/cf_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/base/cf_hash.h"
#include "clipfree/shader/cf_decode.h"
#include "clipfree/shader/cf_engine.h"

/* ---- rows ---- */

/* The number of a uniform's or an inline constant's row; a new row if it has none yet. */
static unsigned
broadcast_row(struct cf_decoded *decoded, struct cf_reg reg)
{
   const struct cf_broadcast_row wanted = {
      reg.kind == CF_KIND_INLINE,
      reg.kind == CF_KIND_INLINE ? cf_inline_value(reg.index) : reg.index,
   };
   unsigned row = 0;
   while (row < decoded->row_count && (decoded->rows[row].literal != wanted.literal ||
                                       decoded->rows[row].value != wanted.value))
      row++;
   if (row == decoded->row_count)
      decoded->rows[decoded->row_count++] = wanted;
   return row;
}

static bool
is_broadcast(struct cf_reg reg)
{
   return reg.kind == CF_KIND_U || reg.kind == CF_KIND_INLINE;
}

/* The row of an operand. All broadcast rows must have been collected. */
static int32_t
row_of(struct cf_decoded *decoded, struct cf_reg reg)
{
   if (reg.kind == CF_KIND_V)
      return (int32_t)(offsetof(struct cf_task, v) + reg.index * CF_ROW_B);
   if (reg.kind == CF_KIND_S)
      return (int32_t)(offsetof(struct cf_task, s) + reg.index * CF_ROW_B);
   return ((int32_t)broadcast_row(decoded, reg) - (int32_t)decoded->row_count) * CF_ROW_B;
}

static void
collect_rows(struct cf_decoded *decoded)
{
   for (unsigned i = 0; i < decoded->count; i++) {
      const struct cf_instr *instr = &decoded->instrs[i];
      for (unsigned k = 0; k < cf_op_info(instr->op)->sources; k++) {
         if (is_broadcast(instr->src[k]))
            broadcast_row(decoded, instr->src[k]);
      }
   }
}

/* ---- steps ---- */

/* Inputs, outputs and further operands of tex are rows like registers, so sys, out and grad become
 * moves. Not sys helper, which changes as the task runs. */
static void
set_moves(struct cf_step *step, const struct cf_instr *instr)
{
   if (instr->op == CF_OP_SYS && instr->value != CF_SYSVAL_HELPER) {
      step->handler = CF_OP_MOV;
      step->src[0] = (int32_t)(offsetof(struct cf_task, sys) + instr->value * CF_ROW_B);
   } else if (instr->op == CF_OP_OUT || instr->op == CF_OP_OUTF) {
      step->handler = instr->op == CF_OP_OUT ? CF_OP_MOV : CF_OP_OUTF;
      step->dst = (int32_t)(offsetof(struct cf_task, out) + instr->index * CF_ROW_B);
   } else if (instr->op == CF_OP_GRAD) {
      step->handler = CF_OP_MOV;
      step->dst = (int32_t)(offsetof(struct cf_task, tex_operand) + instr->index * CF_ROW_B);
   }
}

static uint32_t
step_imm(const struct cf_instr *instr)
{
   switch (cf_op_info(instr->op)->form) {
   case CF_FORM_MOVI:
      return instr->imm;
   case CF_FORM_FLOW:
   case CF_FORM_FLOW_TARGET:
      return instr->target;
   case CF_FORM_LDU:
   case CF_FORM_LDS:
   case CF_FORM_STS:
      return instr->offset;
   case CF_FORM_LDF:
      return instr->slot;
   case CF_FORM_LDVAR:
      return instr->index;
   case CF_FORM_TEX:
      return instr->unit;
   default:
      return 0;
   }
}

/* The slot of a control flow instruction: that of its construct, and for brk and cont that of the
 * innermost loop. */
static uint8_t
flow_slot(enum cf_op op, bool *is_loop, unsigned *depth)
{
   unsigned slot = *depth;
   switch (op) {
   case CF_OP_IF:
   case CF_OP_LOOP:
      is_loop[*depth] = op == CF_OP_LOOP;
      return (uint8_t)(*depth)++;
   case CF_OP_ELSE:
      return (uint8_t)(*depth - 1);
   case CF_OP_ENDIF:
   case CF_OP_ENDLOOP:
      *depth -= 1;
      return (uint8_t)*depth;
   case CF_OP_BRK:
   case CF_OP_CONT:
      while (!is_loop[--slot])
         ;
      return (uint8_t)slot;
   default:
      return 0;
   }
}

static void
make_step(struct cf_decoded *decoded, const struct cf_instr *instr, struct cf_step *step)
{
   const struct cf_op_info *op = cf_op_info(instr->op);
   step->handler = (uint16_t)instr->op;
   if (op->has_dst) {
      step->dst = row_of(decoded, instr->dst);
      if (instr->dst.kind == CF_KIND_S)
         step->handler += CF_HANDLER_SCALAR;
   }
   for (unsigned k = 0; k < op->sources; k++)
      step->src[k] = row_of(decoded, instr->src[k]);
   step->imm = step_imm(instr);
   step->mode = op->form == CF_FORM_LDU ? instr->bank : instr->mode;
   step->mask = instr->mask;
   set_moves(step, instr);
}

/* A sample takes about as long as so many other instructions, if it is filtered well. */
#define SAMPLE_INSTRS 64

/* What the watchdog counts for instructions first .. last. */
static int32_t
watched_instrs(const struct cf_decoded *decoded, unsigned first, unsigned last)
{
   unsigned sum = 0;
   for (unsigned i = first; i <= last; i++)
      sum += decoded->instrs[i].op == CF_OP_TEX ? SAMPLE_INSTRS : 1;
   return (int32_t)sum;
}

static void
make_steps(struct cf_decoded *decoded)
{
   bool is_loop[CF_MAX_NESTING];
   unsigned depth = 0;
   for (unsigned i = 0; i < decoded->count; i++) {
      const struct cf_instr *instr = &decoded->instrs[i];
      make_step(decoded, instr, &decoded->steps[i]);
      if (cf_is_flow(instr->op))
         decoded->steps[i].mode = flow_slot(instr->op, is_loop, &depth);
      if (instr->op == CF_OP_ENDLOOP)
         decoded->steps[i].src[0] = watched_instrs(decoded, instr->target, i);
   }
}

/* ---- programs ---- */

/* What a geometry program says of itself is consistent. */
static bool
check_geometry(const struct cf_program *info, char *error, size_t error_size)
{
   const uint32_t vertices = info->input_vertices, needed = cf_geometry_scratch_dwords(info);
   const enum cf_prim_kind output = info->output_prim;
   if (info->stage != CF_SHADER_STAGE_GEOMETRY)
      return true;
   if (vertices == 0 || vertices == 5 || vertices > CF_MAX_INPUT_VERTICES)
      snprintf(error, error_size, "input_vertices is %u, must be 1, 2, 3, 4 or 6", vertices);
   else if (output != CF_PRIM_KIND_POINTS && output != CF_PRIM_KIND_LINE_STRIP &&
            output != CF_PRIM_KIND_TRIANGLE_STRIP)
      snprintf(error, error_size, "output_prim is none of points, line_strip, triangle_strip");
   else if (info->max_vertices > CF_MAX_GEOMETRY_VERTICES)
      snprintf(error, error_size, "max_vertices is %u, more than %u", info->max_vertices,
               CF_MAX_GEOMETRY_VERTICES);
   else if (info->scratch_dwords < needed)
      snprintf(error, error_size, "scratch_dwords is %u, its inputs and outputs take %u",
               info->scratch_dwords, needed);
   else
      return true;
   return false;
}

static bool
check_info(const struct cf_program *info, char *error, size_t error_size)
{
   const struct {
      const char *name;
      uint32_t value, limit;
   } limits[] = {
      { "stage", info->stage, CF_SHADER_STAGE_GEOMETRY },
      { "code_instrs", info->code_instrs, CF_MAX_PROGRAM_INSTRS },
      { "vector_regs", info->vector_regs, CF_MAX_VECTOR_REGS },
      { "scalar_regs", info->scalar_regs, CF_MAX_SCALAR_REGS },
      { "scratch_dwords", info->scratch_dwords, CF_MAX_SCRATCH_DWORDS },
      { "outputs", info->outputs, CF_MAX_OUTPUTS },
      { "inputs", info->inputs, CF_MAX_VARYING_DWORDS },
   };
   for (unsigned i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
      if (limits[i].value > limits[i].limit) {
         snprintf(error, error_size, "%s is %u, more than %u", limits[i].name, limits[i].value,
                  limits[i].limit);
         return false;
      }
   }
   if (!info->code_instrs)
      snprintf(error, error_size, "a program needs at least an end instruction");
   return info->code_instrs != 0 && check_geometry(info, error, error_size);
}

static bool
decode_instrs(struct cf_decoded *decoded, const uint64_t *code, char *error, size_t error_size)
{
   for (unsigned i = 0; i < decoded->count; i++) {
      const char *reason;
      if (!cf_instr_decode(code[i], &decoded->instrs[i], &reason)) {
         snprintf(error, error_size, "instruction %u 0x%016llx: %s", i, (unsigned long long)code[i],
                  reason);
         return false;
      }
   }
   return true;
}

void
cf_program_name(char name[CF_PROGRAM_NAME_B], enum cf_shader_stage stage, const uint64_t *code, unsigned count)
{
   static const char *const stages[] = { [CF_SHADER_STAGE_VERTEX] = "vs",
                                         [CF_SHADER_STAGE_FRAGMENT] = "fs",
                                         [CF_SHADER_STAGE_GEOMETRY] = "gs" };
   const uint64_t hash = cf_hash_words(CF_HASH_NOTHING, code, count);
   snprintf(name, CF_PROGRAM_NAME_B, "clipfree_%s_%08x", stages[stage], (unsigned)(hash >> 32));
}

static bool
has_no_effect(const struct cf_decoded *decoded)
{
   for (unsigned i = 0; i < decoded->count; i++) {
      if (cf_op_info(decoded->instrs[i].op)->effect)
         return false;
   }
   return true;
}

/* Where an address is not a constant, all inputs may be read. */
static void
find_inputs_read(struct cf_decoded *decoded)
{
   const uint32_t end = cf_scratch_inputs_end(&decoded->info),
                  vertex_dwords = cf_geometry_input_dwords(&decoded->info);
   for (unsigned i = 0; i < decoded->count; i++) {
      const struct cf_instr *instr = &decoded->instrs[i];
      uint32_t dword;
      if (instr->op != CF_OP_LDS)
         continue;
      if (!cf_scratch_dword(instr, &dword)) {
         memset(decoded->inputs_read, 0xff, sizeof(decoded->inputs_read));
         return;
      }
      if (dword >= CF_GEOMETRY_INPUTS && dword < end) {
         const uint32_t at = dword - CF_GEOMETRY_INPUTS;
         const uint32_t bit =
            at / vertex_dwords * cf_geometry_input_fours(&decoded->info) + at % vertex_dwords / 4;
         decoded->inputs_read[bit / 64] |= 1ull << bit % 64;
      }
   }
}

struct cf_decoded *
cf_program_decode(const struct cf_program *program, const uint64_t *code, char *error,
                  size_t error_size)
{
   if (!check_info(program, error, error_size))
      return NULL;
   struct cf_decoded *decoded = calloc(1, sizeof(*decoded));
   if (decoded) {
      decoded->info = *program;
      decoded->count = program->code_instrs;
      decoded->instrs = calloc(decoded->count, sizeof(*decoded->instrs));
      decoded->steps = calloc(decoded->count, sizeof(*decoded->steps));
   }
   if (!decoded || !decoded->instrs || !decoded->steps) {
      snprintf(error, error_size, CF_PROGRAM_NO_MEMORY);
      cf_program_free(decoded);
      return NULL;
   }
   if (!decode_instrs(decoded, code, error, error_size) ||
       !cf_program_validate(decoded, error, error_size)) {
      cf_program_free(decoded);
      return NULL;
   }
   cf_program_name(decoded->name, program->stage, code, decoded->count);
   decoded->pure = has_no_effect(decoded);
   find_inputs_read(decoded);
   collect_rows(decoded);
   make_steps(decoded);
   return decoded;
}

bool
cf_program_is_pure(const struct cf_decoded *program)
{
   return program->pure;
}

bool
cf_program_reads_input(const struct cf_decoded *program, uint32_t vertex, uint32_t four)
{
   const uint32_t bit = vertex * cf_geometry_input_fours(&program->info) + four;
   return program->inputs_read[bit / 64] >> bit % 64 & 1;
}

static bool
is_special_function(enum cf_op op)
{
   return op == CF_OP_FRCP || op == CF_OP_FRSQ || op == CF_OP_FSQRT || op == CF_OP_FEXP2 || op == CF_OP_FLOG2 ||
          op == CF_OP_FSIN || op == CF_OP_FCOS;
}

void
cf_program_use_cordic(struct cf_decoded *decoded, unsigned iterations)
{
   for (unsigned i = 0; i < decoded->count; i++) {
      if (is_special_function(decoded->instrs[i].op)) {
         decoded->steps[i].handler += CF_HANDLER_CORDIC;
         decoded->steps[i].imm = iterations;
      }
   }
}

void
cf_program_free(struct cf_decoded *decoded)
{
   if (!decoded)
      return;
   if (decoded->engine)
      decoded->engine->destroy(decoded->engine);
   cf_program_free(decoded->positions);
   free(decoded->instrs);
   free(decoded->steps);
   free(decoded);
}

struct cf_decoded *
cf_program_positions(const struct cf_decoded *program)
{
   return program->positions;
}

const struct cf_program *
cf_program_info(const struct cf_decoded *decoded)
{
   return &decoded->info;
}

const struct cf_instr *
cf_program_instrs(const struct cf_decoded *decoded)
{
   return decoded->instrs;
}

const char *
cf_program_label(const struct cf_decoded *decoded)
{
   return decoded->name;
}

unsigned
cf_program_fetch_pc(const struct cf_decoded *decoded, uint32_t element)
{
   const struct cf_instr *instrs = decoded->instrs;
   unsigned pc = 0;
   while (pc + 1 < decoded->count && (instrs[pc].op != CF_OP_LDF || instrs[pc].slot != element))
      pc++;
   return pc;
}
