/* SPDX-License-Identifier: MIT */
/*
 * Draws that stay on slow paths, and those beside them that do not: each is told with its reason
 * (cf_slow_text), and all have the interpreter's pictures.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/base/cf_host.h"
#include "clipfree/command/cf_slow.h"
#include "clipfree/command/test_scene.h"
#include "clipfree/texture/cf_texture.h"

#define LONG_INSTRS 1100 /* more than are compiled for the host level base */
#define TEXELS_PX 8

/* ---- a compiler that is not there ---- */

static bool no_threads; /* the engine has no thread: whatever it should compile is refused */

bool __real_cf_thread_start_named(pthread_t *thread, void *(*run)(void *), void *argument,
                                  const char *name);
bool __wrap_cf_thread_start_named(pthread_t *thread, void *(*run)(void *), void *argument,
                                  const char *name);

bool
__wrap_cf_thread_start_named(pthread_t *thread, void *(*run)(void *), void *argument,
                             const char *name)
{
   return !no_threads && __real_cf_thread_start_named(thread, run, argument, name);
}

static bool no_samples; /* of no sampler code could be made, while programs have theirs */

bool __real_cf_jit_has_refused_samples(const struct cf_sample_functions *functions);
bool __wrap_cf_jit_has_refused_samples(const struct cf_sample_functions *functions);

bool
__wrap_cf_jit_has_refused_samples(const struct cf_sample_functions *functions)
{
   return no_samples || __real_cf_jit_has_refused_samples(functions);
}

/* ------------------------------------------------------------------ pictures */

#define NOT_SLOW CF_SLOW_REASONS

struct drawing {
   const char *name;
   enum cf_slow reason; /* CF_SLOW_REASONS: none */
   enum cf_prim_kind prim;
   struct cf_raster raster;
   struct cf_link link;
   enum cf_filter min, mag; /* of the texture */
   enum cf_texture_kind kind;
   bool linear;   /* the target is not in blocks */
   bool textured; /* colours are the texture's, else the position */
   bool unbound;  /* no texture is bound */
   bool is_long;  /* more instructions than are compiled */
   bool hole;     /* the frame has a target more, of number 0, which is none */
   uint32_t samples;
};

/* Colours are two textures at the varyings; long programs add nothing to them, many times. */
static uint64_t
textured_program(struct test_gpu *t, bool is_long)
{
   static const char begin[] = "ldvar v0, 0, smooth\nldvar v1, 1, smooth\n",
                     nothing[] = "fadd v0, v0, 0\n",
                     end[] = "tex v4.xyzw, 0, v0, v1, 0, 0, implicit\n"
                             "tex v8.xyzw, 1, v0, v1, 0, 0, implicit\n"
                             "out 0, v4\nout 1, v5\nout 2, v6\nout 3, v8\nend\n";
   char *text = calloc(1, sizeof(begin) + sizeof(end) + LONG_INSTRS * sizeof(nothing));
   assert_non_null(text);
   char *at = stpcpy(text, begin);
   for (uint32_t i = 0; is_long && i < LONG_INSTRS; i++)
      at = stpcpy(at, nothing);
   stpcpy(at, end);
   const uint64_t program = test_program(t, text,
                                         (struct cf_program){ .stage = CF_SHADER_STAGE_FRAGMENT,
                                                              .vector_regs = 12,
                                                              .outputs = 4,
                                                              .inputs = 4,
                                                              .color_outputs = 1,
                                                              .color0_to_all = true,
                                                              .needs_helpers = true });
   free(text);
   return program;
}

static void
emit_textures(struct test_scene *s, const struct drawing *d)
{
   uint32_t texels[6 * TEXELS_PX * TEXELS_PX], dw[CF_SAMPLER_DWORDS];
   for (uint32_t i = 0; i < 6 * TEXELS_PX * TEXELS_PX; i++)
      texels[i] = i * 0x01234567u;
   struct cf_texture texture =
      test_linear_texture(test_put(&s->t, texels, sizeof(texels)), TEXELS_PX, TEXELS_PX);
   texture.kind = d->kind;
   if (d->kind == CF_TEXTURE_KIND_CUBE_ARRAY) {
      texture.layers = 6;
      texture.size_B = sizeof(texels);
   }
   cf_sampler_pack(
      dw, &(struct cf_sampler){ .min_filter = d->min, .mag_filter = d->mag, .max_lod = 10 });
   const uint64_t sampler = test_put(&s->t, dw, sizeof(dw));
   EMIT(&s->t, bind_texture, .stage = CF_SHADER_STAGE_FRAGMENT, .sampler = sampler,
        .texture = d->unbound ? 0 : test_put_texture(&s->t, &texture));
   EMIT(&s->t, bind_texture, .stage = CF_SHADER_STAGE_FRAGMENT, .unit = 1, .texture = s->texture,
        .sampler = sampler);
}

