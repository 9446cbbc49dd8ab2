/* SPDX-License-Identifier: MIT */
/*
 * Replays a capture (CLIPFREE_CAPTURE) on the model, without GL: to measure a frame's cost, to look
 * at what it draws, and to compare the bits of two settings.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "look/look_file.h"
#include "replay_compare.h"
#include "replay_hashes.h"
#include "replay_list.h"
#include "replay_options.h"
#include "replay_png.h"
#include "replay_query_lines.h"
#include "replay_record.h"
#include "replay_run.h"
#include "replay_trim.h"

#define REPLAY_DIFFERENT 3 /* exit status */

/* Print a document as JSON or as text. */
static void
print_document(json_t *document, bool json, void (*print)(FILE *file, const json_t *document))
{
   if (json)
      json_dumpf(document, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
   else
      print(stdout, document);
   if (json)
      fputc('\n', stdout);
   json_decref(document);
}

static void
list(const struct replay_request *request)
{
   char error[CF_CAPTURE_ERROR_B];
   json_t *document = replay_list(request->path, error, sizeof(error));
   if (!document)
      replay_die("%s", error);
   print_document(document, request->json, replay_list_print);
}

static void
run(struct replay_request *request)
{
   char error[CF_CAPTURE_ERROR_B];
   json_t *document = replay_run(request, error, sizeof(error));
   if (!document)
      replay_die("%s", error);
   print_document(document, request->json, replay_run_print);
}

static void
write_image(const struct replay_request *request)
{
   char error[CF_CAPTURE_ERROR_B];
   struct replay_found found;
   const bool ok = replay_choose(request->path, &request->config, &request->choice, &found, error,
                                 sizeof(error)) &&
                   (request->mode == REPLAY_PNG ? replay_png : replay_raw)(
                      &found, request->png ? request->png : request->raw, error, sizeof(error));
   if (found.player)
      look_player_close(found.player);
   if (!ok)
      replay_die("%s", error);
}

static void
hashes(const struct replay_request *request)
{
   char error[CF_CAPTURE_ERROR_B];
   const struct replay_side side = { .path = request->path, .config = request->config };
   if (!replay_hashes(&side, stdout, error, sizeof(error)))
      replay_die("%s", error);
}

static void
queries(const struct replay_request *request)
{
   char error[CF_CAPTURE_ERROR_B];
   const struct replay_side side = { .path = request->path, .config = request->config };
   if (!replay_query_lines(&side, request->choice.operation, stdout, error, sizeof(error)))
      replay_die("%s", error);
}

static void
record(const struct replay_request *request)
{
   char error[CF_CAPTURE_ERROR_B];
   const struct replay_side side = { .path = request->path, .config = request->config };
   const struct replay_pixel pixel = { .op = (uint32_t)request->choice.operation,
                                       .x_px = request->record_x_px,
                                       .y_px = request->record_y_px,
                                       .sample = (uint32_t)request->choice.sample };
   struct replay_watch watch = { 0 };
   if (!replay_record_make(&side, &pixel, &watch, error, sizeof(error)))
      replay_die("%s", error);
   replay_record_write(&watch, stdout);
   replay_watch_free(&watch);
}

static void
trim(const struct replay_request *request)
{
   char error[CF_CAPTURE_ERROR_B];
   const struct replay_side side = { .path = request->path, .config = request->config };
   json_t *document = replay_trim(&side, &request->range, request->trim, error, sizeof(error));
   if (!document)
      replay_die("%s", error);
   print_document(document, request->json, replay_trim_print);
}

/* Returns the exit status. */
static int
compare(const struct replay_request *request)
{
   char error[CF_CAPTURE_ERROR_B];
   const struct replay_side side[2] = {
      { .path = request->path, .config = request->config },
      { .path = request->against_capture ? request->against_capture : request->path,
        .config = request->against },
   };
   const struct replay_build build = { request->against_build, request->word, request->words };
   json_t *result = request->against_build
                       ? replay_compare_build(&side[0], &build, error, sizeof(error))
                       : replay_compare(side, error, sizeof(error));
   if (!result)
      replay_die("%s", error);
   const bool equal = json_is_true(json_object_get(result, "equal"));
   print_document(result, request->json, replay_compare_print);
   return equal ? 0 : REPLAY_DIFFERENT;
}

/* What the model would leave out after a message is what a run with these options is for. */
static void
check_outputs(const struct cf_model_config *config)
{
   const char *const paths[] = { config->stats, config->trace };
   char error[512] = "";
   for (unsigned i = 0; i < 2; i++) {
      struct look_file file;
      if (!paths[i] || !look_file_begin(&file, paths[i], error, sizeof(error)))
         continue;
      if (file.written) /* no device: whether there is room, in a file that goes again */
         fputc(0, file.file);
      look_file_end(&file, false, error, sizeof(error));
   }
   if (config->coverage && mkdir(config->coverage, 0777) != 0 && errno != EEXIST)
      look_file_fails(config->coverage, errno, error, sizeof(error));
   if (error[0])
      replay_die("%s", error);
}

int
main(int argc, char **argv)
{
   struct replay_request request = { .config = { .threads = -1,
                                                 .memory_B = CF_CAPTURE_MAX_ADDRESS,
                                                 .quiet = true }, /* it says itself what fails */
                                     .repeat = 1,
                                     .choice = REPLAY_NO_CHOICE };
   int status = replay_parse_arguments(argc, argv, &request);
   if (status != LOOK_CONTINUE)
      return status;
   check_outputs(&request.config);
   switch (request.mode) {
   case REPLAY_LIST: list(&request); break;
   case REPLAY_PNG:
   case REPLAY_RAW: write_image(&request); break;
   case REPLAY_HASHES: hashes(&request); break;
   case REPLAY_QUERIES: queries(&request); break;
   case REPLAY_RECORD: record(&request); break;
   case REPLAY_TRIM: trim(&request); break;
   case REPLAY_COMPARE: status = compare(&request); break;
   case REPLAY_RUN:
      run(&request);
      break;
   }
   if (request.config.observer)
      pixel_history_end(&request.history);
   if (fflush(stdout) || ferror(stdout))
      replay_die("cannot write: %s", strerror(errno));
   return status == LOOK_CONTINUE ? 0 : status;
}
