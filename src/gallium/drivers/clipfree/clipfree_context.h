/* SPDX-License-Identifier: MIT */
/*
 * The context: bound state, dirty bits of state to be sent, and the batch being recorded.
 */
#ifndef CLIPFREE_CONTEXT_H
#define CLIPFREE_CONTEXT_H

#include "pipe/p_context.h"
#include "pipe/p_state.h"
#include "util/list.h"
#include "util/slab.h"

#include "clipfree/interface/cf_gpu.h"
#include "clipfree/interface/cf_limits.h"

#include "clipfree_batch.h"
#include "clipfree_client_arrays.h"
#include "clipfree_counters.h"
#include "clipfree_feedback.h"
#include "clipfree_notes.h"
#include "clipfree_program.h"
#include "clipfree_reset.h"
#include "clipfree_vertex_reuse.h"

struct blitter_context;
struct cf_query_object;
struct cf_screen;

enum cf_dirty {
   CF_DIRTY_FRAMEBUFFER = 1 << 0,
   CF_DIRTY_VIEWPORT = 1 << 1,
   CF_DIRTY_SCISSOR = 1 << 2,
   CF_DIRTY_RASTER = 1 << 3,
   CF_DIRTY_DEPTH_STENCIL = 1 << 4,
   CF_DIRTY_STENCIL_REF = 1 << 5,
   CF_DIRTY_BLEND = 1 << 6,
   CF_DIRTY_BLEND_COLOR = 1 << 7,
   CF_DIRTY_SAMPLE_MASK = 1 << 8,
   CF_DIRTY_STIPPLE = 1 << 9,
   CF_DIRTY_CLIP = 1 << 10,
   CF_DIRTY_VERTEX = 1 << 11,   /* buffers or elements */
   CF_DIRTY_PROGRAMS = 1 << 12, /* a program, or state that their links depend on */
   /* of a stage: << enum cf_shader_stage */
   CF_DIRTY_CONSTANTS = 1 << 13,
   CF_DIRTY_TEXTURES = 1 << 16,
   CF_DIRTY_FEEDBACK = 1 << 19, /* targets, or the last program before rasterisation */
   CF_DIRTY_ALL = (1 << 20) - 1,
   CF_DIRTY_ALL_CONSTANTS = 7 * CF_DIRTY_CONSTANTS,
   CF_DIRTY_ALL_TEXTURES = 7 * CF_DIRTY_TEXTURES,
};

/* State objects: packed when created. */
struct cf_blend_object {
   uint32_t dw[CF_MAX_COLOR_TARGETS][CF_BLEND_DWORDS];
};

struct cf_depth_stencil_object {
   uint32_t dw[CF_DEPTH_STENCIL_DWORDS];
};

struct cf_raster_object {
   uint32_t dw[CF_RASTER_DWORDS];
   bool scissor;
   uint8_t clip; /* user clip planes enabled */
   /* state that the link between programs depends on */
   bool flat_shade, two_sided;
   /* bit n: texture coordinate n is a point sprite's; only with point quads */
   uint32_t sprite_coords;
};

struct cf_sampler_object {
   uint32_t dw[CF_SAMPLER_DWORDS];
   uint64_t batch_id, address; /* of its upload, valid in that batch */
};

struct cf_vertex_elements_object {
   uint32_t count;
   struct pipe_vertex_element element[PIPE_MAX_ATTRIBS];
   enum cf_format format[PIPE_MAX_ATTRIBS];
};

struct cf_sampler_view_object {
   struct pipe_sampler_view base;
   struct cf_texture texture; /* its address is that of the last upload */
   uint32_t offset_B;         /* of buffers: where the first texel is */
   uint32_t first_image, last_image;
   uint64_t batch_id, address;
};

/* Bindings of one stage. */
struct cf_stage_bindings {
   struct cf_shader_object *shader;
   struct pipe_constant_buffer constants[CF_MAX_CONSTANT_BANKS];
   uint32_t constants_dirty, constants_bound; /* bit per bank */
   struct pipe_sampler_view *views[CF_MAX_TEXTURE_UNITS];
   struct cf_sampler_object *samplers[CF_MAX_TEXTURE_UNITS];
   uint32_t view_count, sampler_count;
   uint32_t buffer_views; /* bit per unit that has a buffer */
   uint32_t units_sent; /* units 0 .. units_sent - 1 were bound in this batch */
};

struct cf_context {
   struct pipe_context base;
   struct cf_screen *screen;
   struct cf_batch batch;
   struct slab_child_pool transfer_pool;
   struct blitter_context *blitter;

   uint32_t dirty;        /* enum cf_dirty */
   uint32_t rename_count, texture_rename_count; /* the screen's, when addresses were sent last */

