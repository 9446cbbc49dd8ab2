/* SPDX-License-Identifier: MIT */
/*
 * GLSL as files, for editors: a file of the person's that has a shader's very text stands for it;
 * of others there is a copy in a folder of its own, which goes with the session.
 */
#ifndef DEBUG_FILES_H
#define DEBUG_FILES_H

#include <stdbool.h>
#include <stdint.h>

struct debug_file {
   char *path, *text;
   bool ours; /* in the folder */
};

struct debug_files {
   struct debug_file *file;
   uint32_t count;
   char *folder; /* NULL: none yet */
};

/** The file with this text; made, if there is none. UINT32_MAX: it cannot be made. */
uint32_t debug_files_of_text(struct debug_files *files, const char *name, const char *text);
/** The file of this name, read. UINT32_MAX: it cannot be read. */
uint32_t debug_files_of_path(struct debug_files *files, const char *path);
void debug_files_free(struct debug_files *files);

#endif
