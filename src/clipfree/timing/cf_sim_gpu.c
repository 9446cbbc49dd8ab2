/* SPDX-License-Identifier: MIT */
#include "clipfree/timing/cf_sim_gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
cf_sim_part_name(enum cf_sim_part part, char text[CF_SIM_PART_NAME_B])
{
   static const char *const name[CF_SIM_PARTS] = {
      [CF_SIM_PART_COMMAND] = "command",
      [CF_SIM_PART_VERTEX] = "vertex",
      [CF_SIM_PART_SCHEDULER] = "scheduler",
      [CF_SIM_PART_MEMORY] = "memory",
      [CF_SIM_PART_L2] = "l2",
      [CF_SIM_PART_OUTPUT] = "output",
      [CF_SIM_PART_ASSEMBLY] = "assembly",
      [CF_SIM_PART_ASSEMBLY + CF_SIM_SETUP_EDGES] = "edges",
      [CF_SIM_PART_ASSEMBLY + CF_SIM_SETUP_DEPTH] = "depth",
      [CF_SIM_PART_ASSEMBLY + CF_SIM_SETUP_VIEWPORT] = "viewport",
      [CF_SIM_PART_RASTER] = "raster",
      [CF_SIM_PART_BLOCKS] = "blocks",
      [CF_SIM_PART_PREFETCH] = "prefetch",
      [CF_SIM_PART_PIXEL] = "pixel",
      [CF_SIM_PART_PIXEL_CACHES] = "pixel_caches",
      [CF_SIM_PART_DRAM] = "dram",
   };
   if (name[part])
      snprintf(text, CF_SIM_PART_NAME_B, "%s", name[part]);
   else
      snprintf(text, CF_SIM_PART_NAME_B, "core%u", part - CF_SIM_PART_CORE);
}

const char *
cf_sim_gpu_contradiction(const struct cf_sim_machine *m)
{
   if (m->gpu.model != CF_SIM_MODEL_WHOLE)
      return NULL;
   if (m->texture.line_B != 4 * m->z.line_width_px * m->z.line_height_px)
      return "gpu.model whole needs lines of one size: texture.line_B is 4 bytes for each pixel of "
             "z.line_width_px x z.line_height_px";
   if (m->texture.size_B == 0 || m->texture.ways == 0 || m->texture.ways > 64 ||
       m->texture.policy == CF_SIM_POLICY_OPTIMAL)
      return "gpu.model whole needs a texture cache of sets: texture.size_B is above 0, "
             "texture.ways are from 1 to 64, texture.policy is not optimal";
   const uint32_t size_B[3] = { m->l2.size_B, m->instruction.size_B, m->constant.size_B },
                  ways[3] = { m->l2.ways, m->instruction.ways, m->constant.ways };
   static const char *const wrong[3] = {
      "l2.size_B is not of a power of two of sets of l2.ways lines of texture.line_B",
      "instruction.size_B is not of a power of two of sets of instruction.ways lines of "
      "texture.line_B",
      "constant.size_B is not of a power of two of sets of constant.ways lines of texture.line_B",
   };
   for (uint32_t i = 0; i < 3; i++) {
      const uint32_t lines = size_B[i] / m->texture.line_B, sets = ways[i] ? lines / ways[i] : 1;
      if (lines == 0 || sets == 0 || (sets & (sets - 1)) != 0 ||
          (ways[i] && lines % ways[i] != 0) || (!ways[i] && lines > 64))
         return wrong[i];
   }
   return NULL;
}

/* ------------------------------------------------------------------ begin and end */

static bool
init_line_cache(struct cf_sim_line_cache *c, uint32_t size_B, uint32_t line_B, uint32_t ways)
{
   return cf_sim_cache_init(&c->tags, size_B, line_B, ways, CF_SIM_POLICY_LRU);
}

