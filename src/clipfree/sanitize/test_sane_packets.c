/* SPDX-License-Identifier: MIT */
/*
 * The sanitiser without a GPU: the events that it is given are made here. What a packet that no GPU
 * would take does to what it knows (nothing); which programs, depths and images it finds by what
 * the packets name; what it makes of the shape of a program.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "clipfree/sanitize/test_watched.h"

#define COUNT(table) ((uint32_t)(sizeof(table) / sizeof(*(table))))
/* ------------------------------------------------------------------ lists of checks */

static void
names(void **state)
{
   static const struct {
      const char *list;
      bool known;
      uint32_t checks;
   } cases[] = {
      { "nan", true, 1u << CF_SANITIZE_NAN },
      { "all", true, CF_SANITIZE_ALL },
      { "fatal", true, CF_SANITIZE_ALL | CF_SANITIZE_FATAL },
      { "fatal,nan", true, CF_SANITIZE_FATAL | 1u << CF_SANITIZE_NAN },
      { "fatel", false, 0 },
      { "fata", false, 0 },
      { "fatally", false, 0 },
      { "alle", false, 0 },
      { "al", false, 0 },
      { "nan,", false, 0 },
      { "", false, 0 },
   };
   (void)state;
   for (uint32_t i = 0; i < COUNT(cases); i++) {
      uint32_t checks;
      const bool known = cf_sanitize_parse(cases[i].list, &checks);
      if (known != cases[i].known || (known && checks != cases[i].checks))
         fail_msg("\"%s\": %d, %#x", cases[i].list, known, checks);
   }
}

/* ------------------------------------------------------------------ packets */

/* cf_observer.h: a packet is seen before it is checked. One that is malformed is the last of its
 * submission, and changes nothing. */
static void
malformed_packets(void **state)
{
   struct watched w;
   (void)state;
   watch(&w);
   const uint64_t program = assembled(&w, CF_SHADER_STAGE_VERTEX, "mov v0, 1.0\nend\n");
   GIVE(&w, framebuffer, .width_px = 8, .height_px = 4);
   GIVE(&w, depth_stencil, .depth_test = true);
   GIVE(&w, raster, .discard = true);
   GIVE(&w, bind_texture, .stage = CF_SHADER_STAGE_FRAGMENT, .unit = 15, .texture = 64);
   GIVE(&w, blend, .target = 7, .write_mask = 1);
   GIVE(&w, vertex_elements, .count = 3, .address = 128);
   GIVE(&w, constants, .stage = CF_SHADER_STAGE_VERTEX, .bank = 15, .size_B = 16);
   GIVE(&w, feedback, .outputs = 2);
   GIVE(&w, shader, .stage = CF_SHADER_STAGE_VERTEX, .program = program);

   GIVE_MALFORMED(&w, framebuffer, .width_px = 9);
   GIVE_MALFORMED(&w, depth_stencil, .depth_write = true);
   GIVE_MALFORMED(&w, raster, .discard = false);
   GIVE_MALFORMED(&w, bind_texture, .stage = CF_SHADER_STAGE_FRAGMENT, .unit = 15, .texture = 65);
   GIVE_MALFORMED(&w, blend, .target = 7, .write_mask = 0);
   GIVE_MALFORMED(&w, vertex_elements, .count = 4);
   GIVE_MALFORMED(&w, constants, .stage = CF_SHADER_STAGE_VERTEX, .bank = 15, .size_B = 17);
   GIVE_MALFORMED(&w, feedback, .outputs = 3);
   GIVE_MALFORMED(&w, shader, .stage = CF_SHADER_STAGE_VERTEX, .program = 0);

   assert_int_equal(w.s->framebuffer.width_px, 8);
   assert_true(w.s->depth_stencil.depth_test);
   assert_false(w.s->depth_stencil.depth_write);
   assert_true(w.s->raster.discard);
   assert_int_equal(w.s->texture[CF_SHADER_STAGE_FRAGMENT][15].texture, 64);
   assert_int_equal(w.s->color_masks, 1u << 7);
   assert_int_equal(w.s->elements.count, 3);
   assert_int_equal(w.s->constants[CF_SHADER_STAGE_VERTEX][15].size_B, 16);
   assert_int_equal(w.s->feedback.outputs, 2);
   assert_non_null(w.s->bound[CF_SHADER_STAGE_VERTEX]);
   assert_int_equal(w.s->bound[CF_SHADER_STAGE_VERTEX]->descriptor, program);

   GIVE(&w, blend, .target = 7, .write_mask = 0);
   assert_int_equal(w.s->color_masks, 0);
   stop(&w);
}

/* A program is known by its descriptor, its code and its note: where one of them is another one,
 * it is another program. */
