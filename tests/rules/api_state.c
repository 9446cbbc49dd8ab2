/* SPDX-License-Identifier: MIT
 *
 * State of OpenGL ES 2.0: what it is at first (chapter 6's tables), and what the queries of all
 * types give back, converted by the rules of section 6.1.2, after it was set to random values.
 */
#include "api_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_PX 4

/* How a float becomes an integer: colours, depths and such cover all integers, other numbers are
 * rounded. */
enum number { WHOLE, TRUTH, SWITCH /* a truth of glEnable and glDisable */, REAL, UNIT /* [-1, 1] */ };

struct state {
   GLenum name;
   const char *text;
   enum number number;
   int count;
   double first[4];
};

#define S(name, number, count, ...) { name, #name, number, count, { __VA_ARGS__ } }

static const struct state states[] = {
   S(GL_ARRAY_BUFFER_BINDING, WHOLE, 1, 0), S(GL_ELEMENT_ARRAY_BUFFER_BINDING, WHOLE, 1, 0), S(GL_DEPTH_RANGE, UNIT, 2, 0, 1),
   S(GL_LINE_WIDTH, REAL, 1, 1), S(GL_CULL_FACE, SWITCH, 1, 0), S(GL_CULL_FACE_MODE, WHOLE, 1, GL_BACK),
   S(GL_FRONT_FACE, WHOLE, 1, GL_CCW), S(GL_POLYGON_OFFSET_FACTOR, REAL, 1, 0), S(GL_POLYGON_OFFSET_UNITS, REAL, 1, 0),
   S(GL_POLYGON_OFFSET_FILL, SWITCH, 1, 0), S(GL_SAMPLE_ALPHA_TO_COVERAGE, SWITCH, 1, 0), S(GL_SAMPLE_COVERAGE, SWITCH, 1, 0),
   S(GL_SAMPLE_COVERAGE_VALUE, REAL, 1, 1), S(GL_SAMPLE_COVERAGE_INVERT, TRUTH, 1, 0),
   S(GL_TEXTURE_BINDING_2D, WHOLE, 1, 0), S(GL_TEXTURE_BINDING_CUBE_MAP, WHOLE, 1, 0),
   S(GL_ACTIVE_TEXTURE, WHOLE, 1, GL_TEXTURE0), S(GL_SCISSOR_TEST, SWITCH, 1, 0), S(GL_STENCIL_TEST, SWITCH, 1, 0),
   S(GL_STENCIL_FUNC, WHOLE, 1, GL_ALWAYS), S(GL_STENCIL_REF, WHOLE, 1, 0),
   S(GL_STENCIL_FAIL, WHOLE, 1, GL_KEEP), S(GL_STENCIL_PASS_DEPTH_FAIL, WHOLE, 1, GL_KEEP),
   S(GL_STENCIL_PASS_DEPTH_PASS, WHOLE, 1, GL_KEEP), S(GL_STENCIL_BACK_FUNC, WHOLE, 1, GL_ALWAYS),
   S(GL_STENCIL_BACK_REF, WHOLE, 1, 0), S(GL_STENCIL_BACK_FAIL, WHOLE, 1, GL_KEEP),
   S(GL_STENCIL_BACK_PASS_DEPTH_FAIL, WHOLE, 1, GL_KEEP), S(GL_STENCIL_BACK_PASS_DEPTH_PASS, WHOLE, 1, GL_KEEP),
   S(GL_DEPTH_TEST, SWITCH, 1, 0), S(GL_DEPTH_FUNC, WHOLE, 1, GL_LESS), S(GL_BLEND, SWITCH, 1, 0),
   S(GL_BLEND_SRC_RGB, WHOLE, 1, GL_ONE), S(GL_BLEND_SRC_ALPHA, WHOLE, 1, GL_ONE), S(GL_BLEND_DST_RGB, WHOLE, 1, GL_ZERO),
   S(GL_BLEND_DST_ALPHA, WHOLE, 1, GL_ZERO), S(GL_BLEND_EQUATION_RGB, WHOLE, 1, GL_FUNC_ADD),
   S(GL_BLEND_EQUATION_ALPHA, WHOLE, 1, GL_FUNC_ADD), S(GL_BLEND_COLOR, UNIT, 4, 0, 0, 0, 0), S(GL_DITHER, SWITCH, 1, 1),
   S(GL_COLOR_WRITEMASK, TRUTH, 4, 1, 1, 1, 1), S(GL_DEPTH_WRITEMASK, TRUTH, 1, 1),
   S(GL_COLOR_CLEAR_VALUE, UNIT, 4, 0, 0, 0, 0),
   S(GL_DEPTH_CLEAR_VALUE, UNIT, 1, 1), S(GL_STENCIL_CLEAR_VALUE, WHOLE, 1, 0), S(GL_FRAMEBUFFER_BINDING, WHOLE, 1, 0),
   S(GL_RENDERBUFFER_BINDING, WHOLE, 1, 0), S(GL_UNPACK_ALIGNMENT, WHOLE, 1, 4), S(GL_PACK_ALIGNMENT, WHOLE, 1, 4),
   S(GL_CURRENT_PROGRAM, WHOLE, 1, 0), S(GL_GENERATE_MIPMAP_HINT, WHOLE, 1, GL_DONT_CARE),
   S(GL_SHADER_COMPILER, TRUTH, 1, 1),
};
enum { STATES = sizeof(states) / sizeof(states[0]) };

