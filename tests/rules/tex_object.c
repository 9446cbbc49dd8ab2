/* SPDX-License-Identifier: MIT
 *
 * Texture objects: when they are complete, and images that are specified anew, changed and deleted
 * while draws that sample them are in flight.
 */
#include "texture_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------------- completeness */

enum { LEVELS = 6, CANVAS_PX = 4 };

/* The types agree: Mesa's front end does not look at them, for any driver. */
static const struct {
   GLenum format;
   int components;
} formats[] = { { GL_RGBA, 4 }, { GL_RGB, 3 }, { GL_LUMINANCE, 1 } };

/* An image of one colour. */
struct plain_image {
   int width, height, format; /* width 0: never specified */
   uint8_t nibble[4];         /* its colour, in 15ths */
};

struct object {
   GLuint texture;
   GLenum target;
   GLenum min_filter;
   int faces;
   struct plain_image image[6][LEVELS];
};

static int
halved(int size, int level)
{
   return size >> level ? size >> level : 1;
}

static void
specify(struct rules *r, struct object *o, int face, int level, int width, int height, int format)
{
   struct plain_image *image = &o->image[face][level];
   uint8_t *bytes = malloc((size_t)width * height * 4 + 1);
   *image = (struct plain_image){ width, height, format, { 0 } };
   for (int c = 0; c < 4; c++)
      image->nibble[c] = (uint8_t)rules_below(r, 16);
   if (formats[format].components == 1)
      image->nibble[1] = image->nibble[2] = image->nibble[0];
   if (formats[format].components != 4)
      image->nibble[3] = 15;
   for (int i = 0; i < width * height; i++)
      for (int c = 0; c < formats[format].components; c++)
         bytes[formats[format].components * i + c] = (uint8_t)(17 * image->nibble[c]);
   glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
   glTexImage2D(o->faces == 6 ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)face : GL_TEXTURE_2D,
                level, (GLint)formats[format].format, width, height, 0, formats[format].format,
                GL_UNSIGNED_BYTE, bytes);
   free(bytes);
}

static bool
is_mipmapped(const struct object *o)
{
   return o->min_filter != GL_NEAREST && o->min_filter != GL_LINEAR;
}

static int
last_level(const struct object *o)
{
   const struct plain_image *base = &o->image[0][0];
   const int largest = base->width > base->height ? base->width : base->height;
   int last = 0;
   while (largest >> (last + 1))
      last++;
   return last;
}

/* Section 3.7.10. */
static bool
is_complete(const struct object *o)
{
   const struct plain_image *base = &o->image[0][0];
   if (!base->width || !base->height)
      return false;
   const int levels = is_mipmapped(o) ? last_level(o) + 1 : 1;
   for (int face = 0; face < o->faces; face++)
      for (int l = 0; l < levels; l++) {
         const struct plain_image *image = &o->image[face][l];
         if (image->width != halved(base->width, l) || image->height != halved(base->height, l) ||
             image->format != base->format)
            return false;
      }
   return true;
}

/* A few images more, some right, some wrong. */
static void
change_images(struct rules *r, struct object *o, int size)
{
   const int format = rules_below(r, 3);
   if (rules_chance(r, 60)) { /* all of them, as they should be */
      const int height = o->faces == 6 ? size : rules_between(r, 1, 31);
      const int largest = size > height ? size : height;
      for (int face = 0; face < o->faces; face++)
         for (int l = 0; largest >> l; l++)
            specify(r, o, face, l, halved(size, l), halved(height, l), format);
   }
   if (rules_chance(r, 60)) { /* one of them, another */
      const int face = rules_between(r, 0, o->faces - 1), level = rules_between(r, 0, 3);
      struct plain_image *image = &o->image[face][level];
      const int wrong = rules_between(r, 0, 2);
      int width = image->width, height = image->height;
      if (wrong == 0 || !width)
         width = height = rules_between(r, 1, 31 >> level);
      specify(r, o, face, level, width, height,
              wrong == 1 ? (int)rules_below(r, 3) : image->format);
   }
}

/* Draws with a level of detail of exactly `level` and compares: with 0, 0, 0, 1 if the texture is
 * not complete. */
