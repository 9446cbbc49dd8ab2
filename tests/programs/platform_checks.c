/* SPDX-License-Identifier: MIT
 *
 * Checks of the places a picture can go to: pbuffers, images shared between contexts, windows that
 * change their size, pixmaps, buffers of a KMS device. `platform_checks NAME` runs one, prints the
 * reason if it fails; `--list` lists them.
 *
 * The KMS device is one that this program plays (dumb_kms.h): all of the driver's path runs without
 * a display controller.
 */
#include "dumb_kms.h"
#include "gles2_context.h"
#include "peer.h"

#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <fcntl.h>
#include <gbm.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------------- windows and pictures */

/* Opaque colours of the four quarters of a picture: bottom left, bottom right, top left, top
 * right. */
static const uint8_t quarters[4][4] = {
   { 255, 0, 0, 255 }, { 0, 255, 0, 255 }, { 0, 0, 255, 255 }, { 255, 255, 0, 255 }
};

/* Fills the quarters of the bound framebuffer; `turn` moves the colours on. */
static void
draw_quarters(int width_px, int height_px, int turn)
{
   glEnable(GL_SCISSOR_TEST);
   for (int i = 0; i < 4; i++) {
      const uint8_t *c = quarters[(i + turn) % 4];
      const int x0 = i % 2 * (width_px / 2), y0 = i / 2 * (height_px / 2);
      glScissor(x0, y0, i % 2 ? width_px - x0 : width_px / 2,
                i / 2 ? height_px - y0 : height_px / 2);
      glClearColor(c[0] / 255.0f, c[1] / 255.0f, c[2] / 255.0f, 1);
      glClear(GL_COLOR_BUFFER_BIT);
   }
   glDisable(GL_SCISSOR_TEST);
   no_error("drawing quarters");
}

/* The colour that draw_quarters gives a pixel; y counts from the bottom. */
static const uint8_t *
quarter_colour(int width_px, int height_px, int x, int y, int turn)
{
   return quarters[((x >= width_px / 2) + 2 * (y >= height_px / 2) + turn) % 4];
}

static void
expect_quarters_read(int width_px, int height_px, int turn, const char *what)
{
   const struct target picture = { .width_px = width_px, .height_px = height_px };
   uint8_t *pixels = target_read(&picture);
   for (int i = 0; i < width_px * height_px; i++) {
      const int x = i % width_px, y = i / width_px;
      expect_pixel(&picture, pixels, x, y, quarter_colour(width_px, height_px, x, y, turn), 0,
                   what);
   }
   free(pixels);
}

/* A configuration with the attribute's value, for OpenGL ES 2.0. */
static EGLConfig
config_with(EGLDisplay display, EGLint surface_type, EGLint attribute, EGLint value)
{
   const EGLint wanted[] = { EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_SURFACE_TYPE,
                             surface_type, EGL_NONE };
   EGLConfig configs[200];
   EGLint count = 0, have;
   eglChooseConfig(display, wanted, configs, 200, &count);
   for (int i = 0; i < count; i++) {
      if (eglGetConfigAttrib(display, configs[i], attribute, &have) && have == value)
         return configs[i];
   }
   die("none of %d configurations has 0x%x for the attribute 0x%x", count, value, attribute);
}

/* ------------------------------------------------------------------------------------- pbuffers */

/* Two pbuffers of odd sizes keep their pictures while a context changes between them. */
static void
check_pbuffers(void)
{
   static const int sizes_px[2][2] = { { 61, 47 }, { 1, 130 } };
   EGLDisplay display = display_open();
   EGLConfig config = config_with(display, EGL_PBUFFER_BIT, EGL_ALPHA_SIZE, 8);
   EGLContext context = context_of(display, config);
   EGLSurface surfaces[2];
   for (int i = 0; i < 2; i++) {
      const EGLint attributes[] = { EGL_WIDTH, sizes_px[i][0], EGL_HEIGHT, sizes_px[i][1],
                                    EGL_NONE };
      surfaces[i] = eglCreatePbufferSurface(display, config, attributes);
      if (surfaces[i] == EGL_NO_SURFACE)
         die("eglCreatePbufferSurface fails: 0x%x", eglGetError());
      make_current(display, surfaces[i], context);
      draw_quarters(sizes_px[i][0], sizes_px[i][1], i);
   }
   for (int i = 0; i < 2; i++) {
      make_current(display, surfaces[i], context);
      expect_quarters_read(sizes_px[i][0], sizes_px[i][1], i, "pbuffer");
   }
   make_current(display, EGL_NO_SURFACE, EGL_NO_CONTEXT);
   for (int i = 0; i < 2; i++)
      eglDestroySurface(display, surfaces[i]);
   eglDestroyContext(display, context);
   eglTerminate(display);
}

/* --------------------------------------------------------------------------------------- images */

/* A texture, made an EGL image in one context, is the texture of another context that shares
 * nothing with it: it shows what the first draws later, and lives on when the first context and the
 * image are gone. */
