/* SPDX-License-Identifier: MIT */
/*
 * The model: a cf_gpu whose work is done in this process. Submissions go through a queue, in order,
 * to the command processor. One thread at a time runs the processor, parsing packets, and rendering
 * whenever it would have to wait:
 *
 *   - a thread that waits for a submission, if no other thread runs the processor: handing the work
 *     over and being woken again would take longer than a small frame does;
 *   - else the model's own thread, which `kick` wakes: it runs beside the application.
 *
 * The next submission is parsed while the last passes of the one before are rendered, if it was
 * kicked or is waited for. A thread whose submission has finished leaves the rest of the queue to
 * the next thread that runs the processor.
 *
 * Without threads, submit does all the work. Memory that is freed while work is under way is kept
 * until that work has finished.
 */
#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clipfree/base/cf_host.h"
#include "clipfree/command/cf_host_copy.h"
#include "clipfree/command/cf_model.h"
#include "clipfree/command/cf_model_jit.h"
#include "clipfree/command/cf_process.h"
#include "clipfree/command/cf_report_ring.h"
#include "clipfree/coverage/cf_coverage.h"
#include "clipfree/jit/cf_jit.h"
#include "clipfree/memory/cf_memory.h"
#include "clipfree/sanitize/cf_sanitize.h"

#define QUEUE 8 /* submissions in flight; one more blocks, which bounds the memory that they hold */
/* Who found the queue full goes on when only so many are left: a sleep and a wake-up for each
 * submission would take longer than small ones do. */
#define QUEUE_REST 4
#define DEFAULT_MAX_TASK_INSTRS (1u << 24)
#define SPIN_ROUNDS 1000
#define MAX_TIMEOUT_NS (86400ull * 1000000000u) /* to wait longer is to wait for ever */

struct queued_submission {
   uint64_t address;
   uint32_t size_B;
   uint64_t limit_ns; /* of each thread's time; 0: none */
};

/* Memory to be freed when submission `seqno` has finished. */
struct pending_free {
   uint64_t address, seqno;
};

struct cf_model {
   struct cf_gpu gpu;
   struct cf_memory *memory;
   struct cf_workers *workers;
   struct cf_jit *jit; /* NULL: programs are interpreted */
   enum cf_engine_choice engine;
   enum cf_path path;
   struct cf_processor *processor;
   uint32_t threads;
   bool thread_running;
   pthread_t thread;
   pthread_mutex_t lock;
   pthread_cond_t work, done;
   /* under the lock; the atomics are also read without it */
   struct queued_submission queue[QUEUE]; /* by sequence number */
   _Atomic uint64_t submitted, finished;
   uint64_t begun; /* number of submissions parsed, or being parsed: finished .. submitted */
   _Atomic uint64_t kicked; /* submissions up to this number may be parsed without a waiter */
   bool stop;
   _Atomic bool running;       /* a thread runs the processor */
   bool sleeping;              /* the model's thread waits on `work` */
   /* the first submission that a thread waits for on `done`; UINT64_MAX: none waits */
   uint64_t wanted;
   struct pending_free *frees; /* ascending seqno */
   uint32_t free_count, free_capacity;
   enum cf_reset_status reset_status;
   struct cf_report_ring reports;
   char error[sizeof(((struct cf_report *)0)->text)]; /* of the last failure */
   bool perf, slow, quiet;
   uint64_t time_limit_ns;      /* of the configuration */
   struct cf_stats_file *stats; /* NULL: none */
   struct cf_trace *trace;      /* NULL: none */
   struct cf_coverage *coverage; /* NULL: none */
   struct cf_sanitize *sanitize; /* NULL: none */
   const struct cf_observer *observer; /* NULL: none */
   _Atomic uint64_t presented, presented_ns; /* frames so far, and since when; for the trace */
   struct cf_process_stats frame_stats; /* since the last end of a frame */
   struct cf_process_stats sum;         /* of all frames before that */
   uint64_t frames, frame_start_ns; /* counted and set if perf */
};

static struct cf_model *
model_of(struct cf_gpu *gpu)
{
   return (struct cf_model *)gpu;
}

/* ------------------------------------------------------------------ work */

