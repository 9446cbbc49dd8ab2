/* SPDX-License-Identifier: MIT
 *
 * Operators and functions of GLSL ES 3.00 (sections 5.9 and 8), with arguments of which the result
 * is defined and exact.
 */
#include "glsl3_generator.h"

#include <math.h>

static struct g3_expr *
operation2(struct g3_generator *g, enum g3_op op, struct g3_type type, struct g3_expr *a,
           struct g3_expr *b)
{
   return g3_node(g, op, type, a, b, NULL);
}

static struct g3_expr *
operation1(struct g3_generator *g, enum g3_op op, struct g3_type type, struct g3_expr *a)
{
   return g3_node(g, op, type, a, NULL, NULL);
}

static int
most_fraction(const struct g3_expr *a, const struct g3_expr *b)
{
   return a->fraction > b->fraction ? a->fraction : b->fraction;
}

/* a + b or a - b. */
static struct g3_expr *
sum_of(struct g3_generator *g, struct g3_type type, struct g3_expr *a, struct g3_expr *b)
{
   return g3_bounded(operation2(g, rules_chance(g->r, 50) ? G3_ADD : G3_SUB, type, a, b),
                     a->magnitude + b->magnitude, most_fraction(a, b));
}

/* Sums of so many products. */
static struct g3_expr *
product_of(struct g3_generator *g, enum g3_op op, struct g3_type type, struct g3_expr *a,
           struct g3_expr *b, int terms)
{
   return g3_bounded(operation2(g, op, type, a, b), terms * a->magnitude * b->magnitude,
                     a->fraction + b->fraction);
}

/* ------------------------------------------------------------------------------------- integers */

/* Shifts by 0 to 31, of an int or uint. */
static struct g3_expr *
shift(struct g3_generator *g, struct g3_type type, struct g3_expr *a, int depth)
{
   const struct g3_type by =
      g3_vector(rules_chance(g->r, 50) ? G3_INT : G3_UINT, rules_chance(g->r, 30) ? 1 : type.rows);
   struct g3_expr *amount = rules_chance(g->r, 40) ? g3_number(g, by.base, rules_below(g->r, 32))
                                                   : g3_masked(g, g3_expression(g, by, depth), 31);
   return operation2(g, rules_chance(g->r, 50) ? G3_LEFT : G3_RIGHT, type, a, amount);
}

/* A divisor that is neither 0 nor -1: a number, or a positive or negative variable one. */
static struct g3_expr *
divisor(struct g3_generator *g, struct g3_type type, bool negative, int depth)
{
   if (rules_chance(g->r, 40)) {
      static const int64_t numbers[] = { 1, 2, 3, 5, 7, 10, 16, 100, 255, 4096, 65537, 0x7fffffff };
      const int64_t n = rules_pick(g->r, numbers);
      return g3_number(g, type.base, negative && n > 1 && rules_chance(g->r, 30) ? -n : n);
   }
   struct g3_expr *e = g3_expression(g, type, depth);
   if (type.base == G3_UINT)
      return operation2(g, G3_OR, type, e, g3_number(g, G3_UINT, 1));
   e = g3_masked(g, e, rules_chance(g->r, 50) ? 15 : 0xfffff);
   e = operation2(g, G3_ADD, type, e, g3_number(g, G3_INT, 2));
   return negative && rules_chance(g->r, 40) ? operation1(g, G3_NEG, type, e) : e;
}

/* An int's remainder is of what is not negative. */
static struct g3_expr *
division(struct g3_generator *g, struct g3_type type, struct g3_expr *a, int depth)
{
   const bool remainder = rules_chance(g->r, 50), is_signed = type.base == G3_INT;
   if (remainder && is_signed)
      a = g3_masked(g, a, 0x7fffffff);
   return operation2(g, remainder ? G3_MOD : G3_DIV, type, a,
                     divisor(g, type, is_signed && !remainder, depth));
}

/* Floats of the same bits, never 0, as -0 may take its place. */
static struct g3_expr *
float_bits(struct g3_generator *g, struct g3_type type, int depth)
{
   struct g3_expr *e = g3_small(g, g3_vector(G3_FLOAT, type.rows), depth, 14);
   if (e->fraction > 6)
      e = g3_limit(g, e, -1000);
   struct g3_expr *odd = g3_number(g, G3_FLOAT, ldexp(1, -e->fraction - 1));
   e = g3_bounded(operation2(g, G3_ADD, e->type, e, odd), e->magnitude + 1, e->fraction + 1);
   return operation1(g, type.base == G3_INT ? G3_FLOAT_INT : G3_FLOAT_UINT, type, e);
}

