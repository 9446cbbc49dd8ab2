/* SPDX-License-Identifier: MIT */
/*
 * Queries. The GPU adds or stores 64-bit results in a small buffer per query. Counting does not
 * outlive a command buffer: it is stopped at the end of a batch and resumed in the next one, with
 * the same result. Elapsed time is the difference of two timestamps, which needs no pausing.
 */
#include "clipfree_query.h"

#include "util/os_time.h"
#include "util/u_memory.h"

#include "clipfree_context.h"
#include "clipfree_screen.h"

struct cf_query_object {
   struct list_head link; /* in context->active_queries while it counts */
   enum pipe_query_type type;
   bool counts; /* has begin and end packets; false: timestamps only */
   enum cf_query_kind kind;
   struct cf_buffer *result; /* two u64: the count, or begin and end time */
   uint64_t seqno; /* of the last submission before its end: results become available in order */
};

static uint64_t *
cf_query_values(const struct cf_query_object *query)
{
   return query->result->bo.map;
}

static bool
cf_query_is_counter(unsigned type)
{
   return type >= PIPE_QUERY_DRIVER_SPECIFIC &&
          type < PIPE_QUERY_DRIVER_SPECIFIC + CF_COUNTER_COUNT;
}

static struct pipe_query *
cf_create_query(struct pipe_context *pcontext, unsigned type, unsigned index)
{
   struct cf_query_object *query = CALLOC_STRUCT(cf_query_object);
   if (!query)
      return cf_no_memory(cf_context(pcontext));

   list_inithead(&query->link);
   query->type = type;
   switch (type) {
   case PIPE_QUERY_OCCLUSION_COUNTER:
   case PIPE_QUERY_OCCLUSION_PREDICATE:
   case PIPE_QUERY_OCCLUSION_PREDICATE_CONSERVATIVE:
      query->counts = true;
      query->kind = type == PIPE_QUERY_OCCLUSION_COUNTER ? CF_QUERY_KIND_SAMPLES_PASSED
                                                         : CF_QUERY_KIND_ANY_SAMPLES;
      break;
   case PIPE_QUERY_PRIMITIVES_GENERATED:
      query->counts = true;
      query->kind = CF_QUERY_KIND_PRIMITIVES;
      break;
   case PIPE_QUERY_PRIMITIVES_EMITTED:
      query->counts = true;
      query->kind = CF_QUERY_KIND_FEEDBACK_PRIMITIVES;
      break;
   case PIPE_QUERY_TIMESTAMP:
   case PIPE_QUERY_TIME_ELAPSED:
   case PIPE_QUERY_TIMESTAMP_DISJOINT:
   case PIPE_QUERY_GPU_FINISHED:
      break;
   default:
      if (!cf_query_is_counter(type)) {
         FREE(query);
         return NULL;
      }
   }
   query->result = cf_buffer_create(cf_context(pcontext)->screen, 2 * sizeof(uint64_t));
   if (!query->result) {
      FREE(query);
      return cf_no_memory(cf_context(pcontext));
   }
   return (struct pipe_query *)query;
}

static void
cf_destroy_query(struct pipe_context *pcontext, struct pipe_query *pquery)
{
   struct cf_query_object *query = (struct cf_query_object *)pquery;
   struct cf_context *context = cf_context(pcontext);

   if (!list_is_empty(&query->link)) {
      cf_query_stop(context);
      list_del(&query->link);
   }
   cf_buffer_reference(&query->result, NULL);
   FREE(query);
}

/* ------------------------------------------------------------------ packets */

static void
cf_query_emit(struct cf_context *context, struct cf_query_object *query, enum cf_query_kind kind,
              bool begin, unsigned value)
{
   cf_batch_use(&context->batch, query->result, CF_ACCESS_WRITE | CF_ACCESS_READ);
   CF_EMIT(&context->batch, QUERY, query, .kind = kind, .begin = begin,
           .result = query->result->bo.address + value * sizeof(uint64_t));
}

unsigned
cf_query_dwords(const struct cf_context *context)
{
   return CF_QUERY_DWORDS * list_length(&context->active_queries);
}

static void
cf_query_run(struct cf_context *context, bool run)
{
   if (context->queries_running == run)
      return;
   list_for_each_entry(struct cf_query_object, query, &context->active_queries, link)
      cf_query_emit(context, query, query->kind, run, 0);
   context->queries_running = run;
}

void
cf_query_update(struct cf_context *context)
{
   cf_query_run(context, !context->queries_paused && !list_is_empty(&context->active_queries));
}

