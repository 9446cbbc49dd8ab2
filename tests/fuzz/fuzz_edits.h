/* SPDX-License-Identifier: MIT */
/*
 * Changes of GLSL ES 1.00 and 3.00 that leave what it computes as it is, bit by bit, in the manner
 * of GraphicsFuzz: dead code behind conditions that uniforms make false, loops of one turn,
 * identity operations, expressions that are selected, statements split, joined and repeated. Edited
 * text can be edited again.
 *
 * The text: its functions' names are its own (no built-in function is declared again), no variable
 * hides another, and no number is denormal, which an operation may flush to 0. One of GLSL ES 3.00
 * begins with FUZZ_ES3, and a fragment shader's output is the vec4 `color`.
 */
#ifndef FUZZ_EDITS_H
#define FUZZ_EDITS_H

#include <stdbool.h>
#include <stdint.h>

#define FUZZ_ES3 "#version 300 es"

/** Whether a text is of GLSL ES 3.00. */
bool fuzz_is_es3(const char *text);

/* Declares the uniforms that edits use, of these values: put before the text, once,
 * behind its #version. */
extern const char fuzz_edit_head[];
#define FUZZ_ZERO "fuzz_zero"   /* 0.0 */
#define FUZZ_ONE "fuzz_one"     /* 1.0 */
#define FUZZ_IZERO "fuzz_izero" /* 0 */
#define FUZZ_IONE "fuzz_ione"   /* 1 */

/** How many kinds of edits there are. */
uint32_t fuzz_edit_kinds(void);

/** The name of the kind that a choice stands for. */
const char *fuzz_edit_name(uint32_t choice);

/** The text after an edit, which follows from `choice`; names that it adds have `number` in them,
 * other ones for each edit of a text. NULL: there is no place for it. Free it. */
char *fuzz_edit(const char *text, bool fragment, uint32_t choice, uint32_t number);

#endif