/* Two floats in 32 bits. Odd multiples of 2^-n are no ties of the conversion, and none is 0. */
static struct g3_expr *
pack(struct g3_generator *g, int depth)
{
   const struct g3_type pair = g3_vector(G3_FLOAT, 2);
   const enum g3_op op = G3_PACK_UNORM + rules_below(g->r, 3);
   struct g3_expr *e = g3_limit(g, g3_small(g, pair, depth, 4), -1000);
   e = product_of(g, G3_MUL, pair, e,
                  g3_number(g, G3_FLOAT, rules_chance(g->r, 50) ? 0.0625 : 0.125), 1);
   e = g3_bounded(operation2(g, G3_ADD, pair, e, g3_number(g, G3_FLOAT, 0.03125)), 2, 5);
   return operation1(g, op, g3_uint_type, e);
}

/* min(x, y), or clamp between numbers, the smaller first. */
static struct g3_expr *
integer_limits(struct g3_generator *g, struct g3_type type, struct g3_expr *a, int depth)
{
   if (rules_chance(g->r, 60))
      return operation2(g, rules_chance(g->r, 50) ? G3_MIN : G3_MAX, type, a,
                        g3_or_scalar(g, type, depth, 0));
   const int low = rules_between(g->r, type.base == G3_INT ? -2000 : 0, 2000);
   return g3_node(g, G3_CLAMP, type, a, g3_number(g, type.base, low),
                  g3_number(g, type.base, low + rules_between(g->r, 0, 1 << 20)));
}

/* Of a texture: a texel at any place modulo its size, or the size itself. */
static struct g3_expr *
texture_of(struct g3_generator *g, struct g3_type type, int depth)
{
   const int unit = type.base == G3_UINT ? 0 : type.base == G3_INT ? 1 : 2;
   const bool size = type.base == G3_INT && rules_chance(g->r, 25);
   struct g3_expr *level = g3_number(g, G3_INT, rules_below(g->r, 2));
   if (rules_chance(g->r, 50))
      level = g3_masked(g, g3_expression(g, g3_int_type, depth), 1);
   struct g3_expr *place = size ? NULL : g3_expression(g, g3_vector(G3_INT, 2), depth);
   struct g3_expr *e =
      g3_node(g, size ? G3_SIZE : G3_FETCH, g3_vector(type.base, size ? 2 : 4), level, place, NULL);
   e->place[0] = size ? (int)rules_below(g->r, G3_TEXTURES) : unit;
   g3_bounded(e, 32, 2);
   struct g3_expr *s = g3_node(g, G3_SWIZZLE, type, e, NULL, NULL);
   for (int i = 0; i < type.rows; i++)
      s->place[i] = (int)rules_below(g->r, (uint32_t)e->type.rows);
   return s;
}

/* What only one type of integers has. */
static struct g3_expr *
integer_functions(struct g3_generator *g, struct g3_type type, struct g3_expr *a, int depth)
{
   if (rules_chance(g->r, 30))
      return float_bits(g, type, depth);
   if (rules_chance(g->r, 30) && !g->constant)
      return texture_of(g, type, depth);
   if (type.base == G3_UINT)
      return type.rows == 1 ? pack(g, depth) : a;
   if (rules_chance(g->r, 50))
      return operation1(g, G3_SIGN, type, a);
   return operation1(g, G3_ABS, type, operation2(g, G3_OR, type, a, g3_number(g, G3_INT, 1)));
}

/* Of both sides one may be a scalar. */
static struct g3_expr *
between_integers(struct g3_generator *g, enum g3_op op, struct g3_type type, struct g3_expr *a,
                 int depth)
{
   struct g3_expr *b = g3_or_scalar(g, type, depth, 0);
   return rules_chance(g->r, 50) ? operation2(g, op, type, a, b) : operation2(g, op, type, b, a);
}

static struct g3_expr *
integer_operation(struct g3_generator *g, struct g3_type type, int depth)
{
   static const enum g3_op plain[] = { G3_ADD, G3_SUB, G3_MUL, G3_AND, G3_OR, G3_XOR };
   struct g3_expr *a = g3_expression(g, type, depth);
   switch (rules_below(g->r, 11)) {
   case 0:
   case 1:
      return shift(g, type, a, depth);
   case 2:
      return division(g, type, a, depth);
   case 3:
      return operation1(g, rules_chance(g->r, 50) ? G3_NEG : G3_COMPLEMENT, type, a);
   case 4:
      return integer_limits(g, type, a, depth);
   case 5:
   case 6:
      return integer_functions(g, type, a, depth);
   default:
      return between_integers(g, rules_pick(g->r, plain), type, a, depth);
   }
}

