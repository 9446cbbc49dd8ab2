/* SPDX-License-Identifier: MIT */
/*
 * Pixels of surfaces, and values of packets, as JSON.
 */
#ifndef LOOK_PIXEL_H
#define LOOK_PIXEL_H

#include <jansson.h>

#include "look_player.h"

#include "clipfree/interface/cf_record.h"

/** The bytes of a pixel of a surface, pending clears included. False: the surface has no such pixel
 * or is not in memory. */
bool look_pixel_read(const struct look_player *player, const struct cf_surface *surface,
                     uint32_t x_px, uint32_t y_px, uint32_t sample, uint32_t pixel[4]);

/** {"r": 0.5, ...}, or {"depth": 0.5, "stencil": 1}: the channels that the format has. Integers are
 * integers. */
json_t *look_pixel_json(enum cf_format format, const uint32_t pixel[4]);

/** A number; "nan", "inf" and "-inf", which JSON has not, are strings. */
json_t *look_json_float(double value);

/** An array of numbers. */
json_t *look_json_floats(const float *values, uint32_t count);

/** "0x1000". */
json_t *look_json_address(uint64_t address);

/** A packet or structure: {"field": value, ...}; enums are their names. */
json_t *look_json_record(const struct cf_record *record, const uint32_t *dw);

/** A member of an object as text or as a number; "" and 0 if it has none of that kind. */
const char *look_text(const json_t *object, const char *name);
long long look_number(const json_t *object, const char *name);

#endif
