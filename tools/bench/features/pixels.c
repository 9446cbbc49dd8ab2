/* SPDX-License-Identifier: MIT
 *
 * Fragment operations of a quad over the whole target: blending, depth and stencil, tests and
 * masks, fog; and clears.
 */
#include "features.h"

void
draw_quad(const struct feature *feature, const struct scene *scene)
{
   const GLfloat times = feature->times ? feature->times : 1.0f;
   (void)scene;
   glBegin(GL_TRIANGLE_STRIP);
   for (unsigned corner = 0; corner < 4; corner++) {
      const GLfloat x = (GLfloat)(corner & 1), y = (GLfloat)(corner >> 1);
      glColor4f(x, y, 0.3f, 0.5f);
      glTexCoord3f(x * times, y * times, 0.3f);
      glVertex3f(2 * x - 1, 2 * y - 1, 0.2f);
   }
   glEnd();
}

void
draw_clear(const struct feature *feature, const struct scene *scene)
{
   (void)scene;
   glClear(feature->mode);
}

static void
draw_clear_and_quad(const struct feature *feature, const struct scene *scene)
{
   draw_clear(feature, scene);
   draw_quad(feature, scene);
}

void
draw_clear_and_triangle(const struct feature *feature, const struct scene *scene)
{
   draw_clear(feature, scene);
   glBegin(GL_TRIANGLES);
   glColor4f(0.2f, 0.4f, 0.6f, 0.8f);
   glVertex3f(-0.1f, -0.1f, 0.2f);
   glVertex3f(0.1f, -0.1f, 0.2f);
   glVertex3f(0.0f, 0.1f, 0.2f);
   glEnd();
}

static const char *
set_blend(const struct feature *feature, const struct scene *scene)
{
   (void)scene;
   glBlendColor(0.2f, 0.4f, 0.6f, 0.8f);
   glBlendEquation(feature->blend.equation);
   glBlendFunc(feature->blend.source, feature->blend.destination);
   return NULL;
}

const char *
set_depth(const struct feature *feature, const struct scene *scene)
{
   (void)scene;
   glDepthFunc(feature->mode);
   return NULL;
}

/* Stencil test with function `mode` and reference 0, the initial value; with GL_ALWAYS the stencil
 * is incremented. */
static const char *
set_stencil(const struct feature *feature, const struct scene *scene)
{
   const GLenum operation = feature->mode == GL_ALWAYS ? GL_INCR : GL_KEEP;
   (void)scene;
   glDepthFunc(GL_ALWAYS);
   glStencilFunc(feature->mode, 0, 255);
   glStencilOp(operation, operation, operation);
   return NULL;
}

const char *
set_flat(const struct feature *feature, const struct scene *scene)
{
   (void)feature, (void)scene;
   glShadeModel(GL_FLAT);
   return NULL;
}

static const char *
set_logic_op(const struct feature *feature, const struct scene *scene)
{
   (void)scene;
   glLogicOp(feature->mode);
   return NULL;
}

static const char *
set_mask(const struct feature *feature, const struct scene *scene)
{
   (void)feature, (void)scene;
   glColorMask(GL_TRUE, GL_FALSE, GL_TRUE, GL_TRUE);
   return NULL;
}

static const char *
set_stencil_mask(const struct feature *feature, const struct scene *scene)
{
   (void)feature, (void)scene;
   glStencilMask(0x0f);
   return NULL;
}

/* An alpha test that a third of the fragments fail; with GL_LESS all fail. */
static const char *
set_alpha_test(const struct feature *feature, const struct scene *scene)
{
   (void)scene;
   glAlphaFunc(feature->mode, 0.3f);
   return NULL;
}

static const char *
set_scissor(const struct feature *feature, const struct scene *scene)
{
   (void)feature, (void)scene;
   glScissor(10, 10, 400, 400);
   return NULL;
}

static const char *
set_fog(const struct feature *feature, const struct scene *scene)
{
   (void)scene;
   glFogi(GL_FOG_MODE, (GLint)feature->mode);
   return NULL;
}

static const char *
set_stipple(const struct feature *feature, const struct scene *scene)
{
   (void)feature;
   glPolygonStipple(scene->image);
   return NULL;
}

enum { ALL = GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT };

#define BLEND(name_, equation_, source_, destination_)                                                                              \
   { .name = "blend: " name_, .enable = { GL_BLEND }, .set_up = set_blend, .blend = { equation_, source_, destination_ } }

