/* SPDX-License-Identifier: MIT
 *
 * Calls of OpenGL ES 2.0 that are wrong, by the chapters of its specification, and the error that
 * each gives. A call that is wrong does nothing: what it would have changed is looked at where that
 * can be asked.
 */
#include "api_rules.h"
#include "texture_draw.h"

#include <stdlib.h>
#include <string.h>

#define SIZE_PX 8

void
expect_error(const struct rules *r, GLenum wanted, const char *call)
{
   const GLenum error = glGetError();
   if (error != wanted)
      rules_fail(r, "%s gives 0x%04x, not 0x%04x", call, error, wanted);
}

static const GLenum faces_and_2d[] = { GL_TEXTURE_2D,
                                       GL_TEXTURE_CUBE_MAP_POSITIVE_X,
                                       GL_TEXTURE_CUBE_MAP_NEGATIVE_X,
                                       GL_TEXTURE_CUBE_MAP_POSITIVE_Y,
                                       GL_TEXTURE_CUBE_MAP_NEGATIVE_Y,
                                       GL_TEXTURE_CUBE_MAP_POSITIVE_Z,
                                       GL_TEXTURE_CUBE_MAP_NEGATIVE_Z };

GLint
level_limit(GLenum target)
{
   const GLenum name = target == GL_TEXTURE_2D       ? GL_MAX_TEXTURE_SIZE
                       : target == GL_TEXTURE_3D_OES ? GL_MAX_3D_TEXTURE_SIZE_OES
                                                     : GL_MAX_CUBE_MAP_TEXTURE_SIZE;
   GLint size_px = 0, levels = 0;
   glGetIntegerv(name, &size_px);
   while (size_px >> levels)
      levels++;
   return levels;
}

static GLint
limit(GLenum name)
{
   GLint value = 0;
   glGetIntegerv(name, &value);
   return value;
}

/* ------------------------------------------------------------------------- 2: vertices, buffers */

static void
wrong_arrays(struct rules *r)
{
   static const float numbers[4] = { 0 };
   const GLuint end = (GLuint)limit(GL_MAX_VERTEX_ATTRIBS);
   float value[4];
   GLint whole[4];
   void *pointer;
   GIVES(GL_INVALID_VALUE, glVertexAttrib1f(end, 1));
   GIVES(GL_INVALID_VALUE, glVertexAttrib2f(end, 1, 1));
   GIVES(GL_INVALID_VALUE, glVertexAttrib3f(end, 1, 1, 1));
   GIVES(GL_INVALID_VALUE, glVertexAttrib4f(end, 1, 1, 1, 1));
   GIVES(GL_INVALID_VALUE, glVertexAttrib1fv(end, numbers));
   GIVES(GL_INVALID_VALUE, glVertexAttrib2fv(end, numbers));
   GIVES(GL_INVALID_VALUE, glVertexAttrib3fv(end, numbers));
   GIVES(GL_INVALID_VALUE, glVertexAttrib4fv(end, numbers));
   GIVES(GL_INVALID_ENUM, glVertexAttribPointer(0, 1, 0, GL_TRUE, 0, NULL));
   GIVES(GL_INVALID_ENUM, glVertexAttribPointer(0, 4, GL_INT, GL_TRUE, 0, NULL));
   GIVES(GL_INVALID_VALUE, glVertexAttribPointer(end, 1, GL_BYTE, GL_TRUE, 0, NULL));
   GIVES(GL_INVALID_VALUE, glVertexAttribPointer(0, 0, GL_BYTE, GL_TRUE, 0, NULL));
   GIVES(GL_INVALID_VALUE, glVertexAttribPointer(0, 5, GL_BYTE, GL_TRUE, 0, NULL));
   GIVES(GL_INVALID_VALUE, glVertexAttribPointer(0, 1, GL_BYTE, GL_TRUE, -1, NULL));
   GIVES(GL_INVALID_VALUE, glEnableVertexAttribArray(end));
   GIVES(GL_INVALID_VALUE, glDisableVertexAttribArray(end));
   GIVES(GL_INVALID_VALUE, glGetVertexAttribfv(end, GL_VERTEX_ATTRIB_ARRAY_SIZE, value));
   GIVES(GL_INVALID_VALUE, glGetVertexAttribiv(end, GL_VERTEX_ATTRIB_ARRAY_SIZE, whole));
   GIVES(GL_INVALID_ENUM, glGetVertexAttribfv(0, NO_ENUM, value));
   GIVES(GL_INVALID_ENUM, glGetVertexAttribiv(0, NO_ENUM, whole));
   GIVES(GL_INVALID_VALUE,
         glGetVertexAttribPointerv(end, GL_VERTEX_ATTRIB_ARRAY_POINTER, &pointer));
   GIVES(GL_INVALID_ENUM, glGetVertexAttribPointerv(0, NO_ENUM, &pointer));
   GIVES(GL_INVALID_ENUM, glGetVertexAttribPointerv(0, GL_VERTEX_ATTRIB_ARRAY_SIZE, &pointer));
   glGetVertexAttribiv(0, GL_VERTEX_ATTRIB_ARRAY_SIZE, whole);
   if (whole[0] != 4)
      rules_fail(r, "a wrong glVertexAttribPointer made an array's size %d", whole[0]);
}

static void
wrong_draws(struct rules *r)
{
   static const GLubyte indices[3] = { 0 };
   struct target target = target_create(SIZE_PX, SIZE_PX);
   GIVES(GL_INVALID_ENUM, glDrawArrays(NO_ENUM, 0, 1));
   GIVES(GL_INVALID_ENUM, glDrawArrays(GL_TRIANGLE_FAN + 1, 0, 1));
   GIVES(GL_INVALID_VALUE, glDrawArrays(GL_TRIANGLES, 0, -1));
   GIVES(GL_INVALID_ENUM, glDrawElements(NO_ENUM, 1, GL_UNSIGNED_BYTE, indices));
   GIVES(GL_INVALID_ENUM, glDrawElements(GL_TRIANGLES, 1, NO_ENUM, indices));
   GIVES(GL_INVALID_ENUM, glDrawElements(GL_TRIANGLES, 1, GL_BYTE, indices));
   GIVES(GL_INVALID_ENUM, glDrawElements(GL_TRIANGLES, 1, GL_FLOAT, indices));
   GIVES(GL_INVALID_VALUE, glDrawElements(GL_TRIANGLES, -1, GL_UNSIGNED_BYTE, indices));
   GLuint framebuffer; /* without attachments */
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   GIVES(GL_INVALID_FRAMEBUFFER_OPERATION, glDrawArrays(GL_TRIANGLES, 0, 3));
   GIVES(GL_INVALID_FRAMEBUFFER_OPERATION,
         glDrawElements(GL_TRIANGLES, 3, GL_UNSIGNED_BYTE, indices));
   GIVES(GL_INVALID_FRAMEBUFFER_OPERATION, glClear(GL_COLOR_BUFFER_BIT));
   glDeleteFramebuffers(1, &framebuffer);
   target_delete(&target);
   GIVES(GL_INVALID_VALUE, glLineWidth(0));
   GIVES(GL_INVALID_VALUE, glLineWidth(-1));
   GIVES(GL_INVALID_ENUM, glCullFace(NO_ENUM));
   GIVES(GL_INVALID_ENUM, glFrontFace(NO_ENUM));
   GIVES(GL_INVALID_VALUE, glViewport(0, 0, -1, 1));
   GIVES(GL_INVALID_VALUE, glViewport(0, 0, 1, -1));
}

