/* SPDX-License-Identifier: MIT
 *
 * Meshes that repeat their vertices and are drawn again and again without indices, from buffers
 * that change now and then in every way there is: a driver may learn which vertices are equal and
 * shade them once, and must notice each change. The same draws from the application's memory, of
 * which nothing can be learnt, say what should be seen.
 */
#include "texture_rules.h"

#include <stdlib.h>
#include <string.h>

enum { CELL_PX = 16, CELLS = 8, SIZE_PX = CELL_PX * CELLS, MOST_VERTICES = 300, BUFFERS = 3 };

static const char vertex_source[] =
   "attribute highp vec4 position; attribute vec4 colour; attribute vec4 tint;\n"
   "uniform highp vec2 cell; varying vec4 v;\n"
   "void main() {\n"
   "   v = colour * tint; gl_PointSize = 3.0;\n"
   "   gl_Position = vec4((position.xy + cell) / 4.0, position.zw);\n"
   "}\n";
static const char fragment_source[] = "precision mediump float; varying vec4 v;\n"
                                      "void main() { gl_FragColor = v; }\n";

struct vertex {
   float position[2];
   uint8_t colour[4];
};

/* Buffers of one mesh: interleaved, or positions and colours apart; `other` has the size of the
 * first and is bound in its place for some draws. */
struct mesh {
   bool interleaved;
   int gap_B; /* between the buffers' elements */
   int vertices;
   GLuint buffer[BUFFERS];
   struct vertex content[BUFFERS][MOST_VERTICES]; /* apart: positions of 0 and 2, colours of 1 */
   EGLContext other_context;
};

static struct vertex
random_vertex(struct rules *r, bool repeats)
{
   struct vertex v;
   const int steps = repeats ? 1 : 60;
   for (int i = 0; i < 2; i++)
      v.position[i] = (float)rules_between(r, -steps, steps) / (float)steps;
   for (int i = 0; i < 4; i++)
      v.colour[i] = repeats ? (i < 2 ? (uint8_t)(255 * rules_below(r, 2)) : 255)
                            : (uint8_t)rules_below(r, 256);
   return v;
}

/* ------------------------------------------------------------------------------- ways to change */

static int
element_B(const struct mesh *m, int which)
{
   return m->interleaved ? (int)sizeof(struct vertex) : which == 1 ? 4 : 8;
}

static int
stride_B(const struct mesh *m, int which)
{
   return element_B(m, which) + m->gap_B;
}

/* What GL holds of vertices first.. of a buffer. */
static void
pack(const struct mesh *m, int which, int first, int count, uint8_t *bytes)
{
   for (int i = 0; i < count; i++) {
      const struct vertex *v = &m->content[which][first + i];
      const void *source = m->interleaved ? (const void *)v
                           : which == 1   ? (const void *)v->colour
                                          : v->position;
      memcpy(bytes + i * stride_B(m, which), source, (size_t)element_B(m, which));
   }
}

static void
write_range(struct rules *r, struct mesh *m, int which, int first, int count, bool whole)
{
   const int at_B = first * stride_B(m, which), length_B = count * stride_B(m, which);
   uint8_t *bytes = calloc(1, (size_t)length_B);
   pack(m, which, first, count, bytes);
   glBindBuffer(GL_ARRAY_BUFFER, m->buffer[which]);
   const uint32_t way = rules_below(r, whole ? 6 : 5);
   if (way == 5) {
      glBufferData(GL_ARRAY_BUFFER, length_B, bytes, GL_STATIC_DRAW);
   } else if (way == 4 && whole) { /* orphaned */
      glBufferData(GL_ARRAY_BUFFER, length_B, NULL, GL_STREAM_DRAW);
      glBufferSubData(GL_ARRAY_BUFFER, 0, length_B, bytes);
   } else if (way == 3 && has_extension("GL_OES_mapbuffer")) {
      uint8_t *map = gl_ext()->MapBufferOES(GL_ARRAY_BUFFER, GL_WRITE_ONLY_OES);
      memcpy(map + at_B, bytes, (size_t)length_B);
      gl_ext()->UnmapBufferOES(GL_ARRAY_BUFFER);
   } else if (way >= 1 && has_extension("GL_EXT_map_buffer_range")) {
      const bool unsynchronised = way == 2, flushes = rules_chance(r, 50);
      if (unsynchronised)
         glFinish();
      uint8_t *map = gl_ext()->MapBufferRangeEXT(
         GL_ARRAY_BUFFER, at_B, length_B,
         GL_MAP_WRITE_BIT_EXT |
            (unsynchronised ? GL_MAP_UNSYNCHRONIZED_BIT_EXT : GL_MAP_INVALIDATE_RANGE_BIT_EXT) |
            (flushes ? GL_MAP_FLUSH_EXPLICIT_BIT_EXT : 0));
      memcpy(map, bytes, (size_t)length_B);
      if (flushes)
         gl_ext()->FlushMappedBufferRangeEXT(GL_ARRAY_BUFFER, 0, length_B);
      gl_ext()->UnmapBufferOES(GL_ARRAY_BUFFER);
   } else {
      glBufferSubData(GL_ARRAY_BUFFER, at_B, length_B, bytes);
   }
   free(bytes);
}

