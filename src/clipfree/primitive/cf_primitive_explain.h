/* SPDX-License-Identifier: MIT */
/*
 * Why set-up drops a primitive: its conditions one by one, for those who watch. Slow; set-up itself
 * only says whether it made something.
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

#endif
