/* SPDX-License-Identifier: MIT
 *
 * Checks of 4x multisampling from outside: edges, lines, points, sample coverage, alpha to
 * coverage, depth, blending, centroid varyings and resolve, in pbuffers of X11 and of no window
 * system, in renderbuffers that a blit resolves, and in textures of
 * EXT_multisampled_render_to_texture. What a pixel is to be is computed here, from the positions of
 * the samples. `multisample_checks NAME` runs one; `multisample_checks --list` lists them.
 */
#include "gles2_context.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_PX 64
#define UNITS 64 /* positions are in 1/64 pixel: exact in device coordinates */

/* In 1/64 pixel from the upper left corner of memory's pixel. */
static const int sample_position[4][2] = { { 24, 8 }, { 56, 24 }, { 8, 40 }, { 40, 56 } };

static const float white[4] = { 1, 1, 1, 1 }, red[4] = { 1, 0, 0, 1 };

/* ---------------------------------------------------------------------------- places to draw to */

enum place { PBUFFER, SURFACELESS, RENDERBUFFER, TEXTURE, PLACES };
static const char *const place_name[PLACES] = { "pbuffer", "surfaceless", "renderbuffer",
                                                "texture" };

static struct target resolved;                     /* of RENDERBUFFER: where it is read */
static PFNGLBLITFRAMEBUFFERNVPROC blit_framebuffer;

/* Also for OpenGL 2.1, which has no precision. */
static const char vertex_text[] = "attribute vec4 position, colour; varying vec4 v;\n"
                                  "void main() { gl_Position = position; v = colour; }\n";
static const char fragment_text[] = "#ifdef GL_ES\nprecision highp float;\n#endif\n"
                                    "varying vec4 v;\nvoid main() { gl_FragColor = v; }\n";

static void
create_pbuffer(EGLDisplay display)
{
   const EGLint wanted[] = {
      EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RED_SIZE, 8, EGL_GREEN_SIZE, 8,
      EGL_BLUE_SIZE, 8, EGL_ALPHA_SIZE, 8, EGL_DEPTH_SIZE, 24, EGL_SAMPLE_BUFFERS, 1, EGL_SAMPLES, 4, EGL_NONE
   };
   const EGLint size[] = { EGL_WIDTH, SIZE_PX, EGL_HEIGHT, SIZE_PX, EGL_NONE };
   const EGLint version[] = { EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE };
   EGLConfig config;
   EGLint count;
   eglBindAPI(EGL_OPENGL_ES_API);
   if (!eglChooseConfig(display, wanted, &config, 1, &count) || count != 1)
      die("no EGL configuration with four samples and pbuffers");
   EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, version);
   EGLSurface surface = eglCreatePbufferSurface(display, config, size);
   if (context == EGL_NO_CONTEXT || surface == EGL_NO_SURFACE ||
       !eglMakeCurrent(display, surface, surface, context))
      die("a pbuffer of four samples cannot be made current: 0x%x", eglGetError());
}

static EGLDisplay
x11_display(void)
{
   EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_X11_KHR, EGL_DEFAULT_DISPLAY, NULL);
   if (!eglInitialize(display, NULL, NULL))
      die("there is no X server to make a pbuffer on");
   return display;
}

/* An extension's function, which must be there. */
static void
(*function(const char *name))(void)
{
   void (*f)(void) = eglGetProcAddress(name);
   if (!f)
      die("there is no %s", name);
   return f;
}

/* Of as many samples as the driver has for the number asked. */
static void
create_framebuffer(enum place place, GLsizei samples)
{
   const PFNGLRENDERBUFFERSTORAGEMULTISAMPLEEXTPROC storage =
      (PFNGLRENDERBUFFERSTORAGEMULTISAMPLEEXTPROC)function("glRenderbufferStorageMultisampleEXT");
   GLuint framebuffer, colour, depth;
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   if (place == TEXTURE) {
      const PFNGLFRAMEBUFFERTEXTURE2DMULTISAMPLEEXTPROC attach =
         (PFNGLFRAMEBUFFERTEXTURE2DMULTISAMPLEEXTPROC)function(
            "glFramebufferTexture2DMultisampleEXT");
      glGenTextures(1, &colour);
      glBindTexture(GL_TEXTURE_2D, colour);
      glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIZE_PX, SIZE_PX, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
      attach(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, colour, 0, samples);
   } else {
      glGenRenderbuffers(1, &colour);
      glBindRenderbuffer(GL_RENDERBUFFER, colour);
      storage(GL_RENDERBUFFER, samples, GL_RGBA8_OES, SIZE_PX, SIZE_PX);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colour);
   }
   glGenRenderbuffers(1, &depth);
   glBindRenderbuffer(GL_RENDERBUFFER, depth);
   storage(GL_RENDERBUFFER, samples, GL_DEPTH_COMPONENT24_OES, SIZE_PX, SIZE_PX);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
   if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      die("a framebuffer of %d samples is not complete", samples);
}

