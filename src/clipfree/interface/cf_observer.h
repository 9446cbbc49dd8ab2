/* SPDX-License-Identifier: MIT */
/*
 * Who watches the model: a table of callbacks, chosen when it is made (cf_model_config.observer).
 * Pictures are the same watched or not. What is watched is the plain path (CF_PATH_PLAIN),
 * interpreted: each element is a vertex, each covered fragment is shaded and then tested.
 *
 * Order. A submission begins when the one before has ended: its events lie between its begin and
 * its end, which come before a wait for it returns. Its packets come in order, ahead of what they
 * ask for. Vertex tasks and primitives of a pass come before its blocks, fragments and clears, from
 * any threads; those of a draw need not be in order, their numbers are. A task's events come from
 * one thread, none of another task between them. Blocks, fragment tasks, fragments and clears of
 * one tile of 64x64 pixels come in drawing order; tiles come from any threads, each from one. A
 * transfer's events come when all that lies before its packet is done, and before all fragments and
 * clears that lie behind. Events of tiles name draw and primitive, so that the order of submission
 * can be had.
 *
 * Not told, since it can be found:
 * - State: by the packets before a draw's, and what they name. GPU memory may be read
 *   (cf_memory_at) while a packet is told; what transfers and draws write to, only as far as events
 *   say it is done.
 * - An element's index: it lies at index_address + index_size_B (start + element) of the draw
 *   packet, and is the vertex - index_bias. Elements that restart are not shaded.
 * - What a post-transform cache would save: elements whose vertex and instance were there before.
 * - The address of a vertex load: that in the element's descriptor + offset_B.
 * - The outcome of a branch: the mask (cf_run.exec) before the next instruction.
 * - The dword that ldu, lds and sts refer to: cf_run_operand(run, 0) + the instruction's offset, of
 *   the bank that the constants packet names, or of the lane's scratch.
 * - What scissor, clip planes, near and far plane cut off: it is never covered.
 */
#ifndef CF_OBSERVER_H
#define CF_OBSERVER_H

#include <stdbool.h>
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
   const struct cf_memory *memory; /* that addresses name: cf_memory_at */
   const char *error; /* of its end: what is wrong with it, or was given up; NULL: nothing */
};

/* A packet, before it is looked into: one that turns out malformed is the last of its submission.
 * Descriptors that it names are in memory, also if a buffer transfer before it wrote them. */
