/* SPDX-License-Identifier: MIT */
/*
 * For tests: a GPU with all that a textured draw needs, and command buffers that use it.
 */
#ifndef CF_TEST_SCENE_H
#define CF_TEST_SCENE_H

#include "clipfree/command/test_gpu.h"

#define TEST_SCENE_PX 100          /* width and height of its surfaces */
#define TEST_SCENE_RED 0xff0000ffu /* what its draw leaves, R8G8B8A8 */

struct test_scene {
   struct test_gpu t;
   struct test_surface color, zs;
   /* GPU addresses */
   uint64_t vertex_program, fragment_program, elements, link, texture, sampler, indices, result;
   struct cf_texture descriptor; /* of `texture` */
};

void test_scene_open(struct test_scene *s, int threads);
/** The same with a given GPU, which the scene then owns. */
void test_scene_open_on(struct test_scene *s, struct cf_gpu *gpu);

/** Emit all state that a draw needs. */
void test_scene_emit_state(struct test_scene *s);
/** Emit a draw that covers the colour surface. */
void test_scene_emit_draw(struct test_scene *s);
/** Emit state, draws, clears, queries, copies, and the end packet. */
void test_scene_emit_all(struct test_scene *s);

/** Limit the vertices and instances of all draws of a command buffer of `count` dwords: large
 * numbers are legal, but slow. */
void test_tame_draws(uint32_t *dw, uint32_t count);

#endif
