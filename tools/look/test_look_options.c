/* SPDX-License-Identifier: MIT */
/*
 * The front of a tool: values and their limits, what is refused and with which exit status, and the
 * layout of --help.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "look_options.h"

struct request {
   const char *name, *path;
   unsigned long count;
   uint64_t image;
   bool fast;
   char pair[16];
};

static bool
set_pair(const struct look_option *option, const char *const *value, void *target)
{
   (void)option;
   snprintf(target, sizeof(((struct request *)0)->pair), "%s+%s", value[0], value[1]);
   return strcmp(value[0], "bad") != 0;
}

static const struct look_option options[] = {
   { .name = "CAPTURE", .text = LOOK_CAPTURE },
   { "--name", "NAME", "a name", .parse = look_set_text, .offset = offsetof(struct request, name) },
   { "--count", "N",
     "a number whose text is long enough for two lines, which begin at the same column as all "
     "others",
     "a number from 2 to 5", look_set_number, offsetof(struct request, count), 2, 5 },
   { "--image", "0xA", "an address", "an address such as 0x10", .parse = look_set_address,
     .offset = offsetof(struct request, image) },
   { "--fast", NULL, "a flag", .offset = offsetof(struct request, fast) },
   { "--a-name-too-long", "A B", "a pair", "good", .parse = set_pair,
     .offset = offsetof(struct request, pair) },
   { NULL },
};

static const struct look_tool tool = {
   .name = "the tool",
   .synopsis = "tool CAPTURE [WORD]\ntool --fast",
   .text = "Text.\n",
   .options = options,
   .more = "More.\n",
   .least_words = 1,
   .most_words = 2,
   .failure = 7,
};

/* What the tool prints on a stream. */
struct printed {
   FILE **stream, *was;
   char *text;
   size_t size_B;
};

static void catch (struct printed *printed, FILE **stream)
{
   *printed = (struct printed){ .stream = stream, .was = *stream };
   *stream = open_memstream(&printed->text, &printed->size_B);
}

static void
release(struct printed *printed)
{
   fclose(*printed->stream);
   *printed->stream = printed->was;
}

/* Parse words up to NULL. What is printed on stderr must be `says`. */
static int
parse(struct request *request, const char *word[2], const char *says, ...)
{
   char *argv[16] = { "tool" };
   int argc = 1;
   struct printed printed;
   va_list words;
   va_start(words, says);
   while ((argv[argc] = va_arg(words, char *)))
      argc++;
   va_end(words);
   *request = (struct request){ 0 };
   word[0] = word[1] = NULL;
   catch (&printed, &stderr);
   const int status = look_parse(&tool, argc, argv, request, word);
   release(&printed);
   assert_string_equal(printed.text, says);
   free(printed.text);
   return status;
}

static void
test_values(void **state)
{
   struct request request;
   const char *word[2];
   (void)state;
   assert_int_equal(parse(&request, word, "", "--name", "--fast", "x", "--count", "2", "--image",
                          "0xffffffffffffffff", "--a-name-too-long", "1", "2", "-", NULL),
                    LOOK_CONTINUE);
   assert_string_equal(request.name, "--fast"); /* a value, though it looks like an option */
   assert_false(request.fast);
   assert_int_equal(request.count, 2);
   assert_true(request.image == UINT64_MAX);
   assert_string_equal(request.pair, "1+2");
   assert_string_equal(word[0], "x");
   assert_string_equal(word[1], "-"); /* a file's name, as everywhere */
   assert_int_equal(parse(&request, word, "", "x", "--fast", "--count", "5", NULL), LOOK_CONTINUE);
   assert_true(request.fast);
   assert_int_equal(request.count, 5);
   assert_null(word[1]);
}

