/* SPDX-License-Identifier: MIT */
#include "glsl_generator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define VARIABLE_MAGNITUDE 32 /* of what a variable holds: wrap() gives [-16, 16) */
#define VARIABLE_FRACTION 2
#define INT_MAGNITUDE 100
#define FLOAT_BITS 22    /* magnitude and fraction of any number, less than a float's 24 */
#define INT_BITS 30
#define MAX_DEPTH 4

const struct glsl_type gen_bool = { GLSL_BOOL, 1, 1 }, gen_int = { GLSL_INT, 1, 1 },
                       gen_float = { GLSL_FLOAT, 1, 1 };

void *
gen_allocate(struct generator *g, size_t size_B)
{
   struct block *block = calloc(1, sizeof(*block) + size_B);
   block->next = g->p->blocks;
   g->p->blocks = block;
   return block + 1;
}

static bool
same_type(struct glsl_type a, struct glsl_type b)
{
   return a.base == b.base && a.rows == b.rows && a.columns == b.columns;
}

struct glsl_type
gen_vector(enum glsl_base base, int rows)
{
   return (struct glsl_type){ base, rows, 1 };
}

struct glsl_type
gen_type(struct generator *g, bool matrices)
{
   const enum glsl_base base = rules_below(g->r, 3);
   const int rows = rules_between(g->r, 1, 4);
   if (matrices && base == GLSL_FLOAT && rows > 1 && rules_chance(g->r, 25))
      return (struct glsl_type){ base, rows, rows };
   return gen_vector(base, rows);
}

double
gen_value(struct generator *g, enum glsl_base base)
{
   if (base == GLSL_BOOL)
      return rules_below(g->r, 2);
   if (base == GLSL_INT)
      return rules_between(g->r, -9, 9);
   return rules_chance(g->r, 70) ? rules_between(g->r, -8, 8) : rules_between(g->r, -40, 40) / 4.0;
}

const struct glsl_variable *
gen_find(struct generator *g, struct glsl_type type,
         bool (*wanted)(const struct generator *g, const struct glsl_variable *v,
                        struct glsl_type type))
{
   const struct glsl_variable *found = NULL;
   int count = 0;
   for (int i = 0; i < g->visible_count; i++) {
      if (wanted(g, g->visible[i], type) && rules_below(g->r, ++count) == 0)
         found = g->visible[i];
   }
   return found;
}

bool
gen_is_plain(const struct generator *g, const struct glsl_variable *v, struct glsl_type type)
{
   (void)g;
   return !v->length && same_type(v->type, type);
}

static bool
is_array(const struct generator *g, const struct glsl_variable *v, struct glsl_type type)
{
   (void)g;
   return v->length && same_type(v->type, type);
}

/* A vector whose components, or a matrix whose columns, have the type. */
static bool
has_components(const struct generator *g, const struct glsl_variable *v, struct glsl_type type)
{
   (void)g;
   if (v->length || v->type.base != type.base || type.columns > 1)
      return false;
   return v->type.columns > 1 ? v->type.rows == type.rows : v->type.rows > 1 && type.rows == 1;
}

static bool
is_vector(const struct generator *g, const struct glsl_variable *v, struct glsl_type type)
{
   (void)g;
   return !v->length && v->type.base == type.base && v->type.columns == 1 && v->type.rows > 1;
}

/* ---------------------------------------------------------------------------------- expressions */

struct glsl_expr *
gen_node(struct generator *g, enum glsl_op op, struct glsl_type type, struct glsl_expr *a,
         struct glsl_expr *b, struct glsl_expr *c)
{
   struct glsl_expr *e = gen_allocate(g, sizeof(*e));
   *e = (struct glsl_expr){ .op = op, .type = type, .arg = { a, b, c } };
   for (int i = 0; i < 3 && e->arg[i]; i++) {
      e->magnitude = fmax(e->magnitude, e->arg[i]->magnitude);
      e->fraction = e->fraction > e->arg[i]->fraction ? e->fraction : e->arg[i]->fraction;
   }
   return e;
}

/* The same with a bound of its own. */
static struct glsl_expr *
bounded(struct glsl_expr *e, double magnitude, int fraction)
{
   e->magnitude = magnitude;
   e->fraction = fraction;
   return e;
}

static double
bits(const struct glsl_expr *e)
{
   return log2(fmax(e->magnitude, 1)) + e->fraction;
}

