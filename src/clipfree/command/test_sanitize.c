/* SPDX-License-Identifier: MIT */
/*
 * The sanitiser for GL, of programs made by hand: each check finds its defect, at its instruction
 * and in as many fragments as one counts by hand, for any number of threads; values that are not
 * used, or selected away, are no findings. Suite `tools` plants defects in GLSL
 * (tests/tools/sane_cases.c).
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

#define SIZE_PX 64
#define PIXELS (SIZE_PX * SIZE_PX)

#define OUT "outf 0, v0\noutf 1, v0\noutf 2, v0\noutf 3, v0\nend\n"
#define COLUMNS "sys v4, frag_x\nsys v5, frag_y\nflt v6, v4, 8.0\n" /* v6: columns 0 to 7 */

#define SAMPLED                                                                                    \
   "sys v4, frag_x\nsys v5, frag_y\nmovi s0, 0x3c800000\nfmul v4, v4, s0\n"                        \
   "fmul v5, v5, s0\ntex v0.xyzw, 0, v4, v5, 0, 0, implicit\n" OUT /* 1/64 */

/* Programs of fragments; u0 is 0, u1 is -2, u2 is 3e38; uniforms 4 to 7 are an array of floats. */
static const struct {
   const char *text;
   int check; /* negative: none */
   uint32_t instr, count;
   const char *message; /* a part of it */
   const char *precisions; /* of instructions: h, m or l; those after them are h. NULL: no note */
} cases[] = {
   { "frcp v0, u0\n" OUT, CF_SANITIZE_DIVISION, 0, PIXELS, "1 / 0; it reaches colour 0, red" },
   { "fdiv v0, 1.0, u0\n" OUT, CF_SANITIZE_DIVISION, 0, PIXELS, "1 / 0" },
   { "fdiv v0, 1.0, u0\nfsat v0, v0\n" OUT, CF_SANITIZE_DIVISION, 0, PIXELS, "1 / 0" },
   { "idiv v1, 3, u0\ni2f v0, v1\n" OUT, CF_SANITIZE_DIVISION, 0, PIXELS, "the integer 3" },
   { "flog2 v1, u1\nfmul v1, v1, 2.0\nfexp2 v0, v1\n" OUT, CF_SANITIZE_POW, 0, PIXELS,
     "pow of -2" },
   { "flog2 v0, u1\n" OUT, CF_SANITIZE_LOG, 0, PIXELS, "log of -2" },
   { "flog2 v0, u0\n" OUT, CF_SANITIZE_LOG, 0, PIXELS, "log of 0" },
   { "fsqrt v0, u1\n" OUT, CF_SANITIZE_SQRT, 0, PIXELS, "sqrt of -2" },
   { "frsq v0, u0\n" OUT, CF_SANITIZE_INVERSESQRT, 0, PIXELS, "inversesqrt of 0" },
   { "mov v1, u0\nfmul v2, v1, v1\nfmad v2, v1, v1, v2\nfrsq v3, v2\nfmul v0, v1, v3\n" OUT,
     CF_SANITIZE_NORMALIZE, 3, PIXELS, "normalize" },
   { "fmul v0, u2, 16.0\n" OUT, CF_SANITIZE_NAN, 0, PIXELS, "fmul(3e+38, 16) is inf" },
   { COLUMNS "fmul v1, u2, 16.0\nsel v0, v6, v1, 1.0\n" OUT, CF_SANITIZE_NAN, 3, 8 * SIZE_PX,
     "inf" },
   { "frcp v1, u0\nflt v2, 1.0, v1\nmov v0, 1.0\nif v2, e\nmov v0, 0.5\ne: endif\n" OUT,
     CF_SANITIZE_DIVISION, 0, PIXELS, "it reaches a branch" },
   { COLUMNS "f2i v1, v4\nldu v0, 0[v1 + 4]\n" OUT, CF_SANITIZE_UNIFORM_INDEX, 4,
     PIXELS - 4 * SIZE_PX, "of a uniform of 4 vectors" },
   { COLUMNS "f2i v1, v4\nldu v0, 1[v1 + 0]\n" OUT, CF_SANITIZE_UNIFORM_INDEX, 4, PIXELS,
     "of constant bank 1" },
   { COLUMNS "f2i v1, v4\nlds v0, [v1 + 0]\n" OUT, CF_SANITIZE_ARRAY_INDEX, 4,
     PIXELS - 16 * SIZE_PX, "arrays, which have 16" },
   { COLUMNS "frcp v1, u0\nf2i v2, v4\nimin v2, v2, 15\nsts [v2 + 0], v1\nlds v0, [v2 + 0]\n" OUT,
     CF_SANITIZE_DIVISION, 3, PIXELS, "1 / 0" },
   { COLUMNS "flt v6, v4, 3.0\nmov v0, 1.0\nif v6, e\nfddx v0, v4\ne: endif\n" OUT,
     CF_SANITIZE_DIVERGENCE, 6, SIZE_PX, "a derivative" },

   { "movi v1, 16385.0\nfmul v0, v1, 1.0\n" OUT, CF_SANITIZE_MEDIUMP, 1, PIXELS,
     "16385 is outside of mediump; it reaches colour 0, red", "hm" },
   { "fadd v0, -2.0, -0.5\n" OUT, CF_SANITIZE_MEDIUMP, 0, PIXELS, "-2.5 is outside of lowp", "l" },
   { COLUMNS "movi v1, 70000.0\nfadd v1, v1, v4\nsel v0, v6, v1, 1.0\n" OUT, CF_SANITIZE_MEDIUMP, 4,
     8 * SIZE_PX, "is outside of mediump", "hhhhm" },
   { "fmul v0, u2, 16.0\n" OUT, CF_SANITIZE_NAN, 0, PIXELS, "fmul(3e+38, 16) is inf", "m" },
   { "movi v1, 70000.0\nfmul v1, v1, 2.0\nfmul v0, v1, u2\n" OUT, CF_SANITIZE_NAN, 2, PIXELS,
     "is inf", "hm" },
   { "movi v1, 16384.0\nfmul v0, v1, 1.0\n" OUT, -1, 0, 0, "", "hm" },
   { "fadd v0, 1.0, 1.0\n" OUT, -1, 0, 0, "", "l" },
   { "movi v1, 16385.0\nfmul v0, v1, 1.0\n" OUT, -1, 0, 0, "", "hh" },
   { "movi v1, 16385.0\nfmul v0, v1, 1.0\n" OUT, -1, 0, 0, "", NULL },
   { "movi v1, 16385.0\nfmul v0, v1, 1.0\n" OUT, -1, 0, 0, "", "hm!" },
   { "movi v1, 16385.0\nfmul v2, v1, 1.0\nmov v0, 1.0\n" OUT, -1, 0, 0, "", "hm" },
   { "frcp v1, u0\nmov v0, 1.0\n" OUT, -1, 0, 0, "" },
   { "frcp v1, u0\nfeq v2, u0, 0.0\nsel v0, v2, 1.0, v1\n" OUT, -1, 0, 0, "" },
   { "flog2 v1, u0\nfmul v1, v1, 2.0\nfexp2 v0, v1\n" OUT, -1, 0, 0, "" }, /* pow(0, 2) is 0 */
   { "frcp v1, u0\nflt v2, 1.0, v1\nand v2, v2, 0\nmov v0, 1.0\nif v2, e\nmov v0, 0.5\ne: "
     "endif\n" OUT,
     -1, 0, 0, "" },
   { COLUMNS "mov v0, 1.0\nif v6, e\nfddx v0, v4\ne: endif\n" OUT, -1, 0, 0, "" },
   { COLUMNS "flt v6, v4, 3.0\nkill v6, e\nfddx v0, v4\n"
             "outf 0, v0\noutf 1, v0\noutf 2, v0\noutf 3, v0\ne: end\n",
     -1, 0, 0, "" },
   { COLUMNS "if v6, o\nmov v1, 1.0\no: else e\nmov v1, 0.5\ne: endif\nmov v0, v1\n" OUT, -1, 0, 0,
     "" },
   { "mov v1, u1\nldu v2, 0[0 + 1]\nimul v3, v1, -1\nmov v0, 1.0\n" OUT, -1, 0, 0, "" },
};
#define CASES ((int)(sizeof(cases) / sizeof(cases[0])))

