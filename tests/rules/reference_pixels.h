/* SPDX-License-Identifier: MIT
 *
 * A reference of what becomes of fragments, OpenGL ES 2.0 chapter 4: scissor, stencil, depth,
 * blending, masks and clears, in doubles, a pixel at a time. A colour is known up to rounding: what
 * a channel may hold is a range, of one value unless the exact result lies so near the middle of
 * two that single precision could give either. (GL leaves an error of one step; rounding to the
 * nearest is what clipfree promises.)
 */
#ifndef REFERENCE_PIXELS_H
#define REFERENCE_PIXELS_H

#include "gles2_context.h"

/* A colour format: bits of red, green, blue, alpha; 0: none. 16 bits and more are floats. */
struct ref_format {
   const char *name;
   GLenum internal;
   int bits[4];
};

/* Depth is kept as the number that was written, not as its bits: those used are equal or differ by
 * many steps. */
struct ref_pixel {
   double least[4], most[4]; /* what a channel may hold: a whole number of steps, or a float */
   double depth;
   uint8_t stencil;
};

struct ref_pixels {
   const struct ref_format *format;
   bool has_depth, has_stencil;
   int width_px, height_px, samples;
   struct ref_pixel *pixels; /* sample after sample, of each row after row, bottom first */
};

struct ref_pixels ref_pixels_create(const struct ref_format *format, bool depth, bool stencil,
                                    int width_px, int height_px, int samples);

/* Of front [0] and back [1] faces, except where said otherwise. */
struct ref_stencil {
   GLenum func;
   int ref;
   uint32_t value_mask, write_mask;
   GLenum fail, depth_fail, depth_pass;
};

struct ref_state {
   bool scissor_test, depth_test, stencil_test, blend, logic_op, cull;
   int scissor[4];
   bool color_mask[4], depth_mask;
   GLenum depth_func;
   struct ref_stencil stencil[2];
   GLenum equation[2], source[2], destination[2]; /* of colour, of alpha */
   float blend_color[4];
   GLenum logic_operation; /* OpenGL only */
   GLenum culled, front_face;
   float depth_near, depth_far;
   float clear_color[4], clear_depth;
   int clear_stencil;
   bool alpha_to_coverage, sample_coverage, coverage_invert;
   float coverage;
};

/* Sets the current context's state. */
void ref_state_apply(const struct ref_state *s);

/* glClear */
void ref_clear(const struct ref_state *s, struct ref_pixels *p, GLbitfield buffers);

/* One sample of a fragment with its window depth, that no shader discards. */
void ref_draw_fragment(const struct ref_state *s, struct ref_pixels *p, int x, int y, int sample,
                       double depth, bool front, const float color[4]);

/* Blending of one pixel, for the formats and states that blend or use logic operations; and
 * writing, masked. */
void ref_write_color(const struct ref_state *s, const struct ref_format *format,
                     struct ref_pixel *pixel, const float color[4]);

#endif
