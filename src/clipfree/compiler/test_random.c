/* SPDX-License-Identifier: MIT */
/*
 * Random programs through the whole compiler and the interpreter, against a reference that
 * evaluates the lowered NIR for one lane at a time. They have branches and loops with uniform and
 * divergent conditions, breaks and continues anywhere, uniform and varying values, and some have
 * more live values than there are registers. Slices of vertex programs (cf_program_slice) give the
 * same positions. Fragment programs have flat and smooth inputs instead of attributes, and may
 * discard lanes.
 *
 * The reference starts after Mesa's passes, which may change results for NaN and infinity. Special
 * functions are left out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "cf_compiler.h"
#include "cf_nir.h"
#include "clipfree/base/test_random.h"
#include "clipfree/isa/cf_isa.h"
#include "clipfree/shader/cf_program.h"
#include "nir_serialize.h"
#include "test_random_program.h"
#include "util/blob.h"

static struct cf_decoded *
decode(const struct cf_binary *binary)
{
   char error[400];
   struct cf_decoded *program =
      cf_program_decode(&binary->program, binary->code, error, sizeof(error));
   if (!program)
      fail_msg("%s", error);
   return program;
}

static uint64_t whole_instrs, slice_instrs; /* of all programs */

/* The position slice gives the same positions as the whole program, whose results are `whole`. */
static void
check_slice(uint64_t seed, const struct cf_decoded *program, const struct inputs *inputs,
            uint32_t whole[OUTPUTS][LANES])
{
   uint32_t got[OUTPUTS][LANES];
   struct cf_decoded *slice = cf_program_slice(program);
   if (!slice)
      fail_msg("seed %#llx: no slice", (unsigned long long)seed);
   random_run(slice, inputs, NULL, got);
   for (unsigned i = VARYINGS; i < OUTPUTS; i++) {
      for (unsigned lane = 0; lane < LANES; lane++)
         if (got[i][lane] != whole[i][lane])
            fail_msg(
               "seed %#llx: lane %u position %u of the slice is %#x, of the whole program %#x",
               (unsigned long long)seed, lane, i - VARYINGS, got[i][lane], whole[i][lane]);
   }
   whole_instrs += cf_program_info(program)->code_instrs;
   slice_instrs += cf_program_info(slice)->code_instrs;
   cf_program_free(slice);
}

static uint64_t kept_lanes, discarded_lanes; /* of all fragment programs */

static void
check_lane(uint64_t seed, nir_shader *nir, const struct inputs *inputs, unsigned lane, bool alive,
           uint32_t got[OUTPUTS][LANES])
{
   uint32_t expected[OUTPUTS] = { 0 };
   const bool kept = evaluate_lane(nir, inputs, lane, expected);
   if (kept != alive)
      fail_msg("seed %#llx: lane %u is %s", (unsigned long long)seed, lane,
               kept ? "discarded" : "not discarded");
   kept_lanes += kept;
   discarded_lanes += !kept;
   for (unsigned i = 0; i < OUTPUTS && kept; i++) {
      bool is_float = i >= VARYINGS / 2;
      if (is_float ? !random_same_float(got[i][lane], expected[i]) : got[i][lane] != expected[i])
         fail_msg("seed %#llx: lane %u output %u is %#x, expected %#x", (unsigned long long)seed,
                  lane, i, got[i][lane], expected[i]);
   }
}

/* ---- lines */

/* Give each instruction, if and loop a line of its own. */
static void
number_lines(nir_shader *nir)
{
   uint32_t line = 0;
   nir_foreach_block(block, nir_shader_get_entrypoint(nir)) {
      nir_foreach_instr(instr, block)
         instr->lines = ++line;
      nir_if *nif = nir_block_get_following_if(block);
      nir_loop *loop = nir_block_get_following_loop(block);
      if (nif)
         nif->lines = ++line;
      if (loop)
         loop->lines = ++line;
   }
   assert_in_range(line, 1, UINT16_MAX);
   nir->line_marks = rzalloc(nir, struct nir_line_mark);
   nir->line_marks[0] = (struct nir_line_mark){ 1, 0, 0, 1, 1 };
   nir->line_mark_count = 1;
   nir->line_positions = line;
}

