/* SPDX-License-Identifier: MIT
 *
 * What the checks of platforms share: a picture of four quarters, and windows of X11.
 */
#ifndef PLATFORM_CHECKS_H
#define PLATFORM_CHECKS_H

#include "gles2_context.h"
#include "peer.h"

#include <X11/Xlib.h>

/* Fills the quarters of the bound framebuffer; `turn` moves the colours on. */
void draw_quarters(int width_px, int height_px, int turn);

/* The colour that draw_quarters gives a pixel; y counts from the bottom. */
const uint8_t *quarter_colour(int width_px, int height_px, int x, int y, int turn);

void expect_quarters_read(int width_px, int height_px, int turn, const char *what);

/* What the X server shows in the window is the picture, top row first. */
void expect_quarters_shown(Display *x11, Window window, int width_px, int height_px, int turn);

/* A configuration with the attribute's value, for OpenGL ES 2.0. */
EGLConfig config_with(EGLDisplay display, EGLint surface_type, EGLint attribute, EGLint value);

/* A window of X11 with a context that is current. */
struct window {
   Display *x11;
   Window id;
   EGLDisplay display;
   EGLSurface surface;
   EGLContext context;
};

struct window window_open(int width_px, int height_px);
void window_close(struct window *w);

/* platform_windows.c */
void check_window_resize(void);
void check_window_resize_keeps(void);
void check_window_resize_storm(void);
void check_window_msc_rate(void);
void check_window_lost(void);
void check_window_age_and_damage(void);
void check_window_every_frame(void);

/* platform_pixmaps.c */
void check_pixmaps(void);

/* platform_kms.c */
void check_kms_dumb_buffers(void);
void check_kms_import(void);
void check_kms_import_shared(void);
void check_kms_refusal(void);
void check_kms_no_device(void);

#endif
