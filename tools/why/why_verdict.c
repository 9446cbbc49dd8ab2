/* SPDX-License-Identifier: MIT */
#include "why_verdict.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "look/look_pixel.h"

#include "why_after.h"
#include "why_lines.h"

/* The events that count, and what came of them. */
struct case_of {
   const struct why_question *question;
   const struct why_plan *plan;
   const struct why_events *events;
   uint32_t first;                /* index of the first event that counts */
   const struct why_event *maker; /* of the colour that is there; NULL: none */
   const json_t *misses;          /* NULL: none */
};

static const char *
text_of(const struct why_event *event, const char *name)
{
   const char *text = json_string_value(json_object_get(event->json, name));
   return text ? text : "";
}

static bool
is_whole_clear(const struct why_event *event)
{
   return event->kind == WHY_CLEAR && json_is_true(json_object_get(event->json, "whole"));
}

/* Events before the last clear or transfer that replaces the whole pixel say nothing of its colour.
 */
static uint32_t
first_that_counts(const struct why_question *question, const struct why_events *events)
{
   for (uint32_t i = events->count; i-- > 0 && !question->all;) {
      if (is_whole_clear(&events->event[i]))
         return i;
   }
   return 0;
}

/* The last event that changed the pixel; transfers bring another pixel's colour, which an event
 * before them made. */
static const struct why_event *
maker_of(const struct case_of *c)
{
   const struct why_event *transfer = NULL;
   for (uint32_t i = c->events->count; i-- > c->first;) {
      const struct why_event *event = &c->events->event[i];
      if (event->kind != WHY_TRANSFER && event->changed)
         return event;
      if (event->kind == WHY_TRANSFER && !transfer)
         transfer = event;
   }
   return transfer;
}

static bool
is_of_draw(const struct case_of *c, const struct why_event *event, unsigned long draw)
{
   return c->plan->op[event->op].draw == draw && c->plan->op[event->op].opcode == CF_OPCODE_DRAW;
}

/* A fragment or primitive that did not get to the pixel. */
static bool
is_rejected(const struct why_event *event)
{
   return event->kind == WHY_MISSED || event->kind == WHY_REMOVED || event->kind == WHY_EARLY ||
          (event->kind == WHY_FRAGMENT && !event->changed);
}

/* What rejected it: "depth", "culled", "masked", ... */
static const char *
cause_name(const struct why_event *event)
{
   switch (event->kind) {
   case WHY_MISSED:
   case WHY_REMOVED:
      return why_rule_name(event->rule);
   case WHY_WATCHDOG:
      return WHY_ENDLESS;
   case WHY_FRAGMENT:
   case WHY_EARLY:
      if (event->end != WHY_END_DONE)
         return WHY_ENDLESS;
      if (event->fragment.fate != CF_FATE_WRITTEN)
         return cf_fate_name(event->fragment.fate);
      return event->changed ? "written" : "masked";
   case WHY_CLEAR:
      return "cleared";
   case WHY_TRANSFER:
      break;
   }
   return "copied";
}

/* "draw 3 (triangles, 36 vertices), primitive 5" */
static void
print_place(FILE *out, const struct case_of *c, const struct why_event *event)
{
   const struct why_op *op = &c->plan->op[event->op];
   if (op->opcode == CF_OPCODE_DRAW)
      fprintf(out, "draw %" PRIu32 " (%s), primitive %" PRIu32, op->draw, text_of(event, "call"),
              event->primitive);
   else if (op->opcode == CF_OPCODE_CLEAR)
      fprintf(out, "a clear");
   else
      fprintf(out, "a %s", text_of(event, "operation"));
}

/* Whether two rejections are one in a sentence: of one draw, by one rule or test, of faces of one
 * kind. */
static bool
is_grouped_with(const struct why_event *a, const struct why_event *b)
{
   return a->op == b->op && !strcmp(cause_name(a), cause_name(b)) &&
          (a->kind != WHY_MISSED || a->missed.front == b->missed.front);
}

