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
      cmocka_unit_test(drawing),
      cmocka_unit_test(memory_comes_and_goes),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
