/* SPDX-License-Identifier: MIT
 *
 * Samplers: borders with the wrap modes of extensions; OpenGL 2.1's targets, wrap modes, ranges of
 * levels and of levels of detail, formats, comparisons of depth, and seamless cube maps; how far an
 * anisotropic filter may go.
 */
#include "tex_filter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void
set_filters_and_wraps(const struct drawn *d)
{
   const GLenum wrap_r = 0x8072;
   glTexParameteri(d->target, GL_TEXTURE_MIN_FILTER, (GLint)d->sampler.min_filter);
   glTexParameteri(d->target, GL_TEXTURE_MAG_FILTER, (GLint)d->sampler.mag_filter);
   glTexParameteri(d->target, GL_TEXTURE_WRAP_S, (GLint)d->sampler.wrap[0]);
   if (d->texture.dims > 1)
      glTexParameteri(d->target, GL_TEXTURE_WRAP_T, (GLint)d->sampler.wrap[1]);
   if (d->texture.dims > 2)
      glTexParameteri(d->target, wrap_r, (GLint)d->sampler.wrap[2]);
}

/* -------------------------------------------------------------------------------------- borders */

/* The components of a base internal format that a border has, and what a lookup makes of them
 * (table 3.11). */
static void
border_as_sampled(GLenum base, const float border[4], double texel[4])
{
   const bool red = base == GL_RED_EXT, rg = base == GL_RG_EXT;
   const bool luminance = base == GL_LUMINANCE || base == GL_LUMINANCE_ALPHA;
   const bool alpha = base == GL_ALPHA || base == GL_RGBA || base == GL_SRGB_ALPHA_EXT ||
                      base == GL_BGRA_EXT || base == GL_LUMINANCE_ALPHA;
   texel[0] = base == GL_ALPHA ? 0 : border[0];
   texel[1] = base == GL_ALPHA || red ? 0 : luminance ? border[0] : border[1];
   texel[2] = base == GL_ALPHA || red || rg ? 0 : luminance ? border[0] : border[2];
   texel[3] = alpha ? border[3] : 1;
}

static void
choose_border(struct rules *r, struct drawn *d, GLenum base)
{
   const GLenum border_color = 0x1004;
   float border[4];
   for (int c = 0; c < 4; c++)
      border[c] = (float)rules_below(r, 256) / 255;
   glTexParameterfv(d->target, border_color, border);
   border_as_sampled(base, border, d->sampler.border);
}

/* Wrap modes that reach the border, or mirror once, with all formats. */
void
tex_border(struct rules *r)
{
   static const GLenum wraps[] = { REF_CLAMP_TO_BORDER, REF_MIRROR_CLAMP_TO_EDGE,
                                   REF_CLAMP_TO_BORDER, GL_CLAMP_TO_EDGE,
                                   GL_REPEAT,           GL_MIRRORED_REPEAT };
   static const int sizes_px[] = { 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 32 };
   if (!has_extension("GL_EXT_texture_border_clamp") ||
       !has_extension("GL_EXT_texture_mirror_clamp_to_edge"))
      rules_skip("no GL_EXT_texture_border_clamp or no GL_EXT_texture_mirror_clamp_to_edge");
   const bool has_3d = has_extension("GL_OES_texture_3D");
   struct tex_canvas canvas[2] = { tex_canvas_create(CANVAS_PX, CANVAS_PX),
                                   tex_canvas_create_pbuffer(CANVAS_PX, CANVAS_PX) };
   while (rules_next(r)) {
      const int dims = has_3d && rules_chance(r, 30) ? 3 : 2;
      struct drawn d = { .kind = dims == 3 ? LOOKUP_3D : LOOKUP_2D,
                         .target = dims == 3 ? GL_TEXTURE_3D_OES : GL_TEXTURE_2D,
                         .format = &image_formats[r->n % 23], .texture.dims = dims };
      GLuint texture;
      int size[3] = { 1, 1, 1 };
      if (!format_supported(d.format) || !format_filterable(d.format) ||
          (dims == 3 && d.format->format == GL_BGRA_EXT))
         continue;
      for (int a = 0; a < dims; a++) {
         size[a] = rules_pick(r, sizes_px);
         d.sampler.wrap[a] = rules_pick(r, wraps);
      }
      d.sampler.min_filter = rules_pick(r, rules_min_filters);
      d.sampler.mag_filter = rules_chance(r, 50) ? GL_NEAREST : GL_LINEAR;
      glGenTextures(1, &texture);
      glBindTexture(d.target, texture);
      set_filters_and_wraps(&d);
      choose_border(r, &d, d.format->format);
      no_error("a sampler with a border");
      glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
      upload_levels(r, &d, size, 1);
      choose_coordinates(r, &d, size);
      tex_canvas_bind(&canvas[rules_below(r, 2)]);
      lookup_use(d.kind, 0);
      draw_lookup(d.varying, &d.w_divisor, CANVAS_PX, CANVAS_PX);
      expect_lookups(r, &d);
      ref_texture_free(&d.texture);
      glDeleteTextures(1, &texture);
   }
   tex_canvas_delete(&canvas[0]);
}

