/* SPDX-License-Identifier: MIT */
#include "glsl_program.h"

#include <math.h>
#include <string.h>

/* What ends a list of statements before its end. */
enum end { END_NONE, END_BREAK, END_CONTINUE, END_RETURN, END_DISCARD };

struct run {
   double memory[GLSL_MAX_MEMORY]; /* of all variables: functions do not recurse */
   double returned[16];
   bool discarded; /* in a function */
};

static enum end run_list(struct run *run, const struct glsl_statement *s);

/* ---------------------------------------------------------------------------------- expressions */

static void eval(struct run *run, const struct glsl_expr *e, double *out);

static double
eval_scalar(struct run *run, const struct glsl_expr *e)
{
   double value[16];
   eval(run, e, value);
   return value[0];
}

static void
call(struct run *run, const struct glsl_expr *e, double *out)
{
   const struct glsl_function *function = e->function;
   double in[GLSL_MAX_PARAMETERS][16];
   for (int i = 0; i < function->parameters; i++) {
      if (function->qualifier[i] != GLSL_OUT)
         eval(run, e->arg[i], in[i]);
   }
   for (int i = 0; i < function->parameters; i++) {
      const struct glsl_variable *v = function->parameter[i];
      if (function->qualifier[i] != GLSL_OUT)
         memcpy(run->memory + v->memory, in[i], glsl_components(v->type) * sizeof(double));
   }
   if (run_list(run, function->body) == END_DISCARD)
      run->discarded = true;
   memcpy(out, run->returned, sizeof(run->returned));
   for (int i = 0; i < function->parameters; i++) {
      const struct glsl_variable *v = function->parameter[i];
      if (function->qualifier[i] != GLSL_IN)
         memcpy(run->memory + e->arg[i]->variable->memory, run->memory + v->memory,
                glsl_components(v->type) * sizeof(double));
   }
}

/* The product of matrices and vectors as linear algebra has it: a vector on the left is a row. */
static void
matrix_product(const struct glsl_expr *e, const double *a, const double *b, double *out)
{
   const struct glsl_type ta = e->arg[0]->type, tb = e->arg[1]->type;
   const bool row = ta.columns == 1;
   const int rows = row ? 1 : ta.rows, inner = tb.rows, columns = tb.columns;
   for (int c = 0; c < columns; c++) {
      for (int r = 0; r < rows; r++) {
         double sum = 0;
         for (int k = 0; k < inner; k++)
            sum += (row ? a[k] : a[k * rows + r]) * b[c * inner + k];
         out[c * rows + r] = sum;
      }
   }
}

static double
dot(const double *a, const double *b, int n)
{
   double sum = 0;
   for (int i = 0; i < n; i++)
      sum += a[i] * b[i];
   return sum;
}

/* GLSL's conversion of one component. */
static double
convert(double x, enum glsl_base to)
{
   return to == GLSL_BOOL ? x != 0 : to == GLSL_INT ? trunc(x) : x;
}

static void
construct(struct run *run, const struct glsl_expr *e, double *out)
{
   double parts[64];
   int count = 0;
   for (int i = 0; i < 4 && e->arg[i]; i++) {
      eval(run, e->arg[i], parts + count);
      count += glsl_components(e->arg[i]->type);
   }
   for (int i = 0; i < glsl_components(e->type); i++) {
      const bool diagonal = i / e->type.rows == i % e->type.rows;
      const double x = count > 1 ? parts[i] : e->type.columns > 1 && !diagonal ? 0 : parts[0];
      out[i] = convert(x, e->type.base) + 0.0; /* -0 and 0 are one number */
   }
}

/* Wraps as the helpers of glsl_print.c do. */
static double
wrap(double x, enum glsl_base base)
{
   return base == GLSL_INT ? x - trunc(x / 101) * 101 : floor(x) - 32 * floor(floor(x) / 32) - 16;
}

