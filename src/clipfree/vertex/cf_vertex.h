/* SPDX-License-Identifier: MIT */
/*
 * Vertex engine (paper A): index fetch, reuse of vertices that were shaded already, packing of 32
 * vertices to a task, and the post-transform store, which primitive assembly reads.
 *
 * Use: cf_vertex_begin (a draw), cf_vertex_request for some ranges of its runs, cf_vertex_finish,
 * then the vertices of each request through cf_vertex_records. Between requests cf_vertex_join goes on
 * with another draw, whose vertices share tasks with those before. The store holds one chunk's
 * vertices; the next begin empties it. One engine per thread.
 *
 * Positions first: where the program has a slice that computes the heads of records (cf_program_positions), tasks run that, and
 * each record says by its dword CF_RECORD_PENDING that it is no more than a head. Who needs more calls cf_vertex_complete, which
 * runs the whole program for the record's task. Tasks that nobody asks for are never run as a whole.
 */
#ifndef CF_VERTEX_H
#define CF_VERTEX_H

#include <stdbool.h>
#include <stdint.h>

#include "clipfree/interface/cf_observer.h"
#include "clipfree/shader/cf_program.h"
#include "clipfree/shader/cf_task.h"

/* Reach of the vertex cache: of so many consecutive primitives of a draw, vertices with equal indices
 * are shaded once. The store is made for groups of that size. */
#define CF_VERTEX_REUSE_PRIMS 512

/* Where the vertices of a draw come from. Read only, shared by all threads. */
struct cf_vertex_source {
   const struct cf_stage *stage;
   const uint8_t *indices; /* of the draw's first element; NULL: element i is vertex `start` + i */
   uint32_t index_size_B;  /* 1, 2 or 4 */
   uint32_t start;         /* first vertex when there are no indices */
   int32_t index_bias;
   uint32_t base_instance;
   uint32_t record_dwords; /* of the post-transform store: the program's outputs, rounded up to a
                              multiple of 4, at least CF_RECORD_HEAD_DWORDS */
   uint64_t draw; /* GPU address of its packet, for who watches */
   bool plain; /* every element is shaded, also one whose index was there before, and no draw joins; so
                  it is, too, where the program is not pure (cf_program_is_pure) */
};

/* Part of a run that is wanted: elements first .. last of the draw, numbered from the run's first
 * element. */
struct cf_vertex_range {
   uint32_t run_first; /* element of the draw that is vertex 0 of the run */
   uint32_t first, last;
   bool needs_vertex_0;
   uint32_t instance;
};

struct cf_vertex_engine;

/** `max_vertices`: how many one chunk requests at most. `observer`: NULL if nobody watches; else sources
 * are plain, and none is shaded positions first. NULL: out of memory. */
struct cf_vertex_engine *cf_vertex_engine_create(const struct cf_shader_ops *shader,
                                                 uint32_t max_vertices,
                                                 const struct cf_observer *observer);
void cf_vertex_engine_destroy(struct cf_vertex_engine *engine);

/** Start a group of requests. `task` is used until cf_vertex_finish, or the last cf_vertex_complete. `positions_first`: only if the
 * source's program has a slice, and no other draw joins. False: out of memory. */
bool cf_vertex_begin(struct cf_vertex_engine *engine, const struct cf_vertex_source *source,
                     struct cf_task *task, bool positions_first);

/** Whether vertices of both draws may share tasks. */
bool cf_vertex_can_join(const struct cf_vertex_source *source, const struct cf_vertex_source *other);

/** Requests are of this draw from now on, which can join those of the group. Some range of the one before was asked for. */
void cf_vertex_join(struct cf_vertex_engine *engine, const struct cf_vertex_source *source);

/** Ask for a range. Ranges are numbered by handles for cf_vertex_records: the first of the group
 * has 0, the next one cf_vertex_next_handle of it. */
void cf_vertex_request(struct cf_vertex_engine *engine, const struct cf_vertex_range *range);

/** The handle after `handle`, which is that of `range`: increased by the vertices asked for. */
static inline uint32_t
cf_vertex_next_handle(const struct cf_vertex_range *range, uint32_t handle)
{
   return handle + range->last - range->first + 1 + (range->needs_vertex_0 && range->first > 0);
}

/** Shade what is still pending. */
void cf_vertex_finish(struct cf_vertex_engine *engine);

/** Positions first: shade the vertices of a pending record's task as a whole. Heads stay what they are. False: the watchdog ended this
 * task or one before. */
bool cf_vertex_complete(struct cf_vertex_engine *engine, const float *record);

/** Not NULL: the watchdog ended one of the group's tasks, the last of whose vertices is of this draw; the task's vertices, and those
 * of tasks after it, are all zero. */
const struct cf_vertex_source *cf_vertex_gave_up(const struct cf_vertex_engine *engine);

/* A load of a vertex element that is not in its buffer. */
struct cf_vertex_outside {
   const struct cf_vertex_source *source;
   uint32_t lane, element, vertex; /* vertex: the number that was asked for */
};

/** The first such load of the group; NULL: none. Elements that step by instances are not looked at. */
const struct cf_vertex_outside *cf_vertex_outside(const struct cf_vertex_engine *engine);

/** Post-transform records of a range's vertices, by number in the run (first .. last, and 0 if
 * asked for). Valid until the next call. NULL: out of memory. */
const float *const *cf_vertex_records(struct cf_vertex_engine *engine,
                                      const struct cf_vertex_range *range, uint32_t handle);

/* Of tasks since the engine was made; `position_tasks`: those that were run for their heads alone. */
struct cf_vertex_stats {
   uint64_t tasks, position_tasks;
};

struct cf_vertex_stats cf_vertex_stats(const struct cf_vertex_engine *engine);
#endif
