/* SPDX-License-Identifier: MIT
 *
 * Wrong calls of OES_texture_3D.
 */
#include "api_rules.h"
#include "texture_draw.h"

#include <stdlib.h>

static GLuint
bound_texture(void)
{
   GLuint name;
   if (!has_extension("GL_OES_texture_3D"))
      rules_skip("no GL_OES_texture_3D");
   glGenTextures(1, &name);
   glBindTexture(GL_TEXTURE_3D_OES, name);
   return name;
}

/* The calls, short enough for a line each: of four texels a side, RGBA8, unless the arguments say
 * otherwise. */
static void
image(GLenum target, GLint level, GLenum internal, GLsizei w, GLsizei h, GLsizei d, GLint border,
      GLenum format, GLenum type)
{
   gl_ext()->TexImage3DOES(target, level, internal, w, h, d, border, format, type, NULL);
}

static void
part(GLenum target, GLint level, GLint x, GLint y, GLint z, GLsizei w, GLsizei h, GLsizei d,
     GLenum format, GLenum type)
{
   static const uint8_t texels[4 * 5 * 5 * 5];
   gl_ext()->TexSubImage3DOES(target, level, x, y, z, w, h, d, format, type, texels);
}

static void
copy(GLenum target, GLint level, GLint x, GLint y, GLint z, GLsizei w, GLsizei h)
{
   gl_ext()->CopyTexSubImage3DOES(target, level, x, y, z, 0, 0, w, h);
}

