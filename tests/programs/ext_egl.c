/* SPDX-License-Identifier: MIT
 *
 * EGL: configurations, fences, pbuffers and their contents, displays that are terminated.
 */
#include "extension_checks.h"

#include <stdlib.h>

/* The smallest configurations are there: RGB565, RGB888 and RGBA8888, with and without depth and
 * stencil; and not hundreds. */
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
         die("no configuration of red %d, alpha %d, depth %d, stencil %d", bits[n / 3][0],
             bits[n / 3][3], depths[n % 3][0], depths[n % 3][1]);
   }
}

/* Drawing into a pbuffer of each configuration: its depth and stencil buffers are there and
 * count. */
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
      EGLint depth = 0, red_bits = 0;
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
         expect_pixel(&target, pixels, 5, 5,
                      (const uint8_t[]){ depth ? 255 : 0, depth ? 0 : 255, 0, 255 }, 0, "behind");
         expect_pixel(&target, pixels, 60, 5, (const uint8_t[]){ 0, 255, 0, 255 }, 0, "beside");
         free(pixels);
      }
      eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
      eglDestroyContext(display, context);
      eglDestroySurface(display, surface);
   }
}

/* A pbuffer of the sRGB colour space holds encoded colours, cleared or drawn; one of the linear
 * space as they are; with one sample a pixel or four. */
static void
check_colour_spaces(EGLDisplay display)
{
   static const EGLint spaces[2] = { EGL_GL_COLORSPACE_LINEAR_KHR, EGL_GL_COLORSPACE_SRGB_KHR };
   static const EGLint attributes[] = { EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE };
   static const float grey[4] = { 0.5f, 0.5f, 0.5f, 0.5f };
   static const uint8_t held[2][4] = { { 128, 128, 128, 128 }, { 188, 188, 188, 128 } };
   const struct target target = { .width_px = 64, .height_px = 64 };
   need_egl(display, "EGL_KHR_gl_colorspace");
   for (int i = 0; i < 4; i++) {
      const EGLint wanted[] = { EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RED_SIZE, 8, EGL_ALPHA_SIZE, 8, EGL_SAMPLES, i / 2 * 4, EGL_NONE };
      const EGLint pbuffer[] = { EGL_WIDTH, 64, EGL_HEIGHT, 64, EGL_GL_COLORSPACE_KHR, spaces[i % 2], EGL_NONE };
      EGLConfig config;
      EGLint count = 0;
      if (!eglChooseConfig(display, wanted, &config, 1, &count) || !count)
         die("no configuration of RGBA8: 0x%x", eglGetError());
      EGLSurface surface = eglCreatePbufferSurface(display, config, pbuffer);
      EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, attributes);
      if (surface == EGL_NO_SURFACE || !eglMakeCurrent(display, surface, surface, context))
         die("a pbuffer of colour space 0x%x: 0x%x", spaces[i % 2], eglGetError());
      program_create(plain_vertex, plain_fragment);
      glClearColor(grey[0], grey[1], grey[2], grey[3]);
      glClear(GL_COLOR_BUFFER_BIT);
      draw_rectangle(-1, -1, 0, 1, 0, grey);
      uint8_t *pixels = target_read(&target);
      expect_pixel(&target, pixels, 5, 5, held[i % 2], 1, "drawn");
      expect_pixel(&target, pixels, 60, 5, held[i % 2], 1, "cleared");
      free(pixels);
      eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
      eglDestroyContext(display, context);
      eglDestroySurface(display, surface);
   }
}

/* Colours, depth and samples belong to the surface: what one context draws is in the way of what
 * another draws next. */
