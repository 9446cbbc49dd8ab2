/* SPDX-License-Identifier: MIT */
/*
 * Unsupported instructions are errors that name the instruction; they never give a made-up value.
 * What Mesa's rules make of a selection has the bits that were selected.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "cf_compiler.h"
#include "compiler/nir/nir_builder.h"

static nir_builder
fragment_shader(void)
{
   return nir_builder_init_simple_shader(MESA_SHADER_FRAGMENT, &cf_nir_options, "select");
}

static void
store(nir_builder *b, nir_def *value, unsigned location, unsigned dual_source)
{
   nir_store_output(b, value, nir_imm_int(b, 0), .src_type = nir_type_float32,
                    .write_mask = BITFIELD_MASK(value->num_components),
                    .io_semantics = { .location = location,
                                      .num_slots = 1,
                                      .dual_source_blend_index = dual_source });
}

/* The error of compiling b's shader; NULL: it was compiled. The caller frees it. */
static char *
error_of(nir_builder *b)
{
   const struct cf_compile_options options = { 0 };
   struct cf_binary *binary = cf_compile(b->shader, &options);
   char *error = binary->error ? strdup(binary->error) : NULL;
   cf_binary_free(binary);
   ralloc_free(b->shader);
   return error;
}

static void
assert_refused(nir_builder *b, const char *name)
{
   char *error = error_of(b);
   if (!error)
      fail_msg("%s was compiled", name);
   assert_non_null(strstr(error, name));
   assert_non_null(strstr(error, "not supported"));
   free(error);
}

/* NIR that is not valid: the second component of a number. */
static void
test_no_component(void **state)
{
   nir_builder b = fragment_shader();
   nir_def *x = nir_fadd_imm(&b, nir_channel(&b, nir_load_frag_coord(&b), 0), 1);
   nir_def *product = nir_fmul(&b, x, nir_fsqrt(&b, x));
   nir_instr_as_alu(product->parent_instr)->src[0].swizzle[0] = 1;
   store(&b, product, FRAG_RESULT_DATA0, 0);
   assert_refused(&b, "fadd");
}

static void
test_system_values(void **state)
{
   static const struct {
      nir_intrinsic_op op;
      const char *name;
      unsigned components;
   } unknown[] = {
      { nir_intrinsic_load_sample_id, "load_sample_id", 1 },
      { nir_intrinsic_load_sample_pos, "load_sample_pos", 2 },
      { nir_intrinsic_load_sample_mask_in, "load_sample_mask_in", 1 },
      { nir_intrinsic_load_layer_id, "load_layer_id", 1 },
      { nir_intrinsic_load_draw_id, "load_draw_id", 1 },
      { nir_intrinsic_load_base_vertex, "load_base_vertex", 1 },
      { nir_intrinsic_load_is_indexed_draw, "load_is_indexed_draw", 1 },
   };
   for (unsigned i = 0; i < ARRAY_SIZE(unknown); i++) {
      nir_builder b = fragment_shader();
      store(&b, nir_load_system_value(&b, unknown[i].op, 0, unknown[i].components, 32), FRAG_RESULT_DATA0, 0);
      assert_refused(&b, unknown[i].name);
   }
}

static void
test_interpolation_at_samples(void **state)
{
   nir_builder b = fragment_shader();
   nir_def *place = nir_load_barycentric_sample(&b, 32, .interp_mode = INTERP_MODE_SMOOTH);
   store(&b,
         nir_load_interpolated_input(
            &b, 4, 32, place, nir_imm_int(&b, 0), .dest_type = nir_type_float32,
            .io_semantics = { .location = VARYING_SLOT_VAR0, .num_slots = 1 }),
         FRAG_RESULT_DATA0, 0);
   assert_refused(&b, "load_barycentric_sample");
}

static void
test_outputs(void **state)
{
   static const unsigned unknown[] = { FRAG_RESULT_STENCIL, FRAG_RESULT_SAMPLE_MASK };
   for (unsigned i = 0; i < ARRAY_SIZE(unknown); i++) {
      nir_builder b = fragment_shader();
      store(&b, nir_imm_float(&b, 1.0f), unknown[i], 0);
      assert_refused(&b, "store_output");
   }
}

