/* SPDX-License-Identifier: MIT */
/*
 * Tiers: who runs a program, and the thread that makes the better engine ready.
 *
 * A program's `function` goes from NULL to its code once, and a task reads it once, so engines
 * change between tasks. All else of a program is the thread's while it works on it, and belongs to
 * the lock otherwise.
 */
#include "clipfree/jit/cf_jit.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

#include "clipfree/jit/cf_jit_cache.h"
#include "clipfree/jit/cf_jit_object.h"
#include "clipfree/jit/cf_jit_verify.h"
#include "clipfree/jit/cf_jit_version.h" /* generated: CF_JIT_BUILT */
#include "clipfree/jit/llvm/cf_jit_llvm.h"
#include "clipfree/shader/cf_decoded.h"

/* Tasks after which compiling pays: by then interpreting has taken about a third of what compiling
 * will. */
#define HOT_TASKS 16000
/* Larger programs stay interpreted: LLVM takes 3, 0.6 and 0.3 ms an instruction. */
static const unsigned max_instrs[CF_HOST_LEVELS] = {
   [CF_HOST_BASE] = 1000,
   [CF_HOST_V3] = 4000,
   [CF_HOST_V4] = 6000,
};

enum state {
   WAITS,   /* for the thread to look in the cache */
   COLD,    /* not in the cache, and not run often yet */
   HOT,     /* waits for the thread to compile it */
   SETTLED, /* compiled, or never will be */
};

struct program {
   struct cf_engine engine;
   struct cf_jit *jit;
   const struct cf_decoded *decoded;
   _Atomic(cf_jit_function) function; /* NULL: interpret */
   atomic_uint tasks;                 /* run interpreted */
   enum state state;
   bool queued;
   struct program *next; /* in the queue */
   struct cf_jit_code code;
};

struct cf_jit {
   struct cf_jit_config config;
   char *module_path, *cache_path;
   pthread_mutex_t lock;
   pthread_cond_t wake;           /* the thread */
   pthread_cond_t done;           /* a program has settled, or the thread left one */
   struct program *first, **last; /* the queue */
   struct program *busy;          /* what the thread works on */
   bool stop, running;
   pthread_t thread;
   struct cf_jit_counts counts;
   /* the thread's own */
   struct cf_jit_cache *cache;
   void *module;
   const struct cf_jit_compiler *compiler;
   bool opened;
};

/* ---- the thread ---- */

static void
report(const struct cf_jit *jit, const struct program *p, const char *what)
{
   if (jit->config.report)
      fprintf(stderr, "clipfree: jit: %s program of %u instructions: %s\n",
              p->decoded->info.stage == CF_SHADER_STAGE_FRAGMENT ? "fragment" : "vertex",
              p->decoded->count, what);
}

/* The folder of the library that this code is in, with the module's name. */
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

/* exit() destroys LLVM's objects while the thread may use them, or is just loading LLVM. Handlers
 * of atexit run in the wrong order to prevent that, but before all of them exit() runs the
 * destructors of its own thread's variables. So threads that create a GPU have such a "variable";
 * its destructor waits for the thread, and keeps it from LLVM for a while. (When the application's
 * thread ends and the process does not, that is all that happens.) LLVM is the process's, so is
 * this. */
#define QUIET_NS 300000000 /* more than exit() takes to get to LLVM */
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

/* LLVM comes into the process here, when the first program has to be compiled. */
static const struct cf_jit_compiler *
compiler(struct cf_jit *jit)
{
   if (jit->opened)
      return jit->compiler;
   jit->opened = true;
   jit->module = jit->module_path ? dlopen(jit->module_path, RTLD_NOW | RTLD_LOCAL) : open_beside();
   const struct cf_jit_compiler *found =
      jit->module ? dlsym(jit->module, CF_JIT_COMPILER_SYMBOL) : NULL;
   if (found && found->size_B == sizeof(*found))
      jit->compiler = found;
   else if (jit->config.report || jit->config.policy == CF_JIT_ALWAYS)
      fprintf(stderr, "clipfree: shaders are interpreted, there is no compiler: %s\n",
              jit->module ? "the module is another version's" : dlerror());
   return jit->compiler;
}

static bool
load(struct cf_jit *jit, struct program *p, const uint8_t *object, size_t size_B)
{
   const char *wrong = cf_jit_object_load(&p->code, object, size_B, "cf_jit_task");
   if (wrong)
      report(jit, p, wrong);
   return !wrong;
}

