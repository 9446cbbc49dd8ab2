/* SPDX-License-Identifier: MIT
 *
 * GL_NV_framebuffer_blit, alone and with the renderbuffers of
 * GL_EXT_multisampled_render_to_texture: browsers resolve what they draw with it. That extension
 * with depth and stencil in one texture, and other drawing in between. Reading depth and stencil.
 */
#include "extension_checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCE_PX = 8, SIZE_PX = 40, BLITS = 200 };

static const float white[4] = { 1, 1, 1, 1 };

static void
bind(GLuint read, GLuint draw)
{
   glBindFramebuffer(GL_READ_FRAMEBUFFER_NV, read);
   glBindFramebuffer(GL_DRAW_FRAMEBUFFER_NV, draw);
}

static void
expect_integer(GLenum name, GLuint wanted, const char *what)
{
   GLint value = -1;
   glGetIntegerv(name, &value);
   if (value != (GLint)wanted)
      die("%s is %d, not %u", what, value, wanted);
}

/* What is read comes from one framebuffer object, what is drawn goes to the other. */
static void
check_two_bindings(EGLDisplay display)
{
   static const uint8_t red[4] = { 255, 0, 0, 255 }, blue[4] = { 0, 0, 255, 255 };
   context_create(display, EGL_NO_CONTEXT);
   need_gl("GL_NV_framebuffer_blit");
   struct target from = target_create(SIZE_PX, SIZE_PX), to = target_create(SIZE_PX, SIZE_PX);
   target_bind(&from);
   glClearColor(1, 0, 0, 1);
   glClear(GL_COLOR_BUFFER_BIT);
   bind(from.framebuffer, to.framebuffer);
   expect_integer(GL_READ_FRAMEBUFFER_BINDING_NV, from.framebuffer,
                  "GL_READ_FRAMEBUFFER_BINDING_NV");
   expect_integer(GL_DRAW_FRAMEBUFFER_BINDING_NV, to.framebuffer, "GL_DRAW_FRAMEBUFFER_BINDING_NV");
   glClearColor(0, 0, 1, 1);
   glClear(GL_COLOR_BUFFER_BIT);
   uint8_t *pixels = target_read(&from);
   expect_pixel(&from, pixels, 3, 4, red, 0, "read while another is drawn to");
   free(pixels);
   target_bind(&to);
   expect_integer(GL_READ_FRAMEBUFFER_BINDING_NV, to.framebuffer,
                  "GL_READ_FRAMEBUFFER_BINDING_NV after GL_FRAMEBUFFER");
   pixels = target_read(&to);
   expect_pixel(&to, pixels, 3, 4, blue, 0, "drawn while another is read");
   free(pixels);
   if (glCheckFramebufferStatus(GL_READ_FRAMEBUFFER_NV) != GL_FRAMEBUFFER_COMPLETE)
      die("the frame buffer that is read is not complete");
   no_error("two bindings");
}

/* A framebuffer object of a texture of random colours. */
static GLuint
random_source(uint64_t *seed, uint8_t colours[SOURCE_PX * SOURCE_PX][4])
{
   GLuint texture, framebuffer;
   for (int i = 0; i < SOURCE_PX * SOURCE_PX; i++)
      for (int c = 0; c < 4; c++)
         colours[i][c] = (uint8_t)random_below(seed, 256);
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SOURCE_PX, SOURCE_PX, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                colours);
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
   no_error("making a source");
   return framebuffer;
}

/* Rectangles, magnified a whole number of times, in each of the four orientations, under a
 * scissor. */
