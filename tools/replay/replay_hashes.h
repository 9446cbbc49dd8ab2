/* SPDX-License-Identifier: MIT */
/*
 * Hashes of what a capture's operations write, after each of them; and the comparison with another
 * build's, which runs as a process of its own and prints its hashes.
 */
#ifndef REPLAY_HASHES_H
#define REPLAY_HASHES_H

#include "replay_compare.h"
#include "replay_process.h"

/** Print a line for each operation, a JSON object. False: `error` says why that cannot be done. */
bool replay_hashes(const struct replay_side *side, FILE *file, char *error, size_t error_B);

/** Compare with another build, as replay_compare does. */
json_t *replay_compare_build(const struct replay_side *side, const struct replay_build *build,
                             char *error, size_t error_B);

#endif
