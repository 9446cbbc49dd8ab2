/* SPDX-License-Identifier: MIT */
#include "replay_notes.h"

#include <stdlib.h>
#include <string.h>

#include "look/look_pixel.h"

#include "clipfree/interface/cf_note.h"

#define MAX_LINE_B 200 /* of a line of GLSL */

static void
set(json_t *object, const char *name, json_t *value)
{
   json_object_set_new(object, name, value);
}

/* A text, up to length_B bytes of it. Where it is no UTF-8, bytes that are not ASCII become "?". */
static json_t *
text_json(const char *text, size_t length_B)
{
   const size_t size_B = strnlen(text, length_B);
   json_t *json = json_stringn(text, size_B);
   char *ascii = json ? NULL : strndup(text, size_B);
   for (size_t i = 0; ascii && i < size_B; i++)
      ascii[i] = (ascii[i] & 0x80) ? '?' : ascii[i];
   json = ascii ? json_string(ascii) : json;
   free(ascii);
   return json;
}

/* ------------------------------------------------------------------ tables */

/* A note, and its line table. */
struct table {
   const uint8_t *note;
   size_t size_B;
   struct cf_note_part part;
};

/* The text of source `object` of the note; NULL: it has none. */
static const char *
source_of(const struct table *table, uint32_t object)
{
   struct cf_note_part part;
   for (size_t at = 0; cf_note_next(table->note, table->size_B, &at, &part);) {
      if (part.field == CF_NOTE_SOURCE && object-- == 0)
         return part.text;
   }
   return NULL;
}

static json_t *
line_json(const struct table *table, const struct cf_note_line *line)
{
   char name[CF_NOTE_LINE_NAME_B];
   int text_B = 0;
   const char *text = cf_note_source_line(source_of(table, line->object), line->text_line, &text_B);
   json_t *json = json_object();
   cf_note_line_name(line, name);
   set(json, "line", json_string(name));
   if (text)
      set(json, "text", text_json(text, (size_t)(text_B < MAX_LINE_B ? text_B : MAX_LINE_B)));
   return json;
}

/* The lines of the instruction whose first entry is *i, which then is that of the next one. */
static json_t *
lines_of(const struct table *table, uint32_t *i)
{
   const uint32_t instr = cf_note_line(&table->part, *i).instr;
   json_t *lines = json_array();
   for (; *i < table->part.count; ++*i) {
      const struct cf_note_line line = cf_note_line(&table->part, *i);
      if (line.instr != instr)
         break;
      json_array_append_new(lines, line_json(table, &line));
   }
   return lines;
}

/* A line table, a run of instructions of equal lines at a time. */
static json_t *
lines_json(const struct table *table)
{
   json_t *array = json_array(), *run = NULL;
   uint32_t next = 0; /* the instruction behind the run */
   for (uint32_t i = 0; i < table->part.count;) {
      const uint32_t instr = cf_note_line(&table->part, i).instr;
      json_t *lines = lines_of(table, &i);
      if (!run || instr != next || !json_equal(json_object_get(run, "lines"), lines)) {
         run = json_object();
         set(run, "first", json_integer(instr));
         set(run, "lines", lines);
         json_array_append_new(array, run);
      } else {
         json_decref(lines);
      }
      set(run, "last", json_integer(instr));
      next = instr + 1;
   }
   return array;
}

/* By instruction its line of NIR, of those that have one. */
static json_t *
nir_lines_json(const struct cf_note_part *part)
{
   json_t *array = json_array();
   for (uint32_t i = 0; i < part->count; i++) {
      const uint32_t line = cf_note_nir_line(part, i);
      if (line)
         json_array_append_new(array, json_pack("{s:I, s:I}", "instruction", (json_int_t)i, "line",
                                                (json_int_t)line));
   }
   return array;
}

/* By instruction the constants that it may load with its index. */
static json_t *
arrays_json(const struct cf_note_part *part)
{
   json_t *array = json_array();
   for (uint32_t i = 0; i < part->count; i++) {
      const struct cf_note_array one = cf_note_array(part, i);
      json_array_append_new(array, json_pack("{s:I, s:I, s:I}", "instruction",
                                             (json_int_t)one.instr, "first",
                                             (json_int_t)one.first_dw, "last",
                                             (json_int_t)one.end_dw - 1));
   }
   return array;
}

