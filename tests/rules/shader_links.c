/* SPDX-License-Identifier: MIT
 *
 * Which vertex shader goes with which fragment shader (GLSL ES 1.00: sections 4.3 to 4.6, and the
 * packing of appendix A): what is declared in both has to agree, what fits into the limits by the
 * packing algorithm links and has its values, and one more does not.
 */
#include "rules.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE_PX = 4 };

struct pair {
   bool links;
   const char *vertex, *vertex_body, *fragment, *fragment_body;
};

#define LINKS(vertex, vertex_body, fragment, fragment_body)                                        \
   {                                                                                               \
      true, vertex, vertex_body, fragment, fragment_body                                           \
   }
#define FAILS(vertex, vertex_body, fragment, fragment_body)                                        \
   {                                                                                               \
      false, vertex, vertex_body, fragment, fragment_body                                          \
   }

static const struct pair pairs[] = {
   LINKS("", "", "", ""),
   /* varyings: same type and invariance, any precision, declared in front of where they are read */
   LINKS("varying vec4 v;", "v = vec4(1.0);", "varying vec4 v;", "c = v;"),
   LINKS("varying highp vec4 v;", "v = vec4(1.0);", "varying lowp vec4 v;", "c = v;"),
   LINKS("varying vec4 v;", "", "varying vec4 v;", "c = v;"),
   LINKS("varying vec4 v;", "", "", ""),
   LINKS("varying vec4 v;", "v = vec4(1.0);", "", ""),
   LINKS("", "", "varying vec4 v;", ""),
   FAILS("", "", "varying vec4 v;", "c = v;"),
   FAILS("", "", "varying vec4 v;", "if (false) c = v;"),
   FAILS("varying vec3 v;", "v = vec3(1.0);", "varying vec4 v;", "c = v;"),
   FAILS("varying float v;", "v = 1.0;", "varying vec2 v;", "c = v.xyxy;"),
   FAILS("varying mat2 v;", "v = mat2(1.0);", "varying vec4 v;", "c = v;"),
   FAILS("varying vec4 v[2];", "v[1] = vec4(1.0);", "varying vec4 v[3];", "c = v[1];"),
   FAILS("varying vec4 v;", "v = vec4(1.0);", "varying vec4 v[1];", "c = v[0];"),
   FAILS("varying vec4 v[1];", "v[0] = vec4(1.0);", "varying vec4 v;", "c = v;"),
   LINKS("varying mat3 v[2];", "v[1] = mat3(1.0);", "varying mat3 v[2];",
         "c = vec4(v[1][0], 1.0);"),
   LINKS("invariant varying vec4 v;", "v = vec4(1.0);", "invariant varying vec4 v;", "c = v;"),
   LINKS("varying vec4 v; invariant v;", "v = vec4(1.0);", "invariant varying vec4 v;", "c = v;"),
   FAILS("invariant varying vec4 v;", "v = vec4(1.0);", "varying vec4 v;", "c = v;"),
   FAILS("varying vec4 v;", "v = vec4(1.0);", "invariant varying vec4 v;", "c = v;"),
   FAILS("varying vec4 v;", "v = vec4(1.0);", "varying vec4 v; invariant v;", "c = v;"),
   LINKS("invariant gl_Position;", "", "invariant gl_FragCoord;", "c = gl_FragCoord;"),
   LINKS("invariant gl_Position;", "", "", "c = gl_FragCoord;"),
   FAILS("", "", "invariant gl_FragCoord;", "c = gl_FragCoord;"),
   LINKS("invariant gl_PointSize;", "gl_PointSize = 1.0;", "invariant gl_PointCoord;",
         "c = gl_PointCoord.xyxy;"),
   FAILS("", "gl_PointSize = 1.0;", "invariant gl_PointCoord;", "c = gl_PointCoord.xyxy;"),
   /* uniforms: same type, precision and size */
   LINKS("uniform mediump vec4 u;", "p += u;", "uniform mediump vec4 u;", "c = u;"),
   LINKS("uniform mediump vec4 u[2];", "p += u[1];", "uniform mediump vec4 u[2];", "c = u[0];"),
   FAILS("uniform mediump vec4 u;", "p += u;", "uniform mediump vec3 u;", "c = u.xyzx;"),
   FAILS("uniform mediump float u;", "p += u;", "uniform mediump int u;", "c = vec4(u);"),
   FAILS("uniform highp vec4 u;", "p += u;", "uniform mediump vec4 u;", "c = u;"),
   FAILS("uniform vec4 u;", "p += u;", "uniform vec4 u;", "c = u;"),
   FAILS("uniform mediump vec4 u[2];", "p += u[1];", "uniform mediump vec4 u[3];", "c = u[1];"),
   FAILS("uniform mediump vec4 u;", "p += u;", "uniform mediump vec4 u[1];", "c = u[0];"),
   FAILS("uniform sampler2D u;", "p += texture2D(u, vec2(0.0));", "uniform samplerCube u;",
         "c = textureCube(u, vec3(0.0));"),
   LINKS("uniform sampler2D u;", "p += texture2D(u, vec2(0.0));", "uniform sampler2D u;",
         "c = texture2D(u, vec2(0.0));"),
   LINKS("struct S { mediump vec4 a; mediump float b; }; uniform S u;", "p += u.a;",
         "struct S { mediump vec4 a; mediump float b; }; uniform S u;", "c = u.a * u.b;"),
   FAILS("struct S { mediump vec4 a; mediump float b; }; uniform S u;", "p += u.a;",
         "struct S { mediump float b; mediump vec4 a; }; uniform S u;", "c = u.a * u.b;"),
   FAILS("struct S { mediump vec4 a; }; uniform S u;", "p += u.a;",
         "struct S { mediump vec4 b; }; uniform S u;", "c = u.b;"),
   FAILS("struct S { mediump vec4 a; }; uniform S u;", "p += u.a;",
         "struct S { mediump vec3 a; }; uniform S u;", "c = u.a.xyzz;"),
   FAILS("struct S { mediump vec4 a; }; uniform S u;", "p += u.a;",
         "struct S { mediump vec4 a; mediump float b; }; uniform S u;", "c = u.a;"),
   FAILS("struct S { highp vec4 a; }; uniform S u;", "p += u.a;",
         "struct S { mediump vec4 a; }; uniform S u;", "c = u.a;"),
   /* what else has a name belongs to its shader */
   LINKS("float g; vec4 f() { return vec4(1.0); } const int k = 1; struct S { int a; };",
         "p += f();",
         "vec2 g; float f() { return 2.0; } const float k = 2.0; struct S { vec2 b; };",
         "c = vec4(f());"),
   /* functions without a body */
   FAILS("vec4 f();", "p += f();", "", ""),
   FAILS("", "", "vec4 f();", "c = f();"),
   FAILS("vec4 f();", "p += f();", "vec4 f() { return vec4(1.0); }", ""),
   LINKS("vec4 f();", "", "vec4 f();", ""),
};

