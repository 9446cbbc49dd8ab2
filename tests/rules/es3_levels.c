/* SPDX-License-Identifier: MIT
 *
 * Which level a lookup takes (OpenGL ES 3.0, section 3.8.10): base and largest level, limits of the
 * level of detail, of textures and of sampler objects; and filters that cross the edges of a cube
 * (section 3.8.10.1).
 */
#include "es3_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 7 };

struct level_case {
   int base, max;
   float min_lod, max_lod, lod;
   GLenum min_filter, mag_filter;
};

/* Levels whose texels are all their own number, in halves. */
static GLuint
numbered_texture(bool storage)
{
   GLuint texture;
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   if (storage)
      glTexStorage2D(GL_TEXTURE_2D, LEVELS, GL_R16F, 1 << (LEVELS - 1), 1 << (LEVELS - 1));
   for (int level = 0; level < LEVELS; level++) {
      const int size_px = 1 << (LEVELS - 1 - level);
      float *texels = malloc((size_t)size_px * size_px * sizeof(float));
      for (int i = 0; i < size_px * size_px; i++)
         texels[i] = (float)level;
      if (storage)
         glTexSubImage2D(GL_TEXTURE_2D, level, 0, 0, size_px, size_px, GL_RED, GL_FLOAT, texels);
      else
         glTexImage2D(GL_TEXTURE_2D, level, GL_R16F, size_px, size_px, 0, GL_RED, GL_FLOAT, texels);
      free(texels);
   }
   return texture;
}

/* Equations 3.18 to 3.21, with c = 0: ES 3 magnifies up to lambda = 0. */
static double
wanted_level(const struct level_case *k)
{
   const int most = LEVELS - 1;
   const int base = k->base < most ? k->base : most;
   const int q = k->max < most ? (k->max > base ? k->max : base) : most;
   const double lambda = fmin(fmax(k->lod, k->min_lod), k->max_lod);
   if (lambda <= 0 || k->min_filter == GL_NEAREST || k->min_filter == GL_LINEAR)
      return base;
   if (k->min_filter == GL_NEAREST_MIPMAP_NEAREST || k->min_filter == GL_LINEAR_MIPMAP_NEAREST) {
      const double d = lambda <= 0.5 ? base : base + ceil(lambda + 0.5) - 1;
      return fmin(d, q);
   }
   return fmin(base + lambda, q);
}

static void
random_level_case(struct rules *r, struct level_case *k)
{
   *k = (struct level_case){ .max = 1000, .min_lod = -1000, .max_lod = 1000 };
   k->min_filter = rules_min_filters[r->n % 6];
   k->mag_filter = rules_min_filters[rules_below(r, 2)];
   k->lod = (float)rules_between(r, -2, LEVELS + 1) + rules_float(r, -0.45f, 0.45f);
   if (rules_chance(r, 50))
      k->base = rules_between(r, 0, LEVELS - 1);
   if (rules_chance(r, 50))
      k->max = rules_between(r, k->base, LEVELS + 2);
   if (rules_chance(r, 50))
      k->min_lod = (float)rules_between(r, -1, LEVELS) + rules_float(r, -0.4f, 0.4f);
   if (rules_chance(r, 50))
      k->max_lod = (float)rules_between(r, -1, LEVELS) + rules_float(r, -0.4f, 0.4f);
   if (k->max_lod < k->min_lod) /* what then happens is undefined */
      k->max_lod = k->min_lod;
}

/* Sets the case in the texture, or in a sampler object while the texture says something else. */
static GLuint
set_sampling(const struct level_case *k, bool by_sampler)
{
   GLuint sampler = 0;
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_BASE_LEVEL, k->base);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, k->max);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER,
                   (GLint)(by_sampler ? GL_NEAREST : k->min_filter));
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, (GLint)k->mag_filter);
   glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_MIN_LOD, by_sampler ? 3 : k->min_lod);
   glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_MAX_LOD, by_sampler ? 3 : k->max_lod);
   if (by_sampler) {
      glGenSamplers(1, &sampler);
      glSamplerParameteri(sampler, GL_TEXTURE_MIN_FILTER, (GLint)k->min_filter);
      glSamplerParameteri(sampler, GL_TEXTURE_MAG_FILTER, (GLint)k->mag_filter);
      glSamplerParameterf(sampler, GL_TEXTURE_MIN_LOD, k->min_lod);
      glSamplerParameterf(sampler, GL_TEXTURE_MAX_LOD, k->max_lod);
   }
   glBindSampler(0, sampler);
   return sampler;
}

