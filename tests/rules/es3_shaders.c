/* SPDX-License-Identifier: MIT
 *
 * GLSL ES 3.00: matrices of every shape (sections 5.9, 8.6), control flow, arrays and structures
 * against the same in C, and shaders that must not compile, with a reason.
 */
#include "es3_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------- matrices */

struct matrix {
   int columns, rows; /* a vector is of one column, or of one row */
   float at[4][4];    /* by column, then by row */
};

static struct matrix
random_matrix(struct rules *r, int columns, int rows)
{
   struct matrix m = { columns, rows, { { 0 } } };
   for (int c = 0; c < columns; c++) {
      for (int k = 0; k < rows; k++)
         m.at[c][k] = (float)rules_between(r, -9, 9); /* so that products are exact */
   }
   return m;
}

static struct matrix
product(const struct matrix *a, const struct matrix *b)
{
   struct matrix m = { b->columns, a->rows, { { 0 } } };
   for (int c = 0; c < m.columns; c++) {
      for (int k = 0; k < m.rows; k++) {
         for (int i = 0; i < a->columns; i++)
            m.at[c][k] += a->at[i][k] * b->at[c][i];
      }
   }
   return m;
}

static struct matrix
transposed(const struct matrix *a)
{
   struct matrix m = { a->rows, a->columns, { { 0 } } };
   for (int c = 0; c < m.columns; c++) {
      for (int k = 0; k < m.rows; k++)
         m.at[c][k] = a->at[k][c];
   }
   return m;
}

static double
determinant(const struct matrix *a, int size)
{
   double sum = 0;
   if (size == 1)
      return a->at[0][0];
   for (int c = 0; c < size; c++) {
      struct matrix minor = { size - 1, size - 1, { { 0 } } };
      for (int i = 0; i < size - 1; i++) {
         for (int k = 0; k < size - 1; k++)
            minor.at[i][k] = a->at[i + (i >= c)][k + 1];
      }
      sum += (c % 2 ? -1 : 1) * a->at[c][0] * determinant(&minor, size - 1);
   }
   return sum;
}

enum matrix_operation {
   TIMES_MATRIX,
   TIMES_VECTOR,
   VECTOR_TIMES,
   TRANSPOSE,
   OUTER,
   COMPONENTS,
   SUM,
   RESHAPED,
   INDEXED,
   DETERMINANT,
   INVERSE,
   MATRIX_OPERATIONS
};

static const char *const operation_texts[MATRIX_OPERATIONS] = {
   "a * b",
   "a * b",
   "a * b",
   "transpose(a)",
   "outerProduct(a, b)",
   "matrixCompMult(a, b)",
   "2.0 * a - b / 2.0",
   "R(a)",
   "a[at]",
   "determinant(a)",
   "inverse(a) * a",
};

/* What the operation gives, and its operands. */
static struct matrix
choose_operation(struct rules *r, enum matrix_operation o, struct matrix *a, struct matrix *b,
                 int at)
{
   const int c = rules_between(r, 2, 4), k = rules_between(r, 2, 4), n = rules_between(r, 2, 4);
   *a = random_matrix(r, o == OUTER ? 1 : c, o >= DETERMINANT ? c : k);
   *b = random_matrix(r, c, k);
   if (o == TIMES_MATRIX)
      *b = random_matrix(r, n, c);
   if (o == TIMES_VECTOR)
      *b = random_matrix(r, 1, c);
   if (o == OUTER)
      *b = random_matrix(r, 1, n);
   if (o == VECTOR_TIMES) { /* a row, which is written as a vector */
      *a = random_matrix(r, k, 1);
      struct matrix m = product(a, b);
      return transposed(&m);
   }
   struct matrix m = *a, row = transposed(b);
   if (o == TIMES_MATRIX || o == TIMES_VECTOR)
      return product(a, b);
   if (o == TRANSPOSE)
      return transposed(a);
   if (o == OUTER)
      return product(a, &row);
   if (o == RESHAPED)
      m = (struct matrix){ n, rules_between(r, 2, 4), { { 0 } } };
   if (o == INDEXED)
      m = (struct matrix){ 1, k, { { 0 } } };
   if (o == DETERMINANT)
      return (struct matrix){ 1, 1, { { (float)determinant(a, c) } } };
   for (int i = 0; i < m.columns; i++) {
      for (int j = 0; j < m.rows; j++)
         m.at[i][j] = o == COMPONENTS ? a->at[i][j] * b->at[i][j]
                      : o == SUM      ? 2 * a->at[i][j] - b->at[i][j] / 2
                      : o == RESHAPED ? (i < c && j < k ? a->at[i][j] : i == j)
                      : o == INDEXED  ? a->at[at % c][j]
                                      : i == j;
   }
   return m;
}

