/* SPDX-License-Identifier: MIT */
/*
 * What goes wrong in an instruction: a NaN or an infinity that no operand was, a division by zero,
 * an index outside of its array.
 */
#ifndef DEBUG_FAULT_H
#define DEBUG_FAULT_H

#include "debug_program.h"

enum debug_fault_kind {
   DEBUG_NAN,
   DEBUG_INF,
   DEBUG_ZERO,
   DEBUG_INDEX,
};
#define DEBUG_FAULTS 4

struct debug_fault {
   enum debug_fault_kind kind;
   uint32_t lane;
   char text[192];
};

/** Its name: "nan", "inf", "zero", "index"; and a sentence. */
const char *debug_fault_name(enum debug_fault_kind kind);
const char *debug_fault_title(enum debug_fault_kind kind);

/** What the instruction at position `at` does wrong, in these lanes; `kinds`: a bit for each kind
 * that is asked for. The task stands at the position before and behind it after the call. False:
 * nothing. */
bool debug_fault_find(struct debug_task *task, const struct debug_program *program, uint32_t at,
                      uint32_t lanes, uint32_t kinds, struct debug_fault *fault);

#endif
