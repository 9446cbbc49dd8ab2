/* SPDX-License-Identifier: MIT */
/*
 * Smooth points, lines and polygons (GL 2.1 sections 3.3.1, 3.4.2 and 3.5.3): a fragment for every pixel whose square the
 * primitive touches, and the touched area as coverage, which multiplies the fragment's alpha (section 3.12).
 *
 * The primitive is the one set-up made: a triangle's three edges, the four of a line's rectangle, a point's disc. Raster
 * runs on a copy whose edges are moved outwards until they hold the centres of all touched pixels, and drops the pixels
 * that have no area; what is outside the depth range, a clip plane or the stipple pattern is decided at the centre as ever,
 * the planes by a second run on the primitive's own weights.
 *
 * The area under edges is that of the pixel's square cut by half-planes, so the triangles of a mesh share each pixel
 * without rest. Limitation: edges are the f64 values, none is decided exactly here: an area does not jump.
 */
#include "clipfree/primitive/cf_smooth.h"

#include <math.h>
#include <string.h>

/* Corners of a square cut by four half-planes. */
#define CF_MAX_CORNERS 8

/* Strips that a pixel is cut into to measure a disc. */
#define CF_DISC_STRIPS 32

#define TILE_BLOCKS (CF_TILE_PX / 4) /* in a row */

struct corner {
   double x, y;
};

struct polygon {
   struct corner corner[CF_MAX_CORNERS];
   uint32_t count;
};

/* No more than CF_MAX_CORNERS: rounding may give a polygon a dent, and a cut through it more. */
static void
add_corner(struct polygon *p, struct corner corner)
{
   if (p->count < CF_MAX_CORNERS)
      p->corner[p->count++] = corner;
}

/* The part where a x + b y + e >= 0 (Sutherland and Hodgman's step). */
static void
cut(struct polygon *p, double a, double b, double e)
{
   struct polygon inside = { .count = 0 };
   for (uint32_t i = 0; i < p->count; i++) {
      const struct corner u = p->corner[i], v = p->corner[i + 1 == p->count ? 0 : i + 1];
      const double at_u = a * u.x + b * u.y + e, at_v = a * v.x + b * v.y + e;
      if (at_u >= 0.0)
         add_corner(&inside, u);
      if ((at_u >= 0.0) != (at_v >= 0.0)) {
         const double t = at_u / (at_u - at_v);
         add_corner(&inside, (struct corner){ u.x + t * (v.x - u.x), u.y + t * (v.y - u.y) });
      }
   }
   *p = inside;
}

static double
area(const struct polygon *p)
{
   double twice = 0.0;
   for (uint32_t i = 0; i < p->count; i++) {
      const struct corner u = p->corner[i], v = p->corner[i + 1 == p->count ? 0 : i + 1];
      twice += u.x * v.y - u.y * v.x;
   }
   return twice / 2;
}

/* The most by which an edge's value at a corner of a pixel differs from that at its centre. */
static double
edge_reach(const struct cf_prim *prim, uint32_t edge)
{
   return CF_SMOOTH_REACH_PX * (fabs(prim->a[edge]) + fabs(prim->b[edge]));
}

static double
area_inside_edges(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px)
{
   struct polygon p = { { { -0.5, -0.5 }, { 0.5, -0.5 }, { 0.5, 0.5 }, { -0.5, 0.5 } }, 4 };
   for (uint32_t i = 0; i < prim->edges && p.count > 0; i++) {
      const double e = (prim->a[i] * x_px + prim->b[i] * y_px) + prim->c[i];
      if (e < edge_reach(prim, i))
         cut(&p, prim->a[i], prim->b[i], e);
   }
   return area(&p);
}

/* Length of the part of [low, high] within `half` of 0. */
static double
overlap(double low, double high, double half)
{
   return fmax(fmin(high, half) - fmax(low, -half), 0.0);
}

/* By strips along the axis that the centre is further away on, where the circle crosses them steeply; each is as long as
 * the disc in its middle. Centre and radius are those of the point coordinates. */
