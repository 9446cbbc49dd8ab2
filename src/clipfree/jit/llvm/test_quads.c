/* SPDX-License-Identifier: MIT */
/*
 * Fragment tasks from quads to pixels in one compiled function, against the separate units: the
 * primitive engine's inputs, the interpreter, coverage, the pixel engine's late tests and writing.
 * Random primitives, quads in blocks and anywhere, targets of all formats, with one sample or four,
 * blending, logic ops, masks, alpha, depth and stencil tests; programs that read all available
 * inputs, end lanes, leave outputs unwritten, write several colours, depth or arbitrary bits, or
 * run too long. The bytes of the surfaces must be the same, and watched code (cf_jit_verify.h) must
 * not differ in any instruction.
 */
#include "clipfree/jit/cf_quad_work_run.h"
#include "clipfree/jit/llvm/test_jit.h"

#include "clipfree/jit/cf_jit_verify.h"
#include "clipfree/pixel/cf_pixel_samples.h"
#include "clipfree/pixel/test_pixel.h"
#include "clipfree/primitive/cf_prim.h"

#define STATES 9 /* per program; the last is for watched code */
#define TARGETS 3 /* at most */
#define TASKS 24 /* per state */
#define VARYING_DWORDS 4
#define SIZE_PX 24

static const struct cf_jit_compiler *compiler;

static const struct {
   unsigned colors;
   bool depth;      /* it writes depth */
   bool one_sample; /* compiled for one sample only: centroid varyings need the primitive engine */
   const char *text;
} programs[] = {
   /* a colour as it is */
   { 1, false, false,
     "ldvar v0, 0, smooth\nldvar v1, 1, smooth\nldvar v2, 2, smooth\nldvar v3, 3, flat\n"
     "outf 0, v0\noutf 1, v1\noutf 2, v2\noutf 3, v3\nend" },
   /* all system values */
   { 1, false, false,
     "sys v0, frag_x\nsys v1, frag_y\nsys v2, frag_z\nsys v3, frag_w\nsys v4, front_face\nsys v5, "
     "helper\n"
     "movi v6, 0x3d000000\nfmul v0, v0, v6\nfmul v1, v1, v6\nxor v2, v2, v4\nxor v3, v3, v5\n"
     "sys v7, point_x\nsys v8, point_y\nfadd v0, v0, v7\nfadd v1, v1, v8\n"
     "outf 0, v0\nout 1, v1\nout 2, v2\nout 3, v3\nend" },
   /* lanes that end; outputs in a branch, and one that is never written */
   { 1, false, false,
     "ldvar v0, 0, smooth\nmovi v1, 0x3e800000\nmovi v2, 0x3f000000\nflt v3, v0, v1\nkill v3, "
     "end\nflt v4, v0, v2\n"
     "if v4, L8\nldvar v5, 1, smooth\noutf 0, v5\noutf 3, v0\nL8: endif\noutf 1, v0\nend: end" },
   /* constants beyond all ranges, without a varying */
   { 1, false, false,
     "movi v0, 0x7fc00000\nmovi v1, 0xbf000000\nmovi v2, 0x7f800000\nmovi v3, 0x3f666666\n"
     "out 0, v0\nout 1, v1\nout 2, v2\nout 3, v3\nend" },
   /* quads that lose a lane */
   { 1, false, false,
     "ldvar v0, 0, smooth\nmovi v1, 0x3f000000\nflt v2, v1, v0\ndemote v2, end\nfddx v3, v0\nfddy "
     "v4, v0\n"
     "outf 0, v0\noutf 1, v3\noutf 2, v4\noutf 3, v1\nend: end" },
   /* two colours of any bits; computed ones are canonical, for integer targets show the bits of a
      NaN */
   { 2, false, false,
     "ldvar v0, 0, flat\nldvar v1, 1, flat\nldvar v2, 2, flat\nldvar v3, 3, flat\nldvar v4, 0, "
     "smooth\nldvar v5, 1, smooth\n"
     "out 0, v0\nout 1, v1\nout 2, v2\nout 3, v3\nout 4, v3\noutf 5, v4\noutf 6, v5\nout 7, "
     "v2\nend" },
   /* varyings in all ways */
   { 1, false, true,
     "ldvar v0, 0, linear\nldvar v1, 1, centroid\nldvar v2, 2, smooth\nldvar v3, 3, linear\n"
     "outf 0, v0\noutf 1, v1\noutf 2, v2\noutf 3, v3\nend" },
   /* depth, too */
   { 1, true, false,
     "ldvar v0, 0, smooth\nldvar v1, 1, smooth\nldvar v2, 2, flat\noutf 0, v0\noutf 1, v1\nout 2, "
     "v2\nout 32, v1\noutf 3, v0\nend" },
};

