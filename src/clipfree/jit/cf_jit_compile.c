/* SPDX-License-Identifier: MIT */
/* What the engine's thread does with a job: looks it up in the cache, compiles and loads it. */
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
   [CF_HOST_V4_BYTES] = 6000,
};

/* Addresses that are left before LLVM is loaded, and before each compilation. Its libraries take
 * some 150 MB of them, and the heap of a thread may take 64 MB (glibc); what Mesa asks for then has
 * to be there, since it does not expect that an allocation fails. */
#define ROOM_B (320u << 20)

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
 * gets such a variable, whose destructor waits for the JIT thread, but not for ever, and keeps it
 * from LLVM for a while. (If only the application's thread ends, not the process, that has no other
 * effect.) LLVM is global to the process, and so is this. */
#define QUIET_NS 300000000    /* longer than exit() takes to reach LLVM's destructors */
static atomic_int llvm_users; /* that somebody waits for */
static _Atomic uint64_t last_began_ns, quiet_until_ns;

extern int __cxa_thread_atexit_impl(void (*destructor)(void *), void *object, void *library)
   __attribute__((weak));
extern void *__dso_handle;

static void
sleep_ns(long time_ns)
{
   nanosleep(&(struct timespec){ .tv_nsec = time_ns }, NULL);
}

static void
wait_for_llvm(void *unused)
{
   (void)unused;
   atomic_store(&quiet_until_ns, cf_time_ns() + QUIET_NS);
   while (atomic_load(&llvm_users) && cf_time_ns() < atomic_load(&last_began_ns) + CF_JIT_LIMIT_NS)
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
cf_jit_guard_exit(void)
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
   while (cf_time_ns() < atomic_load(&quiet_until_ns)) {
      atomic_fetch_sub(&llvm_users, 1);
      sleep_ns(20000000);
      atomic_fetch_add(&llvm_users, 1);
   }
   atomic_store(&last_began_ns, cf_time_ns());
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
cf_jit_has_compiler(struct cf_jit *jit)
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

/* Compilations that were left. Each is a thread that may take a processor for ever. */
#define MOST_LEFT 5
static atomic_int compilations_left;

/* Why a job is not compiled; NULL: it is. */
static const char *
why_not_compiled(struct cf_jit *jit, const struct cf_jit_job *job)
{
   if (job->source.program && cf_jit_is_too_long(jit, job->source.program->count))
      return "too long";
   if (atomic_load(&compilations_left) >= MOST_LEFT)
      return "the compiler did not come to an end too often";
   return has_room() ? NULL : "there are too few addresses for the compiler";
}

/* False: it failed, or was left. Then the job may be gone, and the engine, too. */
static bool
run_llvm(struct cf_jit_worker *worker, struct cf_jit_job *job, struct cf_jit_bytes *object)
{
   struct cf_jit *jit = job->jit;
   char error[256] = "there is no compiler";
   begin_llvm();
   const struct cf_jit_compiler *llvm = compiler(jit);
   atomic_store(&worker->began_cpu_ns, cf_process_cpu_ns());
   atomic_store(&worker->began_ns, cf_time_ns());
   const bool compiled = llvm && llvm->compile(&job->source, jit->config.level, object, error,
                                               sizeof(error), &worker->phase);
   if (cf_jit_worker_is_left(worker))
      return false;
   end_llvm();
   if (!compiled)
      report(job, error);
   return compiled;
}

bool
cf_jit_worker_leave(struct cf_jit_worker *worker)
{
   const struct cf_jit *jit = worker->jit;
   const uint64_t limit_ns = jit->config.limit_ns ? jit->config.limit_ns : CF_JIT_LIMIT_NS;
   /* Before LLVM works there may be no compiler. A thread's own processor time is asked for with a
    * clock that sandboxes do not know; all threads' says at least that the machine ran them. */
   if (atomic_load(&worker->phase) != CF_JIT_WORKS ||
       cf_time_ns() < atomic_load(&worker->began_ns) + limit_ns ||
       cf_process_cpu_ns() < atomic_load(&worker->began_cpu_ns) + limit_ns ||
       !jit->compiler->leave(&worker->phase))
      return false;
   end_llvm();
   atomic_fetch_add(&compilations_left, 1);
   report(jit->busy, "the compiler does not come to an end");
   return true;
}

static bool
compile(struct cf_jit_worker *worker, struct cf_jit_job *job)
{
   struct cf_jit *jit = job->jit;
   struct cf_jit_bytes object;
   const uint64_t start_ns = cf_thread_cpu_ns();
   const char *why_not = why_not_compiled(jit, job);
   if (why_not)
      report(job, why_not);
   if (why_not || !run_llvm(worker, job, &object))
      return false;
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

enum cf_jit_state
cf_jit_worker_do(struct cf_jit_worker *worker, struct cf_jit_job *job, struct cf_jit_counts *counts)
{
   struct cf_jit *jit = worker->jit;
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
      ready = compile(worker, job);
      if (cf_jit_worker_is_left(worker))
         return CF_JIT_SETTLED;
      counts->compiled += ready;
      trace_job(job, "compile", start_ns);
   }
   counts->failed += !ready;
   atomic_store_explicit(&job->refused, !ready, memory_order_relaxed);
   if (ready)
      atomic_store_explicit(&job->function, job->code.entry, memory_order_release);
   return CF_JIT_SETTLED;
}
