/* SPDX-License-Identifier: MIT
 *
 * trust_trials TRIALS SEED: TRIALS contexts, one after the other, draw what has no end
 * (endless_work.h) among contexts that draw pictures: one of the same thread, before and after it
 * and while it is at work, one of another thread all the time. Each endless one is reset, soon; the
 * others' pictures are right. A line says how many there were, and how long the longest took.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "endless_work.h"
#include "gles2_context.h"

#define SIZE_PX 40
#define PAUSE_US 1000 /* of the other thread, between pictures */
#define SOON_S 2.0    /* what a trial may take, whatever CLIPFREE_TIME_LIMIT_MS leaves a thread */
/* A host may stop this machine for a while, which counts as a thread's time (test_time.c): in so
 * many trials one picture may be reset, and one more; it is right when a new context draws it. */
#define TRIALS_OF_A_RESET 2000

typedef GLenum(EGLAPIENTRY *get_status)(void);

/* A context whose pictures are right. */
struct healthy {
   EGLDisplay display;
   EGLContext context;
   struct target target;
   uint64_t seed;
   float colour[4]; /* of the picture that was drawn last */
   uint64_t pictures, resets;
};

/* How a trial goes on when its work was drawn. */
enum ending {
   ENDING_FINISH,
   ENDING_READ,  /* its pixels */
   ENDING_AFTER, /* a picture is drawn while it is at work */
   ENDING_LEFT,  /* the context is destroyed */
   ENDINGS,
};

static get_status status_of_context;
static atomic_bool over;

static EGLContext
robust_context(EGLDisplay display, bool desktop)
{
   const EGLint es[] = { EGL_CONTEXT_MAJOR_VERSION, 3,
                         EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY_EXT,
                         EGL_LOSE_CONTEXT_ON_RESET_EXT, EGL_NONE };
   const EGLint gl[] = { EGL_CONTEXT_MAJOR_VERSION,
                         3,
                         EGL_CONTEXT_MINOR_VERSION,
                         3,
                         EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY_KHR,
                         EGL_LOSE_CONTEXT_ON_RESET_KHR,
                         EGL_NONE };
   eglBindAPI(desktop ? EGL_OPENGL_API : EGL_OPENGL_ES_API);
   const EGLContext context =
      eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, desktop ? gl : es);
   if (context == EGL_NO_CONTEXT)
      die("eglCreateContext fails: 0x%x", eglGetError());
   make_current(display, EGL_NO_SURFACE, context);
   return context;
}

/* ---- pictures ---- */

static void
healthy_open(struct healthy *h)
{
   /* Twenty turns of four components are none. */
   static const char turning[] =
      "precision highp float; varying highp vec4 v; uniform int turns;\nvoid main() {\n"
      "   vec4 c = v;\n   for (int i = 0; i < turns; i++) c = c.yzwx;\n   gl_FragColor = c;\n}\n";
   h->context = robust_context(h->display, false);
   h->target = target_create(SIZE_PX, SIZE_PX);
   const GLuint program = program_create(plain_vertex, turning);
   glUniform1i(glGetUniformLocation(program, "turns"), 20);
}

static void
healthy_close(struct healthy *h)
{
   make_current(h->display, EGL_NO_SURFACE, EGL_NO_CONTEXT);
   eglDestroyContext(h->display, h->context);
}

static void
healthy_draw(struct healthy *h)
{
   eglBindAPI(EGL_OPENGL_ES_API);
   make_current(h->display, EGL_NO_SURFACE, h->context);
   for (int c = 0; c < 4; c++)
      h->colour[c] = (float)random_below(&h->seed, 256) / 255;
   draw_rectangle(-1, -1, 1, 1, 0, h->colour);
   glFlush();
}

/* Whether the picture is right. If it is not, there is a reset. */
static bool
healthy_look(struct healthy *h)
{
   const int places[4][2] = {
      { 0, 0 }, { SIZE_PX - 1, SIZE_PX - 1 }, { SIZE_PX / 2, 3 }, { 7, SIZE_PX / 2 }
   };
   uint8_t colour[4];
   eglBindAPI(EGL_OPENGL_ES_API);
   make_current(h->display, EGL_NO_SURFACE, h->context);
   uint8_t *pixels = target_read(&h->target);
   const bool good = status_of_context() == GL_NO_ERROR;
   for (int c = 0; c < 4; c++)
      colour[c] = (uint8_t)(h->colour[c] * 255 + 0.5f);
   for (int i = 0; i < 4 && good; i++)
      expect_pixel(&h->target, pixels, places[i][0], places[i][1], colour, 0, "a picture");
   free(pixels);
   h->pictures += good;
   return good;
}

