/* SPDX-License-Identifier: MIT
 *
 * State of OpenGL ES 3.0 that is set to random values and asked for: see es3_state.c.
 */
#include "es3_state.h"

#include <math.h>
#include <string.h>

enum { SIZE_PX = 8 };

static const GLenum comparisons[] = { GL_NEVER,   GL_LESS,     GL_EQUAL,  GL_LEQUAL,
                                      GL_GREATER, GL_NOTEQUAL, GL_GEQUAL, GL_ALWAYS };
static const GLenum wraps[] = { GL_REPEAT, GL_CLAMP_TO_EDGE, GL_MIRRORED_REPEAT };
static const GLenum usages[] = { GL_STREAM_DRAW,  GL_STREAM_READ,  GL_STREAM_COPY,
                                 GL_STATIC_DRAW,  GL_STATIC_READ,  GL_STATIC_COPY,
                                 GL_DYNAMIC_DRAW, GL_DYNAMIC_READ, GL_DYNAMIC_COPY };

/* ------------------------------------------------------------------------- pixels, fragments */

static void
set_pixel_store(struct rules *r)
{
   static const GLenum names[] = { GL_UNPACK_ROW_LENGTH,  GL_UNPACK_SKIP_ROWS,
                                   GL_UNPACK_SKIP_PIXELS, GL_UNPACK_SKIP_IMAGES,
                                   GL_PACK_ROW_LENGTH,    GL_PACK_SKIP_ROWS,
                                   GL_PACK_SKIP_PIXELS,   GL_UNPACK_IMAGE_HEIGHT };
   int values[COUNT(names)];
   for (size_t i = 0; i < COUNT(names); i++)
      glPixelStorei(names[i], values[i] = rules_between(r, 0, 9999));
   for (size_t i = 0; i < COUNT(names); i++) {
      expect_get(r, names[i], "a parameter of glPixelStorei()", values[i]);
      glPixelStorei(names[i], 0);
   }
}

/* Colours that are not clamped: sections 4.1.7 and 4.2.3. A depth is. */
static void
set_fragments(struct rules *r)
{
   static const GLenum equations[] = { GL_MIN, GL_MAX, GL_FUNC_ADD };
   static const GLenum hints[] = { GL_FASTEST, GL_NICEST, GL_DONT_CARE };
   const GLenum equation = rules_pick(r, equations), hint = rules_pick(r, hints);
   const bool restart = rules_chance(r, 50), discard = rules_chance(r, 50);
   float c[4], have[4], depth = -1;
   for (int i = 0; i < 4; i++)
      c[i] = (float)rules_between(r, -999, 999) / 64;
   glClearColor(c[0], c[1], c[2], c[3]);
   glBlendColor(c[3], c[2], c[1], c[0]);
   glClearDepthf(c[0]);
   glGetFloatv(GL_COLOR_CLEAR_VALUE, have);
   expect_true(r, !memcmp(have, c, sizeof(c)), "a clear colour is not clamped");
   glGetFloatv(GL_BLEND_COLOR, have);
   for (int i = 0; i < 4; i++)
      expect_true(r, have[i] == c[3 - i], "a blend colour is not clamped");
   glGetFloatv(GL_DEPTH_CLEAR_VALUE, &depth);
   expect_true(r, depth == fminf(fmaxf(c[0], 0), 1), "a depth is clamped");
   glBlendEquation(equation);
   GET(GL_BLEND_EQUATION_RGB, equation);
   GET(GL_BLEND_EQUATION_ALPHA, equation);
   glHint(GL_FRAGMENT_SHADER_DERIVATIVE_HINT, hint);
   GET(GL_FRAGMENT_SHADER_DERIVATIVE_HINT, hint);
   (restart ? glEnable : glDisable)(GL_PRIMITIVE_RESTART_FIXED_INDEX);
   (discard ? glEnable : glDisable)(GL_RASTERIZER_DISCARD);
   GET(GL_PRIMITIVE_RESTART_FIXED_INDEX, restart);
   GET(GL_RASTERIZER_DISCARD, discard);
   expect_true(r, glIsEnabled(GL_PRIMITIVE_RESTART_FIXED_INDEX) == restart, "restart is enabled");
   expect_true(r, glIsEnabled(GL_RASTERIZER_DISCARD) == discard, "discard is enabled");
   glDisable(GL_PRIMITIVE_RESTART_FIXED_INDEX);
   glDisable(GL_RASTERIZER_DISCARD);
}

/* ------------------------------------------------------------------------ textures, samplers */

struct parameter {
   GLenum name;
   float value;
};

static size_t
choose_sampler(struct rules *r, struct parameter p[9])
{
   const struct parameter chosen[9] = {
      { GL_TEXTURE_WRAP_S, (float)rules_pick(r, wraps) },
      { GL_TEXTURE_WRAP_T, (float)rules_pick(r, wraps) },
      { GL_TEXTURE_WRAP_R, (float)rules_pick(r, wraps) },
      { GL_TEXTURE_MAG_FILTER, (float)rules_min_filters[rules_below(r, 2)] },
      { GL_TEXTURE_MIN_FILTER, (float)rules_pick(r, rules_min_filters) },
      { GL_TEXTURE_COMPARE_MODE, rules_chance(r, 50) ? GL_COMPARE_REF_TO_TEXTURE : GL_NONE },
      { GL_TEXTURE_COMPARE_FUNC, (float)rules_pick(r, comparisons) },
      { GL_TEXTURE_MIN_LOD, (float)rules_between(r, -9999, 9999) / 4 },
      { GL_TEXTURE_MAX_LOD, (float)rules_between(r, -9999, 9999) / 4 },
   };
   memcpy(p, chosen, sizeof(chosen));
   return COUNT(chosen);
}