#define GROUPS 3 /* of rejections that a sentence names */

/* Rejections from event `from` on, of one draw or of all: the first of each group. Returns how many
 * there are. */
static uint32_t
print_rejections(FILE *out, const struct case_of *c, uint32_t from, unsigned long draw)
{
   const struct why_event *group[GROUPS];
   uint32_t groups = 0, rejections = 0, more = 0;
   for (uint32_t i = from; i < c->events->count; i++) {
      const struct why_event *event = &c->events->event[i];
      uint32_t found = 0;
      if (!is_rejected(event) || (draw != WHY_NO_DRAW && !is_of_draw(c, event, draw)))
         continue;
      rejections++;
      while (found < groups && !is_grouped_with(group[found], event))
         found++;
      if (found < groups)
         continue;
      if (groups == GROUPS) {
         more++;
         continue;
      }
      group[groups++] = event;
      fprintf(out, groups > 1 ? "; " : "");
      print_place(out, c, event);
      fprintf(out, ": %s", text_of(event, "why"));
   }
   if (more)
      fprintf(out, "; and %" PRIu32 " more", more);
   return rejections;
}

static uint32_t
count_rejections(const struct case_of *c, uint32_t from, unsigned long draw)
{
   char *text = NULL;
   size_t size;
   FILE *out = open_memstream(&text, &size);
   const uint32_t count = out ? print_rejections(out, c, from, draw) : 0;
   if (out)
      fclose(out);
   free(text);
   return count;
}

/* ------------------------------------------------------------------ inputs */

/* Of a kind that a sentence lists. Of uniforms all but of large arrays: a wrong one stands nowhere
 * else, while varyings and texels have more to tell where they come from. */
#define INPUTS 4
#define UNIFORMS 64

static double
number_of(const json_t *object, const char *name)
{
   const json_t *value = json_object_get(object, name);
   return json_is_string(value) ? strtod(json_string_value(value), NULL) : json_number_value(value);
}

/* Its name, or its number. */
static void
print_name(FILE *out, const json_t *input, const char *number)
{
   const char *name = json_string_value(json_object_get(input, "name"));
   if (name)
      fputs(name, out);
   else
      fprintf(out, "%lld", json_integer_value(json_object_get(input, number)));
}

static void
print_uniform(FILE *out, const json_t *uniform)
{
   const json_t *value = json_object_get(uniform, "value");
   print_name(out, uniform, "dword");
   if (json_is_boolean(value))
      fprintf(out, " = %s", json_is_true(value) ? "true" : "false");
   else
      fprintf(out, " = %.*g", json_is_integer(value) ? 10 : 9, number_of(uniform, "value"));
}

static void
print_varying(FILE *out, const json_t *varying)
{
   const long long component = json_integer_value(json_object_get(varying, "component"));
   print_name(out, varying, "slot");
   if (!json_object_get(varying, "name"))
      fprintf(out, ".%c", "xyzw"[component & 3]);
   fprintf(out, " = %.9g", number_of(varying, "value"));
}

static void
print_sample(FILE *out, const json_t *sample)
{
   const json_t *texture = json_object_get(sample, "texture"),
                *result = json_object_get(sample, "result");
   print_name(out, sample, "unit");
   fputs(" (", out);
   if (json_is_object(texture))
      fprintf(out, "%s, %lld x %lld, levels %lld to %lld, %s",
              json_string_value(json_object_get(texture, "kind")),
              json_integer_value(json_object_get(texture, "width")),
              json_integer_value(json_object_get(texture, "height")),
              json_integer_value(json_object_get(texture, "first_level")),
              json_integer_value(json_object_get(texture, "last_level")),
              json_string_value(json_object_get(texture, "format")));
   else
      fprintf(out, "no texture");
   fputs("; sampled", out);
   for (size_t i = 0; i < json_array_size(result); i++)
      fprintf(out, " %.4g", json_number_value(json_array_get(result, i)));
   fputc(')', out);
}

