/* SPDX-License-Identifier: MIT */
/*
 * Coverage as text, of programs and counts made by hand: sources that several programs have sum
 * theirs, a line has the count of its instruction that ran most, branches have numbers and those
 * that nothing reached no counts; what is not in the source or in the program is left out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clipfree/coverage/cf_coverage.h"
#include "clipfree/coverage/cf_covered.h"
#include "clipfree/interface/cf_note.h"

#define TEXT_B 4096
#define INSTRS 40

/* A program of a source; counts are zero but for what a test sets. */
struct made {
   struct cf_covered_program program;
   struct cf_note note;
   bool decides[INSTRS];
   uint64_t lanes[INSTRS], ways[INSTRS][2];
};

static void
make(struct made *m, enum cf_shader_stage stage, const char *const *source, uint32_t sources,
     const struct cf_note_line *line, uint32_t lines)
{
   *m = (struct made){ 0 };
   for (uint32_t i = 0; i < sources; i++)
      cf_note_add_text(&m->note, CF_NOTE_SOURCE, source[i], strlen(source[i]));
   cf_note_add_lines(&m->note, line, lines);
   m->program = (struct cf_covered_program){ .stage = stage,
                                             .note = m->note.data,
                                             .note_B = m->note.size_B,
                                             .instrs = INSTRS,
                                             .decides = m->decides,
                                             .lanes = m->lanes,
                                             .ways = m->ways };
}

static char folder[32];

static void
make_folder(void)
{
   strcpy(folder, "/tmp/cf_covered_XXXXXX");
   assert_non_null(mkdtemp(folder));
}

/* The text of the folder's .info file, without lines that name files. Returns its other files; all
 * are removed. */
static uint32_t
read_folder(char text[TEXT_B])
{
   uint32_t others = 0;
   DIR *directory = opendir(folder);
   assert_non_null(directory);
   text[0] = 0;
   for (struct dirent *entry; (entry = readdir(directory));) {
      char path[400], line[200];
      snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
      if (entry->d_name[0] == '.')
         continue;
      FILE *file = strstr(entry->d_name, ".info") ? fopen(path, "r") : NULL;
      while (file && fgets(line, sizeof(line), file)) {
         if (line[0] != 'S' && line[0] != 'T') /* SF: and TN: */
            strncat(text, line, TEXT_B - 1 - strlen(text));
      }
      others += !file;
      if (file)
         fclose(file);
      unlink(path);
   }
   closedir(directory);
   rmdir(folder);
   return others;
}

/* Write two programs; `expected` is what the file says of its sources. */
static void
expect_two(struct made *first, struct made *second, uint32_t sources, const char *expected)
{
   static char text[TEXT_B];
   first->program.next = second ? &second->program : NULL;
   make_folder();
   assert_true(cf_covered_write(&first->program, folder));
   assert_int_equal(read_folder(text), sources);
   assert_string_equal(text, expected);
   cf_note_free(&first->note);
   if (second)
      cf_note_free(&second->note);
}

static const char *const text_a = "1\n2\n3", *const text_b = "4\n5\n6";

/* Instructions 0 and 1 are of line 2; of each program the one that ran more counts. */
static void
programs_of_a_source_add_up(void **state)
{
   (void)state;
   static const struct cf_note_line line[] = { { 0, 0, 0, 2, 2 }, { 1, 0, 0, 2, 2 } };
   static const enum cf_shader_stage stage[] = { CF_SHADER_STAGE_FRAGMENT, CF_SHADER_STAGE_VERTEX };
   for (uint32_t i = 0; i < 3; i++) {
      struct made first, second;
      make(&first, CF_SHADER_STAGE_FRAGMENT, &text_a, 1, line, 2);
      make(&second, stage[i == 1], i == 2 ? &text_b : &text_a, 1, line, 2);
      first.lanes[0] = 5, first.lanes[1] = 3;
      second.lanes[0] = 1, second.lanes[1] = 20;
      if (i == 0)
         expect_two(&first, &second, 1, "DA:2,25\nLF:1\nLH:1\nend_of_record\n");
      else /* the same text of another stage is another source; as is another text */
         expect_two(&first, &second, 2,
                    "DA:2,20\nLF:1\nLH:1\nend_of_record\nDA:2,5\nLF:1\nLH:1\nend_of_record\n");
   }
}

