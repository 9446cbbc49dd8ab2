/* SPDX-License-Identifier: MIT */
/*
 * Slicing (Weiser 1981): the part of a vertex program that the heads of its records depend on - position, point size, edge flag - as
 * a program of its own. Instructions are kept as they are, so heads have the same bits.
 *
 * A walk backwards through the code knows which registers are live, and keeps what writes one of them. A kept instruction needs the
 * constructs around it, a kept loop all its breaks and continues, those the constructs around them. Walks are repeated until none
 * finds more: what they know only grows. A loop that nothing is needed of is dropped, though it may never end: the whole program
 * finds that out, where it is run.
 *
 * Lanes and the task take different ways through a program (compiler/cf_liveness.c): a lane takes one side of an if and leaves a
 * loop at its break, while the task, whose scalar registers are written by whoever comes, may go from the one side into the other
 * and past a break. A register of either kind is taken for live if it is on one of the ways of both.
 */
#include "clipfree/base/cf_for.h"
#include "clipfree/shader/cf_decoded.h"
#include "clipfree/shader/cf_run.h"

#include <stdlib.h>
#include <string.h>

#include "clipfree/shader/cf_program.h"

/* A cost model, in simple instructions. Positions first runs the slice for every task, at RUN_COST
 * beside its instructions, and spares the whole program for one task in SPARED: of a closed mesh
 * half of the triangles are culled (docs/frame-time.md). */
#define SPARED 3
#define RUN_COST 180

struct live {
   uint64_t v[CF_MAX_VECTOR_REGS / 64], s[CF_MAX_SCALAR_REGS / 64];
};

/* An if or loop around the instruction that the walk is at. */
struct construct {
   unsigned close; /* its endif or endloop */
   bool is_loop, needed;
   struct live after;
   /* if: live where lanes with a false condition continue; loop: live at its start */
   struct live skipped;
   struct live next;    /* live where the task continues when no lane is left */
};

struct slicer {
   const struct cf_decoded *program;
   bool *needed;             /* per instruction */
   /* live registers at the start of each loop, by the number of its endloop, as found so far */
   struct live *start;
   bool scratch, operands;   /* a needed instruction reads scratch, what grad sets */
   bool changed;             /* this walk has found more */
   struct live live;
   struct construct open[CF_MAX_NESTING];
   unsigned depth;
};

static uint64_t *
word_of(struct live *live, struct cf_reg reg)
{
   return reg.kind == CF_KIND_V ? &live->v[reg.index / 64] : &live->s[reg.index / 64];
}

static bool
is_register(struct cf_reg reg)
{
   return reg.kind == CF_KIND_V || reg.kind == CF_KIND_S;
}

/* True if something was added. */
static bool
include(struct live *live, const struct live *more)
{
   const struct live before = *live;
   for (unsigned i = 0; i < CF_MAX_VECTOR_REGS / 64; i++)
      live->v[i] |= more->v[i];
   for (unsigned i = 0; i < CF_MAX_SCALAR_REGS / 64; i++)
      live->s[i] |= more->s[i];
   return memcmp(&before, live, sizeof(before)) != 0;
}

/* Whether a register that the instruction writes is live after it. Before it none of them is. */
static bool
remove_written(struct slicer *s, const struct cf_instr *instr)
{
   bool found = false;
   unsigned set = cf_op_info(instr->op)->has_dst ? cf_written_rows(instr) : 0;
   CF_FOR_BITS (row, set) {
      struct cf_reg reg = instr->dst;
      reg.index += row;
      uint64_t *word = word_of(&s->live, reg);
      const uint64_t bit = 1ull << reg.index % 64;
      found = found || *word & bit;
      *word &= ~bit;
   }
   return found;
}

static void
mark(struct slicer *s, bool *what)
{
   s->changed = s->changed || !*what;
   *what = true;
}

/* Mark instruction i as needed, with its operands and the constructs around it. */
static void
mark_needed(struct slicer *s, unsigned i)
{
   const struct cf_instr *instr = &s->program->instrs[i];
   mark(s, &s->needed[i]);
   for (unsigned k = 0; k < s->depth; k++)
      mark(s, &s->open[k].needed);
   for (unsigned k = 0; k < cf_op_info(instr->op)->sources; k++) {
      if (is_register(instr->src[k]))
         *word_of(&s->live, instr->src[k]) |= 1ull << instr->src[k].index % 64;
   }
   if (instr->op == CF_OP_LDS)
      mark(s, &s->scratch);
   if (instr->op == CF_OP_TEX && cf_tex_operands(instr->mode))
      mark(s, &s->operands);
}

static void
walk_simple(struct slicer *s, unsigned i)
{
   const struct cf_instr *instr = &s->program->instrs[i];
   bool wanted = remove_written(s, instr);
   switch (instr->op) {
   case CF_OP_OUT:
   case CF_OP_OUTF:
      wanted = instr->index < CF_RECORD_HEAD_DWORDS;
      break;
   case CF_OP_STS:
      wanted = s->scratch;
      break;
   case CF_OP_GRAD:
      wanted = s->operands;
      break;
   case CF_OP_END:
      wanted = true;
      break;
   default:
      break;
   }
   if (wanted)
      mark_needed(s, i);
}

