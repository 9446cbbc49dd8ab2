/* SPDX-License-Identifier: MIT */
/*
 * Resources: layout in memory, surface descriptors, and resolving of pending clears.
 *
 * A texture's memory: its levels in order, each level's images one after the other in 4x4-block
 * layout; then, if it can be rendered to, the tile states of every image in the same order. With
 * several samples, rows of blocks of the samples are interleaved (memory/cf_surface.h).
 */
#include "clipfree_resource.h"

#include "util/format/u_format.h"
#include "util/u_math.h"
#include "util/u_memory.h"
#include "util/u_surface.h"

#include "frontend/sw_winsys.h"

#include "clipfree/interface/cf_limits.h"

#include "clipfree_context.h"
#include "clipfree_format.h"
#include "clipfree_present.h"
#include "clipfree_samples.h"
#include "clipfree_screen.h"
#include "clipfree_swapchain.h"
#include "clipfree_filled.h"

#define CF_RESOURCE_LIMIT_B (UINT64_C(1) << 32)
#define CF_DISPLAYED (PIPE_BIND_DISPLAY_TARGET | PIPE_BIND_SCANOUT | PIPE_BIND_SHARED)

static bool
cf_is_rendered(const struct pipe_resource *t)
{
   return t->bind & (PIPE_BIND_RENDER_TARGET | PIPE_BIND_DEPTH_STENCIL | CF_DISPLAYED);
}

/* Lay out the levels. Returns the size in bytes, texels_B of which are texels. */
static uint64_t
cf_resource_layout(struct cf_resource *resource)
{
   const struct pipe_resource *t = &resource->base;
   const uint32_t block_B = cf_format_info_of(resource->format)->block_B;
   uint64_t size_B = 0;
   uint32_t images = 0;

   for (unsigned l = 0; l <= t->last_level; l++) {
      struct cf_level *level = &resource->level[l];
      level->width_px = u_minify(t->width0, l);
      level->height_px = u_minify(t->height0, l);
      level->images = t->target == PIPE_TEXTURE_3D ? u_minify(t->depth0, l) : t->array_size;
      level->first_image = images;
      level->offset_B = size_B;
      level->row_pitch_B =
         DIV_ROUND_UP(level->width_px, CF_BLOCK_PX) * block_B * cf_resource_samples(resource);
      const uint64_t image_B =
         align64((uint64_t)level->row_pitch_B * DIV_ROUND_UP(level->height_px, CF_BLOCK_PX), 64);
      images += level->images;
      size_B += image_B * level->images;
      if (size_B >= CF_RESOURCE_LIMIT_B)
         return size_B;
      level->image_pitch_B = image_B;
   }
   resource->texels_B = size_B;

   if (resource->has_tiles) {
      for (unsigned l = 0; l <= t->last_level; l++) {
         struct cf_level *level = &resource->level[l];
         level->tiles_offset_B = size_B;
         level->tiles_pitch_B = cf_tile_states_B(level->width_px, level->height_px);
         size_B += (uint64_t)level->tiles_pitch_B * level->images;
      }
   }
   return size_B;
}

/* Initialise a resource without memory. Returns its size in bytes; 0: not supported. */
static uint64_t
cf_resource_setup(struct cf_resource *resource, struct pipe_screen *pscreen,
                  const struct pipe_resource *templat)
{
   resource->base = *templat;
   resource->base.screen = pscreen;
   resource->base.next = NULL;
   pipe_reference_init(&resource->base.reference, 1);
   util_range_init(&resource->valid);
   cf_reuse_init(&resource->reuse);

   if (templat->target == PIPE_BUFFER)
      return templat->width0;

   /* Mesa asks for larger ones than textures may be, too, as for glBitmap. */
   resource->format = cf_format_from_pipe(templat->format);
   if (resource->format == CF_FORMAT_NONE || templat->last_level >= CF_MAX_TEXTURE_LEVELS ||
       MAX2(templat->width0, templat->height0) > 1u << (CF_MAX_TEXTURE_LEVELS - 1) ||
       (templat->nr_samples > 1 && templat->nr_samples != CF_SAMPLES))
      return 0;
   resource->has_tiles = cf_is_rendered(templat);
   const uint64_t size_B = cf_resource_layout(resource);
   return size_B < CF_RESOURCE_LIMIT_B ? size_B : 0;
}

