/* SPDX-License-Identifier: MIT */
#include "look_ops.h"

#include <string.h>

void
look_ops_enter(struct look_ops *ops, const struct look_submission *submission)
{
   ops->packets = look_packets_of(submission);
   memset(&ops->state, 0, sizeof(ops->state));
}

bool
look_is_op(enum cf_opcode opcode)
{
   switch (opcode) {
   case CF_OPCODE_DRAW:
   case CF_OPCODE_CLEAR:
   case CF_OPCODE_COPY:
   case CF_OPCODE_GATHER:
   case CF_OPCODE_REDUCE:
   case CF_OPCODE_RESOLVE:
   case CF_OPCODE_INVALIDATE:
   case CF_OPCODE_COPY_BUFFER:
   case CF_OPCODE_FILL_BUFFER: return true;
   default: return false;
   }
}

bool
look_ops_next(struct look_ops *ops, struct look_op *op)
{
   const uint32_t *packet;
   while ((packet = look_packets_next(&ops->packets))) {
      const enum cf_opcode opcode = look_opcode(packet);
      if (!look_is_op(opcode)) {
         look_state_apply(&ops->state, packet);
         continue;
      }
      const uint32_t at_dw = (uint32_t)(packet - ops->packets.dw);
      *op = (struct look_op){ .number = ops->ops++,
                              .draw = LOOK_NO_DRAW,
                              .at_dw = at_dw,
                              .dwords = ops->packets.at - at_dw,
                              .opcode = opcode,
                              .packet = packet };
      if (opcode == CF_OPCODE_DRAW)
         op->draw = ops->draws++;
      return true;
   }
   return false;
}

static void
add_image(struct look_written *written, const struct look_player *player, uint64_t descriptor,
          uint32_t target)
{
   struct look_op_image image = { .target = target };
   if (look_surface_at(player, descriptor, &image.surface))
      written->image[written->images++] = image;
}

/* Fields of the packet by name, so that all transfers are read alike. 0: it has no such field. */
static uint64_t
field_of(const struct look_op *op, const char *name)
{
   const struct cf_field *field = cf_record_field(cf_packet_record(op->opcode), name);
   return field ? cf_field_bits(field, op->packet, 0) : 0;
}

/* Draws may write all images of the frame buffer, clears those that they name. */
static void
add_targets(struct look_written *written, const struct look_player *player,
            const struct cf_framebuffer *frame, const struct look_op *op)
{
   const bool draw = op->opcode == CF_OPCODE_DRAW;
   for (uint32_t i = 0; i < frame->color_count && i < CF_MAX_COLOR_TARGETS; i++) {
      if (draw || field_of(op, "colors") >> i & 1)
         add_image(written, player, frame->color[i], i);
   }
   if (draw || field_of(op, "depth") || field_of(op, "stencil"))
      add_image(written, player, frame->depth_stencil, CF_MAX_COLOR_TARGETS);
}

static void
add_transfer(struct look_written *written, const struct look_player *player,
             const struct look_op *op)
{
   const bool alone = op->opcode == CF_OPCODE_RESOLVE || op->opcode == CF_OPCODE_INVALIDATE;
   add_image(written, player, field_of(op, alone ? "surface" : "destination"), 0);
   if (!look_surface_at(player, field_of(op, "source"), &written->source))
      written->source = (struct cf_surface){ 0 };
}

static void
add_buffer(struct look_written *written, struct look_op_buffer buffer)
{
   if (buffer.address && buffer.size_B)
      written->buffer[written->buffers++] = buffer;
}

/* What a draw writes by feedback. */
static void
add_feedback(struct look_written *written, const struct cf_feedback *feedback)
{
   for (uint32_t i = 0; feedback->outputs && i < CF_FEEDBACK_BUFFERS; i++) {
      struct look_op_buffer buffer = { .address = feedback->address[i],
                                       .size_B = feedback->size_B[i],
                                       .is_fed = true,
                                       .binding = i };
      add_buffer(written, buffer);
      buffer.address = feedback->filled[i];
      buffer.size_B = 8;
      buffer.is_count = true;
      add_buffer(written, buffer);
   }
}

struct look_written
look_op_written(const struct look_player *player, const struct look_state *state,
                const struct look_op *op)
{
   struct look_written written = { 0 };
   if (op->opcode == CF_OPCODE_DRAW || op->opcode == CF_OPCODE_CLEAR) {
      add_targets(&written, player, &state->framebuffer, op);
      if (op->opcode == CF_OPCODE_DRAW)
         add_feedback(&written, &state->feedback);
   } else if (op->opcode == CF_OPCODE_COPY_BUFFER || op->opcode == CF_OPCODE_FILL_BUFFER) {
      add_buffer(&written, (struct look_op_buffer){ .address = field_of(op, "destination"),
                                                    .size_B = field_of(op, "size_B") });
   } else {
      add_transfer(&written, player, op);
   }
   return written;
}

const char *
look_target_name(const struct look_op *op, uint32_t target)
{
   static const char *const names[LOOK_IMAGES] = { "color 0", "color 1",      "color 2",
                                                   "color 3", "color 4",      "color 5",
                                                   "color 6", "color 7", "depth_stencil" };
   _Static_assert(CF_MAX_COLOR_TARGETS == 8, "a name for each");
   if (op->opcode != CF_OPCODE_DRAW && op->opcode != CF_OPCODE_CLEAR)
      return "destination";
   return names[target];
}

const char *
look_buffer_name(const struct look_op_buffer *buffer)
{
   static const char *const names[CF_FEEDBACK_BUFFERS][2] = {
      { "feedback 0", "count of feedback 0" },
      { "feedback 1", "count of feedback 1" },
      { "feedback 2", "count of feedback 2" },
      { "feedback 3", "count of feedback 3" },
   };
   _Static_assert(CF_FEEDBACK_BUFFERS == 4, "names for each");
   return buffer->is_fed ? names[buffer->binding][buffer->is_count] : "destination";
}
