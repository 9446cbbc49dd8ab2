/* SPDX-License-Identifier: MIT
 *
 * Drawing with shaders of GLSL ES 1.00 whose results are read back as floats, bit by bit: a
 * framebuffer of 32-bit floats needs a context of desktop OpenGL, which takes these shaders as they
 * are (ARB_ES2_compatibility).
 */
#ifndef SHADER_DRAW_H
#define SHADER_DRAW_H

#include "rules.h"

/* A framebuffer of four floats a pixel, bound, with its viewport; clears give 0. */
void shader_target(int width_px, int height_px);

/* The attributes `in_a`, `in_b` and so on have these locations. */
#define SHADER_FIRST_INPUT 2
#define SHADER_INPUTS 14

/* A program, made current, of GLSL ES 1.00 unless the texts begin with another #version; the
 * attribute `place` is 0, `position` 1. Ends the rule with the log if it does not link. */
GLuint shader_program(struct rules *r, const char *vertex, const char *fragment);

/* The same without ending: 0 and the log (at most `size` characters) if a shader does not compile
 * or it does not link. */
GLuint shader_try_program(const char *vertex, const char *fragment, char *log, size_t size);

/* Sets one uniform, or element of one: floats, or ints and bools. Those that the compiler removed
 * are ignored. */
void shader_uniform(GLuint program, const char *name, int columns, int rows, const float *numbers,
                    const GLint *whole);

struct glsl_program;

/* Sets all uniforms of a random program. */
void shader_set_uniforms(const struct glsl_program *p, GLuint program);

/* The whole framebuffer, as a triangle. */
void shader_draw_rectangle(void);

/* A point at each pixel, with the attribute `place` (x, y). */
void shader_draw_places(int width_px, int height_px);

/* For the first: passes `position`. For the second: writes the varying `result`. */
extern const char shader_vertex_place[], shader_fragment_result[];

#endif
