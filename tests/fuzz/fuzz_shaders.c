/* SPDX-License-Identifier: MIT */
#include "fuzz_shaders.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "reduce/reduce_case.h"

/* reduce/ ends where memory does, and so does this. */
void *
reduce_allocate(size_t size_B)
{
   void *data = calloc(1, size_B ? size_B : 1);
   if (!data)
      die("out of memory");
   return data;
}

static char *
read_text(const char *name)
{
   char path[4096], *text = NULL;
   size_t size_B = 0;
   snprintf(path, sizeof(path), "%s/%s", FUZZ_SHADERS, name);
   FILE *file = fopen(path, "r");
   if (!file || getdelim(&text, &size_B, 0, file) <= 0)
      die("%s cannot be read", path);
   fclose(file);
   return text;
}

static bool
has_ending(const char *name, const char *ending)
{
   const size_t length = strlen(name), end = strlen(ending);
   return length > end && !strcmp(name + length - end, ending);
}

static int
is_shader(const struct dirent *entry)
{
   return has_ending(entry->d_name, ".frag") || has_ending(entry->d_name, ".vert");
}

const struct fuzz_shader *
fuzz_shaders(uint32_t *count)
{
   static struct fuzz_shader *shader;
   static uint32_t shaders;
   struct dirent **entry;
   const int found = shader ? 0 : scandir(FUZZ_SHADERS, &entry, is_shader, alphasort);
   if (!shader && found <= 0)
      die("%s has no shaders", FUZZ_SHADERS);
   if (!shader)
      shader = reduce_allocate((size_t)found * sizeof(*shader));
   for (int i = 0; i < found; i++) {
      const char *name = entry[i]->d_name;
      shader[shaders++] =
         (struct fuzz_shader){ strdup(name), read_text(name), has_ending(name, ".frag") };
      free(entry[i]);
   }
   if (found > 0)
      free(entry);
   *count = shaders;
   return shader;
}