struct scene {
   struct test_gpu t;
   struct test_surface color;
   struct cf_sanitize *sanitize;
   const struct cf_note *note; /* of the draw; NULL: none */
   bool discard;
};

static uint64_t
make_program(struct scene *s, const char *text)
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

/* Each instruction of a text is a line. With a `!` the note is of a program with one more. */
static void
add_precisions(struct cf_note *note, const char *text, const char *letters)
{
   uint8_t precisions[32] = { 0 };
   uint32_t count = 0;
   for (uint32_t i = 0; letters[i]; i++)
      precisions[i] = letters[i] == 'm'   ? CF_NOTE_MEDIUMP
                      : letters[i] == 'l' ? CF_NOTE_LOWP
                                          : CF_NOTE_HIGHP;
   for (; *text; text++)
      count += *text == '\n';
   count += letters[strlen(letters) - 1] == '!';
   cf_note_add_precisions(note, precisions, count);
}

/* Each instruction is a line of its own, from 11 on. */
static void
add_note(struct scene *s, uint64_t program, int i_case)
{
   struct cf_note note = { 0 };
   struct cf_note_line lines[32];
   static const char source[] = "1\n2\n3\n  first\nsecond\nthird\n";
   for (uint32_t i = 0; i < 32; i++)
      lines[i] = (struct cf_note_line){ i, 0, 0, 11 + i, 4 + i };
   cf_note_add_text(&note, CF_NOTE_SOURCE, source, strlen(source));
   cf_note_add_lines(&note, lines, 32);
   cf_note_add_variable(&note, CF_NOTE_UNIFORM,
                        &(struct cf_note_variable){ 4, 1, 4, CF_NOTE_FLOAT, 1, 1 },
                        "uniform float list[4]");
   if (cases[i_case].precisions)
      add_precisions(&note, cases[i_case].text, cases[i_case].precisions);
   s->t.gpu->ops->note(s->t.gpu, program, note.data, note.size_B);
   cf_note_free(&note);
}

