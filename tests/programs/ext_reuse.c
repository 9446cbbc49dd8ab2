/* SPDX-License-Identifier: MIT
 *
 * Draws without indices whose vertices repeat: the driver shades equal ones once when it has seen
 * them a few times (counter clipfree-reuses), and only where that cannot be seen. OpenGL 2.1, for
 * what only there can write to a buffer; that all pictures are the same, tests/rules/buffer_reuse.c
 * shows.
 */
#include "extension_checks.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define GL_COPY_READ_BUFFER 0x8f36
#define GL_COPY_WRITE_BUFFER 0x8f37
#define GL_PIXEL_PACK_BUFFER 0x88eb
#define GL_LINE 0x1b01
#define GL_EDGE_FLAG_ARRAY 0x8079

enum { SIZE_PX = 32, SQUARES = 16, VERTICES = 6 * SQUARES * SQUARES, DRAWS = 20 };

struct vertex {
   float position[2];
   uint8_t colour[4];
};

/* Squares that cover the picture, two triangles each; every corner belongs to up to six of them. */
static void
make_squares(struct vertex *v)
{
   static const int corners[6][2] = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 0 }, { 1, 1 }, { 0, 1 } };
   for (int i = 0; i < VERTICES; i++) {
      const int x = i / 6 % SQUARES + corners[i % 6][0], y = i / 6 / SQUARES + corners[i % 6][1];
      v[i].position[0] = x * 2.0f / SQUARES - 1;
      v[i].position[1] = y * 2.0f / SQUARES - 1;
      memcpy(v[i].colour, (uint8_t[]){ (uint8_t)(15 * x), (uint8_t)(15 * y), 0, 255 }, 4);
   }
}

static GLuint
make_buffer(const struct vertex *v)
{
   GLuint buffer;
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   glBufferData(GL_ARRAY_BUFFER, VERTICES * sizeof(*v), v, GL_STATIC_DRAW);
   return buffer;
}

/* The bound buffer's vertices, or those at an address. */
static void
point_at(const struct vertex *v)
{
   glEnableVertexAttribArray(0);
   glEnableVertexAttribArray(1);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, sizeof(*v), v);
   glVertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, sizeof(*v),
                         (const uint8_t *)v + offsetof(struct vertex, colour));
}

/* Positions of one buffer, colours of another. */
static void
point_at_both(GLuint positions, GLuint colours)
{
   glBindBuffer(GL_ARRAY_BUFFER, positions);
   point_at(NULL);
   glBindBuffer(GL_ARRAY_BUFFER, colours);
   glVertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, 0, NULL);
}

static uint64_t
reuses(GLenum mode, int draws)
{
   struct counter counter;
   counter_begin(&counter, "clipfree-reuses");
   for (int i = 0; i < draws; i++)
      glDrawArrays(mode, 0, VERTICES);
   return counter_end(&counter);
}

static void
expect(bool right, const char *what, uint64_t have)
{
   if (!right)
      die("%s: %d of %d draws with equal vertices found", what, (int)have, DRAWS);
}

static EGLContext
begin_shared(EGLDisplay display, EGLContext share)
{
   const EGLContext context = context_create_desktop(display, share);
   target_create(SIZE_PX, SIZE_PX);
   program_create("attribute vec4 position, colour; varying vec4 v;\n"
                  "void main() { gl_Position = position; v = colour; }\n",
                  "varying vec4 v;\n"
                  "void main() { gl_FragColor = v; }\n");
   return context;
}

static EGLContext
begin(EGLDisplay display)
{
   return begin_shared(display, EGL_NO_CONTEXT);
}

/* Found after a few draws, in all of them then; again after a write, later. */
static void
check_found(EGLDisplay display)
{
   static struct vertex v[VERTICES];
   begin(display);
   make_squares(v);
   make_buffer(v);
   point_at(NULL);
   uint64_t have = reuses(GL_TRIANGLES, DRAWS);
   expect(have >= DRAWS / 2 && have < DRAWS, "a mesh", have);
   have = reuses(GL_TRIANGLES, DRAWS);
   expect(have == DRAWS, "the same again", have);
   glBufferSubData(GL_ARRAY_BUFFER, 0, sizeof(v[0]), v);
   have = reuses(GL_TRIANGLES, 1);
   expect(have == 0, "after a write", have);
   have = reuses(GL_TRIANGLES, DRAWS);
   expect(have > 0 && have < DRAWS, "some draws after a write", have);
   have = reuses(GL_POINTS, DRAWS);
   expect(have > 0, "points of the same", have);
}

