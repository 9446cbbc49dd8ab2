/* SPDX-License-Identifier: MIT
 *
 * Contexts in several threads: made and destroyed while others draw, with objects that all of them share and change.
 */
#include "extension_checks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, LIVES = 12, DRAWS = 6, SIZE_PX = 48 };

struct common {
   EGLDisplay display;
   EGLContext share;
   GLuint program, texture, buffer;
   pthread_mutex_t lock; /* of the texture's and the buffer's contents */
};

struct thread {
   struct common *common;
   int number;
   char wrong[200]; /* "": nothing */
};

/* The shared texture has one colour, whichever thread gave it last; the shared rectangle covers everything. */
static bool
draw_and_look(struct thread *thread, const struct target *target, uint64_t *seed)
{
   struct common *common = thread->common;
   const uint8_t shade = random_below(seed, 256), texel[4] = { shade, 255 - shade, thread->number, 255 };
   static const float corners[4][2] = { { -1, -1 }, { 1, -1 }, { -1, 1 }, { 1, 1 } };
   pthread_mutex_lock(&common->lock);
   glBindTexture(GL_TEXTURE_2D, common->texture);
   glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, texel);
   glBindBuffer(GL_ARRAY_BUFFER, common->buffer);
   if (shade % 3 == 0)
      glBufferData(GL_ARRAY_BUFFER, sizeof(corners), corners, GL_DYNAMIC_DRAW);
   else
      glBufferSubData(GL_ARRAY_BUFFER, 0, sizeof(corners), corners);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
   glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
   uint8_t *pixels = target_read(target);
   pthread_mutex_unlock(&common->lock);
   bool right = true;
   for (int i = 0; i < SIZE_PX * SIZE_PX && right; i++)
      right = memcmp(pixels + 4 * i, texel, 4) == 0;
   if (!right)
      snprintf(thread->wrong, sizeof(thread->wrong), "thread %d: a pixel is %d %d %d, not %d %d %d", thread->number,
               pixels[0], pixels[1], pixels[2], texel[0], texel[1], texel[2]);
   free(pixels);
   return right;
}

/* Objects of the thread's own, created, drawn and deleted without any lock. */
static bool
draw_own(struct thread *thread, const struct target *target, uint64_t *seed)
{
   static const float white[4] = { 1, 1, 1, 1 };
   char fragment[200];
   const int shade = random_below(seed, 256);
   snprintf(fragment, sizeof(fragment), "varying highp vec4 v; void main() { gl_FragColor = v * (%d.0 / 255.0); }", shade);
   const GLuint program = program_create(plain_vertex, fragment);
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   draw_rectangle(-1, -1, 1, 1, 0, white);
   uint8_t *pixels = target_read(target);
   const bool right = abs(pixels[0] - shade) <= 1 && abs(pixels[4 * SIZE_PX * SIZE_PX - 4] - shade) <= 1;
   if (!right)
      snprintf(thread->wrong, sizeof(thread->wrong), "thread %d: its own picture is %d, not %d", thread->number, pixels[0],
               shade);
   free(pixels);
   glDeleteProgram(program);
   return right;
}

static void *
live(void *data)
{
   struct thread *thread = data;
   struct common *common = thread->common;
   uint64_t seed = 100 + thread->number;
   eglBindAPI(EGL_OPENGL_ES_API);
   for (int life = 0; life < LIVES && !thread->wrong[0]; life++) {
      EGLContext context = context_create(common->display, common->share);
      struct target target = target_create(SIZE_PX, SIZE_PX);
      glEnableVertexAttribArray(0);
      for (int i = 0; i < DRAWS && !thread->wrong[0]; i++) {
         glUseProgram(common->program);
         if (draw_and_look(thread, &target, &seed))
            draw_own(thread, &target, &seed);
      }
      if (life % 3 == 0)
         draw_rectangle(-1, -1, 1, 1, 0, (const float[]){ 1, 0, 0, 1 }); /* goes with its context, perhaps undrawn */
      if (life % 2)
         target_delete(&target);
      eglMakeCurrent(common->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
      eglDestroyContext(common->display, context);
   }
   eglReleaseThread();
   return NULL;
}

static void
check_lives(EGLDisplay display)
{
   struct common common = { .display = display, .lock = PTHREAD_MUTEX_INITIALIZER };
   struct thread threads[THREADS];
   pthread_t ids[THREADS];
   common.share = context_create(display, EGL_NO_CONTEXT);
   common.program = program_create("attribute vec4 position; void main() { gl_Position = position; }\n",
                                   "precision mediump float; uniform sampler2D image;\n"
                                   "void main() { gl_FragColor = texture2D(image, vec2(0.5)); }\n");
   glGenTextures(1, &common.texture);
   glBindTexture(GL_TEXTURE_2D, common.texture);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   glGenBuffers(1, &common.buffer);
   glBindBuffer(GL_ARRAY_BUFFER, common.buffer);
   glBufferData(GL_ARRAY_BUFFER, 32, NULL, GL_DYNAMIC_DRAW);
   glFinish();
   for (int i = 0; i < THREADS; i++) {
      threads[i] = (struct thread){ .common = &common, .number = i };
      pthread_create(&ids[i], NULL, live, &threads[i]);
   }
   for (int i = 0; i < THREADS; i++)
      pthread_join(ids[i], NULL);
   for (int i = 0; i < THREADS; i++) {
      if (threads[i].wrong[0])
         die("%s", threads[i].wrong);
   }
}

/* The display too is opened by each thread for itself, again and again, as if there was no other. */
static void *
live_with_display(void *data)
{
   struct thread *thread = data;
   (void)thread;
   eglBindAPI(EGL_OPENGL_ES_API);
   for (int i = 0; i < LIVES; i++) {
      EGLDisplay display = display_open();
      EGLContext context = context_create(display, EGL_NO_CONTEXT);
      struct target target = target_create(SIZE_PX, SIZE_PX);
      program_create(plain_vertex, plain_fragment);
      draw_rectangle(-1, -1, 1, 1, 0, (const float[]){ 0, 1, 0, 1 });
      uint8_t *pixels = target_read(&target);
      expect_pixel(&target, pixels, 3, 3, (const uint8_t[]){ 0, 255, 0, 255 }, 0, "a display's picture");
      free(pixels);
      eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
      eglDestroyContext(display, context);
      eglReleaseThread();
   }
   return NULL;
}

static void
check_displays(EGLDisplay display)
{
   struct thread threads[THREADS] = { { 0 } };
   pthread_t ids[THREADS];
   (void)display;
   for (int i = 0; i < THREADS; i++)
      pthread_create(&ids[i], NULL, live_with_display, &threads[i]);
   for (int i = 0; i < THREADS; i++)
      pthread_join(ids[i], NULL);
}

const struct check thread_checks[] = {
   { "threads-live-and-die", check_lives },
   { "threads-displays", check_displays },
   { NULL, NULL },
};
