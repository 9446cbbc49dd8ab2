/* SPDX-License-Identifier: MIT */
/*
 * Requests are sent only while a frame is presented: at any other time the application may have
 * closed its connection.
 */
#include "clipfree_x11.h"

#include <stdlib.h>
#include <xcb/present.h>
#include <xcb/shm.h>
#include <xcb/xcb.h>

#include "util/box.h"
#include "util/format/u_format.h"
#include "util/macros.h"
#include "util/simple_mtx.h"
#include "util/u_memory.h"

#include "pipe/p_state.h"
#include "x11/x11_shm.h"

#include "clipfree_drawable.h"
#include "clipfree_winsys.h"

struct cf_x11_image {
   int file; /* descriptor of its memory; the display target's */
   xcb_shm_seg_t segment;
   /* a request sent after its last picture; its reply shows that the server has read the picture */
   bool reading;
   xcb_get_input_focus_cookie_t read;
};

#define CF_X11_REQUEST_DWORDS (1u << 16) /* at most, of a request with pixels */

/* Where pictures are sent through the socket. */
struct cf_x11_target {
   xcb_connection_t *connection;
   xcb_window_t window;
   xcb_gcontext_t gc;
   uint8_t depth;
   uint32_t request_limit_B; /* pixels of a request */
};

struct cf_x11_chain {
   struct cf_x11_chain *next; /* in the list cf_x11.dropped */
   struct cf_x11_image image[CF_X11_IMAGES];
   /* connection and window of the ids below; connection NULL: not attached */
   xcb_connection_t *connection;
   xcb_window_t window;
   xcb_gcontext_t gc;
   uint8_t depth;
   bool refused; /* the server cannot attach shared memory */
   /* events of the window's size; NULL: the server does not support them */
   xcb_special_event_t *resizes;
   uint32_t event_id;
   uint16_t width_px, height_px;
};

struct cf_x11 {
   simple_mtx_t lock;
   struct cf_x11_chain *dropped; /* chains to be detached; under the lock */
};

struct cf_x11 *
cf_x11_create(void)
{
   struct cf_x11 *x11 = CALLOC_STRUCT(cf_x11);
   if (x11)
      simple_mtx_init(&x11->lock, mtx_plain);
   return x11;
}

void
cf_x11_destroy(struct cf_x11 *x11)
{
   if (!x11)
      return;
   while (x11->dropped) {
      struct cf_x11_chain *chain = x11->dropped;
      x11->dropped = chain->next;
      FREE(chain);
   }
   simple_mtx_destroy(&x11->lock);
   FREE(x11);
}

struct cf_x11_chain *
cf_x11_chain_create(const int file[CF_X11_IMAGES])
{
   struct cf_x11_chain *chain = CALLOC_STRUCT(cf_x11_chain);
   for (unsigned i = 0; chain && i < CF_X11_IMAGES; i++)
      chain->image[i].file = file[i];
   return chain;
}

void
cf_x11_chain_drop(struct cf_x11 *x11, struct cf_x11_chain *chain)
{
   if (!chain)
      return;
   if (!chain->connection) {
      FREE(chain);
      return;
   }
   simple_mtx_lock(&x11->lock);
   chain->next = x11->dropped;
   x11->dropped = chain;
   simple_mtx_unlock(&x11->lock);
}

/* Wait until the server has read the image's last picture. */
static void
cf_x11_finish(struct cf_x11_chain *chain, struct cf_x11_image *image)
{
   if (image->reading)
      free(xcb_get_input_focus_reply(chain->connection, image->read, NULL));
   image->reading = false;
}

/* Discard a request's errors: the window may have been destroyed. */
static void
cf_x11_ignore(xcb_connection_t *connection, xcb_void_cookie_t cookie)
{
   xcb_discard_reply(connection, cookie.sequence);
}

/* Subscribe to events of the window's size, in a queue that the application does not see. */
static void
cf_x11_watch(struct cf_x11_chain *chain)
{
   xcb_connection_t *connection = chain->connection;
   const xcb_query_extension_reply_t *present = xcb_get_extension_data(connection, &xcb_present_id);

   if (!present || !present->present)
      return;
   chain->event_id = xcb_generate_id(connection);
   chain->resizes =
      xcb_register_for_special_xge(connection, &xcb_present_id, chain->event_id, NULL);
   cf_x11_ignore(connection, xcb_present_select_input(connection, chain->event_id, chain->window,
                                                      XCB_PRESENT_EVENT_MASK_CONFIGURE_NOTIFY));
}

static void
cf_x11_unwatch(struct cf_x11_chain *chain)
{
   xcb_connection_t *connection = chain->connection;

   if (!chain->resizes)
      return;
   cf_x11_ignore(connection,
                 xcb_present_select_input(connection, chain->event_id, chain->window, 0));
   xcb_unregister_for_special_event(connection, chain->resizes);
   chain->resizes = NULL;
}

