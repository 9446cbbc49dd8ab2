/* SPDX-License-Identifier: MIT
 *
 * Buffers that change between draws in flight: every way to change them, draws that read them as
 * vertices and as indices. Each draw fills a row of pixels from what the buffer holds then; nothing
 * waits, and all rows are read at the end.
 */
#include "texture_rules.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH_PX = 32, ROWS = 64, ELEMENTS = 96 };
enum { MOST_TAIL_B = 65536 }; /* large buffers are not changed in the same ways as small ones */

static const char vertex_source[] =
   "attribute highp vec2 position; attribute vec4 coordinate; varying vec4 v;\n"
   "uniform highp float row;\n"
   "void main() {\n"
   "   v = coordinate; gl_PointSize = 1.0;\n"
   "   gl_Position = vec4((vec2(position.x, row) + 0.5) / vec2(16.0, 32.0) - 1.0, 0.0, 1.0);\n"
   "}\n";
static const char fragment_source[] = "precision mediump float; varying vec4 v;\n"
                                      "void main() { gl_FragColor = v; }\n";

/* A buffer of colours (four bytes an element) or of indices (two bytes), and what it must hold. */
struct changing {
   GLuint buffer;
   GLenum target;
   int element_B, size_B;
   int tail_B; /* behind what is read and changed */
   uint8_t content[4 * ELEMENTS];
   bool known[4 * ELEMENTS]; /* bytes that are defined */
   bool unread[4 * ELEMENTS]; /* bytes that no draw since the last glFinish can have read */
};

static void
random_bytes(struct rules *r, const struct changing *b, uint8_t *bytes, int size_B)
{
   if (b->target == GL_ARRAY_BUFFER) {
      for (int i = 0; i < size_B; i++)
         bytes[i] = (uint8_t)rules_below(r, 256);
      return;
   }
   for (int i = 0; i < size_B; i += 2) {
      const uint16_t index = (uint16_t)rules_below(r, ELEMENTS);
      memcpy(bytes + i, &index, sizeof(index));
   }
}

/* Bytes first_B..: `bytes` now. */
static void
note(struct changing *b, int first_B, const uint8_t *bytes, int size_B)
{
   memcpy(b->content + first_B, bytes, (size_t)size_B);
   memset(b->known + first_B, true, (size_t)size_B);
}

static void
choose_range(struct rules *r, const struct changing *b, int *first_B, int *size_B)
{
   const int elements = b->size_B / b->element_B, first = rules_between(r, 0, elements - 1);
   *first_B = first * b->element_B;
   *size_B = rules_between(r, 1, elements - first) * b->element_B;
}

/* ------------------------------------------------------------------------------- ways to change */

static void
change_all(struct rules *r, struct changing *b)
{
   static const GLenum usages[] = { GL_STATIC_DRAW, GL_DYNAMIC_DRAW, GL_STREAM_DRAW };
   static uint8_t bytes[4 * ELEMENTS + MOST_TAIL_B];
   random_bytes(r, b, bytes, b->size_B);
   glBufferData(b->target, b->size_B + b->tail_B, bytes, rules_pick(r, usages));
   note(b, 0, bytes, b->size_B);
}

static void
change_range(struct rules *r, struct changing *b, bool orphan)
{
   uint8_t bytes[4 * ELEMENTS];
   int first_B, size_B;
   choose_range(r, b, &first_B, &size_B);
   random_bytes(r, b, bytes, size_B);
   if (orphan) {
      glBufferData(b->target, b->size_B + b->tail_B, NULL, GL_STREAM_DRAW);
      memset(b->known, false, sizeof(b->known));
   }
   glBufferSubData(b->target, first_B, size_B, bytes);
   note(b, first_B, bytes, size_B);
}

static void
change_mapped(struct rules *r, struct changing *b)
{
   int first_B, size_B;
   uint8_t bytes[4 * ELEMENTS];
   choose_range(r, b, &first_B, &size_B);
   random_bytes(r, b, bytes, size_B);
   uint8_t *map = gl_ext()->MapBufferOES(b->target, GL_WRITE_ONLY_OES);
   if (!map)
      rules_fail(r, "glMapBufferOES gives nothing");
   memcpy(map + first_B, bytes, (size_t)size_B);
   if (!gl_ext()->UnmapBufferOES(b->target))
      rules_fail(r, "glUnmapBufferOES says that the contents are lost");
   note(b, first_B, bytes, size_B);
}