/* A new context with a cleared frame buffer of four samples and the plain program. */
static struct target
create(EGLDisplay display, enum place place)
{
   struct target target = { .width_px = SIZE_PX, .height_px = SIZE_PX };
   GLint buffers, samples;
   if (place <= SURFACELESS) {
      create_pbuffer(place == PBUFFER ? x11_display() : display);
   } else if (place == RENDERBUFFER) {
      context_create_desktop(display, EGL_NO_CONTEXT);
      blit_framebuffer = (PFNGLBLITFRAMEBUFFERNVPROC)function("glBlitFramebuffer");
      resolved = target_create(SIZE_PX, SIZE_PX);
      create_framebuffer(place, 4);
   } else {
      context_create(display, EGL_NO_CONTEXT);
      if (!strstr((const char *)glGetString(GL_EXTENSIONS),
                  "GL_EXT_multisampled_render_to_texture "))
         die("there is no GL_EXT_multisampled_render_to_texture");
      create_framebuffer(place, 4);
   }
   glGetIntegerv(GL_FRAMEBUFFER_BINDING, (GLint *)&target.framebuffer);
   glGetIntegerv(GL_SAMPLE_BUFFERS, &buffers);
   glGetIntegerv(GL_SAMPLES, &samples);
   if (buffers != 1 || samples != 4)
      die("%s: GL_SAMPLE_BUFFERS %d, GL_SAMPLES %d", place_name[place], buffers, samples);
   glViewport(0, 0, SIZE_PX, SIZE_PX);
   program_create(vertex_text, fragment_text);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   no_error("making a frame buffer of four samples");
   return target;
}

/* The resolved colours; the frame buffer of four samples stays bound. */
static uint8_t *
read_target(const struct target *target, enum place place)
{
   if (place != RENDERBUFFER)
      return target_read(target);
   glBindFramebuffer(GL_DRAW_FRAMEBUFFER_NV, resolved.framebuffer);
   blit_framebuffer(0, 0, SIZE_PX, SIZE_PX, 0, 0, SIZE_PX, SIZE_PX, GL_COLOR_BUFFER_BIT,
                    GL_NEAREST);
   glBindFramebuffer(GL_FRAMEBUFFER, resolved.framebuffer);
   uint8_t *pixels = target_read(&resolved);
   target_bind(target);
   return pixels;
}

/* ---------------------------------------------------------------------------------------- blits */

static bool
is_in(int value, int low, int high)
{
   return value >= low && value < high;
}

/* Blits of rectangles that leave both frame buffers, also mirrored, resolve the pixels that are in
 * both. `to` is where pixel 0 of each axis of the source goes, `step` which way the others
 * follow. */
static void
check_resolve_beyond(EGLDisplay display, enum place place)
{
   static const struct {
      int from[4], to[4];
      struct { int to, step; } x, y;
   } blits[] = {
      { { 0, 0, 20000, SIZE_PX },
        { SIZE_PX, 0, SIZE_PX - 20000, SIZE_PX },
        { SIZE_PX - 1, -1 },
        { 0, 1 } },
      { { 0, -30000, SIZE_PX, 30000 }, { 0, 30000, SIZE_PX, -30000 }, { 0, 1 }, { -1, -1 } },
      { { -30000, 5, 30000, 25 }, { 30011, 25, -29989, 5 }, { 10, -1 }, { 29, -1 } },
      { { -9, -9, 20000, 20000 }, { -2, -16, 20007, 19993 }, { 7, 1 }, { -7, 1 } },
      { { -20000, 0, -1, 20 }, { 19999, 0, 0, 20 }, { -2, -1 }, { 0, 1 } },
   };
   struct target target = create(display, place);
   uint8_t expected[4];
   draw_rectangle(-1, -1, 1, 1, 0, red);
   draw_rectangle(-1, -1, -0.3f, 0.4f, 0, white);
   uint8_t *whole = read_target(&target, place);
   for (size_t n = 0; n < sizeof(blits) / sizeof(blits[0]); n++) {
      const int *from = blits[n].from, *to = blits[n].to;
      target_bind(&resolved);
      glClear(GL_COLOR_BUFFER_BIT);
      glBindFramebuffer(GL_READ_FRAMEBUFFER_NV, target.framebuffer);
      blit_framebuffer(from[0], from[1], from[2], from[3], to[0], to[1], to[2], to[3],
                       GL_COLOR_BUFFER_BIT, GL_NEAREST);
      target_bind(&resolved);
      uint8_t *pixels = target_read(&resolved);
      for (int y = 0; y < SIZE_PX; y++) {
         for (int x = 0; x < SIZE_PX; x++) {
            const int from_x = (x - blits[n].x.to) * blits[n].x.step,
                      from_y = (y - blits[n].y.to) * blits[n].y.step;
            const bool inside = is_in(from_x, 0, SIZE_PX) && is_in(from_x, from[0], from[2]) &&
                                is_in(from_y, 0, SIZE_PX) && is_in(from_y, from[1], from[3]);
            memset(expected, 0, sizeof(expected));
            if (inside)
               memcpy(expected, whole + 4 * (from_y * SIZE_PX + from_x), sizeof(expected));
            expect_pixel(&resolved, pixels, x, y, expected, 0, "a blit beyond the frame buffers");
         }
      }
      free(pixels);
   }
   free(whole);
   no_error("blits beyond the frame buffers");
}