bool
cf_sim_gpu_init(struct cf_sim_gpu *gpu, const struct cf_sim_machine *machine)
{
   const uint32_t line_B = machine->texture.line_B;
   memset(gpu, 0, sizeof(*gpu));
   gpu->machine = machine;
   gpu->clock.later = CF_SIM_NEVER;
   gpu->task = malloc(CF_SIM_MAX_TASKS * sizeof(gpu->task[0]));
   for (uint16_t i = 0; i < CF_SIM_MAX_TASKS; i++)
      gpu->free_task[gpu->free_tasks++] = i;
   for (uint32_t i = 0; i < CF_SIM_PARTS; i++)
      gpu->unit[i] = (struct cf_sim_unit){
         .wake = CF_SIM_NEVER, .bit = 1ull << i, .clock = &gpu->clock, .cycles = gpu->cycles[i]
      };
   for (uint32_t i = 0; i < CF_SIM_MAX_CORES; i++) {
      gpu->core[i].next_event = CF_SIM_NEVER;
      gpu->core[i].alu.cycles = gpu->cycles[CF_SIM_PARTS + i];
   }
   cf_sim_prefetch_init(gpu);
   bool ok = gpu->task && cf_sim_cycles_init(&gpu->pixels, machine);
   ok = ok && cf_sim_memory_init(gpu) && cf_sim_l2_init(gpu) &&
        init_line_cache(&gpu->instructions, machine->instruction.size_B, line_B,
                        machine->instruction.ways) &&
        init_line_cache(&gpu->constants, machine->constant.size_B, line_B, machine->constant.ways);
   if (!ok)
      cf_sim_gpu_free(gpu);
   return ok;
}

static void
free_code(struct cf_sim_gpu *gpu)
{
   for (size_t i = 0; i < gpu->codes; i++)
      cf_sim_code_free(&gpu->code[i]);
   free(gpu->code);
   gpu->code = NULL;
   gpu->codes = 0;
}

void
cf_sim_gpu_free(struct cf_sim_gpu *gpu)
{
   free_code(gpu);
   free(gpu->task);
   free(gpu->range);
   free(gpu->pixel.request);
   gpu->task = NULL;
   gpu->range = NULL;
   gpu->pixel.request = NULL;
   cf_sim_memory_free(&gpu->memory);
   cf_sim_l2_free(&gpu->l2);
   cf_sim_cache_free(&gpu->instructions.tags);
   cf_sim_cache_free(&gpu->constants.tags);
   cf_sim_cycles_free(&gpu->pixels);
}

void
cf_sim_gpu_watch(struct cf_sim_gpu *gpu, const struct cf_sim_watch *watch)
{
   gpu->watch = watch;
   cf_sim_cycles_watch(&gpu->pixels, watch);
}

void
cf_sim_gpu_settle(struct cf_sim_gpu *gpu, uint64_t time)
{
   for (uint32_t i = 0; i < CF_SIM_MAX_CORES; i++)
      cf_sim_core_count_alu(gpu, i, time);
   for (uint32_t i = 0; i < CF_SIM_PARTS; i++)
      cf_sim_because(&gpu->unit[i], time, gpu->unit[i].why);
   if (gpu->pixels.time < time)
      cf_sim_cycles_skip(&gpu->pixels, time);
   cf_sim_flow_settle(&gpu->counts.in_cores, time);
   cf_sim_flow_settle(&gpu->counts.in_tasks, time);
   gpu->counts.vertex_cycles += gpu->vertices_inside ? time - gpu->vertices_since : 0;
   gpu->vertices_since = time;
}

void
cf_sim_gpu_finish(struct cf_sim_gpu *gpu)
{
   gpu->time += gpu->time > 0; /* the last cycle in which units acted is over */
   cf_sim_gpu_settle(gpu, gpu->time);
}

/* ------------------------------------------------------------------ tasks */

struct cf_sim_task *
cf_sim_gpu_take_task(struct cf_sim_gpu *gpu, enum cf_sim_stage stage, uint32_t op)
{
   if (gpu->free_tasks == 0)
      return NULL;
   struct cf_sim_task *task = &gpu->task[gpu->free_task[--gpu->free_tasks]];
   const uint32_t program = gpu->chunk->op[op].program[stage];
   cf_sim_task_begin(task, gpu->chunk, stage, op,
                     &gpu->code[program < gpu->codes - 1 ? program : gpu->codes - 1]);
   task->packed_cycle = gpu->time;
   return task;
}

void
cf_sim_gpu_free_task(struct cf_sim_gpu *gpu, struct cf_sim_task *task)
{
   gpu->free_task[gpu->free_tasks++] = (uint16_t)(task - gpu->task);
}