static void
draw(struct scene *s, uint64_t program, const float position[4][4])
{
   static const float constant[8] = { 0, -2, 3e38f };
   uint32_t dw[CF_VERTEX_ELEMENT_DWORDS];
   test_emit_frame(&s->t, &s->color, NULL);
   test_emit_positions(&s->t);
   if (s->discard)
      EMIT(&s->t, raster, .discard = true);
   EMIT(&s->t, shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = program);
   EMIT(&s->t, varyings, .count = 0);
   EMIT(&s->t, constants, .stage = CF_SHADER_STAGE_FRAGMENT, .bank = 0,
        .address = test_put(&s->t, constant, sizeof(constant)), .size_B = sizeof(constant));
   cf_vertex_element_pack(dw,
                          &(struct cf_vertex_element){ .address = test_put(&s->t, position, 64),
                                                       .size_B = 64,
                                                       .stride_B = 16,
                                                       .format = CF_FORMAT_R32G32B32A32_FLOAT });
   EMIT(&s->t, vertex_elements, .count = 1, .address = test_put(&s->t, dw, sizeof(dw)));
   if (s->note)
      s->t.gpu->ops->note(s->t.gpu, s->t.commands.address + 4 * s->t.count, s->note->data,
                          s->note->size_B);
   EMIT(&s->t, draw, .prim = CF_PRIM_KIND_TRIANGLE_STRIP, .count = 4, .instances = 1);
   test_submit(&s->t);
}

static const float square[4][4] = {
   { -1, -1, 0, 1 }, { 1, -1, 0, 1 }, { -1, 1, 0, 1 }, { 1, 1, 0, 1 }
};

static void
scene_open(struct scene *s, uint32_t checks, int threads)
{
   s->sanitize = cf_sanitize_open(&(struct cf_sanitize_config){ .checks = checks, .quiet = true });
   assert_non_null(s->sanitize);
   test_gpu_open_on(&s->t, test_model_of((struct cf_model_config){
                              .threads = threads,
                              .path = CF_PATH_PLAIN,
                              .engine = CF_ENGINE_INTERP,
                              .observer = cf_sanitize_observer(s->sanitize) }));
   test_surface_create(&s->t, &s->color, CF_FORMAT_R8G8B8A8_UNORM, SIZE_PX, SIZE_PX, true);
}

/* Close the GPU; the sanitiser stays. */
static void
scene_end(struct scene *s)
{
   test_no_error(&s->t);
   test_surface_free(&s->t, &s->color);
   test_gpu_close(&s->t);
}

