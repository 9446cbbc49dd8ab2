/* SPDX-License-Identifier: MIT
 *
 * Nearest blits of random rectangles, scaled, mirrored and clipped by both frame buffers and the
 * scissor: colour, depth and stencil, to the same format and to another, also to stencil that has
 * no depth beside it, against a reference that decides each pixel by itself, in whole numbers
 * (OpenGL 4.5, section 18.3.1).
 */
#include "texture_rules.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_STENCIL_ATTACHMENT 0x821A
#define UNSIGNED_INT_24_8 0x84FA
#define DEPTH_STENCIL 0x84F9
#define RGBA16F 0x881A
#define STENCIL_INDEX 0x1901
#define READ_FRAMEBUFFER 0x8CA8
#define DRAW_FRAMEBUFFER 0x8CA9

enum { MOST_PX = 40 };

typedef void (*blit_function)(GLint, GLint, GLint, GLint, GLint, GLint, GLint, GLint, GLbitfield,
                              GLenum);

/* A frame buffer, and what is in it. depth_stencil: a texture of 24 bits of depth above 8 of
 * stencil; in its place there may be a renderbuffer of stencil alone, and no depth. */
struct buffers {
   GLuint framebuffer, colour, depth_stencil, stencil;
   int width, height;
   uint8_t rgba[MOST_PX * MOST_PX][4];
   uint32_t zs[MOST_PX * MOST_PX];
};

/* One axis of a blit: as GL is told it, and the pixels that the scissor leaves. */
struct axis {
   int source[2], destination[2], low, high;
};

static void
attach_depth_stencil(struct buffers *b)
{
   glGenTextures(1, &b->depth_stencil);
   glBindTexture(GL_TEXTURE_2D, b->depth_stencil);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH24_STENCIL8_OES, b->width, b->height, 0, DEPTH_STENCIL,
                UNSIGNED_INT_24_8, b->zs);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, b->depth_stencil, 0);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, GL_TEXTURE_2D, b->depth_stencil,
                          0);
}

/* Of one value: that of the first pixel. */
static void
attach_stencil(struct buffers *b)
{
   glGenRenderbuffers(1, &b->stencil);
   glBindRenderbuffer(GL_RENDERBUFFER, b->stencil);
   glRenderbufferStorage(GL_RENDERBUFFER, GL_STENCIL_INDEX8, b->width, b->height);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, GL_RENDERBUFFER, b->stencil);
   b->zs[0] &= 255;
   for (int i = 1; i < b->width * b->height; i++)
      b->zs[i] = b->zs[0];
   glClearStencil((GLint)b->zs[0]);
   glClear(GL_STENCIL_BUFFER_BIT);
}

/* extreme: colours of 0 and 255 only, which every format has. */
static void
create_buffers(struct rules *r, struct buffers *b, GLint colour_format, bool extreme, bool depth)
{
   b->width = rules_between(r, 1, MOST_PX);
   b->height = rules_between(r, 1, MOST_PX);
   for (int i = 0; i < b->width * b->height; i++) {
      b->zs[i] = rules_below(r, 1 << 24) << 8 | rules_below(r, 256);
      for (int c = 0; c < 4; c++)
         b->rgba[i][c] = (uint8_t)(extreme ? 255 * rules_below(r, 2) : rules_below(r, 256));
   }
   glGenTextures(1, &b->colour);
   glBindTexture(GL_TEXTURE_2D, b->colour);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexImage2D(GL_TEXTURE_2D, 0, colour_format, b->width, b->height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                b->rgba);
   glGenFramebuffers(1, &b->framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, b->framebuffer);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, b->colour, 0);
   b->depth_stencil = b->stencil = 0;
   if (depth)
      attach_depth_stencil(b);
   else
      attach_stencil(b);
   if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      rules_fail(r, "a frame buffer of colour 0x%x with%s stencil is not complete", colour_format,
                 depth ? " depth and" : "");
}

static void
delete_buffers(struct buffers *b)
{
   glDeleteFramebuffers(1, &b->framebuffer);
   glDeleteTextures(1, &b->colour);
   glDeleteTextures(1, &b->depth_stencil);
   glDeleteRenderbuffers(1, &b->stencil);
}

/* A range of at least a pixel, in either order; `beyond`: it may leave [0, size). */
static void
random_range(struct rules *r, int size, bool beyond, int range[2])
{
   const int margin = beyond ? 20 : 0, turned = rules_chance(r, 50);
   const int low = rules_between(r, -margin, size - 1 + margin);
   range[turned] = low;
   range[!turned] = rules_between(r, low + 1, size + (beyond ? margin + 1 : 0));
}

/* same: neither scaled nor mirrored. */
static void
random_axis(struct rules *r, int source_size, int size, bool same, struct axis *a)
{
   random_range(r, source_size, rules_chance(r, 30), a->source);
   random_range(r, size, rules_chance(r, 30), a->destination);
   if (same) {
      a->destination[1] = a->destination[0] + a->source[1] - a->source[0];
   } else if (rules_chance(r, 20)) { /* the same size, perhaps mirrored */
      const int length = abs(a->source[1] - a->source[0]);
      a->destination[1] =
         a->destination[0] + (rules_chance(r, 50) || a->destination[0] < length ? length : -length);
   }
   a->low = 0, a->high = size;
   if (rules_chance(r, 30)) {
      a->low = rules_between(r, 0, size - 1);
      a->high = rules_between(r, a->low, size);
   }
}

enum { NOT_WRITTEN = -1 };

