/* SPDX-License-Identifier: MIT */
/*
 * Vertices whose position is not finite: the instruction that made it so. The capture is run once
 * more for them, since registers of all vertices of a capture are too many to follow.
 */
#ifndef WHY_BAD_VERTEX_H
#define WHY_BAD_VERTEX_H

#include <jansson.h>

#include "why_plan.h"

#define WHY_BAD_VERTICES 8

struct why_bad_vertex {
   uint32_t op, instance, element;
   json_t *json; /* gets "not_finite": see why_instruction_json */
};

/** Find the instructions of up to WHY_BAD_VERTICES vertices. False: `error`. */
bool why_bad_vertices(const struct why_question *question, const struct why_plan *plan,
                      const struct why_bad_vertex *vertex, uint32_t count, char *error,
                      size_t error_B);

#endif