static void
expect_object(struct rules *r, struct object *o)
{
   const int size = o->image[0][0].width ? o->image[0][0].width : 1, last = last_level(o);
   const int face = rules_between(r, 0, o->faces - 1);
   int level = rules_between(r, 0, last);
   if (o->faces == 6) /* all of the canvas shall look at one face */
      while (level && CANVAS_PX << level > size)
         level--;
   const double step = o->faces == 6 && CANVAS_PX > size ? 1e-3 : exp2(level) / size;
   const struct affine one = { .c = 1 };
   struct affine coordinate[4] = { { 0.5 - CANVAS_PX / 2 * step, step, 0 }, { .c = 0.5 } };
   if (o->faces == 6) {
      struct affine direction[3];
      face_directions(face, 1, 1, direction); /* of s; at t = 1/2 */
      for (int a = 0; a < 3; a++) {
         const double at_0 =
            direction[a].c + direction[a].dx * (0.5 - CANVAS_PX / 2 * step) + direction[a].dy / 2;
         coordinate[a] = (struct affine){ at_0, direction[a].dx * step, 0 };
      }
   }
   const bool complete = is_complete(o);
   const struct plain_image *image = &o->image[face][is_mipmapped(o) ? level : 0];
   double texel[CANVAS_PX * CANVAS_PX][4];
   for (int i = 0; i < CANVAS_PX * CANVAS_PX; i++)
      for (int c = 0; c < 4; c++)
         texel[i][c] = complete ? image->nibble[c] / 15.0 : c == 3;
   lookup_use(o->faces == 6 ? LOOKUP_CUBE : LOOKUP_2D, 0);
   draw_lookup(coordinate, &one, CANVAS_PX, CANVAS_PX);
   char what[100];
   snprintf(what, sizeof(what), "%scomplete texture %x, %d x %d, filter %x, face %d, level %d",
            complete ? "" : "in", o->target, size, o->image[0][0].height, o->min_filter, face,
            level);
   expect_texels(r, CANVAS_PX, CANVAS_PX, texel, 2.1, what);
}

void
tex_complete(struct rules *r)
{
   struct tex_canvas canvas = tex_canvas_create(CANVAS_PX, CANVAS_PX);
   while (rules_next(r)) {
      struct object o = { .faces = r->n % 2 ? 6 : 1 };
      const int size = rules_between(r, 1, 31);
      o.target = o.faces == 6 ? GL_TEXTURE_CUBE_MAP : GL_TEXTURE_2D;
      glGenTextures(1, &o.texture);
      glBindTexture(o.target, o.texture);
      glTexParameteri(o.target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
      o.min_filter = GL_NEAREST_MIPMAP_LINEAR; /* what it is at first: section 3.7.12 */
      for (int step = 0; step < 5; step++) {
         change_images(r, &o, size);
         if (rules_chance(r, 70)) {
            o.min_filter = rules_pick(r, rules_min_filters);
            glTexParameteri(o.target, GL_TEXTURE_MIN_FILTER, (GLint)o.min_filter);
         }
         expect_object(r, &o);
      }
      glDeleteTextures(1, &o.texture);
   }
   tex_canvas_delete(&canvas);
}

/* ------------------------------------------------------------------------------------ in flight */

/* Cells of the canvas show the lower left of some texture at the time of the draw. */
enum { CELL_PX = 8, CELLS = 8, TEXTURES = 4, MOST_PX = 24 };

struct flying {
   GLuint texture;
   int size_px;
   uint8_t pixel[MOST_PX * MOST_PX][4];
};

static void
fly_specify(struct rules *r, struct flying *f)
{
   f->size_px = rules_between(r, CELL_PX, MOST_PX);
   for (int i = 0; i < 4 * MOST_PX * MOST_PX; i++)
      f->pixel[i / 4][i % 4] = (uint8_t)rules_below(r, 256);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, f->size_px, f->size_px, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                f->pixel);
}

static void
fly_create(struct rules *r, struct flying *f)
{
   glGenTextures(1, &f->texture);
   glBindTexture(GL_TEXTURE_2D, f->texture);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   fly_specify(r, f);
}

