/* SPDX-License-Identifier: MIT */
/*
 * Selection and configuration of the GPU by environment variables. An unknown value is an error
 * that lists the known ones.
 */
#include "clipfree_winsys.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/capture/cf_capture_recorder.h"
#include "clipfree/interface/cf_forked.h"
#include "util/os_misc.h"
#include "util/u_atomic.h"
#include "util/u_debug.h"

#include "clipfree_options.h"

/* Configure the engine; the interpreter is always available, any other needs the JIT. */
static bool
cf_configure(struct cf_model_config *config, const char **error)
{
   const bool interpret = config->engine == CF_ENGINE_INTERP;

   config->threads = -1;
   if (!cf_options_parse_model(config, error))
      return false;
   if (interpret)
      config->engine = CF_ENGINE_INTERP;
   return true;
}

/* The name of a file that each GPU of the process writes: the first one writes `path`, the n-th one
 * path.n. */
static const char *
cf_name_file(char *text, size_t text_B, const char *path, unsigned number)
{
   if (number == 1)
      return path;
   snprintf(text, text_B, "%.4000s.%u", path, number);
   return text;
}

static struct cf_gpu *
cf_create_chosen_gpu(const struct cf_model_config *asked, unsigned number, const char **error)
{
   char stats[4096], trace[4096];
   const struct cf_option *option = &cf_driver_options[CF_OPTION_GPU];
   struct cf_model_config config = *asked;
   const char *value = cf_option_value(option);

   if (!cf_configure(&config, error))
      return NULL;
   if (config.stats)
      config.stats = cf_name_file(stats, sizeof(stats), config.stats, number);
   if (config.trace)
      config.trace = cf_name_file(trace, sizeof(trace), config.trace, number);
   if (!value || !strcmp(value, "model"))
      return cf_model_create(&config, error);
   if (!strcmp(value, "noop"))
      return cf_noop_create(error);
   *error = cf_option_message(option);
   return NULL;
}

/* Each GPU counts its own frames and submissions. */
static struct cf_gpu *
cf_capture_gpu(struct cf_gpu *gpu, const struct cf_capture_config *first, unsigned number,
               const char **error)
{
   static char text[sizeof(first->path) + 128];
   struct cf_capture_config config = *first;

   cf_name_file(config.path, sizeof(config.path), first->path, number);
   struct cf_gpu *capture = cf_capture_create(gpu, &config);
   if (!capture) {
      snprintf(text, sizeof(text), "CLIPFREE_CAPTURE: %s: %s", config.path, strerror(errno));
      *error = text;
      gpu->ops->destroy(gpu);
   }
   return capture;
}

struct cf_gpu *
cf_winsys_create_gpu(const struct cf_model_config *asked, const char **error)
{
   const struct cf_option *option = &cf_driver_options[CF_OPTION_CAPTURE];
   const char *value = __normal_user() ? cf_option_value(option) : NULL;
   static unsigned gpus;
   const unsigned number = p_atomic_inc_return(&gpus);
   struct cf_capture_config config;

   if (value && !cf_capture_parse(value, &config)) {
      *error = cf_option_message(option);
      return NULL;
   }
   struct cf_gpu *gpu = cf_create_chosen_gpu(asked, number, error);
   if (gpu && value)
      gpu = cf_capture_gpu(gpu, &config, number, error);
   if (gpu)
      cf_forked_watch(gpu);
   return gpu;
}

void
cf_winsys_destroy_gpu(struct cf_gpu *gpu)
{
   cf_forked_forget(gpu);
   gpu->ops->destroy(gpu);
}
