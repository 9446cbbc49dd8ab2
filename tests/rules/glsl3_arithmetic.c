/* SPDX-License-Identifier: MIT */
#include "glsl3_evaluate.h"

#include <math.h>
#include <string.h>

static int32_t
signed_of(uint32_t word)
{
   return (int32_t)word;
}

static double
number(enum g3_base base, uint32_t word)
{
   return base == G3_FLOAT ? g3_float(word) : base == G3_INT ? (double)signed_of(word) : word;
}

uint32_t
g3_convert(enum g3_base to, enum g3_base from, uint32_t word)
{
   const double x = number(from, word);
   switch (to) {
   case G3_BOOL:
      return x != 0;
   case G3_FLOAT:
      return g3_bits(x);
   default:
      return from == G3_FLOAT ? (uint32_t)(int64_t)trunc(x) : word;
   }
}

/* ------------------------------------------------------------------------------- each component */

static uint32_t
compare(enum g3_op op, double a, double b)
{
   switch (op) {
   case G3_LT:
   case G3_LESS:
      return a < b;
   case G3_LE:
   case G3_LESS_EQUAL:
      return a <= b;
   case G3_GT:
   case G3_GREATER:
      return a > b;
   case G3_GE:
   case G3_GREATER_EQUAL:
      return a >= b;
   case G3_EQUAL:
      return a == b;
   default: /* G3_NOT_EQUAL, G3_DIFFERENT */
      return a != b;
   }
}

/* Of signed integers where they differ from unsigned ones. */
static uint32_t
each_signed(enum g3_op op, int32_t a, int32_t b, int32_t c)
{
   switch (op) {
   case G3_DIV:
      return (uint32_t)(a / b);
   case G3_MOD:
      return (uint32_t)(a % b);
   case G3_RIGHT:
      return a < 0 ? ~(~(uint32_t)a >> b) : (uint32_t)a >> b;
   case G3_ABS:
      return a < 0 ? -(uint32_t)a : (uint32_t)a;
   case G3_SIGN:
      return (uint32_t)((a > 0) - (a < 0));
   case G3_MIN:
      return (uint32_t)(a < b ? a : b);
   case G3_MAX:
      return (uint32_t)(a > b ? a : b);
   case G3_CLAMP:
      return (uint32_t)(a < b ? b : a > c ? c : a);
   default:
      die("operation %d of ints", op);
   }
}

static uint32_t
each_unsigned(enum g3_op op, uint32_t a, uint32_t b, uint32_t c)
{
   switch (op) {
   case G3_DIV:
      return a / b;
   case G3_MOD:
      return a % b;
   case G3_RIGHT:
      return a >> b;
   case G3_MIN:
      return a < b ? a : b;
   case G3_MAX:
      return a > b ? a : b;
   case G3_CLAMP:
      return a < b ? b : a > c ? c : a;
   default:
      die("operation %d of uints", op);
   }
}

static uint32_t
each_integer(enum g3_op op, bool is_signed, uint32_t a, uint32_t b, uint32_t c)
{
   switch (op) {
   case G3_ADD:
      return a + b;
   case G3_SUB:
      return a - b;
   case G3_MUL:
      return a * b;
   case G3_AND:
      return a & b;
   case G3_OR:
      return a | b;
   case G3_XOR:
      return a ^ b;
   case G3_LEFT:
      return a << b;
   case G3_NEG:
      return -a;
   case G3_COMPLEMENT:
      return ~a;
   case G3_INT_FLOAT:
   case G3_UINT_FLOAT:
      return a;
   default:
      return is_signed ? each_signed(op, signed_of(a), signed_of(b), signed_of(c))
                       : each_unsigned(op, a, b, c);
   }
}

/* Rounded to the nearest, ties to even. */
static double
nearest(double x)
{
   const double low = floor(x), above = x - low;
   if (above == 0.5)
      return fmod(low, 2) == 0 ? low : low + 1;
   return above < 0.5 ? low : low + 1;
}

