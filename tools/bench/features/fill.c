/* SPDX-License-Identifier: MIT
 *
 * Pixels of large opaque and blended quads, FILL_QUADS over the whole target in one submission: a
 * draw has FILL_QUADS x FEATURE_PX x FEATURE_PX = 2^22 pixels, so that 4.2 ms are 1 ns a pixel.
 * What a submission costs counts for little. Texels of single levels are 0.8 pixels wide.
 */
#include "features.h"

enum { FILL_QUADS = 16 };

/* Nearer ones later. `times`: largest texture coordinate; 0: 1. */
static void
draw_quads(const struct feature *feature, const struct scene *scene)
{
   const GLfloat times = feature->times ? feature->times : 1.0f;
   (void)scene;
   glBegin(GL_QUADS);
   for (unsigned quad = 0; quad < FILL_QUADS; quad++) {
      for (unsigned corner = 0; corner < 4; corner++) {
         const GLfloat x = corner == 1 || corner == 2, y = corner >= 2;
         glColor4f(x, y, 0.3f, 0.5f);
         glTexCoord2f(x * times, y * times);
         glVertex3f(2 * x - 1, 2 * y - 1, 0.9f - 0.1f * (GLfloat)quad);
      }
   }
   glEnd();
}

/* So that all of a draw's quads are nearer than what was drawn. */
static void
draw_quads_at_depth(const struct feature *feature, const struct scene *scene)
{
   glClear(GL_DEPTH_BUFFER_BIT);
   draw_quads(feature, scene);
}

/* Texels as they are: no colour is multiplied. */
static const char *
set_texels(const struct feature *feature, const struct scene *scene)
{
   set_texture(feature, scene);
   if (feature->filter.min == GL_LINEAR_MIPMAP_LINEAR)
      glGenerateMipmap(GL_TEXTURE_2D);
   glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE);
   glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
   return NULL;
}

/* At most `size` probes; minified `size` times as much in y as in x. */
static const char *
set_probes(const struct feature *feature, const struct scene *scene)
{
   set_texels(feature, scene);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_ANISOTROPY_EXT, feature->size);
   glMatrixMode(GL_TEXTURE);
   glScalef(1.0f / (GLfloat)feature->size, 1.0f, 1.0f);
   return NULL;
}

static const char *
set_flat_samples(const struct feature *feature, const struct scene *scene)
{
   const char *missing = set_four_samples(feature, scene);
   return missing ? missing : set_flat(feature, scene);
}

#define TEXELS(name_, set_up_, min_, mag_, times_, ...) \
   { .name = "fill: " name_, .set_up = set_up_, .draw = draw_quads, .filter = { min_, mag_ }, \
     .image = { .internal = GL_RGBA8, .format = GL_RGBA, .type = GL_UNSIGNED_BYTE }, \
     .times = times_, __VA_ARGS__ }

static const struct feature fill[] = {
   { .name = "fill: one colour", .set_up = set_flat, .draw = draw_quads },
   { .name = "fill: smooth colours", .draw = draw_quads },
   TEXELS("nearest", set_texels, GL_NEAREST, GL_NEAREST, 1.6f),
   TEXELS("bilinear", set_texels, GL_LINEAR, GL_LINEAR, 1.6f),
   TEXELS("bilinear, a texel a pixel", set_texels, GL_LINEAR, GL_LINEAR, 2.0f),
   TEXELS("trilinear", set_texels, GL_LINEAR_MIPMAP_LINEAR, GL_LINEAR, 5.0f),
   TEXELS("anisotropic, 8", set_probes, GL_LINEAR_MIPMAP_LINEAR, GL_LINEAR, 16.0f, .size = 8,
          .needs = "GL_EXT_texture_filter_anisotropic"),
   TEXELS("blended bilinear", set_texels, GL_LINEAR, GL_LINEAR, 1.6f, .enable = { GL_BLEND }),
   { .name = "fill: depth-tested bilinear",
     .set_up = set_texels,
     .draw = draw_quads_at_depth,
     .filter = { GL_LINEAR, GL_LINEAR },
     .times = 1.6f,
     .enable = { GL_DEPTH_TEST },
     .image = { .internal = GL_RGBA8, .format = GL_RGBA, .type = GL_UNSIGNED_BYTE } },
   { .name = "fill: one colour, four samples", .set_up = set_flat_samples, .draw = draw_quads },
};

const struct feature_list features_of_fill = FEATURE_LIST(fill);
