/* SPDX-License-Identifier: MIT */
/*
 * The context: creation, submission, and texture barriers.
 */
#include "clipfree_context.h"

#include "util/u_blitter.h"
#include "util/u_framebuffer.h"
#include "util/u_memory.h"
#include "util/u_upload_mgr.h"

#include "clipfree/interface/cf_context_flags.h"
#include "clipfree/interface/cf_forked.h"

#include "clipfree_fence.h"
#include "clipfree_query.h"
#include "clipfree_resource.h"
#include "clipfree_screen.h"

/* ------------------------------------------------------------------ submission */

/* A new batch starts from the GPU's reset state: send everything again. */
static void
cf_context_forget_state(struct cf_context *context)
{
   context->dirty = CF_DIRTY_ALL;
   context->feedback.sent = false;
   context->condition_sent.result = NULL;
   for (unsigned stage = 0; stage < CF_STAGES; stage++) {
      context->stage[stage].constants_dirty = context->stage[stage].constants_bound;
      context->stage[stage].units_sent = 0;
   }
}

uint64_t
cf_context_submit(struct cf_context *context)
{
   struct cf_batch *batch = &context->batch;

   if (!cf_batch_is_empty(batch))
      cf_query_stop(context);
   const uint64_t id = batch->id;
   const uint64_t seqno = cf_batch_submit(batch);
   if (batch->id != id) {
      cf_context_forget_state(context);
      cf_reset_note(context, seqno);
      context->counters[CF_COUNTER_SUBMISSIONS]++;
      cf_reset_check(context);
   }
   cf_reset_note_memory(context);
   return seqno;
}

uint64_t
cf_context_kick(struct cf_context *context)
{
   struct cf_gpu *gpu = context->screen->gpu;
   const uint64_t seqno = cf_context_submit(context);
   gpu->ops->kick(gpu);
   return seqno;
}

bool
cf_context_begin(struct cf_context *context, uint32_t dwords)
{
   if (context->batch.out_of_memory)
      cf_reset_note_memory(context);
   /* reserve room for pausing and resuming queries */
   const uint32_t needed = dwords + 2 * cf_query_dwords(context);
   if (!cf_batch_has_room(&context->batch, needed))
      cf_context_kick(context);
   return cf_batch_has_room(&context->batch, needed);
}

static void
cf_set_debug_callback(struct pipe_context *pcontext, const struct util_debug_callback *callback)
{
   if (callback)
      pcontext->debug = *callback;
   else
      memset(&pcontext->debug, 0, sizeof(pcontext->debug));
}

/* Texture barrier: later draws may sample what earlier draws rendered to the same frame buffer. A
 * submission ends the pass, passes run in order, and textures are resolved before they are
 * sampled. */
static void
cf_texture_barrier(struct pipe_context *pcontext, unsigned flags)
{
   cf_context_kick(cf_context(pcontext));
}

/* Nothing to do: CPU and GPU share memory, and the GPU runs packets in order. */
static void
cf_memory_barrier(struct pipe_context *pcontext, unsigned flags)
{
}

/* ------------------------------------------------------------------ life */

static void
cf_context_unbind(struct cf_context *context)
{
   util_unreference_framebuffer_state(&context->framebuffer);
   pipe_resource_reference(&context->last_presented, NULL);
   cf_feedback_unbind(context);
   for (unsigned i = 0; i < ARRAY_SIZE(context->vertex_buffers); i++)
      pipe_vertex_buffer_unreference(&context->vertex_buffers[i]);
   for (unsigned stage = 0; stage < CF_STAGES; stage++) {
      struct cf_stage_bindings *bindings = &context->stage[stage];
      for (unsigned i = 0; i < ARRAY_SIZE(bindings->views); i++)
         pipe_sampler_view_reference(&bindings->views[i], NULL);
      for (unsigned i = 0; i < ARRAY_SIZE(bindings->constants); i++)
         pipe_resource_reference(&bindings->constants[i].buffer, NULL);
   }
}

static void
cf_context_destroy(struct pipe_context *pcontext)
{
   struct cf_context *context = cf_context(pcontext);

   pcontext->set_device_reset_callback(pcontext, NULL); /* Mesa's context is gone */
   if (context->blitter)
      util_blitter_destroy(context->blitter);
   if (context->batch.access && context->batch.commands)
      cf_context_kick(context);
   cf_context_unbind(context);
   if (pcontext->stream_uploader)
      u_upload_destroy(pcontext->stream_uploader);
   cf_batch_fini(&context->batch);
   cf_context_fini_notes(context);
   slab_destroy_child(&context->transfer_pool);
   p_atomic_dec(&context->screen->base.num_contexts);
   FREE(context);
}

static void
cf_context_init_functions(struct cf_context *context)
{
   context->base.destroy = cf_context_destroy;
   context->base.set_debug_callback = cf_set_debug_callback;
   context->base.texture_barrier = cf_texture_barrier;
   context->base.memory_barrier = cf_memory_barrier;
   cf_context_init_state(context);
   cf_context_init_bindings(context);
   cf_context_init_programs(context);
   cf_context_init_resources(context);
   cf_context_init_transfers(context);
   cf_context_init_draw(context);
   cf_context_init_notes(context);
   cf_context_init_blit(context);
   cf_context_init_queries(context);
   cf_context_init_feedback(context);
   cf_context_init_fences(context);
   cf_context_init_reset(context);
}

struct pipe_context *
cf_context_create(struct pipe_screen *pscreen, void *priv, unsigned flags)
{
   if (cf_forked_is_lost(cf_screen(pscreen)->gpu))
      return NULL;
   struct cf_context *context = CALLOC_STRUCT(cf_context);
   if (!context)
      return NULL;

   context->screen = cf_screen(pscreen);
   context->base.screen = pscreen;
   context->base.priv = priv;
   context->sample_mask = ~0u;
   context->magnify_to_zero = flags & CF_CONTEXT_MAGNIFY_TO_ZERO;
   p_atomic_inc(&pscreen->num_contexts);
   cf_context_init_functions(context);
   cf_context_forget_state(context);

   const bool ready = cf_batch_init(&context->batch, context->screen);
   context->batch.limit_ns = cf_reset_limit_ns(context->screen, flags);
   context->base.stream_uploader = u_upload_create_default(&context->base);
   context->base.const_uploader = context->base.stream_uploader;
   context->blitter = ready ? util_blitter_create(&context->base) : NULL;
   if (!ready || !context->base.stream_uploader || !context->blitter ||
       context->batch.out_of_memory) {
      cf_context_destroy(&context->base);
      return NULL;
   }
   return &context->base;
}
