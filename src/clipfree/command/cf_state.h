/* SPDX-License-Identifier: MIT */
/*
 * The state that packets set and draws use. Descriptors are resolved when a packet first names
 * their address, and again only after a packet wrote to memory. A draw uses four snapshots of the
 * state in the pass' arena: vertex stage, fragment stage, primitive engine, pixel engine. Each is
 * taken anew only when its part of the state has changed since the last draw of the pass.
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

/* Constant. */
struct cf_state_config {
   const struct cf_resolver *resolver;
   struct cf_program_cache *programs;
   /* compiles texture sampling and pixel writes; NULL: none */
   struct cf_jit *jit;
   enum cf_setup_policy policy;
   enum cf_host_level level;
   uint64_t max_task_instrs;
   bool plain; /* no shortcuts (enum cf_path) */
};

/* slots: as many as units, so that one is free whenever a unit is bound */
#define CF_STATE_TEXTURES (CF_STAGES * CF_MAX_TEXTURE_UNITS)

/* Cache of resolved pairs of texture and sampler: those that are bound, and those bound before.
 * Binding one again finds it resolved, and copied into the pass' arena if a draw of the pass used
 * it. */
struct cf_state_textures {
   struct {
      uint64_t texture_address, sampler_address;
   } key[CF_STATE_TEXTURES]; /* texture_address 0: empty */
   uint8_t units[CF_STATE_TEXTURES]; /* number of units to which it is bound */
   /* in the pass' arena; NULL: not copied yet */
   const struct cf_texture_unit *copy[CF_STATE_TEXTURES];
   struct cf_texture_unit unit[CF_STATE_TEXTURES]; /* undefined in slots that were never used */
};

#define CF_STATE_ELEMENTS 32

/* Cache of resolved arrays of vertex elements, indexed by address: the one that is bound, and
 * others bound before. Binding one again finds it resolved, with its snapshot of the vertex stage
 * if that was taken in this pass and nothing else of the stage has changed since. */
struct cf_state_elements {
   struct {
      uint64_t address; /* 0: empty */
      uint32_t count;
      uint32_t family;           /* cf_stage.family of `snapshot` */
      struct cf_stage *snapshot; /* NULL: none */
   } entry[CF_STATE_ELEMENTS];
   uint32_t bound; /* slot of the bound array */
   struct {
      uint64_t vertices; /* cf_stage.fetch_vertices */
      struct cf_fetch fetch[CF_MAX_VERTEX_ELEMENTS];
   } resolved[CF_STATE_ELEMENTS]; /* undefined in slots that were never used */
};

/* Feedback's bindings (packet feedback). */
struct cf_state_feedback {
   struct cf_feedback_output output[CF_MAX_VARYING_DWORDS];
   uint32_t outputs; /* 0: off */
   struct {
      uint64_t address;
      uint8_t *data; /* NULL: no output is written to it */
      uint64_t *filled_B;
      uint32_t size_B, stride_B;
   } buffer[CF_FEEDBACK_BUFFERS];
   /* no draw has used these bindings yet: the first one begins a pass */
   bool begins_pass;
};

/* One stage: its bindings and their snapshot. */
struct cf_stage_state {
   uint64_t program_address;
   const struct cf_cached_program *program; /* NULL: none */
   struct cf_stage stage;                   /* source of the snapshot, but for `textures` */
   uint32_t elements;                       /* number set in stage.fetch; the others are zero */
   uint8_t texture[CF_MAX_TEXTURE_UNITS];   /* slot in cf_state_textures, by unit */
   uint32_t textures;                       /* bit per bound unit */
   uint32_t slow;                           /* why `snapshot` is slow, as cf_draw_state.slow */
   struct cf_stage *snapshot; /* in the pass' arena; NULL: invalid */
};

/* Pixel keys differ by enum cf_prim_shape, to which point sprites and wide lines are added, and by
 * whether the primitive is smooth. */
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
   struct cf_link geometry_link[CF_MAX_VARYING_DWORDS / 4]; /* packet geometry_inputs */
   uint32_t geometry_links;
   struct cf_state_feedback feedback;
   /* snapshots in the pass' arena; NULL: invalid */
   const struct cf_primitive_config *primitive;
   const struct cf_geometry_source *geometry;
   const struct cf_pixel_config *pixel;
   /* of `pixel`: whether it can be compiled, as `key`; else the reasons, bit per enum cf_slow */
   bool has_key;
   uint32_t slow_pixels;
   struct cf_pixel_key key;
   /* `key` for each kind of primitive, in the pass' arena; NULL: not needed yet */
   const struct cf_pixel_key *pixel_key[CF_PIXEL_KEYS];
   uint32_t families;                    /* the last value of cf_stage.family */
   /* the last loop in flight that writes memory which this pass' vertex stages may read; 0: none */
   uint64_t reads_of;
   /* last members: cf_state_reset clears them only in part */
   struct cf_state_textures textures;
   struct cf_state_elements elements;
};

/** Reset to the state at the start of a submission: all zero. */
void cf_state_reset(struct cf_state *state, const struct cf_state_config *config);

/** Apply a packet (header included, size checked) that sets state, other than `framebuffer`. False:
 * a fault. *handled: false if this packet sets no state. */
bool cf_state_packet(struct cf_state *state, const uint32_t *dw, bool *handled,
                     struct cf_fault *fault);

/** Bind what feedback writes. */
bool cf_state_set_feedback(struct cf_state *state, const struct cf_feedback *packet,
                           struct cf_fault *fault);

/** Set draw->feedback: feedback is on. */
bool cf_state_feed(struct cf_state *state, struct cf_arena *arena, struct cf_draw_state *draw,
                   struct cf_fault *fault);

/** Bind the images that draws write. */
bool cf_state_framebuffer(struct cf_state *state, const uint32_t *dw, struct cf_fault *fault);

/** A packet wrote GPU memory: descriptors are resolved again when they are next bound. */
void cf_state_memory_changed(struct cf_state *state);

/** A pass begins, with an arena of its own: all snapshots are invalid. */
void cf_state_begin_pass(struct cf_state *state);

/** Assemble a draw from its packet and the state. False: a fault. draw->instances 0: nothing to
 * draw. */
bool cf_state_draw(struct cf_state *state, const uint32_t *dw, struct cf_arena *arena,
                   struct cf_draw_state *draw, struct cf_fault *fault);

/** The values and masks of a clear packet for the bound images. op->images 0: nothing to clear. */
bool cf_state_clear(const struct cf_state *state, const uint32_t *dw, struct cf_clear_op *op,
                    struct cf_fault *fault);

#endif
