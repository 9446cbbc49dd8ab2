/* SPDX-License-Identifier: MIT
 *
 * Multisample textures (OpenGL 3.2, sections 3.8.4, 4.1.3 and 4.3.2; ARB_texture_multisample):
 * draws under sample masks, and each sample fetched again, in both stages; resolved; and where the
 * samples of a pixel are. What a fetch outside of the texture gives is undefined: clipfree says 0.
 */
#include "gl33_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PX = 24, MOST_LAYERS = 3, SAMPLES = 4, DRAWS = 8, PLACES_PX = 32, ASK_SIZE = 99 };

static const char head[] = "#version 130\n#extension GL_ARB_texture_multisample : require\n";

/* kind: n: fixed point, f: floats, u, i: integers, d: depth. Drawn are whole numbers up to `most`,
 * of alpha `most_alpha`; of fixed point and depth as shares of them. */
static const struct samples_format {
   GLenum internal;
   char kind;
   int channels, most, most_alpha;
} samples_formats[] = {
   { GL_RGBA8, 'n', 4, 255, 255 },
   { GL_R8, 'n', 1, 255, 1 },
   { GL_RG8, 'n', 2, 255, 1 },
   { GL_RGB10_A2, 'n', 4, 1023, 3 },
   { GL_R16F, 'f', 1, 2000, 1 },
   { GL_RGBA16F, 'f', 4, 2000, 2000 },
   { GL_RG32F, 'f', 2, 1 << 20, 1 },
   { GL_RGBA32F, 'f', 4, 1 << 20, 1 << 20 },
   { GL_R8UI, 'u', 1, 255, 1 },
   { GL_RG16UI, 'u', 2, 65535, 1 },
   { GL_RGBA32UI, 'u', 4, 1 << 30, 9 },
   { GL_RGB10_A2UI, 'u', 4, 1023, 3 },
   { GL_R32I, 'i', 1, 1 << 30, 1 },
   { GL_RGBA8I, 'i', 4, 127, 127 },
   { GL_RG32I, 'i', 2, 1 << 30, 1 },
   { GL_DEPTH_COMPONENT16, 'd', 1, 100, 1 },
   { GL_DEPTH_COMPONENT24, 'd', 1, 100, 1 },
   { GL_DEPTH_COMPONENT32F, 'd', 1, 100, 1 },
   { GL_DEPTH24_STENCIL8, 'd', 1, 100, 1 },
};

struct image {
   const struct samples_format *format;
   bool array;
   int width_px, height_px, layers;
   GLuint texture, framebuffer[MOST_LAYERS];
   int values[DRAWS + 1][4]; /* that each draw, and the clear before them, has written */
   uint8_t drawn[MOST_LAYERS][SAMPLES][MOST_PX * MOST_PX]; /* by which of them */
};

static bool
is_integer(const struct image *m)
{
   return m->format->kind == 'u' || m->format->kind == 'i';
}

static GLenum
target_of(const struct image *m)
{
   return m->array ? GL_TEXTURE_2D_MULTISAMPLE_ARRAY : GL_TEXTURE_2D_MULTISAMPLE;
}

static GLenum
attachment_of(const struct samples_format *f)
{
   return f->kind != 'd'                       ? GL_COLOR_ATTACHMENT0
          : f->internal == GL_DEPTH24_STENCIL8 ? GL_DEPTH_STENCIL_ATTACHMENT
                                               : GL_DEPTH_ATTACHMENT;
}

/* ---------------------------------------------------------------------------------------- drawing
 */

static void
attach_layers(const struct rules *r, struct image *m)
{
   glGenFramebuffers(m->layers, m->framebuffer);
   for (int layer = 0; layer < m->layers; layer++) {
      const GLenum attachment = attachment_of(m->format);
      glBindFramebuffer(GL_FRAMEBUFFER, m->framebuffer[layer]);
      if (m->array)
         glFramebufferTextureLayer(GL_FRAMEBUFFER, attachment, m->texture, 0, layer);
      else
         glFramebufferTexture2D(GL_FRAMEBUFFER, attachment, GL_TEXTURE_2D_MULTISAMPLE, m->texture,
                                0);
      const GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
      if (status != GL_FRAMEBUFFER_COMPLETE)
         rules_fail(r, "format 0x%04x: status 0x%04x", m->format->internal, status);
   }
   no_error("attaching a multisample texture");
}

