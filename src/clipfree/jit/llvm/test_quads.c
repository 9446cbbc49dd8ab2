/* SPDX-License-Identifier: MIT */
/*
 * Fragment tasks from quads to pixels in one piece of code, against the units one after the other: the primitive engine's inputs,
 * the interpreter, the pixel engine's writing. Random triangles, quads in blocks and anywhere, formats, blending; programs that
 * read what such tasks have, end lanes, leave outputs unwritten or run too long. The bytes of the surface must be the same,
 * and watched code (cf_jit_verify.h) must not differ in any instruction.
 */
#include "clipfree/jit/llvm/test_jit.h"

#include "clipfree/jit/cf_jit_verify.h"
#include "clipfree/pixel/test_pixel.h"
#include "clipfree/primitive/cf_prim.h"

#define STATES 9 /* formats and blending, of a program; the last is for watched code */
#define TASKS 24 /* of a state */
#define VARYING_DWORDS 4
#define SIZE_PX 24

static const struct cf_jit_compiler *compiler;

static const char *const programs[] = {
   /* a colour as it is */
   "ldvar v0, 0, smooth\nldvar v1, 1, smooth\nldvar v2, 2, smooth\nldvar v3, 3, flat\n"
   "outf 0, v0\noutf 1, v1\noutf 2, v2\noutf 3, v3\nend",
   /* all system values */
   "sys v0, frag_x\nsys v1, frag_y\nsys v2, frag_z\nsys v3, frag_w\nsys v4, front_face\nsys v5, helper\n"
   "movi v6, 0x3d000000\nfmul v0, v0, v6\nfmul v1, v1, v6\nxor v2, v2, v4\nxor v3, v3, v5\n"
   "outf 0, v0\nout 1, v1\nout 2, v2\nout 3, v3\nend",
   /* lanes that end; outputs in a branch, and one that nobody writes */
   "ldvar v0, 0, smooth\nmovi v1, 0x3e800000\nmovi v2, 0x3f000000\nflt v3, v0, v1\nkill v3, end\nflt v4, v0, v2\n"
   "if v4, L8\nldvar v5, 1, smooth\noutf 0, v5\noutf 3, v0\nL8: endif\noutf 1, v0\nend: end",
   /* all bits that there are, without a varying */
   "movi v0, 0x7fc00000\nmovi v1, 0xbf000000\nmovi v2, 0x7f800000\nmovi v3, 0x3f666666\n"
   "out 0, v0\nout 1, v1\nout 2, v2\nout 3, v3\nend",
   /* quads that lose a lane */
   "ldvar v0, 0, smooth\nmovi v1, 0x3f000000\nflt v2, v1, v0\ndemote v2, end\nfddx v3, v0\nfddy v4, v0\n"
   "outf 0, v0\noutf 1, v3\noutf 2, v4\noutf 3, v1\nend: end",
};

static float
between(float low, float high)
{
   return low + (high - low) * (float)cf_random_below(&rng, 1u << 24) * 0x1p-24f;
}

/* ---- primitives and quads ---- */

struct triangle {
   struct cf_prim prim;
   float varyings[VARYING_DWORDS][3];
};

static struct triangle
random_triangle(const struct cf_primitive_config *config)
{
   struct triangle t;
   memset(&t, 0, sizeof(t));
   t.prim.shape = CF_SHAPE_TRIANGLE;
   t.prim.config = config;
   for (unsigned i = 0; i < 3; i++) {
      t.prim.a[i] = (double)between(-0.1f, 0.1f);
      t.prim.b[i] = (double)between(-0.1f, 0.1f);
      t.prim.c[i] = (double)between(-0.2f, 1.5f);
   }
   if (cf_random_below(&rng, 8) == 0) /* the sum of weights is 0 */
      t.prim.a[0] = t.prim.a[1] = t.prim.a[2] = t.prim.b[0] = t.prim.b[1] = t.prim.b[2] = t.prim.c[0] = t.prim.c[1] =
         t.prim.c[2] = 0;
   t.prim.z_a = (double)between(-0.1f, 0.1f);
   t.prim.z_b = (double)between(-0.1f, 0.1f);
   t.prim.z_c = (double)between(-0.5f, 1.5f);
   t.prim.z_max = 1.0f;
   t.prim.inv_scale = (double)between(0.5f, 4.0f);
   t.prim.front = cf_random_below(&rng, 2);
   for (unsigned i = 0; i < VARYING_DWORDS; i++) {
      t.varyings[i][0] = between(-0.2f, 1.2f);
      t.varyings[i][1] = between(-1.0f, 1.0f);
      t.varyings[i][2] = between(-1.0f, 1.0f);
   }
   return t;
}

