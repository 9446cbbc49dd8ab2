/* SPDX-License-Identifier: MIT */
#include "sim_queues.h"

/* ------------------------------------------------------------------ the whole GPU */

static uint64_t
draws(const struct cf_sim_gpu *g)
{
   return g->front.draws;
}

static uint64_t
vertex_tasks(const struct cf_sim_gpu *g)
{
   return g->front.vertices.count;
}

static uint64_t
pixel_tasks(const struct cf_sim_gpu *g)
{
   return g->front.pixels.count;
}

static uint64_t
tasks_in_cores(const struct cf_sim_gpu *g)
{
   uint64_t tasks = 0;
   for (uint32_t i = 0; i < g->machine->core.count; i++)
      tasks += g->core[i].tasks;
   return tasks;
}

static uint64_t
loads(const struct cf_sim_gpu *g)
{
   return g->memory.queued;
}

static uint64_t
accesses(const struct cf_sim_gpu *g)
{
   return g->memory.waitings;
}

static uint64_t
data_lines(const struct cf_sim_gpu *g)
{
   return CF_SIM_FILLS - g->memory.free_fills;
}

static uint64_t
l2_requests(const struct cf_sim_gpu *g)
{
   return g->l2.misses.inputs;
}

static uint64_t
l2_misses(const struct cf_sim_gpu *g)
{
   return g->l2.misses.used_entries;
}

static uint64_t
exports(const struct cf_sim_gpu *g)
{
   return g->output.count;
}

static uint64_t
edges(const struct cf_sim_gpu *g)
{
   return g->setup.queue[CF_SIM_SETUP_EDGES].count;
}

static uint64_t
depth(const struct cf_sim_gpu *g)
{
   return g->setup.queue[CF_SIM_SETUP_DEPTH].count;
}

static uint64_t
viewport(const struct cf_sim_gpu *g)
{
   return g->setup.queue[CF_SIM_SETUP_VIEWPORT].count;
}

static uint64_t
raster(const struct cf_sim_gpu *g)
{
   return g->raster.queue.count;
}

static uint64_t
blocks(const struct cf_sim_gpu *g)
{
   return g->raster.blocks;
}

static uint64_t
tasks_in_order(const struct cf_sim_gpu *g)
{
   return g->pixel.tasks;
}

static const struct {
   const char *name;
   uint64_t (*count)(const struct cf_sim_gpu *gpu);
} whole[] = {
   { "draws", draws },
   { "vertex_tasks", vertex_tasks },
   { "pixel_tasks", pixel_tasks },
   { "tasks_in_cores", tasks_in_cores },
   { "tasks_before_pixel_engine", tasks_in_order },
   { "loads", loads },
   { "data_accesses", accesses },
   { "data_lines_on_their_way", data_lines },
   { "l2_requests", l2_requests },
   { "l2_misses_on_their_way", l2_misses },
   { "exports", exports },
   { "primitives_before_edges", edges },
   { "primitives_before_depth", depth },
   { "primitives_before_viewport", viewport },
   { "primitives_before_raster", raster },
   { "blocks", blocks },
};
#define WHOLE (sizeof(whole) / sizeof(whole[0]))

/* ------------------------------------------------------------------ caches of pixels */

enum pixel_queue {
   Z_REQUESTS,
   Z_ON_THEIR_WAY,
   COLOR_REQUESTS,
   COLOR_ON_THEIR_WAY,
   DRAM_REQUESTS,
   DRAM_REPLIES,
   PIXEL_QUEUES
};

static const char *const pixel_names[PIXEL_QUEUES] = {
   [Z_REQUESTS] = "z_requests",         [Z_ON_THEIR_WAY] = "z_requests_on_their_way",
   [COLOR_REQUESTS] = "color_requests", [COLOR_ON_THEIR_WAY] = "color_requests_on_their_way",
   [DRAM_REQUESTS] = "dram_requests",   [DRAM_REPLIES] = "dram_replies",
};

static uint64_t
pixel_queue(const struct cf_sim_cycles *c, enum pixel_queue queue)
{
   uint64_t count = 0;
   if (queue >= DRAM_REQUESTS)
      return queue == DRAM_REQUESTS ? c->dram.queued : c->dram.replies;
   for (uint32_t i = queue >= COLOR_REQUESTS; i < c->caches; i += 2)
      count += queue == Z_REQUESTS || queue == COLOR_REQUESTS ? c->cache[i].inputs
                                                              : c->cache[i].used_entries;
   return count;
}

/* ------------------------------------------------------------------ all */

void
sim_queues_count(struct sim_queues *q, const struct sim_machine *m, uint64_t time)
{
   const uint64_t cycles = time - q->since;
   const struct cf_sim_cycles *c = m->gpu ? &m->gpu->pixels : &m->cycles;
   q->since = time;
   for (enum pixel_queue i = 0; i < PIXEL_QUEUES; i++)
      q->sum[i] += cycles * pixel_queue(c, i);
   for (uint32_t i = 0; m->gpu && i < WHOLE; i++)
      q->sum[PIXEL_QUEUES + i] += cycles * whole[i].count(m->gpu);
}

json_t *
sim_queues_json(const struct sim_queues *q, const struct sim_machine *m)
{
   json_t *json = json_object();
   for (uint32_t i = 0; m->gpu && i < WHOLE; i++)
      json_object_set_new(json, whole[i].name, json_integer((json_int_t)q->sum[PIXEL_QUEUES + i]));
   for (enum pixel_queue i = 0; i < PIXEL_QUEUES; i++)
      json_object_set_new(json, pixel_names[i], json_integer((json_int_t)q->sum[i]));
   return json;
}
