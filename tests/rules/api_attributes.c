/* SPDX-License-Identifier: MIT
 *
 * Attributes of random types: which of them are active, where they are (section 2.10.4: bound where
 * they were told to be, else anywhere, matrices over several locations, two names at one place),
 * and that a shader sees each value there.
 */
#include "api_rules.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE_PX = 4, MOST = 8 /* what each implementation has */, POSITION = 7 };

static const struct kind {
   GLenum type;
   const char *name;
   int rows, columns;
} kinds[] = {
   { GL_FLOAT, "float", 1, 1 },     { GL_FLOAT_VEC2, "vec2", 2, 1 },
   { GL_FLOAT_VEC3, "vec3", 3, 1 }, { GL_FLOAT_VEC4, "vec4", 4, 1 },
   { GL_FLOAT_MAT2, "mat2", 2, 2 }, { GL_FLOAT_MAT3, "mat3", 3, 3 },
   { GL_FLOAT_MAT4, "mat4", 4, 4 },
};

struct attribute {
   const struct kind *kind;
   char name[8];
   int bound; /* -1: nowhere */
   float value[4][4];
};

struct world {
   struct attribute attributes[MOST];
   int count;
};

/* A place for so many locations that no other is bound to; -1: there is none. */
static int
free_location(struct rules *r, const struct world *w, int columns)
{
   for (int attempt = 0; attempt < 20; attempt++) {
      const int first = rules_between(r, 0, POSITION - columns);
      bool taken = false;
      for (int i = 0; i < w->count; i++) {
         const struct attribute *a = &w->attributes[i];
         taken |=
            a->bound >= 0 && first < a->bound + a->kind->columns && a->bound < first + columns;
      }
      if (!taken)
         return first;
   }
   return -1;
}

/* `loose`: some are not bound, and find room between those that are. Then at most vectors, else
 * there might be none. */
static void
random_world(struct rules *r, struct world *w)
{
   const bool loose = rules_chance(r, 50);
   w->count = 0;
   for (int left = rules_between(r, 1, POSITION); left > 0;) {
      const struct kind *kind = &kinds[rules_below(r, loose ? 4 : 7)];
      struct attribute a = { .kind = kind, .bound = -1 };
      if (kind->columns > left)
         continue;
      left -= kind->columns;
      if (!loose || rules_chance(r, 50))
         a.bound = free_location(r, w, kind->columns);
      if (!loose && a.bound < 0)
         break;
      snprintf(a.name, sizeof(a.name), "a%d", w->count);
      for (int i = 0; i < 16; i++)
         a.value[i / 4][i % 4] = (float)rules_between(r, -100, 100);
      w->attributes[w->count++] = a;
   }
}

static char *
vertex_text(const struct world *w)
{
   char *text;
   size_t size;
   FILE *out = open_memstream(&text, &size);
   fprintf(out, "attribute vec4 position; varying float result;\n");
   for (int i = 0; i < w->count; i++)
      fprintf(out, "attribute %s %s;\n", w->attributes[i].kind->name, w->attributes[i].name);
   fprintf(out, "void main() {\n   bool ok = true;\n");
   for (int i = 0; i < w->count; i++) {
      const struct attribute *a = &w->attributes[i];
      fprintf(out, "   ok = ok && %s == %s(", a->name, a->kind->name);
      for (int k = 0; k < a->kind->columns * a->kind->rows; k++)
         fprintf(out, "%s%d.0", k ? ", " : "", (int)a->value[k / a->kind->rows][k % a->kind->rows]);
      fprintf(out, ");\n");
   }
   fprintf(out, "   result = ok ? 1.0 : 0.0;\n   gl_Position = position;\n}\n");
   fclose(out);
   return text;
}

/* Binds what is bound to the same room, counted from the other end. */
static void
mirror_locations(struct world *w)
{
   for (int i = 0; i < w->count; i++) {
      struct attribute *a = &w->attributes[i];
      if (a->bound >= 0)
         a->bound = POSITION - a->kind->columns - a->bound;
   }
}

/* ------------------------------------------------------------------------------------- programs */

static GLuint
compile(struct rules *r, const char *vertex, const char *fragment)
{
   const GLuint program = glCreateProgram();
   for (int i = 0; i < 2; i++) {
      const GLuint shader = glCreateShader(i ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER);
      GLint ok;
      glShaderSource(shader, 1, i ? &fragment : &vertex, NULL);
      glCompileShader(shader);
      glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
      if (!ok)
         rules_fail(r, "%s\ndoes not compile", i ? fragment : vertex);
      glAttachShader(program, shader);
      glDeleteShader(shader);
   }
   return program;
}

static void
link_program(struct rules *r, GLuint program, const char *text)
{
   GLint ok;
   glLinkProgram(program);
   glGetProgramiv(program, GL_LINK_STATUS, &ok);
   if (!ok)
      rules_fail(r, "%s\ndoes not link", text);
   glUseProgram(program);
}

static void
bind_all(struct rules *r, const struct world *w, GLuint program)
{
   glBindAttribLocation(program, POSITION, "position");
   glBindAttribLocation(program, (GLuint)rules_below(r, MOST), "not_there");
   for (int i = 0; i < w->count; i++)
      if (w->attributes[i].bound >= 0)
         glBindAttribLocation(program, (GLuint)w->attributes[i].bound, w->attributes[i].name);
}

/* --------------------------------------------------------------------------------- expectations */

