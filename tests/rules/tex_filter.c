/* SPDX-License-Identifier: MIT
 *
 * Lookups with every filter and wrap mode: sizes from 1 x 1, mipmaps, biases, perspective and
 * projection, cube maps, 3D textures; each pixel against the reference.
 */
#include "tex_filter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const GLenum mag_filters[] = { GL_NEAREST, GL_LINEAR };
static const GLenum wraps[] = { GL_CLAMP_TO_EDGE, GL_REPEAT, GL_MIRRORED_REPEAT };

bool
is_mipmapped(GLenum min_filter)
{
   return min_filter != GL_NEAREST && min_filter != GL_LINEAR;
}

/* --------------------------------------------------------------------------------------- states */

void
upload_levels(struct rules *r, struct drawn *d, const int size[3], int faces)
{
   int largest = 1;
   for (int a = 0; a < 3; a++)
      largest = size[a] > largest ? size[a] : largest;
   d->texture.levels = 1;
   while (is_mipmapped(d->sampler.min_filter) && largest >> d->texture.levels)
      d->texture.levels++;
   for (int face = 0; face < faces; face++) {
      for (int l = 0; l < d->texture.levels; l++) {
         int at[3];
         for (int a = 0; a < 3; a++)
            at[a] = size[a] >> l ? size[a] >> l : 1;
         uint8_t *bytes =
            random_level(r, d->format, &d->texture.level[face][l], at[0], at[1], at[2]);
         if (d->target == GL_TEXTURE_3D_OES)
            gl_ext()->TexImage3DOES(d->target, l, d->format->format, at[0], at[1], at[2], 0,
                                    d->format->format, d->format->type, bytes);
         else
            glTexImage2D(faces == 6 ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + face : GL_TEXTURE_2D, l,
                         (GLint)d->format->format, at[0], at[1], 0, d->format->format,
                         d->format->type, bytes);
         free(bytes);
      }
   }
}

/* The first cases take every combination of filters and wrap modes in turn. */
static void
choose_sampler(struct rules *r, struct drawn *d)
{
   int n = r->n;
   d->sampler.min_filter = rules_min_filters[n % 6];
   d->sampler.mag_filter = mag_filters[n / 6 % 2];
   d->format = &image_formats[0];
   if (rules_chance(r, 40)) {
      d->format = &rules_pick(r, image_formats);
      if (!format_supported(d->format) || !format_filterable(d->format))
         d->format = &image_formats[0];
   }
   glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
   d->sampler.wrap[0] = wraps[n / 12 % 3];
   d->sampler.wrap[1] = wraps[n / 36 % 3];
   d->sampler.wrap[2] = rules_pick(r, wraps);
   glTexParameteri(d->target, GL_TEXTURE_MIN_FILTER, (GLint)d->sampler.min_filter);
   glTexParameteri(d->target, GL_TEXTURE_MAG_FILTER, (GLint)d->sampler.mag_filter);
   glTexParameteri(d->target, GL_TEXTURE_WRAP_S, (GLint)d->sampler.wrap[0]);
   glTexParameteri(d->target, GL_TEXTURE_WRAP_T, (GLint)d->sampler.wrap[1]);
   if (d->target == GL_TEXTURE_3D_OES)
      glTexParameteri(d->target, GL_TEXTURE_WRAP_R_OES, (GLint)d->sampler.wrap[2]);
}

static double
value_at(const struct affine *f, double x, double y)
{
   return f->c + f->dx * x + f->dy * y;
}

/* The largest |f / g| over the canvas, taken on at a corner. */
static double
largest(const struct affine *f, const struct affine *g)
{
   double most = 0;
   for (int i = 0; i < 4; i++) {
      const double x = CANVAS_PX * (i & 1), y = CANVAS_PX * (i >> 1);
      most = fmax(most, fabs(value_at(f, x, y) / value_at(g, x, y)));
   }
   return most;
}

