/* SPDX-License-Identifier: MIT */
#include "clipfree/capture/cf_capture_notes.h"

#include <stdlib.h>
#include <string.h>

/* The note of that address, or a new one. NULL: out of memory. The latest are found first: a
 * draw's notes follow each other. */
static struct cf_capture_note *
find_or_add(struct cf_capture_notes *notes, uint64_t address)
{
   for (uint32_t i = notes->count; i-- > 0;) {
      if (notes->note[i].address == address)
         return &notes->note[i];
   }
   if (notes->count == notes->capacity) {
      const uint32_t capacity = 2 * notes->capacity + 64;
      struct cf_capture_note *grown = realloc(notes->note, capacity * sizeof(*grown));
      if (!grown)
         return NULL;
      notes->note = grown;
      notes->capacity = capacity;
   }
   notes->note[notes->count] = (struct cf_capture_note){ .address = address };
   return &notes->note[notes->count++];
}

void
cf_capture_notes_put(struct cf_capture_notes *notes, uint64_t address, const void *data,
                     size_t size_B)
{
   uint8_t *copy = malloc(size_B + 1);
   struct cf_capture_note *note = copy ? find_or_add(notes, address) : NULL;
   if (!note) {
      free(copy);
      return;
   }
   memcpy(copy, data, size_B);
   free(note->data);
   note->data = copy;
   note->size_B = (uint32_t)size_B;
   note->in_file = false;
}

void
cf_capture_notes_drop(struct cf_capture_notes *notes, uint64_t address, uint64_t size_B)
{
   uint32_t kept = 0;
   for (uint32_t i = 0; i < notes->count; i++) {
      if (notes->note[i].address - address < size_B)
         free(notes->note[i].data);
      else
         notes->note[kept++] = notes->note[i];
   }
   notes->count = kept;
}

void
cf_capture_notes_restart(struct cf_capture_notes *notes)
{
   for (uint32_t i = 0; i < notes->count; i++)
      notes->note[i].in_file = false;
}

void
cf_capture_notes_free(struct cf_capture_notes *notes)
{
   for (uint32_t i = 0; i < notes->count; i++)
      free(notes->note[i].data);
   free(notes->note);
   *notes = (struct cf_capture_notes){ 0 };
}
