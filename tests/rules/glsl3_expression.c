/* SPDX-License-Identifier: MIT
 *
 * Expressions: leaves, parts of values, constructors, calls and selections. A variable's floats are
 * multiples of 1/4 of at most 32.
 */
#include "glsl3_generator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STORED_MAGNITUDE = 32, STORED_FRACTION = 2, FLOAT_BITS = 22, MAX_DEPTH = 4, MAX_LENGTH = 5 };

const struct g3_type g3_float_type = { .base = G3_FLOAT, .rows = 1, .columns = 1 },
                     g3_int_type = { .base = G3_INT, .rows = 1, .columns = 1 },
                     g3_uint_type = { .base = G3_UINT, .rows = 1, .columns = 1 },
                     g3_bool_type = { .base = G3_BOOL, .rows = 1, .columns = 1 };

struct block {
   struct block *next;
};

void *
g3_allocate(struct g3_generator *g, size_t size_B)
{
   struct block *block = calloc(1, sizeof(*block) + size_B);
   block->next = g->p->allocated;
   g->p->allocated = block;
   return block + 1;
}

void
g3_free(struct g3_program *p)
{
   for (struct block *block = p->allocated, *next; block; block = next) {
      next = block->next;
      free(block);
   }
   free(p);
}

/* ---------------------------------------------------------------------------------------- types */

struct g3_type
g3_random_vector(struct g3_generator *g)
{
   return g3_vector(rules_below(g->r, 4), rules_between(g->r, 1, 4));
}

struct g3_type
g3_random_type(struct g3_generator *g)
{
   struct g3_type type = g3_random_vector(g);
   if (rules_chance(g->r, 15))
      type = g3_matrix(rules_between(g->r, 2, 4), rules_between(g->r, 2, 4));
   if (g->p->structures && rules_chance(g->r, 20))
      type = (struct g3_type){ .base = G3_STRUCT,
                               .structure =
                                  &g->p->structure[rules_below(g->r, (uint32_t)g->p->structures)] };
   if (rules_chance(g->r, 20)) {
      const int length = rules_between(g->r, 1, MAX_LENGTH);
      if (length * g3_words(type) <= G3_MAX_WORDS)
         type.length = length;
   }
   return type;
}

/* An integer of 32 bits: often a boundary, or small. */
static uint32_t
random_integer(struct g3_generator *g)
{
   static const uint32_t boundaries[] = { 0,          1,          2,          31,
                                          32,         33,         0x7fffffff, 0x80000000,
                                          0xffffffff, 0xfffffffe, 0x80000001, 0xffff,
                                          0x10000,    0xff,       0xaaaaaaaa, 0x3f800000,
                                          0x7f800000, 0x7fc00000, 0x8000 };
   if (rules_chance(g->r, 30))
      return rules_pick(g->r, boundaries);
   if (rules_chance(g->r, 60))
      return (uint32_t)rules_between(g->r, -12, 12);
   return (rules_below(g->r, 1 << 16) << 16 | rules_below(g->r, 1 << 16)) >> rules_below(g->r, 32);
}

static uint32_t
random_word(struct g3_generator *g, enum g3_base base)
{
   if (base == G3_BOOL)
      return rules_below(g->r, 2);
   if (base != G3_FLOAT)
      return random_integer(g);
   return g3_bits(rules_chance(g->r, 60) ? rules_between(g->r, -8, 8)
                                         : rules_between(g->r, -40, 40) / 4.0);
}

void
g3_random_value(struct g3_generator *g, struct g3_type type, uint32_t *value)
{
   const struct g3_type element = g3_array(type, 0);
   for (int i = 0; i < (type.length ? type.length : 1); i++, value += g3_words(element)) {
      if (type.base == G3_STRUCT) {
         for (int m = 0; m < type.structure->members; m++)
            g3_random_value(g, type.structure->member[m].type,
                            value + type.structure->member[m].offset);
      }
      for (int k = 0; type.base != G3_STRUCT && k < g3_words(element); k++)
         value[k] = random_word(g, type.base);
   }
}

