/* SPDX-License-Identifier: MIT */
/*
 * Resets. An endless shader, work that takes too long, or a malformed command buffer, makes one
 * submission fail; all others are executed. Only the context that submitted it reports a reset
 * (GL_KHR_robustness: guilty), once. A context polls the GPU's reports at each of its submissions;
 * if more than CF_REPORTS arrived since the last poll, the oldest are lost.
 */
#include "clipfree_reset.h"

#include "util/u_debug.h"
#include "util/u_math.h"

#include "clipfree/interface/cf_forked.h"

#include "clipfree_context.h"
#include "clipfree_screen.h"

/* Of a context that asks to lose its state by a reset: it runs what others wrote. */
#define CF_UNTRUSTED_LIMIT_NS (1500 * UINT64_C(1000000))

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

/* What is no reset is lack of memory: a patch of ours to Mesa makes it GL_OUT_OF_MEMORY
 * (st-mesa-work-dropped-for-lack-of-memory-is-an-error.patch). */
static void
cf_reset_tell_memory(struct cf_context *context)
{
   const struct pipe_device_reset_callback *callback = &context->resets.callback;
   if (callback->reset)
      callback->reset(callback->data, PIPE_NO_RESET);
}

/* Forward a report on this context's work to the debug callback; a failure also becomes the reset
 * status. */
static void
cf_reset_forward(struct cf_context *context, const struct cf_report *report)
{
   if (!cf_reset_is_own(&context->resets, report->seqno))
      return;
   if (report->kind == CF_REPORT_WARNING)
      util_debug_message(&context->base.debug, CONFORMANCE, "clipfree: %s", report->text);
   if (report->kind == CF_REPORT_PRINT)
      util_debug_message(&context->base.debug, SHADER_INFO, "%s", report->text);
   if (report->kind == CF_REPORT_SLOW)
      util_debug_message(&context->base.debug, PERF_INFO, "clipfree: slow: %s", report->text);
   if (report->kind != CF_REPORT_FAILURE && report->kind != CF_REPORT_OUT_OF_MEMORY)
      return;
   context->resets.guilty = true;
   if (report->kind == CF_REPORT_OUT_OF_MEMORY)
      cf_reset_tell_memory(context);
   util_debug_message(&context->base.debug, ERROR, "clipfree: the GPU stopped: %s",
                      report->text);
}

void
cf_reset_check(struct cf_context *context)
{
   struct cf_gpu *gpu = context->screen->gpu;
   struct cf_reset_log *log = &context->resets;
   const uint64_t count = gpu->ops->get_param(gpu, CF_PARAM_REPORTS);
   struct cf_report report;

   if (log->reports_read + CF_REPORTS < count)
      log->reports_read = count - CF_REPORTS;
   while (log->reports_read < count) {
      if (gpu->ops->report(gpu, ++log->reports_read, &report))
         cf_reset_forward(context, &report);
   }
}

void
cf_reset_note_memory(struct cf_context *context)
{
   if (!context->batch.out_of_memory || !context->resets.callback.reset)
      return; /* while the context is made there is nobody to tell: it fails */
   context->batch.out_of_memory = false;
   cf_reset_tell_memory(context);
   util_debug_message(&context->base.debug, ERROR, "clipfree: out of memory, work was dropped");
}

void *
cf_no_memory(struct cf_context *context)
{
   context->batch.out_of_memory = true;
   cf_reset_note_memory(context);
   return NULL;
}

static void
cf_set_device_reset_callback(struct pipe_context *pcontext,
                             const struct pipe_device_reset_callback *callback)
{
   const struct pipe_device_reset_callback none = { NULL };
   cf_context(pcontext)->resets.callback = callback ? *callback : none;
}

static enum pipe_reset_status
cf_get_device_reset_status(struct pipe_context *pcontext)
{
   struct cf_context *context = cf_context(pcontext);

   if (cf_forked_is_lost(context->screen->gpu))
      return PIPE_UNKNOWN_CONTEXT_RESET;
   cf_reset_check(context);
   const bool guilty = context->resets.guilty;
   context->resets.guilty = false;
   return guilty ? PIPE_GUILTY_CONTEXT_RESET : PIPE_NO_RESET;
}

uint64_t
cf_reset_limit_ns(struct cf_screen *screen, unsigned flags)
{
   const uint64_t wanted_ns = screen->gpu->ops->get_param(screen->gpu, CF_PARAM_TIME_LIMIT_NS);
   if (wanted_ns)
      return wanted_ns == CF_NO_TIME_LIMIT ? 0 : wanted_ns;
   return flags & PIPE_CONTEXT_LOSE_CONTEXT_ON_RESET ? CF_UNTRUSTED_LIMIT_NS : 0;
}

void
cf_context_init_reset(struct cf_context *context)
{
   struct cf_gpu *gpu = context->screen->gpu;
   context->resets.reports_read = gpu->ops->get_param(gpu, CF_PARAM_REPORTS);
   context->base.get_device_reset_status = cf_get_device_reset_status;
   context->base.set_device_reset_callback = cf_set_device_reset_callback;
}
