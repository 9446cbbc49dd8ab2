/* SPDX-License-Identifier: MIT
 *
 * Calls of OpenGL ES 3.0 that are wrong, by the chapters of its specification, and the error that
 * each gives; beside them calls that are right. What the specification leaves open is not here. A
 * wrong call does nothing: what it would have changed is looked at where that can be asked.
 *
 * Here: vertices, buffers, programs, queries, sync objects (chapters 2, 5 and 6).
 */
#include "es3_errors.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE_PX = 8 };

void
expect_error(const struct rules *r, GLenum wanted, const char *call)
{
   const GLenum error = glGetError();
   if (error != wanted)
      rules_fail(r, "%s gives 0x%04x, not 0x%04x", call, error, wanted);
}

GLint
es3_limit(GLenum name)
{
   GLint value = 0;
   glGetIntegerv(name, &value);
   return value;
}

void
expect_value(const struct rules *r, GLint have, GLint wanted, const char *what)
{
   if (have != wanted)
      rules_fail(r, "%s is %d, not %d", what, have, wanted);
}

GLuint
new_buffer(GLenum target, GLsizeiptr size_B)
{
   GLuint name;
   glGenBuffers(1, &name);
   glBindBuffer(target, name);
   glBufferData(target, size_B, NULL, GL_STREAM_DRAW);
   return name;
}

/* ------------------------------------------------------------------ 2.8, 2.9, 2.10: vertices */

static void
wrong_attributes(struct rules *r)
{
   const GLuint end = (GLuint)es3_limit(GL_MAX_VERTEX_ATTRIBS);
   GLint whole[4] = { 0 };
   GLuint bits[4] = { 0 };
   GIVES(GL_INVALID_VALUE, glVertexAttribI4i(end, 1, 2, 3, 4));
   GIVES(GL_INVALID_VALUE, glVertexAttribI4ui(end, 1, 2, 3, 4));
   GIVES(GL_INVALID_VALUE, glVertexAttribI4iv(end, whole));
   GIVES(GL_INVALID_VALUE, glVertexAttribI4uiv(end, bits));
   GIVES(GL_NO_ERROR, glVertexAttribI4iv(end - 1, whole));
   GIVES(GL_INVALID_VALUE, glVertexAttribIPointer(end, 4, GL_INT, 0, NULL));
   GIVES(GL_INVALID_VALUE, glVertexAttribIPointer(0, 0, GL_INT, 0, NULL));
   GIVES(GL_INVALID_VALUE, glVertexAttribIPointer(0, 5, GL_INT, 0, NULL));
   GIVES(GL_INVALID_VALUE, glVertexAttribIPointer(0, 4, GL_INT, -1, NULL));
   GIVES(GL_INVALID_ENUM, glVertexAttribIPointer(0, 4, GL_FLOAT, 0, NULL));
   GIVES(GL_INVALID_ENUM, glVertexAttribIPointer(0, 4, GL_HALF_FLOAT, 0, NULL));
   GIVES(GL_INVALID_ENUM, glVertexAttribIPointer(0, 4, GL_FIXED, 0, NULL));
   GIVES(GL_INVALID_ENUM, glVertexAttribIPointer(0, 4, GL_INT_2_10_10_10_REV, 0, NULL));
   GIVES(GL_NO_ERROR, glVertexAttribIPointer(0, 3, GL_UNSIGNED_SHORT, 0, NULL));
   /* packed types have four components: section 2.8 */
   GIVES(GL_INVALID_OPERATION, glVertexAttribPointer(0, 3, GL_INT_2_10_10_10_REV, 0, 0, NULL));
   GIVES(GL_INVALID_OPERATION,
         glVertexAttribPointer(0, 2, GL_UNSIGNED_INT_2_10_10_10_REV, 0, 0, NULL));
   GIVES(GL_NO_ERROR, glVertexAttribPointer(1, 4, GL_INT_2_10_10_10_REV, 0, 0, NULL));
   GIVES(GL_NO_ERROR, glVertexAttribPointer(1, 4, GL_INT, 0, 0, NULL));
   GIVES(GL_INVALID_VALUE, glVertexAttribDivisor(end, 1));
   GIVES(GL_NO_ERROR, glVertexAttribDivisor(end - 1, 1));
   GIVES(GL_NO_ERROR, glVertexAttribDivisor(end - 1, 0));
   GIVES(GL_INVALID_VALUE, glGetVertexAttribIiv(end, GL_CURRENT_VERTEX_ATTRIB, whole));
   GIVES(GL_INVALID_VALUE, glGetVertexAttribIuiv(end, GL_CURRENT_VERTEX_ATTRIB, bits));
   GIVES(GL_INVALID_ENUM, glGetVertexAttribIiv(0, NO_ENUM, whole));
   GIVES(GL_INVALID_ENUM, glGetVertexAttribIuiv(0, NO_ENUM, bits));
   GIVES(GL_NO_ERROR, glGetVertexAttribIiv(0, GL_VERTEX_ATTRIB_ARRAY_SIZE, whole));
   expect_value(r, whole[0], 3, "the size of an array after wrong calls");
}

