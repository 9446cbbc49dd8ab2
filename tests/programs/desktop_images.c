/* SPDX-License-Identifier: MIT
 *
 * Pixels and textures beyond OpenGL ES 2.0. Sections are those of the GL 2.1 specification.
 */
#include "desktop_checks.h"

#include <math.h>
#include <string.h>

static void
set(double rgb[3], double r, double g, double b)
{
   rgb[0] = r;
   rgb[1] = g;
   rgb[2] = b;
}

static GLuint
nearest_texture(GLenum target)
{
   GLuint texture;
   glGenTextures(1, &texture);
   glBindTexture(target, texture);
   glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   return texture;
}

/* The whole window, with texture coordinates from (0, 0, r) to (s, t, r). */
static void
draw_textured(float s, float t, float r)
{
   window_in_pixels(SIZE_PX, SIZE_PX);
   glBegin(GL_QUADS);
   glTexCoord3f(0, 0, r);
   glVertex2f(0, 0);
   glTexCoord3f(s, 0, r);
   glVertex2f(SIZE_PX, 0);
   glTexCoord3f(s, t, r);
   glVertex2f(SIZE_PX, SIZE_PX);
   glTexCoord3f(0, t, r);
   glVertex2f(0, SIZE_PX);
   glEnd();
}

/* ---- glDrawPixels, glBitmap, glCopyPixels (3.6, 3.7, 4.3.3) ----
 * A picture of 2 x 2 pixels, zoomed by (8, 4), at (8, 8); copied to (32, 8) mirrored in x; and a bitmap of one byte a row at (40, 40). */

static const GLubyte four[4][3] = { { 255, 0, 0 }, { 0, 255, 0 }, { 0, 0, 255 }, { 255, 255, 0 } };
static const GLubyte bits[4] = { 0xa5, 0x3c, 0x81, 0xff };

static void
pixel_zoom_rgb(int x, int y, double rgb[3])
{
   const GLubyte *p = NULL;
   const GLubyte white[3] = { 255, 255, 255 }, black[3] = { 0, 0, 0 };
   if (x >= 8 && x < 24 && y >= 8 && y < 16)
      p = four[(y - 8) / 4 * 2 + (x - 8) / 8];
   else if (x >= 32 && x < 48 && y >= 8 && y < 16)
      p = four[(y - 8) / 4 * 2 + (47 - x) / 8];
   else if (x >= 40 && x < 48 && y >= 40 && y < 44)
      p = bits[y - 40] >> (47 - x) & 1 ? white : black;
   else
      p = black;
   set(rgb, p[0], p[1], p[2]);
}

void
check_pixel_zoom(void)
{
   window_in_pixels(SIZE_PX, SIZE_PX);
   glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
   glRasterPos2i(8, 8);
   glPixelZoom(8, 4);
   glDrawPixels(2, 2, GL_RGB, GL_UNSIGNED_BYTE, four);
   glRasterPos2i(48, 8);
   glPixelZoom(-1, 1);
   glCopyPixels(8, 8, 16, 8, GL_COLOR);
   glRasterPos2i(40, 40);
   glBitmap(8, 4, 0, 0, 0, 0, bits);
   check_window("pixels", pixel_zoom_rgb, 0);
}

/* ---- rectangle textures (ARB_texture_rectangle) ----
 * Coordinates are texels; a size may be any. */

static void
rectangle_rgb(int x, int y, double rgb[3])
{
   set(rgb, 5 * ((2 * x + 1) * 48 / (2 * SIZE_PX)), 6 * ((2 * y + 1) * 40 / (2 * SIZE_PX)), 0);
}

void
check_rectangle_texture(void)
{
   static GLubyte texels[40][48][4];
   for (int y = 0; y < 40; y++)
      for (int x = 0; x < 48; x++)
         memcpy(texels[y][x], (GLubyte[4]){ (GLubyte)(5 * x), (GLubyte)(6 * y), 0, 255 }, 4);
   nearest_texture(GL_TEXTURE_RECTANGLE_ARB);
   glTexImage2D(GL_TEXTURE_RECTANGLE_ARB, 0, GL_RGBA8, 48, 40, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                texels);
   glEnable(GL_TEXTURE_RECTANGLE_ARB);
   draw_textured(48, 40, 0);
   check_window("rectangle texture", rectangle_rgb, 0);
}

/* ---- one and three dimensions (3.8.1) ----
 * Linear between two texels of 0 and 240 at s = 1/4 and 3/4; of three dimensions the slice at r = 5/8 is the third of four. */

static void
one_dimension_rgb(int x, int y, double rgb[3])
{
   double at = 2 * (x + 0.5) / SIZE_PX - 0.5;
   (void)y;
   at = at < 0 ? 0 : at > 1 ? 1 : at;
   set(rgb, 240 * at, 0, 0);
}

