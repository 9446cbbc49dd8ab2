/* SPDX-License-Identifier: MIT */
/*
 * Options of users: environment variables of the driver, arguments of clipfree-replay. Each is
 * described once; error messages, lists of options and the tables of docs/driver.md
 * (src/gallium/drivers/clipfree/gen_tables.py) come from these descriptions.
 */
#ifndef CF_OPTIONS_H
#define CF_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct cf_model_config;

struct cf_option {
   const char *variable; /* environment variable of the driver */
   const char *argument; /* of clipfree-replay; NULL: none */
   const char *values;   /* for error messages: "it may be ..." */
   const char *text;     /* what it does, one sentence, for lists and tables */
   /* Set it. False: the value is not known. NULL: the option's user parses the value. */
   bool (*parse)(const char *value, struct cf_model_config *config);
   bool writes_files; /* ignored in a set-uid process */
};

/** Writes the error message for a value that the option does not know, with those that it does.
 * name: the variable or the argument. */
void cf_option_error(const struct cf_option *option, const char *name, const char *value,
                     char *text, size_t size);

/** Parse a decimal number of at most `max`. False: it is none, or something stands around it. */
bool cf_parse_number(const char *text, unsigned long max, unsigned long *number);

#endif
