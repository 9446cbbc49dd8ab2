/* SPDX-License-Identifier: MIT
 *
 * Depth textures: uploaded in part, rendered to in part, then sampled, as they are
 * (OES_depth_texture: as luminance; those of a sized internal format, as the conformance suite has
 * it: as red) and compared with a reference (EXT_shadow_samplers). Shown with 16 bits, in red and
 * green.
 */
#include "texture_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PX = 48 };

static const char vertex_source[] = "attribute highp vec4 position; attribute highp vec2 coordinate; varying highp vec2 v;\n"
                                    "void main() { gl_Position = position; v = coordinate; }\n";
static const char show_source[] = "precision highp float; varying vec2 v; uniform highp sampler2D image;\n"
                                  "uniform float luminance;\n"
                                  "void main() {\n"
                                  "   vec4 texel = texture2D(image, v);\n"
                                  "   float n = floor(texel.r * 65535.0 + 0.5), high = floor((n + 0.5) / 256.0);\n"
                                  "   bool others = all(equal(texel.gb, vec2(texel.r * luminance)));\n"
                                  "   gl_FragColor = vec4(high / 255.0, (n - high * 256.0) / 255.0, others ? 0.0 : 1.0, texel.a);\n"
                                  "}\n";
static const char compare_source[] = "#extension GL_EXT_shadow_samplers : require\n"
                                     "precision highp float; varying vec2 v; uniform highp sampler2DShadow image;\n"
                                     "uniform float reference;\n"
                                     "void main() { gl_FragColor = vec4(shadow2DEXT(image, vec3(v, reference))); }\n";

struct depth_image {
   const struct image_format *format;
   bool sized; /* the internal format is */
   GLuint texture, framebuffer, colour;
   int width, height;
   double *depth;
};

static GLenum
internal_format(const struct depth_image *d)
{
   return !d->sized                                   ? d->format->format
          : d->format->format == GL_DEPTH_STENCIL_OES ? GL_DEPTH24_STENCIL8_OES
          : d->format->type == GL_UNSIGNED_SHORT      ? GL_DEPTH_COMPONENT16
                                                      : GL_DEPTH_COMPONENT24_OES;
}

static void
create_image(struct rules *r, struct depth_image *d)
{
   struct ref_level level;
   uint8_t *bytes = random_level(r, d->format, &level, d->width, d->height, 1);
   glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
   glGenTextures(1, &d->texture);
   glBindTexture(GL_TEXTURE_2D, d->texture);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
   glTexImage2D(GL_TEXTURE_2D, 0, (GLint)internal_format(d), d->width, d->height, 0,
                d->format->format, d->format->type, bytes);
   no_error("a depth texture");
   d->depth = calloc((size_t)d->width * d->height, sizeof(*d->depth));
   for (int i = 0; i < d->width * d->height; i++)
      d->depth[i] = level.texel[i][0];
   free(level.texel);
   free(bytes);

   glGenRenderbuffers(1, &d->colour);
   glBindRenderbuffer(GL_RENDERBUFFER, d->colour);
   glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8_OES, d->width, d->height);
   glGenFramebuffers(1, &d->framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, d->framebuffer);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, d->colour);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, d->texture, 0);
   if (d->format->format == GL_DEPTH_STENCIL_OES)
      glFramebufferTexture2D(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, GL_TEXTURE_2D, d->texture, 0);
   if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      rules_fail(r, "a frame buffer with a depth texture, %s, is not complete", d->format->name);
}

/* A rectangle of pixels gets the depths of a plane, or those of a clear, where the depth test lets
 * it. */
static void
render(struct rules *r, struct depth_image *d)
{
   const int x = rules_between(r, 0, d->width - 1), y = rules_between(r, 0, d->height - 1);
   const int width = rules_between(r, 1, d->width - x), height = rules_between(r, 1, d->height - y);
   const bool clear = rules_chance(r, 40);
   const float z[3] = { rules_float(r, -0.9f, 0.9f), rules_float(r, -0.9f, 0.9f),
                        rules_float(r, -0.9f, 0.9f) };
   glBindFramebuffer(GL_FRAMEBUFFER, d->framebuffer);
   glViewport(0, 0, d->width, d->height);
   glEnable(GL_SCISSOR_TEST);
   glScissor(x, y, width, height);
   if (clear) {
      glClearDepthf((z[0] + 1) / 2);
      glClear(GL_DEPTH_BUFFER_BIT);
   } else {
      /* a triangle over all: its corners at (-1, -1), (3, -1) and (-1, 3) */
      const float vertices[3][8] = { { -1, -1, z[0], 1 }, { 3, -1, z[1], 1 }, { -1, 3, z[2], 1 } };
      glEnable(GL_DEPTH_TEST);
      glDepthFunc(GL_ALWAYS);
      glBindBuffer(GL_ARRAY_BUFFER, 0);
      draw_vertices(vertices, 3);
      glDisable(GL_DEPTH_TEST);
   }
   glDisable(GL_SCISSOR_TEST);
   for (int i = 0; i < width * height; i++) {
      const int at_x = x + i % width, at_y = y + i / width;
      const double s = (at_x + 0.5) / d->width / 2, t = (at_y + 0.5) / d->height / 2;
      const double plane = z[0] + s * ((double)z[1] - z[0]) + t * ((double)z[2] - z[0]);
      d->depth[at_y * d->width + at_x] = ((clear ? (double)z[0] : plane) + 1) / 2;
   }
}

