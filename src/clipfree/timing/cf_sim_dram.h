/* SPDX-License-Identifier: MIT */
/*
 * Memory: banks with an open row each, and one bus. Requests of open rows go first, then the oldest
 * (FR-FCFS); but where others pass a request of a bank CF_SIM_DRAM_PATIENCE times, its row is next.
 * A cycle begins one transfer and opens one row.
 */
#ifndef CF_SIM_DRAM_H
#define CF_SIM_DRAM_H

#include "clipfree/timing/cf_sim_machine.h"
#include "clipfree/timing/cf_sim_watch.h"

#define CF_SIM_MAX_BANKS 64
#define CF_SIM_MAX_DRAM_QUEUE 1024
#define CF_SIM_DRAM_PATIENCE 64
#define CF_SIM_NEVER UINT64_MAX

struct cf_sim_dram_request {
   uint64_t number; /* among all requests */
   uint64_t row;
   uint32_t bank;
   uint32_t user;   /* what a read is for */
   uint32_t passed; /* by younger ones */
   bool write;
};

struct cf_sim_dram_reply {
   uint64_t time;
   uint32_t user;
};

struct cf_sim_bank {
   uint64_t row, ready, end; /* ready: for a request; end: of its data; row CF_SIM_NEVER: none */
   /* numbers of its oldest request of the open row, and of another one; CF_SIM_NEVER: none */
   uint64_t hit, other;
};

struct cf_sim_dram {
   const struct cf_sim_machine *machine;
   const struct cf_sim_watch *watch; /* NULL: none */
   uint32_t line_B, burst; /* burst: cycles that a line takes on the bus */
   struct cf_sim_bank bank[CF_SIM_MAX_BANKS];
   uint64_t hits, others; /* banks that have such requests, a bit each */
   struct cf_sim_dram_request queue[CF_SIM_MAX_DRAM_QUEUE]; /* the oldest first */
   uint32_t queued;
   /* reads that were served, in the order in which they return: a ring */
   struct cf_sim_dram_reply reply[CF_SIM_MAX_DRAM_QUEUE];
   uint32_t first_reply, replies;
   uint64_t bus_free;    /* when the bus is free */
   uint64_t quiet_until; /* nothing can begin before, unless there is another request */
   uint64_t pushed;
   uint64_t reads, writes, activations, busy; /* activations: of rows; busy: cycles of the bus */
};

void cf_sim_dram_init(struct cf_sim_dram *dram, const struct cf_sim_machine *machine,
                      uint32_t line_B);

/** Whether a request can be taken, with room for a write-back beside it. */
bool cf_sim_dram_has_room(const struct cf_sim_dram *dram);

void cf_sim_dram_push(struct cf_sim_dram *dram, uint64_t line, bool write, uint32_t user);

/** Begin what can begin at this time. */
void cf_sim_dram_tick(struct cf_sim_dram *dram, uint64_t time);

/** The next read that has returned by now. False: there is none. */
bool cf_sim_dram_pop(struct cf_sim_dram *dram, uint64_t time, uint32_t *user);

/** When something happens next; CF_SIM_NEVER: nothing is under way. */
uint64_t cf_sim_dram_next(const struct cf_sim_dram *dram, uint64_t time);

#endif
