/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#define EGL_EGLEXT_PROTOTYPES
#include "cost.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
cost_fail(const char *what)
{
   printf("%s: %s\n", program_invocation_short_name, what);
   exit(1);
}

int
cost_repeats(int argc, char **argv, int usual, int most)
{
   char *end = "";
   const long asked = argc > 1 ? strtol(argv[1], &end, 10) : usual;
   if (asked < 1 || asked > most || *end) {
      fprintf(stderr, "%s: how often to measure is %s, it may be 1 to %d\n",
              program_invocation_short_name, argv[1], most);
      exit(2);
   }
   return (int)asked;
}

static void
end_context(void)
{
   const EGLDisplay display = eglGetCurrentDisplay();
   const EGLContext context = eglGetCurrentContext();
   eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
   eglDestroyContext(display, context);
}

static void
end_display(void)
{
   const EGLDisplay display = eglGetCurrentDisplay();
   end_context();
   eglTerminate(display);
}

void
cost_context(enum cost_api api)
{
   static const EGLint attributes[][7] = {
      [COST_DESKTOP] = { EGL_NONE },
      [COST_ES2] = { EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE },
      [COST_ES3] = { EGL_CONTEXT_CLIENT_VERSION, 3, EGL_NONE },
      [COST_CORE33] = { EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3,
                        EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                        EGL_NONE },
   };
   const bool desktop = api == COST_DESKTOP || api == COST_CORE33;
   const EGLenum kind = desktop ? EGL_OPENGL_API : EGL_OPENGL_ES_API;
   const EGLDisplay display =
      eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
   const bool first = eglGetCurrentContext() == EGL_NO_CONTEXT;
   if (!first)
      end_context();
   else if (!eglInitialize(display, NULL, NULL))
      cost_fail("EGL does not start");
   if (!eglBindAPI(kind))
      cost_fail("EGL does not have this API");
   const EGLContext context =
      eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes[api]);
   if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
      cost_fail("there is no context");
   if (first)
      atexit(end_display); /* completes a capture */
}

static GLuint
make_shader(GLenum stage, const char *source)
{
   const GLuint shader = glCreateShader(stage);
   glShaderSource(shader, 1, &source, NULL);
   glCompileShader(shader);
   return shader;
}

GLuint
cost_program(const char *vertex, const char *fragment)
{
   const GLuint program = glCreateProgram();
   GLint linked;
   glAttachShader(program, make_shader(GL_VERTEX_SHADER, vertex));
   glAttachShader(program, make_shader(GL_FRAGMENT_SHADER, fragment));
   glBindAttribLocation(program, 0, "position");
   glLinkProgram(program);
   glGetProgramiv(program, GL_LINK_STATUS, &linked);
   if (!linked)
      cost_fail("a program does not link");
   return program;
}

GLuint
cost_sphere(uint32_t across, uint32_t down, float (*positions)[3])
{
   static const uint8_t corners[6] = { 0, 1, 2, 2, 1, 3 };
   const uint32_t vertices = (across + 1) * (down + 1), count = 6 * across * down;
   uint16_t *indices = malloc(count * sizeof *indices);
   GLuint buffers[2];
   if (!indices)
      cost_fail("out of memory");
   for (uint32_t i = 0; i < vertices; i++) {
      const float longitude = 6.2831853f * (float)(i % (across + 1)) / (float)across;
      const float latitude = 3.1415927f * (float)(i / (across + 1)) / (float)down;
      positions[i][0] = sinf(latitude) * cosf(longitude);
      positions[i][1] = cosf(latitude);
      positions[i][2] = sinf(latitude) * sinf(longitude);
   }
   for (uint32_t i = 0; i < count; i++) {
      const uint32_t cell = i / 6, corner = corners[i % 6], x = cell % across + corner % 2,
                     y = cell / across + corner / 2;
      indices[i] = (uint16_t)(y * (across + 1) + x);
   }
   glGenBuffers(2, buffers);
   glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
   glBufferData(GL_ARRAY_BUFFER, vertices * sizeof positions[0], positions, GL_STATIC_DRAW);
   glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[1]);
   glBufferData(GL_ELEMENT_ARRAY_BUFFER, count * sizeof *indices, indices, GL_STATIC_DRAW);
   free(indices);
   return buffers[0];
}

