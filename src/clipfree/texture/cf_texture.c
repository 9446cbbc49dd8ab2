/* SPDX-License-Identifier: MIT */
/*
 * Texture unit, bind time: check a texture and sampler descriptor against memory and precompute the
 * unit's state.
 */
#include "clipfree/texture/cf_texture.h"

#include <string.h>

#include "clipfree/arith/cf_minmax.h"

static uint32_t
minify(uint32_t size_px, uint32_t level)
{
   const uint32_t size = size_px >> level;
   return size ? size : 1;
}

static uint32_t
samples_of(const struct cf_texture *texture)
{
   return cf_max_u32(texture->samples, 1);
}

/* Whether a level, with all layers and samples and padded to whole blocks, lies inside size_B. */
static bool
level_fits(const struct cf_texture_unit *unit, const struct cf_texture_level *level,
           uint32_t layers)
{
   uint64_t rows = level->height_px, row_B = (uint64_t)level->width_px * unit->format->pixel_B;
   if (unit->texture.layout == CF_LAYOUT_BLOCKS) {
      rows = (level->height_px + 3) / 4;
      row_B = (uint64_t)(level->width_px + 3) / 4 * unit->format->block_B;
   }
   const uint32_t samples = samples_of(&unit->texture);
   if (samples > 1) { /* a row of blocks for each (memory/cf_surface.h) */
      const uint32_t sample_B = level->row_pitch_B / samples;
      if (level->row_pitch_B % (samples * unit->format->pixel_B) || sample_B < row_B)
         return false;
      row_B += (samples - 1) * (uint64_t)sample_B;
   }
   if (rows > 1 && level->row_pitch_B < row_B)
      return false;
   const uint64_t end_B = level->offset_B + (uint64_t)(layers - 1) * level->layer_pitch_B +
                          (rows - 1) * level->row_pitch_B + row_B;
   return end_B <= unit->texture.size_B;
}

static uint32_t
layers_of(const struct cf_texture *texture, uint32_t level)
{
   switch (texture->kind) {
   case CF_TEXTURE_KIND_T3D:
      return minify(texture->depth_px, level);
   case CF_TEXTURE_KIND_CUBE:
      return 6;
   case CF_TEXTURE_KIND_T1D_ARRAY:
   case CF_TEXTURE_KIND_T2D_ARRAY:
   case CF_TEXTURE_KIND_CUBE_ARRAY:
      return cf_max_u32(texture->layers, 1);
   default:
      return 1;
   }
}

static const char *
derive_levels(struct cf_texture_unit *unit)
{
   const struct cf_texture *texture = &unit->texture;
   for (uint32_t l = texture->first_level; l <= texture->last_level; l++) {
      struct cf_texture_level *level = &unit->level[l];
      level->width_px = minify(texture->width_px, l);
      level->height_px = minify(texture->height_px, l);
      level->depth_px = layers_of(texture, l);
      level->offset_B = texture->level_offset_B[l];
      level->row_pitch_B = texture->level_row_pitch_B[l];
      level->layer_pitch_B = texture->level_layer_pitch_B[l];
      const uint32_t first_layer = texture->kind == CF_TEXTURE_KIND_T3D ? 0 : texture->first_layer;
      if (!level_fits(unit, level, first_layer + level->depth_px))
         return "level_offset_B";
      level->offset_B += first_layer * level->layer_pitch_B;
   }
   return NULL;
}

/* Whether the texture may have its number of samples. */
static bool
has_samples(const struct cf_texture *texture, const struct cf_format_info *format)
{
   const bool plane =
      texture->kind == CF_TEXTURE_KIND_T2D || texture->kind == CF_TEXTURE_KIND_T2D_ARRAY;
   return texture->samples <= 1 ||
          (texture->samples == CF_SAMPLES && plane && texture->layout == CF_LAYOUT_BLOCKS &&
           texture->last_level == 0 && !format->compression);
}

struct cf_texture_extent
cf_texture_extent(const struct cf_texture *texture)
{
   const uint32_t pixel_B = cf_format_info_of(texture->format)->pixel_B;
   if (texture->kind != CF_TEXTURE_KIND_BUFFER)
      return (struct cf_texture_extent){ texture->width_px, texture->height_px };
   return (struct cf_texture_extent){ pixel_B ? texture->size_B / pixel_B : 0, 1 };
}

static const char *
derive_buffer(struct cf_texture_unit *unit)
{
   const struct cf_texture *texture = &unit->texture;
   const struct cf_texture_extent extent = cf_texture_extent(texture);
   if (texture->layout != CF_LAYOUT_LINEAR || texture->level_offset_B[0])
      return "layout";
   if (texture->last_level)
      return "last_level";
   unit->level[0] = (struct cf_texture_level){ .width_px = extent.width_px,
                                               .height_px = extent.height_px,
                                               .depth_px = 1 };
   unit->empty = extent.width_px == 0;
   return NULL;
}

/* Combine the format's view with the descriptor's swizzle. */
static void
derive_source(struct cf_texture_unit *unit)
{
   const enum cf_swizzle swizzle[4] = { unit->texture.swizzle_r, unit->texture.swizzle_g,
                                        unit->texture.swizzle_b, unit->texture.swizzle_a };
   for (uint32_t i = 0; i < 4; i++)
      unit->source[i] = swizzle[i] == CF_SWIZZLE_ZERO  ? CF_VIEW_ZERO
                        : swizzle[i] == CF_SWIZZLE_ONE ? CF_VIEW_ONE
                                                       : unit->format->view[swizzle[i]];
}

static bool
is_unorm8(const struct cf_format_info *format)
{
   for (uint32_t c = 0; c < format->channels; c++)
      if (format->channel[c].type != CF_CHANNEL_UNORM || format->channel[c].bits > 8)
         return false;
   return true;
}

