/* SPDX-License-Identifier: MIT
 *
 * Makes programs: first uniforms, globals and structures, then functions, then main's body. An expression is made for a
 * type, from its root to the leaves. Only statements of their own call functions that write something, so that the
 * order in which operands are evaluated is never seen.
 */
#include "glsl_program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define VARIABLE_MAGNITUDE 32 /* of what a variable holds: wrap() gives [-16, 16) */
#define VARIABLE_FRACTION 2
#define INT_MAGNITUDE 100
#define FLOAT_BITS 22    /* magnitude and fraction of any number, less than a float's 24 */
#define INT_BITS 30
#define MAX_DEPTH 4

struct block {
   struct block *next;
};

struct generator {
   struct rules *r;
   struct glsl_program *p;
   const struct glsl_variable *visible[GLSL_MAX_VARIABLES];
   int visible_count;
   struct glsl_function *function; /* that is being made; NULL: main */
   int loops, nesting, budget;
   bool pure;
};

static const struct glsl_type bool_type = { GLSL_BOOL, 1, 1 }, int_type = { GLSL_INT, 1, 1 },
                              float_type = { GLSL_FLOAT, 1, 1 };

static void *
allocate(struct generator *g, size_t size_B)
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

static struct glsl_type
vector_of(enum glsl_base base, int rows)
{
   return (struct glsl_type){ base, rows, 1 };
}

static struct glsl_type
random_type(struct generator *g, bool matrices)
{
   const enum glsl_base base = rules_below(g->r, 3);
   const int rows = rules_between(g->r, 1, 4);
   if (matrices && base == GLSL_FLOAT && rows > 1 && rules_chance(g->r, 25))
      return (struct glsl_type){ base, rows, rows };
   return vector_of(base, rows);
}

/* ------------------------------------------------------------------------------------------------ variables */

static struct glsl_variable *
add_variable(struct generator *g, struct glsl_type type, enum glsl_storage storage, int length, const char *prefix)
{
   struct glsl_program *p = g->p;
   struct glsl_variable *v = &p->variable[p->variables];
   *v = (struct glsl_variable){ .type = type, .storage = storage, .length = length, .memory = p->memory };
   snprintf(v->name, sizeof(v->name), "%s%d", prefix, p->variables++);
   p->memory += glsl_components(type) * (length ? length : 1);
   return v;
}

static bool
has_room(const struct generator *g)
{
   return g->p->variables < GLSL_MAX_VARIABLES - 16 && g->p->memory < GLSL_MAX_MEMORY - 256;
}

static void
show(struct generator *g, const struct glsl_variable *v)
{
   g->visible[g->visible_count++] = v;
}

static double
random_value(struct generator *g, enum glsl_base base)
{
   if (base == GLSL_BOOL)
      return rules_below(g->r, 2);
   if (base == GLSL_INT)
      return rules_between(g->r, -9, 9);
   return rules_chance(g->r, 70) ? rules_between(g->r, -8, 8) : rules_between(g->r, -40, 40) / 4.0;
}

static void
initialise(struct generator *g, const struct glsl_variable *v)
{
   for (int i = 0; i < glsl_components(v->type) * (v->length ? v->length : 1); i++)
      g->p->initial[v->memory + i] = random_value(g, v->type.base);
}

static void
add_global(struct generator *g, enum glsl_storage storage, const char *prefix)
{
   const struct glsl_type type = random_type(g, true);
   struct glsl_variable *v = add_variable(g, type, storage, rules_chance(g->r, 40) ? rules_between(g->r, 2, 7) : 0, prefix);
   initialise(g, v);
   show(g, v);
}

/* A structure, or an array of them. */
static void
add_structure(struct generator *g, enum glsl_storage storage)
{
   const int members = rules_between(g->r, 2, 4), length = rules_chance(g->r, 50) ? rules_between(g->r, 2, 4) : 0;
   char name[12];
   snprintf(name, sizeof(name), "s%d", g->p->variables);
   for (int i = 0; i < members; i++) {
      struct glsl_variable *v = add_variable(g, random_type(g, true), storage, length, "s");
      strcpy(v->name, name);
      snprintf(v->suffix, sizeof(v->suffix), ".%c", 'a' + i);
      initialise(g, v);
      show(g, v);
   }
}

