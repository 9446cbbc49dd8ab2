/* SPDX-License-Identifier: MIT */
#include "reference_pixels.h"

#include <math.h>
#include <stdlib.h>

struct ref_pixels
ref_pixels_create(const struct ref_format *format, bool depth, bool stencil, int width_px,
                  int height_px, int samples)
{
   return (struct ref_pixels){ format, depth, stencil, width_px, height_px, samples,
                               calloc((size_t)width_px * height_px * samples, sizeof(struct ref_pixel)) };
}

static void
set(GLenum what, bool on)
{
   (on ? glEnable : glDisable)(what);
}

void
ref_state_apply(const struct ref_state *s)
{
   static const GLenum faces[] = { GL_FRONT, GL_BACK };
   set(GL_SCISSOR_TEST, s->scissor_test);
   set(GL_DEPTH_TEST, s->depth_test);
   set(GL_STENCIL_TEST, s->stencil_test);
   set(GL_BLEND, s->blend);
   set(GL_CULL_FACE, s->cull);
   set(GL_SAMPLE_ALPHA_TO_COVERAGE, s->alpha_to_coverage);
   set(GL_SAMPLE_COVERAGE, s->sample_coverage);
   glSampleCoverage(s->coverage, s->coverage_invert);
   glScissor(s->scissor[0], s->scissor[1], s->scissor[2], s->scissor[3]);
   glColorMask(s->color_mask[0], s->color_mask[1], s->color_mask[2], s->color_mask[3]);
   glDepthMask(s->depth_mask);
   glDepthFunc(s->depth_func);
   glDepthRangef(s->depth_near, s->depth_far);
   for (int i = 0; i < 2; i++) {
      const struct ref_stencil *t = &s->stencil[i];
      glStencilFuncSeparate(faces[i], t->func, t->ref, t->value_mask);
      glStencilMaskSeparate(faces[i], t->write_mask);
      glStencilOpSeparate(faces[i], t->fail, t->depth_fail, t->depth_pass);
   }
   glBlendEquationSeparate(s->equation[0], s->equation[1]);
   glBlendFuncSeparate(s->source[0], s->destination[0], s->source[1], s->destination[1]);
   glBlendColor(s->blend_color[0], s->blend_color[1], s->blend_color[2], s->blend_color[3]);
   glCullFace(s->culled);
   glFrontFace(s->front_face);
   glClearColor(s->clear_color[0], s->clear_color[1], s->clear_color[2], s->clear_color[3]);
   glClearDepthf(s->clear_depth);
   glClearStencil(s->clear_stencil);
   EGLint api = EGL_OPENGL_ES_API;
   eglQueryContext(eglGetCurrentDisplay(), eglGetCurrentContext(), EGL_CONTEXT_CLIENT_TYPE, &api);
   if (api == EGL_OPENGL_API) {
      typedef void logic_op(GLenum);
      set(0x0BF2 /* GL_COLOR_LOGIC_OP */, s->logic_op);
      if (s->logic_op)
         ((logic_op *)eglGetProcAddress("glLogicOp"))(s->logic_operation);
   }
}

/* ---------------------------------------------------------------------------------------- tests */

static bool
compare(GLenum func, double a, double b)
{
   switch (func) {
   case GL_NEVER: return false;
   case GL_LESS: return a < b;
   case GL_EQUAL: return a == b;
   case GL_LEQUAL: return a <= b;
   case GL_GREATER: return a > b;
   case GL_NOTEQUAL: return a != b;
   case GL_GEQUAL: return a >= b;
   default: return true;
   }
}

/* Section 4.1.4. 8 bits. */
static void
update_stencil(const struct ref_stencil *t, GLenum operation, uint8_t *stencil)
{
   const int old = *stencil, ref = t->ref < 0 ? 0 : t->ref > 255 ? 255 : t->ref;
   int value = old;
   switch (operation) {
   case GL_ZERO: value = 0; break;
   case GL_REPLACE: value = ref; break;
   case GL_INCR: value = old == 255 ? 255 : old + 1; break;
   case GL_DECR: value = old == 0 ? 0 : old - 1; break;
   case GL_INVERT: value = ~old; break;
   case GL_INCR_WRAP: value = old + 1; break;
   case GL_DECR_WRAP: value = old - 1; break;
   default: break;
   }
   *stencil = (uint8_t)((value & (int)t->write_mask) | (old & ~(int)t->write_mask));
}