static void
type_name(const struct matrix *m, char name[12])
{
   const int size = m->columns > m->rows ? m->columns : m->rows;
   if (m->columns == 1 && m->rows == 1)
      strcpy(name, "float");
   else if (m->columns == 1 || m->rows == 1)
      snprintf(name, 12, "vec%d", size % 5);
   else
      snprintf(name, 12, "mat%dx%d", m->columns % 5, m->rows % 5);
}

static void
set_matrix(GLuint program, const char *name, const struct matrix *m)
{
   static void (*const set[3][3])(GLint, GLsizei, GLboolean, const GLfloat *) = {
      { glUniformMatrix2fv, glUniformMatrix2x3fv, glUniformMatrix2x4fv },
      { glUniformMatrix3x2fv, glUniformMatrix3fv, glUniformMatrix3x4fv },
      { glUniformMatrix4x2fv, glUniformMatrix4x3fv, glUniformMatrix4fv },
   };
   static void (*const set_vector[])(
      GLint, GLsizei, const GLfloat *) = { glUniform2fv, glUniform3fv, glUniform4fv };
   const GLint at = glGetUniformLocation(program, name);
   const int size = m->columns > m->rows ? m->columns : m->rows;
   float values[16];
   for (int i = 0; i < m->columns * m->rows; i++)
      values[i] = m->at[i / m->rows][i % m->rows];
   if (m->columns == 1 || m->rows == 1)
      set_vector[size - 2](at, 1, values);
   else
      set[m->columns - 2][m->rows - 2](at, 1, GL_FALSE, values);
}

/* The result's components, each at a pixel of a row of 16. */
static char *
matrix_shader(enum matrix_operation o, const struct matrix *a, const struct matrix *b,
              const struct matrix *result)
{
   char types[3][12];
   struct text t;
   type_name(a, types[0]), type_name(b, types[1]), type_name(result, types[2]);
   text_begin(&t);
   add(t, "#define R %s\nuniform %s a; uniform %s b; uniform int at; out uvec4 v;\n", types[2],
       types[0], types[1]);
   add(t, "void main() {\n   R m = %s;\n   float all[16];\n", operation_texts[o]);
   for (int i = 0; i < result->columns * result->rows; i++) {
      add(t, "   all[%d] = m", i);
      if (result->columns > 1)
         add(t, "[%d]", i / result->rows);
      if (result->rows > 1)
         add(t, "[%d]", i % result->rows);
      add(t, ";\n");
   }
   add(t, "   v = uvec4(floatBitsToUint(all[int(gl_FragCoord.x)]));\n}\n");
   return text_end(&t);
}