/* With the lock. */
static void
free_finished(struct cf_model *model)
{
   uint32_t done = 0;
   while (done < model->free_count && model->frees[done].seqno <= model->finished)
      cf_memory_free(model->memory, model->frees[done++].address);
   if (done == 0)
      return;
   model->free_count -= done;
   memmove(model->frees, model->frees + done, model->free_count * sizeof(*model->frees));
}

/* Whoever waits on `done` looks again. With the lock. */
static void
wake_waiters(struct cf_model *model)
{
   if (model->wanted != UINT64_MAX)
      pthread_cond_broadcast(&model->done);
   model->wanted = UINT64_MAX;
}

/* Record the result of the oldest unfinished submission, which is now finished. With the lock. */
static void
note_result(struct cf_model *model, const struct cf_process_result *result)
{
   const uint64_t seqno = model->finished + 1;
   if (result->error) {
      if (model->reset_status == CF_RESET_NONE && !model->quiet)
         fprintf(stderr, "clipfree: %s\n", result->error);
      model->reset_status = CF_RESET_GUILTY;
      cf_report_ring_add(&model->reports, seqno, result->kind, result->error);
      snprintf(model->error, sizeof(model->error), "%s", result->error);
   }
   if (result->warning)
      cf_report_ring_add(&model->reports, seqno, CF_REPORT_WARNING, result->warning);
   if (result->slow)
      cf_report_ring_add(&model->reports, seqno, CF_REPORT_SLOW, result->slow);
   if (result->slow && model->slow)
      fprintf(stderr, "clipfree: slow: %s\n", result->slow);
   cf_process_add_stats(&model->frame_stats, result->stats);
   atomic_store(&model->finished, seqno);
   free_finished(model);
   if (seqno >= model->wanted)
      wake_waiters(model);
}

/* Parse the next submission up to `seqno` or kicked; if there is none, work until the oldest one
 * has finished. With the lock held at start and end, not during the work. */
static void
work_until(struct cf_model *model, uint64_t seqno)
{
   const uint64_t may_begin = model->kicked > seqno ? model->kicked : seqno;
   const bool parse = model->begun < may_begin && cf_process_pending(model->processor) < CF_PROCESS_SUBMISSIONS;
   const struct queued_submission submission = model->queue[model->begun % QUEUE];
   model->begun += parse;
   pthread_mutex_unlock(&model->lock);
   if (parse)
      cf_process(model->processor, submission.address, submission.size_B, submission.limit_ns);
   const struct cf_process_result *result = cf_process_result(model->processor, !parse);
   pthread_mutex_lock(&model->lock);
   if (result)
      note_result(model, result);
}

/* Run submissions until `seqno` has finished. With the lock held at start and end, not during the
 * work; no other thread may be running the processor. Work is done in the default floating-point
 * environment: the application's rounding mode must not change results. */
static void
run_until(struct cf_model *model, uint64_t seqno)
{
   fenv_t environment;
   fegetenv(&environment);
   fesetenv(FE_DFL_ENV);
   model->running = true;
   while (model->finished < seqno)
      work_until(model, seqno);
   model->running = false;
   fesetenv(&environment);
}

/* A kicked submission is unfinished, and no thread runs the processor. */
static bool
work_waits(const struct cf_model *model)
{
   return model->finished < model->kicked && !model->running;
}

/* Wake the model's thread if there is work for it. With the lock. */
static void
wake_thread(struct cf_model *model)
{
   if (model->sleeping && work_waits(model))
      pthread_cond_signal(&model->work);
}

/* Let the model's thread run everything submitted so far. With the lock. */
static void
kick_all(struct cf_model *model)
{
   model->kicked = model->submitted;
   wake_thread(model);
}

/* The next kick usually comes soon after the last one: poll for it for a while before sleeping.
 * With the lock held at start and end. */
static void
spin_for_work(struct cf_model *model)
{
   pthread_mutex_unlock(&model->lock);
   for (unsigned i = 0; i < SPIN_ROUNDS && model->finished >= model->kicked; i++)
      cf_spin_pause();
   pthread_mutex_lock(&model->lock);
}

static void *
run_thread(void *argument)
{
   struct cf_model *model = argument;
   pthread_mutex_lock(&model->lock);
   for (;;) {
      while (!work_waits(model) && !model->stop) {
         model->sleeping = true;
         pthread_cond_wait(&model->work, &model->lock);
         model->sleeping = false;
      }
      if (!work_waits(model))
         break;
      run_until(model, model->finished + 1);
      if (work_waits(model))
         continue;
      wake_waiters(model); /* a submission that was not kicked is run by who waits for it */
      if (!model->stop)
         spin_for_work(model);
   }
   pthread_mutex_unlock(&model->lock);
   return NULL;
}

