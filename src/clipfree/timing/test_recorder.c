/* SPDX-License-Identifier: MIT */
/*
 * The recorder, with events made by hand: what samples read is what their records say, read as
 * cf_sim_trace.h describes them; vertices and primitives in order, each once; after a failure
 * nothing is handed on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "clipfree/base/test_random.h"
#include "clipfree/timing/cf_sim_recorder.h"

#define ADDRESS 0x1000u
#define PACKETS 8
#define LANES CF_SIM_LANES
#define MOST_READ 1024

/* Packet i is at ADDRESS + 4 i, and a draw; of the last one a geometry program makes another. */
struct scene {
   struct cf_sim_recorder *recorder;
   struct cf_observer observer;
   void (*check)(const struct cf_sim_chunk *chunk);
   uint32_t chunks;
   bool refuses;
};

static uint32_t
describe(void *user, struct cf_sim_recorder *recorder, const struct cf_packet_event *packet,
         struct cf_sim_op op[2])
{
   (void)user, (void)recorder;
   op[0].prim = op[1].prim = packet->dw[0];
   return packet->dw[0] == PACKETS - 1 ? 2 : 1;
}

static bool
take_chunk(void *user, const struct cf_sim_chunk *chunk)
{
   struct scene *s = user;
   s->chunks++;
   if (s->check)
      s->check(chunk);
   return !s->refuses;
}

static void
begin(struct scene *s)
{
   s->observer.submission_begin(
      s->observer.user, &(struct cf_submission_event){ .address = ADDRESS, .size_B = 4 * PACKETS });
   for (uint32_t i = 0; i < PACKETS; i++)
      s->observer.packet(s->observer.user,
                         &(struct cf_packet_event){ .address = ADDRESS + 4 * i, .dw = &i });
}

static void
end(struct scene *s)
{
   s->observer.submission_end(s->observer.user, &(struct cf_submission_event){ 0 });
}

static void
open_scene(struct scene *s, void (*check)(const struct cf_sim_chunk *chunk))
{
   *s = (struct scene){ .check = check };
   s->recorder = cf_sim_recorder_create(
      &(struct cf_sim_recorder_config){ .user = s, .describe = describe, .chunk = take_chunk });
   assert_non_null(s->recorder);
   s->observer = cf_sim_recorder_observer(s->recorder);
   begin(s);
}

/* ------------------------------------------------------------------ samples */

struct read {
   uint32_t unit, level, at, lane, x, y, layer;
};

static struct {
   struct read want[MOST_READ];
   uint32_t count, samples, moved, texels; /* the last three: records */
} reads;

/* The texels of a SAMPLE: number `c` of a lane. `first`: of the lane, along x and y. */
static struct read
texel_of(const uint32_t *dw, uint32_t lane, uint32_t c, const uint16_t first[2])
{
   uint16_t number[2];
   for (uint32_t axis = 0; axis < 2; axis++) {
      const bool next = dw[3 + axis] >> lane & 1, zero = dw[5 + axis] >> lane & 1;
      number[axis] = !(c >> axis & 1) ? first[axis]
                     : next           ? (uint16_t)(first[axis] + 1)
                     : zero           ? 0
                                      : first[axis];
   }
   return (struct read){ dw[0] >> 16 & 31, dw[0] >> 21 & 15, dw[2] >> 16,   lane,
                         number[0],        number[1],        dw[2] & 0xffff };
}

static void
expect_read(uint32_t *at, const struct read *got)
{
   assert_true(*at < reads.count);
   assert_memory_equal(got, &reads.want[*at], sizeof(*got));
   ++*at;
}