bool
cf_x11_size(struct cf_x11_chain *chain, int *width_px, int *height_px)
{
   if (!chain->connection || !chain->resizes)
      return false;
   xcb_generic_event_t *event;
   while ((event = xcb_poll_for_special_event(chain->connection, chain->resizes))) {
      const xcb_present_configure_notify_event_t *resize =
         (const xcb_present_configure_notify_event_t *)event;
      if (resize->event_type == XCB_PRESENT_CONFIGURE_NOTIFY) {
         chain->width_px = resize->width;
         chain->height_px = resize->height;
      }
      free(event);
   }
   *width_px = chain->width_px;
   *height_px = chain->height_px;
   return true;
}

static void
cf_x11_detach(struct cf_x11_chain *chain)
{
   if (!chain->connection)
      return;
   cf_x11_unwatch(chain);
   for (unsigned i = 0; i < CF_X11_IMAGES; i++) {
      cf_x11_finish(chain, &chain->image[i]);
      xcb_shm_detach(chain->connection, chain->image[i].segment);
   }
   cf_x11_ignore(chain->connection, xcb_free_gc(chain->connection, chain->gc));
   chain->connection = NULL;
}

/* Detach the segments of dropped chains. */
static void
cf_x11_collect(struct cf_x11 *x11, xcb_connection_t *connection)
{
   simple_mtx_lock(&x11->lock);
   struct cf_x11_chain **link = &x11->dropped;
   while (*link) {
      struct cf_x11_chain *chain = *link;
      if (chain->connection != connection) {
         link = &chain->next;
         continue;
      }
      *link = chain->next;
      cf_x11_detach(chain);
      FREE(chain);
   }
   simple_mtx_unlock(&x11->lock);
}

void
cf_x11_chain_detach(struct cf_x11 *x11, struct cf_x11_chain *chain)
{
   if (!chain->connection)
      return;
   cf_x11_collect(x11, chain->connection);
   cf_x11_detach(chain);
}

/* False: the server cannot attach the segment. */
static bool
cf_x11_attach_image(struct cf_x11_image *image, xcb_connection_t *connection)
{
   image->segment = xcb_generate_id(connection);
   return x11_shm_attach(connection, image->segment, image->file, true);
}

/* False: the server cannot attach all segments. */
static bool
cf_x11_attach_images(struct cf_x11_chain *chain, xcb_connection_t *connection)
{
   for (unsigned i = 0; i < CF_X11_IMAGES; i++) {
      if (!cf_x11_attach_image(&chain->image[i], connection)) {
         while (i-- > 0)
            xcb_shm_detach(connection, chain->image[i].segment);
         return false;
      }
   }
   return true;
}

/* Attach the chain to a window: segments, graphics context, size. If the window is gone, the chain
 * stays without a connection. False: not possible. */
static bool
cf_x11_attach(struct cf_x11_chain *chain, xcb_connection_t *connection, xcb_window_t window)
{
   const uint32_t no_exposures = 0;

   cf_x11_detach(chain);
   if (!cf_x11_attach_images(chain, connection))
      return false;
   chain->connection = connection;
   chain->window = window;
   chain->gc = xcb_generate_id(connection);
   cf_x11_ignore(connection, xcb_create_gc(connection, chain->gc, window, XCB_GC_GRAPHICS_EXPOSURES,
                                           &no_exposures));
   cf_x11_watch(chain);
   /* after subscribing, so that no change of the size is missed */
   xcb_get_geometry_reply_t *geometry =
      xcb_get_geometry_reply(connection, xcb_get_geometry(connection, window), NULL);
   if (!geometry) {
      cf_x11_detach(chain);
      return true;
   }
   chain->depth = geometry->depth;
   chain->width_px = geometry->width;
   chain->height_px = geometry->height;
   free(geometry);
   return true;
}

/* Put the part of a box that lies in the picture. Errors are discarded: the window may have been
 * destroyed. */
static void
cf_x11_put_box(const struct cf_x11_chain *chain, const struct cf_x11_image *image,
               const struct cf_picture *picture, const struct pipe_box *box)
{
   const uint32_t row_px = picture->row_pitch_B / util_format_get_blocksize(picture->format);
   struct pipe_box inside = *box;

   if (u_box_clip_2d(&inside, box, picture->width_px, picture->height_px) < 0 || !inside.width ||
       !inside.height)
      return;
   const xcb_void_cookie_t put =
      xcb_shm_put_image(chain->connection, chain->window, chain->gc, row_px, picture->height_px,
                        inside.x, inside.y, inside.width, inside.height, inside.x, inside.y,
                        chain->depth, XCB_IMAGE_FORMAT_Z_PIXMAP, false, image->segment, 0);
   cf_x11_ignore(chain->connection, put);
}

