/* SPDX-License-Identifier: MIT */
/*
 * Transform feedback: targets, which Gallium calls stream outputs, and the packet that binds them.
 */
#ifndef CLIPFREE_FEEDBACK_H
#define CLIPFREE_FEEDBACK_H

#include "pipe/p_state.h"

#include "clipfree/interface/cf_limits.h"

struct cf_context;
struct cf_variant;
struct nir_shader;

/* Bound targets. */
struct cf_feedback_bindings {
   struct pipe_stream_output_target *target[CF_FEEDBACK_BUFFERS];
   uint32_t count;
   enum mesa_prim prim; /* of what is written, as the state tracker has it */
   bool sent;           /* in this batch: feedback is on in the GPU */
};

/** Send the bindings, with the outputs that this vertex shader feeds back. False: out of memory. */
bool cf_emit_feedback(struct cf_context *context, const struct nir_shader *nir,
                      const struct cf_variant *variant);

/** Vertices that draws have written to the target since it was restarted, for which it waits. */
uint32_t cf_feedback_vertices(struct cf_context *context, struct pipe_stream_output_target *target);

void cf_context_init_feedback(struct cf_context *context);

/** Release the bindings. */
void cf_feedback_unbind(struct cf_context *context);

#endif
