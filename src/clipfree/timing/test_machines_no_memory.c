/* SPDX-License-Identifier: MIT */
/*
 * Simulated machines without memory: each of their allocations fails, alone and with all after it.
 * A machine cannot be made, or says at the end that memory ran out, or has the cycles and misses
 * that it has with memory; all is freed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/base/test_failing_host.h"
#include "clipfree/timing/cf_sim_fragments.h"
#include "clipfree/timing/cf_sim_hits.h"
#include "clipfree/timing/cf_sim_vertices.h"
#include "clipfree/timing/test_gpu.h"

#define MOST_RUNS 2000
#define NUMBERS 4

/* What a machine measures. */
struct measured {
   uint64_t number[NUMBERS];
};

/* ------------------------------------------------------------------ machines */

static bool
run_gpu(const struct cf_sim_machine *m, const struct cf_sim_chunk *c,
        const struct cf_sim_order *order, struct measured *measured)
{
   static struct cf_sim_gpu gpu;
   if (!cf_sim_gpu_init(&gpu, m))
      return false;
   cf_sim_gpu_chunk(&gpu, c, order);
   cf_sim_gpu_finish(&gpu);
   const bool ok = !gpu.failed;
   assert_true(!ok || !gpu.stuck);
   *measured = (struct measured){ { gpu.time, gpu.pixels.dram.reads } };
   cf_sim_gpu_free(&gpu);
   return ok;
}

static bool
run_hits(const struct cf_sim_machine *m, const struct cf_sim_chunk *c,
         const struct cf_sim_order *order, struct measured *measured)
{
   static struct cf_sim_hits hits;
   if (!cf_sim_hits_init(&hits, m, true))
      return false;
   cf_sim_hits_chunk(&hits, c, order);
   const bool ok = cf_sim_hits_finish(&hits);
   *measured = (struct measured){ { hits.texture.counts.misses, hits.z[0].counts.misses,
                                    hits.color[0].counts.misses, hits.work.texels } };
   cf_sim_hits_free(&hits);
   return ok;
}

static bool
run_cycles(const struct cf_sim_machine *m, const struct cf_sim_chunk *c,
           const struct cf_sim_order *order, struct measured *measured)
{
   static struct cf_sim_cycles cycles;
   if (!cf_sim_cycles_init(&cycles, m))
      return false;
   cf_sim_cycles_chunk(&cycles, c, order);
   const bool ok = !cycles.failed;
   *measured = (struct measured){ { cycles.time, cycles.dram.reads } };
   cf_sim_cycles_free(&cycles);
   return ok;
}

static bool
run_vertices(const struct cf_sim_machine *m, const struct cf_sim_chunk *c,
             const struct cf_sim_order *order, struct measured *measured)
{
   static struct cf_sim_vertices vertices;
   (void)order;
   bool ok = cf_sim_vertices_init(&vertices, m);
   if (ok) {
      cf_sim_vertices_chunk(&vertices, c);
      cf_sim_vertices_finish(&vertices);
      ok = !vertices.failed;
      *measured = (struct measured){ { vertices.time, vertices.counts.vertices } };
   }
   cf_sim_vertices_free(&vertices);
   return ok;
}

static bool
run_fragments(const struct cf_sim_machine *m, const struct cf_sim_chunk *c,
              const struct cf_sim_order *order, struct measured *measured)
{
   static struct cf_sim_fragments fragments;
   bool ok = cf_sim_fragments_init(&fragments, m);
   if (ok) {
      cf_sim_fragments_chunk(&fragments, c, order);
      cf_sim_fragments_finish(&fragments);
      ok = !fragments.failed;
      assert_true(!ok || !fragments.stuck);
      *measured = (struct measured){ { fragments.time } };
   }
   cf_sim_fragments_free(&fragments);
   return ok;
}

/* ------------------------------------------------------------------ all of them */

typedef bool run_machine(const struct cf_sim_machine *m, const struct cf_sim_chunk *c,
                         const struct cf_sim_order *order, struct measured *measured);

/* Order the chunk, and run it. */
static bool
run(run_machine *run_it, const struct cf_sim_machine *m, const struct cf_sim_chunk *chunk,
    struct measured *measured)
{
   struct cf_sim_order order = { 0 };
   const bool ok =
      cf_sim_order_chunk(&order, chunk, m->raster.traversal) && run_it(m, chunk, &order, measured);
   cf_sim_order_free(&order);
   return ok;
}

static void
try_all(run_machine *run_it, const struct cf_sim_machine *m)
{
   struct cf_sim_chunk chunk;
   struct made_frame frame = made_frame_default();
   frame.primitives = 3;
   frame.side_px = 20;
   make_frame(&chunk, &frame);
   struct measured expected = { 0 };
   assert_true(run(run_it, m, &chunk, &expected));
   assert_true(expected.number[0] > 0);
   const long before = test_host.live;
   for (int all = 0; all < 2; all++) {
      unsigned runs = 0, failures = 0, failed;
      do {
         struct measured measured = { 0 };
         test_host_arm(++runs, all);
         const bool ok = run(run_it, m, &chunk, &measured);
         failed = test_host_disarm();
         assert_true(ok || failed);
         failures += !ok;
         if (ok)
            assert_memory_equal(&measured, &expected, sizeof(expected));
         assert_int_equal(test_host.live, before);
      } while (failed && runs < MOST_RUNS);
      assert_true(runs < MOST_RUNS && failures >= 3);
   }
   cf_sim_chunk_free(&chunk);
}

static void
machines(void **state)
{
   (void)state;
   static const struct {
      run_machine *run;
      enum cf_sim_model model;
      enum cf_sim_policy policy;
   } cases[] = {
      { run_gpu, CF_SIM_MODEL_WHOLE, CF_SIM_POLICY_LRU },
      { run_hits, CF_SIM_MODEL_PIXELS, CF_SIM_POLICY_LRU },
      { run_hits, CF_SIM_MODEL_PIXELS, CF_SIM_POLICY_OPTIMAL },
      { run_cycles, CF_SIM_MODEL_PIXELS, CF_SIM_POLICY_LRU },
      { run_vertices, CF_SIM_MODEL_VERTICES, CF_SIM_POLICY_LRU },
      { run_fragments, CF_SIM_MODEL_FRAGMENTS, CF_SIM_POLICY_LRU },
   };
   for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      struct cf_sim_machine m =
         cases[i].model == CF_SIM_MODEL_WHOLE ? paper_a() : cf_sim_machine_default();
      m.gpu.model = cases[i].model;
      m.texture.policy = cases[i].policy;
      try_all(cases[i].run, &m);
   }
}

int
main(void)
{
   mallopt(M_PERTURB, 0xa5); /* what is not initialised is not zero */
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(machines),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
