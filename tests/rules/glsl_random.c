/* SPDX-License-Identifier: MIT
 *
 * Makes programs: first uniforms, globals and structures, then functions, then main's body. An
 * expression is made for a type, from its root to the leaves. Only statements of their own call
 * functions that write something, so that the order in which operands are evaluated is never seen.
 */
#include "glsl_generator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct glsl_variable *
add_variable(struct generator *g, struct glsl_type type, enum glsl_storage storage, int length,
             const char *prefix)
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

static void
initialise(struct generator *g, const struct glsl_variable *v)
{
   for (int i = 0; i < glsl_components(v->type) * (v->length ? v->length : 1); i++)
      g->p->initial[v->memory + i] = gen_value(g, v->type.base);
}

static void
add_global(struct generator *g, enum glsl_storage storage, const char *prefix)
{
   const struct glsl_type type = gen_type(g, true);
   struct glsl_variable *v = add_variable(
      g, type, storage, rules_chance(g->r, 40) ? rules_between(g->r, 2, 7) : 0, prefix);
   initialise(g, v);
   show(g, v);
}

/* A structure, or an array of them. */
static void
add_structure(struct generator *g, enum glsl_storage storage)
{
   const int members = rules_between(g->r, 2, 4),
             length = rules_chance(g->r, 50) ? rules_between(g->r, 2, 4) : 0;
   char name[12];
   snprintf(name, sizeof(name), "s%d", g->p->variables);
   for (int i = 0; i < members; i++) {
      struct glsl_variable *v = add_variable(g, gen_type(g, true), storage, length, "s");
      strcpy(v->name, name);
      snprintf(v->suffix, sizeof(v->suffix), ".%c", 'a' + i);
      initialise(g, v);
      show(g, v);
   }
}

static bool
is_writable(const struct generator *g, const struct glsl_variable *v, struct glsl_type type)
{
   (void)type;
   return v->storage == GLSL_LOCAL || (v->storage == GLSL_GLOBAL && !g->pure);
}

/* ----------------------------------------------------------------------------------- statements */

static struct glsl_statement *list(struct generator *g, int count);

static struct glsl_statement *
statement(struct generator *g, enum glsl_kind kind)
{
   struct glsl_statement *s = gen_allocate(g, sizeof(*s));
   s->kind = kind;
   return s;
}

/* A new local variable; sometimes it hides one of the same name. */
static struct glsl_statement *
declare(struct generator *g)
{
   struct glsl_statement *s = statement(g, GLSL_DECLARE);
   const struct glsl_type type = gen_type(g, true);
   s->expr = gen_stored(g, type);
   s->variable = add_variable(g, type, GLSL_LOCAL, 0, "v");
   show(g, s->variable);
   return s;
}