static float
between(float low, float high)
{
   return low + (high - low) * (float)cf_random_below(&rng, 1u << 24) * 0x1p-24f;
}

/* Boundary values of conversions and comparisons: zeros, ones, denormals, infinities, NaNs, the
 * largest half float and values that round to it, random bits. */
static float
special(void)
{
   static const uint32_t bits[] = {
      0,          0x80000000, 0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f800001,
      0x3f000000, 1,          0x807fffff, 0x00800000, 0x7f800000, 0xff800000,
      0x7fc00000, 0xffc00001, 0x7f800001, 0x477fe000, 0x477fefff, 0x477ff000,
      0x33000000, 0x33000001, 0x387fe000, 0x39000000, 0x38ffffff,
   };
   const unsigned count = sizeof(bits) / sizeof(bits[0]), i = cf_random_below(&rng, count + 4);
   return cf_float(i < count ? bits[i] : cf_random_u32(&rng));
}

/* ---- primitives and quads ---- */

struct primitive {
   struct cf_prim prim;
   float varyings[VARYING_DWORDS][3];
};

/* Weights 0 and 1 that are short, and neither negative nor more than 1/2 in any pixel, as they are
 * in those that a triangle covers: of these blocks are computed without bounds. */
static void
shorten(struct cf_prim *prim)
{
   enum { REACH_PX = 32 }; /* at least SIZE_PX, whole blocks; a power of two */
   const double unit = 1.0 / (16 * REACH_PX);
   for (unsigned i = 0; i < 2; i++) {
      prim->a[i] = cf_random_below(&rng, 4) * unit;
      prim->b[i] = cf_random_below(&rng, 4) * unit;
      prim->c[i] = (1 + cf_random_below(&rng, 2 * REACH_PX)) * unit;
   }
}

/* Make a triangle's weights have one sum, as in what is drawn flat; of some of them it is so nearly
 * between two floats that it is not known to be. */
static void
flatten(struct cf_prim *prim)
{
   const bool nearly = cf_random_below(&rng, 8) == 0, few_bits = cf_random_below(&rng, 2);
   const float sum = few_bits ? between(1.0f, 2.0f) : between(0.5f, 2.0f);
   if (few_bits)
      shorten(prim);
   prim->a[2] = -(prim->a[0] + prim->a[1]);
   prim->b[2] = -(prim->b[0] + prim->b[1]);
   prim->c[2] = (double)sum * (nearly ? 1 + 0x1p-25 : 1) - (prim->c[0] + prim->c[1]);
   prim->bounds = (struct cf_prim_bounds){ 0, 0, UINT16_MAX, UINT16_MAX };
   prim->weight_sum = cf_prim_weight_sum(prim);
   prim->short_weights = prim->weight_sum != 0.0f && cf_prim_weights_are_short(prim);
   assert_true(prim->short_weights || !few_bits || nearly);
   if (!few_bits)
      prim->short_weights = false; /* nothing bounds them */
}

#define BEYOND_POINTS 0xff /* bytes of a primitive that a point need not have: NaNs */

