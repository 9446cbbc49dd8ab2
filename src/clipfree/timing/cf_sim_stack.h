/* SPDX-License-Identifier: MIT */
/*
 * Stack distances (Mattson et al. 1970): how many other lines were requested since a line was
 * requested last. A fully associative LRU cache hits requests of a distance below its number of
 * lines, so one pass gives all sizes.
 *
 * A tree over time (Fenwick) counts the last uses; times are renumbered when it is full. O(log n) a
 * request, n the number of lines.
 */
#ifndef CF_SIM_STACK_H
#define CF_SIM_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cf_sim_stack {
   uint32_t *last; /* by line: the time of its last use, from 1; 0: never */
   size_t last_room;
   uint32_t *tree, *line_at; /* by time; tree: sums of last uses */
   uint32_t times, time;     /* room; the last time */
   uint32_t lines;           /* that were used */
   uint32_t repeated;        /* the line requested last */
   uint64_t *count;          /* by distance: requests */
   size_t count_room;
   uint64_t requests, first; /* first: of lines never used before */
};

/** Empty. False: out of memory. */
bool cf_sim_stack_init(struct cf_sim_stack *stack);
void cf_sim_stack_free(struct cf_sim_stack *stack);

/** A request. False: out of memory. */
bool cf_sim_stack_request(struct cf_sim_stack *stack, uint32_t line);

/** Hits of an LRU cache of so many lines. */
uint64_t cf_sim_stack_hits(const struct cf_sim_stack *stack, uint32_t lines);

#endif
