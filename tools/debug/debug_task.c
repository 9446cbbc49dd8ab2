/* SPDX-License-Identifier: MIT */
#include "debug_task.h"

#include <stdlib.h>
#include <string.h>

#include "clipfree/shader/cf_engine.h"

#define FIRST_EVERY 1024

/* ------------------------------------------------------------------ states */

static size_t
state_B(const struct debug_task *task)
{
   return sizeof(struct debug_state) + (task->scratch_B + 63) / 64 * 64;
}

static struct debug_state *
allocate_state(const struct debug_task *task)
{
   struct debug_state *state = aligned_alloc(_Alignof(struct debug_state), state_B(task));
   if (state)
      memset(state, 0, state_B(task));
   return state;
}

/* Keep the state at a multiple of `every`. When there are too many, every second one goes. */
static void
keep_state(struct debug_task *task)
{
   if (task->at != (uint64_t)(task->keeps + 1) * task->every)
      return;
   if (task->keeps == DEBUG_STATES) {
      for (uint32_t i = 0; i < DEBUG_STATES; i++) {
         if (i % 2)
            task->kept[i / 2] = task->kept[i];
         else
            free(task->kept[i]);
      }
      task->keeps /= 2;
      task->every *= 2;
      keep_state(task);
      return;
   }
   struct debug_state *state = aligned_alloc(_Alignof(struct debug_state), state_B(task));
   if (!state)
      return;
   memcpy(state, task->now, state_B(task));
   task->kept[task->keeps++] = state;
}

/* The pointers of a state point into `now`, which every state was copied from and is copied to. */
static void
restore(struct debug_task *task, uint32_t at)
{
   uint32_t i = at / task->every;
   i = i < task->keeps ? i : task->keeps;
   if (i) {
      memcpy(task->now, task->kept[i - 1], state_B(task));
      task->at = i * task->every;
      return;
   }
   struct debug_state *now = task->now;
   memset(now->vector, 0, sizeof(now->vector));
   memset(now->scalar, 0, sizeof(now->scalar));
   memset(now->out, 0, sizeof(now->out));
   now->task.alive = task->lanes;
   cf_shader_ops_base.begin(&now->run, task->stage, &now->task);
   task->at = 0;
}

/* ------------------------------------------------------------------ steps */

/* Note what the next instruction writes. */
static void
note_written(struct debug_state *now, const struct cf_instr *instr)
{
   const uint32_t rows = cf_written_rows(instr), exec = now->run.exec;
   const enum cf_form form = cf_ops[instr->op].form;
   if (form == CF_FORM_OUT)
      now->out[instr->index] |= exec;
   if (form == CF_FORM_OUT || form == CF_FORM_GRAD)
      return;
   for (uint32_t c = 0; c < 4; c++) {
      if (!(rows >> c & 1))
         continue;
      if (instr->dst.kind == CF_KIND_S)
         now->scalar[instr->dst.index + c] = UINT32_MAX;
      else
         now->vector[instr->dst.index + c] |= exec;
   }
}

static bool
advance(struct debug_task *task)
{
   struct debug_state *now = task->now;
   if (!now->run.next)
      return false;
   note_written(now, cf_run_instr(&now->run));
   cf_run_step(&now->run);
   task->at++;
   return true;
}

/* Room for one more step. False: out of memory. */
static bool
reserve(struct debug_task *task)
{
   if (task->steps < task->capacity)
      return true;
   const uint32_t larger = 2 * task->capacity + 256;
   struct debug_step *grown = realloc(task->step, larger * sizeof(*grown));
   if (!grown)
      return false;
   task->step = grown;
   task->capacity = larger;
   return true;
}

/* Run it once to its end, and note the way. */
static bool
trace(struct debug_task *task)
{
   const struct cf_run *run = &task->now->run;
   while (run->next && task->steps < DEBUG_MAX_STEPS) {
      if (!reserve(task))
         return false;
      task->step[task->steps++] = (struct debug_step){ cf_run_at(run), run->exec };
      advance(task);
      keep_state(task);
   }
   task->complete = !run->next;
   return true;
}

bool
debug_task_begin(struct debug_task *task, const struct cf_task_event *event)
{
   const struct cf_run *run = event->run;
   *task = (struct debug_task){ .stage = run->stage,
                                .program = run->stage->program,
                                .lanes = run->task->alive,
                                .every = FIRST_EVERY };
   task->scratch_B = (size_t)task->program->info.scratch_dwords * CF_ROW_B;
   task->now = allocate_state(task);
   if (!task->now)
      return false;
   struct cf_task *copy = &task->now->task;
   memcpy(copy, run->task, sizeof(*copy));
   memset(copy->v, 0, sizeof(copy->v));
   memset(copy->s, 0, sizeof(copy->s));
   memset(copy->out, 0, sizeof(copy->out));
   copy->scratch = (void *)(task->now + 1);
   copy->scratch_dwords = task->program->info.scratch_dwords;
   copy->clock = NULL;
   restore(task, 0);
   if (!trace(task) || !task->steps)
      return false;
   debug_task_seek(task, 0);
   return true;
}

void
debug_task_end(struct debug_task *task)
{
   for (uint32_t i = 0; i < task->keeps; i++)
      free(task->kept[i]);
   free(task->step);
   free(task->now);
   *task = (struct debug_task){ 0 };
}

void
debug_task_seek(struct debug_task *task, uint32_t at)
{
   if (at < task->at || at - task->at > task->every)
      restore(task, at);
   while (task->at < at && advance(task))
      ;
}

uint32_t
debug_task_last(const struct debug_task *task)
{
   return task->steps - 1;
}

const uint32_t *
debug_task_result(const struct debug_task *task, uint32_t pc, uint32_t component)
{
   return cf_row(&task->now->run, task->program->steps[pc].dst + (int32_t)(component * CF_ROW_B));
}
