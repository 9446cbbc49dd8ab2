/* SPDX-License-Identifier: MIT */
/*
 * Set-up of lines, clip-free: a line is the homogeneous parallelogram that its vertices make when
 * moved by +-(width / 2) w along the minor axis of the window, as GL's wide lines are (2.1
 * section 3.4.2). Its sides across the minor axis stand at the vertices; the one at the first
 * vertex owns its points, the other does not, so strips cover no pixel twice; in front of the eye
 * the diamond-exit rule takes their place as bounds. Along the major axis the top-left rule holds.
 *
 * With several samples a pixel, and smooth, lines are rectangles (GL 2.1 sections 3.4.4 and 3.4.2): the same with moves
 * across the line instead of the minor axis, and sides across it at the vertices.
 *
 * Line stipple counts pixels along the major axis, from segment to segment of a strip.
 *
 * The two sides at the vertices are the weights: P = (w0' V0 + w1' V1) + a move along them, which
 * changes neither depth nor varyings. Where bounds do the sides' work and the line is one pixel wide, the
 * weights stand across the line, as GL has it; interpolation sees to that in wide ones. Edges are f64 and believed; ends in front of the
 * eye are first rounded to 1/256 pixel, so that the f32 noise of vertices that were meant to lie on
 * pixel centres decides nothing.
 */
#include "clipfree/command/cf_limits.h"
#include "clipfree/primitive/cf_setup.h"
#include "clipfree/primitive/cf_smooth.h"

#include <math.h>
#include <string.h>

#define CF_SUBPIXELS 256

/* An end in homogeneous window coordinates. */
struct end {
   double x, y, z, w;
};

static double
snap(double window, double w)
{
   return floor(window / w * CF_SUBPIXELS + 0.5) * (1.0 / CF_SUBPIXELS) * w;
}

static struct end
window_end(const struct cf_setup *s, const float *v, bool snapped)
{
   const double w = v[3];
   struct end e = { (double)s->viewport.sx * v[0] + s->viewport.tx * w,
                    (double)s->viewport.sy * v[1] + s->viewport.ty * w, v[2], w };
   if (snapped) {
      e.x = snap(e.x, w);
      e.y = snap(e.y, w);
   }
   return e;
}

static double
line_width_px(const struct cf_raster *raster)
{
   const double width = fmin(raster->line_width_px, CF_MAX_SIZE_PX);
   if (raster->line_smooth || raster->multisample)
      return width > 0.0 ? width : 1.0;
   return width > 1.0 ? floor(width + 0.5) : 1.0;
}

bool
cf_lines_are_replicated(const struct cf_primitive_config *config)
{
   return config->samples <= 1 && !config->raster.line_smooth && !config->raster.multisample && line_width_px(&config->raster) > 1.0;
}

static bool
is_rectangle(const struct cf_setup *s)
{
   return s->config->samples > 1 || cf_shape_is_smooth(s->config, CF_SHAPE_LINE);
}

static void
set_edge(const struct cf_setup *s, struct cf_prim *prim, uint32_t i, double factor, double a,
         double b, double c)
{
   prim->a[i] = factor * a;
   prim->b[i] = factor * b;
   prim->c[i] = factor * (c + s->half_px * (a + b));
   prim->error[i] = 0.0;
}

static bool
in_front(const struct end e[2])
{
   return e[0].w > 0.0 && e[1].w > 0.0;
}

/* The end with w = 1. Undoes the product of snap() exactly: 22 bits times 24. */
static struct end
projected(const struct end *e)
{
   return (struct end){ e->x / e->w, e->y / e->w, e->z / e->w, 1.0 };
}

/* The line a x + b y + c through both ends, any scale. */
struct equation {
   double a, b, c;
   bool x_major;
   double
      det; /* of the homogeneous ends along the major axis: negative if the line runs left (up) */
};

/* In front of the eye, of the rounded window coordinates: their few bits make everything here and
 * in raster exact, so that of two pixels that a line passes between exactly one is covered. */
