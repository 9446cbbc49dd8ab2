/* SPDX-License-Identifier: MIT
 *
 * Rectangles of depth and stencil values (GL 2.1 sections 3.6.4, 4.3.1 and 4.3.3,
 * EXT_packed_depth_stencil), and the operations of the accumulation buffer (4.2.4), with numbers
 * that look random, against a reference by the specification's sentences.
 */
#include "desktop_checks.h"

#include <math.h>
#include <string.h>

#define IMAGE_PX 12
#define TRIALS 200

/* ---- depth and stencil values ---- */

struct buffers {
   uint8_t stencil[SIZE_PX][SIZE_PX];
   double depth[SIZE_PX][SIZE_PX];
   bool colored[SIZE_PX][SIZE_PX]; /* by fragments, which have the raster position's colour */
};

/* State that the values of an image meet on their way. */
struct transfer {
   float zoom[2];
   float depth_scale, depth_bias;
   int index_shift, index_offset;
   bool map_stencil; /* by the map i -> 7 - i of three bits */
   unsigned stencil_mask;
   bool depth_mask;
   bool color_mask;
   int scissor[4]; /* x, y, width, height */
};

static int
random_between(uint64_t *seed, int first, int last)
{
   return first + (int)random_below(seed, (unsigned)(last - first + 1));
}

static struct transfer
random_transfer(uint64_t *seed)
{
   /* by none of them the centre of a pixel is on a border of the image's pixels */
   static const float zooms[] = { 1, 1, 2, -1, 1.6f, -2.2f, 0.8f };
   struct transfer t = { .depth_scale = 1, .scissor = { 0, 0, SIZE_PX, SIZE_PX } };
   const bool zoomed = random_below(seed, 2);
   for (int i = 0; i < 2; i++)
      t.zoom[i] = zoomed ? zooms[random_below(seed, 7)] : 1;
   if (random_below(seed, 2)) {
      t.depth_scale = 0.5f;
      t.depth_bias = 0.25f * (float)random_below(seed, 3);
   }
   if (random_below(seed, 2)) {
      t.index_shift = random_between(seed, -2, 2);
      t.index_offset = random_between(seed, -3, 9);
   }
   t.map_stencil = random_below(seed, 3) == 0;
   t.stencil_mask = random_below(seed, 2) ? 0xff : random_below(seed, 256);
   t.depth_mask = random_below(seed, 4) != 0;
   t.color_mask = random_below(seed, 2);
   if (random_below(seed, 2)) {
      t.scissor[0] = random_between(seed, 0, 20);
      t.scissor[1] = random_between(seed, 0, 20);
      t.scissor[2] = 30;
      t.scissor[3] = 25;
   }
   return t;
}

static void
set_transfer(const struct transfer *t)
{
   static const GLfloat map[8] = { 7, 6, 5, 4, 3, 2, 1, 0 };
   glPixelZoom(t->zoom[0], t->zoom[1]);
   glPixelTransferf(GL_DEPTH_SCALE, t->depth_scale);
   glPixelTransferf(GL_DEPTH_BIAS, t->depth_bias);
   glPixelTransferi(GL_INDEX_SHIFT, t->index_shift);
   glPixelTransferi(GL_INDEX_OFFSET, t->index_offset);
   glPixelTransferi(GL_MAP_STENCIL, t->map_stencil);
   glPixelMapfv(GL_PIXEL_MAP_S_TO_S, 8, map);
   glStencilMask(t->stencil_mask);
   glDepthMask(t->depth_mask);
   glColorMask(t->color_mask, t->color_mask, t->color_mask, t->color_mask);
   glEnable(GL_SCISSOR_TEST);
   glScissor(t->scissor[0], t->scissor[1], t->scissor[2], t->scissor[3]);
}

/* Without any of them: what is read is what is there. */
static void
reset_transfer(void)
{
   set_transfer(&(struct transfer){ .zoom = { 1, 1 }, .depth_scale = 1, .stencil_mask = 0xff, .depth_mask = true,
                                    .color_mask = true, .scissor = { 0, 0, SIZE_PX, SIZE_PX } });
}