/* An expression of no more than so many bits. */
static struct glsl_expr *
limit(struct generator *g, struct glsl_expr *e, double most)
{
   if (e->type.base == GLSL_BOOL || bits(e) <= most)
      return e;
   return bounded(gen_node(g, GLSL_WRAP, e->type, e, NULL, NULL),
                  e->type.base == GLSL_INT ? INT_MAGNITUDE : 16, 0);
}

struct glsl_expr *
gen_constant(struct generator *g, struct glsl_type type)
{
   struct glsl_expr *e = gen_node(g, GLSL_CONSTANT, type, NULL, NULL, NULL);
   for (int i = 0; i < glsl_components(type); i++)
      e->value[i] = gen_value(g, type.base);
   return bounded(e, 10, type.base == GLSL_FLOAT ? 2 : 0);
}

struct glsl_expr *
gen_number(struct generator *g, enum glsl_base base, double value)
{
   struct glsl_expr *e = gen_node(g, GLSL_CONSTANT, gen_vector(base, 1), NULL, NULL, NULL);
   e->value[0] = value;
   return bounded(e, fabs(value), 0);
}

struct glsl_expr *
gen_of_variable(struct generator *g, enum glsl_op op, struct glsl_type type,
                const struct glsl_variable *v, struct glsl_expr *index)
{
   struct glsl_expr *e = gen_node(g, op, type, index, NULL, NULL);
   e->variable = v;
   return bounded(e, type.base == GLSL_INT ? INT_MAGNITUDE : VARIABLE_MAGNITUDE,
                  type.base == GLSL_FLOAT ? VARIABLE_FRACTION : 0);
}

struct glsl_expr *
gen_index(struct generator *g, int length, int depth)
{
   if (rules_chance(g->r, 30))
      return gen_number(g, GLSL_INT, rules_below(g->r, length));
   struct glsl_expr *e = limit(g, gen_expression(g, gen_int, depth), INT_BITS);
   return bounded(gen_node(g, GLSL_INDEX, gen_int, e, gen_number(g, GLSL_INT, length), NULL),
                  length, 0);
}

/* A variable, an element, a component, or parts of a vector; a constant where there is none. */
static struct glsl_expr *
leaf(struct generator *g, struct glsl_type type, int depth)
{
   const struct glsl_variable *v = NULL;
   switch (rules_below(g->r, 6)) {
   case 0:
      return gen_constant(g, type);
   case 1:
      if ((v = gen_find(g, type, is_array)))
         return gen_of_variable(g, GLSL_ELEMENT, type, v,
                                gen_index(g, v->length, depth > 0 ? depth - 1 : 0));
      break;
   case 2:
      if (depth > 0 && (v = gen_find(g, type, has_components)))
         return gen_of_variable(
            g, GLSL_COMPONENT, type, v,
            gen_index(g, v->type.columns > 1 ? v->type.columns : v->type.rows, depth - 1));
      break;
   case 3:
      if (type.columns == 1 && (v = gen_find(g, type, is_vector))) {
         struct glsl_expr *e = gen_node(
            g, GLSL_SWIZZLE, type, gen_of_variable(g, GLSL_VARIABLE, v->type, v, NULL), NULL, NULL);
         for (int i = 0; i < type.rows; i++)
            e->swizzle[i] = rules_below(g->r, v->type.rows);
         return e;
      }
      break;
   }
   v = gen_find(g, type, gen_is_plain);
   return v ? gen_of_variable(g, GLSL_VARIABLE, type, v, NULL) : gen_constant(g, type);
}

struct glsl_expr *
gen_or_scalar(struct generator *g, struct glsl_type type, int depth, double most)
{
   const struct glsl_type scalar = gen_vector(type.base, 1);
   return limit(g, gen_expression(g, rules_chance(g->r, 20) ? scalar : type, depth), most);
}

static struct glsl_expr *
select_of(struct generator *g, struct glsl_type type, int depth)
{
   struct glsl_expr *condition = gen_expression(g, gen_bool, depth);
   struct glsl_expr *a = gen_expression(g, type, depth), *b = gen_expression(g, type, depth);
   struct glsl_expr *e = gen_node(g, GLSL_SELECT, type, condition, a, b);
   return bounded(e, fmax(a->magnitude, b->magnitude),
                  a->fraction > b->fraction ? a->fraction : b->fraction);
}

