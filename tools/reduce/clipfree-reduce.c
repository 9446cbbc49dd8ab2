/* SPDX-License-Identifier: MIT */
/*
 * clipfree reduce CAPTURE --test CMD -o FILE: the fewest draws, the smallest buffers and the
 * simplest shaders for which a command still succeeds.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "look/look_file.h"
#include "look/look_options.h"

#include "clipfree/capture/cf_capture_reader.h"

#include "reduce_gles.h"
#include "reduce_pass.h"

#define VERSION 1
#define MOST_LIMIT_S 1000000
#define INTERRUPTED 130 /* exit status, as shells have it */

struct reduce_request {
   const char *path, *command, *output, *program;
   unsigned long limit_s;
   bool json, verbose, quiet;
};

static const struct look_option options[] = {
   { .name = "CAPTURE", .text = LOOK_CAPTURE },
   { "--test", "CMD",
     "a command for the shell, which succeeds with exit status 0; {} is the capture that is tried",
     .parse = look_set_text, .offset = offsetof(struct reduce_request, command) },
   { "-o", "FILE", "the smaller capture", .parse = look_set_text,
     .offset = offsetof(struct reduce_request, output) },
   { "--c", "FILE",
     "a program in C that draws the picture with OpenGL ES 2.0, too; its GLSL becomes simpler",
     .parse = look_set_text, .offset = offsetof(struct reduce_request, program) },
   { "--limit", "S", "how long CMD may take; 60 without it", "a number of seconds from 1",
     look_set_number, offsetof(struct reduce_request, limit_s), 1, MOST_LIMIT_S },
   { "--json", NULL, "a summary as JSON (docs/reduce.md)",
     .offset = offsetof(struct reduce_request, json) },
   { "--verbose", NULL, "show what CMD prints",
     .offset = offsetof(struct reduce_request, verbose) },
   { "--quiet", NULL, "no progress", .offset = offsetof(struct reduce_request, quiet) },
   { NULL },
};

static const struct look_tool tool = {
   .name = "clipfree reduce",
   .synopsis = "clipfree reduce [OPTION...] CAPTURE --test CMD -o FILE",
   .text = "The fewest draws, the smallest buffers and the simplest shaders for which CMD still "
           "succeeds.\n",
   .options = options,
   .more = "Ctrl-C writes the best so far.\n",
   .least_words = 1,
   .most_words = 1,
   .failure = 1,
};

/* ------------------------------------------------------------------ the reduction */

/* Passes, again and again, until none leaves anything out. */
static void
reduce(struct reduce_trial *trial)
{
   static bool (*const passes[])(struct reduce_trial *) = {
      reduce_unnamed_memory, reduce_pictures,       reduce_submissions,   reduce_operations,
      reduce_to_results,     reduce_unnamed_memory, reduce_state_packets, reduce_primitives,
      reduce_fields,         reduce_textures,       reduce_programs,      reduce_memory,
      reduce_glsl,
   };
   for (bool changed = true; changed && !trial->stopped && !trial->settled;) {
      changed = false;
      for (uint32_t i = 0; i < sizeof(passes) / sizeof(*passes); i++)
         changed |= passes[i](trial);
   }
}

/* Write the best case; nothing else has its name before. */
static bool
write_capture(const struct reduce_trial *trial, const char *path, char *error, size_t error_B)
{
   struct look_file file;
   if (!look_file_begin_named(&file, path, error, error_B))
      return false;
   const bool ok = reduce_case_save(trial->best, look_file_name(&file));
   const int reason = errno;
   const bool ended = look_file_end(&file, ok, error, error_B);
   if (!ok)
      snprintf(error, error_B, "cannot write %s: %s", path, strerror(reason));
   return ok && ended;
}

/* Write the best case as a program. False: it is not there; `error` says why. `lost` gets what the
 * program does not express. */
static bool
write_program(struct reduce_trial *trial, const char *path, json_t *lost, char *error,
              size_t error_B)
{
   struct look_file file;
   if (!reduce_case_save(trial->best, trial->file)) {
      snprintf(error, error_B, "cannot write %s: %s", trial->file, strerror(errno));
      return false;
   }
   if (!look_file_begin(&file, path, error, error_B))
      return false;
   const bool ok = reduce_gles_write(trial->file, file.file, lost, error, error_B);
   char reason[CF_CAPTURE_ERROR_B];
   if (look_file_end(&file, ok, reason, sizeof(reason)))
      return ok;
   snprintf(error, error_B, "%s", reason);
   return false;
}

/* Whether a file may be written, before work begins. */
static bool
is_writable(const char *path, char *error, size_t error_B)
{
   struct look_file file;
   return look_file_begin(&file, path, error, error_B) &&
          look_file_end(&file, false, error, error_B);
}