/* A float that is asked for as an integer is rounded (section 6.1.2), halves either way. */
static void
expect_parameter(const struct rules *r, const struct parameter *p, GLint whole, GLfloat real)
{
   if (real != p->value || fabsf((float)whole - p->value) > 0.5f)
      rules_fail(r, "parameter 0x%04x is %d and %g, not %g", p->name, whole, real, p->value);
}

static void
set_sampler(struct rules *r)
{
   const int unit = rules_between(r, 0, es3_limit(GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS) - 1);
   struct parameter p[9];
   GLuint sampler;
   glGenSamplers(1, &sampler);
   const size_t count = choose_sampler(r, p);
   for (size_t i = 0; i < count; i++) {
      const GLint whole = (GLint)p[i].value;
      const bool is_whole = (float)whole == p[i].value;
      switch (is_whole ? rules_below(r, 4) : rules_below(r, 2)) {
      case 0:
         glSamplerParameterf(sampler, p[i].name, p[i].value);
         break;
      case 1:
         glSamplerParameterfv(sampler, p[i].name, &p[i].value);
         break;
      case 2:
         glSamplerParameteri(sampler, p[i].name, whole);
         break;
      default:
         glSamplerParameteriv(sampler, p[i].name, &whole);
      }
   }
   for (size_t i = 0; i < count; i++) {
      GLint whole = -1;
      GLfloat real = -1;
      glGetSamplerParameteriv(sampler, p[i].name, &whole);
      glGetSamplerParameterfv(sampler, p[i].name, &real);
      expect_parameter(r, &p[i], whole, real);
   }
   glActiveTexture(GL_TEXTURE0 + (GLenum)unit);
   glBindSampler((GLuint)unit, sampler);
   GET(GL_SAMPLER_BINDING, sampler);
   glActiveTexture(GL_TEXTURE0 + (GLenum)(unit == 0));
   GET(GL_SAMPLER_BINDING, 0);
   glActiveTexture(GL_TEXTURE0 + (GLenum)unit);
   glDeleteSamplers(1, &sampler);
   GET(GL_SAMPLER_BINDING, 0);
   glActiveTexture(GL_TEXTURE0);
}

static void
set_texture(struct rules *r)
{
   static const GLenum targets[] = { GL_TEXTURE_2D, GL_TEXTURE_3D, GL_TEXTURE_2D_ARRAY,
                                     GL_TEXTURE_CUBE_MAP };
   static const GLenum bindings[] = { GL_TEXTURE_BINDING_2D, GL_TEXTURE_BINDING_3D,
                                      GL_TEXTURE_BINDING_2D_ARRAY, GL_TEXTURE_BINDING_CUBE_MAP };
   static const GLenum sources[] = { GL_RED, GL_GREEN, GL_BLUE, GL_ALPHA, GL_ZERO, GL_ONE };
   const uint32_t kind = rules_below(r, COUNT(targets));
   const GLenum target = targets[kind];
   struct parameter p[15];
   GLuint texture;
   glGenTextures(1, &texture);
   glBindTexture(target, texture);
   expect_get(r, bindings[kind], "the binding of a texture", (GLint)texture);
   size_t count = choose_sampler(r, p);
   for (GLenum i = 0; i < 4; i++)
      p[count++] = (struct parameter){ GL_TEXTURE_SWIZZLE_R + i, (float)rules_pick(r, sources) };
   p[count++] = (struct parameter){ GL_TEXTURE_BASE_LEVEL, (float)rules_between(r, 0, 999) };
   p[count++] = (struct parameter){ GL_TEXTURE_MAX_LEVEL, (float)rules_between(r, 0, 9999) };
   for (size_t i = 0; i < count; i++) {
      if (rules_chance(r, 50) || p[i].value != floorf(p[i].value))
         glTexParameterf(target, p[i].name, p[i].value);
      else
         glTexParameteri(target, p[i].name, (GLint)p[i].value);
   }
   for (size_t i = 0; i < count; i++) {
      GLint whole = -1;
      GLfloat real = -1;
      glGetTexParameteriv(target, p[i].name, &whole);
      glGetTexParameterfv(target, p[i].name, &real);
      expect_parameter(r, &p[i], whole, real);
   }
   glDeleteTextures(1, &texture);
   expect_get(r, bindings[kind], "the binding of a deleted texture", 0);
}

