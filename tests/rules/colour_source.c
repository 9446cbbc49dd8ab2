/* SPDX-License-Identifier: MIT */
#include "colour_source.h"

#include <stdlib.h>
#include <string.h>

#include "texture_draw.h"

const struct colour_format colour_formats[COLOUR_FORMATS] = {
   { "rgba8 renderbuffer", "GL_OES_rgb8_rgba8", GL_RGBA8_OES, 0, 0, { 8, 8, 8, 8 }, "rgba" },
   { "rgb8 renderbuffer", "GL_OES_rgb8_rgba8", GL_RGB8_OES, 0, 0, { 8, 8, 8, 0 }, "rgb" },
   { "565 renderbuffer", NULL, GL_RGB565, 0, 0, { 5, 6, 5, 0 }, "rgb" },
   { "4444 renderbuffer", NULL, GL_RGBA4, 0, 0, { 4, 4, 4, 4 }, "rgba" },
   { "5551 renderbuffer", NULL, GL_RGB5_A1, 0, 0, { 5, 5, 5, 1 }, "rgba" },
   { "rgba8 texture", NULL, 0, GL_RGBA, GL_UNSIGNED_BYTE, { 8, 8, 8, 8 }, "rgba" },
   { "rgb8 texture", NULL, 0, GL_RGB, GL_UNSIGNED_BYTE, { 8, 8, 8, 0 }, "rgb" },
   { "bgra8 texture", "GL_EXT_texture_format_BGRA8888", 0, GL_BGRA_EXT, GL_UNSIGNED_BYTE, { 8, 8, 8, 8 }, "rgba" },
   { "565 texture", NULL, 0, GL_RGB, GL_UNSIGNED_SHORT_5_6_5, { 5, 6, 5, 0 }, "rgb" },
   { "4444 texture", NULL, 0, GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4, { 4, 4, 4, 4 }, "rgba" },
   { "5551 texture", NULL, 0, GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1, { 5, 5, 5, 1 }, "rgba" },
   { "half float texture", "GL_EXT_color_buffer_half_float", 0, GL_RGBA, GL_HALF_FLOAT_OES, { 11, 11, 11, 11 }, "rgba" },
   { "half float renderbuffer", "GL_EXT_color_buffer_half_float", GL_RGBA16F_EXT, 0, 0, { 11, 11, 11, 11 }, "rgba" },
   { "rgba8 pbuffer", NULL, 0, 0, 0, { 8, 8, 8, 8 }, "rgba" },
   { "rgb8 pbuffer", NULL, 0, 0, 0, { 8, 8, 8, 0 }, "rgb" },
   { "565 pbuffer", NULL, 0, 0, 0, { 5, 6, 5, 0 }, "rgb" },
   { "rg8 texture", "GL_EXT_texture_rg", 0, GL_RG_EXT, GL_UNSIGNED_BYTE, { 8, 8, 0, 0 }, "rg" },
   { "r8 texture", "GL_EXT_texture_rg", 0, GL_RED_EXT, GL_UNSIGNED_BYTE, { 8, 0, 0, 0 }, "r" },
};

static bool
is_pbuffer(const struct colour_format *f)
{
   return !f->renderbuffer && !f->format;
}

/* The configuration of a pbuffer; NULL: there is none. */
static EGLConfig
config_of(const struct colour_format *f)
{
   static const EGLint names[4] = { EGL_RED_SIZE, EGL_GREEN_SIZE, EGL_BLUE_SIZE, EGL_ALPHA_SIZE };
   const EGLint wanted[] = { EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_SURFACE_TYPE,
                             EGL_PBUFFER_BIT, EGL_NONE };
   const EGLDisplay display = eglGetCurrentDisplay();
   EGLConfig configs[100];
   EGLint count;
   eglChooseConfig(display, wanted, configs, 100, &count);
   for (int i = 0; i < count; i++) {
      bool same = true;
      for (int c = 0; c < 4; c++) {
         EGLint bits;
         eglGetConfigAttrib(display, configs[i], names[c], &bits);
         same &= bits == f->bits[c];
      }
      if (same)
         return configs[i];
   }
   return NULL;
}

