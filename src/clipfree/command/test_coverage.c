/* SPDX-License-Identifier: MIT */
/*
 * Coverage of GLSL, of programs and line tables made by hand: lines and branches have the counts of
 * fragments that one counts by hand, for any number of threads; programs without lines, and others
 * whose memory is reused, have none or their own; each run has a file of its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clipfree/command/test_gpu.h"
#include "clipfree/interface/cf_note.h"
#include "clipfree/isa/cf_isa.h"

#define SIZE_PX 64
#define TEXT_B 65536

/* Columns 0 to 7 take the first way; of the others those below row 32 are discarded. */
static const char *const fragment_text = "sys v4, frag_x\n"      /*  0, line 2 */
                                         "sys v5, frag_y\n"      /*  1, line 2 */
                                         "flt v6, v4, 8.0\n"     /*  2, line 3 */
                                         "if v6, other\n"        /*  3, line 3: decides */
                                         "mov v0, 1.0\n"         /*  4, line 4 */
                                         "other: else end_if\n"  /*  5 */
                                         "fmul v5, v5, u0\n"     /*  6, line 6 */
                                         "flt v6, v5, 1.0\n"     /*  7, line 6 */
                                         "kill v6, end_if\n"     /*  8, line 6: decides */
                                         "mov v0, 0.5\n"         /*  9, lines 7 and 8 */
                                         "end_if: endif\n"       /* 10 */
                                         "out 0, v0\nout 1, v0\nout 2, v0\nout 3, v0\n"
                                         "end\n";
static const char source[] = "#version 100\n2\n3\n4\n5\n6\n7\n8\n9\n";
static const struct cf_note_line lines[] = {
   { 0, 0, 0, 2, 2 }, { 1, 0, 0, 2, 2 }, { 2, 0, 0, 3, 3 }, { 3, 0, 0, 3, 3 },
   { 4, 0, 0, 4, 4 }, { 6, 0, 0, 6, 6 }, { 7, 0, 0, 6, 6 }, { 8, 0, 0, 6, 6 },
   { 9, 0, 0, 7, 7 }, { 9, 0, 0, 8, 8 },
};

struct scene {
   struct test_gpu t;
   struct test_surface color;
   uint64_t program; /* of fragments: its descriptor */
   char folder[32];
};

static uint64_t
make_program(struct scene *s, const char *text)
{
   return test_program(
      &s->t, text,
      (struct cf_program){ .stage = CF_SHADER_STAGE_FRAGMENT,
                           .vector_regs = 7,
                           .outputs = 4,
                           .color_outputs = 1,
                           .uses_kill = true,
                           .sysvals = 1u << CF_SYSVAL_FRAG_X | 1u << CF_SYSVAL_FRAG_Y });
}

static void
scene_open(struct scene *s, const char *folder, int threads)
{
   strcpy(s->folder, folder ? folder : "/tmp/cf_coverage_XXXXXX");
   if (!folder)
      assert_non_null(mkdtemp(s->folder));
   test_gpu_open_on(
      &s->t, test_model_of((struct cf_model_config){ .threads = threads, .coverage = s->folder }));
   assert_int_equal(s->t.gpu->ops->get_param(s->t.gpu, CF_PARAM_NOTES), CF_GPU_NOTES);
   test_surface_create(&s->t, &s->color, CF_FORMAT_R8G8B8A8_UNORM, SIZE_PX, SIZE_PX, true);
   s->program = make_program(s, fragment_text);
}

static void
add_note_of(struct scene *s, uint64_t program, const char *text, const struct cf_note_line *table,
            uint32_t count)
{
   struct cf_note note = { 0 };
   cf_note_add_text(&note, CF_NOTE_NAME, "GLSL1", 5);
   cf_note_add_text(&note, CF_NOTE_SOURCE, text, strlen(text));
   cf_note_add_lines(&note, table, count);
   s->t.gpu->ops->note(s->t.gpu, program, note.data, note.size_B);
   cf_note_free(&note);
}

