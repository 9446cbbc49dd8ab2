/* SPDX-License-Identifier: MIT */
/*
 * The sanitiser, draw by draw: vertices beyond the end of a buffer, and those of one that were
 * never written; texels that textures of each kind have not; levels of detail in quads that are not
 * whole; draws that sample what they write; uniforms that were never set; what a report says of its
 * place.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clipfree/command/test_sane_scene.h"

#define OUT "outf 0, v0\noutf 1, v0\noutf 2, v0\noutf 3, v0\nend\n"
#define COUNT(table) ((uint32_t)(sizeof(table) / sizeof(*(table))))

static void
open_scene(struct sane_scene *s, uint32_t checks)
{
   sane_scene_open(s, &(struct cf_sanitize_config){ .checks = checks, .quiet = true }, 0);
}

/* The scene has this finding alone, or none (count 0). */
static void
expect(struct sane_scene *s, uint32_t i, enum cf_sanitize_check check, uint32_t count,
       const char *message)
{
   const struct cf_sanitize_report *r = sane_scene_end(s);
   if (!count ? r != NULL
              : !r || r->next || r->check != check || r->count != count ||
                   strncmp(r->message, message, strlen(message)) != 0)
      fail_msg("case %u: not \"%s\" %u times: %s, %llu times", i, message, count,
               r ? r->text : "no report", r ? (unsigned long long)r->count : 0);
   cf_sanitize_close(s->sanitize);
}

/* ------------------------------------------------------------------ vertices */

/* Four vertices are drawn from a buffer of four. With a divisor the element's number is the base
 * instance plus the instance / divisor, for each vertex of an instance. */
static void
beyond_the_buffer(void **state)
{
   static const struct {
      uint32_t start, start_instance, instances, divisor, count;
      const char *message;
   } cases[] = {
      { 0, 0, 1, 0, 0, "" },
      { 1, 0, 1, 0, 1, "vertex element 0 is read at 4, beyond the end of its buffer" },
      { 4, 0, 1, 0, 4, "vertex element 0 is read at 4, beyond the end of its buffer" },
      { 0, 9, 2, 0, 0, "" },
      { 9, 0, 4, 1, 0, "" },
      { 0, 0, 5, 1, 4, "vertex element 0 is read at 4, beyond the end of its buffer" },
      { 0, 3, 2, 1, 4, "vertex element 0 is read at 4, beyond the end of its buffer" },
      { 0, 3, 2, 2, 0, "" },
      { 0, 3, 3, 2, 4, "vertex element 0 is read at 4, beyond the end of its buffer" },
   };
   (void)state;
   for (uint32_t i = 0; i < COUNT(cases); i++) {
      struct sane_scene s;
      open_scene(&s, 1u << CF_SANITIZE_ATTRIBUTE_INDEX);
      s.vertex = "sys v8, vertex_id\nldf v0, 0[v8]\nout 0, v0\nmov v4, 1.0\nout 1, v4\n"
                 "out 2, v4\nout 3, v4\nout 8, v4\nout 9, v4\nout 10, v4\nout 11, v4\nend\n";
      s.start = cases[i].start;
      s.start_instance = cases[i].start_instance;
      s.instances = cases[i].instances;
      s.divisor = cases[i].divisor;
      sane_draw(&s, sane_fragment_program(&s, "mov v0, 1.0\n" OUT));
      expect(&s, i, CF_SANITIZE_ATTRIBUTE_INDEX, cases[i].count, cases[i].message);
   }
}

