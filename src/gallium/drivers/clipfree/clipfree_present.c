/* SPDX-License-Identifier: MIT */
/*
 * Presentation. The picture lies in GPU memory in blocks. The GPU copies it to linear rows of
 * pixels: for X11 windows in memory that the X server reads; otherwise the winsys copies the rows
 * to the display target.
 */
#include "clipfree_present.h"

#include "util/box.h"
#include "util/u_atomic.h"
#include "util/u_math.h"

#include "frontend/sw_winsys.h"

#include "clipfree/interface/cf_forked.h"

#include "clipfree_context.h"
#include "clipfree_drawable.h"
#include "clipfree_resource.h"
#include "clipfree_screen.h"
#include "clipfree_swapchain.h"
#include "clipfree_winsys.h"

/* Whether the resource has a display target. Mesa gives resources of destroyed windows 0 x 0
 * pixels. */
static bool
cf_is_displayed(const struct cf_resource *resource)
{
   return resource->dt && resource->base.width0 && resource->base.height0;
}

/* Linear rows of pixels for a resource's picture. */
struct cf_present_rows {
   struct cf_buffer *buffer; /* NULL: out of memory */
   /* tile states of the rows, which persist, since only the GPU writes to the rows; NULL: none */
   struct cf_buffer *tiles;
   uint32_t row_pitch_B;
   unsigned image; /* index in the swapchain */
};

/* The rows of image `image` of the swapchain, or without swapchain the resource's own. */
static struct cf_present_rows
cf_present_rows(const struct cf_resource *resource, unsigned image)
{
   if (resource->swapchain)
      return (struct cf_present_rows){ .buffer = resource->swapchain->image[image].rows,
                                       .tiles = resource->swapchain->image[image].tiles,
                                       .row_pitch_B = resource->swapchain->image[image].row_pitch_B,
                                       .image = image };
   return (struct cf_present_rows){
      .buffer = resource->rows,
      .row_pitch_B = align(resource->base.width0 * cf_resource_pixel_B(resource), 64),
   };
}

/* Allocate the resource's own rows; for a window, to which only we write, also a display target
 * that maps them. */
static void
cf_present_create_rows(struct cf_screen *screen, struct cf_resource *resource)
{
   const struct pipe_resource *base = &resource->base;
   const uint32_t row_pitch_B = cf_present_rows(resource, 0).row_pitch_B;
   struct sw_winsys *sws = screen->sws;

   resource->rows = cf_buffer_create_uncleared(screen, (uint64_t)row_pitch_B * base->height0);
   if (resource->rows && resource->in_window && sws->displaytarget_create_mapped)
      resource->rows_dt =
         sws->displaytarget_create_mapped(sws, base->bind, base->format, base->width0,
                                          base->height0, row_pitch_B, resource->rows->bo.map);
}

/* The rows for the next picture. */
static struct cf_present_rows
cf_present_next_rows(struct cf_screen *screen, struct cf_resource *resource)
{
   if (resource->in_window && !resource->rows && !resource->swapchain)
      resource->swapchain = cf_swapchain_create(screen, resource);
   if (resource->swapchain)
      return cf_present_rows(resource, !resource->swapchain->shown);
   if (!resource->rows)
      cf_present_create_rows(screen, resource);
   return cf_present_rows(resource, 0);
}

/* Whether the rows equal the resource: the last writer of both is the same submission, and no
 * recorded work writes the resource. */
static bool
cf_present_is_current(struct cf_context *context, const struct cf_resource *resource,
                      const struct cf_present_rows *rows)
{
   const uint64_t writer = rows->buffer ? cf_buffer_writer(rows->buffer) : 0;
   return writer && writer == cf_buffer_writer(resource->buffer) &&
          !cf_batch_uses(&context->batch, resource->buffer, CF_ACCESS_WRITE);
}

/* Find rows that are current. */
static bool
cf_present_find_current(struct cf_context *context, const struct cf_resource *resource,
                        struct cf_present_rows *rows)
{
   for (unsigned i = 0; i < (resource->swapchain ? CF_X11_IMAGES : 1); i++) {
      *rows = cf_present_rows(resource, i);
      if (cf_present_is_current(context, resource, rows))
         return true;
   }
   return false;
}

static struct cf_surface
cf_present_rows_surface(const struct cf_resource *resource, const struct cf_present_rows *rows)
{
   struct cf_surface surface =
      cf_linear_surface(rows->buffer->bo.address, resource->format, resource->base.width0,
                        resource->base.height0, rows->row_pitch_B);
   if (rows->tiles)
      surface.tile_state = rows->tiles->bo.address;
   return surface;
}

