/* SPDX-License-Identifier: MIT */
/*
 * The capture, run with all rules lifted that keep a primitive from a pixel: culling, scissor,
 * near, far and clip planes, stipple, sample mask, discarded rasterisation, all tests. Fragments
 * are not shaded, nothing is written. So it is the GPU itself that says what would be covered.
 * Draws that reach no watched pixel are left out, but for those whose vertices are fed back.
 */
#ifndef WHY_LIFT_H
#define WHY_LIFT_H

#include "why_plan.h"

/* Bytes at the start of look_player_extra that are used. */
#define WHY_LIFT_EXTRA_B 4096
/* Depths in the window are 0.5 + WHY_LIFT_Z_SCALE z / w, for z / w from -8 to 8. */
#define WHY_LIFT_Z_SCALE 0.0625f

/* Who looks. */
struct why_lifted_use {
   struct cf_observer observer;
   uint32_t planes; /* clip planes that stay, a bit each */
   uint32_t *on;    /* set to those that draws have on; NULL: not set */
   /* Before and after each submission; NULL: not called. */
   void (*begin)(void *user, uint32_t number);
   void (*end)(void *user, const struct look_player *player,
               const struct look_submission *submission);
};

/** Run it. False: `error`. */
bool why_lift_run(const struct why_question *question, const struct why_plan *plan,
                  const struct why_lifted_use *use, char *error, size_t error_B);

#endif