/* Vertices have 16 bytes each. What of the buffer was written, and how many vertices are not. */
static void
unwritten_vertices(void **state)
{
   static const struct {
      uint32_t element, begin_B, end_B, count;
      const char *message;
   } cases[] = {
      { 0, 0, 64, 0, "" },
      { 0, 0, 63, 1, "vertex element 0 is read at 3, where its buffer was never written" },
      { 0, 1, 64, 1, "vertex element 0 is read at 0, where its buffer was never written" },
      { 0, 16, 48, 2, "vertex element 0 is read at 0, where its buffer was never written" },
      { 0, 0, 0, 4, "vertex element 0 is read at 0, where its buffer was never written" },
      { 1, 0, 0, 0, "" }, /* of another element */
   };
   (void)state;
   for (uint32_t i = 0; i < COUNT(cases); i++) {
      const struct cf_note_written written = { .place = cases[i].element,
                                               .begin = { cases[i].begin_B },
                                               .end = { cases[i].end_B } };
      struct cf_note note = { 0 };
      struct sane_scene s;
      open_scene(&s, 1u << CF_SANITIZE_UNWRITTEN_ATTRIBUTE);
      cf_note_add_written(&note, CF_NOTE_WRITTEN_BYTES, &written);
      s.note = &note;
      sane_draw(&s, sane_fragment_program(&s, "mov v0, 1.0\n" OUT));
      cf_note_free(&note);
      expect(&s, i, CF_SANITIZE_UNWRITTEN_ATTRIBUTE, cases[i].count, cases[i].message);
   }
}

/* ------------------------------------------------------------------ texels */

/* 8x4 texels, two layers or slices, and a level of 4x2, from byte 256 on. */
static struct cf_texture
texture_of(struct sane_scene *s, enum cf_texture_kind kind)
{
   static const uint32_t image[128];
   struct cf_texture texture = test_linear_texture(test_put(&s->t, image, sizeof(image)), 8, 4);
   texture.kind = kind;
   texture.size_B = sizeof(image);
   texture.height_px = kind == CF_TEXTURE_KIND_T1D ? 1 : 4;
   texture.depth_px = kind == CF_TEXTURE_KIND_T3D ? 2 : 1;
   texture.layers = kind == CF_TEXTURE_KIND_T2D_ARRAY ? 2 : 1;
   texture.level_offset_B[1] = 256;
   texture.level_row_pitch_B[1] = 16;
   texture.level_layer_pitch_B[1] = 32;
   return texture;
}

#define FETCH(s, t, r, level)                                                                      \
   "movi v1, " #s "\nmovi v2, " #t "\nmovi v3, " #r "\nmovi v4, " #level                           \
   "\ntex v0.xyzw, 0, v1, v2, v3, v4, fetch\n" OUT

static void
texels(void **state)
{
   static const struct {
      enum cf_texture_kind kind;
      uint32_t first_level, last_level;
      const char *text, *message; /* of the message; NULL: there is none */
   } cases[] = {
      { CF_TEXTURE_KIND_T1D, 0, 0, FETCH(7, 9, 9, 0), NULL },
      { CF_TEXTURE_KIND_T1D, 0, 0, FETCH(8, 0, 0, 0),
        "texel 8 of level 0; texture unit 0 has 8 x 1 x 1 and levels 0 to 0" },
      { CF_TEXTURE_KIND_T2D, 0, 0, FETCH(7, 3, 9, 0), NULL },
      { CF_TEXTURE_KIND_T2D, 0, 0, FETCH(0, 4, 0, 0),
        "texel 0,4 of level 0; texture unit 0 has 8 x 4 x 1 and levels 0 to 0" },
      { CF_TEXTURE_KIND_T2D, 0, 1, FETCH(3, 1, 0, 1), NULL },
      { CF_TEXTURE_KIND_T2D, 0, 1, FETCH(4, 0, 0, 1),
        "texel 4,0 of level 1; texture unit 0 has 4 x 2 x 1 and levels 0 to 1" },
      { CF_TEXTURE_KIND_T2D, 0, 1, FETCH(0, 0, 0, -1),
        "texel 0,0 of level -1; texture unit 0 has 8 x 4 x 1 and levels 0 to 1" },
      /* levels count from the first one of the view */
      { CF_TEXTURE_KIND_T2D, 1, 1, FETCH(3, 1, 0, 0), NULL },
      { CF_TEXTURE_KIND_T2D, 1, 1, FETCH(4, 1, 0, 0),
        "texel 4,1 of level 0; texture unit 0 has 4 x 2 x 1 and levels 0 to 0" },
      { CF_TEXTURE_KIND_T2D, 1, 1, FETCH(0, 0, 0, 1),
        "texel 0,0 of level 1; texture unit 0 has 4 x 2 x 1 and levels 0 to 0" },
      { CF_TEXTURE_KIND_T2D_ARRAY, 0, 0, FETCH(7, 3, 1, 0), NULL },
      { CF_TEXTURE_KIND_T2D_ARRAY, 0, 0, FETCH(7, 3, 2, 0),
        "texel 7,3,2 of level 0; texture unit 0 has 8 x 4 x 2 and levels 0 to 0" },
      { CF_TEXTURE_KIND_T3D, 0, 0, FETCH(7, 3, 1, 0), NULL },
      { CF_TEXTURE_KIND_T3D, 0, 0, FETCH(7, 3, -1, 0),
        "texel 7,3,-1 of level 0; texture unit 0 has 8 x 4 x 2 and levels 0 to 0" },
   };
   (void)state;
   for (uint32_t i = 0; i < COUNT(cases); i++) {
      struct sane_scene s;
      open_scene(&s, 1u << CF_SANITIZE_TEXEL_INDEX);
      struct cf_texture texture = texture_of(&s, cases[i].kind);
      texture.first_level = cases[i].first_level;
      texture.last_level = cases[i].last_level;
      s.texture = &texture;
      sane_draw(&s, sane_fragment_program(&s, cases[i].text));
      expect(&s, i, CF_SANITIZE_TEXEL_INDEX, cases[i].message ? SANE_PIXELS : 0,
             cases[i].message ? cases[i].message : "");
   }
}