/* ----------------------------------------------------------------------------------- OpenGL 2.1 */

/* Internal formats, and how they keep the bytes of RGBA. */
static const struct sampler_format {
   const char *name;
   GLenum internal, base;
   bool srgb;
} sampler_formats[] = {
   { "rgba8", 0x8058, GL_RGBA, false },
   { "rgb8", 0x8051, GL_RGB, false },
   { "luminance8", 0x8040, GL_LUMINANCE, false },
   { "luminance8_alpha8", 0x8045, GL_LUMINANCE_ALPHA, false },
   { "alpha8", 0x803c, GL_ALPHA, false },
   { "intensity8", 0x804b, 0x8049, false },
   { "srgb8", 0x8c41, GL_RGB, true },
   { "srgb8_alpha8", 0x8c43, GL_RGBA, true },
   { "sluminance8", 0x8c47, GL_LUMINANCE, true },
   { "sluminance8_alpha8", 0x8c45, GL_LUMINANCE_ALPHA, true },
   { "rgba16", 0x805b, GL_RGBA, false },
   { "luminance16", 0x8042, GL_LUMINANCE, false },
   { "intensity16", 0x804d, 0x8049, false },
   { "rgba32f", 0x8814, GL_RGBA, false },
   { "rgb16f", 0x881b, GL_RGB, false },
   { "luminance16f", 0x881e, GL_LUMINANCE, false },
   { "alpha32f", 0x8816, GL_ALPHA, false },
   { "intensity32f", 0x8817, 0x8049, false },
   { "depth16", 0x81a5, GL_DEPTH_COMPONENT, false }, /* the byte of red alone */
   { "depth24", 0x81a6, GL_DEPTH_COMPONENT, false },
   { "depth32", 0x81a7, GL_DEPTH_COMPONENT, false },
};
enum { SAMPLER_FORMATS = sizeof(sampler_formats) / sizeof(sampler_formats[0]), INTENSITY = 0x8049 };

/* How depth is sampled: DEPTH_TEXTURE_MODE, and a comparison or 0. */
struct depth_view {
   GLenum mode, compare;
   float reference;
};

static double
srgb_to_linear(double x)
{
   return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
}

static bool
compares(GLenum func, float reference, float depth)
{
   return (func & 1 && reference < depth) || (func & 2 && reference == depth) ||
          (func & 4 && reference > depth);
}

static void
texel_of_depth(const struct depth_view *view, float depth, double texel[4])
{
   const float value = !view->compare                                 ? depth
                       : compares(view->compare, view->reference, depth) ? 1.0f
                                                                         : 0.0f;
   for (int c = 0; c < 3; c++)
      texel[c] = view->mode == GL_ALPHA ? 0 : value;
   texel[3] = view->mode == GL_LUMINANCE ? 1 : value;
}

static void
texel_of_bytes(const struct sampler_format *f, const struct depth_view *view,
               const uint8_t bytes[4], double texel[4])
{
   float rgba[4];
   for (int c = 0; c < 4; c++)
      rgba[c] = (float)(f->srgb && c < 3 ? srgb_to_linear(bytes[c] / 255.0) : bytes[c] / 255.0);
   if (f->base == GL_DEPTH_COMPONENT)
      texel_of_depth(view, rgba[0], texel);
   else if (f->base == INTENSITY)
      for (int c = 0; c < 4; c++)
         texel[c] = rgba[0];
   else
      border_as_sampled(f->base, rgba, texel);
}

