/* SPDX-License-Identifier: MIT */
/*
 * Which elements a primitive of a draw has: positions in its indices, or in its vertices.
 */
#ifndef LOOK_ASSEMBLY_H
#define LOOK_ASSEMBLY_H

#include "look_player.h"

#define LOOK_MAX_VERTICES 4 /* of a primitive: quads count as both of their triangles */
#define LOOK_MAX_INPUTS 6   /* of a primitive, with the vertices beside it (adjacency) */

/* Elements between two restarts. */
struct look_run {
   uint32_t first, count;
   uint32_t primitive; /* the number of its first, in an instance */
};

struct look_assembly {
   struct cf_draw draw;
   struct look_run *run;
   uint32_t runs, capacity;
   uint32_t primitives; /* of an instance */
};

/** Cut the draw at its restarts. False: out of memory. Free it in any case. */
bool look_assembly_begin(struct look_assembly *assembly, const struct cf_draw *draw,
                        const struct look_player *player);
void look_assembly_end(struct look_assembly *assembly);

/** The elements of a primitive, by its number in the draw. Returns how many. Quads are their four
 * corners, whichever of their triangles it is; vertices beside it (adjacency) are left out. */
uint32_t look_assembly_elements(const struct look_assembly *assembly, uint32_t primitive,
                               uint32_t element[LOOK_MAX_VERTICES]);

/** How many elements the draw must have so that it still draws a primitive. */
uint32_t look_assembly_up_to(const struct look_assembly *assembly, uint32_t primitive);

#endif