/* A SAMPLE; `own`: the last one that has coordinates. */
static void
check_sample(const uint32_t *dw, const uint32_t **own, uint32_t lanes, uint32_t *at)
{
   const bool moved = dw[0] >> CF_SIM_MOVED_BIT & 1;
   *own = moved ? *own : dw;
   assert_non_null(*own);
   const uint16_t *x = (const uint16_t *)(*own + CF_SIM_SAMPLE_DW), *y = x + lanes;
   const uint32_t by = moved ? dw[CF_SIM_SAMPLE_DW] : 0, corners = dw[0] >> 25 & 1 ? 4 : 1;
   for (uint32_t lane = 0; lane < lanes; lane++) {
      const uint16_t first[2] = { (uint16_t)(x[lane] + by), (uint16_t)(y[lane] + (by >> 16)) };
      for (uint32_t c = 0; c < corners && dw[1] >> lane & 1; c++) {
         const struct read got = texel_of(dw, lane, c, first);
         expect_read(at, &got);
      }
   }
   reads.samples++;
   reads.moved += moved;
}

static void
check_reads(const struct cf_sim_chunk *chunk)
{
   const struct cf_sim_tile *tile = &chunk->tile[CF_SIM_TILES_ACROSS + 1];
   const uint32_t lanes = 4 * (tile->dw[0] >> 16), *own = NULL;
   uint32_t at = 0;
   assert_int_equal(cf_sim_kind(tile->dw[0]), CF_SIM_TASK);
   for (size_t i = cf_sim_dwords(tile->dw[0]); i < tile->count; i += cf_sim_dwords(tile->dw[i])) {
      const uint32_t *dw = tile->dw + i;
      if (cf_sim_kind(dw[0]) == CF_SIM_SAMPLE) {
         check_sample(dw, &own, lanes, &at);
         continue;
      }
      assert_int_equal(cf_sim_kind(dw[0]), CF_SIM_TEXEL);
      const struct read got = { dw[0] >> 16 & 31, dw[0] >> 21 & 15, dw[1] >> 16, dw[1] & 255,
                                dw[2] & 0xffff,   dw[2] >> 16,      dw[3] };
      expect_read(&at, &got);
      reads.texels++;
   }
   assert_int_equal(at, reads.count);
}

static struct cf_task_quad quad[CF_SIM_QUADS];

static struct cf_task_event
quads_of(uint32_t quads)
{
   for (uint32_t q = 0; q < CF_SIM_QUADS; q++)
      quad[q] = (struct cf_task_quad){ (uint16_t)(64 + 2 * q), 64, q };
   return (struct cf_task_event){ .draw = ADDRESS, .lanes = 1, .quad = quad, .quads = quads };
}

/* How the numbers of a footprint's texels follow from each other. */
struct made_sample {
   uint32_t axes, corners, lanes;
   bool two_layers, other_steps, scattered; /* scattered: not those before it, moved */
};

static void
give_sample(struct scene *s, const struct cf_task_event *e, const struct made_sample *made,
            struct cf_random *random)
{
   int32_t number[3][2][LANES];
   uint32_t layer[LANES];
   const uint32_t by = cf_random_below(random, 1000);
   for (uint32_t l = 0; l < LANES; l++) {
      layer[l] = made->two_layers ? l & 1 : 5;
      for (uint32_t a = 0; a < 3; a++) {
         const uint32_t own = made->scattered ? cf_random_below(random, 60000) : 10 * l + by + a,
                        how = cf_random_below(random, 3);
         number[a][0][l] = (int32_t)own;
         number[a][1][l] = made->other_steps ? (int32_t)own + 2
                           : how == 0        ? (int32_t)own + 1
                           : how == 1        ? 0
                                             : (int32_t)own;
      }
   }
   const struct cf_footprint f = { .unit = 15,
                                   .level = 14,
                                   .lanes = made->lanes,
                                   .axes = made->axes,
                                   .corners = made->corners,
                                   .axis = { { number[0][0], number[0][1] },
                                             { number[1][0], number[1][1] },
                                             { number[2][0], number[2][1] } },
                                   .layer = layer,
                                   .at = 77 };
   for (uint32_t l = 0; l < 4 * e->quads; l++) {
      for (uint32_t c = 0; c < f.corners && f.lanes >> l & 1; c++) {
         struct read want = { 15, 14, 77, l, (uint32_t)number[0][c & 1][l], 0, layer[l] };
         want.y = f.axes > 1 ? (uint32_t)number[1][c >> 1 & 1][l] : 0;
         want.layer = f.axes > 2 ? (uint32_t)number[2][c >> 2][l] : layer[l];
         assert_true(reads.count < MOST_READ);
         reads.want[reads.count++] = want;
      }
   }
   s->observer.footprint(s->observer.user, e, &f);
}

