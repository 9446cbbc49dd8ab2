/* SPDX-License-Identifier: MIT */
/*
 * What shaders print, of programs made by hand: lines are those of a list that is made pixel by
 * pixel, in its order, for any number of threads, limit and filter; formats are C's. Suite `tools`
 * prints from GLSL (tests/tools/printing.py).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/base/test_random.h"
#include "clipfree/command/test_gpu.h"
#include "clipfree/interface/cf_note.h"
#include "clipfree/isa/cf_isa.h"
#include "clipfree/sanitize/cf_sanitize.h"

#define SIZE_PX 16
#define LINES 2048
#define LINE_B 128

/* Scratch 0: column + 100 row, in columns 0 and 1 alone; 1 and 2: column, twice that, as ints. */
static const char program_text[] = "sys v4, frag_x\n"
                                   "sys v5, frag_y\n"
                                   "flt v6, v4, 2.0\n"
                                   "fmad v0, v5, s0, v4\n"
                                   "if v6, e\n"
                                   "sts [0 + 0], v0\n"
                                   "e: endif\n"
                                   "f2i v1, v4\n"
                                   "imul v2, v1, 2\n"
                                   "sts [0 + 1], v1\n"
                                   "sts [0 + 2], v2\n"
                                   "outf 0, v0\noutf 1, v0\noutf 2, v0\noutf 3, v0\nend\n";

struct scene {
   struct test_gpu t;
   struct test_surface color;
   struct cf_sanitize *sanitize;
   char line[LINES][LINE_B];
   uint32_t lines;
};

static void
take_line(void *user, const char *text)
{
   struct scene *s = user;
   assert_in_range(s->lines, 0, LINES - 1);
   snprintf(s->line[s->lines++], LINE_B, "%s", text);
}

static uint64_t
make_program(struct scene *s)
{
   char text[1024];
   snprintf(text, sizeof(text), "movi s0, 0x42c80000\n%s", program_text); /* 100.0 */
   return test_program(
      &s->t, text,
      (struct cf_program){ .stage = CF_SHADER_STAGE_FRAGMENT,
                           .vector_regs = 8,
                           .scalar_regs = 1,
                           .outputs = 4,
                           .color_outputs = 1,
                           .scratch_dwords = 3,
                           .sysvals = 1u << CF_SYSVAL_FRAG_X | 1u << CF_SYSVAL_FRAG_Y });
}

static void
add_note(struct scene *s, uint64_t program, const char *first, const char *second)
{
   struct cf_note note = { 0 };
   struct cf_note_line lines[20];
   for (uint32_t i = 0; i < 20; i++)
      lines[i] = (struct cf_note_line){ i, 0, 0, 1 + i, 1 + i };
   cf_note_add_text(&note, CF_NOTE_NAME, "GLSL5", 5);
   cf_note_add_lines(&note, lines, 20);
   /* outside of scratch: as of a damaged capture */
   cf_note_add_print(&note, &(struct cf_note_print){ 2, UINT32_MAX }, "print int\n%s");
   cf_note_add_print(&note, &(struct cf_note_print){ UINT32_MAX, 2 }, "print int\n%s");
   cf_note_add_print(&note, &(struct cf_note_print){ 0, 1 }, first);
   cf_note_add_print(&note, &(struct cf_note_print){ 1, 2 }, second);
   s->t.gpu->ops->note(s->t.gpu, program, note.data, note.size_B);
   cf_note_free(&note);
}

