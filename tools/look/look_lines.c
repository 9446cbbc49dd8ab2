/* SPDX-License-Identifier: MIT */
#include "look_lines.h"

#include <string.h>

/* The table of a program. False: it has none. */
static bool
find_table(const struct look_notes *notes, uint64_t program, struct cf_note_part *table)
{
   size_t at = 0;
   return look_notes_next(notes, program, CF_NOTE_LINES, &at, table);
}

/* The first entry of an instruction, or of one behind it. */
static uint32_t
first_entry(const struct cf_note_part *table, uint32_t instr)
{
   uint32_t low = 0, high = table->count;
   while (low < high) {
      const uint32_t middle = low + (high - low) / 2;
      if (cf_note_line(table, middle).instr < instr)
         low = middle + 1;
      else
         high = middle;
   }
   return low;
}

static const char *
find_source(const struct look_notes *notes, uint64_t program, uint32_t object)
{
   struct cf_note_part part;
   size_t at = 0;
   for (uint32_t i = 0; look_notes_next(notes, program, CF_NOTE_SOURCE, &at, &part); i++) {
      if (i == object)
         return part.text;
   }
   return NULL;
}

unsigned
look_lines(const struct look_notes *notes, uint64_t program, uint32_t instr,
           struct look_line lines[LOOK_MAX_LINES])
{
   struct cf_note_part table;
   unsigned count = 0;
   if (!find_table(notes, program, &table))
      return 0;
   for (uint32_t i = first_entry(&table, instr); i < table.count && count < LOOK_MAX_LINES; i++) {
      const struct cf_note_line line = cf_note_line(&table, i);
      if (line.instr != instr)
         break;
      lines[count] = (struct look_line){ .is = line };
      lines[count].text = cf_note_source_line(find_source(notes, program, line.object),
                                              line.text_line, &lines[count].length);
      count++;
   }
   return count;
}

static json_t *
line_json(const struct look_line *line)
{
   json_t *json = json_pack("{s:I}", "line", (json_int_t)line->is.line);
   if (line->is.string)
      json_object_set_new(json, "string", json_integer(line->is.string));
   if (line->is.object)
      json_object_set_new(json, "object", json_integer(line->is.object));
   if (line->is.text_line != line->is.line)
      json_object_set_new(json, "text_line", json_integer(line->is.text_line));
   if (line->text)
      json_object_set_new(json, "text", json_stringn(line->text, (size_t)line->length));
   return json;
}

json_t *
look_lines_json(const struct look_notes *notes, uint64_t program, uint32_t instr)
{
   struct look_line lines[LOOK_MAX_LINES];
   const unsigned count = look_lines(notes, program, instr, lines);
   json_t *array = json_array();
   for (unsigned i = 0; i < count; i++)
      json_array_append_new(array, line_json(&lines[i]));
   return array;
}