static void
programs_found(void **state)
{
   struct watched w;
   struct cf_note note = { 0 };
   uint32_t dw[CF_PROGRAM_DWORDS];
   (void)state;
   watch(&w);
   const uint64_t first = assembled(&w, CF_SHADER_STAGE_VERTEX, "mov v0, 1.0\nend\n"),
                  second = assembled(&w, CF_SHADER_STAGE_VERTEX, "mov v0, 0.5\nend\n");
   struct sane_program *a = sane_program_at(w.s, w.memory, first);
   assert_non_null(a);
   assert_ptr_equal(sane_program_at(w.s, w.memory, first), a);
   assert_ptr_not_equal(sane_program_at(w.s, w.memory, second), a);
   assert_ptr_equal(sane_program_at(w.s, w.memory, first), a);

   cf_note_add_text(&note, CF_NOTE_NAME, "GLSL1", 5);
   note_of(&w, first, &note);
   struct sane_program *noted = sane_program_at(w.s, w.memory, first);
   assert_ptr_not_equal(noted, a);
   assert_string_equal(sane_program_name(noted), "GLSL1");
   assert_string_equal(sane_program_name(a), "");

   /* another note at the same address: who has the first one keeps it */
   cf_note_add_text(&note, CF_NOTE_NAME, "GLSL2", 5);
   note_of(&w, first, &note);
   struct sane_program *renamed = sane_program_at(w.s, w.memory, first);
   assert_string_equal(sane_program_name(renamed), "GLSL2");
   assert_string_equal(sane_program_name(noted), "GLSL1");

   /* the code of the second at the place of the first */
   memcpy(dw, cf_memory_at(w.memory, second, sizeof(dw)), sizeof(dw));
   memcpy(cf_memory_at(w.memory, first, sizeof(dw)), dw, sizeof(dw));
   assert_ptr_not_equal(sane_program_at(w.s, w.memory, first), renamed);
   stop(&w);
}

/* Neither memory that is not there nor words that are no instructions are a program: nothing is
 * bound, and a draw with it is not watched. */
static void
no_programs(void **state)
{
   struct watched w;
   const uint64_t words[2] = { UINT64_MAX, UINT64_MAX };
   (void)state;
   watch(&w);
   const uint64_t good = assembled(&w, CF_SHADER_STAGE_FRAGMENT, "mov v0, 1.0\nend\n"),
                  bad[] = { 0, good + 1, UINT64_MAX - 3,
                            program_of(&w, CF_SHADER_STAGE_FRAGMENT, words, 2) };
   for (uint32_t i = 0; i < COUNT(bad); i++) {
      GIVE(&w, shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = good);
      assert_non_null(w.s->bound[CF_SHADER_STAGE_FRAGMENT]);
      GIVE(&w, shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = bad[i]);
      assert_null(w.s->bound[CF_SHADER_STAGE_FRAGMENT]);
   }
   stop(&w);
}

/* The line of an instruction is one of the shader object that it names. Where the place is the draw
 * there is none. */
static void
lines_of_objects(void **state)
{
   static const struct {
      uint32_t instr, line;
      const char *text;
   } cases[] = {
      { 0, 2, "b" }, { 1, 3, "d" }, { 2, 9, "" }, { 3, 0, "" }, { CF_SANITIZE_NO_INSTR, 0, "" },
   };
   static const struct cf_note_line lines[] = {
      { 0, 0, 0, 2, 2 }, { 1, 1, 0, 3, 2 }, { 2, 2, 0, 9, 1 }, /* of an object without source */
   };
   struct cf_note note = { 0 };
   struct watched w;
   (void)state;
   watch(&w);
   const uint64_t descriptor = assembled(&w, CF_SHADER_STAGE_VERTEX, "mov v0, 1.0\nend\n");
   cf_note_add_text(&note, CF_NOTE_SOURCE, "a\n\tb \r\n", 7);
   cf_note_add_text(&note, CF_NOTE_SOURCE, "c\nd", 3);
   cf_note_add_lines(&note, lines, COUNT(lines));
   note_of(&w, descriptor, &note);
   for (uint32_t i = 0; i < COUNT(cases); i++) {
      struct cf_sanitize_report report = { .instr = cases[i].instr, .line = 7 };
      sane_take_line(sane_program_at(w.s, w.memory, descriptor), &report);
      assert_int_equal(report.line, cases[i].line);
      assert_string_equal(report.line_text, cases[i].text);
   }
   stop(&w);
}

/* What a draw is drawn of: positions count unless all is discarded, or a geometry program makes
 * others. Its groups are named as far as there is room. */
