/* SPDX-License-Identifier: MIT */
/*
 * clipfree-sim CAPTURE: what GPUs of the papers would do with it, as JSON. `clipfree sim` gives it
 * machines.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "look/look_file.h"
#include "look/look_options.h"

#include "clipfree/capture/cf_capture_reader.h"

#include "sim_json.h"
#include "sim_machines.h"

#define DEFAULT_RANGE 20000 /* cycles of a timeline */

struct sim_request {
   struct sim_run run;
   const char *machines, *record, *mode, *trace, *requests;
   bool check;
   unsigned long threads, interval, from, to;
};

/* ------------------------------------------------------------------ arguments */

static bool
parse_mode(const struct look_option *option, const char *const *value, void *target)
{
   struct sim_request *request = target;
   (void)option;
   request->mode = value[0];
   request->run.timed = strcmp(value[0], "cycles") == 0;
   return request->run.timed || strcmp(value[0], "hits") == 0;
}

static bool
parse_frames(const struct look_option *option, const char *const *value, void *target)
{
   struct sim_request *request = target;
   (void)option;
   return sim_frames_parse(&request->run.frames, value[0]);
}

static const struct look_option options[] = {
   { .name = "CAPTURE", .text = LOOK_CAPTURE },
   { .name = "RECORDING", .text = "a file that --record wrote" },
   { "--machines", "FILE",
     "lines of machines (tools/sim/sim_machines.h); -: the standard input. Without it one machine "
     "of defaults",
     .parse = look_set_text, .offset = offsetof(struct sim_request, machines) },
   { "--record", "FILE",
     "write a recording, from which other machines run without the GPU; without --machines run "
     "none",
     .parse = look_set_text, .offset = offsetof(struct sim_request, record) },
   { "--mode", "M", "caches in order of access, or with time; hits without it", "hits or cycles",
     .parse = parse_mode },
   { "--curves", NULL, "hits of LRU caches of all sizes, too",
     .offset = offsetof(struct sim_request, run.stacks) },
   { "--features", NULL, "list what each frame has, before any machine",
     .offset = offsetof(struct sim_request, run.frames.features) },
   { "--frames", "LIST", "machines run these frames, and no others; list their counters after each",
     "numbers with commas between, each above the one before", .parse = parse_frames },
   { "--watch", NULL, "mode cycles: counters by interval and by draw, and maps, too",
     .offset = offsetof(struct sim_request, run.watch.report) },
   { "--trace", "FILE", "mode cycles: write a timeline of the machine", .parse = look_set_text,
     .offset = offsetof(struct sim_request, trace) },
   { "--memory-trace", "FILE",
     "mode cycles: write the requests that memory gets, as DRAMsim3 reads them",
     .parse = look_set_text, .offset = offsetof(struct sim_request, requests) },
   { "--interval", "N", "cycles of an interval; as --watch likes, or 64, without it",
     "a number from 1", look_set_number, offsetof(struct sim_request, interval), .least = 1,
     .most = 1000000000 },
   { "--from", "CYCLE", "where the timeline begins; 0 without it", "a number", look_set_number,
     offsetof(struct sim_request, from), .most = UINT64_MAX / 2 },
   { "--to", "CYCLE", "where it ends; 20000 cycles later without it", "a number", look_set_number,
     offsetof(struct sim_request, to), .most = UINT64_MAX / 2 },
   { "--check", NULL, "only look whether the machines can run",
     .offset = offsetof(struct sim_request, check) },
   { "--threads", "N", "worker threads that replay the capture; none without it",
     "a number up to 64", look_set_number, offsetof(struct sim_request, threads), .most = 64 },
   { NULL },
};

static const struct look_tool tool = {
   .name = "clipfree sim",
   .synopsis = "clipfree-sim [OPTION...] CAPTURE|RECORDING",
   .text = "What simulated GPUs do with a capture, as JSON (docs/timing.md).\n",
   .options = options,
   .least_words = 1,
   .most_words = 1,
   .failure = 1,
};

