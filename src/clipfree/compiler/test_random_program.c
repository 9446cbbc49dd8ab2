/* SPDX-License-Identifier: MIT */
#include "test_random_program.h"

#include <string.h>

#include "cf_compiler.h"

/* ---- random numbers: xorshift64* */

static uint64_t random_state;
static const uint8_t *fed_at;
static size_t fed_B;

void
random_begin(uint64_t seed)
{
   random_state = seed;
   fed_B = 0;
}

void
random_feed(const uint8_t *bytes, size_t size_B)
{
   fed_at = bytes;
   fed_B = size_B;
}

static uint32_t
random_u32(void)
{
   uint32_t fed;
   if (fed_B >= sizeof(fed)) {
      memcpy(&fed, fed_at, sizeof(fed));
      fed_at += sizeof(fed);
      fed_B -= sizeof(fed);
      return fed;
   }
   random_state ^= random_state >> 12;
   random_state ^= random_state << 25;
   random_state ^= random_state >> 27;
   return (uint32_t)(random_state * 0x2545f4914f6cdd1dull >> 32);
}

static unsigned
below(unsigned n)
{
   return random_u32() % n;
}

static uint32_t
interesting_bits(void)
{
   static const uint32_t values[] = { 0,          1,          2,          0xffffffff, 0x80000000,
                                      0x7fffffff, 0x3f800000, 0xbf800000, 0x3fc00000, 0x40490fdb };
   return below(3) ? below(16) : below(2) ? values[below(ARRAY_SIZE(values))] : random_u32();
}

/* ---- generating programs */

struct generator {
   nir_builder b;
   nir_variable *ints[VARIABLES], *floats[VARIABLES];
   unsigned loops;
   unsigned budget; /* statements left */
};

static nir_def *int_expression(struct generator *g, unsigned depth);
static nir_def *float_expression(struct generator *g, unsigned depth);

static nir_def *
condition(struct generator *g, unsigned depth)
{
   nir_builder *b = &g->b;
   switch (below(6)) {
   case 0:
      return nir_ilt(b, int_expression(g, depth), int_expression(g, depth));
   case 1:
      return nir_ieq(b, int_expression(g, depth), int_expression(g, depth));
   case 2:
      return nir_flt(b, float_expression(g, depth), float_expression(g, depth));
   case 3:
      return nir_fge(b, float_expression(g, depth), float_expression(g, depth));
   case 4:
      return nir_inot(b, nir_ult(b, int_expression(g, depth), int_expression(g, depth)));
   default:
      return nir_fneu(b, float_expression(g, depth), float_expression(g, depth));
   }
}

static nir_def *
load_uniform(struct generator *g, nir_def *offset_B)
{
   nir_def *buffer = nir_imm_int(&g->b, 0);
   return nir_load_ubo(&g->b, 1, 32, buffer, offset_B, .align_mul = 4, .range = ~0);
}

/* Two uniforms at constants and one offset, negative or not, which a condition selects. */
static nir_def *
selected_uniforms(struct generator *g)
{
   nir_builder *b = &g->b;
   nir_def *back = nir_imm_int(b, -4 * (int)below(40)), *on = nir_imm_int(b, 4 * below(10));
   nir_def *offset = nir_bcsel(b, condition(g, 0), back, on);
   nir_def *first = load_uniform(g, nir_iadd_imm(b, offset, 4 * below(40)));
   return nir_ixor(b, first, load_uniform(g, nir_iadd_imm(b, offset, 4 * below(40))));
}

static nir_def *
uniform(struct generator *g)
{
   nir_builder *b = &g->b;
   if (!below(20))
      return selected_uniforms(g);
   nir_def *offset = nir_imm_int(b, 4 * below(UNIFORMS));
   if (!below(5)) { /* a run-time index, sometimes divergent, sometimes out of bounds */
      static const unsigned element_B[] = { 4, 16, 12, 64 };
      nir_def *index = nir_iand_imm(b, int_expression(g, 0), 63);
      offset = nir_imul_imm(b, nir_iadd_imm(b, index, (int)below(20) - 10), element_B[below(4)]);
      offset = nir_iadd_imm(b, offset, 4 * below(40));
   }
   return load_uniform(g, offset);
}