/* Two draws in a submission, each of two triangles over all pixels. */
static void
draw(struct scene *s, uint64_t program)
{
   static const float corners[6][4] = { { -1, -1, 0, 1 }, { 3, -1, 0, 1 }, { -1, 3, 0, 1 },
                                        { -1, -1, 0, 1 }, { 3, -1, 0, 1 }, { -1, 3, 0, 1 } };
   uint32_t dw[CF_VERTEX_ELEMENT_DWORDS];
   test_emit_frame(&s->t, &s->color, NULL);
   test_emit_positions(&s->t);
   EMIT(&s->t, shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = program);
   EMIT(&s->t, varyings, .count = 0);
   cf_vertex_element_pack(
      dw, &(struct cf_vertex_element){ .address = test_put(&s->t, corners, sizeof(corners)),
                                       .size_B = sizeof(corners),
                                       .stride_B = 16,
                                       .format = CF_FORMAT_R32G32B32A32_FLOAT });
   EMIT(&s->t, vertex_elements, .count = 1, .address = test_put(&s->t, dw, sizeof(dw)));
   for (int i = 0; i < 2; i++)
      EMIT(&s->t, draw, .prim = CF_PRIM_KIND_TRIANGLES, .count = 6, .instances = 1);
   test_submit(&s->t);
}

static void
run(struct scene *s, const char *filter, int threads, const char *first, const char *second)
{
   struct cf_sanitize_config config = { .checks = 1u << CF_SANITIZE_ASSERT,
                                        .quiet = true,
                                        .user = s,
                                        .printed = take_line };
   memset(s, 0, sizeof(*s));
   assert_true(cf_print_parse(filter, &config.print));
   s->sanitize = cf_sanitize_open(&config);
   assert_non_null(s->sanitize);
   test_gpu_open_on(&s->t, test_model_of((struct cf_model_config){
                              .threads = threads,
                              .path = CF_PATH_PLAIN,
                              .engine = CF_ENGINE_INTERP,
                              .observer = cf_sanitize_observer(s->sanitize) }));
   test_surface_create(&s->t, &s->color, CF_FORMAT_R8G8B8A8_UNORM, SIZE_PX, SIZE_PX, true);
   const uint64_t program = make_program(s);
   add_note(s, program, first, second);
   draw(s, program);
   test_no_error(&s->t);
   test_surface_free(&s->t, &s->color);
   test_gpu_close(&s->t);
}

/* The next line is this one. */
static void __attribute__((format(printf, 3, 4)))
expect(const struct scene *s, uint32_t *at, const char *format, ...)
{
   char text[LINE_B];
   va_list arguments;
   va_start(arguments, format);
   vsnprintf(text, sizeof(text), format, arguments);
   va_end(arguments);
   assert_in_range(*at, 0, s->lines - 1);
   assert_string_equal(s->line[(*at)++], text);
}

/* Pixels of the two triangles, each row by row. */
static void
expect_draw(const struct scene *s, uint32_t *at, uint32_t number, uint32_t limit)
{
   uint32_t all[2] = { 0, 0 };
   for (int pixel = 0; pixel < 2 * SIZE_PX * SIZE_PX; pixel++) {
      const int x = pixel % SIZE_PX, y = pixel / SIZE_PX % SIZE_PX;
      if (x < 2 && all[0]++ < limit)
         expect(s, at, "draw %u, pixel %d,%d, GLSL5.frag:7: at %g", number, x, y,
                x + 0.5 + 100 * (y + 0.5));
      if (all[1]++ < limit)
         expect(s, at, "draw %u, pixel %d,%d, GLSL5.frag:12: (%d, %d)", number, x, y, x, 2 * x);
   }
   if (all[0] > limit)
      expect(s, at, "draw %u, GLSL5.frag:7: %u more (limit=%u)", number, all[0] - limit, limit);
   if (all[1] > limit)
      expect(s, at, "draw %u, GLSL5.frag:12: %u more (limit=%u)", number, all[1] - limit, limit);
}

static const char at_text[] = "print float\nat %g", pair_text[] = "print ivec2\n%s";

static struct scene scene;

