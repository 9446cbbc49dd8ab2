/* SPDX-License-Identifier: MIT
 *
 * Depth and stencil of OpenGL ES 3.0: gl_FragDepth and stencil operations in every format (sections
 * 4.1.4 and 4.1.5), blits of both (4.3.3), which no call reads: comparisons tell. And derivatives
 * of GLSL ES 3.00 (section 8.9).
 */
#include "es3_rules.h"

#include <math.h>
#include <string.h>

enum { SIZE_PX = 16, PIXELS = SIZE_PX * SIZE_PX, STEPS = 32 };

static const struct depth_format {
   GLenum internal, attachment;
   bool depth, stencil;
} formats[] = {
   { GL_DEPTH_COMPONENT16, GL_DEPTH_ATTACHMENT, true, false },
   { GL_DEPTH_COMPONENT24, GL_DEPTH_ATTACHMENT, true, false },
   { GL_DEPTH_COMPONENT32F, GL_DEPTH_ATTACHMENT, true, false },
   { GL_DEPTH24_STENCIL8, GL_DEPTH_STENCIL_ATTACHMENT, true, true },
   { GL_DEPTH32F_STENCIL8, GL_DEPTH_STENCIL_ATTACHMENT, true, true },
   { GL_STENCIL_INDEX8, GL_STENCIL_ATTACHMENT, false, true },
};

/* A frame buffer with a colour of its own, and what its depth and stencil are. */
struct canvas {
   GLuint framebuffer, color, both;
   bool is_texture;
   uint8_t depth[PIXELS]; /* in steps of 1 / STEPS */
   uint8_t stencil[PIXELS];
};

struct box {
   int x, y, width, height;
};

static bool
inside(const struct box *b, int i)
{
   const int x = i % SIZE_PX, y = i / SIZE_PX;
   return x >= b->x && x < b->x + b->width && y >= b->y && y < b->y + b->height;
}

static struct box
random_box(struct rules *r)
{
   struct box b = { rules_between(r, 0, SIZE_PX - 1), rules_between(r, 0, SIZE_PX - 1) };
   b.width = rules_between(r, 1, SIZE_PX - b.x), b.height = rules_between(r, 1, SIZE_PX - b.y);
   glEnable(GL_SCISSOR_TEST);
   glScissor(b.x, b.y, b.width, b.height);
   return b;
}

static void
bind(const struct canvas *c)
{
   glBindFramebuffer(GL_FRAMEBUFFER, c->framebuffer);
   glViewport(0, 0, SIZE_PX, SIZE_PX);
}

/* Cleared to random values. */
static void
create(struct rules *r, const struct depth_format *format, struct canvas *c)
{
   c->is_texture = rules_chance(r, 50) && format->depth;
   glGenFramebuffers(1, &c->framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, c->framebuffer);
   glGenRenderbuffers(1, &c->color);
   glBindRenderbuffer(GL_RENDERBUFFER, c->color);
   glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, SIZE_PX, SIZE_PX);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, c->color);
   if (c->is_texture) {
      glGenTextures(1, &c->both);
      glBindTexture(GL_TEXTURE_2D, c->both);
      glTexStorage2D(GL_TEXTURE_2D, 1, format->internal, SIZE_PX, SIZE_PX);
      glFramebufferTexture2D(GL_FRAMEBUFFER, format->attachment, GL_TEXTURE_2D, c->both, 0);
   } else {
      glGenRenderbuffers(1, &c->both);
      glBindRenderbuffer(GL_RENDERBUFFER, c->both);
      glRenderbufferStorage(GL_RENDERBUFFER, format->internal, SIZE_PX, SIZE_PX);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, format->attachment, GL_RENDERBUFFER, c->both);
   }
   if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      rules_fail(r, "format 0x%04x is not complete", format->internal);
   const int depth = rules_between(r, 0, STEPS), stencil = rules_between(r, 0, 255);
   const GLfloat of_depth = (GLfloat)depth / STEPS;
   if (format->depth && format->stencil && rules_chance(r, 50)) {
      glClearBufferfi(GL_DEPTH_STENCIL, 0, of_depth, stencil);
   } else {
      if (format->depth)
         glClearBufferfv(GL_DEPTH, 0, &of_depth);
      if (format->stencil)
         glClearBufferiv(GL_STENCIL, 0, &stencil);
   }
   memset(c->depth, depth, PIXELS);
   memset(c->stencil, stencil, PIXELS);
}

static void delete (struct canvas *c)
{
   glDeleteFramebuffers(1, &c->framebuffer);
   glDeleteRenderbuffers(1, &c->color);
   if (c->is_texture)
      glDeleteTextures(1, &c->both);
   else
      glDeleteRenderbuffers(1, &c->both);
}

/* --------------------------------------------------------------------------------------- drawing
 */

/* Depth is (base + 3 x + 5 y) mod STEPS steps. */
static const char depth_fragment[] =
   "uniform int base; out vec4 v;\n"
   "void main() {\n"
   "   ivec2 at = ivec2(gl_FragCoord.xy);\n"
   "   gl_FragDepth = float((base + 3 * at.x + 5 * at.y) % 32) / 32.0;\n"
   "   v = vec4(1.0);\n"
   "}\n";

