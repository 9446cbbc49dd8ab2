/* SPDX-License-Identifier: MIT */
/* Values that parameters may have, at their limits and beyond. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "clipfree/timing/cf_sim_gpu.h"
#include "clipfree/timing/cf_sim_machine.h"
#include "clipfree/timing/cf_sim_vertices.h"

static bool
set(struct cf_sim_machine *machine, const char *name, const char *value, const char *why)
{
   char error[256] = "";
   const bool ok = cf_sim_machine_set(machine, name, value, error, sizeof(error));
   assert_string_equal(error, ok ? "" : why);
   return ok;
}

static void
limits(void **state)
{
   (void)state;
   struct cf_sim_machine m = cf_sim_machine_default();
   for (uint32_t i = 0; i < CF_SIM_PARAMETERS; i++) {
      const struct cf_sim_parameter *p = &cf_sim_parameters[i];
      char value[32], error[256];
      assert_int_equal(cf_sim_machine_value(&m, p), p->first);
      for (uint32_t k = 0; p->choices && p->choices[k]; k++) {
         assert_true(set(&m, p->name, p->choices[k], ""));
         assert_int_equal(cf_sim_machine_value(&m, p), k);
      }
      if (p->choices || p->flag)
         continue;
      const uint32_t good[] = { p->least, p->most };
      for (uint32_t k = 0; k < 2; k++) {
         snprintf(value, sizeof(value), "%u", good[k]);
         assert_true(set(&m, p->name, value, ""));
         assert_int_equal(cf_sim_machine_value(&m, p), good[k]);
      }
      const long long bad[] = { (long long)p->least - 1, (long long)p->most + 1 };
      for (uint32_t k = 0; k < 2; k++) {
         snprintf(value, sizeof(value), "%lld", bad[k]);
         assert_false(cf_sim_machine_set(&m, p->name, value, error, sizeof(error)));
         assert_non_null(strstr(error, p->name));
         assert_non_null(strstr(error, value));
      }
   }
}

static void
messages(void **state)
{
   (void)state;
   struct cf_sim_machine m = cf_sim_machine_default();
   assert_false(set(&m, "z.sizes", "1", "there is no parameter z.sizes"));
   assert_false(set(&m, "z.ways", "65", "z.ways = 65: it may be a number from 0 to 64"));
   assert_false(set(&m, "z.ways", "4x", "z.ways = 4x: it may be a number from 0 to 64"));
   assert_false(set(&m, "z.ways", " 4", "z.ways =  4: it may be a number from 0 to 64"));
   assert_false(set(&m, "z.ways", ":", "z.ways = :: it may be a number from 0 to 64"));
   assert_false(set(&m, "z.ways", "/", "z.ways = /: it may be a number from 0 to 64"));
   assert_false(set(&m, "z.ways", "", "z.ways = : it may be a number from 0 to 64"));
   assert_false(set(&m, "z.line_width_px", "6",
                    "z.line_width_px = 6: it may be a power of two from 2 to 64"));
   assert_false(set(&m, "z.early", "1", "z.early = 1: it may be true or false"));
   assert_false(set(&m, "z.policy", "fifo",
                    "z.policy = fifo: it may be lru, plru, plru-ott, srrip, optimal"));
}

static void
contradictions(void **state)
{
   (void)state;
   static const char *const cases[][7] = {
      { "z.size_B", "4100", NULL, NULL, NULL, NULL, "z.size_B" },
      { "z.size_B", "768", NULL, NULL, NULL, NULL, "z.size_B" },
      { "color.size_B", "64", NULL, NULL, NULL, NULL, "color.size_B" },
      { "texture.size_B", "32769", NULL, NULL, NULL, NULL, "texture.size_B" },
      { "z.policy", "plru", "z.ways", "0", NULL, NULL, "z.policy plru" },
      { "z.policy", "optimal", "z.prefetch", "dprt", NULL, NULL, "z.prefetch and" },
      { "z.size_B", "0", "z.prefetch", "dprt", NULL, NULL, "z.prefetch needs" },
      { "screen.partition", "2x2", NULL, NULL, NULL, NULL, "screen.partition 2x2" },
      { "screen.pipelines", "4", NULL, NULL, NULL, NULL, "screen.pipelines" },
      { "z.size_B", "64", "z.ways", "4", NULL, NULL, "z.size_B" },
      { "color.policy", "plru", "color.ways", "0", NULL, NULL, "color.policy plru" },
      { "texture.policy", "plru-ott", "texture.ways", "0", NULL, NULL, "texture.policy plru" },
      { "z.line_samples", "all", "z.line_width_px", "2", NULL, NULL, "z.line_samples all puts" },
      { "z.line_samples", "all", "z.line_height_px", "2", NULL, NULL, "z.line_samples all puts" },
      { "z.line_samples", "all", "gpu.model", "fragments", NULL, NULL, "z.line_samples all: the" },
   };
   struct cf_sim_machine m = cf_sim_machine_default();
   assert_null(cf_sim_machine_contradiction(&m));
   for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      m = cf_sim_machine_default();
      for (uint32_t k = 0; k < 6 && cases[i][k]; k += 2)
         assert_true(set(&m, cases[i][k], cases[i][k + 1], ""));
      assert_non_null(cf_sim_machine_contradiction(&m));
      assert_int_equal(strncmp(cf_sim_machine_contradiction(&m), cases[i][6], strlen(cases[i][6])),
                       0);
   }
}

/* What the models of the whole GPU and of vertices need; other models do not. NULL: nothing is
 * wrong. */