static void
set_storage(struct rules *r)
{
   const GLenum target = rules_chance(r, 50) ? GL_TEXTURE_2D_ARRAY : GL_TEXTURE_3D;
   const int levels = rules_between(r, 1, 4);
   GLuint texture;
   glGenTextures(1, &texture);
   glBindTexture(target, texture);
   glTexStorage3D(target, levels, GL_RGBA8, SIZE_PX, SIZE_PX, SIZE_PX);
   OF(glGetTexParameteriv, target, GL_TEXTURE_IMMUTABLE_FORMAT, GL_TRUE);
   OF(glGetTexParameteriv, target, GL_TEXTURE_IMMUTABLE_LEVELS, levels);
   glDeleteTextures(1, &texture);
}

/* ----------------------------------------------------------------------------------- buffers */

static void
set_buffer(struct rules *r)
{
   static const GLenum targets[] = { GL_COPY_READ_BUFFER,  GL_COPY_WRITE_BUFFER,
                                     GL_PIXEL_PACK_BUFFER, GL_PIXEL_UNPACK_BUFFER,
                                     GL_UNIFORM_BUFFER,    GL_TRANSFORM_FEEDBACK_BUFFER };
   static const GLenum bindings[] = {
      GL_COPY_READ_BUFFER_BINDING,  GL_COPY_WRITE_BUFFER_BINDING,
      GL_PIXEL_PACK_BUFFER_BINDING, GL_PIXEL_UNPACK_BUFFER_BINDING,
      GL_UNIFORM_BUFFER_BINDING,    GL_TRANSFORM_FEEDBACK_BUFFER_BINDING
   };
   static const GLbitfield accesses[] = { GL_MAP_READ_BIT,
                                          GL_MAP_WRITE_BIT,
                                          GL_MAP_READ_BIT | GL_MAP_WRITE_BIT,
                                          GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_RANGE_BIT,
                                          GL_MAP_WRITE_BIT | GL_MAP_FLUSH_EXPLICIT_BIT,
                                          GL_MAP_WRITE_BIT | GL_MAP_UNSYNCHRONIZED_BIT };
   const uint32_t kind = rules_below(r, COUNT(targets));
   const GLenum at = targets[kind], usage = rules_pick(r, usages);
   const int size_B = rules_between(r, 100, 5000), offset_B = rules_between(r, 0, 49);
   const int length_B = rules_between(r, 1, 50);
   const GLbitfield access = rules_pick(r, accesses);
   GLint64 wide = -1;
   GLuint buffer = new_buffer(at, 1);
   void *pointer = NULL;
   glBufferData(at, size_B, NULL, usage);
   expect_get(r, bindings[kind], "the binding of a buffer", (GLint)buffer);
   OF(glGetBufferParameteriv, at, GL_BUFFER_SIZE, size_B);
   OF(glGetBufferParameteriv, at, GL_BUFFER_USAGE, usage);
   const void *mapped = glMapBufferRange(at, offset_B, length_B, access);
   OF(glGetBufferParameteriv, at, GL_BUFFER_MAPPED, GL_TRUE);
   OF(glGetBufferParameteriv, at, GL_BUFFER_ACCESS_FLAGS, access);
   OF(glGetBufferParameteriv, at, GL_BUFFER_MAP_OFFSET, offset_B);
   glGetBufferParameteri64v(at, GL_BUFFER_MAP_LENGTH, &wide);
   expect_value(r, (GLint)wide, length_B, "the length of what is mapped");
   glGetBufferPointerv(at, GL_BUFFER_MAP_POINTER, &pointer);
   expect_true(r, pointer == mapped, "the address of what is mapped can be asked for");
   if (rules_chance(r, 50))
      glUnmapBuffer(at);
   else /* which unmaps, too: section 2.9.2 */
      glBufferData(at, size_B, NULL, usage);
   OF(glGetBufferParameteriv, at, GL_BUFFER_MAPPED, GL_FALSE);
   OF(glGetBufferParameteriv, at, GL_BUFFER_ACCESS_FLAGS, 0);
   OF(glGetBufferParameteriv, at, GL_BUFFER_MAP_LENGTH, 0);
   glDeleteBuffers(1, &buffer);
   expect_get(r, bindings[kind], "the binding of a deleted buffer", 0);
}

static void
expect_range(const struct rules *r, GLenum start, GLenum size, GLuint index, GLint64 start_B,
             GLint64 size_B)
{
   GLint64 have_start = -1, have_size = -1;
   glGetInteger64i_v(start, index, &have_start);
   glGetInteger64i_v(size, index, &have_size);
   if (have_start != start_B || have_size != size_B)
      rules_fail(r, "range %u is %lld, %lld, not %lld, %lld", index, (long long)have_start,
                 (long long)have_size, (long long)start_B, (long long)size_B);
}