/* Writes part of a mapped range, and flushes what was written if GL must be told. */
static void
write_parts(struct rules *r, struct changing *b, uint8_t *map, int first_B, int size_B,
            GLbitfield access)
{
   const int parts = access & GL_MAP_FLUSH_EXPLICIT_BIT_EXT ? rules_between(r, 0, 3) : 1;
   for (int i = 0; i < parts; i++) {
      uint8_t bytes[4 * ELEMENTS];
      const int elements = size_B / b->element_B, from = rules_between(r, 0, elements - 1);
      const int at_B = parts == 1 ? 0 : from * b->element_B;
      const int part_B = parts == 1 ? size_B : rules_between(r, 1, elements - from) * b->element_B;
      random_bytes(r, b, bytes, part_B);
      memcpy(map + at_B, bytes, (size_t)part_B);
      if (access & GL_MAP_FLUSH_EXPLICIT_BIT_EXT)
         gl_ext()->FlushMappedBufferRangeEXT(b->target, at_B, part_B);
      note(b, first_B + at_B, bytes, part_B);
   }
}

/* How many of these bytes no draw reads now, which an unsynchronised map promises; they may have
 * been written before. */
static int
unread_B(struct changing *b, int first_B, int size_B)
{
   if (!b->unread[first_B]) {
      glFinish();
      memset(b->unread, true, sizeof(b->unread));
   }
   for (int i = 0; i < size_B; i += b->element_B)
      if (!b->unread[first_B + i])
         return i;
   return size_B;
}

static void
change_mapped_range(struct rules *r, struct changing *b)
{
   static const GLbitfield more[] = { 0, GL_MAP_INVALIDATE_RANGE_BIT_EXT,
                                      GL_MAP_INVALIDATE_BUFFER_BIT_EXT, GL_MAP_READ_BIT_EXT,
                                      GL_MAP_UNSYNCHRONIZED_BIT_EXT };
   GLbitfield access = GL_MAP_WRITE_BIT_EXT | rules_pick(r, more);
   int first_B, size_B;
   choose_range(r, b, &first_B, &size_B);
   if (!(access & GL_MAP_READ_BIT_EXT) && rules_chance(r, 40))
      access |= GL_MAP_FLUSH_EXPLICIT_BIT_EXT;
   if (access & GL_MAP_UNSYNCHRONIZED_BIT_EXT)
      size_B = unread_B(b, first_B, size_B);
   uint8_t *map = gl_ext()->MapBufferRangeEXT(b->target, first_B, size_B, access);
   if (!map)
      rules_fail(r, "glMapBufferRangeEXT gives nothing");
   if (access & GL_MAP_INVALIDATE_BUFFER_BIT_EXT)
      memset(b->known, false, sizeof(b->known));
   if (access & GL_MAP_INVALIDATE_RANGE_BIT_EXT)
      memset(b->known + first_B, false, (size_t)size_B);
   if (access & GL_MAP_READ_BIT_EXT)
      for (int i = 0; i < size_B; i++)
         if (b->known[first_B + i] && map[i] != b->content[first_B + i])
            rules_fail(r, "byte %d of the mapped buffer is %d, not %d", first_B + i, map[i],
                       b->content[first_B + i]);
   write_parts(r, b, map, first_B, size_B, access);
   if (!gl_ext()->UnmapBufferOES(b->target))
      rules_fail(r, "glUnmapBufferOES says that the contents are lost");
}

static void
change(struct rules *r, struct changing *b)
{
   glBindBuffer(b->target, b->buffer);
   switch (rules_below(r, 8)) {
   case 0:
      change_all(r, b);
      break;
   case 1:
      change_range(r, b, true);
      break;
   case 2:
      if (has_extension("GL_OES_mapbuffer"))
         change_mapped(r, b);
      break;
   case 3:
   case 4:
      if (has_extension("GL_EXT_map_buffer_range"))
         change_mapped_range(r, b);
      break;
   case 5: { /* the name is given back while draws of it are in flight */
      glDeleteBuffers(1, &b->buffer);
      glGenBuffers(1, &b->buffer);
      glBindBuffer(b->target, b->buffer);
      change_all(r, b);
      break;
   }
   default:
      change_range(r, b, false);
   }
}

