/* SPDX-License-Identifier: MIT */
/*
 * Reads of what was never written. The driver knows which bytes of buffers and texels of textures
 * were written before a draw, and which uniforms were set: its notes of draws say so. Other memory
 * counts as written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/base/cf_for.h"
#include "clipfree/sanitize/cf_sane.h"
#include "clipfree/shader/cf_run.h"
#include "clipfree/shader/cf_task.h"

/* ------------------------------------------------------------------ draws */

static bool
is_written_part(const struct cf_note_part *part)
{
   return part->field == CF_NOTE_WRITTEN_BYTES || part->field == CF_NOTE_WRITTEN_TEXELS;
}

/* The place of the reports of a uniform; NULL: no memory. */
static _Atomic(struct cf_sanitize_report *) *
unset_place(struct sane_program *program, const char *text)
{
   struct sane_unset *unset = program->unset;
   while (unset && strcmp(unset->text, text))
      unset = unset->next;
   if (!unset) {
      unset = calloc(1, sizeof(*unset) + strlen(text) + 1);
      if (!unset)
         return NULL;
      strcpy(unset->text, text);
      unset->next = program->unset;
      program->unset = unset;
   }
   return &unset->place;
}

/* "uniform float light is never set, and is 0". Of either stage; the report is of the vertex
 * program's. */
static void
report_unset(struct cf_sanitize *s, struct sane_draw *draw, const char *text)
{
   struct sane_program *program =
      draw->program[draw->program[CF_SHADER_STAGE_FRAGMENT] ? CF_SHADER_STAGE_FRAGMENT
                                                            : CF_SHADER_STAGE_VERTEX];
   struct cf_sanitize_report report = { .check = CF_SANITIZE_UNWRITTEN_UNIFORM,
                                        .instr = CF_SANITIZE_NO_INSTR };
   _Atomic(struct cf_sanitize_report *) *place = program ? unset_place(program, text) : NULL;
   if (!place)
      return;
   report.stage = program->info.stage;
   report.program = program->descriptor;
   snprintf(report.message, sizeof(report.message), "%.120s was never set, and is 0", text);
   sane_report(s, draw, place, 1, &report);
}

/* The note of a draw, of which a copy is taken: reports take the lock. */
static struct sane_note *
copy_note(struct cf_sanitize *s, uint64_t packet)
{
   pthread_mutex_lock(&s->lock);
   const struct sane_note *note = sane_note_at(s, packet);
   struct sane_note *copy = note ? malloc(sizeof(*note) + note->size_B) : NULL;
   if (copy)
      memcpy(copy, note, sizeof(*note) + note->size_B);
   pthread_mutex_unlock(&s->lock);
   return copy;
}

void
sane_take_written(struct cf_sanitize *s, struct sane_draw *draw)
{
   struct cf_note_part part;
   struct sane_note *note = copy_note(s, draw->packet);
   uint32_t count = 0;
   for (size_t at = 0; note && cf_note_next(note->bytes, note->size_B, &at, &part);) {
      count += is_written_part(&part);
      if (part.field == CF_NOTE_UNSET && sane_checks(s, CF_SANITIZE_UNWRITTEN_UNIFORM))
         report_unset(s, draw, part.text);
   }
   draw->written = count ? malloc(count * sizeof(*draw->written)) : NULL;
   for (size_t at = 0; draw->written && cf_note_next(note->bytes, note->size_B, &at, &part);) {
      if (is_written_part(&part))
         draw->written[draw->writtens++] = part;
   }
   free(note);
}

/* ------------------------------------------------------------------ vertices */

uint32_t
sane_unwritten_lanes(const struct sane_thread *t, const struct cf_task_event *event)
{
   const struct cf_fetch *fetch = &event->run->stage->fetch[t->instr->slot];
   const struct cf_note_written *written = NULL;
   uint32_t lanes = 0;
   for (uint32_t i = 0; i < t->draw->writtens; i++) {
      if (t->draw->written[i].field == CF_NOTE_WRITTEN_BYTES &&
          t->draw->written[i].written.place == t->instr->slot)
         written = &t->draw->written[i].written;
   }
   CF_FOR_BITS(lane, written && fetch->format ? t->exec : 0) {
      const uint64_t number = sane_element_number(t, event->run, lane),
                     first_B = number * fetch->stride_B, end_B = first_B + fetch->format->pixel_B;
      if (number < cf_fetch_count(fetch) &&
          (first_B < written->begin[0] || end_B > written->end[0]))
         lanes |= 1u << lane;
   }
   return lanes;
}

/* ------------------------------------------------------------------ texels */

static bool
is_inside(const struct cf_note_written *w, uint32_t x_px, uint32_t y_px)
{
   return x_px - w->begin[0] < w->end[0] - w->begin[0] &&
          y_px - w->begin[1] < w->end[1] - w->begin[1];
}

/* A texel of the unit that the instruction samples. */
static void
see_texel(struct sane_thread *t, const struct cf_texel *texel)
{
   const struct cf_note_written *written = NULL;
   for (uint32_t i = 0; i < t->draw->writtens && !written; i++) {
      const struct cf_note_written *w = &t->draw->written[i].written;
      if (t->draw->written[i].field == CF_NOTE_WRITTEN_TEXELS &&
          w->stage == t->program->info.stage && w->place == texel->unit &&
          w->level == texel->level && w->layer == texel->layer)
         written = w;
   }
   const bool was = !written || is_inside(written, texel->x_px, texel->y_px);
   const uint32_t lane = 1u << texel->lane;
   if (!was && !(t->texels[0] & lane))
      t->texel[texel->lane] = texel->x_px | texel->y_px << 16;
   t->texels[was] |= lane;
}

bool
sane_wants_texels(void *user, const struct cf_task_event *event)
{
   const struct sane_thread *t = pthread_getspecific(((struct cf_sanitize *)user)->thread);
   (void)event;
   return t && t->program && t->draw->writtens;
}

void
sane_texel(void *user, const struct cf_task_event *event, const struct cf_texel *texel)
{
   (void)event;
   see_texel(pthread_getspecific(((struct cf_sanitize *)user)->thread), texel);
}

void
sane_footprint(void *user, const struct cf_task_event *event, const struct cf_footprint *footprint)
{
   struct sane_thread *t = pthread_getspecific(((struct cf_sanitize *)user)->thread);
   (void)event;
   CF_FOR_BITS(lane, footprint->lanes) {
      for (uint32_t c = 0; c < footprint->corners; c++) {
         const struct cf_texel texel = {
            .unit = footprint->unit,
            .lane = lane,
            .level = footprint->level,
            .x_px = (uint32_t)footprint->axis[0][c & 1][lane],
            .y_px = footprint->axes > 1 ? (uint32_t)footprint->axis[1][c >> 1 & 1][lane] : 0,
            .layer = footprint->axes > 2 ? (uint32_t)footprint->axis[2][c >> 2 & 1][lane]
                                         : footprint->layer[lane],
         };
         see_texel(t, &texel);
      }
   }
}
