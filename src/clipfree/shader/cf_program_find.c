/* SPDX-License-Identifier: MIT */
#include "clipfree/shader/cf_program_find.h"

#include "clipfree/base/cf_hash.h"
#include "clipfree/shader/cf_task.h"

bool
cf_program_find(const struct cf_memory *memory, uint64_t descriptor, struct cf_found_program *found)
{
   const char *bad_field;
   const uint32_t *dw = cf_memory_aligned(memory, descriptor, 4 * CF_PROGRAM_DWORDS, 4);
   if (!dw || !cf_program_unpack(dw, &found->info, &bad_field))
      return false;
   const uint32_t instrs = found->info.code_instrs;
   if (instrs == 0 || instrs > CF_MAX_PROGRAM_INSTRS)
      return false;
   found->code = cf_memory_aligned(memory, found->info.code, 8 * (uint64_t)instrs, 8);
   if (!found->code)
      return false;
   found->hash = cf_hash_words(CF_HASH_NOTHING, found->code, instrs);
   return true;
}
