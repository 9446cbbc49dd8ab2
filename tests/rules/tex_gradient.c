/* SPDX-License-Identifier: MIT
 *
 * Gradients that a shader gives (EXT_shader_texture_lod): those of the coordinates themselves, by
 * dFdx and dFdy. At the first pixel of each quad, whose differences the lookup without gradients
 * takes for all four, they sample what that does, with any filter, the anisotropic one, too;
 * everywhere what the reference allows, but for the anisotropic filter, which it does not know.
 */
#include "tex_filter.h"

#include <stdlib.h>

static const char vertex_source[] =
   "attribute highp vec4 position, coordinate; varying highp vec4 v;\n"
   "void main() { gl_Position = position; v = coordinate; }\n";

/* A lookup, and the same with gradients. */
static const struct {
   const char *implicit, *given;
} lookups[] = {
   { "texture2D(image, v.xy)", "texture2DGradEXT(image, v.xy, dFdx(v.xy), dFdy(v.xy))" },
   { "texture2DProj(image, v)",
     "texture2DProjGradEXT(image, v, dFdx(v.xy / v.w), dFdy(v.xy / v.w))" },
};
enum { LOOKUPS = sizeof(lookups) / sizeof(lookups[0]) };

static GLuint
program_of(const char *lookup)
{
   char fragment[400];
   snprintf(fragment, sizeof(fragment),
            "#extension GL_EXT_shader_texture_lod : require\n#extension GL_OES_standard_derivatives : require\n"
            "precision highp float; uniform highp sampler2D image; varying vec4 v;\n"
            "void main() { gl_FragColor = %s; }\n",
            lookup);
   return program_link(vertex_source, fragment);
}

/* Whether the filter is anisotropic. */
static bool
choose_filters(struct rules *r, struct drawn *d)
{
   static const GLenum min_filters[] = { GL_NEAREST_MIPMAP_NEAREST, GL_LINEAR_MIPMAP_NEAREST,
                                         GL_NEAREST_MIPMAP_LINEAR, GL_LINEAR_MIPMAP_LINEAR,
                                         GL_LINEAR_MIPMAP_LINEAR };
   float most = 1, anisotropy = 1;
   if (has_extension("GL_EXT_texture_filter_anisotropic")) {
      glGetFloatv(GL_MAX_TEXTURE_MAX_ANISOTROPY_EXT, &most);
      anisotropy = rules_chance(r, 30) ? 1 : rules_float(r, 1, most);
      glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_MAX_ANISOTROPY_EXT, anisotropy);
   }
   d->sampler = (struct ref_sampler){ .min_filter = rules_pick(r, min_filters),
                                      .mag_filter = rules_chance(r, 50) ? GL_NEAREST : GL_LINEAR,
                                      .wrap = { GL_REPEAT, GL_REPEAT, GL_REPEAT } };
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, (GLint)d->sampler.min_filter);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, (GLint)d->sampler.mag_filter);
   return anisotropy > 1;
}

void
tex_gradients(struct rules *r)
{
   GLuint program[LOOKUPS][2];
   if (!has_extension("GL_EXT_shader_texture_lod") || !has_extension("GL_OES_standard_derivatives"))
      rules_skip("no GL_EXT_shader_texture_lod, or no GL_OES_standard_derivatives");
   for (int i = 0; i < LOOKUPS; i++) {
      program[i][0] = program_of(lookups[i].implicit);
      program[i][1] = program_of(lookups[i].given);
   }
   struct tex_canvas canvas = tex_canvas_create(CANVAS_PX, CANVAS_PX);
   glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
   while (rules_next(r)) {
      const int lookup = rules_between(r, 0, LOOKUPS - 1);
      const int size[3] = { 1 << rules_between(r, 0, 8), 1 << rules_between(r, 0, 8), 1 };
      struct drawn d = { .kind = lookup ? LOOKUP_2D_PROJ4 : LOOKUP_2D, .target = GL_TEXTURE_2D,
                         .format = &image_formats[0], .texture.dims = 2 };
      uint8_t *picture[2];
      GLuint texture;
      glGenTextures(1, &texture);
      glBindTexture(GL_TEXTURE_2D, texture);
      const bool anisotropic = choose_filters(r, &d);
      upload_levels(r, &d, size, 1);
      choose_coordinates(r, &d, size);
      for (int given = 0; given < 2; given++) {
         tex_canvas_bind(&canvas);
         glUseProgram(program[lookup][given]);
         draw_lookup(d.varying, &d.w_divisor, CANVAS_PX, CANVAS_PX);
         picture[given] = rules_read(r, CANVAS_PX, CANVAS_PX);
         if (!anisotropic)
            expect_lookups(r, &d);
      }
      no_error("a lookup with gradients");
      rules_expect(r, CANVAS_PX, CANVAS_PX, picture[1], picture[0], (const int[4]){ 0 },
                   lookups[lookup].given);
      free(picture[0]);
      free(picture[1]);
      ref_texture_free(&d.texture);
      glDeleteTextures(1, &texture);
   }
   tex_canvas_delete(&canvas);
}
