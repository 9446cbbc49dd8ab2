/* SPDX-License-Identifier: MIT */
#include "debug_feedback.h"

#include <inttypes.h>

/* The output of a vertex program that lies in a dword of an element; false: none. */
static bool
find_output(const struct debug_view *view, uint32_t buffer, uint32_t at_dw, uint32_t *output)
{
   const struct cf_feedback *feedback = &view->state->feedback;
   const uint64_t size_B = 4 * CF_FEEDBACK_OUTPUT_DWORDS * (uint64_t)feedback->outputs;
   const uint32_t *dw = look_player_at(view->player, feedback->output_address, size_B);
   for (uint32_t i = 0; dw && i < feedback->outputs; i++, dw += CF_FEEDBACK_OUTPUT_DWORDS) {
      struct cf_feedback_output entry;
      const char *bad_field;
      if (!cf_feedback_output_unpack(dw, &entry, &bad_field) || entry.buffer != buffer ||
          at_dw - entry.offset_dw >= entry.dwords)
         continue;
      *output = entry.first + (at_dw - entry.offset_dw);
      return true;
   }
   return false;
}

/* The varying that has an output, and which component it is; NULL: none is known. */
static const struct debug_variable *
varying_of(const struct debug_view *view, uint32_t output, uint32_t *component)
{
   for (uint32_t i = 0; i < view->program->variables; i++) {
      const struct debug_variable *v = &view->program->variable[i];
      const uint32_t components = v->field == CF_NOTE_OUTPUT ? debug_variable_components(v) : 0;
      for (*component = 0; *component < components; (*component)++) {
         if (CF_OUTPUT_VARYINGS + debug_variable_place(v, *component) == output)
            return v;
      }
   }
   return NULL;
}

/* "gl_Position.x is 0.5 (0x3f000000)", "moved.y is -"; "varying 0.x", by its slot, without a name.
 */
static void
print_output(FILE *file, const struct debug_view *view, uint32_t output)
{
   uint32_t component = output % 4, bits;
   char text[DEBUG_VALUE_B] = "-";
   const struct debug_variable *varying = varying_of(view, output, &component);
   const bool is_written = debug_output_read(view, output, &bits);
   if (is_written)
      debug_value_text(bits, varying ? varying->is.scalar : CF_NOTE_FLOAT, text);
   if (varying && component > 3)
      fprintf(file, "%s, component %" PRIu32, varying->word, component);
   else if (varying)
      fprintf(file, "%s.%c", varying->word, "xyzw"[component]);
   else if (output < 4)
      fprintf(file, "gl_Position.%c", "xyzw"[output]);
   else if (output < CF_OUTPUT_VARYINGS)
      fprintf(file, output == CF_OUTPUT_POINT_SIZE ? "gl_PointSize" : "output %" PRIu32, output);
   else
      fprintf(file, "varying %" PRIu32 ".%c", (output - CF_OUTPUT_VARYINGS) / 4,
              "xyzw"[output % 4]);
   fprintf(file, " is %s", text);
   if (is_written) /* notes do not tell integers in all varyings */
      fprintf(file, " (0x%08" PRIx32 ")", bits);
   fputc('\n', file);
}

void
debug_feedback_print(FILE *file, const struct debug_view *view)
{
   const struct cf_feedback *feedback = &view->state->feedback;
   if (!feedback->outputs || view->task->program->info.stage != CF_SHADER_STAGE_VERTEX) {
      fprintf(file, "nothing is fed back here\n");
      return;
   }
   for (uint32_t buffer = 0; buffer < CF_FEEDBACK_BUFFERS; buffer++) {
      for (uint32_t at_dw = 0; at_dw < feedback->stride_dw[buffer]; at_dw++) {
         uint32_t output;
         if (!find_output(view, buffer, at_dw, &output))
            continue;
         fprintf(file, "feedback %" PRIu32 ", byte %" PRIu32 " of %" PRIu32 ": ", buffer, 4 * at_dw,
                 4 * feedback->stride_dw[buffer]);
         print_output(file, view, output);
      }
   }
}
