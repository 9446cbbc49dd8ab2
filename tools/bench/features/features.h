/* SPDX-License-Identifier: MIT
 *
 * Cases of one feature of OpenGL 2.1 each: what feature_cost.c measures. A case is data: what is enabled, a function that sets the rest
 * up, one that draws, and what these two read. Each has a context of its own, so nothing is put back afterwards.
 */
#ifndef FEATURES_H
#define FEATURES_H

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <stddef.h>

enum { FEATURE_PX = 512 }; /* width and height of what is drawn to */

/* What the context of a case has. */
struct scene {
   GLuint target;     /* the frame buffer that is bound: RGBA8, 24 bits of depth, 8 of stencil */
   GLuint other;      /* one like it */
   const void *image; /* random values of the type that the case names, FEATURE_PX x FEATURE_PX x 4 of them */
};

struct feature {
   const char *name;  /* "group: case" */
   const char *needs; /* an extension, or NULL */
   GLenum enable[2];  /* 0: nothing */

   /* Returns NULL, or what the driver does not have; NULL: nothing is left to set up. */
   const char *(*set_up)(const struct feature *feature, const struct scene *scene);
   /* What is measured; NULL: draw_quad. */
   void (*draw)(const struct feature *feature, const struct scene *scene);

   /* What these read; each says what it is there. */
   GLenum mode; /* of primitives, comparison, wrapping, an operation, or the bits of a clear */
   GLint size;  /* in pixels, or a count */
   GLfloat times; /* texture coordinates of the quad end there; 0: at 1 */
   const char *fragment; /* a shader's text */
   struct {
      GLenum equation, source, destination;
   } blend;
   struct {
      GLenum target, internal, format, type; /* target 0: GL_TEXTURE_2D */
   } image;
   struct {
      GLenum min, mag;
   } filter;
};

struct feature_list {
   const struct feature *features;
   size_t count;
};

extern const struct feature_list features_of_pixels, features_of_targets, features_of_primitives, features_of_samples,
   features_of_transfers, features_of_calls, features_of_shaders;

#define FEATURE_LIST(of) { of, sizeof(of) / sizeof((of)[0]) }

/* A quad over all pixels, at a depth of 0.6, of colours and texture coordinates that change in x and y. */
void draw_quad(const struct feature *feature, const struct scene *scene);

/* glClear of the bits `mode`. */
void draw_clear(const struct feature *feature, const struct scene *scene);

/* The same, and a triangle of some thousandths of all pixels. */
void draw_clear_and_triangle(const struct feature *feature, const struct scene *scene);

/* Many primitives of `mode`, GL_POINTS, GL_LINES or GL_TRIANGLES, at random places, from a buffer: set up and drawn. Points and lines are
 * `size` pixels wide, triangles have legs of as many. */
const char *set_primitives(const struct feature *feature, const struct scene *scene);
void draw_primitives(const struct feature *feature, const struct scene *scene);

/* A texture of `image` with `filter`, bound and enabled. */
const char *set_texture(const struct feature *feature, const struct scene *scene);

/* glDepthFunc of `mode`. */
const char *set_depth(const struct feature *feature, const struct scene *scene);

/* glBlendFunc by source alpha. */
void blend_by_alpha(void);

#endif
