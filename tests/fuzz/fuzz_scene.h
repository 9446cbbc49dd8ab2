/* SPDX-License-Identifier: MIT */
/*
 * What submissions of the target `packets` can use: the scene of the GPU's own tests, and beside it
 * other surfaces, a geometry program and what feedback needs. Addresses are those of every GPU.
 */
#ifndef FUZZ_SCENE_H
#define FUZZ_SCENE_H

#include "clipfree/command/test_scene.h"

#define SCENE_MOST_DW 4096 /* of structures */

struct fuzz_scene {
   struct test_scene scene;
   struct test_surface half;                /* of the scene's colours, half as wide and high */
   struct test_surface color_4, zs_4;       /* of four samples */
   uint64_t geometry, outputs, table, room; /* addresses: `table` of rows and columns */
   uint32_t good[SCENE_MOST_DW];            /* its structures */
   uint32_t good_dw;
   bool is_open;
};

/** The scene of these settings, one byte: worker threads, host level, and path or sanitiser. */
struct fuzz_scene *fuzz_scene_open(uint32_t settings);
/** The same where all that can be is compiled at once, and waited for. NULL: the build has no
 * compiler, or with these settings all is interpreted, or threads may leave other memory each time:
 * a submission may read what it writes. */
struct fuzz_scene *fuzz_scene_open_compiled(uint32_t settings);
/** A scene on a GPU, which it then owns, whose memory `alloc` allocates until it is open. */
typedef bool (*fuzz_alloc)(struct cf_gpu *gpu, uint64_t size_B, struct cf_bo *bo);
void fuzz_scene_open_on(struct fuzz_scene *s, struct cf_gpu *gpu, fuzz_alloc alloc);
/** Fails unless their memory is equal: what is interpreted, and compiled. */
void fuzz_scene_compare(const struct fuzz_scene *a, const struct fuzz_scene *b);
/** Its memory and command buffer are as in the beginning. */
void fuzz_scene_reset(struct fuzz_scene *s);

/** One of its addresses; n: any number. */
uint64_t fuzz_scene_address(const struct fuzz_scene *s, uint32_t n);

/** Emits a valid submission without its end. */
typedef void (*fuzz_emit)(struct fuzz_scene *s);
/** All of those that there are, by name; the last one has no name. */
struct fuzz_submission {
   const char *name;
   fuzz_emit emit;
};
extern const struct fuzz_submission fuzz_submissions[];

#endif
