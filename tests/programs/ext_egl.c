/* SPDX-License-Identifier: MIT
 *
 * EGL: configurations, fences, surfaceless contexts.
 */
#include "extension_checks.h"

#include <stdlib.h>

/* The smallest configurations are there: RGB565, RGB888 and RGBA8888, with and without depth and stencil; and not
 * hundreds. */
static void
check_configs(EGLDisplay display)
{
   static const EGLint bits[3][4] = { { 5, 6, 5, 0 }, { 8, 8, 8, 0 }, { 8, 8, 8, 8 } };
   static const EGLint depths[3][2] = { { 0, 0 }, { 16, 0 }, { 24, 8 } };
   EGLConfig configs[200];
   EGLint count = 0;
   eglGetConfigs(display, configs, 200, &count);
   if (count < 9 || count > 60)
      die("%d configurations", count);
   for (int n = 0; n < 9; n++) {
      bool found = false;
      for (int i = 0; i < count && !found; i++) {
         const EGLint names[6] = { EGL_RED_SIZE,   EGL_GREEN_SIZE, EGL_BLUE_SIZE,
                                   EGL_ALPHA_SIZE, EGL_DEPTH_SIZE, EGL_STENCIL_SIZE };
         const EGLint want[6] = { bits[n / 3][0], bits[n / 3][1],   bits[n / 3][2],
                                  bits[n / 3][3], depths[n % 3][0], depths[n % 3][1] };
         found = true;
         for (int k = 0; k < 6; k++) {
            EGLint have = -1;
            eglGetConfigAttrib(display, configs[i], names[k], &have);
            found = found && have == want[k];
         }
      }
      if (!found)
         die("no configuration of red %d, alpha %d, depth %d, stencil %d", bits[n / 3][0], bits[n / 3][3],
             depths[n % 3][0], depths[n % 3][1]);
   }
}

/* Drawing into a pbuffer of each configuration: its depth and stencil buffers are there and count. */
static void
check_config_pictures(EGLDisplay display)
{
   static const EGLint pbuffer[] = { EGL_WIDTH, 64, EGL_HEIGHT, 64, EGL_NONE };
   static const EGLint attributes[] = { EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE };
   static const float red[4] = { 1, 0, 0, 1 }, green[4] = { 0, 1, 0, 1 };
   const struct target target = { .width_px = 64, .height_px = 64 };
   EGLConfig configs[200];
   EGLint count = 0;
   eglGetConfigs(display, configs, 200, &count);
   for (int i = 0; i < count; i++) {
      EGLint depth = 0, red_bits = 0, samples = 0;
      eglGetConfigAttrib(display, configs[i], EGL_SAMPLES, &samples);
      if (samples) /* multisampling is a subject of its own */
         continue;
      eglGetConfigAttrib(display, configs[i], EGL_DEPTH_SIZE, &depth);
      eglGetConfigAttrib(display, configs[i], EGL_RED_SIZE, &red_bits);
      EGLSurface surface = eglCreatePbufferSurface(display, configs[i], pbuffer);
      EGLContext context = eglCreateContext(display, configs[i], EGL_NO_CONTEXT, attributes);
      if (surface == EGL_NO_SURFACE || !eglMakeCurrent(display, surface, surface, context))
         die("configuration %d: 0x%x", i, eglGetError());
      program_create(plain_vertex, plain_fragment);
      glEnable(GL_DEPTH_TEST);
      glViewport(0, 0, 64, 64);
      glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
      draw_rectangle(-1, -1, 0, 1, -0.5f, red);
      draw_rectangle(-1, -1, 1, 1, 0.5f, green);
      if (red_bits <= 8) {
         uint8_t *pixels = target_read(&target);
         expect_pixel(&target, pixels, 5, 5, (const uint8_t[]){ depth ? 255 : 0, depth ? 0 : 255, 0, 255 }, 0, "behind");
         expect_pixel(&target, pixels, 60, 5, (const uint8_t[]){ 0, 255, 0, 255 }, 0, "beside");
         free(pixels);
      }
      eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
      eglDestroyContext(display, context);
      eglDestroySurface(display, surface);
   }
}

/* A pbuffer of the sRGB colour space holds encoded colours, cleared or drawn; one of the linear space as they are. */
static void
check_colour_spaces(EGLDisplay display)
{
   static const EGLint wanted[] = { EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RED_SIZE, 8, EGL_ALPHA_SIZE, 8, EGL_NONE };
   static const EGLint spaces[2] = { EGL_GL_COLORSPACE_LINEAR_KHR, EGL_GL_COLORSPACE_SRGB_KHR };
   static const EGLint attributes[] = { EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE };
   static const float grey[4] = { 0.5f, 0.5f, 0.5f, 0.5f };
   static const uint8_t held[2][4] = { { 128, 128, 128, 128 }, { 188, 188, 188, 128 } };
   const struct target target = { .width_px = 64, .height_px = 64 };
   EGLConfig config;
   EGLint count = 0;
   need_egl(display, "EGL_KHR_gl_colorspace");
   if (!eglChooseConfig(display, wanted, &config, 1, &count) || !count)
      die("no configuration of RGBA8: 0x%x", eglGetError());
   for (int i = 0; i < 2; i++) {
      const EGLint pbuffer[] = { EGL_WIDTH, 64, EGL_HEIGHT, 64, EGL_GL_COLORSPACE_KHR, spaces[i], EGL_NONE };
      EGLSurface surface = eglCreatePbufferSurface(display, config, pbuffer);
      EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, attributes);
      if (surface == EGL_NO_SURFACE || !eglMakeCurrent(display, surface, surface, context))
         die("a pbuffer of colour space 0x%x: 0x%x", spaces[i], eglGetError());
      program_create(plain_vertex, plain_fragment);
      glClearColor(grey[0], grey[1], grey[2], grey[3]);
      glClear(GL_COLOR_BUFFER_BIT);
      draw_rectangle(-1, -1, 0, 1, 0, grey);
      uint8_t *pixels = target_read(&target);
      expect_pixel(&target, pixels, 5, 5, held[i], 1, "drawn");
      expect_pixel(&target, pixels, 60, 5, held[i], 1, "cleared");
      free(pixels);
      eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
      eglDestroyContext(display, context);
      eglDestroySurface(display, surface);
   }
}

