/* SPDX-License-Identifier: MIT */
/*
 * mediump: random programs of 16-bit floats, as Mesa's front end makes them, through the compiler
 * and the interpreter, against arithmetic in doubles that is rounded once to the format. The
 * compiler rounds twice, to 32 bits and then to 16: that must be the same. What comes from a NaN or
 * a division by zero is not compared: GLSL leaves it open, and Mesa's passes change it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cf_compiler.h"
#include "cf_nir.h"
#include "clipfree/base/cf_lanes.h"
#include "clipfree/base/test_random.h"
#include "clipfree/isa/cf_isa.h"
#include "clipfree/shader/cf_program.h"
#include "nir_builder.h"
#include "util/half_float.h"

#define PROGRAMS 400
#define LANES CF_TASK_LANES
#define UNIFORMS 8
#define OPERATIONS 40
#define OUTPUTS 8
#define VALUES (UNIFORMS + OPERATIONS)

/* A program in the making, and what its values are. */
struct program {
   nir_builder b;
   struct cf_random random;
   enum cf_mediump mediump;
   float uniform[UNIFORMS];
   nir_def *def[VALUES];
   double value[VALUES];
   bool constant[VALUES]; /* the compiler computes it, always as binary16 */
   unsigned count;
};

static unsigned
below(struct program *p, unsigned n)
{
   return (unsigned)(cf_random_u64(&p->random) % n);
}

/* ---- the reference */

static double
rounded(enum cf_mediump mediump, double x)
{
   const double most = mediump == CF_MEDIUMP_FP10 ? 0x1p14 : 65520;
   const double least = mediump == CF_MEDIUMP_FP16 ? 0 : 0x1p-14;
   int exponent;
   if (!isfinite(x) || x == 0)
      return x;
   frexp(x, &exponent);
   const int step = exponent - 11 < -24 ? -24 : exponent - 11;
   const double r = ldexp(rint(ldexp(x, -step)), step);
   return fabs(r) >= most ? copysign(INFINITY, x) : fabs(r) < least ? copysign(0, x) : r;
}

/* ---- programs */

static void
add(struct program *p, nir_def *def, double value)
{
   p->constant[p->count] = false;
   p->def[p->count] = def;
   p->value[p->count++] = value;
}

/* The result of operation n of values i and k. */
static void
add_operation(struct program *p, unsigned n, unsigned i, unsigned k)
{
   static const double constants[] = { 0.3, -20000, 3e-5, 1e5 };
   nir_builder *b = &p->b;
   nir_def *x = p->def[i], *y = p->def[k];
   const double u = p->value[i], v = p->value[k];
   /* clang-format off */
   switch (n) {
   case 0: add(p, nir_fadd(b, x, y), rounded(p->mediump, u + v)); break;
   case 1: add(p, nir_fsub(b, x, y), rounded(p->mediump, u - v)); break;
   case 2: add(p, nir_fmul(b, x, y), rounded(p->mediump, u * v)); break;
   case 3: add(p, nir_fdiv(b, x, y), v ? rounded(p->mediump, u / v) : NAN); break;
   case 4: add(p, nir_fsqrt(b, x), rounded(p->mediump, sqrt(u))); break;
   case 5: add(p, nir_fneg(b, x), -u); break;
   case 6: add(p, nir_fabs(b, x), fabs(u)); break;
   case 7: add(p, nir_fmin(b, x, y), u < v ? u : v); break;
   case 8: add(p, nir_fmax(b, x, y), u > v ? u : v); break;
   case 9: add(p, nir_ffloor(b, x), floor(u)); break;
   case 10: add(p, nir_bcsel(b, nir_flt(b, x, y), y, x), u < v ? v : u); break;
   case 11: add(p, nir_f2f16(b, nir_fadd(b, nir_f2f32(b, x), nir_imm_float(b, 0.1f))),
                rounded(p->mediump, (double)((float)u + 0.1f))); break;
   case 12:
      add(p, nir_imm_floatN_t(b, constants[k % 4], 16), rounded(p->mediump, constants[k % 4]));
      p->constant[p->count - 1] = true;
      break;
   default: {
      nir_if *nif = nir_push_if(b, nir_flt(b, x, y));
      nir_def *sum = nir_fadd(b, x, y);
      nir_push_else(b, nif);
      nir_def *product = nir_fmul(b, x, y);
      nir_pop_if(b, nif);
      add(p, nir_if_phi(b, sum, product), rounded(p->mediump, u < v ? u + v : u * v));
   }
   }
   /* clang-format on */
   if (isnan(u) || (isnan(v) && p->constant[p->count - 1] == false))
      p->value[p->count - 1] = NAN;
}