/* Wait for `done`, which comes at the latest with submission `seqno`. With the lock. False:
 * timeout. */
static bool
wait_for_progress(struct cf_model *model, uint64_t seqno, const struct timespec *deadline)
{
   model->wanted = seqno < model->wanted ? seqno : model->wanted;
   return (deadline ? pthread_cond_timedwait(&model->done, &model->lock, deadline)
                    : pthread_cond_wait(&model->done, &model->lock)) == 0;
}

static void
trace_wait(struct cf_model *model, uint64_t seqno, uint64_t start_ns)
{
   cf_trace_slice(model->trace, start_ns, .name = "wait for submission",
                  .number = { { "submission", seqno - 1 } });
}

/* Wait until `seqno` has finished, working on it if nobody else does. With the lock. */
static void
finish(struct cf_model *model, uint64_t seqno)
{
   const uint64_t start_ns = cf_trace_now(model->trace);
   while (model->finished < seqno) {
      if (model->running)
         wait_for_progress(model, seqno, NULL);
      else
         run_until(model, seqno);
   }
   wake_waiters(model);
   wake_thread(model);
   trace_wait(model, seqno, start_ns);
}

/* ------------------------------------------------------------------ the table */

static bool
bo_alloc(struct cf_gpu *gpu, uint64_t size_B, struct cf_bo *bo)
{
   struct cf_model *model = model_of(gpu);
   const uint64_t address = cf_memory_alloc(model->memory, size_B);
   if (!address)
      return false;
   *bo = (struct cf_bo){ .address = address,
                         .size_B = size_B,
                         .map = cf_memory_at(model->memory, address, size_B) };
   return true;
}

static bool
bo_import(struct cf_gpu *gpu, int file, uint64_t size_B, struct cf_bo *bo)
{
   struct cf_model *model = model_of(gpu);
   const uint64_t address = cf_memory_import(model->memory, file, size_B);
   if (!address)
      return false;
   *bo = (struct cf_bo){ .address = address,
                         .size_B = size_B,
                         .map = cf_memory_at(model->memory, address, size_B) };
   return true;
}

static bool
write_pixels(struct cf_gpu *gpu, const struct cf_host_pixels *pixels)
{
   struct cf_model *model = model_of(gpu);
   const uint64_t start_ns = cf_trace_now(model->trace);
   const bool ok = cf_host_copy(model->memory, pixels);
   cf_trace_slice(model->trace, start_ns, .name = "write pixels",
                  .number = { { "width", pixels->width_px }, { "height", pixels->height_px } });
   return ok;
}

static void
bo_free(struct cf_gpu *gpu, const struct cf_bo *bo)
{
   struct cf_model *model = model_of(gpu);
   pthread_mutex_lock(&model->lock);
   bool deferred = false;
   if (model->finished != model->submitted) {
      if (model->free_count == model->free_capacity) {
         const uint32_t capacity = 2 * model->free_capacity + 64;
         struct pending_free *frees = realloc(model->frees, capacity * sizeof(*frees));
         if (frees) {
            model->frees = frees;
            model->free_capacity = capacity;
         }
      }
      deferred = model->free_count < model->free_capacity;
      if (!deferred) /* no memory to remember it: finish the work instead */
         finish(model, model->submitted);
   }
   if (deferred)
      model->frees[model->free_count++] =
         (struct pending_free){ .address = bo->address, .seqno = model->submitted };
   else
      cf_memory_free(model->memory, bo->address);
   pthread_mutex_unlock(&model->lock);
}

/* Make the thread that runs submissions, with the first of them: a process may have to have a
 * single thread until then, to enter a sandbox. Where the host refuses one, who submits runs them.
 * With the lock. */
static void
start_thread(struct cf_model *model)
{
   if (model->threads == 0 || model->thread_running)
      return;
   model->thread_running = cf_thread_start(&model->thread, run_thread, model, 0);
   if (!model->thread_running)
      model->threads = 0;
}

