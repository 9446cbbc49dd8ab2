/* SPDX-License-Identifier: MIT */
/*
 * Private to the room: what the command processor tells an observer. `fault` names the packet, its
 * address and perhaps an error; submissions count from 1.
 */
#ifndef CF_PROCESS_EVENTS_H
#define CF_PROCESS_EVENTS_H

#include "clipfree/command/cf_fault.h"
#include "clipfree/interface/cf_observer.h"

/** Tell of a packet of `dwords` dwords; observer->packet is there. */
void cf_tell_packet(const struct cf_observer *observer, const struct cf_memory *memory,
                    uint64_t submission, const struct cf_fault *fault, const uint32_t *dw,
                    uint32_t dwords);

/** Tell of a submission's begin or end: `event` is filled in but for its error. callback NULL:
 * nothing. */
void cf_tell_submission(const struct cf_observer *observer, const struct cf_fault *fault,
                        struct cf_submission_event event,
                        void (*callback)(void *user, const struct cf_submission_event *submission));

#endif