/* A sample in columns 0 to 2: of the third, the quad lacks a column. It matters where a level of
 * detail is taken from neighbours. */
static void
divergence(void **state)
{
   static const struct {
      const char *mode;
      bool bound, needs_lod, found;
   } cases[] = {
      { "implicit", true, true, true },    { "bias", true, true, true },
      { "proj", true, true, true },        { "query_lod", true, true, true },
      { "implicit_at", true, true, true }, { "lod", true, true, false },
      { "grad", true, true, false },       { "fetch", true, true, false },
      { "size", true, true, false },       { "implicit", true, false, false },
      { "implicit", false, true, false },
   };
   (void)state;
   for (uint32_t i = 0; i < COUNT(cases); i++) {
      char text[512];
      struct sane_scene s;
      open_scene(&s, 1u << CF_SANITIZE_DIVERGENCE);
      struct cf_texture texture = texture_of(&s, CF_TEXTURE_KIND_T2D);
      s.texture = cases[i].bound ? &texture : NULL;
      s.sampler.min_filter = cases[i].needs_lod ? CF_FILTER_LINEAR : CF_FILTER_NEAREST;
      snprintf(text, sizeof(text),
               "sys v4, frag_x\nflt v6, v4, 3.0\nmov v0, 0\nif v6, e\ngrad 0, 0\ngrad 1, 0\n"
               "grad 2, 0\ngrad 3, 0\ngrad 4, 0\ngrad 5, 0\ngrad 6, 0\ngrad 7, 0\n"
               "tex v0.xyzw, 0, 0, 0, 0, 1, %s\ne: endif\n" OUT,
               cases[i].mode);
      sane_draw(&s, sane_fragment_program(&s, text));
      expect(&s, i, CF_SANITIZE_DIVERGENCE, cases[i].found ? SANE_SIZE_PX : 0,
             "a texture's level of detail where not all pixels of the quad are");
   }
}

/* ------------------------------------------------------------------ what is read and written */

