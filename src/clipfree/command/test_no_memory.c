/* SPDX-License-Identifier: MIT */
/*
 * A host without memory: each allocation that the GPU makes while it is created, and while it
 * draws, fails, alone and with all after it. There is no GPU, with an error, or a submission fails
 * with "out of host memory", or nothing is missing; the same GPU draws the right picture as soon as
 * there is memory; and all that was allocated is freed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "clipfree/base/test_failing_host.h"
#include "clipfree/base/test_random.h"
#include "clipfree/command/test_scene.h"
#include "clipfree/memory/cf_memory.h"

/* ------------------------------------------------------------------ a GPU */

#define MOST_RUNS 10000

/* Vertex programs get a slice for positions. */
static const struct cf_model_config quiet = { .quiet = true,
                                              .max_task_instrs = 1 << 18,
                                              .vertices = CF_VERTICES_POSITIONS_FIRST };

/* Creates a GPU while a request fails, and destroys it. Returns how many did. */
static unsigned
create_without(unsigned fail_at, bool all, unsigned *refused)
{
   const char *error = NULL;
   const long before = test_host.live;
   test_host_arm(fail_at, all);
   struct cf_gpu *gpu = cf_model_create(&quiet, &error);
   const unsigned failed = test_host.failed;
   test_host_arm(0, false);
   assert_true(gpu ? !error : error != NULL);
   *refused += !gpu;
   if (gpu)
      gpu->ops->destroy(gpu);
   assert_int_equal(test_host.live, before);
   return failed;
}

static void
creation(void **state)
{
   for (int all = 0; all < 2; all++) {
      unsigned runs = 1, refused = 0;
      while (runs < MOST_RUNS && create_without(runs, all, &refused))
         runs++;
      assert_true(runs < MOST_RUNS && refused > 10);
   }
}

/* The same of a GPU that drops its work. */
static void
creation_of_a_noop(void **state)
{
   const long before = test_host.live;
   unsigned failed = 1, runs = 0;
   while (failed && runs < MOST_RUNS) {
      const char *error = NULL;
      test_host_arm(++runs, false);
      struct cf_gpu *gpu = cf_noop_create(&error);
      failed = test_host_disarm();
      assert_true(gpu ? !error : error != NULL);
      assert_true(failed || gpu);
      if (gpu)
         gpu->ops->destroy(gpu);
      assert_int_equal(test_host.live, before);
   }
   assert_true(runs > 2 && runs < MOST_RUNS);
}

/* A draw that is fed back to the heap, and pixels of the picture that are copied by tables. */
static void
feed_and_gather(struct test_scene *s)
{
   struct test_gpu *t = &s->t;
   uint32_t dw[CF_FEEDBACK_OUTPUT_DWORDS], table[50];
   const float fed[16] = { 0 };
   const uint64_t filled = 0;
   cf_feedback_output_pack(dw, &(struct cf_feedback_output){ .first = 0, .dwords = 4 });
   for (uint32_t i = 0; i < 50; i++)
      table[i] = 99 - i;
   EMIT(t, feedback, .outputs = 1, .restart = 1, .output_address = test_put(t, dw, sizeof(dw)),
        .stride_dw = { 4 }, .size_B = { sizeof(fed) }, .address = { test_put(t, fed, sizeof(fed)) },
        .filled = { test_put(t, &filled, sizeof(filled)) });
   EMIT(t, draw, .prim = CF_PRIM_KIND_TRIANGLES, .count = 3, .instances = 1);
   EMIT(t, feedback, .outputs = 0);
   const uint64_t tables = test_put(t, table, sizeof(table));
   EMIT(t, gather, .source = s->color.address, .destination = s->color.address, .width_px = 50,
        .height_px = 50, .columns = tables, .rows = tables);
}

static void
draw(struct test_scene *s)
{
   struct test_gpu *t = &s->t;
   test_scene_emit_state(s);
   EMIT(t, clear, .colors = 1, .depth = true, .stencil = true, .stencil_write_mask = 255,
        .depth_value = 1.0f, .max_x_px = TEST_SCENE_PX, .max_y_px = TEST_SCENE_PX);
   test_scene_emit_all(s); /* with the end packet */
   t->count -= CF_END_DWORDS;
   feed_and_gather(s);
   test_submit(t);
}

