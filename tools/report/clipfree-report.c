/* SPDX-License-Identifier: MIT */
/*
 * clipfree-report CAPTURE: measures a capture; answers in JSON, and writes heat maps. `clipfree
 * report` makes pages of it.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "look/look_file.h"

#include "clipfree/interface/cf_options.h"

#include "report_json.h"
#include "report_picture.h"

#define MAX_FILES 32

static const char usage[] =
   "usage: clipfree-report [OPTION...] CAPTURE\n"
   "What each draw of a capture costs, as JSON (docs/report.md).\n"
   "  --map NAME FILE  a heat map of the last frame's last target: exact counts in FILE.npy, or a\n"
   "                   picture in FILE.png; may be given several times\n"
   "  --image 0xA      the map is of the image whose pixels are at this address\n"
   "  --strip N        at most N pictures of a frame in the making; 40 without it\n"
   "  --help           print this\n";

struct map_file {
   enum report_map map;
   const char *path;
};

struct request {
   const char *capture;
   struct map_file map[MAX_FILES];
   uint32_t maps;
   uint64_t image; /* 0: that of the last draw */
   unsigned long strip;
};

static int __attribute__((format(printf, 1, 2))) complain(const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   fputs("clipfree report: ", stderr);
   vfprintf(stderr, format, arguments);
   fputs("\n", stderr);
   va_end(arguments);
   return 1;
}

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
   struct report_scale scale;
   struct report_bytes png = { 0 };
   report_scale_of(maps, map, &scale);
   report_map_png(maps, map, &scale, &png);
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

static int
parse_map(struct request *request, const char *name, const char *path)
{
   const enum report_map map = report_map_named(name);
   if (map == REPORT_MAPS) {
      char known[512] = "";
      for (uint32_t i = 0; i < REPORT_MAPS; i++) {
         if (report_map_name(i))
            snprintf(known + strlen(known), sizeof(known) - strlen(known), "%s%s",
                     known[0] ? ", " : "", report_map_name(i));
      }
      return complain("--map %s is not known; it may be %s", name, known);
   }
   if (!has_end(path, ".npy") && !has_end(path, ".png"))
      return complain("--map %s %s: the file's name may end with .npy (counts) or .png (picture)",
                      name, path);
   if (request->maps == MAX_FILES)
      return complain("--map may be given %u times", MAX_FILES);
   request->map[request->maps++] = (struct map_file){ map, path };
   return -1;
}

static int
parse_image(struct request *request, const char *text)
{
   char *end;
   errno = 0;
   request->image = strtoull(text, &end, 16);
   if (strncmp(text, "0x", 2) || end == text + 2 || *end || errno || !request->image)
      return complain("--image %s is not known; it may be an address such as 0x2801000, as "
                      "the JSON has them",
                      text);
   return -1;
}

/* Parse the option at *i. Negative: continue; else the exit status. */
static int
parse_option(int argc, char **argv, int *i, struct request *request)
{
   const char *name = argv[*i];
   const int left = argc - *i - 1;
   if (!strcmp(name, "--help")) {
      fputs(usage, stdout);
      return 0;
   }
   if (!strcmp(name, "--map") && left >= 2) {
      *i += 2;
      return parse_map(request, argv[*i - 1], argv[*i]);
   }
   if (!strcmp(name, "--image") && left >= 1)
      return parse_image(request, argv[++*i]);
   if (!strcmp(name, "--strip") && left >= 1) {
      if (cf_parse_number(argv[++*i], 10000, &request->strip))
         return -1;
      return complain("--strip %s is not known; it may be a number up to 10000", argv[*i]);
   }
   fputs(usage, stderr);
   return 2;
}

static int
parse_arguments(int argc, char **argv, struct request *request)
{
   for (int i = 1; i < argc; i++) {
      int status = -1;
      if (argv[i][0] == '-' && argv[i][1])
         status = parse_option(argc, argv, &i, request);
      else if (!request->capture)
         request->capture = argv[i];
      else
         status = complain("one capture at a time: %s or %s", request->capture, argv[i]);
      if (status >= 0)
         return status;
   }
   if (request->capture)
      return -1;
   fputs(usage, stderr);
   return 2;
}

/* ------------------------------------------------------------------ answer */

static int
write_maps(const struct request *request, const struct report *report)
{
   char error[CF_CAPTURE_ERROR_B];
   const struct report_target *target = chosen_target(report, request->image);
   if (!target && request->maps)
      return complain("no draw of the capture has such a target; `clipfree replay --list` names "
                      "its images");
   for (uint32_t i = 0; i < request->maps; i++) {
      if (!write_map(&target->maps, &request->map[i], error, sizeof(error)))
         return complain("%s", error);
   }
   return 0;
}

static int
print_json(const struct request *request, const struct report *report)
{
   json_t *document = report_json(report, request->capture);
   const bool ok = json_dumpf(document, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) == 0;
   json_decref(document);
   fputs("\n", stdout);
   return ok && fflush(stdout) == 0 && !ferror(stdout)
             ? 0
             : complain("cannot write: %s", strerror(errno));
}

int
main(int argc, char **argv)
{
   struct request request = { .strip = 40 };
   struct report report = { 0 };
   char error[CF_CAPTURE_ERROR_B] = "";
   int status = parse_arguments(argc, argv, &request);
   if (status >= 0)
      return status;
   status = report_run(&report, request.capture, (uint32_t)request.strip, error, sizeof(error))
               ? write_maps(&request, &report)
               : complain("%s", error);
   if (status == 0)
      status = print_json(&request, &report);
   report_free(&report);
   return status;
}