static void
draws(void **state)
{
   struct watched w;
   struct cf_note note = { 0 };
   char call[CF_SANITIZE_NAMES_B], group[CF_SANITIZE_NAMES_B], name[100], all[300];
   (void)state;
   watch(&w);
   memset(name, 'a', sizeof(name));
   GIVE(&w, draw, .count = 3);
   const uint64_t first = w.packet;
   GIVE(&w, raster, .discard = true);
   GIVE(&w, draw, .count = 3);
   GIVE(&w, raster, .discard = false);
   bind(&w, CF_SHADER_STAGE_GEOMETRY, "mov v0, 1.0\nend\n");
   GIVE(&w, draw, .count = 3);
   assert_int_equal(w.s->draws, 3);
   for (uint32_t i = 0; i < 3; i++) {
      assert_int_equal(w.s->draw[i]->number, i);
      assert_int_equal(w.s->draw[i]->positions, i == 0);
      assert_int_equal(w.s->draw[i]->discards, i == 1);
   }
   assert_false(sane_compares_depth(w.s, first));     /* there are no depths */
   assert_false(sane_compares_depth(w.s, first + 4)); /* there is no such draw */

   for (uint32_t i = 0; i < 3; i++)
      cf_note_add_text(&note, CF_NOTE_GROUP, name, sizeof(name));
   note_of(&w, first, &note);
   snprintf(all, sizeof(all), "%.100s / %.100s", name, name);
   all[CF_SANITIZE_NAMES_B - 1] = 0;
   sane_draw_names(w.s, first, call, group);
   assert_string_equal(group, all);
   assert_string_equal(call, "");
   stop(&w);
}

/* Clears are kept for depths alone. */
static void
clears_kept(void **state)
{
   struct watched w;
   (void)state;
   watch(&w);
   GIVE(&w, clear, .depth = true);
   assert_int_equal(w.s->draws, 1);
   cf_sanitize_close(w.s);
   w.s = cf_sanitize_open(
      &(struct cf_sanitize_config){ .checks = 1u << CF_SANITIZE_NAN, .quiet = true });
   w.observer = cf_sanitize_observer(w.s);
   GIVE(&w, clear, .depth = true);
   assert_int_equal(w.s->draws, 0);
   stop(&w);
}

/* ------------------------------------------------------------------ depths */

static uint64_t
depth_surface(struct watched *w, uint64_t address, uint32_t width_px, uint32_t height_px)
{
   uint32_t dw[CF_SURFACE_DWORDS];
   cf_surface_pack(dw, &(struct cf_surface){ .address = address,
                                             .width_px = width_px,
                                             .height_px = height_px,
                                             .format = CF_FORMAT_Z32_FLOAT,
                                             .samples = 1 });
   return put(w, dw, sizeof(dw));
}

/* The depths of an image are kept as long as it has its place and size. */
static void
depth_buffers(void **state)
{
   struct watched w;
   (void)state;
   watch(&w);
   const uint64_t surface = depth_surface(&w, 0x10000, 100, 60);
   w.s->framebuffer.depth_stencil = surface;
   struct sane_depths *first = sane_depths_of(w.s, w.memory);
   assert_non_null(first);
   assert_int_equal(first->width_px, 100);
   assert_int_equal(first->height_px, 60);
   static const struct {
      uint64_t address;
      uint32_t width_px, height_px;
      bool same, none;
   } cases[] = {
      { 0x10000, 100, 60, true, false },   { 0x20000, 100, 60, false, false },
      { 0x10000, 101, 60, false, false },  { 0x10000, 100, 61, false, false },
      { 0x10000, 16384, 1, false, false }, { 0x10000, 16385, 1, false, true },
      { 0x10000, 1, 16384, false, false }, { 0x10000, 1, 16385, false, true },
   };
   for (uint32_t i = 0; i < COUNT(cases); i++) {
      w.s->framebuffer.depth_stencil =
         depth_surface(&w, cases[i].address, cases[i].width_px, cases[i].height_px);
      const struct sane_depths *depths = sane_depths_of(w.s, w.memory);
      if ((depths == first) != cases[i].same || !depths != cases[i].none)
         fail_msg("case %u: %p, the first is %p", i, (void *)depths, (void *)first);
   }
   uint32_t *dw = cf_memory_at(w.memory, surface, 4 * CF_SURFACE_DWORDS);
   dw[4] |= 1u << 31; /* reserved */
   const uint64_t bad[] = { 0, surface, surface + 1, UINT64_MAX - 3 };
   for (uint32_t i = 0; i < COUNT(bad); i++) {
      w.s->framebuffer.depth_stencil = bad[i];
      assert_null(sane_depths_of(w.s, w.memory));
   }
   stop(&w);
}

static void
tests_that_are_compared(void **state)
{
   static const enum cf_compare nearer[] = { CF_COMPARE_LESS, CF_COMPARE_LEQUAL, CF_COMPARE_GREATER,
                                             CF_COMPARE_GEQUAL },
                                others[] = { CF_COMPARE_NEVER, CF_COMPARE_EQUAL,
                                             CF_COMPARE_NOTEQUAL, CF_COMPARE_ALWAYS };
   (void)state;
   for (uint32_t i = 0; i < 4; i++) {
      struct cf_depth_stencil d = { .depth_test = true,
                                    .depth_write = true,
                                    .depth_func = nearer[i] };
      assert_true(sane_draws_depth(&d));
      d.depth_write = false;
      assert_false(sane_draws_depth(&d));
      d = (struct cf_depth_stencil){ .depth_write = true, .depth_func = nearer[i] };
      assert_false(sane_draws_depth(&d));
      d = (struct cf_depth_stencil){ true, true, .depth_func = others[i] };
      assert_false(sane_draws_depth(&d));
   }
}

