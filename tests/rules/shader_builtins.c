/* SPDX-License-Identifier: MIT
 *
 * Operators and built-in functions on random and boundary values, in both stages and as functions
 * of scalars and of vectors, against references in double precision.
 *
 * GLSL ES 1.00 asks little: highp has 16 bits, and of functions nothing is said. The tolerances
 * here are what a user expects of 32-bit floats: results that IEEE 754 defines are equal, others
 * within a few units in the last place.
 */
#include "shader_draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_PX 16
#define POINTS (SIZE_PX * SIZE_PX)
#define ULP 0x1p-23 /* of a number in [1, 2) */

/* --------------------------------------------------------------------------------------- inputs */

enum range {
   NONE,
   UNIT,     /* [-1, 1] */
   FRACTION, /* [0, 1] */
   ANGLE,    /* some turns in either direction */
   SMALL,    /* [-10, 10] */
   WIDE,     /* all magnitudes that highp must have */
   MIDDLE,   /* all magnitudes whose squares and products highp has */
   NONZERO,  /* the same as SMALL, but for zero */
   WIDE_NONZERO,
   POSITIVE, /* all magnitudes above zero */
   POSITIVE_SMALL,
   COORDINATE, /* whole numbers, halves, and their neighbours; large ones */
   WHOLE,    /* whole numbers of up to 16 bits */
   TINY_WHOLE /* -2 .. 2 */
};

static float
boundary(struct rules *r, enum range range)
{
   static const float units[] = { 0, 1, -1, 0.5f, -0.5f, 0x1.fffffep-1f, -0x1.fffffep-1f, 0x1p-24f, -0x1p-24f };
   static const float wide[] = { 0, 1, -1, 0x1p62f, -0x1p62f, 0x1p-62f, -0x1p-62f, 16777215, 3, -7 };
   static const float coordinates[] = { 0, -0x1p-30f, 0x1p-30f, 0.5f, -0.5f, 1.5f, 2.5f, -1.5f, 8388607.5f, -8388607.5f,
                                        8388609, 16777216, 0x1p40f, -0x1p40f };
   switch (range) {
   case UNIT:
      return rules_pick(r, units);
   case FRACTION:
      return fabsf(rules_pick(r, units));
   case WIDE:
      return rules_pick(r, wide);
   case COORDINATE:
      return rules_pick(r, coordinates);
   case ANGLE:
      return (float)(rules_between(r, -8, 8) * (M_PI / 4));
   default:
      return (float)rules_between(r, 1, 3);
   }
}

static float
of_magnitude(struct rules *r, int least_log2, int most_log2)
{
   const float x = ldexpf(rules_float(r, 1, 2), rules_between(r, least_log2, most_log2 - 1));
   return rules_chance(r, 50) ? x : -x;
}

static float
input(struct rules *r, enum range range)
{
   if (rules_chance(r, 25) && range < WHOLE)
      return boundary(r, range);
   switch (range) {
   case UNIT:
      return rules_float(r, -1, 1);
   case FRACTION:
      return rules_float(r, 0, 1);
   case ANGLE:
      return rules_chance(r, 80) ? rules_float(r, -7, 7) : rules_float(r, -1000, 1000);
   case SMALL:
      return rules_float(r, -10, 10);
   case WIDE:
      return of_magnitude(r, -62, 62);
   case MIDDLE:
      return of_magnitude(r, -30, 30);
   case NONZERO:
      return of_magnitude(r, -3, 4);
   case WIDE_NONZERO:
      return of_magnitude(r, -62, 62);
   case POSITIVE:
      return fabsf(of_magnitude(r, -62, 62));
   case POSITIVE_SMALL:
      return fabsf(of_magnitude(r, -3, 4));
   case COORDINATE:
      return rules_chance(r, 50) ? (float)rules_between(r, -100, 100) : rules_float(r, -100, 100);
   case WHOLE:
      return (float)rules_between(r, -32768, 32767);
   case TINY_WHOLE:
      return (float)rules_between(r, -2, 2);
   case NONE:
      break;
   }
   return 0;
}

/* --------------------------------------------------------------------------------- by component */

