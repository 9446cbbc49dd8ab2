/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* tdestroy */
#include "look_notes.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct note {
   uint64_t address;
   size_t size_B;
   void *data;
};

struct look_notes {
   void *root; /* of tsearch: struct note by address */
};

static int
by_address(const void *a, const void *b)
{
   const struct note *x = a, *y = b;
   return (x->address > y->address) - (x->address < y->address);
}

static void
free_note(void *user)
{
   struct note *note = user;
   free(note->data);
   free(note);
}

struct look_notes *
look_notes_create(void)
{
   return calloc(1, sizeof(struct look_notes));
}

void
look_notes_destroy(struct look_notes *notes)
{
   if (notes)
      tdestroy(notes->root, free_note);
   free(notes);
}

static struct note *
find(const struct look_notes *notes, uint64_t address)
{
   const struct note key = { .address = address };
   struct note *const *found = tfind(&key, &notes->root, by_address);
   return found ? *found : NULL;
}

static struct note *
find_or_add(struct look_notes *notes, uint64_t address)
{
   struct note *note = find(notes, address);
   if (note)
      return note;
   note = calloc(1, sizeof(*note));
   if (!note)
      return NULL;
   note->address = address;
   if (tsearch(note, &notes->root, by_address))
      return note;
   free(note);
   return NULL;
}

bool
look_notes_put(struct look_notes *notes, uint64_t address, const void *data, size_t size_B)
{
   struct note *note = find_or_add(notes, address);
   void *copy = note ? malloc(size_B + 1) : NULL;
   if (!copy)
      return false;
   memcpy(copy, data, size_B);
   free(note->data);
   note->data = copy;
   note->size_B = size_B;
   return true;
}

bool
look_notes_next(const struct look_notes *notes, uint64_t address, enum cf_note_field field,
                size_t *at, struct cf_note_part *part)
{
   const struct note *note = find(notes, address);
   while (note && cf_note_next(note->data, note->size_B, at, part)) {
      if (part->field == field)
         return true;
   }
   return false;
}

/* ------------------------------------------------------------------ names */

int
look_note_word(const char *declaration, const char **name)
{
   const char *space = strrchr(declaration, ' ');
   *name = space ? space + 1 : declaration;
   const char *bracket = strrchr(*name, '[');
   const size_t length = strlen(*name);
   return bracket && length && (*name)[length - 1] == ']' ? (int)(bracket - *name) : (int)length;
}

/* Name number `i` of "place,place,color": a slot that holds parts of several variables. Which part,
 * nobody knows. */
static void
packed_name(const char *names, uint32_t i, char name[LOOK_NAME_B])
{
   for (const char *comma; i > 0 && (comma = strchr(names, ',')); i--)
      names = comma + 1;
   snprintf(name, LOOK_NAME_B, "%.*s", (int)strcspn(names, ","), names);
}

/* The part of a variable that a place is: element, column, component. False: it is in none. */
static bool
part_name(const struct cf_note_part *part, uint32_t place, char name[LOOK_NAME_B])
{
   const struct cf_note_variable *v = &part->variable;
   const uint32_t vectors = v->elements * v->columns, offset = place - v->place,
                  stride_dw = v->stride_dw ? v->stride_dw : 1, vector = offset / stride_dw,
                  component = offset % stride_dw;
   const char *word;
   char element[16] = "", column[16] = "", letter[4] = "";
   if (place < v->place || vector >= vectors || component >= v->rows)
      return false;
   const int length = look_note_word(part->text, &word);
   if (strchr(word, ',')) {
      packed_name(word, component, name);
      return true;
   }
   if (word[length] == '[')
      snprintf(element, sizeof(element), "[%u]", vector / v->columns);
   if (v->columns > 1)
      snprintf(column, sizeof(column), "[%u]", vector % v->columns);
   if (v->rows > 1)
      snprintf(letter, sizeof(letter), ".%c", "xyzw"[component & 3]);
   snprintf(name, LOOK_NAME_B, "%.*s%s%s%s", length < 64 ? length : 64, word, element, column,
            letter);
   return true;
}

bool
look_notes_name(const struct look_notes *notes, uint64_t program, enum cf_note_field field,
                bool sampler, uint32_t place, char name[LOOK_NAME_B], enum cf_note_scalar *scalar)
{
   struct cf_note_part part;
   size_t at = 0;
   while (look_notes_next(notes, program, field, &at, &part)) {
      *scalar = (enum cf_note_scalar)part.variable.scalar;
      if ((*scalar == CF_NOTE_SAMPLER) == sampler && part_name(&part, place, name))
         return true;
   }
   return false;
}