/* A kind of inputs. */
struct input_kind {
   const char *member, *name;
   size_t most; /* that are listed */
   void (*print)(FILE *out, const json_t *entry);
};

/* "; uniforms 0 = 1, 1 = 0.5 and 6 more", or the start of the sentence */
static bool
print_list(FILE *out, const json_t *list, const struct input_kind *kind, const char *start,
           bool first)
{
   const size_t count = json_array_size(list);
   if (count == 0)
      return first;
   fprintf(out, "%s%s", first ? start : "; ", kind->name);
   for (size_t i = 0; i < count && i < kind->most; i++) {
      fputs(i ? ", " : " ", out);
      kind->print(out, json_array_get(list, i));
   }
   if (count > kind->most)
      fprintf(out, " and %zu more", count - kind->most);
   return false;
}

static void
print_set(FILE *out, const json_t *inputs, const char *start)
{
   static const struct input_kind kinds[] = {
      { "uniforms", "uniforms", UNIFORMS, print_uniform },
      { "varyings", "varyings", INPUTS, print_varying },
      { "samples", "texture units", INPUTS, print_sample },
   };
   bool first = true;
   for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
      first = print_list(out, json_object_get(inputs, kinds[i].member), &kinds[i], start, first);
   fputs(first ? "" : ".", out);
}

/* What a colour comes from, and which way the program took to it. */
static void
print_inputs(FILE *out, const struct why_event *event)
{
   print_set(out, json_object_get(event->json, "inputs"), " It comes from ");
   print_set(out, json_object_get(event->json, "branches"), " Its branches looked at ");
}

static void
print_maker(FILE *out, const struct case_of *c)
{
   const struct why_event *event = c->maker;
   if (!event) {
      fprintf(out, "Nothing in the capture writes this pixel; it has the value from before.");
      return;
   }
   if (event->kind == WHY_CLEAR)
      fprintf(out, "The pixel has the colour that it was cleared to.");
   else if (event->kind == WHY_TRANSFER)
      fprintf(out, "The colour was brought by %s.", text_of(event, "why"));
   else {
      fprintf(out, "The colour is that of ");
      print_place(out, c, event);
      fprintf(out, ": %s.", text_of(event, "why"));
      print_inputs(out, event);
   }
}

/* What the watchdog ended. */
static void
print_ended(FILE *out, const struct case_of *c, const struct why_event *ended)
{
   fprintf(out, " Draw %" PRIu32 " (%s): %s.", c->plan->op[ended->op].draw, text_of(ended, "call"),
           text_of(ended, "why"));
   print_inputs(out, ended);
}

/* ------------------------------------------------------------------ misses */

/* "12 behind the eye, 24 outside" */
static void
print_reasons(FILE *out, const json_t *reasons)
{
   const char *name, *gap = "";
   json_t *count;
   json_object_foreach((json_t *)reasons, name, count)
   {
      fprintf(out, "%s%lld %s", gap, json_integer_value(count), name);
      gap = ", ";
   }
}

/* The instruction that made a position that is not finite. */
static void
print_maker_of_bad(FILE *out, const json_t *instruction)
{
   char place[WHY_PLACE_B];
   if (!instruction)
      return;
   why_place_text(instruction, "vertex", place);
   fprintf(out, ", from %s", place);
}

/* The vertex whose position is not finite. */
static void
print_bad_vertex(FILE *out, const json_t *miss)
{
   size_t i, c;
   const json_t *vertex, *value;
   json_array_foreach(json_object_get(miss, "vertices"), i, vertex)
   {
      const json_t *position = json_object_get(vertex, "position");
      bool bad = false;
      json_array_foreach(position, c, value) bad |= json_is_string(value);
      if (!bad)
         continue;
      fprintf(out, ": vertex %lld is (", json_integer_value(json_object_get(vertex, "vertex")));
      json_array_foreach(position, c, value)
      {
         if (json_is_string(value))
            fprintf(out, "%s%s", c ? ", " : "", json_string_value(value));
         else
            fprintf(out, "%s%.9g", c ? ", " : "", json_number_value(value));
      }
      fputc(')', out);
      print_maker_of_bad(out, json_object_get(vertex, "not_finite"));
      return;
   }
}