/* A function of up to three numbers: @a, @b and @c in its text are scalars or vectors. */
struct component_function {
   const char *text;
   enum range range[3];
   double (*reference)(double a, double b, double c, double *tolerance);
};

/* r is the value; t the largest error. */
#define REFERENCE(name, value, error)                                                                \
   static double name(double a, double b, double c, double *t)                                      \
   {                                                                                                 \
      (void)a, (void)b, (void)c;                                                                     \
      const double r = (value);                                                                      \
      *t = (error);                                                                                  \
      return r;                                                                                      \
   }

/* Relative and absolute errors. */
#define REL(ulps) ((ulps) * ULP * fabs(r))
#define ABS(ulps) ((ulps) * ULP)

REFERENCE(ref_add, (float)(a + b), 0)
REFERENCE(ref_sub, (float)(a - b), 0)
REFERENCE(ref_mul, (float)(a * b), 0)
REFERENCE(ref_div, a / b, REL(2))
REFERENCE(ref_neg, -a, 0)
REFERENCE(ref_radians, a * M_PI / 180, REL(2))
REFERENCE(ref_degrees, a * 180 / M_PI, REL(2))
REFERENCE(ref_sin, sin(a), ABS(2))
REFERENCE(ref_cos, cos(a), ABS(2))
REFERENCE(ref_tan, tan(a), ABS(3) * (1 + r * r) + REL(3))
REFERENCE(ref_asin, asin(a), 0x1p-11) /* the GLSL compiler approximates it */
REFERENCE(ref_acos, acos(a), 0x1p-11)
REFERENCE(ref_atan, atan(a), 0x1p-14 * fabs(r))
REFERENCE(ref_atan2, atan2(a, b), a == 0 && b == 0 ? INFINITY : 0x1p-14)
REFERENCE(ref_pow, pow(a, b), a == 0 ? (b > 0 ? 0 : INFINITY) : REL(4 + 3 * fabs(b * log2(a))))
REFERENCE(ref_pow_2, pow(a + 2, b), a == -2 ? 0 : REL(4 + 3 * fabs(b * log2(a + 2))))
REFERENCE(ref_int_div, trunc(a / (b * 2 + 1)), 0)
REFERENCE(ref_int_div_constants, trunc(a / 7) - trunc(a / -8), 0)
REFERENCE(ref_int_wide, trunc(a * 30001 / 3001) + b, 0)
REFERENCE(ref_exp, exp(a), REL(4 + 3 * fabs(a)))
REFERENCE(ref_log, log(a), REL(6))
REFERENCE(ref_exp2, exp2(a), REL(2))
REFERENCE(ref_log2, log2(a), REL(4))
REFERENCE(ref_sqrt, sqrt(a), REL(1))
REFERENCE(ref_inversesqrt, 1 / sqrt(a), REL(2))
REFERENCE(ref_abs, fabs(a), 0)
REFERENCE(ref_sign, (a > 0) - (a < 0), 0)
REFERENCE(ref_floor, floor(a), 0)
REFERENCE(ref_ceil, ceil(a), 0)
REFERENCE(ref_fract, (float)(a - floor(a)), ABS(1))
REFERENCE(ref_min, fmin(a, b), 0)
REFERENCE(ref_max, fmax(a, b), 0)
REFERENCE(ref_clamp, fmin(fmax(a, -fabs(b)), fabs(b)), 0)
REFERENCE(ref_mix, a * (1 - c) + b * c, ABS(2) * (fabs(a) + fabs(b)))
REFERENCE(ref_step, a <= b, 0)
REFERENCE(ref_int, trunc(a), 0)
REFERENCE(ref_bool, a != 0, 0)

/* A quotient next to a whole number may be rounded to it: the result is then next to the other
 * end. */
static double
ref_mod(double a, double b, double c, double *t)
{
   (void)c;
   const double y = (float)(fabs(b) + 0.5), r = a - y * floor(a / y),
                error = ABS(2) * (fabs(a) + y);
   *t = fmin(r, y - r) < error ? y : error;
   return r;
}