static void
test_refused(void **state)
{
   static const char *const counts[] = { "1", "6", "-3", "", "3x", "0x3" };
   static const char *const images[] = { "0",   "0x0", "0x",   "10",
                                         "0xg", "",    "-0x1", "0x10000000000000000" };
   struct request request;
   const char *word[2];
   char says[128];
   (void)state;
   for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
      snprintf(says, sizeof(says),
               "the tool: --count=%s is not known; it may be a number from 2 to 5\n", counts[i]);
      assert_int_equal(parse(&request, word, says, "x", "--count", counts[i], NULL), LOOK_WRONG);
   }
   for (size_t i = 0; i < sizeof(images) / sizeof(images[0]); i++) {
      snprintf(says, sizeof(says),
               "the tool: --image=%s is not known; it may be an address such as 0x10\n", images[i]);
      assert_int_equal(parse(&request, word, says, "x", "--image", images[i], NULL), LOOK_WRONG);
   }
   assert_int_equal(parse(&request, word,
                          "the tool: --name= is not known; it may be any text but an empty one\n",
                          "x", "--name", "", NULL),
                    LOOK_WRONG);
   assert_int_equal(parse(&request, word,
                          "the tool: --a-name-too-long=bad is not known; it may be "
                          "good\n",
                          "--a-name-too-long", "bad", "2", NULL),
                    LOOK_WRONG);
   assert_int_equal(parse(&request, word, "the tool: --a-name-too-long needs a value: A B\n", "x",
                          "--a-name-too-long", "1", NULL),
                    LOOK_WRONG);
}

#define SYNOPSIS "usage: tool CAPTURE [WORD]\n       tool --fast\n--help lists the options\n"

static void
test_words(void **state)
{
   struct request request;
   const char *word[2];
   (void)state;
   assert_int_equal(parse(&request, word, "the tool: an argument is missing\n" SYNOPSIS, NULL),
                    LOOK_WRONG);
   assert_int_equal(
      parse(&request, word, "the tool: c is not known\n" SYNOPSIS, "a", "b", "c", NULL),
      LOOK_WRONG);
   assert_int_equal(
      parse(&request, word, "the tool: --slow is not known\n" SYNOPSIS, "--slow", NULL),
      LOOK_WRONG);
   /* a word of the table is no option */
   assert_int_equal(parse(&request, word, "", "CAPTURE", NULL), LOOK_CONTINUE);
   assert_string_equal(word[0], "CAPTURE");
}

static void
test_help(void **state)
{
   static const char help[] =
      "usage: tool CAPTURE [WORD]\n"
      "       tool --fast\n"
      "Text.\n"
      "  CAPTURE      a file that CLIPFREE_CAPTURE wrote (docs/replay.md)\n"
      "  --name NAME  a name\n"
      "  --count N    a number whose text is long enough for two lines, which begin at the same "
      "column as\n"
      "               all others. N: a number from 2 to 5\n"
      "  --image 0xA  an address. 0xA: an address such as 0x10\n"
      "  --fast       a flag\n"
      "  --a-name-too-long A B\n"
      "               a pair. A: good\n"
      "  --help       print this\n"
      "More.\n";
   struct request request;
   const char *word[2];
   struct printed printed;
   (void)state;
   catch (&printed, &stdout);
   const int status = parse(&request, word, "", "--fast", "--help", "--slow", NULL);
   release(&printed);
   assert_int_equal(status, 0);
   assert_string_equal(printed.text, help);
   free(printed.text);
}

/* An answer that cannot be written is a failure. */
static void
test_end(void **state)
{
   struct printed printed;
   FILE *was = stdout;
   (void)state;
   assert_int_equal(look_finish(&tool, 3), 3);
   stdout = fopen("/dev/full", "w");
   catch (&printed, &stderr);
   fputs("x", stdout);
   const int full = look_finish(&tool, 0);
   const int none = look_print_json(&tool, NULL, 1);
   release(&printed);
   fclose(stdout);
   stdout = was;
   assert_int_equal(full, 7);
   assert_int_equal(none, 7);
   assert_string_equal(printed.text, "the tool: cannot write: No space left on device\n"
                                     "the tool: out of memory\n");
   free(printed.text);
}

static void
test_pixel(void **state)
{
   static const char *const bad[] = { "",      ",",    "3",       "3,",      ",3",
                                      "3,4,5", "-1,2", "65536,0", "0,65536", "99999999999,1",
                                      "3,x" };
   uint32_t x = 0, y = 0;
   (void)state;
   assert_true(look_parse_pixel("65535,0", &x, &y));
   assert_int_equal(x, 65535);
   assert_int_equal(y, 0);
   for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
      assert_false(look_parse_pixel(bad[i], &x, &y));
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values), cmocka_unit_test(test_refused), cmocka_unit_test(test_words),
      cmocka_unit_test(test_help),   cmocka_unit_test(test_end),     cmocka_unit_test(test_pixel),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
