/* SPDX-License-Identifier: MIT */
#include "dumb_kms.h"
#include "platform_checks.h"

#include <fcntl.h>
#include <gbm.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
void
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
   ((PFNEGLDESTROYIMAGEKHRPROC)eglGetProcAddress("eglDestroyImageKHR"))(import->display,
                                                                        import->image);
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
void
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
                  "uniform sampler2D image; varying highp vec2 at; void main() { gl_FragColor = "
                  "texture2D(image, at); }\n");
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
void
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
void
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
void
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
