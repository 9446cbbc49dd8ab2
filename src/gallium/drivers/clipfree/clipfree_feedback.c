/* SPDX-License-Identifier: MIT */
#include "clipfree_feedback.h"

#include "compiler/nir/nir.h"
#include "compiler/nir/nir_xfb_info.h"
#include "util/u_inlines.h"
#include "util/u_memory.h"

#include "clipfree_context.h"
#include "clipfree_resource.h"
#include "clipfree_screen.h"

struct cf_feedback_target {
   struct pipe_stream_output_target base;
   struct cf_buffer *filled; /* a u64, bytes written; the GPU counts in it */
   uint32_t stride_B;        /* of a vertex of the last draw */
   bool restart;             /* the next draw begins at its first byte */
};

static struct cf_feedback_target *
cf_feedback_target(struct pipe_stream_output_target *target)
{
   return (struct cf_feedback_target *)target;
}

/* ------------------------------------------------------------------ targets */

static struct pipe_stream_output_target *
cf_create_target(struct pipe_context *pcontext, struct pipe_resource *buffer, unsigned offset_B,
                 unsigned size_B)
{
   struct cf_feedback_target *target = CALLOC_STRUCT(cf_feedback_target);
   if (!target)
      return cf_no_memory(cf_context(pcontext));
   target->filled = cf_buffer_create(cf_context(pcontext)->screen, sizeof(uint64_t));
   if (!target->filled) {
      FREE(target);
      return cf_no_memory(cf_context(pcontext));
   }
   pipe_reference_init(&target->base.reference, 1);
   pipe_resource_reference(&target->base.buffer, buffer);
   target->base.context = pcontext;
   target->base.buffer_offset = offset_B;
   target->base.buffer_size = size_B;
   return &target->base;
}

static void
cf_destroy_target(struct pipe_context *pcontext, struct pipe_stream_output_target *ptarget)
{
   cf_buffer_reference(&cf_feedback_target(ptarget)->filled, NULL);
   pipe_resource_reference(&ptarget->buffer, NULL);
   FREE(ptarget);
}

/* offsets[i] is 0, or UINT_MAX to go on where the target's last draw ended. A restart belongs to
 * the target: blits and pauses may come before the draw that obeys it. */
static void
cf_set_targets(struct pipe_context *pcontext, unsigned count,
               struct pipe_stream_output_target **targets, const unsigned *offsets,
               enum mesa_prim output_prim)
{
   struct cf_context *context = cf_context(pcontext);
   struct cf_feedback_bindings *bindings = &context->feedback;
   for (unsigned i = 0; i < CF_FEEDBACK_BUFFERS; i++) {
      pipe_so_target_reference(&bindings->target[i], i < count ? targets[i] : NULL);
      if (bindings->target[i] && offsets[i] != UINT_MAX)
         cf_feedback_target(bindings->target[i])->restart = true;
   }
   bindings->count = count;
   bindings->prim = output_prim;
   context->dirty |= CF_DIRTY_FEEDBACK;
}

void
cf_feedback_unbind(struct cf_context *context)
{
   cf_set_targets(&context->base, 0, NULL, NULL, 0);
}

/* ------------------------------------------------------------------ the packet */

/* The first dword of a location in a vertex record; -1: the program does not write it. */
static int
cf_record_dword(const struct cf_binary *binary, unsigned location)
{
   if (location == VARYING_SLOT_POS)
      return 0;
   if (location == VARYING_SLOT_PSIZ)
      return CF_OUTPUT_POINT_SIZE;
   if (location == VARYING_SLOT_LAYER && binary->writes_layer)
      return CF_OUTPUT_LAYER;
   for (unsigned k = 0; k < binary->varying_slots; k++) {
      if (binary->location[k] == location)
         return CF_OUTPUT_VARYINGS + 4 * k;
   }
   return -1;
}

