/* SPDX-License-Identifier: MIT */
/*
 * The geometry engine against a reference that takes one dword of one vertex at a time. Random
 * programs copy any dwords of their input vertices to the vertices that they emit; how many these
 * are, and which end their strip, follows from the primitive's number. Primitives of 1 to 6
 * vertices, none to more than max_vertices emitted, up to 1023 of them, varyings that are not
 * there, tasks that are not full, tasks that the watchdog ends, and an observer.
 */
#include "clipfree/shader/test_shader.h"

#include "clipfree/arith/cf_minmax.h"
#include "clipfree/base/cf_time_limit.h"
#include "clipfree/base/test_random.h"
#include "clipfree/shader/cf_geometry_layout.h"
#include "clipfree/vertex/cf_geometry.h"

#define MOST_SLOTS 4 /* of varyings, of a vertex */
#define MOST_OUTPUTS (CF_OUTPUT_VARYINGS + 4 * MOST_SLOTS)
#define ROUNDS 300

/* A program: dword d of emitted vertex k is dword source[k][d] of scratch, but for the last three
 * of the head: the lane, the layer, which is the primitive's number + k, and whether the strip
 * ends: where the primitive's number has a bit of ends[k]. Of the vertices, number % (max_vertices
 * + 2) are emitted. It writes one vertex more than it may emit. */
struct plan {
   struct cf_program info;
   uint32_t source[CF_MAX_GEOMETRY_VERTICES + 1][MOST_OUTPUTS];
   uint32_t ends[CF_MAX_GEOMETRY_VERTICES + 1];
   uint32_t computed; /* the output that is read from a computed address; MOST_OUTPUTS: none */
};

struct primitive {
   struct cf_geometry_input input;
   float *record[6]; /* of its own, as long as the vertex program makes them */
};

struct bench {
   struct fixture f;
   struct plan plan;
   struct cf_geometry_source source;
   uint32_t vertex_slots; /* that the vertex program writes */
   struct primitive primitive[CF_TASK_LANES];
   struct cf_geometry_input input[CF_TASK_LANES];
   uint32_t count;
};

/* The allocation that fails, counted down; 0: none. The linker leads the engine's calls here. */
static unsigned allocations_left;

void *__real_malloc(size_t size_B);
void *__wrap_malloc(size_t size_B);

void *
__wrap_malloc(size_t size_B)
{
   return allocations_left && !--allocations_left ? NULL : __real_malloc(size_B);
}

/* ---- reference ---- */

static uint32_t
bits_of(const float *value)
{
   uint32_t bits;
   memcpy(&bits, value, sizeof(bits));
   return bits;
}

/* Dword `place` of scratch when a program begins, by struct program in interface/packets.toml. */
static uint32_t
expected_scratch(const struct bench *b, const struct cf_geometry_input *input, uint32_t place)
{
   const uint32_t input_dwords = 8 + b->plan.info.inputs;
   const float *record = input->vertex[(place - 1) / input_dwords];
   const uint32_t dword = (place - 1) % input_dwords;
   if (dword < 8)
      return bits_of(&record[dword]);
   const struct cf_link *link = &b->source.link[(dword - 8) / 4];
   if (link->present)
      return bits_of(&record[8 + 4 * link->slot + dword % 4]);
   return dword % 4 == 3 ? 0x3f800000 : 0;
}

/* Dword d of vertex k that a lane emits. */
static uint32_t
expected_dword(const struct bench *b, uint32_t lane, uint32_t k, uint32_t d)
{
   const uint32_t number = b->input[lane].primitive;
   switch (d) {
   case CF_OUTPUT_EDGE_FLAG:
      return lane;
   case CF_OUTPUT_LAYER:
      return number + k;
   case CF_OUTPUT_ENDS_STRIP:
      return number & b->plan.ends[k];
   default:
      return d < b->plan.info.outputs ? expected_scratch(b, &b->input[lane], b->plan.source[k][d])
                                      : 0;
   }
}

