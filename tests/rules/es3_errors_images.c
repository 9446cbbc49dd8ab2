/* SPDX-License-Identifier: MIT
 *
 * Wrong calls of OpenGL ES 3.0, and the errors that they give: textures, pixels and frame buffers
 * (chapters 3 and 4).
 */
#include "es3_errors.h"

enum { SIZE_PX = 8 };

/* Of OpenGL alone. */
enum { LOD_BIAS = 0x8501, PACK_SKIP_IMAGES = 0x806b, PACK_IMAGE_HEIGHT = 0x806c };

static GLuint
new_texture(GLenum target)
{
   GLuint name;
   glGenTextures(1, &name);
   glBindTexture(target, name);
   return name;
}

/* A frame buffer with a renderbuffer of this format; both stay bound. */
struct attached {
   GLuint framebuffer, renderbuffer;
};

static struct attached
attach(GLenum target, GLenum attachment, GLenum format, GLsizei samples)
{
   struct attached a;
   glGenFramebuffers(1, &a.framebuffer);
   glGenRenderbuffers(1, &a.renderbuffer);
   glBindFramebuffer(target, a.framebuffer);
   glBindRenderbuffer(GL_RENDERBUFFER, a.renderbuffer);
   glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, SIZE_PX, SIZE_PX);
   glFramebufferRenderbuffer(target, attachment, GL_RENDERBUFFER, a.renderbuffer);
   no_error("attaching a renderbuffer");
   return a;
}

static void
detach(const struct attached *a)
{
   glDeleteFramebuffers(1, &a->framebuffer);
   glDeleteRenderbuffers(1, &a->renderbuffer);
}

/* ------------------------------------------------------------------------------- 3.8: textures */

void
wrong_storage(struct rules *r)
{
   const GLenum array = GL_TEXTURE_2D_ARRAY, deep = GL_TEXTURE_3D, flat = GL_TEXTURE_2D;
   const GLint layers = es3_limit(GL_MAX_ARRAY_TEXTURE_LAYERS),
               size = es3_limit(GL_MAX_TEXTURE_SIZE);
   const GLint depth = es3_limit(GL_MAX_3D_TEXTURE_SIZE);
   GLint value = 0;
   GIVES(GL_INVALID_OPERATION, glTexStorage2D(flat, 1, GL_RGBA8, 4, 4)); /* the default texture */
   GIVES(GL_INVALID_OPERATION, glTexStorage3D(deep, 1, GL_RGBA8, 4, 4, 4));
   GLuint names[4] = { new_texture(array), new_texture(deep), new_texture(flat),
                       new_texture(GL_TEXTURE_CUBE_MAP) };
   GIVES(GL_INVALID_ENUM, glTexStorage3D(flat, 1, GL_RGBA8, 4, 4, 4));
   GIVES(GL_INVALID_ENUM, glTexStorage3D(GL_TEXTURE_CUBE_MAP, 1, GL_RGBA8, 4, 4, 4));
   GIVES(GL_INVALID_ENUM, glTexStorage2D(deep, 1, GL_RGBA8, 4, 4));
   GIVES(GL_INVALID_ENUM, glTexStorage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X, 1, GL_RGBA8, 4, 4));
   GIVES(GL_INVALID_ENUM, glTexStorage3D(array, 1, GL_RGBA, 4, 4, 4)); /* no size */
   GIVES(GL_INVALID_ENUM, glTexStorage2D(flat, 1, NO_ENUM, 4, 4));
   GIVES(GL_INVALID_VALUE, glTexStorage3D(array, 0, GL_RGBA8, 4, 4, 4));
   GIVES(GL_INVALID_VALUE, glTexStorage3D(array, 1, GL_RGBA8, 0, 4, 4));
   GIVES(GL_INVALID_VALUE, glTexStorage3D(array, 1, GL_RGBA8, 4, 0, 4));
   GIVES(GL_INVALID_VALUE, glTexStorage3D(array, 1, GL_RGBA8, 4, 4, 0));
   GIVES(GL_INVALID_VALUE, glTexStorage2D(flat, 0, GL_RGBA8, 4, 4));
   GIVES(GL_INVALID_VALUE, glTexStorage2D(flat, 1, GL_RGBA8, 4, -1));
   GIVES(GL_INVALID_VALUE, glTexStorage3D(array, 1, GL_RGBA8, 4, 4, layers + 1));
   GIVES(GL_INVALID_VALUE, glTexStorage3D(array, 1, GL_RGBA8, size + 1, 4, 1));
   GIVES(GL_INVALID_VALUE, glTexStorage3D(deep, 1, GL_RGBA8, 4, 4, depth + 1));
   GIVES(GL_INVALID_VALUE, glTexStorage2D(GL_TEXTURE_CUBE_MAP, 1, GL_RGBA8, 4, 8));
   GIVES(GL_INVALID_OPERATION, glTexStorage3D(array, 4, GL_RGBA8, 4, 4, 64)); /* no level 3 */
   GIVES(GL_INVALID_OPERATION, glTexStorage3D(deep, 4, GL_RGBA8, 4, 4, 4));
   GIVES(GL_INVALID_OPERATION, glTexStorage3D(deep, 1, GL_COMPRESSED_RGBA8_ETC2_EAC, 4, 4, 4));
   GIVES(GL_INVALID_OPERATION, glTexStorage3D(deep, 1, GL_DEPTH_COMPONENT24, 4, 4, 4));
   glGetTexParameteriv(deep, GL_TEXTURE_IMMUTABLE_FORMAT, &value);
   expect_value(r, value, GL_FALSE, "whether a texture without storage is immutable");
   GIVES(GL_NO_ERROR, glTexStorage3D(deep, 4, GL_RGBA8, 4, 4, 8));
   GIVES(GL_INVALID_OPERATION, glTexStorage3D(deep, 4, GL_RGBA8, 4, 4, 8));
   GIVES(GL_INVALID_OPERATION,
         glTexImage3D(deep, 0, GL_RGBA8, 4, 4, 8, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL));
   GIVES(GL_NO_ERROR, glTexStorage2D(flat, 3, GL_RGBA8, 4, 4));
   GIVES(GL_INVALID_OPERATION, glTexStorage2D(flat, 3, GL_RGBA8, 4, 4));
   GIVES(GL_NO_ERROR, glTexStorage3D(array, 3, GL_DEPTH_COMPONENT24, 4, 4, 64));
   glDeleteTextures(4, names);
}

/* glTexImage3D() of a 2D array, of two texels each way. */
static void
image_3d(GLint level, GLenum internal, GLsizei width, GLsizei layers, GLint border, GLenum format,
         GLenum type)
{
   glTexImage3D(GL_TEXTURE_2D_ARRAY, level, (GLint)internal, width, 2, layers, border, format, type,
                NULL);
}

