/* SPDX-License-Identifier: MIT */
/*
 * For observers: why set-up drops a primitive, by its conditions one after the other (slow; set-up
 * itself does not compute a reason); and a primitive without its stipple.
 */
#ifndef CF_PRIMITIVE_EXPLAIN_H
#define CF_PRIMITIVE_EXPLAIN_H

#include "clipfree/interface/cf_observer.h"
#include "clipfree/primitive/cf_setup.h"

/** The first reason in enum cf_drop's order for which a primitive is dropped; CF_DROP_OUTSIDE if it
 * is none of the others. setup: of its draw. v: records of its `vertices` vertices (1: a point, 2:
 * a line, 3: a triangle). */
enum cf_drop cf_primitive_explain(const struct cf_setup *setup, uint32_t vertices,
                                  const float *const v[3]);

/** Whether polygon or line stipple may take pixels out of a primitive. */
bool cf_primitive_is_stippled(const struct cf_prim *prim);

/** The primitive without stipple, to be rasterised alone. `config` is the configuration that it
 * points to from then on; its links are not set. */
void cf_primitive_unstipple(const struct cf_prim *prim, struct cf_prim *whole,
                            struct cf_primitive_config *config);

#endif
