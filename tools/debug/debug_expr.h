/* SPDX-License-Identifier: MIT */
/*
 * Expressions over what a task holds, for conditions and for people:
 *
 *    Color.x > 0.5 && !isnan(v3)      light[2].y      lane == 5      v7 int(s0)
 *
 * Names are those of GLSL (uniforms, varyings, attributes, outputs, gl_FragCoord, ...), registers
 * (v3, s0, u7: floats; int(v3), uint(v3) are their bits), `lane`, and of fragments `pixel_x`,
 * `pixel_y`.
 *
 * Operators are those of C: || && == != < <= > >= + - * / - !, with parentheses; functions isnan,
 * isinf, abs, int, uint. They work on numbers; a vector or matrix may stand alone.
 */
#ifndef DEBUG_EXPR_H
#define DEBUG_EXPR_H

#include "debug_values.h"

#define DEBUG_EXPR_ERROR_B 160
#define DEBUG_EXPR_VALUES 16

struct debug_expr_value {
   double number[DEBUG_EXPR_VALUES];
   uint32_t bits[DEBUG_EXPR_VALUES]; /* of a name */
   uint32_t count;
   uint32_t
      missing; /* a bit for each component of a vector that is not there, of others that are */
   enum cf_note_scalar scalar;
   bool is_name; /* it names components whose bits are known */
};

/** Evaluate. False: `error` says what is not understood, or which value is not there (yet). */
bool debug_expr(const struct debug_view *view, const char *text, struct debug_expr_value *value,
                char error[DEBUG_EXPR_ERROR_B]);

/** Whether it is true: a number other than 0. A value that is not there yet makes it false; then
 * and only then `error` is not empty. */
bool debug_expr_true(const struct debug_view *view, const char *text,
                     char error[DEBUG_EXPR_ERROR_B]);

/** Whether the text is an expression at all; values that are not there yet are forgiven. */
bool debug_expr_check(const struct debug_view *view, const char *text,
                      char error[DEBUG_EXPR_ERROR_B]);

/** The value as text: "0.5", "(1, 2, 3)". */
void debug_expr_text(const struct debug_expr_value *value, char *text, size_t size);

#endif