static struct equation
line_equation(const struct end e[2])
{
   const struct end p = in_front(e) ? projected(&e[0]) : e[0],
                    q = in_front(e) ? projected(&e[1]) : e[1];
   struct equation l = { .a = p.y * q.w - p.w * q.y,
                         .b = p.w * q.x - p.x * q.w,
                         .c = p.x * q.y - p.y * q.x };
   l.x_major = fabs(l.b) >= fabs(l.a);
   l.det = l.x_major ? e[0].w * e[1].x - e[0].x * e[1].w : e[0].w * e[1].y - e[0].y * e[1].w;
   return l;
}

/* ---- ends ---- */

/* Pixels along the major axis, max exclusive. */
struct span {
   double min_px, max_px;
};

/* Aliased lines begin and end by the diamond-exit rule (GL 2.1 section 3.4.1). */
static bool
exits_diamonds(const struct cf_setup *s)
{
   return !s->config->raster.line_smooth && !s->config->raster.multisample &&
          s->config->samples <= 1;
}

/* Where an end counts along the major axis: inside the diamond of its pixel, at the pixel's centre.
 * A wide line has the diamonds of the thin one at its lower side, (width - 1) / 2 away. */
static double
diamond_end(const struct cf_setup *s, const struct end *p, bool x_major, double half_width_px)
{
   const double along = (x_major ? p->x : p->y) - s->half_px,
                across = (x_major ? p->y : p->x) - s->half_px - (half_width_px - 0.5);
   const double centre = floor(along + 0.5);
   const bool inside = fabs(along - centre) + fabs(across - floor(across + 0.5)) < 0.5;
   return inside && exits_diamonds(s) ? centre : along;
}

/* Pixels from the first end, included, to the second, not: a line leaves the diamond of a pixel
 * whose centre it passes, and that of one it begins in, but not that of one it ends in. */
static struct span
diamond_span(const struct cf_setup *s, const struct end *p, const struct end *q,
             const struct equation *l, double half_width_px)
{
   const double from = diamond_end(s, p, l->x_major, half_width_px),
                to = diamond_end(s, q, l->x_major, half_width_px);
   return l->det < 0.0 ? (struct span){ floor(to) + 1.0, floor(from) + 1.0 }
                       : (struct span){ ceil(from), ceil(to) };
}

/* Pixels of the scissor and the view volume, and around that half the width across the minor axis
 * (of rectangles: any), unless that is to be cut off, too. */
static struct cf_rect
line_limits(const struct cf_setup *s, bool x_major, double half_width_px)
{
   const bool rectangle = is_rectangle(s);
   const double margin_px = s->config->raster.cut_to_viewport ? 0.0 : ceil(half_width_px);
   const double margin_x_px = x_major && !rectangle ? 0.0 : margin_px,
                margin_y_px = x_major || rectangle ? margin_px : 0.0;
   return (struct cf_rect){
      fmax(s->scissor.min_x, s->viewport_px.min_x - margin_x_px),
      fmax(s->scissor.min_y, s->viewport_px.min_y - margin_y_px),
      fmin(s->scissor.max_x, s->viewport_px.max_x + margin_x_px),
      fmin(s->scissor.max_y, s->viewport_px.max_y + margin_y_px),
   };
}

/* Bounds: where the ends are, if both are in front of the eye. False: no pixel. */
static bool
line_bounds(const struct cf_setup *s, const struct end e[2], const struct equation *l,
            double half_width_px, struct cf_prim_bounds *bounds)
{
   struct cf_rect limits = line_limits(s, l->x_major, half_width_px);
   if (!in_front(e)) {
      if (cf_rect_is_empty(&limits))
         return false;
      *bounds = cf_setup_all(&limits);
      return true;
   }
   const struct end p = projected(&e[0]), q = projected(&e[1]);
   if (exits_diamonds(s)) {
      const struct span span = diamond_span(s, &p, &q, l, half_width_px);
      double *min = l->x_major ? &limits.min_x : &limits.min_y,
             *max = l->x_major ? &limits.max_x : &limits.max_y;
      *min = fmax(*min, span.min_px);
      *max = fmin(*max, span.max_px);
   }
   return cf_setup_bounds(s, &limits, fmin(p.x, q.x) - half_width_px,
                          fmin(p.y, q.y) - half_width_px, fmax(p.x, q.x) + half_width_px,
                          fmax(p.y, q.y) + half_width_px, bounds);
}

