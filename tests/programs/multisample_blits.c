/* SPDX-License-Identifier: MIT */
#include "multisample_checks.h"

#include <stdlib.h>
#include <string.h>

static bool
is_in(int value, int low, int high)
{
   return value >= low && value < high;
}

/* Blits of rectangles that leave both frame buffers, also mirrored, resolve the pixels that are in
 * both. `to` is where pixel 0 of each axis of the source goes, `step` which way the others
 * follow. */
void
check_resolve_beyond(EGLDisplay display, enum place place)
{
   static const struct {
      int from[4], to[4];
      struct {
         int to, step;
      } x, y;
   } blits[] = {
      { { 0, 0, 20000, SIZE_PX },
        { SIZE_PX, 0, SIZE_PX - 20000, SIZE_PX },
        { SIZE_PX - 1, -1 },
        { 0, 1 } },
      { { 0, -30000, SIZE_PX, 30000 }, { 0, 30000, SIZE_PX, -30000 }, { 0, 1 }, { -1, -1 } },
      { { -30000, 5, 30000, 25 }, { 30011, 25, -29989, 5 }, { 10, -1 }, { 29, -1 } },
      { { -9, -9, 20000, 20000 }, { -2, -16, 20007, 19993 }, { 7, 1 }, { -7, 1 } },
      { { -20000, 0, -1, 20 }, { 19999, 0, 0, 20 }, { -2, -1 }, { 0, 1 } },
   };
   struct target target = place_create(display, place);
   uint8_t expected[4];
   draw_rectangle(-1, -1, 1, 1, 0, red);
   draw_rectangle(-1, -1, -0.3f, 0.4f, 0, white);
   uint8_t *whole = place_read(&target, place);
   for (size_t n = 0; n < sizeof(blits) / sizeof(blits[0]); n++) {
      const int *from = blits[n].from, *to = blits[n].to;
      target_bind(&place_resolved);
      glClear(GL_COLOR_BUFFER_BIT);
      glBindFramebuffer(GL_READ_FRAMEBUFFER_NV, target.framebuffer);
      blit_framebuffer(from[0], from[1], from[2], from[3], to[0], to[1], to[2], to[3],
                       GL_COLOR_BUFFER_BIT, GL_NEAREST);
      target_bind(&place_resolved);
      uint8_t *pixels = target_read(&place_resolved);
      for (int y = 0; y < SIZE_PX; y++) {
         for (int x = 0; x < SIZE_PX; x++) {
            const int from_x = (x - blits[n].x.to) * blits[n].x.step,
                      from_y = (y - blits[n].y.to) * blits[n].y.step;
            const bool inside = is_in(from_x, 0, SIZE_PX) && is_in(from_x, from[0], from[2]) &&
                                is_in(from_y, 0, SIZE_PX) && is_in(from_y, from[1], from[3]);
            memset(expected, 0, sizeof(expected));
            if (inside)
               memcpy(expected, whole + 4 * (from_y * SIZE_PX + from_x), sizeof(expected));
            expect_pixel(&place_resolved, pixels, x, y, expected, 0,
                         "a blit beyond the frame buffers");
         }
      }
      free(pixels);
   }
   free(whole);
   no_error("blits beyond the frame buffers");
}

/* Texture and renderbuffer of the same number of samples get the same next larger one that there
 * is: four. */
void
check_counts(EGLDisplay display, enum place place)
{
   place_create(display, place);
   for (GLint samples = 1; samples <= 4; samples++) {
      GLint of_frame_buffer, of_texture;
      create_framebuffer(place, samples);
      glGetIntegerv(GL_SAMPLES, &of_frame_buffer);
      glGetFramebufferAttachmentParameteriv(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                                            GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_SAMPLES_EXT,
                                            &of_texture);
      if (of_frame_buffer != 4 || of_texture != 4)
         die("%d samples asked: GL_SAMPLES is %d, the texture's %d", samples, of_frame_buffer,
             of_texture);
   }
   no_error("frame buffers of fewer samples");
}

/* The texture shows the average when it is sampled, and drawing goes on from there; its mipmaps are
 * made of it. */
void
check_sampled(EGLDisplay display, enum place place)
{
   struct point t[3];
   float vertices[3][8];
   uint64_t seed = 7;
   struct target drawn = place_create(display, place);
   const GLuint plain = program_create(vertex_text, fragment_text);
   random_triangle(&seed, t);
   for (int i = 0; i < 3; i++)
      point_to_vertex(t[i], white, vertices[i]);
   draw_vertices((const float(*)[8])vertices, 3);

   struct target shown = target_create(SIZE_PX, SIZE_PX);
   program_create(
      "attribute vec4 position, colour; varying highp vec2 v;\n"
      "void main() { gl_Position = position; v = position.xy * 0.5 + 0.5 + 0.0 * colour.xy; }\n",
      "uniform sampler2D s; varying highp vec2 v;\nvoid main() { gl_FragColor = texture2D(s, v); "
      "}\n");
   draw_rectangle(-1, -1, 1, 1, 0, white);
   uint8_t *pixels = target_read(&shown);
   for (int i = 0; i < SIZE_PX * SIZE_PX; i++) {
      const int inside = samples_inside(t, i % SIZE_PX, i / SIZE_PX, place);
      if (inside >= 0 && pixels[4 * i] != (inside * 255 + 2) / 4)
         die("sampled: pixel (%d, %d) is %d with %d samples inside", i % SIZE_PX, i / SIZE_PX,
             pixels[4 * i], inside);
   }
   free(pixels);

   /* what was there is still there when drawing goes on */
   target_bind(&drawn);
   glUseProgram(plain);
   draw_rectangle(-1, -1, 0, 1, 0, red);
   pixels = target_read(&drawn);
   for (int i = 0; i < SIZE_PX * SIZE_PX; i++) {
      const int inside = samples_inside(t, i % SIZE_PX, i / SIZE_PX, place),
                value = pixels[4 * i + 1];
      if (inside >= 0 && value != (i % SIZE_PX < SIZE_PX / 2 ? 0 : (inside * 255 + 2) / 4))
         die("drawn on: pixel (%d, %d) is %d with %d samples inside", i % SIZE_PX, i / SIZE_PX,
             value, inside);
   }
   free(pixels);
}

