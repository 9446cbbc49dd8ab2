/* SPDX-License-Identifier: MIT */
#include "clipfree/primitive/cf_prim.h"

#include <inttypes.h>

void
cf_prim_print(FILE *file, const struct cf_prim *prim, uint64_t packet)
{
   static const char *const shapes[] = { "point", "line", "triangle" }; /* enum cf_prim_shape */
   const struct cf_prim_bounds *b = &prim->bounds;
   fprintf(file, "   %s of draw 0x%" PRIx64 ": %s, pixels %u..%u x %u..%u, planes 0x%x\n",
           shapes[prim->shape], packet, prim->front ? "front" : "back", b->min_x_px,
           b->max_x_px - 1, b->min_y_px, b->max_y_px - 1, prim->planes);
   for (uint32_t i = 0; i <= prim->shape; i++) /* 1, 2 or 3 */
      fprintf(file, "      vertex %u: %g %g %g %g\n", i, prim->vertex[i][0], prim->vertex[i][1],
              prim->vertex[i][2], prim->vertex[i][3]);
   if (prim->shape == CF_SHAPE_POINT)
      fprintf(file, "      across: s = %.17g x %+.17g, t = %.17g y %+.17g\n", prim->point.s_per_px,
              prim->point.s_0, prim->point.t_per_px, prim->point.t_0);
   for (uint32_t i = 0; i < prim->edges; i++)
      fprintf(file, "      edge %u: %.17g x %+.17g y %+.17g %s 0, error %g\n", i, prim->a[i],
              prim->b[i], prim->c[i], prim->inclusive >> i & 1 ? ">=" : ">", prim->error[i]);
   fprintf(file, "      depth: %.17g x %+.17g y %+.17g, in %g..%g\n", prim->z_a, prim->z_b,
           prim->z_c, prim->z_min, prim->z_max);
}
