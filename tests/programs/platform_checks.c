/* SPDX-License-Identifier: MIT
 *
 * Checks of the places a picture can go to: pbuffers, images shared between contexts, windows that
 * change their size, pixmaps, buffers of a KMS device. `platform_checks NAME` runs one, prints the
 * reason if it fails; `--list` lists them.
 *
 * The KMS device is one that this program plays (dumb_kms.h): all of the driver's path runs without
 * a display controller.
 */
#include "platform_checks.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------- pbuffers */

/* Two pbuffers of odd sizes keep their pictures while a context changes between them. */
static void
check_pbuffers(void)
{
   static const int sizes_px[2][2] = { { 61, 47 }, { 1, 130 } };
   EGLDisplay display = display_open();
   EGLConfig config = config_with(display, EGL_PBUFFER_BIT, EGL_ALPHA_SIZE, 8);
   EGLContext context = context_of(display, config);
   EGLSurface surfaces[2];
   for (int i = 0; i < 2; i++) {
      const EGLint attributes[] = { EGL_WIDTH, sizes_px[i][0], EGL_HEIGHT, sizes_px[i][1],
                                    EGL_NONE };
      surfaces[i] = eglCreatePbufferSurface(display, config, attributes);
      if (surfaces[i] == EGL_NO_SURFACE)
         die("eglCreatePbufferSurface fails: 0x%x", eglGetError());
      make_current(display, surfaces[i], context);
      draw_quarters(sizes_px[i][0], sizes_px[i][1], i);
   }
   for (int i = 0; i < 2; i++) {
      make_current(display, surfaces[i], context);
      expect_quarters_read(sizes_px[i][0], sizes_px[i][1], i, "pbuffer");
   }
   make_current(display, EGL_NO_SURFACE, EGL_NO_CONTEXT);
   for (int i = 0; i < 2; i++)
      eglDestroySurface(display, surfaces[i]);
   eglDestroyContext(display, context);
   eglTerminate(display);
}

/* --------------------------------------------------------------------------------------- images */

/* A texture, made an EGL image in one context, is the texture of another context that shares
 * nothing with it: it shows what the first draws later, and lives on when the first context and the
 * image are gone. */
static void
check_image_between_contexts(void)
{
   enum { SIZE_PX = 40 };
   PFNEGLCREATEIMAGEKHRPROC create =
      (PFNEGLCREATEIMAGEKHRPROC)eglGetProcAddress("eglCreateImageKHR");
   PFNEGLDESTROYIMAGEKHRPROC destroy =
      (PFNEGLDESTROYIMAGEKHRPROC)eglGetProcAddress("eglDestroyImageKHR");
   PFNGLEGLIMAGETARGETTEXTURE2DOESPROC target_texture =
      (PFNGLEGLIMAGETARGETTEXTURE2DOESPROC)eglGetProcAddress("glEGLImageTargetTexture2DOES");
   EGLDisplay display = display_open();
   GLuint textures[2], framebuffers[2];

   EGLContext first = context_create(display, EGL_NO_CONTEXT);
   glGenTextures(1, &textures[0]);
   glBindTexture(GL_TEXTURE_2D, textures[0]);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIZE_PX, SIZE_PX, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   glGenFramebuffers(1, &framebuffers[0]);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[0]);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, textures[0], 0);
   EGLImageKHR image =
      create(display, first, EGL_GL_TEXTURE_2D_KHR, (EGLClientBuffer)(uintptr_t)textures[0], NULL);
   if (image == EGL_NO_IMAGE_KHR)
      die("eglCreateImageKHR of a texture fails: 0x%x", eglGetError());

   EGLContext second = context_create(display, EGL_NO_CONTEXT);
   glGenTextures(1, &textures[1]);
   glBindTexture(GL_TEXTURE_2D, textures[1]);
   target_texture(GL_TEXTURE_2D, image);
   glGenFramebuffers(1, &framebuffers[1]);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[1]);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, textures[1], 0);
   no_error("taking an image as a texture");

   for (int turn = 0; turn < 3; turn++) {
      make_current(display, EGL_NO_SURFACE, first);
      draw_quarters(SIZE_PX, SIZE_PX, turn);
      glFinish();
      make_current(display, EGL_NO_SURFACE, second);
      expect_quarters_read(SIZE_PX, SIZE_PX, turn, "image");
   }
   destroy(display, image);
   eglDestroyContext(display, first);
   expect_quarters_read(SIZE_PX, SIZE_PX, 2, "image whose maker is gone");
   make_current(display, EGL_NO_SURFACE, EGL_NO_CONTEXT);
   eglDestroyContext(display, second);
   eglTerminate(display);
}

/* ---------------------------------------------------------------------------------- all of them */

static const struct {
   const char *name;
   void (*run)(void);
} checks[] = {
   { "pbuffers", check_pbuffers },
   { "image-between-contexts", check_image_between_contexts },
   { "window-resize", check_window_resize },
   { "window-resize-keeps", check_window_resize_keeps },
   { "window-resize-storm", check_window_resize_storm },
   { "window-lost", check_window_lost },
   { "window-age-and-damage", check_window_age_and_damage },
   { "window-every-frame", check_window_every_frame },
   { "window-msc-rate", check_window_msc_rate },
   { "pixmaps", check_pixmaps },
   { "kms-dumb-buffers", check_kms_dumb_buffers },
   { "kms-import", check_kms_import },
   { "kms-import-shared", check_kms_import_shared },
   { "kms-refusal", check_kms_refusal },
   { "kms-no-device", check_kms_no_device },
};

int
main(int argc, char **argv)
{
   const char *wanted = argc == 2 ? argv[1] : "";
   for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
      if (!strcmp(wanted, "--list"))
         printf("%s\n", checks[i].name);
      else if (!strcmp(wanted, checks[i].name)) {
         checks[i].run();
         return 0;
      }
   }
   if (!strcmp(wanted, "--list"))
      return 0;
   printf("usage: platform_checks --list | NAME\n");
   return 2;
}
