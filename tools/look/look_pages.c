/* SPDX-License-Identifier: MIT */
#include "look_pages.h"

#include <stdlib.h>
#include <string.h>

#include "look_state.h"

#include "clipfree/interface/cf_limits.h"

bool
look_pages_begin(struct look_pages *pages, const struct look_player *player)
{
   const struct cf_bo memory = look_player_memory(player);
   pages->count = (memory.address + memory.size_B) / LOOK_PAGE_B + 1;
   pages->named = calloc(pages->count, 1);
   return pages->named != NULL;
}

void
look_pages_end(struct look_pages *pages)
{
   free(pages->named);
   pages->named = NULL;
}

static void
add(struct look_pages *pages, uint64_t address, uint64_t size_B)
{
   const uint64_t end = pages->count * LOOK_PAGE_B;
   if (!address || address >= end || !size_B)
      return;
   const uint64_t last = size_B > end - address ? end - 1 : address + size_B - 1;
   for (uint64_t page = address / LOOK_PAGE_B; page <= last / LOOK_PAGE_B; page++)
      pages->named[page] = 1;
}

/* The dwords of a structure, whose pages are named; NULL: they are not in memory. */
static const uint32_t *
structure(struct look_pages *pages, const struct look_player *player, uint64_t address,
          uint64_t dwords)
{
   add(pages, address, 4 * dwords);
   return address && address % 4 == 0 ? look_player_at(player, address, 4 * dwords) : NULL;
}

static void
add_surface(struct look_pages *pages, const struct look_player *player, uint64_t address)
{
   struct cf_surface surface;
   const char *bad_field;
   const uint32_t *dw = structure(pages, player, address, CF_SURFACE_DWORDS);
   if (!dw || !cf_surface_unpack(dw, &surface, &bad_field))
      return;
   const uint64_t tiles = (uint64_t)((surface.width_px + CF_TILE_PX - 1) / CF_TILE_PX) *
                          ((surface.height_px + CF_TILE_PX - 1) / CF_TILE_PX);
   add(pages, surface.address, surface.size_B);
   add(pages, surface.tile_state, tiles * sizeof(struct cf_tile_state));
}

static void
add_program(struct look_pages *pages, const struct look_player *player, uint64_t address)
{
   struct cf_program program;
   const char *bad_field;
   const uint32_t *dw = structure(pages, player, address, CF_PROGRAM_DWORDS);
   if (dw && cf_program_unpack(dw, &program, &bad_field))
      add(pages, program.code, 8 * (uint64_t)program.code_instrs);
}

static void
add_texture(struct look_pages *pages, const struct look_player *player,
            const struct cf_bind_texture *bind)
{
   struct cf_texture texture;
   const char *bad_field;
   const uint32_t *dw = structure(pages, player, bind->texture, CF_TEXTURE_DWORDS);
   structure(pages, player, bind->sampler, CF_SAMPLER_DWORDS);
   if (dw && cf_texture_unpack(dw, &texture, &bad_field))
      add(pages, texture.address, texture.size_B);
}

static void
add_elements(struct look_pages *pages, const struct look_player *player,
             const struct cf_vertex_elements *elements)
{
   struct cf_vertex_element element;
   const char *bad_field;
   const uint32_t *dw = structure(pages, player, elements->address,
                                  (uint64_t)elements->count * CF_VERTEX_ELEMENT_DWORDS);
   for (uint32_t i = 0; dw && i < elements->count; i++, dw += CF_VERTEX_ELEMENT_DWORDS) {
      if (cf_vertex_element_unpack(dw, &element, &bad_field))
         add(pages, element.address, element.size_B);
   }
}

static void
add_frame(struct look_pages *pages, const struct look_player *player,
          const struct cf_framebuffer *frame)
{
   for (uint32_t i = 0; i < CF_MAX_COLOR_TARGETS; i++)
      add_surface(pages, player, frame->color[i]);
   add_surface(pages, player, frame->depth_stencil);
}

