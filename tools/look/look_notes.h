/* SPDX-License-Identifier: MIT */
/*
 * What a capture's notes say (interface/cf_note.h): names of GL and GLSL for packets, programs,
 * uniforms, varyings and texture units.
 */
#ifndef LOOK_NOTES_H
#define LOOK_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clipfree/interface/cf_note.h"

struct look_notes;

struct look_notes *look_notes_create(void);
void look_notes_destroy(struct look_notes *notes);

/** Keep a note, in the place of one that the address had before. False: out of memory. */
bool look_notes_put(struct look_notes *notes, uint64_t address, const void *data, size_t size_B);

/** The next field of a kind that the note of an address has, from *at on, 0 for the first. False:
 * there is none, or no more. */
bool look_notes_next(const struct look_notes *notes, uint64_t address, enum cf_note_field field,
                     size_t *at, struct cf_note_part *part);

/** The last word of a declaration, without the size of its array: "light" of "uniform vec4
 * light[4]". Returns its length. */
int look_note_word(const char *declaration, const char **name);

#define LOOK_NAME_B 128

/** The GLSL name of a place (enum cf_note_field) in a program, as "tint.y", "light[2].x",
 * "matrix[1].w"; of samplers, whose place is the unit, "image". *scalar: its type. False: it has no
 * name. */
bool look_notes_name(const struct look_notes *notes, uint64_t program, enum cf_note_field field,
                     bool sampler, uint32_t place, char name[LOOK_NAME_B],
                     enum cf_note_scalar *scalar);

#endif
