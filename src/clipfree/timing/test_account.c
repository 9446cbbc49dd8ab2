/* SPDX-License-Identifier: MIT */
/* A run's accounts add up; one that is wrong by some cycles is refused, with its unit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "clipfree/timing/cf_sim_account.h"

#include "clipfree/timing/test_gpu.h"

/* Wrong by `more` cycles in one cause, then right again. */
#define PLANT(count, more, check, expected)                                                        \
   do {                                                                                            \
      char error_[CF_SIM_ACCOUNT_B] = "";                                                          \
      assert_true(check(error_));                                                                  \
      *(count) += (uint64_t)(more);                                                                \
      assert_false(check(error_));                                                                 \
      *(count) -= (uint64_t)(more);                                                                \
      assert_true(check(error_));                                                                  \
      assert_string_equal(error_, expected);                                                       \
   } while (0)

static char said[CF_SIM_ACCOUNT_B];

static const char *
says(const char *unit, uint64_t cycles, int64_t more)
{
   snprintf(said, sizeof(said), "causes of %s add up to %lld of %llu cycles, %lld too %s", unit,
            (long long)cycles + (long long)more, (unsigned long long)cycles,
            (long long)(more < 0 ? -more : more), more < 0 ? "few" : "many");
   return said;
}

static void
whole_gpu(void **state)
{
   (void)state;
   const struct cf_sim_machine m = paper_a();
   const struct made_frame f = made_frame_default();
   struct cf_sim_gpu *gpu = run_frame(&m, &f);
#define CHECK(error) cf_sim_account_gpu(gpu, error)
   assert_true(gpu->time > 0);
   for (uint32_t part = 0; part < CF_SIM_PARTS; part++) {
      char name[CF_SIM_PART_NAME_B];
      cf_sim_part_name((enum cf_sim_part)part, name);
      PLANT(&gpu->unit[part].cycles[part % CF_SIM_WHYS], 1, CHECK, says(name, gpu->time, 1));
   }
   for (uint32_t core = 0; core < m.core.count; core++) {
      char name[32];
      snprintf(name, sizeof(name), "alu%u", core);
      PLANT(&gpu->core[core].alu.cycles[CF_SIM_WHY_EMPTY], -1, CHECK, says(name, gpu->time, -1));
   }
   uint64_t *cause = gpu->pixels.cache[1].counts.cause;
   PLANT(&cause[CF_SIM_CAUSES - 1], 7, CHECK, says("color cache 0", gpu->time, 7));
#undef CHECK
   cf_sim_gpu_free(gpu);
   free(gpu);
}

/* Machines that have run nothing: all sums are 0. */
static void
units_alone(void **state)
{
   (void)state;
   struct cf_sim_machine m = cf_sim_machine_default();
   struct cf_sim_vertices *v = malloc(sizeof(*v));
   struct cf_sim_fragments *f = malloc(sizeof(*f));
   struct cf_sim_cycles *c = calloc(1, sizeof(*c));
   assert_true(cf_sim_vertices_init(v, &m) && cf_sim_fragments_init(f, &m) &&
               cf_sim_cycles_init(c, &m));
   cf_sim_vertices_finish(v);
   cf_sim_fragments_finish(f);
#define CHECK(error) cf_sim_account_vertices(v, error)
   for (uint32_t i = 0; i < CF_SIM_VERTICES_PARTS; i++)
      PLANT(&v->cycles[i][CF_SIM_WHY_FULL], 3, CHECK,
            says(cf_sim_vertices_part_name((enum cf_sim_vertices_part)i), 0, 3));
#undef CHECK
#define CHECK(error) cf_sim_account_fragments(f, error)
   for (uint32_t i = 0; i < CF_SIM_MODULES; i++)
      PLANT(&f->cycles[i][CF_SIM_WHY_MEMORY], 3, CHECK,
            says(cf_sim_module_name((enum cf_sim_module)i), 0, 3));
#undef CHECK
#define CHECK(error) cf_sim_account_cycles(c, error)
   PLANT(&c->cache[c->caches - 2].counts.cause[0], 2, CHECK, says("z cache 0", 0, 2));
#undef CHECK
   cf_sim_vertices_free(v);
   cf_sim_fragments_free(f);
   cf_sim_cycles_free(c);
   free(v);
   free(f);
   free(c);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(whole_gpu),
      cmocka_unit_test(units_alone),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
