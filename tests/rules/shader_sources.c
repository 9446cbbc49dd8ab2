/* SPDX-License-Identifier: MIT
 *
 * Sources of shaders by the chapters of the GLSL ES 1.00 specification: those that are right
 * compile, those that are wrong do not compile or do not link, and where a value follows it is
 * drawn, by both stages.
 */
#include "rules.h"
#include "shader_sources.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE_PX = 4 };

static const struct source_topic *const topics[] = {
   &characters_sources, &preprocessor_sources, &types_sources,      &scopes_sources,
   &qualifiers_sources, &expressions_sources,  &statements_sources, &builtins_sources,
};

/* The source for one stage; a value is drawn as white, by fragments or through a varying. The
 * caller frees it. */
static char *
text_of(const struct source *s, unsigned stage)
{
   static const char *const declarations[2] = { "varying float result; attribute vec4 position;\n",
                                                "" };
   static const char *const results[2] = { "gl_Position = position; result = ok ? 1.0 : 0.0;",
                                           "gl_FragColor = vec4(ok ? 1.0 : 0.0);" };
   const bool value = s->outcome == TRUE, fragment = stage == FRAGMENT;
   char *text;
   size_t size;
   FILE *out = open_memstream(&text, &size);
   if (!s->body)
      fprintf(out, "%s", s->global);
   else
      fprintf(out, "precision mediump float;\n%s%s\nvoid main() {\n%s%s\n%s\n}\n",
              value ? declarations[fragment] : "", s->global, value ? "bool ok = false;\n" : "",
              s->body, value ? results[fragment] : "");
   fclose(out);
   return text;
}

static GLuint
attach(GLuint program, GLenum type, const char *text)
{
   const GLuint shader = glCreateShader(type);
   glShaderSource(shader, 1, &text, NULL);
   glCompileShader(shader);
   glAttachShader(program, shader);
   glDeleteShader(shader);
   return shader;
}

/* Compiles, and unless it is enough that it does, links it with a shader of the other stage. */
static GLuint
build(const char *text, unsigned stage, bool link)
{
   static const char
      other_vertex[] = "attribute vec4 position; void main() { gl_Position = position; }\n",
      other_fragment[] =
         "varying mediump float result; void main() { gl_FragColor = vec4(result); }\n",
      no_fragment[] = "void main() { gl_FragColor = vec4(1.0); }\n";
   const GLuint program = glCreateProgram();
   const GLuint shader =
      attach(program, stage == VERTEX ? GL_VERTEX_SHADER : GL_FRAGMENT_SHADER, text);
   GLint ok = 0;
   glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
   if (ok && link) {
      if (stage == VERTEX)
         attach(program, GL_FRAGMENT_SHADER,
                strstr(text, "result =") ? other_fragment : no_fragment);
      else
         attach(program, GL_VERTEX_SHADER, other_vertex);
      glBindAttribLocation(program, 0, "position");
      glLinkProgram(program);
      glGetProgramiv(program, GL_LINK_STATUS, &ok);
   }
   if (ok)
      return program;
   glDeleteProgram(program);
   return 0;
}

static bool
draws_white(struct rules *r, GLuint program)
{
   static const float corners[3][2] = { { -1, -1 }, { 3, -1 }, { -1, 3 } };
   bool white = true;
   glUseProgram(program);
   glEnableVertexAttribArray(0);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
   glClear(GL_COLOR_BUFFER_BIT);
   glDrawArrays(GL_TRIANGLES, 0, 3);
   uint8_t *pixels = rules_read(r, SIZE_PX, SIZE_PX);
   for (int i = 0; i < 4 * SIZE_PX * SIZE_PX; i++)
      white &= pixels[i] == 255;
   free(pixels);
   return white;
}

static void
check_source(struct rules *r, const char *topic, const struct source *s, unsigned stage)
{
   char *text = text_of(s, stage);
   const GLuint program = build(text, stage, s->outcome != RIGHT);
   if ((program != 0) != (s->outcome != WRONG) || (s->outcome == TRUE && !draws_white(r, program)))
      rules_fail(r, "%s: a %s shader %s:\n%s", topic, stage == VERTEX ? "vertex" : "fragment",
                 s->outcome == WRONG ? "is taken"
                 : program           ? "finds otherwise"
                                     : "is refused",
                 text);
   glDeleteProgram(program);
   free(text);
}

void
rule_shader_sources(struct rules *r)
{
   target_create(SIZE_PX, SIZE_PX);
   while (rules_next(r)) {
      const struct source_topic *topic =
         topics[(size_t)r->n % (sizeof(topics) / sizeof(topics[0]))];
      for (size_t i = 0; i < topic->count; i++)
         for (unsigned stage = VERTEX; stage <= FRAGMENT; stage++)
            if (topic->sources[i].stages & stage)
               check_source(r, topic->name, &topic->sources[i], stage);
   }
}