/* ---------------------------------------------------------------------------------------- bools */

/* A comparison of scalars, or of each component; of floats that need not be stored. */
static struct g3_expr *
compare(struct g3_generator *g, struct g3_type type, int depth)
{
   const struct g3_type of = g3_vector(rules_below(g->r, 3), type.rows);
   struct g3_expr *a = g3_small(g, of, depth, 22), *b = g3_small(g, of, depth, 22);
   const enum g3_op first = type.rows > 1 ? G3_LESS : G3_LT;
   return operation2(g, first + rules_below(g->r, 4), type, a, b);
}

/* Whether values of any type are equal. */
static struct g3_expr *
same(struct g3_generator *g, struct g3_type type, int depth)
{
   const bool vector = type.rows > 1;
   const struct g3_type of =
      vector ? g3_vector(rules_below(g->r, 4), type.rows) : g3_random_type(g);
   struct g3_expr *a = g3_small(g, of, depth, 22), *b = g3_small(g, of, depth, 22);
   return operation2(g, (vector ? G3_EQUAL : G3_EQ) + rules_below(g->r, 2), type, a, b);
}

static struct g3_expr *
bool_function(struct g3_generator *g, struct g3_type type, int depth)
{
   if (rules_chance(g->r, 15))
      return operation1(g, rules_chance(g->r, 50) ? G3_IS_NAN : G3_IS_INF, type,
                        g3_small(g, g3_vector(G3_FLOAT, type.rows), depth, 22));
   if (type.rows > 1)
      return operation1(g, G3_NOT_EACH, type, g3_expression(g, type, depth));
   return operation1(g, rules_chance(g->r, 50) ? G3_ANY : G3_ALL, type,
                     g3_expression(g, g3_vector(G3_BOOL, rules_between(g->r, 2, 4)), depth));
}

static struct g3_expr *
bool_operation(struct g3_generator *g, struct g3_type type, int depth)
{
   const bool vector = type.rows > 1;
   switch (rules_below(g->r, vector ? 4 : 7)) {
   case 0:
      return same(g, type, depth);
   case 1:
      return bool_function(g, type, depth);
   case 4:
      return operation1(g, G3_NOT, type, g3_expression(g, type, depth));
   case 5:
      return operation2(g, G3_BOTH + rules_below(g->r, 3), type, g3_expression(g, type, depth),
                        g3_expression(g, type, depth));
   default:
      return compare(g, type, depth);
   }
}

/* ------------------------------------------------------------------------------------- matrices */

static struct g3_expr *
matrix_product(struct g3_generator *g, struct g3_type type, int depth)
{
   const int inner = rules_between(g->r, 2, 4);
   struct g3_expr *a = g3_small(g, g3_matrix(inner, type.rows), depth, 9);
   struct g3_expr *b = g3_small(g, g3_matrix(type.columns, inner), depth, 9);
   return product_of(g, G3_MATMUL, type, a, b, inner);
}

static struct g3_expr *
matrix_operation(struct g3_generator *g, struct g3_type type, int depth)
{
   struct g3_expr *a = g3_small(g, type, depth, 10), *b;
   switch (rules_below(g->r, 7)) {
   case 0:
      return matrix_product(g, type, depth);
   case 1:
      b = g3_small(g, type, depth, 10);
      return product_of(g, G3_COMP_MULT, type, a, b, 1);
   case 2:
      b = g3_small(g, g3_float_type, depth, 10);
      return rules_chance(g->r, 50) ? product_of(g, G3_MUL, type, a, b, 1)
                                    : product_of(g, G3_MUL, type, b, a, 1);
   case 3:
      return operation1(g, G3_NEG, type, a);
   case 4:
      a = g3_expression(g, g3_matrix(type.rows, type.columns), depth);
      return operation1(g, G3_TRANSPOSE, type, a);
   case 5:
      a = g3_small(g, g3_vector(G3_FLOAT, type.rows), depth, 10);
      b = g3_small(g, g3_vector(G3_FLOAT, type.columns), depth, 10);
      return product_of(g, G3_OUTER, type, a, b, 1);
   default:
      b = rules_chance(g->r, 25) ? g3_small(g, g3_float_type, depth, 10)
                                 : g3_small(g, type, depth, 10);
      return sum_of(g, type, a, b);
   }
}

