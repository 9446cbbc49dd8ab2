/* SPDX-License-Identifier: MIT
 *
 * Makes programs of GLSL ES 3.00: structures, blocks, uniforms, inputs, constants and globals, then
 * functions, then main's body. Only statements of their own call functions that write something, so
 * that the order in which operands are evaluated is never seen.
 */
#include "glsl3_generator.h"

#include <stdlib.h>
#include <string.h>

static struct g3_variable *
add_variable(struct g3_generator *g, struct g3_type type, enum g3_storage storage,
             const char *prefix)
{
   struct g3_program *p = g->p;
   struct g3_variable *v = &p->variable[p->variables];
   *v = (struct g3_variable){ .type = type, .storage = storage, .memory = p->memory };
   snprintf(v->name, sizeof(v->name), "%s%d", prefix, p->variables++);
   p->memory += g3_words(type);
   return v;
}

static struct g3_variable *
named(struct g3_generator *g, struct g3_type type, enum g3_storage storage, const char *name)
{
   struct g3_variable *v = add_variable(g, type, storage, "");
   snprintf(v->name, sizeof(v->name), "%s", name);
   return v;
}

static bool
has_room(const struct g3_generator *g)
{
   return g->p->variables < G3_MAX_VARIABLES - 24 && g->p->memory < G3_MAX_MEMORY - 512;
}

static void
show(struct g3_generator *g, const struct g3_variable *v)
{
   g->visible[g->visible_count++] = v;
}

static void
initialise(struct g3_generator *g, const struct g3_variable *v)
{
   g3_random_value(g, v->type, g->p->initial + v->memory);
}

static bool
is_writable(const struct g3_generator *g, const struct g3_variable *v)
{
   return v->storage == G3_LOCAL ||
          ((v->storage == G3_GLOBAL || v->storage == G3_OUTPUT) && !g->pure);
}

/* ----------------------------------------------------------------------------------- statements */

static struct g3_statement *list(struct g3_generator *g, int count);

static struct g3_statement *
statement(struct g3_generator *g, enum g3_kind kind)
{
   struct g3_statement *s = g3_allocate(g, sizeof(*s));
   s->kind = kind;
   return s;
}

/* Where a list ends. */
static struct g3_statement **
end_of(struct g3_statement **first)
{
   while (*first)
      first = &(*first)->next;
   return first;
}

/* A constant of its own expression, of the whole program or local. */
static struct g3_variable *
add_const(struct g3_generator *g)
{
   const struct g3_type type = g3_random_type(g);
   g->constant = true;
   const struct g3_expr *initial = g3_stored(g, type);
   g->constant = false;
   struct g3_variable *v = add_variable(g, type, G3_CONST, "c");
   v->initial = initial;
   g3_evaluate_constant(g->p, initial, g->p->initial + v->memory);
   show(g, v);
   return v;
}

/* A new local variable. */
static struct g3_statement *
declaration(struct g3_generator *g, struct g3_type type)
{
   struct g3_statement *s = statement(g, G3_DECLARE);
   s->expr = g3_stored(g, type);
   s->variable = add_variable(g, type, G3_LOCAL, "v");
   show(g, s->variable);
   return s;
}

/* The same, of a random type, or a constant. */
static struct g3_statement *
declare(struct g3_generator *g)
{
   if (rules_chance(g->r, 80))
      return declaration(g, g3_random_type(g));
   struct g3_statement *s = statement(g, G3_DECLARE);
   struct g3_variable *v = add_const(g);
   v->is_local = true;
   s->variable = v;
   return s;
}

/* A visible variable that may be written; NULL: there is none. */
static const struct g3_variable *
find_writable(struct g3_generator *g)
{
   const struct g3_variable *found = NULL;
   for (int i = 0, count = 0; i < g->visible_count; i++) {
      if (is_writable(g, g->visible[i]) && rules_below(g->r, (uint32_t)++count) == 0)
         found = g->visible[i];
   }
   return found;
}

/* Some components of a vector, each at most once. */
static struct g3_expr *
write_mask(struct g3_generator *g, struct g3_expr *e)
{
   const int rows = e->type.rows, count = rules_between(g->r, 1, rows);
   int order[4] = { 0, 1, 2, 3 };
   for (int i = 0; i < rows; i++) {
      const int k = rules_between(g->r, i, rows - 1), swapped = order[i];
      order[i] = order[k], order[k] = swapped;
   }
   struct g3_expr *s = g3_node(g, G3_SWIZZLE, g3_vector(e->type.base, count), e, NULL, NULL);
   memcpy(s->place, order, sizeof(order));
   return s;
}

