/* SPDX-License-Identifier: MIT */
/*
 * A task: 32 threads in lock step (32 vertices, or 8 quads of 2x2 pixels), and the configuration of
 * a stage. The shader core sees no more than these. The caller prepares a task for a stage, fills
 * the inputs, runs it, and takes the outputs.
 *
 * A thread reuses one task for many runs: it is too large to clear, so registers hold garbage at
 * the start, and programs may not read what they have not written. Each scalar register is kept in
 * all 32 lanes ("broadcast"), so every operand is a row of 32 lanes.
 */
#ifndef CF_TASK_H
#define CF_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include "clipfree/base/cf_lanes.h"
#include "clipfree/interface/cf_limits.h"
#include "clipfree/memory/cf_format.h"

#define CF_ROW_B (CF_TASK_LANES * 4)
#define CF_MAX_OUTPUTS (CF_OUTPUT_VARYINGS + CF_MAX_VARYING_DWORDS)
#define CF_MAX_SCRATCH_DWORDS 65536
#define CF_MAX_PROGRAM_INSTRS 65536
#define CF_SYSVAL_COUNT 14 /* enum sysval of isa.toml */
#define CF_MAX_BROADCAST_ROWS 256
/* Tasks of small draws run only their first lanes. Up to this number, vertex fetch and the vertex
 * engine handle no more lanes than that. */
#define CF_FEW_LANES 8

/* A vertex record has the outputs of a vertex program as dwords: a head of position (0..3), point
 * size (4) and edge flag (5), then varyings. */
#define CF_RECORD_HEAD_DWORDS CF_OUTPUT_VARYINGS
/* An unused dword of the head, which marks records with nothing but a head: not 0
 * (vertex/cf_vertex.h, "Positions first"). */
#define CF_RECORD_PENDING 7

struct cf_texture_unit; /* texture/cf_texture.h */
struct cf_decoded;      /* a decoded program, shader/cf_program.h */
struct cf_unit_clock;   /* base/cf_unit_clock.h */
struct cf_time_limit;   /* base/cf_time_limit.h */

/* A vertex element: where and how to fetch it. */
struct cf_fetch {
   const uint8_t *data; /* NULL: all loads give 0 */
   uint32_t size_B;     /* of the buffer, from data on */
   uint32_t stride_B;
   /* 0: the element of vertex i is number i. Else it is number base_instance + instance / divisor,
    * which ldf computes */
   uint32_t divisor;
   const struct cf_format_info *format;
};

/** Number of elements in the buffer. The last one may end with the buffer, short of a whole
 * stride. */
static inline uint64_t
cf_fetch_count(const struct cf_fetch *fetch)
{
   if (!fetch->data || fetch->size_B < fetch->format->pixel_B)
      return 0;
   if (fetch->stride_B == 0)
      return UINT64_C(1) << 32;
   return (fetch->size_B - fetch->format->pixel_B) / fetch->stride_B + 1;
}

/* Configuration of a stage during one draw. Read only while tasks run; all threads share it. */
struct cf_stage {
   const struct cf_decoded *program;
   /* limit of the watchdog: a task that goes back in loops over more instructions gives up, and
    * exports nothing */
   uint64_t max_instrs;
   /* Vertices that every buffer without a divisor has; UINT64_MAX: there is no such buffer. For
    * reports of vertices out of range; loads are checked by themselves. */
   uint64_t fetch_vertices;
   /* Stages of a pass with the same family differ at most in their buffers: address, size and
    * stride of the elements in `fetch`. A task may have vertices of several of them. */
   uint32_t family;
   /* entries of `textures` and `fetch` that are set: the program reads no others */
   uint16_t units, fetches;
   struct {
      const uint32_t *data;
      uint32_t dwords;
   } constants[CF_MAX_CONSTANT_BANKS];
   const struct cf_texture_unit
      *textures[CF_MAX_TEXTURE_UNITS]; /* NULL: sampling gives (0, 0, 0, 1) */
   /* the last member: draws allocate only `fetches` entries of it */
   struct cf_fetch fetch[CF_MAX_VERTEX_ELEMENTS];
};