static void
add_note(struct scene *s, uint64_t program, const char *text)
{
   add_note_of(s, program, text, lines, sizeof(lines) / sizeof(lines[0]));
}

/* A square over all pixels. */
static void
draw(struct scene *s)
{
   static const float position[4][4] = {
      { -1, -1, 0, 1 }, { 1, -1, 0, 1 }, { -1, 1, 0, 1 }, { 1, 1, 0, 1 }
   };
   static const float constant[4] = { 1.0f / 32 };
   uint32_t dw[CF_VERTEX_ELEMENT_DWORDS];
   test_emit_frame(&s->t, &s->color, NULL);
   test_emit_positions(&s->t);
   EMIT(&s->t, shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = s->program);
   EMIT(&s->t, varyings, .count = 0);
   EMIT(&s->t, constants, .stage = CF_SHADER_STAGE_FRAGMENT, .bank = 0,
        .address = test_put(&s->t, constant, sizeof(constant)), .size_B = sizeof(constant));
   cf_vertex_element_pack(dw, &(struct cf_vertex_element){
                                 .address = test_put(&s->t, position, sizeof(position)),
                                 .size_B = sizeof(position),
                                 .stride_B = sizeof(position[0]),
                                 .format = CF_FORMAT_R32G32B32A32_FLOAT });
   EMIT(&s->t, vertex_elements, .count = 1, .address = test_put(&s->t, dw, sizeof(dw)));
   EMIT(&s->t, draw, .prim = CF_PRIM_KIND_TRIANGLE_STRIP, .count = 4, .instances = 1);
}

static void
scene_close(struct scene *s)
{
   test_no_error(&s->t);
   test_surface_free(&s->t, &s->color);
   test_gpu_close(&s->t);
}

/* The texts of a folder's files of this kind, one after the other; returns how many. */
static uint32_t
read_files(const char *folder, const char *suffix, char text[TEXT_B], bool remove)
{
   uint32_t files = 0;
   size_t size_B = 0;
   DIR *directory = opendir(folder);
   assert_non_null(directory);
   for (struct dirent *entry; (entry = readdir(directory));) {
      char path[400];
      const char *dot = strrchr(entry->d_name, '.');
      snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
      if (dot && dot != entry->d_name && !strcmp(dot, suffix)) {
         struct stat stat;
         assert_int_equal(lstat(path, &stat), 0);
         assert_int_equal(stat.st_mode & 0777, 0644); /* others may read it: the umask is 022 */
         FILE *file = fopen(path, "r");
         assert_non_null(file);
         size_B += fread(text + size_B, 1, TEXT_B - 1 - size_B, file);
         fclose(file);
         files++;
      }
      if (remove && entry->d_name[0] != '.')
         unlink(path);
   }
   closedir(directory);
   text[size_B] = 0;
   if (remove)
      rmdir(folder);
   return files;
}

static void
lines_and_branches_have_their_counts(void **state)
{
   static char text[TEXT_B], expected[TEXT_B];
   for (int threads = 0; threads <= 2; threads++) {
      struct scene s;
      scene_open(&s, NULL, threads);
      add_note(&s, s.program, source);
      draw(&s);
      test_submit(&s.t);
      scene_close(&s);
      assert_int_equal(read_files(s.folder, ".frag", text, false), 1);
      assert_string_equal(text, source);
      assert_int_equal(read_files(s.folder, ".info", text, true), 1);
      /* 8 of 64 columns; half of the others */
      snprintf(expected, sizeof(expected),
               "BRDA:3,0,0,%d\nBRDA:3,0,1,%d\nBRDA:6,0,0,%d\nBRDA:6,0,1,%d\nBRF:4\nBRH:4\n"
               "DA:2,4096\nDA:3,4096\nDA:4,%d\nDA:6,%d\nDA:7,%d\nDA:8,%d\nLF:6\nLH:6\n"
               "end_of_record\n",
               512, 3584, 1792, 1792, 512, 3584, 1792, 1792);
      assert_memory_equal(text, "TN:\nSF:/", 8);
      assert_string_equal(strchr(text + 4, '\n') + 1, expected);
   }
}

