/* SPDX-License-Identifier: MIT */
/*
 * The pass over primitives of draws: instances, then the first and the last primitives, then of
 * lists with indices any of them.
 */
#include <stdlib.h>
#include <string.h>

#include "reduce_pass.h"

#define MOST_PRIMITIVES (1u << 16) /* of which single ones are left out of lists with indices */

struct packet_place {
   uint32_t submission, packet;
};

static bool
draw_at(const struct reduce_case *c, const struct packet_place *place, struct cf_draw *draw)
{
   const char *bad_field;
   return cf_draw_unpack(c->submission[place->submission].packet[place->packet].dw, draw,
                         &bad_field);
}

static bool
try_draw(struct reduce_trial *trial, const struct packet_place *place, const struct cf_draw *draw)
{
   struct reduce_case *candidate = reduce_case_copy(trial->best);
   cf_draw_pack(candidate->submission[place->submission].packet[place->packet].dw, draw);
   return reduce_try(trial, candidate);
}

/* Vertices that a list has for each primitive; 0: it is none. */
static uint32_t
list_vertices(enum cf_prim_kind kind)
{
   switch (kind) {
   case CF_PRIM_KIND_POINTS:
      return 1;
   case CF_PRIM_KIND_LINES:
      return 2;
   case CF_PRIM_KIND_TRIANGLES:
      return 3;
   case CF_PRIM_KIND_QUADS:
      return 4;
   default:
      return 0;
   }
}

/* By how many vertices a draw may begin later: strips keep which way round their triangles go. 0:
 * the first vertex matters to all primitives. */
static uint32_t
first_step(enum cf_prim_kind kind)
{
   switch (kind) {
   case CF_PRIM_KIND_LINE_STRIP:
      return 1;
   case CF_PRIM_KIND_TRIANGLE_STRIP:
   case CF_PRIM_KIND_QUAD_STRIP:
      return 2;
   default:
      return list_vertices(kind);
   }
}

/* Leave out `vertices` at the end, or at the beginning, of the draw. */
static bool
try_without(struct reduce_trial *trial, const struct packet_place *place, uint32_t vertices,
            bool at_end)
{
   struct cf_draw draw;
   if (!draw_at(trial->best, place, &draw) || vertices == 0 || draw.count <= vertices)
      return false;
   draw.count -= vertices;
   draw.start += at_end ? 0 : vertices;
   return try_draw(trial, place, &draw);
}

/* Halve the draw from both ends as long as it holds. */
static bool
shrink_range(struct reduce_trial *trial, const struct packet_place *place)
{
   struct cf_draw draw;
   bool changed = false;
   if (!draw_at(trial->best, place, &draw))
      return false;
   const uint32_t list = list_vertices(draw.prim), step = first_step(draw.prim);
   const uint32_t unit = list ? list : step ? step : 1;
   for (uint32_t run = draw.count / unit; run > 0 && !trial->stopped; run /= 2) {
      while (try_without(trial, place, run * unit, true) ||
             (step && try_without(trial, place, run * unit, false)))
         changed = true;
   }
   return changed;
}

static bool
shrink_instances(struct reduce_trial *trial, const struct packet_place *place)
{
   struct cf_draw draw;
   if (!draw_at(trial->best, place, &draw) || draw.instances <= 1)
      return false;
   for (uint32_t instances = 1; instances < draw.instances; instances *= 2) {
      struct cf_draw fewer = draw;
      fewer.instances = instances;
      if (try_draw(trial, place, &fewer))
         return true;
   }
   return false;
}

/* ------------------------------------------------------------------ lists with indices */

struct listed {
   struct packet_place place;
   struct cf_draw draw;
   uint32_t primitive_B, primitives;
   uint8_t *indices;
};

/* Move the indices of primitives that are kept to the front. */
static void
apply_listed(struct reduce_case *candidate, const bool *keep, void *user)
{
   const struct listed *l = user;
   const uint64_t size_B = (uint64_t)l->primitives * l->primitive_B;
   uint8_t *indices = reduce_allocate(size_B);
   struct cf_draw draw = l->draw;
   uint32_t kept = 0;
   for (uint32_t i = 0; i < l->primitives; i++) {
      if (keep[i])
         memcpy(indices + (uint64_t)kept++ * l->primitive_B,
                l->indices + (uint64_t)i * l->primitive_B, l->primitive_B);
   }
   draw.count = kept * list_vertices(draw.prim);
   reduce_case_write(candidate, l->place.submission,
                     draw.index_address + (uint64_t)draw.start * draw.index_size_B, indices,
                     size_B);
   cf_draw_pack(candidate->submission[l->place.submission].packet[l->place.packet].dw, &draw);
   free(indices);
}

static bool
shrink_list(struct reduce_trial *trial, const struct packet_place *place)
{
   struct listed l = { .place = *place };
   if (!draw_at(trial->best, place, &l.draw) || !l.draw.index_size_B ||
       !list_vertices(l.draw.prim) || l.draw.restart)
      return false;
   l.primitive_B = list_vertices(l.draw.prim) * l.draw.index_size_B;
   l.primitives = l.draw.count / list_vertices(l.draw.prim);
   if (l.primitives < 2 || l.primitives > MOST_PRIMITIVES)
      return false;
   l.indices = reduce_allocate((uint64_t)l.primitives * l.primitive_B);
   const bool read =
      reduce_case_read(trial->best, place->submission,
                       l.draw.index_address + (uint64_t)l.draw.start * l.draw.index_size_B,
                       l.indices, (uint64_t)l.primitives * l.primitive_B);
   const struct reduce_pass pass = {
      .step = "primitives", .count = l.primitives, .least = 1, .apply = apply_listed, .user = &l
   };
   const bool changed = read && reduce_pass_run(trial, &pass);
   free(l.indices);
   return changed;
}

bool
reduce_primitives(struct reduce_trial *trial)
{
   bool changed = false;
   reduce_trial_step(trial, "primitives");
   for (uint32_t s = 0; s < trial->best->submissions; s++) {
      for (uint32_t i = 0; i < trial->best->submission[s].packets && !trial->stopped; i++) {
         const struct packet_place place = { s, i };
         if (reduce_opcode(&trial->best->submission[s].packet[i]) != CF_OPCODE_DRAW)
            continue;
         changed |= shrink_instances(trial, &place);
         changed |= shrink_range(trial, &place);
         changed |= shrink_list(trial, &place);
      }
   }
   return changed;
}
