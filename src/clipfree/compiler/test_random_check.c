/* SPDX-License-Identifier: MIT */
#include "test_random_check.h"

#include <stdio.h>
#include <string.h>

#include "cf_compiler.h"
#include "cf_nir.h"
#include "clipfree/isa/cf_isa.h"
#include "test_random_program.h"

struct checked {
   const struct random_case *c;
   nir_shader *nir;
   struct inputs inputs;
   uint32_t passes_off; /* of what is compiled */
   char *why;
   size_t why_B;
};

/* A compiled program's results. */
struct results {
   uint32_t alive;
   uint32_t output[OUTPUTS][LANES];
};

#define WRONG(k, ...) (snprintf((k)->why, (k)->why_B, __VA_ARGS__), RANDOM_WRONG)

static void
reach_instrs(const struct random_case *c, const struct cf_decoded *program)
{
   const struct cf_instr *instr = cf_program_instrs(program);
   for (uint32_t i = 0; i + 1 < cf_program_info(program)->code_instrs; i++)
      c->reach((uint64_t)instr[i].op << 16 | instr[i + 1].op);
}

/* Limits; and where passes are left out, what is refused in code that never runs: there they leave
 * block -1 of the uniforms. */
static bool
is_excused(const char *error, uint32_t passes_off)
{
   return strstr(error, "more ") || (passes_off && !strstr(error, "not supported"));
}

static enum random_verdict
run_binary(const struct checked *k, const struct cf_binary *binary, struct results *r)
{
   char error[300];
   if (binary->error && is_excused(binary->error, k->passes_off))
      return RANDOM_REFUSED;
   if (binary->error)
      return WRONG(k, "without passes %#x the compiler refuses a program: %s", k->passes_off,
                   binary->error);
   struct cf_decoded *program =
      cf_program_decode(&binary->program, binary->code, error, sizeof(error));
   if (!program)
      return WRONG(k, "the validator does not take what the compiler made: %s", error);
   r->alive = random_run(program, &k->inputs, k->c->fragment ? binary : NULL, r->output);
   reach_instrs(k->c, program);
   cf_program_free(program);
   return RANDOM_RIGHT;
}

static enum random_verdict
run(struct checked *k, uint32_t passes_off, struct results *r)
{
   const struct cf_compile_options options = { .passes_off = passes_off };
   struct cf_binary *binary = cf_compile(k->nir, &options);
   k->passes_off = passes_off;
   const enum random_verdict verdict = run_binary(k, binary, r);
   cf_binary_free(binary);
   return verdict;
}

/* Integers by their bits, floats by what they are. */
static bool
is_same(unsigned output, uint32_t a, uint32_t b)
{
   return output < VARYINGS / 2 ? a == b : random_same_float(a, b);
}

/* As of the walk. */
static enum random_verdict
check_lane(const struct checked *k, unsigned lane, const struct results *r)
{
   uint32_t wanted[OUTPUTS] = { 0 };
   const bool kept = evaluate_lane(k->nir, &k->inputs, lane, wanted);
   if (kept != (r->alive >> lane & 1))
      return WRONG(k, "lane %u is %s", lane, kept ? "discarded" : "not discarded");
   for (unsigned i = 0; i < OUTPUTS && kept; i++) {
      const uint32_t got = r->output[i][lane];
      if (!is_same(i, got, wanted[i]))
         return WRONG(k, "output %u of lane %u is %#x, not %#x", i, lane, got, wanted[i]);
   }
   return RANDOM_RIGHT;
}

static enum random_verdict
check_same(const struct checked *k, const struct results *r, const struct results *other)
{
   if (r->alive != other->alive)
      return WRONG(k, "without passes %#x other lanes are discarded", k->c->passes_off);
   for (unsigned i = 0; i < OUTPUTS; i++) {
      for (unsigned lane = 0; lane < LANES; lane++) {
         if ((r->alive >> lane & 1) && !is_same(i, r->output[i][lane], other->output[i][lane]))
            return WRONG(k, "without passes %#x output %u of lane %u is %#x, not %#x",
                         k->c->passes_off, i, lane, other->output[i][lane], r->output[i][lane]);
      }
   }
   return RANDOM_RIGHT;
}

/* Without some passes a program may exceed a limit. */
static enum random_verdict
check_without(struct checked *k, const struct results *r)
{
   struct results other;
   const enum random_verdict verdict = run(k, k->c->passes_off, &other);
   if (verdict == RANDOM_RIGHT)
      return check_same(k, r, &other);
   return verdict == RANDOM_REFUSED ? RANDOM_RIGHT : verdict;
}

enum random_verdict
random_check(const struct random_case *c, char *why, size_t why_B)
{
   const gl_shader_stage stage = c->fragment ? MESA_SHADER_FRAGMENT : MESA_SHADER_VERTEX;
   struct checked k = { .c = c, .why = why, .why_B = why_B };
   struct results r;
   glsl_type_singleton_init_or_ref();
   random_begin(c->seed);
   random_feed(c->bytes, c->size_B);
   k.nir = random_program(stage, (enum random_kind)c->kind);
   random_inputs(stage, &k.inputs);
   enum random_verdict verdict = run(&k, 0, &r);
   if (verdict == RANDOM_RIGHT && c->passes_off)
      verdict = check_without(&k, &r);
   if (verdict == RANDOM_RIGHT)
      cf_nir_lower(k.nir, 0, NULL);
   for (unsigned lane = 0; lane < LANES && verdict == RANDOM_RIGHT; lane++)
      verdict = check_lane(&k, lane, &r);
   ralloc_free(k.nir);
   glsl_type_singleton_decref();
   return verdict;
}