static void
check_image_between_contexts(void)
{
   enum { SIZE_PX = 40 };
   PFNEGLCREATEIMAGEKHRPROC create =
      (PFNEGLCREATEIMAGEKHRPROC)eglGetProcAddress("eglCreateImageKHR");
   PFNEGLDESTROYIMAGEKHRPROC destroy =
      (PFNEGLDESTROYIMAGEKHRPROC)eglGetProcAddress("eglDestroyImageKHR");
   PFNGLEGLIMAGETARGETTEXTURE2DOESPROC target_texture =
      (PFNGLEGLIMAGETARGETTEXTURE2DOESPROC)eglGetProcAddress("glEGLImageTargetTexture2DOES");
   EGLDisplay display = display_open();
   GLuint textures[2], framebuffers[2];

   EGLContext first = context_create(display, EGL_NO_CONTEXT);
   glGenTextures(1, &textures[0]);
   glBindTexture(GL_TEXTURE_2D, textures[0]);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIZE_PX, SIZE_PX, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   glGenFramebuffers(1, &framebuffers[0]);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[0]);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, textures[0], 0);
   EGLImageKHR image =
      create(display, first, EGL_GL_TEXTURE_2D_KHR, (EGLClientBuffer)(uintptr_t)textures[0], NULL);
   if (image == EGL_NO_IMAGE_KHR)
      die("eglCreateImageKHR of a texture fails: 0x%x", eglGetError());

   EGLContext second = context_create(display, EGL_NO_CONTEXT);
   glGenTextures(1, &textures[1]);
   glBindTexture(GL_TEXTURE_2D, textures[1]);
   target_texture(GL_TEXTURE_2D, image);
   glGenFramebuffers(1, &framebuffers[1]);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[1]);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, textures[1], 0);
   no_error("taking an image as a texture");

   for (int turn = 0; turn < 3; turn++) {
      make_current(display, EGL_NO_SURFACE, first);
      draw_quarters(SIZE_PX, SIZE_PX, turn);
      glFinish();
      make_current(display, EGL_NO_SURFACE, second);
      expect_quarters_read(SIZE_PX, SIZE_PX, turn, "image");
   }
   destroy(display, image);
   eglDestroyContext(display, first);
   expect_quarters_read(SIZE_PX, SIZE_PX, 2, "image whose maker is gone");
   make_current(display, EGL_NO_SURFACE, EGL_NO_CONTEXT);
   eglDestroyContext(display, second);
   eglTerminate(display);
}

/* -------------------------------------------------------------------------------------- windows */

/* What the X server shows in the window is the picture, top row first. */
static void
expect_quarters_shown(Display *x11, Window window, int width_px, int height_px, int turn)
{
   XImage *shown = XGetImage(x11, window, 0, 0, width_px, height_px, AllPlanes, ZPixmap);
   if (!shown)
      die("the window's %d x %d pixels cannot be read", width_px, height_px);
   for (int i = 0; i < width_px * height_px; i++) {
      const int x = i % width_px, y = i / width_px;
      const uint8_t *c = quarter_colour(width_px, height_px, x, height_px - 1 - y, turn);
      const unsigned long have = XGetPixel(shown, x, y) & 0xffffff,
                          want = c[0] << 16 | c[1] << 8 | c[2];
      if (have != want)
         die("window of %d x %d: pixel (%d, %d) shows %06lx, not %06lx", width_px, height_px, x, y,
             have, want);
   }
   XDestroyImage(shown);
}

/* A window of X11 with a context that is current. */
struct window {
   Display *x11;
   Window id;
   EGLDisplay display;
   EGLSurface surface;
   EGLContext context;
};

static struct window
window_open(int width_px, int height_px)
{
   struct window w = { .x11 = XOpenDisplay(NULL) };
   if (!w.x11) {
      printf("no X display\n");
      exit(EXIT_SKIP);
   }
   w.display = eglGetPlatformDisplay(EGL_PLATFORM_X11_KHR, w.x11, NULL);
   if (!eglInitialize(w.display, NULL, NULL))
      die("eglInitialize fails on X11: 0x%x", eglGetError());
   const EGLint visual = XVisualIDFromVisual(DefaultVisual(w.x11, DefaultScreen(w.x11)));
   EGLConfig config = config_with(w.display, EGL_WINDOW_BIT, EGL_NATIVE_VISUAL_ID, visual);
   w.context = context_of(w.display, config);
   w.id = XCreateWindow(w.x11, DefaultRootWindow(w.x11), 0, 0, width_px, height_px, 0,
                        CopyFromParent, InputOutput, CopyFromParent, CWOverrideRedirect,
                        &(XSetWindowAttributes){ .override_redirect = True });
   XMapRaised(w.x11, w.id);
   XSync(w.x11, False);
   w.surface = eglCreatePlatformWindowSurface(w.display, config, &w.id, NULL);
   if (w.surface == EGL_NO_SURFACE)
      die("eglCreatePlatformWindowSurface fails: 0x%x", eglGetError());
   make_current(w.display, w.surface, w.context);
   return w;
}