/* Ranges of blocks and of what is captured: they may end beyond the buffer (section 2.9.1). */
static void
set_ranges(struct rules *r)
{
   const GLuint blocks = (GLuint)es3_limit(GL_MAX_UNIFORM_BUFFER_BINDINGS);
   const GLuint captures = (GLuint)es3_limit(GL_MAX_TRANSFORM_FEEDBACK_SEPARATE_ATTRIBS);
   const GLuint block = rules_below(r, blocks), capture = rules_below(r, captures);
   const int step = es3_limit(GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT);
   const int at_B = step * rules_between(r, 0, 4), size_B = rules_between(r, 1, 9999);
   const int from_B = 4 * rules_between(r, 0, 99), length_B = 4 * rules_between(r, 1, 99);
   GLuint b = new_buffer(GL_UNIFORM_BUFFER, 2048);
   glBindBufferRange(GL_UNIFORM_BUFFER, block, b, at_B, size_B);
   glBindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, capture, b, from_B, length_B);
   OF(glGetIntegeri_v, GL_UNIFORM_BUFFER_BINDING, block, b);
   OF(glGetIntegeri_v, GL_UNIFORM_BUFFER_BINDING, (block + 1) % blocks, 0);
   OF(glGetIntegeri_v, GL_TRANSFORM_FEEDBACK_BUFFER_BINDING, capture, b);
   OF(glGetIntegeri_v, GL_TRANSFORM_FEEDBACK_BUFFER_BINDING, (capture + 1) % captures, 0);
   GET(GL_UNIFORM_BUFFER_BINDING, b); /* a range is bound to the target, too */
   GET(GL_TRANSFORM_FEEDBACK_BUFFER_BINDING, b);
   expect_range(r, GL_UNIFORM_BUFFER_START, GL_UNIFORM_BUFFER_SIZE, block, at_B, size_B);
   expect_range(r, GL_TRANSFORM_FEEDBACK_BUFFER_START, GL_TRANSFORM_FEEDBACK_BUFFER_SIZE, capture,
                from_B, length_B);
   glBindBufferBase(GL_UNIFORM_BUFFER, block, b);
   glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, capture, b);
   expect_range(r, GL_UNIFORM_BUFFER_START, GL_UNIFORM_BUFFER_SIZE, block, 0, 0);
   expect_range(r, GL_TRANSFORM_FEEDBACK_BUFFER_START, GL_TRANSFORM_FEEDBACK_BUFFER_SIZE, capture,
                0, 0);
   glDeleteBuffers(1, &b);
   OF(glGetIntegeri_v, GL_UNIFORM_BUFFER_BINDING, block, 0);
   OF(glGetIntegeri_v, GL_TRANSFORM_FEEDBACK_BUFFER_BINDING, capture, 0);
   GET(GL_UNIFORM_BUFFER_BINDING, 0);
}

/* -------------------------------------------------------------------------------- attributes */

struct array {
   GLuint object, buffer, elements;
   int size, stride_B;
   GLenum type;
   bool integer, normalized, enabled;
   GLuint divisor;
   uintptr_t offset_B;
};

static void
set_array(struct rules *r, struct array *a, GLuint index)
{
   static const GLenum types[] = { GL_BYTE,           GL_UNSIGNED_BYTE, GL_SHORT,
                                   GL_UNSIGNED_SHORT, GL_INT,           GL_UNSIGNED_INT,
                                   GL_FLOAT,          GL_HALF_FLOAT,    GL_FIXED };
   a->integer = rules_chance(r, 50);
   a->type = types[rules_below(r, a->integer ? 6 : COUNT(types))];
   a->size = rules_between(r, 1, 4), a->stride_B = rules_between(r, 0, 255);
   a->normalized = !a->integer && rules_chance(r, 50), a->enabled = rules_chance(r, 50);
   a->divisor = rules_below(r, 1000), a->offset_B = rules_below(r, 1000);
   glGenVertexArrays(1, &a->object);
   glBindVertexArray(a->object);
   expect_true(r, glIsVertexArray(a->object), "an object that is bound is one");
   a->elements = new_buffer(GL_ELEMENT_ARRAY_BUFFER, 16);
   a->buffer = new_buffer(GL_ARRAY_BUFFER, 16);
   if (a->integer)
      glVertexAttribIPointer(index, a->size, a->type, a->stride_B, (void *)a->offset_B);
   else
      glVertexAttribPointer(index, a->size, a->type, a->normalized, a->stride_B,
                            (void *)a->offset_B);
   if (a->enabled)
      glEnableVertexAttribArray(index);
   glVertexAttribDivisor(index, a->divisor);
}

static void
expect_array(const struct rules *r, const struct array *a, GLuint index)
{
   void *pointer = NULL;
   GET(GL_VERTEX_ARRAY_BINDING, a->object);
   GET(GL_ELEMENT_ARRAY_BUFFER_BINDING, a->elements);
   OF(glGetVertexAttribiv, index, GL_VERTEX_ATTRIB_ARRAY_SIZE, a->size);
   OF(glGetVertexAttribiv, index, GL_VERTEX_ATTRIB_ARRAY_TYPE, a->type);
   OF(glGetVertexAttribiv, index, GL_VERTEX_ATTRIB_ARRAY_STRIDE, a->stride_B);
   OF(glGetVertexAttribiv, index, GL_VERTEX_ATTRIB_ARRAY_NORMALIZED, a->normalized);
   OF(glGetVertexAttribiv, index, GL_VERTEX_ATTRIB_ARRAY_INTEGER, a->integer);
   OF(glGetVertexAttribiv, index, GL_VERTEX_ATTRIB_ARRAY_ENABLED, a->enabled);
   OF(glGetVertexAttribiv, index, GL_VERTEX_ATTRIB_ARRAY_BUFFER_BINDING, a->buffer);
   OF(glGetVertexAttribIiv, index, GL_VERTEX_ATTRIB_ARRAY_DIVISOR, a->divisor);
   glGetVertexAttribPointerv(index, GL_VERTEX_ATTRIB_ARRAY_POINTER, &pointer);
   expect_true(r, (uintptr_t)pointer == a->offset_B, "an array's pointer is what was set");
}

