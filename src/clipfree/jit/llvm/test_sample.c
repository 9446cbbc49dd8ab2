/* SPDX-License-Identifier: MIT */
/*
 * Compiled sampling against the texture unit: random textures, formats, samplers, requests, exec
 * masks and coordinates, with boundary values; every bit of every lane in exec, at every host
 * level.
 */
#include "clipfree/jit/llvm/test_jit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "clipfree/base/test_random.h"
#include "clipfree/texture/cf_texture.h"

#define STATES 90
#define REQUESTS 60 /* per state */

static const struct cf_jit_compiler *compiler;
static uint64_t random_state;

static uint32_t
any_u32(void)
{
   return random_u32(&random_state);
}

static uint32_t
below(uint32_t n)
{
   return any_u32() % n;
}

static float
between(float low, float high)
{
   return low + (high - low) * (float)(any_u32() >> 8) / 16777216.0f;
}

/* ---- random textures ---- */

/* Kinds of random states. */
enum states {
   ANY,
   MIPMAPPED, /* the usual case: in fragment tasks, with an unbounded level of detail */
   SMOOTH,    /* quads of neighbouring texels: texels are about as large as pixels */
   CENTRED,   /* linear filters of pixels at the centres of texels */
   TRILINEAR, /* both: coherent quads and blocks, mostly at one level */
   PROBES,    /* the anisotropic filter, in fragment tasks or in mode grad */
   SEAMS,     /* cubes with small faces, filtered across their edges */
   SAMPLES,   /* several samples, of which texels are fetched */
   VOLUMES,   /* 3D textures along rays, some of which have ended */
   STATE_KINDS
};

/* The texture lies at its end, before a page that must not be read. */
#define TEXTURE_B (1 << 20)
static uint8_t *texture_data;

static uint32_t
minify(uint32_t size, uint32_t level)
{
   return size >> level ? size >> level : 1;
}

#define WINDOW_FORMATS 14 /* of which code reads windows */
#define CENTRED_FORMATS 5 /* most of them filtered in integers */
static const enum cf_format formats[] = {
   CF_FORMAT_R8G8B8A8_UNORM,
   CF_FORMAT_B8G8R8A8_UNORM,
   CF_FORMAT_R8G8B8X8_UNORM,
   CF_FORMAT_R8G8B8A8_UNORM,
   CF_FORMAT_Z24X8_UNORM,
   CF_FORMAT_R32_FLOAT,
   CF_FORMAT_L8_UNORM,
   CF_FORMAT_L8A8_UNORM,
   CF_FORMAT_R16G16B16A16_FLOAT,
   CF_FORMAT_R16G16B16A16_FLOAT,
   CF_FORMAT_R16G16B16A16_UNORM,
   CF_FORMAT_R32G32_FLOAT,
   CF_FORMAT_R32G32B32A32_FLOAT,
   CF_FORMAT_R32G32B32A32_FLOAT,
   /* WINDOW_FORMATS end here: texels of four bytes, one, two, eight, sixteen */
   CF_FORMAT_A8_UNORM,
   CF_FORMAT_R8G8_UNORM,
   CF_FORMAT_B5G6R5_UNORM,
   CF_FORMAT_B4G4R4A4_UNORM,
   CF_FORMAT_B5G5R5A1_UNORM,
   CF_FORMAT_R10G10B10A2_UNORM,
   CF_FORMAT_R9G9B9E5_FLOAT,
   CF_FORMAT_R16_UNORM,
   CF_FORMAT_R8G8B8A8_SRGB,
   CF_FORMAT_L8A8_SRGB,
   CF_FORMAT_R16_FLOAT,
   CF_FORMAT_R16G16_FLOAT,
   CF_FORMAT_Z16_UNORM,
   CF_FORMAT_Z24_UNORM_S8_UINT,
   CF_FORMAT_Z32_FLOAT,
   CF_FORMAT_R32G32B32A32_FLOAT,
   CF_FORMAT_Z32_FLOAT_S8X24_UINT,
   CF_FORMAT_R8G8B8A8_SNORM,
   CF_FORMAT_R8G8_SNORM,
   CF_FORMAT_R8_SNORM,
   CF_FORMAT_R16G16B16A16_SNORM,
   CF_FORMAT_DXT1_RGB,
   CF_FORMAT_DXT1_RGBA,
   CF_FORMAT_DXT3_RGBA,
   CF_FORMAT_DXT5_RGBA,
   CF_FORMAT_DXT5_RGBA,
   CF_FORMAT_DXT1_SRGBA,
   CF_FORMAT_DXT5_SRGBA,
};

/* Any format that GL samples. */
static enum cf_format
any_format(void)
{
   for (;;) {
      const struct cf_format_info *format = cf_format_info_of(below(CF_FORMAT_COUNT));
      if (format->uses & CF_USE_TEXTURE)
         return format->code;
   }
}