/* --------------------------------------------------------------------------------------- counts */

/* Texture and renderbuffer of the same number of samples get the same next larger one that there
 * is: four. */
static void
check_counts(EGLDisplay display, enum place place)
{
   create(display, place);
   for (GLint samples = 1; samples <= 4; samples++) {
      GLint of_frame_buffer, of_texture;
      create_framebuffer(place, samples);
      glGetIntegerv(GL_SAMPLES, &of_frame_buffer);
      glGetFramebufferAttachmentParameteriv(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                                            GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_SAMPLES_EXT,
                                            &of_texture);
      if (of_frame_buffer != 4 || of_texture != 4)
         die("%d samples asked: GL_SAMPLES is %d, the texture's %d", samples, of_frame_buffer,
             of_texture);
   }
   no_error("frame buffers of fewer samples");
}

/* ---------------------------------------------------------------------------------------- edges */

struct point {
   int64_t x, y;
};

static int64_t
cross(struct point a, struct point b, struct point p)
{
   return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

/* Where sample s of pixel (x, y) is, with y upwards. */
static struct point
sample_at(int x, int y, int s, enum place place)
{
   /* rows of memory go up with y in a framebuffer object, down in a pbuffer */
   const int up = place <= SURFACELESS ? UNITS - sample_position[s][1] : sample_position[s][1];
   return (struct point){ x * UNITS + sample_position[s][0], y * UNITS + up };
}

/* Samples of pixel (x, y) inside a counter-clockwise triangle. -1: one lies on an edge. */
static int
samples_inside(const struct point t[3], int x, int y, enum place place)
{
   int inside = 0;
   for (int s = 0; s < 4; s++) {
      const struct point p = sample_at(x, y, s, place);
      int64_t least = 1;
      for (int i = 0; i < 3; i++) {
         const int64_t side = cross(t[i], t[(i + 1) % 3], p);
         if (side == 0)
            return -1;
         least = side < least ? side : least;
      }
      inside += least > 0;
   }
   return inside;
}

static void
point_to_vertex(struct point p, const float colour[4], float vertex[8])
{
   const float position[4] = { p.x * 2.0f / (SIZE_PX * UNITS) - 1,
                               p.y * 2.0f / (SIZE_PX * UNITS) - 1, 0, 1 };
   memcpy(vertex, position, sizeof(position));
   memcpy(vertex + 4, colour, sizeof(position));
}

static void
random_triangle(uint64_t *seed, struct point t[3])
{
   for (int i = 0; i < 3; i++)
      t[i] =
         (struct point){ random_below(seed, SIZE_PX * UNITS), random_below(seed, SIZE_PX * UNITS) };
   if (cross(t[0], t[1], t[2]) < 0) {
      const struct point swapped = t[1];
      t[1] = t[2], t[2] = swapped;
   }
}

/* Each pixel is the average of its samples. */
static void
check_edges(EGLDisplay display, enum place place)
{
   struct target target = create(display, place);
   uint64_t seed = 1;
   int partial = 0;
   for (int n = 0; n < 60; n++) {
      struct point t[3];
      float vertices[3][8];
      random_triangle(&seed, t);
      for (int i = 0; i < 3; i++)
         point_to_vertex(t[i], white, vertices[i]);
      glClear(GL_COLOR_BUFFER_BIT);
      draw_vertices((const float(*)[8])vertices, 3);
      uint8_t *pixels = read_target(&target, place);
      for (int i = 0; i < SIZE_PX * SIZE_PX; i++) {
         const int inside = samples_inside(t, i % SIZE_PX, i / SIZE_PX, place);
         if (inside >= 0 && pixels[4 * i] != (inside * 255 + 2) / 4)
            die("triangle %d: pixel (%d, %d) is %d with %d samples inside", n, i % SIZE_PX,
                i / SIZE_PX, pixels[4 * i], inside);
         partial += inside > 0 && inside < 4;
      }
      free(pixels);
   }
   if (partial < 1000)
      die("only %d pixels were covered in part", partial);
}

/* -------------------------------------------------------------------------------- lines, points */

/* A rectangle in the window, any way round, in 1/64 pixel: the unit vector along it, half its
 * length and half its width. */
struct oblong {
   double x, y, along[2], half_length, half_width;
};

/* Samples of pixel (x, y) inside. -1: one lies so near to a side that rounding decides. */
static int
samples_in_oblong(const struct oblong *o, int x, int y, enum place place)
{
   static const double rounding = 0.01;
   int inside = 0;
   for (int s = 0; s < 4; s++) {
      const struct point p = sample_at(x, y, s, place);
      const double dx = (double)p.x - o->x, dy = (double)p.y - o->y;
      const double along = o->half_length - fabs(dx * o->along[0] + dy * o->along[1]),
                   across = o->half_width - fabs(dy * o->along[0] - dx * o->along[1]),
                   least = fmin(along, across);
      if (fabs(least) < rounding)
         return -1;
      inside += least > 0;
   }
   return inside;
}

static void
expect_oblong(const struct target *target, enum place place, const struct oblong *o, int n,
              const char *what)
{
   uint8_t *pixels = read_target(target, place);
   for (int i = 0; i < SIZE_PX * SIZE_PX; i++) {
      const int inside = samples_in_oblong(o, i % SIZE_PX, i / SIZE_PX, place);
      if (inside >= 0 && pixels[4 * i] != (inside * 255 + 2) / 4)
         die("%s %d: pixel (%d, %d) is %d with %d samples inside", what, n, i % SIZE_PX,
             i / SIZE_PX, pixels[4 * i], inside);
   }
   free(pixels);
}

/* One line or point: the oblong. */
static void
draw_oblong(GLenum mode, const struct point *ends, int count)
{
   float vertices[2][8];
   for (int i = 0; i < count; i++)
      point_to_vertex(ends[i], white, vertices[i]);
   glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, sizeof(vertices[0]), vertices[0]);
   glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, sizeof(vertices[0]), vertices[0] + 4);
   glEnableVertexAttribArray(0);
   glEnableVertexAttribArray(1);
   glClear(GL_COLOR_BUFFER_BIT);
   glDrawArrays(mode, 0, count);
}

