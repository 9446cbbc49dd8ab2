/* SPDX-License-Identifier: MIT */
/*
 * What is ended at exit: the objects that are left, the last one first. Notes of draws until they
 * are taken; ticks of units in rows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clipfree/interface/cf_note.h"
#include "clipfree/profile/cf_live.h"
#include "clipfree/profile/cf_stats.h"
#include "clipfree/profile/cf_stats_notes.h"

/* ------------------------------------------------------------------ ends at exit */

struct object {
   struct cf_live live;
   char name;
};

static int ends[2]; /* a pipe: names of objects as they end */
static struct object object[3] = { { .name = 'a' }, { .name = 'b' }, { .name = 'c' } };

static void
end(struct cf_live *live)
{
   const struct object *ended = (const struct object *)live;
   if (write(ends[1], &ended->name, 1) != 1)
      abort();
}

/* In the child: add all, remove one, or none if it is 3; exit. */
static void
run_child(uint32_t removed)
{
   bool right = true;
   for (uint32_t i = 0; i < 3; i++)
      cf_live_add(&object[i].live, end);
   if (removed < 3)
      right = cf_live_remove(&object[removed].live) && !cf_live_remove(&object[removed].live);
   exit(right ? 0 : 1);
}

static void
what_is_left_is_ended(void **state)
{
   (void)state;
   static const char *const want[] = { "cb", "ca", "ba", "cba" };
   for (uint32_t removed = 0; removed < 4; removed++) {
      char got[8] = "";
      int status;
      assert_int_equal(pipe(ends), 0);
      const pid_t child = fork();
      if (child == 0)
         run_child(removed);
      assert_int_equal(waitpid(child, &status, 0), child);
      assert_int_equal(status, 0);
      close(ends[1]);
      assert_int_equal(read(ends[0], got, sizeof(got) - 1), strlen(want[removed]));
      assert_string_equal(got, want[removed]);
      close(ends[0]);
   }
}

/* ------------------------------------------------------------------ notes */

static void
put(struct cf_stats_notes *notes, uint64_t packet, enum cf_note_field field, const char *first,
    const char *second)
{
   struct cf_note note = { 0 };
   cf_note_add_text(&note, field, first, strlen(first));
   if (second)
      cf_note_add_text(&note, field, second, strlen(second));
   cf_stats_notes_put(notes, packet, note.data, note.size_B);
   cf_note_free(&note);
}

/* Of two calls the first counts, of groups all; a note without either forgets the one before. */
static void
notes_are_taken_once(void **state)
{
   (void)state;
   struct cf_stats_notes notes = { 0 };
   struct cf_stats_note taken;
   assert_false(cf_stats_notes_take(&notes, 64, &taken));
   put(&notes, 64, CF_NOTE_CALL, "glDrawArrays", "glDrawElements");
   put(&notes, 32, CF_NOTE_GROUP, "world", "trees");
   put(&notes, 96, CF_NOTE_CALL, "glClear", NULL);
   assert_false(cf_stats_notes_take(&notes, 65, &taken));
   assert_true(cf_stats_notes_take(&notes, 64, &taken));
   assert_string_equal(taken.call, "glDrawArrays");
   assert_string_equal(taken.group, "");
   assert_false(cf_stats_notes_take(&notes, 64, &taken));
   assert_true(cf_stats_notes_take(&notes, 32, &taken));
   assert_string_equal(taken.call, "");
   assert_string_equal(taken.group, "world / trees");
   put(&notes, 96, CF_NOTE_MARKER, "here", NULL);
   assert_false(cf_stats_notes_take(&notes, 96, &taken));
   put(&notes, 96, CF_NOTE_CALL, "glClear", NULL);
   cf_stats_notes_free(&notes); /* with one that nobody took */
   assert_null(notes.tree);
}

/* ------------------------------------------------------------------ ticks */

/* A clock whose last switch was on a processor whose counter is ahead: no time has passed. */
static void
ticks_are_counted_by_unit(void **state)
{
   (void)state;
   struct cf_unit_clock clock = { .since_ticks = UINT64_MAX, .unit = CF_UNIT_RASTER };
   struct cf_stats_row row = { .number = { [CF_STAT_UNIT_NS] = 1 } };
   for (enum cf_unit unit = 0; unit < CF_UNITS; unit++)
      clock.ticks[unit] = 10 * (unit + 1);
   clock.split_ticks[CF_UNIT_RASTER] = 4;
   cf_stats_count_ticks(&row, &clock);
   for (enum cf_unit unit = CF_UNIT_NONE + 1; unit < CF_UNITS; unit++)
      assert_int_equal(row.number[CF_STAT_UNIT_NS + unit - 1],
                       10 * (unit + 1) - (unit == CF_UNIT_RASTER ? 4 : 0) +
                          (unit == CF_UNIT_NONE + 1 ? 1 : 0));
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_left_is_ended),
      cmocka_unit_test(notes_are_taken_once),
      cmocka_unit_test(ticks_are_counted_by_unit),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
