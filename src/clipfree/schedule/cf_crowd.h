/* SPDX-License-Identifier: MIT */
/*
 * Private to the room. How many helpers are worth keeping awake. Where other processes want the
 * same processors, the owner is kept from running for much of the time that it works. More threads
 * of one process then only take processors from each other, and from the caches what the others had
 * there.
 *
 * The owner notes for how long it worked, and for how long of that it ran. Once it has worked for
 * CF_CROWD_WINDOW_NS and ran for less than CF_CROWD_LEAST of it, only that share of the helpers may
 * be awake. CF_CROWD_REST_NS after it was last so, twice as many may try again, at least one.
 */
#ifndef CF_CROWD_H
#define CF_CROWD_H

#include <stdint.h>

#define CF_CROWD_WINDOW_NS 20000000u
#define CF_CROWD_REST_NS 300000000u
#define CF_CROWD_LEAST 0.6

struct cf_crowd {
   uint32_t helpers, allowed;
   uint64_t worked_ns, ran_ns; /* since the last window ended */
   uint64_t crowded_ns;        /* when it was last crowded, or more were allowed */
};

static inline struct cf_crowd
cf_crowd(uint32_t helpers)
{
   return (struct cf_crowd){ .helpers = helpers, .allowed = helpers };
}

/** Note that the owner worked for worked_ns, until now_ns, of which it ran for ran_ns. */
void cf_crowd_note(struct cf_crowd *crowd, uint64_t worked_ns, uint64_t ran_ns, uint64_t now_ns);

/** How many helpers may be awake. */
uint32_t cf_crowd_allowed(struct cf_crowd *crowd, uint64_t now_ns);

#endif
