/* SPDX-License-Identifier: MIT */
/*
 * Results of queries on two sides. Those of clocks are other ones each time and not looked at.
 */
#ifndef REPLAY_QUERIES_H
#define REPLAY_QUERIES_H

#include "look/look_ops.h"

/* A query whose result differs. */
struct replay_query {
   uint64_t packet; /* of side a */
   enum cf_query_kind kind;
   uint64_t result[2]; /* its address on each side */
   uint64_t value[2];
};

/** The next query that counts, or NULL. */
const uint32_t *replay_queries_next(struct look_packets *packets, struct cf_query *query);

/** The first query of a submission that has run whose results differ. False: there is none. */
bool replay_queries_differ(struct look_player *const player[2],
                           const struct look_submission submission[2], struct replay_query *query);

/** The first operation after which the results of a query differ, with the sides' memory as it is
 * before the submission, which runs several times. False: they differ before, or there is none, or
 * memory is out. */
bool replay_query_op(struct look_player *const player[2],
                     const struct look_submission submission[2], const struct look_ops ops[2],
                     const struct replay_query *query, struct look_op op[2]);

#endif