void
wrong_images(struct rules *r)
{
   const GLint layers = es3_limit(GL_MAX_ARRAY_TEXTURE_LAYERS),
               size = es3_limit(GL_MAX_TEXTURE_SIZE);
   const GLenum byte = GL_UNSIGNED_BYTE;
   GLuint names[2] = { new_texture(GL_TEXTURE_2D_ARRAY), new_texture(GL_TEXTURE_3D) };
   GIVES(GL_INVALID_ENUM,
         glTexImage3D(GL_TEXTURE_2D, 0, GL_RGBA8, 2, 2, 2, 0, GL_RGBA, byte, NULL));
   GIVES(GL_INVALID_ENUM, glTexImage2D(GL_TEXTURE_3D, 0, GL_RGBA8, 2, 2, 0, GL_RGBA, byte, NULL));
   GIVES(GL_INVALID_VALUE, image_3d(-1, GL_RGBA8, 2, 2, 0, GL_RGBA, byte));
   GIVES(GL_INVALID_VALUE, image_3d(31, GL_RGBA8, 2, 2, 0, GL_RGBA, byte));
   GIVES(GL_INVALID_VALUE, image_3d(0, NO_ENUM, 2, 2, 0, GL_RGBA, byte));
   GIVES(GL_INVALID_VALUE, image_3d(0, GL_RGBA8, -1, 2, 0, GL_RGBA, byte));
   GIVES(GL_INVALID_VALUE, image_3d(0, GL_RGBA8, 2, -1, 0, GL_RGBA, byte));
   GIVES(GL_INVALID_VALUE, image_3d(0, GL_RGBA8, size + 1, 2, 0, GL_RGBA, byte));
   GIVES(GL_INVALID_VALUE, image_3d(0, GL_RGBA8, 2, layers + 1, 0, GL_RGBA, byte));
   GIVES(GL_INVALID_VALUE, image_3d(0, GL_RGBA8, 2, 2, 1, GL_RGBA, byte));
   GIVES(GL_INVALID_ENUM, image_3d(0, GL_RGBA8, 2, 2, 0, NO_ENUM, byte));
   GIVES(GL_INVALID_ENUM, image_3d(0, GL_RGBA8, 2, 2, 0, GL_RGBA, NO_ENUM));
   /* not in table 3.2 */
   GIVES(GL_INVALID_OPERATION, image_3d(0, GL_RGBA8, 2, 2, 0, GL_RGB, byte));
   GIVES(GL_INVALID_OPERATION, image_3d(0, GL_RGBA8UI, 2, 2, 0, GL_RGBA, byte));
   GIVES(GL_INVALID_OPERATION, image_3d(0, GL_RGBA8, 2, 2, 0, GL_RGBA_INTEGER, byte));
   GIVES(GL_INVALID_OPERATION, image_3d(0, GL_RGBA8UI, 2, 2, 0, GL_RGBA_INTEGER, GL_BYTE));
   GIVES(GL_INVALID_OPERATION, image_3d(0, GL_R16F, 2, 2, 0, GL_RED, byte));
   GIVES(GL_INVALID_OPERATION, image_3d(0, GL_RGB565, 2, 2, 0, GL_RGB, GL_UNSIGNED_SHORT_5_5_5_1));
   GIVES(GL_INVALID_OPERATION,
         image_3d(0, GL_RGBA8, 2, 2, 0, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV));
   GIVES(GL_INVALID_OPERATION, image_3d(0, GL_DEPTH24_STENCIL8, 2, 2, 0, GL_DEPTH_STENCIL,
                                        GL_FLOAT_32_UNSIGNED_INT_24_8_REV));
   GIVES(GL_INVALID_OPERATION,
         image_3d(0, GL_DEPTH24_STENCIL8, 2, 2, 0, GL_DEPTH_STENCIL, GL_UNSIGNED_INT));
   GIVES(GL_INVALID_OPERATION,
         image_3d(0, GL_RGBA8, 2, 2, 0, GL_RGBA, GL_UNSIGNED_INT_5_9_9_9_REV));
   GIVES(GL_INVALID_OPERATION, glTexImage3D(GL_TEXTURE_3D, 0, GL_DEPTH_COMPONENT24, 2, 2, 2, 0,
                                            GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, NULL));
   GIVES(GL_NO_ERROR, image_3d(0, GL_RGBA8, 2, 2, 0, GL_RGBA, byte));
   GIVES(GL_NO_ERROR, image_3d(0, GL_RGB9_E5, 2, 2, 0, GL_RGB, GL_HALF_FLOAT));
   GIVES(GL_NO_ERROR, image_3d(0, GL_RGB5_A1, 2, 2, 0, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV));
   GIVES(GL_NO_ERROR, image_3d(0, GL_RGBA8UI, 2, 2, 0, GL_RGBA_INTEGER, byte));
   GIVES(GL_NO_ERROR, image_3d(0, GL_RGBA8, 0, 0, 0, GL_RGBA, byte));
   glDeleteTextures(2, names);
}

/* glTexSubImage3D() of a 3D texture. */
static void
part_3d(GLint level, GLint x, GLint z, GLsizei width, GLsizei depth, GLenum format, GLenum type)
{
   static const uint8_t texels[1024];
   glTexSubImage3D(GL_TEXTURE_3D, level, x, 0, z, width, 1, depth, format, type, texels);
}

void
wrong_parts(struct rules *r)
{
   static const uint8_t texels[16];
   const GLenum byte = GL_UNSIGNED_BYTE;
   GLuint name = new_texture(GL_TEXTURE_3D);
   glTexStorage3D(GL_TEXTURE_3D, 2, GL_RGBA8, 4, 4, 8);
   GIVES(GL_INVALID_VALUE, part_3d(0, 0, 8, 1, 1, GL_RGBA, byte));
   GIVES(GL_INVALID_VALUE, part_3d(0, 0, -1, 1, 1, GL_RGBA, byte));
   GIVES(GL_INVALID_VALUE, part_3d(0, -1, 0, 1, 1, GL_RGBA, byte));
   GIVES(GL_INVALID_VALUE, part_3d(0, 1, 0, 4, 1, GL_RGBA, byte));
   GIVES(GL_INVALID_VALUE, part_3d(0, 0, 7, 1, 2, GL_RGBA, byte));
   GIVES(GL_INVALID_VALUE, part_3d(1, 0, 4, 1, 1, GL_RGBA, byte));
   GIVES(GL_INVALID_VALUE, part_3d(0, 0, 0, -1, 1, GL_RGBA, byte));
   GIVES(GL_INVALID_VALUE, part_3d(0, 0, 0, 1, -1, GL_RGBA, byte));
   GIVES(GL_INVALID_VALUE, part_3d(-1, 0, 0, 1, 1, GL_RGBA, byte));
   GIVES(GL_INVALID_OPERATION, part_3d(2, 0, 0, 1, 1, GL_RGBA, byte)); /* there is no image */
   GIVES(GL_INVALID_ENUM, part_3d(0, 0, 0, 1, 1, NO_ENUM, byte));
   GIVES(GL_INVALID_ENUM, part_3d(0, 0, 0, 1, 1, GL_RGBA, NO_ENUM));
   GIVES(GL_INVALID_OPERATION, part_3d(0, 0, 0, 1, 1, GL_RGB, byte));
   GIVES(GL_INVALID_OPERATION, part_3d(0, 0, 0, 1, 1, GL_RGBA_INTEGER, byte));
   GIVES(GL_INVALID_OPERATION, part_3d(0, 0, 0, 1, 1, GL_RGBA, GL_FLOAT));
   GIVES(GL_INVALID_ENUM,
         glTexSubImage3D(GL_TEXTURE_2D, 0, 0, 0, 0, 1, 1, 1, GL_RGBA, byte, texels));
   GIVES(GL_NO_ERROR, part_3d(1, 1, 3, 1, 1, GL_RGBA, byte));
   GIVES(GL_NO_ERROR, part_3d(0, 4, 8, 0, 0, GL_RGBA, byte));
   glDeleteTextures(1, &name);
}

