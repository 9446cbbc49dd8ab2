/* SPDX-License-Identifier: MIT */
/*
 * Paper C's vertex shader: its published figures, closed forms, and random programs against a model
 * that goes cycle by cycle through the stages.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "clipfree/base/test_random.h"
#include "clipfree/timing/cf_sim_check.h"
#include "clipfree/timing/test_gpu.h"
#include "clipfree/timing/test_vertices.h"

/* ------------------------------------------------------------------ programs */

static uint64_t code[MAX_CODE];
static uint32_t count;

static uint32_t
add(struct cf_instr instr)
{
   assert_true(count < MAX_CODE);
   code[count] = cf_instr_encode(&instr);
   return count++;
}

static struct cf_sim_machine
paper_c(void)
{
   struct cf_sim_machine m = cf_sim_machine_default();
   m.gpu.model = CF_SIM_MODEL_VERTICES;
   m.shader.distribute_cycles = 0;
   return m;
}

/* What a vertex does at a branch. */
struct outcome {
   uint32_t vertex, at, value;
};

/* A trace of vertices that run `code`. */
static void
make_trace(struct cf_sim_chunk *c, uint32_t vertices, const struct outcome *outcome,
           uint32_t outcomes)
{
   struct made_frame f = made_frame_default();
   uint32_t order[MAX_VERTICES] = { 0 };
   f.vertices = vertices;
   make_frame(c, &f);
   c->op[0].elements = 2;
   c->code = cf_sim_grow(c->code, c->codes, count, &c->code_room, sizeof(c->code[0]));
   memcpy(c->code + c->codes, code, count * sizeof(code[0]));
   c->program[CF_SIM_STAGE_VERTEX] = (struct cf_sim_program){ (uint32_t)c->codes, count, 128, 128 };
   c->codes += count;
   c->vertex_step =
      cf_sim_grow(c->vertex_step, 0, outcomes + 1, &c->vertex_step_room, sizeof(c->vertex_step[0]));
   for (uint32_t i = 0; i < outcomes; i++)
      c->vertex_step[c->vertex_steps++] =
         (struct cf_sim_vertex_step){ .element = outcome[i].vertex,
                                      .order = (uint16_t)order[outcome[i].vertex]++,
                                      .at = (uint16_t)outcome[i].at,
                                      .value = outcome[i].value };
   assert_false(cf_sim_check(c));
}

static struct cf_sim_vertices *
run_trace(const struct cf_sim_machine *m, struct cf_sim_chunk *c)
{
   struct cf_sim_vertices *v = malloc(sizeof(*v));
   assert_null(cf_sim_vertices_contradiction(m));
   assert_true(v && cf_sim_vertices_init(v, m));
   cf_sim_vertices_chunk(v, c);
   cf_sim_vertices_finish(v);
   assert_false(v->failed);
   for (uint32_t i = 0; i < CF_SIM_VERTICES_PARTS; i++) { /* each cycle has one cause */
      uint64_t sum = 0;
      for (uint32_t why = 0; why < CF_SIM_WHYS; why++)
         sum += v->cycles[i][why];
      assert_int_equal(sum, v->time);
   }
   return v;
}

static void
end(struct cf_sim_vertices *v)
{
   cf_sim_vertices_free(v);
   free(v);
}

/* Cycles of `code` for some vertices. */
static uint64_t
cycles_of(const struct cf_sim_machine *m, uint32_t vertices)
{
   struct cf_sim_chunk c;
   make_trace(&c, vertices, NULL, 0);
   struct cf_sim_vertices *v = run_trace(m, &c);
   const uint64_t time = v->time;
   assert_int_equal(v->counts.vertices, vertices);
   end(v);
   cf_sim_chunk_free(&c);
   return time;
}

/* Four components: a product with a column of constants, to which others are added. */
static void
add_column(uint32_t column, uint32_t to, uint32_t from)
{
   for (uint32_t i = 0; i < 4; i++)
      add(column == 0
             ? cf_make_fmul(cf_v(to + i), cf_v(from), cf_u(4 * column + i))
             : cf_make_fmad(cf_v(to + i), cf_v(from + column), cf_u(4 * column + i), cf_v(to + i)));
}

static void
add_store(uint32_t from)
{
   for (uint8_t i = 0; i < 4; i++)
      add(cf_make_out(i, cf_v(from + i)));
}