static unsigned
transferred_index(const struct transfer *t, unsigned index)
{
   int i = (int)index;
   i = t->index_shift < 0 ? i >> -t->index_shift : i << t->index_shift;
   i += t->index_offset;
   return (unsigned)(t->map_stencil ? 7 - (i & 7) : i) & 0xff;
}

static double
transferred_depth(const struct transfer *t, double depth)
{
   return fmin(fmax(depth * t->depth_scale + t->depth_bias, 0), 1);
}

/* What pixel of an image of `size` pixels, drawn from `begin` on, the pixel at `pos` shows, or
 * -1. */
static int
source(int pos, int begin, float zoom, int size)
{
   const int i = (int)floor((pos + 0.5 - begin) / zoom);
   return i >= 0 && i < size ? i : -1;
}

/* The image's values, drawn at (x, y), in the reference: `format` names which of them. */
static void
expect_drawn(struct buffers *to, const struct transfer *t, GLenum format, int x, int y,
             uint8_t stencil[IMAGE_PX][IMAGE_PX], double depth[IMAGE_PX][IMAGE_PX])
{
   for (int py = t->scissor[1]; py < t->scissor[1] + t->scissor[3]; py++)
      for (int px = t->scissor[0]; px < t->scissor[0] + t->scissor[2]; px++) {
         const int i = source(px, x, t->zoom[0], IMAGE_PX), j = source(py, y, t->zoom[1], IMAGE_PX);
         if (i < 0 || j < 0)
            continue;
         if (format != GL_DEPTH_COMPONENT)
            to->stencil[py][px] =
               (uint8_t)((to->stencil[py][px] & ~t->stencil_mask) |
                         (transferred_index(t, stencil[j][i]) & t->stencil_mask));
         if (format != GL_STENCIL_INDEX && t->depth_mask)
            to->depth[py][px] = transferred_depth(t, depth[j][i]);
         to->colored[py][px] |= format == GL_DEPTH_COMPONENT && t->color_mask;
      }
}

static void
compare_buffers(const struct buffers *expected, int trial, const char *what)
{
   static uint8_t stencil[SIZE_PX][SIZE_PX];
   static float depth[SIZE_PX][SIZE_PX];
   reset_transfer();
   glReadPixels(0, 0, SIZE_PX, SIZE_PX, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, stencil);
   glReadPixels(0, 0, SIZE_PX, SIZE_PX, GL_DEPTH_COMPONENT, GL_FLOAT, depth);
   uint8_t *pixels = window_read(SIZE_PX, SIZE_PX);
   for (int y = 0; y < SIZE_PX; y++)
      for (int x = 0; x < SIZE_PX; x++) {
         if (stencil[y][x] != expected->stencil[y][x])
            die("trial %d, %s: the stencil value of (%d, %d) is %d, not %d", trial, what, x, y,
                stencil[y][x], expected->stencil[y][x]);
         if (fabs(depth[y][x] - expected->depth[y][x]) > 0x1p-22)
            die("trial %d, %s: the depth of (%d, %d) is %.8f, not %.8f", trial, what, x, y,
                depth[y][x], expected->depth[y][x]);
         if ((pixel_at(pixels, SIZE_PX, x, y)[0] != 0) != expected->colored[y][x])
            die("trial %d, %s: (%d, %d) is%s coloured", trial, what, x, y,
                expected->colored[y][x] ? " not" : "");
      }
   free(pixels);
}

