/* SPDX-License-Identifier: MIT */
/*
 * What vertices print and assert, of programs made by hand: each vertex of each instance once,
 * however often indices name it, in order; filters, limits and what is left out; assertions that a
 * variable or a varying is written.
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
#define VERTICES 300
#define INSTANCES 2
#define FIRST_FAILING 8
#define LINES 1024
#define LINE_B 128

/* Scratch 0: x, which is the vertex's number; 1: whether that is below FIRST_FAILING. */
static const char vertex_text[] =
   "sys v8, vertex_id\nldf v0, 0[v8]\nflt v9, v0, 8.0\nsts [0 + 0], v0\nsts [0 + 1], v9\n"
   "out 0, v0\nout 1, v1\nout 2, v2\nout 3, v3\nend\n";

struct scene {
   struct test_gpu t;
   struct test_surface color;
   struct cf_sanitize *sanitize;
   char line[LINES][LINE_B];
   uint32_t lines;
};

static struct scene scene;

static void
take_line(void *user, const char *text)
{
   struct scene *s = user;
   assert_in_range(s->lines, 0, LINES - 1);
   snprintf(s->line[s->lines++], LINE_B, "%s", text);
}

/* Its program's first dword is printed, its second one is asserted. */
static void
note_program(struct scene *s, uint64_t program, const char *asserted)
{
   struct cf_note note = { 0 };
   struct cf_note_line lines[10];
   for (uint32_t i = 0; i < 10; i++)
      lines[i] = (struct cf_note_line){ i, 0, 0, 1 + i, 1 + i };
   cf_note_add_text(&note, CF_NOTE_NAME, "GLSL7", 5);
   cf_note_add_lines(&note, lines, 10);
   cf_note_add_print(&note, &(struct cf_note_print){ 0, 1 }, "print float\nx %g");
   cf_note_add_print(&note, &(struct cf_note_print){ 1, 1 }, asserted);
   s->t.gpu->ops->note(s->t.gpu, program, note.data, note.size_B);
   cf_note_free(&note);
}

static void
note_draw(struct scene *s)
{
   struct cf_note note = { 0 };
   cf_note_add_text(&note, CF_NOTE_CALL, "glDrawElements", 14);
   cf_note_add_text(&note, CF_NOTE_GROUP, "world", 5);
   cf_note_add_text(&note, CF_NOTE_GROUP, "trees", 5);
   s->t.gpu->ops->note(s->t.gpu, s->t.commands.address + 4 * s->t.count, note.data, note.size_B);
   cf_note_free(&note);
}

/* Points of indices that name each vertex twice, the last one first. */
static void
draw(struct scene *s, uint64_t program, bool discards)
{
   static float position[VERTICES][4];
   uint16_t index[2 * VERTICES];
   uint32_t dw[CF_VERTEX_ELEMENT_DWORDS], link[CF_LINK_DWORDS];
   for (uint32_t i = 0; i < VERTICES; i++) {
      position[i][0] = (float)i;
      position[i][3] = 1;
      index[2 * i] = index[2 * i + 1] = (uint16_t)(VERTICES - 1 - i);
   }
   cf_vertex_element_pack(
      dw, &(struct cf_vertex_element){ .address = test_put(&s->t, position, sizeof(position)),
                                       .size_B = sizeof(position),
                                       .stride_B = 16,
                                       .format = CF_FORMAT_R32G32B32A32_FLOAT });
   test_emit_frame(&s->t, &s->color, NULL);
   EMIT(&s->t, raster, .half_pixel_center = true, .point_size_px = 1, .discard = discards);
   EMIT(&s->t, shader, .stage = CF_SHADER_STAGE_VERTEX, .program = program);
   EMIT(&s->t, shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = test_varyings_program(&s->t));
   cf_link_pack(link, &(struct cf_link){ .present = false });
   EMIT(&s->t, varyings, .count = 1, .address = test_put(&s->t, link, sizeof(link)));
   EMIT(&s->t, vertex_elements, .count = 1, .address = test_put(&s->t, dw, sizeof(dw)));
   note_draw(s);
   EMIT(&s->t, draw, .prim = CF_PRIM_KIND_POINTS, .count = 2 * VERTICES, .instances = INSTANCES,
        .index_size_B = 2, .index_address = test_put(&s->t, index, sizeof(index)),
        .index_size_total_B = sizeof(index));
   test_submit(&s->t);
}

struct run {
   const char *filter, *asserted; /* filter NULL: nothing is printed */
   uint32_t checks;
   bool discards;
   int threads;
};

