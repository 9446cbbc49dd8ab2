/* SPDX-License-Identifier: MIT */
/*
 * The driver's variables of the environment: those of the model (clipfree/command/cf_model.h) and
 * those that are Mesa's side's own.
 */
#ifndef CLIPFREE_OPTIONS_H
#define CLIPFREE_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "clipfree/command/cf_model.h"

enum cf_driver_option {
   CF_OPTION_DEBUG,
   CF_OPTION_GPU,
   CF_OPTION_CAPTURE,
   CF_OPTION_FRAMES,
   CF_OPTION_FRAME_DUMP,
   CF_OPTION_COUNT,
};

extern const struct cf_option cf_driver_options[CF_OPTION_COUNT];

/** The variable's value; NULL: it is not set. */
const char *cf_option_value(const struct cf_option *option);

/** Sets in `config` what the model's variables say. False: *error says what is wrong with one. */
bool cf_options_parse_model(struct cf_model_config *config, const char **error);

/** The message of a wrong value of a set variable (static memory: it is short, and asked for once per process). */
const char *cf_option_message(const struct cf_option *option);

/** All variables, a line each. */
void cf_options_print(FILE *file);

#endif