/* A primitive for code with this key. */
static struct primitive
random_primitive(const struct cf_primitive_config *config, const struct cf_pixel_key *key)
{
   struct primitive t;
   memset(&t, 0, sizeof(t));
   t.prim.shape = key->shape;
   t.prim.config = config;
   for (unsigned i = 0; i < 3; i++) {
      t.prim.a[i] = (double)between(-0.1f, 0.1f);
      t.prim.b[i] = (double)between(-0.1f, 0.1f);
      t.prim.c[i] = (double)between(-0.2f, 1.5f);
   }
   if (cf_random_below(&rng, 8) == 0) /* the sum of weights is 0 */
      t.prim.a[0] = t.prim.a[1] = t.prim.a[2] = t.prim.b[0] = t.prim.b[1] = t.prim.b[2] =
         t.prim.c[0] = t.prim.c[1] = t.prim.c[2] = 0;
   for (unsigned i = 0; i < 3; i++)
      t.prim.vertex[i][3] = between(-1.0f, 2.0f);
   if (key->shape == CF_SHAPE_POINT) {
      memset(&t.prim.a, BEYOND_POINTS, sizeof(t.prim) - offsetof(struct cf_prim, a));
      t.prim.point = (struct cf_point_place){ .s_per_px = (double)between(-0.1f, 0.1f),
                                              .s_0 = (double)between(-0.2f, 1.5f),
                                              .t_per_px = (double)between(-0.1f, 0.1f),
                                              .t_0 = (double)between(-0.2f, 1.5f) };
   }
   if (key->replicated) { /* sides of a line, whose direction is not 0 */
      t.prim.replicated = cf_random_below(&rng, 4) != 0;
      t.prim.a[2] = (double)between(-1.0f, 1.0f);
      t.prim.b[2] =
         cf_random_below(&rng, 4) ? t.prim.a[2] * (double)between(-2.0f, 2.0f) + 0.25 : 0.0625;
      t.prim.a[3] = -t.prim.a[2];
      t.prim.b[3] = -t.prim.b[2];
      t.prim.c[3] = (double)between(-10.0f, 10.0f);
   }
   if (key->shape == CF_SHAPE_TRIANGLE && cf_random_below(&rng, 2))
      flatten(&t.prim);
   t.prim.z_a = (double)between(-0.1f, 0.1f);
   t.prim.z_b = (double)between(-0.1f, 0.1f);
   t.prim.z_c = (double)between(-0.5f, 1.5f);
   t.prim.z_max = 1.0f;
   t.prim.inv_scale = (double)between(0.5f, 4.0f);
   t.prim.front = cf_random_below(&rng, 2);
   for (unsigned i = 0; i < VARYING_DWORDS; i++) {
      t.varyings[i][0] = cf_random_below(&rng, 4) ? between(-0.2f, 1.2f) : special();
      const bool constant = key->shape == CF_SHAPE_POINT && !key->sprites;
      t.varyings[i][1] = constant ? 0.0f : between(-1.0f, 1.0f);
      t.varyings[i][2] = constant ? 0.0f : between(-1.0f, 1.0f);
   }
   return t;
}

/* Add pixels that failed early tests: covered, but not shaded. */
static void
add_removed(struct test_quads *t)
{
   for (unsigned q = 0; q < t->count; q++)
      t->quad[q].masks |= cf_random_below(&rng, 2) * (cf_random_u32(&rng) & 0xf) * CF_QUAD_COVERED;
}

/* Random sample masks of the covered pixels, each with at least one sample, or all samples of all;
 * some centres are uncovered. */
static void
random_masks(struct cf_quad *quad)
{
   const uint32_t covered = cf_quad_mask(quad, CF_QUAD_COVERED);
   quad->masks |= cf_random_u32(&rng) & covered * CF_QUAD_UNSURE;
   for (unsigned s = 0; s < CF_SAMPLES; s++)
      quad->masks |= cf_random_u32(&rng) & covered * CF_QUAD_SAMPLE(s);
   for (unsigned k = 0; k < 4; k++)
      quad->masks |= (covered & 1u << k) * CF_QUAD_SAMPLE(cf_random_below(&rng, CF_SAMPLES));
}

static void
random_samples(struct test_quads *t)
{
   const bool all = cf_random_below(&rng, 2);
   for (unsigned q = 0; q < t->count; q++) {
      for (unsigned s = 0; s < CF_SAMPLES && all; s++)
         t->quad[q].masks |= cf_quad_mask(&t->quad[q], CF_QUAD_COVERED) * CF_QUAD_SAMPLE(s);
      if (!all)
         random_masks(&t->quad[q]);
   }
}

/* A task of one primitive or of several. */
static struct test_quads
random_task(const struct cf_image *image, struct primitive primitives[CF_TASK_QUADS], bool samples)
{
   struct test_quads t;
   const bool one = cf_random_below(&rng, 2);
   do {
      t = random_quads(image);
   } while (t.count == 0);
   add_removed(&t);
   if (samples)
      random_samples(&t);
   for (unsigned q = 0; q < CF_TASK_QUADS; q++) {
      struct primitive *primitive = &primitives[one ? 0 : cf_random_below(&rng, CF_TASK_QUADS)];
      if (q >= t.count) {
         t.quad[q] = t.quad[0];
         continue;
      }
      primitive->prim.varyings = (const float(*)[3])primitive->varyings;
      t.quad[q].prim = &primitive->prim;
   }
   return t;
}

