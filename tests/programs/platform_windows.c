/* SPDX-License-Identifier: MIT */
#include "platform_checks.h"

#include <X11/Xutil.h>
#include <stdlib.h>
#include <unistd.h>

/* A window drawn at several sizes, also after it was made smaller, larger and odd. */
void
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
void
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
void
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
void
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

static int
ignore_error(Display *x11, XErrorEvent *event)
{
   (void)x11, (void)event;
   return 0;
}

/* A window that is destroyed while a surface still draws to it: errors perhaps, but the program
 * goes on. */
void
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
void
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
void
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