void
check_one_dimension(void)
{
   nearest_texture(GL_TEXTURE_1D);
   glTexParameteri(GL_TEXTURE_1D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
   glTexParameteri(GL_TEXTURE_1D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
   glTexImage1D(GL_TEXTURE_1D, 0, GL_RGBA8, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                (GLubyte[8]){ 0, 0, 0, 0, 240, 0, 0, 0 });
   glEnable(GL_TEXTURE_1D);
   draw_textured(1, 1, 0);
   check_window("one dimension", one_dimension_rgb, 1);
}

static void
three_dimensions_rgb(int x, int y, double rgb[3])
{
   set(rgb, 50 * (x / 16), 50 * (y / 16), 100);
}

void
check_three_dimensions(void)
{
   static GLubyte texels[4][4][4][4];
   for (int i = 0; i < 64; i++)
      memcpy(texels[i / 16][i / 4 % 4][i % 4],
             (GLubyte[4]){ (GLubyte)(50 * (i % 4)), (GLubyte)(50 * (i / 4 % 4)),
                           (GLubyte)(50 * (i / 16)), 255 },
             4);
   nearest_texture(GL_TEXTURE_3D);
   glTexImage3D(GL_TEXTURE_3D, 0, GL_RGBA8, 4, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   glEnable(GL_TEXTURE_3D);
   draw_textured(1, 1, 0.625f);
   check_window("three dimensions", three_dimensions_rgb, 0);
}

/* ---- texture environments (3.8.13) ----
 * Texture (0.8, 0.4, 0.2, 0.25), fragment (0.5, 0.5, 1), environment colour (0, 1, 0). A stripe for each. */

#define ENVIRONMENTS 6

static const struct {
   GLint mode, combine;
   double rgb[3];
} environments[ENVIRONMENTS] = {
   { GL_REPLACE, 0, { 0.8, 0.4, 0.2 } },
   { GL_MODULATE, 0, { 0.4, 0.2, 0.2 } },
   /* fragment * (1 - a) + texture * a, a = 0.25 */
   { GL_DECAL, 0, { 0.575, 0.475, 0.8 } },
   /* fragment * (1 - texture) + colour * texture */
   { GL_BLEND, 0, { 0.1, 0.7, 0.8 } },
   { GL_ADD, 0, { 1, 0.9, 1 } },
   /* texture - fragment, times 2 */
   { GL_COMBINE, GL_SUBTRACT, { 0.6, 0, 0 } },
};

static void
environment_rgb(int x, int y, double rgb[3])
{
   const double *c = environments[x / 10 < ENVIRONMENTS ? x / 10 : 0].rgb;
   (void)y;
   if (x < 10 * ENVIRONMENTS)
      set(rgb, 255 * c[0], 255 * c[1], 255 * c[2]);
   else
      set(rgb, 0, 0, 0);
}

void
check_texture_environment(void)
{
   window_in_pixels(SIZE_PX, SIZE_PX);
   nearest_texture(GL_TEXTURE_2D);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32F_ARB, 1, 1, 0, GL_RGBA, GL_FLOAT,
                (float[4]){ 0.8f, 0.4f, 0.2f, 0.25f });
   glEnable(GL_TEXTURE_2D);
   glTexEnvfv(GL_TEXTURE_ENV, GL_TEXTURE_ENV_COLOR, (float[4]){ 0, 1, 0, 1 });
   glColor3f(0.5f, 0.5f, 1);
   for (int i = 0; i < ENVIRONMENTS; i++) {
      glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, environments[i].mode);
      if (environments[i].combine) {
         glTexEnvi(GL_TEXTURE_ENV, GL_COMBINE_RGB, environments[i].combine);
         glTexEnvi(GL_TEXTURE_ENV, GL_RGB_SCALE, 2);
      }
      glRectf(10.0f * i, 0, 10.0f * i + 10, SIZE_PX);
   }
   check_window("texture environments", environment_rgb, 0.51);
}

/* ---- sRGB (EXT_texture_sRGB, EXT_framebuffer_sRGB) ----
 * A texel of 188 is 0.503 in linear light; blended in half with black it is 0.251, which is 137.7 as sRGB. */

static double
to_linear(double c)
{
   return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double
to_srgb(double c)
{
   return c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055;
}

static void
srgb_rgb(int x, int y, double rgb[3])
{
   const double texel = to_linear(188 / 255.0);
   const double c = 255 * (y < 32 ? texel : x < 32 ? to_srgb(texel) : to_srgb(texel / 2));
   set(rgb, c, c, c);
}

void
check_srgb(void)
{
   GLuint colour, framebuffer;
   glGenTextures(1, &colour);
   glBindTexture(GL_TEXTURE_2D, colour);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_SRGB8_ALPHA8_EXT, SIZE_PX, SIZE_PX, 0, GL_RGBA,
                GL_UNSIGNED_BYTE, NULL);
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, colour, 0);
   nearest_texture(GL_TEXTURE_2D);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_SRGB8_ALPHA8_EXT, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                (GLubyte[4]){ 188, 188, 188, 128 });
   glEnable(GL_TEXTURE_2D);
   window_in_pixels(SIZE_PX, SIZE_PX);
   glClear(GL_COLOR_BUFFER_BIT);
   /* below: written as it is, a linear value */
   glRectf(0, 0, SIZE_PX, 32);
   glEnable(GL_FRAMEBUFFER_SRGB_EXT);
   glRectf(0, 32, 32, SIZE_PX);
   glEnable(GL_BLEND);
   glBlendColor(0, 0, 0, 0.5f);
   glBlendFunc(GL_CONSTANT_ALPHA, GL_ONE_MINUS_CONSTANT_ALPHA);
   glRectf(32, 32, SIZE_PX, SIZE_PX);
   glDisable(GL_FRAMEBUFFER_SRGB_EXT);
   check_window("sRGB", srgb_rgb, 0.6);
}

