/* SPDX-License-Identifier: MIT
 *
 * The cost of OpenGL 1 style draws, and of draws from buffers that change before each: meshes
 * between glBegin and glEnd, display lists of few vertices with changes of matrices or sizes
 * between them, and glBufferSubData, glMapBuffer and glBufferData before each draw. Prints the same
 * columns as draw_cost; no window.
 *
 *    immediate_cost [frames [kind]]
 */
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

#include "cost.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { SIZE_PX = 512, STRIP = 42, LINES = 64, POINTS = 83, BOX = 24, GRID = 40 };
enum { LIST_POINTS = 1, LIST_BOX, LIST_STRIP };
enum { BUFFER_VERTICES = 96, BUFFER_FLOATS = 3 * BUFFER_VERTICES, PIECES = 16 };

struct immediate_scene {
   GLfloat corners[BUFFER_FLOATS]; /* of small triangles */
};

/* Translate to one of many positions. */
static void
place(int i)
{
   glLoadIdentity();
   glTranslatef((GLfloat)(i % GRID) * 2.0f / GRID - 1.0f,
                (GLfloat)(i / GRID % GRID) * 2.0f / GRID - 1.0f, 0.0f);
}

/* ---- pieces ---- */

/* A strip around an axis. */
static void
draw_strip(void)
{
   glBegin(GL_TRIANGLE_STRIP);
   for (int i = 0; i < STRIP; i++) {
      const GLfloat angle = (GLfloat)(i / 2) * 0.314159f;
      glNormal3f(cosf(angle), 0.0f, sinf(angle));
      glVertex3f(cosf(angle) * 0.02f, (GLfloat)(i % 2) * 0.05f, sinf(angle) * 0.02f);
   }
   glEnd();
}

static void
draw_box(void)
{
   glBegin(GL_QUADS);
   for (int i = 0; i < BOX; i++) {
      const int face = i / 4, axis = face / 2, corner = i % 4 ^ i % 4 >> 1;
      GLfloat p[3], n[3] = { 0 };
      p[axis] = face % 2 ? 0.02f : -0.02f;
      p[(axis + 1) % 3] = corner & 1 ? 0.02f : -0.02f;
      p[(axis + 2) % 3] = corner & 2 ? 0.02f : -0.02f;
      n[axis] = face % 2 ? 1.0f : -1.0f;
      glNormal3fv(n);
      glVertex3fv(p);
   }
   glEnd();
}

static void
draw_points(void)
{
   glBegin(GL_POINTS);
   for (int i = 0; i < POINTS; i++)
      glVertex2f((GLfloat)(i % 9) * 0.005f, (GLfloat)(i / 9) * 0.005f);
   glEnd();
}

static void
make_list(GLuint list, void (*draw)(void))
{
   glNewList(list, GL_COMPILE);
   draw();
   glEndList();
}

/* ---- between glBegin and glEnd, and in lists ---- */

static void
draw_lit_strips(const struct cost_kind *kind, const void *scene)
{
   (void)scene;
   glEnable(GL_LIGHTING);
   for (int i = 0; i < kind->draws; i++) {
      place(i);
      draw_strip();
   }
   glDisable(GL_LIGHTING);
}

static void
draw_line_strips(const struct cost_kind *kind, const void *scene)
{
   (void)scene;
   glLoadIdentity();
   for (int i = 0; i < kind->draws; i++) {
      glBegin(GL_LINE_STRIP);
      for (int k = 0; k < LINES; k++) {
         glColor3f((GLfloat)k / LINES, 0.5f, 1.0f);
         glVertex2f((GLfloat)k * 2.0f / LINES - 1.0f,
                    (GLfloat)(i % SIZE_PX + k % 2) * 2.0f / SIZE_PX - 1.0f);
      }
      glEnd();
   }
}

static void
call_lists(const struct cost_kind *kind, GLuint list)
{
   for (int i = 0; i < kind->draws; i++) {
      place(i);
      glCallList(list);
   }
}

static void
call_boxes(const struct cost_kind *kind, const void *scene)
{
   (void)scene;
   call_lists(kind, LIST_BOX);
}

static void
call_lit_strips(const struct cost_kind *kind, const void *scene)
{
   (void)scene;
   glEnable(GL_LIGHTING);
   call_lists(kind, LIST_STRIP);
   glDisable(GL_LIGHTING);
}