static struct g3_expr *
random_target(struct g3_generator *g)
{
   const struct g3_variable *v = find_writable(g);
   if (!v)
      return NULL;
   struct g3_expr *e = g3_random_part(g, v, 2);
   return g3_is_vector(e->type) && e->type.rows > 1 && rules_chance(g->r, 35) ? write_mask(g, e)
                                                                              : e;
}

/* target op= value, of integers: floats would outgrow their range. */
static struct g3_statement *
compound(struct g3_generator *g, struct g3_expr *target)
{
   static const enum g3_op ops[] = { G3_ADD, G3_SUB, G3_MUL, G3_AND, G3_OR, G3_XOR };
   struct g3_statement *s = statement(g, G3_COMPOUND);
   const struct g3_type type = target->type;
   s->target = target;
   if (rules_chance(g->r, 25)) {
      s->kind = G3_STEP_UP + rules_below(g->r, 2);
      s->before = rules_chance(g->r, 50);
   } else if (rules_chance(g->r, 25)) {
      s->op = rules_chance(g->r, 50) ? G3_LEFT : G3_RIGHT;
      s->expr = g3_masked(g, g3_expression(g, type, 2), 31);
   } else if (rules_chance(g->r, 15)) {
      s->op = type.base == G3_UINT && rules_chance(g->r, 50) ? G3_MOD : G3_DIV;
      s->expr = g3_number(g, type.base, rules_between(g->r, 1, 300));
   } else {
      s->op = rules_pick(g->r, ops);
      s->expr = g3_or_scalar(g, type, 3, 0);
   }
   return s;
}

static struct g3_statement *
assignment(struct g3_generator *g)
{
   struct g3_expr *target = random_target(g);
   if (!target)
      return declare(g);
   const enum g3_base base = target->type.base;
   if (g3_is_vector(target->type) && (base == G3_INT || base == G3_UINT) && rules_chance(g->r, 35))
      return compound(g, target);
   struct g3_statement *s = statement(g, G3_ASSIGN);
   s->target = target;
   s->expr = g3_stored(g, target->type);
   return s;
}

/* Local variables that a statement writes at once, each another one; those that are declared for it
 * are in a list that stands before it. */
struct written {
   const struct g3_variable *variables[G3_MAX_PARAMETERS + 1];
   int count;
   struct g3_statement *declared;
};

static bool
is_free(const struct written *w, const struct g3_variable *v, struct g3_type type)
{
   bool good = v->storage == G3_LOCAL && g3_same_type(v->type, type);
   for (int i = 0; i < w->count; i++)
      good = good && v != w->variables[i];
   return good;
}

/* One more of them, as an expression. */
static struct g3_expr *
written_variable(struct g3_generator *g, struct written *w, struct g3_type type)
{
   const struct g3_variable *found = NULL;
   for (int i = 0, count = 0; i < g->visible_count; i++) {
      if (is_free(w, g->visible[i], type) && rules_below(g->r, (uint32_t)++count) == 0)
         found = g->visible[i];
   }
   if (!found) {
      struct g3_statement *s = *end_of(&w->declared) = declaration(g, type);
      found = s->variable;
   }
   w->variables[w->count++] = found;
   return g3_variable_expr(g, found);
}

static struct g3_statement *
behind(struct written *w, struct g3_statement *s)
{
   *end_of(&w->declared) = s;
   return w->declared;
}

/* variable = function(...), for functions that write something, too. */
static struct g3_statement *
call_statement(struct g3_generator *g)
{
   if (!g->p->functions)
      return assignment(g);
   const struct g3_function *f = &g->p->function[rules_below(g->r, (uint32_t)g->p->functions)];
   if (g->pure && !f->pure)
      return assignment(g);
   struct written w = { .count = 0 };
   const bool sums = g3_is_vector(f->type) && !g->pure && rules_chance(g->r, 30);
   struct g3_expr *target = sums ? NULL : written_variable(g, &w, f->type);
   struct g3_expr *e = g3_bounded(g3_node(g, G3_CALL, f->type, NULL, NULL, NULL), 32, 2);
   e->function = f;
   for (int i = 0; i < f->parameters; i++) {
      const struct g3_type type = f->parameter[i]->type;
      e->arg[i] = f->qualifier[i] < G3_OUT ? g3_stored(g, type) : written_variable(g, &w, type);
   }
   struct g3_statement *s = statement(g, sums ? G3_SUM : G3_ASSIGN);
   s->target = target;
   s->expr = e;
   return behind(&w, s);
}