/* Values as the queries of each type should give them. */
static void
expect_state(struct rules *r, const struct state *s, const double values[4])
{
   GLboolean truth[16];
   GLint whole[16];
   GLfloat real[16];
   glGetBooleanv(s->name, truth);
   glGetIntegerv(s->name, whole);
   glGetFloatv(s->name, real);
   if (glGetError())
      rules_fail(r, "%s cannot be asked", s->text);
   for (int i = 0; i < s->count; i++) {
      const double v = values[i];
      const double scaled = s->number == UNIT ? (v * 4294967295.0 - 1) / 2 : v;
      const double off = fabs(whole[i] - scaled), allowed = s->number == UNIT ? 256 : 0.5;
      if (truth[i] != (v != 0) || off > allowed || (float)v != real[i])
         rules_fail(r, "%s [%d] is %g: as a boolean %d, an integer %d, a float %g", s->text, i, v,
                    truth[i], whole[i], real[i]);
   }
   if (s->number == SWITCH && glIsEnabled(s->name) != (values[0] != 0))
      rules_fail(r, "%s is %g, glIsEnabled says otherwise", s->text, values[0]);
}

static void
expect(struct rules *r, GLenum name, int count, double a, double b, double c, double d)
{
   const double values[4] = { a, b, c, d };
   for (int i = 0; i < STATES; i++)
      if (states[i].name == name && states[i].count == count) {
         expect_state(r, &states[i], values);
         return;
      }
   rules_fail(r, "there is no state 0x%04x of %d values", name, count);
}
#define EXPECT1(name, value) expect(r, name, 1, value, 0, 0, 0)

/* -------------------------------------------------------------------------------- random values */

/* Section 4.1.4: masks have as many bits as the deepest stencil buffer at first, or more. */
static void
check_first_masks(struct rules *r)
{
   static const GLenum masks[] = { GL_STENCIL_VALUE_MASK, GL_STENCIL_BACK_VALUE_MASK,
                                   GL_STENCIL_WRITEMASK, GL_STENCIL_BACK_WRITEMASK };
   for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
      GLint value = 0;
      glGetIntegerv(masks[i], &value);
      if ((value & 255) != 255)
         rules_fail(r, "mask 0x%04x is 0x%x at first", masks[i], value);
   }
}

static const GLenum comparisons[] = { GL_NEVER, GL_LESS, GL_EQUAL, GL_LEQUAL, GL_GREATER, GL_NOTEQUAL, GL_GEQUAL, GL_ALWAYS };
static const GLenum operations[] = { GL_ZERO, GL_KEEP, GL_REPLACE, GL_INCR, GL_DECR, GL_INVERT, GL_INCR_WRAP, GL_DECR_WRAP };
static const GLenum factors[] = { GL_ZERO, GL_ONE, GL_SRC_COLOR, GL_ONE_MINUS_SRC_COLOR, GL_DST_COLOR, GL_ONE_MINUS_DST_COLOR,
                                  GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_DST_ALPHA, GL_ONE_MINUS_DST_ALPHA, GL_CONSTANT_COLOR,
                                  GL_ONE_MINUS_CONSTANT_COLOR, GL_CONSTANT_ALPHA, GL_ONE_MINUS_CONSTANT_ALPHA };
static const GLenum equations[] = { GL_FUNC_ADD, GL_FUNC_SUBTRACT, GL_FUNC_REVERSE_SUBTRACT };