static bool
is_rgba8(const struct cf_texture_unit *unit)
{
   const struct cf_sampler *sampler = &unit->sampler;
   bool bytes = unit->format->pixel_B == 4 && !unit->format->compression;
   for (uint32_t c = 0; c < unit->format->channels; c++)
      bytes = bytes && unit->format->channel[c].type == CF_CHANNEL_UNORM &&
              unit->format->channel[c].bits == 8;
   return bytes && unit->dims == 2 && !unit->compare && unit->texture.size_B < 1u << 31 &&
          !sampler->unnormalized && unit->texture.kind != CF_TEXTURE_KIND_RECT &&
          (sampler->wrap_s == CF_WRAP_REPEAT || sampler->wrap_s == CF_WRAP_CLAMP_TO_EDGE) &&
          (sampler->wrap_t == CF_WRAP_REPEAT || sampler->wrap_t == CF_WRAP_CLAMP_TO_EDGE);
}

/* The name of a field that does not fit the texture's kind and format. NULL: all do. */
static const char *
wrong_field(const struct cf_texture *texture, const struct cf_format_info *format)
{
   const bool cube =
      texture->kind == CF_TEXTURE_KIND_CUBE || texture->kind == CF_TEXTURE_KIND_CUBE_ARRAY;
   const uint32_t uses =
      texture->kind == CF_TEXTURE_KIND_BUFFER ? CF_USE_TEXTURE | CF_USE_VERTEX : CF_USE_TEXTURE;
   if (!format->pixel_B || !(format->uses & uses))
      return "format";
   if (format->compression && texture->layout != CF_LAYOUT_BLOCKS)
      return "layout";
   if (texture->last_level >= CF_MAX_TEXTURE_LEVELS || texture->first_level > texture->last_level)
      return "last_level";
   if (texture->kind == CF_TEXTURE_KIND_BUFFER)
      return NULL;
   if (texture->width_px == 0)
      return "width_px";
   if (texture->height_px == 0 || (cube && texture->width_px != texture->height_px))
      return "height_px";
   if (texture->kind == CF_TEXTURE_KIND_T3D && texture->depth_px == 0)
      return "depth_px";
   if (texture->kind == CF_TEXTURE_KIND_CUBE_ARRAY && (texture->layers == 0 || texture->layers % 6))
      return "layers";
   return has_samples(texture, format) ? NULL : "samples";
}

static uint32_t
dims_of(enum cf_texture_kind kind)
{
   switch (kind) {
   case CF_TEXTURE_KIND_T3D:
      return 3;
   case CF_TEXTURE_KIND_T1D:
   case CF_TEXTURE_KIND_T1D_ARRAY:
   case CF_TEXTURE_KIND_BUFFER:
      return 1;
   default:
      return 2;
   }
}

const char *
cf_texture_unit_init(struct cf_texture_unit *unit, const struct cf_texture *texture,
                     const struct cf_sampler *sampler, const uint8_t *data)
{
   memset(unit, 0, sizeof(*unit));
   unit->texture = *texture;
   unit->sampler = *sampler;
   unit->data = data;
   unit->format = cf_format_info_of(texture->format);
   const char *bad_field = wrong_field(texture, unit->format);
   if (!bad_field)
      bad_field =
         texture->kind == CF_TEXTURE_KIND_BUFFER ? derive_buffer(unit) : derive_levels(unit);
   if (bad_field)
      return bad_field;
   derive_source(unit);
   unit->cube =
      texture->kind == CF_TEXTURE_KIND_CUBE || texture->kind == CF_TEXTURE_KIND_CUBE_ARRAY;
   unit->seamless = unit->cube && sampler->seamless;
   unit->array = texture->kind == CF_TEXTURE_KIND_T1D_ARRAY ||
                 texture->kind == CF_TEXTURE_KIND_T2D_ARRAY ||
                 texture->kind == CF_TEXTURE_KIND_CUBE_ARRAY;
   unit->dims = dims_of(texture->kind);
   unit->compare = sampler->compare_enable && unit->format->channel[0].letter == 'z';
   unit->unorm8 = is_unorm8(unit->format);
   unit->rgba8 = is_rgba8(unit);
   const bool mipmapped = sampler->mip_filter != CF_MIP_NONE;
   unit->anisotropic = sampler->max_anisotropy > 1;
   unit->needs_lod = unit->anisotropic || sampler->min_filter != sampler->mag_filter ||
                     (mipmapped && texture->first_level != texture->last_level);
   return NULL;
}

bool
cf_texture_fetched(const struct cf_texture_unit *unit, const uint32_t strq[4], uint32_t lane,
                   struct cf_texel *texel)
{
   const struct cf_texture *texture = &unit->texture;
   const bool samples = texture->samples > 1;
   *texel = (struct cf_texel){ .lane = lane, .level = texture->first_level };
   *(samples ? &texel->sample : &texel->level) += strq[3];
   if (samples ? strq[3] >= texture->samples : strq[3] > texture->last_level - texture->first_level)
      return false;
   const struct cf_texture_level *level = &unit->level[texel->level];
   const uint32_t size[3] = { level->width_px,
                              texture->kind == CF_TEXTURE_KIND_T1D_ARRAY ? level->depth_px
                                                                         : level->height_px,
                              level->depth_px };
   uint32_t at[3] = { 0, 0, 0 };
   bool inside = true;
   for (uint32_t a = 0; a < unit->dims + (unit->array ? 1 : 0); a++) {
      at[a] = strq[a];
      inside &= at[a] < size[a];
   }
   texel->x_px = at[0];
   texel->y_px = unit->dims >= 2 ? at[1] : 0;
   texel->layer = unit->dims == 1 ? at[1] : at[2];
   return inside;
}
