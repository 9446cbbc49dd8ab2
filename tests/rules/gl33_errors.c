/* SPDX-License-Identifier: MIT
 *
 * Multisample textures: wrong calls, limits, and what textures and states say of themselves
 * (ARB_texture_multisample, sections 3.8.4, 4.1.3, 6.1.3 and its tables).
 */
#include "gl33_rules.h"

#include <stdlib.h>

enum { PROXY = 0x9101 /* GL_PROXY_TEXTURE_2D_MULTISAMPLE */ };

static void
expect_error(const struct rules *r, GLenum error, const char *what)
{
   const GLenum have = glGetError();
   if (have != error)
      rules_fail(r, "%s: error 0x%04x, not 0x%04x", what, have, error);
}

static GLint
get(GLenum what)
{
   GLint value = -1;
   glGetIntegerv(what, &value);
   return value;
}

static void
check_limits(const struct rules *r)
{
   static const GLenum limits[] = { GL_MAX_COLOR_TEXTURE_SAMPLES, GL_MAX_DEPTH_TEXTURE_SAMPLES,
                                    GL_MAX_INTEGER_SAMPLES, GL_MAX_SAMPLES };
   for (size_t i = 0; i < COUNT(limits); i++) {
      if (get(limits[i]) != 4)
         rules_fail(r, "limit 0x%04x is %d", limits[i], get(limits[i]));
   }
   if (get(GL_MAX_SAMPLE_MASK_WORDS) != 1)
      rules_fail(r, "sample masks have %d words", get(GL_MAX_SAMPLE_MASK_WORDS));
}

static void
check_images(const struct rules *r, const struct gl33_calls *gl)
{
   const GLenum plane = GL_TEXTURE_2D_MULTISAMPLE, array = GL_TEXTURE_2D_MULTISAMPLE_ARRAY;
   gl->image_2d(plane, -1, GL_RGBA8, 4, 4, true);
   expect_error(r, GL_INVALID_VALUE, "a negative number of samples");
   gl->image_2d(plane, 0, GL_RGBA8, 4, 4, true);
   expect_error(r, GL_INVALID_VALUE, "no samples");
   gl->image_2d(plane, 5, GL_RGBA8, 4, 4, true);
   expect_error(r, GL_INVALID_OPERATION, "five samples");
   gl->image_2d(plane, 5, GL_RGBA32UI, 4, 4, true);
   expect_error(r, GL_INVALID_OPERATION, "five samples of integers");
   gl->image_2d(plane, 5, GL_DEPTH_COMPONENT24, 4, 4, true);
   expect_error(r, GL_INVALID_OPERATION, "five samples of depth");
   gl->image_2d(plane, 4, GL_RGBA8, -1, 4, true);
   expect_error(r, GL_INVALID_VALUE, "a negative width");
   gl->image_2d(plane, 4, GL_RGBA8, get(GL_MAX_TEXTURE_SIZE) + 1, 4, true);
   expect_error(r, GL_INVALID_VALUE, "a width beyond the limit");
   gl->image_2d(array, 4, GL_RGBA8, 4, 4, true);
   expect_error(r, GL_INVALID_ENUM, "an array by glTexImage2DMultisample");
   gl->image_3d(plane, 4, GL_RGBA8, 4, 4, 1, true);
   expect_error(r, GL_INVALID_ENUM, "a plane by glTexImage3DMultisample");
   gl->image_3d(array, 4, GL_RGBA8, 4, 4, get(GL_MAX_ARRAY_TEXTURE_LAYERS) + 1, true);
   expect_error(r, GL_INVALID_VALUE, "too many layers");
   gl->image_2d(plane, 4, GL_COMPRESSED_RGB_S3TC_DXT1_EXT, 4, 4, true);
   if (glGetError() == GL_NO_ERROR)
      rules_fail(r, "a compressed format has four samples");
   gl->image_2d(plane, 4, GL_RGB9_E5, 4, 4, true);
   if (glGetError() == GL_NO_ERROR)
      rules_fail(r, "a format that is not drawn to has four samples");
}

