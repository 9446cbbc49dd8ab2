/* SPDX-License-Identifier: MIT */
#include "replay_record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "look/look_error.h"
#include "look/look_pixel.h"

#include "replay_stepped.h"

/* ------------------------------------------------------------------ making */

static bool
run_watched(struct replay_watch *watch, const struct replay_stepped *stepped,
            const struct replay_side *side, const struct replay_pixel *pixel, char *error,
            size_t error_B)
{
   const struct cf_observer observer = replay_watch_observer(watch);
   struct cf_model_config config = side->config;
   config.threads = 0;
   config.engine = CF_ENGINE_INTERP;
   config.path = CF_PATH_PLAIN;
   config.verify_engine = config.perf = false;
   config.observer = &observer;
   struct look_player *player = look_player_open(side->path, &config, error, error_B);
   if (!player)
      return false;
   const struct cf_bo from = look_player_memory(stepped->player), to = look_player_memory(player);
   memcpy(to.map, from.map, from.size_B);
   struct look_steps steps = stepped->steps;
   steps.player = player;
   steps.submission.dw =
      look_player_at(player, steps.submission.address, 4 * (uint64_t)steps.submission.dwords);
   watch->draw = steps.submission.address + 4 * (uint64_t)stepped->op.at_dw;
   watch->x_px = pixel->x_px;
   watch->y_px = pixel->y_px;
   watch->sample = pixel->sample;
   look_steps_run(&steps, &stepped->op);
   look_player_close(player);
   return true;
}

bool
replay_record_make(const struct replay_side *side, const struct replay_pixel *pixel,
                   struct replay_watch *watch, char *error, size_t error_B)
{
   struct replay_stepped stepped = { 0 };
   bool ok = replay_step_to(&stepped, side, pixel, error, error_B);
   if (ok && stepped.op.opcode != CF_OPCODE_DRAW)
      ok = look_fails(error, error_B, "operation %" PRIu32 " of %s is no draw", pixel->op,
                      side->path);
   ok = ok && run_watched(watch, &stepped, side, pixel, error, error_B);
   replay_step_end(&stepped);
   return ok;
}

/* ------------------------------------------------------------------ writing */

static void
set(json_t *object, const char *name, json_t *value)
{
   json_object_set_new(object, name, value);
}

static void
write_line(FILE *file, json_t *line)
{
   json_dumpf(line, file, JSON_COMPACT);
   fputc('\n', file);
   json_decref(line);
}

/* Dwords as hexadecimal digits, eight each. */
static json_t *
dwords_json(const void *data, uint32_t count)
{
   static const char digits[] = "0123456789abcdef";
   char *text = malloc(8 * (size_t)count + 1), *at = text;
   uint32_t dw;
   for (uint32_t i = 0; text && i < count; i++) {
      memcpy(&dw, (const uint8_t *)data + 4 * (size_t)i, 4);
      for (int shift = 28; shift >= 0; shift -= 4)
         *at++ = digits[dw >> shift & 15];
   }
   json_t *json = text ? json_stringn(text, 8 * (size_t)count) : json_null();
   free(text);
   return json;
}

static void
write_program(FILE *file, const struct replay_program *program)
{
   json_t *line = json_object(), *text = json_array(), *inputs = json_array();
   for (uint32_t i = 0; i < program->count; i++) {
      json_array_append_new(text, json_string(program->instruction[i].text));
      if (program->instruction[i].input)
         json_array_append_new(inputs, json_integer(i));
   }
   set(line, "program", json_string(program->name));
   set(line, "instructions", text);
   set(line, "inputs", inputs);
   write_line(file, line);
}

static uint32_t
number_of(const struct replay_watch *watch, const struct replay_program *program)
{
   uint32_t number = 0;
   while (watch->program[number] != program)
      number++;
   return number;
}

static void
write_task(FILE *file, const struct replay_watch *watch, const struct replay_task *task)
{
   json_t *line = json_object();
   set(line, "task", json_string(task->vertices ? "vertex" : "fragment"));
   set(line, "program", json_integer(number_of(watch, task->program)));
   set(line, "primitive", json_integer(task->primitive));
   set(line, "lanes", dwords_json(&task->lanes, 1));
   set(line, "elements", dwords_json(task->element, 32));
   set(line, "results", dwords_json(task->word, task->words));
   write_line(file, line);
}

/* Members of a fragment that are dwords, as they are in memory. */
static const struct member {
   const char *name;
   size_t offset_B, size_B;
} members[] = {
#define MEMBER(name)                                                                               \
   {                                                                                               \
#name, offsetof(struct cf_fragment_event, name),                                             \
         sizeof(((struct cf_fragment_event *)NULL)->name)                                          \
   }
   MEMBER(depth),       MEMBER(color),     MEMBER(color_before),
   MEMBER(color_after), MEMBER(zs_before), MEMBER(zs_after),
#undef MEMBER
};
#define MEMBERS (sizeof(members) / sizeof(members[0]))

static void
write_fragment(FILE *file, const struct cf_fragment_event *e)
{
   json_t *line = json_object();
   set(line, "fragment", json_integer(e->primitive));
   set(line, "fate", json_string(cf_fate_name(e->fate)));
   for (uint32_t i = 0; i < MEMBERS; i++)
      set(line, members[i].name,
          dwords_json((const uint8_t *)e + members[i].offset_B, (uint32_t)members[i].size_B / 4));
   write_line(file, line);
}