static struct image
make_image(struct rules *r, const struct gl33_calls *gl)
{
   const bool array = rules_chance(r, 40), fixed = rules_chance(r, 50);
   struct image m = { .format = &samples_formats[(size_t)r->n % COUNT(samples_formats)],
                      .array = array,
                      .width_px = rules_between(r, 1, MOST_PX),
                      .height_px = rules_between(r, 1, MOST_PX),
                      .layers = array ? rules_between(r, 1, MOST_LAYERS) : 1 };
   glGenTextures(1, &m.texture);
   glBindTexture(target_of(&m), m.texture);
   if (array)
      gl->image_3d(target_of(&m), SAMPLES, m.format->internal, m.width_px, m.height_px, m.layers,
                   fixed);
   else
      gl->image_2d(target_of(&m), SAMPLES, m.format->internal, m.width_px, m.height_px, fixed);
   no_error("making a multisample texture");
   attach_layers(r, &m);
   return m;
}

static void
delete_image(struct image *m)
{
   glDeleteFramebuffers(m->layers, m->framebuffer);
   glDeleteTextures(1, &m->texture);
}

static void
random_values(struct rules *r, const struct samples_format *f, int values[4])
{
   for (int c = 0; c < 4; c++) {
      const int most = c == 3 ? f->most_alpha : f->most;
      values[c] = c >= f->channels ? 0 : rules_chance(r, 20) ? most : rules_between(r, 0, most);
      if (f->kind == 'i' && rules_chance(r, 50))
         values[c] = -values[c];
   }
}

/* A channel as the program writes it, and a fetch gives it. */
static double
written(const struct samples_format *f, const int values[4], int channel)
{
   const bool share = f->kind == 'n' || f->kind == 'd';
   return share ? (double)values[channel] / (channel == 3 ? f->most_alpha : f->most)
                : values[channel];
}

static void
clear_image(struct image *m)
{
   const struct samples_format *f = m->format;
   float color[4];
   for (int c = 0; c < 4; c++)
      color[c] = (float)written(f, m->values[0], c);
   for (int layer = 0; layer < m->layers; layer++) {
      glBindFramebuffer(GL_FRAMEBUFFER, m->framebuffer[layer]);
      if (is_integer(m) && f->kind == 'u')
         glClearBufferuiv(GL_COLOR, 0, (const GLuint *)m->values[0]);
      else if (is_integer(m))
         glClearBufferiv(GL_COLOR, 0, m->values[0]);
      else
         glClearBufferfv(f->kind == 'd' ? GL_DEPTH : GL_COLOR, 0, color);
   }
   no_error("clearing four samples");
}

static GLuint
draw_program(const struct rules *r, const struct samples_format *f)
{
   const char *const fragment =
      f->kind == 'd'   ? "uniform vec4 c; void main() { gl_FragDepth = c.x; }"
      : f->kind == 'u' ? "uniform ivec4 c; out uvec4 v; void main() { v = uvec4(c); }"
      : f->kind == 'i' ? "uniform ivec4 c; out ivec4 v; void main() { v = c; }"
                       : "uniform vec4 c; out vec4 v; void main() { v = c; }";
   return es3_program_of(r, head, es3_vertex_whole, fragment);
}

/* Whether multisampling is on; without, a sample mask has no effect. */
static bool
set_mask(struct rules *r, const struct gl33_calls *gl, uint32_t mask)
{
   enum { MULTISAMPLE = 0x809D };
   const bool multisample = !rules_chance(r, 15);
   (multisample ? glEnable : glDisable)(MULTISAMPLE);
   (mask == 15 ? glDisable : glEnable)(GL_SAMPLE_MASK);
   gl->sample_mask(0, mask | rules_below(r, 1 << 20) << 4);
   return multisample;
}