static void
wrong_buffers(struct rules *r)
{
   GLuint buffer;
   GLint value;
   GIVES(GL_INVALID_VALUE, glGenBuffers(-1, &buffer));
   GIVES(GL_INVALID_VALUE, glDeleteBuffers(-1, &buffer));
   GIVES(GL_INVALID_ENUM, glBindBuffer(NO_ENUM, 0));
   GIVES(GL_INVALID_ENUM, glBufferData(NO_ENUM, 0, NULL, GL_STREAM_DRAW));
   GIVES(GL_INVALID_OPERATION, glBufferData(GL_ARRAY_BUFFER, 0, NULL, GL_STREAM_DRAW));
   GIVES(GL_INVALID_OPERATION, glBufferSubData(GL_ARRAY_BUFFER, 0, 1, "x"));
   GIVES(GL_INVALID_OPERATION, glGetBufferParameteriv(GL_ARRAY_BUFFER, GL_BUFFER_SIZE, &value));
   glGenBuffers(1, &buffer);
   if (glIsBuffer(buffer))
      rules_fail(r, "a buffer is there before it is bound");
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   GIVES(GL_INVALID_ENUM, glBufferData(GL_ARRAY_BUFFER, 0, NULL, NO_ENUM));
   GIVES(GL_INVALID_ENUM, glBufferData(GL_ARRAY_BUFFER, 0, NULL, GL_STREAM_DRAW + 1));
   GIVES(GL_INVALID_VALUE, glBufferData(GL_ARRAY_BUFFER, -1, NULL, GL_STREAM_DRAW));
   glBufferData(GL_ARRAY_BUFFER, 10, NULL, GL_STREAM_DRAW);
   GIVES(GL_INVALID_ENUM, glBufferSubData(NO_ENUM, 0, 1, "x"));
   GIVES(GL_INVALID_VALUE, glBufferSubData(GL_ARRAY_BUFFER, -1, 1, "x"));
   GIVES(GL_INVALID_VALUE, glBufferSubData(GL_ARRAY_BUFFER, 0, -1, "x"));
   GIVES(GL_INVALID_VALUE, glBufferSubData(GL_ARRAY_BUFFER, 10, 1, "x"));
   GIVES(GL_INVALID_VALUE, glBufferSubData(GL_ARRAY_BUFFER, 5, 6, "123456"));
   GIVES(GL_INVALID_ENUM, glGetBufferParameteriv(NO_ENUM, GL_BUFFER_SIZE, &value));
   GIVES(GL_INVALID_ENUM, glGetBufferParameteriv(GL_ARRAY_BUFFER, NO_ENUM, &value));
   GIVES(GL_NO_ERROR, glGetBufferParameteriv(GL_ARRAY_BUFFER, GL_BUFFER_SIZE, &value));
   if (value != 10)
      rules_fail(r, "wrong calls made a buffer's size %d", value);
   GIVES(GL_NO_ERROR, glDeleteBuffers(1, &buffer));
   GIVES(GL_NO_ERROR, glDeleteBuffers(2, (const GLuint[]){ 0, NO_NAME }));
}

/* -------------------------------------------------------------------------------- 2.10: shaders */

/* A call of `name` where that is no object, then where it is one of the other kind. */
#define WRONG_OBJECTS(other, call) \
   do { \
      GLuint name = NO_NAME; \
      GIVES(GL_INVALID_VALUE, call); \
      name = (other); \
      GIVES(GL_INVALID_OPERATION, call); \
   } while (0)

static void
wrong_shaders(struct rules *r)
{
   static const char *const source = "void main() { gl_Position = vec4(0.0); }";
   const GLuint shader = glCreateShader(GL_VERTEX_SHADER), other = glCreateShader(GL_VERTEX_SHADER),
                program = glCreateProgram();
   GLint value, range[2];
   GLsizei length;
   char text[10];
   GIVES(GL_INVALID_ENUM, glCreateShader(NO_ENUM));
   WRONG_OBJECTS(program, glShaderSource(name, 1, &source, NULL));
   GIVES(GL_INVALID_VALUE, glShaderSource(shader, -1, &source, NULL));
   WRONG_OBJECTS(program, glCompileShader(name));
   WRONG_OBJECTS(program, glDeleteShader(name));
   GIVES(GL_NO_ERROR, glDeleteShader(0));
   WRONG_OBJECTS(shader, glDeleteProgram(name));
   GIVES(GL_NO_ERROR, glDeleteProgram(0));
   GIVES(GL_INVALID_ENUM, glShaderBinary(1, &shader, NO_ENUM, "x", 1));
   WRONG_OBJECTS(program, glGetShaderiv(name, GL_SHADER_TYPE, &value));
   GIVES(GL_INVALID_ENUM, glGetShaderiv(shader, NO_ENUM, &value));
   WRONG_OBJECTS(program, glGetShaderInfoLog(name, 10, &length, text));
   GIVES(GL_INVALID_VALUE, glGetShaderInfoLog(shader, -1, &length, text));
   WRONG_OBJECTS(program, glGetShaderSource(name, 10, &length, text));
   GIVES(GL_INVALID_VALUE, glGetShaderSource(shader, -1, &length, text));
   GIVES(GL_INVALID_ENUM, glGetShaderPrecisionFormat(NO_ENUM, GL_LOW_FLOAT, range, &value));
   GIVES(GL_INVALID_ENUM, glGetShaderPrecisionFormat(GL_VERTEX_SHADER, NO_ENUM, range, &value));
   WRONG_OBJECTS(shader, glAttachShader(name, shader));
   WRONG_OBJECTS(program, glAttachShader(program, name));
   GIVES(GL_INVALID_OPERATION, glDetachShader(program, shader));
   GIVES(GL_NO_ERROR, glAttachShader(program, shader));
   GIVES(GL_INVALID_OPERATION, glAttachShader(program, shader));
   /* one shader of a type only: section 2.10.3 */
   GIVES(GL_INVALID_OPERATION, glAttachShader(program, other));
   WRONG_OBJECTS(shader, glDetachShader(name, shader));
   WRONG_OBJECTS(program, glDetachShader(program, name));
   glDeleteShader(shader);
   glDeleteShader(other);
   glDeleteProgram(program);
}

