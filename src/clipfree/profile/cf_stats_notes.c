/* SPDX-License-Identifier: MIT */
#include "clipfree/profile/cf_stats_notes.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/interface/cf_note.h"

#define BETWEEN_GROUPS " / "

static int
compare(const void *a, const void *b)
{
   const uint64_t packet = *(const uint64_t *)a, other = *(const uint64_t *)b;
   return (packet > other) - (packet < other);
}

/* Append what there is room for; a character of UTF-8 is never cut. */
static void
append(char text[CF_STAT_TEXT_B], const char *more)
{
   const size_t at = strlen(text), length = strlen(more), room = CF_STAT_TEXT_B - 1 - at;
   size_t copied = length < room ? length : room;
   while (copied > 0 && copied < length && (more[copied] & 0xc0) == 0x80)
      copied--;
   memcpy(text + at, more, copied);
   text[at + copied] = 0;
}

static void
read_note(struct cf_stats_note *texts, const void *note, size_t size_B)
{
   struct cf_note_part part;
   for (size_t at = 0; cf_note_next(note, size_B, &at, &part);) {
      if (part.field == CF_NOTE_CALL && !texts->call[0])
         append(texts->call, part.text);
      if (part.field == CF_NOTE_GROUP) {
         append(texts->group, texts->group[0] ? BETWEEN_GROUPS : "");
         append(texts->group, part.text);
      }
   }
}

void
cf_stats_notes_put(struct cf_stats_notes *notes, uint64_t packet, const void *note, size_t size_B)
{
   struct cf_stats_note *texts = calloc(1, sizeof(*texts)), before;
   if (!texts)
      return;
   texts->packet = packet;
   read_note(texts, note, size_B);
   cf_stats_notes_take(notes, packet, &before);
   if ((!texts->call[0] && !texts->group[0]) || !tsearch(texts, &notes->tree, compare))
      free(texts);
}

bool
cf_stats_notes_take(struct cf_stats_notes *notes, uint64_t packet, struct cf_stats_note *taken)
{
   void *const *found = tfind(&packet, &notes->tree, compare);
   struct cf_stats_note *texts = found ? *found : NULL;
   if (!texts)
      return false;
   tdelete(&packet, &notes->tree, compare);
   *taken = *texts;
   free(texts);
   return true;
}

void
cf_stats_notes_free(struct cf_stats_notes *notes)
{
   while (notes->tree) {
      struct cf_stats_note *texts = *(struct cf_stats_note **)notes->tree;
      tdelete(texts, &notes->tree, compare);
      free(texts);
   }
}