static void
check_blit_colours(EGLDisplay display)
{
   uint8_t colours[SOURCE_PX * SOURCE_PX][4];
   uint64_t seed = 9;
   context_create(display, EGL_NO_CONTEXT);
   need_gl("GL_NV_framebuffer_blit");
   const GLuint from = random_source(&seed, colours);
   struct target to = target_create(SIZE_PX, SIZE_PX);
   glClearColor(0, 0, 0, 0);
   for (int n = 0; n < BLITS; n++) {
      const int times = 1 + (int)random_below(&seed, 4);
      const int width = 1 + (int)random_below(&seed, SOURCE_PX),
                height = 1 + (int)random_below(&seed, SOURCE_PX);
      const int sx = (int)random_below(&seed, SOURCE_PX - width + 1),
                sy = (int)random_below(&seed, SOURCE_PX - height + 1);
      const int dx = (int)random_below(&seed, 8), dy = (int)random_below(&seed, 8);
      const int right = (int)random_below(&seed, SIZE_PX + 1),
                top = (int)random_below(&seed, SIZE_PX + 1);
      const bool flip_x = random_below(&seed, 2), flip_y = random_below(&seed, 2);
      glBindFramebuffer(GL_FRAMEBUFFER, to.framebuffer);
      glDisable(GL_SCISSOR_TEST);
      glClear(GL_COLOR_BUFFER_BIT);
      glEnable(GL_SCISSOR_TEST);
      glScissor(0, 0, right, top);
      bind(from, to.framebuffer);
      gl.BlitFramebufferNV(flip_x ? sx + width : sx, flip_y ? sy + height : sy,
                           flip_x ? sx : sx + width, flip_y ? sy : sy + height, dx, dy,
                           dx + times * width, dy + times * height, GL_COLOR_BUFFER_BIT,
                           GL_NEAREST);
      no_error("blitting colours");
      target_bind(&to);
      uint8_t *pixels = target_read(&to);
      for (int y = 0; y < SIZE_PX; y++)
         for (int x = 0; x < SIZE_PX; x++) {
            const int i = x - dx, j = y - dy;
            const bool inside =
               i >= 0 && j >= 0 && i < times * width && j < times * height && x < right && y < top;
            const int column = flip_x ? width - 1 - i / times : i / times,
                      row = flip_y ? height - 1 - j / times : j / times;
            static const uint8_t nothing[4] = { 0 };
            expect_pixel(&to, pixels, x, y,
                         inside ? colours[(sy + row) * SOURCE_PX + sx + column] : nothing, 0,
                         "blit");
         }
      free(pixels);
   }
}

