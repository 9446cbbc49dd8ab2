/* SPDX-License-Identifier: MIT
 *
 * Checks of an OpenGL ES 2.0 driver from outside, without a window; expectations are computed here,
 * exactly, from the specification. `gles2_checks NAME` runs one, prints the reason if it fails;
 * `gles2_checks --list` lists them.
 */
#include "gles2_context.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const float white[4] = { 1, 1, 1, 1 }, red[4] = { 1, 0, 0, 1 }, green[4] = { 0, 1, 0, 1 };

/* ------------------------------------------------------------------------------------- coverage */

/* A size at which pixel centres and positions in steps of 1/16 pixel are exact floats, in device
 * coordinates too. */
#define SIZE_PX 64
#define STEPS 16

/* A point in 1/16 pixels; pixel centres lie at 16 i + 8. */
struct point {
   int64_t x, y;
};

static int64_t
cross(struct point a, struct point b, struct point p)
{
   return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

/* Whether a point on the edge a -> b of a counter-clockwise triangle, y upwards, belongs to it. GL
 * leaves the choice between two sides open; Mesa makes it for all its drivers: left edges, and
 * those at the least y. */
static bool
owns_edge(struct point a, struct point b)
{
   return a.y == b.y ? b.x > a.x : b.y < a.y;
}

static bool
covers(const struct point t[3], struct point p)
{
   for (int i = 0; i < 3; i++) {
      struct point a = t[i], b = t[(i + 1) % 3];
      int64_t side = cross(a, b, p);
      if (side < 0 || (side == 0 && !owns_edge(a, b)))
         return false;
   }
   return true;
}

static void
point_to_vertex(struct point p, const float colour[4], float vertex[8])
{
   const float position[4] = { p.x * 2.0f / (SIZE_PX * STEPS) - 1,
                               p.y * 2.0f / (SIZE_PX * STEPS) - 1, 0, 1 };
   memcpy(vertex, position, sizeof(position));
   memcpy(vertex + 4, colour, sizeof(position));
}

/* Random triangles, half of them with vertices on pixel centres: each pixel exactly as the fill
 * rule has it. */
static void
check_fill_rule(EGLDisplay display)
{
   context_create(display, EGL_NO_CONTEXT);
   struct target target = target_create(SIZE_PX, SIZE_PX);
   program_create(plain_vertex, plain_fragment);

   uint64_t seed = 1;
   for (int n = 0; n < 400; n++) {
      struct point t[3];
      for (int i = 0; i < 3; i++) {
         t[i].x = random_below(&seed, SIZE_PX * STEPS);
         t[i].y = random_below(&seed, SIZE_PX * STEPS);
         if (n % 2)
            t[i] = (struct point){ t[i].x / STEPS * STEPS + STEPS / 2,
                                   t[i].y / STEPS * STEPS + STEPS / 2 };
      }
      if (cross(t[0], t[1], t[2]) < 0) {
         struct point swapped = t[1];
         t[1] = t[2], t[2] = swapped;
      }
      if (cross(t[0], t[1], t[2]) == 0)
         continue;

      float vertices[3][8];
      for (int i = 0; i < 3; i++)
         point_to_vertex(t[i], white, vertices[i]);
      glClear(GL_COLOR_BUFFER_BIT);
      draw_vertices((const float(*)[8])vertices, 3);
      uint8_t *pixels = target_read(&target);
      for (int i = 0; i < SIZE_PX * SIZE_PX; i++) {
         struct point centre = { i % SIZE_PX * STEPS + STEPS / 2, i / SIZE_PX * STEPS + STEPS / 2 };
         if ((pixels[4 * i] == 255) != covers(t, centre))
            die("triangle %d: pixel (%d, %d) should%s be covered; vertices in 1/16 pixel: %d,%d %d,%d %d,%d", n,
                i % SIZE_PX, i / SIZE_PX, covers(t, centre) ? "" : " not", (int)t[0].x, (int)t[0].y, (int)t[1].x,
                (int)t[1].y, (int)t[2].x, (int)t[2].y);
      }
      free(pixels);
   }
}

/* A fan around a random inner point of the square, its rim split at random: each pixel belongs to
 * one triangle. */
static void
check_watertight(EGLDisplay display)
{
   context_create(display, EGL_NO_CONTEXT);
   struct target target = target_create(SIZE_PX, SIZE_PX);
   program_create(plain_vertex, plain_fragment);
   glEnable(GL_BLEND);
   glBlendFunc(GL_ONE, GL_ONE);

   static const float one_lsb[4] = { 1 / 255.0f, 1 / 255.0f, 1 / 255.0f, 1 / 255.0f };
   enum { RIM = 32 };
   uint64_t seed = 2;
   for (int n = 0; n < 100; n++) {
      const float inner[4] = { random_below(&seed, 1000) / 600.0f - 0.8f,
                               random_below(&seed, 1000) / 600.0f - 0.8f, 0, 1 };
      float rim[RIM + 1][8] = { { 0 } };
      for (int i = 0; i < RIM; i++) {
         /* Eight points to a side, the first its corner. */
         float along = i % 8 == 0 ? 0 : (i % 8 + random_below(&seed, 1000) / 1001.0f - 0.5f) / 4;
         const float sides[4][4] = {
            { -1 + along, -1 }, { 1, -1 + along }, { 1 - along, 1 }, { -1, 1 - along }
         };
         memcpy(rim[i], sides[i / 8], sizeof(sides[0]));
         rim[i][3] = 1;
         memcpy(rim[i] + 4, one_lsb, sizeof(one_lsb));
      }
      memcpy(rim[RIM], rim[0], sizeof(rim[0]));
      float vertices[3 * RIM][8];
      for (int i = 0; i < RIM; i++) {
         memcpy(vertices[3 * i], inner, sizeof(inner));
         memcpy(vertices[3 * i] + 4, one_lsb, sizeof(one_lsb));
         memcpy(vertices[3 * i + 1], rim[i], sizeof(rim[i]));
         memcpy(vertices[3 * i + 2], rim[i + 1], sizeof(rim[i]));
      }
      glClear(GL_COLOR_BUFFER_BIT);
      draw_vertices((const float(*)[8])vertices, 3 * RIM);
      uint8_t *pixels = target_read(&target);
      for (int i = 0; i < SIZE_PX * SIZE_PX; i++) {
         if (pixels[4 * i] != 1)
            die("fan %d: pixel (%d, %d) belongs to %d triangles", n, i % SIZE_PX, i / SIZE_PX,
                pixels[4 * i]);
      }
      free(pixels);
   }
}

/* Random triangles in clip space with small whole coordinates, some vertices behind the eye or with
 * w = 0: a pixel is covered where its ray meets the triangle in front of the eye and inside the
 * depth range. All in whole numbers. */
static void
check_behind_the_eye(EGLDisplay display)
{
   context_create(display, EGL_NO_CONTEXT);
   struct target target = target_create(SIZE_PX, SIZE_PX);
   program_create(plain_vertex, plain_fragment);

   uint64_t seed = 3;
   int drawn = 0;
   while (drawn < 300) {
      int64_t v[3][4];
      float vertices[3][8];
      for (int i = 0; i < 3; i++) {
         for (int c = 0; c < 4; c++)
            vertices[i][c] = v[i][c] = (int)random_below(&seed, 17) - 8;
         memcpy(vertices[i] + 4, white, sizeof(white));
      }
      /* the adjugate: a[i] . (x, y, 1) is vertex i's share at the point, times the determinant */
      int64_t a[3][3];
      for (int i = 0; i < 3; i++) {
         const int64_t *p = v[(i + 1) % 3], *q = v[(i + 2) % 3];
         a[i][0] = p[1] * q[3] - p[3] * q[1];
         a[i][1] = p[3] * q[0] - p[0] * q[3];
         a[i][2] = p[0] * q[1] - p[1] * q[0];
      }
      int64_t det = v[0][0] * a[0][0] + v[0][1] * a[0][1] + v[0][3] * a[0][2];
      if (det == 0)
         continue;
      drawn++;
      glClear(GL_COLOR_BUFFER_BIT);
      draw_vertices((const float(*)[8])vertices, 3);
      uint8_t *pixels = target_read(&target);
      for (int i = 0; i < SIZE_PX * SIZE_PX; i++) {
         /* The pixel's centre in device coordinates is (x, y) / SIZE_PX. */
         int64_t x = 2 * (i % SIZE_PX) + 1 - SIZE_PX, y = 2 * (i / SIZE_PX) + 1 - SIZE_PX;
         int64_t share[3], z = 0, least = INT64_MAX;
         for (int k = 0; k < 3; k++) {
            share[k] = (a[k][0] * x + a[k][1] * y + a[k][2] * SIZE_PX) * (det < 0 ? -1 : 1);
            z += share[k] * v[k][2];
            least = share[k] < least ? share[k] : least;
         }
         /* w there is |det| * SIZE_PX. On an edge the fill rule decides, which is another check's
          * subject. */
         int64_t w = llabs(det) * SIZE_PX;
         if (least == 0 || llabs(z) == w)
            continue;
         bool inside = least > 0 && llabs(z) < w;
         if ((pixels[4 * i] == 255) != inside)
            die("triangle %d: pixel (%d, %d) should%s be covered; vertices %d,%d,%d,%d %d,%d,%d,%d %d,%d,%d,%d", drawn,
                i % SIZE_PX, i / SIZE_PX, inside ? "" : " not", (int)v[0][0], (int)v[0][1], (int)v[0][2],
                (int)v[0][3], (int)v[1][0], (int)v[1][1], (int)v[1][2], (int)v[1][3], (int)v[2][0], (int)v[2][1],
                (int)v[2][2], (int)v[2][3]);
      }
      free(pixels);
   }
}

/* A rectangle in perspective: colour at a pixel's centre follows from its w, within one LSB. */
static void
check_perspective(EGLDisplay display)
{
   context_create(display, EGL_NO_CONTEXT);
   struct target target = target_create(SIZE_PX, SIZE_PX);
   program_create(plain_vertex, plain_fragment);
   /* Left side at w = 1, right side at w = 4; the red channel is 0 and 1 there. */
   static const float v[6][8] = {
      { -1, -1, 0, 1, 0, 0, 0, 1 }, { 4, -4, 0, 4, 1, 0, 0, 1 }, { 4, 4, 0, 4, 1, 0, 0, 1 },
      { -1, -1, 0, 1, 0, 0, 0, 1 }, { 4, 4, 0, 4, 1, 0, 0, 1 },  { -1, 1, 0, 1, 0, 0, 0, 1 },
   };
   draw_vertices(v, 6);
   uint8_t *pixels = target_read(&target);
   for (int x = 0; x < SIZE_PX; x++) {
      /* red / w and 1 / w are linear on the screen. */
      double s = (x + 0.5) / SIZE_PX, value = (s / 4) / ((1 - s) + s / 4);
      const uint8_t colour[4] = { value * 255 + 0.5, 0, 0, 255 };
      for (int y = 0; y < SIZE_PX; y++)
         expect_pixel(&target, pixels, x, y, colour, 1, "perspective");
   }
   free(pixels);
}

/* -------------------------------------------------------------------------- fragment operations */

/* Two rectangles that cut through each other: the nearer one at each pixel, for each comparison. */
static void
check_depth(EGLDisplay display)
{
   context_create(display, EGL_NO_CONTEXT);
   struct target target = target_create(SIZE_PX, SIZE_PX);
   program_create(plain_vertex, plain_fragment);
   glEnable(GL_DEPTH_TEST);

   /* z = x, from -1 on the left to 1 on the right, against z = 0: nearer left of the middle. */
   static const float slope[6][8] = {
      { -1, -1, -1, 1, 0, 1, 0, 1 }, { 1, -1, 1, 1, 0, 1, 0, 1 }, { 1, 1, 1, 1, 0, 1, 0, 1 },
      { -1, -1, -1, 1, 0, 1, 0, 1 }, { 1, 1, 1, 1, 0, 1, 0, 1 },  { -1, 1, -1, 1, 0, 1, 0, 1 },
   };
   static const struct {
      GLenum function;
      bool left, right;
   } cases[] = {
      { GL_NEVER, false, false },  { GL_LESS, true, false },    { GL_LEQUAL, true, false },
      { GL_EQUAL, false, false },  { GL_GREATER, false, true }, { GL_GEQUAL, false, true },
      { GL_NOTEQUAL, true, true }, { GL_ALWAYS, true, true },
   };
   for (size_t n = 0; n < sizeof(cases) / sizeof(cases[0]); n++) {
      glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
      glDepthFunc(GL_ALWAYS);
      draw_rectangle(-1, -1, 1, 1, 0, red);
      glDepthFunc(cases[n].function);
      draw_vertices(slope, 6);
      uint8_t *pixels = target_read(&target);
      for (int i = 0; i < SIZE_PX * SIZE_PX; i++) {
         int x = i % SIZE_PX;
         bool second = x < SIZE_PX / 2 ? cases[n].left : cases[n].right;
         const uint8_t colour[4] = { second ? 0 : 255, second ? 255 : 0, 0, 255 };
         expect_pixel(&target, pixels, x, i / SIZE_PX, colour, 0, "depth");
      }
      free(pixels);
   }
}

static float
blend_factor(GLenum factor, float source_alpha, float destination_alpha)
{
   switch (factor) {
   case GL_ZERO: return 0;
   case GL_ONE: return 1;
   case GL_SRC_ALPHA: return source_alpha;
   case GL_ONE_MINUS_SRC_ALPHA: return 1 - source_alpha;
   case GL_DST_ALPHA: return destination_alpha;
   default: return 1 - destination_alpha;
   }
}

/* Pairs of blend factors with random colours: source * s + destination * d, within one LSB. */
static void
check_blend(EGLDisplay display)
{
   context_create(display, EGL_NO_CONTEXT);
   struct target target = target_create(8, 8);
   program_create(plain_vertex, plain_fragment);
   glEnable(GL_BLEND);

   static const GLenum factors[] = {
      GL_ZERO, GL_ONE, GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_DST_ALPHA, GL_ONE_MINUS_DST_ALPHA
   };
   uint64_t seed = 4;
   for (int n = 0; n < 36; n++) {
      float source[4], destination[4];
      uint8_t expected[4];
      GLenum s = factors[n / 6], d = factors[n % 6];
      for (int i = 0; i < 4; i++) {
         source[i] = random_below(&seed, 256) / 255.0f;
         destination[i] = random_below(&seed, 256) / 255.0f;
      }
      for (int i = 0; i < 4; i++) {
         float sum = source[i] * blend_factor(s, source[3], destination[3]) +
                     destination[i] * blend_factor(d, source[3], destination[3]);
         expected[i] = (sum > 1 ? 1 : sum) * 255 + 0.5f;
      }
      glClearColor(destination[0], destination[1], destination[2], destination[3]);
      glClear(GL_COLOR_BUFFER_BIT);
      glBlendFunc(s, d);
      draw_rectangle(-1, -1, 1, 1, 0, source);
      uint8_t *pixels = target_read(&target);
      for (int i = 0; i < 64; i++)
         expect_pixel(&target, pixels, i % 8, i / 8, expected, 1, "blend");
      free(pixels);
   }
}

/* Scissor boxes, also empty and beyond the framebuffer, limit drawing and clearing to
 * themselves. */
static void
check_scissor(EGLDisplay display)
{
   context_create(display, EGL_NO_CONTEXT);
   struct target target = target_create(SIZE_PX, SIZE_PX);
   program_create(plain_vertex, plain_fragment);
   static const int boxes[][4] = { { 0, 0, 0, 0 },     { 3, 5, 1, 1 },       { 10, 20, 30, 17 },
                                   { -5, -5, 20, 20 }, { 60, 60, 100, 100 }, { 70, 0, 5, 5 } };
   for (size_t n = 0; n < 2 * sizeof(boxes) / sizeof(boxes[0]); n++) {
      const int *b = boxes[n / 2];
      glDisable(GL_SCISSOR_TEST);
      glClearColor(0, 0, 0, 1);
      glClear(GL_COLOR_BUFFER_BIT);
      glEnable(GL_SCISSOR_TEST);
      glScissor(b[0], b[1], b[2], b[3]);
      glClearColor(0, 1, 0, 1);
      if (n % 2)
         glClear(GL_COLOR_BUFFER_BIT);
      else
         draw_rectangle(-1, -1, 1, 1, 0, green);
      uint8_t *pixels = target_read(&target);
      for (int i = 0; i < SIZE_PX * SIZE_PX; i++) {
         int x = i % SIZE_PX, y = i / SIZE_PX;
         bool inside = x >= b[0] && x < b[0] + b[2] && y >= b[1] && y < b[1] + b[3];
         const uint8_t colour[4] = { 0, inside ? 255 : 0, 0, 255 };
         expect_pixel(&target, pixels, x, y, colour, 0, "scissor");
      }
      free(pixels);
   }
}

/* Rectangles count themselves in the stencil buffer; each count then passes at its own pixels
 * only. */
static void
check_stencil(EGLDisplay display)
{
   context_create(display, EGL_NO_CONTEXT);
   struct target target = target_create(SIZE_PX, SIZE_PX);
   program_create(plain_vertex, plain_fragment);
   glEnable(GL_STENCIL_TEST);
   glStencilFunc(GL_ALWAYS, 0, ~0u);
   glStencilOp(GL_KEEP, GL_KEEP, GL_INCR);
   for (int i = 1; i <= 8; i++)
      draw_rectangle(-1, -1, i / 4.0f - 1, 1, 0, red);
   for (int count = 0; count <= 8; count++) {
      glClear(GL_COLOR_BUFFER_BIT);
      glStencilFunc(GL_EQUAL, count, ~0u);
      glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
      draw_rectangle(-1, -1, 1, 1, 0, white);
      uint8_t *pixels = target_read(&target);
      for (int i = 0; i < SIZE_PX * SIZE_PX; i++) {
         int x = i % SIZE_PX;
         uint8_t value = 8 - x / 8 == count ? 255 : 0;
         const uint8_t colour[4] = { value, value, value, value };
         expect_pixel(&target, pixels, x, i / SIZE_PX, colour, 0, "stencil");
      }
      free(pixels);
   }
}

/* Each texel of a random texture, magnified by whole factors with GL_NEAREST, fills its pixels
 * exactly. */
static void
check_texture(EGLDisplay display)
{
   context_create(display, EGL_NO_CONTEXT);
   struct target target = target_create(SIZE_PX, SIZE_PX);
   program_create("attribute vec4 position, colour; varying highp vec2 at;\n"
                  "void main() { gl_Position = position; at = position.xy * 0.5 + 0.5 + colour.xy * 0.0; }\n",
                  "varying highp vec2 at; uniform sampler2D image;\n"
                  "void main() { gl_FragColor = texture2D(image, at); }\n");
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   uint64_t seed = 5;
   for (int size = 1; size <= SIZE_PX; size *= 2) {
      uint8_t texels[4 * SIZE_PX * SIZE_PX];
      for (int i = 0; i < 4 * size * size; i++)
         texels[i] = random_below(&seed, 256);
      glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, size, size, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
      draw_rectangle(-1, -1, 1, 1, 0, white);
      uint8_t *pixels = target_read(&target);
      for (int i = 0; i < SIZE_PX * SIZE_PX; i++) {
         int x = i % SIZE_PX, y = i / SIZE_PX, magnified = SIZE_PX / size;
         expect_pixel(&target, pixels, x, y, texels + 4 * (y / magnified * size + x / magnified), 0,
                      "texture");
      }
      free(pixels);
   }
}

/* ------------------------------------------------------------------------------------ resources */

/* One life of a context: a program, a texture, a buffer and a framebuffer, drawn with and
 * checked. Every second one leaves its objects to the context's end. */
static void
live_as_context(EGLDisplay display, int number)
{
   EGLContext context = context_create(display, EGL_NO_CONTEXT);
   struct target target = target_create(SIZE_PX, SIZE_PX);
   GLuint program = program_create(plain_vertex, plain_fragment);
   GLuint texture;
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 128, 128, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   draw_rectangle(-1, -1, 1, 1, 0, green);
   uint8_t *pixels = target_read(&target);
   expect_pixel(&target, pixels, 7, 9, (const uint8_t[]){ 0, 255, 0, 255 }, 0,
                "in a context's life");
   free(pixels);
   if (number % 2) {
      target_delete(&target);
      glDeleteTextures(1, &texture);
      glDeleteProgram(program);
   }
   eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
   eglDestroyContext(display, context);
}

/* One life of a program, a buffer and a framebuffer in the current context, drawn with and checked.
 * Each `number` is another program. */
static void
live_as_objects(EGLDisplay display, int number)
{
   (void)display;
   char fragment[200];
   snprintf(fragment, sizeof(fragment),
            "varying highp vec4 v; void main() { gl_FragColor = v * %d.0; }", number + 1);
   struct target target = target_create(SIZE_PX + number % 7, SIZE_PX);
   GLuint program = program_create(plain_vertex, fragment), buffer;
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   static const uint8_t content[100000];
   glBufferData(GL_ARRAY_BUFFER, sizeof(content), content, GL_DYNAMIC_DRAW);
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   draw_rectangle(-1, -1, 1, 1, 0, green);
   uint8_t *pixels = target_read(&target);
   expect_pixel(&target, pixels, 1, 1, (const uint8_t[]){ 0, 255, 0, 255 }, 0, "objects");
   free(pixels);
   glDeleteBuffers(1, &buffer);
   glDeleteProgram(program);
   target_delete(&target);
}

typedef void live_function(EGLDisplay display, int number);

static long
grown_by_lives_kB(live_function *live, EGLDisplay display, int first, int count)
{
   const long before_kB = resident_kB();
   for (int i = first; i < first + count; i++)
      live(display, i);
   const long grown_kB = resident_kB() - before_kB;
   printf("%d lives: %ld kB more\n", count, grown_kB);
   return grown_kB;
}

/* Dies where `count` lives, one after the other, leave more than `limit_kB`. The first hundred may
 * fill caches. What comes once is no leak: the JIT's compiler is loaded when the first program is
 * hot, at any time, and takes 60 MB. */
static void
expect_no_leak(live_function *live, EGLDisplay display, int count, long limit_kB)
{
   grown_by_lives_kB(live, display, 0, 100);
   if (grown_by_lives_kB(live, display, 100, count) > limit_kB &&
       grown_by_lives_kB(live, display, 100 + count, count) > limit_kB)
      die("%d lives leave more than %ld kB, twice", count, limit_kB);
}

/* A thousand contexts: each may keep 1 kB. */
static void
check_contexts_do_not_leak(EGLDisplay display)
{
   expect_no_leak(live_as_context, display, 1000, 1000);
}

/* Hundreds of different programs, buffers and framebuffers in one context. */
static void
check_objects_do_not_leak(EGLDisplay display)
{
   context_create(display, EGL_NO_CONTEXT);
   expect_no_leak(live_as_objects, display, 300, 4000);
}

struct worker {
   EGLDisplay display;
   EGLContext share;
   GLuint texture; /* shared: one texel, the worker's number */
   int number;
};

/* Draws the shared texture many times into a framebuffer of its own. */
static void *
work(void *data)
{
   const struct worker *worker = data;
   eglBindAPI(EGL_OPENGL_ES_API);
   EGLContext context = context_create(worker->display, worker->share);
   struct target target = target_create(SIZE_PX, SIZE_PX);
   program_create(plain_vertex, "varying highp vec4 v; uniform sampler2D image;\n"
                                "void main() { gl_FragColor = texture2D(image, v.xy); }\n");
   glBindTexture(GL_TEXTURE_2D, worker->texture);
   const uint8_t colour[4] = { worker->number, 100, 200, 255 };
   for (int i = 0; i < 50; i++) {
      glClear(GL_COLOR_BUFFER_BIT);
      draw_rectangle(-1, -1, 1, 1, 0, white);
      uint8_t *pixels = target_read(&target);
      for (int k = 0; k < SIZE_PX * SIZE_PX; k++)
         expect_pixel(&target, pixels, k % SIZE_PX, k / SIZE_PX, colour, 0, "a thread's picture");
      free(pixels);
   }
   eglMakeCurrent(worker->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
   eglDestroyContext(worker->display, context);
   return NULL;
}

/* Threads with contexts of their own, which share the first one's textures, draw at the same
 * time. */
static void
check_threads_share(EGLDisplay display)
{
   enum { THREADS = 6 };
   struct worker workers[THREADS];
   pthread_t threads[THREADS];
   EGLContext context = context_create(display, EGL_NO_CONTEXT);
   for (int i = 0; i < THREADS; i++) {
      const uint8_t texel[4] = { i, 100, 200, 255 };
      workers[i] = (struct worker){ .display = display, .share = context, .number = i };
      glGenTextures(1, &workers[i].texture);
      glBindTexture(GL_TEXTURE_2D, workers[i].texture);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
      glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, texel);
   }
   glFinish();
   for (int i = 0; i < THREADS; i++)
      pthread_create(&threads[i], NULL, work, &workers[i]);
   for (int i = 0; i < THREADS; i++)
      pthread_join(threads[i], NULL);
}

/* Textures that are drawn with and deleted, over and over, without a flush: what is not drawn yet
 * keeps their memory, and is drawn before that is much. */
static void
check_deleted_textures(EGLDisplay display)
{
   enum { TEXTURES = 300, TEXTURE_PX = 1024, LIMIT_kB = 512 * 1024 /* they have 1200 MB */ };
   context_create(display, EGL_NO_CONTEXT);
   struct target target = target_create(SIZE_PX, SIZE_PX);
   program_create(plain_vertex, "varying highp vec4 v; uniform sampler2D image;\n"
                                "void main() { gl_FragColor = texture2D(image, v.xy); }\n");
   uint8_t *texels = calloc(TEXTURE_PX * TEXTURE_PX, 4);
   struct rusage before, after;
   getrusage(RUSAGE_SELF, &before);
   for (int i = 0; i < TEXTURES; i++) {
      GLuint texture;
      glGenTextures(1, &texture);
      glBindTexture(GL_TEXTURE_2D, texture);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
      memset(texels, i, TEXTURE_PX * TEXTURE_PX * 4);
      glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, TEXTURE_PX, TEXTURE_PX, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                   texels);
      draw_rectangle(-1, -1, 1, 1, 0, white);
      glDeleteTextures(1, &texture);
   }
   getrusage(RUSAGE_SELF, &after);
   uint8_t *pixels = target_read(&target), last = (TEXTURES - 1) & 0xff;
   expect_pixel(&target, pixels, 3, 3, (const uint8_t[]){ last, last, last, last }, 0,
                "the last texture");
   free(pixels);
   free(texels);
   printf("%ld kB more memory for %d textures of 4 MB\n", after.ru_maxrss - before.ru_maxrss,
          TEXTURES);
   if (after.ru_maxrss - before.ru_maxrss > LIMIT_kB)
      die("memory of deleted textures piles up");
}

