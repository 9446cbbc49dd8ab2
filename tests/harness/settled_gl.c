/* SPDX-License-Identifier: MIT
 *
 * Takes out of a recording what OpenGL leaves open (LD_PRELOAD, before the library that records):
 * what is left, two drivers draw alike. SETTLED_GL has the words of what is taken out; sections are
 * of OpenGL 2.1.
 *
 *   smooth   nothing is smooth. How coverage is computed is left open (3.2).
 *   points   sizes are whole. One of 2.5 is as near to 2 as to 3 (3.3.1).
 *   width    lines are one pixel wide: a wide line's pixels may be others by one, as those of any
 *            line (3.4.1), and llvmpipe cuts it where its middle leaves the picture (2.12).
 *   flat     flat shading: drivers move the ends of lines before they interpolate (3.4.1).
 *   filter   one level of a texture, isotropic. The level of detail may be approximated (3.8.8); an
 *            anisotropic filter is left open (EXT_texture_filter_anisotropic).
 *   texels   no nearest texel: between two, last bits decide (3.8.8). They are interpolated.
 *   place    the picture is moved by parts of a pixel, so that edges, borders of texels and lines
 *            that were meant to lie on pixel centres do not: there the last bits of a vertex decide
 *            (2.1.1, 3.4.1, 3.5.1, 3.8.8).
 *   quads    quads and quad strips of glBegin are triangles: how they are cut, where they are
 *            folded or lit at vertices, is left open (3.5.1).
 *   depth    no depth test: all is painted in order. In one plane last bits decide (2.1.1, 3.5.5).
 *   sums     what is added covers what was there: each layer rounds as it likes (4.1.8).
 *   bits     nothing is drawn by a logic operation on colours, which makes other colours of other
 *            last bits (4.1.10).
 *
 * Limits: what a program calls by name, without a look-up of functions; quads of arrays stay.
 */
#define _GNU_SOURCE
#include <GL/gl.h>
#include <GL/glext.h>
#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Parts of a pixel by which `place` moves the picture: no small fractions, and not one number. */
#define MOVED_X_PX 0.21f
#define MOVED_Y_PX 0.17f

#define NEXT(function) ((__typeof__(&(function)))dlsym(RTLD_NEXT, #function))

/* Whether SETTLED_GL has the word. */
static bool
settles(const char *word)
{
   const char *words = getenv("SETTLED_GL");
   for (const size_t length = strlen(word); words && *words; words += strcspn(words, " ")) {
      words += strspn(words, " ");
      if (strcspn(words, " ") == length && strncmp(words, word, length) == 0)
         return true;
   }
   return false;
}

void
glEnable(GLenum what)
{
   const bool is_smooth =
      what == GL_LINE_SMOOTH || what == GL_POINT_SMOOTH || what == GL_POLYGON_SMOOTH;
   if ((is_smooth && settles("smooth")) || (what == GL_DEPTH_TEST && settles("depth")))
      return;
   if (what == GL_COLOR_LOGIC_OP && settles("bits"))
      NEXT(glColorMask)(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
   else
      NEXT(glEnable)(what);
}

void
glDisable(GLenum what)
{
   if (what == GL_COLOR_LOGIC_OP && settles("bits"))
      NEXT(glColorMask)(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
   NEXT(glDisable)(what);
}

void
glBlendFunc(GLenum source, GLenum destination)
{
   const bool is_sum = destination == GL_ONE && settles("sums");
   NEXT(glBlendFunc)(is_sum ? GL_ONE : source, is_sum ? GL_ZERO : destination);
}

void
glPointSize(GLfloat size_px)
{
   NEXT(glPointSize)(settles("points") ? floorf(size_px + 0.5f) : size_px);
}

void
glLineWidth(GLfloat width_px)
{
   NEXT(glLineWidth)(settles("width") ? 1.0f : width_px);
}

void
glShadeModel(GLenum model)
{
   NEXT(glShadeModel)(settles("flat") ? GL_FLAT : model);
}

void
glTexParameterf(GLenum target, GLenum name, GLfloat value)
{
   if (name != GL_TEXTURE_MAX_ANISOTROPY_EXT || !settles("filter"))
      NEXT(glTexParameterf)(target, name, value);
}

void
glTexParameteri(GLenum target, GLenum name, GLint value)
{
   if (name == GL_TEXTURE_MAX_ANISOTROPY_EXT && settles("filter"))
      return;
   const bool has_levels = name == GL_TEXTURE_MIN_FILTER && value >= GL_NEAREST_MIPMAP_NEAREST;
   const bool is_nearest =
      (name == GL_TEXTURE_MIN_FILTER || name == GL_TEXTURE_MAG_FILTER) && value == GL_NEAREST;
   if ((has_levels && settles("filter")) || (is_nearest && settles("texels")))
      value = GL_LINEAR;
   NEXT(glTexParameteri)(target, name, value);
}

/* The mode of matrices, which glGet does not tell while a display list is made. */
static GLenum matrix_mode = GL_MODELVIEW;

void
glMatrixMode(GLenum mode)
{
   matrix_mode = mode;
   NEXT(glMatrixMode)(mode);
}

void
glLoadIdentity(void)
{
   NEXT(glLoadIdentity)();
   GLint viewport[4] = { 0 };
   if (matrix_mode != GL_PROJECTION || !settles("place"))
      return;
   NEXT(glGetIntegerv)(GL_VIEWPORT, viewport);
   if (viewport[2] > 0 && viewport[3] > 0)
      NEXT(glTranslatef)(2 * MOVED_X_PX / viewport[2], 2 * MOVED_Y_PX / viewport[3], 0);
}

static bool in_quads;
static unsigned vertices_of_quad;

void
glBegin(GLenum mode)
{
   in_quads = mode == GL_QUADS && settles("quads");
   vertices_of_quad = 0;
   if (in_quads)
      mode = GL_TRIANGLE_FAN;
   else if (mode == GL_QUAD_STRIP && settles("quads"))
      mode = GL_TRIANGLE_STRIP;
   NEXT(glBegin)(mode);
}

/* Before each vertex: a quad that has its four ends, and another fan begins. */
static void
count_vertex(void)
{
   if (!in_quads || vertices_of_quad++ < 4)
      return;
   NEXT(glEnd)();
   NEXT(glBegin)(GL_TRIANGLE_FAN);
   vertices_of_quad = 1;
}

void
glVertex2f(GLfloat x, GLfloat y)
{
   count_vertex();
   NEXT(glVertex2f)(x, y);
}

void
glVertex3f(GLfloat x, GLfloat y, GLfloat z)
{
   count_vertex();
   NEXT(glVertex3f)(x, y, z);
}

void
glVertex3fv(const GLfloat *v)
{
   count_vertex();
   NEXT(glVertex3fv)(v);
}
