/* SPDX-License-Identifier: MIT */
#include "clipfree/command/cf_state.h"

#include <string.h>

#include "clipfree/command/cf_resolve.h"

void
cf_state_reset(struct cf_state *state, const struct cf_state_config *config)
{
   memset(state, 0, offsetof(struct cf_state, textures.unit));
   memset(&state->elements, 0, offsetof(struct cf_state_elements, resolved));
   state->config = config;
   for (uint32_t i = 0; i < CF_STAGES; i++)
      state->stage[i].stage.max_instrs = config->max_task_instrs;
}

void
cf_state_memory_changed(struct cf_state *state)
{
   cf_program_cache_refresh(state->config->programs, false);
   for (uint32_t i = 0; i < CF_STAGES; i++)
      state->stage[i].program_address = 0;
   memset(state->textures.key, 0, sizeof(state->textures.key));
   memset(state->elements.entry, 0, sizeof(state->elements.entry));
}

void
cf_state_begin_pass(struct cf_state *state)
{
   state->reads_of = 0;
   state->primitive = NULL;
   state->geometry = NULL;
   state->pixel = NULL;
   for (uint32_t i = 0; i < CF_STAGES; i++)
      state->stage[i].snapshot = NULL;
   memset(state->textures.copy, 0, sizeof(state->textures.copy));
   for (uint32_t i = 0; i < CF_STATE_ELEMENTS; i++)
      state->elements.entry[i].snapshot = NULL;
}

/* ------------------------------------------------------------------ packets that set state */

/* Invalidate the stage's snapshot for a change other than the addresses of vertex elements. */
static void
change_stage(struct cf_state *state, struct cf_stage_state *stage)
{
   stage->snapshot = NULL;
   stage->stage.family = ++state->families;
   if (stage == &state->stage[CF_SHADER_STAGE_GEOMETRY])
      state->geometry = NULL;
}

static bool
shader_packet(struct cf_state *state, const struct cf_shader *packet, struct cf_fault *fault)
{
   struct cf_stage_state *stage = &state->stage[packet->stage];
   if (packet->program == stage->program_address && stage->program)
      return true;
   const struct cf_cached_program *program = NULL;
   if (packet->program)
      program = cf_program_cache_get(state->config->programs, state->config->resolver,
                                     packet->program, packet->stage, fault);
   const bool both = stage->program && program;
   if (!both || !cf_program_primitives_alike(&stage->program->program, &program->program))
      state->primitive = NULL;
   if (!both || !cf_program_pixels_alike(&stage->program->program, &program->program))
      state->pixel = NULL;
   state->geometry = NULL; /* its inputs are linked to the vertex program */
   stage->program_address = packet->program;
   stage->program = program;
   change_stage(state, stage);
   return program || packet->program == 0;
}

static bool
constants_packet(struct cf_state *state, const struct cf_constants *packet, struct cf_fault *fault)
{
   struct cf_stage_state *stage = &state->stage[packet->stage];
   change_stage(state, stage);
   stage->stage.constants[packet->bank].data = NULL;
   stage->stage.constants[packet->bank].dwords = 0;
   if (packet->size_B == 0)
      return true;
   if (packet->size_B % 4)
      return cf_fault_set(fault, "size_B", "%u is not a multiple of 4", packet->size_B);
   const uint32_t *data = cf_resolve_memory(state->config->resolver, packet->address,
                                            packet->size_B, 4, "address", fault);
   if (!data)
      return false;
   stage->stage.constants[packet->bank].data = data;
   stage->stage.constants[packet->bank].dwords = packet->size_B / 4;
   return true;
}

/* The slot of a pair of descriptors: the one that holds it, else the first that is not bound to any
 * unit, probing from the slot that its addresses hash to. CF_STATE_TEXTURES slots always leave one
 * free. */
