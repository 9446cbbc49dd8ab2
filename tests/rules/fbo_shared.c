/* SPDX-License-Identifier: MIT
 *
 * Images that several frame buffer objects share: colours and depth-stencil pairs are attached here
 * and there, cleared and drawn to through any of them, given new sizes, discarded, deleted and made
 * anew. The reference does the same to arrays; all colours are compared at the end, and depth and
 * stencil through what their tests let pass. The same with four samples
 * (EXT_multisampled_render_to_texture), which cannot be seen, since whole pixels are drawn:
 * textures are attached with and without, renderbuffers have them.
 */
#include "texture_rules.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PX = 150, COLOURS = 3, DEPTHS = 2, FRAMEBUFFERS = 3, STEPS = 40, DEPTH_STEPS = 16 };

struct image {
   GLuint texture, renderbuffer; /* one of them */
   uint8_t colour[MOST_PX * MOST_PX][4];
   uint8_t depth[MOST_PX * MOST_PX], stencil[MOST_PX * MOST_PX]; /* depth in DEPTH_STEPS-ths */
};

struct world {
   int width, height;
   struct image colour[COLOURS], depth[DEPTHS];
   GLuint framebuffer[FRAMEBUFFERS];
   int has_colour[FRAMEBUFFERS], has_depth[FRAMEBUFFERS]; /* has_depth -1: none */
   int bound;
   bool samples;
};

struct rectangle {
   int x, y, width, height;
};

static const GLenum compares[] = { GL_NEVER,   GL_LESS,     GL_EQUAL,  GL_LEQUAL,
                                   GL_GREATER, GL_NOTEQUAL, GL_GEQUAL, GL_ALWAYS };
static const GLenum operations[] = { GL_KEEP, GL_ZERO,   GL_REPLACE,   GL_INCR,
                                     GL_DECR, GL_INVERT, GL_INCR_WRAP, GL_DECR_WRAP };

/* --------------------------------------------------------------------------------------- images */

enum { SAMPLES = 4 };

static void
specify(const struct world *w, const struct image *image, bool depth)
{
   const GLenum format = depth ? GL_DEPTH24_STENCIL8_OES : GL_RGBA8_OES;
   if (image->texture) {
      glBindTexture(GL_TEXTURE_2D, image->texture);
      glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, w->width, w->height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                   NULL);
   } else {
      glBindRenderbuffer(GL_RENDERBUFFER, image->renderbuffer);
      if (w->samples)
         ((PFNGLRENDERBUFFERSTORAGEMULTISAMPLEEXTPROC)eglGetProcAddress(
            "glRenderbufferStorageMultisampleEXT"))(GL_RENDERBUFFER, SAMPLES, format, w->width,
                                                    w->height);
      else
         glRenderbufferStorage(GL_RENDERBUFFER, format, w->width, w->height);
   }
}

static void
create_image(const struct world *w, struct image *image, bool depth, bool texture)
{
   image->texture = image->renderbuffer = 0;
   if (texture)
      glGenTextures(1, &image->texture);
   else
      glGenRenderbuffers(1, &image->renderbuffer);
   specify(w, image, depth);
}

static void
attach(GLenum point, const struct image *image, bool samples)
{
   if (image && image->texture && samples)
      ((PFNGLFRAMEBUFFERTEXTURE2DMULTISAMPLEEXTPROC)eglGetProcAddress(
         "glFramebufferTexture2DMultisampleEXT"))(GL_FRAMEBUFFER, point, GL_TEXTURE_2D,
                                                  image->texture, 0, SAMPLES);
   else if (image && image->texture)
      glFramebufferTexture2D(GL_FRAMEBUFFER, point, GL_TEXTURE_2D, image->texture, 0);
   else
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, point, GL_RENDERBUFFER,
                                image ? image->renderbuffer : 0);
}

static void
bind(struct world *w, int framebuffer)
{
   glBindFramebuffer(GL_FRAMEBUFFER, w->framebuffer[framebuffer]);
   glViewport(0, 0, w->width, w->height);
   w->bound = framebuffer;
}

/* A texture that is alone has one sample in every other frame buffer. */
static void
attach_both(struct world *w, int framebuffer)
{
   bind(w, framebuffer);
   const struct image *depth =
      w->has_depth[framebuffer] < 0 ? NULL : &w->depth[w->has_depth[framebuffer]];
   attach(GL_COLOR_ATTACHMENT0, &w->colour[w->has_colour[framebuffer]],
          w->samples && (depth || framebuffer % 2));
   attach(GL_DEPTH_ATTACHMENT, depth, w->samples);
   attach(GL_STENCIL_ATTACHMENT, depth, w->samples);
}

