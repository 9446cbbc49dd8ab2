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

#define CF_MAX_PATH 4096

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

/* The value of CLIPFREE_CAPTURE, parsed. */
struct cf_capture_request {
   char path[CF_MAX_PATH];
   unsigned long first, count;
};

/* Parse file=...,frame=N[,count=M]; file comes first and must not contain a comma. */
static bool
cf_parse_capture(const char *value, struct cf_capture_request *request)
{
   const size_t length = strcspn(value, ",");
   char rest[64], *at = rest;

   request->first = 0;
   request->count = 1;
   if (strncmp(value, "file=", 5) || length == 5 || length - 5 >= sizeof(request->path) ||
       snprintf(rest, sizeof(rest), "%s", value + length) >= (int)sizeof(rest))
      return false;
   snprintf(request->path, sizeof(request->path), "%.*s", (int)length - 5, value + 5);
   while (*at) {
      char *const name = at + 1;
      at = name + strcspn(name, ",");
      const char end = *at;
      *at = 0;
      if (!(!strncmp(name, "frame=", 6) &&
            cf_parse_number(name + 6, UINT32_MAX, &request->first)) &&
          !(!strncmp(name, "count=", 6) && cf_parse_number(name + 6, UINT32_MAX, &request->count)))
         return false;
      *at = end;
   }
   return request->count > 0;
}

/* Capture the process' first GPU to the file, the n-th one to file.n: each counts its own
 * submissions. */
static struct cf_gpu *
cf_capture_gpu(struct cf_gpu *gpu, const struct cf_capture_request *request, const char **error)
{
   static unsigned captures;
   static char text[CF_MAX_PATH + 128];
   const unsigned number = p_atomic_inc_return(&captures);
   char path[CF_MAX_PATH + 16];

   snprintf(path, sizeof(path), number > 1 ? "%s.%u" : "%s", request->path, number);
   struct cf_gpu *capture = cf_capture_create(gpu, path, request->first, request->count);
   if (!capture) {
      snprintf(text, sizeof(text), "CLIPFREE_CAPTURE: %s: %s", path, strerror(errno));
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
   struct cf_capture_request request;

   if (value && !cf_parse_capture(value, &request)) {
      *error = cf_option_message(option);
      return NULL;
   }
   struct cf_gpu *gpu = cf_create_chosen_gpu(asked, error);
   return gpu && value ? cf_capture_gpu(gpu, &request, error) : gpu;
}