#define ALL UINT32_MAX

/* Each of these follows a sample with coordinates of its own. */
static const struct {
   uint32_t quads;
   struct made_sample made;
   uint32_t samples, moved, texels; /* records of it */
} samples[] = {
   { 8, { 2, 1, ALL, .scattered = false }, 1, 1, 0 },
   { 8, { 2, 4, ALL, .scattered = false }, 1, 1, 0 },
   { 8, { 2, 4, 0x00f0, .scattered = false }, 1, 1, 0 },
   { 8, { 2, 4, ALL, .scattered = true }, 1, 0, 0 },
   { 7, { 2, 4, ALL, .scattered = false }, 1, 0, 0 }, /* there are others in lanes beyond */
   { 8, { 1, 1, ALL, .scattered = false }, 1, 0, 0 },
   { 8, { 1, 2, ALL, .scattered = true }, 0, 0, 64 },
   { 8, { 3, 1, 0xff, .scattered = true }, 0, 0, 8 },
   { 8, { 3, 8, 0xff, .scattered = true }, 0, 0, 64 },
   { 8, { 2, 4, 3, .two_layers = true }, 0, 0, 8 },
   { 8, { 2, 4, 5, .two_layers = true }, 1, 1, 0 }, /* lanes of one of the layers */
   { 8, { 2, 4, 3, .other_steps = true }, 0, 0, 8 },
   { 1, { 2, 1, 0x10, .scattered = true }, 0, 0, 0 }, /* no lane of the task */
};

static void
records_say_what_is_read(void **state)
{
   (void)state;
   struct cf_random random = cf_random_seed("timing records_say_what_is_read");
   for (uint32_t i = 0; i < 10 * sizeof(samples) / sizeof(samples[0]); i++) {
      const uint32_t c = i / 10;
      const struct cf_task_event e = quads_of(samples[c].quads);
      const struct made_sample first = { 2, 1, ALL, .scattered = false };
      struct scene s;
      memset(&reads, 0, sizeof(reads));
      open_scene(&s, check_reads);
      s.observer.task_begin(s.observer.user, &e);
      give_sample(&s, &e, &first, &random);
      give_sample(&s, &e, &samples[c].made, &random);
      s.observer.task_end(s.observer.user, &e);
      end(&s);
      assert_int_equal(s.chunks, 1);
      assert_int_equal(reads.samples, 1 + samples[c].samples);
      assert_int_equal(reads.moved, samples[c].moved);
      assert_int_equal(reads.texels, samples[c].texels);
      assert_true(cf_sim_recorder_went_well(s.recorder));
      cf_sim_recorder_destroy(s.recorder);
   }
}

/* ------------------------------------------------------------------ vertices */

#define MADE 200

static uint32_t made_vertices;

static uint64_t
key(uint32_t op, uint32_t instance, uint32_t element)
{
   return (uint64_t)op << 32 | instance << 16 | element;
}

