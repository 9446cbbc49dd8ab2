/* SPDX-License-Identifier: MIT */
/*
 * Relocations of both machines: what the bits then say is read back by the descriptions of the
 * instructions, and all other bits are as they were.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "clipfree/base/test_random.h"
#include "clipfree/jit/cf_jit_relocate.h"

#define ROUNDS 1000
#define PAGE_B 4096u
#define NEAR_PAGES (UINT64_C(1) << 20) /* adrp reaches so many before, and one less behind */
#define TOO_FAR "a relocation that is too far away"
#define UNALIGNED "a relocation of what is not aligned"

static uint64_t place; /* eight bytes; what is relocated */

static uint64_t
place_at(void)
{
   return (uint64_t)(uintptr_t)&place;
}

static const char *
relocate(unsigned machine, uint32_t type, uint64_t value)
{
   return cf_jit_relocate(machine, type, (uint8_t *)&place, value);
}

/* ---- sizes ---- */

static void
sizes(void **unused)
{
   for (uint32_t type = 0; type < 2000; type++) {
      const bool x86_dword = type == R_X86_64_PC32 || type == R_X86_64_PLT32;
      assert_int_equal(cf_jit_relocation_B(EM_X86_64, type),
                       type == R_X86_64_64 ? 8
                       : x86_dword         ? 4
                                           : 0);
      const bool instr = type == R_AARCH64_ADR_PREL_PG_HI21 || type == R_AARCH64_ADD_ABS_LO12_NC ||
                         type == R_AARCH64_LDST8_ABS_LO12_NC ||
                         (type >= R_AARCH64_LDST16_ABS_LO12_NC &&
                          type <= R_AARCH64_LDST64_ABS_LO12_NC) ||
                         type == R_AARCH64_LDST128_ABS_LO12_NC;
      assert_int_equal(cf_jit_relocation_B(EM_AARCH64, type),
                       type == R_AARCH64_ABS64                      ? 8
                       : instr || type == R_AARCH64_PREL32          ? 4
                                                                    : 0);
      assert_int_equal(cf_jit_relocation_B(EM_RISCV, type), 0);
   }
}

/* ---- addresses and distances ---- */

static void
addresses(void **unused)
{
   struct cf_random r = cf_random_seed("jit-relocate, addresses");
   for (unsigned i = 0; i < ROUNDS; i++) {
      const uint64_t value = cf_random_u64(&r);
      assert_null(relocate(EM_X86_64, R_X86_64_64, value));
      assert_int_equal(place, value);
      place = 0;
      assert_null(relocate(EM_AARCH64, R_AARCH64_ABS64, value));
      assert_int_equal(place, value);
   }
}

static void
distance(unsigned machine, uint32_t type, int64_t distance_B)
{
   const uint32_t above = 0xabcdef01;
   place = (uint64_t)above << 32;
   const bool fits = distance_B == (int32_t)distance_B;
   const char *wrong = relocate(machine, type, place_at() + (uint64_t)distance_B);
   if (fits)
      assert_null(wrong);
   else
      assert_string_equal(wrong, TOO_FAR);
   assert_int_equal((uint32_t)place, (uint32_t)distance_B);
   assert_int_equal(place >> 32, above);
}

static void
distances(void **unused)
{
   static const struct {
      unsigned machine;
      uint32_t type;
   } kinds[] = { { EM_X86_64, R_X86_64_PC32 },
                 { EM_X86_64, R_X86_64_PLT32 },
                 { EM_AARCH64, R_AARCH64_PREL32 } };
   struct cf_random r = cf_random_seed("jit-relocate, distances");
   for (unsigned k = 0; k < 3; k++) {
      for (int64_t near = -2; near <= 2; near++) {
         distance(kinds[k].machine, kinds[k].type, near);
         distance(kinds[k].machine, kinds[k].type, INT32_MAX + near);
         distance(kinds[k].machine, kinds[k].type, INT32_MIN + near);
      }
      for (unsigned i = 0; i < ROUNDS; i++)
         distance(kinds[k].machine, kinds[k].type, (int32_t)cf_random_u64(&r));
   }
}

