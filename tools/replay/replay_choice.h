/* SPDX-License-Identifier: MIT */
/*
 * Which image, and when: a surface or texture, its level, layer, sample, depth or stencil, before
 * or after an operation of the capture, or when a frame is presented.
 */
#ifndef REPLAY_CHOICE_H
#define REPLAY_CHOICE_H

#include "look/look_image.h"
#include "look/look_step.h"

#include "clipfree/command/cf_model.h"

enum replay_aspect {
   REPLAY_COLOR, /* whole pixels, where depth has its own picture */
   REPLAY_DEPTH,
   REPLAY_STENCIL,
};

/* What was asked for. Numbers that were not given are REPLAY_NONE. */
#define REPLAY_NONE UINT32_MAX

struct replay_choice {
   unsigned long draw, operation, frame; /* at most one is given */
   bool before;
   const char *image;                  /* NULL: not given */
   unsigned long level, layer, sample; /* 0 by default; level: the texture's first */
};

#define REPLAY_NO_CHOICE                                                                           \
   {                                                                                               \
      .draw = REPLAY_NONE, .operation = REPLAY_NONE, .frame = REPLAY_NONE, .level = REPLAY_NONE    \
   }

/* What was found; valid as long as its player. */
struct replay_found {
   struct look_player *player;
   struct look_image image;
   enum replay_aspect aspect;
   uint32_t sample;
};

/** Whether `text` may name an image. */
bool replay_choice_parse_image(const char *text);

/** Play the capture to the place and find the image. False: `error` says what to do. Close
 * found->player, if there is one, in any case. */
bool replay_choose(const char *path, const struct cf_model_config *config,
                   const struct replay_choice *choice, struct replay_found *found, char *error,
                   size_t error_B);

#endif
