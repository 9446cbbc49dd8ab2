/* SPDX-License-Identifier: MIT
 *
 * Large programs: thousands of instructions, hundreds of live values, deep nesting, thousands of
 * calls; loops without end. All numbers are whole and small.
 */
#include "shader_draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_PX 16
#define CHAIN 4000
#define LIVE 400
#define DEPTH 48

typedef double pixel_function(const int *random, int x, int y);

struct big_program {
   const char *name;
   void (*print)(FILE *f, const int *random); /* computes `float s` of `vec2 where` */
   pixel_function *expected;
};

/* A thousand random numbers in [1, 64] that the texts and the expectations are made of. */
#define RANDOMS 1000

static double
wrap(double x)
{
   return x - 64 * floor(x / 64);
}

static void
print_chain(FILE *f, const int *random)
{
   fprintf(f, "float a = where.x, b = where.y, s = 0.0;\n");
   for (int i = 0; i < CHAIN; i++) {
      const int k = random[i % RANDOMS];
      if (i % 3 == 0)
         fprintf(f, "a = mod(a * %d.0 + b, 64.0);\n", k);
      else
         fprintf(f, i % 3 == 1 ? "b = max(a - b, %d.0);\n" : "s = mod(s + a * b + %d.0, 64.0);\n",
                 k);
   }
}

static double
expected_chain(const int *random, int x, int y)
{
   double a = x, b = y, s = 0;
   for (int i = 0; i < CHAIN; i++) {
      const int k = random[i % RANDOMS];
      if (i % 3 == 0)
         a = wrap(a * k + b);
      else if (i % 3 == 1)
         b = fmax(a - b, k);
      else
         s = wrap(s + a * b + k);
   }
   return s;
}

/* All values are computed before any is read, and read in another order. */
static void
print_live(FILE *f, const int *random)
{
   for (int i = 0; i < LIVE; i++)
      fprintf(f, "float v%d = mod(where.x * %d.0 + where.y * where.y, %d.0);\n", i, random[i],
              32 + i);
   fprintf(f, "float s = 0.0;\n");
   for (int i = 0; i < 3 * LIVE; i++)
      fprintf(f, "s = mod(s * 3.0 + v%d, 64.0);\n", i * 149 % LIVE);
}

static double
expected_live(const int *random, int x, int y)
{
   double s = 0;
   for (int i = 0; i < 3 * LIVE; i++) {
      const int k = i * 149 % LIVE;
      s = wrap(s * 3 + (x * random[k] + y * y) % (32 + k));
   }
   return s;
}

static void
print_deep(FILE *f, const int *random)
{
   fprintf(f, "float s = 0.0, a = where.x;\n");
   for (int i = 0; i < DEPTH; i++)
      fprintf(
         f, "if (mod(a + where.y * %d.0, 16.0) != %d.0) { s += %d.0; a = mod(a * 3.0 + s, 64.0);\n",
         random[i], i % 16, random[i]);
   for (int i = 0; i < DEPTH; i++)
      fprintf(f, "} else { s = mod(s * 2.0, 64.0) + a; }\n");
}

static double
deep(const int *random, int i, double s, double a, int y)
{
   if (i == DEPTH)
      return s;
   if (fmod(a + y * random[i], 16) == i % 16)
      return wrap(s * 2) + a;
   s += random[i];
   return deep(random, i + 1, s, wrap(a * 3 + s), y);
}

static double
expected_deep(const int *random, int x, int y)
{
   return deep(random, 0, 0, x, y);
}

static void
print_loops(FILE *f, const int *random)
{
   fprintf(f, "float s = 0.0;\n");
   for (int i = 0; i < 8; i++)
      fprintf(f, "for (int i%d = 0; i%d < 3; i%d++) { if (i%d == int(where.x) - %d) break;\n", i, i,
              i, i, i);
   fprintf(f, "s = mod(s * 2.0 + where.y + %d.0, 64.0);\n", random[0]);
   for (int i = 0; i < 8; i++)
      fprintf(f, "}\n");
}