static void
wrong_programs(struct rules *r)
{
   const GLuint shader = glCreateShader(GL_VERTEX_SHADER), empty = glCreateProgram();
   const GLuint program = program_create(plain_vertex, plain_fragment);
   GLint value, attributes, uniforms;
   GLsizei length;
   GLuint shaders[2];
   GLenum type;
   char text[10];
   glGetProgramiv(program, GL_ACTIVE_ATTRIBUTES, &attributes);
   glGetProgramiv(program, GL_ACTIVE_UNIFORMS, &uniforms);
   WRONG_OBJECTS(shader, glLinkProgram(name));
   WRONG_OBJECTS(shader, glUseProgram(name));
   GIVES(GL_INVALID_OPERATION, glUseProgram(empty));
   if (limit(GL_CURRENT_PROGRAM) != (GLint)program)
      rules_fail(r, "a wrong glUseProgram made program %d current", limit(GL_CURRENT_PROGRAM));
   WRONG_OBJECTS(shader, glValidateProgram(name));
   WRONG_OBJECTS(shader, glGetProgramiv(name, GL_LINK_STATUS, &value));
   GIVES(GL_INVALID_ENUM, glGetProgramiv(program, NO_ENUM, &value));
   WRONG_OBJECTS(shader, glGetProgramInfoLog(name, 10, &length, text));
   GIVES(GL_INVALID_VALUE, glGetProgramInfoLog(program, -1, &length, text));
   WRONG_OBJECTS(shader, glGetAttachedShaders(name, 2, &length, shaders));
   GIVES(GL_INVALID_VALUE, glGetAttachedShaders(program, -1, &length, shaders));
   GIVES(GL_INVALID_VALUE,
         glBindAttribLocation(program, (GLuint)limit(GL_MAX_VERTEX_ATTRIBS), "a"));
   GIVES(GL_INVALID_OPERATION, glBindAttribLocation(program, 0, "gl_a"));
   WRONG_OBJECTS(shader, glBindAttribLocation(name, 0, "a"));
   WRONG_OBJECTS(shader, glGetAttribLocation(name, "a"));
   GIVES(GL_INVALID_OPERATION, glGetAttribLocation(empty, "a"));
   WRONG_OBJECTS(shader, glGetUniformLocation(name, "a"));
   GIVES(GL_INVALID_OPERATION, glGetUniformLocation(empty, "a"));
   WRONG_OBJECTS(shader, glGetActiveAttrib(name, 0, 10, &length, &value, &type, text));
   GIVES(GL_INVALID_VALUE,
         glGetActiveAttrib(program, (GLuint)attributes, 10, &length, &value, &type, text));
   GIVES(GL_INVALID_VALUE, glGetActiveAttrib(program, 0, -1, &length, &value, &type, text));
   WRONG_OBJECTS(shader, glGetActiveUniform(name, 0, 10, &length, &value, &type, text));
   GIVES(GL_INVALID_VALUE,
         glGetActiveUniform(program, (GLuint)uniforms, 10, &length, &value, &type, text));
   GIVES(GL_INVALID_VALUE, glGetActiveUniform(empty, 0, 10, &length, &value, &type, text));
   glUseProgram(0);
   GIVES(GL_INVALID_OPERATION, glUniform1f(0, 1));
   GIVES(GL_INVALID_OPERATION, glUniform1f(-1, 1));
   glDeleteShader(shader);
   glDeleteProgram(empty);
   glDeleteProgram(program);
}

/* -------------------------------------------------------------------------------- 3.7: textures */

static void
wrong_texture_state(struct rules *r)
{
   GLuint names[2];
   GLfloat real[4];
   GLint whole[4];
   GIVES(GL_INVALID_VALUE, glGenTextures(-1, names));
   GIVES(GL_INVALID_VALUE, glDeleteTextures(-1, names));
   GIVES(GL_INVALID_ENUM, glActiveTexture(NO_ENUM));
   GIVES(GL_INVALID_ENUM, glActiveTexture(GL_TEXTURE0 - 1));
   GIVES(GL_INVALID_ENUM,
         glActiveTexture((GLenum)(GL_TEXTURE0 + limit(GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS))));
   glGenTextures(2, names);
   glBindTexture(GL_TEXTURE_2D, names[0]);
   glBindTexture(GL_TEXTURE_CUBE_MAP, names[1]);
   GIVES(GL_INVALID_ENUM, glBindTexture(NO_ENUM, 1));
   GIVES(GL_INVALID_ENUM, glBindTexture(GL_FRAMEBUFFER, 1));
   GIVES(GL_INVALID_OPERATION, glBindTexture(GL_TEXTURE_2D, names[1]));
   GIVES(GL_INVALID_OPERATION, glBindTexture(GL_TEXTURE_CUBE_MAP, names[0]));
   GIVES(GL_INVALID_ENUM, glTexParameteri(NO_ENUM, GL_TEXTURE_MIN_FILTER, GL_LINEAR));
   GIVES(GL_INVALID_ENUM,
         glTexParameteri(GL_TEXTURE_CUBE_MAP_POSITIVE_X, GL_TEXTURE_MIN_FILTER, GL_LINEAR));
   GIVES(GL_INVALID_ENUM, glTexParameteri(GL_TEXTURE_2D, NO_ENUM, GL_LINEAR));
   GIVES(GL_INVALID_ENUM, glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, NO_ENUM));
   GIVES(GL_INVALID_ENUM, glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_REPEAT));
   GIVES(GL_INVALID_ENUM, glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST_MIPMAP_NEAREST));
   GIVES(GL_INVALID_ENUM, glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, 0x2900 /* GL_CLAMP of OpenGL */));
   GIVES(GL_INVALID_ENUM, glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_LINEAR));
   GIVES(GL_INVALID_ENUM, glTexParameterf(GL_TEXTURE_2D, NO_ENUM, GL_LINEAR));
   GIVES(GL_INVALID_ENUM, glTexParameterf(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_WRAP_S, -1));
   GIVES(GL_INVALID_ENUM,
         glTexParameterfv(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, (const GLfloat[]){ GL_NEAREST }));
   GIVES(GL_INVALID_ENUM,
         glTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, (const GLint[]){ GL_REPEAT }));
   GIVES(GL_INVALID_ENUM, glGetTexParameterfv(NO_ENUM, GL_TEXTURE_MAG_FILTER, real));
   GIVES(GL_INVALID_ENUM, glGetTexParameterfv(GL_TEXTURE_2D, NO_ENUM, real));
   GIVES(GL_INVALID_ENUM, glGetTexParameteriv(NO_ENUM, GL_TEXTURE_MAG_FILTER, whole));
   GIVES(GL_INVALID_ENUM, glGetTexParameteriv(GL_TEXTURE_2D, NO_ENUM, whole));
   for (GLenum name = GL_TEXTURE_MAG_FILTER; name <= GL_TEXTURE_WRAP_T; name++) {
      static const GLint first[] = { GL_LINEAR, GL_NEAREST_MIPMAP_LINEAR, GL_REPEAT, GL_REPEAT };
      GIVES(GL_NO_ERROR, glGetTexParameteriv(GL_TEXTURE_2D, name, whole));
      if (whole[0] != first[name - GL_TEXTURE_MAG_FILTER])
         rules_fail(r, "wrong glTexParameter made the parameter 0x%04x of a texture 0x%04x", name,
                    whole[0]);
   }
   GIVES(GL_INVALID_ENUM, glGenerateMipmap(NO_ENUM));
   GIVES(GL_INVALID_OPERATION, glGenerateMipmap(GL_TEXTURE_CUBE_MAP)); /* not cube complete */
   GIVES(GL_INVALID_ENUM, glPixelStorei(NO_ENUM, 1));
   GIVES(GL_INVALID_VALUE, glPixelStorei(GL_PACK_ALIGNMENT, 0));
   GIVES(GL_INVALID_VALUE, glPixelStorei(GL_UNPACK_ALIGNMENT, 0));
   GIVES(GL_INVALID_VALUE, glPixelStorei(GL_PACK_ALIGNMENT, 3));
   GIVES(GL_INVALID_VALUE, glPixelStorei(GL_UNPACK_ALIGNMENT, 16));
   glDeleteTextures(2, names);
}