static void
test_lines(void **state)
{
   (void)state;
   static const uint32_t limits[] = { 1000, 0, 1, 7, 20 };
   for (int i = 0; i < 5; i++) {
      char filter[32];
      uint32_t at = 0;
      snprintf(filter, sizeof(filter), "limit=%u", limits[i]);
      run(&scene, filter, i % 2 ? 3 : 0, at_text, pair_text);
      for (uint32_t number = 0; number < 2; number++)
         expect_draw(&scene, &at, number, limits[i]);
      assert_int_equal(at, scene.lines);
      cf_sanitize_close(scene.sanitize);
   }
}

static void
test_filters(void **state)
{
   (void)state;
   uint32_t at = 0;
   run(&scene, "pixel=1,9,draw=1", 3, at_text, pair_text);
   for (int triangle = 0; triangle < 2; triangle++) {
      expect(&scene, &at, "draw 1, pixel 1,9, GLSL5.frag:7: at 951.5");
      expect(&scene, &at, "draw 1, pixel 1,9, GLSL5.frag:12: (1, 2)");
   }
   assert_int_equal(at, scene.lines);
   cf_sanitize_close(scene.sanitize);
   at = 0;
   run(&scene, "pixel=13,9,vertex=2", 0, at_text, pair_text);
   for (int i = 0; i < 4; i++)
      expect(&scene, &at, "draw %d, pixel 13,9, GLSL5.frag:12: (13, 26)", i / 2);
   assert_int_equal(at, scene.lines);
   cf_sanitize_close(scene.sanitize);
   run(&scene, "vertex=1", 0, at_text, pair_text);
   assert_int_equal(scene.lines, 0);
   cf_sanitize_close(scene.sanitize);
}

/* The second print is an assertion, which fails in column 0 alone: its first value is its
 * condition. */
static void
test_assertion(void **state)
{
   (void)state;
   run(&scene, "limit=0", 3, at_text, "assert bool int\nbad %d");
   const struct cf_sanitize_report *report = cf_sanitize_reports(scene.sanitize);
   assert_non_null(report);
   assert_null(report->next);
   assert_int_equal(report->check, CF_SANITIZE_ASSERT);
   assert_int_equal(report->count, 4 * SIZE_PX);
   assert_int_equal(report->line, 12);
   assert_string_equal(report->message, "bad 0");
   assert_true(report->has_pixel && report->x_px == 0);
   cf_sanitize_close(scene.sanitize);
}

static void
test_lists(void **state)
{
   (void)state;
   struct cf_print_filter filter;
   static const char *const wrong[] = { "",          "pixel=1",     "pixel=1,",  "pixel=1,2,",
                                        "all,",      "draw=",       "draw=-1",   "draw=4294967296",
                                        "vertex=1 ", "limit",       "nonsense",  ",all",
                                        "pixel=,1",  "pixel=1,2x",  "fatal=1",   "draw=+1" };
   assert_true(cf_print_parse("all", &filter) && filter.wanted && !filter.fatal &&
               !filter.has_pixel && !filter.has_vertex && !filter.has_draw && filter.limit == 20);
   assert_true(cf_print_parse("vertex=7,pixel=3,4,draw=4294967295,limit=0,fatal", &filter));
   assert_true(filter.has_pixel && filter.x_px == 3 && filter.y_px == 4);
   assert_true(filter.has_vertex && filter.vertex == 7);
   assert_true(filter.has_draw && filter.draw == UINT32_MAX && filter.limit == 0 && filter.fatal);
   for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
      if (cf_print_parse(wrong[i], &filter))
         fail_msg("'%s' is taken", wrong[i]);
   }
}

/* ------------------------------------------------------------------ formats */

static void
write_text(const char *text, const uint32_t *value, uint32_t dwords, char to[256])
{
   FILE *file = fmemopen(to, 256, "w");
   assert_non_null(file);
   memset(to, 0, 256);
   cf_print_write(file, text, value, dwords);
   fclose(file);
}

static uint32_t
bits_of(float value)
{
   uint32_t bits;
   memcpy(&bits, &value, sizeof(bits));
   return bits;
}