/* Instructions 1 and 3 of line 2 decide, 2 of line 3, too, whose ways nothing took. */
static void
branches_have_numbers_and_sums(void **state)
{
   (void)state;
   static const struct cf_note_line line[] = {
      { 1, 0, 0, 2, 2 }, { 2, 0, 0, 3, 3 }, { 0, 0, 0, 2, 2 }, { 3, 0, 0, 2, 2 }
   };
   struct made made[2];
   for (uint32_t i = 0; i < 2; i++) {
      make(&made[i], CF_SHADER_STAGE_FRAGMENT, &text_a, 1, line, 4);
      made[i].decides[1] = made[i].decides[2] = made[i].decides[3] = true;
      made[i].ways[1][0] = 7 + i;
      made[i].ways[3][1] = 2;
      made[i].lanes[1] = 7 + i;
   }
   expect_two(&made[0], &made[1], 1,
              "BRDA:2,0,0,15\nBRDA:2,0,1,0\nBRDA:3,0,0,-\nBRDA:3,0,1,-\n"
              "BRDA:2,1,0,0\nBRDA:2,1,1,4\nBRF:6\nBRH:2\n"
              "DA:2,15\nDA:3,0\nLF:2\nLH:1\nend_of_record\n");
}

/* Many branches of one line, more than there is room for at first. */
static void
many_branches(void **state)
{
   (void)state;
   static char expected[TEXT_B];
   struct cf_note_line line[INSTRS];
   struct made made;
   expected[0] = 0;
   for (uint32_t i = 0; i < INSTRS; i++) {
      char one[64];
      line[i] = (struct cf_note_line){ i, 0, 0, 1, 1 };
      snprintf(one, sizeof(one), "BRDA:1,%u,0,%u\nBRDA:1,%u,1,1\n", i, i, i);
      strcat(expected, one);
   }
   strcat(expected, "BRF:80\nBRH:79\nDA:1,0\nLF:1\nLH:0\nend_of_record\n");
   make(&made, CF_SHADER_STAGE_FRAGMENT, &text_a, 1, line, INSTRS);
   for (uint32_t i = 0; i < INSTRS; i++) {
      made.decides[i] = true;
      made.ways[i][0] = i;
      made.ways[i][1] = 1;
   }
   expect_two(&made, NULL, 1, expected);
}

/* Entries of an object, a line and an instruction that are not there; also of branches before
 * one. Objects 0 and 1 have lines of the same number, which are not counted together. */
static void
what_is_not_there_is_left_out(void **state)
{
   (void)state;
   const char *const both[] = { text_a, text_b };
   static const struct cf_note_line line[] = {
      { 0, 2, 0, 1, 1 }, { 0, 0, 0, 4, 4 },      { INSTRS, 0, 0, 3, 3 }, { 1, 1, 0, 3, 3 },
      { 2, 0, 0, 3, 3 }, { INSTRS, 0, 0, 1, 1 }, { 3, 0, 0, 3, 3 },
   };
   struct made made;
   make(&made, CF_SHADER_STAGE_FRAGMENT, both, 2, line, 7);
   made.decides[1] = made.decides[3] = true;
   made.ways[1][0] = made.lanes[1] = 4;
   made.ways[3][1] = made.lanes[3] = 9;
   expect_two(&made, NULL, 2,
              "BRDA:3,0,0,4\nBRDA:3,0,1,0\nBRF:2\nBRH:1\nDA:3,4\nLF:1\nLH:1\nend_of_record\n"
              "BRDA:3,0,0,0\nBRDA:3,0,1,9\nBRF:2\nBRH:1\nDA:3,9\nLF:1\nLH:1\nend_of_record\n");
}