/* Operations on each component; b and c may be scalars, a too. */
static double
each(const struct glsl_expr *e, double a, double b, double c)
{
   switch (e->op) {
   case GLSL_ADD: return a + b;
   case GLSL_SUB: return a - b;
   case GLSL_MUL: case GLSL_COMP_MULT: return a * b;
   case GLSL_DIV: return e->type.base == GLSL_INT ? trunc(a / b) : a / b;
   case GLSL_LT: case GLSL_LESS: return a < b;
   case GLSL_LE: case GLSL_LESS_EQUAL: return a <= b;
   case GLSL_GT: case GLSL_GREATER: return a > b;
   case GLSL_GE: case GLSL_GREATER_EQUAL: return a >= b;
   case GLSL_EQUAL: return a == b;
   case GLSL_NOT_EQUAL: return a != b;
   case GLSL_XOR: return a != b;
   case GLSL_NEG: return -a;
   case GLSL_NOT: case GLSL_NOT_EACH: return !a;
   case GLSL_ABS: return fabs(a);
   case GLSL_SIGN: return (a > 0) - (a < 0);
   case GLSL_FLOOR: return floor(a);
   case GLSL_CEIL: return ceil(a);
   case GLSL_FRACT: return a - floor(a);
   case GLSL_WRAP: return wrap(a, e->type.base);
   case GLSL_MIN: return a < b ? a : b;
   case GLSL_MAX: return a > b ? a : b;
   case GLSL_STEP: return b < a ? 0 : 1;
   case GLSL_MOD: return a - b * floor(a / b);
   case GLSL_INDEX: return fmod(fabs(a), b);
   case GLSL_CLAMP: return a < b ? b : a > c ? c : a;
   case GLSL_MIX: return a * (1 - c) + b * c;
   default: return NAN;
   }
}

static void
eval_each(const struct glsl_expr *e, double arg[3][16], double *out)
{
   int stride[3] = { 0 };
   for (int i = 0; i < 3; i++)
      stride[i] = e->arg[i] && glsl_components(e->arg[i]->type) > 1;
   for (int i = 0; i < glsl_components(e->type); i++)
      out[i] = each(e, arg[0][i * stride[0]], arg[1][i * stride[1]], arg[2][i * stride[2]]);
}

/* Operations that need all arguments, and all of their components. */
static void
eval_whole(const struct glsl_expr *e, double arg[3][16], double *out)
{
   const double *a = arg[0], *b = arg[1], *c = arg[2];
   const int n = glsl_components(e->arg[0]->type);
   switch (e->op) {
   case GLSL_EQ:
   case GLSL_NE:
      out[0] = (memcmp(a, b, n * sizeof(double)) == 0) == (e->op == GLSL_EQ);
      break;
   case GLSL_ANY:
   case GLSL_ALL:
      out[0] = e->op == GLSL_ALL;
      for (int i = 0; i < n; i++)
         out[0] = e->op == GLSL_ALL ? out[0] && a[i] : out[0] || a[i];
      break;
   case GLSL_MATMUL:
      matrix_product(e, a, b, out);
      break;
   case GLSL_DOT:
      out[0] = dot(a, b, n);
      break;
   case GLSL_CROSS:
      for (int i = 0; i < 3; i++)
         out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
      break;
   case GLSL_REFLECT:
      for (int i = 0; i < n; i++)
         out[i] = a[i] - 2 * dot(b, a, n) * b[i];
      break;
   case GLSL_FACEFORWARD:
      for (int i = 0; i < n; i++)
         out[i] = dot(c, b, n) < 0 ? a[i] : -a[i];
      break;
   default:
      eval_each(e, arg, out);
   }
}

static void
eval_variable(struct run *run, const struct glsl_expr *e, double *out)
{
   const int n = glsl_components(e->type);
   const int index = e->op == GLSL_VARIABLE ? 0 : (int)eval_scalar(run, e->arg[0]);
   memcpy(out, run->memory + e->variable->memory + index * n, n * sizeof(double));
}