/* With little address space left, textures end in GL_OUT_OF_MEMORY; afterwards the context still
 * draws. */
static void
check_out_of_memory(EGLDisplay display)
{
   enum { MOST = 512 };
   context_create(display, EGL_NO_CONTEXT);
   struct target target = target_create(SIZE_PX, SIZE_PX);
   program_create(plain_vertex, plain_fragment);
   draw_rectangle(-1, -1, 1, 1, 0, red);
   free(target_read(&target));

   long pages = 0;
   FILE *file = fopen("/proc/self/statm", "r");
   if (!file || fscanf(file, "%ld", &pages) != 1)
      die("/proc/self/statm cannot be read");
   fclose(file);
   const rlim_t room_B = (rlim_t)1 << 30, have_B = (rlim_t)pages * sysconf(_SC_PAGESIZE);
   if (setrlimit(RLIMIT_AS, &(struct rlimit){ have_B + room_B, have_B + room_B }))
      die("setrlimit fails");

   GLuint textures[MOST];
   GLenum error = GL_NO_ERROR;
   int count = 0;
   glGenTextures(MOST, textures);
   while (count < MOST && error == GL_NO_ERROR) {
      glBindTexture(GL_TEXTURE_2D, textures[count++]);
      glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 4096, 4096, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
      error = glGetError();
   }
   printf("%d textures of 64 MB, then 0x%x\n", count, error);
   if (error != GL_OUT_OF_MEMORY)
      die("%d textures of 64 MB in 1 GB of address space give 0x%x, not GL_OUT_OF_MEMORY", count,
          error);
   glDeleteTextures(MOST, textures);
   draw_rectangle(-1, -1, 1, 1, 0, green);
   uint8_t *pixels = target_read(&target);
   expect_pixel(&target, pixels, 3, 3, (const uint8_t[]){ 0, 255, 0, 255 }, 0,
                "after GL_OUT_OF_MEMORY");
   free(pixels);
}

