/* SPDX-License-Identifier: MIT */
#include "clipfree/command/cf_written.h"

static void
add(struct cf_written *written, const void *data, uint64_t size_B)
{
   written->span[written->count].begin = (uintptr_t)data;
   written->span[written->count++].end = (uintptr_t)data + size_B;
}

static void
add_image(struct cf_written *written, const struct cf_image *image)
{
   if (!image->data)
      return;
   const uint32_t rows = image->blocks ? (image->height_px + 3) / 4 : image->height_px;
   add(written, image->data, (uint64_t)rows * image->row_pitch_B);
   if (image->tiles)
      add(written, image->tiles,
          (uint64_t)image->tiles_per_row * ((image->height_px + CF_TILE_PX - 1) / CF_TILE_PX) *
             sizeof(*image->tiles));
}

void
cf_written_set(struct cf_written *written, const struct cf_frame *frame)
{
   written->count = 0;
   for (uint32_t i = 0; i < frame->color_count; i++)
      add_image(written, &frame->color[i]);
   add_image(written, &frame->zs);
}

bool
cf_written_has(const struct cf_written *written, const void *data, uint64_t size_B)
{
   const uintptr_t begin = (uintptr_t)data, end = begin + size_B;
   for (uint32_t i = 0; i < written->count; i++) {
      if (begin < written->span[i].end && end > written->span[i].begin)
         return true;
   }
   return false;
}