/* NULL: a shader that is not there. */
static GLuint
link_pair(struct rules *r, const char *vertex, const char *fragment, GLint *linked)
{
   const GLuint program = glCreateProgram();
   for (int i = 0; i < 2; i++) {
      const char *text = i ? fragment : vertex;
      GLint compiled;
      if (!text)
         continue;
      const GLuint shader = glCreateShader(i ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER);
      glShaderSource(shader, 1, &text, NULL);
      glCompileShader(shader);
      glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
      if (!compiled)
         rules_fail(r, "%s\ndoes not compile", text);
      glAttachShader(program, shader);
      glDeleteShader(shader);
   }
   glBindAttribLocation(program, 0, "position");
   glLinkProgram(program);
   glGetProgramiv(program, GL_LINK_STATUS, linked);
   return program;
}

static void
check_pair(struct rules *r, const struct pair *pair)
{
   char vertex[800], fragment[800];
   GLint linked;
   snprintf(vertex, sizeof(vertex),
            "attribute vec4 position; %s\nvoid main() { vec4 p = position; %s gl_Position = p; }\n",
            pair->vertex, pair->vertex_body);
   snprintf(
      fragment, sizeof(fragment),
      "precision mediump float; %s\nvoid main() { vec4 c = vec4(1.0); %s gl_FragColor = c; }\n",
      pair->fragment, pair->fragment_body);
   glDeleteProgram(link_pair(r, vertex, fragment, &linked));
   if (linked != pair->links)
      rules_fail(r, "these %s:\n%s\n%s", linked ? "link" : "do not link", vertex, fragment);
}

/* Section 2.10.3 of OpenGL ES 2.0: both shaders must be there. */
static void
check_missing(struct rules *r)
{
   static const char vertex[] = "void main() { gl_Position = vec4(1.0); }\n",
                     fragment[] = "void main() { gl_FragColor = vec4(1.0); }\n";
   for (int i = 0; i < 3; i++) {
      GLint linked;
      glDeleteProgram(link_pair(r, i == 1 ? vertex : NULL, i == 2 ? fragment : NULL, &linked));
      if (linked)
         rules_fail(r, "a program without a %s shader links", i == 1 ? "fragment" : "vertex");
   }
}

/* ------------------------------------------------------------------------------------------------
 * uniforms that fill all rows */

/* Arrays that appendix A packs into all rows of all columns: `rows` and `columns` of each element
 * in components. */
