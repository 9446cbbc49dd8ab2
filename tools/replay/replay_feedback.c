/* SPDX-License-Identifier: MIT */
#include "replay_feedback.h"

#include <inttypes.h>
#include <string.h>

static void
set(json_t *object, const char *name, json_t *value)
{
   json_object_set_new(object, name, value);
}

/* The dword of a vertex record that lies in dword `at_dw` of an element; UINT32_MAX: none. */
static uint32_t
record_dword(const struct look_player *player, const struct cf_feedback *feedback, uint32_t binding,
             uint32_t at_dw)
{
   const uint64_t size_B = 4 * CF_FEEDBACK_OUTPUT_DWORDS * (uint64_t)feedback->outputs;
   const uint32_t *dw = look_player_at(player, feedback->output_address, size_B);
   for (uint32_t i = 0; dw && i < feedback->outputs; i++, dw += CF_FEEDBACK_OUTPUT_DWORDS) {
      struct cf_feedback_output output;
      const char *bad_field;
      if (cf_feedback_output_unpack(dw, &output, &bad_field) && output.buffer == binding &&
          at_dw - output.offset_dw < output.dwords)
         return output.first + (at_dw - output.offset_dw);
   }
   return UINT32_MAX;
}

static json_t *
component_json(uint32_t dword)
{
   static const char *const heads[CF_OUTPUT_VARYINGS] = {
      [0] = "position.x",
      [1] = "position.y",
      [2] = "position.z",
      [3] = "position.w",
      [CF_OUTPUT_POINT_SIZE] = "point size",
   };
   if (dword == UINT32_MAX)
      return json_null();
   if (dword < CF_OUTPUT_VARYINGS)
      return heads[dword] ? json_string(heads[dword]) : json_sprintf("output %" PRIu32, dword);
   return json_sprintf("varying %" PRIu32 ".%c", (dword - CF_OUTPUT_VARYINGS) / 4,
                       "xyzw"[dword % 4]);
}

static uint32_t
vertices_of(const struct look_op *draw)
{
   struct cf_draw packet;
   const char *bad_field;
   if (!cf_draw_unpack(draw->packet, &packet, &bad_field) || packet.prim == CF_PRIM_KIND_POINTS)
      return 1;
   return packet.prim <= CF_PRIM_KIND_LINE_STRIP ? 2 : 3;
}

void
replay_describe_fed(json_t *difference, const struct look_player *player,
                    const struct cf_feedback *feedback, const struct look_op *draw,
                    uint32_t binding, uint64_t offset_B, const uint8_t *const data[2])
{
   static const char *const sides[2] = { "a", "b" };
   const uint32_t stride_B = 4 * feedback->stride_dw[binding], vertices = vertices_of(draw);
   const uint64_t element = stride_B ? offset_B / stride_B : 0, at_B = offset_B / 4 * 4;
   const uint32_t at_dw = (uint32_t)(at_B - element * stride_B) / 4;
   set(difference, "primitive", json_integer((json_int_t)(element / vertices)));
   set(difference, "vertex", json_integer((json_int_t)(element % vertices)));
   set(difference, "component", component_json(record_dword(player, feedback, binding, at_dw)));
   for (uint32_t i = 0; i < 2; i++) {
      uint32_t bits;
      float value;
      memcpy(&bits, data[i] + at_B, sizeof(bits));
      memcpy(&value, &bits, sizeof(value));
      set(difference, sides[i],
          json_pack("{s:o, s:o}", "bits", json_sprintf("0x%08" PRIx32, bits), "float",
                    value - value == 0 ? json_real(value) : json_null()));
   }
}
