/* SPDX-License-Identifier: MIT */
#include "canvas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Those of OpenGL that OpenGL ES has no names for. */
#define RGBA16F 0x881A
#define RGBA32F 0x8814
#define DEPTH_COMPONENT_FLOAT 0x8CAC

const struct ref_state initial_state = {
   .color_mask = { true, true, true, true }, .depth_mask = true, .depth_func = GL_LESS, .depth_far = 1, .clear_depth = 1,
   .stencil = { { GL_ALWAYS, 0, 255, 255, GL_KEEP, GL_KEEP, GL_KEEP }, { GL_ALWAYS, 0, 255, 255, GL_KEEP, GL_KEEP, GL_KEEP } },
   .equation = { GL_FUNC_ADD, GL_FUNC_ADD }, .source = { GL_ONE, GL_ONE }, .destination = { GL_ZERO, GL_ZERO },
   .culled = GL_BACK, .front_face = GL_CCW, .coverage = 1,
};

enum { MOST_SAMPLES = 4 };

/* -------------------------------------------------------------------------------------- targets */

const struct ref_format formats[FORMATS] = {
   { "RGBA8", GL_RGBA8_OES, { 8, 8, 8, 8 } },   { "RGB8", GL_RGB8_OES, { 8, 8, 8, 0 } },
   { "RGB565", GL_RGB565, { 5, 6, 5, 0 } },     { "RGBA4", GL_RGBA4, { 4, 4, 4, 4 } },
   { "RGB5_A1", GL_RGB5_A1, { 5, 5, 5, 1 } },   { "RG8", GL_RG8_EXT, { 8, 8, 0, 0 } },
   { "R8", GL_R8_EXT, { 8, 0, 0, 0 } },         { "RGBA16F", RGBA16F, { 16, 16, 16, 16 } },
   { "RGBA32F", RGBA32F, { 32, 32, 32, 32 } },
};

static void
delete_objects(struct canvas *c)
{
   glDeleteFramebuffers(1, &c->framebuffer);
   glDeleteRenderbuffers(1, &c->color);
   glDeleteRenderbuffers(1, &c->depth_stencil);
}

void
canvas_delete(struct canvas *c)
{
   if (c->surface)
      eglDestroySurface(eglGetCurrentDisplay(), c->surface);
   else
      delete_objects(c);
   free(c->pixels.pixels);
   *c = (struct canvas){ 0 };
}

static void
set_storage(GLenum format, const struct ref_pixels *p)
{
   if (p->samples > 1)
      ((PFNGLRENDERBUFFERSTORAGEMULTISAMPLEEXTPROC)eglGetProcAddress(
         "glRenderbufferStorageMultisampleEXT"))(GL_RENDERBUFFER, p->samples, format, p->width_px,
                                                 p->height_px);
   else
      glRenderbufferStorage(GL_RENDERBUFFER, format, p->width_px, p->height_px);
}

static GLuint
attach(GLenum attachment, GLuint renderbuffer, GLenum format, const struct ref_pixels *p)
{
   if (!renderbuffer)
      glGenRenderbuffers(1, &renderbuffer);
   glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
   if (format)
      set_storage(format, p);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, renderbuffer);
   return renderbuffer;
}

/* Whether the bound renderbuffer has just the bits of the format: an implementation may take
 * more. */
static bool
has_bits(const struct ref_format *format)
{
   static const GLenum sizes[] = { GL_RENDERBUFFER_RED_SIZE, GL_RENDERBUFFER_GREEN_SIZE,
                                   GL_RENDERBUFFER_BLUE_SIZE, GL_RENDERBUFFER_ALPHA_SIZE };
   bool same = true;
   for (int c = 0; c < 4; c++) {
      GLint bits = -1;
      glGetRenderbufferParameteriv(GL_RENDERBUFFER, sizes[c], &bits);
      same = same && bits == format->bits[c];
   }
   return same;
}

void
canvas_bind(const struct canvas *c)
{
   glBindFramebuffer(GL_FRAMEBUFFER, c->framebuffer);
   glViewport(0, 0, c->pixels.width_px, c->pixels.height_px);
}

static void
clear_all(const struct canvas *c)
{
   struct ref_state s = initial_state;
   s.clear_depth = 0;
   ref_state_apply(&s);
   canvas_bind(c);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
}

void
canvas_create_pbuffer(struct canvas *c, int width_px, int height_px)
{
   GLint samples;
   target_create_pbuffer(eglGetCurrentDisplay(), width_px, height_px);
   glGetIntegerv(GL_SAMPLES, &samples);
   *c = (struct canvas){ .pixels = ref_pixels_create(&formats[0], true, true, width_px, height_px, samples ? samples : 1) };
   c->surface = eglGetCurrentSurface(EGL_DRAW);
   clear_all(c);
}

