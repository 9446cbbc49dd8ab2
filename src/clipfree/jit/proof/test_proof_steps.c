/* SPDX-License-Identifier: MIT */
/*
 * The parts of the proof by themselves: sets of numbers, what is kept of the stack, and single
 * instructions from states that the whole proof meets rarely or never. What is not known must never
 * be taken for known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "clipfree/jit/proof/cf_proof_step.h"

#define NO_VECTORS                                                                                 \
   .vector_dst = CF_PROOF_NO_REG, .vector_left = CF_PROOF_NO_REG, .vector_src = CF_PROOF_NO_REG,   \
   .also = CF_PROOF_NO_REG, .number = CF_PROOF_NO_REG
#define NO_ADDRESS .base = CF_PROOF_NO_REG, .index = CF_PROOF_NO_REG

static const struct cf_proof_argument no_argument[1];
static const uint8_t constants[64] = { 1, 2, 3, 4 };
static const struct cf_proof_pointer pointers[] = { { 0, 8, 2, 1 }, { 32, 0, 1, 0 } };
static const struct cf_proof_region regions[] = {
   { "state", { 0, 64 }, .pointers = pointers, .pointer_count = 2 },
   { "function", .arguments = no_argument },
};
static const struct cf_proof_map map = { regions, 2 };
static const struct cf_proof_code code = { .memory = constants, .memory_B = sizeof(constants) };
static const struct cf_proof_task task = { &code, &map };

static struct cf_proof_value
number(int64_t at)
{
   return cf_proof_constant(CF_PROOF_NUMBER, at);
}

static struct cf_proof_value
stack(int64_t at)
{
   return cf_proof_constant(CF_PROOF_STACK, at);
}

static void
assert_numbers(struct cf_proof_value v, int64_t lo, int64_t hi, uint32_t step)
{
   assert_int_equal(v.base, CF_PROOF_NUMBER);
   assert_int_equal(v.lo, lo);
   assert_int_equal(v.hi, hi);
   assert_int_equal(v.step, step);
}

static void
assert_anything(struct cf_proof_value v)
{
   assert_true(cf_proof_is_anything(v));
}

/* ---- values ---- */

static void
products(void **unused)
{
   const int64_t half = INT64_C(1) << 62;
   assert_numbers(cf_proof_multiply(number(half - 1), number(2)), 2 * (half - 1), 2 * (half - 1),
                  0);
   assert_anything(cf_proof_multiply(number(half), number(2)));
   assert_anything(cf_proof_multiply(cf_proof_numbers(1, half, 1), number(2)));
   assert_anything(cf_proof_multiply(cf_proof_numbers(half, half + 1, 1), number(2)));
   assert_anything(cf_proof_multiply(number(-1), number(2)));
}

static void
least(void **unused)
{
   const struct cf_proof_value some = cf_proof_numbers(2, 9, 1);
   assert_numbers(cf_proof_least(some, cf_proof_numbers(5, 7, 1)), 2, 7, 1);
   assert_anything(cf_proof_least(some, cf_proof_numbers(-1, 7, 1)));
   assert_anything(cf_proof_least(cf_proof_numbers(-1, 7, 1), some));
   assert_anything(cf_proof_least(stack(0), some));
}

/* All that two ranges have as bits is within what is said of them. */
static void
bits(void **unused)
{
   for (int64_t a = 0; a < 9; a++) {
      for (int64_t b = 0; b < 9; b++) {
         const struct cf_proof_value x = cf_proof_numbers(0, a, 1), y = cf_proof_numbers(0, b, 1),
                                     both = cf_proof_or(x, y), common = cf_proof_and(x, y);
         int64_t most_or = 0, most_and = 0;
         for (int64_t i = 0; i <= a; i++) {
            for (int64_t j = 0; j <= b; j++) {
               most_or = (i | j) > most_or ? i | j : most_or;
               most_and = (i & j) > most_and ? i & j : most_and;
            }
         }
         assert_true(both.lo <= 0 && both.hi >= most_or);
         assert_true(common.lo <= 0 && common.hi >= most_and);
      }
   }
   assert_numbers(cf_proof_or(number(0), number(0)), 0, 0, 0);
}