static void
wrong_tex_image(struct rules *r)
{
   for (size_t i = 0; i < sizeof(faces_and_2d) / sizeof(faces_and_2d[0]); i++) {
      const GLenum t = faces_and_2d[i], base = i ? GL_TEXTURE_CUBE_MAP : GL_TEXTURE_2D;
      const GLint levels = level_limit(t), over_px = 1 << levels;
      GLuint name;
      glGenTextures(1, &name);
      glBindTexture(base, name);
      GIVES(GL_INVALID_ENUM, glTexImage2D(t, 0, GL_RGBA, 4, 4, 0, GL_RGBA, NO_ENUM, NULL));
      GIVES(GL_INVALID_ENUM, glTexImage2D(t, 0, GL_RGBA, 4, 4, 0, NO_ENUM, GL_UNSIGNED_BYTE, NULL));
      GIVES(GL_INVALID_VALUE, glTexImage2D(t, 0, NO_ENUM, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL));
      GIVES(GL_INVALID_OPERATION, glTexImage2D(t, 0, GL_RGB, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL));
      GIVES(GL_INVALID_OPERATION, glTexImage2D(t, 0, GL_RGBA, 4, 4, 0, GL_RGB, GL_UNSIGNED_BYTE, NULL));
      GIVES(GL_INVALID_OPERATION, glTexImage2D(t, 0, GL_RGBA, 4, 4, 0, GL_ALPHA, GL_UNSIGNED_BYTE, NULL));
      GIVES(GL_INVALID_OPERATION, glTexImage2D(t, 0, GL_RGBA, 4, 4, 0, GL_RGBA, GL_UNSIGNED_SHORT_5_6_5, NULL));
      GIVES(GL_INVALID_OPERATION, glTexImage2D(t, 0, GL_RGB, 4, 4, 0, GL_RGB, GL_UNSIGNED_SHORT_4_4_4_4, NULL));
      GIVES(GL_INVALID_OPERATION, glTexImage2D(t, 0, GL_RGB, 4, 4, 0, GL_RGB, GL_UNSIGNED_SHORT_5_5_5_1, NULL));
      GIVES(GL_INVALID_OPERATION, glTexImage2D(t, 0, GL_ALPHA, 4, 4, 0, GL_ALPHA, GL_UNSIGNED_SHORT_5_5_5_1, NULL));
      GIVES(GL_INVALID_VALUE, glTexImage2D(t, -1, GL_RGBA, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL));
      GIVES(GL_INVALID_VALUE, glTexImage2D(t, levels, GL_RGBA, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL));
      GIVES(GL_INVALID_VALUE, glTexImage2D(t, 0, GL_RGBA, -1, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL));
      GIVES(GL_INVALID_VALUE, glTexImage2D(t, 0, GL_RGBA, 4, -1, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL));
      GIVES(GL_INVALID_VALUE, glTexImage2D(t, 0, GL_RGBA, over_px, i ? over_px : 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL));
      GIVES(GL_INVALID_VALUE, glTexImage2D(t, 0, GL_RGBA, i ? over_px : 1, over_px, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL));
      GIVES(GL_INVALID_VALUE, glTexImage2D(t, levels - 1, GL_RGBA, 2, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL));
      GIVES(GL_INVALID_VALUE, glTexImage2D(t, 0, GL_RGBA, 4, 4, 1, GL_RGBA, GL_UNSIGNED_BYTE, NULL));
      GIVES(GL_INVALID_VALUE, glTexImage2D(t, 0, GL_RGBA, 4, 4, -1, GL_RGBA, GL_UNSIGNED_BYTE, NULL));
      if (i)
         GIVES(GL_INVALID_VALUE,
               glTexImage2D(t, 0, GL_RGBA, 4, 5, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL));
      /* not there yet */
      GIVES(GL_INVALID_OPERATION,
            glTexSubImage2D(t, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, "1234"));
      glTexImage2D(t, 0, GL_RGBA, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
      GIVES(GL_INVALID_ENUM, glTexSubImage2D(t, 0, 0, 0, 1, 1, NO_ENUM, GL_UNSIGNED_BYTE, "1234"));
      GIVES(GL_INVALID_ENUM, glTexSubImage2D(t, 0, 0, 0, 1, 1, GL_RGBA, NO_ENUM, "1234"));
      GIVES(GL_INVALID_OPERATION, glTexSubImage2D(t, 0, 0, 0, 1, 1, GL_RGB, GL_UNSIGNED_BYTE, "1234"));
      GIVES(GL_INVALID_OPERATION, glTexSubImage2D(t, 0, 0, 0, 1, 1, GL_LUMINANCE_ALPHA, GL_UNSIGNED_BYTE, "1234"));
      GIVES(GL_INVALID_OPERATION, glTexSubImage2D(t, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_SHORT_5_6_5, "1234"));
      GIVES(GL_INVALID_VALUE, glTexSubImage2D(t, -1, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, "1234"));
      GIVES(GL_INVALID_VALUE, glTexSubImage2D(t, levels, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, "1234"));
      GIVES(GL_INVALID_VALUE, glTexSubImage2D(t, 0, -1, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, "1234"));
      GIVES(GL_INVALID_VALUE, glTexSubImage2D(t, 0, 0, -1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, "1234"));
      GIVES(GL_INVALID_VALUE, glTexSubImage2D(t, 0, 4, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, "1234"));
      GIVES(GL_INVALID_VALUE, glTexSubImage2D(t, 0, 0, 4, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, "1234"));
      GIVES(GL_INVALID_VALUE,
            glTexSubImage2D(t, 0, 0, 0, -1, 1, GL_RGBA, GL_UNSIGNED_BYTE, "1234"));
      GIVES(GL_INVALID_VALUE,
            glTexSubImage2D(t, 0, 0, 0, 1, -1, GL_RGBA, GL_UNSIGNED_BYTE, "1234"));
      GIVES(GL_INVALID_OPERATION,
            glTexSubImage2D(t, 1, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, "1234"));
      GIVES(GL_NO_ERROR, glTexSubImage2D(t, 0, 4, 4, 0, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL));
      glDeleteTextures(1, &name);
   }
   GIVES(GL_INVALID_ENUM, glTexImage2D(NO_ENUM, 0, GL_RGBA, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL));
   GIVES(GL_INVALID_ENUM, glTexImage2D(GL_TEXTURE_CUBE_MAP, 0, GL_RGBA, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL));
   GIVES(GL_INVALID_ENUM, glTexSubImage2D(NO_ENUM, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, "1234"));
   GIVES(GL_INVALID_ENUM, glTexSubImage2D(GL_TEXTURE_CUBE_MAP, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, "1234"));
}

static void
wrong_copy_image(struct rules *r)
{
   struct target rgb = { .width_px = SIZE_PX, .height_px = SIZE_PX };
   glGenRenderbuffers(1, &rgb.colour);
   glBindRenderbuffer(GL_RENDERBUFFER, rgb.colour);
   glRenderbufferStorage(GL_RENDERBUFFER, GL_RGB565, SIZE_PX, SIZE_PX);
   for (size_t i = 0; i < sizeof(faces_and_2d) / sizeof(faces_and_2d[0]); i++) {
      const GLenum t = faces_and_2d[i], base = i ? GL_TEXTURE_CUBE_MAP : GL_TEXTURE_2D;
      const GLint levels = level_limit(t), over_px = 1 << levels;
      struct target target = target_create(SIZE_PX, SIZE_PX);
      GLuint name;
      glGenTextures(1, &name);
      glBindTexture(base, name);
      GIVES(GL_INVALID_OPERATION, glCopyTexSubImage2D(t, 0, 0, 0, 0, 0, 1, 1)); /* not there yet */
      GIVES(GL_INVALID_ENUM, glCopyTexImage2D(t, 0, NO_ENUM, 0, 0, 4, 4, 0));
      GIVES(GL_INVALID_VALUE, glCopyTexImage2D(t, -1, GL_RGBA, 0, 0, 4, 4, 0));
      GIVES(GL_INVALID_VALUE, glCopyTexImage2D(t, levels, GL_RGBA, 0, 0, 1, 1, 0));
      GIVES(GL_INVALID_VALUE, glCopyTexImage2D(t, 0, GL_RGBA, 0, 0, -1, 1, 0));
      GIVES(GL_INVALID_VALUE, glCopyTexImage2D(t, 0, GL_RGBA, 0, 0, 1, -1, 0));
      GIVES(GL_INVALID_VALUE, glCopyTexImage2D(t, 0, GL_RGBA, 0, 0, over_px, i ? over_px : 1, 0));
      GIVES(GL_INVALID_VALUE, glCopyTexImage2D(t, 0, GL_RGBA, 0, 0, 4, 4, 1));
      if (i)
         GIVES(GL_INVALID_VALUE, glCopyTexImage2D(t, 0, GL_RGBA, 0, 0, 4, 5, 0));
      GIVES(GL_NO_ERROR, glCopyTexImage2D(t, 0, GL_RGBA, 0, 0, 4, 4, 0));
      GIVES(GL_INVALID_VALUE, glCopyTexSubImage2D(t, -1, 0, 0, 0, 0, 1, 1));
      GIVES(GL_INVALID_VALUE, glCopyTexSubImage2D(t, levels, 0, 0, 0, 0, 1, 1));
      GIVES(GL_INVALID_VALUE, glCopyTexSubImage2D(t, 0, -1, 0, 0, 0, 1, 1));
      GIVES(GL_INVALID_VALUE, glCopyTexSubImage2D(t, 0, 0, -1, 0, 0, 1, 1));
      GIVES(GL_INVALID_VALUE, glCopyTexSubImage2D(t, 0, 1, 0, 0, 0, 4, 1));
      GIVES(GL_INVALID_VALUE, glCopyTexSubImage2D(t, 0, 0, 1, 0, 0, 1, 4));
      GIVES(GL_INVALID_VALUE, glCopyTexSubImage2D(t, 0, 0, 0, 0, 0, -1, 1));
      GIVES(GL_INVALID_VALUE, glCopyTexSubImage2D(t, 0, 0, 0, 0, 0, 1, -1));
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, rgb.colour);
      /* table 3.9: no alpha where the frame buffer has none */
      GIVES(GL_INVALID_OPERATION, glCopyTexImage2D(t, 0, GL_RGBA, 0, 0, 4, 4, 0));
      GIVES(GL_INVALID_OPERATION, glCopyTexImage2D(t, 0, GL_ALPHA, 0, 0, 4, 4, 0));
      GIVES(GL_INVALID_OPERATION, glCopyTexImage2D(t, 0, GL_LUMINANCE_ALPHA, 0, 0, 4, 4, 0));
      GIVES(GL_INVALID_OPERATION, glCopyTexSubImage2D(t, 0, 0, 0, 0, 0, 1, 1));
      GIVES(GL_NO_ERROR, glCopyTexImage2D(t, 0, GL_RGB, 0, 0, 4, 4, 0));
      GIVES(GL_NO_ERROR, glCopyTexImage2D(t, 0, GL_LUMINANCE, 0, 0, 4, 4, 0));
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, 0);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, 0);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, GL_RENDERBUFFER, 0);
      GIVES(GL_INVALID_FRAMEBUFFER_OPERATION, glCopyTexImage2D(t, 0, GL_RGBA, 0, 0, 4, 4, 0));
      GIVES(GL_INVALID_FRAMEBUFFER_OPERATION, glCopyTexSubImage2D(t, 0, 0, 0, 0, 0, 1, 1));
      target_delete(&target);
      glDeleteTextures(1, &name);
   }
   GIVES(GL_INVALID_ENUM, glCopyTexImage2D(NO_ENUM, 0, GL_RGBA, 0, 0, 4, 4, 0));
   GIVES(GL_INVALID_ENUM, glCopyTexSubImage2D(NO_ENUM, 0, 0, 0, 0, 0, 1, 1));
   glDeleteRenderbuffers(1, &rgb.colour);
}