void
es3_levels(struct rules *r)
{
   struct es3_target target = es3_target_create(GL_RGBA32UI, 4, 4);
   static const char *const calls[] = {
      "textureLod(image, vec2(0.4), lod)",
      "textureGrad(image, vec2(0.4), vec2(exp2(lod) / size.x, 0.0), vec2(0.0))",
      "texture(image, (gl_FragCoord.xy + 0.25) * exp2(lod) / size)",
      "texture(image, gl_FragCoord.xy / size, lod)",
   };
   while (rules_next(r)) {
      struct level_case k;
      char fragment[300];
      const bool storage = rules_chance(r, 50), by_sampler = rules_chance(r, 50);
      const char *call = calls[r->n / 6 % 4];
      GLuint texture = numbered_texture(storage);
      random_level_case(r, &k);
      GLuint sampler = set_sampling(&k, by_sampler);
      snprintf(
         fragment, sizeof(fragment),
         "uniform sampler2D image; uniform float lod; out uvec4 v;\n"
         "void main() { vec2 size = vec2(textureSize(image, 0));\n   v = floatBitsToUint(%s); }",
         call);
      GLuint program = es3_program(r, es3_vertex_whole, fragment);
      glUniform1f(glGetUniformLocation(program, "lod"), k.lod);
      es3_draw_whole();
      uint32_t *have = es3_read_uint(r, 4, 4);
      const double wanted = wanted_level(&k),
                   off = k.min_filter >= GL_NEAREST_MIPMAP_LINEAR ? 0.02 : 0;
      for (int i = 0; i < 16; i++) {
         if (!(fabs(es3_float(have[4 * i]) - wanted) <= off))
            rules_fail(
               r, "%s, filters 0x%04x 0x%04x, lod %g in [%g, %g], levels %d to %d%s%s: %g, not %g",
               call, k.min_filter, k.mag_filter, k.lod, k.min_lod, k.max_lod, k.base, k.max,
               storage ? ", immutable" : "", by_sampler ? ", by a sampler object" : "",
               es3_float(have[4 * i]), wanted);
      }
      free(have);
      glDeleteSamplers(1, &sampler);
      glDeleteProgram(program);
      glDeleteTextures(1, &texture);
   }
   es3_target_delete(&target);
}

/* ---------------------------------------------------------------------------- minification begins
 */

/* Column c of level l. */
static double
column_value(int level, int column)
{
   return 2 * level + column % 2;
}

/* Levels of columns of two values: 8, 4, 2 and 1 pixels wide. */
static GLuint
striped_texture(void)
{
   GLuint texture;
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   for (int level = 0; level < 4; level++) {
      float texels[8];
      for (int c = 0; c < 8 >> level; c++)
         texels[c] = (float)column_value(level, c);
      glTexImage2D(GL_TEXTURE_2D, level, GL_R16F, 8 >> level, 1, 0, GL_RED, GL_FLOAT, texels);
   }
   return texture;
}

/* Equations 3.22 and 3.23 along s. */
static double
striped_sample(int level, double s, bool linear)
{
   const int width_px = 8 >> level;
   const double u = s * width_px, left = floor(u - 0.5), share = u - 0.5 - left;
   if (!linear)
      return column_value(level, (int)floor(u));
   const int c0 = (int)fmax(left, 0), c1 = (int)fmin(left + 1, width_px - 1);
   return (1 - share) * column_value(level, c0) + share * column_value(level, c1);
}

/* Section 3.8.11 with c = 0, then equations 3.20 and 3.21. */
static double
switched_sample(double lambda, double s, GLenum min_filter, GLenum mag_filter)
{
   const bool linear = min_filter == GL_LINEAR || min_filter == GL_LINEAR_MIPMAP_NEAREST ||
                       min_filter == GL_LINEAR_MIPMAP_LINEAR;
   if (lambda <= 0)
      return striped_sample(0, s, mag_filter == GL_LINEAR);
   if (min_filter == GL_NEAREST || min_filter == GL_LINEAR)
      return striped_sample(0, s, linear);
   if (min_filter == GL_NEAREST_MIPMAP_NEAREST || min_filter == GL_LINEAR_MIPMAP_NEAREST)
      return striped_sample(lambda <= 0.5 ? 0 : (int)ceil(lambda + 0.5) - 1, s, linear);
   const int d = (int)floor(lambda);
   return (1 - lambda + d) * striped_sample(d, s, linear) +
          (lambda - d) * striped_sample(d + 1, s, linear);
}

/* A coordinate that no level's nearest filter takes for the next texel. */
static float
clear_coordinate(struct rules *r)
{
   float s;
   do
      s = rules_float(r, 0, 1);
   while (fabs(8 * s - rint(8 * s)) < 0.1);
   return s;
}