/* A function that is positive over the canvas, and one at its middle; constant: one. */
static struct affine
random_divisor(struct rules *r, bool constant)
{
   const double dx = constant ? 0 : rules_float(r, -0.9f, 0.9f) / CANVAS_PX;
   const double dy = constant ? 0 : rules_float(r, -0.9f, 0.9f) / CANVAS_PX;
   return (struct affine){ 1 - CANVAS_PX / 2 * (dx + dy), dx, dy };
}

/* Coordinate a, so that a pixel is up to `texels` wide and the middle lies within a few
 * repetitions. */
static struct affine
random_coordinate(struct rules *r, double texels, int size, int shape)
{
   const double angle = rules_float(r, 0, 6.2831853f), step = texels / size;
   struct affine f = { rules_float(r, -2, 3), step * cos(angle), step * sin(angle) };
   if (shape == 1) /* along one axis of the window only */
      f.dy = 0;
   else if (shape == 2)
      f.dx = 0;
   else if (shape == 3) /* constant */
      f.dx = f.dy = 0;
   f.c -= CANVAS_PX / 2 * (f.dx + f.dy);
   return f;
}

/* Texels a pixel: often about 1, where filters change; now and then none at all. */
static double
random_scale(struct rules *r)
{
   return rules_chance(r, 5)
             ? 0
             : exp2(rules_chance(r, 30) ? rules_float(r, -0.7f, 0.7f) : rules_float(r, -5, 5));
}

void
choose_coordinates(struct rules *r, struct drawn *d, const int size[3])
{
   const struct affine one = { 1, 0, 0 };
   const bool projective = lookup_is_projective(d->kind);
   struct affine divisor = random_divisor(r, !projective && rules_chance(r, 50));
   const double texels = random_scale(r);
   for (int a = 0; a < 3; a++)
      d->varying[a] = random_coordinate(r, texels, size[a], rules_chance(r, 40) ? rules_between(r, 1, 3) : 0);
   if (d->kind == LOOKUP_2D_PROJ4 && rules_chance(r, 20)) /* a negative q is a divisor as good as any */
      divisor = (struct affine){ -divisor.c, -divisor.dx, -divisor.dy };
   d->varying[3] = projective ? divisor : one;
   d->w_divisor = projective ? one : divisor;
   memcpy(d->lookup.coordinate, d->varying, sizeof(d->lookup.coordinate));
   d->lookup.divisor = divisor;
   double most = 0;
   for (int a = 0; a < d->texture.dims; a++)
      most = fmax(most, largest(&d->varying[a], &divisor));
   d->lookup.error = most * 0x1p-20;
}

/* Directions: a plane somewhere around the cube, seen from its middle. */
void
choose_directions(struct rules *r, struct drawn *d)
{
   const double spread = exp2(rules_float(r, -9, 1.5f)) / CANVAS_PX;
   d->w_divisor = random_divisor(r, rules_chance(r, 50));
   for (int a = 0; a < 3; a++) {
      d->varying[a] = (struct affine){ rules_float(r, -1, 1), spread * rules_float(r, -1, 1),
                                       spread * rules_float(r, -1, 1) };
   }
   if (rules_chance(r, 60)) /* looks at a face: one component is +-1 in the middle */
      d->varying[rules_below(r, 3)].c = rules_chance(r, 50) ? 1 : -1;
   if (rules_chance(r, 20)) /* at an edge */
      d->varying[1].c = fabs(d->varying[0].c) * (rules_chance(r, 50) ? 1 : -1);
   double most = 0;
   for (int a = 0; a < 3; a++) {
      d->varying[a].c -= CANVAS_PX / 2 * (d->varying[a].dx + d->varying[a].dy);
      most = fmax(most, largest(&d->varying[a], &(struct affine){ 1, 0, 0 }));
   }
   memcpy(d->lookup.coordinate, d->varying, sizeof(d->lookup.coordinate));
   d->lookup.error = most * 0x1p-21;
}