/* ---- states ---- */

/* The surfaces of a task: color targets and depth-stencil. One struct, and one configuration, for
 * each sample. */
struct surfaces {
   struct test_surface color[TARGETS], zs;
};

static struct cf_depth_stencil
random_depth_stencil(void)
{
   struct cf_depth_stencil ds = { .alpha_test = cf_random_below(&rng, 4) == 0,
                                  .alpha_func = (enum cf_compare)cf_random_below(&rng, 8),
                                  .alpha_ref =
                                     cf_random_below(&rng, 8) ? between(-0.2f, 1.2f) : special(),
                                  .depth_test = cf_random_below(&rng, 3) == 0,
                                  .depth_func = (enum cf_compare)cf_random_below(&rng, 8),
                                  .depth_write = cf_random_below(&rng, 2),
                                  .stencil_front = cf_random_below(&rng, 4) == 0,
                                  .stencil_back = cf_random_below(&rng, 2) };
   ds.front_func = (enum cf_compare)cf_random_below(&rng, 8);
   ds.back_func = (enum cf_compare)cf_random_below(&rng, 8);
   ds.front_zpass = ds.back_fail = CF_STENCIL_OP_INCR_WRAP;
   ds.front_zfail = ds.back_zfail = CF_STENCIL_OP_INVERT;
   ds.front_value_mask = ds.back_value_mask = 3;
   ds.front_write_mask = ds.back_write_mask = 255;
   return ds;
}

/* A random configuration of the pixel engine, without surfaces, for a program that writes `colors`
 * colours. */
static struct cf_pixel_config
random_config(unsigned colors, bool depth, bool one_sample)
{
   struct cf_pixel_config config = {
      .color_count = cf_random_below(&rng, 2) ? 1 : 1 + cf_random_below(&rng, TARGETS),
      .depth_stencil = random_depth_stencil(),
      .stencil_ref = { .front = cf_random_below(&rng, 4), .back = cf_random_below(&rng, 4) },
      .program_kills = true,
      .program_writes_depth = depth,
      .program_color_outputs = (1u << colors) - 1,
      .program_color0_to_all = cf_random_below(&rng, 2 * colors) == 0,
      .samples = !one_sample && cf_random_below(&rng, 2) ? CF_SAMPLES : 1
   };
   for (unsigned i = 0; i < 4; i++)
      config.blend_color.color[i] = cf_random_below(&rng, 8) ? between(-0.2f, 1.2f) : special();
   for (unsigned i = 0; i < config.color_count; i++)
      config.blend[i] = random_blend();
   return config;
}

static void
free_surfaces(struct surfaces *surfaces, const struct cf_pixel_config *config)
{
   for (unsigned n = 0; n < config->samples; n++) {
      for (unsigned i = 0; i < config->color_count; i++)
         test_surface_free(&surfaces[n].color[i]);
      test_surface_free(&surfaces[n].zs);
   }
}

/* Random surfaces; all samples have the same size and formats. */
static void
random_surfaces(struct surfaces *surfaces, struct cf_pixel_config *config)
{
   static const enum cf_format all_zs[] = {
      CF_FORMAT_Z16_UNORM, CF_FORMAT_Z24_UNORM_S8_UINT,    CF_FORMAT_Z24X8_UNORM,
      CF_FORMAT_Z32_FLOAT, CF_FORMAT_Z32_FLOAT_S8X24_UINT, CF_FORMAT_S8_UINT,
   };
   const uint32_t width_px = 1 + cf_random_below(&rng, SIZE_PX),
                  height_px = 1 + cf_random_below(&rng, SIZE_PX);
   const enum cf_format zs = all_zs[cf_random_below(&rng, sizeof(all_zs) / sizeof(all_zs[0]))];
   enum cf_format color[TARGETS];
   for (unsigned i = 0; i < config->color_count; i++)
      color[i] = only_format ? only_format : random_format();
   for (unsigned n = 0; n < config->samples; n++) {
      for (unsigned i = 0; i < config->color_count; i++)
         test_surface_init(&surfaces[n].color[i], color[i], true, width_px, height_px);
      test_surface_init(&surfaces[n].zs, zs, true, width_px, height_px);
   }
}

