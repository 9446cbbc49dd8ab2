/* SPDX-License-Identifier: MIT */
/*
 * The second engine: programs compiled to host code. It gives the same bits as the interpreter,
 * only sooner.
 *
 * A program starts in the interpreter. One background thread looks for it in the cache on disk, and
 * compiles it when it has run often enough; from then on its tasks run compiled. Nobody ever waits
 * for the thread, except where CF_JIT_ALWAYS asks for it. What cannot be compiled stays
 * interpreted: no compiler module, no LLVM, no memory.
 *
 * Data flow: program -> cf_jit_attach -> (thread) cache or compiler module -> ELF object ->
 * cf_jit_object.h -> code.
 */
#ifndef CF_JIT_H
#define CF_JIT_H

#include <stdbool.h>

#include "clipfree/base/cf_lanes.h"

struct cf_decoded;
struct cf_jit;
struct cf_texture_unit;
struct cf_sample_functions;
struct cf_run;

/** What a compiled program is: runs a task that the interpreter set up to its end, and leaves alive
 * in it. */
typedef void (*cf_jit_function)(struct cf_run *run);

enum cf_jit_policy {
   CF_JIT_AUTO,   /* compile what runs often, in the background */
   CF_JIT_ALWAYS, /* run nothing interpreted that can be compiled: wait for it */
};

struct cf_jit_config {
   enum cf_jit_policy policy;
   enum cf_host_level level;
   bool verify; /* run every task in both engines; the first difference is printed and ends the
                   process */
   bool report; /* print to stderr what is compiled, loaded, and why not */
   bool symbols; /* tell perf and gdb where code is (cf_jit_symbols.h) */
   const char *module; /* path of the compiler module; NULL: beside the library this code is in, or
                          where the loader looks */
   const char *cache;  /* folder of compiled objects, made if missing; NULL: none */
};

/** Whether this build has a compiler module. */
bool cf_jit_available(void);

/** NULL: out of memory, no compiler module was built, or CF_JIT_ALWAYS and it cannot be loaded (which is printed). The strings are
 * copied. */
struct cf_jit *cf_jit_create(const struct cf_jit_config *config);

/** Ends the thread, after what it is compiling. All programs must have been freed. */
void cf_jit_destroy(struct cf_jit *jit);

/** Give a program this engine (program->engine), until the program is freed. Without memory it
 * stays interpreted. */
void cf_jit_attach(struct cf_jit *jit, struct cf_decoded *program);

/** Some program has as much code from quads to pixels as it may have, and wants more: cf_jit_rest should be called soon. */
bool cf_jit_wants_rest(const struct cf_jit *jit);

/** No task runs: such programs lose the code that they have not used for longest. */
void cf_jit_rest(struct cf_jit *jit);

/** Whether a program has more instructions than are compiled at the engine's level. */
bool cf_jit_is_too_long(const struct cf_jit *jit, unsigned instrs);

/** Whether something of a program, with or without an engine, was to be compiled, and could not. */
bool cf_jit_has_refused(const struct cf_decoded *program);

/** The same of samples. */
bool cf_jit_has_refused_samples(const struct cf_sample_functions *functions);

/** What samples a unit for compiled programs (unit->functions); lives as long as the engine. NULL: there is no code for
 * units of this state. */
const struct cf_sample_functions *cf_jit_sample_functions(struct cf_jit *jit, const struct cf_texture_unit *unit);

struct cf_jit_counts {
   unsigned compiled, loaded, failed; /* programs and samples: by the compiler, from the cache, neither */
};

/** Wait until nothing is queued or being compiled, and count. For tests. */
struct cf_jit_counts cf_jit_finish(struct cf_jit *jit);

/** The user's folder for the cache: clipfree in $MESA_SHADER_CACHE_DIR, $XDG_CACHE_HOME or ~/.cache; free() it. NULL: there
 * is none, MESA_SHADER_CACHE_DISABLE says so, or the process has more rights than its user. */
char *cf_jit_cache_folder(void);

#endif