/* Upload the rows' descriptor, and note the write access. 0: out of memory. */
static uint64_t
cf_present_upload_rows(struct cf_batch *batch, const struct cf_resource *resource,
                       const struct cf_present_rows *rows)
{
   const struct cf_surface surface = cf_present_rows_surface(resource, rows);
   uint32_t dw[CF_SURFACE_DWORDS];

   cf_batch_use(batch, rows->buffer, CF_ACCESS_WRITE);
   if (rows->tiles)
      cf_batch_use(batch, rows->tiles, CF_ACCESS_WRITE);
   cf_surface_pack(dw, &surface);
   return cf_batch_upload_data(batch, dw, sizeof(dw));
}

/* Record the copy from the resource to rows. False: out of memory. */
static bool
cf_present_record(struct cf_context *context, struct cf_resource *resource,
                  struct cf_present_rows *rows)
{
   struct cf_batch *batch = &context->batch;
   const uint32_t width_px = resource->base.width0, height_px = resource->base.height0;

   *rows = cf_present_next_rows(context->screen, resource);
   if (!rows->buffer)
      return cf_no_memory(context);
   if (!cf_context_begin(context, CF_COPY_DWORDS))
      return false;
   const uint64_t source = cf_resource_upload_surface(batch, resource, 0, 0, resource->format,
                                                      CF_ACCESS_READ | CF_ACCESS_WRITE);
   const uint64_t destination = cf_present_upload_rows(batch, resource, rows);
   if (!source || !destination)
      return false;
   context->counters[CF_COUNTER_COPIES]++;
   CF_EMIT(batch, COPY, copy, .source = source, .destination = destination, .width_px = width_px,
           .height_px = height_px);
   return true;
}

/* Upload the contents of a display target, or, for a front buffer, of its window (black if that is
 * gone), and a descriptor. 0: out of memory. */
static uint64_t
cf_upload_target(struct cf_context *context, struct cf_resource *resource)
{
   struct sw_winsys *sws = context->screen->sws;
   const uint32_t size_B = resource->dt_stride_B * resource->base.height0;
   uint64_t address = 0;
   void *rows = cf_batch_upload(&context->batch, size_B, &address, NULL);

   if (!rows)
      return 0;
   if (resource->front_of) {
      const struct cf_picture picture = {
         .row_pitch_B = resource->dt_stride_B,
         .width_px = resource->base.width0,
         .height_px = resource->base.height0,
         .format = resource->base.format,
      };
      memset(rows, 0, size_B);
      cf_x11_get(resource->front_of, &picture, rows);
      return address;
   }
   const void *pixels = sws->displaytarget_map(sws, resource->dt, PIPE_MAP_READ);
   if (!pixels)
      return 0;
   memcpy(rows, pixels, size_B);
   sws->displaytarget_unmap(sws, resource->dt);
   return address;
}

/* Record the copy from the display target to the resource. False: out of memory. */
static bool
cf_present_record_read_in(struct cf_context *context, struct cf_resource *resource)
{
   struct cf_batch *batch = &context->batch;

   if (!cf_context_begin(context, CF_COPY_DWORDS))
      return false;
   const uint64_t address = cf_upload_target(context, resource);
   if (!address)
      return false;
   const uint32_t width_px = resource->base.width0, height_px = resource->base.height0;
   const uint64_t source = cf_upload_linear_surface(batch, address, resource->format, width_px,
                                                    height_px, resource->dt_stride_B);
   const uint64_t destination = cf_resource_upload_surface(batch, resource, 0, 0, resource->format,
                                                           CF_ACCESS_READ | CF_ACCESS_WRITE);
   if (!source || !destination)
      return false;
   cf_buffer_mark_write(cf_resource_buffer(resource));
   CF_EMIT(batch, COPY, copy, .source = source, .destination = destination, .width_px = width_px,
           .height_px = height_px);
   return true;
}

/* Submits at once: another context that finds `unread` cleared may submit its work before this
 * one's batch. */
void
cf_present_read_in(struct cf_context *context, struct cf_resource *resource)
{
   struct cf_screen *screen = context->screen;

   if (!p_atomic_read(&resource->unread) || !cf_is_displayed(resource))
      return;
   simple_mtx_lock(&screen->read_in_lock);
   if (resource->unread && cf_present_record_read_in(context, resource)) {
      cf_context_submit(context);
      p_atomic_set(&resource->unread, false);
   }
   simple_mtx_unlock(&screen->read_in_lock);
}

/* Get the picture as rows, copying it if they are not current. Waits. False: out of memory. */
static bool
cf_present_read(struct cf_context *context, struct cf_resource *resource,
                struct cf_present_rows *rows, struct cf_picture *picture)
{
   if (!cf_present_find_current(context, resource, rows)) {
      if (!cf_present_record(context, resource, rows))
         return false;
      cf_context_submit(context);
   }
   cf_buffer_wait(rows->buffer, CF_ACCESS_WRITE, UINT64_MAX);
   *picture = (struct cf_picture){
      .pixels = rows->buffer->bo.map,
      .row_pitch_B = rows->row_pitch_B,
      .width_px = resource->base.width0,
      .height_px = resource->base.height0,
      .format = resource->base.format,
   };
   return true;
}

