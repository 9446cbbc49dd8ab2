/* SPDX-License-Identifier: MIT */
/*
 * Which GPU, and how it is set up: what the environment says. A value that is not known is an error
 * that lists what is.
 */
#include "clipfree_winsys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/macros.h"
#include "util/os_misc.h"
#include "util/u_debug.h"

#include "clipfree/command/cf_gpu.h"

#define CF_MAX_THREADS 256
#define CF_MAX_CORDIC_ITERATIONS 30 /* arith/cf_cordic.h */

/* The messages of *error live here: they are short, and asked for once per process. */
static char cf_error_text[256];

static const char *
cf_option_error(const char *name, const char *value, const char *known)
{
   snprintf(cf_error_text, sizeof(cf_error_text), "%s=%s is not known; it may be %s", name, value,
            known);
   return cf_error_text;
}

/* A whole number with nothing after it. */
static bool
cf_parse_number(const char *text, unsigned long max, unsigned long *number)
{
   char *end;
   *number = strtoul(text, &end, 10);
   return *text >= '0' && *text <= '9' && !*end && *number <= max;
}

static bool
cf_parse_threads(struct cf_model_config *config, const char **error)
{
   const char *value = os_get_option("CLIPFREE_THREADS");
   unsigned long threads;

   config->threads = -1;
   if (!value)
      return true;
   if (!cf_parse_number(value, CF_MAX_THREADS, &threads)) {
      *error = cf_option_error("CLIPFREE_THREADS", value, "0 (no threads) to 256");
      return false;
   }
   config->threads = threads;
   return true;
}

static bool
cf_parse_setup(struct cf_model_config *config, const char **error)
{
   static const char *const names[] = { "exact", "dp3", "fma" }; /* enum cf_setup_policy */
   const char *value = os_get_option("CLIPFREE_SETUP");

   for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
      if (!value || !strcmp(value, names[i])) {
         config->setup = i;
         return true;
      }
   }
   *error = cf_option_error("CLIPFREE_SETUP", value, "exact, dp3 or fma");
   return false;
}

/* What was asked for, unless that is the interpreter: it is there for all who want no compiler. */
static bool
cf_parse_engine(struct cf_model_config *config, const char **error)
{
   static const char *const names[] = { "interp", "jit", "auto" }; /* enum cf_engine_choice */
   const char *value = os_get_option("CLIPFREE_ENGINE");

   unsigned chosen = 0;
   while (value && chosen < ARRAY_SIZE(names) && strcmp(value, names[chosen]))
      chosen++;
   if (chosen == ARRAY_SIZE(names)) {
      *error = cf_option_error("CLIPFREE_ENGINE", value, "interp, jit or auto");
   } else if (value && chosen == CF_ENGINE_JIT && !cf_model_has_jit()) {
      *error = "CLIPFREE_ENGINE=jit: this build has no JIT (it needs LLVM); use interp or auto";
   } else {
      if (value && config->engine != CF_ENGINE_INTERP)
         config->engine = chosen;
      return true;
   }
   return false;
}

/* The special-function unit: the exactly defined functions, or paper C's CORDIC for study. */
static bool
cf_parse_sfu(struct cf_model_config *config, const char **error)
{
   const char *value = os_get_option("CLIPFREE_SFU");
   unsigned long iterations;

   config->cordic_iterations = 0;
   if (!value || !strcmp(value, "exact"))
      return true;
   if (strncmp(value, "cordic:", 7) || !cf_parse_number(value + 7, CF_MAX_CORDIC_ITERATIONS, &iterations) || !iterations) {
      *error = cf_option_error("CLIPFREE_SFU", value, "exact or cordic:N, N iterations from 1 to 30");
      return false;
   }
   if (config->engine == CF_ENGINE_JIT) {
      *error = "CLIPFREE_SFU=cordic:N is interpreted: it cannot be used with CLIPFREE_ENGINE=jit";
      return false;
   }
   config->cordic_iterations = iterations;
   return true;
}

static struct cf_gpu *
cf_create_chosen_gpu(const struct cf_model_config *asked, const char **error)
{
   struct cf_model_config config = *asked;
   const char *value = os_get_option("CLIPFREE_GPU");

   if (!cf_parse_threads(&config, error) || !cf_parse_setup(&config, error) ||
       !cf_parse_engine(&config, error) || !cf_parse_sfu(&config, error))
      return NULL;
   if (!value || !strcmp(value, "model"))
      return cf_model_create(&config, error);
   if (!strcmp(value, "noop"))
      return cf_noop_create(error);
   *error = cf_option_error("CLIPFREE_GPU", value, "model or noop");
   return NULL;
}

/* CLIPFREE_CAPTURE: file=...,frame=N[,count=M]; file comes first and may not hold a comma. */
static bool
cf_parse_capture(const char *value, char path[256], unsigned long *first, unsigned long *count)
{
   *first = 0;
   *count = 1;
   if (strncmp(value, "file=", 5))
      return false;
   value += 5;
   const size_t length = strcspn(value, ",");
   if (!length || length >= 256)
      return false;
   memcpy(path, value, length);
   path[length] = 0;

   for (value += length; *value;) {
      char *end;
      if (!strncmp(value, ",frame=", 7))
         *first = strtoul(value + 7, &end, 10);
      else if (!strncmp(value, ",count=", 7))
         *count = strtoul(value + 7, &end, 10);
      else
         return false;
      if (end == value + 7 || (*end && *end != ','))
         return false;
      value = end;
   }
   return *count > 0;
}

struct cf_gpu *
cf_winsys_create_gpu(const struct cf_model_config *asked, const char **error)
{
   const char *value = os_get_option("CLIPFREE_CAPTURE");
   unsigned long first, count;
   char path[256];

   if (value && __normal_user() && !cf_parse_capture(value, path, &first, &count)) {
      *error = cf_option_error("CLIPFREE_CAPTURE", value, "file=PATH[,frame=N][,count=M]");
      return NULL;
   }
   struct cf_gpu *gpu = cf_create_chosen_gpu(asked, error);
   if (gpu && value && __normal_user()) {
      struct cf_gpu *capture = cf_capture_create(gpu, path, first, count, error);
      if (!capture)
         gpu->ops->destroy(gpu);
      gpu = capture;
   }
   return gpu;
}