/* Gives the images of the bound frame buffer contents that are known. */
static void
clear_all(struct rules *r, struct world *w)
{
   struct image *colour = &w->colour[w->has_colour[w->bound]];
   struct image *depth = w->has_depth[w->bound] < 0 ? NULL : &w->depth[w->has_depth[w->bound]];
   uint8_t value[4];
   for (int c = 0; c < 4; c++)
      value[c] = (uint8_t)rules_below(r, 256);
   const int z = rules_between(r, 0, DEPTH_STEPS), s = rules_between(r, 0, 255);
   glClearColor(value[0] / 255.0f, value[1] / 255.0f, value[2] / 255.0f, value[3] / 255.0f);
   glClearDepthf((float)z / DEPTH_STEPS);
   glClearStencil(s);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
   for (int i = 0; i < w->width * w->height; i++) {
      memcpy(colour->colour[i], value, 4);
      if (depth)
         depth->depth[i] = (uint8_t)z, depth->stencil[i] = (uint8_t)s;
   }
}

/* ---------------------------------------------------------------------------------------- steps */

static struct rectangle
random_rectangle(struct rules *r, const struct world *w)
{
   struct rectangle rect = { rules_between(r, 0, w->width - 1), rules_between(r, 0, w->height - 1),
                             0, 0 };
   rect.width = rules_between(r, 1, w->width - rect.x),
   rect.height = rules_between(r, 1, w->height - rect.y);
   return rules_chance(r, 25) ? (struct rectangle){ 0, 0, w->width, w->height } : rect;
}

struct masks {
   unsigned colour, stencil;
   bool depth;
};

static struct masks
random_masks(struct rules *r)
{
   struct masks m = { 15, 255, true };
   if (rules_chance(r, 40))
      m = (struct masks){ rules_below(r, 16), rules_below(r, 256), rules_chance(r, 60) };
   glColorMask(m.colour & 1, m.colour >> 1 & 1, m.colour >> 2 & 1, m.colour >> 3 & 1);
   glStencilMask(m.stencil);
   glDepthMask(m.depth);
   return m;
}

static void
reset_masks(void)
{
   glColorMask(1, 1, 1, 1);
   glStencilMask(255);
   glDepthMask(1);
}

static void
write_colour(uint8_t *to, const uint8_t *value, unsigned mask)
{
   for (int c = 0; c < 4; c++)
      to[c] = mask >> c & 1 ? value[c] : to[c];
}

static void
clear_some(struct rules *r, struct world *w)
{
   struct image *colour = &w->colour[w->has_colour[w->bound]];
   struct image *depth = w->has_depth[w->bound] < 0 ? NULL : &w->depth[w->has_depth[w->bound]];
   const struct rectangle at = random_rectangle(r, w);
   const struct masks m = random_masks(r);
   const unsigned buffers = rules_below(r, 8);
   const int z = rules_between(r, 0, DEPTH_STEPS), s = rules_between(r, 0, 255);
   uint8_t value[4];
   for (int c = 0; c < 4; c++)
      value[c] = (uint8_t)rules_below(r, 256);
   glClearColor(value[0] / 255.0f, value[1] / 255.0f, value[2] / 255.0f, value[3] / 255.0f);
   glClearDepthf((float)z / DEPTH_STEPS);
   glClearStencil(s);
   glEnable(GL_SCISSOR_TEST);
   glScissor(at.x, at.y, at.width, at.height);
   glClear((buffers & 1 ? GL_COLOR_BUFFER_BIT : 0) | (buffers & 2 ? GL_DEPTH_BUFFER_BIT : 0) |
           (buffers & 4 ? GL_STENCIL_BUFFER_BIT : 0));
   glDisable(GL_SCISSOR_TEST);
   reset_masks();
   for (int i = 0; i < at.width * at.height; i++) {
      const int p = (at.y + i / at.width) * w->width + at.x + i % at.width;
      if (buffers & 1)
         write_colour(colour->colour[p], value, m.colour);
      if (buffers & 2 && depth && m.depth)
         depth->depth[p] = (uint8_t)z;
      if (buffers & 4 && depth)
         depth->stencil[p] = (uint8_t)((depth->stencil[p] & ~m.stencil) | (s & m.stencil));
   }
}

static bool
compare(GLenum func, int a, int b)
{
   const int index = (int)(func - GL_NEVER); /* bits: less, equal, greater */
   return (index & 1 && a < b) || (index & 2 && a == b) || (index & 4 && a > b);
}

static int
operate(GLenum operation, int value, int reference)
{
   switch (operation) {
   case GL_ZERO:
      return 0;
   case GL_REPLACE:
      return reference;
   case GL_INCR:
      return value < 255 ? value + 1 : 255;
   case GL_DECR:
      return value ? value - 1 : 0;
   case GL_INVERT:
      return ~value & 255;
   case GL_INCR_WRAP:
      return (value + 1) & 255;
   case GL_DECR_WRAP:
      return (value - 1) & 255;
   default:
      return value;
   }
}

