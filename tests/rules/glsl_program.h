/* SPDX-License-Identifier: MIT
 *
 * Random programs in GLSL ES 1.00, kept as trees: glsl_random.c makes them, with expressions of
 * glsl_expression.c, glsl_print.c writes them as text, and glsl_evaluate.c computes what they
 * compute.
 *
 * All numbers in them are such that no operation of a float ever rounds, in whichever order a
 * compiler does them: every expression carries a bound of its magnitude and the number of its
 * fraction bits, and is wrapped into a small range where these would outgrow a float. So results
 * are equal bit by bit, and doubles hold numbers of all types.
 */
#ifndef GLSL_PROGRAM_H
#define GLSL_PROGRAM_H

#include "rules.h"

#define GLSL_MAX_MEMORY 2048
#define GLSL_MAX_VARIABLES 256
#define GLSL_MAX_FUNCTIONS 4
#define GLSL_MAX_PARAMETERS 3

enum glsl_base { GLSL_FLOAT, GLSL_INT, GLSL_BOOL };

/* Scalars have one row, matrices as many columns as rows, `void` none. Values are kept column by
 * column. */
struct glsl_type {
   enum glsl_base base;
   int rows, columns;
};

enum glsl_storage { GLSL_LOCAL, GLSL_GLOBAL, GLSL_UNIFORM, GLSL_INPUT, GLSL_COUNTER };

/* A variable, or one member of a structure or of an array of structures: it is written
 * `name[index]suffix`. */
struct glsl_variable {
   char name[12], suffix[4];
   struct glsl_type type;
   enum glsl_storage storage;
   int length; /* elements of an array; 0: none */
   int memory; /* of its first component */
};

enum glsl_op {
   /* leaves */
   GLSL_CONSTANT, GLSL_VARIABLE, GLSL_ELEMENT, GLSL_COMPONENT,
   /* between operators */
   GLSL_ADD, GLSL_SUB, GLSL_MUL, GLSL_DIV, GLSL_LT, GLSL_LE, GLSL_GT, GLSL_GE, GLSL_EQ, GLSL_NE, GLSL_AND, GLSL_OR,
   GLSL_XOR, GLSL_MATMUL,
   /* in front */
   GLSL_NEG, GLSL_NOT,
   /* functions of one, two and three arguments */
   GLSL_ABS, GLSL_SIGN, GLSL_FLOOR, GLSL_CEIL, GLSL_FRACT, GLSL_ANY, GLSL_ALL, GLSL_NOT_EACH, GLSL_WRAP,
   GLSL_MIN, GLSL_MAX, GLSL_STEP, GLSL_MOD, GLSL_DOT, GLSL_CROSS, GLSL_REFLECT, GLSL_COMP_MULT, GLSL_LESS,
   GLSL_LESS_EQUAL, GLSL_GREATER, GLSL_GREATER_EQUAL, GLSL_EQUAL, GLSL_NOT_EQUAL, GLSL_INDEX,
   GLSL_CLAMP, GLSL_MIX, GLSL_FACEFORWARD,
   /* the rest */
   GLSL_SELECT, GLSL_SWIZZLE, GLSL_CONSTRUCT, GLSL_CALL,
   GLSL_OPS
};

struct glsl_function;

struct glsl_expr {
   enum glsl_op op;
   struct glsl_type type;
   struct glsl_expr *arg[4];
   const struct glsl_variable *variable; /* GLSL_VARIABLE; GLSL_ELEMENT: of an array, arg[0] is the index;
                                            GLSL_COMPONENT: of a vector, or a column of a matrix */
   const struct glsl_function *function;
   double value[16]; /* GLSL_CONSTANT */
   int swizzle[4];
   double magnitude; /* no component is larger */
   int fraction;     /* bits behind the point */
};

/* What an assignment writes: the components of `swizzle` (count 0: all) of a variable, or of its
 * element `index`. */
struct glsl_target {
   const struct glsl_variable *variable;
   struct glsl_expr *index;
   int swizzle[4], count;
   struct glsl_type type;
};

enum glsl_kind {
   GLSL_DECLARE, GLSL_ASSIGN, GLSL_ASSIGN_ADD, GLSL_ASSIGN_MUL, GLSL_INCREMENT, GLSL_IF, GLSL_FOR, GLSL_WHILE, GLSL_DO,
   GLSL_BREAK, GLSL_CONTINUE, GLSL_DISCARD, GLSL_RETURN, GLSL_BLOCK
};

struct glsl_statement {
   enum glsl_kind kind;
   struct glsl_target target;
   struct glsl_expr *expr;               /* the value, the condition */
   const struct glsl_variable *variable; /* declared; a loop's counter */
   int count;                            /* a loop ends after so many turns */
   struct glsl_statement *body, *other, *next;
};

enum glsl_qualifier { GLSL_IN, GLSL_OUT, GLSL_INOUT };

struct glsl_function {
   char name[12];
   struct glsl_type type;
   int parameters;
   const struct glsl_variable *parameter[GLSL_MAX_PARAMETERS];
   enum glsl_qualifier qualifier[GLSL_MAX_PARAMETERS];
   bool pure; /* writes nothing but its own variables */
   struct glsl_statement *body;
};

struct glsl_program {
   bool fragment;
   struct glsl_variable variable[GLSL_MAX_VARIABLES];
   int variables, memory;
   struct glsl_function function[GLSL_MAX_FUNCTIONS];
   int functions;
   struct glsl_statement *main;
   const struct glsl_variable *place, *result; /* vec2 in, vec4 out */
   double initial[GLSL_MAX_MEMORY];            /* of uniforms and globals */
   void *blocks;                               /* all that was allocated */
};

/* A new program of a stage, from the case's random numbers. */
struct glsl_program *glsl_random(struct rules *r, bool fragment);
void glsl_free(struct glsl_program *p);

/* Its text. The place comes from gl_FragCoord or the attribute `place`; the result goes to
 * gl_FragColor or the varying `result`. The caller frees it. */
char *glsl_print(const struct glsl_program *p);
const char *glsl_type_name(struct glsl_type type);

/* What it gives at a place; false: the fragment is discarded. */
bool glsl_evaluate(const struct glsl_program *p, const double place[2], double result[4]);

static inline int
glsl_components(struct glsl_type type)
{
   return type.rows * type.columns;
}

#endif