/* A task, of one triangle or of several, in the form of struct cf_quad_work. */
static struct test_quads
random_task(const struct cf_image *image, struct triangle triangles[CF_TASK_QUADS])
{
   struct test_quads t;
   const bool one = cf_random_below(&rng, 2);
   do {
      t = random_quads(image);
   } while (t.count == 0);
   for (unsigned q = 0; q < CF_TASK_QUADS; q++) {
      struct triangle *triangle = &triangles[one ? 0 : cf_random_below(&rng, CF_TASK_QUADS)];
      if (q >= t.count) {
         t.quad[q] = t.quad[0];
         continue;
      }
      triangle->prim.varyings = (const float(*)[3])triangle->varyings;
      t.quad[q].prim = &triangle->prim;
   }
   return t;
}

/* ---- states ---- */

static struct cf_blend
random_blend(void)
{
   static const enum cf_blend_factor factors[] = {
      CF_BLEND_FACTOR_ZERO, CF_BLEND_FACTOR_ONE, CF_BLEND_FACTOR_SRC_ALPHA, CF_BLEND_FACTOR_INV_SRC_ALPHA,
   };
   return (struct cf_blend){
      .enable = cf_random_below(&rng, 3) > 0,
      .color_func = cf_random_below(&rng, 3),
      .alpha_func = cf_random_below(&rng, 3),
      .src_color = factors[cf_random_below(&rng, 4)],
      .dst_color = factors[cf_random_below(&rng, 4)],
      .src_alpha = factors[cf_random_below(&rng, 4)],
      .dst_alpha = factors[cf_random_below(&rng, 4)],
      .write_mask = 15,
   };
}

/* A surface and a state for which there is code. */
static struct cf_pixel_key
random_state(struct cf_pixel_config *config, struct test_surface *surface)
{
   struct cf_pixel_key key;
   for (;;) {
      const struct cf_format_info *format = cf_format_info_of(cf_random_below(&rng, CF_FORMAT_COUNT));
      if (!(format->uses & CF_USE_COLOR))
         continue;
      test_surface_init(surface, format->code, true, 1 + cf_random_below(&rng, SIZE_PX), 1 + cf_random_below(&rng, SIZE_PX));
      *config = (struct cf_pixel_config){
         .color_count = 1, .program_color_outputs = 1, .color = { surface->image }, .blend = { random_blend() }
      };
      cf_pixel_configure(config);
      if (cf_pixel_key_of(&key, config))
         return key;
      test_surface_free(surface);
   }
}

/* ---- comparison ---- */

/* What the units do one after the other. */
static void
run_units(struct fixture *f, int level, const struct cf_quad_work *work, uint32_t covered)
{
   cf_primitive_ops_at(level)->interpolate(work->quads, CF_TASK_QUADS, CF_QUAD_SYSVALS, 1u << CF_VARMODE_SMOOTH, f->task);
   memset(f->task->out, 0, 4 * sizeof(f->task->out[0]));
   f->task->alive = covered;
   cf_shader_ops_at(level)->prepare(&f->stage, f->task);
   cf_shader_ops_at(level)->run(&f->stage, f->task);
   cf_pixel_ops_at(level)->write_quads(work->pixel, work->quads, work->count, f->task->alive & covered,
                                       (const float(*)[CF_TASK_LANES])f->task->out);
}

static bool
compiled_quads(struct cf_engine *engine, struct cf_run *run)
{
   return compiled_run(engine, run);
}

/* Code to be watched, in step with the interpreter, which has left the task's inputs in it. */
static bool
watched_quads(struct cf_engine *engine, struct cf_run *run)
{
   memcpy(run->varyings, run->task->varyings, sizeof(run->varyings));
   assert_true(cf_jit_verify_steps((cf_jit_function)((struct compiled *)engine)->code.entry, run));
   return false;
}

