/* SPDX-License-Identifier: MIT
 *
 * How the cost of a frame grows: a frame of COUNT triangles, pixels, draws, textures, vertices or
 * contexts, each submitted alone. Prints the processor time of the process and the wall time of a
 * frame, least of all after WARM_UP_MS. No window; LD_LIBRARY_PATH and the environment select the
 * driver.
 *
 *    growth_cost KIND COUNT
 *    growth_cost --list      kinds, with the count that they begin with
 */
#include "cost.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
   TARGET_PX = 1024,
   CELL_PX = 3,
   TEXTURE_PX = 64,
   WARM_UP_MS = 600,
   MEASURE_MS = 400,
   MIN_FRAMES = 3
};
enum { CELLS_ACROSS = TARGET_PX / CELL_PX }; /* 116 281 cells */

static const char vertex[] =
   "attribute vec2 position; uniform vec2 move; varying vec2 at;\n"
   "void main() { at = 0.5 + 0.5 * position; gl_Position = vec4(position + move, 0.0, 1.0); }\n";
static const char plain[] =
   "precision mediump float; varying vec2 at; void main() { gl_FragColor = vec4(at, 0.0, 1.0); }\n";
static const char textured[] =
   "precision mediump float; varying vec2 at; uniform sampler2D image;\n"
   "void main() { gl_FragColor = texture2D(image, at * 16.0); }\n";

struct frame {
   unsigned count;
   GLint move;           /* uniform of the program */
   GLuint *textures;     /* of kind `textures` */
   EGLContext *contexts; /* of kind `contexts` */
};

/* What there is more and more of in a frame. */
struct growth_kind {
   const char *name;
   unsigned least, most;                    /* counts */
   void (*set_up)(struct frame *frame);     /* objects and state, once */
   void (*draw)(const struct frame *frame); /* a frame; ends with glFinish */
};

static void *
array_of(size_t count, size_t item_B)
{
   void *array = calloc(count, item_B);
   if (!array)
      cost_fail("out of memory");
   return array;
}

/* ------------------------------------------------------------------ what frames have */

static void
use_program(struct frame *frame, const char *fragment)
{
   const GLuint program = cost_program(vertex, fragment);
   glUseProgram(program);
   frame->move = glGetUniformLocation(program, "move");
}

/* The corners of a triangle of half a cell, clockwise if `back`. Its third edge goes through pixel
 * centres, which set-up has to decide exactly. */
static void
put_triangle(unsigned cell, int back, float corners[6])
{
   const float size = 2.0f * CELL_PX / TARGET_PX;
   const float x = (float)(cell % CELLS_ACROSS) * size - 1,
               y = (float)(cell / CELLS_ACROSS % CELLS_ACROSS) * size - 1;
   const float triangle[6] = { x, y, x + size, y, x, y + size },
               turned[6] = { x, y, x, y + size, x + size, y };
   memcpy(corners, back ? turned : triangle, sizeof(triangle));
}

/* A buffer of triangles, a cell for each, as attribute 0; it stays bound. */
static void
make_triangles(unsigned count, int back)
{
   float(*corners)[6] = array_of(count, sizeof(*corners));
   for (unsigned i = 0; i < count; i++)
      put_triangle(i, back, corners[i]);
   GLuint buffer;
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(count * sizeof(*corners)), corners, GL_STATIC_DRAW);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
   glEnableVertexAttribArray(0);
   free(corners);
}

/* ------------------------------------------------------------------ kinds */

static void
set_triangles(struct frame *frame)
{
   use_program(frame, plain);
   make_triangles(frame->count, 0);
}

static void
draw_triangles(const struct frame *frame)
{
   glClear(GL_COLOR_BUFFER_BIT);
   glDrawArrays(GL_TRIANGLES, 0, (GLsizei)(3 * frame->count));
   glFinish();
}

/* One triangle that covers a square viewport of so many pixels. */
static void
set_pixels(struct frame *frame)
{
   static const float corners[6] = { -1, -1, 3, -1, -1, 3 };
   use_program(frame, plain);
   make_triangles(1, 0);
   glBufferData(GL_ARRAY_BUFFER, sizeof(corners), corners, GL_STATIC_DRAW);
   const GLsizei side_px = (GLsizei)lround(sqrt(frame->count));
   glViewport(0, 0, side_px, side_px);
}

static void
draw_pixels(const struct frame *frame)
{
   (void)frame;
   glDrawArrays(GL_TRIANGLES, 0, 3);
   glFinish();
}

static void
draw_draws(const struct frame *frame)
{
   glClear(GL_COLOR_BUFFER_BIT);
   for (unsigned i = 0; i < frame->count; i++) {
      glUniform2f(frame->move, (float)(i % 7) / TARGET_PX, 0);
      glDrawArrays(GL_TRIANGLES, (GLint)(3 * i), 3);
   }
   glFinish();
}

static void
set_textures(struct frame *frame)
{
   static unsigned char texels[TEXTURE_PX * TEXTURE_PX * 4];
   use_program(frame, textured);
   make_triangles(frame->count, 0);
   frame->textures = array_of(frame->count, sizeof(*frame->textures));
   glGenTextures((GLsizei)frame->count, frame->textures);
   for (unsigned i = 0; i < frame->count; i++) {
      memset(texels, (int)i, sizeof(texels));
      glBindTexture(GL_TEXTURE_2D, frame->textures[i]);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
      glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, TEXTURE_PX, TEXTURE_PX, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                   texels);
   }
}