/* A visible variable that `wanted` accepts, NULL if there is none. */
static const struct glsl_variable *
find_variable(struct generator *g, struct glsl_type type,
              bool (*wanted)(const struct generator *g, const struct glsl_variable *v, struct glsl_type type))
{
   const struct glsl_variable *found = NULL;
   int count = 0;
   for (int i = 0; i < g->visible_count; i++) {
      if (wanted(g, g->visible[i], type) && rules_below(g->r, ++count) == 0)
         found = g->visible[i];
   }
   return found;
}

static bool
is_plain(const struct generator *g, const struct glsl_variable *v, struct glsl_type type)
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

static bool
is_writable(const struct generator *g, const struct glsl_variable *v, struct glsl_type type)
{
   (void)type;
   return v->storage == GLSL_LOCAL || (v->storage == GLSL_GLOBAL && !g->pure);
}

/* ------------------------------------------------------------------------------------------------ expressions */

static struct glsl_expr *expression(struct generator *g, struct glsl_type type, int depth);

static struct glsl_expr *
node(struct generator *g, enum glsl_op op, struct glsl_type type, struct glsl_expr *a, struct glsl_expr *b,
     struct glsl_expr *c)
{
   struct glsl_expr *e = allocate(g, sizeof(*e));
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
   return bounded(node(g, GLSL_WRAP, e->type, e, NULL, NULL), e->type.base == GLSL_INT ? INT_MAGNITUDE : 16, 0);
}

static struct glsl_expr *
constant(struct generator *g, struct glsl_type type)
{
   struct glsl_expr *e = node(g, GLSL_CONSTANT, type, NULL, NULL, NULL);
   for (int i = 0; i < glsl_components(type); i++)
      e->value[i] = random_value(g, type.base);
   return bounded(e, 10, type.base == GLSL_FLOAT ? 2 : 0);
}

static struct glsl_expr *
number(struct generator *g, enum glsl_base base, double value)
{
   struct glsl_expr *e = node(g, GLSL_CONSTANT, vector_of(base, 1), NULL, NULL, NULL);
   e->value[0] = value;
   return bounded(e, fabs(value), 0);
}

static struct glsl_expr *
of_variable(struct generator *g, enum glsl_op op, struct glsl_type type, const struct glsl_variable *v,
            struct glsl_expr *index)
{
   struct glsl_expr *e = node(g, op, type, index, NULL, NULL);
   e->variable = v;
   return bounded(e, type.base == GLSL_INT ? INT_MAGNITUDE : VARIABLE_MAGNITUDE,
                  type.base == GLSL_FLOAT ? VARIABLE_FRACTION : 0);
}

/* An int in [0, length): constant, a loop's counter or anything else. */
static struct glsl_expr *
index_below(struct generator *g, int length, int depth)
{
   if (rules_chance(g->r, 30))
      return number(g, GLSL_INT, rules_below(g->r, length));
   struct glsl_expr *e = limit(g, expression(g, int_type, depth), INT_BITS);
   return bounded(node(g, GLSL_INDEX, int_type, e, number(g, GLSL_INT, length), NULL), length, 0);
}

/* A variable, an element, a component, or parts of a vector; a constant where there is none. */
static struct glsl_expr *
leaf(struct generator *g, struct glsl_type type, int depth)
{
   const struct glsl_variable *v = NULL;
   switch (rules_below(g->r, 6)) {
   case 0:
      return constant(g, type);
   case 1:
      if ((v = find_variable(g, type, is_array)))
         return of_variable(g, GLSL_ELEMENT, type, v, index_below(g, v->length, depth > 0 ? depth - 1 : 0));
      break;
   case 2:
      if (depth > 0 && (v = find_variable(g, type, has_components)))
         return of_variable(g, GLSL_COMPONENT, type, v,
                            index_below(g, v->type.columns > 1 ? v->type.columns : v->type.rows, depth - 1));
      break;
   case 3:
      if (type.columns == 1 && (v = find_variable(g, type, is_vector))) {
         struct glsl_expr *e =
            node(g, GLSL_SWIZZLE, type, of_variable(g, GLSL_VARIABLE, v->type, v, NULL), NULL, NULL);
         for (int i = 0; i < type.rows; i++)
            e->swizzle[i] = rules_below(g->r, v->type.rows);
         return e;
      }
      break;
   }
   v = find_variable(g, type, is_plain);
   return v ? of_variable(g, GLSL_VARIABLE, type, v, NULL) : constant(g, type);
}

