/* SPDX-License-Identifier: MIT
 *
 * What random programs (es3_random.c) found, each by itself: constant matrices whose rows are fewer
 * than their columns, indices that stay in the fragment shader, `continue` in a switch in a switch,
 * arrays that get elements of themselves.
 */
#include "es3_rules.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE_PX = 16, SHAPES = 9, SCALAR = SHAPES /* a source that is no matrix */ };

static const char *const shapes[SHAPES] = { "mat2",   "mat2x3", "mat2x4", "mat3x2", "mat3",
                                            "mat3x4", "mat4x2", "mat4x3", "mat4" };

static int
columns_of(int shape)
{
   return 2 + shape / 3;
}

static int
rows_of(int shape)
{
   return 2 + shape % 3;
}

/* Section 5.4.2: the source's components, and those of the identity matrix elsewhere. */
static float
component(int source, int column, int row)
{
   if (source == SCALAR)
      return column == row ? 7 : 0;
   if (column < columns_of(source) && row < rows_of(source))
      return (float)(column * rows_of(source) + row + 2);
   return column == row;
}

/* A constant array of matrices of one shape, of each source one. */
static char *
matrices_text(int shape)
{
   struct text t;
   text_begin(&t);
   add(t, "const %s m[%d] = %s[](", shapes[shape], SHAPES + 1, shapes[shape]);
   for (int s = 0; s < SHAPES; s++) {
      add(t, "%s(%s(2.0", shapes[shape], shapes[s]);
      for (int i = 1; i < columns_of(s) * rows_of(s); i++)
         add(t, ", %d.0", i + 2);
      add(t, ")), ");
   }
   add(t, "%s(7u));\nout uvec4 result;\nvoid main() {\n   ivec2 p = ivec2(gl_FragCoord.xy);\n",
       shapes[shape]);
   add(t, "   if (p.x <= %d && p.y < %d)\n", SHAPES, columns_of(shape) * rows_of(shape));
   add(t, "      result = uvec4(floatBitsToUint(m[p.x][p.y / %d][p.y %% %d]));\n}\n",
       rows_of(shape), rows_of(shape));
   return text_end(&t);
}

static void
check_matrices(struct rules *r, int shape)
{
   char *text = matrices_text(shape);
   GLuint program = es3_program(r, es3_vertex_whole, text);
   es3_draw_whole();
   uint32_t *have = es3_read_uint(r, SIZE_PX, SIZE_PX);
   for (int s = 0; s <= SHAPES; s++) {
      for (int i = 0; i < columns_of(shape) * rows_of(shape); i++) {
         const float wanted = component(s, i / rows_of(shape), i % rows_of(shape)),
                     found = es3_float(have[4 * (i * SIZE_PX + s)]);
         if (found != wanted)
            rules_fail(r, "a constant %s of %s has %g in component %d, not %g", shapes[shape],
                       s == SCALAR ? "a number" : shapes[s], found, i, wanted);
      }
   }
   free(have);
   free(text);
   glDeleteProgram(program);
}

/* The first index is a flat varying, the second differs between fragments: loads of both stay where
 * they are. */
static void
check_indices(struct rules *r)
{
   GLuint program =
      es3_program(r,
                  "uniform int first; flat out int n;\n"
                  "void main() { n = first;\n"
                  "   gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0,\n"
                  "                      gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0); }",
                  "struct S { uint a[4]; };\n"
                  "uniform S s[5]; uniform int turns; flat in int n;\n"
                  "out uvec4 result;\n"
                  "void main() { int k = 0;\n"
                  "   for (int i = 0; i < turns; i++) k += int(gl_FragCoord.x) >> i;\n"
                  "   result = uvec4(s[n].a[k & 3]); }");
   const int first = rules_between(r, 0, 4), turns = rules_between(r, 0, 3);
   for (int i = 0; i < 5; i++) {
      char name[16];
      snprintf(name, sizeof(name), "s[%d].a", i);
      const GLuint words[] = { 4 * (GLuint)i, 4 * (GLuint)i + 1, 4 * (GLuint)i + 2,
                               4 * (GLuint)i + 3 };
      glUniform1uiv(glGetUniformLocation(program, name), 4, words);
   }
   es3_uniform(program, "first", first);
   es3_uniform(program, "turns", turns);
   es3_draw_whole();
   uint32_t *have = es3_read_uint(r, SIZE_PX, SIZE_PX);
   for (int x = 0; x < SIZE_PX; x++) {
      int k = 0;
      for (int i = 0; i < turns; i++)
         k += x >> i;
      if (have[4 * x] != (uint32_t)(4 * first + (k & 3)))
         rules_fail(r, "s[%d].a[%d] is %u", first, k & 3, have[4 * x]);
   }
   free(have);
   glDeleteProgram(program);
}

/* Section 6.4: `continue` goes on with the loop, however many switches are between. */
static void
check_continue(struct rules *r)
{
   static const char *const loops[] = {
      "for (int i = 0; i < 5; i++) { BODY }",
      "int i = -1; while (++i < 5) { BODY }",
      "int i = -1; do { i++; BODY } while (i < 4);",
   };
   static const char body[] = "switch (p.x & 1) { default:\n"
                              "switch (i & 1) { case 1: result.x += 10u; if (p.y > i) continue; }\n"
                              "result.x += 100u; } result.x += 1u;";
   const char *loop = rules_pick(r, loops), *at = strstr(loop, "BODY");
   struct text t;
   text_begin(&t);
   add(t, "out uvec4 result;\nvoid main() {\n   result = uvec4(0u);\n"
          "   ivec2 p = ivec2(gl_FragCoord.xy);\n");
   add(t, "   %.*s%s%s\n}\n", (int)(at - loop), loop, body, at + strlen("BODY"));
   GLuint program = es3_program(r, es3_vertex_whole, text_end(&t));
   es3_draw_whole();
   uint32_t *have = es3_read_uint(r, SIZE_PX, SIZE_PX);
   for (int y = 0; y < SIZE_PX; y++) {
      const int left = (y > 1) + (y > 3); /* turns that `continue` ends */
      const uint32_t wanted = (uint32_t)(20 + 101 * (5 - left));
      if (have[4 * SIZE_PX * y] != wanted)
         rules_fail(r, "%s\ngives %u in row %d, not %u", t.chars, have[4 * SIZE_PX * y], y, wanted);
   }
   free(have);
   free(t.chars);
   glDeleteProgram(program);
}

