/* SPDX-License-Identifier: MIT */
#include "replay_settings.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "replay_packets.h"
#include "replay_trial.h"

static void
set(json_t *object, const char *name, json_t *value)
{
   json_object_set_new(object, name, value);
}

/* ------------------------------------------------------------------ which setting */

/* Settings that must not matter to a picture. */
enum setting { ENGINE, THREADS, HOST_LEVEL, PATH, VERTICES, SETTINGS };

/* Where what a setting makes is not seen by an observer, and why. */
static const struct {
   const char *name, *why;
} settings[SETTINGS] = {
   [ENGINE] = { "engine", "compiled code" },
   [THREADS] = { "threads", "what several threads do at once" },
   [HOST_LEVEL] = { "host-level", "vectors of the host beside its programs" },
   [PATH] = { "path", "shortcuts of the normal path: hierarchical Z, clears as tile states, tests "
                      "before programs" },
   [VERTICES] = { "vertices", "positions that are shaded before other outputs" },
};

/* Give a configuration another's setting. False: they have the same. */
static bool
take(struct cf_model_config *config, const struct cf_model_config *other, enum setting setting)
{
   const struct cf_model_config before = *config;
   switch (setting) {
   case ENGINE:
      config->engine = other->engine;
      return config->engine != before.engine;
   case THREADS:
      config->threads = other->threads;
      return config->threads != before.threads;
   case HOST_LEVEL:
      config->host_level = other->host_level;
      return config->host_level != before.host_level;
   case PATH:
      config->path = other->path;
      return config->path != before.path;
   case VERTICES:
      config->vertices = other->vertices;
      return config->vertices != before.vertices;
   case SETTINGS:
      break;
   }
   return false;
}

/* The pixel after the draw. False: out of memory. */
static bool
draw(const struct replay_side *side, const struct replay_pixel *pixel, uint32_t value[4])
{
   struct replay_trial trial;
   memset(value, 0, 4 * sizeof(*value));
   const bool ok = replay_trial_begin(&trial, side, pixel);
   if (ok)
      replay_trial_run(&trial, pixel, trial.draw.count, value);
   replay_trial_end(&trial);
   return ok;
}

/* The setting that, taken from side b alone, makes side a's pixel another; SETTINGS: none does. */
static enum setting
find_setting(const struct replay_side side[2], const struct replay_pixel *pixel)
{
   uint32_t value[2][4];
   if (!draw(&side[0], pixel, value[0]))
      return SETTINGS;
   for (enum setting setting = 0; setting < SETTINGS; setting++) {
      struct replay_side mixed = side[0];
      if (take(&mixed.config, &side[1].config, setting) && draw(&mixed, pixel, value[1]) &&
          memcmp(value[0], value[1], sizeof(value[0])) != 0)
         return setting;
   }
   return SETTINGS;
}

/* ------------------------------------------------------------------ which instruction */

/* The first difference that verification tells of while it is armed. */
struct told {
   bool armed, any;
   struct cf_verify_difference first;
   char program[64], text[128];
};

static void
note_told(void *user, const struct cf_verify_difference *difference)
{
   struct told *told = user;
   if (!told->armed || told->any)
      return;
   told->any = true;
   told->first = *difference;
   snprintf(told->program, sizeof(told->program), "%s", difference->program);
   snprintf(told->text, sizeof(told->text), "%s", difference->text);
}

/* Run the draw of a side in both engines, all its tasks compiled. False: it cannot be. */
static bool
verify(const struct replay_side *side, const struct replay_pixel *pixel, struct told *told)
{
   const struct cf_verify_report report = { .user = told, .differs = note_told };
   struct replay_side verified = *side;
   struct replay_stepped stepped = { 0 };
   char error[CF_CAPTURE_ERROR_B];
   verified.config.threads = 0;
   verified.config.engine = CF_ENGINE_JIT;
   verified.config.verify_engine = true;
   verified.config.verify_report = &report;
   const bool ok = replay_step_to(&stepped, &verified, pixel, error, sizeof(error));
   told->armed = true;
   if (ok)
      look_steps_run(&stepped.steps, &stepped.op);
   told->armed = false;
   replay_step_end(&stepped);
   return ok;
}

