/* SPDX-License-Identifier: MIT
 *
 * What stands between glBegin and glEnd is one primitive, however it comes: what glDrawArrays draws
 * of it (the vertices' values are all known before) is drawn, bit by bit, by glBegin and by display
 * lists too, where attributes may turn up or grow in its middle, and where vertex buffers end in
 * its middle. Seen by what belongs to primitives as a whole: their outline (GL 2.1 section 3.5.4)
 * and edge flags (2.6.2), the pattern of line stipples (3.4.2), feedback (5.3).
 */
#include "desktop_checks.h"

#include <math.h>
#include <string.h>

#define MAX_VERTICES 12
#define BUFFER_VALUES 4096

/* ---- the primitives ---- */

static const struct primitive {
   const char *name;
   GLenum mode;
   int vertices;
   int fewest; /* vertices of which something is drawn */
} primitives[] = {
   { "GL_POLYGON", GL_POLYGON, 9, 3 },
   { "GL_LINE_STRIP", GL_LINE_STRIP, 9, 2 },
   { "GL_LINE_LOOP", GL_LINE_LOOP, 9, 2 },
   { "GL_LINES", GL_LINES, 10, 2 },
   { "GL_TRIANGLES", GL_TRIANGLES, 9, 3 },
   { "GL_QUADS", GL_QUADS, 8, 4 },
   { "GL_TRIANGLE_STRIP", GL_TRIANGLE_STRIP, 9, 3 },
   { "GL_TRIANGLE_FAN", GL_TRIANGLE_FAN, 9, 3 },
   { "GL_QUAD_STRIP", GL_QUAD_STRIP, 10, 4 },
};

/* What is set first, or with more components, in the middle of the primitive. The last: one after
 * another, each before another vertex, so that there are sections behind the second. */
static const char *const attributes[] = { "glEdgeFlag", "glEdgeFlag(GL_TRUE)", "glColor3", "glColor4", "glVertex4",
                                          "glTexCoord2", "glColor3, glTexCoord2 and glNormal3" };
enum attribute { EDGE_FLAG, EDGE_FLAG_TRUE, COLOR_3, COLOR_4, VERTEX_4, TEX_COORD, SEVERAL };

static const char *const states[] = { "filled",   "GL_LINE",           "GL_POINT",
                                      "stippled", "GL_LINE, stippled", "smooth" };
enum state { FILLED, OUTLINE, CORNERS, STIPPLED, OUTLINE_STIPPLED, SMOOTH };

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* One primitive with something that happens before vertex `at`, or not at all if there is none. */
struct scene {
   const struct primitive *primitive;
   enum attribute attribute;
   int at;
};

/* Vertices lie round the window, in turn far from its centre and nearer to it; no edge through a
 * pixel's centre for its length. */
static void
position(int i, float xy[2])
{
   const double angle = 0.1 + 6.2831853 * i / MAX_VERTICES, radius = i % 2 ? 22.3 : 29.7;
   xy[0] = (float)(32 + radius * cos(angle));
   xy[1] = (float)(32 + radius * sin(angle));
}

/* Outside of glBegin and glEnd: the values that the vertices before `at` have. */
static void
set_current(const struct scene *s)
{
   glEdgeFlag(s->attribute != EDGE_FLAG_TRUE);
   glColor4f(0.25f, 0.5f, 1, 1);
   glTexCoord2f(0, 0);
}

static void
set_attribute(const struct scene *s, int i)
{
   if (s->attribute == COLOR_4 && i == 0)
      glColor3f(0.25f, 0.5f, 1);
   if (i < s->at)
      return;
   if (s->attribute == EDGE_FLAG)
      glEdgeFlag((i - s->at) % 3 == 2);
   if (s->attribute == EDGE_FLAG_TRUE)
      glEdgeFlag(GL_TRUE);
   if (s->attribute == COLOR_3 || s->attribute == SEVERAL)
      glColor3f(1, 0, 0.5f);
   if (s->attribute == COLOR_4)
      glColor4f(1, 0, 0.5f, 0.25f);
   if (s->attribute == TEX_COORD || (s->attribute == SEVERAL && i > s->at))
      glTexCoord2f(1, 0);
   if (s->attribute == SEVERAL && i > s->at + 2)
      glNormal3f(0, 0, 1);
}

