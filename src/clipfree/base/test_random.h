/* SPDX-License-Identifier: MIT */
/*
 * Random numbers for unit tests, with a seed that is printed and can be given back:
 * CLIPFREE_TEST_SEED=0x... repeats a run.
 */
#ifndef CF_TEST_RANDOM_H
#define CF_TEST_RANDOM_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/** Generator state (SplitMix64). */
struct cf_random {
   uint64_t state;
};

/**
 * A generator seeded from CLIPFREE_TEST_SEED, or else from the clock; prints the seed under the
 * test's name.
 */
static inline struct cf_random
cf_random_seed(const char *test)
{
   const char *given = getenv("CLIPFREE_TEST_SEED");
   struct timespec now;
   clock_gettime(CLOCK_REALTIME, &now);
   uint64_t seed =
      given ? strtoull(given, NULL, 0) : (uint64_t)now.tv_sec * 1000000007u + (uint64_t)now.tv_nsec;
   printf("%s: CLIPFREE_TEST_SEED=0x%016llx\n", test, (unsigned long long)seed);
   return (struct cf_random){ seed };
}

/** 64 uniform bits. */
static inline uint64_t
cf_random_u64(struct cf_random *r)
{
   uint64_t z = r->state += 0x9e3779b97f4a7c15ull;
   z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
   z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
   return z ^ (z >> 31);
}

/** 32 uniform bits. */
static inline uint32_t
cf_random_u32(struct cf_random *r)
{
   return (uint32_t)(cf_random_u64(r) >> 32);
}

/** Uniform in 0 .. n - 1, n > 0. */
static inline uint32_t
cf_random_below(struct cf_random *r, uint32_t n)
{
   return (uint32_t)((cf_random_u64(r) >> 32) * n >> 32);
}

#endif