/* --------------------------------------------------------------------------------------- floats */

/* A column of the inverse of mat2(1, a, b, a * b + 1), whose determinant is 1: a and b are whole,
 * and the result is rounded to be. */
static struct g3_expr *
column_of_inverse(struct g3_generator *g, struct g3_type type, int depth)
{
   struct g3_expr *a = g3_limit(g, g3_small(g, g3_float_type, depth, 4), -1000);
   struct g3_expr *b = g3_limit(g, g3_small(g, g3_float_type, depth, 4), -1000);
   struct g3_expr *product = product_of(g, G3_MUL, g3_float_type, a, b, 1);
   struct g3_expr *one = g3_number(g, G3_FLOAT, 1);
   struct g3_expr *last = operation2(g, G3_ADD, g3_float_type, product, one);
   struct g3_expr *left = operation2(g, G3_CONSTRUCT, type, one, a);
   struct g3_expr *right = operation2(g, G3_CONSTRUCT, type, b, last);
   struct g3_expr *matrix = operation2(g, G3_CONSTRUCT, g3_matrix(2, 2), left, right);
   matrix = operation1(g, G3_INVERSE, matrix->type, matrix);
   struct g3_expr *column =
      operation2(g, G3_ELEMENT, type, matrix, g3_index(g, matrix->type, depth));
   return g3_bounded(operation1(g, G3_ROUND_EVEN, type, column), 257, 0);
}

/* Functions of whole vectors and matrices. */
static struct g3_expr *
geometric(struct g3_generator *g, struct g3_type type, int depth)
{
   const int n = rules_between(g->r, 2, 4);
   const struct g3_type other = g3_vector(G3_FLOAT, n);
   if (type.rows == 1 && rules_chance(g->r, 30))
      return g3_bounded(operation1(g, G3_DETERMINANT, type,
                                   g3_limit(g, g3_small(g, g3_matrix(n, n), depth, 4), -1000)),
                        24 * 65536, 0);
   if (type.rows == 1)
      return product_of(g, G3_DOT, type, g3_small(g, other, depth, 10),
                        g3_small(g, other, depth, 10), n);
   if (type.rows == 3 && rules_chance(g->r, 30))
      return product_of(g, G3_CROSS, type, g3_small(g, type, depth, 10),
                        g3_small(g, type, depth, 10), 2);
   if (type.rows == 2 && rules_chance(g->r, 30))
      return column_of_inverse(g, type, depth);
   struct g3_expr *v = g3_small(g, other, depth, 9);
   if (rules_chance(g->r, 50))
      return product_of(g, G3_MATMUL, type, v, g3_small(g, g3_matrix(type.rows, n), depth, 9), n);
   return product_of(g, G3_MATMUL, type, g3_small(g, g3_matrix(n, type.rows), depth, 9), v, n);
}

/* Rounding; of ties, which round() leaves open, there are none at odd multiples of 1/4. */
static struct g3_expr *
rounding(struct g3_generator *g, struct g3_type type, struct g3_expr *a)
{
   const enum g3_op op = rules_chance(g->r, 30) ? G3_ROUND_EVEN : G3_FLOOR + rules_below(g->r, 6);
   if (op == G3_ROUND) {
      a = g3_limit(g, a, -1000);
      a = operation2(g, G3_ADD, type, a,
                     g3_number(g, G3_FLOAT, rules_chance(g->r, 50) ? 0.25 : -0.25));
   }
   if (op == G3_FRACT)
      return g3_bounded(operation1(g, op, type, a), 1, a->fraction);
   return g3_bounded(operation1(g, op, type, a), a->magnitude + 1, 0);
}

/* Floats of bits with a small exponent; halves and normalised integers, rounded to be whole. */
static struct g3_expr *
from_bits(struct g3_generator *g, struct g3_type type, int depth)
{
   const struct g3_type of = g3_vector(rules_chance(g->r, 50) ? G3_INT : G3_UINT, type.rows);
   if (type.rows != 2 || rules_chance(g->r, 40)) {
      struct g3_expr *e = g3_masked(g, g3_expression(g, of, depth), 0x81fc0000);
      e = operation2(g, G3_OR, of, e, g3_number(g, of.base, 0x40000000));
      return g3_bounded(operation1(g, of.base == G3_INT ? G3_INT_FLOAT : G3_UINT_FLOAT, type, e),
                        32, 4);
   }
   struct g3_expr *e = g3_expression(g, g3_uint_type, depth);
   if (rules_chance(g->r, 40)) {
      e = g3_masked(g, e, 0x83f083f0);
      e = operation2(g, G3_OR, g3_uint_type, e, g3_number(g, G3_UINT, 0x40004000));
      return g3_bounded(operation1(g, G3_UNPACK_HALF, type, e), 4, 5);
   }
   e = operation1(g, rules_chance(g->r, 50) ? G3_UNPACK_SNORM : G3_UNPACK_UNORM, type, e);
   return g3_bounded(e, 16, 0); /* printed in sixteenths */
}