/* What stands between glBegin and glEnd. */
static void
give_vertices(const struct scene *s)
{
   for (int i = 0; i < s->primitive->vertices; i++) {
      float xy[2];
      position(i, xy);
      set_attribute(s, i);
      if (s->attribute == VERTEX_4 && i >= s->at)
         glVertex4f(2 * xy[0], 2 * xy[1], 0, 2);
      else
         glVertex2fv(xy);
   }
}

static void
begin_end(const struct scene *s)
{
   glBegin(s->primitive->mode);
   give_vertices(s);
   glEnd();
}

/* ---- the ways to draw it ---- */

static void
draw_arrays(const struct scene *s)
{
   static struct {
      float position[4], color[4], tex_coord[2];
      GLboolean edge;
   } v[MAX_VERTICES];
   for (int i = 0; i < s->primitive->vertices; i++) {
      const bool after = i >= s->at;
      const float w = s->attribute == VERTEX_4 && after ? 2 : 1,
                  alpha = s->attribute == COLOR_4 ? 0.25f : 1;
      const bool colored =
         after && (s->attribute == COLOR_3 || s->attribute == COLOR_4 || s->attribute == SEVERAL);
      float xy[2];
      position(i, xy);
      memcpy(v[i].position, (float[4]){ w * xy[0], w * xy[1], 0, w }, sizeof(v[i].position));
      memcpy(v[i].color,
             colored ? (float[4]){ 1, 0, 0.5f, alpha } : (float[4]){ 0.25f, 0.5f, 1, 1 },
             sizeof(v[i].color));
      v[i].tex_coord[0] = s->attribute == TEX_COORD && after;
      v[i].edge = s->attribute == EDGE_FLAG && after ? (i - s->at) % 3 == 2
                                                     : s->attribute != EDGE_FLAG_TRUE || after;
   }
   glPushClientAttrib(GL_CLIENT_VERTEX_ARRAY_BIT);
   glVertexPointer(4, GL_FLOAT, sizeof(v[0]), v[0].position);
   glColorPointer(4, GL_FLOAT, sizeof(v[0]), v[0].color);
   glTexCoordPointer(2, GL_FLOAT, sizeof(v[0]), v[0].tex_coord);
   glEdgeFlagPointer(sizeof(v[0]), &v[0].edge);
   glEnableClientState(GL_VERTEX_ARRAY);
   glEnableClientState(GL_COLOR_ARRAY);
   glEnableClientState(GL_TEXTURE_COORD_ARRAY);
   glEnableClientState(GL_EDGE_FLAG_ARRAY);
   glDrawArrays(s->primitive->mode, 0, s->primitive->vertices);
   glPopClientAttrib();
}

static void
draw_list(const struct scene *s)
{
   list_begin(LIST_CALLED);
   begin_end(s);
   list_end(LIST_CALLED);
}

static void
draw_while_compiling(const struct scene *s)
{
   list_begin(LIST_WHILE_COMPILED);
   begin_end(s);
   list_end(LIST_WHILE_COMPILED);
}

/* Behind others in its list, some of whose vertices are alike; they show nothing. */
static void
draw_list_late(const struct scene *s)
{
   const float apart[2] = { -50, -50 };
   list_begin(LIST_CALLED);
   for (int k = 0; k < 2; k++) {
      glBegin(GL_QUADS);
      for (int i = 0; i < 8; i++)
         glVertex2fv(apart);
      glEnd();
      glPointSize(1);
   }
   glBegin(s->primitive->mode);
   for (int i = 0; i < s->primitive->vertices; i++)
      glVertex2fv(apart);
   glEnd();
   begin_end(s);
   list_end(LIST_CALLED);
}

