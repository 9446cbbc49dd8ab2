/* SPDX-License-Identifier: MIT */
/*
 * The observer of the model: a table of callbacks, chosen when the model is made
 * (cf_model_config.observer). Pictures are the same with and without it. It sees the plain path
 * (CF_PATH_PLAIN), interpreted: each element is a vertex, each covered fragment is shaded and then
 * tested.
 *
 * Order of events:
 * - Submissions do not overlap: all events of one lie between its begin and its end. Both come
 *   before a wait for it returns.
 * - Packets come in order, each before the work that it starts.
 * - Vertex tasks, feedback and primitives of a pass come before its blocks, fragments and clears,
 *   from any threads, in any order; their numbers give the order in the draw.
 * - A task's events come from one thread, with no other task's between them there.
 * - Blocks, fragment tasks, fragments and clears of one tile of 64x64 pixels come in drawing order,
 *   from one thread; different tiles may come from different threads. Their draw and primitive give
 *   the order of submission.
 * - A transfer's events come when all work before its packet is done, and before all fragments and
 *   clears after it.
 *
 * Not reported, because it can be derived:
 * - State: from the packets before a draw's, and what they name. GPU memory may be read
 *   (cf_memory_at) during a packet event; memory that transfers and draws write is valid only as
 *   far as events say that they are done.
 * - An element's index: it lies at index_address + index_size_B (start + element) of the draw
 *   packet, and is the vertex - index_bias. Elements that restart are not shaded.
 * - Hits of a post-transform cache: elements whose vertex and instance came before.
 * - The address of a vertex load: that in the element's descriptor + offset_B.
 * - The bank that ldu refers to: the constants packet names it.
 * - What scissor, clip planes, near and far plane remove: it is never covered.
 */
#ifndef CF_OBSERVER_H
#define CF_OBSERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clipfree/interface/cf_limits.h"
#include "clipfree/interface/cf_packets.h"

struct cf_memory; /* memory/cf_memory.h */
struct cf_run;    /* shader/cf_run.h */

/* A submission: a command buffer. */
struct cf_submission_event {
   uint64_t number;  /* 1, 2, ... */
   uint64_t address; /* of its first packet */
   uint32_t size_B;
   const struct cf_memory *memory; /* of all addresses; read it with cf_memory_at */
   const char *error; /* at its end: why it failed, or what was stopped; NULL: nothing */
};

/* A packet, before it is checked: a malformed one is the last of its submission. Descriptors that
 * it names are valid in memory, even if an earlier buffer transfer wrote them. */
struct cf_packet_event {
   uint64_t submission; /* its number */
   uint64_t address;    /* names it in events of draws, clears and transfers */
   const char *name;    /* as in docs/packets.md */
   const uint32_t *dw;  /* header included: what cf_NAME_unpack takes */
   uint32_t dwords;
   const struct cf_memory *memory;
};

/* A quad of a fragment task: pixels (x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1). */
struct cf_task_quad {
   uint16_t x_px, y_px; /* of the upper left pixel */
   uint32_t primitive;  /* its number in the draw (struct cf_primitive_event) */
};

/* A task while its program runs: 32 vertices, 32 primitives that a geometry program takes, or 8
 * quads, lane 4 quad + pixel. */
struct cf_task_event {
   uint64_t draw;  /* GPU address of the draw's packet */
   uint32_t lanes; /* active lanes, a bit each; the others are helpers or empty */
   const struct cf_run *run; /* mask, registers, program and the number of the next instruction */
   void **kept;              /* the observer's own, from task_begin to task_end; NULL at first */
   bool geometry;            /* it runs a geometry program: a primitive in each lane */
   /* By lane; NULL for fragment tasks. Of geometry tasks element and vertex are the number of the
    * primitive in its instance of the draw. A draw is worked on in parts; a vertex that
    * two parts of a strip or fan share may be shaded twice. */
   const uint32_t *element;            /* number in the draw's indices, or in its vertices */
   const uint32_t *vertex, *instance;
   /* Fragment tasks; NULL for others */
   const struct cf_task_quad *quad;
   uint32_t quads;
};

