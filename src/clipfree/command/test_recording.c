/* SPDX-License-Identifier: MIT */
/*
 * A recorder without memory: each of its allocations fails, alone and with all after it. What it
 * hands on is what it would have been, or it says that not all went well and hands nothing on; the
 * picture is the same, and all is freed. So too where what it hands on is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/base/test_failing_host.h"
#include "clipfree/command/test_scene.h"
#include "clipfree/command/test_watcher.h"
#include "clipfree/isa/cf_isa.h"
#include "clipfree/timing/cf_sim_check.h"
#include "clipfree/timing/cf_sim_file.h"
#include "clipfree/timing/cf_sim_recorder.h"

#define MOST_RUNS 1000

/* Branches, an array of its own, and a texel of a bound texture. */
static const char vertex_text[] =
   "sys v8, vertex_id\nldf v0, 0[v8]\nmov v9, 0\nsts [v9 + 0], v0\nlds v9, [v9 + 0]\n"
   "flt v10, v0, 0\nif v10, e\nmov v11, 1.0\ne: endif\ntex v12.xyzw, 0, v0, v1, 0, 0, lod\n"
   "out 0, v0\nout 1, v1\nout 2, v2\nout 3, v3\nout 8, v0\nout 9, v1\nout 10, v2\nout 11, v3\n"
   "end\n";

struct recording {
   char *bytes; /* the file; NULL: nothing was handed on */
   size_t size_B;
   uint32_t chunks;
   bool refuses;
};

/* What the C library allocated is not counted. */
void __real_free(void *memory);

/* ------------------------------------------------------------------ operations */

static void
describe_draw(struct cf_sim_recorder *r, struct cf_sim_op *op)
{
   const struct cf_instr end = cf_make_end();
   const uint64_t code = cf_instr_encode(&end);
   op->color_image[0] = cf_sim_recorder_image(r, 0x1000);
   op->colors = 1;
   op->texture[0] = cf_sim_recorder_texture(r, 0x2000, &(struct cf_sim_texture){ 8, 8, 1, 1, 32 });
   op->vertex_texture[0] = op->texture[0];
   op->index_buffer = cf_sim_recorder_buffer(r, 0x3000);
   op->program[CF_SIM_STAGE_FRAGMENT] =
      cf_sim_recorder_program(r, &(struct cf_sim_program){ .count = 1, .vector_regs = 4 }, &code);
}

static uint32_t
describe(void *user, struct cf_sim_recorder *r, const struct cf_packet_event *packet,
         struct cf_sim_op op[2])
{
   (void)user;
   const uint32_t opcode = packet->dw[0] & 0xff;
   op->samples = op->width_px = op->height_px = 1;
   op->zs_image = op->index_buffer = CF_SIM_NONE;
   memset(op->color_image, 0xff, sizeof(op->color_image));
   memset(op->texture, 0xff, sizeof(op->texture));
   memset(op->vertex_texture, 0xff, sizeof(op->vertex_texture));
   memset(op->program, 0xff, sizeof(op->program));
   memset(op->constants, 0xff, sizeof(op->constants));
   if (opcode == CF_OPCODE_DRAW)
      describe_draw(r, op);
   else if (opcode == CF_OPCODE_CLEAR)
      op->flags = CF_SIM_CLEAR;
   else
      return 0;
   return 1;
}

/* Nothing of this fails. */
static bool
take_chunk(void *user, const struct cf_sim_chunk *chunk)
{
   struct recording *recording = user;
   if (recording->refuses)
      return false;
   test_host.paused = true;
   FILE *file = open_memstream(&recording->bytes, &recording->size_B);
   struct cf_sim_writer *writer = cf_sim_writer_open(file);
   assert_int_equal(recording->chunks++, 0);
   const char *bad = cf_sim_check(chunk);
   if (bad)
      fail_msg("%s", bad);
   assert_true(cf_sim_writer_put(writer, chunk) && cf_sim_writer_close(writer));
   fclose(file);
   test_host.paused = false;
   return true;
}

/* ------------------------------------------------------------------ runs */

