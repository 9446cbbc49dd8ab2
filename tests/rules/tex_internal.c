/* SPDX-License-Identifier: MIT
 *
 * Sized internal formats (OES_required_internalformat): uploads and copies keep at least the bits
 * they name; 3D textures in parts; uploads from buffers; images that are sampled while they are
 * rendered to.
 */
#include "colour_source.h"
#include "texture_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PX = 40 };

/* -------------------------------------------------------------------------------- sized formats */

/* A sized format, the format and type of the pixels for it, and its bits. */
static const struct sized_format {
   GLenum internal;
   int format; /* of image_formats */
   int bits[4];
} sized_formats[] = {
   { GL_RGBA8_OES, 0, { 8, 8, 8, 8 } },
   { GL_RGB8_OES, 1, { 8, 8, 8, 8 } },
   { GL_RGB565, 1, { 5, 6, 5, 8 } },
   { GL_RGB565, 5, { 5, 6, 5, 8 } },
   { GL_RGBA4, 0, { 4, 4, 4, 4 } },
   { GL_RGBA4, 6, { 4, 4, 4, 4 } },
   { GL_RGB5_A1, 0, { 5, 5, 5, 1 } },
   { GL_RGB5_A1, 7, { 5, 5, 5, 1 } },
   { GL_LUMINANCE8_ALPHA8_OES, 2, { 8, 8, 8, 8 } },
   { GL_LUMINANCE4_ALPHA4_OES, 2, { 4, 4, 4, 4 } },
   { GL_LUMINANCE8_OES, 3, { 8, 8, 8, 8 } },
   { GL_ALPHA8_OES, 4, { 8, 8, 8, 8 } },
   { GL_RGBA32F_EXT, 16, { 8, 8, 8, 8 } }, /* as bytes show them */
   { GL_RGB32F_EXT, 17, { 8, 8, 8, 8 } },
};
enum { SIZED_FORMATS = sizeof(sized_formats) / sizeof(sized_formats[0]) };

/* Half a step of each channel; exact for those that are sent with no more bits. */
static void
expect_sized(struct rules *r, const struct sized_format *f, const struct ref_level *level)
{
   const int width = level->size[0], height = level->size[1];
   uint8_t *pixels = rules_read(r, width, height);
   for (int i = 0; i < 4 * width * height; i++) {
      const double wanted = 255 * fmin(fmax(level->texel[i / 4][i % 4], 0), 1);
      const bool all_bits = f->bits[i % 4] == 8 || f->format >= 5;
      const double tolerance = 0.51 + (all_bits ? 0 : 127.5 / ((1 << f->bits[i % 4]) - 1));
      if (fabs(pixels[i] - wanted) > tolerance)
         rules_fail(
            r, "internal format %x of %s: channel %d of texel (%d, %d) is %d, not %.2f +- %.2f",
            f->internal, image_formats[f->format].name, i % 4, i / 4 % width, i / 4 / width,
            pixels[i], wanted, tolerance);
   }
   free(pixels);
}

/* Of formats that belong to OpenGL ES 3 the conformance suite wants this error, which is that of a
 * mismatch. */
static void
expect_no_integers(const struct rules *r)
{
   const GLenum rgba_integer = 0x8d99, rgba32ui = 0x8d70;
   glTexImage2D(GL_TEXTURE_2D, 0, (GLint)rgba32ui, 1, 1, 0, rgba_integer, GL_INT, NULL);
   const GLenum error = glGetError();
   if (error != GL_INVALID_OPERATION)
      rules_fail(r, "glTexImage2D of integers: error %x", error);
}

