/* SPDX-License-Identifier: MIT
 *
 * GL_OES_mapbuffer, GL_EXT_map_buffer_range, GL_EXT_discard_framebuffer, GL_EXT_texture_storage.
 */
#include "extension_checks.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE_PX = 64, COLUMNS = 64 };

/* A strip of rectangles, a column of pixels each; the colour of each is in the buffer, per
 * vertex. */
static void
draw_columns(GLuint positions, GLuint colours)
{
   glBindBuffer(GL_ARRAY_BUFFER, positions);
   glEnableVertexAttribArray(0);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
   glBindBuffer(GL_ARRAY_BUFFER, colours);
   glEnableVertexAttribArray(1);
   glVertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, 0, NULL);
   glDrawArrays(GL_TRIANGLES, 0, 6 * COLUMNS);
}

static GLuint
make_positions(void)
{
   static float at[COLUMNS][6][2];
   static const float corners[6][2] = {
      { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 0 }, { 1, 1 }, { 0, 1 }
   };
   GLuint buffer;
   for (int i = 0; i < 6 * COLUMNS; i++) {
      at[i / 6][i % 6][0] = (i / 6 + corners[i % 6][0]) * 2.0f / COLUMNS - 1;
      at[i / 6][i % 6][1] = corners[i % 6][1] * 2 - 1;
   }
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   glBufferData(GL_ARRAY_BUFFER, sizeof(at), at, GL_STATIC_DRAW);
   return buffer;
}

static void
fill_columns(uint8_t (*to)[6][4], const uint8_t *shades, int first, int count)
{
   for (int i = 0; i < 6 * count; i++) {
      const uint8_t colour[4] = { shades[first + i / 6], 255 - shades[first + i / 6], first, 255 };
      memcpy(to[i / 6][i % 6], colour, 4);
   }
}

static void
expect_columns(const struct target *target, uint8_t (*want)[6][4], const char *what)
{
   uint8_t *pixels = target_read(target);
   for (int x = 0; x < COLUMNS; x++)
      expect_pixel(target, pixels, x, x % SIZE_PX, want[x][0], 0, what);
   free(pixels);
}

/* Ranges of a buffer are mapped, in every way, written and drawn at once, many times: each draw has
 * its bytes. */
static void
check_ranges(EGLDisplay display)
{
   static const struct {
      const char *name;
      GLbitfield flags;
   } ways[] = {
      { "write", GL_MAP_WRITE_BIT_EXT },
      { "invalidated range", GL_MAP_WRITE_BIT_EXT | GL_MAP_INVALIDATE_RANGE_BIT_EXT },
      { "explicit flushes", GL_MAP_WRITE_BIT_EXT | GL_MAP_FLUSH_EXPLICIT_BIT_EXT },
      { "read and write", GL_MAP_READ_BIT_EXT | GL_MAP_WRITE_BIT_EXT },
      { "invalidated range, explicit flushes",
        GL_MAP_WRITE_BIT_EXT | GL_MAP_INVALIDATE_RANGE_BIT_EXT | GL_MAP_FLUSH_EXPLICIT_BIT_EXT },
   };
   static uint8_t shadow[COLUMNS][6][4];
   uint8_t shades[COLUMNS];
   GLuint colours;
   uint64_t seed = 3;
   context_create(display, EGL_NO_CONTEXT);
   need_gl("GL_EXT_map_buffer_range");
   struct target target = target_create(SIZE_PX, SIZE_PX);
   program_create(plain_vertex, plain_fragment);
   const GLuint positions = make_positions();
   glGenBuffers(1, &colours);
   glBindBuffer(GL_ARRAY_BUFFER, colours);
   glBufferData(GL_ARRAY_BUFFER, sizeof(shadow), shadow, GL_DYNAMIC_DRAW);
   for (int n = 0; n < 100; n++) {
      const int way = n % (sizeof(ways) / sizeof(ways[0]));
      const int first = random_below(&seed, COLUMNS),
                count = 1 + random_below(&seed, COLUMNS - first);
      for (int i = 0; i < COLUMNS; i++)
         shades[i] = random_below(&seed, 256);
      fill_columns(shadow + first, shades, first, count);
      glBindBuffer(GL_ARRAY_BUFFER, colours);
      void *map = gl.MapBufferRangeEXT(GL_ARRAY_BUFFER, first * sizeof(*shadow),
                                       count * sizeof(*shadow), ways[way].flags);
      if (!map)
         die("%s: there is no map", ways[way].name);
      memcpy(map, shadow + first, count * sizeof(*shadow));
      if (ways[way].flags & GL_MAP_FLUSH_EXPLICIT_BIT_EXT) {
         gl.FlushMappedBufferRangeEXT(GL_ARRAY_BUFFER, 0, sizeof(*shadow));
         gl.FlushMappedBufferRangeEXT(GL_ARRAY_BUFFER, sizeof(*shadow),
                                      (count - 1) * sizeof(*shadow));
      }
      if (!gl.UnmapBufferOES(GL_ARRAY_BUFFER))
         die("%s: the contents were lost", ways[way].name);
      draw_columns(positions, colours);
      if (n % 7 == 0)
         expect_columns(&target, shadow, ways[way].name);
   }
   expect_columns(&target, shadow, "at last");
}

