/* SPDX-License-Identifier: MIT */
/*
 * Private to the room: warnings of what draws do that is defined, but hardly meant, or slow. Each
 * program is warned of once.
 */
#ifndef CF_WARNINGS_H
#define CF_WARNINGS_H

#include "clipfree/command/cf_slow.h"
#include "clipfree/schedule/cf_draw.h"
#include "clipfree/schedule/cf_pass.h"

#define CF_WARNED_PROGRAMS 64

/* What was warned of. All zero: nothing. */
struct cf_warnings {
   /* a ring: a program may be warned of again once it is forgotten */
   const struct cf_decoded *outside[CF_WARNED_PROGRAMS];
   uint32_t outsides; /* so far */
   struct cf_slow_reported slow;
};

/** Write a warning of a load outside of a vertex buffer to `text`, unless its program was warned of
 * before. */
void cf_warn_outside(struct cf_warnings *warnings, const struct cf_pass_outside *outside,
                     char *text, size_t text_B);

/** The same of a draw that stays on a slow path, for this reason. */
void cf_warn_slow(struct cf_warnings *warnings, const struct cf_draw_state *draw,
                  enum cf_slow reason, char *text, size_t text_B);

#endif