/* With samples a line is a rectangle of its width and length, whatever its slope; its width is not
 * rounded: section 3.4.4. */
static void
check_lines(EGLDisplay display, enum place place)
{
   static const float special_px[] = { 1, 1.5f, 2, 2.25f, 3, 7.75f };
   const struct target target = create(display, place);
   uint64_t seed = 11;
   for (int n = 0; n < 80; n++) {
      struct point ends[2];
      for (int i = 0; i < 2; i++)
         ends[i] = (struct point){ random_below(&seed, SIZE_PX * UNITS),
                                   random_below(&seed, SIZE_PX * UNITS) };
      if (n % 4 == 0) /* level or upright */
         *(n % 8 ? &ends[1].x : &ends[1].y) = n % 8 ? ends[0].x : ends[0].y;
      const double dx = (double)(ends[1].x - ends[0].x), dy = (double)(ends[1].y - ends[0].y),
                   length = hypot(dx, dy);
      if (length < UNITS)
         continue;
      const float width_px = n % 3 ? special_px[n % 6] : 1 + (float)random_below(&seed, 64 * 9) / 64;
      const struct oblong o = { (double)(ends[0].x + ends[1].x) / 2, (double)(ends[0].y + ends[1].y) / 2,
                                { dx / length, dy / length }, length / 2, width_px * UNITS / 2 };
      glLineWidth(width_px);
      draw_oblong(GL_LINES, ends, 2);
      expect_oblong(&target, place, &o, n, "line");
   }
   no_error("lines of four samples");
}

/* A sprite is the square of its size, which is not rounded: section 3.3.3. */
static void
check_points(EGLDisplay display, enum place place)
{
   /* OpenGL's switches of what ES always does */
   enum { POINT_SPRITE = 0x8861, VERTEX_PROGRAM_POINT_SIZE = 0x8642 };
   const struct target target = create(display, place);
   uint64_t seed = 13;
   if (place == RENDERBUFFER) {
      glEnable(POINT_SPRITE);
      glEnable(VERTEX_PROGRAM_POINT_SIZE);
   }
   const GLuint program =
      program_create("attribute vec4 position, colour; varying vec4 v; uniform float size;\n"
                     "void main() { gl_Position = position; gl_PointSize = size; v = colour; }\n",
                     fragment_text);
   for (int n = 0; n < 80; n++) {
      const struct point centre = { random_below(&seed, SIZE_PX * UNITS), random_below(&seed, SIZE_PX * UNITS) };
      const float size_px = n % 3 ? 1 + (float)random_below(&seed, 64 * 20) / 64 : (float)(1 + n / 3);
      const struct oblong o = { (double)centre.x, (double)centre.y, { 1, 0 }, size_px * UNITS / 2, size_px * UNITS / 2 };
      glUniform1f(glGetUniformLocation(program, "size"), size_px);
      draw_oblong(GL_POINTS, &centre, 1);
      expect_oblong(&target, place, &o, n, "point");
   }
   no_error("points of four samples");
}

/* -------------------------------------------------------------------- coverage, depth, blending */

