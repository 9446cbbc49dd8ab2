/* SPDX-License-Identifier: MIT
 *
 * What becomes of fragments, OpenGL ES 2.0 chapter 4 (and of OpenGL 2.1, logic operations): each operation in all its
 * states, and long random sequences of clears and draws, in which one sees what the one before has left.
 */
#include "reference.h"
#include "reference_pixels.h"
#include "rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MOST_TARGETS 3

/* Those of OpenGL that OpenGL ES has no names for. */
#define RGBA16F 0x881A
#define RGBA32F 0x8814
#define DEPTH_COMPONENT_FLOAT 0x8CAC

/* Nothing is tested, everything is written. */
static const struct ref_state initial_state = {
   .color_mask = { true, true, true, true }, .depth_mask = true, .depth_func = GL_LESS, .depth_far = 1, .clear_depth = 1,
   .stencil = { { GL_ALWAYS, 0, 255, 255, GL_KEEP, GL_KEEP, GL_KEEP }, { GL_ALWAYS, 0, 255, 255, GL_KEEP, GL_KEEP, GL_KEEP } },
   .equation = { GL_FUNC_ADD, GL_FUNC_ADD }, .source = { GL_ONE, GL_ONE }, .destination = { GL_ZERO, GL_ZERO },
   .culled = GL_BACK, .front_face = GL_CCW,
};

/* ------------------------------------------------------------------------------------------------ targets */

static const struct ref_format formats[] = {
   { "RGBA8", GL_RGBA8_OES, { 8, 8, 8, 8 } },   { "RGB8", GL_RGB8_OES, { 8, 8, 8, 0 } },
   { "RGB565", GL_RGB565, { 5, 6, 5, 0 } },     { "RGBA4", GL_RGBA4, { 4, 4, 4, 4 } },
   { "RGB5_A1", GL_RGB5_A1, { 5, 5, 5, 1 } },   { "RG8", GL_RG8_EXT, { 8, 8, 0, 0 } },
   { "R8", GL_R8_EXT, { 8, 0, 0, 0 } },         { "RGBA16F", RGBA16F, { 16, 16, 16, 16 } },
   { "RGBA32F", RGBA32F, { 32, 32, 32, 32 } },
};
#define FIXED_FORMATS ((int)COUNT(formats) - 2) /* in OpenGL ES, floats cannot be read back */

static const struct ref_format *
random_format(struct rules *r, bool desktop)
{
   return &formats[rules_below(r, desktop ? COUNT(formats) : FIXED_FORMATS)];
}

/* A framebuffer object and what should be in it. */
struct canvas {
   GLuint framebuffer, color, depth_stencil;
   struct ref_pixels pixels;
};

static void
canvas_delete(struct canvas *c)
{
   glDeleteFramebuffers(1, &c->framebuffer);
   glDeleteRenderbuffers(1, &c->color);
   glDeleteRenderbuffers(1, &c->depth_stencil);
   free(c->pixels.pixels);
   *c = (struct canvas){ 0 };
}

static GLuint
attach(GLenum attachment, GLuint renderbuffer, GLenum format, int width_px, int height_px)
{
   if (!renderbuffer)
      glGenRenderbuffers(1, &renderbuffer);
   glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
   if (format)
      glRenderbufferStorage(GL_RENDERBUFFER, format, width_px, height_px);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, renderbuffer);
   return renderbuffer;
}

/* Whether the bound renderbuffer has just the bits of the format: an implementation may take more. */
static bool
has_bits(const struct ref_format *format)
{
   static const GLenum sizes[] = { GL_RENDERBUFFER_RED_SIZE, GL_RENDERBUFFER_GREEN_SIZE, GL_RENDERBUFFER_BLUE_SIZE,
                                   GL_RENDERBUFFER_ALPHA_SIZE };
   bool same = true;
   for (int c = 0; c < 4; c++) {
      GLint bits = -1;
      glGetRenderbufferParameteriv(GL_RENDERBUFFER, sizes[c], &bits);
      same = same && bits == format->bits[c];
   }
   return same;
}

enum depth_stencil { NO_DEPTH, DEPTH16, DEPTH24_STENCIL8, STENCIL8, DEPTH_FLOAT };