/* `watched`: the program's engine is watched_quads. */
static void
check_task(struct fixture *f, int level, struct cf_pixel_config *config, const struct cf_pixel_key *key,
           struct test_surface *surface, const struct test_quads *t, bool watched)
{
   struct cf_decoded *program = (struct cf_decoded *)f->stage.program;
   struct cf_engine *engine = program->engine;
   struct cf_quad_work work = { .quads = t->quad,
                                .count = t->count,
                                .row_pitch_B = surface->image.row_pitch_B,
                                .centre_px = t->quad[0].prim->config->raster.half_pixel_center ? 0.5f : 0.0f,
                                .key = key,
                                .pixel = config };
   test_surface_reset(surface);
   f->task->exec = cf_random_below(&rng, 2) ? UINT32_MAX >> (CF_TASK_LANES - 4 * t->count) : t->mask;
   config->color[0].data = work.pixels = surface->data[0];
   program->engine = NULL;
   run_units(f, level, &work, t->mask);
   const uint32_t alive = f->task->alive & t->mask;
   const bool gave_up = f->task->gave_up;
   program->engine = engine;
   work.pixels = surface->data[1];
   f->task->alive = t->mask;
   assert_int_equal(cf_shader_ops_at(level)->run_quads(&f->stage, f->task, &work), !watched);
   if (watched)
      return;
   assert_int_equal(f->task->alive, alive);
   assert_int_equal(f->task->gave_up, gave_up);
   assert_memory_equal(surface->data[1], surface->data[0], surface->size_B);
}

static void
check_program(struct fixture *f, const char *text, int level)
{
   if (!fixture_load(f, text))
      fail_msg("%s\n%s", f->error, text);
   for (unsigned n = 0; n < STATES; n++) {
      const struct cf_primitive_config primitive = { .raster.half_pixel_center = cf_random_below(&rng, 2) };
      struct triangle triangles[CF_TASK_QUADS];
      struct test_surface surface;
      struct cf_pixel_config config;
      const struct cf_pixel_key key = random_state(&config, &surface);
      const bool watched = n == STATES - 1;
      fixture_engine_for(f, compiler, level, &(struct cf_jit_source){ .pixel = &key, .watched = watched });
      f->stage.program->engine->run_quads = watched ? watched_quads : compiled_quads;
      for (unsigned i = 0; i < TASKS; i++) {
         for (unsigned q = 0; q < CF_TASK_QUADS; q++)
            triangles[q] = random_triangle(&primitive);
         const struct test_quads t = random_task(&surface.image, triangles);
         check_task(f, level, &config, &key, &surface, &t, watched);
      }
      test_surface_free(&surface);
   }
}

static void
test_programs(void **state)
{
   (void)state;
   struct fixture f;
   fixture_init(&f);
   f.info.outputs = 4;
   for (unsigned n = 0; n < sizeof(programs) / sizeof(programs[0]); n++) {
      for (int level = 0; level <= (int)cf_host_level(); level++)
         check_program(&f, programs[n], level);
   }
   fixture_end(&f);
}

/* A task that the watchdog ends writes nothing. */
static void
test_watchdog(void **state)
{
   (void)state;
   struct fixture f;
   fixture_init(&f);
   f.info.outputs = 4;
   f.stage.max_instrs = 50;
   check_program(&f, "movi v0, 0x3f800000\nout 0, v0\nloop\nL3:\nendloop L3\nend", (int)cf_host_level());
   fixture_end(&f);
}

/* There is no code for what it could not write. */
static void
test_keys(void **state)
{
   (void)state;
   struct test_surface s;
   struct cf_pixel_key key;
   test_surface_init(&s, CF_FORMAT_R8G8B8A8_UNORM, true, 8, 8);
   const struct cf_pixel_config plain = {
      .color_count = 1, .program_color_outputs = 1, .color = { s.image }, .blend = { { .write_mask = 15 } }
   };
   struct cf_pixel_config c[] = { plain, plain, plain, plain, plain };
   c[1].blend[0].write_mask = 7;
   c[2].depth_stencil = (struct cf_depth_stencil){ .alpha_test = true, .alpha_func = CF_COMPARE_LESS };
   c[3].blend[0] = (struct cf_blend){ .enable = true, .src_color = CF_BLEND_FACTOR_CONST_COLOR, .write_mask = 15 };
   c[3].blend_color.color[0] = 0.5f;
   c[4].samples = CF_SAMPLES;
   for (unsigned i = 0; i < 5; i++) {
      cf_pixel_configure(&c[i]);
      assert_int_equal(cf_pixel_key_of(&key, &c[i]), i == 0);
   }
   test_surface_free(&s);
}

int
main(int argc, char **argv)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_programs),
      cmocka_unit_test(test_watchdog),
      cmocka_unit_test(test_keys),
   };
   if (argc != 2)
      return 2;
   compiler = open_compiler(argv[1]);
   rng = cf_random_seed("quads");
   return cmocka_run_group_tests_name("quads to pixels, compiled", tests, NULL, NULL);
}
