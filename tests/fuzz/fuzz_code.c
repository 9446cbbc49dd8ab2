/* SPDX-License-Identifier: MIT */
/*
 * Machine code: what the proof of compiled code (jit/proof) takes is run, by a processor that
 * knows nothing of the proof, and must have done nothing that it may not (fuzz_code_run.h). First
 * inputs are the functions of the proof's own test, fine ones and planted escapes.
 *
 * Input: 4 bytes, a seed of the numbers that the code finds; then the code, behind the constants
 * that all have.
 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <Zydis/Zydis.h>

#include "clipfree/base/test_random.h"
#include "clipfree/jit/proof/test_proof_map.h"
#include "fuzz_code_run.h"

#define SEED_B sizeof(uint32_t)
#define MOST_CODE_B 1024
#define MOST_INSTRS 256

/* ---- an input ---- */

static void
print_code(const uint8_t *code, size_t code_B)
{
   ZydisDisassembledInstruction instr;
   for (size_t at_B = 0; at_B < code_B; at_B += instr.info.length) {
      if (!ZYAN_SUCCESS(ZydisDisassembleIntel(ZYDIS_MACHINE_MODE_LONG_64, at_B, code + at_B,
                                              code_B - at_B, &instr)))
         break;
      fprintf(stderr, "%6zx  %s\n", at_B, instr.text);
   }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B)
{
   struct fuzz_code_world *world = fuzz_code_open();
   const char *what;
   uint32_t seed;
   if (size_B <= SEED_B || size_B > SEED_B + MOST_CODE_B)
      return 0;
   memcpy(&seed, data, SEED_B);
   const size_t code_B = size_B - SEED_B, memory_B = TEST_PROOF_CONSTANTS_B + code_B;
   uint8_t *memory = malloc(memory_B); /* as large as it is, so that reads behind it are noticed */
   if (!memory)
      fuzz_fail("no memory");
   memcpy(memory, cf_proof_cases[0].code - TEST_PROOF_CONSTANTS_B, TEST_PROOF_CONSTANTS_B);
   memcpy(memory + TEST_PROOF_CONSTANTS_B, data + SEED_B, code_B);
   const struct cf_proof_verdict verdict = test_proof_check(memory, memory_B, code_B);
   if (verdict.at_B < TEST_PROOF_CONSTANTS_B || verdict.at_B > memory_B)
      fuzz_fail("an instruction at %zu is none of the code", verdict.at_B);
   if (!verdict.wrong && world &&
       fuzz_code_run(world, memory, memory_B, seed, &what) == FUZZ_CODE_ESCAPED) {
      print_code(data + SEED_B, code_B);
      fuzz_fail("proven code accessed or changed %s", what);
   }
   free(memory);
   return 0;
}

/* ---- mutations ---- */

/* Where instructions begin, and in the end where the last one ends. Returns how many there are. */
static unsigned
find_instrs(const uint8_t *code, size_t code_B, size_t at_B[MOST_INSTRS + 1])
{
   ZydisDecoder decoder;
   ZydisDecodedInstruction instr;
   unsigned count = 0;
   ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
   at_B[0] = 0;
   while (count < MOST_INSTRS &&
          ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code + at_B[count],
                                                     code_B - at_B[count], &instr))) {
      at_B[count + 1] = at_B[count] + instr.length;
      count++;
   }
   return count;
}

/* Another value in one byte: one bit, a number near to it, another register, or any. */
static uint8_t
change_byte(struct cf_random *random, uint8_t byte)
{
   switch (cf_random_below(random, 4)) {
   case 0:
      return byte ^ (uint8_t)(1u << cf_random_below(random, 8));
   case 1:
      return (uint8_t)(byte + cf_random_below(random, 9) - 4u);
   case 2:
      return (uint8_t)((byte & ~7u) | cf_random_below(random, 8));
   default:
      return (uint8_t)cf_random_u32(random);
   }
}

/* Take `part_B` bytes at `at_B` out. Returns the new size. */
static size_t
take_out(uint8_t *code, size_t code_B, size_t at_B, size_t part_B)
{
   memmove(code + at_B, code + at_B + part_B, code_B - at_B - part_B);
   return code_B - part_B;
}