/* Section 2.10: names come from glGenVertexArrays, and arrays of these objects from buffers. */
static void
wrong_vertex_arrays(struct rules *r)
{
   static const GLint client[4] = { 0 };
   GLuint name = 0, gone = 0;
   GIVES(GL_INVALID_VALUE, glGenVertexArrays(-1, &name));
   GIVES(GL_INVALID_VALUE, glDeleteVertexArrays(-1, &name));
   GIVES(GL_INVALID_OPERATION, glBindVertexArray(NO_NAME));
   GIVES(GL_NO_ERROR, glDeleteVertexArrays(2, (const GLuint[]){ 0, NO_NAME }));
   glGenVertexArrays(1, &gone);
   GIVES(GL_NO_ERROR, glBindVertexArray(gone));
   GIVES(GL_NO_ERROR, glDeleteVertexArrays(1, &gone));
   expect_value(r, es3_limit(GL_VERTEX_ARRAY_BINDING), 0, "the binding of a deleted object");
   GIVES(GL_INVALID_OPERATION, glBindVertexArray(gone));
   glGenVertexArrays(1, &name);
   GIVES(GL_NO_ERROR, glBindVertexArray(name));
   GIVES(GL_INVALID_OPERATION, glVertexAttribPointer(0, 4, GL_FLOAT, 0, 0, client));
   GIVES(GL_INVALID_OPERATION, glVertexAttribIPointer(0, 4, GL_INT, 0, client));
   GIVES(GL_NO_ERROR, glVertexAttribIPointer(0, 4, GL_INT, 0, NULL));
   GLuint buffer = new_buffer(GL_ARRAY_BUFFER, 64);
   GIVES(GL_NO_ERROR, glVertexAttribPointer(0, 4, GL_FLOAT, 0, 0, (void *)16));
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   glDeleteVertexArrays(1, &name);
   glDeleteBuffers(1, &buffer);
   GIVES(GL_NO_ERROR, glVertexAttribIPointer(0, 4, GL_INT, 0, client));
}

static void
wrong_draws(struct rules *r)
{
   static const GLubyte indices[3] = { 0 };
   const GLenum byte = GL_UNSIGNED_BYTE;
   struct es3_target target = es3_target_create(GL_RGBA8, SIZE_PX, SIZE_PX);
   GLuint program = es3_program(r, es3_vertex_whole, es3_fragment_none);
   GIVES(GL_INVALID_VALUE, glDrawRangeElements(GL_POINTS, 2, 1, 1, byte, indices));
   GIVES(GL_INVALID_VALUE, glDrawRangeElements(GL_POINTS, 0, 2, -1, byte, indices));
   GIVES(GL_INVALID_ENUM, glDrawRangeElements(NO_ENUM, 0, 2, 1, byte, indices));
   GIVES(GL_INVALID_ENUM, glDrawRangeElements(GL_POINTS, 0, 2, 1, GL_FLOAT, indices));
   GIVES(GL_INVALID_ENUM, glDrawRangeElements(GL_POINTS, 0, 2, 1, GL_INT, indices));
   GIVES(GL_NO_ERROR, glDrawRangeElements(GL_POINTS, 0, 2, 3, byte, indices));
   GIVES(GL_INVALID_ENUM, glDrawArraysInstanced(NO_ENUM, 0, 3, 1));
   GIVES(GL_INVALID_ENUM, glDrawArraysInstanced(GL_TRIANGLE_FAN + 1, 0, 4, 1));
   GIVES(GL_INVALID_VALUE, glDrawArraysInstanced(GL_POINTS, 0, -1, 1));
   GIVES(GL_INVALID_VALUE, glDrawArraysInstanced(GL_POINTS, 0, 1, -1));
   GIVES(GL_NO_ERROR, glDrawArraysInstanced(GL_POINTS, 0, 1, 0));
   GIVES(GL_INVALID_ENUM, glDrawElementsInstanced(NO_ENUM, 1, byte, indices, 1));
   GIVES(GL_INVALID_ENUM, glDrawElementsInstanced(GL_POINTS, 1, GL_SHORT, indices, 1));
   GIVES(GL_INVALID_VALUE, glDrawElementsInstanced(GL_POINTS, -1, byte, indices, 1));
   GIVES(GL_INVALID_VALUE, glDrawElementsInstanced(GL_POINTS, 1, byte, indices, -1));
   GIVES(GL_NO_ERROR, glDrawElementsInstanced(GL_POINTS, 1, byte, indices, 2));
   GLuint empty;
   glGenFramebuffers(1, &empty);
   glBindFramebuffer(GL_FRAMEBUFFER, empty);
   GIVES(GL_INVALID_FRAMEBUFFER_OPERATION, glDrawArraysInstanced(GL_POINTS, 0, 1, 1));
   GIVES(GL_INVALID_FRAMEBUFFER_OPERATION, glDrawRangeElements(GL_POINTS, 0, 2, 1, byte, indices));
   GIVES(GL_INVALID_FRAMEBUFFER_OPERATION, glDrawElementsInstanced(GL_POINTS, 1, byte, indices, 1));
   glDeleteFramebuffers(1, &empty);
   glDeleteProgram(program);
   es3_target_delete(&target);
}

/* -------------------------------------------------------------------------------- 2.9: buffers */

