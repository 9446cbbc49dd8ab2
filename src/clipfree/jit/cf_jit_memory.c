/* SPDX-License-Identifier: MIT */
/*
 * Hosts may refuse that memory which could be written becomes executable (PR_SET_MDWE, SELinux's
 * execmem), and still map files for execution, as they do libraries. There the memory is replaced
 * by a private mapping of a file in memory that has the same bytes and can never be written again.
 */
#include "clipfree/jit/cf_jit_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "clipfree/base/cf_host.h"

const char cf_jit_memory_refused[] = "the system allows no executable memory";

void *
cf_jit_memory_map(size_t size_B)
{
   void *memory = mmap(NULL, size_B, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   return memory == MAP_FAILED ? NULL : memory;
}

static bool
replace_by_file(void *memory, size_t size_B)
{
   const int seals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
   const int file =
      cf_host_keep_apart(memfd_create("clipfree-code", MFD_CLOEXEC | MFD_ALLOW_SEALING));
   if (file < 0)
      return false;
   const bool replaced =
      pwrite(file, memory, size_B, 0) == (ssize_t)size_B && fcntl(file, F_ADD_SEALS, seals) == 0 &&
      mmap(memory, size_B, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, file, 0) != MAP_FAILED;
   close(file);
   return replaced;
}

bool
cf_jit_memory_seal(void *memory, size_t size_B)
{
   /* the instruction cache of AArch64 is not coherent with stores */
   __builtin___clear_cache(memory, (char *)memory + size_B);
   return mprotect(memory, size_B, PROT_READ | PROT_EXEC) == 0 || replace_by_file(memory, size_B);
}

bool
cf_jit_memory_is_allowed(void)
{
   void *memory = cf_jit_memory_map(1);
   const bool allowed = memory && cf_jit_memory_seal(memory, 1);
   if (memory)
      munmap(memory, 1);
   return allowed;
}
