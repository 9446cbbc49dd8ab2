/* SPDX-License-Identifier: MIT
 *
 * Frame buffers of every colour format with a random picture: what copies and glReadPixels take
 * pixels from.
 */
#ifndef COLOUR_SOURCE_H
#define COLOUR_SOURCE_H

#include "rules.h"

/* A colour attachment, a renderbuffer or a texture; or the default frame buffer of a pbuffer, whose
 * rows lie the other way round. */
struct colour_format {
   const char *name, *extension;
   GLenum renderbuffer; /* internal format; 0: a texture of the next two; all 0: a pbuffer */
   GLenum format, type;
   int bits[4]; /* r, g, b, a */
   const char *components; /* that it has */
};

enum { COLOUR_FORMATS = 18 };
extern const struct colour_format colour_formats[COLOUR_FORMATS];

struct source {
   const struct colour_format *format;
   GLuint framebuffer, renderbuffer, texture;
   EGLSurface surface;
   int width, height;
   double (*pixel)[4]; /* as drawn; without red, green or blue 0, without alpha 1 */
};

/* To be called before all else of GL: makes a context current to which pbuffers of every
 * configuration can be bound. */
void source_context(void);

/* Whether the context has the format. */
bool source_supported(const struct source *s);

/* Makes the frame buffer of s->format and size and binds it. False: it is not complete. */
bool source_create(struct source *s);

/* Fills it with rectangles of random colours: k / 15, which is exact in 4 and 8 bits. */
void source_fill(struct rules *r, struct source *s);

void source_delete(struct source *s);

#endif