/* ---- float textures (ARB_texture_float), float targets (ARB_color_buffer_float) ----
 * Values outside of [0, 1] go through; glClampColor clamps them. */

void
check_float_texture(void)
{
   static const float texel[4] = { 1000.5f, -3.25f, 0x1p-20f, 0.5f };
   GLuint colour, framebuffer;
   glGenTextures(1, &colour);
   glBindTexture(GL_TEXTURE_2D, colour);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32F_ARB, 4, 4, 0, GL_RGBA, GL_FLOAT, NULL);
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, colour, 0);
   nearest_texture(GL_TEXTURE_2D);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32F_ARB, 1, 1, 0, GL_RGBA, GL_FLOAT, texel);
   glEnable(GL_TEXTURE_2D);
   glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE);
   glClampColorARB(GL_CLAMP_READ_COLOR_ARB, GL_FALSE);
   for (int clamped = 0; clamped < 2; clamped++) {
      float have[4];
      glClampColorARB(GL_CLAMP_FRAGMENT_COLOR_ARB, clamped ? GL_TRUE : GL_FALSE);
      draw_textured(1, 1, 0);
      glReadPixels(1, 1, 1, 1, GL_RGBA, GL_FLOAT, have);
      for (int i = 0; i < 4; i++) {
         const float want = !clamped ? texel[i] : texel[i] < 0 ? 0 : texel[i] > 1 ? 1 : texel[i];
         if (have[i] != want)
            die("channel %d is %g, not %g (%s)", i, have[i], want,
                clamped ? "clamped" : "not clamped");
      }
   }
}

/* ---- blits (EXT_framebuffer_blit) ----
 * The left half, mirrored in both axes, onto a rectangle twice as high; the scissor cuts it. */

static void
blit_rgb(int x, int y, double rgb[3])
{
   if (x < 32 || y < 16)
      set(rgb, 4 * x, 4 * y, 0);
   else
      set(rgb, 4 * (63 - x), 4 * (31 - y / 2), 0);
}

void
check_blit(void)
{
   static GLubyte pixels[SIZE_PX][SIZE_PX][4];
   GLuint colour, framebuffer;
   for (int y = 0; y < SIZE_PX; y++)
      for (int x = 0; x < SIZE_PX; x++)
         memcpy(pixels[y][x], (GLubyte[4]){ (GLubyte)(4 * x), (GLubyte)(4 * y), 0, 255 }, 4);
   glGenTextures(1, &colour);
   glBindTexture(GL_TEXTURE_2D, colour);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, SIZE_PX, SIZE_PX, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
   glFramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, colour, 0);
   glBlitFramebuffer(0, 0, SIZE_PX, SIZE_PX, 0, 0, SIZE_PX, SIZE_PX, GL_COLOR_BUFFER_BIT,
                     GL_NEAREST);
   glScissor(0, 16, SIZE_PX, SIZE_PX);
   glEnable(GL_SCISSOR_TEST);
   glBlitFramebuffer(0, 0, 32, 32, SIZE_PX, SIZE_PX, 32, 0, GL_COLOR_BUFFER_BIT, GL_NEAREST);
   glBindFramebuffer(GL_FRAMEBUFFER, 0);
   check_window("blit", blit_rgb, 0);
}

/* ---- seamless cube maps (ARB_seamless_cube_map) ----
 * Faces of one texel, +x 0, +z 200, linear: at the edge between them, where both are as near, the mean; without seams
 * being filtered, one of the two. */