static nir_def *
fragment_input(struct generator *g)
{
   nir_builder *b = &g->b;
   const unsigned n = below(ATTRIBUTES);
   const nir_io_semantics semantics = { .location = VARYING_SLOT_VAR0 + n, .num_slots = 1 };
   nir_def *zero = nir_imm_int(b, 0), *load;
   if (n == SMOOTH)
      load = nir_load_interpolated_input(
         b, 4, 32, nir_load_barycentric_pixel(b, 32, .interp_mode = INTERP_MODE_SMOOTH), zero,
         .base = n, .dest_type = nir_type_float32, .io_semantics = semantics);
   else
      load = nir_load_input(b, 4, 32, zero, .base = n, .dest_type = nir_type_float32,
                            .io_semantics = semantics);
   return nir_channel(b, load, below(4));
}

static nir_def *
attribute(struct generator *g)
{
   nir_builder *b = &g->b;
   if (b->shader->info.stage == MESA_SHADER_FRAGMENT)
      return fragment_input(g);
   unsigned n = below(ATTRIBUTES);
   nir_io_semantics semantics = { .location = VERT_ATTRIB_GENERIC0 + n, .num_slots = 1 };
   nir_def *load = nir_load_input(b, 4, 32, nir_imm_int(b, 0), .base = n,
                                  .dest_type = nir_type_float32, .io_semantics = semantics);
   return nir_channel(b, load, below(4));
}

static nir_def *
int_expression(struct generator *g, unsigned depth)
{
   nir_builder *b = &g->b;
   if (depth == 0 || !below(4)) {
      switch (below(4)) {
      case 0:
         return nir_imm_int(b, interesting_bits());
      case 1:
         return depth ? uniform(g) : nir_imm_int(b, below(8));
      case 2:
         return attribute(g);
      default:
         return nir_load_var(b, g->ints[below(VARIABLES)]);
      }
   }
   nir_def *x = int_expression(g, depth - 1), *y = int_expression(g, depth - 1);
   switch (below(16)) {
   case 0:
      return nir_iadd(b, x, y);
   case 1:
      return nir_isub(b, x, y);
   case 2:
      return nir_imul(b, x, y);
   case 3:
      return nir_iand(b, x, y);
   case 4:
      return nir_ior(b, x, y);
   case 5:
      return nir_ixor(b, x, y);
   case 6:
      return nir_inot(b, x);
   case 7:
      return nir_ishl(b, x, y);
   case 8:
      return nir_ushr(b, x, y);
   case 9:
      return nir_ishr(b, x, y);
   case 10:
      return nir_imin(b, x, y);
   case 11:
      return nir_umax(b, x, y);
   case 12:
      return nir_bcsel(b, condition(g, depth - 1), x, y);
   case 13:
      return nir_iabs(b, x);
   case 14:
      return nir_b2i32(b, condition(g, depth - 1));
   default:
      return nir_ineg(b, x);
   }
}

static nir_def *
float_expression(struct generator *g, unsigned depth)
{
   nir_builder *b = &g->b;
   if (depth == 0 || !below(4)) {
      switch (below(4)) {
      case 0:
         return nir_imm_float(b, (int)below(33) * 0.25f - 4.0f);
      case 1:
         return depth ? nir_i2f32(b, uniform(g)) : nir_imm_float(b, 1.5f);
      case 2:
         return nir_i2f32(b, attribute(g));
      default:
         return nir_load_var(b, g->floats[below(VARIABLES)]);
      }
   }
   nir_def *x = float_expression(g, depth - 1), *y = float_expression(g, depth - 1);
   switch (below(14)) {
   case 0:
      return nir_fadd(b, x, y);
   case 1:
      return nir_fsub(b, x, y);
   case 2:
      return nir_fmul(b, x, y);
   case 3:
      return nir_fmin(b, x, y);
   case 4:
      return nir_fmax(b, x, y);
   case 5:
      return nir_fneg(b, x);
   case 6:
      return nir_fabs(b, x);
   case 7:
      return nir_ffloor(b, x);
   case 8:
      return nir_bcsel(b, condition(g, depth - 1), x, y);
   case 9:
      return nir_fadd(b, nir_fmul(b, x, y), x);
   case 10:
      return nir_fsub(b, x, nir_fmul_imm(b, y, 2.5));
   case 11:
      return nir_u2f32(b, int_expression(g, depth - 1));
   case 12:
      return nir_fsat(b, x);
   default:
      return nir_b2f32(b, condition(g, depth - 1));
   }
}

static void statements(struct generator *g, unsigned depth);

static void
assignment(struct generator *g)
{
   if (below(2))
      nir_store_var(&g->b, g->ints[below(VARIABLES)], int_expression(g, 3), 1);
   else
      nir_store_var(&g->b, g->floats[below(VARIABLES)], float_expression(g, 3), 1);
}