/* Depth and stencil of a left half: what is drawn behind them then passes nowhere else. */
static void
check_blit_depth_stencil(EGLDisplay display)
{
   static const uint8_t passed[4] = { 255, 255, 255, 255 }, failed[4] = { 0 };
   context_create(display, EGL_NO_CONTEXT);
   need_gl("GL_NV_framebuffer_blit");
   struct target from = target_create(SIZE_PX, SIZE_PX), to = target_create(SIZE_PX, SIZE_PX);
   target_bind(&from);
   glClearDepthf(0.25f);
   glClearStencil(1);
   glClear(GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
   glEnable(GL_SCISSOR_TEST);
   glScissor(0, 0, SIZE_PX / 2, SIZE_PX);
   glClearDepthf(0.75f);
   glClearStencil(2);
   glClear(GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
   glDisable(GL_SCISSOR_TEST);
   bind(from.framebuffer, to.framebuffer);
   gl.BlitFramebufferNV(0, 0, SIZE_PX, SIZE_PX, 0, 0, SIZE_PX, SIZE_PX,
                        GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT, GL_NEAREST);
   no_error("blitting depth and stencil");
   target_bind(&to);
   program_create(plain_vertex, plain_fragment);
   for (int test = 0; test < 2; test++) {
      glClear(GL_COLOR_BUFFER_BIT);
      (test ? glEnable : glDisable)(GL_DEPTH_TEST);
      (test ? glDisable : glEnable)(GL_STENCIL_TEST);
      glDepthMask(GL_FALSE);
      glStencilFunc(GL_EQUAL, 2, 0xff);
      draw_rectangle(-1, -1, 1, 1, 0, white); /* at depth 0.5 */
      uint8_t *pixels = target_read(&to);
      for (int x = 0; x < SIZE_PX; x++)
         expect_pixel(&to, pixels, x, x, x < SIZE_PX / 2 ? passed : failed, 0,
                      test ? "blitted depth" : "blitted stencil");
      free(pixels);
   }
   bind(from.framebuffer, to.framebuffer);
   gl.BlitFramebufferNV(0, 0, 1, 1, 0, 0, 1, 1, GL_DEPTH_BUFFER_BIT, GL_LINEAR);
   if (glGetError() != GL_INVALID_OPERATION)
      die("depth is filtered");
}

/* A triangle with edges at all angles. */
static void
draw_triangle(void)
{
   static const float triangle[3][8] = {
      { -0.9f, -0.8f, 0, 1, 1, 1, 1, 1 },
      { 0.8f, -0.5f, 0, 1, 1, 1, 1, 1 },
      { 0.1f, 0.9f, 0, 1, 1, 1, 1, 1 },
   };
   glClear(GL_COLOR_BUFFER_BIT);
   program_create(plain_vertex, plain_fragment);
   draw_vertices(triangle, 3);
}

/* The triangle, drawn with four samples to a texture of one. */
static uint8_t *
resolved_triangle(void)
{
   struct target target = { .width_px = SIZE_PX, .height_px = SIZE_PX };
   glGenTextures(1, &target.colour);
   glBindTexture(GL_TEXTURE_2D, target.colour);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIZE_PX, SIZE_PX, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   glGenFramebuffers(1, &target.framebuffer);
   target_bind(&target);
   gl.FramebufferTexture2DMultisampleEXT(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                                         target.colour, 0, 4);
   draw_triangle();
   return target_read(&target);
}

static void
expect_triangle(const struct target *target, const uint8_t *wanted, const char *what)
{
   target_bind(target);
   uint8_t *pixels = target_read(target);
   int partial = 0;
   for (int i = 0; i < SIZE_PX * SIZE_PX; i++) {
      expect_pixel(target, pixels, i % SIZE_PX, i / SIZE_PX, wanted + 4 * i, 0, what);
      partial += pixels[4 * i] != 0 && pixels[4 * i] != 255;
   }
   if (partial < SIZE_PX)
      die("%s: %d pixels are covered in part", what, partial);
   free(pixels);
}

/* Four samples of a renderbuffer become one: blitted, read, copied to a texture. */
static void
check_resolves(EGLDisplay display)
{
   GLint samples = 0;
   context_create(display, EGL_NO_CONTEXT);
   need_gl("GL_NV_framebuffer_blit");
   need_gl("GL_EXT_multisampled_render_to_texture");
   struct target to = target_create(SIZE_PX, SIZE_PX), from = to;
   uint8_t *wanted = resolved_triangle();
   glGenRenderbuffers(1, &from.colour);
   glBindRenderbuffer(GL_RENDERBUFFER, from.colour);
   gl.RenderbufferStorageMultisampleEXT(GL_RENDERBUFFER, 4, GL_RGBA8_OES, SIZE_PX, SIZE_PX);
   glGenFramebuffers(1, &from.framebuffer);
   target_bind(&from);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, from.colour);
   glGetRenderbufferParameteriv(GL_RENDERBUFFER, GL_RENDERBUFFER_SAMPLES_EXT, &samples);
   if (samples != 4)
      die("%d samples, not 4", samples);
   draw_triangle();
   bind(from.framebuffer, to.framebuffer);
   gl.BlitFramebufferNV(0, 0, SIZE_PX, SIZE_PX, 0, 0, SIZE_PX, SIZE_PX, GL_COLOR_BUFFER_BIT,
                        GL_NEAREST);
   no_error("resolving");
   expect_triangle(&to, wanted, "blitted");
   expect_triangle(&from, wanted, "read");
   /* to the texture that `wanted` was read from */
   glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 0, 0, SIZE_PX, SIZE_PX, 0);
   no_error("copying to a texture");
   glGetIntegerv(GL_TEXTURE_BINDING_2D, (GLint *)&to.colour);
   target_bind(&to);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, to.colour, 0);
   expect_triangle(&to, wanted, "copied");
   free(wanted);
}

static GLuint
texture_of(GLenum format, GLenum type)
{
   GLuint texture;
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexImage2D(GL_TEXTURE_2D, 0, format, SIZE_PX, SIZE_PX, 0, format, type, NULL);
   return texture;
}

/* Draws the triangle to depth and stencil only, then all pixels where one of them says that the
 * triangle is. */