/* The second colour of a draw buffer is output 1, also beside a colour for all draw buffers. */
static void
test_second_color(void **state)
{
   static const unsigned first[] = { FRAG_RESULT_DATA0, FRAG_RESULT_COLOR };
   for (unsigned i = 0; i < ARRAY_SIZE(first); i++) {
      const struct cf_compile_options options = { 0 };
      nir_builder b = fragment_shader();
      store(&b, nir_imm_vec4(&b, 1, 1, 1, 1), first[i], 1);
      store(&b, nir_imm_vec4(&b, 0, 0, 0, 0), first[i], 0);
      struct cf_binary *binary = cf_compile(b.shader, &options);
      assert_null(binary->error);
      assert_int_equal(binary->program.color_outputs, 3);
      assert_int_equal(binary->program.outputs, 8);
      assert_int_equal(binary->program.color0_to_all, first[i] == FRAG_RESULT_COLOR);
      cf_binary_free(binary);
      ralloc_free(b.shader);
   }
}

/* Varyings that the rasteriser would have to take into account, or to generate. */
static void
test_locations(void **state)
{
   static const unsigned unknown[] = {
      VARYING_SLOT_LAYER,      VARYING_SLOT_VIEWPORT,
      VARYING_SLOT_CULL_DIST0, VARYING_SLOT_CULL_DIST1,
   };
   for (unsigned i = 0; i < ARRAY_SIZE(unknown); i++) {
      nir_builder vertex =
         nir_builder_init_simple_shader(MESA_SHADER_VERTEX, &cf_nir_options, "select");
      store(&vertex, nir_imm_float(&vertex, 0.0f), unknown[i], 0);
      assert_refused(&vertex, "store_output");
      nir_builder b = fragment_shader();
      store(&b,
            nir_load_input(&b, 1, 32, nir_imm_int(&b, 0), .dest_type = nir_type_float32,
                           .io_semantics = { .location = unknown[i], .num_slots = 1 }),
            FRAG_RESULT_DATA0, 0);
      assert_refused(&b, "load_input");
   }
}

/* The same shaders without the unsupported instructions. */
static void
test_known(void **state)
{
   nir_builder b = fragment_shader();
   nir_def *place = nir_load_barycentric_pixel(&b, 32, .interp_mode = INTERP_MODE_SMOOTH);
   store(&b,
         nir_load_interpolated_input(
            &b, 4, 32, place, nir_imm_int(&b, 0), .dest_type = nir_type_float32,
            .io_semantics = { .location = VARYING_SLOT_VAR0, .num_slots = 1 }),
         FRAG_RESULT_DATA0, 0);
   store(&b, nir_load_system_value(&b, nir_intrinsic_load_front_face, 0, 1, 1), FRAG_RESULT_DEPTH,
         0);
   char *error = error_of(&b);
   if (error)
      fail_msg("%s", error);
}

/* Whether -1.0 or `zero`, selected, becomes arithmetic. */
static bool
is_computed(float zero)
{
   nir_builder b = fragment_shader();
   nir_def *front = nir_load_front_face(&b, 1);
   store(&b, nir_bcsel(&b, front, nir_imm_float(&b, zero), nir_imm_float(&b, -1)),
         FRAG_RESULT_DATA0, 0);
   const bool changed = nir_opt_algebraic(b.shader);
   ralloc_free(b.shader);
   return changed;
}

/* -b2f(!front) is -0.0 or -1.0, and 0 and 0xbf800000 may be integers
 * (nir-0-is-not-0.0-where-it-is-selected.patch). */
static void
test_selected_zero(void **state)
{
   assert_true(is_computed(-0.0f));
   assert_false(is_computed(0.0f));
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_system_values), cmocka_unit_test(test_interpolation_at_samples),
      cmocka_unit_test(test_outputs),       cmocka_unit_test(test_second_color),
      cmocka_unit_test(test_locations),     cmocka_unit_test(test_known),
      cmocka_unit_test(test_selected_zero), cmocka_unit_test(test_no_component),
   };
   glsl_type_singleton_init_or_ref();
   int result = cmocka_run_group_tests(tests, NULL, NULL);
   glsl_type_singleton_decref();
   return result;
}
