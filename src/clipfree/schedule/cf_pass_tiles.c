/* SPDX-License-Identifier: MIT */
/* A pass's second loop, over tiles: each is at home with one worker; the fullest come first. */
#include "clipfree/schedule/cf_pass_loops.h"

#include "clipfree/schedule/cf_print.h"

#include <string.h>

static struct cf_tile_input
tile_input(struct cf_pass *pass)
{
   return (struct cf_tile_input){
      .frame = &pass->frame,
      .draws = pass->draws,
      .chunks = pass->bins,
      .chunk_count = pass->chunk_count,
      .timed_out_draw = &pass->timed_out_draw,
      .counts = pass->counts,
   };
}

static uint32_t
home(const struct cf_pass *pass, uint32_t tile)
{
   return cf_workers_home(pass->pool->workers, tile / pass->tiles_x);
}

/* Take a tile: the next of the worker's own, else one of another's. Every call finds one. */
static uint32_t
take_tile(struct cf_pass *pass, uint32_t worker)
{
   const uint32_t count = pass->pool->count;
   for (uint32_t i = worker;; i = i + 1 < count ? i + 1 : 0) {
      struct cf_pass_share *share = &pass->share[i];
      if (atomic_load_explicit(&share->next_tile, memory_order_relaxed) >= share->end_tile)
         continue;
      const uint32_t at = atomic_fetch_add_explicit(&share->next_tile, 1, memory_order_relaxed);
      if (at < share->end_tile)
         return pass->tile_order[at];
   }
}

void
cf_pass_run_tile(void *user, uint32_t worker, uint32_t item)
{
   struct cf_pass *pass = user;
   struct cf_worker_engines *engines = &pass->pool->worker[worker];
   struct cf_pass_stats *stats = &pass->share[worker].stats;
   const struct cf_tile_input input = tile_input(pass);
   const struct cf_tile_stats before = engines->walker.stats;
   const uint64_t interpreted_before = engines->task->interpreted;
   const uint64_t start_ns = cf_trace_now(pass->pool->trace);
   struct cf_time_limit *limit =
      cf_pass_begin_time(pass, worker, CF_PASS_TILES, item, pass->tile_count);
   cf_unit_clock_start(engines->task->clock, stats->unit_ns, CF_UNIT_RASTER);
   const uint32_t tile = take_tile(pass, worker);
   if (cf_worker_engines_enter(engines, pass->number, pass->scratch_dwords))
      cf_tile_walk(&engines->walker, &input, tile % pass->tiles_x, tile / pass->tiles_x);
   else
      atomic_store(&pass->out_of_memory, true);
   stats->tile.tasks += engines->walker.stats.tasks - before.tasks;
   stats->tile.quads += engines->walker.stats.quads - before.quads;
   stats->tile.fragments += engines->walker.stats.fragments - before.fragments;
   stats->tile.hidden += engines->walker.stats.hidden - before.hidden;
   stats->tile.waiting += engines->walker.stats.waiting - before.waiting;
   stats->interpreted += engines->task->interpreted - interpreted_before;
   cf_unit_clock_stop(engines->task->clock);
   cf_time_limit_end(limit, engines->walker.stats.tasks - before.tasks);
   cf_trace_slice(pass->pool->trace, start_ns, .name = "tile",
                  .number = { { "pass", pass->number },
                              { "x", tile % pass->tiles_x },
                              { "y", tile / pass->tiles_x },
                              { "fragment tasks", engines->walker.stats.tasks - before.tasks },
                              { "fragments", engines->walker.stats.fragments - before.fragments },
                              { "hidden", engines->walker.stats.hidden - before.hidden } });
}

/* Of a tile that has entries. */
static uint32_t
load_class(uint32_t load)
{
   return 32 - (uint32_t)__builtin_clz(load);
}

/* Order the tiles that have entries: by worker, and by falling power of two of the entries of each.
 * Returns their number; zeroes the loads. */
static uint32_t
order_tiles(struct cf_pass *pass)
{
   const uint32_t tiles = pass->tiles_x * pass->tiles_y, workers = pass->pool->count;
   uint32_t filled = 0;
   for (uint32_t i = 0; i < workers; i++)
      memset(pass->share[i].tiles_of_class, 0, sizeof(pass->share[i].tiles_of_class));
   for (uint32_t tile = 0; tile < tiles; tile++) { /* few have entries in a pass of a small draw */
      if (pass->tile_load[tile])
         pass->share[home(pass, tile)].tiles_of_class[load_class(pass->tile_load[tile])]++;
   }
   for (uint32_t i = 0; i < workers; i++) {
      pass->share[i].next_tile = filled;
      for (uint32_t class = CF_LOAD_CLASSES - 1; class > 0; class --) {
         const uint32_t count = pass->share[i].tiles_of_class[class];
         pass->share[i].tiles_of_class[class] = filled;
         filled += count;
      }
      pass->share[i].end_tile = filled;
   }
   for (uint32_t tile = 0; tile < tiles; tile++) {
      const uint32_t load = pass->tile_load[tile];
      if (!load)
         continue;
      pass->tile_order[pass->share[home(pass, tile)].tiles_of_class[load_class(load)]++] = tile;
      pass->tile_load[tile] = 0;
   }
   return filled;
}

uint32_t
cf_pass_open_tiles(void *user)
{
   struct cf_pass *pass = user;
   struct cf_unit_clock own, *clock = pass->pool->parser ? &own : NULL;
   const struct cf_tile_input input = tile_input(pass);
   if (pass->config.print)
      cf_print_pass(pass->config.print, &pass->pool->units, &input, pass->draw_count, pass->tiles_x, pass->tiles_y);
   const uint64_t start_ns = cf_trace_now(pass->pool->trace);
   cf_unit_clock_start(clock, pass->stats.unit_ns, CF_UNIT_PRIMITIVES);
   const uint32_t tiles = pass->tile_count = order_tiles(pass);
   cf_unit_clock_stop(clock);
   cf_trace_slice(pass->pool->trace, start_ns, .name = "order tiles",
                  .number = { { "pass", pass->number }, { "tiles", tiles } });
   return tiles;
}
