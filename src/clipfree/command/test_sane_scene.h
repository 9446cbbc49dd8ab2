/* SPDX-License-Identifier: MIT */
/*
 * For tests of the sanitiser: a GPU that it watches, and draws of a square of floats with programs
 * made by hand. What a test needs beside the square's fragments is set in the scene before the
 * draw.
 */
#ifndef CF_TEST_SANE_SCENE_H
#define CF_TEST_SANE_SCENE_H

#include "clipfree/command/test_gpu.h"
#include "clipfree/interface/cf_note.h"
#include "clipfree/sanitize/cf_sanitize.h"

#define SANE_SIZE_PX 16
#define SANE_PIXELS (SANE_SIZE_PX * SANE_SIZE_PX)
#define SANE_CONSTANTS 16

struct sane_scene {
   struct test_gpu t;
   struct test_surface color; /* floats, without blocks */
   struct cf_sanitize *sanitize;
   const char *vertex;         /* program; NULL: the positions of element 0 */
   struct cf_texture *texture; /* of unit 0 of fragments; NULL: none */
   struct cf_sampler sampler;
   const struct cf_note *note;                         /* of the draw; NULL: none */
   bool no_colors;                                     /* the draw writes none */
   uint32_t start, start_instance, instances, divisor; /* of the draw and of element 0 */
   uint64_t vertex_program;                            /* the last one */
};

/** `config` is as for cf_sanitize_open. Aborts on failure, as all functions here. */
void sane_scene_open(struct sane_scene *s, const struct cf_sanitize_config *config, int threads);

/** Close the GPU; the sanitiser stays. Returns its first report. */
const struct cf_sanitize_report *sane_scene_end(struct sane_scene *s);

/** A fragment program of a text that ends with `end`: 8 vector and 2 scalar registers, 16 dwords of
 * scratch, two colours and a depth. */
uint64_t sane_fragment_program(struct sane_scene *s, const char *text);

/** Give a note about an address, and free it. */
void sane_note(struct sane_scene *s, uint64_t address, struct cf_note *note);

/** Emit the packets of a draw of the square. Uniforms of both stages: u0 is 0, u1 -2, u2 3e38, u3
 * infinity, u4 the integer 100; the rest is 0. */
void sane_emit(struct sane_scene *s, uint64_t fragment_program);

/** Emit them, and submit. */
void sane_draw(struct sane_scene *s, uint64_t fragment_program);

#endif
