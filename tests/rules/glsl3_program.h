/* SPDX-License-Identifier: MIT
 *
 * Random programs in GLSL ES 3.00, kept as trees as those of glsl_program.h are: glsl3_random.c
 * makes them, with expressions of glsl3_expression.c and glsl3_operators.c, glsl3_print.c writes
 * them as text, glsl3_evaluate.c computes what they compute, glsl3_data.c gives GL their uniforms,
 * blocks and textures.
 *
 * A value is a row of words of 32 bits: components, columns, elements and members one after the
 * other; a float as its bits, a bool as 0 or 1. Integers take all of their 32 bits, and wrap.
 * Floats never round: every expression of them carries a bound of its magnitude and the number of
 * its fraction bits, and is wrapped into a small range where these would outgrow a float. So all
 * results are known bit by bit, in whichever order a compiler computes.
 */
#ifndef GLSL3_PROGRAM_H
#define GLSL3_PROGRAM_H

#include "rules.h"

enum {
   G3_MAX_WORDS = 48, /* of a value */
   G3_MAX_MEMORY = 8192,
   G3_MAX_VARIABLES = 256,
   G3_MAX_FUNCTIONS = 5,
   G3_MAX_PARAMETERS = 3,
   G3_MAX_STRUCTS = 3,
   G3_MAX_MEMBERS = 4,
   G3_MAX_ARGUMENTS = 5,
   G3_MAX_OUTPUTS = 4,
   G3_TEXTURES = 3, /* usampler2D, isampler2D, sampler2D */
   G3_MAX_TEXELS = 2 * 81
};

enum g3_base { G3_FLOAT, G3_INT, G3_UINT, G3_BOOL, G3_STRUCT };

/* Scalars have one row and one column, `void` none. */
struct g3_type {
   enum g3_base base;
   int rows, columns;
   int length; /* elements of an array; 0: none */
   const struct g3_struct *structure;
};

struct g3_member {
   char name[12];
   struct g3_type type;
   int offset; /* in words */
};

struct g3_struct {
   char name[16];
   int members, words;
   struct g3_member member[G3_MAX_MEMBERS];
};

enum g3_storage {
   G3_LOCAL,
   G3_GLOBAL,
   G3_OUTPUT,
   G3_CONST,   /* of the whole program, or local */
   G3_UNIFORM, /* alone, or in a block */
   G3_INPUT,   /* flat, from a vertex shader that knows the value */
   G3_BUILT_IN,
   G3_COUNTER
};

struct g3_variable {
   char name[32]; /* of one in a block with an instance: instance.member */
   struct g3_type type;
   enum g3_storage storage;
   int memory;                    /* of its first word */
   int block;                     /* from 1 on; 0: in none */
   bool row_major, says_major;    /* in a block: its matrices */
   const struct g3_expr *initial; /* G3_CONST */
   bool is_local;                 /* G3_CONST: of a function */
};

struct g3_block {
   char name[16], instance[16]; /* none: "" */
   bool row_major;
};

enum g3_op {
   /* leaves and parts */
   G3_CONSTANT,
   G3_VARIABLE,
   G3_ELEMENT,
   G3_FIELD,
   G3_SWIZZLE,
   /* between operators */
   G3_ADD,
   G3_SUB,
   G3_MUL,
   G3_DIV,
   G3_MOD,
   G3_AND,
   G3_OR,
   G3_XOR,
   G3_LEFT,
   G3_RIGHT,
   G3_LT,
   G3_LE,
   G3_GT,
   G3_GE,
   G3_EQ,
   G3_NE,
   G3_BOTH,
   G3_EITHER,
   G3_DIFFERENT,
   G3_MATMUL,
   /* in front */
   G3_NEG,
   G3_COMPLEMENT,
   G3_NOT,
   /* functions, each component by itself */
   G3_ABS,
   G3_SIGN,
   G3_FLOOR,
   G3_CEIL,
   G3_TRUNC,
   G3_ROUND,
   G3_ROUND_EVEN,
   G3_FRACT,
   G3_NOT_EACH,
   G3_WRAP,
   G3_MIN,
   G3_MAX,
   G3_STEP,
   G3_MODULO,
   G3_LESS,
   G3_LESS_EQUAL,
   G3_GREATER,
   G3_GREATER_EQUAL,
   G3_EQUAL,
   G3_NOT_EQUAL,
   G3_CLAMP,
   G3_MIX,
   G3_IS_NAN,
   G3_IS_INF,
   G3_FLOAT_INT,
   G3_FLOAT_UINT,
   G3_INT_FLOAT,
   G3_UINT_FLOAT,
   /* functions of whole values */
   G3_ANY,
   G3_ALL,
   G3_DOT,
   G3_CROSS,
   G3_COMP_MULT,
   G3_TRANSPOSE,
   G3_OUTER,
   G3_DETERMINANT,
   G3_INVERSE,
   G3_PACK_UNORM,
   G3_PACK_SNORM,
   G3_PACK_HALF,
   G3_UNPACK_UNORM,
   G3_UNPACK_SNORM,
   G3_UNPACK_HALF,
   G3_DIGEST,
   G3_FETCH,
   G3_SIZE,
   /* the rest */
   G3_LENGTH,
   G3_SELECT,
   G3_CONSTRUCT,
   G3_CALL,
   G3_OPS
};

struct g3_function;