/* fraction = modf(x, whole) */
static struct g3_statement *
modf_statement(struct g3_generator *g)
{
   const struct g3_type type = g3_vector(G3_FLOAT, rules_between(g->r, 1, 4));
   struct written w = { .count = 0 };
   struct g3_statement *s = statement(g, G3_MODF);
   s->target = written_variable(g, &w, type);
   s->other = written_variable(g, &w, type);
   s->expr = g3_stored(g, type);
   return behind(&w, s);
}

static struct g3_statement *
nested(struct g3_generator *g, int count)
{
   const int visible = g->visible_count;
   g->nesting++;
   struct g3_statement *s = list(g, count);
   g->nesting--;
   g->visible_count = visible;
   return s;
}

static struct g3_statement *
branch(struct g3_generator *g)
{
   struct g3_statement *s = statement(g, G3_IF);
   s->expr = g3_expression(g, g3_bool_type, 3);
   s->body = nested(g, rules_between(g->r, 1, 3));
   if (rules_chance(g->r, 50))
      s->otherwise = nested(g, rules_between(g->r, 1, 3));
   return s;
}

static struct g3_statement *
loop(struct g3_generator *g)
{
   struct g3_statement *s = statement(g, G3_FOR + rules_below(g->r, 3));
   const int visible = g->visible_count, switches = g->switches;
   s->count = rules_between(g->r, 1, 4);
   s->step = s->kind != G3_FOR || rules_chance(g->r, 50) ? 1 : rules_between(g->r, -3, 3);
   s->before = rules_chance(g->r, 50);
   s->first = s->kind == G3_FOR && rules_chance(g->r, 40) ? rules_between(g->r, -9, 9) : 0;
   s->step = s->step ? s->step : 1;
   /* before the counter is declared, and without the body's variables */
   s->expr = g3_expression(g, g3_bool_type, 3);
   const bool is_signed = s->first < 0 || s->step < 0 || rules_chance(g->r, 60);
   s->variable = add_variable(g, is_signed ? g3_int_type : g3_uint_type, G3_COUNTER, "i");
   show(g, s->variable);
   g->loops++, g->switches = 0;
   s->body = nested(g, rules_between(g->r, 1, 4));
   g->loops--, g->switches = switches;
   g->visible_count = visible;
   return s;
}

/* A label, unless its value is taken. */
static struct g3_statement *
label(struct g3_generator *g, bool is_signed, uint32_t *taken, bool *has_default)
{
   struct g3_statement *s = statement(g, G3_CASE);
   if (!*has_default && rules_chance(g->r, 25)) {
      s->kind = G3_DEFAULT;
      *has_default = true;
      return s;
   }
   s->first = (int)rules_below(g->r, 8);
   s->before = !is_signed;
   const bool again = *taken >> s->first & 1;
   *taken |= UINT32_C(1) << s->first;
   return again ? NULL : s;
}

/* Labels, most with statements, of which most end with a break. The last has something behind it.
 */
static struct g3_statement *
choice(struct g3_generator *g)
{
   const bool is_signed = rules_chance(g->r, 50);
   struct g3_statement *s = statement(g, G3_SWITCH), **end = &s->body;
   s->expr = g3_expression(g, is_signed ? g3_int_type : g3_uint_type, 3);
   if (rules_chance(g->r, 80))
      s->expr = g3_masked(g, s->expr, 7);
   uint32_t taken = 0;
   bool has_default = false, ends = true;
   g->switches++;
   for (int i = rules_between(g->r, 1, 6); i > 0; i--) {
      if (!(*end = label(g, is_signed, &taken, &has_default)))
         continue;
      end = &(*end)->next;
      ends = rules_chance(g->r, 80);
      if (ends) {
         *end = statement(g, G3_BLOCK);
         (*end)->body = nested(g, rules_between(g->r, 1, 2));
         end = &(*end)->next;
      }
      if (ends && rules_chance(g->r, 60)) {
         *end = statement(g, G3_BREAK);
         end = &(*end)->next;
      }
   }
   if (!ends)
      *end = statement(g, G3_BREAK);
   g->switches--;
   return s;
}