static void
check_left_alone(EGLDisplay display)
{
   static struct vertex v[VERTICES], different[VERTICES];
   static uint16_t index[VERTICES];
   begin(display);
   make_squares(v);
   point_at(v);
   uint64_t have = reuses(GL_TRIANGLES, DRAWS);
   expect(have == 0, "the application's memory", have);
   make_buffer(v);
   point_at(NULL);
   have = 0;
   for (int i = 0; i < 4 * DRAWS; i++) {
      glBufferSubData(GL_ARRAY_BUFFER, 0, sizeof(v[0]), v);
      have += reuses(GL_TRIANGLES, 1);
   }
   expect(have == 0, "written before each draw", have);
   struct counter counter;
   counter_begin(&counter, "clipfree-reuses");
   for (int i = 0; i < DRAWS; i++)
      glDrawElements(GL_TRIANGLES, VERTICES, GL_UNSIGNED_SHORT, index);
   have = counter_end(&counter);
   expect(have == 0, "with indices", have);
   for (int i = 0; i < VERTICES; i++) {
      different[i] = v[i];
      different[i].position[0] += (float)i * 0x1p-20f;
   }
   make_buffer(different);
   point_at(NULL);
   have = reuses(GL_TRIANGLES, 4 * DRAWS);
   expect(have == 0, "no two equal", have);
}

/* Equal vertices that are far from each other are of no use: the GPU has forgotten the first when
 * the second comes. */
static void
check_far_apart(EGLDisplay display)
{
   enum { TIMES = 8 };
   static struct vertex v[TIMES][VERTICES];
   GLuint buffer;
   begin(display);
   make_squares(v[0]);
   for (int i = 0; i < VERTICES; i++) {
      v[0][i].position[0] += (float)i * 0x1p-20f;
      for (int time = 1; time < TIMES; time++)
         v[time][i] = v[0][i];
   }
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   glBufferData(GL_ARRAY_BUFFER, sizeof(v), v, GL_STATIC_DRAW);
   point_at(NULL);
   struct counter counter;
   counter_begin(&counter, "clipfree-reuses");
   for (int i = 0; i < DRAWS; i++)
      glDrawArrays(GL_TRIANGLES, 0, TIMES * VERTICES);
   const uint64_t have = counter_end(&counter);
   expect(have == 0, "equal vertices far apart", have);
}

/* A mesh of more vertices than are compared in one batch: not found in one, but in several. */
static void
check_large(EGLDisplay display)
{
   enum { TIMES = 32 };
   static struct vertex v[TIMES][VERTICES];
   GLuint buffer;
   struct counter counter;
   begin(display);
   for (int i = 0; i < TIMES; i++)
      make_squares(v[i]);
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   glBufferData(GL_ARRAY_BUFFER, sizeof(v), v, GL_STATIC_DRAW);
   point_at(NULL);
   glFinish();
   counter_begin(&counter, "clipfree-reuses");
   for (int i = 0; i < DRAWS; i++)
      glDrawArrays(GL_TRIANGLES, 0, TIMES * VERTICES);
   uint64_t have = counter_end(&counter);
   expect(have == 0, "a large mesh, in one batch", have);
   glFinish();
   counter_begin(&counter, "clipfree-reuses");
   for (int i = 0; i < DRAWS; i++) {
      glDrawArrays(GL_TRIANGLES, 0, TIMES * VERTICES);
      glFinish();
   }
   have = counter_end(&counter);
   expect(have > 0 && have < DRAWS, "a large mesh, in several batches", have);
}

/* Every other square red or blue: vertices that were equal are not any more. */
static const uint8_t *
striped(int vertex)
{
   static const uint8_t colours[2][4] = { { 0, 0, 255, 255 }, { 255, 0, 0, 255 } };
   return colours[vertex / 6 % 2];
}

/* The frame buffer's first `count` pixels: the stripes' colours of as many vertices. */
static void
draw_striped_pixels(int first, int count)
{
   static struct vertex v[VERTICES];
   for (int i = 0; i < count; i++) {
      v[i].position[0] = (i % SIZE_PX + 0.5f) * 2 / SIZE_PX - 1;
      v[i].position[1] = (i / SIZE_PX + 0.5f) * 2 / SIZE_PX - 1;
      memcpy(v[i].colour, striped(first + i), 4);
   }
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   point_at(v);
   glDrawArrays(GL_POINTS, 0, count);
}