/* A vertex without light: its position times a matrix. */
static void
make_unlit(void)
{
   count = 0;
   add(cf_make_ldf(cf_v(0), 0, cf_v(20)));
   for (uint32_t column = 0; column < 4; column++)
      add_column(column, 4, 0);
   add_store(4);
   add(cf_make_end());
}

/* ------------------------------------------------------------------ the paper's figures */

/* About 40 cycles, 5 M vertices a second at 197 MHz: 39.4. Three stages, a load, four products one
 * after the other, with sums beside them; the last sum, a store, and writing back. */
static void
an_unlit_vertex(void **state)
{
   (void)state;
   struct cf_sim_machine m = paper_c();
   make_unlit();
   const uint32_t product = m.shader.multiply_cycles, sum = m.shader.add_cycles,
                  data = m.shader.data_cycles;
   assert_int_equal(cycles_of(&m, 1), 3 + data + 4 * product + sum + data + 1);
   assert_int_equal(cycles_of(&m, 1), 39);
   assert_int_equal(cycles_of(&m, 9), 9 * 39);
   m.shader.overlap = true; /* the next one's first instruction follows in order */
   assert_true(cycles_of(&m, 9) < 9 * 39);
}

/* The same of a position whose w is 1, as clipfree's compiler writes it: component by component, in
 * registers that are used again. Components still go together. */
static void
registers_that_are_used_again(void **state)
{
   (void)state;
   const struct cf_sim_machine m = paper_c();
   count = 0;
   add(cf_make_ldf(cf_v(0), 0, cf_v(20)));
   for (uint8_t i = 0; i < 4; i++) {
      const struct cf_reg sum = cf_v(i == 3 ? 1 : 5);
      add(cf_make_fmul(sum, cf_u(4u + i), cf_v(1)));
      add(cf_make_fmad(sum, cf_u(i), cf_v(0), sum));
      add(cf_make_fmad(sum, cf_u(8u + i), cf_v(2), sum));
      add(cf_make_fadd(sum, sum, cf_u(12u + i)));
      add(cf_make_out(i, sum));
   }
   add(cf_make_end());
   /* a load, three products, the first sum beside the last of them, two sums, a store */
   assert_int_equal(cycles_of(&m, 1), 3 + 1 + 3 * 7 + 5 + 5 + 1 + 1);
}

/* Cycles of one instruction: three stages before it, one after. */
static uint64_t
alone(const struct cf_sim_machine *m, uint32_t lanes, struct cf_instr (*make)(uint32_t lane))
{
   count = 0;
   for (uint32_t i = 0; i < lanes; i++)
      add(make(i));
   add(cf_make_end());
   return cycles_of(m, 1) - 4;
}

static struct cf_instr
make_product(uint32_t lane)
{
   return cf_make_fmul(cf_v(lane), cf_v(8 + lane), cf_v(16 + lane));
}

static struct cf_instr
make_sum(uint32_t lane)
{
   return cf_make_fadd(cf_v(lane), cf_v(8 + lane), cf_v(16 + lane));
}

static struct cf_instr
make_integer(uint32_t lane)
{
   return cf_make_iadd(cf_v(lane), cf_v(8 + lane), cf_v(16 + lane));
}

static struct cf_instr
make_root(uint32_t lane)
{
   return cf_make_frsq(cf_v(lane), cf_v(8 + lane));
}

/* A product of vectors 7 cycles, of four scalars 28; sums 5 and 1; CORDIC over 20, and 13 times 4
 * more if its sums were of floats. */
static void
instructions(void **state)
{
   (void)state;
   struct cf_sim_machine m = paper_c(), scalar = m, floats = m;
   scalar.shader.width = 1;
   floats.shader.iteration_cycles = m.shader.add_cycles;
   assert_int_equal(alone(&m, 4, make_product), 7);
   assert_int_equal(alone(&scalar, 4, make_product), 28);
   assert_int_equal(alone(&m, 5, make_product), 14);
   assert_int_equal(alone(&m, 1, make_sum), 5);
   assert_int_equal(alone(&m, 1, make_integer), 1);
   assert_int_equal(alone(&m, 1, make_root), 21);
   assert_int_equal(alone(&floats, 1, make_root), 21 + 13 * 4);
   m.shader.pipelined = true; /* all units but CORDIC */
   scalar.shader.pipelined = true;
   assert_int_equal(alone(&scalar, 4, make_product), 7 + 3);
   assert_int_equal(alone(&m, 2, make_root), 42);
}