static bool
is_of_no_line(uint64_t code)
{
   struct cf_instr instr;
   const char *error;
   assert_true(cf_instr_decode(code, &instr, &error));
   return instr.op == CF_OP_END || (instr.op == CF_OP_SYS && instr.value == CF_SYSVAL_VERTEX_ID);
}

/* Every instruction has one line or two, that there are, in order. */
static void
check_table(uint64_t seed, const struct cf_binary *binary, uint32_t most)
{
   uint32_t at = 0;
   for (uint32_t i = 0; i < binary->program.code_instrs; i++) {
      const uint32_t first = at;
      while (at < binary->line_count && binary->lines[at].instr == i)
         at++;
      if (at - first > 2 || (at == first && !is_of_no_line(binary->code[i])))
         fail_msg("seed %#llx: instruction %u of %u has %u lines", (unsigned long long)seed, i,
                  (unsigned)binary->program.code_instrs, at - first);
      for (uint32_t k = first; k < at; k++)
         assert_in_range(binary->lines[k].line, 1, most);
   }
   assert_int_equal(at, binary->line_count);
}

static struct cf_binary *
compile_with_lines(const nir_shader *nir)
{
   const struct cf_compile_options options = { .lines = true };
   struct cf_binary *binary = cf_compile(nir, &options);
   assert_null(binary->error);
   return binary;
}

/* A shader through NIR's serialisation. */
static nir_shader *
through_blob(const nir_shader *nir, bool strip)
{
   struct blob blob;
   struct blob_reader reader;
   blob_init(&blob);
   nir_serialize(&blob, nir, strip);
   blob_reader_init(&reader, blob.data, blob.size);
   nir_shader *read = nir_deserialize(NULL, nir->options, &reader);
   assert_false(reader.overrun);
   assert_ptr_equal(reader.current, reader.end);
   blob_finish(&blob);
   return read;
}

/* Lines leave the code as it is, and survive serialisation that does not strip them. */
static void
check_lines(uint64_t seed, nir_shader *nir, const struct cf_binary *without)
{
   const size_t code_B = without->program.code_instrs * sizeof(*without->code);
   assert_int_equal(without->line_count, 0);
   number_lines(nir);
   struct cf_binary *with = compile_with_lines(nir);
   assert_int_equal(with->program.code_instrs, without->program.code_instrs);
   assert_memory_equal(with->code, without->code, code_B);
   check_table(seed, with, nir->line_positions);
   for (unsigned strip = 0; strip < 2; strip++) {
      nir_shader *read = through_blob(nir, strip);
      struct cf_binary *again = compile_with_lines(read);
      assert_int_equal(again->program.code_instrs, without->program.code_instrs);
      assert_memory_equal(again->code, without->code, code_B);
      assert_int_equal(again->line_count, strip ? 0 : with->line_count);
      if (!strip)
         assert_memory_equal(again->lines, with->lines, with->line_count * sizeof(*with->lines));
      cf_binary_free(again);
      ralloc_free(read);
   }
   cf_binary_free(with);
}

/* The same results come without passes that may be left out: `off`, bits of enum cf_pass. */
static void
check_without(uint64_t seed, const nir_shader *nir, const struct inputs *inputs, uint32_t off,
              uint32_t alive, uint32_t wanted[OUTPUTS][LANES])
{
   const bool fragment = nir->info.stage == MESA_SHADER_FRAGMENT;
   const struct cf_compile_options options = { .passes_off = off };
   struct cf_binary *binary = cf_compile(nir, &options);
   uint32_t got[OUTPUTS][LANES];
   if (binary->error && !strstr(binary->error, "not supported") && util_bitcount(off) > 1) {
      cf_binary_free(binary); /* without several passes it may exceed a limit */
      return;
   }
   if (binary->error)
      fail_msg("seed %#llx, without %#x: %s", (unsigned long long)seed, off, binary->error);
   struct cf_decoded *program = decode(binary);
   const uint32_t found = random_run(program, inputs, fragment ? binary : NULL, got);
   assert_int_equal(found, alive);
   for (unsigned i = 0; i < OUTPUTS; i++) {
      for (unsigned lane = 0; lane < LANES; lane++) {
         if ((alive >> lane & 1) && got[i][lane] != wanted[i][lane])
            fail_msg("seed %#llx, without passes %#x: output %u, lane %u: %#x, not %#x",
                     (unsigned long long)seed, off, i, lane, got[i][lane], wanted[i][lane]);
      }
   }
   cf_program_free(program);
   cf_binary_free(binary);
}