/* An argument of the type, or sometimes a scalar of its base. */
static struct glsl_expr *
or_scalar(struct generator *g, struct glsl_type type, int depth, double most)
{
   const struct glsl_type scalar = vector_of(type.base, 1);
   return limit(g, expression(g, rules_chance(g->r, 20) ? scalar : type, depth), most);
}

static struct glsl_expr *
select_of(struct generator *g, struct glsl_type type, int depth)
{
   struct glsl_expr *condition = expression(g, bool_type, depth);
   struct glsl_expr *a = expression(g, type, depth), *b = expression(g, type, depth);
   struct glsl_expr *e = node(g, GLSL_SELECT, type, condition, a, b);
   return bounded(e, fmax(a->magnitude, b->magnitude), a->fraction > b->fraction ? a->fraction : b->fraction);
}

/* A vector of smaller parts, a conversion, or one value for all components. */
static struct glsl_expr *
construct_of(struct generator *g, struct glsl_type type, int depth)
{
   struct glsl_expr *e = node(g, GLSL_CONSTRUCT, type, NULL, NULL, NULL);
   const int part = type.columns > 1 ? type.rows : 0;
   int left = rules_chance(g->r, 20) ? 1 : glsl_components(type);
   if (part && left > 1)
      left = type.columns;
   for (int i = 0; left > 0; i++) {
      const enum glsl_base base = part ? GLSL_FLOAT : rules_below(g->r, 3);
      const int rows = i == 3 || rules_chance(g->r, 40) ? left : rules_between(g->r, 1, left);
      e->arg[i] = expression(g, part && left > 1 ? vector_of(base, part) : vector_of(base, part ? 1 : rows), depth);
      if (part && left == 1 && i > 0)
         e->arg[i] = expression(g, vector_of(base, part), depth);
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
      struct glsl_expr *e = of_variable(g, GLSL_CALL, type, NULL, NULL);
      e->function = f;
      for (int k = 0; k < f->parameters; k++)
         e->arg[k] = limit(g, expression(g, f->parameter[k]->type, depth), 5);
      return e;
   }
   return leaf(g, type, depth);
}

static struct glsl_expr *
int_expression(struct generator *g, struct glsl_type type, int depth)
{
   struct glsl_expr *a = limit(g, expression(g, type, depth), 14), *b;
   switch (rules_below(g->r, 5)) {
   case 0:
      b = or_scalar(g, type, depth, 14);
      return bounded(node(g, GLSL_MUL, type, a, b, NULL), a->magnitude * b->magnitude, 0);
   case 1:
      return node(g, GLSL_DIV, type, a, number(g, GLSL_INT, rules_between(g->r, 1, 12)), NULL);
   case 2:
      return node(g, GLSL_NEG, type, a, NULL, NULL);
   default:
      b = or_scalar(g, type, depth, 14);
      return bounded(node(g, rules_chance(g->r, 50) ? GLSL_ADD : GLSL_SUB, type, a, b, NULL),
                     a->magnitude + b->magnitude, 0);
   }
}