static double
expected_loops(const int *random, int x, int y)
{
   double s = 0, turns = 1;
   for (int i = 0; i < 8; i++)
      turns *= x - i >= 0 && x - i < 3 ? x - i : 3;
   for (int i = 0; i < turns; i++)
      s = wrap(s * 2 + y + random[0]);
   return s;
}

static void
print_calls(FILE *f, const int *random)
{
   (void)random;
   fprintf(f, "float s = mod(f9(where.x) + where.y, 64.0);\n");
}

static double
expected_calls(const int *random, int x, int y)
{
   (void)random;
   return wrap(512.0 * x + 9 * 256 + y); /* f(n, x) = f(n - 1, x) + f(n - 1, x + 1) */
}

static const struct big_program programs[] = {
   { "a chain of thousands of statements", print_chain, expected_chain },
   { "hundreds of live values", print_live, expected_live },
   { "deep branches", print_deep, expected_deep },
   { "deep loops", print_loops, expected_loops },
   { "thousands of calls", print_calls, expected_calls },
};

static void
print_functions(FILE *f, int count)
{
   fprintf(f, "float f0(float x) { return x; }\n");
   for (int i = 1; i <= count; i++)
      fprintf(f, "float f%d(float x) { return f%d(x) + f%d(x + 1.0); }\n", i, i - 1, i - 1);
}

static char *
big_text(const struct big_program *p, const int *random, bool fragment)
{
   char *text;
   size_t size;
   FILE *f = open_memstream(&text, &size);
   fprintf(f, "precision highp float; precision highp int;\n");
   print_functions(f, 9);
   if (!fragment)
      fprintf(f, "attribute vec2 place; attribute vec4 position; varying vec4 result;\n");
   fprintf(f, "void main() { vec2 where = %s;\n", fragment ? "floor(gl_FragCoord.xy)" : "place");
   p->print(f, random);
   fprintf(f, fragment ? "gl_FragColor = vec4(s); }\n"
                       : "result = vec4(s); gl_Position = position; gl_PointSize = 1.0; }\n");
   fclose(f);
   return text;
}

void
rule_shader_big(struct rules *r)
{
   shader_target(SIZE_PX, SIZE_PX);
   while (rules_next(r)) {
      const struct big_program *p =
         &programs[(size_t)r->n / 2 % (sizeof(programs) / sizeof(programs[0]))];
      const bool fragment = r->n % 2;
      int random[RANDOMS];
      for (int i = 0; i < RANDOMS; i++)
         random[i] = rules_between(r, 1, 64);
      char *text = big_text(p, random, fragment);
      GLuint program = fragment ? shader_program(r, shader_vertex_place, text)
                                : shader_program(r, text, shader_fragment_result);
      glClear(GL_COLOR_BUFFER_BIT);
      if (fragment)
         shader_draw_rectangle();
      else
         shader_draw_places(SIZE_PX, SIZE_PX);
      float *have = rules_read_float(r, SIZE_PX, SIZE_PX);
      for (int i = 0; i < SIZE_PX * SIZE_PX; i++) {
         const double wanted = p->expected(random, i % SIZE_PX, i / SIZE_PX);
         if (have[4 * i] != wanted)
            rules_fail(r, "%s: pixel (%d, %d) is %.9g, not %.9g", p->name, i % SIZE_PX, i / SIZE_PX,
                       have[4 * i], wanted);
      }
      free(have);
      free(text);
      glDeleteProgram(program);
   }
}

/* -------------------------------------------------------------------------------------- too big */

/* Branches deeper than the machine's stack of masks, each with something behind the one in it, so
 * that they are no chain; and more instructions than a program may have. */