void
tex_internal_format(struct rules *r)
{
   if (!has_extension("GL_OES_required_internalformat"))
      rules_skip("no GL_OES_required_internalformat");
   expect_no_integers(r);
   struct tex_canvas canvas = tex_canvas_create(MOST_PX, MOST_PX);
   while (rules_next(r)) {
      const struct sized_format *s = &sized_formats[r->n % SIZED_FORMATS];
      const struct image_format *f = &image_formats[s->format];
      const int width = rules_between(r, 1, MOST_PX), height = rules_between(r, 1, MOST_PX);
      struct ref_texture texture = { .levels = 1 };
      GLuint name;
      glGenTextures(1, &name);
      glBindTexture(GL_TEXTURE_2D, name);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
      glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
      uint8_t *bytes = random_level(r, f, &texture.level[0][0], width, height, 1);
      glTexImage2D(GL_TEXTURE_2D, 0, (GLint)s->internal, width, height, 0, f->format, f->type,
                   bytes);
      if (rules_chance(r, 50)) /* into what is there */
         glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width, height, f->format, f->type, bytes);
      no_error("uploading to a sized internal format");
      free(bytes);
      lookup_use(LOOKUP_2D, 0);
      glViewport(0, 0, width, height);
      draw_whole_texture();
      expect_sized(r, s, &texture.level[0][0]);
      ref_texture_free(&texture);
      glDeleteTextures(1, &name);
   }
   tex_canvas_delete(&canvas);
}

/* ----------------------------------------------------------------------------------- 3D uploads */