/* Operations 0 to 8 for 8 packets: the last is two, of which vertices have the first. */
static void
check_vertices(const struct cf_sim_chunk *c)
{
   uint64_t last = 0;
   assert_int_equal(c->ops, PACKETS + 1);
   assert_int_equal(c->vertices, made_vertices);
   assert_int_equal(c->vertex_steps, 2 * made_vertices); /* of a branch, and of a reference */
   assert_int_equal(c->vertex_texels, made_vertices);
   for (size_t i = 0; i < c->vertices; i++) {
      const struct cf_sim_vertex *v = &c->vertex[i];
      const uint64_t now = key(v->op, v->instance, v->element);
      assert_true(i == 0 || now > last);
      assert_int_equal(v->vertex, 3 * v->element);
      last = now;
      const struct cf_sim_vertex_texel *t = &c->vertex_texel[i];
      assert_true(key(t->op, t->instance, t->element) == now);
      assert_int_equal(t->order, 1); /* between the two steps */
      assert_int_equal(t->x_px, v->element);
      for (uint32_t k = 0; k < 2; k++) {
         const struct cf_sim_vertex_step *step = &c->vertex_step[2 * i + k];
         assert_true(key(step->op, step->instance, step->element) == now);
         assert_int_equal(step->order, 2 * k);
         assert_int_equal(step->at, k ? 9 : 3);
         assert_int_equal(step->value, k ? 100 + v->element : v->element & 1);
      }
   }
}

/* A task with a vertex in lane 5: a branch, a texel, a reference. */
static void
give_vertex(struct scene *s, uint32_t packet, bool geometry, uint32_t instance, uint32_t element)
{
   static const int run;
   uint32_t of_lane[3][LANES] = { { [5] = element }, { [5] = 3 * element }, { [5] = instance } };
   const struct cf_task_event e = { .draw = ADDRESS + 4 * packet,
                                    .lanes = 1 << 5,
                                    .run = (const void *)&run,
                                    .geometry = geometry,
                                    .element = of_lane[0],
                                    .vertex = of_lane[1],
                                    .instance = of_lane[2] };
   const struct cf_branch branch = { 3, ALL, element & 1 ? ALL : 0 };
   const struct cf_reference reference = { 9, ALL, of_lane[0], 100 };
   const struct cf_texel texel = { .lane = 5, .x_px = element }, idle = { .lane = 6 };
   s->observer.task_begin(s->observer.user, &e);
   s->observer.branch(s->observer.user, &e, &branch);
   s->observer.texel(s->observer.user, &e, &texel);
   s->observer.texel(s->observer.user, &e, &idle);
   s->observer.reference(s->observer.user, &e, &reference);
   s->observer.task_end(s->observer.user, &e);
   s->observer.branch(s->observer.user, &e, &branch); /* no task has begun: it is left out */
   s->observer.texel(s->observer.user, &e, &texel);
   s->observer.task_end(s->observer.user, &e);
}

/* In any order, some twice, as two parts of a strip shade them. */
static void
vertices_come_in_order(void **state)
{
   (void)state;
   struct cf_random random = cf_random_seed("timing vertices_come_in_order");
   bool seen[PACKETS + 1][3][4] = { { { false } } };
   struct scene s;
   open_scene(&s, check_vertices);
   made_vertices = 0;
   for (uint32_t i = 0; i < MADE; i++) {
      const uint32_t op = cf_random_below(&random, PACKETS + 1),
                     instance = cf_random_below(&random, 3), element = cf_random_below(&random, 4);
      give_vertex(&s, op < PACKETS ? op : PACKETS - 1, op == PACKETS, instance, element);
      made_vertices += !seen[op][instance][element];
      seen[op][instance][element] = true;
   }
   end(&s);
   assert_int_equal(s.chunks, 1);
   assert_true(cf_sim_recorder_went_well(s.recorder));
   cf_sim_recorder_destroy(s.recorder);
}

/* ------------------------------------------------------------------ primitives and pixels */

static void
check_primitives(const struct cf_sim_chunk *c)
{
   static const struct cf_sim_primitive want[] = {
      { 0, 4, 1, CF_DROP_NONE },       { 1, 0, 0, CF_DROP_BACK }, { 1, 0, 0, CF_DROP_OUTSIDE },
      { 1, 0, 1, CF_DROP_NONE },       { 1, 0, 1, CF_DROP_NONE }, { 1, 2, 1, CF_DROP_NONE },
      { PACKETS, 0, 1, CF_DROP_NONE },
   };
   assert_int_equal(c->primitives, sizeof(want) / sizeof(want[0]));
   assert_memory_equal(c->primitive, want, sizeof(want));
}