static void
draw_triangle_by_test(GLenum test)
{
   glClearDepthf(0.25f);
   glClearStencil(5);
   glClear(GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
   glEnable(GL_DEPTH_TEST);
   glEnable(GL_STENCIL_TEST);
   glDepthFunc(GL_ALWAYS);
   glStencilFunc(GL_ALWAYS, 9, 0xff);
   glStencilOp(GL_KEEP, GL_KEEP, GL_REPLACE);
   glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
   draw_triangle(); /* at depth 0.5 */
   glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
   glClear(GL_COLOR_BUFFER_BIT);
   glDepthFunc(test == GL_DEPTH_TEST ? GL_EQUAL : GL_ALWAYS);
   glStencilFunc(test == GL_STENCIL_TEST ? GL_EQUAL : GL_ALWAYS, 9, 0xff);
   draw_rectangle(-1, -1, 1, 1, 0, white);
   glDisable(GL_DEPTH_TEST);
   glDisable(GL_STENCIL_TEST);
}

/* A frame buffer of four samples whose depth and stencil are one texture, attached as both, the one
 * or the other first. */
static struct target
depth_stencil_target(int first)
{
   static const GLenum points[2] = { GL_DEPTH_ATTACHMENT, GL_STENCIL_ATTACHMENT };
   struct target target = { .width_px = SIZE_PX, .height_px = SIZE_PX };
   const GLuint depth_stencil = texture_of(GL_DEPTH_STENCIL_OES, GL_UNSIGNED_INT_24_8_OES);
   target.colour = texture_of(GL_RGBA, GL_UNSIGNED_BYTE);
   glGenFramebuffers(1, &target.framebuffer);
   target_bind(&target);
   gl.FramebufferTexture2DMultisampleEXT(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                                         target.colour, 0, 4);
   for (int i = 0; i < 2; i++)
      gl.FramebufferTexture2DMultisampleEXT(GL_FRAMEBUFFER, points[i ^ first], GL_TEXTURE_2D,
                                            depth_stencil, 0, 4);
   for (int i = 0; i < 2; i++) {
      GLint samples = -1;
      glGetFramebufferAttachmentParameteriv(
         GL_FRAMEBUFFER, points[i], GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_SAMPLES_EXT, &samples);
      if (samples != 4)
         die("attachment 0x%x has %d samples, not 4", points[i], samples);
   }
   const GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
   if (status != GL_FRAMEBUFFER_COMPLETE)
      die("0x%x attached first: the frame buffer's status is 0x%x", points[first], status);
   return target;
}

/* Depth and stencil of a texture have the samples that it is attached with. */
static void
check_depth_stencil_samples(EGLDisplay display)
{
   context_create(display, EGL_NO_CONTEXT);
   need_gl("GL_EXT_multisampled_render_to_texture2");
   need_gl("GL_OES_packed_depth_stencil");
   uint8_t *wanted = resolved_triangle();
   for (int first = 0; first < 2; first++) {
      const struct target target = depth_stencil_target(first);
      draw_triangle_by_test(GL_DEPTH_TEST);
      expect_triangle(&target, wanted, "where depth has the triangle");
      draw_triangle_by_test(GL_STENCIL_TEST);
      expect_triangle(&target, wanted, "where stencil has the triangle");
      no_error("depth and stencil of four samples");
   }
   free(wanted);
}

/* -------------------------------------------------------------------- what comes in between */

/* A texture with four samples, the same with one, and another one. */
struct between {
   struct target samples, plain, other;
};

static void
nothing(const struct between *b)
{
   (void)b;
}

static void
another_is_drawn(const struct between *b)
{
   target_bind(&b->other);
   glClear(GL_COLOR_BUFFER_BIT);
}

static void
another_is_drawn_and_flushed(const struct between *b)
{
   another_is_drawn(b);
   glFlush();
}

static void
it_is_read(const struct between *b)
{
   free(target_read(&b->samples));
}

static void
it_is_read_twice(const struct between *b)
{
   it_is_read(b);
   it_is_read(b);
}

static void
it_is_uploaded(const struct between *b)
{
   static const uint8_t black_pixels[4 * SIZE_PX * SIZE_PX];
   glBindTexture(GL_TEXTURE_2D, b->samples.colour);
   glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, SIZE_PX, SIZE_PX, GL_RGBA, GL_UNSIGNED_BYTE,
                   black_pixels);
}

static void
it_is_drawn_with_one_sample(const struct between *b)
{
   target_bind(&b->plain);
   draw_rectangle(-1, -1, 1, 1, 0, (float[4]){ 0, 0, 0, 0 });
}

/* The same, where the frame buffer of one sample was bound in this submission before. */
static void
it_is_drawn_twice(const struct between *b)
{
   it_is_drawn_with_one_sample(b);
   another_is_drawn(b);
   it_is_drawn_with_one_sample(b);
}

static void
it_is_copied_to(const struct between *b)
{
   another_is_drawn(b);
   glBindTexture(GL_TEXTURE_2D, b->samples.colour);
   glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 0, 0, SIZE_PX, SIZE_PX);
}

