/* SPDX-License-Identifier: MIT
 *
 * Targets of OpenGL ES 3.0: several draw buffers of mixed formats and their clears (chapter 4.2),
 * layers of array, 3D and cube textures, blits (4.3.3), and what invalidation leaves (4.5).
 */
#include "es3_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_PX = 16, PIXELS = SIZE_PX * SIZE_PX, MOST_TARGETS = 8 };

/* --------------------------------------------------------------------------------- draw buffers */

static const struct target_format {
   GLenum internal;
   char kind; /* f: floats or fixed point, i, u */
   int channels;
} target_formats[] = {
   { GL_RGBA8, 'f', 4 },        { GL_RGBA8UI, 'u', 4 },
   { GL_RG16I, 'i', 2 },        { GL_R32UI, 'u', 1 },
   { GL_RGB10_A2, 'f', 4 },     { GL_RGBA32I, 'i', 4 },
   { GL_RG8, 'f', 2 },          { GL_R8, 'f', 1 },
   { GL_RGB565, 'f', 3 },       { GL_RGB5_A1, 'f', 4 },
   { GL_RGBA4, 'f', 4 },        { GL_RGBA16F, 'f', 4 },
   { GL_RG32F, 'f', 2 },        { GL_R11F_G11F_B10F, 'f', 3 },
   { GL_RGB10_A2UI, 'u', 4 },   { GL_RGB8, 'f', 3 },
   { GL_SRGB8_ALPHA8, 'f', 4 },
};

/* Colours that every format of the kind holds: 0 or 1 in floats, 0 to 3 in integers. */
struct colour {
   uint32_t c[4];
};

struct targets {
   int count;
   const struct target_format *format[MOST_TARGETS];
   GLuint texture[MOST_TARGETS], framebuffer;
   struct colour wanted[MOST_TARGETS][2]; /* of the left half, and of the right */
   bool drawn[MOST_TARGETS];
};

static struct colour
random_colour(struct rules *r)
{
   struct colour colour;
   for (int c = 0; c < 4; c++)
      colour.c[c] = rules_below(r, 2);
   return colour;
}

static void
targets_create(struct rules *r, struct targets *t)
{
   glGenFramebuffers(1, &t->framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, t->framebuffer);
   glGenTextures(t->count, t->texture);
   for (int i = 0; i < t->count; i++) {
      t->format[i] = &rules_pick(r, target_formats);
      glBindTexture(GL_TEXTURE_2D, t->texture[i]);
      glTexStorage2D(GL_TEXTURE_2D, 1, t->format[i]->internal, SIZE_PX, SIZE_PX);
      glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0 + (GLenum)i, GL_TEXTURE_2D,
                             t->texture[i], 0);
   }
   if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      rules_fail(r, "%d targets of mixed formats are not complete", t->count);
   glViewport(0, 0, SIZE_PX, SIZE_PX);
}

static void
clear_target(const struct targets *t, int i, const struct colour *colour)
{
   const float f[4] = { (float)colour->c[0], (float)colour->c[1], (float)colour->c[2],
                        (float)colour->c[3] };
   if (t->format[i]->kind == 'f')
      glClearBufferfv(GL_COLOR, i, f);
   else if (t->format[i]->kind == 'i')
      glClearBufferiv(GL_COLOR, i, (const GLint *)colour->c);
   else
      glClearBufferuiv(GL_COLOR, i, colour->c);
}

/* Each output writes its own uniform. */
static GLuint
targets_program(const struct rules *r, const struct targets *t)
{
   static const char *const vectors[] = { ['f'] = "vec4", ['i'] = "ivec4", ['u'] = "uvec4" };
   struct text f;
   text_begin(&f);
   for (int i = 0; i < t->count; i++)
      add(f, "layout(location = %d) out %s o%d;\n", i, vectors[(int)t->format[i]->kind], i);
   add(f, "uniform ivec4 c[%d];\nvoid main() {\n", t->count);
   for (int i = 0; i < t->count; i++)
      add(f, "   o%d = %s(c[%d]);\n", i, vectors[(int)t->format[i]->kind], i);
   add(f, "}\n");
   GLuint program = es3_program(r, es3_vertex_whole, text_end(&f));
   free(f.chars);
   return program;
}

