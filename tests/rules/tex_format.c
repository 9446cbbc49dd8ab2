/* SPDX-License-Identifier: MIT
 *
 * Texture images of every format and type: whole ones and parts at odd places, every unpack
 * parameter, any level and face. Nearest filters show each texel at a pixel.
 */
#include "texture_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_PX = 64 };

/* An image under test: one level of one face. */
struct image {
   const struct image_format *format;
   GLenum target, image_target; /* of the texture; of the image: a face */
   int face, level;
   int width, height;
   double (*texel)[4];
};

/* How pixels lie in the application's memory (section 3.6.2 and EXT_unpack_subimage). */
struct unpack {
   int alignment_B, row_length, skip_pixels, skip_rows;
};

static struct unpack
random_unpack(struct rules *r, int width)
{
   static const int alignments_B[] = { 1, 2, 4, 8 };
   struct unpack u = { .alignment_B = rules_pick(r, alignments_B) };
   if (has_extension("GL_EXT_unpack_subimage") && rules_chance(r, 50)) {
      u.skip_pixels = rules_between(r, 0, 5);
      u.skip_rows = rules_between(r, 0, 3);
      if (rules_chance(r, 70))
         u.row_length = width + u.skip_pixels + rules_between(r, 0, 9);
      else
         u.skip_pixels = 0; /* rows that are as long as the image have nothing to skip */
   }
   glPixelStorei(GL_UNPACK_ALIGNMENT, u.alignment_B);
   if (has_extension("GL_EXT_unpack_subimage")) {
      glPixelStorei(GL_UNPACK_ROW_LENGTH_EXT, u.row_length);
      glPixelStorei(GL_UNPACK_SKIP_PIXELS_EXT, u.skip_pixels);
      glPixelStorei(GL_UNPACK_SKIP_ROWS_EXT, u.skip_rows);
   }
   return u;
}

/* Where GL is to find pixels. */
struct pixels {
   uint8_t *memory;
   size_t size_B;
};

/* Random pixels for a rectangle of the image, which becomes theirs. */
static struct pixels
random_pixels(struct rules *r, struct image *image, const struct unpack *u, int x, int y, int width,
              int height)
{
   const int pixel_B = image->format->pixel_B;
   const int length = u->row_length ? u->row_length : width;
   const int row_B = (length * pixel_B + u->alignment_B - 1) / u->alignment_B * u->alignment_B;
   const size_t size_B =
      (size_t)row_B * (u->skip_rows + height - 1) + (size_t)(u->skip_pixels + width) * pixel_B;
   uint8_t *memory = malloc(size_B); /* not one byte more than GL may read */
   memset(memory, 0x5a, size_B);
   for (int j = 0; j < height; j++)
      for (int i = 0; i < width; i++) {
         uint8_t *at =
            memory + (size_t)row_B * (u->skip_rows + j) + (size_t)(u->skip_pixels + i) * pixel_B;
         format_random_pixel(r, image->format, at);
         image->format->decode(at, image->texel[(y + j) * image->width + x + i]);
      }
   return (struct pixels){ memory, size_B };
}

/* Now and then pixels come from a buffer (NV_pixel_buffer_object), at an offset that their type
 * divides. What glTexImage is then given; the buffer, 0 if there is none. */
static const void *
pixel_source(struct rules *r, const struct image *image, const struct pixels *pixels,
             GLuint *buffer)
{
   *buffer = 0;
   if (!has_extension("GL_NV_pixel_buffer_object") || !rules_chance(r, 25))
      return pixels->memory;
   const size_t offset_B = (size_t)image->format->pixel_B * 4 * rules_below(r, 5);
   uint8_t *bytes = calloc(offset_B + pixels->size_B, 1);
   memcpy(bytes + offset_B, pixels->memory, pixels->size_B);
   glGenBuffers(1, buffer);
   glBindBuffer(GL_PIXEL_UNPACK_BUFFER_NV, *buffer);
   glBufferData(GL_PIXEL_UNPACK_BUFFER_NV, (GLsizeiptr)(offset_B + pixels->size_B), bytes,
                GL_STREAM_DRAW);
   free(bytes);
   return (const void *)offset_B;
}

static void
release_source(const struct pixels *pixels, GLuint *buffer)
{
   if (*buffer)
      glBindBuffer(GL_PIXEL_UNPACK_BUFFER_NV, 0);
   glDeleteBuffers(1, buffer);
   free(pixels->memory);
}

static void
upload_whole(struct rules *r, struct image *image)
{
   const struct image_format *f = image->format;
   const struct unpack u = random_unpack(r, image->width);
   const struct pixels pixels = random_pixels(r, image, &u, 0, 0, image->width, image->height);
   const bool at_once = rules_chance(r, 50);
   GLuint buffer;
   if (!at_once)
      glTexImage2D(image->image_target, image->level, (GLint)f->format, image->width, image->height,
                   0, f->format, f->type, NULL);
   const void *source = pixel_source(r, image, &pixels, &buffer);
   if (at_once)
      glTexImage2D(image->image_target, image->level, (GLint)f->format, image->width, image->height,
                   0, f->format, f->type, source);
   else
      glTexSubImage2D(image->image_target, image->level, 0, 0, image->width, image->height,
                      f->format, f->type, source);
   release_source(&pixels, &buffer);
}

