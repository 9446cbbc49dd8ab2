/* SPDX-License-Identifier: MIT */
/*
 * Pages of memory that command buffers name: what their packets point at, and what that points at.
 */
#ifndef REPLAY_PAGES_H
#define REPLAY_PAGES_H

#include "look/look_player.h"

#define REPLAY_PAGE_B 4096

struct replay_pages {
   uint8_t *named; /* by page, from address 0 on: 1 */
   uint64_t count;
};

/** Room for the memory of the player's capture; no page is named. False: out of memory. */
bool replay_pages_begin(struct replay_pages *pages, const struct look_player *player);
void replay_pages_end(struct replay_pages *pages);

/** Name the pages of the submission's packets, and those that they name. */
void replay_pages_note(struct replay_pages *pages, const struct look_player *player,
                       const struct look_submission *submission);

/** Whether the page at an address is named. */
static inline bool
replay_page_is_named(const struct replay_pages *pages, uint64_t address)
{
   return address / REPLAY_PAGE_B < pages->count && pages->named[address / REPLAY_PAGE_B];
}

#endif
