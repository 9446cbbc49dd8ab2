/* SPDX-License-Identifier: MIT
 *
 * Lookups of one texel by every function of GLSL ES 3.00, section 8.8: with offsets, at each level,
 * of 2D, 3D and array textures whose texels tell where they are; the sizes of levels; comparisons
 * with depths of 2D, cube and array textures.
 */
#include "es3_rules.h"

#include <math.h>
#include <stdlib.h>

enum { SIZE_PX = 16, VALUES = 4 * SIZE_PX * SIZE_PX, MOST_LEVELS = 6 };

/* A texture whose texels are level << 24 | z << 16 | y << 8 | x. */
struct places {
   GLenum target; /* GL_TEXTURE_2D, GL_TEXTURE_3D or GL_TEXTURE_2D_ARRAY */
   int size[3], levels, base;
   GLenum wrap[3];
};

static int
level_size(const struct places *t, int level, int axis)
{
   if (axis == 2 && t->target != GL_TEXTURE_3D)
      return t->size[2];
   const int size = t->size[axis] >> level;
   return size ? size : 1;
}

static void
fill_level(const struct places *t, int level)
{
   const int w = level_size(t, level, 0), h = level_size(t, level, 1), d = level_size(t, level, 2);
   uint32_t *texels = malloc((size_t)w * h * d * sizeof(*texels));
   for (int i = 0; i < w * h * d; i++)
      texels[i] = (uint32_t)(level << 24 | i / (w * h) << 16 | i / w % h << 8 | i % w);
   if (t->target == GL_TEXTURE_2D)
      glTexImage2D(t->target, level, GL_R32UI, w, h, 0, GL_RED_INTEGER, GL_UNSIGNED_INT, texels);
   else
      glTexImage3D(t->target, level, GL_R32UI, w, h, d, 0, GL_RED_INTEGER, GL_UNSIGNED_INT, texels);
   free(texels);
}