struct cf_packet_event {
   uint64_t submission; /* its number */
   uint64_t address;    /* by which events of draws, clears and transfers name it */
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

/* A task while its program runs: 32 vertices, or 8 quads, lane 4 quad + pixel. */
struct cf_task_event {
   uint64_t draw;  /* GPU address of the draw's packet */
   uint32_t lanes; /* whose results count: a bit each; the others help, or are there to fill the task */
   const struct cf_run *run; /* mask, registers, program and the number of the next instruction */
   /* Vertex tasks, by lane; of fragment tasks NULL. A vertex of two parts of a strip or fan may be
    * shaded for each. */
   const uint32_t *element;            /* number in the draw: which index, or which of the vertices */
   const uint32_t *vertex, *instance;
   /* Fragment tasks; of vertex tasks NULL */
   const struct cf_task_quad *quad;
   uint32_t quads;
};

/* A load of a vertex element (ldf). */
struct cf_vertex_load {
   uint32_t lane, element; /* element: of the draw's vertex elements */
   uint32_t number;        /* which one of its buffer: the vertex, or what the instance comes to */
   bool inside;            /* of the buffer; else the load gives 0 */
   uint64_t offset_B;      /* from where the element's data begin */
};

/* A texel that a sample reads, also with weight 0; not told: texels outside, which are the border. */
struct cf_texel {
   uint32_t unit, lane;
   uint32_t level;            /* of the texture, its lowest is 0 */
   uint32_t x_px, y_px, layer; /* layer: of arrays; face of cubes; slice of 3D textures */
};

/* What became of a fragment at a sample: the first that holds, in the order of GL 2.1 chapter 4. */
enum cf_fate {
   CF_FATE_WRITTEN, /* it passed all tests: blended, written under the masks of its targets, counted
                       by queries */
   CF_FATE_KILLED,  /* the program ended it, or the watchdog the program */
   CF_FATE_COVERAGE, /* its alpha does not cover the sample (alpha to coverage) */
   CF_FATE_ALPHA,    /* it failed the alpha test, */
   CF_FATE_STENCIL,  /* the stencil test, */
   CF_FATE_DEPTH,    /* the depth test */
};
#define CF_FATES 6

/** Its name: "written", ... */
const char *cf_fate_name(enum cf_fate fate);

/* Why a primitive was dropped: the first of these that holds. */
enum cf_drop {
   CF_DROP_NONE,       /* it was made */
   CF_DROP_NOT_FINITE, /* a coordinate is infinite or no number */
   CF_DROP_BEHIND,     /* no vertex is in front of the eye (w > 0) */
   CF_DROP_NO_AREA,    /* a triangle without area, seen from the eye */
   CF_DROP_FRONT,      /* its front is seen, which is culled */
   CF_DROP_BACK,       /* its back is seen, which is culled */
   CF_DROP_PLANE,      /* all vertices are outside of the near, the far or a clip plane */
   CF_DROP_OUTSIDE, /* it covers no pixel: outside of viewport or scissor, or between the samples */
};
#define CF_DROPS 8

/* A primitive, assembled and set up, or dropped. */
struct cf_primitive_event {
   uint64_t draw;      /* GPU address of the draw's packet */
   uint32_t primitive; /* number in the draw, instances and restarts counted on, modulo 2^32; of
                          quads and polygons triangles count */
   uint32_t instance;
   uint32_t made; /* what is drawn of it: 1, of polygons drawn as lines or points up to 3; 0: it was
                     dropped, */
   enum cf_drop drop; /* and why */
};

/* What hierarchical Z, which the plain path has not, would say of a block by the depths that are
 * stored when it is rasterised: no fragment of a hidden one passes. */
enum cf_hiz_fate {
   CF_HIZ_NONE, /* the draw's tests do not allow to ask */
   CF_HIZ_KEPT,
   CF_HIZ_HIDDEN_BLOCK,  /* by the stored depths of this block, */
   CF_HIZ_HIDDEN_REGION, /* also by those of its region of 16x16 pixels */
};
#define CF_HIZ_FATES 4

/* A block of 4x4 pixels of a primitive, as raster found it, before all tests. Sets of pixels are by
 * sample, in frames of one sample of [0] alone: pixel (x, y) of the block is bit
 * (x & 1) | (y & 1) << 1 | (x & 2) << 1 | (y & 2) << 2. Scissor and clip planes are parts of
 * raster: what they cut off is not covered. */
struct cf_block_event {
   uint64_t draw;      /* GPU address of the draw's packet */
   uint32_t primitive; /* its number in the draw (struct cf_primitive_event) */
   uint16_t x_px, y_px;
   uint16_t covered[CF_SAMPLES];
   uint16_t stippled[CF_SAMPLES]; /* would be covered, but for polygon or line stipple */
   uint32_t sample_mask;          /* the samples that go on, a bit each */
   /* No depth of the primitive in the block is nearer or farther (a program may write another):
    * with the depths that fragments find, all that a hierarchical Z of any other kind decides by */
   float nearest, farthest;
   enum cf_hiz_fate hiz;
};

/* A fragment after its program, at a sample that its primitive covers and the sample mask leaves.
 * Early tests that its program demands are told of before it, in the same way, but of depth and
 * stencil alone: color_count is 0. Those that pass them, with CF_FATE_WRITTEN, go on to the
 * program, and are told of again, with depth and stencil as they are by then. Pixels are as they
 * lie in memory, those of targets that there are not, or that their formats do not fill, 0. */
struct cf_fragment_event {
   uint64_t draw;      /* GPU address of the draw's packet */
   uint32_t primitive; /* its number in the draw (struct cf_primitive_event) */
   uint16_t x_px, y_px;
   uint8_t sample;
   bool front; /* its primitive shows its front */
   enum cf_fate fate;
   float depth;    /* interpolated there or the program's, before it is clamped and rounded as it is
                      stored */
   float color[4]; /* color 0, as the program left it, with coverage of smooth primitives */
   uint32_t color_count;
   uint8_t color_B[CF_MAX_COLOR_TARGETS], zs_B; /* of a pixel; 0: there is no such image */
   uint32_t color_before[CF_MAX_COLOR_TARGETS][4], color_after[CF_MAX_COLOR_TARGETS][4];
   uint32_t zs_before[2], zs_after[2]; /* depth and stencil */
};

/* A clear of a part of a tile, in all samples; it is written at once, where the tile's state does
 * not say that memory shows it already: pixel = (pixel & ~mask) | (value & mask), of each image in
 * `images`: bit i is color target i, bit CF_MAX_COLOR_TARGETS depth and stencil. */
struct cf_clear_event {
   uint64_t draw;                                   /* GPU address of the clear's packet */
   uint32_t min_x_px, min_y_px, max_x_px, max_y_px; /* max exclusive */
   uint32_t images;
   const uint32_t (*value)[4], (*mask)[4]; /* of each image, pixel bytes, */
   const uint8_t *pixel_B;                 /* and how many of them count */
};

/* A rectangle of pixels, max exclusive. */
struct cf_rect {
   uint32_t min_x_px, min_y_px, max_x_px, max_y_px;
};

/* A packet that moves or settles memory, when its turn has come: all before it is done. Presenting
 * a picture is a copy. Not told: what the host writes by itself (cf_gpu_ops.write_pixels, maps). */
struct cf_transfer_event {
   uint64_t packet;
   enum cf_opcode kind; /* copy, gather, reduce, resolve, invalidate, copy_buffer or fill_buffer */
   /* Images, those that there are; else address 0. resolve, invalidate: destination */
   struct cf_surface source, second, destination;
   /* What is written, and of a copy, which has the same size, what is read. A gather's pixel (x, y)
    * of `to`, counted from its corner, is the source's (columns[x], rows[y]). reduce makes the next
    * mipmap level, by memory/cf_mipmap.h; four samples to one are averaged (memory/cf_surface.h) */
   struct cf_rect from, to;
   const uint32_t *columns, *rows;
   uint32_t mask[4]; /* bits of a pixel that are written */
   /* Buffers: bytes from `source_B` on, or dwords of `value`, to those from `destination_B` on */
   uint64_t source_B, destination_B;
   uint32_t size_B, value;
};

/* What a transfer does with an image's memory, in all samples. */
enum cf_touch {
   CF_TOUCH_READ,
   CF_TOUCH_KNOWN, /* it is not read: the tiles' states tell what is copied */
   CF_TOUCH_WRITTEN,
   CF_TOUCH_LEFT, /* it is not written: it holds what is copied, as the tile's state says */
};
#define CF_TOUCHES 4

/* Pieces of a copy, in order, each of the source with the one of the destination after it; and
 * tiles whose pending clears a transfer has to write before (there are some where tile states are
 * those of the normal path, as in captures). A gather reads and writes its pixels, a reduction all.
 */
struct cf_touch_event {
   uint64_t packet;
   enum cf_touch touch;
   uint64_t surface; /* address of its pixels */
   struct cf_rect pixels;
};

/* NULL: not of interest. */
struct cf_observer {
   void *user;
   void (*submission_begin)(void *user, const struct cf_submission_event *submission);
   void (*packet)(void *user, const struct cf_packet_event *packet);
   void (*submission_end)(void *user, const struct cf_submission_event *submission);
   /* A task: its inputs are there; before each of its instructions, in the lanes of its mask; loads
    * and texels of that instruction; its results are there (cf_task.out, alive, gave_up). */
   void (*task_begin)(void *user, const struct cf_task_event *task);
   void (*instruction)(void *user, const struct cf_task_event *task);
   void (*vertex_load)(void *user, const struct cf_task_event *task, const struct cf_vertex_load *load);
   void (*texel)(void *user, const struct cf_task_event *task, const struct cf_texel *texel);
   void (*task_end)(void *user, const struct cf_task_event *task);
   void (*primitive)(void *user, const struct cf_primitive_event *event);
   /* A primitive's blocks in a tile, before their early tests and fragments; last, those that
    * stipple took out whole. */
   void (*block)(void *user, const struct cf_block_event *event);
   void (*early_test)(void *user, const struct cf_fragment_event *event);
   void (*fragment)(void *user, const struct cf_fragment_event *event);
   void (*clear)(void *user, const struct cf_clear_event *event);
   /* A transfer is going to be done; its touches follow. */
   void (*transfer)(void *user, const struct cf_transfer_event *event);
   void (*touch)(void *user, const struct cf_touch_event *event);
};

/** Whether programs have to run step by step for it. An observer that is NULL watches nothing. */
static inline bool
cf_observer_watches_tasks(const struct cf_observer *o)
{
   return o && (o->task_begin || o->instruction || o->vertex_load || o->texel || o->task_end);
}

#endif
