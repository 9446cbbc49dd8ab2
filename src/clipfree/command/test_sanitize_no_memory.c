/* SPDX-License-Identifier: MIT */
/*
 * The sanitiser without memory: each of its allocations fails, alone and with all after it. It may
 * find less and print less, in the same order; it finds nothing that is not there, frees all, and
 * the picture is the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "clipfree/base/test_failing_host.h"
#include "clipfree/command/test_gpu.h"
#include "clipfree/command/test_watcher.h"
#include "clipfree/interface/cf_note.h"
#include "clipfree/isa/cf_isa.h"
#include "clipfree/sanitize/cf_sanitize.h"

#define SIZE_PX 16
#define PIXELS (SIZE_PX * SIZE_PX)
#define LINES 1100
#define LINE_B 100
#define MOST_RUNS 1000

static const char vertex_text[] = "sys v8, vertex_id\nldf v0, 0[v8]\nsts [0 + 0], v0\n"
                                  "out 0, v0\nout 1, v1\nout 2, v2\nout 3, v3\nend\n";

/* Prints its column, samples, and divides by 0. */
static const char fragment_text[] =
   "sys v4, frag_x\nsys v5, frag_y\nsts [0 + 0], v4\nmovi s0, 0x3d800000\nfmul v4, v4, s0\n"
   "fmul v5, v5, s0\ntex v0.xyzw, 0, v4, v5, 0, 0, implicit\nfrcp v1, u0\nfadd v0, v0, v1\n"
   "outf 0, v0\noutf 1, v1\noutf 2, v2\noutf 3, v3\nend\n";

FILE *__real_open_memstream(char **text, size_t *size_B);
FILE *__wrap_open_memstream(char **text, size_t *size_B);

/* Its text is freed by who opened it. */
FILE *
__wrap_open_memstream(char **text, size_t *size_B)
{
   FILE *file = test_host_grants() ? __real_open_memstream(text, size_B) : NULL;
   test_host.live += file != NULL;
   return file;
}

/* What was found: how often by check; what was printed. */
struct found {
   uint64_t count[CF_SANITIZE_COUNT];
   char line[LINES][LINE_B];
   uint32_t lines;
   uint64_t picture; /* a hash */
};

struct scene {
   struct test_gpu t;
   struct test_surface color, zs;
   uint64_t vertex_program, fragment_program, texture, sampler;
};

static void
take_line(void *user, const char *text)
{
   struct found *found = user;
   assert_in_range(found->lines, 0, LINES - 1);
   snprintf(found->line[found->lines++], LINE_B, "%s", text);
}

static void
note_program(struct scene *s, uint64_t program, const char *name)
{
   struct cf_note note = { 0 };
   struct cf_note_line lines[12];
   for (uint32_t i = 0; i < 12; i++)
      lines[i] = (struct cf_note_line){ i, 0, 0, 1 + i, 1 + i };
   cf_note_add_text(&note, CF_NOTE_NAME, name, strlen(name));
   cf_note_add_lines(&note, lines, 12);
   cf_note_add_print(&note, &(struct cf_note_print){ 0, 1 }, "print float\n%g");
   s->t.gpu->ops->note(s->t.gpu, program, note.data, note.size_B);
   cf_note_free(&note);
}

/* Of a draw: a uniform was not set, nor vertices but the first, nor texels but the upper half. */
static void
note_draw(struct scene *s)
{
   static const struct cf_note_written texels = { CF_SHADER_STAGE_FRAGMENT,
                                                  0,
                                                  0,
                                                  0,
                                                  { 0, 0 },
                                                  { 8, 4 } },
                                       bytes = { 0, 0, 0, 0, { 0 }, { 16 } };
   struct cf_note note = { 0 };
   cf_note_add_text(&note, CF_NOTE_CALL, "glDrawArrays", 12);
   cf_note_add_text(&note, CF_NOTE_UNSET, "uniform float light", 19);
   cf_note_add_written(&note, CF_NOTE_WRITTEN_TEXELS, &texels);
   cf_note_add_written(&note, CF_NOTE_WRITTEN_BYTES, &bytes);
   s->t.gpu->ops->note(s->t.gpu, s->t.commands.address + 4 * s->t.count, note.data, note.size_B);
   cf_note_free(&note);
}

