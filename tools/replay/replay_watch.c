/* SPDX-License-Identifier: MIT */
#include "replay_watch.h"

#include <stdlib.h>
#include <string.h>

#include "clipfree/isa/cf_asm.h"
#include "clipfree/shader/cf_engine.h"

#define MAX_WORDS (64u << 20)
#define NO_PC UINT32_MAX

/* Room for `more` entries. False: out of memory. */
static bool
reserve(void **entries, uint32_t count, uint32_t more, uint32_t *capacity, size_t entry_B)
{
   if (count + more <= *capacity)
      return true;
   const uint32_t larger = 2 * (count + more);
   void *grown = realloc(*entries, larger * entry_B);
   if (!grown)
      return false;
   *entries = grown;
   *capacity = larger;
   return true;
}

struct cf_fragment_event *
replay_watch_add_fragment(struct replay_watch *watch)
{
   struct cf_fragment_event *e;
   if (!reserve((void **)&watch->fragment, watch->fragments, 1, &watch->fragment_capacity,
                sizeof(*e)))
      return NULL;
   e = &watch->fragment[watch->fragments++];
   memset(e, 0, sizeof(*e));
   return e;
}

struct replay_task *
replay_watch_add_task(struct replay_watch *watch)
{
   struct replay_task *task;
   if (!reserve((void **)&watch->task, watch->tasks, 1, &watch->task_capacity, sizeof(*task)))
      return NULL;
   task = &watch->task[watch->tasks++];
   memset(task, 0, sizeof(*task));
   return task;
}

static void
free_program(struct replay_program *program)
{
   if (program) {
      free(program->name);
      free(program->instruction);
   }
   free(program);
}

struct replay_program *
replay_watch_add_program(struct replay_watch *watch, const char *name, uint32_t count)
{
   struct replay_program *program = calloc(1, sizeof(*program));
   if (program) {
      program->name = strdup(name);
      program->instruction = calloc(count ? count : 1, sizeof(*program->instruction));
      program->count = count;
   }
   if (program && program->name && program->instruction &&
       reserve((void **)&watch->program, watch->programs, 1, &watch->program_capacity,
               sizeof(program))) {
      watch->program[watch->programs++] = program;
      return program;
   }
   free_program(program);
   return NULL;
}

/* ------------------------------------------------------------------ fragments */

static bool
is_watched(const struct replay_watch *w, const struct cf_fragment_event *e)
{
   return w->draw && e->draw == w->draw && e->x_px == w->x_px && e->y_px == w->y_px &&
          e->sample == w->sample;
}

static void
note_fragment(void *user, const struct cf_fragment_event *e)
{
   struct replay_watch *w = user;
   if (!is_watched(w, e))
      return;
   struct cf_fragment_event *kept = replay_watch_add_fragment(w);
   w->incomplete |= !kept;
   if (!kept)
      return;
   *kept = *e;
   if (w->tested)
      memcpy(kept->zs_before, w->zs_before, sizeof(kept->zs_before));
   w->tested = false;
}

/* A test that fails is the fragment's end; one that passes belongs to the fragment that is reported
 * after its program. */
static void
note_early_test(void *user, const struct cf_fragment_event *e)
{
   struct replay_watch *w = user;
   if (e->fate != CF_FATE_WRITTEN) {
      note_fragment(user, e);
   } else if (is_watched(w, e)) {
      memcpy(w->zs_before, e->zs_before, sizeof(w->zs_before));
      w->tested = true;
   }
}

/* ------------------------------------------------------------------ tasks */

/* The lane of the watched pixel, and its primitive. False: it is not in the task. */
static bool
find_lane(const struct replay_watch *w, const struct cf_task_event *e, struct replay_task *task)
{
   for (uint32_t q = 0; q < e->quads; q++) {
      const uint32_t x = w->x_px - e->quad[q].x_px, y = w->y_px - e->quad[q].y_px;
      const uint32_t lane = 4 * q + x + 2 * y;
      if (x > 1 || y > 1 || !(e->lanes >> lane & 1))
         continue;
      task->lanes = 1u << lane;
      task->primitive = e->quad[q].primitive;
      return true;
   }
   return false;
}

/* A program's texts; NULL: out of memory. */
static const struct replay_program *
find_program(struct replay_watch *w, const struct cf_decoded *decoded)
{
   for (uint32_t i = 0; i < w->programs; i++) {
      if (w->program[i]->decoded == decoded)
         return w->program[i];
   }
   struct replay_program *program = replay_watch_add_program(w, decoded->name, decoded->count);
   if (!program)
      return NULL;
   program->decoded = decoded;
   for (uint32_t i = 0; i < program->count; i++) {
      struct replay_instruction *instruction = &program->instruction[i];
      const struct cf_instr *instr = &decoded->instrs[i];
      cf_disassemble_instr(instr, instruction->text, sizeof(instruction->text));
      instruction->input = instr->op == CF_OP_LDVAR || instr->op == CF_OP_SYS;
   }
   return program;
}