/* ------------------------------------------------------------------ parts */

/* How many results are mediump and lowp. */
static void
set_precisions(json_t *json, const struct cf_note_part *part)
{
   uint32_t count[CF_NOTE_LOWP + 1] = { 0 };
   for (uint32_t i = 0; i < part->count; i++)
      count[part->table[i] <= CF_NOTE_LOWP ? part->table[i] : CF_NOTE_HIGHP]++;
   set(json, "mediump", json_integer(count[CF_NOTE_MEDIUMP]));
   set(json, "lowp", json_integer(count[CF_NOTE_LOWP]));
}

static void
set_written(json_t *json, const struct cf_note_part *part)
{
   const struct cf_note_written *w = &part->written;
   set(json, "place", json_integer(w->place));
   if (part->field == CF_NOTE_WRITTEN_BYTES) {
      set(json, "begin", json_integer(w->begin[0]));
      set(json, "end", json_integer(w->end[0]));
      return;
   }
   set(json, "stage", json_integer(w->stage));
   set(json, "level", json_integer(w->level));
   set(json, "layer", json_integer(w->layer));
   set(json, "begin", json_pack("[I, I]", (json_int_t)w->begin[0], (json_int_t)w->begin[1]));
   set(json, "end", json_pack("[I, I]", (json_int_t)w->end[0], (json_int_t)w->end[1]));
}

static const char *
name_of(const struct cf_note_part *part)
{
   static const char *const names[] = {
      [CF_NOTE_CALL] = "call",
      [CF_NOTE_GROUP] = "group",
      [CF_NOTE_MARKER] = "marker",
      [CF_NOTE_LABEL] = "label",
      [CF_NOTE_NAME] = "name",
      [CF_NOTE_SOURCE] = "source",
      [CF_NOTE_ATTRIBUTE] = "vertex element",
      [CF_NOTE_INPUT] = "varying component",
      [CF_NOTE_OUTPUT] = "varying component",
      [CF_NOTE_UNIFORM] = "constant",
      [CF_NOTE_LINES] = "lines",
      [CF_NOTE_LOCAL] = "scratch dword",
      [CF_NOTE_ARRAYS] = "arrays",
      [CF_NOTE_NIR] = "nir",
      [CF_NOTE_NIR_LINES] = "lines of nir",
      [CF_NOTE_PRINT] = "printed scratch dword",
      [CF_NOTE_PRECISIONS] = "precisions",
      [CF_NOTE_WRITTEN_BYTES] = "written bytes of vertex element",
      [CF_NOTE_WRITTEN_TEXELS] = "written texels of texture unit",
      [CF_NOTE_UNSET] = "never set",
      [CF_NOTE_BLOCK] = "constant",
      [CF_NOTE_COLOR] = "color target component",
   };
   const bool sampler = part->field == CF_NOTE_UNIFORM && part->variable.scalar == CF_NOTE_SAMPLER;
   return sampler ? "texture unit" : names[part->field];
}

static json_t *
part_json(const struct table *table)
{
   const struct cf_note_part *part = &table->part;
   json_t *json = json_object();
   set(json, "what", json_string(name_of(part)));
   switch (part->field) {
   case CF_NOTE_LINES: set(json, "lines", lines_json(table)); return json;
   case CF_NOTE_ARRAYS: set(json, "arrays", arrays_json(part)); return json;
   case CF_NOTE_NIR_LINES: set(json, "nir_lines", nir_lines_json(part)); return json;
   case CF_NOTE_PRECISIONS: set_precisions(json, part); return json;
   case CF_NOTE_WRITTEN_BYTES:
   case CF_NOTE_WRITTEN_TEXELS: set_written(json, part); return json;
   case CF_NOTE_PRINT: set(json, "place", json_integer(part->print.place)); break;
   case CF_NOTE_BLOCK:
      set(json, "place", json_integer(part->variable.place % CF_NOTE_BANK_DW));
      set(json, "bank", json_integer(part->variable.place / CF_NOTE_BANK_DW));
      break;
   case CF_NOTE_ATTRIBUTE:
   case CF_NOTE_INPUT:
   case CF_NOTE_OUTPUT:
   case CF_NOTE_UNIFORM:
   case CF_NOTE_COLOR:
   case CF_NOTE_LOCAL: set(json, "place", json_integer(part->variable.place)); break;
   default: break;
   }
   set(json, "text", text_json(part->text, SIZE_MAX));
   return json;
}