/* Describe what the shader feeds back to bound targets. Returns the number of outputs. */
static unsigned
cf_feedback_outputs(const struct cf_feedback_bindings *bindings, const nir_xfb_info *info,
                    const struct cf_binary *binary,
                    struct cf_feedback_output output[CF_MAX_VARYING_DWORDS])
{
   unsigned count = 0;
   for (unsigned i = 0; i < info->output_count && count < CF_MAX_VARYING_DWORDS; i++) {
      const nir_xfb_output_info *out = &info->outputs[i];
      const int first = cf_record_dword(binary, out->location);
      if (first < 0 || out->buffer >= bindings->count || !bindings->target[out->buffer])
         continue;
      output[count++] = (struct cf_feedback_output){
         /* a point size, or a layer, is one component, whatever it is called */
         .first = first + (first < CF_OUTPUT_VARYINGS && first > 0 ? 0 : out->component_offset),
         .dwords = util_bitcount(out->component_mask),
         .buffer = out->buffer,
         .offset_dw = out->offset / 4,
      };
   }
   return count;
}

/* The buffer's part of the packet. */
static void
cf_feedback_buffer(struct cf_context *context, unsigned i, const nir_xfb_info *info,
                   struct cf_feedback *packet)
{
   struct cf_feedback_target *target = cf_feedback_target(context->feedback.target[i]);
   struct cf_resource *resource = cf_resource(target->base.buffer);
   const uint32_t begin_B = MIN2(target->base.buffer_offset, resource->base.width0);
   const uint32_t size_B = MIN2(target->base.buffer_size, resource->base.width0 - begin_B);
   const struct cf_buffer *buffer = cf_resource_use(&context->batch, resource, CF_ACCESS_WRITE);
   cf_batch_use(&context->batch, target->filled, CF_ACCESS_READ | CF_ACCESS_WRITE);
   util_range_add(&resource->base, &resource->valid, begin_B, begin_B + size_B);
   packet->address[i] = buffer->bo.address + begin_B;
   packet->size_B[i] = size_B;
   packet->filled[i] = target->filled->bo.address;
   packet->stride_dw[i] = info->buffers[i].stride / 4;
   packet->restart |= target->restart ? BITFIELD_BIT(i) : 0;
   target->stride_B = info->buffers[i].stride;
   target->restart = false;
}

bool
cf_emit_feedback(struct cf_context *context, const struct nir_shader *nir,
                 const struct cf_variant *variant)
{
   struct cf_feedback_bindings *bindings = &context->feedback;
   struct cf_feedback_output output[CF_MAX_VARYING_DWORDS];
   uint32_t dw[CF_MAX_VARYING_DWORDS * CF_FEEDBACK_OUTPUT_DWORDS];
   struct cf_feedback packet = { 0 };
   const nir_xfb_info *info = nir->xfb_info;

   if (bindings->count && info)
      packet.outputs = cf_feedback_outputs(bindings, info, variant->binary, output);
   if (packet.outputs == 0 && !bindings->sent)
      return true;
   for (unsigned i = 0; i < packet.outputs; i++)
      cf_feedback_output_pack(dw + i * CF_FEEDBACK_OUTPUT_DWORDS, &output[i]);
   if (packet.outputs) {
      packet.output_address = cf_batch_upload_once(
         &context->batch, dw, 4 * packet.outputs * CF_FEEDBACK_OUTPUT_DWORDS);
      if (!packet.output_address)
         return false;
      for (unsigned i = 0; i < bindings->count; i++) {
         if (bindings->target[i])
            cf_feedback_buffer(context, i, info, &packet);
      }
   }
   cf_feedback_pack(context->batch.dw, &packet);
   context->batch.dw += CF_FEEDBACK_DWORDS;
   bindings->sent = packet.outputs > 0;
   return true;
}

uint32_t
cf_feedback_vertices(struct cf_context *context, struct pipe_stream_output_target *ptarget)
{
   const struct cf_feedback_target *target = cf_feedback_target(ptarget);
   if (cf_batch_uses(&context->batch, target->filled, CF_ACCESS_WRITE))
      cf_context_submit(context);
   if (target->restart || !target->stride_B ||
       !cf_buffer_wait(target->filled, CF_ACCESS_WRITE, UINT64_MAX))
      return 0;
   return *(const uint64_t *)target->filled->bo.map / target->stride_B;
}

void
cf_context_init_feedback(struct cf_context *context)
{
   context->base.create_stream_output_target = cf_create_target;
   context->base.stream_output_target_destroy = cf_destroy_target;
   context->base.set_stream_output_targets = cf_set_targets;
}
