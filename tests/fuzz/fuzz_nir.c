/* SPDX-License-Identifier: MIT */
/*
 * NIR to the ISA: a random program of the compiler's tests (compiler/test_random_program.h), whose
 * random numbers are the input's bytes, is compiled, which the validator takes, and run. Each lane
 * has the results that a walk through the NIR gives, also without some of the compiler's passes.
 *
 * The input: struct head, then random numbers of 4 bytes.
 */
#include "clipfree/compiler/test_random_check.h"

#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "fuzz_plain.h"

#define SEEDS 60
#define SEED_NUMBERS 100
/* Of so many inputs one has more values than registers, and one chains of conditions: they take
 * long. The others are usual (enum random_kind). */
#define KINDS_OF 16

struct head {
   uint8_t fragment, kind;
   uint8_t passes_off[2];
};

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B)
{
   struct head head;
   char why[400];
   if (size_B < sizeof(head)) {
      fuzz_void();
      return 0;
   }
   memcpy(&head, data, sizeof(head));
   const unsigned kind = head.kind % KINDS_OF;
   const struct random_case c = {
      .fragment = head.fragment % 2,
      .kind = kind < 3 ? kind : 0,
      .passes_off = head.passes_off[0] | (uint32_t)head.passes_off[1] << 8,
      .seed = fuzz_hash(data, size_B) | 1,
      .bytes = data + sizeof(head),
      .size_B = size_B - sizeof(head),
      .reach = fuzz_reach,
   };
   const enum random_verdict verdict = random_check(&c, why, sizeof(why));
   if (verdict == RANDOM_WRONG)
      fuzz_fail("%s", why);
   if (verdict == RANDOM_REFUSED)
      fuzz_void();
   return 0;
}

/* Bytes in words: one changed, and all that follow it keep their meaning; or others from one on. */
size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size_B, size_t max_B, unsigned seed)
{
   uint64_t random = seed;
   if (size_B < sizeof(struct head) || fuzz_random(&random, 4) == 0) {
      size_B = sizeof(struct head) + 4 * fuzz_random(&random, SEED_NUMBERS);
      size_B = size_B < max_B ? size_B : max_B & ~(size_t)3;
      for (size_t i = 0; i < size_B; i++)
         data[i] = (uint8_t)fuzz_random(&random, 256);
      return size_B;
   }
   for (uint32_t i = fuzz_random(&random, 4); i < 4; i++) {
      const size_t at = fuzz_random(&random, (uint32_t)size_B);
      const uint32_t count = fuzz_random(&random, 4) ? 1 : (uint32_t)(size_B - at);
      for (uint32_t k = 0; k < count; k++)
         data[at + k] = (uint8_t)fuzz_random(&random, 256);
   }
   return size_B;
}

void
fuzz_write_seeds(const char *folder)
{
   for (uint32_t i = 0; i < SEEDS; i++) {
      uint8_t data[sizeof(struct head) + 4 * SEED_NUMBERS];
      uint64_t random = i;
      char name[20];
      for (size_t k = 0; k < sizeof(data); k++)
         data[k] = (uint8_t)fuzz_random(&random, 256);
      snprintf(name, sizeof(name), "random-%02u", i);
      fuzz_write_seed(folder, name, data, sizeof(data));
   }
}
