/* SPDX-License-Identifier: MIT */
/*
 * The engine's thread and its queue of jobs. A thread whose compilation does not come to an end is
 * left where it is, and another one goes on.
 */
#include "clipfree/jit/cf_jit_job.h"

#include <stdlib.h>
#include <time.h>

#include "clipfree/base/cf_host.h"
#include "clipfree/jit/cf_jit_cache.h"
#include "clipfree/shader/cf_decoded.h"

#define MOMENT_NS 100000000u /* between two looks at a compilation that somebody waits for */

/* Append to the queue; the thread is running. With the lock. */
static void
append(struct cf_jit_job *job, enum cf_jit_state state)
{
   struct cf_jit *jit = job->jit;
   job->state = state;
   job->queued = true;
   job->next = NULL;
   *jit->last = job;
   jit->last = &job->next;
   pthread_cond_signal(&jit->wake);
}

/* Whether it became hot before its cache lookup. `runs` may be negative for a moment, when a run is
 * uncounted (cf_jit_job_skip_run) before it is counted. */
static bool
is_hot(const struct cf_jit_job *job)
{
   const int runs = (int)atomic_load_explicit(&job->runs, memory_order_relaxed);
   return runs >= 0 && (unsigned)runs >= job->hot;
}

/* Take the first job from the queue. With the lock. */
static struct cf_jit_job *
take_job(struct cf_jit *jit)
{
   struct cf_jit_job *job = jit->first;
   jit->first = job->next;
   if (!jit->first)
      jit->last = &jit->first;
   job->queued = false;
   jit->busy = job;
   return job;
}

/* The job that the thread worked on is done. With the lock. */
static void
finish_job(struct cf_jit *jit, enum cf_jit_state state, const struct cf_jit_counts *counts)
{
   struct cf_jit_job *job = jit->busy;
   job->state = state;
   jit->counts.compiled += counts->compiled;
   jit->counts.loaded += counts->loaded;
   jit->counts.failed += counts->failed;
   jit->busy = NULL;
   if (state == CF_JIT_COLD && !job->ends && is_hot(job))
      append(job, CF_JIT_HOT);
   pthread_cond_broadcast(&jit->done);
}

static void *
run_thread(void *data)
{
   struct cf_jit_worker *worker = data;
   struct cf_jit *jit = worker->jit;
   /* not at a lower priority: the sooner code is there, the less is interpreted, which takes
    * several times as long */
   if (!jit->cache && jit->cache_path)
      jit->cache = cf_jit_cache_open(jit->cache_path, jit->config.cache_B);
   pthread_mutex_lock(&jit->lock);
   while (!jit->stop) {
      if (!jit->first) {
         pthread_cond_wait(&jit->wake, &jit->lock);
         continue;
      }
      struct cf_jit_counts counts = { 0 };
      struct cf_jit_job *job = take_job(jit);
      pthread_mutex_unlock(&jit->lock);
      const enum cf_jit_state state = cf_jit_worker_do(worker, job, &counts);
      if (cf_jit_worker_is_left(worker)) {
         free(worker); /* all else is others' */
         return NULL;
      }
      pthread_mutex_lock(&jit->lock);
      finish_job(jit, state, &counts);
   }
   worker->ended = true;
   pthread_cond_broadcast(&jit->done);
   pthread_mutex_unlock(&jit->lock);
   return NULL;
}

/* False: the host makes no thread, or all was opened for a sandbox, where clone may end the
 * process, and the thread that was opened is lost in LLVM. With the lock. */
static bool
start_thread(struct cf_jit *jit)
{
   const bool is_sealed = jit->config.warm_up == CF_WARM_UP_ALL && jit->was_left;
   struct cf_jit_worker *worker = is_sealed ? NULL : calloc(1, sizeof(*worker));
   if (!worker)
      return false;
   worker->jit = jit;
   atomic_init(&worker->phase, CF_JIT_ENDED);
   if (cf_thread_start_named(&worker->thread, run_thread, worker, "clipfree-jit"))
      jit->worker = worker;
   else
      free(worker);
   return jit->worker;
}

