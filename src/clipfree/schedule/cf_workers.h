/* SPDX-License-Identifier: MIT */
/*
 * Worker threads and the parallel loops they run. One owner thread (at a time) launches loops; it is worker 0, and
 * works when it waits for a loop; threads 1 .. count - 1 work whenever there is something to do.
 *
 * Loops are numbered in the order they were launched. A loop is
 *
 *    launched   it waits for others;
 *    open       its items are handed out, in ascending order, so that an item never starts before a lower one has;
 *    finished   all of its items are done, and all loops before it are finished.
 *
 * A loop opens when the loop it comes `after` is finished, and so are all before that one. What their items wrote is seen by its
 * items. Of open loops workers prefer the oldest.
 *
 * Whoever finishes a loop's last item, or launches a loop, opens what can be opened then, under the lock; items are taken
 * without it. With one worker nothing overlaps: a loop is done when it has been launched.
 *
 * Waiting costs processor time, and so does waking: a worker spins for a small part of the time that it lately worked, and only where
 * gaps are likely to end meanwhile; then it sleeps. A helper that sleeps is woken if the loop's items, as far as their time is known from
 * loops with the same function, would take longer than waking lately took (more on a machine full of processes), or once they do. Work
 * that is too little for that waits for the owner.
 */
#ifndef CF_WORKERS_H
#define CF_WORKERS_H

#include <stdbool.h>
#include <stdint.h>

struct cf_workers;

#define CF_WORKERS_LOOPS 32 /* loops in flight, at most */

/** `worker`: 0 .. count - 1, never two items at a time for one worker. */
typedef void (*cf_work_item)(void *user, uint32_t worker, uint32_t item);

/** count >= 1 workers, one of them the calling thread. Fewer if threads cannot be created. NULL:
 * out of memory. */
struct cf_workers *cf_workers_create(uint32_t count);
void cf_workers_destroy(struct cf_workers *workers);
uint32_t cf_workers_count(const struct cf_workers *workers);

/** The home of a row of tiles: the worker that renders it in all passes and copies, if it can. Its
 * pixels lie in the cache of that worker's processor, and fetching them from there takes long. */
uint32_t cf_workers_home(const struct cf_workers *workers, uint32_t tile_row);

struct cf_loop {
   cf_work_item work;
   void *user;
   uint32_t items;
   /* Called once, when the loop opens and before its first item, by any worker: returns the number of items. NULL: `items`. */
   uint32_t (*open)(void *user);
   uint64_t after;  /* it opens when this loop is finished; 0: at once; cf_workers_launched(): the last one */
   bool small;      /* so little work that the owner does it at once if nothing is in flight */
   /* the owner will wait for it, and work meanwhile: one helper less need be woken */
   bool waited_for;
};

/** Launch a loop, whose `user` must live until it is finished. Returns its number: 1, 2, ... Only the owner calls
 * this and the functions below, and not from inside an item; to change owners is to change them by a lock. Waits while
 * CF_WORKERS_LOOPS are not finished. */
uint64_t cf_workers_launch(struct cf_workers *workers, const struct cf_loop *loop);

/** The number of the last loop that was launched; 0: none. */
uint64_t cf_workers_launched(const struct cf_workers *workers);

bool cf_workers_is_finished(const struct cf_workers *workers, uint64_t loop);

/** Work until the loop is finished. */
void cf_workers_finish(struct cf_workers *workers, uint64_t loop);

#endif
