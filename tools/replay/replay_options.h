/* SPDX-License-Identifier: MIT */
/*
 * The command line of clipfree-replay.
 */
#ifndef REPLAY_OPTIONS_H
#define REPLAY_OPTIONS_H

#include "clipfree/command/cf_model.h"
#include "look/look_options.h"

#include "pixel_history.h"
#include "replay_choice.h"
#include "replay_trim.h"

#define REPLAY_MAX_SETTINGS_B 256
#define REPLAY_MAX_WORDS 64

enum replay_mode {
   REPLAY_RUN, /* and print the time and a hash of memory */
   REPLAY_LIST,
   REPLAY_PNG,
   REPLAY_RAW,
   REPLAY_HASHES,
   REPLAY_QUERIES,
   REPLAY_RECORD,
   REPLAY_COMPARE,
   REPLAY_TRIM,
};

struct replay_request {
   enum replay_mode mode;
   struct cf_model_config config;
   const char *path;
   unsigned long repeat;
   bool engine_given, print, json;
   bool quiet; /* a run does not warn of a capture that is not complete */
   bool list, hashes, queries, compare, record; /* what is asked for: `mode` */
   const char *png, *raw, *trim;                /* files to write: `mode` */
   struct pixel_history history;
   struct cf_observer observer; /* of `history`, if it was requested */
   struct replay_choice choice;
   uint32_t record_x_px, record_y_px; /* --record */
   struct replay_range range;         /* --trim */
   /* --compare: the other side. Without more, this side's capture, settings and build. */
   struct cf_model_config against;
   const char *against_settings, *against_capture, *against_build;
   /* options of the model that the other side has, as words of a command line */
   const char *word[REPLAY_MAX_WORDS];
   uint32_t words;
   bool too_many; /* words */
   char settings[REPLAY_MAX_SETTINGS_B], names[REPLAY_MAX_SETTINGS_B];
};

/** Print a message and exit. */
_Noreturn void __attribute__((format(printf, 1, 2))) replay_die(const char *format, ...);

/** Parse the command line. LOOK_CONTINUE, or the exit status. */
int replay_parse_arguments(int argc, char **argv, struct replay_request *request);

#endif