/* A vector of smaller parts, a conversion, or one value for all components. */
static struct glsl_expr *
construct_of(struct generator *g, struct glsl_type type, int depth)
{
   struct glsl_expr *e = gen_node(g, GLSL_CONSTRUCT, type, NULL, NULL, NULL);
   const int part = type.columns > 1 ? type.rows : 0;
   int left = rules_chance(g->r, 20) ? 1 : glsl_components(type);
   if (part && left > 1)
      left = type.columns;
   for (int i = 0; left > 0; i++) {
      const enum glsl_base base = part ? GLSL_FLOAT : rules_below(g->r, 3);
      const int rows = i == 3 || rules_chance(g->r, 40) ? left : rules_between(g->r, 1, left);
      e->arg[i] = gen_expression(
         g, part && left > 1 ? gen_vector(base, part) : gen_vector(base, part ? 1 : rows), depth);
      if (part && left == 1 && i > 0)
         e->arg[i] = gen_expression(g, gen_vector(base, part), depth);
      left -= part ? 1 : rows;
      e->arg[i] = limit(g, e->arg[i], FLOAT_BITS);
      e->magnitude = fmax(e->magnitude, e->arg[i]->magnitude);
      e->fraction = fmax(e->fraction, e->arg[i]->fraction);
   }
   e->magnitude = fmax(e->magnitude, 1);
   if (type.base != GLSL_FLOAT)
      e->fraction = 0;
   return e;
}

static bool
same_function_type(const struct glsl_function *f, struct glsl_type type)
{
   return f->pure && same_type(f->type, type);
}

static struct glsl_expr *
call_of(struct generator *g, struct glsl_type type, int depth)
{
   for (int i = 0; i < g->p->functions; i++) {
      const struct glsl_function *f = &g->p->function[i];
      if (f == g->function || !same_function_type(f, type) || !rules_chance(g->r, 60))
         continue;
      struct glsl_expr *e = gen_of_variable(g, GLSL_CALL, type, NULL, NULL);
      e->function = f;
      for (int k = 0; k < f->parameters; k++)
         e->arg[k] = limit(g, gen_expression(g, f->parameter[k]->type, depth), 5);
      return e;
   }
   return leaf(g, type, depth);
}

static struct glsl_expr *
int_expression(struct generator *g, struct glsl_type type, int depth)
{
   struct glsl_expr *a = limit(g, gen_expression(g, type, depth), 14), *b;
   switch (rules_below(g->r, 5)) {
   case 0:
      b = gen_or_scalar(g, type, depth, 14);
      return bounded(gen_node(g, GLSL_MUL, type, a, b, NULL), a->magnitude * b->magnitude, 0);
   case 1:
      return gen_node(g, GLSL_DIV, type, a, gen_number(g, GLSL_INT, rules_between(g->r, 1, 12)),
                      NULL);
   case 2:
      return gen_node(g, GLSL_NEG, type, a, NULL, NULL);
   default:
      b = gen_or_scalar(g, type, depth, 14);
      return bounded(gen_node(g, rules_chance(g->r, 50) ? GLSL_ADD : GLSL_SUB, type, a, b, NULL),
                     a->magnitude + b->magnitude, 0);
   }
}

static struct glsl_expr *
compare(struct generator *g, struct glsl_type type, int depth)
{
   const bool vector = type.rows > 1;
   const enum glsl_base base = rules_below(g->r, 2);
   if (rules_chance(g->r, 30)) {
      const struct glsl_type of =
         vector ? gen_vector(rules_below(g->r, 3), type.rows) : gen_type(g, true);
      const enum glsl_op op = vector ? GLSL_EQUAL : GLSL_EQ;
      return bounded(gen_node(g,
                              op + rules_below(g->r, 2) *
                                      (vector ? GLSL_NOT_EQUAL - GLSL_EQUAL : GLSL_NE - GLSL_EQ),
                              type, limit(g, gen_expression(g, of, depth), FLOAT_BITS),
                              limit(g, gen_expression(g, of, depth), FLOAT_BITS), NULL),
                     1, 0);
   }
   struct glsl_expr *a = limit(g, gen_expression(g, gen_vector(base, type.rows), depth), FLOAT_BITS);
   struct glsl_expr *b = rules_chance(g->r, 20) && !vector ? gen_number(g, base, 0)
                                                : limit(g, gen_expression(g, gen_vector(base, type.rows), depth), FLOAT_BITS);
   return bounded(gen_node(g, (vector ? GLSL_LESS : GLSL_LT) + rules_below(g->r, 4), type, a, b, NULL), 1, 0);
}