/* Two objects with arrays of their own. A buffer that is deleted stays in the one not bound. */
static void
set_arrays(struct rules *r)
{
   const GLuint index = rules_below(r, (uint32_t)es3_limit(GL_MAX_VERTEX_ATTRIBS));
   struct array a = { 0 }, b = { 0 };
   set_array(r, &a, index);
   set_array(r, &b, index);
   expect_array(r, &b, index);
   glDeleteBuffers(1, &a.buffer);
   glBindVertexArray(a.object);
   expect_array(r, &a, index);
   glDeleteVertexArrays(2, (const GLuint[]){ a.object, b.object });
   GET(GL_VERTEX_ARRAY_BINDING, 0);
   GET(GL_ELEMENT_ARRAY_BUFFER_BINDING, 0);
   OF(glGetVertexAttribiv, index, GL_VERTEX_ATTRIB_ARRAY_DIVISOR, 0);
   glDeleteBuffers(3, (const GLuint[]){ a.elements, b.elements, b.buffer });
}

static void
set_attribute(struct rules *r)
{
   const GLuint index = rules_below(r, (uint32_t)es3_limit(GL_MAX_VERTEX_ATTRIBS));
   GLuint v[4], words[4] = { 0 };
   GLint whole[4] = { 0 };
   for (int i = 0; i < 4; i++)
      v[i] = es3_random_bits(r);
   glVertexAttribI4ui(index, v[0], v[1], v[2], v[3]);
   glGetVertexAttribIuiv(index, GL_CURRENT_VERTEX_ATTRIB, words);
   expect_true(r, !memcmp(words, v, sizeof(v)), "unsigned values are what was set");
   glVertexAttribI4i(index, (GLint)v[3], (GLint)v[2], (GLint)v[1], (GLint)v[0]);
   glGetVertexAttribIiv(index, GL_CURRENT_VERTEX_ATTRIB, whole);
   for (int i = 0; i < 4; i++)
      expect_true(r, whole[i] == (GLint)v[3 - i], "signed values are what was set");
   glVertexAttrib4f(index, 0, 0, 0, 1);
}

/* ------------------------------------------------------------------- programs, queries, feedback
 */

static void
set_program(struct rules *r)
{
   static const char *const names[] = { "v", "w" };
   const GLenum mode = rules_chance(r, 50) ? GL_SEPARATE_ATTRIBS : GL_INTERLEAVED_ATTRIBS;
   GLuint program = es3_program_capture(
      r,
      "layout(std140) uniform block { vec4 a; }; uniform uvec3 words; uniform mat2x3 matrix;\n"
      "out vec3 v; flat out uvec2 w;\n"
      "void main() { v = a.xyz + matrix[1] * matrix[0]; w = words.xy + words.z;\n"
      "   gl_Position = a; }\n",
      es3_fragment_none, &(struct es3_capture){ names, 2, mode });
   const GLint words = glGetUniformLocation(program, "words");
   const GLint matrix = glGetUniformLocation(program, "matrix");
   const GLuint block = glGetUniformBlockIndex(program, "block");
   const GLuint binding = rules_below(r, (uint32_t)es3_limit(GL_MAX_UNIFORM_BUFFER_BINDINGS));
   const GLuint v[3] = { es3_random_bits(r), es3_random_bits(r), es3_random_bits(r) };
   GLuint have[3] = { 0 };
   GLfloat m[6], have_m[6] = { 0 };
   for (int i = 0; i < 6; i++)
      m[i] = rules_float(r, -9, 9);
   glUniform3uiv(words, 1, v);
   glUniformMatrix2x3fv(matrix, 1, GL_TRUE, m); /* rows: two numbers each */
   glGetUniformuiv(program, words, have);
   glGetUniformfv(program, matrix, have_m);
   expect_true(r, !memcmp(have, v, sizeof(v)), "unsigned uniforms are what was set");
   for (int i = 0; i < 6; i++)
      expect_true(r, have_m[i] == m[i % 3 * 2 + i / 3], "a matrix that is transposed is so");
   OF(glGetProgramiv, program, GL_ACTIVE_UNIFORM_BLOCKS, 1);
   OF(glGetProgramiv, program, GL_ACTIVE_UNIFORM_BLOCK_MAX_NAME_LENGTH, sizeof("block"));
   OF(glGetProgramiv, program, GL_TRANSFORM_FEEDBACK_BUFFER_MODE, mode);
   OF(glGetProgramiv, program, GL_TRANSFORM_FEEDBACK_VARYINGS, 2);
   OF(glGetProgramiv, program, GL_TRANSFORM_FEEDBACK_VARYING_MAX_LENGTH, 2);
   glUniformBlockBinding(program, block, binding);
   GLint value = -1;
   glGetActiveUniformBlockiv(program, block, GL_UNIFORM_BLOCK_BINDING, &value);
   expect_value(r, value, (GLint)binding, "the binding of a block");
   glGetActiveUniformBlockiv(program, block, GL_UNIFORM_BLOCK_DATA_SIZE, &value);
   expect_value(r, value, 16, "the size of a block");
   glLinkProgram(program);
   glGetActiveUniformBlockiv(program, block, GL_UNIFORM_BLOCK_BINDING, &value);
   expect_value(r, value, 0, "the binding of a block that was linked again");
   glDeleteProgram(program);
}