static double
each_float(enum g3_op op, double a, double b, double c)
{
   switch (op) {
   case G3_ADD:
      return a + b;
   case G3_SUB:
      return a - b;
   case G3_MUL:
   case G3_COMP_MULT:
      return a * b;
   case G3_DIV:
      return a / b;
   case G3_NEG:
      return -a;
   case G3_ABS:
      return fabs(a);
   case G3_SIGN:
      return (a > 0) - (a < 0);
   case G3_FLOOR:
      return floor(a);
   case G3_CEIL:
      return ceil(a);
   case G3_TRUNC:
      return a < 0 ? ceil(a) : floor(a);
   case G3_ROUND:
   case G3_ROUND_EVEN:
      return nearest(a);
   case G3_FRACT:
      return a - floor(a);
   case G3_WRAP: /* as the functions of glsl3_print.c */
      return floor(a) - 32 * floor(floor(a) / 32) - 16;
   case G3_MIN:
      return b < a ? b : a;
   case G3_MAX:
      return a < b ? b : a;
   case G3_STEP:
      return b < a ? 0 : 1;
   case G3_MODULO:
      return a - b * floor(a / b);
   case G3_CLAMP:
      return a < b ? b : a > c ? c : a;
   case G3_MIX:
      return a * (1 - c) + b * c;
   default:
      die("operation %d of floats", op);
   }
}

/* One component. */
static uint32_t
each(const struct g3_expr *e, uint32_t a, uint32_t b, uint32_t c)
{
   const enum g3_base base = e->arg[0]->type.base;
   if (e->op == G3_NOT || e->op == G3_NOT_EACH)
      return !a;
   if (e->op == G3_IS_NAN || e->op == G3_IS_INF)
      return false;
   if (e->op == G3_FLOAT_INT || e->op == G3_FLOAT_UINT)
      return a;
   if (e->op == G3_MIX && e->arg[2]->type.base == G3_BOOL)
      return c ? b : a;
   if (e->type.base == G3_BOOL)
      return compare(e->op, number(base, a), number(base, b));
   if (base == G3_FLOAT)
      return g3_bits(each_float(e->op, g3_float(a), g3_float(b), g3_float(c)));
   return each_integer(e->op, base == G3_INT, a, b, c);
}

static void
compute_each(const struct g3_expr *e, uint32_t arg[3][G3_MAX_WORDS], uint32_t *out)
{
   int stride[3] = { 0 };
   for (int i = 0; i < 3; i++)
      stride[i] = e->arg[i] && g3_components(e->arg[i]->type) > 1;
   for (int i = 0; i < g3_components(e->type); i++)
      out[i] = each(e, arg[0][i * stride[0]], arg[1][i * stride[1]], arg[2][i * stride[2]]);
}

/* --------------------------------------------------------------------------------- whole values */

/* Of rows of a with columns of b; a vector on the left is a row, one on the right a column. */
static void
matrix_product(struct g3_type ta, struct g3_type tb, const uint32_t *a, const uint32_t *b,
               uint32_t *out)
{
   const bool row = ta.columns == 1;
   const int rows = row ? 1 : ta.rows;
   for (int c = 0; c < tb.columns; c++) {
      for (int r = 0; r < rows; r++) {
         double sum = 0;
         for (int k = 0; k < tb.rows; k++)
            sum += (double)g3_float(row ? a[k] : a[k * rows + r]) * g3_float(b[c * tb.rows + k]);
         out[c * rows + r] = g3_bits(sum);
      }
   }
}

static double
dot(const uint32_t *a, const uint32_t *b, int n)
{
   double sum = 0;
   for (int i = 0; i < n; i++)
      sum += (double)g3_float(a[i]) * g3_float(b[i]);
   return sum;
}

/* By its first column, of the rows and columns that are left. */
static double
determinant(const uint32_t *m, int size, int column, unsigned rows_left)
{
   if (column == size)
      return 1;
   double sum = 0, sign = 1;
   for (int r = 0; r < size; r++) {
      if (!(rows_left >> r & 1))
         continue;
      sum += sign * g3_float(m[column * size + r]) *
             determinant(m, size, column + 1, rows_left & ~(1u << r));
      sign = -sign;
   }
   return sum;
}

/* Of two rows and columns, whose determinant is 1. */
static void
inverse(const uint32_t *m, uint32_t *out)
{
   out[0] = m[3];
   out[1] = g3_bits(-g3_float(m[1]));
   out[2] = g3_bits(-g3_float(m[2]));
   out[3] = m[0];
}

/* Values of any type: floats by their numbers, of which none is -0 or no number. */
static bool
same(const struct g3_expr *e, const uint32_t *a, const uint32_t *b)
{
   return memcmp(a, b, (size_t)g3_words(e->arg[0]->type) * sizeof(*a)) == 0;
}

