/* SPDX-License-Identifier: MIT */
#include "clipfree/schedule/cf_pass_loops.h"

#include <stdlib.h>
#include <string.h>

#include "clipfree/base/cf_cache.h"
#include "clipfree/base/cf_inline.h"

#define KEEP_B (16u << 20) /* what arenas keep between passes */

struct cf_pass *
cf_pass_create(struct cf_engine_pool *pool, const struct cf_pass_config *config)
{
   struct cf_pass *pass = aligned_alloc(_Alignof(struct cf_pass), sizeof(*pass));
   if (!pass)
      return NULL;
   memset((void *)pass, 0, sizeof(*pass));
   pass->pool = pool;
   pass->config = *config;
   const size_t shares_B = pool->count * sizeof(*pass->share);
   pass->share = aligned_alloc(_Alignof(struct cf_pass_share), shares_B);
   if (!pass->share) {
      free(pass);
      return NULL;
   }
   memset((void *)pass->share, 0, shares_B);
   return pass;
}

void
cf_pass_destroy(struct cf_pass *pass)
{
   if (!pass)
      return;
   for (uint32_t i = 0; i < pass->pool->count; i++)
      cf_arena_free(&pass->share[i].arena);
   cf_arena_free(&pass->arena);
   free(pass->share);
   free(pass->draws);
   free(pass->counts);
   free(pass->pieces);
   free(pass->chunks);
   free(pass->bins);
   free((void *)pass->tile_load);
   free(pass->tile_order);
   free(pass);
}

struct cf_arena *
cf_pass_arena(struct cf_pass *pass)
{
   return &pass->arena;
}

void
cf_pass_begin(struct cf_pass *pass, const struct cf_frame *frame, struct cf_time_limit *limits)
{
   pass->number = ++pass->pool->passes;
   pass->streams =
      !cf_workers_are_alone(pass->pool->workers) && !cf_workers_are_near(pass->pool->workers);
   pass->frame = *frame;
   pass->limits = limits;
   pass->in_parts = false;
   pass->tiles_x = (frame->width_px + CF_TILE_PX - 1) / CF_TILE_PX;
   pass->tiles_y = (frame->height_px + CF_TILE_PX - 1) / CF_TILE_PX;
}

bool
cf_pass_is_empty(const struct cf_pass *pass)
{
   return pass->draw_count == 0;
}

bool
cf_pass_is_full(const struct cf_pass *pass)
{
   return pass->arena.used_B + pass->draw_count * sizeof(*pass->draws) > CF_PASS_STATE_B;
}

/* Room for one more element. */
static bool
make_room(void **array, uint32_t *capacity, uint32_t count, size_t element_B)
{
   if (count < *capacity)
      return true;
   const uint32_t grown = 2 * count + 64;
   void *memory = realloc(*array, grown * element_B);
   if (!memory)
      return false;
   *array = memory;
   *capacity = grown;
   return true;
}

/* ------------------------------------------------------------------ launching */

static void
close_chunk(struct cf_pass *pass)
{
   struct cf_chunk *chunk = pass->chunk_count ? &pass->chunks[pass->chunk_count - 1] : NULL;
   const uint32_t first_piece = chunk ? chunk->end_piece : 0;
   pass->chunk_prims = pass->chunk_vertices = 0;
   if (first_piece == pass->piece_count)
      return;
   if (!make_room((void **)&pass->chunks, &pass->chunk_capacity, pass->chunk_count,
                  sizeof(*pass->chunks)) ||
       !make_room((void **)&pass->bins, &pass->bins_capacity, pass->chunk_count,
                  sizeof(*pass->bins))) {
      pass->out_of_memory = true;
      pass->piece_count = first_piece;
      return;
   }
   pass->chunks[pass->chunk_count++] =
      (struct cf_chunk){ .first_piece = first_piece, .end_piece = pass->piece_count };
}

static bool
make_tiles(struct cf_pass *pass)
{
   const uint32_t tiles = pass->tiles_x * pass->tiles_y;
   if (tiles > pass->tile_capacity) {
      free((void *)pass->tile_load);
      free(pass->tile_order);
      pass->tile_load = calloc(tiles, sizeof(*pass->tile_load));
      pass->tile_order = malloc(tiles * sizeof(*pass->tile_order));
      pass->tile_capacity = pass->tile_load && pass->tile_order ? tiles : 0;
   }
   return pass->tile_capacity >= tiles;
}

