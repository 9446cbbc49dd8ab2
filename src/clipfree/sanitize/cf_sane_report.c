/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/sanitize/cf_sane.h"

/* What the note of the draw says. With the lock. */
static void
take_draw_note(const struct cf_sanitize *s, struct cf_sanitize_report *report)
{
   const struct sane_note *note = sane_note_at(s, report->packet);
   struct cf_note_part part;
   size_t length = 0;
   for (size_t at = 0; note && cf_note_next(note->bytes, note->size_B, &at, &part);) {
      if (part.field == CF_NOTE_CALL)
         snprintf(report->call, sizeof(report->call), "%s", part.text);
      if (part.field == CF_NOTE_GROUP && length < sizeof(report->group))
         length += (size_t)snprintf(report->group + length, sizeof(report->group) - length, "%s%s",
                                    length ? " / " : "", part.text);
   }
}

/* "fragment 12,40 of primitive 3 of " or "vertex 7 of ". */
static void
print_element(const struct cf_sanitize_report *report, char text[80])
{
   text[0] = 0;
   if (report->has_pixel)
      snprintf(text, 80, "pixel %u,%u, primitive %u of ", report->x_px, report->y_px,
               report->primitive);
   else if (report->has_vertex)
      snprintf(text, 80, "vertex %u of ", report->vertex);
}

/* "in line 5 of the vertex shader, `...`", or "in instruction 3 of a fragment program". */
static void
print_place(const struct cf_sanitize_report *report, char text[CF_SANITIZE_NAMES_B + 80])
{
   const char *stage = report->stage == CF_SHADER_STAGE_VERTEX ? "vertex" : "fragment";
   text[0] = 0;
   const char *quote = report->line_text[0] ? "`" : "", *comma = quote[0] ? ", " : "";
   if (report->line)
      snprintf(text, CF_SANITIZE_NAMES_B + 80, " in line %u of the %s shader%s%s%s%s", report->line,
               stage, comma, quote, report->line_text, quote);
   else if (report->instr != CF_SANITIZE_NO_INSTR)
      snprintf(text, CF_SANITIZE_NAMES_B + 80, " in instruction %u of a %s program without lines",
               report->instr, stage);
}

static void
print_report(struct cf_sanitize_report *report)
{
   char element[80], place[CF_SANITIZE_NAMES_B + 80];
   print_element(report, element);
   print_place(report, place);
   snprintf(report->text, sizeof(report->text), "%s: %s%s (%sdraw %u%s%s%s%s)",
            cf_sanitize_name(report->check), report->message, place, element, report->draw,
            report->call[0] ? ", " : "", report->call, report->group[0] ? ", in " : "",
            report->group);
}

/* Add a report that is new. With the lock. */
static struct cf_sanitize_report *
add(struct cf_sanitize *s, const struct sane_draw *draw, const struct cf_sanitize_report *report)
{
   struct cf_sanitize_report *added = malloc(sizeof(*added));
   if (!added)
      return NULL;
   *added = *report;
   added->next = NULL;
   added->submission = draw->submission;
   added->packet = draw->packet;
   added->draw = draw->number;
   take_draw_note(s, added);
   print_report(added);
   *s->last = added;
   s->last = &added->next;
   return added;
}

static void
tell(const struct cf_sanitize *s, const struct cf_sanitize_report *report)
{
   if (!s->config.quiet)
      fprintf(stderr, "clipfree: sanitize: %s\n", report->text);
   if (s->config.report)
      s->config.report(s->config.user, report);
   if (s->config.checks & CF_SANITIZE_FATAL && !s->config.quiet)
      abort();
}

void
sane_report(struct cf_sanitize *s, const struct sane_draw *draw,
            _Atomic(struct cf_sanitize_report *) *place, uint32_t count,
            const struct cf_sanitize_report *report)
{
   struct cf_sanitize_report *known = atomic_load(place);
   if (!known) {
      pthread_mutex_lock(&s->lock);
      known = atomic_load(place);
      if (!known && (known = add(s, draw, report))) {
         known->count = 0;
         atomic_store(place, known);
         tell(s, known);
      }
      pthread_mutex_unlock(&s->lock);
   }
   if (known)
      __atomic_fetch_add(&known->count, count, __ATOMIC_RELAXED);
}
