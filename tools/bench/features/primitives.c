/* SPDX-License-Identifier: MIT
 *
 * Many points, lines and triangles of one size, aliased and smooth, and polygon modes.
 */
#include "features.h"

#include <stdbool.h>
#include <stdint.h>

enum { POINTS = 20000, LINES = 2000, TRIANGLES = 20000, LARGE_TRIANGLES = 5000, LARGE_PX = 20, MAX_VERTICES = 3 * TRIANGLES };

/* Number of primitives: fewer if they cover many pixels. */
static int
count(const struct feature *feature)
{
   if (feature->mode == GL_POINTS)
      return POINTS;
   if (feature->mode == GL_LINES)
      return LINES;
   return feature->size < LARGE_PX ? TRIANGLES : LARGE_TRIANGLES;
}

static int
vertices_each(const struct feature *feature)
{
   return feature->mode == GL_POINTS ? 1 : feature->mode == GL_LINES ? 2 : 3;
}

/* A coordinate in [-1, 1). */
static GLfloat
random_place(uint32_t *seed)
{
   *seed = *seed * 1664525u + 1013904223u;
   return (GLfloat)(*seed >> 8) * (2.0f / (1 << 24)) - 1.0f;
}

void
make_primitives(const struct feature *feature)
{
   static GLfloat places[MAX_VERTICES][2];
   const int vertices = count(feature) * vertices_each(feature);
   const GLfloat leg = 2.0f * (GLfloat)feature->size / FEATURE_PX;
   uint32_t seed = 1;
   GLuint buffer;
   for (int i = 0; i < vertices; i++) {
      const int corner = feature->mode == GL_TRIANGLES ? i % 3 : 0;
      places[i][0] =
         corner ? places[i - corner][0] + (corner == 1 ? leg : 0.0f) : random_place(&seed);
      places[i][1] =
         corner ? places[i - corner][1] + (corner == 2 ? leg : 0.0f) : random_place(&seed);
   }
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(sizeof places[0] * (size_t)vertices), places,
                GL_STATIC_DRAW);
}

const char *
set_primitives(const struct feature *feature, const struct scene *scene)
{
   (void)scene;
   make_primitives(feature);
   glEnableClientState(GL_VERTEX_ARRAY);
   glVertexPointer(2, GL_FLOAT, 0, NULL);
   glColor4f(0.3f, 0.6f, 0.9f, 0.5f);
   glPointSize((GLfloat)feature->size);
   glLineWidth((GLfloat)feature->size);
   return NULL;
}

void
draw_primitives(const struct feature *feature, const struct scene *scene)
{
   (void)scene;
   glDrawArrays(feature->mode, 0, count(feature) * vertices_each(feature));
}

/* Whether the enabled kind of smooth primitive has pixels that are covered in part: llvmpipe gives
 * smooth points and polygons hard edges. */
static bool
draws_smooth(const struct feature *feature)
{
   static GLubyte red[FEATURE_PX * FEATURE_PX];
   bool some = false;
   glClear(GL_COLOR_BUFFER_BIT);
   glColor4f(1.0f, 1.0f, 1.0f, 1.0f);
   glBegin(feature->mode);
   glVertex2f(-0.9f, -0.8f);
   glVertex2f(0.8f, -0.7f);
   glVertex2f(-0.7f, 0.9f);
   glEnd();
   glReadPixels(0, 0, FEATURE_PX, FEATURE_PX, GL_RED, GL_UNSIGNED_BYTE, red);
   for (int i = 0; i < FEATURE_PX * FEATURE_PX; i++)
      some = some || (red[i] > 0 && red[i] < 255);
   return some;
}

/* Smooth primitives, blended by their coverage. */
static const char *
set_smooth(const struct feature *feature, const struct scene *scene)
{
   glPointSize((GLfloat)feature->size);
   glLineWidth((GLfloat)feature->size);
   glEnable(GL_BLEND);
   blend_by_alpha();
   if (!draws_smooth(feature))
      return "pixels covered in part";
   return set_primitives(feature, scene);
}

static const char *
set_line_stipple(const struct feature *feature, const struct scene *scene)
{
   glLineStipple(1, 0xf0f0);
   return set_primitives(feature, scene);
}

/* Textured point sprites. */
static const char *
set_sprites(const struct feature *feature, const struct scene *scene)
{
   glTexEnvi(GL_POINT_SPRITE, GL_COORD_REPLACE, GL_TRUE);
   set_texture(feature, scene);
   return set_primitives(feature, scene);
}

/* Triangles drawn as lines. */
static const char *
set_outlines(const struct feature *feature, const struct scene *scene)
{
   glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
   set_primitives(feature, scene);
   glLineWidth(1.0f);
   return NULL;
}

/* Triangles drawn as points. */
static const char *
set_corners(const struct feature *feature, const struct scene *scene)
{
   glPolygonMode(GL_FRONT_AND_BACK, GL_POINT);
   set_primitives(feature, scene);
   glPointSize(1.0f);
   return NULL;
}

#define PRIMITIVES(name_, mode_, size_, set_up_, ...)                                                                               \
   { .name = name_, .mode = mode_, .size = size_, .set_up = set_up_, .draw = draw_primitives, __VA_ARGS__ }

static const struct feature primitives[] = {
   PRIMITIVES("points: 1 px", GL_POINTS, 1, set_primitives),
   PRIMITIVES("points: 8 px", GL_POINTS, 8, set_primitives),
   PRIMITIVES("points: sprites of 8 px", GL_POINTS, 8, set_sprites, .enable = { GL_POINT_SPRITE },
              .image = { .internal = GL_RGBA8, .format = GL_RGBA, .type = GL_UNSIGNED_BYTE },
              .filter = { GL_NEAREST, GL_NEAREST }),
   PRIMITIVES("points: smooth, 6 px", GL_POINTS, 6, set_smooth, .enable = { GL_POINT_SMOOTH }),
   PRIMITIVES("lines: 1 px", GL_LINES, 1, set_primitives),
   PRIMITIVES("lines: 4 px", GL_LINES, 4, set_primitives),
   PRIMITIVES("lines: stippled", GL_LINES, 1, set_line_stipple, .enable = { GL_LINE_STIPPLE }),
   PRIMITIVES("lines: smooth, 1 px", GL_LINES, 1, set_smooth, .enable = { GL_LINE_SMOOTH }),
   PRIMITIVES("lines: smooth, 4 px", GL_LINES, 4, set_smooth, .enable = { GL_LINE_SMOOTH }),
   PRIMITIVES("triangles: 1 px", GL_TRIANGLES, 1, set_primitives),
   PRIMITIVES("triangles: 4 px", GL_TRIANGLES, 4, set_primitives),
   PRIMITIVES("triangles: 30 px", GL_TRIANGLES, 30, set_primitives),
   PRIMITIVES("triangles: smooth, 10 px", GL_TRIANGLES, 10, set_smooth,
              .enable = { GL_POLYGON_SMOOTH }),
   PRIMITIVES("triangles: outlines", GL_TRIANGLES, 20, set_outlines),
   PRIMITIVES("triangles: corners", GL_TRIANGLES, 20, set_corners),
};

const struct feature_list features_of_primitives = FEATURE_LIST(primitives);