/* if (condition) break, continue, return or discard */
static struct g3_statement *
jump(struct g3_generator *g)
{
   struct g3_statement *s = statement(g, G3_IF);
   enum g3_kind kind = G3_RETURN;
   if (g->loops && rules_chance(g->r, 70))
      kind = G3_BREAK + rules_below(g->r, 2);
   else if (g->switches && rules_chance(g->r, 70))
      kind = G3_BREAK;
   if (g->p->fragment && !g->pure && rules_chance(g->r, 15))
      kind = G3_DISCARD;
   s->expr = g3_expression(g, g3_bool_type, 3);
   s->body = statement(g, kind);
   if (kind == G3_RETURN && g->function)
      s->body->expr = g3_stored(g, g->function->type);
   return s;
}

/* sum = sum * 31 + digest(value) */
static struct g3_statement *
sum_statement(struct g3_generator *g)
{
   if (g->pure)
      return assignment(g);
   struct g3_statement *s = statement(g, G3_SUM);
   s->expr = g3_stored(g, g3_random_vector(g));
   return s;
}

static struct g3_statement *
block(struct g3_generator *g)
{
   struct g3_statement *s = statement(g, G3_BLOCK);
   s->body = nested(g, 2);
   return s;
}

static struct g3_statement *
random_statement(struct g3_generator *g)
{
   g->budget--;
   const bool deep = g->nesting >= 4 || g->budget < 0;
   switch (has_room(g) ? rules_below(g->r, 17) : 16) {
   case 0:
   case 1:
      return deep ? assignment(g) : branch(g);
   case 2:
   case 3:
      return deep || g->loops >= 3 ? assignment(g) : loop(g);
   case 4:
   case 5:
      return deep ? assignment(g) : choice(g);
   case 6:
   case 7:
      return declare(g);
   case 8:
      return g->nesting ? jump(g) : declare(g);
   case 9:
   case 10:
   case 11:
      return call_statement(g);
   case 12:
      return deep ? assignment(g) : block(g);
   case 13:
      return rules_chance(g->r, 50) ? modf_statement(g) : sum_statement(g);
   default:
      return assignment(g);
   }
}

static struct g3_statement *
list(struct g3_generator *g, int count)
{
   struct g3_statement *first = NULL;
   for (int i = 0; i < count; i++)
      *end_of(&first) = random_statement(g);
   return first;
}

/* ------------------------------------------------------------------------------------ functions */

static bool
same_parameters(const struct g3_function *a, const struct g3_function *b)
{
   for (int i = 0; i < a->parameters && a->parameters == b->parameters; i++) {
      if (!g3_same_type(a->parameter[i]->type, b->parameter[i]->type))
         return false;
   }
   return a->parameters == b->parameters;
}

/* The first name of which no function has the same parameters: others are overloads of it. */
static void
name_function(const struct g3_program *p, struct g3_function *f)
{
   bool taken = true;
   for (int n = 0; taken; n++) {
      snprintf(f->name, sizeof(f->name), "f%d", n);
      taken = false;
      for (int i = 0; i < p->functions; i++)
         taken =
            taken || (!strcmp(p->function[i].name, f->name) && same_parameters(&p->function[i], f));
   }
}

/* Parameters; those that go out alone get a value first. */
static struct g3_statement *
add_parameters(struct g3_generator *g, struct g3_function *f)
{
   struct g3_statement *first = NULL;
   f->parameters = rules_between(g->r, 0, G3_MAX_PARAMETERS);
   for (int i = 0; i < f->parameters; i++) {
      const enum g3_qualifier qualifier = rules_below(g->r, f->pure ? 2 : 4);
      const enum g3_storage storage = qualifier == G3_CONST_IN ? G3_COUNTER : G3_LOCAL;
      struct g3_variable *v = add_variable(g, g3_random_type(g), storage, "p");
      f->parameter[i] = v;
      f->qualifier[i] = qualifier;
      if (qualifier == G3_OUT) {
         struct g3_statement *s = *end_of(&first) = statement(g, G3_ASSIGN);
         s->target = g3_variable_expr(g, v);
         s->expr = g3_constant(g, v->type);
      }
      show(g, v);
   }
   return first;
}

