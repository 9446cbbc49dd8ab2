/* SPDX-License-Identifier: MIT */
/*
 * For tests: what a run of each kind of primitive consists of, by GL's tables written out.
 */
#ifndef CF_TEST_EXPECTED_H
#define CF_TEST_EXPECTED_H

#include <stdbool.h>
#include <stdint.h>

#include "clipfree/interface/cf_packets.h"

#define MAX_COUNT 14

/* A primitive as GL's tables have it: vertex numbers and the provoking one. */
struct expected {
   uint32_t v[3], provoking;
};

static inline void
expect(struct expected *list, uint32_t *n, uint32_t a, uint32_t b, uint32_t c, uint32_t provoking)
{
   list[(*n)++] = (struct expected){ { a, b, c }, provoking };
}

/* All primitives of a run, walked as an application would say them. */
static inline uint32_t
expected_primitives(enum cf_prim_kind kind, uint32_t count, bool first, struct expected *list)
{
   uint32_t n = 0;
   const int32_t end = (int32_t)count;
   switch (kind) {
   case CF_PRIM_KIND_POINTS:
      for (int32_t i = 0; i < end; i++)
         expect(list, &n, i, i, i, i);
      break;
   case CF_PRIM_KIND_LINES:
      for (int32_t i = 0; i + 1 < end; i += 2)
         expect(list, &n, i, i + 1, 0, first ? i : i + 1);
      break;
   case CF_PRIM_KIND_LINE_LOOP:
   case CF_PRIM_KIND_LINE_STRIP:
      for (int32_t i = 0; i + 1 < end; i++)
         expect(list, &n, i, i + 1, 0, first ? i : i + 1);
      if (kind == CF_PRIM_KIND_LINE_LOOP && end >= 2)
         expect(list, &n, end - 1, 0, 0, first ? end - 1 : 0);
      break;
   case CF_PRIM_KIND_TRIANGLES:
      for (int32_t i = 0; i + 2 < end; i += 3)
         expect(list, &n, i, i + 1, i + 2, first ? i : i + 2);
      break;
   case CF_PRIM_KIND_TRIANGLE_STRIP:
      for (int32_t i = 0; i + 2 < end; i++) {
         if (i % 2 == 0)
            expect(list, &n, i, i + 1, i + 2, first ? i : i + 2);
         else
            expect(list, &n, i + 1, i, i + 2, first ? i : i + 2);
      }
      break;
   case CF_PRIM_KIND_TRIANGLE_FAN:
      for (int32_t i = 1; i + 1 < end; i++)
         expect(list, &n, 0, i, i + 1, first ? i : i + 1);
      break;
   case CF_PRIM_KIND_POLYGON:
      for (int32_t i = 1; i + 1 < end; i++)
         expect(list, &n, 0, i, i + 1, 0);
      break;
   case CF_PRIM_KIND_QUADS:
      for (int32_t i = 0; i + 3 < end; i += 4) {
         expect(list, &n, i, i + 1, i + 3, first ? i : i + 3);
         expect(list, &n, i + 1, i + 2, i + 3, first ? i : i + 3);
      }
      break;
   case CF_PRIM_KIND_QUAD_STRIP:
      for (int32_t i = 0; i + 3 < end; i += 2) {
         expect(list, &n, i, i + 1, i + 2, first ? i : i + 3);
         expect(list, &n, i + 1, i + 3, i + 2, first ? i : i + 3);
      }
      break;
   default: /* none of these tests has adjacency */
      break;
   }
   return n;
}

#endif
