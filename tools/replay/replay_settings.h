/* SPDX-License-Identifier: MIT */
/*
 * A difference of two sides whose programs and state are equal: which setting makes it, and, if
 * that is the engine, which instruction of compiled code.
 */
#ifndef REPLAY_SETTINGS_H
#define REPLAY_SETTINGS_H

#include "replay_compare.h"
#include "replay_watch.h"

/** Name the setting ("setting"), and of the engine lane and instruction, of a draw that makes the
 * pixel different; what is not known is said in notes. watch: what side a, interpreted on the plain
 * path, does to the pixel. */
void replay_describe_settings(const struct replay_side side[2], const struct replay_pixel *pixel,
                              const struct replay_watch *watch, json_t *difference);

#endif