/* Configure drawing to copy number `copy` of the surfaces. */
static void
draw_to(struct cf_pixel_config *config, const struct surfaces *surfaces, unsigned copy)
{
   for (unsigned n = 0; n < config->samples; n++) {
      for (unsigned i = 0; i < config->color_count; i++) {
         config[n].color[i] = surfaces[n].color[i].image;
         config[n].color[i].data = surfaces[n].color[i].data[copy];
      }
      config[n].zs = surfaces[n].zs.image;
      config[n].zs.data = surfaces[n].zs.data[copy];
   }
}

/* Random surfaces and a state that is compiled. */
static struct cf_pixel_key
random_state(struct cf_pixel_config config[CF_SAMPLES], struct surfaces surfaces[CF_SAMPLES],
             unsigned colors, bool depth, bool one_sample)
{
   struct cf_pixel_key key;
   for (;;) {
      config[0] = random_config(colors, depth, one_sample);
      random_surfaces(surfaces, config);
      for (unsigned n = 1; n < CF_SAMPLES; n++)
         config[n] = config[0];
      draw_to(config, surfaces, 0);
      for (unsigned n = 0; n < config->samples; n++)
         cf_pixel_configure(&config[n]);
      if (cf_pixel_key_of(&key, config)) {
         key.shape = (uint8_t)cf_random_below(&rng, CF_SHAPE_TRIANGLE + 1);
         key.sprites = key.shape == CF_SHAPE_POINT && cf_random_below(&rng, 2);
         key.replicated = key.shape == CF_SHAPE_LINE && cf_random_below(&rng, 2);
         key.coverage = cf_random_below(&rng, 3) == 0;
         return key;
      }
      free_surfaces(surfaces, config);
   }
}

/* ---- comparison ---- */

/* Run the separate units. Returns the lanes that were written. */
static uint32_t
run_units(struct fixture *f, int level, const struct cf_fragments *fragments,
          uint32_t written[CF_SAMPLES])
{
   cf_fragments_begin(fragments, f->task);
   cf_shader_ops_at(level)->prepare(&f->stage, f->task);
   cf_shader_ops_at(level)->run(&f->stage, f->task);
   cf_fragments_end(fragments, f->task, f->task->alive, written);
   return written[0] | written[1] | written[2] | written[3];
}

static bool
compiled_quads(struct cf_engine *engine, struct cf_run *run)
{
   cf_quad_work_run(run, (cf_jit_function)((struct compiled *)engine)->code.entry);
   return true;
}

/* An engine that runs watched code in lock step with the interpreter, from the inputs that
 * cf_fragments_begin set. */
static bool
watched_quads(struct cf_engine *engine, struct cf_run *run)
{
   memcpy(run->varyings, run->task->varyings, sizeof(run->varyings));
   assert_true(cf_jit_verify_steps((cf_jit_function)((struct compiled *)engine)->code.entry, run));
   return false;
}

static void
reset_surfaces(struct surfaces *surfaces, const struct cf_pixel_config *config)
{
   for (unsigned n = 0; n < config->samples; n++) {
      for (unsigned i = 0; i < config->color_count; i++)
         test_surface_reset(&surfaces[n].color[i]);
      test_surface_reset(&surfaces[n].zs);
   }
}

static void
assert_same(const struct test_surface *surface)
{
   assert_memory_equal(surface->data[1], surface->data[0], surface->size_B);
}

static void
assert_same_surfaces(const struct surfaces *surfaces, const struct cf_pixel_config *config)
{
   for (unsigned n = 0; n < config->samples; n++) {
      for (unsigned i = 0; i < config->color_count; i++)
         assert_same(&surfaces[n].color[i]);
      assert_same(&surfaces[n].zs);
   }
}

/* The quads of several tasks like this one, each in some of its lanes. */
static void
repeat_task(const struct test_quads *t, unsigned tasks, struct cf_quad *quads, uint32_t *lanes)
{
   for (unsigned q = 0; q < tasks * CF_TASK_QUADS; q++)
      quads[q] = t->quad[q % CF_TASK_QUADS];
   for (unsigned i = 0; i < tasks; i++) {
      const uint32_t some = i ? t->mask & cf_random_u32(&rng) : 0;
      lanes[i] = some ? some : t->mask;
   }
}

/* Compare one task, or several with the same quads in lanes of their own. `watched`: the program's
 * engine is watched_quads. */