/* mix(x, y, a): a of sixteenths, or of bools. */
static struct g3_expr *
mix_of(struct g3_generator *g, struct g3_type type, struct g3_expr *a, int depth)
{
   struct g3_expr *b = g3_small(g, type, depth, 10), *c;
   if (rules_chance(g->r, 60)) {
      struct g3_expr *e = operation2(g, G3_MIX, type, a, b);
      e->arg[2] = g3_expression(g, g3_vector(G3_BOOL, type.rows), depth);
      return e;
   }
   c = g3_masked(g, g3_expression(g, g3_vector(G3_INT, type.rows), depth), 15);
   c = g3_bounded(operation1(g, G3_CONSTRUCT, type, c), 15, 0);
   c = g3_bounded(operation2(g, G3_MUL, type, c, g3_number(g, G3_FLOAT, 0.0625)), 1, 4);
   return g3_bounded(g3_node(g, G3_MIX, type, a, b, c), 2 * (a->magnitude + b->magnitude),
                     4 + most_fraction(a, b));
}

static struct g3_expr *
float_limits(struct g3_generator *g, struct g3_type type, struct g3_expr *a, int depth)
{
   if (rules_chance(g->r, 50))
      return operation2(g, rules_chance(g->r, 50) ? G3_MIN : G3_MAX, type, a,
                        g3_or_scalar(g, type, depth, 10));
   if (rules_chance(g->r, 40))
      return g3_bounded(operation2(g, G3_STEP, type, g3_or_scalar(g, type, depth, 10), a), 1, 0);
   const int low = rules_between(g->r, -9, 9);
   return g3_bounded(g3_node(g, G3_CLAMP, type, a, g3_number(g, G3_FLOAT, low),
                             g3_number(g, G3_FLOAT, low + rules_between(g->r, 0, 9))),
                     18, a->fraction);
}

/* By powers of two, which are exact. */
static struct g3_expr *
float_division(struct g3_generator *g, struct g3_type type, struct g3_expr *a)
{
   const int power = rules_between(g->r, 0, 3);
   struct g3_expr *b = g3_number(g, G3_FLOAT, 1 << power);
   if (rules_chance(g->r, 50))
      return g3_bounded(operation2(g, G3_DIV, type, a, b), a->magnitude, a->fraction + power);
   return g3_bounded(operation2(g, G3_MODULO, type, a, b), b->magnitude, a->fraction);
}

static struct g3_expr *
float_operation(struct g3_generator *g, struct g3_type type, int depth)
{
   struct g3_expr *a = g3_small(g, type, depth, 10), *b;
   switch (rules_below(g->r, 15)) {
   case 0:
   case 1:
      b = g3_or_scalar(g, type, depth, 10);
      return product_of(g, G3_MUL, type, a, b, 1);
   case 2:
      return float_division(g, type, a);
   case 3:
      return operation1(g, rules_chance(g->r, 50) ? G3_NEG : G3_ABS, type, a);
   case 4:
      return rounding(g, type, a);
   case 5:
      return g3_bounded(operation1(g, G3_SIGN, type, a), 1, 0);
   case 6:
      return float_limits(g, type, a, depth);
   case 7:
      return mix_of(g, type, a, depth);
   case 8:
      return g->constant ? a : texture_of(g, type, depth);
   case 9:
      return from_bits(g, type, depth);
   case 10:
      return type.rows == 2 ? from_bits(g, type, depth) : geometric(g, type, depth);
   case 11:
      return geometric(g, type, depth);
   case 12:
      return rounding(g, type, a);
   default:
      b = g3_or_scalar(g, type, depth, 10);
      return sum_of(g, type, a, b);
   }
}

struct g3_expr *
g3_operation(struct g3_generator *g, struct g3_type type, int depth)
{
   if (type.columns > 1)
      return matrix_operation(g, type, depth);
   switch (type.base) {
   case G3_FLOAT:
      return float_operation(g, type, depth);
   case G3_BOOL:
      return bool_operation(g, type, depth);
   default:
      return integer_operation(g, type, depth);
   }
}
