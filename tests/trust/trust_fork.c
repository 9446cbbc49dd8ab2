/* SPDX-License-Identifier: MIT */
#include "trust_fork.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gles2_context.h"
#include "trust_picture.h"

#define PATIENCE_S 20

/* A context that tells of resets, made current. EGL_NO_CONTEXT: there is none to have. */
static EGLContext
create_robust(void)
{
   static const EGLint attributes[] = { EGL_CONTEXT_CLIENT_VERSION,
                                        2,
                                        EGL_CONTEXT_OPENGL_ROBUST_ACCESS_EXT,
                                        EGL_TRUE,
                                        EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY_EXT,
                                        EGL_LOSE_CONTEXT_ON_RESET_EXT,
                                        EGL_NONE };
   EGLDisplay display = eglGetCurrentDisplay();
   EGLContext context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
   if (context != EGL_NO_CONTEXT)
      make_current(display, EGL_NO_SURFACE, context);
   return context;
}

/* Whether the current context was told of a reset. */
static bool
is_reset(void)
{
   GLenum (*status)(void) = (GLenum(*)(void))eglGetProcAddress("glGetGraphicsResetStatusEXT");
   return status() != GL_NO_ERROR;
}

/* A program of its own for each number, which may not link. */
static void
try_program(unsigned number)
{
   char source[200], log[200];
   snprintf(source, sizeof(source),
            "varying highp vec4 v; void main() { gl_FragColor = v * %u.0; }", number);
   const GLuint program = glCreateProgram();
   glBindAttribLocation(program, 0, "position");
   glBindAttribLocation(program, 1, "colour");
   glAttachShader(program, shader_compile(GL_VERTEX_SHADER, "", plain_vertex, log, sizeof(log)));
   glAttachShader(program, shader_compile(GL_FRAGMENT_SHADER, "", source, log, sizeof(log)));
   glLinkProgram(program);
   glUseProgram(program);
}

/* What a child does that was not told: it compiles, makes textures, draws, reads. As often as fills
 * Mesa's queue of shaders for the disk. Returns whether some call failed. */
static bool
use_lost_context(void)
{
   static const float vertices[3][8] = { { -1, -1, 0, 1 }, { 3, -1, 0, 1 }, { -1, 3, 0, 1 } };
   bool failed = false;
   GLubyte pixel[4];
   for (unsigned i = 0; i < 40; i++) {
      GLuint texture;
      glGenTextures(1, &texture);
      glBindTexture(GL_TEXTURE_2D, texture);
      glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 512, 512, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
      failed = failed || glGetError() == GL_OUT_OF_MEMORY;
      try_program(i);
      glEnableVertexAttribArray(0);
      glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, sizeof(vertices[0]), vertices);
      glDrawArrays(GL_TRIANGLES, 0, 3);
      glFlush();
      glGetError();
   }
   glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
   glFinish();
   return failed;
}

static void
be_a_child(void)
{
   if (!use_lost_context())
      die("a child gets memory");
   if (!is_reset())
      die("a child is not told that its context is lost");
   if (create_robust() != EGL_NO_CONTEXT)
      die("a child gets a new context of its parent's display");
   exit(0); /* not _exit: what runs at the end of processes must not hang either */
}

static void
expect_end(pid_t child)
{
   int status;
   for (unsigned i = 0; i < PATIENCE_S * 100; i++) {
      if (waitpid(child, &status, WNOHANG) == child) {
         if (!WIFEXITED(status) || WEXITSTATUS(status))
            die("a child ends with status 0x%x", (unsigned)status);
         return;
      }
      usleep(10000);
   }
   kill(child, SIGKILL);
   die("a child hangs");
}

void
fork_while_drawing(unsigned times)
{
   if (create_robust() == EGL_NO_CONTEXT)
      die("no robust context: 0x%x", eglGetError());
   target_create(256, 256);
   for (unsigned n = 0; n < times; n++) {
      try_program(1000 + n); /* is being compiled then */
      for (unsigned i = 0; i < 20 * (n + 1); i++)
         draw_rectangle(-1, -1, 1, 1, 0, (const float[]){ 0, 1, 0, 1 });
      glFlush();
      fflush(stdout);
      usleep(3000 * n);
      const pid_t child = fork();
      if (child == 0)
         be_a_child();
      expect_end(child);
      no_error("in the parent");
   }
   if (is_reset())
      die("the parent's context is lost, too");
}
