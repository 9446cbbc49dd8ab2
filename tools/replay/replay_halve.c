/* SPDX-License-Identifier: MIT */
#include "replay_halve.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "look/look_assembly.h"
#include "look/look_pixel.h"

#include "replay_packets.h"
#include "replay_stepped.h"

/* A side before the draw, which is run again and again. */
struct halving {
   struct replay_stepped stepped;
   void *before; /* memory */
   struct cf_draw draw;
   struct look_assembly assembly;
   struct cf_surface surface; /* that has the pixel */
};

static bool
begin_trial(struct halving *t, const struct replay_side *side, const struct replay_pixel *pixel)
{
   char error[CF_CAPTURE_ERROR_B];
   const char *bad_field;
   struct look_op_image *image = NULL;
   if (!replay_step_to(&t->stepped, side, pixel, error, sizeof(error)) ||
       !cf_draw_unpack(t->stepped.op.packet, &t->draw, &bad_field) ||
       !look_assembly_begin(&t->assembly, &t->draw, t->stepped.player))
      return false;
   struct look_written written =
      look_op_written(t->stepped.player, &t->stepped.state, &t->stepped.op);
   for (uint32_t i = 0; i < written.images; i++)
      image = written.image[i].target == pixel->target ? &written.image[i] : image;
   const struct cf_bo memory = look_player_memory(t->stepped.player);
   t->before = image ? malloc(memory.size_B) : NULL;
   if (!t->before)
      return false;
   t->surface = image->surface;
   memcpy(t->before, memory.map, memory.size_B);
   return true;
}

static void
end_trial(struct halving *t)
{
   replay_step_end(&t->stepped);
   look_assembly_end(&t->assembly);
   free(t->before);
}

/* The draw's elements up to those of a primitive. */
static uint32_t
elements_up_to(const struct halving *t, uint32_t primitive)
{
   uint32_t element[LOOK_MAX_VERTICES], end = 0;
   const uint32_t count = look_assembly_elements(&t->assembly, primitive, element);
   for (uint32_t i = 0; i < count; i++)
      end = element[i] >= end ? element[i] + 1 : end;
   return end;
}

/* Draw this many elements from the memory before, and read the pixel. */
static void
draw_part(struct halving *t, const struct replay_pixel *pixel, uint32_t elements, uint32_t value[4])
{
   const struct cf_bo memory = look_player_memory(t->stepped.player);
   uint32_t *packet = t->stepped.steps.packets + t->stepped.op.at_dw;
   struct cf_draw part = t->draw;
   part.count = elements;
   memcpy(memory.map, t->before, memory.size_B);
   cf_draw_pack(packet, &part);
   look_steps_run(&t->stepped.steps, &t->stepped.op);
   cf_draw_pack(packet, &t->draw);
   look_pixel_read(t->stepped.player, &t->surface, pixel->x_px, pixel->y_px, pixel->sample, value);
}

/* Whether the sides have other pixels after the draw's elements up to a primitive's. */
static bool
differs(struct halving trial[2], const struct replay_pixel *pixel, uint32_t elements,
        uint32_t value[2][4])
{
   for (uint32_t i = 0; i < 2; i++)
      draw_part(&trial[i], pixel, elements, value[i]);
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
halve(struct halving trial[2], const struct replay_pixel *pixel, const struct replay_watch *watch,
      json_t *difference)
{
   uint32_t low = 0, high = watch->fragments - 1, value[2][4];
   while (low < high) {
      const uint32_t middle = (low + high) / 2;
      const uint32_t elements = elements_up_to(&trial[0], watch->fragment[middle].primitive);
      if (differs(trial, pixel, elements, value))
         high = middle;
      else
         low = middle + 1;
   }
   const uint32_t primitive = watch->fragment[high].primitive;
   if (!differs(trial, pixel, elements_up_to(&trial[0], primitive), value))
      return "it differs from run to run, or by the number of primitives";
   describe_primitive(primitive, trial[0].surface.format, value, difference);
   return NULL;
}

const char *
replay_halve(const struct replay_side side[2], const struct replay_pixel *pixel,
             const struct replay_watch *watch, json_t *difference)
{
   struct halving trial[2] = { { .before = NULL }, { .before = NULL } };
   const char *why = NULL;
   const bool ok =
      begin_trial(&trial[0], &side[0], pixel) && begin_trial(&trial[1], &side[1], pixel);
   if (!ok)
      why = "out of memory";
   else if (watch->fragments == 0)
      why = "no primitive has a fragment there";
   else if (trial[0].draw.instances != 1 || trial[0].draw.prim == CF_PRIM_KIND_LINE_LOOP)
      why = "draws of several instances, and line loops, cannot be drawn in part";
   else
      why = halve(trial, pixel, watch, difference);
   end_trial(&trial[0]);
   end_trial(&trial[1]);
   return why;
}
