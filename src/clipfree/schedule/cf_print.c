/* SPDX-License-Identifier: MIT */
/*
 * Passes as text. State is packed again and printed by the functions generated from packets.toml.
 * Coverage is printed by rasterising the primitive once more.
 */
#include "clipfree/schedule/cf_print.h"

#include <inttypes.h>
#include <stdio.h>

#include "clipfree/texture/cf_texture.h"

#define MAX_LINES 400

/* Lines of one kind printed so far; those above MAX_LINES are only counted. */
struct lines {
   uint32_t count;
};

static bool
next_line(struct lines *lines)
{
   return lines->count++ < MAX_LINES;
}

static void
print_rest(const struct lines *lines, const char *what)
{
   if (lines->count > MAX_LINES)
      fprintf(stderr, "   and %u more %s\n", lines->count - MAX_LINES, what);
}

/* ------------------------------------------------------------------ setup */

static void
print_setup(const struct cf_tile_input *input)
{
   struct lines lines = { 0 };
   for (uint32_t chunk = 0; chunk < input->chunk_count; chunk++) {
      const struct cf_bins *bins = &input->chunks[chunk];
      /* a chunk's primitives are not counted, but the last one lies in some tile */
      uint32_t count = 0;
      for (uint32_t i = 0; bins->width && i < bins->first[bins->width * bins->height]; i++)
         count = bins->entries[i] >= count ? bins->entries[i] + 1u : count;
      for (uint32_t i = 0; i < count; i++) {
         const struct cf_bin_prim *entry = &bins->prims[i];
         if (entry->prim && next_line(&lines))
            cf_prim_print(stderr, entry->prim, input->draws[entry->draw].packet);
      }
   }
   print_rest(&lines, "primitives");
}

/* ------------------------------------------------------------------ raster */

/* Blocks and pixels (or samples) of the tile that the primitive covers. */
static uint32_t
covered(const struct cf_units *units, const struct cf_prim *prim, bool samples, uint32_t tile_x,
        uint32_t tile_y, uint32_t *pixels)
{
   const uint32_t x_px = tile_x * CF_TILE_PX, y_px = tile_y * CF_TILE_PX;
   *pixels = 0;
   if (samples) {
      struct cf_raster_samples blocks[256];
      const uint32_t count = units->primitive->raster_samples(prim, x_px, y_px, blocks);
      for (uint32_t i = 0; i < count; i++) {
         for (uint32_t sample = 0; sample < CF_SAMPLES; sample++)
            *pixels += (uint32_t)__builtin_popcount(blocks[i].mask[sample]);
      }
      return count;
   }
   struct cf_raster_block blocks[256];
   const uint32_t count = units->primitive->raster_tile(prim, x_px, y_px, blocks);
   for (uint32_t i = 0; i < count; i++)
      *pixels += (uint32_t)__builtin_popcount(blocks[i].mask);
   return count;
}

static void
print_tile(const struct cf_units *units, const struct cf_tile_input *input, uint32_t tile_x, uint32_t tile_y,
           struct lines *lines)
{
   for (uint32_t chunk = 0; chunk < input->chunk_count; chunk++) {
      const struct cf_bins *bins = &input->chunks[chunk];
      const uint16_t *entries;
      const uint32_t count = cf_bins_tile(bins, tile_x, tile_y, &entries);
      for (uint32_t i = 0; i < count; i++) {
         const struct cf_bin_prim *entry = &bins->prims[entries[i]];
         uint32_t pixels;
         if (!next_line(lines))
            continue;
         fprintf(stderr, "   tile (%u, %u): ", tile_x, tile_y);
         if (!entry->prim) {
            fprintf(stderr, "clear\n");
            continue;
         }
         const bool samples = input->draws[entry->draw].primitive->samples > 1;
         const uint32_t blocks = covered(units, entry->prim, samples, tile_x, tile_y, &pixels);
         fprintf(stderr, "primitive %u of chunk %u, draw 0x%" PRIx64 ": %u blocks, %u %s\n", entries[i], chunk,
                 input->draws[entry->draw].packet, blocks, pixels,
                 samples ? "samples" : "pixels");
      }
   }
}