static void
window_close(struct window *w)
{
   make_current(w->display, EGL_NO_SURFACE, EGL_NO_CONTEXT);
   eglDestroySurface(w->display, w->surface);
   eglDestroyContext(w->display, w->context);
   eglTerminate(w->display);
   XDestroyWindow(w->x11, w->id);
   XCloseDisplay(w->x11);
}

/* A window drawn at several sizes, also after it was made smaller, larger and odd. */
static void
check_window_resize(void)
{
   static const int sizes_px[][2] = { { 100, 80 }, { 300, 200 }, { 37, 211 },
                                      { 1, 1 },    { 512, 3 },   { 100, 80 } };
   struct window w = window_open(sizes_px[0][0], sizes_px[0][1]);
   for (size_t i = 0; i < sizeof(sizes_px) / sizeof(sizes_px[0]); i++) {
      const int *size_px = sizes_px[i];
      XResizeWindow(w.x11, w.id, size_px[0], size_px[1]);
      XSync(w.x11, False);
      /* The first picture may still have the old size: GL learns of the new one when it gets a new
       * back buffer. */
      for (int k = 0; k < 2; k++) {
         draw_quarters(size_px[0], size_px[1], i);
         eglSwapBuffers(w.display, w.surface);
      }
      eglWaitGL();
      XSync(w.x11, False);
      EGLint width_px = 0, height_px = 0;
      eglQuerySurface(w.display, w.surface, EGL_WIDTH, &width_px);
      eglQuerySurface(w.display, w.surface, EGL_HEIGHT, &height_px);
      if (width_px != size_px[0] || height_px != size_px[1])
         die("EGL says %d x %d of a window of %d x %d", width_px, height_px, size_px[0],
             size_px[1]);
      expect_quarters_shown(w.x11, w.id, size_px[0], size_px[1], i);
   }
   window_close(&w);
}

/* The bound frame buffer shows quarters of another size, where both sizes have pixels: from the
 * upper left corner on. */
static void
expect_quarters_kept(const int from_px[2], const int to_px[2], int turn, const char *what)
{
   const struct target picture = { .width_px = to_px[0], .height_px = to_px[1] };
   uint8_t *pixels = target_read(&picture);
   for (int row = 0; row < from_px[1] && row < to_px[1]; row++)
      for (int x = 0; x < from_px[0] && x < to_px[0]; x++)
         expect_pixel(&picture, pixels, x, to_px[1] - 1 - row,
                      quarter_colour(from_px[0], from_px[1], x, from_px[1] - 1 - row, turn), 0,
                      what);
   free(pixels);
}

/* Of a back buffer that swaps keep, what fits stays when the window gets another size; and the
 * first to see the new size may be a read or a copy: EGL 1.5, section 3.10.1.1. */
static void
check_window_resize_keeps(void)
{
   static const int sizes_px[][2] = {
      { 128, 128 }, { 33, 35 }, { 140, 30 }, { 32, 128 }, { 133, 131 }
   };
   enum { SIZES = sizeof(sizes_px) / sizeof(sizes_px[0]) };
   struct window w = window_open(sizes_px[0][0], sizes_px[0][1]);
   if (!eglSurfaceAttrib(w.display, w.surface, EGL_SWAP_BEHAVIOR, EGL_BUFFER_PRESERVED))
      die("swaps do not keep the back buffer: 0x%x", eglGetError());
   for (int i = 0; i < 4 * SIZES; i++) {
      const int *from_px = sizes_px[i % SIZES], *to_px = sizes_px[(i + 1) % SIZES];
      draw_quarters(from_px[0], from_px[1], i);
      if (i / SIZES % 2)
         eglSwapBuffers(w.display, w.surface);
      XResizeWindow(w.x11, w.id, (unsigned)to_px[0], (unsigned)to_px[1]);
      XSync(w.x11, False);
      eglSwapBuffers(w.display, w.surface);
      if (i / SIZES < 2) {
         GLuint texture, framebuffer;
         glGenTextures(1, &texture);
         glBindTexture(GL_TEXTURE_2D, texture);
         glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGB, 0, 0, to_px[0], to_px[1], 0);
         glGenFramebuffers(1, &framebuffer);
         glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
         glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
         expect_quarters_kept(from_px, to_px, i, "a copy of a resized window");
         glDeleteFramebuffers(1, &framebuffer);
         glDeleteTextures(1, &texture);
      }
      expect_quarters_kept(from_px, to_px, i, "a resized window");
   }
   window_close(&w);
}

/* A window whose size changes before each of many frames, without waiting; at rest, it shows what
 * is drawn. */
static void
check_window_resize_storm(void)
{
   uint64_t seed = 9;
   struct window w = window_open(64, 64);
   for (int i = 0; i < 300; i++) {
      XResizeWindow(w.x11, w.id, 1 + random_below(&seed, 700), 1 + random_below(&seed, 500));
      XFlush(w.x11);
      draw_quarters(64, 64, i);
      eglSwapBuffers(w.display, w.surface);
   }
   XResizeWindow(w.x11, w.id, 90, 70);
   XSync(w.x11, False);
   for (int k = 0; k < 2; k++) {
      draw_quarters(90, 70, 1);
      eglSwapBuffers(w.display, w.surface);
   }
   eglWaitGL();
   XSync(w.x11, False);
   expect_quarters_shown(w.x11, w.id, 90, 70, 1);
   window_close(&w);
}