static void
check_two_contexts(EGLDisplay display)
{
   static const EGLint pbuffer[] = { EGL_WIDTH, 64, EGL_HEIGHT, 64, EGL_NONE };
   static const EGLint attributes[] = { EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE };
   static const float red[4] = { 1, 0, 0, 1 }, green[4] = { 0, 1, 0, 1 };
   const struct target target = { .width_px = 64, .height_px = 64 };
   for (int samples = 0; samples <= 4; samples += 4) {
      const EGLint wanted[] = {
         EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RED_SIZE, 8, EGL_DEPTH_SIZE, 16,
         EGL_SAMPLES,      samples,         EGL_NONE
      };
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
         /* the second is behind */
         draw_rectangle(-1, -1, i ? 1 : 0, 1, i ? 0.5f : 0, i ? green : red);
      }
      uint8_t *pixels = target_read(&target);
      expect_pixel(&target, pixels, 5, 5, (const uint8_t[]){ 255, 0, 0, 255 }, 0,
                   "of the first context");
      expect_pixel(&target, pixels, 60, 5, (const uint8_t[]){ 0, 255, 0, 255 }, 0,
                   "of the second context");
      free(pixels);
      eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
      for (int i = 0; i < 2; i++)
         eglDestroyContext(display, contexts[i]);
      eglDestroySurface(display, surface);
   }
}

/* A fence is not reached before it is flushed and reached after; another context may wait for
 * it. */
static void
check_fences(EGLDisplay display)
{
   static const float white[4] = { 1, 1, 1, 1 };
   PFNEGLCREATESYNCKHRPROC create = (PFNEGLCREATESYNCKHRPROC)eglGetProcAddress("eglCreateSyncKHR");
   PFNEGLCLIENTWAITSYNCKHRPROC wait =
      (PFNEGLCLIENTWAITSYNCKHRPROC)eglGetProcAddress("eglClientWaitSyncKHR");
   PFNEGLWAITSYNCKHRPROC server_wait = (PFNEGLWAITSYNCKHRPROC)eglGetProcAddress("eglWaitSyncKHR");
   PFNEGLDESTROYSYNCKHRPROC destroy =
      (PFNEGLDESTROYSYNCKHRPROC)eglGetProcAddress("eglDestroySyncKHR");
   PFNEGLGETSYNCATTRIBKHRPROC get =
      (PFNEGLGETSYNCATTRIBKHRPROC)eglGetProcAddress("eglGetSyncAttribKHR");
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
      if (wait(display, sync, EGL_SYNC_FLUSH_COMMANDS_BIT_KHR, EGL_FOREVER_KHR) !=
          EGL_CONDITION_SATISFIED_KHR)
         die("a fence is never reached");
      if (!get(display, sync, EGL_SYNC_STATUS_KHR, &status) || status != EGL_SIGNALED_KHR)
         die("a fence that was waited for has the status 0x%x", status);
      destroy(display, sync);
   }
}

/* A fence ends no frame: nothing is copied to where the picture of an X11 surface would be
 * shown. */
static void
check_fence_copies(EGLDisplay display)
{
   static const float white[4] = { 1, 1, 1, 1 };
   PFNEGLCREATESYNCKHRPROC create = (PFNEGLCREATESYNCKHRPROC)eglGetProcAddress("eglCreateSyncKHR");
   PFNEGLCLIENTWAITSYNCKHRPROC wait =
      (PFNEGLCLIENTWAITSYNCKHRPROC)eglGetProcAddress("eglClientWaitSyncKHR");
   struct counter copies;
   display = eglGetPlatformDisplay(EGL_PLATFORM_X11_KHR, EGL_DEFAULT_DISPLAY, NULL);
   if (!eglInitialize(display, NULL, NULL))
      die("there is no X server to make a surface on");
   context_create(display, EGL_NO_CONTEXT);
   target_create_pbuffer(display, 64, 64);
   program_create(plain_vertex, plain_fragment);
   counter_begin(&copies, "clipfree-copies");
   for (int i = 0; i < 3; i++) {
      draw_rectangle(-1, -1, 1, 1, 0, white);
      EGLSyncKHR sync = create(display, EGL_SYNC_FENCE_KHR, NULL);
      if (wait(display, sync, EGL_SYNC_FLUSH_COMMANDS_BIT_KHR, EGL_FOREVER_KHR) !=
          EGL_CONDITION_SATISFIED_KHR)
         die("a fence is never reached");
      ((PFNEGLDESTROYSYNCKHRPROC)eglGetProcAddress("eglDestroySyncKHR"))(display, sync);
   }
   const uint64_t count = counter_end(&copies);
   if (count)
      die("three fences copy the picture %d times", (int)count);
}

/* ------------------------------------------------------------------------------------- pbuffers */