static void
try_case(int i, int threads)
{
   struct scene s = { 0 };
   scene_open(&s, CF_SANITIZE_ALL, threads);
   const uint64_t program = make_program(&s, cases[i].text);
   add_note(&s, program, i);
   draw(&s, program, square);
   draw(&s, program, square);
   scene_end(&s);
   const struct cf_sanitize_report *report = cf_sanitize_reports(s.sanitize);
   if (cases[i].check < 0 ? report != NULL
                          : !report || report->next || (int)report->check != cases[i].check)
      fail_msg("case %d: %s: %s", i, cases[i].text, report ? report->text : "no report");
   if (report) {
      if (report->count != 2 * cases[i].count || report->instr != cases[i].instr ||
          !strstr(report->text, cases[i].message))
         fail_msg("case %d: %s: %llu times, instruction %u, %s", i, cases[i].text,
                  (unsigned long long)report->count, report->instr, report->text);
      assert_int_equal(report->line, 11 + cases[i].instr);
      assert_string_equal(report->line_text, ((const char *const[]){ "first", "second", "third", "",
                                                                     "", "", "" })[cases[i].instr]);
      assert_int_equal(report->draw, 0);
      assert_true(report->has_pixel);
   }
   cf_sanitize_close(s.sanitize);
}

static void
test_cases(void **state)
{
   (void)state;
   for (int i = 0; i < CASES; i++) {
      try_case(i, 0);
      try_case(i, 3);
   }
}

/* A check that is not asked for finds nothing; arithmetic that is not asked for is a NaN. */
static void
test_choice(void **state)
{
   (void)state;
   static const struct {
      uint32_t checks;
      int check;
   } choices[] = { { 1u << CF_SANITIZE_DIVISION, CF_SANITIZE_DIVISION },
                   { 1u << CF_SANITIZE_NAN, CF_SANITIZE_NAN },
                   { 1u << CF_SANITIZE_SQRT, -1 } };
   for (int i = 0; i < 3; i++) {
      struct scene s = { 0 };
      scene_open(&s, choices[i].checks, 0);
      draw(&s, make_program(&s, cases[0].text), square);
      scene_end(&s);
      const struct cf_sanitize_report *report = cf_sanitize_reports(s.sanitize);
      assert_int_equal(report ? (int)report->check : -1, choices[i].check);
      cf_sanitize_close(s.sanitize);
   }
}

/* Vertex 2 with an infinity in a column, or with w = 0; as it is; and with w = 0, of a draw whose
 * primitives are discarded. */
static void
test_infinity(void **state)
{
   (void)state;
   for (int column = 0; column < 6; column++) {
      struct scene s = { 0 };
      float position[4][4];
      memcpy(position, square, sizeof(position));
      if (column < 4)
         position[2][column] = column == 3 ? 0 : 1.0f / 0.0f;
      if (column == 5)
         position[2][3] = 0;
      scene_open(&s, 1u << CF_SANITIZE_INFINITY, 0);
      s.discard = column == 5;
      draw(&s, make_program(&s, "mov v0, 1.0\n" OUT), position);
      scene_end(&s);
      const struct cf_sanitize_report *report = cf_sanitize_reports(s.sanitize);
      assert_int_equal(report != NULL, column < 4);
      if (report) {
         assert_int_equal(report->count, 1);
         assert_int_equal(report->vertex, 2);
         assert_non_null(strstr(report->message, "gl_Position is ("));
      }
      cf_sanitize_close(s.sanitize);
   }
}

/* ---- feedback ---- */

/* Emit feedback of positions to a buffer of so many vertices; four points are drawn. */
static void
feed(struct scene *s, uint64_t buffer, uint32_t room, uint64_t filled)
{
   uint32_t dw[CF_FEEDBACK_OUTPUT_DWORDS];
   cf_feedback_output_pack(dw, &(struct cf_feedback_output){ .dwords = 4 });
   EMIT(&s->t, feedback, .outputs = 1, .restart = 1,
        .output_address = test_put(&s->t, dw, sizeof(dw)), .stride_dw = { 4 },
        .size_B = { 16 * room }, .address = { buffer }, .filled = { filled });
}

