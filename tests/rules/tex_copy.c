/* SPDX-License-Identifier: MIT
 *
 * Texture images that the GPU makes itself: copies from frame buffers, mipmaps, and what is
 * rendered and then sampled.
 */
#include "texture_rules.h"
#include "colour_source.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_PX = 48 };

/* --------------------------------------------------------------------------------------- copies */

static void
set_parameters(GLenum target, GLint min_filter, GLint mag_filter)
{
   glTexParameteri(target, GL_TEXTURE_MIN_FILTER, min_filter);
   glTexParameteri(target, GL_TEXTURE_MAG_FILTER, mag_filter);
   glTexParameteri(target, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
   glTexParameteri(target, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
}

struct copy_format {
   GLenum format;
   const char *needs; /* components of the frame buffer: table 3.9 */
   int from[4];       /* the component that r, g, b, a of a lookup come from; 4: 0, 5: 1 */
};

static const struct copy_format copy_formats[] = {
   { GL_RGBA, "rgba", { 0, 1, 2, 3 } },      { GL_RGB, "rgb", { 0, 1, 2, 5 } },
   { GL_LUMINANCE_ALPHA, "ra", { 0, 0, 0, 3 } }, { GL_LUMINANCE, "r", { 0, 0, 0, 5 } },
   { GL_ALPHA, "a", { 4, 4, 4, 3 } },        { GL_RG_EXT, "rg", { 0, 1, 4, 5 } },
   { GL_RED_EXT, "r", { 0, 4, 4, 5 } },
};

static bool
can_copy(const struct source *s, const struct copy_format *f)
{
   if (s->format->bits[0] == 11) /* floats are copied to floats only */
      return false;
   for (const char *c = f->needs; *c; c++) {
      if (!strchr(s->format->components, *c))
         return false;
   }
   return (f->format != GL_RG_EXT && f->format != GL_RED_EXT) || has_extension("GL_EXT_texture_rg");
}

/* A texture that is copied to: what its texels must be, and where they may be anything. */
struct copied {
   const struct copy_format *format;
   GLuint texture;
   GLenum target, image_target;
   int face, width, height;
   int bits; /* the fewest that any texel has been through */
   double (*texel)[4];
   bool *undefined;
};

/* Texel (to_x, to_y) and those right and above become the frame buffer's from (x, y) on. */
static void
note_copy(struct copied *t, const struct source *s, int to_x, int to_y, int x, int y, int width,
          int height)
{
   for (int j = 0; j < height; j++)
      for (int i = 0; i < width; i++) {
         const int from_x = x + i, from_y = y + j, to = (to_y + j) * t->width + to_x + i;
         const bool inside = from_x >= 0 && from_y >= 0 && from_x < s->width && from_y < s->height;
         t->undefined[to] = !inside; /* section 3.7.2: "undefined" */
         for (int c = 0; inside && c < 4; c++) {
            const int from = t->format->from[c];
            t->texel[to][c] = from >= 4 ? from - 4 : s->pixel[from_y * s->width + from_x][from];
         }
      }
}

static void
make_copies(struct rules *r, struct copied *t, const struct source *s)
{
   static const GLenum types[] = { GL_UNSIGNED_BYTE, GL_UNSIGNED_SHORT_4_4_4_4,
                                   GL_UNSIGNED_SHORT_5_5_5_1, GL_UNSIGNED_SHORT_5_6_5 };
   const GLenum format = t->format->format;
   int x = rules_chance(r, 60) ? rules_between(r, 0, 5) : rules_between(r, -9, s->width + 3);
   int y = rules_chance(r, 60) ? rules_between(r, 0, 5) : rules_between(r, -9, s->height + 3);
   if (rules_chance(r, 50)) {
      glCopyTexImage2D(t->image_target, 0, format, x, y, t->width, t->height, 0);
      note_copy(t, s, 0, 0, x, y, t->width, t->height);
   } else {
      const GLenum type = format == GL_RGBA  ? types[rules_below(r, 3)]
                          : format == GL_RGB ? types[rules_below(r, 2) * 3]
                                             : GL_UNSIGNED_BYTE;
      t->bits = type == GL_UNSIGNED_BYTE            ? 8
                : type == GL_UNSIGNED_SHORT_5_5_5_1 ? 1
                : type == GL_UNSIGNED_SHORT_5_6_5   ? 5
                                                    : 4;
      uint8_t *zeros = calloc((size_t)t->width * t->height, 4);
      glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
      glTexImage2D(t->image_target, 0, (GLint)format, t->width, t->height, 0, format, type, zeros);
      for (int i = 0; i < t->width * t->height; i++)
         for (int c = 0; c < 4; c++)
            t->texel[i][c] = t->format->from[c] == 5;
      free(zeros);
   }
   for (int n = rules_between(r, 1, 3); n > 0; n--) {
      const int to_x = rules_between(r, 0, t->width - 1), to_y = rules_between(r, 0, t->height - 1);
      const int width = rules_between(r, 1, t->width - to_x),
                height = rules_between(r, 1, t->height - to_y);
      x = rules_chance(r, 60) ? rules_between(r, 0, 9) : rules_between(r, -9, s->width + 3);
      y = rules_chance(r, 60) ? rules_between(r, 0, 9) : rules_between(r, -9, s->height + 3);
      glCopyTexSubImage2D(t->image_target, 0, to_x, to_y, x, y, width, height);
      note_copy(t, s, to_x, to_y, x, y, width, height);
   }
}

/* Half a step of a format, in 255ths. */
static double
half_step(int bits)
{
   return 127.5 / ((1 << bits) - 1);
}

/* What may be lost of a component that is k / 15 at first: nothing in 4 and 8 bits. */
static double
rounding(int source_bits, int bits, int component)
{
   const bool exact = source_bits == 4 || source_bits == 8;
   const double loss = exact ? 0 : half_step(source_bits);
   if (bits == 1) /* 5551 */
      return loss + half_step(component == 3 ? 1 : 5);
   return loss + (bits == 8 || (bits == 4 && exact) ? 0 : half_step(bits));
}

static void
expect_copied(struct rules *r, const struct copied *t, const struct source *s)
{
   uint8_t *pixels = rules_read(r, t->width, t->height);
   for (int i = 0; i < 4 * t->width * t->height; i++) {
      const int from = t->format->from[i % 4];
      const double tolerance =
         0.51 + (from < 4 ? rounding(s->format->bits[from], t->bits, from) : 0);
      if (!t->undefined[i / 4] && fabs(pixels[i] - 255 * t->texel[i / 4][i % 4]) > tolerance)
         rules_fail(
            r, "copy from %s to %x, %d x %d: channel %d of texel (%d, %d) is %d, not %.2f +- %.2f",
            s->format->name, t->format->format, t->width, t->height, i % 4, i / 4 % t->width,
            i / 4 / t->width, pixels[i], 255 * t->texel[i / 4][i % 4], tolerance);
   }
   free(pixels);
}

static void
show_copied(const struct copied *t, const struct tex_canvas *canvas)
{
   const struct affine one = { .c = 1 };
   struct affine coordinate[4] = { { .dx = 1.0 / t->width }, { .dy = 1.0 / t->height } };
   if (t->target == GL_TEXTURE_CUBE_MAP)
      face_directions(t->face, t->width, t->height, coordinate);
   lookup_use(t->target == GL_TEXTURE_2D ? LOOKUP_2D : LOOKUP_CUBE, 0);
   tex_canvas_bind(canvas);
   glViewport(0, 0, t->width, t->height);
   draw_lookup(coordinate, &one, t->width, t->height);
}

void
tex_copy_framebuffer(struct rules *r)
{
   source_context();
   struct tex_canvas canvas = tex_canvas_create(SIZE_PX, SIZE_PX);
   while (rules_next(r)) {
      struct source s = { .format = &colour_formats[r->n % COLOUR_FORMATS],
                          .width = rules_between(r, 1, SIZE_PX),
                          .height = rules_between(r, 1, SIZE_PX) };
      struct copied t = { .format = &rules_pick(r, copy_formats),
                          .width = rules_between(r, 1, SIZE_PX),
                          .height = rules_between(r, 1, SIZE_PX),
                          .bits = 8 };
      if (!source_supported(&s) || !can_copy(&s, t.format))
         continue;
      if (source_create(&s)) {
         const bool cube = rules_chance(r, 25);
         t.face = rules_between(r, 0, 5);
         t.target = cube ? GL_TEXTURE_CUBE_MAP : GL_TEXTURE_2D;
         t.image_target = cube ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)t.face : GL_TEXTURE_2D;
         if (cube)
            t.height = t.width;
         t.texel = calloc((size_t)t.width * t.height, sizeof(*t.texel));
         t.undefined = calloc((size_t)t.width * t.height, sizeof(*t.undefined));
         source_fill(r, &s);
         glGenTextures(1, &t.texture);
         glBindTexture(t.target, t.texture);
         set_parameters(t.target, GL_NEAREST, GL_NEAREST);
         make_copies(r, &t, &s);
         if (cube) { /* five faces more of the same sort */
            for (int face = 0; face < 6; face++)
               if (face != t.face && t.bits == 8)
                  glCopyTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)face, 0,
                                   t.format->format, 0, 0, t.width, t.height, 0);
         }
         show_copied(&t, &canvas);
         if (!cube || t.bits == 8) /* else it may be incomplete: formats of faces differ */
            expect_copied(r, &t, &s);
         glDeleteTextures(1, &t.texture);
         free(t.texel);
         free(t.undefined);
      }
      source_delete(&s);
   }
   tex_canvas_delete(&canvas);
}