static int64_t
function_of_bits(unsigned table, int64_t a, int64_t b, int64_t c)
{
   int64_t result = 0;
   for (unsigned bit = 0; bit < 32; bit++) {
      const unsigned row = (unsigned)(4 * (a >> bit & 1) + 2 * (b >> bit & 1) + (c >> bit & 1));
      result |= (int64_t)(table >> row & 1) << bit;
   }
   return result;
}

/* All 256 functions of three numbers, each one of 0, step, .. hi. */
static void
ternary_logic(void **unused)
{
   static const struct {
      int64_t hi;
      uint32_t step;
   } set[] = { { 0, 0 }, { 1, 1 }, { 5, 1 }, { 12, 4 } };
   for (unsigned i = 0; i < 256 * 64; i++) {
      const unsigned table = i / 64, x = i / 16 % 4, y = i / 4 % 4, z = i % 4;
      struct cf_proof_value said = cf_proof_ternary_logic(
         (uint8_t)table, cf_proof_numbers(0, set[x].hi, set[x].step),
         cf_proof_numbers(0, set[y].hi, set[y].step), cf_proof_numbers(0, set[z].hi, set[z].step));
      said = cf_proof_truncate(said, 4);
      for (int64_t a = 0; a <= set[x].hi; a += set[x].step + !set[x].step) {
         for (int64_t b = 0; b <= set[y].hi; b += set[y].step + !set[y].step) {
            for (int64_t c = 0; c <= set[z].hi; c += set[z].step + !set[z].step) {
               const int64_t is = function_of_bits(table, a, b, c);
               assert_true(is >= said.lo && is <= said.hi &&
                           (!said.step || (is - said.lo) % said.step == 0));
            }
         }
      }
   }
   const struct cf_proof_value any = cf_proof_unsigned(4);
   assert_numbers(cf_proof_ternary_logic(0xc8, any, number(60), any), 0, 60, 4);
   assert_anything(cf_proof_ternary_logic(0x80, cf_proof_anything(), number(60), any));
   assert_anything(cf_proof_ternary_logic(0x80, any, stack(0), any));
   assert_anything(cf_proof_ternary_logic(0x80, any, any, number(-1)));
   assert_anything(cf_proof_ternary_logic(0x01, any, any, any));
}

static void
widths(void **unused)
{
   const int64_t all = UINT32_MAX;
   assert_numbers(cf_proof_truncate(number(all), 4), all, all, 0);
   assert_numbers(cf_proof_truncate(number(all + 1), 4), 0, all, 1);
   assert_numbers(cf_proof_truncate(number(-8), 4), 0, all - 7, 8);
   assert_numbers(cf_proof_truncate(stack(0), 4), 0, all, 1);
   assert_true(cf_proof_equal(cf_proof_truncate(stack(0), 8), stack(0)));
   assert_true(cf_proof_equal(cf_proof_sign_extend(stack(-8), 8), stack(-8)));
   assert_numbers(cf_proof_sign_extend(number(127), 1), 127, 127, 0);
   assert_numbers(cf_proof_sign_extend(number(128), 1), -128, 127, 1);
   assert_numbers(cf_proof_sign_extend(number(-128), 1), -128, -128, 0);
   assert_numbers(cf_proof_sign_extend(number(-129), 1), -128, 127, 1);
}

static void
anything(void **unused)
{
   assert_true(cf_proof_is_anything(cf_proof_unsigned(8)));
   assert_false(cf_proof_is_anything(cf_proof_numbers(INT64_MIN, INT64_MAX - 1, 1)));
   assert_false(cf_proof_is_anything(cf_proof_numbers(INT64_MIN + 1, INT64_MAX, 1)));
   assert_false(cf_proof_is_anything(stack(0)));
}

/* ---- memory ---- */

static struct cf_proof_state state; /* 40 KB */

static void
begin(void)
{
   cf_proof_begin(&state, &code);
}