static bool
create(struct canvas *c, const struct ref_format *format, enum depth_stencil kind, int width_px,
       int height_px, int samples)
{
   static const GLenum depth_formats[] = { 0, GL_DEPTH_COMPONENT16, GL_DEPTH24_STENCIL8_OES,
                                           GL_STENCIL_INDEX8, DEPTH_COMPONENT_FLOAT };
   const bool depth = kind == DEPTH16 || kind == DEPTH24_STENCIL8 || kind == DEPTH_FLOAT,
              stencil = kind == DEPTH24_STENCIL8 || kind == STENCIL8;
   *c = (struct canvas){ .pixels = ref_pixels_create(format, depth, stencil, width_px, height_px, samples) };
   glGenFramebuffers(1, &c->framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, c->framebuffer);
   c->color = attach(GL_COLOR_ATTACHMENT0, 0, format->internal, &c->pixels);
   bool exists = glGetError() == GL_NO_ERROR && has_bits(format);
   if (depth)
      c->depth_stencil = attach(GL_DEPTH_ATTACHMENT, 0, depth_formats[kind], &c->pixels);
   if (stencil)
      c->depth_stencil = attach(GL_STENCIL_ATTACHMENT, c->depth_stencil,
                                depth ? 0 : depth_formats[kind], &c->pixels);
   exists = glGetError() == GL_NO_ERROR && exists &&
            glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
   if (!exists) {
      canvas_delete(c);
      return false;
   }
   clear_all(c);
   return true;
}

bool
canvas_create(struct canvas *c, const struct ref_format *format, enum depth_stencil kind,
              int width_px, int height_px)
{
   return create(c, format, kind, width_px, height_px, 1);
}

bool
canvas_create_samples(struct canvas *c, const struct ref_format *format, enum depth_stencil kind,
                      int width_px, int height_px)
{
   return create(c, format, kind, width_px, height_px, MOST_SAMPLES);
}

/* What a channel of a pixel may show: of several samples, their average, rounded. */
static void
channel_bounds(const struct ref_pixels *p, int pixel, int channel, double *least, double *most)
{
   const struct ref_pixel *sample = &p->pixels[pixel];
   *least = sample->least[channel], *most = sample->most[channel];
   if (p->samples == 1)
      return;
   for (int s = 1; s < p->samples; s++) {
      sample += p->width_px * p->height_px;
      *least += sample->least[channel];
      *most += sample->most[channel];
   }
   *least = *least / p->samples - 0.5;
   *most = *most / p->samples + 0.5;
}

/* The step of a channel that a byte was read for; -1 if there is none. Section 4.3.1 asks for the
 * nearest byte, Mesa repeats the bits, which differs by up to one of 255. */
static double
step_of_byte(int byte, int bits)
{
   const int most = (1 << bits) - 1, step = (byte * most + 127) / 255;
   int repeated = 0;
   for (int shift = 8 - bits; shift > -bits; shift -= bits)
      repeated |= shift >= 0 ? step << shift : step >> -shift;
   return byte == repeated || byte == (step * 255 + most / 2) / most ? step : -1;
}

void
expect_colors(struct rules *r, const struct ref_pixels *p)
{
   const struct ref_format *format = p->format;
   const bool floats = format->bits[0] >= 16;
   uint8_t *bytes = floats ? NULL : rules_read(r, p->width_px, p->height_px);
   float *reals = floats ? rules_read_float(r, p->width_px, p->height_px) : NULL;
   for (int i = 0; i < 4 * p->width_px * p->height_px; i++) {
      const int c = i % 4, bits = format->bits[c];
      const double have = floats ? reals[i] : bits ? step_of_byte(bytes[i], bits) : bytes[i];
      double least = c == 3 ? 255 : 0, most = least;
      if (bits)
         channel_bounds(p, i / 4, c, &least, &most);
      if (!(have >= least && have <= most))
         rules_fail(r, "%s: pixel (%d, %d) channel %d is %.9g, not %.9g to %.9g", format->name,
                    i / 4 % p->width_px, i / 4 / p->width_px, c, have, least, most);
   }
   free(bytes);
   free(reals);
}

void
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
         rules_fail(r, "pixel (%d, %d) has depth %.9g, not %.9g", i % p->width_px, i / p->width_px,
                    depth[i], pixel->depth);
      if (p->has_stencil && stencil[i] != pixel->stencil)
         rules_fail(r, "pixel (%d, %d) has stencil 0x%02x, not 0x%02x", i % p->width_px,
                    i / p->width_px, stencil[i], pixel->stencil);
   }
   rules_hash(r, depth, (size_t)count * sizeof(*depth));
   rules_hash(r, stencil, (size_t)count);
   glPixelStorei(GL_PACK_ALIGNMENT, 4);
   free(depth);
   free(stencil);
}

/* -------------------------------------------------------------------------------------- drawing */

static const char position_vertex[] =
   "attribute vec4 position, colour; varying vec4 v;\n"
   "void main() { gl_Position = position; gl_PointSize = 1.0; v = colour; }\n";

/* The fragment shader's colour is `tint` + the vertices' colour. Discards every other pixel, like a
 * chess board. */
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
   "uniform vec4 tint; varying vec4 v;\n"
   "void main() { FIRST_COLOR = tint + v; SECOND_COLOR = (tint + v).abgr; }\n",
};

