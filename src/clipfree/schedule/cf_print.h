/* SPDX-License-Identifier: MIT */
/*
 * Prints what the units do for a pass, as readable text: meant for one small frame. It only reads;
 * results do not depend on it.
 */
#ifndef CF_PRINT_H
#define CF_PRINT_H

#include "clipfree/interface/cf_choices.h"
#include "clipfree/schedule/cf_tile.h"

/** Print a pass of so many draws, between set-up and raster, to stderr. `flags`: enum cf_print_flag. Of
 * primitives and tiles only the first few hundred are printed, and the number of the rest. */
void cf_print_pass(uint32_t flags, const struct cf_units *units, const struct cf_tile_input *input, uint32_t draws,
                   uint32_t tiles_x, uint32_t tiles_y);

#endif