static void
draw_points(struct scene *s, uint64_t vertices, uint32_t start, uint32_t index_size_B,
            uint64_t indices)
{
   uint32_t dw[CF_VERTEX_ELEMENT_DWORDS];
   cf_vertex_element_pack(dw,
                          &(struct cf_vertex_element){ .address = vertices,
                                                       .size_B = 16 * 16,
                                                       .stride_B = 16,
                                                       .format = CF_FORMAT_R32G32B32A32_FLOAT });
   EMIT(&s->t, vertex_elements, .count = 1, .address = test_put(&s->t, dw, sizeof(dw)));
   EMIT(&s->t, draw, .prim = CF_PRIM_KIND_POINTS, .start = start, .count = 4, .instances = 1,
        .index_size_B = index_size_B, .index_address = indices, .index_size_total_B = 16);
}

/* Feedback without room, and draws that read what they write: vertices, indices, constants; not
 * those that read other parts of the buffer. The feedback buffer begins at `data` + 8 vertices. */
static void
test_feedback(void **state)
{
   (void)state;
   static const struct {
      uint32_t room, start; /* vertices are read from `data` + start on */
      bool indices, constants;
      int check; /* negative: none */
      uint32_t count;
      const char *message;
   } feeds[] = {
      { 4, 0, false, false, -1, 0, "" },
      { 4, 4, false, false, -1, 0, "" },
      { 8, 5, false, false, CF_SANITIZE_FEEDBACK, 1, "vertex element 0 lies in buffer 0" },
      { 8, 0, true, false, CF_SANITIZE_FEEDBACK, 1, "the index of vertex 0 lies in buffer 0" },
      { 8, 0, false, true, CF_SANITIZE_FEEDBACK, 1, "constant bank 3 lies in buffer 0" },
      { 3, 0, false, false, CF_SANITIZE_FEEDBACK_SIZE, 1, "has no room for primitive 3" },
      { 1, 0, false, false, CF_SANITIZE_FEEDBACK_SIZE, 3, "has no room for primitive 1" },
   };
   float position[16][4] = { 0 };
   for (uint32_t i = 0; i < 16; i++)
      position[i][3] = 1;
   for (uint32_t i = 0; i < sizeof(feeds) / sizeof(*feeds); i++) {
      struct scene s = { 0 };
      const uint64_t filled = 0;
      scene_open(&s, CF_SANITIZE_ALL, 0);
      const uint64_t data = test_put(&s.t, position, sizeof(position)),
                     other = test_put(&s.t, position, sizeof(position));
      test_emit_frame(&s.t, &s.color, NULL);
      test_emit_positions(&s.t);
      EMIT(&s.t, shader, .stage = CF_SHADER_STAGE_FRAGMENT,
           .program = make_program(&s, "mov v0, 1.0\n" OUT));
      EMIT(&s.t, varyings, .count = 0);
      if (feeds[i].constants)
         EMIT(&s.t, constants, .stage = CF_SHADER_STAGE_VERTEX, .bank = 3, .address = data + 128,
              .size_B = 16);
      feed(&s, data + 8 * 16, feeds[i].room, test_put(&s.t, &filled, sizeof(filled)));
      draw_points(&s, feeds[i].indices ? other : data, feeds[i].start, feeds[i].indices ? 2 : 0,
                  data + 8 * 16);
      test_submit(&s.t);
      scene_end(&s);
      const struct cf_sanitize_report *report = cf_sanitize_reports(s.sanitize);
      if (report ? feeds[i].check != (int)report->check || report->next ||
                      report->count != feeds[i].count || !strstr(report->text, feeds[i].message)
                 : feeds[i].check >= 0)
         fail_msg("case %u: %s", i, report ? report->text : "no report");
      cf_sanitize_close(s.sanitize);
   }
}

/* A texture of 8x8 texels over 64x64 pixels, of which columns 2 to 4 and rows 1 to 7 were written;
 * a vertex buffer whose last vertex was not. */
