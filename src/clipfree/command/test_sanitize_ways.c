/* SPDX-License-Identifier: MIT */
/*
 * The sanitiser: what a line of GLSL says of an instruction; textures that are read beyond their
 * ends, and divided coordinates; stores outside of arrays; the way of a value that is not finite
 * through a varying, and through an image, into the next program.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "clipfree/command/test_gpu.h"
#include "clipfree/interface/cf_note.h"
#include "clipfree/isa/cf_isa.h"
#include "clipfree/sanitize/cf_sanitize.h"

#define SIZE_PX 16
#define PIXELS (SIZE_PX * SIZE_PX)
#define OUT "outf 0, v0\noutf 1, v0\noutf 2, v0\noutf 3, v0\nend\n"

struct scene {
   struct test_gpu t;
   struct test_surface color; /* floats, without blocks */
   struct cf_sanitize *sanitize;
};

static void
scene_open(struct scene *s, int threads)
{
   s->sanitize =
      cf_sanitize_open(&(struct cf_sanitize_config){ .checks = CF_SANITIZE_ALL, .quiet = true });
   assert_non_null(s->sanitize);
   test_gpu_open_on(&s->t, test_model_of((struct cf_model_config){
                              .threads = threads,
                              .path = CF_PATH_PLAIN,
                              .engine = CF_ENGINE_INTERP,
                              .observer = cf_sanitize_observer(s->sanitize) }));
   test_surface_create(&s->t, &s->color, CF_FORMAT_R32G32B32A32_FLOAT, SIZE_PX, SIZE_PX, false);
}

/* Close the GPU; the sanitiser stays. */
static const struct cf_sanitize_report *
scene_end(struct scene *s)
{
   test_no_error(&s->t);
   test_surface_free(&s->t, &s->color);
   test_gpu_close(&s->t);
   return cf_sanitize_reports(s->sanitize);
}

static uint64_t
fragment_program(struct scene *s, const char *text)
{
   return test_program(
      &s->t, text,
      (struct cf_program){ .stage = CF_SHADER_STAGE_FRAGMENT,
                           .vector_regs = 8,
                           .scalar_regs = 1,
                           .outputs = 4,
                           .color_outputs = 1,
                           .uses_kill = true,
                           .needs_helpers = true,
                           .scratch_dwords = 16,
                           .sysvals = 1u << CF_SYSVAL_FRAG_X | 1u << CF_SYSVAL_FRAG_Y });
}

/* All instructions are of one line. */
static void
note_line(struct scene *s, uint64_t program, const char *line)
{
   struct cf_note note = { 0 };
   struct cf_note_line lines[16];
   for (uint32_t i = 0; i < 16; i++)
      lines[i] = (struct cf_note_line){ i, 0, 0, 1, 1 };
   cf_note_add_text(&note, CF_NOTE_NAME, "GLSL3", 5);
   cf_note_add_text(&note, CF_NOTE_SOURCE, line, strlen(line));
   cf_note_add_lines(&note, lines, 16);
   s->t.gpu->ops->note(s->t.gpu, program, note.data, note.size_B);
   cf_note_free(&note);
}

/* A texture of 8x4 texels for unit 0. */
static void
bind_texture(struct scene *s)
{
   static const uint32_t image[32];
   uint32_t dw[CF_SAMPLER_DWORDS];
   const struct cf_texture texture =
      test_linear_texture(test_put(&s->t, image, sizeof(image)), 8, 4);
   cf_sampler_pack(dw, &(struct cf_sampler){ 0 });
   EMIT(&s->t, bind_texture, .stage = CF_SHADER_STAGE_FRAGMENT,
        .texture = test_put_texture(&s->t, &texture), .sampler = test_put(&s->t, dw, sizeof(dw)));
}