/* A part of a vertex task: consecutive lanes, from the end of the part before it, with vertices of
 * one draw. */
struct cf_fetch_part {
   const struct cf_fetch *fetch; /* elements of that draw's stage, which is of the same family */
   uint32_t end;                 /* one after the last lane */
};

struct cf_task {
   _Alignas(64) uint32_t v[CF_MAX_VECTOR_REGS][CF_TASK_LANES];
   uint32_t s[CF_MAX_SCALAR_REGS][CF_TASK_LANES];
   /* inputs */
   /* System values; valid are those in the program's `sysvals`. In vertex tasks instance_id and
    * base_instance, too, if an element has a divisor. Never helper, which is the complement of
    * alive. */
   uint32_t sys[CF_SYSVAL_COUNT][CF_TASK_LANES];
   /* perspective-correct barycentrics of vertices 0 and 1 (paper A eq. 5) */
   float bary[2][CF_TASK_LANES];
   float linear[2][CF_TASK_LANES]; /* barycentrics linear in window space */
   /* bary at a covered sample, of a pixel that is covered in part */
   float centroid[2][CF_TASK_LANES];
   /* Rounding errors of bary: its f64 value less bary, of lanes in `shared`. The pixels of these
    * lanes are covered in part, in a frame of several samples, so neighbouring triangles of the
    * same plane may cover the rest. There smooth varyings are computed in f64 and rounded once: all
    * of these triangles get the same value, and none a seam. */
   float bary_rest[2][CF_TASK_LANES];
   float tex_operand[CF_TEX_OPERANDS][CF_TASK_LANES]; /* that grad instructions set, for tex */
   /* Varyings of each quad's primitive, for quads with a lane in exec: {value at vertex 2, v0 - v2,
    * v1 - v2} per dword. A smooth varying is p[0] + bary0 * p[1] + bary1 * p[2], each operation
    * rounded to f32 (but see `shared`); a flat one is p[0]. */
   const float (*varyings[CF_TASK_QUADS])[3];
   bool one_primitive; /* all quads are of one primitive: varyings[] are equal */
   uint32_t shared;    /* lanes with bary_rest, of fragment tasks */
   uint32_t exec;      /* lanes to run, helpers included */
   uint32_t alive;     /* lanes that may export. On return: less those killed */
   /* outputs: valid in lanes of exec, undefined in the others */
   _Alignas(64) uint32_t out[CF_MAX_OUTPUTS][CF_TASK_LANES];
   /* working storage */
   uint32_t (*scratch)[CF_TASK_LANES]; /* at least as many dwords as the program asks for */
   uint32_t scratch_dwords;
   /* result: the watchdog ended the task, which ran more than cf_stage.max_instrs instructions, or
    * `limit` is exceeded */
   bool timed_out;
   /* of the time of the thread that runs the task, for what the task belongs to; NULL: none */
   const struct cf_time_limit *limit;
   /* profiler of the thread that runs the task; NULL: nothing is measured */
   struct cf_unit_clock *clock;
   uint64_t interpreted; /* counter of runs that were interpreted */
   /* Parts of a vertex task, from lane 0 on. Lanes after the last part load the elements of the
    * stage. */
   uint32_t parts;
   struct cf_fetch_part part[CF_TASK_LANES];
   /* Rows of the uniforms and literals that the program of stage `prepared` reads
    * (cf_shader_ops.prepare). Every thread has its own copy: a shared one would have to be fetched
    * from the cache of the thread that made it. */
   const struct cf_stage *prepared; /* NULL: no stage */
   _Alignas(64) uint32_t broadcast[CF_MAX_BROADCAST_ROWS][CF_TASK_LANES];
};

#endif