/* --------------------------------------------------------------------------------------- leaves */

struct g3_expr *
g3_bounded(struct g3_expr *e, double magnitude, int fraction)
{
   e->magnitude = magnitude;
   e->fraction = fraction;
   return e;
}

struct g3_expr *
g3_node(struct g3_generator *g, enum g3_op op, struct g3_type type, struct g3_expr *a,
        struct g3_expr *b, struct g3_expr *c)
{
   struct g3_expr *e = g3_allocate(g, sizeof(*e));
   e->op = op;
   e->type = type;
   e->arg[0] = a, e->arg[1] = b, e->arg[2] = c;
   for (int i = 0; i < 3 && e->arg[i]; i++) {
      e->magnitude = fmax(e->magnitude, e->arg[i]->magnitude);
      e->fraction = e->arg[i]->fraction > e->fraction ? e->arg[i]->fraction : e->fraction;
   }
   return e;
}

/* With the bounds of what a variable holds. */
static struct g3_expr *
stored_node(struct g3_generator *g, enum g3_op op, struct g3_type type, struct g3_expr *a,
            struct g3_expr *b)
{
   return g3_bounded(g3_node(g, op, type, a, b, NULL), STORED_MAGNITUDE, STORED_FRACTION);
}

struct g3_expr *
g3_constant(struct g3_generator *g, struct g3_type type)
{
   struct g3_expr *e = stored_node(g, G3_CONSTANT, type, NULL, NULL);
   e->value = g3_allocate(g, (size_t)g3_words(type) * sizeof(uint32_t));
   g3_random_value(g, type, e->value);
   return e;
}

struct g3_expr *
g3_number(struct g3_generator *g, enum g3_base base, double value)
{
   struct g3_expr *e = g3_node(g, G3_CONSTANT, g3_vector(base, 1), NULL, NULL, NULL);
   e->value = g3_allocate(g, sizeof(uint32_t));
   e->value[0] = base == G3_FLOAT ? g3_bits(value) : (uint32_t)(int64_t)value;
   int fraction = 0;
   while (value != floor(value))
      value *= 2, fraction++;
   return g3_bounded(e, fabs(ldexp(value, -fraction)), fraction);
}

struct g3_expr *
g3_variable_expr(struct g3_generator *g, const struct g3_variable *v)
{
   struct g3_expr *e = stored_node(g, G3_VARIABLE, v->type, NULL, NULL);
   e->variable = v;
   return e;
}

/* ---------------------------------------------------------------------------------------- parts */

static int
parts(struct g3_type type)
{
   return type.length ? type.length : type.columns > 1 ? type.columns : type.rows;
}

/* e % n, of an int through an unsigned one; n is a number, or the array's own length(). */
static struct g3_expr *
remainder_of(struct g3_generator *g, struct g3_expr *e, int n, struct g3_expr *array)
{
   struct g3_expr *length = g3_number(g, G3_UINT, n);
   if (array && rules_chance(g->r, 50)) {
      length = g3_node(g, G3_LENGTH, g3_int_type, array, NULL, NULL);
      length = g3_node(g, G3_CONSTRUCT, g3_uint_type, length, NULL, NULL);
   }
   struct g3_expr *whole = g3_node(g, G3_CONSTRUCT, g3_uint_type, e, NULL, NULL);
   whole = g3_node(g, G3_MOD, g3_uint_type, whole, length, NULL);
   return g3_node(g, G3_CONSTRUCT, g3_int_type, whole, NULL, NULL);
}

