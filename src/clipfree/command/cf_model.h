/* SPDX-License-Identifier: MIT */
/*
 * The GPUs that may stand behind the seam (interface/cf_gpu.h), and how they are made.
 */
#ifndef CF_MODEL_H
#define CF_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "clipfree/interface/cf_choices.h"
#include "clipfree/interface/cf_gpu.h"
#include "clipfree/interface/cf_observer.h"
#include "clipfree/interface/cf_options.h"
#include "clipfree/interface/cf_verify.h"

#define CF_MODEL_MAX_THREADS 64

struct cf_model_config {
   int threads;       /* worker threads; 0: none; -1: as many as the process may use */
   uint64_t memory_B; /* of the GPU at most; 0: three quarters of the host's */
   enum cf_setup_policy setup;
   bool perf;      /* print time by unit per submission and frame */
   bool slow;      /* print draws that stay on a slow path, and why */
   bool quiet;     /* do not print what fails: the caller asks for it (last_error) */
   const char *stats; /* a file for rows of draws and frames (docs/stats.md); NULL: none */
   const char *trace; /* a file for a timeline (docs/trace.md); NULL: none */
   /* a folder for the coverage of GLSL (docs/coverage.md); NULL: none. Implies an observer of its
    * own, with path and engine */
   const char *coverage;
   /* checks of the sanitiser (sanitize/cf_sanitize.h, docs/sanitize.md); 0: none. The same */
   uint32_t sanitize;
   const char *prints; /* which prints of shaders (cf_print_parse, docs/print.md); NULL: none. The
                          same; sanitiser and prints go together */
   uint32_t print; /* enum cf_print_flag */
   enum cf_engine_choice engine;
   uint32_t host_level; /* vector instructions to use: 1 + enum cf_host_level; 0: the best that the
                           host has */
   unsigned cordic_iterations; /* compute special functions by CORDIC (for study, interpreter only);
                                  0: the exactly defined functions */
   enum cf_vertex_order vertices; /* without effect on the plain path */
   enum cf_path path;
   bool verify_engine; /* run tasks of compiled programs in the interpreter, too; a difference is
                          printed and aborts the process */
   /* who is told of differences instead, on the thread that finds them; NULL: none. Owned by the
    * caller; must outlive the GPU. */
   const struct cf_verify_report *verify_report;
   bool code_symbols; /* tell perf and gdb where compiled programs are: /tmp/perf-PID.map, gdb's JIT
                         interface */
   bool no_disk_cache;       /* keep no compiled programs on disk */
   uint64_t disk_cache_B;    /* the most of them to keep there; 0: default */
   /* of what is submitted by whoever asks CF_PARAM_TIME_LIMIT_NS; 0: nothing is said of it */
   uint64_t time_limit_ns;
   enum cf_warm_up warm_up;
   uint64_t max_task_instrs; /* watchdog: instructions a task may run; 0: default */
   /* NULL: none. Requires CF_PATH_PLAIN, and CF_ENGINE_INTERP; or, if it wants tasks of fragments
    * in some tiles alone, CF_ENGINE_AUTO. Owned by the caller; must outlive the GPU. */
   const struct cf_observer *observer;
};

/** The user's options: environment variables and their values. The last entry has no variable. */
extern const struct cf_option cf_model_options[];

/** Create the model. NULL and a message in `error` (static string) when that fails, or `config`
 * contradicts itself, the build or the host. Where CF_ENGINE_JIT finds no compiler at run time,
 * programs are interpreted (CF_PARAM_ENGINE tells); with verify_engine that is an error. */
struct cf_gpu *cf_model_create(const struct cf_model_config *config, const char **error);

/** A GPU that accepts work and drops it. */
struct cf_gpu *cf_noop_create(const char **error);

#endif
