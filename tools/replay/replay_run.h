/* SPDX-License-Identifier: MIT */
/*
 * Runs a capture as it is, to measure it, and prints a hash of all GPU memory after the last
 * submission. Memory is restored before every repetition, so that each does the same work.
 */
#ifndef REPLAY_RUN_H
#define REPLAY_RUN_H

#include "replay_options.h"

/** Run it: {"version", "wall_us", "cpu_us", "memory", ...} (docs/schemas/replay-run.schema.json).
 * With request->json records (--print) and events (--pixel) are members of it, else they are
 * printed as they come. NULL: `error` says why it is refused, or what a submission failed by. */
json_t *replay_run(struct replay_request *request, char *error, size_t error_B);

/** The last line: times, and the hash of memory. */
void replay_run_print(FILE *file, const json_t *run);

#endif
