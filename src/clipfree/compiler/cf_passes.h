/* SPDX-License-Identifier: MIT */
/*
 * The passes that may be left out, one by one: code stays correct without them, and gets longer. To
 * find out which of them changes a picture (clipfree shader bisect, CLIPFREE_COMPILER).
 */
#ifndef CF_PASSES_H
#define CF_PASSES_H

enum cf_pass {
   CF_PASS_COPY_PROP_VARS,
   CF_PASS_DEAD_WRITE_VARS,
   CF_PASS_DEAD_CF,
   CF_PASS_LOOP,
   CF_PASS_IF,
   CF_PASS_CSE,
   CF_PASS_PEEPHOLE_SELECT,
   CF_PASS_INTRINSICS,
   CF_PASS_UNDEF,
   CF_PASS_CONDITIONAL_DISCARD,
   CF_PASS_LOOP_UNROLL,
   CF_PASS_LICM,
   CF_PASS_EXACT_DIVISION,
   CF_PASS_ZERO_COMPARISON,
   CF_PASS_SINK,
   CF_PASS_MOVE,
   CF_PASS_FLOW,
   CF_PASS_DEAD,
   CF_PASS_SCHEDULE,
   CF_PASS_COALESCE,
   CF_PASS_COUNT,
};

struct cf_pass_info {
   const char *name;
   const char *text; /* what it does, one sentence */
};

extern const struct cf_pass_info cf_passes[CF_PASS_COUNT];

#endif
