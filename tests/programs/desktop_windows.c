/* SPDX-License-Identifier: MIT
 *
 * Front and back buffers of GLX windows: what is displayed can be read and drawn to, and belongs to the window, not to a context.
 */
#include "desktop_checks.h"

#include <GL/glx.h>
#include <GL/glxext.h>

static Display *x11;
static GLXContext context;

static Window
open_window(void)
{
   static int wanted[] = { GLX_RGBA, GLX_DOUBLEBUFFER, GLX_RED_SIZE, 8, GLX_GREEN_SIZE, 8, GLX_BLUE_SIZE, 8, None };
   XVisualInfo *visual = x11 || (x11 = XOpenDisplay(NULL)) ? glXChooseVisual(x11, DefaultScreen(x11), wanted) : NULL;
   if (!visual)
      die("no X display, or no visual with a back buffer");
   Window root = DefaultRootWindow(x11);
   XSetWindowAttributes attributes = { .override_redirect = True,
                                       .colormap = XCreateColormap(x11, root, visual->visual, AllocNone) };
   Window window = XCreateWindow(x11, root, 0, 0, SIZE_PX, SIZE_PX, 0, visual->depth, InputOutput, visual->visual,
                                 CWOverrideRedirect | CWColormap, &attributes);
   XMapRaised(x11, window);
   if (!context)
      context = glXCreateContext(x11, visual, NULL, True);
   XFree(visual);
   return window;
}

static void
draw_to(Window window)
{
   if (!glXMakeCurrent(x11, window, context))
      die("no GLX context");
}

/* A part of the window, in one of these colours. */
enum { BLACK = 0, RED = 1, GREEN = 2, BLUE = 4 };

static void
fill(int color, int x, int y, int width, int height)
{
   glEnable(GL_SCISSOR_TEST);
   glScissor(x, y, width, height);
   glClearColor(color & RED ? 1 : 0, color & GREEN ? 1 : 0, color & BLUE ? 1 : 0, 1);
   glClear(GL_COLOR_BUFFER_BIT);
}

static void
fill_all(int color)
{
   fill(color, 0, 0, SIZE_PX, SIZE_PX);
}

static void
color_rgb(int color, double rgb[3])
{
   for (int c = 0; c < 3; c++)
      rgb[c] = color >> c & 1 ? 255 : 0;
}

static void
red_rgb(int x, int y, double rgb[3])
{
   (void)x, (void)y;
   color_rgb(RED, rgb);
}

static void
green_rgb(int x, int y, double rgb[3])
{
   (void)x, (void)y;
   color_rgb(GREEN, rgb);
}

static void
corner_rgb(int x, int y, double rgb[3])
{
   color_rgb(x < 24 && y < 8 ? GREEN : RED, rgb);
}

static void
halves_rgb(int x, int y, double rgb[3])
{
   (void)y;
   color_rgb(x < SIZE_PX / 2 ? GREEN : BLUE, rgb);
}

/* What the X server shows, top row first. */
static void
expect_shown(Window window, void (*expected)(int x, int y, double rgb[3]))
{
   XImage *shown = XGetImage(x11, window, 0, 0, SIZE_PX, SIZE_PX, AllPlanes, ZPixmap);
   for (int i = 0; shown && i < SIZE_PX * SIZE_PX; i++) {
      const int x = i % SIZE_PX, y = i / SIZE_PX;
      const unsigned long rgb = XGetPixel(shown, x, SIZE_PX - 1 - y);
      const uint8_t pixel[3] = { (uint8_t)(rgb >> 16), (uint8_t)(rgb >> 8), (uint8_t)rgb };
      double want[3];
      expected(x, y, want);
      expect_rgb(pixel, "window", x, y, want[0], want[1], want[2], 0);
   }
   if (!shown)
      die("the window cannot be read");
   XDestroyImage(shown);
}

/* The front buffer has what was swapped or copied to it, whatever the back buffer has; what is drawn to it is displayed. */
void
check_front_buffer(void)
{
   PFNGLXCOPYSUBBUFFERMESAPROC copy_sub_buffer =
      (PFNGLXCOPYSUBBUFFERMESAPROC)glXGetProcAddress((const GLubyte *)"glXCopySubBufferMESA");
   Window window = open_window();
   draw_to(window);
   fill_all(RED);
   glXSwapBuffers(x11, window);
   glReadBuffer(GL_FRONT);
   check_window("front, first read after a swap", red_rgb, 0);
   fill_all(GREEN);
   check_window("front, with something else in the back buffer", red_rgb, 0);
   copy_sub_buffer(x11, window, -10, -20, 34, 28);
   copy_sub_buffer(x11, window, SIZE_PX, 0, 10, 10);
   check_window("front, after a part was copied", corner_rgb, 0);
   expect_shown(window, corner_rgb);
   glXSwapBuffers(x11, window);
   check_window("front, after a swap", green_rgb, 0);
   glDrawBuffer(GL_FRONT);
   fill(BLUE, SIZE_PX / 2, 0, SIZE_PX / 2, SIZE_PX);
   glFinish();
   expect_shown(window, halves_rgb);
}

/* Back buffers stay when their context draws to another window. */
void
check_two_windows(void)
{
   Window first = open_window(), second = open_window();
   draw_to(first);
   fill_all(RED);
   draw_to(second);
   fill_all(GREEN);
   draw_to(first);
   check_window("back buffer of the first window", red_rgb, 0);
   draw_to(second);
   check_window("back buffer of the second window", green_rgb, 0);
}

/* Drawing to the front of a pbuffer, or of windows that are gone, sends no request that X11 refuses: Xlib would end the program. */
void
check_front_elsewhere(void)
{
   fill_all(RED);
   glFinish();
   check_window("pbuffer", red_rgb, 0);
   for (int shown = 0; shown < 2; shown++) {
      Window window = open_window();
      draw_to(window);
      glDrawBuffer(GL_FRONT);
      fill_all(GREEN);
      if (shown)
         glFinish();
      XDestroyWindow(x11, window);
      XSync(x11, False);
      glFinish();
      glXMakeCurrent(x11, None, NULL);
      XSync(x11, False);
   }
   draw_to(open_window());
}
