/* SPDX-License-Identifier: MIT */
#include "replay_packets.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void
replay_note(json_t *difference, const char *format, ...)
{
   json_t *notes = json_object_get(difference, "notes");
   va_list arguments;
   if (!notes) {
      notes = json_array();
      json_object_set_new(difference, "notes", notes);
   }
   va_start(arguments, format);
   json_array_append_new(notes, json_vsprintf(format, arguments));
   va_end(arguments);
}

/* The first element of a field of the packets' record that differs. */
static const struct cf_field *
first_field(const struct cf_record *record, const uint32_t *a, const uint32_t *b, uint32_t *element)
{
   for (uint32_t f = 0; f < record->fields; f++) {
      const struct cf_field *field = &record->field[f];
      for (*element = 0; *element < (field->count ? field->count : 1); ++*element) {
         if (cf_field_bits(field, a, *element) != cf_field_bits(field, b, *element))
            return field;
      }
   }
   return NULL;
}

static void
describe_packet(json_t *difference, uint64_t address, const uint32_t *a, const uint32_t *b)
{
   const struct cf_record *record = cf_packet_record(a[0] & 0xff);
   uint32_t element, dwords;
   if (a[0] != b[0]) {
      replay_note(difference, "the packets differ: at 0x%" PRIx64 " a has %s, b has %s", address,
                  record->name, cf_packet_name(b[0] & 0xff, &dwords));
      return;
   }
   const struct cf_field *field = first_field(record, a, b, &element);
   if (field && field->count)
      replay_note(difference,
                  "the packets differ: %s at 0x%" PRIx64 ", field %s[%" PRIu32 "]: a has 0x%" PRIx64
                  ", b has 0x%" PRIx64,
                  record->name, address, field->name, element, cf_field_bits(field, a, element),
                  cf_field_bits(field, b, element));
   else if (field)
      replay_note(difference,
                  "the packets differ: %s at 0x%" PRIx64 ", field %s: a has 0x%" PRIx64
                  ", b has 0x%" PRIx64,
                  record->name, address, field->name, cf_field_bits(field, a, 0),
                  cf_field_bits(field, b, 0));
}

void
replay_describe_packets(json_t *difference, const struct look_submission submission[2],
                        const struct look_op op[2])
{
   struct look_packets packets[2] = { look_packets_of(&submission[0]),
                                      look_packets_of(&submission[1]) };
   const uint32_t *a = look_packets_next(&packets[0]), *b = look_packets_next(&packets[1]);
   while (a && b && packets[0].at == packets[1].at && a[0] == b[0] &&
          !memcmp(a, b, 4 * (a[0] >> 16))) {
      a = look_packets_next(&packets[0]);
      b = look_packets_next(&packets[1]);
   }
   if (a && b && (uint32_t)(a - submission[0].dw) <= op[0].at_dw)
      describe_packet(difference, look_packet_address(&submission[0], a), a, b);
}
