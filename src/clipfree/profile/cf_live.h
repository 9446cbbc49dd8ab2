/* SPDX-License-Identifier: MIT */
/*
 * Objects to be ended when the process exits: most programs exit without destroying their GPU.
 */
#ifndef CF_LIVE_H
#define CF_LIVE_H

#include <stdbool.h>

/* A member of the object. */
struct cf_live {
   struct cf_live *next;
   void (*end)(struct cf_live *live); /* may be called while other threads use the object */
};

/** End the object at the exit of the process. */
void cf_live_add(struct cf_live *live, void (*end)(struct cf_live *live));

/** Forget the object. False: the process exits, and it was ended. */
bool cf_live_remove(struct cf_live *live);

#endif