void
wrong_3d_images(struct rules *r)
{
   const GLuint name = bound_texture();
   const GLenum t = GL_TEXTURE_3D_OES, rgba = GL_RGBA, u8 = GL_UNSIGNED_BYTE;
   const GLint levels = level_limit(GL_TEXTURE_3D_OES), over_px = 1 << levels;
   static const GLenum not_3d[] = { NO_ENUM, GL_TEXTURE_2D, GL_TEXTURE_CUBE_MAP,
                                    GL_TEXTURE_CUBE_MAP_POSITIVE_X };
   for (size_t i = 0; i < sizeof(not_3d) / sizeof(not_3d[0]); i++) {
      GIVES(GL_INVALID_ENUM, image(not_3d[i], 0, rgba, 4, 4, 4, 0, rgba, u8));
      GIVES(GL_INVALID_ENUM, part(not_3d[i], 0, 0, 0, 0, 1, 1, 1, rgba, u8));
      GIVES(GL_INVALID_ENUM, copy(not_3d[i], 0, 0, 0, 0, 1, 1));
   }
   GIVES(GL_INVALID_ENUM, glTexImage2D(t, 0, GL_RGBA, 4, 4, 0, rgba, u8, NULL));
   GIVES(GL_INVALID_ENUM, glCopyTexImage2D(t, 0, rgba, 0, 0, 4, 4, 0));
   GIVES(GL_INVALID_ENUM, image(t, 0, rgba, 4, 4, 4, 0, NO_ENUM, u8));
   GIVES(GL_INVALID_ENUM, image(t, 0, rgba, 4, 4, 4, 0, rgba, NO_ENUM));
   GIVES(GL_INVALID_VALUE, image(t, 0, NO_ENUM, 4, 4, 4, 0, rgba, u8));
   GIVES(GL_INVALID_OPERATION, image(t, 0, GL_RGB, 4, 4, 4, 0, rgba, u8));
   GIVES(GL_INVALID_OPERATION, image(t, 0, GL_RGB, 4, 4, 4, 0, GL_RGB, GL_UNSIGNED_SHORT_4_4_4_4));
   GIVES(GL_INVALID_OPERATION, image(t, 0, GL_RGB, 4, 4, 4, 0, GL_RGB, GL_UNSIGNED_SHORT_5_5_5_1));
   GIVES(GL_INVALID_OPERATION, image(t, 0, rgba, 4, 4, 4, 0, rgba, GL_UNSIGNED_SHORT_5_6_5));
   GIVES(GL_INVALID_VALUE, image(t, -1, rgba, 4, 4, 4, 0, rgba, u8));
   GIVES(GL_INVALID_VALUE, image(t, levels, rgba, 1, 1, 1, 0, rgba, u8));
   GIVES(GL_INVALID_VALUE, image(t, 0, rgba, -1, 4, 4, 0, rgba, u8));
   GIVES(GL_INVALID_VALUE, image(t, 0, rgba, 4, -1, 4, 0, rgba, u8));
   GIVES(GL_INVALID_VALUE, image(t, 0, rgba, 4, 4, -1, 0, rgba, u8));
   GIVES(GL_INVALID_VALUE, image(t, 0, rgba, over_px, 1, 1, 0, rgba, u8));
   GIVES(GL_INVALID_VALUE, image(t, 0, rgba, 1, over_px, 1, 0, rgba, u8));
   GIVES(GL_INVALID_VALUE, image(t, 0, rgba, 1, 1, over_px, 0, rgba, u8));
   GIVES(GL_INVALID_VALUE, image(t, 0, rgba, 4, 4, 4, 1, rgba, u8));
   GIVES(GL_INVALID_VALUE, image(t, 0, rgba, 4, 4, 4, -1, rgba, u8));
   GIVES(GL_INVALID_OPERATION, part(t, 0, 0, 0, 0, 1, 1, 1, rgba, u8)); /* not there yet */
   GIVES(GL_INVALID_OPERATION, copy(t, 0, 0, 0, 0, 1, 1));
   GIVES(GL_NO_ERROR, image(t, 0, rgba, 4, 4, 4, 0, rgba, u8));
   GIVES(GL_INVALID_ENUM, part(t, 0, 0, 0, 0, 1, 1, 1, NO_ENUM, u8));
   GIVES(GL_INVALID_ENUM, part(t, 0, 0, 0, 0, 1, 1, 1, rgba, NO_ENUM));
   GIVES(GL_INVALID_OPERATION, part(t, 0, 0, 0, 0, 1, 1, 1, GL_RGB, u8));
   GIVES(GL_INVALID_OPERATION, part(t, 0, 0, 0, 0, 1, 1, 1, rgba, GL_UNSIGNED_SHORT_5_6_5));
   GIVES(GL_INVALID_VALUE, part(t, -1, 0, 0, 0, 1, 1, 1, rgba, u8));
   GIVES(GL_INVALID_VALUE, part(t, levels, 0, 0, 0, 1, 1, 1, rgba, u8));
   for (int axis = 0; axis < 3; axis++) {
      const int x = axis == 0, y = axis == 1, z = axis == 2;
      GIVES(GL_INVALID_VALUE, part(t, 0, -x, -y, -z, 1, 1, 1, rgba, u8));
      GIVES(GL_INVALID_VALUE, part(t, 0, 4 * x, 4 * y, 4 * z, 1, 1, 1, rgba, u8));
      GIVES(GL_INVALID_VALUE, part(t, 0, 0, 0, 0, 1 + 4 * x, 1 + 4 * y, 1 + 4 * z, rgba, u8));
      GIVES(GL_INVALID_VALUE, part(t, 0, 0, 0, 0, 1 - 2 * x, 1 - 2 * y, 1 - 2 * z, rgba, u8));
      GIVES(GL_NO_ERROR, part(t, 0, 3 * x, 3 * y, 3 * z, 1, 1, 1, rgba, u8));
   }
   struct tex_canvas canvas = tex_canvas_create(8, 8);
   GIVES(GL_NO_ERROR, copy(t, 0, 0, 0, 3, 4, 4));
   GIVES(GL_INVALID_VALUE, copy(t, -1, 0, 0, 0, 4, 4));
   GIVES(GL_INVALID_VALUE, copy(t, levels, 0, 0, 0, 4, 4));
   GIVES(GL_INVALID_VALUE, copy(t, 0, -1, 0, 0, 4, 4));
   GIVES(GL_INVALID_VALUE, copy(t, 0, 0, -1, 0, 4, 4));
   GIVES(GL_INVALID_VALUE, copy(t, 0, 0, 0, -1, 4, 4));
   GIVES(GL_INVALID_VALUE, copy(t, 0, 0, 0, 4, 4, 4));
   GIVES(GL_INVALID_VALUE, copy(t, 0, 1, 0, 0, 4, 4));
   GIVES(GL_INVALID_VALUE, copy(t, 0, 0, 1, 0, 4, 4));
   GIVES(GL_INVALID_VALUE, copy(t, 0, 0, 0, 0, -1, 4));
   GIVES(GL_INVALID_VALUE, copy(t, 0, 0, 0, 0, 4, -1));
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, 0);
   GIVES(GL_INVALID_FRAMEBUFFER_OPERATION, copy(t, 0, 0, 0, 0, 4, 4));
   tex_canvas_delete(&canvas);
   glDeleteTextures(1, &name);
}

