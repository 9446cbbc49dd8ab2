/* SPDX-License-Identifier: MIT */
/*
 * Files of statistics: each row has a cell for each column, only those that it may have are filled,
 * frames sum what is said to be a sum, rows are whole whatever happens.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clipfree/interface/cf_note.h"
#include "clipfree/profile/cf_stats_file.h"
#include "clipfree/profile/test_table.h"

/* A draw with numbers that no other draw has in the column. */
static struct cf_stats_row
make_draw(uint64_t seed)
{
   struct cf_stats_row row = { .text = { "draw", "glDrawArrays(GL_TRIANGLES, 0, 3)", "world",
                                         "triangles", "clipfree_vs_0", "clipfree_fs_0" } };
   for (enum cf_stat stat = 0; stat < CF_STATS; stat++)
      row.number[stat] = 1000 * seed + stat;
   return row;
}

static void
rows_have_the_cells_of_their_kind(void **state)
{
   char name[TEST_NAME_B];
   struct test_table table;
   static const enum cf_stat_rows kinds[4] = { CF_STAT_OF_DRAW, CF_STAT_OF_CLEAR,
                                               CF_STAT_OF_TRANSFER, CF_STAT_OF_FRAME };
   const struct cf_stats_row draw = make_draw(1), frame = make_draw(2);
   test_make_name(name);
   struct cf_stats_file *file = cf_stats_open(name);
   assert_non_null(file);
   for (uint32_t i = 0; i < 3; i++)
      cf_stats_add(file, &draw, kinds[i]);
   cf_stats_add_to_frame(file, &frame);
   cf_stats_end_frame(file);
   cf_stats_close(file);
   test_read_table(&table, name);
   assert_int_equal(table.lines, 5);
   for (uint32_t i = 0; i < TEST_COLUMNS; i++) {
      assert_string_equal(table.cell[0][i], cf_stats_columns[i].name);
      for (uint32_t k = 0; k < 4; k++)
         assert_int_equal(table.cell[1 + k][i][0] != 0,
                          (cf_stats_columns[i].rows & kinds[k]) != 0);
   }
   assert_string_equal(table.cell[1][CF_STAT_KIND], "draw");
   assert_string_equal(table.cell[4][CF_STAT_KIND], "frame");
   assert_int_equal(test_number(&table, 4, CF_STAT_DRAWS), 1 + frame.number[CF_STAT_DRAWS]);
   assert_int_equal(test_number(&table, 4, CF_STAT_CLEARS), 1 + frame.number[CF_STAT_CLEARS]);
   assert_int_equal(test_number(&table, 4, CF_STAT_TRANSFERS),
                    1 + frame.number[CF_STAT_TRANSFERS]);
   /* each is of one kind */
   assert_int_equal(test_number(&table, 4, CF_STAT_CLEARED), draw.number[CF_STAT_CLEARED]);
   assert_int_equal(test_number(&table, 4, CF_STAT_TRANSFERRED), draw.number[CF_STAT_TRANSFERRED]);
   assert_int_equal(test_number(&table, 4, CF_STAT_ELEMENTS), draw.number[CF_STAT_ELEMENTS]);
   assert_int_equal(test_number(&table, 3, CF_STAT_UNIT_NS + CF_UNIT_COPIES - 1),
                    draw.number[CF_STAT_UNIT_NS + CF_UNIT_COPIES - 1]); /* ns, not ticks */
   assert_string_equal(table.cell[1][CF_STAT_TEXTS + CF_STAT_PACKET], "0x3eb");
   test_free_table(&table);
   unlink(name);
}

