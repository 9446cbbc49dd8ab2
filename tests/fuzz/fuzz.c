/* SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);

/* libFuzzer calls this before it reads the command line. */
int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
   static const char option[] = "--seeds=";
   if (*argc != 2 || strncmp((*argv)[1], option, strlen(option)) != 0)
      return 0;
   fuzz_write_seeds((*argv)[1] + strlen(option));
   exit(0);
}

void
fuzz_fail(const char *format, ...)
{
   va_list args;
   va_start(args, format);
   fputs("FINDING: ", stderr);
   vfprintf(stderr, format, args);
   fputc('\n', stderr);
   va_end(args);
   abort();
}

uint64_t
fuzz_take(struct fuzz_bytes *bytes, unsigned n)
{
   uint64_t value = 0;
   for (unsigned i = 0; i < n && bytes->left_B > 0; i++) {
      value |= (uint64_t)*bytes->at++ << 8 * i;
      bytes->left_B--;
   }
   return value;
}

uint32_t
fuzz_below(struct fuzz_bytes *bytes, uint32_t n)
{
   return (uint32_t)(fuzz_take(bytes, n > 0xff ? n > 0xffff ? 4 : 2 : 1) % n);
}

uint32_t
fuzz_random(uint64_t *random, uint32_t n)
{
   *random = *random * 6364136223846793005u + 1442695040888963407u;
   return (uint32_t)((*random >> 33) % n);
}

uint64_t
fuzz_hash(const uint8_t *data, size_t size_B)
{
   uint64_t hash = 0xcbf29ce484222325ull; /* FNV-1a */
   for (size_t i = 0; i < size_B; i++)
      hash = (hash ^ data[i]) * 0x100000001b3ull;
   return hash ^ hash >> 32;
}

void
fuzz_write_seed(const char *folder, const char *name, const void *data, size_t size_B)
{
   char path[4096];
   snprintf(path, sizeof(path), "%s/%s", folder, name);
   FILE *file = fopen(path, "wb");
   bool written = file && fwrite(data, 1, size_B, file) == size_B;
   written = (!file || fclose(file) == 0) && written;
   if (written)
      return;
   perror(path);
   exit(1);
}
