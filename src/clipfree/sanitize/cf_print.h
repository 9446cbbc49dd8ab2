/* SPDX-License-Identifier: MIT */
/*
 * What shaders print (docs/print.md): which of it, and a value as text. Programs say what they
 * print and where its values lie by their notes (cf_note_print).
 */
#ifndef CF_PRINT_H
#define CF_PRINT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct cf_print_filter {
   bool wanted, fatal;
   /* with a pixel and no vertex, or the other way round, the other stage prints nothing */
   bool has_pixel, has_vertex, has_draw;
   uint32_t x_px, y_px, vertex, draw;
   uint32_t limit; /* lines of a print in a draw */
};

/** Parse a list. False: it is malformed. */
bool cf_print_parse(const char *list, struct cf_print_filter *filter);

/* What a note's text (cf_note_print) is of, by its first word. All but a print have a condition as
 * their first value. */
enum cf_print_kind {
   CF_PRINT,           /* "print" */
   CF_PRINT_ASSERTION, /* "assert" */
   CF_PRINT_VARIABLE,  /* "variable": that the compiler adds: a variable was written, */
   CF_PRINT_VARYING,   /* "varying": a varying was */
};

enum cf_print_kind cf_print_kind(const char *text);

/** Write the format of a note's text with `dwords` values. What of the text is malformed, as that
 * of a damaged capture, is written as it is; a value that is not there is "?". */
void cf_print_write(FILE *file, const char *text, const uint32_t *value, uint32_t dwords);

#endif
