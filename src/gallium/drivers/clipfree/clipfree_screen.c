/* SPDX-License-Identifier: MIT */
/*
 * The screen: creation from a GPU and a winsys.
 */
#include "clipfree_screen.h"

#include "util/disk_cache.h"
#include "util/mesa-sha1.h"
#include "util/os_misc.h"
#include "util/u_debug.h"
#include "util/u_memory.h"
#include "util/u_screen.h"

#include "frontend/sw_winsys.h"

#include "clipfree/compiler/cf_compiler.h"

#include "clipfree_buffer.h"
#include "clipfree_context.h"
#include "clipfree_counters.h"
#include "clipfree_debug.h"
#include "clipfree_fence.h"
#include "clipfree_format.h"
#include "clipfree_notes.h"
#include "clipfree_present.h"
#include "clipfree_public.h"
#include "clipfree_resource.h"
#include "clipfree_shader_log.h"
#include "clipfree_winsys.h"

static const char *
cf_get_name(struct pipe_screen *pscreen)
{
   return cf_screen(pscreen)->name;
}

static const char *
cf_get_vendor(struct pipe_screen *pscreen)
{
   return "clipfree";
}

static const void *
cf_get_compiler_options(struct pipe_screen *pscreen, enum pipe_shader_ir ir,
                        enum pipe_shader_type stage)
{
   return &cf_nir_options;
}

static char *
cf_screen_finalize_nir(struct pipe_screen *pscreen, struct nir_shader *nir)
{
   const struct cf_screen *screen = cf_screen(pscreen);
   cf_finalize_nir(nir, screen->passes_off, screen->mediump);
   return NULL;
}

static uint64_t
cf_get_timestamp(struct pipe_screen *pscreen)
{
   struct cf_gpu *gpu = cf_screen(pscreen)->gpu;
   return gpu->ops->get_param(gpu, CF_PARAM_TIME_NS);
}

static void
cf_query_memory_info(struct pipe_screen *pscreen, struct pipe_memory_info *info)
{
   struct cf_gpu *gpu = cf_screen(pscreen)->gpu;
   const uint64_t total_B = gpu->ops->get_param(gpu, CF_PARAM_MEMORY_B);
   const uint64_t used_B = gpu->ops->get_param(gpu, CF_PARAM_MEMORY_USED_B);

   memset(info, 0, sizeof(*info));
   info->total_device_memory = total_B >> 10;
   info->avail_device_memory = (total_B - MIN2(used_B, total_B)) >> 10;
}

static struct disk_cache *
cf_get_disk_shader_cache(struct pipe_screen *pscreen)
{
   return cf_screen(pscreen)->disk_cache;
}

static int
cf_get_screen_fd(struct pipe_screen *pscreen)
{
   struct sw_winsys *sws = cf_screen(pscreen)->sws;
   return sws && sws->get_fd ? sws->get_fd(sws) : -1;
}

/* Whether Mesa's front end adds prints to shaders, or bits that say what is written: it asks for
 * the same variables (glsl_print.h, gl_nir_watch_unwritten.h). */
static bool
cf_shaders_are_watched(void)
{
   return os_get_option("CLIPFREE_PRINT") || os_get_option("CLIPFREE_SANITIZE");
}

/* The disk cache, with Mesa's linked GLSL and our compiled shaders, is valid for one build of the
 * driver. */
static void
cf_screen_init_disk_cache(struct cf_screen *screen)
{
   struct mesa_sha1 sha1;
   uint8_t digest[20];
   char id[41];

   /* shaders from the cache have no names, and have lost their variables */
   if ((screen->debug & (CF_DEBUG_NOCACHE | CF_DEBUG_VARIABLES)) || screen->notes ||
       screen->passes_off || screen->mediump || cf_shaders_are_watched())
      return;
   _mesa_sha1_init(&sha1);
   if (!disk_cache_get_function_identifier(cf_screen_init_disk_cache, &sha1))
      return;
   _mesa_sha1_final(&sha1, digest);
   _mesa_sha1_format(id, digest);
   screen->disk_cache = disk_cache_create("clipfree", id, 0);
}

static void
cf_screen_init_name(struct cf_screen *screen)
{
   struct cf_gpu *gpu = screen->gpu;
   const uint64_t threads = gpu->ops->get_param(gpu, CF_PARAM_THREADS);
   static const char *const engines[] = {
      [CF_ENGINE_INTERP] = "interpreter",
      [CF_ENGINE_JIT] = "jit",
      [CF_ENGINE_AUTO] = "auto",
   };
   const uint64_t engine = gpu->ops->get_param(gpu, CF_PARAM_ENGINE);
   snprintf(screen->name, sizeof(screen->name), "clipfree (%s, %u thread%s)",
            engines[engine], (unsigned)threads, threads == 1 ? "" : "s");
}

