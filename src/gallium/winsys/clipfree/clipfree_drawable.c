/* SPDX-License-Identifier: MIT */
/*
 * The only file that knows the front end's structures. The window of a drawable comes from Mesa's
 * loaders (EGL's and GLX's), through their interface for drivers that present by themselves.
 */
#include "clipfree_drawable.h"

#include <vulkan/vulkan_core.h>
#include <vulkan/vulkan_xcb.h>

#include "gallium/frontends/dri/dri_drawable.h"
#include "gallium/frontends/dri/dri_screen.h"
#include "kopper_interface.h"

static bool
cf_drawable_ask_size(struct dri_drawable *drawable, enum st_attachment_type which)
{
   struct pipe_resource *buffer = drawable->textures[which];

   return buffer && drawable->watcher->size(buffer, &drawable->w, &drawable->h);
}

static void
cf_drawable_update_size(struct dri_drawable *drawable)
{
   int x_px, y_px;

   if (!cf_drawable_ask_size(drawable, ST_ATTACHMENT_BACK_LEFT) &&
       !cf_drawable_ask_size(drawable, ST_ATTACHMENT_FRONT_LEFT))
      drawable->screen->swrast_loader->getDrawableInfo(drawable, &x_px, &y_px, &drawable->w,
                                                       &drawable->h, drawable->loaderPrivate);
}

static void
cf_drawable_leave(struct dri_drawable *drawable)
{
   for (unsigned i = 0; i < ST_ATTACHMENT_COUNT; i++) {
      if (drawable->textures[i])
         drawable->watcher->leave(drawable->textures[i]);
   }
}

void
cf_drawable_watch(void *drawable, const struct cf_drawable_watcher *watcher)
{
   struct dri_drawable *dri_drawable = drawable;

   dri_drawable->watcher = watcher;
   dri_drawable->update_drawable_info = cf_drawable_update_size;
   dri_drawable->destroyed = cf_drawable_leave;
}

struct pipe_resource *
cf_drawable_front(const void *drawable, bool multisampled)
{
   const struct dri_drawable *dri_drawable = drawable;

   return multisampled ? dri_drawable->msaa_textures[ST_ATTACHMENT_FRONT_LEFT]
                       : dri_drawable->textures[ST_ATTACHMENT_FRONT_LEFT];
}

bool
cf_drawable_window(const void *drawable, xcb_connection_t **connection, xcb_window_t *window)
{
   const struct dri_drawable *dri_drawable = drawable;
   const __DRIkopperLoaderExtension *loader = dri_drawable->screen->kopper_loader;
   struct kopper_loader_info info = { 0 };
   const VkXcbSurfaceCreateInfoKHR *xcb = (const VkXcbSurfaceCreateInfoKHR *)&info.bos;

   if (!loader || !loader->SetSurfaceCreateInfo)
      return false;
   loader->SetSurfaceCreateInfo(dri_drawable->loaderPrivate, &info);
   *connection = xcb->connection;
   *window = xcb->window;
   return xcb->sType == VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR && xcb->connection;
}