static struct glsl_expr *
bool_expression(struct generator *g, struct glsl_type type, int depth)
{
   if (type.rows > 1)
      return rules_chance(g->r, 20)
                ? gen_node(g, GLSL_NOT_EACH, type, gen_expression(g, type, depth), NULL, NULL)
                : compare(g, type, depth);
   switch (rules_below(g->r, 6)) {
   case 0:
      return gen_node(g, GLSL_NOT, type, gen_expression(g, type, depth), NULL, NULL);
   case 1:
      return gen_node(g, GLSL_AND + rules_below(g->r, 3), type, gen_expression(g, type, depth),
                      gen_expression(g, type, depth), NULL);
   case 2:
      return gen_node(g, rules_chance(g->r, 50) ? GLSL_ANY : GLSL_ALL, type,
                      gen_expression(g, gen_vector(GLSL_BOOL, rules_between(g->r, 2, 4)), depth),
                      NULL, NULL);
   default:
      return compare(g, type, depth);
   }
}

static struct glsl_expr *
matrix_expression(struct generator *g, struct glsl_type type, int depth)
{
   struct glsl_expr *a = limit(g, gen_expression(g, type, depth), 10), *b;
   switch (rules_below(g->r, 5)) {
   case 0:
      b = limit(g, gen_expression(g, type, depth), 10);
      return bounded(gen_node(g, GLSL_MATMUL, type, a, b, NULL), 4 * a->magnitude * b->magnitude,
                     a->fraction + b->fraction);
   case 1:
      b = limit(g, gen_expression(g, type, depth), 10);
      return bounded(gen_node(g, GLSL_COMP_MULT, type, a, b, NULL), a->magnitude * b->magnitude,
                     a->fraction + b->fraction);
   case 2:
      b = limit(g, gen_expression(g, gen_float, depth), 10);
      return bounded(gen_node(g, GLSL_MUL, type, a, b, NULL), a->magnitude * b->magnitude,
                     a->fraction + b->fraction);
   case 3:
      return gen_node(g, GLSL_NEG, type, a, NULL, NULL);
   default:
      b = limit(g, gen_expression(g, type, depth), 10);
      return bounded(gen_node(g, rules_chance(g->r, 50) ? GLSL_ADD : GLSL_SUB, type, a, b, NULL),
                     a->magnitude + b->magnitude,
                     a->fraction > b->fraction ? a->fraction : b->fraction);
   }
}

/* Functions of whole vectors: products and what is made of them. */
static struct glsl_expr *
geometric(struct generator *g, struct glsl_type type, int depth)
{
   const int rows = type.rows;
   if (rows == 1) {
      const struct glsl_type of = gen_vector(GLSL_FLOAT, rules_between(g->r, 1, 4));
      struct glsl_expr *a = limit(g, gen_expression(g, of, depth), 10), *b = limit(g, gen_expression(g, of, depth), 10);
      return bounded(gen_node(g, GLSL_DOT, type, a, b, NULL), 4 * a->magnitude * b->magnitude, a->fraction + b->fraction);
   }
   struct glsl_expr *a = limit(g, gen_expression(g, type, depth), 5), *b = limit(g, gen_expression(g, type, depth), 5);
   const struct glsl_type matrix = { GLSL_FLOAT, rows, rows };
   switch (rules_below(g->r, 4)) {
   case 0:
      return bounded(gen_node(g, GLSL_REFLECT, type, a, b, NULL),
                     a->magnitude * (1 + 8 * b->magnitude * b->magnitude),
                     a->fraction + 2 * b->fraction);
   case 1:
      return bounded(
         gen_node(g, GLSL_FACEFORWARD, type, a, b, limit(g, gen_expression(g, type, depth), 5)),
         a->magnitude, a->fraction);
   case 2:
      b = limit(g, gen_expression(g, matrix, depth), 10);
      return bounded(rules_chance(g->r, 50) ? gen_node(g, GLSL_MATMUL, type, a, b, NULL)
                                            : gen_node(g, GLSL_MATMUL, type, b, a, NULL),
                     4 * a->magnitude * b->magnitude, a->fraction + b->fraction);
   default:
      if (rows != 3)
         return a;
      return bounded(gen_node(g, GLSL_CROSS, type, a, b, NULL), 2 * a->magnitude * b->magnitude,
                     a->fraction + b->fraction);
   }
}

