/* SPDX-License-Identifier: MIT */
/*
 * Tiers: which engine runs a program.
 */
#include "clipfree/jit/cf_jit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "clipfree/jit/cf_jit_job.h"
#include "clipfree/jit/cf_jit_verify.h"
#include "clipfree/jit/cf_jit_version.h" /* generated: CF_JIT_BUILT */
#include "clipfree/shader/cf_interp.h"
#include "clipfree/texture/cf_texture.h"

/* Tasks after which compiling pays: by then interpreting has taken about a third of what compiling
 * will. */
#define HOT_TASKS 16000

/* Compiled tasks after which the textures that are bound are taken for those that the program is used with, and code for
 * them is looked for; and after which it pays to compile it. */
#define SPECIAL_TASKS 200
#define HOT_SPECIAL 30000

/* ---- programs ---- */

/* A program's code for stages whose texture units are in the states that it was first seen with often. */
struct special {
   struct cf_jit_job job;
   struct cf_sample_key units[CF_MAX_TEXTURE_UNITS];
   const struct cf_sample_functions *functions[CF_MAX_TEXTURE_UNITS]; /* of the same states: what is compared */
};

struct program {
   struct cf_engine engine;
   struct cf_jit_job job;
   uint32_t units;    /* that it samples */
   atomic_uint runs;  /* compiled, not special */
   struct special *_Atomic special; /* or NULL */
};

static const struct cf_sample_functions *
functions_of(const struct cf_stage *stage, unsigned unit)
{
   return stage->textures[unit] ? stage->textures[unit]->functions : NULL;
}

/* Begin with the code for a stage's textures, if they make a difference. */
static void
begin_special(struct program *p, const struct cf_stage *stage)
{
   struct special *special = calloc(1, sizeof(*special));
   bool useful = false;
   for (uint32_t units = p->units; special && units; units &= units - 1) {
      const unsigned unit = (unsigned)__builtin_ctz(units);
      special->functions[unit] = functions_of(stage, unit);
      if (special->functions[unit])
         cf_sample_key_of(&special->units[unit], stage->textures[unit]);
      useful = useful || cf_sample_key_is_short(&special->units[unit]);
   }
   if (!useful) {
      free(special);
      return;
   }
   const struct cf_jit_source source = { .program = p->job.source.program, .units = special->units };
   cf_jit_job_begin(&special->job, p->job.jit, source, HOT_SPECIAL);
   atomic_store_explicit(&p->special, special, memory_order_release);
}

/* The special code if there is some and it is for this stage; else `function`. */
static cf_jit_function
specialise(struct program *p, const struct cf_stage *stage, cf_jit_function function)
{
   struct special *special = atomic_load_explicit(&p->special, memory_order_acquire);
   if (!special && atomic_fetch_add_explicit(&p->runs, 1, memory_order_relaxed) == SPECIAL_TASKS)
      begin_special(p, stage);
   if (!special)
      return function;
   for (uint32_t units = p->units; units; units &= units - 1) {
      const unsigned unit = (unsigned)__builtin_ctz(units);
      if (functions_of(stage, unit) != special->functions[unit])
         return function;
   }
   void *code = cf_jit_job_function(&special->job);
   return code ? (cf_jit_function)code : function;
}

static bool
run_program(struct cf_engine *engine, struct cf_run *run)
{
   struct program *p = (struct program *)engine;
   cf_jit_function function = (cf_jit_function)cf_jit_job_function(&p->job);
   if (!function)
      return false;
   if (p->units)
      function = specialise(p, run->stage, function);
   if (p->job.jit->config.verify)
      cf_jit_verify(function, run);
   else
      function(run);
   return true;
}

static void
destroy_program(struct cf_engine *engine)
{
   struct program *p = (struct program *)engine;
   struct special *special = atomic_load_explicit(&p->special, memory_order_relaxed);
   if (special)
      cf_jit_job_end(&special->job);
   free(special);
   cf_jit_job_end(&p->job);
   free(p);
}

static uint32_t
sampled_units(const struct cf_decoded *decoded)
{
   uint32_t units = 0;
   for (unsigned i = 0; i < decoded->count; i++) {
      if (decoded->instrs[i].op == CF_OP_TEX)
         units |= 1u << decoded->instrs[i].unit;
   }
   return units;
}

void
cf_jit_attach(struct cf_jit *jit, struct cf_decoded *decoded)
{
   struct program *p = calloc(1, sizeof(*p));
   if (!p)
      return;
   p->engine = (struct cf_engine){ .run = run_program, .destroy = destroy_program };
   p->units = sampled_units(decoded);
   cf_jit_job_begin(&p->job, jit, (struct cf_jit_source){ .program = decoded }, HOT_TASKS);
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
   jit->samplers = cf_jit_samplers_create();
   cf_jit_thread_guard();
   pthread_mutex_init(&jit->lock, NULL);
   pthread_cond_init(&jit->wake, NULL);
   pthread_cond_init(&jit->done, NULL);
   if (config->policy == CF_JIT_ALWAYS && !cf_jit_thread_has_compiler(jit)) {
      cf_jit_destroy(jit);
      return NULL;
   }
   return jit;
}

void
cf_jit_destroy(struct cf_jit *jit)
{
   if (!jit)
      return;
   cf_jit_thread_stop(jit);
   cf_jit_samplers_destroy(jit->samplers);
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