/* Draw number `n`: a rectangle of a layer, under a sample mask. */
static void
draw(struct rules *r, const struct gl33_calls *gl, struct image *m, GLuint program, int n)
{
   const int x0 = rules_between(r, 0, m->width_px - 1), y0 = rules_between(r, 0, m->height_px - 1),
             x1 = rules_between(r, x0 + 1, m->width_px),
             y1 = rules_between(r, y0 + 1, m->height_px),
             layer = rules_between(r, 0, m->layers - 1);
   uint32_t mask = rules_chance(r, 20) ? 15 : rules_below(r, 16);
   const GLint place = glGetUniformLocation(program, "c");
   float values[4];
   random_values(r, m->format, m->values[n]);
   for (int c = 0; c < 4; c++)
      values[c] = (float)written(m->format, m->values[n], c);
   if (!set_mask(r, gl, mask))
      mask = 15;
   if (is_integer(m))
      glUniform4iv(place, 1, m->values[n]);
   else
      glUniform4fv(place, 1, values);
   glBindFramebuffer(GL_FRAMEBUFFER, m->framebuffer[layer]);
   glScissor(x0, y0, x1 - x0, y1 - y0);
   es3_draw_whole();
   for (int s = 0; s < SAMPLES; s++) {
      for (int y = y0; mask >> s & 1 && y < y1; y++)
         memset(&m->drawn[layer][s][y * m->width_px + x0], n, (size_t)(x1 - x0));
   }
}

static void
draw_image(struct rules *r, const struct gl33_calls *gl, struct image *m)
{
   GLuint program = draw_program(r, m->format);
   glViewport(0, 0, m->width_px, m->height_px);
   random_values(r, m->format, m->values[0]);
   clear_image(m);
   glEnable(GL_SCISSOR_TEST);
   if (m->format->kind == 'd')
      glEnable(GL_DEPTH_TEST), glDepthFunc(GL_ALWAYS);
   for (int n = 1; n <= DRAWS; n++)
      draw(r, gl, m, program, n);
   glDisable(GL_SCISSOR_TEST);
   glDisable(GL_DEPTH_TEST);
   set_mask(r, gl, 15);
   glDeleteProgram(program);
   no_error("drawing under sample masks");
}

/* --------------------------------------------------------------------------------------- fetching
 */

/* x, y, layer and sample for each pixel, inside of the texture or beside it. */
static void
random_places(struct rules *r, const struct image *m, int (*places)[4])
{
   const int size[4] = { m->width_px, m->height_px, m->array ? m->layers : 1, SAMPLES };
   for (int i = 0; i < PLACES_PX * PLACES_PX; i++) {
      for (int a = 0; a < 4; a++)
         places[i][a] = rules_chance(r, 98)   ? rules_between(r, 0, size[a] - 1)
                        : rules_chance(r, 70) ? rules_between(r, -1, size[a])
                                              : (int)es3_random_bits(r);
      if (rules_chance(r, 2))
         places[i][3] = ASK_SIZE;
   }
}

static GLuint
fetch_program(const struct rules *r, const struct image *m, bool in_vertex)
{
   static const char pass_on[] = "flat in TYPE fetched; out TYPE v; void main() { v = fetched; }";
   const char *const type = m->format->kind == 'u'   ? "uvec4"
                            : m->format->kind == 'i' ? "ivec4"
                                                     : "vec4";
   char fetch[800], defines[300], vertex[1500], fragment[1500];
   snprintf(defines, sizeof(defines), "#define TYPE %s\n#define SAMPLER %ssampler2DMS%s\n", type,
            type[0] == 'v' ? "" : (const char[]){ type[0], '\0' }, m->array ? "Array" : "");
   snprintf(fetch, sizeof(fetch),
            "%suniform usampler2D places; uniform SAMPLER image;\n"
            "TYPE fetch(ivec2 at) {\n"
            "   ivec4 p = ivec4(texelFetch(places, at, 0));\n"
            "   if (p.w == %d)\n"
            "      return TYPE(textureSize(image), %s);\n"
            "   return texelFetch(image, p.%s, p.w);\n"
            "}\n",
            defines, ASK_SIZE, m->array ? "0" : "0, 0", m->array ? "xyz" : "xy");
   snprintf(vertex, sizeof(vertex),
            "%sflat out TYPE fetched; const int N = %d;\n"
            "void main() {\n"
            "   ivec2 at = ivec2(gl_VertexID %% N, gl_VertexID / N);\n"
            "   gl_Position = vec4((vec2(at) + 0.5) * 2.0 / float(N) - 1.0, 0.0, 1.0);\n"
            "   fetched = fetch(at);\n"
            "}\n",
            fetch, PLACES_PX);
   snprintf(fragment, sizeof(fragment), "%s%s", in_vertex ? defines : fetch,
            in_vertex ? pass_on : "out TYPE v; void main() { v = fetch(ivec2(gl_FragCoord.xy)); }");
   return es3_program_of(r, head, in_vertex ? vertex : es3_vertex_whole, fragment);
}

