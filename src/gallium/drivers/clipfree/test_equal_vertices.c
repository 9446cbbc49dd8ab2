/* SPDX-License-Identifier: MIT */
/*
 * The search for equal vertices against comparison of each vertex with all before it, for random
 * layouts and contents.
 */
#include "clipfree_equal_vertices.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SEED UINT64_C(20261122)
#define MOST_VERTICES 300
#define MOST_ATTRIBUTES 8
#define MEMORY_B (1 << 16)

static uint64_t state;

static uint32_t
below(uint32_t limit)
{
   state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
   return (uint32_t)((state >> 33) % limit);
}

static bool
equal(const struct cf_vertex_bytes *attributes, unsigned count, uint32_t a, uint32_t b)
{
   for (unsigned i = 0; i < count; i++) {
      for (uint32_t byte = 0; byte < attributes[i].size_B; byte++) {
         if (attributes[i].first[a * attributes[i].stride_B + byte] !=
             attributes[i].first[b * attributes[i].stride_B + byte])
            return false;
      }
   }
   return true;
}

/* Compare each vertex with all before it. */
static uint32_t
reference(const struct cf_vertex_bytes *attributes, unsigned count, uint32_t vertices,
          uint32_t *same)
{
   uint32_t different = 0;
   for (uint32_t v = 0; v < vertices; v++) {
      uint32_t first = 0;
      while (!equal(attributes, count, first, v))
         first++;
      same[v] = first;
      different += first == v;
   }
   return different;
}

/* Random attributes: interleaved, overlapping, with gaps. */
static unsigned
random_attributes(const uint8_t *memory, uint32_t vertices, struct cf_vertex_bytes *attributes)
{
   const unsigned count = 1 + below(MOST_ATTRIBUTES);
   for (unsigned i = 0; i < count; i++) {
      const uint32_t size_B = 1 + below(32), stride_B = 1 + below(48);
      attributes[i] = (struct cf_vertex_bytes){
         .first = memory + below(MEMORY_B - (vertices - 1) * stride_B - size_B + 1),
         .stride_B = stride_B,
         .size_B = size_B,
      };
   }
   return count;
}

/* Run a whole search, in steps of random sizes below `step`. Returns the number of distinct
 * vertices. */
static uint32_t
search_all(const struct cf_vertex_bytes *attributes, unsigned count, uint32_t vertices,
           uint32_t limit, uint32_t step, uint32_t *same)
{
   struct cf_equal_search *search = cf_equal_search_begin(vertices, limit);
   uint32_t different, steps = 0;
   assert_non_null(search);
   while (!cf_equal_search_step(search, attributes, count, below(step)))
      assert_true(steps++ < 100 * vertices);
   /* a finished search stays finished */
   assert_true(cf_equal_search_step(search, attributes, count, 0));
   const uint32_t *result = cf_equal_search_result(search, &different);
   assert_int_equal(result != NULL, different != 0);
   if (result)
      memcpy(same, result, vertices * sizeof(*same));
   cf_equal_search_end(search);
   return different;
}

static void
test_random(void **unused)
{
   static uint8_t memory[MEMORY_B];
   static uint32_t same[MOST_VERTICES], expected[MOST_VERTICES];
   struct cf_vertex_bytes attributes[MOST_ATTRIBUTES];

   for (int n = 0; n < 2000; n++) {
      state = SEED + n;
      const uint32_t values = 1 + below(n % 3 ? 2 : 256), rare = 1 + below(400);
      const uint32_t vertices = n < 4 ? n + 1u : 1 + below(MOST_VERTICES);
      for (uint32_t i = 0; i < MEMORY_B; i++)
         memory[i] = below(rare) ? 7 : (uint8_t)below(values);
      const unsigned count = random_attributes(memory, vertices, attributes);
      const uint32_t different = reference(attributes, count, vertices, expected);
      /* exactly the limit, one more, one less */
      const uint32_t limit = different + below(3) - 1;
      const uint32_t found =
         search_all(attributes, count, vertices, limit, 2 + below(MOST_VERTICES), same);
      if (found != (different <= limit ? different : 0) ||
          (found && memcmp(same, expected, vertices * sizeof(*same))))
         fail_msg("seed %d: %u different of %u vertices, not %u (limit %u)", (int)(SEED + n), found,
                  vertices, different, limit);
   }
}

/* Long runs of equal vertices, none at all, and numbers beyond 16 bits. */
static void
test_many(void **unused)
{
   enum { VERTICES = 200000 };
   uint32_t *value = malloc(VERTICES * sizeof(*value)), *same = malloc(VERTICES * sizeof(*same));
   const struct cf_vertex_bytes attribute = { .first = (const uint8_t *)value,
                                              .stride_B = 4,
                                              .size_B = 4 };
   static const uint32_t periods[] = { 1, 3, 6, 70000, 100000 };

   for (size_t p = 0; p < sizeof(periods) / sizeof(periods[0]); p++) {
      for (uint32_t i = 0; i < VERTICES; i++)
         value[i] = 0x01000193u * (i % periods[p]);
      assert_int_equal(search_all(&attribute, 1, VERTICES, VERTICES, VERTICES, same), periods[p]);
      for (uint32_t i = 0; i < VERTICES; i++)
         assert_int_equal(same[i], i % periods[p]);
   }
   for (uint32_t i = 0; i < VERTICES; i++)
      value[i] = i;
   assert_int_equal(search_all(&attribute, 1, VERTICES, VERTICES, VERTICES, same), VERTICES);
   assert_int_equal(search_all(&attribute, 1, VERTICES, VERTICES - 1, VERTICES, same), 0);
   free(value);
   free(same);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random),
      cmocka_unit_test(test_many),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
