/* SPDX-License-Identifier: MIT
 *
 * What the checks of multisampling share: the places that they draw to, and where samples are.
 */
#ifndef MULTISAMPLE_CHECKS_H
#define MULTISAMPLE_CHECKS_H

#include "gles2_context.h"

#define SIZE_PX 64
#define UNITS 64 /* positions are in 1/64 pixel: exact in device coordinates */

enum place { PBUFFER, SURFACELESS, RENDERBUFFER, TEXTURE, PLACES };
extern const char *const place_name[PLACES];
extern const float white[4], red[4];

/* In 1/64 pixel from the upper left corner of memory's pixel. */
extern const int sample_position[4][2];

/* Of RENDERBUFFER, once it is created: where it is read, and how it gets there. */
extern struct target place_resolved;
extern PFNGLBLITFRAMEBUFFERNVPROC blit_framebuffer;

/* The plain program. */
extern const char vertex_text[], fragment_text[];

/* An extension's function, which must be there. */
void (*extension_function(const char *name))(void);

/* Of as many samples as the driver has for the number asked. */
void create_framebuffer(enum place place, GLsizei samples);

/* A new context with a cleared frame buffer of four samples and the plain program. */
struct target place_create(EGLDisplay display, enum place place);

/* The resolved colours; the frame buffer of four samples stays bound. */
uint8_t *place_read(const struct target *target, enum place place);

/* In 1/64 pixel. */
struct point {
   int64_t x, y;
};

/* Where sample s of pixel (x, y) is, with y upwards. */
struct point sample_at(int x, int y, int s, enum place place);

/* Samples of pixel (x, y) inside a counter-clockwise triangle. -1: one lies on an edge. */
int samples_inside(const struct point t[3], int x, int y, enum place place);

void point_to_vertex(struct point p, const float colour[4], float vertex[8]);
void random_triangle(uint64_t *seed, struct point t[3]);

/* multisample_shapes.c */
void check_edges(EGLDisplay display, enum place place);
void check_lines(EGLDisplay display, enum place place);
void check_points(EGLDisplay display, enum place place);

/* multisample_blits.c */
void check_resolve_beyond(EGLDisplay display, enum place place);
void check_counts(EGLDisplay display, enum place place);
void check_sampled(EGLDisplay display, enum place place);
void check_scaled(EGLDisplay display, enum place place);

#endif
