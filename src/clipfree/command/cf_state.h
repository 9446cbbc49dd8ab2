/* SPDX-License-Identifier: MIT */
/*
 * The state that packets set and draws are run with. Descriptors are resolved when a packet first
 * names their address, and again only after a packet wrote to memory; what a draw needs of them is
 * copied into the pass' arena in four pieces (vertex stage, fragment stage, primitive engine, pixel
 * engine), each only when it has changed since the last draw of the pass.
 */
#ifndef CF_STATE_H
#define CF_STATE_H

#include "clipfree/base/cf_arena.h"
#include "clipfree/command/cf_fault.h"
#include "clipfree/command/cf_program_cache.h"
#include "clipfree/command/cf_resolve.h"
#include "clipfree/interface/cf_choices.h"
#include "clipfree/jit/cf_jit_source.h"
#include "clipfree/schedule/cf_draw.h"
#include "clipfree/texture/cf_texture.h"

#define CF_STAGES 2

/* What a state is made from; constant. */
struct cf_state_config {
   const struct cf_resolver *resolver;
   struct cf_program_cache *programs;
   struct cf_jit *jit; /* for what samples textures and writes colours in compiled programs; NULL: none */
   enum cf_setup_policy policy;
   enum cf_host_level level;
   uint64_t max_task_instrs;
   bool plain; /* no shortcuts (enum cf_path) */
};

#define CF_STATE_TEXTURES (CF_STAGES * CF_MAX_TEXTURE_UNITS) /* so one is free whenever a unit is bound */

/* Textures with their samplers that are bound, and others that were: who binds one of them again finds it resolved, and copied
 * to the pass if a draw of the pass has read it. */
struct cf_state_textures {
   struct {
      uint64_t texture_address, sampler_address;
   } of[CF_STATE_TEXTURES]; /* texture_address 0: not to be found */
   uint8_t units[CF_STATE_TEXTURES]; /* how many are bound to it */
   const struct cf_texture_unit *copy[CF_STATE_TEXTURES]; /* in the pass' arena; NULL: to be made */
   struct cf_texture_unit unit[CF_STATE_TEXTURES]; /* undefined where there never was one */
};

#define CF_STATE_ELEMENTS 32

/* Arrays of vertex elements that are bound, or were: who binds one of them again finds it resolved, and the vertex stage's piece
 * with it, if that was made in this pass and nothing else of the stage has changed. An array lies in the place that its address
 * gives. */
struct cf_state_elements {
   struct {
      uint64_t address; /* 0: not to be found */
      uint32_t count;
      uint32_t family;           /* of `snapshot` */
      struct cf_stage *snapshot; /* NULL: none */
   } of[CF_STATE_ELEMENTS];
   uint32_t bound; /* the place of what is bound */
   struct {
      uint64_t vertices; /* cf_stage.fetch_vertices */
      struct cf_fetch fetch[CF_MAX_VERTEX_ELEMENTS];
   } resolved[CF_STATE_ELEMENTS]; /* undefined where there never was one */
};

/* One stage: what is bound, and the pieces that were made of it. */
struct cf_stage_state {
   uint64_t program_address;
   const struct cf_cached_program *program; /* NULL: none */
   struct cf_stage stage;                   /* as draws get it, but for textures */
   uint32_t elements;                       /* of stage.fetch that are set, the others are zero */
   uint8_t texture[CF_MAX_TEXTURE_UNITS];   /* of struct cf_state_textures */
   uint32_t textures;                       /* units that are bound */
   uint32_t slow;                           /* of `snapshot`, as cf_draw_state.slow */
   struct cf_stage *snapshot; /* NULL: something changed */
};

/* Kinds of primitives that keys differ in: sprites are a fourth shape, wide lines a fifth, and all may be smooth. */
enum { CF_PIXEL_SPRITES = 3, CF_PIXEL_WIDE_LINES, CF_PIXEL_KINDS };
#define CF_PIXEL_KEYS (2 * CF_PIXEL_KINDS)

struct cf_state {
   const struct cf_state_config *config;
   struct cf_viewport viewport;
   struct cf_scissor scissor;
   struct cf_raster raster;
   struct cf_depth_stencil depth_stencil;
   struct cf_stencil_ref stencil_ref;
   struct cf_blend blend[CF_MAX_COLOR_TARGETS];
   struct cf_blend_color blend_color;
   struct cf_sample_mask sample_mask; /* without effect on frames of one sample */
   struct cf_stipple stipple;
   struct cf_clip_planes clip_planes;
   struct cf_link link[CF_MAX_VARYING_DWORDS / 4];
   uint32_t links;
   struct cf_frame frame; /* width_px 0: none */
   struct cf_stage_state stage[CF_STAGES];
   const struct cf_primitive_config *primitive; /* NULL: something changed */
   const struct cf_pixel_config *pixel;
   bool has_key; /* of it: there is one, `key`; else the reasons: */
   uint32_t slow_pixels;
   struct cf_pixel_key key;
   const struct cf_pixel_key *pixel_key[CF_PIXEL_KEYS]; /* the same for other primitives, in the pass' arena; NULL: not asked for yet */
   uint32_t families;                    /* of stages, numbers given out */
   uint64_t reads_of;                    /* the last loop that writes what vertices of this pass may need; 0: none */
   /* the last: of both, what was resolved is not cleared */
   struct cf_state_textures textures;
   struct cf_state_elements elements;
};

/** All zero: the state at the start of a submission. */
void cf_state_reset(struct cf_state *state, const struct cf_state_config *config);

/** Apply a packet (header included, size checked) that sets state, other than `framebuffer`. False:
 * a fault. *handled: false if this packet sets no state. */
bool cf_state_packet(struct cf_state *state, const uint32_t *dw, bool *handled,
                     struct cf_fault *fault);

/** Bind the images draws go to. */
bool cf_state_framebuffer(struct cf_state *state, const uint32_t *dw, struct cf_fault *fault);

/** GPU memory was written by a packet: descriptors bound before are looked at again when they are
 * bound again. */
void cf_state_memory_changed(struct cf_state *state);

/** A pass begins, with an arena of its own: every piece is to be made anew. */
void cf_state_begin_pass(struct cf_state *state);

/** What a draw packet draws with. False: a fault. draw->instances 0: nothing is to be drawn. */
bool cf_state_draw(struct cf_state *state, const uint32_t *dw, struct cf_arena *arena,
                   struct cf_draw_state *draw, struct cf_fault *fault);

/** The values and masks of a clear packet for the bound images. op->images 0: nothing to clear. */
bool cf_state_clear(const struct cf_state *state, const uint32_t *dw, struct cf_clear_op *op,
                    struct cf_fault *fault);

#endif
