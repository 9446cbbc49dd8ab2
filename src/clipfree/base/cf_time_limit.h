/* SPDX-License-Identifier: MIT */
/*
 * A limit of the processor time that one thread spends on one thing, in several stretches. What
 * counts is the thread's own time, not that of whatever else the machine does. Only the system
 * knows it: it is asked for at the start and end of a stretch, and in between only where the
 * wall's clock, which is cheap, says that the limit may be reached.
 */
#ifndef CF_TIME_LIMIT_H
#define CF_TIME_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

struct cf_time_limit {
   uint64_t limit_ns;
   uint64_t used_ns;            /* in the stretches before this one */
   uint64_t wall_ns, thread_ns; /* the clocks at the start of this one */
};

/** Begin a stretch, on the thread that works. NULL: there is no limit. */
void cf_time_limit_begin(struct cf_time_limit *limit);

/** End it, on the same thread. */
void cf_time_limit_end(struct cf_time_limit *limit);

/** Whether the limit is exceeded, within a stretch. */
bool cf_time_limit_asked(const struct cf_time_limit *limit);

/** The same of a limit that may be NULL, which costs one predictable branch. */
static inline bool
cf_time_limit_over(const struct cf_time_limit *limit)
{
   return __builtin_expect(limit != 0, 0) && cf_time_limit_asked(limit);
}

#endif