static void
check(gl_shader_stage stage, uint64_t seed, enum random_kind kind)
{
   const struct cf_compile_options options = { 0 };
   const bool fragment = stage == MESA_SHADER_FRAGMENT;
   random_begin(seed);
   nir_shader *nir = random_program(stage, kind);
   struct inputs inputs;
   random_inputs(stage, &inputs);
   struct cf_binary *binary = cf_compile(nir, &options);
   if (binary->error)
      fail_msg("seed %#llx: %s", (unsigned long long)seed, binary->error);
   uint32_t got[OUTPUTS][LANES];
   struct cf_decoded *program = decode(binary);
   const uint32_t alive = random_run(program, &inputs, fragment ? binary : NULL, got);
   if (!fragment)
      check_slice(seed, program, &inputs, got);
   if (seed % 4 == 0)
      check_lines(seed, nir, binary);
   check_without(seed, nir, &inputs, 1u << seed % CF_PASS_COUNT, alive, got);
   check_without(seed, nir, &inputs, (uint32_t)(seed >> 32), alive, got);
   cf_nir_lower(nir, 0, NULL);
   for (unsigned lane = 0; lane < LANES; lane++)
      check_lane(seed, nir, &inputs, lane, alive >> lane & 1, got);
   cf_program_free(program);
   cf_binary_free(binary);
   ralloc_free(nir);
}

static uint64_t first_seed = 1;
static unsigned programs = 300;

static void
test_random_programs(void **state)
{
   for (unsigned i = 0; i < programs; i++)
      check(MESA_SHADER_VERTEX, (first_seed + i) * 0x9e3779b97f4a7c15ull, RANDOM_USUAL);
   printf("slices have %llu of %llu instructions\n", (unsigned long long)slice_instrs,
          (unsigned long long)whole_instrs);
   assert_true(slice_instrs < whole_instrs);
}

static void
test_more_values_than_registers(void **state)
{
   for (unsigned i = 0; i < programs / 30; i++)
      check(MESA_SHADER_VERTEX, (first_seed + i) * 0x9e3779b97f4a7c15ull, RANDOM_PRESSURE);
}

static void
test_chains(void **state)
{
   struct cf_random seeds = cf_random_seed("compiler-random chains");
   for (unsigned i = 0; i < programs / 10; i++)
      check(i % 2 ? MESA_SHADER_FRAGMENT : MESA_SHADER_VERTEX, cf_random_u64(&seeds) | 1,
            RANDOM_CHAINS);
}

/* Programs of fixed seeds, whose discarded lanes are counted; then as many with new seeds. */
static void
test_random_fragment_programs(void **state)
{
   struct cf_random seeds = cf_random_seed("compiler-random fragment programs");
   kept_lanes = discarded_lanes = 0;
   for (unsigned i = 0; i < programs; i++)
      check(MESA_SHADER_FRAGMENT, (first_seed + i) * 0x9e3779b97f4a7c15ull,
            i % 30 == 29 ? RANDOM_PRESSURE : RANDOM_USUAL);
   printf("%llu lanes ended by a discard, %llu did not\n", (unsigned long long)discarded_lanes,
          (unsigned long long)kept_lanes);
   assert_true(discarded_lanes > programs && kept_lanes > programs);
   for (unsigned i = 0; i < programs; i++)
      check(MESA_SHADER_FRAGMENT, cf_random_u64(&seeds) | 1,
            i % 30 == 29 ? RANDOM_PRESSURE : RANDOM_USUAL);
}

/* Arguments: first seed, number of programs. */
int
main(int argc, char **argv)
{
   if (argc > 1)
      first_seed = strtoull(argv[1], NULL, 0);
   if (argc > 2)
      programs = strtoul(argv[2], NULL, 0);
   printf("seeds from %llu, %u programs\n", (unsigned long long)first_seed, programs);
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_programs),
      cmocka_unit_test(test_more_values_than_registers),
      cmocka_unit_test(test_chains),
      cmocka_unit_test(test_random_fragment_programs),
   };
   glsl_type_singleton_init_or_ref();
   int result = cmocka_run_group_tests(tests, NULL, NULL);
   glsl_type_singleton_decref();
   return result;
}
