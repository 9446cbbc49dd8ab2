/* SPDX-License-Identifier: MIT */
#include "clipfree/command/cf_fault.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

bool
cf_fault_set(struct cf_fault *fault, const char *field, const char *format, ...)
{
   if (fault->text[0])
      return false;
   const int used =
      snprintf(fault->text, sizeof(fault->text),
               "packet %s at 0x%" PRIx64 ": field %s: ", fault->packet, fault->address, field);
   if ((size_t)used >= sizeof(fault->text))
      return false;
   va_list arguments;
   va_start(arguments, format);
   vsnprintf(fault->text + used, sizeof(fault->text) - (size_t)used, format, arguments);
   va_end(arguments);
   return false;
}

bool
cf_fault_out_of_memory(struct cf_fault *fault, const char *field)
{
   fault->out_of_memory = fault->out_of_memory || !fault->text[0];
   return cf_fault_set(fault, field, "out of host memory");
}
