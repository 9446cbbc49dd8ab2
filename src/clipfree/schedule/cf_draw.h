/* SPDX-License-Identifier: MIT */
/*
 * A draw with its state, ready for the engines: addresses are resolved, descriptors checked.
 * cf_state_draw makes it, the pass keeps it until it is rendered. Pieces of state are shared with
 * draws before it where they did not change; they are read only.
 */
#ifndef CF_DRAW_H
#define CF_DRAW_H

#include "clipfree/interface/cf_packets.h"
#include "clipfree/pixel/cf_pixel.h"
#include "clipfree/primitive/cf_primitive.h"
#include "clipfree/shader/cf_program.h"
#include "clipfree/vertex/cf_feedback.h"
#include "clipfree/vertex/cf_geometry.h"
#include "clipfree/vertex/cf_vertex.h"

/* A clear; values and masks are bytes of pixels. */
struct cf_clear_op {
   uint32_t images; /* bit per color target, CF_CLEAR_ZS for depth and stencil */
   uint32_t value[CF_MAX_COLOR_TARGETS + 1][4];
   uint32_t mask[CF_MAX_COLOR_TARGETS + 1][4];
   uint32_t min_x_px, min_y_px, max_x_px, max_y_px;
   bool written; /* memory is written at once, not only the states of tiles */
};
#define CF_CLEAR_ZS (1u << CF_MAX_COLOR_TARGETS)

/* The images a pass renders to. */
struct cf_frame {
   struct cf_image color[CF_MAX_COLOR_TARGETS]; /* data NULL: none */
   struct cf_image zs;
   uint32_t color_count;
   uint32_t width_px, height_px;
   uint32_t samples; /* of every image: 1 or CF_SAMPLES */
   uint32_t layer;   /* if `layered`, only primitives of this layer (gl_Layer) are drawn */
   bool layered;
};

struct cf_draw_state {
   uint64_t packet; /* GPU address of the draw packet: the draw's name in messages */
   const struct cf_clear_op
      *clear; /* not NULL: this is a clear instead of a draw; other members are undefined */
   const struct cf_primitive_config *primitive;
   /* an array: for each sample of the frame, with the images of that sample */
   const struct cf_pixel_config *pixel;
   /* The key of code that runs tasks of the draw from quads to pixels (struct cf_quad_work). NULL:
    * no such code can. */
   const struct cf_pixel_key *pixel_key;
   const struct cf_program *fragment_program;
   const struct cf_stage *fragment_stage;
   struct cf_vertex_source source;
   const struct cf_geometry_source *geometry; /* NULL: primitives are assembled of its vertices */
   const struct cf_feedback_draw *feedback; /* NULL: none */
   enum cf_prim_kind prim;                  /* of its elements */
   enum cf_prim_kind output_prim;           /* that is set up: the geometry program's, or `prim` */
   uint32_t count; /* elements */
   uint32_t instances;
   bool smooth;  /* primitives may be smooth: fragments have a coverage */
   bool again;   /* the draw before, into another layer: no query counts its primitives */
   bool restart; /* runs end at elements equal to restart_index */
   uint32_t restart_index;
   uint32_t varmodes;       /* of struct cf_cached_program, and CF_VARMODES_SHARED */
   uint32_t scratch_dwords; /* the larger demand of its programs */
   uint32_t slow; /* bits of enum cf_slow: why compiled code alone can never run it */
   /* query: assembled primitives are added when the draw is added to a pass; NULL: not counted */
   uint64_t *primitives;
   /* query: those that feedback writes, likewise */
   uint64_t *feedback_primitives;
   uint64_t *samples;    /* query: samples that pass are added; NULL: not counted */
};

#endif
