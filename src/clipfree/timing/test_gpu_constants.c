/* SPDX-License-Identifier: MIT */
/*
 * Constants of programs in the whole GPU: each line is asked for once, what misses costs the way to
 * the L2 cache, and a load whose constants differ by lane as many cycles as there are lanes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "clipfree/timing/cf_sim_check.h"
#include "clipfree/timing/test_gpu.h"

#define VERTICES 2
#define LOADS 3
#define ALL_LANES 32

/* Vertices whose program is this, then an end; its loads refer to dword[load][vertex]. */
struct constants {
   struct cf_instr instr[LOADS];
   uint32_t count, buffer;
   uint32_t dword[LOADS][VERTICES];
};

static void
make_program(struct cf_sim_chunk *c, const struct constants *k)
{
   const struct cf_sim_program *p = &c->program[CF_SIM_STAGE_VERTEX];
   const struct cf_instr end = cf_make_end();
   for (uint32_t i = 0; i < k->count; i++)
      c->code[p->first + i] = cf_instr_encode(&k->instr[i]);
   c->code[p->first + k->count] = cf_instr_encode(&end);
   c->program[CF_SIM_STAGE_VERTEX].count = k->count + 1;
}

static void
make_steps(struct cf_sim_chunk *c, const struct constants *k)
{
   c->vertex_step = calloc(VERTICES * LOADS, sizeof(c->vertex_step[0]));
   assert_non_null(c->vertex_step);
   c->vertex_step_room = VERTICES * LOADS;
   for (uint32_t v = 0; v < VERTICES; v++) {
      uint16_t order = 0;
      for (uint16_t i = 0; i < k->count; i++) {
         if (k->instr[i].op == CF_OP_LDU)
            c->vertex_step[c->vertex_steps++] = (struct cf_sim_vertex_step){
               .element = v, .order = order++, .at = i, .value = k->dword[i][v]
            };
      }
   }
}

/* Cycles of a run; *requests: lines of constants that were asked for. */
static uint64_t
run(const struct cf_sim_machine *m, const struct constants *k, uint64_t *requests)
{
   struct made_frame f = made_frame_default();
   struct cf_sim_gpu *gpu = malloc(sizeof(*gpu));
   struct cf_sim_order order = { 0 };
   struct cf_sim_chunk c;
   f.vertices = VERTICES;
   f.primitives = f.side_px = 0;
   make_frame(&c, &f);
   make_program(&c, k);
   make_steps(&c, k);
   c.op[0].constants[CF_SIM_STAGE_VERTEX] = k->buffer;
   assert_null(cf_sim_check(&c));
   assert_true(gpu && cf_sim_order_chunk(&order, &c, m->raster.traversal) &&
               cf_sim_gpu_init(gpu, m));
   cf_sim_gpu_chunk(gpu, &c, &order);
   cf_sim_gpu_finish(gpu);
   assert_false(gpu->stuck || gpu->failed || gpu->counts.lost);
   const uint64_t cycles = gpu->time;
   *requests = gpu->l2.requests[CF_SIM_CLIENT_CONSTANT];
   cf_sim_order_free(&order);
   cf_sim_chunk_free(&c);
   cf_sim_gpu_free(gpu);
   free(gpu);
   return cycles;
}

/* What slower answers of the L2 cache add, where lines of constants are in a buffer, beyond what
 * they add to instructions. */
static void
expect_misses(const struct constants *constants, uint32_t misses)
{
   struct cf_sim_machine fast = paper_a(), slow = paper_a();
   struct constants k = *constants;
   uint64_t requests, cycles[2][2];
   slow.l2.latency = fast.l2.latency + 10;
   for (uint32_t buffer = 0; buffer < 2; buffer++) {
      k.buffer = buffer ? 0 : CF_SIM_NONE;
      cycles[buffer][0] = run(&fast, &k, &requests);
      assert_int_equal(requests, misses * buffer);
      cycles[buffer][1] = run(&slow, &k, &requests);
      assert_int_equal(requests, misses * buffer);
   }
   assert_int_equal(cycles[1][1] - cycles[1][0], cycles[0][1] - cycles[0][0] + 10 * misses);
   assert_true(misses ? cycles[1][0] >= cycles[0][0] + misses * fast.l2.latency
                      : cycles[1][0] == cycles[0][0]);
}

#define LDU(dst) cf_make_ldu(cf_v(dst), 0, cf_v(8), 0)
#define ADD_U(dst, dword) cf_make_fadd(cf_v(dst), cf_v(8), cf_u(dword))
#define PLAIN cf_make_fadd(cf_v(0), cf_v(8), cf_v(9))

/* Lines have 64 bytes, 16 dwords. */
static void
each_line_is_asked_for_once(void **state)
{
   (void)state;
   const struct {
      struct constants k;
      uint32_t misses;
   } cases[] = {
      { { { PLAIN, PLAIN, PLAIN }, 3, 0, { { 0 } } }, 0 },
      { { { ADD_U(0, 0), ADD_U(1, 0) }, 2, 0, { { 0 } } }, 1 },
      { { { ADD_U(0, 0), ADD_U(1, 15) }, 2, 0, { { 0 } } }, 1 },
      { { { ADD_U(0, 0), ADD_U(1, 16) }, 2, 0, { { 0 } } }, 2 },
      { { { LDU(0), LDU(1) }, 2, 0, { { 0, 0 }, { 15, 15 } } }, 1 },
      { { { LDU(0), LDU(1) }, 2, 0, { { 15, 15 }, { 16, 16 } } }, 2 },
      { { { LDU(0), ADD_U(1, 40) }, 2, 0, { { 47, 47 } } }, 1 },
      { { { LDU(0) }, 1, 0, { { 3, 4 } } }, 0 }, /* they differ: not from this cache */
   };
   assert_int_equal(paper_a().texture.line_B, 64);
   for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
      expect_misses(&cases[i].k, cases[i].misses);
}

/* The result of a load is there 32 cycles later if lanes refer to different dwords. */
static void
lanes_that_differ_come_one_by_one(void **state)
{
   (void)state;
   const struct cf_sim_machine m = paper_a();
   struct constants same = { { LDU(0) }, 1, CF_SIM_NONE, { { 5, 5 } } }, differ = same;
   uint64_t requests;
   differ.dword[0][1] = 6;
   assert_int_equal(run(&m, &differ, &requests) - run(&m, &same, &requests), ALL_LANES);
   for (uint32_t i = 1; i < LOADS; i++) { /* one after the other: into the same register */
      same.instr[i] = differ.instr[i] = LDU(0);
      same.dword[i][0] = same.dword[i][1] = differ.dword[i][0] = 5;
      differ.dword[i][1] = 6;
      same.count = differ.count = i + 1;
      assert_int_equal(run(&m, &differ, &requests) - run(&m, &same, &requests),
                       (i + 1) * ALL_LANES);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_line_is_asked_for_once),
      cmocka_unit_test(lanes_that_differ_come_one_by_one),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
