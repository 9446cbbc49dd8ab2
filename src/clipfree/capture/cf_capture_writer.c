/* SPDX-License-Identifier: MIT */
/*
 * What is flushed together is a zstd frame with a checksum.
 */
#include "clipfree/capture/cf_capture_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <stdio.h>
#include <zstd.h>

#include "clipfree/base/cf_host.h"

/* The default level: 7 ms and a third of the size for a MB of memory; level 6 takes twice that for
 * 5 % less, level 1 two thirds of it for 10 % more. */
#define LEVEL 3

struct cf_capture_writer {
   FILE *file;
   char *path;
   long flushed_B; /* size of the file at the last flush */
   long marked_B;
   ZSTD_CCtx *zstd;
   uint8_t *out;
   size_t out_B; /* capacity */
};

static bool
write_magic(struct cf_capture_writer *writer)
{
   const size_t magic_B = strlen(CF_CAPTURE_MAGIC);
   writer->flushed_B = (long)magic_B;
   return fwrite(CF_CAPTURE_MAGIC, magic_B, 1, writer->file) == 1;
}

/* A device stays. */
static void
remove_file(const char *path, int fd)
{
   struct stat status;
   if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
      unlink(path);
}

static FILE *
create_file(const char *path)
{
   const int fd = cf_host_keep_apart(open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
   FILE *file = fd >= 0 ? fdopen(fd, "wb") : NULL;
   if (!file && fd >= 0) {
      remove_file(path, fd);
      close(fd);
      errno = ENOMEM;
   }
   return file;
}

struct cf_capture_writer *
cf_capture_writer_open(const char *path)
{
   struct cf_capture_writer *writer = calloc(1, sizeof(*writer));
   if (!writer)
      return NULL;
   writer->path = strdup(path);
   writer->file = writer->path ? create_file(path) : NULL;
   writer->zstd = writer->file ? ZSTD_createCCtx() : NULL;
   writer->out_B = ZSTD_CStreamOutSize();
   writer->out = writer->zstd ? malloc(writer->out_B) : NULL;
   if (!writer->out || !write_magic(writer)) {
      const int error = writer->file ? ENOMEM : errno;
      cf_capture_writer_close(writer, true);
      errno = error;
      return NULL;
   }
   ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_compressionLevel, LEVEL);
   ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_checksumFlag, 1);
   return writer;
}

/* What follows the last flush is taken from the file, where that is possible. */
static bool
cut(struct cf_capture_writer *writer)
{
   const int error = errno;
   fflush(writer->file);
   const bool done = ftruncate(fileno(writer->file), writer->flushed_B) == 0;
   errno = error;
   return done;
}

static bool
compress(struct cf_capture_writer *writer, const void *data, size_t size_B,
         ZSTD_EndDirective directive)
{
   ZSTD_inBuffer in = { data, size_B, 0 };
   size_t left_B;
   do {
      ZSTD_outBuffer out = { writer->out, writer->out_B, 0 };
      left_B = ZSTD_compressStream2(writer->zstd, &out, &in, directive);
      if (ZSTD_isError(left_B)) {
         errno = ENOMEM;
         return false;
      }
      if (out.pos > 0 && fwrite(writer->out, out.pos, 1, writer->file) != 1)
         return false;
   } while (directive == ZSTD_e_end ? left_B > 0 : in.pos < in.size);
   return true;
}

bool
cf_capture_writer_put(struct cf_capture_writer *writer, const struct cf_capture_record *record,
                      const void *payload)
{
   if (compress(writer, record, sizeof(*record), ZSTD_e_continue) &&
       (!payload || compress(writer, payload, record->size_B, ZSTD_e_continue)))
      return true;
   cut(writer);
   return false;
}

bool
cf_capture_writer_flush(struct cf_capture_writer *writer)
{
   if (!compress(writer, NULL, 0, ZSTD_e_end) || fflush(writer->file) != 0) {
      cut(writer);
      return false;
   }
   writer->flushed_B = ftell(writer->file);
   return true;
}

void
cf_capture_writer_mark(struct cf_capture_writer *writer)
{
   writer->marked_B = writer->flushed_B;
}

void
cf_capture_writer_cut_to_mark(struct cf_capture_writer *writer)
{
   writer->flushed_B = writer->marked_B;
   if (cut(writer))
      fseek(writer->file, writer->flushed_B, SEEK_SET);
}

bool
cf_capture_writer_restart(struct cf_capture_writer *writer)
{
   ZSTD_CCtx_reset(writer->zstd, ZSTD_reset_session_only);
   writer->flushed_B = 0;
   return cut(writer) && fseek(writer->file, 0, SEEK_SET) == 0 && write_magic(writer);
}

void
cf_capture_writer_close(struct cf_capture_writer *writer, bool remove)
{
   if (remove && writer->file)
      remove_file(writer->path, fileno(writer->file));
   if (writer->file)
      fclose(writer->file);
   ZSTD_freeCCtx(writer->zstd);
   free(writer->out);
   free(writer->path);
   free(writer);
}