/* What a reader of RFC 4180 reads is what was written; and what needs no quotes has none. */
static void
texts_are_quoted(void **state)
{
   static const char *const texts[] = { "",      "plain text", "glDrawArrays(GL_TRIANGLES, 0, 3)",
                                        "\"",    "\"\"",       ",",
                                        "two\nlines", "\r", "the \"best\", of all",
                                        "b\xc3\xa4r \x01" };
   char name[TEST_NAME_B], longest[CF_STAT_TEXT_B], written[1000] = "";
   const uint32_t count = sizeof(texts) / sizeof(texts[0]);
   struct test_table table;
   struct cf_stats_row draw = make_draw(1);
   memset(longest, '"', sizeof(longest));
   longest[CF_STAT_TEXT_B - 1] = 0;
   test_make_name(name);
   struct cf_stats_file *file = cf_stats_open(name);
   for (uint32_t i = 0; i <= count; i++) {
      draw.text[CF_STAT_CALL] = i < count ? texts[i] : longest;
      draw.text[CF_STAT_GROUP] = i < count ? texts[count - 1 - i] : longest;
      cf_stats_add(file, &draw, CF_STAT_OF_DRAW);
   }
   cf_stats_close(file);
   test_read_table(&table, name);
   for (uint32_t i = 0; i <= count; i++) {
      assert_string_equal(table.cell[1 + i][CF_STAT_CALL], i < count ? texts[i] : longest);
      assert_string_equal(table.cell[1 + i][CF_STAT_GROUP],
                          i < count ? texts[count - 1 - i] : longest);
   }
   FILE *again = fopen(name, "r");
   for (uint32_t i = 0; i < 3; i++)
      assert_non_null(fgets(written, sizeof(written), again));
   fclose(again);
   assert_non_null(strstr(written, "draw,plain text,"));
   test_free_table(&table);
   unlink(name);
}

static void
put(struct cf_stats_notes *notes, uint64_t packet, const char *call, const char *first,
    const char *second)
{
   struct cf_note note = { 0 };
   const char *const text[] = { call, first, second };
   for (uint32_t i = 0; i < 3; i++) {
      if (text[i])
         cf_note_add_text(&note, i ? CF_NOTE_GROUP : CF_NOTE_CALL, text[i], strlen(text[i]));
   }
   cf_note_add_text(&note, CF_NOTE_LABEL, "texture 0: bark", 15);
   cf_stats_notes_put(notes, packet, note.data, note.size_B);
   cf_note_free(&note);
}

/* A note is taken once; the last one of an address counts; other fields are left out. */
static void
notes_are_taken_once(void **state)
{
   struct cf_stats_notes notes = { 0 };
   struct cf_stats_note taken;
   char call[16];
   for (uint32_t i = 0; i < 1000; i++) { /* 7: prime to 1000, so that all come, in no order */
      snprintf(call, sizeof(call), "call %u", 7 * i % 1000);
      put(&notes, 7 * i % 1000, call, NULL, NULL);
   }
   put(&notes, 5, NULL, "world", "trees");
   put(&notes, 6, NULL, NULL, NULL);
   put(&notes, 7, "bad", NULL, NULL);
   cf_stats_notes_put(&notes, 7, "\1", 1);
   for (uint32_t i = 0; i < 900; i++) {
      snprintf(call, sizeof(call), "call %u", i);
      const bool has = i != 6 && i != 7;
      assert_int_equal(cf_stats_notes_take(&notes, i, &taken), has);
      if (has && i != 5)
         assert_true(strcmp(taken.call, call) == 0 && !taken.group[0]);
      if (i == 5)
         assert_true(!taken.call[0] && strcmp(taken.group, "world / trees") == 0);
      assert_false(cf_stats_notes_take(&notes, i, &taken));
   }
   cf_stats_notes_free(&notes); /* the others */
   assert_null(notes.tree);
}

/* Long texts end with a whole character. */
static void
long_texts_are_cut(void **state)
{
   char text[2 * CF_STAT_TEXT_B];
   for (uint32_t ascii = 0; ascii < 4; ascii++) {
      struct cf_stats_notes notes = { 0 };
      struct cf_stats_note taken;
      memset(text, 'a', ascii);
      for (uint32_t i = ascii; i < sizeof(text); i++)
         text[i] = "\xe2\x82\xac"[(i - ascii) % 3]; /* three bytes each */
      text[sizeof(text) - 1] = 0;
      put(&notes, 64, text, text, "more");
      assert_true(cf_stats_notes_take(&notes, 64, &taken));
      assert_int_equal(strlen(taken.call), ascii + (CF_STAT_TEXT_B - 1 - ascii) / 3 * 3);
      assert_memory_equal(taken.call, text, strlen(taken.call));
      cf_stats_notes_free(&notes);
   }
}