static bool
in_scissor(const struct ref_state *s, int x, int y)
{
   return !s->scissor_test ||
          (x >= s->scissor[0] && y >= s->scissor[1] && x < (int64_t)s->scissor[0] + s->scissor[2] &&
           y < (int64_t)s->scissor[1] + s->scissor[3]);
}

/* Sections 4.1.4 and 4.1.5: whether the fragment passes, and what becomes of stencil and depth. */
static bool
pass_stencil_and_depth(const struct ref_state *s, const struct ref_pixels *p,
                       struct ref_pixel *pixel, double depth, bool front)
{
   const struct ref_stencil *t = &s->stencil[!front];
   const bool stencil_test = s->stencil_test && p->has_stencil,
              depth_test = s->depth_test && p->has_depth;
   if (stencil_test) {
      const int ref = t->ref < 0 ? 0 : t->ref > 255 ? 255 : t->ref;
      if (!compare(t->func, ref & t->value_mask & 255, pixel->stencil & t->value_mask)) {
         update_stencil(t, t->fail, &pixel->stencil);
         return false;
      }
   }
   depth = fmin(fmax(depth, 0), 1);
   const bool passes = !depth_test || compare(s->depth_func, depth, pixel->depth);
   if (stencil_test)
      update_stencil(t, passes ? t->depth_pass : t->depth_fail, &pixel->stencil);
   if (passes && depth_test && s->depth_mask)
      pixel->depth = depth;
   return passes;
}

/* -------------------------------------------------------------------------------------- colours */

static bool
is_float(const struct ref_format *format)
{
   return format->bits[0] >= 16;
}

/* To 11 bits, nearest even; overflow to infinity; below 2^-14 steps of 2^-24. */
static double
round_half(double x)
{
   int exponent;
   if (x == 0 || !isfinite(x))
      return x;
   frexp(x, &exponent);
   const double step = ldexp(1, (exponent < -13 ? -13 : exponent) - 11),
                rounded = nearbyint(x / step) * step;
   return fabs(rounded) >= 65536 ? copysign(INFINITY, x) : rounded;
}

/* Values as the format holds them that a result x, of terms as large as `size`, may become. */
static void
store(const struct ref_format *format, int channel, double x, double size, double *least,
      double *most)
{
   const double error = size * 0x1p-21;
   double low = x - error, high = x + error;
   if (is_float(format)) {
      if (format->bits[channel] == 16) {
         low = round_half(low);
         high = round_half(high);
      }
   } else {
      const double steps = (1 << format->bits[channel]) - 1;
      low = floor(fmin(fmax(low, 0), 1) * steps + 0.5);
      high = floor(fmin(fmax(high, 0), 1) * steps + 0.5);
   }
   *least = fmin(*least, low);
   *most = fmax(*most, high);
}

/* Section 4.1.6, table 4.2: a factor, for `channel`. EXT_blend_func_extended adds those of a second
 * colour, here the first in reverse. */