/* A whole buffer is mapped and filled again between draws that still need the old bytes. */
static void
check_whole(EGLDisplay display)
{
   enum { ROWS = 16 };
   static uint8_t shadow[ROWS][COLUMNS][6][4];
   uint8_t shades[COLUMNS];
   GLuint colours;
   uint64_t seed = 4;
   context_create(display, EGL_NO_CONTEXT);
   struct target target = target_create(SIZE_PX, SIZE_PX);
   program_create(plain_vertex, plain_fragment);
   const GLuint positions = make_positions();
   glGenBuffers(1, &colours);
   glEnable(GL_SCISSOR_TEST);
   glBindBuffer(GL_ARRAY_BUFFER, colours);
   glBufferData(GL_ARRAY_BUFFER, sizeof(shadow[0]), NULL, GL_STREAM_DRAW);
   for (int row = 0; row < ROWS; row++) {
      for (int i = 0; i < COLUMNS; i++)
         shades[i] = random_below(&seed, 256);
      fill_columns(shadow[row], shades, 0, COLUMNS);
      glBindBuffer(GL_ARRAY_BUFFER, colours);
      if (row % 2)
         glBufferData(GL_ARRAY_BUFFER, sizeof(shadow[0]), NULL, GL_STREAM_DRAW);
      void *map = gl.MapBufferOES(GL_ARRAY_BUFFER, GL_WRITE_ONLY_OES);
      memcpy(map, shadow[row], sizeof(shadow[row]));
      gl.UnmapBufferOES(GL_ARRAY_BUFFER);
      glScissor(0, row * SIZE_PX / ROWS, SIZE_PX, SIZE_PX / ROWS);
      draw_columns(positions, colours);
   }
   uint8_t *pixels = target_read(&target);
   for (int i = 0; i < SIZE_PX * SIZE_PX; i++)
      expect_pixel(&target, pixels, i % SIZE_PX, i / SIZE_PX,
                   shadow[i / SIZE_PX * ROWS / SIZE_PX][i % SIZE_PX][0], 0, "buffer filled again");
   free(pixels);
}

/* After a discard everything still has to be drawn to be there: what is cleared or drawn afterwards
 * counts. */
static void
check_discard(EGLDisplay display)
{
   static const GLenum all[] = { GL_COLOR_ATTACHMENT0, GL_DEPTH_ATTACHMENT, GL_STENCIL_ATTACHMENT };
   static const float green[4] = { 0, 1, 0, 1 }, red[4] = { 1, 0, 0, 1 };
   context_create(display, EGL_NO_CONTEXT);
   need_gl("GL_EXT_discard_framebuffer");
   struct target target = target_create(300, 200);
   program_create(plain_vertex, plain_fragment);
   glEnable(GL_DEPTH_TEST);
   for (int n = 0; n < 8; n++) {
      glClearColor(0, 0, 1, 1);
      glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
      draw_rectangle(-1, -1, 0.3f, 0.4f, 0, green);
      if (n & 1)
         gl.DiscardFramebufferEXT(GL_FRAMEBUFFER, 2, all + 1); /* depth and stencil: colour must stay */
      if (n & 2)
         glFlush();
      if (n & 4) {
         gl.DiscardFramebufferEXT(GL_FRAMEBUFFER, 3, all);
         glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
         draw_rectangle(-1, -1, 0.3f, 0.4f, 0, red);
         gl.DiscardFramebufferEXT(GL_FRAMEBUFFER, 1, all + 1);
      }
      uint8_t *pixels = target_read(&target);
      for (int i = 0; i < 300 * 200; i++) {
         const int x = i % 300, y = i / 300;
         const bool inside = x < 195 && y < 140;
         const uint8_t colour[4] = { inside && n & 4 ? 255 : 0, inside && !(n & 4) ? 255 : 0,
                                     inside ? 0 : 255, 255 };
         expect_pixel(&target, pixels, x, y, colour, 0, "discard");
      }
      free(pixels);
      no_error("discarding");
   }
}