/* Place the levels one after the other, with gaps. */
static void
lay_out_levels(struct cf_texture *texture, const struct cf_format_info *format)
{
   const bool blocks = texture->layout == CF_LAYOUT_BLOCKS;
   const bool array = texture->kind == CF_TEXTURE_KIND_T1D_ARRAY ||
                      texture->kind == CF_TEXTURE_KIND_T2D_ARRAY;
   for (uint32_t l = 0; l <= texture->last_level; l++) {
      const uint32_t width = minify(texture->width_px, l), height = minify(texture->height_px, l);
      const uint32_t images = texture->kind == CF_TEXTURE_KIND_CUBE  ? 6
                              : array                                ? texture->layers
                              : texture->kind == CF_TEXTURE_KIND_T3D ? minify(texture->depth_px, l)
                                                                     : 1;
      texture->level_row_pitch_B[l] =
         blocks ? (width + 3) / 4 * format->block_B * (texture->samples ? texture->samples : 1)
                : (width + below(3)) * format->pixel_B;
      texture->level_layer_pitch_B[l] =
         texture->level_row_pitch_B[l] * (blocks ? (height + 3) / 4 : height);
      texture->level_offset_B[l] = texture->size_B;
      texture->size_B += texture->level_layer_pitch_B[l] * images + 4 * below(3);
   }
}

/* A texture of several samples, not laid out yet: one level of blocks. */
static void
add_samples(struct cf_texture *texture)
{
   texture->samples = CF_SAMPLES;
   texture->kind = below(2) ? CF_TEXTURE_KIND_T2D : CF_TEXTURE_KIND_T2D_ARRAY;
   texture->layout = CF_LAYOUT_BLOCKS;
   texture->first_level = texture->last_level = 0;
   texture->width_px = 1 + below(35); /* all samples must fit into TEXTURE_B */
   texture->height_px = 1 + below(35);
   while (cf_format_info_of(texture->format)->compression)
      texture->format = any_format();
}

static enum cf_format
random_format(enum states states, bool smooth)
{
   const size_t listed = states == CENTRED ? CENTRED_FORMATS
                         : smooth          ? WINDOW_FORMATS
                                           : sizeof(formats) / sizeof(formats[0]);
   if (only_format)
      return only_format;
   return smooth || below(2) ? formats[below((uint32_t)listed)] : any_format();
}

static struct cf_texture
random_texture(enum states states)
{
   const bool mipmapped = states == MIPMAPPED || states == TRILINEAR || states == PROBES,
              smooth =
                 states == SMOOTH || states == CENTRED || states == TRILINEAR || states == VOLUMES;
   static const enum cf_texture_kind kinds[] = {
      CF_TEXTURE_KIND_T2D,   CF_TEXTURE_KIND_T3D,       CF_TEXTURE_KIND_CUBE,
      CF_TEXTURE_KIND_T2D,   CF_TEXTURE_KIND_T2D_ARRAY, CF_TEXTURE_KIND_T1D,
      CF_TEXTURE_KIND_T3D,   CF_TEXTURE_KIND_T1D_ARRAY, CF_TEXTURE_KIND_RECT,
      CF_TEXTURE_KIND_BUFFER
   };
   const bool volume = states == VOLUMES, one_level = states == SMOOTH || states == CENTRED;
   const uint32_t least_px = mipmapped ? 16 : 1, most_px = states == SEAMS         ? 8
                                                           : volume                ? 24
                                                           : mipmapped || below(3) ? 70
                                                                                   : 5;
   struct cf_texture texture = {
      .kind = states == SEAMS ? CF_TEXTURE_KIND_CUBE
              : volume        ? CF_TEXTURE_KIND_T3D
                              : kinds[below(smooth      ? 5
                                            : mipmapped ? 8
                                                        : 10)],
      .format = random_format(states, smooth),
      .layout = smooth || below(3) ? CF_LAYOUT_BLOCKS : CF_LAYOUT_LINEAR,
      .width_px = least_px + below(most_px),
      .height_px = least_px + below(most_px),
      .depth_px = 1 + below(volume ? 24 : 6),
      .layers = 1 + below(5),
      .swizzle_r = below(2) ? CF_SWIZZLE_X : (enum cf_swizzle)below(6),
      .swizzle_g = below(2) ? CF_SWIZZLE_Y : (enum cf_swizzle)below(6),
      .swizzle_b = CF_SWIZZLE_Z,
      .swizzle_a = below(2) ? CF_SWIZZLE_W : CF_SWIZZLE_ONE,
   };
   const struct cf_format_info *format = cf_format_info_of(texture.format);
   const bool cube = texture.kind == CF_TEXTURE_KIND_CUBE;
   const bool buffer = texture.kind == CF_TEXTURE_KIND_BUFFER;
   const bool row =
      texture.kind == CF_TEXTURE_KIND_T1D || texture.kind == CF_TEXTURE_KIND_T1D_ARRAY || buffer;
   if (row && format->compression) { /* there is none of these */
      texture.format = CF_FORMAT_B5G6R5_UNORM;
      format = cf_format_info_of(texture.format);
   }
   texture.layout = format->compression ? CF_LAYOUT_BLOCKS : texture.layout;
   texture.height_px = cube ? texture.width_px : row ? 1 : texture.height_px;
   if (buffer) {
      texture.layout = CF_LAYOUT_LINEAR;
      texture.size_B = texture.width_px * format->pixel_B + below(format->pixel_B);
      return texture;
   }
   while (texture.kind != CF_TEXTURE_KIND_RECT && (mipmapped || below(one_level ? 2 : 4)) &&
          texture.last_level < 6 &&
          (texture.width_px | texture.height_px) >> (texture.last_level + 1))
      texture.last_level++;
   texture.first_level = mipmapped || below(4) ? 0 : below(texture.last_level + 1);
   if (states == SAMPLES)
      add_samples(&texture);
   lay_out_levels(&texture, cf_format_info_of(texture.format));
   return texture;
}

