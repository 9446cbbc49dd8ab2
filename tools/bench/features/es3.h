/* SPDX-License-Identifier: MIT
 *
 * Shared by the cases of OpenGL ES 3.0: programs, a quad from a buffer, and textures of every
 * target.
 */
#ifndef ES3_H
#define ES3_H

#include "features.h"

enum { ES3_TEXTURE_PX = 256, ES3_LAYERS = 8, ES3_SAMPLES = 4 };

/* The head of every fragment shader: `at` is 0 to `times` in x and y, 0.3 in z. */
#define ES3_HEAD                                                                                   \
   "#version 300 es\n"                                                                             \
   "precision highp float; precision highp int;\n"                                                 \
   "in vec3 at;\n"

/* The head of vertex shaders other than the usual one, which passes `position` on. */
#define ES3_VERTEX                                                                                 \
   "#version 300 es\n"                                                                             \
   "layout(location = 0) in vec2 position;\n"

/* Link and use the program of `vertex`, NULL: the usual one, and `fragment`, which has ES3_HEAD.
 * Returns the program. */
GLuint es3_program(const struct feature *feature);

/* Set up the program, and a quad over all pixels: two floats a vertex, four vertices. */
const char *set_es3_quad(const struct feature *feature, const struct scene *scene);
/* The quad alone, of whatever program. */
void make_es3_quad(void);
/* Attribute 0 is the positions in the bound buffer. */
void set_es3_positions(void);
void draw_es3_quad(const struct feature *feature, const struct scene *scene);

/* Set up the program, and the positions of make_primitives, for draw_primitives. */
const char *set_es3_primitives(const struct feature *feature, const struct scene *scene);

/* The same with a texture of `image` and `filter`; its sampler is called `image`. A compressed one
 * has format 0, and `size` bytes a block. */
const char *set_es3_texture(const struct feature *feature, const struct scene *scene);

/* Make a texture of `image`, square with sides of `size_px`, ES3_LAYERS layers, and leave it
 * bound. */
GLuint make_es3_texture(const struct feature *feature, const void *texels, int size_px);

/* The vertex attribute `attribute`, location 1, is read from the start of the bound buffer. */
void set_es3_attribute(const struct feature *feature);

/* Make a buffer and leave it bound to the target. */
GLuint make_es3_buffer(GLenum target, const void *data, size_t size_B);

#endif
