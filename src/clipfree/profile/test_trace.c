/* SPDX-License-Identifier: MIT */
/*
 * Timelines as files: JSON whatever texts there are, whole events if the process is killed, closed
 * if it exits, written piece by piece, from many threads. tools/replay/test_replay.py reads those
 * of a GPU.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clipfree/profile/cf_trace.h"
#include "clipfree/profile/test_table.h"

#define THREADS 4
#define EACH 500
#define LIMIT_B (1u << 20)

static char text[LIMIT_B];

static void
read_text(const char *name)
{
   FILE *file = fopen(name, "r");
   assert_non_null(file);
   const size_t size_B = fread(text, 1, LIMIT_B - 1, file);
   assert_true(size_B < LIMIT_B - 1);
   text[size_B] = 0;
   fclose(file);
}

/* How often `part` is in the text. */
static uint32_t
count(const char *part)
{
   uint32_t found = 0;
   for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
      found++;
   return found;
}

static bool
ends_with(const char *end)
{
   return strlen(text) >= strlen(end) && !strcmp(text + strlen(text) - strlen(end), end);
}

static void
texts_are_strings(void **state)
{
   char name[TEST_NAME_B], long_text[10000];
   memset(long_text, '"', sizeof(long_text) - 1);
   long_text[sizeof(long_text) - 1] = 0;
   test_make_name(name);
   struct cf_trace *trace = cf_trace_open(name);
   cf_trace_slice(trace, cf_trace_now(trace), .name = "a \"b\" \\c\n", .text = "\xc3\xa4",
                  .number = { { "x", 1 }, { "y", UINT64_MAX } });
   cf_trace_slice(trace, cf_trace_now(trace), .name = "long", .text = long_text);
   cf_trace_span(trace, cf_trace_now(trace), 7, .name = "span");
   cf_trace_close(trace);
   read_text(name);
   assert_memory_equal(text, "[\n{", 3);
   assert_true(ends_with("}\n]\n"));
   assert_int_equal(count("\"name\":\"a \\\"b\\\" \\\\c\\u000a\""), 1);
   assert_int_equal(
      count("\"args\":{\"x\":1,\"y\":18446744073709551615,\"of\":\"\\u00c3\\u00a4\"}}"), 1);
   assert_int_equal(count("\"cat\":\"span\",\"id\":7"), 2);
   assert_int_equal(count("\\\"\"}}"), 1); /* the long text is cut, and ends */
   assert_int_equal(count("thread_name"), 1);
   unlink(name);
}

static void *
add_slices(void *user)
{
   struct cf_trace *trace = user;
   for (uint32_t i = 0; i < EACH; i++) {
      const uint64_t start_ns = cf_trace_now(trace);
      cf_trace_slice(trace, start_ns, .name = "slice", .number = { { "i", i } });
   }
   return NULL;
}

static void
threads_have_names_and_all_their_slices(void **state)
{
   char name[TEST_NAME_B];
   pthread_t thread[THREADS];
   test_make_name(name);
   struct cf_trace *trace = cf_trace_open(name);
   for (uint32_t i = 0; i < THREADS; i++)
      assert_int_equal(pthread_create(&thread[i], NULL, add_slices, trace), 0);
   for (uint32_t i = 0; i < THREADS; i++)
      pthread_join(thread[i], NULL);
   cf_trace_close(trace);
   read_text(name);
   assert_int_equal(count("\"name\":\"slice\""), THREADS * EACH);
   assert_int_equal(count("},\n{"), THREADS * (EACH + 1) - 1); /* one event a line */
   assert_int_equal(count("thread_name"), THREADS);
   unlink(name);
}

/* An event has as many numbers as there is room for, all of which are written. */
static void
events_have_all_their_numbers(void **state)
{
   char name[TEST_NAME_B];
   test_make_name(name);
   struct cf_trace *trace = cf_trace_open(name);
   cf_trace_slice(trace, cf_trace_now(trace), .name = "slice", .text = "all",
                  .number = { { "a", 1 },
                              { "b", 2 },
                              { "c", 3 },
                              { "d", 4 },
                              { "e", 5 },
                              { "f", 6 },
                              { "g", 7 },
                              { "h", UINT64_MAX } });
   cf_trace_close(trace);
   read_text(name);
   assert_int_equal(CF_TRACE_NUMBERS, 8);
   assert_int_equal(count("\"args\":{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5,\"f\":6,\"g\":7,"
                          "\"h\":18446744073709551615,\"of\":\"all\"}"),
                    1);
   unlink(name);
}

static void *
add_one(void *user)
{
   struct cf_trace *trace = user;
   cf_trace_slice(trace, cf_trace_now(trace), .name = "slice");
   return NULL;
}

/* 256 threads get names; the events of others are there, too. */
static void
many_threads(void **state)
{
   char name[TEST_NAME_B];
   test_make_name(name);
   struct cf_trace *trace = cf_trace_open(name);
   for (uint32_t i = 0; i < 256 + 3; i++) {
      pthread_t thread;
      assert_int_equal(pthread_create(&thread, NULL, add_one, trace), 0);
      pthread_join(thread, NULL);
   }
   cf_trace_close(trace);
   read_text(name);
   assert_int_equal(count("\"name\":\"slice\""), 256 + 3);
   assert_int_equal(count("thread_name"), 256);
   assert_true(ends_with("}\n]\n"));
   unlink(name);
}

/* Much is not kept in memory. */
static void
much_is_written_before_the_end(void **state)
{
   char name[TEST_NAME_B];
   struct stat stat;
   test_make_name(name);
   struct cf_trace *trace = cf_trace_open(name);
   for (uint32_t i = 0; i < 10; i++)
      add_slices(trace);
   assert_int_equal(lstat(name, &stat), 0);
   assert_true(stat.st_size > 256 << 10);
   read_text(name);
   assert_true(ends_with("}")); /* a whole event */
   cf_trace_close(trace);
   unlink(name);
}

static void
exits_end_files(void **state)
{
   /* leak checkers find it at the child's exit; volatile: or the compiler keeps it in a register */
   static struct cf_trace *volatile left_open;
   for (uint32_t killed = 0; killed < 2; killed++) {
      char name[TEST_NAME_B];
      test_make_name(name);
      const pid_t child = fork();
      if (child == 0) {
         left_open = cf_trace_open(name);
         add_slices(left_open);
         if (killed)
            raise(SIGKILL);
         exit(0);
      }
      assert_true(child > 0);
      assert_int_equal(waitpid(child, NULL, 0), child);
      read_text(name);
      assert_memory_equal(text, "[\n", 2);
      assert_int_equal(ends_with("}\n]\n"), !killed);
      assert_int_equal(count("\"name\":\"slice\""), killed ? 0 : EACH);
      unlink(name);
   }
}

static void
without_a_trace_nothing_happens(void **state)
{
   struct cf_trace *none = NULL;
   assert_int_equal(cf_trace_now(none), 0);
   cf_trace_slice(none, 0, .name = "nothing");
   cf_trace_span(none, 0, 0, .name = "nothing");
   cf_trace_close(none);
   assert_null(cf_trace_open("/nonexistent/trace.json"));
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts_are_strings),
      cmocka_unit_test(threads_have_names_and_all_their_slices),
      cmocka_unit_test(events_have_all_their_numbers),
      cmocka_unit_test(many_threads),
      cmocka_unit_test(much_is_written_before_the_end),
      cmocka_unit_test(exits_end_files),
      cmocka_unit_test(without_a_trace_nothing_happens),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
