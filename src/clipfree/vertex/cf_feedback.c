/* SPDX-License-Identifier: MIT */
#include "clipfree/vertex/cf_feedback.h"

#include <string.h>

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
         memcpy(element + 4 * output->offset_dw, record[k] + output->first, 4 * output->dwords);
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
