/* SPDX-License-Identifier: MIT */
/* The user's options of the model, by name. */
#include "clipfree/command/cf_model.h"

#include <string.h>

#include "clipfree/arith/cf_cordic.h"
#include "clipfree/sanitize/cf_sanitize.h"

/* Find a name's index in a list that ends with NULL. */
static bool
find_name(const char *const *names, const char *name, unsigned *index)
{
   for (*index = 0; names[*index]; ++*index) {
      if (!strcmp(names[*index], name))
         return true;
   }
   return false;
}

static bool
parse_threads(const char *value, struct cf_model_config *config)
{
   unsigned long threads;
   const bool known = cf_parse_number(value, CF_MODEL_MAX_THREADS, &threads);
   config->threads = (int)threads;
   return known;
}

static bool
parse_engine(const char *value, struct cf_model_config *config)
{
   static const char *const names[] = { "interp", "jit", "auto", NULL }; /* enum cf_engine_choice */
   unsigned engine;
   const bool known = find_name(names, value, &engine);
   config->engine = (enum cf_engine_choice)engine;
   return known;
}

static bool
parse_host_level(const char *value, struct cf_model_config *config)
{
   /* 0, 1 + enum cf_host_level */
   static const char *const names[] = { "best", "base", "v3", "v4", "v4-bytes", NULL };
   return find_name(names, value, &config->host_level);
}

static bool
parse_setup(const char *value, struct cf_model_config *config)
{
   static const char *const names[] = { "exact", "dp3", "fma", NULL }; /* enum cf_setup_policy */
   unsigned setup;
   const bool known = find_name(names, value, &setup);
   config->setup = (enum cf_setup_policy)setup;
   return known;
}

static bool
parse_vertices(const char *value, struct cf_model_config *config)
{
   /* enum cf_vertex_order */
   static const char *const names[] = { "auto", "whole", "positions", NULL };
   unsigned order;
   const bool known = find_name(names, value, &order);
   config->vertices = (enum cf_vertex_order)order;
   return known;
}

static bool
parse_path(const char *value, struct cf_model_config *config)
{
   static const char *const names[] = { "normal", "plain", NULL }; /* enum cf_path */
   unsigned path;
   const bool known = find_name(names, value, &path);
   config->path = (enum cf_path)path;
   return known;
}

static bool
parse_sfu(const char *value, struct cf_model_config *config)
{
   unsigned long iterations = 0;
   const bool cordic = !strncmp(value, "cordic:", 7) &&
                       cf_parse_number(value + 7, CF_CORDIC_MAX_ITERATIONS, &iterations);
   config->cordic_iterations = (unsigned)iterations;
   return (cordic && iterations) || !strcmp(value, "exact");
}

static bool
parse_cache_MB(const char *value, struct cf_model_config *config)
{
   unsigned long MB = 0;
   const bool known = cf_parse_number(value, 1 << 20, &MB) && MB;
   config->disk_cache_B = (uint64_t)MB << 20;
   return known;
}

static bool
parse_memory_MB(const char *value, struct cf_model_config *config)
{
   unsigned long MB = 0;
   const bool known = cf_parse_number(value, 1 << 20, &MB) && MB;
   config->memory_B = (uint64_t)MB << 20;
   return known;
}

static bool
parse_time_limit(const char *value, struct cf_model_config *config)
{
   unsigned long ms = 0;
   const bool known = cf_parse_number(value, 3600000, &ms);
   config->time_limit_ns = ms ? (uint64_t)ms * 1000000 : CF_NO_TIME_LIMIT;
   return known;
}

static bool
parse_warm_up(const char *value, struct cf_model_config *config)
{
   static const char *const names[] = { "0", "1", "compiler", NULL }; /* enum cf_warm_up */
   unsigned warm_up;
   const bool known = find_name(names, value, &warm_up);
   config->warm_up = (enum cf_warm_up)warm_up;
   return known;
}

static bool
parse_stats(const char *value, struct cf_model_config *config)
{
   config->stats = value;
   return value[0] != 0;
}

static bool
parse_trace(const char *value, struct cf_model_config *config)
{
   config->trace = value;
   return value[0] != 0;
}

static bool
parse_coverage(const char *value, struct cf_model_config *config)
{
   config->coverage = value;
   return value[0] != 0;
}

static bool
parse_sanitize(const char *value, struct cf_model_config *config)
{
   return cf_sanitize_parse(value, &config->sanitize);
}

static bool
parse_prints(const char *value, struct cf_model_config *config)
{
   struct cf_print_filter filter;
   config->prints = value;
   return cf_print_parse(value, &filter);
}

