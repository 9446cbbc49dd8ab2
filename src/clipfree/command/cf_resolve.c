/* SPDX-License-Identifier: MIT */
#include "clipfree/command/cf_resolve.h"

#include <inttypes.h>
#include <string.h>

#include "clipfree/base/cf_cache.h"

#define MAX_LINKS (CF_MAX_VARYING_DWORDS / 4)
#define ELEMENT_PREFETCH_DISTANCE_B 512

const void *
cf_resolve_memory(const struct cf_resolver *resolver, uint64_t address, uint64_t size_B,
                  uint32_t align_B, const char *field, struct cf_fault *fault)
{
   const void *data = cf_memory_at(resolver->memory, address, size_B);
   if (!data)
      cf_fault_set(fault, field, "0x%" PRIx64 " + %" PRIu64 " bytes is not inside one allocation",
                   address, size_B);
   else if (address % align_B)
      cf_fault_set(fault, field, "0x%" PRIx64 " is not a multiple of %u", address, align_B);
   return data && address % align_B == 0 ? data : NULL;
}

const void *
cf_resolve_to_read(const struct cf_resolver *resolver, uint64_t address, uint64_t size_B,
                   uint32_t align_B, const char *field, struct cf_fault *fault)
{
   const void *data = cf_resolve_memory(resolver, address, size_B, align_B, field, fault);
   if (data)
      cf_written_finish(resolver->written, data, size_B);
   return data;
}

/* Size of the surface in bytes; 0: the pitch is too small for a row. With several samples a row of
 * blocks is one row per sample. */
static uint64_t
surface_extent_B(const struct cf_surface *surface, uint32_t samples, uint32_t pixel_B)
{
   const bool blocks = surface->layout == CF_LAYOUT_BLOCKS;
   const uint64_t pitch_B = surface->row_pitch_B / samples;
   const uint64_t row_B =
      (blocks ? (surface->width_px + 3u) / 4u * 16u : surface->width_px) * (uint64_t)pixel_B;
   const uint64_t rows = blocks ? (surface->height_px + 3u) / 4u : surface->height_px;
   return pitch_B < row_B ? 0 : (rows * samples - 1) * pitch_B + row_B;
}

static bool
check_surface(const struct cf_surface *surface, const struct cf_format_info *format, uint32_t uses,
              const char *field, struct cf_fault *fault)
{
   if (surface->width_px == 0 || surface->width_px > CF_MAX_SURFACE_PX || surface->height_px == 0 ||
       surface->height_px > CF_MAX_SURFACE_PX)
      return cf_fault_set(fault, field, "surface.width_px, height_px: %u x %u, must be 1 .. %u",
                          surface->width_px, surface->height_px, CF_MAX_SURFACE_PX);
   if (format->pixel_B == 0 || (uses && !(format->uses & uses)))
      return cf_fault_set(fault, field, "surface.format: %s cannot be used so", format->name);
   const uint32_t samples = surface->samples > 1 ? surface->samples : 1;
   if (samples > 1 && (samples != CF_SAMPLES || surface->layout != CF_LAYOUT_BLOCKS))
      return cf_fault_set(fault, field,
                          "surface.samples: %u, must be 0 or 1, or %u in layout blocks",
                          surface->samples, CF_SAMPLES);
   const uint64_t extent_B = surface_extent_B(surface, samples, format->pixel_B);
   if (extent_B == 0 || surface->row_pitch_B % (samples * format->pixel_B))
      return cf_fault_set(fault, field, "surface.row_pitch_B: %u does not hold a row",
                          surface->row_pitch_B);
   if (extent_B > surface->size_B)
      return cf_fault_set(fault, field, "surface.size_B: %u, needs %" PRIu64, surface->size_B,
                          extent_B);
   return true;
}

bool
cf_resolve_unpacked_surface(const struct cf_resolver *resolver, const struct cf_surface *surface,
                            uint32_t uses, struct cf_image *image, const char *field,
                            struct cf_fault *fault)
{
   const struct cf_format_info *format = cf_format_info_of(surface->format);
   if (!check_surface(surface, format, uses, field, fault))
      return false;
   const uint32_t tiles_x = (surface->width_px + CF_TILE_PX - 1) / CF_TILE_PX;
   const uint32_t tiles_y = (surface->height_px + CF_TILE_PX - 1) / CF_TILE_PX;
   *image = (struct cf_image){
      .format = format,
      .width_px = surface->width_px,
      .height_px = surface->height_px,
      .row_pitch_B = surface->row_pitch_B,
      .blocks = surface->layout == CF_LAYOUT_BLOCKS,
      .samples = surface->samples > 1 ? surface->samples : 1,
      .tiles_per_row = tiles_x,
   };
   image->data =
      (uint8_t *)cf_resolve_memory(resolver, surface->address, surface->size_B, 16, field, fault);
   if (!image->data)
      return false;
   if (surface->tile_state) {
      const uint64_t size_B = (uint64_t)tiles_x * tiles_y * sizeof(struct cf_tile_state);
      image->tiles = (struct cf_tile_state *)cf_resolve_memory(resolver, surface->tile_state, size_B,
                                                               4, field, fault);
      return image->tiles != NULL;
   }
   return true;
}

bool
cf_resolve_surface(const struct cf_resolver *resolver, uint64_t address, uint32_t uses,
                   struct cf_image *image, const char *field, struct cf_fault *fault)
{
   struct cf_surface surface;
   const char *bad_field;
   const uint32_t *dw =
      cf_resolve_to_read(resolver, address, 4 * CF_SURFACE_DWORDS, 4, field, fault);
   if (!dw)
      return false;
   if (!cf_surface_unpack(dw, &surface, &bad_field))
      return cf_fault_set(fault, field, "surface.%s: no such value", bad_field);
   return cf_resolve_unpacked_surface(resolver, &surface, uses, image, field, fault);
}

