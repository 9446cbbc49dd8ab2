/* SPDX-License-Identifier: MIT */
/*
 * Resets. A shader that never ends, or a malformed command buffer, makes the GPU give up one
 * submission; the others go on. Only the context that made it is told (GL_KHR_robustness: guilty),
 * once. Of several failures between two looks only the last is seen.
 */
#include "clipfree_reset.h"

#include "util/u_debug.h"
#include "util/u_math.h"

#include "clipfree_context.h"
#include "clipfree_screen.h"

void
cf_reset_note(struct cf_context *context, uint64_t seqno)
{
   struct cf_reset_log *log = &context->resets;
   log->own[log->count++ % CF_RESET_MEMORY] = seqno;
}

static bool
cf_reset_is_own(const struct cf_reset_log *log, uint64_t seqno)
{
   const uint64_t known = MIN2(log->count, CF_RESET_MEMORY);
   for (uint64_t i = 1; i <= known; i++) {
      if (log->own[(log->count - i) % CF_RESET_MEMORY] == seqno)
         return true;
   }
   return false;
}

static void
cf_reset_check_warnings(struct cf_context *context)
{
   struct cf_gpu *gpu = context->screen->gpu;
   struct cf_reset_log *log = &context->resets;
   const uint64_t warned = gpu->ops->get_param(gpu, CF_PARAM_WARNED_SEQNO);
   char text[512];

   if (warned == log->warned_seen)
      return;
   log->warned_seen = warned;
   if (!cf_reset_is_own(log, warned))
      return;
   gpu->ops->last_warning(gpu, text, sizeof(text));
   util_debug_message(&context->base.debug, CONFORMANCE, "clipfree: %s", text);
}

void
cf_reset_check(struct cf_context *context)
{
   cf_reset_check_warnings(context);

   struct cf_gpu *gpu = context->screen->gpu;
   struct cf_reset_log *log = &context->resets;
   const uint64_t failed = gpu->ops->get_param(gpu, CF_PARAM_FAILED_SEQNO);
   char text[512];

   if (failed == log->seen)
      return;
   log->seen = failed;
   if (!cf_reset_is_own(log, failed))
      return;
   log->guilty = true;
   gpu->ops->last_error(gpu, text, sizeof(text));
   util_debug_message(&context->base.debug, ERROR, "clipfree: the GPU gave up work: %s", text);
}

static enum pipe_reset_status
cf_get_device_reset_status(struct pipe_context *pcontext)
{
   struct cf_context *context = cf_context(pcontext);

   cf_reset_check(context);
   const bool guilty = context->resets.guilty;
   context->resets.guilty = false;
   return guilty ? PIPE_GUILTY_CONTEXT_RESET : PIPE_NO_RESET;
}

void
cf_context_init_reset(struct cf_context *context)
{
   struct cf_gpu *gpu = context->screen->gpu;
   context->resets.seen = gpu->ops->get_param(gpu, CF_PARAM_FAILED_SEQNO);
   context->resets.warned_seen = gpu->ops->get_param(gpu, CF_PARAM_WARNED_SEQNO);
   context->base.get_device_reset_status = cf_get_device_reset_status;
}