static bool
load_from_cache(struct cf_jit *jit, struct program *p)
{
   uint8_t *object;
   size_t size_B;
   if (!jit->cache ||
       !cf_jit_cache_get(jit->cache, p->decoded, jit->config.level, &object, &size_B))
      return false;
   const bool ok = load(jit, p, object, size_B);
   free(object);
   if (ok)
      report(jit, p, "loaded");
   return ok;
}

static bool
compile(struct cf_jit *jit, struct program *p)
{
   struct cf_jit_bytes object;
   char error[256] = "there is no compiler";
   if (p->decoded->count > max_instrs[jit->config.level]) {
      report(jit, p, "too long");
      return false;
   }
   begin_llvm();
   const struct cf_jit_compiler *llvm = compiler(jit);
   const bool compiled =
      llvm && llvm->compile(p->decoded, jit->config.level, &object, error, sizeof(error));
   end_llvm();
   if (!compiled) {
      report(jit, p, error);
      return false;
   }
   const bool ok = load(jit, p, object.data, object.size_B);
   if (ok) {
      report(jit, p, "compiled");
      if (jit->cache)
         cf_jit_cache_put(jit->cache, p->decoded, jit->config.level, object.data, object.size_B);
   }
   free(object.data);
   return ok;
}

/* One step for a program taken from the queue, without the lock: its state after it. */
static enum state
work_on(struct cf_jit *jit, struct program *p, struct cf_jit_counts *counts)
{
   bool ready = false;
   if (p->state == WAITS) {
      ready = load_from_cache(jit, p);
      counts->loaded += ready;
      if (!ready && jit->config.policy == CF_JIT_AUTO)
         return COLD;
   }
   if (!ready) {
      ready = compile(jit, p);
      counts->compiled += ready;
   }
   counts->failed += !ready;
   if (ready)
      atomic_store_explicit(&p->function, (cf_jit_function)p->code.entry, memory_order_release);
   return SETTLED;
}

static void *
run_thread(void *data)
{
   struct cf_jit *jit = data;
   setpriority(PRIO_PROCESS, 0, 5); /* on Linux, of this thread: drawing comes first */
   jit->cache = jit->cache_path ? cf_jit_cache_open(jit->cache_path) : NULL;
   pthread_mutex_lock(&jit->lock);
   while (!jit->stop) {
      struct program *p = jit->first;
      if (!p) {
         pthread_cond_wait(&jit->wake, &jit->lock);
         continue;
      }
      struct cf_jit_counts counts = { 0 };
      jit->first = p->next;
      if (!jit->first)
         jit->last = &jit->first;
      p->queued = false;
      jit->busy = p;
      pthread_mutex_unlock(&jit->lock);
      const enum state state = work_on(jit, p, &counts);
      pthread_mutex_lock(&jit->lock);
      p->state = state;
      jit->counts.compiled += counts.compiled;
      jit->counts.loaded += counts.loaded;
      jit->counts.failed += counts.failed;
      jit->busy = NULL;
      pthread_cond_broadcast(&jit->done);
   }
   pthread_mutex_unlock(&jit->lock);
   cf_jit_cache_close(jit->cache);
   return NULL;
}

/* Signals are the application's: the thread takes none. */
static bool
start_thread(struct cf_jit *jit)
{
   sigset_t all, before;
   sigfillset(&all);
   pthread_sigmask(SIG_SETMASK, &all, &before);
   jit->running = pthread_create(&jit->thread, NULL, run_thread, jit) == 0;
   pthread_sigmask(SIG_SETMASK, &before, NULL);
   if (jit->running)
      pthread_setname_np(jit->thread, "clipfree-jit");
   return jit->running;
}

/* ---- programs ---- */

/* With the lock. Without a thread the program stays interpreted. */
static void
enqueue(struct program *p, enum state state)
{
   struct cf_jit *jit = p->jit;
   if (!jit->running && !start_thread(jit)) {
      p->state = SETTLED;
      return;
   }
   p->state = state;
   p->queued = true;
   p->next = NULL;
   *jit->last = p;
   jit->last = &p->next;
   pthread_cond_signal(&jit->wake);
}

static void
unqueue(struct program *p)
{
   struct cf_jit *jit = p->jit;
   struct program **link = &jit->first;
   while (*link != p)
      link = &(*link)->next;
   *link = p->next;
   if (!p->next)
      jit->last = link;
   p->queued = false;
}

static void
destroy_program(struct cf_engine *engine)
{
   struct program *p = (struct program *)engine;
   struct cf_jit *jit = p->jit;
   pthread_mutex_lock(&jit->lock);
   if (p->queued)
      unqueue(p);
   while (jit->busy == p)
      pthread_cond_wait(&jit->done, &jit->lock);
   pthread_mutex_unlock(&jit->lock);
   cf_jit_object_unload(&p->code);
   free(p);
}

