/* SPDX-License-Identifier: MIT */
#include "debug_breaks.h"

#include <stdlib.h>
#include <string.h>

#include "debug_expr.h"
#include "debug_walk.h"

/* ------------------------------------------------------------------ the list */

static void
free_break(struct debug_break *one)
{
   free(one->text);
   free(one->condition);
}

struct debug_break *
debug_breaks_add(struct debug_breaks *breaks, const struct debug_break *one)
{
   struct debug_break *grown = realloc(breaks->of, (breaks->count + 1) * sizeof(*grown));
   if (!grown)
      return NULL;
   breaks->of = grown;
   struct debug_break *added = &breaks->of[breaks->count];
   *added = *one;
   added->text = one->text ? strdup(one->text) : NULL;
   added->condition = one->condition ? strdup(one->condition) : NULL;
   if ((one->text && !added->text) || (one->condition && !added->condition)) {
      free_break(added);
      return NULL;
   }
   added->id = ++breaks->last_id;
   breaks->count++;
   return added;
}

static void
remove_at(struct debug_breaks *breaks, uint32_t i)
{
   free_break(&breaks->of[i]);
   memmove(&breaks->of[i], &breaks->of[i + 1], (--breaks->count - i) * sizeof(breaks->of[0]));
}

bool
debug_breaks_remove(struct debug_breaks *breaks, uint32_t id)
{
   for (uint32_t i = 0; i < breaks->count; i++) {
      if (breaks->of[i].id == id) {
         remove_at(breaks, i);
         return true;
      }
   }
   return false;
}

void
debug_breaks_clear(struct debug_breaks *breaks, int owner)
{
   for (uint32_t i = breaks->count; i-- > 0;) {
      if (breaks->of[i].owner == owner)
         remove_at(breaks, i);
   }
}

void
debug_breaks_free(struct debug_breaks *breaks)
{
   while (breaks->count)
      remove_at(breaks, breaks->count - 1);
   free(breaks->of);
   *breaks = (struct debug_breaks){ 0 };
}

/* ------------------------------------------------------------------ lines */

struct debug_line
debug_break_line(const struct debug_break *one, const struct debug_program *program)
{
   for (uint32_t s = 0; one->text && s < program->sources; s++) {
      const struct debug_source *source = &program->source[s];
      if (strcmp(one->text, source->text))
         continue;
      const uint32_t lines = debug_source_lines(source);
      for (struct debug_line line = { s, one->line }; line.line <= lines; line.line++) {
         if (line.line && debug_program_has_code(program, &line))
            return line;
      }
   }
   return (struct debug_line){ 0 };
}

/* ------------------------------------------------------------------ the search */

static uint32_t
lane_of_pixel(const struct cf_task_event *e, uint32_t x_px, uint32_t y_px)
{
   for (uint32_t q = 0; e->quad && q < e->quads; q++) {
      const uint32_t x = x_px - e->quad[q].x_px, y = y_px - e->quad[q].y_px;
      if (x <= 1 && y <= 1 && e->lanes >> (4 * q + x + 2 * y) & 1)
         return 4 * q + x + 2 * y;
   }
   return UINT32_MAX;
}

/* The lanes that are at the breakpoint at a position. */
static uint32_t
lanes_at(const struct debug_search *s, const struct debug_break *one, const struct debug_line *line,
         uint32_t at)
{
   const struct debug_task *task = s->view->task;
   uint32_t lanes = 0;
   switch (one->kind) {
   case DEBUG_BREAK_LINE:
      if (!line->line || !debug_program_has(s->view->program, task->step[at].pc, line))
         return 0;
      for (uint32_t lane = 0; lane < CF_TASK_LANES; lane++) {
         if (s->lanes >> lane & 1 && debug_walk_enters(task, s->view->program, lane, at, line))
            lanes |= 1u << lane;
      }
      return lanes;
   case DEBUG_BREAK_INSTRUCTION:
      return one->stage == task->program->info.stage && one->pc == task->step[at].pc
                ? task->step[at].exec & s->lanes
                : 0;
   case DEBUG_BREAK_PIXEL: {
      const uint32_t lane = at ? UINT32_MAX : lane_of_pixel(s->event, one->x_px, one->y_px);
      return lane == UINT32_MAX ? 0 : 1u << lane;
   }
   }
   return 0;
}

/* Whether the breakpoint stops at the position, and in which lane: in the one that is looked at, if
 * that is among them. */
static bool
stops(const struct debug_search *s, const struct debug_break *one, const struct debug_line *line,
      uint32_t at, struct debug_hit *hit)
{
   const uint32_t lanes = lanes_at(s, one, line, at), first = s->view->lane;
   struct debug_view view = *s->view;
   char error[DEBUG_EXPR_ERROR_B];
   for (uint32_t i = 0; lanes && i <= CF_TASK_LANES; i++) {
      view.lane = i ? i - 1 : first;
      if (!(lanes >> view.lane & 1))
         continue;
      if (one->condition) {
         debug_task_seek(view.task, at);
         if (!debug_expr_true(&view, one->condition, error))
            continue;
      }
      *hit = (struct debug_hit){ .at = at, .lane = view.lane, .one = one };
      return true;
   }
   return false;
}

static bool
find_at(const struct debug_search *s, const struct debug_line *lines, uint32_t at,
        struct debug_hit *hit)
{
   for (uint32_t i = 0; i < s->breaks->count; i++) {
      if (stops(s, &s->breaks->of[i], &lines[i], at, hit))
         return true;
   }
   struct debug_fault fault;
   if (!s->breaks->faults ||
       !debug_fault_find(s->view->task, s->view->program, at, s->lanes, s->breaks->faults, &fault))
      return false;
   *hit = (struct debug_hit){ .at = at, .lane = fault.lane, .fault = fault };
   return true;
}

bool
debug_search(const struct debug_search *search, struct debug_hit *hit)
{
   struct debug_line *lines = calloc(search->breaks->count + 1, sizeof(*lines));
   bool found = false;
   for (uint32_t i = 0; lines && i < search->breaks->count; i++)
      lines[i] = debug_break_line(&search->breaks->of[i], search->view->program);
   for (uint32_t at = search->from; lines && at < search->to && (search->last || !found); at++)
      found |= find_at(search, lines, at, hit);
   free(lines);
   return found;
}