/* Half of a pointer, and numbers of 32 bits that may be all, are not kept. */
static void
stored_halves(void **unused)
{
   const struct cf_proof_value most = cf_proof_numbers(0, UINT32_MAX - 1, 1);
   begin();
   cf_proof_stored(&state, stack(-8), 4, cf_proof_constant(CF_PROOF_OF_REGIONS, 0));
   cf_proof_stored(&state, stack(-8), 4, number(-1));
   cf_proof_stored(&state, stack(-8), 4, cf_proof_unsigned(4));
   assert_int_equal(state.count, 0);
   assert_numbers(cf_proof_loaded(&task, &state, stack(-8), 4), 0, UINT32_MAX, 1);
   cf_proof_stored(&state, stack(-8), 4, most);
   assert_int_equal(state.count, 1);
   assert_true(cf_proof_equal(cf_proof_loaded(&task, &state, stack(-8), 4), most));
}

/* Dwords of vectors at a computed place: all must lie in vectors, of the same frame. */
static void
dwords_of_vectors(void **unused)
{
   struct cf_proof_value at = cf_proof_numbers(-64, -36, 4);
   at.base = CF_PROOF_STACK;
   begin();
   cf_proof_stored(&state, cf_proof_constant(CF_PROOF_FRAME, -64), 32, number(1));
   assert_numbers(cf_proof_loaded(&task, &state, at, 4), 0, UINT32_MAX, 1);
   cf_proof_stored(&state, stack(-64), 32, number(5));
   assert_numbers(cf_proof_loaded(&task, &state, at, 4), 5, 5, 0);
   at.lo -= 4; /* before the vector */
   assert_numbers(cf_proof_loaded(&task, &state, at, 4), 0, UINT32_MAX, 1);
   at.lo += 4, at.hi += 4; /* behind it */
   assert_numbers(cf_proof_loaded(&task, &state, at, 4), 0, UINT32_MAX, 1);
   at.hi -= 4, at.lo += 1, at.hi -= 3; /* parts of two dwords */
   assert_numbers(cf_proof_loaded(&task, &state, at, 4), 0, UINT32_MAX, 1);
}

/* Pointers are read at their places of their regions alone. */
static void
loaded_pointers(void **unused)
{
   const uint32_t region = CF_PROOF_OF_REGIONS, function = (region + 1) | CF_PROOF_FUNCTION;
   begin();
   struct cf_proof_value v = cf_proof_loaded(&task, &state, cf_proof_constant(region, 8), 8);
   assert_true(cf_proof_equal(v, cf_proof_constant(function, 1)));
   v = cf_proof_loaded(&task, &state, cf_proof_constant(region, 32), 8);
   assert_true(cf_proof_equal(v, cf_proof_constant(region, 0)));
   for (int64_t at = 1; at < 64; at++) {
      v = cf_proof_loaded(&task, &state, cf_proof_constant(region, at), 8);
      assert_int_equal(cf_proof_is_anything(v), at != 8 && at != 32);
   }
   assert_anything(cf_proof_loaded(&task, &state, cf_proof_constant(function, 0), 8));
   assert_anything(cf_proof_loaded(&task, &state, cf_proof_constant(CF_PROOF_CODE, 0), 8));
   assert_anything(cf_proof_loaded(&task, &state, cf_proof_constant(CF_PROOF_CHOSEN_ROW, 0), 8));
   assert_numbers(cf_proof_loaded(&task, &state, cf_proof_constant(region, 8), 4), 0, UINT32_MAX,
                  1);
}

static void
elements_of_constants(void **unused)
{
   struct cf_proof_value at = cf_proof_constant(CF_PROOF_CODE, 0);
   assert_numbers(cf_proof_loaded_elements(&task, at, 4, 1, false), 1, 4, 1);
   at.hi = 4, at.step = 4; /* at a computed place */
   assert_numbers(cf_proof_loaded_elements(&task, at, 4, 1, false), 0, UINT8_MAX, 1);
   assert_numbers(cf_proof_loaded_elements(&task, stack(-8), 4, 2, false), 0, UINT16_MAX, 1);
}

