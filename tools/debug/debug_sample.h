/* SPDX-License-Identifier: MIT */
/*
 * Which texels a program's sample of a texture reads, in a lane.
 */
#ifndef DEBUG_SAMPLE_H
#define DEBUG_SAMPLE_H

#include "debug_values.h"

#define DEBUG_TEXELS 64

struct debug_sample {
   struct cf_texel texel[DEBUG_TEXELS];
   uint32_t texels;
};

/** The texels of the last sample of a unit before where the task stands; else of the first one that
 * comes. False: the lane makes none, or it reads no texel. */
bool debug_sample_find(const struct debug_view *view, uint32_t unit, struct debug_sample *sample);

#endif