static GLuint
places_create(struct rules *r, struct places *t)
{
   static const GLenum targets[] = { GL_TEXTURE_2D, GL_TEXTURE_3D, GL_TEXTURE_2D_ARRAY };
   static const GLenum wraps[] = { GL_REPEAT, GL_CLAMP_TO_EDGE, GL_MIRRORED_REPEAT };
   static const GLenum wrap_names[] = { GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T, GL_TEXTURE_WRAP_R };
   static const int sizes[] = { 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 32 };
   GLuint name;
   t->target = targets[r->n % 3];
   for (int i = 0; i < 3; i++)
      t->size[i] = t->target == GL_TEXTURE_2D && i == 2 ? 1 : rules_pick(r, sizes);
   const int deep = t->target == GL_TEXTURE_3D ? t->size[2] : 1;
   const int wide = t->size[0] > t->size[1] ? t->size[0] : t->size[1];
   for (t->levels = 1; (wide > deep ? wide : deep) >> t->levels; t->levels++) {
   }
   t->base = rules_chance(r, 40) ? rules_between(r, 0, t->levels - 1) : 0;
   glGenTextures(1, &name);
   glBindTexture(t->target, name);
   for (int level = 0; level < t->levels; level++)
      fill_level(t, level);
   for (int i = 0; i < 3; i++) {
      t->wrap[i] = rules_pick(r, wraps);
      glTexParameteri(t->target, wrap_names[i], (GLint)t->wrap[i]);
   }
   glTexParameteri(t->target, GL_TEXTURE_BASE_LEVEL, t->base);
   glTexParameteri(t->target, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
   glTexParameteri(t->target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   no_error("making a texture of places");
   return name;
}

/* Section 3.8.10.3, table 3.19, of whole texels. */
static int
wrapped(GLenum wrap, int i, int size)
{
   const int twice = 2 * size, turn = ((i % twice) + twice) % twice;
   if (wrap == GL_CLAMP_TO_EDGE)
      return i < 0 ? 0 : i >= size ? size - 1 : i;
   return wrap == GL_REPEAT ? turn % size : turn < size ? turn : twice - 1 - turn;
}

enum how { IMPLICIT, LOD, GRADIENTS, FETCH };

/* A lookup: constants of a program. */
struct call {
   enum how how;
   bool projected, has_offset;
   int level, offset[3]; /* the level above the base; only that is there if IMPLICIT */
};

static void
choose_call(struct rules *r, const struct places *t, struct call *c)
{
   *c = (struct call){ .how = (enum how)(r->n / 3 % 4), .has_offset = r->n / 12 % 2 };
   c->projected = c->how != FETCH && t->target != GL_TEXTURE_2D_ARRAY && rules_chance(r, 40);
   c->level = rules_between(r, 0, t->levels - 1 - t->base);
   if (c->how == IMPLICIT)
      glTexParameteri(t->target, GL_TEXTURE_BASE_LEVEL, t->base + c->level);
   glTexParameteri(t->target, GL_TEXTURE_MAX_LEVEL, c->how == IMPLICIT ? t->base + c->level : 1000);
   for (int i = 0; i < (t->target == GL_TEXTURE_3D ? 3 : 2); i++)
      c->offset[i] = rules_chance(r, 30) ? (rules_chance(r, 50) ? -8 : 7) : rules_between(r, -8, 7);
}

/* Derivatives that have exactly the level's scale along x: rho is 2^level. */
static void
add_gradients(const struct text *text, const struct places *t, const struct call *c)
{
   const double step = ldexp(1, c->level) / level_size(t, t->base, 0);
   if (t->target == GL_TEXTURE_3D)
      add(*text, ", vec3(%.9g, 0.0, 0.0), vec3(0.0)", step);
   else
      add(*text, ", vec2(%.9g, 0.0), vec2(0.0)", step);
}

/* The whole call; p has coordinates or texels, q a divisor. */
static void
add_call(const struct text *text, const struct places *t, const struct call *c)
{
   static const char *const names[] = { "", "Lod", "Grad" };
   const bool flat = t->target == GL_TEXTURE_2D, volume = t->target == GL_TEXTURE_3D;
   if (c->how == FETCH)
      add(*text, "texelFetch%s(image, ivec%d(p), %d", c->has_offset ? "Offset" : "", flat ? 2 : 3,
          c->level);
   else
      add(*text, "texture%s%s%s(image, %s", c->projected ? "Proj" : "", names[c->how],
          c->has_offset ? "Offset" : "",
          c->projected ? (volume ? "vec4(p.xyz * q, q)" : "vec3(p.xy * q, q)")
                       : (flat ? "p.xy" : "p.xyz"));
   if (c->how == LOD)
      add(*text, ", %d.0", c->level);
   if (c->how == GRADIENTS)
      add_gradients(text, t, c);
   if (c->has_offset && volume)
      add(*text, ", ivec3(%d, %d, %d)", c->offset[0], c->offset[1], c->offset[2]);
   else if (c->has_offset)
      add(*text, ", ivec2(%d, %d)", c->offset[0], c->offset[1]);
   add(*text, ")");
}

static const char *
sampler_of(GLenum target)
{
   return target == GL_TEXTURE_2D   ? "sampler2D"
          : target == GL_TEXTURE_3D ? "sampler3D"
                                    : "sampler2DArray";
}

static GLuint
call_program(const struct rules *r, const struct places *t, const struct call *c, bool vertex)
{
   struct text s;
   text_begin(&s);
   if (vertex)
      add(s, "in vec4 place; flat out uvec4 v;\n");
   else
      add(s, "uniform sampler2D places; out uvec4 v;\n");
   add(s, "uniform highp u%s image;\nvoid main() {\n", sampler_of(t->target));
   if (vertex)
      add(s,
          "   vec2 at = vec2(gl_VertexID %% %d, gl_VertexID / %d);\n   gl_PointSize = 1.0;\n"
          "   gl_Position = vec4((at * 2.0 + 1.0) / %d.0 - 1.0, 0.0, 1.0);\n   vec4 p = place;\n",
          SIZE_PX, SIZE_PX, SIZE_PX);
   else
      add(s, "   vec4 p = texelFetch(places, ivec2(gl_FragCoord.xy), 0);\n");
   add(s, "   float q = p.w; v = ");
   add_call(&s, t, c);
   add(s, ";\n}\n");
   GLuint program = vertex ? es3_program(r, text_end(&s),
                                         "flat in uvec4 v; out uvec4 result;\n"
                                         "void main() { result = v; }")
                           : es3_program(r, es3_vertex_whole, text_end(&s));
   es3_uniform(program, "places", 1);
   free(s.chars);
   return program;
}

/* Texels, before offset and wrapping, and coordinates inside each. Fetches stay where texels are:
 * the result of others is undefined. */
static void
choose_places(struct rules *r, const struct places *t, const struct call *c, int (*texel)[3],
              float (*place)[4])
{
   for (int i = 0; i < VALUES / 4; i++) {
      place[i][2] = 0, place[i][3] = ldexpf(1, rules_between(r, -3, 3));
      for (int k = 0; k < (t->target == GL_TEXTURE_2D ? 2 : 3); k++) {
         const int size = level_size(t, t->base + c->level, k);
         const bool layer = k == 2 && t->target == GL_TEXTURE_2D_ARRAY;
         const int beyond = c->how == FETCH ? 0 : layer ? 2 : rules_chance(r, 50) ? 2 * size : 0;
         texel[i][k] = rules_between(r, -beyond, size - 1 + beyond);
         if (c->how == FETCH)
            place[i][k] = (float)(texel[i][k] -= c->has_offset ? c->offset[k] : 0);
         else if (layer) /* rounded to the nearest */
            place[i][k] = (float)texel[i][k] + rules_float(r, -0.4f, 0.4f);
         else
            place[i][k] = ((float)texel[i][k] + rules_float(r, 0.1f, 0.9f)) / (float)size;
      }
   }
}

static uint32_t
wanted_texel(const struct places *t, const struct call *c, const int texel[3])
{
   const int level = t->base + c->level;
   uint32_t wanted = (uint32_t)level << 24;
   for (int k = 0; k < (t->target == GL_TEXTURE_2D ? 2 : 3); k++) {
      const int at = texel[k] + (c->has_offset ? c->offset[k] : 0), size = level_size(t, level, k);
      const bool layer = k == 2 && t->target == GL_TEXTURE_2D_ARRAY;
      wanted |=
         (uint32_t)(c->how == FETCH ? at : wrapped(layer ? GL_CLAMP_TO_EDGE : t->wrap[k], at, size))
         << 8 * k;
   }
   return wanted;
}

static void
draw_call(const struct rules *r, const struct places *t, const struct call *c, bool vertex,
          const float (*place)[4])
{
   GLuint program = call_program(r, t, c, vertex), texture = 0;
   if (vertex) {
      glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, place);
      glEnableVertexAttribArray(0);
      glDrawArrays(GL_POINTS, 0, VALUES / 4);
      glDisableVertexAttribArray(0);
   } else {
      glGenTextures(1, &texture);
      glActiveTexture(GL_TEXTURE1);
      glBindTexture(GL_TEXTURE_2D, texture);
      glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA32F, SIZE_PX, SIZE_PX);
      glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, SIZE_PX, SIZE_PX, GL_RGBA, GL_FLOAT, place);
      glActiveTexture(GL_TEXTURE0);
      es3_draw_whole();
      glDeleteTextures(1, &texture);
   }
   glDeleteProgram(program);
}

