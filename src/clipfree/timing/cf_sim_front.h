/* SPDX-License-Identifier: MIT */
/*
 * The front: the command processor takes operations in order; the vertex engine packs 32 indices a
 * task; the task scheduler gives tasks of vertices and pixels to cores that have a slot and
 * registers. A task of vertices begins when there is room for its results, so that it never waits
 * for assembly and tasks of pixels always find a core.
 */
#ifndef CF_SIM_FRONT_H
#define CF_SIM_FRONT_H

#include "clipfree/timing/cf_sim_unit.h"

struct cf_sim_gpu;
struct cf_sim_task;

#define CF_SIM_TASK_QUEUE 64
#define CF_SIM_DRAWS 2 /* that wait for the vertex engine */

struct cf_sim_task_queue {
   struct cf_sim_task *task[CF_SIM_TASK_QUEUE]; /* ring */
   uint32_t first, count;
};

struct cf_sim_front {
   /* command processor */
   uint32_t op; /* the next operation */
   bool read;   /* the operation and its state are being read, until `ready` */
   uint64_t ready;
   bool transferring;
   uint64_t to_read, to_write; /* lines of the transfer that are left to ask for */
   uint32_t reading;           /* lines on their way */
   uint64_t transfer_lines;
   uint32_t last_draw; /* of the chunk; CF_SIM_NONE */
   /* vertex engine */
   uint32_t draw[CF_SIM_DRAWS]; /* the first one's vertices are being packed */
   uint32_t draws;
   size_t next_vertex, texel, step;
   struct cf_sim_task *packing;
   uint32_t lines_asked, lines_there; /* of indices of the draw */
   uint64_t vertex_tasks;
   /* scheduler */
   struct cf_sim_task_queue vertices, pixels;
   uint32_t reserved; /* vertices between packing and assembly */
};

void cf_sim_front_begin_chunk(struct cf_sim_gpu *gpu);
void cf_sim_command_tick(struct cf_sim_gpu *gpu);
void cf_sim_vertex_tick(struct cf_sim_gpu *gpu);
void cf_sim_scheduler_tick(struct cf_sim_gpu *gpu);

/** A line of indices is there. */
void cf_sim_vertex_has_indices(struct cf_sim_gpu *gpu, uint32_t line);

/** Lines of a transfer were read. */
void cf_sim_command_has_line(struct cf_sim_gpu *gpu);

/** Put a task of pixels into the scheduler's queue. False: it is full. */
bool cf_sim_scheduler_push_pixels(struct cf_sim_gpu *gpu, struct cf_sim_task *task);

#endif
