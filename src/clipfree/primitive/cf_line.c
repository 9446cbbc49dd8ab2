/* SPDX-License-Identifier: MIT */
/*
 * Set-up of lines, clip-free. A line is a parallelogram in homogeneous coordinates: its segment
 * swept by +-(width / 2) w along the minor axis of the window, as GL's wide lines (2.1 section
 * 3.4.2). It has four edge functions:
 *
 * - Edges 0 and 1, the end edges, pass through the second and the first vertex, parallel to the
 *   minor axis. The edge at the first vertex is inclusive, the one at the second is not, so strips
 *   cover no pixel twice. If both vertices are in front of the eye, an aliased line has pixel
 *   bounds by the diamond-exit rule instead, and the end edges do not cut.
 *
 * - Edges 2 and 3 are the long sides, under the top-left rule.
 *
 * Multisampled and smooth lines are rectangles (GL 2.1 sections 3.4.4 and 3.4.2): swept
 * perpendicular to the segment, with end edges perpendicular to it.
 *
 * Line stipple counts pixels along the major axis, from segment to segment of a strip.
 *
 * Edges 0 and 1 are also the barycentric weights: P = (w0 V0 + w1 V1) + an offset along the end
 * edges, which changes neither depth nor varyings. Of aliased lines one pixel wide whose ends are
 * cut by bounds, the weights are perpendicular to the line, as GL demands; for wide ones
 * interpolation corrects the place (cf_prim.replicated).
 *
 * Limit: edges are f64 values without an error bound. Vertices in front of the eye are first
 * rounded to 1/256 pixel, so that f32 noise of vertices meant for pixel centres decides nothing.
 */
#include "clipfree/base/cf_inline.h"
#include "clipfree/interface/cf_limits.h"
#include "clipfree/primitive/cf_line.h"
#include "clipfree/primitive/cf_smooth.h"

#include <math.h>
#include <string.h>

/* A vertex in homogeneous window coordinates. */
struct end {
   double x, y, z, w;
   double x_px, y_px; /* window, rounded to 1/256 pixel; only of lines in front of the eye */
};

/* The ends of a line. */
struct ends {
   struct end e[2];
   bool in_front; /* of the eye, both */
};

static double
snapped_px(double window_px)
{
   return cf_floor_near(window_px * CF_SUBPIXELS + 0.5) * (1.0 / CF_SUBPIXELS);
}

CF_INLINE struct end
window_end(const struct cf_setup *s, const float *v, bool in_front)
{
   const double w = v[3];
   struct end e = { .x = (double)s->viewport.sx * v[0] + s->viewport.tx * w,
                    .y = (double)s->viewport.sy * v[1] + s->viewport.ty * w,
                    .z = v[2],
                    .w = w };
   if (in_front) {
      e.x_px = snapped_px(e.x / w);
      e.y_px = snapped_px(e.y / w);
      e.x = e.x_px * w;
      e.y = e.y_px * w;
   }
   return e;
}

CF_INLINE struct ends
window_ends(const struct cf_setup *s, const float *v0, const float *v1)
{
   const bool in_front = v0[3] > 0.0f && v1[3] > 0.0f;
   return (struct ends){ { window_end(s, v0, in_front), window_end(s, v1, in_front) }, in_front };
}

