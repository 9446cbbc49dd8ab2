/* SPDX-License-Identifier: MIT */
/*
 * The driver's environment variables: those of the model (clipfree/command/cf_model.h) and those of
 * the pipe driver and winsys.
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
   CF_OPTION_SHADERS,
   CF_OPTION_COMPILER,
   CF_OPTION_MEDIUMP,
   CF_OPTION_COUNT,
};

extern const struct cf_option cf_driver_options[CF_OPTION_COUNT];

/** The variable's value; NULL: it is not set. */
const char *cf_option_value(const struct cf_option *option);

/** Set `config` from the model's variables; a set-uid process ignores those that write files.
 * False: one has a wrong value, *error says which. */
bool cf_options_parse_model(struct cf_model_config *config, const char **error);

/** Error message for a wrong value of a variable. In static memory: used once per process. */
const char *cf_option_message(const struct cf_option *option);

/** Print all variables, one per line. */
void cf_options_print(FILE *file);

#endif
