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

/** Write draws of a capture to `output`, and a line about it to `said`. False: `error` says
 * why; there is no half file. */
bool replay_trim(const struct replay_side *side, const struct replay_range *range,
                 const char *output, FILE *said, char *error, size_t error_B);

#endif