/* Why the primitives of a draw miss the pixel. */
static void
print_misses(FILE *out, const json_t *draw)
{
   const json_t *nearest = json_array_get(json_object_get(draw, "nearest"), 0);
   const json_t *distance = json_object_get(nearest, "distance_px");
   const long long primitive = json_integer_value(json_object_get(nearest, "primitive"));
   const char *reason = json_string_value(json_object_get(nearest, "reason"));
   fprintf(out, " Of the %lld primitives of draw %lld: ",
           json_integer_value(json_object_get(draw, "primitives")),
           json_integer_value(json_object_get(draw, "draw")));
   print_reasons(out, json_object_get(draw, "reasons"));
   if (reason && json_is_number(distance))
      fprintf(out, "; nearest is primitive %lld, %.3g pixels away", primitive,
              json_number_value(distance));
   else if (reason)
      fprintf(out, "; for example primitive %lld, %s", primitive, reason);
   if (reason && !strcmp(reason, "position is not finite"))
      print_bad_vertex(out, nearest);
   fputc('.', out);
}

#define MISSED_DRAWS 3 /* that a sentence names */

static void
print_all_misses(FILE *out, const struct case_of *c)
{
   for (size_t i = 0; i < json_array_size(c->misses) && i < MISSED_DRAWS; i++)
      print_misses(out, json_array_get(c->misses, i));
   if (json_array_size(c->misses) > MISSED_DRAWS)
      fprintf(out, " And %zu more draws.", json_array_size(c->misses) - MISSED_DRAWS);
}

/* ------------------------------------------------------------------ the verdict */

/* The first event of the watchdog's that counts; NULL: there is none. */
static const struct why_event *
first_ended(const struct case_of *c)
{
   for (uint32_t i = c->first; i < c->events->count; i++) {
      if (c->events->event[i].kind == WHY_WATCHDOG)
         return &c->events->event[i];
   }
   return NULL;
}

/* The event of the watchdog's that matters to a draw; NULL: there is none. */
static const struct why_event *
ended_at(const struct case_of *c, unsigned long draw)
{
   for (uint32_t i = 0; i < c->plan->ops; i++) {
      if (c->plan->op[i].opcode == CF_OPCODE_DRAW && c->plan->op[i].draw == draw)
         return why_ended_before(c->plan, c->events, i);
   }
   return NULL;
}

/* Of the pixel: who made its colour; who came later, or at all if nobody was written, and was
 * rejected. */
static void
print_pixel_verdict(FILE *out, const struct case_of *c)
{
   const bool drawn = c->maker && c->maker->kind == WHY_FRAGMENT;
   const uint32_t from = drawn ? (uint32_t)(c->maker - c->events->event) + 1 : c->first;
   const struct why_event *ended = first_ended(c);
   print_maker(out, c);
   if (count_rejections(c, from, WHY_NO_DRAW)) {
      fprintf(out, drawn ? " Later: " : " What wanted it: ");
      print_rejections(out, c, from, WHY_NO_DRAW);
      fprintf(out, ".");
   } else if (!ended) {
      if (!drawn && c->maker && c->maker->kind == WHY_CLEAR)
         fprintf(out, " No primitive covers it.");
      print_all_misses(out, c);
   }
   if (ended)
      print_ended(out, c, ended);
}

