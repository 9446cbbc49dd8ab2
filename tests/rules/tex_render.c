/* SPDX-License-Identifier: MIT
 *
 * Images that are rendered to and sampled in turn, at once and often: textures, a level of a
 * mipmap, faces of a cube, slices of a 3D texture. A world of such images is changed by random
 * steps, each done by GL and, in bytes, by the reference; now and then some of it is read back, in
 * the end all.
 */
#include "texture_rules.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE_PX = 16, MOST_PX = 2 * SIZE_PX, IMAGES = 8, STEPS = 60, DEPTH = 4, SLICE = 2 };

enum image_kind { PLAIN, BASE_LEVEL, LEVEL_1, FACE, SLICE_3D };

struct world_image {
   enum image_kind kind;
   GLuint texture, framebuffer;
   GLenum target;
   int size_px, part; /* part: face or slice */
   uint8_t pixel[MOST_PX * MOST_PX][4];
};

struct world {
   int count;
   struct world_image image[IMAGES];
};

/* ------------------------------------------------------------------------------------ making it */

static void
set_parameters(GLenum target)
{
   glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

static GLuint
create_texture(enum image_kind kind)
{
   GLuint texture;
   glGenTextures(1, &texture);
   if (kind == SLICE_3D) {
      glBindTexture(GL_TEXTURE_3D_OES, texture);
      set_parameters(GL_TEXTURE_3D_OES);
      gl_ext()->TexImage3DOES(GL_TEXTURE_3D_OES, 0, GL_RGBA, SIZE_PX, SIZE_PX, DEPTH, 0, GL_RGBA,
                              GL_UNSIGNED_BYTE, NULL);
   } else if (kind == FACE) {
      glBindTexture(GL_TEXTURE_CUBE_MAP, texture);
      set_parameters(GL_TEXTURE_CUBE_MAP);
      for (int face = 0; face < 6; face++)
         glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)face, 0, GL_RGBA, SIZE_PX, SIZE_PX,
                      0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   } else {
      glBindTexture(GL_TEXTURE_2D, texture);
      set_parameters(GL_TEXTURE_2D);
      for (int level = 0, size = kind == PLAIN ? SIZE_PX : MOST_PX; size;
           level++, size = kind == PLAIN ? 0 : size / 2)
         glTexImage2D(GL_TEXTURE_2D, level, GL_RGBA, size, size, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                      NULL);
   }
   return texture;
}

static void
attach(struct world_image *image)
{
   const GLenum point = GL_COLOR_ATTACHMENT0;
   glGenFramebuffers(1, &image->framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, image->framebuffer);
   if (image->kind == SLICE_3D)
      gl_ext()->FramebufferTexture3DOES(GL_FRAMEBUFFER, point, GL_TEXTURE_3D_OES, image->texture, 0,
                                        image->part);
   else if (image->kind == FACE)
      glFramebufferTexture2D(GL_FRAMEBUFFER, point,
                             GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)image->part, image->texture,
                             0);
   else
      glFramebufferTexture2D(GL_FRAMEBUFFER, point, GL_TEXTURE_2D, image->texture,
                             image->kind == LEVEL_1);
   if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      die("a framebuffer of a texture's image is not complete: kind %d", image->kind);
   glClearColor(0, 0, 0, 0);
   glClear(GL_COLOR_BUFFER_BIT);
}

static void
add_image(struct world *w, enum image_kind kind, GLuint texture, int part)
{
   struct world_image *image = &w->image[w->count++];
   *image = (struct world_image){
      .kind = kind,
      .texture = texture,
      .target = kind == SLICE_3D ? GL_TEXTURE_3D_OES
                : kind == FACE   ? GL_TEXTURE_CUBE_MAP
                                 : GL_TEXTURE_2D,
      .size_px = kind == BASE_LEVEL ? MOST_PX : SIZE_PX,
      .part = part,
   };
   attach(image);
}