static void
upload_parts(struct rules *r, struct image *image)
{
   for (int i = rules_between(r, 0, 4); i > 0; i--) {
      const int x = rules_between(r, 0, image->width - 1),
                y = rules_between(r, 0, image->height - 1);
      const int width = rules_between(r, 1, image->width - x),
                height = rules_between(r, 1, image->height - y);
      const struct unpack u = random_unpack(r, width);
      const struct pixels pixels = random_pixels(r, image, &u, x, y, width, height);
      GLuint buffer;
      const void *source = pixel_source(r, image, &pixels, &buffer);
      glTexSubImage2D(image->image_target, image->level, x, y, width, height, image->format->format,
                      image->format->type, source);
      release_source(&pixels, &buffer);
   }
}

/* The images that the one under test needs beside it to be complete. */
static void
upload_others(const struct image *image)
{
   const struct image_format *f = image->format;
   const int base_width = image->width << image->level, base_height = image->height << image->level;
   const int largest = base_width > base_height ? base_width : base_height;
   for (int l = 0; largest >> l; l++) {
      for (int face = 0; face < (image->target == GL_TEXTURE_2D ? 1 : 6); face++) {
         const int width = base_width >> l ? base_width >> l : 1,
                   height = base_height >> l ? base_height >> l : 1;
         const GLenum target = image->target == GL_TEXTURE_2D
                                  ? GL_TEXTURE_2D
                                  : GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)face;
         if (l != image->level || target != image->image_target)
            glTexImage2D(target, l, (GLint)f->format, width, height, 0, f->format, f->type, NULL);
      }
      if (!image->level)
         return; /* is not mipmapped */
   }
}

static void
show(const struct image *image)
{
   const struct affine one = { .c = 1 };
   struct affine coordinate[4] = { { .dx = 1.0 / image->width }, { .dy = 1.0 / image->height } };
   if (image->target == GL_TEXTURE_CUBE_MAP)
      face_directions(image->face, image->width, image->height, coordinate);
   lookup_use(image->target == GL_TEXTURE_2D ? LOOKUP_2D : LOOKUP_CUBE, 0);
   glViewport(0, 0, image->width, image->height);
   draw_lookup(coordinate, &one, image->width, image->height);
}

static void
set_filters(GLenum target, GLint min_filter)
{
   glTexParameteri(target, GL_TEXTURE_MIN_FILTER, min_filter);
   glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   glTexParameteri(target, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
   glTexParameteri(target, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
}

static void
choose_image(struct rules *r, struct image *image)
{
   static const int odd_px[] = { 1, 2, 3, 4, 5, 7, 9, 13, 16, 17, 31, 33, 47, 61, 63, 64 };
   static const int powers_px[] = { 1, 2, 4, 8, 16, 32 };
   const bool cube = !image->format->depth && rules_chance(r, 30);
   image->level = image->format->depth || rules_chance(r, 60) ? 0 : rules_between(r, 1, 4);
   image->target = cube ? GL_TEXTURE_CUBE_MAP : GL_TEXTURE_2D;
   image->face = cube ? rules_between(r, 0, 5) : 0;
   image->image_target =
      cube ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)image->face : GL_TEXTURE_2D;
   image->width = image->level ? rules_pick(r, powers_px) : rules_pick(r, odd_px);
   image->height = image->level ? rules_pick(r, powers_px) : rules_pick(r, odd_px);
   if (cube || image->level) /* the level of detail is exactly the level for squares only if sizes halve exactly */
      image->height = image->width;
   image->texel = calloc((size_t)image->width * image->height, sizeof(*image->texel));
}

void
tex_format_upload(struct rules *r)
{
   struct tex_canvas canvas = tex_canvas_create(SIZE_PX, SIZE_PX);
   while (rules_next(r)) {
      struct image image = { .format = &image_formats[r->n % IMAGE_FORMATS] };
      GLuint texture;
      if (!format_supported(image.format))
         continue;
      choose_image(r, &image);
      glGenTextures(1, &texture);
      glBindTexture(image.target, texture);
      set_filters(image.target, image.level ? GL_NEAREST_MIPMAP_NEAREST : GL_NEAREST);
      if (rules_chance(r, 50))
         upload_others(&image);
      upload_whole(r, &image);
      upload_parts(r, &image);
      upload_others(&image);
      show(&image);
      if (rules_chance(r, 50)) { /* what was drawn is not changed by what is uploaded then */
         struct image later = image;
         later.texel = calloc((size_t)image.width * image.height, sizeof(*image.texel));
         upload_whole(r, &later);
         free(later.texel);
      }
      expect_texels(r, image.width, image.height, image.texel, 0.51, image.format->name);
      free(image.texel);
      glDeleteTextures(1, &texture);
   }
   tex_canvas_delete(&canvas);
}