const struct cf_option cf_model_options[] = {
   { "CLIPFREE_THREADS", "--threads", "0 (no threads) to 64",
     "Worker threads; without it as many as the process may use. 0 runs everything on the calling "
     "thread, for debuggers.",
     parse_threads },
   { "CLIPFREE_ENGINE", "--engine", "interp, jit or auto",
     "What runs shaders: the interpreter; the JIT, for which the GPU waits; or (auto, the driver's "
     "default) the interpreter until a "
     "shader that runs often has been compiled.",
     parse_engine },
   { "CLIPFREE_HOST_LEVEL", "--host-level", "best, base, v3, v4 or v4-bytes",
     "The vector instructions to use: x86-64 (SSE2), x86-64-v3 (AVX2), x86-64-v4 (AVX-512), that "
     "with permutations of bytes (VBMI), or the best that the host has.",
     parse_host_level },
   { "CLIPFREE_SETUP", "--setup", "exact, dp3 or fma",
     "Triangle set-up: exact, as in paper A, or as there without its DP3 unit.", parse_setup },
   { "CLIPFREE_SFU", "--sfu", "exact or cordic:N, N iterations from 1 to 30",
     "Special functions: exactly defined, or by paper C's CORDIC, which is interpreted.",
     parse_sfu },
   { "CLIPFREE_VERTICES", "--vertices", "auto, whole or positions",
     "Vertex programs: run whole for every vertex; for positions first, and whole where a "
     "primitive is not culled; or (auto, the "
     "default) whichever is likely faster.",
     parse_vertices },
   { "CLIPFREE_PATH", "--path", "normal or plain",
     "With all shortcuts, or with none: every vertex is shaded whole, every covered fragment is "
     "shaded "
     "and then tested, no draws are joined, and clears are written at once. Pictures are the same; "
     "plain is "
     "for comparison.",
     parse_path },
   { "CLIPFREE_CACHE_MB", "--cache-mb", "1 to 1048576",
     "How many megabytes of compiled shaders to keep on disk, 256 without it; those that were used "
     "longest ago go first.",
     parse_cache_MB },
   { "CLIPFREE_MEMORY_MB", "--memory-mb", "1 to 1048576",
     "How many megabytes of GPU memory all contexts of a display may have together; what does not "
     "fit is GL_OUT_OF_MEMORY. Without it three quarters of the host's, at most 64 GB.",
     parse_memory_MB },
   { "CLIPFREE_TIME_LIMIT_MS", "--time-limit-ms", "0 to 3600000",
     "Stop what a context submitted at once when a thread has worked on it for so many "
     "milliseconds of processor time, and reset that context; up to six times as many while short "
     "tasks get on well; 0: never. Without it 1500 for contexts that ask to lose their state by a "
     "reset, as those of browsers, and never for others (docs/security.md).",
     parse_time_limit },
   { "CLIPFREE_WARM_UP", "--warm-up", "0, 1 or compiler",
     "With 1 all threads, files and libraries that drawing needs are opened with the GPU, for "
     "processes that enter a sandbox then; with compiler the library alone, for those that may "
     "have one thread and no open folder until they have entered it (docs/security.md).",
     parse_warm_up },
   { "CLIPFREE_STATS", "--stats", "the name of a file",
     "Write what each draw, clear, copy and frame cost as comma-separated values (docs/stats.md).",
     parse_stats, .writes_files = true },
   { "CLIPFREE_TRACE", "--trace", "the name of a file",
     "Write what each thread does when, as a timeline for ui.perfetto.dev (docs/trace.md).",
     parse_trace, .writes_files = true },
   { "CLIPFREE_COVERAGE", "--coverage", "the name of a folder",
     "Write which lines of GLSL ran and which way their branches went, in lcov's format "
     "(docs/coverage.md): on the plain path, interpreted.",
     parse_coverage, .writes_files = true },
   { "CLIPFREE_SANITIZE", "--sanitize", CF_SANITIZE_VALUES,
     "Report what OpenGL leaves undefined, as NaNs, divisions by zero and indices out of bounds "
     "(docs/sanitize.md): on the plain path, interpreted.",
     parse_sanitize },
   { "CLIPFREE_PRINT", "--prints",
     "all, or a list, a comma between them: pixel=X,Y, vertex=N, draw=D, limit=N, fatal",
     "Compile `#pragma clipfree print(value)` and `assert(condition)` of shaders, and print what "
     "they say, all of it or of a pixel, vertex or draw (docs/print.md): on the plain path, "
     "interpreted.",
     parse_prints },
   { NULL },
};