static void
wrong_maps(struct rules *r)
{
   const GLenum at = GL_COPY_WRITE_BUFFER;
   GIVES(GL_INVALID_OPERATION, glMapBufferRange(at, 0, 4, GL_MAP_READ_BIT));
   GIVES(GL_INVALID_OPERATION, glUnmapBuffer(at));
   GLuint buffer = new_buffer(at, 64);
   GIVES(GL_INVALID_ENUM, glMapBufferRange(NO_ENUM, 0, 4, GL_MAP_READ_BIT));
   GIVES(GL_INVALID_VALUE, glMapBufferRange(at, -1, 4, GL_MAP_READ_BIT));
   GIVES(GL_INVALID_VALUE, glMapBufferRange(at, 0, -1, GL_MAP_READ_BIT));
   GIVES(GL_INVALID_VALUE, glMapBufferRange(at, 0, 65, GL_MAP_READ_BIT));
   GIVES(GL_INVALID_VALUE, glMapBufferRange(at, 60, 5, GL_MAP_WRITE_BIT));
   GIVES(GL_INVALID_VALUE, glMapBufferRange(at, 0, 4, GL_MAP_READ_BIT | 0x1000));
   GIVES(GL_INVALID_OPERATION, glMapBufferRange(at, 0, 0, GL_MAP_READ_BIT));
   GIVES(GL_INVALID_OPERATION, glMapBufferRange(at, 0, 4, 0));
   GIVES(GL_INVALID_OPERATION, glMapBufferRange(at, 0, 4, GL_MAP_INVALIDATE_RANGE_BIT));
   GIVES(GL_INVALID_OPERATION,
         glMapBufferRange(at, 0, 4, GL_MAP_READ_BIT | GL_MAP_INVALIDATE_RANGE_BIT));
   GIVES(GL_INVALID_OPERATION,
         glMapBufferRange(at, 0, 4, GL_MAP_READ_BIT | GL_MAP_INVALIDATE_BUFFER_BIT));
   GIVES(GL_INVALID_OPERATION,
         glMapBufferRange(at, 0, 4, GL_MAP_READ_BIT | GL_MAP_UNSYNCHRONIZED_BIT));
   GIVES(GL_INVALID_OPERATION,
         glMapBufferRange(at, 0, 4, GL_MAP_READ_BIT | GL_MAP_FLUSH_EXPLICIT_BIT));
   GIVES(GL_INVALID_ENUM, glUnmapBuffer(NO_ENUM));
   GIVES(GL_INVALID_OPERATION, glUnmapBuffer(at));
   GIVES(GL_NO_ERROR, glMapBufferRange(at, 0, 64, GL_MAP_WRITE_BIT | GL_MAP_READ_BIT));
   GIVES(GL_INVALID_OPERATION, glMapBufferRange(at, 0, 4, GL_MAP_READ_BIT));
   GIVES(GL_INVALID_OPERATION, glBufferSubData(at, 0, 1, "x"));
   GIVES(GL_NO_ERROR, glUnmapBuffer(at));
   GIVES(GL_INVALID_OPERATION, glUnmapBuffer(at));
   glDeleteBuffers(1, &buffer);
}

static void
wrong_flushes(struct rules *r)
{
   const GLenum at = GL_UNIFORM_BUFFER;
   void *pointer;
   GLint64 wide = 0;
   GIVES(GL_INVALID_OPERATION, glFlushMappedBufferRange(at, 0, 4));
   GIVES(GL_INVALID_OPERATION, glGetBufferPointerv(at, GL_BUFFER_MAP_POINTER, &pointer));
   GIVES(GL_INVALID_OPERATION, glGetBufferParameteri64v(at, GL_BUFFER_SIZE, &wide));
   GLuint buffer = new_buffer(at, 64);
   GIVES(GL_INVALID_ENUM, glGetBufferPointerv(NO_ENUM, GL_BUFFER_MAP_POINTER, &pointer));
   GIVES(GL_INVALID_ENUM, glGetBufferPointerv(at, GL_BUFFER_SIZE, &pointer));
   GIVES(GL_INVALID_ENUM, glGetBufferParameteri64v(NO_ENUM, GL_BUFFER_SIZE, &wide));
   GIVES(GL_INVALID_ENUM, glGetBufferParameteri64v(at, NO_ENUM, &wide));
   GIVES(GL_NO_ERROR, glGetBufferParameteri64v(at, GL_BUFFER_SIZE, &wide));
   expect_value(r, (GLint)wide, 64, "the size of a buffer");
   GIVES(GL_INVALID_OPERATION, glFlushMappedBufferRange(at, 0, 4));
   glMapBufferRange(at, 0, 64, GL_MAP_WRITE_BIT);
   GIVES(GL_INVALID_OPERATION, glFlushMappedBufferRange(at, 0, 4));
   glUnmapBuffer(at);
   glMapBufferRange(at, 16, 16, GL_MAP_WRITE_BIT | GL_MAP_FLUSH_EXPLICIT_BIT);
   GIVES(GL_INVALID_ENUM, glFlushMappedBufferRange(NO_ENUM, 0, 4));
   GIVES(GL_INVALID_VALUE, glFlushMappedBufferRange(at, -1, 4));
   GIVES(GL_INVALID_VALUE, glFlushMappedBufferRange(at, 0, -1));
   GIVES(GL_INVALID_VALUE, glFlushMappedBufferRange(at, 8, 9)); /* of what is mapped */
   GIVES(GL_NO_ERROR, glFlushMappedBufferRange(at, 8, 8));
   GIVES(GL_NO_ERROR, glUnmapBuffer(at));
   glDeleteBuffers(1, &buffer);
}

static void
wrong_buffer_copies(struct rules *r)
{
   const GLenum from = GL_COPY_READ_BUFFER, to = GL_COPY_WRITE_BUFFER;
   GIVES(GL_INVALID_OPERATION, glCopyBufferSubData(from, to, 0, 0, 4));
   GLuint source = new_buffer(from, 64), other = new_buffer(to, 32);
   GIVES(GL_INVALID_ENUM, glCopyBufferSubData(NO_ENUM, to, 0, 0, 4));
   GIVES(GL_INVALID_ENUM, glCopyBufferSubData(from, NO_ENUM, 0, 0, 4));
   GIVES(GL_INVALID_VALUE, glCopyBufferSubData(from, to, -1, 0, 4));
   GIVES(GL_INVALID_VALUE, glCopyBufferSubData(from, to, 0, -1, 4));
   GIVES(GL_INVALID_VALUE, glCopyBufferSubData(from, to, 0, 0, -1));
   GIVES(GL_INVALID_VALUE, glCopyBufferSubData(from, to, 61, 0, 4));
   GIVES(GL_INVALID_VALUE, glCopyBufferSubData(from, to, 0, 29, 4));
   GIVES(GL_INVALID_VALUE, glCopyBufferSubData(from, from, 0, 8, 16));
   GIVES(GL_INVALID_VALUE, glCopyBufferSubData(from, from, 8, 0, 16));
   GIVES(GL_NO_ERROR, glCopyBufferSubData(from, from, 0, 16, 16));
   GIVES(GL_NO_ERROR, glCopyBufferSubData(from, to, 60, 28, 4));
   glMapBufferRange(from, 0, 4, GL_MAP_READ_BIT);
   GIVES(GL_INVALID_OPERATION, glCopyBufferSubData(from, to, 8, 8, 4));
   glUnmapBuffer(from);
   glMapBufferRange(to, 0, 4, GL_MAP_WRITE_BIT);
   GIVES(GL_INVALID_OPERATION, glCopyBufferSubData(from, to, 8, 8, 4));
   glUnmapBuffer(to);
   GIVES(GL_INVALID_ENUM, glBufferData(from, 4, NULL, NO_ENUM));
   GIVES(GL_NO_ERROR, glBufferData(from, 4, NULL, GL_STATIC_COPY));
   glDeleteBuffers(2, (const GLuint[]){ source, other });
}