static void
expect_all(const struct target *target, enum place place, int value, const char *what, float amount)
{
   uint8_t *pixels = read_target(target, place);
   for (int i = 0; i < SIZE_PX * SIZE_PX; i++) {
      if (pixels[4 * i] != value)
         die("%s %g: pixel (%d, %d) is %d, not %d", what, amount, i % SIZE_PX, i / SIZE_PX,
             pixels[4 * i], value);
   }
   free(pixels);
}

/* glSampleCoverage keeps the samples it says; and inverted, the others. */
static void
check_sample_coverage(EGLDisplay display, enum place place)
{
   struct target target = create(display, place);
   glEnable(GL_SAMPLE_COVERAGE);
   for (int kept = 0; kept <= 4; kept++) {
      for (int invert = 0; invert < 2; invert++) {
         glClear(GL_COLOR_BUFFER_BIT);
         glSampleCoverage(kept / 4.0f, invert);
         draw_rectangle(-1, -1, 1, 1, 0, white);
         expect_all(&target, place, ((invert ? 4 - kept : kept) * 255 + 2) / 4,
                    invert ? "inverted coverage" : "coverage", kept / 4.0f);
      }
   }
   /* both halves together are everything */
   glClear(GL_COLOR_BUFFER_BIT);
   for (int invert = 0; invert < 2; invert++) {
      glSampleCoverage(0.5f, invert);
      draw_rectangle(-1, -1, 1, 1, 0, white);
   }
   expect_all(&target, place, 255, "both halves of coverage", 0.5f);
}

static void
check_alpha_to_coverage(EGLDisplay display, enum place place)
{
   struct target target = create(display, place);
   int before = 0;
   glEnable(GL_SAMPLE_ALPHA_TO_COVERAGE);
   for (int alpha = 0; alpha <= 16; alpha++) {
      const float colour[4] = { 1, 1, 1, alpha / 16.0f };
      glClear(GL_COLOR_BUFFER_BIT);
      draw_rectangle(-1, -1, 1, 1, 0, colour);
      uint8_t *pixels = read_target(&target, place);
      const int value = pixels[0];
      free(pixels);
      if (value < before || fabsf(value / 255.0f - alpha / 16.0f) > 0.126f)
         die("alpha %d/16 covers %d/255", alpha, value);
      expect_all(&target, place, value, "alpha to coverage everywhere", alpha / 16.0f);
      before = value;
   }
   if (before != 255)
      die("alpha 1 covers %d/255", before);
}

/* A level and a rising rectangle cross in the middle of a column: there each sample shows the
 * nearer one. */
static void
check_depth(EGLDisplay display, enum place place)
{
   struct target target = create(display, place);
   static const int column = 20;
   const float cross_at = (column + 0.5f) * 2 / SIZE_PX - 1; /* x, and the depth of both there */
   const float rising[6][8] = {
      { -1, -1, -1, 1, 0, 1, 0, 1 }, { 1, -1, 1, 1, 0, 1, 0, 1 }, { 1, 1, 1, 1, 0, 1, 0, 1 },
      { -1, -1, -1, 1, 0, 1, 0, 1 }, { 1, 1, 1, 1, 0, 1, 0, 1 },  { -1, 1, -1, 1, 0, 1, 0, 1 },
   };
   glEnable(GL_DEPTH_TEST);
   draw_rectangle(-1, -1, 1, 1, cross_at, red);
   draw_vertices(rising, 6);
   uint8_t *pixels = read_target(&target, place);
   for (int i = 0; i < SIZE_PX * SIZE_PX; i++) {
      int nearer = 0;
      for (int s = 0; s < 4; s++)
         nearer += i % SIZE_PX * UNITS + sample_position[s][0] < column * UNITS + UNITS / 2;
      if (pixels[4 * i] != ((4 - nearer) * 255 + 2) / 4 ||
          pixels[4 * i + 1] != (nearer * 255 + 2) / 4)
         die("pixel (%d, %d) is %d, %d with %d samples of the rising rectangle in front",
             i % SIZE_PX, i / SIZE_PX, pixels[4 * i], pixels[4 * i + 1], nearer);
   }
   free(pixels);
}

/* Two triangles that share a slanted edge, blended: no sample gets both or neither. Reading in
 * between changes nothing in a frame buffer that keeps its samples. */
static void
check_blend(EGLDisplay display, enum place place)
{
   struct target target = create(display, place);
   const float half[4] = { 0.4f, 0.4f, 0.4f, 0.4f };
   const float corner[4][2] = { { -1, -1 }, { 1, -1 }, { 1, 1 }, { -1, 1 } };
   const float bend[2] = { -0.315f, 0.217f };
   glEnable(GL_BLEND);
   glBlendFunc(GL_ONE, GL_ONE);
   for (int i = 0; i < 4; i++) {
      float vertices[3][8] = { { 0 } };
      const float *const at[3] = { corner[i], corner[(i + 1) % 4], bend };
      for (int k = 0; k < 3; k++) {
         memcpy(vertices[k], at[k], sizeof(bend));
         vertices[k][3] = 1;
         memcpy(vertices[k] + 4, half, sizeof(half));
      }
      draw_vertices((const float(*)[8])vertices, 3);
      if (place != TEXTURE)
         free(read_target(&target, place));
   }
   expect_all(&target, place, 102, "four triangles", 0.4f);
}