/* The GPU learns that the rows are a frame. */
static void
cf_present_tell(struct cf_context *context, const struct cf_resource *resource,
                const struct cf_present_rows *rows)
{
   struct cf_screen *screen = context->screen;
   const struct cf_surface surface = cf_present_rows_surface(resource, rows);
   cf_counters_report(context);
   screen->gpu->ops->end_frame(screen->gpu, &surface);
}

void
cf_present_prepare(struct cf_context *context)
{
   const struct pipe_surface *color = context->framebuffer.cbufs[0];
   struct cf_resource *resource = color ? cf_resource(color->texture) : NULL;
   struct cf_present_rows rows;

   if (resource && cf_is_displayed(resource) &&
       cf_batch_uses(&context->batch, resource->buffer, CF_ACCESS_WRITE))
      cf_present_record(context, resource, &rows);
}

bool
cf_present_update(struct cf_context *context, struct cf_resource *resource)
{
   struct cf_present_rows rows;
   struct cf_picture picture;
   if (!cf_is_displayed(resource) || !cf_present_read(context, resource, &rows, &picture))
      return false;
   cf_winsys_put(context->screen->winsys, resource->dt, resource->dt_stride_B, &picture, 0, NULL);
   resource->dt_filled = true;
   pipe_resource_reference(&context->last_presented, &resource->base);
   return true;
}

void
cf_present_end_frame(struct cf_context *context)
{
   struct cf_screen *screen = context->screen;
   struct cf_present_rows rows;
   struct cf_picture picture;

   if (!context->last_presented)
      return;
   if (cf_present_read(context, cf_resource(context->last_presented), &rows, &picture)) {
      cf_present_tell(context, cf_resource(context->last_presented), &rows);
      cf_winsys_count(screen->winsys, &picture);
   }
   pipe_resource_reference(&context->last_presented, NULL);
}

/* Copy a presented back buffer to the front buffer, too, if the drawable has one. A front buffer
 * that is still `unread` will be read from the display instead. */
static void
cf_present_update_front(struct cf_context *context, const void *drawable,
                        struct cf_resource *resource, unsigned nboxes, const struct pipe_box *boxes)
{
   struct pipe_resource *fronts[] = { cf_drawable_front(drawable, false),
                                      cf_drawable_front(drawable, true) };
   const struct pipe_box whole = {
      .width = resource->base.width0, .height = resource->base.height0, .depth = 1
   };

   for (unsigned f = 0; f < ARRAY_SIZE(fronts); f++) {
      if (!fronts[f] || fronts[0] == &resource->base ||
          p_atomic_read(&cf_resource(fronts[f])->unread))
         continue;
      for (unsigned i = 0; i < MAX2(nboxes, 1); i++) {
         struct pipe_box box = nboxes ? boxes[i] : whole;
         if (u_box_clip_2d(&box, &box, whole.width, whole.height) >= 0 && box.width && box.height)
            context->base.resource_copy_region(&context->base, fronts[f], 0, box.x, box.y, 0,
                                               &resource->base, 0, &box);
      }
   }
}

/* With boxes, only their pixels have changed since the last call. */
static void
cf_flush_frontbuffer(struct pipe_screen *pscreen, struct pipe_context *pcontext,
                     struct pipe_resource *presource, unsigned level, unsigned layer,
                     void *drawable, unsigned nboxes, struct pipe_box *boxes)
{
   struct cf_resource *resource = cf_resource(presource);
   struct cf_screen *screen = cf_screen(pscreen);
   struct cf_present_rows rows;
   struct cf_picture picture;

   /* a child must not write to its parent's connection */
   if (!cf_is_displayed(resource) || !pcontext || cf_forked_is_lost(screen->gpu) ||
       !cf_present_read(cf_context(pcontext), resource, &rows, &picture))
      return;
   cf_present_tell(cf_context(pcontext), resource, &rows);
   if (resource->in_window)
      cf_present_update_front(cf_context(pcontext), drawable, resource, nboxes, boxes);
   if (resource->swapchain) {
      cf_swapchain_display(resource->swapchain, rows.image, drawable, nboxes, boxes, &picture);
      return;
   }
   if (!resource->rows_dt) {
      cf_winsys_put(screen->winsys, resource->dt, resource->dt_stride_B, &picture,
                    resource->dt_filled ? nboxes : 0, boxes);
      resource->dt_filled = true;
   }
   cf_winsys_display(screen->winsys, resource->rows_dt ? resource->rows_dt : resource->dt, drawable,
                     nboxes, boxes, &picture);
}

void
cf_screen_init_present(struct cf_screen *screen)
{
   screen->base.flush_frontbuffer = cf_flush_frontbuffer;
}