/* Clears all, then draws the left half of those that the draw buffers name, masked. */
static void
paint_targets(struct rules *r, struct targets *t)
{
   GLenum all[MOST_TARGETS], some[MOST_TARGETS];
   struct colour drawn[MOST_TARGETS];
   bool mask[4];
   for (int c = 0; c < 4; c++)
      mask[c] = rules_chance(r, 75);
   for (int i = 0; i < t->count; i++) {
      all[i] = GL_COLOR_ATTACHMENT0 + (GLenum)i;
      t->drawn[i] = rules_chance(r, 75);
      some[i] = t->drawn[i] ? all[i] : GL_NONE;
   }
   glDrawBuffers(t->count, all);
   for (int i = 0; i < t->count; i++) {
      t->wanted[i][0] = t->wanted[i][1] = random_colour(r), drawn[i] = random_colour(r);
      clear_target(t, i, &t->wanted[i][0]);
      for (int c = 0; c < 4; c++)
         t->wanted[i][0].c[c] = (t->drawn[i] && mask[c] ? &drawn[i] : &t->wanted[i][1])->c[c];
   }
   glDrawBuffers(t->count, some);
   GLuint program = targets_program(r, t);
   glUniform4iv(glGetUniformLocation(program, "c"), t->count, (const GLint *)drawn);
   es3_draw_masked(mask, SIZE_PX / 2, SIZE_PX);
   glDeleteProgram(program);
}

/* A channel as a whole number: what is 1.0 in floats is 1. */
static void
read_target(struct rules *r, const struct targets *t, int i, double have[PIXELS][4])
{
   float floats[PIXELS][4];
   int32_t whole[PIXELS][4];
   uint8_t bytes[PIXELS][4];
   const GLenum internal = t->format[i]->internal;
   const bool is_float =
      internal == GL_RGBA16F || internal == GL_RG32F || internal == GL_R11F_G11F_B10F;
   glReadBuffer(GL_COLOR_ATTACHMENT0 + (GLenum)i);
   if (t->format[i]->kind != 'f')
      glReadPixels(0, 0, SIZE_PX, SIZE_PX, GL_RGBA_INTEGER,
                   t->format[i]->kind == 'i' ? GL_INT : GL_UNSIGNED_INT, whole);
   else if (is_float)
      glReadPixels(0, 0, SIZE_PX, SIZE_PX, GL_RGBA, GL_FLOAT, floats);
   else
      glReadPixels(0, 0, SIZE_PX, SIZE_PX, GL_RGBA, GL_UNSIGNED_BYTE, bytes);
   no_error("reading a draw buffer");
   for (int k = 0; k < 4 * PIXELS; k++)
      have[k / 4][k % 4] = t->format[i]->kind != 'f' ? whole[k / 4][k % 4]
                           : is_float                ? floats[k / 4][k % 4]
                                                     : bytes[k / 4][k % 4] / 255.0;
   rules_hash(r, have, sizeof(double) * 4 * PIXELS);
}

void
es3_draw_buffers(struct rules *r)
{
   while (rules_next(r)) {
      struct targets t = { .count = r->n < 8 ? r->n + 1 : rules_between(r, 4, MOST_TARGETS) };
      double have[PIXELS][4];
      targets_create(r, &t);
      paint_targets(r, &t);
      for (int i = 0; i < t.count; i++) {
         read_target(r, &t, i, have);
         for (int k = 0; k < 4 * PIXELS; k++) {
            const int c = k % 4, x = k / 4 % SIZE_PX;
            const double wanted =
               c < t.format[i]->channels ? t.wanted[i][x >= SIZE_PX / 2].c[c] : c == 3;
            if (have[k / 4][c] != wanted)
               rules_fail(r,
                          "draw buffer %d of %d, format 0x%04x, %s: channel %d at x = %d is %g, "
                          "not %g",
                          i, t.count, t.format[i]->internal, t.drawn[i] ? "drawn" : "not drawn", c,
                          x, have[k / 4][c], wanted);
         }
      }
      glDeleteFramebuffers(1, &t.framebuffer);
      glDeleteTextures(t.count, t.texture);
   }
}

/* --------------------------------------------------------------------------------------- layers */

/* Clears each level's layer to a number of its own; draws into some; then looks at all. */
struct layered {
   GLenum target;
   int size_px, depth, levels;
   uint32_t number[4][16];
};

static int
layer_count(const struct layered *t, int level)
{
   const int depth = t->target == GL_TEXTURE_3D ? t->depth >> level : t->depth;
   return t->target == GL_TEXTURE_CUBE_MAP ? 6 : depth ? depth : 1;
}

static void
attach(const struct layered *t, GLuint texture, int level, int layer)
{
   if (t->target == GL_TEXTURE_CUBE_MAP)
      glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                             GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)layer, texture, level);
   else
      glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, level, layer);
}

