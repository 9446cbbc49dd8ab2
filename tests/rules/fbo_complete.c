/* SPDX-License-Identifier: MIT
 *
 * Frame buffer objects: which combinations of attachments are complete (section 4.4.5), that
 * complete ones have the buffers they should, and what becomes of attachments whose names are
 * deleted.
 */
#include "texture_rules.h"

#include <stdlib.h>
#include <string.h>

enum { COLOUR = 1, DEPTH = 2, STENCIL = 4, REQUIRED = 8 /* table 4.5: complete, if it is alone */ };

#define HALF_FLOAT "GL_EXT_color_buffer_half_float"

/* What can be attached, and what it can be attached as. */
static const struct image_kind {
   const char *name, *extension;
   GLenum renderbuffer;         /* internal format; 0: a texture */
   GLenum format, type;
   int uses;
} kinds[] = {
   { "4444 renderbuffer", NULL, GL_RGBA4, 0, 0, COLOUR | REQUIRED },
   { "5551 renderbuffer", NULL, GL_RGB5_A1, 0, 0, COLOUR | REQUIRED },
   { "565 renderbuffer", NULL, GL_RGB565, 0, 0, COLOUR | REQUIRED },
   { "rgba8 renderbuffer", "GL_OES_rgb8_rgba8", GL_RGBA8_OES, 0, 0, COLOUR | REQUIRED },
   { "rgb8 renderbuffer", "GL_OES_rgb8_rgba8", GL_RGB8_OES, 0, 0, COLOUR | REQUIRED },
   { "depth16 renderbuffer", NULL, GL_DEPTH_COMPONENT16, 0, 0, DEPTH },
   { "depth24 renderbuffer", "GL_OES_depth24", GL_DEPTH_COMPONENT24_OES, 0, 0, DEPTH },
   { "stencil8 renderbuffer", NULL, GL_STENCIL_INDEX8, 0, 0, STENCIL },
   { "depth-stencil renderbuffer", "GL_OES_packed_depth_stencil", GL_DEPTH24_STENCIL8_OES, 0, 0,
     DEPTH | STENCIL },
   { "rgba8 texture", NULL, 0, GL_RGBA, GL_UNSIGNED_BYTE, COLOUR | REQUIRED },
   { "rgb8 texture", NULL, 0, GL_RGB, GL_UNSIGNED_BYTE, COLOUR | REQUIRED },
   { "565 texture", NULL, 0, GL_RGB, GL_UNSIGNED_SHORT_5_6_5, COLOUR | REQUIRED },
   { "4444 texture", NULL, 0, GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4, COLOUR | REQUIRED },
   { "5551 texture", NULL, 0, GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1, COLOUR | REQUIRED },
   { "rgba16f renderbuffer", HALF_FLOAT, GL_RGBA16F_EXT, 0, 0, COLOUR | REQUIRED },
   { "rgb16f renderbuffer", HALF_FLOAT, GL_RGB16F_EXT, 0, 0, COLOUR },
   { "rg16f renderbuffer", HALF_FLOAT, GL_RG16F_EXT, 0, 0, COLOUR },
   { "r16f renderbuffer", HALF_FLOAT, GL_R16F_EXT, 0, 0, COLOUR },
   { "rgba16f texture", HALF_FLOAT, 0, GL_RGBA, GL_HALF_FLOAT_OES, COLOUR | REQUIRED },
   { "rgb16f texture", HALF_FLOAT, 0, GL_RGB, GL_HALF_FLOAT_OES, 0 },
   { "rg8 renderbuffer", "GL_EXT_texture_rg", GL_RG8_EXT, 0, 0, COLOUR | REQUIRED },
   { "r8 renderbuffer", "GL_EXT_texture_rg", GL_R8_EXT, 0, 0, COLOUR | REQUIRED },
   { "rg8 texture", "GL_EXT_texture_rg", 0, GL_RG_EXT, GL_UNSIGNED_BYTE, COLOUR | REQUIRED },
   { "r8 texture", "GL_EXT_texture_rg", 0, GL_RED_EXT, GL_UNSIGNED_BYTE, COLOUR | REQUIRED },
   { "bgra8 texture", "GL_EXT_texture_format_BGRA8888", 0, GL_BGRA_EXT, GL_UNSIGNED_BYTE,
     COLOUR | REQUIRED },
   { "bgra renderbuffer", "GL_EXT_texture_format_BGRA8888", GL_BGRA_EXT, 0, 0, COLOUR | REQUIRED },
   { "bgra8 renderbuffer", "GL_EXT_texture_format_BGRA8888", GL_BGRA8_EXT, 0, 0,
     COLOUR | REQUIRED },
   { "srgba8 renderbuffer", "GL_EXT_sRGB", GL_SRGB8_ALPHA8_EXT, 0, 0, COLOUR | REQUIRED },
   { "srgba texture", "GL_EXT_sRGB", 0, GL_SRGB_ALPHA_EXT, GL_UNSIGNED_BYTE, COLOUR | REQUIRED },
   { "srgb texture", "GL_EXT_sRGB", 0, GL_SRGB_EXT, GL_UNSIGNED_BYTE, 0 },
   { "depth32 renderbuffer", "GL_OES_depth32", GL_DEPTH_COMPONENT32_OES, 0, 0, DEPTH },
   { "stencil1 renderbuffer", "GL_OES_stencil1", GL_STENCIL_INDEX1_OES, 0, 0, STENCIL },
   { "stencil4 renderbuffer", "GL_OES_stencil4", GL_STENCIL_INDEX4_OES, 0, 0, STENCIL },
   { "la8 texture", NULL, 0, GL_LUMINANCE_ALPHA, GL_UNSIGNED_BYTE, 0 },
   { "l8 texture", NULL, 0, GL_LUMINANCE, GL_UNSIGNED_BYTE, 0 },
   { "a8 texture", NULL, 0, GL_ALPHA, GL_UNSIGNED_BYTE, 0 },
   { "2_10_10_10 texture", "GL_EXT_texture_type_2_10_10_10_REV", 0, GL_RGBA,
     GL_UNSIGNED_INT_2_10_10_10_REV_EXT, 0 },
   { "depth16 texture", "GL_OES_depth_texture", 0, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT, DEPTH },
   { "depth32 texture", "GL_OES_depth_texture", 0, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, DEPTH },
   { "depth-stencil texture", "GL_OES_depth_texture", 0, GL_DEPTH_STENCIL_OES,
     GL_UNSIGNED_INT_24_8_OES, DEPTH | STENCIL },
   { "rgba32f texture", "GL_OES_texture_float", 0, GL_RGBA, GL_FLOAT, 0 },
   { "rgb32f texture", "GL_OES_texture_float", 0, GL_RGB, GL_FLOAT, 0 },
   { "rg32f texture", "GL_OES_texture_float", 0, GL_RG_EXT, GL_FLOAT, 0 },
   { "r32f texture", "GL_OES_texture_float", 0, GL_RED_EXT, GL_FLOAT, 0 },
};

