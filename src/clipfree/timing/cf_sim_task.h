/* SPDX-License-Identifier: MIT */
/*
 * A task of the simulated GPU: 32 vertices, or the pixels of quads, that run a program in lock
 * step. The trace has the path of each vertex and quad, so the instructions and masks of any of
 * them together can be rebuilt: a branch takes the next outcome of each lane in the mask.
 */
#ifndef CF_SIM_TASK_H
#define CF_SIM_TASK_H

#include "clipfree/timing/cf_sim_code.h"
#include "clipfree/timing/cf_sim_texels.h"

#define CF_SIM_GROUPS 32 /* fours of lanes: quads of pixels, or vertices; 8 but with raster.pack   \
                          */
#define CF_SIM_NESTING 64

__extension__ typedef unsigned __int128 cf_sim_lanes; /* a bit for each lane of all groups */

struct cf_sim_task {
   enum cf_sim_stage stage;
   const struct cf_sim_chunk *chunk;
   const struct cf_sim_op *op;
   const struct cf_sim_code *code; /* NULL: it has no program */
   uint64_t number;                /* among the tasks of its stage */
   uint32_t groups;
   uint32_t lanes; /* in exec, when a core begins it and after control flow */
   cf_sim_lanes exec, alive;
   uint64_t packed_cycle, begun_cycle; /* begun: a core took it */
   size_t first_item, end_item; /* in order: its quads, and what needs no task */
   size_t first_vertex;
   bool moved; /* an outcome was taken since the last loop ended */
   bool lost;  /* the trace lacks an outcome, so the program ends */
   bool done;
   cf_sim_lanes waiting[CF_SIM_NESTING], continued[CF_SIM_NESTING]; /* by slot of a construct */
   struct cf_sim_samples quad[CF_SIM_GROUPS]; /* fragments: how far each quad is */
   /* Vertices: how far each is, in vertex_texel and vertex_step. */
   size_t texel[CF_SIM_LANES], step[CF_SIM_LANES];
   uint16_t order[CF_SIM_LANES];
};

/** Begin a task without lanes. */
void cf_sim_task_begin(struct cf_sim_task *task, const struct cf_sim_chunk *chunk,
                       enum cf_sim_stage stage, uint32_t op, const struct cf_sim_code *code);

/** A quad joins a task of fragments; `covered`: its pixels. */
void cf_sim_task_add_quad(struct cf_sim_task *task, const struct cf_sim_samples *samples,
                          uint32_t covered);

/** Move on to the first texel and step of a vertex, or of one after it. */
void cf_sim_task_find_vertex(const struct cf_sim_chunk *chunk, size_t vertex, size_t *texel,
                             size_t *step);

/** The vertex after the last one joins a task of vertices; where its texels and steps begin. */
void cf_sim_task_add_vertex(struct cf_sim_task *task, size_t texel, size_t step);

/** Run the control flow at an instruction: the number of the next one. */
uint32_t cf_sim_task_flow(struct cf_sim_task *task, uint32_t at);

/** What ldu, lds and sts of all lanes refer to. Returns whether it is one dword for all lanes,
 * which is put into *dword. */
bool cf_sim_task_reference(struct cf_sim_task *task, uint32_t at, uint32_t *dword);

/** A sample that instruction `at` takes for a group. False: there are no more. */
bool cf_sim_task_sample(struct cf_sim_task *task, uint32_t at, uint32_t group,
                        const struct cf_sim_layout *layout, struct cf_sim_sample_lines *lines);

static inline uint32_t
cf_sim_count_lanes(cf_sim_lanes lanes)
{
   return (uint32_t)__builtin_popcountll((uint64_t)lanes) +
          (uint32_t)__builtin_popcountll((uint64_t)(lanes >> 64));
}

/** Lanes of a group that run. */
static inline uint32_t
cf_sim_task_group(const struct cf_sim_task *task, uint32_t group)
{
   return (uint32_t)(task->exec >> 4 * group) & 15;
}

#endif