bool
cf_lines_are_replicated(const struct cf_primitive_config *config)
{
   return config->samples <= 1 && !config->raster.line_smooth && !config->raster.multisample &&
          cf_line_width_px(&config->raster) > 1.0;
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

/* The line a x + b y + c = 0 through both ends; its scale is arbitrary. */
struct equation {
   double a, b, c;
   bool x_major;
   double
      det; /* of the ends' (major coordinate, w): negative if the line runs left (up) */
};

/* In front of the eye, coefficients come from the rounded window coordinates. These have so few
 * bits that set-up and raster are exact: of two pixels that a line passes between, exactly one is
 * covered. */
CF_INLINE struct equation
line_equation(const struct ends *ends)
{
   const struct end *p = &ends->e[0], *q = &ends->e[1];
   struct equation l;
   if (ends->in_front)
      l = (struct equation){ .a = p->y_px - q->y_px, .b = q->x_px - p->x_px, .c = p->x_px * q->y_px - p->y_px * q->x_px };
   else
      l = (struct equation){ .a = p->y * q->w - p->w * q->y,
                             .b = p->w * q->x - p->x * q->w,
                             .c = p->x * q->y - p->y * q->x };
   l.x_major = fabs(l.b) >= fabs(l.a);
   l.det = l.x_major ? p->w * q->x - p->x * q->w : p->w * q->y - p->y * q->w;
   return l;
}

/* ---- ends ---- */

/* Pixels along the major axis, max exclusive. */
struct line_span {
   double min_px, max_px;
};

/* Coordinate of an end along the major axis, relative to pixel centres. An end inside the diamond
 * of a pixel is moved to that pixel's centre. A wide line is tested as the line one pixel wide that
 * lies (width - 1) / 2 lower on the minor axis. */
CF_INLINE double
diamond_end(const struct cf_setup *s, const struct end *p, bool x_major, double half_width_px)
{
   const double along = (x_major ? p->x_px : p->y_px) - s->half_px,
                across = (x_major ? p->y_px : p->x_px) - s->half_px - (half_width_px - 0.5);
   const double centre = cf_floor_near(along + 0.5);
   const bool inside = fabs(along - centre) + fabs(across - cf_floor_near(across + 0.5)) < 0.5;
   return inside && cf_lines_exit_diamonds(s->config) ? centre : along;
}

/* Pixels from the first end, inclusive, to the second, exclusive. A line exits the diamond of every
 * pixel whose centre it passes and of the one it begins in, but not of the one it ends in. */
static struct line_span
diamond_span(const struct cf_setup *s, const struct ends *ends, const struct equation *l, double half_width_px)
{
   const double from = diamond_end(s, &ends->e[0], l->x_major, half_width_px),
                to = diamond_end(s, &ends->e[1], l->x_major, half_width_px);
   return l->det < 0.0 ? (struct line_span){ cf_floor_near(to) + 1.0, cf_floor_near(from) + 1.0 }
                       : (struct line_span){ cf_ceil_near(from), cf_ceil_near(to) };
}

/* Pixels a line may cover: the viewport, widened by half the line's width, inside the scissor. It
 * is widened along the minor axis alone, for rectangles along both axes, with cut_to_viewport not
 * at all. */
static struct cf_limits_px
line_limits(const struct cf_setup *s, bool x_major, double half_width_px)
{
   const bool rectangle = cf_lines_are_rectangles(s->config);
   const double margin_px = s->config->raster.cut_to_viewport ? 0.0 : cf_ceil_near(half_width_px);
   const double margin_x_px = x_major && !rectangle ? 0.0 : margin_px,
                margin_y_px = x_major || rectangle ? margin_px : 0.0;
   return (struct cf_limits_px){
      larger(s->scissor.min_x, s->viewport_px.min_x - margin_x_px),
      larger(s->scissor.min_y, s->viewport_px.min_y - margin_y_px),
      smaller(s->scissor.max_x, s->viewport_px.max_x + margin_x_px),
      smaller(s->scissor.max_y, s->viewport_px.max_y + margin_y_px),
   };
}

/* Pixel bounds: of the projected line if both ends are in front of the eye, else all pixels of
 * line_limits(). False: no pixel. */
static bool
line_bounds(const struct cf_setup *s, const struct ends *ends, const struct equation *l, double half_width_px,
            struct cf_prim_bounds *bounds)
{
   const struct end *p = &ends->e[0], *q = &ends->e[1];
   struct cf_limits_px limits = line_limits(s, l->x_major, half_width_px);
   if (!ends->in_front) {
      if (cf_limits_are_empty(&limits))
         return false;
      *bounds = cf_setup_all(&limits);
      return true;
   }
   if (cf_lines_exit_diamonds(s->config)) {
      const struct line_span span = diamond_span(s, ends, l, half_width_px);
      double *min = l->x_major ? &limits.min_x : &limits.min_y,
             *max = l->x_major ? &limits.max_x : &limits.max_y;
      *min = larger(*min, span.min_px);
      *max = smaller(*max, span.max_px);
   }
   return cf_setup_bounds(s, &limits, smaller(p->x_px, q->x_px) - half_width_px, smaller(p->y_px, q->y_px) - half_width_px,
                          larger(p->x_px, q->x_px) + half_width_px, larger(p->y_px, q->y_px) + half_width_px, bounds);
}

/* A unit vector of the window. Weights change along it alone; end edges are perpendicular to it. */
struct direction {
   double x, y;
};

/* Whether a pixel's weights are those of its perpendicular projection onto the line (GL 2.1 eq.
 * 3.5): in rectangles, and in lines one pixel wide whose ends are cut by bounds. Otherwise they are
 * those of the line's point in the pixel's column (x-major) or row, the same for all pixels of a
 * wide line there; that is enough for depth and clip planes. */
static bool
is_measured_along(const struct cf_setup *s, const struct ends *ends, double half_width_px)
{
   return cf_lines_are_rectangles(s->config) ||
          (cf_lines_exit_diamonds(s->config) && ends->in_front && half_width_px <= 0.5);
}

/* The direction of the weights: the line's own, (b, -a), of either sign, or its major axis. */
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

/* A line that may cover pixels. */
struct line {
   struct ends ends;
   struct equation equation;
   struct direction direction; /* of the weights */
   bool itself;                /* direction is the line's own, not its major axis */
   double det;                 /* of the ends' (coordinate along direction, w) */
   double half_width_px;
   struct cf_prim_bounds bounds; /* inside line_limits() */
};

/* False: the ends coincide, or all is outside. */
static bool
find_line(const struct cf_setup *s, const float *const v[2], struct line *line)
{
   const struct end *e = line->ends.e;
   line->ends = window_ends(s, v[0], v[1]);
   line->half_width_px = cf_line_width_px(&s->config->raster) / 2;
   line->equation = line_equation(&line->ends);
   line->itself = is_measured_along(s, &line->ends, line->half_width_px);
   const struct equation *l = &line->equation;
   if (!line_bounds(s, &line->ends, l, line->half_width_px, &line->bounds))
      return false;
   line->direction = line_direction(l, line->itself);
   const struct direction *d = &line->direction;
   line->det = line->itself ? e[0].w * along(d, &e[1]) - along(d, &e[0]) * e[1].w : l->det;
   return fabs(line->det) > 0.0 && isfinite(line->det);
}

/* Edges 0 and 1: the end edges, which are the weights. */
static void
line_ends(const struct cf_setup *s, const struct end e[2], const struct direction *d, double turn,
          struct cf_prim *prim)
{
   set_edge(s, prim, 0, turn, -e[1].w * d->x, -e[1].w * d->y, along(d, &e[1]));
   set_edge(s, prim, 1, turn, e[0].w * d->x, e[0].w * d->y, -along(d, &e[0]));
}

static void
line_edges(const struct cf_setup *s, const struct line *line, struct cf_prim *prim)
{
   const struct equation *l = &line->equation;
   const double factor = cf_scale_to_one(fabs(line->det)), turn = line->det < 0.0 ? -factor : factor;
   const double reach =
      line->half_width_px * (cf_lines_are_rectangles(s->config) ? sqrt(l->a * l->a + l->b * l->b)
                                                                : fabs(l->x_major ? l->b : l->a));
   prim->inv_scale = 1.0 / (fabs(line->det) * factor);
   line_ends(s, line->ends.e, &line->direction, turn, prim);
   set_edge(s, prim, 2, factor, l->a, l->b, l->c + reach);
   set_edge(s, prim, 3, factor, -l->a, -l->b, reach - l->c);
   prim->edges = 4;
   prim->first_edge = line->ends.in_front && cf_lines_exit_diamonds(s->config) ? 2 : 0;
   prim->replicated = prim->first_edge && !line->itself;
   prim->inclusive =
      (cf_setup_inclusive_edges(s, prim) & 0xc) | 1 << 1; /* weight 1 is 0 at the first vertex */
}

static void
line_depth(const struct cf_setup *s, const struct ends *ends, double z_offset, struct cf_prim *prim)
{
   const struct end *e = ends->e;
   const double scale = s->z_scale * prim->inv_scale;
   prim->z_a = (prim->a[0] * e[0].z + prim->a[1] * e[1].z) * scale;
   prim->z_b = (prim->b[0] * e[0].z + prim->b[1] * e[1].z) * scale;
   prim->z_c = (prim->c[0] * e[0].z + prim->c[1] * e[1].z) * scale + s->z_translate + z_offset;
   double z0 = -INFINITY, z1 = INFINITY;
   if (ends->in_front) {
      z0 = cf_setup_depth(s, e[0].z / e[0].w) + z_offset;
      z1 = cf_setup_depth(s, e[1].z / e[1].w) + z_offset;
   }
   cf_setup_depth_range(s, prim, smaller(z0, z1), larger(z0, z1));
}

/* ---- stipple ---- */

/* Number of a line's pixels along its major axis, and the first of them. A line that crosses the
 * plane w = 0 counts none. */
static uint32_t
line_pixels(const struct cf_setup *s, const struct ends *ends, int32_t *first)
{
   const struct equation l = line_equation(ends);
   *first = 0;
   if (!ends->in_front || !(fabs(l.det) > 0.0) || !isfinite(l.det))
      return 0;
   const struct line_span span =
      diamond_span(s, ends, &l, cf_line_width_px(&s->config->raster) / 2);
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
   const struct ends ends = window_ends(s, v0, v1);
   *stipple = (*stipple + line_pixels(s, &ends, &first)) % stipple_period_px(&s->config->raster);
}

/* ---- set-up ---- */

/* False: all of the line is behind the eye or outside one clip plane, or a vertex is not finite. */
static bool
may_be_visible(const struct cf_setup *s, const float *const v[2], uint16_t *planes)
{
   return cf_vertex_is_finite(v[0]) && cf_vertex_is_finite(v[1]) && (v[0][3] > 0.0f || v[1][3] > 0.0f) &&
          cf_setup_planes(s, v, 2, planes);
}

void
cf_setup_line(const struct cf_setup *s, const float *v0, const float *v1, const float *provoking,
              const struct cf_face *face, uint32_t *stipple)
{
   static const struct cf_prim nothing = { .shape = CF_SHAPE_LINE }; /* copied in vectors */
   const float *v[2] = { v0, v1 };
   const uint32_t stipple_start = *stipple;
   struct line line;
   uint16_t planes;
   float(*varyings)[3];
   if (s->config->raster.line_stipple)
      cf_line_advance_stipple(s, v0, v1, stipple);
   if (!may_be_visible(s, v, &planes) || !find_line(s, v, &line))
      return;
   struct cf_prim *prim = cf_setup_reserve(s, &varyings);
   if (!prim)
      return;
   *prim = nothing;
   prim->front = face->front;
   prim->stipple_start = stipple_start;
   prim->bounds = line.bounds;
   prim->planes = planes;
   line_edges(s, &line, prim);
   line_depth(s, &line.ends, face->z_offset, prim);
   if (s->config->raster.line_stipple)
      line_pixels(s, &line.ends, &prim->stipple_origin_px);
   memcpy(prim->vertex[0], v0, sizeof prim->vertex[0]);
   memcpy(prim->vertex[1], v1, sizeof prim->vertex[1]);
   cf_setup_finish(s, prim, v, provoking, varyings);
}
