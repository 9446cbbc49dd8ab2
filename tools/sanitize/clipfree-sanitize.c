/* SPDX-License-Identifier: MIT */
/*
 * clipfree sanitize CAPTURE: what the draws of a capture do that OpenGL leaves undefined.
 */
#include <stdio.h>

#include "look/look_options.h"
#include "look/look_pixel.h"
#include "look/look_player.h"

#include "clipfree/sanitize/cf_sanitize.h"

enum { EXIT_CLEAN, EXIT_FINDINGS, EXIT_WRONG };

struct sanitize_request {
   const char *path;
   uint32_t checks;
   bool list, json;
};

static bool
parse_checks(const struct look_option *option, const char *const *value, void *target)
{
   (void)option;
   return cf_sanitize_parse(value[0], target);
}

static const struct look_option options[] = {
   { .name = "CAPTURE", .text = LOOK_CAPTURE },
   { "--checks", "LIST", "only these; with `fatal`, stop at the first finding", CF_SANITIZE_VALUES,
     .parse = parse_checks, .offset = offsetof(struct sanitize_request, checks) },
   { "--list", NULL, "print the checks", .offset = offsetof(struct sanitize_request, list) },
   { "--json", NULL, "JSON (docs/sanitize.md)", .offset = offsetof(struct sanitize_request, json) },
   { NULL },
};

static const struct look_tool tool = {
   .name = "clipfree sanitize",
   .synopsis = "clipfree sanitize [OPTION...] CAPTURE\n"
               "clipfree sanitize --list",
   .text =
      "What draws of a capture do that OpenGL leaves undefined, or that is hardly meant. The exit\n"
      "status is 0 if there is nothing, 1 if there is, 2 if the question cannot be answered.\n",
   .options = options,
   .most_words = 1,
   .failure = EXIT_WRONG,
};

static int
list_checks(void)
{
   for (int i = 0; i < CF_SANITIZE_COUNT; i++)
      printf("%-16s %s\n", cf_sanitize_name((enum cf_sanitize_check)i),
             cf_sanitize_what((enum cf_sanitize_check)i));
   return look_finish(&tool, EXIT_CLEAN);
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
   json_object_set_new(finding, "stage", json_string(cf_shader_stage_name(r->stage)));
   if (r->instr != CF_SANITIZE_NO_INSTR)
      json_object_set_new(finding, "instruction", json_integer(r->instr));
   if (r->line) {
      json_object_set_new(finding, "line", json_integer(r->line));
      json_object_set_new(finding, "text", json_string(r->line_text));
      json_object_set_new(finding, "program", json_string(r->of_program));
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
   json_t *through = json_array();
   for (uint32_t i = 0; i < r->throughs; i++)
      json_array_append_new(through, json_integer(r->through[i]));
   json_object_set_new(finding, "through", through);
   return finding;
}

/* A finding with the steps of its way, which are as findings are, but are not counted. */
static json_t *
finding_with_way(const struct cf_sanitize_report *r)
{
   json_t *finding = finding_json(r), *way = json_array();
   for (const struct cf_sanitize_report *step = r->way; step; step = step->next) {
      json_t *one = finding_json(step);
      json_object_del(one, "count");
      json_array_append_new(way, one);
   }
   json_object_set_new(finding, "way", way);
   return finding;
}

static json_t *
answer_json(const struct sanitize_request *request, const struct cf_sanitize_report *first)
{
   json_t *findings = json_array();
   for (const struct cf_sanitize_report *r = first; r; r = r->next)
      json_array_append_new(findings, finding_with_way(r));
   return json_pack("{si ss so}", "version", 1, "capture", request->path, "findings", findings);
}

static void
print_text(const struct cf_sanitize_report *first)
{
   if (!first)
      printf("nothing is found\n");
   for (const struct cf_sanitize_report *r = first; r; r = r->next) {
      printf("%llu times: %s\n", (unsigned long long)r->count, r->text);
      for (const struct cf_sanitize_report *step = r->way; step; step = step->next)
         printf("   then %s\n", step->text);
   }
}

static int
answer(const struct sanitize_request *request, const struct cf_sanitize *sanitize)
{
   const struct cf_sanitize_report *first = cf_sanitize_reports(sanitize);
   int status = EXIT_CLEAN;
   if (request->json)
      status = look_print_json(&tool, answer_json(request, first), 2);
   else
      print_text(first);
   if (status == EXIT_CLEAN)
      status = look_finish(&tool, first ? EXIT_FINDINGS : EXIT_CLEAN);
   return status;
}

/* ------------------------------------------------------------------ the run */

/* Run the capture, or with `fatal` its submissions until one has a finding. */
static bool
run(const struct sanitize_request *request, struct look_player *player,
    const struct cf_sanitize *sanitize, char *error, size_t error_B)
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
sanitize_capture(const struct sanitize_request *request)
{
   char error[CF_CAPTURE_ERROR_B] = "";
   const struct cf_sanitize_config config = { .checks = request->checks, .quiet = true };
   struct cf_sanitize *sanitize = cf_sanitize_open(&config);
   if (!sanitize)
      return look_complain(&tool, "out of memory");
   const struct cf_model_config model = { .path = CF_PATH_PLAIN,
                                          .engine = CF_ENGINE_INTERP,
                                          .observer = cf_sanitize_observer(sanitize) };
   struct look_player *player = look_player_open(request->path, &model, error, sizeof(error));
   int status = EXIT_WRONG;
   if (player)
      look_player_warn(player, request->path);
   if (!player || !run(request, player, sanitize, error, sizeof(error)))
      look_complain(&tool, "%s", error);
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
   struct sanitize_request request = { .checks = CF_SANITIZE_ALL };
   const int status = look_parse(&tool, argc, argv, &request, &request.path);
   if (status != LOOK_CONTINUE)
      return status;
   if (request.list)
      return list_checks();
   return request.path ? sanitize_capture(&request) : look_incomplete(&tool);
}