static void
check_task(struct fixture *f, int level, struct cf_pixel_config *config,
           const struct cf_pixel_key *key, struct surfaces *surfaces, const struct test_quads *t,
           bool watched)
{
   struct cf_decoded *program = (struct cf_decoded *)f->stage.program;
   struct cf_engine *engine = program->engine;
   const bool complete = t->count == CF_TASK_QUADS;
   struct cf_quad quads[CF_WORK_TASKS * CF_TASK_QUADS];
   float coverage[CF_TASK_LANES];
   uint32_t lanes[CF_WORK_TASKS];
   uint32_t alive[CF_WORK_TASKS] = { 0 }, written[2][CF_WORK_TASKS][CF_SAMPLES] = { { { 0 } } };
   const struct cf_sample_units units = { cf_primitive_ops_at(level), cf_pixel_ops_at(level),
                                          cf_random_below(&rng, 2) };
   struct cf_program info = program->info;
   info.sysvals |= CF_QUAD_SYSVALS & ~(1u << CF_SYSVAL_HELPER);
   info.needs_helpers = cf_random_below(&rng, 2);
   info.writes_depth = config->program_writes_depth;
   const bool shared = cf_random_below(&rng, 2);
   struct cf_quad_work work = {
      .fragments = { .units = &units,
                     .quads = quads,
                     .count = t->count,
                     .lanes = t->mask,
                     .varmodes = 1u << CF_VARMODE_SMOOTH | 1u << CF_VARMODE_LINEAR |
                                 1u << CF_VARMODE_CENTROID | (shared ? CF_VARMODES_SHARED : 0),
                     .coverage = key->coverage ? coverage : NULL,
                     .program = &info,
                     .pixel = config },
      .lanes = lanes,
      .shared = shared ? UINT32_MAX : 0,
      .tasks =
         complete && !watched && !key->coverage ? 1 + cf_random_below(&rng, CF_WORK_TASKS) : 1,
      .centre_px = t->quad[0].prim->config->raster.half_pixel_center ? 0.5f : 0.0f,
      .key = key,
      .test_quads = cf_pixel_ops_at(level)->test_quads,
      .written = config->samples > 1 ? written[1] : NULL,
      .test_samples = cf_samples_test
   };
   for (unsigned lane = 0; lane < CF_TASK_LANES; lane++)
      coverage[lane] = (float)cf_random_below(&rng, 257) / 256.0f;
   repeat_task(t, work.tasks, quads, lanes);
   reset_surfaces(surfaces, config);
   draw_to(config, surfaces, 0);
   program->engine = NULL;
   bool timed_out = false;
   for (unsigned i = 0; i < work.tasks && !timed_out; i++) {
      work.fragments.lanes = lanes[i];
      alive[i] = run_units(f, level, &work.fragments, written[0][i]);
      timed_out = f->task->timed_out;
   }
   program->engine = engine;
   draw_to(config, surfaces, 1);
   cf_quad_work_begin(&work, f->task);
   assert_int_equal(cf_shader_ops_at(level)->run_quads(&f->stage, f->task, &work), !watched);
   if (watched)
      return;
   assert_memory_equal(work.alive, alive, work.tasks * sizeof(alive[0]));
   if (config->samples > 1)
      assert_memory_equal(written[1], written[0], sizeof(written[0]));
   assert_int_equal(f->task->timed_out, timed_out);
   assert_same_surfaces(surfaces, config);
}

static void
check_program(struct fixture *f, const char *text, unsigned colors, bool depth, bool one_sample,
              int level)
{
   f->info.outputs = depth ? 33 : 4 * colors;
   if (!fixture_load(f, text))
      fail_msg("%s\n%s", f->error, text);
   for (unsigned n = only_format ? STATES - 3 : 0; n < STATES; n++) {
      const struct cf_primitive_config primitive = { .raster.half_pixel_center =
                                                        cf_random_below(&rng, 2),
                                                     .raster.bottom_edge_rule =
                                                        cf_random_below(&rng, 2) };
      struct primitive primitives[CF_TASK_QUADS];
      struct surfaces surfaces[CF_SAMPLES];
      struct cf_pixel_config config[CF_SAMPLES];
      const struct cf_pixel_key key = random_state(config, surfaces, colors, depth, one_sample);
      const bool watched = n == STATES - 1;
      fixture_engine_for(f, compiler, level,
                         &(struct cf_jit_source){ .pixel = &key, .watched = watched });
      f->stage.program->engine->run_quads = watched ? watched_quads : compiled_quads;
      for (unsigned i = 0; i < TASKS && level <= (int)cf_host_level(); i++) {
         for (unsigned q = 0; q < CF_TASK_QUADS; q++)
            primitives[q] = random_primitive(&primitive, &key);
         const struct test_quads t = random_task(&surfaces->zs.image, primitives, key.samples);
         check_task(f, level, config, &key, surfaces, &t, watched);
      }
      free_surfaces(surfaces, config);
   }
}