void
cf_query_stop(struct cf_context *context)
{
   cf_query_run(context, false);
}

static bool
cf_query_stamp(struct cf_context *context, struct cf_query_object *query, unsigned value)
{
   if (!cf_context_begin(context, CF_QUERY_DWORDS))
      return false;
   cf_query_emit(context, query, CF_QUERY_KIND_TIMESTAMP, false, value);
   return true;
}

/* Reset the result; if an earlier use is still pending, with new memory. */
static bool
cf_query_reset(struct cf_context *context, struct cf_query_object *query)
{
   const uint32_t any = CF_ACCESS_READ | CF_ACCESS_WRITE;

   if (cf_batch_uses(&context->batch, query->result, any) ||
       !cf_buffer_wait(query->result, any, 0)) {
      struct cf_buffer *fresh = cf_buffer_create(context->screen, 2 * sizeof(uint64_t));
      if (!fresh)
         return false;
      cf_buffer_reference(&query->result, fresh);
      cf_buffer_reference(&fresh, NULL);
   }
   cf_query_values(query)[0] = cf_query_values(query)[1] = 0;
   return true;
}

/* ------------------------------------------------------------------ begin, end, result */

/* What the GPU counts is known when it has drawn all. */
static uint64_t
cf_query_counter(struct cf_context *context, const struct cf_query_object *query)
{
   const enum cf_counter counter = query->type - PIPE_QUERY_DRIVER_SPECIFIC;
   struct cf_gpu *gpu = context->screen->gpu;

   if (cf_counter_is_of_gpu(counter))
      gpu->ops->wait(gpu, cf_context_kick(context), UINT64_MAX);
   return cf_counter_read(context, counter);
}

static bool
cf_query_is_level(const struct cf_query_object *query)
{
   return cf_counter_is_level(query->type - PIPE_QUERY_DRIVER_SPECIFIC);
}

static bool
cf_begin_query(struct pipe_context *pcontext, struct pipe_query *pquery)
{
   struct cf_context *context = cf_context(pcontext);
   struct cf_query_object *query = (struct cf_query_object *)pquery;

   if (!cf_query_reset(context, query))
      return false;
   if (cf_query_is_counter(query->type)) {
      cf_query_values(query)[0] = cf_query_counter(context, query);
      return true;
   }
   if (query->type == PIPE_QUERY_TIME_ELAPSED)
      return cf_query_stamp(context, query, 0);
   if (query->counts) {
      if (!cf_context_begin(context, cf_query_dwords(context)))
         return false;
      cf_query_stop(context);
      list_addtail(&query->link, &context->active_queries);
   }
   return true;
}

static bool
cf_end_query(struct pipe_context *pcontext, struct pipe_query *pquery)
{
   struct cf_context *context = cf_context(pcontext);
   struct cf_query_object *query = (struct cf_query_object *)pquery;

   switch (query->type) {
   case PIPE_QUERY_TIMESTAMP:
      return cf_query_reset(context, query) && cf_query_stamp(context, query, 1);
   case PIPE_QUERY_TIME_ELAPSED:
      return cf_query_stamp(context, query, 1);
   case PIPE_QUERY_GPU_FINISHED:
      query->seqno = cf_context_kick(context);
      return true;
   default:
      if (cf_query_is_counter(query->type))
         cf_query_values(query)[1] = cf_query_counter(context, query);
      if (!list_is_empty(&query->link)) {
         cf_query_stop(context); /* cf_context_begin has reserved room for its packets */
         list_delinit(&query->link);
         cf_batch_use(&context->batch, query->result, CF_ACCESS_WRITE);
         query->seqno = context->batch.last_seqno;
      }
      return true;
   }
}

static void
cf_query_result(const struct cf_query_object *query, union pipe_query_result *result)
{
   const uint64_t *value = cf_query_values(query);

   switch (query->type) {
   case PIPE_QUERY_OCCLUSION_PREDICATE:
   case PIPE_QUERY_OCCLUSION_PREDICATE_CONSERVATIVE:
      result->b = value[0] != 0;
      break;
   case PIPE_QUERY_TIMESTAMP:
      result->u64 = value[1];
      break;
   case PIPE_QUERY_TIME_ELAPSED:
      result->u64 = value[1] - value[0];
      break;
   case PIPE_QUERY_TIMESTAMP_DISJOINT:
      result->timestamp_disjoint.frequency = UINT64_C(1000000000);
      result->timestamp_disjoint.disjoint = false;
      break;
   case PIPE_QUERY_GPU_FINISHED:
      result->b = true;
      break;
   default:
      if (!cf_query_is_counter(query->type))
         result->u64 = value[0];
      else
         result->u64 = value[1] - (cf_query_is_level(query) ? 0 : value[0]);
   }
}