static uint64_t
submit(struct cf_gpu *gpu, uint64_t address, uint32_t size_B, uint64_t limit_ns)
{
   struct cf_model *model = model_of(gpu);
   pthread_mutex_lock(&model->lock);
   kick_all(model);
   while (model->submitted - model->finished == QUEUE)
      finish(model, model->submitted - QUEUE_REST);
   model->queue[model->submitted % QUEUE] =
      (struct queued_submission){ .address = address, .size_B = size_B, .limit_ns = limit_ns };
   const uint64_t seqno = atomic_fetch_add(&model->submitted, 1) + 1;
   start_thread(model);
   if (model->threads == 0)
      finish(model, seqno);
   pthread_mutex_unlock(&model->lock);
   return seqno;
}

static void
kick(struct cf_gpu *gpu)
{
   struct cf_model *model = model_of(gpu);
   pthread_mutex_lock(&model->lock);
   kick_all(model);
   pthread_mutex_unlock(&model->lock);
}

static struct timespec
time_after(uint64_t timeout_ns)
{
   const uint64_t end_ns = cf_time_ns() + timeout_ns;
   return (struct timespec){ .tv_sec = (time_t)(end_ns / 1000000000u),
                             .tv_nsec = (long)(end_ns % 1000000000u) };
}

/* The submission that another thread is working on often finishes soon: poll for a while before
 * sleeping. */
static bool
spin_until(struct cf_model *model, uint64_t seqno)
{
   for (unsigned i = 0; i < SPIN_ROUNDS && model->running && model->finished < seqno; i++)
      cf_spin_pause();
   return model->finished >= seqno;
}

static bool
wait_for(struct cf_gpu *gpu, uint64_t seqno, uint64_t timeout_ns)
{
   struct cf_model *model = model_of(gpu);
   if (model->finished >= seqno || timeout_ns == 0 || spin_until(model, seqno))
      return model->finished >= seqno;
   pthread_mutex_lock(&model->lock);
   if (timeout_ns > MAX_TIMEOUT_NS) {
      finish(model, seqno < model->submitted ? seqno : model->submitted);
   } else { /* the work might take longer than that */
      const struct timespec deadline = time_after(timeout_ns);
      const uint64_t start_ns = cf_trace_now(model->trace);
      kick_all(model);
      while (model->finished < seqno && wait_for_progress(model, seqno, &deadline))
         ;
      trace_wait(model, seqno, start_ns);
   }
   pthread_mutex_unlock(&model->lock);
   return model->finished >= seqno;
}

/* A number that the lock guards. */
static uint64_t
read_locked(struct cf_model *model, const uint64_t *number)
{
   pthread_mutex_lock(&model->lock);
   const uint64_t value = *number;
   pthread_mutex_unlock(&model->lock);
   return value;
}

static uint64_t
get_param(struct cf_gpu *gpu, enum cf_gpu_param param)
{
   struct cf_model *model = model_of(gpu);
   switch (param) {
   case CF_PARAM_MEMORY_B:
      return cf_memory_limit_B(model->memory);
   case CF_PARAM_MEMORY_USED_B:
      return cf_memory_used_B(model->memory);
   case CF_PARAM_THREADS:
      return model->threads;
   case CF_PARAM_MAX_TEXTURE_PX:
      return 16384;
   case CF_PARAM_ENGINE:
      return model->jit ? model->engine : CF_ENGINE_INTERP;
   case CF_PARAM_PATH:
      return model->path;
   case CF_PARAM_TIME_NS:
      return cf_time_ns();
   case CF_PARAM_REPORTS:
      return read_locked(model, &model->reports.count);
   case CF_PARAM_SLOW_DRAWS:
      return read_locked(model, &model->frame_stats.slow_draws) + read_locked(model, &model->sum.slow_draws);
   case CF_PARAM_REUSE_PRIMS:
      return CF_VERTEX_REUSE_PRIMS;
   case CF_PARAM_HIDDEN:
      return read_locked(model, &model->frame_stats.hidden);
   case CF_PARAM_NOTES:
      return model->stats || (model->observer && model->observer->note) ? CF_GPU_NOTES
                                                                        : CF_GPU_NO_NOTES;
   case CF_PARAM_TIME_LIMIT_NS:
      return model->time_limit_ns;
   }
   return 0;
}