/* Sections 2.9.1, 2.12.6 and 2.14: ranges of uniform blocks and of what is captured. */
static void
wrong_ranges(struct rules *r)
{
   const GLenum uniform = GL_UNIFORM_BUFFER, capture = GL_TRANSFORM_FEEDBACK_BUFFER;
   const GLuint blocks = (GLuint)es3_limit(GL_MAX_UNIFORM_BUFFER_BINDINGS);
   const GLuint captures = (GLuint)es3_limit(GL_MAX_TRANSFORM_FEEDBACK_SEPARATE_ATTRIBS);
   const GLint step = es3_limit(GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT);
   GLuint b = new_buffer(uniform, 1024);
   GLint value = -1;
   GLint64 wide = -1;
   GIVES(GL_INVALID_ENUM, glBindBufferRange(GL_ARRAY_BUFFER, 0, b, 0, 16));
   GIVES(GL_INVALID_ENUM, glBindBufferBase(GL_COPY_READ_BUFFER, 0, b));
   GIVES(GL_INVALID_VALUE, glBindBufferBase(uniform, blocks, b));
   GIVES(GL_INVALID_VALUE, glBindBufferRange(uniform, blocks, b, 0, 16));
   GIVES(GL_INVALID_VALUE, glBindBufferRange(uniform, 0, b, 0, 0));
   GIVES(GL_INVALID_VALUE, glBindBufferRange(uniform, 0, b, 0, -16));
   if (step > 1)
      GIVES(GL_INVALID_VALUE, glBindBufferRange(uniform, 0, b, step / 2, 16));
   glGetIntegeri_v(GL_UNIFORM_BUFFER_BINDING, 0, &value);
   expect_value(r, value, 0, "a binding after wrong calls");
   GIVES(GL_NO_ERROR, glBindBufferRange(uniform, blocks - 1, b, step, 16));
   GIVES(GL_NO_ERROR, glBindBufferRange(uniform, blocks - 1, 0, 0, 0)); /* 0: the size is free */
   GIVES(GL_INVALID_VALUE, glBindBufferBase(capture, captures, b));
   GIVES(GL_INVALID_VALUE, glBindBufferRange(capture, captures, b, 0, 16));
   GIVES(GL_INVALID_VALUE, glBindBufferRange(capture, 0, b, 2, 16));
   GIVES(GL_INVALID_VALUE, glBindBufferRange(capture, 0, b, 0, 6));
   GIVES(GL_NO_ERROR, glBindBufferRange(capture, captures - 1, b, 4, 8));
   GIVES(GL_INVALID_ENUM, glGetIntegeri_v(NO_ENUM, 0, &value));
   GIVES(GL_INVALID_VALUE, glGetIntegeri_v(GL_UNIFORM_BUFFER_BINDING, blocks, &value));
   GIVES(GL_INVALID_VALUE, glGetIntegeri_v(GL_TRANSFORM_FEEDBACK_BUFFER_BINDING, captures, &value));
   GIVES(GL_INVALID_ENUM, glGetInteger64i_v(NO_ENUM, 0, &wide));
   GIVES(GL_INVALID_VALUE, glGetInteger64i_v(GL_UNIFORM_BUFFER_SIZE, blocks, &wide));
   GIVES(GL_INVALID_VALUE, glGetInteger64i_v(GL_TRANSFORM_FEEDBACK_BUFFER_START, captures, &wide));
   GIVES(GL_NO_ERROR, glGetInteger64i_v(GL_TRANSFORM_FEEDBACK_BUFFER_START, captures - 1, &wide));
   expect_value(r, (GLint)wide, 4, "the start of a range");
   GIVES(GL_NO_ERROR, glBindBufferBase(capture, captures - 1, 0));
   glDeleteBuffers(1, &b);
}

/* ---------------------------------------------------------------------- 2.11 to 2.14: programs */

static GLuint
program_of_uniforms(const struct rules *r)
{
   return es3_program(r,
                      "layout(std140) uniform block { vec4 a; mat3 b; };\n"
                      "void main() { gl_Position = a + b[0].xyzx; }\n",
                      "uniform uvec3 words; uniform uint list[2]; uniform bool truth;\n"
                      "uniform float number; uniform mat2x3 matrix; uniform sampler2D image;\n"
                      "out vec4 colour;\n"
                      "void main() { colour = vec4(words, list[0] + list[1]) + number\n"
                      "   + float(truth) + matrix[1].xyzx + texture(image, vec2(0.0)); }\n");
}