static struct g3_expr *
index_of(struct g3_generator *g, struct g3_type type, struct g3_expr *array, int depth)
{
   const int n = parts(type);
   if (rules_chance(g->r, 35))
      return g3_number(g, rules_chance(g->r, 70) ? G3_INT : G3_UINT,
                       rules_below(g->r, (uint32_t)n));
   struct g3_expr *e = g3_expression(g, g3_int_type, depth > 2 ? 2 : depth);
   if ((n & (n - 1)) == 0 && rules_chance(g->r, 50))
      return g3_masked(g, e, (uint32_t)n - 1);
   return remainder_of(g, e, n, array);
}

struct g3_expr *
g3_index(struct g3_generator *g, struct g3_type type, int depth)
{
   return index_of(g, type, NULL, depth);
}

/* length() of a plain variable alone, as its array may not have side effects. */
static struct g3_expr *
element_of(struct g3_generator *g, struct g3_expr *e, int depth)
{
   struct g3_expr *array = e->type.length && e->op == G3_VARIABLE ? e : NULL;
   return stored_node(g, G3_ELEMENT, g3_part(e->type), e, index_of(g, e->type, array, depth));
}

static struct g3_expr *
field_of(struct g3_generator *g, struct g3_expr *e)
{
   const struct g3_struct *s = e->type.structure;
   const int m = (int)rules_below(g->r, (uint32_t)s->members);
   struct g3_expr *field = stored_node(g, G3_FIELD, s->member[m].type, e, NULL);
   field->place[0] = m;
   return field;
}

static struct g3_expr *
swizzle_of(struct g3_generator *g, struct g3_expr *e, int rows)
{
   struct g3_expr *s = g3_node(g, G3_SWIZZLE, g3_vector(e->type.base, rows), e, NULL, NULL);
   for (int i = 0; i < rows; i++)
      s->place[i] = (int)rules_below(g->r, (uint32_t)e->type.rows);
   return s;
}

struct g3_expr *
g3_random_part(struct g3_generator *g, const struct g3_variable *v, int depth)
{
   struct g3_expr *e = g3_variable_expr(g, v);
   while (rules_chance(g->r, 55)) {
      if (e->type.base == G3_STRUCT && !e->type.length)
         e = field_of(g, e);
      else if (e->type.length || g3_components(e->type) > 1)
         e = element_of(g, e, depth);
      else
         break;
   }
   return e;
}

/* Parts of e until one has the type; NULL: the way that was chosen does not lead there. */
static struct g3_expr *
descend(struct g3_generator *g, struct g3_expr *e, struct g3_type type, int depth)
{
   while (!g3_same_type(e->type, type)) {
      if (e->type.base == G3_STRUCT && !e->type.length)
         e = field_of(g, e);
      else if (e->type.base != type.base)
         return NULL;
      else if (g3_is_vector(e->type) && g3_is_vector(type) && e->type.rows > 1 &&
               (type.rows > 1 || rules_chance(g->r, 50)))
         return swizzle_of(g, e, type.rows);
      else if (e->type.length || g3_components(e->type) > 1)
         e = element_of(g, e, depth);
      else
         return NULL;
   }
   return e;
}

/* A variable or a part of one; a constant where none is found. */
static struct g3_expr *
leaf(struct g3_generator *g, struct g3_type type, int depth)
{
   if (rules_chance(g->r, 15))
      return g3_constant(g, type);
   for (int tries = 0; tries < 24 && g->visible_count; tries++) {
      const struct g3_variable *v = g->visible[rules_below(g->r, (uint32_t)g->visible_count)];
      if (g->constant && v->storage != G3_CONST)
         continue;
      struct g3_expr *e = descend(g, g3_variable_expr(g, v), type, depth > 0 ? depth - 1 : 0);
      if (e)
         return e;
   }
   return g3_constant(g, type);
}

/* --------------------------------------------------------------------------------------- bounds */

static double
bits(const struct g3_expr *e)
{
   return e->magnitude > 0 ? log2(e->magnitude) + e->fraction : e->fraction;
}