/* Put bytes in at `at_B`, if they have room. Returns the new size. */
static size_t
put_in(uint8_t *code, size_t code_B, size_t max_B, size_t at_B, const uint8_t *part, size_t part_B)
{
   if (part_B > max_B - code_B)
      return code_B;
   memmove(code + at_B + part_B, code + at_B, code_B - at_B);
   memcpy(code + at_B, part, part_B);
   return code_B + part_B;
}

/* Change an instruction, leave it out, move it, or put one there that is somewhere else. */
static size_t
change_instrs(struct cf_random *random, uint8_t *code, size_t code_B, size_t max_B)
{
   size_t at_B[MOST_INSTRS + 1];
   uint8_t moved[ZYDIS_MAX_INSTRUCTION_LENGTH];
   const unsigned count = find_instrs(code, code_B, at_B);
   if (count == 0)
      return LLVMFuzzerMutate(code, code_B, max_B);
   const unsigned i = cf_random_below(random, count), to = cf_random_below(random, count);
   const size_t part_B = at_B[i + 1] - at_B[i];
   uint8_t *byte = &code[at_B[i] + cf_random_below(random, (uint32_t)part_B)];
   memcpy(moved, code + at_B[i], part_B);
   switch (cf_random_below(random, 6)) {
   case 0:
      return take_out(code, code_B, at_B[i], part_B);
   case 1:
      return put_in(code, code_B, max_B, at_B[to], moved, part_B);
   case 2:
      code_B = take_out(code, code_B, at_B[i], part_B);
      return put_in(code, code_B, max_B, to > i ? at_B[to] - part_B : at_B[to], moved, part_B);
   default:
      *byte = change_byte(random, *byte);
      return code_B;
   }
}

/* Put in an instruction of one of the test's functions. */
static size_t
borrow(struct cf_random *random, uint8_t *code, size_t code_B, size_t max_B)
{
   static unsigned cases;
   size_t at_B[MOST_INSTRS + 1], own_B[MOST_INSTRS + 1];
   while (cf_proof_cases[cases].name[0])
      cases++;
   const struct test_proof_case *c = &cf_proof_cases[cf_random_below(random, cases)];
   const size_t other_B = test_proof_code_B(c);
   const unsigned count = find_instrs(c->code, other_B, at_B);
   const unsigned own = find_instrs(code, code_B, own_B);
   if (count == 0)
      return code_B;
   const unsigned i = cf_random_below(random, count);
   return put_in(code, code_B, max_B, own_B[cf_random_below(random, own + 1)], c->code + at_B[i],
                 at_B[i + 1] - at_B[i]);
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size_B, size_t max_B, unsigned seed)
{
   struct cf_random random = { seed };
   if (size_B <= SEED_B || max_B <= SEED_B)
      return LLVMFuzzerMutate(data, size_B, max_B);
   uint8_t *code = data + SEED_B;
   size_t code_B = size_B - SEED_B;
   max_B -= SEED_B;
   if (cf_random_below(&random, 8) == 0)
      memcpy(data, &(uint32_t){ cf_random_u32(&random) }, SEED_B);
   for (unsigned n = 1 + cf_random_below(&random, 3); n > 0 && code_B > 0; n--) {
      const uint32_t way = cf_random_below(&random, 16);
      code_B = way == 0  ? LLVMFuzzerMutate(code, code_B, max_B)
               : way < 4 ? borrow(&random, code, code_B, max_B)
                         : change_instrs(&random, code, code_B, max_B);
   }
   return SEED_B + code_B;
}

/* ---- seeds ---- */

void
fuzz_write_seeds(const char *folder)
{
   unsigned n = 0;
   for (const struct test_proof_case *c = cf_proof_cases; c->name[0]; c++, n++) {
      uint8_t data[SEED_B + MOST_CODE_B] = { (uint8_t)n };
      const size_t code_B = test_proof_code_B(c);
      char name[32];
      if (code_B > MOST_CODE_B)
         continue;
      memcpy(data + SEED_B, c->code, code_B);
      snprintf(name, sizeof(name), "function-%u", n);
      fuzz_write_seed(folder, name, data, SEED_B + code_B);
   }
}
