/* SPDX-License-Identifier: MIT */
/* The allocator against a list of what was handed out; bounds of cf_memory_at; zeroing; the limit;
 * threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/memory/cf_memory.h"

#define PAGE_B 4096u

static uint64_t
next_random(uint64_t *state)
{
   *state ^= *state << 13;
   *state ^= *state >> 7;
   *state ^= *state << 17;
   return *state;
}

static void
bounds(void **state)
{
   struct cf_memory *memory = cf_memory_create(0);
   assert_non_null(memory);
   assert_null(cf_memory_at(memory, 0, 0));
   assert_int_equal(cf_memory_alloc(memory, 0), 0);
   const uint64_t a = cf_memory_alloc(memory, PAGE_B + 1), b = cf_memory_alloc(memory, 1);
   assert_true(a && b && a % PAGE_B == 0 && b % PAGE_B == 0);
   assert_non_null(cf_memory_at(memory, a, 2 * PAGE_B));
   assert_null(cf_memory_at(memory, a, 2 * PAGE_B + 1));
   assert_non_null(cf_memory_at(memory, a + 2 * PAGE_B - 1, 1));
   assert_ptr_equal((char *)cf_memory_at(memory, a, 1) + PAGE_B + 5,
                    cf_memory_at(memory, a + PAGE_B + 5, 7));
   assert_null(cf_memory_at(memory, a, UINT64_MAX));
   assert_null(cf_memory_at(memory, UINT64_MAX, 1));
   assert_null(cf_memory_at(memory, UINT64_MAX - 3, 8));
   assert_null(cf_memory_at(memory, 1ull << 40, 1));
   assert_int_equal(cf_memory_used_B(memory), 3 * PAGE_B);
   cf_memory_free(memory, a + PAGE_B); /* not the start of an allocation: nothing happens */
   assert_non_null(cf_memory_at(memory, a, 1));
   cf_memory_free(memory, a);
   assert_null(cf_memory_at(memory, a, 1));
   assert_null(cf_memory_at(memory, a + PAGE_B, 1));
   cf_memory_free(memory, a);
   assert_int_equal(cf_memory_used_B(memory), PAGE_B);
   cf_memory_destroy(memory);
}

static void
limit(void **state)
{
   struct cf_memory *memory = cf_memory_create(1 << 20);
   assert_int_equal(cf_memory_limit_B(memory), 1 << 20);
   assert_int_equal(cf_memory_alloc(memory, (1 << 20) + 1), 0);
   const uint64_t a = cf_memory_alloc(memory, 1 << 20);
   assert_int_not_equal(a, 0);
   assert_int_equal(cf_memory_alloc(memory, 1), 0);
   cf_memory_free(memory, a);
   assert_int_not_equal(cf_memory_alloc(memory, 1), 0);
   cf_memory_destroy(memory);
}

struct piece {
   uint64_t address, size_B;
   uint8_t value;
};

/* Pieces never overlap, start as zero, and keep what is written to them, whatever is freed around
 * them. */
static void
churn(struct cf_memory *memory, uint64_t seed, unsigned steps)
{
   struct piece piece[64] = { 0 };
   for (unsigned step = 0; step < steps; step++) {
      struct piece *p = &piece[next_random(&seed) % 64];
      if (p->address) {
         uint8_t *data = cf_memory_at(memory, p->address, p->size_B);
         assert_non_null(data);
         for (uint64_t i = 0; i < p->size_B; i += 97)
            assert_int_equal(data[i], p->value);
         assert_int_equal(data[p->size_B - 1], p->value);
         cf_memory_free(memory, p->address);
         p->address = 0;
      } else {
         p->size_B = 1 + next_random(&seed) % (next_random(&seed) % 4 ? 8 * PAGE_B : 300 * PAGE_B);
         p->address = cf_memory_alloc(memory, p->size_B);
         assert_int_not_equal(p->address, 0);
         p->value = (uint8_t)(1 + step % 255);
         uint8_t *data = cf_memory_at(memory, p->address, p->size_B);
         for (uint64_t i = 0; i < p->size_B; i++)
            assert_int_equal(data[i], 0);
         memset(data, p->value, p->size_B);
      }
   }
   for (unsigned i = 0; i < 64; i++)
      cf_memory_free(memory, piece[i].address);
}

static void
random_pieces(void **state)
{
   const uint64_t seed = 0x5eed0001;
   printf("seed %#llx\n", (unsigned long long)seed);
   struct cf_memory *memory = cf_memory_create(0);
   churn(memory, seed, 2000);
   assert_int_equal(cf_memory_used_B(memory), 0);
   cf_memory_destroy(memory);
}

struct worker {
   struct cf_memory *memory;
   uint64_t seed;
};

static void *
work(void *user)
{
   struct worker *worker = user;
   churn(worker->memory, worker->seed, 400);
   return NULL;
}

static void
threads(void **state)
{
   struct cf_memory *memory = cf_memory_create(0);
   pthread_t thread[4];
   struct worker worker[4];
   for (unsigned i = 0; i < 4; i++) {
      worker[i] = (struct worker){ .memory = memory, .seed = 77 + i };
      assert_int_equal(pthread_create(&thread[i], NULL, work, &worker[i]), 0);
   }
   for (unsigned i = 0; i < 4; i++)
      pthread_join(thread[i], NULL);
   assert_int_equal(cf_memory_used_B(memory), 0);
   cf_memory_destroy(memory);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(bounds),
      cmocka_unit_test(limit),
      cmocka_unit_test(random_pieces),
      cmocka_unit_test(threads),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
