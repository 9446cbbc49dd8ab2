/* SPDX-License-Identifier: MIT */
/*
 * What became of what was written to the pixel: whether a later event replaced it, or whether, in
 * an image of several samples, it is part of the mean that a copy made.
 */
#ifndef WHY_AFTER_H
#define WHY_AFTER_H

#include "why_run.h"

/** Set `overwritten` or `resolved` of the events from `first` on that changed the pixel: the number
 * of the entry among these that did it (docs/why.md). */
void why_tell_after(const struct why_plan *plan, const struct why_events *events, uint32_t first);

/** Whether copies from the source give the mean of its samples. */
bool why_is_resolve(const struct cf_surface *source, const struct cf_surface *destination);

#endif
