/* SPDX-License-Identifier: MIT */
/*
 * Coverage of GLSL: which lines of shaders ran, and which way their branches went, for the CI of
 * people who write shaders (docs/coverage.md). It watches a GPU as an observer, and writes at the
 * exit of the process, or when it is closed:
 *
 *    FOLDER/clipfree-PID-TIME.info   lcov's format; a name that no other run has
 *    FOLDER/HASH.vert, HASH.frag     the sources that it names; all runs share them
 *
 * Programs are known by their notes (cf_note.h): those without lines of GLSL are left out. Where a
 * program's memory is reused, each program has its own counts.
 */
#ifndef CF_COVERAGE_H
#define CF_COVERAGE_H

#include "clipfree/interface/cf_observer.h"

struct cf_coverage;

/** NULL: the folder cannot be made or written, or there is no memory; errno says why. */
struct cf_coverage *cf_coverage_open(const char *folder);

/** The observer of a GPU, which must be destroyed before the coverage is closed. */
const struct cf_observer *cf_coverage_observer(const struct cf_coverage *coverage);

/** Write, and free. NULL: nothing is done. */
void cf_coverage_close(struct cf_coverage *coverage);

#endif