static uint32_t
find_texture(const struct cf_state_textures *textures, uint64_t texture_address,
             uint64_t sampler_address)
{
   /* most descriptors begin a cache line */
   const uint64_t name = texture_address / 64 + sampler_address / 64 * 7;
   uint32_t free_place = CF_STATE_TEXTURES;
   for (uint32_t i = 0; i < 4 || free_place == CF_STATE_TEXTURES; i++) {
      const uint32_t place = (uint32_t)((name + i) % CF_STATE_TEXTURES);
      if (textures->key[place].texture_address == texture_address &&
          textures->key[place].sampler_address == sampler_address)
         return place;
      if (free_place == CF_STATE_TEXTURES && !textures->units[place])
         free_place = place;
   }
   return free_place;
}

/* The slot of the pair, resolved. CF_STATE_TEXTURES: a fault. */
static uint32_t
resolve_texture(struct cf_state *state, const struct cf_bind_texture *packet,
                struct cf_fault *fault)
{
   struct cf_state_textures *textures = &state->textures;
   const uint32_t place = find_texture(textures, packet->texture, packet->sampler);
   if (textures->key[place].texture_address == packet->texture &&
       textures->key[place].sampler_address == packet->sampler)
      return place;
   textures->key[place].texture_address = 0;
   textures->copy[place] = NULL;
   if (!cf_resolve_texture(state->config->resolver, packet->texture, packet->sampler,
                           &textures->unit[place], fault))
      return CF_STATE_TEXTURES;
   textures->key[place].texture_address = packet->texture;
   textures->key[place].sampler_address = packet->sampler;
   return place;
}

static bool
bind_texture_packet(struct cf_state *state, const struct cf_bind_texture *packet,
                    struct cf_fault *fault)
{
   struct cf_stage_state *stage = &state->stage[packet->stage];
   struct cf_state_textures *textures = &state->textures;
   const uint32_t bit = 1u << packet->unit, bound = stage->texture[packet->unit];
   if (stage->textures & bit) {
      if (packet->texture && textures->key[bound].texture_address == packet->texture &&
          textures->key[bound].sampler_address == packet->sampler)
         return true;
      textures->units[bound]--;
   }
   change_stage(state, stage);
   stage->textures &= ~bit;
   if (packet->texture == 0)
      return true;
   const uint32_t place = resolve_texture(state, packet, fault);
   if (place == CF_STATE_TEXTURES)
      return false;
   textures->units[place]++;
   stage->texture[packet->unit] = (uint8_t)place;
   stage->textures |= bit;
   return true;
}

/* Number of vertices that all elements have in their buffers. */
static uint64_t
fetch_vertices(const struct cf_fetch *fetch, uint32_t count)
{
   uint64_t vertices = UINT64_MAX;
   for (uint32_t i = 0; i < count; i++) {
      const uint64_t has =
         fetch[i].data && !fetch[i].divisor ? cf_fetch_count(&fetch[i]) : UINT64_MAX;
      vertices = has < vertices ? has : vertices;
   }
   return vertices;
}

/* Resolve the packet's array into its slot, unless it is there already. */
static bool
resolve_elements(struct cf_state *state, const struct cf_vertex_elements *packet, uint32_t place,
                 struct cf_fault *fault)
{
   struct cf_state_elements *elements = &state->elements;
   struct cf_fetch *fetch = elements->resolved[place].fetch;
   if (packet->count && elements->entry[place].address == packet->address &&
       elements->entry[place].count == packet->count)
      return true;
   elements->entry[place].address = 0;
   elements->entry[place].snapshot = NULL;
   if (!cf_resolve_vertex_elements(state->config->resolver, packet, fetch, fault))
      return false;
   elements->resolved[place].vertices = fetch_vertices(fetch, packet->count);
   elements->entry[place].address = packet->address;
   elements->entry[place].count = packet->count;
   return true;
}

