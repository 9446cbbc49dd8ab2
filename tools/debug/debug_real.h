/* SPDX-License-Identifier: MIT */
/*
 * The second program. A capture with CLIPFREE_DEBUG=variables has programs that keep their
 * variables; a capture of the same frame without has the real ones. What a task of the first puts
 * out is compared, bit by bit, with the same task of the second.
 */
#ifndef DEBUG_REAL_H
#define DEBUG_REAL_H

#include "debug_session.h"

#define DEBUG_REAL_B 512

/** Compare the outputs of the lane that is looked at, at the program's end, with those that the
 * capture at `path` has there; `text` says whether they are equal, and which are not. False: `text`
 * says why they cannot be compared. The session stays where it is. */
bool debug_real_compare(struct debug_session *session, const char *path, char text[DEBUG_REAL_B]);

#endif
