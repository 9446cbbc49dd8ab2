/* SPDX-License-Identifier: MIT */
/*
 * The way of a value that is not finite: lines that it passes in the program where it is born, and
 * steps beyond that, through varyings into the fragments of the draw, and through images that are
 * drawn to into the draws that sample them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "clipfree/base/cf_for.h"
#include "clipfree/sanitize/cf_sane_values.h"
#include "clipfree/shader/cf_run.h"
#include "clipfree/texture/cf_texture.h"

#define STEPS 16 /* of a report */

/* ------------------------------------------------------------------ in a program */

void
sane_pass_through(struct sane_thread *t, uint32_t tags)
{
   CF_FOR_BITS(tag, tags & ~1u) {
      struct sane_birth *birth = &t->birth[tag - 1];
      const bool again = birth->throughs && birth->through[birth->throughs - 1] == t->at;
      if (birth->instr != t->at && birth->throughs < SANE_THROUGH && !again)
         birth->through[birth->throughs++] = t->at;
   }
}

/* Add the line of an instruction, unless it is there. */
static void
add_line(const struct sane_program *program, uint32_t instr, struct cf_sanitize_report *report)
{
   struct cf_note_line line;
   if (report->throughs == CF_SANITIZE_LINES || !sane_first_line(program->note, instr, &line) ||
       line.line == report->line)
      return;
   for (uint32_t i = 0; i < report->throughs; i++) {
      if (report->through[i] == line.line)
         return;
   }
   report->through[report->throughs++] = line.line;
}

void
sane_take_through(const struct sane_thread *t, const struct sane_birth *birth,
                  struct cf_sanitize_report *report)
{
   for (uint32_t i = 0; i < birth->throughs; i++)
      add_line(t->program, birth->through[i], report);
   add_line(t->program, t->at, report);
}

/* ------------------------------------------------------------------ from one to the next */

/* The image that a unit samples, of those that such a value was drawn to; the last one. With the
 * lock. */
static struct cf_sanitize_report *
stain_of(const struct cf_sanitize *s, const struct cf_texture_unit *unit)
{
   for (uint32_t i = s->stains;
        unit && i-- > (s->stains > SANE_STAINS ? s->stains - SANE_STAINS : 0);) {
      const struct sane_stain *stain = &s->stain[i % SANE_STAINS];
      if (sane_samples(&unit->texture, &unit->sampler, stain->address))
         return stain->report;
   }
   return NULL;
}

/* What a value that was not finite when it came into the program is known from. `from`: what it
 * came through. With the lock. NULL: it is not known. */
static struct cf_sanitize_report *
origin_of(const struct sane_thread *t, const struct cf_run *run, const struct sane_birth *birth,
          char from[64])
{
   const struct sane_program *vertex = t->draw->program[CF_SHADER_STAGE_GEOMETRY];
   vertex = vertex ? vertex : t->draw->program[CF_SHADER_STAGE_VERTEX];
   if (birth->elsewhere) {
      const uint32_t output = CF_OUTPUT_VARYINGS + birth->code->index;
      if (!vertex || output >= CF_MAX_OUTPUTS)
         return NULL;
      sane_output_name(vertex, output, from);
      return vertex->arrived[output];
   }
   CF_FOR_BITS(unit, t->program->units) {
      struct cf_sanitize_report *report = stain_of(t->sanitize, run->stage->textures[unit]);
      if (report) {
         snprintf(from, 64, "texture unit %u", unit);
         return report;
      }
   }
   return NULL;
}

/* Where the value of a report goes on: the output that the instruction writes. With the lock. */
static void
carry(const struct sane_thread *t, uint32_t lanes, struct cf_sanitize_report *report)
{
   const uint32_t output = t->instr->index;
   bool finite = true;
   if (!(t->flags & SANE_OUT) || !report)
      return;
   CF_FOR_BITS(lane, lanes)
      finite = finite && sane_is_finite(t->operand[0][lane]);
   if (finite)
      return;
   if (t->program->info.stage != CF_SHADER_STAGE_FRAGMENT) {
      t->program->arrived[output] = report;
      return;
   }
   const uint64_t target = output < CF_OUTPUT_DEPTH ? t->draw->target[output / 4] : 0;
   const struct cf_sanitize *s = t->sanitize;
   const struct sane_stain *last = s->stains ? &s->stain[(s->stains - 1) % SANE_STAINS] : NULL;
   if (target && !(last && last->address == target && last->report == report))
      t->sanitize->stain[t->sanitize->stains++ % SANE_STAINS] =
         (struct sane_stain){ target, report };
}

/* Whether a report has a step of this draw and program already, or no room. */
static bool
has_step(const struct cf_sanitize_report *report, const struct sane_thread *t)
{
   uint32_t count = 0;
   const struct cf_sanitize_report *step = report->way;
   while (step && (step->submission != t->draw->submission || step->packet != t->draw->packet ||
                   step->program != t->program->descriptor)) {
      step = step->next;
      count++;
   }
   return step || count >= STEPS;
}

/* Add where the value of a report goes in another program; it has room, and no such step yet. With
 * the lock. */
static void
add_step(const struct sane_thread *t, struct cf_sanitize_report *report,
         const struct cf_sanitize_report *step)
{
   struct cf_sanitize_report *added = malloc(sizeof(*added)), **last = &report->way;
   if (!added)
      return;
   *added = *step;
   sane_complete(t->sanitize, t->draw, added, true);
   while (*last)
      last = &(*last)->next;
   *last = added;
}

void
sane_follow(const struct sane_thread *t, const struct cf_task_event *event,
            const struct sane_birth *birth, uint32_t lanes, const char *where,
            struct cf_sanitize_report *known)
{
   char from[64];
   pthread_mutex_lock(&t->sanitize->lock);
   struct cf_sanitize_report *origin =
      birth->elsewhere || sane_is_loaded(birth, (uint32_t)__builtin_ctz(birth->lanes))
         ? origin_of(t, event->run, birth, from)
         : NULL;
   if (origin && origin != known && !has_step(origin, t)) {
      struct cf_sanitize_report step = { .check = origin->check,
                                         .program = t->program->descriptor,
                                         .instr = birth->instr };
      sane_take_lane(event, (uint32_t)__builtin_ctz(lanes), &step);
      sane_take_line(t->program, &step);
      sane_take_through(t, birth, &step);
      snprintf(step.message, sizeof(step.message), "through %s to %s", from, where);
      add_step(t, origin, &step);
   }
   carry(t, lanes, origin ? origin : known);
   pthread_mutex_unlock(&t->sanitize->lock);
}
