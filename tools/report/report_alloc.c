/* SPDX-License-Identifier: MIT */
#include "report_alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *
checked(void *memory)
{
   if (memory)
      return memory;
   fputs("clipfree report: out of memory\n", stderr);
   exit(1);
}

void *
report_alloc(size_t count, size_t size_B)
{
   return checked(calloc(count ? count : 1, size_B));
}

void *
report_grow(void *entries, size_t count, size_t size_B)
{
   /* the room doubles at powers of 2 */
   if (count == 0 || (count & (count - 1)) == 0)
      entries = checked(realloc(entries, 2 * (count ? count : 1) * size_B));
   memset((char *)entries + count * size_B, 0, size_B);
   return entries;
}
