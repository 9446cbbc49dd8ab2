/* SPDX-License-Identifier: MIT */
/*
 * For tests: a picture of random draws that any GPU can draw, in one submission or in many. Half of
 * the draws have the state of the one before, except for their vertices and perhaps blending, so
 * that small ones share tasks.
 */
#ifndef CF_TEST_PICTURE_H
#define CF_TEST_PICTURE_H

#include "clipfree/interface/cf_gpu.h"

#define TEST_PICTURE_DRAWS 60

struct test_picture;

/** Make it from a seed. */
struct test_picture *test_picture_make(uint64_t seed, uint32_t samples);
void test_picture_free(struct test_picture *p);
/** Draw it on `gpu`, which is destroyed. Returns a hash of all pixels and of a query's result.
 * `batch`: draws per submission. */
uint64_t test_picture_render(struct cf_gpu *gpu, const struct test_picture *p, uint32_t batch);

#endif