static struct glsl_expr *
compare(struct generator *g, struct glsl_type type, int depth)
{
   const bool vector = type.rows > 1;
   const enum glsl_base base = rules_below(g->r, 2);
   if (rules_chance(g->r, 30)) {
      const struct glsl_type of = vector ? vector_of(rules_below(g->r, 3), type.rows) : random_type(g, true);
      const enum glsl_op op = vector ? GLSL_EQUAL : GLSL_EQ;
      return bounded(node(g, op + rules_below(g->r, 2) * (vector ? GLSL_NOT_EQUAL - GLSL_EQUAL : GLSL_NE - GLSL_EQ), type,
                          limit(g, expression(g, of, depth), FLOAT_BITS), limit(g, expression(g, of, depth), FLOAT_BITS), NULL),
                     1, 0);
   }
   struct glsl_expr *a = limit(g, expression(g, vector_of(base, type.rows), depth), FLOAT_BITS);
   struct glsl_expr *b = rules_chance(g->r, 20) && !vector ? number(g, base, 0)
                                                : limit(g, expression(g, vector_of(base, type.rows), depth), FLOAT_BITS);
   return bounded(node(g, (vector ? GLSL_LESS : GLSL_LT) + rules_below(g->r, 4), type, a, b, NULL), 1, 0);
}

static struct glsl_expr *
bool_expression(struct generator *g, struct glsl_type type, int depth)
{
   if (type.rows > 1)
      return rules_chance(g->r, 20) ? node(g, GLSL_NOT_EACH, type, expression(g, type, depth), NULL, NULL)
                                    : compare(g, type, depth);
   switch (rules_below(g->r, 6)) {
   case 0:
      return node(g, GLSL_NOT, type, expression(g, type, depth), NULL, NULL);
   case 1:
      return node(g, GLSL_AND + rules_below(g->r, 3), type, expression(g, type, depth), expression(g, type, depth), NULL);
   case 2:
      return node(g, rules_chance(g->r, 50) ? GLSL_ANY : GLSL_ALL, type,
                  expression(g, vector_of(GLSL_BOOL, rules_between(g->r, 2, 4)), depth), NULL, NULL);
   default:
      return compare(g, type, depth);
   }
}

static struct glsl_expr *
matrix_expression(struct generator *g, struct glsl_type type, int depth)
{
   struct glsl_expr *a = limit(g, expression(g, type, depth), 10), *b;
   switch (rules_below(g->r, 5)) {
   case 0:
      b = limit(g, expression(g, type, depth), 10);
      return bounded(node(g, GLSL_MATMUL, type, a, b, NULL), 4 * a->magnitude * b->magnitude, a->fraction + b->fraction);
   case 1:
      b = limit(g, expression(g, type, depth), 10);
      return bounded(node(g, GLSL_COMP_MULT, type, a, b, NULL), a->magnitude * b->magnitude, a->fraction + b->fraction);
   case 2:
      b = limit(g, expression(g, float_type, depth), 10);
      return bounded(node(g, GLSL_MUL, type, a, b, NULL), a->magnitude * b->magnitude, a->fraction + b->fraction);
   case 3:
      return node(g, GLSL_NEG, type, a, NULL, NULL);
   default:
      b = limit(g, expression(g, type, depth), 10);
      return bounded(node(g, rules_chance(g->r, 50) ? GLSL_ADD : GLSL_SUB, type, a, b, NULL),
                     a->magnitude + b->magnitude, a->fraction > b->fraction ? a->fraction : b->fraction);
   }
}

/* Functions of whole vectors: products and what is made of them. */
static struct glsl_expr *
geometric(struct generator *g, struct glsl_type type, int depth)
{
   const int rows = type.rows;
   if (rows == 1) {
      const struct glsl_type of = vector_of(GLSL_FLOAT, rules_between(g->r, 1, 4));
      struct glsl_expr *a = limit(g, expression(g, of, depth), 10), *b = limit(g, expression(g, of, depth), 10);
      return bounded(node(g, GLSL_DOT, type, a, b, NULL), 4 * a->magnitude * b->magnitude, a->fraction + b->fraction);
   }
   struct glsl_expr *a = limit(g, expression(g, type, depth), 5), *b = limit(g, expression(g, type, depth), 5);
   const struct glsl_type matrix = { GLSL_FLOAT, rows, rows };
   switch (rules_below(g->r, 4)) {
   case 0:
      return bounded(node(g, GLSL_REFLECT, type, a, b, NULL), a->magnitude * (1 + 8 * b->magnitude * b->magnitude),
                     a->fraction + 2 * b->fraction);
   case 1:
      return bounded(node(g, GLSL_FACEFORWARD, type, a, b, limit(g, expression(g, type, depth), 5)), a->magnitude,
                     a->fraction);
   case 2:
      b = limit(g, expression(g, matrix, depth), 10);
      return bounded(rules_chance(g->r, 50) ? node(g, GLSL_MATMUL, type, a, b, NULL)
                                            : node(g, GLSL_MATMUL, type, b, a, NULL),
                     4 * a->magnitude * b->magnitude, a->fraction + b->fraction);
   default:
      if (rows != 3)
         return a;
      return bounded(node(g, GLSL_CROSS, type, a, b, NULL), 2 * a->magnitude * b->magnitude, a->fraction + b->fraction);
   }
}