static void
emit_frame(struct test_scene *s, const struct drawing *d, const struct test_surface *color)
{
   struct test_gpu *t = &s->t;
   test_emit_frame(t, color, NULL);
   if (d->hole) {
      EMIT(t, framebuffer, .width_px = TEST_SCENE_PX, .height_px = TEST_SCENE_PX,
           .samples = d->samples, .color_count = 2, .color = { 0, color->address });
      EMIT(t, blend, .target = 1, .write_mask = 0xf);
   }
   EMIT(t, clear, .colors = 3, .max_x_px = TEST_SCENE_PX, .max_y_px = TEST_SCENE_PX);
}

static void
emit(struct test_scene *s, const struct drawing *d, const struct test_surface *color)
{
   struct test_gpu *t = &s->t;
   uint32_t link[2 * CF_LINK_DWORDS] = { 0 }; /* the second: a constant, which nobody reads */
   test_scene_emit_state(s);
   emit_frame(s, d, color);
   cf_link_pack(link, &d->link);
   EMIT(t, varyings, .count = 2, .address = test_put(t, link, sizeof(link)));
   emit_textures(s, d);
   cf_raster_pack(t->dw + t->count, &d->raster);
   t->count += CF_RASTER_DWORDS;
   EMIT(t, shader, .stage = CF_SHADER_STAGE_FRAGMENT,
        .program = d->textured ? textured_program(t, d->is_long) : test_varyings_program(t));
   for (uint32_t i = 0; i < 2; i++)
      EMIT(t, draw, .prim = d->prim, .count = 4, .instances = 1);
}

/* Whether a report says that a draw is slow for this reason. */
static bool
is_told(struct cf_gpu *gpu, enum cf_slow reason)
{
   const uint64_t reports = gpu->ops->get_param(gpu, CF_PARAM_REPORTS);
   bool found = false;
   for (uint64_t i = 1; i <= reports; i++) {
      struct cf_report report;
      assert_true(gpu->ops->report(gpu, i, &report));
      found = found || (report.kind == CF_REPORT_SLOW && strstr(report.text, cf_slow_text(reason)));
   }
   return found;
}

/* The picture's hash, of all samples; and which reasons were told, bit per enum cf_slow. */
static uint64_t
draw(const struct drawing *d, enum cf_engine_choice engine, uint32_t times, uint32_t *reasons)
{
   struct test_scene s;
   struct test_surface color;
   uint64_t hash = 1;
   test_scene_open_on(&s, test_model_of((struct cf_model_config){
                             .engine = engine, .host_level = 1, .no_disk_cache = true }));
   if (d->linear)
      test_surface_create(&s.t, &color, CF_FORMAT_R8G8B8A8_UNORM, TEST_SCENE_PX, TEST_SCENE_PX,
                          false);
   else
      test_surface_create_samples(&s.t, &color, CF_FORMAT_R8G8B8A8_UNORM, TEST_SCENE_PX,
                                  TEST_SCENE_PX, d->samples);
   for (uint32_t i = 0; i < times; i++) {
      emit(&s, d, &color);
      test_submit(&s.t);
      test_no_error(&s.t);
   }
   for (uint32_t i = 0; i < TEST_SCENE_PX * TEST_SCENE_PX * d->samples; i++)
      hash = (hash ^ test_surface_sample(&color, i / d->samples % TEST_SCENE_PX,
                                         i / d->samples / TEST_SCENE_PX, i % d->samples)) *
             0x100000001b3;
   *reasons = 0;
   for (enum cf_slow reason = 0; reason < CF_SLOW_REASONS; reason++)
      *reasons |= (uint32_t)is_told(s.t.gpu, reason) << reason;
   test_surface_free(&s.t, &color);
   test_frame_close(&s.t, &s.color, &s.zs);
   return hash;
}

/* Whether this build has the engine that is slow without code. */
static bool
has_engine(void)
{
   struct cf_gpu *gpu = test_model_of((struct cf_model_config){ .engine = CF_ENGINE_AUTO });
   const bool has = gpu->ops->get_param(gpu, CF_PARAM_ENGINE) == CF_ENGINE_AUTO;
   gpu->ops->destroy(gpu);
   return has;
}

#define TRIANGLES .prim = CF_PRIM_KIND_TRIANGLE_STRIP, .link = { .present = true }, .samples = 1
#define RASTER(...) .raster = { .half_pixel_center = true, __VA_ARGS__ }
#define LINEAR .min = CF_FILTER_LINEAR, .mag = CF_FILTER_LINEAR, .kind = CF_TEXTURE_KIND_T2D
#define FEW_SAMPLES .prim = CF_PRIM_KIND_TRIANGLE_STRIP, .link = { .present = true }, .samples = 4

