/* SPDX-License-Identifier: MIT */
/*
 * A limit of the processor time that one thread spends on one thing, in several stretches. What
 * counts is the thread's own time, not that of whatever else the machine does. Only the system
 * knows it: it is asked for at the start and end of a stretch, and in between only where the
 * wall's clock, which is cheap, says that the limit may be reached.
 *
 * Much work is not endless work: stretches are items of loops, whose numbers are known. While the
 * tasks in them are short, and at the pace so far all would be done within CF_TIME_MOST limits, an
 * item may begin after the limit, too, and take as long. Example: of 300 tiles a thread has done
 * 100 when the limit is reached: it goes on, and ends after three. With 10 it would be stopped.
 */
#ifndef CF_TIME_LIMIT_H
#define CF_TIME_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#define CF_TIME_MOST 6                 /* times the limit: what may be used on a good pace */
#define CF_TIME_SHORT_TASK_NS 4000000u /* the mean of an item's tasks, at most, for going on */

struct cf_time_limit {
   uint64_t limit_ns;
   uint64_t used_ns;            /* in the stretches before this one */
   uint64_t allowed_ns;         /* in all, at the end of this one */
   uint64_t exceeded_ns;        /* what was allowed when more was used; 0: it never was */
   uint64_t wall_ns, thread_ns; /* the clocks at the start of this one */
   /* of the loop that the last item was of: what it took so far, and how many items */
   uint64_t loop, loop_ns;
   uint32_t loop_items;
   bool tasks_are_long; /* those of the last item */
};

#define CF_TIME_ITEMS_UNKNOWN UINT32_MAX

/** Begin a stretch, on the thread that works. NULL: there is no limit. `loop`: a number that names
 * the loop; `left`: the items of it that the thread will likely have to do, this one among them;
 * CF_TIME_ITEMS_UNKNOWN: then no item begins after the limit. */
void cf_time_limit_begin(struct cf_time_limit *limit, uint64_t loop, uint32_t left);

/** End it, on the same thread; so many tasks ran in it. */
void cf_time_limit_end(struct cf_time_limit *limit, uint64_t tasks);

/** Whether more was used than is allowed, within a stretch. */
bool cf_time_limit_asked(const struct cf_time_limit *limit);

/** The same of a limit that may be NULL, which costs one predictable branch. */
static inline bool
cf_time_limit_over(const struct cf_time_limit *limit)
{
   return __builtin_expect(limit != 0, 0) && cf_time_limit_asked(limit);
}

#endif