/* A light: the normal normalised, its cosine with the light, and a colour. Each needs the one
 * before it. */
static void
a_lit_vertex(void **state)
{
   (void)state;
   struct cf_sim_machine m = paper_c();
   const uint32_t product = m.shader.multiply_cycles, sum = m.shader.add_cycles, root = 21;
   count = 0;
   add(cf_make_ldf(cf_v(0), 0, cf_v(20)));
   for (uint32_t dot = 0; dot < 2; dot++) { /* with itself; with the light */
      for (uint32_t i = 0; i < 3; i++) {
         const struct cf_reg with = dot ? cf_u(i) : cf_v(i);
         add(i == 0 ? cf_make_fmul(cf_v(8), cf_v(i), with)
                    : cf_make_fmad(cf_v(8), cf_v(i), with, cf_v(8)));
      }
      if (dot == 0)
         add(cf_make_frsq(cf_v(8), cf_v(8)));
      for (uint32_t i = 0; i < 3 && dot == 0; i++)
         add(cf_make_fmul(cf_v(i), cf_v(i), cf_v(8)));
   }
   add(cf_make_fmax(cf_v(8), cf_v(8), cf_u(9)));
   for (uint32_t i = 0; i < 4; i++)
      add(cf_make_fmad(cf_v(4 + i), cf_v(8), cf_u(10 + i), cf_u(14 + i)));
   add_store(4);
   add(cf_make_end());
   /* the three products of a dot product are one instruction, its two sums follow each other */
   const uint32_t dot = product + 2 * sum;
   assert_int_equal(cycles_of(&m, 1),
                    3 + 1 + dot + root + product + dot + sum + product + sum + 1 + 1);
}

/* What is loaded from scratch memory comes after what is stored there. */
static void
scratch_keeps_its_order(void **state)
{
   (void)state;
   const struct cf_sim_machine m = paper_c();
   count = 0;
   add(cf_make_frcp(cf_v(0), cf_v(8)));
   add(cf_make_sts(cf_v(20), 0, cf_v(0)));
   add(cf_make_lds(cf_v(1), cf_v(20), 0));
   add(cf_make_fadd(cf_v(2), cf_v(1), cf_v(1)));
   add(cf_make_end());
   assert_int_equal(cycles_of(&m, 1), 3 + 21 + 1 + 1 + 5 + 1);
}

/* A jump that is taken is fetched from when the second stage of decoding has seen it. */
static void
jumps(void **state)
{
   (void)state;
   const struct cf_sim_machine m = paper_c();
   for (uint32_t taken = 0; taken < 2; taken++) {
      const struct outcome outcome = { 0, 1, !taken };
      struct cf_sim_chunk c;
      count = 0;
      add(cf_make_movi(cf_v(0), 1));
      add(cf_make_if(cf_v(20), 4));
      add(make_integer(1));
      add(make_integer(2)); /* joins the one before */
      add(cf_make_endif());
      add(make_integer(3));
      add(cf_make_end());
      make_trace(&c, 1, &outcome, 1);
      struct cf_sim_vertices *v = run_trace(&m, &c);
      assert_int_equal(v->counts.jumps, taken);
      assert_int_equal(v->counts.instructions, taken ? 4 : 5);
      assert_int_equal(v->time, 3 + 4 + 1 + (taken ? 2 - 1 : 0)); /* one is left out */
      assert_int_equal(v->cycles[CF_SIM_VERTICES_FETCH][CF_SIM_WHY_FETCH], taken ? 2 : 0);
      end(v);
      cf_sim_chunk_free(&c);
   }
}