/* Targets: what looks them up, and how many coordinates. */
static const struct sampler_target {
   GLenum target;
   int dims;
   const char *sampler, *call;
} sampler_targets[] = {
   { 0x0de0, 1, "sampler1D", "texture1D(image, v.x, lod)" },
   { GL_TEXTURE_2D, 2, "sampler2D", "texture2D(image, v.xy, lod)" },
   { 0x84f5, 2, "sampler2DRect", "texture2DRect(image, v.xy)" },
   { 0x806f, 3, "sampler3D", "texture3D(image, v.xyz, lod)" },
   { GL_TEXTURE_CUBE_MAP, 2, "samplerCube", "textureCube(image, v.xyz, lod)" },
   { 0x0de0, 1, "sampler1DShadow", "shadow1D(image, vec3(v.x, 0.0, reference), lod)" },
   { GL_TEXTURE_2D, 2, "sampler2DShadow", "shadow2D(image, vec3(v.xy, reference), lod)" },
   { 0x84f5, 2, "sampler2DRectShadow", "shadow2DRect(image, vec3(v.xy, reference))" },
};
enum { RECTANGLE = 2, VOLUME, FLAT_TARGETS, CUBE = FLAT_TARGETS, SHADOWS, SAMPLER_PROGRAMS = SHADOWS + VOLUME };

typedef void (*tex_image_1d)(GLenum, GLint, GLint, GLsizei, GLint, GLenum, GLenum, const void *);
typedef void (*tex_image_3d)(GLenum, GLint, GLint, GLsizei, GLsizei, GLsizei, GLint, GLenum, GLenum,
                             const void *);

static void
upload_image(const struct drawn *d, const struct sampler_format *f, int level, const int size[3],
             const uint8_t *bytes)
{
   static tex_image_1d image_1d;
   static tex_image_3d image_3d;
   if (!image_1d) {
      image_1d = (tex_image_1d)eglGetProcAddress("glTexImage1D");
      image_3d = (tex_image_3d)eglGetProcAddress("glTexImage3D");
   }
   const GLint internal = (GLint)f->internal;
   const GLenum format = f->base == GL_DEPTH_COMPONENT ? GL_DEPTH_COMPONENT : GL_RGBA;
   if (d->texture.dims == 1)
      image_1d(d->target, level, internal, size[0], 0, format, GL_UNSIGNED_BYTE, bytes);
   else if (d->texture.dims == 3)
      image_3d(d->target, level, internal, size[0], size[1], size[2], 0, format, GL_UNSIGNED_BYTE,
               bytes);
   else
      glTexImage2D(d->target, level, internal, size[0], size[1], 0, format, GL_UNSIGNED_BYTE,
                   bytes);
}

/* All levels of a mipmap that begins at level `base`, which alone need be there; the reference sees
 * `most` of them. */
static void
upload_range(struct rules *r, struct drawn *d, const struct sampler_format *f,
             const struct depth_view *view, const int size[3], int base, int most)
{
   int largest = 1;
   for (int a = 0; a < 3; a++)
      largest = size[a] > largest ? size[a] : largest;
   const bool mipmapped = is_mipmapped(d->sampler.min_filter);
   d->texture.levels = 0;
   for (int l = 0; l == 0 || (mipmapped && largest >> l); l++) {
      struct ref_level level;
      int at[3];
      for (int a = 0; a < 3; a++)
         at[a] = size[a] >> l ? size[a] >> l : 1;
      ref_level_create(&level, at[0], at[1], at[2]);
      const size_t texels = (size_t)at[0] * at[1] * at[2];
      uint8_t *bytes = malloc(4 * texels);
      for (size_t i = 0; i < 4 * texels; i++)
         bytes[i] = (uint8_t)rules_below(r, 256);
      for (size_t i = 0; i < texels; i++)
         texel_of_bytes(f, view, bytes + 4 * i, level.texel[i]);
      for (size_t i = 0; i < texels && f->base == GL_DEPTH_COMPONENT; i++)
         bytes[i] = bytes[4 * i];
      upload_image(d, f, base + l, at, bytes);
      free(bytes);
      if (l < most)
         d->texture.level[0][d->texture.levels++] = level;
      else
         free(level.texel);
   }
}