/* Bound, all of it 0. False: the implementation has no such framebuffer. */
static bool
canvas_create(struct canvas *c, const struct ref_format *format, enum depth_stencil kind, int width_px, int height_px)
{
   static const GLenum depth_formats[] = { 0, GL_DEPTH_COMPONENT16, GL_DEPTH24_STENCIL8_OES, GL_STENCIL_INDEX8,
                                           DEPTH_COMPONENT_FLOAT };
   const bool depth = kind == DEPTH16 || kind == DEPTH24_STENCIL8 || kind == DEPTH_FLOAT,
              stencil = kind == DEPTH24_STENCIL8 || kind == STENCIL8;
   *c = (struct canvas){ .pixels = ref_pixels_create(format, depth, stencil, width_px, height_px) };
   glGenFramebuffers(1, &c->framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, c->framebuffer);
   c->color = attach(GL_COLOR_ATTACHMENT0, 0, format->internal, width_px, height_px);
   bool exists = glGetError() == GL_NO_ERROR && has_bits(format);
   if (depth)
      c->depth_stencil = attach(GL_DEPTH_ATTACHMENT, 0, depth_formats[kind], width_px, height_px);
   if (stencil)
      c->depth_stencil = attach(GL_STENCIL_ATTACHMENT, c->depth_stencil, depth ? 0 : depth_formats[kind], width_px, height_px);
   exists = glGetError() == GL_NO_ERROR && exists && glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
   if (!exists) {
      canvas_delete(c);
      return false;
   }
   struct ref_state s = initial_state;
   s.clear_depth = 0;
   ref_state_apply(&s);
   glViewport(0, 0, width_px, height_px);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
   return true;
}

/* The step of a channel that a byte was read for; -1 if there is none. Section 4.3.1 asks for the nearest byte, Mesa repeats
 * the bits, which differs by up to one of 255. */
static double
step_of_byte(int byte, int bits)
{
   const int most = (1 << bits) - 1, step = (byte * most + 127) / 255;
   int repeated = 0;
   for (int shift = 8 - bits; shift > -bits; shift -= bits)
      repeated |= shift >= 0 ? step << shift : step >> -shift;
   return byte == repeated || byte == (step * 255 + most / 2) / most ? step : -1;
}

/* Compares the colours with what they may be; the framebuffer is bound. */
static void
expect_colors(struct rules *r, const struct ref_pixels *p)
{
   const struct ref_format *format = p->format;
   const bool floats = format->bits[0] >= 16;
   uint8_t *bytes = floats ? NULL : rules_read(r, p->width_px, p->height_px);
   float *reals = floats ? rules_read_float(r, p->width_px, p->height_px) : NULL;
   for (int i = 0; i < 4 * p->width_px * p->height_px; i++) {
      const struct ref_pixel *pixel = &p->pixels[i / 4];
      const int c = i % 4, bits = format->bits[c];
      const double absent = c == 3 ? 255 : 0, have = floats ? reals[i] : bits ? step_of_byte(bytes[i], bits) : bytes[i],
                   least = bits ? pixel->least[c] : absent, most = bits ? pixel->most[c] : absent;
      if (!(have >= least && have <= most))
         rules_fail(r, "%s: pixel (%d, %d) channel %d is %.9g, not %.9g to %.9g", format->name, i / 4 % p->width_px,
                    i / 4 / p->width_px, c, have, least, most);
   }
   free(bytes);
   free(reals);
}

/* OpenGL can read depth and stencil back. */
static void
expect_depth_stencil(struct rules *r, const struct ref_pixels *p)
{
   enum { STENCIL_INDEX = 0x1901 };
   const int count = p->width_px * p->height_px;
   float *depth = calloc((size_t)count, sizeof(*depth));
   uint8_t *stencil = calloc((size_t)count, 1);
   glPixelStorei(GL_PACK_ALIGNMENT, 1);
   if (p->has_depth)
      glReadPixels(0, 0, p->width_px, p->height_px, GL_DEPTH_COMPONENT, GL_FLOAT, depth);
   if (p->has_stencil)
      glReadPixels(0, 0, p->width_px, p->height_px, STENCIL_INDEX, GL_UNSIGNED_BYTE, stencil);
   no_error("reading depth and stencil");
   for (int i = 0; i < count; i++) {
      const struct ref_pixel *pixel = &p->pixels[i];
      if (p->has_depth && fabs(depth[i] - pixel->depth) > 0x1p-16)
         rules_fail(r, "pixel (%d, %d) has depth %.9g, not %.9g", i % p->width_px, i / p->width_px, depth[i], pixel->depth);
      if (p->has_stencil && stencil[i] != pixel->stencil)
         rules_fail(r, "pixel (%d, %d) has stencil 0x%02x, not 0x%02x", i % p->width_px, i / p->width_px, stencil[i],
                    pixel->stencil);
   }
   rules_hash(r, depth, (size_t)count * sizeof(*depth));
   rules_hash(r, stencil, (size_t)count);
   glPixelStorei(GL_PACK_ALIGNMENT, 4);
   free(depth);
   free(stencil);
}

