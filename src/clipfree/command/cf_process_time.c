/* SPDX-License-Identifier: MIT */
#include "clipfree/command/cf_process_time.h"

#include <inttypes.h>
#include <stdlib.h>

bool
cf_process_time_init(struct cf_process_time *time, uint32_t workers)
{
   *time = (struct cf_process_time){ .workers = workers };
   time->worker = calloc(workers, sizeof(*time->worker));
   return time->worker != NULL;
}

void
cf_process_time_free(struct cf_process_time *time)
{
   free(time->worker);
}

void
cf_process_time_begin(struct cf_process_time *time, uint64_t limit_ns)
{
   time->limit_ns = limit_ns;
   for (uint32_t i = 0; i < time->workers; i++)
      time->worker[i] = (struct cf_time_limit){ .limit_ns = limit_ns };
}

struct cf_time_limit *
cf_process_time_limits(const struct cf_process_time *time)
{
   return time->limit_ns ? time->worker : NULL;
}

/* What a thread was allowed that used more; 0: none did. */
static uint64_t
exceeded_ns(const struct cf_process_time *time)
{
   for (uint32_t i = 0; time->limit_ns && i < time->workers; i++) {
      if (time->worker[i].exceeded_ns)
         return time->worker[i].exceeded_ns;
   }
   return 0;
}

void
cf_process_time_note(const struct cf_process_time *time, uint64_t max_task_instrs,
                     const struct cf_pass_report *report, struct cf_fault *fault)
{
   if (report->result == CF_PASS_OUT_OF_MEMORY)
      cf_fault_out_of_memory(fault, "prim");
   if (report->result != CF_PASS_TIMED_OUT)
      return;
   fault->packet = "draw";
   fault->address = report->timed_out_packet;
   const uint64_t allowed_ns = exceeded_ns(time);
   if (allowed_ns)
      cf_fault_set(fault, "program", "a thread worked more than %" PRIu64 " ms and was stopped",
                   allowed_ns / 1000000);
   else
      cf_fault_set(fault, "program",
                   "a task ran more than %" PRIu64 " instructions and was stopped",
                   max_task_instrs);
}