/* ------------------------------------------------------------------------------------- centroid */

/* Draws random triangles whose varying is the barycentric coordinates. Returns the number of pixels
 * where one is negative. */
static int
pixels_outside(const struct target *target, enum place place, const char *qualifier)
{
   char vertex[300], fragment[300];
   uint64_t seed = 3;
   int outside = 0;
   snprintf(vertex, sizeof(vertex),
            "#version 120\nattribute vec4 position, colour; %s varying vec4 v;\n"
            "void main() { gl_Position = position; v = colour; }\n",
            qualifier);
   snprintf(fragment, sizeof(fragment), "#version 120\n%s varying vec4 v;\n"
                                        "void main() { gl_FragColor = any(lessThan(v.xyz, vec3(-0.00001))) ? vec4(1.0) : vec4(0.0); }\n",
            qualifier);
   const GLuint program = program_create(vertex, fragment);
   for (int n = 0; n < 40; n++) {
      static const float corner[3][4] = { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } };
      struct point t[3];
      float vertices[3][8];
      random_triangle(&seed, t);
      for (int i = 0; i < 3; i++)
         point_to_vertex(t[i], corner[i], vertices[i]);
      glClear(GL_COLOR_BUFFER_BIT);
      draw_vertices((const float(*)[8])vertices, 3);
      uint8_t *pixels = read_target(target, place);
      for (int i = 0; i < SIZE_PX * SIZE_PX; i++)
         outside += pixels[4 * i] != 0;
      free(pixels);
   }
   glDeleteProgram(program);
   return outside;
}

/* Varyings of pixels that a triangle covers in part may be those of a place outside of it; not if
 * they are centroid. */
static void
check_centroid(EGLDisplay display, enum place place)
{
   const struct target target = create(display, place);
   const int smooth = pixels_outside(&target, place, ""),
             centroid = pixels_outside(&target, place, "centroid");
   if (smooth < 100 || centroid)
      die("%d pixels have varyings of outside, %d though these are centroid", smooth, centroid);
}

/* ------------------------------------------------------------------ two triangles of one plane */

/* A texture whose neighbours differ in x by red, in y by green. */
static void
create_checks_texture(int width, int height)
{
   uint8_t *texels = calloc((size_t)width * height, 4);
   for (int i = 0; i < width * height; i++) {
      texels[4 * i] = i % width & 1 ? 255 : 0;
      texels[4 * i + 1] = i / width & 1 ? 255 : 0;
   }
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   free(texels);
}

/* A rectangle of two triangles, of pixels, from (x, y); texture coordinates are 0 to `repeats`,
 * turned round where `turned` says so; its diagonal is one of two. */
static void
draw_two_triangles(int x, int y, int width, int height, int repeats, int turned)
{
   static const int order[2][6] = { { 0, 1, 2, 2, 1, 3 }, { 1, 3, 0, 0, 3, 2 } };
   float corner[4][8], vertices[6][8];
   for (int i = 0; i < 4; i++) {
      const int right = i & 1, upper = i >> 1;
      const float coordinates[4] = { (float)(repeats * (right ^ (turned & 1))),
                                     (float)(repeats * (upper ^ (turned >> 1 & 1))) };
      point_to_vertex((struct point){ (x + right * width) * UNITS, (y + upper * height) * UNITS },
                      coordinates, corner[i]);
   }
   for (int i = 0; i < 6; i++)
      memcpy(vertices[i], corner[order[turned >> 2 & 1][i]], sizeof(vertices[i]));
   draw_vertices((const float(*)[8])vertices, 6);
}

/* Where the centres of all pixels lie on borders of texels, either texel is right, but both
 * triangles that share a pixel have to take the same: no pixel is a mean of several texels. */
static void
check_coplanar(EGLDisplay display, enum place place)
{
   const struct target target = create(display, place);
   GLuint texture;
   uint64_t seed = 11;
   int mixed = 0;
   program_create("attribute vec4 position, colour; varying vec2 v;\n"
                  "void main() { gl_Position = position; v = colour.xy; }\n",
                  "#ifdef GL_ES\nprecision highp float;\n#endif\n"
                  "uniform sampler2D s; varying vec2 v;\n"
                  "void main() { gl_FragColor = texture2D(s, v); }\n");
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   for (int n = 0; n < 64; n++) {
      const int width = n < 16 ? 3 + 2 * n : 3 + (int)random_below(&seed, SIZE_PX - 4),
                height = 3 + (int)random_below(&seed, SIZE_PX - 4);
      const int x = (int)random_below(&seed, SIZE_PX - width),
                y = (int)random_below(&seed, SIZE_PX - height);
      create_checks_texture(2 * width, 2 * height);
      glClear(GL_COLOR_BUFFER_BIT);
      draw_two_triangles(x, y, width, height, n & 8 ? 3 : 1, n);
      uint8_t *pixels = read_target(&target, place);
      for (int i = 0; i < SIZE_PX * SIZE_PX; i++)
         mixed += (pixels[4 * i] != 0 && pixels[4 * i] != 255) ||
                  (pixels[4 * i + 1] != 0 && pixels[4 * i + 1] != 255);
      free(pixels);
   }
   if (mixed)
      die("%d pixels are means of several texels", mixed);
}