/* A rectangle of whole pixels with the stencil and the depth test, each perhaps off. */
static void
draw(struct rules *r, struct world *w)
{
   struct image *colour = &w->colour[w->has_colour[w->bound]];
   struct image *depth = w->has_depth[w->bound] < 0 ? NULL : &w->depth[w->has_depth[w->bound]];
   const struct rectangle at = random_rectangle(r, w);
   const struct masks m = random_masks(r);
   const bool depth_test = rules_chance(r, 60), stencil_test = rules_chance(r, 50);
   const GLenum depth_func = rules_pick(r, compares), stencil_func = rules_pick(r, compares);
   const GLenum fail = rules_pick(r, operations), zfail = rules_pick(r, operations),
                pass = rules_pick(r, operations);
   const int reference = rules_between(r, 0, 255), z = rules_between(r, 0, DEPTH_STEPS);
   const unsigned read_mask = rules_chance(r, 50) ? 255 : rules_below(r, 256);
   uint8_t value[4];
   float shade[4];
   for (int c = 0; c < 4; c++)
      value[c] = (uint8_t)rules_below(r, 256), shade[c] = value[c] / 255.0f;
   (depth_test ? glEnable : glDisable)(GL_DEPTH_TEST);
   (stencil_test ? glEnable : glDisable)(GL_STENCIL_TEST);
   glDepthFunc(depth_func);
   glStencilFunc(stencil_func, reference, read_mask);
   glStencilOp(fail, zfail, pass);
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   draw_rectangle(2.0f * at.x / w->width - 1, 2.0f * at.y / w->height - 1,
                  2.0f * (at.x + at.width) / w->width - 1,
                  2.0f * (at.y + at.height) / w->height - 1, 2.0f * z / DEPTH_STEPS - 1, shade);
   glDisable(GL_DEPTH_TEST);
   glDisable(GL_STENCIL_TEST);
   reset_masks();
   for (int i = 0; i < at.width * at.height; i++) {
      const int p = (at.y + i / at.width) * w->width + at.x + i % at.width;
      bool visible = true;
      if (stencil_test && depth) {
         const int old = depth->stencil[p];
         const bool passes =
            compare(stencil_func, reference & (int)read_mask, old & (int)read_mask);
         const bool nearer = !depth_test || compare(depth_func, z, depth->depth[p]);
         const int new = operate(!passes ? fail : nearer ? pass : zfail, old, reference);
         depth->stencil[p] = (uint8_t)((old & ~m.stencil) | ((unsigned)new & m.stencil));
         visible = passes;
      }
      if (visible && depth_test && depth) {
         visible = compare(depth_func, z, depth->depth[p]);
         if (visible && m.depth)
            depth->depth[p] = (uint8_t)z;
      }
      if (visible)
         write_colour(colour->colour[p], value, m.colour);
   }
}

static void
resize(struct rules *r, struct world *w)
{
   w->width = rules_between(r, 1, MOST_PX), w->height = rules_between(r, 1, MOST_PX);
   for (int i = 0; i < COLOURS; i++)
      specify(w, &w->colour[i], false);
   for (int i = 0; i < DEPTHS; i++)
      specify(w, &w->depth[i], true);
   /* each image once, through some frame buffer */
   for (int i = 0; i < COLOURS; i++) {
      w->has_colour[0] = i;
      w->has_depth[0] = i % DEPTHS;
      attach_both(w, 0);
      clear_all(r, w);
   }
}

static void
recreate(struct rules *r, struct world *w)
{
   const bool is_depth = rules_chance(r, 50);
   const int which = (int)rules_below(r, is_depth ? DEPTHS : COLOURS);
   struct image *image = is_depth ? &w->depth[which] : &w->colour[which];
   glDeleteTextures(1, &image->texture);
   glDeleteRenderbuffers(1, &image->renderbuffer);
   create_image(w, image, is_depth, !is_depth && rules_chance(r, 50));
   for (int i = 0; i < FRAMEBUFFERS; i++) /* what still holds the deleted one gets the new one */
      attach_both(w, i);
   w->has_colour[0] = is_depth ? w->has_colour[0] : which;
   w->has_depth[0] = is_depth ? which : w->has_depth[0];
   attach_both(w, 0);
   clear_all(r, w);
}