static void
choose_level_ranges(struct rules *r, struct drawn *d, int *base, int *most)
{
   enum { MIN_LOD = 0x813a, MAX_LOD, BASE_LEVEL, MAX_LEVEL, LOD_BIAS = 0x8501 };
   *base = rules_chance(r, 30) ? rules_between(r, 1, 3) : 0;
   *most = rules_chance(r, 30) ? rules_between(r, 1, 4) : REF_LEVELS;
   glTexParameteri(d->target, BASE_LEVEL, *base);
   glTexParameteri(d->target, MAX_LEVEL, *base + *most - 1);
   d->sampler.has_lod_range = rules_chance(r, 40);
   if (d->sampler.has_lod_range) {
      d->sampler.min_lod = rules_between(r, -8, 12) / 4.0;
      d->sampler.max_lod = d->sampler.min_lod + rules_between(r, 0, 12) / 4.0;
      glTexParameterf(d->target, MIN_LOD, (float)d->sampler.min_lod);
      glTexParameterf(d->target, MAX_LOD, (float)d->sampler.max_lod);
   }
   const float bias = rules_chance(r, 30) ? (float)rules_between(r, -12, 12) / 4 : 0;
   glTexParameterf(d->target, LOD_BIAS, bias);
   d->lookup.lod = bias;
}

static GLuint
sampler_program(int target)
{
   static GLuint programs[SAMPLER_PROGRAMS];
   if (!programs[target]) {
      char fragment[400];
      snprintf(fragment, sizeof(fragment),
               "#version 120\n#extension GL_ARB_texture_rectangle : enable\n"
               "uniform %s image; uniform float lod, reference; varying vec4 v; void main() { gl_FragColor = %s; }\n",
               sampler_targets[target].sampler, sampler_targets[target].call);
      programs[target] =
         program_link("#version 120\nattribute vec4 position, coordinate; varying vec4 v;\n"
                      "void main() { gl_Position = position; v = coordinate; }\n",
                      fragment);
   }
   return programs[target];
}

/* Rectangles are addressed by texels, have one level, and neither repeat nor mirror. */
static void
make_rectangle(struct drawn *d, const int size[3])
{
   for (int a = 0; a < 2; a++) {
      d->varying[a].c *= size[a];
      d->varying[a].dx *= size[a];
      d->varying[a].dy *= size[a];
   }
}

static void
choose_sampler(struct rules *r, struct drawn *d, bool rectangle)
{
   static const GLenum wraps[] = { GL_CLAMP_TO_EDGE,         REF_CLAMP,
                                   REF_CLAMP_TO_BORDER,      GL_REPEAT,
                                   GL_MIRRORED_REPEAT,       REF_MIRROR_CLAMP,
                                   REF_MIRROR_CLAMP_TO_EDGE, REF_MIRROR_CLAMP_TO_BORDER };
   d->sampler.min_filter = rules_min_filters[rules_below(r, rectangle ? 2 : 6)];
   d->sampler.mag_filter = rules_chance(r, 50) ? GL_NEAREST : GL_LINEAR;
   for (int a = 0; a < d->texture.dims; a++)
      d->sampler.wrap[a] = wraps[rules_below(r, rectangle ? 3 : 8)];
   set_filters_and_wraps(d);
}

