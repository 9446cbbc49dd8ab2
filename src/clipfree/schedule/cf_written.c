/* SPDX-License-Identifier: MIT */
#include "clipfree/schedule/cf_written.h"

void
cf_written_forget(struct cf_written *written)
{
   uint32_t kept = 0;
   for (uint32_t i = 0; i < written->count; i++) {
      if (!cf_workers_is_finished(written->workers, written->span[i].loop))
         written->span[kept++] = written->span[i];
   }
   written->count = kept;
}

/* The index of a span; `count` if it is not there. */
static uint32_t
find(const struct cf_written *written, uintptr_t begin, uintptr_t end)
{
   uint32_t i = 0;
   while (i < written->count && (written->span[i].begin != begin || written->span[i].end != end))
      i++;
   return i;
}

void
cf_written_add(struct cf_written *written, const void *data, uint64_t size_B)
{
   const uint64_t loop = cf_workers_launched(written->workers);
   const uintptr_t begin = (uintptr_t)data, end = begin + size_B;
   uint32_t i = find(written, begin, end);
   if (i == CF_WRITTEN_SPANS) {
      cf_written_forget(written);
      i = written->count;
   }
   if (i == CF_WRITTEN_SPANS)
      cf_workers_finish(written->workers, loop);
   if (cf_workers_is_finished(written->workers, loop))
      return;
   written->span[i].begin = begin;
   written->span[i].end = end;
   written->span[i].loop = loop;
   written->count += i == written->count;
}

void
cf_written_add_image(struct cf_written *written, const struct cf_image *image)
{
   if (!image->data)
      return;
   const uint32_t rows = image->blocks ? (image->height_px + 3) / 4 : image->height_px;
   cf_written_add(written, image->data, (uint64_t)rows * image->row_pitch_B);
   if (image->tiles)
      cf_written_add(written, image->tiles,
                     (uint64_t)image->tiles_per_row * ((image->height_px + CF_TILE_PX - 1) / CF_TILE_PX) *
                        sizeof(*image->tiles));
}

void
cf_written_add_frame(struct cf_written *written, const struct cf_frame *frame)
{
   for (uint32_t i = 0; i < frame->color_count; i++)
      cf_written_add_image(written, &frame->color[i]);
   cf_written_add_image(written, &frame->zs);
}

uint64_t
cf_written_last(const struct cf_written *written, const void *data, uint64_t size_B)
{
   const uintptr_t begin = (uintptr_t)data, end = begin + size_B;
   uint64_t last = 0;
   for (uint32_t i = 0; i < written->count; i++) {
      if (begin < written->span[i].end && end > written->span[i].begin && last < written->span[i].loop)
         last = written->span[i].loop;
   }
   return last;
}

void
cf_written_finish(const struct cf_written *written, const void *data, uint64_t size_B)
{
   const uint64_t last = cf_written_last(written, data, size_B);
   if (last)
      cf_workers_finish(written->workers, last);
}