static float
odd_value(void)
{
   static const float values[] = { 0.0f, -0.0f, 1.0f,      -1.0f,     0.5f,   0x1.fffffep-1f, -0x1p-30f,
                                   2.0f, 1e9f,  -3.0e38f, INFINITY, -INFINITY, NAN,  1e-40f };
   return values[below(sizeof(values) / sizeof(values[0]))];
}

static struct cf_sampler
random_sampler(enum states states)
{
   static const enum cf_wrap wraps[] = { CF_WRAP_REPEAT, CF_WRAP_CLAMP_TO_EDGE, CF_WRAP_MIRROR_REPEAT, CF_WRAP_CLAMP,
                                         CF_WRAP_CLAMP_TO_BORDER, CF_WRAP_MIRROR_CLAMP, CF_WRAP_MIRROR_CLAMP_TO_EDGE,
                                         CF_WRAP_MIRROR_CLAMP_TO_BORDER };
   const uint32_t modes = below(2) ? 3 : 8; /* mostly the wrap modes of OpenGL ES */
   struct cf_sampler sampler = {
      .wrap_s = wraps[below(modes)],
      .wrap_t = wraps[below(modes)],
      .wrap_r = wraps[below(modes)],
      .border = { between(-2.0f, 2.0f), between(0.0f, 1.0f), odd_value(), below(2) ? 1.0f : 0.0f },
      .min_filter = (enum cf_filter)below(2),
      .mag_filter = (enum cf_filter)below(2),
      .mip_filter = (enum cf_mip)below(3),
      .lod_bias = below(2) ? 0.0f : between(-2.0f, 2.0f),
      .max_lod = below(2) ? 1000.0f : between(0.0f, 5.0f),
      .min_lod = below(2) ? -1000.0f : between(-1.0f, 2.0f),
      .compare_enable = below(2),
      .compare_func = (enum cf_compare)below(8),
   };
   sampler.mag_filter = below(2) ? sampler.min_filter : sampler.mag_filter;
   if ((states == SMOOTH || states == CENTRED) && below(2))
      sampler.mip_filter = CF_MIP_NONE;
   if (states == CENTRED)
      sampler.compare_enable = below(4) == 0;
   sampler.seamless = states == SEAMS || below(2);
   sampler.magnify_to_half = below(2);
   sampler.max_anisotropy = states == PROBES ? 2 + below(15) : below(3) ? 0 : below(17);
   return sampler;
}

/* Of integers: what filters would make of their bits is nothing that is defined. */
static void
choose_nearest(struct cf_sampler *sampler)
{
   sampler->min_filter = sampler->mag_filter = CF_FILTER_NEAREST;
   sampler->mip_filter =
      sampler->mip_filter == CF_MIP_LINEAR ? CF_MIP_NEAREST : sampler->mip_filter;
   sampler->max_anisotropy = 0;
   sampler->compare_enable = false;
}

/* ---- random requests ---- */

/* Coordinates as in shaders, with a smooth step in quads that selects a level of the texture; or
 * random ones. */
static void
fill_coordinates(const struct cf_texture *texture, float (*strq)[CF_TASK_LANES])
{
   const float scale = texture->kind == CF_TEXTURE_KIND_RECT ? (float)texture->width_px : 1.0f;
   const bool uniform = below(2), anything = below(4) == 0;
   float step = 0;
   for (unsigned l = 0; l < CF_TASK_LANES; l++) {
      if (l == 0 || (l % 4 == 0 && !uniform))
         step = scale / (float)texture->width_px * between(0.0f, 1.0f) * (float)(1u << below(6));
      for (unsigned k = 0; k < 4; k++) {
         const float start = l % 4 ? strq[k][l & ~3u] : scale * between(-1.5f, 2.5f);
         strq[k][l] = start + (l % 4 ? step * between(0.0f, 1.0f) : 0.0f);
         if (anything && below(4) == 0)
            strq[k][l] = odd_value();
      }
      strq[3][l] = below(16) ? between(-1.0f, 4.0f) : odd_value();
   }
}