void
wrong_compressed(struct rules *r)
{
   static const uint8_t blocks[64];
   const GLenum array = GL_TEXTURE_2D_ARRAY, format = GL_COMPRESSED_RGBA8_ETC2_EAC;
   GLuint names[2] = { new_texture(array), new_texture(GL_TEXTURE_3D) };
   GIVES(GL_INVALID_ENUM, glCompressedTexImage3D(array, 0, NO_ENUM, 4, 4, 2, 0, 32, blocks));
   GIVES(GL_INVALID_ENUM, glCompressedTexImage3D(array, 0, GL_RGBA8, 4, 4, 2, 0, 32, blocks));
   GIVES(GL_INVALID_VALUE, glCompressedTexImage3D(array, 0, format, 4, 4, 2, 0, 31, blocks));
   GIVES(GL_INVALID_VALUE, glCompressedTexImage3D(array, 0, format, 4, 4, 2, 0, -1, blocks));
   GIVES(GL_INVALID_VALUE, glCompressedTexImage3D(array, 0, format, 4, 4, 2, 1, 32, blocks));
   GIVES(GL_INVALID_VALUE, glCompressedTexImage3D(array, -1, format, 4, 4, 2, 0, 32, blocks));
   GIVES(GL_INVALID_OPERATION,
         glCompressedTexImage3D(GL_TEXTURE_3D, 0, format, 4, 4, 2, 0, 32, blocks));
   GIVES(GL_NO_ERROR, glCompressedTexImage3D(array, 0, format, 4, 4, 4, 0, 64, blocks));
   GIVES(GL_INVALID_VALUE,
         glCompressedTexSubImage3D(array, 0, 0, 0, 0, 4, 4, 1, format, 15, blocks));
   GIVES(GL_INVALID_VALUE,
         glCompressedTexSubImage3D(array, 0, 0, 0, 4, 4, 4, 1, format, 16, blocks));
   GIVES(GL_INVALID_OPERATION,
         glCompressedTexSubImage3D(array, 0, 0, 0, 0, 3, 4, 1, format, 16, blocks));
   GIVES(GL_INVALID_OPERATION,
         glCompressedTexSubImage3D(array, 0, 0, 0, 0, 4, 4, 1, GL_COMPRESSED_RGB8_ETC2, 8, blocks));
   GIVES(GL_NO_ERROR, glCompressedTexSubImage3D(array, 0, 0, 0, 3, 4, 4, 1, format, 16, blocks));
   glDeleteTextures(2, names);
}

/* Section 3.8.5: what is copied must fit, in size and in kind. */
void
wrong_copies(struct rules *r)
{
   const GLenum deep = GL_TEXTURE_3D, flat = GL_TEXTURE_2D;
   struct es3_target target = es3_target_create(GL_RGBA8, SIZE_PX, SIZE_PX);
   GLuint names[2] = { new_texture(deep), new_texture(flat) };
   glTexStorage3D(deep, 1, GL_RGBA8, 4, 4, 8);
   GIVES(GL_INVALID_VALUE, glCopyTexSubImage3D(deep, 0, 0, 0, 8, 0, 0, 1, 1));
   GIVES(GL_INVALID_VALUE, glCopyTexSubImage3D(deep, 0, 0, 0, -1, 0, 0, 1, 1));
   GIVES(GL_INVALID_VALUE, glCopyTexSubImage3D(deep, 0, 4, 0, 0, 0, 0, 1, 1));
   GIVES(GL_INVALID_VALUE, glCopyTexSubImage3D(deep, 0, 0, 1, 0, 0, 0, 1, 4));
   GIVES(GL_INVALID_VALUE, glCopyTexSubImage3D(deep, -1, 0, 0, 0, 0, 0, 1, 1));
   GIVES(GL_INVALID_VALUE, glCopyTexSubImage3D(deep, 0, 0, 0, 0, 0, 0, -1, 1));
   GIVES(GL_INVALID_ENUM, glCopyTexSubImage3D(flat, 0, 0, 0, 0, 0, 0, 1, 1));
   GIVES(GL_INVALID_OPERATION, glCopyTexSubImage3D(deep, 1, 0, 0, 0, 0, 0, 1, 1));
   GIVES(GL_NO_ERROR, glCopyTexSubImage3D(deep, 0, 0, 0, 7, 0, 0, 4, 4));
   GIVES(GL_INVALID_OPERATION, glCopyTexImage2D(flat, 0, GL_RGBA8UI, 0, 0, 4, 4, 0));
   GIVES(GL_INVALID_OPERATION, glCopyTexImage2D(flat, 0, GL_RGBA16F, 0, 0, 4, 4, 0));
   GIVES(GL_INVALID_OPERATION, glCopyTexImage2D(flat, 0, GL_RGB9_E5, 0, 0, 4, 4, 0));
   GIVES(GL_INVALID_OPERATION, glCopyTexImage2D(flat, 0, GL_SRGB8_ALPHA8, 0, 0, 4, 4, 0));
   GIVES(GL_INVALID_OPERATION, glCopyTexImage2D(flat, 0, GL_RGB10_A2, 0, 0, 4, 4, 0));
   GIVES(GL_INVALID_OPERATION, glCopyTexImage2D(flat, 0, GL_RGB565, 0, 0, 4, 4, 0));
   GIVES(GL_INVALID_ENUM, glCopyTexImage2D(flat, 0, NO_ENUM, 0, 0, 4, 4, 0));
   GIVES(GL_NO_ERROR, glCopyTexImage2D(flat, 0, GL_RGB8, 0, 0, 4, 4, 0));
   glReadBuffer(GL_NONE);
   GIVES(GL_INVALID_OPERATION, glCopyTexSubImage3D(deep, 0, 0, 0, 0, 0, 0, 1, 1));
   es3_target_delete(&target);
   struct attached bad = attach(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RGBA8, 4);
   GIVES(GL_INVALID_OPERATION, glCopyTexSubImage3D(deep, 0, 0, 0, 0, 0, 0, 1, 1));
   glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8UI, SIZE_PX, SIZE_PX);
   GIVES(GL_INVALID_OPERATION, glCopyTexSubImage3D(deep, 0, 0, 0, 0, 0, 0, 1, 1));
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, 0);
   GIVES(GL_INVALID_FRAMEBUFFER_OPERATION, glCopyTexSubImage3D(deep, 0, 0, 0, 0, 0, 0, 1, 1));
   detach(&bad);
   glDeleteTextures(2, names);
}

