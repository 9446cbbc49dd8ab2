/* SPDX-License-Identifier: MIT
 *
 * The slow reference of coverage, depth and interpolation: triangles of f32 clip-space vertices in
 * double precision, pixel by pixel, for a square window. All w must be positive.
 */
#ifndef SCAN_H
#define SCAN_H

struct vertex {
   float x, y, z, w;
};

/* A pixel whose centre a triangle covers: window depth, and perspective-correct barycentrics. */
typedef void (*scan_visit)(int x, int y, double depth, const double barycentric[3]);

/* Calls `visit` for each pixel whose least barycentric is at least -slack: with a negative slack,
 * those that are sure to be inside. */
void scan_triangle(const struct vertex t[3], int size_px, double slack, scan_visit visit);

#endif
