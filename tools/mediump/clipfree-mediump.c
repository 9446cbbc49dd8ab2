/* SPDX-License-Identifier: MIT */
/*
 * clipfree-mediump CAPTURE CHANGES IMAGE PARTS
 *
 * Plays a capture with the programs of CHANGES (look/look_change.h), which round mediump, and
 * beside each task the same without roundings. IMAGE gets the picture: what was presented last, or
 * color 0 of the last draw. PARTS gets, for each pixel of the last draw's color 0, a dword and two
 * floats: the number of the place at which its last fragment parted, from 1, 0 for none, and the
 * values there. The places are printed as JSON after the size of the picture. For clipfree mediump.
 */
#include <stdio.h>
#include <stdlib.h>

#include "look/look_change.h"
#include "look/look_error.h"
#include "look/look_file.h"
#include "look/look_pixel.h"

#include "mediump_watch.h"

#define ERROR_B 1024

static json_t *
place_json(const struct mediump_place *p)
{
   return json_pack("{so si ss sI so so sI so si si si si}", "program",
                    look_json_address(p->descriptor), "instruction", (int)p->instr, "stage",
                    cf_shader_stage_name(p->stage), "parts", (json_int_t)p->parts, "with",
                    look_json_float((double)p->with), "without",
                    look_json_float((double)p->without), "overflows", (json_int_t)p->overflows,
                    "too_large", look_json_float((double)p->too_large), "draw", (int)p->draw, "x",
                    (int)p->x_px, "y", (int)p->y_px, "vertex", (int)p->vertex);
}

static bool
print_places(const struct mediump_watch *watch, char *error)
{
   uint32_t count;
   const struct mediump_place *place = mediump_watch_places(watch, &count);
   if (!place)
      return look_fails(error, ERROR_B, "out of memory");
   json_t *places = json_array();
   for (uint32_t i = 0; i < count; i++)
      json_array_append_new(places, place_json(&place[i]));
   const bool written = json_dumpf(places, stdout, 0) == 0;
   json_decref(places);
   return written || look_fails(error, ERROR_B, "cannot write");
}

static bool
write_parts(const struct mediump_watch *watch, const struct cf_surface *drawn, const char *path,
            char *error)
{
   struct look_file file;
   uint32_t width_px = 0, height_px = 0;
   const struct mediump_pixel *pixels =
      mediump_watch_pixels(watch, drawn->address, &width_px, &height_px);
   if (!look_file_begin(&file, path, error, ERROR_B))
      return false;
   const size_t count = (size_t)width_px * height_px;
   const bool good = !pixels || fwrite(pixels, sizeof(*pixels), count, file.file) == count;
   return look_file_end(&file, good, error, ERROR_B);
}

/* Play it to its end. `drawn`: color 0 of the last draw. */
static bool
play(struct look_player *player, json_t *changes, struct cf_surface *drawn, char *error)
{
   struct look_submission submission;
   int more;
   while ((more = look_player_next(player, &submission, error, ERROR_B)) > 0) {
      if (!look_change_programs(player, changes, error, ERROR_B))
         return false;
      look_last_drawn(player, &submission, drawn);
      look_player_run(player, &submission);
   }
   return more == 0 && look_player_went_well(player, error, ERROR_B);
}

static bool
answer(struct look_player *player, json_t *changes, const struct mediump_watch *watch, char **argv,
       char *error)
{
   struct cf_surface drawn = { 0 }, shown;
   if (!play(player, changes, &drawn, error))
      return false;
   if (!look_player_presented(player, &shown))
      shown = drawn;
   return look_write_pixels(player, &shown, argv[3], error, ERROR_B) &&
          write_parts(watch, &drawn, argv[4], error) && print_places(watch, error);
}

int
main(int argc, char **argv)
{
   char error[ERROR_B] = "";
   if (argc != 5) {
      fprintf(stderr, "usage: clipfree-mediump CAPTURE CHANGES IMAGE PARTS; './clipfree mediump "
                      "--help'\n");
      return 2;
   }
   json_t *changes = json_load_file(argv[2], 0, NULL);
   struct mediump_watch *watch = mediump_watch_open();
   const struct cf_model_config config = {
      .threads = 0,
      .engine = CF_ENGINE_INTERP,
      .path = CF_PATH_PLAIN,
      .no_disk_cache = true,
      .observer = watch ? mediump_watch_observer(watch) : NULL,
   };
   struct look_player *player = NULL;
   if (!changes)
      look_fails(error, ERROR_B, "%s is not JSON", argv[2]);
   else if (!watch)
      look_fails(error, ERROR_B, "out of memory");
   else
      player = look_player_open(argv[1], &config, error, ERROR_B);
   const bool good = player && answer(player, changes, watch, argv, error);
   if (!good)
      fprintf(stderr, "clipfree-mediump: %s\n", error);
   if (player)
      look_player_close(player);
   if (watch)
      mediump_watch_close(watch);
   json_decref(changes);
   return good ? 0 : 1;
}
