/* SPDX-License-Identifier: MIT */
/*
 * A GPU that accepts work and drops it: memory is real, submissions finish at once, surfaces keep
 * their contents. For compiling without drawing, and for measuring the driver's own cost.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "clipfree/base/cf_host.h"
#include "clipfree/command/cf_model.h"
#include "clipfree/memory/cf_memory.h"
#include "clipfree/vertex/cf_vertex.h"

struct cf_noop {
   struct cf_gpu gpu;
   struct cf_memory *memory;
   _Atomic uint64_t submitted;
};

static struct cf_noop *
noop_of(struct cf_gpu *gpu)
{
   return (struct cf_noop *)gpu;
}

static void
destroy(struct cf_gpu *gpu)
{
   cf_memory_destroy(noop_of(gpu)->memory);
   free(gpu);
}

static bool
bo_alloc(struct cf_gpu *gpu, uint64_t size_B, struct cf_bo *bo)
{
   struct cf_memory *memory = noop_of(gpu)->memory;
   const uint64_t address = cf_memory_alloc(memory, size_B);
   if (!address)
      return false;
   *bo = (struct cf_bo){ .address = address,
                         .size_B = size_B,
                         .map = cf_memory_at(memory, address, size_B) };
   return true;
}

/* Nothing is ever drawn, so the allocation need not share the host's pages. */
static bool
bo_import(struct cf_gpu *gpu, int file, uint64_t size_B, struct cf_bo *bo)
{
   (void)gpu;
   (void)file;
   (void)size_B;
   (void)bo;
   return false;
}

static void
bo_free(struct cf_gpu *gpu, const struct cf_bo *bo)
{
   cf_memory_free(noop_of(gpu)->memory, bo->address);
}

static bool
write_pixels(struct cf_gpu *gpu, const struct cf_host_pixels *pixels)
{
   (void)gpu;
   (void)pixels;
   return true;
}

static uint64_t
submit(struct cf_gpu *gpu, uint64_t address, uint32_t size_B, uint64_t limit_ns)
{
   (void)address, (void)size_B, (void)limit_ns;
   return atomic_fetch_add(&noop_of(gpu)->submitted, 1) + 1;
}

static void
kick(struct cf_gpu *gpu)
{
   (void)gpu;
}

static bool
wait_for(struct cf_gpu *gpu, uint64_t seqno, uint64_t timeout_ns)
{
   (void)timeout_ns;
   return seqno <= noop_of(gpu)->submitted;
}

static uint64_t
get_param(struct cf_gpu *gpu, enum cf_gpu_param param)
{
   switch (param) {
   case CF_PARAM_MEMORY_B:
      return cf_memory_limit_B(noop_of(gpu)->memory);
   case CF_PARAM_MEMORY_USED_B:
      return cf_memory_used_B(noop_of(gpu)->memory);
   case CF_PARAM_MAX_TEXTURE_PX:
      return 16384;
   case CF_PARAM_TIME_NS:
      return cf_time_ns();
   case CF_PARAM_REUSE_PRIMS: /* the model's value: the driver must do the same work */
      return CF_VERTEX_REUSE_PRIMS;
   case CF_PARAM_THREADS:
   case CF_PARAM_ENGINE:
   case CF_PARAM_PATH:
   case CF_PARAM_REPORTS:
   case CF_PARAM_SLOW_DRAWS:
   case CF_PARAM_HIDDEN:
   case CF_PARAM_NOTES:
   case CF_PARAM_TIME_LIMIT_NS:
      break;
   }
   return 0;
}

static enum cf_reset_status
reset_status(struct cf_gpu *gpu)
{
   (void)gpu;
   return CF_RESET_NONE;
}

static void
no_text(struct cf_gpu *gpu, char *text, size_t size)
{
   (void)gpu;
   if (size)
      text[0] = '\0';
}

static bool
no_report(struct cf_gpu *gpu, uint64_t number, struct cf_report *report)
{
   (void)gpu, (void)number, (void)report;
   return false;
}

static void
end_frame(struct cf_gpu *gpu, const struct cf_surface *presented)
{
   (void)gpu;
}

static const struct cf_gpu_ops noop_ops = {
   .destroy = destroy,
   .bo_alloc = bo_alloc,
   .bo_import = bo_import,
   .bo_free = bo_free,
   .write_pixels = write_pixels,
   .submit = submit,
   .kick = kick,
   .wait = wait_for,
   .get_param = get_param,
   .reset_status = reset_status,
   .last_error = no_text,
   .report = no_report,
   .end_frame = end_frame,
};

struct cf_gpu *
cf_noop_create(const char **error)
{
   struct cf_noop *noop = calloc(1, sizeof(*noop));
   *error = "out of host memory";
   if (!noop)
      return NULL;
   noop->gpu.ops = &noop_ops;
   noop->memory = cf_memory_create(0);
   if (!noop->memory) {
      free(noop);
      return NULL;
   }
   *error = NULL;
   return &noop->gpu;
}