static void
create_world(struct world *w)
{
   w->count = 0;
   add_image(w, PLAIN, create_texture(PLAIN), 0);
   add_image(w, PLAIN, create_texture(PLAIN), 0);
   add_image(w, BASE_LEVEL, create_texture(BASE_LEVEL), 0);
   add_image(w, LEVEL_1, w->image[2].texture, 0);
   add_image(w, FACE, create_texture(FACE), 0);
   add_image(w, FACE, w->image[w->count - 1].texture, 5);
   if (has_extension("GL_OES_texture_3D")) {
      add_image(w, SLICE_3D, create_texture(SLICE_3D), 1);
      add_image(w, SLICE_3D, w->image[w->count - 1].texture, SLICE);
   }
}

static void
delete_world(struct world *w)
{
   for (int i = 0; i < w->count; i++) {
      glDeleteFramebuffers(1, &w->image[i].framebuffer);
      glDeleteTextures(1, &w->image[i].texture);
   }
}

/* ---------------------------------------------------------------------------------------- steps */

/* Section 4.4.3: an image may be sampled while one of the same texture is rendered to only if the
 * filter has no use for mipmaps and another level is rendered to. */
static bool
may_draw(const struct world_image *to, const struct world_image *from)
{
   return to->texture != from->texture || (to->kind == LEVEL_1 && from->kind == BASE_LEVEL);
}

/* The lower left of `to` becomes that of `from`, moved by (x, y) of what repeats; only some
 * channels. */
static void
draw_image(struct rules *r, struct world_image *to, const struct world_image *from)
{
   const bool repeats = from->target == GL_TEXTURE_2D;
   const int x = repeats ? rules_between(r, 0, from->size_px - 1) : 0;
   const int y = repeats ? rules_between(r, 0, from->size_px - 1) : 0;
   const unsigned mask = rules_between(r, 1, 15);
   const double step = 1.0 / from->size_px;
   const struct affine one = { .c = 1 };
   struct affine coordinate[4] = { { x * step, step, 0 },
                                   { y * step, 0, step },
                                   { (from->part + 0.5) / DEPTH, 0, 0 } };
   if (from->kind == FACE)
      face_directions(from->part, SIZE_PX, SIZE_PX, coordinate);
   lookup_use(from->kind == FACE       ? LOOKUP_CUBE
              : from->kind == SLICE_3D ? LOOKUP_3D
              : from->kind == LEVEL_1  ? LOOKUP_2D_BIAS
                                       : LOOKUP_2D,
              TO_LAST_LEVEL);
   glBindFramebuffer(GL_FRAMEBUFFER, to->framebuffer);
   glViewport(0, 0, SIZE_PX, SIZE_PX);
   glBindTexture(from->target, from->texture);
   if (from->kind == LEVEL_1)
      show_only_level(GL_TEXTURE_2D, 1);
   else
      glTexParameteri(from->target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glColorMask(mask & 1, mask >> 1 & 1, mask >> 2 & 1, mask >> 3 & 1);
   draw_lookup(coordinate, &one, SIZE_PX, SIZE_PX);
   glColorMask(1, 1, 1, 1);
   for (int i = 0; i < SIZE_PX * SIZE_PX; i++) {
      const int at_x = i % SIZE_PX, at_y = i / SIZE_PX, size = from->size_px;
      for (int c = 0; c < 4; c++)
         if (mask >> c & 1)
            to->pixel[at_y * to->size_px + at_x][c] =
               from->pixel[(at_y + y) % size * size + (at_x + x) % size][c];
   }
}

static void
choose_rectangle(struct rules *r, const struct world_image *image, int rectangle[4])
{
   rectangle[0] = rules_between(r, 0, image->size_px - 1);
   rectangle[1] = rules_between(r, 0, image->size_px - 1);
   rectangle[2] = rules_between(r, 1, image->size_px - rectangle[0]);
   rectangle[3] = rules_between(r, 1, image->size_px - rectangle[1]);
}

static void
clear_image(struct rules *r, struct world_image *image)
{
   uint8_t colour[4];
   int at[4] = { 0, 0, image->size_px, image->size_px };
   for (int c = 0; c < 4; c++)
      colour[c] = (uint8_t)rules_below(r, 256);
   if (rules_chance(r, 70))
      choose_rectangle(r, image, at);
   glBindFramebuffer(GL_FRAMEBUFFER, image->framebuffer);
   glEnable(GL_SCISSOR_TEST);
   glScissor(at[0], at[1], at[2], at[3]);
   glClearColor(colour[0] / 255.0f, colour[1] / 255.0f, colour[2] / 255.0f, colour[3] / 255.0f);
   glClear(GL_COLOR_BUFFER_BIT);
   glDisable(GL_SCISSOR_TEST);
   for (int i = 0; i < at[2] * at[3]; i++)
      memcpy(image->pixel[(at[1] + i / at[2]) * image->size_px + at[0] + i % at[2]], colour, 4);
}

/* Random bytes for a rectangle, by glTexSubImage. */
static void
upload_image(struct rules *r, struct world_image *image)
{
   uint8_t bytes[MOST_PX * MOST_PX][4];
   int at[4];
   choose_rectangle(r, image, at);
   for (int i = 0; i < at[2] * at[3]; i++) {
      for (int c = 0; c < 4; c++)
         bytes[i][c] = (uint8_t)rules_below(r, 256);
      memcpy(image->pixel[(at[1] + i / at[2]) * image->size_px + at[0] + i % at[2]], bytes[i], 4);
   }
   glBindTexture(image->target, image->texture);
   if (image->kind == SLICE_3D)
      gl_ext()->TexSubImage3DOES(image->target, 0, at[0], at[1], image->part, at[2], at[3], 1,
                                 GL_RGBA, GL_UNSIGNED_BYTE, bytes);
   else
      glTexSubImage2D(
         image->kind == FACE ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)image->part : GL_TEXTURE_2D,
         image->kind == LEVEL_1, at[0], at[1], at[2], at[3], GL_RGBA, GL_UNSIGNED_BYTE, bytes);
}

