/* SPDX-License-Identifier: MIT */
/*
 * The trace of a run: what the GPU of the papers would do, without addresses and without data. The
 * recorder makes a chunk of it for each submission; the engine and the file take chunks.
 *
 * A tile's records of fragments are kept as they came, in drawing order, and are the same for any
 * number of threads. cf_sim_order brings them into the order of submission: by operation and
 * primitive; a primitive's tiles row by row.
 */
#ifndef CF_SIM_TRACE_H
#define CF_SIM_TRACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clipfree/interface/cf_limits.h"

#define CF_SIM_LANES 32
#define CF_SIM_QUADS 8
#define CF_SIM_UNITS CF_MAX_TEXTURE_UNITS
#define CF_SIM_NONE UINT32_MAX

/* Bits of cf_sim_op.flags */
enum cf_sim_op_flags {
   CF_SIM_CLEAR = 1,         /* a clear; else a draw */
   CF_SIM_Z_READ = 2,        /* stencil or depth test reads the pixel of depth and stencil */
   CF_SIM_Z_WRITE = 4,       /* of fragments that pass it is written */
   CF_SIM_STENCIL_WRITE = 8, /* of fragments that are tested it is written, pass or not */
   CF_SIM_EARLY = 16,        /* the program demands early tests */
   /* Early tests would be wrong: the program, the alpha test or alpha to coverage removes
    * fragments, or the program writes depth. */
   CF_SIM_LATE = 32,
   CF_SIM_TRANSFER = 64, /* a copy, a mipmap or a fill; else a clear or a draw */
   /* What a draw's geometry program makes: the operation before it is the same draw, which has its
    * vertices and no more. Here `vertices` are the primitives that the program takes; it is the
    * program of vertices. Primitives that it emits have the number of the one that they are of. */
   CF_SIM_GEOMETRY = 128,
};

#define CF_SIM_ELEMENTS CF_MAX_VERTEX_ELEMENTS
enum cf_sim_stage { CF_SIM_STAGE_VERTEX, CF_SIM_STAGE_FRAGMENT, CF_SIM_STAGES };

/* A vertex element: its first one lies at offset_B of a buffer. Buffers are named by numbers. */
struct cf_sim_element {
   uint32_t buffer, offset_B, stride_B, size_B;
   uint32_t divisor; /* of the instance; 0: by vertex */
};

/* A draw, a clear or a transfer. Images are named by numbers, the same in the whole trace. */
struct cf_sim_op {
   uint32_t frame, number; /* of the capture's frame; among all operations of the trace */
   uint32_t flags;
   uint32_t width_px, height_px, samples;
   uint32_t colors;                                      /* images */
   uint32_t color_image[CF_MAX_COLOR_TARGETS], zs_image; /* CF_SIM_NONE: none */
   uint8_t color_B[CF_MAX_COLOR_TARGETS], zs_B;          /* of a pixel */
   uint32_t color_writes, color_reads;                   /* a bit for each image */
   /* by unit of the program; CF_SIM_NONE */
   uint32_t texture[CF_SIM_UNITS], vertex_texture[CF_SIM_UNITS];
   uint32_t index_B, vertex_B, elements; /* of an index (0: none), of all elements of a vertex */
   uint32_t index_buffer, index_offset_B;
   struct cf_sim_element element[CF_SIM_ELEMENTS];
   uint32_t prim;                                             /* enum cf_prim_kind */
   uint32_t program[CF_SIM_STAGES], constants[CF_SIM_STAGES]; /* CF_SIM_NONE; buffers of bank 0 */
   uint32_t read_B, written_B; /* by a transfer; by feedback of a draw */
};

/* A program: instructions from `first` of cf_sim_chunk.code on. */
struct cf_sim_program {
   uint32_t first, count;
   uint32_t vector_regs, scalar_regs;
};

/* A texture; levels have half the size, rounded down, at least 1. Each sample has layers of its
 * own: those of sample 0, then those of sample 1, 2 and 3. */
struct cf_sim_texture {
   uint32_t width_px, height_px, layers, levels;
   uint32_t texel_bits; /* of compressed ones the mean */
};

struct cf_sim_vertex {
   uint32_t op, instance, element, vertex;
};

/* A texel that a vertex program reads. */
struct cf_sim_vertex_texel {
   uint32_t op, instance, element; /* of its vertex */
   uint16_t order;                 /* among the vertex's texels and steps */
   uint16_t at;                    /* number of its instruction */
   uint16_t level, x_px, y_px;
   uint16_t layer;
   uint16_t texture_unit;
};

/* What an instruction of a vertex did: whether a branch is taken, or the dword to which ldu, lds or
 * sts refers. */
struct cf_sim_vertex_step {
   uint32_t op, instance, element;
   uint16_t order, at; /* as above */
   uint32_t value;
};

struct cf_sim_primitive {
   uint32_t op, number;
   uint16_t set_up, drop; /* enum cf_drop */
};