/* Indices beyond the buffers read something or nothing, but never take the process down. */
static void
check_indices_out_of_range(EGLDisplay display)
{
   context_create(display, EGL_NO_CONTEXT);
   struct target target = target_create(SIZE_PX, SIZE_PX);
   program_create(plain_vertex, plain_fragment);
   GLuint buffers[2];
   static const float vertices[3][8] = { { -1, -1, 0, 1 }, { 1, -1, 0, 1 }, { 0, 1, 0, 1 } };
   uint16_t indices[300];
   uint64_t seed = 6;
   for (int i = 0; i < 300; i++)
      indices[i] = random_below(&seed, 65536);
   glGenBuffers(2, buffers);
   glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
   glBufferData(GL_ARRAY_BUFFER, sizeof(vertices), vertices, GL_STATIC_DRAW);
   glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[1]);
   glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof(indices), indices, GL_STATIC_DRAW);
   for (int i = 0; i < 2; i++) {
      glEnableVertexAttribArray(i);
      glVertexAttribPointer(i, 4, GL_FLOAT, GL_FALSE, sizeof(vertices[0]),
                            (const void *)(uintptr_t)(16 * i));
   }
   glDrawElements(GL_TRIANGLES, 300, GL_UNSIGNED_SHORT, NULL);
   glDrawElements(GL_TRIANGLES, 30000, GL_UNSIGNED_SHORT, NULL);
   glDrawArrays(GL_TRIANGLES, 100000, 300);
   glGetError();

   glBindBuffer(GL_ARRAY_BUFFER, 0);
   draw_rectangle(-1, -1, 1, 1, 0, green);
   uint8_t *pixels = target_read(&target);
   expect_pixel(&target, pixels, 3, 3, (const uint8_t[]){ 0, 255, 0, 255 }, 0,
                "after wild indices");
   free(pixels);
}