static const struct drawing drawings[] = {
   { "triangles", NOT_SLOW, TRIANGLES, RASTER(), LINEAR },
   { "texture", NOT_SLOW, TRIANGLES, RASTER(), LINEAR, .textured = true },
   { "no texture", NOT_SLOW, TRIANGLES, RASTER(), LINEAR, .textured = true, .unbound = true },
   { "rows", CF_SLOW_LINEAR, TRIANGLES, RASTER(), LINEAR, .linear = true },
   { "faces", CF_SLOW_FACES, TRIANGLES, LINEAR,
     RASTER(.fill_front = CF_POLYGON_MODE_LINE, .line_width_px = 1.0f) },
   { "outlines", NOT_SLOW, TRIANGLES, LINEAR,
     RASTER(.fill_front = CF_POLYGON_MODE_LINE, .fill_back = CF_POLYGON_MODE_LINE,
            .line_width_px = 1.0f) },
   { "points", NOT_SLOW, .prim = CF_PRIM_KIND_POINTS, .link = { .present = true }, .samples = 1,
     LINEAR, RASTER(.point_size_px = 9.0f) },
   { "sprites", NOT_SLOW, .prim = CF_PRIM_KIND_POINTS, .link = { .sprite = true }, .samples = 1,
     LINEAR, RASTER(.point_size_px = 30.0f, .point_quad = true) },
   { "wide lines", NOT_SLOW, .prim = CF_PRIM_KIND_LINE_STRIP, .link = { .present = true },
     .samples = 1, LINEAR, RASTER(.line_width_px = 5.0f) },
   { "cubes", CF_SLOW_TEXTURE, TRIANGLES, RASTER(), .min = CF_FILTER_LINEAR, .textured = true,
     .kind = CF_TEXTURE_KIND_CUBE_ARRAY },
   { "long", CF_SLOW_LONG, TRIANGLES, RASTER(), LINEAR, .textured = true, .is_long = true },
   { "samples", NOT_SLOW, FEW_SAMPLES, RASTER(.multisample = true), LINEAR, .textured = true },
   { "nearest", NOT_SLOW, FEW_SAMPLES, RASTER(.multisample = true), .textured = true,
     .min = CF_FILTER_NEAREST, .mag = CF_FILTER_LINEAR, .kind = CF_TEXTURE_KIND_T2D },
   { "nearest near by", NOT_SLOW, FEW_SAMPLES, RASTER(.multisample = true), .textured = true,
     .min = CF_FILTER_LINEAR, .mag = CF_FILTER_NEAREST, .kind = CF_TEXTURE_KIND_T2D },
   { "no texture, samples", NOT_SLOW, FEW_SAMPLES, RASTER(.multisample = true), LINEAR,
     .textured = true, .unbound = true },
   { "hole", NOT_SLOW, FEW_SAMPLES, RASTER(.multisample = true), LINEAR, .hole = true,
     .textured = true },
};

static void
reasons_are_told(void **state)
{
   const bool has = has_engine();
   for (uint32_t i = 0; i < sizeof(drawings) / sizeof(drawings[0]); i++) {
      const struct drawing *d = &drawings[i];
      uint32_t told, interpreted;
      const uint64_t picture = draw(d, CF_ENGINE_AUTO, 1, &told),
                     expected = draw(d, CF_ENGINE_INTERP, 1, &interpreted);
      const uint32_t wanted = has && d->reason != NOT_SLOW ? 1u << d->reason : 0;
      if (picture != expected)
         fail_msg("%s: the pictures differ", d->name);
      if (told != wanted || interpreted != 0)
         fail_msg("%s: told are 0x%x and 0x%x", d->name, told, interpreted);
   }
}

/* What could not be compiled is told from then on; a fragment program that is too long, too: here
 * the vertex program is refused. */
static void
refusals_are_told(void **state)
{
   if (!has_engine())
      skip();
   for (uint32_t i = 0; i < sizeof(drawings) / sizeof(drawings[0]); i++) {
      const struct drawing *d = &drawings[i];
      uint32_t told, interpreted;
      no_threads = true;
      const uint64_t picture = draw(d, CF_ENGINE_AUTO, 3, &told);
      no_threads = false;
      assert_int_equal(picture, draw(d, CF_ENGINE_INTERP, 1, &interpreted));
      const uint32_t wanted = 1u << CF_SLOW_REFUSED | (d->is_long ? 1u << CF_SLOW_LONG : 0);
      if ((told & (1u << CF_SLOW_REFUSED | 1u << CF_SLOW_LONG)) != wanted)
         fail_msg("%s: told are 0x%x", d->name, told);
   }
}

/* So are samples alone, of programs that take some and are compiled themselves. */
static void
refused_samples_are_told(void **state)
{
   if (!has_engine())
      skip();
   for (uint32_t i = 0; i < sizeof(drawings) / sizeof(drawings[0]); i++) {
      const struct drawing *d = &drawings[i];
      uint32_t told;
      no_samples = true;
      draw(d, CF_ENGINE_AUTO, 1, &told);
      no_samples = false;
      if (!(told & 1u << CF_SLOW_REFUSED) == (d->textured && !d->is_long))
         fail_msg("%s: told are 0x%x", d->name, told);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(reasons_are_told),
      cmocka_unit_test(refusals_are_told),
      cmocka_unit_test(refused_samples_are_told),
   };
   return cmocka_run_group_tests_name("slow draws", tests, NULL, NULL);
}
