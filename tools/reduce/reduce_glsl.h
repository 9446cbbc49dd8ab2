/* SPDX-License-Identifier: MIT */
/*
 * GLSL of OpenGL ES 2.0, and what may be made simpler in it. The text is read as tokens, then
 * statement by statement. Each place where it may be simpler is an edit; edits can be combined. Not
 * each of them leaves valid GLSL: the compiler is asked, not this.
 */
#ifndef REDUCE_GLSL_H
#define REDUCE_GLSL_H

#include <stdbool.h>
#include <stdint.h>

/* Kinds of edits, from coarse to fine. Edits of one kind do not contradict each other. */
enum reduce_glsl_kind {
   REDUCE_GLSL_DIRECTIVE, /* lines of the preprocessor, and blocks of #if, left out */
   REDUCE_GLSL_IF_THEN,   /* #if: its first part alone */
   REDUCE_GLSL_IF_ELSE,   /* #if: what follows #else alone */
   REDUCE_GLSL_GLOBAL,    /* functions and global declarations left out */
   REDUCE_GLSL_STATEMENT, /* statements, else, and single names of declarations left out */
   REDUCE_GLSL_THEN,      /* if: its first branch alone; loops and blocks: their statements */
   REDUCE_GLSL_ELSE,      /* if: its second branch alone */
   REDUCE_GLSL_ZERO,      /* expressions become 0 or false */
   REDUCE_GLSL_ONE,       /* expressions become 1 or true */
   REDUCE_GLSL_FIRST,     /* expressions become their first operand */
   REDUCE_GLSL_LAST,      /* expressions become another operand */
   REDUCE_GLSL_KINDS,
};

/* A part of the text, by its first and last byte. */
struct reduce_glsl_token {
   uint32_t begin, end;
   enum {
      REDUCE_GLSL_WORD,
      REDUCE_GLSL_NUMBER,
      REDUCE_GLSL_MARK,
      REDUCE_GLSL_HASH, /* a line of the preprocessor */
   } kind;
   uint32_t partner; /* of a bracket; UINT32_MAX: none */
   bool on_new_line;
};

/* Leave out the tokens from `begin` to `end` but those from `kept` to `kept_end`. */
struct reduce_glsl_edit {
   enum reduce_glsl_kind kind;
   uint32_t begin, end, kept, kept_end;
   char constant[16]; /* put in their place; "": nothing */
};

struct reduce_glsl {
   const char *text;
   struct reduce_glsl_token *token;
   struct reduce_glsl_edit *edit; /* one that is inside another comes before it */
   uint32_t tokens, edits, token_capacity, edit_capacity;
};

/** Read a text, which is not copied. What is not GLSL has few edits. Free it. */
struct reduce_glsl reduce_glsl_read(const char *text);
void reduce_glsl_free(struct reduce_glsl *glsl);

/** How many edits of a kind there are. */
uint32_t reduce_glsl_count(const struct reduce_glsl *glsl, enum reduce_glsl_kind kind);

/** The text after those edits of a kind that are not to be kept, without comments. Free it. */
char *reduce_glsl_without(const struct reduce_glsl *glsl, enum reduce_glsl_kind kind,
                          const bool *keep);

/* ---- between its files */

/** Find the edits of all tokens. */
void reduce_glsl_find_edits(struct reduce_glsl *glsl);

/** Whether a token is this text. False beyond the last one. */
bool reduce_glsl_is(const struct reduce_glsl *glsl, uint32_t token, const char *text);

#endif
