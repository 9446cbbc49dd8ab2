/* SPDX-License-Identifier: MIT */
/*
 * Which test a fragment fails, for observers: GL's rules (GL 2.1 sections 4.1.4 to 4.1.6) written
 * out for one fragment. Slow. Drawing is done by the pixel engine, which only finds whether a
 * fragment passes.
 */
#ifndef CF_PIXEL_EXPLAIN_H
#define CF_PIXEL_EXPLAIN_H

#include "clipfree/interface/cf_observer.h"
#include "clipfree/pixel/cf_pixel.h"

/** The fate of a fragment by the tests after the program: the first that fails (alpha, stencil,
 * depth), or CF_FATE_WRITTEN. zs: depth and stencil pixel before the tests, as it lies in memory.
 * depth: as cf_pixel_ops.test_quads takes it. alpha: of color 0. Changes nothing. */
enum cf_fate cf_pixel_explain(const struct cf_pixel_config *config, const uint32_t zs[2],
                              float depth, float alpha, bool front);

/** Whether the fragment passes the alpha test. */
bool cf_pixel_explain_alpha(const struct cf_pixel_config *config, float alpha);

/** The same by stencil and depth tests alone, whether they are early or late. */
enum cf_fate cf_pixel_explain_tests(const struct cf_pixel_config *config, const uint32_t zs[2],
                                    float depth, bool front);

#endif
