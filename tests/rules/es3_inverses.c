/* SPDX-License-Identifier: MIT
 *
 * determinant(), inverse(), transpose() and outerProduct() (GLSL ES 3.00, section 8.6) of random
 * floats, another matrix at each pixel, in both stages. es3_shaders.c has all operations on
 * matrices of whole numbers, exactly.
 */
#include "es3_rules.h"

#include <math.h>
#include <stdlib.h>
#include <strings.h>

enum { SIZE_PX = 16, PIXELS = SIZE_PX * SIZE_PX };

enum function { DETERMINANT, INVERSE, TRANSPOSE, OUTER_PRODUCT, FUNCTIONS };

struct shape {
   enum function function;
   int columns, rows; /* of what is given; of an outer product's result */
};

/* ---------------------------------------------------------------------------------- references */

/* The determinant of rows and columns whose bits are set; or the permanent of magnitudes, which
 * has the same products, all added. */
static double
expand(const float m[4][4], unsigned columns, unsigned rows, bool permanent)
{
   const int c = ffs((int)columns) - 1;
   double all = 0, sign = 1;
   if (!columns)
      return 1;
   for (int row = 0; row < 4; row++) {
      if (!(rows >> row & 1))
         continue;
      const double x = permanent ? fabs((double)m[c][row]) : m[c][row];
      all += sign * x * expand(m, columns & (columns - 1), rows & ~(1u << row), permanent);
      sign = permanent ? 1 : -sign;
   }
   return all;
}

/* Section 4.5.1: sums and products are rounded once. A sum of size! products has size - 1 roundings
 * of each product, and no more than size! - 1 of sums, in whatever order and however factors are
 * taken out. */
static double
determinant_error(const float m[4][4], unsigned columns, unsigned rows)
{
   static const int roundings[5] = { 0, 0, 2, 7, 26 };
   return 1.001 * roundings[__builtin_popcount(columns)] * 0x1p-24 * expand(m, columns, rows, true);
}

/* A cofactor by the determinant: a quotient (2.5 ulps), or a product by the reciprocal (3). */
static void
inverse_of(const float m[4][4], int size, int column, int row, double *value, double *error)
{
   const unsigned all = (1u << size) - 1, columns = all & ~(1u << row),
                  rows = all & ~(1u << column);
   const double d = expand(m, all, all, false), d_error = determinant_error(m, all, all);
   const double c = expand(m, columns, rows, false) * ((column + row) % 2 ? -1 : 1);
   *value = c / d;
   *error = (determinant_error(m, columns, rows) + fabs(*value) * d_error) / (fabs(d) - d_error) +
            fabs(*value) * 3 * 0x1p-23 + 0x1p-126;
}

static void
expected(const struct shape *s, const float m[4][4], int column, int row, double *value,
         double *error)
{
   const unsigned all = (1u << s->columns) - 1;
   *error = 0;
   switch (s->function) {
   case DETERMINANT:
      *value = expand(m, all, all, false);
      *error = determinant_error(m, all, all);
      break;
   case INVERSE:
      inverse_of(m, s->columns, column, row, value, error);
      break;
   case TRANSPOSE:
      *value = m[row][column];
      break;
   default: /* one product, correctly rounded */
      *value = m[0][row] * m[1][column];
   }
}

/* ------------------------------------------------------------------------------------- shaders */

/* uvec4 result_at(ivec2 p): a column of the result, or the determinant. */
static void
add_function(const struct text *t, const struct shape *s)
{
   static const char *const parts[5] = { "", "", "xy", "xyz", "xyzw" };
   static const char *const ends[5] = { "", "", ", 0.0, 0.0", ", 0.0", "" };
   const int rows = s->function == TRANSPOSE ? s->columns : s->rows;
   add(*t, "uniform usampler2D image; uniform int column;\n"
           "vec4 at(ivec2 p, int c) {\n"
           "   return uintBitsToFloat(texelFetch(image, ivec2(p.x * 4 + c, p.y), 0)); }\n"
           "uvec4 result_at(ivec2 p) {\n");
   if (s->function == OUTER_PRODUCT) {
      add(*t,
          "   return floatBitsToUint(vec4(outerProduct(at(p, 0).%s, at(p, 1).%s)[column]%s)); }\n",
          parts[s->rows], parts[s->columns], ends[rows]);
      return;
   }
   add(*t, "   mat%dx%d m = mat%dx%d(at(p, 0).%s", s->columns, s->rows, s->columns, s->rows,
       parts[s->rows]);
   for (int c = 1; c < s->columns; c++)
      add(*t, ", at(p, %d).%s", c, parts[s->rows]);
   if (s->function == DETERMINANT)
      add(*t, ");\n   return uvec4(floatBitsToUint(determinant(m))); }\n");
   else
      add(*t, ");\n   return floatBitsToUint(vec4(%s(m)[column]%s)); }\n",
          s->function == INVERSE ? "inverse" : "transpose", ends[rows]);
}

