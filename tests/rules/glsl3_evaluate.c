/* SPDX-License-Identifier: MIT
 *
 * Walks through a program's trees. Statements and all that moves values are here, arithmetic is in
 * glsl3_arithmetic.c.
 */
#include "glsl3_evaluate.h"

#include <stdlib.h>
#include <string.h>

/* What ends a list of statements before its end. */
enum end { END_NONE, END_BREAK, END_CONTINUE, END_RETURN, END_DISCARD };

struct run {
   const struct g3_program *p;
   uint32_t *memory; /* of all variables: functions do not recurse */
   uint32_t returned[G3_MAX_WORDS];
   bool discarded; /* in a function */
};

static enum end run_list(struct run *run, const struct g3_statement *s);
static void eval(struct run *run, const struct g3_expr *e, uint32_t *out);

static void
copy(uint32_t *to, const uint32_t *from, int words)
{
   memcpy(to, from, (size_t)words * sizeof(*to));
}

static uint32_t
eval_scalar(struct run *run, const struct g3_expr *e)
{
   uint32_t value[G3_MAX_WORDS];
   eval(run, e, value);
   return value[0];
}

/* ---------------------------------------------------------------------------------- expressions */

static void
call(struct run *run, const struct g3_expr *e, uint32_t *out)
{
   const struct g3_function *f = e->function;
   uint32_t in[G3_MAX_PARAMETERS][G3_MAX_WORDS];
   for (int i = 0; i < f->parameters; i++) {
      if (f->qualifier[i] != G3_OUT)
         eval(run, e->arg[i], in[i]);
   }
   for (int i = 0; i < f->parameters; i++) {
      if (f->qualifier[i] != G3_OUT)
         copy(run->memory + f->parameter[i]->memory, in[i], g3_words(f->parameter[i]->type));
   }
   if (run_list(run, f->body) == END_DISCARD)
      run->discarded = true;
   copy(out, run->returned, g3_words(f->type));
   for (int i = 0; i < f->parameters; i++) {
      const struct g3_variable *v = f->parameter[i];
      if (f->qualifier[i] >= G3_OUT)
         copy(run->memory + e->arg[i]->variable->memory, run->memory + v->memory,
              g3_words(v->type));
   }
}

/* The first word of a part in its whole's words. */
static int
part_offset(struct run *run, const struct g3_expr *e)
{
   if (e->op == G3_FIELD)
      return e->arg[0]->type.structure->member[e->place[0]].offset;
   return (int)eval_scalar(run, e->arg[1]) * g3_words(e->type);
}

static void
eval_part(struct run *run, const struct g3_expr *e, uint32_t *out)
{
   uint32_t whole[G3_MAX_WORDS];
   eval(run, e->arg[0], whole);
   if (e->op != G3_SWIZZLE) {
      copy(out, whole + part_offset(run, e), g3_words(e->type));
      return;
   }
   for (int i = 0; i < e->type.rows; i++)
      out[i] = whole[e->place[i]];
}

/* Columns, rows and zeros of a matrix from another one, with ones in the diagonal. */
static void
matrix_from_matrix(struct g3_type to, struct g3_type from, const uint32_t *value, uint32_t *out)
{
   for (int c = 0; c < to.columns; c++) {
      for (int r = 0; r < to.rows; r++) {
         const bool inside = c < from.columns && r < from.rows;
         out[c * to.rows + r] = inside ? value[c * from.rows + r] : g3_bits(c == r);
      }
   }
}

/* One component for all of a vector, or for the diagonal of a matrix. */
static void
from_one(struct g3_type type, uint32_t word, uint32_t *out)
{
   for (int i = 0; i < g3_components(type); i++) {
      const bool diagonal = i / type.rows == i % type.rows;
      out[i] = type.columns == 1 || diagonal ? word : 0;
   }
}

static void
construct(struct run *run, const struct g3_expr *e, uint32_t *out)
{
   uint32_t parts[G3_MAX_ARGUMENTS * G3_MAX_WORDS];
   const struct g3_type type = e->type, first = e->arg[0]->type;
   const bool plain = type.base != G3_STRUCT && !type.length;
   int count = 0;
   for (int i = 0; i < G3_MAX_ARGUMENTS && e->arg[i]; i++) {
      const struct g3_type from = e->arg[i]->type;
      eval(run, e->arg[i], parts + count);
      for (int k = 0; plain && k < g3_components(from); k++)
         parts[count + k] = g3_convert(type.base, from.base, parts[count + k]);
      count += g3_words(from);
   }
   if (plain && type.columns > 1 && first.columns > 1)
      matrix_from_matrix(type, first, parts, out);
   else if (plain && count == 1)
      from_one(type, parts[0], out);
   else
      copy(out, parts, g3_words(type));
}

static void
texture_size(const struct g3_texture *t, int level, int size[2])
{
   size[0] = t->width >> level;
   size[1] = t->height >> level;
}

