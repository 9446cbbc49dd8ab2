/* SPDX-License-Identifier: MIT */
/*
 * The engine's thread: takes jobs from the queue, looks them up in the cache, compiles and loads
 * them.
 */
#include "clipfree/jit/cf_jit_job.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "clipfree/base/cf_host.h"
#include "clipfree/jit/cf_jit_cache.h"
#include "clipfree/jit/cf_jit_llvm.h"
#include "clipfree/jit/cf_jit_memory.h"
#include "clipfree/profile/cf_trace.h"
#include "clipfree/shader/cf_decoded.h"

/* Larger programs stay interpreted: LLVM takes 3, 0.6 and 0.3 ms an instruction. */
static const unsigned max_instrs[CF_HOST_LEVELS] = {
   [CF_HOST_BASE] = 1000,
   [CF_HOST_V3] = 4000,
   [CF_HOST_V4] = 6000,
};

/* Addresses that LLVM gets before it is loaded, and before each compilation. */
#define ROOM_B (256u << 20)

bool
cf_jit_is_too_long(const struct cf_jit *jit, unsigned instrs)
{
   return instrs > max_instrs[jit->config.level];
}

static void
report(const struct cf_jit_job *job, const char *what)
{
   const struct cf_decoded *program = job->source.program;
   const struct cf_sample_key *sample = job->source.sample;
   if (!job->jit->config.report)
      return;
   if (program)
      fprintf(stderr, "clipfree: jit: %s program of %u instructions%s: %s\n",
              program->info.stage == CF_SHADER_STAGE_FRAGMENT ? "fragment" : "vertex",
              program->count, job->source.units ? ", for its textures" : "", what);
   else
      fprintf(stderr, "clipfree: jit: %s sample of mode %u, mask %u, texels of %u bytes: %s\n",
              sample->cube ? "cube" : "2D", sample->mode, sample->mask, sample->pixel_B, what);
}

