/* SPDX-License-Identifier: MIT
 *
 * Blending of OpenGL ES 3.0 (section 4.1.7): each format that is blended, and several draw buffers
 * with functions, equations and masks of their own (OES_draw_buffers_indexed). The reference is
 * written from the tables there, in f64.
 */
#include "es3_rules.h"

#include <EGL/egl.h>
#include <GLES2/gl2ext.h>
#include <math.h>
#include <string.h>

enum { SIZE_PX = 8, PIXELS = SIZE_PX * SIZE_PX, MOST_TARGETS = 8 };

/* Bits of red, green, blue and alpha, 0 where there is none; of floats those behind the point. */
static const struct blend_format {
   GLenum internal;
   char kind; /* n: normalised, s: sRGB, f: floats, p: floats without a sign, u: integers */
   int bits[4];
} formats[] = {
   { GL_RGBA8, 'n', { 8, 8, 8, 8 } },
   { GL_RGB8, 'n', { 8, 8, 8, 0 } },
   { GL_RG8, 'n', { 8, 8, 0, 0 } },
   { GL_R8, 'n', { 8, 0, 0, 0 } },
   { GL_RGB565, 'n', { 5, 6, 5, 0 } },
   { GL_RGBA4, 'n', { 4, 4, 4, 4 } },
   { GL_RGB5_A1, 'n', { 5, 5, 5, 1 } },
   { GL_RGB10_A2, 'n', { 10, 10, 10, 2 } },
   { GL_SRGB8_ALPHA8, 's', { 8, 8, 8, 8 } },
   { GL_RGBA16F, 'f', { 10, 10, 10, 10 } },
   { GL_RG16F, 'f', { 10, 10, 0, 0 } },
   { GL_R16F, 'f', { 10, 0, 0, 0 } },
   { GL_R11F_G11F_B10F, 'p', { 6, 6, 5, 0 } },
   { GL_RGBA32F, 'f', { 23, 23, 23, 23 } },
   { GL_RG32F, 'f', { 23, 23, 0, 0 } },
   { GL_R32F, 'f', { 23, 0, 0, 0 } },
   { GL_RGBA8UI, 'u', { 8, 8, 8, 8 } },
};

static const GLenum equations[] = { GL_FUNC_ADD, GL_FUNC_SUBTRACT, GL_FUNC_REVERSE_SUBTRACT, GL_MIN,
                                    GL_MAX };
/* The last one is for sources alone. */
static const GLenum factors[] = {
   GL_ZERO,
   GL_ONE,
   GL_SRC_COLOR,
   GL_ONE_MINUS_SRC_COLOR,
   GL_DST_COLOR,
   GL_ONE_MINUS_DST_COLOR,
   GL_SRC_ALPHA,
   GL_ONE_MINUS_SRC_ALPHA,
   GL_DST_ALPHA,
   GL_ONE_MINUS_DST_ALPHA,
   GL_CONSTANT_COLOR,
   GL_ONE_MINUS_CONSTANT_COLOR,
   GL_CONSTANT_ALPHA,
   GL_ONE_MINUS_CONSTANT_ALPHA,
   GL_SRC_ALPHA_SATURATE,
};

struct blend_target {
   const struct blend_format *format;
   bool blends, mask[4];
   GLenum equation[2], source[2], destination[2]; /* of colours; of alpha */
   double before[4];                              /* what blending takes it for: linear */
   float value[4];                                /* of the output */
};

struct scene {
   int count;
   struct blend_target target[MOST_TARGETS];
   float constant[4];
   GLuint texture[MOST_TARGETS], framebuffer;
};

static bool
is_float(const struct blend_format *format)
{
   return format->kind == 'f' || format->kind == 'p';
}

static double
to_linear(double encoded)
{
   return encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4);
}

static double
to_srgb(double linear)
{
   return linear < 0.0031308 ? linear * 12.92 : 1.055 * pow(linear, 1.0 / 2.4) - 0.055;
}