/* A scene of two draws to depths of 100x60 pixels. Returns the address of the second's packet; the
 * first one's is PACKET_B before it. */
static uint64_t
two_draws(struct watched *w)
{
   watch(w);
   const uint64_t program = assembled(w, CF_SHADER_STAGE_FRAGMENT, "mov v0, 1.0\nend\n");
   GIVE(w, framebuffer, .width_px = 100, .height_px = 60,
        .depth_stencil = depth_surface(w, 0x10000, 100, 60));
   GIVE(w, depth_stencil, .depth_test = true, .depth_write = true, .depth_func = CF_COMPARE_LESS);
   GIVE(w, shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = program);
   GIVE(w, draw, .count = 3, .instances = 1);
   GIVE(w, draw, .count = 3, .instances = 1);
   return w->packet;
}

static void
fragment(struct watched *w, uint64_t draw, uint32_t primitive, uint32_t x_px, uint32_t y_px,
         uint32_t sample, enum cf_fate fate, float depth)
{
   assert_true(sane_compares_depth(w->s, draw));
   sane_depth_fragment(w->s, &(struct cf_fragment_event){ .draw = draw,
                                                          .primitive = primitive,
                                                          .x_px = (uint16_t)x_px,
                                                          .y_px = (uint16_t)y_px,
                                                          .sample = (uint8_t)sample,
                                                          .fate = fate,
                                                          .depth = depth });
}

/* Two primitives in a row of eight pixels, each the nearer one in some: they fight. Not those of
 * one primitive, of pixels outside, of further samples, or which neither the depth test removed nor
 * anything wrote. */
static void
fighting(void **state)
{
   static const struct {
      bool one_draw, one_primitive;
      uint32_t x_px, y_px, sample, pixels;
      enum cf_fate fate; /* of every second pixel of the later one */
      bool fights;
   } cases[] = {
      { false, false, 0, 0, 0, 8, CF_FATE_DEPTH, true },
      { false, true, 0, 0, 0, 8, CF_FATE_DEPTH, true },
      { true, false, 0, 0, 0, 8, CF_FATE_DEPTH, true },
      { true, true, 0, 0, 0, 8, CF_FATE_DEPTH, false },
      { false, false, 0, 0, 0, 7, CF_FATE_DEPTH, false },
      { false, false, 0, 0, 0, 8, CF_FATE_WRITTEN, false }, /* it wins everywhere */
      { false, false, 84, 58, 0, 8, CF_FATE_DEPTH, true },  /* to pixel 98, 58 */
      { false, false, 100, 0, 0, 8, CF_FATE_DEPTH, false },
      { false, false, 0, 60, 0, 8, CF_FATE_DEPTH, false },
      { false, false, 0, 0, 1, 8, CF_FATE_DEPTH, false },
      { false, false, 0, 0, 0, 8, CF_FATE_STENCIL, false },
   };
   (void)state;
   for (uint32_t i = 0; i < COUNT(cases); i++) {
      struct watched w;
      const uint64_t second = two_draws(&w), first = cases[i].one_draw ? second : second - PACKET_B;
      for (uint32_t k = 0; k < cases[i].pixels; k++)
         fragment(&w, first, 5, cases[i].x_px + 2 * k, cases[i].y_px, cases[i].sample,
                  CF_FATE_WRITTEN, 0.5f);
      for (uint32_t k = 0; k < cases[i].pixels; k++)
         fragment(&w, second, cases[i].one_primitive ? 5 : 6, cases[i].x_px + 2 * k, cases[i].y_px,
                  cases[i].sample, k & 1 ? cases[i].fate : CF_FATE_WRITTEN,
                  k & 1 ? 0.50000003f : 0.49999997f);
      const struct cf_sanitize_report *r = cf_sanitize_reports(w.s);
      if (!r == cases[i].fights || (r && r->check != CF_SANITIZE_DEPTH_FIGHTING))
         fail_msg("case %u: %s", i, r ? r->text : "no report");
      stop(&w);
   }
}

/* Equal depths, as of a mesh that is drawn twice, do not fight. */
static void
equal_depths(void **state)
{
   struct watched w;
   (void)state;
   const uint64_t second = two_draws(&w);
   for (uint32_t k = 0; k < 16; k++) {
      fragment(&w, second - PACKET_B, 5, 2 * k, 0, 0, CF_FATE_WRITTEN, 0.5f);
      fragment(&w, second, 6, 2 * k, 0, 0, k & 1 ? CF_FATE_DEPTH : CF_FATE_WRITTEN, 0.5f);
   }
   assert_null(cf_sanitize_reports(w.s));
   stop(&w);
}