static void
store(struct program *p, unsigned output, unsigned value)
{
   nir_store_output(&p->b, nir_f2f32(&p->b, p->def[value]), nir_imm_int(&p->b, 0),
                    .src_type = nir_type_float32, .write_mask = 1, .component = output % 4,
                    .io_semantics = { .location = VARYING_SLOT_VAR0 + output / 4, .num_slots = 1 });
}

static void
generate(struct program *p)
{
   p->b = nir_builder_init_simple_shader(MESA_SHADER_VERTEX, &cf_nir_options, "mediump");
   p->b.exact = true; /* or NaN and infinity are others */
   p->b.shader->info.io_lowered = true;
   for (unsigned i = 0; i < UNIFORMS; i++) {
      p->uniform[i] = ldexpf((float)((int)below(p, 4001) - 2000), (int)below(p, 36) - 22);
      nir_def *loaded = nir_load_ubo(&p->b, 1, 32, nir_imm_int(&p->b, 0), nir_imm_int(&p->b, 4 * i),
                                     .align_mul = 4, .range = ~0);
      add(p, nir_f2f16(&p->b, loaded), rounded(p->mediump, (double)p->uniform[i]));
   }
   while (p->count < VALUES) {
      const unsigned i = below(p, p->count), k = below(p, p->count);
      if (!p->constant[i])
         add_operation(p, below(p, 14), i, k);
   }
   for (unsigned i = 0; i < OUTPUTS; i++)
      store(p, i, VALUES - 1 - i);
}

/* ---- runs */

static void
run(const struct program *p, const struct cf_binary *binary, float outputs[OUTPUTS])
{
   char error[400];
   struct cf_decoded *decoded =
      cf_program_decode(&binary->program, binary->code, error, sizeof(error));
   if (!decoded)
      fail_msg("%s", error);
   struct cf_stage stage = { .program = decoded, .max_instrs = 1000000 };
   stage.constants[0].data = (const uint32_t *)p->uniform;
   stage.constants[0].dwords = UNIFORMS;
   struct cf_task *task = aligned_alloc(64, sizeof(*task));
   memset(task, 0xa5, sizeof(*task)); /* registers hold garbage */
   task->limit = NULL;
   task->clock = NULL;
   task->parts = 0;
   task->exec = task->alive = ~0u;
   task->scratch_dwords = cf_program_info(decoded)->scratch_dwords;
   task->scratch = calloc(task->scratch_dwords + 1, sizeof(*task->scratch));
   cf_shader_ops_base.prepare(&stage, task);
   cf_shader_ops_base.run(&stage, task);
   for (unsigned i = 0; i < OUTPUTS; i++)
      memcpy(&outputs[i], &task->out[CF_OUTPUT_VARYINGS + i][i % LANES], 4);
   free(task->scratch);
   free(task);
   cf_program_free(decoded);
}

/* Returns how many outputs were compared. */
static unsigned
check(uint64_t seed, enum cf_mediump mediump)
{
   struct program p = { .random = { seed }, .mediump = mediump };
   const struct cf_compile_options options = { .mediump = mediump };
   float outputs[OUTPUTS];
   unsigned compared = 0;
   generate(&p);
   cf_finalize_nir(p.b.shader, 0, mediump);
   struct cf_binary *binary = cf_compile(p.b.shader, &options);
   if (binary->error)
      fail_msg("seed %#llx: %s", (unsigned long long)seed, binary->error);
   run(&p, binary, outputs);
   for (unsigned i = 0; i < OUTPUTS; i++) {
      const double wanted = p.value[VALUES - 1 - i];
      compared += !isnan(wanted);
      if (!isnan(wanted) && (double)outputs[i] != wanted)
         fail_msg("seed %#llx, precision %d: output %u is %.9g, expected %.9g",
                  (unsigned long long)seed, mediump, i, (double)outputs[i], wanted);
   }
   cf_binary_free(binary);
   ralloc_free(p.b.shader);
   return compared;
}