/* ------------------------------------------------------------------------------------------------ drawing */

enum shader { PLAIN, DISCARDS, WRITES_DEPTH, SHADERS };

/* How things are drawn in the current context. */
struct pen {
   bool desktop;
   GLuint programs[SHADERS]; /* 0: the context has no such */
   GLint color[SHADERS], depth[SHADERS];
};

static const char position_vertex[] =
   "attribute vec4 position, colour; varying vec4 v;\n"
   "void main() { gl_Position = position; gl_PointSize = 1.0; v = colour; }\n";

/* The fragment shader's colour is `tint` + the vertices' colour. Discards every other pixel, like a chess board. */
static const char *const fragment_shaders[SHADERS] = {
   "uniform vec4 tint; varying vec4 v;\n"
   "void main() { gl_FragColor = tint + v; }\n",
   "uniform vec4 tint; varying vec4 v;\n"
   "void main() {\n"
   "   if (mod(floor(gl_FragCoord.x) + floor(gl_FragCoord.y), 2.0) > 0.5) discard;\n"
   "   gl_FragColor = tint + v;\n"
   "}\n",
   "uniform float depth; uniform vec4 tint; varying vec4 v;\n"
   "void main() { gl_FragColor = tint + v; FRAG_DEPTH = depth; }\n",
};

static struct pen
pen_create(bool desktop)
{
   struct pen pen = { .desktop = desktop };
   const bool frag_depth = desktop || strstr((const char *)glGetString(GL_EXTENSIONS), "GL_EXT_frag_depth");
   for (int i = 0; i < SHADERS; i++) {
      char source[600];
      if (i == WRITES_DEPTH && !frag_depth)
         continue;
      snprintf(source, sizeof(source), "%s%s%s", desktop ? "#version 120\n" : "#extension GL_EXT_frag_depth : enable\n",
               desktop ? "#define FRAG_DEPTH gl_FragDepth\n"
                       : "#define FRAG_DEPTH gl_FragDepthEXT\nprecision highp float;\n",
               fragment_shaders[i]);
      pen.programs[i] = program_create(position_vertex, source);
      pen.color[i] = glGetUniformLocation(pen.programs[i], "tint");
      pen.depth[i] = glGetUniformLocation(pen.programs[i], "depth");
   }
   glEnableVertexAttribArray(0);
   glDisable(GL_DITHER);
   if (desktop)
      glEnable(0x8642 /* GL_PROGRAM_POINT_SIZE */);
   return pen;
}

/* One draw of one colour. */
struct draw {
   const struct ref_state *state;
   struct ref_pixels *pixels;
   enum shader shader;
   float color[4];
   double depth; /* that the shader writes */
};

static void
draw_fragment(void *user, const struct ref_fragment *f)
{
   const struct draw *d = user;
   if (d->shader == DISCARDS && (f->x + f->y) % 2)
      return;
   ref_draw_fragment(d->state, d->pixels, f->x, f->y, d->shader == WRITES_DEPTH ? d->depth : f->z, f->front, d->color);
}

static struct ref_raster
raster_of(const struct draw *d)
{
   const struct ref_pixels *p = d->pixels;
   return (struct ref_raster){ .viewport = { 0, 0, p->width_px, p->height_px, d->state->depth_near, d->state->depth_far },
                               .width_px = p->width_px, .height_px = p->height_px,
                               .front_is_cw = d->state->front_face == GL_CW, .emit = draw_fragment, .user = (void *)d };
}