static void
cf_resource_destroy(struct pipe_screen *pscreen, struct pipe_resource *presource)
{
   struct cf_resource *resource = cf_resource(presource);
   struct sw_winsys *sws = cf_screen(pscreen)->sws;

   cf_swapchain_destroy(resource->swapchain);
   if (resource->rows_dt)
      sws->displaytarget_destroy(sws, resource->rows_dt);
   if (resource->dt)
      sws->displaytarget_destroy(sws, resource->dt);
   cf_buffer_reference(&resource->buffer, NULL);
   cf_buffer_reference(&resource->rows, NULL);
   util_range_destroy(&resource->valid);
   cf_filled_fini(resource);
   cf_reuse_fini(&resource->reuse);
   FREE(resource);
}

/* Mark all tiles as known to be zero, as new memory is. So if a program never clears stencil, a
 * clear of depth still makes whole pixels known. */
static void
cf_resource_mark_zero(struct cf_resource *resource)
{
   const struct cf_level *last = &resource->level[resource->base.last_level];
   uint8_t *memory = resource->buffer->bo.map;
   struct cf_tile_state *state = (struct cf_tile_state *)(memory + resource->texels_B);
   struct cf_tile_state *end = (struct cf_tile_state *)(memory + last->tiles_offset_B +
                                                        (size_t)last->tiles_pitch_B * last->images);

   for (; state < end; state++)
      memset(state->known, 0xff, cf_resource_pixel_B(resource));
}

/* Create a resource with memory but no display target. */
static struct cf_resource *
cf_resource_create_undisplayed(struct pipe_screen *pscreen, const struct pipe_resource *templat)
{
   struct cf_resource *resource = CALLOC_STRUCT(cf_resource);
   if (!resource) {
      p_atomic_inc(&cf_screen(pscreen)->refused_count);
      return NULL;
   }

   resource->size_B = cf_resource_setup(resource, pscreen, templat);
   if (resource->size_B)
      resource->buffer = cf_buffer_create(cf_screen(pscreen), resource->size_B);
   if (!resource->buffer ||
       (resource->has_tiles &&
        !cf_clears_init(resource->buffer, cf_resource_image_count(resource)))) {
      p_atomic_inc(&cf_screen(pscreen)->refused_count);
      cf_resource_destroy(pscreen, &resource->base);
      return NULL;
   }
   if (resource->has_tiles && (templat->bind & PIPE_BIND_DEPTH_STENCIL))
      cf_resource_mark_zero(resource);
   return resource;
}

static struct pipe_resource *
cf_resource_create_front(struct pipe_screen *pscreen, const struct pipe_resource *templat,
                         const void *map_front_private)
{
   struct cf_resource *resource = cf_resource_create_undisplayed(pscreen, templat);
   struct sw_winsys *sws = cf_screen(pscreen)->sws;

   if (resource && templat->target != PIPE_BUFFER && !(templat->bind & CF_DISPLAYED))
      cf_filled_init(resource);
   if (resource && templat->target != PIPE_BUFFER && (templat->bind & CF_DISPLAYED) && sws) {
      resource->dt =
         sws->displaytarget_create(sws, templat->bind, templat->format, templat->width0,
                                   templat->height0, 64, map_front_private, &resource->dt_stride_B);
      if (!resource->dt) {
         cf_resource_destroy(pscreen, &resource->base);
         return NULL;
      }
      resource->in_window = !(templat->bind & PIPE_BIND_SHARED);
      resource->front_of = (void *)map_front_private;
      resource->unread = map_front_private != NULL;
   }
   return resource ? &resource->base : NULL;
}

static struct pipe_resource *
cf_resource_create(struct pipe_screen *pscreen, const struct pipe_resource *templat)
{
   return cf_resource_create_front(pscreen, templat, NULL);
}

static bool
cf_can_create_resource(struct pipe_screen *pscreen, const struct pipe_resource *templat)
{
   struct cf_resource *resource = CALLOC_STRUCT(cf_resource);
   struct pipe_resource created = *templat;
   if (!resource)
      return false;
   /* Mesa asks with the number of samples that the application wants, and creates with one that is
    * supported */
   if (templat->nr_samples > 1 && templat->nr_samples < CF_SAMPLES)
      created.nr_samples = created.nr_storage_samples = CF_SAMPLES;
   const uint64_t size_B = cf_resource_setup(resource, pscreen, &created);
   struct cf_gpu *gpu = cf_screen(pscreen)->gpu;
   util_range_destroy(&resource->valid);
   cf_reuse_fini(&resource->reuse);
   FREE(resource);
   return size_B && size_B <= gpu->ops->get_param(gpu, CF_PARAM_MEMORY_B);
}

