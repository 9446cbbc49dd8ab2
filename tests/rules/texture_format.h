/* SPDX-License-Identifier: MIT
 *
 * The formats and types that texture images come in, and what their bytes mean (table 3.4 of the
 * OpenGL ES 2.0 specification and those of the extensions).
 */
#ifndef TEXTURE_FORMAT_H
#define TEXTURE_FORMAT_H

#include "rules.h"

struct image_format {
   const char *name, *extension; /* NULL: OpenGL ES 2.0 itself */
   GLenum format, type;
   int pixel_B;
   bool filterable; /* linear filters are allowed and given */
   const char *filter_extension;
   bool depth;
   /* The texel that a lookup gives for these bytes: table 3.11. */
   void (*decode)(const uint8_t *bytes, double rgba[4]);
};

enum { IMAGE_FORMATS = 30 };
extern const struct image_format image_formats[IMAGE_FORMATS];

/* Whether the context has the format; whether it has linear filters for it. */
bool format_supported(const struct image_format *format);
bool format_filterable(const struct image_format *format);

/* Bytes of a random pixel: all values of integers; floats somewhere around [0, 1], no
 * infinities. */
void format_random_pixel(struct rules *r, const struct image_format *format, uint8_t *bytes);

double half_to_double(uint16_t half);

#endif
