/* SPDX-License-Identifier: MIT */
/*
 * Links GLSL programs on clipfree's driver, for clipfree shader. A line of JSON for each program
 * comes from stdin:
 *
 *    {"name": ..., "api": "es", "es3", "desktop" or "core", "vertex": [text, ...],
 *     "fragment": [text, ...], "attributes": {name: location, ...}}
 *
 * The driver appends what it compiles to the file of CLIPFREE_SHADERS; after each program a line is
 * appended that says which one it was: {"linked": name, "ok": true, "log": Mesa's messages}.
 * Argument: the file.
 */
#define EGL_EGLEXT_PROTOTYPES
#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>
#include <jansson.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#define LOG_B 4096
/* Processor time for a program; then SIGPROF ends the process. Mesa takes minutes, and gigabytes,
 * for some that index large arrays. */
#define LIMIT_S 5

/* A context for each language: of OpenGL ES 2.0, for GLSL ES 1.00, and of 3.0, for 3.00; of OpenGL
 * 2.1, and of the core profile of 3.3, for GLSL from 1.40 on. */
static const struct api {
   const char *name, *missing;
   EGLenum bound;
   EGLint version[5];
} apis[] = {
   { "es",
     "no context of OpenGL ES 2.0",
     EGL_OPENGL_ES_API,
     { EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE } },
   { "es3",
     "no context of OpenGL ES 3.0",
     EGL_OPENGL_ES_API,
     { EGL_CONTEXT_CLIENT_VERSION, 3, EGL_NONE } },
   { "desktop",
     "no context of OpenGL 2.1",
     EGL_OPENGL_API,
     { EGL_CONTEXT_MAJOR_VERSION, 2, EGL_CONTEXT_MINOR_VERSION, 1, EGL_NONE } },
   { "core",
     "no context of OpenGL 3.3",
     EGL_OPENGL_API,
     { EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3, EGL_NONE } },
};
#define APIS (sizeof(apis) / sizeof(apis[0]))

struct gl {
   EGLDisplay display;
   EGLContext context[APIS];
   const struct api *current; /* NULL: none */
};

static void __attribute__((noreturn)) fail(const char *what)
{
   fprintf(stderr, "clipfree shader: %s: 0x%x. Is build/lib in LD_LIBRARY_PATH?\n", what,
           eglGetError());
   exit(1);
}

static void
gl_open(struct gl *gl)
{
   *gl = (struct gl){ 0 };
   gl->display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
   if (!eglInitialize(gl->display, NULL, NULL))
      fail("EGL has no display without a window system");
}

/* That of desktop OpenGL 2.1 where the name is not known. */
static const struct api *
find_api(const char *name)
{
   const struct api *desktop = NULL;
   for (size_t i = 0; i < APIS; i++) {
      if (name && !strcmp(name, apis[i].name))
         return &apis[i];
      if (!strcmp("desktop", apis[i].name))
         desktop = &apis[i];
   }
   return desktop;
}

static void
gl_use(struct gl *gl, const struct api *api)
{
   EGLContext *context = &gl->context[api - apis];
   if (gl->current == api)
      return;
   eglBindAPI(api->bound);
   if (!*context)
      *context = eglCreateContext(gl->display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, api->version);
   if (!*context || !eglMakeCurrent(gl->display, EGL_NO_SURFACE, EGL_NO_SURFACE, *context))
      fail(api->missing);
   gl->current = api;
}

/* Compile the shader objects of one stage, and attach them. What Mesa says is appended to `log`. */
static void
attach(GLuint program, GLenum stage, const json_t *texts, char log[LOG_B])
{
   size_t i;
   json_t *text;
   json_array_foreach(texts, i, text)
   {
      const char *string = json_string_value(text);
      const GLuint shader = glCreateShader(stage);
      GLint good;
      glShaderSource(shader, 1, &string, NULL);
      glCompileShader(shader);
      glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
      if (!good) {
         const size_t length = strlen(log);
         const int head =
            snprintf(log + length, LOG_B - length,
                     "%s shader: ", stage == GL_VERTEX_SHADER ? "vertex" : "fragment");
         if (length + head < LOG_B)
            glGetShaderInfoLog(shader, LOG_B - length - head, NULL, log + length + head);
      }
      glAttachShader(program, shader);
      glDeleteShader(shader);
   }
}

/* Link a program. False: `log` says why not. */
static bool
link_program(const json_t *request, char log[LOG_B])
{
   const GLuint program = glCreateProgram();
   const char *name;
   json_t *location;
   GLint good = 0;
   log[0] = 0;
   attach(program, GL_VERTEX_SHADER, json_object_get(request, "vertex"), log);
   attach(program, GL_FRAGMENT_SHADER, json_object_get(request, "fragment"), log);
   json_object_foreach(json_object_get(request, "attributes"), name, location)
      glBindAttribLocation(program, json_integer_value(location), name);
   if (!log[0]) {
      glLinkProgram(program);
      glGetProgramiv(program, GL_LINK_STATUS, &good);
      glGetProgramInfoLog(program, LOG_B, NULL, log);
   }
   glDeleteProgram(program);
   return good;
}

static void
limit_time(void)
{
   const struct itimerval limit = { .it_value.tv_sec = LIMIT_S };
   setitimer(ITIMER_PROF, &limit, NULL);
}

static void
say_linked(FILE *file, const json_t *name, bool good, const char *log)
{
   json_t *line =
      json_pack("{s:O, s:b, s:s%}", "linked", name, "ok", good, "log", log, strlen(log));
   if (!line) /* Mesa quotes bytes of the shader that are no text */
      line = json_pack("{s:O, s:b, s:s}", "linked", name, "ok", good, "log",
                       "the messages are no text");
   json_dumpf(line, file, 0);
   putc('\n', file);
   fflush(file);
   json_decref(line);
}

int
main(int argc, char **argv)
{
   char *line = NULL, log[LOG_B];
   size_t size = 0;
   struct gl gl;
   if (argc != 2 || argv[1][0] == '-') {
      fprintf(stderr, "usage: clipfree-shader-compile FILE, for clipfree shader\n");
      return 2;
   }
   FILE *file = fopen(argv[1], "ae");
   if (!file) {
      fprintf(stderr, "clipfree shader: cannot write %s: %s\n", argv[1], strerror(errno));
      return 1;
   }
   gl_open(&gl);
   while (getline(&line, &size, stdin) > 0) {
      json_t *request = json_loads(line, 0, NULL);
      if (!request)
         continue;
      gl_use(&gl, find_api(json_string_value(json_object_get(request, "api"))));
      limit_time();
      const bool good = link_program(request, log);
      say_linked(file, json_object_get(request, "name"), good, log);
      json_decref(request);
   }
   free(line);
   return fclose(file) ? 1 : 0;
}