/* A number to be clamped to [0, 1], in 1/256: exact as a float. */
static float
unit_or_beyond(struct rules *r)
{
   return (float)rules_between(r, -128, 384) / 256;
}

static double
unit_clamp(double v)
{
   return v < 0 ? 0 : v > 1 ? 1 : v;
}

static void
check_fragments(struct rules *r)
{
   const float c[4] = { unit_or_beyond(r), unit_or_beyond(r), unit_or_beyond(r),
                        unit_or_beyond(r) };
   const GLboolean mask[4] = { rules_chance(r, 50), rules_chance(r, 50), rules_chance(r, 50),
                               rules_chance(r, 50) };
   const GLenum e[2] = { rules_pick(r, equations), rules_pick(r, equations) };
   const GLenum f[4] = { rules_pick(r, factors), rules_pick(r, factors), rules_pick(r, factors),
                         rules_pick(r, factors) };
   const GLenum depth = rules_pick(r, comparisons);
   const int stencil = rules_between(r, 0, 255);
   glBlendColor(c[0], c[1], c[2], c[3]);
   glClearColor(c[3], c[2], c[1], c[0]);
   glClearDepthf(c[0]);
   glClearStencil(stencil);
   glColorMask(mask[0], mask[1], mask[2], mask[3]);
   glDepthMask(mask[3]);
   glBlendEquationSeparate(e[0], e[1]);
   glBlendFuncSeparate(f[0], f[1], f[2], f[3]);
   glDepthFunc(depth);
   glSampleCoverage(c[1], mask[0]);
   /* stored clamped, or as they are since EXT_color_buffer_half_float: section 6.1.2 clamps what is
    * asked of a fixed-point state */
   GLfloat blend[4], clear[4];
   glGetFloatv(GL_BLEND_COLOR, blend);
   glGetFloatv(GL_COLOR_CLEAR_VALUE, clear);
   for (int i = 0; i < 4; i++)
      if ((blend[i] != c[i] && blend[i] != (float)unit_clamp(c[i])) ||
          (clear[i] != c[3 - i] && clear[i] != (float)unit_clamp(c[3 - i])))
         rules_fail(r, "component %d of the blend colour is %g and %g of the clear colour's", i,
                    blend[i], clear[i]);
   EXPECT1(GL_DEPTH_CLEAR_VALUE, unit_clamp(c[0]));
   EXPECT1(GL_STENCIL_CLEAR_VALUE, stencil);
   expect(r, GL_COLOR_WRITEMASK, 4, mask[0], mask[1], mask[2], mask[3]);
   EXPECT1(GL_DEPTH_WRITEMASK, mask[3]);
   EXPECT1(GL_BLEND_EQUATION_RGB, e[0]);
   EXPECT1(GL_BLEND_EQUATION_ALPHA, e[1]);
   EXPECT1(GL_BLEND_SRC_RGB, f[0]);
   EXPECT1(GL_BLEND_DST_RGB, f[1]);
   EXPECT1(GL_BLEND_SRC_ALPHA, f[2]);
   EXPECT1(GL_BLEND_DST_ALPHA, f[3]);
   EXPECT1(GL_DEPTH_FUNC, depth);
   EXPECT1(GL_SAMPLE_COVERAGE_VALUE, unit_clamp(c[1]));
   EXPECT1(GL_SAMPLE_COVERAGE_INVERT, mask[0]);
}

