/* SPDX-License-Identifier: MIT */
/*
 * Exact predicates on clip-space vertices: the cold path of coverage.
 *
 * The rasteriser decides almost every pixel by an f64 edge value and its error bound (cf_eft.h).
 * Where the magnitude is within the bound, the sign is computed here as if in real arithmetic on
 * the f32 inputs.
 *
 * The edge of the vertices V1, V2 on (x, y, w) is E = V1 x V2 = (a, b, c) (paper A eq. 1):
 *
 *    a = y1 w2 - w1 y2,   b = w1 x2 - x1 w2,   c = x1 y2 - y1 x2
 *
 * and after the viewport px = sx X + tx, py = sy Y + ty (eq. 4)
 *
 *    a' = sy a,   b' = sx b,   c' = sx sy c - sy tx a - sx ty b,   all times sign(sx sy)
 *
 *    e(px, py) = a' px + b' py + c' = (sy (px - tx) a + sx (py - ty) b + sx sy c) sign(sx sy)
 *
 * Method: each monomial is the integer product of at most four 24-bit significands (96 bits) times
 * a power of two, so that nothing rounds. Monomials are summed in 128 bits if their exponents show
 * that the sum fits, as for nearly all triangles of real pictures; else in a fixed-point number
 * wide enough for every finite input (2^-608 .. 2^544). A plane multiplies the sums of three edges
 * by 24 bits each, again in 128 bits or in a wider number.
 *
 * All inputs must be finite: callers drop vertices with inf or NaN first.  A viewport with sx = 0
 * or sy = 0 has no area: every sign is 0.
 */
#ifndef CF_EXACT_H
#define CF_EXACT_H

/** Window = scale * NDC + translate, in pixels. */
struct cf_viewport_xy {
   float sx, sy, tx, ty;
};

/**
 * The sign (-1, 0, 1) of the edge function of V1 x V2 at a window point.
 *
 * v1, v2: clip-space (x, y, w).  px, py: pixels, multiples of 1/16 with |p| <= 32768.
 */
int cf_exact_edge_sign(const float v1[3], const float v2[3], const struct cf_viewport_xy *vp,
                       double px, double py);

/**
 * The sign, at a window point, of the plane through `distance` at three clip-space vertices (x, y,
 * w): sum of e_i distance[i], where e_i is the edge function opposite vertex i.
 */
int cf_exact_plane_sign(const float v[3][3], const float distance[3],
                        const struct cf_viewport_xy *vp, double px, double py);

/**
 * The determinant of three clip-space (x, y, w), sum of c_i w_i of paper A eq. 3, rounded once to
 * nearest even: 0 only if it is exactly 0, never inf. Negative: back-facing, zero: no area; before
 * the viewport's flips.
 */
double cf_exact_det_value(const float v0[3], const float v1[3], const float v2[3]);

#endif
