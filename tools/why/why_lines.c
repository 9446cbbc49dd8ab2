/* SPDX-License-Identifier: MIT */
#include "why_lines.h"

#include <stdio.h>

#include "look/look_lines.h"

json_t *
why_instruction_json(const struct look_player *player, uint64_t program, uint32_t instr)
{
   return json_pack("{s:I, s:o}", "instruction", (json_int_t)instr, "lines",
                    look_lines_json(look_player_notes(player), program, instr));
}

static long long
number(const json_t *object, const char *name)
{
   return json_integer_value(json_object_get(object, name));
}

void
why_place_text(const json_t *instruction, const char *stage, char text[WHY_PLACE_B])
{
   const json_t *line = json_array_get(json_object_get(instruction, "lines"), 0);
   const char *source = json_string_value(json_object_get(line, "text"));
   const struct cf_note_line named = { .object = (uint16_t)number(line, "object"),
                                       .string = (uint16_t)number(line, "string"),
                                       .line = (uint32_t)number(line, "line") };
   char name[CF_NOTE_LINE_NAME_B];
   cf_note_line_name(&named, name);
   if (!line)
      snprintf(text, WHY_PLACE_B, "instruction %lld of the %s program",
               number(instruction, "instruction"), stage);
   else
      snprintf(text, WHY_PLACE_B, "line %s of the %s shader%s%.160s%s", name, stage,
               source ? ": `" : "", source ? source : "", source ? "`" : "");
}