/* The same from a context that shares the buffers, whose changes are seen here once they are
 * complete and the buffer is bound again (as each draw does). */
static void
write_elsewhere(struct rules *r, struct mesh *m, int which, int first, int count)
{
   const EGLDisplay display = eglGetCurrentDisplay();
   const EGLSurface surface = eglGetCurrentSurface(EGL_DRAW);
   const EGLContext context = eglGetCurrentContext();
   glFinish();
   make_current(display, EGL_NO_SURFACE, m->other_context);
   write_range(r, m, which, first, count, false);
   glFinish();
   make_current(display, surface, context);
}

static void
change(struct rules *r, struct mesh *m)
{
   const int which = rules_between(r, 0, BUFFERS - 1);
   const bool whole = rules_chance(r, 30), repeats = rules_chance(r, 85);
   const int first = whole ? 0 : rules_between(r, 0, m->vertices - 1);
   const int count = whole ? m->vertices : rules_between(r, 1, m->vertices - first);
   for (int i = first; i < first + count; i++)
      m->content[which][i] = random_vertex(r, repeats);
   if (whole && rules_chance(r, 30)) { /* the name is given back, and perhaps given out again */
      glDeleteBuffers(1, &m->buffer[which]);
      glGenBuffers(1, &m->buffer[which]);
      glBindBuffer(GL_ARRAY_BUFFER, m->buffer[which]);
      glBufferData(GL_ARRAY_BUFFER, m->vertices * stride_B(m, which), NULL, GL_STATIC_DRAW);
   }
   if (rules_chance(r, 25))
      write_elsewhere(r, m, which, first, count);
   else
      write_range(r, m, which, first, count, whole);
}

/* ---------------------------------------------------------------------------------------- draws */

struct shown {
   GLenum mode;
   int first, count, instances;
   int positions;           /* the buffer of positions: 0 or 2 */
   const float *tint;       /* of all vertices; NULL: of instances */
   float cell[2];
};

static void
point_at_memory(const struct mesh *m, const struct shown *s)
{
   const int colours = m->interleaved ? s->positions : 1;
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, sizeof(struct vertex),
                         m->content[s->positions][0].position);
   glVertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, sizeof(struct vertex),
                         m->content[colours][0].colour);
}

static void
point_at_buffers(const struct mesh *m, const struct shown *s)
{
   glBindBuffer(GL_ARRAY_BUFFER, m->buffer[s->positions]);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, stride_B(m, 0), NULL);
   glBindBuffer(GL_ARRAY_BUFFER, m->buffer[m->interleaved ? s->positions : 1]);
   glVertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, stride_B(m, 1),
                         (void *)(uintptr_t)(m->interleaved ? offsetof(struct vertex, colour) : 0));
}

static void
show(const struct shown *s)
{
   static const uint8_t tints[2][4] = { { 255, 255, 0, 255 }, { 0, 255, 255, 255 } };
   glUniform2fv(0, 1, s->cell);
   if (s->tint) {
      glDisableVertexAttribArray(2);
      glVertexAttrib4fv(2, s->tint);
   } else {
      glBindBuffer(GL_ARRAY_BUFFER, 0);
      glEnableVertexAttribArray(2);
      glVertexAttribPointer(2, 4, GL_UNSIGNED_BYTE, GL_TRUE, 0, tints);
   }
   if (s->instances > 1)
      gl_ext()->DrawArraysInstancedEXT(s->mode, s->first, s->count, s->instances);
   else
      glDrawArrays(s->mode, s->first, s->count);
}