static void
add_function(struct g3_generator *g)
{
   struct g3_program *p = g->p;
   struct g3_function *f = &p->function[p->functions];
   const int visible = g->visible_count;
   f->type = g3_random_type(g);
   f->pure = rules_chance(g->r, 60);
   g->function = f;
   g->pure = f->pure;
   g->nesting = 1;
   f->body = add_parameters(g, f);
   name_function(p, f);
   *end_of(&f->body) = list(g, rules_between(g->r, 1, 4));
   struct g3_statement *s = *end_of(&f->body) = statement(g, G3_RETURN);
   s->expr = g3_stored(g, f->type);
   g->visible_count = visible;
   p->functions++;
}

/* ------------------------------------------------------------------------------------- programs */

static void
add_structure(struct g3_generator *g)
{
   struct g3_struct *s = &g->p->structure[g->p->structures];
   snprintf(s->name, sizeof(s->name), "S%d", g->p->structures);
   s->members = rules_between(g->r, 1, G3_MAX_MEMBERS);
   for (int i = 0; i < s->members; i++) {
      struct g3_member *m = &s->member[i];
      snprintf(m->name, sizeof(m->name), "%c", 'a' + i);
      const int room = G3_MAX_WORDS - s->words - 4 * (s->members - i - 1);
      do
         m->type = g3_random_type(g);
      while (g3_words(m->type) > 20 || g3_words(m->type) > room);
      m->offset = s->words;
      s->words += g3_words(m->type);
   }
   g->p->structures++;
}

static void
add_global(struct g3_generator *g, enum g3_storage storage, const char *prefix)
{
   struct g3_variable *v = add_variable(g, g3_random_type(g), storage, prefix);
   initialise(g, v);
   show(g, v);
}

/* A uniform block, whose members are variables. */
static void
add_block(struct g3_generator *g)
{
   struct g3_block *b = &g->p->block[g->p->blocks++];
   snprintf(b->name, sizeof(b->name), "B%d", g->p->blocks);
   if (rules_chance(g->r, 50))
      snprintf(b->instance, sizeof(b->instance), "b%d", g->p->blocks);
   b->row_major = rules_chance(g->r, 40);
   for (int i = rules_between(g->r, 1, 5); i > 0; i--) {
      struct g3_variable *v = add_variable(g, g3_random_type(g), G3_UNIFORM, "m");
      const int number = g->p->variables - 1;
      snprintf(v->name, sizeof(v->name), "%s%sm%d", b->instance, b->instance[0] ? "." : "", number);
      v->block = g->p->blocks;
      v->says_major = v->type.columns > 1 && rules_chance(g->r, 30);
      v->row_major = v->says_major ? rules_chance(g->r, 50) : b->row_major;
      initialise(g, v);
      show(g, v);
   }
}

/* A flat varying: no bool, no structure, few enough for the least limit of three of them. */
static void
add_input(struct g3_generator *g)
{
   struct g3_type type = g3_random_type(g);
   const int rows = (type.length ? type.length : 1) * type.columns;
   if (type.base == G3_BOOL || type.base == G3_STRUCT || rows > 5)
      type = g3_vector(rules_below(g->r, 3), rules_between(g->r, 1, 4));
   struct g3_variable *v = add_variable(g, type, G3_INPUT, "n");
   initialise(g, v);
   show(g, v);
}

static void
add_built_ins(struct g3_generator *g)
{
   struct g3_program *p = g->p;
   p->where = named(g, g3_vector(G3_INT, 2), G3_BUILT_IN, "where");
   p->spot = named(g, g3_vector(G3_FLOAT, 2), G3_BUILT_IN, "spot");
   p->sum = named(g, g3_vector(G3_UINT, 4), G3_BUILT_IN, "sum");
   named(g, g3_int_type, G3_UNIFORM, "zero");
   show(g, p->where);
   show(g, p->spot);
   if (p->fragment)
      return;
   p->vertex = named(g, g3_int_type, G3_BUILT_IN, "gl_VertexID");
   p->instance = named(g, g3_int_type, G3_BUILT_IN, "gl_InstanceID");
   show(g, p->vertex);
   show(g, p->instance);
}

static void
add_outputs(struct g3_generator *g, bool floats)
{
   static const int rows[] = { 1, 2, 4 };
   struct g3_program *p = g->p;
   int location = 0;
   p->outputs = rules_between(g->r, 1, G3_MAX_OUTPUTS);
   for (int i = 0; i < p->outputs; i++) {
      const bool is_float = i > 0 && floats && rules_chance(g->r, 40);
      const enum g3_base base = is_float ? G3_FLOAT : G3_INT + rules_below(g->r, 2);
      const struct g3_type type = g3_vector(base, rules_pick(g->r, rows));
      struct g3_variable *v = add_variable(g, type, G3_OUTPUT, "o");
      initialise(g, v);
      show(g, v);
      location += p->outputs - i < G3_MAX_OUTPUTS - location && rules_chance(g->r, 30);
      p->output[i] = (struct g3_output){ .variable = v, .location = location++ };
   }
}

