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
#include "clipfree/isa/cf_isa.h"
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

/* NULL: it has to be compiled. */
static void
assert_reason(nir_builder *b, const char *reason)
{
   char *error = error_of(b);
   if (error ? !reason || !strstr(error, reason) : reason != NULL)
      fail_msg("%s instead of %s", error ? error : "nothing", reason ? reason : "nothing");
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

/* A number that is known at run time. */
static nir_def *
runtime_int(nir_builder *b)
{
   return nir_f2i32(b, nir_channel(b, nir_load_frag_coord(b), 0));
}

/* Location of the n-th of 43 varyings that have a slot. */
static unsigned
nth_location(unsigned n)
{
   return n < 32 ? VARYING_SLOT_VAR0 + n : VARYING_SLOT_COL0 + n - 32;
}

static nir_def *
load_at(nir_builder *b, unsigned location, nir_def *offset)
{
   return nir_load_input(b, 1, 32, offset, .dest_type = nir_type_float32,
                         .io_semantics = { .location = location, .num_slots = 1 });
}

/* As many varyings as there are, and one more: read, and written by either stage. */
static void
test_varying_slots(void **state)
{
   for (unsigned count = CF_MAX_VARYING_SLOTS; count <= CF_MAX_VARYING_SLOTS + 1; count++) {
      const char *reason =
         count > CF_MAX_VARYING_SLOTS ? "more varying slots than there are" : NULL;
      nir_builder b = fragment_shader();
      nir_def *sum = nir_imm_float(&b, 0);
      for (unsigned n = 0; n < count; n++)
         sum = nir_fadd(&b, sum, load_at(&b, nth_location(n), nir_imm_int(&b, 0)));
      store(&b, sum, FRAG_RESULT_DATA0, 0);
      assert_reason(&b, reason);

      b = nir_builder_init_simple_shader(MESA_SHADER_GEOMETRY, &cf_nir_options, "select");
      b.shader->info.gs.input_primitive = MESA_PRIM_POINTS;
      b.shader->info.gs.output_primitive = MESA_PRIM_POINTS;
      b.shader->info.gs.vertices_in = b.shader->info.gs.vertices_out = 1;
      for (unsigned n = 0; n < count; n++)
         store(&b, nir_imm_float(&b, n), nth_location(n), 0);
      nir_emit_vertex(&b);
      assert_reason(&b, reason);
   }
}

static void
test_attributes(void **state)
{
   for (unsigned n = 31; n <= 32; n++) {
      nir_builder b = nir_builder_init_simple_shader(MESA_SHADER_VERTEX, &cf_nir_options, "select");
      nir_def *value =
         nir_load_input(&b, 4, 32, nir_imm_int(&b, 0), .base = n, .dest_type = nir_type_float32,
                        .io_semantics = { .location = VERT_ATTRIB_GENERIC0, .num_slots = 1 });
      store(&b, value, VARYING_SLOT_POS, 0);
      assert_reason(&b, n == 32 ? "more than 32 vertex attributes" : NULL);
   }
}

/* Which input or output it is has to be known. */
static void
test_indices(void **state)
{
   nir_builder b = fragment_shader();
   store(&b, load_at(&b, VARYING_SLOT_VAR0, runtime_int(&b)), FRAG_RESULT_DATA0, 0);
   assert_reason(&b, "this input is not supported");
   b = fragment_shader();
   store(&b, load_at(&b, VARYING_SLOT_PATCH0, nir_imm_int(&b, 0)), FRAG_RESULT_DATA0, 0);
   assert_reason(&b, "this input is not supported");
   b = fragment_shader();
   nir_store_output(&b, nir_imm_float(&b, 1), runtime_int(&b), .src_type = nir_type_float32,
                    .write_mask = 1,
                    .io_semantics = { .location = FRAG_RESULT_DATA0, .num_slots = 2 });
   assert_reason(&b, "this output is not supported");
   b = nir_builder_init_simple_shader(MESA_SHADER_VERTEX, &cf_nir_options, "select");
   store(&b, load_at(&b, VERT_ATTRIB_GENERIC0, nir_load_instance_id(&b)), VARYING_SLOT_POS, 0);
   assert_reason(&b, "inputs cannot be indexed at run time");
}

/* Eight draw buffers; no location above those of varyings. */
static void
test_last_outputs(void **state)
{
   for (unsigned n = 7; n <= 8; n++) {
      nir_builder b = fragment_shader();
      store(&b, nir_imm_float(&b, 1), FRAG_RESULT_DATA0 + n, 0);
      assert_reason(&b, n == 8 ? "this output is not supported" : NULL);
   }
   nir_builder b = nir_builder_init_simple_shader(MESA_SHADER_VERTEX, &cf_nir_options, "select");
   store(&b, nir_imm_float(&b, 1), VARYING_SLOT_PATCH0, 0);
   assert_reason(&b, "this output is not supported");
}

/* A binary, which has no error. */
static struct cf_binary *
compiled(nir_builder *b, bool lines)
{
   const struct cf_compile_options options = { .lines = lines };
   struct cf_binary *binary = cf_compile(b->shader, &options);
   if (binary->error)
      fail_msg("%s", binary->error);
   ralloc_free(b->shader);
   return binary;
}

static void
assert_same_code(nir_builder *one, nir_builder *other)
{
   struct cf_binary *a = compiled(one, false), *b = compiled(other, false);
   assert_int_equal(a->program.code_instrs, b->program.code_instrs);
   assert_memory_equal(a->code, b->code, a->program.code_instrs * sizeof(*a->code));
   cf_binary_free(a);
   cf_binary_free(b);
}

/* Inputs that are system values: point coordinates are (x, y, 0, 1), a face is 1 or -1. */
static void
test_special_inputs(void **state)
{
   static const struct {
      unsigned location, component;
      uint32_t sysvals;
   } inputs[] = {
      { VARYING_SLOT_POS, 0, 1u << CF_SYSVAL_FRAG_X },
      { VARYING_SLOT_POS, 3, 1u << CF_SYSVAL_FRAG_W },
      { VARYING_SLOT_PNTC, 1, 1u << CF_SYSVAL_POINT_Y },
      { VARYING_SLOT_PNTC, 2, 0 },
      { VARYING_SLOT_FACE, 0, 1u << CF_SYSVAL_FRONT_FACE },
   };
   for (unsigned i = 0; i < ARRAY_SIZE(inputs); i++) {
      nir_builder b = fragment_shader();
      nir_def *value = load_at(&b, inputs[i].location, nir_imm_int(&b, 0));
      nir_intrinsic_set_component(nir_instr_as_intrinsic(value->parent_instr), inputs[i].component);
      store(&b, value, FRAG_RESULT_DATA0, 0);
      struct cf_binary *binary = compiled(&b, false);
      assert_int_equal(binary->program.sysvals, inputs[i].sysvals);
      assert_int_equal(binary->varying_slots, 0);
      cf_binary_free(binary);
   }
   for (unsigned c = 2; c < 4; c++) {
      nir_builder a = fragment_shader(), b = fragment_shader();
      nir_def *value = load_at(&a, VARYING_SLOT_PNTC, nir_imm_int(&a, 0));
      nir_intrinsic_set_component(nir_instr_as_intrinsic(value->parent_instr), c);
      store(&a, value, FRAG_RESULT_DATA0, 0);
      store(&b, nir_imm_float(&b, c == 3), FRAG_RESULT_DATA0, 0);
      assert_same_code(&a, &b);
   }
}

/* ---- uniform blocks */

static nir_def *
load_block(nir_builder *b, nir_def *bank, nir_def *at_B, unsigned bits, unsigned first_B,
           unsigned size_B)
{
   return nir_load_ubo(b, 1, bits, bank, at_B, .align_mul = 4, .range_base = first_B,
                       .range = size_B);
}

static void
test_uniform_blocks(void **state)
{
   for (unsigned bank = 15; bank <= 17; bank++) {
      nir_builder b = fragment_shader();
      nir_def *number = bank == 17 ? runtime_int(&b) : nir_imm_int(&b, bank);
      store(&b, load_block(&b, number, nir_imm_int(&b, 0), 32, 0, ~0u), FRAG_RESULT_DATA0, 0);
      assert_reason(&b, bank > 15 ? "uniform blocks cannot be indexed" : NULL);
   }
}

/* What is indexed is told, if it is known. */
static void
test_arrays(void **state)
{
   static const struct {
      unsigned bank, first_B, size_B, count;
   } arrays[] = {
      { 0, 32, 16, 1 },
      { 0, 32, 0, 0 },
      { 0, 32, UINT32_MAX - 32, 1 },
      { 0, 32, UINT32_MAX - 31, 0 },
      { 1, 32, 16, 0 },
   };
   for (unsigned i = 0; i < ARRAY_SIZE(arrays); i++) {
      nir_builder b = fragment_shader();
      nir_def *at_B = nir_iadd_imm(&b, nir_imul_imm(&b, runtime_int(&b), 4), 32);
      store(&b,
            load_block(&b, nir_imm_int(&b, arrays[i].bank), at_B, 32, arrays[i].first_B,
                       arrays[i].size_B),
            FRAG_RESULT_DATA0, 0);
      struct cf_binary *binary = compiled(&b, true);
      assert_int_equal(binary->array_count, arrays[i].count);
      if (arrays[i].count) {
         assert_int_equal(binary->arrays[0].first_dw, 8);
         assert_int_equal(binary->arrays[0].end_dw, (32 + arrays[i].size_B) / 4);
      }
      cf_binary_free(binary);
   }
}

/* ---- textures */

/* A lookup of unit 0 at (0.5, 0.5) with up to one further source. */
static nir_tex_instr *
look_up(nir_builder *b, nir_texop op, nir_def *source, nir_tex_src_type type)
{
   nir_tex_instr *tex = nir_tex_instr_create(b->shader, source ? 2 : 1);
   nir_def *coordinate = op == nir_texop_txf ? nir_imm_ivec2(b, 1, 1) : nir_imm_vec2(b, 0.5, 0.5);
   tex->op = op;
   tex->sampler_dim = GLSL_SAMPLER_DIM_2D;
   tex->dest_type = nir_type_float32;
   tex->coord_components = 2;
   tex->src[0] = nir_tex_src_for_ssa(nir_tex_src_coord, coordinate);
   if (source)
      tex->src[1] = nir_tex_src_for_ssa(type, source);
   nir_def_init(&tex->instr, &tex->def, 4, 32);
   nir_builder_instr_insert(b, &tex->instr);
   store(b, &tex->def, FRAG_RESULT_DATA0, 0);
   return tex;
}

static void
test_textures(void **state)
{
   nir_builder b = fragment_shader();
   look_up(&b, nir_texop_tex, NULL, 0)->texture_index = CF_MAX_TEXTURE_UNITS - 1;
   assert_reason(&b, NULL);
   b = fragment_shader();
   look_up(&b, nir_texop_tex, NULL, 0)->texture_index = CF_MAX_TEXTURE_UNITS;
   assert_reason(&b, "this texture instruction is not supported");
   b = fragment_shader();
   look_up(&b, nir_texop_tg4, NULL, 0);
   assert_reason(&b, "this texture instruction is not supported");

   static const nir_tex_src_type indices[] = { nir_tex_src_texture_offset,
                                               nir_tex_src_sampler_offset };
   for (unsigned i = 0; i < ARRAY_SIZE(indices); i++) {
      b = fragment_shader();
      look_up(&b, nir_texop_tex, runtime_int(&b), indices[i]);
      assert_reason(&b, "samplers cannot be indexed at run time");
   }
   b = fragment_shader();
   nir_def *offset = runtime_int(&b);
   look_up(&b, nir_texop_tex, nir_vec2(&b, offset, offset), nir_tex_src_offset);
   assert_reason(&b, "texel offsets must be constant");
   b = fragment_shader();
   look_up(&b, nir_texop_tex, nir_imm_ivec2(&b, -8, 7), nir_tex_src_offset);
   assert_reason(&b, NULL);
}

/* The program as instructions were selected, without numbers. */
struct selected {
   char text[2048];
};

static void
keep_selected(void *user, const char *stage, const char *text)
{
   if (!strcmp(stage, "cf_from_nir"))
      snprintf(((struct selected *)user)->text, sizeof(((struct selected *)user)->text), "%s",
               text);
}

static void
assert_selected(nir_builder *b, const char *expected)
{
   struct selected selected = { "" };
   const struct cf_compile_options options = { .look = keep_selected, .user = &selected };
   struct cf_binary *binary = cf_compile(b->shader, &options);
   if (binary->error)
      fail_msg("%s", binary->error);
   if (!strstr(selected.text, expected))
      fail_msg("%s in\n%s", expected, selected.text);
   cf_binary_free(binary);
   ralloc_free(b->shader);
}

/* By the number of coordinates without a layer. */
static const enum glsl_sampler_dim dims[] = {
   [1] = GLSL_SAMPLER_DIM_1D,
   [2] = GLSL_SAMPLER_DIM_2D,
   [3] = GLSL_SAMPLER_DIM_3D,
};

/* Operands in the order s, t, r, q (isa.toml): the coordinates, the layer, then the reference, for
 * which there is r, or q if r is taken; q has the level too, unless the reference is there. */
static const struct {
   unsigned components; /* 10 and on */
   bool array;
   nir_texop op;
   nir_tex_src_type sources[2];
   unsigned count; /* of sources, 20 and 21 */
   const char *expected;
} lookups[] = {
   { 1, false, nir_texop_tex, { 0 }, 0, "10, 0, 0, 0, unit 0 mode 0 " },
   { 2, true, nir_texop_tex, { 0 }, 0, "10, 11, 0, 0, unit 0 mode 0 " },
   { 3, false, nir_texop_tex, { 0 }, 0, "10, 11, 12, 0, unit 0 mode 0 " },
   { 3, true, nir_texop_tex, { 0 }, 0, "10, 11, 12, 0, unit 0 mode 0 " },
   { 2, false, nir_texop_tex, { nir_tex_src_comparator }, 1, "10, 11, 20, 0, unit 0 mode 0 " },
   { 3, true, nir_texop_tex, { nir_tex_src_comparator }, 1, "10, 11, 12, 20, unit 0 mode 0 " },
   { 2, false, nir_texop_txb, { nir_tex_src_bias }, 1, "10, 11, 0, 20, unit 0 mode 2 " },
   { 2, false, nir_texop_txl, { nir_tex_src_lod }, 1, "10, 11, 0, 20, unit 0 mode 4 " },
   { 2, false, nir_texop_tex, { nir_tex_src_projector }, 1, "10, 11, 0, 20, unit 0 mode 6 " },
   { 3,
     true,
     nir_texop_txl,
     { nir_tex_src_comparator, nir_tex_src_lod },
     2,
     "10, 11, 12, 20, unit 0 mode 5 " },
   { 3,
     true,
     nir_texop_txl,
     { nir_tex_src_comparator, nir_tex_src_lod },
     2,
     "grad    21, gradient 6\n" },
   { 3,
     true,
     nir_texop_txl,
     { nir_tex_src_comparator, nir_tex_src_lod },
     2,
     "grad    0, gradient 7\n" },
};

static void
test_texture_operands(void **state)
{
   for (unsigned i = 0; i < ARRAY_SIZE(lookups); i++) {
      nir_builder b = fragment_shader();
      nir_tex_instr *tex = nir_tex_instr_create(b.shader, 1 + lookups[i].count);
      nir_def *at[3];
      for (unsigned c = 0; c < 3; c++)
         at[c] = nir_imm_int(&b, 10 + c);
      tex->op = lookups[i].op;
      tex->sampler_dim = dims[lookups[i].components - lookups[i].array];
      tex->is_array = lookups[i].array;
      tex->dest_type = nir_type_float32;
      tex->coord_components = lookups[i].components;
      tex->src[0] = nir_tex_src_for_ssa(nir_tex_src_coord, nir_vec(&b, at, lookups[i].components));
      for (unsigned n = 0; n < lookups[i].count; n++) {
         tex->is_shadow |= lookups[i].sources[n] == nir_tex_src_comparator;
         tex->src[1 + n] = nir_tex_src_for_ssa(lookups[i].sources[n], nir_imm_int(&b, 20 + n));
      }
      tex->is_new_style_shadow = tex->is_shadow;
      nir_def_init(&tex->instr, &tex->def, tex->is_shadow ? 1 : 4, 32);
      nir_builder_instr_insert(&b, &tex->instr);
      store(&b, &tex->def, FRAG_RESULT_DATA0, 0);
      assert_selected(&b, lookups[i].expected);
   }
}

/* A fetch without a level is one of level 0. */
static void
test_fetch(void **state)
{
   nir_builder a = fragment_shader(), b = fragment_shader();
   look_up(&a, nir_texop_txf, NULL, 0);
   look_up(&b, nir_texop_txf, nir_imm_int(&b, 0), nir_tex_src_lod);
   assert_same_code(&a, &b);
}

/* ---- operations */

static void
test_operations(void **state)
{
   nir_builder b = fragment_shader();
   store(&b, nir_fsin_agx(&b, nir_i2f32(&b, runtime_int(&b))), FRAG_RESULT_DATA0, 0);
   assert_reason(&b, "this operation is not supported");
   b = fragment_shader();
   store(&b, nir_u2u32(&b, nir_imul(&b, nir_u2u8(&b, runtime_int(&b)), nir_imm_intN_t(&b, 3, 8))),
         FRAG_RESULT_DATA0, 0);
   assert_reason(&b, "only scalar operations of 32 bits are supported");
   b = fragment_shader();
   nir_def *wide = load_block(&b, nir_imm_int(&b, 0), nir_imm_int(&b, 0), 64, 0, ~0u);
   store(&b, nir_unpack_64_2x32_split_x(&b, wide), FRAG_RESULT_DATA0, 0);
   assert_reason(&b, "values of 64 bits are not supported");
   b = fragment_shader();
   nir_push_if(&b, nir_load_front_face(&b, 1));
   nir_jump(&b, nir_jump_halt);
   nir_pop_if(&b, NULL);
   store(&b, nir_imm_float(&b, 1), FRAG_RESULT_DATA0, 0);
   assert_reason(&b, "this kind of jump is not known");
}

/* What is below infinity without its sign; NaN is not. */
static void
test_finite(void **state)
{
   nir_builder b = fragment_shader();
   nir_def *x = nir_channel(&b, nir_load_frag_coord(&b), 0);
   store(&b, nir_b2f32(&b, nir_fisfinite(&b, x)), FRAG_RESULT_DATA0, 0);
   assert_selected(&b, "   4:   fabs    %v4, %v0\n   5:   flt     %v5, %v4, 0x7f800000(inf)\n");
}

/* GLSL's fine and coarse derivatives; others are fine where arithmetic reads them, and coarse where
 * only lookups do, as those of the texture unit are. */
static void
test_derivatives(void **state)
{
   static const struct {
      nir_intrinsic_op op;
      const char *arithmetic, *gradient;
   } cases[] = {
      { nir_intrinsic_ddx, "fddx ", "fddxc " },
      { nir_intrinsic_ddy, "fddy ", "fddyc " },
      { nir_intrinsic_ddx_fine, "fddx ", "fddx " },
      { nir_intrinsic_ddy_fine, "fddy ", "fddy " },
      { nir_intrinsic_ddx_coarse, "fddxc ", "fddxc " },
      { nir_intrinsic_ddy_coarse, "fddyc ", "fddyc " },
   };
   for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
      for (unsigned gradient = 0; gradient < 2; gradient++) {
         nir_builder b = fragment_shader();
         nir_def *x = load_at(&b, VARYING_SLOT_VAR0, nir_imm_int(&b, 0));
         nir_intrinsic_instr *d = nir_intrinsic_instr_create(b.shader, cases[i].op);
         d->num_components = 1;
         d->src[0] = nir_src_for_ssa(nir_fmul(&b, x, x));
         nir_def_init(&d->instr, &d->def, 1, 32);
         nir_builder_instr_insert(&b, &d->instr);
         if (gradient) {
            nir_def *pair = nir_vec2(&b, &d->def, &d->def);
            nir_tex_instr *tex = nir_tex_instr_create(b.shader, 3);
            tex->op = nir_texop_txd;
            tex->sampler_dim = GLSL_SAMPLER_DIM_2D;
            tex->dest_type = nir_type_float32;
            tex->coord_components = 2;
            tex->src[0] = nir_tex_src_for_ssa(nir_tex_src_coord, nir_imm_vec2(&b, 0, 0));
            tex->src[1] = nir_tex_src_for_ssa(nir_tex_src_ddx, pair);
            tex->src[2] = nir_tex_src_for_ssa(nir_tex_src_ddy, pair);
            nir_def_init(&tex->instr, &tex->def, 4, 32);
            nir_builder_instr_insert(&b, &tex->instr);
            store(&b, &tex->def, FRAG_RESULT_DATA0, 0);
         } else {
            store(&b, nir_fadd_imm(&b, &d->def, 1), FRAG_RESULT_DATA0, 0);
         }
         assert_selected(&b, gradient ? cases[i].gradient : cases[i].arithmetic);
      }
   }
}