static struct glsl_expr *
float_expression(struct generator *g, struct glsl_type type, int depth)
{
   struct glsl_expr *a = limit(g, expression(g, type, depth), 10), *b, *c;
   switch (rules_below(g->r, 13)) {
   case 0:
   case 1:
      b = or_scalar(g, type, depth, 10);
      return bounded(node(g, GLSL_MUL, type, a, b, NULL), a->magnitude * b->magnitude, a->fraction + b->fraction);
   case 2: {
      const int power = rules_between(g->r, 0, 3);
      b = number(g, GLSL_FLOAT, 1 << power);
      return bounded(node(g, GLSL_DIV, type, a, b, NULL), a->magnitude, a->fraction + power);
   }
   case 3:
      return node(g, GLSL_NEG, type, a, NULL, NULL);
   case 4: {
      const enum glsl_op op = GLSL_ABS + rules_below(g->r, 5);
      const double magnitude = op == GLSL_ABS ? a->magnitude : op == GLSL_SIGN || op == GLSL_FRACT ? 1 : a->magnitude + 1;
      return bounded(node(g, op, type, a, NULL, NULL), magnitude, op == GLSL_ABS || op == GLSL_FRACT ? a->fraction : 0);
   }
   case 5:
      b = or_scalar(g, type, depth, 10);
      return node(g, rules_chance(g->r, 50) ? GLSL_MIN : GLSL_MAX, type, a, b, NULL);
   case 6:
      b = limit(g, expression(g, type, depth), 10);
      return bounded(node(g, GLSL_STEP, type, a, b, NULL), 1, 0);
   case 7:
      b = number(g, GLSL_FLOAT, 1 << rules_between(g->r, 0, 4));
      return bounded(node(g, GLSL_MOD, type, a, b, NULL), b->magnitude, a->fraction);
   case 8: {
      double low = rules_between(g->r, -9, 9), high = low + rules_between(g->r, 0, 9);
      return bounded(node(g, GLSL_CLAMP, type, a, number(g, GLSL_FLOAT, low), number(g, GLSL_FLOAT, high)), 18, a->fraction);
   }
   case 9:
      b = limit(g, expression(g, type, depth), 10);
      c = bounded(node(g, GLSL_FRACT, type, limit(g, expression(g, type, depth), 8), NULL, NULL), 1, 8);
      c = limit(g, c, 4);
      return bounded(node(g, GLSL_MIX, type, a, b, c), 17 * (a->magnitude + b->magnitude),
                     c->fraction + (a->fraction > b->fraction ? a->fraction : b->fraction));
   case 10:
      return geometric(g, type, depth);
   default:
      b = or_scalar(g, type, depth, 10);
      return bounded(node(g, rules_chance(g->r, 50) ? GLSL_ADD : GLSL_SUB, type, a, b, NULL), a->magnitude + b->magnitude,
                     a->fraction > b->fraction ? a->fraction : b->fraction);
   }
}

static struct glsl_expr *
expression(struct generator *g, struct glsl_type type, int depth)
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

/* What a variable may hold. */
static struct glsl_expr *
stored_expression(struct generator *g, struct glsl_type type)
{
   struct glsl_expr *e = expression(g, type, rules_between(g->r, 1, MAX_DEPTH));
   const bool fits = type.base == GLSL_INT ? e->magnitude <= INT_MAGNITUDE
                                           : e->magnitude <= VARIABLE_MAGNITUDE && e->fraction <= VARIABLE_FRACTION;
   return fits ? e : limit(g, e, 0);
}

