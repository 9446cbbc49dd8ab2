/* SPDX-License-Identifier: MIT */
/*
 * The record of what a draw does to a pixel (replay_watch.h): made here, or by another build, which
 * writes it as lines of JSON.
 */
#ifndef REPLAY_RECORD_H
#define REPLAY_RECORD_H

#include "replay_compare.h"
#include "replay_process.h"
#include "replay_watch.h"

/** Play to the draw that `pixel` names, as `side` says, and run it watched: on the plain path,
 * interpreted, from the memory that it finds. `watch` begins as { 0 }; free it in any case. False:
 * `error`. */
bool replay_record_make(const struct replay_side *side, const struct replay_pixel *pixel,
                        struct replay_watch *watch, char *error, size_t error_B);

/** The same by another build's clipfree-replay, with its --record. */
bool replay_record_fetch(const struct replay_side *side, const struct replay_build *build,
                         const struct replay_pixel *pixel, struct replay_watch *watch, char *error,
                         size_t error_B);

/** Write a record: lines of programs, tasks and fragments, each an object, and of its end. */
void replay_record_write(const struct replay_watch *watch, FILE *file);

#endif