static void
eval_texture(struct run *run, const struct g3_expr *e, uint32_t *out)
{
   const struct g3_texture *t = &run->p->texture[e->place[0]];
   const int level = (int)eval_scalar(run, e->arg[0]);
   uint32_t place[2];
   int size[2];
   texture_size(t, level, size);
   if (e->op == G3_SIZE) {
      out[0] = (uint32_t)size[0], out[1] = (uint32_t)size[1];
      return;
   }
   eval(run, e->arg[1], place);
   const int x = (int)(place[0] % (uint32_t)size[0]), y = (int)(place[1] % (uint32_t)size[1]);
   copy(out, t->texel[(level ? t->width * t->height : 0) + y * size[0] + x], 4);
}

static void
eval_any(struct run *run, const struct g3_expr *e, uint32_t *out)
{
   uint32_t arg[3][G3_MAX_WORDS] = { { 0 } };
   switch (e->op) {
   case G3_CONSTANT:
      copy(out, e->value, g3_words(e->type));
      return;
   case G3_VARIABLE:
      copy(out, run->memory + e->variable->memory, g3_words(e->type));
      return;
   case G3_ELEMENT:
   case G3_FIELD:
   case G3_SWIZZLE:
      eval_part(run, e, out);
      return;
   case G3_BOTH:
   case G3_EITHER:
      out[0] = eval_scalar(run, e->arg[0]);
      if ((e->op == G3_BOTH) == (out[0] != 0))
         out[0] = eval_scalar(run, e->arg[1]);
      return;
   case G3_LENGTH:
      out[0] = (uint32_t)e->arg[0]->type.length;
      return;
   case G3_SELECT:
      eval(run, e->arg[eval_scalar(run, e->arg[0]) ? 1 : 2], out);
      return;
   case G3_CONSTRUCT:
      construct(run, e, out);
      return;
   case G3_CALL:
      call(run, e, out);
      return;
   case G3_FETCH:
   case G3_SIZE:
      eval_texture(run, e, out);
      return;
   default:
      for (int i = 0; i < 3 && e->arg[i]; i++)
         eval(run, e->arg[i], arg[i]);
      g3_compute(e, arg, out);
   }
}

static void
eval(struct run *run, const struct g3_expr *e, uint32_t *out)
{
   eval_any(run, e, out);
   if (e->seen)
      copy(e->seen, out, g3_words(e->type));
}

/* ----------------------------------------------------------------------------------- statements */

/* Where a target without its components begins. */
static uint32_t *
locate(struct run *run, const struct g3_expr *e)
{
   if (e->op == G3_VARIABLE)
      return run->memory + e->variable->memory;
   return locate(run, e->arg[0]) + part_offset(run, e);
}

static void
store(struct run *run, const struct g3_expr *target, const uint32_t *value)
{
   if (target->op != G3_SWIZZLE) {
      copy(locate(run, target), value, g3_words(target->type));
      return;
   }
   uint32_t *to = locate(run, target->arg[0]);
   for (int i = 0; i < target->type.rows; i++)
      to[target->place[i]] = value[i];
}

/* target op= value, which is target = target op value, once evaluated. */
static void
run_compound(struct run *run, const struct g3_statement *s)
{
   static const struct g3_expr no_value;
   const bool step = s->kind != G3_COMPOUND;
   uint32_t arg[3][G3_MAX_WORDS] = { { 0 }, { 1 } }, value[G3_MAX_WORDS];
   struct g3_expr one = no_value, e = { .op = s->op, .type = s->target->type };
   one.type = g3_vector(e.type.base, 1);
   e.arg[0] = s->target, e.arg[1] = step ? &one : s->expr;
   if (step)
      e.op = s->kind == G3_STEP_UP ? G3_ADD : G3_SUB;
   else
      eval(run, s->expr, arg[1]);
   eval(run, s->target, arg[0]);
   g3_compute(&e, arg, value);
   store(run, s->target, value);
}

/* The whole part goes towards zero. */
static void
run_modf(struct run *run, const struct g3_statement *s)
{
   uint32_t value[4], whole[4], fraction[4];
   eval(run, s->expr, value);
   for (int i = 0; i < s->target->type.rows; i++) {
      const double x = g3_float(value[i]);
      whole[i] = g3_bits((int)x);
      fraction[i] = g3_bits(x - (int)x);
   }
   store(run, s->other, whole);
   store(run, s->target, fraction);
}

/* sum = sum * 31 + digest(value), whose components are repeated. Of floats it has four times. */
static void
run_sum(struct run *run, const struct g3_statement *s)
{
   uint32_t value[4], *sum = run->memory + run->p->sum->memory;
   const struct g3_type type = s->expr->type;
   eval(run, s->expr, value);
   for (int i = 0; i < type.rows && type.base == G3_FLOAT; i++)
      value[i] = (uint32_t)(int32_t)(4 * g3_float(value[i]));
   for (int i = 0; i < 4; i++)
      sum[i] = sum[i] * 31 + value[i % type.rows];
}

