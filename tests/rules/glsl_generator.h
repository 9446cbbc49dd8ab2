/* SPDX-License-Identifier: MIT
 *
 * What is known while a random program is made, and its expressions: glsl_random.c makes the rest
 * of it. Expressions keep bounds of their values, so that each is computed exactly in a float's 24
 * bits.
 */
#ifndef GLSL_GENERATOR_H
#define GLSL_GENERATOR_H

#include "glsl_program.h"

/* Memory of the program, freed with it. */
struct block {
   struct block *next;
};

struct generator {
   struct rules *r;
   struct glsl_program *p;
   const struct glsl_variable *visible[GLSL_MAX_VARIABLES];
   int visible_count;
   struct glsl_function *function; /* that is being made; NULL: main */
   int loops, nesting, budget;
   bool pure;
};

extern const struct glsl_type gen_bool, gen_int, gen_float;

/* Zeroed memory of the program. */
void *gen_allocate(struct generator *g, size_t size_B);

struct glsl_type gen_vector(enum glsl_base base, int rows);

/* A random type: scalar, vector, or matrix. */
struct glsl_type gen_type(struct generator *g, bool matrices);

/* A random component. */
double gen_value(struct generator *g, enum glsl_base base);

/* A visible variable that `wanted` accepts, NULL if there is none. */
const struct glsl_variable *gen_find(struct generator *g, struct glsl_type type,
                                     bool (*wanted)(const struct generator *g,
                                                    const struct glsl_variable *v,
                                                    struct glsl_type type));

/* For gen_find: has the very type, and is no array. */
bool gen_is_plain(const struct generator *g, const struct glsl_variable *v, struct glsl_type type);

/* An expression of up to three arguments, with their bounds. */
struct glsl_expr *gen_node(struct generator *g, enum glsl_op op, struct glsl_type type,
                           struct glsl_expr *a, struct glsl_expr *b, struct glsl_expr *c);

/* Random components. */
struct glsl_expr *gen_constant(struct generator *g, struct glsl_type type);

struct glsl_expr *gen_number(struct generator *g, enum glsl_base base, double value);

/* GLSL_VARIABLE, _ELEMENT, _COMPONENT or _CALL, with the bounds of what a variable may hold. */
struct glsl_expr *gen_of_variable(struct generator *g, enum glsl_op op, struct glsl_type type,
                                  const struct glsl_variable *v, struct glsl_expr *index);

/* An int in [0, length): constant, a loop's counter or anything else. */
struct glsl_expr *gen_index(struct generator *g, int length, int depth);

/* Of the type, or sometimes a scalar of its base; no more than `most` bits. */
struct glsl_expr *gen_or_scalar(struct generator *g, struct glsl_type type, int depth, double most);

/* Any expression of the type. */
struct glsl_expr *gen_expression(struct generator *g, struct glsl_type type, int depth);

/* The same, of a value that a variable may hold. */
struct glsl_expr *gen_stored(struct generator *g, struct glsl_type type);

#endif
