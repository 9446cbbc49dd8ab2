/* SPDX-License-Identifier: MIT */
/*
 * x86-64 has addresses, and distances of 32 bits, in its code. AArch64's instructions have 32 bits:
 * the address of a page, as a distance of pages, is in one, and the place in the page in another,
 * in units of what is loaded there.
 */
#include "clipfree/jit/cf_jit_relocate.h"

#include <stdbool.h>
#include <string.h>

#define PAGE_B 4096u
#define TOO_FAR "a relocation that is too far away"

/* Bits of an AArch64 instruction. */
struct field {
   unsigned first, bits;
};

unsigned
cf_jit_relocation_B(unsigned machine, uint32_t type)
{
   switch (type) {
   case R_X86_64_64:
      return machine == EM_X86_64 ? 8 : 0;
   case R_X86_64_PC32:
   case R_X86_64_PLT32:
      return machine == EM_X86_64 ? 4 : 0;
   case R_AARCH64_ABS64:
      return machine == EM_AARCH64 ? 8 : 0;
   case R_AARCH64_PREL32:
   case R_AARCH64_ADR_PREL_PG_HI21:
   case R_AARCH64_ADD_ABS_LO12_NC:
   case R_AARCH64_LDST8_ABS_LO12_NC:
   case R_AARCH64_LDST16_ABS_LO12_NC:
   case R_AARCH64_LDST32_ABS_LO12_NC:
   case R_AARCH64_LDST64_ABS_LO12_NC:
   case R_AARCH64_LDST128_ABS_LO12_NC:
      return machine == EM_AARCH64 ? 4 : 0;
   default:
      return 0;
   }
}

static bool
fits(int64_t value, unsigned bits)
{
   const int64_t limit = INT64_C(1) << (bits - 1);
   return value >= -limit && value < limit;
}

static const char *
write_distance(uint8_t *place, uint64_t value)
{
   const int64_t distance = (int64_t)(value - (uint64_t)(uintptr_t)place);
   const uint32_t low = (uint32_t)distance;
   memcpy(place, &low, sizeof(low));
   return fits(distance, 32) ? NULL : TOO_FAR;
}

static const char *
write_address(uint8_t *place, uint64_t value)
{
   memcpy(place, &value, sizeof(value));
   return NULL;
}

static void
write_field(uint8_t *place, struct field field, uint32_t value)
{
   const uint32_t mask = ((1u << field.bits) - 1) << field.first;
   uint32_t instr;
   memcpy(&instr, place, sizeof(instr));
   instr = (instr & ~mask) | (value << field.first & mask);
   memcpy(place, &instr, sizeof(instr));
}

/* adrp: a distance of pages, its two lowest bits apart. */
static const char *
write_pages(uint8_t *place, uint64_t value)
{
   const int64_t pages = (int64_t)(value / PAGE_B - (uint64_t)(uintptr_t)place / PAGE_B);
   write_field(place, (struct field){ 29, 2 }, (uint32_t)pages);
   write_field(place, (struct field){ 5, 19 }, (uint32_t)(pages >> 2));
   return fits(pages, 21) ? NULL : TOO_FAR;
}

/* add, and loads and stores of 2^log2 bytes. */
static const char *
write_in_page(uint8_t *place, uint64_t value, unsigned log2)
{
   const uint32_t at_B = (uint32_t)(value % PAGE_B);
   write_field(place, (struct field){ 10, 12 }, at_B >> log2);
   return at_B % (1u << log2) ? "a relocation of what is not aligned" : NULL;
}

const char *
cf_jit_relocate(unsigned machine, uint32_t type, uint8_t *place, uint64_t value)
{
   if (machine == EM_X86_64)
      return type == R_X86_64_64 ? write_address(place, value) : write_distance(place, value);
   switch (type) {
   case R_AARCH64_ABS64:
      return write_address(place, value);
   case R_AARCH64_PREL32:
      return write_distance(place, value);
   case R_AARCH64_ADR_PREL_PG_HI21:
      return write_pages(place, value);
   case R_AARCH64_LDST16_ABS_LO12_NC:
      return write_in_page(place, value, 1);
   case R_AARCH64_LDST32_ABS_LO12_NC:
      return write_in_page(place, value, 2);
   case R_AARCH64_LDST64_ABS_LO12_NC:
      return write_in_page(place, value, 3);
   case R_AARCH64_LDST128_ABS_LO12_NC:
      return write_in_page(place, value, 4);
   default:
      return write_in_page(place, value, 0);
   }
}