/* Those of one number by what became of them, and each is kept: a geometry program makes many. */
static void
primitives_come_in_order(void **state)
{
   (void)state;
   static const struct cf_primitive_event given[] = {
      { ADDRESS + 4, 2, 0, 1, CF_DROP_NONE },    { ADDRESS + 4, 0, 0, 1, CF_DROP_NONE },
      { ADDRESS + 4, 0, 0, 0, CF_DROP_OUTSIDE }, { ADDRESS, 4, 0, 1, CF_DROP_NONE },
      { ADDRESS + 4, 0, 0, 1, CF_DROP_NONE },    { ADDRESS + 4, 0, 0, 0, CF_DROP_BACK },
      { ADDRESS + 28, 0, 0, 1, CF_DROP_NONE },
   };
   for (uint32_t backwards = 0; backwards < 2; backwards++) {
      struct scene s;
      open_scene(&s, check_primitives);
      for (uint32_t i = 0; i < 7; i++)
         s.observer.primitive(s.observer.user, &given[backwards ? 6 - i : i]);
      end(&s);
      assert_int_equal(s.chunks, 1);
      cf_sim_recorder_destroy(s.recorder);
   }
}

static const struct cf_feedback_output outputs[2] = { { .dwords = 4 }, { .dwords = 2 } };

static void
give_pixels(struct scene *s)
{
   void *user = s->observer.user;
   const struct cf_task_event e = quads_of(1);
   const struct cf_branch branch = { 6, 0xff, 0x35 };
   uint32_t dword[LANES] = { 7, 7, 8, 7 };
   const struct cf_reference same = { 9, 0xb, dword, 1 }, other = { 9, 0xe, dword, 1 },
                             none = { 9, 0xf0, dword, 1 };
   struct cf_pixels_event pixels = { .quad = quad, .covered = { 15 }, .tested = { 7 } };
   s->observer.pixels(user, &pixels); /* of no task */
   s->observer.task_begin(user, &e);
   s->observer.branch(user, &e, &branch);
   s->observer.reference(user, &e, &same);
   s->observer.reference(user, &e, &other);
   s->observer.reference(user, &e, &none);
   s->observer.pixels(user, &pixels);
   for (uint32_t fate = CF_FATE_WRITTEN; fate < CF_FATES; fate += CF_FATE_DEPTH)
      s->observer.early_test(
         user, &(struct cf_fragment_event){ ADDRESS, 3, 70, 71, 2, .fate = (enum cf_fate)fate });
   s->observer.clear(user, &(struct cf_clear_event){ ADDRESS + 4, 64, 64, 128, 65, 0x101 });
   for (uint32_t fits = 0; fits < 2; fits++)
      s->observer.feedback(
         user,
         &(struct cf_feedback_event){
            .draw = ADDRESS + 4, .vertices = 3, .fits = fits, .output = outputs, .outputs = 2 });
}

#define HEAD(kind, dwords, rest) ((uint32_t)(kind) | (dwords) << 4 | (uint32_t)(rest) << 16)

static void
check_pixels(const struct cf_sim_chunk *c)
{
   static const uint32_t want[] = {
      HEAD(CF_SIM_TASK, 16, 1),
      0,
      15,
      0,
      0,
      0,
      7,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      64 | 64 << 16,
      HEAD(CF_SIM_BRANCH, 4, 0),
      15,
      5,
      6, /* lanes of its quad */
      HEAD(CF_SIM_REFERENCE, 4, 1),
      0xb,
      9,
      8,
      HEAD(CF_SIM_REFERENCE, 7, 0),
      0xe,
      9,
      0,
      8,
      9,
      8,
      HEAD(CF_SIM_EARLY_TEST, 4, 2),
      0,
      3,
      70 | 71 << 16,
      HEAD(CF_SIM_CLEARED, 4, 0x101),
      1,
      64 | 64 << 16,
      128 | 65 << 16,
   };
   const struct cf_sim_tile *tile = &c->tile[CF_SIM_TILES_ACROSS + 1];
   assert_int_equal(tile->count, sizeof(want) / 4);
   assert_memory_equal(tile->dw, want, sizeof(want));
   assert_int_equal(c->op[0].written_B, 0);
   assert_int_equal(c->op[1].written_B, 3 * 4 * (4 + 2)); /* once: the other did not fit */
}

