/* SPDX-License-Identifier: MIT
 *
 * Invariance: programs that compute an invariant gl_Position by the same statements give the same
 * depth, whatever else they compute. So what one draws, another with GL_EQUAL draws at every pixel
 * again, as multi-pass rendering needs it.
 */
#include "rules.h"

#include <stdlib.h>
#include <string.h>

#define SIZE_PX 64
#define TRIANGLES 20

/* The statements that make the position: p is the attribute. */
static const char *const positions[] = {
   "gl_Position = m * p;",
   "gl_Position = n * (m * p);",
   "mat4 t = n * m; gl_Position = t * p;",
   "vec4 q = m * p * 0.3 + n * p * 0.7; gl_Position = q;",
   "vec3 s = p.xyz * u.xyz + u.w; gl_Position = m * vec4(s, 1.0);",
   "vec4 q = vec4(0.0); for (int i = 0; i < 3; i++) q += m * (p * u[i]) / (1.0 + float(i)); gl_Position = q + p;",
   "float a = sin(p.x * u.x), b = cos(p.y * u.y); gl_Position = vec4(p.x * a + p.y * b, p.y * a - p.x * b, p.z * u.z, 1.5 + p.w * a * b);",
};

/* What else a program computes: from the same values, so that a compiler is tempted to share and to
 * reorder. */
static const char *const others[] = {
   "v = vec4(0.5);",
   "v = m * p;",
   "v = normalize(n * (m * p)) * 0.5 + gl_Position * 0.01;",
   "vec3 w = p.xyz * u.xyz; v = vec4(w + u.w, dot(w, u.xyz)); if (v.x > 0.3) v = m * v;",
   "v = vec4(0.0); for (int i = 0; i < 4; i++) v += m[i] * p.x * u[i] + n[i] * (p.y * u.x);",
   "v = vec4(sin(p.x * u.x) * p.x + 1.0, cos(p.y * u.y) * p.y, p.z * u.z + p.w, 2.0);",
};

static GLuint
make_program(struct rules *r, const char *position, bool first)
{
   char vertex[1500];
   const char *other = rules_pick(r, others);
   const bool before = rules_chance(r, 50) && !strstr(other, "gl_Position");
   snprintf(vertex, sizeof(vertex),
            "invariant gl_Position; attribute vec4 position; uniform mat4 m, n; uniform vec4 u; varying highp vec4 v;\n"
            "void main() { vec4 p = position;\n{ %s }\n{ %s }\n}", before ? other : position, before ? position : other);
   return program_create(
      vertex, first
                 ? "void main() { gl_FragColor = vec4(0.0); }"
                 : "varying highp vec4 v; void main() { gl_FragColor = vec4(1.0) + v * 0.0001; }");
}

static void
set_uniforms(GLuint program, const float values[36])
{
   glUniformMatrix4fv(glGetUniformLocation(program, "m"), 1, GL_FALSE, values);
   glUniformMatrix4fv(glGetUniformLocation(program, "n"), 1, GL_FALSE, values + 16);
   glUniform4fv(glGetUniformLocation(program, "u"), 1, values + 32);
}

static int
count_drawn(struct rules *r)
{
   uint8_t *pixels = rules_read(r, SIZE_PX, SIZE_PX);
   int count = 0;
   for (int i = 0; i < SIZE_PX * SIZE_PX; i++)
      count += pixels[4 * i] != 0;
   free(pixels);
   return count;
}

/* Drawn by both programs: the first sets the stencil, the second clears it. Returns how many pixels
 * the second drew. */
static int
check(struct rules *r)
{
   float vertices[3 * TRIANGLES][8], values[36];
   for (int i = 0; i < 3 * TRIANGLES * 8; i++)
      vertices[i / 8][i % 8] = i % 8 == 3 ? 1 : rules_float(r, -1, 1);
   for (int i = 0; i < 36; i++)
      values[i] = rules_float(r, -0.4f, 0.4f) + (i < 32 && i % 16 % 5 == 0 ? 1 : 0);

   const char *position = rules_pick(r, positions);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
   for (int pass = 0; pass < 2; pass++) {
      GLuint program = make_program(r, position, pass == 0);
      set_uniforms(program, values);
      glDepthFunc(pass ? GL_EQUAL : GL_LESS);
      glStencilFunc(GL_ALWAYS, 1, 0xff);
      glStencilOp(GL_KEEP, GL_KEEP, pass ? GL_ZERO : GL_REPLACE);
      draw_vertices((const float(*)[8])vertices, 3 * TRIANGLES);
      glDeleteProgram(program);
   }

   const int drawn = count_drawn(r);

   /* What the first drew and the second did not still has the stencil of the first. */
   GLuint program = program_create(plain_vertex, plain_fragment);
   glDepthFunc(GL_ALWAYS);
   glStencilFunc(GL_EQUAL, 1, 0xff);
   glClear(GL_COLOR_BUFFER_BIT);
   draw_rectangle(-1, -1, 1, 1, 0, (const float[]){ 1, 1, 1, 1 });
   glDeleteProgram(program);
   uint8_t *pixels = rules_read(r, SIZE_PX, SIZE_PX);
   for (int i = 0; i < SIZE_PX * SIZE_PX; i++) {
      if (pixels[4 * i])
         rules_fail(r, "the depth at (%d, %d) is not that of the first program: %s", i % SIZE_PX,
                    i / SIZE_PX, position);
   }
   free(pixels);
   return drawn;
}

void
rule_shader_invariance(struct rules *r)
{
   struct target target = target_create(SIZE_PX, SIZE_PX);
   glEnable(GL_DEPTH_TEST);
   glEnable(GL_STENCIL_TEST);
   int drawn = 0, cases = 0;
   while (rules_next(r)) {
      drawn += check(r);
      cases++;
   }
   if (cases >= 10 && drawn < 500 * cases)
      rules_fail(r, "only %d pixels were drawn in %d cases", drawn, cases);
   target_delete(&target);
}