static void
fetch_places(const struct rules *r, const struct image *m, int (*places)[4], bool in_vertex)
{
   GLuint program = fetch_program(r, m, in_vertex);
   GLuint table = es3_uint_texture(1, PLACES_PX, PLACES_PX, (const uint32_t *)places);
   glBindTexture(target_of(m), m->texture);
   es3_uniform(program, "image", 0);
   es3_uniform(program, "places", 1);
   if (in_vertex)
      glDrawArrays(GL_POINTS, 0, PLACES_PX * PLACES_PX);
   else
      es3_draw_whole();
   no_error("fetching samples");
   glDeleteTextures(1, &table);
   glDeleteProgram(program);
}

static double
expected(const struct image *m, const int place[4], int channel)
{
   const int size[3] = { m->width_px, m->height_px, m->array ? m->layers : 0 };
   const int x = place[0], y = place[1], layer = m->array ? place[2] : 0, s = place[3];
   if (s == ASK_SIZE)
      return channel < 3 ? size[channel] : 0;
   const bool inside = x >= 0 && x < m->width_px && y >= 0 && y < m->height_px && layer >= 0 &&
                       layer < m->layers && s >= 0 && s < SAMPLES;
   if (!inside)
      return 0;
   if (channel >=
       m->format->channels) /* of depth Mesa says red, as of a core profile, or luminance */
      return channel == 3;
   return written(m->format, m->values[m->drawn[layer][s][y * m->width_px + x]], channel);
}

static double
tolerance(const struct samples_format *f)
{
   return f->kind == 'n'                        ? 1e-6
          : f->kind != 'd'                      ? 0
          : f->internal == GL_DEPTH_COMPONENT16 ? 1e-5
                                                : 1e-6;
}

static void
expect_fetched(const struct rules *r, const struct image *m, int (*places)[4], int i,
               const double have[4])
{
   const bool depth = m->format->kind == 'd';
   for (int c = 0; c < (depth ? 1 : 4); c++) {
      const double want = expected(m, places[i], c);
      if (!(fabs(have[c] - want) <= tolerance(m->format)))
         rules_fail(
            r, "format 0x%04x, %d x %d x %d%s: channel %d at %d %d %d, sample %d is %.9g, not %.9g",
            m->format->internal, m->width_px, m->height_px, m->layers, m->array ? " (array)" : "",
            c, places[i][0], places[i][1], places[i][2], places[i][3], have[c], want);
   }
}

static void
check_fetches(struct rules *r, const struct image *m, bool in_vertex)
{
   static int places[PLACES_PX * PLACES_PX][4];
   const GLenum formats[] = { ['u' - 'a'] = GL_RGBA32UI, ['i' - 'a'] = GL_RGBA32I };
   const bool integer = is_integer(m), is_signed = m->format->kind == 'i';
   struct es3_target target = es3_target_create(
      integer ? formats[m->format->kind - 'a'] : GL_RGBA32F, PLACES_PX, PLACES_PX);
   random_places(r, m, places);
   fetch_places(r, m, places, in_vertex);
   uint32_t *words = malloc(sizeof(places));
   if (integer)
      glReadPixels(0, 0, PLACES_PX, PLACES_PX, GL_RGBA_INTEGER,
                   is_signed ? GL_INT : GL_UNSIGNED_INT, words);
   else
      glReadPixels(0, 0, PLACES_PX, PLACES_PX, GL_RGBA, GL_FLOAT, words);
   no_error("reading what was fetched");
   rules_hash(r, words, sizeof(places));
   for (int i = 0; i < PLACES_PX * PLACES_PX; i++) {
      double have[4];
      for (int c = 0; c < 4; c++)
         have[c] = !integer    ? (double)es3_float(words[4 * i + c])
                   : is_signed ? (double)(int32_t)words[4 * i + c]
                               : (double)words[4 * i + c];
      expect_fetched(r, m, places, i, have);
   }
   free(words);
   es3_target_delete(&target);
}

/* -------------------------------------------------------------------------------------- resolving
 */

/* Of fixed point and floats the mean, rounded; of integers that of a sample; of depth anything from
 * the least to the largest. */