static void
use_shader(const struct pen *pen, const struct draw *d)
{
   glUseProgram(pen->programs[d->shader]);
   glUniform4fv(pen->color[d->shader], 1, d->color);
   if (d->shader == WRITES_DEPTH)
      glUniform1f(pen->depth[d->shader], (float)d->depth);
}

/* A triangle at one depth, by GL and by the reference. */
static void
draw_triangle(const struct pen *pen, struct draw *d, const struct ref_vertex v[3])
{
   float positions[3][4];
   const struct ref_raster raster = raster_of(d);
   const bool front = (ref_area_sign(v) > 0) != raster.front_is_cw;
   for (int i = 0; i < 3; i++) {
      for (int c = 0; c < 4; c++)
         positions[i][c] = (float)v[i].clip[c];
   }
   use_shader(pen, d);
   glDisableVertexAttribArray(1);
   glVertexAttrib4f(1, 0, 0, 0, 0);
   glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, positions);
   glDrawArrays(GL_TRIANGLES, 0, 3);
   const GLenum culled = d->state->culled;
   if (!d->state->cull || (culled != GL_FRONT_AND_BACK && culled != (front ? GL_FRONT : GL_BACK)))
      ref_triangle(&raster, v);
}

/* The corner of a pixel as a vertex; z in quarters of the depth range, from -4 to 4. */
static struct ref_vertex
corner(const struct ref_pixels *p, int x, int y, int z)
{
   const int64_t w = 4 * (int64_t)p->width_px * p->height_px;
   return (struct ref_vertex){ { 4 * (int64_t)(2 * x - p->width_px) * p->height_px,
                                 4 * (int64_t)(2 * y - p->height_px) * p->width_px, z * w / 4, w } };
}

static void
draw_rectangle_of_pixels(const struct pen *pen, struct draw *d, int x0, int y0, int x1, int y1, int z)
{
   const struct ref_vertex a = corner(d->pixels, x0, y0, z), b = corner(d->pixels, x1, y0, z),
                           c = corner(d->pixels, x1, y1, z), e = corner(d->pixels, x0, y1, z);
   draw_triangle(pen, d, (const struct ref_vertex[3]){ a, b, c });
   draw_triangle(pen, d, (const struct ref_vertex[3]){ a, c, e });
}

/* One point for each pixel of the target, in a colour of its own. */
static void
draw_pixels(const struct pen *pen, struct draw *d, const float (*colors)[4], int z)
{
   const struct ref_pixels *p = d->pixels;
   const int count = p->width_px * p->height_px;
   float(*positions)[4] = malloc((size_t)count * sizeof(*positions));
   const struct ref_state *s = d->state;
   memset(d->color, 0, sizeof(d->color));
   use_shader(pen, d);
   for (int i = 0; i < count; i++) {
      positions[i][0] = (float)((2 * (i % p->width_px) + 1.0) / p->width_px - 1);
      positions[i][1] = (float)((2 * (i / p->width_px) + 1.0) / p->height_px - 1);
      positions[i][2] = (float)z / 4;
      positions[i][3] = 1;
   }
   glEnableVertexAttribArray(1);
   glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, positions);
   glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, 0, colors);
   glDrawArrays(GL_POINTS, 0, count);
   free(positions);
   const double depth = s->depth_near + (s->depth_far - s->depth_near) * (z / 4.0 + 1) / 2;
   for (int i = 0; i < count; i++) {
      memcpy(d->color, colors[i], sizeof(d->color));
      draw_fragment(d, &(struct ref_fragment){ .x = i % p->width_px, .y = i / p->width_px, .z = depth, .front = true });
   }
}

/* ------------------------------------------------------------------------------------------------ random states */

