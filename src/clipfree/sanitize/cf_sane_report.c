/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/sanitize/cf_sane.h"

void
sane_draw_names(const struct cf_sanitize *s, uint64_t packet, char call[CF_SANITIZE_NAMES_B],
                char group[CF_SANITIZE_NAMES_B])
{
   const struct sane_note *note = sane_note_at(s, packet);
   struct cf_note_part part;
   size_t length = 0;
   call[0] = group[0] = 0;
   for (size_t at = 0; note && cf_note_next(note->bytes, note->size_B, &at, &part);) {
      if (part.field == CF_NOTE_CALL)
         snprintf(call, CF_SANITIZE_NAMES_B, "%s", part.text);
      if (part.field == CF_NOTE_GROUP && length < CF_SANITIZE_NAMES_B)
         length += (size_t)snprintf(group + length, CF_SANITIZE_NAMES_B - length, "%s%s",
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

/* "in line 5 of the vertex shader of GLSL3, `...`", or "in instruction 3 of a fragment program". */
static void
print_place(const struct cf_sanitize_report *report, char text[CF_SANITIZE_NAMES_B + 120])
{
   const char *stage = cf_shader_stage_name(report->stage);
   text[0] = 0;
   const char *quote = report->line_text[0] ? "`" : "", *comma = quote[0] ? ", " : "";
   const char *of = report->of_program[0] ? " of " : "";
   if (report->line)
      snprintf(text, CF_SANITIZE_NAMES_B + 120, " in line %u of the %s shader%s%s%s%s%s%s",
               report->line, stage, of, report->of_program, comma, quote, report->line_text, quote);
   else if (report->instr != CF_SANITIZE_NO_INSTR)
      snprintf(text, CF_SANITIZE_NAMES_B + 120, " in instruction %u of a %s program without lines",
               report->instr, stage);
}

/* ", by lines 8 and 9" */
static void
print_through(const struct cf_sanitize_report *report, char text[120])
{
   const uint32_t count = report->throughs;
   size_t length = 0;
   text[0] = 0;
   for (uint32_t i = 0; i < count && length < 120; i++)
      length += (size_t)snprintf(text + length, 120 - length, "%s%u",
                                 i == 0           ? count > 1 ? ", by lines " : ", by line "
                                 : i + 1 == count ? " and "
                                                  : ", ",
                                 report->through[i]);
}

/* A step says no check: it is that of its report. */
static void
write_report(struct cf_sanitize_report *report, bool is_step)
{
   char element[80], place[CF_SANITIZE_NAMES_B + 120], through[120];
   print_element(report, element);
   print_place(report, place);
   print_through(report, through);
   snprintf(report->text, sizeof(report->text), "%s%s%s%s%s (%sdraw %u%s%s%s%s)",
            is_step ? "" : cf_sanitize_name(report->check), is_step ? "" : ": ", report->message,
            place, through, element, report->draw, report->call[0] ? ", " : "", report->call,
            report->group[0] ? ", in " : "", report->group);
}

void
sane_complete(const struct cf_sanitize *s, const struct sane_draw *draw,
              struct cf_sanitize_report *report, bool is_step)
{
   report->next = report->way = NULL;
   report->submission = draw->submission;
   report->packet = draw->packet;
   report->draw = draw->number;
   sane_draw_names(s, report->packet, report->call, report->group);
   write_report(report, is_step);
}

/* Add a report that is new. With the lock. */
static struct cf_sanitize_report *
add(struct cf_sanitize *s, const struct sane_draw *draw, const struct cf_sanitize_report *report)
{
   struct cf_sanitize_report *added = malloc(sizeof(*added));
   if (!added)
      return NULL;
   *added = *report;
   sane_complete(s, draw, added, false);
   *s->last = added;
   s->last = &added->next;
   return added;
}

static void
print_report(struct cf_sanitize *s, const struct cf_sanitize_report *report)
{
   const bool fatal = s->config.checks & CF_SANITIZE_FATAL ||
                      (report->check == CF_SANITIZE_ASSERT && s->config.print.fatal);
   if (!s->config.quiet)
      fprintf(stderr, "clipfree: sanitize: %s\n", report->text);
   if (s->config.report)
      s->config.report(s->config.user, report);
   if (fatal && !s->config.quiet) {
      sane_print_lines(s);
      abort();
   }
}

struct cf_sanitize_report *
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
         print_report(s, known);
      }
      pthread_mutex_unlock(&s->lock);
   }
   if (known)
      __atomic_fetch_add(&known->count, count, __ATOMIC_RELAXED);
   return known;
}
