/* SPDX-License-Identifier: MIT */
#include "clipfree/interface/cf_note.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct cf_note_variable) == 16, "a variable is written as it lies in memory");

/* Room for more bytes. NULL: the note would be too long, or memory is short. */
static uint8_t *
reserve(struct cf_note *note, size_t size_B)
{
   if (size_B > CF_NOTE_MAX_B - note->size_B)
      return NULL;
   if (note->size_B + size_B > note->capacity_B) {
      const uint32_t capacity_B = 2 * (note->size_B + (uint32_t)size_B);
      uint8_t *grown = realloc(note->data, capacity_B);
      if (!grown)
         return NULL;
      note->data = grown;
      note->capacity_B = capacity_B;
   }
   note->size_B += (uint32_t)size_B;
   return note->data + note->size_B - size_B;
}

static void
add(struct cf_note *note, enum cf_note_field field, const struct cf_note_variable *variable,
    const char *text, size_t length)
{
   const size_t variable_B = variable ? sizeof(*variable) : 0;
   if (length > CF_NOTE_MAX_B)
      return;
   const struct cf_note_head head = { field, (uint32_t)(variable_B + length + 1) };
   uint8_t *at = reserve(note, sizeof(head) + head.size_B);
   if (!at)
      return;
   memcpy(at, &head, sizeof(head));
   at += sizeof(head);
   if (variable)
      memcpy(at, variable, variable_B);
   memcpy(at + variable_B, text, length);
   at[variable_B + length] = 0;
}

void
cf_note_add_text(struct cf_note *note, enum cf_note_field field, const char *text, size_t length)
{
   add(note, field, NULL, text, length);
}

void
cf_note_add_variable(struct cf_note *note, enum cf_note_field field,
                     const struct cf_note_variable *variable, const char *declaration)
{
   add(note, field, variable, declaration, strlen(declaration));
}

void
cf_note_add_fields(struct cf_note *note, const void *fields, size_t size_B)
{
   uint8_t *at = size_B > 0 ? reserve(note, size_B) : NULL;
   if (at)
      memcpy(at, fields, size_B);
}

void
cf_note_free(struct cf_note *note)
{
   free(note->data);
   *note = (struct cf_note){ 0 };
}

static bool
has_variable(uint32_t field)
{
   return field >= CF_NOTE_ATTRIBUTE;
}

bool
cf_note_next(const void *note, size_t size_B, size_t *at, struct cf_note_part *part)
{
   const uint8_t *data = note;
   struct cf_note_head head;
   do {
      if (*at > size_B || size_B - *at < sizeof(head))
         return false;
      memcpy(&head, data + *at, sizeof(head));
      *at += sizeof(head);
      if (head.size_B > size_B - *at)
         return false;
      *at += head.size_B;
   } while (head.field < CF_NOTE_CALL || head.field > CF_NOTE_UNIFORM);
   const size_t variable_B = has_variable(head.field) ? sizeof(part->variable) : 0;
   const uint8_t *bytes = data + *at - head.size_B;
   if (head.size_B <= variable_B || bytes[head.size_B - 1] != 0)
      return false;
   *part = (struct cf_note_part){ .field = head.field, .text = (const char *)bytes + variable_B };
   memcpy(&part->variable, bytes, variable_B);
   return true;
}
