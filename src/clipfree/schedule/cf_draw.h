/* SPDX-License-Identifier: MIT */
/*
 * A draw as the engines see it: every address resolved, every descriptor checked. Made by
 * cf_state_draw, kept by the pass until it has been rendered. The pieces it points at are shared
 * with its neighbours where the state did not change, and are read only from then on.
 */
#ifndef CF_DRAW_H
#define CF_DRAW_H

#include "clipfree/interface/cf_packets.h"
#include "clipfree/pixel/cf_pixel.h"
#include "clipfree/primitive/cf_primitive.h"
#include "clipfree/shader/cf_program.h"
#include "clipfree/vertex/cf_vertex.h"

/* A clear with its values as pixel bytes. */
struct cf_clear_op {
   uint32_t images; /* bit per color target, CF_CLEAR_ZS for depth and stencil */
   uint32_t value[CF_MAX_COLOR_TARGETS + 1][4];
   uint32_t mask[CF_MAX_COLOR_TARGETS + 1][4];
   uint32_t min_x_px, min_y_px, max_x_px, max_y_px;
   bool written; /* to memory at once, not only noted in the tiles' states */
};
#define CF_CLEAR_ZS (1u << CF_MAX_COLOR_TARGETS)

/* The images a pass renders to. */
struct cf_frame {
   struct cf_image color[CF_MAX_COLOR_TARGETS]; /* data NULL: none */
   struct cf_image zs;
   uint32_t color_count;
   uint32_t width_px, height_px;
   uint32_t samples; /* of every image: 1 or CF_SAMPLES */
};

struct cf_draw_state {
   uint64_t packet; /* GPU address of the draw packet, for messages */
   const struct cf_clear_op
      *clear; /* not NULL: this is no draw but a clear in its place, the rest is unused */
   const struct cf_primitive_config *primitive;
   const struct cf_pixel_config *pixel; /* one per sample of the frame, with the images of that sample */
   /* Tasks of the draw may go from quads to pixels in one piece of code, which writes so (struct cf_quad_work). NULL: they may not */
   const struct cf_pixel_key *pixel_key;
   const struct cf_program *fragment_program;
   const struct cf_stage *fragment_stage;
   struct cf_vertex_source source;
   enum cf_prim_kind prim;
   uint32_t count; /* elements */
   uint32_t instances;
   bool smooth;  /* primitives may be: fragments have a coverage */
   bool restart; /* runs end at elements equal to restart_index */
   uint32_t restart_index;
   uint32_t varmodes;       /* of struct cf_cached_program, and CF_VARMODES_SHARED */
   uint32_t scratch_dwords; /* the most that its programs ask for */
   uint32_t slow; /* what keeps it, for good, from being run by compiled code alone: bit per enum cf_slow */
   uint64_t *primitives; /* the count of assembled primitives is added here when the draw is added
                            to a pass; NULL: not counted */
   uint64_t *samples;    /* where passing samples are added; NULL: not counted */
};

#endif