#define ELEMENTS 4
#define MEMBERS 3

/* What an array has after so many turns, in each of which its elements become constants, a
 * uniform's, the array's own element 1 and another one of its own. */
static void
turn_array(uint32_t array[ELEMENTS][MEMBERS], int turns, int other)
{
   for (int i = 0; i < ELEMENTS; i++) {
      for (int k = 0; k < MEMBERS; k++)
         array[i][k] = (uint32_t)(10 * i + k);
   }
   for (int turn = 0; turn < turns; turn++) {
      uint32_t old[ELEMENTS][MEMBERS];
      memcpy(old, array, sizeof(old));
      for (int k = 0; k < MEMBERS; k++) {
         array[0][k] = 100 + (uint32_t)k;
         array[1][k] = 200 + (uint32_t)k;
         array[2][k] = old[1][k];
         array[3][k] = old[other][k];
      }
   }
}

/* Section 5.8: all of the right side is read before the left side is written. Its loop is
 * unrolled. */
static void
check_array(struct rules *r, int turns, int element)
{
   const int member = rules_between(r, 0, MEMBERS - 1), other = rules_between(r, 0, ELEMENTS - 1);
   uint32_t wanted[ELEMENTS][MEMBERS];
   struct text t;
   text_begin(&t);
   add(t, "struct S { uint a[3]; vec2 b; };\nuniform S s;\nuniform int other;\nout uvec4 result;\n"
          "S g[4] = S[4](S(uint[3](0u, 1u, 2u), vec2(0.0)), S(uint[3](10u, 11u, 12u), vec2(1.0)),\n"
          "   S(uint[3](20u, 21u, 22u), vec2(2.0)), S(uint[3](30u, 31u, 32u), vec2(3.0)));\n");
   add(t, "void main() {\n   for (int i = 0; i < %d; i++)\n", turns);
   add(t, "      g = S[4](S(uint[3](100u, 101u, 102u), vec2(4.0)), S(s.a, vec2(5.0)), g[1u],\n"
          "               g[other & 3]);\n");
   add(t, "   result = uvec4(g[%d].a[%d]);\n}\n", element, member);
   GLuint program = es3_program(r, es3_vertex_whole, text_end(&t));
   const GLuint words[MEMBERS] = { 200, 201, 202 };
   glUniform1uiv(glGetUniformLocation(program, "s.a"), MEMBERS, words);
   es3_uniform(program, "other", other);
   es3_draw_whole();
   uint32_t *have = es3_read_uint(r, SIZE_PX, SIZE_PX);
   turn_array(wanted, turns, other);
   if (have[0] != wanted[element][member])
      rules_fail(r, "%s\nwith element %d gives %u, not %u", t.chars, other, have[0],
                 wanted[element][member]);
   free(have);
   free(t.chars);
   glDeleteProgram(program);
}

/* Elements are read before a loop, their array is written behind it, and then what was read goes to
 * another array. */
static void
check_blocks(struct rules *r)
{
   const int at = rules_between(r, 0, 1), turns = rules_between(r, 1, 3);
   GLuint program = es3_program(r, es3_vertex_whole,
                                "uniform int at, turns; uniform uint u[8]; out uvec4 result;\n"
                                "void main() {\n"
                                "   uint from[2], to[2], sum = 0u;\n"
                                "   from[at] = u[0] + u[1] + u[2] + u[3];\n"
                                "   from[1 - at] = u[4] + u[5] + u[6] + u[7];\n"
                                "   uint first = from[0], second = from[1];\n"
                                "   for (int i = 0; i < turns; i++) sum += u[i & 7];\n"
                                "   from[0] = 1000u;\n"
                                "   to[0] = first;\n"
                                "   to[1] = second;\n"
                                "   result = uvec4(to[at], to[1 - at], from[at], sum);\n"
                                "}");
   const GLuint words[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
   glUniform1uiv(glGetUniformLocation(program, "u"), 8, words);
   es3_uniform(program, "at", at);
   es3_uniform(program, "turns", turns);
   es3_draw_whole();
   uint32_t *have = es3_read_uint(r, SIZE_PX, SIZE_PX);
   if (have[0] != 10 || have[1] != 26)
      rules_fail(r, "an array that was copied has %u and %u, not 10 and 26", have[0], have[1]);
   free(have);
   glDeleteProgram(program);
}

static void
check_arrays(struct rules *r)
{
   check_blocks(r);
   for (int turns = 1; turns <= 3; turns++) {
      for (int element = 0; element < ELEMENTS; element++)
         check_array(r, turns, element);
   }
}

void
es3_found(struct rules *r)
{
   struct es3_target target = es3_target_create(GL_RGBA32UI, SIZE_PX, SIZE_PX);
   while (rules_next(r)) {
      const int topic = r->n % (SHAPES + 3);
      if (topic < SHAPES)
         check_matrices(r, topic);
      else if (topic == SHAPES)
         check_indices(r);
      else if (topic == SHAPES + 1)
         check_continue(r);
      else
         check_arrays(r);
   }
   es3_target_delete(&target);
}