/* What the shaders need of the API, and call by another name in each. */
static const char es2_head[] = "#extension GL_EXT_frag_depth : enable\n"
                               "#extension GL_EXT_blend_func_extended : enable\n"
                               "#define FRAG_DEPTH gl_FragDepthEXT\n"
                               "#define FIRST_COLOR gl_FragColor\n"
                               "#define SECOND_COLOR gl_SecondaryFragColorEXT\n"
                               "precision highp float;\n";
static const char desktop_head[] = "#version 120\n"
                                   "#define FRAG_DEPTH gl_FragDepth\n";
static const char two_colors_head[] = "#version 130\n"
                                      "#extension GL_ARB_explicit_attrib_location : require\n"
                                      "layout(location = 0, index = 0) out vec4 FIRST_COLOR;\n"
                                      "layout(location = 0, index = 1) out vec4 SECOND_COLOR;\n";

static bool
has_extension(const char *name)
{
   return strstr((const char *)glGetString(GL_EXTENSIONS), name) != NULL;
}

struct pen
pen_create(bool desktop)
{
   struct pen pen = { .desktop = desktop };
   const bool has[SHADERS] = {
      [PLAIN] = true,
      [DISCARDS] = true,
      [WRITES_DEPTH] = desktop || has_extension("GL_EXT_frag_depth"),
      [TWO_COLORS] = has_extension("_blend_func_extended"),
   };
   for (int i = 0; i < SHADERS; i++) {
      char source[800];
      if (!has[i])
         continue;
      snprintf(source, sizeof(source), "%s%s",
               !desktop          ? es2_head
               : i == TWO_COLORS ? two_colors_head
                                 : desktop_head,
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

static void
draw_fragment(void *user, const struct ref_fragment *f)
{
   const struct draw *d = user;
   if (d->shader == DISCARDS && (f->x + f->y) % 2)
      return;
   ref_draw_fragment(d->state, d->pixels, f->x, f->y, d->sample,
                     d->shader == WRITES_DEPTH ? d->depth : f->z, f->front, d->color);
}

/* Where the samples are, from the pixel's centre in 1/8 pixel; rows of memory go down in a pbuffer,
 * and the samples with them. */
static void
sample_position(const struct draw *d, int position[2])
{
   static const int grid[MOST_SAMPLES][2] = { { -1, -3 }, { 3, -1 }, { -3, 1 }, { 1, 3 } };
   GLint framebuffer;
   glGetIntegerv(GL_FRAMEBUFFER_BINDING, &framebuffer);
   position[0] = d->pixels->samples > 1 ? grid[d->sample][0] : 0;
   position[1] = d->pixels->samples > 1 ? grid[d->sample][1] * (framebuffer ? 1 : -1) : 0;
}

/* Of the sample that is drawn. */
static struct ref_raster
raster_of(const struct draw *d)
{
   const struct ref_pixels *p = d->pixels;
   int sample[2];
   sample_position(d, sample);
   return (struct ref_raster){ .sample = { sample[0], sample[1] },
                               .viewport = { 0, 0, p->width_px, p->height_px, d->state->depth_near, d->state->depth_far },
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

void
draw_triangle(const struct pen *pen, struct draw *d, const struct ref_vertex v[3])
{
   float positions[3][4];
   const bool front = (ref_area_sign(v) > 0) != (d->state->front_face == GL_CW);
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
   if (d->state->cull && (culled == GL_FRONT_AND_BACK || culled == (front ? GL_FRONT : GL_BACK)))
      return;
   for (d->sample = 0; d->sample < d->pixels->samples; d->sample++) {
      const struct ref_raster raster = raster_of(d);
      ref_triangle(&raster, v);
   }
}

/* The corner of a pixel as a vertex; z in quarters of the depth range, from -4 to 4. */
static struct ref_vertex
corner(const struct ref_pixels *p, int x, int y, int z)
{
   const int64_t w = 4 * (int64_t)p->width_px * p->height_px;
   return (struct ref_vertex){ { 4 * (int64_t)(2 * x - p->width_px) * p->height_px,
                                 4 * (int64_t)(2 * y - p->height_px) * p->width_px, z * w / 4,
                                 w } };
}

void
draw_rectangle_of_pixels(const struct pen *pen, struct draw *d, int x0, int y0, int x1, int y1,
                         int z)
{
   const struct ref_vertex a = corner(d->pixels, x0, y0, z), b = corner(d->pixels, x1, y0, z),
                           c = corner(d->pixels, x1, y1, z), e = corner(d->pixels, x0, y1, z);
   draw_triangle(pen, d, (const struct ref_vertex[3]){ a, b, c });
   draw_triangle(pen, d, (const struct ref_vertex[3]){ a, c, e });
}

void
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
   for (int i = 0; i < count * p->samples; i++) {
      memcpy(d->color, colors[i % count], sizeof(d->color));
      d->sample = i / count;
      draw_fragment(
         d, &(struct ref_fragment){
               .x = i % p->width_px, .y = i % count / p->width_px, .z = depth, .front = true });
   }
}