static void
choose_lod(struct rules *r, struct drawn *d)
{
   const bool bias = d->kind == LOOKUP_2D_BIAS || d->kind == LOOKUP_2D_PROJ_BIAS ||
                     d->kind == LOOKUP_CUBE_BIAS || d->kind == LOOKUP_3D_BIAS;
   d->lookup.has_lod = d->kind == LOOKUP_2D_LOD || d->kind == LOOKUP_CUBE_LOD;
   d->lookup.lod = 0;
   if (bias)
      d->lookup.lod = rules_float(r, -3, 3);
   if (d->lookup.has_lod) {
      static const float exact[] = { 0, 0.25f, 0.5f, 1, 1.5f, 2, 2.75f, 10, -1 };
      d->lookup.lod = rules_chance(r, 50) ? rules_pick(r, exact) : rules_float(r, -1, 8);
   }
}

/* ----------------------------------------------------------------------------------- comparison */

void
expect_lookups(struct rules *r, const struct drawn *d)
{
   static const double tolerance[4] = { 1.01 / 255, 1.01 / 255, 1.01 / 255, 1.01 / 255 };
   uint8_t *pixels = rules_read(r, CANVAS_PX, CANVAS_PX);
   for (int i = 0; i < CANVAS_PX * CANVAS_PX; i++) {
      const uint8_t *have = pixels + 4 * i;
      const double x = i % CANVAS_PX + 0.5, y = i / CANVAS_PX + 0.5;
      const double result[4] = { have[0] / 255.0, have[1] / 255.0, have[2] / 255.0,
                                 have[3] / 255.0 };
      struct ref_bounds b;
      if (!ref_accepts(&d->texture, &d->sampler, &d->lookup, x, y, result, tolerance, &b))
         rules_fail(r,
                    "lookup %d of %s %d x %d x %d, filters %x %x, wrap %x %x %x: pixel (%d, %d) is %d %d %d %d, not "
                    "%.2f..%.2f %.2f..%.2f %.2f..%.2f %.2f..%.2f; level of detail %.3f..%.3f",
                    d->kind, d->format_name ? d->format_name : d->format->name,
                    d->texture.level[0][0].size[0], d->texture.level[0][0].size[1],
                    d->texture.level[0][0].size[2], d->sampler.min_filter, d->sampler.mag_filter,
                    d->sampler.wrap[0], d->sampler.wrap[1], d->sampler.wrap[2], i % CANVAS_PX,
                    i / CANVAS_PX, have[0], have[1], have[2], have[3], b.low[0] * 255,
                    b.high[0] * 255, b.low[1] * 255, b.high[1] * 255, b.low[2] * 255,
                    b.high[2] * 255, b.low[3] * 255, b.high[3] * 255, b.lod_low, b.lod_high);
   }
   free(pixels);
}

static void
draw_and_compare(struct rules *r, struct drawn *d)
{
   lookup_use(d->kind, (float)d->lookup.lod);
   d->lookup.lod = (float)d->lookup.lod;
   draw_lookup(d->varying, &d->w_divisor, CANVAS_PX, CANVAS_PX);
   expect_lookups(r, d);
   ref_texture_free(&d->texture);
}

static const int sizes_px[] = {
   1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 128
};

/* Two or three sizes: the smallest first. */
static void
choose_size(struct rules *r, int dims, int size[3])
{
   size[0] = rules_pick(r, sizes_px), size[1] = rules_pick(r, sizes_px), size[2] = 1;
   if (r->n < 12)
      size[0] = size[1] = 1;
   if (dims == 3)
      for (int a = 0; a < 3; a++)
         size[a] = sizes_px[rules_below(r, 12)];
}

/* Up to the limit, but not in both directions. */
static void
choose_large_size(struct rules *r, int size[3])
{
   static const int areas[] = { 1 << 16, 1 << 17, 3 << 16 };
   GLint most;
   glGetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
   const int larger = r->n < 3              ? most
                      : rules_chance(r, 50) ? 256 << rules_below(r, 6)
                                            : rules_between(r, 200, most);
   const int large = larger < most ? larger : most;
   const int small = rules_between(r, 1, rules_pick(r, areas) / large);
   const bool wide = rules_chance(r, 50);
   size[0] = wide ? large : small, size[1] = wide ? small : large, size[2] = 1;
}