/* Look at the picture; one that was reset is drawn once more. */
static void
healthy_check(struct healthy *h)
{
   if (healthy_look(h))
      return;
   h->resets++;
   healthy_close(h);
   healthy_open(h);
   healthy_draw(h);
   if (!healthy_look(h))
      die("a picture is reset twice");
}

static void *
draw_on(void *user)
{
   struct healthy *h = user;
   healthy_open(h);
   while (!over) {
      healthy_draw(h);
      healthy_check(h);
      usleep(PAUSE_US);
   }
   healthy_close(h);
   eglReleaseThread();
   return NULL;
}

/* ---- trials ---- */

static void
expect_reset(const struct endless_work *work)
{
   char text[200];
   const GLenum status = status_of_context();
   if (status == GL_GUILTY_CONTEXT_RESET_EXT)
      return;
   endless_work_print(work, text, sizeof(text));
   die("%s: the status is 0x%x", text, status);
}

static void
end(enum ending ending, const struct endless_work *work, struct healthy *picture)
{
   const EGLContext context = eglGetCurrentContext();
   uint8_t pixel[4];
   if (ending == ENDING_READ)
      glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
   else if (ending == ENDING_FINISH)
      glFinish();
   else
      glFlush();
   if (ending == ENDING_AFTER) {
      healthy_draw(picture);
      healthy_check(picture);
      eglBindAPI(endless_work_is_desktop(work) ? EGL_OPENGL_API : EGL_OPENGL_ES_API);
      make_current(picture->display, EGL_NO_SURFACE, context);
      glFinish();
   }
   if (ending != ENDING_LEFT)
      expect_reset(work);
}

/* By the wall's clock, or, on a busy machine, by what all threads worked: the GPU's, this one and
 * the other one. */
static void
expect_soon(const struct endless_work *work, double wall_s, double worked_s)
{
   char text[200];
   const char *gpu = getenv("CLIPFREE_THREADS");
   const double threads = 2 + (gpu ? atof(gpu) : 2);
   if (wall_s < SOON_S || worked_s < SOON_S * threads)
      return;
   endless_work_print(work, text, sizeof(text));
   die("%s is stopped after %.2f s, and %.2f s of all threads' work", text, wall_s, worked_s);
}

static double
try(struct healthy *picture, uint64_t *seed)
{
   const struct endless_work work = endless_work_random(seed);
   const enum ending ending = random_below(seed, ENDINGS);
   const double wall_s = now_s(CLOCK_MONOTONIC), worked_s = now_s(CLOCK_PROCESS_CPUTIME_ID);
   healthy_draw(picture);
   const EGLContext context = robust_context(picture->display, endless_work_is_desktop(&work));
   endless_work_draw(&work);
   end(ending, &work, picture);
   make_current(picture->display, EGL_NO_SURFACE, EGL_NO_CONTEXT);
   eglDestroyContext(picture->display, context);
   if (ending != ENDING_AFTER)
      healthy_check(picture);
   const double took_s = now_s(CLOCK_MONOTONIC) - wall_s;
   expect_soon(&work, took_s, now_s(CLOCK_PROCESS_CPUTIME_ID) - worked_s);
   return took_s;
}

int
main(int argc, char **argv)
{
   if (argc != 3)
      die("usage: trust_trials TRIALS SEED");
   const uint64_t trials = strtoull(argv[1], NULL, 0);
   uint64_t seed = strtoull(argv[2], NULL, 0);
   struct healthy picture = { .display = display_open(), .seed = seed }, other = picture;
   double longest_s = 0;
   pthread_t thread;
   status_of_context = (get_status)eglGetProcAddress("glGetGraphicsResetStatusEXT");
   healthy_open(&picture);
   if (pthread_create(&thread, NULL, draw_on, &other))
      die("no thread can be made");
   for (uint64_t i = 0; i < trials; i++) {
      const double took_s = try(&picture, &seed);
      longest_s = took_s > longest_s ? took_s : longest_s;
   }
   over = true;
   pthread_join(thread, NULL);
   const uint64_t resets = picture.resets + other.resets;
   printf("%llu trials, %llu pictures, %llu of them drawn again, %.2f s at most\n",
          (unsigned long long)trials, (unsigned long long)(picture.pictures + other.pictures),
          (unsigned long long)resets, longest_s);
   return resets > 1 + trials / TRIALS_OF_A_RESET;
}