static double
blend_factor(GLenum factor, int channel, const double source[4], const double destination[4],
             const double constant[4])
{
   switch (factor) {
   case GL_ZERO: return 0;
   case GL_ONE: return 1;
   case GL_SRC_COLOR: return source[channel];
   case GL_ONE_MINUS_SRC_COLOR: return 1 - source[channel];
   case GL_DST_COLOR: return destination[channel];
   case GL_ONE_MINUS_DST_COLOR: return 1 - destination[channel];
   case GL_SRC_ALPHA: return source[3];
   case GL_ONE_MINUS_SRC_ALPHA: return 1 - source[3];
   case GL_DST_ALPHA: return destination[3];
   case GL_ONE_MINUS_DST_ALPHA: return 1 - destination[3];
   case GL_CONSTANT_COLOR: return constant[channel];
   case GL_ONE_MINUS_CONSTANT_COLOR: return 1 - constant[channel];
   case GL_CONSTANT_ALPHA: return constant[3];
   case GL_ONE_MINUS_CONSTANT_ALPHA: return 1 - constant[3];
   case GL_SRC1_COLOR_EXT:
      return source[3 - channel];
   case GL_ONE_MINUS_SRC1_COLOR_EXT:
      return 1 - source[3 - channel];
   case GL_SRC1_ALPHA_EXT:
      return source[0];
   case GL_ONE_MINUS_SRC1_ALPHA_EXT:
      return 1 - source[0];
   /* GL_SRC_ALPHA_SATURATE */
   default: return channel == 3 ? 1 : fmin(source[3], 1 - destination[3]);
   }
}

static void
blend(const struct ref_state *s, const struct ref_format *format, int channel,
      const double source[4], const double destination[4], double *least, double *most)
{
   const int k = channel == 3;
   double constant[4];
   for (int c = 0; c < 4; c++)
      constant[c] = is_float(format) ? s->blend_color[c] : fmin(fmax(s->blend_color[c], 0), 1);
   const double sf = blend_factor(s->source[k], channel, source, destination, constant),
                df = blend_factor(s->destination[k], channel, source, destination, constant);
   const double from = source[channel] * sf, to = destination[channel] * df;
   /* rounding of a factor 1 - x counts as much as its value */
   const double size =
      fabs(source[channel]) * (1 + fabs(sf)) + fabs(destination[channel]) * (1 + fabs(df));
   switch (s->equation[k]) {
   case GL_FUNC_ADD: store(format, channel, from + to, size, least, most); break;
   case GL_FUNC_SUBTRACT: store(format, channel, from - to, size, least, most); break;
   case GL_FUNC_REVERSE_SUBTRACT: store(format, channel, to - from, size, least, most); break;
   case GL_MIN_EXT: store(format, channel, fmin(source[channel], destination[channel]), 1, least, most); break;
   default: store(format, channel, fmax(source[channel], destination[channel]), 1, least, most); break;
   }
}

/* OpenGL 2.1 section 4.1.10: bit by bit, by name. */
static int
logic_operation(GLenum operation, int s, int d)
{
   switch (operation) {
   case 0x1500 /* GL_CLEAR */: return 0;
   case 0x1501 /* GL_AND */: return s & d;
   case 0x1502 /* GL_AND_REVERSE */: return s & ~d;
   case 0x1503 /* GL_COPY */: return s;
   case 0x1504 /* GL_AND_INVERTED */: return ~s & d;
   case 0x1505 /* GL_NOOP */: return d;
   case 0x1506 /* GL_XOR */: return s ^ d;
   case 0x1507 /* GL_OR */: return s | d;
   case 0x1508 /* GL_NOR */: return ~(s | d);
   case 0x1509 /* GL_EQUIV */: return ~(s ^ d);
   case 0x150A /* GL_INVERT */: return ~d;
   case 0x150B /* GL_OR_REVERSE */: return s | ~d;
   case 0x150C /* GL_COPY_INVERTED */: return ~s;
   case 0x150D /* GL_OR_INVERTED */: return ~s | d;
   case 0x150E /* GL_NAND */: return ~(s & d);
   default /* GL_SET */: return ~0;
   }
}

static void
combine_bits(const struct ref_state *s, const struct ref_format *format, int channel, double source,
             const struct ref_pixel *old, double *least, double *most)
{
   const int mask = (1 << format->bits[channel]) - 1;
   double from[2] = { INFINITY, -INFINITY };
   store(format, channel, source, 1, &from[0], &from[1]);
   if (from[0] != from[1] || old->least[channel] != old->most[channel]) {
      *least = 0; /* anything */
      *most = mask;
      return;
   }
   *least = *most = logic_operation(s->logic_operation, (int)from[0], (int)old->least[channel]) & mask;
}

