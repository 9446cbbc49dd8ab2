/* SPDX-License-Identifier: MIT */
#include "look_assembly.h"

#include <stdlib.h>
#include <string.h>

#include "clipfree/primitive/cf_primitive.h"

/* The elements of primitive `p` of a run of `count` elements, counted from its first. */
static uint32_t
elements_of(enum cf_prim_kind prim, uint32_t count, uint32_t p, uint32_t element[LOOK_MAX_VERTICES])
{
   const uint32_t q = p / 2;
   switch (prim) {
   case CF_PRIM_KIND_POINTS:
      element[0] = p;
      return 1;
   case CF_PRIM_KIND_LINES:
      element[0] = 2 * p;
      element[1] = 2 * p + 1;
      return 2;
   case CF_PRIM_KIND_LINE_STRIP:
      element[0] = p;
      element[1] = p + 1;
      return 2;
   case CF_PRIM_KIND_LINE_LOOP:
      element[0] = p;
      element[1] = (p + 1) % count;
      return 2;
   case CF_PRIM_KIND_TRIANGLES:
      for (uint32_t i = 0; i < 3; i++)
         element[i] = 3 * p + i;
      return 3;
   case CF_PRIM_KIND_TRIANGLE_STRIP:
      for (uint32_t i = 0; i < 3; i++)
         element[i] = p + i;
      return 3;
   case CF_PRIM_KIND_TRIANGLE_FAN:
   case CF_PRIM_KIND_POLYGON:
      element[0] = 0;
      element[1] = p + 1;
      element[2] = p + 2;
      return 3;
   case CF_PRIM_KIND_QUADS:
      for (uint32_t i = 0; i < 4; i++)
         element[i] = 4 * q + i;
      return 4;
   case CF_PRIM_KIND_QUAD_STRIP:
      for (uint32_t i = 0; i < 4; i++)
         element[i] = 2 * q + i;
      return 4;
   case CF_PRIM_KIND_LINES_ADJACENCY:
   case CF_PRIM_KIND_LINE_STRIP_ADJACENCY:
   case CF_PRIM_KIND_TRIANGLES_ADJACENCY:
   case CF_PRIM_KIND_TRIANGLE_STRIP_ADJACENCY:
      return cf_assemble_vertices(&(struct cf_primitive_config){ 0 }, prim, count, p, element);
   }
   return 0;
}

/* Room for one more run, which begins where the last one ends. False: out of memory. */
static bool
add_run(struct look_assembly *a, uint32_t first, uint32_t count)
{
   if (a->runs == a->capacity) {
      const uint32_t capacity = 2 * a->capacity + 16;
      struct look_run *grown = realloc(a->run, capacity * sizeof(*grown));
      if (!grown)
         return false;
      a->run = grown;
      a->capacity = capacity;
   }
   a->run[a->runs++] = (struct look_run){ first, count, a->primitives };
   a->primitives += cf_assemble_count(a->draw.prim, count);
   return true;
}

static uint32_t
index_at(const struct cf_draw *draw, const uint8_t *indices, uint32_t element)
{
   uint32_t index = 0;
   memcpy(&index, indices + (size_t)element * draw->index_size_B, draw->index_size_B);
   return index;
}

bool
look_assembly_begin(struct look_assembly *assembly, const struct cf_draw *draw,
                   const struct look_player *player)
{
   const uint64_t start_B = (uint64_t)draw->start * draw->index_size_B,
                  size_B = (uint64_t)draw->count * draw->index_size_B;
   const uint8_t *indices =
      draw->restart ? look_player_at(player, draw->index_address + start_B, size_B) : NULL;
   uint32_t first = 0;
   *assembly = (struct look_assembly){ .draw = *draw };
   for (uint32_t i = 0; indices && i < draw->count; i++) {
      if (index_at(draw, indices, i) != draw->restart_index)
         continue;
      if (!add_run(assembly, first, i - first))
         return false;
      first = i + 1;
   }
   return add_run(assembly, first, draw->count - first);
}

void
look_assembly_end(struct look_assembly *assembly)
{
   free(assembly->run);
}

/* The run of primitive `p` of an instance: the last that begins at or before it. */
static const struct look_run *
run_of(const struct look_assembly *assembly, uint32_t p)
{
   uint32_t low = 0, high = assembly->runs - 1;
   while (low < high) {
      const uint32_t middle = (low + high + 1) / 2;
      if (assembly->run[middle].primitive <= p)
         low = middle;
      else
         high = middle - 1;
   }
   return &assembly->run[low];
}

uint32_t
look_assembly_elements(const struct look_assembly *assembly, uint32_t primitive,
                       uint32_t element[LOOK_MAX_VERTICES])
{
   if (!assembly->primitives)
      return 0;
   const uint32_t p = primitive % assembly->primitives;
   const struct look_run *run = run_of(assembly, p);
   const uint32_t count = elements_of(assembly->draw.prim, run->count, p - run->primitive, element);
   for (uint32_t i = 0; i < count; i++)
      element[i] += run->first;
   return count;
}

uint32_t
look_assembly_up_to(const struct look_assembly *assembly, uint32_t primitive)
{
   const enum cf_prim_kind prim = assembly->draw.prim;
   uint32_t element[LOOK_MAX_INPUTS], end = 0;
   if (!assembly->primitives)
      return 0;
   const uint32_t p = primitive % assembly->primitives;
   const struct look_run *run = run_of(assembly, p);
   const uint32_t count = prim >= CF_PRIM_KIND_LINES_ADJACENCY
                             ? cf_assemble_inputs(prim, run->count, p - run->primitive, element)
                             : elements_of(prim, run->count, p - run->primitive, element);
   for (uint32_t i = 0; i < count; i++)
      end = element[i] >= end ? element[i] + 1 : end;
   return run->first + end;
}
