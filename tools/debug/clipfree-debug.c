/* SPDX-License-Identifier: MIT */
/*
 * clipfree debug CAPTURE --pixel X,Y | --vertex N | --draw D: steps the shader that made a pixel or
 * a vertex of a captured frame, forwards and back.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/capture/cf_capture_reader.h"
#include "clipfree/interface/cf_options.h"

#include "debug_check.h"
#include "debug_console.h"
#include "debug_dap.h"

static const char usage[] =
   "usage: clipfree debug CAPTURE --pixel X,Y [--draw D]\n"
   "       clipfree debug CAPTURE --draw D [--vertex N]\n"
   "       clipfree debug --dap [--port P] [CAPTURE ...]\n"
   "Step the shader that made a pixel, or a vertex, forwards and back.\n"
   "  CAPTURE        a file that CLIPFREE_CAPTURE wrote (docs/replay.md)\n"
   "  --pixel X,Y    column and row of what was presented, or drawn last: all fragments that "
   "wanted\n"
   "                 the pixel; it begins at the last that was written\n"
   "  --image 0xA    of the image whose pixels are at this address\n"
   "  --draw D       of this draw, from 0; alone: all of its vertices and fragments\n"
   "  --vertex N     vertex number N of the draw, in the order in which it names them, from 0\n"
   "  --real FILE    of a capture with CLIPFREE_DEBUG=variables: compare its outputs with those "
   "of\n"
   "                 FILE, a capture of the same frame without\n"
   "  --dap          a debug adapter for editors, on stdin and stdout (docs/debug.md)\n"
   "  --port P       the adapter on this port of the loopback; 0: a free one, which is printed\n"
   "  --check N      step the tasks of N random pixels, and compare with the frame buffer\n"
   "  --seed S       of these pixels\n"
   "  --help         print this, and the commands\n"
   "Commands at the terminal:\n";

struct arguments {
   struct debug_question question;
   bool has_question, dap, has_port;
   unsigned long port, check, seed;
};

static int __attribute__((format(printf, 1, 2))) complain(const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   fputs("clipfree debug: ", stderr);
   vfprintf(stderr, format, arguments);
   fputs("\n", stderr);
   va_end(arguments);
   return 1;
}

/* ------------------------------------------------------------------ arguments */

/* Set an option. NULL, or what its value may be. */
static const char *
set_option(struct arguments *a, const char *name, const char *value)
{
   unsigned long number;
   char *end;
   if (!strcmp(name, "--pixel")) {
      a->question.kind = DEBUG_PIXEL;
      a->has_question = true;
      return debug_parse_pixel(value, &a->question) ? NULL : "two numbers, X,Y";
   }
   if (!strcmp(name, "--real")) {
      a->question.real = value;
      return NULL;
   }
   if (!strcmp(name, "--image")) {
      errno = 0;
      a->question.image = strtoull(value, &end, 16);
      return !strncmp(value, "0x", 2) && end > value + 2 && !*end && !errno ? NULL : "0xADDRESS";
   }
   if (!cf_parse_number(value, UINT32_MAX - 1, &number))
      return "a number from 0";
   if (!strcmp(name, "--draw")) {
      a->question.draw = (uint32_t)number;
      if (!a->has_question)
         a->question.kind = DEBUG_DRAW;
      a->has_question = true;
   } else if (!strcmp(name, "--vertex")) {
      a->question.kind = DEBUG_VERTEX;
      a->question.element = (uint32_t)number;
      a->has_question = true;
   } else if (!strcmp(name, "--port")) {
      a->port = number;
      a->dap = a->has_port = true;
      return number < 65536 ? NULL : "a number from 0 to 65535";
   } else if (!strcmp(name, "--check"))
      a->check = number;
   else
      a->seed = number;
   return NULL;
}

static bool
takes_value(const char *name)
{
   static const char *const names[] = { "--pixel",  "--image", "--real",  "--draw",
                                        "--vertex", "--port",  "--check", "--seed" };
   for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
      if (!strcmp(names[i], name))
         return true;
   }
   return false;
}

/* Negative: go on; else the exit status. */
static int
parse(int argc, char **argv, struct arguments *a)
{
   for (int i = 1; i < argc; i++) {
      if (!strcmp(argv[i], "--help")) {
         printf("%s%s", usage, debug_console_help);
         return 0;
      }
      if (!strcmp(argv[i], "--dap"))
         a->dap = true;
      else if (takes_value(argv[i]) && i + 1 < argc) {
         const char *may_be = set_option(a, argv[i], argv[i + 1]);
         if (may_be)
            return complain("%s=%s is not known; it may be %s", argv[i], argv[i + 1], may_be);
         i++;
      } else if (argv[i][0] != '-' && !a->question.path)
         a->question.path = argv[i];
      else {
         fputs(usage, stderr);
         return 2;
      }
   }
   return -1;
}

/* What the arguments lack; NULL: nothing. */
static const char *
missing(const struct arguments *a)
{
   if (a->dap)
      return NULL;
   if (!a->question.path)
      return "a capture is missing; CLIPFREE_CAPTURE writes one (docs/replay.md)";
   if (a->check)
      return NULL;
   if (!a->has_question)
      return "what to step is missing: --pixel X,Y, --draw D or --draw D --vertex N";
   if (a->question.kind == DEBUG_VERTEX && a->question.draw == DEBUG_NONE)
      return "--vertex takes a draw: --draw D --vertex N";
   return NULL;
}

int
main(int argc, char **argv)
{
   struct arguments a = { .question = { .draw = DEBUG_NONE } };
   char error[CF_CAPTURE_ERROR_B + DEBUG_FATE_B + 512] = "";
   const int status = parse(argc, argv, &a);
   if (status >= 0)
      return status;
   const char *lacks = missing(&a);
   if (lacks)
      return complain("%s", lacks);
   const bool ok =
      a.check ? debug_check(a.question.path, (uint32_t)a.check, a.seed, error, sizeof(error))
      : a.dap ? debug_dap(&a.question, a.has_question, a.has_port ? (int)a.port : -1, error,
                          sizeof(error))
              : debug_console(&a.question, error, sizeof(error));
   return ok ? 0 : complain("%s", error);
}