static void
launch(struct cf_pass *pass, uint64_t after, bool waited_for)
{
   close_chunk(pass);
   if (pass->chunk_count == 0)
      return;
   if (!make_tiles(pass)) {
      pass->out_of_memory = true;
      return;
   }
   struct cf_workers *workers = pass->pool->workers;
   cf_stream_end();
   pass->stats.chunks += pass->chunk_count;
   const enum cf_unit before = cf_unit_begin(pass->pool->parser, CF_UNIT_NONE);
   const uint64_t chunks = cf_workers_launch(workers, &(struct cf_loop){ .work = cf_pass_run_chunk,
                                                                         .user = pass,
                                                                         .items = pass->chunk_count,
                                                                         .after = after,
                                                                         .waited_for = waited_for });
   cf_workers_launch(workers, &(struct cf_loop){ .work = cf_pass_run_tile,
                                                 .user = pass,
                                                 .open = cf_pass_open_tiles,
                                                 .after = chunks,
                                                 .waited_for = waited_for });
   cf_unit_begin(pass->pool->parser, before);
}

void
cf_pass_launch(struct cf_pass *pass, uint64_t after)
{
   launch(pass, after, false);
}

/* Drop the chunks: they are rendered, or never will be. */
static void
forget_chunks(struct cf_pass *pass)
{
   for (uint32_t i = 0; i < pass->pool->count; i++)
      cf_arena_reset(&pass->share[i].arena, KEEP_B);
   pass->piece_count = pass->chunk_count = 0;
   pass->chunk_prims = pass->chunk_vertices = 0;
   pass->estimate_B = 0;
}

/* Render the chunks so far, and wait; the draws stay, for the chunks to come. */
static void
render_part(struct cf_pass *pass)
{
   struct cf_workers *workers = pass->pool->workers;
   pass->in_parts = true;
   launch(pass, cf_workers_launched(workers), true);
   const enum cf_unit before = cf_unit_begin(pass->pool->parser, CF_UNIT_NONE);
   cf_workers_finish(workers, cf_workers_launched(workers));
   cf_unit_begin(pass->pool->parser, before);
   forget_chunks(pass);
}

static void
add_stats(struct cf_pass_stats *sum, const struct cf_pass_stats *stats)
{
   sum->vertex_tasks += stats->vertex_tasks;
   sum->position_tasks += stats->position_tasks;
   sum->interpreted += stats->interpreted;
   for (uint32_t i = 0; i < CF_UNITS; i++)
      sum->unit_ns[i] += stats->unit_ns[i];
   sum->tile.tasks += stats->tile.tasks;
   sum->tile.quads += stats->tile.quads;
   sum->tile.fragments += stats->tile.fragments;
   sum->tile.hidden += stats->tile.hidden;
   sum->tile.waiting += stats->tile.waiting;
}

void
cf_pass_take(struct cf_pass *pass, struct cf_pass_report *report)
{
   const uint32_t timed_out_draw = pass->timed_out_draw;
   *report = (struct cf_pass_report){ .outside = pass->outside,
                                      .number = pass->number,
                                      .stats = pass->stats };
   report->stats.draws = pass->draw_count;
   report->stats.passes = pass->draw_count > 0;
   for (uint32_t i = 0; i < pass->pool->count; i++) {
      add_stats(&report->stats, &pass->share[i].stats);
      pass->share[i].stats = (struct cf_pass_stats){ 0 };
   }
   if (timed_out_draw) {
      report->result = CF_PASS_TIMED_OUT;
      report->timed_out_packet = pass->draws[timed_out_draw - 1].packet;
   } else if (pass->out_of_memory) {
      report->result = CF_PASS_OUT_OF_MEMORY;
   }
   forget_chunks(pass);
   pass->draw_count = 0;
   pass->scratch_dwords = 0;
   pass->timed_out_draw = 0;
   pass->out_of_memory = pass->outside_taken = false;
   pass->outside.found = false;
   pass->stats = (struct cf_pass_stats){ 0 };
   cf_arena_reset(&pass->arena, CF_PASS_STATE_B + CF_ARENA_BLOCK_B);
}

/* ------------------------------------------------------------------ adding draws */