/* ------------------------------------------------------------------------------------- the scene
 */

/* A value that the channel has exactly; what is not there is 0, or 1 of alpha. */
static double
random_stored(struct rules *r, const struct blend_format *format, int c)
{
   const int bits = format->bits[c];
   if (!bits)
      return c == 3;
   if (format->kind == 'u')
      return rules_below(r, 256);
   if (is_float(format))
      return rules_between(r, format->kind == 'p' ? 0 : -16, 32) / 16.0;
   const double value = rules_below(r, 1u << bits) / (double)((1u << bits) - 1);
   return format->kind == 's' && c < 3 ? to_linear(value) : value;
}

static struct blend_target
random_target(struct rules *r, const struct blend_format *format)
{
   struct blend_target t = { .format = format, .blends = rules_chance(r, 80) };
   for (int k = 0; k < 2; k++) {
      t.equation[k] = rules_pick(r, equations);
      t.source[k] = rules_pick(r, factors);
      t.destination[k] = factors[rules_below(r, COUNT(factors) - 1)];
   }
   for (int c = 0; c < 4; c++) {
      t.mask[c] = rules_chance(r, 80);
      t.before[c] = random_stored(r, format, c);
      t.value[c] = format->kind == 'u' ? (float)rules_below(r, 256) : rules_float(r, -0.5f, 1.5f);
   }
   return t;
}

static struct scene
random_scene(struct rules *r)
{
   const bool alone = r->n < (int)(6 * COUNT(formats));
   struct scene s = { .count = alone ? 1 : rules_between(r, 2, MOST_TARGETS) };
   for (int i = 0; i < s.count; i++)
      s.target[i] =
         random_target(r, alone ? &formats[r->n % (int)COUNT(formats)] : &rules_pick(r, formats));
   for (int c = 0; c < 4; c++)
      s.constant[c] = rules_float(r, -0.5f, 1.5f);
   return s;
}

/* --------------------------------------------------------------------------------------- drawing
 */

static void
create(struct rules *r, struct scene *s)
{
   GLenum all[MOST_TARGETS];
   glGenFramebuffers(1, &s->framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, s->framebuffer);
   glGenTextures(s->count, s->texture);
   for (int i = 0; i < s->count; i++) {
      all[i] = GL_COLOR_ATTACHMENT0 + (GLenum)i;
      glBindTexture(GL_TEXTURE_2D, s->texture[i]);
      glTexStorage2D(GL_TEXTURE_2D, 1, s->target[i].format->internal, SIZE_PX, SIZE_PX);
      glFramebufferTexture2D(GL_FRAMEBUFFER, all[i], GL_TEXTURE_2D, s->texture[i], 0);
   }
   if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      rules_fail(r, "%d targets, the first of format 0x%04x, are not complete", s->count,
                 s->target[0].format->internal);
   glDrawBuffers(s->count, all);
   glViewport(0, 0, SIZE_PX, SIZE_PX);
   for (int i = 0; i < s->count; i++) {
      GLfloat floats[4];
      GLuint whole[4];
      for (int c = 0; c < 4; c++) {
         floats[c] = (float)s->target[i].before[c];
         whole[c] = (GLuint)s->target[i].before[c];
      }
      if (s->target[i].format->kind == 'u')
         glClearBufferuiv(GL_COLOR, i, whole);
      else
         glClearBufferfv(GL_COLOR, i, floats);
   }
}

static GLuint
program_of(const struct rules *r, const struct scene *s)
{
   struct text f;
   text_begin(&f);
   for (int i = 0; i < s->count; i++)
      add(f, "layout(location = %d) out %s o%d;\n", i,
          s->target[i].format->kind == 'u' ? "uvec4" : "vec4", i);
   add(f, "uniform vec4 c[%d];\nvoid main() {\n", s->count);
   for (int i = 0; i < s->count; i++)
      add(f, "   o%d = %s(c[%d]);\n", i, s->target[i].format->kind == 'u' ? "uvec4" : "vec4", i);
   add(f, "}\n");
   GLuint program = es3_program(r, es3_vertex_whole, text_end(&f));
   free(f.chars);
   return program;
}