static double
ref_smoothstep(double a, double b, double c, double *t)
{
   const double low = fmin(a, b), high = fmax(a, b) + 1,
                x = fmin(fmax((c - low) / (high - low), 0), 1);
   *t = ABS(8) * (1 + (fabs(low) + fabs(c)) / (high - low));
   return x * x * (3 - 2 * x);
}

static const struct component_function component_functions[] = {
   { "@a + @b", { WIDE, WIDE }, ref_add },
   { "@a - @b", { WIDE, WIDE }, ref_sub },
   { "@a * @b", { MIDDLE, MIDDLE }, ref_mul },
   { "@a / @b", { MIDDLE, POSITIVE }, ref_div },
   { "-@a", { WIDE }, ref_neg },
   { "radians(@a)", { WIDE }, ref_radians },
   { "degrees(@a)", { MIDDLE }, ref_degrees },
   { "sin(@a)", { ANGLE }, ref_sin },
   { "cos(@a)", { ANGLE }, ref_cos },
   { "tan(@a)", { SMALL }, ref_tan },
   { "asin(@a)", { UNIT }, ref_asin },
   { "acos(@a)", { UNIT }, ref_acos },
   { "atan(@a)", { WIDE }, ref_atan },
   { "atan(@a, @b)", { SMALL, SMALL }, ref_atan2 },
   { "atan(@a, @b)", { WIDE, WIDE }, ref_atan2 },
   { "atan(@a, @b)", { TINY_WHOLE, TINY_WHOLE }, ref_atan2 },
   { "pow(@a, @b)", { POSITIVE, UNIT }, ref_pow },
   { "pow(@a, @b)", { FRACTION, TINY_WHOLE }, ref_pow },
   { "pow(@a + 2.0, @b)", { TINY_WHOLE, POSITIVE_SMALL }, ref_pow_2 },
   { "exp(@a)", { SMALL }, ref_exp },
   { "log(@a)", { POSITIVE }, ref_log },
   { "exp2(@a)", { SMALL }, ref_exp2 },
   { "log2(@a)", { POSITIVE }, ref_log2 },
   { "sqrt(@a)", { POSITIVE }, ref_sqrt },
   { "inversesqrt(@a)", { POSITIVE }, ref_inversesqrt },
   { "abs(@a)", { WIDE }, ref_abs },
   { "sign(@a)", { WIDE }, ref_sign },
   { "floor(@a)", { COORDINATE }, ref_floor },
   { "ceil(@a)", { COORDINATE }, ref_ceil },
   { "fract(@a)", { COORDINATE }, ref_fract },
   { "mod(@a, abs(@b) + 0.5)", { SMALL, SMALL }, ref_mod },
   { "mod(@a, abs(@b) + 0.5)", { COORDINATE, TINY_WHOLE }, ref_mod },
   { "min(@a, @b)", { WIDE, WIDE }, ref_min },
   { "max(@a, @b)", { WIDE, WIDE }, ref_max },
   { "clamp(@a, -abs(@b), abs(@b))", { WIDE, WIDE }, ref_clamp },
   { "mix(@a, @b, @c)", { SMALL, SMALL, FRACTION }, ref_mix },
   { "step(@a, @b)", { TINY_WHOLE, TINY_WHOLE }, ref_step },
   { "step(@a, @b)", { WIDE, WIDE }, ref_step },
   { "smoothstep(min(@a, @b), max(@a, @b) + 1.0, @c)", { SMALL, SMALL, SMALL }, ref_smoothstep },
   { "@T(@I(@a))", { SMALL }, ref_int },
   { "@T(@I(@a))", { WHOLE }, ref_int },
   { "@T(@B(@a))", { TINY_WHOLE }, ref_bool },
   { "@T(@I(@B(@a)))", { WIDE }, ref_bool },
   { "@T(@I(@a) + @I(@b))", { WHOLE, WHOLE }, ref_add },
   { "@T(@I(@a) * @I(@b))", { TINY_WHOLE, WHOLE }, ref_mul },
   { "@T(@I(@a) / (@I(@b) * 2 + 1))", { WHOLE, TINY_WHOLE }, ref_int_div },
   { "@T(@I(@a) / 7 - @I(@a) / -8)", { WHOLE }, ref_int_div_constants },
   { "@T(@I(@a) * 30001 / 3001 + @I(@b))", { WHOLE, WHOLE }, ref_int_wide },
};

