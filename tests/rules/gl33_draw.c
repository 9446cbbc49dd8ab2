/* SPDX-License-Identifier: MIT */
#include "gl33_rules.h"

static const char gl33_head[] = "#version 330\n";

static void
attach(const struct rules *r, GLuint program, GLenum stage, const char *source)
{
   char log[2000] = "";
   if (!source)
      return;
   const GLuint shader = shader_compile(stage, gl33_head, source, log, sizeof(log));
   if (!shader)
      rules_fail(r, "%s%s\ndoes not compile: %s", gl33_head, source, log);
   glAttachShader(program, shader);
   glDeleteShader(shader);
}

GLuint
gl33_program(const struct rules *r, const struct gl33_stages *stages)
{
   const GLuint program = glCreateProgram();
   GLsizei captured = 0;
   GLint ok;
   char log[2000] = "";
   attach(r, program, GL_VERTEX_SHADER, stages->vertex);
   attach(r, program, GL_GEOMETRY_SHADER, stages->geometry);
   attach(r, program, GL_FRAGMENT_SHADER, stages->fragment);
   while (stages->captured && stages->captured[captured])
      captured++;
   if (captured)
      glTransformFeedbackVaryings(program, captured, stages->captured, GL_INTERLEAVED_ATTRIBS);
   glLinkProgram(program);
   glGetProgramiv(program, GL_LINK_STATUS, &ok);
   glGetProgramInfoLog(program, sizeof(log), NULL, log);
   if (!ok)
      rules_fail(r, "%s\n%s\ndo not link: %s", stages->vertex,
                 stages->geometry ? stages->geometry : "", log);
   glUseProgram(program);
   return program;
}

void
gl33_begin_capture(void)
{
   glEnable(GL_RASTERIZER_DISCARD);
   glBeginTransformFeedback(GL_POINTS);
}

void
gl33_end_capture(void)
{
   glEndTransformFeedback();
   glDisable(GL_RASTERIZER_DISCARD);
}