/* A texture in the memory of the frame buffer, whose pixels begin where one of its levels does. */
static void
sampled_target(void **state)
{
   static const struct {
      uint32_t offset_B[2], first_level, last_level;
      enum cf_mip mip;
      bool no_colors, found;
   } cases[] = {
      { { 0, 0 }, 0, 0, CF_MIP_NONE, false, true },
      { { 0, 0 }, 0, 0, CF_MIP_NONE, true, false },
      { { 2048, 0 }, 0, 0, CF_MIP_NEAREST, false, false },
      { { 2048, 0 }, 0, 1, CF_MIP_NEAREST, false, true },
      { { 2048, 0 }, 0, 1, CF_MIP_LINEAR, true, false },
      { { 2048, 0 }, 0, 1, CF_MIP_NONE, false, false },
      { { 2048, 0 }, 1, 1, CF_MIP_NONE, false, true },
      { { 0, 2048 }, 1, 1, CF_MIP_NEAREST, false, false },
   };
   (void)state;
   for (uint32_t i = 0; i < COUNT(cases); i++) {
      struct sane_scene s;
      open_scene(&s, 1u << CF_SANITIZE_FEEDBACK);
      struct cf_texture texture = test_linear_texture(s.color.bo.address, 8, 4);
      texture.size_B = 4096;
      texture.first_level = cases[i].first_level;
      texture.last_level = cases[i].last_level;
      texture.level_row_pitch_B[1] = 16;
      texture.level_layer_pitch_B[1] = 32;
      memcpy(texture.level_offset_B, cases[i].offset_B, sizeof(cases[i].offset_B));
      s.texture = &texture;
      s.sampler.mip_filter = cases[i].mip;
      s.no_colors = cases[i].no_colors;
      sane_draw(&s, sane_fragment_program(&s, "tex v0.xyzw, 0, 0, 0, 0, 0, implicit\n" OUT));
      expect(&s, i, CF_SANITIZE_FEEDBACK, cases[i].found,
             "the fragment shader samples texture unit 0, whose image the draw writes");
   }
}

/* Each uniform is a place of its own; it counts draws. */
static void
unset_uniforms(void **state)
{
   static const char *const names[] = { "uniform float light", "uniform vec4 tint" };
   (void)state;
   for (uint32_t asked = 0; asked < 2; asked++) {
      struct sane_scene s;
      uint32_t reports = 0;
      open_scene(&s, asked ? 1u << CF_SANITIZE_UNWRITTEN_UNIFORM : CF_SANITIZE_ALL);
      const uint64_t program = sane_fragment_program(&s, "mov v0, 1.0\n" OUT);
      for (uint32_t draw = 0; draw < 3; draw++) {
         struct cf_note note = { 0 };
         s.note = &note;
         for (uint32_t k = 0; k < (draw < 2 ? 1u : 2u); k++)
            cf_note_add_text(&note, CF_NOTE_UNSET, names[k], strlen(names[k]));
         sane_draw(&s, program);
         cf_note_free(&note);
      }
      for (const struct cf_sanitize_report *r = sane_scene_end(&s); r; r = r->next, reports++) {
         char message[64];
         snprintf(message, sizeof(message), "%s was never set, and is 0", names[reports]);
         assert_string_equal(r->message, message);
         assert_int_equal(r->check, CF_SANITIZE_UNWRITTEN_UNIFORM);
         assert_int_equal(r->count, reports ? 1 : 3);
         assert_int_equal(r->draw, reports ? 2 : 0);
      }
      assert_int_equal(reports, asked ? 2 : 0);
      cf_sanitize_close(s.sanitize);
   }
}

/* ------------------------------------------------------------------ what a report says */

/* 1 / 0, which 12 instructions pass on, then a move and an output. */
#define PASS4 "fneg v1, v1\nfneg v1, v1\nfneg v1, v1\nfneg v1, v1\n"
#define CHAIN "frcp v1, u0\n" PASS4 PASS4 PASS4 "mov v0, v1\n" OUT

/* The first `known` instructions have lines, from 5 on. */
static void
note_lines(struct sane_scene *s, uint64_t program, uint32_t known)
{
   static const char source[] = " x = 1.0 / y; \r\nsecond\n";
   struct cf_note note = { 0 };
   struct cf_note_line lines[16];
   for (uint32_t i = 0; i < known; i++)
      lines[i] = (struct cf_note_line){ i, 0, 0, 5 + i, 1 + i };
   cf_note_add_text(&note, CF_NOTE_NAME, "GLSL3", 5);
   cf_note_add_text(&note, CF_NOTE_SOURCE, source, strlen(source));
   cf_note_add_lines(&note, lines, known);
   sane_note(s, program, &note);
}