/* GL_LESS has bit 1, GL_EQUAL 2, GL_GREATER 4. References lie between the values of bytes. */
static void
choose_depth_view(struct rules *r, struct drawn *d, struct depth_view *view)
{
   enum { DEPTH_TEXTURE_MODE = 0x884b, COMPARE_MODE, COMPARE_FUNC, COMPARE_R_TO_TEXTURE = 0x884e };
   const GLenum modes[] = { GL_LUMINANCE, INTENSITY, GL_ALPHA };
   view->mode = rules_pick(r, modes);
   view->compare = rules_chance(r, 60) ? GL_NEVER + rules_below(r, 8) : 0;
   view->reference = ((float)rules_below(r, 255) + 0.5f) / 255;
   glTexParameteri(d->target, DEPTH_TEXTURE_MODE, (GLint)view->mode);
   glTexParameteri(d->target, COMPARE_MODE, view->compare ? COMPARE_R_TO_TEXTURE : GL_NONE);
   if (view->compare)
      glTexParameteri(d->target, COMPARE_FUNC, (GLint)view->compare);
   const float border = (float)d->sampler.border[0];
   texel_of_depth(view, border, d->sampler.border);
}

void
tex_sampler(struct rules *r)
{
   static const int sizes_px[] = { 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 32 };
   struct tex_canvas canvas = tex_canvas_create(CANVAS_PX, CANVAS_PX);
   glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
   while (rules_next(r)) {
      const int kind = r->n % FLAT_TARGETS;
      const struct sampler_target *target = &sampler_targets[kind];
      const struct sampler_format *f =
         &sampler_formats[rules_below(r, SAMPLER_FORMATS - (kind == VOLUME ? 3 : 0))];
      struct depth_view view = { 0, 0, 0 };
      struct drawn d = { .target = target->target,
                         .format_name = f->name,
                         .texture.dims = target->dims };
      GLuint texture;
      int size[3] = { 1, 1, 1 }, base = 0, most = 1;
      for (int a = 0; a < target->dims; a++)
         size[a] = rules_pick(r, sizes_px);
      glGenTextures(1, &texture);
      glBindTexture(d.target, texture);
      choose_sampler(r, &d, kind == RECTANGLE);
      choose_border(r, &d, f->base);
      if (f->base == INTENSITY)
         for (int c = 1; c < 4; c++)
            d.sampler.border[c] = d.sampler.border[0];
      if (f->base == GL_DEPTH_COMPONENT)
         choose_depth_view(r, &d, &view);
      if (kind != RECTANGLE)
         choose_level_ranges(r, &d, &base, &most);
      upload_range(r, &d, f, &view, size, base, most);
      choose_coordinates(r, &d, size);
      if (kind == RECTANGLE)
         make_rectangle(&d, size);
      no_error("a texture of OpenGL 2.1");
      tex_canvas_bind(&canvas);
      const GLuint program = sampler_program(view.compare ? SHADOWS + kind : kind);
      glUseProgram(program);
      const float bias = kind != RECTANGLE && rules_chance(r, 30) ? rules_float(r, -2, 2) : 0;
      glUniform1f(glGetUniformLocation(program, "lod"), bias);
      glUniform1f(glGetUniformLocation(program, "reference"), view.reference);
      d.lookup.lod += bias;
      draw_lookup(d.varying, &d.w_divisor, CANVAS_PX, CANVAS_PX);
      expect_lookups(r, &d);
      ref_texture_free(&d.texture);
      glDeleteTextures(1, &texture);
   }
   tex_canvas_delete(&canvas);
}

/* ARB_seamless_cube_map: linear filters over edges and vertices. */
void
tex_seamless(struct rules *r)
{
   enum { SEAMLESS = 0x884f };
   static const int sizes_px[] = { 1, 2, 3, 4, 5, 8, 16, 17 };
   if (!has_extension("GL_ARB_seamless_cube_map"))
      rules_skip("no GL_ARB_seamless_cube_map");
   struct tex_canvas canvas = tex_canvas_create(CANVAS_PX, CANVAS_PX);
   const GLuint program = sampler_program(CUBE);
   glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
   while (rules_next(r)) {
      struct drawn d = { .target = GL_TEXTURE_CUBE_MAP, .format = &image_formats[0],
                         .texture = { .cube = true, .dims = 2 } };
      const int size = rules_pick(r, sizes_px);
      GLuint texture;
      glGenTextures(1, &texture);
      glBindTexture(d.target, texture);
      choose_sampler(r, &d, false);
      d.sampler.seamless = rules_chance(r, 80);
      if (!d.sampler.seamless)
         d.sampler.wrap[0] = d.sampler.wrap[1] = GL_CLAMP_TO_EDGE;
      set_filters_and_wraps(&d);
      (d.sampler.seamless ? glEnable : glDisable)(SEAMLESS);
      upload_levels(r, &d, (const int[3]){ size, size, 1 }, 6);
      choose_directions(r, &d);
      no_error("a cube map");
      tex_canvas_bind(&canvas);
      glUseProgram(program);
      d.lookup.lod = rules_chance(r, 30) ? rules_between(r, -12, 12) / 4.0 : 0;
      glUniform1f(glGetUniformLocation(program, "lod"), (float)d.lookup.lod);
      draw_lookup(d.varying, &d.w_divisor, CANVAS_PX, CANVAS_PX);
      expect_lookups(r, &d);
      ref_texture_free(&d.texture);
      glDeleteTextures(1, &texture);
   }
   tex_canvas_delete(&canvas);
}

