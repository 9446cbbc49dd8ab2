/* SPDX-License-Identifier: MIT */
#include "report_json.h"

#include <stdlib.h>

#include "look/look_pixel.h"

#include "clipfree/memory/cf_format.h"

#include "report_picture.h"

static void
set(json_t *object, const char *name, json_t *value)
{
   json_object_set_new(object, name, value);
}

static json_t *
number_or_null(uint32_t number)
{
   return number == REPORT_NONE ? json_null() : json_integer(number);
}

static json_t *
counts_json(const struct report_counts *counts)
{
   return report_counts_json(report_counts_table, report_counts_count, counts);
}

/* ------------------------------------------------------------------ heat maps */

static json_t *
map_json(const struct report_maps *maps, enum report_map map)
{
   struct heat_scale scale;
   struct heat_bytes png = { 0 };
   json_t *json = json_object();
   report_scale_of(maps, map, &scale);
   heat_png(maps->count[map], maps->width_px, maps->height_px, &scale, &png);
   set(json, "map", json_string(report_map_name(map)));
   set(json, "sum", json_integer((json_int_t)scale.sum));
   set(json, "max", json_integer(scale.max));
   set(json, "legend", heat_legend(&scale));
   set(json, "picture", heat_data_url(&png));
   free(png.data);
   return json;
}

/* ------------------------------------------------------------------ targets and draws */

/* The images beside the first. */
static json_t *
others_json(const struct report_target *target)
{
   json_t *others = json_array();
   for (uint32_t i = 0; i < target->others; i++) {
      json_t *other = json_object();
      set(other, "image", look_json_address(target->other[i].address));
      set(other, "format", json_string(cf_format_info_of(target->other[i].format)->name));
      json_object_set(other, "picture", target->other_picture[i]);
      json_array_append_new(others, other);
   }
   return others;
}

static json_t *
target_json(const struct report_target *target, uint32_t number)
{
   const struct cf_surface *surface = &target->surface;
   json_t *json = json_object(), *maps = json_array();
   for (uint32_t map = 0; map < REPORT_MAPS; map++) {
      if (target->maps.count[map] && report_map_name(map))
         json_array_append_new(maps, map_json(&target->maps, map));
   }
   set(json, "target", json_integer(number));
   set(json, "image", look_json_address(surface->address));
   set(json, "width", json_integer(target->width_px));
   set(json, "height", json_integer(target->height_px));
   set(json, "format", json_string(cf_format_info_of(surface->format)->name));
   set(json, "samples", json_integer(surface->samples > 1 ? surface->samples : 1));
   set(json, "rows", json_string(target->lowest_first ? "lowest first" : "highest first"));
   set(json, "draws", json_integer(target->draws));
   set(json, "last_draw", json_integer(target->last_draw));
   json_object_set(json, "picture", target->picture);
   set(json, "others", others_json(target));
   set(json, "maps", maps);
   return json;
}

static json_t *
draw_json(const struct report_draw *draw)
{
   json_t *json = json_copy(draw->about), *counts = counts_json(&draw->counts);
   set(json, "target", number_or_null(draw->target));
   set(json, "vertex_program", number_or_null(draw->program[CF_SHADER_STAGE_VERTEX]));
   set(json, "fragment_program", number_or_null(draw->program[CF_SHADER_STAGE_FRAGMENT]));
   set(json, "tests", json_string(draw->tests));
   set(json, "late_because", draw->late ? json_string(draw->late) : json_null());
   set(json, "shaded", json_boolean(draw->shaded));
   set(json, "cost", json_integer((json_int_t)report_draw_cost(draw)));
   if (draw->picture)
      json_object_set(json, "picture", draw->picture);
   json_object_update_new(json, counts);
   return json;
}

/* ------------------------------------------------------------------ frames */

static json_t *
frame_json(const struct report *report, uint32_t frame)
{
   json_t *json = json_object(), *draws = json_array(), *targets = json_array();
   struct report_counts sum = { 0 };
   uint64_t cost = 0;
   for (size_t i = 0; i < report->draws; i++) {
      if (report->draw[i].frame != frame)
         continue;
      json_array_append_new(draws, draw_json(&report->draw[i]));
      report_counts_add(&sum, &report->draw[i].counts);
      cost += report_draw_cost(&report->draw[i]);
   }
   for (size_t i = 0; i < report->targets; i++) {
      if (report->target[i]->frame == frame)
         json_array_append_new(targets, target_json(report->target[i], (uint32_t)i));
   }
   set(json, "frame", json_integer(frame));
   set(json, "cost", json_integer((json_int_t)cost));
   set(json, "sum", counts_json(&sum));
   set(json, "targets", targets);
   set(json, "draws", draws);
   return json;
}

json_t *
report_json(const struct report *report, const char *path)
{
   json_t *json = json_object(), *frames = json_array(), *programs = json_array();
   for (uint32_t frame = 0; frame < report->frames; frame++)
      json_array_append_new(frames, frame_json(report, frame));
   for (size_t i = 0; i < report->programs.count; i++)
      json_array_append_new(programs, report_program_json(report->programs.program[i]));
   set(json, "version", json_integer(1));
   set(json, "capture", json_string(path));
   set(json, "frames", frames);
   set(json, "programs", programs);
   return json;
}
