/* SPDX-License-Identifier: MIT
 *
 * Framebuffers with what should be in them, and pens, which draw by GL and by the reference at
 * once.
 */
#ifndef CANVAS_H
#define CANVAS_H

#include "reference.h"
#include "reference_pixels.h"
#include "rules.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Nothing is tested, everything is written. */
extern const struct ref_state initial_state;

/* The last two are floats, which Mesa reads back in OpenGL only. */
#define FORMATS 9
#define FIXED_FORMATS (FORMATS - 2)
extern const struct ref_format formats[FORMATS];

enum depth_stencil { NO_DEPTH, DEPTH16, DEPTH24_STENCIL8, STENCIL8, DEPTH_FLOAT /* OpenGL */, DEPTH_STENCILS };

struct canvas {
   GLuint framebuffer, color, depth_stencil;
   EGLSurface surface;
   struct ref_pixels pixels;
};

/* A framebuffer object, bound, all of it 0. False: the implementation has no such. */
bool canvas_create(struct canvas *c, const struct ref_format *format, enum depth_stencil kind,
                   int width_px, int height_px);

/* The same of four samples a pixel: renderbuffers of EXT_multisampled_render_to_texture. */
bool canvas_create_samples(struct canvas *c, const struct ref_format *format,
                           enum depth_stencil kind, int width_px, int height_px);

/* A pbuffer of RGBA8 with depth24 and stencil8, bound, all of it 0; of the context's number of
 * samples. */
void canvas_create_pbuffer(struct canvas *c, int width_px, int height_px);

void canvas_bind(const struct canvas *c);
void canvas_delete(struct canvas *c);

/* Compares the colours with what they may be; the framebuffer is bound. */
void expect_colors(struct rules *r, const struct ref_pixels *p);

/* OpenGL can read depth and stencil back. */
void expect_depth_stencil(struct rules *r, const struct ref_pixels *p);

enum shader {
   PLAIN,
   DISCARDS, /* every other pixel, like a chess board */
   WRITES_DEPTH,
   ONE_COLOR,              /* the number of those above */
   TWO_COLORS = ONE_COLOR, /* the second, for blending, is the first in reverse: alpha to red */
   SHADERS
};

/* How things are drawn in the current context. */
struct pen {
   bool desktop;
   GLuint programs[SHADERS]; /* 0: the context has no such */
   GLint color[SHADERS], depth[SHADERS];
};

struct pen pen_create(bool desktop);

/* One draw of one colour. */
struct draw {
   const struct ref_state *state;
   struct ref_pixels *pixels;
   enum shader shader;
   float color[4];
   double depth; /* that the shader writes */
   int sample;   /* the one that the reference draws */
};

/* A triangle at one depth. */
void draw_triangle(const struct pen *pen, struct draw *d, const struct ref_vertex v[3]);

/* z in quarters, from -4 to 4, the near and the far plane. */
void draw_rectangle_of_pixels(const struct pen *pen, struct draw *d, int x0, int y0, int x1, int y1,
                              int z);

/* One point for each pixel of the target, in a colour of its own. */
void draw_pixels(const struct pen *pen, struct draw *d, const float (*colors)[4], int z);

#endif