/* Colours, depth and samples belong to the surface: what one context draws is in the way of what another draws next. */
static void
check_two_contexts(EGLDisplay display)
{
   static const EGLint pbuffer[] = { EGL_WIDTH, 64, EGL_HEIGHT, 64, EGL_NONE };
   static const EGLint attributes[] = { EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE };
   static const float red[4] = { 1, 0, 0, 1 }, green[4] = { 0, 1, 0, 1 };
   const struct target target = { .width_px = 64, .height_px = 64 };
   for (int samples = 0; samples <= 4; samples += 4) {
      const EGLint wanted[] = { EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RED_SIZE, 8,       EGL_DEPTH_SIZE,
                                16,               EGL_SAMPLES,     samples,      EGL_NONE };
      EGLConfig config;
      EGLContext contexts[2];
      EGLint count = 0;
      if (!eglChooseConfig(display, wanted, &config, 1, &count) || !count)
         die("no configuration of %d samples with depth: 0x%x", samples, eglGetError());
      EGLSurface surface = eglCreatePbufferSurface(display, config, pbuffer);
      for (int i = 0; i < 2; i++) {
         contexts[i] = eglCreateContext(display, config, EGL_NO_CONTEXT, attributes);
         if (!eglMakeCurrent(display, surface, surface, contexts[i]))
            die("a context of %d samples: 0x%x", samples, eglGetError());
         program_create(plain_vertex, plain_fragment);
         glEnable(GL_DEPTH_TEST);
         if (i == 0)
            glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
         draw_rectangle(-1, -1, i ? 1 : 0, 1, i ? 0.5f : 0, i ? green : red); /* the second is behind */
      }
      uint8_t *pixels = target_read(&target);
      expect_pixel(&target, pixels, 5, 5, (const uint8_t[]){ 255, 0, 0, 255 }, 0, "of the first context");
      expect_pixel(&target, pixels, 60, 5, (const uint8_t[]){ 0, 255, 0, 255 }, 0, "of the second context");
      free(pixels);
      eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
      for (int i = 0; i < 2; i++)
         eglDestroyContext(display, contexts[i]);
      eglDestroySurface(display, surface);
   }
}

/* A fence is not reached before it is flushed and reached after; another context may wait for it. */
static void
check_fences(EGLDisplay display)
{
   static const float white[4] = { 1, 1, 1, 1 };
   PFNEGLCREATESYNCKHRPROC create = (PFNEGLCREATESYNCKHRPROC)eglGetProcAddress("eglCreateSyncKHR");
   PFNEGLCLIENTWAITSYNCKHRPROC wait = (PFNEGLCLIENTWAITSYNCKHRPROC)eglGetProcAddress("eglClientWaitSyncKHR");
   PFNEGLWAITSYNCKHRPROC server_wait = (PFNEGLWAITSYNCKHRPROC)eglGetProcAddress("eglWaitSyncKHR");
   PFNEGLDESTROYSYNCKHRPROC destroy = (PFNEGLDESTROYSYNCKHRPROC)eglGetProcAddress("eglDestroySyncKHR");
   PFNEGLGETSYNCATTRIBKHRPROC get = (PFNEGLGETSYNCATTRIBKHRPROC)eglGetProcAddress("eglGetSyncAttribKHR");
   need_egl(display, "EGL_KHR_fence_sync");
   need_egl(display, "EGL_KHR_wait_sync");
   EGLContext first = context_create(display, EGL_NO_CONTEXT);
   target_create(256, 256);
   program_create(plain_vertex, plain_fragment);
   EGLContext second = context_create(display, first);
   for (int i = 0; i < 20; i++) {
      EGLint status = 0;
      eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, first);
      draw_rectangle(-1, -1, 1, 1, 0, white);
      EGLSyncKHR sync = create(display, EGL_SYNC_FENCE_KHR, NULL);
      if (sync == EGL_NO_SYNC_KHR)
         die("eglCreateSyncKHR fails: 0x%x", eglGetError());
      if (i % 2) {
         glFlush();
         eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, second);
         if (!server_wait(display, sync, 0))
            die("eglWaitSyncKHR fails: 0x%x", eglGetError());
      }
      if (wait(display, sync, EGL_SYNC_FLUSH_COMMANDS_BIT_KHR, EGL_FOREVER_KHR) != EGL_CONDITION_SATISFIED_KHR)
         die("a fence is never reached");
      if (!get(display, sync, EGL_SYNC_STATUS_KHR, &status) || status != EGL_SIGNALED_KHR)
         die("a fence that was waited for has the status 0x%x", status);
      destroy(display, sync);
   }
}

const struct check egl_checks[] = {
   { "configs", check_configs },
   { "config-pictures", check_config_pictures },
   { "colour-spaces", check_colour_spaces },
   { "surface-of-two-contexts", check_two_contexts },
   { "fences", check_fences },
   { NULL, NULL },
};