/* ---- instructions of AArch64 ---- */

/* The page that an adrp at the place names: bits 29 and 30 are the lowest of the distance in
 * pages, 5 to 23 the others. */
static uint64_t
page_of(uint32_t instr)
{
   const int32_t high = (int32_t)(instr >> 5 << 13) >> 13, low = (int32_t)(instr >> 29 & 3);
   const int64_t pages = 4 * (int64_t)high + low;
   return place_at() / PAGE_B + (uint64_t)pages;
}

static void
page(uint32_t instr, uint64_t value, bool fits)
{
   const uint32_t others = ~0x60ffffe0u;
   place = instr;
   const char *wrong = relocate(EM_AARCH64, R_AARCH64_ADR_PREL_PG_HI21, value);
   if (!fits) {
      assert_string_equal(wrong, TOO_FAR);
      return;
   }
   assert_null(wrong);
   assert_int_equal(page_of((uint32_t)place), value / PAGE_B);
   assert_int_equal(place & others, instr & others);
   assert_int_equal(place >> 32, 0);
}

static void
pages(void **unused)
{
   struct cf_random r = cf_random_seed("jit-relocate, pages");
   const uint64_t here = place_at() / PAGE_B;
   for (uint64_t in_page = 0; in_page < PAGE_B; in_page += PAGE_B - 1) {
      page(0, here * PAGE_B + in_page, true);
      page(UINT32_MAX, (here + NEAR_PAGES - 1) * PAGE_B + in_page, true);
      page(0, (here - NEAR_PAGES) * PAGE_B + in_page, true);
      page(0, (here + NEAR_PAGES) * PAGE_B + in_page, false);
      page(0, (here - NEAR_PAGES - 1) * PAGE_B + in_page, false);
   }
   for (unsigned i = 0; i < ROUNDS; i++) {
      const uint64_t random = cf_random_u64(&r);
      const uint64_t there = here - NEAR_PAGES + random % (2 * NEAR_PAGES);
      page((uint32_t)(random >> 32), there * PAGE_B + random % PAGE_B, true);
   }
}

static void
in_page(uint32_t type, unsigned unit_B, uint32_t instr, uint64_t value)
{
   const uint32_t field = 0xfff << 10;
   place = instr;
   const char *wrong = relocate(EM_AARCH64, type, value);
   if (value % unit_B) {
      assert_string_equal(wrong, UNALIGNED);
      return;
   }
   assert_null(wrong);
   assert_int_equal(((uint32_t)place & field) >> 10, value % PAGE_B / unit_B);
   assert_int_equal(place & ~field, instr & ~field);
}

static void
places_in_pages(void **unused)
{
   static const struct {
      uint32_t type;
      unsigned unit_B;
   } kinds[] = { { R_AARCH64_ADD_ABS_LO12_NC, 1 },     { R_AARCH64_LDST8_ABS_LO12_NC, 1 },
                 { R_AARCH64_LDST16_ABS_LO12_NC, 2 },  { R_AARCH64_LDST32_ABS_LO12_NC, 4 },
                 { R_AARCH64_LDST64_ABS_LO12_NC, 8 },  { R_AARCH64_LDST128_ABS_LO12_NC, 16 } };
   struct cf_random r = cf_random_seed("jit-relocate, places in pages");
   for (unsigned k = 0; k < 6; k++) {
      for (uint64_t value = 0; value < 2 * PAGE_B; value++)
         in_page(kinds[k].type, kinds[k].unit_B, (uint32_t)cf_random_u64(&r), value);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes), cmocka_unit_test(addresses),       cmocka_unit_test(distances),
      cmocka_unit_test(pages), cmocka_unit_test(places_in_pages),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