static void
contradictions_of_models(void **state)
{
   (void)state;
   static const struct {
      const char *set[4][2], *gpu, *vertices;
   } cases[] = {
      { { { NULL } }, NULL, NULL },
      { { { "texture.line_B", "32" } }, "gpu.model whole needs lines of one size", NULL },
      { { { "texture.size_B", "0" } }, "gpu.model whole needs a texture cache", NULL },
      { { { "texture.ways", "0" } }, "gpu.model whole needs a texture cache", NULL },
      { { { "texture.policy", "optimal" } }, "gpu.model whole needs a texture cache", NULL },
      { { { "l2.size_B", "49152" } }, "l2.size_B is not", NULL },
      { { { "constant.size_B", "64" }, { "constant.ways", "2" } }, "constant.size_B is not", NULL },
      { { { "constant.size_B", "1024" }, { "constant.ways", "0" } }, NULL, NULL },
      { { { "instruction.size_B", "64" }, { "instruction.ways", "2" } },
        "instruction.size_B is not",
        "instruction.size_B is not" },
      { { { "instruction.size_B", "768" }, { "instruction.ways", "4" } },
        "instruction.size_B is not",
        "instruction.size_B is not" },
      { { { "instruction.size_B", "1088" }, { "instruction.ways", "4" } },
        "instruction.size_B is not",
        "instruction.size_B is not" },
      { { { "instruction.size_B", "1024" }, { "instruction.ways", "0" } }, NULL, NULL },
   };
   for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      struct cf_sim_machine m = cf_sim_machine_default();
      for (uint32_t k = 0; k < 4 && cases[i].set[k][0]; k++)
         assert_true(set(&m, cases[i].set[k][0], cases[i].set[k][1], ""));
      m.gpu.model = CF_SIM_MODEL_PIXELS;
      assert_null(cf_sim_gpu_contradiction(&m));
      assert_null(cf_sim_vertices_contradiction(&m));
      m.gpu.model = CF_SIM_MODEL_WHOLE;
      const char *gpu = cf_sim_gpu_contradiction(&m);
      m.gpu.model = CF_SIM_MODEL_VERTICES;
      const char *vertices = cf_sim_vertices_contradiction(&m);
      if (!gpu != !cases[i].gpu || (gpu && strncmp(gpu, cases[i].gpu, strlen(cases[i].gpu))))
         fail_msg("case %u: %s", i, gpu);
      if (!vertices != !cases[i].vertices ||
          (vertices && strncmp(vertices, cases[i].vertices, strlen(cases[i].vertices))))
         fail_msg("case %u: %s", i, vertices);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(limits),
      cmocka_unit_test(messages),
      cmocka_unit_test(contradictions),
      cmocka_unit_test(contradictions_of_models),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