static void
run_flat(struct rules *r, const enum lookup_kind *kinds, uint32_t kind_count, int dims, bool large)
{
   struct tex_canvas canvas[2] = { tex_canvas_create(CANVAS_PX, CANVAS_PX),
                                   tex_canvas_create_pbuffer(CANVAS_PX, CANVAS_PX) };
   while (rules_next(r)) {
      struct drawn d = { .kind = kinds[rules_below(r, kind_count)], .texture.dims = dims };
      GLuint texture;
      int size[3];
      if (large)
         choose_large_size(r, size);
      else
         choose_size(r, dims, size);
      if (!lookup_supported(d.kind))
         d.kind = kinds[0];
      d.target = dims == 3 ? GL_TEXTURE_3D_OES : GL_TEXTURE_2D;
      glGenTextures(1, &texture);
      glBindTexture(d.target, texture);
      choose_sampler(r, &d);
      upload_levels(r, &d, size, 1);
      choose_coordinates(r, &d, size);
      choose_lod(r, &d);
      tex_canvas_bind(&canvas[rules_below(r, 2)]);
      draw_and_compare(r, &d);
      glDeleteTextures(1, &texture);
   }
   tex_canvas_delete(&canvas[0]);
}

void
tex_filter_2d(struct rules *r)
{
   static const enum lookup_kind kinds[] = { LOOKUP_2D,       LOOKUP_2D,       LOOKUP_2D_BIAS,
                                             LOOKUP_2D_PROJ3, LOOKUP_2D_PROJ4, LOOKUP_2D_PROJ_BIAS,
                                             LOOKUP_2D_LOD };
   run_flat(r, kinds, sizeof(kinds) / sizeof(kinds[0]), 2, false);
}

void
tex_filter_large(struct rules *r)
{
   static const enum lookup_kind kinds[] = { LOOKUP_2D, LOOKUP_2D_PROJ4 };
   run_flat(r, kinds, 2, 2, true);
}

void
tex_filter_3d(struct rules *r)
{
   static const enum lookup_kind kinds[] = { LOOKUP_3D, LOOKUP_3D_BIAS };
   if (!has_extension("GL_OES_texture_3D"))
      rules_skip("no GL_OES_texture_3D");
   run_flat(r, kinds, 2, 3, false);
}

void
tex_filter_cube(struct rules *r)
{
   static const enum lookup_kind kinds[] = { LOOKUP_CUBE, LOOKUP_CUBE, LOOKUP_CUBE_BIAS,
                                             LOOKUP_CUBE_LOD };
   struct tex_canvas canvas[2] = { tex_canvas_create(CANVAS_PX, CANVAS_PX),
                                   tex_canvas_create_pbuffer(CANVAS_PX, CANVAS_PX) };
   while (rules_next(r)) {
      struct drawn d = { .kind = rules_pick(r, kinds), .target = GL_TEXTURE_CUBE_MAP,
                         .texture = { .cube = true, .dims = 2 } };
      GLuint texture;
      const int size = r->n < 12 ? 1 : sizes_px[rules_below(r, 16)];
      if (!lookup_supported(d.kind))
         d.kind = LOOKUP_CUBE;
      glGenTextures(1, &texture);
      glBindTexture(d.target, texture);
      choose_sampler(r, &d);
      upload_levels(r, &d, (const int[3]){ size, size, 1 }, 6);
      choose_directions(r, &d);
      choose_lod(r, &d);
      tex_canvas_bind(&canvas[rules_below(r, 2)]);
      draw_and_compare(r, &d);
      glDeleteTextures(1, &texture);
   }
   tex_canvas_delete(&canvas[0]);
}
