/* SPDX-License-Identifier: MIT */
/*
 * The state that packets have set when a draw or another packet is reached. A submission begins
 * with all state zero.
 */
#ifndef LOOK_STATE_H
#define LOOK_STATE_H

#include "look_player.h"

#include "clipfree/interface/cf_limits.h"

#define LOOK_STAGES CF_STAGES
#define LOOK_BANKS 8

struct look_state {
   struct cf_framebuffer framebuffer;
   struct cf_viewport viewport;
   struct cf_scissor scissor;
   struct cf_raster raster;
   struct cf_depth_stencil depth_stencil;
   struct cf_stencil_ref stencil_ref;
   struct cf_blend blend[CF_MAX_COLOR_TARGETS];
   struct cf_blend_color blend_color;
   struct cf_sample_mask sample_mask;
   struct cf_shader shader[LOOK_STAGES];
   struct cf_constants constants[LOOK_STAGES][LOOK_BANKS];
   struct cf_bind_texture texture[LOOK_STAGES][CF_MAX_TEXTURE_UNITS];
   struct cf_vertex_elements elements;
   struct cf_varyings varyings;
   struct cf_clip_planes clip_planes;
   struct cf_feedback feedback; /* outputs 0: off */
};

/** Apply a packet. Packets that set no state, or are malformed, change nothing. */
void look_state_apply(struct look_state *state, const uint32_t *packet);

/** What a packet of state sets: packets with the same key set the same thing. */
uint64_t look_state_key(const uint32_t *packet);

/** The state when the packet at `address` is reached. Returns the packet; NULL: the submission has
 * none there. */
const uint32_t *look_state_at(const struct look_submission *submission, uint64_t address,
                              struct look_state *state);

/** The surface at an address; false: there is none, or it is malformed. */
bool look_surface_at(const struct look_player *player, uint64_t address,
                     struct cf_surface *surface);

#endif
