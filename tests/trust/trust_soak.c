/* SPDX-License-Identifier: MIT
 *
 * trust_soak ROUNDS CONTEXTS DRAWS THREADS PROGRAMS SEED: in each round THREADS new threads have
 * CONTEXTS contexts in all, one after the other each, which make DRAWS draws each: into a window, a
 * pbuffer or a framebuffer object that change their sizes, with random textures and programs, of
 * which there are PROGRAMS; some contexts delete what they made, others leave it to their end. A
 * line says what the process holds before, and after each round, when no context is left.
 */
#include <X11/Xlib.h>
#include <dirent.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "soak_program.h"

#define LARGEST_PX 256
#define MOST_TRIANGLES 8
#define MOST_THREADS 64

/* What the threads share. */
struct soak {
   unsigned contexts, draws; /* contexts of a thread and round, draws of a context */
   unsigned programs;        /* that there are */
   atomic_uint all_contexts, all_draws, all_programs, all_resizes;
};

/* A thread, with a connection of its own to the X server, and so a GPU of its own. */
struct worker {
   struct soak *soak;
   pthread_t thread;
   uint64_t seed;
   Display *x11;
   EGLDisplay display;
   EGLConfig config;
};

enum kind { KIND_WINDOW, KIND_PBUFFER, KIND_OBJECT };

/* A context's life. */
struct life {
   struct worker *worker;
   uint64_t *seed; /* the worker's */
   enum kind kind;
   EGLContext context;
   EGLSurface surface;
   Window window;
   struct target target; /* its size; of KIND_OBJECT the object, too */
   GLuint program, texture;
};

/* ------------------------------------------------------------------------------------- surfaces */

static int
random_size_px(const struct life *l)
{
   return 1 + (int)random_below(l->seed, LARGEST_PX);
}

static void
open_window(struct life *l)
{
   Display *x11 = l->worker->x11;
   l->window =
      XCreateWindow(x11, DefaultRootWindow(x11), 0, 0, (unsigned)l->target.width_px,
                    (unsigned)l->target.height_px, 0, CopyFromParent, InputOutput, CopyFromParent,
                    CWOverrideRedirect, &(XSetWindowAttributes){ .override_redirect = True });
   XMapWindow(x11, l->window);
   XSync(x11, False);
   l->surface =
      eglCreatePlatformWindowSurface(l->worker->display, l->worker->config, &l->window, NULL);
}

static void
open_surface(struct life *l)
{
   l->target = (struct target){ .width_px = random_size_px(l), .height_px = random_size_px(l) };
   const EGLint size[] = { EGL_WIDTH, l->target.width_px, EGL_HEIGHT, l->target.height_px,
                           EGL_NONE };
   if (l->kind == KIND_WINDOW)
      open_window(l);
   else
      l->surface = eglCreatePbufferSurface(l->worker->display, l->worker->config, size);
   if (l->surface == EGL_NO_SURFACE)
      die("a surface cannot be made: 0x%x", eglGetError());
   make_current(l->worker->display, l->surface, l->context);
   eglSwapInterval(l->worker->display, 0);
   if (l->kind == KIND_OBJECT)
      l->target = target_create(random_size_px(l), random_size_px(l));
   target_bind(&l->target);
}

static void
close_surface(struct life *l)
{
   make_current(l->worker->display, EGL_NO_SURFACE, EGL_NO_CONTEXT);
   eglDestroySurface(l->worker->display, l->surface);
   if (l->kind == KIND_WINDOW)
      XDestroyWindow(l->worker->x11, l->window);
}

/* Another size: the window's, another pbuffer, other storage. */
static void
resize(struct life *l)
{
   atomic_fetch_add(&l->worker->soak->all_resizes, 1);
   if (l->kind == KIND_PBUFFER) {
      close_surface(l);
      open_surface(l);
      return;
   }
   if (l->kind == KIND_OBJECT) {
      target_delete(&l->target);
      l->target = target_create(random_size_px(l), random_size_px(l));
      return;
   }
   l->target.width_px = random_size_px(l), l->target.height_px = random_size_px(l);
   XResizeWindow(l->worker->x11, l->window, (unsigned)l->target.width_px,
                 (unsigned)l->target.height_px);
   XSync(l->worker->x11, False);
   eglSwapBuffers(l->worker->display, l->surface);
   target_bind(&l->target);
}

/* -------------------------------------------------------------------------------------- drawing */

static void
new_program(struct life *l)
{
   atomic_fetch_add(&l->worker->soak->all_programs, 1);
   if (l->program)
      glDeleteProgram(l->program);
   l->program = soak_program_create(random_below(l->seed, l->worker->soak->programs));
}

static void
new_texture(struct life *l)
{
   const int width_px = random_size_px(l), height_px = random_size_px(l);
   uint8_t *texels = malloc(4 * (size_t)width_px * height_px);
   for (int i = 0; i < 4 * width_px * height_px; i++)
      texels[i] = (uint8_t)random_below(l->seed, 256);
   if (l->texture)
      glDeleteTextures(1, &l->texture);
   glGenTextures(1, &l->texture);
   glBindTexture(GL_TEXTURE_2D, l->texture);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, width_px, height_px, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                texels);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
   free(texels);
}

static void
draw(struct life *l)
{
   float vertices[3 * MOST_TRIANGLES][8];
   const int count = 3 * (1 + (int)random_below(l->seed, MOST_TRIANGLES));
   for (int i = 0; i < count; i++) {
      for (int c = 0; c < 8; c++)
         vertices[i][c] = (float)random_below(l->seed, 2001) / 1000 - 1;
      vertices[i][3] = 1;
   }
   draw_vertices((const float(*)[8])vertices, count);
}