static void
either(void **unused)
{
   const struct cf_proof_value saved = cf_proof_constant(CF_PROOF_SAVED, CF_PROOF_RBX),
                               other = cf_proof_constant(CF_PROOF_SAVED, CF_PROOF_RBP);
   assert_true(cf_proof_equal(cf_proof_either(&task, saved, saved), saved));
   assert_anything(cf_proof_either(&task, saved, other));
   assert_numbers(cf_proof_either(&task, number(3), number(7)), 3, 7, 4);
}

/* ---- instructions ---- */

static void
refuse(const struct cf_proof_insn *insn, const char *why)
{
   const char *wrong = cf_proof_step(&task, &state, insn);
   assert_non_null(wrong);
   assert_string_equal(wrong, why);
}

/* Places in a frame are accessed while there is one. */
static void
frames(void **unused)
{
   const struct cf_proof_insn load = { .op = CF_MC_MOV,
                                       .width_B = 8,
                                       .from_B = 8,
                                       .access_B = 8,
                                       .memory = CF_MEM_READ,
                                       .clobbers = 1 << CF_PROOF_RCX,
                                       .dst = CF_PROOF_RCX,
                                       .src = CF_PROOF_NO_REG,
                                       .left = CF_PROOF_RCX,
                                       .base = CF_PROOF_RAX,
                                       .index = CF_PROOF_NO_REG,
                                       NO_VECTORS };
   begin();
   state.reg[CF_PROOF_RAX] = cf_proof_constant(CF_PROOF_FRAME, -8);
   refuse(&load, "an access of a frame that is none yet");
   state.reg[CF_PROOF_RSP] = cf_proof_constant(CF_PROOF_FRAME, -64);
   state.aligned_at = -16;
   assert_null(cf_proof_step(&task, &state, &load));
}

/* The stack pointer is aligned once, below the return address. */
static void
aligned_once(void **unused)
{
   const struct cf_proof_insn align = { .op = CF_MC_AND,
                                        .width_B = 8,
                                        .imm = -64,
                                        .dst = CF_PROOF_RSP,
                                        .src = CF_PROOF_NO_REG,
                                        .left = CF_PROOF_RSP,
                                        NO_ADDRESS,
                                        NO_VECTORS };
   begin();
   refuse(&align, "a stack pointer that is not known");
   state.reg[CF_PROOF_RSP] = cf_proof_numbers(-16, -8, 8);
   state.reg[CF_PROOF_RSP].base = CF_PROOF_STACK;
   refuse(&align, "a stack pointer that is not known");
   state.reg[CF_PROOF_RSP] = stack(-16);
   state.aligned_at = -8;
   refuse(&align, "a stack pointer that is not known");
   state.aligned_at = 0;
   assert_null(cf_proof_step(&task, &state, &align));
   assert_int_equal(state.aligned_at, -16);
   assert_true(cf_proof_equal(state.reg[CF_PROOF_RSP], cf_proof_constant(CF_PROOF_FRAME, 0)));
}

/* Counts of shifts that are none for the width leave anything. */
static void
shift_counts(void **unused)
{
   struct cf_proof_insn shift = { .op = CF_MC_SHR,
                                  .width_B = 4,
                                  .clobbers = 1 << CF_PROOF_RCX,
                                  .dst = CF_PROOF_RCX,
                                  .src = CF_PROOF_NO_REG,
                                  .left = CF_PROOF_RCX,
                                  NO_ADDRESS,
                                  NO_VECTORS };
   static const struct {
      int64_t count, hi;
   } cases[] = { { 0, UINT32_MAX }, { 31, 1 }, { 32, UINT32_MAX }, { -1, UINT32_MAX } };
   for (unsigned i = 0; i < 4; i++) {
      begin();
      shift.imm = cases[i].count;
      assert_null(cf_proof_step(&task, &state, &shift));
      assert_numbers(state.reg[CF_PROOF_RCX], 0, cases[i].hi, 1);
   }
}