enum { POINTS = 3 };
static const GLenum points[POINTS] = { GL_COLOR_ATTACHMENT0, GL_DEPTH_ATTACHMENT,
                                       GL_STENCIL_ATTACHMENT };

struct attachment {
   const struct image_kind *kind; /* NULL: none */
   GLuint texture, renderbuffer;
   int width, height; /* 0: no storage */
   bool shared;       /* the image of the depth attachment */
};

static void
create_image(struct attachment *a)
{
   if (a->kind->renderbuffer) {
      glGenRenderbuffers(1, &a->renderbuffer);
      glBindRenderbuffer(GL_RENDERBUFFER, a->renderbuffer);
      if (a->width)
         glRenderbufferStorage(GL_RENDERBUFFER, a->kind->renderbuffer, a->width, a->height);
      return;
   }
   glGenTextures(1, &a->texture);
   glBindTexture(GL_TEXTURE_2D, a->texture);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   if (a->width)
      glTexImage2D(GL_TEXTURE_2D, 0, (GLint)a->kind->format, a->width, a->height, 0,
                   a->kind->format, a->kind->type, NULL);
}

static void
attach(const struct attachment *a, GLenum point)
{
   if (a->renderbuffer)
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, point, GL_RENDERBUFFER, a->renderbuffer);
   else
      glFramebufferTexture2D(GL_FRAMEBUFFER, point, GL_TEXTURE_2D, a->texture, 0);
}