json_t *
replay_note_json(const struct cf_capture_record *record, const uint8_t *note)
{
   json_t *parts = json_array();
   struct table table = { note, record->size_B, { 0 } };
   for (size_t at = 0; cf_note_next(note, record->size_B, &at, &table.part);)
      json_array_append_new(parts, part_json(&table));
   return json_pack("{s:s, s:o, s:o}", "record", "note", "address",
                    look_json_address(record->address), "parts", parts);
}

/* ------------------------------------------------------------------ text */

/* Print a text that may have several lines: the others are indented. */
static void
print_text(FILE *file, const char *text)
{
   for (; *text; text++) {
      if (*text == '\n' && text[1])
         fputs("\n      ", file);
      else if (*text != '\n')
         fputc(*text, file);
   }
   fputc('\n', file);
}

static void
print_lines(FILE *file, const json_t *runs)
{
   size_t r, i;
   json_t *run, *line;
   json_array_foreach(runs, r, run)
   {
      const long long first = look_number(run, "first"), last = look_number(run, "last");
      fprintf(file, "\n      instruction %lld", first);
      if (last != first)
         fprintf(file, " to %lld", last);
      json_array_foreach(json_object_get(run, "lines"), i, line)
      {
         fprintf(file, "%s%s", i ? ", " : ": line ", look_text(line, "line"));
         if (json_object_get(line, "text"))
            fprintf(file, ": `%s`", look_text(line, "text"));
      }
   }
   fputc('\n', file);
}

static void
print_table(FILE *file, const json_t *part)
{
   size_t i;
   json_t *entry;
   json_array_foreach(json_object_get(part, "nir_lines"), i, entry)
      fprintf(file, "\n      instruction %lld: line %lld", look_number(entry, "instruction"),
              look_number(entry, "line"));
   json_array_foreach(json_object_get(part, "arrays"), i, entry)
      fprintf(file, "\n      instruction %lld: constants %lld to %lld",
              look_number(entry, "instruction"), look_number(entry, "first"),
              look_number(entry, "last"));
   fputc('\n', file);
}

static long long
number_in(const json_t *part, const char *name, size_t i)
{
   return json_integer_value(json_array_get(json_object_get(part, name), i));
}

/* " of stage 1, level 0, layer 0: 0,0 to 8,8", or ": 0 to 64". */
static void
print_written(FILE *file, const json_t *part)
{
   if (json_object_get(part, "stage"))
      fprintf(file, " of stage %lld, level %lld, layer %lld: %lld,%lld to %lld,%lld\n",
              look_number(part, "stage"), look_number(part, "level"), look_number(part, "layer"),
              number_in(part, "begin", 0), number_in(part, "begin", 1), number_in(part, "end", 0),
              number_in(part, "end", 1));
   else
      fprintf(file, ": %lld to %lld\n", look_number(part, "begin"), look_number(part, "end"));
}

static void
print_part(FILE *file, const json_t *part)
{
   fprintf(file, "   %s", look_text(part, "what"));
   if (json_object_get(part, "place"))
      fprintf(file, " %lld", look_number(part, "place"));
   if (json_object_get(part, "bank"))
      fprintf(file, " of bank %lld", look_number(part, "bank"));
   if (json_object_get(part, "begin")) {
      print_written(file, part);
      return;
   }
   fputs(": ", file);
   if (json_object_get(part, "lines"))
      print_lines(file, json_object_get(part, "lines"));
   else if (json_object_get(part, "mediump"))
      fprintf(file, "%lld instructions mediump, %lld lowp\n", look_number(part, "mediump"),
              look_number(part, "lowp"));
   else if (json_object_get(part, "text"))
      print_text(file, look_text(part, "text"));
   else
      print_table(file, part);
}

void
replay_note_print(FILE *file, const json_t *note)
{
   size_t i;
   json_t *part;
   fprintf(file, "note of %s\n", look_text(note, "address"));
   json_array_foreach(json_object_get(note, "parts"), i, part)
      print_part(file, part);
}
