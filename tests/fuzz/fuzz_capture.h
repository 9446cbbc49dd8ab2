/* SPDX-License-Identifier: MIT */
/*
 * What targets of captures share: an input as a capture's file, mutations of its records, and the
 * records of first inputs.
 *
 * Input: how it is written (1 byte, enum fuzz_capture_way), bytes in a zstd frame less one (2
 * bytes, CAPTURE_FRAMES alone), then the file, or its records.
 */
#ifndef FUZZ_CAPTURE_H
#define FUZZ_CAPTURE_H

#include "clipfree/base/test_random.h"
#include "clipfree/capture/cf_capture.h"
#include "fuzz.h"

#define CAPTURE_HEAD_B sizeof(struct cf_capture_record)
#define CAPTURE_MOST_B (1u << 16) /* of an input */

enum fuzz_capture_way {
   CAPTURE_BYTES,  /* the input is the file */
   CAPTURE_PLAIN,  /* records of a file that is not compressed */
   CAPTURE_FRAMES, /* records that are compressed, in frames of a size */
   CAPTURE_WAYS,
};

struct fuzz_capture {
   enum fuzz_capture_way way;
   size_t frame_B;
   const uint8_t *data;
   size_t size_B;
};

struct fuzz_capture fuzz_capture_of(const uint8_t *data, size_t size_B);

#define CAPTURE_PATH_B 32

/** Its file, which goes when the descriptor is closed. */
int fuzz_capture_file(const struct fuzz_capture *in, char path[CAPTURE_PATH_B]);

bool fuzz_capture_has_payload(const struct cf_capture_record *record);
/** Heads of records, as offsets. Returns how many there are, at most `most`. */
unsigned fuzz_capture_heads(const uint8_t *data, size_t size_B, size_t offsets[], unsigned most);

/** Another input: bytes, or a record, are changed, left out or there twice. Returns its size. */
size_t fuzz_capture_mutate(struct cf_random *random, uint8_t *data, size_t size_B, size_t max_B);

/* ---- first inputs ---- */

/* One in the making. */
struct fuzz_capture_seed {
   uint8_t data[4 * CAPTURE_MOST_B];
   size_t size_B;
};

void fuzz_capture_append(struct fuzz_capture_seed *seed, const void *data, size_t size_B);
/** payload NULL: zeros, at most 256. */
void fuzz_capture_append_record(struct fuzz_capture_seed *seed, struct cf_capture_record record,
                                const uint8_t *payload);

#endif