static enum cf_reset_status
reset_status(struct cf_gpu *gpu)
{
   struct cf_model *model = model_of(gpu);
   pthread_mutex_lock(&model->lock);
   const enum cf_reset_status status = model->reset_status;
   pthread_mutex_unlock(&model->lock);
   return status;
}

static void
last_error(struct cf_gpu *gpu, char *text, size_t size)
{
   struct cf_model *model = model_of(gpu);
   pthread_mutex_lock(&model->lock);
   snprintf(text, size, "%s", model->error);
   pthread_mutex_unlock(&model->lock);
}

static void
trace_frame(struct cf_model *model)
{
   const uint64_t number = atomic_fetch_add(&model->presented, 1);
   const uint64_t start_ns = atomic_exchange(&model->presented_ns, cf_time_ns());
   cf_trace_span(model->trace, start_ns, number, .name = "frame");
}

static void
end_frame(struct cf_gpu *gpu, const struct cf_surface *presented)
{
   struct cf_model *model = model_of(gpu);
   if (model->stats)
      cf_stats_end_frame(model->stats);
   if (model->trace)
      trace_frame(model);
   if (!model->perf)
      return;
   pthread_mutex_lock(&model->lock);
   const uint64_t now_ns = cf_time_ns();
   model->frame_stats.all_ns = now_ns - model->frame_start_ns;
   model->frame_start_ns = now_ns;
   cf_process_print_stats("frame", ++model->frames, &model->frame_stats);
   if (model->slow)
      cf_process_print_slow(&model->frame_stats);
   cf_process_add_stats(&model->sum, &model->frame_stats);
   model->frame_stats = (struct cf_process_stats){ 0 };
   pthread_mutex_unlock(&model->lock);
}

static void
count(struct cf_gpu *gpu, const uint64_t counts[CF_GPU_COUNTS])
{
   struct cf_stats_row row = { .number = { 0 } };
   struct cf_model *model = model_of(gpu);
   if (!model->stats)
      return;
   memcpy(&row.number[CF_STAT_UPLOADED_B], counts, CF_GPU_COUNTS * sizeof(*counts));
   cf_stats_add_to_frame(model->stats, &row);
}

static void
note(struct cf_gpu *gpu, uint64_t address, const void *note, size_t size_B)
{
   struct cf_model *model = model_of(gpu);
   const struct cf_observer *observer = model->observer;
   if (model->stats)
      cf_stats_note(model->stats, address, note, size_B);
   if (observer && observer->note)
      observer->note(observer->user, address, note, size_B);
}

/* Marks are for captures. */
static void
mark(struct cf_gpu *gpu, enum cf_gpu_mark mark, const char *text)
{
}

static bool
report(struct cf_gpu *gpu, uint64_t number, struct cf_report *report)
{
   struct cf_model *model = model_of(gpu);
   pthread_mutex_lock(&model->lock);
   const bool known = cf_report_ring_get(&model->reports, number, report);
   pthread_mutex_unlock(&model->lock);
   return known;
}

static void
destroy(struct cf_gpu *gpu)
{
   struct cf_model *model = model_of(gpu);
   if (model->thread_running) {
      pthread_mutex_lock(&model->lock);
      model->stop = true;
      model->kicked = model->submitted;
      pthread_cond_signal(&model->work);
      pthread_mutex_unlock(&model->lock);
      pthread_join(model->thread, NULL);
   }
   if (model->slow) {
      cf_process_add_stats(&model->sum, &model->frame_stats);
      cf_process_print_slow(&model->sum);
   }
   cf_processor_destroy(model->processor);
   cf_stats_close(model->stats);
   cf_jit_destroy(model->jit);
   cf_workers_destroy(model->workers);
   cf_memory_destroy(model->memory);
   cf_trace_close(model->trace);
   cf_coverage_close(model->coverage);
   cf_sanitize_close(model->sanitize);
   pthread_cond_destroy(&model->work);
   pthread_cond_destroy(&model->done);
   pthread_mutex_destroy(&model->lock);
   free(model->frees);
   free(model);
}

static const struct cf_gpu_ops model_ops = {
   .destroy = destroy,
   .bo_alloc = bo_alloc,
   .bo_import = bo_import,
   .bo_free = bo_free,
   .write_pixels = write_pixels,
   .submit = submit,
   .kick = kick,
   .wait = wait_for,
   .get_param = get_param,
   .reset_status = reset_status,
   .last_error = last_error,
   .report = report,
   .end_frame = end_frame,
   .count = count,
   .note = note,
   .mark = mark,
};

