/* SPDX-License-Identifier: MIT */
/*
 * Worker threads, and the parallel loops that they run. One thread at a time is the owner: it
 * launches loops, is worker 0, and works while it waits for a loop. Helpers, threads 1 .. count -
 * 1, work whenever there is work.
 *
 * Loops are numbered in the order of their launches. A loop is
 *
 *    launched   it waits for other loops;
 *    open       its items are handed out in ascending order: none starts before a lower one;
 *    finished   all of its items are done, and all loops before it are finished.
 *
 * A loop opens when the loop that it comes `after` is finished, and with that all loops before that
 * one; its items see what those wrote. Workers prefer the oldest open loop.
 *
 * The thread that finishes a loop's last item, or launches a loop, opens the loops that can open
 * then, with the lock. Items are taken without the lock. With one worker loops do not overlap: each
 * is done when its launch returns.
 *
 * Spinning and waking both cost processor time. A worker spins for a small part of the time that it
 * worked lately, and only if the gap is likely to end meanwhile; then it sleeps. A sleeping helper
 * is woken if the loop's items are expected to take longer than recent wake-ups took, by the time
 * of earlier loops with the same function, or once they have taken longer. Shorter loops are left
 * to the owner. Where other processes are about to use the processors, too, fewer helpers may be
 * awake (cf_crowd.h); if none may, loops are run as with one worker.
 */
#ifndef CF_WORKERS_H
#define CF_WORKERS_H

#include <stdbool.h>
#include <stdint.h>

struct cf_workers;

#define CF_WORKERS_LOOPS 32 /* loops in flight, at most */

/** `worker`: 0 .. count - 1, never two items at a time for one worker. */
typedef void (*cf_work_item)(void *user, uint32_t worker, uint32_t item);

/** count >= 1 workers, one of them the thread that launches loops. NULL: out of memory. */
struct cf_workers *cf_workers_create(uint32_t count);
/** Make the helpers' threads, as the first launch does: for processes that cannot do so later. With
 * those that the host refuses there are fewer helpers, or none. */
void cf_workers_start(struct cf_workers *workers);
void cf_workers_destroy(struct cf_workers *workers);
uint32_t cf_workers_count(const struct cf_workers *workers);

/** Whether what one worker writes is nearer to another in its cache than in memory (cf_distance.h):
 * then ordinary stores pay, else streaming ones. Of several workers; it may change at any time. */
bool cf_workers_are_near(const struct cf_workers *workers);

/** Whether the owner works alone: there are no helpers, or none may be awake. It may change at any
 * time. */
bool cf_workers_are_alone(const struct cf_workers *workers);

/** The home of a row of tiles: the worker that renders it in all passes and copies, if it can. Its
 * pixels lie in the cache of that worker's processor, and fetching them from there takes long. */
uint32_t cf_workers_home(const struct cf_workers *workers, uint32_t tile_row);

struct cf_loop {
   cf_work_item work;
   void *user;
   uint32_t items;
   /* called once, when the loop opens, before its first item, by any worker: returns the number of
    * items. NULL: `items` */
   uint32_t (*open)(void *user);
   /* the loop that must be finished first; 0: none; cf_workers_launched(): the last one */
   uint64_t after;
   bool small;      /* so little work that the owner does it at once if nothing is in flight */
   /* the owner will wait for it, and work meanwhile: one helper less need be woken */
   bool waited_for;
};

/** Launch a loop; `user` must live until it is finished. Returns its number: 1, 2, ... Waits while
 * CF_WORKERS_LOOPS are not finished. Only the owner calls this and the functions below, and not
 * from inside an item; owners change under a lock of theirs. */
uint64_t cf_workers_launch(struct cf_workers *workers, const struct cf_loop *loop);

/** The number of the last loop that was launched; 0: none. */
uint64_t cf_workers_launched(const struct cf_workers *workers);

bool cf_workers_is_finished(const struct cf_workers *workers, uint64_t loop);

/** Work until the loop is finished. */
void cf_workers_finish(struct cf_workers *workers, uint64_t loop);

#endif