static void
begin_task(void *user, const struct cf_task_event *e)
{
   struct replay_watch *w = user;
   struct replay_task task = { .vertices = !e->quad, .lanes = e->lanes }, *kept = NULL;
   w->open = false;
   if (!w->draw || e->draw != w->draw || (e->quad && !find_lane(w, e, &task)))
      return;
   if (task.vertices)
      memcpy(task.element, e->element, sizeof(task.element));
   task.program = w->incomplete ? NULL : find_program(w, e->run->stage->program);
   if (task.program)
      kept = replay_watch_add_task(w);
   w->open = kept != NULL;
   w->incomplete |= !w->open;
   if (kept)
      *kept = task;
   w->pc = NO_PC;
}

/* Of the bits of `lanes`, those in `exec`, next to each other. */
static uint32_t
compact(uint32_t exec, uint32_t lanes)
{
   uint32_t found = 0, at = 0;
   for (uint32_t lane = 0; lane < 32; lane++) {
      if (lanes >> lane & 1)
         found |= (exec >> lane & 1) << at++;
   }
   return found;
}

/* Record the results of the instruction before, which has run. */
static void
finish_instruction(struct replay_watch *w, const struct cf_run *run)
{
   struct replay_task *task = &w->task[w->tasks - 1];
   const uint32_t live = w->pc == NO_PC ? 0 : compact(w->exec, task->lanes);
   if (!live)
      return;
   const struct cf_instr *instr = &task->program->decoded->instrs[w->pc];
   const uint32_t rows = cf_written_rows(instr);
   if (w->words > MAX_WORDS ||
       !reserve((void **)&task->word, task->words, 3 + 4 * 32, &task->capacity, 4)) {
      w->incomplete = true;
      w->open = false;
      return;
   }
   const uint32_t before = task->words;
   task->word[task->words++] = w->pc;
   task->word[task->words++] = live;
   task->word[task->words++] = rows;
   for (uint32_t c = 0; c < 4; c++) {
      const uint32_t *row =
         rows >> c & 1 ? cf_row(run, run->steps[w->pc].dst + (int32_t)(c * CF_ROW_B)) : NULL;
      for (uint32_t lane = 0; lane < 32 && row; lane++) {
         if (task->lanes & w->exec & 1u << lane)
            task->word[task->words++] = row[lane];
      }
   }
   w->words += task->words - before;
}

static void
note_instruction(void *user, const struct cf_task_event *e)
{
   struct replay_watch *w = user;
   if (!w->open)
      return;
   finish_instruction(w, e->run);
   w->pc = cf_run_at(e->run);
   w->exec = e->run->exec;
}

static void
end_task(void *user, const struct cf_task_event *e)
{
   struct replay_watch *w = user;
   if (w->open)
      finish_instruction(w, e->run);
   w->open = false;
}

struct cf_observer
replay_watch_observer(struct replay_watch *watch)
{
   return (struct cf_observer){ .user = watch,
                                .task_begin = begin_task,
                                .instruction = note_instruction,
                                .task_end = end_task,
                                .early_test = note_early_test,
                                .fragment = note_fragment };
}

void
replay_watch_free(struct replay_watch *watch)
{
   for (uint32_t i = 0; i < watch->tasks; i++)
      free(watch->task[i].word);
   for (uint32_t i = 0; i < watch->programs; i++)
      free_program(watch->program[i]);
   free(watch->program);
   free(watch->task);
   free(watch->fragment);
}

/* ------------------------------------------------------------------ differences */

/* Lane of the n-th bit of `live`, whose bits are lanes of the task. */
static uint32_t
lane_of(const struct replay_task *task, uint32_t live, uint32_t n)
{
   uint32_t bit = 0;
   for (uint32_t lane = 0; lane < 32; lane++) {
      if (!(task->lanes >> lane & 1))
         continue;
      if (live >> bit++ & 1 && n-- == 0)
         return lane;
   }
   return 0;
}

/* The row that the k-th set bit of `rows` names. */
static uint32_t
row_of(uint32_t rows, uint32_t k)
{
   for (uint32_t c = 0; c < 4; c++) {
      if (rows >> c & 1 && k-- == 0)
         return c;
   }
   return 0;
}

bool
replay_tasks_differ(const struct replay_task *a, const struct replay_task *b,
                    struct replay_step_difference *difference)
{
   *difference = (struct replay_step_difference){ .flow = true };
   for (uint32_t at = 0; at < a->words || at < b->words;) {
      if (at >= a->words || at >= b->words || memcmp(a->word + at, b->word + at, 3 * 4))
         return true;
      const uint32_t live = a->word[at + 1], rows = a->word[at + 2];
      const uint32_t lanes = (uint32_t)__builtin_popcount(live),
                     values = lanes * (uint32_t)__builtin_popcount(rows);
      *difference = (struct replay_step_difference){ .flow = true, .pc = a->word[at] };
      at += 3;
      for (uint32_t i = 0; i < values; i++, at++) {
         if (a->word[at] == b->word[at])
            continue;
         difference->flow = false;
         difference->row = row_of(rows, i / lanes);
         difference->lane = lane_of(a, live, i % lanes);
         difference->a = a->word[at];
         difference->b = b->word[at];
         return true;
      }
   }
   return false;
}

const struct replay_task *
replay_watch_fragment_task(const struct replay_watch *watch, uint32_t primitive)
{
   for (uint32_t i = 0; i < watch->tasks; i++) {
      if (!watch->task[i].vertices && watch->task[i].primitive == primitive)
         return &watch->task[i];
   }
   return NULL;
}