static void
draw_textures(const struct frame *frame)
{
   glClear(GL_COLOR_BUFFER_BIT);
   for (unsigned i = 0; i < frame->count; i++) {
      glBindTexture(GL_TEXTURE_2D, frame->textures[i]);
      glDrawArrays(GL_TRIANGLES, (GLint)(3 * i), 3);
   }
   glFinish();
}

/* Vertices of triangles that are culled: shading them is all that there is to do. */
static void
set_vertices(struct frame *frame)
{
   use_program(frame, plain);
   make_triangles(frame->count / 3, 1);
   glEnable(GL_CULL_FACE);
}

static void
draw_vertices(const struct frame *frame)
{
   glClear(GL_COLOR_BUFFER_BIT);
   glDrawArrays(GL_TRIANGLES, 0, (GLsizei)frame->count);
   glFinish();
}

/* Contexts that share nothing, and have a hundred triangles each. */
static void
set_contexts(struct frame *frame)
{
   static const EGLint es2[] = { EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE };
   frame->contexts = array_of(frame->count, sizeof(EGLContext));
   for (unsigned i = 0; i < frame->count; i++) {
      frame->contexts[i] =
         eglCreateContext(eglGetCurrentDisplay(), EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, es2);
      if (!eglMakeCurrent(eglGetCurrentDisplay(), EGL_NO_SURFACE, EGL_NO_SURFACE,
                          frame->contexts[i]))
         cost_fail("there is no such context");
      cost_target(TEXTURE_PX);
      use_program(frame, plain);
      make_triangles(100, 0);
   }
}

static void
draw_contexts(const struct frame *frame)
{
   for (unsigned i = 0; i < frame->count; i++) {
      eglMakeCurrent(eglGetCurrentDisplay(), EGL_NO_SURFACE, EGL_NO_SURFACE, frame->contexts[i]);
      glClear(GL_COLOR_BUFFER_BIT);
      glDrawArrays(GL_TRIANGLES, 0, 300);
      glFinish();
   }
}

static const struct growth_kind kinds[] = {
   { "triangles", 1000, 100000, set_triangles, draw_triangles },
   { "pixels", 10000, 1000000, set_pixels, draw_pixels },
   { "draws", 100, 10000, set_triangles, draw_draws },
   { "textures", 10, 1000, set_textures, draw_textures },
   { "vertices", 3000, 300000, set_vertices, draw_vertices },
   { "contexts", 1, 100, set_contexts, draw_contexts },
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

/* ------------------------------------------------------------------ measuring */

/* Draw frames for `ms`, but at least MIN_FRAMES. Returns the least times of one. */
static void
measure(const struct growth_kind *kind, const struct frame *frame, uint64_t ms, double *cpu_ms,
        double *wall_ms)
{
   const uint64_t end_ns = cost_ns(CLOCK_MONOTONIC) + ms * 1000000;
   *cpu_ms = *wall_ms = INFINITY;
   for (unsigned frames = 0; frames < MIN_FRAMES || cost_ns(CLOCK_MONOTONIC) < end_ns; frames++) {
      const uint64_t cpu_ns = cost_process_ns(), wall_ns = cost_ns(CLOCK_MONOTONIC);
      kind->draw(frame);
      *wall_ms = fmin(*wall_ms, (double)(cost_ns(CLOCK_MONOTONIC) - wall_ns) * 1e-6);
      *cpu_ms = fmin(*cpu_ms, (double)(cost_process_ns() - cpu_ns) * 1e-6);
   }
}

static const struct growth_kind *
kind_of(const char *name)
{
   for (unsigned i = 0; i < KINDS; i++) {
      if (!strcmp(kinds[i].name, name))
         return &kinds[i];
   }
   return NULL;
}

static void
usage(void)
{
   fprintf(stderr, "usage: growth_cost KIND COUNT\n       growth_cost --list\n");
   exit(2);
}

int
main(int argc, char **argv)
{
   if (argc == 2 && !strcmp(argv[1], "--list")) {
      for (unsigned i = 0; i < KINDS; i++)
         printf("%s %u\n", kinds[i].name, kinds[i].least);
      return 0;
   }
   const struct growth_kind *kind = argc == 3 ? kind_of(argv[1]) : NULL;
   const unsigned long count = kind ? strtoul(argv[2], NULL, 10) : 0;
   if (!kind || count < kind->least || count > kind->most)
      usage();
   cost_context(COST_ES2);
   cost_target(TARGET_PX);
   struct frame frame = { .count = (unsigned)count };
   kind->set_up(&frame);
   double cpu_ms, wall_ms;
   measure(kind, &frame, WARM_UP_MS, &cpu_ms, &wall_ms);
   measure(kind, &frame, MEASURE_MS, &cpu_ms, &wall_ms);
   if (glGetError() != GL_NO_ERROR)
      cost_fail("there was an error of OpenGL");
   printf("%s %lu: %.6f ms of processor time, %.6f ms, on %s\n", kind->name, count, cpu_ms, wall_ms,
          glGetString(GL_RENDERER));
   free(frame.textures);
   free(frame.contexts);
   return 0;
}