static uint64_t
picture(const struct test_scene *s)
{
   uint64_t hash = 0;
   for (uint32_t y = 0; y < TEST_SCENE_PX; y++)
      for (uint32_t x = 0; x < TEST_SCENE_PX; x++)
         hash = hash * 31 + test_surface_pixel(&s->color, x, y);
   return hash;
}

/* Draws while a request fails. Returns how many did. */
static unsigned
draw_without(unsigned fail_at, bool all, uint64_t expected, unsigned *errors)
{
   char text[320];
   const long before = test_host.live;
   struct test_scene s;
   test_scene_open_on(&s, test_model_of(quiet));
   struct cf_gpu *gpu = s.t.gpu;
   test_host_arm(fail_at, all);
   draw(&s);
   const unsigned failed = test_host.failed;
   test_host_arm(0, false);
   gpu->ops->last_error(gpu, text, sizeof(text));
   if (text[0]) {
      struct cf_report report;
      assert_non_null(strstr(text, "out of host memory"));
      assert_int_equal(gpu->ops->reset_status(gpu), CF_RESET_GUILTY);
      assert_true(gpu->ops->report(gpu, 1, &report));
      assert_int_equal(report.kind, CF_REPORT_OUT_OF_MEMORY);
   } else {
      assert_int_equal(picture(&s), expected);
   }
   *errors += text[0] != 0;
   draw(&s);
   assert_int_equal(picture(&s), expected);
   test_frame_close(&s.t, &s.color, &s.zs);
   assert_int_equal(test_host.live, before);
   return failed;
}

static void
drawing(void **state)
{
   struct test_scene s;
   test_scene_open_on(&s, test_model_of(quiet));
   draw(&s);
   test_no_error(&s.t);
   const uint64_t expected = picture(&s);
   test_frame_close(&s.t, &s.color, &s.zs);
   for (int all = 0; all < 2; all++) {
      unsigned runs = 1, errors = 0;
      while (runs < MOST_RUNS && draw_without(runs, all, expected, &errors))
         runs++;
      assert_true(runs > 10 && runs < MOST_RUNS && errors > 5);
   }
}

/* ------------------------------------------------------------------ pieces of state */

/* Two draws that a geometry program makes nothing of, fed back, with its inputs linked anew. */
static void
draw_geometry(struct test_scene *s)
{
   struct test_gpu *t = &s->t;
   uint32_t dw[CF_FEEDBACK_OUTPUT_DWORDS];
   const uint64_t filled = 0;
   const uint64_t program =
      test_program(t, "movi v0, 0x00000000\nsts [0 + 0], v0\nend\n",
                   (struct cf_program){ .stage = CF_SHADER_STAGE_GEOMETRY,
                                        .vector_regs = 1,
                                        .inputs = 4,
                                        .outputs = 12,
                                        .input_vertices = 3,
                                        .output_prim = CF_PRIM_KIND_TRIANGLE_STRIP,
                                        .max_vertices = 3,
                                        .scratch_dwords = 1000 });
   cf_feedback_output_pack(dw, &(struct cf_feedback_output){ .dwords = 4 });
   EMIT(t, feedback, .outputs = 1, .restart = 1, .output_address = test_put(t, dw, sizeof(dw)),
        .stride_dw = { 4 }, .size_B = { 64 }, .address = { s->elements },
        .filled = { test_put(t, &filled, sizeof(filled)) });
   EMIT(t, shader, .stage = CF_SHADER_STAGE_GEOMETRY, .program = program);
   for (uint32_t i = 0; i < 2; i++) {
      EMIT(t, geometry_inputs, .count = 1, .address = s->link);
      test_scene_emit_draw(s);
   }
}

/* A picture, then the geometry's, of which there is none, while a request fails. Returns whether
 * there were that many. */
