/* SPDX-License-Identifier: MIT */
#include "why_text.h"

#include <string.h>

#include "look/look_pixel.h"

/* {"r": 0.5, "g": 1} as "r 0.5 g 1". */
static void
print_values(FILE *file, const json_t *values)
{
   const char *name, *gap = "";
   json_t *value;
   json_object_foreach((json_t *)values, name, value)
   {
      if (json_is_string(value))
         fprintf(file, "%s%s %s", gap, name, json_string_value(value));
      else
         fprintf(file, "%s%s %.4g", gap, name, json_number_value(value));
      gap = " ";
   }
}

static void
print_heading(FILE *file, const json_t *event)
{
   if (json_object_get(event, "draw"))
      fprintf(file, "draw %lld (%s), primitive %lld", look_number(event, "draw"),
              look_text(event, "call"), look_number(event, "primitive"));
   else
      fprintf(file, "%s", look_text(event, "what"));
   if (look_number(event, "sample"))
      fprintf(file, ", sample %lld", look_number(event, "sample"));
}

static void
print_event(FILE *file, const json_t *event)
{
   const json_t *before = json_object_get(event, "before"),
                *after = json_object_get(event, "after"), *value = json_object_get(event, "value");
   fputs("  ", file);
   print_heading(file, event);
   fprintf(file, ": %s", look_text(event, "why"));
   if (before && after && !strcmp(look_text(event, "fate"), "written")) {
      fputs("\n      ", file);
      print_values(file, before);
      fputs("  ->  ", file);
      print_values(file, after);
   }
   if (value) {
      fputs("\n      ", file);
      print_values(file, value);
   }
   fputc('\n', file);
}

void
why_print(FILE *file, const json_t *answer)
{
   const json_t *pixel = json_object_get(answer, "pixel"),
                *fragments = json_object_get(answer, "fragments"),
                *color = json_object_get(answer, "color");
   size_t i;
   json_t *entry;
   fprintf(file, "pixel %lld,%lld of image %s (%lld x %lld, %s)", look_number(pixel, "x"),
           look_number(pixel, "y"), look_text(pixel, "image"), look_number(pixel, "width"),
           look_number(pixel, "height"), look_text(pixel, "format"));
   json_array_foreach(color, i, entry)
   {
      fputs(i ? "; " : ": ", file);
      print_values(file, entry);
   }
   fprintf(file, "\n\n%s\n\n", look_text(answer, "verdict"));
   json_array_foreach(fragments, i, entry) print_event(file, entry);
}