static const struct packing {
   const char *name;
   struct {
      const char *type;
      int components, rows;
   } arrays[4];
} packings[] = {
   { "vectors of four", { { "vec4", 4, 1 } } },
   { "four numbers",
     { { "float", 1, 1 }, { "float", 1, 1 }, { "float", 1, 1 }, { "float", 1, 1 } } },
   { "two vectors of two", { { "vec2", 2, 1 }, { "vec2", 2, 1 } } },
   { "a vector of three and a number", { { "float", 1, 1 }, { "vec3", 3, 1 } } },
   { "a vector of two and two numbers",
     { { "float", 1, 1 }, { "vec2", 2, 1 }, { "float", 1, 1 } } },
   { "two matrices of two columns", { { "mat2", 4, 2 }, { "mat2", 4, 2 } } },
   { "matrices of three columns and a number", { { "mat3", 9, 3 }, { "float", 1, 1 } } },
   { "matrices of four columns", { { "mat4", 16, 4 } } },
};

enum { PACKINGS = sizeof(packings) / sizeof(packings[0]) };

/* A shader that finds in all elements what fill_arrays() writes. The caller frees it. */
static char *
packing_text(const struct packing *p, int vectors, bool fragment)
{
   char *text;
   size_t size;
   FILE *out = open_memstream(&text, &size);
   fprintf(out, "%s",
           fragment ? "precision highp float;\n"
                    : "attribute vec4 position; varying vec4 result;\n");
   for (int k = 0; k < 4 && p->arrays[k].type; k++)
      fprintf(out, "uniform %s u%d[%d];\n", p->arrays[k].type, k, vectors / p->arrays[k].rows);
   fprintf(out, "void main() {\n   bool ok = true;\n");
   for (int k = 0; k < 4 && p->arrays[k].type; k++)
      fprintf(out, "   for (int i = 0; i < %d; i++) ok = ok && u%d[i] == %s(float(i + %d));\n",
              vectors / p->arrays[k].rows, k, p->arrays[k].type, 1000 * k + 1);
   fprintf(out, "   %s = vec4(ok ? 1.0 : 0.0);\n%s}\n", fragment ? "gl_FragColor" : "result",
           fragment ? "" : "   gl_Position = position;\n");
   fclose(out);
   return text;
}

/* Vectors have all components alike, matrices, as their constructor makes them, the diagonal. */
static void
fill_arrays(const struct packing *p, int vectors, GLuint program)
{
   for (int k = 0; k < 4 && p->arrays[k].type; k++) {
      const int components = p->arrays[k].components, count = vectors / p->arrays[k].rows,
                columns = p->arrays[k].rows;
      float *values = calloc((size_t)(count * components), sizeof(*values));
      for (int i = 0; i < count * components; i++)
         if (columns == 1 || i % components % (columns + 1) == 0)
            values[i] = (float)(i / components + 1000 * k + 1);
      const char name[] = { 'u', (char)('0' + k), 0 };
      const GLint location = glGetUniformLocation(program, name);
      if (columns > 1)
         (columns == 2   ? glUniformMatrix2fv
          : columns == 3 ? glUniformMatrix3fv
                         : glUniformMatrix4fv)(location, count, GL_FALSE, values);
      else
         (components == 1   ? glUniform1fv
          : components == 2 ? glUniform2fv
          : components == 3 ? glUniform3fv
                            : glUniform4fv)(location, count, values);
      free(values);
   }
}

static void
check_packing(struct rules *r, const struct packing *p, bool fragment)
{
   static const char plain[] = "attribute vec4 position; void main() { gl_Position = position; }\n",
                     passed[] =
                        "varying highp vec4 result; void main() { gl_FragColor = result; }\n";
   static const float corners[3][2] = { { -1, -1 }, { 3, -1 }, { -1, 3 } };
   GLint vectors, linked;
   glGetIntegerv(fragment ? GL_MAX_FRAGMENT_UNIFORM_VECTORS : GL_MAX_VERTEX_UNIFORM_VECTORS,
                 &vectors);
   char *text = packing_text(p, vectors, fragment);
   const GLuint program = link_pair(r, fragment ? plain : text, fragment ? text : passed, &linked);
   if (!linked)
      rules_fail(r, "%d rows of %s do not link", vectors, p->name);
   glUseProgram(program);
   fill_arrays(p, vectors, program);
   glEnableVertexAttribArray(0);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
   glClear(GL_COLOR_BUFFER_BIT);
   glDrawArrays(GL_TRIANGLES, 0, 3);
   uint8_t *pixels = rules_read(r, SIZE_PX, SIZE_PX);
   for (int i = 0; i < 4 * SIZE_PX * SIZE_PX; i++)
      if (pixels[i] != 255)
         rules_fail(r, "%d rows of %s have other values in a %s shader", vectors, p->name,
                    fragment ? "fragment" : "vertex");
   free(pixels);
   free(text);
   glDeleteProgram(program);
}

void
rule_shader_links(struct rules *r)
{
   target_create(SIZE_PX, SIZE_PX);
   while (rules_next(r)) {
      const int k = r->n % (1 + 2 * PACKINGS);
      if (k > 0) {
         check_packing(r, &packings[(k - 1) / 2], k % 2);
         continue;
      }
      for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
         check_pair(r, &pairs[i]);
      check_missing(r);
   }
}
