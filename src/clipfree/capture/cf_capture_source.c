/* SPDX-License-Identifier: MIT */
#include "clipfree/capture/cf_capture_source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/capture/cf_capture.h"

#define MAGIC_B (sizeof(CF_CAPTURE_MAGIC) - 1)

struct cf_capture_source {
   FILE *file;
   const char *fault;
};

/* False: the file is no capture that can be read. */
static bool
read_magic(FILE *file, const char *path, char *error, size_t error_B)
{
   char magic[MAGIC_B + 1] = "", end;
   unsigned version;
   const bool read = fread(magic, 1, MAGIC_B, file) == MAGIC_B;
   if (ferror(file)) {
      snprintf(error, error_B, "cannot read the capture %s: %s", path, strerror(errno));
      return false;
   }
   if (!read || sscanf(magic, "clipfree capture %u%c", &version, &end) != 2 || end != '\n') {
      snprintf(error, error_B, "%s is no capture: CLIPFREE_CAPTURE=file=... makes one", path);
      return false;
   }
   if (strcmp(magic, CF_CAPTURE_MAGIC) != 0) {
      snprintf(error, error_B,
               "%s is a capture of version %u; version 2 can be read: make it anew with this "
               "version of clipfree",
               path, version);
      return false;
   }
   return true;
}

struct cf_capture_source *
cf_capture_source_open(const char *path, char *error, size_t error_B)
{
   struct cf_capture_source *source = calloc(1, sizeof(*source));
   if (!source) {
      snprintf(error, error_B, "cannot open the capture %s: out of memory", path);
      return NULL;
   }
   source->file = fopen(path, "rb");
   if (!source->file)
      snprintf(error, error_B, "cannot open the capture %s: %s", path, strerror(errno));
   if (!source->file || !read_magic(source->file, path, error, error_B)) {
      cf_capture_source_close(source);
      return NULL;
   }
   return source;
}

void
cf_capture_source_close(struct cf_capture_source *source)
{
   if (source->file)
      fclose(source->file);
   free(source);
}

size_t
cf_capture_source_read(struct cf_capture_source *source, void *data, size_t size_B)
{
   const size_t read_B = fread(data, 1, size_B, source->file);
   if (read_B < size_B && ferror(source->file))
      source->fault = strerror(errno);
   return read_B;
}

const char *
cf_capture_source_fault(const struct cf_capture_source *source)
{
   return source->fault;
}

void
cf_capture_source_rewind(struct cf_capture_source *source)
{
   source->fault = NULL;
   if (fseek(source->file, (long)MAGIC_B, SEEK_SET) != 0)
      source->fault = strerror(errno);
}
