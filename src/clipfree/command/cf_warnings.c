/* SPDX-License-Identifier: MIT */
#include "clipfree/command/cf_warnings.h"

#include <inttypes.h>
#include <stdio.h>

void
cf_warn_outside(struct cf_warnings *warnings, const struct cf_pass_outside *outside, char *text,
                size_t text_B)
{
   for (uint32_t i = 0; i < CF_WARNED_PROGRAMS && i < warnings->outsides; i++) {
      if (warnings->outside[i] == outside->program)
         return;
   }
   warnings->outside[warnings->outsides++ % CF_WARNED_PROGRAMS] = outside->program;
   snprintf(text, text_B,
            "packet draw at 0x%" PRIx64 ": vertex shader at 0x%" PRIx64
            ", pc %u, lane %u: vertex %u of element %u lies outside of its buffer and reads as 0",
            outside->packet, cf_program_info(outside->program)->code,
            cf_program_fetch_pc(outside->program, outside->load.element), outside->load.lane,
            outside->load.vertex, outside->load.element);
}

void
cf_warn_slow(struct cf_warnings *warnings, const struct cf_draw_state *draw, enum cf_slow reason,
             char *text, size_t text_B)
{
   const struct cf_decoded *program = draw->fragment_stage->program;
   if (!cf_slow_report(&warnings->slow, program, 1u << reason))
      return;
   snprintf(text, text_B, "packet draw at 0x%" PRIx64 ", %s, %s: %s", draw->packet,
            cf_program_label(draw->source.stage->program), cf_program_label(program),
            cf_slow_text(reason));
}
