/* SPDX-License-Identifier: MIT */
#include "replay_explain.h"

#include <inttypes.h>
#include <string.h>

#include "look/look_pixel.h"

#include "replay_halve.h"
#include "replay_packets.h"
#include "replay_record.h"
#include "replay_settings.h"

static void
set(json_t *object, const char *name, json_t *value)
{
   json_object_set_new(object, name, value);
}

/* ------------------------------------------------------------------ instructions */

static json_t *
instruction_json(const struct replay_task *task, const struct replay_step_difference *d)
{
   json_t *json = json_object();
   set(json, "stage", json_string(task->vertices ? "vertex" : "fragment"));
   set(json, "program", json_string(task->program->name));
   set(json, "number", json_integer(d->pc));
   set(json, "text", json_string(task->program->instruction[d->pc].text));
   if (d->flow)
      return json;
   set(json, "lane", json_integer(d->lane));
   set(json, "component", json_integer(d->row));
   set(json, "a", json_sprintf("0x%08" PRIx32, d->a));
   set(json, "b", json_sprintf("0x%08" PRIx32, d->b));
   return json;
}

static float
float_of(uint32_t bits)
{
   float value;
   memcpy(&value, &bits, sizeof(value));
   return value;
}

/* Name the first instruction of two tasks whose result differs. False: none does. */
static bool
describe_tasks(const struct replay_task *a, const struct replay_task *b, json_t *difference)
{
   struct replay_step_difference d;
   if (!replay_tasks_differ(a, b, &d))
      return false;
   const char *text = a->program->instruction[d.pc].text,
              *other = d.pc < b->program->count ? b->program->instruction[d.pc].text : "";
   set(difference, "instruction", instruction_json(a, &d));
   if (d.flow)
      replay_note(difference,
                  "after instruction %" PRIu32 " (%s) the %s programs go on differently", d.pc,
                  text, a->vertices ? "vertex" : "fragment");
   else
      replay_note(difference,
                  "the first result that differs: %s program, instruction %" PRIu32
                  ": %s, lane %" PRIu32 ", component %" PRIu32 ": a has 0x%08" PRIx32
                  " (%.9g), b has 0x%08" PRIx32 " (%.9g)",
                  a->vertices ? "vertex" : "fragment", d.pc, text, d.lane, d.row, d.a,
                  (double)float_of(d.a), d.b, (double)float_of(d.b));
   if (a->vertices && !d.flow)
      replay_note(difference,
                  "that is of vertex %" PRIu32
                  " of the draw (its number in the draw's indices or vertices)",
                  a->element[d.lane]);
   if (strcmp(text, other) != 0)
      replay_note(difference, "the programs differ: b has instruction %" PRIu32 ": %s", d.pc,
                  other);
   return true;
}

static bool
describe_vertices(const struct replay_watch watch[2], json_t *difference)
{
   uint32_t i = 0, k = 0;
   for (;; i++, k++) {
      while (i < watch[0].tasks && !watch[0].task[i].vertices)
         i++;
      while (k < watch[1].tasks && !watch[1].task[k].vertices)
         k++;
      if (i >= watch[0].tasks || k >= watch[1].tasks)
         return false;
      if (describe_tasks(&watch[0].task[i], &watch[1].task[k], difference))
         return true;
   }
}

/* Whether the instruction is an input of the program that its primitive makes. */
static bool
is_input(const struct replay_task *task, const struct replay_step_difference *d)
{
   return !d->flow && task->program->instruction[d->pc].input;
}

/* The vertex programs make the difference, or what comes after them. */
static void
describe_before_fragments(const struct replay_watch watch[2], json_t *difference)
{
   if (!describe_vertices(watch, difference))
      replay_note(difference,
                  "the vertex programs have equal results on both sides: what differs is "
                  "made by the set-up of the primitive or by state");
}

static bool
is_complete(const struct replay_watch watch[2], json_t *difference)
{
   const bool complete = !watch[0].incomplete && !watch[1].incomplete;
   if (!complete)
      replay_note(difference, "the instruction is not known: the draw is too large to record");
   return complete;
}

/* Look for the instruction: in the fragment's program; if nothing differs there, or an input does,
 * in the vertices' before. */
static void
describe_instruction(const struct replay_watch watch[2], uint32_t primitive, json_t *difference)
{
   const struct replay_task *a = replay_watch_fragment_task(&watch[0], primitive),
                            *b = replay_watch_fragment_task(&watch[1], primitive);
   struct replay_step_difference d;
   if (!is_complete(watch, difference))
      return;
   if (a)
      set(difference, "lane", json_integer(__builtin_ctz(a->lanes)));
   if (!a || !b || !replay_tasks_differ(a, b, &d)) {
      replay_note(difference,
                  "the fragment program has equal results on both sides, or was not run on one");
      describe_before_fragments(watch, difference);
      return;
   }
   if (is_input(a, &d) && describe_vertices(watch, difference))
      return;
   if (is_input(a, &d))
      describe_before_fragments(watch, difference);
   describe_tasks(a, b, difference);
}

/* ------------------------------------------------------------------ fragments */

/* Whether two fragments leave the same behind. */
static bool
is_same_change(const struct cf_fragment_event *a, const struct cf_fragment_event *b)
{
   return a->primitive == b->primitive &&
          !memcmp(a->color_after, b->color_after, sizeof(a->color_after)) &&
          !memcmp(a->zs_after, b->zs_after, sizeof(a->zs_after));
}