static char *
impossible_text(int n)
{
   char *text;
   size_t size;
   FILE *f = open_memstream(&text, &size);
   fprintf(f, "precision highp float;\n");
   if (n == 0) {
      fprintf(f, "void main() { float s = 0.0, a = gl_FragCoord.x;\n");
      for (int i = 0; i < 100; i++)
         fprintf(f, "if (mod(a, 16.0) != %d.0) { s += sin(a); a = a * 3.0 + s;\n", i % 16);
      for (int i = 0; i < 100; i++)
         fprintf(f, "s += cos(a); }");
   } else {
      fprintf(f, "uniform mat4 m; void main() { mat4 a = m * gl_FragCoord.x;\n");
      for (int i = 0; i < 1200; i++)
         fprintf(f, "a = a * m;\n");
      fprintf(f, "float s = a[0].x + a[1].y + a[2].z + a[3].w;\n");
   }
   fprintf(f, "gl_FragColor = vec4(s); }\n");
   fclose(f);
   return text;
}

void
rule_shader_impossible(struct rules *r)
{
   static const char *const messages[] = { "nested", "instructions" };
   while (rules_next(r)) {
      char log[1000] = "";
      char *text = impossible_text(r->n % 2);
      if (shader_try_program(shader_vertex_place, text, log, sizeof(log)))
         rules_fail(r, "a program that is too large for clipfree links");
      if (!strstr(log, messages[r->n % 2]))
         rules_fail(r, "the message does not speak of \"%s\": %s", messages[r->n % 2], log);
      free(text);
   }
}

/* ---------------------------------------------------------------------------------- without end */

/* A loop without end is ended; what is drawn afterwards, and in another context, is as it should
 * be. */
void
rule_shader_endless(struct rules *r)
{
   static const char *const loops[] = {
      "for (int i = 0; i >= 0; i = 1) a += 0.0;", "while (a > -1.0) a *= 0.5;", "do { a = a * 0.5 + 1.0; } while (true);",
      "while (true) { if (a > 5.0) continue; for (int k = 0; k < 2; k--) { if (k == 1) break; a += 1.0; } }",
   };
   shader_target(SIZE_PX, SIZE_PX);
   EGLContext context = eglGetCurrentContext();
   EGLDisplay display = eglGetCurrentDisplay();
   while (rules_next(r)) {
      char text[500];
      snprintf(text, sizeof(text), "precision highp float; precision highp int;\n"
               "void main() { float a = gl_FragCoord.x; %s gl_FragColor = vec4(a); }", loops[r->n % 4]);
      GLuint program = shader_program(r, shader_vertex_place, text);
      shader_draw_rectangle();
      glFinish();

      GLuint plain = shader_program(r, shader_vertex_place,
                                    "void main() { gl_FragColor = vec4(2.0, 3.0, 4.0, 5.0); }");
      shader_draw_rectangle();
      float *have = rules_read_float(r, SIZE_PX, SIZE_PX);
      for (int i = 0; i < 4 * SIZE_PX * SIZE_PX; i++) {
         if (have[i] != 2 + i % 4)
            rules_fail(r, "after \"%s\" a drawn pixel has %.9g, not %d", loops[r->n % 4], have[i],
                       2 + i % 4);
      }
      free(have);
      glDeleteProgram(plain);
      glDeleteProgram(program);

      EGLContext other = context_create(display, EGL_NO_CONTEXT);
      struct target target = target_create(SIZE_PX, SIZE_PX);
      program_create(plain_vertex, plain_fragment);
      draw_rectangle(-1, -1, 1, 1, 0, (const float[]){ 1, 0, 1, 1 });
      uint8_t *pixels = target_read(&target);
      expect_pixel(&target, pixels, 7, 7, (const uint8_t[]){ 255, 0, 255, 255 }, 0,
                   "another context");
      free(pixels);
      eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context);
      eglDestroyContext(display, other);
      eglBindAPI(EGL_OPENGL_API);
   }
}
