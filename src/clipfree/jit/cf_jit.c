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
#include "clipfree/shader/cf_decoded.h"

/* Tasks after which compiling pays: by then interpreting has taken about a third of what compiling
 * will. */
#define HOT_TASKS 16000

/* ---- programs ---- */

struct program {
   struct cf_engine engine;
   struct cf_jit_job job;
};

static bool
run_program(struct cf_engine *engine, struct cf_run *run)
{
   struct program *p = (struct program *)engine;
   cf_jit_function function = (cf_jit_function)cf_jit_job_function(&p->job);
   if (!function)
      return false;
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
   cf_jit_job_end(&p->job);
   free(p);
}

void
cf_jit_attach(struct cf_jit *jit, struct cf_decoded *decoded)
{
   struct program *p = calloc(1, sizeof(*p));
   if (!p)
      return;
   p->engine = (struct cf_engine){ .run = run_program, .destroy = destroy_program };
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
