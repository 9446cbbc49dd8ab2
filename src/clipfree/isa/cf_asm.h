/* SPDX-License-Identifier: MIT */
/*
 * Assembly text. The syntax of every instruction is that of its form in isa.toml (docs/isa.md).
 * Besides:
 *
 *    # a comment, to the end of the line
 *    label:               names the next instruction; may stand before it on the same line
 *    fmad v2, v0, u3, 0.5
 *    if v2, label         targets are labels or instruction indices
 *
 * Numbers that are operands must be inline constants; 2 is an integer, 2.0 a float. movi takes any
 * number.
 */
#ifndef CF_ASM_H
#define CF_ASM_H

#include <stddef.h>
#include <stdio.h>

#include "clipfree/isa/cf_isa.h"

/** Assemble a program. True: *code (to be freed) holds *count instructions. False: the reason, with
 * the line, is in error. */
bool cf_assemble_text(const char *text, uint64_t **code, unsigned *count, char *error,
                      size_t error_size);

/** One instruction as text, targets as indices. Returns the full length; the text is truncated to
 * `size`. */
int cf_disassemble_instr(const struct cf_instr *instr, char *text, size_t size);

/** Disassemble to text that assembles to the same bits. Words that are not instructions become
 * comments. */
void cf_disassemble(FILE *file, const uint64_t *code, unsigned count);

/** Writes what is to be said of an instruction; nothing: "". */
typedef void (*cf_asm_comment)(void *user, unsigned instr, char *text, size_t size);

/** The same, with comments behind the instructions; comment may be NULL. */
void cf_disassemble_commented(FILE *file, const uint64_t *code, unsigned count,
                              cf_asm_comment comment, void *user);

#endif