/* The columns are a, b, c and a again. */
static void
print_matrix(FILE *f, int n, const char *slice)
{
   fprintf(f, "mat%d(", n);
   for (int i = 0; i < n; i++)
      fprintf(f, "%s%c.%s", i ? ", " : "", "abca"[i], slice);
   fprintf(f, ")");
}

/* Text with the inputs' components `slice` for @a, @b, @c, and for types of as many components: @T,
 * @I, @B; @M is a matrix, @n the number of components. */
static void
expand(FILE *f, const char *text, const char *slice)
{
   static const char *const types[3][4] = { { "float", "vec2", "vec3", "vec4" },
                                            { "int", "ivec2", "ivec3", "ivec4" },
                                            { "bool", "bvec2", "bvec3", "bvec4" } };
   const int n = (int)strlen(slice);
   for (; *text; text++) {
      if (*text != '@')
         fputc(*text, f);
      else if (*++text == 'n')
         fprintf(f, "%d", n);
      else if (*text == 'M')
         print_matrix(f, n, slice);
      else if (*text >= 'a')
         fprintf(f, "%c.%s", *text, slice);
      else
         fprintf(f, "%s", types[*text == 'T' ? 0 : *text == 'I' ? 1 : 2][n - 1]);
   }
}

/* A vec4 of the function's values, computed `width` at a time. */
static void
by_component(FILE *f, const char *text, int width)
{
   static const char *const slices[4][4] = {
      { "x", "y", "z", "w" }, { "xy", "zw" }, { "xyz", "w" }, { "xyzw" }
   };
   fprintf(f, "vec4(");
   for (int i = 0; i < 4 && slices[width - 1][i]; i++) {
      fprintf(f, "%s", i ? ", " : "");
      expand(f, text, slices[width - 1][i]);
   }
   fprintf(f, ")");
}

/* ----------------------------------------------------------------------------------- of vectors */

/* A function of vectors a, b, c of `n` components. The reference gives up to four values with the
 * largest errors. */
struct vector_function {
   const char *text;
   int least, most;  /* components */
   enum range range[3];
   void (*reference)(int n, const float *a, const float *b, const float *c, double *result,
                     double *tolerance);
};

static double
dot(int n, const float *a, const float *b)
{
   double sum = 0;
   for (int i = 0; i < n; i++)
      sum += (double)a[i] * b[i];
   return sum;
}

/* The sum of the magnitudes of what a dot product adds. */
static double
dot_size(int n, const float *a, const float *b)
{
   double sum = 0;
   for (int i = 0; i < n; i++)
      sum += fabs((double)a[i] * b[i]);
   return sum;
}

#define VECTOR_REFERENCE(name)                                                                       \
   static void name(int n, const float *a, const float *b, const float *c, double *r, double *t)

/* One value for all components, none for those beyond. */
static void
put(double *r, double *t, double value, double error)
{
   r[0] = value;
   t[0] = error;
}

VECTOR_REFERENCE(ref_dot)
{
   (void)c;
   put(r, t, dot(n, a, b), ABS(n) * dot_size(n, a, b));
}

VECTOR_REFERENCE(ref_length)
{
   (void)b, (void)c;
   const double length = sqrt(dot(n, a, a));
   put(r, t, length, ABS(4) * length);
}

VECTOR_REFERENCE(ref_distance)
{
   (void)c;
   float d[4] = { 0 };
   for (int i = 0; i < n; i++)
      d[i] = a[i] - b[i];
   ref_length(n, d, NULL, NULL, r, t);
}

VECTOR_REFERENCE(ref_normalize)
{
   (void)b, (void)c;
   const double length = sqrt(dot(n, a, a));
   for (int i = 0; i < n; i++) {
      r[i] = a[i] / length;
      t[i] = ABS(5) * fabs(r[i]);
   }
}

VECTOR_REFERENCE(ref_cross)
{
   (void)n, (void)c;
   for (int i = 0; i < 3; i++) {
      const double p = (double)a[(i + 1) % 3] * b[(i + 2) % 3],
                   q = (double)a[(i + 2) % 3] * b[(i + 1) % 3];
      r[i] = p - q;
      t[i] = ABS(2) * (fabs(p) + fabs(q));
   }
}