enum { SCALED_RESOLVE_FASTEST = 0x90BA, SCALED_RESOLVE_NICEST = 0x90BB };

struct rectangle {
   GLint x0, y0, x1, y1;
};

static const struct rectangle whole = { 0, 0, SIZE_PX, SIZE_PX };

static GLenum
blit(const struct target *from, const struct target *to, struct rectangle source,
     struct rectangle destination, GLenum filter)
{
   glBindFramebuffer(GL_READ_FRAMEBUFFER_NV, from->framebuffer);
   glBindFramebuffer(GL_DRAW_FRAMEBUFFER_NV, to->framebuffer);
   blit_framebuffer(source.x0, source.y0, source.x1, source.y1, destination.x0, destination.y0,
                    destination.x1, destination.y1, GL_COLOR_BUFFER_BIT, filter);
   return glGetError();
}

static void
expect_blit_error(GLenum error, const struct target *from, const struct target *to, GLenum filter)
{
   const struct rectangle half = { 0, 0, SIZE_PX / 2, SIZE_PX / 2 };
   const GLenum have = blit(from, to, whole, half, filter);
   if (have != error)
      die("a scaled blit with filter 0x%x gives 0x%x, not 0x%x", filter, have, error);
}

/* A target's pixels after one blit or, where `by` is not NULL, two: by that target. */
static uint8_t *
blitted(const struct target *from, const struct target *by, const struct target *to,
        struct rectangle source, struct rectangle destination, GLenum filter)
{
   target_bind(to);
   glClear(GL_COLOR_BUFFER_BIT);
   if ((by && blit(from, by, whole, whole, GL_NEAREST)) ||
       blit(by ? by : from, to, source, destination, filter))
      die("a blit with filter 0x%x is refused", filter);
   target_bind(to);
   return target_read(to);
}

/* Several samples are scaled by the filters of EXT_framebuffer_multisample_blit_scaled only, and
 * then as the resolved picture is by GL_LINEAR; in one size they may be mirrored. */
void
check_scaled(EGLDisplay display, enum place place)
{
   static const float triangle[3][8] = { { -0.9f, -0.8f, 0, 1, 1, 0.5f, 0, 1 },
                                         { 0.8f, -0.3f, 0, 1, 0, 1, 0, 1 },
                                         { 0.1f, 0.9f, 0, 1, 0, 0.5f, 1, 1 } };
   static const struct rectangle sources[] = { whole, { 3, 5, 40, 61 }, { 60, 1, 2, 50 } };
   static const struct rectangle destinations[] = {
      { 0, 0, 31, 17 }, { 5, 60, 47, 2 }, { 1, 1, 64, 64 }, { -10, 3, 90, 60 }
   };
   const struct target from = place_create(display, place), to = target_create(SIZE_PX, SIZE_PX);
   if (!strstr((const char *)glGetString(GL_EXTENSIONS),
               "GL_EXT_framebuffer_multisample_blit_scaled"))
      die("there is no GL_EXT_framebuffer_multisample_blit_scaled");
   target_bind(&from);
   draw_vertices(triangle, 3);
   expect_blit_error(GL_INVALID_OPERATION, &from, &to, GL_NEAREST);
   expect_blit_error(GL_INVALID_OPERATION, &from, &to, GL_LINEAR);
   expect_blit_error(GL_INVALID_OPERATION, &place_resolved, &to, SCALED_RESOLVE_FASTEST);
   expect_blit_error(GL_INVALID_OPERATION, &from, &from, SCALED_RESOLVE_NICEST);
   for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
      for (size_t k = 0; k < sizeof(destinations) / sizeof(destinations[0]); k++) {
         const GLenum filter = (i + k) % 2 ? SCALED_RESOLVE_FASTEST : SCALED_RESOLVE_NICEST;
         uint8_t *have = blitted(&from, NULL, &to, sources[i], destinations[k], filter);
         uint8_t *want =
            blitted(&from, &place_resolved, &to, sources[i], destinations[k], GL_LINEAR);
         for (int n = 0; n < SIZE_PX * SIZE_PX; n++)
            expect_pixel(&to, have, n % SIZE_PX, n / SIZE_PX, want + 4 * n, 0, "scaled");
         free(have);
         free(want);
      }
   const struct rectangle mirrored = { SIZE_PX, 0, 0, SIZE_PX };
   uint8_t *have = blitted(&from, NULL, &to, whole, mirrored, GL_NEAREST),
           *want = blitted(&from, NULL, &to, whole, whole, GL_NEAREST);
   for (int n = 0; n < SIZE_PX * SIZE_PX; n++)
      expect_pixel(&to, have, n % SIZE_PX, n / SIZE_PX,
                   want + 4 * (n / SIZE_PX * SIZE_PX + SIZE_PX - 1 - n % SIZE_PX), 0, "mirrored");
   free(have);
   free(want);
}
