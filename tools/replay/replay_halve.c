/* SPDX-License-Identifier: MIT */
#include "replay_halve.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "look/look_assembly.h"
#include "look/look_pixel.h"

#include "replay_packets.h"
#include "replay_trial.h"

/* Whether the sides have other pixels after the draw's elements up to a primitive's. */
static bool
differs(struct replay_trial trial[2], const struct replay_pixel *pixel, uint32_t elements,
        uint32_t value[2][4])
{
   for (uint32_t i = 0; i < 2; i++)
      replay_trial_run(&trial[i], pixel, elements, value[i]);
   return memcmp(value[0], value[1], sizeof(value[0])) != 0;
}

static void
describe_primitive(uint32_t primitive, enum cf_format format, uint32_t value[2][4],
                   json_t *difference)
{
   char *text[2];
   for (uint32_t i = 0; i < 2; i++) {
      json_t *json = look_pixel_json(format, value[i]);
      text[i] = json_dumps(json, JSON_REAL_PRECISION(9));
      json_decref(json);
   }
   json_object_set_new(difference, "primitive", json_integer(primitive));
   replay_note(difference,
               "drawn up to primitive %" PRIu32 ", the sides differ first there: a %s; b %s",
               primitive, text[0] ? text[0] : "", text[1] ? text[1] : "");
   free(text[0]);
   free(text[1]);
}

/* Halve the fragments. The sides differ after all of them. */
static const char *
halve(struct replay_trial trial[2], const struct look_assembly *assembly,
      const struct replay_pixel *pixel, const struct replay_watch *watch, json_t *difference)
{
   uint32_t low = 0, high = watch->fragments - 1, value[2][4];
   while (low < high) {
      const uint32_t middle = (low + high) / 2;
      const uint32_t elements = look_assembly_up_to(assembly, watch->fragment[middle].primitive);
      if (differs(trial, pixel, elements, value))
         high = middle;
      else
         low = middle + 1;
   }
   const uint32_t primitive = watch->fragment[high].primitive;
   if (!differs(trial, pixel, look_assembly_up_to(assembly, primitive), value))
      return "it differs from run to run, or by the number of primitives";
   describe_primitive(primitive, trial[0].surface.format, value, difference);
   return NULL;
}

const char *
replay_halve(const struct replay_side side[2], const struct replay_pixel *pixel,
             const struct replay_watch *watch, json_t *difference)
{
   struct replay_trial trial[2];
   struct look_assembly assembly = { 0 };
   const char *why = NULL;
   const bool begun[2] = { replay_trial_begin(&trial[0], &side[0], pixel),
                           replay_trial_begin(&trial[1], &side[1], pixel) };
   if (!begun[0] || !begun[1] ||
       !look_assembly_begin(&assembly, &trial[0].draw, trial[0].stepped.player))
      why = "out of memory";
   else if (watch->fragments == 0)
      why = "no primitive has a fragment there";
   else if (trial[0].draw.instances != 1 || trial[0].draw.prim == CF_PRIM_KIND_LINE_LOOP)
      why = "draws of several instances, and line loops, cannot be drawn in part";
   else
      why = halve(trial, &assembly, pixel, watch, difference);
   replay_trial_end(&trial[0]);
   replay_trial_end(&trial[1]);
   look_assembly_end(&assembly);
   return why;
}