uint64_t
cost_ns(clockid_t clock)
{
   struct timespec t;
   clock_gettime(clock, &t);
   return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The clock of the processor time of a thread, as Linux numbers it (pthread_getcpuclockid asks for
 * a pthread_t, which a thread of a library does not show). */
static clockid_t
clock_of_thread(unsigned thread)
{
   enum { PER_THREAD = 4, SCHEDULER = 2 };
   return (clockid_t)(~thread << 3 | PER_THREAD | SCHEDULER);
}

uint64_t
cost_process_ns(void)
{
   static DIR *threads;
   if (!threads)
      threads = opendir("/proc/self/task");
   if (!threads)
      cost_fail("/proc/self/task is not there: no thread's processor time can be known");
   rewinddir(threads);
   for (const struct dirent *entry; (entry = readdir(threads));) {
      const unsigned thread = (unsigned)strtoul(entry->d_name, NULL, 10);
      struct timespec used; /* asking makes the system count; the thread may have ended since */
      if (thread)
         clock_gettime(clock_of_thread(thread), &used);
   }
   return cost_ns(CLOCK_PROCESS_CPUTIME_ID);
}

static int
compare(const void *a, const void *b)
{
   const double x = *(const double *)a, y = *(const double *)b;
   return (x > y) - (x < y);
}

double
cost_median(double *values, int count)
{
   qsort(values, (size_t)count, sizeof(*values), compare);
   return values[count / 2];
}

enum { USUAL_FRAMES = 5, MAX_FRAMES = 99 };

/* Index of the kind named by the second argument; `count` without one. Exits if the name is
 * unknown. */
static unsigned
chosen_kind(int argc, char **argv, const struct cost_kind *kinds, unsigned count)
{
   unsigned kind = 0;
   while (argc > 2 && kind < count && strcmp(argv[2], kinds[kind].name))
      kind++;
   if (argc > 2 && kind == count) {
      fprintf(stderr, "%s: there is no kind %s:", program_invocation_short_name, argv[2]);
      for (kind = 0; kind < count; kind++)
         fprintf(stderr, "%s %s", kind ? "," : "", kinds[kind].name);
      fprintf(stderr, "\n");
      exit(2);
   }
   return argc > 2 ? kind : count;
}

static void
measure_kind(const struct cost_kind *kind, int frames, const void *scene)
{
   double thread_ns[MAX_FRAMES], process_ns[MAX_FRAMES], wall_ns[MAX_FRAMES];
   for (int frame = 0; frame < frames; frame++) {
      glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
      glFinish();
      const uint64_t process = cost_process_ns(), thread = cost_ns(CLOCK_THREAD_CPUTIME_ID);
      const uint64_t wall = cost_ns(CLOCK_MONOTONIC);
      kind->draw(kind, scene);
      thread_ns[frame] = (double)(cost_ns(CLOCK_THREAD_CPUTIME_ID) - thread) / kind->draws;
      glFinish();
      wall_ns[frame] = (double)(cost_ns(CLOCK_MONOTONIC) - wall) / kind->draws;
      process_ns[frame] = (double)(cost_process_ns() - process) / kind->draws;
   }
   printf("%-32s %8.0f %8.0f %8.0f\n", kind->name, cost_median(thread_ns, frames),
          cost_median(process_ns, frames), cost_median(wall_ns, frames));
}

void
cost_draws(int argc, char **argv, const char *changed, const struct cost_kind *kinds,
           unsigned count, const void *scene)
{
   const int frames = cost_repeats(argc, argv, USUAL_FRAMES, MAX_FRAMES);
   const unsigned chosen = chosen_kind(argc, argv, kinds, count);
   printf("%s; ns a draw\n%-32s %8s %8s %8s\n", glGetString(GL_RENDERER), changed, "thread",
          "process", "wall");
   for (unsigned kind = 0; kind < count; kind++) {
      if (chosen == count || chosen == kind)
         measure_kind(&kinds[kind], frames, scene);
   }
   if (glGetError() != GL_NO_ERROR)
      cost_fail("an error of OpenGL");
}

void
cost_target(int size_px)
{
   GLuint framebuffer, colour, depth;
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glGenTextures(1, &colour);
   glBindTexture(GL_TEXTURE_2D, colour);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, size_px, size_px, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, colour, 0);
   glBindTexture(GL_TEXTURE_2D, 0);
   glGenRenderbuffers(1, &depth);
   glBindRenderbuffer(GL_RENDERBUFFER, depth);
   glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT16, size_px, size_px);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
   glViewport(0, 0, size_px, size_px);
}
