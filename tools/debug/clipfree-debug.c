/* SPDX-License-Identifier: MIT */
/*
 * clipfree debug CAPTURE --pixel X,Y | --vertex N | --draw D: steps the shader that made a pixel or
 * a vertex of a captured frame, forwards and back.
 */
#include <stdio.h>

#include "clipfree/capture/cf_capture_reader.h"
#include "look/look_options.h"

#include "debug_check.h"
#include "debug_console.h"
#include "debug_dap.h"

struct debug_request {
   struct debug_question question;
   bool has_question, dap, has_port;
   unsigned long port, check, seed;
};

/* ------------------------------------------------------------------ arguments */

static bool
parse_pixel(const struct look_option *option, const char *const *value, void *target)
{
   struct debug_request *request = target;
   (void)option;
   request->question.kind = DEBUG_PIXEL;
   request->has_question = true;
   return look_parse_pixel(value[0], &request->question.x_px, &request->question.y_px);
}

static bool
parse_number(const struct look_option *option, const char *const *value, uint32_t *number)
{
   unsigned long parsed = 0;
   const bool known = look_set_number(option, value, &parsed);
   *number = (uint32_t)parsed;
   return known;
}

static bool
parse_draw(const struct look_option *option, const char *const *value, void *target)
{
   struct debug_request *request = target;
   if (!request->has_question)
      request->question.kind = DEBUG_DRAW;
   request->has_question = true;
   return parse_number(option, value, &request->question.draw);
}

static bool
parse_vertex(const struct look_option *option, const char *const *value, void *target)
{
   struct debug_request *request = target;
   request->question.kind = DEBUG_VERTEX;
   request->has_question = true;
   return parse_number(option, value, &request->question.element);
}

static bool
parse_port(const struct look_option *option, const char *const *value, void *target)
{
   struct debug_request *request = target;
   request->dap = request->has_port = true;
   return look_set_number(option, value, &request->port);
}

static const struct look_option options[] = {
   { .name = "CAPTURE", .text = LOOK_CAPTURE },
   { "--pixel", "X,Y",
     "column and row of what was presented, or drawn last: all fragments that wanted the pixel; it "
     "begins at the last that was written",
     "two numbers, as 3,4", .parse = parse_pixel },
   { "--image", "0xA", "of the image whose pixels are at this address",
     "an address such as 0x2801000", .parse = look_set_address,
     .offset = offsetof(struct debug_request, question.image) },
   { "--draw", "D", "of this draw; alone: all of its vertices and fragments", "a number from 0",
     .parse = parse_draw, .most = UINT32_MAX - 1 },
   { "--vertex", "N", "this vertex of the draw, in the order in which it names them",
     "a number from 0", .parse = parse_vertex, .most = UINT32_MAX - 1 },
   { "--real", "FILE",
     "of a capture with CLIPFREE_DEBUG=variables: compare its outputs with those of FILE, a "
     "capture of the same frame without",
     .parse = look_set_text, .offset = offsetof(struct debug_request, question.real) },
   { "--dap", NULL, "a debug adapter for editors, on stdin and stdout (docs/debug.md)",
     .offset = offsetof(struct debug_request, dap) },
   { "--port", "P", "the adapter on this port of the loopback; 0: a free one, which is printed",
     "a number from 0 to 65535", .parse = parse_port, .most = 65535 },
   { "--check", "N", "step the tasks of N random pixels, and compare with the frame buffer",
     "a number from 0", look_set_number, offsetof(struct debug_request, check),
     .most = UINT32_MAX - 1 },
   { "--seed", "S", "of these pixels", "a number from 0", look_set_number,
     offsetof(struct debug_request, seed), .most = UINT32_MAX - 1 },
   { NULL },
};

static const struct look_tool tool = {
   .name = "clipfree debug",
   .synopsis = "clipfree debug CAPTURE --pixel X,Y [--draw D]\n"
               "clipfree debug CAPTURE --draw D [--vertex N]\n"
               "clipfree debug --dap [--port P] [CAPTURE ...]",
   .text = "Step the shader that made a pixel, or a vertex, forwards and back.\n",
   .options = options,
   .more = debug_console_help,
   .most_words = 1,
   .failure = 1,
};

/* What the arguments lack; NULL: nothing. */
static const char *
missing(const struct debug_request *a)
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
   struct debug_request a = { .question = { .draw = DEBUG_NONE } };
   char error[CF_CAPTURE_ERROR_B + DEBUG_FATE_B + 512] = "";
   const int status = look_parse(&tool, argc, argv, &a, &a.question.path);
   if (status != LOOK_CONTINUE)
      return status;
   const char *lacks = missing(&a);
   if (lacks)
      return look_wrong(&tool, "%s", lacks);
   const bool ok =
      a.check ? debug_check(a.question.path, (uint32_t)a.check, a.seed, error, sizeof(error))
      : a.dap ? debug_dap(&a.question, a.has_question, a.has_port ? (int)a.port : -1, error,
                          sizeof(error))
              : debug_console(&a.question, error, sizeof(error));
   return ok ? look_finish(&tool, 0) : look_complain(&tool, "%s", error);
}
