/* SPDX-License-Identifier: MIT */
/*
 * Files of statistics and timelines on a host that fails - its memory, its disk -: the file has the
 * first of its pieces, each whole; one message says so if there are not all; a file without any is
 * removed, a device is not; all is freed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clipfree/base/test_failing_host.h"
#include "clipfree/interface/cf_note.h"
#include "clipfree/profile/cf_stats_file.h"
#include "clipfree/profile/cf_text_file.h"
#include "clipfree/profile/cf_trace.h"
#include "clipfree/profile/test_table.h"

#define PIECES 500
#define PIECE_B 1000
#define MOST_RUNS 100

/* ------------------------------------------------------------------ a disk */

static struct {
   unsigned interrupted; /* so many writes are, before they begin */
   size_t most_B;        /* of one write; 0: no limit */
   size_t room_B;        /* of the disk */
   bool keeps_its_size;  /* files are not cut */
} disk;

static void
new_disk(void)
{
   memset(&disk, 0, sizeof(disk));
   disk.room_B = SIZE_MAX;
}

ssize_t __real_write(int file, const void *data, size_t size_B);
int __real_ftruncate64(int file, off_t size_B);
ssize_t __wrap_write(int file, const void *data, size_t size_B);
int __wrap_ftruncate64(int file, off_t size_B);

ssize_t
__wrap_write(int file, const void *data, size_t size_B)
{
   if (disk.interrupted > 0) {
      disk.interrupted--;
      errno = EINTR;
      return -1;
   }
   size_B = disk.most_B && size_B > disk.most_B ? disk.most_B : size_B;
   size_B = size_B > disk.room_B ? disk.room_B : size_B;
   if (size_B == 0) {
      errno = ENOSPC;
      return -1;
   }
   disk.room_B -= size_B;
   return __real_write(file, data, size_B);
}

int
__wrap_ftruncate64(int file, off_t size_B)
{
   errno = EIO;
   return disk.keeps_its_size ? -1 : __real_ftruncate64(file, size_B);
}

/* ------------------------------------------------------------------ pieces */

static char said[2000];

/* Between these two, what is said to stderr is heard. */
static FILE *heard;
static int stderr_fd;

static void
listen(void)
{
   heard = tmpfile();
   stderr_fd = dup(STDERR_FILENO);
   dup2(fileno(heard), STDERR_FILENO);
}

static void
stop_listening(void)
{
   dup2(stderr_fd, STDERR_FILENO);
   close(stderr_fd);
   rewind(heard);
   said[fread(said, 1, sizeof(said) - 1, heard)] = 0;
   fclose(heard);
}

/* A piece of PIECE_B bytes: its number, then letters. */
static void
add_piece(struct cf_text_file *file, uint32_t number)
{
   char piece[PIECE_B + 1];
   memset(piece, 'a' + number % 26, PIECE_B - 1);
   piece[PIECE_B - 1] = '\n';
   piece[PIECE_B] = 0;
   memcpy(piece, "    ", 4);
   snprintf(piece, 5, "%04u", number);
   piece[4] = ' ';
   cf_text_file_add(file, "%s", piece);
}

/* How many pieces the file has, all of them whole and in order, and a part of `rest_B` after
 * them. */
static uint32_t
read_pieces(const char *path, size_t *rest_B)
{
   char piece[PIECE_B];
   uint32_t pieces = 0;
   FILE *file = fopen(path, "r");
   *rest_B = 0;
   if (!file)
      return 0;
   while ((*rest_B = fread(piece, 1, PIECE_B, file)) == PIECE_B) {
      assert_int_equal(strtoul(piece, NULL, 10), pieces);
      for (uint32_t i = 5; i < PIECE_B - 1; i++)
         assert_int_equal(piece[i], 'a' + pieces % 26);
      assert_int_equal(piece[PIECE_B - 1], '\n');
      pieces++;
   }
   fclose(file);
   return pieces;
}

/* Write pieces to a new file while it is listened. */
static void
write_pieces(const char *path)
{
   struct cf_text_file file;
   listen();
   if (cf_text_file_open(&file, "statistics", path)) {
      for (uint32_t i = 0; i < PIECES; i++) {
         if (cf_text_file_begin(&file))
            add_piece(&file, i);
      }
      cf_text_file_end(&file);
      cf_text_file_free(&file);
   }
   stop_listening();
}

/* ------------------------------------------------------------------ tests */

/* Writes that are interrupted or short go on. */
static void
interrupted_writes_go_on(void **state)
{
   (void)state;
   char path[TEST_NAME_B];
   size_t rest_B;
   test_make_name(path);
   new_disk();
   disk.interrupted = 3;
   disk.most_B = 777;
   write_pieces(path);
   assert_int_equal(read_pieces(path, &rest_B), PIECES);
   assert_int_equal(rest_B, 0);
   assert_string_equal(said, "");
   unlink(path);
}

