/* SPDX-License-Identifier: MIT */
/*
 * Results of queries as lines of JSON, and the comparison with those that another build prints.
 */
#ifndef REPLAY_QUERY_LINES_H
#define REPLAY_QUERY_LINES_H

#include "replay_choice.h"
#include "replay_compare.h"
#include "replay_process.h"

/** Print the results after each submission that has queries, a line each; or after one operation
 * (`number`, else REPLAY_NONE), where its submission is cut. False: `error`. */
bool replay_query_lines(const struct replay_side *side, unsigned long number, FILE *file,
                        char *error, size_t error_B);

/** Look for the first query, in submissions before `end`, whose result another build does not have,
 * and for the operation after which it has not. *difference: NULL if there is none. False:
 * `error`. */
bool replay_query_lines_compare(const struct replay_side *side, const struct replay_build *build,
                                uint32_t end, json_t **difference, char *error, size_t error_B);

#endif