/* ------------------------------------------------------------------------------------------------ statements */

static struct glsl_statement *list(struct generator *g, int count);

static struct glsl_statement *
statement(struct generator *g, enum glsl_kind kind)
{
   struct glsl_statement *s = allocate(g, sizeof(*s));
   s->kind = kind;
   return s;
}

/* A new local variable; sometimes it hides one of the same name. */
static struct glsl_statement *
declare(struct generator *g)
{
   struct glsl_statement *s = statement(g, GLSL_DECLARE);
   const struct glsl_type type = random_type(g, true);
   s->expr = stored_expression(g, type);
   s->variable = add_variable(g, type, GLSL_LOCAL, 0, "v");
   show(g, s->variable);
   return s;
}

static struct glsl_target
random_target(struct generator *g, const struct glsl_variable *v)
{
   struct glsl_target t = { .variable = v, .type = v->type };
   if (v->length) {
      t.index = index_below(g, v->length, 2);
   } else if (v->type.columns > 1 && rules_chance(g->r, 50)) {
      t.index = index_below(g, v->type.columns, 2);
      t.type = vector_of(v->type.base, v->type.rows);
      return t;
   } else if (v->type.columns == 1 && v->type.rows > 1 && rules_chance(g->r, 25)) {
      t.index = index_below(g, v->type.rows, 2);
      t.type = vector_of(v->type.base, 1);
      return t;
   }
   if (v->type.columns == 1 && v->type.rows > 1 && rules_chance(g->r, 40)) {
      int order[4] = { 0, 1, 2, 3 };
      for (int i = 0; i < v->type.rows; i++) {
         const int k = rules_between(g->r, i, v->type.rows - 1), swapped = order[i];
         order[i] = order[k], order[k] = swapped;
      }
      memcpy(t.swizzle, order, sizeof(order));
      t.count = rules_between(g->r, 1, v->type.rows);
      t.type.rows = t.count;
   }
   return t;
}

static struct glsl_statement *
assignment(struct generator *g)
{
   const struct glsl_variable *v = find_variable(g, float_type, is_writable);
   if (!v)
      return declare(g);
   struct glsl_statement *s = statement(g, GLSL_ASSIGN);
   s->target = random_target(g, v);
   /* The index is written twice: it must not depend on what the first assignment changes. */
   const bool same_place = !s->target.index || s->target.index->op == GLSL_CONSTANT;
   if (v->type.base != GLSL_BOOL && v->type.columns == 1 && same_place && rules_chance(g->r, 30)) {
      s->kind = GLSL_ASSIGN_ADD + rules_below(g->r, 3);
      s->expr = s->kind == GLSL_INCREMENT ? NULL : or_scalar(g, s->target.type, 3, v->type.base == GLSL_INT ? 14 : 10);
   } else {
      s->expr = stored_expression(g, s->target.type);
   }
   return s;
}

/* Whether v may be what an `out` parameter of the call writes to. */
static const struct glsl_variable *
out_argument(struct generator *g, struct glsl_type type, const struct glsl_variable *const *taken, int count)
{
   for (int tries = 0; tries < 8; tries++) {
      const struct glsl_variable *v = find_variable(g, type, is_plain);
      if (!v || v->storage != GLSL_LOCAL)
         continue;
      bool free = true;
      for (int i = 0; i < count; i++)
         free = free && v != taken[i];
      if (free)
         return v;
   }
   return NULL;
}

/* variable = function(...), for functions that write something, too. */
static struct glsl_statement *
call_statement(struct generator *g)
{
   if (!g->p->functions)
      return assignment(g);
   const struct glsl_function *f = &g->p->function[rules_below(g->r, g->p->functions)];
   if (f == g->function || (g->pure && !f->pure))
      return assignment(g);
   const struct glsl_variable *taken[GLSL_MAX_PARAMETERS + 1] = { NULL };
   int count = 0;
   struct glsl_expr *e = of_variable(g, GLSL_CALL, f->type, NULL, NULL);
   e->function = f;
   taken[count] = out_argument(g, f->type, taken, count);
   if (!taken[count++])
      return assignment(g);
   for (int i = 0; i < f->parameters; i++) {
      const struct glsl_type type = f->parameter[i]->type;
      if (f->qualifier[i] == GLSL_IN) {
         e->arg[i] = stored_expression(g, type);
         continue;
      }
      taken[count] = out_argument(g, type, taken, count);
      if (!taken[count])
         return assignment(g);
      e->arg[i] = of_variable(g, GLSL_VARIABLE, type, taken[count++], NULL);
   }
   struct glsl_statement *s = statement(g, GLSL_ASSIGN);
   s->target = (struct glsl_target){ .variable = taken[0], .type = f->type };
   s->expr = e;
   return s;
}

