/* SPDX-License-Identifier: MIT */
/*
 * Fixtures of the tests of tiers (test_tiers.c) and of verification (test_verify.c): a small
 * program, and one that draws two blocks.
 */
#ifndef CF_TEST_CANVAS_H
#define CF_TEST_CANVAS_H

#include "clipfree/jit/cf_jit.h"
#include "clipfree/jit/cf_quad_work.h"
#include "clipfree/jit/llvm/test_jit.h"
#include "clipfree/pixel/cf_pixel.h"
#include "clipfree/primitive/cf_prim.h"

#define SPECIAL_TASKS 200 /* as in cf_jit.c */

static const char *module; /* path of the compiler module */

static inline struct cf_jit_config
config_of(enum cf_jit_policy policy)
{
   return (struct cf_jit_config){ .policy = policy, .level = cf_host_level(), .module = module };
}

static const char text[] = "sys v0, frag_x\nfmul v1, v0, v0\noutf 0, v1\nend";

/* Runs `tasks` tasks of the text and checks what they export. */
static inline void
run_tasks(struct fixture *f, unsigned tasks)
{
   for (unsigned n = 0; n < tasks; n++) {
      for (unsigned lane = 0; lane < LANES; lane++)
         f->task->sys[CF_SYSVAL_FRAG_X][lane] = cf_bits((float)(n + lane));
      fixture_run(f, cf_host_level(), 0xffffffff);
      for (unsigned lane = 0; lane < LANES; lane++)
         assert_int_equal(f->task->out[0][lane], cf_bits((float)(n + lane) * (float)(n + lane)));
   }
}

/* White, in two blocks. */
static const char white_text[] =
   "movi v0, 0x3f800000\nout 0, v0\nout 1, v0\nout 2, v0\nout 3, v0\nend";

struct canvas {
   struct cf_prim prim;
   struct cf_quad quads[CF_TASK_QUADS];
   uint8_t pixels[CF_TASK_LANES * 4];
   struct cf_pixel_config pixel;
   struct cf_pixel_key key;
};

static inline void
canvas_init(struct canvas *canvas)
{
   static const struct cf_primitive_config config;
   memset(canvas, 0, sizeof(*canvas));
   canvas->prim.config = &config;
   for (unsigned q = 0; q < CF_TASK_QUADS; q++)
      canvas->quads[q] = (struct cf_quad){ .prim = &canvas->prim,
                                           .x_px = (uint16_t)(q / 4 * 4 + q % 2 * 2),
                                           .y_px = (uint16_t)(q / 2 % 2 * 2),
                                           .masks = 15 * CF_QUAD_COVERED };
   canvas->prim.shape = CF_SHAPE_TRIANGLE;
   canvas->pixel.color_count = canvas->pixel.program_color_outputs = 1;
   canvas->pixel.blend[0].write_mask = 15;
   canvas->pixel.color[0] =
      (struct cf_image){ .data = canvas->pixels,
                         .format = cf_format_info_of(CF_FORMAT_R8G8B8A8_UNORM),
                         .width_px = 8,
                         .height_px = 4,
                         .row_pitch_B = sizeof(canvas->pixels),
                         .blocks = true };
   cf_pixel_configure(&canvas->pixel);
   assert_true(cf_pixel_key_of(&canvas->key, &canvas->pixel));
}

/* Returns how many of the tasks ran compiled, which the pixels confirm. */
static inline unsigned
run_quad_tasks(struct fixture *f, struct canvas *canvas, unsigned tasks)
{
   unsigned done = 0;
   const uint32_t lanes = UINT32_MAX;
   cf_shader_ops_at(cf_host_level())->prepare(&f->stage, f->task);
   for (unsigned n = 0; n < tasks; n++) {
      const struct cf_sample_units units = { cf_primitive_ops_at(cf_host_level()),
                                             cf_pixel_ops_at(cf_host_level()), false };
      struct cf_quad_work work = { .fragments = { .units = &units,
                                                  .quads = canvas->quads,
                                                  .count = CF_TASK_QUADS,
                                                  .program = &f->stage.program->info,
                                                  .pixel = &canvas->pixel },
                                   .lanes = &lanes,
                                   .tasks = 1,
                                   .key = &canvas->key };
      memset(canvas->pixels, 0, sizeof(canvas->pixels));
      cf_quad_work_begin(&work, f->task);
      const bool ran = cf_shader_ops_at(cf_host_level())->run_quads(&f->stage, f->task, &work);
      for (unsigned i = 0; i < sizeof(canvas->pixels); i++)
         assert_int_equal(canvas->pixels[i], ran ? 255 : 0);
      done += ran;
   }
   return done;
}

#endif
