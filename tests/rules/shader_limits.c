/* SPDX-License-Identifier: MIT
 *
 * Programs at the limits that GL announces, with all varyings, attributes and uniforms in use at
 * once, and programs that must not compile or link, with a message.
 */
#include "shader_draw.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_PX 16

#ifndef GL_MAX_VARYING_VECTORS
#define GL_MAX_VARYING_VECTORS 0x8DFC
#endif

struct text {
   char *chars;
   size_t size;
   FILE *file;
};

static void
text_begin(struct text *t, const char *format, ...)
{
   va_list list;
   t->file = open_memstream(&t->chars, &t->size);
   va_start(list, format);
   vfprintf(t->file, format, list);
   va_end(list);
}

static const char *
text_end(struct text *t)
{
   fclose(t->file);
   return t->chars;
}

#define add(t, ...) fprintf((t).file, __VA_ARGS__)

static int
limit(GLenum name)
{
   GLint value = 0;
   glGetIntegerv(name, &value);
   return value;
}

/* Draws and compares each pixel with what is wanted there. */
static void
expect(struct rules *r, const char *what, bool points,
       void (*wanted)(const void *data, int x, int y, float v[4]), const void *data)
{
   glClear(GL_COLOR_BUFFER_BIT);
   if (points)
      shader_draw_places(SIZE_PX, SIZE_PX);
   else
      shader_draw_rectangle();
   float *have = rules_read_float(r, SIZE_PX, SIZE_PX);
   for (int i = 0; i < SIZE_PX * SIZE_PX; i++) {
      float v[4] = { 0 };
      wanted(data, i % SIZE_PX, i / SIZE_PX, v);
      if (memcmp(v, have + 4 * i, sizeof(v)))
         rules_fail(r, "%s: pixel (%d, %d) is %.9g %.9g %.9g %.9g, not %.9g %.9g %.9g %.9g", what,
                    i % SIZE_PX, i / SIZE_PX, have[4 * i], have[4 * i + 1], have[4 * i + 2],
                    have[4 * i + 3], v[0], v[1], v[2], v[3]);
   }
   free(have);
}

/* --------------------------------------------------------------------------------------- limits */

/* Varyings of random shapes that fill all rows: GLSL ES 1.00, appendix A.7, packs them. */
struct varyings {
   int count;
   struct {
      int rows, length; /* components, elements */
   } v[64];
};

static struct varyings
random_varyings(struct rules *r, int most)
{
   struct varyings all = { 0 };
   for (int left = r->n == 0 ? 0 : most; left > 0;) {
      const int rows = rules_between(r, 1, 4),
                length = rules_chance(r, 30) ? rules_between(r, 1, left < 5 ? left : 5) : 1;
      all.v[all.count].rows = rows;
      all.v[all.count++].length = length;
      left -= length;
   }
   for (; all.count < most && r->n == 0; all.count++)
      all.v[all.count].rows = 4, all.v[all.count].length = 1;
   return all;
}

static void
wanted_varyings(const void *data, int x, int y, float v[4])
{
   const struct varyings *all = data;
   for (int i = 0; i < all->count; i++) {
      for (int k = 0; k < all->v[i].length; k++)
         v[(i + k) % 4] += (float)(all->v[i].rows * (x + y + i) + k);
   }
}

static void
check_varyings(struct rules *r)
{
   static const char *const types[] = { "float", "vec2", "vec3", "vec4" };
   struct varyings all = random_varyings(r, limit(GL_MAX_VARYING_VECTORS));
   struct text declared, write, read, vertex, fragment;
   text_begin(&declared, "\n"), text_begin(&write, "\n"), text_begin(&read, "\n");
   for (int i = 0; i < all.count; i++) {
      const int rows = all.v[i].rows;
      add(declared, "varying %s v%d[%d];\n", types[rows - 1], i, all.v[i].length);
      for (int k = 0; k < all.v[i].length; k++) {
         add(write, "v%d[%d] = %s(place.x + place.y + %d.0);\n", i, k, types[rows - 1], i);
         add(read, "sum[%d] += dot(v%d[%d], %s(1.0)) + %d.0;\n", (i + k) % 4, i, k, types[rows - 1],
             k);
      }
   }
   text_end(&declared), text_end(&write), text_end(&read);
   text_begin(&vertex, "attribute vec2 place; attribute vec4 position;\n%svoid main() { gl_Position = position;\n"
              "gl_PointSize = 1.0;\n%s}\n", declared.chars, write.chars);
   text_begin(&fragment, "precision highp float;\n%svoid main() { vec4 sum = vec4(0.0);\n%sgl_FragColor = sum; }\n",
              declared.chars, read.chars);
   GLuint program = shader_program(r, text_end(&vertex), text_end(&fragment));
   expect(r, declared.chars, true, wanted_varyings, &all);
   glDeleteProgram(program);
   free(declared.chars), free(write.chars), free(read.chars), free(vertex.chars),
      free(fragment.chars);
}