static void
eval(struct run *run, const struct glsl_expr *e, double *out)
{
   double arg[3][16] = { 0 };
   switch (e->op) {
   case GLSL_CONSTANT:
      memcpy(out, e->value, glsl_components(e->type) * sizeof(double));
      return;
   case GLSL_VARIABLE:
   case GLSL_ELEMENT:
   case GLSL_COMPONENT:
      eval_variable(run, e, out);
      return;
   case GLSL_AND:
   case GLSL_OR:
      out[0] = eval_scalar(run, e->arg[0]);
      if ((e->op == GLSL_AND) == (out[0] != 0))
         out[0] = eval_scalar(run, e->arg[1]);
      return;
   case GLSL_SELECT:
      eval(run, e->arg[eval_scalar(run, e->arg[0]) ? 1 : 2], out);
      return;
   case GLSL_SWIZZLE:
      eval(run, e->arg[0], arg[0]);
      for (int i = 0; i < e->type.rows; i++)
         out[i] = arg[0][e->swizzle[i]];
      return;
   case GLSL_CONSTRUCT:
      construct(run, e, out);
      return;
   case GLSL_CALL:
      call(run, e, out);
      return;
   default:
      for (int i = 0; i < 3 && e->arg[i]; i++)
         eval(run, e->arg[i], arg[i]);
      eval_whole(e, arg, out);
      for (int i = 0; i < glsl_components(e->type); i++)
         out[i] += 0.0;
   }
}

/* ----------------------------------------------------------------------------------- statements */

static void
assign(struct run *run, const struct glsl_statement *s)
{
   const struct glsl_target *t = &s->target;
   const int n = glsl_components(t->type);
   double value[16] = { 1 };
   if (s->expr)
      eval(run, s->expr, value);
   const int index = t->index ? (int)eval_scalar(run, t->index) : 0;
   const int stride = t->variable->length ? glsl_components(t->variable->type) : n;
   double *to = run->memory + t->variable->memory + index * stride;
   const bool scalar = !s->expr || glsl_components(s->expr->type) == 1;
   for (int i = 0; i < n; i++) {
      double *x = to + (t->count ? t->swizzle[i] : i);
      const double y = value[scalar ? 0 : i];
      if (s->kind == GLSL_ASSIGN)
         *x = value[i];
      else
         *x = wrap(s->kind == GLSL_ASSIGN_MUL ? *x * y : *x + y, t->type.base) + 0.0;
   }
}

static enum end
run_loop(struct run *run, const struct glsl_statement *s)
{
   double *counter = run->memory + s->variable->memory;
   for (*counter = 0;;) {
      if (s->kind != GLSL_DO && !(*counter < s->count))
         return END_NONE;
      if (s->kind == GLSL_WHILE && !eval_scalar(run, s->expr))
         return END_NONE;
      *counter += s->kind != GLSL_FOR;
      enum end end = run_list(run, s->body);
      if (end == END_BREAK)
         return END_NONE;
      if (end >= END_RETURN)
         return end;
      if (s->kind == GLSL_DO && !(*counter < s->count && eval_scalar(run, s->expr)))
         return END_NONE;
      *counter += s->kind == GLSL_FOR;
   }
}

static enum end
run_statement(struct run *run, const struct glsl_statement *s)
{
   switch (s->kind) {
   case GLSL_DECLARE:
      eval(run, s->expr, run->memory + s->variable->memory);
      return END_NONE;
   case GLSL_ASSIGN:
   case GLSL_ASSIGN_ADD:
   case GLSL_ASSIGN_MUL:
   case GLSL_INCREMENT:
      assign(run, s);
      return run->discarded ? END_DISCARD : END_NONE;
   case GLSL_IF:
      return run_list(run, eval_scalar(run, s->expr) ? s->body : s->other);
   case GLSL_FOR:
   case GLSL_WHILE:
   case GLSL_DO:
      return run_loop(run, s);
   case GLSL_BLOCK:
      return run_list(run, s->body);
   case GLSL_BREAK:
      return END_BREAK;
   case GLSL_CONTINUE:
      return END_CONTINUE;
   case GLSL_DISCARD:
      return END_DISCARD;
   case GLSL_RETURN:
      if (s->expr)
         eval(run, s->expr, run->returned);
      return END_RETURN;
   }
   return END_NONE;
}

static enum end
run_list(struct run *run, const struct glsl_statement *s)
{
   for (; s; s = s->next) {
      enum end end = run_statement(run, s);
      if (end != END_NONE)
         return end;
   }
   return END_NONE;
}

bool
glsl_evaluate(const struct glsl_program *p, const double place[2], double result[4])
{
   struct run run = { .discarded = false };
   memcpy(run.memory, p->initial, sizeof(run.memory));
   memcpy(run.memory + p->place->memory, place, 2 * sizeof(double));
   const enum end end = run_list(&run, p->main);
   memcpy(result, run.memory + p->result->memory, 4 * sizeof(double));
   return end != END_DISCARD;
}