static void
expect_texels(struct rules *r, const struct places *t, const struct call *c, bool vertex,
              int (*texel)[3])
{
   uint32_t *have = es3_read_uint(r, SIZE_PX, SIZE_PX);
   for (int i = 0; i < VALUES / 4; i++) {
      const uint32_t wanted = wanted_texel(t, c, texel[i]);
      if (have[4 * i] == wanted && have[4 * i + 3] == 1)
         continue;
      struct text s;
      text_begin(&s);
      add_call(&s, t, c);
      rules_fail(r,
                 "%s in the %s shader, target 0x%04x of %d x %d x %d, base %d: lookup %d at texel "
                 "(%d, %d, %d) is 0x%08x, not 0x%08x (level, z, y, x)",
                 text_end(&s), vertex ? "vertex" : "fragment", t->target, t->size[0], t->size[1],
                 t->size[2], t->base, i, texel[i][0], texel[i][1], texel[i][2], have[4 * i],
                 wanted);
   }
   free(have);
}

void
es3_fetch(struct rules *r)
{
   struct es3_target target = es3_target_create(GL_RGBA32UI, SIZE_PX, SIZE_PX);
   while (rules_next(r)) {
      int texel[VALUES / 4][3];
      float place[VALUES / 4][4];
      struct places t;
      struct call c;
      glActiveTexture(GL_TEXTURE0);
      GLuint texture = places_create(r, &t);
      choose_call(r, &t, &c);
      choose_places(r, &t, &c, texel, place);
      const bool vertex = c.how != IMPLICIT && rules_chance(r, 30);
      draw_call(r, &t, &c, vertex, (const float(*)[4])place);
      expect_texels(r, &t, &c, vertex, texel);
      glDeleteTextures(1, &texture);
   }
   es3_target_delete(&target);
}