static EGLConfig
config_of(EGLDisplay display, EGLint samples)
{
   const EGLint wanted[] = {
      EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_BIND_TO_TEXTURE_RGBA, EGL_TRUE,
      EGL_DEPTH_SIZE, 24, EGL_SAMPLES, samples, EGL_NONE
   };
   EGLConfig config;
   EGLint count;
   if (!eglChooseConfig(display, wanted, &config, 1, &count) || count != 1)
      die("no configuration with %d samples whose pbuffers are textures", samples);
   return config;
}

/* What is drawn into a pbuffer is the texture it is bound to, again and again, and still in the
 * pbuffer. */
static void
check_bind_tex_image(EGLDisplay display)
{
   enum { SIZE_PX = 64 };
   static const float white[4] = { 1, 1, 1, 1 },
                      colours[2][4] = { { 1, 0, 0, 1 }, { 0, 1, 0.2f, 0.4f } };
   static const uint8_t bytes[2][4] = { { 255, 0, 0, 255 }, { 0, 255, 51, 102 } };
   static const EGLint pbuffer[] = {
      EGL_WIDTH,          SIZE_PX,          EGL_HEIGHT, SIZE_PX, EGL_TEXTURE_TARGET, EGL_TEXTURE_2D,
      EGL_TEXTURE_FORMAT, EGL_TEXTURE_RGBA, EGL_NONE
   };
   for (EGLint samples = 0; samples <= 4; samples += 4) {
      const EGLConfig config = config_of(display, samples);
      const EGLContext drawing = context_of(display, config), showing = context_of(display, config);
      const EGLSurface surface = eglCreatePbufferSurface(display, config, pbuffer);
      if (surface == EGL_NO_SURFACE)
         die("a pbuffer for a texture cannot be made: 0x%x", eglGetError());
      make_current(display, surface, drawing);
      program_create(plain_vertex, plain_fragment);
      make_current(display, EGL_NO_SURFACE, showing);
      const struct target drawn = { .width_px = SIZE_PX, .height_px = SIZE_PX },
                          shown = target_create(SIZE_PX, SIZE_PX);
      program_create("attribute vec4 position, colour; varying highp vec2 v;\n"
                     "void main() { gl_Position = position; v = position.xy * 0.5 + 0.5 + 0.0 * colour.xy; }\n",
                     "uniform sampler2D s; varying highp vec2 v; void main() { gl_FragColor = texture2D(s, v); }\n");
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
      for (int turn = 0; turn < 4; turn++) {
         make_current(display, surface, drawing);
         glViewport(0, 0, SIZE_PX, SIZE_PX);
         draw_rectangle(-1, -1, 1, 1, 0, colours[turn % 2]);
         draw_rectangle(0, -1, 1, 0, 0, white);
         make_current(display, EGL_NO_SURFACE, showing);
         if (!eglBindTexImage(display, surface, EGL_BACK_BUFFER))
            die("eglBindTexImage fails: 0x%x", eglGetError());
         draw_rectangle(-1, -1, 1, 1, 0, white);
         if (!eglReleaseTexImage(display, surface, EGL_BACK_BUFFER))
            die("eglReleaseTexImage fails: 0x%x", eglGetError());
         uint8_t *pixels = target_read(&shown);
         expect_pixel(&shown, pixels, 20, 10, bytes[turn % 2], 0, "left, as a texture");
         expect_pixel(&shown, pixels, 50, 50, bytes[turn % 2], 0, "above, as a texture");
         expect_pixel(&shown, pixels, 50, 10, (const uint8_t[]){ 255, 255, 255, 255 }, 0,
                      "right below, as a texture");
         free(pixels);
         make_current(display, surface, drawing);
         pixels = target_read(&drawn);
         expect_pixel(&drawn, pixels, 20, 10, bytes[turn % 2], 0, "left, in the pbuffer");
         free(pixels);
      }
   }
}

/* -------------------------------------------------------------------------- terminated displays */

static void
expect_error(EGLint wanted, const char *what)
{
   const EGLint error = eglGetError();
   if (error != wanted)
      die("%s: the error is 0x%x, not 0x%x", what, error, wanted);
}

/* A display that is terminated refuses all but to be initialised again; what is current still draws
 * and can be let go. */
