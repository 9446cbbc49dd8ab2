/* SPDX-License-Identifier: MIT */
/*
 * What the fuzz targets share (docs/fuzzing.md). A target defines libFuzzer's
 * LLVMFuzzerTestOneInput, may define LLVMFuzzerCustomMutator, and fuzz_write_seeds. What it does
 * follows from its input alone, so that a file of bytes repeats it.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size_B, size_t max_B, unsigned seed);
/** libFuzzer's own mutation of bytes. Returns the new size. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size_B, size_t max_B);

/** Say what is wrong and abort: libFuzzer keeps the input. */
void fuzz_fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* ---- input ---- */

/* Bytes that are not read yet. */
struct fuzz_bytes {
   const uint8_t *at;
   size_t left_B;
};

/** The next n (1 to 8) bytes, little endian; those after the end are 0. */
uint64_t fuzz_take(struct fuzz_bytes *bytes, unsigned n);
/** The next bytes as a number below n, n > 0. */
uint32_t fuzz_below(struct fuzz_bytes *bytes, uint32_t n);

/** A hash of the input, for what is done with some inputs only. */
uint64_t fuzz_hash(const uint8_t *data, size_t size_B);

/** A number below n, n > 0, that follows from `random`, which moves on. */
uint32_t fuzz_random(uint64_t *random, uint32_t n);

/* ---- seeds ---- */

/** The target's first inputs: called with --seeds=FOLDER instead of fuzzing, which must exist. */
void fuzz_write_seeds(const char *folder);
/** Write one of them. */
void fuzz_write_seed(const char *folder, const char *name, const void *data, size_t size_B);

#endif