/* Parts of a 3D texture of any format, at odd places; every slice is looked at. */
void
tex_upload_3d(struct rules *r)
{
   enum { MOST_3D_PX = 17 };
   if (!has_extension("GL_OES_texture_3D"))
      rules_skip("no GL_OES_texture_3D");
   struct tex_canvas canvas = tex_canvas_create(MOST_3D_PX, MOST_3D_PX);
   while (rules_next(r)) {
      const struct image_format *f = &image_formats[r->n % 8]; /* those of OpenGL ES 2.0 itself */
      const int size[3] = { rules_between(r, 1, MOST_3D_PX), rules_between(r, 1, MOST_3D_PX),
                            rules_between(r, 1, MOST_3D_PX) };
      static const int alignments_B[] = { 1, 2, 4, 8 };
      struct ref_texture texture = { .levels = 1 };
      struct ref_level *level = &texture.level[0][0];
      GLuint name;
      glGenTextures(1, &name);
      glBindTexture(GL_TEXTURE_3D_OES, name);
      glTexParameteri(GL_TEXTURE_3D_OES, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
      glTexParameteri(GL_TEXTURE_3D_OES, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
      glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
      uint8_t *bytes = random_level(r, f, level, size[0], size[1], size[2]);
      gl_ext()->TexImage3DOES(GL_TEXTURE_3D_OES, 0, f->format, size[0], size[1], size[2], 0,
                              f->format, f->type, bytes);
      free(bytes);
      for (int n = rules_between(r, 0, 4); n > 0; n--) {
         int at[3], part[3];
         for (int a = 0; a < 3; a++) {
            at[a] = rules_between(r, 0, size[a] - 1);
            part[a] = rules_between(r, 1, size[a] - at[a]);
         }
         const int alignment_B = rules_pick(r, alignments_B);
         const int row_B = (part[0] * f->pixel_B + alignment_B - 1) / alignment_B * alignment_B;
         uint8_t *memory = malloc((size_t)row_B * part[1] * part[2]);
         for (int i = 0; i < part[0] * part[1] * part[2]; i++) {
            const int x = i % part[0], y = i / part[0] % part[1], z = i / part[0] / part[1];
            uint8_t *pixel = memory + (size_t)(z * part[1] + y) * row_B + x * f->pixel_B;
            format_random_pixel(r, f, pixel);
            f->decode(pixel,
                      level->texel[((at[2] + z) * size[1] + at[1] + y) * size[0] + at[0] + x]);
         }
         glPixelStorei(GL_UNPACK_ALIGNMENT, alignment_B);
         gl_ext()->TexSubImage3DOES(GL_TEXTURE_3D_OES, 0, at[0], at[1], at[2], part[0], part[1],
                                    part[2], f->format, f->type, memory);
         free(memory);
      }
      lookup_use(LOOKUP_3D, 0);
      glViewport(0, 0, size[0], size[1]);
      for (int z = 0; z < size[2]; z++) {
         const struct affine one = { .c = 1 };
         const struct affine coordinate[4] = { { .dx = 1.0 / size[0] }, { .dy = 1.0 / size[1] },
                                               { .c = (z + 0.5) / size[2] } };
         draw_lookup(coordinate, &one, size[0], size[1]);
         expect_texels(r, size[0], size[1], level->texel + (size_t)z * size[0] * size[1], 0.51,
                       f->name);
      }
      ref_texture_free(&texture);
      glDeleteTextures(1, &name);
   }
   tex_canvas_delete(&canvas);
}

/* ---------------------------------------------------------------------------- what was rendered */

/* Textures of every format that can be rendered to, sampled as they are. */
void
tex_rendered_formats(struct rules *r)
{
   source_context();
   struct tex_canvas canvas = tex_canvas_create(MOST_PX, MOST_PX);
   while (rules_next(r)) {
      struct source s = { .format = &colour_formats[r->n % COLOUR_FORMATS],
                          .width = rules_between(r, 1, MOST_PX),
                          .height = rules_between(r, 1, MOST_PX) };
      if (!s.format->format || !source_supported(&s))
         continue;
      if (source_create(&s)) {
         double tolerance = 0.51;
         for (int c = 0; c < 4; c++) {
            const int bits = s.format->bits[c];
            if (bits && bits != 4 && bits != 8)
               tolerance = fmax(tolerance, 0.51 + (bits == 1 ? 0 : 127.5 / ((1 << bits) - 1)));
         }
         glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
         glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
         glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
         source_fill(r, &s);
         tex_canvas_bind(&canvas);
         glViewport(0, 0, s.width, s.height);
         lookup_use(LOOKUP_2D, 0);
         draw_whole_texture();
         expect_texels(r, s.width, s.height, s.pixel, tolerance, s.format->name);
      }
      source_delete(&s);
   }
   tex_canvas_delete(&canvas);
}

/* Section 4.4.3: what a feedback loop draws is undefined; that it ends, and leaves all else alone,
 * is not. */
void
tex_feedback(struct rules *r)
{
   enum { SIDE_PX = 64 };
   while (rules_next(r)) {
      GLuint texture, framebuffer;
      const int x = rules_between(r, 0, SIDE_PX - 1), y = rules_between(r, 0, SIDE_PX - 1);
      const int width = rules_between(r, 1, SIDE_PX - x), height = rules_between(r, 1, SIDE_PX - y);
      struct ref_level level;
      const struct affine one = { .c = 1 };
      const struct affine coordinate[4] = {
         { .c = rules_float(r, 0, 1), .dx = rules_float(r, -1, 1) / SIDE_PX },
         { .c = rules_float(r, 0, 1), .dy = rules_float(r, -1, 1) / SIDE_PX }
      };
      uint8_t *bytes = random_level(r, &image_formats[0], &level, SIDE_PX, SIDE_PX, 1);
      glGenTextures(1, &texture);
      glBindTexture(GL_TEXTURE_2D, texture);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
      glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIDE_PX, SIDE_PX, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                   bytes);
      glGenFramebuffers(1, &framebuffer);
      glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
      glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
      glViewport(0, 0, SIDE_PX, SIDE_PX);
      glEnable(GL_SCISSOR_TEST);
      glScissor(x, y, width, height);
      lookup_use(LOOKUP_2D, 0);
      for (int n = rules_between(r, 1, 20); n > 0; n--)
         draw_lookup(coordinate, &one, SIDE_PX, SIDE_PX);
      glDisable(GL_SCISSOR_TEST);
      uint8_t pixels[SIDE_PX * SIDE_PX][4];
      glReadPixels(0, 0, SIDE_PX, SIDE_PX, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
      for (int i = 0; i < SIDE_PX * SIDE_PX; i++) {
         const int at_x = i % SIDE_PX, at_y = i / SIDE_PX;
         const bool drawn = at_x >= x && at_y >= y && at_x < x + width && at_y < y + height;
         if (!drawn && memcmp(pixels[i], bytes + 4 * i, 4))
            rules_fail(r, "a feedback loop inside (%d, %d) + (%d, %d) changes pixel (%d, %d)", x, y,
                       width, height, at_x, at_y);
      }
      free(level.texel);
      free(bytes);
      glDeleteFramebuffers(1, &framebuffer);
      glDeleteTextures(1, &texture);
   }
}