/* The next fragment that changes the pixel, from *i on; NULL: none. */
static const struct cf_fragment_event *
next_change(const struct replay_watch *watch, uint32_t *i)
{
   for (; *i < watch->fragments; ++*i) {
      const struct cf_fragment_event *e = &watch->fragment[*i];
      if (memcmp(e->color_before, e->color_after, sizeof(e->color_after)) != 0 ||
          memcmp(e->zs_before, e->zs_after, sizeof(e->zs_after)) != 0)
         return e;
   }
   return NULL;
}

/* The fragment of a primitive, from number `i` on; NULL: there is none. */
static const struct cf_fragment_event *
fragment_of(const struct replay_watch *watch, uint32_t i, uint32_t primitive)
{
   while (i < watch->fragments && watch->fragment[i].primitive != primitive)
      i++;
   return i < watch->fragments ? &watch->fragment[i] : NULL;
}

static json_t *
fragment_json(const struct cf_fragment_event *e)
{
   json_t *json = json_object();
   set(json, "fate", json_string(cf_fate_name(e->fate)));
   set(json, "depth", look_json_float((double)e->depth));
   set(json, "color", look_json_floats(e->color, 4));
   return json;
}

/* One side alone has a fragment of the primitive next. */
static void
describe_alone(const struct replay_watch watch[2], const struct cf_fragment_event *e, uint32_t side,
               json_t *difference)
{
   static const char *const names[2] = { "a", "b" };
   json_t *fragment = json_object();
   set(fragment, names[side], fragment_json(e));
   set(difference, "primitive", json_integer(e->primitive));
   set(difference, "fragment", fragment);
   replay_note(difference, "primitive %" PRIu32 " has a fragment there on side %s alone",
               e->primitive, names[side]);
   const struct replay_task *task = replay_watch_fragment_task(&watch[side], e->primitive);
   if (task)
      set(difference, "lane", json_integer(__builtin_ctz(task->lanes)));
   if (is_complete(watch, difference))
      describe_before_fragments(watch, difference);
}

static void
describe_both(const struct replay_watch watch[2], const struct cf_fragment_event *a,
              const struct cf_fragment_event *b, json_t *difference)
{
   json_t *fragment = json_object();
   set(fragment, "a", fragment_json(a));
   set(fragment, "b", fragment_json(b));
   set(difference, "primitive", json_integer(a->primitive));
   set(difference, "fragment", fragment);
   replay_note(difference,
               "primitive %" PRIu32
               " has different fragments there: a %s, depth %.9g; b %s, depth %.9g",
               a->primitive, cf_fate_name(a->fate), (double)a->depth, cf_fate_name(b->fate),
               (double)b->depth);
   describe_instruction(watch, a->primitive, difference);
}

/* Name the first fragments that change the pixel in other ways. False: none do. */
static bool
describe_fragments(const struct replay_watch watch[2], json_t *difference)
{
   for (uint32_t i = 0, k = 0;; i++, k++) {
      const uint32_t from_i = i, from_k = k;
      const struct cf_fragment_event *a = next_change(&watch[0], &i),
                                     *b = next_change(&watch[1], &k);
      if (!a && !b)
         return false;
      if (a && b && is_same_change(a, b))
         continue;
      const uint32_t primitive =
         a && (!b || a->primitive < b->primitive) ? a->primitive : b->primitive;
      a = fragment_of(&watch[0], from_i, primitive);
      b = fragment_of(&watch[1], from_k, primitive);
      if (a && b)
         describe_both(watch, a, b, difference);
      else
         describe_alone(watch, a ? a : b, a ? 0 : 1, difference);
      return true;
   }
}

/* Both sides are equal when they are interpreted on the plain path: settings that must not matter
 * make the difference. */
static void
describe_settings(const struct replay_side side[2], const struct replay_build *build,
                  const struct replay_pixel *pixel, const struct replay_watch *watch,
                  json_t *difference)
{
   replay_note(difference,
               "interpreted on the plain path both sides have the same fragments there, so that "
               "engine, threads, host level or path make the difference");
   if (build) {
      replay_note(difference,
                  "primitive, lane and instruction are not known, since another build does not "
                  "draw in part; '%s/tools/clipfree-replay --compare --against "
                  "engine=interp,path=plain' looks for them in that build, and the same here in "
                  "this one",
                  build->folder);
      return;
   }
   const char *why = replay_halve(side, pixel, watch, difference);
   if (why)
      replay_note(difference, "the primitive is not known: %s", why);
   replay_describe_settings(side, pixel, watch, difference);
}

bool
replay_explain(const struct replay_side side[2], const struct replay_build *build,
               const struct replay_pixel *pixel, json_t *difference, char *error, size_t error_B)
{
   struct replay_watch watch[2] = { { 0 }, { 0 } };
   const bool ok = replay_record_make(&side[0], pixel, &watch[0], error, error_B) &&
                   (build ? replay_record_fetch(&side[1], build, pixel, &watch[1], error, error_B)
                          : replay_record_make(&side[1], pixel, &watch[1], error, error_B));
   if (ok && !describe_fragments(watch, difference))
      describe_settings(side, build, pixel, &watch[0], difference);
   replay_watch_free(&watch[0]);
   replay_watch_free(&watch[1]);
   return ok;
}
