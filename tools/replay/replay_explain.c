/* SPDX-License-Identifier: MIT */
#include "replay_explain.h"

#include <inttypes.h>
#include <string.h>

#include "look/look_pixel.h"

#include "clipfree/isa/cf_asm.h"
#include "clipfree/shader/cf_decoded.h"

#include "replay_halve.h"
#include "replay_packets.h"
#include "replay_stepped.h"
#include "replay_watch.h"

/* The draw on one side, watched. */
struct watched {
   struct look_player *player; /* of the plain path */
   struct cf_observer observer;
   struct replay_watch watch;
};

static void
set(json_t *object, const char *name, json_t *value)
{
   json_object_set_new(object, name, value);
}

/* ------------------------------------------------------------------ running the draw */

static bool
run_watched(struct watched *watched, const struct replay_stepped *stepped,
            const struct replay_side *side, const struct replay_pixel *pixel, char *error,
            size_t error_B)
{
   struct cf_model_config config = side->config;
   watched->observer = replay_watch_observer(&watched->watch);
   config.threads = 0;
   config.engine = CF_ENGINE_INTERP;
   config.path = CF_PATH_PLAIN;
   config.verify_engine = config.perf = false;
   config.observer = &watched->observer;
   watched->player = look_player_open(side->path, &config, error, error_B);
   if (!watched->player)
      return false;
   const struct cf_bo from = look_player_memory(stepped->player),
                      to = look_player_memory(watched->player);
   memcpy(to.map, from.map, from.size_B);
   struct look_steps steps = stepped->steps;
   steps.player = watched->player;
   steps.submission.dw = look_player_at(watched->player, steps.submission.address,
                                        4 * (uint64_t)steps.submission.dwords);
   watched->watch.draw = steps.submission.address + 4 * (uint64_t)stepped->op.at_dw;
   watched->watch.x_px = pixel->x_px;
   watched->watch.y_px = pixel->y_px;
   watched->watch.sample = pixel->sample;
   look_steps_run(&steps, &stepped->op);
   watched->watch.draw = 0;
   return true;
}

static bool
watch_side(struct watched *watched, const struct replay_side *side,
           const struct replay_pixel *pixel, char *error, size_t error_B)
{
   struct replay_stepped stepped = { 0 };
   const bool ok = replay_step_to(&stepped, side, pixel, error, error_B) &&
                   run_watched(watched, &stepped, side, pixel, error, error_B);
   replay_step_end(&stepped);
   return ok;
}

/* ------------------------------------------------------------------ instructions */

static void
print_instruction(const struct replay_task *task, uint32_t pc, char *text, size_t size)
{
   cf_disassemble_instr(&task->program->instrs[pc], text, size);
}

