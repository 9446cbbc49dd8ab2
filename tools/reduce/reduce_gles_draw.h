/* SPDX-License-Identifier: MIT */
/*
 * A draw or clear as text: calls of OpenGL ES 2.0, and the arrays that they need.
 */
#ifndef REDUCE_GLES_DRAW_H
#define REDUCE_GLES_DRAW_H

#include <jansson.h>
#include <stdio.h>

#include "look/look_ops.h"

#include "clipfree/interface/cf_observer.h"
#include "clipfree/memory/cf_format.h"

/* What is written, and how images are to be read. */
struct reduce_gles {
   const struct look_player *player;
   FILE *arrays, *calls; /* texts in the making */
   uint32_t number;      /* of the draw, for names */
   uint32_t width_px, height_px;
   bool upside_down; /* the first row in memory is the uppermost, as windows have it */
   json_t *lost;
   char *error; /* "": none */
   size_t error_B;
};

/** Something is not expressed. */
void __attribute__((format(printf, 2, 3)))
reduce_gles_lose(struct reduce_gles *g, const char *format, ...);
/** There can be no program. */
void __attribute__((format(printf, 2, 3)))
reduce_gles_fail(struct reduce_gles *g, const char *format, ...);

/** Write an array of floats; such that are no numbers as their bits. */
void reduce_gles_floats(struct reduce_gles *g, const char *name, const float *values,
                        uint32_t count);

/** The state of a draw but for its program, its vertices and its textures. */
void reduce_gles_state(struct reduce_gles *g, const struct look_state *state);
void reduce_gles_clear(struct reduce_gles *g, const uint32_t *packet);
/** The program, its uniforms and textures. */
void reduce_gles_program(struct reduce_gles *g, const struct look_state *state);
/** The textures of a stage's samplers, from unit `unit` on. Returns the next unit. */
uint32_t reduce_gles_textures(struct reduce_gles *g, const struct look_state *state,
                              enum cf_shader_stage stage, uint32_t unit);
/** The vertices, and the draw. */
void reduce_gles_vertices(struct reduce_gles *g, const struct look_state *state,
                          const uint32_t *packet);

#endif