static void
expect_active(struct rules *r, const struct world *w, GLuint program)
{
   GLint count, longest;
   glGetProgramiv(program, GL_ACTIVE_ATTRIBUTES, &count);
   glGetProgramiv(program, GL_ACTIVE_ATTRIBUTE_MAX_LENGTH, &longest);
   if (count != w->count + 1 || longest != (GLint)sizeof("position"))
      rules_fail(r, "%d attributes are active, the longest name has %d characters", count, longest);
   for (int i = 0; i < count; i++) {
      char name[20];
      GLsizei length;
      GLint size;
      GLenum type, wanted = 0;
      glGetActiveAttrib(program, (GLuint)i, sizeof(name), &length, &size, &type, name);
      for (int k = 0; k < w->count; k++)
         if (!strcmp(w->attributes[k].name, name))
            wanted = w->attributes[k].kind->type;
      if (!strcmp(name, "position"))
         wanted = GL_FLOAT_VEC4;
      if (type != wanted || size != 1 || length != (GLsizei)strlen(name))
         rules_fail(r, "attribute %s has the type 0x%04x, not 0x%04x, and size %d", name, type,
                    wanted, size);
   }
   if (glGetAttribLocation(program, "not_there") != -1 ||
       glGetAttribLocation(program, "result") != -1 ||
       glGetAttribLocation(program, "gl_Position") != -1 ||
       glGetAttribLocation(program, "a0[0]") != -1)
      rules_fail(r, "what is no attribute has a location");
}

/* Each lies where it is bound, and no two share a location. */
static void
expect_locations(struct rules *r, const struct world *w, GLuint program)
{
   unsigned taken = 1u << POSITION;
   for (int i = 0; i < w->count; i++) {
      const struct attribute *a = &w->attributes[i];
      const GLint location = glGetAttribLocation(program, a->name);
      if (location < 0 || (a->bound >= 0 && location != a->bound))
         rules_fail(r, "%s is at %d, bound to %d", a->name, location, a->bound);
      for (int c = 0; c < a->kind->columns; c++) {
         if (taken >> (location + c) & 1)
            rules_fail(r, "%s shares location %d with another", a->name, location + c);
         taken |= 1u << (location + c);
      }
   }
}

static void
draw(int location)
{
   static const float corners[3][2] = { { -1, -1 }, { 3, -1 }, { -1, 3 } };
   for (GLuint i = 0; i < MOST; i++)
      glDisableVertexAttribArray(i);
   glEnableVertexAttribArray((GLuint)location);
   glVertexAttribPointer((GLuint)location, 2, GL_FLOAT, GL_FALSE, 0, corners);
   glClear(GL_COLOR_BUFFER_BIT);
   glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void
expect_white(struct rules *r, const char *what)
{
   static const int exactly[4];
   uint8_t expected[4 * SIZE_PX * SIZE_PX];
   memset(expected, 255, sizeof(expected));
   uint8_t *pixels = rules_read(r, SIZE_PX, SIZE_PX);
   rules_expect(r, SIZE_PX, SIZE_PX, pixels, expected, exactly, what);
   free(pixels);
}

static void
expect_values(struct rules *r, const struct world *w, GLuint program, const char *text)
{
   for (int i = 0; i < w->count; i++) {
      const struct attribute *a = &w->attributes[i];
      for (int c = 0; c < a->kind->columns; c++)
         glVertexAttrib4fv((GLuint)(glGetAttribLocation(program, a->name) + c), a->value[c]);
   }
   draw(POSITION);
   expect_white(r, text);
}

static const char white_if_ok[] =
   "precision mediump float; varying float result; void main() { gl_FragColor = vec4(result); }";

/* Two attributes at one location, of which a shader reads one or the other (section 2.10.4,
 * aliasing). */
static void
expect_aliases(struct rules *r)
{
   static const char text[] =
      "attribute vec4 position, a, b; uniform bool first; varying float result;\n"
      "void main() { gl_Position = position; if (first) result = a.x; else result = b.y; }\n";
   const GLuint program = compile(r, text, white_if_ok);
   const GLuint shared = rules_below(r, POSITION);
   glBindAttribLocation(program, POSITION, "position");
   glBindAttribLocation(program, shared, "a");
   glBindAttribLocation(program, shared, "b");
   link_program(r, program, text);
   if (glGetAttribLocation(program, "a") != (GLint)shared ||
       glGetAttribLocation(program, "b") != (GLint)shared)
      rules_fail(r, "two attributes bound to %u are at %d and %d", shared,
                 glGetAttribLocation(program, "a"), glGetAttribLocation(program, "b"));
   for (int first = 0; first < 2; first++) {
      glUniform1i(glGetUniformLocation(program, "first"), first);
      glVertexAttrib4f(shared, (float)first, (float)!first, 0, 0);
      draw(POSITION);
      expect_white(r, text);
   }
   glDeleteProgram(program);
}

void
rule_api_attributes(struct rules *r)
{
   target_create(SIZE_PX, SIZE_PX);
   while (rules_next(r)) {
      struct world w;
      random_world(r, &w);
      char *text = vertex_text(&w);
      const GLuint program = compile(r, text, white_if_ok);
      bind_all(r, &w, program);
      for (int turn = 0; turn < 2; turn++) {
         link_program(r, program, text);
         expect_active(r, &w, program);
         expect_locations(r, &w, program);
         expect_values(r, &w, program, text);
         /* bound anew: nothing changes before it is linked again */
         struct world other = w;
         mirror_locations(&other);
         bind_all(r, &other, program);
         expect_locations(r, &w, program);
         w = other;
      }
      glDeleteProgram(program);
      free(text);
      expect_aliases(r);
   }
}