/* Convert positions on an image to coordinates: on a face, or with a layer or depth that all lanes,
 * or quads, share. */
static void
fill_third(const struct cf_texture *texture, float (*strq)[CF_TASK_LANES])
{
   const bool array = texture->kind == CF_TEXTURE_KIND_T2D_ARRAY, one = below(2);
   const unsigned major = below(3);
   const float sign = below(2) ? 1.0f : -1.0f;
   float depth = 0.0f;
   for (unsigned l = 0; l < CF_TASK_LANES; l++) {
      if (l == 0 || (l % 4 == 0 && !one))
         depth = array ? (float)below(texture->layers) : between(-0.1f, 1.1f);
      if (texture->kind == CF_TEXTURE_KIND_CUBE) {
         const float x = 2.0f * strq[0][l] - 1.0f, y = 2.0f * strq[1][l] - 1.0f;
         strq[major][l] = sign;
         strq[(major + 1) % 3][l] = x;
         strq[(major + 2) % 3][l] = y;
      } else {
         strq[2][l] = depth;
      }
   }
}

/* Quads or blocks, each from any place on, whose pixels are a texel of the first level apart and
 * lie at centres of texels, or all but one. */
static void
fill_centred(const struct cf_texture *texture, float (*strq)[CF_TASK_LANES])
{
   const uint32_t level = texture->first_level;
   const uint32_t size_px[2] = { minify(texture->width_px, level),
                                 minify(texture->height_px, level) };
   const unsigned together = below(2) ? 16 : 4;
   const float between_two[2] = { below(4) ? 0.0f : 0.5f, below(4) ? 0.0f : 0.5f };
   float start[2];
   for (unsigned l = 0; l < CF_TASK_LANES; l++) {
      for (unsigned k = 0; k < 2; k++) {
         if (l % together == 0)
            start[k] = (float)below(size_px[k] + 4) - 1.5f + between_two[k];
         const unsigned place = (l >> k & 1) | (l % together >> (k + 1) & 2);
         strq[k][l] = (start[k] + (float)place) / (float)size_px[k];
      }
      strq[3][l] = 1.0f;
   }
   if (below(4) == 0)
      strq[below(2)][below(CF_TASK_LANES)] += 0.01f;
   fill_third(texture, strq);
}

/* Quads or blocks whose pixels are up to three texels, or one, of a level apart, rotated or not;
 * some cross the texture's edges. */
static void
fill_smoothly(const struct cf_texture *texture, uint32_t level, float (*strq)[CF_TASK_LANES])
{
   const float size_px[2] = { (float)texture->width_px, (float)texture->height_px };
   const bool edges = below(4) == 0, blocks = below(2);
   const unsigned together = blocks ? 16 : 4; /* number of coherent lanes: a block or a quad */
   float step[2];
   for (unsigned k = 0; k < 2; k++)
      step[k] = between(-3.0f, 3.0f) * (blocks || below(2) ? 0.3f : 1.0f) * (float)(1u << level) / size_px[k];
   for (unsigned l = 0; l < CF_TASK_LANES; l++) {
      for (unsigned k = 0; k < 2; k++) {
         const float start = l % together ? strq[k][l & ~(together - 1)] : edges ? between(-0.2f, 1.2f) : between(0.1f, 0.9f);
         const unsigned place = (l >> k & 1) | (blocks ? l >> (k + 1) & 2 : 0);
         strq[k][l] = start + (float)place * step[k];
      }
      strq[3][l] = 1.0f;
   }
   fill_third(texture, strq);
}

/* Rays of two blocks, each of which is in few slices or in many; some cross the texture's edges,
 * and those not in exec are anywhere. */
static void
fill_rays(const struct cf_texture *texture, uint32_t exec, float (*strq)[CF_TASK_LANES])
{
   const float size_px[3] = { (float)texture->width_px, (float)texture->height_px,
                              (float)texture->depth_px };
   const bool edges = below(4) == 0;
   float start[3], step[3];
   for (unsigned l = 0; l < CF_TASK_LANES; l++) {
      for (unsigned k = 0; k < 3; k++) {
         if (l % 16 == 0) {
            start[k] = edges ? between(-0.2f, 1.2f) : between(0.1f, 0.9f);
            step[k] = between(-1.0f, 1.0f) / size_px[k];
         }
         const bool lives = exec >> l & 1;
         strq[k][l] = lives      ? start[k] + step[k] * between(0.0f, k == 2 ? 9.0f : 4.0f)
                      : below(4) ? between(-5.0f, 5.0f)
                                 : odd_value();
      }
      strq[3][l] = 1.0f;
   }
}