/* ---- geometry */

static nir_builder
geometry_shader(void)
{
   nir_builder b = nir_builder_init_simple_shader(MESA_SHADER_GEOMETRY, &cf_nir_options, "select");
   b.shader->info.gs.input_primitive = MESA_PRIM_LINES;
   b.shader->info.gs.output_primitive = MESA_PRIM_LINE_STRIP;
   b.shader->info.gs.vertices_in = 2;
   b.shader->info.gs.vertices_out = 3;
   return b;
}

/* An input that is indexed takes all slots of its array; point sizes and layers take none, and
 * viewports are left out. */
static void
test_geometry_slots(void **state)
{
   for (unsigned size = 0; size < 2; size++) {
      nir_builder b = geometry_shader();
      nir_def *index = nir_umin(&b, nir_load_primitive_id(&b), nir_imm_int(&b, 2));
      nir_def *value = nir_load_per_vertex_input(
         &b, 4, 32, nir_imm_int(&b, 1), index, .dest_type = nir_type_float32,
         .io_semantics = { .location = VARYING_SLOT_VAR4, .num_slots = 3 });
      store(&b, value, VARYING_SLOT_POS, 0);
      store(&b, nir_load_invocation_id(&b), VARYING_SLOT_VIEWPORT, 0);
      store(&b, nir_imm_float(&b, 1), VARYING_SLOT_VAR2, 0);
      if (size)
         store(&b, nir_imm_float(&b, 4), VARYING_SLOT_PSIZ, 0);
      nir_emit_vertex(&b);
      nir_end_primitive(&b);
      struct cf_binary *binary = compiled(&b, false);
      assert_int_equal(binary->input_slots, 3);
      for (unsigned i = 0; i < 3; i++)
         assert_int_equal(binary->input_location[i], VARYING_SLOT_VAR4 + i);
      assert_int_equal(binary->varying_slots, 1);
      assert_int_equal(binary->location[0], VARYING_SLOT_VAR2);
      assert_int_equal(binary->writes_point_size, size);
      assert_int_equal(binary->program.raster_point_size, !size);
      assert_false(binary->writes_layer);
      assert_int_equal(binary->program.output_prim, CF_PRIM_KIND_LINE_STRIP);
      assert_int_equal(binary->program.input_vertices, 2);
      assert_int_equal(binary->program.max_vertices, 3);
      cf_binary_free(binary);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_system_values),
      cmocka_unit_test(test_interpolation_at_samples),
      cmocka_unit_test(test_outputs),
      cmocka_unit_test(test_second_color),
      cmocka_unit_test(test_locations),
      cmocka_unit_test(test_known),
      cmocka_unit_test(test_selected_zero),
      cmocka_unit_test(test_no_component),
      cmocka_unit_test(test_varying_slots),
      cmocka_unit_test(test_attributes),
      cmocka_unit_test(test_indices),
      cmocka_unit_test(test_last_outputs),
      cmocka_unit_test(test_special_inputs),
      cmocka_unit_test(test_uniform_blocks),
      cmocka_unit_test(test_arrays),
      cmocka_unit_test(test_textures),
      cmocka_unit_test(test_texture_operands),
      cmocka_unit_test(test_finite),
      cmocka_unit_test(test_derivatives),
      cmocka_unit_test(test_geometry_slots),
      cmocka_unit_test(test_fetch),
      cmocka_unit_test(test_operations),
   };
   glsl_type_singleton_init_or_ref();
   int result = cmocka_run_group_tests(tests, NULL, NULL);
   glsl_type_singleton_decref();
   return result;
}