static void
columns_have_names_of_their_own(void **state)
{
   for (uint32_t i = 0; i < TEST_COLUMNS; i++) {
      assert_non_null(cf_stats_columns[i].name);
      assert_true(cf_stats_columns[i].rows & (CF_STAT_OF_DRAW | CF_STAT_OF_CLEAR |
                                                CF_STAT_OF_TRANSFER | CF_STAT_OF_FRAME));
      assert_true(strspn(cf_stats_columns[i].name, "abcdefghijklmnopqrstuvwxyzB_") ==
                  strlen(cf_stats_columns[i].name));
      for (uint32_t k = 0; k < i; k++)
         assert_string_not_equal(cf_stats_columns[i].name, cf_stats_columns[k].name);
   }
}

static void
frames_sum_what_they_have(void **state)
{
   struct cf_stats_row submission = make_draw(5);
   submission.number[CF_STAT_DRAWS] = 0;
   char name[TEST_NAME_B];
   struct test_table table;
   test_make_name(name);
   struct cf_stats_file *file = cf_stats_open(name);
   for (uint64_t frame = 0; frame < 3; frame++) {
      for (uint64_t i = 0; i < frame; i++) {
         const struct cf_stats_row draw = make_draw(10 * frame + i);
         cf_stats_add(file, &draw, CF_STAT_OF_DRAW);
      }
      for (uint32_t i = 0; i < 2; i++)
         cf_stats_add_to_frame(file, &submission);
      cf_stats_end_frame(file);
   }
   cf_stats_close(file);
   test_read_table(&table, name);
   assert_int_equal(table.lines, 1 + 3 + 3); /* frames of 0, 1 and 2 draws */
   const uint32_t frame_at[3] = { 1, 3, 6 };
   for (uint32_t frame = 0; frame < 3; frame++) {
      assert_int_equal(test_number(&table, frame_at[frame], CF_STAT_FRAME), frame);
      assert_int_equal(test_number(&table, frame_at[frame], CF_STAT_DRAWS), frame);
      uint64_t sum = 0;
      for (uint32_t i = 0; i < frame; i++) {
         assert_int_equal(test_number(&table, frame_at[frame] - 1 - i, CF_STAT_FRAME), frame);
         sum += test_number(&table, frame_at[frame] - 1 - i, CF_STAT_ELEMENTS);
      }
      assert_int_equal(test_number(&table, frame_at[frame], CF_STAT_ELEMENTS), sum);
      assert_int_equal(test_number(&table, frame_at[frame], CF_STAT_QUADS),
                       2 * submission.number[CF_STAT_QUADS]); /* counted by itself */
   }
   test_free_table(&table);
   unlink(name);
}

/* A frame that nothing ended has a row, an empty one has none. */
static void
closing_ends_a_frame_that_has_rows(void **state)
{
   for (uint32_t draws = 0; draws < 2; draws++) {
      for (uint32_t submissions = 0; submissions < 2; submissions++) {
         char name[TEST_NAME_B];
         struct test_table table;
         const struct cf_stats_row draw = make_draw(1), submission = make_draw(2);
         test_make_name(name);
         struct cf_stats_file *file = cf_stats_open(name);
         if (draws)
            cf_stats_add(file, &draw, CF_STAT_OF_DRAW);
         if (submissions)
            cf_stats_add_to_frame(file, &submission);
         cf_stats_close(file);
         test_read_table(&table, name);
         assert_int_equal(table.lines, 1 + draws + (draws || submissions));
         test_free_table(&table);
         unlink(name);
      }
   }
}

