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
   { "rg8 texture", "GL_EXT_texture_rg", 0, GL_RG_EXT, GL_UNSIGNED_BYTE, { 8, 8, 0, 0 }, "rg" },
   { "r8 texture", "GL_EXT_texture_rg", 0, GL_RED_EXT, GL_UNSIGNED_BYTE, { 8, 0, 0, 0 }, "r" },
};

bool
source_supported(const struct source *s)
{
   return !s->format->extension || has_extension(s->format->extension);
}

bool
source_create(struct source *s)
{
   const struct colour_format *f = s->format;
   glGenFramebuffers(1, &s->framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, s->framebuffer);
   if (f->renderbuffer) {
      glGenRenderbuffers(1, &s->renderbuffer);
      glBindRenderbuffer(GL_RENDERBUFFER, s->renderbuffer);
      glRenderbufferStorage(GL_RENDERBUFFER, f->renderbuffer, s->width, s->height);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, s->renderbuffer);
   } else {
      glGenTextures(1, &s->texture);
      glBindTexture(GL_TEXTURE_2D, s->texture);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
      glTexImage2D(GL_TEXTURE_2D, 0, (GLint)f->format, s->width, s->height, 0, f->format, f->type, NULL);
      glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, s->texture, 0);
   }
   return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

void
source_fill(struct rules *r, struct source *s)
{
   s->pixel = calloc((size_t)s->width * s->height, sizeof(*s->pixel));
   for (int n = 0; n < 12; n++) {
      const int x = n ? rules_between(r, 0, s->width - 1) : 0, y = n ? rules_between(r, 0, s->height - 1) : 0;
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
   glDeleteFramebuffers(1, &s->framebuffer);
   glDeleteRenderbuffers(1, &s->renderbuffer);
   glDeleteTextures(1, &s->texture);
   free(s->pixel);
}
