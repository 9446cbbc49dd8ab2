/* SPDX-License-Identifier: MIT */
/*
 * Image filters, compiled for the texture they sample, against the interpreter: random
 * straight-line programs with many neighbouring samples of one unit, whose coordinates use
 * registers in all ways that register allocation may produce (shared, overwritten, scalar, from an
 * earlier sample). Coordinates are coherent in blocks, in quads, or random.
 */
#include "clipfree/jit/llvm/test_jit.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/base/test_random.h"
#include "clipfree/texture/cf_texture.h"

#define PROGRAMS 20
#define TASKS 16 /* of a program */
#define MAX_SAMPLES 40
#define WIDTH_PX 40
#define HEIGHT_PX 24
#define UNIT 2

static const struct cf_jit_compiler *compiler;
static uint64_t random_state;
static char text[1 << 16];
static size_t text_size;

static uint32_t
below(uint32_t n)
{
   return random_u32(&random_state) % n;
}

static float
between(float low, float high)
{
   return low + (high - low) * (float)(random_u32(&random_state) >> 8) / 16777216.0f;
}

/* ---- programs ---- */

static void __attribute__((format(printf, 1, 2)))
put(const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   text_size += (size_t)vsnprintf(text + text_size, sizeof(text) - text_size, format, arguments);
   va_end(arguments);
   assert_true(text_size < sizeof(text));
}

/* Put an integral number of texels, or nearly one, in v4 or s0. */
static void
put_step(float size_px)
{
   const float step = (float)(int32_t)(below(7) - 3) * (below(4) ? 1.0f : 0.8f) / size_px;
   put("movi %s, 0x%08x\n", below(2) ? "s0" : "v4", cf_bits(step));
}

/* Compute the coordinates of a sample into x, y: those of the pixel, from those of the last sample,
 * or from its result. */
static void
put_coordinates(unsigned x, unsigned y)
{
   const unsigned how = below(8);
   put("movi s0, 0\nmovi v4, 0\n");
   put_step(WIDTH_PX);
   put("fadd v%u, %s, s0\nfadd v%u, v%u, v4\n", x, how == 0 ? "v6" : "v0", x, x);
   if (how == 1) {
      put("fmul v%u, v%u, v0\n", y, 20 + below(4));
      return;
   }
   put_step(HEIGHT_PX);
   put("fadd v%u, v1, v4\n", y);
   if (below(2))
      put("fadd v%u, v%u, s0\n", y, y);
}

/* The texel offsets: constants, in a scalar register or not, or other ones in each lane. */
static void
put_offsets(void)
{
   const char *operand = below(2) ? "s5" : "v9";
   if (below(4))
      put("movi %s, 0x%06x\ngrad 7, %s\n", operand, random_u32(&random_state) & 0x070f07, operand);
   else
      put("grad 7, v%u\n", below(2));
   put("grad 6, v1\n");
}

/* Sample at x, y in a mode, which may be one with offsets. */
static void
put_sample(unsigned x, unsigned y, const char *mode)
{
   const bool offsets = below(3) == 0;
   if (offsets)
      put_offsets();
   put("tex v20.xyzw, %u, v%u, v%u, %s, v5, %s%s\n", UNIT, x, y, below(2) ? "v1" : "0.5", mode,
       offsets ? "_at" : "");
}

/* Fetch the texel at x, y, or near it: of a level, or a sample, that may not exist. */
static void
put_fetch(unsigned x, unsigned y)
{
   put("fmul v8, v%u, u0\nfmul v9, v%u, u1\nf2i v8, v8\nf2i v9, v9\n", x, y);
   put("iadd v8, v8, %d\n", (int)below(4) - 2);
   if (below(4))
      put("tex v20.xyzw, %u, v8, v9, 0, %u, fetch\n", UNIT, below(4) ? 0 : below(6));
   else
      put("f2i v10, v%u\ntex v20.xyzw, %u, v8, v9, 0, v10, fetch\n", x, UNIT);
}

/* Each result is exported, so that none hides another. */
static unsigned
make_program(void)
{
   static const char *const modes[] = { "implicit", "implicit", "proj", "lod" };
   const unsigned samples = 1 + below(below(4) ? 6 : 33);
   const char *mode = modes[below(4)];
   const bool fetches = below(3) == 0;
   text_size = 0;
   put("sys v0, frag_x\nsys v1, frag_y\nmov v6, v0\nmov v7, v1\n");
   put("movi v20, 0\nmov v21, v20\nmov v22, v20\nmov v23, v20\nmovi v5, 0x%08x\n",
       cf_bits(below(4) ? 1.0f : 2.0f));
   for (unsigned n = 0; n < samples; n++) {
      const unsigned x = below(4) ? 6 : 20, y = below(4) ? 7 : 21;
      put_coordinates(x, y);
      if (fetches && below(8))
         put_fetch(x, y);
      else
         put_sample(x, y, mode);
      for (unsigned c = 0; c < 3; c++)
         put("out %u, v%u\n", 3 * n + c, 20 + c);
      if (below(16) == 0)
         put("flt v8, v20, v21\nif v8, end%u\nmov v6, v0\nend%u: endif\n", n, n);
   }
   put("end");
   return samples;
}

/* ---- tasks ---- */

