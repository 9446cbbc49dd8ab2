/* SPDX-License-Identifier: MIT */
/*
 * A smaller capture: the submissions from a draw's to another one's, cut after that, with the
 * memory that they name, as it is before them. It gives the same bits, which is tried before it is
 * there.
 */
#ifndef REPLAY_TRIM_H
#define REPLAY_TRIM_H

#include <stdio.h>

#include "replay_compare.h"

struct replay_range {
   unsigned long first, last; /* numbers of draws */
};

/** Write draws of a capture to `output`. Returns what it has
 * (docs/schemas/replay-trim.schema.json). NULL: `error` says why; there is no half file. */
json_t *replay_trim(const struct replay_side *side, const struct replay_range *range,
                    const char *output, char *error, size_t error_B);

/** The same as a line. */
void replay_trim_print(FILE *file, const json_t *trimmed);

#endif