/* Its vertices from another list, that is called between glBegin and glEnd. */
static void
draw_nested_list(const struct scene *s)
{
   glNewList(2, GL_COMPILE);
   give_vertices(s);
   glEndList();
   list_begin(LIST_CALLED);
   glBegin(s->primitive->mode);
   glCallList(2);
   glEnd();
   list_end(LIST_CALLED);
}

static const struct way {
   const char *name;
   void (*draw)(const struct scene *);
} ways[] = {
   { "glBegin", begin_end },
   { "a list", draw_list },
   { "a list while it is compiled", draw_while_compiling },
   { "a list after others", draw_list_late },
   { "a list in a list", draw_nested_list },
};

/* ---- pictures ---- */

static void
set_enabled(GLenum capability, bool enabled)
{
   if (enabled)
      glEnable(capability);
   else
      glDisable(capability);
}

static void
set_state(enum state state)
{
   const bool outline = state == OUTLINE || state == OUTLINE_STIPPLED;
   glPolygonMode(GL_FRONT_AND_BACK, outline ? GL_LINE : state == CORNERS ? GL_POINT : GL_FILL);
   glLineStipple(5, 0x3a5f);
   set_enabled(GL_LINE_STIPPLE, state == STIPPLED || state == OUTLINE_STIPPLED);
   set_enabled(GL_LINE_SMOOTH, state == SMOOTH);
   set_enabled(GL_POLYGON_SMOOTH, state == SMOOTH);
}

/* Colours add up, so that what is drawn twice is seen. */
static void
open_picture(void)
{
   window_in_pixels(SIZE_PX, SIZE_PX);
   glEnable(GL_BLEND);
   glBlendFunc(GL_ONE, GL_ONE);
}

static uint8_t *
picture_of(const struct scene *s, void (*draw)(const struct scene *))
{
   glClear(GL_COLOR_BUFFER_BIT);
   set_current(s);
   draw(s);
   return window_read(SIZE_PX, SIZE_PX);
}

static int
compare_pictures(const struct scene *s, enum state state)
{
   int wrong = 0;
   uint8_t *expected = picture_of(s, draw_arrays);
   for (int w = 0; w < COUNT(ways); w++) {
      uint8_t *pixels = picture_of(s, ways[w].draw);
      if (memcmp(pixels, expected, 4 * SIZE_PX * SIZE_PX) != 0) {
         printf("%s, %s, %s first before vertex %d: %s draws something else than glDrawArrays\n",
                s->primitive->name, states[state], attributes[s->attribute], s->at, ways[w].name);
         wrong++;
      }
      free(pixels);
   }
   free(expected);
   return wrong;
}

/* Every primitive in every state: ends the program if comparing them gives a number of
 * differences. */
static void
for_each_primitive(int (*compare)(const struct primitive *, enum state))
{
   int wrong = 0;
   for (int state = 0; state < COUNT(states); state++) {
      set_state(state);
      for (int p = 0; p < COUNT(primitives); p++)
         wrong += compare(&primitives[p], state);
   }
   if (wrong)
      die("%d differences", wrong);
}

/* Each attribute, first given before each vertex, or never. */
static int
for_each_attribute(const struct primitive *primitive, enum state state,
                   int (*compare)(const struct scene *, enum state))
{
   int wrong = 0;
   for (int a = 0; a < COUNT(attributes); a++)
      for (int at = 1; at <= primitive->vertices; at++)
         wrong += compare(&(struct scene){ primitive, (enum attribute)a, at }, state);
   return wrong;
}

static int
compare_attributes(const struct primitive *primitive, enum state state)
{
   return for_each_attribute(primitive, state, compare_pictures);
}

void
check_begin_attributes(void)
{
   open_picture();
   for_each_primitive(compare_attributes);
}

/* ---- primitives that are not complete ----
 * What is missing vertices is not drawn (2.6.1), nor does it change what follows it in a list. */

static void
draw_incomplete(const struct scene *s, int vertices)
{
   glBegin(s->primitive->mode);
   for (int i = 0; i < vertices; i++) {
      float xy[2];
      position(5 * i, xy);
      glVertex2fv(xy);
   }
   glEnd();
}

