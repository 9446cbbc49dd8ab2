/* SPDX-License-Identifier: MIT
 *
 * What is known while a random program of GLSL ES 3.00 is made, and its expressions: leaves, parts
 * and constructors are made in glsl3_expression.c, operators and functions in glsl3_operators.c.
 */
#ifndef GLSL3_GENERATOR_H
#define GLSL3_GENERATOR_H

#include "glsl3_program.h"

struct g3_generator {
   struct rules *r;
   struct g3_program *p;
   const struct g3_variable *visible[G3_MAX_VARIABLES];
   int visible_count;
   struct g3_function *function; /* that is being made; NULL: main */
   int loops, switches, nesting, budget;
   bool pure;     /* writes none but local variables */
   bool constant; /* makes constant expressions */
};

extern const struct g3_type g3_float_type, g3_int_type, g3_uint_type, g3_bool_type;

/* Zeroed memory of the program. */
void *g3_allocate(struct g3_generator *g, size_t size_B);

/* A random type: scalar or vector; matrix, structure or array, too. */
struct g3_type g3_random_vector(struct g3_generator *g);
struct g3_type g3_random_type(struct g3_generator *g);

/* Random words of a value that a variable may hold. */
void g3_random_value(struct g3_generator *g, struct g3_type type, uint32_t *value);

/* An expression of up to three arguments, with their bounds; of given bounds. */
struct g3_expr *g3_node(struct g3_generator *g, enum g3_op op, struct g3_type type,
                        struct g3_expr *a, struct g3_expr *b, struct g3_expr *c);
struct g3_expr *g3_bounded(struct g3_expr *e, double magnitude, int fraction);

struct g3_expr *g3_constant(struct g3_generator *g, struct g3_type type);
struct g3_expr *g3_number(struct g3_generator *g, enum g3_base base, double value);
struct g3_expr *g3_variable_expr(struct g3_generator *g, const struct g3_variable *v);

/* A float expression of no more than so many bits. */
struct g3_expr *g3_limit(struct g3_generator *g, struct g3_expr *e, double most);

/* An int in [0, length of the array, vector or matrix). */
struct g3_expr *g3_index(struct g3_generator *g, struct g3_type type, int depth);

/* A random part of a variable and of its parts. */
struct g3_expr *g3_random_part(struct g3_generator *g, const struct g3_variable *v, int depth);

/* Any expression of the type; of floats with at most so many bits; of a value that a variable may
 * hold; of the type or a scalar of its base. */
struct g3_expr *g3_expression(struct g3_generator *g, struct g3_type type, int depth);
struct g3_expr *g3_small(struct g3_generator *g, struct g3_type type, int depth, double most);
struct g3_expr *g3_stored(struct g3_generator *g, struct g3_type type);
struct g3_expr *g3_or_scalar(struct g3_generator *g, struct g3_type type, int depth, double most);

/* Integers `e & mask`, as vectors like e. */
struct g3_expr *g3_masked(struct g3_generator *g, struct g3_expr *e, uint32_t mask);

/* glsl3_operators.c: an operator or function whose result is a scalar, vector or matrix. */
struct g3_expr *g3_operation(struct g3_generator *g, struct g3_type type, int depth);

#endif