static void
wrong_compressed_image(struct rules *r)
{
   static const char block[32];
   const GLenum etc1 = GL_ETC1_RGB8_OES, dxt1 = GL_COMPRESSED_RGB_S3TC_DXT1_EXT;
   GLuint name;
   glGenTextures(1, &name);
   glBindTexture(GL_TEXTURE_2D, name);
   GIVES(GL_INVALID_ENUM, glCompressedTexImage2D(NO_ENUM, 0, etc1, 4, 4, 0, 8, block));
   GIVES(GL_INVALID_ENUM, glCompressedTexImage2D(GL_TEXTURE_2D, 0, NO_ENUM, 4, 4, 0, 8, block));
   GIVES(GL_INVALID_ENUM, glCompressedTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 4, 4, 0, 64, block));
   GIVES(GL_INVALID_VALUE, glCompressedTexImage2D(GL_TEXTURE_2D, -1, etc1, 4, 4, 0, 8, block));
   GIVES(GL_INVALID_VALUE, glCompressedTexImage2D(GL_TEXTURE_2D, level_limit(GL_TEXTURE_2D), etc1,
                                                  4, 4, 0, 8, block));
   GIVES(GL_INVALID_VALUE, glCompressedTexImage2D(GL_TEXTURE_2D, 0, etc1, -1, 4, 0, 8, block));
   GIVES(GL_INVALID_VALUE, glCompressedTexImage2D(GL_TEXTURE_2D, 0, etc1, 4, -1, 0, 8, block));
   GIVES(GL_INVALID_VALUE, glCompressedTexImage2D(GL_TEXTURE_2D, 0, etc1, 4, 4, 1, 8, block));
   GIVES(GL_INVALID_VALUE, glCompressedTexImage2D(GL_TEXTURE_2D, 0, etc1, 4, 4, 0, 9, block));
   GIVES(GL_INVALID_VALUE, glCompressedTexImage2D(GL_TEXTURE_2D, 0, etc1, 4, 4, 0, -1, block));
   GIVES(GL_INVALID_VALUE, glCompressedTexImage2D(GL_TEXTURE_2D, 0, dxt1, 5, 4, 0, 8, block));
   GIVES(GL_NO_ERROR, glCompressedTexImage2D(GL_TEXTURE_2D, 0, etc1, 4, 4, 0, 8, block));
   if (!has_extension("GL_EXT_compressed_ETC1_RGB8_sub_texture"))
      GIVES(GL_INVALID_OPERATION,
            glCompressedTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 4, 4, etc1, 8, block));
   GIVES(GL_NO_ERROR, glCompressedTexImage2D(GL_TEXTURE_2D, 0, dxt1, 8, 8, 0, 32, block));
   GIVES(GL_INVALID_ENUM, glCompressedTexSubImage2D(NO_ENUM, 0, 0, 0, 4, 4, dxt1, 8, block));
   GIVES(GL_INVALID_VALUE,
         glCompressedTexSubImage2D(GL_TEXTURE_2D, -1, 0, 0, 4, 4, dxt1, 8, block));
   GIVES(GL_INVALID_VALUE,
         glCompressedTexSubImage2D(GL_TEXTURE_2D, 0, -4, 0, 4, 4, dxt1, 8, block));
   GIVES(GL_INVALID_VALUE, glCompressedTexSubImage2D(GL_TEXTURE_2D, 0, 8, 0, 4, 4, dxt1, 8, block));
   GIVES(GL_INVALID_VALUE,
         glCompressedTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, -4, 4, dxt1, 8, block));
   GIVES(GL_INVALID_VALUE, glCompressedTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 4, 4, dxt1, 7, block));
   GIVES(GL_INVALID_OPERATION, glCompressedTexSubImage2D(GL_TEXTURE_2D, 0, 1, 0, 4, 4, dxt1, 8, block));
   GIVES(GL_INVALID_OPERATION, glCompressedTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 3, 4, dxt1, 8, block));
   GIVES(GL_INVALID_OPERATION,
         glCompressedTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 4, 4, GL_COMPRESSED_RGBA_S3TC_DXT1_EXT, 8, block));
   glDeleteTextures(1, &name);
}

