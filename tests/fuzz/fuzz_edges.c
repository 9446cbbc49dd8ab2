/* SPDX-License-Identifier: MIT */
/*
 * Beside libFuzzer, in a build with edges: what a target says that its inputs reach counts, too.
 */
#include "fuzz_plain.h"

#include <inttypes.h>
#include <stdio.h>

#define PLACES (1u << 14)

/* libFuzzer looks for the section, and clears it before each input. */
static uint8_t place[PLACES] __attribute__((section("__libfuzzer_extra_counters")));
static uint64_t voids;

void
fuzz_reach(uint64_t what)
{
   place[what * 0x9e3779b97f4a7c15ull >> 50] = 1;
}

void
fuzz_void(void)
{
   voids++;
}

static void __attribute__((destructor)) print_voids(void)
{
   fprintf(stderr, "%" PRIu64 " came to nothing\n", voids);
}