/* What may come before a draw. */
static void
change(struct life *l)
{
   const uint32_t what = random_below(l->seed, 64);
   if (what < 4)
      resize(l);
   else if (what < 8)
      new_texture(l);
   else if (what == 8)
      new_program(l);
   else if (what == 9)
      free(target_read(&l->target));
   else if (what == 10)
      glClear(GL_COLOR_BUFFER_BIT);
   else if (what < 14)
      glFlush();
}

/* All is well at the end: a colour is drawn. */
static void
look(struct life *l)
{
   static const float colour[4] = { 1, 0, 1, 1 };
   static const uint8_t expected[4] = { 255, 0, 255, 255 };
   GLuint program = program_create(plain_vertex, plain_fragment);
   draw_rectangle(-1, -1, 1, 1, 0, colour);
   uint8_t *pixels = target_read(&l->target);
   expect_pixel(&l->target, pixels, l->target.width_px / 2, l->target.height_px / 2, expected, 0,
                "the last draw of a context");
   free(pixels);
   glDeleteProgram(program);
}

static void
live(struct worker *w)
{
   struct soak *soak = w->soak;
   struct life l = { .worker = w, .seed = &w->seed, .kind = (enum kind)random_below(&w->seed, 3) };
   l.context = context_of(w->display, w->config);
   open_surface(&l);
   new_program(&l);
   new_texture(&l);
   for (unsigned i = 0; i < soak->draws; i++) {
      change(&l);
      draw(&l);
   }
   atomic_fetch_add(&soak->all_draws, soak->draws + 1);
   look(&l);
   if (random_below(l.seed, 2)) {
      glDeleteProgram(l.program);
      glDeleteTextures(1, &l.texture);
      if (l.kind == KIND_OBJECT)
         target_delete(&l.target);
   }
   close_surface(&l);
   eglDestroyContext(w->display, l.context);
   atomic_fetch_add(&soak->all_contexts, 1);
}

static void
open_display(struct worker *w)
{
   w->x11 = XOpenDisplay(NULL);
   if (!w->x11) {
      printf("no X display\n");
      exit(EXIT_SKIP);
   }
   w->display = eglGetPlatformDisplay(EGL_PLATFORM_X11_KHR, w->x11, NULL);
   if (!eglInitialize(w->display, NULL, NULL))
      die("eglInitialize fails on X11: 0x%x", eglGetError());
   const EGLint visual = (EGLint)XVisualIDFromVisual(DefaultVisual(w->x11, DefaultScreen(w->x11)));
   EGLConfig configs[64];
   EGLint count = 0;
   eglChooseConfig(w->display,
                   (const EGLint[]){ EGL_SURFACE_TYPE, EGL_WINDOW_BIT | EGL_PBUFFER_BIT,
                                     EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_NONE },
                   configs, 64, &count);
   for (int i = 0; i < count && !w->config; i++) {
      EGLint id = 0;
      eglGetConfigAttrib(w->display, configs[i], EGL_NATIVE_VISUAL_ID, &id);
      if (id == visual)
         w->config = configs[i];
   }
   if (!w->config)
      die("no configuration for windows and pbuffers of the screen's visual");
}

static void *
work(void *user)
{
   struct worker *w = user;
   open_display(w);
   eglBindAPI(EGL_OPENGL_ES_API);
   for (unsigned i = 0; i < w->soak->contexts; i++)
      live(w);
   eglTerminate(w->display);
   eglReleaseThread();
   XCloseDisplay(w->x11);
   return NULL;
}

/* --------------------------------------------------------------------------------------- rounds */

/* The descriptors that are open, apart from that of the folder itself. */
static int
descriptors(void)
{
   int count = -3; /* ".", ".." and the folder's */
   DIR *folder = opendir("/proc/self/fd");
   if (!folder)
      die("/proc/self/fd cannot be read");
   while (readdir(folder))
      count++;
   closedir(folder);
   return count;
}

static void
say(struct soak *s, const char *when)
{
   malloc_trim(0);
   printf("%s: %u contexts, %u draws, %u programs, %u resizes; %ld kB, %d descriptors\n", when,
          s->all_contexts, s->all_draws, s->all_programs, s->all_resizes, resident_kB(),
          descriptors());
   fflush(stdout);
}

static void
run_round(struct soak *s, unsigned threads, uint64_t *seed)
{
   struct worker workers[MOST_THREADS];
   for (unsigned i = 0; i < threads; i++) {
      const uint64_t high = random_below(seed, UINT32_MAX), low = random_below(seed, UINT32_MAX);
      workers[i] = (struct worker){ .soak = s, .seed = high << 32 | low };
      if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
         die("no thread can be made");
   }
   for (unsigned i = 0; i < threads; i++)
      pthread_join(workers[i].thread, NULL);
}

int
main(int argc, char **argv)
{
   unsigned number[5] = { 0 };
   for (int i = 0; i < 5 && i + 1 < argc; i++)
      number[i] = (unsigned)strtoul(argv[i + 1], NULL, 10);
   const unsigned rounds = number[0], threads = number[3];
   if (argc != 7 || threads < 1 || threads > MOST_THREADS || number[4] < 1) {
      printf("usage: trust_soak ROUNDS CONTEXTS DRAWS THREADS PROGRAMS SEED\n");
      return 2;
   }
   uint64_t seed = strtoull(argv[6], NULL, 0);
   struct soak s = { .contexts = (number[1] + threads - 1) / threads,
                     .draws = number[2],
                     .programs = number[4] };
   XInitThreads();
   say(&s, "before");
   for (unsigned i = 0; i < rounds; i++) {
      run_round(&s, threads, &seed);
      say(&s, "round");
   }
   return 0;
}