/* Elements of a uniform array at constants and one negative offset, which a condition selects. */
static void
check_uniform_indices(EGLDisplay display)
{
   context_create(display, EGL_NO_CONTEXT);
   struct target target = target_create(SIZE_PX, SIZE_PX);
   const GLuint program = program_create(
      plain_vertex, "precision mediump float; varying highp vec4 v;\n"
                    "uniform struct item { vec2 unused; vec4 color; } list[4];\n"
                    "void main() { int back = gl_FragCoord.x < 4.0 ? 4 : 0;\n"
                    "   gl_FragColor = list[7 - back].color + list[6 - back].color; }\n");
   glUniform4f(glGetUniformLocation(program, "list[2].color"), 0, 0, 1, 0.5f);
   glUniform4f(glGetUniformLocation(program, "list[3].color"), 0, 1, 0, 0.5f);
   draw_rectangle(-1, -1, 1, 1, 0, white);
   uint8_t *pixels = target_read(&target);
   for (int x = 0; x < 4; x++)
      expect_pixel(&target, pixels, x, 3, (const uint8_t[]){ 0, 255, 255, 255 }, 0,
                   "uniform indices");
   free(pixels);
}

/* What a fragment shader writes everywhere; its uniform `most`, if it has one, is 1. */
static void
expect_shader(EGLDisplay display, const char *fragment, const uint8_t color[4], const char *what)
{
   context_create(display, EGL_NO_CONTEXT);
   struct target target = target_create(SIZE_PX, SIZE_PX);
   const GLuint program = program_create(plain_vertex, fragment);
   glUniform1f(glGetUniformLocation(program, "most"), 1);
   draw_rectangle(-1, -1, 1, 1, 0, white);
   uint8_t *pixels = target_read(&target);
   expect_pixel(&target, pixels, 3, 3, color, 0, what);
   free(pixels);
}

