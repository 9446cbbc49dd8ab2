/* SPDX-License-Identifier: MIT */
#include "clipfree/timing/cf_sim_trace.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_TILE_DW 4096

bool
cf_sim_chunk_init(struct cf_sim_chunk *chunk)
{
   *chunk = (struct cf_sim_chunk){ .tile = calloc(CF_SIM_TILES, sizeof(chunk->tile[0])) };
   return chunk->tile != NULL;
}

/* Leave an array if it lies in another's memory. */
static void *
own(void *array, size_t room)
{
   return room ? array : NULL;
}

void
cf_sim_chunk_free(struct cf_sim_chunk *chunk)
{
   cf_sim_chunk_clear(chunk);
   for (size_t i = 0; i < chunk->tiles; i++)
      free(chunk->tile[i].dw);
   free(chunk->tile);
   free(chunk->op);
   free(chunk->texture);
   free(chunk->vertex);
   free(chunk->vertex_texel);
   free(chunk->vertex_step);
   free(chunk->program);
   free(chunk->code);
   free(chunk->primitive);
   *chunk = (struct cf_sim_chunk){ 0 };
}

void
cf_sim_chunk_clear(struct cf_sim_chunk *chunk)
{
   chunk->ops = chunk->vertices = chunk->vertex_texels = chunk->vertex_steps = chunk->primitives =
      0;
   chunk->vertex = own(chunk->vertex, chunk->vertex_room);
   chunk->vertex_texel = own(chunk->vertex_texel, chunk->vertex_texel_room);
   chunk->vertex_step = own(chunk->vertex_step, chunk->vertex_step_room);
   chunk->primitive = own(chunk->primitive, chunk->primitive_room);
   for (size_t i = 0; i < chunk->tiles; i++) {
      struct cf_sim_tile *tile = &chunk->tile[i];
      tile->dw = own(tile->dw, tile->capacity);
      tile->count = 0;
   }
}

void *
cf_sim_grow(void *array, size_t used, size_t count, size_t *room, size_t item_B)
{
   if (count <= *room - used)
      return array;
   const size_t wanted = used + count < 2 * *room ? 2 * *room : used + count + 16;
   void *grown = realloc(array, wanted * item_B);
   if (grown)
      *room = wanted;
   return grown;
}

uint32_t *
cf_sim_tile_room(struct cf_sim_tile *tile, size_t dwords)
{
   if (dwords > tile->capacity - tile->count) {
      size_t wanted = tile->capacity ? 2 * tile->capacity : FIRST_TILE_DW;
      while (wanted < tile->count + dwords)
         wanted *= 2;
      uint32_t *grown = realloc(tile->dw, wanted * sizeof(grown[0]));
      if (!grown)
         return NULL;
      tile->dw = grown;
      tile->capacity = wanted;
   }
   return tile->dw + tile->count;
}

size_t
cf_sim_chunk_geometry(const struct cf_sim_chunk *chunk)
{
   size_t count = 0;
   for (size_t i = 0; i < chunk->vertices; i++)
      count += (chunk->op[chunk->vertex[i].op].flags & CF_SIM_GEOMETRY) != 0;
   return count;
}