/* textureSize(): of levels above the base. */
void
es3_size(struct rules *r)
{
   struct es3_target target = es3_target_create(GL_RGBA32UI, 1, 1);
   while (rules_next(r)) {
      struct places t;
      char fragment[300];
      GLuint texture = places_create(r, &t);
      const bool flat = t.target == GL_TEXTURE_2D;
      snprintf(fragment, sizeof(fragment),
               "uniform highp u%s image; uniform int level; out uvec4 v;\n"
               "void main() { v = uvec4(textureSize(image, level)%s, 7); }",
               sampler_of(t.target), flat ? ", 1" : "");
      GLuint program = es3_program(r, es3_vertex_whole, fragment);
      for (int level = 0; level < t.levels - t.base; level++) {
         es3_uniform(program, "level", level);
         es3_draw_whole();
         uint32_t *have = es3_read_uint(r, 1, 1);
         for (int k = 0; k < 3; k++) {
            if ((int)have[k] != level_size(&t, t.base + level, k))
               rules_fail(r, "textureSize of target 0x%04x, base %d, level %d, axis %d: %u, not %d",
                          t.target, t.base, level, k, have[k], level_size(&t, t.base + level, k));
         }
         free(have);
      }
      glDeleteProgram(program);
      glDeleteTextures(1, &texture);
   }
   es3_target_delete(&target);
}

/* ---------------------------------------------------------------------------------- comparisons */

static const struct depth_format {
   GLenum internal, format, type;
   bool fixed; /* references are clamped to [0, 1] */
} depth_formats[] = {
   { GL_DEPTH_COMPONENT16, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT, true },
   { GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, true },
   { GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT, GL_FLOAT, false },
   { GL_DEPTH24_STENCIL8, GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8, true },
   { GL_DEPTH32F_STENCIL8, GL_DEPTH_STENCIL, GL_FLOAT_32_UNSIGNED_INT_24_8_REV, false },
};

static const struct shadow_call {
   GLenum target;
   const char *sampler, *call; /* of p.xy, a layer or direction in p, the reference in p.w */
   int offset[2];
} shadow_calls[] = {
   { GL_TEXTURE_2D, "sampler2DShadow", "texture(image, p.xyw)", { 0, 0 } },
   { GL_TEXTURE_2D, "sampler2DShadow", "textureLod(image, p.xyw, 0.0)", { 0, 0 } },
   { GL_TEXTURE_2D,
     "sampler2DShadow",
     "textureGrad(image, p.xyw, vec2(0.0), vec2(0.0))",
     { 0, 0 } },
   { GL_TEXTURE_2D, "sampler2DShadow", "textureOffset(image, p.xyw, ivec2(3, -5))", { 3, -5 } },
   { GL_TEXTURE_2D,
     "sampler2DShadow",
     "textureLodOffset(image, p.xyw, 0.0, ivec2(-8, 7))",
     { -8, 7 } },
   { GL_TEXTURE_2D,
     "sampler2DShadow",
     "textureGradOffset(image, p.xyw, vec2(0.0), vec2(0.0), ivec2(1, 1))",
     { 1, 1 } },
   { GL_TEXTURE_2D, "sampler2DShadow", "textureProj(image, vec4(p.xyw * 4.0, 4.0))", { 0, 0 } },
   { GL_TEXTURE_2D,
     "sampler2DShadow",
     "textureProjLod(image, vec4(p.xyw * 0.5, 0.5), 0.0)",
     { 0, 0 } },
   { GL_TEXTURE_2D,
     "sampler2DShadow",
     "textureProjOffset(image, vec4(p.xyw * 2.0, 2.0), ivec2(-1, 2))",
     { -1, 2 } },
   { GL_TEXTURE_2D,
     "sampler2DShadow",
     "textureProjGradOffset(image, vec4(p.xyw * 2.0, 2.0), vec2(0.0), vec2(0.0), ivec2(5, 2))",
     { 5, 2 } },
   { GL_TEXTURE_2D_ARRAY, "sampler2DArrayShadow", "texture(image, p)", { 0, 0 } },
   { GL_TEXTURE_2D_ARRAY,
     "sampler2DArrayShadow",
     "textureGrad(image, p, vec2(0.0), vec2(0.0))",
     { 0, 0 } },
   { GL_TEXTURE_2D_ARRAY,
     "sampler2DArrayShadow",
     "textureGradOffset(image, p, vec2(0.0), vec2(0.0), ivec2(-2, 6))",
     { -2, 6 } },
   { GL_TEXTURE_CUBE_MAP, "samplerCubeShadow", "texture(image, p)", { 0, 0 } },
   { GL_TEXTURE_CUBE_MAP,
     "samplerCubeShadow",
     "textureGrad(image, p, vec3(0.0), vec3(0.0))",
     { 0, 0 } },
};