static void
expect_stripes(const struct target *target, const char *when)
{
   uint8_t *pixels = target_read(target);
   for (int y = 0; y < SIZE_PX; y++)
      for (int x = 0; x < SIZE_PX; x++)
         expect_pixel(target, pixels, x, y,
                      striped(6 * (y * SQUARES / SIZE_PX * SQUARES + x * SQUARES / SIZE_PX)), 0,
                      when);
   free(pixels);
}

/* A buffer of squares is bound and pointed at. Returns one of stripes, to be copied there. */
static GLuint
make_copied(GLuint *squares)
{
   static struct vertex v[VERTICES];
   make_squares(v);
   *squares = make_buffer(v);
   for (int i = 0; i < VERTICES; i++)
      memcpy(v[i].colour, striped(i), 4);
   const GLuint stripes = make_buffer(v);
   glBindBuffer(GL_ARRAY_BUFFER, *squares);
   point_at(NULL);
   return stripes;
}

/* Record that the GPU copies all vertices from one buffer to the other. */
static void
copy_vertices(GLuint from, GLuint to)
{
   void (*copy)(GLenum, GLenum, GLintptr, GLintptr, GLsizeiptr) = (void (*)(
      GLenum, GLenum, GLintptr, GLintptr, GLsizeiptr))eglGetProcAddress("glCopyBufferSubData");
   glBindBuffer(GL_COPY_READ_BUFFER, from);
   glBindBuffer(GL_COPY_WRITE_BUFFER, to);
   copy(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0, VERTICES * sizeof(struct vertex));
}

/* Writes that the GPU makes: a copy from another buffer. */
static void
check_copies(EGLDisplay display)
{
   GLuint squares;
   begin(display);
   const GLuint stripes = make_copied(&squares);
   struct target target = target_create(SIZE_PX, SIZE_PX);
   const uint64_t have = reuses(GL_TRIANGLES, DRAWS);
   expect(have > 0, "before a copy", have);
   copy_vertices(stripes, squares);
   glDrawArrays(GL_TRIANGLES, 0, VERTICES);
   expect_stripes(&target, "after a copy to the buffer");
}

struct other_context {
   EGLDisplay display;
   EGLContext share;
   GLuint squares;
};