static json_t *
instruction_json(const struct replay_task *task, const struct replay_step_difference *d)
{
   char text[128];
   json_t *json = json_object();
   print_instruction(task, d->pc, text, sizeof(text));
   set(json, "stage", json_string(task->vertices ? "vertex" : "fragment"));
   set(json, "program", json_string(task->program->name));
   set(json, "number", json_integer(d->pc));
   set(json, "text", json_string(text));
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
tell_tasks(const struct replay_task *a, const struct replay_task *b, json_t *difference)
{
   struct replay_step_difference d;
   char text[128], other[128] = "";
   if (!replay_tasks_differ(a, b, &d))
      return false;
   set(difference, "instruction", instruction_json(a, &d));
   print_instruction(a, d.pc, text, sizeof(text));
   if (d.pc < b->program->count)
      print_instruction(b, d.pc, other, sizeof(other));
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
tell_vertices(const struct watched watched[2], json_t *difference)
{
   const struct replay_watch *w[2] = { &watched[0].watch, &watched[1].watch };
   uint32_t i = 0, k = 0;
   for (;; i++, k++) {
      while (i < w[0]->tasks && !w[0]->task[i].vertices)
         i++;
      while (k < w[1]->tasks && !w[1]->task[k].vertices)
         k++;
      if (i >= w[0]->tasks || k >= w[1]->tasks)
         return false;
      if (tell_tasks(&w[0]->task[i], &w[1]->task[k], difference))
         return true;
   }
}

/* Whether the instruction is an input of the program that its primitive makes. */
static bool
is_input(const struct replay_task *task, const struct replay_step_difference *d)
{
   const enum cf_op op = task->program->instrs[d->pc].op;
   return !d->flow && (op == CF_OP_LDVAR || op == CF_OP_SYS);
}

/* The vertex programs make the difference, or what comes after them. */
static void
tell_before_fragments(const struct watched watched[2], json_t *difference)
{
   if (!tell_vertices(watched, difference))
      replay_note(difference,
                  "the vertex programs have equal results on both sides: what differs is "
                  "made by the set-up of the primitive or by state");
}

static bool
is_complete(const struct watched watched[2], json_t *difference)
{
   const bool complete = !watched[0].watch.incomplete && !watched[1].watch.incomplete;
   if (!complete)
      replay_note(difference, "the instruction is not known: the draw is too large to record");
   return complete;
}

/* Look for the instruction: in the fragment's program; if nothing differs there, or an input does,
 * in the vertices' before. */
static void
tell_instruction(const struct watched watched[2], uint32_t primitive, json_t *difference)
{
   const struct replay_task *a = replay_watch_fragment_task(&watched[0].watch, primitive),
                            *b = replay_watch_fragment_task(&watched[1].watch, primitive);
   struct replay_step_difference d;
   if (!is_complete(watched, difference))
      return;
   if (a)
      set(difference, "lane", json_integer(__builtin_ctz(a->lanes)));
   if (!a || !b || !replay_tasks_differ(a, b, &d)) {
      replay_note(difference,
                  "the fragment program has equal results on both sides, or was not run on one");
      tell_before_fragments(watched, difference);
      return;
   }
   if (is_input(a, &d) && tell_vertices(watched, difference))
      return;
   if (is_input(a, &d))
      tell_before_fragments(watched, difference);
   tell_tasks(a, b, difference);
}

/* ------------------------------------------------------------------ fragments */

static bool
is_same_fragment(const struct cf_fragment_event *a, const struct cf_fragment_event *b)
{
   return a->primitive == b->primitive && a->fate == b->fate &&
          !memcmp(&a->depth, &b->depth, sizeof(a->depth)) &&
          !memcmp(a->color, b->color, sizeof(a->color)) &&
          !memcmp(a->color_after, b->color_after, sizeof(a->color_after)) &&
          !memcmp(a->zs_after, b->zs_after, sizeof(a->zs_after));
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
tell_alone(const struct watched watched[2], const struct cf_fragment_event *e, uint32_t side,
           json_t *difference)
{
   static const char *const names[2] = { "a", "b" };
   json_t *fragment = json_object();
   set(fragment, names[side], fragment_json(e));
   set(difference, "primitive", json_integer(e->primitive));
   set(difference, "fragment", fragment);
   replay_note(difference, "primitive %" PRIu32 " has a fragment there on side %s alone",
               e->primitive, names[side]);
   const struct replay_task *task =
      replay_watch_fragment_task(&watched[side].watch, e->primitive);
   if (task)
      set(difference, "lane", json_integer(__builtin_ctz(task->lanes)));
   if (is_complete(watched, difference))
      tell_before_fragments(watched, difference);
}

static void
tell_both(const struct watched watched[2], const struct cf_fragment_event *a,
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
   tell_instruction(watched, a->primitive, difference);
}

/* Name the first fragments that differ. False: none do. */
static bool
tell_fragments(const struct watched watched[2], json_t *difference)
{
   const struct replay_watch *a = &watched[0].watch, *b = &watched[1].watch;
   uint32_t i = 0;
   while (i < a->fragments && i < b->fragments &&
          is_same_fragment(&a->fragment[i], &b->fragment[i]))
      i++;
   const bool has_a = i < a->fragments, has_b = i < b->fragments;
   if (has_a && has_b && a->fragment[i].primitive == b->fragment[i].primitive)
      tell_both(watched, &a->fragment[i], &b->fragment[i], difference);
   else if (has_a && (!has_b || a->fragment[i].primitive < b->fragment[i].primitive))
      tell_alone(watched, &a->fragment[i], 0, difference);
   else if (has_b)
      tell_alone(watched, &b->fragment[i], 1, difference);
   else
      return false;
   return true;
}

/* Both sides are equal when they are interpreted on the plain path: settings that must not matter
 * make the difference. */
static void
tell_settings(const struct replay_side side[2], const struct replay_pixel *pixel,
              const struct replay_watch *watch, json_t *difference)
{
   replay_note(difference,
               "interpreted on the plain path both sides have the same fragments there, so that "
               "engine, threads, host level or path make the difference");
   const char *why = replay_halve(side, pixel, watch, difference);
   if (why)
      replay_note(difference, "the primitive is not known: %s", why);
   replay_note(difference, "lane and instruction are not known; 'clipfree replay --verify' names "
                           "the instruction if it is compiled code's");
}

bool
replay_explain(const struct replay_side side[2], const struct replay_pixel *pixel,
               json_t *difference, char *error, size_t error_B)
{
   struct watched watched[2] = { { 0 }, { 0 } };
   const bool ok = watch_side(&watched[0], &side[0], pixel, error, error_B) &&
                   watch_side(&watched[1], &side[1], pixel, error, error_B);
   if (ok && !tell_fragments(watched, difference))
      tell_settings(side, pixel, &watched[0].watch, difference);
   for (uint32_t i = 0; i < 2; i++) {
      if (watched[i].player)
         look_player_close(watched[i].player);
      replay_watch_free(&watched[i].watch);
   }
   return ok;
}
