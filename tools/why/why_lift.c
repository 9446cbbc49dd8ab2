/* SPDX-License-Identifier: MIT */
#include "why_lift.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/isa/cf_asm.h"

#define NOP_HEADER (CF_OPCODE_NOP | CF_NOP_DWORDS << 16)
#define CODE_AT_B 64 /* after the descriptor; code is a multiple of 8 */

struct lift {
   const struct why_plan *plan;
   uint32_t submission;
   uint64_t program; /* descriptor of a fragment program that does nothing */
   uint32_t planes;  /* clip planes that stay */
   uint32_t found;   /* those that were on */
   bool feeds;       /* draws have feedback: later draws may read it */
};

/* ------------------------------------------------------------------ edits */

/* Put the program that does nothing beside the capture's memory. */
static bool
put_program(const struct look_player *player, struct lift *lift)
{
   uint64_t *code;
   unsigned count;
   char error[200];
   const struct cf_bo extra = look_player_extra(player);
   if (!cf_assemble_text("end\n", &code, &count, error, sizeof(error)))
      return false;
   const struct cf_program program = { .code = extra.address + CODE_AT_B,
                                       .code_instrs = count,
                                       .stage = CF_SHADER_STAGE_FRAGMENT };
   uint32_t *dw = extra.map;
   cf_program_pack(dw, &program);
   memcpy((uint8_t *)extra.map + (program.code - extra.address), code, count * sizeof(*code));
   free(code);
   lift->program = extra.address;
   return true;
}

static void
lift_raster(struct lift *lift, uint32_t *packet)
{
   struct cf_raster s;
   const char *bad_field;
   if (!cf_raster_unpack(packet, &s, &bad_field))
      return;
   s.cull_front = s.cull_back = s.discard = s.poly_stipple = s.line_stipple = false;
   s.depth_clip_near = s.depth_clip_far = false;
   lift->found |= s.clip_planes;
   s.clip_planes &= lift->planes;
   cf_raster_pack(packet, &s);
}

/* Depths far beyond near and far plane get values that are not clamped. */
static void
lift_viewport(uint32_t *packet)
{
   struct cf_viewport s;
   const char *bad_field;
   if (!cf_viewport_unpack(packet, &s, &bad_field))
      return;
   s.scale_z = WHY_LIFT_Z_SCALE;
   s.translate_z = 0.5f;
   cf_viewport_pack(packet, &s);
}

static void
lift_blend(uint32_t *packet)
{
   struct cf_blend s;
   const char *bad_field;
   if (!cf_blend_unpack(packet, &s, &bad_field))
      return;
   cf_blend_pack(packet, &(struct cf_blend){ .target = s.target });
}

static void
lift_shader(uint32_t *packet, uint64_t program)
{
   struct cf_shader s;
   const char *bad_field;
   if (!cf_shader_unpack(packet, &s, &bad_field) || s.stage != CF_SHADER_STAGE_FRAGMENT)
      return;
   s.program = program;
   cf_shader_pack(packet, &s);
}

static void
note_feedback(struct lift *lift, const uint32_t *packet)
{
   struct cf_feedback s;
   const char *bad_field;
   if (cf_feedback_unpack(packet, &s, &bad_field))
      lift->feeds = s.outputs > 0;
}

static void
drop_packet(uint32_t *packet)
{
   const uint32_t dwords = packet[0] >> 16;
   for (uint32_t i = 0; i < dwords; i++)
      packet[i] = NOP_HEADER;
}

/* Whether the draw may reach a watched pixel. */
static bool
is_watched(const struct lift *lift, uint64_t packet)
{
   const struct why_op *op = why_plan_op(lift->plan, lift->submission, packet);
   uint32_t target;
   for (uint32_t w = 0; op && w < lift->plan->watches; w++) {
      const struct why_watch *watch = &lift->plan->watch[w];
      if (why_plan_watch(lift->plan, op, watch->x_px, watch->y_px, &target) >= 0)
         return true;
   }
   return false;
}

static void
lift_packet(struct lift *lift, uint32_t *packet, uint64_t address)
{
   switch (look_opcode(packet)) {
   case CF_OPCODE_RASTER:
      lift_raster(lift, packet);
      break;
   case CF_OPCODE_VIEWPORT:
      lift_viewport(packet);
      break;
   case CF_OPCODE_SCISSOR:
      cf_scissor_pack(packet, &(struct cf_scissor){ .max_x_px = 0xffff, .max_y_px = 0xffff });
      break;
   case CF_OPCODE_DEPTH_STENCIL:
      cf_depth_stencil_pack(packet, &(struct cf_depth_stencil){ 0 });
      break;
   case CF_OPCODE_BLEND:
      lift_blend(packet);
      break;
   case CF_OPCODE_SAMPLE_MASK:
      cf_sample_mask_pack(packet, &(struct cf_sample_mask){ .mask = 0xffff });
      break;
   case CF_OPCODE_SHADER:
      lift_shader(packet, lift->program);
      break;
   case CF_OPCODE_CLEAR:
   case CF_OPCODE_COPY:
   case CF_OPCODE_GATHER:
   case CF_OPCODE_REDUCE:
   case CF_OPCODE_RESOLVE:
   case CF_OPCODE_INVALIDATE:
   case CF_OPCODE_QUERY:
      drop_packet(packet);
      break;
   case CF_OPCODE_FEEDBACK:
      note_feedback(lift, packet);
      break;
   case CF_OPCODE_DRAW:
      if (!lift->feeds && !is_watched(lift, address))
         drop_packet(packet);
      break;
   default:
      break; /* buffers are copied: vertices may come from them */
   }
}

static void
lift_submission(struct lift *lift, const struct look_submission *submission)
{
   struct look_packets packets = look_packets_of(submission);
   const uint32_t *packet;
   lift->feeds = false;
   while ((packet = look_packets_next(&packets)))
      lift_packet(lift, submission->dw + (packet - submission->dw),
                  look_packet_address(submission, packet));
}

/* ------------------------------------------------------------------ the run */

static int
run_submissions(struct lift *lift, const struct why_question *question, struct look_player *player,
                const struct why_lifted_use *use, char *error, size_t error_B)
{
   struct look_submission submission;
   int found;
   while ((found = look_player_next(player, &submission, error, error_B)) > 0) {
      lift->submission = submission.number;
      why_edit(question, player, &submission);
      lift_submission(lift, &submission);
      if (use->begin)
         use->begin(use->observer.user, submission.number);
      look_player_run(player, &submission);
      look_player_forgive(player); /* the run with all rules says what is malformed, or endless */
      if (use->end)
         use->end(use->observer.user, player, &submission);
   }
   return found;
}

bool
why_lift_run(const struct why_question *question, const struct why_plan *plan,
             const struct why_lifted_use *use, char *error, size_t error_B)
{
   struct lift lift = { .plan = plan, .planes = use->planes };
   const struct cf_model_config config = { .threads = 0,
                                           .memory_B = CF_CAPTURE_MAX_ADDRESS,
                                           .engine = use->observer.fragment_tasks
                                                        ? CF_ENGINE_AUTO
                                                        : CF_ENGINE_INTERP,
                                           .path = CF_PATH_PLAIN,
                                           .observer = &use->observer };
   int found = -1;
   struct look_player *player = why_play(question, &config, error, error_B);
   if (!player)
      return false;
   if (put_program(player, &lift))
      found = run_submissions(&lift, question, player, use, error, error_B);
   else
      snprintf(error, error_B, "cannot assemble a program");
   look_player_close(player);
   if (use->on)
      *use->on = lift.found;
   return found == 0;
}