/* A loop: each time round a test, a sum and a jump back; the last test jumps out. */
static void
loops(void **state)
{
   (void)state;
   const struct cf_sim_machine m = paper_c();
   for (uint32_t rounds = 0; rounds < 5; rounds++) {
      struct outcome outcome[5];
      struct cf_sim_chunk c;
      count = 0;
      add(cf_make_loop());
      add(cf_make_brk(cf_v(20), 3));
      add(make_integer(0));
      add(cf_make_endloop(1));
      add(cf_make_end());
      for (uint32_t i = 0; i <= rounds; i++)
         outcome[i] = (struct outcome){ 0, 1, i == rounds };
      make_trace(&c, 1, outcome, rounds + 1);
      struct cf_sim_vertices *v = run_trace(&m, &c);
      assert_int_equal(v->counts.instructions, 3 * rounds + 2);
      assert_int_equal(v->counts.jumps, rounds + 1);
      /* three instructions and two cycles of each jump; the last two are in decoding only */
      assert_int_equal(v->time, 2 + 5 * rounds + 3 + 1);
      end(v);
      cf_sim_chunk_free(&c);
   }
}

/* A branch finds its outcome behind what loads before it refer to. */
static void
outcomes_behind_loads(void **state)
{
   (void)state;
   const struct cf_sim_machine m = paper_c();
   const struct outcome outcome[] = { { 0, 0, 17 }, { 0, 1, 1 } };
   struct cf_sim_chunk c;
   count = 0;
   add(cf_make_ldu(cf_v(0), 0, cf_v(20), 0));
   add(cf_make_if(cf_v(20), 3));
   add(make_integer(1));
   add(cf_make_endif());
   add(cf_make_end());
   make_trace(&c, 1, outcome, 2);
   struct cf_sim_vertices *v = run_trace(&m, &c);
   assert_int_equal(v->counts.lost, 0);
   assert_int_equal(v->counts.instructions, 4);
   end(v);
   cf_sim_chunk_free(&c);
}

/* The distributor: a vertex is put into the data memory while others are shaded, as far as there is
 * room. */
static void
distribution(void **state)
{
   (void)state;
   struct cf_sim_machine m = paper_c();
   make_unlit(); /* of two attributes */
   m.shader.distribute_cycles = 10;
   assert_int_equal(cycles_of(&m, 5), 20 + 5 * 39);
   struct cf_sim_chunk c;
   make_trace(&c, 3, NULL, 0);
   struct cf_sim_vertices *v = run_trace(&m, &c);
   const uint64_t *cycles = v->cycles[CF_SIM_VERTICES_DISTRIBUTOR];
   assert_int_equal(cycles[CF_SIM_WHY_BUSY], 3 * 20);
   assert_int_equal(cycles[CF_SIM_WHY_FULL], 39 - 20); /* until the first one is shaded */
   end(v);
   cf_sim_chunk_free(&c);
   m.shader.ahead = 0;
   assert_int_equal(cycles_of(&m, 5), 5 * (20 + 39));
   m.shader.ahead = 3;
   m.shader.distribute_cycles = 100;
   assert_int_equal(cycles_of(&m, 5), 5 * 200 + 39);
}

/* Programs behind a cache: each line comes once, if all stay. */
static void
cached_programs(void **state)
{
   (void)state;
   struct cf_sim_machine m = paper_c();
   struct cf_sim_chunk c;
   m.shader.program = CF_SIM_PROGRAM_STORE_CACHED;
   make_unlit();
   make_trace(&c, 3, NULL, 0);
   struct cf_sim_vertices *v = run_trace(&m, &c);
   /* a load, four products, three sums, a store, an end, of 8 bytes each; the end's address is
    * that of what would follow */
   const uint64_t lines = (10 * 8 + 63) / 64;
   assert_int_equal(v->counts.instructions, 3 * 10);
   assert_in_range(v->counts.fetch_misses, lines, lines + 1);
   assert_int_equal(v->dram.reads, v->counts.fetch_misses);
   assert_true(v->time > 3 * 39 + m.dram.latency);
   assert_true(v->cycles[CF_SIM_VERTICES_FETCH][CF_SIM_WHY_MEMORY] >= lines * m.dram.latency);
   end(v);
   m.instruction.size_B = 64; /* one line: each vertex fetches all again */
   m.instruction.ways = 1;
   v = run_trace(&m, &c);
   assert_int_equal(v->counts.fetch_misses, 3 * lines);
   end(v);
   cf_sim_chunk_free(&c);
}

/* ------------------------------------------------------------------ random programs */

static uint32_t
below(struct cf_random *random, uint32_t n)
{
   return cf_random_below(random, n);
}