void
es3_matrices(struct rules *r)
{
   struct es3_target target = es3_target_create(GL_RGBA32UI, 16, 1);
   while (rules_next(r)) {
      const enum matrix_operation o = (enum matrix_operation)(r->n % MATRIX_OPERATIONS);
      struct matrix a, b;
      const int at = rules_between(r, 0, 11);
      const struct matrix wanted = choose_operation(r, o, &a, &b, at);
      if (o == INVERSE && fabs(determinant(&a, a.columns)) < 50)
         continue; /* too close to none */
      char *fragment = matrix_shader(o, &a, &b, &wanted);
      GLuint program = es3_program(r, es3_vertex_whole, fragment);
      set_matrix(program, "a", &a), set_matrix(program, "b", &b);
      es3_uniform(program, "at", at % a.columns);
      es3_draw_whole();
      uint32_t *have = es3_read_uint(r, 16, 1);
      for (int i = 0; i < wanted.columns * wanted.rows; i++) {
         const float w = wanted.at[i / wanted.rows][i % wanted.rows], h = es3_float(have[4 * i]);
         if (!(fabsf(h - w) <= (o == INVERSE ? 1e-3f : 0)))
            rules_fail(r, "%s\ncomponent %d is %.9g, not %.9g", fragment, i, h, w);
      }
      free(have), free(fragment);
      glDeleteProgram(program);
   }
   es3_target_delete(&target);
}

/* ----------------------------------------------------------------------------------------- flow */

/* The same text is GLSL and C: a function of n from 0 to 255. */
#define FLOWS(X)                                                                                   \
   X(fallthrough, {                                                                                \
      int s = 0;                                                                                   \
      switch (n & 7) {                                                                             \
      case 1:                                                                                      \
         s += 10;                                                                                  \
      case 2:                                                                                      \
         s += 100;                                                                                 \
         break;                                                                                    \
      default:                                                                                     \
         s += 3;                                                                                   \
      case 5:                                                                                      \
         s += 7;                                                                                   \
         break;                                                                                    \
      case 6:                                                                                      \
         return -n;                                                                                \
      }                                                                                            \
      return s;                                                                                    \
   })                                                                                              \
   X(switch_in_loop, {                                                                             \
      int s = 0;                                                                                   \
      for (int i = 0; i < n; i++) {                                                                \
         switch (i % 5) {                                                                          \
         case 0:                                                                                   \
            continue;                                                                              \
         case 3:                                                                                   \
            s += i;                                                                                \
            break;                                                                                 \
         case 4:                                                                                   \
            if (i > 100)                                                                           \
               return s;                                                                           \
         default:                                                                                  \
            s ^= i;                                                                                \
         }                                                                                         \
         s += 1;                                                                                   \
      }                                                                                            \
      return s;                                                                                    \
   })                                                                                              \
   X(loop_in_switch, {                                                                             \
      int s = n;                                                                                   \
      switch (n % 3) {                                                                             \
      case 0:                                                                                      \
         while (s > 10) {                                                                          \
            if (s % 7 == 0)                                                                        \
               break;                                                                              \
            s -= 3;                                                                                \
         }                                                                                         \
         break;                                                                                    \
      case 1:                                                                                      \
         do {                                                                                      \
            s = s * 3 + 1;                                                                         \
         } while (s < 1000);                                                                       \
         break;                                                                                    \
      }                                                                                            \
      return s;                                                                                    \
   })                                                                                              \
   X(collatz, {                                                                                    \
      int steps = 0;                                                                               \
      for (int x = n + 1; x != 1; steps++)                                                         \
         x = (x & 1) == 0 ? x >> 1 : 3 * x + 1;                                                    \
      return steps;                                                                                \
   })                                                                                              \
   X(nested, {                                                                                     \
      int s = 0;                                                                                   \
      for (int i = 0; i < 20; i++) {                                                               \
         int j = i;                                                                                \
         while (true) {                                                                            \
            if (j * j > n)                                                                         \
               break;                                                                              \
            if (((i + j) & 3) == 1) {                                                              \
               j += 2;                                                                             \
               continue;                                                                           \
            }                                                                                      \
            s += j;                                                                                \
            j++;                                                                                   \
         }                                                                                         \
         if (s > 500)                                                                              \
            break;                                                                                 \
      }                                                                                            \
      return s;                                                                                    \
   })                                                                                              \
   X(array, {                                                                                      \
      int a[16];                                                                                   \
      for (int i = 0; i < 16; i++)                                                                 \
         a[i] = (n * 7 + i * i) % 31;                                                              \
      for (int i = 1; i < 16; i++) {                                                               \
         for (int j = i; j > 0 && a[j - 1] > a[j]; j--) {                                          \
            int t = a[j];                                                                          \
            a[j] = a[j - 1];                                                                       \
            a[j - 1] = t;                                                                          \
         }                                                                                         \
      }                                                                                            \
      return a[n & 15] * 1000 + a[7];                                                              \
   })                                                                                              \
   X(lazy, {                                                                                       \
      int s = 0;                                                                                   \
      bool b = (n & 1) != 0 && (s += 5) > 0;                                                       \
      bool c = (n & 2) != 0 || (s += 50) > 0;                                                      \
      return s * 4 + (b ? 2 : 0) + (c ? 1 : 0);                                                    \
   })

