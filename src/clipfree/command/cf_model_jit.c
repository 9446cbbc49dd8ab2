/* SPDX-License-Identifier: MIT */
#include "clipfree/command/cf_model_jit.h"

#include <stdlib.h>

#include "clipfree/command/cf_model.h"
#include "clipfree/jit/cf_jit.h"

struct cf_jit *
cf_model_jit(const struct cf_model_config *config, enum cf_host_level level, struct cf_trace *trace)
{
   if (config->engine == CF_ENGINE_INTERP || config->cordic_iterations)
      return NULL;
   char *folder = config->no_disk_cache ? NULL : cf_jit_cache_folder();
   struct cf_jit *jit = cf_jit_create(&(struct cf_jit_config){
      .policy = config->engine == CF_ENGINE_JIT ? CF_JIT_ALWAYS : CF_JIT_AUTO,
      .level = level,
      .verify = config->verify_engine,
      .verify_report = config->verify_report,
      .report = config->perf,
      .warm_up = config->warm_up,
      .symbols = config->code_symbols,
      .cache = folder,
      .cache_B = config->disk_cache_B,
      .trace = trace,
   });
   free(folder);
   return jit;
}
