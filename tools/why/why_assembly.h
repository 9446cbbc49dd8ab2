/* SPDX-License-Identifier: MIT */
/*
 * Which elements a primitive of a draw has: positions in its indices, or in its vertices.
 */
#ifndef WHY_ASSEMBLY_H
#define WHY_ASSEMBLY_H

#include "look/look_player.h"

#define WHY_MAX_VERTICES 4 /* of a primitive: quads count as both of their triangles */

/* Elements between two restarts. */
struct why_run_of_elements {
   uint32_t first, count;
   uint32_t primitive; /* the number of its first, in an instance */
};

struct why_assembly {
   struct cf_draw draw;
   struct why_run_of_elements *run;
   uint32_t runs, capacity;
   uint32_t primitives; /* of an instance */
};

/** Cut the draw at its restarts. False: out of memory. Free it in any case. */
bool why_assembly_begin(struct why_assembly *assembly, const struct cf_draw *draw,
                        const struct look_player *player);
void why_assembly_end(struct why_assembly *assembly);

/** The elements of a primitive, by its number in the draw. Returns how many. Quads are their four
 * corners, whichever of their triangles it is. */
uint32_t why_assembly_elements(const struct why_assembly *assembly, uint32_t primitive,
                               uint32_t element[WHY_MAX_VERTICES]);

#endif
