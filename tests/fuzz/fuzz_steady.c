/* SPDX-License-Identifier: MIT */
#include "fuzz_steady.h"

#include <stdatomic.h>
#include <string.h>

#include "clipfree/command/cf_fault.h"
#include "clipfree/command/cf_process_time.h"
#include "clipfree/command/cf_queries.h"

/* The linker calls the GPU's own functions __real_NAME, and sends their callers to __wrap_NAME. */
#define AROUND(name, ...)                                                                          \
   void __real_##name(__VA_ARGS__);                                                                \
   void __wrap_##name(__VA_ARGS__);                                                                \
   void __wrap_##name(__VA_ARGS__)

/* What every clock leaves. */
static const uint64_t time_ns = 0x0123456789abcdef;

AROUND(cf_queries_store_time, void *result, uint32_t worker, uint32_t item)
{
   __real_cf_queries_store_time(result, worker, item);
   memcpy(result, &time_ns, sizeof(time_ns));
}

AROUND(cf_queries_subtract_time, void *result, uint32_t worker, uint32_t item)
{
   __real_cf_queries_subtract_time(result, worker, item);
   memcpy(result, &time_ns, sizeof(time_ns));
}

AROUND(cf_queries_add_time, void *result, uint32_t worker, uint32_t item)
{
   __real_cf_queries_add_time(result, worker, item);
   memcpy(result, &time_ns, sizeof(time_ns));
}

static atomic_bool stopped;

AROUND(cf_process_time_note, const struct cf_process_time *time, uint64_t max_task_instrs,
       const struct cf_pass_report *report, struct cf_fault *fault)
{
   if (report->result == CF_PASS_TIMED_OUT)
      atomic_store(&stopped, true);
   __real_cf_process_time_note(time, max_task_instrs, report, fault);
}

bool
fuzz_steady_stopped(void)
{
   return atomic_exchange(&stopped, false);
}
