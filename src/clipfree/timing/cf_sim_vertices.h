/* SPDX-License-Identifier: MIT */
/*
 * Mode `cycles`, gpu.model = "vertices": paper C's vertex shader. A distributor puts a vertex into
 * the data memory and starts its program, which goes through five stages: fetch, two of decoding,
 * execution in one of several units, and writing back. Instructions go in order, one in each stage
 * before the units; in the second stage of decoding they wait for their operands and their unit
 * (paper C has programs wait by NOPs there), and jumps are taken.
 *
 * The time of each step follows from that of the ones before it, so nothing is done by cycle.
 */
#ifndef CF_SIM_VERTICES_H
#define CF_SIM_VERTICES_H

#include "clipfree/timing/cf_sim_cache.h"
#include "clipfree/timing/cf_sim_layout.h"
#include "clipfree/timing/cf_sim_simd.h"
#include "clipfree/timing/cf_sim_task.h"
#include "clipfree/timing/cf_sim_unit.h"

enum cf_sim_vertices_part {
   CF_SIM_VERTICES_DISTRIBUTOR,
   CF_SIM_VERTICES_FETCH,
   CF_SIM_VERTICES_DECODE1,
   CF_SIM_VERTICES_DECODE2,
   CF_SIM_VERTICES_EXECUTE, /* the first of enum cf_sim_simd_unit */
   CF_SIM_VERTICES_WRITE_BACK = CF_SIM_VERTICES_EXECUTE + CF_SIM_SIMD_UNITS,
   CF_SIM_VERTICES_PARTS
};

#define CF_SIM_VERTICES_AHEAD 65     /* most vertices in the data memory */
#define CF_SIM_VERTICES_WRITES 4096u /* more than the cycles of the longest instruction */

struct cf_sim_vertices_counts {
   uint64_t vertices, instructions, operations; /* operations: components of instructions */
   uint64_t jumps, fetch_misses;
   uint64_t shaded; /* sum over vertices, from the first fetch until the last result is written */
   uint64_t lost;   /* vertices whose outcomes the trace lacks: of a damaged one */
};

struct cf_sim_vertices {
   const struct cf_sim_machine *machine;
   struct cf_sim_layout layout;
   struct cf_sim_code *code; /* by program of the trace, and the same for paper C */
   struct cf_sim_simd *simd;
   size_t programs;
   struct cf_sim_unit unit[CF_SIM_VERTICES_PARTS];
   uint64_t cycles[CF_SIM_VERTICES_PARTS][CF_SIM_WHYS];
   struct cf_sim_task task;
   size_t texel, step; /* of the chunk: what vertices did so far */
   /* when each stage is free: what was there last has left it */
   uint64_t fetch_free, decode1_free, decode2_free;
   uint64_t unit_free[CF_SIM_SIMD_UNITS],
      unit_busy[CF_SIM_SIMD_UNITS]; /* to take one; until done */
   uint64_t *ready;                 /* by register */
   uint32_t registers;
   uint64_t written[CF_SIM_VERTICES_WRITES]; /* by time modulo: the last cycle with a result */
   uint64_t end;                             /* the last result of the vertex is written */
   uint64_t distributed, ended[CF_SIM_VERTICES_AHEAD]; /* ring by vertex */
   uint64_t time;
   /* programs behind a cache */
   struct cf_sim_cache cache;
   struct cf_sim_dram dram;
   struct cf_sim_vertices_counts counts;
   bool failed; /* out of memory */
};

/** False: out of memory. The machine must outlive it. Ends with cf_sim_vertices_free, in any case.
 */
bool cf_sim_vertices_init(struct cf_sim_vertices *vertices, const struct cf_sim_machine *machine);
void cf_sim_vertices_free(struct cf_sim_vertices *vertices);

/** Shade the vertices of a chunk. */
void cf_sim_vertices_chunk(struct cf_sim_vertices *vertices, const struct cf_sim_chunk *chunk);

/** All chunks were run: count the cycles up to now. */
void cf_sim_vertices_finish(struct cf_sim_vertices *vertices);

/** "distributor", ... */
const char *cf_sim_vertices_part_name(enum cf_sim_vertices_part part);

/** Whether the machine can run this model. NULL, or why not. */
const char *cf_sim_vertices_contradiction(const struct cf_sim_machine *machine);

#endif
