/* SPDX-License-Identifier: MIT
 *
 * Contexts in several threads: made and destroyed while others draw, with objects that all of them
 * share and change; left behind by threads that end.
 */
#include "extension_checks.h"
#include "peer.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

static const float shared_corners[4][2] = { { -1, -1 }, { 1, -1 }, { -1, 1 }, { 1, 1 } };

/* The shared texture has one colour, whichever thread gave it last; the shared rectangle covers
 * everything. */
static bool
draw_and_look(struct thread *thread, const struct target *target, uint64_t *seed)
{
   struct common *common = thread->common;
   const uint8_t shade = random_below(seed, 256),
                 texel[4] = { shade, 255 - shade, thread->number, 255 };
   pthread_mutex_lock(&common->lock);
   glBindTexture(GL_TEXTURE_2D, common->texture);
   glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, texel);
   glBindBuffer(GL_ARRAY_BUFFER, common->buffer);
   if (shade % 3 == 0)
      glBufferData(GL_ARRAY_BUFFER, sizeof(shared_corners), shared_corners, GL_DYNAMIC_DRAW);
   else
      glBufferSubData(GL_ARRAY_BUFFER, 0, sizeof(shared_corners), shared_corners);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
   glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
   uint8_t *pixels = target_read(target);
   pthread_mutex_unlock(&common->lock);
   bool right = true;
   for (int i = 0; i < SIZE_PX * SIZE_PX && right; i++)
      right = memcmp(pixels + 4 * i, texel, 4) == 0;
   if (!right)
      snprintf(thread->wrong, sizeof(thread->wrong), "thread %d: a pixel is %d %d %d, not %d %d %d",
               thread->number, pixels[0], pixels[1], pixels[2], texel[0], texel[1], texel[2]);
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
   snprintf(fragment, sizeof(fragment),
            "varying highp vec4 v; void main() { gl_FragColor = v * (%d.0 / 255.0); }", shade);
   const GLuint program = program_create(plain_vertex, fragment);
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   draw_rectangle(-1, -1, 1, 1, 0, white);
   uint8_t *pixels = target_read(target);
   const bool right =
      abs(pixels[0] - shade) <= 1 && abs(pixels[4 * SIZE_PX * SIZE_PX - 4] - shade) <= 1;
   if (!right)
      snprintf(thread->wrong, sizeof(thread->wrong), "thread %d: its own picture is %d, not %d",
               thread->number, pixels[0], shade);
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

/* A context, and in it a texture of size_px x size_px, a buffer and a program that shows the
 * texture's middle. */
static struct common
common_create(EGLDisplay display, GLsizei size_px)
{
   struct common common = { .display = display, .lock = PTHREAD_MUTEX_INITIALIZER };
   common.share = context_create(display, EGL_NO_CONTEXT);
   common.program =
      program_create("attribute vec4 position; void main() { gl_Position = position; }\n",
                     "precision mediump float; uniform sampler2D image;\n"
                     "void main() { gl_FragColor = texture2D(image, vec2(0.5)); }\n");
   glGenTextures(1, &common.texture);
   glBindTexture(GL_TEXTURE_2D, common.texture);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, size_px, size_px, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   glGenBuffers(1, &common.buffer);
   glBindBuffer(GL_ARRAY_BUFFER, common.buffer);
   glBufferData(GL_ARRAY_BUFFER, sizeof(shared_corners), shared_corners, GL_DYNAMIC_DRAW);
   return common;
}

/* Run a thread for each of THREADS; dies with what one of them finds wrong. */
static void
run_threads(struct common *common, void *(*run)(void *))
{
   struct thread threads[THREADS];
   pthread_t ids[THREADS];
   glFinish();
   for (int i = 0; i < THREADS; i++) {
      threads[i] = (struct thread){ .common = common, .number = i };
      pthread_create(&ids[i], NULL, run, &threads[i]);
   }
   for (int i = 0; i < THREADS; i++)
      pthread_join(ids[i], NULL);
   for (int i = 0; i < THREADS; i++) {
      if (threads[i].wrong[0])
         die("%s", threads[i].wrong);
   }
}

