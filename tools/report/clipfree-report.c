/* SPDX-License-Identifier: MIT */
/*
 * clipfree-report CAPTURE: measures a capture; answers in JSON, and writes heat maps. `clipfree
 * report` makes pages of it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "look/look_file.h"
#include "look/look_options.h"

#include "report_json.h"
#include "report_picture.h"

#define MAX_FILES 32

/* A map as it is asked for. */
struct map_file {
   const char *name, *path;
   enum report_map map;
};

struct report_request {
   const char *capture;
   struct map_file map[MAX_FILES];
   uint32_t maps;  /* above MAX_FILES: too many */
   uint64_t image; /* 0: that of the last draw */
   unsigned long strip;
};

static bool
parse_map(const struct look_option *option, const char *const *value, void *target)
{
   struct report_request *request = target;
   (void)option;
   if (request->maps < MAX_FILES)
      request->map[request->maps] = (struct map_file){ .name = value[0], .path = value[1] };
   request->maps++;
   return true;
}

static const struct look_option options[] = {
   { .name = "CAPTURE", .text = LOOK_CAPTURE },
   { "--map", "NAME FILE",
     "a heat map of the last frame's last target: exact counts in FILE.npy, or a picture in "
     "FILE.png; may be given several times",
     .parse = parse_map },
   { "--image", "0xA", "the map is of the image whose pixels are at this address",
     "an address such as 0x2801000, as the JSON has them", .parse = look_set_address,
     .offset = offsetof(struct report_request, image) },
   { "--strip", "N", "at most N pictures of a frame in the making; 40 without it",
     "a number up to 10000", look_set_number, offsetof(struct report_request, strip),
     .most = 10000 },
   { NULL },
};

static const struct look_tool tool = {
   .name = "clipfree report",
   .synopsis = "clipfree-report [OPTION...] CAPTURE",
   .text = "What each draw of a capture costs, as JSON (docs/report.md).\n",
   .options = options,
   .least_words = 1,
   .most_words = 1,
   .failure = 1,
};

/* ------------------------------------------------------------------ maps */

static bool
has_end(const char *path, const char *end)
{
   const size_t length = strlen(path), end_length = strlen(end);
   return length > end_length && !strcmp(path + length - end_length, end);
}

/* NumPy's format, version 1.0: an array of rows of little-endian numbers of 32 bits. */
static void
write_npy(FILE *file, const struct report_maps *maps, enum report_map map)
{
   const size_t pixels = (size_t)maps->width_px * maps->height_px;
   const uint32_t zero = 0;
   char head[128];
   memset(head, ' ', sizeof(head));
   memcpy(head, "\x93NUMPY\x01\0\x76\0", 10);
   const int length = snprintf(head + 10, sizeof(head) - 10,
                               "{'descr': '<u4', 'fortran_order': False, 'shape': (%u, %u), }",
                               maps->height_px, maps->width_px);
   head[10 + length] = ' ';
   head[sizeof(head) - 1] = '\n';
   fwrite(head, 1, sizeof(head), file);
   for (size_t i = 0; i < pixels; i++)
      fwrite(maps->count[map] ? &maps->count[map][i] : &zero, 4, 1, file);
}

static void
write_picture(FILE *file, const struct report_maps *maps, enum report_map map)
{
   struct heat_scale scale;
   struct heat_bytes png = { 0 };
   report_scale_of(maps, map, &scale);
   heat_png(maps->count[map], maps->width_px, maps->height_px, &scale, &png);
   fwrite(png.data, 1, png.size_B, file);
   free(png.data);
}

static bool
write_map(const struct report_maps *maps, const struct map_file *map, char *error, size_t error_B)
{
   struct look_file file;
   if (!look_file_begin(&file, map->path, error, error_B))
      return false;
   if (has_end(map->path, ".npy"))
      write_npy(file.file, maps, map->map);
   else
      write_picture(file.file, maps, map->map);
   return look_file_end(&file, true, error, error_B);
}

static bool
has_image(const struct report_target *target, uint64_t image)
{
   bool found = target->surface.address == image;
   for (uint32_t i = 0; i < target->others; i++)
      found |= target->other[i].address == image;
   return found;
}

/* The last target, or the last that draws to the image. NULL: there is none. */
static const struct report_target *
chosen_target(const struct report *report, uint64_t image)
{
   const struct report_target *chosen = NULL;
   for (size_t i = 0; i < report->targets; i++) {
      const struct report_target *target = report->target[i];
      if (image && !has_image(target, image))
         continue;
      if (!chosen || target->frame > chosen->frame || target->last_draw >= chosen->last_draw)
         chosen = target;
   }
   return chosen;
}

/* ------------------------------------------------------------------ arguments */

/* LOOK_CONTINUE, or the exit status. */
static int
check_map(struct map_file *file)
{
   char known[512] = "";
   file->map = report_map_named(file->name);
   for (uint32_t i = 0; i < REPORT_MAPS; i++) {
      if (report_map_name(i))
         snprintf(known + strlen(known), sizeof(known) - strlen(known), "%s%s",
                  known[0] ? ", " : "", report_map_name(i));
   }
   if (file->map == REPORT_MAPS)
      return look_wrong(&tool, "--map %s is not known; it may be %s", file->name, known);
   if (has_end(file->path, ".npy") || has_end(file->path, ".png"))
      return LOOK_CONTINUE;
   return look_wrong(&tool,
                     "--map %s %s: the file's name may end with .npy (counts) or .png (picture)",
                     file->name, file->path);
}

static int
check_maps(struct report_request *request)
{
   int status = LOOK_CONTINUE;
   if (request->maps > MAX_FILES)
      return look_wrong(&tool, "--map may be given %u times", MAX_FILES);
   for (uint32_t i = 0; i < request->maps && status == LOOK_CONTINUE; i++)
      status = check_map(&request->map[i]);
   return status;
}

/* ------------------------------------------------------------------ answer */

static int
write_maps(const struct report_request *request, const struct report *report)
{
   char error[CF_CAPTURE_ERROR_B];
   const struct report_target *target = chosen_target(report, request->image);
   if (!target && request->maps)
      return look_complain(
         &tool, "no draw of the capture has such a target; `clipfree replay --list` names "
                "its images");
   for (uint32_t i = 0; i < request->maps; i++) {
      if (!write_map(&target->maps, &request->map[i], error, sizeof(error)))
         return look_complain(&tool, "%s", error);
   }
   return 0;
}

int
main(int argc, char **argv)
{
   struct report_request request = { .strip = 40 };
   struct report report = { 0 };
   char error[CF_CAPTURE_ERROR_B] = "";
   int status = look_parse(&tool, argc, argv, &request, &request.capture);
   if (status == LOOK_CONTINUE)
      status = check_maps(&request);
   if (status != LOOK_CONTINUE)
      return status;
   status = report_run(&report, request.capture, (uint32_t)request.strip, error, sizeof(error))
               ? write_maps(&request, &report)
               : look_complain(&tool, "%s", error);
   if (status == 0)
      status = look_print_json(&tool, report_json(&report, request.capture), 1);
   report_free(&report);
   return status;
}
