/* SPDX-License-Identifier: MIT */
/* Arenas: what they give lies in no other allocation, and what they keep follows what is used. */
#include "clipfree/base/cf_arena.h"
#include "clipfree/base/test_random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { ALLOCATIONS = 500, KEEP_B = 1 << 20 };

static void
use(struct cf_arena *arena, size_t size_B)
{
   for (size_t used_B = 0; used_B < size_B; used_B += CF_ARENA_BLOCK_B / 4)
      assert_non_null(cf_arena_alloc(arena, CF_ARENA_BLOCK_B / 4));
}

/* Each allocation is filled with its number; none changes another. */
static void
test_apart(void **state)
{
   (void)state;
   struct cf_random random = cf_random_seed("base-arena test_apart");
   struct cf_arena arena = { 0 };
   for (unsigned round = 0; round < 3; round++) {
      uint8_t *at[ALLOCATIONS];
      size_t size_B[ALLOCATIONS];
      for (unsigned i = 0; i < ALLOCATIONS; i++) {
         const uint64_t bits = cf_random_u64(&random);
         size_B[i] = bits % 50 ? 1 + bits / 64 % 5000 : CF_ARENA_BLOCK_B + bits / 64 % 5000;
         at[i] = cf_arena_alloc(&arena, size_B[i]);
         assert_non_null(at[i]);
         assert_int_equal((uintptr_t)at[i] % CF_ARENA_ALIGN_B, 0);
         memset(at[i], (int)(i % 251), size_B[i]);
      }
      for (unsigned i = 0; i < ALLOCATIONS; i++) {
         for (size_t k = 0; k < size_B[i]; k++)
            assert_int_equal(at[i][k], i % 251);
      }
      cf_arena_reset(&arena, KEEP_B);
   }
   cf_arena_free(&arena);
   assert_int_equal(arena.held_B, 0);
}

/* A stream of large passes allocates nothing, after a small one little is missing, and a stream of small ones gives memory back. */
static void
test_kept(void **state)
{
   (void)state;
   const size_t large_B = 40 * KEEP_B;
   struct cf_arena arena = { 0 };
   use(&arena, large_B);
   const size_t most_B = arena.held_B;
   assert_true(most_B >= large_B);
   for (unsigned pass = 0; pass < 10; pass++) {
      cf_arena_reset(&arena, KEEP_B);
      assert_int_equal(arena.held_B, most_B);
      use(&arena, large_B);
      assert_int_equal(arena.held_B, most_B);
   }
   cf_arena_reset(&arena, KEEP_B);
   use(&arena, KEEP_B / 2);
   cf_arena_reset(&arena, KEEP_B);
   assert_true(arena.held_B >= most_B / 8 * 7 - CF_ARENA_BLOCK_B && arena.held_B < most_B);
   for (unsigned pass = 0; pass < 50; pass++) {
      use(&arena, KEEP_B / 2);
      cf_arena_reset(&arena, KEEP_B);
   }
   assert_true(arena.held_B <= KEEP_B);
   cf_arena_free(&arena);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_apart),
      cmocka_unit_test(test_kept),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