static void
test_random_programs(void **state)
{
   struct cf_random seeds = cf_random_seed("compiler-mediump random programs");
   unsigned compared = 0;
   for (unsigned i = 0; i < PROGRAMS; i++)
      compared += check(cf_random_u64(&seeds), CF_MEDIUMP_FP16 + i % 3);
   assert_true(compared > PROGRAMS * OUTPUTS / 2);
}

/* A local array of floats of 16 bits, which is indexed at run time. */
static void
test_array(void **state)
{
   struct program p = { .mediump = CF_MEDIUMP_FP16, .uniform = { 5.0f, 1.0f / 3.0f, 70000.0f } };
   const struct cf_compile_options options = { .mediump = CF_MEDIUMP_FP16 };
   p.b = nir_builder_init_simple_shader(MESA_SHADER_VERTEX, &cf_nir_options, "mediump");
   p.b.shader->info.io_lowered = true;
   nir_builder *b = &p.b;
   nir_variable *array =
      nir_local_variable_create(b->impl, glsl_array_type(glsl_float16_t_type(), 16, 0), "array");
   nir_def *u[3];
   for (unsigned i = 0; i < 3; i++)
      u[i] = nir_load_ubo(b, 1, 32, nir_imm_int(b, 0), nir_imm_int(b, 4 * i), .align_mul = 4,
                          .range = ~0);
   nir_deref_instr *deref = nir_build_deref_var(b, array);
   for (unsigned i = 0; i < 16; i++)
      nir_store_deref(b, nir_build_deref_array_imm(b, deref, i), nir_f2fmp(b, u[1 + i % 2]), 1);
   nir_def *index = nir_f2i32(b, u[0]);
   for (unsigned i = 0; i < OUTPUTS; i++) {
      add(&p, nir_load_deref(b, nir_build_deref_array(b, deref, nir_iadd_imm(b, index, i))),
          i % 2 ? (double)_mesa_half_to_float(_mesa_float_to_half(1.0f / 3.0f)) : INFINITY);
      store(&p, i, i);
   }
   cf_finalize_nir(b->shader, 0, CF_MEDIUMP_FP16);
   struct cf_binary *binary = cf_compile(b->shader, &options);
   assert_null(binary->error);
   assert_true(binary->program.scratch_dwords >= 16);
   float outputs[OUTPUTS];
   run(&p, binary, outputs);
   for (unsigned i = 0; i < OUTPUTS; i++)
      assert_true((double)outputs[i] == p.value[i]);
   cf_binary_free(binary);
   ralloc_free(b->shader);
}

/* Variables of floats of 16 bits, and arrays of such, have 32; others stay. */
static void
test_types(void **state)
{
   static const nir_variable_mode modes[] = { nir_var_shader_temp, nir_var_function_temp };
   const struct glsl_type *half = glsl_float16_t_type(), *single = glsl_float_type();
   const struct {
      const struct glsl_type *before, *after;
   } types[] = {
      { half, single },
      { glsl_f16vec_type(3), glsl_vec_type(3) },
      { glsl_array_type(glsl_array_type(half, 2, 0), 5, 0),
        glsl_array_type(glsl_array_type(single, 2, 0), 5, 0) },
      { glsl_int16_t_type(), glsl_int16_t_type() },
      { glsl_array_type(single, 4, 0), glsl_array_type(single, 4, 0) },
   };
   for (unsigned m = 0; m < ARRAY_SIZE(modes); m++) {
      nir_builder b =
         nir_builder_init_simple_shader(MESA_SHADER_FRAGMENT, &cf_nir_options, "mediump");
      nir_variable *variables[ARRAY_SIZE(types)];
      for (unsigned i = 0; i < ARRAY_SIZE(types); i++)
         variables[i] = modes[m] == nir_var_function_temp
                           ? nir_local_variable_create(b.impl, types[i].before, "v")
                           : nir_variable_create(b.shader, modes[m], types[i].before, "v");
      cf_nir_widen(b.shader, CF_MEDIUMP_FP16);
      for (unsigned i = 0; i < ARRAY_SIZE(types); i++)
         assert_ptr_equal(variables[i]->type, types[i].after);
      ralloc_free(b.shader);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_types),
      cmocka_unit_test(test_random_programs),
      cmocka_unit_test(test_array),
   };
   glsl_type_singleton_init_or_ref();
   int result = cmocka_run_group_tests(tests, NULL, NULL);
   glsl_type_singleton_decref();
   return result;
}
