/* SPDX-License-Identifier: MIT */
/*
 * The compiler: NIR to clipfree code. Knows NIR and the ISA; knows nothing of Gallium state.
 *
 * Conventions between driver, programs and GPU:
 *  - constant bank 0 holds the default uniform block as dwords (u0..u127 read its first 128); bank
 *    n is UBO n.
 *  - vertex programs load attribute n (driver location) with ldf slot n, index = sys vertex_id (ldf
 *    applies divisors itself).
 *  - vertex outputs: 0..3 clip position, 4 point size, 5 edge flag, 8 + 4 k varying slot k, which
 *    is VARYING_SLOT_* location[k] of the binary.
 *  - a geometry program's inputs and outputs lie in scratch (cf_nir_geometry.c); its outputs are
 *    those of a vertex program, location[k] their slots, input_location[k] the slots of its inputs.
 *  - fragment varying slot k is location[k] of the binary, too; flat, smooth, linear by the ldvar
 *    mode (flat also in flat[k], for the link). Colors (VARYING_SLOT_COL0/1, BFC0/1) keep their
 *    locations so that the driver links two-sided lighting and flat shading.
 *  - texture unit n is sampler n of the shader.
 */
#ifndef CF_COMPILER_H
#define CF_COMPILER_H

#include <stdbool.h>
#include <stdint.h>

#include "clipfree/compiler/cf_passes.h"
#include "clipfree/interface/cf_limits.h"
#include "clipfree/interface/cf_note.h"
#include "clipfree/interface/cf_packets.h"

struct nir_shader;
struct nir_shader_compiler_options;

#define CF_MAX_VARYING_SLOTS (CF_MAX_VARYING_DWORDS / 4)

enum cf_compile_debug {
   CF_COMPILE_NIR = 1 << 0,
   CF_COMPILE_IR = 1 << 1,
   CF_COMPILE_ASM = 1 << 2,
   CF_COMPILE_SHADERDB = 1 << 3,
   CF_COMPILE_NOVALIDATE = 1 << 4,
};

/* The precision of mediump and lowp (docs/mediump.md). */
enum cf_mediump {
   CF_MEDIUMP_OFF,          /* 32 bits, as highp */
   CF_MEDIUMP_FP16,         /* binary16, both */
   CF_MEDIUMP_FP16_FLUSHED, /* the same without denormals */
   CF_MEDIUMP_FP10,         /* the least that GLSL ES 1.00 allows; lowp is 10 bits of fixed point */
};

struct cf_compile_options {
   uint32_t debug;         /* enum cf_compile_debug */
   bool flat_shade_colors; /* fragment: colors without interpolation qualifier are flat
                              (glShadeModel) */
   bool lines;             /* describe the lines that instructions are made from */
   bool nir;               /* describe the NIR that they are made from */
   uint32_t passes_off;    /* passes that are left out: bits of enum cf_pass */
   enum cf_mediump mediump;
   /* gets the program as text, after each stage of the compiler; NULL: nobody looks */
   void (*look)(void *user, const char *stage, const char *text);
   void *user; /* of look */
};

struct cf_binary {
   struct cf_program program;  /* all but the code address */
   uint64_t *code;             /* program.code_instrs instructions */
   struct cf_note_line *lines; /* with `lines` the line table; NULL: none */
   uint32_t line_count;
   struct cf_note_array *arrays; /* with `lines` the uniform arrays that are indexed; NULL: none */
   uint32_t array_count;
   char *nir; /* with `nir` the shader as the compiler selected instructions from it */
   uint32_t
      *nir_lines; /* by instruction its line in this text, from 1; 0: none; NULL without nir */
   /* with `lines`, by instruction: enum cf_note_precision of its result; NULL: all are highp */
   uint8_t *precisions;
   unsigned varying_slots;                 /* outputs (vertex, geometry) or inputs (fragment) */
   uint8_t location[CF_MAX_VARYING_SLOTS]; /* VARYING_SLOT_* of each */
   bool
      flat[CF_MAX_VARYING_SLOTS]; /* fragment: declared flat (or a color under flat_shade_colors) */
   /* geometry: the same of its inputs, which are vertices' outputs */
   unsigned input_slots;
   uint8_t input_location[CF_MAX_VARYING_SLOTS];
   bool uses_point_coord, writes_point_size, writes_layer;
   uint32_t spills; /* registers spilled to scratch */
   char stats[256]; /* one shader-db line */
   char *error;     /* not NULL: the reason it cannot be compiled; nothing else is valid */
};

/** NIR options the driver hands to the state tracker. */
extern const struct nir_shader_compiler_options cf_nir_options;

/** Lowering that does not depend on state, done once when the state tracker hands over a shader
 * (pipe_screen::finalize_nir). passes_off and mediump as in cf_compile_options. */
void cf_finalize_nir(struct nir_shader *nir, uint32_t passes_off, enum cf_mediump mediump);

/** Compile (consumes a clone of nir). Never returns NULL except when out of memory; check ->error.
 */
struct cf_binary *cf_compile(const struct nir_shader *nir,
                             const struct cf_compile_options *options);
void cf_binary_free(struct cf_binary *binary);

#endif
