/* SPDX-License-Identifier: MIT */
#include "sim_frames.h"

#include <stdlib.h>

#include "sim_json.h"
#include "sim_run.h"

/* ------------------------------------------------------------------ what a frame has */

/* Each costs a look at the heads of records, not at what they hold. Names that are those of
 * counters count the same (sample.py relies on it); records are counted as the recorder cut them.
 */
struct features {
   uint64_t draws, clears, vertices, primitives, set_up, tasks, quads, samples, early;
};

static void
count_records(struct features *f, const struct cf_sim_tile *tile)
{
   for (size_t i = 0; i < tile->count; i += cf_sim_dwords(tile->dw[i])) {
      const enum cf_sim_record kind = cf_sim_kind(tile->dw[i]);
      f->tasks += kind == CF_SIM_TASK;
      f->quads += kind == CF_SIM_TASK ? tile->dw[i] >> 16 & 15 : 0;
      f->samples += kind == CF_SIM_SAMPLE || kind == CF_SIM_TEXEL;
      f->early += kind == CF_SIM_EARLY_TEST;
   }
}

static struct features
features_of(const struct cf_sim_chunk *chunk)
{
   struct features f = { .vertices = chunk->vertices, .primitives = chunk->primitives };
   for (size_t i = 0; i < chunk->ops; i++) {
      f.clears += (chunk->op[i].flags & CF_SIM_CLEAR) != 0;
      f.draws += (chunk->op[i].flags & CF_SIM_CLEAR) == 0;
   }
   for (size_t i = 0; i < chunk->primitives; i++)
      f.set_up += chunk->primitive[i].set_up;
   for (size_t i = 0; i < CF_SIM_TILES; i++)
      count_records(&f, &chunk->tile[i]);
   return f;
}

static void
add(json_t *frame, const char *name, uint64_t count)
{
   const json_int_t so_far = json_integer_value(json_object_get(frame, name));
   json_object_set_new(frame, name, json_integer(so_far + (json_int_t)count));
}

/* A frame may have several chunks, which come together. */
static void
add_features(struct sim_frames *frames, const struct cf_sim_chunk *chunk)
{
   const struct features f = features_of(chunk);
   const uint32_t number = chunk->op[0].frame;
   if (!frames->found)
      frames->found = json_array();
   json_t *last = json_array_get(frames->found, json_array_size(frames->found) - 1);
   if (!last || json_integer_value(json_object_get(last, "frame")) != number) {
      last = json_pack("{s: I}", "frame", (json_int_t)number);
      json_array_append_new(frames->found, last);
   }
   add(last, "draws", f.draws);
   add(last, "clears", f.clears);
   add(last, "vertices", f.vertices);
   add(last, "primitives", f.primitives);
   add(last, "primitives_set_up", f.set_up);
   add(last, "task_records", f.tasks);
   add(last, "quads", f.quads);
   add(last, "sample_records", f.samples);
   add(last, "early_records", f.early);
}

/* ------------------------------------------------------------------ frames that run */

bool
sim_frames_parse(struct sim_frames *frames, const char *text)
{
   size_t most = 1;
   for (const char *c = text; *c; c++)
      most += *c == ',';
   free(frames->only);
   frames->chosen = true;
   frames->count = 0;
   frames->only = calloc(most, sizeof(frames->only[0]));
   for (const char *c = text; frames->only; c++) {
      char *end;
      const unsigned long number = *c >= '0' && *c <= '9' ? strtoul(c, &end, 10) : CF_SIM_NONE;
      if (number >= CF_SIM_NONE || (*end && *end != ',') ||
          (frames->count && number <= frames->only[frames->count - 1]))
         return false;
      frames->only[frames->count++] = (uint32_t)number;
      c = end;
      if (!*c)
         return true;
   }
   return false;
}

static int
compare_frames(const void *a, const void *b)
{
   const uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
   return (one > other) - (one < other);
}

static void
note_counters(struct sim_run *run)
{
   struct sim_frames *frames = &run->frames;
   json_t *machines = json_array();
   for (size_t i = 0; i < run->machines; i++)
      json_array_append_new(machines, sim_json_counters(&run->machine[i], false, run->timed));
   if (!frames->ran)
      frames->ran = json_array();
   json_array_append_new(frames->ran, json_pack("{s: I, s: o}", "frame", (json_int_t)frames->at,
                                                "machines", machines));
   frames->running = false;
}

bool
sim_frames_chunk(struct sim_run *run, const struct cf_sim_chunk *chunk)
{
   struct sim_frames *frames = &run->frames;
   if (chunk->ops == 0)
      return true; /* of no frame */
   const uint32_t number = chunk->op[0].frame;
   if (frames->features)
      add_features(frames, chunk);
   if (!frames->chosen)
      return true;
   if (frames->running && frames->at != number)
      note_counters(run);
   frames->running = bsearch(&number, frames->only, frames->count, sizeof(number), compare_frames);
   frames->at = number;
   return frames->running;
}

void
sim_frames_end(struct sim_run *run)
{
   if (run->frames.running)
      note_counters(run);
}

void
sim_frames_free(struct sim_frames *frames)
{
   json_decref(frames->found);
   json_decref(frames->ran);
   free(frames->only);
}