struct g3_expr {
   enum g3_op op;
   struct g3_type type;
   struct g3_expr *arg[G3_MAX_ARGUMENTS];
   const struct g3_variable *variable; /* G3_VARIABLE */
   const struct g3_function *function; /* G3_CALL */
   uint32_t *value;                    /* G3_CONSTANT */
   uint32_t *seen;   /* where its value is kept when it is evaluated; NULL: nowhere */
   int place[4];     /* G3_SWIZZLE: components; G3_FIELD: its number; G3_FETCH, G3_SIZE: texture */
   double magnitude; /* of floats: no component is larger */
   int fraction;     /* bits behind the point */
};

enum g3_kind {
   G3_DECLARE,
   G3_ASSIGN,
   G3_COMPOUND,
   G3_STEP_UP,
   G3_STEP_DOWN,
   G3_MODF,
   G3_SUM,
   G3_IF,
   G3_FOR,
   G3_WHILE,
   G3_DO,
   G3_SWITCH,
   G3_CASE,
   G3_DEFAULT,
   G3_BREAK,
   G3_CONTINUE,
   G3_DISCARD,
   G3_RETURN,
   G3_BLOCK
};

struct g3_statement {
   enum g3_kind kind;
   enum g3_op op;          /* G3_COMPOUND: of `target op= expr` */
   struct g3_expr *target; /* a variable and its parts */
   struct g3_expr *expr,
      *other; /* value, condition; G3_MODF: the fraction's and the whole part's target */
   const struct g3_variable *variable; /* declared; a loop's counter */
   bool before;                        /* ++x instead of x++; a loop whose end is not known */
   int first, step, count;             /* of a counter; a G3_CASE's value, a uint if `before` */
   struct g3_statement *body, *otherwise, *next;
};

enum g3_qualifier { G3_IN, G3_CONST_IN, G3_OUT, G3_INOUT };

struct g3_function {
   char name[12];
   struct g3_type type;
   int parameters;
   const struct g3_variable *parameter[G3_MAX_PARAMETERS];
   enum g3_qualifier qualifier[G3_MAX_PARAMETERS];
   bool pure; /* writes nothing but its own variables */
   struct g3_statement *body;
};

struct g3_texture {
   enum g3_base base;
   int width, height, levels;
   uint32_t texel[G3_MAX_TEXELS][4]; /* level by level */
};

/* Where the result goes: vectors of one, two or four integers, or four floats. */
struct g3_output {
   const struct g3_variable *variable;
   int location;
};

struct g3_program {
   bool fragment;
   struct g3_struct structure[G3_MAX_STRUCTS];
   int structures;
   struct g3_block block[3];
   int blocks;
   struct g3_variable variable[G3_MAX_VARIABLES];
   int variables, memory;
   struct g3_function function[G3_MAX_FUNCTIONS];
   int functions;
   struct g3_statement *main, *finish; /* what main's body does, and what is done behind it */
   const struct g3_variable *where, *spot,
      *sum; /* a pixel's ivec2; its middle, vec2; a digest, uvec4 */
   const struct g3_variable *vertex, *instance; /* gl_VertexID, gl_InstanceID; NULL in fragments */
   struct g3_output output[G3_MAX_OUTPUTS];
   int outputs;
   struct g3_texture texture[G3_TEXTURES];
   uint32_t initial[G3_MAX_MEMORY]; /* of uniforms, inputs and globals */
   bool wraps[5][5];                /* columns, rows: of floats that are wrapped */
   void *allocated;
};

/* A new program of a stage, from the case's random numbers. `floats`: outputs may be floats. */
struct g3_program *g3_random(struct rules *r, bool fragment, bool floats);
void g3_free(struct g3_program *p);

/* Its text, without #version and precisions; the text of the other stage: its inputs, or what hands
 * its outputs on. The caller frees them. */
char *g3_print(const struct g3_program *p);
char *g3_print_other(const struct g3_program *p);

/* The memory of all variables, when it has run at a pixel. False: the fragment is discarded. */
bool g3_evaluate(const struct g3_program *p, int x, int y, uint32_t memory[G3_MAX_MEMORY]);

/* Of a constant expression, while a program is made. */
void g3_evaluate_constant(const struct g3_program *p, const struct g3_expr *e, uint32_t *out);

/* The program's uniforms, blocks and textures, bound; g3_data_delete() for what was made. */
struct g3_data {
   GLuint textures[G3_TEXTURES], buffers[3];
};
struct g3_data g3_data_create(const struct rules *r, const struct g3_program *p, GLuint program);
void g3_data_delete(struct g3_data *d);

/* glsl3_types.c */
int g3_words(struct g3_type type);
int g3_components(struct g3_type type); /* of an element, which is no structure */
bool g3_same_type(struct g3_type a, struct g3_type b);
bool g3_is_vector(struct g3_type type); /* or a scalar */
bool g3_is_matrix(struct g3_type type);
struct g3_type g3_vector(enum g3_base base, int rows);
struct g3_type g3_matrix(int columns, int rows);
struct g3_type g3_array(struct g3_type type, int length);
struct g3_type g3_part(struct g3_type type);   /* an element, a column, a component */
const char *g3_type_name(struct g3_type type); /* without the length */
float g3_float(uint32_t bits);
uint32_t g3_bits(double value); /* of a float, never -0 */

#endif