/* ------------------------------------------------------------------ 4: fragments, frame buffers */

static void
wrong_fragment_state(struct rules *r)
{
   GIVES(GL_INVALID_VALUE, glScissor(0, 0, -1, 1));
   GIVES(GL_INVALID_VALUE, glScissor(0, 0, 1, -1));
   GIVES(GL_INVALID_ENUM, glDepthFunc(NO_ENUM));
   GIVES(GL_INVALID_ENUM, glStencilFunc(NO_ENUM, 0, 1));
   GIVES(GL_INVALID_ENUM, glStencilFuncSeparate(NO_ENUM, GL_ALWAYS, 0, 1));
   GIVES(GL_INVALID_ENUM, glStencilFuncSeparate(GL_FRONT, NO_ENUM, 0, 1));
   GIVES(GL_INVALID_ENUM, glStencilMaskSeparate(NO_ENUM, 0));
   GIVES(GL_INVALID_ENUM, glStencilOp(NO_ENUM, GL_ZERO, GL_REPLACE));
   GIVES(GL_INVALID_ENUM, glStencilOp(GL_KEEP, NO_ENUM, GL_REPLACE));
   GIVES(GL_INVALID_ENUM, glStencilOp(GL_KEEP, GL_ZERO, NO_ENUM));
   GIVES(GL_INVALID_ENUM, glStencilOpSeparate(NO_ENUM, GL_KEEP, GL_ZERO, GL_REPLACE));
   GIVES(GL_INVALID_ENUM, glStencilOpSeparate(GL_BACK, NO_ENUM, GL_ZERO, GL_REPLACE));
   GIVES(GL_INVALID_ENUM, glStencilOpSeparate(GL_BACK, GL_KEEP, NO_ENUM, GL_REPLACE));
   GIVES(GL_INVALID_ENUM, glStencilOpSeparate(GL_BACK, GL_KEEP, GL_ZERO, NO_ENUM));
   GIVES(GL_INVALID_ENUM, glBlendEquation(NO_ENUM));
   GIVES(GL_INVALID_ENUM, glBlendEquationSeparate(NO_ENUM, GL_FUNC_ADD));
   GIVES(GL_INVALID_ENUM, glBlendEquationSeparate(GL_FUNC_ADD, NO_ENUM));
   GIVES(GL_INVALID_ENUM, glBlendFunc(NO_ENUM, GL_ONE));
   GIVES(GL_INVALID_ENUM, glBlendFunc(GL_ONE, NO_ENUM));
   /* a source's factor only (table 4.2), but with EXT_blend_func_extended */
   const char *extensions = (const char *)glGetString(GL_EXTENSIONS);
   GIVES(strstr(extensions, "GL_EXT_blend_func_extended") ? GL_NO_ERROR : GL_INVALID_ENUM,
         glBlendFunc(GL_ONE, GL_SRC_ALPHA_SATURATE));
   GIVES(GL_INVALID_ENUM, glBlendFuncSeparate(NO_ENUM, GL_ZERO, GL_ONE, GL_ZERO));
   GIVES(GL_INVALID_ENUM, glBlendFuncSeparate(GL_ONE, NO_ENUM, GL_ONE, GL_ZERO));
   GIVES(GL_INVALID_ENUM, glBlendFuncSeparate(GL_ONE, GL_ZERO, NO_ENUM, GL_ZERO));
   GIVES(GL_INVALID_ENUM, glBlendFuncSeparate(GL_ONE, GL_ZERO, GL_ONE, NO_ENUM));
   GIVES(GL_INVALID_VALUE, glClear(NO_ENUM));
   GIVES(GL_INVALID_VALUE, glClear(0x0200 /* GL_ACCUM_BUFFER_BIT of OpenGL */));
   GIVES(GL_INVALID_ENUM, glEnable(NO_ENUM));
   GIVES(GL_INVALID_ENUM, glDisable(NO_ENUM));
   GIVES(GL_INVALID_ENUM, glEnable(GL_TEXTURE_2D)); /* of OpenGL ES 1 */
   GIVES(GL_INVALID_ENUM, glIsEnabled(NO_ENUM));
   GIVES(GL_INVALID_ENUM, glHint(NO_ENUM, GL_NICEST));
   GIVES(GL_INVALID_ENUM, glHint(GL_GENERATE_MIPMAP_HINT, NO_ENUM));
   GIVES(GL_INVALID_ENUM, glGetString(NO_ENUM));
   GLboolean truth[16];
   GLfloat real[16];
   GLint whole[16];
   GIVES(GL_INVALID_ENUM, glGetBooleanv(NO_ENUM, truth));
   GIVES(GL_INVALID_ENUM, glGetFloatv(NO_ENUM, real));
   GIVES(GL_INVALID_ENUM, glGetIntegerv(NO_ENUM, whole));
}