   struct cf_blend_object *blend;
   struct cf_depth_stencil_object *depth_stencil;
   struct cf_raster_object *raster;
   struct cf_vertex_elements_object *elements;
   struct cf_sampler_object buffer_sampler; /* of buffer textures, which have none: not used */
   struct cf_stage_bindings stage[CF_STAGES]; /* by enum cf_shader_stage */
   /* that the application bound; NULL: none, and the stage may have one that passes through */
   struct cf_shader_object *geometry;
   struct pipe_framebuffer_state framebuffer;
   uint32_t layer; /* of the frame buffer, from its first on, that is drawn to */
   struct pipe_viewport_state viewport;
   struct pipe_scissor_state scissor;
   struct pipe_stencil_ref stencil_ref;
   struct pipe_blend_color blend_color;
   struct pipe_poly_stipple stipple;
   struct pipe_clip_state clip;
   struct cf_clip_link clip_link; /* as last sent */
   struct pipe_vertex_buffer vertex_buffers[PIPE_MAX_ATTRIBS];
   uint32_t vertex_buffer_count;
   struct cf_client_arrays client;
   struct cf_reuse_budget reuse_budget;
   uint32_t sample_mask;
   bool magnify_to_zero; /* CF_CONTEXT_MAGNIFY_TO_ZERO */
   struct cf_feedback_bindings feedback;
   /* the shared resource whose display target was last_presented last in this frame; NULL: none */
   struct pipe_resource *last_presented;

   /* queries */
   struct list_head active_queries;
   bool queries_paused;  /* by the state tracker, around its internal draws */
   bool queries_running; /* begin packets were sent in this batch */
   struct cf_render_condition {
      struct cf_query_object *query; /* NULL: none */
      bool condition;                /* its result with which nothing is drawn */
      enum pipe_render_cond_flag mode;
      bool passes; /* for certain */
   } render_condition;
   struct {                           /* the GPU's in this batch */
      const struct cf_buffer *result; /* NULL: none */
      bool inverted;
   } condition_sent;

   struct cf_context_notes *notes; /* NULL: the GPU wants none */
   /* what draws, where base.draw_vbo takes notes of it */
   void (*draw_vbo)(struct pipe_context *pipe, const struct pipe_draw_info *info,
                    unsigned drawid_offset, const struct pipe_draw_indirect_info *indirect,
                    const struct pipe_draw_start_count_bias *draws, unsigned draw_count);

   struct cf_reset_log resets;
   uint64_t counters[CF_COUNTER_COUNT];
   uint64_t reported[CF_GPU_COUNTS]; /* by cf_counters_report */
};

static inline struct cf_context *
cf_context(struct pipe_context *context)
{
   return (struct cf_context *)context;
}

/** The GPU's stage of a Gallium stage. */
static inline enum cf_shader_stage
cf_stage_of(enum pipe_shader_type shader)
{
   return shader == PIPE_SHADER_FRAGMENT   ? CF_SHADER_STAGE_FRAGMENT
          : shader == PIPE_SHADER_GEOMETRY ? CF_SHADER_STAGE_GEOMETRY
                                           : CF_SHADER_STAGE_VERTEX;
}

/** The frame buffer's layer that is drawn to or cleared next. */
static inline void
cf_context_set_layer(struct cf_context *context, uint32_t layer)
{
   context->dirty |= layer != context->layer ? CF_DIRTY_FRAMEBUFFER : 0;
   context->layer = layer;
}

/** Whether the context's layer of the frame buffer has this attachment (or NULL): in a layered one
 * they may have different numbers of layers. */
static inline bool
cf_context_targets(const struct cf_context *context, const struct pipe_surface *surface)
{
   return surface && context->layer <= surface->u.tex.last_layer - surface->u.tex.first_layer;
}

/** pipe_screen::context_create. */
struct pipe_context *cf_context_create(struct pipe_screen *screen, void *priv, unsigned flags);

/** Make room for packets of `dwords` dwords, submitting the batch if necessary. False: out of
 * memory. */
bool cf_context_begin(struct cf_context *context, uint32_t dwords);

/** Submit the batch; all state will be sent again. Returns the seqno to wait for (0: nothing was
 * ever submitted). A thread that waits may be used for the work. */
uint64_t cf_context_submit(struct cf_context *context);

/** cf_context_submit, and start the work at once, without a waiting thread. */
uint64_t cf_context_kick(struct cf_context *context);

/** Send the frame buffer if it changed since it was sent. */
void cf_emit_framebuffer(struct cf_context *context);

/** Send all dirty state. False: an upload or a compilation failed, do not draw. There must be room
 * for CF_STATE_DWORDS. */
bool cf_emit_state(struct cf_context *context);

/* Upper bound of all state packets together. */
#define CF_STATE_DWORDS 1024

void cf_context_init_state(struct cf_context *context);
void cf_context_init_bindings(struct cf_context *context);
void cf_context_init_draw(struct cf_context *context);
void cf_context_init_blit(struct cf_context *context);
void cf_context_init_programs(struct cf_context *context);

#endif