/** The suffix of a file with the stage's GLSL: "vert", "frag" or "geom". */
static inline const char *
cf_stage_suffix(enum cf_shader_stage stage)
{
   return stage == CF_SHADER_STAGE_VERTEX     ? "vert"
          : stage == CF_SHADER_STAGE_FRAGMENT ? "frag"
                                              : "geom";
}

/** The stage of the task's program. */
static inline enum cf_shader_stage
cf_task_stage(const struct cf_task_event *task)
{
   return task->quad       ? CF_SHADER_STAGE_FRAGMENT
          : task->geometry ? CF_SHADER_STAGE_GEOMETRY
                           : CF_SHADER_STAGE_VERTEX;
}

/* A load of a vertex element (ldf). */
struct cf_vertex_load {
   uint32_t lane, element; /* element: of the draw's vertex elements */
   uint32_t number;        /* index into its buffer: the vertex, or by instance and divisor */
   bool inside;            /* in the buffer; else the load gives 0 */
   uint64_t offset_B;      /* from the start of the element's data */
};

/* A texel that a texture sample reads, also with weight 0. Texels outside, which have the border
 * colour, are not reported. */
struct cf_texel {
   uint32_t unit, lane;
   uint32_t level;            /* of the texture, its lowest is 0 */
   uint32_t x_px, y_px, layer; /* layer: of arrays; face of cubes; slice of 3D textures */
   uint32_t sample;            /* of multisample textures; else 0 */
   uint32_t at;                /* number of the instruction */
};

/* The texels that a filter reads of a level, in several lanes, also with weight 0. Corner c of a
 * lane is the texel whose number along axis a is axis[a][c >> a & 1][lane]. */
struct cf_footprint {
   uint32_t unit, level, lanes;
   uint32_t axes;    /* 1 to 3: x, y; z, the slice of a 3D texture */
   uint32_t corners; /* 1: nearest; else 1 << axes */
   const int32_t *axis[3][2];
   const uint32_t *layer; /* by lane; of arrays, and faces of cubes; 3D textures: 0 */
   uint32_t at;           /* number of the instruction */
};

/* An if, brk, cont, kill or demote, before it runs. With a program's branches, and what its lanes
 * began with, the path of each lane is known, and so the instructions of any lanes together. */
struct cf_branch {
   uint32_t at;           /* number of the instruction */
   uint32_t lanes, taken; /* of the mask; of these, whose operand is true */
};

/* A reference by ldu, lds or sts, before it runs. */
struct cf_reference {
   uint32_t at;           /* number of the instruction */
   uint32_t lanes;        /* of the mask */
   const uint32_t *dword; /* by lane: in the bank, or in the lane's scratch; + offset */
   uint32_t offset;
};

/* The fate of a fragment at a sample: the first that applies, in the order of GL 2.1 chapter 4. */
enum cf_fate {
   CF_FATE_WRITTEN, /* it passed all tests: blended, written under the masks of its targets, counted
                       by queries */
   CF_FATE_KILLED,  /* by the program, or the watchdog stopped the program */
   CF_FATE_COVERAGE, /* its alpha does not cover the sample (alpha to coverage) */
   CF_FATE_ALPHA,    /* it failed the alpha test, */
   CF_FATE_STENCIL,  /* the stencil test, */
   CF_FATE_DEPTH,    /* the depth test */
};
#define CF_FATES 6

/** Its name: "written", ... */
const char *cf_fate_name(enum cf_fate fate);

/* Why a primitive was dropped: the first that applies. */
enum cf_drop {
   CF_DROP_NONE,       /* it was set up */
   CF_DROP_NOT_FINITE, /* a coordinate is infinite or no number */
   CF_DROP_BEHIND,     /* no vertex is in front of the eye (w > 0) */
   CF_DROP_NO_AREA,    /* a triangle without area, seen from the eye */
   CF_DROP_FRONT,      /* front-facing, and front faces are culled */
   CF_DROP_BACK,       /* back-facing, and back faces are culled */
   CF_DROP_PLANE,      /* all vertices are outside of the near, the far or a clip plane */
   CF_DROP_OUTSIDE, /* it covers no pixel: outside of viewport or scissor, or between the samples */
};
#define CF_DROPS 8