static void
check_lives(EGLDisplay display)
{
   struct common common = common_create(display, 1);
   run_threads(&common, live);
}

/* The display too is opened by each thread for itself, again and again, as if there was no
 * other. */
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
      expect_pixel(&target, pixels, 3, 3, (const uint8_t[]){ 0, 255, 0, 255 }, 0,
                   "a display's picture");
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

/* Programs of one thread each, but of the same two shaders, which others link, compile and give
 * their source at the same time. */
struct shaders {
   EGLDisplay display;
   EGLContext share;
   GLuint vertex, fragment;
   const char *wrong;
};

static const char *const shader_sources[2] = {
   "attribute vec4 position; varying vec4 v; void main() { v = position; gl_Position = position; }\n",
   "precision mediump float; varying vec4 v; void main() { gl_FragColor = vec4(0.0, 1.0, 0.0, v.w); }\n",
};

/* Compiles one of the shaders with a source that differs by a number, so that no cache spares the
 * compilation. */
static void
compile_again(const struct shaders *shaders, int stage, uint64_t number)
{
   const GLuint shader = stage ? shaders->fragment : shaders->vertex;
   char unique[40];
   snprintf(unique, sizeof(unique), "/* %" PRIx64 " */", number);
   glShaderSource(shader, 2, (const char *[]){ shader_sources[stage], unique }, NULL);
   glCompileShader(shader);
}