static void
paint_layers(struct rules *r, struct layered *t, GLuint texture)
{
   GLuint program = es3_program(r, es3_vertex_whole,
                                "uniform uint n; out uvec4 v;\n"
                                "void main() { v = uvec4(n); }");
   for (int k = 0; k < 60; k++) {
      const int level = rules_between(r, 0, t->levels - 1),
                layer = rules_between(r, 0, layer_count(t, level) - 1);
      const uint32_t number = t->number[level][layer] = (uint32_t)(1 + k + 1000 * level);
      attach(t, texture, level, layer);
      if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
         rules_fail(r, "layer %d of level %d of 0x%04x is not complete", layer, level, t->target);
      glViewport(0, 0, t->size_px >> level, t->size_px >> level);
      if (k % 2) {
         glClearBufferuiv(GL_COLOR, 0, (const GLuint[]){ number, 0, 0, 0 });
      } else {
         glUniform1ui(glGetUniformLocation(program, "n"), number);
         es3_draw_whole();
      }
   }
   glDeleteProgram(program);
}

static void
expect_layers(struct rules *r, const struct layered *t, GLuint texture)
{
   uint32_t have[32 * 32 * 4];
   for (int level = 0; level < t->levels; level++) {
      const int size_px = t->size_px >> level;
      for (int layer = 0; layer < layer_count(t, level); layer++) {
         attach(t, texture, level, layer);
         glReadPixels(0, 0, size_px, size_px, GL_RGBA_INTEGER, GL_UNSIGNED_INT, have);
         no_error("reading a layer");
         rules_hash(r, have, (size_t)size_px * size_px * 16);
         for (int i = 0; i < size_px * size_px; i++) {
            if (have[4 * i] != t->number[level][layer])
               rules_fail(r, "layer %d of level %d of 0x%04x: pixel %d is %u, not %u", layer, level,
                          t->target, i, have[4 * i], t->number[level][layer]);
         }
      }
   }
}

void
es3_layers(struct rules *r)
{
   static const GLenum targets[] = { GL_TEXTURE_2D_ARRAY, GL_TEXTURE_3D, GL_TEXTURE_CUBE_MAP };
   while (rules_next(r)) {
      GLuint texture, framebuffer;
      struct layered t = { .target = targets[r->n % 3], .depth = rules_between(r, 1, 16) };
      t.levels = rules_between(r, 1, 4);
      t.size_px = 8 << rules_below(r, 3);
      if (t.target == GL_TEXTURE_3D && t.levels > 4)
         t.levels = 4;
      glGenTextures(1, &texture);
      glBindTexture(t.target, texture);
      if (t.target == GL_TEXTURE_CUBE_MAP)
         glTexStorage2D(t.target, t.levels, GL_R32UI, t.size_px, t.size_px);
      else
         glTexStorage3D(t.target, t.levels, GL_R32UI, t.size_px, t.size_px, t.depth);
      glGenFramebuffers(1, &framebuffer);
      glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
      for (int level = 0; level < t.levels; level++) {
         for (int layer = 0; layer < layer_count(&t, level); layer++) {
            attach(&t, texture, level, layer);
            glClearBufferuiv(GL_COLOR, 0, (const GLuint[]){ 0, 0, 0, 0 });
         }
      }
      paint_layers(r, &t, texture);
      expect_layers(r, &t, texture);
      glDeleteFramebuffers(1, &framebuffer);
      glDeleteTextures(1, &texture);
   }
}

/* ---------------------------------------------------------------------------------------- blits */

/* x0, y0, x1, y1 of both, possibly mirrored and outside. */
struct blit {
   int src[4], dst[4];
   bool scissor;
   int box[4]; /* x, y, width, height */
};

static void
random_rectangle(struct rules *r, int rectangle[4])
{
   do {
      for (int i = 0; i < 4; i++)
         rectangle[i] = rules_between(r, -6, SIZE_PX + 6);
   } while (rectangle[0] == rectangle[2] || rectangle[1] == rectangle[3]);
}

/* Where pixel `at` of the destination comes from along one axis; false: nowhere, or so close to a
 * border of pixels that rounding decides. */
static bool
source_of(const struct blit *b, int axis, int at, int *source, bool *unsure)
{
   const int d0 = b->dst[axis], d1 = b->dst[axis + 2], s0 = b->src[axis], s1 = b->src[axis + 2];
   if (at < (d0 < d1 ? d0 : d1) || at >= (d0 < d1 ? d1 : d0))
      return false;
   const double exact = s0 + (at + 0.5 - d0) * (s1 - s0) / (d1 - d0);
   *unsure = *unsure || fabs(exact - round(exact)) < 1e-3;
   *source = (int)floor(exact);
   return *source >= 0 && *source < SIZE_PX;
}