static bool
may_be(const struct image *m, int layer, int pixel, int channel, double have)
{
   const struct samples_format *f = m->format;
   double mean = 0, least = INFINITY, most = -INFINITY;
   bool one = false;
   for (int s = 0; s < SAMPLES; s++) {
      const double sample = written(f, m->values[m->drawn[layer][s][pixel]], channel);
      one = one || have == sample;
      mean += sample / SAMPLES;
      least = fmin(least, sample);
      most = fmax(most, sample);
   }
   if (is_integer(m))
      return one;
   if (f->kind == 'd')
      return have >= least - tolerance(f) && have <= most + tolerance(f);
   const double step = f->kind == 'n' ? 1.0 / (channel == 3 ? f->most_alpha : f->most)
                                      : fabs(mean) * (f->internal == GL_RG32F ? 0 : 0x1p-10);
   return fabs(have - mean) <= step * 0.501 + 1e-6;
}

static void
read_resolved(const struct image *m, int layer, double (*have)[4])
{
   static uint32_t words[MOST_PX * MOST_PX][4];
   static float depths[MOST_PX * MOST_PX];
   const bool depth = m->format->kind == 'd';
   GLuint renderbuffer, framebuffer;
   glGenRenderbuffers(1, &renderbuffer);
   glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
   glRenderbufferStorage(GL_RENDERBUFFER, m->format->internal, m->width_px, m->height_px);
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachment_of(m->format), GL_RENDERBUFFER,
                             renderbuffer);
   glBindFramebuffer(GL_READ_FRAMEBUFFER, m->framebuffer[layer]);
   glBlitFramebuffer(0, 0, m->width_px, m->height_px, 0, 0, m->width_px, m->height_px,
                     depth ? GL_DEPTH_BUFFER_BIT : GL_COLOR_BUFFER_BIT, GL_NEAREST);
   glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
   glReadPixels(0, 0, m->width_px, m->height_px,
                depth           ? GL_DEPTH_COMPONENT
                : is_integer(m) ? GL_RGBA_INTEGER
                                : GL_RGBA,
                m->format->kind == 'u'   ? GL_UNSIGNED_INT
                : m->format->kind == 'i' ? GL_INT
                                         : GL_FLOAT,
                depth ? (void *)depths : words);
   no_error("resolving a multisample texture");
   for (int i = 0; i < m->width_px * m->height_px; i++) {
      for (int c = 0; c < 4; c++)
         have[i][c] = depth                    ? (double)depths[i]
                      : m->format->kind == 'u' ? (double)words[i][c]
                      : m->format->kind == 'i' ? (double)(int32_t)words[i][c]
                                               : (double)es3_float(words[i][c]);
   }
   glDeleteFramebuffers(1, &framebuffer);
   glDeleteRenderbuffers(1, &renderbuffer);
}

static void
check_resolved(const struct rules *r, const struct image *m)
{
   static double have[MOST_PX * MOST_PX][4];
   for (int layer = 0; layer < m->layers; layer++) {
      read_resolved(m, layer, have);
      for (int i = 0; i < m->width_px * m->height_px * m->format->channels; i++) {
         const int pixel = i / m->format->channels, c = i % m->format->channels;
         if (!may_be(m, layer, pixel, c, have[pixel][c]))
            rules_fail(r,
                       "format 0x%04x resolved: channel %d of pixel (%d, %d) of layer %d is %.9g",
                       m->format->internal, c, pixel % m->width_px, pixel / m->width_px, layer,
                       have[pixel][c]);
      }
   }
}

void
gl33_samples(struct rules *r)
{
   const struct gl33_calls gl = gl33_calls();
   while (rules_next(r)) {
      static struct image m;
      m = make_image(r, &gl);
      const bool resolve_first = rules_chance(r, 30);
      draw_image(r, &gl, &m);
      if (resolve_first)
         check_resolved(r, &m);
      check_fetches(r, &m, rules_chance(r, 30));
      if (!resolve_first)
         check_resolved(r, &m);
      delete_image(&m);
   }
}

/* -------------------------------------------------------------------------------------- positions
 */

enum { GRID = 16 /* steps of a pixel that vertices and samples lie on */, SIZE_PX = 16 };

/* Twice the area of a, b, p, in steps. */
static int64_t
area(const int a[2], const int b[2], const int p[2])
{
   return (int64_t)(b[0] - a[0]) * (p[1] - a[1]) - (int64_t)(b[1] - a[1]) * (p[0] - a[0]);
}