static struct glsl_target
random_target(struct generator *g, const struct glsl_variable *v)
{
   struct glsl_target t = { .variable = v, .type = v->type };
   if (v->length) {
      t.index = gen_index(g, v->length, 2);
   } else if (v->type.columns > 1 && rules_chance(g->r, 50)) {
      t.index = gen_index(g, v->type.columns, 2);
      t.type = gen_vector(v->type.base, v->type.rows);
      return t;
   } else if (v->type.columns == 1 && v->type.rows > 1 && rules_chance(g->r, 25)) {
      t.index = gen_index(g, v->type.rows, 2);
      t.type = gen_vector(v->type.base, 1);
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
   const struct glsl_variable *v = gen_find(g, gen_float, is_writable);
   if (!v)
      return declare(g);
   struct glsl_statement *s = statement(g, GLSL_ASSIGN);
   s->target = random_target(g, v);
   /* The index is written twice: it must not depend on what the first assignment changes. */
   const bool same_place = !s->target.index || s->target.index->op == GLSL_CONSTANT;
   if (v->type.base != GLSL_BOOL && v->type.columns == 1 && same_place && rules_chance(g->r, 30)) {
      s->kind = GLSL_ASSIGN_ADD + rules_below(g->r, 3);
      s->expr = s->kind == GLSL_INCREMENT
                   ? NULL
                   : gen_or_scalar(g, s->target.type, 3, v->type.base == GLSL_INT ? 14 : 10);
   } else {
      s->expr = gen_stored(g, s->target.type);
   }
   return s;
}

/* Whether v may be what an `out` parameter of the call writes to. */
static const struct glsl_variable *
out_argument(struct generator *g, struct glsl_type type, const struct glsl_variable *const *taken,
             int count)
{
   for (int tries = 0; tries < 8; tries++) {
      const struct glsl_variable *v = gen_find(g, type, gen_is_plain);
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
   struct glsl_expr *e = gen_of_variable(g, GLSL_CALL, f->type, NULL, NULL);
   e->function = f;
   taken[count] = out_argument(g, f->type, taken, count);
   if (!taken[count++])
      return assignment(g);
   for (int i = 0; i < f->parameters; i++) {
      const struct glsl_type type = f->parameter[i]->type;
      if (f->qualifier[i] == GLSL_IN) {
         e->arg[i] = gen_stored(g, type);
         continue;
      }
      taken[count] = out_argument(g, type, taken, count);
      if (!taken[count])
         return assignment(g);
      e->arg[i] = gen_of_variable(g, GLSL_VARIABLE, type, taken[count++], NULL);
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
   s->expr = gen_expression(g, gen_bool, 3);
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
   /* before the counter is declared, and without the body's variables */
   s->expr = gen_expression(g, gen_bool, 3);
   s->variable = add_variable(g, gen_int, GLSL_COUNTER, 0, "i");
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
   enum glsl_kind kind =
      g->loops && rules_chance(g->r, 70) ? GLSL_BREAK + rules_below(g->r, 2) : GLSL_RETURN;
   if (g->p->fragment && !g->pure && rules_chance(g->r, 20))
      kind = GLSL_DISCARD;
   s->expr = gen_expression(g, gen_bool, 3);
   s->body = statement(g, kind);
   if (kind == GLSL_RETURN && g->function)
      s->body->expr = gen_stored(g, g->function->type);
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

/* ------------------------------------------------------------------------------------- programs */

static void
add_function(struct generator *g)
{
   struct glsl_program *p = g->p;
   struct glsl_function *f = &p->function[p->functions];
   const int visible = g->visible_count;
   snprintf(f->name, sizeof(f->name), "f%d", p->functions);
   f->type = gen_type(g, true);
   f->pure = rules_chance(g->r, 60);
   f->parameters = rules_between(g->r, 0, GLSL_MAX_PARAMETERS);
   g->function = f;
   g->pure = f->pure;
   struct glsl_statement *first = NULL, **end = &first;
   for (int i = 0; i < f->parameters; i++) {
      struct glsl_variable *v = add_variable(g, gen_type(g, true), GLSL_LOCAL, 0, "p");
      f->parameter[i] = v;
      f->qualifier[i] = f->pure ? GLSL_IN : rules_below(g->r, 3);
      if (f->qualifier[i] == GLSL_OUT) { /* undefined until it is written */
         *end = statement(g, GLSL_ASSIGN);
         (*end)->target = (struct glsl_target){ .variable = v, .type = v->type };
         (*end)->expr = gen_constant(g, v->type);
         end = &(*end)->next;
      }
      show(g, v);
   }
   g->nesting = 1;
   *end = list(g, rules_between(g->r, 1, 4));
   while (*end)
      end = &(*end)->next;
   *end = statement(g, GLSL_RETURN);
   (*end)->expr = gen_stored(g, f->type);
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
      struct glsl_expr *value = v->length ? gen_of_variable(g, GLSL_ELEMENT, v->type, v,
                                                            gen_number(g, GLSL_INT, v->length - 1))
                                          : gen_of_variable(g, GLSL_VARIABLE, v->type, v, NULL);
      struct glsl_statement *s = statement(g, GLSL_ASSIGN_ADD);
      s->target = (struct glsl_target){ .variable = g->p->result,
                                        .type = gen_vector(GLSL_FLOAT, v->type.rows) };
      for (int k = 0; k < v->type.rows; k++)
         s->target.swizzle[k] = (i + k) % 4;
      s->target.count = v->type.rows;
      s->expr = gen_node(g, GLSL_CONSTRUCT, s->target.type, value, NULL, NULL);
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
   p->place = named(&g, gen_vector(GLSL_FLOAT, 2), GLSL_INPUT, "where");
   p->result = named(&g, gen_vector(GLSL_FLOAT, 4), GLSL_LOCAL, "sum");
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
