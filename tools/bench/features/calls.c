/* SPDX-License-Identifier: MIT
 *
 * Many small calls: vertices between glBegin and glEnd and in lists, bitmaps, changes of buffers
 * and frame buffers, queries. Each case makes `size` of them.
 */
#include "features.h"

#include <string.h>

enum { BUFFER_B = 65536, BUFFER_VERTICES = 300, BITMAP_WIDTH_PX = 8, BITMAP_HEIGHT_PX = 13 };

static void
draw_vertices(const struct feature *feature, const struct scene *scene)
{
   (void)scene;
   glBegin(GL_TRIANGLES);
   for (int i = 0; i < feature->size; i++) {
      glColor4f(1.0f, 0.0f, (GLfloat)(i & 1), 1.0f);
      glNormal3f(0.0f, 0.0f, 1.0f);
      glTexCoord2f(0.0f, (GLfloat)i);
      glVertex2f((GLfloat)(i % 7) * 0.01f, (GLfloat)(i % 5) * 0.01f);
   }
   glEnd();
}

static const char *
set_list(const struct feature *feature, const struct scene *scene)
{
   glNewList(1, GL_COMPILE);
   draw_vertices(feature, scene);
   glEndList();
   return NULL;
}

static void
draw_list(const struct feature *feature, const struct scene *scene)
{
   (void)feature, (void)scene;
   glCallList(1);
}

static const char *
set_unpacking(const struct feature *feature, const struct scene *scene)
{
   (void)feature, (void)scene;
   glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
   return NULL;
}

static void
draw_bitmaps(const struct feature *feature, const struct scene *scene)
{
   for (int i = 0; i < feature->size; i++) {
      glRasterPos2f((GLfloat)(i * 37 % 900) / 500.0f - 1.0f,
                    (GLfloat)(i * 91 % 900) / 500.0f - 1.0f);
      glBitmap(BITMAP_WIDTH_PX, BITMAP_HEIGHT_PX, 0.0f, 0.0f, 9.0f, 0.0f,
               (const GLubyte *)scene->image + i);
   }
}

static void
draw_small_triangle(void)
{
   glBegin(GL_TRIANGLES);
   glVertex2f(0.0f, 0.0f);
   glVertex2f(0.1f, 0.0f);
   glVertex2f(0.0f, 0.1f);
   glEnd();
}

static void
draw_switches(const struct feature *feature, const struct scene *scene)
{
   for (int i = 0; i < feature->size; i++) {
      glBindFramebuffer(GL_FRAMEBUFFER, i & 1 ? scene->target : scene->other);
      draw_small_triangle();
   }
}

static void
draw_queries(const struct feature *feature, const struct scene *scene)
{
   GLuint query, samples;
   (void)scene;
   glGenQueries(1, &query);
   for (int i = 0; i < feature->size; i++) {
      glBeginQuery(GL_SAMPLES_PASSED, query);
      draw_small_triangle();
      glEndQuery(GL_SAMPLES_PASSED);
   }
   glGetQueryObjectuiv(query, GL_QUERY_RESULT, &samples);
   glDeleteQueries(1, &query);
}

/* Contents of buffers: all vertices are equal, so that triangles have no area. */
static const GLubyte vertices[BUFFER_B];

static const char *
set_buffer(const struct feature *feature, const struct scene *scene)
{
   GLuint buffer;
   (void)feature, (void)scene;
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   glBufferData(GL_ARRAY_BUFFER, BUFFER_B, vertices, GL_STREAM_DRAW);
   glEnableClientState(GL_VERTEX_ARRAY);
   glVertexPointer(2, GL_SHORT, 0, NULL);
   return NULL;
}

static void
draw_sub_data(const struct feature *feature, const struct scene *scene)
{
   (void)scene;
   for (int i = 0; i < feature->size; i++) {
      glBufferSubData(GL_ARRAY_BUFFER, 0, BUFFER_B, vertices);
      glDrawArrays(GL_TRIANGLES, 0, BUFFER_VERTICES);
   }
}

static void
draw_mapped(const struct feature *feature, const struct scene *scene)
{
   (void)scene;
   for (int i = 0; i < feature->size; i++) {
      memcpy(glMapBuffer(GL_ARRAY_BUFFER, GL_WRITE_ONLY), vertices, BUFFER_B);
      glUnmapBuffer(GL_ARRAY_BUFFER);
      glDrawArrays(GL_TRIANGLES, 0, BUFFER_VERTICES);
   }
}

static void
draw_renewed(const struct feature *feature, const struct scene *scene)
{
   (void)scene;
   for (int i = 0; i < feature->size; i++) {
      glBufferData(GL_ARRAY_BUFFER, BUFFER_B, vertices, GL_STREAM_DRAW);
      glDrawArrays(GL_TRIANGLES, 0, BUFFER_VERTICES);
   }
}

static const struct feature calls[] = {
   { .name = "calls: 30000 vertices", .draw = draw_vertices, .size = 30000 },
   { .name = "calls: 30000 lit vertices", .enable = { GL_LIGHTING, GL_LIGHT0 }, .draw = draw_vertices, .size = 30000 },
   { .name = "calls: a list of 30000 vertices", .set_up = set_list, .draw = draw_list, .size = 30000 },
   { .name = "calls: 2000 bitmaps", .set_up = set_unpacking, .draw = draw_bitmaps, .size = 2000 },
   { .name = "calls: 100 changes of the frame buffer", .draw = draw_switches, .size = 100 },
   { .name = "calls: 20 queries", .draw = draw_queries, .size = 20 },
   { .name = "buffers: 20 times glBufferSubData", .set_up = set_buffer, .draw = draw_sub_data, .size = 20 },
   { .name = "buffers: 20 times glMapBuffer", .set_up = set_buffer, .draw = draw_mapped, .size = 20 },
   { .name = "buffers: 20 times glBufferData", .set_up = set_buffer, .draw = draw_renewed, .size = 20 },
};

const struct feature_list features_of_calls = FEATURE_LIST(calls);