/* 1: inside of the triangle, 0: outside, -1: on an edge. */
static int
is_inside(const int v[3][2], const int p[2])
{
   const int64_t e[3] = { area(v[0], v[1], p), area(v[1], v[2], p), area(v[2], v[0], p) };
   if (e[0] == 0 || e[1] == 0 || e[2] == 0)
      return -1;
   return (e[0] > 0) == (e[1] > 0) && (e[1] > 0) == (e[2] > 0);
}

static void
draw_triangle(const struct rules *r, const struct image *m, const int v[3][2])
{
   GLuint program = es3_program_of(
      r, head, "uniform vec2 at[3]; void main() { gl_Position = vec4(at[gl_VertexID], 0.0, 1.0); }",
      "out vec4 v; void main() { v = vec4(1.0); }");
   float at[3][2];
   for (int i = 0; i < 6; i++)
      at[i / 2][i % 2] = (float)v[i / 2][i % 2] * 2 / (GRID * SIZE_PX) - 1;
   glUniform2fv(glGetUniformLocation(program, "at"), 3, at[0]);
   glBindFramebuffer(GL_FRAMEBUFFER, m->framebuffer[0]);
   glViewport(0, 0, SIZE_PX, SIZE_PX);
   clear_image((struct image *)m);
   glDrawArrays(GL_TRIANGLES, 0, 3);
   no_error("drawing a triangle");
   glDeleteProgram(program);
}

static void
get_positions(const struct rules *r, const struct gl33_calls *gl, int position[SAMPLES][2])
{
   for (GLuint s = 0; s < SAMPLES; s++) {
      GLfloat at[2] = { -1, -1 };
      gl->get_multisample(GL_SAMPLE_POSITION, s, at);
      no_error("asking for a sample's position");
      for (int a = 0; a < 2; a++) {
         position[s][a] = (int)(at[a] * GRID);
         if (!(at[a] > 0 && at[a] < 1) || (float)position[s][a] != at[a] * GRID)
            rules_fail(r, "sample %u is at %g %g", s, at[0], at[1]);
      }
   }
}

void
gl33_sample_positions(struct rules *r)
{
   const struct gl33_calls gl = gl33_calls();
   while (rules_next(r)) {
      static struct image m;
      static int places[PLACES_PX * PLACES_PX][4];
      int v[3][2], position[SAMPLES][2];
      m = (struct image){
         .format = &samples_formats[0], .width_px = SIZE_PX, .height_px = SIZE_PX, .layers = 1
      };
      for (int i = 0; i < 6; i++)
         v[i / 2][i % 2] = rules_between(r, -4 * GRID, (SIZE_PX + 4) * GRID);
      glGenTextures(1, &m.texture);
      glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, m.texture);
      gl.image_2d(GL_TEXTURE_2D_MULTISAMPLE, SAMPLES, GL_RGBA8, SIZE_PX, SIZE_PX, true);
      attach_layers(r, &m);
      get_positions(r, &gl, position);
      draw_triangle(r, &m, (const int(*)[2])v);
      for (int i = 0; i < PLACES_PX * PLACES_PX; i++) {
         const int s = i / (SIZE_PX * SIZE_PX), pixel = i % (SIZE_PX * SIZE_PX);
         memcpy(places[i], (const int[4]){ pixel % SIZE_PX, pixel / SIZE_PX, 0, s },
                sizeof(places[i]));
      }
      struct es3_target target = es3_target_create(GL_RGBA8, PLACES_PX, PLACES_PX);
      fetch_places(r, &m, places, false);
      uint8_t *have = rules_read(r, PLACES_PX, PLACES_PX);
      for (int i = 0; i < PLACES_PX * PLACES_PX; i++) {
         const int *place = places[i], *at = position[place[3]];
         const int p[2] = { place[0] * GRID + at[0], place[1] * GRID + at[1] };
         const int inside = is_inside((const int(*)[2])v, p);
         if (inside >= 0 && have[4 * i] != (inside ? 255 : 0))
            rules_fail(r, "sample %d of pixel (%d, %d), at %d/16 %d/16, is %s the triangle: %d",
                       place[3], place[0], place[1], at[0], at[1], inside ? "inside" : "outside",
                       have[4 * i]);
      }
      free(have);
      es3_target_delete(&target);
      delete_image(&m);
   }
}