/* Derivatives of up to some dozens of texels, longer along x or along y; some are 0. */
static void
fill_gradients(const struct cf_texture *texture, float (*gradient)[CF_TASK_LANES])
{
   const float texel = texture->kind == CF_TEXTURE_KIND_RECT ? 1.0f : 1.0f / (float)texture->width_px;
   for (unsigned l = 0; l < CF_TASK_LANES; l++) {
      for (unsigned n = 0; n < CF_GRADIENTS; n++) {
         const float most = texel * (float)(1u << below(6));
         gradient[n][l] = below(40) ? between(-most, most) : odd_value();
      }
   }
}

/* q of most tasks: 1 in all lanes, or in all but one. */
static void
fill_q(float q[CF_TASK_LANES])
{
   for (unsigned l = 0; l < CF_TASK_LANES; l++)
      q[l] = 1.0f;
   if (below(2))
      q[below(CF_TASK_LANES)] = below(4) ? between(0.5f, 2.0f) : odd_value();
}

/* Integer coordinates and levels, most of them inside of the texture. */
static void
fill_texels(const struct cf_texture *texture, float strq[4][CF_TASK_LANES])
{
   const uint32_t size[3] = { texture->width_px, texture->height_px,
                              texture->depth_px + texture->layers };
   const uint32_t same = below(5);
   for (unsigned l = 0; l < CF_TASK_LANES; l++) {
      for (unsigned k = 0; k < 3; k++)
         strq[k][l] = cf_float(below(20) ? below(size[k] + 1) : any_u32());
      strq[3][l] = cf_float(same < 3 ? same : below(20) ? below(6) : any_u32());
   }
}

/* A compiled function and what it samples. */
struct subject {
   struct cf_texture_unit unit;
   enum cf_host_level level;
   uint32_t variant;
   struct cf_jit_code code;
   char what[320];
};

static void
check_request(const struct subject *subject, uint32_t exec, float (*strq)[CF_TASK_LANES])
{
   static _Alignas(64) float expected[4][CF_TASK_LANES], found[4][CF_TASK_LANES];
   const uint32_t variant = subject->variant;
   const struct cf_texture_request request = {
      .s = strq[0],
      .t = strq[1],
      .r = strq[2],
      .q = strq[3],
      .exec = exec,
      .mode = cf_texmode_alone(variant >> 5),
      .mask = variant & 15,
      .quads = variant >> 4 & 1,
      .operand = (const float(*)[CF_TASK_LANES])strq + 4,
      .offsets = cf_texmode_has_offsets(variant >> 5),
   };
   cf_texture_ops_at(subject->level)->sample(&subject->unit, &request, expected);
   const cf_sample_function function = (cf_sample_function)subject->code.entry;
   function(&subject->unit, (const float(*)[CF_TASK_LANES])strq, exec, variant, found);
   for (unsigned c = 0; c < 4; c++) {
      for (unsigned l = 0; l < CF_TASK_LANES; l++) {
         if (variant >> c & 1 && exec >> l & 1 && cf_bits(cf_canon(expected[c][l])) != cf_bits(cf_canon(found[c][l])))
            fail_msg("%s: component %u, lane %u of exec 0x%08x: %.9g, expected %.9g at (%.9g %.9g "
                     "%.9g %.9g)",
                     subject->what, c, l, exec, (double)found[c][l], (double)expected[c][l],
                     (double)strq[0][l], (double)strq[1][l], (double)strq[2][l],
                     (double)strq[3][l]);
      }
   }
}

static void
check_random_request(const struct subject *subject, enum states states)
{
   static _Alignas(64) float strq[4 + CF_TEX_OPERANDS][CF_TASK_LANES];
   const struct cf_texture *texture = &subject->unit.texture;
   const uint32_t exec = below(2) ? UINT32_MAX : (any_u32() | 1u << below(32));
   if (states == VOLUMES)
      fill_rays(texture, exec, strq);
   else if (states == CENTRED)
      fill_centred(texture, strq);
   else if (states == SMOOTH || (states == TRILINEAR && below(4)))
      fill_smoothly(texture, states == TRILINEAR ? below(5) : 0, strq);
   else
      fill_coordinates(texture, strq);
   if (cf_texmode_alone(subject->variant >> 5) == CF_TEXMODE_PROJ && below(2))
      fill_q(strq[3]);
   if (subject->variant >> 5 == CF_TEXMODE_FETCH || subject->variant >> 5 == CF_TEXMODE_SIZE)
      fill_texels(texture, strq);
   fill_gradients(texture, strq + 4);
   for (unsigned l = 0; l < CF_TASK_LANES; l++) {
      strq[4 + CF_OPERAND_LEVEL][l] = between(-2.0f, 6.0f);
      strq[4 + CF_OPERAND_OFFSETS][l] = cf_float(any_u32());
   }
   check_request(subject, exec, strq);
}

