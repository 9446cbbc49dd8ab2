/* SPDX-License-Identifier: MIT */
/* Feedback (cf_state.h): its bindings, and what a draw writes. */
#include "clipfree/command/cf_state.h"

#include <string.h>

/* Bytes of an element of a buffer: more than any buffer has are no valid stride. */
#define MAX_STRIDE_DW (1u << 16)

static bool
bind_buffer(struct cf_state *state, const struct cf_feedback *packet, uint32_t i,
            struct cf_fault *fault)
{
   const struct cf_resolver *resolver = state->config->resolver;
   if (packet->stride_dw[i] == 0 || packet->stride_dw[i] > MAX_STRIDE_DW)
      return cf_fault_set(fault, "stride_dw", "%u, must be 1 to %u", packet->stride_dw[i],
                          MAX_STRIDE_DW);
   uint8_t *data = (uint8_t *)cf_resolve_memory(resolver, packet->address[i], packet->size_B[i], 4,
                                                "address", fault);
   uint64_t *filled_B =
      (uint64_t *)cf_resolve_memory(resolver, packet->filled[i], 8, 8, "filled", fault);
   if (!data || !filled_B)
      return false;
   state->feedback.buffer[i].data = data;
   state->feedback.buffer[i].address = packet->address[i];
   state->feedback.buffer[i].size_B = packet->size_B[i];
   state->feedback.buffer[i].stride_B = 4 * packet->stride_dw[i];
   state->feedback.buffer[i].filled_B = filled_B;
   if (packet->restart >> i & 1)
      *filled_B = 0;
   return true;
}

bool
cf_state_set_feedback(struct cf_state *state, const struct cf_feedback *packet,
                      struct cf_fault *fault)
{
   struct cf_state_feedback *feedback = &state->feedback;
   memset(feedback, 0, sizeof(*feedback));
   if (!cf_resolve_feedback_outputs(state->config->resolver, packet, feedback->output, fault))
      return false;
   for (uint32_t i = 0; i < packet->outputs; i++) {
      const uint32_t buffer = feedback->output[i].buffer;
      if (!feedback->buffer[buffer].data && !bind_buffer(state, packet, buffer, fault))
         return false;
   }
   feedback->outputs = packet->outputs;
   feedback->begins_pass = true;
   return true;
}

/* Elements that a buffer still has room for. */
static uint64_t
room_of(const struct cf_state_feedback *feedback, uint32_t buffer)
{
   const uint64_t filled_B = *feedback->buffer[buffer].filled_B;
   const uint32_t size_B = feedback->buffer[buffer].size_B;
   return filled_B < size_B ? (size_B - filled_B) / feedback->buffer[buffer].stride_B : 0;
}

bool
cf_state_feed(struct cf_state *state, struct cf_arena *arena, struct cf_draw_state *draw,
              struct cf_fault *fault)
{
   const struct cf_state_feedback *feedback = &state->feedback;
   const size_t outputs_B = feedback->outputs * sizeof(feedback->output[0]);
   for (uint32_t i = 0; i < feedback->outputs; i++) {
      const uint32_t end = feedback->output[i].first + feedback->output[i].dwords;
      if (end > draw->primitive->vertex_dwords)
         return cf_fault_set(fault, "prim",
                             "feedback wants vertex output %u, which the program does not write",
                             end - 1);
   }
   struct cf_feedback_draw *piece =
      cf_arena_alloc(arena, offsetof(struct cf_feedback_draw, output) + outputs_B);
   uint64_t *emitted = NULL;
   if (!piece)
      return cf_fault_out_of_memory(fault, "prim");
   if (draw->geometry) {
      emitted = cf_arena_alloc(arena, sizeof(*emitted));
      if (!emitted)
         return cf_fault_out_of_memory(fault, "prim");
      *emitted = 0;
   }
   *piece = (struct cf_feedback_draw){ .vertices = cf_prim_kind_vertices(draw->output_prim),
                                       .primitives = UINT64_MAX,
                                       .emitted = emitted,
                                       .outputs = feedback->outputs };
   memcpy(piece->output, feedback->output, outputs_B);
   for (uint32_t i = 0; i < CF_FEEDBACK_BUFFERS; i++) {
      if (!feedback->buffer[i].data)
         continue;
      const uint64_t fit = room_of(feedback, i) / piece->vertices;
      piece->primitives = fit < piece->primitives ? fit : piece->primitives;
      piece->buffer[i].filled_B = feedback->buffer[i].filled_B;
      piece->buffer[i].stride_B = feedback->buffer[i].stride_B;
   }
   for (uint32_t i = 0; i < CF_FEEDBACK_BUFFERS; i++) {
      if (!feedback->buffer[i].data)
         continue;
      /* nothing fits where more than all is filled */
      const uint64_t at_B = piece->primitives ? *feedback->buffer[i].filled_B : 0;
      piece->buffer[i].data = feedback->buffer[i].data + at_B;
      piece->buffer[i].address = feedback->buffer[i].address + at_B;
   }
   draw->feedback = piece;
   return true;
}