static bool
is_same_file(const char *a, const char *b)
{
   struct stat x, y;
   return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* ------------------------------------------------------------------ the summary */

static json_t *
size_json(const struct reduce_size *size)
{
   return json_pack("{s:i, s:i, s:i, s:I, s:I, s:I, s:I}", "submissions", (int)size->submissions,
                    "operations", (int)size->operations, "draws", (int)size->draws, "elements",
                    (json_int_t)size->elements, "instructions", (json_int_t)size->instructions,
                    "lines", (json_int_t)size->lines, "bytes", (json_int_t)size->file_B);
}

static void
print_line(const char *name, const struct reduce_size *size)
{
   printf("%s: %u submissions, %u operations, %u draws, %llu elements, %llu instructions, %llu "
          "lines of GLSL, %llu bytes\n",
          name, size->submissions, size->operations, size->draws,
          (unsigned long long)size->elements, (unsigned long long)size->instructions,
          (unsigned long long)size->lines, (unsigned long long)size->file_B);
}

static void
print_lost(const json_t *program)
{
   size_t i;
   json_t *lost;
   json_array_foreach(json_object_get(program, "lost"), i, lost)
      printf("not expressed in C: %s\n", json_string_value(lost));
}

static void
print_summary(const struct reduce_request *request, const struct reduce_trial *trial,
              const struct reduce_size *before, json_t *program)
{
   if (!request->json) {
      print_line("before", before);
      print_line("after", &trial->size);
      print_lost(program);
      printf("%lu tests%s\n", trial->tests, trial->stopped ? ", interrupted" : "");
      return;
   }
   json_t *summary = json_pack(
      "{s:i, s:s, s:s, s:s, s:o, s:o, s:I, s:I, s:b, s:O}", "version", VERSION, "capture",
      request->path, "output", request->output, "test", request->command, "before",
      size_json(before), "after", size_json(&trial->size), "tests", (json_int_t)trial->tests,
      "refused", (json_int_t)trial->skipped, "interrupted", trial->stopped, "c", program);
   json_dumpf(summary, stdout, JSON_INDENT(2));
   fputc('\n', stdout);
   json_decref(summary);
}

/* The program in C: {"file", "lost", "error"}; null: none was asked for. */
static json_t *
make_program(const struct reduce_request *request, struct reduce_trial *trial)
{
   char error[CF_CAPTURE_ERROR_B] = "";
   json_t *lost = json_array();
   if (!request->program) {
      json_decref(lost);
      return json_null();
   }
   const bool ok = write_program(trial, request->program, lost, error, sizeof(error));
   if (!ok)
      look_complain(&tool, "there is no program %s: %s", request->program, error);
   if (ok && trial->no_glsl[0])
      look_complain(&tool, "the GLSL is as it was: %s", trial->no_glsl);
   return json_pack("{s:s, s:o, s:s?, s:s?}", "file", request->program, "lost", lost, "error",
                    ok ? NULL : error, "glsl_kept", trial->no_glsl[0] ? trial->no_glsl : NULL);
}

static bool
has_error(const json_t *program)
{
   return json_is_string(json_object_get(program, "error"));
}

/* Reduce, write and report. Returns the exit status. */
static int
run(const struct reduce_request *request, struct reduce_trial *trial)
{
   char error[CF_CAPTURE_ERROR_B];
   const struct reduce_size before = trial->size;
   reduce(trial);
   reduce_trial_step(trial, trial->stopped ? "interrupted" : "done");
   if (!write_capture(trial, request->output, error, sizeof(error)))
      return look_complain(&tool, "%s", error);
   json_t *program = make_program(request, trial);
   const bool failed = has_error(program);
   print_summary(request, trial, &before, program);
   json_decref(program);
   if (look_finish(&tool, 0))
      return tool.failure;
   if (trial->error[0])
      return look_complain(&tool, "%s; the best so far is in %s", trial->error, request->output);
   if (trial->stopped)
      look_complain(&tool, "interrupted; the best so far is in %s", request->output);
   return failed ? 1 : trial->stopped ? INTERRUPTED : 0;
}

int
main(int argc, char **argv)
{
   struct reduce_request request = { .limit_s = 60 };
   char error[CF_CAPTURE_ERROR_B];
   int status = look_parse(&tool, argc, argv, &request, &request.path);
   if (status != LOOK_CONTINUE)
      return status;
   if (!request.command || !request.output)
      return look_incomplete(&tool);
   if (is_same_file(request.path, request.output))
      return look_complain(&tool, "cannot write %s: it is the capture itself; name another file",
                           request.output);
   if (!is_writable(request.output, error, sizeof(error)) ||
       (request.program && !is_writable(request.program, error, sizeof(error))))
      return look_complain(&tool, "%s", error);
   struct reduce_case *c = reduce_case_load(request.path, error, sizeof(error));
   if (!c)
      return look_complain(&tool, "%s", error);
   struct reduce_trial trial = { .command = request.command,
                                 .limit_s = request.limit_s,
                                 .verbose = request.verbose,
                                 .for_gles = request.program != NULL,
                                 .progress = request.quiet           ? REDUCE_QUIET
                                             : isatty(STDERR_FILENO) ? REDUCE_ONE_LINE
                                                                     : REDUCE_LINES };
   status = reduce_trial_begin(&trial, c) ? run(&request, &trial)
                                          : look_complain(&tool, "%s", trial.error);
   reduce_trial_end(&trial);
   return status;
}