void
wrong_texture_state(struct rules *r)
{
   static const GLenum not_filtered[] = { GL_RGBA8UI, GL_R32I, GL_RGB9_E5, GL_DEPTH_COMPONENT24,
                                          GL_COMPRESSED_RGB8_ETC2 };
   const GLenum at = GL_TEXTURE_3D;
   GLuint name = new_texture(at);
   GLint value;
   GIVES(GL_INVALID_OPERATION, glBindTexture(GL_TEXTURE_2D_ARRAY, name));
   GIVES(GL_INVALID_ENUM, glBindTexture(NO_ENUM, 0));
   GIVES(GL_INVALID_VALUE, glTexParameteri(at, GL_TEXTURE_BASE_LEVEL, -1));
   GIVES(GL_INVALID_VALUE, glTexParameteri(at, GL_TEXTURE_MAX_LEVEL, -1));
   GIVES(GL_INVALID_ENUM, glTexParameteri(at, GL_TEXTURE_SWIZZLE_R, GL_RGBA));
   GIVES(GL_INVALID_ENUM, glTexParameteri(at, GL_TEXTURE_WRAP_R, NO_ENUM));
   GIVES(GL_INVALID_ENUM, glTexParameteri(at, GL_TEXTURE_COMPARE_MODE, GL_LEQUAL));
   GIVES(GL_INVALID_ENUM, glTexParameteri(at, GL_TEXTURE_COMPARE_FUNC, GL_NONE));
   GIVES(GL_INVALID_ENUM, glTexParameteri(at, GL_TEXTURE_IMMUTABLE_LEVELS, 1));
   GIVES(GL_INVALID_ENUM, glTexParameteri(at, GL_TEXTURE_IMMUTABLE_FORMAT, 1));
   GIVES(GL_INVALID_ENUM, glGetTexParameteriv(at, NO_ENUM, &value));
   GIVES(GL_NO_ERROR, glTexParameteri(at, GL_TEXTURE_SWIZZLE_R, GL_ZERO));
   GIVES(GL_NO_ERROR, glTexParameteri(at, GL_TEXTURE_WRAP_R, GL_CLAMP_TO_EDGE));
   GIVES(GL_NO_ERROR, glTexParameteri(at, GL_TEXTURE_COMPARE_FUNC, GL_NEVER));
   glDeleteTextures(1, &name);
   for (size_t i = 0; i < COUNT(not_filtered); i++) {
      name = new_texture(GL_TEXTURE_2D);
      glTexStorage2D(GL_TEXTURE_2D, 2, not_filtered[i], 4, 4);
      GIVES(GL_INVALID_OPERATION, glGenerateMipmap(GL_TEXTURE_2D));
      glDeleteTextures(1, &name);
   }
   GIVES(GL_INVALID_ENUM, glGenerateMipmap(GL_TEXTURE_CUBE_MAP_POSITIVE_X));
}

void
wrong_samplers(struct rules *r)
{
   const GLuint units = (GLuint)es3_limit(GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS);
   GLuint s = 0;
   GLint value = 0;
   GLfloat real;
   GIVES(GL_INVALID_VALUE, glGenSamplers(-1, &s));
   GIVES(GL_INVALID_VALUE, glDeleteSamplers(-1, &s));
   glGenSamplers(1, &s);
   GIVES(GL_INVALID_OPERATION, glBindSampler(0, NO_NAME));
   GIVES(GL_INVALID_VALUE, glBindSampler(units, s));
   GIVES(GL_NO_ERROR, glBindSampler(units - 1, s));
   GIVES(GL_INVALID_OPERATION, glSamplerParameteri(NO_NAME, GL_TEXTURE_WRAP_S, GL_REPEAT));
   GIVES(GL_INVALID_OPERATION, glSamplerParameterf(NO_NAME, GL_TEXTURE_MIN_LOD, 1));
   GIVES(GL_INVALID_OPERATION, glGetSamplerParameteriv(NO_NAME, GL_TEXTURE_WRAP_S, &value));
   GIVES(GL_INVALID_OPERATION, glGetSamplerParameterfv(NO_NAME, GL_TEXTURE_WRAP_S, &real));
   GIVES(GL_INVALID_ENUM, glSamplerParameteri(s, GL_TEXTURE_WRAP_S, NO_ENUM));
   GIVES(GL_INVALID_ENUM, glSamplerParameteri(s, GL_TEXTURE_MAG_FILTER, GL_LINEAR_MIPMAP_LINEAR));
   GIVES(GL_INVALID_ENUM, glSamplerParameteri(s, GL_TEXTURE_MIN_FILTER, GL_REPEAT));
   GIVES(GL_INVALID_ENUM, glSamplerParameteri(s, GL_TEXTURE_COMPARE_MODE, GL_LESS));
   GIVES(GL_INVALID_ENUM, glSamplerParameteri(s, GL_TEXTURE_COMPARE_FUNC, GL_NONE));
   GIVES(GL_INVALID_ENUM, glSamplerParameteri(s, GL_TEXTURE_BASE_LEVEL, 0)); /* the texture's */
   GIVES(GL_INVALID_ENUM, glSamplerParameteri(s, GL_TEXTURE_SWIZZLE_R, GL_RED));
   GIVES(GL_INVALID_ENUM, glSamplerParameterf(s, NO_ENUM, 0));
   GIVES(GL_INVALID_ENUM, glGetSamplerParameteriv(s, GL_TEXTURE_BASE_LEVEL, &value));
   GIVES(GL_INVALID_ENUM, glSamplerParameterf(s, LOD_BIAS, 1));
   GIVES(GL_INVALID_ENUM, glGetSamplerParameterfv(s, LOD_BIAS, &real));
   GIVES(GL_NO_ERROR, glSamplerParameteri(s, GL_TEXTURE_WRAP_R, GL_MIRRORED_REPEAT));
   GIVES(GL_NO_ERROR, glSamplerParameterf(s, GL_TEXTURE_MIN_LOD, -2.5f));
   GIVES(GL_NO_ERROR, glGetSamplerParameteriv(s, GL_TEXTURE_WRAP_S, &value));
   expect_value(r, value, GL_REPEAT, "a sampler's wrap mode after wrong calls");
   GIVES(GL_NO_ERROR, glDeleteSamplers(1, &s));
   GIVES(GL_INVALID_OPERATION, glBindSampler(0, s));
}

