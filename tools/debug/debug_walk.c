/* SPDX-License-Identifier: MIT */
#include "debug_walk.h"

#include <stdlib.h>

/* Whether the lane runs the instruction at a position, and lines are known of it. */
static bool
is_seen(const struct debug_task *task, const struct debug_program *program, uint32_t lane,
        uint32_t at)
{
   const struct debug_step *step = &task->step[at];
   return step->exec >> lane & 1 && program->lines[step->pc][0].line;
}

/* What runs before the first line belongs to it. */
static void
begin_at_first(struct debug_walk *walk)
{
   uint32_t first = 0;
   while (first < walk->steps && !walk->starts[first])
      first++;
   if (first == 0 || first == walk->steps)
      return;
   for (uint32_t n = 0; n < first; n++)
      walk->line[n] = walk->line[first];
   walk->starts[first] = false;
   walk->starts[0] = true;
}

bool
debug_walk_make(const struct debug_task *task, const struct debug_program *program, uint32_t lane,
                struct debug_walk *walk)
{
   struct debug_line now = { 0 };
   *walk = (struct debug_walk){ .lane = lane, .steps = task->steps };
   walk->line = calloc(task->steps, sizeof(walk->line[0]));
   walk->starts = calloc(task->steps, sizeof(walk->starts[0]));
   if (!walk->line || !walk->starts)
      return false;
   for (uint32_t n = 0; n < task->steps; n++) {
      const uint32_t pc = task->step[n].pc;
      if (is_seen(task, program, lane, n)) {
         walk->starts[n] = !debug_program_has(program, pc, &now);
         if (walk->starts[n])
            now = program->lines[pc][0];
      }
      walk->line[n] = now;
   }
   begin_at_first(walk);
   return true;
}

void
debug_walk_free(struct debug_walk *walk)
{
   free(walk->line);
   free(walk->starts);
   *walk = (struct debug_walk){ 0 };
}

uint32_t
debug_walk_next(const struct debug_walk *walk, uint32_t at)
{
   for (uint32_t n = at + 1; n < walk->steps; n++) {
      if (walk->starts[n])
         return n;
   }
   return UINT32_MAX;
}

uint32_t
debug_walk_previous(const struct debug_walk *walk, uint32_t at)
{
   for (uint32_t n = at; n-- > 0;) {
      if (walk->starts[n])
         return n;
   }
   return UINT32_MAX;
}

bool
debug_walk_enters(const struct debug_task *task, const struct debug_program *program, uint32_t lane,
                  uint32_t at, const struct debug_line *line)
{
   const uint32_t pc = task->step[at].pc;
   if (!is_seen(task, program, lane, at) || !debug_program_has(program, pc, line))
      return false;
   for (uint32_t n = at; n-- > 0;) {
      if (is_seen(task, program, lane, n))
         return !debug_program_has(program, task->step[n].pc, line);
   }
   return true;
}