static void
check_stencil(struct rules *r)
{
   static const GLenum names[2][7] = {
      { GL_STENCIL_FUNC, GL_STENCIL_REF, GL_STENCIL_VALUE_MASK, GL_STENCIL_FAIL,
        GL_STENCIL_PASS_DEPTH_FAIL, GL_STENCIL_PASS_DEPTH_PASS, GL_STENCIL_WRITEMASK },
      { GL_STENCIL_BACK_FUNC, GL_STENCIL_BACK_REF, GL_STENCIL_BACK_VALUE_MASK, GL_STENCIL_BACK_FAIL,
        GL_STENCIL_BACK_PASS_DEPTH_FAIL, GL_STENCIL_BACK_PASS_DEPTH_PASS,
        GL_STENCIL_BACK_WRITEMASK },
   };
   static const GLenum faces[] = { GL_FRONT, GL_BACK, GL_FRONT_AND_BACK };
   GLint have[2][7] = { { GL_EQUAL, 1, 2, GL_ZERO, GL_INCR, GL_DECR, 3 },
                        { GL_EQUAL, 1, 2, GL_ZERO, GL_INCR, GL_DECR, 3 } };
   const GLenum face = rules_pick(r, faces);
   const GLint v[7] = { (GLint)rules_pick(r, comparisons), rules_between(r, 0, 255),
                        (GLint)rules_below(r, 1 << 30),    (GLint)rules_pick(r, operations),
                        (GLint)rules_pick(r, operations),  (GLint)rules_pick(r, operations),
                        (GLint)rules_below(r, 1 << 30) };
   glStencilFunc(GL_EQUAL, 1, 2);
   glStencilOp(GL_ZERO, GL_INCR, GL_DECR);
   glStencilMask(3);
   if (face == GL_FRONT_AND_BACK && rules_chance(r, 50)) {
      glStencilFunc((GLenum)v[0], v[1], (GLuint)v[2]);
      glStencilOp((GLenum)v[3], (GLenum)v[4], (GLenum)v[5]);
      glStencilMask((GLuint)v[6]);
   } else {
      glStencilFuncSeparate(face, (GLenum)v[0], v[1], (GLuint)v[2]);
      glStencilOpSeparate(face, (GLenum)v[3], (GLenum)v[4], (GLenum)v[5]);
      glStencilMaskSeparate(face, (GLuint)v[6]);
   }
   for (int i = 0; i < 2; i++) {
      if (face != (i ? GL_FRONT : GL_BACK))
         memcpy(have[i], v, sizeof(v));
      for (int k = 0; k < 7; k++) {
         GLint value;
         glGetIntegerv(names[i][k], &value);
         if (value != have[i][k])
            rules_fail(r, "stencil state 0x%04x is 0x%x, not 0x%x", names[i][k], value, have[i][k]);
      }
   }
}

static void
check_geometry(struct rules *r)
{
   static const GLenum culls[] = { GL_FRONT, GL_BACK, GL_FRONT_AND_BACK },
                       winds[] = { GL_CW, GL_CCW },
                       hints[] = { GL_FASTEST, GL_NICEST, GL_DONT_CARE };
   const GLenum cull = rules_pick(r, culls), wind = rules_pick(r, winds), hint = rules_pick(r, hints);
   const float near = unit_or_beyond(r), far = unit_or_beyond(r), width = (float)rules_between(r, 1, 4000) / 64,
               factor = (float)rules_between(r, -999, 999) / 8, units = (float)rules_between(r, -999, 999) / 4;
   const int unit = rules_between(r, 0, 7), pack = 1 << rules_below(r, 4), unpack = 1 << rules_below(r, 4);
   glCullFace(cull);
   glFrontFace(wind);
   glHint(GL_GENERATE_MIPMAP_HINT, hint);
   glDepthRangef(near, far);
   glLineWidth(width);
   glPolygonOffset(factor, units);
   glActiveTexture((GLenum)(GL_TEXTURE0 + unit));
   glPixelStorei(GL_PACK_ALIGNMENT, pack);
   glPixelStorei(GL_UNPACK_ALIGNMENT, unpack);
   EXPECT1(GL_CULL_FACE_MODE, cull);
   EXPECT1(GL_FRONT_FACE, wind);
   EXPECT1(GL_GENERATE_MIPMAP_HINT, hint);
   expect(r, GL_DEPTH_RANGE, 2, unit_clamp(near), unit_clamp(far), 0, 0);
   EXPECT1(GL_LINE_WIDTH, width);
   EXPECT1(GL_POLYGON_OFFSET_FACTOR, factor);
   EXPECT1(GL_POLYGON_OFFSET_UNITS, units);
   EXPECT1(GL_ACTIVE_TEXTURE, GL_TEXTURE0 + unit);
   EXPECT1(GL_PACK_ALIGNMENT, pack);
   EXPECT1(GL_UNPACK_ALIGNMENT, unpack);
}

/* A viewport's size is clamped to the largest, its place to a range that is free; a scissor
 * rectangle is what it is. */
