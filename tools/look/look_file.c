/* SPDX-License-Identifier: MIT */
#include "look_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
fails(const char *path, int reason, char *error, size_t error_B)
{
   snprintf(error, error_B, "cannot write %s: %s", path, strerror(reason));
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
look_file_begin(struct look_file *file, const char *path, char *error, size_t error_B)
{
   struct stat status;
   const bool is_device =
      stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
   *file = (struct look_file){ .path = path };
   if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
      return fails(path, EISDIR, error, error_B);
   if (!is_device && !(file->written = name_part(path)))
      return fails(path, ENOMEM, error, error_B);
   file->file = fopen(is_device ? path : file->written, "wb");
   if (file->file)
      return true;
   fails(path, errno, error, error_B);
   free(file->written);
   return false;
}

bool
look_file_end(struct look_file *file, bool good, char *error, size_t error_B)
{
   int reason = 0;
   errno = EIO;
   if (ferror(file->file) | fflush(file->file))
      reason = errno;
   if (fclose(file->file) && !reason)
      reason = errno;
   if (good && !reason && file->written && rename(file->written, file->path))
      reason = errno;
   if ((!good || reason) && file->written)
      unlink(file->written);
   free(file->written);
   return !reason || fails(file->path, reason, error, error_B);
}