/* u0 of both stages is 0, u1 is 2. */
static void
emit_square(struct scene *s)
{
   static const float position[4][4] = {
      { -1, -1, 0, 1 }, { 1, -1, 0, 1 }, { -1, 1, 0, 1 }, { 1, 1, 0, 1 }
   };
   static const float constant[4] = { 0, 2 };
   uint32_t dw[CF_VERTEX_ELEMENT_DWORDS];
   const uint64_t constants = test_put(&s->t, constant, sizeof(constant));
   for (int stage = 0; stage < 2; stage++)
      EMIT(&s->t, constants, .stage = stage ? CF_SHADER_STAGE_FRAGMENT : CF_SHADER_STAGE_VERTEX,
           .bank = 0, .address = constants, .size_B = sizeof(constant));
   cf_vertex_element_pack(
      dw, &(struct cf_vertex_element){ .address = test_put(&s->t, position, sizeof(position)),
                                       .size_B = sizeof(position),
                                       .stride_B = 16,
                                       .format = CF_FORMAT_R32G32B32A32_FLOAT });
   EMIT(&s->t, vertex_elements, .count = 1, .address = test_put(&s->t, dw, sizeof(dw)));
   EMIT(&s->t, draw, .prim = CF_PRIM_KIND_TRIANGLE_STRIP, .count = 4, .instances = 1);
}

static void
draw(struct scene *s, uint64_t program)
{
   test_emit_frame(&s->t, &s->color, NULL);
   test_emit_positions(&s->t);
   EMIT(&s->t, shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = program);
   EMIT(&s->t, varyings, .count = 0);
   bind_texture(s);
   emit_square(s);
   test_submit(&s->t);
}

/* ------------------------------------------------------------------ what a line says */

static const struct {
   const char *text, *line;
   enum cf_sanitize_check check;
   const char *message;
} cases[] = {
   /* functions of GLSL that are several instructions */
   { "frsq v0, u0\n" OUT, "x = inversesqrt(y);", CF_SANITIZE_INVERSESQRT, "inversesqrt of 0" },
   { "frsq v0, u0\n" OUT, "\tn = normalize (v); \t", CF_SANITIZE_NORMALIZE, "normalize of" },
   { "frsq v0, u0\n" OUT, "normalize(v);", CF_SANITIZE_NORMALIZE, "normalize of" },
   { "frsq v0, u0\n" OUT, "n = denormalize(v);", CF_SANITIZE_INVERSESQRT, "inversesqrt of 0" },
   { "frsq v0, u0\n" OUT, "n = my_normalize(v);", CF_SANITIZE_INVERSESQRT, "inversesqrt of 0" },
   { "frsq v0, u0\n" OUT, "n = normalized;", CF_SANITIZE_INVERSESQRT, "inversesqrt of 0" },
   { "frsq v0, u0\n" OUT, "n = x_normalize(normalize(v));", CF_SANITIZE_NORMALIZE, "normalize" },
   { "frcp v0, u0\n" OUT, "a = atan(y, x);", CF_SANITIZE_NAN, "frcp(0) is inf" },
   { "frcp v0, u0\n" OUT, "a = atan(1.0 / x);", CF_SANITIZE_DIVISION, "1 / 0" },
   { "frcp v0, u0\n" OUT, "a = atan(y / x, z);", CF_SANITIZE_NAN, "frcp(0) is inf" },
   { "frcp v0, u0\n" OUT, "a = 1/x;", CF_SANITIZE_DIVISION, "1 / 0" },
   { "mov v1, u0\nfmul v2, v1, v1\nfrsq v3, v2\nfmul v0, v1, v3\n" OUT, "x = y;",
     CF_SANITIZE_NORMALIZE, "normalize of" },
   { "mov v1, u0\nfmul v2, v1, v1\nfrsq v3, v2\nfmul v0, v1, v3\n" OUT,
     "x = inversesqrt(dot(y, y));", CF_SANITIZE_INVERSESQRT, "inversesqrt of 0" },
   { "mov v1, u0\nfmul v2, v1, u1\nfrsq v3, v2\nfmul v0, v1, v3\n" OUT, "x = y;",
     CF_SANITIZE_INVERSESQRT, "inversesqrt of 0" },
   { "flog2 v1, u0\nmov v1, v1\nfmul v0, v1, u1\n" OUT, "x = y;", CF_SANITIZE_LOG, "log of 0" },
   { "flog2 v1, u0\nfmul v2, v1, u1\nfadd v0, v2, 1.0\n" OUT, "x = y;", CF_SANITIZE_LOG,
     "log of 0" },
   /* textures of 8x4 texels */
   { "movi v1, 8\ntex v0.xyzw, 0, v1, 0, 0, 0, fetch\n" OUT, "t", CF_SANITIZE_TEXEL_INDEX,
     "texel 8,0 of level 0; texture unit 0 has 8 x 4 x 1 and levels 0 to 0" },
   { "movi v1, 3\nmovi v2, -1\ntex v0.xyzw, 0, v1, v2, 0, 0, fetch\n" OUT, "t",
     CF_SANITIZE_TEXEL_INDEX, "texel 3,-1 of level 0" },
   { "movi v2, 5\ntex v0.xyzw, 0, 0, 0, 0, v2, fetch\n" OUT, "t", CF_SANITIZE_TEXEL_INDEX,
     "texel 0,0 of level 5; texture unit 0 has 8 x 4 x 1" },
   { "mov v1, u0\ntex v0.xyzw, 0, v1, v1, 0, v1, proj\n" OUT, "t", CF_SANITIZE_DIVISION,
     "a projected coordinate divided by 0" },
   { "frcp v1, u0\ntex v0.xyzw, 0, v1, v1, 0, 0, implicit\n" OUT, "t", CF_SANITIZE_DIVISION,
     "it reaches a texture coordinate" },
   /* arrays of 16 dwords */
   { "movi v1, 15\nmov v0, 1.0\nsts [v1 + 1], v0\n" OUT, "a", CF_SANITIZE_ARRAY_INDEX,
     "dword 16 of a shader's arrays, which have 16; it reaches no array: the store is dropped" },
   { "frcp v1, u0\nf2i v1, v1\nldu v0, 0[v1 + 0]\n" OUT, "a", CF_SANITIZE_DIVISION,
     "1 / 0; it reaches an index" },
   /* values that others let through */
   { "frcp v1, u0\nfneg v1, v1\nflt v2, v1, 1.0\nor v2, v2, 0\nmov v0, 1.0\nkill v2, e\n"
     "outf 0, v0\noutf 1, v0\noutf 2, v0\noutf 3, v0\ne: end\n",
     "k", CF_SANITIZE_DIVISION, "it reaches a discard" },
};