/* Two branches of one line have numbers; entries of lines and instructions that are not there are
 * left out. */
static void
branches_of_a_line_are_told_apart(void **state)
{
   static char text[TEXT_B];
   static const struct cf_note_line table[] = { { 3, 0, 0, 3, 3 },  { 4, 0, 0, 99, 99 },
                                                { 6, 1, 0, 4, 4 },  { 8, 0, 0, 3, 3 },
                                                { 99, 0, 0, 4, 4 } };
   struct scene s;
   scene_open(&s, NULL, 0);
   add_note_of(&s, s.program, source, table, 5);
   draw(&s);
   test_submit(&s.t);
   scene_close(&s);
   assert_int_equal(read_files(s.folder, ".info", text, true), 1);
   assert_non_null(strstr(text, "BRDA:3,0,0,512\nBRDA:3,0,1,3584\nBRDA:3,1,0,1792\n"
                                "BRDA:3,1,1,1792\nBRF:4\nBRH:4\nDA:3,4096\nLF:1\nLH:1\n"));
}

/* Fragments that become helpers do not count any more: of each quad the left ones. */
static void
helpers_do_not_count(void **state)
{
   static char text[TEXT_B];
   static const struct cf_note_line table[] = { { 4, 0, 0, 2, 2 }, { 5, 0, 0, 3, 3 } };
   struct scene s;
   scene_open(&s, NULL, 0);
   s.program = make_program(&s, "sys v4, frag_x\nsys v5, frag_y\nf2i v4, v4\n" /* 0 to 2 */
                                "and v4, v4, 1\ndemote v4, last\nmov v0, 1.0\n" /* 3 to 5 */
                                "out 0, v0\nout 1, v0\nout 2, v0\nout 3, v0\nlast: end\n");
   add_note_of(&s, s.program, source, table, 2);
   draw(&s);
   test_submit(&s.t);
   scene_close(&s);
   assert_int_equal(read_files(s.folder, ".info", text, true), 1);
   assert_non_null(strstr(text, "BRDA:2,0,0,2048\nBRDA:2,0,1,2048\nBRF:2\nBRH:2\n"
                                "DA:2,4096\nDA:3,2048\n"));
}

/* Drawn twice, in two submissions; another source of the same code; a program without a note, and
 * one that is noted but never drawn with. */
static void
programs_have_counts_of_their_own(void **state)
{
   static char text[TEXT_B];
   struct scene s;
   scene_open(&s, NULL, 2);
   draw(&s); /* no note yet: not counted */
   test_submit(&s.t);
   add_note(&s, s.program, source);
   for (uint32_t i = 0; i < 2; i++) {
      draw(&s);
      test_submit(&s.t);
      add_note(&s, s.program, source); /* it is the same */
   }
   add_note(&s, s.program, "another\n\n\n\n\n\n\n\n"); /* its memory is reused */
   add_note(&s, test_varyings_program(&s.t), "never drawn with\n\n\n\n\n\n\n\n");
   draw(&s);
   test_submit(&s.t);
   scene_close(&s);
   assert_int_equal(read_files(s.folder, ".frag", text, false), 2);
   assert_int_equal(read_files(s.folder, ".info", text, true), 1);
   const char *first = strstr(text, "DA:2,"), *second = first ? strstr(first + 1, "DA:2,") : NULL;
   assert_non_null(second);
   assert_null(strstr(second + 1, "DA:2,"));
   assert_true(strtoul(first + 5, NULL, 10) + strtoul(second + 5, NULL, 10) == 3 * 4096);
   assert_true(strtoul(first + 5, NULL, 10) == 4096 || strtoul(second + 5, NULL, 10) == 4096);
}

