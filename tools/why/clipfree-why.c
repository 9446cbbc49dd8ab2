/* SPDX-License-Identifier: MIT */
/*
 * clipfree why CAPTURE [DRAW] X,Y: what happened to a pixel, and why it looks as it does.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/interface/cf_options.h"

#include "why_nearest.h"
#include "why_text.h"
#include "why_verdict.h"

static const char usage[] =
   "usage: clipfree why [OPTION...] CAPTURE [DRAW] X,Y\n"
   "Everything that wanted a pixel, in order, what became of it, and a verdict.\n"
   "  CAPTURE        a file that CLIPFREE_CAPTURE wrote (docs/replay.md)\n"
   "  DRAW           ask for this draw: its number in the capture, from 0\n"
   "  X,Y            column and row, from the upper left corner of what was presented, or drawn "
   "last\n"
   "  --image 0xA    of the image whose pixels are at this address\n"
   "  --all          what came before the last clear, too\n"
   "  --json         JSON (docs/why.md)\n"
   "  --help         print this\n";

static int __attribute__((format(printf, 1, 2))) complain(const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   fputs("clipfree why: ", stderr);
   vfprintf(stderr, format, arguments);
   fputs("\n", stderr);
   va_end(arguments);
   return 1;
}

static bool
parse_pixel(const char *text, struct why_question *question)
{
   char x[8] = "";
   const char *comma = strchr(text, ',');
   if (!comma || (size_t)(comma - text) >= sizeof(x))
      return false;
   memcpy(x, text, (size_t)(comma - text));
   return cf_parse_number(x, 65535, &question->x_px) &&
          cf_parse_number(comma + 1, 65535, &question->y_px);
}

static bool
parse_address(const char *text, uint64_t *address)
{
   char *end;
   errno = 0;
   *address = strtoull(text, &end, 16);
   return !strncmp(text, "0x", 2) && end > text + 2 && !*end && !errno && *address;
}

/* Parse options; the rest goes to `words`. Negative: continue; else the exit status. */
static int
parse_options(int argc, char **argv, struct why_question *question, bool *json,
              const char *words[3], int *count)
{
   for (int i = 1; i < argc; i++) {
      if (!strcmp(argv[i], "--help")) {
         fputs(usage, stdout);
         return 0;
      }
      if (!strcmp(argv[i], "--json"))
         *json = true;
      else if (!strcmp(argv[i], "--all"))
         question->all = true;
      else if (!strcmp(argv[i], "--image") && i + 1 < argc) {
         if (!parse_address(argv[++i], &question->image))
            return complain("--image=%s is not known; it may be an address such as 0x2801000, as "
                            "--json prints them",
                            argv[i]);
      } else if (argv[i][0] != '-' && *count < 3)
         words[(*count)++] = argv[i];
      else {
         fputs(usage, stderr);
         return 2;
      }
   }
   return -1;
}

static int
parse_arguments(int argc, char **argv, struct why_question *question, bool *json)
{
   const char *words[3];
   int count = 0;
   const int status = parse_options(argc, argv, question, json, words, &count);
   if (status >= 0)
      return status;
   if (count < 2) {
      fputs(usage, stderr);
      return 2;
   }
   question->path = words[0];
   if (!parse_pixel(words[count - 1], question))
      return complain("%s is no pixel; it may be two numbers, X,Y", words[count - 1]);
   if (count == 3 && !cf_parse_number(words[1], WHY_NO_DRAW - 1, &question->draw))
      return complain("%s is no draw; it may be a number from 0", words[1]);
   return -1;
}

/* Ask. NULL: `error`. */
static json_t *
ask(const struct why_question *question, char *error, size_t error_B)
{
   struct why_plan plan;
   struct why_candidates candidates = { 0 };
   struct why_events events = { 0 };
   json_t *misses = NULL, *answer = NULL;
   bool ok = why_plan_make(question, &plan, error, error_B) &&
             why_candidates_find(question, &plan, &candidates, error, error_B) &&
             why_run(question, &plan, &candidates, &events, error, error_B);
   if (ok && why_is_missed(question, &plan, &events)) {
      misses = why_nearest(question, &plan, error, error_B);
      ok = misses != NULL;
   }
   if (ok)
      answer = why_answer(question, &plan, &events, misses);
   why_events_free(&events);
   free(candidates.entry);
   why_plan_free(&plan);
   return answer;
}

static int
answer(const struct why_question *question, bool json)
{
   char error[CF_CAPTURE_ERROR_B] = "";
   json_t *document = ask(question, error, sizeof(error));
   if (!document)
      return complain("%s", error);
   if (json)
      json_dumpf(document, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
   else
      why_print(stdout, document);
   json_decref(document);
   fputs(json ? "\n" : "", stdout);
   return fflush(stdout) == 0 && !ferror(stdout) ? 0
                                                 : complain("cannot write: %s", strerror(errno));
}

int
main(int argc, char **argv)
{
   struct why_question question = { .draw = WHY_NO_DRAW };
   bool json = false;
   const int status = parse_arguments(argc, argv, &question, &json);
   return status >= 0 ? status : answer(&question, json);
}