void
es3_switch_over(struct rules *r)
{
   static const float boundaries[] = { 0, -1 / 64.0f, 1 / 64.0f, 0.25f, 0.49f, 0.51f };
   struct es3_target target = es3_target_create(GL_RGBA32UI, 1, 1);
   GLuint texture = striped_texture();
   GLuint program = es3_program(r, es3_vertex_whole,
                                "uniform sampler2D image; uniform vec2 at; out uvec4 v;\n"
                                "void main() {\n"
                                "   v = floatBitsToUint(textureLod(image, vec2(at.x), at.y)); }");
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
   while (rules_next(r)) {
      const GLenum min_filter = rules_min_filters[r->n % 6],
                   mag_filter = rules_min_filters[r->n / 6 % 2];
      const float s = clear_coordinate(r),
                  lambda = r->n < 72 ? boundaries[r->n / 12] : rules_float(r, -1, 2.4f);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, (GLint)min_filter);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, (GLint)mag_filter);
      glUniform2f(glGetUniformLocation(program, "at"), s, lambda);
      es3_draw_whole();
      uint32_t *have = es3_read_uint(r, 1, 1);
      const double wanted = switched_sample(lambda, s, min_filter, mag_filter);
      if (!(fabs(es3_float(have[0]) - wanted) <= 0.03))
         rules_fail(r, "filters 0x%04x 0x%04x, lod %g at %g: %g, not %g", min_filter, mag_filter,
                    lambda, s, es3_float(have[0]), wanted);
      free(have);
   }
   glDeleteProgram(program);
   glDeleteTextures(1, &texture);
   es3_target_delete(&target);
}

/* ---------------------------------------------------------------------------------------- cubes */

static int
face_of(int axis, float sign)
{
   return 2 * axis + (sign < 0);
}

static GLuint
cube_texture(struct rules *r, int size_px, float colours[6])
{
   GLuint texture;
   float texels[16 * 16];
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_CUBE_MAP, texture);
   for (int face = 0; face < 6; face++) {
      colours[face] = rules_float(r, 0, 1);
      for (int i = 0; i < size_px * size_px; i++)
         texels[i] = colours[face];
      glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)face, 0, GL_R32F, size_px, size_px, 0,
                   GL_RED, GL_FLOAT, texels);
   }
   return texture;
}

/* Faces of one colour each: next to an edge, d texels inside, the share of the own face is 1/2 + d,
 * where the corners are far; at a corner all three faces have the same. */
void
es3_cube_edges(struct rules *r)
{
   struct es3_target target = es3_target_create(GL_RGBA32UI, 1, 1);
   GLuint program = es3_program(r, es3_vertex_whole,
                                "uniform samplerCube image; uniform vec3 d; out uvec4 v;\n"
                                "void main() { v = floatBitsToUint(textureLod(image, d, 0.0)); }");
   if (!strstr((const char *)glGetString(GL_EXTENSIONS), "GL_OES_texture_float_linear"))
      rules_skip("no filters of floats");
   while (rules_next(r)) {
      const int size_px = 2 << rules_below(r, 4), axis = r->n % 3,
                other = (axis + 1 + r->n / 3 % 2) % 3, third = 3 - axis - other;
      const float sign = r->n / 6 % 2 ? -1 : 1, other_sign = r->n / 12 % 2 ? -1 : 1;
      const bool corner = rules_chance(r, 20);
      const float inside = corner ? 0 : rules_float(r, 0, 0.5f),
                  third_sign = rules_chance(r, 50) ? -1 : 1;
      float colours[6], d[3];
      GLuint texture = cube_texture(r, size_px, colours);
      glUseProgram(program);
      glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
      glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
      d[axis] = sign, d[other] = other_sign * (1 - 2 * inside / (float)size_px);
      d[third] = corner ? third_sign : rules_float(r, -0.5f, 0.5f) * (float)(size_px > 2);
      glUniform3fv(glGetUniformLocation(program, "d"), 1, d);
      es3_draw_whole();
      uint32_t *have = es3_read_uint(r, 1, 1);
      const float own = colours[face_of(axis, sign)], next = colours[face_of(other, other_sign)],
                  last = colours[face_of(third, third_sign)];
      const float wanted =
         corner ? (own + next + last) / 3 : own * (0.5f + inside) + next * (0.5f - inside);
      if (!(fabsf(es3_float(have[0]) - wanted) <= 1.0f / 128))
         rules_fail(
            r, "faces of %d pixels, direction (%g, %g, %g), %g texels from an edge: %g, not %g",
            size_px, d[0], d[1], d[2], inside, es3_float(have[0]), wanted);
      free(have);
      glDeleteTextures(1, &texture);
   }
   glDeleteProgram(program);
   es3_target_delete(&target);
}