/* A constant vector between a constant number, which is between its components, and a uniform. */
static void
check_constant_limits(EGLDisplay display)
{
   expect_shader(display,
                 "precision mediump float; varying highp vec4 v; uniform float most;\n"
                 "void main() { gl_FragColor = clamp(vec4(0.0, 0.6, 0.0, 1.0), 0.2, most); }\n",
                 (const uint8_t[]){ 51, 153, 51, 255 }, "constant limits");
}

/* A constant vector below a constant number: the number, as a vector, below a uniform. */
static void
check_number_for_vector(EGLDisplay display)
{
   expect_shader(display,
                 "precision mediump float; varying highp vec4 v; uniform float most;\n"
                 "void main() { gl_FragColor = vec4(0.6, 0.0, 0.0, 1.0);\n"
                 "   gl_FragColor.zy = clamp(vec2(-1.0, 0.1), 0.2, most); }\n",
                 (const uint8_t[]){ 153, 51, 51, 255 }, "a number for a vector");
}

/* A loop that has one turn, and a break that is never reached. */
static void
check_one_turn(EGLDisplay display)
{
   expect_shader(display,
                 "precision mediump float; varying highp vec4 v;\n"
                 "void main() {\n"
                 "   float green = 0.2;\n"
                 "   for (int i = 0; i < 1; i++) {\n"
                 "      green = gl_FragCoord.x * 0.0;\n"
                 "      if (bool(-i)) { if (green <= 0.0) break; green = -green; }\n"
                 "   }\n"
                 "   gl_FragColor = vec4(0.2, green + 0.6, 0.2, 1.0);\n"
                 "}\n",
                 (const uint8_t[]){ 51, 153, 51, 255 }, "one turn");
}

