/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#define EGL_EGLEXT_PROTOTYPES
#include "cost.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

void
cost_fail(const char *what)
{
   printf("%s: %s\n", program_invocation_short_name, what);
   exit(1);
}

int
cost_frames(int argc, char **argv, int usual, int most)
{
   char *end = "";
   const long asked = argc > 1 ? strtol(argv[1], &end, 10) : usual;
   if (asked < 1 || asked > most || *end) {
      fprintf(stderr, "%s: the number of frames is %s, it may be 1 to %d\n", program_invocation_short_name, argv[1], most);
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
   eglTerminate(display);
}

void
cost_context(void)
{
   static const EGLint attributes[] = { EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE };
   const EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
   if (!eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_ES_API))
      cost_fail("EGL does not start");
   const EGLContext context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
   if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
      cost_fail("there is no context");
   atexit(end_context); /* a capture is complete then */
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

uint64_t
cost_ns(clockid_t clock)
{
   struct timespec t;
   clock_gettime(clock, &t);
   return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
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