/* Records of a tile, in dwords. The first is a head: kind in bits 0:3, dwords of the record, head
 * included, in bits 4:15; the rest by kind. All of a task's records come together: TASK, then what
 * its instructions did, in order. `at` is an instruction's number. What they say of a lane is the
 * lane's path through the program, so the instructions that any set of lanes runs can be rebuilt.
 *
 *    TASK      head 16:19 quads; op; covered, tested and written by sample (12 dwords; PIXELS
 *              fills them in); for each quad: primitive, x_px | y_px << 16
 *    SAMPLE    a footprint: head 16:20 unit, 21:24 level, 25: corners are 4; lanes;
 *              layer | at << 16; step_x, step_y: lanes whose second texel is the next one, modulo
 * 2^16; wrap_x, wrap_y: lanes where it is number 0; else it is the first one again; then for lanes
 * 0 to 4 quads - 1 in pairs: x | x' << 16; and the same of y. If head 26 is set, x and y are not
 * stored, but those of the last SAMPLE of the task that has its own, plus an offset: x | y << 16,
 * modulo 2^16 TEXEL     head 16:20 unit, 21:24 level; lane | at << 16; x | y << 16; layer | sample
 * << 14 BRANCH    lanes; of these, that take it; at REFERENCE of ldu, lds, sts: head 16: the same
 * in all lanes; lanes; at; the dword, or those of lanes 0 to 4 quads - 1 EARLY     head 16:17
 * sample; op; primitive; x_px | y_px << 16: a fragment that failed an early test CLEARED   head
 * 16:24 images (bit CF_MAX_COLOR_TARGETS: depth and stencil); op; min_x | min_y << 16; max_x |
 * max_y << 16 */
enum cf_sim_record {
   CF_SIM_TASK = 1,
   CF_SIM_SAMPLE,
   CF_SIM_TEXEL,
   CF_SIM_EARLY_TEST,
   CF_SIM_CLEARED,
   CF_SIM_BRANCH,
   CF_SIM_REFERENCE,
};

#define CF_SIM_SAMPLE_SHIFT 14 /* of a texel's sample, above its layer */
#define CF_SIM_TASK_DW 14  /* before its quads */
#define CF_SIM_SAMPLE_DW 7 /* before its coordinates */
#define CF_SIM_MOVED_DW 8  /* a SAMPLE that is moved */
#define CF_SIM_MOVED_BIT 26
#define CF_SIM_TEXEL_DW 4
#define CF_SIM_BRANCH_DW 4
#define CF_SIM_REFERENCE_DW 3 /* before its dwords */

struct cf_sim_tile {
   uint32_t *dw;
   size_t count, capacity; /* capacity 0: records lie in the memory of a reader */
   size_t task;   /* where its last TASK is */
   size_t sample; /* the last SAMPLE of it with coordinates of its own; SIZE_MAX: none */
};

/* Tiles of the largest frame buffer, 16384 pixels in each direction. */
#define CF_SIM_TILES_ACROSS 256
#define CF_SIM_TILES (CF_SIM_TILES_ACROSS * CF_SIM_TILES_ACROSS)

/* A submission's part of the trace. Arrays grow by cf_sim_grow. Those of vertices and primitives
 * lie in the memory of a reader where they have items and no room. */
struct cf_sim_chunk {
   struct cf_sim_op *op;
   struct cf_sim_texture *texture; /* of the whole trace so far */
   struct cf_sim_vertex *vertex;   /* by op, instance, element */
   struct cf_sim_vertex_texel *vertex_texel;
   struct cf_sim_vertex_step *vertex_step;
   struct cf_sim_primitive *primitive; /* by op, number */
   struct cf_sim_program *program;     /* of the whole trace so far, and their instructions */
   uint64_t *code;
   size_t ops, textures, vertices, vertex_texels, vertex_steps, primitives, programs, codes;
   size_t op_room, texture_room, vertex_room, vertex_texel_room, vertex_step_room, primitive_room,
      program_room, code_room;
   struct cf_sim_tile *tile; /* [CF_SIM_TILES] */
   atomic_size_t tiles; /* those from here on were never used; the host has no memory for them */
};

/** An empty chunk. False: out of memory. */
bool cf_sim_chunk_init(struct cf_sim_chunk *chunk);
void cf_sim_chunk_free(struct cf_sim_chunk *chunk);

/** Empty it, but for its textures and programs. */
void cf_sim_chunk_clear(struct cf_sim_chunk *chunk);

/** How many of the chunk's vertices are primitives that geometry programs take. */
size_t cf_sim_chunk_geometry(const struct cf_sim_chunk *chunk);

/** Room for `count` items more in an array; it may move. NULL: out of memory. */
void *cf_sim_grow(void *array, size_t used, size_t count, size_t *room, size_t item_B);

/** A tile to which records are added. From any thread. */
static inline struct cf_sim_tile *
cf_sim_chunk_tile(struct cf_sim_chunk *chunk, uint32_t number)
{
   size_t tiles = atomic_load_explicit(&chunk->tiles, memory_order_relaxed);
   while (number >= tiles &&
          !atomic_compare_exchange_weak_explicit(&chunk->tiles, &tiles, number + 1,
                                                 memory_order_relaxed, memory_order_relaxed))
      ;
   return &chunk->tile[number];
}

/** Room for dwords more at the end of a tile. NULL: out of memory. */
uint32_t *cf_sim_tile_room(struct cf_sim_tile *tile, size_t dwords);

static inline uint32_t
cf_sim_head(enum cf_sim_record kind, uint32_t dwords, uint32_t rest)
{
   return (uint32_t)kind | dwords << 4 | rest << 16;
}

/** How many pixels of a quad a mask of four bits has. Processors without an instruction for it take
 * a call. */
static inline uint32_t
cf_sim_pixels_in(uint32_t mask)
{
   return (uint32_t)(0x4332322132212110ull >> 4 * mask & 15);
}

static inline enum cf_sim_record
cf_sim_kind(uint32_t head)
{
   return (enum cf_sim_record)(head & 15);
}

static inline uint32_t
cf_sim_dwords(uint32_t head)
{
   return head >> 4 & 0xfff;
}

#endif
