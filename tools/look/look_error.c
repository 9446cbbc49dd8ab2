/* SPDX-License-Identifier: MIT */
#include "look_error.h"

#include <stdarg.h>
#include <stdio.h>

bool
look_fails(char *error, size_t error_B, const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   vsnprintf(error, error_B, format, arguments);
   va_end(arguments);
   return false;
}
