/* SPDX-License-Identifier: MIT */
#include "sim_maps.h"

#include <stdlib.h>

#include "heat/heat_picture.h"

#include "clipfree/timing/cf_sim_pixels.h"

static const char *const names[SIM_MAPS] = {
   [SIM_MAP_CYCLES] = "cycles",
   [SIM_MAP_Z_MISSES] = "z_misses",
   [SIM_MAP_Z_LATENCY] = "z_latency_cycles",
   [SIM_MAP_COLOR_MISSES] = "color_misses",
   [SIM_MAP_COLOR_LATENCY] = "color_latency_cycles",
   [SIM_MAP_DATA_MISSES] = "data_misses",
};

void
sim_maps_init(struct sim_maps *maps, const struct cf_sim_machine *m)
{
   const bool whole = m->gpu.model == CF_SIM_MODEL_WHOLE; /* it knows of which pixels a task is */
   *maps = (struct sim_maps){ 0 };
   for (enum sim_map map = whole ? SIM_MAP_Z_MISSES : SIM_MAP_CYCLES; map < SIM_MAP_DATA_MISSES;
        map++) { /* of lines */
      maps->x_shift[map] = (uint32_t)__builtin_ctz(m->z.line_width_px);
      maps->y_shift[map] = (uint32_t)__builtin_ctz(m->z.line_height_px);
   }
   maps->x_shift[SIM_MAP_DATA_MISSES] = maps->y_shift[SIM_MAP_DATA_MISSES] = 1; /* of quads */
}

void
sim_maps_free(struct sim_maps *maps)
{
   for (uint32_t i = 0; i < maps->targets; i++) {
      for (uint32_t map = 0; map < SIM_MAPS; map++)
         free(maps->target[i].count[map]);
   }
}

/* ------------------------------------------------------------------ counts */

/* The target of an operation. NULL: there are too many. */
static struct sim_target *
target_of(struct sim_maps *maps, const struct cf_sim_op *op)
{
   const uint32_t image = op->colors ? op->color_image[0] : op->zs_image;
   for (uint32_t i = 0; i < maps->targets; i++) {
      struct sim_target *t = &maps->target[i];
      if (t->image == image && t->width_px == op->width_px && t->height_px == op->height_px)
         return t;
   }
   if (maps->targets == SIM_TARGETS)
      return NULL;
   maps->target[maps->targets] =
      (struct sim_target){ .image = image, .width_px = op->width_px, .height_px = op->height_px };
   return &maps->target[maps->targets++];
}

static uint32_t
cells(uint32_t size_px, uint32_t shift)
{
   return (size_px + (1u << shift) - 1) >> shift;
}

/* Count for a pixel, x_px | y_px << 16, of the first image of an operation. */
static void
add(struct sim_maps *maps, const struct cf_sim_op *op, enum sim_map map, uint32_t pixel,
    uint64_t more)
{
   const uint32_t x = pixel & 0xffff, y = pixel >> 16, x_shift = maps->x_shift[map],
                  y_shift = maps->y_shift[map];
   struct sim_target *t = x < op->width_px && y < op->height_px ? target_of(maps, op) : NULL;
   if (!t) {
      maps->elsewhere[map] += more;
      return;
   }
   const size_t across = cells(t->width_px, x_shift);
   if (!t->count[map])
      t->count[map] = calloc(across * cells(t->height_px, y_shift), sizeof(t->count[map][0]));
   if (t->count[map])
      t->count[map][(y >> y_shift) * across + (x >> x_shift)] += (uint32_t)more;
   maps->failed |= !t->count[map];
}

void
sim_maps_add_item(struct sim_maps *maps, const struct cf_sim_chunk *chunk,
                  const struct cf_sim_item *item, enum sim_map map, uint64_t more)
{
   if (cf_sim_kind(cf_sim_item_record(chunk, item)[0]) == CF_SIM_CLEARED)
      maps->elsewhere[map] += more;
   else
      add(maps, &chunk->op[item->op], map, cf_sim_item_pixel(chunk, item), more);
}

/* Pixels of an item that are covered in any sample, a bit each as those of a quad lie. */
static uint32_t
covered(const struct cf_sim_chunk *chunk, const struct cf_sim_item *item)
{
   const uint32_t *record = cf_sim_item_record(chunk, item);
   uint32_t mask = 0;
   if (cf_sim_kind(record[0]) == CF_SIM_CLEARED)
      return 0;
   if (cf_sim_kind(record[0]) == CF_SIM_EARLY_TEST)
      return 1;
   for (uint32_t s = 0; s < chunk->op[item->op].samples; s++)
      mask |= cf_sim_quad_masks(record, item->quad, s).covered;
   return mask;
}

void
sim_maps_spread(struct sim_maps *maps, const struct cf_sim_chunk *chunk,
                const struct cf_sim_item *item, size_t items, enum sim_map map, uint64_t more)
{
   uint64_t pixels = 0, done = 0;
   for (size_t i = 0; i < items; i++)
      pixels += (uint32_t)__builtin_popcount(covered(chunk, &item[i]));
   for (size_t i = 0; pixels && i < items; i++) {
      const uint32_t at = cf_sim_item_pixel(chunk, &item[i]);
      for (uint32_t left = covered(chunk, &item[i]); left; left &= left - 1) {
         const uint32_t lane = (uint32_t)__builtin_ctz(left);
         const uint64_t part = more * (done + 1) / pixels - more * done / pixels;
         done++;
         if (part)
            add(maps, &chunk->op[item[i].op], map, at + (lane & 1) + ((lane >> 1) << 16), part);
      }
   }
   if (!pixels)
      maps->elsewhere[map] += more;
}

/* ------------------------------------------------------------------ JSON */

static json_t *
map_json(const struct sim_maps *maps, const struct sim_target *t, enum sim_map map)
{
   const uint32_t across = cells(t->width_px, maps->x_shift[map]),
                  down = cells(t->height_px, maps->y_shift[map]);
   struct heat_scale scale;
   struct heat_bytes png = { 0 };
   heat_scale_of(t->count[map], (size_t)across * down, false, &scale);
   heat_png(t->count[map], across, down, &scale, &png);
   json_t *json = json_pack(
      "{s: s, s: I, s: I, s: I, s: [I, I], s: I, s: I, s: o, s: o}", "map", names[map], "image",
      (json_int_t)t->image, "width", (json_int_t)t->width_px, "height", (json_int_t)t->height_px,
      "cell_px", (json_int_t)1 << maps->x_shift[map], (json_int_t)1 << maps->y_shift[map], "sum",
      (json_int_t)scale.sum, "max", (json_int_t)scale.max, "legend", heat_legend(&scale), "picture",
      heat_data_url(&png));
   free(png.data);
   return json;
}

json_t *
sim_maps_json(const struct sim_maps *maps)
{
   json_t *json = json_array();
   for (uint32_t i = 0; i < maps->targets; i++) {
      for (enum sim_map map = 0; map < SIM_MAPS; map++) {
         if (maps->target[i].count[map])
            json_array_append_new(json, map_json(maps, &maps->target[i], map));
      }
   }
   return json;
}

json_t *
sim_maps_elsewhere(const struct sim_maps *maps)
{
   json_t *json = json_object();
   for (enum sim_map map = 0; map < SIM_MAPS; map++)
      json_object_set_new(json, names[map], json_integer((json_int_t)maps->elsewhere[map]));
   return json;
}
