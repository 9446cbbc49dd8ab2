/* SPDX-License-Identifier: MIT
 *
 * Draws all scenes (memory_scenes.h) while allocations of the driver fail (fail_allocations.c),
 * then once more when none fails any more, with a new context and with a new display. A line for
 * each: what was drawn, and what EGL or GL said:
 *
 *    hurt SCENE: HASH [refused] [error 0x505]
 *    healthy SCENE: HASH ...
 *    reopened SCENE: HASH ...
 *    no display: 0x3003, no context: ..., no surface: ...
 *    descriptors N                    open when everything is closed again
 */
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>

#define EGL_EGLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>

#include "memory_scenes.h"

static EGLDisplay
open_display(void)
{
   EGLDisplay display =
      eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
   if (display != EGL_NO_DISPLAY && eglInitialize(display, NULL, NULL))
      return display;
   printf("no display: 0x%x\n", eglGetError());
   return EGL_NO_DISPLAY;
}

/* A context of OpenGL ES 3.0 or OpenGL 3.3 with a pbuffer, current. EGL_NO_CONTEXT: it was refused.
 */
static EGLContext
open_context(EGLDisplay display, bool desktop, EGLSurface *surface)
{
   static const EGLint es3[] = { EGL_CONTEXT_MAJOR_VERSION, 3, EGL_NONE },
                       gl33[] = { EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3,
                                  EGL_NONE },
                       size[] = { EGL_WIDTH, SCENE_PX, EGL_HEIGHT, SCENE_PX, EGL_NONE };
   const EGLint wanted[] = { EGL_RENDERABLE_TYPE,
                             desktop ? EGL_OPENGL_BIT : EGL_OPENGL_ES3_BIT,
                             EGL_SURFACE_TYPE,
                             EGL_PBUFFER_BIT,
                             EGL_RED_SIZE,
                             8,
                             EGL_ALPHA_SIZE,
                             8,
                             EGL_DEPTH_SIZE,
                             24,
                             EGL_STENCIL_SIZE,
                             8,
                             EGL_NONE };
   EGLConfig config;
   EGLint count = 0;
   eglBindAPI(desktop ? EGL_OPENGL_API : EGL_OPENGL_ES_API);
   if (!eglChooseConfig(display, wanted, &config, 1, &count) || !count) {
      printf("no configuration: 0x%x\n", eglGetError());
      return EGL_NO_CONTEXT;
   }
   EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, desktop ? gl33 : es3);
   if (context == EGL_NO_CONTEXT) {
      printf("no context: 0x%x\n", eglGetError());
      return EGL_NO_CONTEXT;
   }
   *surface = eglCreatePbufferSurface(display, config, size);
   if (*surface != EGL_NO_SURFACE && eglMakeCurrent(display, *surface, *surface, context))
      return context;
   printf("no surface: 0x%x\n", eglGetError());
   eglDestroyContext(display, context);
   return EGL_NO_CONTEXT;
}

static void
say(const char *when, const char *scene, const struct scene_result *result)
{
   printf("%s %s: %016llx%s", when, scene, (unsigned long long)result->hash,
          result->refused ? " refused" : "");
   if (result->error)
      printf(" error 0x%x", result->error);
   printf("\n");
   fflush(stdout);
}

/* Draws what one API can, the first scene also to the surface, which is then swapped. */
static void
draw_scenes(EGLDisplay display, bool desktop, const char *when)
{
   EGLSurface surface = EGL_NO_SURFACE;
   EGLContext context = open_context(display, desktop, &surface);
   bool first = true;
   for (unsigned i = 0; context != EGL_NO_CONTEXT && i < scene_count; i++) {
      if (scenes[i].desktop != desktop)
         continue;
      if (first) {
         const struct scene_result shown = scene_take(&scenes[i], true);
         say(when, desktop ? "OpenGL's surface" : "surface", &shown);
         if (!eglSwapBuffers(display, surface))
            printf("no swap: 0x%x\n", eglGetError());
      }
      first = false;
      const struct scene_result result = scene_take(&scenes[i], false);
      say(when, scenes[i].name, &result);
   }
   eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
   if (surface != EGL_NO_SURFACE)
      eglDestroySurface(display, surface);
   if (context != EGL_NO_CONTEXT)
      eglDestroyContext(display, context);
}

static void
say_descriptors(void)
{
   unsigned count = 0;
   DIR *folder = opendir("/proc/self/fd");
   while (folder && readdir(folder))
      count++;
   if (folder)
      closedir(folder);
   printf("descriptors %u\n", count);
}

int
main(void)
{
   void (*end)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "fail_allocations_end");
   EGLDisplay display = open_display();
   if (display != EGL_NO_DISPLAY) {
      draw_scenes(display, false, "hurt");
      draw_scenes(display, true, "hurt");
   }
   if (end)
      end();
   if (display != EGL_NO_DISPLAY) {
      draw_scenes(display, false, "healthy");
      draw_scenes(display, true, "healthy");
      eglTerminate(display);
   }
   display = open_display();
   if (display != EGL_NO_DISPLAY) {
      draw_scenes(display, false, "reopened");
      eglTerminate(display);
   }
   eglReleaseThread();
   say_descriptors();
   return 0;
}