/* -------------------------------------------------------------------------------------- mipmaps */

static int
halved(int size, int level)
{
   return size >> level ? size >> level : 1;
}

/* The texels of the level above that texel i of a smaller one covers, and one more on either side:
 * section 3.7.11 leaves the filter open, but it is one that halves. */
static void
footprint(int i, int size, int above, int *low, int *high)
{
   *low = (int)floor((double)i * above / size);
   *high = (int)ceil((i + 1.0) * above / size) - 1;
}

/* Each texel lies between the least and the greatest of those it is made of; where sizes halve
 * exactly, it is their mean, a box filter ("a 2 x 2 box filter is recommended"). */
static void
expect_level(struct rules *r, const struct image_format *f, const struct ref_level *above,
             struct ref_level *level, const uint8_t *pixels, double step)
{
   const int width = level->size[0], height = level->size[1];
   const bool exact = (above->size[0] == 2 * width || above->size[0] == 1) &&
                      (above->size[1] == 2 * height || above->size[1] == 1);
   for (int i = 0; i < width * height; i++)
      for (int c = 0; c < 4; c++) {
         int x0, x1, y0, y1;
         double low = INFINITY, high = -INFINITY, sum = 0;
         footprint(i % width, width, above->size[0], &x0, &x1);
         footprint(i / width, height, above->size[1], &y0, &y1);
         for (int y = y0; y <= y1; y++)
            for (int x = x0; x <= x1; x++) {
               const double texel = above->texel[y * above->size[0] + x][c];
               low = fmin(low, texel), high = fmax(high, texel), sum += texel;
            }
         const double mean = sum / ((x1 - x0 + 1) * (y1 - y0 + 1)),
                      have = pixels[4 * i + c] / 255.0;
         if (exact)
            low = high = mean;
         if (have < low - step || have > high + step)
            rules_fail(r, "mipmap of %s: level %d x %d of %d x %d: channel %d of texel (%d, %d) is %.4f, not %.4f..%.4f",
                       f->name, width, height, above->size[0], above->size[1], c, i % width, i / width, have, low,
                       high);
         level->texel[i][c] = have;
      }
}