/* Lines that a value passes, no more than CF_SANITIZE_LINES, in a sentence. */
static void
say_lines(uint32_t known, char text[128])
{
   const uint32_t passed = known ? known - 1 : 0,
                  count = passed < CF_SANITIZE_LINES ? passed : CF_SANITIZE_LINES;
   text[0] = 0;
   for (uint32_t i = 0; i < count; i++)
      sprintf(text + strlen(text), "%s%u",
              i           ? i + 1 < count ? ", " : " and "
              : count > 1 ? ", by lines "
                          : ", by line ",
              6 + i);
}

static void
places(void **state)
{
   static const uint32_t known[] = { 0, 1, 2, 3, 5, 9, 10, 15 };
   (void)state;
   for (uint32_t i = 0; i < COUNT(known); i++) {
      char text[512], passed[128], place[128] = "instruction 0 of a fragment program without lines";
      struct sane_scene s;
      open_scene(&s, 1u << CF_SANITIZE_DIVISION);
      const uint64_t program = sane_fragment_program(&s, CHAIN);
      struct cf_note call = { 0 };
      cf_note_add_text(&call, CF_NOTE_CALL, "glDrawArrays()", 14);
      for (uint32_t k = 0; k < i; k++)
         cf_note_add_text(&call, CF_NOTE_GROUP, k ? "trees" : "world", 5);
      s.note = i ? &call : NULL;
      note_lines(&s, program, known[i]);
      sane_draw(&s, program);
      cf_note_free(&call);
      const struct cf_sanitize_report *r = sane_scene_end(&s);
      assert_non_null(r);
      say_lines(known[i], passed);
      if (known[i])
         strcpy(place, "line 5 of the fragment shader of GLSL3, `x = 1.0 / y;`");
      snprintf(text, sizeof(text),
               "division: 1 / 0; it reaches colour 0, red in %s%s (pixel %u,%u, primitive %u of "
               "draw 0%s%s",
               place, passed, r->x_px, r->y_px, r->primitive, i ? ", glDrawArrays(), in world" : "",
               i == 1 ? ")"
               : i    ? " / trees"
                      : ")");
      if (strncmp(r->text, text, strlen(text)) != 0)
         fail_msg("%s\nis not %s", r->text, text);
      cf_sanitize_close(s.sanitize);
   }
}

static void
take_report(void *user, const struct cf_sanitize_report *report)
{
   assert_int_equal(report->check, CF_SANITIZE_DIVISION);
   ++*(uint32_t *)user;
}

/* On stderr: a report when it is found, and how often it came when the sanitiser is closed. */
static void
on_stderr(void **state)
{
   char said[4096], expected[4096];
   uint32_t calls = 0;
   struct sane_scene s;
   FILE *file = tmpfile();
   const int before = dup(STDERR_FILENO);
   (void)state;
   assert_non_null(file);
   sane_scene_open(&s,
                   &(struct cf_sanitize_config){
                      .checks = 1u << CF_SANITIZE_DIVISION, .user = &calls, .report = take_report },
                   0);
   const uint64_t program = sane_fragment_program(&s, CHAIN);
   fflush(stderr);
   dup2(fileno(file), STDERR_FILENO);
   sane_draw(&s, program);
   sane_draw(&s, program);
   const struct cf_sanitize_report *r = sane_scene_end(&s);
   snprintf(expected, sizeof(expected),
            "clipfree: sanitize: %s\nclipfree: sanitize: 512 times: %s\n", r ? r->text : "",
            r ? r->text : "");
   cf_sanitize_close(s.sanitize);
   fflush(stderr);
   dup2(before, STDERR_FILENO);
   close(before);
   rewind(file);
   said[fread(said, 1, sizeof(said) - 1, file)] = 0;
   fclose(file);
   assert_string_equal(said, expected);
   assert_int_equal(calls, 1);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(beyond_the_buffer),
      cmocka_unit_test(unwritten_vertices),
      cmocka_unit_test(texels),
      cmocka_unit_test(divergence),
      cmocka_unit_test(sampled_target),
      cmocka_unit_test(unset_uniforms),
      cmocka_unit_test(places),
      cmocka_unit_test(on_stderr),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