static GLuint
shape_program(const struct rules *r, const struct shape *s, bool in_vertex)
{
   struct text t;
   text_begin(&t);
   add(t, in_vertex ? "flat out uvec4 v;\n" : "out uvec4 result;\n");
   add_function(&t, s);
   if (in_vertex)
      add(t,
          "void main() { ivec2 p = ivec2(gl_VertexID %% %d, gl_VertexID / %d);\n"
          "   v = result_at(p); gl_PointSize = 1.0;\n"
          "   gl_Position = vec4((vec2(p) * 2.0 + 1.0) / %d.0 - 1.0, 0.0, 1.0); }\n",
          SIZE_PX, SIZE_PX, SIZE_PX);
   else
      add(t, "void main() { result = result_at(ivec2(gl_FragCoord.xy)); }\n");
   text_end(&t);
   GLuint program = es3_program(
      r, in_vertex ? t.chars : es3_vertex_whole,
      in_vertex ? "flat in uvec4 v; out uvec4 result; void main() { result = v; }" : t.chars);
   free(t.chars);
   return program;
}

/* --------------------------------------------------------------------------------------- cases */

/* What is inverted has a large diagonal: what is close to singular may be anything. */
static void
choose_matrix(struct rules *r, const struct shape *s, float m[4][4])
{
   for (int c = 0; c < 4; c++) {
      for (int row = 0; row < 4; row++) {
         m[c][row] = rules_float(r, -9, 9);
         if (s->function == INVERSE)
            m[c][row] = c == row ? rules_float(r, 3.5f, 9) * (rules_chance(r, 50) ? 1 : -1)
                                 : rules_float(r, -1, 1);
      }
   }
}

static void
expect_column(struct rules *r, const struct shape *s, const float (*m)[4][4], int column)
{
   static const char *const names[] = { "determinant", "inverse", "transpose", "outerProduct" };
   const int rows = s->function == DETERMINANT ? 1
                    : s->function == TRANSPOSE ? s->columns
                                               : s->rows;
   uint32_t *have = es3_read_uint(r, SIZE_PX, SIZE_PX);
   for (int i = 0; i < PIXELS; i++) {
      for (int row = 0; row < rows; row++) {
         const float x = es3_float(have[4 * i + row]);
         double value, error;
         expected(s, m[i], column, row, &value, &error);
         if (!(fabs(x - value) <= error))
            rules_fail(r, "%s of %d columns, %d rows: [%d][%d] at pixel %d is %.9g, not %.9g +- %g",
                       names[s->function], s->columns, s->rows, column, row, i, x, value, error);
      }
   }
   free(have);
}

void
es3_inverses(struct rules *r)
{
   struct es3_target target = es3_target_create(GL_RGBA32UI, SIZE_PX, SIZE_PX);
   float(*m)[4][4] = malloc(PIXELS * sizeof(*m));
   while (rules_next(r)) {
      struct shape s = { (enum function)(r->n / 2 % FUNCTIONS), rules_between(r, 2, 4),
                         rules_between(r, 2, 4) };
      if (s.function == DETERMINANT || s.function == INVERSE)
         s.rows = s.columns;
      for (int i = 0; i < PIXELS; i++)
         choose_matrix(r, &s, m[i]);
      GLuint program = shape_program(r, &s, r->n % 2);
      GLuint texture = es3_uint_texture(0, 4 * SIZE_PX, SIZE_PX, (const uint32_t *)m);
      const int columns = s.function == DETERMINANT ? 1
                          : s.function == TRANSPOSE ? s.rows
                                                    : s.columns;
      for (int c = 0; c < columns; c++) {
         es3_uniform(program, "column", c);
         glDrawArrays(r->n % 2 ? GL_POINTS : GL_TRIANGLES, 0, r->n % 2 ? PIXELS : 3);
         expect_column(r, &s, (const float(*)[4][4])m, c);
      }
      glDeleteTextures(1, &texture);
      glDeleteProgram(program);
   }
   free(m);
   es3_target_delete(&target);
}