/* A side across the line: the linear function (x, y) . direction, of ends and of the window. */
struct direction {
   double x, y;
};

/* Whether weights are those of the point of the line next to a pixel's centre (GL 2.1 eq. 3.5): in
 * rectangles, and in lines one pixel wide whose ends bounds take care of. Else of the point in its
 * column (row), for all of a wide line's pixels there; depth and planes are content with that. */
static bool
is_measured_along(const struct cf_setup *s, const struct end e[2], double half_width_px)
{
   return is_rectangle(s) || (exits_diamonds(s) && in_front(e) && half_width_px <= 0.5);
}

/* Along which the line is measured: itself (the vector (b, -a) is along the line, its turn does not
 * matter), or its major axis. */
static struct direction
line_direction(const struct equation *l, bool itself)
{
   if (itself) {
      const double length = sqrt(l->a * l->a + l->b * l->b);
      return (struct direction){ l->b / length, -l->a / length };
   }
   return l->x_major ? (struct direction){ 1.0, 0.0 } : (struct direction){ 0.0, 1.0 };
}

static double
along(const struct direction *d, const struct end *e)
{
   return d->x * e->x + d->y * e->y;
}

/* Sides 0 and 1, the weights. */
static void
line_ends(const struct cf_setup *s, const struct end e[2], const struct direction *d, double turn,
          struct cf_prim *prim)
{
   set_edge(s, prim, 0, turn, -e[1].w * d->x, -e[1].w * d->y, along(d, &e[1]));
   set_edge(s, prim, 1, turn, e[0].w * d->x, e[0].w * d->y, -along(d, &e[0]));
}

/* Edges, and bounds cut to the view volume. False: the ends coincide, or all is outside. */
static bool
line_edges(const struct cf_setup *s, const struct end e[2], double half_width_px,
           struct cf_prim *prim)
{
   const struct equation l = line_equation(e);
   const bool rectangle = is_rectangle(s), itself = is_measured_along(s, e, half_width_px);
   const struct direction d = line_direction(&l, itself);
   const double det = itself ? e[0].w * along(&d, &e[1]) - along(&d, &e[0]) * e[1].w : l.det;
   if (!(fabs(det) > 0.0) || !isfinite(det) || !line_bounds(s, e, &l, half_width_px, &prim->bounds))
      return false;
   const double factor = cf_scale_to_one(fabs(det)), turn = det < 0.0 ? -factor : factor;
   const double reach =
      half_width_px * (rectangle ? sqrt(l.a * l.a + l.b * l.b) : fabs(l.x_major ? l.b : l.a));
   prim->inv_scale = 1.0 / (fabs(det) * factor);
   line_ends(s, e, &d, turn, prim);
   set_edge(s, prim, 2, factor, l.a, l.b, l.c + reach);
   set_edge(s, prim, 3, factor, -l.a, -l.b, reach - l.c);
   prim->edges = 4;
   prim->first_edge = in_front(e) && exits_diamonds(s) ? 2 : 0;
   prim->replicated = prim->first_edge && !itself;
   prim->inclusive =
      (cf_setup_inclusive_edges(s, prim) & 0xc) | 1 << 1; /* weight 1 is 0 at the first vertex */
   return true;
}