/* ------------------------------------------------------------------ the run */

static bool
read_machines(struct sim_request *request, char *error, size_t error_B)
{
   static const char one[] = "machine default\n";
   const bool input = request->machines && strcmp(request->machines, "-") == 0;
   if (!request->machines && (request->record || request->run.frames.features))
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

/* Whether all machines are of models that tell what they do (cf_sim_watch.h). */
static bool
can_watch(const struct sim_run *run)
{
   bool can = true;
   for (size_t i = 0; i < run->machines; i++) {
      const uint32_t model = run->machine[i].machine.gpu.model;
      can &= model == CF_SIM_MODEL_PIXELS || model == CF_SIM_MODEL_WHOLE;
   }
   return can;
}

/* What goes together. */
static bool
check_request(struct sim_request *request, char *error, size_t error_B)
{
   struct sim_watch_config *watch = &request->run.watch;
   const char *wrong = NULL;
   request->run.watched = watch->report || request->trace || request->requests;
   watch->interval = request->interval;
   watch->from = request->from;
   watch->to = request->to ? request->to : request->from + DEFAULT_RANGE;
   if (request->run.watched && !request->run.timed)
      wrong = "--watch, --trace and --memory-trace need --mode cycles";
   else if (request->run.watched && !can_watch(&request->run))
      wrong = "--watch, --trace and --memory-trace are of gpu.model pixels and whole alone";
   else if (watch->report && request->trace)
      wrong = "--watch and --trace do not go together; run it twice";
   else if (request->requests && (watch->report || request->trace))
      wrong = "--memory-trace goes with neither --watch nor --trace; run it twice";
   else if ((request->trace || request->requests) && request->record)
      wrong = "--trace and --memory-trace do not go with --record; trace the recording";
   else if ((request->trace || request->requests) && request->run.machines != 1)
      wrong = "--trace and --memory-trace are of one machine";
   else if (watch->to <= watch->from)
      wrong = "--to is not behind --from";
   if (wrong)
      snprintf(error, error_B, "%s", wrong);
   return !wrong;
}

static bool
run_and_trace(struct sim_request *request, char *error, size_t error_B)
{
   struct look_file file;
   if (!look_file_begin(&file, request->trace ? request->trace : request->requests, error, error_B))
      return false;
   *(request->trace ? &request->run.watch.timeline : &request->run.watch.requests) = file.file;
   const bool ok = sim_run(&request->run, error, error_B);
   return look_file_end(&file, ok, error, error_B) && ok;
}

static bool
run_and_record(struct sim_request *request, char *error, size_t error_B)
{
   struct look_file file;
   if (request->trace || request->requests)
      return run_and_trace(request, error, error_B);
   if (!request->record)
      return sim_run(&request->run, error, error_B);
   if (!look_file_begin(&file, request->record, error, error_B))
      return false;
   request->run.record = file.file;
   const bool ok = sim_run(&request->run, error, error_B);
   return look_file_end(&file, ok, error, error_B) && ok;
}

int
main(int argc, char **argv)
{
   struct sim_request request = { .mode = "hits" };
   char error[CF_CAPTURE_ERROR_B] = "";
   int status = look_parse(&tool, argc, argv, &request, &request.run.path);
   if (status != LOOK_CONTINUE) {
      sim_run_free(&request.run);
      return status;
   }
   request.run.threads = (int)request.threads;
   const bool ok = read_machines(&request, error, sizeof(error)) &&
                   check_request(&request, error, sizeof(error)) &&
                   (request.check || run_and_record(&request, error, sizeof(error)));
   status = !ok             ? look_complain(&tool, "%s", error)
            : request.check ? 0
                            : look_print_json(&tool, sim_json(&request.run, request.mode), 1);
   sim_run_free(&request.run);
   sim_machines_free(request.run.machine, request.run.machines);
   return status;
}
