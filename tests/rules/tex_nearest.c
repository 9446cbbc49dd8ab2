/* SPDX-License-Identifier: MIT
 *
 * Nearest filters where the exact position of a pixel on the texture is known: copies, mirrored,
 * enlarged, reduced, and moved by fractions of a texel. Section 3.7.7 asks for floor(u). Where
 * pixel centres meet the boundary between two texels ("ties") rounding errors may choose either of
 * them.
 */
#include "texture_rules.h"

#include <stdlib.h>

enum { MOST_TEXELS = 1 << 16 };

/* Positions along an axis: of pixel i, (first + step * i) / parts texels. */
struct axis {
   int pixels, texels;
   int first, step, parts;
   GLenum wrap;
};

static const int sizes_px[] = { 1,  2,  3,   4,   5,   7,   8,   15,  16,  17,   31,
                                33, 64, 100, 127, 128, 255, 300, 512, 640, 1000, 1024 };

/* Integers: floor(a / b) of a positive b, and what is left. */
static int
floor_div(int a, int b)
{
   return a / b - (a % b < 0);
}

static int
floor_mod(int a, int b)
{
   return a - b * floor_div(a, b);
}

/* The texel of pixel i: the coordinate is wrapped, then floor(u) taken (section 3.7.6). `aside`: of
 * what lies so many halves of a part beside it. */
static int
texel_of(const struct axis *axis, int i, int aside)
{
   const int parts = 2 * axis->parts, size = axis->texels * parts;
   int u = 2 * (axis->first + axis->step * i) + aside; /* in parts of a texel */
   if (axis->wrap == GL_REPEAT)
      u = floor_mod(u, size);
   if (axis->wrap == GL_MIRRORED_REPEAT && floor_mod(floor_div(u, size), 2))
      u = size - floor_mod(u, size);
   else if (axis->wrap == GL_MIRRORED_REPEAT)
      u = floor_mod(u, size);
   const int texel = floor_div(u, parts);
   return texel < 0 ? 0 : texel >= axis->texels ? axis->texels - 1 : texel;
}

static bool
is_tie(const struct axis *axis, int i)
{
   return floor_mod(axis->first + axis->step * i, axis->parts) == 0;
}

static bool
may_show(const struct axis *axis, int i, int texel)
{
   return texel == texel_of(axis, i, 0) ||
          (is_tie(axis, i) && (texel == texel_of(axis, i, -1) || texel == texel_of(axis, i, 1)));
}

/* Pixels as large as texels, or a few times smaller or larger; the first at any part of a texel.
 * Coordinates outside [0, 1] lose bits, so only textures that are not large are repeated. */
static void
choose_axis(struct rules *r, int texels, int most_px, struct axis *axis)
{
   static const int steps[][2] = { { 1, 1 }, { 1, 1 }, { 1, 2 }, { 2, 1 },
                                   { 3, 1 }, { 3, 2 }, { 1, 4 }, { 5, 4 } };
   static const GLenum wraps[] = { GL_CLAMP_TO_EDGE, GL_REPEAT, GL_MIRRORED_REPEAT };
   const int *step = rules_pick(r, steps);
   const int most = rules_chance(r, 40) && texels <= 1024 ? 2 * texels : texels;
   *axis = (struct axis){ .texels = texels, .step = 2 * step[0], .parts = 2 * step[1], .wrap = rules_pick(r, wraps) };
   axis->pixels = most * axis->parts / axis->step;
   axis->pixels = axis->pixels < 1 ? 1 : axis->pixels > most_px ? most_px : axis->pixels;
   axis->first = rules_chance(r, 50)   ? 0
                 : rules_chance(r, 50) ? axis->parts / 2
                                       : rules_between(r, 0, axis->parts);
   if (rules_chance(r, 30)) { /* the other way round */
      axis->first += (axis->pixels - 1) * axis->step;
      axis->step = -axis->step;
   }
}

