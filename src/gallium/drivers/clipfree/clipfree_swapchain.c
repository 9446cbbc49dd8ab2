/* SPDX-License-Identifier: MIT */
#include "clipfree_swapchain.h"

#include "util/u_memory.h"

#include "frontend/sw_winsys.h"
#include "frontend/winsys_handle.h"

#include "clipfree_buffer.h"
#include "clipfree_drawable.h"
#include "clipfree_resource.h"
#include "clipfree_screen.h"
#include "clipfree_winsys.h"

/* The descriptor of a display target's memory, which the X server can attach; -1: none. */
static int
cf_target_file(struct sw_winsys *sws, struct sw_displaytarget *dt)
{
   struct winsys_handle handle = { .type = WINSYS_HANDLE_TYPE_SHMID };
   const bool shared =
      sws->displaytarget_get_handle && sws->displaytarget_get_handle(sws, dt, &handle);
   return shared ? (int)handle.handle : -1;
}

/* Import the image's display target, so that the GPU can write to it. */
static bool
cf_swap_image_import(struct cf_screen *screen, struct cf_swap_image *image, int file,
                     uint32_t width_px, uint32_t height_px)
{
   image->rows = cf_buffer_import(screen, file, (uint64_t)image->row_pitch_B * height_px);
   image->tiles = cf_buffer_create(screen, cf_tile_states_B(width_px, height_px));
   return image->rows && image->tiles;
}

static bool
cf_swapchain_init(struct cf_screen *screen, const struct cf_resource *resource,
                  struct cf_swapchain *swapchain)
{
   const struct pipe_resource *base = &resource->base;
   struct sw_winsys *sws = screen->sws;
   int file[CF_X11_IMAGES];

   swapchain->screen = screen;
   for (unsigned i = 0; i < CF_X11_IMAGES; i++) {
      struct cf_swap_image *image = &swapchain->image[i];
      image->dt = resource->dt;
      image->row_pitch_B = resource->dt_stride_B;
      if (i > 0)
         image->dt = sws->displaytarget_create(sws, base->bind, base->format, base->width0,
                                               base->height0, 64, NULL, &image->row_pitch_B);
      file[i] = image->dt ? cf_target_file(sws, image->dt) : -1;
      if (file[i] < 0 || !cf_swap_image_import(screen, image, file[i], base->width0, base->height0))
         return false;
   }
   swapchain->x11 = cf_x11_chain_create(file);
   return swapchain->x11 != NULL;
}

struct cf_swapchain *
cf_swapchain_create(struct cf_screen *screen, const struct cf_resource *resource)
{
   struct cf_swapchain *swapchain = CALLOC_STRUCT(cf_swapchain);

   if (swapchain && !cf_swapchain_init(screen, resource, swapchain)) {
      cf_swapchain_destroy(swapchain);
      return NULL;
   }
   return swapchain;
}

void
cf_swapchain_destroy(struct cf_swapchain *swapchain)
{
   if (!swapchain)
      return;
   struct cf_screen *screen = swapchain->screen;
   cf_winsys_drop(screen->winsys, swapchain->x11);
   for (unsigned i = 0; i < CF_X11_IMAGES; i++) {
      struct cf_swap_image *image = &swapchain->image[i];
      cf_buffer_reference(&image->rows, NULL);
      cf_buffer_reference(&image->tiles, NULL);
      if (i > 0 && image->dt)
         screen->sws->displaytarget_destroy(screen->sws, image->dt);
   }
   FREE(swapchain);
}

/* Size of the window of a buffer with a swapchain. */
static bool
cf_swapchain_size(struct pipe_resource *buffer, int *width_px, int *height_px)
{
   const struct cf_swapchain *swapchain = cf_resource(buffer)->swapchain;

   return swapchain && cf_x11_size(swapchain->x11, width_px, height_px);
}

static void
cf_swapchain_leave(struct pipe_resource *buffer)
{
   const struct cf_swapchain *swapchain = cf_resource(buffer)->swapchain;

   if (swapchain)
      cf_winsys_detach(swapchain->screen->winsys, swapchain->x11);
}

void
cf_swapchain_display(struct cf_swapchain *swapchain, unsigned image, void *drawable,
                     unsigned nboxes, struct pipe_box *boxes, const struct cf_picture *picture)
{
   static const struct cf_drawable_watcher watcher = { .size = cf_swapchain_size,
                                                       .leave = cf_swapchain_leave };

   swapchain->shown = image;
   cf_winsys_display_shared(swapchain->screen->winsys, swapchain->x11, image,
                            swapchain->image[image].dt, drawable, nboxes, boxes, picture);
   cf_drawable_watch(drawable, &watcher);
}
