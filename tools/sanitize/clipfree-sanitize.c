/* SPDX-License-Identifier: MIT */
/*
 * clipfree sanitize CAPTURE: what the draws of a capture do that OpenGL leaves undefined.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "look/look_pixel.h"
#include "look/look_player.h"

#include "clipfree/sanitize/cf_sanitize.h"

enum { EXIT_CLEAN, EXIT_FINDINGS, EXIT_WRONG };

struct request {
   const char *path;
   uint32_t checks;
   bool json;
};

static const char usage[] =
   "usage: clipfree sanitize [OPTION...] CAPTURE\n"
   "What draws of a capture do that OpenGL leaves undefined, or that is hardly meant. The exit\n"
   "status is 0 if there is nothing, 1 if there is, 2 if the question cannot be answered.\n"
   "  CAPTURE        a file that CLIPFREE_CAPTURE wrote (docs/replay.md)\n"
   "  --checks LIST  only these, a comma between them; with `fatal`, stop at the first finding\n"
   "  --list         print the checks\n"
   "  --json         JSON (docs/sanitize.md)\n"
   "  --help         print this\n";

static int __attribute__((format(printf, 1, 2))) complain(const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   fputs("clipfree sanitize: ", stderr);
   vfprintf(stderr, format, arguments);
   fputs("\n", stderr);
   va_end(arguments);
   return EXIT_WRONG;
}

static int
list_checks(void)
{
   for (int i = 0; i < CF_SANITIZE_COUNT; i++)
      printf("%-16s %s\n", cf_sanitize_name((enum cf_sanitize_check)i),
             cf_sanitize_what((enum cf_sanitize_check)i));
   return EXIT_CLEAN;
}

/* Negative: continue; else the exit status. */
static int
parse_arguments(int argc, char **argv, struct request *request)
{
   for (int i = 1; i < argc; i++) {
      if (!strcmp(argv[i], "--help"))
         return fputs(usage, stdout) < 0 ? EXIT_WRONG : EXIT_CLEAN;
      if (!strcmp(argv[i], "--list"))
         return list_checks();
      if (!strcmp(argv[i], "--json"))
         request->json = true;
      else if (!strcmp(argv[i], "--checks") && i + 1 < argc) {
         if (!cf_sanitize_parse(argv[++i], &request->checks))
            return complain("--checks=%s is not known; it may be %s", argv[i], CF_SANITIZE_VALUES);
      } else if (argv[i][0] != '-' && !request->path)
         request->path = argv[i];
      else {
         fputs(usage, stderr);
         return EXIT_WRONG;
      }
   }
   if (!request->path)
      fputs(usage, stderr);
   return request->path ? -1 : EXIT_WRONG;
}

/* ------------------------------------------------------------------ the answer */

static json_t *
finding_json(const struct cf_sanitize_report *r)
{
   json_t *finding =
      json_pack("{ss ss sI si si so ss ss ss}", "check", cf_sanitize_name(r->check), "message",
                r->message, "count", (json_int_t)r->count, "draw", (int)r->draw, "submission",
                (int)r->submission - 1, "packet", look_json_address(r->packet), "call", r->call,
                "group", r->group, "sentence", r->text);
   json_object_set_new(finding, "stage",
                       json_string(r->stage == CF_SHADER_STAGE_VERTEX ? "vertex" : "fragment"));
   if (r->instr != CF_SANITIZE_NO_INSTR)
      json_object_set_new(finding, "instruction", json_integer(r->instr));
   if (r->line) {
      json_object_set_new(finding, "line", json_integer(r->line));
      json_object_set_new(finding, "text", json_string(r->line_text));
   }
   if (r->has_pixel) {
      json_object_set_new(finding, "x", json_integer(r->x_px));
      json_object_set_new(finding, "y", json_integer(r->y_px));
      json_object_set_new(finding, "primitive", json_integer(r->primitive));
   }
   if (r->has_vertex) {
      json_object_set_new(finding, "vertex", json_integer(r->vertex));
      json_object_set_new(finding, "instance", json_integer(r->instance));
   }
   return finding;
}

static bool
print_json(const struct request *request, const struct cf_sanitize_report *first)
{
   json_t *findings = json_array();
   for (const struct cf_sanitize_report *r = first; r; r = r->next)
      json_array_append_new(findings, finding_json(r));
   json_t *answer =
      json_pack("{si ss so}", "version", 1, "capture", request->path, "findings", findings);
   const bool written =
      answer && json_dumpf(answer, stdout, JSON_INDENT(2)) == 0 && putchar('\n') > 0;
   json_decref(answer);
   return written;
}

static void
print_text(const struct cf_sanitize_report *first)
{
   if (!first)
      printf("nothing is found\n");
   for (const struct cf_sanitize_report *r = first; r; r = r->next)
      printf("%llu times: %s\n", (unsigned long long)r->count, r->text);
}

static int
answer(const struct request *request, const struct cf_sanitize *sanitize)
{
   const struct cf_sanitize_report *first = cf_sanitize_reports(sanitize);
   if (!request->json)
      print_text(first);
   else if (!print_json(request, first))
      return complain("out of memory");
   if (fflush(stdout) != 0 || ferror(stdout))
      return complain("cannot write: %s", strerror(errno));
   return first ? EXIT_FINDINGS : EXIT_CLEAN;
}

/* ------------------------------------------------------------------ the run */

/* Run the capture, or with `fatal` its submissions until one has a finding. */
static bool
run(const struct request *request, struct look_player *player, const struct cf_sanitize *sanitize,
    char *error, size_t error_B)
{
   struct look_submission submission;
   int found;
   while ((found = look_player_next(player, &submission, error, error_B)) > 0) {
      look_player_run(player, &submission);
      if (request->checks & CF_SANITIZE_FATAL && cf_sanitize_reports(sanitize))
         return true;
   }
   return found == 0;
}

static int
sanitize_capture(const struct request *request)
{
   char error[CF_CAPTURE_ERROR_B] = "";
   const struct cf_sanitize_config config = { .checks = request->checks, .quiet = true };
   struct cf_sanitize *sanitize = cf_sanitize_open(&config);
   if (!sanitize)
      return complain("out of memory");
   const struct cf_model_config model = { .path = CF_PATH_PLAIN,
                                          .engine = CF_ENGINE_INTERP,
                                          .observer = cf_sanitize_observer(sanitize) };
   struct look_player *player = look_player_open(request->path, &model, error, sizeof(error));
   int status = EXIT_WRONG;
   if (player)
      look_player_warn(player, request->path);
   if (!player || !run(request, player, sanitize, error, sizeof(error)))
      complain("%s", error);
   else
      status = answer(request, sanitize);
   if (player)
      look_player_close(player);
   cf_sanitize_close(sanitize);
   return status;
}

int
main(int argc, char **argv)
{
   struct request request = { .checks = CF_SANITIZE_ALL };
   const int status = parse_arguments(argc, argv, &request);
   return status >= 0 ? status : sanitize_capture(&request);
}
