/* SPDX-License-Identifier: MIT
 *
 * Clears of several colour buffers at once: levels of a mipmap, faces of a cube, slices of a
 * texture in three dimensions and plain textures, of sizes of their own, of which the frame buffer
 * has what all share. Some of them are drawn to, each under a mask of its own, inside a scissor;
 * between the clears some are read. The reference does the same to arrays.
 */
#include "texture_rules.h"

#include <stdlib.h>
#include <string.h>

#define DRAW_BUFFERS 4
#define TEXTURE_3D 0x806F

enum { MOST_PX = 150, STEPS = 12 };
enum kind { PLAIN, LEVEL, FACE, SLICE, KINDS };

typedef void (*draw_buffers_function)(GLsizei, const GLenum *);
typedef void (*color_mask_function)(GLuint, GLboolean, GLboolean, GLboolean, GLboolean);
typedef void (*image_3d_function)(GLenum, GLint, GLint, GLsizei, GLsizei, GLsizei, GLint, GLenum,
                                  GLenum, const void *);
typedef void (*attach_3d_function)(GLenum, GLenum, GLenum, GLuint, GLint, GLint);

struct image {
   enum kind kind;
   GLuint texture;
   int number, width, height; /* of the level, face or slice */
   uint8_t pixels[MOST_PX * MOST_PX][4];
};

struct scene {
   struct image image[DRAW_BUFFERS];
   GLuint framebuffer, reader;
   int width, height; /* that all images have */
   draw_buffers_function draw_buffers;
   color_mask_function color_mask; /* NULL: one for all */
};

/* --------------------------------------------------------------------------------------- images */

static void
specify(const struct image *image)
{
   const int w = image->width, h = image->height;
   image_3d_function image_3d = (image_3d_function)eglGetProcAddress("glTexImage3D");
   switch (image->kind) {
   case FACE:
      for (GLenum face = 0; face < 6; face++)
         glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL_RGBA, w, h, 0, GL_RGBA,
                      GL_UNSIGNED_BYTE, NULL);
      break;
   case SLICE:
      image_3d(TEXTURE_3D, 0, GL_RGBA, w, h, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
      break;
   default:
      for (int level = 0, most = (w > h ? w : h) << image->number; most >> level; level++) {
         const int level_w = (w << image->number) >> level, level_h = (h << image->number) >> level;
         glTexImage2D(GL_TEXTURE_2D, level, GL_RGBA, level_w ? level_w : 1, level_h ? level_h : 1,
                      0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
      }
   }
}

static void
create_image(struct rules *r, struct image *image)
{
   image->kind = (enum kind)rules_below(r, KINDS);
   image->number = image->kind == PLAIN ? 0 : rules_between(r, 0, image->kind == FACE ? 5 : image->kind == LEVEL ? 2 : 3);
   image->width = rules_chance(r, 30) ? rules_between(r, 1, 2) * 64 : rules_between(r, 1, MOST_PX);
   image->height = image->kind == FACE ? image->width : rules_between(r, 1, MOST_PX);
   const GLenum target = image->kind == FACE    ? GL_TEXTURE_CUBE_MAP
                         : image->kind == SLICE ? TEXTURE_3D
                                                : GL_TEXTURE_2D;
   glGenTextures(1, &image->texture);
   glBindTexture(target, image->texture);
   glTexParameteri(target, GL_TEXTURE_MIN_FILTER,
                   image->kind == LEVEL ? GL_NEAREST_MIPMAP_NEAREST : GL_NEAREST);
   specify(image);
}

static void
attach(GLenum point, const struct image *image)
{
   const GLenum face =
      image->kind == FACE ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)image->number : GL_TEXTURE_2D;
   if (image->kind == SLICE)
      ((attach_3d_function)eglGetProcAddress("glFramebufferTexture3D"))(
         GL_FRAMEBUFFER, point, TEXTURE_3D, image->texture, 0, image->number);
   else
      glFramebufferTexture2D(GL_FRAMEBUFFER, point, face, image->texture,
                             image->kind == LEVEL ? image->number : 0);
}

static void
expect_image(struct rules *r, struct scene *s, const struct image *image)
{
   static const int exact[4] = { 0, 0, 0, 0 };
   glBindFramebuffer(GL_FRAMEBUFFER, s->reader);
   attach(GL_COLOR_ATTACHMENT0, image);
   uint8_t *have = rules_read(r, image->width, image->height);
   rules_expect(r, image->width, image->height, have, image->pixels[0], exact, "a cleared image");
   free(have);
   glBindFramebuffer(GL_FRAMEBUFFER, s->framebuffer);
}

/* --------------------------------------------------------------------------------------- clears */

static void
set_mask(const struct scene *s, GLuint buffer, uint32_t mask)
{
   if (s->color_mask)
      s->color_mask(buffer, mask & 1, mask >> 1 & 1, mask >> 2 & 1, mask >> 3 & 1);
   else
      glColorMask(mask & 1, mask >> 1 & 1, mask >> 2 & 1, mask >> 3 & 1);
}