static void
check_rectangles(struct rules *r)
{
   const GLint at[4] = { rules_between(r, -500, 500), rules_between(r, -500, 500),
                         rules_between(r, 0, 99999), rules_between(r, 0, 99999) };
   GLint most[2], viewport[4], scissor[4];
   GLboolean truth[4];
   glGetIntegerv(GL_MAX_VIEWPORT_DIMS, most);
   glViewport(at[0], at[1], at[2], at[3]);
   glScissor(at[0], at[1], at[2], at[3]);
   glGetIntegerv(GL_VIEWPORT, viewport);
   glGetIntegerv(GL_SCISSOR_BOX, scissor);
   glGetBooleanv(GL_SCISSOR_BOX, truth);
   for (int i = 0; i < 4; i++)
      if (scissor[i] != at[i] ||
          viewport[i] != (i < 2 || at[i] < most[i - 2] ? at[i] : most[i - 2]) ||
          truth[i] != (at[i] != 0))
         rules_fail(r, "number %d of a rectangle is %d, viewport's %d, scissor's %d", i, at[i],
                    viewport[i], scissor[i]);
}

static void
check_switches(struct rules *r)
{
   for (int i = 0; i < STATES; i++) {
      const struct state *s = &states[i];
      if (s->number != SWITCH)
         continue;
      const bool on = rules_chance(r, 50);
      (on ? glEnable : glDisable)(s->name);
      EXPECT1(s->name, on);
   }
}

/* Wrap modes and filters, given as a float or as an integer, alone or by a pointer. */
static void
check_texture(struct rules *r)
{
   static const GLenum filters[] = { GL_NEAREST, GL_LINEAR, GL_NEAREST_MIPMAP_NEAREST, GL_LINEAR_MIPMAP_NEAREST,
                                     GL_NEAREST_MIPMAP_LINEAR, GL_LINEAR_MIPMAP_LINEAR },
                       wraps[] = { GL_REPEAT, GL_CLAMP_TO_EDGE, GL_MIRRORED_REPEAT };
   const GLenum target = rules_chance(r, 50) ? GL_TEXTURE_2D : GL_TEXTURE_CUBE_MAP;
   const GLenum v[4] = { filters[rules_below(r, 2)], rules_pick(r, filters), rules_pick(r, wraps),
                         rules_pick(r, wraps) };
   for (GLenum i = 0; i < 4; i++) {
      const GLenum name = GL_TEXTURE_MAG_FILTER + i;
      const GLint whole = (GLint)v[i];
      const GLfloat real = (GLfloat)v[i];
      GLint have;
      GLfloat have_real;
      switch (rules_below(r, 4)) {
      case 0:
         glTexParameteri(target, name, whole);
         break;
      case 1:
         glTexParameterf(target, name, real);
         break;
      case 2:
         glTexParameteriv(target, name, &whole);
         break;
      default:
         glTexParameterfv(target, name, &real);
      }
      glGetTexParameteriv(target, name, &have);
      glGetTexParameterfv(target, name, &have_real);
      if (have != whole || have_real != real)
         rules_fail(r, "texture parameter 0x%04x is 0x%04x and %g, not 0x%04x", name, have,
                    have_real, whole);
   }
}

/* Arrays of attributes, and their current values. */
static void
check_attribute(struct rules *r)
{
   static const GLenum types[] = { GL_BYTE,           GL_UNSIGNED_BYTE, GL_SHORT,
                                   GL_UNSIGNED_SHORT, GL_FLOAT,         GL_FIXED };
   static const GLenum names[] = {
      GL_VERTEX_ATTRIB_ARRAY_SIZE,           GL_VERTEX_ATTRIB_ARRAY_STRIDE,
      GL_VERTEX_ATTRIB_ARRAY_TYPE,           GL_VERTEX_ATTRIB_ARRAY_NORMALIZED,
      GL_VERTEX_ATTRIB_ARRAY_BUFFER_BINDING, GL_VERTEX_ATTRIB_ARRAY_ENABLED
   };
   const GLuint index = rules_below(r, 8);
   GLuint buffer;
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   const GLint v[6] = { rules_between(r, 1, 4), rules_between(r, 0, 255), (GLint)rules_pick(r, types), rules_chance(r, 50), (GLint)buffer,
                        rules_chance(r, 50) };
   const uintptr_t offset = rules_below(r, 1000);
   void *pointer = NULL;
   glVertexAttribPointer(index, v[0], (GLenum)v[2], (GLboolean)v[3], v[1], (void *)offset);
   (v[5] ? glEnableVertexAttribArray : glDisableVertexAttribArray)(index);
   for (int i = 0; i < 6; i++) {
      GLint whole;
      GLfloat real;
      glGetVertexAttribiv(index, names[i], &whole);
      glGetVertexAttribfv(index, names[i], &real);
      if (whole != v[i] || real != (GLfloat)v[i])
         rules_fail(r, "parameter 0x%04x of attribute %u is %d and %g, not %d", names[i], index,
                    whole, real, v[i]);
   }
   glGetVertexAttribPointerv(index, GL_VERTEX_ATTRIB_ARRAY_POINTER, &pointer);
   if ((uintptr_t)pointer != offset)
      rules_fail(r, "the pointer of attribute %u is %p", index, pointer);
   float value[4] = { (float)rules_between(r, -99, 99), 0, 0, 1 }, have[4];
   GLint have_whole[4];
   glVertexAttrib1f(index, value[0]);
   glGetVertexAttribfv(index, GL_CURRENT_VERTEX_ATTRIB, have);
   glGetVertexAttribiv(index, GL_CURRENT_VERTEX_ATTRIB, have_whole);
   for (int i = 0; i < 4; i++)
      if (have[i] != value[i] || have_whole[i] != (GLint)value[i])
         rules_fail(r, "component %d of attribute %u is %g and %d, not %g", i, index, have[i],
                    have_whole[i], value[i]);
   glDeleteBuffers(1, &buffer);
}

