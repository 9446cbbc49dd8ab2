/* SPDX-License-Identifier: MIT */
#include "clipfree_swapchain.h"

#include "util/u_memory.h"

#include "frontend/sw_winsys.h"
#include "frontend/winsys_handle.h"

#include "gallium/frontends/dri/dri_drawable.h"
#include "gallium/frontends/dri/dri_screen.h"

#include "clipfree_buffer.h"
#include "clipfree_resource.h"
#include "clipfree_screen.h"
#include "clipfree_winsys.h"

/* A display target's segment of shared memory; -1: it has none. */
static int
cf_target_shmid(struct sw_winsys *sws, struct sw_displaytarget *dt)
{
   struct winsys_handle handle = { .type = WINSYS_HANDLE_TYPE_SHMID };
   const bool shared =
      sws->displaytarget_get_handle && sws->displaytarget_get_handle(sws, dt, &handle);
   return shared ? (int)handle.handle : -1;
}

/* Let the GPU write to the image's display target. */
static bool
cf_swap_image_import(struct cf_screen *screen, struct cf_swap_image *image, uint32_t width_px, uint32_t height_px)
{
   struct sw_winsys *sws = screen->sws;
   /* neither read nor written by the map itself */
   void *pixels = sws->displaytarget_map(sws, image->dt, 0);

   if (!pixels)
      return false;
   image->rows = cf_buffer_import(screen, pixels, (uint64_t)image->row_pitch_B * height_px);
   image->tiles = cf_buffer_create(screen, cf_tile_states_B(width_px, height_px));
   sws->displaytarget_unmap(sws, image->dt);
   return image->rows && image->tiles;
}

static bool
cf_swapchain_init(struct cf_screen *screen, const struct cf_resource *resource,
                  struct cf_swapchain *swapchain)
{
   const struct pipe_resource *base = &resource->base;
   struct sw_winsys *sws = screen->sws;
   int shmid[CF_X11_IMAGES];

   swapchain->screen = screen;
   for (unsigned i = 0; i < CF_X11_IMAGES; i++) {
      struct cf_swap_image *image = &swapchain->image[i];
      image->dt = resource->dt;
      image->row_pitch_B = resource->dt_stride_B;
      if (i > 0)
         image->dt = sws->displaytarget_create(sws, base->bind, base->format, base->width0,
                                               base->height0, 64, NULL, &image->row_pitch_B);
      shmid[i] = image->dt ? cf_target_shmid(sws, image->dt) : -1;
      if (shmid[i] < 0 || !cf_swap_image_import(screen, image, base->width0, base->height0))
         return false;
   }
   swapchain->x11 = cf_x11_chain_create(shmid);
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

/* The swapchain that a drawable's back or front buffer is displayed from; NULL: there is none at present. */
static struct cf_swapchain *
cf_swapchain_of(const struct dri_drawable *drawable, enum st_attachment_type which)
{
   const struct cf_resource *buffer = cf_resource(drawable->textures[which]);
   return buffer ? buffer->swapchain : NULL;
}

/* How Mesa's DRI frontend learns a drawable's size before the first draw of a frame. */
static void
cf_swapchain_update_size(struct dri_drawable *drawable)
{
   const struct cf_swapchain *back = cf_swapchain_of(drawable, ST_ATTACHMENT_BACK_LEFT);
   const struct cf_swapchain *front = cf_swapchain_of(drawable, ST_ATTACHMENT_FRONT_LEFT);
   int x_px, y_px;

   if (!(back && cf_x11_size(back->x11, &drawable->w, &drawable->h)) &&
       !(front && cf_x11_size(front->x11, &drawable->w, &drawable->h)))
      drawable->screen->swrast_loader->getDrawableInfo(drawable, &x_px, &y_px, &drawable->w,
                                                       &drawable->h, drawable->loaderPrivate);
}

static void
cf_swapchain_leave(struct dri_drawable *drawable)
{
   for (unsigned i = 0; i < ST_ATTACHMENT_COUNT; i++) {
      const struct cf_swapchain *swapchain = cf_swapchain_of(drawable, (enum st_attachment_type)i);
      if (swapchain)
         cf_winsys_detach(swapchain->screen->winsys, swapchain->x11);
   }
}

void
cf_swapchain_display(struct cf_swapchain *swapchain, unsigned image, void *drawable,
                     unsigned nboxes, struct pipe_box *boxes, const struct cf_picture *picture)
{
   struct dri_drawable *dri_drawable = drawable;

   swapchain->shown = image;
   cf_winsys_display_shared(swapchain->screen->winsys, swapchain->x11, image,
                            swapchain->image[image].dt, drawable, nboxes, boxes, picture);
   dri_drawable->update_drawable_info = cf_swapchain_update_size;
   dri_drawable->destroyed = cf_swapchain_leave;
}