/* Nobody takes what is queued: it settles without code. With the lock. */
static void
settle_queue(struct cf_jit *jit)
{
   for (const struct cf_jit_counts failed = { .failed = 1 }; jit->first;) {
      struct cf_jit_job *job = take_job(jit);
      atomic_store_explicit(&job->refused, true, memory_order_relaxed);
      finish_job(jit, CF_JIT_SETTLED, &failed);
   }
}

/* Leave a compilation that takes too long. Its job settles without code, its thread is on its own,
 * and another one goes on with the queue. With the lock. */
static void
leave_endless(struct cf_jit *jit)
{
   struct cf_jit_worker *worker = jit->worker;
   const pthread_t thread = worker ? worker->thread : 0;
   if (!jit->busy || !cf_jit_worker_leave(worker))
      return;
   pthread_detach(thread);
   jit->worker = NULL;
   jit->was_left = true;
   atomic_store_explicit(&jit->busy->refused, true, memory_order_relaxed);
   finish_job(jit, CF_JIT_SETTLED, &(struct cf_jit_counts){ .failed = 1 });
   if (jit->first && !jit->stop && !start_thread(jit))
      settle_queue(jit);
}

/* Wait until the thread has done something, or for a moment, in which it may have taken too long.
 * With the lock. */
static void
wait_done(struct cf_jit *jit)
{
   const uint64_t until_ns = cf_time_ns() + MOMENT_NS;
   const struct timespec until = { .tv_sec = (time_t)(until_ns / 1000000000u),
                                   .tv_nsec = (long)(until_ns % 1000000000u) };
   pthread_cond_clockwait(&jit->done, &jit->lock, CLOCK_MONOTONIC, &until);
   leave_endless(jit);
}

/* ---- jobs ---- */

/* Append to the queue, starting the thread if necessary; if that fails, the job settles without
 * code. With the lock. */
static void
enqueue(struct cf_jit_job *job, enum cf_jit_state state)
{
   struct cf_jit *jit = job->jit;
   if (!jit->worker && !start_thread(jit)) {
      atomic_store_explicit(&job->refused, true, memory_order_relaxed);
      job->state = CF_JIT_SETTLED;
      return;
   }
   append(job, state);
}

static void
unqueue(struct cf_jit_job *job)
{
   struct cf_jit *jit = job->jit;
   struct cf_jit_job **link = &jit->first;
   while (*link != job)
      link = &(*link)->next;
   *link = job->next;
   if (!job->next)
      jit->last = link;
   job->queued = false;
}

static void
wait_settled(struct cf_jit_job *job)
{
   pthread_mutex_lock(&job->jit->lock);
   if (job->state == CF_JIT_UNUSED)
      enqueue(job, CF_JIT_WAITS);
   while (job->state != CF_JIT_SETTLED)
      wait_done(job->jit);
   pthread_mutex_unlock(&job->jit->lock);
}

/* Every `hot`-th run without code queues a cold job for compilation, or sees that it takes too
 * long. */
void
cf_jit_job_count(struct cf_jit_job *job, unsigned runs)
{
   const unsigned before = atomic_fetch_add_explicit(&job->runs, runs, memory_order_relaxed);
   if (before % job->hot + runs < job->hot)
      return;
   pthread_mutex_lock(&job->jit->lock);
   leave_endless(job->jit);
   if (job->state == CF_JIT_COLD)
      enqueue(job, CF_JIT_HOT);
   pthread_mutex_unlock(&job->jit->lock);
}

void
cf_jit_job_skip_run(struct cf_jit_job *job)
{
   atomic_fetch_sub_explicit(&job->runs, 1, memory_order_relaxed);
}