/* ------------------------------------------------------------------ creation */

static void
init_locks(struct cf_model *model)
{
   pthread_condattr_t attributes;
   pthread_condattr_init(&attributes);
   pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
   pthread_mutex_init(&model->lock, NULL);
   pthread_cond_init(&model->work, &attributes);
   pthread_cond_init(&model->done, &attributes);
   pthread_condattr_destroy(&attributes);
   model->wanted = UINT64_MAX;
}

/* Files that cannot be written are left out, after a message. */
static void
open_files(struct cf_model *model, const struct cf_model_config *config)
{
   static const char message[] = "clipfree: %s %s: %s; it is left out\n";
   model->stats = config->stats ? cf_stats_open(config->stats) : NULL;
   if (config->stats && !model->stats)
      fprintf(stderr, message, "statistics", config->stats, strerror(errno));
   model->trace = config->trace ? cf_trace_open(config->trace) : NULL;
   if (config->trace && !model->trace)
      fprintf(stderr, message, "trace", config->trace, strerror(errno));
   model->presented_ns = cf_trace_now(model->trace);
   model->coverage = config->coverage ? cf_coverage_open(config->coverage) : NULL;
   if (config->coverage && !model->coverage)
      fprintf(stderr, message, "coverage", config->coverage, strerror(errno));
}

/* A finding of the sanitiser becomes a report on the submission that runs. */
static void
take_finding(void *user, const struct cf_sanitize_report *finding)
{
   struct cf_model *model = user;
   pthread_mutex_lock(&model->lock);
   cf_report_ring_add(&model->reports, model->finished + 1, CF_REPORT_WARNING, finding->text);
   pthread_mutex_unlock(&model->lock);
}

/* So does a line that a shader prints. */
static void
take_line(void *user, const char *line)
{
   struct cf_model *model = user;
   pthread_mutex_lock(&model->lock);
   cf_report_ring_add(&model->reports, model->finished + 1, CF_REPORT_PRINT, line);
   pthread_mutex_unlock(&model->lock);
}

static void
open_sanitize(struct cf_model *model, const struct cf_model_config *asked)
{
   struct cf_sanitize_config config = {
      .checks = asked->sanitize, .user = model, .report = take_finding, .printed = take_line
   };
   if (asked->prints && cf_print_parse(asked->prints, &config.print))
      config.checks |= 1u << CF_SANITIZE_ASSERT;
   model->sanitize = config.checks ? cf_sanitize_open(&config) : NULL;
   if (config.checks && !model->sanitize)
      fprintf(stderr, "clipfree: no memory for the sanitiser; it is left out\n");
}

/* The first option of `config` that cannot be honoured, as an error text; NULL: there is none. */
static const char *
contradiction(const struct cf_model_config *config)
{
   static const char *const lacking[] = {
      [CF_HOST_BASE] =
         "this host has no vector instructions of that level; its best host level is base",
      [CF_HOST_V3] =
         "this host has no vector instructions of that level; its best host level is v3",
      [CF_HOST_V4] =
         "this host has no vector instructions of that level; its best host level is v4",
      [CF_HOST_V4_BYTES] = "there is no such host level; the best is v4-bytes",
   };
   if (config->host_level > 1u + cf_host_level())
      return lacking[cf_host_level()];
   if (config->verify_engine && (config->engine == CF_ENGINE_INTERP || config->cordic_iterations || !cf_jit_available()))
      return "there is nothing to verify: it needs compiled shaders, but these are interpreted (engine interp, nojit, CORDIC, "
             "or a build without LLVM)";
   if (config->engine == CF_ENGINE_JIT && !cf_jit_available())
      return "engine jit: this build has no JIT, LLVM was not found when it was configured; use interp or auto";
   if (config->engine == CF_ENGINE_JIT && config->cordic_iterations)
      return "special functions by CORDIC are interpreted: they cannot be used with engine jit";
   if (config->coverage && (config->observer || config->engine == CF_ENGINE_JIT))
      return "coverage watches by itself, the plain path, interpreted: no engine jit, no observer";
   if ((config->sanitize || config->prints) &&
       (config->observer || config->coverage || config->engine == CF_ENGINE_JIT))
      return "the sanitiser, and what prints of shaders, watch by themselves, the plain path, "
             "interpreted: no engine jit, no coverage, no observer";
   const enum cf_engine_choice most = config->observer && cf_observer_leaves_tiles(config->observer)
                                         ? CF_ENGINE_AUTO
                                         : CF_ENGINE_INTERP;
   if (config->observer && (config->path != CF_PATH_PLAIN ||
                            (config->engine != CF_ENGINE_INTERP && config->engine != most)))
      return "what is watched is the plain path, interpreted: path plain, engine interp";
   return NULL;
}