static bool
vertex_elements_packet(struct cf_state *state, const struct cf_vertex_elements *packet,
                       struct cf_fault *fault)
{
   struct cf_stage_state *stage = &state->stage[CF_SHADER_STAGE_VERTEX];
   struct cf_state_elements *elements = &state->elements;
   /* uploads begin a cache line */
   const uint32_t place = (uint32_t)(packet->address / 64 % CF_STATE_ELEMENTS);
   bool same_kinds = packet->count == stage->elements;
   stage->snapshot = NULL;
   if (!resolve_elements(state, packet, place, fault))
      return false;
   struct cf_fetch *bound = stage->stage.fetch;
   for (uint32_t i = 0; i < packet->count; i++) {
      const struct cf_fetch *fetch = &elements->resolved[place].fetch[i];
      same_kinds =
         same_kinds && bound[i].format == fetch->format && bound[i].divisor == fetch->divisor;
      bound[i] = *fetch;
   }
   for (uint32_t i = packet->count; i < stage->elements; i++)
      bound[i] = (struct cf_fetch){ 0 };
   stage->elements = packet->count;
   stage->stage.fetch_vertices = elements->resolved[place].vertices;
   elements->bound = place;
   if (!same_kinds)
      change_stage(state, stage);
   else if (elements->entry[place].family == stage->stage.family)
      stage->snapshot = elements->entry[place].snapshot;
   return true;
}

static bool
varyings_packet(struct cf_state *state, const struct cf_varyings *packet, struct cf_fault *fault)
{
   struct cf_link link[CF_MAX_VARYING_DWORDS / 4];
   memset(link, 0, sizeof(link)); /* padding is compared too */
   if (!cf_resolve_links(state->config->resolver, packet, link, fault))
      return false;
   const size_t size_B = packet->count * sizeof(link[0]);
   if (packet->count == state->links && memcmp(link, state->link, size_B) == 0)
      return true;
   state->primitive = NULL;
   state->links = packet->count;
   memcpy(state->link, link, size_B);
   return true;
}

static bool
geometry_inputs_packet(struct cf_state *state, const struct cf_geometry_inputs *packet,
                       struct cf_fault *fault)
{
   const struct cf_varyings links = { .count = packet->count, .address = packet->address };
   state->geometry = NULL;
   state->geometry_links = packet->count;
   return cf_resolve_links(state->config->resolver, &links, state->geometry_link, fault);
}

static bool
feedback_packet(struct cf_state *state, const struct cf_feedback *packet, struct cf_fault *fault)
{
   return cf_state_set_feedback(state, packet, fault);
}

static bool
blend_packet(struct cf_state *state, const uint32_t *dw, const char **bad_field)
{
   struct cf_blend blend;
   if (!cf_blend_unpack(dw, &blend, bad_field))
      return false;
   state->blend[blend.target] = blend;
   return true;
}