static uint8_t
stencil_after(GLenum op, uint8_t stencil, uint8_t reference)
{
   switch (op) {
   case GL_ZERO:
      return 0;
   case GL_REPLACE:
      return reference;
   case GL_INCR:
      return stencil == 255 ? 255 : stencil + 1;
   case GL_DECR:
      return stencil == 0 ? 0 : stencil - 1;
   case GL_INCR_WRAP:
      return (uint8_t)(stencil + 1);
   case GL_DECR_WRAP:
      return (uint8_t)(stencil - 1);
   case GL_INVERT:
      return (uint8_t)~stencil;
   default:
      return stencil;
   }
}

/* A draw in a box: less depth passes; what the stencil becomes where it does, and where not. */
static void
draw(struct rules *r, const struct depth_format *format, struct canvas *c, GLuint program)
{
   static const GLenum ops[] = { GL_KEEP, GL_ZERO,      GL_REPLACE,   GL_INCR,
                                 GL_DECR, GL_INCR_WRAP, GL_DECR_WRAP, GL_INVERT };
   const GLenum fail = rules_pick(r, ops), pass = rules_pick(r, ops);
   const int base = rules_below(r, STEPS);
   const uint8_t reference = (uint8_t)rules_below(r, 256), mask = (uint8_t)rules_below(r, 256);
   const struct box box = random_box(r);
   if (format->depth) {
      glEnable(GL_DEPTH_TEST);
      glDepthFunc(GL_LESS);
      glDepthMask(GL_TRUE);
   }
   if (format->stencil) {
      glEnable(GL_STENCIL_TEST);
      glStencilFunc(GL_ALWAYS, reference, 255);
      glStencilMask(mask);
      glStencilOp(GL_KEEP, fail, pass);
   }
   glUniform1i(glGetUniformLocation(program, "base"), base);
   es3_draw_whole();
   for (int i = 0; i < PIXELS; i++) {
      if (!inside(&box, i))
         continue;
      const uint8_t depth = (uint8_t)((base + 3 * (i % SIZE_PX) + 5 * (i / SIZE_PX)) % STEPS);
      const bool passes = !format->depth || depth < c->depth[i];
      const uint8_t fresh = stencil_after(passes ? pass : fail, c->stencil[i], reference);
      if (format->depth && passes)
         c->depth[i] = depth;
      if (format->stencil)
         c->stencil[i] = (uint8_t)((fresh & mask) | (c->stencil[i] & ~mask));
   }
   glDisable(GL_SCISSOR_TEST);
   glDisable(GL_DEPTH_TEST);
   glDisable(GL_STENCIL_TEST);
   glStencilMask(255);
}

static void
blit(struct rules *r, const struct depth_format *format, struct canvas *from, struct canvas *to)
{
   const bool depth = format->depth && (!format->stencil || rules_chance(r, 70)),
              stencil = format->stencil && (!depth || rules_chance(r, 70));
   glBindFramebuffer(GL_READ_FRAMEBUFFER, from->framebuffer);
   glBindFramebuffer(GL_DRAW_FRAMEBUFFER, to->framebuffer);
   const struct box box = random_box(r);
   glBlitFramebuffer(0, 0, SIZE_PX, SIZE_PX, 0, 0, SIZE_PX, SIZE_PX,
                     (depth ? GL_DEPTH_BUFFER_BIT : 0u) | (stencil ? GL_STENCIL_BUFFER_BIT : 0u),
                     GL_NEAREST);
   no_error("a blit of depth and stencil");
   for (int i = 0; i < PIXELS; i++) {
      if (inside(&box, i) && depth)
         to->depth[i] = from->depth[i];
      if (inside(&box, i) && stencil)
         to->stencil[i] = from->stencil[i];
   }
   glDisable(GL_SCISSOR_TEST);
}

/* --------------------------------------------------------------------------------------- looking
 */

