/* SPDX-License-Identifier: MIT */
/*
 * Notes: what a person knows of a draw or of a program, and the GPU does not need. The driver gives
 * them with the address of what they are about (cf_gpu_ops.note); captures hold them.
 *
 * A note is a sequence of fields: a struct cf_note_head, then size_B bytes. A text ends with a 0,
 * which size_B counts. All little endian, without padding.
 */
#ifndef CF_NOTE_H
#define CF_NOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CF_NOTE_MAX_B (1u << 20) /* of a note; fields that would make it longer are left out */

enum cf_note_field {
   /* of a draw packet */
   CF_NOTE_CALL = 1, /* text: "glDrawElements(GL_TRIANGLES, 36, GL_UNSIGNED_SHORT)" */
   CF_NOTE_GROUP,    /* text: of a debug group around it; the outermost first */
   CF_NOTE_MARKER,   /* text: the last marker before it */
   CF_NOTE_LABEL,    /* text: an object that it uses, and the object's label: "texture 0: bark" */
   /* of a program's descriptor */
   CF_NOTE_NAME,   /* text: Mesa's name of the program that it is part of: "GLSL3" */
   CF_NOTE_SOURCE, /* text: GLSL, of one shader object */
   /* struct cf_note_variable, then text: its declaration, "uniform vec4 tint"; place is */
   CF_NOTE_ATTRIBUTE, /* - the vertex element */
   CF_NOTE_INPUT,     /* - 4 * varying slot + component, of a fragment program */
   CF_NOTE_OUTPUT,    /* - the same, of a vertex program */
   CF_NOTE_UNIFORM,   /* - the dword of constant bank 0, or for samplers the texture unit */
   CF_NOTE_LINES,     /* an array of struct cf_note_line, by instruction: its line table */
   CF_NOTE_LOCAL, /* struct cf_note_variable, then text, as above; place is the dword of scratch */
   CF_NOTE_NIR,   /* text: NIR of the program, as the compiler selected instructions from it */
   CF_NOTE_NIR_LINES, /* an array of dwords, by instruction: its line of this text, from 1; or 0 */
   CF_NOTE_ARRAYS,    /* an array of struct cf_note_array, by instruction */
   CF_NOTE_PRINT, /* struct cf_note_print, then text: "print float vec3\nformat", types before it */
   CF_NOTE_PRECISIONS, /* a byte for each instruction: enum cf_note_precision of its result */
   /* of a draw packet: struct cf_note_written, of what is not written as a whole */
   CF_NOTE_WRITTEN_BYTES,  /* of the buffer of a vertex element */
   CF_NOTE_WRITTEN_TEXELS, /* of an image of a texture */
   CF_NOTE_UNSET,          /* text: a uniform that was never set, "uniform vec4 tint" */
   /* of a program's descriptor: a variable of a uniform block, as CF_NOTE_UNIFORM: "uniform vec4
    * Light.color"; place is CF_NOTE_BANK_DW * the constant bank + the dword in it */
   CF_NOTE_BLOCK,
   /* of a fragment program's descriptor: an output that it declares, as CF_NOTE_OUTPUT; place is 4
    * times the color target plus the component */
   CF_NOTE_COLOR,
};
#define CF_NOTE_LAST CF_NOTE_COLOR
#define CF_NOTE_BANK_DW (1u << 24)

struct cf_note_head {
   uint32_t field, size_B;
};

enum cf_note_scalar {
   CF_NOTE_FLOAT,
   CF_NOTE_INT,
   CF_NOTE_UINT,
   CF_NOTE_BOOL,
   CF_NOTE_SAMPLER,
};

/* A variable of GLSL: an array of `elements` matrices, vectors or scalars. */
struct cf_note_variable {
   uint32_t place;
   uint32_t stride_dw;    /* from one column to the next, and to those of the next element */
   uint32_t elements;     /* 1: no array, or an array of 1 */
   uint16_t scalar;       /* enum cf_note_scalar */
   uint8_t rows, columns; /* of a matrix; a vector has 1 column, a scalar 1 row as well */
};

/* A print or assertion of a shader (docs/print.md): its values lie in dwords of scratch; the last
 * one is stored last. Text: "print", "assert" or another word of an assertion, a GLSL type for each
 * value, and behind a newline a format with a conversion of C's printf for each value, or %s for
 * any; of an assertion the first value is its condition, which has no conversion. */