/* Texels between 0 and 1, which the frame buffer that shows them can hold. */
static uint8_t *
random_level_of_unit(struct rules *r, const struct image_format *f, struct ref_level *level,
                     int width, int height)
{
   uint8_t *bytes = random_level(r, f, level, width, height, 1);
   for (int i = 0; i < width * height;) {
      bool inside = true;
      for (int c = 0; c < 4; c++)
         inside &= level->texel[i][c] >= 0 && level->texel[i][c] <= 1;
      if (inside) {
         i++;
         continue;
      }
      format_random_pixel(r, f, bytes + (size_t)i * f->pixel_B);
      f->decode(bytes + (size_t)i * f->pixel_B, level->texel[i]);
   }
   return bytes;
}

static double
step_of(const struct image_format *f)
{
   if (f->format == GL_SRGB_EXT || f->format == GL_SRGB_ALPHA_EXT) /* steps of bright colours are larger */
      return 2.1 / 255;
   return f->type == GL_UNSIGNED_SHORT_4_4_4_4   ? 1.0 / 15
          : f->type == GL_UNSIGNED_SHORT_5_5_5_1 ? 1.01
          : f->type == GL_UNSIGNED_SHORT_5_6_5   ? 1.0 / 31
                                                 : 1.01 / 255;
}