static void
call_points(const struct cost_kind *kind, const void *scene)
{
   (void)scene;
   glLoadIdentity();
   for (int i = 0; i < kind->draws; i++) {
      glPointSize((GLfloat)(1 + i % 3));
      glCallList(LIST_POINTS);
   }
}

/* ---- buffers that change ---- */

static void
replace_all(const struct immediate_scene *scene, int i)
{
   (void)i;
   glBufferSubData(GL_ARRAY_BUFFER, 0, sizeof scene->corners, scene->corners);
}

static void
replace_part(const struct immediate_scene *scene, int i)
{
   const size_t piece_B = sizeof scene->corners / PIECES, at_B = (size_t)(i % PIECES) * piece_B;
   glBufferSubData(GL_ARRAY_BUFFER, (GLintptr)at_B, (GLsizeiptr)piece_B,
                   (const char *)scene->corners + at_B);
}

static void
write_mapped(const struct immediate_scene *scene, int i)
{
   (void)i;
   memcpy(glMapBuffer(GL_ARRAY_BUFFER, GL_WRITE_ONLY), scene->corners, sizeof scene->corners);
   glUnmapBuffer(GL_ARRAY_BUFFER);
}

/* Orphan the buffer: new memory, while earlier draws still read the old. */
static void
orphan(const struct immediate_scene *scene, int i)
{
   glBufferData(GL_ARRAY_BUFFER, sizeof scene->corners, NULL, GL_STREAM_DRAW);
   replace_all(scene, i);
}

struct immediate_change {
   void (*change)(const struct immediate_scene *scene, int i);
};

static void
draw_changed(const struct cost_kind *kind, const void *scene)
{
   const struct immediate_change *change = kind->what;
   GLuint buffer;
   glLoadIdentity();
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   glBufferData(GL_ARRAY_BUFFER, sizeof(((const struct immediate_scene *)scene)->corners), NULL,
                GL_STREAM_DRAW);
   replace_all(scene, 0);
   glEnableClientState(GL_VERTEX_ARRAY);
   glVertexPointer(3, GL_FLOAT, 0, NULL);
   for (int i = 0; i < kind->draws; i++) {
      change->change(scene, i);
      glDrawArrays(GL_TRIANGLES, 0, BUFFER_VERTICES);
   }
   glDisableClientState(GL_VERTEX_ARRAY);
   glDeleteBuffers(1, &buffer);
}

#define BUFFER(name_, change_)                                                                     \
   {                                                                                               \
      .name = name_, .draws = 2000, .draw = draw_changed, .what = &(const struct immediate_change) \
      {                                                                                            \
         change_                                                                                   \
      }                                                                                            \
   }

static const struct cost_kind kinds[] = {
   { .name = "lit strips of 42 vertices", .draws = 2000, .draw = draw_lit_strips },
   { .name = "strips of 63 lines", .draws = 2000, .draw = draw_line_strips },
   { .name = "lists: boxes", .draws = 5000, .draw = call_boxes },
   { .name = "lists: lit strips", .draws = 2000, .draw = call_lit_strips },
   { .name = "lists: points of other sizes", .draws = 5000, .draw = call_points },
   BUFFER("buffers: all replaced", replace_all),
   BUFFER("buffers: a part replaced", replace_part),
   BUFFER("buffers: mapped", write_mapped),
   BUFFER("buffers: orphaned", orphan),
};

static void
set_up(struct immediate_scene *scene)
{
   cost_target(SIZE_PX);
   glEnable(GL_DEPTH_TEST);
   glEnable(GL_LIGHT0);
   glEnable(GL_COLOR_MATERIAL);
   make_list(LIST_POINTS, draw_points);
   make_list(LIST_BOX, draw_box);
   make_list(LIST_STRIP, draw_strip);
   for (int i = 0; i < BUFFER_VERTICES; i++) {
      scene->corners[3 * i] = (GLfloat)(i / 3) * 0.05f - 0.9f + (i % 3 == 1 ? 0.02f : 0.0f);
      scene->corners[3 * i + 1] = i % 3 == 2 ? 0.02f : 0.0f;
      scene->corners[3 * i + 2] = 0.0f;
   }
}

int
main(int argc, char **argv)
{
   struct immediate_scene scene;
   cost_context(COST_DESKTOP);
   set_up(&scene);
   cost_draws(argc, argv, "drawn, or changed before", kinds, sizeof kinds / sizeof kinds[0],
              &scene);
   return 0;
}
