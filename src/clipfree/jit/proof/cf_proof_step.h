/* SPDX-License-Identifier: MIT */
/* Private to the room: what one instruction does to what is known, and whether it may. */
#ifndef CF_PROOF_STEP_H
#define CF_PROOF_STEP_H

#include "clipfree/jit/proof/cf_proof_state.h"

/** Go over an instruction. Returns why it may not be executed; NULL: it may. */
const char *cf_proof_step(const struct cf_proof_task *task, struct cf_proof_state *state,
                          const struct cf_proof_insn *insn);

/** What is known where a conditional jump was taken, or (`taken` false) was not. False: by what is
 * known it never is. */
bool cf_proof_learn(struct cf_proof_state *state, enum cf_proof_condition condition, bool taken);

#endif
