/* SPDX-License-Identifier: MIT */
/*
 * A round trip: a case is written as a program in C, which is compiled and run on clipfree's
 * driver; what it draws is a case again.
 */
#ifndef REDUCE_TRIP_H
#define REDUCE_TRIP_H

#include "reduce_trial.h"

/** Make it. NULL: `error` says why there is none; or the trial is to stop. */
struct reduce_case *reduce_trip(struct reduce_trial *trial, const struct reduce_case *c,
                                char *error, size_t error_B);

/** Remove its files. */
void reduce_trip_clean(const char *folder);

#endif
