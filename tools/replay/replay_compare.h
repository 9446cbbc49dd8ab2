/* SPDX-License-Identifier: MIT */
/*
 * Two runs side by side: of two settings, or of two captures. All images and buffers that
 * operations write are compared, first after each submission, then in the first that differs after
 * each operation. The first difference is named.
 */
#ifndef REPLAY_COMPARE_H
#define REPLAY_COMPARE_H

#include <jansson.h>
#include <stdio.h>

#include "look/look_step.h"

#include "clipfree/command/cf_model.h"

struct replay_side {
   const char *path;
   struct cf_model_config config;
};

/* A pixel that differs after an operation that draws to it, for an explanation. */
struct replay_pixel {
   uint32_t op;     /* number in the capture */
   uint32_t target; /* image of the frame buffer, below LOOK_IMAGES */
   uint32_t x_px, y_px, sample;
};

/** A result that says that both sides are equal. */
json_t *replay_equal_result(void);
/** Add a difference, which it then owns. */
void replay_set_difference(json_t *result, const char *what, json_t *difference);

/** Describe a pixel, and its values on both sides. */
void replay_describe_pixel(json_t *difference, const struct replay_pixel *pixel,
                           enum cf_format format, const uint32_t value[2][4]);

/** Compare. NULL: `error` says why that cannot be done. Member "equal" says whether they are. */
json_t *replay_compare(const struct replay_side side[2], char *error, size_t error_B);

/** The result as text. */
void replay_compare_print(FILE *file, const json_t *result);

#endif
