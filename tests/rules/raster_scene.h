/* SPDX-License-Identifier: MIT
 *
 * What rules of rasterisation share: a scene of 64 x 64 pixels, drawn by OpenGL and by the
 * reference. Every fragment adds one to its pixel, so that a pixel drawn twice is seen, too.
 */
#ifndef RASTER_SCENE_H
#define RASTER_SCENE_H

#include "reference.h"
#include "rules.h"

#define SIZE_PX 64
#define PIXELS (SIZE_PX * SIZE_PX)
#define MOST_VERTICES 64

/* What is drawn, and to what. */
struct scene {
   struct target targets[2]; /* a framebuffer object, and a pbuffer */
   const struct target *target;
   struct ref_raster raster;
   struct ref_vertex reference[MOST_VERTICES];
   float vertices[MOST_VERTICES][8]; /* position, colour */
   uint8_t expected[4 * PIXELS];
};

/* Programs whose fragments add one; colour.x is a point's size. */
extern const char count_vertex[], count_fragment[];

/* No difference allowed, for scene_end. */
extern const int exactly[4];

/* Blending adds; vertices come from the scene. Ended by free(). */
struct scene *scene_create(const char *vertex, const char *fragment);

/* Either target, cleared, nothing expected; the viewport is all of it. */
void scene_begin(struct rules *r, struct scene *s);

/* Compares the target with what is expected; `lsb` is allowed in each channel. */
void scene_end(struct rules *r, struct scene *s, const int lsb[4], const char *what);

/* What has been drawn is what is expected of the next drawing. */
void expect_what_is_drawn(struct rules *r, struct scene *s);

void set_viewport(struct scene *s, int x, int y, int width, int height);

/* A viewport whose sizes are powers of two, so that multiples of 1/16 pixel in it are exact. */
void random_viewport(struct rules *r, struct scene *s);

void set_vertex(struct scene *s, int i, const int64_t clip[4]);

/* Vertex i at a point of the window in 1/16 pixels, z in 1/256 of the depth range, divided by a
 * random w. */
void set_window_vertex(struct rules *r, struct scene *s, int i, int x16, int y16, int z);

/* In 1/16 pixels: random, or at or near a border of the target or the viewport, or at a pixel's
 * centre or corner. */
int random_coordinate(struct rules *r, int begin_px, int size_px);

/* At such coordinates, and at or near the borders of the depth range. */
void random_window_vertex(struct rules *r, struct scene *s, int i);

/* Small whole numbers, where much happens on centres and corners, or large ones, far outside; any
 * sign of w. */
void random_clip_vertex(struct rules *r, struct scene *s, int i);

/* Sets and returns one. Aliased widths are rounded to whole pixels, at least 1: `drawn_px`. */
float random_line_width(struct rules *r, int *drawn_px);

/* raster_lines.c */
void rule_lines(struct rules *r);
void rule_line_varyings(struct rules *r);
void rule_widest_line(struct rules *r);
void rule_line_strips(struct rules *r);
void rule_line_loops(struct rules *r);
void rule_lines_cut_by_the_viewport(struct rules *r);
void rule_lines_behind_the_eye(struct rules *r);

#endif
