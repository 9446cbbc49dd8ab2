/* SPDX-License-Identifier: MIT */
#include "gl_window.h"

#include <GL/glx.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void
window_open(int width_px, int height_px)
{
   static const int wanted[] = { GLX_DRAWABLE_TYPE, GLX_PBUFFER_BIT, GLX_RENDER_TYPE, GLX_RGBA_BIT, GLX_RED_SIZE, 8,
                                 GLX_GREEN_SIZE, 8, GLX_BLUE_SIZE, 8, GLX_ALPHA_SIZE, 8, GLX_DEPTH_SIZE, 24,
                                 GLX_STENCIL_SIZE, 8, GLX_ACCUM_RED_SIZE, 16, GLX_ACCUM_ALPHA_SIZE, 16, None };
   const int size[] = { GLX_PBUFFER_WIDTH, width_px, GLX_PBUFFER_HEIGHT, height_px, None };
   Display *display = XOpenDisplay(NULL);
   int count = 0;
   if (!display)
      die("no X display");
   GLXFBConfig *configs = glXChooseFBConfig(display, DefaultScreen(display), wanted, &count);
   if (!configs || count == 0)
      die("GLX has no configuration with depth, stencil and accumulation buffer");
   GLXPbuffer pbuffer = glXCreatePbuffer(display, configs[0], size);
   GLXContext context = glXCreateNewContext(display, configs[0], GLX_RGBA_TYPE, NULL, True);
   if (!context || !glXMakeContextCurrent(display, pbuffer, pbuffer, context))
      die("no GLX context");
   if (strtod((const char *)glGetString(GL_VERSION), NULL) < 2.1)
      die("OpenGL is %s, not 2.1 or later", (const char *)glGetString(GL_VERSION));
}

void
window_in_pixels(int width_px, int height_px)
{
   glMatrixMode(GL_PROJECTION);
   glLoadIdentity();
   glOrtho(0, width_px, 0, height_px, 1, -1);
   glMatrixMode(GL_MODELVIEW);
   glLoadIdentity();
}

uint8_t *
window_read(int width_px, int height_px)
{
   uint8_t *pixels = malloc(4 * (size_t)width_px * height_px);
   glReadPixels(0, 0, width_px, height_px, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   no_error("reading pixels");
   return pixels;
}

const uint8_t *
pixel_at(const uint8_t *pixels, int width_px, int x, int y)
{
   return pixels + 4 * ((size_t)y * width_px + x);
}

void
expect_rgb(const uint8_t *pixel, const char *what, int x, int y, double r, double g, double b,
           double lsb)
{
   if (fabs(pixel[0] - r) > lsb || fabs(pixel[1] - g) > lsb || fabs(pixel[2] - b) > lsb)
      die("%s: pixel (%d, %d) is %d %d %d, not %.1f %.1f %.1f", what, x, y, pixel[0], pixel[1],
          pixel[2], r, g, b);
}

void
no_error(const char *when)
{
   GLenum error = glGetError();
   if (error != GL_NO_ERROR)
      die("GL error 0x%x %s", error, when);
}

void
picture_write(const char *path, const uint8_t *pixels, int width_px, int height_px)
{
   FILE *file = fopen(path, "wb");
   if (!file)
      die("cannot write %s", path);
   fprintf(file, "P6 %d %d 255\n", width_px, height_px);
   for (int y = height_px - 1; y >= 0; y--)
      for (int x = 0; x < width_px; x++)
         fwrite(pixel_at(pixels, width_px, x, y), 1, 3, file);
   if (fclose(file) != 0)
      die("cannot write %s", path);
}

int
pictures_main(int argc, char **argv, const struct picture *pictures, size_t count)
{
   if (argc == 2 && strcmp(argv[1], "--list") == 0) {
      for (size_t i = 0; i < count; i++)
         printf("%s\n", pictures[i].name);
      return 0;
   }
   for (size_t i = 0; i < count && argc >= 2; i++) {
      const struct picture *p = &pictures[i];
      if (strcmp(argv[1], p->name) != 0)
         continue;
      window_open(p->width_px, p->height_px);
      glViewport(0, 0, p->width_px, p->height_px);
      p->draw();
      no_error("drawing");
      uint8_t *pixels = window_read(p->width_px, p->height_px);
      uint8_t *shown = window_read(p->width_px, p->height_px);
      if (p->show)
         p->show(shown);
      if (argc > 2)
         picture_write(argv[2], shown, p->width_px, p->height_px);
      p->check(pixels);
      free(shown);
      free(pixels);
      return 0;
   }
   printf("usage: %s --list | NAME [FILE.ppm]\n", argv[0]);
   return 2;
}
