/* SPDX-License-Identifier: MIT */
#include "clipfree/schedule/cf_engine_pool.h"

#include <stdlib.h>
#include <string.h>

static bool
init(struct cf_worker_engines *engines, const struct cf_units *units, uint32_t chunk_vertices, bool timed)
{
   engines->task = aligned_alloc(64, sizeof(*engines->task));
   if (engines->task)
      memset(engines->task, 0, sizeof(*engines->task));
   engines->vertex = cf_vertex_engine_create(units->shader, chunk_vertices, units->observer);
   engines->geometry = cf_geometry_engine_create(units->shader, units->observer);
   if (!engines->task || !engines->vertex || !engines->geometry)
      return false;
   engines->task->clock = timed ? &engines->clock : NULL;
   cf_tile_walker_init(&engines->walker, units, engines->task);
   return true;
}

struct cf_engine_pool *
cf_engine_pool_create(const struct cf_units *units, struct cf_workers *workers, uint32_t chunk_vertices, bool timed)
{
   struct cf_engine_pool *pool = calloc(1, sizeof(*pool));
   if (!pool)
      return NULL;
   pool->units = *units;
   pool->workers = workers;
   pool->parser = timed ? &pool->parser_clock : NULL;
   pool->count = cf_workers_count(workers);
   const size_t size_B = (pool->count * sizeof(*pool->worker) + 63) & ~(size_t)63;
   pool->worker = aligned_alloc(64, size_B);
   bool ok = pool->worker != NULL;
   if (ok)
      memset(pool->worker, 0, size_B);
   for (uint32_t i = 0; ok && i < pool->count; i++)
      ok = init(&pool->worker[i], &pool->units, chunk_vertices, timed);
   if (!ok) {
      cf_engine_pool_destroy(pool);
      return NULL;
   }
   return pool;
}

void
cf_engine_pool_destroy(struct cf_engine_pool *pool)
{
   if (!pool)
      return;
   for (uint32_t i = 0; pool->worker && i < pool->count; i++) {
      struct cf_worker_engines *engines = &pool->worker[i];
      if (engines->task)
         free(engines->task->scratch);
      free(engines->task);
      cf_vertex_engine_destroy(engines->vertex);
      cf_geometry_engine_destroy(engines->geometry);
      cf_binner_free(&engines->binner);
   }
   free(pool->worker);
   free(pool);
}

bool
cf_worker_engines_enter(struct cf_worker_engines *engines, uint64_t pass, uint32_t scratch_dwords)
{
   struct cf_task *task = engines->task;
   if (engines->pass != pass) {
      task->prepared = NULL; /* a stage of another pass may have had the same address */
      engines->set_up_for = NULL;
      engines->pass = pass;
   }
   if (task->scratch_dwords < scratch_dwords) {
      free(task->scratch);
      task->scratch = aligned_alloc(64, scratch_dwords * sizeof(*task->scratch));
      task->scratch_dwords = task->scratch ? scratch_dwords : 0;
   }
   return task->scratch_dwords >= scratch_dwords;
}

void
cf_worker_engines_set_up(struct cf_worker_engines *engines, const struct cf_primitive_config *config,
                         const struct cf_prim_sink *sink)
{
   engines->setup.sink = sink;
   if (engines->set_up_for == config)
      return;
   engines->set_up_for = config;
   engines->visible = !config->raster.discard && cf_setup_init(&engines->setup, config, sink);
}