bool
cf_resolve_texture(const struct cf_resolver *resolver, uint64_t texture_address,
                   uint64_t sampler_address, struct cf_texture_unit *unit, struct cf_fault *fault)
{
   struct cf_texture texture;
   struct cf_sampler sampler;
   const char *bad_field;
   const uint32_t *texture_dw =
      cf_resolve_to_read(resolver, texture_address, 4 * CF_TEXTURE_DWORDS, 4, "texture", fault);
   const uint32_t *sampler_dw =
      cf_resolve_to_read(resolver, sampler_address, 4 * CF_SAMPLER_DWORDS, 4, "sampler", fault);
   if (!texture_dw || !sampler_dw)
      return false;
   if (!cf_texture_unpack(texture_dw, &texture, &bad_field))
      return cf_fault_set(fault, "texture", "texture.%s: no such value", bad_field);
   if (!cf_sampler_unpack(sampler_dw, &sampler, &bad_field))
      return cf_fault_set(fault, "sampler", "sampler.%s: no such value", bad_field);
   const uint8_t *data =
      cf_resolve_memory(resolver, texture.address, texture.size_B, 4, "texture", fault);
   if (!data)
      return false;
   bad_field = cf_texture_unit_init(unit, &texture, &sampler, data);
   if (bad_field)
      return cf_fault_set(fault, "texture",
                          "texture or sampler.%s: does not fit the rest of the descriptor",
                          bad_field);
   return true;
}

bool
cf_resolve_vertex_elements(const struct cf_resolver *resolver,
                           const struct cf_vertex_elements *packet,
                           struct cf_fetch fetch[CF_MAX_VERTEX_ELEMENTS], struct cf_fault *fault)
{
   if (packet->count > CF_MAX_VERTEX_ELEMENTS)
      return cf_fault_set(fault, "count", "%u, must be at most %u", packet->count,
                          CF_MAX_VERTEX_ELEMENTS);
   if (packet->count == 0)
      return true;
   const uint32_t *dw = cf_resolve_to_read(
      resolver, packet->address, 4 * CF_VERTEX_ELEMENT_DWORDS * packet->count, 4, "address", fault);
   if (!dw)
      return false;
   /* the application's thread uploads the arrays of successive draws one after the other: prefetch
    * the next draw's */
   cf_prefetch_line(dw, ELEMENT_PREFETCH_DISTANCE_B);
   for (uint32_t i = 0; i < packet->count; i++) {
      struct cf_vertex_element element;
      const char *bad_field;
      if (!cf_vertex_element_unpack(dw + i * CF_VERTEX_ELEMENT_DWORDS, &element, &bad_field))
         return cf_fault_set(fault, "address", "vertex_element %u.%s: no such value", i, bad_field);
      const struct cf_format_info *format = cf_format_info_of(element.format);
      fetch[i] = (struct cf_fetch){
         .size_B = element.size_B,
         .stride_B = element.stride_B,
         .divisor = element.divisor,
         .format = format,
      };
      if (format->pixel_B == 0)
         return cf_fault_set(fault, "address", "vertex_element %u.format: none", i);
      if (element.size_B == 0)
         continue;
      fetch[i].data =
         cf_resolve_memory(resolver, element.address, element.size_B, 1, "address", fault);
      if (!fetch[i].data)
         return false;
   }
   return true;
}

bool
cf_resolve_links(const struct cf_resolver *resolver, const struct cf_varyings *packet,
                 struct cf_link *links, struct cf_fault *fault)
{
   if (packet->count > MAX_LINKS)
      return cf_fault_set(fault, "count", "%u, must be at most %u", packet->count, MAX_LINKS);
   if (packet->count == 0)
      return true;
   const uint32_t *dw = cf_resolve_to_read(resolver, packet->address,
                                          4 * CF_LINK_DWORDS * packet->count, 4, "address", fault);
   if (!dw)
      return false;
   for (uint32_t i = 0; i < packet->count; i++) {
      const char *bad_field;
      if (!cf_link_unpack(dw + i * CF_LINK_DWORDS, &links[i], &bad_field))
         return cf_fault_set(fault, "address", "link %u.%s: no such value", i, bad_field);
   }
   return true;
}

bool
cf_resolve_feedback_outputs(const struct cf_resolver *resolver, const struct cf_feedback *packet,
                            struct cf_feedback_output *output, struct cf_fault *fault)
{
   if (packet->outputs > CF_MAX_VARYING_DWORDS)
      return cf_fault_set(fault, "outputs", "%u, must be at most %u", packet->outputs,
                          CF_MAX_VARYING_DWORDS);
   if (packet->outputs == 0)
      return true;
   const uint32_t *dw = cf_resolve_to_read(resolver, packet->output_address,
                                           4 * CF_FEEDBACK_OUTPUT_DWORDS * packet->outputs, 4,
                                           "output_address", fault);
   if (!dw)
      return false;
   for (uint32_t i = 0; i < packet->outputs; i++) {
      const char *bad_field;
      if (!cf_feedback_output_unpack(dw + i * CF_FEEDBACK_OUTPUT_DWORDS, &output[i], &bad_field))
         return cf_fault_set(fault, "output_address", "output %u.%s: no such value", i, bad_field);
      const uint32_t end_dw = output[i].offset_dw + output[i].dwords;
      _Static_assert(CF_FEEDBACK_BUFFERS == 4, "output.buffer has two bits");
      if (end_dw > packet->stride_dw[output[i].buffer])
         return cf_fault_set(fault, "output_address",
                             "output %u ends with dword %u of its element in buffer %u", i, end_dw,
                             output[i].buffer);
   }
   return true;
}