/* How many vertices the strip from vertex `first` on has. */
static uint32_t
expected_strip(const struct bench *b, uint32_t lane, uint32_t first)
{
   const uint32_t number = b->input[lane].primitive, most = b->plan.info.max_vertices;
   const uint32_t wanted = number % (most + 2), emitted = wanted > most ? most : wanted;
   for (uint32_t k = first; k < emitted; k++) {
      if (number & b->plan.ends[k])
         return k + 1 - first;
   }
   return emitted - first;
}

/* ---- random programs and primitives ---- */

static void
put_vertex(struct program_text *text, const struct plan *plan, uint32_t k)
{
   const uint32_t at = cf_geometry_outputs(&plan->info) + k * cf_record_dwords(&plan->info);
   for (uint32_t d = 0; d < plan->info.outputs; d++) {
      if (d < CF_OUTPUT_EDGE_FLAG || d >= CF_OUTPUT_VARYINGS)
         program_text_put(text, "lds v3, [%s + %u]\nsts [0 + %u], v3\n",
                          plan->computed == d ? "v4" : "0", plan->source[k][d], at + d);
   }
   program_text_put(text,
                    "sts [0 + %u], v1\nmovi v3, 0x%x\niadd v3, v0, v3\nsts [0 + %u], v3\n"
                    "movi v3, 0x%x\nand v3, v0, v3\nsts [0 + %u], v3\n",
                    at + CF_OUTPUT_EDGE_FLAG, k, at + CF_OUTPUT_LAYER, plan->ends[k],
                    at + CF_OUTPUT_ENDS_STRIP);
}

static void
load_program(struct bench *b)
{
   const struct plan *plan = &b->plan;
   struct program_text text = program_text_begin();
   program_text_put(
      &text,
      "sys v0, primitive\nsys v1, lane\nxor v4, v0, v0\nmovi v2, 0x%x\numod v2, v0, v2\n"
      "sts [0 + %u], v2\n",
      plan->info.max_vertices + 2, CF_GEOMETRY_EMITTED);
   for (uint32_t k = 0; k <= plan->info.max_vertices; k++)
      put_vertex(&text, plan, k);
   program_text_put(&text, "end\n");
   b->f.info = plan->info;
   if (!fixture_load(&b->f, text.text))
      fail_msg("%s", b->f.error);
   free(text.text);
}

/* Boundaries first: one vertex, the most, and the least and most varyings. */
static void
make_plan(struct cf_random *r, struct bench *b, uint32_t round)
{
   static const uint32_t vertices[] = { 1, 2, 3, 4, 6 };
   struct plan *plan = &b->plan;
   const bool most = round == 1;
   plan->info = (struct cf_program){ .stage = CF_SHADER_STAGE_GEOMETRY,
                                     .vector_regs = 5,
                                     .sysvals = 1u << CF_SYSVAL_PRIMITIVE | 1u << CF_SYSVAL_LANE,
                                     .inputs = 4 * cf_random_below(r, MOST_SLOTS + 1),
                                     .outputs = most ? 8 : 4 + cf_random_below(r, MOST_OUTPUTS - 3),
                                     .input_vertices = vertices[round % 5],
                                     .output_prim = CF_PRIM_KIND_TRIANGLE_STRIP };
   plan->info.max_vertices = round == 0 ? 1
                             : most     ? CF_MAX_GEOMETRY_VERTICES
                                        : 1 + cf_random_below(r, 12);
   plan->info.scratch_dwords = cf_geometry_scratch_dwords(&plan->info);
   const uint32_t inputs_end = cf_geometry_outputs(&plan->info);
   plan->computed = cf_random_below(r, 3) ? MOST_OUTPUTS : cf_random_below(r, MOST_OUTPUTS);
   const uint32_t bits = cf_random_below(r, 4); /* strips end never, seldom, or often */
   for (uint32_t k = 0; k <= plan->info.max_vertices; k++) {
      for (uint32_t d = 0; d < MOST_OUTPUTS; d++)
         plan->source[k][d] = 1 + cf_random_below(r, inputs_end - 1);
      plan->ends[k] = 0;
      for (uint32_t i = 0; i < bits; i++)
         plan->ends[k] |= cf_random_below(r, 2) << cf_random_below(r, 32);
   }
}

