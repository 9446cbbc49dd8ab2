/* SPDX-License-Identifier: MIT */
#include "clipfree/vertex/cf_feedback.h"

#include <string.h>

/* Up to a vec4, which is all that programs write, the size is a constant, so that the copy is no
 * call. */
static inline void
copy_output(uint8_t *to, const float *from, size_t dwords)
{
   switch (dwords) {
   case 1:
      memcpy(to, from, 4);
      break;
   case 2:
      memcpy(to, from, 8);
      break;
   case 3:
      memcpy(to, from, 12);
      break;
   case 4:
      memcpy(to, from, 16);
      break;
   default:
      memcpy(to, from, 4 * dwords);
      break;
   }
}

void
cf_feedback_write(const struct cf_feedback_draw *feedback, uint64_t primitive,
                  const float *const *record)
{
   if (primitive >= feedback->primitives)
      return;
   for (uint32_t k = 0; k < feedback->vertices; k++) {
      const uint64_t vertex = primitive * feedback->vertices + k;
      for (uint32_t i = 0; i < feedback->outputs; i++) {
         const struct cf_feedback_output *output = &feedback->output[i];
         uint8_t *element = feedback->buffer[output->buffer].data +
                            vertex * feedback->buffer[output->buffer].stride_B;
         copy_output(element + 4 * output->offset_dw, record[k] + output->first, output->dwords);
      }
   }
}

uint64_t
cf_feedback_finish(const struct cf_feedback_draw *feedback, uint64_t primitives)
{
   const uint64_t written =
      primitives < feedback->primitives ? primitives : feedback->primitives;
   for (uint32_t i = 0; i < CF_FEEDBACK_BUFFERS; i++) {
      if (feedback->buffer[i].data)
         *feedback->buffer[i].filled_B +=
            written * feedback->vertices * feedback->buffer[i].stride_B;
   }
   return written;
}