/* Buffers, also those that no output is written to. */
static void
add_feedback(struct look_pages *pages, const struct cf_feedback *feedback)
{
   add(pages, feedback->output_address,
       4 * CF_FEEDBACK_OUTPUT_DWORDS * (uint64_t)feedback->outputs);
   for (uint32_t i = 0; i < CF_FEEDBACK_BUFFERS; i++) {
      add(pages, feedback->address[i], feedback->size_B[i]);
      add(pages, feedback->filled[i], 8);
   }
}

/* A field of a packet by name; 0: it has none. */
static uint64_t
field_of(const uint32_t *packet, const char *name)
{
   const struct cf_field *field = cf_record_field(cf_packet_record(look_opcode(packet)), name);
   return field ? cf_field_bits(field, packet, 0) : 0;
}

/* Transfers: images by their descriptors, buffers and tables. */
static void
add_transfer(struct look_pages *pages, const struct look_player *player, const uint32_t *packet)
{
   static const char *const images[] = { "source", "second", "destination", "surface" };
   const enum cf_opcode opcode = look_opcode(packet);
   if (opcode == CF_OPCODE_COPY_BUFFER || opcode == CF_OPCODE_FILL_BUFFER) {
      add(pages, field_of(packet, "source"), field_of(packet, "size_B"));
      add(pages, field_of(packet, "destination"), field_of(packet, "size_B"));
      return;
   }
   for (uint32_t i = 0; i < 4; i++)
      add_surface(pages, player, field_of(packet, images[i]));
   add(pages, field_of(packet, "columns"), 4 * field_of(packet, "width_px"));
   add(pages, field_of(packet, "rows"), 4 * field_of(packet, "height_px"));
}

/* What a packet that sets state names, by that state. */
static void
add_state(struct look_pages *pages, const struct look_player *player, const uint32_t *packet)
{
   struct cf_framebuffer frame;
   struct cf_bind_texture bind;
   struct cf_vertex_elements elements;
   struct cf_feedback feedback;
   const char *bad_field;
   switch (look_opcode(packet)) {
   case CF_OPCODE_FRAMEBUFFER:
      if (cf_framebuffer_unpack(packet, &frame, &bad_field))
         add_frame(pages, player, &frame);
      break;
   case CF_OPCODE_BIND_TEXTURE:
      if (cf_bind_texture_unpack(packet, &bind, &bad_field))
         add_texture(pages, player, &bind);
      break;
   case CF_OPCODE_VERTEX_ELEMENTS:
      if (cf_vertex_elements_unpack(packet, &elements, &bad_field))
         add_elements(pages, player, &elements);
      break;
   case CF_OPCODE_FEEDBACK:
      if (cf_feedback_unpack(packet, &feedback, &bad_field))
         add_feedback(pages, &feedback);
      break;
   case CF_OPCODE_SHADER: add_program(pages, player, field_of(packet, "program")); break;
   case CF_OPCODE_CONSTANTS:
      add(pages, field_of(packet, "address"), field_of(packet, "size_B"));
      break;
   case CF_OPCODE_VARYINGS:
      add(pages, field_of(packet, "address"), 4 * CF_LINK_DWORDS * field_of(packet, "count"));
      break;
   case CF_OPCODE_DRAW:
      add(pages, field_of(packet, "index_address"), field_of(packet, "index_size_total_B"));
      break;
   case CF_OPCODE_CONDITION:
   case CF_OPCODE_QUERY: add(pages, field_of(packet, "result"), 8); break;
   default: add_transfer(pages, player, packet); break;
   }
}

void
look_pages_note(struct look_pages *pages, const struct look_player *player,
                  const struct look_submission *submission)
{
   struct look_packets packets = look_packets_of(submission);
   const uint32_t *packet;
   add(pages, submission->address, 4 * (uint64_t)submission->dwords);
   while ((packet = look_packets_next(&packets)))
      add_state(pages, player, packet);
}
