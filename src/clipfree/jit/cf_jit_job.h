/* SPDX-License-Identifier: MIT */
/*
 * Private to the room: pieces of code that are to become compiled, and the thread that does it.
 *
 * A job's `function` goes from NULL to its code once, and is read once a task, so engines change between tasks. All
 * else of a job is the thread's while it works on it, and belongs to the lock otherwise.
 */
#ifndef CF_JIT_JOB_H
#define CF_JIT_JOB_H

#include <pthread.h>
#include <stdatomic.h>

#include "clipfree/jit/cf_jit.h"
#include "clipfree/jit/cf_jit_object.h"
#include "clipfree/jit/cf_jit_source.h"

enum cf_jit_state {
   CF_JIT_UNUSED,  /* under CF_JIT_ALWAYS: nobody has asked for its code yet */
   CF_JIT_WAITS,   /* for the thread to look in the cache */
   CF_JIT_COLD,    /* not in the cache, and not run often yet */
   CF_JIT_HOT,     /* waits for the thread to compile it */
   CF_JIT_SETTLED, /* compiled, or never will be */
};

struct cf_jit_job {
   struct cf_jit *jit;
   struct cf_jit_source source;
   unsigned hot;            /* runs after which compiling pays */
   _Atomic(void *) function; /* NULL: not there */
   atomic_uint runs;        /* without it */
   atomic_bool refused;     /* it was to be compiled, and could not */
   enum cf_jit_state state;
   bool queued;
   struct cf_jit_job *next; /* in the queue */
   struct cf_jit_code code;
};

struct program; /* cf_jit.c */
struct cf_jit_samplers;
struct cf_jit_cache;
struct cf_jit_compiler;

struct cf_jit {
   struct cf_jit_config config;
   char *module_path, *cache_path;
   pthread_mutex_t lock;
   pthread_cond_t wake;              /* the thread */
   pthread_cond_t done;              /* a job has settled, or the thread left one */
   struct cf_jit_job *first, **last; /* the queue */
   struct cf_jit_job *busy;          /* what the thread works on */
   bool stop, running;
   pthread_t thread;
   struct cf_jit_counts counts;
   struct cf_jit_samplers *samplers;
   struct program *full; /* programs that have no room for more code from quads to pixels */
   atomic_bool wants_rest;
   /* the thread's own */
   struct cf_jit_cache *cache;
   void *module;
   const struct cf_jit_compiler *compiler;
   bool opened;
};

/** Begin with a job, at the address where it stays. `hot`: runs after which it is compiled. Under CF_JIT_ALWAYS nothing is done
 * before it is asked for its code: most jobs of fragment programs never are, but those from quads to pixels. */
void cf_jit_job_begin(struct cf_jit_job *job, struct cf_jit *jit, struct cf_jit_source source, unsigned hot);

/** Wait until the thread has left it, and free its code. */
void cf_jit_job_end(struct cf_jit_job *job);

/** Its code, for one run. NULL: there is none yet (the run is counted), or never. Waits for it under CF_JIT_ALWAYS. */
void *cf_jit_job_function(struct cf_jit_job *job);

/** The next run of a job without code is not to count: other code for it is on its way. */
void cf_jit_job_skip_run(struct cf_jit_job *job);

/** Compile the code of a job again, to be watched (cf_jit_source.watched), and wait for it. NULL: it cannot be. */
void *cf_jit_job_watched(struct cf_jit_job *job, const struct cf_jit_job *of);

/** Load the compiler, before the first job. False: there is none, which has been printed if the configuration wants it. */
bool cf_jit_thread_has_compiler(struct cf_jit *jit);

/** The calling thread may end the process: its exit then waits for LLVM to come to rest. */
void cf_jit_thread_guard(void);

/** End the thread, after what it is compiling. */
void cf_jit_thread_stop(struct cf_jit *jit);

/* cf_jit_sample.c */
struct cf_jit_samplers *cf_jit_samplers_create(void);
void cf_jit_samplers_destroy(struct cf_jit_samplers *samplers);

#endif