static const struct feature pixels[] = {
   { .name = "quad: smooth colours" },
   { .name = "quad: one colour", .set_up = set_flat },

   BLEND("source alpha", GL_FUNC_ADD, GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA),
   BLEND("sum", GL_FUNC_ADD, GL_ONE, GL_ONE),
   BLEND("difference", GL_FUNC_REVERSE_SUBTRACT, GL_SRC_ALPHA, GL_ONE),
   BLEND("destination colour", GL_FUNC_ADD, GL_DST_COLOR, GL_ZERO),
   BLEND("constant", GL_FUNC_ADD, GL_CONSTANT_COLOR, GL_ONE_MINUS_SRC_COLOR),
   BLEND("least", GL_MIN, GL_ONE, GL_ONE),
   BLEND("saturated", GL_FUNC_ADD, GL_SRC_ALPHA_SATURATE, GL_DST_ALPHA),

   { .name = "fragments: logic op",
     .enable = { GL_COLOR_LOGIC_OP },
     .set_up = set_logic_op,
     .mode = GL_XOR },
   { .name = "fragments: colour mask", .set_up = set_mask },
   { .name = "fragments: alpha test",
     .enable = { GL_ALPHA_TEST },
     .set_up = set_alpha_test,
     .mode = GL_GREATER },
   { .name = "fragments: scissor", .enable = { GL_SCISSOR_TEST }, .set_up = set_scissor },
   { .name = "fragments: fog, linear", .enable = { GL_FOG }, .set_up = set_fog, .mode = GL_LINEAR },
   { .name = "fragments: fog, exp", .enable = { GL_FOG }, .set_up = set_fog, .mode = GL_EXP },
   { .name = "fragments: polygon stipple",
     .enable = { GL_POLYGON_STIPPLE },
     .set_up = set_stipple },

   { .name = "depth: always", .enable = { GL_DEPTH_TEST }, .set_up = set_depth, .mode = GL_ALWAYS },
   { .name = "depth: less or equal",
     .enable = { GL_DEPTH_TEST },
     .set_up = set_depth,
     .mode = GL_LEQUAL },
   { .name = "depth: never", .enable = { GL_DEPTH_TEST }, .set_up = set_depth, .mode = GL_NEVER },
   { .name = "depth: stencil counts, too", .enable = { GL_DEPTH_TEST, GL_STENCIL_TEST }, .set_up = set_stencil, .mode = GL_ALWAYS },
   { .name = "stencil: counts", .enable = { GL_STENCIL_TEST }, .set_up = set_stencil, .mode = GL_ALWAYS },
   { .name = "stencil: equal", .enable = { GL_STENCIL_TEST }, .set_up = set_stencil, .mode = GL_EQUAL },
   { .name = "stencil: never", .enable = { GL_STENCIL_TEST }, .set_up = set_stencil, .mode = GL_NEVER },

   { .name = "clear: colour", .draw = draw_clear, .mode = GL_COLOR_BUFFER_BIT },
   { .name = "clear: all", .draw = draw_clear, .mode = ALL },
   { .name = "clear: colour in a scissor", .enable = { GL_SCISSOR_TEST }, .set_up = set_scissor, .draw = draw_clear, .mode = GL_COLOR_BUFFER_BIT },
   { .name = "clear: colour under a mask", .set_up = set_mask, .draw = draw_clear, .mode = GL_COLOR_BUFFER_BIT },
   { .name = "clear: stencil under a mask", .set_up = set_stencil_mask, .draw = draw_clear, .mode = GL_STENCIL_BUFFER_BIT },
   { .name = "clear: all, then a triangle", .enable = { GL_DEPTH_TEST }, .draw = draw_clear_and_triangle, .mode = ALL },
   { .name = "clear: depth alone, then a triangle", .enable = { GL_DEPTH_TEST }, .draw = draw_clear_and_triangle, .mode = GL_DEPTH_BUFFER_BIT },
   { .name = "clear: under a mask, then a triangle", .enable = { GL_DEPTH_TEST }, .set_up = set_mask, .draw = draw_clear_and_triangle,
     .mode = GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT },
   { .name = "clear: all, then a quad", .draw = draw_clear_and_quad, .mode = ALL },
};

const struct feature_list features_of_pixels = FEATURE_LIST(pixels);
