/* SPDX-License-Identifier: MIT */
#include "look_state.h"

#include <string.h>

/* Unpack a packet into `member`, if it is well-formed. */
#define TAKE(name, member)                                                                         \
   do {                                                                                            \
      struct cf_##name packet_;                                                                    \
      if (cf_##name##_unpack(packet, &packet_, &bad_field))                                        \
         state->member = packet_;                                                                  \
   } while (0)

/* The same for a packet that names an element of an array, if that exists. */
#define TAKE_ELEMENT(name, exists, member)                                                         \
   do {                                                                                            \
      struct cf_##name e;                                                                          \
      if (cf_##name##_unpack(packet, &e, &bad_field) && (exists))                                  \
         state->member = e;                                                                        \
   } while (0)

void
look_state_apply(struct look_state *state, const uint32_t *packet)
{
   const char *bad_field;
   switch (look_opcode(packet)) {
   case CF_OPCODE_FRAMEBUFFER:
      TAKE(framebuffer, framebuffer);
      break;
   case CF_OPCODE_VIEWPORT:
      TAKE(viewport, viewport);
      break;
   case CF_OPCODE_SCISSOR:
      TAKE(scissor, scissor);
      break;
   case CF_OPCODE_RASTER:
      TAKE(raster, raster);
      break;
   case CF_OPCODE_DEPTH_STENCIL:
      TAKE(depth_stencil, depth_stencil);
      break;
   case CF_OPCODE_STENCIL_REF:
      TAKE(stencil_ref, stencil_ref);
      break;
   case CF_OPCODE_BLEND:
      TAKE_ELEMENT(blend, e.target < CF_MAX_COLOR_TARGETS, blend[e.target]);
      break;
   case CF_OPCODE_BLEND_COLOR:
      TAKE(blend_color, blend_color);
      break;
   case CF_OPCODE_SAMPLE_MASK:
      TAKE(sample_mask, sample_mask);
      break;
   case CF_OPCODE_SHADER:
      TAKE_ELEMENT(shader, true, shader[e.stage]);
      break;
   case CF_OPCODE_CONSTANTS:
      TAKE_ELEMENT(constants, e.bank < LOOK_BANKS, constants[e.stage][e.bank]);
      break;
   case CF_OPCODE_BIND_TEXTURE:
      TAKE_ELEMENT(bind_texture, e.unit < CF_MAX_TEXTURE_UNITS, texture[e.stage][e.unit]);
      break;
   case CF_OPCODE_VERTEX_ELEMENTS:
      TAKE(vertex_elements, elements);
      break;
   case CF_OPCODE_VARYINGS:
      TAKE(varyings, varyings);
      break;
   case CF_OPCODE_CLIP_PLANES:
      TAKE(clip_planes, clip_planes);
      break;
   case CF_OPCODE_FEEDBACK:
      TAKE(feedback, feedback);
      break;
   default:
      break;
   }
}

uint64_t
look_state_key(const uint32_t *packet)
{
   static const char *const names[] = { "stage", "unit", "bank", "target" };
   const struct cf_record *record = cf_packet_record(look_opcode(packet));
   uint64_t key = look_opcode(packet);
   for (uint32_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
      const struct cf_field *field = cf_record_field(record, names[i]);
      key = key << 8 | (field ? cf_field_bits(field, packet, 0) & 0xff : 0);
   }
   return key;
}

const uint32_t *
look_state_at(const struct look_submission *submission, uint64_t address, struct look_state *state)
{
   struct look_packets packets = look_packets_of(submission);
   const uint32_t *packet;
   memset(state, 0, sizeof(*state));
   while ((packet = look_packets_next(&packets))) {
      if (look_packet_address(submission, packet) == address)
         return packet;
      look_state_apply(state, packet);
   }
   return NULL;
}

bool
look_surface_at(const struct look_player *player, uint64_t address, struct cf_surface *surface)
{
   const char *bad_field;
   const uint32_t *dw =
      address && address % 4 == 0 ? look_player_at(player, address, 4 * CF_SURFACE_DWORDS) : NULL;
   return dw && cf_surface_unpack(dw, surface, &bad_field) && surface->address;
}
