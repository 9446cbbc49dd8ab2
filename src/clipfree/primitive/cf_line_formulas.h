/* SPDX-License-Identifier: MIT */
/*
 * Which point of a wide line a pixel has its data of, as formulas of one value each: interpolation
 * calls them for pixels, and the JIT's IR is generated from them (jit/llvm/gen_jit_formulas.py says
 * which C that is).
 *
 * GL 2.1 section 3.4.2: a wide line is the line one pixel wide, moved down (left) by (width - 1) /
 * 2, with each fragment repeated upwards (rightwards). So all pixels of a column (row) have the
 * data of the lowest one, at its centre's perpendicular projection onto the moved line. The weights
 * change along the major axis alone, so the other coordinate is not used.
 *
 * a, b: of edge 2 of the line (cf_prim), one of its long sides, a x + b y + c.
 */
#ifndef CF_LINE_FORMULAS_H
#define CF_LINE_FORMULAS_H

#include <stdbool.h>
#include <stdint.h>

static inline double
cf_line_magnitude(double x)
{
   return x < 0.0 ? -x : x;
}

/** The way in which fragments are repeated, along y or x: 1 or -1. y_is_down: 1 where the lowest
 * row is the one with the largest y, else 0. */
static inline double
cf_line_up(double a, double b, uint32_t y_is_down)
{
   const uint32_t x_major = cf_line_magnitude(b) >= cf_line_magnitude(a);
   return (x_major & y_is_down) != 0u ? -1.0 : 1.0;
}

/** What a side's value changes by in a pixel along that axis. */
static inline double
cf_line_across(double a, double b)
{
   return cf_line_magnitude(b) >= cf_line_magnitude(a) ? b : a;
}

/** Whether edge 2 is the lower side, else edge 3 is: the lower side's value grows upwards. */
static inline bool
cf_line_is_lower(double across, double up)
{
   return across * up > 0.0;
}

/** The projection's distance along the major axis for a pixel upwards. */
static inline double
cf_line_along_per_up(double a, double b, double up)
{
   return -up * (a * b) / (a * a + b * b);
}

/** The distance along the major axis from a pixel to the point whose data it has. rows: its
 * distance from the lower side, in pixels. */
static inline double
cf_line_along(double rows, double along_per_up)
{
   const double truncated = (double)(int32_t)rows;
   const double whole = truncated > rows ? truncated - 1.0 : truncated;
   return (rows - whole - 0.5) * along_per_up;
}

#endif