void
source_context(void)
{
   static const EGLint attributes[] = { EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE };
   const EGLDisplay display = eglGetCurrentDisplay();
   const EGLContext context =
      eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
   if (context == EGL_NO_CONTEXT ||
       !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
      die("a context without a configuration cannot be made: %x", eglGetError());
}

bool
source_supported(const struct source *s)
{
   if (is_pbuffer(s->format))
      return config_of(s->format) != NULL;
   return !s->format->extension || has_extension(s->format->extension);
}

static void
create_pbuffer(struct source *s)
{
   const EGLint size[] = { EGL_WIDTH, s->width, EGL_HEIGHT, s->height, EGL_NONE };
   const EGLDisplay display = eglGetCurrentDisplay();
   s->surface = eglCreatePbufferSurface(display, config_of(s->format), size);
   if (s->surface == EGL_NO_SURFACE ||
       !eglMakeCurrent(display, s->surface, s->surface, eglGetCurrentContext()))
      die("a pbuffer of %d x %d cannot be made: %x", s->width, s->height, eglGetError());
   glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

bool
source_create(struct source *s)
{
   const struct colour_format *f = s->format;
   s->surface = EGL_NO_SURFACE;
   if (is_pbuffer(f)) {
      create_pbuffer(s);
      return true;
   }
   glGenFramebuffers(1, &s->framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, s->framebuffer);
   if (f->renderbuffer) {
      glGenRenderbuffers(1, &s->renderbuffer);
      glBindRenderbuffer(GL_RENDERBUFFER, s->renderbuffer);
      glRenderbufferStorage(GL_RENDERBUFFER, f->renderbuffer, s->width, s->height);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
                                s->renderbuffer);
   } else {
      glGenTextures(1, &s->texture);
      glBindTexture(GL_TEXTURE_2D, s->texture);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
      glTexImage2D(GL_TEXTURE_2D, 0, (GLint)f->format, s->width, s->height, 0, f->format, f->type,
                   NULL);
      glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, s->texture, 0);
   }
   return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

void
source_fill(struct rules *r, struct source *s)
{
   s->pixel = calloc((size_t)s->width * s->height, sizeof(*s->pixel));
   for (int n = 0; n < 12; n++) {
      const int x = n ? rules_between(r, 0, s->width - 1) : 0,
                y = n ? rules_between(r, 0, s->height - 1) : 0;
      const int width = n ? rules_between(r, 1, s->width - x) : s->width;
      const int height = n ? rules_between(r, 1, s->height - y) : s->height;
      float colour[4];
      double stored[4];
      for (int c = 0; c < 4; c++) {
         const bool has = strchr(s->format->components, "rgba"[c]) != NULL;
         colour[c] = s->format->bits[c] == 1 ? rules_below(r, 2) : rules_below(r, 16) / 15.0f;
         stored[c] = has ? colour[c] : c == 3;
      }
      glEnable(GL_SCISSOR_TEST);
      glScissor(x, y, width, height);
      glClearColor(colour[0], colour[1], colour[2], colour[3]);
      glClear(GL_COLOR_BUFFER_BIT);
      for (int i = 0; i < width * height; i++)
         memcpy(s->pixel[(y + i / width) * s->width + x + i % width], stored, sizeof(stored));
   }
   glDisable(GL_SCISSOR_TEST);
   glClearColor(0, 0, 0, 0);
}

void
source_delete(struct source *s)
{
   if (s->surface != EGL_NO_SURFACE) {
      const EGLDisplay display = eglGetCurrentDisplay();
      eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, eglGetCurrentContext());
      eglDestroySurface(display, s->surface);
   }
   glDeleteFramebuffers(1, &s->framebuffer);
   glDeleteRenderbuffers(1, &s->renderbuffer);
   glDeleteTextures(1, &s->texture);
   free(s->pixel);
}