enum { SHADOW_PX = 8, SHADOW_LAYERS = 6, DEPTHS = 17 };
enum { LAYERED_SHADOW = 10 }; /* of shadow_calls: texture() of an array's layer */

/* Depths are sixteenths, which fixed-point formats hold but for their rounding: references lie
 * between them, or are 0 and 1. */
static void
upload_depths(struct rules *r, GLenum target, const struct depth_format *f, uint8_t *sixteenths)
{
   uint32_t texels[SHADOW_LAYERS * SHADOW_PX * SHADOW_PX * 2];
   for (int i = 0; i < SHADOW_LAYERS * SHADOW_PX * SHADOW_PX; i++) {
      const double depth = (sixteenths[i] = (uint8_t)rules_below(r, DEPTHS)) / 16.0;
      if (f->type == GL_UNSIGNED_SHORT)
         ((uint16_t *)texels)[i] = (uint16_t)(depth * 65535 + 0.5);
      else if (f->type == GL_UNSIGNED_INT)
         texels[i] = (uint32_t)(depth * 4294967295.0 + 0.5);
      else if (f->type == GL_UNSIGNED_INT_24_8)
         texels[i] = (uint32_t)(depth * 16777215 + 0.5) << 8 | (i & 255);
      else if (f->type == GL_FLOAT)
         texels[i] = es3_bits((float)depth);
      else
         texels[2 * i] = es3_bits((float)depth), texels[2 * i + 1] = (uint32_t)i & 255;
   }
   const size_t texel_B = f->type == GL_UNSIGNED_SHORT                   ? 2
                          : f->type == GL_FLOAT_32_UNSIGNED_INT_24_8_REV ? 8
                                                                         : 4;
   for (int i = 0; i < SHADOW_LAYERS; i++) {
      const uint8_t *layer = (uint8_t *)texels + (size_t)i * SHADOW_PX * SHADOW_PX * texel_B;
      if (target == GL_TEXTURE_2D_ARRAY)
         glTexSubImage3D(target, 0, 0, 0, i, SHADOW_PX, SHADOW_PX, 1, f->format, f->type, layer);
      else if (target == GL_TEXTURE_CUBE_MAP)
         glTexSubImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)i, 0, 0, 0, SHADOW_PX, SHADOW_PX,
                         f->format, f->type, layer);
      else if (i == 0)
         glTexSubImage2D(target, 0, 0, 0, SHADOW_PX, SHADOW_PX, f->format, f->type, layer);
   }
}

/* Table 3.20 backwards: the direction of (s, t) of a face, both from -1 to 1. */
static void
direction(int face, float s, float t, float d[3])
{
   const float table[6][3] = { { 1, -t, -s }, { -1, -t, s }, { s, 1, t },
                               { s, -1, -t }, { s, -t, 1 },  { -s, -t, -1 } };
   for (int i = 0; i < 3; i++)
      d[i] = table[face][i];
}

