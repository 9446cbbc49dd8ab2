/* SPDX-License-Identifier: MIT */
/* The last reports on submissions, by number from 1 on. The caller has a lock. */
#ifndef CF_REPORT_RING_H
#define CF_REPORT_RING_H

#include <stdbool.h>
#include <stdio.h>

#include "clipfree/interface/cf_gpu.h"

struct cf_report_ring {
   struct cf_report reports[CF_REPORTS]; /* number n at [n % CF_REPORTS] */
   uint64_t count;
};

/** Add a report on submission `seqno`; the oldest is forgotten. Text that is too long is cut. */
static inline void
cf_report_ring_add(struct cf_report_ring *ring, uint64_t seqno, enum cf_report_kind kind,
                   const char *text)
{
   struct cf_report *report = &ring->reports[++ring->count % CF_REPORTS];
   report->seqno = seqno;
   report->kind = kind;
   snprintf(report->text, sizeof(report->text), "%.*s", (int)sizeof(report->text) - 1, text);
}

/** Get a report. False: there is none of that number, or it is forgotten. */
static inline bool
cf_report_ring_get(const struct cf_report_ring *ring, uint64_t number, struct cf_report *report)
{
   const bool known = number > 0 && number <= ring->count && ring->count - number < CF_REPORTS;
   if (known)
      *report = ring->reports[number % CF_REPORTS];
   return known;
}

#endif