#pragma GCC diagnostic ignored "-Wimplicit-fallthrough"
#define FLOW_FUNCTION(name, ...) static int flow_##name(int n) __VA_ARGS__
FLOWS(FLOW_FUNCTION)

#define FLOW_ENTRY(name, ...) { #name, #__VA_ARGS__, flow_##name },
static const struct flow {
   const char *name, *text;
   int (*reference)(int n);
} flows[] = { FLOWS(FLOW_ENTRY) };

/* What only GLSL has: arrays and structures as values. */
static const char values_text[] =
   "{\n"
   "   struct pair { int x; ivec2 y[2]; };\n"
   "   int a[3] = int[3](n, n + 1, n + 2), b[] = int[](n, n + 1, 7);\n"
   "   pair p = pair(n, ivec2[2](ivec2(n), ivec2(5))), q = p;\n"
   "   int s = a == b ? 1 : 0; s += p == q ? 2 : 0; q.y[1].x = n; s += p != q ? 4 : 0;\n"
   "   b = a; b[n % 3] = 0; s += a.length() * 8 + b[0] * 256 + b[2] * 65536; return s;\n"
   "}";

static int
flow_values(int n)
{
   const int b[3] = { n % 3 == 0 ? 0 : n, 0, n % 3 == 2 ? 0 : n + 2 };
   return (n == 5) + 2 + 4 * (n != 5) + 3 * 8 + b[0] * 256 + b[2] * 65536;
}

void
es3_flow(struct rules *r)
{
   struct es3_target target = es3_target_create(GL_RGBA32UI, 16, 16);
   while (rules_next(r)) {
      const size_t which = (size_t)r->n / 2 % (COUNT(flows) + 1);
      const struct flow f =
         which < COUNT(flows) ? flows[which] : (struct flow){ "values", values_text, flow_values };
      const bool vertex = r->n % 2;
      struct text t;
      text_begin(&t);
      add(t, "%s uvec4 v; int f(int n) %s\n", vertex ? "flat out" : "out", f.text);
      if (vertex)
         add(t, "void main() { v = uvec4(f(gl_VertexID)); gl_PointSize = 1.0;\n"
                "   vec2 p = vec2(gl_VertexID %% 16, gl_VertexID / 16);\n"
                "   gl_Position = vec4((p * 2.0 + 1.0) / 16.0 - 1.0, 0.0, 1.0); }");
      else
         add(t, "void main() { v = uvec4(f(int(gl_FragCoord.x) + 16 * int(gl_FragCoord.y))); }");
      text_end(&t);
      GLuint program = vertex ? es3_program(r, t.chars,
                                            "flat in uvec4 v; out uvec4 result;\n"
                                            "void main() { result = v; }")
                              : es3_program(r, es3_vertex_whole, t.chars);
      glDrawArrays(vertex ? GL_POINTS : GL_TRIANGLES, 0, vertex ? 256 : 3);
      uint32_t *have = es3_read_uint(r, 16, 16);
      for (int n = 0; n < 256; n++) {
         if ((int)have[4 * n] != f.reference(n))
            rules_fail(r, "%s in the %s shader of %d is %d, not %d", f.name,
                       vertex ? "vertex" : "fragment", n, (int)have[4 * n], f.reference(n));
      }
      free(have), free(t.chars);
      glDeleteProgram(program);
   }
   es3_target_delete(&target);
}

/* ---------------------------------------------------------------------------------- bad shaders */