static void
scene_open(struct scene *s, const struct cf_observer *observer)
{
   static const uint32_t image[64];
   uint32_t dw[CF_SAMPLER_DWORDS];
   struct test_gpu *t = &s->t;
   test_gpu_open_on(t,
                    test_model_of((struct cf_model_config){
                       .path = CF_PATH_PLAIN, .engine = CF_ENGINE_INTERP, .observer = observer }));
   test_surface_create(t, &s->color, CF_FORMAT_R8G8B8A8_UNORM, SIZE_PX, SIZE_PX, true);
   test_surface_create(t, &s->zs, CF_FORMAT_Z16_UNORM, SIZE_PX, SIZE_PX, true);
   const struct cf_texture texture = test_linear_texture(test_put(t, image, sizeof(image)), 8, 8);
   cf_sampler_pack(dw, &(struct cf_sampler){ 0 });
   s->texture = test_put_texture(t, &texture);
   s->sampler = test_put(t, dw, sizeof(dw));
   s->vertex_program = test_program(t, vertex_text,
                                    (struct cf_program){ .stage = CF_SHADER_STAGE_VERTEX,
                                                         .vector_regs = 9,
                                                         .outputs = 4,
                                                         .scratch_dwords = 1,
                                                         .sysvals = 1u << CF_SYSVAL_VERTEX_ID });
   s->fragment_program = test_program(
      t, fragment_text,
      (struct cf_program){ .stage = CF_SHADER_STAGE_FRAGMENT,
                           .vector_regs = 6,
                           .scalar_regs = 1,
                           .outputs = 4,
                           .color_outputs = 1,
                           .needs_helpers = true,
                           .scratch_dwords = 1,
                           .sysvals = 1u << CF_SYSVAL_FRAG_X | 1u << CF_SYSVAL_FRAG_Y });
}

static void
emit_state(struct scene *s)
{
   static const float constant[4] = { 0 };
   struct test_gpu *t = &s->t;
   test_emit_frame(t, &s->color, &s->zs);
   EMIT(t, shader, .stage = CF_SHADER_STAGE_VERTEX, .program = s->vertex_program);
   EMIT(t, shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = s->fragment_program);
   EMIT(t, varyings, .count = 0);
   EMIT(t, constants, .stage = CF_SHADER_STAGE_FRAGMENT, .bank = 0,
        .address = test_put(t, constant, sizeof(constant)), .size_B = sizeof(constant));
   EMIT(t, bind_texture, .stage = CF_SHADER_STAGE_FRAGMENT, .texture = s->texture,
        .sampler = s->sampler);
   EMIT(t, depth_stencil, .depth_test = true, .depth_write = true, .depth_func = CF_COMPARE_LESS);
   EMIT(t, clear, .depth = true, .depth_value = 1.0f, .max_x_px = SIZE_PX, .max_y_px = SIZE_PX);
}

/* Two squares that cross within a step of depths. */
static void
draw(struct scene *s)
{
   struct test_gpu *t = &s->t;
   emit_state(s);
   for (int i = 0; i < 2; i++) {
      const float z = -0.8f, lean = i ? -5e-6f : 5e-6f;
      const float position[4][4] = { { -1, -1, z - lean, 1 },
                                     { 1, -1, z + lean, 1 },
                                     { -1, 1, z - lean, 1 },
                                     { 1, 1, z + lean, 1 } };
      uint32_t dw[CF_VERTEX_ELEMENT_DWORDS];
      cf_vertex_element_pack(
         dw, &(struct cf_vertex_element){ .address = test_put(t, position, sizeof(position)),
                                          .size_B = sizeof(position),
                                          .stride_B = 16,
                                          .format = CF_FORMAT_R32G32B32A32_FLOAT });
      EMIT(t, vertex_elements, .count = 1, .address = test_put(t, dw, sizeof(dw)));
      note_draw(s);
      EMIT(t, draw, .prim = CF_PRIM_KIND_TRIANGLE_STRIP, .count = 4, .instances = 1);
   }
   test_submit(t);
}