static void
lines_and_textures(void **state)
{
   (void)state;
   for (uint32_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
      struct scene s;
      scene_open(&s, i % 2 ? 3 : 0);
      const uint64_t program = fragment_program(&s, cases[i / 2].text);
      note_line(&s, program, cases[i / 2].line);
      draw(&s, program);
      const struct cf_sanitize_report *report = scene_end(&s);
      if (!report || report->check != cases[i / 2].check ||
          !strstr(report->message, cases[i / 2].message))
         fail_msg("%s\"%s\": %s", cases[i / 2].text, cases[i / 2].line,
                  report ? report->text : "no report");
      assert_int_equal(report->count, PIXELS);
      assert_int_equal(report->line, 1);
      cf_sanitize_close(s.sanitize);
   }
}

/* What is at the limits of textures and arrays is no finding. */
static void
limits(void **state)
{
   (void)state;
   static const char *const texts[] = {
      "movi v1, 7\nmovi v2, 3\ntex v0.xyzw, 0, v1, v2, 0, 0, fetch\n" OUT,
      "mov v1, u1\ntex v0.xyzw, 0, v1, v1, 0, v1, proj\n" OUT,
      "movi v1, 14\nmov v0, 1.0\nsts [v1 + 1], v0\n" OUT,
   };
   for (uint32_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
      struct scene s;
      scene_open(&s, 0);
      draw(&s, fragment_program(&s, texts[i]));
      const struct cf_sanitize_report *report = scene_end(&s);
      if (report)
         fail_msg("%s: %s", texts[i], report->text);
      cf_sanitize_close(s.sanitize);
   }
}

/* ------------------------------------------------------------------ ways */

/* Varying 0 is 1 / 0. */
static const char vertex_text[] =
   "sys v8, vertex_id\nldf v0, 0[v8]\nfrcp v4, u0\nout 0, v0\nout 1, v1\nout 2, v2\nout 3, v3\n"
   "out 8, v4\nout 9, v1\nout 10, v2\nout 11, v3\nend\n";

static void
note_output(struct scene *s, uint64_t program, const char *declaration)
{
   struct cf_note note = { 0 };
   cf_note_add_text(&note, CF_NOTE_NAME, "GLSL3", 5);
   cf_note_add_variable(&note, CF_NOTE_OUTPUT,
                        &(struct cf_note_variable){ 0, 4, 1, CF_NOTE_FLOAT, 4, 1 }, declaration);
   s->t.gpu->ops->note(s->t.gpu, program, note.data, note.size_B);
   cf_note_free(&note);
}