/* Import another process' buffer as display target: its picture is copied in once, before the first
 * use, and out when presented. */
static struct pipe_resource *
cf_resource_from_handle(struct pipe_screen *pscreen, const struct pipe_resource *templat,
                        struct winsys_handle *handle, unsigned usage)
{
   struct sw_winsys *sws = cf_screen(pscreen)->sws;
   if (!sws || !sws->displaytarget_from_handle || handle->plane || templat->last_level)
      return NULL;

   struct cf_resource *resource = cf_resource_create_undisplayed(pscreen, templat);
   if (!resource)
      return NULL;
   resource->dt = sws->displaytarget_from_handle(sws, templat, handle, &resource->dt_stride_B);
   if (!resource->dt) {
      cf_resource_destroy(pscreen, &resource->base);
      return NULL;
   }
   resource->unread = true;
   return &resource->base;
}

static bool
cf_resource_get_handle(struct pipe_screen *pscreen, struct pipe_context *pcontext,
                       struct pipe_resource *presource, struct winsys_handle *handle,
                       unsigned usage)
{
   struct cf_resource *resource = cf_resource(presource);
   struct sw_winsys *sws = cf_screen(pscreen)->sws;

   /* only the display target can be shared: others must not write to the texture's memory */
   if (!resource->dt || handle->type == WINSYS_HANDLE_TYPE_SHMID || !sws->displaytarget_get_handle)
      return false;
   if (pcontext)
      pcontext->flush_resource(pcontext, presource);
   return sws->displaytarget_get_handle(sws, resource->dt, handle);
}

static bool
cf_resource_get_param(struct pipe_screen *pscreen, struct pipe_context *pcontext,
                      struct pipe_resource *presource, unsigned plane, unsigned layer,
                      unsigned level, enum pipe_resource_param param, unsigned handle_usage,
                      uint64_t *value)
{
   struct winsys_handle handle = { .type = WINSYS_HANDLE_TYPE_KMS };

   switch (param) {
   case PIPE_RESOURCE_PARAM_NPLANES:
      *value = 1;
      return true;
   case PIPE_RESOURCE_PARAM_STRIDE:
      *value = cf_resource(presource)->dt_stride_B;
      return cf_resource(presource)->dt != NULL;
   case PIPE_RESOURCE_PARAM_OFFSET:
      *value = 0;
      return true;
   case PIPE_RESOURCE_PARAM_HANDLE_TYPE_SHARED:
      handle.type = WINSYS_HANDLE_TYPE_SHARED;
      break;
   case PIPE_RESOURCE_PARAM_HANDLE_TYPE_KMS:
      break;
   case PIPE_RESOURCE_PARAM_HANDLE_TYPE_FD:
      handle.type = WINSYS_HANDLE_TYPE_FD;
      break;
   default:
      return false;
   }
   if (!cf_resource_get_handle(pscreen, pcontext, presource, &handle, handle_usage))
      return false;
   *value = handle.handle;
   return true;
}

struct cf_buffer *
cf_resource_use(struct cf_batch *batch, struct cf_resource *resource, uint32_t access)
{
   struct cf_buffer *buffer = cf_resource_buffer(resource);
   if (cf_batch_noted(batch, buffer, access))
      return buffer;

   simple_mtx_t *lock = &batch->screen->rename_lock;
   simple_mtx_lock(lock);
   buffer = cf_resource_buffer(resource);
   cf_batch_use(batch, buffer, access);
   simple_mtx_unlock(lock);
   return buffer;
}

struct cf_buffer *
cf_resource_hold(struct cf_resource *resource)
{
   simple_mtx_t *lock = &cf_screen(resource->base.screen)->rename_lock;
   struct cf_buffer *held = NULL;

   simple_mtx_lock(lock);
   cf_buffer_reference(&held, cf_resource_buffer(resource));
   simple_mtx_unlock(lock);
   return held;
}