static struct cf_instr
random_instr(struct cf_random *random, uint32_t registers)
{
   const struct cf_reg to = cf_v(below(random, registers)), a = cf_v(below(random, registers)),
                       b = cf_v(below(random, registers)), c = cf_v(below(random, registers));
   switch (below(random, 8)) {
   case 0:
   case 1:
      return cf_make_fmul(to, a, b);
   case 2:
      return cf_make_fadd(to, a, b);
   case 3:
   case 4:
      return cf_make_fmad(to, a, b, c);
   case 5:
      return cf_make_iadd(to, a, b);
   case 6:
      return cf_make_frcp(to, a);
   default:
      return cf_make_fmin(to, a, b);
   }
}

static struct cf_sim_machine
random_machine(struct cf_random *random)
{
   struct cf_sim_machine m = paper_c();
   m.shader.width = 1 + below(random, 4);
   m.shader.fixed_cycles = 1 + below(random, 3);
   m.shader.add_cycles = 1 + below(random, 8);
   m.shader.multiply_cycles = 1 + below(random, 9);
   m.shader.iterations = 1 + below(random, 14);
   m.shader.convert_cycles = below(random, 8);
   m.shader.data_cycles = 1 + below(random, 3);
   m.shader.pipelined = below(random, 2);
   m.shader.forwarding = below(random, 2);
   m.shader.overlap = below(random, 2);
   m.shader.ahead = below(random, 3);
   m.shader.distribute_cycles = below(random, 3) * below(random, 40);
   return m;
}

/* What an operation makes of its operands: a number that tells them apart. */
static uint64_t
made_of(uint32_t key, uint64_t a, uint64_t b)
{
   uint64_t x = key * 0x9e3779b97f4a7c15ull ^ a * 0xbf58476d1ce4e5b9ull ^ b * 0x94d049bb133111ebull;
   return x ^ x >> 29;
}

/* Operands of a lane; all instructions of a key have as many. */
static uint32_t
operands_of(uint32_t key)
{
   return key == CF_OP_FRCP || key == 0 ? 1 : 2;
}

static void
run_scalar(uint64_t value[CF_SIM_SIMD_REGISTERS])
{
   for (uint32_t i = 0; i < count; i++) {
      struct cf_instr instr = { 0 };
      const char *why;
      assert_true(cf_instr_decode(code[i], &instr, &why));
      uint64_t in[3] = { 0 };
      for (uint32_t k = 0; k < cf_op_info(instr.op)->sources && k < 3; k++)
         in[k] = value[instr.src[k].index];
      if (instr.op == CF_OP_FMAD)
         value[instr.dst.index] = made_of(CF_OP_FADD, in[2], made_of(CF_OP_FMUL, in[0], in[1]));
      else if (instr.op != CF_OP_END)
         value[instr.dst.index] = made_of(instr.op == CF_OP_FRCP ? 0 : instr.op, in[0], in[1]);
   }
}

static void
run_gathered(const struct cf_sim_simd *simd, uint64_t *value)
{
   for (uint32_t i = 0; i < simd->block[0].count; i++) {
      const struct cf_sim_simd_instr *s = &simd->instr[i];
      const uint32_t operands = operands_of(s->key);
      uint64_t result[CF_SIM_SIMD_WIDTH];
      for (uint32_t lane = 0; lane < s->lanes; lane++) {
         const uint32_t *read = &s->read[lane * operands];
         result[lane] = made_of(s->key, value[read[0]], operands > 1 ? value[read[1]] : 0);
      }
      for (uint32_t lane = 0; lane < s->lanes; lane++)
         value[s->write[lane]] = result[lane];
   }
}

/* Gathered operations do the same as one after the other. */
static void
gathering_keeps_meaning(void **state)
{
   (void)state;
   struct cf_random random = cf_random_seed("timing simd");
   uint32_t joined = 0;
   for (uint32_t i = 0; i < 2000; i++) {
      uint64_t expected[CF_SIM_SIMD_REGISTERS], *found;
      struct cf_sim_simd simd;
      const uint32_t registers = 2 + below(&random, 30);
      const struct cf_sim_machine m = random_machine(&random);
      count = 0;
      for (uint32_t k = below(&random, 60); k > 0; k--)
         add(random_instr(&random, registers));
      add(cf_make_end());
      assert_true(cf_sim_simd_init(&simd, code, count, &m));
      found = calloc(simd.registers, sizeof(found[0]));
      for (uint32_t r = 0; r < CF_SIM_SIMD_REGISTERS; r++)
         expected[r] = found[r] = r + 1;
      run_scalar(expected);
      run_gathered(&simd, found);
      assert_memory_equal(expected, found, sizeof(expected));
      for (uint32_t k = 0; k < simd.instrs; k++) {
         assert_in_range(simd.instr[k].lanes, 1, m.shader.width);
         joined += simd.instr[k].lanes > 1;
      }
      free(found);
      cf_sim_simd_free(&simd);
   }
   assert_true(joined > 1000);
}