static void
wrong_uniforms(struct rules *r)
{
   static const GLuint words[6] = { 0 };
   static const GLint whole[6] = { 0 };
   static const float numbers[12] = { 0 };
   GLuint program = program_of_uniforms(r), bits[4];
   const GLint at = glGetUniformLocation(program, "words");
   const GLint matrix = glGetUniformLocation(program, "matrix");
   const GLint truth = glGetUniformLocation(program, "truth");
   const GLint image = glGetUniformLocation(program, "image");
   const GLint list = glGetUniformLocation(program, "list");
   const GLint number = glGetUniformLocation(program, "number");
   GIVES(GL_NO_ERROR, glUniform3uiv(at, 1, words));
   GIVES(GL_NO_ERROR, glUniform3ui(at, 1, 2, 3));
   GIVES(GL_INVALID_OPERATION, glUniform3iv(at, 1, whole));
   GIVES(GL_INVALID_OPERATION, glUniform3fv(at, 1, numbers));
   GIVES(GL_INVALID_OPERATION, glUniform2uiv(at, 1, words));
   GIVES(GL_INVALID_OPERATION, glUniform4ui(at, 1, 2, 3, 4));
   GIVES(GL_INVALID_OPERATION, glUniform3uiv(at, 2, words)); /* it is no array */
   GIVES(GL_INVALID_VALUE, glUniform3uiv(at, -1, words));
   GIVES(GL_NO_ERROR, glUniform1uiv(list, 2, words));
   GIVES(GL_NO_ERROR, glUniform1uiv(-1, 2, words));
   GIVES(GL_NO_ERROR, glUniform1ui(truth, 7));
   GIVES(GL_INVALID_OPERATION, glUniform2ui(truth, 1, 1));
   GIVES(GL_INVALID_OPERATION, glUniform1ui(number, 1));
   GIVES(GL_INVALID_OPERATION, glUniform1ui(image, 1));
   GIVES(GL_INVALID_OPERATION, glUniform1uiv(NO_NAME, 1, words));
   GIVES(GL_NO_ERROR, glUniformMatrix2x3fv(matrix, 1, GL_TRUE, numbers));
   GIVES(GL_INVALID_OPERATION, glUniformMatrix3x2fv(matrix, 1, GL_FALSE, numbers));
   GIVES(GL_INVALID_OPERATION, glUniformMatrix2fv(matrix, 1, GL_FALSE, numbers));
   GIVES(GL_INVALID_VALUE, glUniformMatrix2x3fv(matrix, -1, GL_FALSE, numbers));
   GIVES(GL_INVALID_OPERATION, glGetUniformuiv(program, NO_NAME, bits));
   GIVES(GL_INVALID_VALUE, glGetUniformuiv(NO_NAME, at, bits));
   GIVES(GL_NO_ERROR, glGetUniformuiv(program, at, bits));
   expect_value(r, (GLint)bits[2], 3, "the third word of a uniform");
   glUseProgram(0);
   GIVES(GL_INVALID_OPERATION, glUniform3ui(at, 1, 2, 3));
   glDeleteProgram(program);
}

static void
wrong_blocks(struct rules *r)
{
   static const char *const names[] = { "number" };
   GLuint program = program_of_uniforms(r), shader = glCreateShader(GL_VERTEX_SHADER), index;
   const GLuint block = glGetUniformBlockIndex(program, "block");
   GLint value = -1;
   char text[8];
   GIVES(GL_INVALID_VALUE, glGetUniformBlockIndex(NO_NAME, "block"));
   GIVES(GL_INVALID_OPERATION, glGetUniformBlockIndex(shader, "block"));
   GIVES(GL_NO_ERROR, glGetUniformBlockIndex(program, "number"));
   GIVES(GL_INVALID_VALUE, glGetActiveUniformBlockiv(program, 1, GL_UNIFORM_BLOCK_BINDING, &value));
   GIVES(GL_INVALID_ENUM, glGetActiveUniformBlockiv(program, block, NO_ENUM, &value));
   GIVES(GL_INVALID_VALUE,
         glGetActiveUniformBlockiv(NO_NAME, block, GL_UNIFORM_BLOCK_BINDING, &value));
   GIVES(GL_INVALID_VALUE, glGetActiveUniformBlockName(program, 1, 8, NULL, text));
   GIVES(GL_INVALID_VALUE, glGetActiveUniformBlockName(program, block, -1, NULL, text));
   GIVES(GL_NO_ERROR, glGetActiveUniformBlockName(program, block, 8, NULL, text));
   GIVES(GL_INVALID_VALUE, glUniformBlockBinding(program, 1, 0));
   GIVES(GL_INVALID_VALUE, glUniformBlockBinding(NO_NAME, block, 0));
   GIVES(GL_INVALID_VALUE,
         glUniformBlockBinding(program, block, (GLuint)es3_limit(GL_MAX_UNIFORM_BUFFER_BINDINGS)));
   GIVES(GL_NO_ERROR, glUniformBlockBinding(program, block, 5));
   GIVES(GL_NO_ERROR, glGetActiveUniformBlockiv(program, block, GL_UNIFORM_BLOCK_BINDING, &value));
   expect_value(r, value, 5, "the binding of a block");
   GIVES(GL_INVALID_VALUE, glGetUniformIndices(program, -1, names, &index));
   GIVES(GL_INVALID_VALUE, glGetUniformIndices(NO_NAME, 1, names, &index));
   GIVES(GL_NO_ERROR, glGetUniformIndices(program, 1, names, &index));
   GIVES(GL_INVALID_ENUM, glGetActiveUniformsiv(program, 1, &index, NO_ENUM, &value));
   GIVES(GL_INVALID_VALUE, glGetActiveUniformsiv(program, -1, &index, GL_UNIFORM_TYPE, &value));
   GIVES(GL_NO_ERROR, glGetActiveUniformsiv(program, 1, &index, GL_UNIFORM_TYPE, &value));
   glGetProgramiv(program, GL_ACTIVE_UNIFORMS, (GLint *)&index);
   GIVES(GL_INVALID_VALUE, glGetActiveUniformsiv(program, 1, &index, GL_UNIFORM_TYPE, &value));
   glDeleteShader(shader);
   glDeleteProgram(program);
}