/* Code for better hosts than this one is compiled and proven alone. */
static void
test_programs(void **state)
{
   (void)state;
   struct fixture f;
   fixture_init(&f);
   for (unsigned n = 0; n < sizeof(programs) / sizeof(programs[0]); n++) {
      for (int level = 0; level < CF_HOST_LEVELS; level++)
         check_program(&f, programs[n].text, programs[n].colors, programs[n].depth,
                       programs[n].one_sample, level);
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
   f.stage.max_instrs = 50;
   check_program(&f, "movi v0, 0x3f800000\nout 0, v0\nloop\nL3:\nendloop L3\nend", 1, false, false,
                 (int)cf_host_level());
   fixture_end(&f);
}

/* Keys differ in state that code is specialised for, and not in state read at run time; states that
 * cannot be written have no key. */
static void
test_keys(void **state)
{
   (void)state;
   enum { PLAIN, SAME, OTHER = SAME + 3, NONE = OTHER + 7, ALL = NONE + 2 };
   const struct cf_blend blend = { .enable = true,
                                   .src_color = CF_BLEND_FACTOR_CONST_COLOR,
                                   .dst_alpha = CF_BLEND_FACTOR_SRC_ALPHA,
                                   .write_mask = 7 };
   struct test_surface s, depth;
   struct cf_pixel_config c[ALL];
   struct cf_pixel_key key[ALL];
   test_surface_init(&s, CF_FORMAT_R8G8B8A8_UNORM, true, 8, 8);
   test_surface_init(&depth, CF_FORMAT_Z24X8_UNORM, true, 8, 8);
   for (unsigned i = 0; i < ALL; i++) {
      c[i] = (struct cf_pixel_config){ .color_count = 1, .program_color_outputs = 1, .color = { s.image }, .blend = { blend } };
      c[i].depth_stencil = (struct cf_depth_stencil){ .alpha_test = true, .alpha_func = CF_COMPARE_LESS, .alpha_ref = 0.5f };
   }
   c[SAME].blend_color.color[0] = 0.5f;
   c[SAME + 1].blend[0].write_mask = 14;
   c[SAME + 2].depth_stencil.alpha_ref = 0.25f;
   c[OTHER].blend[0].write_mask = 15;
   c[OTHER + 1].depth_stencil.alpha_func = CF_COMPARE_GREATER;
   c[OTHER + 2].color[0].format = cf_format_info_of(CF_FORMAT_B8G8R8A8_UNORM);
   c[OTHER + 3].blend[0].dst_color = CF_BLEND_FACTOR_ONE;
   /* after the alpha test */
   c[OTHER + 4].depth_stencil.depth_test = c[OTHER + 4].depth_stencil.depth_write = true;
   c[OTHER + 4].depth_stencil.depth_func = CF_COMPARE_LESS;
   c[OTHER + 4].zs = depth.image;
   c[OTHER + 5].samples = CF_SAMPLES;
   c[NONE] = c[OTHER + 4];
   c[NONE].zs.blocks = false;
   c[NONE + 1].color[0].blocks = false;
   c[OTHER + 6].blend[0].write_mask = 0; /* no target: passing lanes are still counted */
   for (unsigned i = 0; i < ALL; i++) {
      cf_pixel_configure(&c[i]);
      assert_int_equal(cf_pixel_key_of(&key[i], &c[i]), i < NONE);
      if (i < NONE)
         assert_int_equal(memcmp(&key[i], &key[PLAIN], sizeof(key[i])) == 0, i < OTHER);
   }
   test_surface_free(&s);
   test_surface_free(&depth);
}

int
main(int argc, char **argv)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_programs),
      cmocka_unit_test(test_watchdog),
      cmocka_unit_test(test_keys),
   };
   if (argc < 2)
      return 2;
   if (argc > 2)
      choose_format(argv[2]);
   compiler = open_compiler(argv[1]);
   rng = cf_random_seed("quads");
   return cmocka_run_group_tests_name("quads to pixels, compiled", tests, NULL, NULL);
}