static void
set_query(struct rules *r)
{
   static const GLenum targets[] = { GL_ANY_SAMPLES_PASSED, GL_ANY_SAMPLES_PASSED_CONSERVATIVE,
                                     GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN };
   const uint32_t kind = rules_below(r, COUNT(targets));
   GLuint query, available = 7;
   glGenQueries(1, &query);
   glBeginQuery(targets[kind], query);
   expect_true(r, glIsQuery(query), "a query that was begun is one");
   for (uint32_t i = 0; i < COUNT(targets); i++)
      expect_of(r, glGetQueryiv, targets[i], GL_CURRENT_QUERY, "the current query",
                i == kind ? (GLint)query : 0);
   glEndQuery(targets[kind]);
   expect_of(r, glGetQueryiv, targets[kind], GL_CURRENT_QUERY, "the current query", 0);
   glFinish();
   glGetQueryObjectuiv(query, GL_QUERY_RESULT_AVAILABLE, &available);
   expect_value(r, (GLint)available, GL_TRUE, "whether a result is there after glFinish()");
   glDeleteQueries(1, &query);
   expect_true(r, !glIsQuery(query), "a query that was deleted is none");
}

/* An object has its own buffers, and is active or paused by itself. */
static void
set_feedback(struct rules *r)
{
   static const char *const names[] = { "v" };
   const bool paused = rules_chance(r, 50);
   GLuint object, program = es3_program_capture(
                     r, "out float v; void main() { v = 1.0; gl_Position = vec4(0.0); }\n",
                     es3_fragment_none, &(struct es3_capture){ names, 1, GL_SEPARATE_ATTRIBS });
   glGenTransformFeedbacks(1, &object);
   glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, object);
   expect_true(r, glIsTransformFeedback(object), "an object that is bound is one");
   GET(GL_TRANSFORM_FEEDBACK_BINDING, object);
   GLuint buffer = new_buffer(GL_TRANSFORM_FEEDBACK_BUFFER, 64);
   glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
   glBeginTransformFeedback(GL_POINTS);
   GET(GL_TRANSFORM_FEEDBACK_ACTIVE, GL_TRUE);
   GET(GL_TRANSFORM_FEEDBACK_PAUSED, GL_FALSE);
   if (paused) {
      glPauseTransformFeedback();
      GET(GL_TRANSFORM_FEEDBACK_ACTIVE, GL_TRUE);
      GET(GL_TRANSFORM_FEEDBACK_PAUSED, GL_TRUE);
      glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, 0);
      GET(GL_TRANSFORM_FEEDBACK_ACTIVE, GL_FALSE);
      GET(GL_TRANSFORM_FEEDBACK_PAUSED, GL_FALSE);
      OF(glGetIntegeri_v, GL_TRANSFORM_FEEDBACK_BUFFER_BINDING, 0, 0);
      glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, object);
   }
   OF(glGetIntegeri_v, GL_TRANSFORM_FEEDBACK_BUFFER_BINDING, 0, buffer);
   glEndTransformFeedback();
   GET(GL_TRANSFORM_FEEDBACK_ACTIVE, GL_FALSE);
   GET(GL_TRANSFORM_FEEDBACK_PAUSED, GL_FALSE);
   glDeleteTransformFeedbacks(1, &object);
   glDeleteBuffers(1, &buffer);
   glDeleteProgram(program);
}

/* ----------------------------------------------------------------------------- frame buffers */

