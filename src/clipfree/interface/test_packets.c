/* SPDX-License-Identifier: MIT */
/*
 * Generated packet code: every packet and structure unpacks and packs to the same bits; reserved bits, wrong sizes and unknown
 * enum values are rejected and named; a few layouts are pinned by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdbool.h>
#include <string.h>

#include "clipfree/interface/cf_packets.h"

struct record {
   const char *name;
   uint32_t dwords;
   bool is_packet;
   uint32_t header;
   bool (*again)(const uint32_t *dw, uint32_t *packed, const char **bad_field);
   const uint32_t *used;
};

#include "clipfree/interface/cf_packets_test.inc"

#define RECORDS (sizeof(records) / sizeof(records[0]))

static uint64_t random_state = 7;

static uint32_t
random_u32(void)
{
   random_state = random_state * 6364136223846793005u + 1442695040888963407u;
   return (uint32_t)(random_state >> 32);
}

/* Random valid bits; float NaNs are bits like others. An enum field may get a value it does not have: such draws must be
 * rejected with the field's name, and do not count. */
static void
round_trip(void **state)
{
   (void)state;
   for (uint32_t r = 0; r < RECORDS; r++) {
      uint32_t accepted = 0;
      for (int n = 0; n < 3000; n++) {
         uint32_t dw[64] = {0}, again[64] = {0};
         const char *bad_field = NULL;
         /* few bits set: enums without all values are hit often enough */
         for (uint32_t i = 0; i < records[r].dwords; i++)
            dw[i] = random_u32() & (n & 1 ? random_u32() & random_u32() : UINT32_MAX) & records[r].used[i];
         if (records[r].is_packet)
            dw[0] = records[r].header;
         if (!records[r].again(dw, again, &bad_field)) {
            assert_non_null(bad_field);
            assert_string_not_equal(bad_field, "reserved");
            continue;
         }
         assert_memory_equal(dw, again, 4 * records[r].dwords);
         accepted++;
      }
      if (accepted < 3)
         fail_msg("%s: only %u random packets accepted", records[r].name, accepted);
   }
}

static void
reserved_bits_are_rejected(void **state)
{
   (void)state;
   for (uint32_t r = 0; r < RECORDS; r++) {
      for (uint32_t i = 0; i < records[r].dwords; i++) {
         for (uint32_t bit = 0; bit < 32; bit++) {
            uint32_t dw[64] = {0}, again[64];
            const char *bad_field = NULL;
            if (records[r].is_packet)
               dw[0] = records[r].header;
            const bool is_header = records[r].is_packet && i == 0;
            if (records[r].used[i] >> bit & 1 && !is_header)
               continue;
            dw[i] ^= 1u << bit;
            assert_false(records[r].again(dw, again, &bad_field));
            assert_string_equal(bad_field, "reserved");
         }
      }
   }
}

static void
unknown_enum_values_are_named(void **state)
{
   (void)state;
   uint32_t dw[CF_DRAW_DWORDS];
   struct cf_draw draw = {.prim = CF_PRIM_KIND_POLYGON, .count = 3};
   const char *bad_field;
   cf_draw_pack(dw, &draw);
   assert_true(cf_draw_unpack(dw, &draw, &bad_field));
   dw[1] = 15;
   assert_false(cf_draw_unpack(dw, &draw, &bad_field));
   assert_string_equal(bad_field, "prim");
}

static void
layouts_by_hand(void **state)
{
   (void)state;
   uint32_t dw[CF_SCISSOR_DWORDS];
   cf_scissor_pack(dw, &(struct cf_scissor){.min_x_px = 1, .min_y_px = 2, .max_x_px = 3, .max_y_px = 4});
   assert_memory_equal(dw, ((uint32_t[]){0x04 | 3 << 16, 2u << 16 | 1, 4u << 16 | 3}), sizeof(dw));
   uint32_t shader[CF_SHADER_DWORDS];
   cf_shader_pack(shader, &(struct cf_shader){.stage = CF_SHADER_STAGE_FRAGMENT, .program = 0x123456789abcu});
   assert_memory_equal(shader, ((uint32_t[]){0x10 | 4 << 16, 1, 0x56789abc, 0x1234}), sizeof(shader));
   uint32_t dwords;
   assert_string_equal(cf_packet_name(0x20, &dwords), "draw");
   assert_int_equal(dwords, CF_DRAW_DWORDS);
   assert_null(cf_packet_name(0xff, &dwords));
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(round_trip),
      cmocka_unit_test(reserved_bits_are_rejected),
      cmocka_unit_test(unknown_enum_values_are_named),
      cmocka_unit_test(layouts_by_hand),
   };
   return cmocka_run_group_tests_name("interface-packets", tests, NULL, NULL);
}