/* Rows that were written are there, others are not: as if the process were killed. */
static void
rows_are_written_together(void **state)
{
   char name[TEST_NAME_B];
   struct test_table table;
   const struct cf_stats_row draw = make_draw(1);
   test_make_name(name);
   struct cf_stats_file *file = cf_stats_open(name);
   for (uint32_t i = 0; i < 500; i++)
      cf_stats_add(file, &draw, CF_STAT_OF_DRAW);
   test_read_table(&table, name);
   assert_int_equal(table.lines, 1);
   test_free_table(&table);
   cf_stats_write(file);
   cf_stats_add(file, &draw, CF_STAT_OF_DRAW);
   test_read_table(&table, name);
   assert_int_equal(table.lines, 501);
   test_free_table(&table);
   cf_stats_close(file);
   unlink(name);
}

/* Where the file may not grow, it ends with a whole row, and one message says so. */
static void
a_full_disk_is_told_once(void **state)
{
   char name[TEST_NAME_B], log[1000] = "";
   struct test_table table;
   struct rlimit before;
   const struct cf_stats_row draw = make_draw(1);
   test_make_name(name);
   FILE *messages = tmpfile();
   const int stderr_fd = dup(STDERR_FILENO);
   getrlimit(RLIMIT_FSIZE, &before);
   signal(SIGXFSZ, SIG_IGN);
   struct cf_stats_file *file = cf_stats_open(name);
   cf_stats_add(file, &draw, CF_STAT_OF_DRAW);
   cf_stats_write(file);
   struct stat stat;
   assert_int_equal(lstat(name, &stat), 0);
   dup2(fileno(messages), STDERR_FILENO);
   setrlimit(RLIMIT_FSIZE, &(struct rlimit){ (rlim_t)stat.st_size + 50, before.rlim_max });
   for (uint32_t i = 0; i < 3; i++) {
      cf_stats_add(file, &draw, CF_STAT_OF_DRAW);
      cf_stats_end_frame(file);
   }
   cf_stats_close(file);
   setrlimit(RLIMIT_FSIZE, &before);
   dup2(stderr_fd, STDERR_FILENO);
   close(stderr_fd);
   test_read_table(&table, name);
   assert_int_equal(table.lines, 2);
   rewind(messages);
   assert_true(fread(log, 1, sizeof(log) - 1, messages) > 0);
   assert_non_null(strstr(log, name));
   assert_ptr_equal(strchr(log, '\n'), log + strlen(log) - 1);
   fclose(messages);
   test_free_table(&table);
   unlink(name);
}

/* A process that exits without closing leaves the rows of its last frame; one that is killed those
 * that were written. */
static void
exits_end_files(void **state)
{
   const struct cf_stats_row draw = make_draw(1);
   for (uint32_t killed = 0; killed < 2; killed++) {
      char name[TEST_NAME_B];
      struct test_table table;
      test_make_name(name);
      const pid_t child = fork();
      if (child == 0) {
         struct cf_stats_file *file = cf_stats_open(name);
         cf_stats_add(file, &draw, CF_STAT_OF_DRAW);
         cf_stats_add_to_frame(file, &draw);
         cf_stats_write(file);
         if (killed)
            raise(SIGKILL);
         exit(0);
      }
      assert_true(child > 0);
      assert_int_equal(waitpid(child, NULL, 0), child);
      test_read_table(&table, name);
      assert_int_equal(table.lines, killed ? 2 : 3);
      test_free_table(&table);
      unlink(name);
   }
}

static void
a_file_that_cannot_be_made_is_an_error(void **state)
{
   assert_null(cf_stats_open("/nonexistent/stats.csv"));
   cf_stats_close(NULL);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_have_the_cells_of_their_kind),
      cmocka_unit_test(texts_are_quoted),
      cmocka_unit_test(notes_are_taken_once),
      cmocka_unit_test(long_texts_are_cut),
      cmocka_unit_test(columns_have_names_of_their_own),
      cmocka_unit_test(frames_sum_what_they_have),
      cmocka_unit_test(closing_ends_a_frame_that_has_rows),
      cmocka_unit_test(rows_are_written_together),
      cmocka_unit_test(a_full_disk_is_told_once),
      cmocka_unit_test(exits_end_files),
      cmocka_unit_test(a_file_that_cannot_be_made_is_an_error),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
