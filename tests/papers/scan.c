/* SPDX-License-Identifier: MIT */
#include "scan.h"

#include <math.h>

/* e(P) of the edge from u to v at window point (px, py): the determinant of the three. */
static double
edge(const struct vertex *u, const struct vertex *v, double px, double py, int size_px)
{
   const double x = px / (size_px / 2.0) - 1, y = py / (size_px / 2.0) - 1;
   return x * ((double)u->y * v->w - (double)u->w * v->y) +
          y * ((double)u->w * v->x - (double)u->x * v->w) +
          ((double)u->x * v->y - (double)u->y * v->x);
}

static double
window(float v, float w, int size_px)
{
   return (v / (double)w + 1) * (size_px / 2.0);
}

static int
clamp(double v, int size_px)
{
   return v < 0 ? 0 : v > size_px ? size_px : (int)v;
}

void
scan_triangle(const struct vertex t[3], int size_px, double slack, scan_visit visit)
{
   double low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY };
   for (int i = 0; i < 3; i++) {
      const double at[2] = { window(t[i].x, t[i].w, size_px), window(t[i].y, t[i].w, size_px) };
      for (int k = 0; k < 2; k++) {
         low[k] = fmin(low[k], at[k]);
         high[k] = fmax(high[k], at[k]);
      }
   }
   for (int y = clamp(low[1] - 1, size_px); y < clamp(high[1] + 1, size_px); y++)
      for (int x = clamp(low[0] - 1, size_px); x < clamp(high[0] + 1, size_px); x++) {
         double e[3];
         for (int i = 0; i < 3; i++)
            e[i] = edge(&t[(i + 1) % 3], &t[(i + 2) % 3], x + 0.5, y + 0.5, size_px);
         /* P = sum(e_i V_i) up to scale, so z / w is the quotient of the sums */
         const double z = e[0] * t[0].z + e[1] * t[1].z + e[2] * t[2].z,
                      w = e[0] * t[0].w + e[1] * t[1].w + e[2] * t[2].w;
         const double sum = e[0] + e[1] + e[2], b[3] = { e[0] / sum, e[1] / sum, e[2] / sum };
         if (fmin(fmin(b[0], b[1]), b[2]) >= -slack)
            visit(x, y, z / w / 2 + 0.5, b);
      }
}