/* The source's pixel for a pixel of the destination; where it would be outside, nothing is written,
 * which GL leaves open. */
static int
origin_of(const struct axis *a, int source_size, int pixel)
{
   const bool mirrored = (a->source[0] > a->source[1]) != (a->destination[0] > a->destination[1]);
   const int source_low = a->source[a->source[0] > a->source[1]],
             source_length = abs(a->source[1] - a->source[0]);
   const int low = a->destination[a->destination[0] > a->destination[1]],
             length = abs(a->destination[1] - a->destination[0]);
   if (pixel < a->low || pixel >= a->high || pixel < low || pixel >= low + length)
      return NOT_WRITTEN;
   const int at = (2 * (pixel - low) + 1) * source_length / (2 * length);
   const int source = mirrored ? source_low + source_length - 1 - at : source_low + at;
   return source < 0 || source >= source_size ? NOT_WRITTEN : source;
}

/* As `zs` of struct buffers. */
static void
read_depth_stencil(const struct buffers *b, uint32_t *zs)
{
   static uint8_t stencil[MOST_PX * MOST_PX];
   if (b->depth_stencil) {
      glReadPixels(0, 0, b->width, b->height, DEPTH_STENCIL, UNSIGNED_INT_24_8, zs);
      return;
   }
   glPixelStorei(GL_PACK_ALIGNMENT, 1);
   glReadPixels(0, 0, b->width, b->height, STENCIL_INDEX, GL_UNSIGNED_BYTE, stencil);
   glPixelStorei(GL_PACK_ALIGNMENT, 4);
   for (int i = 0; i < b->width * b->height; i++)
      zs[i] = stencil[i];
}

static void
expect_pixels(struct rules *r, const struct buffers *from, const struct buffers *to,
              const struct axis *x, const struct axis *y, GLbitfield mask)
{
   static uint8_t rgba[MOST_PX * MOST_PX][4];
   static uint32_t zs[MOST_PX * MOST_PX];
   glBindFramebuffer(GL_FRAMEBUFFER, to->framebuffer);
   glReadPixels(0, 0, to->width, to->height, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
   read_depth_stencil(to, zs);
   if (!to->depth_stencil)
      mask &= ~(GLbitfield)GL_DEPTH_BUFFER_BIT;
   rules_hash(r, rgba, sizeof(rgba[0]) * (size_t)(to->width * to->height));
   rules_hash(r, zs, sizeof(zs[0]) * (size_t)(to->width * to->height));
   for (int i = 0; i < to->width * to->height; i++) {
      const int column = origin_of(x, from->width, i % to->width),
                row = origin_of(y, from->height, i / to->width);
      const bool written = column != NOT_WRITTEN && row != NOT_WRITTEN;
      const int k = written ? row * from->width + column : -1;
      const uint8_t *colour = written && mask & GL_COLOR_BUFFER_BIT ? from->rgba[k] : to->rgba[i];
      const uint32_t depth = (written && mask & GL_DEPTH_BUFFER_BIT ? from->zs[k] : to->zs[i]) >> 8;
      const uint32_t stencil =
         (written && mask & GL_STENCIL_BUFFER_BIT ? from->zs[k] : to->zs[i]) & 255;
      if (memcmp(rgba[i], colour, 4) || zs[i] != (depth << 8 | stencil))
         rules_fail(r, "pixel (%d, %d), from (%d, %d): colour %02x%02x%02x%02x, not %02x%02x%02x%02x, depth and stencil %08x, not %06x%02x",
                    i % to->width, i / to->width, column, row, rgba[i][0], rgba[i][1], rgba[i][2], rgba[i][3], colour[0],
                    colour[1], colour[2], colour[3], zs[i], depth, stencil);
   }
}

void
fbo_blit_nearest(struct rules *r)
{
   static struct buffers from, to;
   const blit_function blit = (blit_function)eglGetProcAddress("glBlitFramebuffer");
   while (rules_next(r)) {
      const bool other_format = rules_chance(r, 25);
      const GLbitfield mask = rules_between(r, 1, 7);
      const GLbitfield buffers = (mask & 1 ? GL_COLOR_BUFFER_BIT : 0) |
                                 (mask & 2 ? GL_DEPTH_BUFFER_BIT : 0) |
                                 (mask & 4 ? GL_STENCIL_BUFFER_BIT : 0);
      struct axis x, y;
      create_buffers(r, &from, other_format ? RGBA16F : GL_RGBA8_OES, other_format, true);
      create_buffers(r, &to, GL_RGBA8_OES, false, !rules_chance(r, 20));
      const bool same = rules_chance(r, 20);
      random_axis(r, from.width, to.width, same, &x);
      random_axis(r, from.height, to.height, same, &y);
      glBindFramebuffer(READ_FRAMEBUFFER, from.framebuffer);
      glBindFramebuffer(DRAW_FRAMEBUFFER, to.framebuffer);
      glEnable(GL_SCISSOR_TEST);
      glScissor(x.low, y.low, x.high - x.low, y.high - y.low);
      blit(x.source[0], y.source[0], x.source[1], y.source[1], x.destination[0], y.destination[0],
           x.destination[1], y.destination[1], buffers, GL_NEAREST);
      glDisable(GL_SCISSOR_TEST);
      if (glGetError())
         rules_fail(r, "a blit of buffers 0x%x is refused", buffers);
      expect_pixels(r, &from, &to, &x, &y, buffers);
      delete_buffers(&from);
      delete_buffers(&to);
   }
}