/* --------------------------------------------------------------------------------------- limits */

/* Tables 6.18 to 6.20: at least so much. */
static void
check_limits(struct rules *r)
{
   static const struct {
      GLenum name;
      int least;
   } limits[] = {
      { GL_SUBPIXEL_BITS, 4 }, { GL_MAX_TEXTURE_SIZE, 64 }, { GL_MAX_CUBE_MAP_TEXTURE_SIZE, 16 }, { GL_MAX_VERTEX_ATTRIBS, 8 },
      { GL_MAX_VERTEX_UNIFORM_VECTORS, 128 }, { GL_MAX_VARYING_VECTORS, 8 }, { GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS, 8 },
      { GL_MAX_VERTEX_TEXTURE_IMAGE_UNITS, 0 }, { GL_MAX_TEXTURE_IMAGE_UNITS, 8 }, { GL_MAX_FRAGMENT_UNIFORM_VECTORS, 16 },
      { GL_MAX_RENDERBUFFER_SIZE, 1 }, { GL_NUM_SHADER_BINARY_FORMATS, 0 }, { GL_NUM_COMPRESSED_TEXTURE_FORMATS, 0 },
   };
   for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
      GLint value = -1;
      GLfloat real;
      glGetIntegerv(limits[i].name, &value);
      glGetFloatv(limits[i].name, &real);
      if (value < limits[i].least || real != (float)value)
         rules_fail(r, "limit 0x%04x is %d and %g", limits[i].name, value, real);
   }
   for (int stage = 0; stage < 2; stage++)
      for (GLenum type = GL_LOW_FLOAT; type <= GL_HIGH_INT; type++) {
         static const int least_range[] = { 1, 14, 62, 8, 10, 16 },
                          least_bits[] = { 8, 10, 16, 0, 0, 0 };
         GLint range[2], bits;
         glGetShaderPrecisionFormat(stage ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER, type, range,
                                    &bits);
         const int n = (int)(type - GL_LOW_FLOAT);
         if (range[0] < least_range[n] || range[1] < least_range[n] || bits < least_bits[n] ||
             (n >= 3 && bits))
            rules_fail(r, "precision 0x%04x: %d, %d, %d", type, range[0], range[1], bits);
      }
   if (strncmp((const char *)glGetString(GL_VERSION), "OpenGL ES 2.0 ", 14) ||
       strncmp((const char *)glGetString(GL_SHADING_LANGUAGE_VERSION), "OpenGL ES GLSL ES 1.0", 21))
      rules_fail(r, "versions %s, %s", (const char *)glGetString(GL_VERSION),
                 (const char *)glGetString(GL_SHADING_LANGUAGE_VERSION));
}

void
rule_api_state(struct rules *r)
{
   while (rules_next(r)) {
      if (r->n == 0) {
         for (int i = 0; i < STATES; i++)
            expect_state(r, &states[i], states[i].first);
         check_first_masks(r);
         check_limits(r);
      } else {
         /* a stencil reference is clamped to its bits */
         struct target target = target_create(SIZE_PX, SIZE_PX);
         check_fragments(r);
         check_stencil(r);
         check_geometry(r);
         check_rectangles(r);
         check_switches(r);
         check_texture(r);
         check_attribute(r);
         target_delete(&target);
      }
   }
}
