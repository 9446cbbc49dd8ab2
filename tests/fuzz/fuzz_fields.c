/* SPDX-License-Identifier: MIT */
#include "fuzz_fields.h"

#include "clipfree/interface/cf_packets.h"
#include "clipfree/interface/cf_record.h"

uint64_t
fuzz_bits(struct cf_random *random, uint64_t now, uint32_t width)
{
   switch (cf_random_below(random, 6)) {
   case 0:
      return now ^ 1ull << cf_random_below(random, width);
   case 1:
      return now + cf_random_below(random, 9) - 4;
   case 2:
      return cf_random_below(random, 8);
   case 3:
      return UINT64_MAX - cf_random_below(random, 4);
   case 4:
      return cf_random_u64(random) >> cf_random_below(random, 64);
   default:
      return 1ull << cf_random_below(random, width);
   }
}

void
fuzz_change_field(struct cf_random *random, uint32_t *packet, uint32_t dwords, uint64_t address)
{
   const struct cf_record *record = cf_packet_record(*packet & 0xff);
   if (!record || record->dwords > dwords || record->fields == 0 ||
       cf_random_below(random, 32) == 0) {
      packet[cf_random_below(random, dwords)] ^= 1u << cf_random_below(random, 32);
      return;
   }
   const struct cf_field *field = &record->field[cf_random_below(random, record->fields)];
   const uint32_t i = field->count ? cf_random_below(random, field->count) : 0;
   const uint64_t now = cf_field_bits(field, packet, i);
   const bool is_address = field->kind == CF_RECORD_ADDRESS && cf_random_below(random, 8);
   cf_field_set_bits(field, packet, i,
                     is_address ? address : fuzz_bits(random, now, is_address ? 64 : field->width));
}