/* "pixel of target 0, lane 5: interpreted 0x41100000, compiled 0x40c00000" */
static void
print_value(char text[160], const struct cf_verify_value *value)
{
   snprintf(text, 160, "%s %u, lane %u: interpreted 0x%08" PRIx32 ", compiled 0x%08" PRIx32,
            value->what, value->index, value->lane, value->interpreted, value->compiled);
}

static void
describe_instruction(const struct told *told, bool a_compiles, json_t *difference)
{
   const struct cf_verify_difference *d = &told->first;
   json_t *json = json_object();
   char value[160];
   set(json, "stage", json_string(d->vertices ? "vertex" : "fragment"));
   set(json, "program", json_string(told->program));
   set(json, "number", json_integer(d->pc));
   set(json, "text", json_string(told->text));
   if (d->found == CF_VERIFY_RESULT) {
      const struct cf_verify_value *v = &d->value;
      set(json, "lane", json_integer(v->lane));
      set(json, "component", json_integer(v->index));
      set(json, "a", json_sprintf("0x%08" PRIx32, a_compiles ? v->compiled : v->interpreted));
      set(json, "b", json_sprintf("0x%08" PRIx32, a_compiles ? v->interpreted : v->compiled));
      set(difference, "lane", json_integer(v->lane));
      print_value(value, v);
   }
   replay_note(difference,
               "compiled code of the %s program %s differs first in instruction "
               "%" PRIu32 ": %s%s%s",
               d->vertices ? "vertex" : "fragment", told->program, d->pc, told->text,
               d->found == CF_VERIFY_RESULT ? ": " : ", after which it goes on differently",
               d->found == CF_VERIFY_RESULT ? value : "");
   set(difference, "instruction", json);
}

/* Where compiled code and the interpreter differ in the draw. */
static void
describe_told(const struct told *told, bool a_compiles, json_t *difference)
{
   const struct cf_verify_difference *d = &told->first;
   char value[160];
   if (!told->any) {
      replay_note(difference, "compiled programs have the interpreter's results in all tasks of "
                              "the draw: the difference arises outside of programs");
      return;
   }
   if (d->pc != UINT32_MAX && (d->found == CF_VERIFY_RESULT || d->found == CF_VERIFY_FLOW)) {
      describe_instruction(told, a_compiles, difference);
      return;
   }
   print_value(value, &d->task);
   set(difference, "lane", json_integer(d->task.lane));
   replay_note(difference,
               "all instructions of compiled program %s agree with the interpreter's when each is "
               "looked at, the task's results do not (%s): %sthe code is optimised wrongly",
               told->program, value, d->writes_pixels ? "it writes pixels wrongly, or " : "");
}

static void
describe_engine(const struct replay_side side[2], const struct replay_pixel *pixel,
                json_t *difference)
{
   const bool a_compiles = side[0].config.engine != CF_ENGINE_INTERP;
   struct told told = { .any = false };
   if (verify(&side[a_compiles ? 0 : 1], pixel, &told))
      describe_told(&told, a_compiles, difference);
   else
      replay_note(difference, "lane and instruction are not known: the code cannot be verified");
}

/* ------------------------------------------------------------------ all of it */

/* The lane of the pixel in the task that shades it on the plain path. */
static void
describe_lane(const struct replay_watch *watch, json_t *difference)
{
   const json_t *primitive = json_object_get(difference, "primitive");
   const struct replay_task *task =
      primitive ? replay_watch_fragment_task(watch, (uint32_t)json_integer_value(primitive)) : NULL;
   if (task)
      set(difference, "lane", json_integer(__builtin_ctz(task->lanes)));
}

void
replay_describe_settings(const struct replay_side side[2], const struct replay_pixel *pixel,
                         const struct replay_watch *watch, json_t *difference)
{
   const enum setting setting = find_setting(side, pixel);
   if (setting == SETTINGS) {
      replay_note(difference, "no setting alone makes the difference, or it is another one in each "
                              "run; lane and instruction are not known");
      return;
   }
   set(difference, "setting", json_string(settings[setting].name));
   replay_note(difference, "setting %s alone makes the difference", settings[setting].name);
   if (setting == ENGINE) {
      describe_engine(side, pixel, difference);
      return;
   }
   describe_lane(watch, difference);
   replay_note(difference,
               "instructions have equal results where they can be watched; the difference arises "
               "in %s",
               settings[setting].why);
}