static void
expect_blit(struct rules *r, const struct blit *b, const uint32_t *from, const uint32_t *before)
{
   uint32_t *have = es3_read_uint(r, SIZE_PX, SIZE_PX);
   for (int i = 0; i < PIXELS; i++) {
      const int x = i % SIZE_PX, y = i / SIZE_PX;
      int sx, sy;
      bool unsure = false;
      bool in = source_of(b, 0, x, &sx, &unsure) & source_of(b, 1, y, &sy, &unsure);
      in = in && (!b->scissor || (x >= b->box[0] && x < b->box[0] + b->box[2] && y >= b->box[1] &&
                                  y < b->box[1] + b->box[3]));
      const uint32_t *wanted = in ? from + 4 * (sy * SIZE_PX + sx) : before + 4 * i;
      if (!unsure && memcmp(have + 4 * i, wanted, 16))
         rules_fail(r,
                    "blit of (%d, %d)-(%d, %d) to (%d, %d)-(%d, %d): pixel (%d, %d) is 0x%x, not "
                    "0x%x",
                    b->src[0], b->src[1], b->src[2], b->src[3], b->dst[0], b->dst[1], b->dst[2],
                    b->dst[3], x, y, have[4 * i], wanted[0]);
   }
   free(have);
}

static void
fill_target(struct rules *r, const struct es3_target *t, uint32_t *pixels)
{
   for (int i = 0; i < 4 * PIXELS; i++)
      pixels[i] = es3_random_bits(r);
   glBindTexture(GL_TEXTURE_2D, t->texture);
   glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, SIZE_PX, SIZE_PX, GL_RGBA_INTEGER, GL_UNSIGNED_INT,
                   pixels);
}

/* Invalidates what is not needed any more, and a part: the rest must stay. */
static void
check_invalidation(struct rules *r, const struct es3_target *a, const struct es3_target *b,
                   const uint32_t *of_b)
{
   static const GLenum colour[] = { GL_COLOR_ATTACHMENT0 };
   es3_target_bind(a);
   glInvalidateFramebuffer(GL_FRAMEBUFFER, 1, colour);
   es3_target_bind(b);
   glInvalidateSubFramebuffer(GL_FRAMEBUFFER, 1, colour, 2, 3, 5, 6);
   no_error("invalidating");
   uint32_t *have = es3_read_uint(r, SIZE_PX, SIZE_PX);
   for (int i = 0; i < PIXELS; i++) {
      const int x = i % SIZE_PX, y = i / SIZE_PX;
      if ((x < 2 || x >= 7 || y < 3 || y >= 9) && memcmp(have + 4 * i, of_b + 4 * i, 16))
         rules_fail(r, "pixel (%d, %d), outside of what was invalidated, is 0x%x, not 0x%x", x, y,
                    have[4 * i], of_b[4 * i]);
   }
   free(have);
}

void
es3_blit(struct rules *r)
{
   uint32_t of_a[4 * PIXELS], of_b[4 * PIXELS];
   while (rules_next(r)) {
      struct blit b = { .src = { 0, 0, SIZE_PX, SIZE_PX }, .dst = { 0, 0, SIZE_PX, SIZE_PX } };
      struct es3_target from = es3_target_create(GL_RGBA32UI, SIZE_PX, SIZE_PX),
                        to = es3_target_create(GL_RGBA32UI, SIZE_PX, SIZE_PX);
      if (r->n)
         random_rectangle(r, b.src), random_rectangle(r, b.dst);
      for (int i = 0; i < 4 && r->n % 5 == 1; i++) /* mirrored, not scaled */
         b.dst[i] = b.src[i ^ 2];
      b.scissor = rules_chance(r, 30);
      for (int i = 0; i < 4; i++)
         b.box[i] = rules_between(r, i < 2 ? 0 : 1, 10);
      fill_target(r, &from, of_a), fill_target(r, &to, of_b);
      glBindFramebuffer(GL_READ_FRAMEBUFFER, from.framebuffer);
      glBindFramebuffer(GL_DRAW_FRAMEBUFFER, to.framebuffer);
      (b.scissor ? glEnable : glDisable)(GL_SCISSOR_TEST);
      glScissor(b.box[0], b.box[1], b.box[2], b.box[3]);
      glBlitFramebuffer(b.src[0], b.src[1], b.src[2], b.src[3], b.dst[0], b.dst[1], b.dst[2],
                        b.dst[3], GL_COLOR_BUFFER_BIT, GL_NEAREST);
      no_error("blitting");
      glDisable(GL_SCISSOR_TEST);
      es3_target_bind(&to);
      expect_blit(r, &b, of_a, of_b);
      check_invalidation(r, &to, &from, of_a);
      es3_target_delete(&from), es3_target_delete(&to);
   }
}