static void
print_raster(const struct cf_units *units, const struct cf_tile_input *input, uint32_t tiles_x, uint32_t tiles_y)
{
   struct lines lines = { 0 };
   for (uint32_t y = 0; y < tiles_y; y++) {
      for (uint32_t x = 0; x < tiles_x; x++)
         print_tile(units, input, x, y, &lines);
   }
   print_rest(&lines, "entries of tiles");
}

/* ------------------------------------------------------------------ state */

#define PRINT_PACKED(NAME, name, value)                                                            \
   do {                                                                                            \
      uint32_t dw[CF_##NAME##_DWORDS];                                                             \
      cf_##name##_pack(dw, value);                                                                 \
      fprintf(stderr, "      ");                                                                   \
      cf_record_print(stderr, &cf_##name##_record, dw);                                            \
   } while (0)

static void
print_stage_textures(const struct cf_stage *stage, const char *name)
{
   for (uint32_t unit = 0; unit < stage->units; unit++) {
      const struct cf_texture_unit *texture = stage->textures[unit];
      if (!texture)
         continue;
      fprintf(stderr, "   %s texture unit %u: %s, %u dimensions%s%s\n", name, unit, texture->format->name, texture->dims,
              texture->needs_lod ? ", by level of detail" : "", texture->compare ? ", compared" : "");
      PRINT_PACKED(TEXTURE, texture, &texture->texture);
      PRINT_PACKED(SAMPLER, sampler, &texture->sampler);
   }
}

static void
print_pixel(const struct cf_pixel_config *pixel)
{
   fprintf(stderr, "   pixel engine: %s tests, targets written 0x%x, read 0x%x%s\n",
           !pixel->tests_needed && !pixel->late_tests ? "no" : pixel->early_tests ? "early" : "late", pixel->color_writes,
           pixel->reads_color, pixel->shading_needed ? "" : ", nothing is shaded");
   PRINT_PACKED(DEPTH_STENCIL, depth_stencil, &pixel->depth_stencil);
   PRINT_PACKED(STENCIL_REF, stencil_ref, &pixel->stencil_ref);
   for (uint32_t i = 0; i < pixel->color_count; i++)
      PRINT_PACKED(BLEND, blend, &pixel->blend[i]);
}

/* State of each draw, where it differs from that of the one before. */
static void
print_state(uint32_t flags, const struct cf_tile_input *input, uint32_t draws)
{
   const struct cf_draw_state *last = NULL;
   for (uint32_t i = 0; i < draws; i++) {
      const struct cf_draw_state *draw = &input->draws[i];
      if (draw->clear)
         continue;
      fprintf(stderr, "   draw 0x%" PRIx64 ": %u elements, %u instances\n", draw->packet, draw->count, draw->instances);
      if (flags & CF_PRINT_TEX && (!last || last->source.stage != draw->source.stage))
         print_stage_textures(draw->source.stage, "vertex");
      if (flags & CF_PRINT_TEX && (!last || last->fragment_stage != draw->fragment_stage))
         print_stage_textures(draw->fragment_stage, "fragment");
      if (flags & CF_PRINT_PIXEL && (!last || last->pixel != draw->pixel))
         print_pixel(draw->pixel);
      last = draw;
   }
}

void
cf_print_pass(uint32_t flags, const struct cf_units *units, const struct cf_tile_input *input, uint32_t draws,
              uint32_t tiles_x, uint32_t tiles_y)
{
   fprintf(stderr, "clipfree: pass of %u x %u pixels, %u draws, %u chunks\n", input->frame->width_px,
           input->frame->height_px, draws, input->chunk_count);
   if (flags & (CF_PRINT_TEX | CF_PRINT_PIXEL))
      print_state(flags, input, draws);
   if (flags & CF_PRINT_SETUP)
      print_setup(input);
   if (flags & CF_PRINT_RAST)
      print_raster(units, input, tiles_x, tiles_y);
}