/* ---- states ---- */

/* Of the unit and variant of the subject. */
static void
compile(struct subject *subject, bool is_filter)
{
   struct cf_sample_key key;
   struct cf_jit_bytes object;
   char error[256];
   if (!cf_sample_key_of(&key, &subject->unit))
      fail_msg("%s: no code", subject->what);
   cf_sample_key_request(&key, subject->variant);
   key.is_filter = is_filter;
   const struct cf_jit_source source = { .sample = &key };
   atomic_int phase;
   if (!compiler->compile(&source, subject->level, &object, error, sizeof(error), &phase))
      fail_msg("%s: %s", subject->what, error);
   const char *wrong =
      cf_jit_object_load(&subject->code, object.data, object.size_B, &source, CF_JIT_ENTRY, NULL);
   free(object.data);
   if (wrong)
      fail_msg("%s: %s", subject->what, wrong);
}

static void
check_state(enum cf_host_level level, uint64_t seed, enum states states)
{
   random_state = seed;
   const struct cf_texture texture = random_texture(states);
   struct cf_sampler sampler = random_sampler(states);
   if (texture.kind == CF_TEXTURE_KIND_RECT)
      sampler.wrap_s = sampler.wrap_t = below(2) ? CF_WRAP_CLAMP_TO_EDGE : below(2) ? CF_WRAP_CLAMP : CF_WRAP_CLAMP_TO_BORDER;
   static const uint32_t modes[] = { CF_TEXMODE_IMPLICIT, CF_TEXMODE_BIAS, CF_TEXMODE_LOD, CF_TEXMODE_PROJ, CF_TEXMODE_GRAD };
   uint32_t variant = cf_sample_variant(modes[below(5)], 1 + below(15), below(4) != 0);
   if (states == MIPMAPPED || states == TRILINEAR) {
      sampler.mip_filter = below(3) ? CF_MIP_LINEAR : CF_MIP_NEAREST;
      sampler.min_lod = -(sampler.max_lod = 1000.0f);
      variant = cf_sample_variant(below(2) ? CF_TEXMODE_IMPLICIT : modes[below(5)], 1 + below(15), true);
   }
   if (states == PROBES)
      variant = cf_sample_variant(below(2) ? CF_TEXMODE_IMPLICIT : CF_TEXMODE_GRAD, 1 + below(15), true);
   if (below(4) == 0) /* with offsets */
      variant |= 1u << 5;
   if (states == SAMPLES ? below(4) : below(8) == 0)
      variant = cf_sample_variant(below(4) ? CF_TEXMODE_FETCH : CF_TEXMODE_SIZE, variant & 15,
                                  variant >> 4 & 1);
   if (states == SEAMS)
      sampler.min_filter = sampler.mag_filter = below(4) ? CF_FILTER_LINEAR : CF_FILTER_NEAREST;
   if (states == SMOOTH || states == CENTRED || states == TRILINEAR || states == VOLUMES)
      sampler.min_filter = sampler.mag_filter = CF_FILTER_LINEAR;
   if (!(cf_format_info_of(texture.format)->uses & CF_USE_FILTER))
      choose_nearest(&sampler);
   assert_true(texture.size_B <= TEXTURE_B);
   const uint8_t *data = texture_data + ((TEXTURE_B - texture.size_B) & ~3u);
   struct subject subject = { .level = level, .variant = variant };
   assert_null(cf_texture_unit_init(&subject.unit, &texture, &sampler, data));
   snprintf(subject.what, sizeof(subject.what),
            "seed %llu, level %d, kind %d, %s, %u x %u x %u, levels %u to %u, wrap %d %d %d, "
            "filters %d %d %d, "
            "anisotropy %u, seamless %d, variant 0x%x",
            (unsigned long long)seed, level, texture.kind, subject.unit.format->name,
            texture.width_px, texture.height_px, texture.depth_px, texture.first_level,
            texture.last_level, sampler.wrap_s, sampler.wrap_t, sampler.wrap_r, sampler.min_filter,
            sampler.mag_filter, sampler.mip_filter, sampler.max_anisotropy, sampler.seamless,
            variant);
   compile(&subject, states == SMOOTH && below(2));
   for (unsigned n = 0; n < REQUESTS && level <= cf_host_level(); n++)
      check_random_request(&subject, states);
   cf_jit_object_unload(&subject.code);
}