/* ---------------------------------------------------------------------------------------- draws */

/* A row of points with the colours of elements `first`..., by number or by the index buffer. False:
 * their contents are not known, nothing is drawn. */
static bool
draw_row(struct rules *r, struct changing *colours, struct changing *indices, int row,
         uint8_t expected[WIDTH_PX][4])
{
   static float position[ELEMENTS][2];
   const bool indexed = rules_chance(r, 50);
   const int first = rules_between(r, 0, ELEMENTS - WIDTH_PX);
   int element[WIDTH_PX];
   for (int i = 0; i < WIDTH_PX; i++) {
      element[i] = first + i;
      if (indexed) {
         uint16_t index;
         memcpy(&index, indices->content + 2 * (first + i), sizeof(index));
         element[i] = index;
         if (!indices->known[2 * (first + i)])
            return false;
      }
      for (int c = 0; c < 4; c++)
         if (!colours->known[4 * element[i] + c])
            return false;
   }
   /* the pixel of an element: where the indices lead there, its number */
   for (int i = 0; i < ELEMENTS; i++)
      position[i][0] = (float)(indexed ? i % WIDTH_PX : i - first);
   glUniform1f(0, (float)row);
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, position);
   glBindBuffer(GL_ARRAY_BUFFER, colours->buffer);
   glVertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, 0, NULL);
   memset(expected, 0, WIDTH_PX * sizeof(*expected));
   if (indexed) {
      glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, indices->buffer);
      glDrawElements(GL_POINTS, WIDTH_PX, GL_UNSIGNED_SHORT, (void *)(uintptr_t)(2 * first));
      memset(indices->unread + 2 * first, false, 2 * WIDTH_PX);
   } else {
      glDrawArrays(GL_POINTS, first, WIDTH_PX);
   }
   for (int i = 0; i < WIDTH_PX; i++) {
      memcpy(expected[indexed ? element[i] % WIDTH_PX : i], colours->content + 4 * element[i], 4);
      memset(colours->unread + 4 * element[i], false, 4);
   }
   return true;
}

void
buffer_update(struct rules *r)
{
   static const int exactly[4];
   struct tex_canvas canvas = tex_canvas_create(WIDTH_PX, ROWS);
   const GLuint program = program_link(vertex_source, fragment_source);
   if (glGetUniformLocation(program, "row") != 0)
      die("the only uniform is not at 0");
   glEnableVertexAttribArray(0);
   glEnableVertexAttribArray(1);
   while (rules_next(r)) {
      static uint8_t expected[ROWS][WIDTH_PX][4];
      struct changing colours = { .target = GL_ARRAY_BUFFER, .element_B = 4, .size_B = 4 * ELEMENTS };
      struct changing indices = { .target = GL_ELEMENT_ARRAY_BUFFER, .element_B = 2, .size_B = 2 * ELEMENTS };
      memset(expected, 0, sizeof(expected));
      glClear(GL_COLOR_BUFFER_BIT);
      for (int i = 0; i < 2; i++) {
         static const int tails_B[] = { 0, 1000, MOST_TAIL_B };
         struct changing *b = i ? &indices : &colours;
         b->tail_B = rules_pick(r, tails_B);
         glGenBuffers(1, &b->buffer);
         glBindBuffer(b->target, b->buffer);
         change_all(r, b);
      }
      for (int row = 0; row < ROWS;) {
         for (int n = rules_between(r, 0, 2); n > 0; n--)
            change(r, rules_chance(r, 60) ? &colours : &indices);
         if (draw_row(r, &colours, &indices, row, expected[row])) {
            row++;
         } else {
            struct changing *b = rules_chance(r, 50) ? &colours : &indices;
            glBindBuffer(b->target, b->buffer);
            change_all(r, b);
         }
         if (rules_chance(r, 5))
            glFlush();
      }
      uint8_t *pixels = rules_read(r, WIDTH_PX, ROWS);
      rules_expect(r, WIDTH_PX, ROWS, pixels, expected[0][0], exactly,
                   "a row shows the buffer at the time of its draw");
      free(pixels);
      glDeleteBuffers(1, &colours.buffer);
      glDeleteBuffers(1, &indices.buffer);
   }
   tex_canvas_delete(&canvas);
}
