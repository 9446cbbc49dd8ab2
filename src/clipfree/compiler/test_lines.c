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

#include <stdlib.h>

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

/* A phi has the lines of its assignments, or else those of what it chooses from; what names a
 * variable for debuggers has none. */
static void
test_phi(void **state)
{
   for (unsigned known = 0; known < 2; known++) {
      nir_builder b = fragment_shader();
      nir_def *chosen = on_line(input(&b, 0), 20), *other = on_line(input(&b, 1), 21);
      nir_if *nif = nir_push_if(&b, on_line(nir_load_front_face(&b, 1), 19));
      nir_pop_if(&b, nif);
      nir_def *phi = nir_if_phi(&b, chosen, other);
      if (known) {
         nir_foreach_phi_src(src, nir_instr_as_phi(phi->parent_instr)) src->lines =
            src->src.ssa == chosen ? 22 : 23 | NIR_LINE_LOWP;
      }
      output(&b, phi);
      cf_fill_lines(b.impl);
      const uint32_t first = known ? 22 : 20, lines = lines_of(phi);
      assert_true(lines == (first | (first + 1) << 16) || lines == (first + 1 | first << 16));
      ralloc_free(b.shader);
   }
}

static void
test_names(void **state)
{
   for (unsigned named = 0; named < 2; named++) {
      nir_builder b = fragment_shader();
      nir_store_scratch(&b, on_line(input(&b, 0), 6), nir_imm_int(&b, 0), .align_mul = 4,
                        .write_mask = 1);
      nir_instr *stored = nir_builder_last_instr(&b);
      stored->lines = 0; /* the builder takes those of what is before it */
      nir_instr_as_intrinsic(stored)->name = named ? "x" : NULL;
      cf_fill_lines(b.impl);
      assert_int_equal(stored->lines, named ? 0 : 6);
      ralloc_free(b.shader);
   }
}

/* ---- what is told of code */

/* A program of instructions with these lines. */
static struct cf_ir *
program_of(const uint32_t *lines, unsigned count)
{
   struct cf_ir *ir = cf_ir_create(NULL);
   for (unsigned i = 0; i < count; i++) {
      ir->from.lines = lines[i];
      cf_ir_append(ir, CF_OP_END, CF_NO_VREG, 0, NULL);
   }
   return ir;
}

/* Of two lines' precisions the higher; nothing if all are high. */
static void
test_precisions(void **state)
{
   enum { MEDIUM = NIR_LINE_MEDIUMP, LOW = NIR_LINE_LOWP };
   static const uint32_t lines[] = {
      0, 5, 5 | MEDIUM, 5 | LOW, 5 | MEDIUM | (6 | LOW) << 16, 5 | LOW | 6 << 16
   };
   static const uint8_t expected[] = { CF_NOTE_HIGHP, CF_NOTE_HIGHP,   CF_NOTE_MEDIUMP,
                                       CF_NOTE_LOWP,  CF_NOTE_MEDIUMP, CF_NOTE_HIGHP };
   struct cf_ir *ir = program_of(lines, ARRAY_SIZE(lines));
   struct cf_binary binary = { 0 };
   cf_describe_precisions(ir, &binary);
   assert_memory_equal(binary.precisions, expected, sizeof(expected));
   free(binary.precisions);
   ir->count = 2;
   cf_describe_precisions(ir, &binary);
   assert_null(binary.precisions);
   ralloc_free(ir);
}

/* Positions are lines from the last mark on; before the first, and of objects whose number is too
 * large, they are none. A string's number is at most 65535. */
static void
test_table(void **state)
{
   static const uint32_t lines[] = { 0, 4, 5, 9, 10 | 12 << 16, 12 | 12 << 16, 20 };
   static const struct cf_note_line expected[] = {
      { 2, 3, 65535, 100, 1 }, { 3, 3, 65535, 104, 5 }, { 4, 4, 0, 7, 2 },
      { 4, 4, 0, 9, 4 },       { 5, 4, 0, 9, 4 },
   };
   nir_builder b = fragment_shader();
   struct nir_line_mark marks[] = { { 5, 3, 70000, 100, 1 },
                                    { 10, 4, 0, 7, 2 },
                                    { 20, 65536, 0, 1, 1 } };
   struct cf_ir *ir = program_of(lines, ARRAY_SIZE(lines));
   struct cf_binary binary = { 0 };
   cf_describe_lines(ir, b.shader, &binary);
   assert_null(binary.lines);
   b.shader->line_marks = marks;
   b.shader->line_mark_count = ARRAY_SIZE(marks);
   cf_describe_lines(ir, b.shader, &binary);
   assert_int_equal(binary.line_count, ARRAY_SIZE(expected));
   assert_memory_equal(binary.lines, expected, sizeof(expected));
   free(binary.lines);
   ralloc_free(ir);
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
      cmocka_unit_test(test_phi),
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_precisions),
      cmocka_unit_test(test_table),
   };
   glsl_type_singleton_init_or_ref();
   int result = cmocka_run_group_tests(tests, NULL, NULL);
   glsl_type_singleton_decref();
   return result;
}