static const struct cf_sanitize_report *
run(struct scene *s, const struct run *run)
{
   struct cf_sanitize_config config = {
      .checks = run->checks, .quiet = true, .user = s, .printed = take_line
   };
   memset(s, 0, sizeof(*s));
   assert_true(!run->filter || cf_print_parse(run->filter, &config.print));
   s->sanitize = cf_sanitize_open(&config);
   assert_non_null(s->sanitize);
   test_gpu_open_on(&s->t, test_model_of((struct cf_model_config){
                              .threads = run->threads,
                              .path = CF_PATH_PLAIN,
                              .engine = CF_ENGINE_INTERP,
                              .observer = cf_sanitize_observer(s->sanitize) }));
   test_surface_create(&s->t, &s->color, CF_FORMAT_R8G8B8A8_UNORM, SIZE_PX, SIZE_PX, true);
   const uint64_t program =
      test_program(&s->t, vertex_text,
                   (struct cf_program){ .stage = CF_SHADER_STAGE_VERTEX,
                                        .vector_regs = 10,
                                        .outputs = 4,
                                        .scratch_dwords = 2,
                                        .sysvals = 1u << CF_SYSVAL_VERTEX_ID });
   note_program(s, program, run->asserted ? run->asserted : "print bool\n%s");
   draw(s, program, run->discards);
   test_no_error(&s->t);
   test_surface_free(&s->t, &s->color);
   test_gpu_close(&s->t);
   return cf_sanitize_reports(s->sanitize);
}

#define DRAW "draw 0 (glDrawElements, in world / trees)"

static void
expect_vertex(const struct scene *s, uint32_t *at, uint32_t instance, uint32_t vertex)
{
   char text[LINE_B], of[32] = "";
   if (instance)
      snprintf(of, sizeof(of), " of instance %u", instance);
   snprintf(text, sizeof(text), DRAW ", vertex %u%s, GLSL7.vert:4: x %u", vertex, of, vertex);
   assert_string_equal(s->line[(*at)++], text);
   snprintf(text, sizeof(text), DRAW ", vertex %u%s, GLSL7.vert:5: %s", vertex, of,
            vertex < FIRST_FAILING ? "true" : "false");
   assert_string_equal(s->line[(*at)++], text);
}

static void
test_each_once(void **state)
{
   (void)state;
   for (int threads = 0; threads <= 3; threads += 3) {
      uint32_t at = 0;
      run(&scene, &(struct run){ "limit=400", NULL, 1u << CF_SANITIZE_ASSERT, .threads = threads });
      for (uint32_t k = 0; k < 400; k++)
         expect_vertex(&scene, &at, k / VERTICES, k % VERTICES);
      assert_int_equal(scene.lines, at + 2);
      assert_string_equal(scene.line[at], DRAW ", GLSL7.vert:4: 200 more (limit=400)");
      assert_string_equal(scene.line[at + 1], DRAW ", GLSL7.vert:5: 200 more (limit=400)");
      cf_sanitize_close(scene.sanitize);
   }
}

static void
test_filters(void **state)
{
   (void)state;
   static const struct {
      const char *filter;
      uint32_t lines;
   } cases[] = {
      { "vertex=7", 2 * INSTANCES },
      { "vertex=7,pixel=1,1", 2 * INSTANCES },
      { "vertex=7,draw=0", 2 * INSTANCES },
      { "vertex=7,draw=1", 0 },
      { "vertex=300", 0 },
      { "pixel=1,1", 0 },
   };
   for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      uint32_t at = 0;
      run(&scene, &(struct run){ cases[i].filter, NULL, 1u << CF_SANITIZE_ASSERT });
      assert_int_equal(scene.lines, cases[i].lines);
      for (uint32_t k = 0; k < scene.lines / 2; k++)
         expect_vertex(&scene, &at, k, 7);
      cf_sanitize_close(scene.sanitize);
   }
}

/* An assertion that does not hold; of a varying it counts where primitives are drawn. */
static void
test_assertions(void **state)
{
   (void)state;
   static const struct {
      const char *asserted;
      uint32_t checks;
      bool discards;
      int check; /* negative: none */
   } cases[] = {
      { "assert bool\nbad", CF_SANITIZE_ALL, false, CF_SANITIZE_ASSERT },
      { "assert bool\nbad", 1u << CF_SANITIZE_UNWRITTEN_VARYING, false, -1 },
      { "variable bool\nbad", CF_SANITIZE_ALL, false, CF_SANITIZE_UNWRITTEN_VARIABLE },
      { "varying bool\nbad", CF_SANITIZE_ALL, false, CF_SANITIZE_UNWRITTEN_VARYING },
      { "varying bool\nbad", CF_SANITIZE_ALL, true, -1 },
   };
   for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      const struct cf_sanitize_report *report = run(
         &scene, &(struct run){ NULL, cases[i].asserted, cases[i].checks, cases[i].discards, 0 });
      assert_int_equal(scene.lines, 0);
      assert_int_equal(report ? (int)report->check : -1, cases[i].check);
      if (report) {
         assert_null(report->next);
         assert_int_equal(report->count, INSTANCES * (VERTICES - FIRST_FAILING));
         assert_string_equal(report->message, "bad");
         assert_true(report->has_vertex && !report->has_pixel);
         assert_in_range(report->vertex, FIRST_FAILING, VERTICES - 1);
         assert_int_equal(report->line, 5);
         if (!strstr(report->text, "draw 0, glDrawElements, in world / trees)"))
            fail_msg("%s", report->text);
      }
      cf_sanitize_close(scene.sanitize);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_once),
      cmocka_unit_test(test_filters),
      cmocka_unit_test(test_assertions),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
