/* SPDX-License-Identifier: MIT */
/*
 * Why a fragment passes or fails its tests: GL's rules (GL 2.1 sections 4.1.4 to 4.1.6) written out
 * for one fragment. Slow; what draws is the pixel engine, which only says whether it passed.
 */
#ifndef CF_PIXEL_EXPLAIN_H
#define CF_PIXEL_EXPLAIN_H

#include "clipfree/interface/cf_observer.h"
#include "clipfree/pixel/cf_pixel.h"

/** CF_FATE_WRITTEN, or the first test after the program that the fragment fails: alpha, stencil,
 * depth. zs: its pixel of depth and stencil before, as it lies in memory. depth: as
 * cf_pixel_ops.test_quads has it. alpha: of color 0. Changes nothing. */
enum cf_fate cf_pixel_explain(const struct cf_pixel_config *config, const uint32_t zs[2],
                              float depth, float alpha, bool front);

/** The same of stencil and depth tests alone, wherever they are. */
enum cf_fate cf_pixel_explain_tests(const struct cf_pixel_config *config, const uint32_t zs[2],
                                    float depth, bool front);

#endif
