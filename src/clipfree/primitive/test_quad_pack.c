/* SPDX-License-Identifier: MIT */
/*
 * Quad packing against a list: every quad comes out once, in order, eight to a task unless a
 * position repeats or the pack is flushed, and never twice the same position in a task.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/primitive/cf_quad_pack.h"

#define MAX_QUADS 100000

struct log {
   struct cf_quad quads[MAX_QUADS];
   uint32_t task[MAX_QUADS]; /* number of the task each came in */
   uint32_t count, tasks;
};

static void
log_task(void *user, const struct cf_quad *quads, uint32_t count)
{
   struct log *log = user;
   assert_in_range(count, 1, CF_TASK_QUADS);
   for (uint32_t i = 0; i < count; i++) {
      for (uint32_t j = 0; j < i; j++)
         assert_false(quads[i].x_px == quads[j].x_px && quads[i].y_px == quads[j].y_px);
      log->task[log->count] = log->tasks;
      log->quads[log->count++] = quads[i];
   }
   log->tasks++;
}

static uint32_t
next_random(uint64_t *state)
{
   *state = *state * 6364136223846793005ull + 1442695040888963407ull;
   return (uint32_t)(*state >> 33);
}

static bool
same_position(const struct cf_quad *a, const struct cf_quad *b)
{
   return a->x_px == b->x_px && a->y_px == b->y_px;
}

static bool
same_block(const struct cf_quad *a, const struct cf_quad *b)
{
   return a->prim == b->prim && a->x_px / 4 == b->x_px / 4 && a->y_px / 4 == b->y_px / 4;
}

/* A task ends only where it must: some quad of the next block is there already. */
static void
check_task_ends(const struct log *log, const bool *flushed)
{
   for (uint32_t i = 0; i < log->count;) {
      uint32_t size = 1;
      while (i + size < log->count && log->task[i + size] == log->task[i])
         size++;
      bool repeats = false;
      const struct cf_quad *next = &log->quads[i + size];
      for (uint32_t k = 0; i + size + k < log->count && same_block(next, next + k); k++) {
         for (uint32_t j = 0; j < size; j++)
            repeats = repeats || same_position(&log->quads[i + j], next + k);
      }
      assert_true(size == CF_TASK_QUADS || repeats || i + size == log->count || flushed[i + size]);
      i += size;
   }
}

static void
random_blocks(void **state)
{
   uint64_t seed = 0x5eed;
   printf("seed %#llx\n", (unsigned long long)seed);
   struct log *log = calloc(1, sizeof(*log));
   struct cf_quad *expected = calloc(MAX_QUADS, sizeof(*expected));
   bool *flushed = calloc(MAX_QUADS + 1, sizeof(*flushed)); /* before this quad */
   struct cf_quad_pack pack = { .run = log_task, .user = log };
   uint32_t count = 0;
   uintptr_t prim = 64;
   while (count < MAX_QUADS - 300) {
      /* one primitive: distinct blocks of a tile */
      const uint32_t first = next_random(&seed) % 256,
                     blocks = 1 + next_random(&seed) % (next_random(&seed) % 8 ? 4 : 60);
      prim += 64;
      for (uint32_t i = 0; i < blocks; i++) {
         const uint32_t block = (first + 7 * i) % 256, x_px = 192 + block % 16 * 4,
                        y_px = 64 + block / 16 * 4;
         const uint32_t mask = next_random(&seed) % 3 ? 0xffff : next_random(&seed) & 0xffff;
         cf_quad_pack_block(&pack, (const struct cf_prim *)prim, x_px, y_px, mask);
         for (uint32_t quad = 0; quad < 4; quad++) {
            if (mask >> 4 * quad & 0xf)
               expected[count++] = (struct cf_quad){ .prim = (const struct cf_prim *)prim,
                                                     .x_px = (uint16_t)(x_px + quad % 2 * 2),
                                                     .y_px = (uint16_t)(y_px + quad / 2 * 2),
                                                     .sets = mask >> 4 * quad & 0xf };
         }
      }
      if (next_random(&seed) % 16 == 0) {
         cf_quad_pack_flush(&pack);
         flushed[count] = true;
      }
   }
   cf_quad_pack_flush(&pack);
   assert_int_equal(log->count, count);
   for (uint32_t i = 0; i < count; i++) {
      assert_ptr_equal(log->quads[i].prim, expected[i].prim);
      assert_true(same_position(&log->quads[i], &expected[i]));
      assert_int_equal(log->quads[i].sets, expected[i].sets);
   }
   check_task_ends(log, flushed);
   assert_true(log->tasks < count / 3);
   free(log);
   free(expected);
   free(flushed);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_blocks),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