/* ------------------------------------------------------------------ 3.7, 4.3: pixels and buffers
 */

void
wrong_pixel_store(struct rules *r)
{
   static const GLenum sizes[] = { GL_UNPACK_ROW_LENGTH,  GL_UNPACK_SKIP_ROWS,
                                   GL_UNPACK_SKIP_PIXELS, GL_UNPACK_SKIP_IMAGES,
                                   GL_PACK_ROW_LENGTH,    GL_PACK_SKIP_ROWS,
                                   GL_PACK_SKIP_PIXELS,   GL_UNPACK_IMAGE_HEIGHT };
   for (size_t i = 0; i < COUNT(sizes); i++) {
      GIVES(GL_INVALID_VALUE, glPixelStorei(sizes[i], -1));
      GIVES(GL_NO_ERROR, glPixelStorei(sizes[i], 1));
      GIVES(GL_NO_ERROR, glPixelStorei(sizes[i], 0));
   }
   GIVES(GL_INVALID_VALUE, glPixelStorei(GL_UNPACK_ALIGNMENT, 3));
   GIVES(GL_INVALID_VALUE, glPixelStorei(GL_PACK_ALIGNMENT, 16));
   GIVES(GL_INVALID_ENUM, glPixelStorei(NO_ENUM, 1));
   GIVES(GL_INVALID_ENUM, glPixelStorei(PACK_SKIP_IMAGES, 1));
   GIVES(GL_INVALID_ENUM, glPixelStorei(PACK_IMAGE_HEIGHT, 1));
}

/* Section 3.7.1: an offset is a whole number of the type, what is read is there and not mapped. */
void
wrong_unpack_buffers(struct rules *r)
{
   const GLenum at = GL_PIXEL_UNPACK_BUFFER, deep = GL_TEXTURE_3D, byte = GL_UNSIGNED_BYTE;
   GLuint names[2] = { new_texture(deep), new_texture(GL_TEXTURE_2D) };
   glTexStorage3D(deep, 1, GL_RGBA8, 4, 4, 8);
   GLuint b = new_buffer(at, 64);
   GIVES(GL_NO_ERROR, glTexSubImage3D(deep, 0, 0, 0, 0, 4, 4, 1, GL_RGBA, byte, NULL));
   GIVES(GL_INVALID_OPERATION, glTexSubImage3D(deep, 0, 0, 0, 0, 4, 4, 2, GL_RGBA, byte, NULL));
   GIVES(GL_INVALID_OPERATION,
         glTexSubImage3D(deep, 0, 0, 0, 0, 4, 4, 1, GL_RGBA, byte, (void *)4));
   glPixelStorei(GL_UNPACK_SKIP_ROWS, 1);
   GIVES(GL_INVALID_OPERATION, glTexSubImage3D(deep, 0, 0, 0, 0, 4, 4, 1, GL_RGBA, byte, NULL));
   GIVES(GL_NO_ERROR, glTexSubImage3D(deep, 0, 0, 0, 0, 4, 3, 1, GL_RGBA, byte, NULL));
   glPixelStorei(GL_UNPACK_SKIP_ROWS, 0);
   const GLenum flat = GL_TEXTURE_2D, type = GL_UNSIGNED_SHORT_5_6_5;
   GIVES(GL_INVALID_OPERATION, glTexImage2D(flat, 0, GL_RGB565, 8, 8, 0, GL_RGB, type, NULL));
   GIVES(GL_INVALID_OPERATION, glTexImage2D(flat, 0, GL_RGB565, 4, 4, 0, GL_RGB, type, (void *)1));
   GIVES(GL_NO_ERROR, glTexImage2D(flat, 0, GL_RGB565, 4, 4, 0, GL_RGB, type, (void *)2));
   GIVES(GL_INVALID_OPERATION, glTexSubImage2D(flat, 0, 0, 0, 1, 1, GL_RGB, type, (void *)1));
   GIVES(GL_INVALID_OPERATION, glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_R32UI, 1, 1, 1, 0,
                                            GL_RED_INTEGER, GL_UNSIGNED_INT, (void *)2));
   glMapBufferRange(at, 0, 4, GL_MAP_WRITE_BIT);
   GIVES(GL_INVALID_OPERATION, glTexSubImage3D(deep, 0, 0, 0, 0, 4, 4, 1, GL_RGBA, byte, NULL));
   GIVES(GL_INVALID_OPERATION, glTexImage2D(flat, 0, GL_RGB565, 4, 4, 0, GL_RGB, type, NULL));
   glUnmapBuffer(at);
   GIVES(GL_NO_ERROR, glTexSubImage2D(flat, 0, 0, 0, 1, 1, GL_RGB, type, (void *)62));
   glDeleteBuffers(1, &b);
   glDeleteTextures(2, names);
}

static void
read_to(GLenum format, GLenum type, uintptr_t offset)
{
   glReadPixels(0, 0, 4, 4, format, type, (void *)offset);
}

void
wrong_pack_buffers(struct rules *r)
{
   const GLenum at = GL_PIXEL_PACK_BUFFER, byte = GL_UNSIGNED_BYTE;
   struct es3_target target = es3_target_create(GL_RGBA8, SIZE_PX, SIZE_PX);
   glClear(GL_COLOR_BUFFER_BIT);
   GLuint b = new_buffer(at, 64);
   GIVES(GL_NO_ERROR, read_to(GL_RGBA, byte, 0));
   GIVES(GL_INVALID_OPERATION, read_to(GL_RGBA, byte, 4));
   glPixelStorei(GL_PACK_ROW_LENGTH, 5);
   GIVES(GL_INVALID_OPERATION, read_to(GL_RGBA, byte, 0));
   glPixelStorei(GL_PACK_ROW_LENGTH, 0);
   glMapBufferRange(at, 0, 4, GL_MAP_READ_BIT);
   GIVES(GL_INVALID_OPERATION, read_to(GL_RGBA, byte, 0));
   glUnmapBuffer(at);
   /* table 3.2, but not what colours of fixed point are read as: section 4.3.1 */
   GIVES(GL_INVALID_OPERATION, read_to(GL_RGBA_INTEGER, GL_UNSIGNED_INT, 0));
   GIVES(GL_INVALID_OPERATION, read_to(GL_RGBA_INTEGER, GL_INT, 0));
   GIVES(GL_INVALID_ENUM, read_to(GL_RGBA, NO_ENUM, 0));
   GIVES(GL_INVALID_ENUM, read_to(NO_ENUM, byte, 0));
   GIVES(GL_INVALID_VALUE, glReadPixels(0, 0, -1, 1, GL_RGBA, byte, NULL));
   glReadBuffer(GL_NONE);
   GIVES(GL_INVALID_OPERATION, read_to(GL_RGBA, byte, 0));
   es3_target_delete(&target);
   struct attached a = attach(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RGBA8, 4);
   GIVES(GL_INVALID_OPERATION, read_to(GL_RGBA, byte, 0));
   detach(&a);
   glBufferData(at, 1024, NULL, GL_STREAM_READ);
   a = attach(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RGBA32UI, 0);
   glClearBufferuiv(GL_COLOR, 0, (const GLuint[4]){ 0 });
   GIVES(GL_INVALID_OPERATION, read_to(GL_RGBA, byte, 0));
   GIVES(GL_INVALID_OPERATION, read_to(GL_RGBA_INTEGER, GL_UNSIGNED_INT, 2));
   GIVES(GL_NO_ERROR, read_to(GL_RGBA_INTEGER, GL_UNSIGNED_INT, 4));
   detach(&a);
   glDeleteBuffers(1, &b);
}

