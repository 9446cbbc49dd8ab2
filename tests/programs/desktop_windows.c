/* SPDX-License-Identifier: MIT
 *
 * Front and back buffers of GLX windows: what is displayed can be read and drawn to, and belongs to
 * the window, not to a context; and what GLX 1.4 says of contexts and drawables.
 */
#include "desktop_checks.h"

#include <GL/glx.h>
#include <GL/glxext.h>
#include <X11/Xmd.h>
#include <GL/glxproto.h> /* errors */

static Display *x11;
static GLXContext context;

static Window
open_window_with(bool back)
{
   int wanted[] = { GLX_RGBA, GLX_RED_SIZE,  8, GLX_GREEN_SIZE,
                    8,        GLX_BLUE_SIZE, 8, back ? GLX_DOUBLEBUFFER : None,
                    None };
   XVisualInfo *visual =
      x11 || (x11 = XOpenDisplay(NULL)) ? glXChooseVisual(x11, DefaultScreen(x11), wanted) : NULL;
   if (!visual)
      die("no X display, or no such visual");
   Window root = DefaultRootWindow(x11);
   XSetWindowAttributes attributes = { .override_redirect = True,
                                       .colormap =
                                          XCreateColormap(x11, root, visual->visual, AllocNone) };
   Window window = XCreateWindow(x11, root, 0, 0, SIZE_PX, SIZE_PX, 0, visual->depth, InputOutput,
                                 visual->visual, CWOverrideRedirect | CWColormap, &attributes);
   XMapRaised(x11, window);
   if (!context)
      context = glXCreateContext(x11, visual, NULL, True);
   XFree(visual);
   return window;
}

static Window
open_window(void)
{
   return open_window_with(true);
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

/* The front buffer has what was swapped or copied to it, whatever the back buffer has; what is
 * drawn to it is displayed. */
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

/* A swap ends the frame of a window without a back buffer, too: what was drawn is displayed. */
void
check_single_buffer(void)
{
   Window window = open_window_with(false);
   draw_to(window);
   fill_all(RED);
   glXSwapBuffers(x11, window);
   expect_shown(window, red_rgb);
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

/* Drawing to the front of a pbuffer, or of windows that are gone, sends no request that X11
 * refuses: Xlib would end the program. */
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

/* ---- GLX 1.4 ---- */

static int x11_error;

static int
note_error(Display *display, XErrorEvent *event)
{
   (void)display;
   x11_error = event->error_code;
   return 0;
}

/* Ends the program unless X11 reported this error, or none (Success), since the last call. */
static void
expect_x11(int expected, const char *what)
{
   XSync(x11, False);
   if (x11_error != expected)
      die("%s: X11's error is %d, not %d", what, x11_error, expected);
   x11_error = Success;
}

/* What is read and copied comes from the drawable to read from (section 3.3.7). */
void
check_read_drawable(void)
{
   Window first = open_window();
   Window second = open_window();
   draw_to(first);
   fill_all(RED);
   draw_to(second);
   fill_all(GREEN);
   if (!glXMakeContextCurrent(x11, second, first, context))
      die("no context that reads from another window");
   check_window("what is read", red_rgb, 0);
   glDisable(GL_SCISSOR_TEST);
   glWindowPos2i(0, 0);
   glCopyPixels(0, 0, SIZE_PX, SIZE_PX, GL_COLOR);
   draw_to(second);
   check_window("what was copied", red_rgb, 0);
}

/* State goes to another context by the groups of glPushAttrib (3.3.7). */
void
check_copy_context(void)
{
   static const GLfloat blue[4] = { 0, 0, 1, 1 };
   GLfloat color[4], width;
   Window window = open_window();
   XSetErrorHandler(note_error);
   draw_to(window);
   GLXContext source = context;
   context = NULL;
   Window other = open_window();
   glEnable(GL_BLEND);
   glLineWidth(3);
   glColor4fv(blue);
   glClearColor(1, 0, 0, 1);
   glXCopyContext(x11, context, source, GL_ALL_ATTRIB_BITS);
   expect_x11(BadAccess, "copying to a current context");
   glXCopyContext(x11, source, context, GL_COLOR_BUFFER_BIT | GL_CURRENT_BIT);
   expect_x11(Success, "copying to another context");
   draw_to(other);
   glGetFloatv(GL_LINE_WIDTH, &width);
   glGetFloatv(GL_CURRENT_COLOR, color);
   if (!glIsEnabled(GL_BLEND) || color[0] != 0 || color[2] != 1)
      die("state that was to be copied is not");
   if (width != 1)
      die("state that was not to be copied is");
   glClear(GL_COLOR_BUFFER_BIT);
   check_window("cleared by the state that was copied", red_rgb, 0);
}

/* What is no drawable (3.3.7), and attributes of extensions that are not there. */
void
check_drawable_errors(void)
{
   int base, event;
   unsigned value = 77;
   Window window = open_window();
   XSetErrorHandler(note_error);
   glXQueryExtension(x11, &base, &event);
   expect_x11(Success, "before");
   if (glXMakeContextCurrent(x11, 0x1234567, 0x1234567, context))
      die("what is no drawable becomes current");
   expect_x11(base + GLXBadDrawable, "no drawable");
   draw_to(window);
   glXQueryDrawable(x11, window, GLX_SWAP_INTERVAL_EXT, &value);
   glXQueryDrawable(x11, window, GLX_LATE_SWAPS_TEAR_EXT, &value);
   fill_all(RED);
   check_window("afterwards", red_rgb, 0);
}
