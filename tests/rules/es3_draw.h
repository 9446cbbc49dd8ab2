/* SPDX-License-Identifier: MIT
 *
 * What the rules of OpenGL ES 3.0 share: programs of GLSL ES 3.00, targets of any format, and
 * values of 32 bits at each pixel.
 */
#ifndef ES3_DRAW_H
#define ES3_DRAW_H

#include <GLES3/gl3.h>

#include "rules.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The version and highp for all types, before every shader. */
extern const char es3_head[];

/* A program, in contexts of OpenGL 3.1 of GLSL 1.40, made current; ends the rule with the log if it
 * does not link. */
GLuint es3_program(const struct rules *r, const char *vertex, const char *fragment);

/* The same without ending the rule: 0 if it does not compile or link. */
GLuint es3_try_program(const char *vertex, const char *fragment);

/* The same as the first with another head, of another version. */
GLuint es3_program_of(const struct rules *r, const char *head, const char *vertex,
                      const char *fragment);

/* The same with varyings that are captured. */
struct es3_capture {
   const char *const *names;
   int count;
   GLenum mode;
};
GLuint es3_program_capture(const struct rules *r, const char *vertex, const char *fragment,
                           const struct es3_capture *capture);

/* A vertex shader without attributes that covers the viewport: three vertices, es3_draw_whole(). */
extern const char es3_vertex_whole[];
void es3_draw_whole(void);

/* The same within [0, width_px) x [0, height_px), of the channels in `mask`: red, green, blue,
 * alpha. */
void es3_draw_masked(const bool mask[4], int width_px, int height_px);

/* A fragment shader that does nothing. */
extern const char es3_fragment_none[];

/* An immutable 2D texture as the only colour of a bound frame buffer, its viewport set. */
struct es3_target {
   GLuint framebuffer, texture;
   int width_px, height_px;
};
struct es3_target es3_target_create(GLenum format, int width_px, int height_px);
void es3_target_bind(const struct es3_target *t);
void es3_target_delete(struct es3_target *t);

/* Four values of 32 bits a pixel of the bound frame buffer of unsigned integers, added to the hash.
 * The caller frees them. */
uint32_t *es3_read_uint(struct rules *r, int width_px, int height_px);

/* A texture of RGBA32UI on this unit, nearest texels. */
GLuint es3_uint_texture(int unit, int width_px, int height_px, const uint32_t *values);

/* Sets the uniform of this name to a whole number; unknown ones are ignored. */
void es3_uniform(GLuint program, const char *name, int value);

/* A value of 32 bits: often a boundary of integers or floats, or what looks like a NaN. */
uint32_t es3_random_bits(struct rules *r);

float es3_float(uint32_t bits);
uint32_t es3_bits(float value);

/* Text that grows: text_begin(), add(), text_end() for the characters, which the caller frees. */
struct text {
   char *chars;
   size_t size;
   FILE *file;
};
void text_begin(struct text *t);
char *text_end(struct text *t);
#define add(t, ...) fprintf((t).file, __VA_ARGS__)

#endif