/* Whether the fragment was rejected for what its program computed. */
static bool
is_rejected_by_program(const struct why_event *event)
{
   const enum cf_fate fate = event->fragment.fate;
   return event->kind == WHY_FRAGMENT && event->end == WHY_END_DONE &&
          (fate == CF_FATE_KILLED || fate == CF_FATE_ALPHA || fate == CF_FATE_COVERAGE);
}

/* What the last of the draw's fragments that its program kept away was computed from. */
static void
print_rejected_inputs(FILE *out, const struct case_of *c, unsigned long draw)
{
   for (uint32_t i = c->events->count; i-- > 0;) {
      const struct why_event *event = &c->events->event[i];
      if (!is_of_draw(c, event, draw) || !is_rejected_by_program(event))
         continue;
      print_inputs(out, event);
      return;
   }
}

/* What of a draw that wrote the pixel was rejected. */
static void
print_others(FILE *out, const struct case_of *c, unsigned long draw)
{
   if (!count_rejections(c, 0, draw))
      return;
   fprintf(out, " Of the draw, rejected: ");
   print_rejections(out, c, 0, draw);
   fprintf(out, ".");
}

/* Whether it is not known what the draw would cover: its vertices, or those of a draw before it,
 * were not shaded. */
static bool
is_unknown(const struct case_of *c, const struct why_event *ended, unsigned long draw)
{
   return ended->ended.vertices || c->plan->op[ended->op].draw < draw;
}

/* Of one draw there. */
static void
print_draw_verdict(FILE *out, const struct case_of *c, unsigned long draw)
{
   const struct why_event *written = NULL, *ended = ended_at(c, draw);
   for (uint32_t i = 0; i < c->events->count; i++) {
      const struct why_event *event = &c->events->event[i];
      if (is_of_draw(c, event, draw) && event->kind == WHY_FRAGMENT && event->changed)
         written = event;
   }
   if (written && written == c->maker) {
      fprintf(out, "Draw %lu made the colour that is there, by primitive %" PRIu32 ": %s.", draw,
              written->primitive, text_of(written, "why"));
      print_inputs(out, written);
      print_others(out, c, draw);
   } else if (written) {
      fprintf(out, "Draw %lu wrote the pixel, by primitive %" PRIu32 " (%s), but later ", draw,
              written->primitive, text_of(written, "why"));
      print_place(out, c, c->maker);
      fprintf(out, " changed it.");
      print_others(out, c, draw);
   } else if (count_rejections(c, 0, draw)) {
      fprintf(out, "Draw %lu does not show: ", draw);
      print_rejections(out, c, 0, draw);
      fprintf(out, ".");
      print_rejected_inputs(out, c, draw);
   } else if (ended && is_unknown(c, ended, draw)) {
      fprintf(out, "Draw %lu was not run to its end.", draw);
   } else {
      fprintf(out, "No primitive of draw %lu covers the pixel.", draw);
      print_all_misses(out, c);
   }
   if (ended)
      print_ended(out, c, ended);
}

static json_t *
verdict(const struct case_of *c)
{
   char *text = NULL;
   size_t size;
   FILE *out = open_memstream(&text, &size);
   if (!out)
      return json_null();
   if (c->question->draw == WHY_NO_DRAW)
      print_pixel_verdict(out, c);
   else
      print_draw_verdict(out, c, c->question->draw);
   fclose(out);
   json_t *sentence = json_string(text);
   free(text);
   return sentence;
}

/* How far an event got on the way to the pixel. A face that is culled says less than another rule:
 * half of a closed body's faces are. */
static uint32_t
progress_of(const struct why_event *event)
{
   switch (event->kind) {
   case WHY_MISSED:
      return event->rule == WHY_RULE_CULLED ? 0 : 1;
   case WHY_REMOVED:
      return 2;
   case WHY_EARLY:
      return 3;
   case WHY_FRAGMENT:
      break;
   case WHY_WATCHDOG:
      return 1;
   case WHY_CLEAR:
   case WHY_TRANSFER:
      return 0;
   }
   return event->fragment.fate != CF_FATE_WRITTEN ? 4 + (uint32_t)event->fragment.fate
          : event->changed                        ? 5 + CF_FATES
                                                  : 4 + CF_FATES;
}