bool
cf_x11_put(struct cf_x11 *x11, struct cf_x11_chain *chain, unsigned image, void *drawable,
           const struct cf_picture *picture, unsigned nboxes, const struct pipe_box *boxes)
{
   const struct pipe_box whole = { .width = picture->width_px, .height = picture->height_px };
   struct cf_x11_image *shown = &chain->image[image];
   xcb_connection_t *connection;
   xcb_window_t window;

   if (chain->refused || !cf_drawable_window(drawable, &connection, &window))
      return false;
   if (chain->connection != connection || chain->window != window) {
      cf_x11_collect(x11, connection);
      chain->refused = !cf_x11_attach(chain, connection, window);
      if (!chain->connection)
         return !chain->refused;
   }
   if (!nboxes)
      cf_x11_put_box(chain, shown, picture, &whole);
   for (unsigned i = 0; i < nboxes; i++)
      cf_x11_put_box(chain, shown, picture, &boxes[i]);
   cf_x11_finish(chain, shown);
   shown->read = xcb_get_input_focus(connection);
   shown->reading = true;
   xcb_flush(connection);
   for (unsigned i = 0; i < CF_X11_IMAGES; i++) {
      if (i != image)
         cf_x11_finish(chain, &chain->image[i]);
   }
   return true;
}

/* Send the part of a box that lies in the picture, as many rows a request as it may have. False:
 * out of memory. */
static bool
cf_x11_send_box(const struct cf_x11_target *target, const struct cf_picture *picture,
                const struct pipe_box *box)
{
   const uint32_t pixel_B = util_format_get_blocksize(picture->format);
   struct pipe_box inside = *box;

   if (u_box_clip_2d(&inside, box, picture->width_px, picture->height_px) < 0 || !inside.width ||
       !inside.height)
      return true;
   const uint32_t row_B = align(inside.width * pixel_B, 4);
   const uint32_t rows_limit = MAX2(target->request_limit_B / row_B, 1);
   const uint8_t *from = (const uint8_t *)picture->pixels +
                         (size_t)inside.y * picture->row_pitch_B + inside.x * pixel_B;
   uint8_t *packed = MALLOC((size_t)MIN2(rows_limit, (uint32_t)inside.height) * row_B);

   for (uint32_t y = 0; packed && y < (uint32_t)inside.height; y += rows_limit) {
      const uint32_t rows = MIN2(rows_limit, inside.height - y);
      for (uint32_t row = 0; row < rows; row++)
         memcpy(packed + (size_t)row * row_B, from + (size_t)(y + row) * picture->row_pitch_B,
                inside.width * pixel_B);
      cf_x11_ignore(target->connection,
                    xcb_put_image(target->connection, XCB_IMAGE_FORMAT_Z_PIXMAP, target->window,
                                  target->gc, inside.width, rows, inside.x, inside.y + y, 0,
                                  target->depth, rows * row_B, packed));
   }
   FREE(packed);
   return packed != NULL;
}

bool
cf_x11_send(void *drawable, const struct cf_picture *picture, unsigned nboxes,
            const struct pipe_box *boxes)
{
   const struct pipe_box whole = { .width = picture->width_px, .height = picture->height_px };
   struct cf_x11_target target;
   bool sent = true;

   if (!cf_drawable_window(drawable, &target.connection, &target.window))
      return false;
   xcb_get_geometry_reply_t *geometry = xcb_get_geometry_reply(
      target.connection, xcb_get_geometry(target.connection, target.window), NULL);
   if (!geometry)
      return true;
   target.depth = geometry->depth;
   free(geometry);
   target.request_limit_B =
      MIN2(xcb_get_maximum_request_length(target.connection), CF_X11_REQUEST_DWORDS) * 4 -
      sizeof(xcb_put_image_request_t) - 4 /* of the long form's length */;
   target.gc = xcb_generate_id(target.connection);
   cf_x11_ignore(target.connection,
                 xcb_create_gc(target.connection, target.gc, target.window, 0, NULL));
   for (unsigned i = 0; i < MAX2(nboxes, 1); i++)
      sent &= cf_x11_send_box(&target, picture, nboxes ? &boxes[i] : &whole);
   cf_x11_ignore(target.connection, xcb_free_gc(target.connection, target.gc));
   xcb_flush(target.connection);
   return sent;
}

bool
cf_x11_get(void *drawable, const struct cf_picture *picture, void *rows)
{
   const uint32_t pixel_B = util_format_get_blocksize(picture->format);
   xcb_connection_t *connection;
   xcb_window_t window;

   if (!cf_drawable_window(drawable, &connection, &window))
      return false;
   xcb_get_geometry_reply_t *geometry =
      xcb_get_geometry_reply(connection, xcb_get_geometry(connection, window), NULL);
   if (!geometry)
      return false;
   const uint32_t width_px = MIN2(geometry->width, picture->width_px);
   const uint32_t height_px = MIN2(geometry->height, picture->height_px);
   const uint32_t from_pitch_B = align(width_px * pixel_B, 4);
   free(geometry);
   xcb_get_image_reply_t *image = xcb_get_image_reply(
      connection,
      xcb_get_image(connection, XCB_IMAGE_FORMAT_Z_PIXMAP, window, 0, 0, width_px, height_px, ~0u),
      NULL);
   const bool found =
      image && (uint32_t)xcb_get_image_data_length(image) == from_pitch_B * height_px;
   for (uint32_t y = 0; found && y < height_px; y++)
      memcpy((uint8_t *)rows + (size_t)y * picture->row_pitch_B,
             xcb_get_image_data(image) + (size_t)y * from_pitch_B, width_px * pixel_B);
   free(image);
   return found;
}