#define P "precision highp float; out vec4 o; "
#define SAMPLERS "uniform highp sampler2D s; uniform samplerCube c; uniform highp sampler3D t; "
#define IN_MAIN(text) P "void main() { " text " o = vec4(1.0); }"

/* Fragment shaders of GLSL ES 3.00, and a word that the log must have. */
static const struct bad_shader {
   const char *text, *word;
} bad_shaders[] = {
   { P "varying vec2 v; void main() { o = v.xyxy; }", "varying" },
   { P "attribute vec2 v; void main() { o = v.xyxy; }", "attribute" },
   { P "void main() { gl_FragColor = vec4(1.0); }", "gl_FragColor" },
   { P "in int v; void main() { o = vec4(v); }", "flat" },
   { P "uniform sampler2D s; uniform ivec2 d; void main() { o = textureOffset(s, vec2(0.0), d); }",
     "" },
   { "precision highp float; layout(location = 99) out vec4 a; void main() { a = vec4(1.0); }",
     "" },
   { "out vec4 o; void main() { o = vec4(1.0); }", "precision" },
   { P "uniform sampler3D s; void main() { o = texture(s, vec3(0.0)); }", "precision" },
   { "precision highp float; out mat2 o; void main() { o = mat2(1.0); }", "" },
   { "precision highp float; out bool o; void main() { o = true; }", "" },
   { IN_MAIN("double d = double(1.0); o = vec4(float(d * d));"), "double" },
   { P "uniform dvec2 d; void main() { o = vec4(1.0); }", "dvec2" },
   { P "struct S { float a[]; }; void main() { o = vec4(1.0); }", "unsized" },
   { P "struct S { float[] a; }; void main() { o = vec4(1.0); }", "unsized" },
   { IN_MAIN("int i = 1u;"), "int" },
   { IN_MAIN("uint u = 1;"), "uint" },
   { IN_MAIN("float f = 1;"), "" },
   { IN_MAIN("int i = 1 + 1u;"), "" },
   { IN_MAIN("int i = 1 & 1u;"), "" },
   { IN_MAIN("float f = 1.0 % 2.0;"), "" },
   { IN_MAIN("int i = 1 << 2.0;"), "" },
   { IN_MAIN("switch (1.0) { case 1: break; }"), "" },
   { IN_MAIN("switch (1) { case 1: break; case 1: break; }"), "duplicate" },
   { IN_MAIN("switch (1) { default: break; default: break; }"), "default" },
   { IN_MAIN("switch (1) { case 1u: break; }"), "" },
   { IN_MAIN("int i = 0; switch (1) { i = 2; case 1: break; }"), "" },
   { IN_MAIN("case 1: ;"), "" },
   { IN_MAIN("continue;"), "" },
   { IN_MAIN("int a[2] = int[2](1, 2, 3);"), "" },
   { IN_MAIN("int a[2]; a = int[3](1, 2, 3);"), "" },
   { IN_MAIN("int a[]; a[0] = 1;"), "" },
   { IN_MAIN("int a[2]; a[2] = 1;"), "" },
   { IN_MAIN("int a[0];"), "" },
   { IN_MAIN("mat2x3 m = mat2x3(1.0); vec2 v = m * vec3(1.0);"), "" },
   { IN_MAIN("mat2x3 a; mat2x3 b = a * a;"), "" },
   { IN_MAIN("mat2x3 a; float d = determinant(a);"), "" },
   { IN_MAIN("const int c = 1; c = 2;"), "c" },
   { IN_MAIN("int texture = 1; undeclared += 1;"), "undeclared" },
   { P "uniform B { float f; }; void main() { f = 1.0; o = vec4(1.0); }", "" },
   { P "uniform B { sampler2D s; }; void main() { o = vec4(1.0); }", "" },
   { P "uniform B { float f; } b; void main() { o = vec4(f); }", "f" },
   { P "layout(std140) uniform B { float f; float f; }; void main() { o = vec4(f); }", "f" },
   { P "in B { float f; }; void main() { o = vec4(f); }", "" },
   { P "float f(float x) { return x; } float f(float y) { return y; } void main() { o = "
       "vec4(f(1.0)); }",
     "f" },
   { P "int f() { return 1.0; } void main() { o = vec4(f()); }", "" },
   { P "float sin(float x) { return x; } void main() { o = vec4(sin(1.0)); }", "sin" },
   { P "struct s { int x; struct t { int y; } z; }; void main() { o = vec4(1.0); }", "" },
   { P "in vec4 v; void main() { v = vec4(1.0); o = v; }", "v" },
   { P "flat out vec4 v; void main() { v = o = vec4(1.0); }", "" },
   { P "void main() { o = vec4(gl_VertexID); }", "gl_VertexID" },
   { P "#if 1 +\n#endif\nvoid main() { o = vec4(1.0); }", "" },
   { P "int a__b_goto() { goto x; } void main() { o = vec4(1.0); }", "goto" },
   { P "void main() { o = vec4(1.0) \" \"; }", "" },
   { P SAMPLERS "void main() { o = texture2D(s, vec2(0.0)); }", "texture2D" },
   { P SAMPLERS "void main() { o = texture2D(s, vec2(0.0), 1.0); }", "texture2D" },
   { P SAMPLERS "void main() { o = texture2DProj(s, vec3(1.0)); }", "texture2DProj" },
   { P SAMPLERS "void main() { o = texture2DLod(s, vec2(0.0), 1.0); }", "texture2DLod" },
   { P SAMPLERS "void main() { o = texture2DProjLod(s, vec4(1.0), 1.0); }", "texture2DProjLod" },
   { P SAMPLERS "void main() { o = textureCube(c, vec3(1.0)); }", "textureCube" },
   { P SAMPLERS "void main() { o = textureCubeLod(c, vec3(1.0), 1.0); }", "textureCubeLod" },
   { P SAMPLERS "void main() { o = texture3D(t, vec3(0.0)); }", "texture3D" },
   { P "out vec4 p; void main() { o = p = vec4(1.0); }", "location" },
   { "precision highp float; layout(location = 0) out vec4 a; out vec4 b;\n"
     "void main() { a = b = vec4(1.0); }",
     "location" },
   { "precision highp float; uniform int n; out vec4 a[2];\n"
     "void main() { a[0] = a[1] = vec4(1.0); a[n] = vec4(0.0); }",
     "constant" },
   { "layout(early_fragment_tests) in;\n" P "void main() { o = vec4(1.0); }", "" },
   { P "struct S { highp bool b; }; void main() { S s = S(true); o = vec4(s.b); }", "precision" },
   { P "float f(mediump bool b) { return float(b); } void main() { o = vec4(f(true)); }",
     "precision" },
   { P "flat in struct { bool b; } v; void main() { o = vec4(v.b); }", "bool" },
   { P "in float v; invariant v; void main() { o = vec4(v); }", "invariant" },
   { P "uniform B { layout(location = 1) vec4 a; }; void main() { o = a; }", "location" },
   { IN_MAIN("float image2DShadow = 1.0;"), "" },
};