static void
wrong_programs(struct rules *r)
{
   static const char *const names[] = { "a", "b", "c", "d", "e" };
   GLuint program = program_of_uniforms(r), empty = glCreateProgram();
   GLint size_B = 0;
   GLsizei length;
   GLenum format = 0;
   char text[8];
   GIVES(GL_INVALID_OPERATION, glGetFragDataLocation(empty, "colour"));
   GIVES(GL_INVALID_VALUE, glGetFragDataLocation(NO_NAME, "colour"));
   GIVES(GL_NO_ERROR, glGetFragDataLocation(program, "colour"));
   GIVES(GL_INVALID_VALUE, glProgramParameteri(program, GL_PROGRAM_BINARY_RETRIEVABLE_HINT, 2));
   GIVES(GL_INVALID_ENUM, glProgramParameteri(program, NO_ENUM, GL_TRUE));
   GIVES(GL_INVALID_VALUE, glProgramParameteri(NO_NAME, GL_PROGRAM_BINARY_RETRIEVABLE_HINT, 1));
   GIVES(GL_NO_ERROR, glProgramParameteri(program, GL_PROGRAM_BINARY_RETRIEVABLE_HINT, GL_TRUE));
   glGetProgramiv(program, GL_PROGRAM_BINARY_LENGTH, &size_B);
   char *binary = malloc((size_t)size_B + 1);
   GIVES(GL_INVALID_OPERATION, glGetProgramBinary(empty, size_B, &length, &format, binary));
   GIVES(GL_INVALID_OPERATION, glGetProgramBinary(program, 1, &length, &format, binary));
   GIVES(GL_NO_ERROR, glGetProgramBinary(program, size_B, &length, &format, binary));
   GIVES(GL_INVALID_ENUM, glProgramBinary(empty, NO_ENUM, binary, length));
   GIVES(GL_NO_ERROR, glProgramBinary(empty, format, binary, length));
   const GLenum separate = GL_SEPARATE_ATTRIBS;
   GIVES(GL_INVALID_VALUE, glTransformFeedbackVaryings(NO_NAME, 1, names, separate));
   GIVES(GL_INVALID_VALUE, glTransformFeedbackVaryings(program, -1, names, separate));
   GIVES(GL_INVALID_ENUM, glTransformFeedbackVaryings(program, 1, names, NO_ENUM));
   const GLint most = es3_limit(GL_MAX_TRANSFORM_FEEDBACK_SEPARATE_ATTRIBS);
   if (most < (GLint)COUNT(names))
      GIVES(GL_INVALID_VALUE, glTransformFeedbackVaryings(program, most + 1, names, separate));
   GIVES(GL_INVALID_VALUE,
         glGetTransformFeedbackVarying(program, 0, sizeof(text), &length, &length, &format, text));
   GIVES(GL_INVALID_VALUE,
         glGetTransformFeedbackVarying(NO_NAME, 0, sizeof(text), &length, &length, &format, text));
   free(binary);
   glDeleteProgram(empty);
   glDeleteProgram(program);
}

static void
wrong_queries(struct rules *r)
{
   const GLenum any = GL_ANY_SAMPLES_PASSED, written = GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN;
   GLuint q[3], result = 7;
   GLint value = -1;
   GIVES(GL_INVALID_VALUE, glGenQueries(-1, q));
   GIVES(GL_INVALID_VALUE, glDeleteQueries(-1, q));
   GIVES(GL_NO_ERROR, glDeleteQueries(2, (const GLuint[]){ 0, NO_NAME }));
   glGenQueries(3, q);
   GIVES(GL_INVALID_OPERATION, glBeginQuery(any, 0));
   GIVES(GL_INVALID_OPERATION, glBeginQuery(any, NO_NAME));
   GIVES(GL_INVALID_ENUM, glBeginQuery(NO_ENUM, q[0]));
   GIVES(GL_INVALID_ENUM, glEndQuery(NO_ENUM));
   GIVES(GL_INVALID_OPERATION, glEndQuery(any));
   GIVES(GL_NO_ERROR, glBeginQuery(any, q[0]));
   GIVES(GL_INVALID_OPERATION, glBeginQuery(any, q[1]));
   /* both kinds of samples are one: section 2.13 */
   GIVES(GL_INVALID_OPERATION, glBeginQuery(GL_ANY_SAMPLES_PASSED_CONSERVATIVE, q[1]));
   GIVES(GL_INVALID_OPERATION, glBeginQuery(written, q[0]));
   GIVES(GL_INVALID_OPERATION, glEndQuery(written));
   GIVES(GL_INVALID_OPERATION, glGetQueryObjectuiv(q[0], GL_QUERY_RESULT, &result));
   GIVES(GL_INVALID_ENUM, glGetQueryiv(NO_ENUM, GL_CURRENT_QUERY, &value));
   GIVES(GL_INVALID_ENUM, glGetQueryiv(any, NO_ENUM, &value));
   GIVES(GL_NO_ERROR, glGetQueryiv(any, GL_CURRENT_QUERY, &value));
   expect_value(r, value, (GLint)q[0], "the current query");
   GIVES(GL_NO_ERROR, glEndQuery(any));
   GIVES(GL_INVALID_OPERATION, glEndQuery(any));
   GIVES(GL_INVALID_OPERATION, glBeginQuery(written, q[0])); /* it is one of another target */
   GIVES(GL_INVALID_OPERATION, glGetQueryObjectuiv(q[2], GL_QUERY_RESULT, &result));
   GIVES(GL_INVALID_OPERATION, glGetQueryObjectuiv(NO_NAME, GL_QUERY_RESULT, &result));
   GIVES(GL_INVALID_ENUM, glGetQueryObjectuiv(q[0], NO_ENUM, &result));
   GIVES(GL_NO_ERROR, glGetQueryObjectuiv(q[0], GL_QUERY_RESULT, &result));
   expect_value(r, (GLint)result, 0, "what a query without draws counts");
   glDeleteQueries(3, q);
}