static void
draw_with_varyings(struct scene *s, uint64_t vertex)
{
   uint32_t link[CF_LINK_DWORDS];
   test_emit_frame(&s->t, &s->color, NULL);
   EMIT(&s->t, shader, .stage = CF_SHADER_STAGE_VERTEX, .program = vertex);
   EMIT(&s->t, shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = test_varyings_program(&s->t));
   cf_link_pack(link, &(struct cf_link){ .slot = 0, .present = true });
   EMIT(&s->t, varyings, .count = 1, .address = test_put(&s->t, link, sizeof(link)));
   emit_square(s);
}

/* The declaration's last word is the varying's name; without one it is known by its number. */
static void
through_a_varying(void **state)
{
   (void)state;
   static const struct {
      const char *declaration, *name;
   } names[] = {
      { "out vec4 light", "varying light" },
      { "light", "varying light" },
      { "out vec4 lights[0].warm", "varying lights[0]" },
      { NULL, "output 8" },
   };
   for (uint32_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
      char reaches[64], through[64];
      struct scene s;
      scene_open(&s, 0);
      const uint64_t vertex = test_program(
         &s.t, vertex_text,
         (struct cf_program){
            .stage = CF_SHADER_STAGE_VERTEX, .vector_regs = 9, .outputs = 12, .sysvals = 1 });
      if (names[i].declaration)
         note_output(&s, vertex, names[i].declaration);
      draw_with_varyings(&s, vertex);
      test_submit(&s.t);
      const struct cf_sanitize_report *report = scene_end(&s), *step = report->way;
      snprintf(reaches, sizeof(reaches), "1 / 0; it reaches %s", names[i].name);
      snprintf(through, sizeof(through), "through %s to colour 0, red", names[i].name);
      assert_string_equal(report->message, reaches);
      assert_int_equal(report->count, 4);
      assert_true(report->has_vertex);
      assert_null(report->next);
      assert_non_null(step);
      assert_string_equal(step->message, through);
      assert_true(step->has_pixel && step->stage == CF_SHADER_STAGE_FRAGMENT);
      assert_null(step->next);
      cf_sanitize_close(s.sanitize);
   }
}

/* A draw to an image, then one that samples it, and writes to another one. */
static void
through_an_image(void **state)
{
   (void)state;
   struct scene s;
   struct test_surface other;
   uint32_t dw[CF_SAMPLER_DWORDS];
   scene_open(&s, 0);
   draw(&s, fragment_program(&s, "frcp v0, u0\n" OUT));
   test_surface_create(&s.t, &other, CF_FORMAT_R8G8B8A8_UNORM, SIZE_PX, SIZE_PX, true);
   struct cf_texture texture = test_linear_texture(s.color.bo.address, SIZE_PX, SIZE_PX);
   texture.format = CF_FORMAT_R32G32B32A32_FLOAT;
   texture.size_B = 16 * PIXELS;
   texture.level_row_pitch_B[0] = s.color.image.row_pitch_B;
   texture.level_layer_pitch_B[0] = 16 * PIXELS;
   cf_sampler_pack(dw, &(struct cf_sampler){ 0 });
   for (int i = 0; i < 2; i++) {
      test_emit_frame(&s.t, &other, NULL);
      test_emit_positions(&s.t);
      EMIT(&s.t, shader, .stage = CF_SHADER_STAGE_FRAGMENT,
           .program = fragment_program(&s, "tex v0.xyzw, 0, 0, 0, 0, 0, implicit\n" OUT));
      EMIT(&s.t, varyings, .count = 0);
      EMIT(&s.t, bind_texture, .stage = CF_SHADER_STAGE_FRAGMENT,
           .texture = test_put_texture(&s.t, &texture), .sampler = test_put(&s.t, dw, sizeof(dw)));
      emit_square(&s);
      test_submit(&s.t);
   }
   test_surface_free(&s.t, &other);
   const struct cf_sanitize_report *report = scene_end(&s);
   assert_non_null(report);
   assert_string_equal(report->message, "1 / 0; it reaches colour 0, red");
   const struct cf_sanitize_report *step = report->way;
   for (uint32_t submission = 2; submission <= 3; submission++, step = step->next) {
      assert_non_null(step);
      assert_string_equal(step->message, "through texture unit 0 to colour 0, red");
      assert_int_equal(step->submission, submission);
   }
   assert_null(step);
   cf_sanitize_close(s.sanitize);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_and_textures),
      cmocka_unit_test(limits),
      cmocka_unit_test(through_a_varying),
      cmocka_unit_test(through_an_image),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