VECTOR_REFERENCE(ref_faceforward)
{
   for (int i = 0; i < n; i++) {
      r[i] = dot(n, c, b) < 0 ? a[i] : -a[i];
      t[i] = fabs(dot(n, c, b)) < ABS(n) * dot_size(n, c, b) ? INFINITY : 0;
   }
}

VECTOR_REFERENCE(ref_reflect)
{
   (void)c;
   for (int i = 0; i < n; i++) {
      r[i] = a[i] - 2 * dot(n, b, a) * b[i];
      t[i] = ABS(2) * (fabs(a[i]) + 2 * (n + 1) * dot_size(n, a, b) * fabs(b[i]));
   }
}

/* refract(normalize(a), normalize(b), 0.25 + c.x); nothing is said of where the ray ceases to be
 * refracted. */
VECTOR_REFERENCE(ref_refract)
{
   const double la = sqrt(dot(n, a, a)), lb = sqrt(dot(n, b, b)), eta = 0.25 + c[0];
   const double d = dot(n, a, b) / (la * lb), k = 1 - eta * eta * (1 - d * d);
   for (int i = 0; i < n; i++) {
      r[i] = k < 0 ? 0 : eta * a[i] / la - (eta * d + sqrt(k)) * b[i] / lb;
      t[i] = fabs(k) < 0x1p-12 ? INFINITY : 0x1p-14;
   }
}

VECTOR_REFERENCE(ref_relations)
{
   const bool less = a[n - 1] < b[n - 1], equal = a[0] == b[0];
   bool all = true, any = false;
   (void)c, (void)t;
   for (int i = 0; i < n; i++) {
      all = all && a[i] >= b[i];
      any = any || a[i] != b[i];
   }
   r[0] = less, r[1] = equal, r[2] = all, r[3] = any;
}

VECTOR_REFERENCE(ref_bool_relations)
{
   (void)c, (void)t;
   bool same = true;
   for (int i = 0; i < n; i++)
      same = same && (a[i] != 0) == (b[i] != 0);
   r[0] = (a[0] != 0) != (b[0] != 0), r[1] = same, r[2] = a[n - 1] == 0, r[3] = !same;
}

/* Matrices of the columns a, b, c (and a again): n x n. */
static void
columns_of(const float *a, const float *b, const float *c, const float *column[4])
{
   column[0] = a, column[1] = b, column[2] = c, column[3] = a;
}

VECTOR_REFERENCE(ref_matrix_vector)
{
   const float *column[4];
   columns_of(a, b, c, column);
   for (int i = 0; i < n; i++) {
      double size = 0;
      r[i] = 0;
      for (int k = 0; k < n; k++) {
         r[i] += (double)column[k][i] * c[k];
         size += fabs((double)column[k][i] * c[k]);
      }
      t[i] = ABS(n) * size;
   }
}

VECTOR_REFERENCE(ref_vector_matrix)
{
   const float *column[4];
   columns_of(a, b, c, column);
   for (int i = 0; i < n; i++) {
      r[i] = dot(n, c, column[i]);
      t[i] = ABS(n) * dot_size(n, c, column[i]);
   }
}

/* The last column of the product of the matrix with itself. */
VECTOR_REFERENCE(ref_matrix_matrix)
{
   const float *column[4];
   columns_of(a, b, c, column);
   for (int i = 0; i < n; i++) {
      double size = 0;
      r[i] = 0;
      for (int k = 0; k < n; k++) {
         r[i] += (double)column[k][i] * column[n - 1][k];
         size += fabs((double)column[k][i] * column[n - 1][k]);
      }
      t[i] = ABS(n) * size;
   }
}

VECTOR_REFERENCE(ref_comp_mult)
{
   (void)a, (void)c, (void)t;
   for (int i = 0; i < n; i++)
      r[i] = b[i] * b[i];
}

