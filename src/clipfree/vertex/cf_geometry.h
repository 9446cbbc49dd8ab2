/* SPDX-License-Identifier: MIT */
/*
 * Geometry engine: runs a draw's geometry program for its primitives, 32 to a task, between the
 * post-transform store and primitive assembly (GL 3.2 section 2.12). Input and emitted vertices lie
 * in the task's scratch (struct program in interface/packets.toml). Emitted vertices become
 * records, as those of vertex programs are. One engine per thread.
 *
 * Use: cf_geometry_begin (a draw), then for at most 32 primitives at a time cf_geometry_run, and
 * cf_geometry_strip until each primitive's vertices are taken. The order of primitives is the
 * caller's, so results do not depend on how a draw is cut into tasks.
 */
#ifndef CF_GEOMETRY_H
#define CF_GEOMETRY_H

#include <stdbool.h>
#include <stdint.h>

#include "clipfree/interface/cf_observer.h"
#include "clipfree/interface/cf_packets.h"
#include "clipfree/shader/cf_program.h"
#include "clipfree/shader/cf_task.h"

/* The geometry stage of a draw. Read only, shared by all threads. */
struct cf_geometry_source {
   const struct cf_stage *stage;
   uint32_t record_dwords; /* of emitted vertices */
   enum cf_prim_kind prim; /* of its output: points, line_strip or triangle_strip */
   uint32_t links;
   struct cf_link link[CF_MAX_VARYING_DWORDS / 4]; /* where its varyings lie in vertex records */
};

/* A primitive: the records of its vertices, and its number in its instance of the draw. */
struct cf_geometry_input {
   const float *vertex[6];
   uint32_t primitive, instance;
};

struct cf_geometry_engine;

/** `observer`: NULL for none. NULL: out of memory. */
struct cf_geometry_engine *cf_geometry_engine_create(const struct cf_shader_ops *shader,
                                                     const struct cf_observer *observer);
void cf_geometry_engine_destroy(struct cf_geometry_engine *engine);

/** Begin a draw, whose packet is at GPU address `draw`. `task` is used until the next call; its
 * scratch must be as large as the program asks for. False: out of memory. */
bool cf_geometry_begin(struct cf_geometry_engine *engine, const struct cf_geometry_source *source,
                       uint64_t draw, struct cf_task *task);

/** Run the program for `count` primitives, 1 to 32. False: the watchdog ended the task; then
 * nothing is emitted. */
bool cf_geometry_run(struct cf_geometry_engine *engine, const struct cf_geometry_input *inputs,
                     uint32_t count);

/** Whether any lane of the last run emitted a vertex. */
bool cf_geometry_emits(const struct cf_geometry_engine *engine);

/** The vertices that lane `lane` of the last run emitted, from number `first` on up to the end of
 * their strip: *count of them, 0: there are none left. Valid until the next call. */
const float *const *cf_geometry_strip(struct cf_geometry_engine *engine, uint32_t lane,
                                      uint32_t first, uint32_t *count);

/** The layer (gl_Layer) of an emitted vertex. */
uint32_t cf_geometry_layer(const float *record);

#endif