static const GLenum source_factors[] = {
   GL_ZERO, GL_ONE, GL_SRC_COLOR, GL_ONE_MINUS_SRC_COLOR, GL_DST_COLOR, GL_ONE_MINUS_DST_COLOR, GL_SRC_ALPHA,
   GL_ONE_MINUS_SRC_ALPHA, GL_DST_ALPHA, GL_ONE_MINUS_DST_ALPHA, GL_CONSTANT_COLOR, GL_ONE_MINUS_CONSTANT_COLOR,
   GL_CONSTANT_ALPHA, GL_ONE_MINUS_CONSTANT_ALPHA, GL_SRC_ALPHA_SATURATE,
};
#define SOURCE_FACTORS ((int)COUNT(source_factors))
#define DESTINATION_FACTORS (SOURCE_FACTORS - 1) /* all but saturate */
static const GLenum equations[] = { GL_FUNC_ADD, GL_FUNC_SUBTRACT, GL_FUNC_REVERSE_SUBTRACT, GL_MIN_EXT, GL_MAX_EXT };
#define EQUATIONS ((int)COUNT(equations))
static const GLenum functions[] = { GL_NEVER, GL_LESS, GL_EQUAL, GL_LEQUAL, GL_GREATER, GL_NOTEQUAL, GL_GEQUAL, GL_ALWAYS };
static const GLenum operations[] = { GL_KEEP, GL_ZERO, GL_REPLACE, GL_INCR, GL_DECR, GL_INVERT, GL_INCR_WRAP, GL_DECR_WRAP };

/* Often a bound of the range, a whole step of 8 bits, or beyond the range; a float's colours may be of any size. */
static void
random_color(struct rules *r, float color[4])
{
   for (int c = 0; c < 4; c++) {
      switch (rules_below(r, 6)) {
      case 0: color[c] = 0; break;
      case 1: color[c] = 1; break;
      case 2: color[c] = rules_float(r, -1, 2); break;
      case 3: color[c] = (float)rules_below(r, 256) / 255; break;
      default: color[c] = rules_float(r, 0, 1); break;
      }
   }
}

static uint32_t
random_mask(struct rules *r)
{
   static const uint32_t masks[] = { 0, 1, 0x0f, 0x80, 0xff, 0xff, ~0u };
   return rules_chance(r, 60) ? rules_pick(r, masks) : rules_below(r, 256);
}

static struct ref_stencil
random_stencil(struct rules *r)
{
   static const int refs[] = { 0, 1, 127, 128, 255, 256, -1, 1000 };
   return (struct ref_stencil){ rules_pick(r, functions), rules_chance(r, 50) ? rules_pick(r, refs) : rules_between(r, 0, 255),
                                random_mask(r), random_mask(r), rules_pick(r, operations), rules_pick(r, operations),
                                rules_pick(r, operations) };
}

static void
random_blending(struct rules *r, struct ref_state *s)
{
   for (int i = 0; i < 2; i++) {
      s->equation[i] = rules_pick(r, equations);
      s->source[i] = rules_pick(r, source_factors);
      s->destination[i] = source_factors[rules_below(r, DESTINATION_FACTORS)];
   }
   if (rules_chance(r, 40)) {
      s->source[0] = s->source[1] = GL_SRC_ALPHA;
      s->destination[0] = s->destination[1] = GL_ONE_MINUS_SRC_ALPHA;
      s->equation[0] = s->equation[1] = GL_FUNC_ADD;
   }
   random_color(r, s->blend_color);
}

/* Multiples of 1/16, so that with z in quarters depths are exact. */
static float
random_depth(struct rules *r)
{
   static const float depths[] = { 0, 1, 0.5f, 0.25f, 0.75f };
   return rules_chance(r, 80) ? rules_pick(r, depths) : (float)rules_below(r, 17) / 16;
}

static void
random_box(struct rules *r, const struct ref_pixels *p, int box[4])
{
   const int aligned = rules_chance(r, 30) ? 64 : rules_chance(r, 30) ? 4 : 1;
   box[0] = rules_between(r, -20, p->width_px + 5) / aligned * aligned;
   box[1] = rules_between(r, -20, p->height_px + 5) / aligned * aligned;
   box[2] = rules_chance(r, 20) ? 1000 : rules_between(r, 0, p->width_px) / aligned * aligned;
   box[3] = rules_chance(r, 20) ? 1000 : rules_between(r, 0, p->height_px) / aligned * aligned;
}

