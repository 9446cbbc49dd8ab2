/* SPDX-License-Identifier: MIT */
/*
 * clipfree reduce CAPTURE --test CMD -o FILE: the fewest draws, the smallest buffers and the
 * simplest shaders for which a command still succeeds.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "clipfree/interface/cf_options.h"
#include "look/look_file.h"

#include "clipfree/capture/cf_capture_reader.h"

#include "reduce_gles.h"
#include "reduce_pass.h"

#define VERSION 1
#define MOST_LIMIT_S 1000000
#define INTERRUPTED 130 /* exit status, as shells have it */

static const char usage[] =
   "usage: clipfree reduce [OPTION...] CAPTURE --test CMD -o FILE\n"
   "The fewest draws, the smallest buffers and the simplest shaders for which CMD still succeeds.\n"
   "  CAPTURE        a file that CLIPFREE_CAPTURE wrote (docs/replay.md)\n"
   "  --test CMD     a command for the shell, which succeeds with exit status 0; {} is the capture "
   "that is tried\n"
   "  -o FILE        the smaller capture\n"
   "  --c FILE       a program in C that draws the picture with OpenGL ES 2.0, too; its GLSL "
   "becomes simpler\n"
   "  --limit S      seconds that CMD may take; 60 without it\n"
   "  --json         a summary as JSON (docs/reduce.md)\n"
   "  --verbose      show what CMD prints\n"
   "  --quiet        no progress\n"
   "  --help         print this\n"
   "Ctrl-C writes the best so far.\n";

struct request {
   const char *path, *command, *output, *program;
   unsigned long limit_s;
   bool json, verbose, quiet;
};

static int __attribute__((format(printf, 1, 2))) complain(const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   fputs("clipfree reduce: ", stderr);
   vfprintf(stderr, format, arguments);
   fputs("\n", stderr);
   va_end(arguments);
   return 1;
}

/* ------------------------------------------------------------------ the command line */

static bool
parse_flag(const char *word, struct request *request)
{
   if (!strcmp(word, "--json"))
      request->json = true;
   else if (!strcmp(word, "--verbose"))
      request->verbose = true;
   else if (!strcmp(word, "--quiet"))
      request->quiet = true;
   else
      return false;
   return true;
}

static bool
parse_valued(const char *name, const char *value, struct request *request)
{
   if (!strcmp(name, "--test"))
      request->command = value;
   else if (!strcmp(name, "-o"))
      request->output = value;
   else if (!strcmp(name, "--c"))
      request->program = value;
   else if (!strcmp(name, "--limit"))
      return cf_parse_number(value, MOST_LIMIT_S, &request->limit_s) && request->limit_s > 0;
   else
      return false;
   return true;
}

/* Whether an option takes a value. */
static bool
has_value(const char *name)
{
   return !strcmp(name, "--test") || !strcmp(name, "-o") || !strcmp(name, "--c") ||
          !strcmp(name, "--limit");
}

/* Negative: continue; else the exit status. */
static int
parse_arguments(int argc, char **argv, struct request *request)
{
   for (int i = 1; i < argc; i++) {
      if (!strcmp(argv[i], "--help")) {
         fputs(usage, stdout);
         return 0;
      }
      if (parse_flag(argv[i], request))
         continue;
      if (has_value(argv[i])) {
         if (i + 1 == argc)
            return complain("%s needs a value; --help lists the options", argv[i]) + 1;
         if (!parse_valued(argv[i], argv[i + 1], request))
            return complain("--limit=%s is not known; it may be a number of seconds from 1",
                            argv[i + 1]) +
                   1;
         i++;
      } else if (argv[i][0] != '-' && !request->path) {
         request->path = argv[i];
      } else {
         return complain("%s is not known; --help lists the options", argv[i]) + 1;
      }
   }
   if (request->path && request->command && request->output)
      return -1;
   fputs(usage, stderr);
   return 2;
}

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
print_summary(const struct request *request, const struct reduce_trial *trial,
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
make_program(const struct request *request, struct reduce_trial *trial)
{
   char error[CF_CAPTURE_ERROR_B] = "";
   json_t *lost = json_array();
   if (!request->program) {
      json_decref(lost);
      return json_null();
   }
   const bool ok = write_program(trial, request->program, lost, error, sizeof(error));
   if (!ok)
      complain("there is no program %s: %s", request->program, error);
   if (ok && trial->no_glsl[0])
      complain("the GLSL is as it was: %s", trial->no_glsl);
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
run(const struct request *request, struct reduce_trial *trial)
{
   char error[CF_CAPTURE_ERROR_B];
   const struct reduce_size before = trial->size;
   reduce(trial);
   reduce_trial_step(trial, trial->stopped ? "interrupted" : "done");
   if (!write_capture(trial, request->output, error, sizeof(error)))
      return complain("%s", error);
   json_t *program = make_program(request, trial);
   const bool failed = has_error(program);
   print_summary(request, trial, &before, program);
   json_decref(program);
   if (fflush(stdout) || ferror(stdout))
      return complain("cannot write: %s", strerror(errno));
   if (trial->error[0])
      return complain("%s; the best so far is in %s", trial->error, request->output);
   if (trial->stopped)
      complain("interrupted; the best so far is in %s", request->output);
   return failed ? 1 : trial->stopped ? INTERRUPTED : 0;
}

int
main(int argc, char **argv)
{
   struct request request = { .limit_s = 60 };
   char error[CF_CAPTURE_ERROR_B];
   int status = parse_arguments(argc, argv, &request);
   if (status >= 0)
      return status;
   if (is_same_file(request.path, request.output))
      return complain("cannot write %s: it is the capture itself; name another file",
                      request.output);
   if (!is_writable(request.output, error, sizeof(error)) ||
       (request.program && !is_writable(request.program, error, sizeof(error))))
      return complain("%s", error);
   struct reduce_case *c = reduce_case_load(request.path, error, sizeof(error));
   if (!c)
      return complain("%s", error);
   struct reduce_trial trial = { .command = request.command,
                                 .limit_s = request.limit_s,
                                 .verbose = request.verbose,
                                 .for_gles = request.program != NULL,
                                 .progress = request.quiet           ? REDUCE_QUIET
                                             : isatty(STDERR_FILENO) ? REDUCE_ONE_LINE
                                                                     : REDUCE_LINES };
   status = reduce_trial_begin(&trial, c) ? run(&request, &trial) : complain("%s", trial.error);
   reduce_trial_end(&trial);
   return status;
}