/* A primitive, assembled and set up, or dropped. */
struct cf_primitive_event {
   uint64_t draw;      /* GPU address of the draw's packet */
   uint32_t primitive; /* number in the draw, modulo 2^32; instances and restarts do not reset
                          it; quads and polygons count as their triangles; all that a geometry
                          program makes of a primitive have its number */
   uint32_t instance;
   /* number of primitives set up for it: 0: it was dropped; 1; of a triangle that is drawn as lines
    * or points up to 3 */
   uint32_t set_up;
   enum cf_drop drop; /* why it was dropped */
};

/* A primitive of a draw with feedback (packet feedback), when it has been written to the buffers.
 * Of a buffer that is written, vertex k has the element at address + k stride_B; where the outputs
 * lie in an element is in the packet. */
struct cf_feedback_event {
   uint64_t draw;      /* GPU address of the draw's packet */
   uint32_t primitive; /* its number in the draw (struct cf_primitive_event) */
   uint32_t instance;
   uint32_t vertices;   /* 1 to 3 */
   uint32_t element[3]; /* of each vertex, in the order in which they are written */
   bool fits;           /* false: a buffer is full, and nothing is written */
   struct {
      uint64_t address; /* of the first vertex; 0: nothing is written to this buffer */
      uint32_t stride_B;
   } buffer[CF_FEEDBACK_BUFFERS];
   const struct cf_feedback_output *output; /* what of a vertex is written, and where */
   uint32_t outputs;
};

/* The verdict that hierarchical Z would give on a block, by the depths stored when the block is
 * rasterised: no fragment of a hidden block passes. The plain path itself has no hierarchical Z. */
enum cf_hiz_fate {
   CF_HIZ_NONE, /* the draw's state rules hierarchical Z out */
   CF_HIZ_KEPT,
   CF_HIZ_HIDDEN_BLOCK,  /* by the stored depths of this block */
   CF_HIZ_HIDDEN_REGION, /* even by those of its region of 16x16 pixels */
};
#define CF_HIZ_FATES 4

/* A block of 4x4 pixels of a primitive, as raster found it, before all tests. Coverage is a mask of
 * pixels for each sample (frames of one sample: [0] alone): pixel (x, y) of the block is bit
 * (x & 1) | (y & 1) << 1 | (x & 2) << 1 | (y & 2) << 2. Raster applies scissor and clip planes:
 * what they remove is not covered. */
struct cf_block_event {
   uint64_t draw;      /* GPU address of the draw's packet */
   uint32_t primitive; /* its number in the draw (struct cf_primitive_event) */
   uint16_t x_px, y_px;
   uint16_t covered[CF_SAMPLES];
   uint16_t stippled[CF_SAMPLES]; /* removed from coverage by polygon or line stipple */
   uint32_t sample_mask;          /* samples that are not masked off, a bit each */
   /* Bounds of the primitive's depth in the block (a program may write another depth). With the
    * stored depths in events of fragments, they suffice to model any other hierarchical Z. */
   float nearest, farthest;
   enum cf_hiz_fate hiz;
};

/* A fragment after its program, at a sample that its primitive covers and the sample mask leaves.
 * Also an early test that the program demands, reported before the program runs: it has depth and
 * stencil alone, and color_count is 0. A fragment that passes it (CF_FATE_WRITTEN) is reported
 * again after the program, with depth and stencil as stored then. Pixels are as they lie in memory;
 * bytes beyond the format's size, and absent targets, are 0. */
struct cf_fragment_event {
   uint64_t draw;      /* GPU address of the draw's packet */
   uint32_t primitive; /* its number in the draw (struct cf_primitive_event) */
   uint16_t x_px, y_px;
   uint8_t sample;
   bool front; /* its primitive is front-facing */
   enum cf_fate fate;
   float depth;    /* interpolated at the sample, or the program's; before the clamp and rounding of
                      storage */
   float color[4]; /* color 0, as the program left it, with coverage of smooth primitives */
   bool blends_second; /* the same of the second colour, if target 0 is blended with it; else 0 */
   float second_color[4];
   uint32_t color_count;
   uint8_t color_B[CF_MAX_COLOR_TARGETS], zs_B; /* of a pixel; 0: there is no such image */
   uint32_t color_before[CF_MAX_COLOR_TARGETS][4], color_after[CF_MAX_COLOR_TARGETS][4];
   uint32_t zs_before[2], zs_after[2]; /* depth and stencil */
};