static void *
compile_often(void *data)
{
   struct shaders *shaders = data;
   eglBindAPI(EGL_OPENGL_ES_API);
   EGLContext context = context_create(shaders->display, shaders->share);
   const uint64_t number = ((uint64_t)time(NULL) << 32) + (uint32_t)(uintptr_t)context;
   for (int i = 0; i < 200; i++)
      compile_again(shaders, i & 1, number + i);
   eglMakeCurrent(shaders->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
   eglDestroyContext(shaders->display, context);
   eglReleaseThread();
   return NULL;
}

static void *
link_often(void *data)
{
   struct shaders *shaders = data;
   eglBindAPI(EGL_OPENGL_ES_API);
   EGLContext context = context_create(shaders->display, shaders->share);
   struct target target = target_create(SIZE_PX, SIZE_PX);
   for (int i = 0; i < 100; i++) {
      const GLuint program = glCreateProgram();
      GLint linked = 0;
      glAttachShader(program, shaders->vertex);
      glAttachShader(program, shaders->fragment);
      glBindAttribLocation(program, 0, "position");
      glLinkProgram(program);
      glGetProgramiv(program, GL_LINK_STATUS, &linked);
      if (!linked || glGetError())
         shaders->wrong = "a program of compiled shaders does not link";
      glUseProgram(program);
      glDeleteProgram(program);
   }
   draw_rectangle(-1, -1, 1, 1, 0, (const float[]){ 0, 0, 0, 0 });
   uint8_t *pixels = target_read(&target);
   expect_pixel(&target, pixels, 3, 3, (const uint8_t[]){ 0, 255, 0, 255 }, 0,
                "a program of shared shaders");
   free(pixels);
   eglMakeCurrent(shaders->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
   eglDestroyContext(shaders->display, context);
   eglReleaseThread();
   return NULL;
}

static void
check_shared_shaders(EGLDisplay display)
{
   struct shaders shaders = { .display = display,
                              .share = context_create(display, EGL_NO_CONTEXT) };
   pthread_t ids[THREADS];
   shaders.vertex = glCreateShader(GL_VERTEX_SHADER);
   shaders.fragment = glCreateShader(GL_FRAGMENT_SHADER);
   compile_again(&shaders, 0, 0);
   compile_again(&shaders, 1, 0);
   glFinish();
   for (int i = 0; i < THREADS; i++)
      pthread_create(&ids[i], NULL, i & 1 ? compile_often : link_often, &shaders);
   for (int i = 0; i < THREADS; i++)
      pthread_join(ids[i], NULL);
   if (shaders.wrong)
      die("%s", shaders.wrong);
}

/* A thread that ends without a word to EGL leaves its context current. The next thread may be
 * refused it; if EGL takes it for the same thread, since their data are at the same address, the
 * context must work. */
struct left {
   EGLDisplay display;
   EGLContext context;
   EGLSurface surface;
   struct target target;
};

static void *
draw_and_leave(void *data)
{
   struct left *left = data;
   eglBindAPI(EGL_OPENGL_ES_API);
   if (!eglMakeCurrent(left->display, left->surface, left->surface, left->context)) {
      if (eglGetError() != EGL_BAD_ACCESS)
         die("a context that an ended thread left is neither made current nor refused as in use");
      return NULL;
   }
   draw_rectangle(-1, -1, 1, 1, 0, (const float[]){ 0, 1, 0, 1 });
   uint8_t *pixels = target_read(&left->target);
   expect_pixel(&left->target, pixels, 3, 3, (const uint8_t[]){ 0, 255, 0, 255 }, 0,
                "drawn with a context that was left");
   free(pixels);
   return NULL;
}

static void
check_left_context(EGLDisplay display)
{
   struct left left = { .display = display, .context = context_create(display, EGL_NO_CONTEXT) };
   left.target = target_create_pbuffer(display, SIZE_PX, SIZE_PX);
   left.surface = eglGetCurrentSurface(EGL_DRAW);
   glUseProgram(program_create(plain_vertex, plain_fragment));
   eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
   for (int i = 0; i < 3; i++) {
      pthread_t id;
      pthread_create(&id, NULL, draw_and_leave, &left);
      pthread_join(id, NULL);
   }
}

/* A texture that two contexts share, and what one of them sees of it. */
struct shared_texture {
   GLuint texture, program;
   uint8_t seen[4];
};

static const uint8_t shared_red[4] = { 255, 0, 0, 255 }, shared_green[4] = { 0, 255, 0, 255 },
                     shared_blue[4] = { 0, 0, 255, 255 };

static void
texture_fill(const uint8_t colour[4])
{
   uint8_t texels[SIZE_PX * SIZE_PX][4];
   for (int i = 0; i < SIZE_PX * SIZE_PX; i++)
      memcpy(texels[i], colour, 4);
   glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, SIZE_PX, SIZE_PX, GL_RGBA, GL_UNSIGNED_BYTE, texels);
}

/* A red one, and the program that draws with it. */
static void
shared_texture_create(struct shared_texture *shared)
{
   shared->program = program_create(
      plain_vertex, "precision mediump float; uniform sampler2D image; varying vec4 v;\n"
                    "void main() { gl_FragColor = texture2D(image, vec2(0.5)) * v; }\n");
   glGenTextures(1, &shared->texture);
   glBindTexture(GL_TEXTURE_2D, shared->texture);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIZE_PX, SIZE_PX, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   texture_fill(shared_red);
   glFinish();
}

static void
draw_with_texture(const struct shared_texture *shared)
{
   glUseProgram(shared->program);
   glBindTexture(GL_TEXTURE_2D, shared->texture);
   draw_rectangle(-1, -1, 1, 1, 0, (const float[]){ 1, 1, 1, 1 });
}

static void
look_at_texture(void *data)
{
   struct shared_texture *shared = data;
   struct target target = target_create(SIZE_PX, SIZE_PX);
   draw_with_texture(shared);
   uint8_t *pixels = target_read(&target);
   memcpy(shared->seen, pixels, sizeof(shared->seen));
   free(pixels);
   target_delete(&target);
}

static void
expect_seen(const struct shared_texture *shared, const uint8_t colour[4], const char *what)
{
   if (memcmp(shared->seen, colour, sizeof(shared->seen)) != 0)
      die("%s: a texture is %d %d %d, not %d %d %d", what, shared->seen[0], shared->seen[1],
          shared->seen[2], colour[0], colour[1], colour[2]);
}

/* The shared texture is drawn to in `image`; `own` is another frame buffer, of the context that is
 * current. */
struct shared_scene {
   struct shared_texture shared;
   struct target own, image;
   struct peer peer;
};

static void
shared_scene_create(struct shared_scene *scene, EGLDisplay display)
{
   EGLContext context = context_create(display, EGL_NO_CONTEXT),
              other = context_create(display, context);
   make_current(display, EGL_NO_SURFACE, context);
   peer_start(&scene->peer, display, other);
   shared_texture_create(&scene->shared);
   scene->own = target_create(SIZE_PX, SIZE_PX);
   scene->image = (struct target){ .width_px = SIZE_PX, .height_px = SIZE_PX };
   glGenFramebuffers(1, &scene->image.framebuffer);
   target_bind(&scene->image);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                          scene->shared.texture, 0);
}

