/* SPDX-License-Identifier: MIT */
/*
 * Presentation through a software winsys, with frames counted: CLIPFREE_FRAMES=N ends the process
 * after N frames, CLIPFREE_FRAME_DUMP=PREFIX writes each to PREFIXnnnn.png and prints its hash.
 * Both make any program a bounded test.
 */
#include "clipfree_winsys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/format/u_format.h"
#include "util/macros.h"
#include "util/os_misc.h"
#include "util/u_atomic.h"
#include "util/u_memory.h"
#include "util/u_debug.h"

#include "frontend/sw_winsys.h"
#include "pipe/p_defines.h"
#include "pipe/p_state.h"

#include "clipfree_drm.h"
#include "clipfree_frame_dump.h"
#include "clipfree_options.h"
#include "clipfree_x11.h"

struct cf_winsys {
   struct sw_winsys *sws;   /* not ours */
   struct cf_x11 *x11;
   unsigned frames_limit;   /* 0: none */
   unsigned frames;         /* atomic */
   const char *dump_prefix; /* NULL: no dumps */
};

/* Parse CLIPFREE_FRAMES: 0 if not set. False: a wrong value, reported. */
static bool
cf_parse_frames(unsigned *frames)
{
   const struct cf_option *option = &cf_driver_options[CF_OPTION_FRAMES];
   const char *value = cf_option_value(option);
   unsigned long number = 0;

   const bool known = !value || (cf_parse_number(value, 999999999, &number) && number);
   if (!known)
      fprintf(stderr, "clipfree: %s\n", cf_option_message(option));
   *frames = number;
   return known;
}

struct cf_winsys *
cf_winsys_create(struct sw_winsys *sws)
{
   unsigned frames_limit;

   if ((sws->get_fd && !cf_drm_check(sws->get_fd(sws))) || !cf_parse_frames(&frames_limit))
      return NULL;
   struct cf_winsys *winsys = CALLOC_STRUCT(cf_winsys);
   if (!winsys)
      return NULL;
   winsys->sws = sws;
   winsys->x11 = cf_x11_create();
   if (!winsys->x11) {
      FREE(winsys);
      return NULL;
   }
   winsys->frames_limit = frames_limit;
   if (__normal_user())
      winsys->dump_prefix = cf_option_value(&cf_driver_options[CF_OPTION_FRAME_DUMP]);
   return winsys;
}

void
cf_winsys_destroy(struct cf_winsys *winsys)
{
   if (!winsys)
      return;
   cf_x11_destroy(winsys->x11);
   FREE(winsys);
}

/* Copy the part of a box that lies in the picture. */
static void
cf_put_box(uint8_t *to, uint32_t row_pitch_B, const struct cf_picture *picture,
           const struct pipe_box *box)
{
   const uint32_t pixel_B = util_format_get_blocksize(picture->format);
   const uint32_t max_x_px =
      MIN3((uint32_t)(box->x + box->width), picture->width_px, row_pitch_B / pixel_B);
   const uint32_t max_y_px = MIN2((uint32_t)(box->y + box->height), picture->height_px);
   const uint8_t *from = picture->pixels;

   for (uint32_t y = box->y; y < max_y_px && (uint32_t)box->x < max_x_px; y++)
      memcpy(to + (size_t)y * row_pitch_B + box->x * pixel_B,
             from + (size_t)y * picture->row_pitch_B + box->x * pixel_B,
             (max_x_px - box->x) * pixel_B);
}

void
cf_winsys_put(struct cf_winsys *winsys, struct sw_displaytarget *target, uint32_t row_pitch_B,
              const struct cf_picture *picture, unsigned nboxes, const struct pipe_box *boxes)
{
   const struct pipe_box whole = { .width = picture->width_px, .height = picture->height_px };
   struct sw_winsys *sws = winsys->sws;
   uint8_t *to = sws->displaytarget_map(sws, target, PIPE_MAP_WRITE);

   if (!to)
      return;
   if (!nboxes)
      cf_put_box(to, row_pitch_B, picture, &whole);
   for (unsigned i = 0; i < nboxes; i++)
      cf_put_box(to, row_pitch_B, picture, &boxes[i]);
   sws->displaytarget_unmap(sws, target);
}

/* Dump a frame. True: it is the last one. */
static bool
cf_winsys_frame(struct cf_winsys *winsys, const struct cf_picture *picture)
{
   const unsigned frame = p_atomic_inc_return(&winsys->frames);

   if (winsys->dump_prefix)
      cf_frame_dump(winsys->dump_prefix, frame, picture);
   return frame == winsys->frames_limit;
}

void
cf_winsys_display(struct cf_winsys *winsys, struct sw_displaytarget *target, void *drawable,
                  unsigned nboxes, struct pipe_box *boxes, const struct cf_picture *picture)
{
   const bool last = cf_winsys_frame(winsys, picture);

   if (!cf_x11_send(drawable, picture, nboxes, boxes))
      winsys->sws->displaytarget_display(winsys->sws, target, drawable, nboxes, boxes);
   if (last)
      exit(EXIT_SUCCESS);
}

void
cf_winsys_display_shared(struct cf_winsys *winsys, struct cf_x11_chain *chain, unsigned image,
                         struct sw_displaytarget *target, void *drawable, unsigned nboxes,
                         struct pipe_box *boxes, const struct cf_picture *picture)
{
   const bool last = cf_winsys_frame(winsys, picture);

   if (!cf_x11_put(winsys->x11, chain, image, drawable, picture, nboxes, boxes) &&
       !cf_x11_send(drawable, picture, nboxes, boxes))
      winsys->sws->displaytarget_display(winsys->sws, target, drawable, nboxes, boxes);
   if (last)
      exit(EXIT_SUCCESS);
}

void
cf_winsys_drop(struct cf_winsys *winsys, struct cf_x11_chain *chain)
{
   cf_x11_chain_drop(winsys->x11, chain);
}

void
cf_winsys_detach(struct cf_winsys *winsys, struct cf_x11_chain *chain)
{
   cf_x11_chain_detach(winsys->x11, chain);
}

void
cf_winsys_count(struct cf_winsys *winsys, const struct cf_picture *picture)
{
   if (cf_winsys_frame(winsys, picture))
      exit(EXIT_SUCCESS);
}