/* Eight pixels less one of a pair; then more pairs than are counted. Of one that has no room
 * nothing is said; the first one is counted on. */
static void
many_pairs(void **state)
{
   struct watched w;
   (void)state;
   const uint64_t second = two_draws(&w), first = second - PACKET_B;
   for (uint32_t p = 0; p < 20000; p++) {
      const bool is_first = p < 7;
      fragment(&w, first, is_first ? 0 : p, 0, 0, 0, CF_FATE_WRITTEN, 0.5f);
      fragment(&w, second, 1, 0, 0, 0, p & 1 ? CF_FATE_DEPTH : CF_FATE_WRITTEN, 0.49999997f);
   }
   for (uint32_t i = 0; i < SANE_PAIRS; i++)
      assert_int_not_equal(w.s->pair[i].pixels, 0);
   for (uint32_t p = 0; p < 8; p++) {
      fragment(&w, first, 30000, 0, 0, 0, CF_FATE_WRITTEN, 0.5f);
      fragment(&w, second, 1, 0, 0, 0, p & 1 ? CF_FATE_DEPTH : CF_FATE_WRITTEN, 0.49999997f);
   }
   assert_null(cf_sanitize_reports(w.s));
   fragment(&w, first, 0, 0, 0, 0, CF_FATE_WRITTEN, 0.5f);
   fragment(&w, second, 1, 0, 0, 0, CF_FATE_DEPTH, 0.49999997f);
   assert_non_null(cf_sanitize_reports(w.s));
   stop(&w);
}

/* The first draw writes the pixels of two tiles; then a rectangle is cleared: what lies in it is
 * compared with nothing any more. */
static void
clears(void **state)
{
   static const struct {
      struct cf_rect rect;
      uint32_t images;
      bool fights; /* at 32, 32 and on */
   } cases[] = {
      { { 0, 0, 1, 1 }, 1u << CF_MAX_COLOR_TARGETS, true },
      { { 0, 0, 64, 64 }, 1u << CF_MAX_COLOR_TARGETS, false },
      { { 0, 0, 64, 64 }, 1u, true }, /* of colours */
      { { 64, 0, 128, 64 }, 1u << CF_MAX_COLOR_TARGETS, true },
      { { 128, 0, 192, 64 }, 1u << CF_MAX_COLOR_TARGETS, true }, /* beyond the image */
      { { 0, 64, 64, 128 }, 1u << CF_MAX_COLOR_TARGETS, true },
      { { 32, 32, 48, 33 }, 1u << CF_MAX_COLOR_TARGETS, false },
      { { 33, 32, 49, 33 }, 1u << CF_MAX_COLOR_TARGETS, false }, /* all but one of eight pixels */
      { { 0, 33, 64, 64 }, 1u << CF_MAX_COLOR_TARGETS, true },
      { { 0, 0, 64, 60 }, 1u << CF_MAX_COLOR_TARGETS, false },
   };
   (void)state;
   for (uint32_t i = 0; i < COUNT(cases); i++) {
      struct watched w;
      const uint64_t second = two_draws(&w), first = second - PACKET_B;
      const struct cf_rect *r = &cases[i].rect;
      for (uint32_t k = 0; k < 8; k++)
         fragment(&w, first, 5, 32 + 2 * k, 32, 0, CF_FATE_WRITTEN, 0.5f);
      sane_depth_clear(w.s, &(struct cf_clear_event){ .draw = second,
                                                      .min_x_px = r->min_x_px,
                                                      .min_y_px = r->min_y_px,
                                                      .max_x_px = r->max_x_px,
                                                      .max_y_px = r->max_y_px,
                                                      .images = cases[i].images });
      for (uint32_t k = 0; k < 8; k++)
         fragment(&w, second, 6, 32 + 2 * k, 32, 0, k & 1 ? CF_FATE_DEPTH : CF_FATE_WRITTEN,
                  k & 1 ? 0.50000003f : 0.49999997f);
      const bool fights = cf_sanitize_reports(w.s) != NULL;
      if (fights != cases[i].fights)
         fail_msg("case %u: %d", i, fights);
      stop(&w);
   }
}

/* ------------------------------------------------------------------ images */