/* Open the module beside the library that contains this code. */
static void *
open_beside(void)
{
   static const char name[] = "libclipfree_jit.so";
   Dl_info here;
   void *module = NULL;
   const char *end = dladdr((const void *)open_beside, &here) && here.dli_fname
                        ? strrchr(here.dli_fname, '/')
                        : NULL;
   if (end) {
      const size_t folder_B = (size_t)(end + 1 - here.dli_fname);
      char *path = calloc(1, folder_B + sizeof(name));
      if (path) {
         memcpy(path, here.dli_fname, folder_B);
         strcpy(path + folder_B, name);
         module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
         free(path);
      }
   }
   return module ? module : dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

/* ---- the end of the process ---- */

/* exit() destroys LLVM's objects while the thread may be using them, or loading LLVM. atexit
 * handlers run in the wrong order to prevent that, but before all of them exit() runs the
 * destructors of the calling thread's thread-local variables. So each thread that creates a GPU
 * gets such a variable, whose destructor waits for the JIT thread and keeps it from LLVM for a
 * while. (If only the application's thread ends, not the process, that has no other effect.) LLVM
 * is global to the process, and so is this. */
#define QUIET_NS 300000000 /* longer than exit() takes to reach LLVM's destructors */
static atomic_int llvm_users;
static _Atomic int64_t quiet_until_ns;

extern int __cxa_thread_atexit_impl(void (*destructor)(void *), void *object, void *library)
   __attribute__((weak));
extern void *__dso_handle;

static int64_t
now_ns(void)
{
   struct timespec now;
   clock_gettime(CLOCK_MONOTONIC, &now);
   return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static void
sleep_ns(long time_ns)
{
   nanosleep(&(struct timespec){ .tv_nsec = time_ns }, NULL);
}

static void
wait_for_llvm(void *unused)
{
   (void)unused;
   atomic_store(&quiet_until_ns, now_ns() + QUIET_NS);
   while (atomic_load(&llvm_users))
      sleep_ns(500000);
}

/* Held while the compiler is loaded. Its libraries register then what runs at the process' end,
 * under a lock of the C library: a child that is forked in the midst would wait for it for ever. */
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

static void
before_fork(void)
{
   pthread_mutex_lock(&loading);
}

static void
after_fork_in_parent(void)
{
   pthread_mutex_unlock(&loading);
}

/* The child has no thread that uses LLVM. */
static void
after_fork_in_child(void)
{
   pthread_mutex_unlock(&loading);
   atomic_store(&llvm_users, 0);
}

static void
watch_forks(void)
{
   pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

void
cf_jit_thread_guard(void)
{
   static pthread_once_t once = PTHREAD_ONCE_INIT;
   pthread_once(&once, watch_forks);
   if (__cxa_thread_atexit_impl)
      __cxa_thread_atexit_impl(wait_for_llvm, NULL, &__dso_handle);
}

static void
begin_llvm(void)
{
   atomic_fetch_add(&llvm_users, 1);
   while (now_ns() < atomic_load(&quiet_until_ns)) {
      atomic_fetch_sub(&llvm_users, 1);
      sleep_ns(20000000);
      atomic_fetch_add(&llvm_users, 1);
   }
}

static void
end_llvm(void)
{
   atomic_fetch_sub(&llvm_users, 1);
}

/* ---- compiling and loading ---- */

/* The host lets the process have no executable memory, as people want it to: one message. */
static void
refuse(struct cf_jit *jit)
{
   static atomic_flag said = ATOMIC_FLAG_INIT;
   jit->refused = true;
   if (!atomic_flag_test_and_set(&said))
      fprintf(stderr,
              "clipfree: shaders are interpreted: %s for compiled ones (docs/security.md)\n",
              cf_jit_memory_refused);
}

/* Whether code can be run at all: asked before anything is looked up or compiled. */
static bool
can_run_code(struct cf_jit *jit)
{
   if (!jit->tried && !cf_jit_memory_is_allowed())
      refuse(jit);
   jit->tried = true;
   return !jit->refused;
}

/* Whether there are addresses for LLVM, which ends the process when it runs out of memory. */
static bool
has_room(void)
{
   void *room = mmap(NULL, ROOM_B, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
   if (room == MAP_FAILED)
      return false;
   munmap(room, ROOM_B);
   return true;
}

static const char *
why_no_compiler(const struct cf_jit *jit)
{
   const char *error = jit->module ? "the module is another version's" : dlerror();
   return error ? error : "there are too few addresses for it";
}

/* Load LLVM, when the first program has to be compiled. */
static const struct cf_jit_compiler *
compiler(struct cf_jit *jit)
{
   if (jit->opened)
      return jit->compiler;
   jit->opened = true;
   pthread_mutex_lock(&loading);
   if (has_room())
      jit->module =
         jit->module_path ? dlopen(jit->module_path, RTLD_NOW | RTLD_LOCAL) : open_beside();
   pthread_mutex_unlock(&loading);
   const struct cf_jit_compiler *found =
      jit->module ? dlsym(jit->module, CF_JIT_COMPILER_SYMBOL) : NULL;
   if (found && found->size_B == sizeof(*found))
      jit->compiler = found;
   else if (!cf_jit_memory_is_allowed()) /* nor could a library be mapped */
      refuse(jit);
   else if (jit->config.report || jit->config.policy == CF_JIT_ALWAYS)
      fprintf(stderr, "clipfree: shaders are interpreted, there is no compiler: %s\n",
              why_no_compiler(jit));
   return jit->compiler;
}

bool
cf_jit_thread_has_compiler(struct cf_jit *jit)
{
   begin_llvm();
   const bool found = can_run_code(jit) && compiler(jit);
   end_llvm();
   return found;
}

/* Name of the code for perf and gdb. */
static void
make_name(const struct cf_jit_source *source, char *name, size_t name_size)
{
   const struct cf_sample_key *sample = source->sample;
   if (source->program)
      snprintf(name, name_size, "%s%s%s", source->program->name, source->units ? "_textures" : "",
               source->pixel ? "_quads" : "");
   else
      snprintf(name, name_size, "clipfree_sample_%uD%s_mode%u_mask%u_texel%uB", sample->dims,
               sample->cube    ? "cube"
               : sample->array ? "array"
                               : "",
               sample->mode, sample->mask, sample->pixel_B);
}

/* Code is ready; the time of the thread since `start_ns`, and what of it the proof took. */
static void
report_ready(const struct cf_jit_job *job, const char *what, uint64_t start_ns)
{
   const uint64_t all_ns = cf_thread_cpu_ns() - start_ns;
   report(job, what);
   if (job->jit->config.report)
      fprintf(stderr, "clipfree: jit: it took %llu us, the proof %llu us of it\n",
              (unsigned long long)(all_ns / 1000), (unsigned long long)(job->code.proof_ns / 1000));
}

/* Code that could do what it may not is an error of the compiler, or somebody wrote it into the
 * cache: one message. */
static void
say_unproven(const char *name, const char *why)
{
   static atomic_flag said = ATOMIC_FLAG_INIT;
   if (!atomic_flag_test_and_set(&said))
      fprintf(
         stderr,
         "clipfree: %s: compiled code is not run, but interpreted: it has %s (docs/security.md)\n",
         name, why);
}

static bool
load(struct cf_jit_job *job, const uint8_t *object, size_t size_B)
{
   char name[96];
   make_name(&job->source, name, sizeof(name));
   const char *wrong = cf_jit_object_load(&job->code, object, size_B, &job->source, CF_JIT_ENTRY,
                                          job->jit->config.symbols ? name : NULL);
   if (wrong == cf_jit_memory_refused) /* only now: a sandbox was entered */
      refuse(job->jit);
   if (job->code.refused)
      say_unproven(name, wrong);
   if (wrong)
      report(job, wrong);
   return !wrong;
}

static bool
load_from_cache(struct cf_jit *jit, struct cf_jit_job *job)
{
   const uint64_t start_ns = cf_thread_cpu_ns();
   uint8_t *object;
   size_t size_B;
   if (!jit->cache ||
       !cf_jit_cache_get(jit->cache, &job->source, jit->config.level, &object, &size_B))
      return false;
   const bool ok = load(job, object, size_B);
   free(object);
   if (ok)
      report_ready(job, "loaded", start_ns);
   return ok;
}

static bool
compile(struct cf_jit *jit, struct cf_jit_job *job)
{
   struct cf_jit_bytes object;
   char error[256] = "there is no compiler";
   const uint64_t start_ns = cf_thread_cpu_ns();
   const bool too_long = job->source.program && cf_jit_is_too_long(jit, job->source.program->count);
   if (too_long || !has_room()) {
      report(job, too_long ? "too long" : "there are too few addresses for the compiler");
      return false;
   }
   begin_llvm();
   const struct cf_jit_compiler *llvm = compiler(jit);
   const bool compiled =
      llvm && llvm->compile(&job->source, jit->config.level, &object, error, sizeof(error));
   end_llvm();
   if (!compiled) {
      report(job, error);
      return false;
   }
   const bool ok = load(job, object.data, object.size_B);
   if (ok) {
      report_ready(job, "compiled", start_ns);
      if (jit->cache && !job->source.watched)
         cf_jit_cache_put(jit->cache, &job->source, jit->config.level, object.data, object.size_B);
   }
   free(object.data);
   return ok;
}

static void
trace_job(const struct cf_jit_job *job, const char *what, uint64_t start_ns)
{
   char name[96];
   if (!job->jit->config.trace)
      return;
   make_name(&job->source, name, sizeof(name));
   cf_trace_slice(job->jit->config.trace, start_ns, .name = what, .text = name);
}

/* Process a job taken from the queue, without the lock. Returns its new state. */
static enum cf_jit_state
work_on(struct cf_jit *jit, struct cf_jit_job *job, struct cf_jit_counts *counts)
{
   bool ready = false;
   uint64_t start_ns = cf_trace_now(jit->config.trace);
   if (job->state == CF_JIT_WAITS && can_run_code(jit)) {
      ready = load_from_cache(jit, job);
      counts->loaded += ready;
      trace_job(job, "look up", start_ns);
      if (!ready && jit->config.policy == CF_JIT_AUTO)
         return CF_JIT_COLD;
   }
   if (!ready && can_run_code(jit)) {
      start_ns = cf_trace_now(jit->config.trace);
      ready = compile(jit, job);
      counts->compiled += ready;
      trace_job(job, "compile", start_ns);
   }
   counts->failed += !ready;
   atomic_store_explicit(&job->refused, !ready, memory_order_relaxed);
   if (ready)
      atomic_store_explicit(&job->function, job->code.entry, memory_order_release);
   return CF_JIT_SETTLED;
}

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

static void *
run_thread(void *data)
{
   struct cf_jit *jit = data;
   /* not at a lower priority: the sooner code is there, the less is interpreted, which takes
    * several times as long */
   jit->cache = jit->cache_path ? cf_jit_cache_open(jit->cache_path, jit->config.cache_B) : NULL;
   pthread_mutex_lock(&jit->lock);
   while (!jit->stop) {
      struct cf_jit_job *job = jit->first;
      if (!job) {
         pthread_cond_wait(&jit->wake, &jit->lock);
         continue;
      }
      struct cf_jit_counts counts = { 0 };
      jit->first = job->next;
      if (!jit->first)
         jit->last = &jit->first;
      job->queued = false;
      jit->busy = job;
      pthread_mutex_unlock(&jit->lock);
      const enum cf_jit_state state = work_on(jit, job, &counts);
      pthread_mutex_lock(&jit->lock);
      job->state = state;
      jit->counts.compiled += counts.compiled;
      jit->counts.loaded += counts.loaded;
      jit->counts.failed += counts.failed;
      jit->busy = NULL;
      if (state == CF_JIT_COLD && !job->ends && is_hot(job))
         append(job, CF_JIT_HOT);
      pthread_cond_broadcast(&jit->done);
   }
   pthread_mutex_unlock(&jit->lock);
   cf_jit_cache_close(jit->cache);
   return NULL;
}

static bool
start_thread(struct cf_jit *jit)
{
   jit->running = cf_thread_start_named(&jit->thread, run_thread, jit, "clipfree-jit");
   return jit->running;
}

/* ---- jobs ---- */

/* Append to the queue, starting the thread if necessary; if that fails, the job settles without
 * code. With the lock. */
static void
enqueue(struct cf_jit_job *job, enum cf_jit_state state)
{
   struct cf_jit *jit = job->jit;
   if (!jit->running && !start_thread(jit)) {
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
      pthread_cond_wait(&job->jit->done, &job->jit->lock);
   pthread_mutex_unlock(&job->jit->lock);
}

/* Every `hot`-th run without code queues a cold job for compilation. */
void
cf_jit_job_count(struct cf_jit_job *job, unsigned runs)
{
   const unsigned before = atomic_fetch_add_explicit(&job->runs, runs, memory_order_relaxed);
   if (before % job->hot + runs < job->hot)
      return;
   pthread_mutex_lock(&job->jit->lock);
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
   struct cf_jit_counts counts = { 0 };
   *job = (struct cf_jit_job){ .jit = jit, .source = source, .state = CF_JIT_HOT };
   job->state = work_on(jit, job, &counts);
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
      pthread_cond_wait(&jit->done, &jit->lock);
   pthread_mutex_unlock(&jit->lock);
   cf_jit_object_unload(&job->code);
}

void
cf_jit_thread_stop(struct cf_jit *jit)
{
   pthread_mutex_lock(&jit->lock);
   jit->stop = true;
   pthread_cond_signal(&jit->wake);
   pthread_mutex_unlock(&jit->lock);
   if (jit->running)
      pthread_join(jit->thread, NULL);
}
