/* SPDX-License-Identifier: MIT */
#include "clipfree/capture/cf_capture_source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "clipfree/arith/cf_minmax.h"
#include "clipfree/capture/cf_capture.h"

#define MAGIC_B (sizeof(CF_CAPTURE_MAGIC) - 1)

_Static_assert(sizeof(CF_CAPTURE_MAGIC) == sizeof(CF_CAPTURE_MAGIC_PLAIN), "one length for all");

struct cf_capture_source {
   FILE *file;
   const char *fault;
   unsigned version;
   /* of compressed files */
   ZSTD_DCtx *zstd;
   uint8_t *in;
   size_t in_B; /* capacity */
   ZSTD_inBuffer unread;
   bool in_frame; /* the frame read last is not complete yet */
   /* all bytes of the records, if they are kept */
   uint8_t *kept;
   size_t kept_B, kept_place_B;
};

/* The file's version; 0: it is no capture that can be read. */
static unsigned
read_magic(FILE *file, const char *path, char *error, size_t error_B)
{
   char magic[MAGIC_B + 1] = "", end;
   unsigned version;
   const bool read = fread(magic, 1, MAGIC_B, file) == MAGIC_B;
   if (ferror(file)) {
      snprintf(error, error_B, "cannot read the capture %s: %s", path, strerror(errno));
      return 0;
   }
   if (!read || sscanf(magic, "clipfree capture %u%c", &version, &end) != 2 || end != '\n') {
      snprintf(error, error_B, "%s is no capture: CLIPFREE_CAPTURE=file=... makes one", path);
      return 0;
   }
   if (strcmp(magic, CF_CAPTURE_MAGIC) != 0 && strcmp(magic, CF_CAPTURE_MAGIC_PLAIN) != 0) {
      snprintf(error, error_B, "%s is a capture of version %u; versions 4 and 5 can be read: %s",
               path, version,
               version < 4 ? "make it anew" : "take the clipfree that made it, or a newer one");
      return 0;
   }
   return version;
}

static bool
begin_zstd(struct cf_capture_source *source)
{
   source->in_B = ZSTD_DStreamInSize();
   source->in = malloc(source->in_B);
   source->zstd = ZSTD_createDCtx();
   return source->in && source->zstd;
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
   else
      source->version = read_magic(source->file, path, error, error_B);
   if (source->version == 5 && !begin_zstd(source)) {
      snprintf(error, error_B, "cannot open the capture %s: out of memory", path);
      source->version = 0;
   }
   if (source->version == 0) {
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
   ZSTD_freeDCtx(source->zstd);
   free(source->in);
   free(source->kept);
   free(source);
}

bool
cf_capture_source_is_plain(const struct cf_capture_source *source)
{
   return source->version == 4;
}

static size_t
read_plain(struct cf_capture_source *source, void *data, size_t size_B)
{
   if (source->fault)
      return 0;
   const size_t read_B = fread(data, 1, size_B, source->file);
   if (read_B < size_B && ferror(source->file))
      source->fault = strerror(errno);
   return read_B;
}

/* A file that ends in a frame gives what the frame has till there. */
static size_t
read_zstd(struct cf_capture_source *source, void *data, size_t size_B)
{
   ZSTD_outBuffer out = { data, size_B, 0 };
   while (out.pos < size_B && !source->fault) {
      const size_t before = out.pos;
      if (source->unread.pos == source->unread.size)
         source->unread =
            (ZSTD_inBuffer){ source->in, read_plain(source, source->in, source->in_B), 0 };
      const bool at_end = source->unread.size == 0;
      if (at_end && !source->in_frame)
         break;
      const size_t more = ZSTD_decompressStream(source->zstd, &out, &source->unread);
      if (ZSTD_isError(more))
         source->fault = "its compressed bytes are damaged";
      source->in_frame = more != 0;
      if (at_end && out.pos == before)
         break;
   }
   return out.pos;
}

static size_t
read_kept(struct cf_capture_source *source, void *data, size_t size_B)
{
   const size_t read_B = (size_t)cf_min_u64(size_B, source->kept_B - source->kept_place_B);
   memcpy(data, source->kept + source->kept_place_B, read_B);
   source->kept_place_B += read_B;
   return read_B;
}

size_t
cf_capture_source_read(struct cf_capture_source *source, void *data, size_t size_B)
{
   if (source->kept)
      return read_kept(source, data, size_B);
   return source->zstd ? read_zstd(source, data, size_B) : read_plain(source, data, size_B);
}

bool
cf_capture_source_keep(struct cf_capture_source *source)
{
   uint8_t *all = NULL;
   size_t room_B = 0, all_B = 0, read_B = 0;
   cf_capture_source_rewind(source);
   do {
      room_B = room_B ? 2 * room_B : (size_t)1 << 24;
      uint8_t *larger = realloc(all, room_B);
      if (!larger) {
         room_B = all_B;
         break;
      }
      all = larger;
      read_B = cf_capture_source_read(source, all + all_B, room_B - all_B);
      all_B += read_B;
   } while (all_B == room_B);
   const bool complete = all && all_B < room_B && !source->fault;
   if (complete) {
      source->kept = all;
      source->kept_B = all_B;
   } else {
      free(all);
   }
   cf_capture_source_rewind(source);
   return complete;
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
   source->kept_place_B = 0;
   source->unread = (ZSTD_inBuffer){ 0 };
   source->in_frame = false;
   if (source->zstd)
      ZSTD_DCtx_reset(source->zstd, ZSTD_reset_session_only);
   if (!source->kept && fseek(source->file, (long)MAGIC_B, SEEK_SET) != 0)
      source->fault = strerror(errno);
}