static void
add_textures(struct g3_generator *g)
{
   static const enum g3_base bases[G3_TEXTURES] = { G3_UINT, G3_INT, G3_FLOAT };
   for (int i = 0; i < G3_TEXTURES; i++) {
      struct g3_texture *t = &g->p->texture[i];
      t->base = bases[i];
      t->width = rules_between(g->r, 2, 9);
      t->height = rules_between(g->r, 2, 9);
      for (int k = 0; k < G3_MAX_TEXELS; k++)
         g3_random_value(g, g3_vector(t->base, 4), t->texel[k]);
   }
}

/* All vectors in e, as digests. */
static void
sum_up(struct g3_generator *g, struct g3_expr *e, struct g3_statement **first)
{
   const struct g3_struct *structure = e->type.length ? NULL : e->type.structure;
   if (g3_is_vector(e->type)) {
      struct g3_statement *s = *end_of(first) = statement(g, G3_SUM);
      s->expr = e;
      return;
   }
   for (int i = 0; structure && i < structure->members; i++) {
      struct g3_expr *field = g3_node(g, G3_FIELD, structure->member[i].type, e, NULL, NULL);
      field->place[0] = i;
      sum_up(g, field, first);
   }
   const int count = structure ? 0 : e->type.length ? e->type.length : e->type.columns;
   for (int i = 0; i < count; i++)
      sum_up(g, g3_node(g, G3_ELEMENT, g3_part(e->type), e, g3_number(g, G3_INT, i), NULL), first);
}

/* Behind the body, also when it returns early: globals, and the digest into each output. */
static void
add_finish(struct g3_generator *g)
{
   struct g3_program *p = g->p;
   for (int i = 0; i < g->visible_count; i++) {
      if (g->visible[i]->storage == G3_GLOBAL)
         sum_up(g, g3_variable_expr(g, g->visible[i]), &p->finish);
   }
   for (int i = 0; i < p->outputs; i++) {
      const struct g3_variable *v = p->output[i].variable;
      if (v->type.base == G3_FLOAT)
         continue;
      struct g3_statement *s = *end_of(&p->finish) = statement(g, G3_COMPOUND);
      s->op = G3_XOR;
      s->target = g3_variable_expr(g, v);
      s->expr = g3_node(g, G3_CONSTRUCT, v->type, g3_variable_expr(g, p->sum), NULL, NULL);
   }
}

/* At its end, all local variables, and some that cannot have changed. */
static void
add_main(struct g3_generator *g)
{
   struct g3_program *p = g->p;
   g->function = NULL;
   g->pure = false;
   g->nesting = 0;
   g->budget = 30;
   p->main = list(g, rules_between(g->r, 5, 14));
   for (int i = 0; i < g->visible_count; i++) {
      if (g->visible[i]->storage == G3_LOCAL || rules_chance(g->r, 15))
         sum_up(g, g3_variable_expr(g, g->visible[i]), &p->main);
   }
   add_finish(g);
}

struct g3_program *
g3_random(struct rules *r, bool fragment, bool floats)
{
   struct g3_program *p = calloc(1, sizeof(*p));
   struct g3_generator g = { .r = r, .p = p, .budget = 14 };
   p->fragment = fragment;
   for (int i = rules_between(r, 0, G3_MAX_STRUCTS); i > 0; i--)
      add_structure(&g);
   add_built_ins(&g);
   add_textures(&g);
   for (int i = rules_between(r, 0, 3); i > 0; i--)
      add_const(&g);
   for (int i = rules_between(r, 0, 4); i > 0; i--)
      add_global(&g, G3_UNIFORM, "u");
   for (int i = rules_between(r, 0, 2); i > 0; i--)
      add_block(&g);
   for (int i = fragment ? rules_between(r, 0, 3) : 0; i > 0; i--)
      add_input(&g);
   for (int i = rules_between(r, 1, 3); i > 0; i--)
      add_global(&g, G3_GLOBAL, "g");
   add_outputs(&g, floats);
   for (int i = rules_between(r, 0, G3_MAX_FUNCTIONS); i > 0; i--)
      add_function(&g);
   add_main(&g);
   return p;
}