static void
clear_to(const uint8_t colour[4])
{
   glClearColor(colour[0] / 255.0f, colour[1] / 255.0f, colour[2] / 255.0f, colour[3] / 255.0f);
   glClear(GL_COLOR_BUFFER_BIT);
}

/* A finished clear of a texture is seen by another context, though the one that cleared it has
 * begun to sample it. */
static void
check_finished_clear(EGLDisplay display)
{
   struct shared_scene scene;
   shared_scene_create(&scene, display);
   clear_to(shared_green);
   glFinish();
   target_bind(&scene.own);
   draw_with_texture(&scene.shared); /* unfinished while the other looks */
   peer_do(&scene.peer, look_at_texture, &scene.shared);
   expect_seen(&scene.shared, shared_green, "sampled elsewhere");
   uint8_t *pixels = target_read(&scene.own);
   expect_pixel(&scene.own, pixels, 3, 3, shared_green, 0, "sampled here");
   free(pixels);
   peer_stop(&scene.peer);
}

/* A clear is seen when it is finished, though another context has sampled the texture before. */
static void
check_unfinished_clear(EGLDisplay display)
{
   struct shared_scene scene;
   shared_scene_create(&scene, display);
   clear_to(shared_green);
   peer_do(&scene.peer, look_at_texture, &scene.shared); /* sees anything */
   glFinish();
   peer_do(&scene.peer, look_at_texture, &scene.shared);
   expect_seen(&scene.shared, shared_green, "sampled elsewhere before and after it was finished");
   peer_stop(&scene.peer);
}

static void
paint_blue(void *data)
{
   const struct shared_texture *shared = data;
   glBindTexture(GL_TEXTURE_2D, shared->texture);
   texture_fill(shared_blue);
   glFinish();
}

/* Drawing to a texture with samples of its own (EXT_multisampled_render_to_texture) keeps what
 * another context has written to the texture since. */
static void
check_shared_samples(EGLDisplay display)
{
   struct shared_scene scene;
   shared_scene_create(&scene, display);
   need_gl("GL_EXT_multisampled_render_to_texture");
   const GLuint plain = program_create(plain_vertex, plain_fragment);
   for (int i = 0; i < 2; i++) {
      glBindTexture(GL_TEXTURE_2D, scene.shared.texture);
      gl.FramebufferTexture2DMultisampleEXT(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                                            scene.shared.texture, 0, 4);
      glUseProgram(plain);
      draw_rectangle(-1, -1, 0, 0, 0,
                     i ? (const float[]){ 1, 0, 0, 1 } : (const float[]){ 0, 1, 0, 1 });
      glFinish();
      if (i == 0)
         peer_do(&scene.peer, paint_blue, &scene.shared);
   }
   uint8_t *pixels = target_read(&scene.image);
   expect_pixel(&scene.image, pixels, 3, 3, shared_red, 0, "drawn after another context wrote");
   expect_pixel(&scene.image, pixels, SIZE_PX - 3, SIZE_PX - 3, shared_blue, 0,
                "written by another context");
   free(pixels);
   peer_stop(&scene.peer);
}

static void
record_blue(void *data)
{
   const struct shared_texture *shared = data;
   const float blue[4] = { 0, 0, 1, 1 };
   GLuint framebuffer;
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, shared->texture, 0);
   glViewport(0, 0, SIZE_PX, SIZE_PX);
   program_create(plain_vertex, plain_fragment);
   draw_rectangle(-1, -1, 1, 1, 0, blue);
}

static void
submit(void *data)
{
   (void)data;
   glFinish();
}

/* The same, where the other context had begun before, and flushes after (so not with
 * CLIPFREE_DEBUG=flush); the picture is read then, or not. */