static void
draw_and_copy(uint64_t *seed, int trial)
{
   static const GLenum formats[] = { GL_STENCIL_INDEX, GL_DEPTH_COMPONENT, GL_DEPTH_STENCIL_EXT };
   static const GLenum copies[] = { GL_STENCIL, GL_DEPTH, GL_DEPTH_STENCIL_EXT };
   static uint32_t packed[IMAGE_PX][IMAGE_PX];
   static float depth_image[IMAGE_PX][IMAGE_PX];
   static uint8_t stencil[IMAGE_PX][IMAGE_PX];
   static double depth[IMAGE_PX][IMAGE_PX];
   static struct buffers expected;
   const unsigned kind = random_below(seed, 3);
   const GLenum format = formats[kind];
   const struct transfer drawn = random_transfer(seed);
   const struct transfer copied = random_transfer(seed);
   const int x = random_between(seed, -4, 50);
   const int y = random_between(seed, 0, 50);

   memset(&expected, 0, sizeof(expected));
   reset_transfer();
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
   for (int j = 0; j < IMAGE_PX; j++)
      for (int i = 0; i < IMAGE_PX; i++) {
         const uint32_t z = random_below(seed, 1 << 24);
         stencil[j][i] = (uint8_t)random_below(seed, 256);
         packed[j][i] = z << 8 | stencil[j][i];
         depth[j][i] = z / 16777215.0;
         depth_image[j][i] = (float)depth[j][i];
      }
   set_transfer(&drawn);
   glWindowPos2i(x < 0 ? 0 : x, y);
   if (x < 0)
      glBitmap(0, 0, 0, 0, (GLfloat)x, 0, NULL);
   glDrawPixels(IMAGE_PX, IMAGE_PX, format, kind == 0 ? GL_UNSIGNED_BYTE : kind == 1 ? GL_FLOAT : GL_UNSIGNED_INT_24_8_EXT,
                kind == 0 ? (void *)stencil : kind == 1 ? (void *)depth_image : (void *)packed);
   expect_drawn(&expected, &drawn, format, x, y, stencil, depth);
   compare_buffers(&expected, trial, "glDrawPixels");

   /* what it copies is what was read then */
   const int from_x = random_between(seed, 0, 30);
   const int from_y = random_between(seed, 0, 30);
   for (int j = 0; j < IMAGE_PX; j++)
      for (int i = 0; i < IMAGE_PX; i++) {
         stencil[j][i] = expected.stencil[from_y + j][from_x + i];
         depth[j][i] = expected.depth[from_y + j][from_x + i];
      }
   const int to_x = random_between(seed, 0, 50);
   const int to_y = random_between(seed, 0, 50);
   set_transfer(&copied);
   glWindowPos2i(to_x, to_y);
   glCopyPixels(from_x, from_y, IMAGE_PX, IMAGE_PX, copies[kind]);
   expect_drawn(&expected, &copied, format, to_x, to_y, stencil, depth);
   compare_buffers(&expected, trial, "glCopyPixels");
}

void
check_depth_stencil_pixels(void)
{
   uint64_t seed = 1;
   glClearDepth(0);
   glColor3f(1, 1, 1);
   glWindowPos2i(0, 0); /* takes the colour */
   glEnable(GL_DEPTH_TEST);
   glDepthFunc(GL_ALWAYS);
   for (int trial = 0; trial < TRIALS; trial++)
      draw_and_copy(&seed, trial);
}

/* By a zoom that leaves all numbers behind each row or column of the window shows the image's
 * first, or none. */

void
check_pixels_zoomed_far(void)
{
   static const float zooms[] = { 1e9f, 1e30f, 3e38f, -1e9f, -3e38f, 0, 1e-30f };
   static const uint8_t image[2][2] = { { 77, 5 }, { 6, 7 } };
   glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
   for (int i = 0; i < 7 * 7; i++) {
      const float zoom[2] = { zooms[i % 7], zooms[i / 7] };
      glClear(GL_STENCIL_BUFFER_BIT);
      glPixelZoom(zoom[0], zoom[1]);
      glWindowPos2i(20, 30);
      glDrawPixels(2, 2, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, image);
      uint8_t *values = malloc(SIZE_PX * SIZE_PX);
      glReadPixels(0, 0, SIZE_PX, SIZE_PX, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, values);
      for (int p = 0; p < SIZE_PX * SIZE_PX; p++) {
         const int dx = p % SIZE_PX - 20, dy = p / SIZE_PX - 30;
         const bool shown = fabsf(zoom[0]) > 1 && (dx >= 0) == (zoom[0] > 0) &&
                            fabsf(zoom[1]) > 1 && (dy >= 0) == (zoom[1] > 0);
         if (values[p] != (shown ? 77 : 0))
            die("zoom (%g, %g): the stencil value of (%d, %d) is %d", zoom[0], zoom[1], p % SIZE_PX,
                p / SIZE_PX, values[p]);
      }
      free(values);
   }
}

/* ---- one image after another ----
 * The same memory, drawn again with another value at its very end, behind rows that are padded to four bytes; and as indices
 * with other shifts and offsets (3.6.3). */

