/* SPDX-License-Identifier: MIT */
/*
 * Packet `condition`: draws and clears are dropped by the results of queries of the same command
 * buffer, and of buffer fills, which are in flight when the packet is parsed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "clipfree/base/test_random.h"
#include "clipfree/command/test_gpu.h"

#define SIZE_PX 128
#define STEPS 40

struct scene {
   struct test_gpu t;
   struct test_surface color;
   uint64_t fragment_program, elements;
   uint64_t results, counter; /* a u64 for each step; one of all */
};

static void
scene_open(struct scene *s, int threads)
{
   /* a triangle over everything, one outside */
   static const float vertices[6][4] = { { -1, -1, 0, 1 }, { 3, -1, 0, 1 }, { -1, 3, 0, 1 },
                                         { 5, 5, 0, 1 },   { 6, 5, 0, 1 },  { 5, 6, 0, 1 } };
   static const uint64_t zeros[STEPS + 1] = { 0 };
   test_gpu_open(&s->t, threads);
   test_surface_create(&s->t, &s->color, CF_FORMAT_R8G8B8A8_UNORM, SIZE_PX, SIZE_PX, true);
   s->fragment_program = test_varyings_program(&s->t);
   const struct cf_vertex_element element = {
      .address = test_put(&s->t, vertices, sizeof(vertices)),
      .size_B = sizeof(vertices),
      .stride_B = sizeof(vertices[0]),
      .format = CF_FORMAT_R32G32B32A32_FLOAT,
   };
   uint32_t dw[CF_VERTEX_ELEMENT_DWORDS];
   cf_vertex_element_pack(dw, &element);
   s->elements = test_put(&s->t, dw, sizeof(dw));
   s->results = test_put(&s->t, zeros, sizeof(zeros));
   s->counter = s->results + 8 * STEPS;
}

static void
emit_state(struct scene *s)
{
   test_emit_frame(&s->t, &s->color, NULL);
   test_emit_positions(&s->t);
   EMIT(&s->t, shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = s->fragment_program);
   EMIT(&s->t, vertex_elements, .count = 1, .address = s->elements);
}

/* A result that work in flight writes. Returns whether it is 0. */
static bool
emit_result(struct scene *s, struct cf_random *random, uint64_t result)
{
   const bool zero = cf_random_u64(random) % 2;
   if (cf_random_u64(random) % 2) {
      EMIT(&s->t, fill_buffer, .destination = result, .size_B = 8, .value = zero ? 0 : 3);
      return zero;
   }
   const enum cf_query_kind kind =
      cf_random_u64(random) % 2 ? CF_QUERY_KIND_SAMPLES_PASSED : CF_QUERY_KIND_ANY_SAMPLES;
   EMIT(&s->t, query, .kind = kind, .begin = true, .result = result);
   EMIT(&s->t, draw, .prim = CF_PRIM_KIND_TRIANGLES, .start = zero ? 3 : 0, .count = 3,
        .instances = 1);
   EMIT(&s->t, query, .kind = kind, .result = result);
   return zero;
}

static void
emit_clear(struct scene *s, uint32_t level)
{
   const float value = (float)level / 255.0f;
   uint32_t bits;
   memcpy(&bits, &value, sizeof(bits));
   EMIT(&s->t, clear, .colors = 1, .color = { bits, bits, bits, bits }, .max_x_px = SIZE_PX,
        .max_y_px = SIZE_PX);
}

/* A clear to `level` and a draw, which is counted, under the condition of a new result. Returns
 * whether they are dropped. */
static bool
emit_step(struct scene *s, struct cf_random *random, uint64_t result, uint32_t before,
          uint32_t level)
{
   const bool inverted = cf_random_u64(random) % 2, none = cf_random_u64(random) % 8 == 0;
   const bool zero = emit_result(s, random, result);
   emit_clear(s, before); /* over what the query drew */
   EMIT(&s->t, condition, .result = none ? 0 : result, .inverted = inverted);
   emit_clear(s, level);
   EMIT(&s->t, query, .kind = CF_QUERY_KIND_PRIMITIVES, .begin = true, .result = s->counter);
   EMIT(&s->t, draw, .prim = CF_PRIM_KIND_TRIANGLES, .start = 3, .count = 3, .instances = 1);
   EMIT(&s->t, query, .kind = CF_QUERY_KIND_PRIMITIVES, .result = s->counter);
   if (cf_random_u64(random) % 8 == 0) { /* a command buffer begins without a condition */
      EMIT(&s->t, condition, .result = result, .inverted = !zero);
      test_submit(&s->t);
      emit_state(s);
   } else {
      EMIT(&s->t, condition, .result = 0);
   }
   return !none && zero != inverted;
}

static void
conditions(void **state)
{
   (void)state;
   struct cf_random random = cf_random_seed("conditions");
   for (int round = 0; round < 12; round++) {
      struct scene s;
      uint32_t wanted = 0, drawn = 0;
      scene_open(&s, round % 4);
      emit_state(&s);
      emit_clear(&s, 0);
      for (uint32_t i = 0; i < STEPS; i++) {
         const bool dropped = emit_step(&s, &random, s.results + 8 * i, wanted, i + 1);
         wanted = dropped ? wanted : i + 1;
         drawn += !dropped;
      }
      test_submit(&s.t);
      test_no_error(&s.t);
      assert_int_equal(test_surface_pixel(&s.color, 5, 7), wanted * 0x01010101u);
      const uint8_t *heap = s.t.heap.map;
      assert_int_equal(*(const uint64_t *)(heap + (s.counter - s.t.heap.address)), drawn);
      test_surface_free(&s.t, &s.color);
      test_gpu_close(&s.t);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = { cmocka_unit_test(conditions) };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
