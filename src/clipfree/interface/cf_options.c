/* SPDX-License-Identifier: MIT */
#include "clipfree/interface/cf_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

bool
cf_parse_number(const char *text, unsigned long max, unsigned long *number)
{
   char *end;
   errno = 0;
   *number = strtoul(text, &end, 10);
   return *text >= '0' && *text <= '9' && !*end && !errno && *number <= max;
}

void
cf_option_error(const struct cf_option *option, const char *name, const char *value, char *text,
                size_t size)
{
   snprintf(text, size, "%s=%s is not known; it may be %s", name, value, option->values);
}