static struct glsl_statement *
nested(struct generator *g, int count)
{
   const int visible = g->visible_count;
   g->nesting++;
   struct glsl_statement *s = list(g, count);
   g->nesting--;
   g->visible_count = visible;
   return s;
}

static struct glsl_statement *
branch(struct generator *g)
{
   struct glsl_statement *s = statement(g, GLSL_IF);
   s->expr = expression(g, bool_type, 3);
   s->body = nested(g, rules_between(g->r, 1, 3));
   if (rules_chance(g->r, 50))
      s->other = nested(g, rules_between(g->r, 1, 3));
   return s;
}

static struct glsl_statement *
loop(struct generator *g)
{
   struct glsl_statement *s = statement(g, GLSL_FOR + rules_below(g->r, 3));
   const int visible = g->visible_count;
   s->count = rules_between(g->r, 1, 4);
   s->expr = expression(g, bool_type, 3); /* before the counter is declared, and without the body's variables */
   s->variable = add_variable(g, int_type, GLSL_COUNTER, 0, "i");
   show(g, s->variable);
   g->loops++;
   s->body = nested(g, rules_between(g->r, 1, 4));
   g->loops--;
   g->visible_count = visible;
   return s;
}

/* if (condition) break, continue, return or discard */
static struct glsl_statement *
jump(struct generator *g)
{
   struct glsl_statement *s = statement(g, GLSL_IF);
   enum glsl_kind kind = g->loops && rules_chance(g->r, 70) ? GLSL_BREAK + rules_below(g->r, 2) : GLSL_RETURN;
   if (g->p->fragment && !g->pure && rules_chance(g->r, 20))
      kind = GLSL_DISCARD;
   s->expr = expression(g, bool_type, 3);
   s->body = statement(g, kind);
   if (kind == GLSL_RETURN && g->function)
      s->body->expr = stored_expression(g, g->function->type);
   return s;
}

static struct glsl_statement *
random_statement(struct generator *g)
{
   g->budget--;
   if (!has_room(g))
      return assignment(g);
   const bool deep = g->nesting >= 4 || g->budget < 0;
   switch (rules_below(g->r, 12)) {
   case 0:
   case 1:
      return deep ? assignment(g) : branch(g);
   case 2:
      return deep || g->loops >= 3 ? assignment(g) : loop(g);
   case 3:
   case 4:
      return declare(g);
   case 5:
      return g->nesting ? jump(g) : assignment(g);
   case 6:
   case 7:
      return call_statement(g);
   case 8: {
      if (deep)
         return assignment(g);
      struct glsl_statement *s = statement(g, GLSL_BLOCK);
      s->body = nested(g, 2);
      return s;
   }
   default:
      return assignment(g);
   }
}

static struct glsl_statement *
list(struct generator *g, int count)
{
   struct glsl_statement *first = NULL, **end = &first;
   for (int i = 0; i < count; i++) {
      *end = random_statement(g);
      end = &(*end)->next;
   }
   return first;
}

/* ------------------------------------------------------------------------------------------------ programs */