static void
wanted_uniforms(const void *data, int x, int y, float v[4])
{
   const int count = *(const int *)data, i = (x + 16 * y) * 37 % count;
   v[0] = (float)i, v[1] = (float)(count - 1), v[2] = 7, v[3] = (float)(i % 5);
}

/* An array of all uniform vectors but one, read with an index that differs from pixel to pixel. */
static void
check_uniforms(struct rules *r, bool fragment)
{
   const int count =
      limit(fragment ? GL_MAX_FRAGMENT_UNIFORM_VECTORS : GL_MAX_VERTEX_UNIFORM_VECTORS) - 1;
   struct text text;
   text_begin(
      &text, "%suniform vec4 u[%d]; uniform float seven;\nvoid main() {\n"
      "vec2 p = %s; int i = int(mod((p.x + 16.0 * p.y) * 37.0, %d.0)); %s = vec4(u[i].x, u[%d].x, seven, u[i].w); %s }\n",
      fragment ? "precision highp float;\n" : "attribute vec2 place; attribute vec4 position; varying vec4 result;\n", count,
      fragment ? "floor(gl_FragCoord.xy)" : "place", count, fragment ? "gl_FragColor" : "result",
      count - 1, fragment ? "" : "gl_Position = position; gl_PointSize = 1.0;");
   text_end(&text);
   GLuint program = fragment ? shader_program(r, shader_vertex_place, text.chars)
                             : shader_program(r, text.chars, shader_fragment_result);
   float(*values)[4] = calloc((size_t)count, sizeof(*values));
   for (int i = 0; i < count; i++)
      values[i][0] = (float)i, values[i][3] = (float)(i % 5);
   glUniform4fv(glGetUniformLocation(program, "u"), count, values[0]);
   glUniform1f(glGetUniformLocation(program, "seven"), 7);
   expect(r, fragment ? "fragment uniforms" : "vertex uniforms", !fragment, wanted_uniforms,
          &count);
   glDeleteProgram(program);
   free(values);
   free(text.chars);
}

static void
wanted_attributes(const void *data, int x, int y, float v[4])
{
   const int count = *(const int *)data;
   v[0] = (float)(x + y), v[1] = (float)(count * (count + 1) / 2), v[2] = (float)count, v[3] = 1;
}

/* Attributes that no array is enabled for have one value for all vertices. */
static void
check_attributes(struct rules *r)
{
   const int count = limit(GL_MAX_VERTEX_ATTRIBS) - SHADER_FIRST_INPUT;
   struct text vertex;
   text_begin(&vertex, "attribute vec2 place; attribute vec4 position; varying vec4 result;\n");
   for (int i = 0; i < count; i++)
      add(vertex, "attribute vec4 in_%c;\n", 'a' + i);
   add(vertex, "void main() { gl_Position = position; gl_PointSize = 1.0; vec4 sum = vec4(0.0);\n");
   for (int i = 0; i < count; i++)
      add(vertex, "sum += in_%c;\n", 'a' + i);
   add(vertex, "result = vec4(place.x + place.y, sum.x, sum.y, sum.w / %d.0); }\n", count);
   GLuint program = shader_program(r, text_end(&vertex), shader_fragment_result);
   for (int i = 0; i < count; i++)
      glVertexAttrib4f(SHADER_FIRST_INPUT + i, (float)i + 1, 1, 0, 1);
   expect(r, "attributes", true, wanted_attributes, &count);
   glDeleteProgram(program);
   free(vertex.chars);
}

void
rule_shader_limits(struct rules *r)
{
   shader_target(SIZE_PX, SIZE_PX);
   while (rules_next(r)) {
      check_varyings(r);
      if (r->n == 0) {
         check_uniforms(r, false);
         check_uniforms(r, true);
         check_attributes(r);
      }
   }
}

/* --------------------------------------------------------------------------------------- errors */

struct wrong_program {
   const char *vertex, *fragment; /* NULL: the plain ones */
   const char *message;           /* some part of it */
};

#define MAIN "void main() { gl_FragColor = vec4(1.0); }"
#define P "precision highp float; "