/* The event that the verdict is about: of the draw that was asked for, the one that got farthest,
 * the last of these, or the watchdog's if that is why it was not run; else the maker of the colour.
 */
static const struct why_event *
decisive(const struct case_of *c)
{
   const struct why_event *found = NULL;
   if (c->question->draw == WHY_NO_DRAW)
      return c->maker;
   for (uint32_t i = 0; i < c->events->count; i++) {
      const struct why_event *event = &c->events->event[i];
      if (is_of_draw(c, event, c->question->draw) &&
          (!found || progress_of(event) >= progress_of(found)))
         found = event;
   }
   const bool not_run = !found || (found->kind == WHY_MISSED && found->rule == WHY_RULE_NOT_RUN);
   const struct why_event *ended = not_run ? ended_at(c, c->question->draw) : NULL;
   return ended ? ended : found;
}

static json_t *
cause(const struct case_of *c)
{
   const struct why_event *event = decisive(c);
   if (!event)
      return json_null();
   json_t *json = json_pack("{s:s}", "kind", cause_name(event));
   if (c->plan->op[event->op].opcode == CF_OPCODE_DRAW) {
      json_object_set_new(json, "draw", json_integer(c->plan->op[event->op].draw));
      if (event->kind != WHY_WATCHDOG || !event->ended.vertices)
         json_object_set_new(json, "primitive", json_integer(event->primitive));
   }
   return json;
}

static json_t *
pixel_json(const struct why_question *question, const struct why_plan *plan)
{
   const struct cf_surface *image = &plan->shown;
   return json_pack("{s:i, s:i, s:o, s:i, s:i, s:s, s:i}", "x", (int)question->x_px, "y",
                    (int)question->y_px, "image", look_json_address(image->address), "width",
                    (int)image->width_px, "height", (int)image->height_px, "format",
                    cf_format_name(image->format), "samples",
                    (int)(image->samples ? image->samples : 1));
}

/* The colour at the end, an object for each sample. */
static json_t *
color_json(const struct why_plan *plan, const struct why_events *events)
{
   json_t *array = json_array();
   const uint32_t samples = plan->shown.samples > 1 ? plan->shown.samples : 1;
   for (uint32_t s = 0; s < samples && events->has_final; s++)
      json_array_append_new(array, look_pixel_json(plan->shown.format, events->final[s]));
   return array;
}

bool
why_is_missed(const struct why_question *question, const struct why_plan *plan,
              const struct why_events *events)
{
   const struct case_of c = { .question = question, .plan = plan, .events = events };
   for (uint32_t i = first_that_counts(question, events); i < events->count; i++) {
      const struct why_event *event = &events->event[i];
      const bool wanted = event->kind != WHY_CLEAR && event->kind != WHY_TRANSFER;
      if (wanted && (question->draw == WHY_NO_DRAW || is_of_draw(&c, event, question->draw)))
         return false;
   }
   return true;
}

json_t *
why_answer(const struct why_question *question, const struct why_plan *plan,
           const struct why_events *events, json_t *misses)
{
   struct case_of c = { .question = question,
                        .plan = plan,
                        .events = events,
                        .first = first_that_counts(question, events),
                        .misses = misses };
   c.maker = maker_of(&c);
   json_t *fragments = json_array();
   why_tell_after(plan, events, c.first);
   for (uint32_t i = c.first; i < events->count; i++)
      json_array_append(fragments, events->event[i].json);
   return json_pack("{s:i, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "version", 1, "capture",
                    question->path, "pixel", pixel_json(question, plan), "color",
                    color_json(plan, events), "verdict", verdict(&c), "cause", cause(&c),
                    "fragments", fragments, "misses", misses ? misses : json_array());
}