/* The fragments of a task, at once: masks of lanes, lane 4 quad + pixel, by sample (frames of one
 * sample: [0] alone). Cheaper to watch than a fragment event for each. */
struct cf_pixels_event {
   uint64_t draw; /* GPU address of the draw's packet */
   const struct cf_task_quad *quad;
   uint32_t quads;
   uint32_t covered[CF_SAMPLES]; /* shaded and covered */
   uint32_t tested[CF_SAMPLES];  /* of these, neither killed nor without alpha: they reached stencil
                                    and depth test, if it comes after the program */
   uint32_t written[CF_SAMPLES]; /* of these, passed all tests */
};

/* A clear of a part of a tile, in all samples: pixel = (pixel & ~mask) | (value & mask), for each
 * image in `images` (bit i: color target i; bit CF_MAX_COLOR_TARGETS: depth and stencil). The plain
 * path writes it at once, unless the tile state says that memory holds the value already. */
struct cf_clear_event {
   uint64_t draw;                                   /* GPU address of the clear's packet */
   uint32_t min_x_px, min_y_px, max_x_px, max_y_px; /* max exclusive */
   uint32_t images;
   const uint32_t (*value)[4], (*mask)[4]; /* by image: pixel bytes */
   const uint8_t *pixel_B;                 /* by image: size of a pixel */
};

/* A rectangle of pixels, max exclusive. */
struct cf_rect {
   uint32_t min_x_px, min_y_px, max_x_px, max_y_px;
};

/* A transfer: a packet that copies, fills, resolves or invalidates memory, reported when all work
 * before it is done. Presenting a picture is a copy. Writes by the host (cf_gpu_ops.write_pixels,
 * maps) are not reported. */
struct cf_transfer_event {
   uint64_t packet;
   enum cf_opcode kind; /* copy, gather, reduce, resolve, invalidate, copy_buffer or fill_buffer */
   /* Images; address 0: none. resolve and invalidate have a destination alone. */
   struct cf_surface source, second, destination;
   /* `to` is written; `from`, of the same size, is what a copy reads. gather: pixel (x, y) of `to`,
    * counted from its corner, is the source's (columns[x], rows[y]). reduce: the next mipmap level
    * (memory/cf_mipmap.h). Four samples to one are averaged (memory/cf_surface.h). */
   struct cf_rect from, to;
   const uint32_t *columns, *rows;
   uint32_t mask[4]; /* bits of a pixel that are written */
   /* Buffers: bytes from `source_B` on, or dwords of `value`, are written from `destination_B`
    * on. */
   uint64_t source_B, destination_B;
   uint32_t size_B, value;
};

/* How a transfer accesses an image's memory, in all samples. */
enum cf_touch {
   CF_TOUCH_READ,
   CF_TOUCH_KNOWN, /* not read: the tile state gives the value that is copied */
   CF_TOUCH_WRITTEN,
   CF_TOUCH_LEFT, /* not written: by the tile state it holds the copied value already */
};
#define CF_TOUCHES 4

/* A piece of a copy, first the source's, then the destination's; or a tile whose pending clear a
 * transfer has to write first. The plain path makes no pending clears, but captures of the normal
 * path hold them. Not reported: the pixels of a gather, all of which are read and written, and of a
 * reduction, which reads and writes whole images. */
struct cf_touch_event {
   uint64_t packet;
   enum cf_touch touch;
   uint64_t surface; /* address of its pixels */
   struct cf_rect pixels;
};