/* A texture at 0x1000 with levels of 256, 64 and 16 bytes a layer, without space between. */
static void
sampled_bytes(void **state)
{
   static const struct {
      uint32_t layers, depth_px, first_level, last_level;
      enum cf_mip mip;
      uint64_t address;
      bool sampled;
   } cases[] = {
      { 1, 1, 0, 0, CF_MIP_NEAREST, 0x0fff, false },  { 1, 1, 0, 0, CF_MIP_NEAREST, 0x1000, true },
      { 1, 1, 0, 0, CF_MIP_NEAREST, 0x10ff, true },   { 1, 1, 0, 0, CF_MIP_NEAREST, 0x1100, false },
      { 0, 0, 0, 0, CF_MIP_NEAREST, 0x10ff, true },   { 0, 0, 0, 0, CF_MIP_NEAREST, 0x1100, false },
      { 2, 1, 0, 0, CF_MIP_NEAREST, 0x11ff, true },   { 2, 1, 0, 0, CF_MIP_NEAREST, 0x1200, false },
      { 1, 2, 0, 0, CF_MIP_NEAREST, 0x11ff, true },   { 1, 2, 0, 0, CF_MIP_NEAREST, 0x1200, false },
      { 1, 1, 0, 1, CF_MIP_NEAREST, 0x2000, true },   { 1, 1, 0, 1, CF_MIP_NONE, 0x2000, false },
      { 1, 1, 1, 2, CF_MIP_LINEAR, 0x1000, false },   { 1, 1, 1, 2, CF_MIP_LINEAR, 0x3000, true },
      { 1, 1, 3, 3, CF_MIP_LINEAR, 0x4000, true },    { 1, 1, 3, 3, CF_MIP_LINEAR, 0x4001, false },
      { 1, 1, 15, 15, CF_MIP_LINEAR, 0x1000, false }, /* levels are 0 to 14 */
   };
   (void)state;
   for (uint32_t i = 0; i < COUNT(cases); i++) {
      const struct cf_texture texture = { .address = 0x1000,
                                          .layers = cases[i].layers,
                                          .depth_px = cases[i].depth_px,
                                          .first_level = cases[i].first_level,
                                          .last_level = cases[i].last_level,
                                          .level_offset_B = { 0, 0x1000, 0x2000, 0x3000 },
                                          .level_layer_pitch_B = { 256, 64, 16 } };
      const struct cf_sampler sampler = { .mip_filter = cases[i].mip };
      if (sane_samples(&texture, &sampler, cases[i].address) != cases[i].sampled)
         fail_msg("case %u", i);
   }
}

/* ------------------------------------------------------------------ shapes of programs */

struct shape {
   const char *text;
   uint32_t at;
   enum cf_sanitize_check check;
   const char *line; /* of GLSL of the instruction; NULL: not known */
};

static const struct shape shapes[] = {
   /* pow(x, y) is exp2(y log2(x)), each the result of the one before */
   { "flog2 v1, v0\nfmul v2, v1, v3\nfexp2 v4, v2\nend\n", 0, CF_SANITIZE_POW, NULL },
   { "flog2 v1, v0\nfmul v2, v3, v1\nmov v5, v6\nfexp2 v4, v2\nend\n", 0, CF_SANITIZE_POW, NULL },
   { "flog2 v1, v0\nend\n", 0, CF_SANITIZE_LOG, NULL },
   { "flog2 v1, v0\nfadd v2, v1, v3\nfexp2 v4, v2\nend\n", 0, CF_SANITIZE_LOG, NULL },
   { "flog2 v1, v0\nfmul v2, v1, v3\nend\n", 0, CF_SANITIZE_LOG, NULL },
   { "flog2 v1, v0\nfmul v2, v1, v3\nfsqrt v4, v2\nend\n", 0, CF_SANITIZE_LOG, NULL },
   { "flog2 v1, v0\nfmul v2, v3, v4\nfexp2 v4, v2\nend\n", 0, CF_SANITIZE_LOG, NULL },
   { "flog2 v1, v0\nmov v1, v3\nfmul v2, v1, v3\nfexp2 v4, v2\nend\n", 0, CF_SANITIZE_LOG, NULL },
   { "flog2 v1, v0\nfmul v2, v1, v3\nmov v2, v3\nfexp2 v4, v2\nend\n", 0, CF_SANITIZE_LOG, NULL },
   { "flog2 v1, v0\nif v0, e\nfmul v2, v1, v3\nfexp2 v4, v2\ne: endif\nend\n", 0, CF_SANITIZE_LOG,
     NULL },
   /* normalize(v) is v inversesqrt(v.v) */
   { "fmul v1, v0, v0\nfrsq v2, v1\nend\n", 1, CF_SANITIZE_NORMALIZE, NULL },
   { "fmul v1, v0, v0\nfmad v1, v3, v3, v1\nfrsq v2, v1\nend\n", 2, CF_SANITIZE_NORMALIZE, NULL },
   { "fmul v1, v0, v0\nmov v5, v0\nfrsq v2, v1\nend\n", 2, CF_SANITIZE_NORMALIZE, NULL },
   { "fmul v1, v0, v3\nfrsq v2, v1\nend\n", 1, CF_SANITIZE_INVERSESQRT, NULL },
   { "fadd v1, v0, v0\nfrsq v2, v1\nend\n", 1, CF_SANITIZE_INVERSESQRT, NULL },
   { "mov v3, v0\nfrsq v2, v1\nend\n", 1, CF_SANITIZE_INVERSESQRT, NULL },
   { "frsq v2, v1\nend\n", 0, CF_SANITIZE_INVERSESQRT, NULL },
   { "fmul s1, s0, s0\nout 0, v0\nfrsq s2, s1\nend\n", 2, CF_SANITIZE_NORMALIZE, NULL },
   { "fmul v1, v0, v0\nif v0, e\nfrsq v2, v1\ne: endif\nend\n", 2, CF_SANITIZE_INVERSESQRT, NULL },
   { "fmul v1, v0, v0\nfrsq v2, v1\nend\n", 1, CF_SANITIZE_INVERSESQRT, "inversesqrt(dot(a, a))" },
   { "frsq v2, v1\nend\n", 0, CF_SANITIZE_NORMALIZE, "n = normalize (a);" },
   { "frsq v2, v1\nend\n", 0, CF_SANITIZE_INVERSESQRT, "n = my_normalize(a);" },
   { "frsq v2, v1\nend\n", 0, CF_SANITIZE_INVERSESQRT, "normalized = a;" },
   /* atan(y, x) takes reciprocals by itself, but not the one of `1.0 / x` */
   { "frcp v1, v0\nend\n", 0, CF_SANITIZE_DIVISION, NULL },
   { "frcp v1, v0\nend\n", 0, CF_SANITIZE_NAN, "a = atan(y, x);" },
   { "frcp v1, v0\nend\n", 0, CF_SANITIZE_DIVISION, "a = atan(1.0 / x);" },
   { "frcp v1, v0\nend\n", 0, CF_SANITIZE_DIVISION, "1/x + atan(y, x)" },
   { "frcp v1, v0\nend\n", 0, CF_SANITIZE_NAN, "a = atan(y, x) / 2.0;" },
   { "frcp v1, v0\nend\n", 0, CF_SANITIZE_NAN, "/ atan(y, x);" }, /* goes on with a line before */
   { "frcp v1, v0\nend\n", 0, CF_SANITIZE_DIVISION, "/ 2.0 + 1. / atan(y, x);" },
};