/* What wrap() does by operators: no constant expression calls functions of the text. Matrices have
 * none. */
static struct g3_expr *
wrapped_constant(struct g3_generator *g, struct g3_expr *e)
{
   if (e->type.columns > 1)
      return g3_constant(g, e->type);
   e = g3_node(g, G3_FLOOR, e->type, e, NULL, NULL);
   e = g3_node(g, G3_MODULO, e->type, e, g3_number(g, G3_FLOAT, 32), NULL);
   e = g3_node(g, G3_SUB, e->type, e, g3_number(g, G3_FLOAT, 16), NULL);
   return g3_bounded(e, 16, 0);
}

struct g3_expr *
g3_limit(struct g3_generator *g, struct g3_expr *e, double most)
{
   if (e->type.base != G3_FLOAT || e->type.length || bits(e) <= most)
      return e;
   if (g->constant)
      return wrapped_constant(g, e);
   g->p->wraps[e->type.columns][e->type.rows] = true;
   return g3_bounded(g3_node(g, G3_WRAP, e->type, e, NULL, NULL), 16, 0);
}

struct g3_expr *
g3_masked(struct g3_generator *g, struct g3_expr *e, uint32_t mask)
{
   return g3_node(g, G3_AND, e->type, e, g3_number(g, e->type.base, (int32_t)mask), NULL);
}

/* What a variable may hold: e, or e wrapped. */
static struct g3_expr *
as_stored(struct g3_generator *g, struct g3_expr *e)
{
   const bool fits = e->magnitude <= STORED_MAGNITUDE && e->fraction <= STORED_FRACTION;
   return fits ? e : g3_limit(g, e, -1000);
}

/* --------------------------------------------------------------------------------- constructors */

/* As an argument of a constructor of `base`: no negative float becomes a uint, no large integer a
 * float. */
static struct g3_expr *
convertible(struct g3_generator *g, struct g3_expr *e, enum g3_base base)
{
   if (e->type.base == G3_FLOAT)
      e = g3_limit(g, e, FLOAT_BITS);
   if (e->type.base == G3_FLOAT && base == G3_UINT)
      return g3_node(g, G3_ABS, e->type, e, NULL, NULL);
   if (base == G3_FLOAT && e->type.base != G3_FLOAT && e->type.base != G3_BOOL)
      return g3_bounded(g3_masked(g, e, 255), 255, 0);
   return e->type.base == G3_BOOL ? g3_bounded(e, 1, 0) : e;
}

static void
add_argument(struct g3_generator *g, struct g3_expr *e, int i, struct g3_type type, int depth)
{
   struct g3_expr *a = convertible(g, g3_expression(g, type, depth), e->type.base);
   e->arg[i] = a;
   e->magnitude = fmax(e->magnitude, fmax(a->magnitude, 1));
   e->fraction = a->fraction > e->fraction ? a->fraction : e->fraction;
}

/* Of smaller parts, the last of which may have more components than are left; a conversion; one
 * value for all components. */
static struct g3_expr *
construct_vector(struct g3_generator *g, struct g3_type type, int depth)
{
   struct g3_expr *e = g3_node(g, G3_CONSTRUCT, type, NULL, NULL, NULL);
   int left = rules_chance(g->r, 20) ? 1 : type.rows;
   const bool splat = left < type.rows;
   for (int i = 0; left > 0; i++) {
      int rows = i == 3 || rules_chance(g->r, 40) ? left : rules_between(g->r, 1, left);
      if (rows == left && !splat && rules_chance(g->r, 25))
         rows = rules_between(g->r, left, 4);
      add_argument(g, e, i, g3_vector(rules_below(g->r, 4), rows), depth);
      left -= rows;
   }
   return e;
}