/* What was asked for; with coverage or the sanitiser, what they need. */
static struct cf_model_config
with_watcher(const struct cf_model_config *asked, const struct cf_model *model)
{
   struct cf_model_config config = *asked;
   if (model->coverage || model->sanitize) {
      config.observer = model->coverage ? cf_coverage_observer(model->coverage)
                                        : cf_sanitize_observer(model->sanitize);
      config.path = CF_PATH_PLAIN;
      config.engine = CF_ENGINE_INTERP;
   }
   return config;
}

/* NULL: out of memory. */
static struct cf_processor *
create_processor(const struct cf_model *model, const struct cf_model_config *config,
                 enum cf_host_level level)
{
   if (!model->memory || !model->workers)
      return NULL;
   const struct cf_processor_config processor_config = {
      .memory = model->memory,
      .workers = model->workers,
      .units = { .shader = cf_shader_ops_at(level),
                 .primitive = cf_primitive_ops_at(level),
                 .pack = cf_quad_pack_ops_at(level),
                 .pixel = cf_pixel_ops_at(level),
                 .observer = config->observer },
      .jit = model->jit,
      .cordic_iterations = config->cordic_iterations,
      .vertices = config->path == CF_PATH_PLAIN ? CF_VERTICES_WHOLE : config->vertices,
      .plain = config->path == CF_PATH_PLAIN,
      .policy = config->setup,
      .level = level,
      .max_task_instrs =
         config->max_task_instrs ? config->max_task_instrs : DEFAULT_MAX_TASK_INSTRS,
      .perf = config->perf,
      .print = config->print,
      .stats = model->stats,
      .trace = model->trace,
   };
   return cf_processor_create(&processor_config);
}

struct cf_gpu *
cf_model_create(const struct cf_model_config *asked, const char **error)
{
   *error = contradiction(asked);
   if (*error)
      return NULL;
   struct cf_model *model = calloc(1, sizeof(*model));
   *error = "out of host memory";
   if (!model)
      return NULL;
   init_locks(model);
   open_files(model, asked);
   open_sanitize(model, asked);
   const struct cf_model_config with = with_watcher(asked, model), *config = &with;
   model->observer = config->observer;
   model->gpu.ops = &model_ops;
   model->perf = config->perf;
   model->frame_start_ns = config->perf ? cf_time_ns() : 0;
   model->threads = config->threads < 0 ? cf_host_threads() : (uint32_t)config->threads;
   model->threads = model->threads > CF_MODEL_MAX_THREADS ? CF_MODEL_MAX_THREADS : model->threads;
   model->memory = cf_memory_create(config->memory_B);
   model->workers = cf_workers_create(model->threads ? model->threads : 1);
   const enum cf_host_level level = config->host_level ? (enum cf_host_level)(config->host_level - 1) : cf_host_level();
   model->jit = cf_model_jit(config, level, model->trace);
   model->quiet = config->quiet;
   model->time_limit_ns = config->time_limit_ns;
   model->slow = model->jit && (config->slow || config->perf);
   if (config->verify_engine && !model->jit) {
      *error = "there is nothing to verify: there is no memory for the compiler, or it cannot be loaded";
      destroy(&model->gpu);
      return NULL;
   }
   model->engine = config->engine;
   model->path = config->path;
   model->processor = create_processor(model, config, level);
   if (!model->processor) {
      destroy(&model->gpu);
      return NULL;
   }
   if (config->warm_up == CF_WARM_UP_ALL) {
      cf_host_warm_up();
      cf_workers_start(model->workers);
      start_thread(model);
   }
   *error = NULL;
   return &model->gpu;
}