static void
draw_to_late_samples(EGLDisplay display, bool reads)
{
   static const float red[4] = { 1, 0, 0, 1 };
   struct shared_scene scene;
   shared_scene_create(&scene, display);
   need_gl("GL_EXT_multisampled_render_to_texture");
   program_create(plain_vertex, plain_fragment);
   glBindTexture(GL_TEXTURE_2D, scene.shared.texture);
   gl.FramebufferTexture2DMultisampleEXT(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                                         scene.shared.texture, 0, 4);
   peer_do(&scene.peer, record_blue, &scene.shared);
   draw_rectangle(-1, -1, 0, 0, 0, red);
   glFinish();
   peer_do(&scene.peer, submit, NULL);
   if (reads)
      free(target_read(&scene.image));
   draw_rectangle(0, 0, 1, 1, 0, red);
   uint8_t *pixels = target_read(&scene.image);
   expect_pixel(&scene.image, pixels, SIZE_PX - 3, SIZE_PX - 3, shared_red, 0, "drawn last");
   expect_pixel(&scene.image, pixels, 3, 3, shared_blue, 0,
                reads ? "submitted last by another context, and read"
                      : "submitted last by another context");
   free(pixels);
   peer_stop(&scene.peer);
}

static void
check_shared_samples_late(EGLDisplay display)
{
   draw_to_late_samples(display, false);
   draw_to_late_samples(display, true);
}

/* A context of its own that draws with the shared texture and buffer, without any lock; those of
 * even numbers replace both, too. */
static void *
replace_and_draw(void *data)
{
   struct thread *thread = data;
   struct common *common = thread->common;
   uint64_t seed = 300 + thread->number;
   eglBindAPI(EGL_OPENGL_ES_API);
   EGLContext context = context_create(common->display, common->share);
   struct target target = target_create(SIZE_PX, SIZE_PX);
   glUseProgram(common->program);
   glEnableVertexAttribArray(0);
   for (int i = 0; i < 60 && !thread->wrong[0]; i++) {
      for (int draw = 0; draw < 20; draw++) {
         glBindTexture(GL_TEXTURE_2D, common->texture);
         glBindBuffer(GL_ARRAY_BUFFER, common->buffer);
         if (thread->number % 2 == 0) {
            texture_fill(random_below(&seed, 2) ? shared_red : shared_blue);
            glBufferData(GL_ARRAY_BUFFER, sizeof(shared_corners), shared_corners, GL_DYNAMIC_DRAW);
         }
         glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
         glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
      }
      uint8_t *pixels = target_read(&target);
      for (int p = 0; p < SIZE_PX * SIZE_PX; p++)
         if (memcmp(pixels + 4 * p, shared_red, 4) != 0 &&
             memcmp(pixels + 4 * p, shared_blue, 4) != 0)
            snprintf(thread->wrong, sizeof(thread->wrong),
                     "thread %d: a pixel is of none of the images: %d %d %d", thread->number,
                     pixels[4 * p], pixels[4 * p + 1], pixels[4 * p + 2]);
      free(pixels);
   }
   eglMakeCurrent(common->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
   eglDestroyContext(common->display, context);
   eglReleaseThread();
   return NULL;
}

/* Which image of a texture is seen that another thread replaces meanwhile is undefined (OpenGL ES
 * 2.0 appendix C), but it is one of them; so it is with a buffer, which always gets the same. */
static void
check_unlocked_objects(EGLDisplay display)
{
   struct common common = common_create(display, SIZE_PX);
   texture_fill(shared_red);
   run_threads(&common, replace_and_draw);
}

const struct check thread_checks[] = {
   { "threads-live-and-die", check_lives },
   { "threads-displays", check_displays },
   { "threads-shared-shaders", check_shared_shaders },
   { "threads-left-context", check_left_context },
   { "threads-finished-clear", check_finished_clear },
   { "threads-unfinished-clear", check_unfinished_clear },
   { "threads-shared-samples", check_shared_samples },
   { "threads-shared-samples-late", check_shared_samples_late },
   { "threads-unlocked-objects", check_unlocked_objects },
   { NULL, NULL },
};
