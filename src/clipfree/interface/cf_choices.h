/* SPDX-License-Identifier: MIT */
/*
 * What can be chosen of how a GPU works, and what it tells. Whoever makes one chooses; units obey.
 */
#ifndef CF_CHOICES_H
#define CF_CHOICES_H

/* How triangles are set up: exactly, or rounded as with the paper's DP3 unit, or as without it. */
enum cf_setup_policy { CF_SETUP_EXACT, CF_SETUP_DP3, CF_SETUP_FMA };

/* What vertex programs are run for first. Pictures do not show it. */
enum cf_vertex_order {
   CF_VERTICES_AUTO,            /* whichever is likely faster */
   CF_VERTICES_WHOLE,           /* all that they compute */
   CF_VERTICES_POSITIONS_FIRST, /* positions; the whole is run where a primitive was not culled */
};

/* What the model's units print of every pass. */
enum cf_print_flag {
   CF_PRINT_SETUP = 1 << 0, /* primitives: edges, depth plane, bounds */
   CF_PRINT_RAST = 1 << 1,  /* tiles: the primitives of each, and what they cover */
   CF_PRINT_TEX = 1 << 2,   /* texture units of each draw */
   CF_PRINT_PIXEL = 1 << 3, /* pixel engine's state of each draw */
};

#endif