/* ---------------------------------------------------------------------------- render to texture */

/* The texture shows the average when it is sampled, and drawing goes on from there; its mipmaps are
 * made of it. */
static void
check_sampled(EGLDisplay display, enum place place)
{
   struct point t[3];
   float vertices[3][8];
   uint64_t seed = 7;
   struct target drawn = create(display, place);
   const GLuint plain = program_create(vertex_text, fragment_text);
   random_triangle(&seed, t);
   for (int i = 0; i < 3; i++)
      point_to_vertex(t[i], white, vertices[i]);
   draw_vertices((const float(*)[8])vertices, 3);

   struct target shown = target_create(SIZE_PX, SIZE_PX);
   program_create("attribute vec4 position, colour; varying highp vec2 v;\n"
                  "void main() { gl_Position = position; v = position.xy * 0.5 + 0.5 + 0.0 * colour.xy; }\n",
                  "uniform sampler2D s; varying highp vec2 v;\nvoid main() { gl_FragColor = texture2D(s, v); }\n");
   draw_rectangle(-1, -1, 1, 1, 0, white);
   uint8_t *pixels = target_read(&shown);
   for (int i = 0; i < SIZE_PX * SIZE_PX; i++) {
      const int inside = samples_inside(t, i % SIZE_PX, i / SIZE_PX, place);
      if (inside >= 0 && pixels[4 * i] != (inside * 255 + 2) / 4)
         die("sampled: pixel (%d, %d) is %d with %d samples inside", i % SIZE_PX, i / SIZE_PX,
             pixels[4 * i], inside);
   }
   free(pixels);

   /* what was there is still there when drawing goes on */
   target_bind(&drawn);
   glUseProgram(plain);
   draw_rectangle(-1, -1, 0, 1, 0, red);
   pixels = target_read(&drawn);
   for (int i = 0; i < SIZE_PX * SIZE_PX; i++) {
      const int inside = samples_inside(t, i % SIZE_PX, i / SIZE_PX, place),
                value = pixels[4 * i + 1];
      if (inside >= 0 && value != (i % SIZE_PX < SIZE_PX / 2 ? 0 : (inside * 255 + 2) / 4))
         die("drawn on: pixel (%d, %d) is %d with %d samples inside", i % SIZE_PX, i / SIZE_PX,
             value, inside);
   }
   free(pixels);
}

/* --------------------------------------------------------------------------------------- scaled */

enum { SCALED_RESOLVE_FASTEST = 0x90BA, SCALED_RESOLVE_NICEST = 0x90BB };

struct rectangle {
   GLint x0, y0, x1, y1;
};

static const struct rectangle whole = { 0, 0, SIZE_PX, SIZE_PX };

static GLenum
blit(const struct target *from, const struct target *to, struct rectangle source,
     struct rectangle destination, GLenum filter)
{
   glBindFramebuffer(GL_READ_FRAMEBUFFER_NV, from->framebuffer);
   glBindFramebuffer(GL_DRAW_FRAMEBUFFER_NV, to->framebuffer);
   blit_framebuffer(source.x0, source.y0, source.x1, source.y1, destination.x0, destination.y0,
                    destination.x1, destination.y1, GL_COLOR_BUFFER_BIT, filter);
   return glGetError();
}

static void
expect_blit_error(GLenum error, const struct target *from, const struct target *to, GLenum filter)
{
   const struct rectangle half = { 0, 0, SIZE_PX / 2, SIZE_PX / 2 };
   const GLenum have = blit(from, to, whole, half, filter);
   if (have != error)
      die("a scaled blit with filter 0x%x gives 0x%x, not 0x%x", filter, have, error);
}

/* A target's pixels after one blit or, where `by` is not NULL, two: by that target. */
static uint8_t *
blitted(const struct target *from, const struct target *by, const struct target *to,
        struct rectangle source, struct rectangle destination, GLenum filter)
{
   target_bind(to);
   glClear(GL_COLOR_BUFFER_BIT);
   if ((by && blit(from, by, whole, whole, GL_NEAREST)) ||
       blit(by ? by : from, to, source, destination, filter))
      die("a blit with filter 0x%x is refused", filter);
   target_bind(to);
   return target_read(to);
}