static void
branch(struct generator *g, unsigned depth)
{
   nir_builder *b = &g->b;
   nir_push_if(b, condition(g, 1));
   statements(g, depth);
   if (below(2)) {
      nir_push_else(b, NULL);
      statements(g, depth);
   }
   nir_pop_if(b, NULL);
}

/* At most seven iterations, uniform or by lane. */
static void
loop(struct generator *g, unsigned depth)
{
   nir_builder *b = &g->b;
   nir_variable *counter = nir_local_variable_create(b->impl, glsl_int_type(), NULL);
   nir_def *limit =
      below(2) ? nir_imm_int(b, 1 + below(7)) : nir_iand_imm(b, int_expression(g, 1), 7);
   nir_store_var(b, counter, nir_imm_int(b, 0), 1);
   nir_push_loop(b);
   g->loops++;
   nir_break_if(b, nir_ige(b, nir_load_var(b, counter), limit));
   nir_store_var(b, counter, nir_iadd_imm(b, nir_load_var(b, counter), 1), 1);
   statements(g, depth);
   if (!below(4))
      nir_store_var(b, g->ints[below(VARIABLES)], nir_load_var(b, counter), 1);
   g->loops--;
   nir_pop_loop(b, NULL);
}

static void
jump(struct generator *g)
{
   nir_builder *b = &g->b;
   nir_push_if(b, condition(g, 1));
   if (below(2))
      assignment(g);
   nir_jump(b, below(2) ? nir_jump_break : nir_jump_continue);
   nir_pop_if(b, NULL);
}

/* In fragment programs. */
static void
discard(struct generator *g)
{
   nir_def *rarely = nir_iand(&g->b, condition(g, 1), condition(g, 1));
   if (below(2))
      nir_terminate_if(&g->b, rarely);
   else
      nir_demote_if(&g->b, rarely);
}

static void
statements(struct generator *g, unsigned depth)
{
   for (unsigned n = 1 + below(4); n && g->budget; n--) {
      g->budget--;
      unsigned kind = below(10);
      if (depth && kind < 2)
         branch(g, depth - 1);
      else if (depth && kind < 4)
         loop(g, depth - 1);
      else if (g->loops && kind < 6)
         jump(g);
      else if (kind == 6 && g->b.shader->info.stage == MESA_SHADER_FRAGMENT && !below(3))
         discard(g);
      else
         assignment(g);
   }
}

/* Chains of so many conditions: on either side, with values computed between them. */
static void
chain(struct generator *g, unsigned levels)
{
   nir_builder *b = &g->b;
   const bool on_then = !below(4);
   if (below(3) == 0)
      assignment(g);
   nir_def *x = int_expression(g, 1);
   nir_push_if(b, below(4) ? nir_ine_imm(b, x, interesting_bits()) : condition(g, 1));
   for (unsigned side = 0; side < 2; side++) {
      if (side)
         nir_push_else(b, NULL);
      if (side == !on_then && levels > 1) {
         chain(g, levels - 1);
      } else if (below(8)) {
         if (!below(3))
            nir_store_var(b, g->ints[below(VARIABLES)], x, 1);
         else
            assignment(g);
         if (g->loops && !below(3))
            nir_jump(b, below(4) ? nir_jump_break : nir_jump_continue);
      } else {
         statements(g, 1);
      }
   }
   nir_pop_if(b, NULL);
}

/* A chain, or a chain in a loop, or a chain in each of some conditions of a chain. */
static void
chains(struct generator *g)
{
   nir_builder *b = &g->b;
   const unsigned kind = below(3), levels = 50 + below(200);
   if (kind == 0) {
      chain(g, levels);
   } else if (kind == 1) {
      nir_variable *counter = nir_local_variable_create(b->impl, glsl_int_type(), NULL);
      nir_store_var(b, counter, nir_imm_int(b, 0), 1);
      nir_push_loop(b);
      g->loops++;
      nir_break_if(b, nir_ige_imm(b, nir_load_var(b, counter), 3));
      nir_store_var(b, counter, nir_iadd_imm(b, nir_load_var(b, counter), 1), 1);
      chain(g, levels);
      g->loops--;
      nir_pop_loop(b, NULL);
   } else {
      nir_push_if(b, condition(g, 1));
      chain(g, levels);
      assignment(g); /* so that both are no chain */
      chain(g, levels);
      nir_pop_if(b, NULL);
   }
}

