/* SPDX-License-Identifier: MIT */
/*
 * What users can choose by name, each described once: errors, lists of what is known and
 * docs/driver.md's tables (src/gallium/drivers/clipfree/gen_tables.py) come from these
 * descriptions.
 */
#ifndef CF_OPTIONS_H
#define CF_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct cf_model_config;

struct cf_option {
   const char *variable; /* of the environment, for the driver */
   const char *argument; /* of clipfree-replay; NULL: it has none */
   const char *values;   /* as an error says it: "it may be ..." */
   const char *text;     /* a sentence */
   /* False: the value is not known. NULL: whoever uses the option parses it. */
   bool (*parse)(const char *value, struct cf_model_config *config);
};

/** Writes why `value` is refused, and what there is, for the option called `name` (a variable or an
 * argument). */
void cf_option_error(const struct cf_option *option, const char *name, const char *value,
                     char *text, size_t size);

/** A decimal number of at most `max`, with nothing before or after it. */
bool cf_parse_number(const char *text, unsigned long max, unsigned long *number);

#endif