static void
shape(void **state)
{
   (void)state;
   for (uint32_t i = 0; i < COUNT(shapes); i++) {
      const struct shape *c = &shapes[i];
      struct cf_note note = { 0 };
      struct watched w;
      watch(&w);
      const uint64_t descriptor = assembled(&w, CF_SHADER_STAGE_FRAGMENT, c->text);
      if (c->line) {
         cf_note_add_text(&note, CF_NOTE_SOURCE, c->line, strlen(c->line));
         cf_note_add_lines(&note,
                           &(struct cf_note_line){ .instr = c->at, .line = 1, .text_line = 1 }, 1);
         note_of(&w, descriptor, &note);
      }
      const struct sane_program *program = sane_program_at(w.s, w.memory, descriptor);
      assert_non_null(program);
      if (program->instr[c->at].domain != c->check)
         fail_msg("%s, \"%s\": %s", c->text, c->line ? c->line : "",
                  cf_sanitize_name((enum cf_sanitize_check)program->instr[c->at].domain));
      stop(&w);
   }
}

/* The array that a load with an index is of: with a note of arrays the one that it says, else the
 * one that has the place of index 0, which is the offset and what is added to the index. */
static void
arrays(void **state)
{
   static const struct {
      const char *text;          /* its last instruction but one is the load */
      uint32_t first_dw, end_dw; /* 0, 0: it is of none */
      bool noted, bare;          /* bare: there is no note at all */
   } cases[] = {
      { "ldu v2, 0[v1 + 4]\nend\n", 4, 8, false, false },
      { "ldu v2, 0[v1 + 7]\nend\n", 4, 8, false, false },
      { "ldu v2, 0[v1 + 8]\nend\n", 0, 0, false, false },
      { "ldu v2, 0[v1 + 3]\nend\n", 0, 0, false, false },
      { "ldu v2, 1[v1 + 4]\nend\n", 0, 0, false, false }, /* of another bank */
      { "iadd v1, v0, 5\nldu v2, 0[v1 + 0]\nend\n", 4, 8, false, false },
      { "iadd v1, 5, v0\nldu v2, 0[v1 + 0]\nend\n", 4, 8, false, false },
      { "imad v1, v0, v3, 4\nldu v2, 0[v1 + 0]\nend\n", 4, 8, false, false },
      { "imul v1, v0, 4\nldu v2, 0[v1 + 0]\nend\n", 0, 0, false, false },
      { "iadd v1, v0, 0.5\nldu v2, 0[v1 + 0]\nend\n", 0, 0, false,
        false }, /* no integer that is known */
      { "iadd v1, v0, 5\nmov v3, v0\nldu v2, 0[v1 + 0]\nend\n", 4, 8, false, false },
      { "iadd v1, v0, 5\nif v0, e\ne: endif\nldu v2, 0[v1 + 0]\nend\n", 0, 0, false, false },
      { "ldu v2, 0[v1 + 4]\nend\n", 4, 12, true, false },
      { "ldu v2, 0[v1 + 4]\nend\n", 0, 0, false, true },
   };
   (void)state;
   for (uint32_t i = 0; i < COUNT(cases); i++) {
      struct cf_note note = { 0 };
      struct watched w;
      watch(&w);
      const uint64_t descriptor = assembled(&w, CF_SHADER_STAGE_VERTEX, cases[i].text);
      const struct cf_note_variable scalar = { 4, 1, 1, CF_NOTE_FLOAT, 1, 1 },
                                    list = { 4, 1, 4, CF_NOTE_FLOAT, 1, 1 },
                                    units = { 4, 1, 4, CF_NOTE_SAMPLER, 1, 1 };
      cf_note_add_variable(&note, CF_NOTE_UNIFORM, &list, "uniform float list[4]");
      cf_note_add_variable(&note, CF_NOTE_UNIFORM, &scalar, "uniform float one");
      cf_note_add_variable(&note, CF_NOTE_UNIFORM, &units, "uniform sampler2D unit[4]");
      if (cases[i].noted)
         cf_note_add_arrays(&note, (const struct cf_note_array[]){ { 9, 0, 1 }, { 0, 4, 12 } }, 2);
      if (!cases[i].bare)
         w.observer->note(w.s, descriptor, note.data, note.size_B);
      cf_note_free(&note);
      const struct sane_program *program = sane_program_at(w.s, w.memory, descriptor);
      assert_non_null(program);
      const struct sane_instr *load = &program->instr[program->info.code_instrs - 2];
      if (load->first_dw != cases[i].first_dw || load->end_dw != cases[i].end_dw)
         fail_msg("%s: %u to %u", cases[i].text, load->first_dw, load->end_dw);
      stop(&w);
   }
}