/* ------------------------------------------------------------------------- 4: frame buffers */

void
wrong_draw_buffers(struct rules *r)
{
   const GLenum first = GL_COLOR_ATTACHMENT0, second = GL_COLOR_ATTACHMENT1;
   const GLint most = es3_limit(GL_MAX_DRAW_BUFFERS), last = es3_limit(GL_MAX_COLOR_ATTACHMENTS);
   GLenum many[64] = { GL_NONE };
   struct es3_target target = es3_target_create(GL_RGBA8, SIZE_PX, SIZE_PX);
   GIVES(GL_INVALID_OPERATION, glDrawBuffers(1, &second)); /* the n-th is the n-th or none */
   GIVES(GL_INVALID_OPERATION, glDrawBuffers(2, (const GLenum[]){ second, first }));
   GIVES(GL_INVALID_OPERATION, glDrawBuffers(1, (const GLenum[]){ GL_BACK }));
   GIVES(GL_INVALID_VALUE, glDrawBuffers(-1, many));
   if (most < (GLint)COUNT(many))
      GIVES(GL_INVALID_VALUE, glDrawBuffers(most + 1, many));
   GIVES(GL_INVALID_ENUM, glDrawBuffers(1, (const GLenum[]){ NO_ENUM }));
   GIVES(GL_INVALID_ENUM, glDrawBuffers(1, (const GLenum[]){ GL_FRONT }));
   GIVES(GL_INVALID_ENUM, glDrawBuffers(1, (const GLenum[]){ GL_DEPTH_ATTACHMENT }));
   GIVES(GL_NO_ERROR, glDrawBuffers(2, (const GLenum[]){ GL_NONE, second }));
   GIVES(GL_NO_ERROR, glDrawBuffers(1, &first));
   expect_value(r, es3_limit(GL_DRAW_BUFFER1), GL_NONE, "the second draw buffer");
   GIVES(GL_INVALID_OPERATION, glReadBuffer(GL_BACK));
   GIVES(GL_INVALID_ENUM, glReadBuffer(GL_FRONT));
   GIVES(GL_INVALID_ENUM, glReadBuffer(GL_DEPTH_ATTACHMENT));
   GIVES(GL_INVALID_ENUM, glReadBuffer(NO_ENUM));
   if (last < 16)
      GIVES(GL_INVALID_OPERATION, glReadBuffer(first + (GLenum)last));
   GIVES(GL_NO_ERROR, glReadBuffer(second));
   GIVES(GL_NO_ERROR, glReadBuffer(GL_NONE));
   GIVES(GL_NO_ERROR, glReadBuffer(first));
   glBindFramebuffer(GL_FRAMEBUFFER, 0);
   GIVES(GL_INVALID_OPERATION, glDrawBuffers(1, &first));
   GIVES(GL_INVALID_OPERATION, glDrawBuffers(2, (const GLenum[]){ GL_BACK, GL_NONE }));
   GIVES(GL_INVALID_OPERATION, glReadBuffer(first));
   es3_target_delete(&target);
}

void
wrong_clears(struct rules *r)
{
   static const float numbers[4] = { 0 };
   static const GLint whole[4] = { 0 };
   static const GLuint words[4] = { 0 };
   const GLint most = es3_limit(GL_MAX_DRAW_BUFFERS);
   struct attached a = attach(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RGBA8, 0);
   GIVES(GL_INVALID_VALUE, glClearBufferfv(GL_COLOR, -1, numbers));
   GIVES(GL_INVALID_VALUE, glClearBufferfv(GL_COLOR, most, numbers));
   GIVES(GL_INVALID_VALUE, glClearBufferiv(GL_COLOR, most, whole));
   GIVES(GL_INVALID_VALUE, glClearBufferuiv(GL_COLOR, most, words));
   GIVES(GL_INVALID_VALUE, glClearBufferfv(GL_DEPTH, 1, numbers));
   GIVES(GL_INVALID_VALUE, glClearBufferiv(GL_STENCIL, 1, whole));
   GIVES(GL_INVALID_VALUE, glClearBufferfi(GL_DEPTH_STENCIL, 1, 1, 0));
   GIVES(GL_INVALID_ENUM, glClearBufferfv(GL_STENCIL, 0, numbers));
   GIVES(GL_INVALID_ENUM, glClearBufferfv(GL_DEPTH_STENCIL, 0, numbers));
   GIVES(GL_INVALID_ENUM, glClearBufferfv(GL_FRONT, 0, numbers));
   GIVES(GL_INVALID_ENUM, glClearBufferiv(GL_DEPTH, 0, whole));
   GIVES(GL_INVALID_ENUM, glClearBufferuiv(GL_DEPTH, 0, words));
   GIVES(GL_INVALID_ENUM, glClearBufferuiv(GL_STENCIL, 0, words));
   GIVES(GL_INVALID_ENUM, glClearBufferfi(GL_DEPTH, 0, 1, 0));
   GIVES(GL_INVALID_ENUM, glClearBufferfi(GL_STENCIL, 0, 1, 0));
   GIVES(GL_INVALID_ENUM, glClearBufferfi(GL_COLOR, 0, 1, 0));
   GIVES(GL_NO_ERROR, glClearBufferfv(GL_COLOR, 0, numbers));
   GIVES(GL_NO_ERROR, glClearBufferfv(GL_COLOR, most - 1, numbers)); /* none: nothing is cleared */
   GIVES(GL_NO_ERROR, glClearBufferfi(GL_DEPTH_STENCIL, 0, 1, 0));
   GIVES(GL_INVALID_VALUE, glClear(GL_COLOR_BUFFER_BIT | 0x200));
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, 0);
   GIVES(GL_INVALID_FRAMEBUFFER_OPERATION, glClearBufferfv(GL_COLOR, 0, numbers));
   GIVES(GL_INVALID_FRAMEBUFFER_OPERATION, glClearBufferiv(GL_STENCIL, 0, whole));
   GIVES(GL_INVALID_FRAMEBUFFER_OPERATION, glClearBufferfi(GL_DEPTH_STENCIL, 0, 1, 0));
   detach(&a);
}

