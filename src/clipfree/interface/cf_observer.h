/* SPDX-License-Identifier: MIT */
/*
 * Who watches the model: a table of callbacks, chosen when it is made (cf_model_config.observer).
 * Pictures are the same watched or not. What is watched is the plain path (CF_PATH_PLAIN),
 * interpreted: each element is a vertex, each covered fragment is shaded and then tested.
 *
 * Order: vertex tasks and primitives of a pass come before its fragments and clears, from any
 * threads; those of a draw need not be in order, their numbers are. A task's events come from one
 * thread, none of another task between them. Fragment tasks, fragments and clears of one tile of
 * 64x64 pixels come in drawing order; tiles come from any threads, each from one. All events of a
 * submission have come when a wait for it returns.
 */
#ifndef CF_OBSERVER_H
#define CF_OBSERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "clipfree/interface/cf_limits.h"

struct cf_run; /* shader/cf_run.h */

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

/* A fragment after its program, at a sample that its primitive covers and the sample mask leaves.
 * Pixels are as they lie in memory, those of targets that there are not, or that their formats do
 * not fill, 0. */
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

/* A clear of a part of a tile, in all samples: pixel = (pixel & ~mask) | (value & mask), of each
 * image in `images`: bit i is color target i, bit CF_MAX_COLOR_TARGETS depth and stencil. */
struct cf_clear_event {
   uint64_t draw;                                   /* GPU address of the clear's packet */
   uint32_t min_x_px, min_y_px, max_x_px, max_y_px; /* max exclusive */
   uint32_t images;
   const uint32_t (*value)[4], (*mask)[4]; /* of each image, pixel bytes, */
   const uint8_t *pixel_B;                 /* and how many of them count */
};

/* NULL: not of interest. */
struct cf_observer {
   void *user;
   /* A task: its inputs are there; before each of its instructions, in the lanes of its mask; loads
    * and texels of that instruction; its results are there (cf_task.out, alive, gave_up). */
   void (*task_begin)(void *user, const struct cf_task_event *task);
   void (*instruction)(void *user, const struct cf_task_event *task);
   void (*vertex_load)(void *user, const struct cf_task_event *task, const struct cf_vertex_load *load);
   void (*texel)(void *user, const struct cf_task_event *task, const struct cf_texel *texel);
   void (*task_end)(void *user, const struct cf_task_event *task);
   void (*clear)(void *user, const struct cf_clear_event *event);
   void (*primitive)(void *user, const struct cf_primitive_event *event);
   void (*fragment)(void *user, const struct cf_fragment_event *event);
};

/** Whether programs have to run step by step for it. An observer that is NULL watches nothing. */
static inline bool
cf_observer_watches_tasks(const struct cf_observer *o)
{
   return o && (o->task_begin || o->instruction || o->vertex_load || o->texel || o->task_end);
}

#endif
