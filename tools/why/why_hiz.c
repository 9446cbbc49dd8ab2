/* SPDX-License-Identifier: MIT */
#include "why_hiz.h"

#include <math.h>

#include "look/look_pixel.h"

#include "clipfree/interface/cf_limits.h"

#define REGION_PX 16 /* of CF_HIZ_HIDDEN_REGION */

/* The depth of a pixel at a sample. */
static double
stored_depth(const struct look_player *player, const struct cf_surface *zs, uint32_t x_px,
             uint32_t y_px, uint32_t sample)
{
   uint32_t pixel[4];
   if (!look_pixel_read(player, zs, x_px, y_px, sample, pixel))
      return (double)NAN;
   json_t *json = look_pixel_json(zs->format, pixel);
   const double depth = json_number_value(json_object_get(json, "depth"));
   json_decref(json);
   return depth;
}

struct why_hiz
why_hiz_of(const struct look_player *player, const struct cf_surface *zs,
           const struct cf_block_event *block)
{
   struct why_hiz hiz = { block->hiz, (double)block->nearest, (double)block->farthest,
                          (double)INFINITY, -(double)INFINITY };
   const uint32_t size_px = block->hiz == CF_HIZ_HIDDEN_REGION ? REGION_PX : CF_BLOCK_PX,
                  x_px = block->x_px / size_px * size_px, y_px = block->y_px / size_px * size_px,
                  samples = zs->samples > 1 ? zs->samples : 1;
   if (hiz.fate == CF_HIZ_NONE)
      return hiz;
   for (uint32_t y = y_px; y < y_px + size_px && y < zs->height_px; y++) {
      for (uint32_t x = x_px; x < x_px + size_px && x < zs->width_px; x++) {
         for (uint32_t sample = 0; sample < samples; sample++) {
            const double depth = stored_depth(player, zs, x, y, sample);
            hiz.stored_nearest = fmin(hiz.stored_nearest, depth);
            hiz.stored_farthest = fmax(hiz.stored_farthest, depth);
         }
      }
   }
   return hiz;
}

json_t *
why_hiz_sentence(const struct why_hiz *hiz)
{
   const char *where = hiz->fate == CF_HIZ_HIDDEN_REGION ? "region of 16x16" : "block of 4x4";
   const bool behind = hiz->nearest >= hiz->stored_farthest;
   return json_sprintf("hierarchical Z hides its %s pixels (%s %.9g, %s stored %.9g)", where,
                       behind ? "nearest" : "farthest", behind ? hiz->nearest : hiz->farthest,
                       behind ? "farthest" : "nearest",
                       behind ? hiz->stored_farthest : hiz->stored_nearest);
}

json_t *
why_hiz_json(const struct why_hiz *hiz)
{
   json_t *hides = hiz->fate == CF_HIZ_HIDDEN_REGION  ? json_string("region")
                   : hiz->fate == CF_HIZ_HIDDEN_BLOCK ? json_string("block")
                                                      : json_null();
   return json_pack("{s:o, s:o, s:o, s:o, s:o}", "hides", hides, "nearest",
                    look_json_float(hiz->nearest), "farthest", look_json_float(hiz->farthest),
                    "stored_nearest", look_json_float(hiz->stored_nearest), "stored_farthest",
                    look_json_float(hiz->stored_farthest));
}