static void
wrong_feedback_objects(struct rules *r)
{
   const GLenum at = GL_TRANSFORM_FEEDBACK;
   GLuint name = 0;
   GIVES(GL_INVALID_VALUE, glGenTransformFeedbacks(-1, &name));
   GIVES(GL_INVALID_VALUE, glDeleteTransformFeedbacks(-1, &name));
   GIVES(GL_INVALID_ENUM, glBindTransformFeedback(GL_ARRAY_BUFFER, 0));
   GIVES(GL_INVALID_OPERATION, glBindTransformFeedback(at, NO_NAME));
   GIVES(GL_NO_ERROR, glDeleteTransformFeedbacks(2, (const GLuint[]){ 0, NO_NAME }));
   glGenTransformFeedbacks(1, &name);
   GIVES(GL_NO_ERROR, glBindTransformFeedback(at, name));
   GIVES(GL_INVALID_OPERATION, glEndTransformFeedback());
   GIVES(GL_NO_ERROR, glDeleteTransformFeedbacks(1, &name));
   expect_value(r, es3_limit(GL_TRANSFORM_FEEDBACK_BINDING), 0, "the binding of a deleted object");
   GIVES(GL_INVALID_OPERATION, glBindTransformFeedback(at, name));
}

/* ------------------------------------------------------------------------------ 5.2, 6.1: the rest
 */

static void
wrong_syncs(struct rules *r)
{
   const GLenum done = GL_SYNC_GPU_COMMANDS_COMPLETE;
   const GLsync none = (GLsync)(uintptr_t)NO_NAME;
   GLint value = 0;
   GIVES(GL_INVALID_ENUM, glFenceSync(0, 0));
   GIVES(GL_INVALID_VALUE, glFenceSync(done, 1));
   GLsync sync = glFenceSync(done, 0);
   GIVES(GL_INVALID_ENUM, glGetSynciv(sync, NO_ENUM, 1, NULL, &value));
   GIVES(GL_INVALID_VALUE, glGetSynciv(none, GL_SYNC_STATUS, 1, NULL, &value));
   GIVES(GL_INVALID_VALUE, glGetSynciv(sync, GL_SYNC_STATUS, -1, NULL, &value));
   GIVES(GL_NO_ERROR, glGetSynciv(sync, GL_SYNC_STATUS, 1, NULL, &value));
   GLsizei length = 7;
   GIVES(GL_NO_ERROR, glGetSynciv(sync, GL_SYNC_STATUS, 0, &length, &value));
   expect_value(r, length, 0, "the length of nothing");
   GIVES(GL_INVALID_VALUE, glClientWaitSync(sync, GL_SYNC_FLUSH_COMMANDS_BIT << 1, 0));
   GIVES(GL_INVALID_VALUE, glClientWaitSync(none, 0, 0));
   GIVES(GL_INVALID_VALUE, glWaitSync(sync, 1, GL_TIMEOUT_IGNORED));
   GIVES(GL_INVALID_VALUE, glWaitSync(sync, 0, 5));
   GIVES(GL_INVALID_VALUE, glWaitSync(none, 0, GL_TIMEOUT_IGNORED));
   GIVES(GL_NO_ERROR, glWaitSync(sync, 0, GL_TIMEOUT_IGNORED));
   GIVES(GL_NO_ERROR, glClientWaitSync(sync, GL_SYNC_FLUSH_COMMANDS_BIT, 0));
   GIVES(GL_INVALID_VALUE, glDeleteSync(none));
   GIVES(GL_NO_ERROR, glDeleteSync(0));
   GIVES(GL_NO_ERROR, glDeleteSync(sync));
   if (glIsSync(none) || glIsSync(sync))
      rules_fail(r, "what is none is a sync object");
}

static void
wrong_states(struct rules *r)
{
   GLint64 wide = 0;
   GIVES(GL_INVALID_VALUE, glGetStringi(GL_EXTENSIONS, (GLuint)es3_limit(GL_NUM_EXTENSIONS)));
   GIVES(GL_INVALID_ENUM, glGetStringi(GL_VENDOR, 0));
   GIVES(GL_NO_ERROR, glGetStringi(GL_EXTENSIONS, 0));
   GIVES(GL_INVALID_ENUM, glGetInteger64v(NO_ENUM, &wide));
   GIVES(GL_NO_ERROR, glGetInteger64v(GL_MAX_ELEMENT_INDEX, &wide));
   GIVES(GL_INVALID_ENUM, glEnable(NO_ENUM));
   GIVES(GL_INVALID_ENUM, glIsEnabled(NO_ENUM));
   GIVES(GL_NO_ERROR, glEnable(GL_RASTERIZER_DISCARD));
   GIVES(GL_NO_ERROR, glDisable(GL_RASTERIZER_DISCARD));
   GIVES(GL_INVALID_ENUM, glHint(GL_FRAGMENT_SHADER_DERIVATIVE_HINT, NO_ENUM));
   GIVES(GL_NO_ERROR, glHint(GL_FRAGMENT_SHADER_DERIVATIVE_HINT, GL_DONT_CARE));
   GIVES(GL_INVALID_ENUM, glBlendEquation(NO_ENUM));
   GIVES(GL_NO_ERROR, glBlendEquation(GL_MIN));
   GIVES(GL_NO_ERROR, glBlendEquation(GL_FUNC_ADD));
   GIVES(GL_NO_ERROR, glBlendFunc(GL_ONE, GL_SRC_ALPHA_SATURATE));
   GIVES(GL_NO_ERROR, glBlendFunc(GL_ONE, GL_ZERO));
}

