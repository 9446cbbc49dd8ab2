/* SPDX-License-Identifier: MIT
 *
 * What a draw costs the application's thread: 10 000 small draws a frame, with more and more changed between two of
 * them. Prints a line for each kind: nanoseconds a draw of that thread's CPU time, of the whole process's CPU time and
 * of wall time until all is done, medians of the frames. No window; the driver is what LD_LIBRARY_PATH and the
 * environment say (CLIPFREE_GPU=noop drops the work: what is left is the driver's share).
 *
 *    draw_cost [frames]
 */
#define EGL_EGLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { DRAWS = 10000, SIZE_PX = 256, MAX_FRAMES = 99 };

static const char vertex[] = "attribute vec2 position; uniform vec4 place;\n"
                             "void main() { gl_Position = vec4(position * place.zw + place.xy, 0.0, 1.0); }\n";
static const char fragment[] = "precision mediump float; uniform vec4 colour; uniform sampler2D image;\n"
                               "void main() { gl_FragColor = colour * texture2D(image, colour.xy); }\n";

static const float corners[3][2] = { { 0, 0 }, { 1, 0 }, { 0, 1 } };

struct scene {
   GLint place, colour;
   GLuint programs[2], textures[2], buffer;
};

static void
fail(const char *what)
{
   printf("draw_cost: %s\n", what);
   exit(1);
}

static uint64_t
now_ns(clockid_t clock)
{
   struct timespec t;
   clock_gettime(clock, &t);
   return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static GLuint
make_shader(GLenum stage, const char *source)
{
   GLuint shader = glCreateShader(stage);
   glShaderSource(shader, 1, &source, NULL);
   glCompileShader(shader);
   return shader;
}

static GLuint
make_program(void)
{
   GLuint program = glCreateProgram();
   GLint linked;
   glAttachShader(program, make_shader(GL_VERTEX_SHADER, vertex));
   glAttachShader(program, make_shader(GL_FRAGMENT_SHADER, fragment));
   glBindAttribLocation(program, 0, "position");
   glLinkProgram(program);
   glGetProgramiv(program, GL_LINK_STATUS, &linked);
   if (!linked)
      fail("a program does not link");
   glUseProgram(program);
   glUniform4f(glGetUniformLocation(program, "place"), -0.5f, -0.5f, 0.02f, 0.02f);
   glUniform4f(glGetUniformLocation(program, "colour"), 1, 0.5f, 0.25f, 1);
   return program;
}

static void
set_up(struct scene *scene)
{
   GLuint framebuffer, colour;
   static const uint8_t texel[4] = { 255, 255, 255, 255 };
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glGenTextures(1, &colour);
   glBindTexture(GL_TEXTURE_2D, colour);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIZE_PX, SIZE_PX, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, colour, 0);
   glViewport(0, 0, SIZE_PX, SIZE_PX);
   glGenTextures(2, scene->textures);
   for (int i = 0; i < 2; i++) {
      glBindTexture(GL_TEXTURE_2D, scene->textures[i]);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
      glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, texel);
      scene->programs[i] = make_program();
   }
   scene->place = glGetUniformLocation(scene->programs[1], "place");
   scene->colour = glGetUniformLocation(scene->programs[1], "colour");
   glGenBuffers(1, &scene->buffer);
   glBindBuffer(GL_ARRAY_BUFFER, scene->buffer);
   glBufferData(GL_ARRAY_BUFFER, sizeof(corners), corners, GL_STATIC_DRAW);
   glEnableVertexAttribArray(0);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
}

static void
change_nothing(const struct scene *scene, int i)
{
   (void)scene, (void)i;
}

static void
change_uniform(const struct scene *scene, int i)
{
   glUniform4f(scene->place, (i % 100) / 50.0f - 1, (i / 100) / 50.0f - 1, 0.02f, 0.02f);
}

static void
change_uniforms(const struct scene *scene, int i)
{
   change_uniform(scene, i);
   glUniform4f(scene->colour, (i & 255) / 255.0f, 0.5f, 0.25f, 1);
}

static void
change_texture(const struct scene *scene, int i)
{
   glBindTexture(GL_TEXTURE_2D, scene->textures[i & 1]);
}

static void
change_blend(const struct scene *scene, int i)
{
   (void)scene;
   glBlendFunc(GL_ONE, i & 1 ? GL_ONE : GL_ZERO);
}

static void
change_program(const struct scene *scene, int i)
{
   glUseProgram(scene->programs[i & 1]);
}

static void
change_array(const struct scene *scene, int i)
{
   glBindBuffer(GL_ARRAY_BUFFER, i & 1 ? scene->buffer : 0);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, i & 1 ? NULL : corners);
}

static const struct {
   const char *name;
   void (*change)(const struct scene *scene, int i);
} kinds[] = {
   { "nothing", change_nothing },   { "one uniform", change_uniform }, { "uniforms of both stages", change_uniforms },
   { "texture", change_texture },   { "blend", change_blend },         { "program", change_program },
   { "vertex array", change_array },
};

static int
compare(const void *a, const void *b)
{
   const double x = *(const double *)a, y = *(const double *)b;
   return (x > y) - (x < y);
}

static void
measure(const struct scene *scene, unsigned kind, int frames)
{
   double thread_ns[MAX_FRAMES], process_ns[MAX_FRAMES], wall_ns[MAX_FRAMES];
   glEnable(GL_BLEND);
   for (int frame = 0; frame < frames; frame++) {
      glClear(GL_COLOR_BUFFER_BIT);
      glFinish();
      const uint64_t thread = now_ns(CLOCK_THREAD_CPUTIME_ID), process = now_ns(CLOCK_PROCESS_CPUTIME_ID);
      const uint64_t wall = now_ns(CLOCK_MONOTONIC);
      for (int i = 0; i < DRAWS; i++) {
         kinds[kind].change(scene, i);
         glDrawArrays(GL_TRIANGLES, 0, 3);
      }
      thread_ns[frame] = (double)(now_ns(CLOCK_THREAD_CPUTIME_ID) - thread) / DRAWS;
      glFinish();
      process_ns[frame] = (double)(now_ns(CLOCK_PROCESS_CPUTIME_ID) - process) / DRAWS;
      wall_ns[frame] = (double)(now_ns(CLOCK_MONOTONIC) - wall) / DRAWS;
   }
   qsort(thread_ns, frames, sizeof(*thread_ns), compare);
   qsort(process_ns, frames, sizeof(*process_ns), compare);
   qsort(wall_ns, frames, sizeof(*wall_ns), compare);
   printf("%-24s %8.0f %8.0f %8.0f\n", kinds[kind].name, thread_ns[frames / 2], process_ns[frames / 2],
          wall_ns[frames / 2]);
}

int
main(int argc, char **argv)
{
   static const EGLint attributes[] = { EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE };
   const int asked = argc > 1 ? atoi(argv[1]) : 5, frames = asked < 1 ? 1 : asked > MAX_FRAMES ? MAX_FRAMES : asked;
   EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
   if (!eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_ES_API))
      fail("EGL does not start");
   EGLContext context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
   if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
      fail("there is no context");
   struct scene scene;
   set_up(&scene);
   printf("%s, %d draws a frame; ns a draw\n%-24s %8s %8s %8s\n", glGetString(GL_RENDERER), DRAWS,
          "changed before each draw", "thread", "process", "wall");
   for (unsigned kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++)
      measure(&scene, kind, frames);
   return 0;
}