static void
invalidate(GLenum target, GLsizei count, GLenum attachment)
{
   const GLenum attachments[2] = { attachment, GL_DEPTH_ATTACHMENT };
   glInvalidateFramebuffer(target, count, attachments);
}

static void
invalidate_part(GLenum attachment, GLsizei width, GLsizei height)
{
   glInvalidateSubFramebuffer(GL_FRAMEBUFFER, 1, &attachment, -5, 0, width, height);
}

void
wrong_invalidations(struct rules *r)
{
   const GLenum first = GL_COLOR_ATTACHMENT0, both = GL_FRAMEBUFFER;
   const GLint most = es3_limit(GL_MAX_COLOR_ATTACHMENTS);
   struct attached a = attach(both, first, GL_RGBA8, 0);
   GIVES(GL_NO_ERROR, invalidate(both, 2, first));
   GIVES(GL_NO_ERROR, invalidate(GL_READ_FRAMEBUFFER, 1, GL_DEPTH_STENCIL_ATTACHMENT));
   GIVES(GL_INVALID_ENUM, invalidate(GL_TEXTURE_2D, 1, first));
   GIVES(GL_INVALID_VALUE, invalidate(both, -1, first));
   GIVES(GL_INVALID_ENUM, invalidate(both, 1, GL_COLOR)); /* the default frame buffer's */
   GIVES(GL_INVALID_ENUM, invalidate(both, 1, GL_DEPTH));
   GIVES(GL_INVALID_ENUM, invalidate(both, 1, NO_ENUM));
   if (most < 16)
      GIVES(GL_INVALID_OPERATION, invalidate(both, 1, first + (GLenum)most));
   GIVES(GL_INVALID_VALUE, invalidate_part(first, -1, 1));
   GIVES(GL_INVALID_VALUE, invalidate_part(first, 1, -1));
   GIVES(GL_INVALID_ENUM, invalidate_part(GL_STENCIL, 1, 1));
   GIVES(GL_NO_ERROR, invalidate_part(first, 1, 1));
   glBindFramebuffer(both, 0);
   GIVES(GL_INVALID_ENUM, invalidate(both, 1, first));
   GIVES(GL_INVALID_ENUM, invalidate_part(GL_DEPTH_ATTACHMENT, 1, 1));
   detach(&a);
}

/* Section 4.4.2.4. */
void
wrong_layers(struct rules *r)
{
   const GLenum at = GL_FRAMEBUFFER, first = GL_COLOR_ATTACHMENT0;
   const GLint depth = es3_limit(GL_MAX_3D_TEXTURE_SIZE),
               most = es3_limit(GL_MAX_COLOR_ATTACHMENTS);
   const GLint layers = es3_limit(GL_MAX_ARRAY_TEXTURE_LAYERS);
   GLint layer = -1;
   GLuint names[3] = { new_texture(GL_TEXTURE_3D), new_texture(GL_TEXTURE_2D_ARRAY),
                       new_texture(GL_TEXTURE_2D) };
   glTexStorage3D(GL_TEXTURE_3D, 4, GL_RGBA8, 4, 4, 8);
   GIVES(GL_INVALID_OPERATION, glFramebufferTextureLayer(at, first, names[0], 0, 0));
   struct attached a = attach(at, GL_COLOR_ATTACHMENT0, GL_RGBA8, 0);
   GIVES(GL_INVALID_VALUE, glFramebufferTextureLayer(at, first, names[0], 0, -1));
   GIVES(GL_INVALID_VALUE, glFramebufferTextureLayer(at, first, names[0], 0, depth));
   GIVES(GL_INVALID_VALUE, glFramebufferTextureLayer(at, first, names[1], 0, layers));
   GIVES(GL_INVALID_VALUE, glFramebufferTextureLayer(at, first, names[0], -1, 0));
   GIVES(GL_INVALID_VALUE, glFramebufferTextureLayer(at, first, names[0], 31, 0));
   GIVES(GL_INVALID_OPERATION, glFramebufferTextureLayer(at, first, names[2], 0, 0));
   GIVES(GL_INVALID_OPERATION, glFramebufferTextureLayer(at, first, NO_NAME, 0, 0));
   GIVES(GL_INVALID_ENUM, glFramebufferTextureLayer(GL_TEXTURE_2D, first, names[0], 0, 0));
   GIVES(GL_INVALID_ENUM, glFramebufferTextureLayer(at, NO_ENUM, names[0], 0, 0));
   if (most < 16)
      GIVES(GL_INVALID_OPERATION,
            glFramebufferTextureLayer(at, first + (GLenum)most, names[0], 0, 0));
   GIVES(GL_INVALID_OPERATION, glFramebufferTexture2D(at, first, GL_TEXTURE_2D, names[0], 0));
   GIVES(GL_NO_ERROR, glFramebufferTextureLayer(at, first, names[0], 0, 7));
   glGetFramebufferAttachmentParameteriv(at, first, GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LAYER,
                                         &layer);
   expect_value(r, layer, 7, "the layer that is attached");
   GIVES(GL_NO_ERROR, glFramebufferTextureLayer(at, first, names[0], 0, 8)); /* not complete */
   if (glCheckFramebufferStatus(at) != GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT)
      rules_fail(r, "a layer that is not there is complete");
   GIVES(GL_NO_ERROR, glFramebufferTextureLayer(at, first, 0, -1, -1)); /* 0: the rest is free */
   detach(&a);
   glDeleteTextures(3, names);
}