/* A texture of immutable storage has all of its levels and keeps its size. */
static void
check_storage(EGLDisplay display)
{
   GLuint texture;
   GLint immutable = 0;
   static uint8_t texels[4 * 32 * 32];
   context_create(display, EGL_NO_CONTEXT);
   need_gl("GL_EXT_texture_storage");
   struct target target = target_create(SIZE_PX, SIZE_PX);
   program_create(
      "attribute vec4 position, colour; varying highp vec2 at; varying highp float level;\n"
      "void main() { gl_Position = position; at = position.xy * 0.5 + 0.5; level = colour.x; }\n",
      "varying highp vec2 at; varying highp float level; uniform sampler2D image;\n"
      "void main() { gl_FragColor = texture2D(image, at, level); }\n");
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   gl.TexStorage2DEXT(GL_TEXTURE_2D, 6, GL_RGBA8_OES, 32, 32);
   for (int level = 0; level < 6; level++) {
      memset(texels, 40 * level + 10, sizeof(texels));
      glTexSubImage2D(GL_TEXTURE_2D, level, 0, 0, 32 >> level, 32 >> level, GL_RGBA,
                      GL_UNSIGNED_BYTE, texels);
   }
   glGetTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_IMMUTABLE_FORMAT_EXT, &immutable);
   no_error("filling immutable storage");
   if (!immutable)
      die("the storage is not immutable");
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
   for (int level = 0; level < 6; level++) {
      /* Magnified by 2 = level -1; the bias counts from there. */
      const float bias[4] = { level + 1, 0, 0, 0 };
      draw_rectangle(-1, -1, 1, 1, 0, bias);
      uint8_t *pixels = target_read(&target);
      const uint8_t shade = 40 * level + 10, colour[4] = { shade, shade, shade, shade };
      expect_pixel(&target, pixels, 20, 30, colour, 0, "level of immutable storage");
      free(pixels);
   }
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 8, 8, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   if (glGetError() != GL_INVALID_OPERATION)
      die("immutable storage can be replaced");
}

/* GL_BGRA_EXT is an internal format of its own: it goes with its pixel format, and that with no
 * other. */
static void
check_bgra(EGLDisplay display)
{
   static const GLenum formats[2] = { GL_BGRA_EXT, GL_RGBA };
   static const uint8_t blue[4] = { 255, 0, 0, 255 };
   GLuint texture;
   context_create(display, EGL_NO_CONTEXT);
   need_gl("GL_EXT_texture_format_BGRA8888");
   struct target target = target_create(1, 1);
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   for (int i = 0; i < 4; i++) {
      const GLenum wanted = i / 2 == i % 2 ? GL_NO_ERROR : GL_INVALID_OPERATION;
      glTexImage2D(GL_TEXTURE_2D, 0, (GLint)formats[i / 2], 1, 1, 0, formats[i % 2],
                   GL_UNSIGNED_BYTE, blue);
      const GLenum error = glGetError();
      if (error != wanted)
         die("0x%x from 0x%x: error 0x%x, not 0x%x", formats[i / 2], formats[i % 2], error, wanted);
   }
   glTexImage2D(GL_TEXTURE_2D, 0, GL_BGRA_EXT, 1, 1, 0, GL_BGRA_EXT, GL_UNSIGNED_BYTE, blue);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
   uint8_t *pixels = target_read(&target);
   expect_pixel(&target, pixels, 0, 0, (const uint8_t[]){ 0, 0, 255, 255 }, 0, "a texel of BGRA");
   free(pixels);
}

const struct check buffer_checks[] = {
   { "map-buffer-range", check_ranges },
   { "map-buffer", check_whole },
   { "discard-framebuffer", check_discard },
   { "texture-storage", check_storage },
   { "texture-bgra", check_bgra },
   { NULL, NULL },
};
