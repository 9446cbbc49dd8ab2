/* SPDX-License-Identifier: MIT */
/*
 * Choices of how a GPU works, and what it prints. Whoever creates a GPU chooses; its units obey.
 */
#ifndef CF_CHOICES_H
#define CF_CHOICES_H

/* Arithmetic of triangle set-up: exact; rounded as by the paper's DP3 unit; rounded as by fused
 * multiply-adds without that unit. */
enum cf_setup_policy { CF_SETUP_EXACT, CF_SETUP_DP3, CF_SETUP_FMA };

/* Whether vertex programs are run for positions first. Pictures are the same. */
enum cf_vertex_order {
   CF_VERTICES_AUTO,            /* as a cost model decides for each program */
   CF_VERTICES_WHOLE,           /* all outputs at once */
   CF_VERTICES_POSITIONS_FIRST, /* positions first; all outputs where a primitive is not culled */
};

/* What the units print of every pass: bits. */
enum cf_print_flag {
   CF_PRINT_SETUP = 1 << 0, /* primitives: edges, depth plane, bounds */
   CF_PRINT_RAST = 1 << 1,  /* tiles: their primitives, and the coverage of each */
   CF_PRINT_TEX = 1 << 2,   /* state of the texture units of each draw */
   CF_PRINT_PIXEL = 1 << 3, /* state of the pixel engine of each draw */
};

/** What is opened when a GPU is made, and not when it is first needed. */
enum cf_warm_up {
   CF_WARM_UP_NONE,
   CF_WARM_UP_ALL,      /* files, libraries and threads */
   CF_WARM_UP_COMPILER, /* the compiler's library: no thread, and no file stays open */
};

#endif