static int
compare_incomplete(const struct primitive *primitive, enum state state)
{
   const struct scene s = { primitive, COLOR_3, 0 };
   int wrong = 0;
   uint8_t *expected = picture_of(&s, draw_arrays);
   for (int vertices = 1; vertices < primitive->fewest; vertices++)
      for (enum list_use use = LIST_NONE; use <= LIST_WHILE_COMPILED; use++) {
         glClear(GL_COLOR_BUFFER_BIT);
         list_begin(use);
         set_current(&s);
         draw_incomplete(&s, vertices);
         begin_end(&s);
         draw_incomplete(&s, vertices);
         list_end(use);
         uint8_t *pixels = window_read(SIZE_PX, SIZE_PX);
         if (memcmp(pixels, expected, 4 * SIZE_PX * SIZE_PX) != 0) {
            printf("%s, %s,%s: %d vertices, too few, are seen\n", primitive->name, states[state],
                   list_uses[use], vertices);
            wrong++;
         }
         free(pixels);
      }
   free(expected);
   return wrong;
}

void
check_begin_incomplete(void)
{
   open_picture();
   for_each_primitive(compare_incomplete);
}

/* ---- feedback ---- */

static int
feedback_of(const struct scene *s, void (*draw)(const struct scene *),
            GLfloat values[BUFFER_VALUES])
{
   glFeedbackBuffer(BUFFER_VALUES, GL_3D_COLOR, values);
   glRenderMode(GL_FEEDBACK);
   set_current(s);
   draw(s);
   const int count = glRenderMode(GL_RENDER);
   if (count < 0)
      die("%s, feedback: %d values", s->primitive->name, count);
   return count;
}

static int
compare_feedback(const struct scene *s, enum state state)
{
   static GLfloat expected[BUFFER_VALUES], values[BUFFER_VALUES];
   const int count = feedback_of(s, draw_arrays, expected);
   int wrong = 0;
   for (int w = 0; w < COUNT(ways); w++) {
      const int got = feedback_of(s, ways[w].draw, values);
      if (got != count || memcmp(values, expected, sizeof(values[0]) * (size_t)count) != 0) {
         printf("%s, %s, %s first before vertex %d: %s feeds back something else than glDrawArrays (%d values, %d)\n",
                s->primitive->name, states[state], attributes[s->attribute], s->at, ways[w].name, got, count);
         wrong++;
      }
   }
   return wrong;
}

static int
compare_feedbacks(const struct primitive *primitive, enum state state)
{
   return for_each_attribute(primitive, state, compare_feedback);
}

void
check_begin_feedback(void)
{
   window_in_pixels(SIZE_PX, SIZE_PX);
   for_each_primitive(compare_feedbacks);
}

/* ---- the ends of vertex buffers ----
 * Drawn so often that buffers end in all its parts, a primitive has so many times the fragments that it has once. */

#define TIMES 10001

void
check_begin_buffers(void)
{
   static const struct scene scenes[] = { { &primitives[0], EDGE_FLAG, 0 },
                                          { &primitives[0], COLOR_3, 0 },
                                          { &primitives[1], COLOR_3, 0 },
                                          { &primitives[2], COLOR_3, 0 } };
   window_in_pixels(SIZE_PX, SIZE_PX);
   count_fragments();
   for (int i = 0; i < COUNT(scenes); i++)
      for (enum list_use use = LIST_NONE; use <= LIST_WHILE_COMPILED; use++) {
         set_state(i % 2 ? OUTLINE : OUTLINE_STIPPLED);
         set_current(&scenes[i]);
         draw_arrays(&scenes[i]);
         uint8_t *expected = fragment_counts();
         for (int p = 0; p < SIZE_PX * SIZE_PX; p++)
            expected[p] = (uint8_t)(TIMES * expected[p]);
         list_begin(use);
         set_current(&scenes[i]);
         for (int k = 0; k < TIMES; k++)
            begin_end(&scenes[i]);
         list_end(use);
         compare_counts(expected, "%s drawn %d times%s", scenes[i].primitive->name, TIMES,
                        list_uses[use]);
         free(expected);
      }
}