#define FUNCTION(type, name) const type name = (type)eglGetProcAddress("gl" #name)

static void
draw(struct rules *r, const struct scene *s)
{
   FUNCTION(PFNGLENABLEIOESPROC, EnableiOES);
   FUNCTION(PFNGLDISABLEIOESPROC, DisableiOES);
   FUNCTION(PFNGLBLENDEQUATIONSEPARATEIOESPROC, BlendEquationSeparateiOES);
   FUNCTION(PFNGLBLENDFUNCSEPARATEIOESPROC, BlendFuncSeparateiOES);
   FUNCTION(PFNGLCOLORMASKIOESPROC, ColorMaskiOES);
   GLfloat values[MOST_TARGETS][4];
   GLuint program = program_of(r, s);
   for (GLuint i = 0; i < (GLuint)s->count; i++) {
      const struct blend_target *t = &s->target[i];
      memcpy(values[i], t->value, sizeof(values[i]));
      (t->blends ? EnableiOES : DisableiOES)(GL_BLEND, i);
      BlendEquationSeparateiOES(i, t->equation[0], t->equation[1]);
      BlendFuncSeparateiOES(i, t->source[0], t->destination[0], t->source[1], t->destination[1]);
      ColorMaskiOES(i, t->mask[0], t->mask[1], t->mask[2], t->mask[3]);
   }
   glBlendColor(s->constant[0], s->constant[1], s->constant[2], s->constant[3]);
   glUniform4fv(glGetUniformLocation(program, "c"), s->count, values[0]);
   es3_draw_whole();
   no_error("blending several draw buffers");
   glDisable(GL_BLEND);
   glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
   glDeleteProgram(program);
}

/* ------------------------------------------------------------------------------------- reference
 */

static double
factor(GLenum name, int c, const double s[4], const double d[4], const double k[4])
{
   switch (name) {
   case GL_ZERO:
      return 0;
   case GL_ONE:
      return 1;
   case GL_SRC_COLOR:
      return s[c];
   case GL_ONE_MINUS_SRC_COLOR:
      return 1 - s[c];
   case GL_DST_COLOR:
      return d[c];
   case GL_ONE_MINUS_DST_COLOR:
      return 1 - d[c];
   case GL_SRC_ALPHA:
      return s[3];
   case GL_ONE_MINUS_SRC_ALPHA:
      return 1 - s[3];
   case GL_DST_ALPHA:
      return d[3];
   case GL_ONE_MINUS_DST_ALPHA:
      return 1 - d[3];
   case GL_CONSTANT_COLOR:
      return k[c];
   case GL_ONE_MINUS_CONSTANT_COLOR:
      return 1 - k[c];
   case GL_CONSTANT_ALPHA:
      return k[3];
   case GL_ONE_MINUS_CONSTANT_ALPHA:
      return 1 - k[3];
   default:
      return c == 3 ? 1 : fmin(s[3], 1 - d[3]);
   }
}

/* Channel c, linear, where the target blends. */
static double
blended(const struct blend_target *t, int c, const double s[4], const double k[4])
{
   const double *d = t->before;
   const int of = c == 3;
   const double source = s[c] * factor(t->source[of], c, s, d, k),
                destination = d[c] * factor(t->destination[of], c, s, d, k);
   switch (t->equation[of]) {
   case GL_FUNC_ADD:
      return source + destination;
   case GL_FUNC_SUBTRACT:
      return source - destination;
   case GL_FUNC_REVERSE_SUBTRACT:
      return destination - source;
   case GL_MIN:
      return fmin(s[c], d[c]);
   default:
      return fmax(s[c], d[c]);
   }
}