/* What only extensions bring, and numbers that do not fit. */
static void
wrong_without_extensions(struct rules *r)
{
   const GLenum buffer_at = GL_COPY_READ_BUFFER, swizzle_rgba = 0x8e46, immutable = 0x821f;
   const GLenum sample_shading = 0x8c36, clip_distance = 0x3000, persistent = 0x40;
   const char *extensions = (const char *)glGetString(GL_EXTENSIONS);
   GLint values[4];
   GLuint buffer = new_buffer(buffer_at, 64);
   GIVES(GL_INVALID_ENUM, glGetTexParameteriv(GL_TEXTURE_2D, swizzle_rgba, values));
   GIVES(GL_INVALID_ENUM, glGetBufferParameteriv(buffer_at, immutable, values));
   GIVES(GL_INVALID_VALUE, glMapBufferRange(buffer_at, 0, 64, GL_MAP_READ_BIT | persistent));
   if (!strstr(extensions, "GL_OES_sample_shading")) {
      GIVES(GL_INVALID_ENUM, glEnable(sample_shading));
      GIVES(GL_INVALID_ENUM, glIsEnabled(sample_shading));
   }
   if (!strstr(extensions, "GL_EXT_clip_cull_distance")) {
      GIVES(GL_INVALID_ENUM, glEnable(clip_distance));
      GIVES(GL_INVALID_ENUM, glIsEnabled(clip_distance));
   }
   glDeleteBuffers(1, &buffer);
}

/* Sections 2.11.4, 2.12.6 and 6.1.2. */
static void
wrong_numbers(struct rules *r)
{
   const GLint64 large_B = (GLint64)1 << 32;
   GLuint buffer = new_buffer(GL_UNIFORM_BUFFER, 256);
   GLuint program = es3_program(r, es3_vertex_whole,
                                "uniform uint u[2]; uniform int n; out uvec4 o;\n"
                                "void main() { o = uvec4(u[n]); }");
   GLint64 have_B = 0;
   GLint value = 0;
   GIVES(GL_INVALID_VALUE, glBindBufferRange(GL_UNIFORM_BUFFER, 0, buffer, -256, 256));
   GIVES(GL_NO_ERROR, glBindBufferRange(GL_UNIFORM_BUFFER, 0, buffer, 0, large_B));
   glGetInteger64i_v(GL_UNIFORM_BUFFER_SIZE, 0, &have_B);
   if (have_B != large_B)
      rules_fail(r, "a range of 2^32 bytes has %lld", (long long)have_B);
   expect_value(r, glGetUniformLocation(program, "u[4294967296]"), -1, "the location of none");
   glUseProgram(program);
   glUniform1ui(glGetUniformLocation(program, "u[1]"), UINT32_MAX - 1);
   glGetUniformiv(program, glGetUniformLocation(program, "u[1]"), &value);
   expect_value(r, value, INT32_MAX, "the integer nearest to a large unsigned one");
   glDeleteProgram(program);
   glDeleteBuffers(1, &buffer);
}

/* Section 2.15.2: what feedback uses is not linked, nor loaded. */
static void
wrong_in_use(struct rules *r)
{
   static const char *const names[] = { "v" };
   GLuint program = es3_program_capture(
      r, "out float v; void main() { v = 1.0; gl_Position = vec4(0.0); }", es3_fragment_none,
      &(struct es3_capture){ names, 1, GL_INTERLEAVED_ATTRIBS });
   GLuint buffer = new_buffer(GL_TRANSFORM_FEEDBACK_BUFFER, 64);
   GLint size_B = 0, linked = 0;
   GLsizei length = 0;
   GLenum format = 0, type;
   char text[8];
   glGetProgramiv(program, GL_PROGRAM_BINARY_LENGTH, &size_B);
   char *binary = malloc((size_t)size_B + 1);
   glGetProgramBinary(program, size_B, &length, &format, binary);
   glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
   GIVES(GL_INVALID_VALUE, glProgramBinary(program, format, binary, -1));
   GIVES(GL_INVALID_VALUE,
         glGetTransformFeedbackVarying(program, 0, -1, &length, &length, &type, text));
   glBeginTransformFeedback(GL_POINTS);
   GIVES(GL_INVALID_OPERATION, glLinkProgram(program));
   GIVES(GL_INVALID_OPERATION, glProgramBinary(program, format, binary, size_B));
   glPauseTransformFeedback();
   GIVES(GL_INVALID_OPERATION, glProgramBinary(program, format, binary, size_B));
   glEndTransformFeedback();
   glGetProgramiv(program, GL_LINK_STATUS, &linked);
   expect_value(r, linked, GL_TRUE, "the link status of a program that is used");
   GIVES(GL_NO_ERROR, glProgramBinary(program, format, binary, size_B));
   free(binary);
   glDeleteBuffers(1, &buffer);
   glDeleteProgram(program);
}

static void (*const topics[])(struct rules *r) = {
   wrong_attributes,
   wrong_vertex_arrays,
   wrong_draws,
   wrong_maps,
   wrong_flushes,
   wrong_buffer_copies,
   wrong_ranges,
   wrong_uniforms,
   wrong_blocks,
   wrong_programs,
   wrong_queries,
   wrong_feedback_objects,
   wrong_storage,
   wrong_images,
   wrong_parts,
   wrong_compressed,
   wrong_copies,
   wrong_texture_state,
   wrong_samplers,
   wrong_pixel_store,
   wrong_unpack_buffers,
   wrong_pack_buffers,
   wrong_draw_buffers,
   wrong_clears,
   wrong_invalidations,
   wrong_layers,
   wrong_renderbuffers,
   wrong_blit_kinds,
   wrong_blit_samples,
   wrong_blits,
   wrong_syncs,
   wrong_states,
   wrong_numbers,
   wrong_in_use,
   wrong_without_extensions,
};

_Static_assert(COUNT(topics) == ES3_ERROR_TOPICS, "each topic is a case");

void
es3_errors(struct rules *r)
{
   while (rules_next(r))
      topics[r->n % ES3_ERROR_TOPICS](r);
}
