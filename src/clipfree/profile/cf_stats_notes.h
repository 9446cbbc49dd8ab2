/* SPDX-License-Identifier: MIT */
/*
 * What notes (interface/cf_note.h) say of draws that the GPU has not come to yet, as texts of their
 * rows. A note is taken once, when its draw is parsed: a later packet at its address is another
 * draw. One thread at a time.
 */
#ifndef CF_STATS_NOTES_H
#define CF_STATS_NOTES_H

#include <stdbool.h>
#include <stddef.h>

#include "clipfree/profile/cf_stats.h"

/* All zero: empty. */
struct cf_stats_notes {
   void *tree; /* of tsearch */
};

/* The texts of a draw; "": it has none. */
struct cf_stats_note {
   uint64_t packet;
   char call[CF_STAT_TEXT_B], group[CF_STAT_TEXT_B];
};

/** Keep the texts of a note of the draw packet, in the place of those that it had before. Notes
 * without texts of draws are left out, as all are where memory is short. */
void cf_stats_notes_put(struct cf_stats_notes *notes, uint64_t packet, const void *note,
                        size_t size_B);

/** Take the texts of a draw. False: there are none. */
bool cf_stats_notes_take(struct cf_stats_notes *notes, uint64_t packet,
                         struct cf_stats_note *taken);

void cf_stats_notes_free(struct cf_stats_notes *notes);

#endif
