/* SPDX-License-Identifier: MIT */
/*
 * Generated packet code: every packet and structure unpacks and packs to the same bits; reserved
 * bits, wrong sizes and unknown enum values are rejected and named; a few layouts are pinned by
 * hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/interface/cf_packets.h"

struct tested {
   const struct cf_record *record;
   bool (*again)(const uint32_t *dw, uint32_t *packed, const char **bad_field);
};

#include "clipfree/interface/cf_packets_test.inc"

#define RECORDS (sizeof(tested) / sizeof(tested[0]))

static uint64_t random_state = 7;

static uint32_t
random_u32(void)
{
   random_state = random_state * 6364136223846793005u + 1442695040888963407u;
   return (uint32_t)(random_state >> 32);
}

static uint32_t
header_of(const struct cf_record *record)
{
   return record->opcode | record->dwords << 16;
}

/* Every field's bits, set in an otherwise empty record, make the same record. */
static void
check_fields(const struct cf_record *record, const uint32_t *dw)
{
   uint32_t copy[64] = { 0 };
   copy[0] = record->opcode ? dw[0] : 0;
   for (uint32_t f = 0; f < record->fields; f++) {
      const struct cf_field *field = &record->field[f];
      assert_ptr_equal(cf_record_field(record, field->name), field);
      for (uint32_t i = 0; i < (field->count ? field->count : 1u); i++) {
         cf_field_set_bits(field, copy, i, UINT64_MAX); /* what was there goes */
         cf_field_set_bits(field, copy, i, cf_field_bits(field, dw, i));
      }
   }
   assert_memory_equal(copy, dw, 4 * record->dwords);
}

/* Random valid bits; float NaNs are bits like others. An enum field may get a value it does not
 * have: such draws must be rejected with the field's name, and do not count. */
static void
round_trip(void **state)
{
   (void)state;
   for (uint32_t r = 0; r < RECORDS; r++) {
      const struct cf_record *record = tested[r].record;
      uint32_t accepted = 0;
      for (int n = 0; n < 3000; n++) {
         uint32_t dw[64] = { 0 }, again[64] = { 0 };
         const char *bad_field = NULL;
         /* few bits set: enums without all values are hit often enough */
         for (uint32_t i = 0; i < record->dwords; i++)
            dw[i] =
               random_u32() & (n & 1 ? random_u32() & random_u32() : UINT32_MAX) & record->used[i];
         if (record->opcode)
            dw[0] = header_of(record);
         if (!tested[r].again(dw, again, &bad_field)) {
            assert_non_null(bad_field);
            assert_string_not_equal(bad_field, "reserved");
            assert_string_equal(bad_field, cf_record_fault(record, dw));
            continue;
         }
         assert_memory_equal(dw, again, 4 * record->dwords);
         assert_null(cf_record_fault(record, dw));
         check_fields(record, dw);
         accepted++;
      }
      if (accepted < 3)
         fail_msg("%s: only %u random packets accepted", record->name, accepted);
   }
}

static void
reserved_bits_are_rejected(void **state)
{
   (void)state;
   for (uint32_t r = 0; r < RECORDS; r++) {
      const struct cf_record *record = tested[r].record;
      for (uint32_t i = 0; i < record->dwords; i++) {
         for (uint32_t bit = 0; bit < 32; bit++) {
            uint32_t dw[64] = { 0 }, again[64];
            const char *bad_field = NULL;
            if (record->opcode)
               dw[0] = header_of(record);
            const bool is_header = record->opcode && i == 0;
            if (record->used[i] >> bit & 1 && !is_header)
               continue;
            dw[i] ^= 1u << bit;
            assert_false(tested[r].again(dw, again, &bad_field));
            assert_string_equal(bad_field, "reserved");
            assert_string_equal(cf_record_fault(record, dw), "reserved");
         }
      }
   }
}

static void
unknown_enum_values_are_named(void **state)
{
   (void)state;
   uint32_t dw[CF_DRAW_DWORDS];
   struct cf_draw draw = { .prim = CF_PRIM_KIND_POLYGON, .count = 3 };
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
   cf_scissor_pack(
      dw, &(struct cf_scissor){ .min_x_px = 1, .min_y_px = 2, .max_x_px = 3, .max_y_px = 4 });
   assert_memory_equal(dw, ((uint32_t[]){ 0x04 | 3 << 16, 2u << 16 | 1, 4u << 16 | 3 }),
                       sizeof(dw));
   uint32_t shader[CF_SHADER_DWORDS];
   cf_shader_pack(
      shader, &(struct cf_shader){ .stage = CF_SHADER_STAGE_FRAGMENT, .program = 0x123456789abcu });
   assert_memory_equal(shader, ((uint32_t[]){ 0x10 | 4 << 16, 1, 0x56789abc, 0x1234 }),
                       sizeof(shader));
   uint32_t dwords;
   assert_string_equal(cf_packet_name(0x20, &dwords), "draw");
   assert_int_equal(dwords, CF_DRAW_DWORDS);
   assert_null(cf_packet_name(0xff, &dwords));
}

/* A field of every kind, as text. */
static void
printed(void **state)
{
   (void)state;
   char *text;
   size_t size;
   uint32_t dw[CF_PACKET_DWORDS];
   FILE *file = open_memstream(&text, &size);
   cf_scissor_pack(dw, &(struct cf_scissor){ .max_x_px = 3 });
   cf_record_print(file, cf_packet_record(dw[0] & 0xff), dw);
   cf_draw_pack(dw, &(struct cf_draw){ .prim = CF_PRIM_KIND_QUADS,
                                       .count = 4,
                                       .index_bias = -2,
                                       .index_address = 1ull << 32 });
   cf_record_print(file, cf_packet_record(dw[0] & 0xff), dw);
   cf_blend_color_pack(dw, &(struct cf_blend_color){ .color = { 0.5f, -1, 2, 1e30f } });
   cf_record_print(file, cf_packet_record(dw[0] & 0xff), dw);
   dw[0]++;
   cf_record_print(file, &cf_blend_color_record, dw);
   fclose(file);
   assert_string_equal(
      text,
      "scissor\n   min_x_px: 0\n   min_y_px: 0\n   max_x_px: 3\n   max_y_px: 0\n"
      "draw\n   prim: quads\n   index_size_B: 0\n   restart: 0\n   again: 0\n"
      "   count: 4\n   start: 0\n   instances: 0\n"
      "   start_instance: 0\n   index_bias: -2\n   restart_index: 0\n   index_size_total_B: 0\n"
      "   index_address: 0x100000000\n"
      "blend_color\n   color: 0.5 -1 2 1.00000002e+30\n"
      "blend_color: bad reserved\n");
   free(text);
   assert_null(cf_packet_record(0xff));
   assert_null(cf_record_field(&cf_draw_record, "pri"));
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(round_trip),
      cmocka_unit_test(reserved_bits_are_rejected),
      cmocka_unit_test(unknown_enum_values_are_named),
      cmocka_unit_test(layouts_by_hand),
      cmocka_unit_test(printed),
   };
   return cmocka_run_group_tests_name("interface-packets", tests, NULL, NULL);
}
