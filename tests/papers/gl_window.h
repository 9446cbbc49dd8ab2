/* SPDX-License-Identifier: MIT
 *
 * What the papers' pictures are drawn in: a desktop OpenGL 2.1 context on a GLX pbuffer with
 * everything that GL 2.1 knows (depth, stencil, accumulation), pictures as bytes and as files, and
 * ways to say what is wrong.
 */
#ifndef GL_WINDOW_H
#define GL_WINDOW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

#include "die.h"

/* A picture that somebody draws and checks; ends the program with die() if a pixel is wrong. */
struct picture {
   const char *name;
   int width_px, height_px;
   void (*draw)(void);                    /* into a window with GL's initial state */
   void (*check)(const uint8_t *pixels);
   void (*show)(uint8_t *pixels); /* what the file is to show of it; NULL: as it is */
};

/* A window with GL's initial state: RGBA8, 24 bits of depth, 8 of stencil, an accumulation buffer.
 * One a program. */
void window_open(int width_px, int height_px);

/* One unit is a pixel, (0, 0) the lower left corner of the window; z in [-1, 1] is left as it
 * is. */
void window_in_pixels(int width_px, int height_px);

/* RGBA bytes, bottom row first. The caller frees them. */
uint8_t *window_read(int width_px, int height_px);

/* A pixel of what window_read gave. */
const uint8_t *pixel_at(const uint8_t *pixels, int width_px, int x, int y);

/* Ends the program unless a pixel is within `lsb` of (r, g, b). */
void expect_rgb(const uint8_t *pixel, const char *what, int x, int y, double r, double g, double b,
                double lsb);

/* Ends the program if GL has an error. */
void no_error(const char *when);

/* A binary portable pixmap, top row first. */
void picture_write(const char *path, const uint8_t *pixels, int width_px, int height_px);

/* main() of a program of pictures:  PROGRAM --list  |  PROGRAM NAME [FILE.ppm] */
int pictures_main(int argc, char **argv, const struct picture *pictures, size_t count);

#endif