/* Sections 4.4.2 and 6.1.13. */
void
wrong_renderbuffers(struct rules *r)
{
   const GLenum at = GL_RENDERBUFFER, kind = GL_FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE;
   static const GLenum never[] = { GL_RGB9_E5, GL_RGB8UI, GL_SRGB8, GL_RGB8_SNORM, NO_ENUM };
   const GLint samples = es3_limit(GL_MAX_SAMPLES), size = es3_limit(GL_MAX_RENDERBUFFER_SIZE);
   GLint value = -1;
   struct attached a = attach(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_DEPTH24_STENCIL8, 0);
   for (size_t i = 0; i < COUNT(never); i++)
      GIVES(GL_INVALID_ENUM, glRenderbufferStorageMultisample(at, 1, never[i], 8, 8));
   GIVES(GL_INVALID_ENUM, glRenderbufferStorageMultisample(GL_TEXTURE_2D, 1, GL_RGBA8, 8, 8));
   GIVES(GL_INVALID_VALUE, glRenderbufferStorageMultisample(at, -1, GL_RGBA8, 8, 8));
   GIVES(GL_INVALID_OPERATION, glRenderbufferStorageMultisample(at, samples + 1, GL_RGBA8, 8, 8));
   GIVES(GL_INVALID_OPERATION, glRenderbufferStorageMultisample(at, 1, GL_RGBA8UI, 8, 8));
   GIVES(GL_INVALID_VALUE, glRenderbufferStorageMultisample(at, 1, GL_RGBA8, -1, 8));
   GIVES(GL_INVALID_VALUE, glRenderbufferStorageMultisample(at, 1, GL_RGBA8, 8, size + 1));
   glGetRenderbufferParameteriv(at, GL_RENDERBUFFER_WIDTH, &value);
   expect_value(r, value, SIZE_PX, "a renderbuffer's width after wrong calls");
   GIVES(GL_INVALID_OPERATION, glGetFramebufferAttachmentParameteriv(
                                  GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, kind, &value));
   GIVES(GL_NO_ERROR,
         glGetFramebufferAttachmentParameteriv(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, kind, &value));
   GIVES(GL_NO_ERROR, glGetFramebufferAttachmentParameteriv(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT,
                                                            kind, &value));
   expect_value(r, value, GL_UNSIGNED_INT, "the type of stencils");
   GIVES(GL_INVALID_OPERATION,
         glGetFramebufferAttachmentParameteriv(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, kind, &value));
   GIVES(GL_INVALID_ENUM,
         glGetFramebufferAttachmentParameteriv(GL_FRAMEBUFFER, GL_BACK, kind, &value));
   GIVES(GL_INVALID_ENUM, glGetFramebufferAttachmentParameteriv(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT,
                                                                NO_ENUM, &value));
   detach(&a);
   for (int i = 0; i <= samples; i += samples) {
      a = attach(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RGBA8, i);
      GIVES(GL_NO_ERROR, glGetRenderbufferParameteriv(at, GL_RENDERBUFFER_SAMPLES, &value));
      expect_value(r, value, i, "a renderbuffer's samples");
      detach(&a);
   }
}

static void
blit(GLint width, GLint height, GLbitfield mask, GLenum filter)
{
   glBlitFramebuffer(0, 0, SIZE_PX, SIZE_PX, 0, 0, width, height, mask, filter);
}

/* Section 4.3.2: nothing becomes an integer or stops being one, none is filtered. */
void
wrong_blit_kinds(struct rules *r)
{
   static const GLenum formats[] = { GL_RGBA8, GL_RGBA8UI, GL_RGBA8I, GL_RGB10_A2 };
   for (size_t i = 0; i < COUNT(formats) * COUNT(formats); i++) {
      const size_t from = i / COUNT(formats), to = i % COUNT(formats);
      struct attached a = attach(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, formats[from], 0);
      struct attached b = attach(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, formats[to], 0);
      const bool fixed = from % 3 == 0, same = from == to || (fixed && to % 3 == 0);
      GIVES(same ? GL_NO_ERROR : GL_INVALID_OPERATION,
            blit(SIZE_PX, SIZE_PX, GL_COLOR_BUFFER_BIT, GL_NEAREST));
      GIVES(same && fixed ? GL_NO_ERROR : GL_INVALID_OPERATION,
            blit(SIZE_PX, SIZE_PX, GL_COLOR_BUFFER_BIT, GL_LINEAR));
      detach(&a), detach(&b);
   }
}

void
wrong_blit_samples(struct rules *r)
{
   const GLenum colour = GL_COLOR_BUFFER_BIT;
   struct attached many = attach(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RGBA8, 4);
   struct attached one = attach(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RGBA8, 0);
   GIVES(GL_NO_ERROR, blit(SIZE_PX, SIZE_PX, colour, GL_NEAREST));
   GIVES(GL_INVALID_OPERATION, blit(4, 4, colour, GL_NEAREST));
   GIVES(GL_INVALID_OPERATION, blit(-SIZE_PX, SIZE_PX, colour, GL_NEAREST));
   GIVES(GL_INVALID_OPERATION, glBlitFramebuffer(0, 0, 4, 4, 1, 1, 5, 5, colour, GL_NEAREST));
   glRenderbufferStorage(GL_RENDERBUFFER, GL_RGB565, SIZE_PX, SIZE_PX);
   GIVES(GL_INVALID_OPERATION, blit(SIZE_PX, SIZE_PX, colour, GL_NEAREST));
   glBindFramebuffer(GL_READ_FRAMEBUFFER, one.framebuffer);
   glBindFramebuffer(GL_DRAW_FRAMEBUFFER, many.framebuffer);
   GIVES(GL_INVALID_OPERATION, blit(SIZE_PX, SIZE_PX, colour, GL_NEAREST));
   detach(&one), detach(&many);
}

void
wrong_blits(struct rules *r)
{
   const GLenum colour = GL_COLOR_BUFFER_BIT, both = GL_DEPTH_STENCIL_ATTACHMENT;
   struct attached a = attach(GL_READ_FRAMEBUFFER, both, GL_DEPTH24_STENCIL8, 0);
   struct attached b = attach(GL_DRAW_FRAMEBUFFER, both, GL_DEPTH32F_STENCIL8, 0);
   GIVES(GL_INVALID_OPERATION, blit(SIZE_PX, SIZE_PX, GL_DEPTH_BUFFER_BIT, GL_NEAREST));
   GIVES(GL_INVALID_OPERATION, blit(SIZE_PX, SIZE_PX, GL_STENCIL_BUFFER_BIT, GL_NEAREST));
   glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8, SIZE_PX, SIZE_PX);
   GIVES(GL_NO_ERROR, blit(SIZE_PX, SIZE_PX, GL_DEPTH_BUFFER_BIT, GL_NEAREST));
   GIVES(GL_INVALID_OPERATION, blit(SIZE_PX, SIZE_PX, GL_DEPTH_BUFFER_BIT, GL_LINEAR));
   GIVES(GL_INVALID_OPERATION, blit(SIZE_PX, SIZE_PX, GL_STENCIL_BUFFER_BIT, GL_LINEAR));
   GIVES(GL_INVALID_VALUE, blit(SIZE_PX, SIZE_PX, 0x200, GL_NEAREST));
   GIVES(GL_INVALID_ENUM, blit(SIZE_PX, SIZE_PX, colour, GL_LINEAR_MIPMAP_LINEAR));
   GIVES(GL_INVALID_ENUM, blit(SIZE_PX, SIZE_PX, colour, NO_ENUM));
   GIVES(GL_NO_ERROR, blit(SIZE_PX, SIZE_PX, 0, GL_NEAREST));
   GIVES(GL_NO_ERROR, blit(SIZE_PX, SIZE_PX, colour, GL_NEAREST)); /* none: nothing is copied */
   GLuint empty;
   glGenFramebuffers(1, &empty);
   glBindFramebuffer(GL_DRAW_FRAMEBUFFER, empty);
   GIVES(GL_INVALID_FRAMEBUFFER_OPERATION, blit(SIZE_PX, SIZE_PX, colour, GL_NEAREST));
   glDeleteFramebuffers(1, &empty);
   detach(&a), detach(&b);
   a = attach(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RGBA8, 0);
   GIVES(GL_INVALID_OPERATION, blit(SIZE_PX, SIZE_PX, colour, GL_NEAREST)); /* onto itself */
   detach(&a);
}