void
check_seamless(void)
{
   nearest_texture(GL_TEXTURE_CUBE_MAP);
   glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
   glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
   glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
   glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
   for (int face = 0; face < 6; face++) {
      const GLubyte grey = face == 4 ? 200 : 0;
      glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL_RGBA8, 1, 1, 0, GL_RGBA,
                   GL_UNSIGNED_BYTE, (GLubyte[4]){ grey, grey, grey, 255 });
   }
   glEnable(GL_TEXTURE_CUBE_MAP);
   window_in_pixels(SIZE_PX, SIZE_PX);
   for (int seamless = 0; seamless < 2; seamless++) {
      if (seamless)
         glEnable(GL_TEXTURE_CUBE_MAP_SEAMLESS);
      glTexCoord3f(1, 0, 1);
      glRectf(0, 0, SIZE_PX, SIZE_PX);
      uint8_t *pixels = window_read(SIZE_PX, SIZE_PX);
      const int have = pixels[0];
      free(pixels);
      if (seamless ? abs(have - 100) > 1 : have != 0 && have != 200)
         die("the edge is %d with seams %s", have, seamless ? "filtered" : "left");
   }
}

/* ---- glGetTexImage of compressed textures (6.1.4) ----
 * Two levels of four that there could be: nothing has drawn with the texture when it is read first.
 */

enum { COMPRESSED_PX = 8 };

static const struct compressed {
   GLenum format;
   GLsizei block_B;
} compressed_formats[] = {
   { GL_COMPRESSED_RGB8_ETC2, 8 },
   { GL_COMPRESSED_SRGB8_ETC2, 8 },
   { GL_COMPRESSED_RGB8_PUNCHTHROUGH_ALPHA1_ETC2, 8 },
   { GL_COMPRESSED_RGBA8_ETC2_EAC, 16 },
   { GL_COMPRESSED_R11_EAC, 8 },
   { GL_COMPRESSED_SIGNED_R11_EAC, 8 },
   { GL_COMPRESSED_RG11_EAC, 16 },
   { GL_COMPRESSED_SIGNED_RG11_EAC, 16 },
   { GL_COMPRESSED_RGBA_ASTC_4x4_KHR, 16 },
   { GL_COMPRESSED_SRGB8_ALPHA8_ASTC_4x4_KHR, 16 },
};

/* Four blocks: of ASTC of one colour, others of any bits. */
static void
fill_blocks(const struct compressed *c, GLubyte *blocks)
{
   static const GLubyte one_colour[16] = { 0xfc, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                           0x00, 0x40, 0x00, 0x80, 0x00, 0xc0, 0xff, 0xff };
   const bool is_astc = c->format == GL_COMPRESSED_RGBA_ASTC_4x4_KHR ||
                        c->format == GL_COMPRESSED_SRGB8_ALPHA8_ASTC_4x4_KHR;
   for (int i = 0; i < 4 * c->block_B; i++)
      blocks[i] = is_astc ? one_colour[i % 16] : (GLubyte)(0x5a + 37 * i);
}

void
check_compressed_reads(void)
{
   glEnable(GL_TEXTURE_2D);
   for (size_t i = 0; i < sizeof(compressed_formats) / sizeof(compressed_formats[0]); i++) {
      const struct compressed *c = &compressed_formats[i];
      float before[COMPRESSED_PX * COMPRESSED_PX][4], after[COMPRESSED_PX * COMPRESSED_PX][4];
      GLubyte blocks[4 * 16];
      GLuint texture;
      fill_blocks(c, blocks);
      glGenTextures(1, &texture);
      glBindTexture(GL_TEXTURE_2D, texture);
      glCompressedTexImage2D(GL_TEXTURE_2D, 0, c->format, COMPRESSED_PX, COMPRESSED_PX, 0,
                             4 * c->block_B, blocks);
      glCompressedTexImage2D(GL_TEXTURE_2D, 1, c->format, COMPRESSED_PX / 2, COMPRESSED_PX / 2, 0,
                             c->block_B, blocks);
      memset(before, 0xee, sizeof(before));
      glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_FLOAT, before);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 1);
      draw_textured(1, 1, 0);
      glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_FLOAT, after);
      for (int t = 0; t < COMPRESSED_PX * COMPRESSED_PX; t++)
         for (int k = 0; k < 4; k++)
            if (before[t][k] != after[t][k])
               die("format 0x%04x, texel %d, channel %d: %g before a draw, %g after it", c->format,
                   t, k, before[t][k], after[t][k]);
      glDeleteTextures(1, &texture);
   }
   no_error("glGetTexImage of compressed textures");
}