static const struct vector_function vector_functions[] = {
   { "dot(@a, @b)", 1, 4, { MIDDLE, MIDDLE }, ref_dot },
   { "dot(@a, @b)", 1, 4, { SMALL, SMALL }, ref_dot },
   { "length(@a)", 1, 4, { WIDE }, ref_length },
   { "length(@a)", 1, 4, { SMALL }, ref_length },
   { "distance(@a, @b)", 1, 4, { SMALL, SMALL }, ref_distance },
   { "normalize(@a)", 1, 4, { WIDE_NONZERO }, ref_normalize },
   { "cross(@a, @b)", 3, 3, { SMALL, SMALL }, ref_cross },
   { "faceforward(@a, @b, @c)", 1, 4, { SMALL, SMALL, SMALL }, ref_faceforward },
   { "reflect(@a, @b)", 1, 4, { SMALL, UNIT }, ref_reflect },
   { "refract(normalize(@a), normalize(@b), 0.25 + c.x)", 1, 4, { NONZERO, NONZERO, FRACTION }, ref_refract },
   { "vec4(lessThan(@a, @b)[@n - 1], equal(@a, @b)[0], all(greaterThanEqual(@a, @b)), any(notEqual(@a, @b)))", 2, 4,
     { TINY_WHOLE, TINY_WHOLE }, ref_relations },
   { "vec4(greaterThan(@b, @a)[@n - 1], equal(@I(@a), @I(@b))[0], all(lessThanEqual(@I(@b), @I(@a))), @I(@a) != @I(@b))",
     2, 4, { TINY_WHOLE, TINY_WHOLE }, ref_relations },
   { "vec4(notEqual(@B(@a), @B(@b))[0], @B(@a) == @B(@b), not(@B(@a))[@n - 1], any(notEqual(@B(@a), @B(@b))))", 2, 4,
     { TINY_WHOLE, TINY_WHOLE }, ref_bool_relations },
   { "@M * @c", 2, 4, { SMALL, SMALL, SMALL }, ref_matrix_vector },
   { "@c * @M", 2, 4, { SMALL, SMALL, SMALL }, ref_vector_matrix },
   { "(@M * @M)[@n - 1]", 2, 4, { SMALL, SMALL, SMALL }, ref_matrix_matrix },
   { "matrixCompMult(@M, @M)[1]", 2, 4, { SMALL, SMALL, SMALL }, ref_comp_mult },
};

/* -------------------------------------------------------------------------------------- drawing */

struct inputs {
   float values[POINTS][3][4];
};

static void
make_inputs(struct rules *r, const enum range range[3], struct inputs *inputs)
{
   for (int i = 0; i < POINTS; i++) {
      for (int k = 0; k < 3; k++) {
         for (int c = 0; c < 4; c++)
            inputs->values[i][k][c] = input(r, range[k]);
      }
   }
}

/* The program computes `result` of a, b, c in one of the stages. */
static GLuint
make_program(struct rules *r, const char *result, bool fragment)
{
   static const char helpers[] =
      "vec4 to4(float x) { return vec4(x, 0.0, 0.0, 0.0); } vec4 to4(vec2 x) { return vec4(x, 0.0, 0.0); }\n"
      "vec4 to4(vec3 x) { return vec4(x, 0.0); } vec4 to4(vec4 x) { return x; }\n";
   char *vertex, text[2000];
   size_t size;
   FILE *f = open_memstream(&vertex, &size);
   fprintf(f, "attribute vec2 place; attribute vec4 position, in_a, in_b, in_c;\n%svarying vec4 %s;\nvoid main() { ", helpers,
           fragment ? "a, b, c" : "result");
   fprintf(f, fragment ? "a = in_a; b = in_b; c = in_c;" : "vec4 a = in_a, b = in_b, c = in_c; result = %s;", result);
   fprintf(f, " gl_Position = position; gl_PointSize = 1.0; }\n");
   fclose(f);
   snprintf(text, sizeof(text),
            "precision highp float; precision highp int; varying vec4 a, b, c;\n%s"
            "void main() { gl_FragColor = %s; }\n",
            helpers, result);
   GLuint program = shader_program(r, vertex, fragment ? text : shader_fragment_result);
   free(vertex);
   return program;
}