static const struct wrong_program wrong_programs[] = {
   { "varying vec4 v; attribute vec4 position; void main() { gl_Position = v = position; }",
     P "varying vec3 v; void main() { gl_FragColor = v.xyzz; }", "v" },
   { NULL, P "varying vec3 missing; void main() { gl_FragColor = missing.xyzz; }", "missing" },
   { "attribute vec4 position; uniform vec2 u; void main() { gl_Position = position + u.xyxy; }",
     P "uniform vec3 u; void main() { gl_FragColor = u.xyzz; }", "u" },
   { NULL, "varying vec4 v; " MAIN, "precision" },
   { NULL, P "float f(float x) { return x; }", "main" },
   { NULL, P "float f(float x) { return x > 0.0 ? f(x - 1.0) : 0.0; } void main() { gl_FragColor = vec4(f(gl_FragCoord.x)); }",
     "recursi" },
   { NULL, P "void main() { gl_FragColor = vec4(1.0); gl_FragData[0] = vec4(1.0); }", "gl_Frag" },
   { NULL, P "void main() { gl_FragColor = vec4(1); gl_FragCoord = vec4(1.0); }", "gl_FragCoord" },
   { NULL, P "uniform float u; void main() { u = 1.0; gl_FragColor = vec4(u); }", "u" },
   { NULL, P "void main() { int i = 1.0; gl_FragColor = vec4(i); }", "int" },
   { NULL, P "void main() { gl_FragColor = vec4(1.0) + vec3(1.0); }", "" },
   { NULL, P "void main() { float a[2]; gl_FragColor = vec4(a[2]); }", "" },
   { NULL, P "void main() { gl_FragColor = vec4(undeclared); }", "undeclared" },
   { NULL, P "float gl_x; " MAIN, "gl_" },
   { NULL, P "void main() { break; }", "" },
   { NULL, P "attribute vec4 a; void main() { gl_FragColor = a; }", "attribute" },
   { NULL, P "void main() { gl_FragColor = vec4(1 % 2); }", "" },
   { NULL, P "float f() { } void main() { gl_FragColor = vec4(f(1.0)); }", "f" },
   { NULL, "\n#error words of ours\n" MAIN, "words of ours" },
};

static void
expect_error(struct rules *r, const char *vertex, const char *fragment, const char *message)
{
   char log[4000] = "";
   GLuint program = shader_try_program(vertex, fragment, log, sizeof(log));
   if (program)
      rules_fail(r, "%s\n%s\nshould not link", vertex, fragment);
   if (!log[0] || !strstr(log, message))
      rules_fail(r, "%.500s\n%.500s\ngives the message \"%s\", which does not speak of \"%s\"",
                 vertex, fragment, log, message);
}

/* One more varying, uniform or attribute than there are. */
static void
expect_too_many(struct rules *r)
{
   const int varyings = limit(GL_MAX_VARYING_VECTORS) + 1,
             uniforms = limit(GL_MAX_FRAGMENT_UNIFORM_VECTORS) + 1;
   struct text vertex, fragment, many, attributes;
   text_begin(&vertex, "attribute vec4 position; varying vec4 v[%d]; void main() { gl_Position = position;\n"
              "for (int i = 0; i < %d; i++) v[i] = position * float(i); }", varyings, varyings);
   text_begin(&fragment, P "varying vec4 v[%d]; uniform int n; void main() { gl_FragColor = v[n]; }", varyings);
   expect_error(r, text_end(&vertex), text_end(&fragment), "");
   text_begin(&many, P "uniform vec4 u[%d]; uniform int n; void main() { gl_FragColor = u[n]; }",
              uniforms);
   expect_error(r, shader_vertex_place, text_end(&many), "");
   text_begin(&attributes, "varying vec4 result;\n");
   for (int i = 0; i <= limit(GL_MAX_VERTEX_ATTRIBS); i++)
      add(attributes, "attribute vec4 x%d;\n", i);
   add(attributes, "void main() { result = vec4(0.0);\n");
   for (int i = 0; i <= limit(GL_MAX_VERTEX_ATTRIBS); i++)
      add(attributes, "result += x%d;\n", i);
   add(attributes, "gl_Position = result; }");
   expect_error(r, text_end(&attributes), shader_fragment_result, "");
   free(vertex.chars), free(fragment.chars), free(many.chars), free(attributes.chars);
}

void
rule_shader_errors(struct rules *r)
{
   while (rules_next(r)) {
      const size_t count = sizeof(wrong_programs) / sizeof(wrong_programs[0]);
      const struct wrong_program *p = &wrong_programs[(size_t)r->n % (count + 1) % count];
      if (r->n == (int)count)
         expect_too_many(r);
      else
         expect_error(r, p->vertex ? p->vertex : shader_vertex_place, p->fragment, p->message);
   }
}
