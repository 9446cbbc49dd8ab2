/* SPDX-License-Identifier: MIT */
/*
 * Fences and flushing.
 */
#include "clipfree_fence.h"

#include "util/u_memory.h"

#include "clipfree_context.h"
#include "clipfree_present.h"
#include "clipfree_samples.h"
#include "clipfree_screen.h"

struct pipe_fence_handle {
   struct pipe_reference reference;
   uint64_t seqno; /* 0: nothing to wait for */
};

static void
cf_fence_reference(struct pipe_screen *pscreen, struct pipe_fence_handle **pointer,
                   struct pipe_fence_handle *fence)
{
   struct pipe_fence_handle *old = *pointer;
   if (pipe_reference(old ? &old->reference : NULL, fence ? &fence->reference : NULL))
      FREE(old);
   *pointer = fence;
}

static bool
cf_fence_finish(struct pipe_screen *pscreen, struct pipe_context *pcontext,
                struct pipe_fence_handle *fence, uint64_t timeout_ns)
{
   struct cf_gpu *gpu = cf_screen(pscreen)->gpu;
   if (timeout_ns == 0) /* a program that polls expects progress */
      gpu->ops->kick(gpu);
   return !fence || !fence->seqno || gpu->ops->wait(gpu, fence->seqno, timeout_ns);
}

static void
cf_flush(struct pipe_context *pcontext, struct pipe_fence_handle **fence, unsigned flags)
{
   struct cf_context *context = cf_context(pcontext);

   /* swaps wait for the fence before presenting
    * (drisw-a-swap-is-one-flush-and-says-that-it-ends-a-frame.patch) */
   const bool ends_frame = flags & PIPE_FLUSH_END_OF_FRAME;
   const bool waits = (ends_frame && fence) || (flags & PIPE_FLUSH_HINT_FINISH);
   cf_samples_store(context); /* may render to the presented resource */
   if (ends_frame)
      cf_present_prepare(context);
   const uint64_t seqno = waits ? cf_context_submit(context) : cf_context_kick(context);
   if (flags & PIPE_FLUSH_HINT_FINISH) { /* the caller waits next, but not with this context */
      context->screen->gpu->ops->wait(context->screen->gpu, seqno, UINT64_MAX);
      cf_reset_check(context);
   }
   if (ends_frame)
      cf_present_end_frame(context);

   if (!fence)
      return;
   struct pipe_fence_handle *created = CALLOC_STRUCT(pipe_fence_handle);
   if (created) {
      pipe_reference_init(&created->reference, 1);
      created->seqno = seqno;
   } else if (seqno) { /* no fence is one that has been passed */
      context->screen->gpu->ops->wait(context->screen->gpu, seqno, UINT64_MAX);
   }
   cf_fence_reference(pcontext->screen, fence, NULL);
   *fence = created;
}

/* Nothing to do: submissions run in order, so later ones come after the fence anyway. */
static void
cf_fence_server_sync(struct pipe_context *pcontext, struct pipe_fence_handle *fence)
{
}

void
cf_screen_init_fences(struct cf_screen *screen)
{
   screen->base.fence_reference = cf_fence_reference;
   screen->base.fence_finish = cf_fence_finish;
}

void
cf_context_init_fences(struct cf_context *context)
{
   context->base.flush = cf_flush;
   context->base.fence_server_sync = cf_fence_server_sync;
}