static struct ref_state
random_state(struct rules *r, const struct pen *pen, const struct ref_pixels *p)
{
   static const GLenum faces[] = { GL_FRONT, GL_BACK, GL_FRONT_AND_BACK };
   struct ref_state s = initial_state;
   s.scissor_test = rules_chance(r, 40);
   random_box(r, p, s.scissor);
   s.depth_test = rules_chance(r, 60);
   s.depth_func = rules_pick(r, functions);
   s.depth_mask = rules_chance(r, 80);
   s.stencil_test = rules_chance(r, 50);
   s.stencil[0] = random_stencil(r);
   s.stencil[1] = rules_chance(r, 50) ? random_stencil(r) : s.stencil[0];
   s.blend = rules_chance(r, 50);
   random_blending(r, &s);
   for (int c = 0; c < 4; c++)
      s.color_mask[c] = rules_chance(r, 85);
   if (rules_chance(r, 10))
      memset(s.color_mask, 0, sizeof(s.color_mask));
   if (pen->desktop) {
      s.logic_operation = 0x1500 + rules_below(r, 16);
      s.logic_op = rules_chance(r, 25);
   }
   s.cull = rules_chance(r, 20);
   s.culled = rules_pick(r, faces);
   s.front_face = rules_chance(r, 50) ? GL_CW : GL_CCW;
   if (rules_chance(r, 30)) {
      s.depth_near = (float)rules_below(r, 5) / 4;
      s.depth_far = (float)rules_below(r, 5) / 4;
   }
   random_color(r, s.clear_color);
   s.clear_depth = random_depth(r);
   s.clear_stencil = rules_between(r, -2, 300);
   return s;
}

/* ------------------------------------------------------------------------------------------------ single operations */

enum { SMALL_PX = 16 };

/* All equations, factors and formats, then random ones, also separate for alpha: random colours on random colours. */
static void
blending(struct rules *r, bool desktop)
{
   const struct pen pen = pen_create(desktop);
   const int count = desktop ? (int)COUNT(formats) : FIXED_FORMATS;
   static float colors[SMALL_PX * SMALL_PX][4];
   while (rules_next(r)) {
      struct canvas canvas;
      struct ref_state s = initial_state;
      struct draw d = { .state = &s };
      if (!canvas_create(&canvas, &formats[r->n % count], NO_DEPTH, SMALL_PX, SMALL_PX))
         continue;
      d.pixels = &canvas.pixels;
      for (int pass = 0; pass < 2; pass++) {
         if (pass == 1) {
            const int n = r->n / count;
            s.blend = true;
            random_blending(r, &s);
            if (n < SOURCE_FACTORS * DESTINATION_FACTORS) {
               s.source[0] = s.source[1] = source_factors[n % SOURCE_FACTORS];
               s.destination[0] = s.destination[1] = source_factors[n / SOURCE_FACTORS];
            }
            if (rules_chance(r, 20))
               s.color_mask[rules_below(r, 4)] = false;
         }
         for (int i = 0; i < SMALL_PX * SMALL_PX; i++)
            random_color(r, colors[i]);
         ref_state_apply(&s);
         draw_pixels(&pen, &d, (const float(*)[4])colors, 0);
      }
      expect_colors(r, &canvas.pixels);
      canvas_delete(&canvas);
   }
}

static void
blending_es2(struct rules *r)
{
   blending(r, false);
}

static void
blending_desktop(struct rules *r)
{
   blending(r, true);
}

/* Clears of all buffers with masks and scissors, from one to the next. */
static void
clears(struct rules *r, bool desktop)
{
   const struct pen pen = pen_create(desktop);
   while (rules_next(r)) {
      struct canvas canvas;
      if (!canvas_create(&canvas, random_format(r, desktop), (enum depth_stencil)rules_below(r, 4),
                         rules_between(r, 1, 140), rules_between(r, 1, 140)))
         continue;
      const int count = rules_between(r, 1, 8);
      for (int i = 0; i < count; i++) {
         const struct ref_state s = random_state(r, &pen, &canvas.pixels);
         const GLbitfield buffers = rules_pick(r, ((const GLbitfield[]){
            GL_COLOR_BUFFER_BIT, GL_DEPTH_BUFFER_BIT, GL_STENCIL_BUFFER_BIT, GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT,
            GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT, 0 }));
         ref_state_apply(&s);
         glClear(buffers);
         ref_clear(&s, &canvas.pixels, buffers);
      }
      expect_colors(r, &canvas.pixels);
      if (desktop)
         expect_depth_stencil(r, &canvas.pixels);
      canvas_delete(&canvas);
   }
}

static void
clears_es2(struct rules *r)
{
   clears(r, false);
}

