/* SPDX-License-Identifier: MIT */
/*
 * Texture unit with an observer: reports which texels a footprint reads, and
 * reads none.
 * Included by cf_sample_lanes.c only.
 */
#ifndef CF_SAMPLE_WATCH_H
#define CF_SAMPLE_WATCH_H

#include "clipfree/base/cf_for.h"
#include "clipfree/texture/cf_sample_footprint.h"

/* Find texel `corner` of a lane's footprint, as load_corner does. False: it lies outside, so it is
 * the border colour. */
static bool
find_texel(const struct footprint *f, uint32_t corner, uint32_t lane, struct cf_texel *texel)
{
   uint32_t at[3] = { 0, 0, texel->layer };
   bool outside = false;
   for (uint32_t a = 0; a < f->unit->dims; a++) {
      at[a] = (uint32_t)f->axis[a].index[corner >> a & 1][lane];
      outside |= f->border && f->axis[a].outside[corner >> a & 1][lane];
   }
   texel->x_px = at[0];
   texel->y_px = at[1];
   texel->layer = at[2];
   return !outside;
}

/* The same for seamless cubes, whose footprints may reach other faces. False: at a cube's corner,
 * where this texel is missing. */
static bool
find_seamless_texel(const struct footprint *f, uint32_t corner, uint32_t lane,
                    struct cf_texel *texel)
{
   const int32_t size = (int32_t)f->level->width_px;
   int32_t x = f->axis[0].index[corner & 1][lane], y = f->axis[1].index[corner >> 1][lane];
   if (f->missing[lane] == corner)
      return false;
   cross_seam(size, &x, &y, &texel->layer);
   texel->x_px = (uint32_t)x;
   texel->y_px = (uint32_t)y;
   return true;
}

/* Report the texels one by one. */
static void
report_each(const struct footprint *f, uint32_t corners, uint32_t level,
                 const struct coords *coords, uint32_t lanes)
{
   const struct cf_texel_watch *watch = f->unit->watch;
   CF_FOR_BITS (lane, lanes) {
      for (uint32_t corner = 0; corner < corners; corner++) {
         struct cf_texel texel = { .lane = lane, .level = level, .layer = coords->layer[lane] };
         if (f->seamless ? find_seamless_texel(f, corner, lane, &texel)
                         : find_texel(f, corner, lane, &texel))
            watch->texel(watch->user, &texel);
      }
   }
}

/* Report the texels of the footprint in these lanes, all at this level. */
static void
report_footprint(const struct footprint *f, uint32_t corners, uint32_t level,
                 const struct coords *coords, uint32_t lanes)
{
   const struct cf_texel_watch *watch = f->unit->watch;
   struct cf_footprint event = { .level = level,
                                 .lanes = lanes,
                                 .axes = f->unit->dims,
                                 .corners = corners,
                                 .layer = coords->layer };
   if (!watch->footprint || f->border || f->seamless) {
      report_each(f, corners, level, coords, lanes);
      return;
   }
   for (uint32_t a = 0; a < event.axes; a++) {
      event.axis[a][0] = f->axis[a].index[0];
      event.axis[a][1] = f->axis[a].index[1];
   }
   watch->footprint(watch->user, &event);
}

#endif