static struct glsl_expr *
float_expression(struct generator *g, struct glsl_type type, int depth)
{
   struct glsl_expr *a = limit(g, gen_expression(g, type, depth), 10), *b, *c;
   switch (rules_below(g->r, 13)) {
   case 0:
   case 1:
      b = gen_or_scalar(g, type, depth, 10);
      return bounded(gen_node(g, GLSL_MUL, type, a, b, NULL), a->magnitude * b->magnitude,
                     a->fraction + b->fraction);
   case 2: {
      const int power = rules_between(g->r, 0, 3);
      b = gen_number(g, GLSL_FLOAT, 1 << power);
      return bounded(gen_node(g, GLSL_DIV, type, a, b, NULL), a->magnitude, a->fraction + power);
   }
   case 3:
      return gen_node(g, GLSL_NEG, type, a, NULL, NULL);
   case 4: {
      const enum glsl_op op = GLSL_ABS + rules_below(g->r, 5);
      const double magnitude = op == GLSL_ABS ? a->magnitude : op == GLSL_SIGN || op == GLSL_FRACT ? 1 : a->magnitude + 1;
      return bounded(gen_node(g, op, type, a, NULL, NULL), magnitude, op == GLSL_ABS || op == GLSL_FRACT ? a->fraction : 0);
   }
   case 5:
      b = gen_or_scalar(g, type, depth, 10);
      return gen_node(g, rules_chance(g->r, 50) ? GLSL_MIN : GLSL_MAX, type, a, b, NULL);
   case 6:
      b = limit(g, gen_expression(g, type, depth), 10);
      return bounded(gen_node(g, GLSL_STEP, type, a, b, NULL), 1, 0);
   case 7:
      b = gen_number(g, GLSL_FLOAT, 1 << rules_between(g->r, 0, 4));
      return bounded(gen_node(g, GLSL_MOD, type, a, b, NULL), b->magnitude, a->fraction);
   case 8: {
      double low = rules_between(g->r, -9, 9), high = low + rules_between(g->r, 0, 9);
      return bounded(gen_node(g, GLSL_CLAMP, type, a, gen_number(g, GLSL_FLOAT, low),
                              gen_number(g, GLSL_FLOAT, high)),
                     18, a->fraction);
   }
   case 9:
      b = limit(g, gen_expression(g, type, depth), 10);
      c = bounded(
         gen_node(g, GLSL_FRACT, type, limit(g, gen_expression(g, type, depth), 8), NULL, NULL), 1,
         8);
      c = limit(g, c, 4);
      return bounded(gen_node(g, GLSL_MIX, type, a, b, c), 17 * (a->magnitude + b->magnitude),
                     c->fraction + (a->fraction > b->fraction ? a->fraction : b->fraction));
   case 10:
      return geometric(g, type, depth);
   default:
      b = gen_or_scalar(g, type, depth, 10);
      return bounded(gen_node(g, rules_chance(g->r, 50) ? GLSL_ADD : GLSL_SUB, type, a, b, NULL),
                     a->magnitude + b->magnitude,
                     a->fraction > b->fraction ? a->fraction : b->fraction);
   }
}

struct glsl_expr *
gen_expression(struct generator *g, struct glsl_type type, int depth)
{
   if (depth <= 0 || rules_chance(g->r, 20))
      return leaf(g, type, depth);
   switch (rules_below(g->r, 8)) {
   case 0:
      return select_of(g, type, depth - 1);
   case 1:
      return construct_of(g, type, depth - 1);
   case 2:
      return call_of(g, type, depth - 1);
   default:
      if (type.columns > 1)
         return matrix_expression(g, type, depth - 1);
      return type.base == GLSL_FLOAT ? float_expression(g, type, depth - 1)
             : type.base == GLSL_INT ? int_expression(g, type, depth - 1)
                                     : bool_expression(g, type, depth - 1);
   }
}

struct glsl_expr *
gen_stored(struct generator *g, struct glsl_type type)
{
   struct glsl_expr *e = gen_expression(g, type, rules_between(g->r, 1, MAX_DEPTH));
   const bool fits = type.base == GLSL_INT
                        ? e->magnitude <= INT_MAGNITUDE
                        : e->magnitude <= VARIABLE_MAGNITUDE && e->fraction <= VARIABLE_FRACTION;
   return fits ? e : limit(g, e, 0);
}
