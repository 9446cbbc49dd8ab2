/* SPDX-License-Identifier: MIT
 *
 * Plays the program of package xscreensaver that hacks start to have a picture loaded:
 * xscreensaver-getimage [OPTIONS] WINDOW DRAWABLE. The picture is always the same, in the size of
 * the drawable: tiles whose colours run from one corner to the other, with a disc in every second
 * one, so that what is mirrored, turned or torn is seen.
 */
#include <X11/Xlib.h>

#include <stdio.h>
#include <stdlib.h>

#define TILES_X 16
#define TILES_Y 12

/* A colour of a TrueColor visual with 8 bits a channel. */
static unsigned long
colour(unsigned red, unsigned green, unsigned blue)
{
   return (unsigned long)red << 16 | green << 8 | blue;
}

static void
draw_tile(Display *display, Drawable drawable, GC gc, unsigned i, unsigned k, unsigned width_px,
          unsigned height_px)
{
   const int left = i * width_px / TILES_X, top = k * height_px / TILES_Y;
   const unsigned width = (i + 1) * width_px / TILES_X - left,
                  height = (k + 1) * height_px / TILES_Y - top;
   const unsigned red = 255 * i / (TILES_X - 1), green = 255 * k / (TILES_Y - 1);
   XSetForeground(display, gc, colour(red, green, 255 - red / 2 - green / 2));
   XFillRectangle(display, drawable, gc, left, top, width, height);
   if ((i + k) % 2 == 0)
      return;
   XSetForeground(display, gc, colour(255 - green, red, green));
   XFillArc(display, drawable, gc, left, top, width, height, 0, 360 * 64);
}

int
main(int argc, char **argv)
{
   Display *display = XOpenDisplay(NULL);
   Window root;
   int x, y;
   unsigned width_px, height_px, border, depth;
   if (!display || argc < 3) {
      fprintf(stderr, "usage: DISPLAY=... %s [OPTIONS] WINDOW DRAWABLE\n", argv[0]);
      return 1;
   }
   const Drawable drawable = strtoul(argv[argc - 1], NULL, 0);
   XGetGeometry(display, drawable, &root, &x, &y, &width_px, &height_px, &border, &depth);
   GC gc = XCreateGC(display, drawable, 0, NULL);
   for (unsigned i = 0; i < TILES_X; i++)
      for (unsigned k = 0; k < TILES_Y; k++)
         draw_tile(display, drawable, gc, i, k, width_px, height_px);
   XSync(display, False);
   XFreeGC(display, gc);
   XCloseDisplay(display);
   return 0;
}
