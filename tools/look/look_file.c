/* SPDX-License-Identifier: MIT */
#include "look_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool
look_file_fails(const char *path, int reason, char *error, size_t error_B)
{
   snprintf(error, error_B, "cannot write %s: %s%s", path, strerror(reason),
            reason == ENOSPC ? "; make room there, or name another file" : "");
   return false;
}

/* A name beside the path's. NULL: out of memory. */
static char *
name_part(const char *path)
{
   const size_t size_B = strlen(path) + 32;
   char *name = malloc(size_B);
   if (name)
      snprintf(name, size_B, "%s.%ld.part", path, (long)getpid());
   return name;
}

bool
look_file_begin_named(struct look_file *file, const char *path, char *error, size_t error_B)
{
   struct stat status;
   const bool is_there = stat(path, &status) == 0;
   *file = (struct look_file){ .path = path };
   if (is_there && S_ISDIR(status.st_mode))
      return look_file_fails(path, EISDIR, error, error_B);
   const bool is_device = is_there && !S_ISREG(status.st_mode);
   if (!is_device && !(file->written = name_part(path)))
      return look_file_fails(path, ENOMEM, error, error_B);
   return true;
}

const char *
look_file_name(const struct look_file *file)
{
   return file->written ? file->written : file->path;
}

bool
look_file_begin(struct look_file *file, const char *path, char *error, size_t error_B)
{
   if (!look_file_begin_named(file, path, error, error_B))
      return false;
   file->file = fopen(look_file_name(file), "wb");
   if (file->file)
      return true;
   look_file_fails(path, errno, error, error_B);
   free(file->written);
   return false;
}

#define TRIED_B 65536

/* Why a stream could not be written before: writing once more says it, as where the disk is full.
 */
static int
reason_of(FILE *stream)
{
   static const char tried[TRIED_B];
   errno = EIO;
   fwrite(tried, 1, TRIED_B, stream);
   fflush(stream);
   return errno;
}

/* Close the stream. 0, or why something could not be written. */
static int
close_stream(FILE *stream)
{
   int reason = 0;
   errno = EIO;
   if (fflush(stream))
      reason = errno;
   else if (ferror(stream))
      reason = reason_of(stream);
   if (fclose(stream) && !reason)
      reason = errno;
   return reason;
}

bool
look_file_end(struct look_file *file, bool good, char *error, size_t error_B)
{
   int reason = file->file ? close_stream(file->file) : 0;
   if (good && !reason && file->written && rename(file->written, file->path))
      reason = errno;
   if ((!good || reason) && file->written)
      unlink(file->written);
   free(file->written);
   return !reason || look_file_fails(file->path, reason, error, error_B);
}