void
replay_record_write(const struct replay_watch *watch, FILE *file)
{
   for (uint32_t i = 0; i < watch->programs; i++)
      write_program(file, watch->program[i]);
   for (uint32_t i = 0; i < watch->tasks; i++)
      write_task(file, watch, &watch->task[i]);
   for (uint32_t i = 0; i < watch->fragments; i++)
      write_fragment(file, &watch->fragment[i]);
   write_line(file, json_pack("{s:b}", "complete", !watch->incomplete));
}

/* ------------------------------------------------------------------ reading */

static uint32_t
digit_of(char c)
{
   if (c >= '0' && c <= '9')
      return (uint32_t)(c - '0');
   return c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10 : 16;
}

/* The dwords of a member. False: it has another number of them. */
static bool
read_dwords(const json_t *line, const char *name, void *data, uint32_t count)
{
   const char *text = look_text(line, name);
   for (uint32_t i = 0; i < count; i++) {
      uint32_t dw = 0;
      for (uint32_t k = 0; k < 8; k++, text++) {
         if (digit_of(*text) > 15) /* also its end */
            return false;
         dw = dw << 4 | digit_of(*text);
      }
      memcpy((uint8_t *)data + 4 * (size_t)i, &dw, 4);
   }
   return *text == 0;
}

static bool
read_program(struct replay_watch *watch, const json_t *line)
{
   const json_t *text = json_object_get(line, "instructions"), *entry;
   size_t i;
   struct replay_program *program =
      replay_watch_add_program(watch, look_text(line, "program"), (uint32_t)json_array_size(text));
   if (!program)
      return false;
   json_array_foreach(text, i, entry)
      snprintf(program->instruction[i].text, sizeof(program->instruction[i].text), "%s",
               json_is_string(entry) ? json_string_value(entry) : "");
   json_array_foreach(json_object_get(line, "inputs"), i, entry)
   {
      if (json_integer_value(entry) < 0 || json_integer_value(entry) >= program->count)
         return false;
      program->instruction[json_integer_value(entry)].input = true;
   }
   return true;
}

/* Whether the results are whole entries, of instructions that the program has. */
static bool
is_whole(const struct replay_task *task)
{
   uint32_t at = 0;
   while (at + 3 <= task->words && task->word[at] < task->program->count) {
      const int lanes = __builtin_popcount(task->word[at + 1]),
                rows = __builtin_popcount(task->word[at + 2]);
      at += 3 + (uint32_t)(lanes * rows);
   }
   return at == task->words;
}

static bool
read_task(struct replay_watch *watch, const json_t *line)
{
   const long long program = look_number(line, "program");
   struct replay_task *task = replay_watch_add_task(watch);
   if (!task || program < 0 || program >= watch->programs)
      return false;
   task->program = watch->program[program];
   task->vertices = !strcmp(look_text(line, "task"), "vertex");
   task->primitive = (uint32_t)look_number(line, "primitive");
   task->words = task->capacity = (uint32_t)strlen(look_text(line, "results")) / 8;
   task->word = malloc(4 * (size_t)task->words + 1);
   return task->word && read_dwords(line, "lanes", &task->lanes, 1) && task->lanes &&
          read_dwords(line, "elements", task->element, 32) &&
          read_dwords(line, "results", task->word, task->words) && is_whole(task);
}

static bool
read_fragment(struct replay_watch *watch, const json_t *line)
{
   struct cf_fragment_event *e = replay_watch_add_fragment(watch);
   uint32_t fate = 0;
   while (fate < CF_FATES && strcmp(cf_fate_name((enum cf_fate)fate), look_text(line, "fate")) != 0)
      fate++;
   if (!e || fate == CF_FATES)
      return false;
   e->primitive = (uint32_t)look_number(line, "fragment");
   e->fate = (enum cf_fate)fate;
   for (uint32_t i = 0; i < MEMBERS; i++) {
      if (!read_dwords(line, members[i].name, (uint8_t *)e + members[i].offset_B,
                       (uint32_t)members[i].size_B / 4))
         return false;
   }
   return true;
}

/* Read a record. False: it is malformed, or ends early. */
static bool
read_record(struct replay_watch *watch, FILE *file)
{
   bool ok = true, ended = false;
   while (ok && !ended) {
      json_t *line = json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL);
      const json_t *complete = json_object_get(line, "complete");
      ended = complete != NULL;
      if (ended)
         watch->incomplete = !json_is_true(complete);
      else if (json_object_get(line, "fragment"))
         ok = read_fragment(watch, line);
      else
         ok = line && (json_object_get(line, "task") ? read_task : read_program)(watch, line);
      json_decref(line);
   }
   return ok;
}

bool
replay_record_fetch(const struct replay_side *side, const struct replay_build *build,
                    const struct replay_pixel *pixel, struct replay_watch *watch, char *error,
                    size_t error_B)
{
   char place[32], operation[16], sample[16];
   struct replay_process process;
   snprintf(place, sizeof(place), "%" PRIu32 ",%" PRIu32, pixel->x_px, pixel->y_px);
   snprintf(operation, sizeof(operation), "%" PRIu32, pixel->op);
   snprintf(sample, sizeof(sample), "%" PRIu32, pixel->sample);
   const char *const words[] = { "--record", place,  "--operation", operation,
                                 "--sample", sample, NULL };
   if (!replay_process_start(&process, build, words, side->path, error, error_B))
      return false;
   const bool whole = read_record(watch, process.output);
   if (!replay_process_finish(&process, error, error_B))
      return false;
   return whole || look_fails(error, error_B, "its --record prints what this build cannot read");
}