/* Mostly what belongs to the point, so that many are complete. */
static void
choose_attachments(struct rules *r, struct attachment a[POINTS])
{
   const int width = rules_between(r, 1, 40), height = rules_between(r, 1, 40);
   memset(a, 0, POINTS * sizeof(*a));
   for (int i = 0; i < POINTS; i++) {
      if (rules_chance(r, i ? 45 : 10))
         continue;
      do
         a[i].kind = &rules_pick(r, kinds);
      while (!(a[i].kind->uses & 1 << i) && rules_chance(r, 93));
      if (a[i].kind->extension && !has_extension(a[i].kind->extension))
         a[i].kind = NULL;
      a[i].width = width, a[i].height = height;
      if (rules_chance(r, 4))
         a[i].width = a[i].height = 0;
      else if (rules_chance(r, 4))
         a[i].width++;
   }
   if (a[1].kind && a[1].kind->uses == (DEPTH | STENCIL) && rules_chance(r, 70)) {
      a[2] = a[1];
      a[2].shared = true;
   }
   for (int i = 0; i < POINTS; i++) {
      if (a[i].kind && !a[i].shared)
         create_image(&a[i]);
      else if (a[i].shared)
         a[i].texture = a[1].texture, a[i].renderbuffer = a[1].renderbuffer;
      if (a[i].kind)
         attach(&a[i], points[i]);
   }
}

/* --------------------------------------------------------------------------------- completeness */

static void
expect_status(struct rules *r, const struct attachment a[POINTS], GLenum status)
{
   bool unattachable = false, different = false;
   int count = 0, width = 0, height = 0;
   for (int i = 0; i < POINTS; i++) {
      if (!a[i].kind)
         continue;
      unattachable |= !a[i].width || !(a[i].kind->uses & 1 << i);
      different |= count && (a[i].width != width || a[i].height != height);
      width = a[i].width, height = a[i].height;
      count++;
   }
   const bool required = count == 1 && a[0].kind && a[0].kind->uses & REQUIRED;
   const bool allowed = status == GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT           ? unattachable
                        : status == GL_FRAMEBUFFER_INCOMPLETE_MISSING_ATTACHMENT ? count == 0
                        : status == GL_FRAMEBUFFER_INCOMPLETE_DIMENSIONS         ? different
                        : status == GL_FRAMEBUFFER_UNSUPPORTED
                           ? count && !required
                           : count && !unattachable && !different;
   if (!allowed)
      rules_fail(r, "colour: %s %d x %d, depth: %s %d x %d, stencil: %s %d x %d%s: status %x",
                 a[0].kind ? a[0].kind->name : "none", a[0].width, a[0].height,
                 a[1].kind ? a[1].kind->name : "none", a[1].width, a[1].height,
                 a[2].kind ? a[2].kind->name : "none", a[2].width, a[2].height,
                 a[2].shared ? " (the same)" : "", status);
}

/* The targets of frame buffer blits, which glBindFramebuffer takes without them too: the status is
 * that of the object. */
