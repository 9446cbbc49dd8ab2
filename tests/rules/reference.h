/* SPDX-License-Identifier: MIT
 *
 * A reference of OpenGL ES 2.0 from vertices in clip space to fragments, section by section as the
 * specification says it, in whole numbers: a vertex's coordinates are integers, so (being
 * homogeneous) any rational position. What is decided by a sign here is decided exactly. Slow and
 * obvious: every pixel of the target is asked whether it is covered.
 */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

struct ref_viewport {
   int x, y, width, height;
   double near, far;
};

/* Clip coordinates (x, y, z, w), each below 2^23 so that they are floats too. */
struct ref_vertex {
   int64_t clip[4];
};

/* A pixel of a primitive. */
struct ref_fragment {
   int x, y;
   double z;         /* window depth, before offset and clamp */
   double share[3];  /* of each vertex, perspective-correct; they add up to 1 */
   double point[2];  /* gl_PointCoord */
   bool front;
};

/* Called for each fragment, in rows from the bottom. */
typedef void ref_emit(void *user, const struct ref_fragment *fragment);

/* What primitives are drawn to. Pixels are asked at their centres, or where `sample` is not zero,
 * that far from them. */
struct ref_raster {
   struct ref_viewport viewport;
   int width_px, height_px;
   bool front_is_cw;
   ref_emit *emit;
   void *user;
   int sample[2]; /* in 1/8 pixel; of triangles */
};

/* Section 3.5.1: a pixel whose centre is inside, in front of the eye and inside the view volume. A
 * centre on an edge belongs to the triangle at its right, of a horizontal edge the one above: so
 * shared edges are drawn once; which of the two is free in GL, this is Mesa's choice for all its
 * drivers. A centre exactly on the near or far plane is inside. */
void ref_triangle(const struct ref_raster *r, const struct ref_vertex v[3]);

/* Twice the signed area of the triangle as the window shows it, by its sign: section 3.5.1,
 * equation 3.4, also where vertices are behind the eye. 0: nothing is drawn. */
int ref_area_sign(const struct ref_vertex v[3]);

/* Section 3.3: a pixel whose centre lies in the square around the point. Centres on its left and
 * lower sides are inside (free in GL, as for triangles). Clipped by the near and far planes only
 * (section 2.13); what of a point is outside the viewport is cut off, as all of Mesa's drivers do
 * for OpenGL ES and the conformance tests ask for. */
void ref_point(const struct ref_raster *r, const struct ref_vertex *v, double size_px);

/* The point in the window, in pixels. w > 0. */
struct ref_window {
   double x, y, z;
};
struct ref_window ref_window_position(const struct ref_viewport *viewport,
                                      const struct ref_vertex *v);

/* Section 3.4.1, the diamond-exit rule: whether a line of width 1 from p to q has a fragment at
 * pixel (x, y). Coordinates in 1/256 pixels. */
bool ref_line_exits_diamond(const int64_t p[2], const int64_t q[2], int x, int y);

#endif
