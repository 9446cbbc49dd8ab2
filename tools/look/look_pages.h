/* SPDX-License-Identifier: MIT */
/*
 * Pages of memory that command buffers name: what their packets point at, and what that points at.
 */
#ifndef LOOK_PAGES_H
#define LOOK_PAGES_H

#include "look_player.h"

#define LOOK_PAGE_B 4096

struct look_pages {
   uint8_t *named; /* by page, from address 0 on: 1 */
   uint64_t count;
};

/** Room for the memory of the player's capture; no page is named. False: out of memory. */
bool look_pages_begin(struct look_pages *pages, const struct look_player *player);
void look_pages_end(struct look_pages *pages);

/** Name the pages of the submission's packets, and those that they name. */
void look_pages_note(struct look_pages *pages, const struct look_player *player,
                       const struct look_submission *submission);

/** Whether the page at an address is named. */
static inline bool
look_page_is_named(const struct look_pages *pages, uint64_t address)
{
   return address / LOOK_PAGE_B < pages->count && pages->named[address / LOOK_PAGE_B];
}

#endif