static bool
draw_in_little(struct test_scene *s, unsigned fail_at, uint64_t expected, unsigned *errors)
{
   struct cf_gpu *gpu = s->t.gpu;
   const uint64_t before = gpu->ops->get_param(gpu, CF_PARAM_REPORTS);
   test_scene_emit_state(s);
   EMIT(&s->t, clear, .colors = 1, .max_x_px = TEST_SCENE_PX, .max_y_px = TEST_SCENE_PX);
   test_scene_emit_draw(s);
   draw_geometry(s);
   test_host_arm(fail_at, false);
   test_submit(&s->t);
   const bool failed = test_host_disarm() > 0;
   const uint64_t reports = gpu->ops->get_param(gpu, CF_PARAM_REPORTS);
   for (uint64_t i = before + 1; i <= reports; i++) {
      struct cf_report report;
      assert_true(gpu->ops->report(gpu, i, &report));
      assert_int_equal(report.kind, CF_REPORT_OUT_OF_MEMORY);
      assert_non_null(strstr(report.text, "out of host memory"));
   }
   if (reports == before)
      assert_int_equal(picture(s), expected);
   *errors += reports != before;
   return failed;
}

/* The same GPU draws again and again, with an engine that compiles. */
static void
state_of_an_engine(void **state)
{
   struct cf_model_config config = quiet;
   struct test_scene s;
   unsigned errors = 0, runs = 1;
   config.engine = CF_ENGINE_AUTO;
   config.no_disk_cache = true;
   test_scene_open_on(&s, test_model_of(config));
   test_scene_emit_state(&s);
   test_scene_emit_draw(&s);
   test_submit(&s.t);
   test_no_error(&s.t);
   const uint64_t expected = picture(&s);
   for (bool asked = true; asked && runs < MOST_RUNS; runs++)
      asked = draw_in_little(&s, runs, expected, &errors);
   assert_true(runs > 10 && runs < MOST_RUNS && errors > 8);
   assert_false(draw_in_little(&s, MOST_RUNS, expected, &errors)); /* with memory again */
   test_frame_close(&s.t, &s.color, &s.zs);
}

/* ------------------------------------------------------------------ its memory */

#define PIECES 200 /* more than are kept when they are freed */
#define STEPS 6000

static bool
is_zero(const uint8_t *bytes, size_t size_B)
{
   return size_B == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size_B - 1) == 0);
}

/* Allocations, imports and frees while the host refuses some of it: what is allocated is zero and
 * can be written, what is imported is shared, and in the end nothing is in use. */
static void
memory_comes_and_goes(void **state)
{
   uint64_t seed = cf_random_seed("no-memory").state | 1, address[PIECES] = { 0 }, refused = 0;
   const size_t shared_B = 1 << 16;
   const int file = memfd_create("test", MFD_CLOEXEC);
   assert_int_equal(ftruncate(file, shared_B), 0);
   uint8_t *shared = mmap(NULL, shared_B, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
   struct cf_memory *memory = cf_memory_create(64 << 20);
   assert_non_null(memory);
   for (unsigned step = 0; step < STEPS; step++) {
      uint64_t *piece = &address[test_below(&seed, PIECES)];
      const uint64_t size_B = 1 + test_below(&seed, test_below(&seed, 8) ? 200000 : 40 << 20);
      test_host_arm(test_below(&seed, 3), test_below(&seed, 2));
      if (*piece) {
         cf_memory_free(memory, *piece);
         *piece = 0;
      } else if (test_below(&seed, 4) == 0) {
         *piece = cf_memory_import(memory, file, shared_B);
         test_host_arm(0, false);
         shared[step % shared_B]++;
         if (*piece)
            assert_memory_equal(cf_memory_at(memory, *piece, shared_B), shared, shared_B);
      } else {
         *piece = cf_memory_alloc(memory, size_B);
         refused += test_host.failed && !*piece;
         test_host_arm(0, false);
         uint8_t *bytes = cf_memory_at(memory, *piece, size_B);
         assert_true(!*piece || is_zero(bytes, size_B));
         if (*piece)
            memset(bytes, 0xa5, size_B);
      }
      test_host_arm(0, false);
   }
   for (unsigned i = 0; i < PIECES; i++)
      cf_memory_free(memory, address[i]);
   assert_int_equal(cf_memory_used_B(memory), 0);
   assert_true(refused > 20);
   cf_memory_destroy(memory);
   munmap(shared, shared_B);
}

int
main(void)
{
   mallopt(M_PERTURB, 0xa5); /* what is not initialised is not zero */
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(creation),
      cmocka_unit_test(creation_of_a_noop),
      cmocka_unit_test(drawing),
      cmocka_unit_test(state_of_an_engine),
      cmocka_unit_test(memory_comes_and_goes),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
