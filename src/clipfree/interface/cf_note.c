/* SPDX-License-Identifier: MIT */
#include "clipfree/interface/cf_note.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct cf_note_variable) == 16 && sizeof(struct cf_note_line) == 16 &&
                  sizeof(struct cf_note_print) == 8 && sizeof(struct cf_note_written) == 32,
               "they are written as they lie in memory");

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

/* Add a text, behind what is of the same size for all fields of a kind. */
static void
add(struct cf_note *note, enum cf_note_field field, const void *fixed, size_t fixed_B,
    const char *text, size_t length)
{
   if (length > CF_NOTE_MAX_B)
      return;
   const struct cf_note_head head = { field, (uint32_t)(fixed_B + length + 1) };
   uint8_t *at = reserve(note, sizeof(head) + head.size_B);
   if (!at)
      return;
   memcpy(at, &head, sizeof(head));
   at += sizeof(head);
   if (fixed_B)
      memcpy(at, fixed, fixed_B);
   memcpy(at + fixed_B, text, length);
   at[fixed_B + length] = 0;
}

void
cf_note_add_text(struct cf_note *note, enum cf_note_field field, const char *text, size_t length)
{
   add(note, field, NULL, 0, text, length);
}

void
cf_note_add_variable(struct cf_note *note, enum cf_note_field field,
                     const struct cf_note_variable *variable, const char *declaration)
{
   add(note, field, variable, sizeof(*variable), declaration, strlen(declaration));
}

void
cf_note_add_print(struct cf_note *note, const struct cf_note_print *print, const char *text)
{
   add(note, CF_NOTE_PRINT, print, sizeof(*print), text, strlen(text));
}

void
cf_note_add_written(struct cf_note *note, enum cf_note_field field,
                    const struct cf_note_written *written)
{
   const struct cf_note_head head = { field, sizeof(*written) };
   uint8_t *at = reserve(note, sizeof(head) + sizeof(*written));
   if (!at)
      return;
   memcpy(at, &head, sizeof(head));
   memcpy(at + sizeof(head), written, sizeof(*written));
}

static void
add_table(struct cf_note *note, enum cf_note_field field, const void *items, uint32_t count,
          uint32_t item_B)
{
   if (count > CF_NOTE_MAX_B / item_B)
      return;
   const struct cf_note_head head = { field, count * item_B };
   uint8_t *at = reserve(note, sizeof(head) + head.size_B);
   if (!at)
      return;
   memcpy(at, &head, sizeof(head));
   if (count > 0)
      memcpy(at + sizeof(head), items, head.size_B);
}

void
cf_note_add_lines(struct cf_note *note, const struct cf_note_line *lines, uint32_t count)
{
   add_table(note, CF_NOTE_LINES, lines, count, sizeof(*lines));
}

void
cf_note_add_arrays(struct cf_note *note, const struct cf_note_array *arrays, uint32_t count)
{
   add_table(note, CF_NOTE_ARRAYS, arrays, count, sizeof(*arrays));
}

void
cf_note_add_nir_lines(struct cf_note *note, const uint32_t *lines, uint32_t count)
{
   add_table(note, CF_NOTE_NIR_LINES, lines, count, sizeof(*lines));
}

void
cf_note_add_precisions(struct cf_note *note, const uint8_t *precisions, uint32_t count)
{
   add_table(note, CF_NOTE_PRECISIONS, precisions, count, sizeof(*precisions));
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
   return (field >= CF_NOTE_ATTRIBUTE && field <= CF_NOTE_UNIFORM) || field == CF_NOTE_LOCAL ||
          field == CF_NOTE_BLOCK || field == CF_NOTE_COLOR;
}

/* The size of a table's entries. 0: the field is no table. */
static uint32_t
entry_B(uint32_t field)
{
   switch (field) {
   case CF_NOTE_LINES:
      return sizeof(struct cf_note_line);
   case CF_NOTE_NIR_LINES:
      return sizeof(uint32_t);
   case CF_NOTE_ARRAYS:
      return sizeof(struct cf_note_array);
   case CF_NOTE_PRECISIONS:
      return sizeof(uint8_t);
   default:
      return 0;
   }
}

/* The bytes of a field as a part. False: they are malformed. */
static bool
read_part(const struct cf_note_head *head, const uint8_t *bytes, struct cf_note_part *part)
{
   *part = (struct cf_note_part){ .field = head->field };
   if (entry_B(head->field)) {
      part->table = bytes;
      part->count = head->size_B / entry_B(head->field);
      return head->size_B % entry_B(head->field) == 0;
   }
   if (head->field == CF_NOTE_WRITTEN_BYTES || head->field == CF_NOTE_WRITTEN_TEXELS) {
      if (head->size_B != sizeof(part->written))
         return false;
      memcpy(&part->written, bytes, sizeof(part->written));
      return true;
   }
   const size_t fixed_B = has_variable(head->field)      ? sizeof(part->variable)
                          : head->field == CF_NOTE_PRINT ? sizeof(part->print)
                                                         : 0;
   if (head->size_B <= fixed_B || bytes[head->size_B - 1] != 0)
      return false;
   memcpy(head->field == CF_NOTE_PRINT ? (void *)&part->print : &part->variable, bytes, fixed_B);
   part->text = (const char *)bytes + fixed_B;
   return true;
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
   } while (head.field < CF_NOTE_CALL || head.field > CF_NOTE_LAST);
   return read_part(&head, data + *at - head.size_B, part);
}

struct cf_note_line
cf_note_line(const struct cf_note_part *part, uint32_t i)
{
   struct cf_note_line line;
   memcpy(&line, part->table + i * sizeof(line), sizeof(line));
   return line;
}

uint32_t
cf_note_nir_line(const struct cf_note_part *part, uint32_t i)
{
   uint32_t line;
   memcpy(&line, part->table + i * sizeof(line), sizeof(line));
   return line;
}

struct cf_note_array
cf_note_array(const struct cf_note_part *part, uint32_t i)
{
   struct cf_note_array array;
   memcpy(&array, part->table + i * sizeof(array), sizeof(array));
   return array;
}

const char *
cf_note_source_line(const char *source, uint32_t text_line, int *length)
{
   for (uint32_t n = 1; source && n < text_line; n++) {
      source = strchr(source, '\n');
      source = source ? source + 1 : NULL;
   }
   if (!source || !text_line)
      return NULL;
   source += strspn(source, " \t");
   *length = (int)strcspn(source, "\r\n");
   while (*length > 0 && (source[*length - 1] == ' ' || source[*length - 1] == '\t'))
      --*length;
   return source;
}

void
cf_note_line_name(const struct cf_note_line *line, char name[CF_NOTE_LINE_NAME_B])
{
   char string[16] = "", object[24] = "";
   if (line->string)
      snprintf(string, sizeof(string), "%u:", line->string);
   if (line->object)
      snprintf(object, sizeof(object), " of object %u", line->object);
   snprintf(name, CF_NOTE_LINE_NAME_B, "%s%" PRIu32 "%s", string, line->line, object);
}
