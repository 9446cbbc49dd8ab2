/* SPDX-License-Identifier: MIT */
#include "look_call.h"

#include <inttypes.h>
#include <stdio.h>

void
look_call(const struct look_player *player, uint64_t address, const uint32_t *packet,
          char text[LOOK_CALL_B])
{
   struct cf_note_part part;
   struct cf_draw draw;
   const char *bad_field;
   char instances[32] = "";
   size_t at = 0;
   text[0] = 0;
   if (look_opcode(packet) != CF_OPCODE_DRAW || !cf_draw_unpack(packet, &draw, &bad_field))
      return;
   if (look_notes_next(look_player_notes(player), address, CF_NOTE_CALL, &at, &part)) {
      snprintf(text, LOOK_CALL_B, "%s", part.text);
      return;
   }
   if (draw.instances != 1)
      snprintf(instances, sizeof(instances), ", %" PRIu32 " instances", draw.instances);
   snprintf(text, LOOK_CALL_B, "%s, %" PRIu32 " %s%s", cf_prim_kind_name(draw.prim), draw.count,
            draw.index_size_B ? "indices" : "vertices", instances);
}