static void
discard(struct rules *r, struct world *w)
{
   const GLenum points[3] = { GL_COLOR_ATTACHMENT0, GL_DEPTH_ATTACHMENT, GL_STENCIL_ATTACHMENT };
   const PFNGLDISCARDFRAMEBUFFEREXTPROC function =
      (PFNGLDISCARDFRAMEBUFFEREXTPROC)eglGetProcAddress("glDiscardFramebufferEXT");
   if (!has_extension("GL_EXT_discard_framebuffer"))
      return;
   function(GL_FRAMEBUFFER, rules_between(r, 1, 3), points);
   clear_all(r, w);
}

static void
expect_colour(struct rules *r, const struct world *w, int step)
{
   static const int exactly[4];
   char what[60];
   uint8_t *pixels = rules_read(r, w->width, w->height);
   snprintf(what, sizeof(what), "a shared colour after step %d", step);
   rules_expect(r, w->width, w->height, pixels, w->colour[w->has_colour[w->bound]].colour[0],
                exactly, what);
   free(pixels);
}

/* What a texture shows where it is sampled; its frame buffers are left as they are. */
static void
expect_shown(struct rules *r, const struct world *w, GLuint showing, GLuint drawing)
{
   static const float white[4] = { 1, 1, 1, 1 };
   static const int exactly[4];
   const struct image *image = &w->colour[w->has_colour[w->bound]];
   if (!image->texture)
      return;
   struct target target = target_create(w->width, w->height);
   glUseProgram(showing);
   glBindTexture(GL_TEXTURE_2D, image->texture);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
   draw_rectangle(-1, -1, 1, 1, 0, white);
   glUseProgram(drawing);
   uint8_t *pixels = rules_read(r, w->width, w->height);
   rules_expect(r, w->width, w->height, pixels, image->colour[0], exactly,
                "a shared texture, sampled");
   free(pixels);
   target_delete(&target);
}

static const char showing_vertex[] = "attribute vec4 position, colour; varying highp vec2 v;\n"
                                     "void main() { gl_Position = position; v = position.xy * 0.5 + 0.5 + 0.0 * colour.xy; }\n";
static const char showing_fragment[] =
   "uniform sampler2D s; varying highp vec2 v; void main() { gl_FragColor = texture2D(s, v); }\n";

static void
shared(struct rules *r, bool samples)
{
   if (!has_extension("GL_OES_packed_depth_stencil"))
      rules_skip("no GL_OES_packed_depth_stencil");
   if (samples && !has_extension("GL_EXT_multisampled_render_to_texture"))
      rules_skip("no GL_EXT_multisampled_render_to_texture");
   const GLuint showing = program_create(showing_vertex, showing_fragment),
                drawing = program_create(plain_vertex, plain_fragment);
   while (rules_next(r)) {
      static struct world w;
      w.width = w.height = 1;
      w.samples = samples;
      glGenFramebuffers(FRAMEBUFFERS, w.framebuffer);
      for (int i = 0; i < COLOURS; i++)
         create_image(&w, &w.colour[i], false, i & 1);
      for (int i = 0; i < DEPTHS; i++)
         create_image(&w, &w.depth[i], true, false);
      for (int i = 0; i < FRAMEBUFFERS; i++) {
         w.has_colour[i] = rules_between(r, 0, COLOURS - 1);
         w.has_depth[i] = rules_between(r, 0, DEPTHS - 1);
         attach_both(&w, i);
      }
      resize(r, &w);
      for (int step = 0; step < STEPS; step++) {
         const uint32_t kind = rules_below(r, 100);
         bind(&w, rules_between(r, 0, FRAMEBUFFERS - 1));
         if (kind < 45) {
            draw(r, &w);
         } else if (kind < 75) {
            clear_some(r, &w);
         } else if (kind < 88) {
            w.has_colour[w.bound] = rules_between(r, 0, COLOURS - 1);
            w.has_depth[w.bound] = rules_between(r, -1, DEPTHS - 1);
            attach_both(&w, w.bound);
         } else if (kind < 91) {
            resize(r, &w);
         } else if (kind < 94) {
            recreate(r, &w);
         } else if (kind < 95) {
            discard(r, &w);
         } else if (kind < 98) {
            expect_shown(r, &w, showing, drawing);
         } else {
            expect_colour(r, &w, step);
         }
      }
      for (int i = 0; i < COLOURS; i++) {
         w.has_colour[0] = i;
         attach_both(&w, 0);
         expect_colour(r, &w, STEPS);
      }
      glDeleteFramebuffers(FRAMEBUFFERS, w.framebuffer);
      for (int i = 0; i < COLOURS + DEPTHS; i++) {
         struct image *image = i < COLOURS ? &w.colour[i] : &w.depth[i - COLOURS];
         glDeleteTextures(1, &image->texture);
         glDeleteRenderbuffers(1, &image->renderbuffer);
      }
   }
}

void
fbo_shared(struct rules *r)
{
   shared(r, false);
}

void
fbo_shared_samples(struct rules *r)
{
   shared(r, true);
}
