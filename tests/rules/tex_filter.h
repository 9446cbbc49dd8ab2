/* SPDX-License-Identifier: MIT
 *
 * What rules of filters and samplers share: a lookup with random coordinates, drawn all over a
 * canvas and compared.
 */
#ifndef TEX_FILTER_H
#define TEX_FILTER_H

#include "texture_rules.h"

enum { CANVAS_PX = 32 };

/* One lookup drawn all over a canvas. */
struct drawn {
   enum lookup_kind kind;
   GLenum target;
   const struct image_format *format;
   const char *format_name; /* if it is none of image_formats */
   struct ref_texture texture;
   struct ref_sampler sampler;
   struct ref_lookup lookup;
   struct affine varying[4], w_divisor; /* the varying is varying[i] / w_divisor */
};

bool is_mipmapped(GLenum min_filter);

/* Uploads random levels, as many as the filter needs; depth of other than 3D textures is 1. */
void upload_levels(struct rules *r, struct drawn *d, const int size[3], int faces);

/* Coordinates on a plane somewhere over the texture, with perspective half of the time, for
 * d->texture.dims. */
void choose_coordinates(struct rules *r, struct drawn *d, const int size[3]);

/* The same for cube maps. */
void choose_directions(struct rules *r, struct drawn *d);

/* Reads the canvas; fails at the first pixel that the reference does not accept. */
void expect_lookups(struct rules *r, const struct drawn *d);

#endif