static void
expect_pixel(int x, int y, const char *what, int r, int g, int b)
{
   uint8_t *pixels = window_read(SIZE_PX, SIZE_PX);
   expect_rgb(pixel_at(pixels, SIZE_PX, x, y), what, x, y, r, g, b, 0.51);
   free(pixels);
}

void
check_pixels_again(void)
{
   static GLubyte image[8][32]; /* 10 pixels and two bytes a row */
   static const GLfloat reds[4] = { 0, 0.2f, 0.4f, 1 }, greens[4] = { 1, 0.6f, 0, 0 };
   for (int i = 0; i < 3; i++) {
      image[7][27] = (GLubyte)(85 * i);
      glWindowPos2i(0, 0);
      glDrawPixels(10, 8, GL_RGB, GL_UNSIGNED_BYTE, image);
      expect_pixel(9, 7, "the last pixel", 85 * i, 0, 0);
   }
   image[0][4] = 1; /* the first of the second row: rows of two indices are four bytes apart */
   glPixelMapfv(GL_PIXEL_MAP_I_TO_R, 4, reds);
   glPixelMapfv(GL_PIXEL_MAP_I_TO_G, 4, greens);
   for (int i = 0; i < 3; i++) {
      glPixelTransferi(GL_INDEX_OFFSET, i);
      glDrawPixels(2, 2, GL_COLOR_INDEX, GL_UNSIGNED_BYTE, image);
      expect_pixel(0, 1, "an index with an offset", (int)(255 * reds[1 + i]),
                   (int)(255 * greens[1 + i]), 0);
   }
   glPixelTransferi(GL_INDEX_OFFSET, 0);
   glPixelTransferi(GL_INDEX_SHIFT, 1);
   glDrawPixels(2, 2, GL_COLOR_INDEX, GL_UNSIGNED_BYTE, image);
   expect_pixel(0, 1, "an index that is shifted", 102, 0, 0);
}

/* ---- accumulation ----
 * What leaves [-1, 1] is undefined: operations that would are left out; what returns to the colour buffer is clamped to [0, 1]. */

static double
accumulated(double sum, double color, GLenum op, double value)
{
   switch (op) {
   case GL_LOAD:
      return value * color;
   case GL_ACCUM:
      return sum + value * color;
   case GL_MULT:
      return sum * value;
   case GL_ADD:
      return sum + value;
   default:
      return sum;
   }
}

/* True and done to both buffers if it is defined. */
static bool
accumulate(double sum[3], double color[3], GLenum op, double value)
{
   for (int c = 0; c < 3; c++)
      if (fabs(accumulated(sum[c], color[c], op, value)) > 1)
         return false;
   glAccum(op, (float)value);
   for (int c = 0; c < 3; c++) {
      sum[c] = accumulated(sum[c], color[c], op, value);
      if (op == GL_RETURN)
         color[c] = fmin(fmax(value * sum[c], 0), 1);
   }
   return true;
}

void
check_accumulation_operations(void)
{
   static const GLenum ops[] = { GL_LOAD, GL_ACCUM, GL_MULT, GL_ADD, GL_RETURN };
   uint64_t seed = 1;
   for (int trial = 0; trial < TRIALS; trial++) {
      double color[3], sum[3];
      for (int c = 0; c < 3; c++) {
         sum[c] = random_between(&seed, -255, 255) / 255.0;
         color[c] = random_below(&seed, 256) / 255.0;
      }
      glClearAccum((float)sum[0], (float)sum[1], (float)sum[2], 0);
      glClearColor((float)color[0], (float)color[1], (float)color[2], 1);
      glClear(GL_ACCUM_BUFFER_BIT | GL_COLOR_BUFFER_BIT);
      for (int done = 0; done < 3;) {
         const GLenum op = ops[random_below(&seed, 5)];
         done += accumulate(sum, color, op, random_between(&seed, -8, 8) / 4.0);
      }
      accumulate(sum, color, GL_RETURN, trial % 2 ? 1 : -1.5);
      uint8_t *pixels = window_read(SIZE_PX, SIZE_PX);
      for (int i = 0; i < SIZE_PX * SIZE_PX; i += 97)
         expect_rgb(pixels + 4 * i, "accumulation", i % SIZE_PX, i / SIZE_PX, 255 * color[0],
                    255 * color[1], 255 * color[2], 2);
      free(pixels);
   }
}
