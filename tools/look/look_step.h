/* SPDX-License-Identifier: MIT */
/*
 * Runs parts of a submission: up to an operation, or one operation after the other. The same bits
 * come out as when it runs in one piece.
 */
#ifndef LOOK_STEP_H
#define LOOK_STEP_H

#include "look_ops.h"

/** Run the submission's packets before dword number `end_dw`. */
void look_run_until(struct look_player *player, const struct look_submission *submission,
                    uint32_t end_dw);

/* More than there are things that state packets set: 19 kinds, stages, units, banks, targets. */
#define LOOK_LIVE_PACKETS 160

/* A packet that set state, which no later one of those run has set again. */
struct look_live {
   uint64_t key;
   uint32_t at_dw, dwords;
};

/* A submission that is run operation by operation. Between steps all of its operations and queries
 * are nops in memory. A step runs the packets since the one before, and of those before them only
 * what still holds, so that its time does not grow with the submission. */
struct look_steps {
   struct look_player *player;
   struct look_submission submission;
   uint32_t *packets;                        /* a copy of its dwords, and room for as many */
   struct look_live live[LOOK_LIVE_PACKETS]; /* before `next_dw`, in the submission's order */
   uint32_t lives, next_dw;
};

/** False: out of memory. */
bool look_steps_begin(struct look_steps *steps, struct look_player *player,
                      const struct look_submission *submission);

/** Run this operation alone, with the state that packets before it set. Queries do not count. */
void look_steps_run(struct look_steps *steps, const struct look_op *op);

/** Restore the submission's packets. */
void look_steps_end(struct look_steps *steps);

/* Sees an operation that is next, and the state that it has; runs it with look_steps_run. False:
 * stop here. */
typedef bool (*look_step)(void *user, struct look_steps *steps, const struct look_state *state,
                          const struct look_op *op);

/** Walk through a submission, operation by operation. ops: all zero before the first submission.
 * False: out of memory. */
bool look_steps_each(struct look_player *player, const struct look_submission *submission,
                     struct look_ops *ops, look_step step, void *user);

/** The submission with its packets as they are in memory without steps, to be walked through. */
struct look_submission look_steps_packets(const struct look_steps *steps);

#endif