void
cf_resource_replace(struct cf_resource *resource, struct cf_buffer *renamed)
{
   struct cf_screen *screen = cf_screen(resource->base.screen);

   simple_mtx_lock(&screen->rename_lock);
   struct cf_buffer *old = cf_resource_buffer(resource);
   p_atomic_set(&resource->buffer, renamed);
   simple_mtx_unlock(&screen->rename_lock);
   cf_buffer_reference(&old, NULL);
   p_atomic_inc(resource->base.target == PIPE_BUFFER ? &screen->rename_count
                                                     : &screen->texture_rename_count);
}

struct cf_buffer *
cf_resource_create_memory(const struct cf_resource *resource)
{
   struct cf_screen *screen = cf_screen(resource->base.screen);
   struct cf_buffer *buffer = cf_buffer_create_uncleared(screen, resource->size_B);

   if (buffer && resource->has_tiles && !cf_clears_init(buffer, cf_resource_image_count(resource)))
      cf_buffer_reference(&buffer, NULL);
   if (buffer)
      memset((uint8_t *)buffer->bo.map + resource->texels_B, 0,
             resource->size_B - resource->texels_B);
   return buffer;
}

struct cf_surface
cf_resource_surface(const struct cf_resource *resource, const struct cf_buffer *memory, unsigned l,
                    unsigned image, enum cf_format format)
{
   const struct cf_level *level = &resource->level[l];
   const uint64_t address = memory->bo.address;
   const uint32_t unit_px = cf_resource_unit_px(resource);

   return (struct cf_surface){
      .address = address + level->offset_B + (uint64_t)image * level->image_pitch_B,
      .width_px = DIV_ROUND_UP(level->width_px, unit_px),
      .height_px = DIV_ROUND_UP(level->height_px, unit_px),
      .row_pitch_B = level->row_pitch_B,
      .format = cf_copy_format(format),
      .layout = unit_px > 1 ? CF_LAYOUT_LINEAR : CF_LAYOUT_BLOCKS,
      .samples = cf_resource_samples(resource),
      .size_B = level->image_pitch_B,
      .tile_state = resource->has_tiles
                       ? address + level->tiles_offset_B + (uint64_t)image * level->tiles_pitch_B
                       : 0,
   };
}

uint64_t
cf_resource_upload_surface(struct cf_batch *batch, struct cf_resource *resource, unsigned level,
                           unsigned image, enum cf_format format, uint32_t access)
{
   const struct cf_buffer *memory = cf_resource_use(batch, resource, access);
   const struct cf_surface surface = cf_resource_surface(resource, memory, level, image, format);
   uint32_t dw[CF_SURFACE_DWORDS];

   cf_surface_pack(dw, &surface);
   return cf_batch_upload_data(batch, dw, sizeof(dw));
}

struct cf_surface
cf_linear_surface(uint64_t address, enum cf_format format, uint32_t width_px, uint32_t height_px,
                  uint32_t row_pitch_B)
{
   return (struct cf_surface){
      .address = address,
      .width_px = width_px,
      .height_px = height_px,
      .row_pitch_B = row_pitch_B,
      .format = format,
      .layout = CF_LAYOUT_LINEAR,
      .samples = 1,
      .size_B = row_pitch_B * height_px,
   };
}

uint64_t
cf_upload_linear_surface(struct cf_batch *batch, uint64_t address, enum cf_format format,
                         uint32_t width_px, uint32_t height_px, uint32_t row_pitch_B)
{
   const struct cf_surface surface =
      cf_linear_surface(address, format, width_px, height_px, row_pitch_B);
   uint32_t dw[CF_SURFACE_DWORDS];

   cf_surface_pack(dw, &surface);
   return cf_batch_upload_data(batch, dw, sizeof(dw));
}

/* Note that the last packet clears (`pending`) or resolves an image. */
static void
cf_resource_note(struct cf_batch *batch, struct cf_resource *resource, unsigned image, bool pending)
{
   cf_clears_note(batch, cf_resource_use(batch, resource, CF_ACCESS_WRITE), image, pending);
}

void
cf_resource_note_clear(struct cf_batch *batch, struct cf_resource *resource, unsigned level,
                       unsigned image)
{
   if (resource->has_tiles)
      cf_resource_note(batch, resource, resource->level[level].first_image + image, true);
}

