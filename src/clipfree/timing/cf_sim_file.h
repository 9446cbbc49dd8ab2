/* SPDX-License-Identifier: MIT */
/*
 * Recordings: traces in files. Chunks one after the other, compressed with checksums, then an index
 * of them, so that some can be read without the others: each has all textures and programs.
 */
#ifndef CF_SIM_FILE_H
#define CF_SIM_FILE_H

#include <stdio.h>

#include "clipfree/timing/cf_sim_features.h"

#define CF_SIM_ERROR_B 256

struct cf_sim_writer;
struct cf_sim_reader;

/* A chunk in the index: where its head lies in the file, and what it has. */
struct cf_sim_place_in_file {
   uint64_t at_B;
   struct cf_sim_features features;
};

/** Write a recording to an open file, which the caller closes. NULL: out of memory, or it cannot be
 * written. */
struct cf_sim_writer *cf_sim_writer_open(FILE *file);
bool cf_sim_writer_put(struct cf_sim_writer *writer, const struct cf_sim_chunk *chunk);

/** Mark the end, without which a recording is refused. False: something could not be written. */
bool cf_sim_writer_close(struct cf_sim_writer *writer);

/** Whether the file begins like a recording of any version. */
bool cf_sim_is_recording(const char *path);

/** NULL: `error` says why not. */
struct cf_sim_reader *cf_sim_reader_open(const char *path, char error[CF_SIM_ERROR_B]);

/** Read the next chunk. 1: there is one; 0: the end; -1: the file is damaged: `error`. What is read
 * is well-formed: counts, numbers and records are as cf_sim_trace.h says. Tiles, vertices
 * and primitives lie in the reader's memory until the next call, or until it is closed; after that
 * the chunk may only be freed or read again. */
int cf_sim_reader_next(struct cf_sim_reader *reader, struct cf_sim_chunk *chunk,
                       char error[CF_SIM_ERROR_B]);

/** The index: *index, of *count chunks, which lives as long as the reader. False: it is damaged:
 * `error`. Call cf_sim_reader_seek afterwards, before cf_sim_reader_next. */
bool cf_sim_reader_index(struct cf_sim_reader *reader, const struct cf_sim_place_in_file **index,
                         uint32_t *count, char error[CF_SIM_ERROR_B]);

/** After the index was read: the number of the chunk that cf_sim_reader_next reads next. */
void cf_sim_reader_seek(struct cf_sim_reader *reader, uint32_t number);
void cf_sim_reader_close(struct cf_sim_reader *reader);

#endif