static float *
draw(struct rules *r, const struct inputs *inputs)
{
   for (int k = 0; k < 3; k++) {
      glEnableVertexAttribArray(SHADER_FIRST_INPUT + k);
      glVertexAttribPointer(SHADER_FIRST_INPUT + k, 4, GL_FLOAT, GL_FALSE,
                            sizeof(inputs->values[0]), inputs->values[0][k]);
   }
   glClear(GL_COLOR_BUFFER_BIT);
   shader_draw_places(SIZE_PX, SIZE_PX);
   for (int k = 0; k < 3; k++)
      glDisableVertexAttribArray(SHADER_FIRST_INPUT + k);
   return rules_read_float(r, SIZE_PX, SIZE_PX);
}

/* Denormals may be 0. */
static bool
is_within(float have, double wanted, double tolerance)
{
   return isinf(tolerance) || fabs(have - wanted) <= tolerance + 0x1p-126;
}

static void
fail(struct rules *r, const char *text, bool fragment, const float v[3][4], int c, float have,
     double wanted, double most)
{
   rules_fail(r,
              "%s in the %s stage: component %d is %.9g, not %.9g (+- %.3g)\na = %.9g %.9g %.9g %.9g\nb = %.9g %.9g %.9g "
              "%.9g\nc = %.9g %.9g %.9g %.9g",
              text, fragment ? "fragment" : "vertex", c, have, wanted, most, v[0][0], v[0][1],
              v[0][2], v[0][3], v[1][0], v[1][1], v[1][2], v[1][3], v[2][0], v[2][1], v[2][2],
              v[2][3]);
}

static void
check_component_function(struct rules *r, const struct component_function *function, int width,
                         bool fragment)
{
   struct inputs inputs;
   char *text;
   size_t size;
   FILE *f = open_memstream(&text, &size);
   by_component(f, function->text, width);
   fclose(f);
   make_inputs(r, function->range, &inputs);
   GLuint program = make_program(r, text, fragment);
   float *have = draw(r, &inputs);
   for (int i = 0; i < 4 * POINTS; i++) {
      const float(*v)[4] = inputs.values[i / 4];
      double tolerance;
      const double wanted = function->reference(v[0][i % 4], v[1][i % 4], v[2][i % 4], &tolerance);
      if (!is_within(have[i], wanted, tolerance))
         fail(r, text, fragment, v, i % 4, have[i], wanted, tolerance);
   }
   free(have);
   free(text);
   glDeleteProgram(program);
}

static void
check_vector_function(struct rules *r, const struct vector_function *function, int n, bool fragment)
{
   static const char *const slices[] = { "x", "xy", "xyz", "xyzw" };
   struct inputs inputs;
   char *text;
   size_t size;
   FILE *f = open_memstream(&text, &size);
   fprintf(f, "to4(");
   expand(f, function->text, slices[n - 1]);
   fprintf(f, ")");
   fclose(f);
   make_inputs(r, function->range, &inputs);
   GLuint program = make_program(r, text, fragment);
   float *have = draw(r, &inputs);
   for (int i = 0; i < POINTS; i++) {
      const float(*v)[4] = inputs.values[i];
      double wanted[4] = { 0 }, tolerance[4] = { 0 };
      function->reference(n, v[0], v[1], v[2], wanted, tolerance);
      for (int c = 0; c < 4; c++) {
         if (!is_within(have[4 * i + c], wanted[c], tolerance[c]))
            fail(r, text, fragment, v, c, have[4 * i + c], wanted[c], tolerance[c]);
      }
   }
   free(have);
   free(text);
   glDeleteProgram(program);
}

#define COUNT(array) (int)(sizeof(array) / sizeof((array)[0]))

void
rule_component_builtins(struct rules *r)
{
   shader_target(SIZE_PX, SIZE_PX);
   while (rules_next(r))
      check_component_function(r, &component_functions[r->n % COUNT(component_functions)],
                               rules_between(r, 1, 4), rules_chance(r, 50));
}

void
rule_vector_builtins(struct rules *r)
{
   shader_target(SIZE_PX, SIZE_PX);
   while (rules_next(r)) {
      const struct vector_function *function = &vector_functions[r->n % COUNT(vector_functions)];
      check_vector_function(r, function, rules_between(r, function->least, function->most),
                            rules_chance(r, 50));
   }
}
