/* SPDX-License-Identifier: MIT */
/*
 * A task: 32 threads in lock step (32 vertices, or 8 quads of 2x2 pixels), and what a stage is
 * configured with. This is all the unified shader core sees. The caller prepares the task for a stage,
 * fills the inputs, runs it, and takes the outputs; a task is reused for many runs by one thread (it is
 * too large to clear: registers hold garbage at the start and programs may not rely on them).
 *
 * Scalar registers are kept once per lane ("broadcast"), so every operand is an array of 32 lanes.
 */
#ifndef CF_TASK_H
#define CF_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include "clipfree/base/cf_lanes.h"
#include "clipfree/interface/cf_limits.h"
#include "clipfree/memory/cf_format.h"

#define CF_MAX_OUTPUTS 136
#define CF_MAX_SCRATCH_DWORDS 65536
#define CF_MAX_PROGRAM_INSTRS 65536
#define CF_SYSVAL_COUNT 13 /* enum sysval of isa.toml */
#define CF_MAX_BROADCAST_ROWS 256
/* Where only the first so many lanes run, as in small draws, vertex fetch and the vertex engine look at no others. */
#define CF_FEW_LANES 8

/* Outputs of vertex programs, and the dwords of a vertex record: a head of position (0..3), point size (4) and edge flag (5), then
 * varyings. */
#define CF_RECORD_HEAD_DWORDS CF_OUTPUT_VARYINGS
/* No output: where records may be heads alone, not 0 in those that are (vertex/cf_vertex.h). */
#define CF_RECORD_PENDING 7

struct cf_texture_unit; /* texture/cf_texture.h */
struct cf_decoded;      /* a decoded program, shader/cf_program.h */
struct cf_unit_clock;   /* base/cf_unit_clock.h */

/* A vertex element ready to fetch from. */
struct cf_fetch {
   const uint8_t *data; /* NULL: all loads give 0 */
   uint32_t size_B;     /* bytes valid from data on */
   uint32_t stride_B;
   uint32_t divisor; /* 0: index is the vertex, else index is base_instance + instance / divisor
                        (the program computes nothing: ldf does) */
   const struct cf_format_info *format;
};

/** Number of elements in the buffer: the last one may end with the buffer, short of its stride. */
static inline uint64_t
cf_fetch_count(const struct cf_fetch *fetch)
{
   if (!fetch->data || fetch->size_B < fetch->format->pixel_B)
      return 0;
   if (fetch->stride_B == 0)
      return UINT64_C(1) << 32;
   return (fetch->size_B - fetch->format->pixel_B) / fetch->stride_B + 1;
}

/* What a stage is configured with during one draw. Read only while tasks run, shared by all
 * threads. */
struct cf_stage {
   const struct cf_decoded *program;
   /* the watchdog: a task gives up (and exports nothing) when it goes back in loops over more
    * instructions than this */
   uint64_t max_instrs;
   /* For reports alone, as loads are checked one by one: how many vertices all buffers without divisor have, UINT64_MAX: there
    * are none. */
   uint64_t fetch_vertices;
   /* Of the stages of a pass, those with the same number differ at most in where the elements of `fetch` lie, how many there are and
    * how far apart: a task may have vertices of several. */
   uint32_t family;
   uint16_t units, fetches; /* how many of `textures` and `fetch` the program may read; the others are not set */
   struct {
      const uint32_t *data;
      uint32_t dwords;
   } constants[CF_MAX_CONSTANT_BANKS];
   const struct cf_texture_unit
      *textures[CF_MAX_TEXTURE_UNITS]; /* NULL: samples give (0, 0, 0, 1) */
   struct cf_fetch fetch[CF_MAX_VERTEX_ELEMENTS]; /* the last, since draws have room for `fetches` of them only */
};

/* Lanes of a vertex task, from the end of the part before: they load these elements. */
struct cf_fetch_part {
   const struct cf_fetch *fetch; /* of a stage of the family */
   uint32_t end;                 /* one after the last lane */
};

struct cf_task {
   _Alignas(64) uint32_t v[CF_MAX_VECTOR_REGS][CF_TASK_LANES];
   uint32_t s[CF_MAX_SCALAR_REGS][CF_TASK_LANES];
   /* inputs */
   /* only those the program names in `sysvals` need be valid; of vertex tasks also instance_id and
    * base_instance if a fetch has a divisor; helper never: it is the complement of alive */
   uint32_t sys[CF_SYSVAL_COUNT][CF_TASK_LANES];
   float bary[2][CF_TASK_LANES]; /* perspective-correct barycentrics of vertex 0 and 1 (paper A eq.
                                    5) */
   float linear[2][CF_TASK_LANES]; /* the same, linear in window space */
   float centroid[2][CF_TASK_LANES]; /* bary, of a pixel that is covered in part at a covered sample */
   /* Of lanes in `shared`: what rounding to f32 took from bary. Their pixels are covered in part,
    * in a frame of several samples, so that other triangles of the same plane may have them, too:
    * smooth varyings are computed in f64 there and rounded once, which gives all of these triangles
    * the same. */
   float bary_rest[2][CF_TASK_LANES];
   float gradient[CF_GRADIENTS][CF_TASK_LANES]; /* what grad set; working storage */
   /* per quad with a lane in exec: its primitive's varyings, {value at vertex 2, v0 - v2, v1 - v2}
    * per varying dword. A smooth varying is p[0] + bary0 * p[1] + bary1 * p[2], each operation
    * rounded to f32, but for `shared`; flat ones have p[1] = p[2] = 0 in effect: p[0] */
   const float (*varyings[CF_TASK_QUADS])[3];
   bool one_primitive; /* all varyings[] are equal */
   uint32_t shared;    /* lanes with bary_rest; of fragment tasks */
   uint32_t exec;      /* lanes to run, including helpers */
   uint32_t alive;     /* lanes that may export; on return: those not killed */
   /* outputs: valid in lanes of exec, undefined in others */
   _Alignas(64) uint32_t out[CF_MAX_OUTPUTS][CF_TASK_LANES];
   /* working storage */
   uint32_t (*scratch)[CF_TASK_LANES]; /* CF_MAX_SCRATCH_DWORDS or what the program asks, whichever
                                          is less */
   uint32_t scratch_dwords;
   bool gave_up; /* set when the watchdog ended the task */
   struct cf_unit_clock *clock; /* of the thread that runs it; NULL: nothing is measured */
   uint64_t interpreted; /* how many runs no engine took, counted here */
   /* of vertex tasks: whose elements the first lanes load; those that no part has load the stage's */
   uint32_t parts;
   struct cf_fetch_part part[CF_TASK_LANES];
   /* uniforms and literals that the program of `prepared` reads, in every lane (cf_shader_ops.prepare). They lie with the
    * task, since made once for all threads, each would fetch them from the cache of the one that made them. */
   const struct cf_stage *prepared; /* NULL: none */
   _Alignas(64) uint32_t broadcast[CF_MAX_BROADCAST_ROWS][CF_TASK_LANES];
};

#endif