void
cf_sim_gpu_count_vertices(struct cf_sim_gpu *gpu)
{
   const bool inside = gpu->front.next_vertex > gpu->setup.next_vertex;
   if (gpu->vertices_inside)
      gpu->counts.vertex_cycles += gpu->time - gpu->vertices_since;
   gpu->vertices_inside = inside;
   gpu->vertices_since = gpu->time;
}

/* ------------------------------------------------------------------ chunks */

/* Programs of the trace that are new. The last code is that of no program: an end. */
static bool
add_codes(struct cf_sim_gpu *gpu, const struct cf_sim_chunk *chunk)
{
   const struct cf_sim_instr end = {
      .op = CF_OP_END, .unit = CF_OP_UNIT_BRANCH, .passes = 1, .latency = 1
   };
   bool ok = true;
   if (gpu->codes == chunk->programs + 1)
      return true;
   free_code(gpu);
   gpu->code = calloc(chunk->programs + 1, sizeof(gpu->code[0]));
   if (!gpu->code)
      return false;
   for (size_t i = 0; ok && i < chunk->programs; i++, gpu->codes++)
      ok = cf_sim_code_init(&gpu->code[i], chunk, &chunk->program[i]);
   struct cf_sim_code *none = &gpu->code[gpu->codes++];
   *none = (struct cf_sim_code){ .count = 1, .instr = malloc(sizeof(end)) };
   if (none->instr)
      none->instr[0] = end;
   return ok && none->instr;
}

/* Count bits of a map that are 0 for vertices from `first` to `end`, and set them; or clear all of
 * these. */
static uint64_t
mark(uint64_t *map, const struct cf_sim_vertex *first, const struct cf_sim_vertex *end, bool set)
{
   uint64_t changed = 0;
   for (const struct cf_sim_vertex *v = first; v < end; v++) {
      uint64_t *word = &map[v->vertex / 64];
      const uint64_t bit = 1ull << v->vertex % 64;
      changed += (*word & bit) == 0;
      *word = set ? *word | bit : *word & ~bit;
   }
   return changed;
}

/* Vertices of a draw that differ, in index or instance. Of the map only what is used takes memory.
 */
static uint64_t
distinct(const struct cf_sim_chunk *chunk, const struct cf_sim_op_range *range)
{
   const struct cf_sim_vertex *v = &chunk->vertex[range->first_vertex],
                              *end = &chunk->vertex[range->end_vertex];
   uint64_t differ = 0;
   uint32_t most = 0;
   for (const struct cf_sim_vertex *i = v; i < end; i++)
      most = i->vertex > most ? i->vertex : most;
   uint64_t *map = calloc(most / 64 + 1, sizeof(map[0]));
   while (map && v < end) {
      const struct cf_sim_vertex *next = v;
      while (next < end && next->instance == v->instance)
         next++;
      differ += mark(map, v, next, true);
      if (next < end)
         mark(map, v, next, false);
      v = next;
   }
   free(map);
   return differ;
}

/* Where vertices and primitives of operations lie. */
static bool
find_ranges(struct cf_sim_gpu *gpu, const struct cf_sim_chunk *chunk)
{
   size_t vertex = 0, primitive = 0;
   free(gpu->range);
   gpu->range = calloc(chunk->ops + 1, sizeof(gpu->range[0]));
   for (uint32_t op = 0; gpu->range && op < chunk->ops; op++) {
      struct cf_sim_op_range *r = &gpu->range[op];
      r->first_vertex = vertex;
      while (vertex < chunk->vertices && chunk->vertex[vertex].op <= op)
         vertex++;
      r->end_vertex = vertex;
      r->first_primitive = primitive;
      while (primitive < chunk->primitives && chunk->primitive[primitive].op <= op)
         primitive++;
      r->end_primitive = primitive;
      if (!(chunk->op[op].flags & CF_SIM_GEOMETRY))
         gpu->counts.distinct_vertices += distinct(chunk, r);
   }
   return gpu->range != NULL;
}

bool
cf_sim_gpu_drained(const struct cf_sim_gpu *gpu)
{
   bool busy = gpu->front.draws > 0 || gpu->front.packing || gpu->front.vertices.count > 0 ||
               gpu->front.pixels.count > 0 || gpu->setup.op < gpu->front.op;
   for (uint32_t i = 0; i < gpu->machine->core.count; i++)
      busy |= gpu->core[i].tasks > 0;
   return !busy && cf_sim_setup_idle(&gpu->setup) && cf_sim_raster_idle(&gpu->raster) &&
          cf_sim_pixel_idle(&gpu->pixel) && cf_sim_cycles_idle(&gpu->pixels) &&
          cf_sim_l2_idle(&gpu->l2);
}