static void
write_rectangle(const struct scene *s, struct image *image, const int at[4], const uint8_t value[4],
                uint32_t mask)
{
   for (int y = at[1]; y < at[1] + at[3] && y < s->height; y++) {
      for (int x = at[0]; x < at[0] + at[2] && x < s->width; x++) {
         for (int c = 0; c < 4; c++) {
            if (mask >> c & 1)
               image->pixels[y * image->width + x][c] = value[c];
         }
      }
   }
}

/* All of the frame buffer, or a rectangle; all buffers, or some. */
static void
clear_some(struct rules *r, struct scene *s, bool first)
{
   const uint32_t drawn = first || rules_chance(r, 50) ? 15 : rules_below(r, 16);
   const bool scissor = !first && rules_chance(r, 50);
   /* the mask of most buffers */
   const uint32_t common = first || rules_chance(r, 40) ? 15 : rules_below(r, 16);
   int at[4] = { 0, 0, s->width, s->height };
   GLenum buffers[DRAW_BUFFERS];
   uint8_t value[4];
   if (scissor) {
      at[0] = rules_below(r, (uint32_t)s->width), at[1] = rules_below(r, (uint32_t)s->height);
      at[2] = rules_between(r, 1, MOST_PX), at[3] = rules_between(r, 1, MOST_PX);
   }
   for (int c = 0; c < 4; c++)
      value[c] = (uint8_t)(rules_chance(r, 40) ? 0 : rules_below(r, 256));
   for (uint32_t i = 0; i < DRAW_BUFFERS; i++)
      buffers[i] = drawn >> i & 1 ? GL_COLOR_ATTACHMENT0 + i : GL_NONE;
   s->draw_buffers(DRAW_BUFFERS, buffers);
   glClearColor(value[0] / 255.0f, value[1] / 255.0f, value[2] / 255.0f, value[3] / 255.0f);
   (scissor ? glEnable : glDisable)(GL_SCISSOR_TEST);
   glScissor(at[0], at[1], at[2], at[3]);
   for (uint32_t i = 0; i < DRAW_BUFFERS; i++) {
      const uint32_t mask =
         s->color_mask && !first && rules_chance(r, 50) ? rules_below(r, 16) : common;
      set_mask(s, i, mask);
      if (drawn >> i & 1)
         write_rectangle(s, &s->image[i], at, value, mask);
   }
   glClear(GL_COLOR_BUFFER_BIT);
   glDisable(GL_SCISSOR_TEST);
   for (uint32_t i = 0; i < DRAW_BUFFERS; i++)
      set_mask(s, i, 15);
}

/* Gives all of the images contents that are known, one after the other: they may be larger than the
 * frame buffer. */
static void
create_scene(struct rules *r, struct scene *s)
{
   s->width = s->height = MOST_PX;
   glGenFramebuffers(1, &s->framebuffer);
   glGenFramebuffers(1, &s->reader);
   for (int i = 0; i < DRAW_BUFFERS; i++) {
      struct image *image = &s->image[i];
      create_image(r, image);
      glBindFramebuffer(GL_FRAMEBUFFER, s->reader);
      attach(GL_COLOR_ATTACHMENT0, image);
      glClearColor(0, 0, 1, 0);
      glClear(GL_COLOR_BUFFER_BIT);
      for (int k = 0; k < image->width * image->height; k++)
         memcpy(image->pixels[k], (uint8_t[]){ 0, 0, 255, 0 }, 4);
      glBindFramebuffer(GL_FRAMEBUFFER, s->framebuffer);
      attach(GL_COLOR_ATTACHMENT0 + (GLenum)i, image);
      s->width = image->width < s->width ? image->width : s->width;
      s->height = image->height < s->height ? image->height : s->height;
   }
}

void
fbo_clear_several(struct rules *r)
{
   struct scene *s = malloc(sizeof(*s));
   *s = (struct scene){ .draw_buffers = (draw_buffers_function)eglGetProcAddress("glDrawBuffers") };
   if (strstr((const char *)glGetString(GL_EXTENSIONS), "GL_EXT_draw_buffers2"))
      s->color_mask = (color_mask_function)eglGetProcAddress("glColorMaskIndexedEXT");
   while (rules_next(r)) {
      create_scene(r, s);
      if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
         rules_fail(r, "the frame buffer is not complete: %x",
                    glCheckFramebufferStatus(GL_FRAMEBUFFER));
      for (int i = 0; i < STEPS; i++) {
         if (rules_chance(r, 75))
            clear_some(r, s, i == 0);
         else
            expect_image(r, s, &s->image[rules_below(r, DRAW_BUFFERS)]);
      }
      for (int i = 0; i < DRAW_BUFFERS; i++) {
         expect_image(r, s, &s->image[i]);
         glDeleteTextures(1, &s->image[i].texture);
      }
      glDeleteFramebuffers(1, &s->framebuffer);
      glDeleteFramebuffers(1, &s->reader);
   }
   free(s);
}