/* ------------------------------------------------------------------ cycle by cycle */

static void
add_random_block(struct cf_random *random, uint32_t registers)
{
   for (uint32_t k = below(random, 12); k > 0; k--)
      add(random_instr(random, registers));
}

/* Blocks with a branch between: if, then, else. Returns where its parts are. */
struct branches {
   uint32_t cond[4], or_else[4], end[4], count, condition[4];
   bool has_else[4];
};

static struct branches
make_random_program(struct cf_random *random)
{
   const uint32_t registers = 3 + below(random, 12);
   struct branches b = { .count = below(random, 4) };
   count = 0;
   add_random_block(random, registers);
   for (uint32_t i = 0; i < b.count; i++) {
      b.has_else[i] = below(random, 2);
      b.condition[i] = below(random, registers);
      b.cond[i] = add(cf_make_if(cf_v(b.condition[i]), 0));
      add_random_block(random, registers);
      b.or_else[i] = b.has_else[i] ? add(cf_make_else(0)) : 0;
      if (b.has_else[i])
         add_random_block(random, registers);
      b.end[i] = add(cf_make_endif());
      const struct cf_instr branch = cf_make_if(cf_v(b.condition[i]),
                                                b.has_else[i] ? b.or_else[i] : b.end[i]),
                            other = cf_make_else(b.end[i]);
      code[b.cond[i]] = cf_instr_encode(&branch);
      if (b.has_else[i])
         code[b.or_else[i]] = cf_instr_encode(&other);
      add_random_block(random, registers);
   }
   add(cf_make_end());
   return b;
}

/* Steps of a block that begins at `at`. */
static uint32_t
put_block(const struct cf_sim_simd *simd, uint32_t at, struct step *step, uint32_t steps,
          uint32_t vertex)
{
   const struct cf_sim_simd_block *block = &simd->block[at];
   for (uint32_t i = 0; i < block->count; i++)
      step[steps++] = (struct step){ .instr = &simd->instr[block->first + i], .vertex = vertex };
   return steps;
}

/* What a vertex runs, with random outcomes. */
static uint32_t
put_vertex(struct cf_random *random, const struct cf_sim_simd *simd, const struct branches *b,
           uint32_t vertex, struct step *step, uint32_t steps, struct outcome *outcome,
           uint32_t *outcomes)
{
   const uint32_t first = steps;
   steps = put_block(simd, 0, step, steps, vertex);
   for (uint32_t i = 0; i < b->count; i++) {
      const bool taken = below(random, 2);
      outcome[(*outcomes)++] = (struct outcome){ vertex, b->cond[i], taken };
      step[steps++] =
         (struct step){ .vertex = vertex,
                        .has_condition = true,
                        .condition = b->condition[i],
                        .jumps = !taken &&
                                 (b->has_else[i] ? b->or_else[i] : b->end[i]) != b->cond[i] + 1 };
      if (taken && b->cond[i] + 1 != (b->has_else[i] ? b->or_else[i] : b->end[i]))
         steps = put_block(simd, b->cond[i] + 1, step, steps, vertex);
      if (taken && b->has_else[i])
         step[steps++] = (struct step){ .vertex = vertex, .jumps = b->end[i] != b->or_else[i] + 1 };
      if (!taken && b->has_else[i] && b->or_else[i] + 1 != b->end[i])
         steps = put_block(simd, b->or_else[i] + 1, step, steps, vertex);
      steps = put_block(simd, b->end[i] + 1, step, steps, vertex);
   }
   step[steps++] = (struct step){ .vertex = vertex, .last = true };
   step[first].first = true;
   return steps;
}

