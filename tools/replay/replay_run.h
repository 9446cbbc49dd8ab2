/* SPDX-License-Identifier: MIT */
/*
 * Runs a capture as it is, to measure it, and prints a hash of all GPU memory after the last
 * submission. Memory is restored before every repetition, so that each does the same work.
 */
#ifndef REPLAY_RUN_H
#define REPLAY_RUN_H

#include "replay_options.h"

void replay_run(const struct replay_request *request);

#endif