/* An endif or endloop. */
static void
walk_close(struct slicer *s, unsigned i)
{
   struct construct *c = &s->open[s->depth++];
   *c = (struct construct){ .close = i, .needed = s->needed[i], .after = s->live, .skipped = s->live };
   if (s->program->instrs[i].op == CF_OP_ENDLOOP) {
      c->is_loop = true;
      c->skipped = s->start[i];
      include(&s->live, &c->skipped);
   }
   c->next = s->live;
}

static void
walk_else(struct slicer *s)
{
   struct construct *c = &s->open[s->depth - 1];
   c->skipped = s->live;
   include(&s->live, &c->after);
   c->next = s->live;
}

/* An if or loop. */
static void
walk_open(struct slicer *s, unsigned i)
{
   const struct construct c = s->open[--s->depth];
   if (!c.is_loop)
      include(&s->live, &c.skipped);
   else if (include(&s->start[c.close], &s->live))
      s->changed = true;
   if (!c.needed)
      return;
   mark_needed(s, i);
   mark(s, &s->needed[c.close]);
   if (!c.is_loop)
      mark(s, &s->needed[s->program->instrs[i].target]); /* its else, if it has one */
}

/* A brk or cont. */
static void
walk_jump(struct slicer *s, unsigned i)
{
   unsigned loop = s->depth - 1;
   while (!s->open[loop].is_loop)
      loop--;
   include(&s->live, s->program->instrs[i].op == CF_OP_BRK ? &s->open[loop].after : &s->open[loop].skipped);
   include(&s->live, &s->open[s->depth - 1].next);
   if (s->open[loop].needed)
      mark_needed(s, i);
}

static void
walk(struct slicer *s)
{
   s->changed = false;
   s->live = (struct live){ 0 };
   for (unsigned i = s->program->count; i-- > 0;) {
      switch (s->program->instrs[i].op) {
      case CF_OP_ENDIF:
      case CF_OP_ENDLOOP:
         walk_close(s, i);
         break;
      case CF_OP_ELSE:
         walk_else(s);
         break;
      case CF_OP_IF:
      case CF_OP_LOOP:
         walk_open(s, i);
         break;
      case CF_OP_BRK:
      case CF_OP_CONT:
         walk_jump(s, i);
         break;
      default:
         walk_simple(s, i);
      }
   }
}

/* The needed instructions, as a program. */
static struct cf_decoded *
assemble(const struct cf_decoded *program, const bool *needed)
{
   unsigned *place = malloc(program->count * sizeof(*place)), count = 0;
   uint64_t *code = malloc(program->count * sizeof(*code));
   struct cf_decoded *slice = NULL;
   if (place && code) {
      for (unsigned i = 0, at = 0; i < program->count; at += needed[i++])
         place[i] = at;
      for (unsigned i = 0; i < program->count; i++) {
         struct cf_instr instr = program->instrs[i];
         const enum cf_form form = cf_op_info(instr.op)->form;
         if (form == CF_FORM_FLOW || form == CF_FORM_FLOW_TARGET)
            instr.target = place[instr.target];
         if (needed[i])
            code[count++] = cf_instr_encode(&instr);
      }
      struct cf_program info = program->info;
      char error[200];
      info.code_instrs = count;
      info.outputs = info.outputs < CF_RECORD_HEAD_DWORDS ? info.outputs : CF_RECORD_HEAD_DWORDS;
      slice = cf_program_decode(&info, code, error, sizeof(error));
   }
   free(place);
   free(code);
   return slice;
}

struct cf_decoded *
cf_program_slice(const struct cf_decoded *program)
{
   struct slicer *s = calloc(1, sizeof(*s));
   struct cf_decoded *slice = NULL;
   if (s) {
      s->program = program;
      s->needed = calloc(program->count, sizeof(*s->needed));
      s->start = calloc(program->count, sizeof(*s->start));
      if (s->needed && s->start) {
         do
            walk(s);
         while (s->changed);
         slice = assemble(program, s->needed);
      }
      free(s->needed);
      free(s->start);
   }
   free(s);
   return slice;
}

/* ---- whether it pays ---- */

static unsigned
instr_cost(enum cf_op op)
{
   switch (op) {
   case CF_OP_TEX:
      return 64;
   case CF_OP_LDF:
   case CF_OP_FRCP:
   case CF_OP_FRSQ:
   case CF_OP_FSQRT:
   case CF_OP_FDIV:
   case CF_OP_FEXP2:
   case CF_OP_FLOG2:
   case CF_OP_FSIN:
   case CF_OP_FCOS:
      return 8;
   default:
      return 1;
   }
}

/* The cost of a program, in simple instructions. Loops are assumed to run eight times. */
static uint64_t
cost(const struct cf_decoded *program)
{
   uint64_t sum = 0;
   unsigned loops = 0;
   for (unsigned i = 0; i < program->count; i++) {
      const enum cf_op op = program->instrs[i].op;
      loops -= op == CF_OP_ENDLOOP;
      sum += (uint64_t)instr_cost(op) << 3 * (loops < 8 ? loops : 8);
      loops += op == CF_OP_LOOP;
   }
   return sum;
}

void
cf_program_add_positions(struct cf_decoded *program, bool always)
{
   const uint64_t whole = cost(program);
   if (program->info.stage != CF_SHADER_STAGE_VERTEX || !program->pure ||
       (!always && whole <= SPARED * RUN_COST))
      return;
   struct cf_decoded *slice = cf_program_slice(program);
   if (slice && (always || whole > SPARED * (cost(slice) + RUN_COST)))
      program->positions = slice;
   else
      cf_program_free(slice);
}
