/* SPDX-License-Identifier: MIT
 *
 * State that OpenGL ES 3.0 has beyond OpenGL ES 2.0: what it is at first (tables 6.2 to 6.27), its
 * limits (6.28 to 6.35), and what the queries of all types give back after it was set to random
 * values.
 */
#include "es3_state.h"

#include <stdlib.h>
#include <string.h>

void
expect_get(const struct rules *r, GLenum name, const char *text, GLint wanted)
{
   GLint whole = -99;
   GLint64 wide = -99;
   GLfloat real = -99;
   GLboolean truth = 99;
   glGetIntegerv(name, &whole);
   glGetInteger64v(name, &wide);
   glGetFloatv(name, &real);
   glGetBooleanv(name, &truth);
   if (whole != wanted || wide != wanted || real != (float)wanted || truth != (wanted != 0))
      rules_fail(r, "%s is %d, %lld, %g, %d, not %d", text, whole, (long long)wide, real, truth,
                 wanted);
}

void
expect_of(const struct rules *r, get_of get, GLuint object, GLenum name, const char *text,
          GLint wanted)
{
   GLint value = -99;
   get(object, name, &value);
   if (value != wanted)
      rules_fail(r, "%s is %d (0x%x), not %d (0x%x)", text, value, (unsigned)value, wanted,
                 (unsigned)wanted);
}

void
expect_true(const struct rules *r, bool truth, const char *what)
{
   if (!truth)
      rules_fail(r, "it is not so that %s", what);
}

/* ------------------------------------------------------------------------------------- at first */

static void
first_states(struct rules *r)
{
   GET(GL_PRIMITIVE_RESTART_FIXED_INDEX, GL_FALSE);
   GET(GL_RASTERIZER_DISCARD, GL_FALSE);
   GET(GL_TRANSFORM_FEEDBACK_BUFFER_BINDING, 0);
   GET(GL_TRANSFORM_FEEDBACK_BINDING, 0);
   GET(GL_TRANSFORM_FEEDBACK_ACTIVE, GL_FALSE);
   GET(GL_TRANSFORM_FEEDBACK_PAUSED, GL_FALSE);
   GET(GL_UNIFORM_BUFFER_BINDING, 0);
   GET(GL_COPY_READ_BUFFER_BINDING, 0);
   GET(GL_COPY_WRITE_BUFFER_BINDING, 0);
   GET(GL_PIXEL_PACK_BUFFER_BINDING, 0);
   GET(GL_PIXEL_UNPACK_BUFFER_BINDING, 0);
   GET(GL_VERTEX_ARRAY_BINDING, 0);
   GET(GL_SAMPLER_BINDING, 0);
   GET(GL_TEXTURE_BINDING_3D, 0);
   GET(GL_TEXTURE_BINDING_2D_ARRAY, 0);
   GET(GL_READ_FRAMEBUFFER_BINDING, 0);
   GET(GL_DRAW_FRAMEBUFFER_BINDING, 0);
   GET(GL_UNPACK_IMAGE_HEIGHT, 0);
   GET(GL_UNPACK_SKIP_IMAGES, 0);
   GET(GL_UNPACK_ROW_LENGTH, 0);
   GET(GL_UNPACK_SKIP_ROWS, 0);
   GET(GL_UNPACK_SKIP_PIXELS, 0);
   GET(GL_PACK_ROW_LENGTH, 0);
   GET(GL_PACK_SKIP_ROWS, 0);
   GET(GL_PACK_SKIP_PIXELS, 0);
   GET(GL_FRAGMENT_SHADER_DERIVATIVE_HINT, GL_DONT_CARE);
   GET(GL_MAJOR_VERSION, 3);
   for (GLuint i = 0; i < (GLuint)es3_limit(GL_MAX_UNIFORM_BUFFER_BINDINGS); i++) {
      OF(glGetIntegeri_v, GL_UNIFORM_BUFFER_BINDING, i, 0);
      OF(glGetIntegeri_v, GL_UNIFORM_BUFFER_START, i, 0);
      OF(glGetIntegeri_v, GL_UNIFORM_BUFFER_SIZE, i, 0);
   }
   for (GLuint i = 0; i < (GLuint)es3_limit(GL_MAX_TRANSFORM_FEEDBACK_SEPARATE_ATTRIBS); i++) {
      OF(glGetIntegeri_v, GL_TRANSFORM_FEEDBACK_BUFFER_BINDING, i, 0);
      OF(glGetIntegeri_v, GL_TRANSFORM_FEEDBACK_BUFFER_START, i, 0);
      OF(glGetIntegeri_v, GL_TRANSFORM_FEEDBACK_BUFFER_SIZE, i, 0);
   }
   for (GLuint i = 0; i < (GLuint)es3_limit(GL_MAX_VERTEX_ATTRIBS); i++) {
      OF(glGetVertexAttribiv, i, GL_VERTEX_ATTRIB_ARRAY_INTEGER, GL_FALSE);
      OF(glGetVertexAttribiv, i, GL_VERTEX_ATTRIB_ARRAY_DIVISOR, 0);
   }
}