static void
test_formats(void **state)
{
   (void)state;
   const uint32_t one = 0x3f800000, half = 0x3f000000, nan = 0xffc00000, inf = 0xff800000;
   const struct {
      const char *text, *expected;
      uint32_t value[8], dwords;
   } cases[] = {
      { "print float\nx = %s", "x = 1", { one }, 1 },
      { "print float\n%s", "0.1", { bits_of(0.1f) }, 1 },
      { "print float\n%s", "0.10000001", { bits_of(0.1f) + 1 }, 1 },
      { "print float\n%s", "nan", { nan }, 1 },
      { "print float\n%8.3f|", "     nan|", { nan }, 1 },
      { "print float\n%s", "-inf", { inf }, 1 },
      { "print vec3\n%.2f", "(1.00, 0.50, 1.00)", { one, half, one }, 3 },
      { "print mat2\n%s", "((1, 0.5), (0.5, 1))", { one, half, half, one }, 4 },
      { "print mat2x3\n%s", "((1, 1, 0.5), (0, 0, 1))", { one, one, half, 0, 0, one }, 6 },
      { "print int uint bool\n%s %s %s", "-1 4294967295 true", { ~0u, ~0u, 1 }, 3 },
      { "print bvec2 ivec2\n%s %d", "(true, false) (-7, 7)", { 1, 0, (uint32_t)-7, 7 }, 4 },
      { "print uint uint\n%08x %5u|", "0000beef    12|", { 0xbeef, 12 }, 2 },
      { "print\n100%% of it", "100% of it", { 0 }, 1 },
      { "assert bool float\nx is %g", "x is 0.5", { 0, half }, 2 },
      { "assert bool\nx > 0.0 does not hold", "x > 0.0 does not hold", { 0 }, 1 },
      /* malformed */
      { "print float\n%s %s", "1 ?", { one }, 1 },
      { "print vec4\n%s", "?", { one }, 1 },
      { "print nonsense\n%s", "?", { one }, 1 },
      { "print vec5\n%s", "?", { one }, 1 },
      { "print vec1\n%s", "?", { one }, 1 },
      { "print vec\n%s", "?", { one }, 1 },
      { "print fvec2\n%s", "?", { one, one }, 2 },
      { "print mat1\n%s", "?", { one }, 1 },
      { "print mat2x5\n%s", "?", { one, one }, 2 },
      { "print mat2y2\n%s", "?", { one, one, one, one }, 4 },
      { "print mat5x2\n%s", "?", { one, one }, 2 },
      { "print mat2x\n%s", "?", { one, one, one, one }, 4 },
      { "print imat2\n%s", "?", { one, one, one, one }, 4 },
      { "assert bool int\n%d", "?", { 0 }, 0 },
      { "print float\n%d", "1", { one }, 1 },
      { "print int\n%f", "5", { 5 }, 1 },
      { "print float\n%n %", "%n %", { one }, 1 },
      { "print float\n%999999999f", "%999999999f", { one }, 1 },
      { "print", "", { one }, 1 },
      { "", "", { one }, 1 },
   };
   for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
      char text[256];
      write_text(cases[i].text, cases[i].value, cases[i].dwords, text);
      assert_string_equal(text, cases[i].expected);
   }
}

/* The text of any float is that float. */
static void
test_floats(void **state)
{
   (void)state;
   struct cf_random random = cf_random_seed("print-floats");
   for (int i = 0; i < 20000; i++) {
      char text[256];
      const uint32_t bits = cf_random_u32(&random);
      if ((bits & 0x7f800000) == 0x7f800000)
         continue;
      write_text("print float\n%s", &bits, 1, text);
      if (bits_of(strtof(text, NULL)) != bits)
         fail_msg("0x%08x is printed as %s", bits, text);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lines),     cmocka_unit_test(test_filters),
      cmocka_unit_test(test_assertion), cmocka_unit_test(test_lists),
      cmocka_unit_test(test_formats),   cmocka_unit_test(test_floats),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