static void
records_of_pixels(void **state)
{
   (void)state;
   struct scene s;
   open_scene(&s, check_pixels);
   give_pixels(&s);
   end(&s);
   assert_int_equal(s.chunks, 1);
   assert_true(cf_sim_recorder_went_well(s.recorder));
   cf_sim_recorder_destroy(s.recorder);
}

/* ------------------------------------------------------------------ numbers, failure */

static void
names_are_numbers(void **state)
{
   (void)state;
   static const uint64_t code[] = { 1, 2, 1, 3 };
   const struct cf_sim_program two = { .count = 2 }, one = { .count = 1 };
   const struct cf_sim_texture small = { 1, 1, 1, 1, 32 };
   struct scene s;
   open_scene(&s, NULL);
   for (uint32_t again = 0; again < 2; again++) {
      for (uint32_t i = 0; i < 20; i++) {
         assert_int_equal(cf_sim_recorder_image(s.recorder, 64 * i), i);
         assert_int_equal(cf_sim_recorder_buffer(s.recorder, 64 * i), i);
         assert_int_equal(cf_sim_recorder_texture(s.recorder, 64 * i, &small), i);
      }
      assert_int_equal(cf_sim_recorder_program(s.recorder, &two, code), 0);
      assert_int_equal(cf_sim_recorder_program(s.recorder, &two, code + 2), 1);
      assert_int_equal(cf_sim_recorder_program(s.recorder, &one, code), 2);
   }
   end(&s);
   cf_sim_recorder_destroy(s.recorder);
}

static void
give_all(struct scene *s)
{
   struct cf_random random = { 18 };
   const struct cf_task_event e = quads_of(8);
   const struct made_sample sample = { 2, 4, ALL, .scattered = true },
                            texels = { 3, 8, 1, .scattered = true };
   reads.count = 0;
   give_pixels(s);
   give_sample(s, &e, &sample, &random);
   give_sample(s, &e, &texels, &random);
   give_vertex(s, 1, false, 0, 1);
   s->observer.primitive(s->observer.user, &(struct cf_primitive_event){ .draw = ADDRESS });
}

/* A submission that was not taken: those after it are not handed on, and names have no numbers. */
static void
nothing_after_a_failure(void **state)
{
   (void)state;
   const struct cf_sim_texture small = { 1, 1, 1, 1, 32 };
   const struct cf_sim_program program = { .count = 1 };
   const uint64_t code = 1;
   struct scene s;
   open_scene(&s, NULL);
   s.refuses = true;
   end(&s);
   assert_int_equal(s.chunks, 1);
   assert_false(cf_sim_recorder_went_well(s.recorder));
   s.refuses = false;
   begin(&s);
   give_all(&s);
   assert_int_equal(cf_sim_recorder_image(s.recorder, 64), CF_SIM_NONE);
   assert_int_equal(cf_sim_recorder_buffer(s.recorder, 64), CF_SIM_NONE);
   assert_int_equal(cf_sim_recorder_texture(s.recorder, 64, &small), CF_SIM_NONE);
   assert_int_equal(cf_sim_recorder_program(s.recorder, &program, &code), CF_SIM_NONE);
   end(&s);
   assert_int_equal(s.chunks, 1);
   assert_false(cf_sim_recorder_went_well(s.recorder));
   cf_sim_recorder_destroy(s.recorder);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(records_say_what_is_read), cmocka_unit_test(vertices_come_in_order),
      cmocka_unit_test(primitives_come_in_order), cmocka_unit_test(records_of_pixels),
      cmocka_unit_test(names_are_numbers),        cmocka_unit_test(nothing_after_a_failure),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