/* Of columns, one scalar for the diagonal, or another matrix. */
static struct g3_expr *
construct_matrix(struct g3_generator *g, struct g3_type type, int depth)
{
   struct g3_expr *e = g3_node(g, G3_CONSTRUCT, type, NULL, NULL, NULL);
   switch (rules_below(g->r, 3)) {
   case 0:
      add_argument(g, e, 0, g3_vector(rules_below(g->r, 4), 1), depth);
      break;
   case 1:
      add_argument(g, e, 0, g3_matrix(rules_between(g->r, 2, 4), rules_between(g->r, 2, 4)), depth);
      break;
   default:
      for (int i = 0; i < type.columns; i++)
         add_argument(g, e, i, g3_vector(rules_below(g->r, 4), type.rows), depth);
   }
   return e;
}

/* Of all elements or members. */
static struct g3_expr *
construct_aggregate(struct g3_generator *g, struct g3_type type, int depth)
{
   struct g3_expr *e = stored_node(g, G3_CONSTRUCT, type, NULL, NULL);
   const int count = type.length ? type.length : type.structure->members;
   for (int i = 0; i < count; i++)
      e->arg[i] = as_stored(
         g, g3_expression(g, type.length ? g3_part(type) : type.structure->member[i].type, depth));
   return e;
}

static struct g3_expr *
construct(struct g3_generator *g, struct g3_type type, int depth)
{
   if (type.length || type.base == G3_STRUCT)
      return construct_aggregate(g, type, depth);
   return type.columns > 1 ? construct_matrix(g, type, depth) : construct_vector(g, type, depth);
}

/* ---------------------------------------------------------------------------------- expressions */

static struct g3_expr *
select_of(struct g3_generator *g, struct g3_type type, int depth)
{
   struct g3_expr *condition = g3_expression(g, g3_bool_type, depth);
   struct g3_expr *a = g3_expression(g, type, depth), *b = g3_expression(g, type, depth);
   struct g3_expr *e = g3_node(g, G3_SELECT, type, a, b, NULL);
   e->arg[0] = condition, e->arg[1] = a, e->arg[2] = b;
   return e;
}

static struct g3_expr *
call_of(struct g3_generator *g, struct g3_type type, int depth)
{
   for (int i = 0; i < g->p->functions && !g->constant; i++) {
      const struct g3_function *f = &g->p->function[i];
      if (!f->pure || !g3_same_type(f->type, type) || !rules_chance(g->r, 60))
         continue;
      struct g3_expr *e = stored_node(g, G3_CALL, type, NULL, NULL);
      e->function = f;
      for (int k = 0; k < f->parameters; k++)
         e->arg[k] = as_stored(g, g3_expression(g, f->parameter[k]->type, depth));
      return e;
   }
   return leaf(g, type, depth);
}

struct g3_expr *
g3_expression(struct g3_generator *g, struct g3_type type, int depth)
{
   if (depth <= 0 || rules_chance(g->r, 20))
      return leaf(g, type, depth);
   const bool plain = type.base != G3_STRUCT && !type.length;
   switch (rules_below(g->r, plain ? 8 : 4)) {
   case 0:
      return type.length ? leaf(g, type, depth) : select_of(g, type, depth - 1);
   case 1:
      return construct(g, type, depth - 1);
   case 2:
      return call_of(g, type, depth - 1);
   default:
      return plain ? g3_operation(g, type, depth - 1) : leaf(g, type, depth);
   }
}

struct g3_expr *
g3_small(struct g3_generator *g, struct g3_type type, int depth, double most)
{
   return g3_limit(g, g3_expression(g, type, depth), most);
}

struct g3_expr *
g3_or_scalar(struct g3_generator *g, struct g3_type type, int depth, double most)
{
   return g3_small(g, rules_chance(g->r, 20) ? g3_vector(type.base, 1) : type, depth, most);
}

struct g3_expr *
g3_stored(struct g3_generator *g, struct g3_type type)
{
   return as_stored(g, g3_expression(g, type, rules_between(g->r, 1, MAX_DEPTH)));
}