/* A place in a texel and a reference, and what the comparison gives. */
static bool
choose_comparison(struct rules *r, const struct shadow_call *c, const struct depth_format *f,
                  GLenum function, const uint8_t *sixteenths, float p[4])
{
   const int x = rules_between(r, 0, SHADOW_PX - 1), y = rules_between(r, 0, SHADOW_PX - 1);
   const int layer = c->target == GL_TEXTURE_2D ? 0 : rules_between(r, 0, SHADOW_LAYERS - 1);
   const float s = ((float)x + rules_float(r, 0.2f, 0.8f)) / SHADOW_PX,
               t = ((float)y + rules_float(r, 0.2f, 0.8f)) / SHADOW_PX;
   p[0] = s, p[1] = t, p[2] = (float)layer;
   if (c->target == GL_TEXTURE_CUBE_MAP)
      direction(layer, 2 * s - 1, 2 * t - 1, p);
   const int xo = wrapped(GL_REPEAT, x + c->offset[0], SHADOW_PX),
             yo = wrapped(GL_REPEAT, y + c->offset[1], SHADOW_PX);
   const double depth = sixteenths[(layer * SHADOW_PX + yo) * SHADOW_PX + xo] / 16.0;
   /* between the sixteenths, beyond both ends, or at an end, which every format holds exactly */
   const int step = rules_between(r, -2, 17);
   double reference = rules_chance(r, 20) ? (step & 1) : (step + 0.5) / 16;
   if (!f->fixed && rules_chance(r, 30))
      reference = depth;
   p[3] = (float)reference;
   reference = f->fixed ? fmin(fmax(reference, 0), 1) : reference;
   const bool results[8] = {
      false, reference<depth, reference == depth, reference <= depth, reference> depth,
      reference != depth, reference >= depth, true
   };
   return results[function - GL_NEVER];
}