/* Texels say where they are: x in red and green, y in blue and alpha. */
static void
upload_positions(int width, int height)
{
   uint8_t *texels = malloc((size_t)width * height * 4);
   for (int i = 0; i < width * height; i++) {
      const uint8_t texel[4] = { i % width & 255, i % width >> 8, i / width & 255, i / width >> 8 };
      for (int c = 0; c < 4; c++)
         texels[4 * i + c] = texel[c];
   }
   glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   free(texels);
}

/* The texture coordinate over the window, times `w`. */
static double
per_pixel(const struct axis *axis, double w)
{
   return w * axis->step / axis->parts / axis->texels;
}

static double
at_zero(const struct axis *axis, double w)
{
   return w * (axis->first - 0.5 * axis->step) / axis->parts / axis->texels;
}

static void
expect_positions(struct rules *r, const struct axis *x, const struct axis *y)
{
   uint8_t *pixels = rules_read(r, x->pixels, y->pixels);
   int wrong = 0, first = -1;
   for (int i = 0; i < x->pixels * y->pixels; i++) {
      const int have_x = pixels[4 * i] | pixels[4 * i + 1] << 8,
                have_y = pixels[4 * i + 2] | pixels[4 * i + 3] << 8;
      const bool is_wrong =
         !may_show(x, i % x->pixels, have_x) || !may_show(y, i / x->pixels, have_y);
      wrong += is_wrong;
      if (is_wrong && first < 0)
         first = i;
   }
   if (wrong) {
      const uint8_t *have = pixels + 4 * first;
      rules_fail(r,
                 "%d pixels show another texel than floor(u): %d x %d texels, (%d + %d x) / %d and (%d + %d y) / %d, wrap %x "
                 "%x; pixel (%d, %d) shows texel (%d, %d), not (%d, %d)",
                 wrong, x->texels, y->texels, x->first, x->step, x->parts, y->first, y->step,
                 y->parts, x->wrap, y->wrap, first % x->pixels, first / x->pixels,
                 have[0] | have[1] << 8, have[2] | have[3] << 8, texel_of(x, first % x->pixels, 0),
                 texel_of(y, first / x->pixels, 0));
   }
   free(pixels);
}

/* Any sizes; the first cases are as wide, then as high as textures can be. */
static void
choose_axes(struct rules *r, struct axis *x, struct axis *y)
{
   GLint most;
   glGetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
   const int large = r->n < 8              ? most
                     : rules_chance(r, 15) ? rules_between(r, 1, most)
                                           : rules_pick(r, sizes_px);
   const int small = 1 + (int)rules_below(r, large < 256 ? 256 : (uint32_t)(MOST_TEXELS / large));
   const bool wide = r->n < 8 ? r->n % 2 == 0 : rules_chance(r, 50);
   struct axis *longer = wide ? x : y, *shorter = wide ? y : x;
   choose_axis(r, large, most, longer);
   choose_axis(r, small, MOST_TEXELS / longer->pixels, shorter);
}

void
tex_nearest(struct rules *r)
{
   static const double ws[] = { 1, 1, 0.75, 3.7, 100 };
   while (rules_next(r)) {
      struct axis x, y;
      GLuint texture;
      choose_axes(r, &x, &y);
      struct tex_canvas canvas = tex_canvas_create(x.pixels, y.pixels);
      glGenTextures(1, &texture);
      glBindTexture(GL_TEXTURE_2D, texture);
      upload_positions(x.texels, y.texels);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, (GLint)x.wrap);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, (GLint)y.wrap);
      const double w = rules_pick(r, ws);
      const struct affine divisor = { .c = w };
      const struct affine coordinate[4] = { { .c = at_zero(&x, w), .dx = per_pixel(&x, w) },
                                            { .c = at_zero(&y, w), .dy = per_pixel(&y, w) } };
      lookup_use(LOOKUP_2D, 0);
      draw_lookup(coordinate, &divisor, x.pixels, y.pixels);
      expect_positions(r, &x, &y);
      glDeleteTextures(1, &texture);
      tex_canvas_delete(&canvas);
   }
}
