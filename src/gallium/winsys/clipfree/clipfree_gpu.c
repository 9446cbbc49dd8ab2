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

static struct cf_gpu *
cf_create_chosen_gpu(const struct cf_model_config *asked, const char **error)
{
   const struct cf_option *option = &cf_driver_options[CF_OPTION_GPU];
   struct cf_model_config config = *asked;
   const char *value = cf_option_value(option);

   if (!cf_configure(&config, error))
      return NULL;
   if (!value || !strcmp(value, "model"))
      return cf_model_create(&config, error);
   if (!strcmp(value, "noop"))
      return cf_noop_create(error);
   *error = cf_option_message(option);
   return NULL;
}

/* Capture the process' first GPU to the file, the n-th one to file.n: each counts its own frames
 * and submissions. */
static struct cf_gpu *
cf_capture_gpu(struct cf_gpu *gpu, const struct cf_capture_config *first, const char **error)
{
   static unsigned captures;
   static char text[sizeof(first->path) + 128];
   const unsigned number = p_atomic_inc_return(&captures);
   struct cf_capture_config config = *first;

   if (number > 1)
      snprintf(config.path, sizeof(config.path), "%.4000s.%u", first->path, number);
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
   struct cf_capture_config config;

   if (value && !cf_capture_parse(value, &config)) {
      *error = cf_option_message(option);
      return NULL;
   }
   struct cf_gpu *gpu = cf_create_chosen_gpu(asked, error);
   return gpu && value ? cf_capture_gpu(gpu, &config, error) : gpu;
}