/* The triangle, and then half of white added to all: samples that the triangle covers stay white.
 * Of what was written in between, black, all becomes grey. */
static void
expect_sum(const struct between *b, const uint8_t *triangle, const char *what)
{
   target_bind(&b->samples);
   glEnable(GL_BLEND);
   glBlendFunc(GL_ONE, GL_ONE);
   draw_rectangle(-1, -1, 1, 1, 0, (float[4]){ 0.5f, 0.5f, 0.5f, 0.5f });
   glDisable(GL_BLEND);
   uint8_t *pixels = target_read(&b->samples);
   for (int i = 0; i < SIZE_PX * SIZE_PX; i++) {
      uint8_t wanted[4];
      for (int c = 0; c < 4; c++)
         wanted[c] = triangle ? (uint8_t)((255 + triangle[4 * i + c]) / 2) : 128;
      expect_pixel(&b->samples, pixels, i % SIZE_PX, i / SIZE_PX, wanted, 1, what);
   }
   free(pixels);
}

/* Samples of a texture last while others are drawn to and it is read, and are those of its texels
 * after these were written. */
static void
check_samples_last(EGLDisplay display)
{
   static const struct {
      const char *what;
      void (*between)(const struct between *b);
      bool writes;
   } cases[] = {
      { "nothing in between", nothing, false },
      { "another is drawn in between", another_is_drawn, false },
      { "another is drawn and flushed in between", another_is_drawn_and_flushed, false },
      { "it is read in between", it_is_read, false },
      { "it is read twice in between", it_is_read_twice, false },
      { "it is uploaded in between", it_is_uploaded, true },
      { "it is drawn with one sample in between", it_is_drawn_with_one_sample, true },
      { "it is drawn with one sample twice in between", it_is_drawn_twice, true },
      { "it is copied to in between", it_is_copied_to, true },
   };
   context_create(display, EGL_NO_CONTEXT);
   need_gl("GL_EXT_multisampled_render_to_texture");
   uint8_t *triangle = resolved_triangle();
   struct between b = { .other = target_create(SIZE_PX, SIZE_PX),
                        .plain = { .width_px = SIZE_PX, .height_px = SIZE_PX } };
   b.plain.colour = texture_of(GL_RGBA, GL_UNSIGNED_BYTE);
   b.samples = b.plain;
   glGenFramebuffers(1, &b.plain.framebuffer);
   target_bind(&b.plain);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, b.plain.colour, 0);
   glGenFramebuffers(1, &b.samples.framebuffer);
   target_bind(&b.samples);
   gl.FramebufferTexture2DMultisampleEXT(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                                         b.samples.colour, 0, 4);
   for (int round = 0; round < 3; round++)
      for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
         target_bind(&b.samples);
         draw_triangle();
         cases[i].between(&b);
         expect_sum(&b, cases[i].writes ? NULL : triangle, cases[i].what);
      }
   no_error("samples that last");
   free(triangle);
}

/* -------------------------------------------------------------------- reading depth and stencil */

/* Depth and stencil of a picture, as they are to be. */
struct layers {
   float depth[SIZE_PX][SIZE_PX];
   uint8_t stencil[SIZE_PX][SIZE_PX];
};

/* Draws a rectangle of whole pixels at any depth, which leaves a value in stencil. */
static void
draw_layer(uint64_t *seed, struct layers *layers)
{
   const int x0 = (int)random_below(seed, SIZE_PX), y0 = (int)random_below(seed, SIZE_PX);
   const int x1 = x0 + 1 + (int)random_below(seed, SIZE_PX - x0),
             y1 = y0 + 1 + (int)random_below(seed, SIZE_PX - y0);
   const float depth = random_below(seed, 257) / 256.0f;
   const uint8_t stencil = (uint8_t)random_below(seed, 256);
   glStencilFunc(GL_ALWAYS, stencil, 0xff);
   draw_rectangle(2.0f * x0 / SIZE_PX - 1, 2.0f * y0 / SIZE_PX - 1, 2.0f * x1 / SIZE_PX - 1,
                  2.0f * y1 / SIZE_PX - 1, 2 * depth - 1, white);
   for (int y = y0; y < y1; y++)
      for (int x = x0; x < x1; x++) {
         layers->depth[y][x] = depth;
         layers->stencil[y][x] = stencil;
      }
}

