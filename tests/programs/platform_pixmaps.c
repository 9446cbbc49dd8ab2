/* SPDX-License-Identifier: MIT */
#include "platform_checks.h"

#include <stdlib.h>

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

enum {
   PIXMAP_FLUSHES = sizeof(pixmap_flushes) / sizeof(pixmap_flushes[0]),
   PIXMAP_WIDTH_PX = 37,
   PIXMAP_HEIGHT_PX = 22
};

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
void
check_pixmaps(void)
{
   struct window w = window_open(16, 16);
   const EGLint visual = XVisualIDFromVisual(DefaultVisual(w.x11, DefaultScreen(w.x11)));
   EGLDisplay own = eglGetPlatformDisplay(EGL_PLATFORM_X11_KHR, EGL_DEFAULT_DISPLAY, NULL);
   if (!eglInitialize(own, NULL, NULL))
      die("eglInitialize fails on EGL's own connection: 0x%x", eglGetError());
   check_pixmap_surface(&w, w.display,
                        config_with(w.display, EGL_PIXMAP_BIT, EGL_NATIVE_VISUAL_ID, visual),
                        "pixmap");
   check_pixmap_surface(&w, w.display, config_with(w.display, EGL_PIXMAP_BIT, EGL_SAMPLES, 4),
                        "pixmap of 4 samples");
   check_pixmap_surface(&w, own, config_with(own, EGL_PIXMAP_BIT, EGL_NATIVE_VISUAL_ID, visual),
                        "pixmap, by EGL's connection");
   eglTerminate(own);
   window_close(&w);
}
