/* SPDX-License-Identifier: MIT */
/*
 * Chains of conditions before and after cf_nir_flatten: each lane gets the same results, and no
 * chain is nested deeper than the GPU allows. Argument: the number of programs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "cf_ir.h"
#include "cf_nir.h"
#include "clipfree/base/test_random.h"
#include "test_random_program.h"

static unsigned programs = 150;

struct results {
   bool kept[LANES];
   uint32_t outputs[LANES][OUTPUTS];
};

static void
evaluate(nir_shader *nir, const struct inputs *inputs, struct results *results)
{
   memset(results, 0, sizeof(*results));
   for (unsigned lane = 0; lane < LANES; lane++)
      results->kept[lane] = evaluate_lane(nir, inputs, lane, results->outputs[lane]);
}

static void
check(gl_shader_stage stage, uint64_t seed)
{
   struct inputs inputs;
   struct results wanted, have;
   random_begin(seed);
   nir_shader *nir = random_program(stage, RANDOM_CHAINS);
   random_inputs(stage, &inputs);
   evaluate(nir, &inputs, &wanted);
   const unsigned depth = cf_nir_depth(nir);
   assert_int_equal(cf_nir_flatten(nir), depth > CF_MAX_NESTING);
   nir_validate_shader(nir, "cf_nir_flatten");
   if (cf_nir_depth(nir) > CF_MAX_NESTING)
      fail_msg("seed %#llx: %u levels of %u are left", (unsigned long long)seed, cf_nir_depth(nir),
               depth);
   evaluate(nir, &inputs, &have);
   if (memcmp(&have, &wanted, sizeof(have)))
      fail_msg("seed %#llx: results differ", (unsigned long long)seed);
   ralloc_free(nir);
}

static void
test_chains(void **state)
{
   struct cf_random seeds = cf_random_seed("compiler-flatten");
   for (unsigned i = 0; i < programs; i++)
      check(i % 2 ? MESA_SHADER_FRAGMENT : MESA_SHADER_VERTEX, cf_random_u64(&seeds) | 1);
}

/* So many conditions in each other, and a store after each if there is one `behind`. */
static nir_shader *
nested(unsigned levels, bool behind)
{
   nir_builder b = nir_builder_init_simple_shader(MESA_SHADER_VERTEX, &cf_nir_options, "nested");
   nir_variable *v = nir_local_variable_create(b.impl, glsl_int_type(), NULL);
   nir_def *zero = nir_imm_int(&b, 0);
   const nir_io_semantics place = { .location = VERT_ATTRIB_GENERIC0, .num_slots = 1 };
   nir_def *x = nir_load_input(&b, 1, 32, zero, .dest_type = nir_type_int32, .io_semantics = place);
   nir_store_var(&b, v, zero, 1);
   for (unsigned i = 0; i < levels; i++) {
      nir_push_if(&b, nir_ieq_imm(&b, x, i));
      nir_store_var(&b, v, nir_imm_int(&b, (int)i * i), 1);
      nir_push_else(&b, NULL);
   }
   for (unsigned i = 0; i < levels; i++) {
      nir_pop_if(&b, NULL);
      if (behind)
         nir_store_var(&b, v, nir_ixor(&b, nir_load_var(&b, v), x), 1);
   }
   const nir_io_semantics out = { .location = VARYING_SLOT_POS, .num_slots = 1 };
   nir_store_output(&b, nir_load_var(&b, v), zero, .base = 2, .write_mask = 1,
                    .src_type = nir_type_int32, .io_semantics = out);
   nir_lower_vars_to_ssa(b.shader);
   return b.shader;
}

/* At the limit a chain stays as it is; one more, or a thousand, is cut; and what is no chain stays.
 */
static void
test_limit(void **state)
{
   static const struct {
      unsigned levels;
      bool behind, cut;
   } cases[] = { { CF_MAX_NESTING, false, false },
                 { CF_MAX_NESTING + 1, false, true },
                 { 3000, false, true },
                 { CF_MAX_NESTING + 1, true, false } };
   for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
      nir_shader *nir = nested(cases[i].levels, cases[i].behind);
      assert_int_equal(cf_nir_depth(nir), cases[i].levels);
      assert_int_equal(cf_nir_flatten(nir), cases[i].cut);
      nir_validate_shader(nir, "cf_nir_flatten");
      assert_true(cf_nir_depth(nir) <= CF_MAX_NESTING + cases[i].behind);
      struct inputs inputs = { { 0 } };
      for (uint32_t lane = 0; lane < LANES && !cases[i].behind; lane++) {
         uint32_t outputs[OUTPUTS] = { 0 };
         const uint32_t x = lane * (cases[i].levels + 10) / LANES;
         inputs.attributes[0][lane][0] = x;
         assert_true(evaluate_lane(nir, &inputs, lane, outputs));
         assert_int_equal(outputs[8], x < cases[i].levels ? x * x : 0);
      }
      ralloc_free(nir);
   }
}

int
main(int argc, char **argv)
{
   if (argc > 1)
      programs = (unsigned)strtoul(argv[1], NULL, 0);
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_chains),
      cmocka_unit_test(test_limit),
   };
   glsl_type_singleton_init_or_ref();
   int result = cmocka_run_group_tests(tests, NULL, NULL);
   glsl_type_singleton_decref();
   return result;
}