/* What was written together is there, or not. Without any the file is removed. */
static void
full_disks(void **state)
{
   (void)state;
   static const size_t rooms_B[] = { 0, 100, 300 * PIECE_B, 300 * PIECE_B + 1 };
   for (uint32_t i = 0; i < 2 * sizeof(rooms_B) / sizeof(rooms_B[0]); i++) {
      char path[TEST_NAME_B];
      size_t rest_B;
      test_make_name(path);
      new_disk();
      disk.room_B = rooms_B[i / 2];
      disk.keeps_its_size = i % 2;
      write_pieces(path);
      const uint32_t pieces = read_pieces(path, &rest_B);
      assert_true(pieces <= 300 && (pieces > 200) == (i / 2 > 1));
      assert_int_equal(access(path, F_OK) == 0, pieces > 0);
      assert_true(disk.keeps_its_size || rest_B == 0);
      assert_non_null(strstr(said, "No space left on device; it ends here\n"));
      assert_int_equal(strstr(said, "its end is not whole\n") != NULL, disk.keeps_its_size);
      unlink(path);
   }
}

static void
devices_stay(void **state)
{
   (void)state;
   new_disk();
   write_pieces("/dev/full");
   assert_string_equal(said, "clipfree: statistics /dev/full: No space left on device; it ends "
                             "here\n");
   assert_int_equal(access("/dev/full", W_OK), 0);
}

/* Without memory for more pieces those that are there are written; where there was never any, it
 * ends. */
static void
no_memory(void **state)
{
   (void)state;
   char path[TEST_NAME_B];
   size_t rest_B;
   const long before = test_host.live;
   new_disk();
   for (int all = 0; all < 2; all++) {
      unsigned runs = 0, failed;
      do {
         test_make_name(path);
         test_host.paused = false;
         test_host_arm(++runs, all);
         write_pieces(path);
         failed = test_host_disarm();
         test_host.paused = true;
         const uint32_t pieces = read_pieces(path, &rest_B);
         assert_int_equal(rest_B, 0);
         if (!failed || runs > 2)
            assert_true(pieces == PIECES && !said[0]);
         else if (runs == 2)
            assert_true(pieces == 0 && strstr(said, "out of memory; it ends here\n"));
         assert_int_equal(test_host.live, before);
         unlink(path);
      } while (failed && runs < MOST_RUNS);
      assert_in_range(runs, 3, MOST_RUNS - 1);
   }
}

/* A piece that is too long is left out, and those around it are whole. */
static void
long_pieces_are_left_out(void **state)
{
   (void)state;
   static char text[128 * CF_TEXT_FILE_PIECE_B];
   char path[TEST_NAME_B];
   size_t rest_B;
   struct cf_text_file file;
   test_make_name(path);
   new_disk();
   memset(text, 'x', sizeof(text) - 1);
   assert_true(cf_text_file_open(&file, "statistics", path) && cf_text_file_begin(&file));
   add_piece(&file, 0);
   assert_true(cf_text_file_begin(&file));
   cf_text_file_add(&file, "%s", text);
   assert_true(cf_text_file_begin(&file));
   add_piece(&file, 1);
   cf_text_file_end(&file);
   cf_text_file_free(&file);
   assert_int_equal(read_pieces(path, &rest_B), 2);
   assert_int_equal(rest_B, 0);
   unlink(path);
}

/* ------------------------------------------------------------------ what is in files */

static void
use_stats(struct cf_stats_file *file)
{
   const struct cf_stats_row row = { .text = { "draw" } };
   struct cf_stats_note taken;
   struct cf_note note = { 0 };
   test_host.paused = true;
   cf_note_add_text(&note, CF_NOTE_CALL, "glDrawArrays", 12);
   test_host.paused = false;
   cf_stats_note(file, 64, note.data, note.size_B);
   test_host.paused = true;
   cf_note_free(&note);
   test_host.paused = false;
   if (cf_stats_take_note(file, 64, &taken))
      assert_string_equal(taken.call, "glDrawArrays");
   cf_stats_add(file, &row, CF_STAT_OF_DRAW);
   cf_stats_end_frame(file);
}

static void
use_trace(struct cf_trace *trace)
{
   cf_trace_slice(trace, cf_trace_now(trace), .name = "slice");
   cf_trace_span(trace, cf_trace_now(trace), 7, .name = "span");
}

/* Each request fails. What cannot be made is NULL, and errno says why; else it can be used. */
static void
what_writes_them(void **state)
{
   (void)state;
   const long before = test_host.live;
   new_disk();
   for (int kind = 0; kind < 4; kind++) {
      unsigned runs = 0, failed;
      do {
         char path[TEST_NAME_B];
         test_make_name(path);
         listen();
         test_host.paused = false;
         test_host_arm(++runs, kind & 1);
         errno = 0;
         struct cf_stats_file *file = kind & 2 ? cf_stats_open(path) : NULL;
         struct cf_trace *trace = kind & 2 ? NULL : cf_trace_open(path);
         if (file)
            use_stats(file);
         if (trace)
            use_trace(trace);
         if (!file && !trace)
            assert_int_equal(errno, ENOMEM);
         cf_stats_close(file);
         cf_trace_close(trace);
         failed = test_host_disarm();
         test_host.paused = true;
         stop_listening();
         assert_true(failed || !said[0]);
         assert_int_equal(test_host.live, before);
         unlink(path);
      } while (failed && runs < MOST_RUNS);
      assert_in_range(runs, 4, MOST_RUNS - 1);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(interrupted_writes_go_on),
      cmocka_unit_test(full_disks),
      cmocka_unit_test(devices_stay),
      cmocka_unit_test(no_memory),
      cmocka_unit_test(long_pieces_are_left_out),
      cmocka_unit_test(what_writes_them),
   };
   test_host.paused = true;
   return cmocka_run_group_tests(tests, NULL, NULL);
}