/* ------------------------------------------------------------------ time */

static void
tick_pixel_caches(struct cf_sim_gpu *gpu)
{
   struct cf_sim_cycles *c = &gpu->pixels;
   struct cf_sim_unit *unit = &gpu->unit[CF_SIM_PART_PIXEL_CACHES];
   bool waits = false, queued = false;
   cf_sim_cycles_skip(c, gpu->time);
   const bool active = cf_sim_cycles_tick(c, gpu->time);
   for (uint32_t i = 0; i < c->caches; i++) {
      waits |= !cf_sim_misses_idle(&c->cache[i]);
      queued |= c->cache[i].inputs + c->cache[i].aheads > 0;
   }
   cf_sim_because(unit, gpu->time,
                  active  ? CF_SIM_WHY_BUSY
                  : waits ? CF_SIM_WHY_MEMORY
                          : CF_SIM_WHY_EMPTY);
   if (active) {
      cf_sim_wake(unit, gpu->time + 1);
      cf_sim_gpu_wake(gpu, CF_SIM_PART_PIXEL);
      cf_sim_prefetch_wake(gpu);
   } else if (queued) { /* an entry of the queue, or memory, may be free then */
      cf_sim_wake(unit, cf_sim_dram_next(&c->dram, gpu->time));
   }
   cf_sim_gpu_wake(gpu, CF_SIM_PART_DRAM);
}

/* What memory read goes to who asked for it. */
static void
deliver(struct cf_sim_gpu *gpu, uint32_t user)
{
   const uint32_t number = user >> CF_SIM_ENTRY_BITS,
                  entry = user & ((1u << CF_SIM_ENTRY_BITS) - 1);
   if (number < gpu->pixels.caches) {
      cf_sim_misses_return(&gpu->pixels.cache[number], entry);
      cf_sim_gpu_wake(gpu, CF_SIM_PART_PIXEL_CACHES);
   } else if (number == CF_SIM_L2_NUMBER) {
      cf_sim_misses_return(&gpu->l2.misses, entry);
      cf_sim_gpu_wake(gpu, CF_SIM_PART_L2);
   } else {
      cf_sim_command_has_line(gpu);
   }
}

static void
tick_dram(struct cf_sim_gpu *gpu)
{
   struct cf_sim_dram *d = &gpu->pixels.dram;
   struct cf_sim_unit *unit = &gpu->unit[CF_SIM_PART_DRAM];
   uint32_t user;
   while (cf_sim_dram_pop(d, gpu->time, &user))
      deliver(gpu, user);
   cf_sim_dram_tick(d, gpu->time);
   cf_sim_because(unit, gpu->time,
                  d->bus_free > gpu->time           ? CF_SIM_WHY_BUSY
                  : d->queued > 0 || d->replies > 0 ? CF_SIM_WHY_MEMORY
                                                    : CF_SIM_WHY_EMPTY);
   cf_sim_wake(unit, cf_sim_dram_next(d, gpu->time));
   if (d->bus_free > gpu->time)
      cf_sim_wake(unit, d->bus_free);
   /* it may have room again */
   if (gpu->front.transferring)
      cf_sim_gpu_wake(gpu, CF_SIM_PART_COMMAND);
}