/* Unpack a packet into the state's copy of it and invalidate the snapshot `piece`. */
#define SET(name, piece)                                                                           \
   case CF_OPCODE_##name:                                                                          \
      piece = NULL;                                                                                \
      if (!UNPACK_##name)                                                                          \
         break;                                                                                    \
      return true;
#define UNPACK_VIEWPORT cf_viewport_unpack(dw, &state->viewport, &bad_field)
#define UNPACK_SCISSOR cf_scissor_unpack(dw, &state->scissor, &bad_field)
#define UNPACK_RASTER cf_raster_unpack(dw, &state->raster, &bad_field)
#define UNPACK_STIPPLE cf_stipple_unpack(dw, &state->stipple, &bad_field)
#define UNPACK_CLIP_PLANES cf_clip_planes_unpack(dw, &state->clip_planes, &bad_field)
#define UNPACK_DEPTH_STENCIL cf_depth_stencil_unpack(dw, &state->depth_stencil, &bad_field)
#define UNPACK_STENCIL_REF cf_stencil_ref_unpack(dw, &state->stencil_ref, &bad_field)
#define UNPACK_BLEND blend_packet(state, dw, &bad_field)
#define UNPACK_BLEND_COLOR cf_blend_color_unpack(dw, &state->blend_color, &bad_field)
#define UNPACK_SAMPLE_MASK cf_sample_mask_unpack(dw, &state->sample_mask, &bad_field)

/* A packet that names descriptors: unpack, then resolve. */
#define RESOLVE(name, type)                                                                        \
   case CF_OPCODE_##name: {                                                                        \
      struct cf_##type packet;                                                                     \
      if (!cf_##type##_unpack(dw, &packet, &bad_field))                                            \
         break;                                                                                    \
      return type##_packet(state, &packet, fault);                                                 \
   }

bool
cf_state_packet(struct cf_state *state, const uint32_t *dw, bool *handled, struct cf_fault *fault)
{
   const char *bad_field = NULL;
   *handled = true;
   switch ((enum cf_opcode)(dw[0] & 0xff)) {
      SET(VIEWPORT, state->primitive)
      SET(SCISSOR, state->primitive)
      SET(RASTER, state->primitive)
      SET(STIPPLE, state->primitive)
      SET(CLIP_PLANES, state->primitive)
      SET(DEPTH_STENCIL, state->pixel)
      SET(STENCIL_REF, state->pixel)
      SET(BLEND, state->pixel)
      SET(BLEND_COLOR, state->pixel)
      SET(SAMPLE_MASK, state->pixel)
      RESOLVE(SHADER, shader)
      RESOLVE(CONSTANTS, constants)
      RESOLVE(BIND_TEXTURE, bind_texture)
      RESOLVE(VERTEX_ELEMENTS, vertex_elements)
      RESOLVE(VARYINGS, varyings)
      RESOLVE(GEOMETRY_INPUTS, geometry_inputs)
      RESOLVE(FEEDBACK, feedback)
   default:
      *handled = false;
      return true;
   }
   return cf_fault_set(fault, bad_field, "reserved bits are set, or there is no such value");
}

bool
cf_state_framebuffer(struct cf_state *state, const uint32_t *dw, struct cf_fault *fault)
{
   struct cf_framebuffer packet;
   const char *bad_field;
   const struct cf_resolver *resolver = state->config->resolver;
   struct cf_frame frame = { 0 };
   state->frame = frame;
   state->primitive = NULL;
   state->pixel = NULL;
   if (!cf_framebuffer_unpack(dw, &packet, &bad_field))
      return cf_fault_set(fault, bad_field, "reserved bits are set, or there is no such value");
   if (packet.color_count > CF_MAX_COLOR_TARGETS)
      return cf_fault_set(fault, "color_count", "%u, must be at most %u", packet.color_count,
                          CF_MAX_COLOR_TARGETS);
   if (packet.samples > 1 && packet.samples != CF_SAMPLES)
      return cf_fault_set(fault, "samples", "%u, must be 0, 1 or %u", packet.samples, CF_SAMPLES);
   frame.samples = packet.samples > 1 ? packet.samples : 1;
   if (packet.width_px > CF_MAX_SURFACE_PX || packet.height_px > CF_MAX_SURFACE_PX)
      return cf_fault_set(fault, "width_px", "%u x %u, must be at most %u", packet.width_px,
                          packet.height_px, CF_MAX_SURFACE_PX);
   for (uint32_t i = 0; i < packet.color_count; i++) {
      if (packet.color[i] && !cf_resolve_surface(resolver, packet.color[i], CF_USE_COLOR,
                                                 &frame.color[i], "color", fault))
         return false;
      if (packet.color[i] && (frame.color[i].width_px < packet.width_px ||
                              frame.color[i].height_px < packet.height_px))
         return cf_fault_set(fault, "color", "color %u is %u x %u, smaller than the frame", i,
                             frame.color[i].width_px, frame.color[i].height_px);
      if (packet.color[i] && frame.color[i].samples != frame.samples)
         return cf_fault_set(fault, "color", "color %u has %u samples, the frame %u", i,
                             frame.color[i].samples, frame.samples);
   }
   if (packet.depth_stencil &&
       !cf_resolve_surface(resolver, packet.depth_stencil, CF_USE_DEPTH_STENCIL, &frame.zs,
                           "depth_stencil", fault))
      return false;
   if (packet.depth_stencil &&
       (frame.zs.width_px < packet.width_px || frame.zs.height_px < packet.height_px))
      return cf_fault_set(fault, "depth_stencil", "is %u x %u, smaller than the frame",
                          frame.zs.width_px, frame.zs.height_px);
   if (packet.depth_stencil && frame.zs.samples != frame.samples)
      return cf_fault_set(fault, "depth_stencil", "has %u samples, the frame %u", frame.zs.samples,
                          frame.samples);
   frame.layer = packet.layer;
   frame.layered = packet.layered;
   frame.color_count = packet.color_count;
   frame.width_px = packet.width_px;
   frame.height_px = packet.height_px;
   state->frame = frame;
   return true;
}