static void
store(struct generator *g, unsigned index, nir_def *value, nir_alu_type type)
{
   const bool varying = index < VARYINGS,
              fragment = g->b.shader->info.stage == MESA_SHADER_FRAGMENT;
   nir_io_semantics semantics = { .location =
                                     varying ? VARYING_SLOT_VAR0 + index / 4 : VARYING_SLOT_POS,
                                  .num_slots = 1 };
   if (fragment)
      semantics.location = FRAG_RESULT_DATA0 + index / 4;
   nir_store_output(&g->b, value, nir_imm_int(&g->b, 0), .base = index / 4, .component = index % 4,
                    .write_mask = 1, .src_type = type, .io_semantics = semantics);
}

/* Many values that are all live until the end. */
static void
pressure(struct generator *g)
{
   nir_builder *b = &g->b;
   nir_def *values[320];
   for (unsigned i = 0; i < ARRAY_SIZE(values); i++)
      values[i] =
         nir_imul(b, attribute(g), nir_iadd_imm(b, i % 3 ? attribute(g) : uniform(g), 7 * i));
   nir_push_if(b, condition(g, 1));
   nir_store_var(b, g->ints[0], values[17], 1);
   nir_pop_if(b, NULL);
   nir_def *sum = nir_load_var(b, g->ints[0]);
   for (unsigned i = 0; i < ARRAY_SIZE(values); i++)
      sum = nir_ixor(b, nir_imul_imm(b, sum, 3), values[ARRAY_SIZE(values) - 1 - i]);
   nir_store_var(b, g->ints[1], sum, 1);
}

nir_shader *
random_program(gl_shader_stage stage, enum random_kind kind)
{
   struct generator g = { .b = nir_builder_init_simple_shader(stage, &cf_nir_options, "random"),
                          .budget = 10 + below(60) };
   nir_builder *b = &g.b;
   b->exact = true;
   b->shader->info.io_lowered = true;
   for (unsigned i = 0; i < VARIABLES; i++) {
      g.ints[i] = nir_local_variable_create(b->impl, glsl_int_type(), NULL);
      g.floats[i] = nir_local_variable_create(b->impl, glsl_float_type(), NULL);
      nir_store_var(b, g.ints[i], below(2) ? attribute(&g) : nir_imm_int(b, interesting_bits()), 1);
      nir_store_var(b, g.floats[i], nir_i2f32(b, attribute(&g)), 1);
   }
   if (kind == RANDOM_PRESSURE)
      pressure(&g);
   if (kind == RANDOM_CHAINS)
      chains(&g);
   statements(&g, 3);
   for (unsigned i = 0; i < VARYINGS / 2; i++) {
      store(&g, i, nir_load_var(b, g.ints[i]), nir_type_int32);
      store(&g, VARYINGS / 2 + i, nir_load_var(b, g.floats[i]), nir_type_float32);
      store(&g, VARYINGS + i, float_expression(&g, i % 2), nir_type_float32);
   }
   nir_lower_vars_to_ssa(b->shader);
   nir_opt_dce(b->shader);
   nir_validate_shader(b->shader, "generated");
   return b->shader;
}

/* ---- inputs */

/* Of fragment programs, attribute SMOOTH is interpolated, and the others are the same in a quad. */
static void
interpolate_inputs(struct inputs *inputs)
{
   for (unsigned lane = 0; lane < LANES; lane++) {
      for (unsigned k = 0; k < 2; k++)
         inputs->bary[k][lane] = (float)below(65) / 64.0f;
      for (unsigned i = 0; i < ATTRIBUTES * 4; i++) {
         float *p = inputs->varyings[lane / 4][i / 4][i % 4];
         for (unsigned k = 0; k < 3 && lane % 4 == 0; k++)
            p[k] = (float)((int)below(2001) - 1000) * 0.25f;
         volatile float first = inputs->bary[0][lane] * p[1], second = inputs->bary[1][lane] * p[2],
                        sum = p[0] + first;
         const float value = i / 4 == SMOOTH ? sum + second : p[0];
         memcpy(&inputs->attributes[i / 4][lane][i % 4], &value, 4);
      }
   }
}

void
random_inputs(gl_shader_stage stage, struct inputs *inputs)
{
   for (unsigned i = 0; i < UNIFORMS; i++)
      inputs->uniforms[i] = interesting_bits();
   for (unsigned i = 0; i < ATTRIBUTES * LANES * 4; i++)
      inputs->attributes[i / (LANES * 4)][i / 4 % LANES][i % 4] = interesting_bits();
   if (stage == MESA_SHADER_FRAGMENT)
      interpolate_inputs(inputs);
}