/* The name of an output's dword: that of the varying that has it, in GLSL. */
static void
output_names(void **state)
{
   static const struct {
      enum cf_shader_stage stage;
      uint32_t index;
      bool noted;
      const char *name;
   } cases[] = {
      { CF_SHADER_STAGE_VERTEX, 3, true, "gl_Position.w" },
      { CF_SHADER_STAGE_VERTEX, CF_OUTPUT_POINT_SIZE, true, "gl_PointSize" },
      { CF_SHADER_STAGE_VERTEX, CF_OUTPUT_EDGE_FLAG, true, "output 5" },
      { CF_SHADER_STAGE_VERTEX, CF_OUTPUT_VARYINGS + 3, true, "output 11" },
      { CF_SHADER_STAGE_VERTEX, CF_OUTPUT_VARYINGS + 4, true, "varying light" },
      { CF_SHADER_STAGE_VERTEX, CF_OUTPUT_VARYINGS + 11, true, "varying light" },
      { CF_SHADER_STAGE_VERTEX, CF_OUTPUT_VARYINGS + 12, true, "varying fog" },
      { CF_SHADER_STAGE_VERTEX, CF_OUTPUT_VARYINGS + 13, true, "output 21" },
      { CF_SHADER_STAGE_VERTEX, CF_OUTPUT_VARYINGS + 4, false, "output 12" },
      { CF_SHADER_STAGE_FRAGMENT, CF_OUTPUT_DEPTH, true, "gl_FragDepth" },
      { CF_SHADER_STAGE_FRAGMENT, 6, true, "colour 1, blue" },
   };
   (void)state;
   for (uint32_t i = 0; i < COUNT(cases); i++) {
      const struct cf_note_variable light = { 4, 4, 2, CF_NOTE_FLOAT, 4, 1 },
                                    fog = { 12, 0, 1, CF_NOTE_FLOAT, 1, 1 };
      struct cf_note note = { 0 };
      struct watched w;
      char name[64];
      watch(&w);
      const uint64_t descriptor = assembled(&w, cases[i].stage, "mov v0, 1.0\nend\n");
      cf_note_add_variable(&note, CF_NOTE_OUTPUT, &light, "varying vec4 light[2]");
      cf_note_add_variable(&note, CF_NOTE_OUTPUT, &fog, "fog");
      if (cases[i].noted)
         w.observer->note(w.s, descriptor, note.data, note.size_B);
      cf_note_free(&note);
      sane_output_name(sane_program_at(w.s, w.memory, descriptor), cases[i].index, name);
      if (strncmp(name, cases[i].name, strlen(cases[i].name)) != 0)
         fail_msg("case %u: %s", i, name);
      stop(&w);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(names),
      cmocka_unit_test(malformed_packets),
      cmocka_unit_test(programs_found),
      cmocka_unit_test(no_programs),
      cmocka_unit_test(lines_of_objects),
      cmocka_unit_test(draws),
      cmocka_unit_test(clears_kept),
      cmocka_unit_test(depth_buffers),
      cmocka_unit_test(tests_that_are_compared),
      cmocka_unit_test(fighting),
      cmocka_unit_test(equal_depths),
      cmocka_unit_test(many_pairs),
      cmocka_unit_test(clears),
      cmocka_unit_test(sampled_bytes),
      cmocka_unit_test(shape),
      cmocka_unit_test(arrays),
      cmocka_unit_test(output_names),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