static void
expect_depths(struct rules *r, const struct depth_image *d)
{
   uint8_t *pixels = rules_read(r, d->width, d->height);
   for (int i = 0; i < d->width * d->height; i++) {
      const uint8_t *p = pixels + 4 * i;
      const double have = (p[0] * 256 + p[1]) / 65535.0;
      if (fabs(have - d->depth[i]) > 1.02 / 65535 || p[2] != 0 || p[3] != 255)
         rules_fail(
            r, "%s, %d x %d: depth (%d, %d) is %f, not %f; green and blue are %s of %s, alpha %d",
            d->format->name, d->width, d->height, i % d->width, i / d->width, have, d->depth[i],
            p[2] ? "not those" : "those", d->sized ? "red" : "luminance", p[3]);
   }
   free(pixels);
}

static bool
passes(GLenum func, double reference, double depth)
{
   switch (func) {
   case GL_NEVER:
      return false;
   case GL_LESS:
      return reference < depth;
   case GL_EQUAL:
      return reference == depth;
   case GL_LEQUAL:
      return reference <= depth;
   case GL_GREATER:
      return reference > depth;
   case GL_NOTEQUAL:
      return reference != depth;
   case GL_GEQUAL:
      return reference >= depth;
   default:
      return true;
   }
}

/* EXT_shadow_samplers: 1 where the comparison holds; either where rounding to the format may
 * decide. */
static void
expect_comparison(struct rules *r, const struct depth_image *d, GLuint program)
{
   static const GLenum funcs[] = { GL_NEVER,   GL_LESS,     GL_EQUAL,  GL_LEQUAL,
                                   GL_GREATER, GL_NOTEQUAL, GL_GEQUAL, GL_ALWAYS };
   const GLenum func = rules_pick(r, funcs);
   const float reference =
      rules_chance(r, 20) ? (float)rules_between(r, -1, 2) : rules_float(r, 0, 1);
   const double clamped = fmin(fmax(reference, 0), 1);
   glUseProgram(program);
   glUniform1f(glGetUniformLocation(program, "reference"), reference);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE_EXT, GL_COMPARE_REF_TO_TEXTURE_EXT);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC_EXT, (GLint)func);
   draw_whole_texture();
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE_EXT, GL_NONE);
   uint8_t *pixels = rules_read(r, d->width, d->height);
   for (int i = 0; i < d->width * d->height; i++) {
      const bool near = fabs(clamped - d->depth[i]) < 1.0 / 65535;
      if (!near && pixels[4 * i] != (passes(func, clamped, d->depth[i]) ? 255 : 0))
         rules_fail(r, "%s: reference %f, comparison %x with depth %f gives %d", d->format->name,
                    reference, func, d->depth[i], pixels[4 * i]);
   }
   free(pixels);
}

void
tex_depth(struct rules *r)
{
   if (!has_extension("GL_OES_depth_texture"))
      rules_skip("no GL_OES_depth_texture");
   struct tex_canvas canvas = tex_canvas_create(MOST_PX, MOST_PX);
   const GLuint plain = program_create(plain_vertex, plain_fragment);
   const GLuint show = program_link(vertex_source, show_source);
   const bool compares = has_extension("GL_EXT_shadow_samplers");
   const bool sizes = has_extension("GL_OES_required_internalformat");
   const GLuint compare = compares ? program_link(vertex_source, compare_source) : 0;
   while (rules_next(r)) {
      struct depth_image d = { .format = &image_formats[IMAGE_FORMATS - 1 - r->n % 3],
                               .sized = sizes && r->n / 3 % 2,
                               .width = rules_between(r, 1, MOST_PX),
                               .height = rules_between(r, 1, MOST_PX) };
      create_image(r, &d);
      for (int step = 0; step < 3; step++) {
         glUseProgram(plain);
         if (rules_chance(r, 80))
            render(r, &d);
         tex_canvas_bind(&canvas);
         glViewport(0, 0, d.width, d.height);
         glBindTexture(GL_TEXTURE_2D, d.texture);
         glUseProgram(show);
         glUniform1f(glGetUniformLocation(show, "luminance"), d.sized ? 0 : 1);
         draw_whole_texture();
         expect_depths(r, &d);
         if (compares)
            expect_comparison(r, &d, compare);
      }
      glDeleteFramebuffers(1, &d.framebuffer);
      glDeleteRenderbuffers(1, &d.colour);
      glDeleteTextures(1, &d.texture);
      free(d.depth);
   }
   tex_canvas_delete(&canvas);
}
