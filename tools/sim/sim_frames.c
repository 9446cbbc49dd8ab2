/* SPDX-License-Identifier: MIT */
#include "sim_frames.h"

#include <stdlib.h>

#include "sim_json.h"
#include "sim_run.h"

/* ------------------------------------------------------------------ what a frame has */

static void
add(json_t *frame, const char *name, uint64_t count)
{
   const json_int_t so_far = json_integer_value(json_object_get(frame, name));
   json_object_set_new(frame, name, json_integer(so_far + (json_int_t)count));
}

void
sim_frames_add(struct sim_frames *frames, const struct cf_sim_features *features)
{
   if (!frames->found)
      frames->found = json_array();
   if (features->frame == CF_SIM_NONE)
      return;
   json_t *last = json_array_get(frames->found, json_array_size(frames->found) - 1);
   if (!last || json_integer_value(json_object_get(last, "frame")) != features->frame) {
      last = json_pack("{s: I}", "frame", (json_int_t)features->frame);
      json_array_append_new(frames->found, last);
   }
   for (uint32_t i = 0; i < CF_SIM_FEATURES; i++)
      add(last, cf_sim_feature_name((enum cf_sim_feature)i), features->count[i]);
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

bool
sim_frames_wants(const struct sim_frames *frames, uint32_t number)
{
   return !frames->chosen ||
          bsearch(&number, frames->only, frames->count, sizeof(number), compare_frames);
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
   if (!frames->chosen)
      return true;
   if (frames->running && frames->at != number)
      note_counters(run);
   frames->running = sim_frames_wants(frames, number);
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