void
cf_resource_resolve(struct cf_context *context, struct cf_resource *resource, unsigned first_level,
                    unsigned last_level, unsigned first_image, unsigned last_image)
{
   struct cf_batch *batch = &context->batch;
   if (!p_atomic_read(&cf_resource_buffer(resource)->clears.count))
      return;

   for (unsigned l = first_level; l <= last_level; l++) {
      const struct cf_level *level = &resource->level[l];
      for (unsigned i = first_image; i <= MIN2(last_image, level->images - 1); i++) {
         if (!cf_clears_pending(batch, cf_resource_use(batch, resource, CF_ACCESS_READ),
                                level->first_image + i) ||
             !cf_context_begin(context, CF_RESOLVE_DWORDS))
            continue;
         const uint64_t surface = cf_resource_upload_surface(
            batch, resource, l, i, resource->format, CF_ACCESS_READ | CF_ACCESS_WRITE);
         if (surface) {
            CF_EMIT(batch, RESOLVE, resolve, .surface = surface);
            cf_resource_note(batch, resource, level->first_image + i, false);
         }
      }
   }
}

static struct pipe_surface *
cf_create_surface(struct pipe_context *pcontext, struct pipe_resource *presource,
                  const struct pipe_surface *templat)
{
   struct cf_surface_object *object = CALLOC_STRUCT(cf_surface_object);
   struct pipe_surface *surface = &object->base;
   if (!object)
      return cf_no_memory(cf_context(pcontext));

   cf_present_read_in(cf_context(pcontext), cf_resource(presource));
   pipe_reference_init(&surface->reference, 1);
   pipe_resource_reference(&surface->texture, presource);
   surface->context = pcontext;
   surface->format = templat->format;
   surface->width = u_minify(presource->width0, templat->u.tex.level);
   surface->height = u_minify(presource->height0, templat->u.tex.level);
   surface->nr_samples = templat->nr_samples;
   surface->u = templat->u;
   if (cf_surface_init_samples(object))
      return surface;
   pipe_resource_reference(&surface->texture, NULL);
   FREE(object);
   return cf_no_memory(cf_context(pcontext));
}

static void
cf_surface_destroy(struct pipe_context *pcontext, struct pipe_surface *surface)
{
   pipe_resource_reference(&cf_surface_object(surface)->samples, NULL);
   pipe_resource_reference(&surface->texture, NULL);
   FREE(surface);
}

/* Contents become undefined: pending clears of a texture are dropped. */
static void
cf_invalidate_resource(struct pipe_context *pcontext, struct pipe_resource *presource)
{
   struct cf_context *context = cf_context(pcontext);
   struct cf_resource *resource = cf_resource(presource);

   if (presource->target == PIPE_BUFFER || presource->last_level || presource->array_size > 1 ||
       presource->depth0 > 1 || !cf_context_begin(context, CF_INVALIDATE_DWORDS))
      return;
   const uint64_t surface = cf_resource_upload_surface(
      &context->batch, resource, 0, 0, resource->format, CF_ACCESS_READ | CF_ACCESS_WRITE);
   if (!surface)
      return;
   CF_EMIT(&context->batch, INVALIDATE, invalidate, .surface = surface);
   if (resource->has_tiles)
      cf_resource_note(&context->batch, resource, 0, false);
}

/* Other processes read a shared resource's display target: update it. */
static void
cf_flush_resource(struct pipe_context *pcontext, struct pipe_resource *presource)
{
   cf_samples_store(cf_context(pcontext));
   if (cf_resource(presource)->dt && (presource->bind & PIPE_BIND_SHARED))
      cf_present_update(cf_context(pcontext), cf_resource(presource));
}

void
cf_screen_init_resources(struct cf_screen *screen)
{
   screen->base.resource_create = cf_resource_create;
   screen->base.resource_create_front = cf_resource_create_front;
   screen->base.can_create_resource = cf_can_create_resource;
   screen->base.resource_from_handle = cf_resource_from_handle;
   screen->base.resource_get_handle = cf_resource_get_handle;
   screen->base.resource_get_param = cf_resource_get_param;
   screen->base.resource_destroy = cf_resource_destroy;
}

void
cf_context_init_resources(struct cf_context *context)
{
   context->base.create_surface = cf_create_surface;
   context->base.surface_destroy = cf_surface_destroy;
   context->base.invalidate_resource = cf_invalidate_resource;
   context->base.flush_resource = cf_flush_resource;
}