static void
clears_desktop(struct rules *r)
{
   clears(r, true);
}

/* Section 4.1.7: a dithered channel is one of the two values next to the exact one, by the pixel's place and that alone. */
static void
dithering(struct rules *r)
{
   const struct pen pen = pen_create(false);
   while (rules_next(r)) {
      struct canvas canvas;
      struct ref_state s = initial_state;
      struct draw d = { .state = &s };
      if (!canvas_create(&canvas, &formats[r->n % 5], NO_DEPTH, SMALL_PX, SMALL_PX))
         continue;
      d.pixels = &canvas.pixels;
      random_color(r, d.color);
      ref_state_apply(&s);
      glEnable(GL_DITHER);
      draw_rectangle_of_pixels(&pen, &d, 0, 0, SMALL_PX, SMALL_PX, 0);
      glDisable(GL_DITHER);
      for (int i = 0; i < SMALL_PX * SMALL_PX; i++) {
         for (int c = 0; c < 4; c++) {
            const double exact = fmin(fmax(d.color[c], 0), 1) * ((1 << canvas.pixels.format->bits[c]) - 1);
            canvas.pixels.pixels[i].least[c] = floor(exact + 1e-4);
            canvas.pixels.pixels[i].most[c] = ceil(exact - 1e-4);
         }
      }
      expect_colors(r, &canvas.pixels);
      canvas_delete(&canvas);
   }
}

/* ------------------------------------------------------------------------------------------------ sequences */

static void
random_draw(struct rules *r, const struct pen *pen, struct canvas *canvas)
{
   const struct ref_state s = random_state(r, pen, &canvas->pixels);
   struct ref_pixels *p = &canvas->pixels;
   struct draw d = { .state = &s, .pixels = p, .depth = random_depth(r) };
   do
      d.shader = (enum shader)rules_below(r, SHADERS);
   while (!pen->programs[d.shader]);
   random_color(r, d.color);
   ref_state_apply(&s);
   const int z = rules_between(r, -2, 2) * 2;
   if (rules_chance(r, 10) && p->width_px * p->height_px < 1000) {
      float(*colors)[4] = malloc(sizeof(*colors) * (size_t)(p->width_px * p->height_px));
      for (int i = 0; i < p->width_px * p->height_px; i++)
         random_color(r, colors[i]);
      draw_pixels(pen, &d, (const float(*)[4])colors, z);
      free(colors);
   } else if (rules_chance(r, 50)) {
      int box[4] = { 0, 0, p->width_px, p->height_px };
      if (rules_chance(r, 60))
         random_box(r, p, box);
      draw_rectangle_of_pixels(pen, &d, box[0], box[1], box[0] + box[2], box[1] + box[3], z);
   } else {
      const int count = rules_between(r, 1, 4);
      for (int i = 0; i < count; i++) {
         struct ref_vertex v[3];
         for (int k = 0; k < 3; k++)
            v[k] = (struct ref_vertex){ { rules_between(r, -96, 96), rules_between(r, -96, 96), 16 * z, 64 } };
         draw_triangle(pen, &d, v);
      }
   }
}

static void
random_clear(struct rules *r, const struct pen *pen, struct canvas *canvas)
{
   const GLbitfield buffers = (rules_chance(r, 70) ? GL_COLOR_BUFFER_BIT : 0) | (rules_chance(r, 60) ? GL_DEPTH_BUFFER_BIT : 0) |
                              (rules_chance(r, 60) ? GL_STENCIL_BUFFER_BIT : 0);
   struct ref_state s = random_state(r, pen, &canvas->pixels);
   if (rules_chance(r, 50)) {
      s.scissor_test = false;
      s.depth_mask = true;
      s.stencil[0].write_mask = 255;
      memset(s.color_mask, 1, sizeof(s.color_mask));
   }
   ref_state_apply(&s);
   glClear(buffers);
   ref_clear(&s, &canvas->pixels, buffers);
}