static uint32_t
half_bits(double x)
{
   const uint32_t sign = x < 0 ? 0x8000 : 0;
   const int exponent = ilogb(x);
   return sign | (uint32_t)(nearest(ldexp(fabs(x), 10 - exponent)) + (exponent + 14) * 1024);
}

static double
half_value(uint32_t bits)
{
   const double x = ldexp(1024 + (bits & 1023), (int)(bits >> 10 & 31) - 25);
   return bits & 0x8000 ? -x : x;
}

/* 16 bits of a float. */
static uint32_t
pack(enum g3_op op, double x)
{
   const double most = x > 1 ? 1 : x;
   if (op == G3_PACK_HALF)
      return half_bits(x);
   if (op == G3_PACK_UNORM)
      return (uint32_t)nearest((most < 0 ? 0 : most) * 65535);
   return (uint32_t)(int32_t)nearest((most < -1 ? -1 : most) * 32767) & 0xffff;
}

/* A float of 16 bits; normalised ones are in sixteenths, and rounded. */
static double
unpack(enum g3_op op, uint32_t bits)
{
   if (op == G3_UNPACK_HALF)
      return half_value(bits);
   if (op == G3_UNPACK_UNORM)
      return nearest(bits / 65535.0 * 16);
   const double x = (int16_t)bits / 32767.0;
   return nearest((x < -1 ? -1 : x) * 16);
}

static void
cross(const uint32_t *a, const uint32_t *b, uint32_t *out)
{
   for (int i = 0; i < 3; i++) {
      const int k = (i + 1) % 3, l = (i + 2) % 3;
      out[i] =
         g3_bits((double)g3_float(a[k]) * g3_float(b[l]) - (double)g3_float(a[l]) * g3_float(b[k]));
   }
}

/* Functions of matrices, by their element in each column and row. */
static void
compute_matrix(const struct g3_expr *e, const uint32_t *a, const uint32_t *b, uint32_t *out)
{
   const int rows = e->type.rows;
   for (int c = 0; c < e->type.columns; c++) {
      for (int r = 0; r < rows; r++)
         out[c * rows + r] = e->op == G3_OUTER ? g3_bits((double)g3_float(a[r]) * g3_float(b[c]))
                                               : a[r * e->type.columns + c];
   }
}

static uint32_t
any_or_all(const struct g3_expr *e, const uint32_t *a)
{
   uint32_t count = 0;
   const uint32_t n = (uint32_t)e->arg[0]->type.rows;
   for (uint32_t i = 0; i < n; i++)
      count += a[i];
   return e->op == G3_ANY ? count > 0 : count == n;
}

void
g3_compute(const struct g3_expr *e, uint32_t arg[3][G3_MAX_WORDS], uint32_t *out)
{
   const uint32_t *a = arg[0], *b = arg[1];
   const struct g3_type type = e->arg[0]->type;
   switch (e->op) {
   case G3_EQ:
   case G3_NE:
      out[0] = same(e, a, b) == (e->op == G3_EQ);
      break;
   case G3_ANY:
   case G3_ALL:
      out[0] = any_or_all(e, a);
      break;
   case G3_MATMUL:
      matrix_product(type, e->arg[1]->type, a, b, out);
      break;
   case G3_DOT:
      out[0] = g3_bits(dot(a, b, type.rows));
      break;
   case G3_CROSS:
      cross(a, b, out);
      break;
   case G3_TRANSPOSE:
   case G3_OUTER:
      compute_matrix(e, a, b, out);
      break;
   case G3_DETERMINANT:
      out[0] = g3_bits(determinant(a, type.rows, 0, 15));
      break;
   case G3_INVERSE:
      inverse(a, out);
      break;
   case G3_PACK_UNORM:
   case G3_PACK_SNORM:
   case G3_PACK_HALF:
      out[0] = pack(e->op, g3_float(a[0])) | pack(e->op, g3_float(a[1])) << 16;
      break;
   case G3_UNPACK_UNORM:
   case G3_UNPACK_SNORM:
   case G3_UNPACK_HALF:
      out[0] = g3_bits(unpack(e->op, a[0] & 0xffff));
      out[1] = g3_bits(unpack(e->op, a[0] >> 16));
      break;
   default:
      compute_each(e, arg, out);
   }
}
