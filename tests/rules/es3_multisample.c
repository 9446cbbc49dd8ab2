/* SPDX-License-Identifier: MIT
 *
 * Renderbuffers of four samples in every format that may have them, and how they are resolved
 * (OpenGL ES 3.0, sections 4.3.3 and 4.4.2, and EXT_color_buffer_float). Integers may not in this
 * version.
 */
#include "es3_rules.h"

#include <math.h>
#include <stdlib.h>

enum { SIZE_PX = 16, EDGE_PX = 8 /* the column that the edge runs through */ };

static const struct samples_format {
   GLenum internal;
   char kind; /* f: floats, n: fixed point, g: sRGB, d: depth */
   int channels;
} samples_formats[] = {
   { GL_R8, 'n', 1 },
   { GL_RG8, 'n', 2 },
   { GL_RGB8, 'n', 3 },
   { GL_RGB565, 'n', 3 },
   { GL_RGBA4, 'n', 4 },
   { GL_RGB5_A1, 'n', 4 },
   { GL_RGBA8, 'n', 4 },
   { GL_RGB10_A2, 'n', 4 },
   { GL_SRGB8_ALPHA8, 'g', 4 },
   { GL_R16F, 'f', 1 },
   { GL_RG16F, 'f', 2 },
   { GL_RGBA16F, 'f', 4 },
   { GL_R32F, 'f', 1 },
   { GL_RG32F, 'f', 2 },
   { GL_RGBA32F, 'f', 4 },
   { GL_R11F_G11F_B10F, 'f', 3 },
   { GL_DEPTH_COMPONENT16, 'd', 1 },
   { GL_DEPTH_COMPONENT24, 'd', 1 },
   { GL_DEPTH_COMPONENT32F, 'd', 1 },
   { GL_DEPTH24_STENCIL8, 'd', 1 },
   { GL_DEPTH32F_STENCIL8, 'd', 1 },
};

static const GLenum integer_formats[] = {
   GL_R8UI,     GL_R8I,     GL_R16UI,    GL_R16I,    GL_R32UI,      GL_R32I,    GL_RG8UI,
   GL_RG8I,     GL_RG16UI,  GL_RG16I,    GL_RG32UI,  GL_RG32I,      GL_RGBA8UI, GL_RGBA8I,
   GL_RGBA16UI, GL_RGBA16I, GL_RGBA32UI, GL_RGBA32I, GL_RGB10_A2UI,
};

/* Section 4.4.2.1: no samples of integers. */
static void
refuse_integers(const struct rules *r)
{
   GLuint renderbuffer;
   glGenRenderbuffers(1, &renderbuffer);
   glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
   for (size_t i = 0; i < COUNT(integer_formats); i++) {
      glRenderbufferStorageMultisample(GL_RENDERBUFFER, 0, integer_formats[i], 4, 4);
      no_error("making a renderbuffer of integers");
      glRenderbufferStorageMultisample(GL_RENDERBUFFER, 4, integer_formats[i], 4, 4);
      const GLenum error = glGetError();
      if (error != GL_INVALID_OPERATION)
         rules_fail(r, "four samples of format 0x%04x: error 0x%04x", integer_formats[i], error);
   }
   glDeleteRenderbuffers(1, &renderbuffer);
}

static GLenum
attachment_of(const struct samples_format *f)
{
   if (f->kind != 'd')
      return GL_COLOR_ATTACHMENT0;
   return f->internal == GL_DEPTH24_STENCIL8 || f->internal == GL_DEPTH32F_STENCIL8
             ? GL_DEPTH_STENCIL_ATTACHMENT
             : GL_DEPTH_ATTACHMENT;
}

static GLuint
samples_framebuffer(const struct rules *r, const struct samples_format *f, GLuint *renderbuffer)
{
   GLuint framebuffer;
   GLint samples;
   glGenFramebuffers(1, &framebuffer);
   glGenRenderbuffers(1, renderbuffer);
   glBindRenderbuffer(GL_RENDERBUFFER, *renderbuffer);
   glRenderbufferStorageMultisample(GL_RENDERBUFFER, 4, f->internal, SIZE_PX, SIZE_PX);
   no_error("making a renderbuffer of four samples");
   glGetRenderbufferParameteriv(GL_RENDERBUFFER, GL_RENDERBUFFER_SAMPLES, &samples);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachment_of(f), GL_RENDERBUFFER, *renderbuffer);
   if (samples < 4 || glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      rules_fail(r, "format 0x%04x with 4 samples: %d samples, status 0x%04x", f->internal, samples,
                 glCheckFramebufferStatus(GL_FRAMEBUFFER));
   glViewport(0, 0, SIZE_PX, SIZE_PX);
   return framebuffer;
}

