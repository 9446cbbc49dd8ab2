/* SPDX-License-Identifier: MIT */
/*
 * clipfree-sim CAPTURE: what GPUs of the papers would do with it, as JSON. `clipfree sim` gives it
 * machines.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "look/look_file.h"

#include "clipfree/capture/cf_capture_reader.h"

#include "clipfree/interface/cf_options.h"

#include "sim_json.h"
#include "sim_machines.h"

#define MAX_THREADS 64

static const char usage[] =
   "usage: clipfree-sim [OPTION...] CAPTURE|RECORDING\n"
   "What simulated GPUs do with a capture, as JSON (docs/timing.md).\n"
   "  --machines FILE  lines of machines (tools/sim/sim_machines.h); -: the standard input. "
   "Without\n"
   "                   it one machine of defaults\n"
   "  --record FILE    write a recording, from which other machines run without the GPU; without\n"
   "                   --machines run none\n"
   "  --mode M         hits: caches in order of access (so without it); cycles: with time\n"
   "  --curves         hits of LRU caches of all sizes, too\n"
   "  --threads N      worker threads that replay the capture: 0 to 64 (0)\n"
   "  --help           print this\n";

struct request {
   struct sim_run run;
   const char *machines, *record, *mode;
};

static int __attribute__((format(printf, 1, 2))) complain(const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   fputs("clipfree sim: ", stderr);
   vfprintf(stderr, format, arguments);
   fputs("\n", stderr);
   va_end(arguments);
   return 1;
}

/* ------------------------------------------------------------------ arguments */

static int
parse_threads(struct request *request, const char *text)
{
   unsigned long threads;
   if (!cf_parse_number(text, MAX_THREADS, &threads))
      return complain("--threads %s is not known; it may be a number up to %d", text, MAX_THREADS);
   request->run.threads = (int)threads;
   return -1;
}

static int
parse_mode(struct request *request, const char *text)
{
   request->mode = text;
   request->run.timed = strcmp(text, "cycles") == 0;
   return request->run.timed || strcmp(text, "hits") == 0
             ? -1
             : complain("--mode %s is not known; it may be hits or cycles", text);
}

/* Parse the option at *i. Negative: continue; else the exit status. */
static int
parse_option(int argc, char **argv, int *i, struct request *request)
{
   const char *name = argv[*i];
   const bool more = argc - *i > 1;
   if (!strcmp(name, "--help")) {
      fputs(usage, stdout);
      return 0;
   }
   if (!strcmp(name, "--curves")) {
      request->run.stacks = true;
      return -1;
   }
   if (!strcmp(name, "--mode") && more)
      return parse_mode(request, argv[++*i]);
   if (!strcmp(name, "--threads") && more)
      return parse_threads(request, argv[++*i]);
   if (!strcmp(name, "--machines") && more) {
      request->machines = argv[++*i];
      return -1;
   }
   if (!strcmp(name, "--record") && more) {
      request->record = argv[++*i];
      return -1;
   }
   fputs(usage, stderr);
   return 2;
}

static int
parse_arguments(int argc, char **argv, struct request *request)
{
   for (int i = 1; i < argc; i++) {
      int status = -1;
      if (argv[i][0] == '-' && argv[i][1])
         status = parse_option(argc, argv, &i, request);
      else if (!request->run.path)
         request->run.path = argv[i];
      else
         status = complain("one capture at a time: %s or %s", request->run.path, argv[i]);
      if (status >= 0)
         return status;
   }
   if (request->run.path)
      return -1;
   fputs(usage, stderr);
   return 2;
}

/* ------------------------------------------------------------------ the run */

static bool
read_machines(struct request *request, char *error, size_t error_B)
{
   static const char one[] = "machine default\n";
   const bool input = request->machines && strcmp(request->machines, "-") == 0;
   if (!request->machines && request->record)
      return true;
   FILE *file = input               ? stdin
                : request->machines ? fopen(request->machines, "r")
                                    : fmemopen((char *)one, sizeof(one) - 1, "r");
   if (!file) {
      snprintf(error, error_B, "%s: %s", request->machines ? request->machines : "memory",
               strerror(errno));
      return false;
   }
   const bool ok = sim_machines_read(file, request->run.timed, &request->run.machine,
                                     &request->run.machines, error, error_B);
   if (!input)
      fclose(file);
   return ok;
}

static bool
run_and_record(struct request *request, char *error, size_t error_B)
{
   struct look_file file;
   if (!request->record)
      return sim_run(&request->run, error, error_B);
   if (!look_file_begin(&file, request->record, error, error_B))
      return false;
   request->run.record = file.file;
   const bool ok = sim_run(&request->run, error, error_B);
   return look_file_end(&file, ok, error, error_B) && ok;
}

static int
print_json(const struct sim_run *run, const char *mode)
{
   json_t *document = sim_json(run, mode);
   const bool ok = json_dumpf(document, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) == 0;
   json_decref(document);
   fputs("\n", stdout);
   return ok && fflush(stdout) == 0 && !ferror(stdout)
             ? 0
             : complain("cannot write: %s", strerror(errno));
}

int
main(int argc, char **argv)
{
   struct request request = { .mode = "hits" };
   char error[CF_CAPTURE_ERROR_B] = "";
   int status = parse_arguments(argc, argv, &request);
   if (status >= 0)
      return status;
   status = read_machines(&request, error, sizeof(error)) &&
                  run_and_record(&request, error, sizeof(error))
               ? print_json(&request.run, request.mode)
               : complain("%s", error);
   sim_run_free(&request.run);
   sim_machines_free(request.run.machine, request.run.machines);
   return status;
}