static void
expect_status_of(struct rules *r, GLuint framebuffer, GLenum status)
{
   static const GLenum targets[] = { GL_READ_FRAMEBUFFER_NV, GL_DRAW_FRAMEBUFFER_NV };
   const GLenum target = rules_pick(r, targets);
   glBindFramebuffer(GL_FRAMEBUFFER, 0);
   glBindFramebuffer(target, framebuffer);
   const GLenum other = glCheckFramebufferStatus(target);
   if (other != status)
      rules_fail(r, "status %x is %x for target %x, error %x", status, other, target, glGetError());
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
}

static void
draw_plain(float z, float red, float green, float blue)
{
   const float colour[4] = { red, green, blue, 1 };
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   draw_rectangle(-1, -1, 1, 1, z, colour);
}

/* How many of red, green, blue and alpha it has, for certain; what it has not may read as anything
 * sane. */
static int
components(const struct image_kind *kind)
{
   const bool one = kind->renderbuffer == GL_R16F_EXT || kind->renderbuffer == GL_R8_EXT ||
                    kind->format == GL_RED_EXT;
   const bool two = kind->renderbuffer == GL_RG16F_EXT || kind->renderbuffer == GL_RG8_EXT ||
                    kind->format == GL_RG_EXT;
   return one ? 1 : two ? 2 : 4;
}

/* Colours of 0 and 1 as bytes; those of floats can only be read as floats. */
static uint8_t *
read_colours(struct rules *r, const struct image_kind *kind, int width, int height)
{
   if (!kind->extension || strcmp(kind->extension, HALF_FLOAT))
      return rules_read(r, width, height);
   float *reals = rules_read_float(r, width, height);
   uint8_t *bytes = malloc((size_t)width * height * 4);
   for (int i = 0; i < width * height * 4; i++)
      bytes[i] = reals[i] == 0 ? 0 : reals[i] == 1 ? 255 : 128;
   free(reals);
   return bytes;
}

/* A test on a buffer that is not there passes: three draws that depth or stencil stops only where
 * they are. */
static void
expect_buffers(struct rules *r, const struct attachment a[POINTS])
{
   const bool depth = a[1].kind != NULL, stencil = a[2].kind != NULL;
   const int width = a[0].width, height = a[0].height;
   glViewport(0, 0, width, height);
   glClearColor(0, 0, 0, 1);
   glClearDepthf(0.5f);
   glClearStencil(3);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
   glClearColor(0, 0, 0, 0);
   glEnable(GL_DEPTH_TEST);
   draw_plain(0.5f, 1, 0, 0); /* depth 0.75 */
   glEnable(GL_STENCIL_TEST);
   glStencilFunc(GL_EQUAL, 2, 0xff);
   draw_plain(-0.5f, 0, 1, 0);
   glDisable(GL_DEPTH_TEST);
   glStencilFunc(GL_EQUAL, 3, 0xff);
   glColorMask(0, 0, 1, 0);
   draw_plain(0, 0, 0, 1);
   glColorMask(1, 1, 1, 1);
   glDisable(GL_STENCIL_TEST);
   uint8_t *pixels = read_colours(r, a[0].kind, width, height);
   const uint8_t expected[4] = { stencil && !depth ? 255 : 0, stencil ? 0 : 255, 255, 255 };
   for (int i = 0; i < width * height; i++)
      if (memcmp(pixels + 4 * i, expected, (size_t)components(a[0].kind)))
         rules_fail(
            r, "%s with%s depth, with%s stencil: pixel (%d, %d) is %d %d %d %d, not %d %d %d %d",
            a[0].kind->name, depth ? "" : "out", stencil ? "" : "out", i % width, i / width,
            pixels[4 * i], pixels[4 * i + 1], pixels[4 * i + 2], pixels[4 * i + 3], expected[0],
            expected[1], expected[2], expected[3]);
   free(pixels);
}