static const struct {
   const char *name;
   void (*run)(EGLDisplay display);
} checks[] = {
   { "fill-rule", check_fill_rule },
   { "watertight", check_watertight },
   { "behind-the-eye", check_behind_the_eye },
   { "perspective", check_perspective },
   { "depth", check_depth },
   { "blend", check_blend },
   { "scissor", check_scissor },
   { "stencil", check_stencil },
   { "texture", check_texture },
   { "threads-share", check_threads_share },
   { "indices-out-of-range", check_indices_out_of_range },
   { "uniform-indices", check_uniform_indices },
   { "constant-limits", check_constant_limits },
   { "number-for-vector", check_number_for_vector },
   { "one-turn", check_one_turn },
   { "deleted-textures", check_deleted_textures },
   { "out-of-memory", check_out_of_memory },
   { "contexts-do-not-leak", check_contexts_do_not_leak },
   { "objects-do-not-leak", check_objects_do_not_leak },
};

int
main(int argc, char **argv)
{
   const char *wanted = argc == 2 ? argv[1] : "";
   for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
      if (!strcmp(wanted, "--list"))
         printf("%s\n", checks[i].name);
      else if (!strcmp(wanted, checks[i].name)) {
         checks[i].run(display_open());
         return 0;
      }
   }
   if (!strcmp(wanted, "--list"))
      return 0;
   printf("usage: gles2_checks --list | NAME\n");
   return 2;
}
