/* SPDX-License-Identifier: MIT */
#include "reduce_images.h"

#include <stdlib.h>
#include <string.h>

#include "clipfree/interface/cf_limits.h"

#include "reduce_pass.h"

static void
add_range(struct reduce_images *images, uint64_t address, uint64_t size_B)
{
   if (!address || !size_B)
      return;
   for (uint32_t i = 0; i < images->count; i++) {
      if (images->range[i].address == address && images->range[i].size_B == size_B)
         return;
   }
   if (images->count == images->capacity) {
      struct reduce_range *old = images->range;
      images->capacity = 2 * images->capacity + 16;
      images->range = reduce_allocate(images->capacity * sizeof(*old));
      if (images->count)
         memcpy(images->range, old, images->count * sizeof(*old));
      free(old);
   }
   images->range[images->count++] = (struct reduce_range){ address, size_B };
}

static void
add_surface(struct reduce_images *images, const struct reduce_case *c, uint32_t submission,
            uint64_t address)
{
   struct cf_surface surface;
   uint32_t dw[CF_SURFACE_DWORDS];
   const char *bad_field;
   if (!reduce_case_read(c, submission, address, dw, sizeof(dw)) ||
       !cf_surface_unpack(dw, &surface, &bad_field))
      return;
   const uint64_t tiles = (uint64_t)((surface.width_px + CF_TILE_PX - 1) / CF_TILE_PX) *
                          ((surface.height_px + CF_TILE_PX - 1) / CF_TILE_PX);
   add_range(images, surface.address, surface.size_B);
   add_range(images, surface.tile_state, tiles * sizeof(struct cf_tile_state));
}

/* The images of a packet, by the names of its fields. */
static void
add_packet(struct reduce_images *images, const struct reduce_case *c, uint32_t submission,
           const struct reduce_packet *packet)
{
   static const char *const names[] = { "color",  "depth_stencil", "source",
                                        "second", "destination",   "surface" };
   const enum cf_opcode opcode = reduce_opcode(packet);
   const struct cf_record *record = cf_packet_record(opcode);
   if (opcode == CF_OPCODE_COPY_BUFFER || opcode == CF_OPCODE_FILL_BUFFER)
      return;
   for (uint32_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
      const struct cf_field *field = cf_record_field(record, names[i]);
      const uint32_t elements = field && field->count ? field->count : 1;
      for (uint32_t k = 0; field && field->kind == CF_RECORD_ADDRESS && k < elements; k++)
         add_surface(images, c, submission, cf_field_bits(field, packet->dw, k));
   }
}

struct reduce_images
reduce_images_of(const struct reduce_case *c)
{
   struct reduce_images images = { 0 };
   for (uint32_t s = 0; s < c->submissions; s++) {
      for (uint32_t i = 0; i < c->submission[s].packets; i++)
         add_packet(&images, c, s, &c->submission[s].packet[i]);
   }
   return images;
}

bool
reduce_images_have(const struct reduce_images *images, uint64_t number)
{
   const uint64_t begin = number * REDUCE_PAGE_B, end = begin + REDUCE_PAGE_B;
   for (uint32_t i = 0; i < images->count; i++) {
      if (images->range[i].address < end &&
          begin < images->range[i].address + images->range[i].size_B)
         return true;
   }
   return false;
}

/* ------------------------------------------------------------------ the pass */

/* Make a range zero at the beginning, and leave its whole pages out later. */
static void
empty(struct reduce_case *c, const struct reduce_range *range)
{
   const uint64_t end = range->address + range->size_B;
   uint8_t *zeros = reduce_allocate(range->size_B);
   reduce_case_write(c, 0, range->address, zeros, range->size_B);
   free(zeros);
   for (uint32_t s = 1; s < c->submissions; s++) {
      for (uint32_t i = c->submission[s].pages; i-- > 0;) {
         const uint64_t begin = c->submission[s].page[i].number * REDUCE_PAGE_B;
         if (begin >= range->address && begin + REDUCE_PAGE_B <= end)
            reduce_case_set_page(c, s, begin / REDUCE_PAGE_B, NULL);
      }
   }
}

static void
apply_images(struct reduce_case *candidate, const bool *keep, void *user)
{
   const struct reduce_images *images = user;
   for (uint32_t i = 0; i < images->count; i++) {
      if (!keep[i])
         empty(candidate, &images->range[i]);
   }
}

bool
reduce_pictures(struct reduce_trial *trial)
{
   struct reduce_images images = reduce_images_of(trial->best);
   const struct reduce_pass pass = {
      .step = "images", .count = images.count, .least = 1, .apply = apply_images, .user = &images
   };
   const bool changed = reduce_pass_run(trial, &pass);
   free(images.range);
   return changed;
}
