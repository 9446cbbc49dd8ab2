/* SPDX-License-Identifier: MIT */
#include "look_image.h"

#include <string.h>

#include "clipfree/memory/cf_s3tc.h"
#include "clipfree/texture/cf_texture.h"

bool
look_image_of(const struct look_player *player, const struct cf_surface *surface,
              struct look_image *image)
{
   const uint32_t per_row = (surface->width_px + CF_TILE_PX - 1) / CF_TILE_PX,
                  rows = (surface->height_px + CF_TILE_PX - 1) / CF_TILE_PX;
   const uint64_t tiles_B = (uint64_t)per_row * rows * sizeof(struct cf_tile_state);
   image->size_B = surface->size_B;
   image->image = (struct cf_image){
      .data = look_player_at(player, surface->address, surface->size_B),
      .format = cf_format_info_of(surface->format),
      .width_px = surface->width_px,
      .height_px = surface->height_px,
      .row_pitch_B = surface->row_pitch_B,
      .blocks = surface->layout == CF_LAYOUT_BLOCKS,
      .samples = surface->samples,
      .tiles =
         surface->tile_state ? look_player_at(player, surface->tile_state, tiles_B) : NULL,
      .tiles_per_row = per_row,
   };
   return image->image.data && image->image.format->pixel_B;
}

const char *
look_image_of_texture(const struct look_player *player, const struct cf_texture *texture,
                      uint32_t level, uint32_t layer, struct look_image *image)
{
   static const struct cf_sampler sampler; /* of no matter */
   struct cf_texture_unit unit;
   uint8_t *data = look_player_at(player, texture->address, texture->size_B);
   if (!data || cf_texture_unit_init(&unit, texture, &sampler, data))
      return "memory";
   if (level < texture->first_level || level > texture->last_level)
      return "level";
   const struct cf_texture_level *l = &unit.level[level];
   if (layer >= l->depth_px)
      return "layer";
   const uint64_t offset_B = l->offset_B + (uint64_t)layer * l->layer_pitch_B;
   image->size_B = texture->size_B - offset_B;
   image->image = (struct cf_image){
      .data = data + offset_B,
      .format = unit.format,
      .width_px = l->width_px,
      .height_px = l->height_px,
      .row_pitch_B = l->row_pitch_B,
      .blocks = texture->layout == CF_LAYOUT_BLOCKS,
      .samples = 1,
   };
   return NULL;
}

/* Decode a texel of a compressed image. */
static bool
compressed_pixel(const struct look_image *image, uint32_t x_px, uint32_t y_px, uint32_t pixel[4])
{
   const struct cf_format_info *format = image->image.format;
   const uint64_t at = (uint64_t)(y_px / 4) * image->image.row_pitch_B +
                       (uint64_t)(x_px / 4) * format->block_B;
   if (at + format->block_B > image->size_B)
      return false;
   pixel[0] = cf_s3tc_texel(format->compression, image->image.data + at, x_px % 4 + 4 * (y_px % 4));
   return true;
}

/* Replace what a tile's pending clear has not written yet. */
static void
apply_pending(const struct cf_image *image, uint32_t x_px, uint32_t y_px, uint32_t pixel[4])
{
   const struct cf_tile_state *tile =
      &image->tiles[y_px / CF_TILE_PX * image->tiles_per_row + x_px / CF_TILE_PX];
   for (uint32_t i = 0; i < 4; i++)
      pixel[i] = (pixel[i] & ~tile->pending[i]) | (tile->value[i] & tile->pending[i]);
}

bool
look_image_pixel(const struct look_image *image, uint32_t x_px, uint32_t y_px, uint32_t sample,
                 uint32_t pixel[4])
{
   memset(pixel, 0, 16);
   if (x_px >= image->image.width_px || y_px >= image->image.height_px ||
       sample >= cf_image_samples(&image->image))
      return false;
   if (image->image.format->compression)
      return compressed_pixel(image, x_px, y_px, pixel);
   const struct cf_image plane = cf_image_sample(&image->image, sample);
   const uint64_t at =
      (uint64_t)(plane.data - image->image.data) + cf_image_offset_B(&plane, x_px, y_px);
   if (at + plane.format->pixel_B > image->size_B)
      return false;
   memcpy(pixel, image->image.data + at, plane.format->pixel_B);
   if (image->image.tiles)
      apply_pending(&image->image, x_px, y_px, pixel);
   return true;
}

void
look_pixel_mask(const struct cf_format_info *format, uint32_t mask[4])
{
   memset(mask, 0, 16);
   for (uint32_t c = 0; c < format->channels; c++)
      cf_format_or_channel(format, format->channel[c].letter,
                           cf_channel_max(format->channel[c].bits), mask);
}

uint64_t
look_image_hash(const struct look_image *image)
{
   uint64_t hash = 0xcbf29ce484222325u;
   uint32_t mask[4], pixel[4];
   look_pixel_mask(image->image.format, mask);
   for (uint32_t sample = 0; sample < cf_image_samples(&image->image); sample++) {
      for (uint32_t y = 0; y < image->image.height_px; y++) {
         for (uint32_t x = 0; x < image->image.width_px; x++) {
            look_image_pixel(image, x, y, sample, pixel);
            for (uint32_t i = 0; 4 * i < image->image.format->pixel_B; i++)
               hash = (hash ^ (pixel[i] & mask[i])) * 0x100000001b3u;
            hash ^= hash >> 29;
         }
      }
   }
   return hash;
}

/* Whether memory and tile states are the same, which is quick to see. */
static bool
is_same_memory(const struct look_image *a, const struct look_image *b)
{
   const uint32_t rows = (a->image.height_px + CF_TILE_PX - 1) / CF_TILE_PX;
   const size_t tiles_B = (size_t)a->image.tiles_per_row * rows * sizeof(struct cf_tile_state);
   if (a->size_B != b->size_B || a->image.row_pitch_B != b->image.row_pitch_B ||
       a->image.blocks != b->image.blocks || !a->image.tiles != !b->image.tiles)
      return false;
   return !memcmp(a->image.data, b->image.data, a->size_B) &&
          (!a->image.tiles || !memcmp(a->image.tiles, b->image.tiles, tiles_B));
}

bool
look_image_difference(const struct look_image *a, const struct look_image *b, uint32_t *x_px,
                      uint32_t *y_px, uint32_t *sample)
{
   uint32_t mask[4], p[4], q[4];
   if (is_same_memory(a, b))
      return false;
   look_pixel_mask(a->image.format, mask);
   for (*sample = 0; *sample < cf_image_samples(&a->image); ++*sample) {
      for (*y_px = 0; *y_px < a->image.height_px; ++*y_px) {
         for (*x_px = 0; *x_px < a->image.width_px; ++*x_px) {
            look_image_pixel(a, *x_px, *y_px, *sample, p);
            look_image_pixel(b, *x_px, *y_px, *sample, q);
            uint32_t differs = 0;
            for (uint32_t i = 0; i < 4; i++)
               differs |= (p[i] ^ q[i]) & mask[i];
            if (differs)
               return true;
         }
      }
   }
   return false;
}
