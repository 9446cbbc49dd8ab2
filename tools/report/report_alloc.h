/* SPDX-License-Identifier: MIT */
/*
 * Memory of the report. Where there is none the program says so and ends: nothing is written before
 * everything is measured.
 */
#ifndef REPORT_ALLOC_H
#define REPORT_ALLOC_H

#include <stddef.h>

/** Zeroed memory. */
void *report_alloc(size_t count, size_t size_B);

/** Room for entry number `count`, which is zeroed; `entries` has had the room of all before it. */
void *report_grow(void *entries, size_t count, size_t size_B);

#endif