/* Shows stencil and depth in the colours: where a bit of the stencil is set, where depth has a value. */
static void
expect_probed(struct rules *r, const struct pen *pen, struct canvas *canvas)
{
   struct ref_pixels *p = &canvas->pixels;
   for (int probe = 0; probe < 8 + 5; probe++) {
      struct ref_state s = initial_state;
      struct draw d = { .state = &s, .pixels = p, .color = { 1, 1, 1, 1 } };
      s.depth_mask = false;
      ref_state_apply(&s);
      glClear(GL_COLOR_BUFFER_BIT);
      ref_clear(&s, p, GL_COLOR_BUFFER_BIT);
      if (probe < 8) {
         s.stencil_test = true;
         s.stencil[0] = s.stencil[1] =
            (struct ref_stencil){ GL_EQUAL, 1 << probe, 1u << probe, 0, GL_KEEP, GL_KEEP, GL_KEEP };
      } else {
         s.depth_test = true;
         s.depth_func = GL_EQUAL;
      }
      ref_state_apply(&s);
      if (probe < 8 ? p->has_stencil : p->has_depth)
         draw_rectangle_of_pixels(pen, &d, 0, 0, p->width_px, p->height_px, probe < 8 ? 0 : 2 * (probe - 10));
      expect_colors(r, p);
   }
}

static void
expect_canvas(struct rules *r, const struct pen *pen, struct canvas *canvas)
{
   glBindFramebuffer(GL_FRAMEBUFFER, canvas->framebuffer);
   glViewport(0, 0, canvas->pixels.width_px, canvas->pixels.height_px);
   expect_colors(r, &canvas->pixels);
   if (pen->desktop)
      expect_depth_stencil(r, &canvas->pixels);
   else
      expect_probed(r, pen, canvas);
}

/* A few framebuffers of different formats and sizes, used in turn. */
static void
sequence(struct rules *r, bool desktop)
{
   const struct pen pen = pen_create(desktop);
   while (rules_next(r)) {
      struct canvas canvases[MOST_TARGETS];
      int count = 0;
      const int wanted = rules_between(r, 1, MOST_TARGETS), most_px = rules_chance(r, 50) ? 30 : 150;
      while (count < wanted) {
         const enum depth_stencil kind = rules_chance(r, 70) ? DEPTH24_STENCIL8 : (enum depth_stencil)rules_below(r, desktop ? 5 : 4);
         count += canvas_create(&canvases[count], rules_chance(r, 40) ? &formats[0] : random_format(r, desktop), kind,
                                rules_between(r, 1, most_px), rules_between(r, 1, most_px));
      }
      const int steps = rules_between(r, 1, 30);
      struct canvas *canvas = &canvases[0];
      for (int i = 0; i < steps; i++) {
         if (i == 0 || rules_chance(r, 15)) {
            canvas = &canvases[rules_below(r, (uint32_t)count)];
            glBindFramebuffer(GL_FRAMEBUFFER, canvas->framebuffer);
            glViewport(0, 0, canvas->pixels.width_px, canvas->pixels.height_px);
         }
         if (rules_chance(r, 25))
            random_clear(r, &pen, canvas);
         else
            random_draw(r, &pen, canvas);
         if (rules_chance(r, 10))
            expect_colors(r, &canvas->pixels);
         if (rules_chance(r, 5))
            glFlush();
         if (rules_chance(r, 2))
            glFinish();
      }
      for (int i = 0; i < count; i++) {
         expect_canvas(r, &pen, &canvases[i]);
         canvas_delete(&canvases[i]);
      }
   }
}

static void
sequence_es2(struct rules *r)
{
   sequence(r, false);
}

static void
sequence_desktop(struct rules *r)
{
   sequence(r, true);
}

static const struct rule table[] = {
   { "blending-es2", RULE_ES2, SOURCE_FACTORS * DESTINATION_FACTORS * FIXED_FORMATS + 500, blending_es2 },
   { "blending-desktop", RULE_DESKTOP, SOURCE_FACTORS * DESTINATION_FACTORS * (FIXED_FORMATS + 2), blending_desktop },
   { "clears-es2", RULE_ES2, 200, clears_es2 },
   { "clears-desktop", RULE_DESKTOP, 200, clears_desktop },
   { "dithering", RULE_ES2, 100, dithering },
   { "sequence-es2", RULE_ES2, 150, sequence_es2 },
   { "sequence-desktop", RULE_DESKTOP, 150, sequence_desktop },
};

int
main(int argc, char **argv)
{
   return rules_main(argc, argv, table, COUNT(table));
}