static void
line_depth(const struct cf_setup *s, const struct end e[2], double z_offset, struct cf_prim *prim)
{
   const double scale = s->z_scale * prim->inv_scale;
   prim->z_a = (prim->a[0] * e[0].z + prim->a[1] * e[1].z) * scale;
   prim->z_b = (prim->b[0] * e[0].z + prim->b[1] * e[1].z) * scale;
   prim->z_c = (prim->c[0] * e[0].z + prim->c[1] * e[1].z) * scale + s->z_translate + z_offset;
   double z0 = -INFINITY, z1 = INFINITY;
   if (in_front(e)) {
      z0 = cf_setup_depth(s, e[0].z / e[0].w) + z_offset;
      z1 = cf_setup_depth(s, e[1].z / e[1].w) + z_offset;
   }
   cf_setup_depth_range(s, prim, fmin(z0, z1), fmax(z0, z1));
}

/* ---- stipple ---- */

/* Pixels of a line along its major axis, first and number; of one through the eye plane none are
 * counted. */
static uint32_t
line_pixels(const struct cf_setup *s, const struct end e[2], int32_t *first)
{
   const struct equation l = line_equation(e);
   *first = 0;
   if (!in_front(e) || !(fabs(l.det) > 0.0) || !isfinite(l.det))
      return 0;
   const struct end p = projected(&e[0]), q = projected(&e[1]);
   const struct span span = diamond_span(s, &p, &q, &l, line_width_px(&s->config->raster) / 2);
   if (!(fabs(span.min_px) < 0x1p30 && fabs(span.max_px) < 0x1p30))
      return 0;
   *first = (int32_t)(l.det < 0.0 ? span.max_px - 1.0 : span.min_px);
   return (uint32_t)(span.max_px - span.min_px);
}

/* Pixels after which the stipple pattern repeats. */
static uint32_t
stipple_period_px(const struct cf_raster *raster)
{
   return 16 * (raster->stipple_factor + 1);
}

void
cf_line_advance_stipple(const struct cf_setup *s, const float *v0, const float *v1,
                        uint32_t *stipple)
{
   int32_t first;
   if (!cf_vertex_is_finite(v0) || !cf_vertex_is_finite(v1) || !(v0[3] > 0.0f && v1[3] > 0.0f))
      return;
   const struct end e[2] = { window_end(s, v0, true), window_end(s, v1, true) };
   *stipple = (*stipple + line_pixels(s, e, &first)) % stipple_period_px(&s->config->raster);
}

/* ---- the line ---- */

/* True if the line was set up. */
static bool
setup_line(const struct cf_setup *s, const float *const v[2], const struct cf_face *face,
           struct cf_prim *prim)
{
   const double half_width_px = line_width_px(&s->config->raster) / 2;
   if (!cf_vertex_is_finite(v[0]) || !cf_vertex_is_finite(v[1]) ||
       !(v[0][3] > 0.0f || v[1][3] > 0.0f) || !cf_setup_planes(s, v, 2, &prim->planes))
      return false;
   const bool snapped = v[0][3] > 0.0f && v[1][3] > 0.0f;
   const struct end e[2] = { window_end(s, v[0], snapped), window_end(s, v[1], snapped) };
   if (!line_edges(s, e, half_width_px, prim))
      return false;
   line_depth(s, e, face->z_offset, prim);
   if (s->config->raster.line_stipple)
      line_pixels(s, e, &prim->stipple_origin_px);
   memcpy(prim->vertex[0], v[0], sizeof prim->vertex[0]);
   memcpy(prim->vertex[1], v[1], sizeof prim->vertex[1]);
   return true;
}

void
cf_setup_line(const struct cf_setup *s, const float *v0, const float *v1, const float *provoking,
              const struct cf_face *face, uint32_t *stipple)
{
   const float *v[2] = { v0, v1 };
   struct cf_prim prim = { .shape = CF_SHAPE_LINE,
                           .front = face->front,
                           .stipple_start = *stipple };
   if (s->config->raster.line_stipple)
      cf_line_advance_stipple(s, v0, v1, stipple);
   if (setup_line(s, v, face, &prim))
      cf_setup_commit(s, &prim, v, provoking);
}