/* Clears to `right`, then draws `left` up to a place inside of column EDGE_PX. */
static void
paint_samples(const struct rules *r, const struct samples_format *f, const int left[4],
              const int right[4], float edge_px)
{
   const float clear[4] = { (float)right[0], (float)right[1], (float)right[2], (float)right[3] };
   char vertex[400];
   const char *const fragment = f->kind == 'd'
                                   ? "void main() { }"
                                   : "uniform ivec4 c; out vec4 v; void main() { v = vec4(c); }";
   snprintf(vertex, sizeof(vertex),
            "uniform float edge, z; void main() {\n"
            "   gl_Position = vec4(gl_VertexID %% 2 == 1 ? edge : -1.0,\n"
            "                      gl_VertexID / 2 == 1 ? 1.0 : -1.0, z, 1.0); }");
   GLuint program = es3_program(r, vertex, fragment);
   if (f->kind == 'd')
      glClearBufferfv(GL_DEPTH, 0, clear);
   else
      glClearBufferfv(GL_COLOR, 0, clear);
   glUniform1f(glGetUniformLocation(program, "edge"), edge_px * 2 / SIZE_PX - 1);
   glUniform1f(glGetUniformLocation(program, "z"), f->kind == 'd' ? (float)left[0] * 2 - 1 : 0);
   glUniform4iv(glGetUniformLocation(program, "c"), 1, left);
   if (f->kind == 'd')
      glEnable(GL_DEPTH_TEST), glDepthFunc(GL_ALWAYS);
   glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
   glDisable(GL_DEPTH_TEST);
   glDeleteProgram(program);
   no_error("drawing into four samples");
}

/* The resolved pixels as numbers, by a lookup. */
static void
read_resolved(struct rules *r, GLuint texture, double have[][4])
{
   GLuint program = es3_program(
      r, es3_vertex_whole,
      "uniform sampler2D image; out uvec4 v;\n"
      "void main() { v = floatBitsToUint(texelFetch(image, ivec2(gl_FragCoord.xy), 0)); }");
   struct es3_target target = es3_target_create(GL_RGBA32UI, SIZE_PX, SIZE_PX);
   glBindTexture(GL_TEXTURE_2D, texture);
   es3_draw_whole();
   uint32_t *bits = es3_read_uint(r, SIZE_PX, SIZE_PX);
   for (int i = 0; i < SIZE_PX * SIZE_PX * 4; i++)
      have[i / 4][i % 4] = es3_float(bits[i]);
   free(bits);
   glDeleteProgram(program);
   es3_target_delete(&target);
}

static GLuint
resolve(const struct samples_format *f, GLuint from)
{
   GLuint to, texture;
   glGenFramebuffers(1, &to);
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexStorage2D(GL_TEXTURE_2D, 1, f->internal, SIZE_PX, SIZE_PX);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   glBindFramebuffer(GL_DRAW_FRAMEBUFFER, to);
   glFramebufferTexture2D(GL_DRAW_FRAMEBUFFER, attachment_of(f), GL_TEXTURE_2D, texture, 0);
   glBindFramebuffer(GL_READ_FRAMEBUFFER, from);
   glBlitFramebuffer(0, 0, SIZE_PX, SIZE_PX, 0, 0, SIZE_PX, SIZE_PX,
                     f->kind == 'd' ? GL_DEPTH_BUFFER_BIT : GL_COLOR_BUFFER_BIT, GL_NEAREST);
   no_error("resolving");
   glDeleteFramebuffers(1, &to);
   return texture;
}

/* In the edge's column: the mean of four samples; of depths anything between. */
static bool
may_be(const struct samples_format *f, int channel, double have, double left, double right)
{
   if (f->kind == 'g') /* means of linear light, as the lookup gives them, rounded to bytes */
      return have >= fmin(left, right) - 0.01 && have <= fmax(left, right) + 0.01;
   if (f->kind == 'd')
      return have >= fmin(left, right) && have <= fmax(left, right);
   const double alpha = f->internal == GL_RGB5_A1 ? 0.51 : f->internal == GL_RGB10_A2 ? 0.17 : 0.04;
   const double off = f->internal == GL_R11F_G11F_B10F ? 1
                      : f->kind == 'f'                 ? 1e-3
                      : channel == 3                   ? alpha
                                                       : 0.04;
   for (int k = 0; k <= 4; k++) {
      if (fabs(have - (right + (left - right) * k / 4)) <= off)
         return true;
   }
   return false;
}