/* Another context finds the squares' equal vertices, and waits for its draws. */
static void *
draw_squares(void *data)
{
   const struct other_context *other = data;
   const EGLContext context = begin_shared(other->display, other->share);
   glBindBuffer(GL_ARRAY_BUFFER, other->squares);
   point_at(NULL);
   const uint64_t have = reuses(GL_TRIANGLES, DRAWS);
   expect(have > 0, "by another context", have);
   glFinish();
   eglMakeCurrent(other->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
   eglDestroyContext(other->display, context);
   return NULL;
}

/* A copy that is recorded, but not submitted, while another context draws what the buffer holds
 * before: what was found there says nothing of the draw after the copy. (To change contexts in one
 * thread would submit it.) */
static void
check_recorded_copy(EGLDisplay display)
{
   struct other_context other = { .display = display };
   pthread_t thread;
   other.share = begin(display);
   const GLuint stripes = make_copied(&other.squares);
   struct target target = target_create(SIZE_PX, SIZE_PX);
   glFinish();
   copy_vertices(stripes, other.squares);
   pthread_create(&thread, NULL, draw_squares, &other);
   pthread_join(thread, NULL);
   glDrawArrays(GL_TRIANGLES, 0, VERTICES);
   expect_stripes(&target, "after a copy that another context did not see");
}

/* Writes that the GPU makes: pixels that are read back become colours of vertices. */
static void
check_read_pixels(EGLDisplay display)
{
   enum { PIXELS = SIZE_PX * SIZE_PX / 2 };
   static struct vertex v[VERTICES];
   static uint8_t white[VERTICES][4];
   GLuint colours;
   begin(display);
   make_squares(v);
   const GLuint buffer = make_buffer(v);
   memset(white, 255, sizeof(white));
   glGenBuffers(1, &colours);
   glBindBuffer(GL_ARRAY_BUFFER, colours);
   glBufferData(GL_ARRAY_BUFFER, sizeof(white), white, GL_STATIC_DRAW);
   struct target target = target_create(SIZE_PX, SIZE_PX);
   point_at_both(buffer, colours);
   const uint64_t have = reuses(GL_TRIANGLES, DRAWS);
   expect(have > 0, "before reading pixels", have);
   for (int at = 0; at < VERTICES; at += PIXELS) {
      draw_striped_pixels(at, PIXELS);
      glBindBuffer(GL_PIXEL_PACK_BUFFER, colours);
      glReadPixels(0, 0, SIZE_PX, PIXELS / SIZE_PX, GL_RGBA, GL_UNSIGNED_BYTE,
                   (void *)(uintptr_t)(4 * at));
      glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
   }
   point_at_both(buffer, colours);
   glDrawArrays(GL_TRIANGLES, 0, VERTICES);
   expect_stripes(&target, "after pixels were read into the buffer");
}

/* Outlines are the same at the first draw and at the last; vertices that are equal otherwise have
 * different edge flags. */
static void
check_outlines(EGLDisplay display)
{
   static struct vertex v[VERTICES];
   static GLboolean flags[VERTICES];
   uint8_t *first = NULL;
   void (*edge_flag_pointer)(GLsizei, const void *) =
      (void (*)(GLsizei, const void *))eglGetProcAddress("glEdgeFlagPointer");
   void (*enable)(GLenum) = (void (*)(GLenum))eglGetProcAddress("glEnableClientState");
   void (*polygon_mode)(GLenum, GLenum) =
      (void (*)(GLenum, GLenum))eglGetProcAddress("glPolygonMode");
   begin(display);
   make_squares(v);
   make_buffer(v);
   point_at(NULL);
   GLuint flag_buffer;
   for (int i = 0; i < VERTICES; i++)
      flags[i] = i % 7 < 3;
   glGenBuffers(1, &flag_buffer);
   glBindBuffer(GL_ARRAY_BUFFER, flag_buffer);
   glBufferData(GL_ARRAY_BUFFER, sizeof(flags), flags, GL_STATIC_DRAW);
   edge_flag_pointer(0, NULL);
   enable(GL_EDGE_FLAG_ARRAY);
   polygon_mode(GL_FRONT_AND_BACK, GL_LINE);
   for (int i = 0; i < DRAWS; i++) {
      struct target target = target_create(SIZE_PX, SIZE_PX);
      const uint64_t reused = reuses(GL_TRIANGLES, 1);
      uint8_t *pixels = target_read(&target);
      if (first && memcmp(first, pixels, 4 * SIZE_PX * SIZE_PX))
         die("draw %d shows other outlines than the first", i);
      if (i == DRAWS - 1)
         expect(reused == 1, "the last draw", reused);
      if (first)
         free(pixels);
      else
         first = pixels;
      target_delete(&target);
   }
   free(first);
}

/* Resident memory that so many buffers leave, each drawn until it has indices and deleted. */
static long
grown_by_buffers_kB(const struct vertex *v, int count)
{
   const long before_kB = resident_kB();
   for (int i = 0; i < count; i++) {
      GLuint buffer = make_buffer(v);
      point_at(NULL);
      for (int draw = 0; draw < 6; draw++)
         glDrawArrays(GL_TRIANGLES, 0, VERTICES);
      glDeleteBuffers(1, &buffer);
      if (i % 50 == 0)
         glFinish();
   }
   glFinish();
   return resident_kB() - before_kB;
}

/* What was learnt of a buffer goes with it: lists of 800 buffers are 3.2 MB. What comes once is
 * none of theirs (the JIT's compiler, loaded when a thread of its own gets there). */
static void
check_forgotten(EGLDisplay display)
{
   static struct vertex v[VERTICES];
   begin(display);
   make_squares(v);
   glEnable(GL_CULL_FACE); /* vertices alone */
   glCullFace(GL_FRONT_AND_BACK);
   grown_by_buffers_kB(v, 200);
   if (grown_by_buffers_kB(v, 800) > 1500 && grown_by_buffers_kB(v, 800) > 1500)
      die("800 buffers that were drawn and deleted leave more than 1500 kB, each time");
}

const struct check reuse_checks[] = {
   { "reuse-found", check_found },       { "reuse-left-alone", check_left_alone },
   { "reuse-far-apart", check_far_apart }, { "reuse-large", check_large },
   { "reuse-copies", check_copies },     { "reuse-recorded-copy", check_recorded_copy },
   { "reuse-read-pixels", check_read_pixels },
   { "reuse-outlines", check_outlines }, { "reuse-forgotten", check_forgotten },
   { NULL, NULL },
};
