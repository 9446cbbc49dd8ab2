/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* asprintf */
#include "debug_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_SOURCE_B (1u << 20) /* of a note */

/* Takes path and text over. UINT32_MAX: out of memory. */
static uint32_t
add(struct debug_files *files, char *path, char *text, bool ours)
{
   struct debug_file *grown =
      path && text ? realloc(files->file, (files->count + 1) * sizeof(*grown)) : NULL;
   if (!grown) {
      free(path);
      free(text);
      return UINT32_MAX;
   }
   files->file = grown;
   files->file[files->count] = (struct debug_file){ path, text, ours };
   return files->count++;
}

static bool
make_folder(struct debug_files *files)
{
   const char *temporary = getenv("TMPDIR");
   if (files->folder)
      return true;
   if (asprintf(&files->folder, "%s/clipfree-debug-XXXXXX", temporary ? temporary : "/tmp") < 0)
      files->folder = NULL;
   if (files->folder && !mkdtemp(files->folder)) {
      free(files->folder);
      files->folder = NULL;
   }
   return files->folder;
}

/* A file with this text, ours or the person's. UINT32_MAX: none. */
static uint32_t
find_text(const struct debug_files *files, const char *text, bool ours)
{
   for (uint32_t i = 0; i < files->count; i++) {
      if (files->file[i].ours == ours && !strcmp(files->file[i].text, text))
         return i;
   }
   return UINT32_MAX;
}

uint32_t
debug_files_of_text(struct debug_files *files, const char *name, const char *text)
{
   char *path = NULL;
   const uint32_t mine = find_text(files, text, false),
                  found = mine == UINT32_MAX ? find_text(files, text, true) : mine;
   if (found != UINT32_MAX)
      return found;
   if (!make_folder(files) || asprintf(&path, "%s/%u-%s", files->folder, files->count, name) < 0)
      return UINT32_MAX;
   FILE *file = fopen(path, "w");
   const bool written = file && fputs(text, file) >= 0;
   if ((file && fclose(file)) || !written) {
      free(path);
      return UINT32_MAX;
   }
   return add(files, path, strdup(text), true);
}

static char *
read_text(const char *path)
{
   FILE *file = fopen(path, "r");
   char *text = file ? calloc(1, MAX_SOURCE_B + 1) : NULL;
   const size_t size_B = text ? fread(text, 1, MAX_SOURCE_B, file) : 0;
   if (file)
      fclose(file);
   char *fitting = size_B ? strdup(text) : NULL;
   free(text);
   return fitting;
}

uint32_t
debug_files_of_path(struct debug_files *files, const char *path)
{
   for (uint32_t i = 0; i < files->count; i++) {
      if (!strcmp(files->file[i].path, path))
         return i;
   }
   return add(files, strdup(path), read_text(path), false);
}

void
debug_files_free(struct debug_files *files)
{
   for (uint32_t i = 0; i < files->count; i++) {
      if (files->file[i].ours)
         unlink(files->file[i].path);
      free(files->file[i].path);
      free(files->file[i].text);
   }
   if (files->folder)
      rmdir(files->folder);
   free(files->file);
   free(files->folder);
   *files = (struct debug_files){ 0 };
}
