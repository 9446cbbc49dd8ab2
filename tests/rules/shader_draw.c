/* SPDX-License-Identifier: MIT */
#include "shader_draw.h"

#include "glsl_program.h"

#include <stdlib.h>
#include <string.h>

#define PLACE 0
#define POSITION 1
#define RGBA32F 0x8814
#define VERTEX_PROGRAM_POINT_SIZE 0x8642

const char shader_vertex_place[] = "attribute vec2 place; attribute vec4 position;\n"
                                   "void main() { gl_Position = position + 0.0 * place.xyxy; }\n";
const char shader_fragment_result[] = "precision highp float; varying vec4 result;\n"
                                      "void main() { gl_FragColor = result; }\n";

void
shader_target(int width_px, int height_px)
{
   GLuint texture, framebuffer;
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexImage2D(GL_TEXTURE_2D, 0, RGBA32F, width_px, height_px, 0, GL_RGBA, GL_FLOAT, NULL);
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
   if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      rules_skip("a framebuffer of 32-bit floats is not complete");
   glViewport(0, 0, width_px, height_px);
   glEnable(VERTEX_PROGRAM_POINT_SIZE);
   glEnableVertexAttribArray(PLACE);
   glEnableVertexAttribArray(POSITION);
}

GLuint
shader_try_program(const char *vertex, const char *fragment, char *log, size_t size)
{
   const char *sources[] = { vertex, fragment };
   GLuint program = glCreateProgram();
   GLint ok = GL_TRUE;
   for (int i = 0; i < 2 && ok; i++) {
      const char *version = strncmp(sources[i], "#version", 8) ? "#version 100\n" : "";
      GLuint shader =
         shader_compile(i ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER, version, sources[i], log, size);
      ok = shader != 0;
      if (ok) {
         glAttachShader(program, shader);
         glDeleteShader(shader);
      }
   }
   if (ok) {
      glBindAttribLocation(program, PLACE, "place");
      glBindAttribLocation(program, POSITION, "position");
      for (int i = 0; i < SHADER_INPUTS; i++)
         glBindAttribLocation(program, SHADER_FIRST_INPUT + i,
                              (const char[]){ 'i', 'n', '_', (char)('a' + i), 0 });
      glLinkProgram(program);
      glGetProgramiv(program, GL_LINK_STATUS, &ok);
      glGetProgramInfoLog(program, (GLsizei)size, NULL, log);
   }
   if (ok) {
      glUseProgram(program);
      return program;
   }
   glDeleteProgram(program);
   return 0;
}

GLuint
shader_program(struct rules *r, const char *vertex, const char *fragment)
{
   char log[1000];
   GLuint program = shader_try_program(vertex, fragment, log, sizeof(log));
   if (!program)
      rules_fail(r, "%s\n%s\ndoes not compile or link: %s", vertex, fragment, log);
   return program;
}

void
shader_uniform(GLuint program, const char *name, int columns, int rows, const float *numbers,
               const GLint *whole)
{
   static void (*const set_float[])(
      GLint, GLsizei, const GLfloat *) = { glUniform1fv, glUniform2fv, glUniform3fv, glUniform4fv };
   static void (*const set_int[])(GLint, GLsizei, const GLint *) = { glUniform1iv, glUniform2iv,
                                                                     glUniform3iv, glUniform4iv };
   static void (*const set_matrix[])(GLint, GLsizei, GLboolean,
                                     const GLfloat *) = { glUniformMatrix2fv, glUniformMatrix3fv,
                                                          glUniformMatrix4fv };
   const GLint location = glGetUniformLocation(program, name);
   if (columns > 1)
      set_matrix[columns - 2](location, 1, GL_FALSE, numbers);
   else if (numbers)
      set_float[rows - 1](location, 1, numbers);
   else
      set_int[rows - 1](location, 1, whole);
}

void
shader_set_uniforms(const struct glsl_program *p, GLuint program)
{
   for (int i = 0; i < p->variables; i++) {
      const struct glsl_variable *v = &p->variable[i];
      if (v->storage != GLSL_UNIFORM)
         continue;
      for (int k = 0; k < (v->length ? v->length : 1); k++) {
         char name[40], index[16] = "";
         float numbers[16];
         GLint whole[16];
         if (v->length)
            snprintf(index, sizeof(index), "[%d]", k);
         snprintf(name, sizeof(name), "%s%s%s", v->name, index, v->suffix);
         for (int c = 0; c < glsl_components(v->type); c++) {
            numbers[c] = p->initial[v->memory + k * glsl_components(v->type) + c];
            whole[c] = numbers[c];
         }
         shader_uniform(program, name, v->type.columns, v->type.rows,
                        v->type.base == GLSL_FLOAT ? numbers : NULL, whole);
      }
   }
}

void
shader_draw_rectangle(void)
{
   static const float positions[3][4] = { { -1, -1, 0, 1 }, { 3, -1, 0, 1 }, { -1, 3, 0, 1 } };
   glVertexAttribPointer(PLACE, 4, GL_FLOAT, GL_FALSE, 0, positions);
   glVertexAttribPointer(POSITION, 4, GL_FLOAT, GL_FALSE, 0, positions);
   glDrawArrays(GL_TRIANGLES, 0, 3);
   no_error("drawing");
}

void
shader_draw_places(int width_px, int height_px)
{
   const int count = width_px * height_px;
   float(*vertices)[6] = malloc((size_t)count * sizeof(*vertices));
   for (int i = 0; i < count; i++) {
      const int x = i % width_px, y = i / width_px;
      float *v = vertices[i];
      v[0] = (float)x;
      v[1] = (float)y;
      v[2] = (2 * x + 1.0f) / width_px - 1;
      v[3] = (2 * y + 1.0f) / height_px - 1;
      v[4] = 0;
      v[5] = 1;
   }
   glVertexAttribPointer(PLACE, 2, GL_FLOAT, GL_FALSE, sizeof(*vertices), vertices[0]);
   glVertexAttribPointer(POSITION, 4, GL_FLOAT, GL_FALSE, sizeof(*vertices), vertices[0] + 2);
   glDrawArrays(GL_POINTS, 0, count);
   no_error("drawing");
   free(vertices);
}