/* Several samples are scaled by the filters of EXT_framebuffer_multisample_blit_scaled only, and
 * then as the resolved picture is by GL_LINEAR; in one size they may be mirrored. */
static void
check_scaled(EGLDisplay display, enum place place)
{
   static const float triangle[3][8] = { { -0.9f, -0.8f, 0, 1, 1, 0.5f, 0, 1 },
                                         { 0.8f, -0.3f, 0, 1, 0, 1, 0, 1 },
                                         { 0.1f, 0.9f, 0, 1, 0, 0.5f, 1, 1 } };
   static const struct rectangle sources[] = { whole, { 3, 5, 40, 61 }, { 60, 1, 2, 50 } };
   static const struct rectangle destinations[] = {
      { 0, 0, 31, 17 }, { 5, 60, 47, 2 }, { 1, 1, 64, 64 }, { -10, 3, 90, 60 }
   };
   const struct target from = create(display, place), to = target_create(SIZE_PX, SIZE_PX);
   if (!strstr((const char *)glGetString(GL_EXTENSIONS),
               "GL_EXT_framebuffer_multisample_blit_scaled"))
      die("there is no GL_EXT_framebuffer_multisample_blit_scaled");
   target_bind(&from);
   draw_vertices(triangle, 3);
   expect_blit_error(GL_INVALID_OPERATION, &from, &to, GL_NEAREST);
   expect_blit_error(GL_INVALID_OPERATION, &from, &to, GL_LINEAR);
   expect_blit_error(GL_INVALID_OPERATION, &resolved, &to, SCALED_RESOLVE_FASTEST);
   expect_blit_error(GL_INVALID_OPERATION, &from, &from, SCALED_RESOLVE_NICEST);
   for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
      for (size_t k = 0; k < sizeof(destinations) / sizeof(destinations[0]); k++) {
         const GLenum filter = (i + k) % 2 ? SCALED_RESOLVE_FASTEST : SCALED_RESOLVE_NICEST;
         uint8_t *have = blitted(&from, NULL, &to, sources[i], destinations[k], filter);
         uint8_t *want = blitted(&from, &resolved, &to, sources[i], destinations[k], GL_LINEAR);
         for (int n = 0; n < SIZE_PX * SIZE_PX; n++)
            expect_pixel(&to, have, n % SIZE_PX, n / SIZE_PX, want + 4 * n, 0, "scaled");
         free(have);
         free(want);
      }
   const struct rectangle mirrored = { SIZE_PX, 0, 0, SIZE_PX };
   uint8_t *have = blitted(&from, NULL, &to, whole, mirrored, GL_NEAREST), *want = blitted(&from, NULL, &to, whole, whole, GL_NEAREST);
   for (int n = 0; n < SIZE_PX * SIZE_PX; n++)
      expect_pixel(&to, have, n % SIZE_PX, n / SIZE_PX,
                   want + 4 * (n / SIZE_PX * SIZE_PX + SIZE_PX - 1 - n % SIZE_PX), 0, "mirrored");
   free(have);
   free(want);
}

/* ---------------------------------------------------------------------------------- all of them */

static const struct {
   const char *name;
   void (*run)(EGLDisplay display, enum place place);
   enum place first, last;
} checks[] = {
   { "resolve-beyond", check_resolve_beyond, RENDERBUFFER, RENDERBUFFER },
   { "counts", check_counts, TEXTURE, TEXTURE },
   { "edges", check_edges, PBUFFER, TEXTURE },
   { "lines", check_lines, PBUFFER, TEXTURE },
   { "points", check_points, PBUFFER, TEXTURE },
   { "sample-coverage", check_sample_coverage, PBUFFER, TEXTURE },
   { "alpha-to-coverage", check_alpha_to_coverage, PBUFFER, TEXTURE },
   { "depth", check_depth, PBUFFER, TEXTURE },
   { "blend", check_blend, PBUFFER, TEXTURE },
   { "centroid", check_centroid, RENDERBUFFER, RENDERBUFFER },
   { "coplanar", check_coplanar, SURFACELESS, TEXTURE },
   { "sampled", check_sampled, TEXTURE, TEXTURE },
   { "scaled", check_scaled, RENDERBUFFER, RENDERBUFFER },
};

int
main(int argc, char **argv)
{
   const char *wanted = argc == 2 ? argv[1] : "";
   const bool list = !strcmp(wanted, "--list");
   for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
      for (enum place place = checks[i].first; place <= checks[i].last; place++) {
         char name[64];
         snprintf(name, sizeof(name), "%s-%s", checks[i].name, place_name[place]);
         if (list)
            printf("%s\n", name);
         if (strcmp(wanted, name))
            continue;
         checks[i].run(display_open(), place);
         return 0;
      }
   }
   if (list)
      return 0;
   printf("usage: multisample_checks --list | NAME\n");
   return 2;
}
