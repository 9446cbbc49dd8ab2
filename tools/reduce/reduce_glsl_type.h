/* SPDX-License-Identifier: MIT */
/*
 * Types of GLSL, as far as they are evident. They spare attempts that no compiler accepts.
 */
#ifndef REDUCE_GLSL_TYPE_H
#define REDUCE_GLSL_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Scalars, vectors of one column, square matrices. */
struct glsl_type {
   enum { GLSL_UNKNOWN, GLSL_FLOAT, GLSL_INT, GLSL_UINT, GLSL_BOOL } scalar;
   uint8_t rows, columns;
   bool is_array; /* of these */
};

/** The type of a name as "ivec3"; unknown: it is of no such type. */
struct glsl_type glsl_type_named(const char *name, size_t length);

/** The type of a number: of "1.0", "2e3" a float, of "7u", "0xfeu" an unsigned integer. */
struct glsl_type glsl_type_of_number(const char *number, size_t length);

/** Whether both are known, and different. */
bool glsl_types_differ(struct glsl_type a, struct glsl_type b);

/** The type of operands joined by an operator: "<<" is one, of two characters. */
struct glsl_type glsl_type_joined(struct glsl_type a, struct glsl_type b, const char *operator_,
                                  size_t length);

/** What `[i]` and `.name` take out of it. */
struct glsl_type glsl_type_element(struct glsl_type type);
struct glsl_type glsl_type_member(struct glsl_type type, const char *name, size_t length);

/** What a function of GLSL returns for arguments of which the widest is `widest`. */
struct glsl_type glsl_type_of_call(const char *name, size_t length, struct glsl_type widest);

/** A constant, 0 or 1 in all components: "vec3(1.0)". False: the type has none. */
bool glsl_type_constant(struct glsl_type type, bool one, char text[16]);

#endif