/* The values of a pixel's channels: `which` bit 0: this channel's larger one, bit 1: alpha's larger
 * one. */
static void
old_values(const struct ref_format *format, const struct ref_pixel *pixel, int channel, int which,
           double values[4])
{
   for (int c = 0; c < 4; c++) {
      const bool larger = (c == channel && (which & 1)) || (c == 3 && channel != 3 && (which & 2));
      const double steps = is_float(format) ? 1 : (1 << format->bits[c]) - 1;
      values[c] = format->bits[c] ? (larger ? pixel->most[c] : pixel->least[c]) / steps : c == 3;
   }
}

void
ref_write_color(const struct ref_state *s, const struct ref_format *format, struct ref_pixel *pixel,
                const float color[4])
{
   double source[4], destination[4];
   const struct ref_pixel old = *pixel;
   for (int c = 0; c < 4; c++)
      source[c] = is_float(format) ? color[c] : fmin(fmax(color[c], 0), 1);
   for (int c = 0; c < 4; c++) {
      double least = INFINITY, most = -INFINITY;
      if (!format->bits[c] || !s->color_mask[c])
         continue;
      if (s->logic_op && !is_float(format)) {
         combine_bits(s, format, c, source[c], &old, &least, &most);
      } else if (s->blend && !s->logic_op) {
         for (int which = 0; which < 4; which++) {
            old_values(format, &old, c, which, destination);
            blend(s, format, c, source, destination, &least, &most);
         }
      } else {
         /* A float is converted exactly; to a fixed-point value with the error of one
          * multiplication. */
         store(format, c, source[c], is_float(format) ? 0 : 1, &least, &most);
      }
      pixel->least[c] = least;
      pixel->most[c] = most;
   }
}

/* Section 4.1.3. Which samples are kept is free: alpha keeps those up to its nearest quarter
 * (errata.md), SAMPLE_COVERAGE_VALUE whole quarters only, in all of Mesa's drivers. */
static bool
in_coverage(const struct ref_state *s, int samples, int sample, double alpha)
{
   if (samples == 1)
      return true;
   const bool by_alpha = alpha * samples > sample + 0.5,
              by_value = s->coverage * (float)samples >= (float)(sample + 1);
   return (!s->alpha_to_coverage || by_alpha) &&
          (!s->sample_coverage || by_value != s->coverage_invert);
}

void
ref_draw_fragment(const struct ref_state *s, struct ref_pixels *p, int x, int y, int sample,
                  double depth, bool front, const float color[4])
{
   struct ref_pixel *pixel = &p->pixels[(sample * p->height_px + y) * p->width_px + x];
   if (in_scissor(s, x, y) && in_coverage(s, p->samples, sample, color[3]) &&
       pass_stencil_and_depth(s, p, pixel, depth, front))
      ref_write_color(s, p->format, pixel, color);
}

/* Section 4.2.3: the scissor and the masks apply, nothing else does. */
void
ref_clear(const struct ref_state *s, struct ref_pixels *p, GLbitfield buffers)
{
   struct ref_state plain = *s;
   plain.blend = plain.logic_op = false;
   for (int i = 0; i < p->width_px * p->height_px * p->samples; i++) {
      struct ref_pixel *pixel = &p->pixels[i];
      if (!in_scissor(s, i % p->width_px, i / p->width_px % p->height_px))
         continue;
      if (buffers & GL_COLOR_BUFFER_BIT)
         ref_write_color(&plain, p->format, pixel, s->clear_color);
      if ((buffers & GL_DEPTH_BUFFER_BIT) && p->has_depth && s->depth_mask)
         pixel->depth = fmin(fmax(s->clear_depth, 0), 1);
      if ((buffers & GL_STENCIL_BUFFER_BIT) && p->has_stencil) {
         const uint32_t mask = s->stencil[0].write_mask;
         pixel->stencil = (uint8_t)(((uint32_t)s->clear_stencil & mask) | (pixel->stencil & ~mask));
      }
   }
}