/* A pair of which one must not compile, or that must not link. */
static const struct bad_pair {
   const char *vertex, *fragment;
} bad_pairs[] = {
   { "out vec2 v; void main() { v = vec2(1.0); gl_Position = vec4(1.0); }",
     P "in vec3 v; void main() { o = v.xyzz; }" },
   { "flat out int v; void main() { v = 1; gl_Position = vec4(1.0); }",
     P "flat in uint v; void main() { o = vec4(v); }" },
   { "flat out vec2 v; void main() { v = vec2(1.0); gl_Position = vec4(1.0); }",
     P "in vec2 v; void main() { o = v.xyxy; }" },
   { "void main() { gl_Position = vec4(1.0); }", P "in vec2 v; void main() { o = v.xyxy; }" },
   { "uniform B { vec4 a; }; void main() { gl_Position = a; }",
     P "uniform B { vec3 a; }; void main() { o = a.xyzz; }" },
   { "uniform B { layout(row_major) mat3 a; }; void main() { gl_Position = a[0].xyzz; }",
     P "uniform B { mat3 a; }; void main() { o = a[0].xyzz; }" },
   { "uniform int u; void main() { gl_Position = vec4(u); }",
     P "uniform uint u; void main() { o = vec4(u); }" },
   { "layout(location = 1) in vec4 a; layout(location = 1) in vec4 b;\n"
     "void main() { gl_Position = a + b; }",
     P "void main() { o = vec4(1.0); }" },
   { "void main() { gl_Position = vec4(1.0); }",
     "precision highp float; layout(location = 0) out vec4 a; layout(location = 0) out vec4 b;\n"
     "void main() { a = b = vec4(1.0); }" },
   { "out int v; void main() { v = 1; gl_Position = vec4(1.0); }",
     P "flat in int v; void main() { o = vec4(v); }" },
   { "struct S { bool b; }; flat out S s; void main() { s.b = true; gl_Position = vec4(1.0); }",
     P "void main() { o = vec4(1.0); }" },
   /* a member of a block without an instance name is a uniform's name, in whatever stage */
   { "uniform B { float a; }; void main() { gl_Position = vec4(a); }",
     P "uniform float a; void main() { o = vec4(a); }" },
};