static void
wrong_read_pixels(struct rules *r)
{
   struct target target = target_create(SIZE_PX, SIZE_PX);
   uint8_t pixels[4 * SIZE_PX * SIZE_PX];
   GIVES(GL_INVALID_ENUM, glReadPixels(0, 0, 1, 1, NO_ENUM, GL_UNSIGNED_BYTE, pixels));
   GIVES(GL_INVALID_ENUM, glReadPixels(0, 0, 1, 1, GL_RGBA, NO_ENUM, pixels));
   GIVES(GL_INVALID_OPERATION, glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_SHORT_5_6_5, pixels));
   GIVES(GL_INVALID_VALUE, glReadPixels(0, 0, -1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixels));
   GIVES(GL_INVALID_VALUE, glReadPixels(0, 0, 1, -1, GL_RGBA, GL_UNSIGNED_BYTE, pixels));
   target_delete(&target);
   GLuint framebuffer;
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   GIVES(GL_INVALID_FRAMEBUFFER_OPERATION,
         glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixels));
   glDeleteFramebuffers(1, &framebuffer);
}

static void
wrong_renderbuffers(struct rules *r)
{
   const GLint over_px = limit(GL_MAX_RENDERBUFFER_SIZE) + 1;
   GLuint name;
   GLint value;
   GIVES(GL_INVALID_VALUE, glGenRenderbuffers(-1, &name));
   GIVES(GL_INVALID_VALUE, glDeleteRenderbuffers(-1, &name));
   GIVES(GL_INVALID_ENUM, glBindRenderbuffer(NO_ENUM, 0));
   /* none is bound */
   GIVES(GL_INVALID_OPERATION, glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA4, 1, 1));
   GIVES(GL_INVALID_OPERATION,
         glGetRenderbufferParameteriv(GL_RENDERBUFFER, GL_RENDERBUFFER_WIDTH, &value));
   glGenRenderbuffers(1, &name);
   glBindRenderbuffer(GL_RENDERBUFFER, name);
   GIVES(GL_INVALID_ENUM, glRenderbufferStorage(NO_ENUM, GL_RGBA4, 1, 1));
   GIVES(GL_INVALID_ENUM, glRenderbufferStorage(GL_RENDERBUFFER, NO_ENUM, 1, 1));
   GIVES(GL_INVALID_ENUM, glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA, 1, 1));
   GIVES(GL_INVALID_ENUM, glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT, 1, 1));
   GIVES(GL_INVALID_VALUE, glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA4, -1, 1));
   GIVES(GL_INVALID_VALUE, glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA4, 1, -1));
   GIVES(GL_INVALID_VALUE, glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA4, over_px, 1));
   GIVES(GL_INVALID_VALUE, glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA4, 1, over_px));
   GIVES(GL_INVALID_ENUM, glGetRenderbufferParameteriv(NO_ENUM, GL_RENDERBUFFER_WIDTH, &value));
   GIVES(GL_INVALID_ENUM, glGetRenderbufferParameteriv(GL_RENDERBUFFER, NO_ENUM, &value));
   glGetRenderbufferParameteriv(GL_RENDERBUFFER, GL_RENDERBUFFER_WIDTH, &value);
   if (value)
      rules_fail(r, "wrong glRenderbufferStorage made a renderbuffer %d pixels wide", value);
   glDeleteRenderbuffers(1, &name);
}

