/* SPDX-License-Identifier: MIT */
#include "why_candidates.h"

#include <stdio.h>
#include <stdlib.h>

#include "why_lift.h"

#include "clipfree/base/cf_for.h"

struct candidate_search {
   const struct why_plan *plan;
   struct why_candidates *candidates;
   uint32_t submission;
   bool out_of_memory;
};

static void
note_fragment(void *user, const struct cf_fragment_event *e)
{
   struct candidate_search *search = user;
   struct why_candidates *c = search->candidates;
   const struct why_op *op = why_plan_op(search->plan, search->submission, e->draw);
   uint32_t target;
   const int watch = op ? why_plan_watch(search->plan, op, e->x_px, e->y_px, &target) : -1;
   if (watch < 0 || search->out_of_memory)
      return;
   if (c->count == c->capacity) {
      const uint32_t capacity = 2 * c->capacity + 64;
      struct why_candidate *grown = realloc(c->entry, capacity * sizeof(*grown));
      search->out_of_memory = !grown;
      if (!grown)
         return;
      c->entry = grown;
      c->capacity = capacity;
   }
   c->entry[c->count++] = (struct why_candidate){ .op = (uint32_t)(op - search->plan->op),
                                                  .primitive = e->primitive,
                                                  .watch = (uint32_t)watch,
                                                  .target = target,
                                                  .z_ndc = (e->depth - 0.5f) / WHY_LIFT_Z_SCALE,
                                                  .front = e->front };
}

static bool
wants_tile(void *user, uint32_t tile_x, uint32_t tile_y)
{
   const struct candidate_search *search = user;
   return why_plan_wants_tile(search->plan, tile_x, tile_y);
}

static int
by_order(const void *a, const void *b)
{
   const struct why_candidate *x = a, *y = b;
   if (x->op != y->op)
      return x->op < y->op ? -1 : 1;
   return (x->primitive > y->primitive) - (x->primitive < y->primitive);
}

/* Sort them, and leave one of those that differ by sample alone. */
static void
order_candidates(struct why_candidates *c)
{
   uint32_t kept = 0;
   if (c->count)
      qsort(c->entry, c->count, sizeof(*c->entry), by_order);
   for (uint32_t i = 0; i < c->count; i++) {
      if (kept == 0 || by_order(&c->entry[kept - 1], &c->entry[i]) != 0)
         c->entry[kept++] = c->entry[i];
   }
   c->count = kept;
}

static void
note_submission(void *user, uint32_t number)
{
   struct candidate_search *search = user;
   search->submission = number;
}

/* Find those that these clip planes leave. *on: the clip planes that draws have on. */
static bool
find(const struct why_question *question, const struct why_plan *plan, uint32_t planes,
     struct why_candidates *candidates, uint32_t *on, char *error, size_t error_B)
{
   struct candidate_search search = { .plan = plan, .candidates = candidates };
   const struct why_lifted_use use = { .observer = { .user = &search,
                                                     .fragment = note_fragment,
                                                     .fragment_tasks = true,
                                                     .wants_tile = wants_tile },
                                       .planes = planes,
                                       .on = on,
                                       .begin = note_submission };
   *candidates = (struct why_candidates){ 0 };
   const bool ok = why_lift_run(question, plan, &use, error, error_B);
   order_candidates(candidates);
   if (ok && search.out_of_memory)
      snprintf(error, error_B, "out of memory");
   return ok && !search.out_of_memory;
}

bool
why_candidates_find(const struct why_question *question, const struct why_plan *plan,
                    struct why_candidates *candidates, char *error, size_t error_B)
{
   uint32_t planes = 0, same;
   bool ok = find(question, plan, 0, candidates, &planes, error, error_B);
   CF_FOR_BITS(plane, ok ? planes : 0) {
      struct why_candidates left = { 0 };
      ok = ok && find(question, plan, 1u << plane, &left, &same, error, error_B);
      for (uint32_t i = 0; ok && i < candidates->count; i++) {
         struct why_candidate *c = &candidates->entry[i];
         c->cut |= (uint32_t)!why_candidate_of(&left, c->op, c->primitive) << plane;
      }
      free(left.entry);
   }
   return ok;
}

struct why_candidate *
why_candidate_of(const struct why_candidates *candidates, uint32_t op, uint32_t primitive)
{
   const struct why_candidate key = { .op = op, .primitive = primitive };
   return candidates->count
             ? bsearch(&key, candidates->entry, candidates->count, sizeof(key), by_order)
             : NULL;
}