/* The rate at which frames are shown is a number (ANGLE_sync_control_rate); a server without RandR
 * does not say, which is one a second. */
static void
check_window_msc_rate(void)
{
   PFNEGLGETMSCRATEANGLEPROC get_rate =
      (PFNEGLGETMSCRATEANGLEPROC)eglGetProcAddress("eglGetMscRateANGLE");
   int opcode, event, error;
   struct window w = window_open(64, 64);
   const bool has_randr = XQueryExtension(w.x11, "RANDR", &opcode, &event, &error);
   for (int i = 0; i < 2; i++) {
      EGLint numerator = -1, denominator = -1;
      if (!get_rate(w.display, w.surface, &numerator, &denominator))
         die("eglGetMscRateANGLE fails: 0x%x", eglGetError());
      if (numerator < 0 || denominator < 1 || (!has_randr && (numerator != 1 || denominator != 1)))
         die("the rate is %d / %d, on a server %s RandR", numerator, denominator,
             has_randr ? "with" : "without");
   }
   draw_quarters(64, 64, 0);
   eglSwapBuffers(w.display, w.surface);
   eglWaitGL();
   XSync(w.x11, False);
   expect_quarters_shown(w.x11, w.id, 64, 64, 0);
   window_close(&w);
}

/* -------------------------------------------------------------------------------------- pixmaps */

/* The same picture as draw_quarters, by the X server. */
static void
draw_quarters_x11(Display *x11, Drawable drawable, int width_px, int height_px, int turn)
{
   GC gc = XCreateGC(x11, drawable, 0, NULL);
   for (int i = 0; i < width_px * height_px; i++) {
      const uint8_t *c = quarter_colour(width_px, height_px, i % width_px, i / width_px, turn);
      XSetForeground(x11, gc, c[0] << 16 | c[1] << 8 | c[2]);
      XDrawPoint(x11, drawable, gc, i % width_px, height_px - 1 - i / width_px);
   }
   XFreeGC(x11, gc);
   XSync(x11, False);
}

static void
wait_client(void)
{
   if (!eglWaitClient())
      die("eglWaitClient fails: 0x%x", eglGetError());
}

static void
wait_gl(void)
{
   if (!eglWaitGL())
      die("eglWaitGL fails: 0x%x", eglGetError());
}

/* What has to bring what was drawn to a pixmap to the X server. */
static const struct {
   const char *name;
   void (*call)(void);
} pixmap_flushes[] = { { "glFinish", glFinish },
                       { "glFlush", glFlush },
                       { "eglWaitClient", wait_client },
                       { "eglWaitGL", wait_gl } };

enum { PIXMAP_FLUSHES = sizeof(pixmap_flushes) / sizeof(pixmap_flushes[0]), PIXMAP_WIDTH_PX = 37, PIXMAP_HEIGHT_PX = 22 };

/* A pixmap of the window's server has the picture that was drawn to its surface, and GL starts with
 * the pixmap's. */
static void
check_pixmap_surface(struct window *w, EGLDisplay display, EGLConfig config, const char *what)
{
   EGLContext context = context_of(display, config);
   Pixmap pixmap = XCreatePixmap(w->x11, w->id, PIXMAP_WIDTH_PX, PIXMAP_HEIGHT_PX,
                                 DefaultDepth(w->x11, DefaultScreen(w->x11)));
   draw_quarters_x11(w->x11, pixmap, PIXMAP_WIDTH_PX, PIXMAP_HEIGHT_PX, 3);
   EGLSurface surface = eglCreatePlatformPixmapSurface(display, config, &pixmap, NULL);
   if (surface == EGL_NO_SURFACE)
      die("%s: eglCreatePlatformPixmapSurface fails: 0x%x", what, eglGetError());
   make_current(display, surface, context);
   expect_quarters_read(PIXMAP_WIDTH_PX, PIXMAP_HEIGHT_PX, 3, "what was in the pixmap");
   for (int i = 0; i < PIXMAP_FLUSHES; i++) {
      draw_quarters(PIXMAP_WIDTH_PX, PIXMAP_HEIGHT_PX, i);
      pixmap_flushes[i].call();
      /* The X server does what was flushed some time, and two connections are only ordered by
       * waiting on this one. */
      if (pixmap_flushes[i].call == glFlush || display != w->display)
         wait_client();
      printf("%s: %s\n", what, pixmap_flushes[i].name);
      expect_quarters_shown(w->x11, pixmap, PIXMAP_WIDTH_PX, PIXMAP_HEIGHT_PX, i);
   }
   draw_quarters(PIXMAP_WIDTH_PX, PIXMAP_HEIGHT_PX, 1);
   make_current(display, EGL_NO_SURFACE, EGL_NO_CONTEXT);
   printf("%s: another context is current\n", what);
   if (display == w->display)
      expect_quarters_shown(w->x11, pixmap, PIXMAP_WIDTH_PX, PIXMAP_HEIGHT_PX, 1);
   eglDestroySurface(display, surface);
   eglDestroyContext(display, context);
   XFreePixmap(w->x11, pixmap);
}

