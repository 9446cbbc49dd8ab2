/* SPDX-License-Identifier: MIT */
/*
 * Inside the engine: jobs, each one function to be compiled, and the thread that compiles them (its
 * worker).
 *
 * A job's `function` changes from NULL to its code once, and is read once per task, so that engines
 * change between tasks. All other members belong to the thread while it works on the job, and are
 * guarded by the lock otherwise.
 */
#ifndef CF_JIT_JOB_H
#define CF_JIT_JOB_H

#include <pthread.h>
#include <stdatomic.h>

#include "clipfree/jit/cf_jit.h"
#include "clipfree/jit/cf_jit_llvm.h"
#include "clipfree/jit/cf_jit_object.h"
#include "clipfree/jit/cf_jit_source.h"

enum cf_jit_state {
   CF_JIT_UNUSED,  /* under CF_JIT_ALWAYS: its code was not requested yet */
   CF_JIT_WAITS,   /* queued for lookup in the cache */
   CF_JIT_COLD,    /* not in the cache, and not run often enough to be compiled */
   CF_JIT_HOT,     /* queued for compilation */
   CF_JIT_SETTLED, /* compiled, or failed for good */
};

struct cf_jit_job {
   struct cf_jit *jit;
   struct cf_jit_source source;
   unsigned hot;            /* runs after which compiling pays */
   _Atomic(void *) function; /* NULL: not compiled yet */
   atomic_uint runs;        /* without compiled code */
   atomic_bool refused;     /* compilation failed */
   enum cf_jit_state state;
   bool queued;
   bool ends; /* cf_jit_job_end waits for the thread: it must not be queued again */
   struct cf_jit_job *next; /* in the queue */
   struct cf_jit_code code;
};

/* A thread that compiles. Once its compilation is left it is its own alone. */
struct cf_jit_worker {
   struct cf_jit *jit;
   pthread_t thread;
   bool ended;
   atomic_int phase; /* enum cf_jit_phase of the last compilation */
   _Atomic uint64_t began_ns, began_cpu_ns; /* processor time of the process */
};

struct jit_program; /* cf_jit.c */
struct cf_jit_samplers;
struct cf_jit_cache;

struct cf_jit {
   struct cf_jit_config config;
   char *module_path, *cache_path;
   pthread_mutex_t lock;
   pthread_cond_t wake;              /* for the thread: the queue is not empty, or `stop` */
   pthread_cond_t done;              /* for others: the thread has finished a job */
   struct cf_jit_job *first, **last; /* the queue */
   struct cf_jit_job *busy;          /* the job that the thread works on */
   struct cf_jit_worker *worker;     /* the thread; NULL: not started, or left */
   bool stop, was_left;
   struct cf_jit_counts counts;
   struct cf_jit_samplers *samplers;
   struct jit_program *full; /* programs whose list of code from quads to pixels is full */
   atomic_bool wants_eviction;
   /* the thread's own */
   struct cf_jit_cache *cache;
   void *module;
   const struct cf_jit_compiler *compiler;
   bool opened;
   bool tried, refused; /* the host was asked for executable memory; it refuses it */
};

/** Initialise a job, which must not move afterwards, and queue its cache lookup. `hot`: runs after
 * which it is compiled. Under CF_JIT_ALWAYS it is queued when its code is first requested: most
 * fragment programs only ever need code from quads to pixels. */
void cf_jit_job_begin(struct cf_jit_job *job, struct cf_jit *jit, struct cf_jit_source source,
                      unsigned hot);

/** Remove the job from the queue, wait if the thread is working on it, and free its code. */
void cf_jit_job_end(struct cf_jit_job *job);

/** The code, for one run. NULL: not compiled yet (the run is counted), or failed. Under
 * CF_JIT_ALWAYS it waits for the code. */
void *cf_jit_job_function(struct cf_jit_job *job);

/** Count `runs` more of a job without code: a run has taken as long as so many others. */
void cf_jit_job_count(struct cf_jit_job *job, unsigned runs);

/** The next run of a job without code is not to count: other code for it is on its way. */
void cf_jit_job_skip_run(struct cf_jit_job *job);

/** Compile the source of `of` once more, as watched code (cf_jit_source.watched), and wait for it.
 * NULL: compilation failed. */
void *cf_jit_job_watched(struct cf_jit_job *job, const struct cf_jit_job *of);

/** Open all that jobs need, by one of a program that does nothing, and wait for it. */
void cf_jit_thread_warm_up(struct cf_jit *jit);

/** End the thread, after its current compilation, if that comes to an end. */
void cf_jit_thread_stop(struct cf_jit *jit);

/* cf_jit_compile.c */

/** Load the compiler, before the first job. False: there is none, or no memory for its code; the
 * reason is printed. */
bool cf_jit_has_compiler(struct cf_jit *jit);

/** If the calling thread ends the process, its exit waits until LLVM is idle. */
void cf_jit_guard_exit(void);

/** Do what a job waits for, without the lock. Returns its new state; the code is there, or counts
 * as failed. If the compilation was left meanwhile nothing of the job and the engine was touched.
 */
enum cf_jit_state cf_jit_worker_do(struct cf_jit_worker *worker, struct cf_jit_job *job,
                                   struct cf_jit_counts *counts);

/** Leave a thread that has been in LLVM for longer than the limit. False: it is not. With the
 * lock. */
bool cf_jit_worker_leave(struct cf_jit_worker *worker);

/** Whether the calling thread's compilation was left. */
static inline bool
cf_jit_worker_is_left(struct cf_jit_worker *worker)
{
   return atomic_load(&worker->phase) == CF_JIT_LEFT;
}

/* cf_jit_sample.c */
struct cf_jit_samplers *cf_jit_samplers_create(void);
void cf_jit_samplers_destroy(struct cf_jit_samplers *samplers);

#endif