static void
tick(struct cf_sim_gpu *gpu, uint32_t part)
{
   switch (part) {
   case CF_SIM_PART_COMMAND:
      cf_sim_command_tick(gpu);
      break;
   case CF_SIM_PART_VERTEX:
      cf_sim_vertex_tick(gpu);
      cf_sim_gpu_count_vertices(gpu);
      break;
   case CF_SIM_PART_SCHEDULER:
      cf_sim_scheduler_tick(gpu);
      break;
   case CF_SIM_PART_MEMORY:
      cf_sim_memory_tick(gpu);
      break;
   case CF_SIM_PART_L2:
      cf_sim_l2_tick(gpu);
      break;
   case CF_SIM_PART_OUTPUT:
      cf_sim_output_tick(gpu);
      break;
   case CF_SIM_PART_RASTER:
      cf_sim_raster_tick(gpu);
      break;
   case CF_SIM_PART_BLOCKS:
      cf_sim_blocks_tick(gpu);
      break;
   case CF_SIM_PART_PREFETCH:
      cf_sim_prefetch_tick(gpu);
      break;
   case CF_SIM_PART_PIXEL:
      cf_sim_pixel_tick(gpu);
      break;
   case CF_SIM_PART_PIXEL_CACHES:
      tick_pixel_caches(gpu);
      break;
   case CF_SIM_PART_DRAM:
      tick_dram(gpu);
      break;
   default:
      if (part < CF_SIM_PART_MEMORY)
         cf_sim_core_tick(gpu, part - CF_SIM_PART_CORE);
      else
         cf_sim_setup_tick(gpu, (enum cf_sim_setup_stage)(part - CF_SIM_PART_ASSEMBLY));
   }
}

/* Units that wake later than CF_SIM_AHEAD cycles from when they were told: look again. */
static void
sort_by_wake(struct cf_sim_gpu *gpu)
{
   gpu->clock.later = CF_SIM_NEVER;
   for (uint32_t i = 0; i < CF_SIM_PARTS; i++) {
      const uint64_t wake = gpu->unit[i].wake;
      gpu->unit[i].wake = CF_SIM_NEVER;
      cf_sim_wake(&gpu->unit[i], wake);
   }
}

/* The next cycle in which a unit may have work; CF_SIM_NEVER: none has. */
static uint64_t
next_time(const struct cf_sim_clock *c)
{
   const uint64_t first = c->time + 1, from = first % CF_SIM_AHEAD;
   /* a unit acts once in a cycle: one that asked for this one again acts in the next */
   if (c->now)
      return first;
   if (!c->filled)
      return c->later;
   const uint64_t turned = c->filled >> from | c->filled << (CF_SIM_AHEAD - from) % CF_SIM_AHEAD;
   const uint64_t next = first + (uint64_t)__builtin_ctzll(turned);
   return next < c->later ? next : c->later;
}

/* Go to the next cycle in which a unit may have work. False: none has. */
static bool
begin_cycle(struct cf_sim_gpu *gpu)
{
   struct cf_sim_clock *c = &gpu->clock;
   const uint64_t next = next_time(c), slot = next % CF_SIM_AHEAD;
   if (next == CF_SIM_NEVER)
      return false;
   if (gpu->watch)
      gpu->watch->step(gpu->watch->user, c->time, next);
   c->time = next;
   c->now |= c->at[slot];
   c->at[slot] = 0;
   c->filled &= ~(1ull << slot);
   if (c->later <= next)
      sort_by_wake(gpu);
   return true;
}

static void
run(struct cf_sim_gpu *gpu)
{
   struct cf_sim_clock *c = &gpu->clock;
   while (!gpu->failed && begin_cycle(gpu)) {
      uint64_t ready, after = UINT64_MAX; /* units that have not acted yet */
      while ((ready = c->now & after) != 0) {
         const uint32_t part = (uint32_t)__builtin_ctzll(ready);
         struct cf_sim_unit *unit = &gpu->unit[part];
         after = ~1ull << part;
         c->now ^= ready & -ready;
         if (unit->wake > c->time)
            continue;
         unit->wake = CF_SIM_NEVER;
         tick(gpu, part);
      }
   }
}

void
cf_sim_gpu_chunk(struct cf_sim_gpu *gpu, const struct cf_sim_chunk *chunk,
                 const struct cf_sim_order *order)
{
   gpu->chunk = chunk;
   gpu->order = order;
   if (!cf_sim_layout_chunk(&gpu->pixels.layout, chunk) || !add_codes(gpu, chunk) ||
       !find_ranges(gpu, chunk)) {
      gpu->failed = true;
      return;
   }
   cf_sim_front_begin_chunk(gpu);
   cf_sim_setup_begin_chunk(gpu);
   cf_sim_raster_begin_chunk(gpu);
   cf_sim_prefetch_begin_chunk(gpu);
   cf_sim_pixel_begin_chunk(gpu);
   run(gpu);
   gpu->stuck |= gpu->front.op < chunk->ops || !gpu->setup.ended || !cf_sim_gpu_drained(gpu);
}