static void
make_source(struct cf_random *r, struct bench *b)
{
   b->vertex_slots = cf_random_below(r, MOST_SLOTS + 1);
   b->source = (struct cf_geometry_source){ .stage = &b->f.stage,
                                            .record_dwords = cf_record_dwords(&b->plan.info),
                                            .prim = b->plan.info.output_prim,
                                            .links = b->plan.info.inputs / 4 };
   for (uint32_t i = 0; i < b->source.links; i++) {
      if (b->vertex_slots)
         b->source.link[i].slot = (uint8_t)cf_random_below(r, b->vertex_slots);
      b->source.link[i].present = b->vertex_slots && cf_random_below(r, 4);
   }
}

/* A number of which no vertex is emitted, or the most, or one too many, or any. */
static uint32_t
make_number(struct cf_random *r, const struct plan *plan, uint32_t kind)
{
   const uint32_t cycle = plan->info.max_vertices + 2, any = cf_random_u32(r);
   const uint32_t first = any - any % cycle;
   switch (kind) {
   case 0:
      return first;
   case 1:
      return first > cycle ? first - 2 : cycle - 2;
   case 2:
      return first > cycle ? first - 1 : cycle - 1;
   case 3:
      return cf_random_below(r, 2 * cycle);
   default:
      return any;
   }
}

/* As many primitives as a task may have, one, or any number; with records of the exact size. */
static void
make_primitives(struct cf_random *r, struct bench *b, uint32_t round)
{
   const uint32_t dwords = CF_OUTPUT_VARYINGS + 4 * b->vertex_slots;
   const uint32_t kind = cf_random_below(r, 8);
   b->count = round % 3 == 0 ? CF_TASK_LANES : round % 3 == 1 ? 1 : 1 + cf_random_below(r, 32);
   for (uint32_t lane = 0; lane < b->count; lane++) {
      struct primitive *p = &b->primitive[lane];
      p->input = (struct cf_geometry_input){ .primitive = make_number(r, &b->plan, kind),
                                             .instance = cf_random_below(r, 5) };
      for (uint32_t i = 0; i < b->plan.info.input_vertices; i++) {
         p->record[i] = malloc(dwords * sizeof(float));
         for (uint32_t d = 0; d < dwords; d++) {
            const uint32_t bits = cf_random_u32(r);
            memcpy(&p->record[i][d], &bits, sizeof(bits));
         }
         p->input.vertex[i] = p->record[i];
      }
      b->input[lane] = p->input;
   }
}

static void
free_primitives(struct bench *b)
{
   for (uint32_t lane = 0; lane < b->count; lane++) {
      for (uint32_t i = 0; i < b->plan.info.input_vertices; i++)
         free(b->primitive[lane].record[i]);
   }
}

static struct bench *
new_bench(void)
{
   struct bench *b = calloc(1, sizeof(*b));
   assert_non_null(b);
   fixture_init(&b->f);
   free(b->f.task->scratch);
   b->f.task->scratch = calloc(CF_MAX_SCRATCH_DWORDS, sizeof(*b->f.task->scratch));
   b->f.task->scratch_dwords = CF_MAX_SCRATCH_DWORDS;
   assert_non_null(b->f.task->scratch);
   return b;
}

static void
free_bench(struct bench *b)
{
   fixture_end(&b->f);
   free(b);
}

/* A program, and primitives for it. */
static void
make_round(struct cf_random *r, struct bench *b, uint32_t round)
{
   make_plan(r, b, round);
   load_program(b);
   make_source(r, b);
   make_primitives(r, b, round);
}

/* ---- checks ---- */

static void
check_record(const struct bench *b, uint32_t lane, uint32_t k, const float *record)
{
   for (uint32_t d = 0; d < b->source.record_dwords; d++) {
      const uint32_t expected = expected_dword(b, lane, k, d), got = bits_of(&record[d]);
      if (got != expected)
         fail_msg("lane %u, vertex %u, dword %u: 0x%08x instead of 0x%08x", lane, k, d, got,
                  expected);
   }
   assert_int_equal(cf_geometry_layer(record), b->input[lane].primitive + k);
}

