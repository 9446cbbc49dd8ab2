/* SPDX-License-Identifier: MIT */
/*
 * Instructions that no line of the source has left take those of the data flow: of their sources,
 * then of their uses, then of constants.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cf_compiler.h"
#include "cf_from_nir.h"
#include "compiler/nir/nir_builder.h"

static nir_builder
fragment_shader(void)
{
   return nir_builder_init_simple_shader(MESA_SHADER_FRAGMENT, &cf_nir_options, "lines");
}

static nir_def *
input(nir_builder *b, unsigned slot)
{
   nir_def *place = nir_load_barycentric_pixel(b, 32, .interp_mode = INTERP_MODE_SMOOTH);
   return nir_load_interpolated_input(
      b, 1, 32, place, nir_imm_int(b, 0), .dest_type = nir_type_float32,
      .io_semantics = { .location = VARYING_SLOT_VAR0 + slot, .num_slots = 1 });
}

static nir_instr *
output(nir_builder *b, nir_def *value)
{
   nir_store_output(b, value, nir_imm_int(b, 0), .src_type = nir_type_float32, .write_mask = 1,
                    .io_semantics = { .location = FRAG_RESULT_DATA0, .num_slots = 1 });
   return nir_builder_last_instr(b);
}

static nir_def *
on_line(nir_def *def, uint32_t lines)
{
   def->parent_instr->lines = lines;
   return def;
}

static uint32_t
lines_of(const nir_def *def)
{
   return def->parent_instr->lines;
}

/* What is stored has the line of the sum, so have what it reads, and what that reads. */
static void
test_sources_and_uses(void **state)
{
   nir_builder b = fragment_shader();
   nir_def *a = input(&b, 0), *c = input(&b, 1), *unused = input(&b, 2);
   nir_def *negated = nir_fneg(&b, a);
   nir_def *sum = on_line(nir_fadd(&b, negated, c), 5);
   nir_instr *stored = output(&b, sum);
   cf_fill_lines(b.impl);
   assert_int_equal(stored->lines, 5);
   assert_int_equal(lines_of(negated), 5);
   assert_int_equal(lines_of(a), 5);
   assert_int_equal(lines_of(c), 5);
   assert_int_equal(lines_of(unused), 0);
   ralloc_free(b.shader);
}

/* A value of two uses has both lines; lines that there are stay. */
static void
test_two_uses(void **state)
{
   nir_builder b = fragment_shader();
   nir_def *a = input(&b, 0), *kept = on_line(input(&b, 1), 3);
   nir_def *first = on_line(nir_fmul(&b, a, kept), 7), *second = on_line(nir_fadd(&b, a, first), 8);
   output(&b, second)->lines = 9;
   cf_fill_lines(b.impl);
   assert_true(lines_of(a) == (7 | 8 << 16) || lines_of(a) == (8 | 7 << 16));
   assert_int_equal(lines_of(kept), 3);
   assert_int_equal(lines_of(first), 7);
   ralloc_free(b.shader);
}

/* A constant's line counts last: it is made once for all lines that use it. */
static void
test_constants(void **state)
{
   nir_builder b = fragment_shader();
   nir_def *constant = on_line(nir_imm_float(&b, 0.5), 2);
   nir_instr *alone = output(&b, constant);
   nir_def *product = nir_fmul(&b, on_line(input(&b, 0), 6), constant);
   output(&b, product);
   cf_fill_lines(b.impl);
   assert_int_equal(alone->lines, 2);
   assert_int_equal(lines_of(product), 6);
   ralloc_free(b.shader);
}

/* A condition's if has its line, a loop that of its first instruction. */
static void
test_flow(void **state)
{
   nir_builder b = fragment_shader();
   nir_def *condition = on_line(nir_flt(&b, input(&b, 0), nir_imm_float(&b, 1)), 4);
   nir_loop *loop = nir_push_loop(&b);
   nir_def *value = input(&b, 1);
   nir_def *sum = on_line(nir_fadd(&b, value, value), 11);
   output(&b, sum);
   nir_if *nif = nir_push_if(&b, condition);
   nir_jump(&b, nir_jump_break);
   nir_pop_if(&b, nif);
   nir_pop_loop(&b, loop);
   cf_fill_lines(b.impl);
   assert_int_equal(nif->lines, 4);
   assert_int_equal(loop->lines, 11);
   ralloc_free(b.shader);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sources_and_uses),
      cmocka_unit_test(test_two_uses),
      cmocka_unit_test(test_constants),
      cmocka_unit_test(test_flow),
   };
   glsl_type_singleton_init_or_ref();
   int result = cmocka_run_group_tests(tests, NULL, NULL);
   glsl_type_singleton_decref();
   return result;
}