/* Read back which pixels the draw in white passed in. */
static void
reached(struct rules *r, bool white[PIXELS])
{
   uint8_t pixels[PIXELS][4];
   glReadPixels(0, 0, SIZE_PX, SIZE_PX, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   no_error("reading what depth and stencil let through");
   rules_hash(r, pixels, sizeof(pixels));
   for (int i = 0; i < PIXELS; i++)
      white[i] = pixels[i][0] == 255;
}

/* Each depth is compared with values half a step below and above it, so that no format's rounding
 * decides. */
static void
expect_depth(struct rules *r, const struct depth_format *format, const struct canvas *c,
             GLuint program)
{
   static const GLfloat black[4];
   glUseProgram(program);
   glEnable(GL_DEPTH_TEST);
   glDepthMask(GL_FALSE);
   glDepthFunc(GL_GREATER);
   for (int step = 0; step < STEPS; step++) {
      bool white[PIXELS];
      glClearBufferfv(GL_COLOR, 0, black);
      glUniform1f(glGetUniformLocation(program, "depth"), ((GLfloat)step + 0.5f) / STEPS);
      es3_draw_whole();
      reached(r, white);
      for (int i = 0; i < PIXELS; i++) {
         if (white[i] != (step >= c->depth[i]))
            rules_fail(r, "format 0x%04x: depth of pixel %d is %s %g, not %g", format->internal, i,
                       white[i] ? "below" : "above", (step + 0.5) / STEPS,
                       (double)c->depth[i] / STEPS);
      }
   }
   glDisable(GL_DEPTH_TEST);
   glDepthMask(GL_TRUE);
}

static void
expect_stencil(struct rules *r, const struct depth_format *format, const struct canvas *c,
               GLuint program)
{
   static const GLfloat black[4];
   glUseProgram(program);
   glEnable(GL_STENCIL_TEST);
   glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
   for (int bit = 0; bit < 8; bit++) {
      bool white[PIXELS];
      glClearBufferfv(GL_COLOR, 0, black);
      glStencilFunc(GL_EQUAL, 255, 1u << bit);
      es3_draw_whole();
      reached(r, white);
      for (int i = 0; i < PIXELS; i++) {
         if (white[i] != (c->stencil[i] >> bit & 1))
            rules_fail(r, "format 0x%04x: bit %d of the stencil of pixel %d is %d; it should be %d",
                       format->internal, bit, i, white[i], c->stencil[i]);
      }
   }
   glDisable(GL_STENCIL_TEST);
}

void
es3_depth_stencil(struct rules *r)
{
   while (rules_next(r)) {
      const struct depth_format *format = &formats[r->n % (int)COUNT(formats)];
      struct canvas c[2];
      create(r, format, &c[0]);
      create(r, format, &c[1]);
      GLuint drawn = es3_program(r, es3_vertex_whole, depth_fragment);
      for (int k = rules_between(r, 1, 6); k > 0; k--) {
         const int at = rules_below(r, 2);
         bind(&c[at]);
         if (rules_chance(r, 30))
            blit(r, format, &c[!at], &c[at]);
         else
            draw(r, format, &c[at], drawn);
      }
      GLuint looked = es3_program(r, es3_vertex_whole,
                                  "uniform float depth; out vec4 v;\n"
                                  "void main() { gl_FragDepth = depth; v = vec4(1.0); }\n");
      for (int k = 0; k < 2; k++) {
         bind(&c[k]);
         if (format->depth)
            expect_depth(r, format, &c[k], looked);
         if (format->stencil)
            expect_stencil(r, format, &c[k], looked);
         delete (&c[k]);
      }
      glDeleteProgram(drawn);
      glDeleteProgram(looked);
   }
}

/* ----------------------------------------------------------------------------------- derivatives
 */

/* Derivatives of a x + b y + c, of a scalar and of a vector, in a uniform branch: of what is linear
 * any differences of neighbours give a and b. */
void
es3_derivatives(struct rules *r)
{
   while (rules_next(r)) {
      struct es3_target target = es3_target_create(GL_RGBA32F, SIZE_PX, SIZE_PX);
      GLuint program =
         es3_program(r, es3_vertex_whole,
                     "uniform vec3 abc; uniform bool yes; out vec4 v;\n"
                     "void main() {\n"
                     "   float f = dot(abc, vec3(gl_FragCoord.xy, 1.0));\n"
                     "   if (yes) {\n"
                     "      vec3 g = vec3(f, -2.0 * f, 1.0);\n"
                     "      v = vec4(dFdx(f), dFdy(g).y, fwidth(g).y, fwidth(g).z + dFdx(g).x);\n"
                     "   }\n"
                     "}\n");
      const float abc[3] = { (float)rules_between(r, -64, 64) / 8,
                             (float)rules_between(r, -64, 64) / 8, (float)rules_between(r, -8, 8) };
      const double wanted[4] = { (double)abc[0], -2 * (double)abc[1],
                                 2 * fabs((double)abc[0]) + 2 * fabs((double)abc[1]),
                                 (double)abc[0] };
      float have[PIXELS][4];
      glUniform3fv(glGetUniformLocation(program, "abc"), 1, abc);
      glUniform1i(glGetUniformLocation(program, "yes"), 1);
      es3_draw_whole();
      glReadPixels(0, 0, SIZE_PX, SIZE_PX, GL_RGBA, GL_FLOAT, have);
      no_error("reading derivatives");
      rules_hash(r, have, sizeof(have));
      for (int k = 0; k < 4 * PIXELS; k++) {
         if ((double)have[k / 4][k % 4] != wanted[k % 4])
            rules_fail(r, "derivatives of %g x + %g y + %g: number %d at pixel %d is %g, not %g",
                       (double)abc[0], (double)abc[1], (double)abc[2], k % 4, k / 4,
                       (double)have[k / 4][k % 4], wanted[k % 4]);
      }
      glDeleteProgram(program);
      es3_target_delete(&target);
   }
}