void
es3_samples(struct rules *r)
{
   refuse_integers(r);
   while (rules_next(r)) {
      const struct samples_format *f = &samples_formats[(size_t)r->n % COUNT(samples_formats)];
      const int most = f->kind == 'f' ? 60 : 1; /* all formats hold these exactly */
      int left[4], right[4];
      double have[SIZE_PX * SIZE_PX][4];
      GLuint renderbuffer, framebuffer = samples_framebuffer(r, f, &renderbuffer);
      for (int c = 0; c < 4; c++)
         left[c] = rules_between(r, 0, most), right[c] = rules_between(r, 0, most);
      paint_samples(r, f, left, right, EDGE_PX + rules_float(r, 0, 1));
      GLuint texture = resolve(f, framebuffer);
      read_resolved(r, texture, have);
      for (int i = 0; i < SIZE_PX * SIZE_PX * f->channels; i++) {
         const int p = i / f->channels, c = i % f->channels, x = p % SIZE_PX;
         const bool good = x == EDGE_PX ? may_be(f, c, have[p][c], left[c], right[c])
                                        : fabs(have[p][c] - (x < EDGE_PX ? left : right)[c]) < 1e-6;
         if (!good)
            rules_fail(r, "format 0x%04x: channel %d of pixel (%d, %d) is %g between %d and %d",
                       f->internal, c, x, p / SIZE_PX, have[p][c], left[c], right[c]);
      }
      glDeleteTextures(1, &texture);
      glDeleteRenderbuffers(1, &renderbuffer);
      glDeleteFramebuffers(1, &framebuffer);
   }
}

/* ------------------------------------------------------------------------------------- centroids
 */

/* A triangle whose corners are at least half a pixel apart, in pixels. */
static void
random_triangle(struct rules *r, float at[3][2])
{
   double area;
   do {
      for (int i = 0; i < 6; i++)
         at[i / 2][i % 2] = rules_float(r, -4, SIZE_PX + 4);
      area = (at[1][0] - at[0][0]) * (double)(at[2][1] - at[0][1]) -
             (at[2][0] - at[0][0]) * (double)(at[1][1] - at[0][1]);
   } while (fabs(area) < 8);
}

/* Draws it with weights of the corners as colour, over none. */
static void
draw_weights(const struct rules *r, bool centroid, const float at[3][2])
{
   char vertex[400], fragment[200];
   const char *const how = centroid ? "centroid" : "smooth";
   const GLfloat none[4] = { 0, 0, 0, 1 };
   snprintf(vertex, sizeof(vertex),
            "uniform vec2 at[3]; %s out vec3 weights; void main() {\n"
            "   weights = vec3(equal(ivec3(gl_VertexID), ivec3(0, 1, 2)));\n"
            "   gl_Position = vec4(at[gl_VertexID] / %d.0 * 2.0 - 1.0, 0.0, 1.0); }",
            how, SIZE_PX);
   snprintf(fragment, sizeof(fragment),
            "%s in vec3 weights; out vec4 v; void main() { v = vec4(weights, 1.0); }", how);
   GLuint program = es3_program(r, vertex, fragment);
   glClearBufferfv(GL_COLOR, 0, none);
   glUniform2fv(glGetUniformLocation(program, "at"), 3, at[0]);
   glDrawArrays(GL_TRIANGLES, 0, 3);
   glDeleteProgram(program);
   no_error("drawing a triangle of weights");
}

/* The least weight of all pixels, which are means of four samples: a negative one is there as a
 * fourth of it at least. */
static double
least_weight(struct rules *r, bool centroid, const float at[3][2])
{
   static const struct samples_format format = { GL_RGBA32F, 'f', 4 };
   double have[SIZE_PX * SIZE_PX][4], least = 1;
   GLuint renderbuffer, framebuffer = samples_framebuffer(r, &format, &renderbuffer);
   draw_weights(r, centroid, at);
   GLuint texture = resolve(&format, framebuffer);
   read_resolved(r, texture, have);
   for (int i = 0; i < SIZE_PX * SIZE_PX * 3; i++)
      least = fmin(least, have[i / 3][i % 3]);
   glDeleteTextures(1, &texture);
   glDeleteRenderbuffers(1, &renderbuffer);
   glDeleteFramebuffers(1, &framebuffer);
   return least;
}

/* GLSL ES 3.00, section 4.3.4: a centroid varying is interpolated inside of the pixel and
 * of the primitive, so no weight is negative. At centres some are. */
void
es3_centroid(struct rules *r)
{
   double least_of_centres = 1;
   while (rules_next(r)) {
      float at[3][2];
      random_triangle(r, at);
      const double least = least_weight(r, true, at);
      if (least < -1e-5)
         rules_fail(r, "(%g, %g) (%g, %g) (%g, %g): the weight of a corner is %g", at[0][0],
                    at[0][1], at[1][0], at[1][1], at[2][0], at[2][1], least);
      least_of_centres = fmin(least_of_centres, least_weight(r, false, at));
   }
   if (r->n >= 10 && least_of_centres > -0.01)
      rules_fail(r, "no triangle has weights outside of it, which nothing could show");
}