/* Of a program of 33 shader objects the last one is left out. */
static void
thirty_two_objects(void **state)
{
   (void)state;
   static char text[33][8], all[TEXT_B];
   const char *source[33];
   static const struct cf_note_line line[] = { { 0, 31, 0, 1, 1 }, { 1, 32, 0, 1, 1 } };
   struct made made;
   for (uint32_t i = 0; i < 33; i++) {
      snprintf(text[i], sizeof(text[i]), "%u", i);
      source[i] = text[i];
   }
   make(&made, CF_SHADER_STAGE_FRAGMENT, source, 33, line, 2);
   made.lanes[0] = 1;
   made.lanes[1] = 2;
   make_folder();
   assert_true(cf_covered_write(&made.program, folder));
   assert_int_equal(read_folder(all), 32);
   assert_non_null(strstr(all, "DA:1,1\n"));
   assert_null(strstr(all, "DA:1,2\n"));
   cf_note_free(&made.note);
}

/* A program that was never bound has no counts, and with no other there is no file. */
static void
what_was_never_bound_writes_nothing(void **state)
{
   (void)state;
   static const struct cf_note_line line[] = { { 0, 0, 0, 1, 1 } };
   struct made made;
   make(&made, CF_SHADER_STAGE_FRAGMENT, &text_a, 1, line, 1);
   made.program.instrs = 0;
   expect_two(&made, NULL, 0, "");
}

static void
folders_that_are_not_there(void **state)
{
   (void)state;
   static const struct cf_note_line line[] = { { 0, 0, 0, 1, 1 } };
   struct made made;
   make(&made, CF_SHADER_STAGE_FRAGMENT, &text_a, 1, line, 1);
   errno = 0;
   assert_false(cf_covered_write(&made.program, "/nonexistent/folder"));
   assert_int_equal(errno, ENOENT);
   cf_note_free(&made.note);
   assert_null(cf_coverage_open("/nonexistent/folder"));
   assert_int_equal(errno, ENOENT);
   char file[] = "/tmp/cf_covered_XXXXXX";
   const int fd = mkstemp(file);
   assert_true(fd >= 0 && fchmod(fd, 0700) == 0); /* written and searched, as a folder would be */
   assert_null(cf_coverage_open(file));
   assert_int_equal(errno, ENOTDIR);
   close(fd);
   unlink(file);
   cf_coverage_close(NULL);
}

/* Notes of programs without lines, or without their text, are left out, and nothing is written;
 * the folder is made. */
static void
notes_without_lines(void **state)
{
   (void)state;
   static const struct cf_note_line line[] = { { 0, 0, 0, 1, 1 } };
   char path[48], text[TEXT_B];
   make_folder();
   snprintf(path, sizeof(path), "%s/new", folder);
   struct cf_coverage *coverage = cf_coverage_open(path);
   assert_non_null(coverage);
   const struct cf_observer *observer = cf_coverage_observer(coverage);
   for (uint32_t i = 0; i < 4; i++) {
      struct cf_note note = { 0 };
      cf_note_add_text(&note, CF_NOTE_NAME, "GLSL1", 5);
      if (i & 1)
         cf_note_add_text(&note, CF_NOTE_SOURCE, "1", 1);
      if (i & 2)
         cf_note_add_lines(&note, line, i == 3 ? 0 : 1);
      observer->note(observer->user, 64 * i, note.data, note.size_B);
      cf_note_free(&note);
   }
   cf_coverage_close(coverage);
   assert_int_equal(rmdir(path), 0); /* it was made, and is empty */
   assert_int_equal(read_folder(text), 0);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(programs_of_a_source_add_up),
      cmocka_unit_test(branches_have_numbers_and_sums),
      cmocka_unit_test(many_branches),
      cmocka_unit_test(what_is_not_there_is_left_out),
      cmocka_unit_test(thirty_two_objects),
      cmocka_unit_test(what_was_never_bound_writes_nothing),
      cmocka_unit_test(folders_that_are_not_there),
      cmocka_unit_test(notes_without_lines),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