/* A rectangle of `from`, which is bound as frame buffer, to one of `to`. */
static void
copy_image(struct rules *r, struct world_image *to, const struct world_image *from)
{
   int at[4];
   choose_rectangle(r, to, at);
   at[2] = at[2] < from->size_px ? at[2] : from->size_px;
   at[3] = at[3] < from->size_px ? at[3] : from->size_px;
   const int x = rules_between(r, 0, from->size_px - at[2]),
             y = rules_between(r, 0, from->size_px - at[3]);
   glBindFramebuffer(GL_FRAMEBUFFER, from->framebuffer);
   glBindTexture(to->target, to->texture);
   if (to->kind == SLICE_3D)
      gl_ext()->CopyTexSubImage3DOES(to->target, 0, at[0], at[1], to->part, x, y, at[2], at[3]);
   else
      glCopyTexSubImage2D(to->kind == FACE ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)to->part
                                           : GL_TEXTURE_2D,
                          to->kind == LEVEL_1, at[0], at[1], x, y, at[2], at[3]);
   for (int i = 0; i < at[2] * at[3]; i++)
      memcpy(to->pixel[(at[1] + i / at[2]) * to->size_px + at[0] + i % at[2]],
             from->pixel[(y + i / at[2]) * from->size_px + x + i % at[2]], 4);
}

static void
expect_image(struct rules *r, const struct world_image *image, int step)
{
   static const int exactly[4];
   char what[60];
   glBindFramebuffer(GL_FRAMEBUFFER, image->framebuffer);
   uint8_t *pixels = rules_read(r, image->size_px, image->size_px);
   snprintf(what, sizeof(what), "image of kind %d, part %d, after step %d", image->kind,
            image->part, step);
   rules_expect(r, image->size_px, image->size_px, pixels, image->pixel[0], exactly, what);
   free(pixels);
}

void
tex_render_sample(struct rules *r)
{
   while (rules_next(r)) {
      static struct world w;
      create_world(&w);
      for (int step = 0; step < STEPS; step++) {
         struct world_image *to = &w.image[rules_below(r, (uint32_t)w.count)];
         const struct world_image *from = &w.image[rules_below(r, (uint32_t)w.count)];
         const uint32_t kind = rules_below(r, 10);
         if (kind < 5 && may_draw(to, from))
            draw_image(r, to, from);
         else if (kind == 5 && to->texture != from->texture)
            copy_image(r, to, from);
         else if (kind < 8)
            clear_image(r, to);
         else
            upload_image(r, to);
         if (rules_chance(r, 5))
            expect_image(r, to, step);
      }
      for (int i = 0; i < w.count; i++)
         expect_image(r, &w.image[i], STEPS);
      delete_world(&w);
   }
}