static struct shown
random_draw(struct rules *r, const struct mesh *m)
{
   static const GLenum modes[] = { GL_TRIANGLES,      GL_TRIANGLES,    GL_TRIANGLES,
                                   GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN, GL_LINES,
                                   GL_LINE_STRIP,     GL_LINE_LOOP,    GL_POINTS };
   static const float tints[2][4] = { { 1, 1, 1, 1 }, { 0.5f, 0.25f, 1, 1 } };
   struct shown s = {
      .mode = rules_pick(r, modes), .count = m->vertices, .instances = 1, .tint = tints[0]
   };
   if (rules_chance(r, 30)) {
      s.first = rules_between(r, 0, m->vertices / 4);
      s.count = m->vertices - s.first - rules_between(r, 0, 20);
   }
   if (rules_chance(r, 20))
      s.positions = 2;
   if (rules_chance(r, 20))
      s.tint = tints[1];
   if (rules_chance(r, 10) && has_extension("GL_EXT_draw_instanced"))
      s.instances = 2;
   return s;
}

static void
create_mesh(struct rules *r, struct mesh *m)
{
   static const int wide_B[] = { 65535, 65536, 65544, 100000 };
   m->interleaved = rules_chance(r, 50);
   m->vertices = rules_between(r, r->n % 4 ? 100 : 60, MOST_VERTICES);
   m->gap_B = 0;
   if (r->n % 8 == 5) { /* strides near and beyond 16 bits, which OpenGL allows before 4.4 */
      m->vertices = rules_between(r, 64, 90);
      m->gap_B = rules_pick(r, wide_B) - element_B(m, 0);
   }
   glGenBuffers(BUFFERS, m->buffer);
   for (int which = 0; which < BUFFERS; which++) {
      for (int i = 0; i < m->vertices; i++)
         m->content[which][i] = random_vertex(r, true);
      glBindBuffer(GL_ARRAY_BUFFER, m->buffer[which]);
      glBufferData(GL_ARRAY_BUFFER, m->vertices * stride_B(m, which), NULL, GL_STATIC_DRAW);
      write_range(r, m, which, 0, m->vertices, true);
   }
}

void
buffer_reuse(struct rules *r)
{
   static const int exactly[4];
   static struct mesh m;
   struct tex_canvas buffers = tex_canvas_create(SIZE_PX, SIZE_PX),
                     memory = tex_canvas_create(SIZE_PX, SIZE_PX);
   const GLuint program = program_link_attributes(
      vertex_source, fragment_source, (const char *[]){ "position", "colour", "tint", NULL });
   if (glGetUniformLocation(program, "cell") != 0)
      die("the only uniform is not at 0");
   const EGLContext context = eglGetCurrentContext();
   m.other_context = context_create(eglGetCurrentDisplay(), context);
   make_current(eglGetCurrentDisplay(), EGL_NO_SURFACE, context);
   glEnableVertexAttribArray(0);
   glEnableVertexAttribArray(1);
   glLineWidth(2.0f);
   while (rules_next(r)) {
      create_mesh(r, &m);
      tex_canvas_bind(&buffers);
      glClear(GL_COLOR_BUFFER_BIT);
      tex_canvas_bind(&memory);
      glClear(GL_COLOR_BUFFER_BIT);
      struct shown s = random_draw(r, &m);
      for (int cell = 0; cell < CELLS * CELLS; cell++) {
         if (rules_chance(r, 8))
            s = random_draw(r, &m);
         if (rules_chance(r, 8))
            change(r, &m);
         s.cell[0] = (float)(cell % CELLS) - 3.5f;
         s.cell[1] = (float)(cell / CELLS) - 3.5f;
         tex_canvas_bind(&buffers);
         point_at_buffers(&m, &s);
         show(&s);
         tex_canvas_bind(&memory);
         point_at_memory(&m, &s);
         show(&s);
         if (rules_chance(r, 5))
            glFlush();
      }
      uint8_t *expected = rules_read(r, SIZE_PX, SIZE_PX);
      tex_canvas_bind(&buffers);
      uint8_t *pixels = rules_read(r, SIZE_PX, SIZE_PX);
      rules_expect(r, SIZE_PX, SIZE_PX, pixels, expected, exactly,
                   "buffers show the same as the application's memory");
      free(pixels);
      free(expected);
      glDeleteBuffers(BUFFERS, m.buffer);
   }
   eglDestroyContext(eglGetCurrentDisplay(), m.other_context);
   tex_canvas_delete(&buffers);
   tex_canvas_delete(&memory);
}
