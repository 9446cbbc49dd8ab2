/* SPDX-License-Identifier: MIT
 *
 * Lookups in vertex shaders: each of a row of points looks at its own place with an explicit level
 * of detail.
 */
#include "texture_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 32 };

static const char vertex_source[] =
   "attribute highp vec4 position, coordinate; varying highp vec4 v;\n"
   "uniform highp %s image;\n"
   "void main() { gl_Position = position; gl_PointSize = 1.0; v = %s; }\n";
static const char fragment_source[] = "varying highp vec4 v;\n"
                                      "void main() { gl_FragColor = v; }\n";

/* What vertex shaders may call; without a level of detail it is the base level (GLSL ES 1.00
 * section 8.7). */
static const struct {
   const char *sampler, *call;
   bool cube, lod, proj;
} calls[] = {
   { "sampler2D", "texture2DLod(image, coordinate.xy, coordinate.w)", false, true, false },
   { "sampler2D", "texture2D(image, coordinate.xy)", false, false, false },
   { "sampler2D", "texture2DProjLod(image, coordinate.xyz, coordinate.w)", false, true, true },
   { "samplerCube", "textureCubeLod(image, coordinate.xyz, coordinate.w)", true, true, false },
   { "samplerCube", "textureCube(image, coordinate.xyz)", true, false, false },
};
enum { CALLS = sizeof(calls) / sizeof(calls[0]) };

static void
random_texture(struct rules *r, struct ref_texture *texture, struct ref_sampler *sampler)
{
   static const GLenum wraps[] = { GL_CLAMP_TO_EDGE, GL_REPEAT, GL_MIRRORED_REPEAT };
   const GLenum target = texture->cube ? GL_TEXTURE_CUBE_MAP : GL_TEXTURE_2D;
   const int width = rules_between(r, 1, 40), height = texture->cube ? width : rules_between(r, 1, 40);
   *sampler = (struct ref_sampler){ .min_filter = rules_min_filters[r->n % 6],
                                    .mag_filter = rules_chance(r, 50) ? GL_LINEAR : GL_NEAREST,
                                    .wrap = { rules_pick(r, wraps), rules_pick(r, wraps), GL_REPEAT } };
   glTexParameteri(target, GL_TEXTURE_MIN_FILTER, (GLint)sampler->min_filter);
   glTexParameteri(target, GL_TEXTURE_MAG_FILTER, (GLint)sampler->mag_filter);
   glTexParameteri(target, GL_TEXTURE_WRAP_S, (GLint)sampler->wrap[0]);
   glTexParameteri(target, GL_TEXTURE_WRAP_T, (GLint)sampler->wrap[1]);
   for (int face = 0; face < (texture->cube ? 6 : 1); face++)
      for (int l = 0; (width > height ? width : height) >> l; l++) {
         const int w = width >> l ? width >> l : 1, h = height >> l ? height >> l : 1;
         uint8_t *bytes = random_level(r, &image_formats[0], &texture->level[face][l], w, h, 1);
         glTexImage2D(texture->cube ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)face : GL_TEXTURE_2D,
                      l, GL_RGBA, w, h, 0, GL_RGBA, GL_UNSIGNED_BYTE, bytes);
         free(bytes);
         texture->levels = l + 1;
      }
}

static void
expect_points(struct rules *r, const struct ref_texture *texture, const struct ref_sampler *sampler,
              int call, const float (*coordinate)[4])
{
   static const double tolerance[4] = { 1.01 / 255, 1.01 / 255, 1.01 / 255, 1.01 / 255 };
   uint8_t *pixels = rules_read(r, POINTS, 1);
   for (int i = 0; i < POINTS; i++) {
      const uint8_t *have = pixels + 4 * i;
      const double result[4] = { have[0] / 255.0, have[1] / 255.0, have[2] / 255.0,
                                 have[3] / 255.0 };
      struct ref_lookup lookup = { .has_lod = true,
                                   .lod = calls[call].lod ? coordinate[i][3] : 0,
                                   .error = 4e-6 };
      struct ref_bounds b;
      for (int a = 0; a < 3; a++)
         lookup.coordinate[a].c = coordinate[i][a];
      lookup.divisor.c = calls[call].proj ? coordinate[i][2] : 1;
      if (!ref_accepts(texture, sampler, &lookup, 0, 0, result, tolerance, &b))
         rules_fail(r,
                    "%s at %f %f %f %f of %d x %d, filters %x %x: point %d is %d %d %d %d, not %.2f..%.2f %.2f..%.2f "
                    "%.2f..%.2f %.2f..%.2f",
                    calls[call].call, coordinate[i][0], coordinate[i][1], coordinate[i][2],
                    coordinate[i][3], texture->level[0][0].size[0], texture->level[0][0].size[1],
                    sampler->min_filter, sampler->mag_filter, i, have[0], have[1], have[2], have[3],
                    b.low[0] * 255, b.high[0] * 255, b.low[1] * 255, b.high[1] * 255,
                    b.low[2] * 255, b.high[2] * 255, b.low[3] * 255, b.high[3] * 255);
   }
   free(pixels);
}

void
tex_vertex(struct rules *r)
{
   struct tex_canvas canvas = tex_canvas_create(POINTS, 1);
   GLuint programs[CALLS];
   for (int i = 0; i < CALLS; i++) {
      char source[600];
      snprintf(source, sizeof(source), vertex_source, calls[i].sampler, calls[i].call);
      programs[i] = program_link(source, fragment_source);
   }
   while (rules_next(r)) {
      const int call = (int)rules_below(r, CALLS);
      struct ref_texture texture = { .cube = calls[call].cube, .dims = 2 };
      struct ref_sampler sampler;
      GLuint name;
      float position[POINTS][4], coordinate[POINTS][4];
      glGenTextures(1, &name);
      glBindTexture(texture.cube ? GL_TEXTURE_CUBE_MAP : GL_TEXTURE_2D, name);
      random_texture(r, &texture, &sampler);
      for (int i = 0; i < POINTS; i++) {
         const float x = (i + 0.5f) / POINTS * 2 - 1;
         memcpy(position[i], (const float[4]){ x, 0, 0, 1 }, sizeof(position[i]));
         for (int c = 0; c < 3; c++)
            coordinate[i][c] = rules_float(r, -1.5f, 1.5f);
         coordinate[i][3] =
            rules_chance(r, 30) ? (float)rules_between(r, -1, 6) / 2 : rules_float(r, -1, 6);
         if (calls[call].proj)
            coordinate[i][2] = rules_float(r, 0.5f, 2);
      }
      glUseProgram(programs[call]);
      glBindBuffer(GL_ARRAY_BUFFER, 0);
      glEnableVertexAttribArray(0);
      glEnableVertexAttribArray(1);
      glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, position);
      glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, 0, coordinate);
      glDrawArrays(GL_POINTS, 0, POINTS);
      expect_points(r, &texture, &sampler, call, (const float(*)[4])coordinate);
      ref_texture_free(&texture);
      glDeleteTextures(1, &name);
   }
   tex_canvas_delete(&canvas);
}
