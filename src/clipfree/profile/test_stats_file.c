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

#include "clipfree/profile/cf_stats_file.h"
#include "clipfree/profile/test_table.h"

/* A draw with numbers that no other draw has in the column. */
static struct cf_stats_row
make_draw(uint64_t seed)
{
   struct cf_stats_row row = { .text = { NULL, "triangles", "clipfree_vs_0", "clipfree_fs_0" } };
   for (enum cf_stat stat = 0; stat < CF_STATS; stat++)
      row.number[stat] = 1000 * seed + stat;
   return row;
}

static void
rows_have_the_cells_of_their_kind(void **state)
{
   char name[TEST_NAME_B];
   struct test_table table;
   const struct cf_stats_row draw = make_draw(1), frame = make_draw(2);
   test_make_name(name);
   struct cf_stats_file *file = cf_stats_open(name);
   assert_non_null(file);
   cf_stats_add_draw(file, &draw);
   cf_stats_add_to_frame(file, &frame);
   cf_stats_end_frame(file);
   cf_stats_close(file);
   test_read_table(&table, name);
   assert_int_equal(table.lines, 3);
   for (uint32_t i = 0; i < TEST_COLUMNS; i++) {
      const uint32_t rows = cf_stats_columns[i].rows;
      assert_string_equal(table.cell[0][i], cf_stats_columns[i].name);
      assert_int_equal(table.cell[1][i][0] != 0, (rows & CF_STAT_OF_DRAW) != 0);
      assert_int_equal(table.cell[2][i][0] != 0, (rows & CF_STAT_OF_FRAME) != 0);
   }
   assert_string_equal(table.cell[1][CF_STAT_KIND], "draw");
   assert_string_equal(table.cell[2][CF_STAT_KIND], "frame");
   assert_string_equal(table.cell[1][CF_STAT_TEXTS + CF_STAT_PACKET], "0x3eb");
   test_free_table(&table);
   unlink(name);
}

static void
columns_have_names_of_their_own(void **state)
{
   for (uint32_t i = 0; i < TEST_COLUMNS; i++) {
      assert_non_null(cf_stats_columns[i].name);
      assert_true(cf_stats_columns[i].rows & (CF_STAT_OF_DRAW | CF_STAT_OF_FRAME));
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
         cf_stats_add_draw(file, &draw);
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
            cf_stats_add_draw(file, &draw);
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
      cf_stats_add_draw(file, &draw);
   test_read_table(&table, name);
   assert_int_equal(table.lines, 1);
   test_free_table(&table);
   cf_stats_write(file);
   cf_stats_add_draw(file, &draw);
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
   cf_stats_add_draw(file, &draw);
   cf_stats_write(file);
   struct stat stat;
   assert_int_equal(lstat(name, &stat), 0);
   dup2(fileno(messages), STDERR_FILENO);
   setrlimit(RLIMIT_FSIZE, &(struct rlimit){ (rlim_t)stat.st_size + 50, before.rlim_max });
   for (uint32_t i = 0; i < 3; i++) {
      cf_stats_add_draw(file, &draw);
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
         cf_stats_add_draw(file, &draw);
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