static bool
cf_get_query_result(struct pipe_context *pcontext, struct pipe_query *pquery, bool wait,
                    union pipe_query_result *result)
{
   struct cf_context *context = cf_context(pcontext);
   struct cf_query_object *query = (struct cf_query_object *)pquery;
   struct cf_gpu *gpu = context->screen->gpu;
   const uint64_t timeout_ns = wait ? UINT64_MAX : 0;

   if (cf_batch_uses(&context->batch, query->result, CF_ACCESS_WRITE))
      cf_context_submit(context);
   if (!wait) /* a program that looks again and again expects progress */
      gpu->ops->kick(gpu);
   if (query->seqno && !gpu->ops->wait(gpu, query->seqno, timeout_ns))
      return false;
   if (!cf_buffer_wait(query->result, CF_ACCESS_WRITE, timeout_ns))
      return false;
   cf_reset_check(context);
   cf_query_result(query, result);
   return true;
}

static void
cf_set_active_query_state(struct pipe_context *pcontext, bool enable)
{
   struct cf_context *context = cf_context(pcontext);
   context->queries_paused = !enable;
}

/* ------------------------------------------------------------------ conditional rendering */

static void
cf_render_condition(struct pipe_context *pcontext, struct pipe_query *pquery, bool condition,
                    enum pipe_render_cond_flag mode)
{
   struct cf_context *context = cf_context(pcontext);
   context->render_condition = (struct cf_render_condition){
      .query = (struct cf_query_object *)pquery,
      .condition = condition,
      .mode = mode,
   };
}

static bool
cf_condition_waits(const struct cf_render_condition *condition)
{
   return condition->mode == PIPE_RENDER_COND_WAIT ||
          condition->mode == PIPE_RENDER_COND_BY_REGION_WAIT;
}

bool
cf_query_condition_passes(struct cf_context *context)
{
   struct cf_query_object *query = context->render_condition.query;
   const bool wait = cf_condition_waits(&context->render_condition);

   if (!query)
      return true;
   union pipe_query_result result = { 0 }; /* large, so not initialised for each draw */
   if (!cf_get_query_result(&context->base, (struct pipe_query *)query, wait, &result))
      return true;
   const bool passed = query->kind == CF_QUERY_KIND_ANY_SAMPLES ? result.b : result.u64 != 0;
   return passed != context->render_condition.condition;
}

/* A capture has no conditions: its draws can be run alone, when no query counts. */
bool
cf_query_condition_is_open(const struct cf_context *context)
{
   const struct cf_render_condition *condition = &context->render_condition;
   return condition->query && cf_condition_waits(condition) && !condition->passes &&
          !context->notes;
}

bool
cf_query_condition_may_pass(struct cf_context *context)
{
   const struct cf_query_object *query = context->render_condition.query;
   if (cf_query_condition_is_open(context) &&
       (cf_batch_uses(&context->batch, query->result, CF_ACCESS_WRITE) ||
        !cf_buffer_wait(query->result, CF_ACCESS_WRITE, 0)))
      return true;
   const bool passes = cf_query_condition_passes(context);
   context->render_condition.passes = passes && cf_query_condition_is_open(context);
   return passes;
}

void
cf_query_send_condition(struct cf_context *context)
{
   const struct cf_render_condition *condition = &context->render_condition;
   struct cf_buffer *result = cf_query_condition_is_open(context) ? condition->query->result : NULL;
   const bool inverted = result && condition->condition;
   if (context->condition_sent.result == result && context->condition_sent.inverted == inverted)
      return;
   if (result)
      cf_batch_use(&context->batch, result, CF_ACCESS_READ);
   CF_EMIT(&context->batch, CONDITION, condition, .result = result ? result->bo.address : 0,
           .inverted = inverted);
   context->condition_sent.result = result;
   context->condition_sent.inverted = inverted;
}

void
cf_context_init_queries(struct cf_context *context)
{
   list_inithead(&context->active_queries);
   context->base.create_query = cf_create_query;
   context->base.destroy_query = cf_destroy_query;
   context->base.begin_query = cf_begin_query;
   context->base.end_query = cf_end_query;
   context->base.get_query_result = cf_get_query_result;
   context->base.set_active_query_state = cf_set_active_query_state;
   context->base.render_condition = cf_render_condition;
}