/* The callbacks. NULL: events of this kind are not reported. */
struct cf_observer {
   void *user;
   void (*submission_begin)(void *user, const struct cf_submission_event *submission);
   void (*packet)(void *user, const struct cf_packet_event *packet);
   void (*submission_end)(void *user, const struct cf_submission_event *submission);
   /* A task. task_begin: its inputs are set. instruction: before each, in the lanes of the mask;
    * then that instruction's vertex loads, texels, branch or reference. task_end: its results are
    * set (cf_task.out, alive, timed_out). */
   void (*task_begin)(void *user, const struct cf_task_event *task);
   void (*instruction)(void *user, const struct cf_task_event *task);
   void (*vertex_load)(void *user, const struct cf_task_event *task, const struct cf_vertex_load *load);
   void (*texel)(void *user, const struct cf_task_event *task, const struct cf_texel *texel);
   /* Instead of its texels; but where texels may lie outside or on other faces of a cube, and of
    * fetches, `texel` is called for each. */
   void (*footprint)(void *user, const struct cf_task_event *task,
                     const struct cf_footprint *footprint);
   /* Whether texels and footprints of a task are wanted, asked when it has begun. NULL: of all. */
   bool (*wants_texels)(void *user, const struct cf_task_event *task);
   void (*branch)(void *user, const struct cf_task_event *task, const struct cf_branch *branch);
   void (*reference)(void *user, const struct cf_task_event *task,
                     const struct cf_reference *reference);
   void (*task_end)(void *user, const struct cf_task_event *task);
   bool fragment_tasks; /* tasks of fragments alone are reported, not those of vertices */
   void (*feedback)(void *user, const struct cf_feedback_event *event); /* before its primitive */
   void (*primitive)(void *user, const struct cf_primitive_event *event);
   /* Whether the events of a tile of any image are wanted - blocks, clears, fragments, and their
    * tasks - asked when it is begun. x, y: its place in tiles. NULL: of all. */
   bool (*wants_tile)(void *user, uint32_t tile_x, uint32_t tile_y);
   /* A primitive's blocks in a tile, before their early tests and fragments; last, those of which
    * stipple removed all coverage. */
   void (*block)(void *user, const struct cf_block_event *event);
   void (*early_test)(void *user, const struct cf_fragment_event *event);
   void (*fragment)(void *user, const struct cf_fragment_event *event);
   /* Whether fragments of a draw are wanted, asked for each of its tasks. NULL: of all. */
   bool (*wants_fragments)(void *user, uint64_t draw);
   void (*pixels)(void *user, const struct cf_pixels_event *event); /* after the task is written */
   /* pixels of each quad whose fragments are reported, bit (x & 1) | (y & 1) << 1; 0: all */
   uint8_t fragment_pixels;
   bool fragment_depths; /* of fragments only what stands before `color` in the event is set */
   void (*clear)(void *user, const struct cf_clear_event *event);
   /* A transfer, before it is done; its touches follow. */
   void (*transfer)(void *user, const struct cf_transfer_event *event);
   void (*touch)(void *user, const struct cf_touch_event *event);
   /* What a person knows of the draw packet or program descriptor at `address` (cf_note.h), before
    * the submission that uses it. From any thread. */
   void (*note)(void *user, uint64_t address, const void *note, size_t size_B);
};

/** Whether it wants tasks of fragments in some tiles alone: those are interpreted, whatever runs
 * the others. */
static inline bool
cf_observer_leaves_tiles(const struct cf_observer *o)
{
   return o->wants_tile && o->fragment_tasks;
}

/** The observer of a tile: `o`, which may be NULL, if it wants it; else NULL. */
static inline const struct cf_observer *
cf_observer_of_tile(const struct cf_observer *o, uint32_t tile_x, uint32_t tile_y)
{
   return o && (!o->wants_tile || o->wants_tile(o->user, tile_x, tile_y)) ? o : NULL;
}

/** Whether programs must run step by step for the observer, which may be NULL. */
static inline bool
cf_observer_watches_tasks(const struct cf_observer *o)
{
   return o && (o->task_begin || o->instruction || o->vertex_load || o->texel || o->footprint ||
                o->branch || o->reference || o->task_end);
}

/** The same of tasks of vertices and primitives. */
static inline bool
cf_observer_watches_vertices(const struct cf_observer *o)
{
   return cf_observer_watches_tasks(o) && !o->fragment_tasks;
}

#endif