/* Channel c of the target as it is read. */
static double
expected(const struct scene *scene, const struct blend_target *t, int c)
{
   const bool fixed = t->format->kind == 'n' || t->format->kind == 's';
   const double low = fixed ? 0 : -1e9, high = fixed ? 1 : 1e9;
   double s[4], k[4];
   for (int i = 0; i < 4; i++) {
      s[i] = fmin(fmax((double)t->value[i], low), high);
      k[i] = fmin(fmax((double)scene->constant[i], low), high);
   }
   if (!t->format->bits[c])
      return c == 3;
   double value = !t->mask[c]                           ? t->before[c]
                  : t->blends && t->format->kind != 'u' ? blended(t, c, s, k)
                                                        : s[c];
   value = fmin(fmax(value, t->format->kind == 'p' ? 0 : low), high);
   return t->format->kind == 's' && c < 3 ? to_srgb(value) : value;
}

/* One step of the format; and half a step of the bytes that are read. */
static double
allowed(const struct blend_format *format, int c, double wanted)
{
   if (format->kind == 'u' || !format->bits[c])
      return 0;
   if (is_float(format))
      return ldexp(fabs(wanted), -format->bits[c]) + 1e-5;
   return 1.0 / ((1 << format->bits[c]) - 1) + 0.5 / 255 + 1e-6;
}

/* ---------------------------------------------------------------------------------------- reading
 */

static void
read_target(struct rules *r, const struct scene *s, int i, double have[PIXELS][4])
{
   GLfloat floats[PIXELS][4];
   GLuint whole[PIXELS][4];
   uint8_t bytes[PIXELS][4];
   const char kind = s->target[i].format->kind;
   glReadBuffer(GL_COLOR_ATTACHMENT0 + (GLenum)i);
   if (kind == 'u')
      glReadPixels(0, 0, SIZE_PX, SIZE_PX, GL_RGBA_INTEGER, GL_UNSIGNED_INT, whole);
   else if (is_float(s->target[i].format))
      glReadPixels(0, 0, SIZE_PX, SIZE_PX, GL_RGBA, GL_FLOAT, floats);
   else
      glReadPixels(0, 0, SIZE_PX, SIZE_PX, GL_RGBA, GL_UNSIGNED_BYTE, bytes);
   no_error("reading what was blended");
   for (int k = 0; k < 4 * PIXELS; k++)
      have[k / 4][k % 4] = kind == 'u'                     ? whole[k / 4][k % 4]
                           : is_float(s->target[i].format) ? floats[k / 4][k % 4]
                                                           : bytes[k / 4][k % 4] / 255.0;
   rules_hash(r, have, sizeof(double) * 4 * PIXELS);
}

static void
expect_target(struct rules *r, const struct scene *s, int i)
{
   const struct blend_target *t = &s->target[i];
   double have[PIXELS][4];
   read_target(r, s, i, have);
   for (int k = 0; k < 4 * PIXELS; k++) {
      const int c = k % 4;
      const double wanted = expected(s, t, c);
      if (!(fabs(have[k / 4][c] - wanted) <= allowed(t->format, c, wanted)))
         rules_fail(r,
                    "target %d of %d, format 0x%04x, %s, equation 0x%04x, factors 0x%04x and "
                    "0x%04x: channel %d of pixel %d is %g, not %g; %g on %g",
                    i, s->count, t->format->internal, t->blends ? "blended" : "not blended",
                    t->equation[c == 3], t->source[c == 3], t->destination[c == 3], c, k / 4,
                    have[k / 4][c], wanted, (double)t->value[c], t->before[c]);
   }
}

void
es3_blend(struct rules *r)
{
   while (rules_next(r)) {
      struct scene s = random_scene(r);
      create(r, &s);
      draw(r, &s);
      for (int i = 0; i < s.count; i++)
         expect_target(r, &s, i);
      glDeleteFramebuffers(1, &s.framebuffer);
      glDeleteTextures(s.count, s.texture);
   }
}
