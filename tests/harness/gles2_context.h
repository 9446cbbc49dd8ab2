/* SPDX-License-Identifier: MIT
 *
 * What tests draw with: a context without a window, a framebuffer object to draw into, programs,
 * and ways to say what is wrong. Errors that are not what a check is about end the program with a
 * message.
 */
#ifndef GLES2_CONTEXT_H
#define GLES2_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#define EGL_EGLEXT_PROTOTYPES
#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>
#include <GLES2/gl2ext.h>

#include "die.h"

/* Meson's exit status of a skipped test. */
#define EXIT_SKIP 77

struct target {
   GLuint framebuffer, colour, depth_stencil;
   int width_px, height_px;
};

/* The surfaceless display, initialised. */
EGLDisplay display_open(void);

/* A new OpenGL ES 2.0 context, made current; it shares objects with `share` unless that is
 * EGL_NO_CONTEXT. */
EGLContext context_create(EGLDisplay display, EGLContext share);

/* The same of OpenGL ES 3.0. */
EGLContext context_create_es3(EGLDisplay display, EGLContext share);

/* The same of OpenGL 3.1 to 3.3, from 3.2 on a core context: what OpenGL ES 3.2 has is called as
 * there. */
EGLContext context_create_gl3(EGLDisplay display, EGLContext share, int minor);

/* OpenGL ES 2.0 of a configuration of four samples, which its pbuffers then have. */
EGLContext context_create_samples(EGLDisplay display, EGLContext share);

/* A new OpenGL 2.1 context, made current, sharing in the same way. What OpenGL ES 2.0 has is called
 * as there; the rest through eglGetProcAddress. */
EGLContext context_create_desktop(EGLDisplay display, EGLContext share);

/* A framebuffer object of RGBA8 with depth and stencil, bound, with its viewport, cleared to
 * zero. */
struct target target_create(int width_px, int height_px);
void target_delete(struct target *target);

/* The default framebuffer of the current context, from now on: a pbuffer of RGBA8 with depth24 and
 * stencil8, bound, with its viewport, cleared to zero. Rows of memory run the other way than a
 * framebuffer object's. */
struct target target_create_pbuffer(EGLDisplay display, int width_px, int height_px);

/* Binds the target and sets its viewport. */
void target_bind(const struct target *target);

/* The colours as RGBA bytes, bottom row first: pixels[4 * (y * width + x) + channel]. The caller
 * frees them. */
uint8_t *target_read(const struct target *target);

/* A new OpenGL ES 2.0 context of this configuration, not made current. */
EGLContext context_of(EGLDisplay display, EGLConfig config);

/* Makes the context current with one surface to draw to and read from. */
void make_current(EGLDisplay display, EGLSurface surface, EGLContext context);

/* A shader of `head` (such as its #version line) and `source`, compiled; `log` is what the compiler
 * says. Returns 0 if it does not compile. */
GLuint shader_compile(GLenum stage, const char *head, const char *source, char *log, size_t size);

/* A program of two shaders, made current; the named attributes, up to NULL, are at 0, 1 and so
 * on. */
GLuint program_link_attributes(const char *vertex, const char *fragment,
                               const char *const *attributes);

/* A program of two shaders, with the attributes "position" and "colour" at 0 and 1; made
 * current. */
GLuint program_create(const char *vertex, const char *fragment);

/* Passes position and colour through. */
extern const char plain_vertex[], plain_fragment[];

/* Draws triangles of `count` vertices: four floats of position in clip space and four of colour
 * each. */
void draw_vertices(const float (*vertices)[8], int count);

/* A rectangle [x0, x1] x [y0, y1] in normalised device coordinates at depth z, of one colour. */
void draw_rectangle(float x0, float y0, float x1, float y1, float z, const float colour[4]);

/* Ends the program if GL has an error. */
void no_error(const char *when);

/* Ends the program unless the pixel is within `lsb` of the colour. */
void expect_pixel(const struct target *target, const uint8_t *pixels, int x, int y,
                  const uint8_t colour[4], int lsb, const char *what);

/* Numbers that look random: the same for the same seed everywhere. Returns one in [0, limit). */
uint32_t random_below(uint64_t *seed, uint32_t limit);

/* The memory that this process holds. */
long resident_kB(void);

/* The time of a clock, such as CLOCK_MONOTONIC. */
double now_s(clockid_t clock);

#endif