void
wrong_3d_compressed(struct rules *r)
{
   static const char block[64];
   static const GLenum formats[] = { NO_ENUM, GL_RGBA, GL_ETC1_RGB8_OES,
                                     GL_COMPRESSED_RGB_S3TC_DXT1_EXT };
   const PFNGLCOMPRESSEDTEXIMAGE3DOESPROC whole =
      (PFNGLCOMPRESSEDTEXIMAGE3DOESPROC)eglGetProcAddress("glCompressedTexImage3DOES");
   const PFNGLCOMPRESSEDTEXSUBIMAGE3DOESPROC some =
      (PFNGLCOMPRESSEDTEXSUBIMAGE3DOESPROC)eglGetProcAddress("glCompressedTexSubImage3DOES");
   const GLuint name = bound_texture();
   GIVES(GL_INVALID_ENUM, whole(NO_ENUM, 0, formats[2], 4, 4, 1, 0, 8, block));
   GIVES(GL_INVALID_ENUM, whole(GL_TEXTURE_2D, 0, formats[2], 4, 4, 1, 0, 8, block));
   GIVES(GL_INVALID_ENUM, some(NO_ENUM, 0, 0, 0, 0, 4, 4, 1, formats[2], 8, block));
   for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
      /* no format of ours has blocks of three dimensions; S3TC's are refused as an operation, as in
       * OpenGL ES 3 */
      whole(GL_TEXTURE_3D_OES, 0, formats[i], 4, 4, 1, 0, 8, block);
      const GLenum error = glGetError();
      if (error != GL_INVALID_ENUM && (i < 2 || error != GL_INVALID_OPERATION))
         rules_fail(r, "glCompressedTexImage3DOES with format 0x%04x gives 0x%04x", formats[i],
                    error);
   }
   image(GL_TEXTURE_3D_OES, 0, GL_RGBA, 4, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE);
   some(GL_TEXTURE_3D_OES, 0, 0, 0, 0, 4, 4, 1, formats[2], 8, block);
   const GLenum error = glGetError();
   if (error != GL_INVALID_ENUM && error != GL_INVALID_OPERATION)
      rules_fail(r, "glCompressedTexSubImage3DOES of ETC1 gives 0x%04x", error);
   glDeleteTextures(1, &name);
}

void
wrong_3d_framebuffers(struct rules *r)
{
   const GLuint name = bound_texture();
   const GLenum f = GL_FRAMEBUFFER, at = GL_COLOR_ATTACHMENT0, t = GL_TEXTURE_3D_OES;
   const PFNGLFRAMEBUFFERTEXTURE3DOESPROC attach = gl_ext()->FramebufferTexture3DOES;
   GLint size_px;
   GLuint framebuffer, flat;
   glGetIntegerv(GL_MAX_3D_TEXTURE_SIZE_OES, &size_px);
   image(t, 0, GL_RGBA, 4, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE);
   glTexParameteri(t, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glGenTextures(1, &flat);
   glBindTexture(GL_TEXTURE_2D, flat);
   GIVES(GL_INVALID_OPERATION, attach(f, at, t, name, 0, 0)); /* the default frame buffer */
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(f, framebuffer);
   GIVES(GL_INVALID_ENUM, attach(NO_ENUM, at, t, name, 0, 0));
   GIVES(GL_INVALID_ENUM, attach(f, NO_ENUM, t, name, 0, 0));
   GIVES(GL_INVALID_OPERATION, attach(f, at, GL_TEXTURE_2D, name, 0, 0));
   GIVES(GL_INVALID_OPERATION, attach(f, at, t, NO_NAME, 0, 0));
   GIVES(GL_INVALID_OPERATION, attach(f, at, t, flat, 0, 0));
   GIVES(GL_INVALID_OPERATION, glFramebufferTexture2D(f, at, GL_TEXTURE_2D, name, 0));
   GIVES(GL_INVALID_VALUE, attach(f, at, t, name, -1, 0));
   GIVES(GL_INVALID_VALUE, attach(f, at, t, name, level_limit(GL_TEXTURE_3D_OES), 0));
   GIVES(GL_INVALID_VALUE, attach(f, at, t, name, 0, -1));
   GIVES(GL_INVALID_VALUE, attach(f, at, t, name, 0, size_px));
   GIVES(GL_NO_ERROR, attach(f, at, t, name, 0, 3));
   if (glCheckFramebufferStatus(f) != GL_FRAMEBUFFER_COMPLETE)
      rules_fail(r, "a layer of a 3D texture is not complete: 0x%04x", glCheckFramebufferStatus(f));
   GIVES(GL_NO_ERROR, attach(f, at, t, name, 0, 4)); /* a layer that is not there: section 4.4.5 */
   if (glCheckFramebufferStatus(f) != GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT)
      rules_fail(r, "a layer behind a 3D texture's last: status 0x%04x",
                 glCheckFramebufferStatus(f));
   glDeleteFramebuffers(1, &framebuffer);
   glDeleteTextures(1, &name);
   glDeleteTextures(1, &flat);
}
