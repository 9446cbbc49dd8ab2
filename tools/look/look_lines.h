/* SPDX-License-Identifier: MIT */
/*
 * The lines of GLSL that an instruction of a program is made from. Captures without notes have
 * none, nor have programs of fixed function or of ARB assembly.
 */
#ifndef LOOK_LINES_H
#define LOOK_LINES_H

#include <jansson.h>

#include "look_notes.h"

#define LOOK_MAX_LINES 8

struct look_line {
   struct cf_note_line is;
   const char *text; /* of the line, without blanks around it; not terminated; NULL: not known */
   int length;
};

/** The lines of an instruction of the program whose descriptor is at `program`; lasts as long as
 * the notes. Returns how many: 0 for an instruction that no line made, as the driver's own. */
unsigned look_lines(const struct look_notes *notes, uint64_t program, uint32_t instr,
                    struct look_line lines[LOOK_MAX_LINES]);

/** The same as JSON: an array of `line` (number), `string` and `object` (if not 0), `text_line` (in
 * the note's source, if it differs from `line`) and `text` (the source line, if it is known). */
json_t *look_lines_json(const struct look_notes *notes, uint64_t program, uint32_t instr);

#endif