static void
wrong_framebuffers(struct rules *r)
{
   const GLenum at = GL_COLOR_ATTACHMENT0;
   GLuint framebuffer, renderbuffer, flat, cube;
   GLint value;
   glGenFramebuffers(1, &framebuffer);
   glGenRenderbuffers(1, &renderbuffer);
   glGenTextures(1, &flat);
   glGenTextures(1, &cube);
   glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
   glBindTexture(GL_TEXTURE_2D, flat);
   glBindTexture(GL_TEXTURE_CUBE_MAP, cube);
   GIVES(GL_INVALID_VALUE, glGenFramebuffers(-1, &framebuffer));
   GIVES(GL_INVALID_VALUE, glDeleteFramebuffers(-1, &framebuffer));
   GIVES(GL_INVALID_ENUM, glBindFramebuffer(NO_ENUM, 0));
   GIVES(GL_INVALID_ENUM, glBindFramebuffer(GL_RENDERBUFFER, 0));
   GIVES(GL_INVALID_ENUM, glCheckFramebufferStatus(NO_ENUM));
   /* of the default frame buffer nothing can be attached or asked */
   GIVES(GL_INVALID_OPERATION, glFramebufferRenderbuffer(GL_FRAMEBUFFER, at, GL_RENDERBUFFER, 0));
   GIVES(GL_INVALID_OPERATION, glFramebufferTexture2D(GL_FRAMEBUFFER, at, GL_TEXTURE_2D, 0, 0));
   GIVES(GL_INVALID_OPERATION, glGetFramebufferAttachmentParameteriv(
            GL_FRAMEBUFFER, at, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE, &value));
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   GIVES(GL_INVALID_ENUM, glFramebufferRenderbuffer(NO_ENUM, at, GL_RENDERBUFFER, renderbuffer));
   GIVES(GL_INVALID_ENUM,
         glFramebufferRenderbuffer(GL_FRAMEBUFFER, NO_ENUM, GL_RENDERBUFFER, renderbuffer));
   GIVES(GL_INVALID_ENUM, glFramebufferRenderbuffer(GL_FRAMEBUFFER, at, NO_ENUM, renderbuffer));
   GIVES(GL_INVALID_OPERATION,
         glFramebufferRenderbuffer(GL_FRAMEBUFFER, at, GL_RENDERBUFFER, NO_NAME));
   GIVES(GL_INVALID_ENUM, glFramebufferTexture2D(NO_ENUM, at, GL_TEXTURE_2D, flat, 0));
   GIVES(GL_INVALID_ENUM, glFramebufferTexture2D(GL_FRAMEBUFFER, NO_ENUM, GL_TEXTURE_2D, flat, 0));
   GIVES(GL_INVALID_ENUM, glFramebufferTexture2D(GL_FRAMEBUFFER, at, NO_ENUM, flat, 0));
   GIVES(GL_INVALID_ENUM, glFramebufferTexture2D(GL_FRAMEBUFFER, at, GL_TEXTURE_CUBE_MAP, cube, 0));
   GIVES(GL_INVALID_OPERATION,
         glFramebufferTexture2D(GL_FRAMEBUFFER, at, GL_TEXTURE_2D, NO_NAME, 0));
   GIVES(GL_INVALID_OPERATION, glFramebufferTexture2D(GL_FRAMEBUFFER, at, GL_TEXTURE_2D, cube, 0));
   GIVES(GL_INVALID_OPERATION,
         glFramebufferTexture2D(GL_FRAMEBUFFER, at, GL_TEXTURE_CUBE_MAP_POSITIVE_X, flat, 0));
   GIVES(GL_INVALID_VALUE, glFramebufferTexture2D(GL_FRAMEBUFFER, at, GL_TEXTURE_2D, flat, -1));
   GIVES(GL_INVALID_VALUE, glFramebufferTexture2D(GL_FRAMEBUFFER, at, GL_TEXTURE_2D, flat,
                                                  level_limit(GL_TEXTURE_2D)));
   /* an attachment that is empty has a type and nothing else: section 6.1.13 */
   GIVES(GL_NO_ERROR, glGetFramebufferAttachmentParameteriv(
            GL_FRAMEBUFFER, at, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE, &value));
   if (value != GL_NONE)
      rules_fail(r, "wrong calls attached an object of type 0x%04x", value);
   GIVES(GL_INVALID_ENUM, glGetFramebufferAttachmentParameteriv(
            GL_FRAMEBUFFER, at, GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LEVEL, &value));
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, at, GL_RENDERBUFFER, renderbuffer);
   GIVES(GL_INVALID_ENUM, glGetFramebufferAttachmentParameteriv(
            NO_ENUM, at, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE, &value));
   GIVES(GL_INVALID_ENUM, glGetFramebufferAttachmentParameteriv(
            GL_FRAMEBUFFER, NO_ENUM, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE, &value));
   GIVES(GL_INVALID_ENUM,
         glGetFramebufferAttachmentParameteriv(GL_FRAMEBUFFER, at, NO_ENUM, &value));
   GIVES(GL_INVALID_ENUM, glGetFramebufferAttachmentParameteriv(
            GL_FRAMEBUFFER, at, GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LEVEL, &value));
   glDeleteFramebuffers(1, &framebuffer);
   glDeleteRenderbuffers(1, &renderbuffer);
   glDeleteTextures(1, &flat);
   glDeleteTextures(1, &cube);
}

static void (*const topics[])(struct rules *r) = {
   wrong_arrays, wrong_draws, wrong_buffers, wrong_shaders, wrong_programs, wrong_texture_state, wrong_tex_image,
   wrong_copy_image, wrong_compressed_image, wrong_fragment_state, wrong_read_pixels, wrong_renderbuffers, wrong_framebuffers,
   wrong_3d_images, wrong_3d_compressed, wrong_3d_framebuffers,
   wrong_maps, wrong_vertex_arrays, wrong_queries, wrong_storage, wrong_attachments, wrong_debug, wrong_versions,
};

_Static_assert(sizeof(topics) / sizeof(topics[0]) == API_ERROR_TOPICS, "each topic is a case");

void
rule_api_errors(struct rules *r)
{
   while (rules_next(r))
      topics[r->n % API_ERROR_TOPICS](r);
}