/* Tables 6.10 and 6.11: of a new texture of this kind, and of a new sampler. */
static void
first_textures(struct rules *r, GLenum target)
{
   GLuint texture, sampler;
   glGenTextures(1, &texture);
   glBindTexture(target, texture);
   OF(glGetTexParameteriv, target, GL_TEXTURE_SWIZZLE_R, GL_RED);
   OF(glGetTexParameteriv, target, GL_TEXTURE_SWIZZLE_G, GL_GREEN);
   OF(glGetTexParameteriv, target, GL_TEXTURE_SWIZZLE_B, GL_BLUE);
   OF(glGetTexParameteriv, target, GL_TEXTURE_SWIZZLE_A, GL_ALPHA);
   OF(glGetTexParameteriv, target, GL_TEXTURE_BASE_LEVEL, 0);
   OF(glGetTexParameteriv, target, GL_TEXTURE_MAX_LEVEL, 1000);
   OF(glGetTexParameteriv, target, GL_TEXTURE_MIN_LOD, -1000);
   OF(glGetTexParameteriv, target, GL_TEXTURE_MAX_LOD, 1000);
   OF(glGetTexParameteriv, target, GL_TEXTURE_WRAP_R, GL_REPEAT);
   OF(glGetTexParameteriv, target, GL_TEXTURE_COMPARE_MODE, GL_NONE);
   OF(glGetTexParameteriv, target, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
   OF(glGetTexParameteriv, target, GL_TEXTURE_IMMUTABLE_FORMAT, GL_FALSE);
   OF(glGetTexParameteriv, target, GL_TEXTURE_IMMUTABLE_LEVELS, 0);
   glDeleteTextures(1, &texture);
   glGenSamplers(1, &sampler);
   expect_true(r, glIsSampler(sampler), "a new sampler is one");
   OF(glGetSamplerParameteriv, sampler, GL_TEXTURE_WRAP_S, GL_REPEAT);
   OF(glGetSamplerParameteriv, sampler, GL_TEXTURE_WRAP_T, GL_REPEAT);
   OF(glGetSamplerParameteriv, sampler, GL_TEXTURE_WRAP_R, GL_REPEAT);
   OF(glGetSamplerParameteriv, sampler, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_LINEAR);
   OF(glGetSamplerParameteriv, sampler, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
   OF(glGetSamplerParameteriv, sampler, GL_TEXTURE_MIN_LOD, -1000);
   OF(glGetSamplerParameteriv, sampler, GL_TEXTURE_MAX_LOD, 1000);
   OF(glGetSamplerParameteriv, sampler, GL_TEXTURE_COMPARE_MODE, GL_NONE);
   OF(glGetSamplerParameteriv, sampler, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
   glDeleteSamplers(1, &sampler);
   expect_true(r, !glIsSampler(sampler), "a deleted sampler is none");
}

/* Tables 6.3, 6.14 and 6.17: new buffers, frame buffers and renderbuffers. */
static void
first_buffers(struct rules *r)
{
   GLuint buffer, framebuffer, renderbuffer;
   void *pointer = &buffer;
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_COPY_READ_BUFFER, buffer);
   OF(glGetBufferParameteriv, GL_COPY_READ_BUFFER, GL_BUFFER_SIZE, 0);
   OF(glGetBufferParameteriv, GL_COPY_READ_BUFFER, GL_BUFFER_USAGE, GL_STATIC_DRAW);
   OF(glGetBufferParameteriv, GL_COPY_READ_BUFFER, GL_BUFFER_ACCESS_FLAGS, 0);
   OF(glGetBufferParameteriv, GL_COPY_READ_BUFFER, GL_BUFFER_MAPPED, GL_FALSE);
   OF(glGetBufferParameteriv, GL_COPY_READ_BUFFER, GL_BUFFER_MAP_OFFSET, 0);
   OF(glGetBufferParameteriv, GL_COPY_READ_BUFFER, GL_BUFFER_MAP_LENGTH, 0);
   glGetBufferPointerv(GL_COPY_READ_BUFFER, GL_BUFFER_MAP_POINTER, &pointer);
   expect_true(r, !pointer, "a buffer that is not mapped has no address");
   glDeleteBuffers(1, &buffer);
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   GET(GL_READ_BUFFER, GL_COLOR_ATTACHMENT0);
   GET(GL_DRAW_BUFFER0, GL_COLOR_ATTACHMENT0);
   for (GLint i = 1; i < es3_limit(GL_MAX_DRAW_BUFFERS); i++)
      expect_get(r, GL_DRAW_BUFFER0 + (GLenum)i, "a draw buffer", GL_NONE);
   glGenRenderbuffers(1, &renderbuffer);
   glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
   OF(glGetRenderbufferParameteriv, GL_RENDERBUFFER, GL_RENDERBUFFER_INTERNAL_FORMAT, GL_RGBA4);
   OF(glGetRenderbufferParameteriv, GL_RENDERBUFFER, GL_RENDERBUFFER_SAMPLES, 0);
   OF(glGetRenderbufferParameteriv, GL_RENDERBUFFER, GL_RENDERBUFFER_WIDTH, 0);
   glDeleteRenderbuffers(1, &renderbuffer);
   glDeleteFramebuffers(1, &framebuffer);
}

/* Tables 6.19 to 6.27. Objects are there when they are bound or begun, not by their names. */
static void
first_objects(struct rules *r)
{
   GLuint query, array, feedback, program = glCreateProgram();
   GLint values[2] = { -1, -1 };
   GLsizei length = -1;
   OF(glGetProgramiv, program, GL_ACTIVE_UNIFORM_BLOCKS, 0);
   OF(glGetProgramiv, program, GL_ACTIVE_UNIFORM_BLOCK_MAX_NAME_LENGTH, 0);
   OF(glGetProgramiv, program, GL_TRANSFORM_FEEDBACK_BUFFER_MODE, GL_INTERLEAVED_ATTRIBS);
   OF(glGetProgramiv, program, GL_TRANSFORM_FEEDBACK_VARYINGS, 0);
   OF(glGetProgramiv, program, GL_TRANSFORM_FEEDBACK_VARYING_MAX_LENGTH, 0);
   OF(glGetProgramiv, program, GL_PROGRAM_BINARY_LENGTH, 0);
   OF(glGetProgramiv, program, GL_PROGRAM_BINARY_RETRIEVABLE_HINT, GL_FALSE);
   glDeleteProgram(program);
   OF(glGetQueryiv, GL_ANY_SAMPLES_PASSED, GL_CURRENT_QUERY, 0);
   OF(glGetQueryiv, GL_ANY_SAMPLES_PASSED_CONSERVATIVE, GL_CURRENT_QUERY, 0);
   OF(glGetQueryiv, GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, GL_CURRENT_QUERY, 0);
   glGenQueries(1, &query);
   glGenVertexArrays(1, &array);
   glGenTransformFeedbacks(1, &feedback);
   expect_true(r, !glIsQuery(query), "a query that was not begun is none");
   expect_true(r, !glIsVertexArray(array), "an array object that was not bound is none");
   expect_true(r, !glIsTransformFeedback(feedback), "a feedback object not bound is none");
   expect_true(r, !glIsTransformFeedback(0), "0 is no feedback object");
   glDeleteTransformFeedbacks(1, &feedback);
   glDeleteVertexArrays(1, &array);
   glDeleteQueries(1, &query);
   GLsync sync = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
   glGetSynciv(sync, GL_OBJECT_TYPE, 2, &length, values);
   expect_value(r, values[0], GL_SYNC_FENCE, "the type of a sync object");
   expect_value(r, values[1], -1, "a second type of a sync object");
   expect_value(r, length, 1, "how many types a sync object has");
   glGetSynciv(sync, GL_SYNC_CONDITION, 1, NULL, values);
   expect_value(r, values[0], GL_SYNC_GPU_COMMANDS_COMPLETE, "what a sync object waits for");
   glGetSynciv(sync, GL_SYNC_FLAGS, 1, NULL, values);
   expect_value(r, values[0], 0, "the flags of a sync object");
   glFinish();
   glGetSynciv(sync, GL_SYNC_STATUS, 1, NULL, values);
   expect_value(r, values[0], GL_SIGNALED, "a sync object's status after glFinish()");
   glDeleteSync(sync);
}

/* --------------------------------------------------------------------------------------- limits */

/* Tables 6.28 to 6.35: at least so much. */
static const struct {
   GLenum name;
   int least;
} limits[] = {
   { GL_MAX_ELEMENT_INDEX, (1 << 24) - 1 },
   { GL_SUBPIXEL_BITS, 4 },
   { GL_MAX_3D_TEXTURE_SIZE, 256 },
   { GL_MAX_TEXTURE_SIZE, 2048 },
   { GL_MAX_ARRAY_TEXTURE_LAYERS, 256 },
   { GL_MAX_TEXTURE_LOD_BIAS, 2 },
   { GL_MAX_CUBE_MAP_TEXTURE_SIZE, 2048 },
   { GL_MAX_RENDERBUFFER_SIZE, 2048 },
   { GL_MAX_DRAW_BUFFERS, 4 },
   { GL_MAX_COLOR_ATTACHMENTS, 4 },
   { GL_MAX_ELEMENTS_INDICES, 0 },
   { GL_MAX_ELEMENTS_VERTICES, 0 },
   { GL_NUM_COMPRESSED_TEXTURE_FORMATS, 10 },
   { GL_NUM_PROGRAM_BINARY_FORMATS, 0 },
   { GL_NUM_SHADER_BINARY_FORMATS, 0 },
   { GL_MAX_SERVER_WAIT_TIMEOUT, 0 },
   { GL_MAX_VERTEX_ATTRIBS, 16 },
   { GL_MAX_VERTEX_UNIFORM_COMPONENTS, 1024 },
   { GL_MAX_VERTEX_UNIFORM_VECTORS, 256 },
   { GL_MAX_VERTEX_UNIFORM_BLOCKS, 12 },
   { GL_MAX_VERTEX_OUTPUT_COMPONENTS, 64 },
   { GL_MAX_VERTEX_TEXTURE_IMAGE_UNITS, 16 },
   { GL_MAX_FRAGMENT_UNIFORM_COMPONENTS, 896 },
   { GL_MAX_FRAGMENT_UNIFORM_VECTORS, 224 },
   { GL_MAX_FRAGMENT_UNIFORM_BLOCKS, 12 },
   { GL_MAX_FRAGMENT_INPUT_COMPONENTS, 60 },
   { GL_MAX_TEXTURE_IMAGE_UNITS, 16 },
   { GL_MAX_PROGRAM_TEXEL_OFFSET, 7 },
   { GL_MAX_UNIFORM_BUFFER_BINDINGS, 24 },
   { GL_MAX_UNIFORM_BLOCK_SIZE, 16384 },
   { GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT, 1 },
   { GL_MAX_COMBINED_UNIFORM_BLOCKS, 24 },
   { GL_MAX_VARYING_COMPONENTS, 60 },
   { GL_MAX_VARYING_VECTORS, 15 },
   { GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS, 32 },
   { GL_MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS, 64 },
   { GL_MAX_TRANSFORM_FEEDBACK_SEPARATE_ATTRIBS, 4 },
   { GL_MAX_TRANSFORM_FEEDBACK_SEPARATE_COMPONENTS, 4 },
   { GL_MAX_SAMPLES, 4 },
};

static GLint64
wide_limit(GLenum name)
{
   GLint64 value = -1;
   glGetInteger64v(name, &value);
   return value;
}

static void
check_limits(struct rules *r)
{
   for (size_t i = 0; i < COUNT(limits); i++) {
      const GLint64 value = wide_limit(limits[i].name);
      GLfloat real;
      glGetFloatv(limits[i].name, &real);
      if (value < limits[i].least || real != (float)value)
         rules_fail(r, "limit 0x%04x is %lld and %g", limits[i].name, (long long)value, real);
   }
   expect_true(r, es3_limit(GL_MIN_PROGRAM_TEXEL_OFFSET) <= -8, "texel offsets begin at -8");
   expect_true(r, es3_limit(GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT) <= 256, "blocks begin each 256");
   /* section 2.12.6: the uniforms of a stage and all that its blocks hold */
   const GLint64 block = wide_limit(GL_MAX_UNIFORM_BLOCK_SIZE) / 4;
   expect_true(r,
               wide_limit(GL_MAX_COMBINED_VERTEX_UNIFORM_COMPONENTS) >=
                  wide_limit(GL_MAX_VERTEX_UNIFORM_BLOCKS) * block +
                     wide_limit(GL_MAX_VERTEX_UNIFORM_COMPONENTS),
               "a vertex shader has all of its blocks and uniforms");
   expect_true(r,
               wide_limit(GL_MAX_COMBINED_FRAGMENT_UNIFORM_COMPONENTS) >=
                  wide_limit(GL_MAX_FRAGMENT_UNIFORM_BLOCKS) * block +
                     wide_limit(GL_MAX_FRAGMENT_UNIFORM_COMPONENTS),
               "a fragment shader has all of its blocks and uniforms");
}

/* Section 3.8.6: ETC2 and EAC are always there. */
static void
check_compressed_formats(struct rules *r)
{
   const GLint count = es3_limit(GL_NUM_COMPRESSED_TEXTURE_FORMATS);
   GLint *formats = calloc((size_t)count, sizeof(formats[0]));
   glGetIntegerv(GL_COMPRESSED_TEXTURE_FORMATS, formats);
   for (GLint format = GL_COMPRESSED_R11_EAC; format <= GL_COMPRESSED_SRGB8_ALPHA8_ETC2_EAC;
        format++) {
      bool there = false;
      for (GLint i = 0; i < count; i++)
         there = there || formats[i] == format;
      if (!there)
         rules_fail(r, "format 0x%04x is not among the compressed ones", (unsigned)format);
   }
   free(formats);
}

/* Section 6.1.5: each extension by its number and in the one string of all. */
static void
check_strings(struct rules *r)
{
   const char *all = (const char *)glGetString(GL_EXTENSIONS);
   size_t length = 0;
   for (GLint i = 0; i < es3_limit(GL_NUM_EXTENSIONS); i++) {
      const char *name = (const char *)glGetStringi(GL_EXTENSIONS, (GLuint)i);
      if (!name || !strstr(all, name))
         rules_fail(r, "extension %d, %s, is not among all", i, name);
      length += strlen(name) + 1;
   }
   const size_t end = strlen(all); /* a space may be last */
   expect_value(r, (GLint)length, (GLint)(end + (end && all[end - 1] != ' ')),
                "the length of all extensions with a space behind each");
   expect_true(r, !strncmp((const char *)glGetString(GL_VERSION), "OpenGL ES 3.", 12),
               "the version is 3");
   expect_true(
      r,
      !strncmp((const char *)glGetString(GL_SHADING_LANGUAGE_VERSION), "OpenGL ES GLSL ES 3.", 20),
      "the version of GLSL is 3");
}

/* GLSL ES 3.00, section 4.5.2: highp is IEEE 754's 32 bits, the others are at least so good. */
static void
check_precisions(struct rules *r)
{
   static const struct {
      GLenum type;
      int low, high, bits;
   } least[] = { { GL_LOW_FLOAT, 1, 1, 8 },       { GL_MEDIUM_FLOAT, 14, 14, 10 },
                 { GL_HIGH_FLOAT, 127, 127, 23 }, { GL_LOW_INT, 7, 6, 0 },
                 { GL_MEDIUM_INT, 15, 14, 0 },    { GL_HIGH_INT, 31, 30, 0 } };
   for (size_t i = 0; i < 2 * COUNT(least); i++) {
      const size_t n = i / 2;
      GLint range[2] = { -1, -1 }, bits = -1;
      glGetShaderPrecisionFormat(i % 2 ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER, least[n].type,
                                 range, &bits);
      if (range[0] < least[n].low || range[1] < least[n].high || bits < least[n].bits ||
          (n >= 3 && bits))
         rules_fail(r, "precision 0x%04x: %d, %d, %d", least[n].type, range[0], range[1], bits);
   }
}

void
es3_state(struct rules *r)
{
   while (rules_next(r)) {
      if (r->n) {
         set_states(r);
         continue;
      }
      first_states(r);
      first_textures(r, GL_TEXTURE_2D);
      first_textures(r, GL_TEXTURE_3D);
      first_textures(r, GL_TEXTURE_2D_ARRAY);
      first_textures(r, GL_TEXTURE_CUBE_MAP);
      first_buffers(r);
      first_objects(r);
      check_limits(r);
      check_compressed_formats(r);
      check_strings(r);
      check_precisions(r);
   }
}