/* All strips of a lane, to the end and beyond; returns how many. */
static uint32_t
check_strips(struct cf_geometry_engine *engine, const struct bench *b, uint32_t lane)
{
   uint32_t first = 0, count, strips = 0;
   do {
      const float *const *strip = cf_geometry_strip(engine, lane, first, &count);
      assert_int_equal(count, expected_strip(b, lane, first));
      for (uint32_t i = 0; i < count; i++)
         check_record(b, lane, first + i, strip[i]);
      first += count;
      strips += count > 0;
   } while (count > 0);
   return strips;
}

static uint32_t
run_round(struct cf_geometry_engine *engine, struct bench *b, uint64_t draw)
{
   uint32_t strips = 0;
   b->f.task->prepared = NULL;
   assert_true(cf_geometry_begin(engine, &b->source, draw, b->f.task));
   for (uint32_t again = 0; again < 2; again++) { /* the same, from a scratch that was written */
      assert_true(cf_geometry_run(engine, b->input, b->count));
      for (uint32_t lane = 0; lane < b->count; lane++)
         strips += check_strips(engine, b, lane);
   }
   return strips;
}

static void
strips_are_right(void **state)
{
   struct cf_random r = cf_random_seed("vertex-geometry strips");
   struct bench *b = new_bench();
   uint32_t strips = 0;
   for (int level = 0; level <= (int)cf_host_level(); level++) {
      struct cf_geometry_engine *engine = cf_geometry_engine_create(cf_shader_ops_at(level), NULL);
      for (uint32_t round = 0; round < ROUNDS; round++) {
         make_round(&r, b, round);
         strips += run_round(engine, b, 0);
         free_primitives(b);
      }
      cf_geometry_engine_destroy(engine);
   }
   assert_true(strips > ROUNDS);
   free_bench(b);
   cf_geometry_engine_destroy(NULL);
}

/* Without memory for its vertices a draw is refused; with memory again, the next is right. */
static void
no_memory(void **state)
{
   struct cf_random r = cf_random_seed("vertex-geometry memory");
   struct bench *b = new_bench();
   make_round(&r, b, 0);
   for (unsigned failing = 1; failing <= 2; failing++) { /* the store; the strip */
      struct cf_geometry_engine *engine =
         cf_geometry_engine_create(cf_shader_ops_at(cf_host_level()), NULL);
      assert_true(b->plan.info.max_vertices > 0);
      allocations_left = failing;
      assert_false(cf_geometry_begin(engine, &b->source, 0, b->f.task));
      assert_int_equal(allocations_left, 0);
      run_round(engine, b, 0);
      cf_geometry_engine_destroy(engine);
   }
   free_primitives(b);
   free_bench(b);
}

/* ---- the watchdog ---- */

#define ENDLESS 5 /* the primitive that never ends, after it has emitted a vertex */
static const char endless_text[] =
   "sys v0, primitive\nmovi v1, 0x00000001\nsts [0 + 0], v1\n"
   "movi v1, 0x00000005\nult v2, v0, v1\nult v3, v1, v0\nor v2, v2, v3\n"
   "loop\nnext: iadd v3, v3, v3\nbrk v2, last\nlast: endloop next\nend\n";

/* Nothing of the ended task is emitted; the next one is whole again. */
static void
watchdog_ends_tasks(void **state)
{
   struct cf_random r = cf_random_seed("vertex-geometry watchdog");
   struct bench *b = new_bench();
   struct cf_geometry_engine *engine =
      cf_geometry_engine_create(cf_shader_ops_at(cf_host_level()), NULL);
   uint32_t count;
   make_round(&r, b, 0);
   b->f.info = b->plan.info;
   assert_true(fixture_load(&b->f, endless_text));
   b->f.stage.max_instrs = 1000;
   b->f.task->prepared = NULL;
   assert_true(cf_geometry_begin(engine, &b->source, 0, b->f.task));
   for (uint32_t round = 0; round < 4; round++) {
      for (uint32_t lane = 0; lane < CF_TASK_LANES; lane++)
         b->input[lane].primitive = lane + 10;
      if (round % 2)
         b->input[round == 1 ? 0 : CF_TASK_LANES - 1].primitive = ENDLESS;
      assert_int_equal(cf_geometry_run(engine, b->input, CF_TASK_LANES), round % 2 == 0);
      for (uint32_t lane = 0; lane < CF_TASK_LANES; lane++) {
         cf_geometry_strip(engine, lane, 0, &count);
         assert_int_equal(count, round % 2 == 0);
      }
   }
   cf_geometry_engine_destroy(engine);
   free_primitives(b);
   free_bench(b);
}