static void
add_function(struct generator *g)
{
   struct glsl_program *p = g->p;
   struct glsl_function *f = &p->function[p->functions];
   const int visible = g->visible_count;
   snprintf(f->name, sizeof(f->name), "f%d", p->functions);
   f->type = random_type(g, true);
   f->pure = rules_chance(g->r, 60);
   f->parameters = rules_between(g->r, 0, GLSL_MAX_PARAMETERS);
   g->function = f;
   g->pure = f->pure;
   struct glsl_statement *first = NULL, **end = &first;
   for (int i = 0; i < f->parameters; i++) {
      struct glsl_variable *v = add_variable(g, random_type(g, true), GLSL_LOCAL, 0, "p");
      f->parameter[i] = v;
      f->qualifier[i] = f->pure ? GLSL_IN : rules_below(g->r, 3);
      if (f->qualifier[i] == GLSL_OUT) { /* undefined until it is written */
         *end = statement(g, GLSL_ASSIGN);
         (*end)->target = (struct glsl_target){ .variable = v, .type = v->type };
         (*end)->expr = constant(g, v->type);
         end = &(*end)->next;
      }
      show(g, v);
   }
   g->nesting = 1;
   *end = list(g, rules_between(g->r, 1, 4));
   while (*end)
      end = &(*end)->next;
   *end = statement(g, GLSL_RETURN);
   (*end)->expr = stored_expression(g, f->type);
   f->body = first;
   g->visible_count = visible;
   p->functions++;
}

/* sum += part of everything that is visible */
static struct glsl_statement *
sum_up(struct generator *g)
{
   struct glsl_statement *first = NULL, **end = &first;
   for (int i = 0; i < g->visible_count; i++) {
      const struct glsl_variable *v = g->visible[i];
      if (v == g->p->result || v->storage == GLSL_UNIFORM || v->type.columns > 1)
         continue;
      struct glsl_expr *value = v->length ? of_variable(g, GLSL_ELEMENT, v->type, v, number(g, GLSL_INT, v->length - 1))
                                          : of_variable(g, GLSL_VARIABLE, v->type, v, NULL);
      struct glsl_statement *s = statement(g, GLSL_ASSIGN_ADD);
      s->target = (struct glsl_target){ .variable = g->p->result, .type = vector_of(GLSL_FLOAT, v->type.rows) };
      for (int k = 0; k < v->type.rows; k++)
         s->target.swizzle[k] = (i + k) % 4;
      s->target.count = v->type.rows;
      s->expr = node(g, GLSL_CONSTRUCT, s->target.type, value, NULL, NULL);
      *end = s;
      end = &s->next;
   }
   return first;
}

static struct glsl_variable *
named(struct generator *g, struct glsl_type type, enum glsl_storage storage, const char *name)
{
   struct glsl_variable *v = add_variable(g, type, storage, 0, "");
   strcpy(v->name, name);
   return v;
}

static void
add_main(struct generator *g)
{
   struct glsl_program *p = g->p;
   g->function = NULL;
   g->pure = false;
   g->nesting = 0;
   g->budget = 24;
   show(g, p->result); /* what is in it when main ends early counts as well */
   p->main = list(g, rules_between(g->r, 5, 14));
   struct glsl_statement **end = &p->main;
   while (*end)
      end = &(*end)->next;
   *end = sum_up(g);
}

struct glsl_program *
glsl_random(struct rules *r, bool fragment)
{
   struct glsl_program *p = calloc(1, sizeof(*p));
   struct generator g = { .r = r, .p = p, .budget = 12 };
   p->fragment = fragment;
   p->place = named(&g, vector_of(GLSL_FLOAT, 2), GLSL_INPUT, "where");
   p->result = named(&g, vector_of(GLSL_FLOAT, 4), GLSL_LOCAL, "sum");
   show(&g, p->place);
   for (int i = rules_between(r, 1, 5); i > 0; i--)
      add_global(&g, GLSL_UNIFORM, "u");
   if (rules_chance(r, 30))
      add_structure(&g, GLSL_UNIFORM);
   for (int i = rules_between(r, 1, 4); i > 0; i--)
      add_global(&g, GLSL_GLOBAL, "g");
   if (rules_chance(r, 50))
      add_structure(&g, GLSL_GLOBAL);
   for (int i = rules_between(r, 0, GLSL_MAX_FUNCTIONS); i > 0; i--)
      add_function(&g);
   add_main(&g);
   return p;
}

void
glsl_free(struct glsl_program *p)
{
   for (struct block *block = p->blocks, *next; block; block = next) {
      next = block->next;
      free(block);
   }
   free(p);
}