/* Code that is not the one that was noted at its address is not counted. */
static void
other_code_is_not_counted(void **state)
{
   static char text[TEXT_B];
   struct scene s;
   scene_open(&s, NULL, 0);
   add_note(&s, s.program, source);
   draw(&s);
   test_submit(&s.t);
   const uint64_t other = make_program(&s, "sys v4, frag_x\nsys v5, frag_y\n"
                                           "out 0, v4\nout 1, v4\nout 2, v4\nout 3, v5\nend\n");
   memcpy((uint8_t *)s.t.heap.map + (s.program - s.t.heap.address),
          (uint8_t *)s.t.heap.map + (other - s.t.heap.address), 4 * CF_PROGRAM_DWORDS);
   draw(&s);
   test_submit(&s.t);
   scene_close(&s);
   assert_int_equal(read_files(s.folder, ".info", text, true), 1);
   assert_non_null(strstr(text, "DA:2,4096\n"));
}

/* Lines that did not run are there, as are branches that nothing reached. */
static void
what_did_not_run_is_named(void **state)
{
   static char text[TEXT_B];
   struct scene s;
   scene_open(&s, NULL, 0);
   add_note(&s, s.program, source);
   draw(&s);
   s.t.count -= CF_DRAW_DWORDS; /* in a corner instead */
   EMIT(&s.t, scissor, .max_x_px = 4, .max_y_px = 4);
   EMIT(&s.t, draw, .prim = CF_PRIM_KIND_TRIANGLE_STRIP, .count = 4, .instances = 1);
   test_submit(&s.t);
   scene_close(&s);
   assert_int_equal(read_files(s.folder, ".info", text, true), 1);
   assert_non_null(strstr(text, "BRDA:3,0,0,16\nBRDA:3,0,1,0\nBRDA:6,0,0,-\nBRDA:6,0,1,-\nBRF:4\n"
                                "BRH:1\nDA:2,16\nDA:3,16\nDA:4,16\nDA:6,0\nDA:7,0\nDA:8,0\n"
                                "LF:6\nLH:3\n"));
}

static void
runs_have_files_of_their_own(void **state)
{
   static char text[TEXT_B];
   struct scene s;
   scene_open(&s, NULL, 0);
   char folder[sizeof(s.folder)];
   strcpy(folder, s.folder);
   for (uint32_t run = 0; run < 3; run++) {
      if (run)
         scene_open(&s, folder, 0);
      if (run < 2) /* the last one has nothing to say */
         add_note(&s, s.program, source);
      draw(&s);
      test_submit(&s.t);
      scene_close(&s);
   }
   assert_int_equal(read_files(folder, ".frag", text, false), 1);
   assert_int_equal(read_files(folder, ".info", text, true), 2);
}

static void
without_a_folder_all_goes_on(void **state)
{
   struct test_gpu t;
   test_gpu_open_on(&t, test_model_of((struct cf_model_config){ .coverage = "/nonexistent/c" }));
   assert_int_equal(t.gpu->ops->get_param(t.gpu, CF_PARAM_NOTES), CF_GPU_NO_NOTES);
   test_submit(&t);
   test_no_error(&t);
   test_gpu_close(&t);
   const char *error;
   assert_null(cf_model_create(
      &(struct cf_model_config){ .coverage = "/tmp", .engine = CF_ENGINE_JIT }, &error));
   assert_non_null(error);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_and_branches_have_their_counts),
      cmocka_unit_test(branches_of_a_line_are_told_apart),
      cmocka_unit_test(helpers_do_not_count),
      cmocka_unit_test(programs_have_counts_of_their_own),
      cmocka_unit_test(other_code_is_not_counted),
      cmocka_unit_test(what_did_not_run_is_named),
      cmocka_unit_test(runs_have_files_of_their_own),
      cmocka_unit_test(without_a_folder_all_goes_on),
   };
   umask(022);
   return cmocka_run_group_tests(tests, NULL, NULL);
}