/* Those that are about filters and levels (section 3.8.8). */
static void
check_parameters(const struct rules *r)
{
   const GLenum plane = GL_TEXTURE_2D_MULTISAMPLE;
   glTexParameteri(plane, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   expect_error(r, GL_INVALID_ENUM, "a filter");
   glTexParameteri(plane, GL_TEXTURE_WRAP_S, GL_REPEAT);
   expect_error(r, GL_INVALID_ENUM, "a wrap mode");
   glTexParameteri(plane, GL_TEXTURE_BASE_LEVEL, 1);
   expect_error(r, GL_INVALID_OPERATION, "a base level");
   glTexParameteri(plane, GL_TEXTURE_SWIZZLE_R, GL_GREEN);
   expect_error(r, GL_NO_ERROR, "a swizzle");
   glTexParameteri(plane, GL_TEXTURE_SWIZZLE_R, GL_RED);
   glGenerateMipmap(plane);
   expect_error(r, GL_INVALID_ENUM, "mipmaps");
}

/* A texture has at least as many samples as asked for, and says which; a proxy says whether there
 * could be one. */
static void
check_answers(const struct rules *r, const struct gl33_calls *gl)
{
   for (int samples = 1; samples <= 4; samples++) {
      const bool fixed = samples & 1;
      GLint have = -1, fixed_there = -1;
      gl->image_2d(GL_TEXTURE_2D_MULTISAMPLE, samples, GL_RGBA8, 7, 5, fixed);
      no_error("making a multisample texture");
      gl->get_level(GL_TEXTURE_2D_MULTISAMPLE, 0, GL_TEXTURE_SAMPLES, &have);
      gl->get_level(GL_TEXTURE_2D_MULTISAMPLE, 0, GL_TEXTURE_FIXED_SAMPLE_LOCATIONS, &fixed_there);
      if (have != 4 || fixed_there != fixed)
         rules_fail(r, "%d samples, fixed %d: it says %d, %d", samples, fixed, have, fixed_there);
   }
   GLint width = -1;
   gl->image_2d(PROXY, 4, GL_RGBA8, 7, 5, true);
   no_error("asking for a proxy");
   gl->get_level(PROXY, 0, GL_TEXTURE_WIDTH, &width);
   if (width != 7)
      rules_fail(r, "a proxy of four samples says that it is %d wide", width);
}

static void
check_masks(const struct rules *r, const struct gl33_calls *gl)
{
   GLfloat at[2];
   gl->sample_mask(1, 0);
   expect_error(r, GL_INVALID_VALUE, "a second word of the sample mask");
   gl->sample_mask(0, 0x12345);
   no_error("setting the sample mask");
   GLint mask = 0;
   glGetIntegeri_v(GL_SAMPLE_MASK_VALUE, 0, &mask);
   if (mask != 0x12345)
      rules_fail(r, "the sample mask is 0x%x", mask);
   gl->sample_mask(0, ~0u);
   gl->get_multisample(GL_SAMPLE_POSITION, 4, at);
   expect_error(r, GL_INVALID_VALUE, "the position of a fifth sample");
   gl->get_multisample(GL_SAMPLE_MASK, 0, at);
   expect_error(r, GL_INVALID_ENUM, "what is no position");
}

/* A sampler without a texture, which is undefined: 0 here, or anything, but no crash. */
static void
fetch_nothing(const struct rules *r)
{
   GLuint program = es3_program_of(
      r, "#version 130\n#extension GL_ARB_texture_multisample : require\n", es3_vertex_whole,
      "uniform sampler2DMS image; out vec4 v;\n"
      "void main() { v = texelFetch(image, ivec2(gl_FragCoord.xy), 3); }");
   glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, 0);
   es3_draw_whole();
   glDeleteProgram(program);
}

void
gl33_sample_errors(struct rules *r)
{
   const struct gl33_calls gl = gl33_calls();
   while (rules_next(r)) {
      GLuint texture, framebuffer;
      glGenTextures(1, &texture);
      glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, texture);
      check_limits(r);
      check_images(r, &gl);
      check_parameters(r);
      check_answers(r, &gl);
      glGenFramebuffers(1, &framebuffer);
      glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
      glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D_MULTISAMPLE,
                             texture, 0);
      check_masks(r, &gl);
      fetch_nothing(r);
      glDeleteFramebuffers(1, &framebuffer);
      glDeleteTextures(1, &texture);
   }
}