static void
draw(struct test_scene *s)
{
   struct test_gpu *t = &s->t;
   const float fed[16] = { 0 };
   const uint64_t filled = 0;
   uint32_t dw[CF_FEEDBACK_OUTPUT_DWORDS];
   cf_feedback_output_pack(dw, &(struct cf_feedback_output){ .first = 0, .dwords = 4 });
   s->vertex_program = test_program(t, vertex_text,
                                    (struct cf_program){ .stage = CF_SHADER_STAGE_VERTEX,
                                                         .vector_regs = 16,
                                                         .outputs = 12,
                                                         .scratch_dwords = 1,
                                                         .sysvals = 1 });
   test_scene_emit_state(s);
   EMIT(t, bind_texture, .stage = CF_SHADER_STAGE_VERTEX, .texture = s->texture,
        .sampler = s->sampler);
   EMIT(t, feedback, .outputs = 1, .restart = 1, .output_address = test_put(t, dw, sizeof(dw)),
        .stride_dw = { 4 }, .size_B = { sizeof(fed) }, .address = { test_put(t, fed, sizeof(fed)) },
        .filled = { test_put(t, &filled, sizeof(filled)) });
   EMIT(t, clear, .colors = 1, .max_x_px = TEST_SCENE_PX, .max_y_px = TEST_SCENE_PX);
   for (int i = 0; i < 2; i++)
      test_scene_emit_draw(s);
   test_submit(t);
}

static void
check_picture(const struct test_scene *s)
{
   for (uint32_t y = 0; y < TEST_SCENE_PX; y++) {
      for (uint32_t x = 0; x < TEST_SCENE_PX; x++)
         assert_int_equal(test_surface_pixel(&s->color, x, y), TEST_SCENE_RED);
   }
}

/* Records while a request fails. Returns how many did. */
static unsigned
record(unsigned fail_at, bool all, struct recording *recording, bool *went_well)
{
   struct test_scene s;
   const struct cf_sim_recorder_config config = { recording, describe, take_chunk };
   test_host.paused = false;
   test_host_arm(fail_at, all);
   struct cf_sim_recorder *recorder = cf_sim_recorder_create(&config);
   *went_well = false;
   if (recorder) {
      const struct cf_observer inner = cf_sim_recorder_observer(recorder),
                               observer = test_watcher_between(&inner);
      test_scene_open_on(&s, test_model_of((struct cf_model_config){ .path = CF_PATH_PLAIN,
                                                                     .engine = CF_ENGINE_INTERP,
                                                                     .observer = &observer }));
      draw(&s);
      test_no_error(&s.t);
      check_picture(&s);
      test_frame_close(&s.t, &s.color, &s.zs);
      *went_well = cf_sim_recorder_went_well(recorder);
      cf_sim_recorder_destroy(recorder);
   }
   test_host.paused = false;
   return test_host_disarm();
}

static void
without_memory(void **state)
{
   (void)state;
   struct recording expected = { 0 };
   bool went_well;
   unsigned failed;
   assert_int_equal(record(0, false, &expected, &went_well), 0);
   assert_true(went_well && expected.chunks == 1 && expected.size_B > 1000);
   const long before = test_host.live;
   for (int all = 0; all < 2; all++) {
      unsigned runs = 0, failures = 0;
      do {
         struct recording recording = { 0 };
         failed = record(++runs, all, &recording, &went_well);
         failures += !went_well;
         assert_int_equal(recording.chunks, went_well);
         if (went_well) {
            assert_int_equal(recording.size_B, expected.size_B);
            assert_memory_equal(recording.bytes, expected.bytes, expected.size_B);
         }
         assert_int_equal(test_host.live, before);
         __real_free(recording.bytes);
      } while (failed && runs < MOST_RUNS);
      assert_true(runs < MOST_RUNS && failures > 15);
   }
   __real_free(expected.bytes);
}

/* A recording that cannot be written. */
static void
whose_chunks_are_refused(void **state)
{
   (void)state;
   struct recording recording = { .refuses = true };
   bool went_well;
   record(0, false, &recording, &went_well);
   assert_false(went_well);
}

int
main(void)
{
   mallopt(M_PERTURB, 0xa5); /* what is not initialised is not zero */
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_memory),
      cmocka_unit_test(whose_chunks_are_refused),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