/* Code for better hosts than this one is compiled and proven alone. */
static void
test_random_states(void **state)
{
   (void)state;
   const uint64_t seed = cf_random_seed("sampling").state;
   for (unsigned n = only_format ? STATES / 2 : 0; n < STATES; n++) {
      for (int level = 0; level < CF_HOST_LEVELS; level++) {
         if (level == (int)(n / STATE_KINDS % CF_HOST_LEVELS) || level == (int)cf_host_level())
            check_state((enum cf_host_level)level, seed + n * 0x9e3779b97f4a7c15ull, (enum states)(n % STATE_KINDS));
      }
   }
}

/* ---- boundaries ---- */

#define EDGE_PX 64
#define EDGE_LEVELS 7

/* A texture of 64x64 texels with all its levels, whose bytes are 0 or 255, seen by this sampler. */
static void
make_edges(struct subject *subject, enum cf_format format, const struct cf_sampler *sampler)
{
   static _Alignas(64) uint8_t data[EDGE_LEVELS * EDGE_PX * EDGE_PX * 4];
   const struct cf_format_info *info = cf_format_info_of(format);
   struct cf_texture texture = { .kind = CF_TEXTURE_KIND_T2D,
                                 .format = format,
                                 .layout = CF_LAYOUT_BLOCKS,
                                 .width_px = EDGE_PX,
                                 .height_px = EDGE_PX,
                                 .last_level = EDGE_LEVELS - 1,
                                 .swizzle_r = CF_SWIZZLE_X,
                                 .swizzle_g = CF_SWIZZLE_Y,
                                 .swizzle_b = CF_SWIZZLE_Z,
                                 .swizzle_a = CF_SWIZZLE_W };
   for (uint32_t l = 0; l < EDGE_LEVELS; l++) {
      const uint32_t blocks = (minify(EDGE_PX, l) + 3) / 4;
      texture.level_row_pitch_B[l] = blocks * info->block_B;
      texture.level_layer_pitch_B[l] = texture.level_row_pitch_B[l] * blocks;
      texture.level_offset_B[l] = texture.size_B;
      texture.size_B += texture.level_layer_pitch_B[l];
   }
   for (uint32_t i = 0; i < texture.size_B; i++)
      data[i] = below(2) ? 255 : 0;
   assert_null(cf_texture_unit_init(&subject->unit, &texture, sampler, data));
}

/* Quads whose pixels lie `step` texels apart along x, half of that along y, in some lanes: more;
 * beside texels' centres by weights that are rounded to 0, 1, 255 and 256. */
static void
fill_edges(float step, float more, float (*strq)[CF_TASK_LANES])
{
   static const float beside[] = { 0.0f, 0x1p-9f, 0x1.fp-10f, 0.998f, 0x1.ff0002p-1f, 0.5f };
   for (unsigned l = 0; l < CF_TASK_LANES; l++) {
      const float across = l / 4 == 5 ? step + more : step;
      const float x = 0.5f + (float)below(EDGE_PX) + beside[below(6)],
                  y = 0.5f + (float)below(EDGE_PX) + beside[below(6)];
      strq[0][l] = l % 4 ? strq[0][l & ~3u] + (float)(l & 1) * across / EDGE_PX
                         : (below(8) ? x : -x) / EDGE_PX;
      strq[1][l] = l % 4 ? strq[1][l & ~3u] + (float)(l >> 1 & 1) * 0.5f * step / EDGE_PX
                         : (below(8) ? y : -y) / EDGE_PX;
      strq[2][l] = 0.0f;
      strq[3][l] = 1.0f;
   }
}

/* A task is magnified up to a length of 1, by its longest quad; a bias or a bound makes it minified
 * all the same. One lane with another q counts if it is in exec. */
static void
check_edges(struct subject *subject)
{
   static _Alignas(64) float strq[4 + CF_GRADIENTS][CF_TASK_LANES];
   static const float steps[] = { 0.0f, 0.25f, 1.0f, 1.0f + 0x1p-12f, 1.5f, 6.0f };
   static const struct {
      float bias, min_lod, max_lod;
   } bounds[] = { { 0.0f, -1000.0f, 1000.0f },  { 0.25f, -1000.0f, 1000.0f },
                  { 0.75f, -1000.0f, 1000.0f }, { -1.0f, -1000.0f, 1000.0f },
                  { 0.0f, 0.75f, 1000.0f },     { 2.0f, -1000.0f, 0.0f },
                  { -1.0f, 0.0f, 2.0f } };
   for (unsigned n = 0; n < 7 * 6 * 4; n++) {
      const float step = steps[n % 6];
      const unsigned kind = n / 6 % 4, odd = below(CF_TASK_LANES);
      subject->unit.sampler.lod_bias = bounds[n / 24].bias;
      subject->unit.sampler.min_lod = bounds[n / 24].min_lod;
      subject->unit.sampler.max_lod = bounds[n / 24].max_lod;
      fill_edges(step, kind == 1 ? 1.5f : 0.0f, strq);
      strq[3][odd] = kind >= 2 ? 1.5f : 1.0f;
      check_request(subject, kind == 3 ? ~(1u << odd) : UINT32_MAX, strq);
   }
}