/* Copy a piece or a draw to where the workers read it. */
CF_INLINE void
store(const struct cf_pass *pass, void *to, const void *from, size_t size_B)
{
   if (pass->streams)
      cf_stream_copy(to, from, size_B);
   else if (to != from)
      memcpy(to, from, size_B);
}

static bool
add_piece(struct cf_pass *pass, const struct cf_piece *piece)
{
   if (!make_room((void **)&pass->pieces, &pass->piece_capacity, pass->piece_count,
                  sizeof(*pass->pieces)))
      return false;
   store(pass, &pass->pieces[pass->piece_count++], piece, sizeof(*piece));
   return true;
}

/* The limit of primitives of a chunk, while `left` primitives of a run are still to be added.
 * Towards the end of a long run chunks get smaller, so that workers finish together; not where
 * draws are counted. */
static uint32_t
chunk_limit(const struct cf_pass *pass, uint32_t run_prims, uint32_t left)
{
   const uint32_t workers = pass->pool->count, share = left / (2 * workers);
   if (workers == 1 || pass->counts || run_prims < 4 * CF_CHUNK_PRIMS || share > CF_CHUNK_PRIMS)
      return CF_CHUNK_PRIMS;
   return share > CF_CHUNK_PRIMS / 8 ? share : CF_CHUNK_PRIMS / 8;
}

/* Whether a part that was rendered has failed: cutting the rest of the draw would be in vain. */
static bool
has_failed(const struct cf_pass *pass)
{
   return pass->timed_out_draw || pass->out_of_memory;
}

static bool
add_run(struct cf_pass *pass, const struct cf_draw_state *draw, uint32_t draw_index, uint32_t instance,
        uint32_t run_first, uint32_t run_count)
{
   const uint32_t prims = cf_assemble_count(draw->prim, run_count);
   const struct cf_raster *raster = &draw->primitive->raster;
   const bool filled =
      raster->fill_front == CF_POLYGON_MODE_FILL && raster->fill_back == CF_POLYGON_MODE_FILL;
   const bool in_order = cf_draw_is_in_order(draw); /* then all of the draw is one chunk */
   const uint32_t first = pass->draw_prims;
   const bool is_polygon = draw->prim == CF_PRIM_KIND_POLYGON;
   const uint32_t polygon = pass->instance_runs;
   pass->draw_prims += prims;
   pass->instance_runs += prims > 0;
   if (draw->primitives && !draw->geometry)
      *draw->primitives += prims;
   const size_t bound_B = (cf_pass_prim_B(draw) + 64) * (filled ? 1 : 3);
   for (uint32_t begin = 0; begin < prims && !has_failed(pass);) {
      const uint32_t limit = chunk_limit(pass, prims, prims - begin);
      if (pass->chunk_prims >= limit && !in_order)
         close_chunk(pass);
      const uint32_t room = in_order ? CF_CHUNK_PRIMS : limit - pass->chunk_prims;
      const uint32_t count = prims - begin < room ? prims - begin : room;
      struct cf_piece piece = {
         .draw = draw_index,
         .run_count = run_count,
         .begin = begin,
         .end = begin + count,
         .first = first + begin,
         .first_of_instance = is_polygon ? polygon : first + begin - pass->instance_first,
         .range = { .run_first = run_first, .instance = instance },
      };
      cf_assemble_span(draw->primitive, draw->prim, run_count, piece.begin, piece.end,
                       &piece.range.first, &piece.range.last, &piece.range.needs_vertex_0);
      const uint32_t vertices = cf_vertex_next_handle(&piece.range, 0);
      if (pass->chunk_vertices + vertices > CF_CHUNK_VERTICES && pass->chunk_prims > 0 &&
          !in_order) {
         close_chunk(pass);
         continue;
      }
      if (!add_piece(pass, &piece))
         return false;
      pass->chunk_prims += count;
      pass->chunk_vertices += vertices;
      pass->estimate_B += bound_B * count;
      begin += count;
      if (pass->estimate_B > CF_PASS_LIMIT_B)
         render_part(pass);
   }
   return true;
}

static bool
make_draw_room(struct cf_pass *pass)
{
   return make_room((void **)&pass->draws, &pass->draw_capacity, pass->draw_count, sizeof(*pass->draws));
}

