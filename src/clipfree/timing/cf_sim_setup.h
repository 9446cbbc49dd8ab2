/* SPDX-License-Identifier: MIT */
/*
 * The primitive engine: assembly takes vertices in order and makes primitives; stages with DP3
 * units compute edges (paper A eq. 1), depth (eq. 3) and map both to the viewport (eq. 4). Those
 * that are culled leave where the reason is known.
 */
#ifndef CF_SIM_SETUP_H
#define CF_SIM_SETUP_H

#include "clipfree/timing/cf_sim_unit.h"

struct cf_sim_gpu;
struct cf_sim_task;

enum cf_sim_setup_stage {
   CF_SIM_SETUP_ASSEMBLY,
   CF_SIM_SETUP_EDGES,
   CF_SIM_SETUP_DEPTH,
   CF_SIM_SETUP_VIEWPORT,
   CF_SIM_SETUP_STAGES
};

#define CF_SIM_PRIMITIVE_QUEUE 64
#define CF_SIM_VERTEX_TASKS 2048

/* A primitive on its way, or the end of an operation. */
struct cf_sim_set_up {
   uint32_t op;
   bool end;
   size_t primitive; /* in the chunk */
   uint64_t ready;   /* when the stage before it is done with it */
};

struct cf_sim_primitive_queue {
   struct cf_sim_set_up primitive[CF_SIM_PRIMITIVE_QUEUE]; /* ring */
   uint32_t first, count;
   uint64_t in, out;
};

struct cf_sim_setup {
   /* tasks of vertices, in order: a ring */
   struct cf_sim_task *task[CF_SIM_VERTEX_TASKS];
   uint32_t first_task, tasks;
   size_t ready; /* vertices before this one are shaded */
   /* assembly */
   uint32_t op;
   bool ended; /* all operations are assembled */
   size_t next_vertex, next_primitive;
   struct cf_sim_primitive_queue queue[CF_SIM_SETUP_STAGES]; /* before each stage; [0] unused */
   uint64_t free[CF_SIM_SETUP_STAGES];                       /* when it takes the next one */
};

void cf_sim_setup_begin_chunk(struct cf_sim_gpu *gpu);
void cf_sim_setup_tick(struct cf_sim_gpu *gpu, enum cf_sim_setup_stage stage);

/** A task of vertices was packed. Tasks are expected in the order of their vertices. */
void cf_sim_setup_expect(struct cf_sim_gpu *gpu, struct cf_sim_task *task);

/** An expected task has been shaded. */
void cf_sim_setup_shaded(struct cf_sim_gpu *gpu, struct cf_sim_task *task);

bool cf_sim_setup_idle(const struct cf_sim_setup *setup);

/** Vertices of an operation that must be there for its primitive `number`, of a kind. */
uint64_t cf_sim_setup_needs(uint32_t prim, uint64_t number);

/** The first of a queue; NULL: it is empty. */
static inline struct cf_sim_set_up *
cf_sim_primitive_front(struct cf_sim_primitive_queue *q)
{
   return q->count ? &q->primitive[q->first] : NULL;
}

/** Remove it. */
void cf_sim_primitive_drop(struct cf_sim_primitive_queue *queue);

#endif
