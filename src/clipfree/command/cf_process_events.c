/* SPDX-License-Identifier: MIT */
#include "clipfree/command/cf_process_events.h"

void
cf_tell_packet(const struct cf_observer *observer, const struct cf_memory *memory,
               uint64_t submission, const struct cf_fault *fault, const uint32_t *dw,
               uint32_t dwords)
{
   observer->packet(observer->user, &(struct cf_packet_event){ .submission = submission,
                                                               .address = fault->address,
                                                               .name = fault->packet,
                                                               .dw = dw,
                                                               .dwords = dwords,
                                                               .memory = memory });
}

void
cf_tell_submission(const struct cf_observer *observer, const struct cf_fault *fault,
                   struct cf_submission_event event,
                   void (*callback)(void *user, const struct cf_submission_event *submission))
{
   event.error = fault->text[0] ? fault->text : NULL;
   if (callback)
      callback(observer->user, &event);
}