/* Surfaces of pixmaps, of one and of four samples, of the application's connection to the X server
 * and of one that EGL makes. */
static void
check_pixmaps(void)
{
   struct window w = window_open(16, 16);
   const EGLint visual = XVisualIDFromVisual(DefaultVisual(w.x11, DefaultScreen(w.x11)));
   EGLDisplay own = eglGetPlatformDisplay(EGL_PLATFORM_X11_KHR, EGL_DEFAULT_DISPLAY, NULL);
   if (!eglInitialize(own, NULL, NULL))
      die("eglInitialize fails on EGL's own connection: 0x%x", eglGetError());
   check_pixmap_surface(&w, w.display, config_with(w.display, EGL_PIXMAP_BIT, EGL_NATIVE_VISUAL_ID, visual), "pixmap");
   check_pixmap_surface(&w, w.display, config_with(w.display, EGL_PIXMAP_BIT, EGL_SAMPLES, 4), "pixmap of 4 samples");
   check_pixmap_surface(&w, own, config_with(own, EGL_PIXMAP_BIT, EGL_NATIVE_VISUAL_ID, visual), "pixmap, by EGL's connection");
   eglTerminate(own);
   window_close(&w);
}

static int
ignore_error(Display *x11, XErrorEvent *event)
{
   (void)x11, (void)event;
   return 0;
}

/* A window that is destroyed while a surface still draws to it: errors perhaps, but the program
 * goes on. */
static void
check_window_lost(void)
{
   XSetErrorHandler(ignore_error);
   struct window w = window_open(64, 64);
   draw_quarters(64, 64, 0);
   eglSwapBuffers(w.display, w.surface);
   XDestroyWindow(w.x11, w.id);
   XSync(w.x11, False);
   for (int i = 0; i < 3; i++) {
      draw_quarters(64, 64, i);
      eglSwapBuffers(w.display, w.surface);
   }
   PFNGLGETGRAPHICSRESETSTATUSEXTPROC reset_status =
      (PFNGLGETGRAPHICSRESETSTATUSEXTPROC)eglGetProcAddress("glGetGraphicsResetStatusEXT");
   if (reset_status() != GL_NO_ERROR)
      die("a window that is gone resets the context");
   struct target target = target_create(64, 64);
   draw_quarters(64, 64, 2);
   expect_quarters_read(64, 64, 2, "a picture after the window is gone");
   target_delete(&target);
   XCloseDisplay(w.x11);
}

/* The age of a back buffer says what is in it, and of a swap with damage the window shows at least
 * the damage. */
static void
check_window_age_and_damage(void)
{
   enum { WIDTH_PX = 120, HEIGHT_PX = 80 };
   PFNEGLSWAPBUFFERSWITHDAMAGEKHRPROC swap_with_damage =
      (PFNEGLSWAPBUFFERSWITHDAMAGEKHRPROC)eglGetProcAddress("eglSwapBuffersWithDamageKHR");
   struct window w = window_open(WIDTH_PX, HEIGHT_PX);
   for (int frame = 0; frame < 6; frame++) {
      EGLint age = -1;
      eglQuerySurface(w.display, w.surface, EGL_BUFFER_AGE_EXT, &age);
      if (age < 0 || age > frame)
         die("frame %d: the back buffer's age is %d", frame, age);
      if (age)
         expect_quarters_read(WIDTH_PX, HEIGHT_PX, frame - age, "back buffer of that age");
      draw_quarters(WIDTH_PX, HEIGHT_PX, frame);
      eglSwapBuffers(w.display, w.surface);
   }
   /* everything is drawn anew, but only the upper right quarter is said to be */
   static const EGLint damage[4] = { WIDTH_PX / 2, HEIGHT_PX / 2, WIDTH_PX / 2, HEIGHT_PX / 2 };
   draw_quarters(WIDTH_PX, HEIGHT_PX, 6);
   if (!swap_with_damage(w.display, w.surface, damage, 1))
      die("eglSwapBuffersWithDamageKHR fails: 0x%x", eglGetError());
   eglWaitGL();
   XSync(w.x11, False);
   XImage *shown = XGetImage(w.x11, w.id, 0, 0, WIDTH_PX, HEIGHT_PX, AllPlanes, ZPixmap);
   for (int i = 0; i < WIDTH_PX * HEIGHT_PX; i++) {
      const int x = i % WIDTH_PX, y = i / WIDTH_PX;
      const uint8_t *last = quarter_colour(WIDTH_PX, HEIGHT_PX, x, HEIGHT_PX - 1 - y, 5);
      const uint8_t *now = quarter_colour(WIDTH_PX, HEIGHT_PX, x, HEIGHT_PX - 1 - y, 6);
      const unsigned long have = XGetPixel(shown, x, y) & 0xffffff;
      const bool damaged = x >= WIDTH_PX / 2 && y < HEIGHT_PX / 2;
      const bool is_now = have == (unsigned long)(now[0] << 16 | now[1] << 8 | now[2]);
      const bool is_last = have == (unsigned long)(last[0] << 16 | last[1] << 8 | last[2]);
      if (!is_now && (damaged || !is_last))
         die("pixel (%d, %d) shows %06lx after a swap with damage", x, y, have);
   }
   XDestroyImage(shown);
   /* all of it the next time */
   draw_quarters(WIDTH_PX, HEIGHT_PX, 7);
   eglSwapBuffers(w.display, w.surface);
   eglWaitGL();
   XSync(w.x11, False);
   expect_quarters_shown(w.x11, w.id, WIDTH_PX, HEIGHT_PX, 7);
   window_close(&w);
}