_Static_assert(COUNT(bad_shaders) + COUNT(bad_pairs) == ES3_BAD_SHADERS, "a case each");

static void
refuse_shader(const struct rules *r, const struct bad_shader *b)
{
   char source[1000], log[2000] = "";
   snprintf(source, sizeof(source), "#version 300 es\n%s", b->text);
   GLuint shader = shader_compile(GL_FRAGMENT_SHADER, "", source, log, sizeof(log));
   if (shader) { /* some is only found at the link */
      GLuint program = glCreateProgram();
      GLint ok;
      char ignored[100];
      glAttachShader(program, shader);
      glAttachShader(program, shader_compile(GL_VERTEX_SHADER, "",
                                             "#version 300 es\nout vec4 v;\n"
                                             "void main() { v = gl_Position = vec4(1.0); }",
                                             ignored, sizeof(ignored)));
      glLinkProgram(program);
      glGetProgramiv(program, GL_LINK_STATUS, &ok);
      glGetProgramInfoLog(program, sizeof(log), NULL, log);
      glDeleteProgram(program);
      if (ok)
         rules_fail(r, "%s\nshould not compile", source);
   }
   if (!log[0] || !strstr(log, b->word))
      rules_fail(r, "%s\ngives the message \"%s\", which does not speak of \"%s\"", source, log,
                 b->word);
}

static void
refuse_pair(const struct rules *r, const struct bad_pair *b)
{
   char source[1000], log[2000] = "";
   const char *const texts[] = { b->vertex, b->fragment };
   GLuint program = glCreateProgram();
   GLint ok;
   for (int i = 0; i < 2; i++) {
      snprintf(source, sizeof(source), "#version 300 es\n%s", texts[i]);
      GLuint shader =
         shader_compile(i ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER, "", source, log, sizeof(log));
      if (!shader) /* refused earlier than it must be: fine, with a reason */
         break;
      glAttachShader(program, shader);
   }
   if (!log[0]) {
      glLinkProgram(program);
      glGetProgramiv(program, GL_LINK_STATUS, &ok);
      glGetProgramInfoLog(program, sizeof(log), NULL, log);
      if (ok)
         rules_fail(r, "%s\n%s\nshould not link", b->vertex, b->fragment);
   }
   if (!log[0])
      rules_fail(r, "%s\n%s\ngives no message", b->vertex, b->fragment);
   glDeleteProgram(program);
}

void
es3_bad_shaders(struct rules *r)
{
   while (rules_next(r)) {
      const size_t i = (size_t)r->n % ES3_BAD_SHADERS;
      if (i < COUNT(bad_shaders))
         refuse_shader(r, &bad_shaders[i]);
      else
         refuse_pair(r, &bad_pairs[i - COUNT(bad_shaders)]);
   }
}
