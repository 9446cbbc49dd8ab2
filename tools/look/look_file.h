/* SPDX-License-Identifier: MIT */
/*
 * Files that are there whole or not at all: written beside their place, then renamed.
 */
#ifndef LOOK_FILE_H
#define LOOK_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct look_file {
   const char *path;
   char *written; /* the temporary name; NULL: a device, which is written itself */
   FILE *file;    /* NULL: the caller writes the file of look_file_name */
};

/** Begin to write. False: `error` says why it cannot be written. */
bool look_file_begin(struct look_file *file, const char *path, char *error, size_t error_B);

/** The same, where the caller opens, writes and closes the file look_file_name. */
bool look_file_begin_named(struct look_file *file, const char *path, char *error, size_t error_B);

/** The name of the file that is written. */
const char *look_file_name(const struct look_file *file);

/** End. Unless `good`, or if it cannot be written, there is no file, or the one that was there
 * before. False: it could not be written; `error` says why. */
bool look_file_end(struct look_file *file, bool good, char *error, size_t error_B);

/** False; `error` says that the path cannot be written, why (a value of errno), and what to do. */
bool look_file_fails(const char *path, int reason, char *error, size_t error_B);

#endif
