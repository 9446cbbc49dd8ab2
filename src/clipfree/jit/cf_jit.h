/* SPDX-License-Identifier: MIT */
/*
 * The JIT, the second engine: programs compiled to host code, with the same bits as the
 * interpreter.
 *
 * A program starts in the interpreter. A background thread looks it up in the cache on disk, and
 * compiles it when it has run often enough; from then on its tasks run compiled. No other thread
 * waits for it, except under CF_JIT_ALWAYS. Programs stay interpreted if they cannot be compiled:
 * without compiler module, LLVM or memory.
 *
 * Data flow: program -> cf_jit_attach -> (thread) cache or compiler module -> ELF object ->
 * cf_jit_object.h -> code.
 */
#ifndef CF_JIT_H
#define CF_JIT_H

#include <stdbool.h>
#include <stdint.h>

#include "clipfree/base/cf_lanes.h"
#include "clipfree/interface/cf_choices.h"
#include "clipfree/interface/cf_verify.h"

struct cf_decoded;
struct cf_jit;
struct cf_trace;
struct cf_texture_unit;
struct cf_sample_functions;
struct cf_run;

/** A compiled program: runs a task, set up as for the interpreter, to its end, and stores
 * `alive`. */
typedef void (*cf_jit_function)(struct cf_run *run);

enum cf_jit_policy {
   CF_JIT_AUTO,   /* compile hot programs in the background */
   CF_JIT_ALWAYS, /* compile before the first run, and wait for it */
};

struct cf_jit_config {
   enum cf_jit_policy policy;
   enum cf_host_level level;
   bool verify; /* run every task in both engines; the first difference is printed and ends the
                   process */
   const struct cf_verify_report *verify_report; /* NULL: none; else it is told instead */
   bool report; /* print to stderr what is compiled or loaded, and failures */
   enum cf_warm_up warm_up; /* which are opened now: its thread, the cache, the compiler */
   bool symbols; /* register code with perf and gdb (cf_jit_symbols.h) */
   /* path of the compiler module; NULL: beside this library, or on the loader's search path */
   const char *module;
   const char *cache;  /* folder of compiled objects, made if missing; NULL: none */
   uint64_t limit_ns;  /* a compilation that takes longer is left; 0: CF_JIT_LIMIT_NS */
   uint64_t cache_B;   /* the most that they take there; 0: CF_JIT_CACHE_B */
   struct cf_trace *trace; /* gets the thread's jobs; NULL: none */
};

/** Whether this build has a compiler module. */
bool cf_jit_available(void);

/** NULL: out of memory, no compiler module was built, or it cannot be loaded under CF_JIT_ALWAYS
 * (which prints the reason). The strings are copied. */
struct cf_jit *cf_jit_create(const struct cf_jit_config *config);

/** Ends the thread, after its current compilation, if that comes to an end. All programs must have
 * been freed. */
void cf_jit_destroy(struct cf_jit *jit);

/** Attach this engine to a program (program->engine), until the program is freed. Out of memory it
 * stays interpreted. */
void cf_jit_attach(struct cf_jit *jit, struct cf_decoded *program);

/** Run a task, set up by cf_shader_ops.begin, in code that is compiled to be watched: it leaves all
 * registers in the task, which other code keeps to itself, and calls `watch` after instruction `at`
 * has run, before it for control flow, with run->exec of that instruction. It waits for the
 * compiler, each time. False: the program cannot be compiled, and nothing ran. */
bool cf_jit_run_watched(struct cf_jit *jit, struct cf_run *run,
                        void (*watch)(struct cf_run *run, uint32_t at));

/** Some program's list of code from quads to pixels is full: cf_jit_evict should be called soon. */
bool cf_jit_wants_eviction(const struct cf_jit *jit);

/** Evict the least recently used code of programs whose list is full. No task may run. */
void cf_jit_evict(struct cf_jit *jit);

/** Whether a program has too many instructions to be compiled at the engine's host level. */
bool cf_jit_is_too_long(const struct cf_jit *jit, unsigned instrs);

/** Whether compiling any code of a program failed. False without an engine. */
bool cf_jit_has_refused(const struct cf_decoded *program);

/** The same for sample functions. */
bool cf_jit_has_refused_samples(const struct cf_sample_functions *functions);

/** The table of sample functions for a unit's state (unit->functions); lives as long as the engine.
 * NULL: this state is not compiled. */
const struct cf_sample_functions *cf_jit_sample_functions(struct cf_jit *jit,
                                                          const struct cf_texture_unit *unit);

struct cf_jit_counts {
   unsigned compiled, loaded, failed; /* jobs: compiled, loaded from the cache, neither */
};

/** Wait until nothing is queued or being compiled; returns the counts. For tests. */
struct cf_jit_counts cf_jit_finish(struct cf_jit *jit);

/** The user's folder for the cache: clipfree in $MESA_SHADER_CACHE_DIR, $XDG_CACHE_HOME or
 * ~/.cache; free() it. NULL: there is none, MESA_SHADER_CACHE_DISABLE is set, or the process is
 * set-uid. */
char *cf_jit_cache_folder(void);

#endif