static void
test_unwritten(void **state)
{
   (void)state;
   static const struct cf_note_written texels = { CF_SHADER_STAGE_FRAGMENT,
                                                  0,
                                                  0,
                                                  0,
                                                  { 2, 1 },
                                                  { 5, 8 } },
                                       bytes = { 0, 0, 0, 0, { 0 }, { 3 * 16 } };
   static const uint32_t image[64];
   for (int threads = 0; threads <= 3; threads += 3) {
      struct scene s = { 0 };
      struct cf_note note = { 0 };
      uint32_t dw[CF_SAMPLER_DWORDS];
      scene_open(&s, CF_SANITIZE_ALL, threads);
      const struct cf_texture texture =
         test_linear_texture(test_put(&s.t, image, sizeof(image)), 8, 8);
      cf_sampler_pack(dw, &(struct cf_sampler){ 0 });
      EMIT(&s.t, bind_texture, .stage = CF_SHADER_STAGE_FRAGMENT, .unit = 0,
           .texture = test_put_texture(&s.t, &texture), .sampler = test_put(&s.t, dw, sizeof(dw)));
      cf_note_add_written(&note, CF_NOTE_WRITTEN_TEXELS, &texels);
      cf_note_add_written(&note, CF_NOTE_WRITTEN_BYTES, &bytes);
      s.note = &note;
      draw(&s, make_program(&s, SAMPLED), square);
      scene_end(&s);
      cf_note_free(&note);
      uint32_t found = 0;
      for (const struct cf_sanitize_report *r = cf_sanitize_reports(s.sanitize); r; r = r->next) {
         const bool texel = r->check == CF_SANITIZE_UNWRITTEN_TEXEL;
         assert_true(texel || r->check == CF_SANITIZE_UNWRITTEN_ATTRIBUTE);
         /* its position comes from it: x, y, z and w are four of them */
         assert_int_equal(r->count, texel ? 64 * (64 - 3 * 7) : 1);
         assert_non_null(strstr(r->message, "was never written"));
         found |= 1u << texel;
      }
      assert_int_equal(found, 3);
      cf_sanitize_close(s.sanitize);
   }
}

/* Through the model: findings are reports on the submission. */
static void
test_reports(void **state)
{
   (void)state;
   struct scene s = { 0 };
   struct cf_report report;
   test_gpu_open_on(&s.t, test_model_of((struct cf_model_config){ .sanitize = CF_SANITIZE_ALL }));
   assert_int_equal(s.t.gpu->ops->get_param(s.t.gpu, CF_PARAM_PATH), CF_PATH_PLAIN);
   test_surface_create(&s.t, &s.color, CF_FORMAT_R8G8B8A8_UNORM, SIZE_PX, SIZE_PX, true);
   draw(&s, make_program(&s, "mov v0, 1.0\n" OUT), square);
   assert_int_equal(s.t.gpu->ops->get_param(s.t.gpu, CF_PARAM_REPORTS), 0);
   draw(&s, make_program(&s, cases[0].text), square);
   assert_int_equal(s.t.gpu->ops->get_param(s.t.gpu, CF_PARAM_REPORTS), 1);
   assert_true(s.t.gpu->ops->report(s.t.gpu, 1, &report));
   assert_int_equal(report.kind, CF_REPORT_WARNING);
   assert_int_equal(report.seqno, 2);
   assert_non_null(strstr(report.text, "division: 1 / 0"));
   scene_end(&s);
}

static void
test_lists(void **state)
{
   (void)state;
   uint32_t checks;
   assert_true(cf_sanitize_parse("all", &checks) && checks == CF_SANITIZE_ALL);
   assert_true(cf_sanitize_parse("fatal", &checks) &&
               checks == (CF_SANITIZE_ALL | CF_SANITIZE_FATAL));
   assert_true(cf_sanitize_parse("nan,fatal", &checks) &&
               checks == (1u << CF_SANITIZE_NAN | CF_SANITIZE_FATAL));
   assert_true(cf_sanitize_parse("pow,log", &checks) &&
               checks == (1u << CF_SANITIZE_POW | 1u << CF_SANITIZE_LOG));
   assert_false(cf_sanitize_parse("", &checks));
   assert_false(cf_sanitize_parse("nan,", &checks));
   assert_false(cf_sanitize_parse("nann", &checks));
   for (int i = 0; i < CF_SANITIZE_COUNT; i++) {
      const char *name = cf_sanitize_name((enum cf_sanitize_check)i);
      assert_true(cf_sanitize_parse(name, &checks) && checks == 1u << i);
      assert_non_null(strstr(CF_SANITIZE_VALUES, name));
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cases),     cmocka_unit_test(test_choice),
      cmocka_unit_test(test_infinity),  cmocka_unit_test(test_feedback),
      cmocka_unit_test(test_unwritten), cmocka_unit_test(test_reports),
      cmocka_unit_test(test_lists),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
