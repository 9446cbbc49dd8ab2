/* SPDX-License-Identifier: MIT
 *
 * Cases of one feature of OpenGL 2.1, 3.3 or OpenGL ES 3.0 each, for feature_cost.c. A case is
 * data: enabled capabilities, a function that sets up other state, one that draws, and their
 * parameters. Each has a context of its own, so that no state is restored afterwards.
 */
#ifndef FEATURES_H
#define FEATURES_H

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include "../cost.h"
#include <stdbool.h>
#include <stddef.h>

enum { FEATURE_PX = 512 }; /* width and height of the render target */

/* Objects in the context of a case. */
struct scene {
   GLuint target;     /* the frame buffer that is bound: RGBA8, 24 bits of depth, 8 of stencil */
   GLuint other;      /* one like it */
   const void *image; /* FEATURE_PX x FEATURE_PX x 4 random values of the case's type */
};

enum attribute_kind {
   ATTRIBUTE_FLOAT,
   ATTRIBUTE_NORMALISED,
   ATTRIBUTE_INTEGER,
};

struct feature {
   const char *name;  /* "group: case" */
   const char *needs; /* an extension, or NULL */
   GLenum enable[2];  /* 0: nothing */

   /* Set up. Returns NULL, or the missing feature. May be NULL. */
   const char *(*set_up)(const struct feature *feature, const struct scene *scene);
   /* The measured draw; NULL: draw_quad. */
   void (*draw)(const struct feature *feature, const struct scene *scene);

   /* Parameters of these functions; each function documents its own. */
   GLenum mode; /* of primitives, comparison, wrapping, an operation, or the bits of a clear */
   GLint size;  /* in pixels, or a count */
   GLfloat times; /* largest texture coordinate of the quad; 0: 1 */
   const char *vertex, *geometry, *fragment; /* sources of shaders */
   struct {
      GLenum equation, source, destination;
   } blend;
   struct {
      GLenum target, internal, format, type; /* target 0: GL_TEXTURE_2D */
   } image;
   struct {
      GLenum min, mag;
   } filter;
   struct {
      GLint components;
      GLenum type;
      enum attribute_kind kind;
      GLuint divisor;
   } attribute;
};

struct feature_list {
   const struct feature *features;
   size_t count;
   enum cost_api api;
};

extern const struct feature_list features_of_pixels, features_of_fill, features_of_targets,
   features_of_primitives, features_of_samples, features_of_transfers, features_of_calls,
   features_of_shaders;
extern const struct feature_list features_of_es3_textures, features_of_es3_lookups,
   features_of_es3_targets, features_of_es3_samples, features_of_es3_shaders,
   features_of_es3_blocks, features_of_es3_vertices, features_of_es3_transfers;
extern const struct feature_list features_of_gl33;

#define FEATURE_LIST(of)                                                                           \
   {                                                                                               \
      of, sizeof(of) / sizeof((of)[0]), COST_DESKTOP                                               \
   }
#define ES3_LIST(of)                                                                               \
   {                                                                                               \
      of, sizeof(of) / sizeof((of)[0]), COST_ES3                                                   \
   }

/* Draw a quad over all pixels, at depth 0.6, with colours and texture coordinates that vary in x
 * and y. */
void draw_quad(const struct feature *feature, const struct scene *scene);

/* glClear of the bits `mode`. */
void draw_clear(const struct feature *feature, const struct scene *scene);

/* The same, then a triangle that covers some thousandths of the pixels. */
void draw_clear_and_triangle(const struct feature *feature, const struct scene *scene);

/* Set up and draw many primitives of `mode`, GL_POINTS, GL_LINES or GL_TRIANGLES, at random
 * positions, from a buffer. Points and lines are `size` pixels wide, triangles have legs of `size`
 * pixels. */
const char *set_primitives(const struct feature *feature, const struct scene *scene);
void draw_primitives(const struct feature *feature, const struct scene *scene);

/* Make the buffer of their positions, two floats each, and leave it bound. */
void make_primitives(const struct feature *feature);

/* Create, bind and enable a texture of `image` with `filter`. */
const char *set_texture(const struct feature *feature, const struct scene *scene);

/* One colour a primitive. */
const char *set_flat(const struct feature *feature, const struct scene *scene);

/* A target of four samples; with a `size`, also set up primitives of that size. */
const char *set_four_samples(const struct feature *feature, const struct scene *scene);

/* glDepthFunc of `mode`. */
const char *set_depth(const struct feature *feature, const struct scene *scene);

/* glBlendFunc by source alpha. */
void blend_by_alpha(void);

/* Returns NULL, or an error if the frame buffer is not complete. */
const char *check_complete(void);

#endif