static GLuint
shadow_texture(struct rules *r, const struct shadow_call *c, const struct depth_format *f,
               GLenum function, uint8_t *sixteenths)
{
   GLuint name;
   glGenTextures(1, &name);
   glBindTexture(c->target, name);
   if (c->target == GL_TEXTURE_2D_ARRAY)
      glTexStorage3D(c->target, 1, f->internal, SHADOW_PX, SHADOW_PX, SHADOW_LAYERS);
   else
      glTexStorage2D(c->target, 1, f->internal, SHADOW_PX, SHADOW_PX);
   upload_depths(r, c->target, f, sixteenths);
   glTexParameteri(c->target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(c->target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   glTexParameteri(c->target, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
   glTexParameteri(c->target, GL_TEXTURE_COMPARE_FUNC, (GLint)function);
   no_error("making a texture of depths");
   return name;
}

static GLuint
shadow_program(const struct rules *r, const struct shadow_call *c)
{
   char fragment[400];
   snprintf(fragment, sizeof(fragment),
            "uniform highp %s image; uniform sampler2D places; out uvec4 v;\n"
            "void main() { vec4 p = texelFetch(places, ivec2(gl_FragCoord.xy), 0);\n"
            "   v = uvec4(floatBitsToUint(%s)); }",
            c->sampler, c->call);
   GLuint program = es3_program(r, es3_vertex_whole, fragment);
   es3_uniform(program, "places", 1);
   return program;
}

static GLuint
places_of_lookups(float place[][4])
{
   GLuint name;
   glGenTextures(1, &name);
   glActiveTexture(GL_TEXTURE1);
   glBindTexture(GL_TEXTURE_2D, name);
   glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA32F, SIZE_PX, SIZE_PX);
   glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, SIZE_PX, SIZE_PX, GL_RGBA, GL_FLOAT, place);
   glActiveTexture(GL_TEXTURE0);
   return name;
}

void
es3_shadow(struct rules *r)
{
   struct es3_target target = es3_target_create(GL_RGBA32UI, SIZE_PX, SIZE_PX);
   uint8_t sixteenths[SHADOW_LAYERS * SHADOW_PX * SHADOW_PX];
   while (rules_next(r)) {
      const struct shadow_call *c = &shadow_calls[(size_t)r->n % COUNT(shadow_calls)];
      const struct depth_format *f = &rules_pick(r, depth_formats);
      const GLenum function = GL_NEVER + (GLenum)(r->n / (int)COUNT(shadow_calls) % 8);
      float place[VALUES / 4][4];
      bool wanted[VALUES / 4];
      GLuint names[2] = { shadow_texture(r, c, f, function, sixteenths), 0 };
      for (int i = 0; i < VALUES / 4; i++)
         wanted[i] = choose_comparison(r, c, f, function, sixteenths, place[i]);
      names[1] = places_of_lookups(place);
      GLuint program = shadow_program(r, c);
      es3_draw_whole();
      uint32_t *have = es3_read_uint(r, SIZE_PX, SIZE_PX);
      for (int i = 0; i < VALUES / 4; i++) {
         if (have[4 * i] != (wanted[i] ? 0x3f800000 : 0))
            rules_fail(r,
                       "%s of format 0x%04x, function 0x%04x at (%g, %g, %g, %g): 0x%08x, not %d",
                       c->call, f->internal, function, place[i][0], place[i][1], place[i][2],
                       place[i][3], have[4 * i], wanted[i]);
      }
      free(have);
      glDeleteProgram(program);
      glDeleteTextures(2, names);
   }
   es3_target_delete(&target);
}

/* ---------------------------------------------------------------- comparisons of several texels */

/* A place whose four texels lie inside, and a reference between sixteenths. */
static void
choose_filtered(struct rules *r, float p[4])
{
   for (int i = 0; i < 2; i++)
      p[i] = (0.5f + rules_float(r, 0, SHADOW_PX - 1)) / SHADOW_PX;
   p[2] = (float)rules_below(r, SHADOW_LAYERS);
   p[3] = ((float)rules_between(r, -1, 16) + 0.5f) / 16;
}

/* Each of the four texels is compared, then the results are weighted as texels are (equations 3.23
 * and 3.25): section 3.8.16 leaves open which are compared, and wants a share of what passes. */
static double
filtered_comparison(const uint8_t *sixteenths, bool has_layers, bool less, const float p[4],
                    bool fixed)
{
   const double u = p[0] * SHADOW_PX - 0.5, v = p[1] * SHADOW_PX - 0.5;
   const int x = (int)floor(u), y = (int)floor(v), layer = has_layers ? (int)p[2] : 0;
   const double reference = fixed ? fmin(fmax(p[3], 0), 1) : p[3];
   double sum = 0;
   for (int i = 0; i < 4; i++) {
      const int column = x + i % 2 < SHADOW_PX ? x + i % 2 : SHADOW_PX - 1,
                row = y + i / 2 < SHADOW_PX ? y + i / 2 : SHADOW_PX - 1;
      const double depth = sixteenths[(layer * SHADOW_PX + row) * SHADOW_PX + column] / 16.0;
      const double weight = (i % 2 ? u - x : 1 - u + x) * (i / 2 ? v - y : 1 - v + y);
      sum += (less ? reference < depth : reference > depth) ? weight : 0;
   }
   return sum;
}

void
es3_shadow_linear(struct rules *r)
{
   struct es3_target target = es3_target_create(GL_RGBA32UI, SIZE_PX, SIZE_PX);
   uint8_t sixteenths[SHADOW_LAYERS * SHADOW_PX * SHADOW_PX];
   while (rules_next(r)) {
      const struct shadow_call *c = &shadow_calls[r->n % 2 ? LAYERED_SHADOW : 0];
      const struct depth_format *f = &rules_pick(r, depth_formats);
      const bool less = rules_chance(r, 50);
      float place[VALUES / 4][4];
      GLuint names[2] = { shadow_texture(r, c, f, less ? GL_LESS : GL_GREATER, sixteenths), 0 };
      glTexParameteri(c->target, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
      glTexParameteri(c->target, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
      for (int i = 0; i < VALUES / 4; i++)
         choose_filtered(r, place[i]);
      names[1] = places_of_lookups(place);
      GLuint program = shadow_program(r, c);
      es3_draw_whole();
      uint32_t *have = es3_read_uint(r, SIZE_PX, SIZE_PX);
      for (int i = 0; i < VALUES / 4; i++) {
         const double wanted = filtered_comparison(sixteenths, r->n % 2, less, place[i], f->fixed);
         /* weights of eight bits, as of colours */
         if (!(fabs(es3_float(have[4 * i]) - wanted) <= 2.0 / 256))
            rules_fail(r, "%s of format 0x%04x, %s at (%g, %g, %g, %g): %g, not %g", c->call,
                       f->internal, less ? "less" : "greater", place[i][0], place[i][1],
                       place[i][2], place[i][3], es3_float(have[4 * i]), wanted);
      }
      free(have);
      glDeleteProgram(program);
      glDeleteTextures(2, names);
   }
   es3_target_delete(&target);
}