/* Every picture is seen, whatever comes between two swaps: nothing (if the back buffer keeps its
 * picture), a picture that is finished but not shown, a new size. */
static void
check_window_every_frame(void)
{
   uint64_t seed = 5;
   int width_px = 200, height_px = 150, shown = 0;
   struct window w = window_open(width_px, height_px);
   for (int frame = 0; frame < 120; frame++) {
      const int what = frame ? random_below(&seed, 4) : 0;
      EGLint age = 0;
      eglQuerySurface(w.display, w.surface, EGL_BUFFER_AGE_EXT, &age);
      if (what == 1) {
         draw_quarters(width_px, height_px, frame + 1);
         eglWaitClient();
         glFinish();
      }
      if (what == 2) {
         width_px = 1 + random_below(&seed, 300);
         height_px = 1 + random_below(&seed, 300);
         XResizeWindow(w.x11, w.id, width_px, height_px);
         XSync(w.x11, False);
         draw_quarters(width_px, height_px, frame + 1);
         eglSwapBuffers(w.display, w.surface);
      }
      if (what != 3 || age != 1) {
         draw_quarters(width_px, height_px, frame);
         shown = frame;
      }
      eglSwapBuffers(w.display, w.surface);
      XSync(w.x11, False);
      expect_quarters_shown(w.x11, w.id, width_px, height_px, shown);
   }
   window_close(&w);
}

/* ------------------------------------------------------------------------------------------ KMS */

/* What lies in the device's buffer of a locked front buffer is the picture, top row first. */
static void
expect_quarters_scanned_out(struct gbm_bo *bo, int turn)
{
   const int width_px = gbm_bo_get_width(bo), height_px = gbm_bo_get_height(bo);
   const uint8_t *rows = dumb_kms_pixels(gbm_bo_get_handle(bo).u32);
   if (!rows)
      die("the front buffer is none of the device's buffers");
   for (int i = 0; i < width_px * height_px; i++) {
      const int x = i % width_px, y = i / width_px;
      const uint8_t *c = quarter_colour(width_px, height_px, x, height_px - 1 - y, turn);
      const uint8_t *have = rows + y * gbm_bo_get_stride(bo) + 4 * x; /* XRGB8888: blue first */
      if (have[2] != c[0] || have[1] != c[1] || have[0] != c[2])
         die("dumb buffer: pixel (%d, %d) is %d %d %d, not %d %d %d", x, y, have[2], have[1],
             have[0], c[0], c[1], c[2]);
   }
}

/* A GBM client, as programs without a window system are: its frames arrive in the KMS device's dumb
 * buffers. */
static void
check_kms_dumb_buffers(void)
{
   enum { WIDTH_PX = 70, HEIGHT_PX = 50, FRAMES = 6 };
   const int fd = dumb_kms_open(true);
   struct gbm_device *device = gbm_create_device(fd);
   if (!device)
      die("gbm_create_device fails");
   struct gbm_surface *window = gbm_surface_create(device, WIDTH_PX, HEIGHT_PX, GBM_FORMAT_XRGB8888,
                                                   GBM_BO_USE_SCANOUT | GBM_BO_USE_RENDERING);
   EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_GBM_KHR, device, NULL);
   if (!eglInitialize(display, NULL, NULL))
      die("eglInitialize fails on GBM: 0x%x", eglGetError());
   EGLConfig config =
      config_with(display, EGL_WINDOW_BIT, EGL_NATIVE_VISUAL_ID, GBM_FORMAT_XRGB8888);
   EGLContext context = context_of(display, config);
   EGLSurface surface = eglCreatePlatformWindowSurface(display, config, window, NULL);
   if (surface == EGL_NO_SURFACE)
      die("eglCreatePlatformWindowSurface fails: 0x%x", eglGetError());
   make_current(display, surface, context);
   if (strncmp((const char *)glGetString(GL_RENDERER), "clipfree", 8))
      die("GBM came to another driver: %s", glGetString(GL_RENDERER));
   for (int frame = 0; frame < FRAMES; frame++) {
      draw_quarters(WIDTH_PX, HEIGHT_PX, frame);
      eglSwapBuffers(display, surface);
      struct gbm_bo *bo = gbm_surface_lock_front_buffer(window);
      if (!bo)
         die("frame %d: there is no front buffer", frame);
      expect_quarters_scanned_out(bo, frame);
      gbm_surface_release_buffer(window, bo);
   }
   make_current(display, EGL_NO_SURFACE, EGL_NO_CONTEXT);
   eglDestroySurface(display, surface);
   eglDestroyContext(display, context);
   eglTerminate(display);
   gbm_surface_destroy(window);
   gbm_device_destroy(device);
   if (dumb_kms_live_buffers())
      die("%d dumb buffers are left", dumb_kms_live_buffers());
   close(fd);
}