static void
test_boundaries(void **state)
{
   (void)state;
   static const enum cf_format formats[] = { CF_FORMAT_R8G8B8A8_UNORM, CF_FORMAT_L8A8_UNORM,
                                             CF_FORMAT_L8_UNORM };
   random_state = 11;
   for (unsigned n = 0; n < 7; n++) {
      const struct cf_sampler sampler = {
         .wrap_s = n == 6  ? CF_WRAP_CLAMP_TO_BORDER
                   : n & 1 ? CF_WRAP_CLAMP_TO_EDGE
                           : CF_WRAP_REPEAT,
         .wrap_t = CF_WRAP_REPEAT,
         .mag_filter = CF_FILTER_LINEAR,
         .min_filter = n == 3 ? CF_FILTER_NEAREST : CF_FILTER_LINEAR,
         .mip_filter = n == 1   ? CF_MIP_NONE
                       : n == 2 ? CF_MIP_NEAREST
                                : CF_MIP_LINEAR,
         .magnify_to_half = n == 3,
         .max_anisotropy = n == 4   ? 0
                           : n == 5 ? 31
                                    : 4,
         .border = { INFINITY, 1e-40f, -INFINITY, 3e38f },
      };
      for (int level = 0; level <= (int)cf_host_level(); level++) {
         struct subject subject = { .level = (enum cf_host_level)level,
                                    .variant = cf_sample_variant(CF_TEXMODE_PROJ, 15, true) };
         make_edges(&subject, formats[n % 3], &sampler);
         snprintf(subject.what, sizeof(subject.what), "boundaries %u, level %d", n, level);
         compile(&subject, false);
         check_edges(&subject);
         cf_jit_object_unload(&subject.code);
      }
   }
}

/* What stands for a division by the number of probes. The other exponents differ by a factor. */
static void
test_division(void **state)
{
   (void)state;
   for (unsigned count = 1; count < 32; count++) { /* all that a sampler's field holds */
      const float divisor = (float)count, reciprocal = 1.0f / divisor;
      for (uint32_t mantissa = count % 8; mantissa < 1u << 23; mantissa += 61) {
         const float x = 1.0f + (float)mantissa * 0x1p-23f, quotient = x * reciprocal;
         assert_true(fmaf(fmaf(-quotient, divisor, x), reciprocal, quotient) == x / divisor);
      }
   }
}

/* What has no code says so. */
static void
test_other_states(void **state)
{
   (void)state;
   struct cf_texture_unit unit;
   struct cf_sample_key key;
   struct cf_sampler sampler = { .wrap_s = CF_WRAP_REPEAT };
   struct cf_texture texture = { .kind = CF_TEXTURE_KIND_T2D,
                                 .format = CF_FORMAT_R8G8B8A8_UNORM,
                                 .layout = CF_LAYOUT_LINEAR,
                                 .width_px = 4,
                                 .height_px = 4,
                                 .size_B = 64,
                                 .level_row_pitch_B = { 16 } };
   assert_null(cf_texture_unit_init(&unit, &texture, &sampler, texture_data));
   assert_true(cf_sample_key_of(&key, &unit));
   texture.size_B = 1u << 31; /* offsets would be negative */
   assert_null(cf_texture_unit_init(&unit, &texture, &sampler, texture_data));
   assert_false(cf_sample_key_of(&key, &unit));
   texture.kind = CF_TEXTURE_KIND_CUBE_ARRAY;
   texture.layers = 6;
   texture.size_B = 6 * 64;
   texture.level_layer_pitch_B[0] = 64;
   assert_null(cf_texture_unit_init(&unit, &texture, &sampler, texture_data));
   assert_false(cf_sample_key_of(&key, &unit));
}

int
main(int argc, char **argv)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_states),
      cmocka_unit_test(test_boundaries),
      cmocka_unit_test(test_division),
      cmocka_unit_test(test_other_states),
   };
   if (argc < 2)
      return 2;
   if (argc > 2)
      choose_format(argv[2]);
   compiler = open_compiler(argv[1]);
   random_state = 1;
   const size_t page_B = (size_t)sysconf(_SC_PAGESIZE);
   texture_data = mmap(NULL, TEXTURE_B + page_B, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   if (texture_data == MAP_FAILED || mprotect(texture_data + TEXTURE_B, page_B, PROT_NONE) != 0)
      return 2;
   for (unsigned i = 0; i < TEXTURE_B; i++)
      texture_data[i] = (uint8_t)any_u32();
   return cmocka_run_group_tests_name("sampling, compiled", tests, NULL, NULL);
}