/* Comparisons of less than 32 bits bound nothing. */
static void
compared_widths(void **unused)
{
   struct cf_proof_insn compare = { .op = CF_MC_CMP,
                                    .imm = 15,
                                    .flags = true,
                                    .dst = CF_PROOF_RCX,
                                    .src = CF_PROOF_NO_REG,
                                    .left = CF_PROOF_RCX,
                                    NO_ADDRESS,
                                    NO_VECTORS };
   for (unsigned width_B = 1; width_B <= 8; width_B *= 2) {
      begin();
      compare.width_B = (uint8_t)width_B;
      assert_null(cf_proof_step(&task, &state, &compare));
      assert_int_equal(state.compared.valid, width_B >= 4);
   }
}

/* A constant that is pushed is nothing that is known. */
static void
pushed(void **unused)
{
   const struct cf_proof_insn push = {
      .op = CF_MC_PUSH, .width_B = 8, .imm = 5, .src = CF_PROOF_NO_REG, NO_ADDRESS, NO_VECTORS
   };
   begin();
   assert_null(cf_proof_step(&task, &state, &push));
   assert_true(cf_proof_equal(state.reg[CF_PROOF_RSP], stack(-8)));
   assert_anything(cf_proof_loaded(&task, &state, stack(-8), 8));
}

/* What is no vector of the state has any dwords, in a register and in memory. */
static void
no_vector(void **unused)
{
   const struct cf_proof_insn lane = { .op = CF_MC_LANE,
                                       .width_B = 4,
                                       .clobbers = 1 << CF_PROOF_RCX,
                                       .dst = CF_PROOF_RCX,
                                       .src = CF_PROOF_NO_REG,
                                       .left = CF_PROOF_RCX,
                                       NO_ADDRESS,
                                       NO_VECTORS };
   const struct cf_proof_insn store = { .op = CF_MC_OTHER,
                                        .vector_op = CF_MC_MOV,
                                        .access_B = 16,
                                        .memory = CF_MEM_WRITE,
                                        .disp = -16,
                                        .dst = CF_PROOF_NO_REG,
                                        .src = CF_PROOF_NO_REG,
                                        .left = CF_PROOF_NO_REG,
                                        .base = CF_PROOF_RSP,
                                        .index = CF_PROOF_NO_REG,
                                        NO_VECTORS };
   begin();
   assert_null(cf_proof_step(&task, &state, &lane));
   assert_numbers(state.reg[CF_PROOF_RCX], 0, UINT32_MAX, 1);
   assert_null(cf_proof_step(&task, &state, &store));
   assert_numbers(cf_proof_loaded(&task, &state, stack(-16), 4), 0, UINT32_MAX, 1);
}

/* An operation of bytes that leaves its destination alone bounds nothing there. */
static void
another_byte(void **unused)
{
   struct cf_proof_insn byte = { .op = CF_MC_BYTE,
                                 .width_B = 1,
                                 .imm = 3,
                                 .clobbers = 1 << CF_PROOF_RAX,
                                 .dst = CF_PROOF_RCX,
                                 .src = CF_PROOF_NO_REG,
                                 .left = CF_PROOF_RCX,
                                 NO_ADDRESS,
                                 NO_VECTORS };
   begin();
   assert_null(cf_proof_step(&task, &state, &byte));
   assert_int_equal(state.low[CF_PROOF_RCX], UINT8_MAX);
   byte.clobbers = 1 << CF_PROOF_RCX;
   assert_null(cf_proof_step(&task, &state, &byte));
   assert_int_equal(state.low[CF_PROOF_RCX], 3);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(products),
      cmocka_unit_test(least),
      cmocka_unit_test(bits),
      cmocka_unit_test(ternary_logic),
      cmocka_unit_test(widths),
      cmocka_unit_test(anything),
      cmocka_unit_test(stored_halves),
      cmocka_unit_test(dwords_of_vectors),
      cmocka_unit_test(loaded_pointers),
      cmocka_unit_test(elements_of_constants),
      cmocka_unit_test(either),
      cmocka_unit_test(frames),
      cmocka_unit_test(aligned_once),
      cmocka_unit_test(shift_counts),
      cmocka_unit_test(compared_widths),
      cmocka_unit_test(pushed),
      cmocka_unit_test(no_vector),
      cmocka_unit_test(another_byte),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