/* A buffer of a device with a picture that somebody else has made, imported as a texture of the
 * current context. */
struct import {
   EGLDisplay display;
   EGLConfig config;
   EGLContext context;
   struct gbm_bo *made, *bo;
   int buffer_fd;
   EGLImageKHR image;
   GLuint texture;
};

enum { IMPORT_WIDTH_PX = 70, IMPORT_HEIGHT_PX = 50 };

/* The device's buffer, with quarters in it. */
static void
import_make_picture(struct import *import, struct gbm_device *device)
{
   import->made = gbm_bo_create(device, IMPORT_WIDTH_PX, IMPORT_HEIGHT_PX, GBM_FORMAT_XRGB8888,
                                GBM_BO_USE_SCANOUT | GBM_BO_USE_RENDERING);
   const uint32_t stride_B = gbm_bo_get_stride(import->made);
   uint8_t *rows = dumb_kms_pixels(gbm_bo_get_handle(import->made).u32);
   for (int i = 0; i < IMPORT_WIDTH_PX * IMPORT_HEIGHT_PX; i++) {
      const int x = i % IMPORT_WIDTH_PX, y = i / IMPORT_WIDTH_PX;
      const uint8_t *c = quarter_colour(IMPORT_WIDTH_PX, IMPORT_HEIGHT_PX, x, y, 0);
      memcpy(rows + y * stride_B + 4 * x, (const uint8_t[]){ c[2], c[1], c[0], 0 }, 4);
   }
   struct gbm_import_fd_data data = { .fd = gbm_bo_get_fd(import->made),
                                      .width = IMPORT_WIDTH_PX,
                                      .height = IMPORT_HEIGHT_PX,
                                      .stride = stride_B,
                                      .format = GBM_FORMAT_XRGB8888 };
   import->buffer_fd = data.fd;
   import->bo = gbm_bo_import(device, GBM_BO_IMPORT_FD, &data, GBM_BO_USE_RENDERING);
   if (!import->bo)
      die("a buffer cannot be imported");
}

static void
import_open(struct import *import)
{
   PFNEGLCREATEIMAGEKHRPROC create =
      (PFNEGLCREATEIMAGEKHRPROC)eglGetProcAddress("eglCreateImageKHR");
   struct gbm_device *device = gbm_create_device(dumb_kms_open(true));
   import->display = eglGetPlatformDisplay(EGL_PLATFORM_GBM_KHR, device, NULL);
   if (!eglInitialize(import->display, NULL, NULL))
      die("eglInitialize fails on GBM: 0x%x", eglGetError());
   import_make_picture(import, device);
   import->config =
      config_with(import->display, EGL_WINDOW_BIT, EGL_NATIVE_VISUAL_ID, GBM_FORMAT_XRGB8888);
   import->context = context_of(import->display, import->config);
   make_current(import->display, EGL_NO_SURFACE, import->context);
   import->image = create(import->display, EGL_NO_CONTEXT, EGL_NATIVE_PIXMAP_KHR,
                          (EGLClientBuffer)import->bo, NULL);
   if (import->image == EGL_NO_IMAGE_KHR)
      die("eglCreateImageKHR of a GBM buffer fails: 0x%x", eglGetError());
   glGenTextures(1, &import->texture);
   glBindTexture(GL_TEXTURE_2D, import->texture);
   ((PFNGLEGLIMAGETARGETTEXTURE2DOESPROC)eglGetProcAddress("glEGLImageTargetTexture2DOES"))(
      GL_TEXTURE_2D, import->image);
}

static void
import_close(struct import *import)
{
   glDeleteTextures(1, &import->texture);
   ((PFNEGLDESTROYIMAGEKHRPROC)eglGetProcAddress("eglDestroyImageKHR"))(import->display, import->image);
   close(import->buffer_fd);
   gbm_bo_destroy(import->bo);
   gbm_bo_destroy(import->made);
}

/* Makes the texture the frame buffer; returns its object. */
static GLuint
import_bind(const struct import *import)
{
   GLuint framebuffer;
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, import->texture, 0);
   return framebuffer;
}

/* A picture that somebody else has made in a device's buffer is read in when the buffer is
 * imported. */
static void
check_kms_import(void)
{
   struct import import;
   import_open(&import);
   const GLuint framebuffer = import_bind(&import);
   expect_quarters_read(IMPORT_WIDTH_PX, IMPORT_HEIGHT_PX, 0, "imported buffer");
   glDeleteFramebuffers(1, &framebuffer);
   import_close(&import);
}