static enum end
run_loop(struct run *run, const struct g3_statement *s)
{
   uint32_t *counter = run->memory + s->variable->memory;
   *counter = (uint32_t)s->first;
   for (int turn = 0;; turn++) {
      if (s->kind != G3_DO && turn == s->count)
         return END_NONE;
      if (s->kind == G3_WHILE && !eval_scalar(run, s->expr))
         return END_NONE;
      if (s->kind != G3_FOR)
         ++*counter;
      const enum end end = run_list(run, s->body);
      if (end == END_BREAK)
         return END_NONE;
      if (end >= END_RETURN)
         return end;
      if (s->kind == G3_DO && !(turn + 1 < s->count && eval_scalar(run, s->expr)))
         return END_NONE;
      if (s->kind == G3_FOR)
         *counter += (uint32_t)s->step;
   }
}

/* From the label of the value, or else from the default, to a break or the end. */
static enum end
run_switch(struct run *run, const struct g3_statement *s)
{
   const uint32_t value = eval_scalar(run, s->expr);
   const struct g3_statement *from = NULL;
   for (const struct g3_statement *c = s->body; c; c = c->next) {
      if (c->kind == G3_DEFAULT && !from)
         from = c;
      if (c->kind == G3_CASE && (uint32_t)c->first == value)
         from = c;
   }
   const enum end end = run_list(run, from);
   return end == END_BREAK ? END_NONE : end;
}

static enum end
run_declaration(struct run *run, const struct g3_statement *s)
{
   const struct g3_expr *value = s->expr ? s->expr : s->variable->initial;
   uint32_t words[G3_MAX_WORDS];
   eval(run, value, words);
   copy(run->memory + s->variable->memory, words, g3_words(s->variable->type));
   return END_NONE;
}

static enum end
run_assignment(struct run *run, const struct g3_statement *s)
{
   uint32_t value[G3_MAX_WORDS];
   if (s->kind == G3_ASSIGN) {
      eval(run, s->expr, value);
      store(run, s->target, value);
   } else if (s->kind == G3_MODF) {
      run_modf(run, s);
   } else if (s->kind == G3_SUM) {
      run_sum(run, s);
   } else {
      run_compound(run, s);
   }
   return run->discarded ? END_DISCARD : END_NONE;
}

static enum end
run_statement(struct run *run, const struct g3_statement *s)
{
   switch (s->kind) {
   case G3_DECLARE:
      return run_declaration(run, s);
   case G3_IF:
      return run_list(run, eval_scalar(run, s->expr) ? s->body : s->otherwise);
   case G3_FOR:
   case G3_WHILE:
   case G3_DO:
      return run_loop(run, s);
   case G3_SWITCH:
      return run_switch(run, s);
   case G3_BLOCK:
      return run_list(run, s->body);
   case G3_CASE:
   case G3_DEFAULT:
      return END_NONE;
   case G3_BREAK:
      return END_BREAK;
   case G3_CONTINUE:
      return END_CONTINUE;
   case G3_DISCARD:
      return END_DISCARD;
   case G3_RETURN:
      if (s->expr)
         eval(run, s->expr, run->returned);
      return END_RETURN;
   default:
      return run_assignment(run, s);
   }
}

static enum end
run_list(struct run *run, const struct g3_statement *s)
{
   for (; s; s = s->next) {
      const enum end end = run_statement(run, s);
      if (end != END_NONE)
         return end;
   }
   return END_NONE;
}

bool
g3_evaluate(const struct g3_program *p, int x, int y, uint32_t memory[G3_MAX_MEMORY])
{
   struct run run = { .p = p, .memory = memory };
   memcpy(memory, p->initial, sizeof(p->initial));
   for (int i = 0; i < 2; i++) {
      memory[p->where->memory + i] = (uint32_t)(i ? y : x);
      memory[p->spot->memory + i] = g3_bits((i ? y : x) + 0.5);
   }
   if (!p->fragment) {
      memory[p->vertex->memory] = (uint32_t)x;
      memory[p->instance->memory] = (uint32_t)y;
   }
   if (run_list(&run, p->main) == END_DISCARD)
      return false;
   run_list(&run, p->finish);
   return true;
}

void
g3_evaluate_constant(const struct g3_program *p, const struct g3_expr *e, uint32_t *out)
{
   uint32_t *memory = malloc(sizeof(p->initial)), value[G3_MAX_WORDS];
   struct run run = { .p = p, .memory = memory };
   memcpy(memory, p->initial, sizeof(p->initial));
   eval(&run, e, value);
   copy(out, value, g3_words(e->type));
   free(memory);
}