struct cf_note_print {
   uint32_t place, dwords; /* dwords: 1 at least */
};

/* The precision of GLSL ES that a result has; the highest, if it is of several. */
enum cf_note_precision { CF_NOTE_HIGHP, CF_NOTE_MEDIUMP, CF_NOTE_LOWP };

/* What was written of the memory that a draw reads, before it. */
struct cf_note_written {
   uint32_t stage, place; /* texels: shader stage and texture unit; bytes: 0 and vertex element */
   uint32_t level, layer; /* of texels */
   /* begin to end - 1, nothing if end is 0: x and y; bytes: [0], from the start of the element's
    * data */
   uint32_t begin[2], end[2];
};

/* A line that an instruction of a program is made from. One that is made from several has several;
 * one that has none is made from no line, e.g. of the driver. */
struct cf_note_line {
   uint32_t instr;          /* its number in the program */
   uint16_t object, string; /* number among the note's sources; source string, after #line */
   uint32_t line;           /* in the string, after #line */
   uint32_t text_line;      /* in the source's text, from 1 */
};

/* The uniform array that an instruction loads from with an index: dwords of constant bank 0. */
struct cf_note_array {
   uint32_t instr, first_dw, end_dw;
};

/* ---- writing */

/* A note in the making; begins as { 0 }. Where memory is short, fields are left out. */
struct cf_note {
   uint8_t *data;
   uint32_t size_B, capacity_B;
};

/** Append a text; it need not be terminated. */
void cf_note_add_text(struct cf_note *note, enum cf_note_field field, const char *text,
                      size_t length);
void cf_note_add_variable(struct cf_note *note, enum cf_note_field field,
                          const struct cf_note_variable *variable, const char *declaration);
void cf_note_add_print(struct cf_note *note, const struct cf_note_print *print, const char *text);
void cf_note_add_written(struct cf_note *note, enum cf_note_field field,
                         const struct cf_note_written *written);
void cf_note_add_lines(struct cf_note *note, const struct cf_note_line *lines, uint32_t count);
void cf_note_add_arrays(struct cf_note *note, const struct cf_note_array *arrays, uint32_t count);
void cf_note_add_nir_lines(struct cf_note *note, const uint32_t *lines, uint32_t count);
void cf_note_add_precisions(struct cf_note *note, const uint8_t *precisions, uint32_t count);
/** Append all fields of another note. */
void cf_note_add_fields(struct cf_note *note, const void *fields, size_t size_B);
void cf_note_free(struct cf_note *note);

/* ---- reading */

/* A field. */
struct cf_note_part {
   enum cf_note_field field;
   struct cf_note_variable variable; /* of those that have one */
   struct cf_note_print print;       /* of CF_NOTE_PRINT */
   struct cf_note_written written;   /* of CF_NOTE_WRITTEN_BYTES and _TEXELS */
   const char *text;                 /* of all others but tables */
   /* entries of CF_NOTE_LINES, CF_NOTE_NIR_LINES, CF_NOTE_ARRAYS: see cf_note_line and so on; of
    * CF_NOTE_PRECISIONS */
   const uint8_t *table;
   uint32_t count;
};

/** Read the field at *at, 0 for the first, and advance past it. False: the end, or the rest is
 * malformed. Fields of kinds that are not known are left out. */
bool cf_note_next(const void *note, size_t size_B, size_t *at, struct cf_note_part *part);

/** Entry `i` of a part's lines. */
struct cf_note_line cf_note_line(const struct cf_note_part *part, uint32_t i);

/** Entry `i` of a part's lines of NIR. */
uint32_t cf_note_nir_line(const struct cf_note_part *part, uint32_t i);

/** Entry `i` of a part's arrays. */
struct cf_note_array cf_note_array(const struct cf_note_part *part, uint32_t i);

/** Line number `text_line`, from 1, of a source's text, without blanks around it; not terminated.
 * NULL: it has no such line. */
const char *cf_note_source_line(const char *source, uint32_t text_line, int *length);

#define CF_NOTE_LINE_NAME_B 48

/** How a compiler names it: "12"; "2:12" in string 2; "12 of object 1" in a further object. */
void cf_note_line_name(const struct cf_note_line *line, char name[CF_NOTE_LINE_NAME_B]);

#endif
