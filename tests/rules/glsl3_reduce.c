/* SPDX-License-Identifier: MIT
 *
 * Makes a program that shows something smaller: statements are left out, and expressions become the
 * value that they had last at a pixel, which keeps all bounds, as long as it is still shown.
 */
#include "glsl3_reduce.h"

#include <stdlib.h>
#include <string.h>

struct reduction {
   struct g3_program *p;
   bool (*shows)(void *context);
   void *context;
   bool record, changed; /* every expression gets room for its value; something was left out */
};

static void visit_list(struct reduction *r, struct g3_statement **at);

static uint32_t *
room(struct reduction *r, struct g3_type type)
{
   struct block {
      void *next;
      uint32_t words[];
   } *b = calloc(1, sizeof(*b) + (size_t)g3_words(type) * sizeof(uint32_t));
   b->next = r->p->allocated;
   r->p->allocated = b;
   return b->words;
}

/* Takes e for its value, or else goes on with its arguments. */
static void
visit_expr(struct reduction *r, struct g3_expr *e, bool is_target)
{
   if (!e || e->op == G3_CONSTANT)
      return;
   const struct g3_expr before = *e;
   if (r->record)
      e->seen = room(r, e->type);
   if (!r->record && !is_target && e->op != G3_INVERSE) {
      *e = (struct g3_expr){ .op = G3_CONSTANT, .type = e->type, .value = e->seen };
      if (r->shows(r->context)) {
         r->changed = true;
         return;
      }
      *e = before;
   }
   for (int i = 0; i < G3_MAX_ARGUMENTS && e->arg[i]; i++) {
      const bool out = e->op == G3_CALL && e->function->qualifier[i] >= G3_OUT;
      const bool whole =
         i == 0 && (e->op == G3_ELEMENT || e->op == G3_FIELD || e->op == G3_SWIZZLE);
      visit_expr(r, e->arg[i], out || (is_target && whole) || e->op == G3_LENGTH);
   }
}

/* Leaves a statement out, or all but what is in it. */
static bool
leave_out(struct reduction *r, struct g3_statement **at)
{
   struct g3_statement *s = *at, *last = s->body;
   *at = s->next;
   if (r->shows(r->context))
      return true;
   *at = s;
   if (!last || s->kind == G3_SWITCH)
      return false;
   while (last->next)
      last = last->next;
   *at = s->body, last->next = s->next;
   if (r->shows(r->context))
      return true;
   *at = s, last->next = NULL;
   return false;
}

static void
visit_list(struct reduction *r, struct g3_statement **at)
{
   while (*at) {
      struct g3_statement *s = *at;
      if (!r->record && leave_out(r, at)) {
         r->changed = true;
         continue;
      }
      visit_expr(r, s->target, true);
      visit_expr(r, s->other, true);
      visit_expr(r, s->expr, false);
      visit_list(r, &s->body);
      visit_list(r, &s->otherwise);
      at = &s->next;
   }
}

static void
visit_program(struct reduction *r)
{
   visit_list(r, &r->p->main);
   visit_list(r, &r->p->finish);
   for (int i = 0; i < r->p->functions; i++)
      visit_list(r, &r->p->function[i].body);
}

/* Functions that nothing calls, from the last on. */
static void
drop_functions(struct reduction *r)
{
   struct g3_program *p = r->p;
   while (p->functions) {
      p->functions--;
      if (r->shows(r->context))
         continue;
      p->functions++;
      return;
   }
}

void
g3_reduce(struct g3_program *p, int x, int y, bool (*shows)(void *context), void *context)
{
   struct reduction r = { .p = p, .shows = shows, .context = context, .record = true };
   uint32_t *memory = malloc(sizeof(p->initial));
   visit_program(&r);
   g3_evaluate(p, x, y, memory);
   free(memory);
   r.record = false;
   do {
      r.changed = false;
      visit_program(&r);
      drop_functions(&r);
   } while (r.changed);
}