/* What was read of a pixel, as 0 to 1 and to 255, of all types that the extensions have for fixed
 * point. */
static void
expect_layers(const struct layers *layers)
{
   static uint16_t shorts[SIZE_PX][SIZE_PX];
   static uint32_t words[SIZE_PX][SIZE_PX], both[SIZE_PX][SIZE_PX];
   static uint8_t stencil[SIZE_PX][SIZE_PX];
   glReadPixels(0, 0, SIZE_PX, SIZE_PX, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT, shorts);
   no_error("reading depth as GL_UNSIGNED_SHORT");
   glReadPixels(0, 0, SIZE_PX, SIZE_PX, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, words);
   no_error("reading depth as GL_UNSIGNED_INT");
   glReadPixels(0, 0, SIZE_PX, SIZE_PX, GL_STENCIL_INDEX_OES, GL_UNSIGNED_BYTE, stencil);
   no_error("reading stencil");
   glReadPixels(0, 0, SIZE_PX, SIZE_PX, GL_DEPTH_STENCIL_OES, GL_UNSIGNED_INT_24_8_OES, both);
   no_error("reading depth and stencil");
   for (int y = 0; y < SIZE_PX; y++)
      for (int x = 0; x < SIZE_PX; x++) {
         const double wanted = layers->depth[y][x];
         const double read[3] = { shorts[y][x] / 65535.0, words[y][x] / 4294967295.0,
                                  (both[y][x] >> 8) / 16777215.0 };
         for (int i = 0; i < 3; i++)
            if (fabs(read[i] - wanted) > (i ? 1 : 257) / 16777215.0)
               die("pixel (%d, %d): way %d to read depth gives %.8f, not %.8f", x, y, i, read[i],
                   wanted);
         if (stencil[y][x] != layers->stencil[y][x] || (both[y][x] & 255) != layers->stencil[y][x])
            die("pixel (%d, %d): stencil is read as %u and %u, not %u", x, y, stencil[y][x],
                both[y][x] & 255, layers->stencil[y][x]);
      }
}

/* Depth and stencil are read as they were drawn; nothing else becomes a format of glReadPixels or
 * textures by that. */
static void
check_read_depth_stencil(EGLDisplay display)
{
   static struct layers layers;
   uint64_t seed = 3;
   uint32_t pixel;
   context_create(display, EGL_NO_CONTEXT);
   need_gl("GL_NV_read_depth");
   need_gl("GL_NV_read_stencil");
   need_gl("GL_NV_read_depth_stencil");
   target_create(SIZE_PX, SIZE_PX);
   program_create(plain_vertex, plain_fragment);
   glClearDepthf(0);
   glClear(GL_DEPTH_BUFFER_BIT);
   glEnable(GL_DEPTH_TEST);
   glDepthFunc(GL_ALWAYS);
   glEnable(GL_STENCIL_TEST);
   glStencilOp(GL_KEEP, GL_KEEP, GL_REPLACE);
   for (int n = 0; n < 40; n++) {
      draw_layer(&seed, &layers);
      expect_layers(&layers);
   }
   glReadPixels(0, 0, 1, 1, GL_STENCIL_INDEX_OES, GL_FLOAT, &pixel);
   if (glGetError() != GL_INVALID_ENUM)
      die("stencil is read as floats");
   glTexImage2D(GL_TEXTURE_2D, 0, GL_STENCIL_INDEX_OES, 1, 1, 0, GL_STENCIL_INDEX_OES,
                GL_UNSIGNED_BYTE, NULL);
   if (!glGetError())
      die("there are textures of stencil");
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, GL_RENDERBUFFER, 0);
   glReadPixels(0, 0, 1, 1, GL_STENCIL_INDEX_OES, GL_UNSIGNED_BYTE, &pixel);
   if (glGetError() != GL_INVALID_OPERATION)
      die("stencil is read where there is none");
}

const struct check framebuffer_checks[] = {
   { "framebuffer-blit-bindings", check_two_bindings },
   { "framebuffer-blit-colours", check_blit_colours },
   { "framebuffer-blit-depth-stencil", check_blit_depth_stencil },
   { "multisampled-renderbuffer", check_resolves },
   { "multisampled-depth-stencil", check_depth_stencil_samples },
   { "multisampled-between", check_samples_last },
   { "read-depth-stencil", check_read_depth_stencil },
   { NULL, NULL },
};
