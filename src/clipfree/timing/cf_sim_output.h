/* SPDX-License-Identifier: MIT */
/*
 * The output unit takes exports of all cores. The pixel engine takes the pixels of tasks in the
 * order of raster, whatever the order in which the cores finish them; its requests go to the caches
 * of pixels (cf_sim_cycles.h).
 */
#ifndef CF_SIM_OUTPUT_H
#define CF_SIM_OUTPUT_H

#include "clipfree/timing/cf_sim_pixels.h"
#include "clipfree/timing/cf_sim_unit.h"

struct cf_sim_gpu;
struct cf_sim_task;

#define CF_SIM_EXPORTS 128
#define CF_SIM_PIXEL_TASKS 512

struct cf_sim_output {
   struct {
      uint8_t core, slot;
   } queue[CF_SIM_EXPORTS]; /* ring */
   uint32_t first, count;
   uint64_t free;
   bool leaving; /* the first one leaves at `free` */
   uint64_t in, out;
};

struct cf_sim_pixel {
   struct cf_sim_task *task[CF_SIM_PIXEL_TASKS]; /* ring, in order */
   uint32_t first, tasks;
   uint64_t retired, pushed; /* tasks */
   struct cf_sim_pixel_walk walk;
   struct cf_sim_request_sink sink;
   size_t item; /* of the first task */
   /* requests of items that the caches have not taken yet */
   struct cf_sim_request *request;
   size_t requests, request_room, next_request;
   uint64_t requests_made; /* since the GPU began */
   bool ended;             /* the walk through the chunk */
};

void cf_sim_output_tick(struct cf_sim_gpu *gpu);
bool cf_sim_output_has_room(const struct cf_sim_gpu *gpu, uint32_t core);
void cf_sim_output_push(struct cf_sim_gpu *gpu, uint32_t core, uint32_t slot);

/** Whether the results of a task that has ended can leave its core. */
bool cf_sim_output_takes(const struct cf_sim_gpu *gpu, const struct cf_sim_task *task);

/** The task has its results. */
void cf_sim_output_done(struct cf_sim_gpu *gpu, struct cf_sim_task *task);

void cf_sim_pixel_begin_chunk(struct cf_sim_gpu *gpu);
void cf_sim_pixel_tick(struct cf_sim_gpu *gpu);

/** The next task in the order of raster. False: there are too many. */
bool cf_sim_pixel_expect(struct cf_sim_gpu *gpu, struct cf_sim_task *task);

bool cf_sim_pixel_idle(const struct cf_sim_pixel *pixel);

#endif
