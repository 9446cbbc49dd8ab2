/* SPDX-License-Identifier: MIT */
#include "cf_passes.h"

const struct cf_pass_info cf_passes[CF_PASS_COUNT] = {
   /* in NIR, Mesa's */
   [CF_PASS_COPY_PROP_VARS] = { "copy_prop_vars",
                                "NIR: reads of a variable become what was written to it." },
   [CF_PASS_DEAD_WRITE_VARS] = { "dead_write_vars",
                                 "NIR: writes that another write follows are removed." },
   [CF_PASS_DEAD_CF] = { "dead_cf", "NIR: branches and loops that never run are removed." },
   [CF_PASS_LOOP] = { "loop", "NIR: breaks and continues of loops get simpler." },
   [CF_PASS_IF] = { "if", "NIR: conditions are merged, and known inside of what depends on them." },
   [CF_PASS_CSE] = { "cse", "NIR: what was computed before is not computed again." },
   [CF_PASS_PEEPHOLE_SELECT] = { "peephole_select", "NIR: short branches become selections." },
   [CF_PASS_INTRINSICS] = { "intrinsics", "NIR: loads of what is known are removed." },
   [CF_PASS_UNDEF] = { "undef", "NIR: what depends on undefined values is removed." },
   [CF_PASS_CONDITIONAL_DISCARD] = { "conditional_discard",
                                     "NIR: a branch around discard becomes its condition." },
   [CF_PASS_LOOP_UNROLL] = { "loop_unroll",
                             "NIR: loops with a known number of rounds are unrolled." },
   [CF_PASS_LICM] = { "licm", "NIR: what is the same in all rounds of a loop moves before it." },
   [CF_PASS_SINK] = { "sink", "NIR: comparisons and copies move towards their use." },
   [CF_PASS_MOVE] = { "move", "NIR: comparisons, copies and loads of inputs move down, within "
                              "their block." },
   /* in NIR, ours */
   [CF_PASS_EXACT_DIVISION] = { "exact_division",
                                "Division by a power of two becomes a multiplication." },
   [CF_PASS_ZERO_COMPARISON] = { "zero_comparison",
                                 "Order comparisons with zero take denormals for zero." },
   /* in the IR */
   [CF_PASS_FLOW] = { "flow", "A branch that only leaves a loop becomes a conditional one; empty "
                              "branches are removed." },
   [CF_PASS_DEAD] = { "dead", "What nobody reads is not computed." },
   [CF_PASS_SCHEDULE] = { "schedule",
                          "The order is changed, so that fewer vector registers are live." },
   [CF_PASS_COALESCE] = { "coalesce", "Registers that a move joins are one." },
};