static void
fly_change(struct rules *r, struct flying *f, const uint8_t (*canvas)[4])
{
   const bool whole = rules_chance(r, 30);
   const int n = f->size_px, x = whole ? 0 : rules_between(r, 0, n - 1),
             y = whole ? 0 : rules_between(r, 0, n - 1);
   const int width = whole ? n : rules_between(r, 1, n - x),
             height = whole ? n : rules_between(r, 1, n - y);
   uint8_t bytes[MOST_PX * MOST_PX][4];
   glBindTexture(GL_TEXTURE_2D, f->texture);
   switch (rules_below(r, 6)) {
   case 0:
      fly_specify(r, f);
      break;
   case 1: /* deleted while it is bound and draws of it are in flight */
      glDeleteTextures(1, &f->texture);
      fly_create(r, f);
      break;
   case 2:
      if (canvas) { /* from what has been drawn so far */
         const int from = rules_between(r, 0, CELL_PX * CELLS - MOST_PX);
         glCopyTexSubImage2D(GL_TEXTURE_2D, 0, x, y, from, from, width, height);
         for (int i = 0; i < width * height; i++)
            memcpy(f->pixel[(y + i / width) * n + x + i % width],
                   canvas[(from + i / width) * CELL_PX * CELLS + from + i % width], 4);
         break;
      }
      /* fall through */
   default:
      for (int i = 0; i < width * height; i++) {
         for (int c = 0; c < 4; c++)
            bytes[i][c] = (uint8_t)rules_below(r, 256);
         memcpy(f->pixel[(y + i / width) * n + x + i % width], bytes[i], 4);
      }
      glTexSubImage2D(GL_TEXTURE_2D, 0, x, y, width, height, GL_RGBA, GL_UNSIGNED_BYTE, bytes);
   }
}

static void
fly_draw(const struct flying *f, int cell, uint8_t (*canvas)[4])
{
   const int x = cell % CELLS * CELL_PX, y = cell / CELLS * CELL_PX;
   const struct affine one = { .c = 1 };
   const struct affine coordinate[4] = { { .dx = 1.0 / f->size_px }, { .dy = 1.0 / f->size_px } };
   glBindTexture(GL_TEXTURE_2D, f->texture);
   glViewport(x, y, CELL_PX, CELL_PX);
   draw_lookup(coordinate, &one, CELL_PX, CELL_PX);
   for (int i = 0; i < CELL_PX * CELL_PX; i++)
      memcpy(canvas[(y + i / CELL_PX) * CELL_PX * CELLS + x + i % CELL_PX],
             f->pixel[i / CELL_PX * f->size_px + i % CELL_PX], 4);
}

void
tex_in_flight(struct rules *r)
{
   static const int exactly[4];
   struct tex_canvas canvas = tex_canvas_create(CELL_PX * CELLS, CELL_PX * CELLS);
   while (rules_next(r)) {
      static struct flying f[TEXTURES];
      static uint8_t expected[CELL_PX * CELLS * CELL_PX * CELLS][4];
      memset(expected, 0, sizeof(expected));
      glClear(GL_COLOR_BUFFER_BIT);
      lookup_use(LOOKUP_2D, 0);
      for (int i = 0; i < TEXTURES; i++)
         fly_create(r, &f[i]);
      for (int n = 0; n < 200; n++) {
         if (rules_chance(r, 50))
            fly_change(r, &f[rules_below(r, TEXTURES)], (const uint8_t(*)[4])expected);
         fly_draw(&f[rules_below(r, TEXTURES)], (int)rules_below(r, CELLS * CELLS), expected);
         if (rules_chance(r, 3))
            glFlush();
      }
      uint8_t *pixels = rules_read(r, CELL_PX * CELLS, CELL_PX * CELLS);
      rules_expect(r, CELL_PX * CELLS, CELL_PX * CELLS, pixels, expected[0], exactly,
                   "cells show textures at the time of the draw");
      free(pixels);
      for (int i = 0; i < TEXTURES; i++)
         glDeleteTextures(1, &f[i].texture);
   }
   tex_canvas_delete(&canvas);
}