/* Bits of red, green, blue, alpha, depth and stencil, exactly: sections 3.8.3.1 and 4.4.2.1. */
static const struct format {
   GLenum name;
   GLint bits[6];
   GLenum type, encoding;
} formats[] = {
   { GL_RGBA8, { 8, 8, 8, 8 }, GL_UNSIGNED_NORMALIZED, GL_LINEAR },
   { GL_RGB8, { 8, 8, 8 }, GL_UNSIGNED_NORMALIZED, GL_LINEAR },
   { GL_RG8, { 8, 8 }, GL_UNSIGNED_NORMALIZED, GL_LINEAR },
   { GL_R8, { 8 }, GL_UNSIGNED_NORMALIZED, GL_LINEAR },
   { GL_RGB565, { 5, 6, 5 }, GL_UNSIGNED_NORMALIZED, GL_LINEAR },
   { GL_RGBA4, { 4, 4, 4, 4 }, GL_UNSIGNED_NORMALIZED, GL_LINEAR },
   { GL_RGB5_A1, { 5, 5, 5, 1 }, GL_UNSIGNED_NORMALIZED, GL_LINEAR },
   { GL_RGB10_A2, { 10, 10, 10, 2 }, GL_UNSIGNED_NORMALIZED, GL_LINEAR },
   { GL_SRGB8_ALPHA8, { 8, 8, 8, 8 }, GL_UNSIGNED_NORMALIZED, GL_SRGB },
   { GL_RGBA8I, { 8, 8, 8, 8 }, GL_INT, GL_LINEAR },
   { GL_RG16UI, { 16, 16 }, GL_UNSIGNED_INT, GL_LINEAR },
   { GL_RGB10_A2UI, { 10, 10, 10, 2 }, GL_UNSIGNED_INT, GL_LINEAR },
   { GL_R32I, { 32 }, GL_INT, GL_LINEAR },
   { GL_RGBA32UI, { 32, 32, 32, 32 }, GL_UNSIGNED_INT, GL_LINEAR },
   { GL_DEPTH_COMPONENT16, { 0, 0, 0, 0, 16 }, GL_UNSIGNED_NORMALIZED, GL_LINEAR },
   { GL_DEPTH_COMPONENT24, { 0, 0, 0, 0, 24 }, GL_UNSIGNED_NORMALIZED, GL_LINEAR },
   { GL_DEPTH_COMPONENT32F, { 0, 0, 0, 0, 32 }, GL_FLOAT, GL_LINEAR },
   { GL_DEPTH24_STENCIL8, { 0, 0, 0, 0, 24, 8 }, GL_UNSIGNED_NORMALIZED, GL_LINEAR },
   { GL_DEPTH32F_STENCIL8, { 0, 0, 0, 0, 32, 8 }, GL_FLOAT, GL_LINEAR },
};

static GLint
of_attachment(GLenum attachment, GLenum name)
{
   GLint value = -99;
   glGetFramebufferAttachmentParameteriv(GL_FRAMEBUFFER, attachment, name, &value);
   return value;
}

static void
expect_attachment(const struct rules *r, const struct format *f, GLenum attachment)
{
   static const GLenum of_framebuffer[] = {
      GL_FRAMEBUFFER_ATTACHMENT_RED_SIZE,   GL_FRAMEBUFFER_ATTACHMENT_GREEN_SIZE,
      GL_FRAMEBUFFER_ATTACHMENT_BLUE_SIZE,  GL_FRAMEBUFFER_ATTACHMENT_ALPHA_SIZE,
      GL_FRAMEBUFFER_ATTACHMENT_DEPTH_SIZE, GL_FRAMEBUFFER_ATTACHMENT_STENCIL_SIZE
   };
   for (size_t i = 0; i < COUNT(of_framebuffer); i++) {
      const GLint have = of_attachment(attachment, of_framebuffer[i]);
      if (have != f->bits[i])
         rules_fail(r, "component %zu of 0x%04x has %d bits, not %d", i, f->name, have, f->bits[i]);
   }
   if (attachment != GL_DEPTH_STENCIL_ATTACHMENT) /* which has two types: section 6.1.13 */
      expect_value(r, of_attachment(attachment, GL_FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE),
                   (GLint)f->type, "the type of an attachment's components");
   expect_value(r, of_attachment(attachment, GL_FRAMEBUFFER_ATTACHMENT_COLOR_ENCODING),
                (GLint)f->encoding, "the encoding of an attachment");
}

static void
set_renderbuffer(struct rules *r, const struct format *f, GLenum attachment)
{
   const int width = rules_between(r, 1, 99), height = rules_between(r, 1, 99);
   GLuint name;
   glGenRenderbuffers(1, &name);
   glBindRenderbuffer(GL_RENDERBUFFER, name);
   glRenderbufferStorage(GL_RENDERBUFFER, f->name, width, height);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, name);
   OF(glGetRenderbufferParameteriv, GL_RENDERBUFFER, GL_RENDERBUFFER_WIDTH, width);
   OF(glGetRenderbufferParameteriv, GL_RENDERBUFFER, GL_RENDERBUFFER_HEIGHT, height);
   OF(glGetRenderbufferParameteriv, GL_RENDERBUFFER, GL_RENDERBUFFER_INTERNAL_FORMAT, f->name);
   OF(glGetRenderbufferParameteriv, GL_RENDERBUFFER, GL_RENDERBUFFER_SAMPLES, 0);
   OF(glGetRenderbufferParameteriv, GL_RENDERBUFFER, GL_RENDERBUFFER_RED_SIZE, f->bits[0]);
   OF(glGetRenderbufferParameteriv, GL_RENDERBUFFER, GL_RENDERBUFFER_GREEN_SIZE, f->bits[1]);
   OF(glGetRenderbufferParameteriv, GL_RENDERBUFFER, GL_RENDERBUFFER_BLUE_SIZE, f->bits[2]);
   OF(glGetRenderbufferParameteriv, GL_RENDERBUFFER, GL_RENDERBUFFER_ALPHA_SIZE, f->bits[3]);
   OF(glGetRenderbufferParameteriv, GL_RENDERBUFFER, GL_RENDERBUFFER_DEPTH_SIZE, f->bits[4]);
   OF(glGetRenderbufferParameteriv, GL_RENDERBUFFER, GL_RENDERBUFFER_STENCIL_SIZE, f->bits[5]);
   expect_value(r, of_attachment(attachment, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE),
                GL_RENDERBUFFER, "the type of what is attached");
   expect_value(r, of_attachment(attachment, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME), (GLint)name,
                "the name of what is attached");
   expect_attachment(r, f, attachment);
   glDeleteRenderbuffers(1, &name);
   expect_value(r, of_attachment(attachment, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE), GL_NONE,
                "the type of what was deleted");
}

