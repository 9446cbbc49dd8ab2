/* SPDX-License-Identifier: MIT */
#include "platform_checks.h"

#include <X11/Xutil.h>
#include <stdlib.h>
#include <unistd.h>

/* Opaque colours of the four quarters of a picture: bottom left, bottom right, top left, top
 * right. */
static const uint8_t quarters[4][4] = {
   { 255, 0, 0, 255 }, { 0, 255, 0, 255 }, { 0, 0, 255, 255 }, { 255, 255, 0, 255 }
};

/* Fills the quarters of the bound framebuffer; `turn` moves the colours on. */
void
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
const uint8_t *
quarter_colour(int width_px, int height_px, int x, int y, int turn)
{
   return quarters[((x >= width_px / 2) + 2 * (y >= height_px / 2) + turn) % 4];
}

void
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
EGLConfig
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

struct window
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

void
window_close(struct window *w)
{
   make_current(w->display, EGL_NO_SURFACE, EGL_NO_CONTEXT);
   eglDestroySurface(w->display, w->surface);
   eglDestroyContext(w->display, w->context);
   eglTerminate(w->display);
   XDestroyWindow(w->x11, w->id);
   XCloseDisplay(w->x11);
}

/* What the X server shows in the window is the picture, top row first. */
void
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