/* Twice, with other notes of the programs the second time. */
static void
run_program(const struct cf_observer *observer, struct found *found)
{
   struct scene s;
   scene_open(&s, observer);
   for (int i = 0; i < 2; i++) {
      note_program(&s, s.vertex_program, i ? "GLSL2" : "GLSL1");
      note_program(&s, s.fragment_program, i ? "GLSL2" : "GLSL1");
      draw(&s);
   }
   test_no_error(&s.t);
   for (uint32_t i = 0; i < PIXELS; i++)
      found->picture = found->picture * 31 + test_surface_pixel(&s.color, i % SIZE_PX, i / SIZE_PX);
   test_frame_close(&s.t, &s.color, &s.zs);
}

/* Watch while a request fails. Returns how many did. */
static unsigned
watch(unsigned fail_at, bool all, const char *filter, struct found *found)
{
   struct cf_sanitize_config config = { .checks =
                                           CF_SANITIZE_ALL | 1u << CF_SANITIZE_UNWRITTEN_UNIFORM,
                                        .quiet = true,
                                        .user = found,
                                        .printed = take_line };
   assert_true(cf_print_parse(filter, &config.print));
   memset(found, 0, sizeof(*found));
   test_host.paused = false;
   test_host_arm(fail_at, all);
   struct cf_sanitize *sanitize = cf_sanitize_open(&config);
   if (sanitize) {
      const struct cf_observer observer = test_watcher_between(cf_sanitize_observer(sanitize));
      run_program(&observer, found);
      for (const struct cf_sanitize_report *r = cf_sanitize_reports(sanitize); r; r = r->next)
         found->count[r->check] += r->count;
      cf_sanitize_close(sanitize);
   }
   test_host.paused = false;
   return test_host_disarm();
}

/* A line without its draw's call, which may be lost; NULL: it says how many were left out. */
static const char *
without_call(const char *line)
{
   return strstr(line, " more (limit=") ? NULL : strchr(line, ',');
}

/* Whether lines are some of these, in their order. */
static bool
are_some(const struct found *found, const struct found *lines)
{
   for (uint32_t i = 0, at = 0; i < found->lines; i++) {
      const char *line = without_call(found->line[i]);
      while (line && at < lines->lines && strcmp(line, strchr(lines->line[at], ',')) != 0)
         at++;
      if (at == lines->lines) {
         print_message("not expected, or not here: %s\n", found->line[i]);
         return false;
      }
      at += line != NULL;
   }
   return true;
}

static bool
is_less(const struct found *found, const struct found *expected)
{
   bool less = found->lines < expected->lines;
   for (uint32_t i = 0; i < CF_SANITIZE_COUNT; i++) {
      if (found->count[i] > expected->count[i])
         fail_msg("%s: %u times", cf_sanitize_name(i), (unsigned)found->count[i]);
      less |= found->count[i] < expected->count[i];
   }
   return less;
}

static void
check_finds_all(const struct found *expected)
{
   static const enum cf_sanitize_check checks[] = {
      CF_SANITIZE_DIVISION,          CF_SANITIZE_DEPTH_FIGHTING,
      CF_SANITIZE_UNWRITTEN_TEXEL,   CF_SANITIZE_UNWRITTEN_ATTRIBUTE,
      CF_SANITIZE_UNWRITTEN_UNIFORM,
   };
   for (uint32_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
      if (!expected->count[checks[i]])
         fail_msg("no %s", cf_sanitize_name(checks[i]));
   }
   assert_true(expected->lines > 4 * 40);
}

static void
without_memory(void **state)
{
   (void)state;
   static struct found expected, found, lines;
   assert_int_equal(watch(0, false, "limit=40", &expected), 0);
   assert_int_equal(watch(0, false, "limit=1000", &lines), 0);
   check_finds_all(&expected);
   const long before = test_host.live;
   for (int all = 0; all < 2; all++) {
      unsigned runs = 0, fewer = 0, failed;
      do {
         failed = watch(++runs, all, "limit=40", &found);
         assert_int_equal(test_host.live, before);
         if (!failed)
            break;
         fewer += is_less(&found, &expected);
         assert_true(are_some(&found, &lines));
         assert_true(!found.picture || found.picture == expected.picture);
      } while (runs < MOST_RUNS);
      assert_true(runs < MOST_RUNS && fewer > 15);
   }
}

int
main(void)
{
   mallopt(M_PERTURB, 0xa5); /* what is not initialised is not zero */
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_memory),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