/* Draws all of the texture to a frame buffer of its own. */
static void
import_draw(const struct import *import)
{
   target_create(IMPORT_WIDTH_PX, IMPORT_HEIGHT_PX);
   program_create("attribute vec4 position; varying highp vec2 at;\n"
                  "void main() { gl_Position = position; at = 0.5 * position.xy + 0.5; }\n",
                  "uniform sampler2D image; varying highp vec2 at; void main() { gl_FragColor = texture2D(image, at); }\n");
   glBindTexture(GL_TEXTURE_2D, import->texture);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
   draw_rectangle(-1, -1, 1, 1, 0, (const float[]){ 1, 1, 1, 1 });
}

static void
look_at_import(void *data)
{
   import_draw(data);
   expect_quarters_read(IMPORT_WIDTH_PX, IMPORT_HEIGHT_PX, 0,
                        "imported buffer, drawn in a second context");
}

/* All contexts see the picture, also while the first one to use it has not handed its work to the
 * GPU yet. */
static void
check_kms_import_shared(void)
{
   static const EGLint attributes[] = { EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE };
   struct import import;
   struct peer peer;
   import_open(&import);
   peer_start(&peer, import.display,
              eglCreateContext(import.display, import.config, import.context, attributes));
   import_draw(&import);
   peer_do(&peer, look_at_import, &import);
   expect_quarters_read(IMPORT_WIDTH_PX, IMPORT_HEIGHT_PX, 0,
                        "imported buffer, drawn in the first context");
   peer_stop(&peer);
   import_close(&import);
}

/* Sends stderr to a file, until the text in it is asked for. */
static FILE *
stderr_begin(int *saved)
{
   FILE *file = tmpfile();
   *saved = dup(STDERR_FILENO);
   if (!file || *saved < 0 || dup2(fileno(file), STDERR_FILENO) < 0)
      die("stderr cannot be caught");
   return file;
}

static void
stderr_end(FILE *file, int saved, char *text, size_t size_B)
{
   dup2(saved, STDERR_FILENO);
   close(saved);
   rewind(file);
   text[fread(text, 1, size_B - 1, file)] = 0;
   fclose(file);
}

/* A device without dumb buffers is refused, with a message that says what to do: it gives no
 * buffers to show. */
static void
check_kms_refusal(void)
{
   char said[4000];
   int saved, fd = dumb_kms_open(false);
   FILE *file = stderr_begin(&saved);
   struct gbm_device *device = gbm_create_device(fd);
   struct gbm_bo *bo = device ? gbm_bo_create(device, 64, 64, GBM_FORMAT_XRGB8888,
                                              GBM_BO_USE_SCANOUT | GBM_BO_USE_RENDERING)
                              : NULL;
   stderr_end(file, saved, said, sizeof(said));
   if (bo)
      die("a device without dumb buffers gives a buffer");
   if (!strstr(said, "clipfree: the device given to GBM has no dumb buffers"))
      die("a device without dumb buffers is refused with: %s", said);
   if (device)
      gbm_device_destroy(device);
   close(fd);
}

/* Without any device in /dev/dri, the GBM platform is refused by EGL. */
static void
check_kms_no_device(void)
{
   if (!access("/dev/dri", F_OK)) {
      printf("there are devices in /dev/dri\n");
      exit(EXIT_SKIP);
   }
   if (gbm_create_device(open("/dev/dri/card0", O_RDWR)))
      die("gbm_create_device takes a descriptor that is not open");
   EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_GBM_KHR, EGL_DEFAULT_DISPLAY, NULL);
   if (eglInitialize(display, NULL, NULL))
      die("eglInitialize succeeds on GBM without a device");
   const EGLint error = eglGetError();
   if (error != EGL_NOT_INITIALIZED && error != EGL_BAD_DISPLAY)
      die("eglInitialize on GBM without a device gives 0x%x", error);
}

static const struct {
   const char *name;
   void (*run)(void);
} checks[] = {
   { "pbuffers", check_pbuffers },
   { "image-between-contexts", check_image_between_contexts },
   { "window-resize", check_window_resize },
   { "window-resize-keeps", check_window_resize_keeps },
   { "window-resize-storm", check_window_resize_storm },
   { "window-lost", check_window_lost },
   { "window-age-and-damage", check_window_age_and_damage },
   { "window-every-frame", check_window_every_frame },
   { "window-msc-rate", check_window_msc_rate },
   { "pixmaps", check_pixmaps },
   { "kms-dumb-buffers", check_kms_dumb_buffers },
   { "kms-import", check_kms_import },
   { "kms-import-shared", check_kms_import_shared },
   { "kms-refusal", check_kms_refusal },
   { "kms-no-device", check_kms_no_device },
};

int
main(int argc, char **argv)
{
   const char *wanted = argc == 2 ? argv[1] : "";
   for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
      if (!strcmp(wanted, "--list"))
         printf("%s\n", checks[i].name);
      else if (!strcmp(wanted, checks[i].name)) {
         checks[i].run();
         return 0;
      }
   }
   if (!strcmp(wanted, "--list"))
      return 0;
   printf("usage: platform_checks --list | NAME\n");
   return 2;
}