static void
check_terminate(EGLDisplay display)
{
   static const EGLint pbuffer[] = { EGL_WIDTH, 64, EGL_HEIGHT, 64, EGL_NONE };
   static const float green[4] = { 0, 1, 0, 1 };
   const struct target target = { .width_px = 64, .height_px = 64 };
   for (int i = 0; i < 10; i++) {
      const EGLConfig config = config_of(display, i % 2 * 4);
      const EGLContext context = context_of(display, config), other = context_of(display, config);
      const EGLSurface surface = eglCreatePbufferSurface(display, config, pbuffer);
      make_current(display, surface, context);
      program_create(plain_vertex, plain_fragment);
      if (!eglTerminate(display))
         die("eglTerminate fails: 0x%x", eglGetError());
      draw_rectangle(-1, -1, 1, 1, 0, green);
      uint8_t *pixels = target_read(&target);
      expect_pixel(&target, pixels, 5, 5, (const uint8_t[]){ 0, 255, 0, 255 }, 0,
                   "on a terminated display");
      free(pixels);
      if (eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, other) ||
          eglGetError() == EGL_SUCCESS)
         die("a context of a terminated display is made current");
      if (eglCreateContext(display, config, EGL_NO_CONTEXT, NULL) != EGL_NO_CONTEXT)
         die("a terminated display makes contexts");
      expect_error(EGL_NOT_INITIALIZED, "eglCreateContext on a terminated display");
      if (eglQueryString(display, EGL_VENDOR))
         die("a terminated display has a vendor");
      expect_error(EGL_NOT_INITIALIZED, "eglQueryString on a terminated display");
      if (i % 3 == 0 && !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT))
         die("what is current cannot be let go: 0x%x", eglGetError());
      if (!eglInitialize(display, NULL, NULL))
         die("a terminated display cannot be initialised again: 0x%x", eglGetError());
      if (i % 3 == 1)
         eglReleaseThread();
      if (eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, other))
         die("a context of before eglTerminate is made current");
      expect_error(EGL_BAD_CONTEXT, "a context of before eglTerminate");
   }
}

/* Contexts and surfaces are gone when they are no more current, and a name of something else is
 * refused, not followed. */
static void
check_destroyed(EGLDisplay display)
{
   static const EGLint pbuffer[] = { EGL_WIDTH, 64, EGL_HEIGHT, 64, EGL_NONE };
   static const float green[4] = { 0, 1, 0, 1 };
   const struct target target = { .width_px = 64, .height_px = 64 };
   const EGLConfig config = config_of(display, 0);
   const EGLContext context = context_of(display, config);
   const EGLSurface surface = eglCreatePbufferSurface(display, config, pbuffer);
   EGLint value;
   make_current(display, surface, context);
   program_create(plain_vertex, plain_fragment);
   eglDestroyContext(display, context);
   eglDestroySurface(display, surface);
   draw_rectangle(-1, -1, 1, 1, 0, green);
   uint8_t *pixels = target_read(&target);
   expect_pixel(&target, pixels, 5, 5, (const uint8_t[]){ 0, 255, 0, 255 }, 0,
                "after eglDestroyContext");
   free(pixels);
   if (eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, (EGLContext)surface) ||
       eglGetError() != EGL_BAD_CONTEXT)
      die("a surface is taken for a context");
   if (eglQuerySurface(display, (EGLSurface)&value, EGL_WIDTH, &value) ||
       eglGetError() != EGL_BAD_SURFACE)
      die("any address is taken for a surface");
   make_current(display, EGL_NO_SURFACE, EGL_NO_CONTEXT);
   if (eglMakeCurrent(display, surface, surface, context) || eglGetError() == EGL_SUCCESS)
      die("a destroyed context is made current");
}

const struct check egl_checks[] = {
   { "configs", check_configs },
   { "config-pictures", check_config_pictures },
   { "colour-spaces", check_colour_spaces },
   { "surface-of-two-contexts", check_two_contexts },
   { "fences", check_fences },
   { "fence-copies", check_fence_copies },
   { "bind-tex-image", check_bind_tex_image },
   { "terminate", check_terminate },
   { "destroyed", check_destroyed },
   { NULL, NULL },
};
