/* SPDX-License-Identifier: MIT */
/*
 * Mode `cycles`, gpu.model = "whole": paper A's GPU. Units pass work on through bounded queues; a
 * unit acts in a cycle by what it sees, in the order of enum cf_sim_part, and wakes those that it
 * gives work or room, from the next cycle on. Time jumps to the next cycle in which one has work.
 *
 *    command -> vertex -> scheduler -> cores <-> memory, l2 -> output -> assembly, edges, depth,
 *    viewport -> raster -> blocks -> scheduler -> cores -> output -> pixel -> pixel caches -> dram
 *    raster -> prefetch -> pixel caches
 *
 * Each unit has a file; its state is its own, but for tasks, which go from one to the next.
 */
#ifndef CF_SIM_GPU_H
#define CF_SIM_GPU_H

#include "clipfree/timing/cf_sim_core.h"
#include "clipfree/timing/cf_sim_cycles.h"
#include "clipfree/timing/cf_sim_front.h"
#include "clipfree/timing/cf_sim_l2.h"
#include "clipfree/timing/cf_sim_memory.h"
#include "clipfree/timing/cf_sim_output.h"
#include "clipfree/timing/cf_sim_prefetch.h"
#include "clipfree/timing/cf_sim_raster.h"
#include "clipfree/timing/cf_sim_setup.h"
#include "clipfree/timing/cf_sim_task.h"
#include "clipfree/timing/cf_sim_unit.h"

/* Units, in the order in which they act in a cycle. */
enum cf_sim_part {
   CF_SIM_PART_COMMAND,
   CF_SIM_PART_VERTEX,
   CF_SIM_PART_SCHEDULER,
   CF_SIM_PART_CORE, /* the first one */
   CF_SIM_PART_MEMORY = CF_SIM_PART_CORE + CF_SIM_MAX_CORES,
   CF_SIM_PART_L2,
   CF_SIM_PART_OUTPUT,
   CF_SIM_PART_ASSEMBLY, /* then the stages of cf_sim_setup.h */
   CF_SIM_PART_RASTER = CF_SIM_PART_ASSEMBLY + CF_SIM_SETUP_STAGES,
   CF_SIM_PART_BLOCKS,
   CF_SIM_PART_PREFETCH,
   CF_SIM_PART_PIXEL,
   CF_SIM_PART_PIXEL_CACHES,
   CF_SIM_PART_DRAM,
   CF_SIM_PARTS
};

/* Where the vertices and primitives of an operation lie in the chunk. */
struct cf_sim_op_range {
   size_t first_vertex, end_vertex, first_primitive, end_primitive;
};

/* What a run counts beside the cycles of units. */
struct cf_sim_gpu_counts {
   uint64_t tasks[CF_SIM_STAGES]; /* of vertices: that cores began; of pixels: that were packed */
   uint64_t vertices, primitives, quads, covered, samples;
   uint64_t geometry, geometry_tasks; /* primitives that geometry programs take; their tasks, which
                                         are among those of vertices */
   uint64_t texels, filtered;  /* that are read; that filters weigh, four a sample */
   uint64_t distinct_vertices; /* by index and instance, in each draw */
   uint64_t instructions, alu_instructions;
   uint64_t alu_lanes;     /* sum over alu_instructions of their active lanes */
   uint64_t vertex_cycles; /* cycles with a vertex between the vertex engine and assembly */
   uint64_t lost;          /* tasks whose outcomes the trace lacks: of a damaged one */
   struct cf_sim_flow_counts in_cores, in_tasks; /* tasks; in_tasks: from packing to the end */
};

#define CF_SIM_MAX_TASKS 512

struct cf_sim_gpu {
   const struct cf_sim_machine *machine;
   union {
      uint64_t time; /* of the clock */
      struct cf_sim_clock clock;
   };
   struct cf_sim_unit unit[CF_SIM_PARTS];
   uint64_t cycles[CF_SIM_PARTS + CF_SIM_MAX_CORES][CF_SIM_WHYS]; /* of units, then of ALUs */
   const struct cf_sim_chunk *chunk;
   const struct cf_sim_order *order;
   struct cf_sim_op_range *range; /* by operation of the chunk */
   struct cf_sim_code *code;      /* by program of the trace; the last: that of no program */
   size_t codes;
   struct cf_sim_task *task; /* a pool */
   uint16_t free_task[CF_SIM_MAX_TASKS];
   uint32_t free_tasks;
   struct cf_sim_front front;
   struct cf_sim_core core[CF_SIM_MAX_CORES];
   struct cf_sim_line_cache instructions, constants;
   struct cf_sim_memory memory;
   struct cf_sim_l2 l2;
   struct cf_sim_output output;
   struct cf_sim_setup setup;
   struct cf_sim_raster raster;
   struct cf_sim_prefetcher prefetch;
   struct cf_sim_pixel pixel;
   struct cf_sim_cycles pixels; /* caches of pixels, and memory */
   struct cf_sim_gpu_counts counts;
   const struct cf_sim_watch *watch; /* NULL: none */
   bool vertices_inside;             /* some vertex is between the vertex engine and assembly */
   uint64_t vertices_since;          /* cycles with such vertices are counted up to here */
   bool failed; /* out of memory */
   bool stuck;  /* work was left that nothing would do: a fault of the model */
};

/** False: out of memory. The machine must outlive it. */
bool cf_sim_gpu_init(struct cf_sim_gpu *gpu, const struct cf_sim_machine *machine);
void cf_sim_gpu_free(struct cf_sim_gpu *gpu);

/** Run a chunk to its end. */
void cf_sim_gpu_chunk(struct cf_sim_gpu *gpu, const struct cf_sim_chunk *chunk,
                      const struct cf_sim_order *order);

/** Report to `watch` from now on. */
void cf_sim_gpu_watch(struct cf_sim_gpu *gpu, const struct cf_sim_watch *watch);

/** Count cycles up to a time, before which no unit acts any more. It changes no sum. */
void cf_sim_gpu_settle(struct cf_sim_gpu *gpu, uint64_t time);

/** All chunks were run: count the cycles up to now. */
void cf_sim_gpu_finish(struct cf_sim_gpu *gpu);

/** Whether the machine can run whole. NULL, or why not. */
const char *cf_sim_gpu_contradiction(const struct cf_sim_machine *machine);

/** Whether all work that was begun is done. */
bool cf_sim_gpu_drained(const struct cf_sim_gpu *gpu);

#define CF_SIM_PART_NAME_B 32

/** "command", ...; of cores "core0", ... */
void cf_sim_part_name(enum cf_sim_part part, char text[CF_SIM_PART_NAME_B]);

/** Count cycles with vertices, before their number changes. */
void cf_sim_gpu_count_vertices(struct cf_sim_gpu *gpu);

/** A task of the pool. NULL: none is free. */
struct cf_sim_task *cf_sim_gpu_take_task(struct cf_sim_gpu *gpu, enum cf_sim_stage stage,
                                         uint32_t op);
void cf_sim_gpu_free_task(struct cf_sim_gpu *gpu, struct cf_sim_task *task);

/** Wake a unit in the next cycle. */
static inline void
cf_sim_gpu_wake(struct cf_sim_gpu *gpu, uint32_t part)
{
   struct cf_sim_unit *unit = &gpu->unit[part];
   const uint64_t next = gpu->time + 1,
                  sooner = next < unit->wake; /* no branch: it cannot be predicted */
   unit->wake = sooner ? next : unit->wake;
   gpu->clock.at[next % CF_SIM_AHEAD] |= sooner << part;
   gpu->clock.filled |= sooner << next % CF_SIM_AHEAD;
}

#endif
