/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "clipfree/capture/cf_capture_recorder.h"
#include "clipfree/interface/cf_options.h"

/* Copy text that fits and is not empty. */
static bool
copy(char *to, size_t to_B, const char *text, size_t length)
{
   if (length == 0 || length >= to_B)
      return false;
   memcpy(to, text, length);
   to[length] = 0;
   return true;
}

static bool
parse_number(const char *text, unsigned *number)
{
   unsigned long value;
   if (!cf_parse_number(text, UINT32_MAX, &value))
      return false;
   *number = (unsigned)value;
   return true;
}

/* Parse one part but the first; `starts` counts those that say where the capture starts. */
static bool
parse_part(const char *part, struct cf_capture_config *config, unsigned *starts)
{
   if (!strncmp(part, "count=", 6))
      return parse_number(part + 6, &config->count);
   ++*starts;
   if (!strcmp(part, "signal")) {
      config->start = CF_CAPTURE_AT_SIGNAL;
      return true;
   }
   if (!strncmp(part, "frame=", 6))
      return parse_number(part + 6, &config->first);
   config->start = CF_CAPTURE_AT_SUBMISSION;
   return !strncmp(part, "submission=", 11) && parse_number(part + 11, &config->first);
}

bool
cf_capture_parse(const char *text, struct cf_capture_config *config)
{
   unsigned starts = 0;
   const size_t head = strcspn(text, ",");
   *config = (struct cf_capture_config){ .count = 1 };
   if (strncmp(text, "file=", 5) != 0 ||
       !copy(config->path, sizeof(config->path), text + 5, head - 5))
      return false;
   for (const char *at = text + head; *at;) {
      char part[64];
      const char *const begin = at + 1;
      if (!strncmp(begin, "marker=", 7)) {
         config->start = CF_CAPTURE_AT_MARKER;
         return starts == 0 && config->count > 0 &&
                copy(config->marker, sizeof(config->marker), begin + 7, strlen(begin + 7));
      }
      const size_t length = strcspn(begin, ",");
      if (!copy(part, sizeof(part), begin, length) || !parse_part(part, config, &starts))
         return false;
      at = begin + length;
   }
   return starts <= 1 && config->count > 0;
}
