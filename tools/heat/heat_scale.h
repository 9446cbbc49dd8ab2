/* SPDX-License-Identifier: MIT */
/*
 * How counts become colours: in even steps of lightness from dark to bright, which can be told
 * apart without seeing hue.
 */
#ifndef HEAT_SCALE_H
#define HEAT_SCALE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HEAT_LEVELS 255

/* `levels` steps from 1 on, of which `from[i]` is the least count of step i; a count of 0 has no
 * colour. */
struct heat_scale {
   uint64_t sum;
   uint32_t max;
   uint32_t levels;
   uint32_t from[HEAT_LEVELS];
   uint8_t rgb[HEAT_LEVELS][3];
};

/** The scale of some counts; NULL: all are 0. Its last step begins where less than 1 in 200 of the
 * counts are higher, so that a few pixels do not darken all others. `powers`: steps are powers of
 * 2, of which the lowest is the brightest. */
void heat_scale_of(const uint32_t *count, size_t pixels, bool powers, struct heat_scale *scale);

/** The step of a count, from 0; the count is not 0. */
uint32_t heat_scale_step(const struct heat_scale *scale, uint32_t count);

#endif