static uint32_t
element_index(const struct cf_vertex_source *source, uint32_t element)
{
   uint32_t index = 0;
   memcpy(&index, source->indices + (size_t)element * source->index_size_B, source->index_size_B);
   return index;
}

/* Cut the draw into runs, at its restart elements. */
static bool
add_runs(struct cf_pass *pass, const struct cf_draw_state *draw, uint32_t draw_index, uint32_t instance)
{
   if (!draw->restart)
      return add_run(pass, draw, draw_index, instance, 0, draw->count);
   uint32_t first = 0;
   for (uint32_t i = 0; i < draw->count; i++) {
      if (element_index(&draw->source, i) != draw->restart_index)
         continue;
      if (!add_run(pass, draw, draw_index, instance, first, i - first))
         return false;
      first = i + 1;
   }
   return add_run(pass, draw, draw_index, instance, first, draw->count - first);
}

/* Begin to count for a draw. False: out of memory. */
static bool
begin_counts(struct cf_pass *pass, uint32_t draw)
{
   if (!pass->config.counts_draws)
      return true;
   if (!make_room((void **)&pass->counts, &pass->counts_capacity, draw, sizeof(*pass->counts)))
      return false;
   pass->counts[draw] = (struct cf_stats_row){ 0 };
   return true;
}

/* All of a draw with feedback has been added. */
static void
finish_feedback(struct cf_pass *pass, const struct cf_draw_state *draw)
{
   if (cf_draw_is_in_order(draw))
      render_part(pass);
   const uint64_t *emitted = draw->feedback->emitted;
   const uint64_t primitives = emitted ? *emitted : pass->draw_prims;
   const uint64_t written = cf_feedback_finish(draw->feedback, primitives);
   struct cf_stats_row *row = cf_pass_last_counts(pass);
   if (row)
      row->number[CF_STAT_FED] = written;
   if (draw->feedback_primitives)
      *draw->feedback_primitives += written;
}

/* What is known of a draw when all of it has been added. */
static void
count_added(struct cf_pass *pass, const struct cf_draw_state *draw)
{
   struct cf_stats_row *row = cf_pass_last_counts(pass);
   if (!row)
      return;
   row->number[CF_STAT_ELEMENTS] = draw->count;
   row->number[CF_STAT_INSTANCES] = draw->instances;
   row->number[CF_STAT_PRIMITIVES] = pass->draw_prims;
}

const struct cf_stats_row *
cf_pass_counts(const struct cf_pass *pass, uint32_t draw, const struct cf_draw_state **state)
{
   *state = &pass->draws[draw];
   return pass->counts && draw < pass->draw_count ? &pass->counts[draw] : NULL;
}

struct cf_stats_row *
cf_pass_last_counts(struct cf_pass *pass)
{
   return pass->counts && pass->draw_count ? &pass->counts[pass->draw_count - 1] : NULL;
}

struct cf_draw_state *
cf_pass_new_draw(struct cf_pass *pass)
{
   if (pass->streams)
      return &pass->next_draw;
   return make_draw_room(pass) ? &pass->draws[pass->draw_count] : NULL;
}

bool
cf_pass_draw(struct cf_pass *pass, const struct cf_draw_state *draw)
{
   if (!make_draw_room(pass) || !begin_counts(pass, pass->draw_count))
      return false;
   const uint32_t index = pass->draw_count++;
   _Static_assert(sizeof(*draw) % 16 == 0, "cf_stream_copy copies multiples of 16 bytes");
   store(pass, &pass->draws[index], draw, sizeof(*draw));
   if (cf_draw_is_in_order(draw))
      close_chunk(pass);
   if (draw->clear)
      return add_piece(pass, &(struct cf_piece){ .draw = index });
   pass->scratch_dwords =
      draw->scratch_dwords > pass->scratch_dwords ? draw->scratch_dwords : pass->scratch_dwords;
   const bool empty = !draw->restart && cf_assemble_count(draw->prim, draw->count) == 0;
   pass->draw_prims = 0;
   for (uint32_t instance = 0; !empty && instance < draw->instances && !has_failed(pass);
        instance++) {
      pass->instance_first = pass->draw_prims;
      pass->instance_runs = 0;
      if (!add_runs(pass, draw, index, instance))
         return false;
   }
   if (draw->feedback)
      finish_feedback(pass, draw);
   count_added(pass, draw);
   return empty || !pass->out_of_memory;
}