void *
cf_jit_job_function(struct cf_jit_job *job)
{
   void *function = atomic_load_explicit(&job->function, memory_order_acquire);
   if (function)
      return function;
   if (job->jit->config.policy == CF_JIT_AUTO) {
      cf_jit_job_count(job, 1);
      return NULL;
   }
   wait_settled(job);
   return atomic_load_explicit(&job->function, memory_order_acquire);
}

void
cf_jit_job_begin(struct cf_jit_job *job, struct cf_jit *jit, struct cf_jit_source source,
                 unsigned hot)
{
   *job = (struct cf_jit_job){ .jit = jit, .source = source, .hot = hot };
   atomic_init(&job->function, NULL);
   atomic_init(&job->runs, 0);
   atomic_init(&job->refused, false);
   if (jit->config.policy == CF_JIT_ALWAYS)
      return;
   pthread_mutex_lock(&jit->lock);
   enqueue(job, CF_JIT_WAITS);
   pthread_mutex_unlock(&jit->lock);
}

/* Compile a source at once, and wait for it. */
static void *
compile_now(struct cf_jit_job *job, struct cf_jit *jit, struct cf_jit_source source)
{
   *job = (struct cf_jit_job){ .jit = jit, .source = source };
   pthread_mutex_lock(&jit->lock);
   enqueue(job, CF_JIT_HOT);
   pthread_mutex_unlock(&jit->lock);
   wait_settled(job);
   return atomic_load_explicit(&job->function, memory_order_acquire);
}

void *
cf_jit_job_watched(struct cf_jit_job *job, const struct cf_jit_job *of)
{
   struct cf_jit_source source = of->source;
   source.watched = true;
   return compile_now(job, of->jit, source);
}

/* Compile a source on the calling thread, while the compiler has none of its own. */
static void
compile_here(struct cf_jit_job *job, struct cf_jit *jit, struct cf_jit_source source)
{
   struct cf_jit_worker worker = { .jit = jit };
   struct cf_jit_counts counts = { 0 };
   *job = (struct cf_jit_job){ .jit = jit, .source = source, .state = CF_JIT_HOT };
   job->state = cf_jit_worker_do(&worker, job, &counts);
}

void
cf_jit_thread_warm_up(struct cf_jit *jit)
{
   char error[256];
   struct cf_jit_job job;
   const struct cf_program program = { .stage = CF_SHADER_STAGE_VERTEX, .code_instrs = 1 };
   const uint64_t end = cf_instr_encode(&(struct cf_instr){ .op = CF_OP_END });
   struct cf_decoded *decoded = cf_program_decode(&program, &end, error, sizeof(error));
   if (!decoded)
      return;
   const struct cf_jit_source source = { .program = decoded };
   if (jit->config.warm_up == CF_WARM_UP_ALL)
      compile_now(&job, jit, source);
   else
      compile_here(&job, jit, source);
   cf_jit_job_end(&job);
   cf_program_free(decoded);
}

void
cf_jit_job_end(struct cf_jit_job *job)
{
   struct cf_jit *jit = job->jit;
   pthread_mutex_lock(&jit->lock);
   job->ends = true;
   if (job->queued)
      unqueue(job);
   while (jit->busy == job)
      wait_done(jit);
   pthread_mutex_unlock(&jit->lock);
   cf_jit_object_unload(&job->code);
}

struct cf_jit_counts
cf_jit_finish(struct cf_jit *jit)
{
   pthread_mutex_lock(&jit->lock);
   while (jit->worker && (jit->first || jit->busy))
      wait_done(jit);
   const struct cf_jit_counts counts = jit->counts;
   pthread_mutex_unlock(&jit->lock);
   return counts;
}

void
cf_jit_thread_stop(struct cf_jit *jit)
{
   pthread_mutex_lock(&jit->lock);
   jit->stop = true;
   pthread_cond_signal(&jit->wake);
   while (jit->worker && !jit->worker->ended)
      wait_done(jit);
   pthread_mutex_unlock(&jit->lock);
   if (jit->worker)
      pthread_join(jit->worker->thread, NULL);
   free(jit->worker);
   cf_jit_cache_close(jit->cache);
}
