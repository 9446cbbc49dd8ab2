/* SPDX-License-Identifier: MIT */
/*
 * Replays a capture (CLIPFREE_CAPTURE) on the model, without GL: to measure a frame's cost, to look
 * at what it draws, and to compare the bits of two settings.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "replay_list.h"
#include "replay_options.h"
#include "replay_png.h"
#include "replay_run.h"

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
write_image(const struct replay_request *request)
{
   char error[CF_CAPTURE_ERROR_B];
   struct replay_found found;
   const bool ok = replay_choose(request->path, &request->config, &request->choice, &found, error,
                                 sizeof(error)) &&
                   (request->mode == REPLAY_PNG ? replay_png : replay_raw)(&found, request->output,
                                                                           error, sizeof(error));
   if (found.player)
      look_player_close(found.player);
   if (!ok)
      replay_die("%s", error);
}

int
main(int argc, char **argv)
{
   struct replay_request request = { .config = { .threads = -1,
                                                 .memory_B = CF_CAPTURE_MAX_ADDRESS },
                                     .repeat = 1,
                                     .choice = REPLAY_NO_CHOICE };
   const int status = replay_parse_arguments(argc, argv, &request);
   if (status >= 0)
      return status;
   switch (request.mode) {
   case REPLAY_LIST: list(&request); break;
   case REPLAY_PNG:
   case REPLAY_RAW: write_image(&request); break;
   case REPLAY_RUN: replay_run(&request); break;
   }
   if (request.config.observer)
      pixel_history_end(&request.history);
   if (fflush(stdout) || ferror(stdout))
      replay_die("cannot write: %s", strerror(errno));
   return 0;
}