/* Random programs on random machines: the same cycles, for the same causes. */
static void
as_cycle_by_cycle(void **state)
{
   (void)state;
   static struct step step[MAX_RUN];
   struct cf_random random = cf_random_seed("timing vertices");
   for (uint32_t i = 0; i < 1500; i++) {
      const struct cf_sim_machine m = random_machine(&random);
      const struct branches b = make_random_program(&random);
      const uint32_t vertices = 1 + below(&random, MAX_VERTICES);
      struct outcome outcome[4 * MAX_VERTICES];
      uint32_t steps = 0, outcomes = 0;
      struct cf_sim_simd simd;
      struct cf_sim_chunk c;
      assert_true(cf_sim_simd_init(&simd, code, count, &m));
      for (uint32_t vertex = 0; vertex < vertices; vertex++)
         steps = put_vertex(&random, &simd, &b, vertex, step, steps, outcome, &outcomes);
      make_trace(&c, vertices, outcome, outcomes);
      struct cf_sim_vertices *v = run_trace(&m, &c);
      const struct slow_run *slow = run_slow(&m, step, steps);
      assert_int_equal(v->time, slow->end);
      assert_int_equal(v->counts.instructions, steps);
      assert_int_equal(v->counts.lost, 0);
      for (uint32_t part = CF_SIM_VERTICES_DECODE1; part < CF_SIM_VERTICES_PARTS; part++)
         assert_memory_equal(v->cycles[part], slow->cycles[part], sizeof(slow->cycles[part]));
      for (uint32_t why = CF_SIM_WHY_BUSY; why <= CF_SIM_WHY_FULL; why++)
         assert_int_equal(v->cycles[CF_SIM_VERTICES_FETCH][why],
                          slow->cycles[CF_SIM_VERTICES_FETCH][why]);
      end(v);
      cf_sim_chunk_free(&c);
      cf_sim_simd_free(&simd);
   }
}

/* Traces with wrong numbers are refused, or can be run to their end. */
static void
damaged_traces_end(void **state)
{
   (void)state;
   struct cf_random random = cf_random_seed("timing vertices damaged");
   const struct cf_sim_machine m = paper_c();
   uint32_t refused = 0, lost = 0, used = 0;
   for (uint32_t i = 0; i < 1500; i++) {
      struct outcome outcome[4 * MAX_VERTICES];
      uint32_t outcomes = 0;
      const struct branches b = make_random_program(&random);
      struct cf_sim_chunk c;
      for (uint32_t vertex = 0; vertex < 4; vertex++)
         for (uint32_t k = 0; k < b.count; k++)
            outcome[outcomes++] = (struct outcome){ vertex, b.cond[k], below(&random, 2) };
      make_trace(&c, 4, outcome, outcomes);
      uint8_t *const array[] = { (uint8_t *)c.code, (uint8_t *)c.vertex_step, (uint8_t *)c.program,
                                 (uint8_t *)c.vertex };
      const size_t size_B[] = { c.codes * sizeof(c.code[0]),
                                c.vertex_steps * sizeof(c.vertex_step[0]),
                                c.programs * sizeof(c.program[0]),
                                c.vertices * sizeof(c.vertex[0]) };
      const uint32_t what = below(&random, 4);
      if (size_B[what] > 0)
         array[what][below(&random, (uint32_t)size_B[what])] ^= 1u << below(&random, 8);
      if (cf_sim_check(&c)) {
         refused++;
      } else {
         struct cf_sim_vertices *v = run_trace(&m, &c);
         lost += v->counts.lost > 0;
         used++;
         end(v);
      }
      cf_sim_chunk_free(&c);
   }
   assert_true(refused > 100 && used > 100 && lost > 50);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_unlit_vertex),
      cmocka_unit_test(registers_that_are_used_again),
      cmocka_unit_test(instructions),
      cmocka_unit_test(a_lit_vertex),
      cmocka_unit_test(scratch_keeps_its_order),
      cmocka_unit_test(jumps),
      cmocka_unit_test(loops),
      cmocka_unit_test(outcomes_behind_loads),
      cmocka_unit_test(distribution),
      cmocka_unit_test(cached_programs),
      cmocka_unit_test(gathering_keeps_meaning),
      cmocka_unit_test(as_cycle_by_cycle),
      cmocka_unit_test(damaged_traces_end),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