static double
area_inside_disc(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px)
{
   const double radius = 0.5 / prim->a[0];
   const double x = fabs((prim->a[0] * x_px + prim->c[0] - 0.5) / prim->a[0]),
                y = fabs((prim->b[1] * y_px + prim->c[1] - 0.5) / prim->b[1]);
   const double along = fmax(x, y), across = fmin(x, y);
   double sum = 0.0;
   for (uint32_t i = 0; i < CF_DISC_STRIPS; i++) {
      const double at = across - 0.5 + (i + 0.5) / CF_DISC_STRIPS, square = radius * radius - at * at;
      if (square > 0.0)
         sum += overlap(along - 0.5, along + 0.5, sqrt(square));
   }
   return sum / CF_DISC_STRIPS;
}

double
cf_smooth_area(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px)
{
   const double share = prim->shape == CF_SHAPE_POINT ? area_inside_disc(prim, x_px, y_px)
                                                      : area_inside_edges(prim, x_px, y_px);
   return fmin(fmax(share, 0.0), 1.0);
}

/* The pixels of a block that have an area inside. */
static uint32_t
touched(const struct cf_prim *prim, const struct cf_raster_block *block)
{
   uint32_t mask = 0;
   for (uint32_t left = block->mask; left != 0; left &= left - 1) {
      const uint32_t k = (uint32_t)__builtin_ctz(left);
      const uint32_t x_px = block->x_px + (k & 1) + (k >> 1 & 2), y_px = block->y_px + (k >> 1 & 1) + (k >> 2 & 2);
      mask |= (cf_smooth_area(prim, x_px, y_px) > 0.0) << k;
   }
   return mask;
}

/* The pixels of the tile whose centres are inside the planes, by block. */
static void
inside_planes(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px, cf_smooth_walk raster, uint16_t mask[TILE_BLOCKS][TILE_BLOCKS])
{
   struct cf_raster_block blocks[TILE_BLOCKS * TILE_BLOCKS];
   struct cf_prim planes = *prim;
   planes.first_edge = prim->edges;
   memset(mask, 0, sizeof(uint16_t[TILE_BLOCKS][TILE_BLOCKS]));
   const uint32_t count = raster(&planes, x_px, y_px, blocks);
   for (uint32_t i = 0; i < count; i++)
      mask[blocks[i].y_px / 4 % TILE_BLOCKS][blocks[i].x_px / 4 % TILE_BLOCKS] = blocks[i].mask;
}

uint32_t
cf_smooth_raster(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px,
                 struct cf_raster_block *blocks, cf_smooth_walk raster)
{
   struct cf_prim outset = *prim;
   uint16_t inside[TILE_BLOCKS][TILE_BLOCKS];
   uint32_t kept = 0;
   for (uint32_t i = 0; i < prim->edges; i++) {
      outset.c[i] += edge_reach(prim, i);
      outset.error[i] = 0.0;
   }
   outset.planes = 0; /* they are made of the weights, which are not those of the copy */
   if (prim->planes)
      inside_planes(prim, x_px, y_px, raster, inside);
   const uint32_t count = raster(&outset, x_px, y_px, blocks);
   for (uint32_t i = 0; i < count; i++) {
      struct cf_raster_block block = blocks[i];
      if (prim->planes)
         block.mask &= inside[block.y_px / 4 % TILE_BLOCKS][block.x_px / 4 % TILE_BLOCKS];
      block.mask = (uint16_t)touched(prim, &block);
      blocks[kept] = block;
      kept += block.mask != 0;
   }
   return kept;
}

bool
cf_primitive_is_smooth(const struct cf_primitive_config *config)
{
   return cf_shape_is_smooth(config, CF_SHAPE_POINT) || cf_shape_is_smooth(config, CF_SHAPE_LINE) ||
          cf_shape_is_smooth(config, CF_SHAPE_TRIANGLE);
}

void
cf_primitive_coverage(const struct cf_quad *quads, uint32_t count, float coverage[CF_TASK_LANES])
{
   for (uint32_t lane = 0; lane < 4 * count; lane++) {
      const struct cf_quad *quad = &quads[lane / 4];
      const bool smooth = cf_shape_is_smooth(quad->prim->config, quad->prim->shape) && (cf_quad_set(quad, CF_QUAD_COVERED) >> lane % 4 & 1);
      coverage[lane] =
         smooth ? (float)cf_smooth_area(quad->prim, quad->x_px + (lane & 1), quad->y_px + (lane >> 1 & 1)) : 1.0f;
   }
}