static void
wait_settled(struct program *p)
{
   pthread_mutex_lock(&p->jit->lock);
   while (p->state != SETTLED)
      pthread_cond_wait(&p->jit->done, &p->jit->lock);
   pthread_mutex_unlock(&p->jit->lock);
}

/* The program runs interpreted; many times, and it is worth compiling. */
static void
count_task(struct program *p)
{
   if (atomic_fetch_add_explicit(&p->tasks, 1, memory_order_relaxed) % HOT_TASKS != HOT_TASKS - 1)
      return;
   pthread_mutex_lock(&p->jit->lock);
   if (p->state == COLD)
      enqueue(p, HOT);
   pthread_mutex_unlock(&p->jit->lock);
}

static bool
run_program(struct cf_engine *engine, struct cf_run *run)
{
   struct program *p = (struct program *)engine;
   cf_jit_function function = atomic_load_explicit(&p->function, memory_order_acquire);
   if (!function) {
      if (p->jit->config.policy == CF_JIT_AUTO) {
         count_task(p);
         return false;
      }
      wait_settled(p);
      function = atomic_load_explicit(&p->function, memory_order_acquire);
      if (!function)
         return false;
   }
   if (p->jit->config.verify)
      cf_jit_verify(function, run);
   else
      function(run);
   return true;
}

void
cf_jit_attach(struct cf_jit *jit, struct cf_decoded *decoded)
{
   struct program *p = calloc(1, sizeof(*p));
   if (!p)
      return;
   p->engine = (struct cf_engine){ .run = run_program, .destroy = destroy_program };
   p->jit = jit;
   p->decoded = decoded;
   atomic_init(&p->function, NULL);
   pthread_mutex_lock(&jit->lock);
   enqueue(p, WAITS);
   pthread_mutex_unlock(&jit->lock);
   decoded->engine = &p->engine;
}

/* ---- the engine ---- */

bool
cf_jit_available(void)
{
   return CF_JIT_BUILT;
}

struct cf_jit *
cf_jit_create(const struct cf_jit_config *config)
{
   struct cf_jit *jit = cf_jit_available() ? calloc(1, sizeof(*jit)) : NULL;
   if (!jit)
      return NULL;
   jit->config = *config;
   jit->module_path = config->module ? strdup(config->module) : NULL;
   jit->cache_path = config->cache ? strdup(config->cache) : NULL;
   jit->last = &jit->first;
   if (__cxa_thread_atexit_impl)
      __cxa_thread_atexit_impl(wait_for_llvm, NULL, &__dso_handle);
   pthread_mutex_init(&jit->lock, NULL);
   pthread_cond_init(&jit->wake, NULL);
   pthread_cond_init(&jit->done, NULL);
   return jit;
}

void
cf_jit_destroy(struct cf_jit *jit)
{
   if (!jit)
      return;
   pthread_mutex_lock(&jit->lock);
   jit->stop = true;
   pthread_cond_signal(&jit->wake);
   pthread_mutex_unlock(&jit->lock);
   if (jit->running)
      pthread_join(jit->thread, NULL);
   /* the module stays: unloading LLVM is more than it promises to survive */
   pthread_cond_destroy(&jit->done);
   pthread_cond_destroy(&jit->wake);
   pthread_mutex_destroy(&jit->lock);
   free(jit->module_path);
   free(jit->cache_path);
   free(jit);
}

struct cf_jit_counts
cf_jit_finish(struct cf_jit *jit)
{
   pthread_mutex_lock(&jit->lock);
   while (jit->running && (jit->first || jit->busy))
      pthread_cond_wait(&jit->done, &jit->lock);
   const struct cf_jit_counts counts = jit->counts;
   pthread_mutex_unlock(&jit->lock);
   return counts;
}

char *
cf_jit_cache_folder(void)
{
   static const char *const roots[][2] = { { "XDG_CACHE_HOME", "/clipfree" },
                                           { "HOME", "/.cache/clipfree" } };
   if (getauxval(AT_SECURE) || getuid() != geteuid() || getgid() != getegid())
      return NULL;
   for (unsigned i = 0; i < 2; i++) {
      const char *root = getenv(roots[i][0]);
      if (!root || root[0] != '/')
         continue;
      const size_t size = strlen(root) + strlen(roots[i][1]) + 1;
      char *path = malloc(size);
      if (path)
         snprintf(path, size, "%s%s", root, roots[i][1]);
      return path;
   }
   return NULL;
}
