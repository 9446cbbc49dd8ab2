/* SPDX-License-Identifier: MIT */
/*
 * Vertex engine (paper A): index fetch, vertex cache, packing of 32 vertices to a task, and the
 * post-transform store, which primitive assembly reads.
 *
 * Use: cf_vertex_begin (a draw), cf_vertex_request for ranges of its runs, cf_vertex_finish, then
 * cf_vertex_records for each range. Between requests cf_vertex_join switches to another draw, whose
 * vertices share tasks with those before: both belong to one group. The store holds one chunk's
 * vertices; the next cf_vertex_begin empties it. One engine per thread.
 *
 * Positions first: if the program has a slice that computes only the heads of records
 * (cf_program_positions), tasks run that slice, and dword CF_RECORD_PENDING marks each record as a
 * head only. cf_vertex_complete then runs the whole program for a record's task, when a visible
 * primitive needs it; all other tasks are never run whole.
 */
#ifndef CF_VERTEX_H
#define CF_VERTEX_H

#include <stdbool.h>
#include <stdint.h>

#include "clipfree/interface/cf_observer.h"
#include "clipfree/shader/cf_program.h"
#include "clipfree/shader/cf_task.h"

/* Size of a group, in consecutive primitives of a draw. The vertex cache finds vertices of the same
 * group; the post-transform store holds one group. */
#define CF_VERTEX_REUSE_PRIMS 512

/* Vertex input of a draw. Read only, shared by all threads. */
struct cf_vertex_source {
   const struct cf_stage *stage;
   /* of the draw, from its first element on; NULL: element i is vertex `start` + i */
   const uint8_t *indices;
   uint32_t index_size_B;  /* 1, 2 or 4 */
   uint32_t start;         /* first vertex when there are no indices */
   int32_t index_bias;
   uint32_t base_instance;
   /* size of a record: the program's outputs, rounded up to a multiple of 4, at least
    * CF_RECORD_HEAD_DWORDS */
   uint32_t record_dwords;
   uint64_t draw; /* GPU address of its packet, for observers */
   /* shade every element, without vertex cache or joined draws; programs that are not pure
    * (cf_program_is_pure) imply it */
   bool plain;
};

/* Requested part of a run (elements between primitive restarts): elements first .. last, counted
 * from the run's first element. */
struct cf_vertex_range {
   uint32_t run_first; /* element of the draw that is vertex 0 of the run */
   uint32_t first, last;
   bool needs_vertex_0; /* also element 0 of the run, e.g. the centre of a fan */
   uint32_t instance;
};

struct cf_vertex_engine;

/** `max_vertices`: most vertices requested in a group. `observer`: NULL for none; else all sources
 * must be plain and not shaded positions first. NULL: out of memory. */
struct cf_vertex_engine *cf_vertex_engine_create(const struct cf_shader_ops *shader,
                                                 uint32_t max_vertices,
                                                 const struct cf_observer *observer);
void cf_vertex_engine_destroy(struct cf_vertex_engine *engine);

/** Begin a group of requests. `task` is used until cf_vertex_finish, or the last
 * cf_vertex_complete. `positions_first` requires that the source's program has a position slice and
 * no other draw joins. False: out of memory. */
bool cf_vertex_begin(struct cf_vertex_engine *engine, const struct cf_vertex_source *source,
                     struct cf_task *task, bool positions_first);

/** Whether vertices of both draws may share tasks. */
bool cf_vertex_can_join(const struct cf_vertex_source *source,
                        const struct cf_vertex_source *other);

/** Further requests are of this draw. cf_vertex_can_join must hold, and the draw before must have
 * had a request. */
void cf_vertex_join(struct cf_vertex_engine *engine, const struct cf_vertex_source *source);

/** Request a range. Its handle for cf_vertex_records is 0 for the first range of the group, then
 * cf_vertex_next_handle of the range before. */
void cf_vertex_request(struct cf_vertex_engine *engine, const struct cf_vertex_range *range);

/** The handle of the next range: `handle`, that of `range`, plus its number of vertices. */
static inline uint32_t
cf_vertex_next_handle(const struct cf_vertex_range *range, uint32_t handle)
{
   return handle + range->last - range->first + 1 + (range->needs_vertex_0 && range->first > 0);
}

/** Shade the pending vertices. */
void cf_vertex_finish(struct cf_vertex_engine *engine);

/** Positions first: run the whole program for a pending record's task. The heads do not change.
 * False: the watchdog ended this task or an earlier one. */
bool cf_vertex_complete(struct cf_vertex_engine *engine, const float *record);

/** The draw of the last vertex in the task that the watchdog ended, NULL if it ended none. The
 * vertices of that task, and of later ones, are all zero. */
const struct cf_vertex_source *cf_vertex_timed_out(const struct cf_vertex_engine *engine);

/* An out-of-bounds load of a vertex element. */
struct cf_vertex_outside {
   const struct cf_vertex_source *source;
   uint32_t lane, element, vertex; /* vertex: its id */
};

/** The first such load of the group; NULL: none. Elements with a divisor are not checked. */
const struct cf_vertex_outside *cf_vertex_outside(const struct cf_vertex_engine *engine);

/** Post-transform records of a range, indexed by element of the run (first .. last, and 0 if
 * requested). Valid until the next call. NULL: out of memory. */
const float *const *cf_vertex_records(struct cf_vertex_engine *engine,
                                      const struct cf_vertex_range *range, uint32_t handle);

/* Counts since the engine was created. `position_tasks`: tasks run for positions alone. */
struct cf_vertex_stats {
   uint64_t tasks, position_tasks;
};

struct cf_vertex_stats cf_vertex_stats(const struct cf_vertex_engine *engine);

/** Vertices of the group that were shaded. */
uint32_t cf_vertex_shaded(const struct cf_vertex_engine *engine);

#endif