/* A task that ran longer than is allowed emits nothing; without the limit it does. */
static void
time_runs_out(void **state)
{
   struct cf_random r = cf_random_seed("vertex-geometry time");
   struct bench *b = new_bench();
   struct cf_geometry_engine *engine =
      cf_geometry_engine_create(cf_shader_ops_at(cf_host_level()), NULL);
   struct cf_time_limit limit = { .limit_ns = 1 };
   uint32_t count;
   make_round(&r, b, 0);
   b->f.task->prepared = NULL;
   assert_true(cf_geometry_begin(engine, &b->source, 0, b->f.task));
   cf_time_limit_begin(&limit, 0, CF_TIME_ITEMS_UNKNOWN);
   while (!cf_time_limit_asked(&limit))
      ;
   b->f.task->limit = &limit;
   b->f.task->timed_out = false;
   assert_false(cf_geometry_run(engine, b->input, b->count));
   assert_true(b->f.task->timed_out);
   for (uint32_t lane = 0; lane < b->count; lane++) {
      cf_geometry_strip(engine, lane, 0, &count);
      assert_int_equal(count, 0);
   }
   b->f.task->limit = NULL;
   run_round(engine, b, 0);
   free_primitives(b);
   cf_geometry_engine_destroy(engine);
   free_bench(b);
}

/* ---- the observer ---- */

struct watch {
   const struct bench *bench;
   uint64_t draw;
   uint32_t begun, ended;
};

static void
watch_begin(void *user, const struct cf_task_event *task)
{
   struct watch *w = user;
   const struct bench *b = w->bench;
   w->begun++;
   assert_true(task->geometry);
   assert_int_equal(task->draw, w->draw);
   assert_int_equal(task->lanes, UINT32_MAX >> (32 - b->count));
   for (uint32_t lane = 0; lane < b->count; lane++) {
      assert_int_equal(task->element[lane], b->input[lane].primitive);
      assert_int_equal(task->vertex[lane], b->input[lane].primitive);
      assert_int_equal(task->instance[lane], b->input[lane].instance);
   }
}

static void
watch_end(void *user, const struct cf_task_event *task)
{
   struct watch *w = user;
   w->ended++;
   assert_int_equal(task->draw, w->draw);
}

/* Who watches a task may look at any of its inputs, whether the program reads them or not. */
static void
check_inputs(const struct bench *b)
{
   const uint32_t end = cf_geometry_outputs(&b->plan.info);
   for (uint32_t lane = 0; lane < b->count; lane++) {
      for (uint32_t dword = CF_GEOMETRY_INPUTS; dword < end; dword++)
         assert_int_equal(b->f.task->scratch[dword][lane],
                          expected_scratch(b, &b->input[lane], dword));
   }
}

/* The observer sees every task, and strips are the same as without it. */
static void
tasks_are_watched(void **state)
{
   struct cf_random r = cf_random_seed("vertex-geometry watched");
   struct bench *b = new_bench();
   struct watch w = { .bench = b };
   const struct cf_observer observer = { .user = &w,
                                         .task_begin = watch_begin,
                                         .task_end = watch_end };
   struct cf_geometry_engine *engine =
      cf_geometry_engine_create(cf_shader_ops_at(cf_host_level()), &observer);
   for (uint32_t round = 0; round < 50; round++) {
      make_round(&r, b, round);
      w.draw = 0x1000 + round;
      run_round(engine, b, w.draw);
      check_inputs(b);
      free_primitives(b);
   }
   assert_int_equal(w.begun, 2 * 50);
   assert_int_equal(w.ended, 2 * 50);
   cf_geometry_engine_destroy(engine);
   free_bench(b);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(strips_are_right),    cmocka_unit_test(no_memory),
      cmocka_unit_test(watchdog_ends_tasks), cmocka_unit_test(time_runs_out),
      cmocka_unit_test(tasks_are_watched),
   };
   return cmocka_run_group_tests_name("vertex-geometry", tests, NULL, NULL);
}