void
tex_generate_mipmap(struct rules *r)
{
   static const int sizes_px[] = { 1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 17, 31, 32, 33, 48 };
   struct tex_canvas canvas = tex_canvas_create(SIZE_PX, SIZE_PX);
   while (rules_next(r)) {
      const struct image_format *f = &image_formats[r->n % 23]; /* those without depth */
      const bool cube = rules_chance(r, 30);
      struct copied t = { .target = cube ? GL_TEXTURE_CUBE_MAP : GL_TEXTURE_2D,
                          .face = rules_between(r, 0, 5) };
      const int width = rules_pick(r, sizes_px), height = cube ? width : rules_pick(r, sizes_px);
      struct ref_texture texture = { .cube = cube };
      const bool srgb = f->format == GL_SRGB_EXT || f->format == GL_SRGB_ALPHA_EXT;
      if (!format_supported(f) || !format_filterable(f) ||
          (srgb && !has_extension("GL_NV_generate_mipmap_sRGB")))
         continue;
      glGenTextures(1, &t.texture);
      glBindTexture(t.target, t.texture);
      set_parameters(t.target, GL_NEAREST_MIPMAP_NEAREST, GL_NEAREST);
      glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
      for (int face = 0; face < (cube ? 6 : 1); face++) {
         uint8_t *bytes = random_level_of_unit(r, f, &texture.level[face][0], width, height);
         glTexImage2D(cube ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)face : GL_TEXTURE_2D, 0,
                      (GLint)f->format, width, height, 0, f->format, f->type, bytes);
         free(bytes);
      }
      if (rules_chance(r, 50))
         glHint(GL_GENERATE_MIPMAP_HINT, rules_chance(r, 50) ? GL_NICEST : GL_FASTEST);
      glGenerateMipmap(t.target);
      struct ref_level *levels = texture.level[cube ? t.face : 0];
      for (int l = 1; (width > height ? width : height) >> l; l++) {
         t.width = halved(width, l), t.height = halved(height, l);
         ref_level_create(&levels[l], t.width, t.height, 1);
         const struct affine one = { .c = 1 };
         struct affine coordinate[4] = { { .dx = 1.0 / t.width }, { .dy = 1.0 / t.height } };
         if (cube)
            face_directions(t.face, t.width, t.height, coordinate);
         lookup_use(cube ? LOOKUP_CUBE_BIAS : LOOKUP_2D_BIAS, TO_LAST_LEVEL);
         show_only_level(t.target, l);
         glViewport(0, 0, t.width, t.height);
         draw_lookup(coordinate, &one, t.width, t.height);
         uint8_t *pixels = rules_read(r, t.width, t.height);
         expect_level(r, f, &levels[l - 1], &levels[l], pixels, step_of(f));
         free(pixels);
      }
      ref_texture_free(&texture);
      glDeleteTextures(1, &t.texture);
   }
   tex_canvas_delete(&canvas);
}