/* ---------------------------------------------------------------------------------- anisotropic */

/* EXT_texture_filter_anisotropic: a filter of N probes has the level of detail of the footprint's
 * length divided by N, at least that of its width and at most that of its length. Levels of one
 * colour each tell which it was. */
void
tex_anisotropic(struct rules *r)
{
   enum { SIZE_PX = 256, LEVELS = 9, STEP = 25 };
   float most;
   if (!has_extension("GL_EXT_texture_filter_anisotropic"))
      rules_skip("no GL_EXT_texture_filter_anisotropic");
   glGetFloatv(GL_MAX_TEXTURE_MAX_ANISOTROPY_EXT, &most);
   struct tex_canvas canvas = tex_canvas_create(CANVAS_PX, CANVAS_PX);
   GLuint texture;
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   uint8_t *bytes = malloc(SIZE_PX * SIZE_PX);
   glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
   for (int l = 0; l < LEVELS; l++) {
      memset(bytes, l * STEP, SIZE_PX * SIZE_PX);
      glTexImage2D(GL_TEXTURE_2D, l, GL_LUMINANCE, SIZE_PX >> l, SIZE_PX >> l, 0, GL_LUMINANCE,
                   GL_UNSIGNED_BYTE, bytes);
   }
   free(bytes);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
   lookup_use(LOOKUP_2D, 0);
   while (rules_next(r)) {
      const float allowed = rules_chance(r, 20)   ? 1
                            : rules_chance(r, 30) ? most
                                                  : rules_float(r, 1, most);
      const double length = exp2(rules_float(r, -1, 8)),
                   width = length / exp2(rules_float(r, 0, 7));
      const double angle = rules_float(r, 0, 6.2831853f);
      const bool swap = rules_chance(r, 50); /* the footprint is longer down the window */
      const double dx[2] = { cos(angle) * length / SIZE_PX, sin(angle) * length / SIZE_PX };
      const double dy[2] = { -sin(angle) * width / SIZE_PX, cos(angle) * width / SIZE_PX };
      struct affine coordinate[4] = { { 0, 0, 0 } };
      for (int a = 0; a < 2; a++)
         coordinate[a] =
            (struct affine){ rules_float(r, -1, 1), swap ? dy[a] : dx[a], swap ? dx[a] : dy[a] };
      glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_MAX_ANISOTROPY_EXT, allowed);
      draw_lookup(coordinate, &(struct affine){ .c = 1 }, CANVAS_PX, CANVAS_PX);
      const double probes = fmin(ceil(length / width - 0x1p-12), allowed);
      const double low = fmin(fmax(log2(length / probes), 0), LEVELS - 1) - 0.06;
      const double high = fmin(fmax(log2(length), 0), LEVELS - 1) + 0.06;
      uint8_t *pixels = rules_read(r, CANVAS_PX, CANVAS_PX);
      for (int i = 0; i < CANVAS_PX * CANVAS_PX; i++) {
         const double lod = (double)pixels[4 * i] / STEP;
         if (lod < low || lod > high)
            rules_fail(r, "a footprint of %f x %f texels, anisotropy up to %f: level of detail %f at pixel %d, not %f to %f",
                       length, width, allowed, lod, i, low, high);
      }
      free(pixels);
   }
   glDeleteTextures(1, &texture);
   tex_canvas_delete(&canvas);
}
