/* SPDX-License-Identifier: MIT */
#include "clipfree/profile/cf_text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clipfree/base/cf_host.h"

#define FULL_B (256u << 10) /* pieces beyond this are written when the next one begins */

/* End the file. One that has nothing yet is removed, unless it is a device. */
static void
give_up(struct cf_text_file *file, const char *why)
{
   struct stat status;
   fprintf(stderr, "clipfree: %s %s: %s; it ends here\n", file->what, file->path, why);
   if (file->written_B == 0 && fstat(file->fd, &status) == 0 && S_ISREG(status.st_mode))
      unlink(file->path);
   close(file->fd);
   file->fd = -1;
}

void
cf_text_file_write(struct cf_text_file *file)
{
   size_t done_B = 0;
   while (file->fd >= 0 && done_B < file->text_B) {
      const ssize_t result_B = write(file->fd, file->text + done_B, file->text_B - done_B);
      const int error = errno;
      if (result_B > 0) {
         done_B += (size_t)result_B;
      } else if (error != EINTR) {
         if (ftruncate(file->fd, file->written_B) != 0 && errno != EINVAL)
            fprintf(stderr, "clipfree: %s %s: its end is not whole\n", file->what, file->path);
         give_up(file, strerror(error));
      }
   }
   file->written_B += (off_t)done_B;
   file->text_B = 0;
}

static bool
has_room(const struct cf_text_file *file)
{
   return file->text_B + CF_TEXT_FILE_PIECE_B <= file->capacity_B;
}

/* More room for pieces; without memory the room of those that are written now. */
static void
make_room(struct cf_text_file *file)
{
   const size_t capacity_B = 2 * file->capacity_B + 16 * CF_TEXT_FILE_PIECE_B;
   char *text = realloc(file->text, capacity_B);
   if (text) {
      file->text = text;
      file->capacity_B = capacity_B;
      return;
   }
   cf_text_file_write(file);
   if (file->fd >= 0 && !has_room(file))
      give_up(file, "out of memory");
}

bool
cf_text_file_begin(struct cf_text_file *file)
{
   if (file->text_B > FULL_B)
      cf_text_file_write(file);
   if (file->fd >= 0 && !has_room(file))
      make_room(file);
   return file->fd >= 0;
}

void
cf_text_file_add(struct cf_text_file *file, const char *format, ...)
{
   const size_t room_B = file->capacity_B - file->text_B;
   va_list arguments;
   va_start(arguments, format);
   const int length = vsnprintf(file->text + file->text_B, room_B, format, arguments);
   va_end(arguments);
   file->text_B += length > 0 && (size_t)length < room_B ? (size_t)length : 0;
}

bool
cf_text_file_open(struct cf_text_file *file, const char *what, const char *path)
{
   *file = (struct cf_text_file){ .what = what, .path = strdup(path), .fd = -1 };
   if (!file->path) {
      errno = ENOMEM;
      return false;
   }
   file->fd = cf_host_keep_apart(open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
   if (file->fd >= 0)
      return true;
   const int error = errno;
   free(file->path);
   errno = error;
   return false;
}

void
cf_text_file_end(struct cf_text_file *file)
{
   cf_text_file_write(file);
   if (file->fd >= 0)
      close(file->fd);
   file->fd = -1;
}

void
cf_text_file_free(struct cf_text_file *file)
{
   free(file->text);
   free(file->path);
}