void
fbo_complete(struct rules *r)
{
   const GLuint program = program_create(plain_vertex, plain_fragment);
   while (rules_next(r)) {
      struct attachment a[POINTS];
      GLuint framebuffer;
      glGenFramebuffers(1, &framebuffer);
      glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
      choose_attachments(r, a);
      const GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
      expect_status(r, a, status);
      expect_status_of(r, framebuffer, status);
      glUseProgram(program);
      if (status == GL_FRAMEBUFFER_COMPLETE && a[0].kind)
         expect_buffers(r, a);
      else if (status != GL_FRAMEBUFFER_COMPLETE && rules_chance(r, 5)) {
         glClear(GL_COLOR_BUFFER_BIT);
         const GLenum error = glGetError();
         if (error != GL_INVALID_FRAMEBUFFER_OPERATION)
            rules_fail(r, "glClear of an incomplete frame buffer: error %x", error);
      }
      glDeleteFramebuffers(1, &framebuffer);
      for (int i = 0; i < POINTS; i++) {
         glDeleteTextures(!a[i].shared, &a[i].texture);
         glDeleteRenderbuffers(!a[i].shared, &a[i].renderbuffer);
      }
   }
}

/* ------------------------------------------------------------------------------- deleted images */

enum { SIZE_PX = 8 };

static void
expect_colour(struct rules *r, const float colour[4], const char *what)
{
   double expected[SIZE_PX * SIZE_PX][4];
   for (int i = 0; i < 4 * SIZE_PX * SIZE_PX; i++)
      expected[i / 4][i % 4] = colour[i % 4];
   expect_texels(r, SIZE_PX, SIZE_PX, expected, 0.51, what);
}

/* Section 4.4.3: of the frame buffer that is bound, the image of a deleted name is detached; others
 * keep it. */
void
fbo_deleted(struct rules *r)
{
   while (rules_next(r)) {
      struct attachment a = { .kind = &kinds[rules_chance(r, 50) ? 3 : 9],
                              .width = SIZE_PX,
                              .height = SIZE_PX };
      GLuint framebuffer[2];
      float colour[4];
      for (int c = 0; c < 4; c++)
         colour[c] = (float)rules_below(r, 256) / 255;
      create_image(&a);
      glGenFramebuffers(2, framebuffer);
      for (int i = 0; i < 2; i++) {
         glBindFramebuffer(GL_FRAMEBUFFER, framebuffer[i]);
         attach(&a, GL_COLOR_ATTACHMENT0);
      }
      glClearColor(colour[0], colour[1], colour[2], colour[3]);
      glClear(GL_COLOR_BUFFER_BIT);
      glClearColor(0, 0, 0, 0);
      const bool bound = rules_chance(r, 50);
      if (!bound)
         glBindFramebuffer(GL_FRAMEBUFFER, 0);
      glDeleteTextures(1, &a.texture);
      glDeleteRenderbuffers(1, &a.renderbuffer);
      if (rules_chance(r, 50)) { /* the same name, another image */
         struct attachment other = { .kind = a.kind, .width = 3, .height = 5 };
         create_image(&other);
         glDeleteTextures(1, &other.texture);
         glDeleteRenderbuffers(1, &other.renderbuffer);
      }
      for (int i = 0; i < 2; i++) {
         glBindFramebuffer(GL_FRAMEBUFFER, framebuffer[i]);
         const GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
         if (bound && i == 1) {
            if (status != GL_FRAMEBUFFER_INCOMPLETE_MISSING_ATTACHMENT)
               rules_fail(r, "the %s of the bound frame buffer is deleted: status %x", a.kind->name,
                          status);
         } else if (status != GL_FRAMEBUFFER_COMPLETE) {
            rules_fail(r, "the %s of a frame buffer that is not bound is deleted: status %x",
                       a.kind->name, status);
         } else {
            expect_colour(r, colour, "an image whose name is deleted");
         }
      }
      glDeleteFramebuffers(2, framebuffer);
   }
}