/* A layer of an array, or a face of a cube, of a level. */
static void
set_layer(struct rules *r, const struct format *f, GLenum attachment)
{
   const bool cube = rules_chance(r, 50);
   const GLenum target = cube ? GL_TEXTURE_CUBE_MAP : GL_TEXTURE_2D_ARRAY;
   const GLenum face = GL_TEXTURE_CUBE_MAP_POSITIVE_X + rules_below(r, 6);
   const int level = rules_between(r, 0, 3), layer = rules_between(r, 0, 6);
   GLuint name;
   glGenTextures(1, &name);
   glBindTexture(target, name);
   if (cube) {
      glTexStorage2D(target, 4, f->name, SIZE_PX, SIZE_PX);
      glFramebufferTexture2D(GL_FRAMEBUFFER, attachment, face, name, level);
   } else {
      glTexStorage3D(target, 4, f->name, SIZE_PX, SIZE_PX, 7);
      glFramebufferTextureLayer(GL_FRAMEBUFFER, attachment, name, level, layer);
   }
   expect_value(r, of_attachment(attachment, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE), GL_TEXTURE,
                "the type of what is attached");
   expect_value(r, of_attachment(attachment, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME), (GLint)name,
                "the name of what is attached");
   expect_value(r, of_attachment(attachment, GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LEVEL), level,
                "the level that is attached");
   expect_value(r, of_attachment(attachment, GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LAYER),
                cube ? 0 : layer, "the layer that is attached");
   expect_value(r, of_attachment(attachment, GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_CUBE_MAP_FACE),
                cube ? (GLint)face : 0, "the face that is attached");
   expect_attachment(r, f, attachment);
   glDeleteTextures(1, &name);
}

static void
set_attachments(struct rules *r)
{
   const struct format *f = &rules_pick(r, formats);
   GLuint name;
   glGenFramebuffers(1, &name);
   glBindFramebuffer(GL_FRAMEBUFFER, name);
   const GLenum attachment = !f->bits[4]
                                ? GL_COLOR_ATTACHMENT0 + rules_below(r, 4)
                                : (f->bits[5] ? GL_DEPTH_STENCIL_ATTACHMENT : GL_DEPTH_ATTACHMENT);
   set_renderbuffer(r, f, attachment);
   set_layer(r, f, attachment);
   glDeleteFramebuffers(1, &name);
}

/* Draw buffers and the read buffer are a frame buffer's own. */
static void
set_draw_buffers(struct rules *r)
{
   const int count = rules_between(r, 1, es3_limit(GL_MAX_DRAW_BUFFERS));
   const int most = es3_limit(GL_MAX_COLOR_ATTACHMENTS);
   const GLenum from = GL_COLOR_ATTACHMENT0 + rules_below(r, (uint32_t)most);
   GLenum buffers[32] = { GL_NONE };
   GLuint names[2];
   glGenFramebuffers(2, names);
   glBindFramebuffer(GL_FRAMEBUFFER, names[0]);
   for (int i = 0; i < count && i < (int)COUNT(buffers); i++)
      buffers[i] = i < most && rules_chance(r, 50) ? GL_COLOR_ATTACHMENT0 + (GLenum)i : GL_NONE;
   glDrawBuffers(count, buffers);
   glReadBuffer(from);
   glBindFramebuffer(GL_DRAW_FRAMEBUFFER, names[1]);
   GET(GL_DRAW_FRAMEBUFFER_BINDING, names[1]);
   GET(GL_READ_FRAMEBUFFER_BINDING, names[0]);
   GET(GL_DRAW_BUFFER0, GL_COLOR_ATTACHMENT0);
   GET(GL_READ_BUFFER, from);
   glBindFramebuffer(GL_READ_FRAMEBUFFER, names[1]);
   GET(GL_READ_BUFFER, GL_COLOR_ATTACHMENT0);
   glBindFramebuffer(GL_FRAMEBUFFER, names[0]);
   for (int i = 0; i < es3_limit(GL_MAX_DRAW_BUFFERS); i++)
      expect_get(r, GL_DRAW_BUFFER0 + (GLenum)i, "a draw buffer",
                 i < count ? (GLint)buffers[i] : GL_NONE);
   glDeleteFramebuffers(2, names);
   GET(GL_READ_FRAMEBUFFER_BINDING, 0);
   GET(GL_DRAW_FRAMEBUFFER_BINDING, 0);
}

void
set_states(struct rules *r)
{
   set_pixel_store(r);
   set_fragments(r);
   set_sampler(r);
   set_texture(r);
   set_storage(r);
   set_buffer(r);
   set_ranges(r);
   set_arrays(r);
   set_attribute(r);
   set_program(r);
   set_query(r);
   set_feedback(r);
   set_attachments(r);
   set_draw_buffers(r);
}