static void
cf_screen_destroy(struct pipe_screen *pscreen)
{
   struct cf_screen *screen = cf_screen(pscreen);

   disk_cache_destroy(screen->disk_cache);
   cf_screen_fini_notes(screen);
   cf_screen_fini_shader_log(screen);
   if (screen->gpu) {
      cf_buffer_free_pools(screen);
      cf_winsys_destroy_gpu(screen->gpu);
   }
   cf_winsys_destroy(screen->winsys);
   slab_destroy_parent(&screen->transfer_pool);
   simple_mtx_destroy(&screen->submit_lock);
   simple_mtx_destroy(&screen->read_in_lock);
   simple_mtx_destroy(&screen->chunk_lock);
   simple_mtx_destroy(&screen->cache_lock);
   simple_mtx_destroy(&screen->rename_lock);
   FREE(screen);
}

static void
cf_screen_init_functions(struct cf_screen *screen)
{
   screen->base.destroy = cf_screen_destroy;
   screen->base.get_name = cf_get_name;
   screen->base.get_vendor = cf_get_vendor;
   screen->base.get_device_vendor = cf_get_vendor;
   screen->base.get_shader_param = cf_get_shader_param;
   screen->base.get_compiler_options = cf_get_compiler_options;
   screen->base.finalize_nir = cf_screen_finalize_nir;
   screen->base.get_timestamp = cf_get_timestamp;
   screen->base.query_memory_info = cf_query_memory_info;
   screen->base.get_disk_shader_cache = cf_get_disk_shader_cache;
   screen->base.get_screen_fd = cf_get_screen_fd;
   screen->base.is_format_supported = cf_is_format_supported;
   screen->base.context_create = cf_context_create;
   cf_screen_init_counters(screen);
   cf_screen_init_resources(screen);
   cf_screen_init_fences(screen);
   cf_screen_init_present(screen);
}

/* False: an error, which is printed. */
static bool
cf_screen_init_gpu(struct cf_screen *screen)
{
   const char *error = NULL;

   if (!cf_debug_parse(&screen->debug) || !cf_debug_parse_compiler(&screen->passes_off) ||
       !cf_debug_parse_mediump(&screen->mediump) || !cf_screen_init_shader_log(screen))
      return false;
   screen->winsys = cf_winsys_create(screen->sws);
   if (!screen->winsys)
      return false;
   const struct cf_model_config asked = {
      .perf = screen->debug & CF_DEBUG_PERF,
      .slow = screen->debug & CF_DEBUG_SLOW,
      .print = cf_debug_print_flags(screen->debug),
      .engine = screen->debug & CF_DEBUG_NOJIT    ? CF_ENGINE_INTERP
                : screen->debug & CF_DEBUG_VERIFY ? CF_ENGINE_JIT
                                                  : CF_ENGINE_AUTO,
      .verify_engine = screen->debug & CF_DEBUG_VERIFY,
      .code_symbols = screen->debug & CF_DEBUG_SYMBOLS,
      .no_disk_cache = screen->debug & CF_DEBUG_NOCACHE,
   };
   screen->gpu = cf_winsys_create_gpu(&asked, &error);
   if (!screen->gpu) {
      fprintf(stderr, "clipfree: no GPU: %s\n", error);
      return false;
   }
   if (screen->gpu->ops->get_param(screen->gpu, CF_PARAM_PATH) == CF_PATH_PLAIN)
      screen->debug |= CF_DEBUG_NOREUSE;
   return true;
}

struct pipe_screen *
clipfree_create_screen(struct sw_winsys *sws, const struct pipe_screen_config *config)
{
   struct cf_screen *screen = CALLOC_STRUCT(cf_screen);
   if (!screen)
      return NULL;

   screen->sws = sws;
   simple_mtx_init(&screen->submit_lock, mtx_plain);
   simple_mtx_init(&screen->read_in_lock, mtx_plain);
   simple_mtx_init(&screen->chunk_lock, mtx_plain);
   simple_mtx_init(&screen->cache_lock, mtx_plain);
   simple_mtx_init(&screen->rename_lock, mtx_plain);
   list_inithead(&screen->retired);
   list_inithead(&screen->chunks);
   for (unsigned i = 0; i < CF_CACHE_BUCKETS; i++)
      list_inithead(&screen->cache[i]);
   slab_create_parent(&screen->transfer_pool, sizeof(struct cf_transfer), 16);
   cf_screen_init_functions(screen);
   if (!cf_screen_init_gpu(screen)) {
      cf_screen_destroy(&screen->base);
      return NULL;
   }
   cf_screen_init_caps(screen);
   cf_screen_init_notes(screen);
   cf_screen_init_name(screen);
   cf_screen_init_disk_cache(screen);
   return &screen->base;
}