static void
fill_coordinates(struct cf_task *task)
{
   const unsigned together = 1u << 2 * below(3); /* lanes with neighbouring pixels */
   const bool anywhere = below(3) == 0, upright = below(2);
   const float size_px[2] = { WIDTH_PX, HEIGHT_PX };
   float start[2] = { 0 };
   for (unsigned lane = 0; lane < LANES; lane++) {
      for (unsigned k = 0; k < 2; k++) {
         if (lane % together == 0)
            start[k] =
               anywhere ? between(-1.0f, 2.0f) : ((float)below(6) * 4.0f + 0.5f) / size_px[k];
         const unsigned place =
            together == 1 ? 0 : (lane >> k & 1) | (together == 16 ? lane >> (k + 1) & 2 : 0);
         const float step = (upright ? 1.0f : -1.0f) * (float)place / size_px[k];
         task->sys[CF_SYSVAL_FRAG_X + k][lane] = cf_bits(start[k] + step);
      }
   }
}

static void
check_task(struct fixture *f, struct cf_engine *engine, int level, unsigned outputs)
{
   static uint32_t expected[CF_MAX_OUTPUTS][LANES];
   const uint32_t exec = below(2) ? 0xffffffff : random_u32(&random_state) | 1;
   struct cf_decoded *program = (struct cf_decoded *)f->stage.program;
   fill_coordinates(f->task);
   program->engine = NULL;
   memset(f->task->out, 0, sizeof(f->task->out));
   fixture_run(f, (enum cf_host_level)level, exec);
   memcpy(expected, f->task->out, sizeof(expected));
   program->engine = engine;
   memset(f->task->out, 0, sizeof(f->task->out));
   fixture_run(f, (enum cf_host_level)level, exec);
   for (unsigned n = 0; n < outputs; n++) {
      for (unsigned lane = 0; lane < LANES; lane++) {
         if (exec >> lane & 1 && !same_float(expected[n][lane], f->task->out[n][lane]))
            fail_msg("level %d, output %u, lane %u of exec 0x%08x: 0x%08x, expected 0x%08x\n%s",
                     level, n, lane, exec, f->task->out[n][lane], expected[n][lane], text);
      }
   }
}

static void
test_filters(void **state)
{
   (void)state;
   static _Alignas(64) uint8_t data[WIDTH_PX * HEIGHT_PX * 4 * CF_SAMPLES];
   static const float size_px[2] = { WIDTH_PX, HEIGHT_PX };
   static const enum cf_wrap wraps[] = { CF_WRAP_REPEAT, CF_WRAP_CLAMP_TO_EDGE,
                                         CF_WRAP_MIRROR_REPEAT };
   struct cf_texture texture = { .kind = CF_TEXTURE_KIND_T2D,
                                 .format = CF_FORMAT_R8G8B8A8_UNORM,
                                 .layout = CF_LAYOUT_BLOCKS,
                                 .width_px = WIDTH_PX,
                                 .height_px = HEIGHT_PX,
                                 .depth_px = 1,
                                 .layers = 1,
                                 .size_B = sizeof(data),
                                 .level_row_pitch_B = { 0, WIDTH_PX * 8 },
                                 .level_offset_B = { 0, WIDTH_PX * HEIGHT_PX * 4 },
                                 .swizzle_g = CF_SWIZZLE_Y,
                                 .swizzle_b = CF_SWIZZLE_Z,
                                 .swizzle_a = CF_SWIZZLE_W };
   struct fixture f;
   fixture_init(&f);
   f.stage.constants[0].data = (const uint32_t *)size_px;
   f.stage.constants[0].dwords = 2;
   for (unsigned i = 0; i < sizeof(data); i++)
      data[i] = (uint8_t)random_u32(&random_state);
   for (unsigned n = 0; n < PROGRAMS; n++) {
      const enum cf_filter filter = (enum cf_filter)(n & 1);
      const struct cf_sampler sampler = { .wrap_s = wraps[below(3)],
                                          .wrap_t = wraps[below(3)],
                                          .min_filter = filter,
                                          .mag_filter = filter,
                                          .compare_enable = below(2),
                                          .compare_func = (enum cf_compare)below(8) };
      struct cf_texture_unit unit;
      struct cf_sample_key keys[CF_MAX_TEXTURE_UNITS] = { { 0 } };
      texture.format = below(3) ? CF_FORMAT_R8G8B8A8_UNORM : CF_FORMAT_Z24X8_UNORM;
      texture.samples = below(4) ? 0 : CF_SAMPLES;
      texture.last_level = !texture.samples && below(2);
      texture.level_row_pitch_B[0] = WIDTH_PX * 16 * (texture.samples ? CF_SAMPLES : 1);
      assert_null(cf_texture_unit_init(&unit, &texture, &sampler, data));
      assert_true(cf_sample_key_of(&keys[UNIT], &unit));
      for (unsigned mode = CF_TEXMODE_IMPLICIT; mode <= CF_TEXMODE_FETCH; mode++)
         assert_true(cf_sample_is_inlined(&keys[UNIT], cf_sample_variant(mode, 15, true)));
      f.stage.textures[UNIT] = &unit;
      const unsigned outputs = 3 * make_program();
      if (!fixture_load(&f, text))
         fail_msg("%s\n%s", f.error, text);
      const int level = n % 4 ? (int)cf_host_level() : (int)(n / 4 % (cf_host_level() + 1));
      /* without keys samples are calls of the texture unit */
      fixture_engine(&f, compiler, level, n % 5 ? keys : NULL);
      struct cf_engine *engine = f.stage.program->engine;
      for (unsigned i = 0; i < TASKS; i++)
         check_task(&f, engine, level, outputs);
   }
   fixture_end(&f);
}

int
main(int argc, char **argv)
{
   const struct CMUnitTest tests[] = { cmocka_unit_test(test_filters) };
   if (argc != 2)
      return 2;
   compiler = open_compiler(argv[1]);
   random_state = cf_random_seed("filters").state;
   return cmocka_run_group_tests_name("filters, compiled", tests, NULL, NULL);
}
